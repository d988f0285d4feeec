//! category: Hopper
//! mistake: Five stages of 48 KiB: more shared memory than a block can have.
//! cure: Four stages.
//! CuTe: `cudaFuncSetAttribute` returns "invalid argument" at run time; unchecked, the launch does nothing.
#[cfg(mistake)]
layout_types::assert_shared_memory!(5 * 49152 + 64);
#[cfg(not(mistake))]
layout_types::assert_shared_memory!(4 * 49152 + 64);
