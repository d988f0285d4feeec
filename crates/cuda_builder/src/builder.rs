//! [`CudaBuilder`]: the API of upstream (Rust-CUDA) on rustc's own NVPTX backend.
//!
//! Law: every option either reaches the compiler or makes `build` fail. No option is ignored.
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
use crate::ptx_version;
use crate::requirements;
use crate::rust_src::{self, Location, Machine};
use crate::software::{self, SoftwareIn};
use crate::toolchain::Toolchain;

/// The debug information about source lines in the PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DebugInfo {
    /// No debug information.
    None,
    /// Line numbers (`.loc`), for profilers. They do not change the code.
    LineTables,
}

/// An output in addition to PTX.
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
    /// Whether to build with optimisation and without debug assertions. `true` by default.
    pub release: bool,
    /// The path to which the PTX is copied. `None` by default.
    pub ptx_file_copy_path: Option<PathBuf>,
    /// Whether to put line numbers into the PTX of a build that is not `release`. `true` by
    /// default.
    pub generate_line_info: bool,
    /// Whether to optimise fully. `true` by default.
    pub nvvm_opts: bool,
    /// The architecture to compile for. [`NvvmArch::Compute75`] by default.
    pub arch: NvvmArch,
    /// Whether to flush denormal `f32` to zero. `false` by default, and `true` makes `build` fail.
    pub ftz: bool,
    /// Whether to use `sqrt.approx.f32` for square roots. `false` by default.
    pub fast_sqrt: bool,
    /// Whether to use `div.full.f32` (2 ulp) for divisions. `false` by default.
    pub fast_div: bool,
    /// Whether to fuse multiplications and additions. `true` by default.
    pub fma_contraction: bool,
    /// The output in addition to PTX, in the folder of the PTX. `None` by default.
    pub emit: Option<EmitOption>,
    /// Whether to compile for OptiX. `false` by default, and `true` makes `build` fail.
    pub optix: bool,
    /// Whether to direct calls of `libm` to CUDA's libdevice. `false` by default, unlike in
    /// Rust-CUDA, and `true` makes `build` fail.
    pub override_libm: bool,
    /// Whether to put statics into constant memory. `false` by default, and `true` makes `build`
    /// fail.
    pub use_constant_memory_space: bool,
    /// The line numbers in the PTX of any build. `None` by default.
    pub debug: DebugInfo,
    /// Further arguments for cargo. Empty by default.
    pub build_args: Vec<String>,
    /// The kernels to compile: see [`CudaBuilder::kernels`]. Empty by default, so that all kernels
    /// are compiled.
    pub kernels: Vec<String>,
    /// The path to which the LLVM IR of the whole program is copied. `None` by default.
    pub final_module_path: Option<PathBuf>,
    /// The lowest PTX version to emit. By default it is the first version that has the
    /// architecture.
    pub ptx_version: Option<(u32, u32)>,
    /// Whether to compile, after a change of the kernel crate, only the code that the change
    /// affects. `false` by default.
    pub incremental: bool,
    /// The number of threads of rustc's front end. 1 by default.
    pub frontend_threads: usize,
    /// Whether to compile the kernel crate with rustc's next trait solver. `false` by default.
    pub next_solver: bool,
    /// Whether rustc's jump threading runs: see [`CudaBuilder::jump_threading`].
    pub jump_threading: Option<bool>,
    pub(crate) line_info_called: bool,
    /// Whether to omit the compiler's progress: see [`CudaBuilder::quiet`].
    pub quiet: bool,
    pub(crate) home: Option<PathBuf>,
    pub(crate) machine: Option<Machine>,
}

