//! Blocks that stay: each computes every so manieth tile, and stores one while it multiplies the next.
//!
//! ```text
//!   copies      │ tile 0 ─────────── │ tile 3 ─────────── │ tile 6 ..     the ring of stages never runs empty
//!   products       │ tile 0 ─────────── │ tile 3 ─────────── │ tile 6 ..
//!   sums                              ▼ 0                  ▼ 3            rounded, to shared memory of their own
//!   D                                 │ 0 0 0 0            │ 3 3 3 3      from there, a few chunks in each step
//! ```
//!
//! Law: that of [`super::kernel`], of whole tiles. Between the writers of a chunk and its readers stands a barrier, both ways:
//! the one behind the rounding, and the one of the last step, before which all chunks of the tile before have been read.

use super::abi::{Parameters, flags};
use super::config::{GemmConfig, Outputs, Persistent};
use super::kernel::{Addresses, Bits, operands, outputs};
use super::operand::{Operand, Whole};
use super::pipeline::{self, Feed};
use super::raster;
use super::words::thread_here;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_z, grid_dim_x, sync_threads};
use layout_types::prelude::*;
use layout_types::tensor::Shared;

/// The tiles of D.
#[derive(Clone, Copy)]
struct Tiles {
    columns: u32,
    rows: u32,
    /// Rows of tiles in a group.
    group: u32,
    /// Steps of k.
    steps: u32,
}
impl Tiles {
    #[inline(always)]
    fn count(&self) -> u32 {
        self.columns * self.rows
    }
    /// The row and the column of a tile.
    #[inline(always)]
    fn at(&self, tile: u32) -> (u32, u32) {
        raster::linear(tile, (self.columns, self.rows), self.group)
    }
}

/// A tile on its way from shared memory to D.
struct Departing<'a> {
    outputs: Outputs,
    parameters: &'a Parameters,
    /// Where it is in shared memory, and which it is.
    shared: u32,
    tile: (u32, u32),
    /// Its chunks that have been stored; all, if there is none.
    sent: u32,
}
impl Departing<'_> {
    /// Stores the next chunks, if there are any left.
    ///
    /// # Safety
    /// A barrier stands between the tile's writers and this.
    #[inline(always)]
    unsafe fn send<C: Persistent>(&mut self) {
        if self.sent < C::CHUNKS {
            // SAFETY: the caller's contract; no other block stores the tile.
            unsafe {
                C::send(
                    self.outputs,
                    self.parameters,
                    self.tile,
                    self.shared,
                    self.sent,
                );
            }
            self.sent += C::AT_ONCE;
        }
    }
}

/// The steps of all of a block's tiles, in a row.
struct Walk<'a, C: GemmConfig> {
    a: C::A,
    b: C::B,
    whole: (Whole<Bits<C>>, Whole<Bits<C>>),
    tiles: Tiles,
    /// The tile whose steps are copied, and the next of them.
    tile: u32,
    next: u32,
    departing: Departing<'a>,
}
impl<C: GemmConfig> Walk<'_, C> {
    /// The copies of a tile's steps.
    #[inline(always)]
    fn copies(
        (a, b): &(Whole<Bits<C>>, Whole<Bits<C>>),
        (row, column): (u32, u32),
    ) -> (C::A, C::B) {
        let shared = dynamic_shared_offset();
        let thread = thread_here();
        // SAFETY: the plan gives the block its shared memory.
        unsafe {
            let s_a = Tensor::<Shared<Bits<C>>, <C::A as Operand>::Stages>::shared(shared);
            let s_b =
                Tensor::<Shared<Bits<C>>, <C::B as Operand>::Stages>::shared(shared + C::A::BYTES);
            (
                C::A::new(*a, &s_a, (row, 0), thread),
                C::B::new(*b, &s_b, (column, 0), thread),
            )
        }
    }
}
impl<C: Persistent> Feed for Walk<'_, C> {
    #[inline(always)]
    unsafe fn begin(&mut self, stage: u32, _first: bool) {
        // Behind the last tile's last step, zeros are copied, and nothing is read.
        //
        // SAFETY: the caller's contract.
        unsafe {
            self.a.begin(self.next, stage);
            self.b.begin(self.next, stage);
        }
        self.next += 1;
        if self.next == self.tiles.steps && self.tile + grid_dim_x() < self.tiles.count() {
            self.tile += grid_dim_x();
            self.next = 0;
            (self.a, self.b) = Self::copies(&self.whole, self.tiles.at(self.tile));
        }
    }
    #[inline(always)]
    unsafe fn finish(&mut self, stage: u32) {
        // SAFETY: the caller's contract.
        unsafe {
            self.a.finish(stage);
            self.b.finish(stage);
        }
    }
    #[inline(always)]
    fn beside(&mut self, block: u32) {
        if block == 1 || block == 2 {
            // SAFETY: the barrier behind the rounding has passed.
            unsafe { self.departing.send::<C>() };
        }
    }
}

