//! Blocks that stay, of whole tiles of many steps: a tile is stored while the first steps of the next are on their way.
//!
//! ```text
//!   copies      │ tile 0 ────────────────────── │ tile 3 ───────────────── ..
//!   products       │ tile 0 ─────────────────────     │ tile 3 ─────────── ..
//!   D                                           │ 0 │                        all at once, from shared memory of its own
//! ```
//!
//! A main loop that stores nothing and asks for no next tile is 8 % faster than one that does ([`super::persistent`]); from
//! [`STEPS`] steps on that is more than what storing a tile takes.
//!
//! Law: that of [`super::kernel`], and the same bits.

use super::config::Rounded;
use super::kernel::{Addresses, operands, outputs, stages};
use super::operand::Operand;
use super::persistent::{Tiles, copies};
use super::pipeline::{self, Inside, Steps};
use super::words::thread_here;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_z, grid_dim_x, sync_threads};
use kernel_abi::gemm::GemmParams;
use layout_types::unroll::unroll_type;

/// From so many steps on it is worth it: with f32 sums both ways take the same time at 10 steps (H200, `docs/benchmarks.md`).
pub const STEPS: u32 = 12;

/// The tiles of one block: `block`, `block + blocks`, ..
///
/// # Safety
/// As [`super::persistent::run`]; all tiles and steps lie inside the matrices, D alone is asked for, and a tile has [`STEPS`] steps
/// at least.
#[inline(always)]
pub unsafe fn run<C: Rounded>(addresses: &Addresses, parameters: &GemmParams, tiles: Tiles) {
    let batch = block_idx_z();
    let mut tile = block_idx_x();
    // SAFETY: the plan gives the matrices their extents, strides and alignment.
    let outputs = unsafe { outputs::<C>(addresses, parameters, batch) };
    let whole = operands::<C>(addresses, parameters, batch);
    let shared = dynamic_shared_offset() + C::A::BYTES + C::B::BYTES;
    let (s_a, s_b) = stages::<C>();
    let state = C::new(thread_here(), &s_a, &s_b);
    let steps_of = |at| {
        let (a, b) = copies::<C>(&whole, at);
        let last = tiles.steps - 1;
        Steps::<C> {
            a,
            b,
            next: 0,
            last,
        }
    };
    let mut at = tiles.at(tile);
    let mut steps = steps_of(at);
    // SAFETY: every thread of the block is here. Barriers stand between the last readers of the stages and their next writers, and
    // on both sides of the rounding; one block stores a tile.
    unsafe {
        pipeline::fill::<C>(&mut Inside(&mut steps));
        loop {
            let mut ring = pipeline::start(&state);
            pipeline::multiply(&state, &mut Inside(&mut steps), &mut ring, tiles.steps);
            pipeline::close();
            sync_threads();
            let done = at;
            tile += grid_dim_x();
            let more = tile < tiles.count();
            if more {
                at = tiles.at(tile);
                steps = steps_of(at);
                pipeline::fill::<C>(&mut Inside(&mut steps));
            }
            state.round(shared);
            sync_threads();
            unroll_type::<C::Columns>(|column| {
                C::send::<true>(outputs, parameters, done, shared, column as u32);
            });
            if !more {
                return;
            }
            state.clear();
        }
    }
}
