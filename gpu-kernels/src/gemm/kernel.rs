//! The body of every kernel: which tiles and steps of k are this block's, and what becomes of the sums.
//!
//! ```text
//!   a tile a block      ├ tile 0 ┤├ tile 1 ┤..        stream-K, 3 blocks of 4 tiles    ├──── 0 ────┼──── 1 ────┼──── 2 ────┤
//!   split-K by 2        ├ 0 ┼ 1 ┤├ 2 ┼ 3 ┤..                                           ├ tile 0 ┤├ tile 1 ┤├ tile 2 ┤├ tile 3 ┤
//! ```
//!
//! Law: every step of every tile is one block's. A tile that several blocks share is stored by the one that finishes last, and
//! it adds what they saved in the order of the steps: the bits of D do not depend on which one it is. No block waits for
//! another.

use super::config::{GemmConfig, Outputs, StagesOf};
use super::operand::{Operand, Whole};
use super::pipeline::Steps;
use super::words::{count, thread_here};
use super::{pipeline, raster};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{
    block_idx_x, block_idx_z, grid_dim_x, grid_dim_z, sync_threads, thread_idx_x,
};
use kernel_abi::gemm::{GemmParams, Major, flags};
use layout_types::prelude::*;
use layout_types::tensor::{Plain, Shared};
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// The addresses of a launch.
#[derive(Clone, Copy)]
pub struct Addresses {
    /// D.
    pub d: *mut u8,
    /// A.
    pub a: *const u8,
    /// B.
    pub b: *const u8,
    /// C.
    pub c: *const u8,
    /// The bias.
    pub bias: *const f32,
    /// Counters and saved parts.
    pub workspace: *mut u8,
}

/// The steps of a launch, and how they are shared out.
struct Shares {
    tiles: u32,
    steps: u32,
    parts: u32,
}

impl Shares {
    /// The first tile, its first step, and the number of steps of block `block` of `blocks`.
    #[inline(always)]
    fn of(&self, block: u32, blocks: u32) -> (u32, u32, u32) {
        if self.parts == 1 {
            return (block, 0, self.steps);
        }
        if self.parts == 0 {
            let (begin, end) = (self.begin(block, blocks), self.begin(block + 1, blocks));
            let (tile, first) = raster::divide(begin, self.steps);
            return (tile, first, end - begin);
        }
        let (tile, part) = raster::divide(block, self.parts);
        let (each, more) = raster::divide(self.steps, self.parts);
        (
            tile,
            part * each + part.min(more),
            each + u32::from(part < more),
        )
    }

    /// Stream-K: the first of a block's steps, all tiles' steps being in a row. Those left over go to the first blocks.
    #[inline(always)]
    fn begin(&self, block: u32, blocks: u32) -> u32 {
        let (each, more) = raster::divide(self.tiles * self.steps, blocks);
        block * each + block.min(more)
    }

    /// Stream-K: the block whose step it is.
    #[inline(always)]
    fn owner(&self, step: u32, blocks: u32) -> u32 {
        let (each, more) = raster::divide(self.tiles * self.steps, blocks);
        let longer = more * (each + 1);
        if step < longer {
            raster::divide(step, each + 1).0
        } else {
            more + raster::divide(step - longer, each).0
        }
    }
}

