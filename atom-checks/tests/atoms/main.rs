//! Every atom runs: on the emulator, and on a GPU where there is one, against its plain definition.
//!
//! ```text
//!   sm_80.ptx ─┬─► emulator ─► D ─┐
//!              └─► GPU      ─► D ─┴─► the definition's, bit for bit where the arithmetic is exact
//!   sm_90.ptx ─┬─► ..
//! ```
//!
//! The executable holds the PTX: carried to a machine with a GPU, it needs nothing else.

mod copy;
mod mma;
mod text;

use atom_checks::{MODULES, WHY_NOT};
use host::{Device, Error, Kernel, KernelArgs, Kind, Launch, Module};
use std::sync::LazyLock;

/// A module's kernels on a device.
pub struct Place {
    /// The compute capability times ten that the module is for.
    pub sm: usize,
    module: Module,
}

impl Place {
    /// `sm_80.ptx on NVIDIA H200`.
    pub fn name(&self) -> String {
        format!("sm_{}.ptx on {}", self.sm, self.module.device().name())
    }

    /// The device.
    pub fn device(&self) -> &Device {
        self.module.device()
    }

    /// A kernel of the module.
    pub fn kernel(&self, name: &str) -> Kernel {
        let found = self.module.kernel(name);
        found.unwrap_or_else(|error| panic!("{}: {error}", self.name()))
    }

    /// One warp, with shared memory for the largest atom's bits.
    pub fn run(&self, name: &str, args: impl KernelArgs) {
        let launch = Launch::new(1, 32).shared(1024);
        let done = self.kernel(name).launch(&launch, args);
        done.unwrap_or_else(|error| panic!("{name}, {}: {error}", self.name()));
    }
}

/// Both modules on the emulator and on the GPU, where there is one that is new enough; by module, the emulator first.
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
