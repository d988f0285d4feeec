//! The epilogue of a warp stores the accumulator to D, 16 rows and 64 columns at a time.
//!
//! ```text
//!   accumulator ─ f32 ─ operation (C, bias) ─┬─ 16 bits ─ stmatrix ─► buffer i % 2 (64,64), 128-byte swizzle ─ TMA ─► D
//!                                            │                                                       or added to D, by REDUCE
//!                                            ├─ f32 ────────────────► both buffers, (64,32) each ────────────── TMA ─► D
//!                                            ├─ f32, fewer than 64 columns ─ 16 bytes a lane ────────────────────────► D
//!                                            ├─ 8 bits ─────────────► buffer i % 2 ─ 16 bytes a thread ──────────────► D
//!                                            ├─ a group's last rows ── 16 bytes a thread, no rows of the next group ──► D
//!                                            ├─ rows of D not aligned to 16 bytes: stored element by element ────────► D
//!                                            └─ D transposed ─ stmatrix.trans ─► 16 elements of a row ─ 16 bytes a lane ► D
//! ```
//!
//! Only one warp of a group uses its 16 rows of every buffer, so no warp waits for another.
//!
//! Law: every element of D in bounds is stored once. While TMA reads a buffer, the warp fills the
//! next buffer and continues with the products of its next tile.

use super::cluster::Slice;
use super::config::{AccumulatorPairs, CollectiveConfig};
use super::staged::{BUFFER_BYTES, BUFFERS, SmemColumns, StagedD, TypeOfD, stage_halves};
use super::tile_scheduler::{TileAt, TileScheduler};
use crate::warp_group::thread_in_group;
use core::marker::PhantomData;
use cuda_std::warp::sync_warp;
use gpu_kernels::gemm::epilogue::element::ElementD;
use gpu_kernels::gemm::epilogue::op::{EpilogueOp, EpilogueValues};
use gpu_kernels::gemm::params::KernelPointers;
use half::bf16;
use kernel_abi::gemm::{GemmParams, flags};
use layout_types::arch::barrier::fence_proxy_async_shared;
use layout_types::arch::cluster_sm90::elect_one_sync;
use layout_types::arch::copy::{load_shared_b128, store_global_b128};
use layout_types::arch::copy_sm90_bulk::{tma_store_arrive, tma_store_wait};
use layout_types::arch::copy_sm90_tma::{ReduceAdd, TensorMap, tma_reduce_3d, tma_store_3d};
use layout_types::arch::mov::here;
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::atom::mma::{MmaAtom, Sm90_64x64x16_F32F16F16_SS};
use layout_types::prelude::*;
use layout_types::unroll::{unroll, unroll_type};

/// The layout of a consumer group's staged D of f32: (M, N, buffers).
pub type SmemWide = TileToShape<LayoutKSw128Atom<f32>, shape!((64, 32, 2))>;

/// Maps (thread, value) of a chunk to (row, column), for 64 columns of any accumulator of `wgmma`.
pub(super) type Chunk = <Sm90_64x64x16_F32F16F16_SS as MmaAtom>::CLayout;

/// The mask of all lanes of a warp.
const WARP: u32 = u32::MAX;

/// The state with which a consumer group stores tiles.
pub struct Epilogue<'a> {
    /// D, C and the bias.
    pub pointers: KernelPointers,
    /// The parameters.
    pub params: &'a GemmParams,
    /// D's tensor map, in boxes of 16 rows of 128 bytes.
    pub map: &'a TensorMap,
    /// The buffers of both groups in shared memory.
    pub staged: u32,
    /// The group, 0 or 1.
    pub group: u32,
    /// The buffer of the next chunk. It changes with each chunk that is stored, not with those that
    /// are skipped.
    pub buffer: u32,
}

/// A thread's pairs of neighbouring values in 64 rows and 64 columns: two rows of eight pairs.
pub(super) const PAIRS: usize = 16;

/// A thread's values in one row and 64 columns. Pair `right` has column `column + 8 right` and the
/// next column.
struct Row<'a, C> {
    values: [[f32; 2]; PAIRS / 2],
    pointers: &'a KernelPointers,
    params: &'a GemmParams,
    row: u32,
    column: u32,
    configuration: PhantomData<C>,
}