/// A GEMM of one block.
///
/// # Safety
/// The launch is as [`Configuration::plan`](super::Configuration::plan) says.
#[inline(always)]
pub unsafe fn run<C: GemmConfig>(addresses: Addresses, parameters: GemmParams) {
    let [tile_m, tile_n, tile_k] = C::CONFIGURATION.tile;
    let &GemmParams { m, n, k, .. } = &parameters;
    let (rows, columns) = (m.div_ceil(tile_m), n.div_ceil(tile_n));
    let shares = Shares {
        tiles: rows * columns,
        steps: k.div_ceil(tile_k),
        parts: parameters.k_slices,
    };
    let batch = block_idx_z();
    let (block, blocks) = (block_idx_x(), grid_dim_x());
    let shared = dynamic_shared_offset();
    let (g_a, g_b) = operands::<C>(&addresses, &parameters, batch);
    let (s_a, s_b) = stages::<C>();
    // SAFETY: the plan gives the matrices their extents, strides and alignment.
    let outputs = unsafe { outputs::<C>(&addresses, &parameters, batch) };
    let (mut tile, mut first, mut left) = shares.of(block, blocks);
    loop {
        // Asked for each tile, so that no register holds on to it while a tile is stored.
        let thread = thread_here();
        let state = C::new(thread, &s_a, &s_b);
        let last = (first + left).min(shares.steps);
        let at = raster::linear(tile, (columns, rows), parameters.raster_group);
        let mut steps = Steps::<C> {
            a: C::A::new(g_a, &s_a, (at.0, first), thread),
            b: C::B::new(g_b, &s_b, (at.1, first), thread),
            next: first,
            last: last.max(first + C::Stages::U32) - 1,
        };
        // SAFETY: every thread of the block is here; a barrier stands at the end of each turn.
        unsafe {
            let mut ring = pipeline::open(&state, &mut steps);
            pipeline::multiply(&state, &mut steps, &mut ring, last - first);
        }
        pipeline::close();
        sync_threads();
        // Where k is not split the compiler need not work out that a tile is whole, and the only one.
        let whole = shares.parts == 1 || last - first == shares.steps;
        // SAFETY: the plan gives the workspace; the barrier is behind the last reader of shared memory.
        if whole || unsafe { finish::<C>(&state, &addresses, &shares, (tile, first, last), shared) }
        {
            // SAFETY: as above; one block stores a tile.
            unsafe { state.store(outputs, &parameters, [at.0, at.1], shared) };
        }
        left -= last - first;
        if shares.parts == 1 || left == 0 {
            return;
        }
        (tile, first) = (tile + 1, 0);
        sync_threads();
    }
}

/// Saves this block's sums of the steps `first..last` of a tile. Where all steps have been saved then, the sums become those of
/// all of them, in the order of the steps.
///
/// # Safety
/// Every thread of the block calls it, behind a barrier; the workspace is the plan's.
#[inline(always)]
unsafe fn finish<C: GemmConfig>(
    state: &C,
    addresses: &Addresses,
    shares: &Shares,
    (tile, first, last): (u32, u32, u32),
    shared: u32,
) -> bool {
    let (block, blocks, batch) = (block_idx_x(), grid_dim_x(), block_idx_z());
    let &Shares {
        tiles,
        steps,
        parts,
    } = shares;
    // Two of stream-K's blocks: the one that ends a tile that another began, and the one that begins a tile.
    let slots = if parts == 0 { 2 * blocks } else { blocks };
    // Of the block that owns step `begin` and others of the tile.
    let slot = |block: u32, first: bool| {
        if parts == 0 {
            2 * block + u32::from(first)
        } else {
            block
        }
    };
    let counters = (u64::from(tiles) * u64::from(grid_dim_z()) * 4).next_multiple_of(256);
    // SAFETY: the plan counts the counters and the slots.
    let part = |slot: u32| unsafe {
        let number = u64::from(batch) * u64::from(slots) + u64::from(slot);
        addresses
            .workspace
            .add((counters + number * u64::from(C::CONFIGURATION.partial_bytes)) as usize)
    };
    // SAFETY: a slot is one block's until the counter says that it is written.
    unsafe { state.save(part(slot(block, first == 0))) };
    cuda_std::thread::device_fence();
    sync_threads();
    // SAFETY: the word is this block's, and barriers stand around its use.
    let flag = unsafe { Tensor::<Shared<u32>, layout!(1:1)>::shared(shared) };
    if thread_idx_x() == 0 {
        // SAFETY: the plan gives each tile a counter, which only this function uses.
        let done = unsafe {
            let counter = addresses
                .workspace
                .cast::<u32>()
                .add((batch * tiles + tile) as usize);
            let before = count(counter, last - first);
            if before + (last - first) == steps {
                // For the next launch.
                count(counter, 0u32.wrapping_sub(steps));
            }
            before + (last - first)
        };
        flag.set(0u32, done);
    }
    sync_threads();
    let complete = flag.get(0u32) == steps;
    sync_threads();
    if complete {
        cuda_std::thread::device_fence();
        state.clear();
        let (from, to) = if parts == 0 {
            (
                shares.owner(tile * steps, blocks),
                shares.owner(tile * steps + steps - 1, blocks),
            )
        } else {
            (tile * parts, tile * parts + parts - 1)
        };
        // Group by group: there are no registers for as many sums again.
        unroll_type::<C::Groups>(|group| {
            let mut from = from;
            while from <= to {
                let begins = parts == 0 && shares.begin(from, blocks) <= tile * steps;
                // SAFETY: all parts have been saved, and the fences make them visible.
                unsafe { state.add(group as u32, part(slot(from, begins))) };
                from += 1;
            }
        });
    }
    complete
}