/// The result of a build, and its inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Built {
    /// The PTX, or its copy if [`CudaBuilder::copy_to`] requested one.
    pub ptx: PathBuf,
    /// The facts that the PTX states about itself.
    pub summary: PtxSummary,
    /// The LLVM IR or bitcode that [`CudaBuilder::emit`] requested.
    pub llvm: Option<PathBuf>,
    /// The location of the source of `core`.
    pub rust_src: Location,
    /// The files on which the PTX depends.
    pub inputs: Vec<PathBuf>,
    /// The conversions that run in software. The build printed a warning for each of them.
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
    /// Prepares to build the crate whose `Cargo.toml` is in `path_to_crate_root`. In a build
    /// script, a relative path starts at the folder of the package.
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
        /// Flushes denormal `f32` to zero. rustc has no such option: `true` makes
        /// [`build`](Self::build) fail.
        ftz;
        /// Uses `sqrt.approx.f32` for square roots of `f32`, instead of the IEEE instruction.
        fast_sqrt;
        /// Uses `div.full.f32` (2 ulp) for divisions of `f32`, instead of the IEEE instruction.
        fast_div;
        /// If `true`, fuses `a * b + c` into one rounding, as upstream does. `false` is Rust's own
        /// rule: results are then the same as on a CPU, bit for bit.
        fma_contraction;
        /// If `true`, optimises fully, otherwise at level 1. Level 0 is not possible, because the
        /// PTX of Rust code would then call functions that no GPU has.
        nvvm_opts;
        /// Compiles for OptiX. rustc does not support this: `true` makes [`build`](Self::build)
        /// fail.
        optix;
        /// Replaces `libm` by libdevice, which is part of the CUDA toolkit. This crate does not
        /// need the toolkit: `true` makes [`build`](Self::build) fail.
        override_libm;
        /// Puts statics into constant memory. rustc does not support this: `true` makes
        /// [`build`](Self::build) fail.
        use_constant_memory_space;
    }

    /// If `true`, builds with optimisation and without debug assertions, otherwise with debug
    /// assertions and overflow checks. Sets [`nvvm_opts`](Self::nvvm_opts) to the same value.
    pub fn release(mut self, release: bool) -> Self {
        self.release = release;
        self.nvvm_opts = release;
        self
    }

    /// Puts line numbers into the PTX, or omits them. By default only a build that is not `release`
    /// has them. To set them for all builds, use [`debug`](Self::debug).
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
    /// The PTX runs on that architecture and, depending on its [`variant`](NvvmArch::variant), on
    /// later ones. Kernel code can test for this architecture and for earlier ones:
    /// `#[cfg(target_feature = "compute_80")]`.
    pub fn arch(mut self, arch: NvvmArch) -> Self {
        self.arch = arch;
        self
    }

    /// Also emits LLVM IR, in the folder of the PTX and with its name, with the extension `ll`.
    pub fn emit_llvm_ir(mut self, emit_llvm_ir: bool) -> Self {
        self.emit = emit_llvm_ir.then_some(EmitOption::LlvmIr);
        self
    }

    /// Also emits LLVM bitcode, in the folder of the PTX and with its name, with the extension
    /// `bc`.
    pub fn emit_llvm_bitcode(mut self, emit_llvm_bitcode: bool) -> Self {
        self.emit = emit_llvm_bitcode.then_some(EmitOption::Bitcode);
        self
    }

    /// Trades the IEEE results of `f32` for speed. As in Rust-CUDA, this also sets `ftz`, so
    /// [`build`](Self::build) fails. `fast_math().ftz(false)` sets only the options that rustc
    /// supports.
    pub fn fast_math(mut self) -> Self {
        self.ftz = true;
        self.fast_sqrt = true;
        self.fast_div = true;
        self.fma_contraction = true;
        self
    }

    /// Copies the PTX to `path`. If the file already has the same contents, it is not touched, so
    /// that code that includes the file is not compiled again.
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

    /// Compiles only these kernels of the crate, and none of its other `#[kernel]` functions.
    /// Further calls add kernels. Rust-CUDA's `cuda_builder` has no such method.
    ///
    /// Each kernel is the same as in a build of all kernels, except for the numbers of its labels.
    /// Kernels of crates on which this crate depends remain.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), cuda_builder::CudaBuilderError> {
    /// cuda_builder::CudaBuilder::new("gpu-kernels").kernels(&["vecadd"]).build()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// If no kernel has one of the names, [`build`](Self::build) fails.
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

    /// Emits PTX of at least version `major.minor`, for inline PTX of instructions that are newer
    /// than the architecture. Rust-CUDA's `cuda_builder` has no such method.
    pub fn ptx_version(mut self, major: u32, minor: u32) -> Self {
        self.ptx_version = Some((major, minor));
        self
    }

    /// If `true`, a build after a change of the kernel crate compiles only the code that the change
    /// affects. For kernels on layouts, type checking takes most of the time, and an edit of one
    /// kernel does not change the type checker's results for other kernels. Rust-CUDA's
    /// `cuda_builder` has no such method.
    ///
    /// The PTX computes the same results but can differ slightly in its text, because rustc then
    /// deduces fewer attributes of parameters. Do not use this option for builds that you measure
    /// or ship. [`incremental_as_cargo`](Self::incremental_as_cargo) sets it as in the build that
    /// runs the build script.
    pub fn incremental(mut self, incremental: bool) -> Self {
        self.incremental = incremental;
        self
    }

    /// Sets [`incremental`](Self::incremental) as in the build that runs this build script: by
    /// `CARGO_INCREMENTAL`, or, if that is not set, to `true` in profiles that inherit `dev`.
    /// Rust-CUDA's `cuda_builder` has no such method.
    ///
    /// Source: the Cargo Book, "Environment Variables" and "Profiles".
    pub fn incremental_as_cargo(self) -> Self {
        let set = std::env::var("CARGO_INCREMENTAL").ok();
        let profile = std::env::var("PROFILE").ok();
        self.incremental(incremental_by(set.as_deref(), profile.as_deref()))
    }

    /// Runs rustc's front end on `threads` threads, where 0 counts as 1. In rustc this is
    /// experimental (`-Zthreads`). It takes a third more processor time, and is useful only if a
    /// core is idle. Rust-CUDA's `cuda_builder` has no such method.
    pub fn frontend_threads(mut self, threads: usize) -> Self {
        self.frontend_threads = threads.max(1);
        self
    }

    /// If `true`, compiles the kernel crate with rustc's next trait solver, which is experimental
    /// in rustc (`-Znext-solver`). That solver keeps the results of type-level computations for the
    /// whole crate, while today's solver repeats them in each function and each pass. Kernels on
    /// layouts compile up to five times as fast. If both solvers compile the crate, the PTX is
    /// identical. The message for a refused layout may be longer: compile the crate for the host
    /// too, where its messages are easier to read. Rust-CUDA's `cuda_builder` has no such method.
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

    /// Sets whether rustc's jump threading runs. Jump threading copies the code between two tests
    /// of the same condition into both arms of the first test. If the code contains a barrier, the
    /// barrier is copied too, which the build refuses ([`CudaBuilderError::Divergent`]). Without
    /// jump threading a loop over a short array may stay a loop. By default it is off on the
    /// architectures with `wgmma` (`sm_90a` and other architecture variants), and on for all other
    /// architectures. Rust-CUDA's `cuda_builder` has no such method.
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
    /// `target/cuda-builder`. Rust-CUDA's `cuda_builder` has no such method.
    pub fn build_folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.home = Some(folder.as_ref().to_owned());
        self
    }

    /// Looks for `rust-src` with `machine` instead of [`Machine::here`]. Rust-CUDA's `cuda_builder`
    /// has no such method.
    pub fn machine(mut self, machine: Machine) -> Self {
        self.machine = Some(machine);
        self
    }

    /// If `true`, does not print the compiler's progress: only warnings and errors go to standard
    /// error. Rust-CUDA's `cuda_builder` has no such method.
    pub fn quiet(mut self, quiet: bool) -> Self {
        self.quiet = quiet;
        self
    }

    /// Returns the debug information that the PTX has.
    pub(crate) fn line_info(&self) -> DebugInfo {
        let by_default = !self.release;
        if self.generate_line_info && (self.line_info_called || by_default) {
            DebugInfo::LineTables
        } else {
            self.debug
        }
    }

    /// Compiles the crate and returns the path of its PTX, or of the copy if
    /// [`copy_to`](Self::copy_to) requested one.
    ///
    /// In a build script, it also tells cargo when to run the script again: if the kernel crate or
    /// one of its dependencies has changed, and always after an error.
    ///
    /// # Errors
    /// Returns a [`CudaBuilderError`]. rustc's own messages go to standard error.
    pub fn build(self) -> Result<PathBuf, CudaBuilderError> {
        self.build_with_details().map(|built| built.ptx)
    }

    /// Compiles the crate as [`build`](Self::build) does, and returns the details of the build.
    /// Rust-CUDA's `cuda_builder` has no such method.
    ///
    /// # Errors
    /// Returns the errors of [`build`](Self::build).
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

    /// Returns the absolute path of the folder of all kernel builds.
    pub(crate) fn home(&self) -> Result<PathBuf, CudaBuilderError> {
        let home = self.home.clone().unwrap_or_else(folders::home);
        std::path::absolute(&home).map_err(|source| prepare(&home, source))
    }

    /// Builds in the folder `home`, and also puts the PTX into `text`, because another build may
    /// overwrite the file as soon as this function returns.
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
        // The lock is held until the PTX is copied. cargo's own lock ends with cargo, so another
        // process that builds the same crate could otherwise write the file while this process
        // reads it. Builds for different architectures run in parallel.
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
                // This is the PTX as rustc wrote it, without directives. They are applied later,
                // also to PTX that comes from the cache.
                let written = fs::read_to_string(&job.ptx).unwrap_or_default();
                let summary = self.check(&job, &kernels, text)?;
                let dep_info = profile_dir.map(|dir| dir.join(format!("{}.d", kernels.library)));
                let inputs = dep_info
                    .and_then(|file| inputs::read(&file, &kernels.workspace, &[home, &core]));
                if let (Some(kept), Some(inputs)) = (&kept, &inputs) {
                    // If storing fails, the next build compiles again.
                    let _ = kept.store(&written, inputs, &job, began);
                }
                // If the list cannot be read, the whole crate counts as an input, which may be too
                // much but never too little.
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

    /// Returns the absolute path that the caller gets for the PTX in `ptx`.
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

    /// Checks the PTX, and adds the directives that its kernels request. Puts the result into
    /// `checked` and into the file.
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
        let text = ptx_version::raised(&text);
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

