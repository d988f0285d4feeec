//! category: types and conversions
//! mistake: A tiled copy made for f16 copies a tensor of f32.
//! cure: Make the copy for the element that it copies; the vector has half the elements.
//! CuTe: compiles where the sizes of the vector divide; else a static assertion without names.
use layout_types::prelude::*;
use layout_types::algorithm::copy;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tensor::Fragment;
use layout_types::tiled::MakeTiledCopy;
#[cfg(mistake)]
type Copy = MakeTiledCopy<UniversalCopy<u32>, half::f16, layout!(4), layout!(2)>;
#[cfg(not(mistake))]
type Copy = MakeTiledCopy<UniversalCopy<u64>, f32, layout!(4), layout!(2)>;
pub unsafe fn kernel(from: &Fragment<f32, layout!(((2,1),1))>, to: &Fragment<f32, layout!(((2,1),1))>) {
    unsafe { copy(Copy::default(), &from.view(), &to.view()) };
}
