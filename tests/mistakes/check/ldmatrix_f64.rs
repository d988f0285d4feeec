//! category: ldmatrix and stmatrix
//! mistake: `ldmatrix` is to bring f64 elements: a lane gets 32 bits of each matrix.
//! cure: A universal copy for elements of more than 32 bits.
//! CuTe: a static assertion of the traits' divides.
#[cfg(mistake)]
use layout_types::atom::copy::{Sm75_U32x4_LDSM_N as Atom, ValLayoutDst};
#[cfg(not(mistake))]
use layout_types::atom::copy::{UniversalCopy, ValLayoutDst};
#[cfg(not(mistake))]
type Atom = UniversalCopy<f64>;
pub fn use_it(_: ValLayoutDst<Atom, f64>) {}
