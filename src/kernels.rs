//! The PTX of this workspace's kernels: three modules. The program's build embeds each of them, or
//! the program builds it at the first use.
//!
//! ```text
//!   gpu-kernels       ──first-kernels' build.rs────────► first_kernels::PTX  first()    those kernels of the next line that a first run needs
//!                     ──build.rs, or at first use──────► kernels.ptx         ptx()      sm_80 and newer
//!   gpu-kernels-sm90  ──build.rs, or at first use──────► kernels_sm90a.ptx   sm90a()    compute capability 9.0 alone
//!   gpu-kernels-sm100 ──at first use───────────────────► kernels_sm100a.ptx  sm100a()   compute capability 10.0 alone
//! ```
//!
//! No card has run the kernels for `sm_100a`.
//!
//! Law: a device loads kernels of one of the last two modules, beside the others, if and only if
//! [`choose`] says so. Only a caller that loads a kernel which the build left to the program, or
//! that requests its text, waits for the compiler.

mod module_text;
mod pack;
mod together;

use crate::CutletError;
use host::{Device, Interface, Kernel, Kind, Module, Reach, Resources, Target};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

use module_text::{BLACKWELL, EVERY, HOPPER, ModuleText, entries_of, head_of};
pub use pack::{listed, pack_sources, pack_sources_of, pack_tables};

/// The modules that only one architecture runs.
static OF_ONE_ARCHITECTURE: [OneArchitecture; 2] = [
    OneArchitecture {
        target: Target {
            major: 9,
            minor: 0,
            reach: Reach::Exact,
        },
        module: &HOPPER,
        caution: "",
    },
    OneArchitecture {
        target: Target {
            major: 10,
            minor: 0,
            reach: Reach::Exact,
        },
        module: &BLACKWELL,
        caution: ", whose kernels no card has run",
    },
];

/// A module that only one architecture runs.
struct OneArchitecture {
    target: Target,
    module: &'static ModuleText,
    /// A text that is added to every explanation of the choice of this module.
    caution: &'static str,
}

impl OneArchitecture {
    /// Returns the module that only devices of this compute capability run, or `None` if there is
    /// none.
    fn of(compute_capability: (u32, u32)) -> Option<&'static Self> {
        let mut all = OF_ONE_ARCHITECTURE.iter();
        all.find(|of| of.target.runs_on(compute_capability))
    }
}

/// The error that this program lacks kernels: the source of Rust's `core` was missing, the build
/// left them out, or they cannot be built now.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this program lacks kernels: {message}")]
pub struct KernelsNotBuilt {
    /// The message of the build, with advice.
    pub message: &'static str,
}

/// Returns the PTX of the kernels that a first run needs, for compute capability 8.0 and newer.
/// They are some of those of [`ptx`]. The function builds nothing.
///
/// ```
/// let ptx = cutlet::kernels::first()?;
/// assert!(ptx.contains(".entry vecadd"));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// Returns [`KernelsNotBuilt`] with the build's message.
pub fn first() -> Result<&'static str, KernelsNotBuilt> {
    match first_kernels::WHY_NOT {
        "" => Ok(first_kernels::PTX),
        message => Err(KernelsNotBuilt { message }),
    }
}

/// Returns the PTX of every kernel for compute capability 8.0 and newer.
///
/// If the program's build left them to the first use ([`ptx_state`]), this call runs the compiler
/// for half a minute, and says so in a line on standard error. The result is kept beside the
/// program's build, for all programs of these sources.
///
/// ```
/// use cutlet::kernels::{ModuleState, ptx, ptx_state};
/// if ptx_state() != ModuleState::Deferred {
///     assert!(ptx()?.contains(".entry vecadd")); // nobody waits for it here
/// }
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// Returns [`KernelsNotBuilt`] with the build's message. Also returns it if the sources disappeared
/// or changed before the first use.
pub fn ptx() -> Result<&'static str, KernelsNotBuilt> {
    EVERY.get()
}

/// Returns the PTX of the kernels for compute capability 9.0 only: TMA, `mbarrier`, `wgmma`.
///
/// If the program's build left them to the first use ([`sm90a_state`]), this call runs the compiler
/// for about a minute, and says so in a line on standard error. The result is kept beside the
/// program's build, for all programs of these sources.
///
/// ```
/// use cutlet::kernels::{ModuleState, sm90a, sm90a_state};
/// if sm90a_state() != ModuleState::Deferred {
///     let ptx = sm90a()?; // nobody waits for it here
///     assert!(ptx.contains(".target sm_90a") && ptx.contains("wgmma.mma_async"));
/// }
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// Returns [`KernelsNotBuilt`] with the build's message. Also returns it if the program was built
/// with `CUTLET_SM90A=0`, or if the sources disappeared or changed before the first use.
pub fn sm90a() -> Result<&'static str, KernelsNotBuilt> {
    HOPPER.get()
}

