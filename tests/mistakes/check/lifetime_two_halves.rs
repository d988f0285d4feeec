//! category: lifetimes of buffers
//! mistake: Two launches are prepared with views to write of one buffer at once.
//! cure: One view after the other, or two buffers.
//! CuTe: compiles, overlapping views too; no tool reports launches that write the same place one behind the other.

use host::{Device, Error};

pub fn run(device: &Device) -> Result<(), Error> {
    let mut d = device.alloc::<f32>(128)?;
    #[cfg(mistake)]
    let (mut low, mut high) = (d.view_mut(0..80)?, d.view_mut(64..128)?);
    #[cfg(not(mistake))]
    let (mut other, mut low) = (device.alloc::<f32>(64)?, d.view_mut(0..80)?);
    #[cfg(not(mistake))]
    let mut high = other.view_mut(0..64)?;
    let _ = (low.reborrow(), high.reborrow());
    Ok(())
}
