//! category: layouts and divides
//! mistake: `local_tile` of a matrix takes three coordinates, those of a block of a product (m,n,k).
//! cure: A coordinate or `__` for each mode, or `local_tile_step`, which chooses two of three.
//! CuTe: "Mismatched Ranks" from within `slice`; the author's line is far below.
use layout_types::prelude::*;

#[cfg(mistake)]
pub unsafe fn tile(a: *const f32, m: u32, k: u32, at: (u32, u32)) -> f32 {
    let a = unsafe { Tensor::global(a, [m, k], (k.into(), Int::<1>)) };
    let tile = a.local_tile::<tile!(64, 32), _>((at.0, at.1, 0u32));
    unsafe { tile.get((0u32, 0u32)) }
}

#[cfg(not(mistake))]
pub unsafe fn tile(a: *const f32, m: u32, k: u32, at: (u32, u32)) -> f32 {
    let a = unsafe { Tensor::global(a, [m, k], (k.into(), Int::<1>)) };
    let tile = a.local_tile::<tile!(64, 32), _>((at.0, 0u32));
    unsafe { tile.get((0u32, 0u32)) }
}
