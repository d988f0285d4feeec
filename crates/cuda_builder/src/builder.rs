//! [`CudaBuilder`]: upstream's API, on rustc's own NVPTX backend.
//!
//! Law: every option either reaches the compiler or makes `build` fail; none is ignored.
//!
//! ```text
//! CudaBuilder::new("gpu-kernels") .arch(..) .copy_to(..) .build()
//!    │ toolchain ─ crate ─ rust-src ─ core workspace ─ inner cargo ─ check ─ copy
//!    └────────────────────────────────────────────────────────────> PathBuf of the PTX
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::arch::NvvmArch;
use crate::compile::{Job, Places, target_dir};
use crate::convergence::{self, program::Program};
use crate::directives;
use crate::error::CudaBuilderError;
use crate::folders;
use crate::inputs;
use crate::kept::Kept;
use crate::kernel_crate::{self, KernelCrate};
use crate::line_tables;
use crate::ptx::{self, PtxSummary};
use crate::requirements;
use crate::rust_src::{self, Location, Machine};
use crate::software::{self, SoftwareIn};
use crate::toolchain::Toolchain;

/// How much the PTX says about the source lines that it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebugInfo {
    /// Nothing.
    None,
    /// Line numbers (`.loc`), for profilers. They do not change the code.
    LineTables,
}

/// What else to emit besides PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmitOption {
    /// LLVM IR, after optimisation.
    LlvmIr,
    /// LLVM bitcode, after optimisation.
    Bitcode,
}

/// Compiles a crate of kernels to PTX, from a build script.
///
/// ```no_run
/// use cuda_builder::{CudaBuilder, NvvmArch};
///
/// let out_dir = std::env::var("OUT_DIR").unwrap();
/// CudaBuilder::new("gpu-kernels")
///     .arch(NvvmArch::Compute80)
///     .copy_to(std::path::Path::new(&out_dir).join("kernels.ptx"))
///     .build()
///     .unwrap();
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is compiled before `build`"]
pub struct CudaBuilder {
    pub(crate) path_to_crate: PathBuf,
    /// Build with optimisation and without debug assertions. `true` by default.
    pub release: bool,
    /// Where to copy the PTX. `None` by default.
    pub ptx_file_copy_path: Option<PathBuf>,
    /// Line numbers in the PTX of a build that is not `release`. `true` by default.
    pub generate_line_info: bool,
    /// Optimise fully. `true` by default.
    pub nvvm_opts: bool,
    /// The architecture to compile for. [`NvvmArch::Compute75`] by default.
    pub arch: NvvmArch,
    /// Flush denormal `f32` to zero. `false` by default; `true` makes `build` fail.
    pub ftz: bool,
    /// `sqrt.approx.f32` for square roots. `false` by default.
    pub fast_sqrt: bool,
    /// `div.full.f32` (2 ulp) for divisions. `false` by default.
    pub fast_div: bool,
    /// Fuse multiplications and additions. `true` by default.
    pub fma_contraction: bool,
    /// What to emit besides PTX, beside the PTX. `None` by default.
    pub emit: Option<EmitOption>,
    /// Compile for OptiX. `false` by default; `true` makes `build` fail.
    pub optix: bool,
    /// Calls of `libm` go to CUDA's libdevice. `false` by default, unlike upstream; `true`
    /// makes `build` fail.
    pub override_libm: bool,
    /// Put statics into constant memory. `false` by default; `true` makes `build` fail.
    pub use_constant_memory_space: bool,
    /// Line numbers in the PTX of any build. `None` by default.
    pub debug: DebugInfo,
    /// More arguments for cargo. None by default.
    pub build_args: Vec<String>,
    /// See [`CudaBuilder::kernels`]. None by default: all are compiled.
    pub kernels: Vec<String>,
    /// Where to copy the LLVM IR of the whole program. `None` by default.
    pub final_module_path: Option<PathBuf>,
    /// The least PTX version to emit. By default the first that has the architecture.
    pub ptx_version: Option<(u32, u32)>,
    /// Compile again only what a change of the kernel crate concerns. `false` by default.
    pub incremental: bool,
    /// Threads of rustc's front end. 1 by default.
    pub frontend_threads: usize,
    /// Compile the kernel crate with rustc's next trait solver. `false` by default.
    pub next_solver: bool,
    /// See [`CudaBuilder::jump_threading`].
    pub jump_threading: Option<bool>,
    pub(crate) line_info_called: bool,
    /// See [`CudaBuilder::quiet`].
    pub quiet: bool,
    pub(crate) home: Option<PathBuf>,
    pub(crate) machine: Option<Machine>,
}

