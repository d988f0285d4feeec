//! What the examples share: a device, data, and the copy that memory-bound kernels are held
//! against.
#![allow(
    dead_code,
    reason = "each example is a crate of its own and uses a part of this"
)]

use std::error::Error;

use bytemuck::Pod;
use host::{Device, Kernel, KernelArgs, Kind, Launch, Module, Timing, reference};

/// What an example returns.
pub type Outcome = Result<(), Box<dyn Error>>;

/// The best device there is, said aloud, with the examples' kernels loaded.
pub fn load() -> Result<(Device, Module), Box<dyn Error>> {
    let (device, module) = Device::best_for(example_ptx::ptx()?)?;
    println!("{}", device.where_it_ran());
    Ok((device, module))
}

/// `small` on the emulator, `large` on a GPU: sizes that fill a chip take the emulator minutes.
pub fn size<T>(device: &Device, small: T, large: T) -> T {
    match device.kind() {
        Kind::Emulator => small,
        Kind::Gpu => large,
    }
}

/// `n` numbers, uniform in [-1, 1), from a seed.
pub fn numbers(seed: u64, n: usize) -> Vec<f32> {
    reference::fill(seed, n)
}

/// An error where the condition does not hold: examples check their results.
pub fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Outcome {
    if holds {
        Ok(())
    } else {
        Err(otherwise().into())
    }
}

/// On a GPU, the kernel's bytes a second beside those of the device's own copy of as many elements
/// as `of` has, in the same run.
///
/// The time is the median of many runs by CUDA events. Nothing is said on the emulator: its time is
/// not a GPU's.
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