/// The tiles of one block: `block`, `block + blocks`, ..
///
/// # Safety
/// The launch is as [`Configuration::plan`](super::Configuration::plan) says.
#[inline(always)]
pub unsafe fn run<C: Persistent>(addresses: Addresses, parameters: Parameters) {
    let [tile_m, tile_n, tile_k] = C::CONFIGURATION.tile;
    let tiles = Tiles {
        rows: parameters.m.div_ceil(tile_m),
        columns: parameters.n.div_ceil(tile_n),
        group: parameters.group,
        steps: parameters.k.div_ceil(tile_k),
    };
    let batch = block_idx_z();
    let mut tile = block_idx_x();
    let shared = dynamic_shared_offset();
    // SAFETY: the plan gives the matrices their extents, strides and alignment.
    let outputs = unsafe { outputs::<C>(&addresses, &parameters, batch) };
    let whole = operands::<C>(&addresses, &parameters, batch);
    let (a, b) = Walk::<C>::copies(&whole, tiles.at(tile));
    let mut walk = Walk::<C> {
        a,
        b,
        whole,
        tiles,
        tile,
        next: 0,
        departing: Departing {
            outputs,
            parameters: &parameters,
            shared: shared + C::A::BYTES + C::B::BYTES,
            tile: (0, 0),
            sent: C::CHUNKS,
        },
    };
    // SAFETY: the plan gives the block its shared memory.
    let state = unsafe {
        let s_a = Tensor::<Shared<Bits<C>>, <C::A as Operand>::Stages>::shared(shared);
        let s_b =
            Tensor::<Shared<Bits<C>>, <C::B as Operand>::Stages>::shared(shared + C::A::BYTES);
        C::new(thread_here(), &s_a, &s_b)
    };
    let plain = parameters.epilogue & (flags::WIDE | flags::GENERAL) == 0
        && parameters.epilogue & flags::VECTORS != 0;
    // SAFETY: every thread of the block is here.
    let mut ring = unsafe { pipeline::open(&state, &mut walk) };
    loop {
        // SAFETY: as above.
        unsafe { pipeline::multiply(&state, &mut walk, &mut ring, tiles.steps) };
        let departing = &mut walk.departing;
        let at = tiles.at(tile);
        if plain {
            if departing.sent < C::CHUNKS {
                // Steps so few that there was no time for it. The barriers are all threads'.
                while departing.sent < C::CHUNKS {
                    // SAFETY: behind the barrier behind its rounding.
                    unsafe { departing.send::<C>() };
                }
                sync_threads();
            }
            // SAFETY: all chunks of the tile before have been read, and a barrier has passed.
            unsafe { state.round(departing.shared) };
            departing.tile = at;
            departing.sent = 0;
            sync_threads();
        } else {
            // SAFETY: barriers stand in it, the last behind the last reader; one block stores a tile.
            unsafe { state.store(outputs, &parameters, [at.0, at.1], departing.shared) };
        }
        tile += grid_dim_x();
        if tile >= tiles.count() {
            break;
        }
        state.clear();
    }
    pipeline::close();
    while walk.departing.sent < C::CHUNKS {
        // SAFETY: behind the barrier behind its rounding.
        unsafe { walk.departing.send::<C>() };
    }
}
