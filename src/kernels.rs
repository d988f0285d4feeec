//! The PTX of this workspace's kernels, as the build embedded it: two modules.
//!
//! ```text
//!   gpu-kernels       ──cuda_builder, in build.rs──► kernels.ptx         ptx()      sm_80 and newer
//!   gpu-kernels-sm90  ─────────────────────────────► kernels_sm90a.ptx   sm90a()    compute capability 9.0 alone
//! ```
//!
//! Law: a device loads kernels of the second beside the first exactly where [`choose`] says so.

use crate::CutletError;
use host::{Device, Interface, Kernel, Module};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
const WHY_NOT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.err"));
const SM90A: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels_sm90a.ptx"));
const WHY_NOT_SM90A: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels_sm90a.err"));

/// The kernels were not built into this program, because the source of Rust's `core` was not there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this program was built without its kernels: {message}")]
pub struct KernelsNotBuilt {
    /// What the build said, with the command that helps.
    pub message: &'static str,
}

fn embedded(ptx: &'static str, why_not: &'static str) -> Result<&'static str, KernelsNotBuilt> {
    if why_not.is_empty() {
        Ok(ptx)
    } else {
        Err(KernelsNotBuilt { message: why_not })
    }
}

/// The PTX of every kernel for compute capability 8.0 and newer.
///
/// ```
/// let ptx = cutlet::kernels::ptx()?;
/// assert!(ptx.contains(".entry vecadd"));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// [`KernelsNotBuilt`] with the build's message.
pub fn ptx() -> Result<&'static str, KernelsNotBuilt> {
    embedded(PTX, WHY_NOT)
}

/// The PTX of the kernels for compute capability 9.0 alone: TMA, `mbarrier`, `wgmma`.
///
/// ```
/// let ptx = cutlet::kernels::sm90a()?;
/// assert!(ptx.contains(".target sm_90a") && ptx.contains("wgmma.mma_async"));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// [`KernelsNotBuilt`] with the build's message; also of a program that was built with `CUTLET_SM90A=0`.
pub fn sm90a() -> Result<&'static str, KernelsNotBuilt> {
    embedded(SM90A, WHY_NOT_SM90A)
}

/// Which modules a device loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleChoice {
    /// The targets of the modules, `sm_80` and `sm_90a`.
    pub targets: Vec<String>,
    /// Why these.
    pub why: String,
}

/// Chooses the modules for a device of this compute capability.
///
/// ```
/// let hopper = cutlet::kernels::choose((9, 0))?;
/// assert_eq!((hopper.targets.len(), &*hopper.why), (2, "compute capability 9.0 runs sm_90a"));
/// let ada = cutlet::kernels::choose((8, 9))?;
/// assert_eq!((ada.targets.len(), &*ada.why), (1, "sm_90a runs on compute capability 9.0 alone, this is 8.9"));
/// # Ok::<(), cutlet::CutletError>(())
/// ```
///
/// # Errors
/// [`CutletError::Kernels`] where there is no module at all.
pub fn choose((major, minor): (u32, u32)) -> Result<ModuleChoice, CutletError> {
    let mut targets = vec![Interface::read(ptx()?)?.target.to_string()];
    let why = match sm90a() {
        Err(missing) => format!("none is built for sm_90a ({})", missing.message),
        Ok(ptx) => {
            let target = Interface::read(ptx)?.target;
            if target.runs_on((major, minor)) {
                targets.push(target.to_string());
                format!("compute capability {major}.{minor} runs {target}")
            } else {
                format!("{target} runs on compute capability 9.0 alone, this is {major}.{minor}")
            }
        }
    };
    Ok(ModuleChoice { targets, why })
}

/// What begins a kernel in PTX, before its name.
const ENTRY: &str = ".visible .entry ";

/// The text before the first kernel: version, target, and what all kernels name.
fn head_of(ptx: &str) -> &str {
    &ptx[..ptx.find(ENTRY).unwrap_or(ptx.len())]
}

