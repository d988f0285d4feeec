//! The messages between the consumer groups: probabilities with the row maxima that they are
//! relative to and, at the end of a tile, the sums of the rows.
//!
//! ```text
//!   thread t of a group ─ P (16 words), maxima (2) ─► shared memory ─ named barrier ─► thread t of the other
//!
//!   buffer     even block: group 0 writes, group 1 reads      odd block: group 1 writes, group 0 reads      and so on, in turn
//! ```
//!
//! A thread and its partner, which has the same index in the other group, hold the same rows and
//! columns of a block's probabilities, because the layout of an accumulator depends only on the
//! thread's index in its group. So P keeps the order of the registers, and a thread sends its four
//! vectors of 16 bytes unchanged.
//!
//! Law: the groups write in turn, and each group reads a message before it writes its own message
//! for the next block. So one buffer serves both directions. At the end of a tile, one barrier of
//! both groups precedes the writes of the sums, and another precedes their reads.

use super::super::super::value::AttentionValue;
use crate::warp_group::{WARP_GROUP, thread_in_group};
use layout_types::algebra::cast::RecastTo;
use layout_types::algorithm::{SameCount, Walk, transform};
use layout_types::arch::barrier::{named_barrier_arrive, named_barrier_sync};
use layout_types::layout::Size;
use layout_types::num::NatCmp;
use layout_types::prelude::*;
use layout_types::ragged::SliceTensorBy;
use layout_types::tensor::{__, Fragment, FragmentLayout, Shared, Tensor};
use layout_types::tiled::OperandA;
use layout_types::tree::Underscore;
use layout_types::typenum::{U16, U128};
use layout_types::unroll::unroll;

/// The layout of probabilities in vectors of eight: (thread, vector). Neighbouring lanes access
/// neighbouring vectors.
type Vectors = layout!((128,4):(1,128));
/// The layout of one thread's vectors.
type OfThread = <Vectors as SliceTensorBy<(u32, Underscore)>>::Output;
/// The layout of maxima: (one of a thread's two rows, quad of threads that share the rows, writing
/// group). Each group writes a copy of its own. In a common copy, the first thread of a quad could
/// overwrite maxima that the quad's other threads have not read yet.
type Maxima = layout!((2,32,2):(1,2,64));
/// The layout of sums: (one of a thread's two rows, thread, writing group).
type Sums = layout!((2,128,2):(128,1,256));

/// The first of two named barriers. The first says that group 0's message is written, the second
/// that group 1's is.
const MESSAGE_BARRIER: u32 = 2;
/// The named barrier of both groups at a tile's end.
const END_BARRIER: u32 = 4;
/// The number of threads in both groups together.
const BOTH: u32 = 2 * WARP_GROUP;

/// A thread's 64 bytes of probabilities, stored and loaded as vectors.
pub trait ExchangedProbabilities: FragmentLayout {
    /// Stores the probabilities.
    fn store<T: AttentionValue>(
        of: &Fragment<T, Self, OperandA>,
        to: &Tensor<Shared<u128>, OfThread>, // (4)
    );
    /// Loads the probabilities.
    fn load<T: AttentionValue>(
        from: &Tensor<Shared<u128>, OfThread>, // (4)
        of: &Fragment<T, Self, OperandA>,
    );
}
impl<L> ExchangedProbabilities for L
where
    L: FragmentLayout + RecastTo<U16, U128, Output: Walk>,
    <Size<<L as RecastTo<U16, U128>>::Output> as NatCmp>::Equals<Size<OfThread>>:
        SameCount<Size<<L as RecastTo<U16, U128>>::Output>, Size<OfThread>>,
    <Size<OfThread> as NatCmp>::Equals<Size<<L as RecastTo<U16, U128>>::Output>>:
        SameCount<Size<OfThread>, Size<<L as RecastTo<U16, U128>>::Output>>,
{
    #[inline(always)]
    fn store<T: AttentionValue>(
        of: &Fragment<T, L, OperandA>,
        to: &Tensor<Shared<u128>, OfThread>,
    ) {
        transform(&of.view().recast::<u128>(), to, |vector| vector);
    }
    #[inline(always)]
    fn load<T: AttentionValue>(
        from: &Tensor<Shared<u128>, OfThread>,
        of: &Fragment<T, L, OperandA>,
    ) {
        transform(from, &of.view().recast::<u128>(), |vector| vector);
    }
}

