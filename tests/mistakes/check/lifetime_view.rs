//! category: lifetimes of buffers
//! mistake: A function returns a view of a buffer that ends with the function.
//! cure: Return the buffer, and take the view where it is used.
//! CuTe: compiles: a pointer into freed memory.

use host::{Buffer, Device, Error, View};

#[cfg(mistake)]
pub fn weights<'a>(device: &Device) -> Result<View<'a, f32>, Error> {
    let all = device.upload(&[1.0_f32; 128])?;
    all.view(0..64)
}
#[cfg(not(mistake))]
pub fn weights(device: &Device) -> Result<Buffer<f32>, Error> {
    let all = device.upload(&[1.0_f32; 64])?;
    Ok(all)
}
