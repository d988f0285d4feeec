//! The PTX of this workspace's kernels: two modules, one embedded by the build, the other embedded or built when it is first asked for.
//!
//! ```text
//!   gpu-kernels       ──cuda_builder, in build.rs──► kernels.ptx         ptx()      sm_80 and newer
//!   gpu-kernels-sm90  ──there, or at first use─────► kernels_sm90a.ptx   sm90a()    compute capability 9.0 alone
//! ```
//!
//! Law: a device loads kernels of the second beside the first exactly where [`choose`] says so. Nobody but who loads one of them, or
//! asks for their text, has to wait for them.

mod recipe;

use crate::CutletError;
use crate::{attention, gemm};
use cuda_builder::{CudaBuilder, NvvmArch};
use host::{Device, Interface, Kernel, Module, Reach, Target};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use thiserror::Error;

const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
const WHY_NOT: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.err"));
const SM90A: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels_sm90a.ptx"));
const WHY_NOT_SM90A: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels_sm90a.err"));
/// By what the module is built, where the build left that to the program.
const DEFERRED_SM90A: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels_sm90a.deferred"));

/// What the module for `sm_90a` is for.
const TARGET_SM90A: Target = Target {
    major: 9,
    minor: 0,
    reach: Reach::Exact,
};

/// The kernels for `sm_90a` that no table has: they are launched ahead of a GEMM's, and behind it.
const BESIDE_GEMM: [&str; 9] = [
    "pack_u8",
    "pack_u16",
    "pack_u32",
    "gemm_reduction_bf16",
    "gemm_reduction_e4m3",
    "gemm_reduction_e5m2",
    "gemm_reduction_f16",
    "gemm_reduction_s8",
    "gemm_reduction_tf32",
];

/// This program has no such kernels: the source of Rust's `core` was not there, they were left out, or they cannot be built now.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this program lacks kernels: {message}")]
pub struct KernelsNotBuilt {
    /// What the build said, with what helps.
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
/// Where the program's build left them to the first use ([`sm90a_state`]), that is now: the compiler runs, for about a minute, and a
/// line on standard error says so. What it made is kept beside the program's build, for all programs of these sources.
///
/// ```
/// let ptx = cutlet::kernels::sm90a()?;
/// assert!(ptx.contains(".target sm_90a") && ptx.contains("wgmma.mma_async"));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// [`KernelsNotBuilt`] with the build's message; also of a program that was built with `CUTLET_SM90A=0`, or whose sources are gone or
/// others before the first use.
pub fn sm90a() -> Result<&'static str, KernelsNotBuilt> {
    static BUILT: OnceLock<Result<String, String>> = OnceLock::new();
    if DEFERRED_SM90A.is_empty() {
        return embedded(SM90A, WHY_NOT_SM90A);
    }
    match BUILT.get_or_init(build_sm90a) {
        Ok(ptx) => Ok(ptx),
        Err(message) => Err(KernelsNotBuilt { message }),
    }
}

/// The build that `build.rs` left to the program.
fn builder_of_sm90a() -> CudaBuilder {
    recipe::recipe(env!("CUTLET_SM90A_SOURCES"), NvvmArch::Compute90a)
        .build_folder(cuda_builder::folder_of(Path::new(env!("OUT_DIR"))))
        .quiet(true)
}

fn build_sm90a() -> Result<String, String> {
    let builder = builder_of_sm90a();
    if let Some(ptx) = builder.deferred(DEFERRED_SM90A) {
        return Ok(ptx);
    }
    eprintln!("building the kernels for Hopper (sm_90a), once: about a minute");
    builder.build_deferred(DEFERRED_SM90A).map_err(|error| {
        format!(
            "those for Hopper (sm_90a) were left to their first use, and cannot be built now: {error}. A program that is built with \
             CUTLET_SM90A=1 in the environment has them"
        )
    })
}