/// The text of one kernel.
fn entry_of<'a>(ptx: &'a str, name: &str) -> Option<&'a str> {
    let start = ptx.match_indices(ENTRY).find_map(|(at, _)| {
        let rest = ptx[at + ENTRY.len()..].strip_prefix(name)?;
        rest.starts_with('(').then_some(at)
    })?;
    let end = ptx[start..]
        .find("\n}\n")
        .map_or(ptx.len(), |end| start + end + 3);
    Some(&ptx[start..end])
}

/// The program's modules on a device.
///
/// A kernel for `sm_90a` is loaded by itself, at its first use: a GPU's driver compiles the thirty of them in twenty seconds,
/// and one in less than one.
#[derive(Clone, Debug)]
pub struct Modules {
    base: Module,
    /// Whether the device runs kernels for `sm_90a`.
    runs_sm90a: bool,
    sm90a: Arc<Mutex<BTreeMap<String, Module>>>,
}

impl From<Module> for Modules {
    /// The module for compute capability 8.0 and newer, loaded already.
    fn from(base: Module) -> Self {
        let compute_capability = base.device().compute_capability();
        let target = sm90a().ok().map(|ptx| Interface::read(head_of(ptx)));
        let runs = |read: Interface| read.target.runs_on(compute_capability);
        Self {
            base,
            runs_sm90a: target.is_some_and(|read| read.is_ok_and(runs)),
            sm90a: Arc::default(),
        }
    }
}

impl Modules {
    /// Loads the module for compute capability 8.0 and newer.
    ///
    /// ```
    /// let device = host::Device::emulator();
    /// let modules = cutlet::kernels::Modules::load(&device)?;
    /// assert!(modules.kernel("vecadd").is_ok());
    /// assert!(modules.kernel("gemm_f16_f32_tn_128x256x64_s4_wgmma").is_ok());
    /// # Ok::<(), cutlet::CutletError>(())
    /// ```
    ///
    /// # Errors
    /// [`CutletError::Kernels`], and what the device reports.
    pub fn load(device: &Device) -> Result<Self, CutletError> {
        Ok(device.load(ptx()?)?.into())
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.base.device()
    }

    /// The module for compute capability 8.0 and newer.
    #[must_use]
    pub fn base(&self) -> &Module {
        &self.base
    }

    /// The text of a kernel for `sm_90a`, where the device runs it.
    fn text_of_sm90a(&self, name: &str) -> Option<&'static str> {
        if !self.runs_sm90a {
            return None;
        }
        entry_of(sm90a().ok()?, name)
    }

    /// Whether there is a kernel of this name for the device; loads none.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.base.interface().kernel(name).is_some() || self.text_of_sm90a(name).is_some()
    }

    /// The kernel of this name, of either kind.
    ///
    /// # Errors
    /// [`host::Error::NoSuchKernel`], with the names of the base module; what the device reports of a kernel that it compiles.
    pub fn kernel(&self, name: &str) -> Result<Kernel, CutletError> {
        if self.base.interface().kernel(name).is_some() {
            return Ok(self.base.kernel(name)?);
        }
        let Some(text) = self.text_of_sm90a(name) else {
            return Ok(self.base.kernel(name)?);
        };
        let mut loaded = self.sm90a.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = loaded.get(name) {
            return Ok(module.kernel(name)?);
        }
        let module = self
            .device()
            .load(&format!("{}{text}", head_of(sm90a()?)))?;
        let kernel = module.kernel(name)?;
        loaded.insert(name.into(), module);
        Ok(kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kernel_is_a_module_of_its_own() {
        let modules = Modules::load(&Device::emulator()).unwrap();
        let names = Interface::read(sm90a().unwrap()).unwrap().kernels;
        assert!(names.len() > 20);
        for signature in names {
            let kernel = modules.kernel(&signature.name).unwrap();
            assert_eq!(kernel.signature(), &signature);
            assert!(modules.has(&signature.name));
        }
        assert!(!modules.has("gemm_f16_f32_tn_128x256x64_s4_wgm"));
        assert!(modules.kernel("nothing").is_err());
    }
}
