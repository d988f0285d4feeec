//! category: types and conversions
//! caught: test
//! mistake: f32 becomes bf16 by its upper 16 bits: cut off, not rounded.
//! cure: `convert::<_, bf16>`: one instruction, to nearest even.
//! CuTe: silent: a bias of half a unit in the last place.

use cuda_std::thread::thread_idx_x;
use half::bf16;
use layout_types::atom::convert::convert;

/// Writes `a[i] / 3`, rounded to bf16, to `d[i]`.
///
/// # Safety
/// A block of n threads.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: i is less than n.
    unsafe {
        let x = *a.add(i) / 3.0;
        let short = if RIGHT {
            convert::<_, bf16>(x)
        } else {
            bf16::from_bits((x.to_bits() >> 16) as u16)
        };
        *d.add(i) = convert::<_, f32>(short);
    }
}
twins!(bf16_cut_off, bf16_cut_off_right);
