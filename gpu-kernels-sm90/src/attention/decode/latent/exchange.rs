//! What the consumer groups hand each other: probabilities with the maxima that they are relative
//! to, and at the end of a tile the rows' sums.
//!
//! ```text
//!   thread t of a group ─ P (16 words), maxima (2) ─► shared memory ─ named barrier ─► thread t of the other
//!
//!   buffer     even block: group 0 writes, group 1 reads      odd block: group 1 writes, group 0 reads      and so on, in turn
//! ```
//!
//! A thread's partner has the same rows and, of a block's probabilities, the same columns: the
//! layout of an accumulator depends on the thread's number in its group alone. So P stays in the
//! registers' order, and a message is as many vectors of 16 bytes as a thread has.
//!
//! Law: a message is read before the reader writes the next one, which is of the block behind: one
//! buffer does for both ways. At the end of a tile a barrier of both groups comes before the sums
//! are written, and one before they are read.

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

/// Probabilities, eight an element: (thread, vector). A warp's accesses are of neighbours.
type Vectors = layout!((128,4):(1,128));
/// A thread's vectors.
type OfThread = <Vectors as SliceTensorBy<(u32, Underscore)>>::Output;
/// Maxima: (row of the two of a thread, four threads that have them, group that writes them). Each
/// group has a place of its own, since one thread writes what three others of its warp read too.
type Maxima = layout!((2,32,2):(1,2,64));
/// Sums: (row of the two of a thread, thread, group).
type Sums = layout!((2,128,2):(128,1,256));

/// The named barriers: the message of group 0 is written, that of group 1, the tile's end.
const MESSAGE_BARRIER: u32 = 2;
const END_BARRIER: u32 = 4;
/// Threads of both groups.
const BOTH: u32 = 2 * WARP_GROUP;

/// A layout of a thread's probabilities, which are 64 bytes.
pub trait ExchangedProbabilities: FragmentLayout {
    /// Stores them.
    fn store<T: AttentionValue>(
        of: &Fragment<T, Self, OperandA>,
        to: &Tensor<Shared<u128>, OfThread>, // (4)
    );
    /// Loads them.
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

/// The places in shared memory.
#[derive(Clone, Copy)]
pub struct Exchange {
    at: u32,
}

impl Exchange {
    const MAXIMA: u32 = 16 * 4 * 128;
    const SUMS: u32 = Self::MAXIMA + 4 * 2 * 32 * 2;
    /// Bytes of all places.
    pub const BYTES: u32 = Self::SUMS + 4 * 2 * 128 * 2;

    /// The places from `at` on.
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
        // SAFETY: the place has the bytes of the layout, by `at`'s contract; `send` and `receive`
        // say who accesses it when.
        let all: Tensor<Shared<u128>, Vectors> = unsafe { Tensor::shared(self.at) }; // (128,4)
        all.slice((thread_in_group(), __)) // (4)
    }

    #[inline(always)]
    fn maxima(self) -> Tensor<Shared<f32>, Maxima> {
        // SAFETY: as of `vectors`.
        unsafe { Tensor::shared(self.at + Self::MAXIMA) }
    }

    #[inline(always)]
    fn sums(self) -> Tensor<Shared<f32>, Sums> {
        // SAFETY: the place has the bytes of the layout, by `at`'s contract; `add_sums` says who
        // accesses it when.
        unsafe { Tensor::shared(self.at + Self::SUMS) }
    }

    /// Hands a block's probabilities, and the maxima that they are relative to, to the other group.
    ///
    /// # Safety
    /// The whole group `GROUP` executes it, behind [`receive`](Self::receive) of the block before,
    /// and the other group [`receive`](Self::receive) of this one.
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
        // SAFETY: the whole group arrives, and the other one waits, by the function's contract.
        unsafe { named_barrier_arrive(MESSAGE_BARRIER + GROUP, BOTH) };
    }

    /// Takes a block's probabilities from the group that is not `GROUP`, and returns their maxima.
    ///
    /// # Safety
    /// The whole group `GROUP` executes it, once for each [`send`](Self::send) of the other.
    #[inline(always)]
    pub unsafe fn receive<const GROUP: u32, T: AttentionValue, L: ExchangedProbabilities>(
        self,
        probabilities: &Fragment<T, L, OperandA>,
    ) -> [f32; 2] {
        // SAFETY: the whole group waits, and the other one arrives, by the function's contract.
        unsafe { named_barrier_sync(MESSAGE_BARRIER + 1 - GROUP, BOTH) };
        L::load(&self.vectors(), probabilities);
        let (from, four) = (self.maxima(), thread_in_group() / 4);
        [0u32, 1].map(|row| from.get((row, four, 1 - GROUP)))
    }

    /// Hands this thread's part of its rows' sums over, and returns its partner's in the other
    /// group.
    ///
    /// # Safety
    /// Both groups execute it whole, at the end of a tile, behind their last `receive`.
    #[inline(always)]
    pub unsafe fn swap_sums<const GROUP: u32>(self, own: [f32; 2]) -> [f32; 2] {
        let (all, thread) = (self.sums(), thread_in_group());
        // SAFETY: both groups are here whole, and pass both barriers.
        let barrier = || unsafe { named_barrier_sync(END_BARRIER, BOTH) };
        barrier();
        unroll::<2>(|row| all.set((row as u32, thread, GROUP), own[row]));
        barrier();
        [0u32, 1].map(|row| all.get((row, thread, 1 - GROUP)))
    }
}
