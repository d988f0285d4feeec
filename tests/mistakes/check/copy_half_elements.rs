//! category: vectors and alignment
//! mistake: A copy of 16 bits at a time is made for elements of 32 bits.
//! cure: The access holds whole elements: `UniversalCopy<u32>` or wider.
//! CuTe: static assertion of `recast`.
use layout_types::algorithm::copy;
use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tensor::Fragment;
use layout_types::tiled::MakeTiledCopy;
#[cfg(mistake)]
type Copy = MakeTiledCopy<UniversalCopy<u16>, f32, layout!(1), layout!(4)>;
#[cfg(not(mistake))]
type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!(1), layout!(4)>;
pub unsafe fn kernel(from: &Fragment<f32, layout!(((1,4),1))>, to: &Fragment<f32, layout!(((1,4),1))>) {
    unsafe { copy(Copy::default(), &from.view(), &to.view()) };
}
