//! category: Hopper
//! mistake: A block of a cluster reads its peer's shared memory and the peer may have ended.
//! cure: `cluster_sync()` before the end, too.
//! CuTe: compiles; faults or stale data now and then.

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{block_idx_x, thread_idx_x};
use layout_types::arch::cluster_sm90::{cluster_sync, load_shared_cluster_b128, mapa};

/// Four floats on a 16-byte boundary.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Four([f32; 4]);

/// Computes `d[i] = a[i ^ 128]`, through the peer's shared memory.
///
/// # Safety
/// A cluster of two blocks of 32 threads; n is 256.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![Four; 32];
    let (block, i, _) = (block_idx_x() as usize, thread_idx_x() as usize, n);
    // SAFETY: a cluster has two blocks; the peer writes its tile before the barrier of the cluster.
    unsafe {
        *tile.add(i) = Four([0, 1, 2, 3].map(|j| *a.add(128 * block + 4 * i + j)));
        cluster_sync();
        let peer = mapa(offset_of(tile.add(i)), block as u32 ^ 1);
        let four = load_shared_cluster_b128(peer).map(f32::from_bits);
        if RIGHT {
            cluster_sync();
        }
        for (j, x) in four.into_iter().enumerate() {
            *d.add(128 * block + 4 * i + j) = x;
        }
    }
}
twins!(cluster_peer_ended, cluster_peer_ended_right);