/// What a build made, and of what.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Built {
    /// The PTX: the copy where [`CudaBuilder::copy_to`] asked for one.
    pub ptx: PathBuf,
    /// What the PTX says of itself.
    pub summary: PtxSummary,
    /// The LLVM IR or bitcode that [`CudaBuilder::emit`] asked for.
    pub llvm: Option<PathBuf>,
    /// Where the source of `core` was.
    pub rust_src: Location,
    /// The files that a change of makes the PTX stale.
    pub inputs: Vec<PathBuf>,
    /// Conversions that run in software; a warning has been printed of each.
    pub software: Vec<SoftwareIn>,
}

macro_rules! setters {
    ($($(#[$attr:meta])* $name:ident;)*) => {$(
        $(#[$attr])*
        pub fn $name(mut self, $name: bool) -> Self {
            self.$name = $name;
            self
        }
    )*};
}

impl CudaBuilder {
    /// Prepares to build the crate whose `Cargo.toml` is in `path_to_crate_root`. A relative
    /// path starts, in a build script, at the folder of the package.
    pub fn new(path_to_crate_root: impl AsRef<Path>) -> Self {
        Self {
            path_to_crate: path_to_crate_root.as_ref().to_owned(),
            release: true,
            ptx_file_copy_path: None,
            generate_line_info: true,
            nvvm_opts: true,
            arch: NvvmArch::default(),
            ftz: false,
            fast_sqrt: false,
            fast_div: false,
            fma_contraction: true,
            emit: None,
            optix: false,
            override_libm: false,
            use_constant_memory_space: false,
            debug: DebugInfo::None,
            build_args: Vec::new(),
            kernels: Vec::new(),
            final_module_path: None,
            ptx_version: None,
            incremental: false,
            frontend_threads: 1,
            next_solver: false,
            jump_threading: None,
            line_info_called: false,
            quiet: false,
            home: None,
            machine: None,
        }
    }

    setters! {
        /// Flushes denormal `f32` to zero. rustc has no way to say so: `true` makes
        /// [`build`](Self::build) fail.
        ftz;
        /// Uses `sqrt.approx.f32` for square roots of `f32`, instead of the IEEE one.
        fast_sqrt;
        /// Uses `div.full.f32` (2 ulp) for divisions of `f32`, instead of the IEEE one.
        fast_div;
        /// Fuses `a * b + c` into one rounding where `true`, as upstream does. `false` is
        /// Rust's own rule, and what makes results equal those of a CPU, bit for bit.
        fma_contraction;
        /// Optimises fully where `true`, else hardly (level 1: without any, PTX of Rust calls
        /// functions that no GPU has).
        nvvm_opts;
        /// Compiles for OptiX. rustc cannot: `true` makes [`build`](Self::build) fail.
        optix;
        /// Replaces `libm` by libdevice. That is part of the CUDA toolkit, which is not needed
        /// here: `true` makes [`build`](Self::build) fail.
        override_libm;
        /// Puts statics into constant memory. rustc cannot: `true` makes
        /// [`build`](Self::build) fail.
        use_constant_memory_space;
    }

    /// Builds with optimisation where `true`, else with debug assertions and overflow checks.
    /// Sets [`nvvm_opts`](Self::nvvm_opts) to the same.
    pub fn release(mut self, release: bool) -> Self {
        self.release = release;
        self.nvvm_opts = release;
        self
    }

    /// Puts line numbers into the PTX, or keeps them out. Not called, a build that is not
    /// `release` has them. For all builds alike use [`debug`](Self::debug).
    pub fn generate_line_info(mut self, generate_line_info: bool) -> Self {
        self.generate_line_info = generate_line_info;
        self.line_info_called = true;
        self
    }

    /// Puts line numbers into the PTX of any build.
    pub fn debug(mut self, debug: DebugInfo) -> Self {
        self.debug = debug;
        self
    }

    /// Compiles for `arch`.
    ///
    /// The PTX runs on that architecture and, as far as its
    /// [`variant`](NvvmArch::variant) goes, on later ones. Kernel code can ask for it and for
    /// those before it: `#[cfg(target_feature = "compute_80")]`.
    pub fn arch(mut self, arch: NvvmArch) -> Self {
        self.arch = arch;
        self
    }

    /// Emits LLVM IR too, beside the PTX, named as it is with the extension `ll`.
    pub fn emit_llvm_ir(mut self, emit_llvm_ir: bool) -> Self {
        self.emit = emit_llvm_ir.then_some(EmitOption::LlvmIr);
        self
    }

    /// Emits LLVM bitcode too, beside the PTX, named as it is with the extension `bc`.
    pub fn emit_llvm_bitcode(mut self, emit_llvm_bitcode: bool) -> Self {
        self.emit = emit_llvm_bitcode.then_some(EmitOption::Bitcode);
        self
    }

    /// Trades the IEEE results of `f32` for speed. As upstream, this asks for `ftz` as well,
    /// so that [`build`](Self::build) fails; `fast_math().ftz(false)` gives what can be had.
    pub fn fast_math(mut self) -> Self {
        self.ftz = true;
        self.fast_sqrt = true;
        self.fast_div = true;
        self.fma_contraction = true;
        self
    }

    /// Copies the PTX to `path`. A file that is the same already is not touched, so that what
    /// includes it is not compiled again.
    pub fn copy_to(mut self, path: impl AsRef<Path>) -> Self {
        self.ptx_file_copy_path = Some(path.as_ref().to_owned());
        self
    }

    /// Passes more arguments to cargo: `["--features", "x"]`.
    pub fn build_args(mut self, args: &[impl AsRef<str>]) -> Self {
        let args = args.iter().map(|arg| arg.as_ref().to_owned());
        self.build_args.extend(args);
        self
    }

    /// Compiles these kernels of the crate alone: of what else is a `#[kernel]` there, nothing is
    /// left. Called again it adds more. Not upstream's.
    ///
    /// Each is the same as in a build of all, the numbers of its labels aside. Kernels of crates
    /// that this one depends on stay.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), cuda_builder::CudaBuilderError> {
    /// cuda_builder::CudaBuilder::new("gpu-kernels").kernels(&["vecadd"]).build()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A name that no kernel has makes [`build`](Self::build) fail.
    pub fn kernels(mut self, names: &[impl AsRef<str>]) -> Self {
        let names = names.iter().map(|name| name.as_ref().to_owned());
        self.kernels.extend(names);
        self
    }

    /// Copies the LLVM IR of the whole program, after optimisation, to `path`.
    pub fn final_module_path(mut self, path: impl AsRef<Path>) -> Self {
        self.final_module_path = Some(path.as_ref().to_owned());
        self
    }

    /// Emits PTX of at least version `major.minor`, for inline PTX of instructions that came
    /// after the architecture. Not upstream's.
    pub fn ptx_version(mut self, major: u32, minor: u32) -> Self {
        self.ptx_version = Some((major, minor));
        self
    }

    /// Compiles again only what a change of the kernel crate concerns, where `true`: most of the
    /// time of kernels on layouts is the type checker's, and an edit of one kernel leaves the
    /// others' answers as they were. Not upstream's.
    ///
    /// The PTX computes the same and is nearly the same, but not to the letter: rustc deduces fewer
    /// attributes of parameters then. Build what is measured or shipped without. A build script
    /// follows its own build by [`incremental_as_cargo`](Self::incremental_as_cargo).
    pub fn incremental(mut self, incremental: bool) -> Self {
        self.incremental = incremental;
        self
    }

    /// [`incremental`](Self::incremental) where the build that runs this build script is: where
    /// `CARGO_INCREMENTAL` says so, and without it in the profiles that inherit `dev`. Not
    /// upstream's.
    ///
    /// Source: the Cargo Book, "Environment Variables" and "Profiles".
    pub fn incremental_as_cargo(self) -> Self {
        let set = std::env::var("CARGO_INCREMENTAL").ok();
        let profile = std::env::var("PROFILE").ok();
        self.incremental(incremental_by(set.as_deref(), profile.as_deref()))
    }

    /// Runs rustc's front end on `threads` threads; 0 counts as 1. rustc calls that experimental
    /// (`-Zthreads`): it costs a third more processor time, and pays where a core is idle. Not
    /// upstream's.
    pub fn frontend_threads(mut self, threads: usize) -> Self {
        self.frontend_threads = threads.max(1);
        self
    }

    /// Compiles the kernel crate with rustc's next trait solver, where `true`. rustc calls that
    /// experimental (`-Znext-solver`). It keeps the answers to type-level computations for the
    /// whole crate; today's solver repeats them in each function and each pass. Kernels
    /// on layouts compile up to five times as fast. The PTX is the same to the byte where both
    /// compile the crate. A refused layout may have a longer message: compile the crate for the
    /// host too, where messages are made for reading. Not upstream's.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), cuda_builder::CudaBuilderError> {
    /// cuda_builder::CudaBuilder::new("gpu-kernels").next_solver(true).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn next_solver(mut self, next_solver: bool) -> Self {
        self.next_solver = next_solver;
        self
    }

    /// Whether rustc's jump threading runs. It copies what stands between two tests of one
    /// condition into both arms, a barrier too, which the build then refuses
    /// ([`CudaBuilderError::Divergent`]); without it a loop over a short array may stay a loop.
    /// Left out by default on the architectures that have `wgmma` (`sm_90a` and its kin), where it
    /// runs on all others. Not upstream's.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), cuda_builder::CudaBuilderError> {
    /// cuda_builder::CudaBuilder::new("kernels").jump_threading(false).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn jump_threading(mut self, jump_threading: bool) -> Self {
        self.jump_threading = Some(jump_threading);
        self
    }

    /// Whether rustc's jump threading runs.
    pub(crate) fn threads_jumps(&self) -> bool {
        let variant = self.arch.is_architecture_variant();
        self.jump_threading.unwrap_or(!variant)
    }

    /// Keeps the files of the build, and the cache of `rust-src`, in `folder` instead of
    /// `target/cuda-builder`. Not upstream's.
    pub fn build_folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.home = Some(folder.as_ref().to_owned());
        self
    }

    /// Looks for `rust-src` with `machine` instead of [`Machine::here`]. Not upstream's.
    pub fn machine(mut self, machine: Machine) -> Self {
        self.machine = Some(machine);
        self
    }

    /// Says nothing of the compiler's progress, where `true`: warnings and errors alone go to
    /// standard error. Not upstream's.
    pub fn quiet(mut self, quiet: bool) -> Self {
        self.quiet = quiet;
        self
    }

    /// Whether the PTX has line numbers.
    pub(crate) fn line_info(&self) -> DebugInfo {
        let by_default = !self.release;
        if self.generate_line_info && (self.line_info_called || by_default) {
            DebugInfo::LineTables
        } else {
            self.debug
        }
    }

    /// Compiles the crate and returns the path of its PTX: the copy's, where
    /// [`copy_to`](Self::copy_to) asked for one.
    ///
    /// In a build script it also tells cargo when to run the script again: when the kernel
    /// crate or what it depends on changed, and in any case after an error.
    ///
    /// # Errors
    /// [`CudaBuilderError`]; rustc's own messages go to standard error.
    pub fn build(self) -> Result<PathBuf, CudaBuilderError> {
        self.build_with_details().map(|built| built.ptx)
    }

    /// As [`build`](Self::build), with an account of what was built. Not upstream's.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with_details(self) -> Result<Built, CudaBuilderError> {
        let in_build_script = folders::out_dir().is_some();
        let home = self.home()?;
        let result = self.build_in(&home, &mut String::new());
        if in_build_script {
            for line in rerun_lines(&result, &home) {
                println!("{line}");
            }
        }
        for slow in result.iter().flat_map(|built| &built.software) {
            if in_build_script {
                println!("cargo::warning={slow}");
            } else {
                eprintln!("warning: {slow}");
            }
        }
        result
    }

    /// The folder of all kernel builds, absolute.
    pub(crate) fn home(&self) -> Result<PathBuf, CudaBuilderError> {
        let home = self.home.clone().unwrap_or_else(folders::home);
        std::path::absolute(&home).map_err(|source| prepare(&home, source))
    }

    /// Builds in the folder `home`, and puts the PTX in `text` too: the file may be another build's
    /// as soon as this returns.
    pub(crate) fn build_in(
        &self,
        home: &Path,
        text: &mut String,
    ) -> Result<Built, CudaBuilderError> {
        self.refuse_unsupported()?;
        let folder = kernel_crate::folder(&self.path_to_crate)?;
        let toolchain = Toolchain::detect_in(&folder)?;
        let kernels = KernelCrate::read(folder, &toolchain)?;
        let allowed = toolchain.ptx_targets()?;
        if !allowed.iter().any(|sm| sm == self.arch.sm()) {
            return Err(CudaBuilderError::UnsupportedArch {
                arch: self.arch,
                release: toolchain.release,
                allowed,
            });
        }
        let machine = self.machine.clone().unwrap_or_else(Machine::here);
        let cache = home.join("rust-src");
        let (rust_src, _) = rust_src::provision(&toolchain, &cache, &machine)?;
        let locked = lock(home).map_err(|source| prepare(home, source))?;
        let core = rust_src::core_workspace(&rust_src.library, home)
            .map_err(|source| prepare(home, source))?;
        let core = rust_src::outside_of_workspaces(core);
        let places = Places {
            toolchain: &toolchain,
            kernels: &kernels,
            core: &core,
            home,
        };
        places
            .write_remap()
            .map_err(|source| prepare(home, source))?;
        drop(locked);
        // Held until the PTX is copied: cargo's own lock ends with cargo, and another process that
        // builds the same crate would write the file while this one reads it. Builds for different
        // architectures run side by side.
        let of_arch = target_dir(&places, self.arch);
        let _lock = lock(&of_arch).map_err(|source| prepare(&of_arch, source))?;
        let root =
            fs::read_to_string(&kernels.root).map_err(|source| prepare(&kernels.root, source))?;
        let job = Job::plan(self, &places, &root);
        let kept = Kept::of(self, &job, &places, &rust_src);
        let found = kept.as_ref().and_then(|kept| kept.fetch(&job.ptx));
        let (summary, inputs) = match found {
            Some(inputs) => (self.check(&job, &kernels, text)?, inputs),
            None => {
                let began = SystemTime::now();
                let profile_dir = job.run(self, &places)?;
                // As rustc wrote it: the directives are applied to what is fetched too.
                let written = fs::read_to_string(&job.ptx).unwrap_or_default();
                let summary = self.check(&job, &kernels, text)?;
                let dep_info = profile_dir.map(|dir| dir.join(format!("{}.d", kernels.library)));
                let inputs = dep_info
                    .and_then(|file| inputs::read(&file, &kernels.workspace, &[home, &core]));
                if let (Some(kept), Some(inputs)) = (&kept, &inputs) {
                    // What cannot be kept is built again.
                    let _ = kept.store(&written, inputs, &job, began);
                }
                // Without the list, the whole crate: too much rather than too little.
                let whole = || vec![kernels.folder.clone(), kernels.workspace.join("Cargo.lock")];
                (summary, inputs.unwrap_or_else(whole))
            }
        };
        if let Some(to) = &self.final_module_path {
            copy(&job.final_module(), to)?;
        }
        let software = software::find(&fs::read_to_string(&job.ptx).unwrap_or_default());
        let ptx = match &self.ptx_file_copy_path {
            Some(to) => copy(&job.ptx, to)?,
            None => job.ptx,
        };
        Ok(Built {
            ptx,
            summary,
            llvm: job.llvm,
            rust_src,
            inputs,
            software,
        })
    }

    /// Where the PTX of `ptx` goes, absolute.
    fn destination(&self, ptx: &Path) -> PathBuf {
        let to = self.ptx_file_copy_path.as_deref().unwrap_or(ptx);
        std::path::absolute(to).unwrap_or_else(|_| to.to_owned())
    }

    fn refuse_unsupported(&self) -> Result<(), CudaBuilderError> {
        let options = [
            (
                self.ftz,
                "ftz(true)",
                "rustc cannot tell LLVM to flush denormals; write the PTX instructions with \
                 .ftz where it matters",
            ),
            (
                self.optix,
                "optix(true)",
                "rustc's NVPTX backend compiles for CUDA only",
            ),
            (
                self.override_libm,
                "override_libm(true)",
                "libdevice is part of the CUDA toolkit, which this build does not need; libm \
                 is compiled as it is",
            ),
            (
                self.use_constant_memory_space,
                "use_constant_memory_space(true)",
                "rustc places statics in global memory",
            ),
        ];
        match options.into_iter().find(|(asked, ..)| *asked) {
            Some((_, option, reason)) => {
                Err(CudaBuilderError::UnsupportedOption { option, reason })
            }
            None => Ok(()),
        }
    }

    /// Checks the PTX, and puts it in `checked` with the directives that its kernels ask for, as in
    /// the file.
    fn check(
        &self,
        job: &Job,
        kernels: &KernelCrate,
        checked: &mut String,
    ) -> Result<PtxSummary, CudaBuilderError> {
        let written =
            fs::read_to_string(&job.ptx).map_err(|_| CudaBuilderError::PtxNotProduced {
                package: kernels.package.clone(),
                path: job.ptx.clone(),
            })?;
        let text = match self.line_info() {
            DebugInfo::LineTables => line_tables::tidy(&written),
            DebugInfo::None => written.clone(),
        };
        let summary = ptx::inspect(&text).map_err(|problem| CudaBuilderError::InvalidPtx {
            path: job.ptx.clone(),
            problem,
        })?;
        if let Some(name) = (self.kernels.iter()).find(|name| !summary.kernels.contains(name)) {
            return Err(CudaBuilderError::NoSuchKernel {
                package: kernels.package.clone(),
                name: name.clone(),
            });
        }
        if summary.target != self.arch.sm() {
            return Err(CudaBuilderError::WrongTarget {
                path: job.ptx.clone(),
                found: summary.target,
                arch: self.arch,
            });
        }
        let directed = directives::apply(&text).map_err(|problem| CudaBuilderError::Directive {
            path: job.ptx.clone(),
            problem,
        })?;
        let bodies = Program::read(&directed);
        let found = requirements::within(&bodies, &directed, self.arch);
        if !found.is_empty() {
            return Err(CudaBuilderError::NotOfArch {
                arch: self.arch,
                found,
            });
        }
        let found = convergence::within(&bodies, &directed);
        if !found.is_empty() {
            return Err(CudaBuilderError::Divergent {
                path: job.ptx.clone(),
                found,
            });
        }
        let directed = match self.line_info() {
            DebugInfo::LineTables => line_tables::named(&directed, &self.destination(&job.ptx)),
            DebugInfo::None => directed,
        };
        if directed != written {
            files::write(&job.ptx, &directed).map_err(|source| prepare(&job.ptx, source))?;
        }
        *checked = directed;
        Ok(summary)
    }
}

