//! The sum of a vector, with the same bits on every run: threads sum tiles in registers, then
//! warps, blocks and at last one block add the sums.
//!
//! ```console
//! cargo run --release --example 04_reduction
//! ```
//!
//! The kernel: `examples/kernels/src/reduce.rs`, launched twice.

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, bandwidth, ensure, load, numbers, size};
use host::{Contract, Launch};

/// Returns the launch that sums `n` elements by `blocks` blocks.
fn launch(n: usize, blocks: u32) -> Launch {
    Contract::new()
        .grid(blocks)
        .block(256)
        .shared(32)
        .writes_of::<f32>(0, "partial", blocks as usize, 4)
        .reads_of::<f32>(1, "src", n, 16)
        .scalar(2, "n", n as u32)
        .launch()
}

/// Runs the example.
pub fn main() -> Outcome {
    let (device, module) = load()?;
    let kernel = module.kernel("reduce_sum")?;
    // There are enough blocks to fill the chip, eight for each multiprocessor. The second launch
    // sums one number of each block.
    let most = 8 * device.limits().multiprocessors;
    for n in [1, 4097, size(&device, 100_001, 1 << 28)] {
        let data = numbers(n as u64, n);
        let src = device.upload(&data)?;
        let blocks = (n.div_ceil(4096) as u32).min(most);
        let mut partial = device.upload(&vec![f32::NAN; blocks as usize])?;
        let mut total = device.upload(&[f32::NAN])?;
        let first = launch(n, blocks);
        kernel.launch(&first, (&mut partial, &src, n as u32))?;
        kernel.launch(&launch(blocks as usize, 1), (&mut total, &partial, blocks))?;
        let found = f64::from(total.to_vec()?[0]);
        let expected: f64 = data.iter().map(|&x| f64::from(x)).sum();
        // Each element is below 1 and takes part in some tens of additions. Each addition is
        // rounded by 2^-24 of a sum.
        let bound = (n as f64).sqrt() * 1e-5 + 1e-6;
        ensure((found - expected).abs() < bound, || {
            format!("the sum of {n} is {found}, not {expected}")
        })?;
        println!("{n} elements: {found:.4} ({expected:.4} in float64)");

        kernel.launch(&first, (&mut partial, &src, n as u32))?;
        kernel.launch(&launch(blocks as usize, 1), (&mut total, &partial, blocks))?;
        ensure(
            f64::from(total.to_vec()?[0]).to_bits() == found.to_bits(),
            || "two runs differ".into(),
        )?;
        if n > 1 << 20 {
            let mut to = device.alloc::<f32>(n)?;
            bandwidth(
                &kernel,
                &first,
                (&mut partial, &src, n as u32),
                4 * n,
                (&src, &mut to),
            )?;
        }
    }
    Ok(())
}
