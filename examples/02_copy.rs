//! A copy of a vector at the speed of memory: each access moves 16 bytes, and four accesses of a
//! thread are in flight at once.
//!
//! ```console
//! cargo run --release --example 02_copy
//! ```
//!
//! The kernel: `examples/kernels/src/stream.rs`. The roofline of a copy is the memory's bandwidth:
//! a copy computes nothing, so only the number of bytes in flight matters.

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, bandwidth, ensure, load, numbers, size};
use host::Contract;

/// Runs the example.
pub fn main() -> Outcome {
    let (device, module) = load()?;
    let kernel = module.kernel("stream_copy")?;
    for n in [1, 4095, 4097, size(&device, 100_000, 1 << 28)] {
        let data = numbers(n as u64, n);
        let src = device.upload(&data)?;
        let mut dst = device.upload(&vec![f32::NAN; n])?;
        let launch = Contract::new()
            .grid(n.div_ceil(4096) as u32)
            .block(256)
            .writes_of::<f32>(0, "dst", n, 16)
            .reads_of::<f32>(1, "src", n, 16)
            .scalar(2, "n", n as u32)
            .launch();
        kernel.launch(&launch, (&mut dst, &src, n as u32))?;
        ensure(dst.to_vec()? == data, || {
            format!("the copy of {n} elements differs")
        })?;
        println!("{n} elements copied");
        if n > 1 << 20 {
            let mut to = device.alloc::<f32>(n)?;
            bandwidth(
                &kernel,
                &launch,
                (&mut dst, &src, n as u32),
                8 * n,
                (&src, &mut to),
            )?;
        }
    }
    Ok(())
}
