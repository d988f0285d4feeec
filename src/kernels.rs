//! The PTX of this workspace's kernels: two modules, each embedded by the build or built when it is first asked for.
//!
//! ```text
//!   gpu-kernels       ──cuda_builder, in build.rs──► kernels_first.ptx   first()    what a first run needs, of the next
//!                     ──there, or at first use─────► kernels.ptx         ptx()      sm_80 and newer
//!   gpu-kernels-sm90  ──there, or at first use─────► kernels_sm90a.ptx   sm90a()    compute capability 9.0 alone
//! ```
//!
//! Law: a device loads kernels of the last beside the others exactly where [`choose`] says so. Nobody but who loads a kernel that the
//! build left to the program, or asks for the text, has to wait for it.

mod recipe;

use crate::CutletError;
use crate::{attention, gemm};
use cuda_builder::{CudaBuilder, NvvmArch};
use gpu_kernels::hgemm_by_hand;
use host::{Device, Interface, Kernel, Kind, Module, Reach, Resources, Target};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use thiserror::Error;

/// A module of the program's kernels: its text, or how the program gets it.
struct ModuleText {
    ptx: &'static str,
    /// Why there is none.
    why_not: &'static str,
    /// By what the module is built, where the build left that to the program.
    key: &'static str,
    /// How it is built.
    recipe: fn() -> CudaBuilder,
    /// `for Hopper (sm_90a)`.
    of: &'static str,
    built: OnceLock<Result<String, String>>,
    /// The text of each kernel: twenty megabytes are read once.
    entries: OnceLock<BTreeMap<&'static str, &'static str>>,
}

/// The files that `build.rs` writes of a module.
macro_rules! module_text {
    ($name:literal, $of:literal, $recipe:expr) => {
        ModuleText {
            ptx: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".ptx")),
            why_not: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".err")),
            key: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".deferred")),
            recipe: $recipe,
            of: $of,
            built: OnceLock::new(),
            entries: OnceLock::new(),
        }
    };
}

static EVERY: ModuleText = module_text!("kernels", "for Ampere and newer", || {
    // `build.rs` reads CUTLET_ARCH, and defers nothing that is for another architecture.
    recipe::recipe(env!("CUTLET_SOURCES"), recipe::BASE)
});
static HOPPER: ModuleText = module_text!("kernels_sm90a", "for Hopper (sm_90a)", || {
    recipe::recipe(env!("CUTLET_SM90A_SOURCES"), NvvmArch::Compute90a)
});
/// The kernels of a first run, where the build left the others to the program.
const FIRST: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels_first.ptx"));

impl ModuleText {
    /// The text; where the build left it to the program, that runs the compiler now, or finds what another program made.
    fn get(&'static self) -> Result<&'static str, KernelsNotBuilt> {
        if self.key.is_empty() {
            return match self.why_not {
                "" => Ok(self.ptx),
                message => Err(KernelsNotBuilt { message }),
            };
        }
        match self.built.get_or_init(|| self.build()) {
            Ok(ptx) => Ok(ptx),
            Err(message) => Err(KernelsNotBuilt { message }),
        }
    }

    /// The text of each kernel, by its name.
    fn entries(
        &'static self,
    ) -> Result<&'static BTreeMap<&'static str, &'static str>, KernelsNotBuilt> {
        let ptx = self.get()?;
        Ok(self.entries.get_or_init(|| entries_of(ptx)))
    }

    /// The build that `build.rs` left to the program.
    fn builder(&self) -> CudaBuilder {
        (self.recipe)()
            .build_folder(cuda_builder::folder_of(Path::new(env!("OUT_DIR"))))
            .quiet(true)
    }

    fn build(&self) -> Result<String, String> {
        let builder = self.builder();
        if let Some(ptx) = builder.deferred(self.key) {
            return Ok(ptx);
        }
        let of = self.of;
        eprintln!("building the kernels {of}, once: about a minute");
        builder.build_deferred(self.key).map_err(|error| {
            format!(
                "those {of} were left to their first use, and cannot be built now: {error}. A program that is built with \
                 CUTLET_SM90A=1 in the environment has them"
            )
        })
    }

