//! category: vectors and alignment
//! mistake: Four values a thread, but their stride is 8: no vector.
//! cure: Values contiguous: `((32,8),4):((32,4),1)`.
//! CuTe: silent: four scalar loads.
use layout_types::prelude::*;
#[cfg(mistake)]
type Values = layout!((4,8):(8,1));
#[cfg(not(mistake))]
type Values = layout!((4,8):(1,4));
assert_contiguous!(Values, 4, 4);
