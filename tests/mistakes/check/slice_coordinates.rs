//! category: layouts and divides
//! mistake: A partition of four modes (CPY,CPY_M,CPY_K,k) is sliced by three coordinates.
//! cure: Give a coordinate or `__` for each mode.
//! CuTe: static assertion, "Mismatched ranks", behind some hundred lines of instantiations.
use layout_types::prelude::*;
use layout_types::tensor::identity_tensor;
pub fn kernel(k: u32) {
    let t_ag = identity_tensor::<layout!(((8,1),4,2,3):((1@0,0),32@0,16@1,1@2)), 3>();
    #[cfg(mistake)]
    let _ = t_ag.slice((__, __, k));
    #[cfg(not(mistake))]
    let _ = t_ag.slice((__, __, __, k));
}
