//! category: barriers
//! mistake: A shuffle with the full mask stands in a branch of half of the warp.
//! cure: Shuffle outside of the branch, or with the mask of the lanes that come.
//! CuTe: compiles; undefined: it hangs on Volta and later; `synccheck` reports it.

use cuda_std::thread::thread_idx_x;
use cuda_std::warp::warp_shuffle_xor;

/// Computes `d[i] = a[i] + a[i ^ 1]` in the first 16 lanes, and a[i] in the others.
///
/// # Safety
/// A warp; n is 32.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: i is less than 32; in the right twin the whole warp comes to the shuffle.
    unsafe {
        let mut x = *a.add(i);
        if RIGHT {
            let other = warp_shuffle_xor(u32::MAX, x, 1, 32).0;
            if i < 16 {
                x += other
            }
        } else {
            if i < 16 {
                x += warp_shuffle_xor(u32::MAX, x, 1, 32).0
            }
        }
        *d.add(i) = x;
    }
}
twins!(shuffle_in_branch, shuffle_in_branch_right);