    fn state(&self) -> ModuleState {
        if !self.why_not.is_empty() {
            ModuleState::LeftOut(self.why_not)
        } else if self.key.is_empty() {
            ModuleState::Embedded
        } else if self.builder().deferred(self.key).is_some() {
            ModuleState::Built
        } else {
            ModuleState::Deferred
        }
    }
}

/// What the module for `sm_90a` is for.
const TARGET_SM90A: Target = Target {
    major: 9,
    minor: 0,
    reach: Reach::Exact,
};

/// The kernels for `sm_90a` that no table has: they are launched ahead of a GEMM's, and behind it.
const BESIDE_TABLES: [&str; 10] = [
    "attention_transpose_b8",
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

/// The PTX of the kernels that a first run needs, for compute capability 8.0 and newer: some of [`ptx`], or all, where the program's
/// build had them made. Builds nothing.
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
    if FIRST.is_empty() {
        EVERY.get()
    } else {
        Ok(FIRST)
    }
}

/// The PTX of every kernel for compute capability 8.0 and newer.
///
/// Where the program's build left them to the first use ([`ptx_state`]), that is now: the compiler runs, for half a minute, and a
/// line on standard error says so. What it made is kept beside the program's build, for all programs of these sources.
///
/// ```
/// let ptx = cutlet::kernels::ptx()?;
/// assert!(ptx.contains(".entry vecadd"));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// [`KernelsNotBuilt`] with the build's message; also of a program whose sources are gone or others before the first use.
pub fn ptx() -> Result<&'static str, KernelsNotBuilt> {
    EVERY.get()
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
    HOPPER.get()
}

/// Where a module is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleState {
    /// In the program.
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
/// use cutlet::kernels::{ModuleState, ptx, ptx_state};
/// ptx()?;
/// assert!(matches!(ptx_state(), ModuleState::Embedded | ModuleState::Built));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
#[must_use]
pub fn ptx_state() -> ModuleState {
    EVERY.state()
}

