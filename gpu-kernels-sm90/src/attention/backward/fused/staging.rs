//! Passes dS and dQ through shared memory.
//!
//! ```text
//!   dS       a thread's words of operand A ─ stmatrix ─► (query, key) with queries contiguous: operand A of dQ's product
//!   dQ       (64,64) per consumer group, in the order (value, thread, eight columns): 16 bytes per thread, adjacent for adjacent threads
//!
//!   consumer group     wait empty ─ store ─ fence ─ full          reducer     wait full ─ bulk reduction ─ read ─ empty
//! ```
//!
//! Law: the sums of dQ in global memory have the order of the staged blocks, so a block is one run
//! of bytes there. [`round`](super::round) reads the sums in that order.

use super::super::super::fragments::{Accumulator, AccumulatorLayout, OperandElement};
use crate::warp_group::thread_in_group;
use cuda_std::thread::thread_idx_x;
use cuda_std::warp::sync_warp;
use half::{bf16, f16};
use layout_types::algebra::cast::RecastTo;
use layout_types::arch::barrier::{
    fence_mbarrier_init, fence_proxy_async_shared, mbarrier_arrive, mbarrier_arrive_if,
    mbarrier_init, mbarrier_wait,
};
use layout_types::arch::copy_sm90::stmatrix_x4;
use layout_types::arch::copy_sm90_bulk::{
    bulk_reduce_add_f32, tma_store_arrive, tma_store_wait, tma_store_wait_done,
};
use layout_types::arch::mov::here;
use layout_types::coord::Coord;
use layout_types::layout::LayoutFn;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, FragmentLayout, Shared, Tensor};
use layout_types::tiled::OperandA;
use layout_types::typenum::{U16, U32};
use layout_types::unroll::{Unroll, unroll, unroll_type};

/// Bytes of a consumer group's part of a block of dQ, (64,64) of f32.
pub const GROUP_BYTES: u32 = 64 * 64 * 4;
/// The number of warps in a consumer group. One thread of each warp arrives, because the bulk
/// reduction reads the part, not the threads.
const WARPS: u32 = 4;
/// Maps (thread, eight columns) to the place of 16 bytes in a consumer group's part of dQ.
pub type StagedPart = layout!((128,8):(1,128));
/// Maps (row of a matrix, below, right, warp) of a `stmatrix` to key + 64 query.
type StoredMatrices = layout!((8,2,2,4):(1,8,512,16));

/// An element whose operand A in registers, `Probabilities`, is read in words of two.
pub trait OperandWords<Probabilities: FragmentLayout>: OperandElement {
    /// Returns the four words of a k block: the row, the row eight below it, then both rows in the
    /// next eight columns.
    fn words(of: &Fragment<Self, Probabilities, OperandA>, block: u32) -> [u32; 4];
}
/// A layout of 16-bit elements recast as a layout of pairs.
type Words<L> = <L as RecastTo<U16, U32>>::Output;
/// The coordinate of a word: its row, its eight columns, its k block.
type OfWord = ((u32, u32, u32), u32, u32);
macro_rules! words {
    ($($element:ty)+) => {$(
        impl<Probabilities> OperandWords<Probabilities> for $element
        where
            Probabilities: FragmentLayout + RecastTo<U16, U32>,
            OfWord: Coord<<Words<Probabilities> as LayoutFn>::Modes, u32>,
        {
            #[inline(always)]
            fn words(of: &Fragment<Self, Probabilities, OperandA>, block: u32) -> [u32; 4] {
                let words = of.view().recast::<u32>(); // ((1,2,2),1,N/16)
                [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(row, eight)| words.get(((0, row, eight), 0, block)))
            }
        }
    )+};
}
words!(f16 bf16);

/// Stores a consumer group's dS into a stage, as `Blocks` blocks of 64 keys and 16 queries. `words`
/// returns the words of a block, `address` the address of (query, key).
///
/// # Safety
/// The whole consumer group `group` executes it, and nothing reads or writes the group's keys of
/// the stage during the call.
#[inline(always)]
pub unsafe fn store_ds<Blocks: Unroll>(
    group: u32,
    words: impl Fn(u32) -> [u32; 4],
    address: impl Fn(u32, u32) -> u32,
) {
    let lane: u32 = StoredMatrices::at(thread_in_group());
    unroll_type::<Blocks>(|block| {
        let (key, query) = (lane % 64, lane / 64 + 16 * block as u32);
        // SAFETY: whole warps are here. The rows of the matrices are the group's keys of the stage,
        // which nothing else accesses by the function's contract.
        unsafe { stmatrix_x4(address(query, 64 * group + key), words(block as u32)) };
    });
}

