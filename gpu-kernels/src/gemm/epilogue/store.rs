//! The epilogue for any operation and any D. It stores the accumulator through shared memory to D,
//! in vectors of 16 bytes along D's rows.
//!
//! ```text
//!   identity  accumulator ─ round ─► R2s, 32 bits or stmatrix ─► Sw<2,3,3> o (32,32), chunk after chunk ─► S2g, 128 bits ─► D
//!   general   accumulator ─────────► R2s, 64 bits ─► Sw<2,3,2> o (32,32) of 32-bit elements
//!                                      ─► S2r, 128 bits ─► act(alpha accumulator + beta C + bias) ─► D
//! ```
//!
//! Law: each element of the tile that is in bounds of D is written once, and nothing else is
//! written. If D's rows are not aligned, elements are written one by one, and neighbouring threads
//! write neighbouring elements.

use super::element::{ElementAccumulator, ElementD};
use super::identity::IdentityEpilogue;
use super::op::{Eight, ElementValue, EpilogueOp, VectorValues};
use super::{OutputTile, is_identity};
use crate::gemm::config::{AccumulatorOf, BitsD, GemmKernel, ValuesD};
use cuda_std::thread::sync_threads;
use kernel_abi::gemm::flags;
use layout_types::algorithm::chunk_shape::ChunkShape;
use layout_types::algorithm::chunks::{
    LoadChunk, MatrixTiler, ReadChunk, StoreChunk, WriteChunkAs,
};
use layout_types::algorithm::transform;
use layout_types::arch::mov::opaque;
use layout_types::arch::mov::thread_here;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Shared};
use layout_types::unroll::{unroll, unroll_type};
use typenum::Unsigned;