/// Where the module of [`sm90a`] is; builds nothing.
///
/// ```
/// use cutlet::kernels::{ModuleState, sm90a, sm90a_state};
/// sm90a()?;
/// assert!(matches!(sm90a_state(), ModuleState::Embedded | ModuleState::Built));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
#[must_use]
pub fn sm90a_state() -> ModuleState {
    HOPPER.state()
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
    let mut targets = vec![Interface::read(first()?)?.target.to_string()];
    let target = TARGET_SM90A;
    let why = if !HOPPER.why_not.is_empty() {
        format!("none is built for {target} ({})", HOPPER.why_not)
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

/// The text of each kernel, by its name.
fn entries_of(ptx: &str) -> BTreeMap<&str, &str> {
    let entries = ptx.match_indices(ENTRY).filter_map(|(start, _)| {
        let text = &ptx[start..];
        let end = text.find("\n}\n").map_or(text.len(), |end| end + 3);
        let (name, _) = text[ENTRY.len()..].split_once('(')?;
        Some((name, &text[..end]))
    });
    entries.collect()
}

/// The program's modules on a device.
///
/// What a first run does not need is loaded, and built, with the first kernel of it that is asked for. A kernel for `sm_90a` is loaded
/// by itself: a GPU's driver compiles the thirty of them in twenty seconds, and one in less than one.
#[derive(Clone, Debug)]
pub struct Modules {
    base: Module,
    /// Whether `base` has the kernels of a first run, and others are left to the program.
    partial: bool,
    every: Arc<OnceLock<Module>>,
    /// Whether the device runs kernels for `sm_90a`.
    runs_sm90a: bool,
    sm90a: Arc<Mutex<BTreeMap<String, Module>>>,
}

impl From<Module> for Modules {
    /// A module for compute capability 8.0 and newer, loaded already; of these kernels there are no others.
    fn from(base: Module) -> Self {
        let runs_sm90a = TARGET_SM90A.runs_on(base.device().compute_capability());
        Self {
            base,
            partial: false,
            every: Arc::default(),
            runs_sm90a,
            sm90a: Arc::default(),
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
            partial: !FIRST.is_empty(),
            ..base.into()
        }
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.base.device()
    }

    /// The kernels of a first run, or the module that this was made [from](#impl-From<Module>-for-Modules).
    #[must_use]
    pub fn base(&self) -> &Module {
        &self.base
    }

    /// Every kernel for compute capability 8.0 and newer.
    fn every(&self) -> Result<&Module, CutletError> {
        if !self.partial {
            return Ok(&self.base);
        }
        if let Some(module) = self.every.get() {
            return Ok(module);
        }
        let module = self.device().load(ptx()?)?;
        Ok(self.every.get_or_init(|| module))
    }

    /// Whether there is a kernel of this name for the device; loads none, and builds none.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.base.interface().kernel(name).is_some()
            || self.is_left_to_program(name)
            || HOPPER.why_not.is_empty() && self.lists_in_sm90a(name)
    }

    /// Whether a kernel of this name is of [`ptx`] and not of [`first`], by the tables.
    fn is_left_to_program(&self, name: &str) -> bool {
        let of_gemm = |of: &gemm::Configuration| of.hopper.is_none() && of.kernel == name;
        self.partial
            && (gemm::CONFIGURATIONS.iter().any(of_gemm)
                || (attention::MMA_CONFIGURATIONS.iter()).any(|of| of.kernel == name)
                || hgemm_by_hand::PAIR.contains(&name))
    }

    /// What a thread of this kernel takes, as the GPU's compiler says; `None` on the emulator, for which nothing is loaded.
    ///
    /// # Errors
    /// As of [`kernel`](Self::kernel).
    pub fn resources(&self, name: &str) -> Result<Option<Resources>, CutletError> {
        if self.device().kind() == Kind::Emulator && self.has(name) {
            return Ok(None);
        }
        Ok(self.kernel(name)?.resources())
    }

    /// Whether a kernel of this name is for `sm_90a`, and the device runs it, by the tables.
    fn lists_in_sm90a(&self, name: &str) -> bool {
        let of_gemm = |of: &gemm::Configuration| of.hopper.is_some() && of.kernel == name;
        self.runs_sm90a
            && (gemm::CONFIGURATIONS.iter().any(of_gemm)
                || attention::CONFIGURATIONS
                    .iter()
                    .chain(attention::PACKED_CONFIGURATIONS)
                    .chain(attention::SOFT_CAP_CONFIGURATIONS)
                    .chain(attention::FP8_CONFIGURATIONS)
                    .any(|of| of.kernel == name)
                || attention::BACKWARD_CONFIGURATIONS
                    .iter()
                    .chain(attention::PACKED_BACKWARD_CONFIGURATIONS)
                    .any(|of| [of.rows, of.keys.kernel, of.queries.kernel].contains(&name))
                || attention::DECODE_CONFIGURATIONS
                    .iter()
                    .any(|of| [of.attention.kernel, of.combine].contains(&name))
                || BESIDE_TABLES.contains(&name))
    }

    /// Why there is no kernel of this name, where the device could run it: the build left it out.
    #[must_use]
    pub fn left_out(&self, name: &str) -> Option<KernelsNotBuilt> {
        let left_out = !HOPPER.why_not.is_empty() && !self.has(name) && self.lists_in_sm90a(name);
        left_out.then_some(KernelsNotBuilt {
            message: HOPPER.why_not,
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
        if self.is_left_to_program(name) {
            return Ok(self.every()?.kernel(name)?);
        }
        if !self.lists_in_sm90a(name) {
            return Ok(self.base.kernel(name)?);
        }
        let mut loaded = self.sm90a.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = loaded.get(name) {
            return Ok(module.kernel(name)?);
        }
        let Some(text) = HOPPER.entries()?.get(name) else {
            return Ok(self.base.kernel(name)?);
        };
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
    fn a_first_run_has_the_kernels_that_the_others_are_tested_beside() {
        let without_labels = |text: &str| {
            let pieces = text.split("$L__BB").enumerate();
            let rests = pieces.map(|(at, piece)| match piece.split_once('_') {
                Some((_, rest)) if at > 0 => rest.to_owned(),
                _ => piece.to_owned(),
            });
            rests.collect::<Vec<_>>()
        };
        let (first, every) = (entries_of(first().unwrap()), entries_of(ptx().unwrap()));
        assert!(first.len() >= 4);
        for (name, text) in first {
            assert!(
                without_labels(text) == without_labels(every[name]),
                "{name}"
            );
        }
    }

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
