//! Blocks that stay: each computes every so manieth tile, and stores one while it multiplies the next.
//!
//! ```text
//!   copies      │ tile 0 ─────────── │ tile 3 ─────────── │ tile 6 ..     the ring of stages never runs empty
//!   products       │ tile 0 ─────────── │ tile 3 ─────────── │ tile 6 ..
//!   sums                              ▼ 0                  ▼ 3            rounded, to shared memory of their own
//!   D                                 │ 0 0 0 0            │ 3 3 3 3      from there, a few chunks in each step
//! ```
//!
//! Tiles of many steps are the matter of [`super::long`].
//!
//! Law: that of [`super::kernel`], of whole tiles. Between the writers of a chunk and its readers stands a barrier, both ways:
//! the one behind the rounding, and the one of the last step, before which all chunks of the tile before have been read.

use super::config::{GemmConfig, Outputs, Rounded, plain, whole};
use super::kernel::{Addresses, Bits, operands, outputs, stages};
use super::operand::{Operand, Whole};
use super::pipeline::{self, Feed};
use super::words::thread_here;
use super::{long, raster};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_z, grid_dim_x, sync_threads};
use kernel_abi::gemm::GemmParams;
use typenum::Unsigned;

/// The tiles of D.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    columns: u32,
    rows: u32,
    /// Rows of tiles in a group.
    group: u32,
    /// Steps of k.
    pub(super) steps: u32,
}
impl Tiles {
    #[inline(always)]
    fn of<C: GemmConfig>(parameters: &GemmParams) -> Self {
        let [tile_m, tile_n, tile_k] = C::CONFIGURATION.tile;
        Self {
            rows: parameters.m.div_ceil(tile_m),
            columns: parameters.n.div_ceil(tile_n),
            group: parameters.raster_group,
            steps: parameters.k.div_ceil(tile_k),
        }
    }
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.columns * self.rows
    }
    /// The row and the column of a tile.
    #[inline(always)]
    pub(super) fn at(&self, tile: u32) -> (u32, u32) {
        raster::linear(tile, (self.columns, self.rows), self.group)
    }
}

/// A tile on its way from shared memory to D.
struct Departing<'a> {
    outputs: Outputs,
    parameters: &'a GemmParams,
    /// Where it is in shared memory, and which it is.
    shared: u32,
    tile: (u32, u32),
    /// Its columns of chunks that have been stored; all, if there is none.
    sent: u32,
}
impl Departing<'_> {
    /// Stores the next column, if there is one left.
    ///
    /// # Safety
    /// A barrier stands between the tile's writers and this. It lies inside D where `INSIDE` says so.
    #[inline(always)]
    unsafe fn send<C: Rounded, const INSIDE: bool>(&mut self) {
        if self.sent < C::Columns::U32 {
            let &mut Self {
                outputs,
                parameters,
                shared,
                tile,
                sent,
            } = self;
            // SAFETY: the caller's contract; no other block stores the tile.
            unsafe { C::send::<INSIDE>(outputs, parameters, tile, shared, sent) };
            self.sent += 1;
        }
    }
    /// Stores all that is left.
    ///
    /// # Safety
    /// As [`send`](Self::send).
    #[inline(always)]
    unsafe fn send_all<C: Rounded, const INSIDE: bool>(&mut self) {
        while self.sent < C::Columns::U32 {
            // SAFETY: the caller's contract.
            unsafe { self.send::<C, INSIDE>() };
        }
    }
}

/// The steps of all of a block's tiles, in a row; all tiles and steps lie inside the matrices where `INSIDE` says so.
struct Walk<'a, C: GemmConfig, const INSIDE: bool> {
    a: C::A,
    b: C::B,
    whole: (Whole<Bits<C>>, Whole<Bits<C>>),
    tiles: Tiles,
    /// The tile whose steps are copied, its place and that of the one before it, and the next of its steps.
    tile: u32,
    at: (u32, u32),
    before: (u32, u32),
    next: u32,
    departing: Departing<'a>,
}
/// The copies of a tile's steps.
#[inline(always)]
pub(super) fn copies<C: GemmConfig>(
    (a, b): &(Whole<Bits<C>>, Whole<Bits<C>>),
    (row, column): (u32, u32),
) -> (C::A, C::B) {
    let thread = thread_here();
    let (s_a, s_b) = stages::<C>();
    (
        C::A::new(*a, &s_a, (row, 0), thread),
        C::B::new(*b, &s_b, (column, 0), thread),
    )
}
impl<C: Rounded, const INSIDE: bool> Feed for Walk<'_, C, INSIDE> {
    #[inline(always)]
    unsafe fn begin(&mut self, stage: u32, _first: bool) {
        if self.next == self.tiles.steps {
            self.before = self.at;
            let tile = self.tile + grid_dim_x();
            if tile < self.tiles.count() {
                (self.tile, self.next, self.at) = (tile, 0, self.tiles.at(tile));
                (self.a, self.b) = copies::<C>(&self.whole, self.at);
            }
        }
        // Behind the last tile's last step nothing is read.
        //
        // SAFETY: the caller's contract.
        unsafe {
            if !INSIDE {
                self.a.begin(self.next, stage);
                self.b.begin(self.next, stage);
            } else if self.next < self.tiles.steps {
                self.a.begin_inside(self.next, stage);
                self.b.begin_inside(self.next, stage);
            }
        }
        self.a.advance();
        self.b.advance();
        self.next += 1;
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
            unsafe { self.departing.send::<C, INSIDE>() };
        }
    }
}