pub(crate) fn prepare(path: &Path, source: std::io::Error) -> CudaBuilderError {
    CudaBuilderError::Prepare {
        path: path.to_owned(),
        source,
    }
}

/// Whether cargo builds incrementally, by `CARGO_INCREMENTAL` and the build script's `PROFILE`.
fn incremental_by(set: Option<&str>, profile: Option<&str>) -> bool {
    match set {
        Some("1") => true,
        Some("0") => false,
        // cargo refuses other values before a build script runs.
        _ => profile == Some("debug"),
    }
}

/// Waits until no other build has `folder`, in this process or another.
pub(crate) fn lock(folder: &Path) -> std::io::Result<fs::File> {
    fs::create_dir_all(folder)?;
    let file = fs::File::create(folder.join("lock"))?;
    // Some network file systems have no locks; cargo goes on without them too.
    match file.lock() {
        Err(error) if error.kind() != std::io::ErrorKind::Unsupported => Err(error),
        _ => Ok(file),
    }
}

/// Copies `from` to `to`, unless `to` is the same already.
fn copy(from: &Path, to: &Path) -> Result<PathBuf, CudaBuilderError> {
    let failed = |source| CudaBuilderError::FailedToCopyPtxFile {
        from: from.to_owned(),
        to: to.to_owned(),
        source,
    };
    let bytes = fs::read(from).map_err(failed)?;
    if !fs::read(to).is_ok_and(|there| there == bytes) {
        files::write(to, bytes).map_err(failed)?;
    }
    Ok(to.to_owned())
}

/// What tells the cargo that runs this build script when to run it again.
fn rerun_lines(result: &Result<Built, CudaBuilderError>, home: &Path) -> Vec<String> {
    let mut lines = vec![format!("cargo:rerun-if-env-changed={}", rust_src::NAMED_BY)];
    match result {
        Ok(built) => lines.extend(
            built
                .inputs
                .iter()
                .map(|path| format!("cargo:rerun-if-changed={}", path.display())),
        ),
        // A file that is never there always counts as changed.
        Err(_) => lines.push(format!(
            "cargo:rerun-if-changed={}",
            home.join("after-an-error-always").display()
        )),
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_build_is_incremental_where_the_build_is() {
        assert!(incremental_by(None, Some("debug")));
        assert!(!incremental_by(None, Some("release")));
        assert!(!incremental_by(None, None), "outside a build script");
        assert!(incremental_by(Some("1"), Some("release")));
        assert!(!incremental_by(Some("0"), Some("debug")));
    }
}
