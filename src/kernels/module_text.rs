//! A module of the program's kernels: its PTX, and how the program gets it.
//!
//! ```text
//!   embedded ─────────────────────────────► get()      the whole module, or the kernels that the build selected
//!   left to the program ─► built once ────► get()
//!                       └► kernel by kernel ► alone()  the kernels of one launch, in seconds, until the whole module is there
//! ```
//!
//! Law: a kernel is the same in all three cases, except for the numbers of its labels.

use super::KernelsNotBuilt;
use super::ModuleState;
use super::together::{self, Together};
use cuda_builder::build_script::{BASE, recipe};
use cuda_builder::{CudaBuilder, NvvmArch};
pub(super) use host::{entry_texts as entries_of, head_text as head_of};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

/// A module.
pub(super) struct ModuleText {
    ptx: &'static str,
    /// The reason why the build left the module out. It is empty if the build did not.
    pub why_not: &'static str,
    /// The key by which the module is built, if the build deferred the module or some of its
    /// kernels to the program.
    key: &'static str,
    /// The recipe of the build.
    recipe: fn() -> CudaBuilder,
    /// Whether the module has a kernel with this name, by the tables.
    lists: fn(&str) -> bool,
    /// The kernels that are built together with a kernel of the module.
    together: fn(&str) -> Option<Together>,
    /// The target as text, such as `for Hopper (sm_90a)`.
    of: &'static str,
    /// The environment variable that makes the program's build include the whole module.
    variable: &'static str,
    built: OnceLock<Result<String, String>>,
    /// The text of each kernel: twenty megabytes are parsed only once.
    entries: OnceLock<BTreeMap<&'static str, &'static str>>,
}

/// Makes a module from the files that `build.rs` writes for it.
macro_rules! module_text {
    ($name:literal, $of:literal, $variable:literal, $lists:expr, $together:expr, $recipe:expr) => {
        ModuleText {
            ptx: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".ptx")),
            why_not: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".err")),
            key: include_str!(concat!(env!("OUT_DIR"), "/", $name, ".deferred")),
            recipe: $recipe,
            lists: $lists,
            together: $together,
            of: $of,
            variable: $variable,
            built: OnceLock::new(),
            entries: OnceLock::new(),
        }
    };
}

/// The module for compute capability 8.0 and newer.
pub(super) static EVERY: ModuleText = module_text!(
    "kernels",
    "for Ampere and newer",
    "CUTLET_SM90A",
    together::is_for_every,
    together::for_every,
    || {
        // `build.rs` reads CUTLET_ARCH, and defers no build for another architecture.
        recipe(env!("CUTLET_SOURCES"), BASE)
    }
);
/// The module for compute capability 9.0 only.
pub(super) static HOPPER: ModuleText = module_text!(
    "kernels_sm90a",
    "for Hopper (sm_90a)",
    "CUTLET_SM90A",
    together::is_for_hopper,
    together::for_hopper,
    || { recipe(env!("CUTLET_SM90A_SOURCES"), NvvmArch::Compute90a) }
);
/// The module for compute capability 10.0 only, whose kernels no card has run.
pub(super) static BLACKWELL: ModuleText = module_text!(
    "kernels_sm100a",
    "for Blackwell (sm_100a), which no card has run",
    "CUTLET_SM100A",
    together::is_for_blackwell,
    together::for_blackwell,
    || { recipe(env!("CUTLET_SM100A_SOURCES"), NvvmArch::Compute100a) }
);
impl fmt::Debug for ModuleText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the kernels {}", self.of)
    }
}
impl ModuleText {
    /// Returns the text. If the build deferred it to the program, this runs the compiler, or finds
    /// the PTX that another program made.
    pub fn get(&'static self) -> Result<&'static str, KernelsNotBuilt> {
        if !self.why_not.is_empty() {
            let message = self.why_not;
            return Err(KernelsNotBuilt { message });
        }
        if !self.ptx.is_empty() {
            return Ok(self.ptx);
        }
        match self.built.get_or_init(|| self.build()) {
            Ok(ptx) => Ok(ptx),
            Err(message) => Err(KernelsNotBuilt { message }),
        }
    }

    /// Returns the text of each kernel, by its name.
    pub fn entries(
        &'static self,
    ) -> Result<&'static BTreeMap<&'static str, &'static str>, KernelsNotBuilt> {
        let ptx = self.get()?;
        Ok(self.entries.get_or_init(|| entries_of(ptx)))
    }

    /// Whether the module has a kernel with this name, by the tables.
    pub fn lists(&self, name: &str) -> bool {
        (self.lists)(name)
    }

    /// Returns the kernels that are built together with this kernel, or `None` if the module has no
    /// kernel with this name.
    pub fn built_with(&self, name: &str) -> Option<Together> {
        (self.together)(name)
    }

    /// Returns a module with only this kernel, or `None` if the module has no kernel with this
    /// name. If the kernel was deferred to the program, and the whole module has not been requested
    /// yet, this builds the kernels of its launch.
    pub fn alone(&'static self, name: &str) -> Result<Option<String>, KernelsNotBuilt> {
        let Some(together) = self.built_with(name) else {
            return Ok(None);
        };
        if !matches!(self.state(), ModuleState::Deferred) {
            let head = head_of(self.get()?);
            let text = self.entries()?.get(name);
            if text.is_some() || self.key.is_empty() {
                return Ok(text.map(|text| format!("{head}{text}")));
            }
        }
        let ptx = self
            .build_together(&together)
            .map_err(|error| KernelsNotBuilt {
                // The message leaks once per failure, and a program sees few failures.
                message: String::leak(error),
            })?;
        let text = entries_of(&ptx).remove(name);
        Ok(text.map(|text| format!("{}{text}", head_of(&ptx))))
    }

    fn build_together(&self, together: &Together) -> Result<String, String> {
        let builder = self.builder_of(together);
        if let Some(ptx) = builder.deferred(self.key) {
            return Ok(ptx);
        }
        eprintln!(
            "building {}, once: a few seconds",
            together.kernels.join(", ")
        );
        self.built_by(&builder)
    }

    /// Returns the build of only these kernels.
    pub fn builder_of(&self, Together { kernels, features }: &Together) -> CudaBuilder {
        let builder = self.builder().kernels(kernels);
        if features.is_empty() {
            return builder;
        }
        let features = features.join(",");
        builder.build_args(&["--no-default-features", "--features", &features])
    }

    /// Returns the build that `build.rs` deferred to the program.
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
        eprintln!("building the kernels {}, once: about a minute", self.of);
        self.built_by(&builder)
    }

    fn built_by(&self, builder: &CudaBuilder) -> Result<String, String> {
        let Self { of, variable, .. } = self;
        builder.build_deferred(self.key).map_err(|error| {
            format!(
                "those {of} were left to their first use, and cannot be built now: {error}. A program that is built with \
                 {variable}=1 in the environment has them"
            )
        })
    }

    /// Returns the state of the module. It builds nothing.
    pub fn state(&self) -> ModuleState {
        if !self.why_not.is_empty() {
            ModuleState::LeftOut(self.why_not)
        } else if !self.ptx.is_empty() {
            ModuleState::Embedded
        } else if matches!(self.built.get(), Some(Ok(_)))
            || self.builder().deferred(self.key).is_some()
        {
            // If the text is already loaded, twenty megabytes need not be read again.
            ModuleState::Built
        } else {
            ModuleState::Deferred
        }
    }
}
