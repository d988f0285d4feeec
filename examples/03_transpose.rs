//! A transpose through a swizzled tile of shared memory: reads and writes of global memory move
//! whole cache lines, and neither has bank conflicts in shared memory.
//!
//! ```console
//! cargo run --release --example 03_transpose
//! ```
//!
//! The kernel: `gpu-kernels/src/transpose.rs`, the library's form of the kernel in the README.

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, bandwidth, ensure, numbers, size};
use gpu_kernels::transpose::{TransposeArgument, Width, launch_spec};
use host::{BoundArguments, Buffer, Contract, Device, Error, NamedArguments};
use kernel_abi::KernelArguments;

/// The names of the kernel's arguments, in their order.
const LIST: KernelArguments<TransposeArgument> = Width::B32.arguments();

/// Returns the kernel's arguments, each by its name.
fn arguments<'a>(
    dst: &'a mut Buffer<f32>,
    src: &'a Buffer<f32>,
    [rows, cols]: [u32; 2],
) -> Result<BoundArguments<'a>, Error> {
    NamedArguments::new(LIST)
        .with(TransposeArgument::Dst, dst)
        .with(TransposeArgument::Src, src)
        .with(TransposeArgument::Rows, rows)
        .with(TransposeArgument::Cols, cols)
        .bind()
}

/// Runs the example.
pub fn main() -> Outcome {
    let (device, module) = Device::best_for(cutlet::kernels::ptx()?)?;
    println!("{}", device.where_it_ran());
    for (rows, cols) in [(1, 1), (65, 33), size(&device, (128, 192), (16384, 16384))] {
        let spec = launch_spec(Width::B32, rows, cols)?;
        let kernel = module.kernel(spec.kernel)?;
        let n = (rows * cols) as usize;
        let data = numbers(7, n);
        let src = device.upload(&data)?;
        let mut dst = device.upload(&vec![f32::NAN; n])?;
        let contract = Contract::from(&spec)
            .argument(LIST, TransposeArgument::Rows, rows)
            .argument(LIST, TransposeArgument::Cols, cols);
        let launch = contract.launch();
        kernel.launch(&launch, arguments(&mut dst, &src, [rows, cols])?)?;
        let found = dst.to_vec()?;
        for row in 0..rows as usize {
            for col in 0..cols as usize {
                let (found, expected) = (
                    found[col * rows as usize + row],
                    data[row * cols as usize + col],
                );
                ensure(found == expected, || {
                    format!("({row}, {col}) is {found}, not {expected}")
                })?;
            }
        }
        println!("({rows}, {cols}) transposed");
        if n > 1 << 20 {
            let mut to = device.alloc::<f32>(n)?;
            bandwidth(
                &kernel,
                &launch,
                arguments(&mut dst, &src, [rows, cols])?,
                8 * n,
                (&src, &mut to),
            )?;
        }
    }
    Ok(())
}