/// Where the module for `sm_90a` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sm90aState {
    /// In the program.
    Embedded,
    /// Left to the program by its build, and built since.
    Built,
    /// Left to the program by its build: the first kernel that is loaded builds it.
    Deferred,
    /// Nowhere, for this reason.
    LeftOut(&'static str),
}

/// Where the module for `sm_90a` is; builds nothing.
///
/// ```
/// use cutlet::kernels::{Sm90aState, sm90a, sm90a_state};
/// sm90a()?;
/// assert!(matches!(sm90a_state(), Sm90aState::Embedded | Sm90aState::Built));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
#[must_use]
pub fn sm90a_state() -> Sm90aState {
    if !WHY_NOT_SM90A.is_empty() {
        Sm90aState::LeftOut(WHY_NOT_SM90A)
    } else if DEFERRED_SM90A.is_empty() {
        Sm90aState::Embedded
    } else if builder_of_sm90a().deferred(DEFERRED_SM90A).is_some() {
        Sm90aState::Built
    } else {
        Sm90aState::Deferred
    }
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
    let target = TARGET_SM90A;
    let why = if !WHY_NOT_SM90A.is_empty() {
        format!("none is built for {target} ({WHY_NOT_SM90A})")
    } else if target.runs_on((major, minor)) {
        targets.push(target.to_string());
        format!("compute capability {major}.{minor} runs {target}")
    } else {
        format!("{target} runs on compute capability 9.0 alone, this is {major}.{minor}")
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
        let runs_sm90a = TARGET_SM90A.runs_on(base.device().compute_capability());
        Self {
            base,
            runs_sm90a,
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

    /// Whether there is a kernel of this name for the device; loads none, and builds none.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.base.interface().kernel(name).is_some()
            || WHY_NOT_SM90A.is_empty() && self.lists_in_sm90a(name)
    }

    /// Whether a kernel of this name is for `sm_90a`, and the device runs it, by the tables.
    fn lists_in_sm90a(&self, name: &str) -> bool {
        let of_gemm = |of: &gemm::Configuration| of.hopper.is_some() && of.kernel == name;
        self.runs_sm90a
            && (gemm::CONFIGURATIONS.iter().any(of_gemm)
                || attention::CONFIGURATIONS.iter().any(|of| of.kernel == name)
                || attention::BACKWARD_CONFIGURATIONS
                    .iter()
                    .any(|of| [of.rows, of.keys.kernel, of.queries.kernel].contains(&name))
                || BESIDE_GEMM.contains(&name))
    }

    /// Why there is no kernel of this name, where the device could run it: the build left it out.
    #[must_use]
    pub fn left_out(&self, name: &str) -> Option<KernelsNotBuilt> {
        let left_out = !WHY_NOT_SM90A.is_empty() && !self.has(name) && self.lists_in_sm90a(name);
        left_out.then_some(KernelsNotBuilt {
            message: WHY_NOT_SM90A,
        })
    }

    /// The kernel of this name, of either kind.
    ///
    /// # Errors
    /// [`host::Error::NoSuchKernel`], with the names of the base module; [`CutletError::Kernels`] where it was left out or cannot be
    /// built; what the device reports of a kernel that it compiles.
    pub fn kernel(&self, name: &str) -> Result<Kernel, CutletError> {
        if self.base.interface().kernel(name).is_some() {
            return Ok(self.base.kernel(name)?);
        }
        if !self.lists_in_sm90a(name) {
            return Ok(self.base.kernel(name)?);
        }
        let ptx = sm90a()?;
        let Some(text) = entry_of(ptx, name) else {
            return Ok(self.base.kernel(name)?);
        };
        let mut loaded = self.sm90a.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = loaded.get(name) {
            return Ok(module.kernel(name)?);
        }
        let module = self.device().load(&format!("{}{text}", head_of(ptx)))?;
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
        let module = Interface::read(sm90a().unwrap()).unwrap();
        assert_eq!(module.target, TARGET_SM90A);
        let names = module.kernels;
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
