//! The places where the kernels run: each module on the emulator, and on a GPU if there is one.
//!
//! ```text
//!   sm_80.ptx, sm_90.ptx ─► emulator, GPU ─► places()
//! ```

use crate::{MODULES, WHY_NOT};
use host::{Device, Error, Kernel, KernelArgs, Kind, Launch, Module};
use std::sync::LazyLock;

/// A module's kernels on a device.
pub struct Place {
    /// The compute capability of the module's target, times ten.
    pub sm: usize,
    module: Module,
}

impl Place {
    /// Returns the module and the device: `sm_80.ptx on NVIDIA H200`.
    pub fn name(&self) -> String {
        format!("sm_{}.ptx on {}", self.sm, self.device().name())
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        self.module.device()
    }

    /// Returns a kernel of the module.
    ///
    /// Panics if there is no kernel with this name.
    pub fn kernel(&self, name: &str) -> Kernel {
        let found = self.module.kernel(name);
        found.unwrap_or_else(|error| panic!("{}: {error}", self.name()))
    }

    /// Runs a kernel to its end.
    ///
    /// Panics if the kernel cannot be launched or fails.
    pub fn run(&self, name: &str, launch: &Launch, args: impl KernelArgs) {
        let done = self.kernel(name).launch(launch, args);
        done.unwrap_or_else(|error| panic!("{name}, {}: {error}", self.name()));
    }
}

/// Returns both modules on the emulator and, if there is a GPU that is new enough, on the GPU. They
/// are sorted by module, and the emulator comes first.
///
/// Panics if the kernels were not built.
pub fn places() -> &'static [Place] {
    static PLACES: LazyLock<Vec<Place>> = LazyLock::new(find);
    &PLACES
}

fn find() -> Vec<Place> {
    assert!(WHY_NOT.is_empty(), "the kernels were not built: {WHY_NOT}");
    let mut devices = vec![Device::emulator()];
    match Device::gpu(0) {
        Ok(gpu) => devices.push(gpu),
        Err(why) => println!("no CUDA device: on the emulator alone ({why})"),
    }
    let mut places = Vec::new();
    for built in MODULES {
        for device in &devices {
            match device.load(built.ptx) {
                Ok(module) => places.push(Place {
                    sm: built.sm,
                    module,
                }),
                Err(why @ Error::Target { .. }) if device.kind() == Kind::Gpu => {
                    println!("not on {}: {why}", device.name());
                }
                Err(why) => panic!("sm_{}.ptx on {}: {why}", built.sm, device.name()),
            }
        }
    }
    places
}
