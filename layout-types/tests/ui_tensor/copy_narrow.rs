//! The copy moves 16 bits at a time, which is half of an element of 32 bits.
use layout_types::algorithm::copy;
use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tensor::Fragment;
use layout_types::tiled::MakeTiledCopy;
type Copy = MakeTiledCopy<UniversalCopy<u16>, f32, layout!(1), layout!(4)>;
fn main() {
    let (a, b) = (Fragment::<f32, layout!(((1,4),1))>::new(), Fragment::<f32, layout!(((1,4),1))>::new());
    unsafe { copy(Copy::default(), &a.view(), &b.view()) };
}