/// Whether cargo builds incrementally, according to `CARGO_INCREMENTAL` and the build script's
/// `PROFILE`.
fn incremental_by(set: Option<&str>, profile: Option<&str>) -> bool {
    match set {
        Some("1") => true,
        Some("0") => false,
        // cargo refuses other values before a build script runs.
        _ => profile == Some("debug"),
    }
}

/// Waits until no other build, in this process or another, holds the lock of `folder`.
pub(crate) fn lock(folder: &Path) -> std::io::Result<fs::File> {
    fs::create_dir_all(folder)?;
    let file = fs::File::create(folder.join("lock"))?;
    // Some network file systems have no locks. cargo, too, continues without a lock there.
    match file.lock() {
        Err(error) if error.kind() != std::io::ErrorKind::Unsupported => Err(error),
        _ => Ok(file),
    }
}

/// Copies `from` to `to`, unless `to` already has the same contents.
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

/// Returns the lines that tell the cargo of this build script when to run it again.
fn rerun_lines(result: &Result<Built, CudaBuilderError>, home: &Path) -> Vec<String> {
    let mut lines = vec![format!("cargo:rerun-if-env-changed={}", rust_src::NAMED_BY)];
    match result {
        Ok(built) => lines.extend(
            built
                .inputs
                .iter()
                .map(|path| format!("cargo:rerun-if-changed={}", path.display())),
        ),
        // A file that never exists always counts as changed.
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
