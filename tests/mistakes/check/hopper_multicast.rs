//! category: Hopper
//! mistake: A multicast mask names block 2 of a cluster of 2.
//! cure: Bits 0 and 1.
//! CuTe: silent at compile time; the copy hangs or faults.
#[cfg(mistake)]
layout_types::assert_multicast!(0b101, 2);
#[cfg(not(mistake))]
layout_types::assert_multicast!(0b11, 2);
