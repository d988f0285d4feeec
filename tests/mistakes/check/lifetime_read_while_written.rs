//! category: lifetimes of buffers
//! mistake: A view of the results is kept from before the launch that writes them.
//! cure: Take the view behind the launch.
//! CuTe: compiles; what is read is what was copied before.

use host::{Device, Error, Launch, Module};

pub fn run(device: &Device, module: &Module) -> Result<u64, Error> {
    let kernel = module.kernel("add")?;
    let mut d = device.alloc::<f32>(128)?;
    #[cfg(mistake)]
    let results = d.all();
    kernel.launch(&Launch::new(1, 128), (&mut d, 128_u32))?;
    #[cfg(not(mistake))]
    let results = d.all();
    Ok(results.address())
}
