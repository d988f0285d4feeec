//! The main loop: a ring of stages in shared memory, and of each stage's k two parts in registers.
//!
//! ```text
//!   step     0                1                2           a turn of the loop, of 2 blocks of k:
//!   shared   [0]──[1]──[2]    [1]──[2]──[0]    ...           read block 1 | begin step + 2 | fence | multiply block 0
//!   reads    0.0  0.1         1.0  1.1                       wait, barrier | read block 0 of the next step | multiply block 1
//! ```
//!
//! Law: after the loop the sums are, for this thread's part of the tile of D, over the k of the steps `first..last` of
//! `A(m, k) B(k, n)`. A group of copies is closed in every turn, an empty one too, so that a count of groups is a count of
//! steps: this is why the fence stands outside the condition.
//!
//! Source: CuTe `examples/cute/tutorial/sgemm_sm80.cu`.

use super::config::GemmConfig;
use super::operand::Operand;
use cuda_std::thread::sync_threads;
use layout_types::algorithm::{cp_async_fence, cp_async_wait};
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// Adds the products of the steps `first..last` to the sums of `tile`, a thread's registers.
///
/// # Safety
/// Every thread of the block calls it with the same steps, at least one; nobody else uses the stages, whose readers and
/// writers of before have passed a barrier.
#[inline(always)]
pub unsafe fn multiply<C: GemmConfig>(
    tile: &C,
    a: &mut C::A,
    b: &mut C::B,
    [first, last]: [u32; 2],
) {
    let stages = C::Stages::U32;
    let mut next = first;
    // Behind the last step of K, zeros are copied, and nothing is read.
    //
    // SAFETY: a stage is filled only between the barrier behind its last reader and the wait and barrier before its next.
    unroll_type::<C::Ahead>(|stage| unsafe {
        a.begin(next, stage as u32);
        b.begin(next, stage as u32);
        a.finish(stage as u32);
        b.finish(stage as u32);
        cp_async_fence();
        next += 1;
    });
    let (mut read, mut write) = (0, stages - 1);
    C::wait();
    sync_threads();
    // SAFETY: whole warps are here, and the wait and the barrier completed the first stage.
    unsafe { tile.read(0, read) };
    let mut step = first;
    while step < last {
        unroll_type::<C::Blocks>(|block| {
            let (block, blocks) = (block as u32, C::Blocks::U32);
            if block == blocks - 1 {
                // SAFETY: as above.
                unsafe {
                    a.finish(write);
                    b.finish(write);
                }
                C::wait();
                sync_threads();
                write = read;
                read = if read + 1 == stages { 0 } else { read + 1 };
            }
            if !C::FILL_FIRST || block != 0 {
                // SAFETY: whole warps are here; the stage is complete by the last wait and barrier.
                unsafe { tile.read((block + 1) % blocks, read) };
            }
            if block == 0 {
                // One more than is multiplied: the last step reads into the stage behind it.
                if next <= last {
                    // SAFETY: as above.
                    unsafe {
                        a.begin(next, write);
                        b.begin(next, write);
                    }
                }
                cp_async_fence();
                next += 1;
            }
            if C::FILL_FIRST && block == 0 {
                // SAFETY: as above.
                unsafe { tile.read((block + 1) % blocks, read) };
            }
            // SAFETY: whole warps are here.
            unsafe { tile.multiply(block) };
        });
        step += 1;
    }
    // What was filled in vain is under way still.
    cp_async_wait::<0>();
}