/// The staged block of dQ of two consumer groups, with barriers for when a group's part is full and
/// when it has been read.
#[derive(Clone, Copy)]
pub struct Staging {
    block: u32,
    barriers: u32,
}

impl Staging {
    /// Bytes of the barriers.
    pub const BARRIER_BYTES: u32 = 32;

    /// Returns the staging with its block at `block` and its barriers at `barriers`.
    ///
    /// # Safety
    /// `block` is a multiple of 128 and names `2 GROUP_BYTES` bytes, `barriers` is a multiple of 8
    /// and names `BARRIER_BYTES` bytes. Both lie in the CTA's shared memory, and nothing else uses
    /// them.
    #[inline(always)]
    pub const unsafe fn at(block: u32, barriers: u32) -> Self {
        Self { block, barriers }
    }
    #[inline(always)]
    const fn full(self, group: u32) -> u32 {
        self.barriers + 8 * group
    }
    #[inline(always)]
    const fn empty(self, group: u32) -> u32 {
        self.barriers + 16 + 8 * group
    }

    /// Initialises the barriers.
    ///
    /// # Safety
    /// One thread of the CTA executes it, once, before a barrier of the CTA.
    #[inline(always)]
    pub unsafe fn init(self) {
        // SAFETY: nothing else uses the barriers' bytes (`at`), and the barriers are used only
        // after the CTA's barrier.
        unsafe {
            unroll::<2>(|group| {
                mbarrier_init(self.full(group as u32), WARPS);
                mbarrier_init(self.empty(group as u32), 1);
            });
        }
        fence_mbarrier_init();
    }

    /// Stores a consumer group's part of the `n`th block, counted over all tiles, and signals the
    /// reducer that it is full.
    ///
    /// # Safety
    /// The whole consumer group `group` executes it, for every block, after [`init`](Self::init).
    #[inline(always)]
    pub unsafe fn store<Atom, L: AccumulatorLayout<Atom>>(
        self,
        (group, n): (u32, u32),
        dq: &Accumulator<L>,
    ) {
        let thread = thread_in_group();
        // SAFETY: the wait for `empty`, with the parity of `n`, ends when the reducer has read the
        // previous block. Only this group writes the part, and each thread has places of its own.
        // The fence and the warp's barrier order the bytes before the arrival.
        unsafe {
            let part = Tensor::<Shared<u128>, StagedPart>::shared(self.block + group * GROUP_BYTES); // (thread,eight columns)
            mbarrier_wait(self.empty(group), (n & 1) ^ 1);
            unroll::<8>(|i| {
                let pair = |row| u128::from(L::pair(dq, row, i as u32));
                part.set((thread, i as u32), pair(0) | pair(1) << 64);
            });
            fence_proxy_async_shared();
            sync_warp(u32::MAX);
            let leader = u32::from(here(thread_idx_x()).is_multiple_of(32));
            mbarrier_arrive_if(self.full(group), leader);
        }
    }

    /// Adds the `n`th block to the sums at `to`.
    ///
    /// # Safety
    /// One thread executes it, the same thread for every block, after [`init`](Self::init). `to` is
    /// a multiple of 16 and names `2 GROUP_BYTES` writable bytes of global memory. Other threads
    /// only add to these bytes.
    #[inline(always)]
    pub unsafe fn reduce(self, n: u32, to: *mut f32) {
        let to = to.cast::<u8>();
        // SAFETY: a part is full after the wait for its barrier. It is written again only after
        // this thread's arrival, which follows the reads of its reduction.
        unsafe {
            mbarrier_wait(self.full(0), n & 1);
            bulk_reduce_add_f32(to, self.block, GROUP_BYTES);
            tma_store_arrive();
            mbarrier_wait(self.full(1), n & 1);
            bulk_reduce_add_f32(
                to.wrapping_add(GROUP_BYTES as usize),
                self.block + GROUP_BYTES,
                GROUP_BYTES,
            );
            tma_store_arrive();
            tma_store_wait::<1>();
            mbarrier_arrive(self.empty(0));
            tma_store_wait::<0>();
            mbarrier_arrive(self.empty(1));
        }
    }

    /// Waits for the end of all reductions of this thread.
    #[inline(always)]
    pub fn finish() {
        tma_store_wait_done::<0>();
    }
}
