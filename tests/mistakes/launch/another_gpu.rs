//! category: launches
//! mistake: Kernels that are built for compute capability 9.0a are loaded on a GPU of 8.0.
//! cure: Build for the oldest GPU that is to run them: `.arch(NvvmArch::Compute80)`; 9.0a is for Hopper's instructions alone.
//! CuTe: compiles; "no kernel image is available for execution on the device" at the first launch, where its error is asked for.

use crate::bench::{Bench, Outcome};
use host::{Device, EmulatorConfig};

pub fn run(_: &Bench, right: bool) -> Outcome {
    let compute_capability = if right { (9, 0) } else { (8, 0) };
    let config = EmulatorConfig { compute_capability, ..EmulatorConfig::default() };
    Device::emulator_with(config).load(mistakes::ptx().unwrap())?;
    Ok(())
}
