//! category: thread-value ownership
//! mistake: The thread-value layout gives one element of the tile to two threads.
//! cure: Strides of threads and values must step over each other; `assert_covers!` says which cell breaks.
//! CuTe: silent: an element is written twice and another never.
use layout_types::prelude::*;
#[cfg(mistake)]
type Tv = layout!(((2,2),2):((1,4),3));
#[cfg(not(mistake))]
type Tv = layout!(((2,2),2):((1,4),2));
assert_covers!(Tv, (4, 2));
