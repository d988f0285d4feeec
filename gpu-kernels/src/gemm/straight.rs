//! A tile a block, of which nothing is asked but the product: nothing is asked then of an element either.
//!
//! ```text
//!   whole tiles and steps, plain D     copies, products, stores, and no predicate          1 % faster
//!   else                               super::kernel
//! ```
//!
//! Law: that of [`super::kernel`], and the same bits.

use super::config::{Rounded, whole};
use super::kernel::{Addresses, operands, outputs, stages};
use super::operand::Operand;
use super::pipeline::{Inside, Steps};
use super::words::thread_here;
use super::{kernel, pipeline, raster};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_z, sync_threads};
use kernel_abi::gemm::GemmParams;
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// A GEMM of one block.
///
/// # Safety
/// The launch is as [`Configuration::plan`](super::Configuration::plan) says.
#[inline(always)]
pub unsafe fn run<C: Rounded>(addresses: Addresses, parameters: GemmParams) {
    let count = parameters.k / C::CONFIGURATION.tile[2];
    // The last step reads into the stage behind it, so that each has to be filled once. This way stands first: a GPU fetches
    // ahead what is near a kernel's entry, and waits for instructions elsewhere (`docs/benchmarks.md`).
    if parameters.k_slices == 1 && count >= C::Stages::U32 && whole::<C>(&parameters) {
        // SAFETY: the caller's contract, and what was asked.
        unsafe { tile::<C>(&addresses, &parameters, count) }
    } else {
        // SAFETY: the caller's contract.
        unsafe { kernel::run::<C>(addresses, parameters) }
    }
}

/// The block's tile, of `count` steps.
///
/// # Safety
/// As [`run`]; all tiles and steps lie inside the matrices, and there are as many steps as stages at least.
#[inline(always)]
unsafe fn tile<C: Rounded>(addresses: &Addresses, parameters: &GemmParams, count: u32) {
    let [tile_m, tile_n, _] = C::CONFIGURATION.tile;
    let tiles = (parameters.n / tile_n, parameters.m / tile_m);
    let at = raster::linear(block_idx_x(), tiles, parameters.raster_group);
    let shared = dynamic_shared_offset();
    let thread = thread_here();
    let (g_a, g_b) = operands::<C>(addresses, parameters, block_idx_z());
    let (s_a, s_b) = stages::<C>();
    let state = C::new(thread, &s_a, &s_b);
    let mut steps = Steps::<C> {
        a: C::A::new(g_a, &s_a, (at.0, 0), thread),
        b: C::B::new(g_b, &s_b, (at.1, 0), thread),
        next: 0,
        last: count - 1,
    };
    // SAFETY: every thread of the block is here, and all tiles and steps lie inside the matrices. A barrier stands between the
    // last reader of the stages and the rounding, and between that and its readers; one block stores a tile.
    unsafe {
        let mut steps = Inside(&mut steps);
        let mut ring = pipeline::open(&state, &mut steps);
        pipeline::multiply(&state, &mut steps, &mut ring, count);
        pipeline::close();
        sync_threads();
        state.round(shared);
        sync_threads();
        let outputs = outputs::<C>(addresses, parameters, block_idx_z());
        unroll_type::<C::Columns>(|column| {
            C::send::<true>(outputs, parameters, at, shared, column as u32);
        });
    }
}