/// The places of the messages in shared memory.
#[derive(Clone, Copy)]
pub struct Exchange {
    at: u32,
}

impl Exchange {
    const MAXIMA: u32 = 16 * 4 * 128;
    const SUMS: u32 = Self::MAXIMA + 4 * 2 * 32 * 2;
    /// Bytes of all places.
    pub const BYTES: u32 = Self::SUMS + 4 * 2 * 128 * 2;

    /// Returns the places from address `at` on.
    ///
    /// # Safety
    /// `at` is a multiple of 16 and names `BYTES` bytes of the CTA's shared memory that nothing
    /// else uses.
    #[inline(always)]
    pub const unsafe fn at(at: u32) -> Self {
        Self { at }
    }

    #[inline(always)]
    fn vectors(self) -> Tensor<Shared<u128>, OfThread> {
        // SAFETY: the place has the bytes of the layout, by `at`'s contract; the barriers of `send`
        // and `receive` order its accesses.
        let all: Tensor<Shared<u128>, Vectors> = unsafe { Tensor::shared(self.at) }; // (128,4)
        all.slice((thread_in_group(), __)) // (4)
    }

    #[inline(always)]
    fn maxima(self) -> Tensor<Shared<f32>, Maxima> {
        // SAFETY: the place has the bytes of the layout, by `at`'s contract; the barriers of `send`
        // and `receive` order its accesses.
        unsafe { Tensor::shared(self.at + Self::MAXIMA) }
    }

    #[inline(always)]
    fn sums(self) -> Tensor<Shared<f32>, Sums> {
        // SAFETY: the place has the bytes of the layout, by `at`'s contract; the barriers of
        // `swap_sums` order its accesses.
        unsafe { Tensor::shared(self.at + Self::SUMS) }
    }

    /// Sends a block's probabilities, and the maxima that they are relative to, to the other group.
    ///
    /// # Safety
    /// The whole group `GROUP` executes it, after its [`receive`](Self::receive) of the previous
    /// block. The other group executes [`receive`](Self::receive) for this block.
    #[inline(always)]
    pub unsafe fn send<const GROUP: u32, T: AttentionValue, L: ExchangedProbabilities>(
        self,
        probabilities: &Fragment<T, L, OperandA>,
        maxima: [f32; 2],
    ) {
        let thread = thread_in_group();
        L::store(probabilities, &self.vectors());
        if thread.is_multiple_of(4) {
            let to = self.maxima();
            unroll::<2>(|row| to.set((row as u32, thread / 4, GROUP), maxima[row]));
        }
        // SAFETY: the whole group arrives, and the other group waits, by the function's contract.
        unsafe { named_barrier_arrive(MESSAGE_BARRIER + GROUP, BOTH) };
    }

    /// Loads a block's probabilities that the group other than `GROUP` sent, and returns their
    /// maxima.
    ///
    /// # Safety
    /// The whole group `GROUP` executes it, once for each [`send`](Self::send) of the other group.
    #[inline(always)]
    pub unsafe fn receive<const GROUP: u32, T: AttentionValue, L: ExchangedProbabilities>(
        self,
        probabilities: &Fragment<T, L, OperandA>,
    ) -> [f32; 2] {
        // SAFETY: the whole group waits, and the other group arrives, by the function's contract.
        unsafe { named_barrier_sync(MESSAGE_BARRIER + 1 - GROUP, BOTH) };
        L::load(&self.vectors(), probabilities);
        let (from, four) = (self.maxima(), thread_in_group() / 4);
        [0u32, 1].map(|row| from.get((row, four, 1 - GROUP)))
    }

    /// Sends this thread's part of the sums of its rows, and returns the part of its partner in the
    /// other group.
    ///
    /// # Safety
    /// All threads of both groups execute it, at the end of a tile, after their last `receive`.
    #[inline(always)]
    pub unsafe fn swap_sums<const GROUP: u32>(self, own: [f32; 2]) -> [f32; 2] {
        let (all, thread) = (self.sums(), thread_in_group());
        // SAFETY: all threads of both groups are here and pass both barriers.
        let barrier = || unsafe { named_barrier_sync(END_BARRIER, BOTH) };
        barrier();
        unroll::<2>(|row| all.set((row as u32, thread, GROUP), own[row]));
        barrier();
        [0u32, 1].map(|row| all.get((row, thread, 1 - GROUP)))
    }
}
