//! The PTX of this workspace's kernels, as the build embedded it: two modules.
//!
//! ```text
//!   gpu-kernels       ──cuda_builder, in build.rs──► kernels.ptx         ptx()      sm_80 and newer
//!   gpu-kernels-sm90  ─────────────────────────────► kernels_sm90a.ptx   sm90a()    compute capability 9.0 alone
//! ```
//!
//! Law: a device loads the second beside the first exactly where [`choose`] says so.

use crate::Error;
use host::{Device, Interface, Kernel, Module};
use std::sync::{Arc, OnceLock};
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
pub struct Choice {
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
/// # Ok::<(), cutlet::Error>(())
/// ```
///
/// # Errors
/// [`Error::Kernels`] where there is no module at all.
pub fn choose((major, minor): (u32, u32)) -> Result<Choice, Error> {
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
    Ok(Choice { targets, why })
}

/// The program's modules on a device.
///
/// That for `sm_90a` is loaded when one of its kernels is asked for: on a GPU the driver compiles it then.
#[derive(Clone, Debug)]
pub struct Modules {
    base: Module,
    sm90a: Arc<OnceLock<Module>>,
}

impl From<Module> for Modules {
    /// The module for compute capability 8.0 and newer, loaded already.
    fn from(base: Module) -> Self {
        Self {
            base,
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
    /// # Ok::<(), cutlet::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Kernels`], and what the device reports.
    pub fn load(device: &Device) -> Result<Self, Error> {
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

    /// The module for `sm_90a`, where the device runs it.
    ///
    /// # Errors
    /// What the device reports.
    pub fn sm90a(&self) -> Result<Option<&Module>, Error> {
        if let Some(module) = self.sm90a.get() {
            return Ok(Some(module));
        }
        let chosen = choose(self.device().compute_capability())?;
        if chosen.targets.len() < 2 {
            return Ok(None);
        }
        let module = self.device().load(sm90a()?)?;
        Ok(Some(self.sm90a.get_or_init(|| module)))
    }

    /// The kernel of this name, of either module.
    ///
    /// # Errors
    /// [`host::Error::NoSuchKernel`], with the names of the base module.
    pub fn kernel(&self, name: &str) -> Result<Kernel, Error> {
        if self.base.interface().kernel(name).is_none()
            && let Some(module) = self.sm90a()?
            && module.interface().kernel(name).is_some()
        {
            return Ok(module.kernel(name)?);
        }
        Ok(self.base.kernel(name)?)
    }
}
