//! Split-K in a cluster: the CTAs of one tile have slices of its k tiles, and add their
//! accumulators in distributed shared memory.
//!
//! ```text
//!   2 slices, chunks of 64 columns          CTA 0: k tiles 0 .. 8      CTA 1: k tiles 8 .. 16
//!                                           chunk 0  own  ◄── ld ──── chunk 0  in its stages
//!                                           chunk 1  in its stages ─► chunk 1  own
//! ```
//!
//! Law: one slice owns each chunk of a tile: the owners ascend with the chunks, and are spread
//! evenly over the slices. The owner adds the other slices' accumulators to its own, first those
//! after it, then those from slice 0 on: the same bits on every run. A cluster has up to 8 CTAs;
//! where there are more slices than chunks, some slices own none.

use super::cluster::Place;
use super::config::{AccumulatorPairs, GemmConfig};
use layout_types::arch::cluster_sm90::{cluster_sync, load_shared_cluster_b128, mapa};
use layout_types::arch::copy::store_shared_b128;
use layout_types::unroll::{unroll, unroll_type};

/// Threads of a consumer group.
pub(super) const GROUP: u32 = 128;

/// Adds the accumulators of all slices to those of the chunks that the CTA owns. `block` is the
/// group's block of rows.
///
/// # Safety
/// All threads of the cluster come to the barrier inside, at which the others call
/// [`cluster_sync`]; all warps of the group are here, `thread` is this one's number in it; `shared`
/// is the CTA's dynamic shared memory, whose stages nobody accesses any more; and a barrier of the
/// cluster follows before a CTA leaves.
#[inline(always)]
pub unsafe fn add_slices<C: GemmConfig, const ATOMS: usize>(
    shared: u32,
    registers: &mut [C::Registers; ATOMS],
    block: u32,
    thread: u32,
    place: &Place,
) {
    let slice = place.slice;
    const {
        assert!(
            !C::CLUSTER_SPLIT || C::TILE[0] * C::TILE[1] * 4 <= C::D_OFFSET,
            "the accumulators of a tile fit the stages"
        )
    }
    let quads = const { C::CHUNK_REGISTERS / 4 };
    // Registers 4 q .. 4 q + 4 of all threads are together, 16 bytes each.
    let at = |atom: usize, chunk: usize, quad: usize| {
        let place =
            ((block as usize * ATOMS + atom) * const { C::CHUNK_COUNT } + chunk) * quads + quad;
        shared + 16 * (place as u32 * GROUP + thread)
    };
    unroll_type::<C::Chunks>(|chunk| {
        if !slice.owns(chunk, const { C::CHUNK_COUNT }) {
            unroll_type::<C::Atoms>(|atom| {
                unroll::<8>(|quad| {
                    if quad < quads {
                        let first = C::CHUNK_REGISTERS * chunk + 4 * quad;
                        let values = [0, 1, 2, 3].map(|i| registers[atom].bits(first + i));
                        // SAFETY: the place is in the stages, and this thread's alone.
                        unsafe { store_shared_b128(at(atom, chunk, quad), values) };
                    }
                });
            });
        }
    });
    // SAFETY: all threads of the cluster come here.
    unsafe { cluster_sync() };
    let mut other = 1;
    while other < slice.count {
        let peer = place.behind(other);
        unroll_type::<C::Chunks>(|chunk| {
            if slice.owns(chunk, const { C::CHUNK_COUNT }) {
                unroll_type::<C::Atoms>(|atom| {
                    unroll::<8>(|quad| {
                        if quad < quads {
                            let first = C::CHUNK_REGISTERS * chunk + 4 * quad;
                            let from = mapa(at(atom, chunk, quad), peer);
                            // SAFETY: the peer stored it before the cluster's barrier, and stays
                            // until the next.
                            let values = unsafe { load_shared_cluster_b128(from) };
                            unroll::<4>(|i| registers[atom].add(first + i, values[i]));
                        }
                    });
                });
            }
        });
        other += 1;
    }
}