/// The bits of an element of A and B.
pub(super) type Bits<C> = <<C as GemmConfig>::A as Operand>::Bits;

/// The stages of A and of B, one behind the other in the block's shared memory, which the plan gives it.
#[inline(always)]
pub(super) fn stages<C: GemmConfig>() -> (StagesOf<C::A>, StagesOf<C::B>) {
    let shared = dynamic_shared_offset();
    // SAFETY: there is as much as the configuration says. Who reads and writes the stages waits for the barriers of `pipeline`.
    unsafe { (Tensor::shared(shared), Tensor::shared(shared + C::A::BYTES)) }
}

/// The first element of a batch.
#[inline(always)]
unsafe fn element<T: Plain>(address: *const u8, batch: u32, stride: u64) -> *const T {
    // SAFETY: the caller's: the batch is one of the buffer's.
    unsafe {
        address
            .cast::<T>()
            .add((u64::from(batch) * stride) as usize)
    }
}

/// A and B of a batch.
#[inline(always)]
pub(super) fn operands<C: GemmConfig>(
    addresses: &Addresses,
    parameters: &GemmParams,
    batch: u32,
) -> (Whole<Bits<C>>, Whole<Bits<C>>) {
    let &GemmParams { m, n, k, .. } = parameters;
    let majors = C::CONFIGURATION.majors;
    // A load of one element does not ask which elements are its neighbours.
    let any = C::CONFIGURATION.load_bytes == size_of::<Bits<C>>() as u32;
    let strides = |major: Major, flag: u32, ld: u64| {
        let along_k = if any {
            parameters.epilogue & flag == 0
        } else {
            matches!(major, Major::K)
        };
        if along_k { [ld, 1] } else { [1, ld] }
    };
    // SAFETY: the batch is one of the buffers'.
    let (a, b) = unsafe {
        (
            element::<Bits<C>>(addresses.a, batch, parameters.batch_a),
            element::<Bits<C>>(addresses.b, batch, parameters.batch_b),
        )
    };
    (
        Whole {
            pointer: a,
            extents: [m, k],
            strides: strides(majors.a(), flags::A_MN, parameters.lda),
        },
        Whole {
            pointer: b,
            extents: [n, k],
            strides: strides(majors.b(), flags::B_MN, parameters.ldb),
        },
    )
}

/// D, C and the bias of a batch.
#[inline(always)]
pub(super) unsafe fn outputs<C: GemmConfig>(
    addresses: &Addresses,
    parameters: &GemmParams,
    batch: u32,
) -> Outputs {
    let bytes = if parameters.epilogue & (flags::WIDE | flags::INTEGER) == 0 {
        size_of::<C::Narrow>()
    } else {
        4
    };
    let offset = |stride: u64| (u64::from(batch) * stride) as usize * bytes;
    // SAFETY: the batch is one of the buffers'; C is not read where there is none.
    unsafe {
        Outputs {
            d: addresses.d.add(offset(parameters.batch_d)),
            c: addresses.c.wrapping_add(offset(parameters.batch_c)),
            bias: addresses.bias,
        }
    }
}