/// Returns the PTX of the kernels for compute capability 10.0 only: TMA, `mbarrier`, `tcgen05`. No
/// card has run them.
///
/// The program's build leaves them to the first use ([`sm100a_state`]), unless it has
/// `CUTLET_SM100A=1` in its environment. The first use is as for [`sm90a`].
///
/// ```
/// use cutlet::kernels::{ModuleState, sm100a, sm100a_state};
/// if sm100a_state() != ModuleState::Deferred {
///     let ptx = sm100a()?; // nobody waits for it here
///     assert!(ptx.contains(".target sm_100a") && ptx.contains("tcgen05.mma"));
/// }
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// Returns [`KernelsNotBuilt`] as [`sm90a`] does, with the variable `CUTLET_SM100A`.
pub fn sm100a() -> Result<&'static str, KernelsNotBuilt> {
    BLACKWELL.get()
}

/// Returns the PTX of one kernel of any module, or `None` if no module has a kernel of this name.
/// If the build left the kernel's module to the program, this call builds the kernel with the
/// others of its launch, in seconds.
///
/// ```
/// use cutlet::kernels::alone;
/// let ptx = alone("vecadd")?.expect("a kernel");
/// assert!(ptx.contains(".entry vecadd(") && !ptx.contains("transpose"));
/// assert!(alone("vecsub")?.is_none());
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// Returns [`KernelsNotBuilt`] as [`ptx`] and [`sm90a`] do.
pub fn alone(name: &str) -> Result<Option<String>, KernelsNotBuilt> {
    let first = first()?;
    if let Some(text) = entries_of(first).get(name) {
        return Ok(Some(format!("{}{text}", head_of(first))));
    }
    for module in [&EVERY, &HOPPER, &BLACKWELL] {
        if let Some(text) = module.alone(name)? {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

/// Whether a kernel has a head dimension of attention, or score parts, whose kernels are built one
/// by one when they are requested. No build of all kernels contains such a kernel.
///
/// ```
/// use cutlet::kernels::is_on_demand;
/// assert!(is_on_demand("attention_mma_bf16_d80_128x64_s1"));
/// assert!(is_on_demand("attention_sinks_bf16_d64_128x128_s2"));
/// assert!(!is_on_demand("attention_mma_bf16_d128_128x64_s1"));
/// ```
#[must_use]
pub fn is_on_demand(name: &str) -> bool {
    together::is_on_demand(name)
}

/// The place of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleState {
    /// The module is in the program: all of it, or the kernels that `CUTLET_KERNELS` named to the
    /// build, which leaves the others to the program.
    Embedded,
    /// The build left the module to the program, which has built it.
    Built,
    /// The build left the module to the program, which builds it when its first kernel is loaded.
    Deferred,
    /// The program does not have the module, for this reason.
    LeftOut(&'static str),
}

/// Returns the place of the module of [`ptx`]. It builds nothing.
///
/// ```
/// use cutlet::kernels::{ModuleState, ptx_state};
/// assert!(matches!(ptx_state(), ModuleState::Embedded | ModuleState::Built | ModuleState::Deferred));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
#[must_use]
pub fn ptx_state() -> ModuleState {
    EVERY.state()
}

/// Returns the place of the module of [`sm90a`]. It builds nothing.
///
/// ```
/// use cutlet::kernels::{ModuleState, sm90a_state};
/// assert!(matches!(sm90a_state(), ModuleState::Embedded | ModuleState::Built | ModuleState::Deferred));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
#[must_use]
pub fn sm90a_state() -> ModuleState {
    HOPPER.state()
}

/// Returns the place of the module of [`sm100a`]. It builds nothing.
///
/// ```
/// use cutlet::kernels::{ModuleState, sm100a_state};
/// assert!(matches!(sm100a_state(), ModuleState::Embedded | ModuleState::Built | ModuleState::Deferred));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
#[must_use]
pub fn sm100a_state() -> ModuleState {
    BLACKWELL.state()
}

/// The modules that a device loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleChoice {
    /// The targets of the modules: `sm_80`, and `sm_90a` or `sm_100a` if the device runs one of
    /// them.
    pub targets: Vec<String>,
    /// The reason for this choice.
    pub why: String,
}

/// Chooses the modules for a device of this compute capability.
///
/// ```
/// let hopper = cutlet::kernels::choose((9, 0))?;
/// assert_eq!((hopper.targets.len(), &*hopper.why), (2, "compute capability 9.0 runs sm_90a"));
/// let ada = cutlet::kernels::choose((8, 9))?;
/// assert_eq!((ada.targets.len(), &*ada.why), (1, "sm_90a runs on compute capability 9.0 alone, this is 8.9"));
/// let blackwell = cutlet::kernels::choose((10, 0))?;
/// assert_eq!(blackwell.targets, ["sm_80", "sm_100a"]);
/// assert_eq!(blackwell.why, "compute capability 10.0 runs sm_100a, whose kernels no card has run");
/// # Ok::<(), cutlet::CutletError>(())
/// ```
///
/// # Errors
/// Returns [`CutletError::Kernels`] if the program has no module at all.
pub fn choose((major, minor): (u32, u32)) -> Result<ModuleChoice, CutletError> {
    let mut targets = vec![Interface::read(first()?)?.target.to_string()];
    let of_device = OneArchitecture::of((major, minor));
    let OneArchitecture {
        target,
        module,
        caution,
    } = of_device.unwrap_or(&OF_ONE_ARCHITECTURE[0]);
    let why = if !module.why_not.is_empty() {
        format!("none is built for {target} ({})", module.why_not)
    } else if of_device.is_some() {
        targets.push(target.to_string());
        format!("compute capability {major}.{minor} runs {target}{caution}")
    } else {
        format!("{target} runs on compute capability 9.0 alone, this is {major}.{minor}")
    };
    Ok(ModuleChoice { targets, why })
}

/// The program's modules on a device.
///
/// Kernels that a first run does not need are built and loaded one by one when they are requested:
/// a GPU's driver compiles the hundred kernels for `sm_90a` in more than a minute, and one kernel
/// in less than a second.
#[derive(Clone, Debug)]
pub struct Modules {
    base: Module,
    /// Whether `base` has only the kernels of a first run.
    partial: bool,
    /// The module of kernels for only the device's architecture.
    own: Option<&'static ModuleText>,
    /// The loaded kernels that are not in `base`, each as a module.
    alone: Arc<Mutex<BTreeMap<String, Module>>>,
}

impl From<Module> for Modules {
    /// Wraps a loaded module for compute capability 8.0 and newer. The result has no other kernels
    /// for these compute capabilities.
    fn from(base: Module) -> Self {
        let own = OneArchitecture::of(base.device().compute_capability());
        Self {
            base,
            partial: false,
            own: own.map(|of| of.module),
            alone: Arc::default(),
        }
    }
}

impl From<&Module> for Modules {
    fn from(base: &Module) -> Self {
        base.clone().into()
    }
}

impl From<&Self> for Modules {
    fn from(modules: &Self) -> Self {
        modules.clone()
    }
}

impl Modules {
    /// Loads the kernels of a first run, for compute capability 8.0 and newer.
    ///
    /// ```
    /// let device = host::Device::emulator();
    /// let modules = cutlet::kernels::Modules::load(&device)?;
    /// assert!(modules.kernel("vecadd").is_ok());
    /// assert!(modules.kernel("gemm_bf16_f32_tn_64x64x64_s4").is_ok());
    /// assert!(modules.kernel("gemm_f16_f32_tn_128x256x64_s4_wgmma").is_ok());
    /// # Ok::<(), cutlet::CutletError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`CutletError::Kernels`], and the device's errors.
    pub fn load(device: &Device) -> Result<Self, CutletError> {
        Ok(Self::of_first(device.load(first()?)?))
    }

    /// Loads the kernels on the first GPU that runs them, else on the emulator:
    /// [`Device::best_for`].
    ///
    /// # Errors
    /// Returns the errors of [`load`](Self::load).
    pub fn best() -> Result<Self, CutletError> {
        Ok(Self::of_first(Device::best_for(first()?)?.1))
    }

    fn of_first(base: Module) -> Self {
        Self {
            partial: true,
            ..base.into()
        }
    }

    /// Returns the device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.base.device()
    }

    /// Returns the kernels of a first run, or the module from which this value was made
    /// ([`From`](#impl-From<Module>-for-Modules)).
    #[must_use]
    pub fn base(&self) -> &Module {
        &self.base
    }

    /// Whether there is a kernel of this name for the device. It loads and builds nothing.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.base.interface().kernel(name).is_some()
            || self.is_left_to_program(name)
            || (self.own_with(name)).is_some_and(|module| module.why_not.is_empty())
    }

    /// Whether, by the tables, [`ptx`] has a kernel of this name, and `base` may lack it.
    fn is_left_to_program(&self, name: &str) -> bool {
        self.partial && EVERY.lists(name)
    }

    /// Returns the resources of a thread of this kernel, as the GPU's compiler reports them, or
    /// `None` on the emulator, for which nothing is loaded.
    ///
    /// # Errors
    /// Returns the errors of [`kernel`](Self::kernel).
    pub fn resources(&self, name: &str) -> Result<Option<Resources>, CutletError> {
        if self.device().kind() == Kind::Emulator && self.has(name) {
            return Ok(None);
        }
        Ok(self.kernel(name)?.resources())
    }

    /// Returns the module for only the device's architecture if, by the tables, it has a kernel of
    /// this name, or else `None`.
    fn own_with(&self, name: &str) -> Option<&'static ModuleText> {
        self.own.filter(|module| module.lists(name))
    }

    /// Returns the module that, by the tables, has a kernel of this name which `base` lacks, or
    /// `None`.
    fn module_with(&self, name: &str) -> Option<&'static ModuleText> {
        match self.is_left_to_program(name) {
            true => Some(&EVERY),
            false => self.own_with(name),
        }
    }

    /// Returns the reason if the device could run a kernel of this name, but the build left it out,
    /// or else `None`.
    #[must_use]
    pub fn left_out(&self, name: &str) -> Option<KernelsNotBuilt> {
        let message = self.own_with(name)?.why_not;
        let left_out = !message.is_empty() && !self.has(name);
        left_out.then_some(KernelsNotBuilt { message })
    }

    /// Returns the PTX of the module from which [`kernel`](Self::kernel) takes the kernel of this
    /// name: the emulator's counters and faults name lines of this text. Returns `None` if there is
    /// no such kernel, or if it is in a module from which this value was made
    /// ([`From`](#impl-From<Module>-for-Modules)).
    ///
    /// ```
    /// let modules = cutlet::kernels::Modules::load(&host::Device::emulator())?;
    /// let text = modules.text("transpose_b32")?.expect("a kernel");
    /// assert!(text.contains(".entry transpose_b32") && text.contains(".entry vecadd"));
    /// # Ok::<(), cutlet::CutletError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`KernelsNotBuilt`] as [`alone`] does.
    pub fn text(&self, name: &str) -> Result<Option<String>, KernelsNotBuilt> {
        if self.base.interface().kernel(name).is_none() {
            return match self.module_with(name) {
                Some(module) => module.alone(name),
                None => alone(name),
            };
        }
        Ok(if self.partial {
            Some(first()?.to_owned())
        } else {
            None
        })
    }

    /// Loads kernels ahead of their first launch, such as those of a plan
    /// ([`kernels`](kernel_abi::gemm::Plan::kernels)): a later [`kernel`](Self::kernel) with one of
    /// these names builds and compiles nothing. Preparing work also loads its kernels.
    ///
    /// ```
    /// let modules = cutlet::kernels::Modules::load(&host::Device::best())?;
    /// modules.preload(["vecadd", "transpose_b16"])?;
    /// assert!(modules.preload(["vecsub"]).is_err());
    /// # Ok::<(), cutlet::CutletError>(())
    /// ```
    ///
    /// # Errors
    /// Returns the error of [`kernel`](Self::kernel) for the first name that has an error.
    pub fn preload<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), CutletError> {
        names
            .into_iter()
            .try_for_each(|name| self.kernel(name).map(drop))
    }

    /// Returns the kernel of this name, from `base` or from the module that has it.
    ///
    /// # Errors
    /// Returns [`host::Error::NoSuchKernel`] with the names of the base module if there is no such
    /// kernel, [`CutletError::Kernels`] if the kernel was left out or cannot be built, and the
    /// device's errors for a kernel that it compiles.
    pub fn kernel(&self, name: &str) -> Result<Kernel, CutletError> {
        if self.base.interface().kernel(name).is_some() {
            return Ok(self.base.kernel(name)?);
        }
        let Some(module) = self.module_with(name) else {
            return Ok(self.base.kernel(name)?);
        };
        let mut loaded = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = loaded.get(name) {
            return Ok(module.kernel(name)?);
        }
        let Some(text) = module.alone(name)? else {
            return Ok(self.base.kernel(name)?);
        };
        let module = self.device().load(&text)?;
        let kernel = module.kernel(name)?;
        loaded.insert(name.into(), module);
        Ok(kernel)
    }
}
