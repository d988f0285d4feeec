//! A loaded PTX module, and its kernels by name.
//!
//! ```text
//!   ptx ──► Interface: target, signatures ──► target check ──► emulator::Program   (emulator)
//!                                                         └──► driver's compiler  (GPU)
//! ```

use crate::device::{Backend, Device};
use crate::error::{Error, NoSuchKernel};
use crate::gpu::GpuModule;
use crate::kernel::Kernel;
use crate::signature::{Interface, Signature};
use emulator::{Emulator, Program};
use std::fmt;
use std::sync::Arc;

/// A PTX module on a device. Clones refer to the same module.
#[derive(Clone)]
pub struct Module(Arc<ModuleInner>);

struct ModuleInner {
    interface: Interface,
    code: ModuleCode,
    device: Device,
}

/// The code that the device executes.
pub(crate) enum ModuleCode {
    Gpu(GpuModule),
    Emulator(Arc<Emulator>, Arc<Program>),
}

impl Module {
    pub(crate) fn load(device: &Device, ptx: &str) -> Result<Self, Error> {
        let (interface, code) = match device.backend() {
            Backend::Gpu(gpu) => {
                let interface = fitting(device, ptx)?;
                (interface, ModuleCode::Gpu(GpuModule::load(gpu, ptx)?))
            }
            Backend::Emulator(emulator) => {
                // Parsing comes first, because its error, with line and column, says whether the
                // text is PTX at all.
                let program = Program::parse(ptx)?;
                let interface = fitting(device, ptx)?;
                emulator.load(&program)?;
                (
                    interface,
                    ModuleCode::Emulator(Arc::clone(emulator), Arc::new(program)),
                )
            }
        };
        Ok(Self(Arc::new(ModuleInner {
            interface,
            code,
            device: device.clone(),
        })))
    }

    /// Returns the device on which the module is loaded.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Returns the module's target and the signatures of its kernels.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.0.interface
    }

    pub(crate) fn code(&self) -> &ModuleCode {
        &self.0.code
    }

    /// Returns the kernel with this name.
    ///
    /// # Errors
    /// Returns [`Error::NoSuchKernel`] with the names that exist and the one that is most similar.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        match self.0.interface.kernel(name) {
            Some(signature) => Kernel::new(self, signature),
            None => Err(Error::NoSuchKernel(Box::new(no_such_kernel(
                name,
                &self.0.interface.kernels,
            )))),
        }
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("device", &self.0.device)
            .field("interface", &self.0.interface)
            .finish_non_exhaustive()
    }
}

/// Returns the interface of a module, or an error if the device cannot run the module's target.
fn fitting(device: &Device, ptx: &str) -> Result<Interface, Error> {
    let interface = Interface::read(ptx)?;
    if interface.target.runs_on(device.compute_capability()) {
        return Ok(interface);
    }
    Err(Error::Target {
        target: interface.target,
        device: device.name().into(),
        compute_capability: device.compute_capability(),
    })
}

fn no_such_kernel(name: &str, kernels: &[Signature]) -> NoSuchKernel {
    let mut available: Vec<String> = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    available.sort_unstable();
    let nearest = available
        .iter()
        .map(|other| (distance(name, other), other))
        .min()
        .filter(|&(distance, other)| distance <= name.len().max(other.len()) / 3)
        .map(|(_, other)| other.clone());
    NoSuchKernel {
        name: name.into(),
        available,
        nearest,
    }
}

/// Returns the number of edits (insertions, deletions, replacements of a byte) that turn `a` into
/// `b`, ignoring case (Levenshtein 1966; computed row by row, Wagner and Fischer 1974).
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(x != y))
                .min(above + 1)
                .min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the distance by its definition, computed by recursion.
    fn edits(a: &[u8], b: &[u8]) -> usize {
        match (a, b) {
            ([], rest) | (rest, []) => rest.len(),
            ([x, a_rest @ ..], [y, b_rest @ ..]) => (edits(a_rest, b_rest) + usize::from(x != y))
                .min(edits(a_rest, b) + 1)
                .min(edits(a, b_rest) + 1),
        }
    }

    #[test]
    fn distance_is_the_least_number_of_edits() {
        let names = ["", "a", "gemm", "gem", "gmem", "vecadd", "vec_add", "add"];
        for a in names {
            for b in names {
                assert_eq!(distance(a, b), edits(a.as_bytes(), b.as_bytes()), "{a} {b}");
            }
        }
    }
}
