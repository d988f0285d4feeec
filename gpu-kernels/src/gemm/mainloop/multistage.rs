//! The multistage mainloop: k tiles prefetched by cp.async into a pipeline of stages, fragments
//! prefetched by one k block.
//!
//! ```text
//!   stage       0    1    2    0    1 ..      one iteration computes the k tile of one stage, here of two k blocks, and issues
//!   MMAs        0.0  0.1  1.0  1.1  2.0 ..    the copy of a later one to the stage before:
//!   ldmatrix 0.0  0.1  1.0  1.1  2.0          load fragments 1 | issue k tile + 2 | commit | MMAs of k block 0
//!                                             wait, barrier | load fragments 0 of the next k tile | MMAs of k block 1
//! ```
//!
//! Law: the mainloop adds the products of the k tiles that the loader copies to this thread's
//! accumulator of D. Each iteration commits one group of copies, even if it is empty, so the number
//! of groups is the number of k tiles. This is why the commit is outside the condition.
//!
//! Source: CuTe `examples/cute/tutorial/sgemm_sm80.cu`.

use crate::gemm::collective::Collective;
use crate::gemm::config::GemmKernel;
use cuda_std::thread::sync_threads;
use layout_types::algorithm::{cp_async_fence, cp_async_wait, cp_async_wait_type};
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// Copies k tiles, one after the other, to the stages that the mainloop names.
pub trait KTileLoader {
    /// Begins to copy the next k tile to `stage`. In the `prologue` it also begins copies past the
    /// last k tile, with zeros.
    ///
    /// # Safety
    /// Nothing else accesses the stage from here until [`finish_load`](Self::finish_load), a wait
    /// and a barrier have passed.
    unsafe fn begin_load(&mut self, stage: u32, prologue: bool);
    /// Finishes the copy that was begun last, to the same stage.
    ///
    /// # Safety
    /// The conditions are those of [`begin_load`](Self::begin_load).
    unsafe fn finish_load(&mut self, stage: u32);
    /// Issues other work that overlaps with the MMAs of k block `k_block`. By default it does
    /// nothing.
    #[inline(always)]
    fn overlap(&mut self, _k_block: u32) {}
}

/// The stages that the mainloop reads and writes next.
pub struct SmemPipe {
    read: u32,
    write: u32,
}

impl SmemPipe {
    /// Returns the stages after a prologue.
    #[inline(always)]
    pub fn new<C: GemmKernel>() -> Self {
        Self {
            read: 0,
            write: C::Stages::U32 - 1,
        }
    }
}

/// Issues the copies of the prologue: `Stages - 1` k tiles.
///
/// # Safety
/// Every thread of the CTA calls it; a barrier has passed since the stages were last read or
/// written.
#[inline(always)]
pub unsafe fn issue_prologue<C: GemmKernel>(loader: &mut impl KTileLoader) {
    // SAFETY: the caller passed a barrier after the last access of the stages, and each stage is
    // written once here. `wait_prologue` and the mainloop wait and pass a barrier before they read
    // a stage.
    unroll_type::<C::Prefetch>(|stage| unsafe {
        loader.begin_load(stage as u32, true);
        loader.finish_load(stage as u32);
        cp_async_fence();
    });
}

/// Waits for the prologue's first k tile and loads the fragments of its first k block.
///
/// # Safety
/// Every thread of the CTA calls it, after [`issue_prologue`].
#[inline(always)]
pub unsafe fn wait_prologue<C: GemmKernel>(collective: &Collective<C>) {
    cp_async_wait_type::<C::InFlight>();
    sync_threads();
    // SAFETY: all lanes of each warp are here; the wait and the barrier completed stage 0.
    unsafe { collective.load_fragments(0, 0) };
}

/// Adds the products of the next `k_tiles` k tiles to the accumulator.
///
/// # Safety
/// Every thread of the CTA calls it with the same `k_tiles`, at least 1, after [`wait_prologue`];
/// nothing else accesses the stages.
#[inline(always)]
pub unsafe fn mainloop<C: GemmKernel>(
    collective: &Collective<C>,
    loader: &mut impl KTileLoader,
    state: &mut SmemPipe,
    k_tiles: u32,
) {
    let stages = C::Stages::U32;
    let mut k_tile = 0;
    while k_tile < k_tiles {
        unroll_type::<C::KBlocks>(|k_block| {
            let (k_block, k_blocks) = (k_block as u32, C::KBlocks::U32);
            if k_block == k_blocks - 1 {
                // SAFETY: `write` is the stage whose load began in this iteration; its readers
                // passed the last barrier.
                unsafe { loader.finish_load(state.write) };
                cp_async_wait_type::<C::InFlight>();
                sync_threads();
                state.write = state.read;
                state.read = if state.read + 1 == stages {
                    0
                } else {
                    state.read + 1
                };
            }
            // SAFETY: all lanes of each warp are here; the last wait and barrier completed stage
            // `read` < `stages`.
            unsafe { collective.load_fragments((k_block + 1) % k_blocks, state.read) };
            if k_block == 0 {
                // SAFETY: all fragments of stage `write` were loaded before the last barrier.
                unsafe { loader.begin_load(state.write, false) };
                cp_async_fence();
            }
            loader.overlap(k_block);
            // SAFETY: all lanes of each warp are here, as every thread of the CTA is.
            unsafe { collective.mma(k_block) };
        });
        k_tile += 1;
    }
}

/// Waits for the cp.async groups issued past the last k tile.
#[inline(always)]
pub fn drain() {
    cp_async_wait::<0>();
}
