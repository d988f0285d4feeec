//! The main loop: a ring of four stages, three of them on their way while one is multiplied.
//!
//! ```text
//!   step   0    1    2    3    4        fill   copies of step s + 3 start
//!   ring  [0]  [1]  [2]  [3]  [0]       wait   copies of step s are done, for this thread; barrier: for all
//! ```
//!
//! Law: after the loop the sums are, for this thread's part of the tile of D, over all k of `A(m, k) B(n, k)`.

use super::STAGES;
use super::layouts::{Element, FragmentA, FragmentB, S2rA, S2rB, Stages, Sums, Tiles};
use super::load::Load;
use cuda_std::thread::sync_threads;
use layout_types::algorithm::{copy, cp_async_fence, cp_async_wait, gemm};
use layout_types::prelude::*;
use layout_types::tensor::Fragment;
use layout_types::tiled::{OperandA, OperandB};

/// Multiplies the tiles of stage `stage` into `sums`.
///
/// # Safety
/// Every thread of the block calls it; both tiles of the stage are complete and stay until the next barrier.
#[inline(always)]
unsafe fn multiply<E: Element>(sums: &Sums, a: &Stages, b: &Stages, stage: u32, thread: u32) {
    let (s2r_a, s2r_b) = (S2rA::get_slice(thread), S2rB::get_slice(thread));
    let t_sa = s2r_a.partition_s(a).slice((__, __, __, stage));
    let t_sb = s2r_b.partition_s(b).slice((__, __, __, stage));
    let r_a = Fragment::<E, FragmentA, OperandA>::new();
    let r_b = Fragment::<E, FragmentB, OperandB>::new();
    // The copies move 16 bits, whichever they are.
    let t_ra = s2r_a.retile_d(&r_a.view().recast::<u16>());
    let t_rb = s2r_b.retile_d(&r_b.view().recast::<u16>());
    unroll::<2>(|k| {
        let k = k as u32;
        // SAFETY: whole warps are here, by the caller's contract.
        unsafe {
            copy(
                S2rA::default(),
                &t_sa.slice((__, __, k)),
                &t_ra.slice((__, __, k)),
            );
            copy(
                S2rB::default(),
                &t_sb.slice((__, __, k)),
                &t_rb.slice((__, __, k)),
            );
            gemm(
                E::Mma::default(),
                &r_a.slice((__, __, k)),
                &r_b.slice((__, __, k)),
                &sums.view(),
            );
        }
    });
}

/// Sums over all of K.
///
/// # Safety
/// Every thread of the block calls it with the same operands, which fit `L`; nobody else uses the stages.
#[inline(always)]
pub unsafe fn sum<E: Element, L: Load>(
    g_a: &Tiles,
    g_b: &Tiles,
    s_a: &Stages,
    s_b: &Stages,
    thread: u32,
) -> Sums {
    let steps = g_a.size::<2>();
    let (a, b) = (L::new(g_a, s_a, thread), L::new(g_b, s_b, thread));
    // SAFETY: a stage is filled only between the barrier after its last reader and the wait and barrier before
    // its next: step s + 3 goes where step s - 1 was, and the barrier of step s is behind every reader of that.
    let fill = |step: u32, stage: u32| unsafe {
        if step < steps {
            a.load(step, stage);
            b.load(step, stage);
        }
        // A group a step, empty ones too: the count of groups is then the count of steps.
        cp_async_fence();
    };
    unroll::<{ STAGES as usize - 1 }>(|stage| fill(stage as u32, stage as u32));
    let sums = Sums::new();
    for step in 0..steps {
        cp_async_wait::<{ STAGES - 2 }>();
        sync_threads();
        fill(step + STAGES - 1, (step + STAGES - 1) % STAGES);
        // SAFETY: the wait and the barrier completed this step's tiles; the next barrier comes after the reads.
        unsafe { multiply::<E>(&sums, s_a, s_b, step % STAGES, thread) };
    }
    sums
}