impl<C: CollectiveConfig> Row<'_, C> {
    /// Replaces each value by `f` of the value and of the element in its column. `load` reads that
    /// element if it is in bounds; otherwise it is 0.
    #[inline(always)]
    fn zip(&mut self, rows: u32, load: impl Fn(usize) -> f32, f: impl Fn(f32, f32) -> f32) {
        unroll::<{ PAIRS / 2 }>(|right| {
            if right >= const { C::CHUNK as usize / 8 } {
                return;
            }
            unroll::<2>(|next| {
                let column = 8 * right + next;
                let is_inside = self.row < rows && self.column + (column as u32) < self.params.n;
                let other = if is_inside { load(column) } else { 0.0 };
                let value = &mut self.values[right][next];
                *value = f(*value, other);
            });
        });
    }

    /// Loads C's elements for the row's pairs by one load per pair. All loads are in bounds and
    /// come before the first use. A pair after the last column gets the elements of another pair of
    /// the row, and its sum is not stored. A row out of bounds loads nothing, also not from another
    /// row: if D is C, another warp may be writing the last row.
    ///
    /// # Safety
    /// The flags say that there is a C whose elements have the bits `T`, in rows of whole vectors.
    #[inline(always)]
    unsafe fn pairs_of_c<T: Copy>(&self, value: impl Fn(T) -> f32) -> [[f32; 2]; PAIRS / 2] {
        let params = self.params;
        let mut pairs = [[0.0; 2]; PAIRS / 2];
        if self.row >= params.m {
            return pairs;
        }
        let first = params.batch_c + u64::from(self.row) * params.ldc;
        let of_row = self
            .pointers
            .c
            .wrapping_add(first as usize * const { size_of::<T>() });
        unroll::<{ PAIRS / 2 }>(|right| {
            if right < const { C::CHUNK as usize / 8 } {
                // The column is even, because the number of columns is even.
                let column = (self.column + 8 * right as u32).min(params.n - 2);
                let at = of_row.wrapping_add(column as usize * const { size_of::<T>() });
                // SAFETY: the row is in bounds by the test, and the column by the minimum. A vector
                // has an even number of elements, so the pair is aligned.
                pairs[right] = unsafe { load_pair::<T>(at) }.map(&value);
            }
        });
        pairs
    }
}

impl<C: CollectiveConfig> EpilogueValues for Row<'_, C> {
    #[inline(always)]
    fn map(&mut self, f: impl Fn(f32) -> f32) {
        unroll::<{ PAIRS / 2 }>(|right| self.values[right] = self.values[right].map(&f));
    }
    #[inline(always)]
    fn with_c(&mut self, f: impl Fn(f32, f32) -> f32) {
        let Self {
            pointers,
            params,
            row,
            column,
            ..
        } = *self;
        let ty = type_of_d::<C>(params);
        if !const { C::SWAPPED } && params.epilogue & flags::VECTORS != 0 {
            // SAFETY: the flags say that there is a C in whole vectors of elements of this type, by
            // the plan.
            let pairs = unsafe {
                match ty {
                    TypeOfD::Wide => self.pairs_of_c(|bits: f32| bits),
                    TypeOfD::Bf16 => self.pairs_of_c(bf16::value),
                    TypeOfD::Same => self.pairs_of_c(C::D::value),
                }
            };
            unroll::<{ PAIRS / 2 }>(|right| {
                unroll::<2>(|next| {
                    let value = &mut self.values[right][next];
                    *value = f(*value, pairs[right][next]);
                });
            });
            return;
        }
        // The elements from one column to the next. If D is transposed, this is the length of a row
        // of C.
        let (stride, along_row) = if const { C::SWAPPED } {
            (params.ldc as usize, (column, row))
        } else {
            (1, (row, column))
        };
        let (row_of_c, column_of_c) = along_row;
        let first = params.batch_c + u64::from(row_of_c) * params.ldc + u64::from(column_of_c);
        // All columns have constant offsets from one address.
        let of_row = pointers.c.wrapping_add(
            first as usize
                * match ty {
                    TypeOfD::Wide => 4,
                    TypeOfD::Bf16 => 2,
                    TypeOfD::Same => const { size_of::<<C::D as ElementD>::Bits>() },
                },
        );
        // SAFETY: the flags say that there is a C, by the plan, and `load` is called only for
        // elements in bounds.
        let load = |column: usize| unsafe {
            let column = column * stride;
            match ty {
                TypeOfD::Wide => *of_row.cast::<f32>().add(column),
                TypeOfD::Bf16 => bf16::value(*of_row.cast::<u16>().add(column)),
                TypeOfD::Same => {
                    C::D::value(*of_row.cast::<<C::D as ElementD>::Bits>().add(column))
                }
            }
        };
        self.zip(params.m, load, f);
    }
    #[inline(always)]
    fn with_bias(&mut self, f: impl Fn(f32, f32) -> f32) {
        if const { C::SWAPPED } {
            let bias = if self.row < self.params.m {
                // SAFETY: the flags say that there is a bias with a number for each row of D
                // transposed, by the plan, and the row is in bounds.
                unsafe { *self.pointers.bias.wrapping_add(self.row as usize) }
            } else {
                0.0
            };
            self.map(|value| f(value, bias));
            return;
        }
        let of_column = self.pointers.bias.wrapping_add(self.column as usize);
        // SAFETY: the flags say that there is a bias of `n` numbers, by the plan, and `load` is
        // called only for columns below `n`.
        self.zip(u32::MAX, |column| unsafe { *of_column.add(column) }, f);
    }
}

