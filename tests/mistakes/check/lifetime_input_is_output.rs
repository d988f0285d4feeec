//! category: lifetimes of buffers
//! mistake: One buffer is input and output of a kernel that reads neighbours.
//! cure: A buffer of its own for the output.
//! CuTe: compiles; with `__restrict__` the compiler may even read the old values; a race between blocks.

use host::{Device, Error, Launch, Module};

pub fn run(device: &Device, module: &Module) -> Result<(), Error> {
    let kernel = module.kernel("stencil")?;
    let mut d = device.upload(&[1.0_f32; 128])?;
    #[cfg(mistake)]
    kernel.launch(&Launch::new(1, 128), (&mut d, &d, 128_u32))?;
    #[cfg(not(mistake))]
    {
        let a = device.upload(&[1.0_f32; 128])?;
        kernel.launch(&Launch::new(1, 128), (&mut d, &a, 128_u32))?;
    }
    Ok(())
}
