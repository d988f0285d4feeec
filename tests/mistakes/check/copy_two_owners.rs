//! category: thread-value ownership
//! mistake: A tiled copy's threads are 2 apart, and so are its values: two threads copy one element.
//! cure: Threads and values step over each other.
//! CuTe: silent: elements are copied twice and others never.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::TiledCopy;
#[cfg(mistake)]
type Copy = TiledCopy<UniversalCopy<u32>, f32, layout!((4,2):(1,2)), tile!(4, 2)>;
#[cfg(not(mistake))]
type Copy = TiledCopy<UniversalCopy<u32>, f32, layout!((4,2):(1,4)), tile!(4, 2)>;
pub fn kernel(thread: u32) {
    let _ = Copy::get_slice(thread);
}