impl Epilogue<'_> {
    /// Stores the group's rows of a tile, the first of which is `tile.row`. If the tile is split,
    /// stores only the chunks that `slice` owns.
    ///
    /// # Safety
    /// All warps of the group execute it. Every store that still reads the group's buffers has been
    /// committed by the warps' elected lanes. D is writable as the parameters say, and C and the
    /// bias are readable if the flags say that they exist. Nothing else writes the tile.
    #[inline(always)]
    pub unsafe fn store<C: CollectiveConfig, const ATOMS: usize>(
        &mut self,
        registers: &[C::Registers; ATOMS],
        tile: TileAt,
        slice: Slice,
    ) {
        // SAFETY: the caller brings all warps and free buffers. By the plan D is writable, and C
        // and the bias are readable.
        unsafe {
            // The most common epilogue has a path of its own, so that its instructions lie
            // together.
            if !const { C::SWAPPED } && is_plain::<C>(self.params) {
                self.store_plain::<C, ATOMS>(registers, tile, slice);
            } else {
                self.store_general::<C, ATOMS>(registers, tile, slice);
            }
        }
    }

    /// Stores the accumulator without an operation: in D's type by TMA, or integers clamped to a
    /// byte.
    ///
    /// # Safety
    /// The conditions are those of [`store`](Self::store), and [`is_plain`] holds.
    #[inline(always)]
    unsafe fn store_plain<C: CollectiveConfig, const ATOMS: usize>(
        &mut self,
        registers: &[C::Registers; ATOMS],
        tile: TileAt,
        slice: Slice,
    ) {
        unroll_type::<C::Atoms>(|atom| {
            unroll_type::<C::Chunks>(|chunk| {
                let left = tile.column + C::CHUNK * chunk as u32;
                if left >= self.right::<C>(tile)
                    || (C::CLUSTER_SPLIT && !slice.owns(chunk, const { C::CHUNK_COUNT }))
                {
                    return;
                }
                let mut values = [[0.0; 2]; PAIRS];
                unroll::<PAIRS>(|pair| {
                    if pair < const { C::CHUNK as usize / 4 } {
                        let bits = registers[atom].pair(C::CHUNK as usize / 4 * chunk + pair);
                        let pair_of = [bits as u32, (bits >> 32) as u32];
                        values[pair] = if const { C::Registers::IS_INTEGER } {
                            pair_of.map(f32::from_bits)
                        } else {
                            pair_of.map(value::<C>)
                        };
                    }
                });
                let top = tile.row + 64 * atom as u32;
                // SAFETY: the caller of `store` brings all warps, a free buffer and a writable D,
                // which has this chunk.
                unsafe {
                    if const { C::Registers::IS_INTEGER } {
                        self.stage::<C, true>(&values, TypeOfD::Same);
                        let params = GemmParams {
                            batch_d: self.params.batch_d.wrapping_mul(u64::from(tile.batch)),
                            ..*self.params
                        };
                        self.store_vectors::<C>(&params, (top, left));
                    } else {
                        self.stage::<C, false>(&values, plain_type::<C>());
                        self.store_rows::<C>((top, left), tile, plain_type::<C>());
                    }
                }
            });
        });
    }

    /// Applies the operation and stores its results.
    ///
    /// # Safety
    /// The conditions are those of [`store`](Self::store).
    #[inline(always)]
    unsafe fn store_general<C: CollectiveConfig, const ATOMS: usize>(
        &mut self,
        registers: &[C::Registers; ATOMS],
        tile: TileAt,
        slice: Slice,
    ) {
        unroll_type::<C::Atoms>(|atom| {
            let top = tile.row + 64 * atom as u32;
            unroll_type::<C::Chunks>(|chunk| {
                let left = tile.column + C::CHUNK * chunk as u32;
                if left >= self.right::<C>(tile) {
                    return;
                }
                if const { C::CLUSTER_SPLIT } && !slice.owns(chunk, const { C::CHUNK_COUNT }) {
                    return;
                }
                // The parameters are read here for each chunk. Otherwise the compiler would derive
                // values from the flags for all chunks at once, which needs too many registers.
                let params = GemmParams {
                    m: here(tile.end),
                    n: here(self.right::<C>(tile)),
                    epilogue: here(self.params.epilogue),
                    batch_c: self
                        .params
                        .batch_c
                        .wrapping_mul(u64::from(here(tile.batch))),
                    batch_d: self
                        .params
                        .batch_d
                        .wrapping_mul(u64::from(here(tile.batch))),
                    ldc: here(self.params.ldc),
                    ..*self.params
                };
                let place: u32 = Chunk::at((thread_in_group(), 0u32));
                let mut values = [[0.0; 2]; PAIRS];
                unroll::<2>(|below| {
                    let mut row = Row {
                        values: [[0.0; 2]; PAIRS / 2],
                        pointers: &self.pointers,
                        params: &params,
                        row: top + place % 64 + 8 * below as u32,
                        column: left + place / 64,
                        configuration: PhantomData::<C>,
                    };
                    unroll::<{ PAIRS / 2 }>(|right| {
                        if right < const { C::CHUNK as usize / 8 } {
                            let first = C::CHUNK as usize / 4 * chunk;
                            let bits = registers[atom].pair(first + 2 * right + below);
                            let pair = [bits as u32, (bits >> 32) as u32];
                            row.values[right] = if is_raw::<C>(&params) {
                                pair.map(f32::from_bits)
                            } else {
                                pair.map(value::<C>)
                            };
                        }
                    });
                    if !is_raw::<C>(&params) && !C::Operation::is_identity(&params) {
                        C::Operation::apply(&mut row, &params);
                    }
                    unroll::<{ PAIRS / 2 }>(|right| values[2 * right + below] = row.values[right]);
                });
                // SAFETY: the caller of `store` brings all warps, a free buffer and a writable D,
                // which has this chunk.
                unsafe {
                    if const { C::SWAPPED } {
                        self.store_columns::<C>(&values, &params, (top, left));
                    } else {
                        self.store_chunk::<C>(&values, &params, (top, left), tile);
                    }
                }
            });
        });
    }

    /// Stores a chunk of D transposed. A warp's 16 rows are neighbours in the rows of D.
    ///
    /// # Safety
    /// The conditions are those of [`store`](Self::store).
    #[inline(always)]
    unsafe fn store_columns<C: CollectiveConfig>(
        &mut self,
        values: &[[f32; 2]; PAIRS],
        params: &GemmParams,
        (top, left): (u32, u32),
    ) {
        let ty = type_of_d::<C>(params);
        let thread = thread_in_group();
        let (warp, lane) = (thread / 32, thread % 32);
        let at = |row: u32, column: u32| {
            (params.batch_d + u64::from(column) * params.ldd + u64::from(row)) as usize
        };
        if const { C::D::STAGES_COLUMNS }
            && ty == TypeOfD::Same
            && params.epilogue & flags::VECTORS != 0
        {
            let staged = self.staged_of_group::<C>() + warp * const { 32 * C::CHUNK };
            // SAFETY: only this warp uses its columns of the buffer, and its barriers order the
            // writes of its lanes and their reads. By the plan D is writable in bounds, and if one
            // element of a vector is in bounds, all its elements are.
            unsafe {
                sync_warp(WARP);
                C::D::stage_columns(values, staged, C::CHUNK as usize);
                sync_warp(WARP);
                unroll::<4>(|turn| {
                    // Each column has two vectors.
                    let vector = lane + 32 * turn as u32;
                    let (column, half) = (vector / 2, vector % 2);
                    let row = top + 16 * warp + 8 * half;
                    if 16 * turn < C::CHUNK as usize
                        && column < C::CHUNK
                        && row < params.m
                        && left + column < params.n
                    {
                        let from: u32 = SmemColumns::at((column, 8 * half));
                        let to = self.pointers.d.wrapping_add(2 * at(row, left + column));
                        store_global_b128(to, load_shared_b128(staged + 2 * from));
                    }
                });
            }
            return;
        }
        // The reduction reads slices by whole vectors of 16 bytes, so rows are padded.
        let in_slices = params.k_slices > 1 && params.epilogue & flags::CLUSTER_SPLIT == 0;
        let rows = if in_slices {
            params.m.next_multiple_of(4)
        } else {
            params.m
        };
        let place: u32 = Chunk::at((thread, 0u32));
        unroll::<PAIRS>(|pair| {
            if pair >= const { C::CHUNK as usize / 4 } {
                return;
            }
            unroll::<2>(|next| {
                let row = top + place % 64 + 8 * (pair as u32 % 2);
                let column = left + place / 64 + 8 * (pair as u32 / 2) + next as u32;
                if row < rows && column < params.n {
                    let (d, value) = (self.pointers.d, values[pair][next]);
                    // SAFETY: the element is in bounds, or in the padding of a slice's row, which
                    // has whole vectors. Only this thread writes it, and it is as wide as the flags
                    // say.
                    unsafe {
                        match ty {
                            TypeOfD::Wide => {
                                *d.cast::<f32>().wrapping_add(at(row, column)) = value;
                            }
                            TypeOfD::Bf16 => {
                                *d.cast::<u16>().wrapping_add(at(row, column)) = bf16::round(value);
                            }
                            TypeOfD::Same => {
                                *d.cast::<<C::D as ElementD>::Bits>()
                                    .wrapping_add(at(row, column)) = C::D::round(value);
                            }
                        }
                    }
                }
            });
        });
    }

    /// Stages a chunk in shared memory, and stores it or starts its store.
    ///
    /// # Safety
    /// The conditions are those of [`store`](Self::store).
    #[inline(always)]
    unsafe fn store_chunk<C: CollectiveConfig>(
        &mut self,
        values: &[[f32; 2]; PAIRS],
        params: &GemmParams,
        (top, left): (u32, u32),
        tile: TileAt,
    ) {
        let ty = type_of_d::<C>(params);
        let of_bytes = const { C::D::BY_THREADS } && ty == TypeOfD::Same;
        // The columns of a group may end within a vector.
        let ends_within = const { C::Tiles::GROUPED } && of_bytes && !params.n.is_multiple_of(16);
        // SAFETY: the caller brings all warps, a free buffer and a writable D. A warp stages into
        // its own rows of the buffer.
        unsafe {
            self.stage::<C, false>(values, ty);
            if params.epilogue & flags::VECTORS == 0 || ends_within {
                self.store_elements::<C>(params, (top, left), ty);
            } else if of_bytes {
                self.store_vectors::<C>(params, (top, left));
            } else {
                self.store_rows::<C>((top, left), tile, ty);
            }
        }
    }

    /// Stores a staged chunk of whole vectors by TMA, with two exceptions: 32-bit elements in
    /// chunks with fewer than the 64 columns of two boxes, and a warp's rows or columns within
    /// which its group ends.
    ///
    /// # Safety
    /// The conditions are those of [`store_boxes`](Self::store_boxes).
    #[inline(always)]
    unsafe fn store_rows<C: CollectiveConfig>(
        &mut self,
        (top, left): (u32, u32),
        tile: TileAt,
        ty: TypeOfD,
    ) {
        // SAFETY: the caller staged the chunk and brings all lanes. All lanes of a warp take the
        // same branch, and the warp's rows are its own.
        unsafe {
            if const { C::CHUNK < 64 } && ty == TypeOfD::Wide {
                self.store_wide::<C>((top, left), tile);
                return;
            }
            if const { C::Tiles::GROUPED } {
                let first = thread_in_group() / 32 * 16;
                if top + first + 16 > tile.end {
                    self.store_last_rows::<C>((top, left), tile, ty);
                    return;
                }
                if left + 64 > tile.right && tile.right < self.params.n {
                    self.store_last_rows::<C>((top, left), tile, ty);
                    return;
                }
            }
            self.store_boxes::<C>((top, left), tile.batch, ty);
        }
    }

    /// Stages a chunk in the warp's rows of the next buffer, or of both buffers if elements have 32
    /// bits. With `INTEGERS` the values are the bits of integers, which are clamped to a byte.
    ///
    /// # Safety
    /// The conditions are those of [`store`](Self::store). The lane that `elect.sync` chooses
    /// commits the stores of each buffer.
    #[inline(always)]
    unsafe fn stage<C: CollectiveConfig, const INTEGERS: bool>(
        &mut self,
        values: &[[f32; 2]; PAIRS],
        ty: TypeOfD,
    ) {
        let thread = thread_in_group();
        let staged = self.staged_of_group::<C>();
        // SAFETY: the lane that commits stores waits until the buffer has been read, and the warp
        // waits for that lane. After the fence and the warp's barrier the warp's writes are visible
        // to TMA. By their layouts the places are in the buffers.
        unsafe {
            // This is the lane that commits the warp's stores, because `elect.sync` always chooses
            // the same lane.
            if elect_one_sync() {
                if ty == TypeOfD::Wide {
                    tma_store_wait::<0>();
                } else {
                    tma_store_wait::<1>();
                }
            }
            sync_warp(WARP);
            if ty == TypeOfD::Wide {
                self.buffer = 0;
                let place: u32 = Chunk::at((thread, 0u32));
                unroll::<PAIRS>(|pair| {
                    let (row, column) = (
                        place % 64 + 8 * (pair as u32 % 2),
                        place / 64 + 8 * (pair as u32 / 2 % 4),
                    );
                    let at: u32 = SmemWide::at((row, column, pair as u32 / 8));
                    store_shared_pair(staged + 4 * at, values[pair]);
                });
            } else if const { C::D::OR_BF16 } && ty == TypeOfD::Bf16 {
                stage_halves::<bf16>(values, staged, self.buffer);
            } else if INTEGERS {
                C::D::stage_integers(values, staged, self.buffer);
            } else {
                C::D::stage(values, staged, self.buffer);
            }
            fence_proxy_async_shared();
            sync_warp(WARP);
        }
    }

    /// Returns the address of the group's buffers.
    #[inline(always)]
    fn staged_of_group<C: CollectiveConfig>(&self) -> u32 {
        self.staged + self.group * C::STAGED_BYTES
    }

    /// Switches to the other buffer. 32-bit elements need both buffers and begin at the first.
    #[inline(always)]
    fn next_buffer(&mut self) {
        self.buffer = (self.buffer + 1) % BUFFERS;
    }

    /// Starts the stores of the warp's 16 rows of a staged chunk, which has 64 rows and columns
    /// from `(top, left)` on.
    ///
    /// # Safety
    /// The conditions are those of [`store`](Self::store), the call follows [`stage`](Self::stage),
    /// and rows of D are aligned to 16 bytes.
    #[inline(always)]
    unsafe fn store_boxes<C: CollectiveConfig>(
        &mut self,
        (top, left): (u32, u32),
        batch: u32,
        ty: TypeOfD,
    ) {
        let thread = thread_in_group();
        let warp = thread / 32;
        // SAFETY: the caller brings all lanes.
        if unsafe { elect_one_sync() } {
            let from = self.staged_of_group::<C>()
                + self.buffer * BUFFER_BYTES
                + warp * const { BUFFER_BYTES / 4 };
            let at = |left: u32| [left as i32, (top + 16 * warp) as i32, batch as i32];
            // SAFETY: the warp's rows of the buffer are staged and visible to TMA. By the plan D's
            // map has boxes of these rows, of 16-bit floats if they are added.
            unsafe {
                if ty == TypeOfD::Same && self.params.epilogue & flags::REDUCE != 0 {
                    tma_reduce_3d::<ReduceAdd>(self.map, at(left), from);
                } else {
                    tma_store_3d(self.map, at(left), from);
                }
                if ty == TypeOfD::Wide && left + 32 < self.params.n {
                    tma_store_3d(self.map, at(left + 32), from + BUFFER_BYTES);
                }
            }
            tma_store_arrive();
        }
        self.next_buffer();
    }

    /// Stores a staged chunk element by element: each lane has a column, and the warp's rows follow
    /// each other.
    ///
    /// # Safety
    /// The conditions are those of [`store`](Self::store), and the call follows
    /// [`stage`](Self::stage).
    #[inline(always)]
    unsafe fn store_elements<C: CollectiveConfig>(
        &mut self,
        params: &GemmParams,
        (top, left): (u32, u32),
        ty: TypeOfD,
    ) {
        let staged = self.staged_of_group::<C>();
        let thread = thread_in_group();
        let first = 16 * (thread / 32);
        if const { C::D::BY_THREADS } && ty == TypeOfD::Same {
            // Each row's first byte and the columns from there on have to be whole words.
            let begin = self.pointers.d as u64 + params.batch_d + u64::from(left);
            let columns = u64::from(params.n.wrapping_sub(left));
            if (begin | params.ldd | columns).is_multiple_of(8) {
                // SAFETY: the caller staged the chunk and brings all lanes. D is writable in
                // bounds. By the test rows and columns are whole words.
                unsafe { self.store_words::<C>(params, (top, left)) };
                return;
            }
        }
        let mut i = thread % 32;
        // SAFETY: places in D are in bounds by the test, places in the buffers by their layouts.
        // The warp's barrier comes before the next staging.
        unsafe {
            while i < 16 * 64 {
                let (row, column) = (first + i / 64, i % 64);
                let in_chunk = C::CHUNK == 64 || column < C::CHUNK;
                if in_chunk && top + row < params.m && left + column < params.n {
                    let at = params.batch_d
                        + u64::from(top + row) * params.ldd
                        + u64::from(left + column);
                    let d = self.pointers.d;
                    let from = staged + place::<C>(ty, (row, column), self.buffer);
                    match ty {
                        TypeOfD::Wide => {
                            *d.cast::<u32>().add(at as usize) = load_shared(from);
                        }
                        TypeOfD::Bf16 => {
                            *d.cast::<u16>().add(at as usize) = load_shared(from);
                        }
                        TypeOfD::Same => {
                            *d.cast::<<C::D as ElementD>::Bits>().add(at as usize) =
                                load_shared(from);
                        }
                    }
                }
                i += 32;
            }
            sync_warp(WARP);
        }
        self.next_buffer();
    }

    /// Stores a staged chunk of elements of a byte, eight per lane. If rows of D are not vectors of
    /// 16 bytes, stores of words are an eighth of the stores of bytes.
    ///
    /// # Safety
    /// The conditions are those of [`store_elements`](Self::store_elements); the rows of D in the
    /// chunk begin at multiples of 8 bytes, and its columns in bounds are a multiple of 8.
    #[inline(always)]
    unsafe fn store_words<C: CollectiveConfig>(
        &mut self,
        params: &GemmParams,
        (top, left): (u32, u32),
    ) {
        let staged = self.staged_of_group::<C>();
        let thread = thread_in_group();
        let column = 8 * (thread % 8);
        // SAFETY: places in D are in bounds by the test of a word's first column, because the
        // caller guarantees that columns are whole words. By their layout the words of the buffers
        // are contiguous. The warp's barrier comes before the next staging.
        unsafe {
            unroll::<4>(|four| {
                let row = 16 * (thread / 32) + thread % 32 / 8 + 4 * four as u32;
                if column < C::CHUNK && top + row < params.m && left + column < params.n {
                    let at = params.batch_d
                        + u64::from(top + row) * params.ldd
                        + u64::from(left + column);
                    let word: u64 = load_shared(staged + C::D::place(row, column, self.buffer));
                    self.pointers.d.add(at as usize).cast::<u64>().write(word);
                }
            });
            sync_warp(WARP);
        }
        self.next_buffer();
    }

    /// Returns the first column after a tile's matrix or group.
    #[inline(always)]
    fn right<C: CollectiveConfig>(&self, tile: TileAt) -> u32 {
        if const { C::Tiles::GROUPED } {
            tile.right
        } else {
            self.params.n
        }
    }

    /// Stores the rows and columns of a staged chunk that belong to its tile's group, 16 bytes per
    /// lane, or element by element if the columns end within a vector.
    ///
    /// # Safety
    /// The conditions are those of [`store_boxes`](Self::store_boxes), for the rows before the
    /// tile's `end` and the columns before its `right`.
    #[inline(always)]
    unsafe fn store_last_rows<C: CollectiveConfig>(
        &mut self,
        (top, left): (u32, u32),
        TileAt { end, right, .. }: TileAt,
        ty: TypeOfD,
    ) {
        let thread = thread_in_group();
        if right % (16 / bytes_of::<C>(ty)) != 0 {
            let params = GemmParams {
                m: end,
                n: right,
                batch_d: 0,
                ..*self.params
            };
            // SAFETY: the caller staged the chunk and brings all lanes. By the plan D is writable
            // before `end` and `right`.
            unsafe {
                self.store_elements::<C>(&params, (top, left), ty);
                if thread.is_multiple_of(32) {
                    tma_store_arrive();
                }
            }
            return;
        }
        // SAFETY: the caller staged the chunk. Nothing else writes the rows, because they belong to
        // this tile. Rows of D are whole vectors.
        unsafe {
            self.store_lanes::<C>((top, left), (end, right), 0, ty);
            if thread.is_multiple_of(32) {
                // Commits an empty group of stores, because the wait before the next staging counts
                // one group per chunk.
                tma_store_arrive();
            }
        }
    }

    /// Stores a staged chunk of 32-bit elements, 16 bytes per lane, to D or to a slice of k. Rows
    /// of slices are whole vectors, even if D's rows are not.
    ///
    /// # Safety
    /// The conditions are those of [`store`](Self::store), the call follows [`stage`](Self::stage),
    /// and rows of D, or of the slices, are whole vectors.
    #[inline(always)]
    unsafe fn store_wide<C: CollectiveConfig>(&mut self, (top, left): (u32, u32), tile: TileAt) {
        let in_slices = self.params.k_slices > 1
            && !(const { C::CLUSTER_SPLIT } && self.params.epilogue & flags::CLUSTER_SPLIT != 0);
        let right = if in_slices {
            self.params.n.next_multiple_of(4)
        } else {
            self.params.n
        };
        let batch = self.params.batch_d.wrapping_mul(u64::from(tile.batch));
        // SAFETY: the caller staged the chunk and brings all lanes. By the plan D or, if k is in
        // slices, the workspace is writable before `end` and `right`.
        unsafe { self.store_lanes::<C>((top, left), (tile.end, right), batch, TypeOfD::Wide) };
    }

    /// Stores the part of a staged chunk before row `end` and column `right`, 16 bytes per lane.
    /// `batch` is the index of the batch's first element.
    ///
    /// # Safety
    /// All lanes of the warp execute it after [`stage`](Self::stage). D is writable there, in whole
    /// vectors of 16 bytes, and nothing else writes the chunk.
    #[inline(always)]
    unsafe fn store_lanes<C: CollectiveConfig>(
        &mut self,
        (top, left): (u32, u32),
        (end, right): (u32, u32),
        batch: u64,
        ty: TypeOfD,
    ) {
        let staged = self.staged_of_group::<C>();
        let thread = thread_in_group();
        let first = 16 * (thread / 32);
        let bytes = bytes_of::<C>(ty);
        // The lanes that store one row of the chunk.
        let lanes = const { C::CHUNK } * bytes / 16;
        let mut i = thread % 32;
        // SAFETY: by the test a vector's first column is in bounds, and so is the whole vector,
        // because rows are whole vectors. Places in the buffers are in bounds by their layouts. The
        // warp's barrier comes before the next staging.
        unsafe {
            while i < 16 * lanes {
                let (row, column) = (first + i / lanes, i % lanes * (16 / bytes));
                if top + row < end && left + column < right {
                    let at =
                        batch + u64::from(top + row) * self.params.ldd + u64::from(left + column);
                    let from = staged + place::<C>(ty, (row, column), self.buffer);
                    let to = self
                        .pointers
                        .d
                        .wrapping_add((at * u64::from(bytes)) as usize);
                    store_global_b128(to, load_shared_b128(from));
                }
                i += 32;
            }
            sync_warp(WARP);
        }
        self.next_buffer();
    }

    /// Stores a staged chunk of elements of a byte, 16 bytes per thread.
    ///
    /// # Safety
    /// The conditions are those of [`store_elements`](Self::store_elements), and rows of D are
    /// aligned to 16 bytes.
    #[inline(always)]
    unsafe fn store_vectors<C: CollectiveConfig>(
        &mut self,
        params: &GemmParams,
        (top, left): (u32, u32),
    ) {
        let staged = self.staged_of_group::<C>();
        let thread = thread_in_group();
        let column = 16 * (thread % 4);
        // SAFETY: by the plan D is writable in bounds. If a vector's first column passes the test,
        // the other fifteen are in bounds, because rows are whole vectors.
        unsafe {
            unroll::<2>(|half| {
                let row = 16 * (thread / 32) + thread % 32 / 4 + 8 * half as u32;
                if column < C::CHUNK && top + row < params.m && left + column < params.n {
                    let at = params.batch_d
                        + u64::from(top + row) * params.ldd
                        + u64::from(left + column);
                    let vector = load_shared_b128(staged + C::D::place(row, column, self.buffer));
                    store_global_b128(self.pointers.d.add(at as usize), vector);
                }
            });
            sync_warp(WARP);
        }
        self.next_buffer();
    }
}

