//! The copy is an atom, not a tiled copy.
use layout_types::algorithm::copy;
use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tensor::Fragment;
fn main() {
    let (a, b) = (Fragment::<f32, layout!((4,2))>::new(), Fragment::<f32, layout!((4,2))>::new());
    unsafe { copy(UniversalCopy::<u128>::default(), &a.view(), &b.view()) };
}
