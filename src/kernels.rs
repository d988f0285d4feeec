//! The PTX of this workspace's kernels: three modules, each embedded by the build or built when it
//! is first asked for.
//!
//! ```text
//!   gpu-kernels       ──first-kernels' build.rs────────► first_kernels::PTX  first()    what a first run needs, of the next
//!                     ──build.rs, or at first use──────► kernels.ptx         ptx()      sm_80 and newer
//!   gpu-kernels-sm90  ──build.rs, or at first use──────► kernels_sm90a.ptx   sm90a()    compute capability 9.0 alone
//!   gpu-kernels-sm100 ──at first use───────────────────► kernels_sm100a.ptx  sm100a()   compute capability 10.0 alone
//! ```
//!
//! No card has run the kernels for `sm_100a`.
//!
//! Law: a device loads kernels of the last two beside the others exactly where [`choose`] says so.
//! Nobody but who loads a kernel that the build left to the program, or asks for the text, has to
//! wait for it.

mod module_text;
mod pack;
mod recipe;
mod together;

use crate::CutletError;
use host::{Device, Interface, Kernel, Kind, Module, Reach, Resources, Target};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

use module_text::{BLACKWELL, EVERY, HOPPER, ModuleText, entries_of, head_of};
pub use pack::{listed, pack_sources, pack_sources_of, pack_tables};

/// The modules that one architecture alone runs.
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

/// A module that one architecture alone runs.
struct OneArchitecture {
    target: Target,
    module: &'static ModuleText,
    /// What is said wherever the module is chosen.
    caution: &'static str,
}

impl OneArchitecture {
    /// The one that a device of this compute capability runs.
    fn of(compute_capability: (u32, u32)) -> Option<&'static Self> {
        let mut all = OF_ONE_ARCHITECTURE.iter();
        all.find(|of| of.target.runs_on(compute_capability))
    }
}

/// This program has no such kernels: the source of Rust's `core` was not there, they were left out,
/// or they cannot be built now.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this program lacks kernels: {message}")]
pub struct KernelsNotBuilt {
    /// What the build said, with what helps.
    pub message: &'static str,
}

/// The PTX of the kernels that a first run needs, for compute capability 8.0 and newer: some of
/// [`ptx`]. Builds nothing.
///
/// ```
/// let ptx = cutlet::kernels::first()?;
/// assert!(ptx.contains(".entry vecadd"));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// [`KernelsNotBuilt`] with the build's message.
pub fn first() -> Result<&'static str, KernelsNotBuilt> {
    match first_kernels::WHY_NOT {
        "" => Ok(first_kernels::PTX),
        message => Err(KernelsNotBuilt { message }),
    }
}

/// The PTX of every kernel for compute capability 8.0 and newer.
///
/// Where the program's build left them to the first use ([`ptx_state`]), that is now: the compiler
/// runs, for half a minute, and a line on standard error says so. What it made is kept beside the
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
/// [`KernelsNotBuilt`] with the build's message; also of a program whose sources are gone or others
/// before the first use.
pub fn ptx() -> Result<&'static str, KernelsNotBuilt> {
    EVERY.get()
}

/// The PTX of the kernels for compute capability 9.0 alone: TMA, `mbarrier`, `wgmma`.
///
/// Where the program's build left them to the first use ([`sm90a_state`]), that is now: the
/// compiler runs, for about a minute, and a line on standard error says so. What it made is kept
/// beside the program's build, for all programs of these sources.
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
/// [`KernelsNotBuilt`] with the build's message; also of a program that was built with
/// `CUTLET_SM90A=0`, or whose sources are gone or others before the first use.
pub fn sm90a() -> Result<&'static str, KernelsNotBuilt> {
    HOPPER.get()
}

/// The PTX of the kernels for compute capability 10.0 alone: TMA, `mbarrier`, `tcgen05`. No card
/// has run them.
///
/// The program's build leaves them to the first use ([`sm100a_state`]), unless it has
/// `CUTLET_SM100A=1` in its environment: what [`sm90a`] says of that holds here too.
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
/// [`KernelsNotBuilt`], as of [`sm90a`], with the variable `CUTLET_SM100A`.
pub fn sm100a() -> Result<&'static str, KernelsNotBuilt> {
    BLACKWELL.get()
}

/// The PTX of one kernel, of any module: where the build left its module to the program, the kernel
/// is built with those of its launch, in seconds. `None` where no module has a kernel of this name.
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
/// [`KernelsNotBuilt`], as of [`ptx`] and [`sm90a`].
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

/// Whether a kernel is of a head dimension of attention, or of score parts, whose kernels are built
/// one by one when they are asked for: no build of all kernels has it.
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

/// Where a module is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleState {
    /// In the program: all of it, or the kernels that `CUTLET_KERNELS` named to the build, which
    /// leaves the others to the program.
    Embedded,
    /// Left to the program by its build, and built since.
    Built,
    /// Left to the program by its build: the first kernel that is loaded builds it.
    Deferred,
    /// Nowhere, for this reason.
    LeftOut(&'static str),
}

/// Where the module of [`ptx`] is; builds nothing.
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

/// Where the module of [`sm90a`] is; builds nothing.
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

/// Where the module of [`sm100a`] is; builds nothing.
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