/// Loads two neighbouring elements, by one load if elements have 2 or 4 bytes.
///
/// # Safety
/// `at` is a multiple of the size of two elements, and names two elements that nothing writes now.
#[inline(always)]
unsafe fn load_pair<T: Copy>(at: *const u8) -> [T; 2] {
    // SAFETY: the caller passes the address of two aligned elements that nothing writes now, and a
    // word has the bytes of both.
    unsafe {
        match const { size_of::<T>() } {
            2 => {
                let word = at.cast::<u32>().read();
                (&raw const word).cast::<[T; 2]>().read()
            }
            4 => {
                let word = at.cast::<u64>().read();
                (&raw const word).cast::<[T; 2]>().read()
            }
            _ => at.cast::<[T; 2]>().read(),
        }
    }
}

/// Returns the bytes of an element of D.
#[inline(always)]
const fn bytes_of<C: CollectiveConfig>(ty: TypeOfD) -> u32 {
    match ty {
        TypeOfD::Wide => 4,
        TypeOfD::Bf16 => 2,
        TypeOfD::Same => const { size_of::<<C::D as ElementD>::Bits>() as u32 },
    }
}

/// Returns the place of element `(row, column)` of a staged chunk, in bytes from the group's first
/// buffer on.
#[inline(always)]
fn place<C: CollectiveConfig>(ty: TypeOfD, (row, column): (u32, u32), buffer: u32) -> u32 {
    match ty {
        TypeOfD::Wide => {
            let at: u32 = SmemWide::at((row, column % 32, column / 32));
            buffer * BUFFER_BYTES + 4 * at
        }
        TypeOfD::Bf16 => bf16::place(row, column, buffer),
        TypeOfD::Same => C::D::place(row, column, buffer),
    }
}

