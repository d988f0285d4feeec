//! category: thread-value ownership
//! mistake: The tile grew from 32 to 64 columns, the thread-value layout did not: half of the tile belongs to
//!   nobody.
//! cure: Give each thread the second half too, or more threads.
//! CuTe: silent: half of the tile is never written.
use layout_types::prelude::*;
type Tv = layout!(((32,8),4):((32,1),8));
#[cfg(mistake)]
assert_covers!(Tv, (32, 64));
#[cfg(not(mistake))]
assert_covers!(Tv, (32, 32));