/// Applies the epilogue and stores the CTA's tile of D through shared memory.
///
/// # Safety
/// Every thread of the CTA calls it. Nothing else accesses this shared memory, and a barrier has
/// passed since its last access. D is writable as `params` says, and C and the bias are readable if
/// the flags say that they exist. No other CTA writes the tile.
#[inline(always)]
pub unsafe fn store<C: GemmKernel>(accumulator: &AccumulatorOf<C>, tile: &OutputTile) {
    let (thread, set) = (thread_here(), tile.params.epilogue);
    if C::Identity::EXISTS && is_identity::<C::Operation>(tile.params) {
        // SAFETY: the caller brings every thread, leaves shared memory and the tile to this CTA,
        // and D is writable as the plan says.
        return unsafe { C::Identity::store(accumulator, tile, thread) };
    }
    let (chunks, passes) = (C::ChunksOfPass::U32, C::Passes::U32);
    let vectors = set & flags::VECTORS != 0;
    let integers = vectors && size_of::<BitsD<C>>() == 1 && set & flags::INTEGER != 0;
    let wide = set & flags::WIDE != 0 || size_of::<BitsD<C>>() == 4;
    // SAFETY: by the plan, within the extents, D is writable, and C and the bias are readable if
    // the flags say that they exist. Shared memory from the driver's `shared` on holds the chunks.
    // By the tile scheduler no other CTA stores the tile. Barriers separate a chunk's writers from
    // its readers.
    unsafe {
        let s_c = Tensor::<Shared<u32>, C::Words>::shared(tile.shared); // (rows, columns, chunk)
        let to = C::R2s::partition_written(&s_c, thread); // (CPY, CPY_M, CPY_N, chunk)
        let (wide_d, narrow_d) = (tile.d::<C, u32>(), tile.d::<C, BitsD<C>>());
        let (c, ldc) = (tile.pointers.c, tile.params.ldc);
        let (wide_c, narrow_c) = (tile.c::<C, u32>(c, ldc), tile.c::<C, BitsD<C>>(c, ldc));
        let bias = tile.c::<C, u32>(tile.pointers.bias.cast(), 0);
        let t_sc = C::S2r::partition_read(&s_c, thread); // (CPY, CPY_M, CPY_N, chunk)
        // Each of these tensors is (CPY, chunk), unless noted.
        let t_gb = C::S2r::partition_loaded(&bias, thread);
        let t_gd = C::S2r::partition_stored(&wide_d, thread);
        let t_sw = C::S2rWide::partition_read(&s_c, thread); // (CPY, CPY_M, CPY_N, chunk)
        let t_gw = C::S2rWide::partition_stored(&wide_d, thread);
        let t_gc = C::S2r::partition_loaded(&wide_c, thread);
        let t_gd_narrow = C::VectorsD::partition_stored(&narrow_d, thread);
        let t_gc_narrow = C::VectorsD::partition_loaded(&narrow_c, thread);
        let mut pass = 0;
        while pass < opaque(passes) {
            // Registers cannot be indexed at run time, so each pass is a case of its own.
            unroll_type::<C::Passes>(|this| {
                if this as u32 == pass {
                    unroll_type::<C::ChunksOfPass>(|j| {
                        let (chunk, j) = (this as u32 * chunks + j as u32, j as u32);
                        C::R2s::write_chunk_as(accumulator, chunk, C::Accumulator::widen, &to, j);
                    });
                }
            });
            sync_threads();
            let mut j = if integers {
                unroll_type::<C::ChunksOfPass>(|j| {
                    let integers = C::S2rWide::read_chunk(&t_sw, j as u32);
                    C::S2rWide::store_chunk(&integers, &t_gw, pass * chunks + j as u32);
                });
                chunks
            } else {
                0
            };
            while j < opaque(chunks) {
                let chunk = pass * chunks + j;
                if vectors {
                    let values32 = C::S2r::read_chunk(&t_sc, j);
                    if set & flags::INTEGER == 0 {
                        let values = Fragment::<f32, Eight>::new();
                        transform(&values32.view(), &values.view(), C::Accumulator::value);
                        let load_c = || {
                            let c = Fragment::<f32, Eight>::new();
                            if wide {
                                let bits = C::S2r::load_chunk(&t_gc, chunk);
                                transform(&bits.view(), &c.view(), f32::from_bits);
                            } else {
                                let bits = C::VectorsD::load_chunk(&t_gc_narrow, chunk);
                                unroll::<8>(|i| c.set(i as u32, C::D::value(bits.get(i as u32))));
                            }
                            c
                        };
                        let load_bias = || C::S2r::load_chunk(&t_gb, chunk);
                        let mut values = VectorValues {
                            values,
                            load_c,
                            load_bias,
                        };
                        C::Operation::apply(&mut values, tile.params);
                        transform(&values.values.view(), &values32.view(), f32::to_bits);
                    }
                    if wide || set & flags::INTEGER != 0 {
                        C::S2r::store_chunk(&values32, &t_gd, chunk);
                    } else {
                        let bits = Fragment::<BitsD<C>, ValuesD<C>>::new();
                        let round = |i| C::D::round(f32::from_bits(values32.get(i)));
                        unroll::<8>(|i| bits.set(i as u32, round(i as u32)));
                        C::VectorsD::store_chunk(&bits, &t_gd_narrow, chunk);
                    }
                } else {
                    // Stores element by element. Neighbouring threads store neighbouring elements.
                    let mut element = 0;
                    while element < opaque(8) {
                        let [row, column] = C::Chunk::place(thread, element);
                        let [rows, columns] = C::Chunk::EXTENTS;
                        let chunks_down = C::CONFIGURATION.tile[0] / rows;
                        let (down, across) = (chunk % chunks_down, chunk / chunks_down);
                        let place = (down * rows + row, across * columns + column);
                        let mut bits = C::S2r::read_element(&s_c, (row, column, j));
                        if C::Tile::inside(&wide_d, place) {
                            if set & flags::INTEGER == 0 {
                                let load_c = || {
                                    if wide {
                                        f32::from_bits(C::Tile::get(&wide_c, place))
                                    } else {
                                        C::D::value(C::Tile::get(&narrow_c, place))
                                    }
                                };
                                let load_bias = || f32::from_bits(C::Tile::get(&bias, place));
                                let mut value = ElementValue {
                                    value: C::Accumulator::value(bits),
                                    load_c,
                                    load_bias,
                                };
                                C::Operation::apply(&mut value, tile.params);
                                bits = value.value.to_bits();
                            }
                            if wide || set & flags::INTEGER != 0 {
                                C::Tile::set(&wide_d, place, bits);
                            } else {
                                C::Tile::set(&narrow_d, place, C::D::round(f32::from_bits(bits)));
                            }
                        }
                        element += 1;
                    }
                }
                j += 1;
            }
            sync_threads();
            pass += 1;
        }
    }
}