/// Which modules a device loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleChoice {
    /// The targets of the modules: `sm_80`, and `sm_90a` or `sm_100a` where the device runs one.
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
/// let blackwell = cutlet::kernels::choose((10, 0))?;
/// assert_eq!(blackwell.targets, ["sm_80", "sm_100a"]);
/// assert_eq!(blackwell.why, "compute capability 10.0 runs sm_100a, whose kernels no card has run");
/// # Ok::<(), cutlet::CutletError>(())
/// ```
///
/// # Errors
/// [`CutletError::Kernels`] where there is no module at all.
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
/// What a first run does not need is loaded, and built, kernel by kernel, when it is asked for: a
/// GPU's driver compiles the hundred for `sm_90a` in more than a minute, and one in less than a
/// second.
#[derive(Clone, Debug)]
pub struct Modules {
    base: Module,
    /// Whether `base` has the kernels of a first run alone.
    partial: bool,
    /// The module of kernels for the device's architecture alone.
    own: Option<&'static ModuleText>,
    /// What is no part of `base`, kernel by kernel.
    alone: Arc<Mutex<BTreeMap<String, Module>>>,
}

impl From<Module> for Modules {
    /// A module for compute capability 8.0 and newer, loaded already; of these kernels there are no
    /// others.
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
    /// [`CutletError::Kernels`], and what the device reports.
    pub fn load(device: &Device) -> Result<Self, CutletError> {
        Ok(Self::of_first(device.load(first()?)?))
    }

    /// Loads them on the first GPU that runs them, else on the emulator: [`Device::best_for`].
    ///
    /// # Errors
    /// As of [`load`](Self::load).
    pub fn best() -> Result<Self, CutletError> {
        Ok(Self::of_first(Device::best_for(first()?)?.1))
    }

    fn of_first(base: Module) -> Self {
        Self {
            partial: true,
            ..base.into()
        }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.base.device()
    }

    /// The kernels of a first run, or the module that this was made
    /// [from](#impl-From<Module>-for-Modules).
    #[must_use]
    pub fn base(&self) -> &Module {
        &self.base
    }

    /// Whether there is a kernel of this name for the device; loads none, and builds none.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.base.interface().kernel(name).is_some()
            || self.is_left_to_program(name)
            || (self.own_with(name)).is_some_and(|module| module.why_not.is_empty())
    }

    /// Whether a kernel of this name is of [`ptx`], and `base` may lack it, by the tables.
    fn is_left_to_program(&self, name: &str) -> bool {
        self.partial && EVERY.lists(name)
    }

    /// What a thread of this kernel takes, as the GPU's compiler says; `None` on the emulator, for
    /// which nothing is loaded.
    ///
    /// # Errors
    /// As of [`kernel`](Self::kernel).
    pub fn resources(&self, name: &str) -> Result<Option<Resources>, CutletError> {
        if self.device().kind() == Kind::Emulator && self.has(name) {
            return Ok(None);
        }
        Ok(self.kernel(name)?.resources())
    }

    /// The module of the device's architecture alone, where it has a kernel of this name by the
    /// tables.
    fn own_with(&self, name: &str) -> Option<&'static ModuleText> {
        self.own.filter(|module| module.lists(name))
    }

    /// The module that has a kernel of this name which `base` lacks, by the tables.
    fn module_with(&self, name: &str) -> Option<&'static ModuleText> {
        match self.is_left_to_program(name) {
            true => Some(&EVERY),
            false => self.own_with(name),
        }
    }

    /// Why there is no kernel of this name, where the device could run it: the build left it out.
    #[must_use]
    pub fn left_out(&self, name: &str) -> Option<KernelsNotBuilt> {
        let message = self.own_with(name)?.why_not;
        let left_out = !message.is_empty() && !self.has(name);
        left_out.then_some(KernelsNotBuilt { message })
    }

    /// The PTX of the module that [`kernel`](Self::kernel) takes the kernel of this name from: the
    /// emulator's counters and faults name lines of it. `None` where there is no such kernel, or
    /// where it is of a module that this was made [from](#impl-From<Module>-for-Modules).
    ///
    /// ```
    /// let modules = cutlet::kernels::Modules::load(&host::Device::emulator())?;
    /// let text = modules.text("transpose_b32")?.expect("a kernel");
    /// assert!(text.contains(".entry transpose_b32") && text.contains(".entry vecadd"));
    /// # Ok::<(), cutlet::CutletError>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelsNotBuilt`], as of [`alone`].
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

    /// Loads kernels ahead of their first launch, as of a plan's
    /// [`kernels`](kernel_abi::gemm::Plan::kernels): a later [`kernel`](Self::kernel) of one of
    /// these names builds and compiles nothing. Work that is prepared has its kernels loaded as
    /// well.
    ///
    /// ```
    /// let modules = cutlet::kernels::Modules::load(&host::Device::best())?;
    /// modules.preload(["vecadd", "transpose_b16"])?;
    /// assert!(modules.preload(["vecsub"]).is_err());
    /// # Ok::<(), cutlet::CutletError>(())
    /// ```
    ///
    /// # Errors
    /// As of [`kernel`](Self::kernel), of the first name that has an error.
    pub fn preload<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), CutletError> {
        names
            .into_iter()
            .try_for_each(|name| self.kernel(name).map(drop))
    }

    /// The kernel of this name, of either kind.
    ///
    /// # Errors
    /// [`host::Error::NoSuchKernel`], with the names of the base module; [`CutletError::Kernels`]
    /// where it was left out or cannot be built; what the device reports of a kernel that it
    /// compiles.
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
