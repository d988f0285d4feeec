//! category: layouts and divides
//! mistake: A tile of a row is `tile!(2048)`, and the tensor is a matrix.
//! cure: A number for each mode: `tile!(1, 2048)`.
//! CuTe: `local_tile` with one mode divides the first mode only: the tile runs down the rows; silent.
use layout_types::prelude::*;

#[cfg(mistake)]
type Row = tile!(2048);
#[cfg(mistake)]
pub unsafe fn first(x: *const f32, rows: u32, cols: u32, row: u32) -> f32 {
    let x = unsafe { Tensor::global(x, [rows, cols], (cols.into(), Int::<1>)) };
    let row = x.local_tile::<Row, _>((row, 0u32));
    unsafe { row.get((0u32, 0u32)) }
}

#[cfg(not(mistake))]
type Row = tile!(1, 2048);
#[cfg(not(mistake))]
pub unsafe fn first(x: *const f32, rows: u32, cols: u32, row: u32) -> f32 {
    let x = unsafe { Tensor::global(x, [rows, cols], (cols.into(), Int::<1>)) };
    let row = x.local_tile::<Row, _>((row, 0u32));
    unsafe { row.get((0u32, 0u32)) }
}