/// Whether the epilogue has no operation and D's rows are whole vectors. Then the accumulator is
/// rounded to D's type, unless D has 32-bit elements, and stored or added to D by TMA; or integers
/// are clamped to a byte.
#[inline(always)]
fn is_plain<C: CollectiveConfig>(params: &GemmParams) -> bool {
    let ty = match plain_type::<C>() {
        TypeOfD::Wide => flags::WIDE,
        TypeOfD::Bf16 => flags::BF16,
        TypeOfD::Same => 0,
    };
    let types = flags::WIDE | flags::BF16 | flags::INTEGER;
    params.epilogue & (types | flags::VECTORS) == ty | flags::VECTORS
        && C::Operation::is_identity(params)
}

/// Returns the type of a plain D.
#[inline(always)]
const fn plain_type<C: CollectiveConfig>() -> TypeOfD {
    if C::D::ALWAYS_WIDE {
        TypeOfD::Wide
    } else if C::D::OR_BF16 {
        TypeOfD::Bf16
    } else {
        TypeOfD::Same
    }
}

/// Whether D is the unchanged integer accumulator.
#[inline(always)]
fn is_raw<C: CollectiveConfig>(params: &GemmParams) -> bool {
    C::Registers::IS_INTEGER && params.epilogue & flags::INTEGER != 0
}

