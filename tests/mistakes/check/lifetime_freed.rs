//! category: lifetimes of buffers
//! mistake: A buffer is freed, and its address is still an argument of the next launch.
//! cure: A buffer lives until its last launch: drop it behind that.
//! CuTe: compiles; reads of freed memory, which another allocation may have; `memcheck` reports them where nobody has.

use host::{Device, Error, Launch, Module};

pub fn run(device: &Device, module: &Module) -> Result<(), Error> {
    let kernel = module.kernel("add")?;
    let a = device.upload(&[1.0_f32; 128])?;
    let mut d = device.alloc::<f32>(128)?;
    #[cfg(mistake)]
    drop(a);
    kernel.launch(&Launch::new(1, 128), (&mut d, &a, 128_u32))?;
    #[cfg(not(mistake))]
    drop(a);
    Ok(())
}
