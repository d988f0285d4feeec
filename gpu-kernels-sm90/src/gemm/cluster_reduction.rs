//! Split-K in a cluster: the CTAs of one tile compute slices of its k tiles and add their
//! accumulators in distributed shared memory.
//!
//! ```text
//!   2 slices, chunks of 64 columns          CTA 0: k tiles 0 .. 8      CTA 1: k tiles 8 .. 16
//!                                           chunk 0  own  ◄── ld ──── chunk 0  in its stages
//!                                           chunk 1  in its stages ─► chunk 1  own
//! ```
//!
//! Law: exactly one slice owns each chunk of a tile. The owners ascend with the chunks and are
//! spread evenly over the slices. The owner adds the other slices' accumulators to its own: first
//! those of the slices after it, then those from slice 0 on. Every run gives the same bits. A
//! cluster has up to 8 CTAs. If there are more slices than chunks, some slices own no chunk.

use super::cluster::Place;
use super::config::{AccumulatorPairs, GemmConfig};
use layout_types::arch::cluster_sm90::{cluster_sync, load_shared_cluster_b128, mapa};
use layout_types::arch::copy::store_shared_b128;
use layout_types::unroll::{unroll, unroll_type};

/// The number of threads in a consumer group.
pub(super) const GROUP: u32 = 128;

/// Adds the accumulators of all slices, for the chunks that the CTA owns. `block` is the group's
/// block of rows.
///
/// # Safety
/// All threads of the cluster reach the barrier inside: threads that do not call this function call
/// [`cluster_sync`]. All warps of the group call it, and `thread` is this thread's index in the
/// group. `shared` is the CTA's dynamic shared memory, whose stages nothing accesses any more. A
/// barrier of the cluster follows before a CTA exits.
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
    // Registers 4 q .. 4 q + 4 of all threads are neighbours, 16 bytes per thread.
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
                        // SAFETY: the place is in the stages, and only this thread writes it.
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
                            // SAFETY: the peer stored the registers before the cluster's barrier,
                            // and does not exit before the next.
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