/// Returns the type of D's elements.
#[inline(always)]
fn type_of_d<C: CollectiveConfig>(params: &GemmParams) -> TypeOfD {
    if C::D::ALWAYS_WIDE || params.epilogue & flags::WIDE != 0 || is_raw::<C>(params) {
        TypeOfD::Wide
    } else if C::D::OR_BF16 && params.epilogue & flags::BF16 != 0 {
        TypeOfD::Bf16
    } else {
        TypeOfD::Same
    }
}

/// Returns the f32 of an accumulator's widened bits.
#[inline(always)]
fn value<C: CollectiveConfig>(bits: u32) -> f32 {
    use gpu_kernels::gemm::epilogue::element::ElementAccumulator;
    <<C::Registers as AccumulatorPairs>::Element as ElementAccumulator>::value(bits)
}

/// Stores two f32 to shared memory.
///
/// # Safety
/// `address` is a multiple of 8 and names 8 bytes of the CTA's shared memory that nothing else
/// touches before the next barrier.
#[inline(always)]
unsafe fn store_shared_pair(address: u32, [low, high]: [f32; 2]) {
    let bits = u64::from(high.to_bits()) << 32 | u64::from(low.to_bits());
    // SAFETY: the caller passes the address of 8 aligned bytes that are this thread's until the
    // next barrier.
    unsafe {
        Tensor::<layout_types::tensor::Shared<u64>, layout!(1:1)>::shared(address).set(0u32, bits)
    };
}

/// Loads from shared memory.
///
/// # Safety
/// `address` is a multiple of `T`'s size and names a `T` in the CTA's shared memory that nothing
/// writes now.
#[inline(always)]
unsafe fn load_shared<T: layout_types::tensor::Plain>(address: u32) -> T {
    // SAFETY: the caller passes the address of an aligned `T` that nothing writes now.
    unsafe { Tensor::<layout_types::tensor::Shared<T>, layout!(1:1)>::shared(address).get(0u32) }
}
