//! The parts that the examples share: a device, data, and the copy with which memory-bound kernels
//! are compared.
#![allow(
    dead_code,
    reason = "each example is a crate of its own and uses a part of this"
)]

use std::error::Error;

use bytemuck::Pod;
use host::{Device, Kernel, KernelArgs, Kind, Launch, Module, Timing, reference};

/// The result of an example.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Returns the best device, after printing its name, with the examples' kernels loaded.
pub fn load() -> Result<(Device, Module), Box<dyn Error>> {
    let (device, module) = Device::best_for(example_ptx::ptx()?)?;
    println!("{}", device.where_it_ran());
    Ok((device, module))
}

/// Returns `small` on the emulator, `large` on a GPU. The emulator would take minutes for `large`.
pub fn size<T>(device: &Device, small: T, large: T) -> T {
    match device.kind() {
        Kind::Emulator => small,
        Kind::Gpu => large,
    }
}

/// Returns `n` numbers, uniform in [-1, 1), from a seed.
pub fn numbers(seed: u64, n: usize) -> Vec<f32> {
    reference::fill(seed, n)
}

/// Returns an error unless the condition holds. Examples check their results by it.
pub fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Outcome {
    if holds {
        Ok(())
    } else {
        Err(otherwise().into())
    }
}

/// Prints, on a GPU, the kernel's bytes per second beside the device's own: those of a copy with as
/// many elements as `of` has, in the same run.
///
/// The time is the median of many runs by CUDA events. On the emulator nothing is printed, because
/// its time is not a GPU's time.
pub fn bandwidth<T: Pod>(
    kernel: &Kernel,
    launch: &Launch,
    args: impl KernelArgs,
    bytes: usize,
    (of, to): (&host::Buffer<T>, &mut host::Buffer<T>),
) -> Outcome {
    let device = kernel.device();
    if device.kind() == Kind::Emulator {
        return Ok(());
    }
    let timing = Timing {
        warmup: 5,
        runs: 50,
    };
    let ours = kernel.time(launch, args, timing)?;
    let copy = to.time_copy_from_buffer(of, timing)?;
    let rate = |bytes: usize, seconds: f64| bytes as f64 / seconds * 1e-9;
    let (ours_rate, copy_rate) = (rate(bytes, ours.median), rate(2 * of.size(), copy.median));
    println!("{:24} {ours}: {ours_rate:.0} GB/s", kernel.name());
    println!("{:24} {copy}: {copy_rate:.0} GB/s", "the device's own copy");
    println!("{:24} {:.3}", "ratio", ours_rate / copy_rate);
    Ok(())
}
