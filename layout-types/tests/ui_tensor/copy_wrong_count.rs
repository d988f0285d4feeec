//! Source and destination have different numbers of atoms.
use layout_types::prelude::*;
use layout_types::algorithm::copy;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tensor::Fragment;
use layout_types::tiled::MakeTiledCopy;
type Copy = MakeTiledCopy<UniversalCopy<u32>, half::f16, layout!(4), layout!(2)>;
fn main() {
    let (a, b) = (Fragment::<half::f16, layout!(((2,1),4))>::new(), Fragment::<half::f16, layout!(((2,1),2))>::new());
    unsafe { copy(Copy::default(), &a.view(), &b.view()) };
}