/// The tiles of one block: `block`, `block + blocks`, ..
///
/// # Safety
/// The launch is as [`Configuration::plan`](super::Configuration::plan) says.
#[inline(always)]
pub unsafe fn run<C: Rounded>(addresses: Addresses, parameters: GemmParams) {
    let tiles = Tiles::of::<C>(&parameters);
    // Each stage has to be filled once, and the copies must not be two tiles ahead. What asks nothing stands first, as in
    // `straight`.
    let each = if tiles.count() < 2 * grid_dim_x() {
        1
    } else {
        2
    } * tiles.steps;
    if tiles.steps >= long::STEPS && whole::<C>(&parameters) {
        // SAFETY: the caller's contract, and what was asked.
        unsafe { long::run::<C>(&addresses, &parameters, tiles) }
    } else if tiles.steps >= C::Stages::U32 - 1 && each >= C::Stages::U32 && whole::<C>(&parameters)
    {
        // SAFETY: the caller's contract, and what was asked.
        unsafe { walk::<C, true>(addresses, &parameters, tiles) }
    } else {
        // SAFETY: the caller's contract.
        unsafe { walk::<C, false>(addresses, &parameters, tiles) }
    }
}

/// The same, of tiles of which is known whether they lie inside the matrices.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn walk<C: Rounded, const INSIDE: bool>(
    addresses: Addresses,
    parameters: &GemmParams,
    tiles: Tiles,
) {
    let batch = block_idx_z();
    let mut tile = block_idx_x();
    let at = tiles.at(tile);
    // SAFETY: the plan gives the matrices their extents, strides and alignment.
    let outputs = unsafe { outputs::<C>(&addresses, parameters, batch) };
    let whole = operands::<C>(&addresses, parameters, batch);
    let (a, b) = copies::<C>(&whole, at);
    let mut walk = Walk::<C, INSIDE> {
        a,
        b,
        whole,
        tiles,
        tile,
        at,
        before: at,
        next: 0,
        departing: Departing {
            outputs,
            parameters,
            shared: dynamic_shared_offset() + C::A::BYTES + C::B::BYTES,
            tile: at,
            sent: C::Columns::U32,
        },
    };
    let (s_a, s_b) = stages::<C>();
    let state = C::new(thread_here(), &s_a, &s_b);
    let plain = INSIDE || plain(parameters);
    // SAFETY: every thread of the block is here.
    let mut ring = unsafe { pipeline::open(&state, &mut walk) };
    loop {
        // SAFETY: as above.
        unsafe { pipeline::multiply(&state, &mut walk, &mut ring, tiles.steps) };
        // Where all lies inside, there are steps enough for the copies to be just one tile ahead.
        let at = if INSIDE { walk.before } else { tiles.at(tile) };
        let departing = &mut walk.departing;
        if plain {
            if departing.sent < C::Columns::U32 {
                // Steps so few that there was no time for it. The barriers are all threads'.
                //
                // SAFETY: behind the barrier behind its rounding.
                unsafe { departing.send_all::<C, INSIDE>() };
                sync_threads();
            }
            // SAFETY: all chunks of the tile before have been read, and a barrier has passed.
            unsafe { state.round(departing.shared) };
            (departing.tile, departing.sent) = (at, 0);
            sync_threads();
        } else {
            // SAFETY: barriers stand in it, the last behind the last reader; one block stores a tile.
            unsafe { state.store(outputs, parameters, [at.0, at.1], departing.shared) };
        }
        tile += grid_dim_x();
        if tile >= tiles.count() {
            break;
        }
        state.clear();
    }
    pipeline::close();
    // SAFETY: behind the barrier behind its rounding.
    unsafe { walk.departing.send_all::<C, INSIDE>() };
}
