//! Runs the inner cargo, which compiles the kernels, and decides its command line and environment.
//!
//! Law: only this module decides what is compiled. The workspace's release and dev profiles, its
//! configuration files and the outer cargo's environment can neither add a flag to the kernel build
//! nor remove one. `CudaBuilder::build_args` can, and so can a profile for a single package
//! (`[profile.release.package.kernels]`).
//!
//! ```text
//! cargo rustc --lib --crate-type cdylib -Zbuild-std=core,alloc --target nvptx64-nvidia-cuda
//!   RUSTC_BOOTSTRAP=1              allows -Z flags and feature gates, only in this process tree
//!   CARGO_ENCODED_RUSTFLAGS        flags of every crate for the GPU: -Ctarget-cpu=sm_80 ...
//!   CARGO_PROFILE_RELEASE_*        fat LTO, one codegen unit, panic=abort
//!   -- --emit=asm=<file>.ptx ...   flags of the kernel crate only
//! ```

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::arch::NvvmArch;
use crate::bound::Bound;
use crate::builder::{CudaBuilder, DebugInfo, EmitOption};
use crate::crate_attrs;
use crate::environment::{colour, stopped};
use crate::error::CudaBuilderError;
use crate::folders;
use crate::kernel_crate::KernelCrate;
use crate::needs_std;
use crate::requirements;
use crate::toolchain::{TARGET, Toolchain};

/// The input of the inner cargo.
#[derive(Debug)]
pub(crate) struct Job {
    /// cargo's arguments.
    pub args: Vec<OsString>,
    /// The environment variables that cargo gets in addition to those that it inherits from this
    /// process.
    pub env: Vec<(&'static str, OsString)>,
    /// The file into which rustc writes the PTX.
    pub ptx: PathBuf,
    /// The file of LLVM IR or bitcode that the caller requested, next to the PTX.
    pub llvm: Option<PathBuf>,
    /// The target folder of the inner cargo.
    pub target_dir: PathBuf,
}

/// The folders of a build.
pub(crate) struct Places<'a> {
    pub toolchain: &'a Toolchain,
    pub kernels: &'a KernelCrate,
    /// The folder of the small workspace with `core`.
    pub core: &'a Path,
    /// The folder of all kernel builds.
    pub home: &'a Path,
}

impl Places<'_> {
    /// Returns the path of the file with the arguments for rustc that [`remap`](Self::remap)
    /// returns.
    fn remap_file(&self) -> PathBuf {
        self.core.with_extension("args")
    }

    /// Writes the file with rustc's arguments, unless it exists already. Builds that run in
    /// parallel read this file, so the caller must hold the lock of the folder.
    pub fn write_remap(&self) -> io::Result<()> {
        let (file, text) = (self.remap_file(), self.remap());
        if fs::read(&file).is_ok_and(|there| there == text.as_bytes()) {
            return Ok(());
        }
        files::write(file, text)
    }

    /// Returns the arguments that remove paths of this machine from panic locations, because the
    /// PTX would otherwise differ between machines.
    fn remap(&self) -> String {
        let commit = self.toolchain.commit.as_deref();
        format!(
            "--remap-path-prefix={}=/rustc/{}/library\n",
            self.core.display(),
            commit.unwrap_or(&self.toolchain.release)
        )
    }
}

impl Job {
    /// Plans the build of `builder`.
    ///
    /// `root_source` is the text of the crate's root file.
    pub fn plan(builder: &CudaBuilder, places: &Places, root_source: &str) -> Self {
        let target_dir = target_dir(places, builder.arch);
        let flags = all_crates(builder, places);
        let llvm = llvm_args(builder);
        let attributes = crate_attrs::missing(root_source);
        // The name contains a hash of the crate and the options, so that builds that run at the
        // same time never write the same file.
        let mut hasher = DefaultHasher::new();
        (&places.kernels.folder, &flags, &llvm, builder.ptx_version).hash(&mut hasher);
        (&builder.build_args, &builder.kernels).hash(&mut hasher);
        (builder.release, builder.nvvm_opts).hash(&mut hasher);
        (
            builder.line_info() == DebugInfo::LineTables,
            builder.incremental,
            builder.next_solver,
        )
            .hash(&mut hasher);
        let stem = format!(
            "{}-{}-{:08x}",
            places.kernels.library,
            builder.arch,
            hasher.finish() as u32
        );
        let ptx_dir = places.home.join("ptx");
        let ptx = ptx_dir.join(format!("{stem}.ptx"));
        let ir = match builder.emit {
            Some(EmitOption::Bitcode) => Some(("llvm-bc", ptx_dir.join(format!("{stem}.bc")))),
            Some(EmitOption::LlvmIr) => Some(("llvm-ir", ptx_dir.join(format!("{stem}.ll")))),
            None => None,
        };
        let final_module = builder
            .final_module_path
            .as_ref()
            .map(|_| ("llvm-ir", ptx_dir.join(format!("{stem}.ll"))));

        let mut args: Vec<OsString> = ["rustc", "--lib", "--crate-type", "cdylib"]
            .map(OsString::from)
            .into();
        args.extend([
            "--manifest-path".into(),
            places.kernels.folder.join("Cargo.toml").into(),
        ]);
        args.extend(["--target".into(), TARGET.into()]);
        args.extend(["--target-dir".into(), target_dir.clone().into()]);
        // std gets no features: the GPU has no std, and the small workspace with `core` has no
        // features.
        args.extend([
            "-Zbuild-std=core,alloc".into(),
            "-Zbuild-std-features=".into(),
        ]);
        args.push("--message-format=json-render-diagnostics".into());
        if builder.release {
            args.push("--release".into());
        }
        args.extend(builder.build_args.iter().map(OsString::from));
        args.push("--".into());
        args.push(emit("asm", &ptx));
        let mut emitted: Vec<_> = ir.iter().chain(&final_module).collect();
        emitted.dedup();
        args.extend(emitted.into_iter().map(|(kind, path)| emit(kind, path)));
        // Fat LTO makes one module of all crates, so there is nothing to link. rustc calls a linker
        // nevertheless, here a program that does nothing.
        args.push("-Clinker=true".into());
        // The PTX is emitted when this crate is compiled, so the flag sets the PTX version of the
        // whole program. Dependencies work with every version.
        if let Some((major, minor)) = builder.ptx_version {
            args.push(format!("-Ctarget-feature=+ptx{major}{minor}").into());
        }
        args.extend(llvm.iter().map(|arg| format!("-Cllvm-args={arg}").into()));
        args.extend(
            attributes
                .iter()
                .map(|attribute| format!("-Zcrate-attr={attribute}").into()),
        );

        if builder.incremental {
            // Only the kernel crate is compiled incrementally, because the crates on which it
            // depends do not change. This is a flag and not a profile setting, because a profile
            // setting would change cargo's fingerprints of those crates.
            let mut flag = OsString::from("-Cincremental=");
            flag.push(places.home.join("incremental").join(&stem));
            args.push(flag);
            // Incremental builds skip MIR inlining by default, and many closures would then remain
            // separate functions.
            args.push("-Zinline-mir=yes".into());
        }
        if builder.next_solver {
            args.push("-Znext-solver=globally".into());
            // The next solver counts every step of a nested computation towards the recursion
            // limit, while today's solver counts only some steps.
            if !crate_attrs::has_recursion_limit(root_source) {
                args.push("-Zcrate-attr=recursion_limit=\"2048\"".into());
            }
        }
        if !builder.kernels.is_empty() {
            // Items that only the other kernels use would cause warnings.
            args.push("-Aunused".into());
        }
        if builder.line_info() == DebugInfo::LineTables {
            // Only the kernel crate gets line tables, because all builds share `core` and the other
            // crates. That crate also generates the code of all functions that it inlines and
            // instantiates. With more debug information the target would be `sm_XX, debug`, which
            // ptxas compiles without optimisation.
            args.push("-Cdebuginfo=line-directives-only".into());
            // LLVM states the call sites of an inlined line only in comments, which this flag adds.
            // `line_tables` removes all other comments.
            args.push("-Zverbose-asm=yes".into());
        }
        if builder.frontend_threads > 1 {
            args.push(format!("-Zthreads={}", builder.frontend_threads).into());
        }

        Self {
            args,
            env: environment(builder, places, &target_dir, &flags),
            ptx,
            llvm: ir.map(|(_, path)| path),
            target_dir,
        }
    }

    /// Returns the path of the LLVM IR of the whole program, if `final_module_path` requested it.
    pub fn final_module(&self) -> PathBuf {
        self.ptx.with_extension("ll")
    }

    /// Returns the folder below the target folder with the output for the GPU.
    fn built(&self) -> PathBuf {
        self.target_dir.join(TARGET)
    }

    /// Runs cargo, and passes its messages to standard error as they arrive.
    ///
    /// Returns the profile folder into which the inner cargo built.
    pub fn run(
        &self,
        builder: &CudaBuilder,
        places: &Places,
    ) -> Result<Option<PathBuf>, CudaBuilderError> {
        let prepare = |path: &Path, source| CudaBuilderError::Prepare {
            path: path.to_owned(),
            source,
        };
        let folder = self.ptx.parent().unwrap_or(places.home);
        fs::create_dir_all(folder).map_err(|error| prepare(folder, error))?;
        // After the removal, a file at this path must come from this run. cargo runs rustc every
        // time, because the library that the linker would have made is missing.
        match fs::remove_file(&self.ptx) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(prepare(&self.ptx, error));
            }
            _ => {}
        }
        let mut command = Command::new(&places.toolchain.cargo);
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(stopped) {
                command.env_remove(name);
            }
        }
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&places.kernels.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let not_runnable = |source| CudaBuilderError::CargoNotRunnable {
            cargo: places.toolchain.cargo.clone(),
            source,
        };
        let bound = Bound::new(folders::out_dir().is_some());
        let mut cargo = bound.start(&mut command).map_err(not_runnable)?;
        let messages = cargo.stderr.take();
        let tee = thread::spawn(move || pass_through(messages));
        let profile_dir = cargo
            .stdout
            .take()
            .and_then(|stdout| self.read_artifacts(BufReader::new(stdout)));
        let status = cargo.wait().map_err(not_runnable)?;
        let Heard { rendered, shown } = tee.join().unwrap_or_default();
        if status.success() {
            Ok(profile_dir)
        } else if let Some(needs) = needs_std::find(&rendered, places) {
            Err(needs)
        } else if needs_std::misses_cuda_std(&rendered) {
            Err(CudaBuilderError::NeedsCudaStd {
                package: places.kernels.package.clone(),
            })
        } else {
            // No known cause: print the withheld output.
            let _ = io::stderr().write_all(&rendered.as_bytes()[shown..]);
            if let Some(one) = requirements::selected(&rendered, builder.arch) {
                return Err(CudaBuilderError::NotOfArch {
                    arch: builder.arch,
                    found: vec![one],
                });
            }
            if let Some(cure) = needs_std::known_cure(&rendered, &places.kernels.package) {
                return Err(CudaBuilderError::Cured { cure });
            }
            Err(CudaBuilderError::BuildFailed {
                package: places.kernels.package.clone(),
                arch: builder.arch,
                status,
                rendered,
            })
        }
    }

    /// Returns the profile folder, found by the paths in cargo's messages. Lines that are not JSON
    /// messages of cargo are printed.
    fn read_artifacts(&self, stdout: impl BufRead) -> Option<PathBuf> {
        let built = self.built();
        let mut profile_dir = None;
        for line in stdout.lines().map_while(Result::ok) {
            let Ok(message) = serde_json::from_str::<serde_json::Value>(&line) else {
                eprintln!("{line}");
                continue;
            };
            let files = message["filenames"].as_array().into_iter().flatten();
            for file in files.filter_map(|file| file.as_str()) {
                if let Ok(below) = Path::new(file).strip_prefix(&built)
                    && let Some(profile) = below.components().next()
                {
                    profile_dir = Some(built.join(profile));
                }
            }
        }
        profile_dir
    }
}

/// Returns the target folder. All kernel crates for one architecture have the same target folder,
/// and so share `core` and dependencies. Builds for different architectures could share only
/// macros. They have different folders, because cargo would otherwise run them one after the other.
///
/// If `core` has no path outside all workspaces, the crates of the workspace that contains `home`
/// share one folder, and all other crates share another. In a common folder, the builds of the two
/// groups would discard each other's `core`
/// ([`outside_of_workspaces`](crate::rust_src::outside_of_workspaces)).
pub(crate) fn target_dir(places: &Places, arch: NvvmArch) -> PathBuf {
    let is_own = places.home.starts_with(&places.kernels.workspace);
    let beside = if is_own || !places.core.starts_with(places.home) {
        "target"
    } else {
        "target-of-others"
    };
    places.home.join(beside).join(arch.sm())
}

/// The variable with the kernels that `#[kernel]` compiles, separated by commas. If it is not set,
/// all kernels are compiled. `cuda_std_macros` uses the same name.
const SELECTED_KERNELS: &str = "CUDA_BUILDER_KERNELS";

fn emit(kind: &str, path: &Path) -> OsString {
    let mut flag = OsString::from(format!("--emit={kind}="));
    flag.push(path);
    flag
}

/// The output of cargo and rustc.
#[derive(Debug, Default)]
struct Heard {
    rendered: String,
    /// The number of bytes of `rendered` that were copied to standard error.
    shown: usize,
}

/// Copies `messages` to standard error, up to the first message of a crate that looks for `std`.
/// About a hundred such messages would follow, and one sentence replaces them. Returns all
/// messages.
fn pass_through(messages: Option<impl Read>) -> Heard {
    let mut all = Vec::new();
    let mut buffer = [0; 4096];
    let (mut shown, mut held) = (0, false);
    if let Some(mut messages) = messages {
        while let Ok(read @ 1..) = messages.read(&mut buffer) {
            all.extend_from_slice(&buffer[..read]);
            if held {
                continue;
            }
            // Only whole lines are checked and copied.
            let lines = all.iter().rposition(|&byte| byte == b'\n' || byte == b'\r');
            let mut end = lines.map_or(shown, |last| last + 1).max(shown);
            if let Some(at) = needs_std::first_line(&all[shown..end]) {
                (held, end) = (true, shown + at);
            }
            // If standard error is closed, the build goes on.
            let _ = io::stderr().write_all(&all[shown..end]);
            shown = end;
        }
    }
    if !held {
        let _ = io::stderr().write_all(&all[shown..]);
        shown = all.len();
    }
    // rustc's messages are UTF-8. If the output is not UTF-8, all of it was copied.
    match String::from_utf8(all) {
        Ok(rendered) => Heard { rendered, shown },
        Err(error) => {
            let rendered = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let shown = if held { 0 } else { rendered.len() };
            Heard { rendered, shown }
        }
    }
}

/// Returns the flags of every crate that is compiled for the GPU.
///
/// The processor is set for all crates, and not only for the kernel crate, for two reasons: a
/// function of a dependency that is not inlined is compiled for the processor of the dependency,
/// and dependencies also read `cfg(target_feature)`.
fn all_crates(builder: &CudaBuilder, places: &Places) -> Vec<String> {
    let mut flags = vec![format!("-Ctarget-cpu={}", builder.arch.sm())];
    let features = builder.arch.all_target_features();
    flags.extend(
        features
            .iter()
            .map(|arch| format!("--cfg=target_feature=\"{}\"", arch.target_feature())),
    );
    let known: Vec<_> = crate::NvvmArch::ALL
        .iter()
        .map(|arch| format!("\"{}\"", arch.target_feature()))
        .collect();
    flags.push(format!(
        "--check-cfg=cfg(target_feature,values({}))",
        known.join(",")
    ));
    // rustc expects a `target_feature` cfg to come from -Ctarget-feature. The features here are
    // those of Rust-CUDA, which LLVM does not know.
    flags.push("-Aexplicit_builtin_cfgs_in_flags".into());
    // rustc's own jump threading copies the code between two tests of the same condition into both
    // arms, even if the code contains a barrier, because rustc does not know which instructions a
    // warp must execute together. LLVM's jump threading knows this for intrinsics.
    if !builder.threads_jumps() {
        flags.push("-Zmir-enable-passes=-JumpThreading".into());
    }
    // With this flag, an instruction that a macro wraps in `asm!` has the line at which the macro
    // is used, and not a line within the macro. For the standard library's own macros this is the
    // default. The flag does not affect builds without line numbers. They get it too, so that both
    // kinds of build share the kernels' dependencies.
    flags.push("-Ccollapse-macro-debuginfo=yes".into());
    // This flag overrides cargo's own flag before it. If a workspace compiles a package at a lower
    // level for the CPU, that level would otherwise apply to the GPU too.
    flags.push(format!("-Copt-level={}", level(builder)));
    // The arguments are in a file, because cargo does not see the contents of the file. If they
    // were flags, cargo would keep builds with different flags apart.
    flags.push(format!("@{}", places.remap_file().display()));
    flags
}

/// Returns the level of optimisation. Without any optimisation, calls of core's formatting and of
/// memcmp remain, which no GPU has.
fn level(builder: &CudaBuilder) -> &'static str {
    if builder.nvvm_opts { "3" } else { "1" }
}

/// Returns the options of LLVM. With fat LTO, all of them take effect when the last crate is
/// compiled.
fn llvm_args(builder: &CudaBuilder) -> Vec<&'static str> {
    let mut args = vec![
        // If a loop over a fragment is not unrolled, the fragment is put into local memory.
        "-unroll-threshold=10000",
        // The body of an unrolled loop is a closure, which cannot be marked inline(always). If the
        // closure is called often enough, it stays a function, and the fragments that it captures
        // are put into local memory.
        "-inline-threshold=1000000",
        // Level 2 fuses wherever it is allowed. Level 0 emits mul.rn and add.rn, which ptxas must
        // not fuse either.
        if builder.fma_contraction {
            "-nvptx-fma-level=2"
        } else {
            "-nvptx-fma-level=0"
        },
    ];
    if builder.fast_div {
        // Level 1 uses div.full.f32, 2 ulp.
        args.push("-nvptx-prec-divf32=1");
    }
    if builder.fast_sqrt {
        args.push("-nvptx-prec-sqrtf32=0");
    }
    args
}

fn environment(
    builder: &CudaBuilder,
    places: &Places,
    target_dir: &Path,
    flags: &[String],
) -> Vec<(&'static str, OsString)> {
    let mut env: Vec<(&'static str, OsString)> = vec![
        ("RUSTC", places.toolchain.rustc.clone().into()),
        ("RUSTC_BOOTSTRAP", "1".into()),
        // An empty value means no wrapper, even if a configuration file names one. A caching
        // wrapper would restore only the library, and not the PTX next to it.
        ("RUSTC_WRAPPER", "".into()),
        ("RUSTC_WORKSPACE_WRAPPER", "".into()),
        ("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f").into()),
        // A configuration file may set build-dir to the one that the outer cargo locks.
        ("CARGO_BUILD_BUILD_DIR", target_dir.into()),
        ("CARGO_TERM_COLOR", colour().into()),
        ("CARGO_TERM_PROGRESS_WHEN", "never".into()),
        // This variable names the workspace of the standard library. It is meant for cargo's own
        // tests, but there is no other way.
        ("__CARGO_TESTS_ONLY_SRC_ROOT", places.core.into()),
    ];
    if !builder.kernels.is_empty() {
        // `#[kernel]` reads the variable in the kernel crate, and nothing that cargo keeps between
        // builds depends on the variable.
        env.push((SELECTED_KERNELS, builder.kernels.join(",").into()));
    }
    if builder.quiet {
        env.push(("CARGO_TERM_QUIET", "true".into()));
    }
    if let Some(jobs) = std::env::var_os("NUM_JOBS") {
        env.push(("CARGO_BUILD_JOBS", jobs));
    }
    let assertions = if builder.release { "false" } else { "true" };
    macro_rules! profile {
        ($($name:literal = $value:expr;)*) => {
            if builder.release {
                env.extend([$((concat!("CARGO_PROFILE_RELEASE_", $name), $value.into()),)*]);
            } else {
                env.extend([$((concat!("CARGO_PROFILE_DEV_", $name), $value.into()),)*]);
            }
        };
    }
    profile! {
        "OPT_LEVEL" = level(builder);
        "LTO" = "fat";
        "CODEGEN_UNITS" = "1";
        "PANIC" = "abort";
        "DEBUG" = "none";
        "INCREMENTAL" = "false";
        "STRIP" = "none";
        "DEBUG_ASSERTIONS" = assertions;
        "OVERFLOW_CHECKS" = assertions;
    }
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain() -> Toolchain {
        Toolchain {
            rustc: "rustc".into(),
            cargo: "cargo".into(),
            release: "1.95.0".into(),
            commit: Some("c0ffee".into()),
            host: "host".into(),
            llvm: None,
            sysroot: "/sysroot".into(),
        }
    }

    fn kernels() -> KernelCrate {
        KernelCrate {
            folder: "/w/kernels".into(),
            package: "kernels".into(),
            library: "kernels".into(),
            root: "/w/kernels/src/lib.rs".into(),
            workspace: "/w".into(),
        }
    }

    fn plan(builder: &CudaBuilder) -> Job {
        let (toolchain, kernels) = (toolchain(), kernels());
        let places = Places {
            toolchain: &toolchain,
            kernels: &kernels,
            core: Path::new("/home/core"),
            home: Path::new("/home"),
        };
        Job::plan(builder, &places, "")
    }

    fn variable(job: &Job, name: &str) -> Option<String> {
        let found = job.env.iter().find(|(n, _)| *n == name);
        found.map(|(_, value)| value.to_str().expect("text").to_owned())
    }

    fn has(job: &Job, arg: &str) -> bool {
        job.args.iter().any(|a| a == arg)
    }

    #[test]
    fn who_names_core_otherwise_has_a_folder_of_its_own() {
        let home = Path::new("/w/target/cuda-builder");
        let of = |core: &str, workspace: &str| {
            let (toolchain, mut kernels) = (toolchain(), kernels());
            kernels.workspace = workspace.into();
            let places = Places {
                toolchain: &toolchain,
                kernels: &kernels,
                core: Path::new(core),
                home,
            };
            target_dir(&places, NvvmArch::Compute80)
        };
        let in_workspace = "/w/target/cuda-builder/core-1";
        let outside = "/proc/self/root/w/target/cuda-builder/core-1";
        for core in [in_workspace, outside] {
            assert_eq!(of(core, "/w"), home.join("target/sm_80"));
        }
        for other in ["/w/tests/fixture", "/elsewhere"] {
            assert_eq!(of(in_workspace, other), home.join("target-of-others/sm_80"));
            assert_eq!(of(outside, other), home.join("target/sm_80"));
        }
    }

    #[test]
    fn release_and_debug_are_two_profiles() {
        let release = plan(&CudaBuilder::new("k"));
        assert!(has(&release, "--release"));
        assert_eq!(
            variable(&release, "CARGO_PROFILE_RELEASE_OPT_LEVEL").unwrap(),
            "3"
        );
        assert_eq!(
            variable(&release, "CARGO_PROFILE_RELEASE_DEBUG").unwrap(),
            "none"
        );
        assert_eq!(variable(&release, "CARGO_PROFILE_DEV_OPT_LEVEL"), None);
        let debug = plan(&CudaBuilder::new("k").release(false));
        assert!(!has(&debug, "--release"));
        assert_eq!(
            variable(&debug, "CARGO_PROFILE_DEV_OPT_LEVEL").unwrap(),
            "1"
        );
        assert_eq!(variable(&debug, "CARGO_PROFILE_DEV_LTO").unwrap(), "fat");
        assert_eq!(
            variable(&debug, "CARGO_PROFILE_DEV_OVERFLOW_CHECKS").unwrap(),
            "true"
        );
        // Only the kernel crate has line numbers, and its dependencies are compiled as in a build
        // without line numbers.
        let lines = "-Cdebuginfo=line-directives-only";
        assert!(has(&debug, lines) && !has(&release, lines));
        assert_eq!(variable(&debug, "CARGO_PROFILE_DEV_DEBUG").unwrap(), "none");
        let flags = |job: &Job| variable(job, "CARGO_ENCODED_RUSTFLAGS").unwrap();
        // The level is the last flag, so that every package of the workspace has this level on the
        // GPU.
        assert!(flags(&release).contains("-Copt-level=3"));
        assert!(flags(&debug).contains("-Copt-level=1"));
        let quiet = plan(
            &CudaBuilder::new("k")
                .release(false)
                .generate_line_info(false),
        );
        assert!(!has(&quiet, lines));
        let asked = plan(&CudaBuilder::new("k").generate_line_info(true));
        assert!(has(&asked, lines));
        let all_crates = "CARGO_ENCODED_RUSTFLAGS";
        assert_eq!(variable(&asked, all_crates), variable(&release, all_crates));
    }

    #[test]
    fn builds_that_differ_write_different_files() {
        let new = || CudaBuilder::new("k");
        let all = [
            new(),
            new().release(false),
            new().nvvm_opts(false),
            new().arch(crate::NvvmArch::Compute90),
            new().ptx_version(8, 0),
            new().fma_contraction(false),
            new().fast_div(true),
            new().fast_sqrt(true),
            new().build_args(&["--features", "x"]),
            new().kernels(&["x"]),
            new().incremental(true),
            new().next_solver(true),
        ]
        .map(|builder| plan(&builder).ptx);
        for (i, a) in all.iter().enumerate() {
            assert_eq!(a.parent(), Some(Path::new("/home/ptx")));
            assert!(all[..i].iter().all(|b| a != b), "{}", a.display());
        }
    }

    #[test]
    fn how_fast_to_compile_is_said_to_the_kernel_crate_alone() {
        let plain = plan(&CudaBuilder::new("k").frontend_threads(0));
        let quick = CudaBuilder::new("k")
            .incremental(true)
            .frontend_threads(2)
            .next_solver(true);
        let quick = plan(&quick);
        let separator = |job: &Job| job.args.iter().position(|arg| arg == "--").unwrap();
        let flags = |job: &Job| job.args[separator(job)..].to_vec();
        let state = quick.ptx.file_stem().unwrap().to_str().unwrap();
        let more = [
            format!("-Cincremental=/home/incremental/{state}"),
            "-Zinline-mir=yes".into(),
            "-Zthreads=2".into(),
            "-Znext-solver=globally".into(),
            "-Zcrate-attr=recursion_limit=\"2048\"".into(),
        ];
        for flag in &more {
            assert!(flags(&quick).iter().any(|arg| arg == &**flag), "{flag}");
        }
        assert_eq!(flags(&plain).len() + more.len(), flags(&quick).len());
        assert_eq!(plain.env, quick.env, "the crates that it depends on");
    }

    #[test]
    fn the_architecture_reaches_every_crate_and_the_features_come_with_it() {
        let job = plan(&CudaBuilder::new("k").arch(crate::NvvmArch::Compute90a));
        let flags = variable(&job, "CARGO_ENCODED_RUSTFLAGS").unwrap();
        let flags: Vec<_> = flags.split('\x1f').collect();
        assert!(flags.contains(&"-Ctarget-cpu=sm_90a"));
        for feature in ["compute_90a", "compute_90", "compute_80"] {
            assert!(flags.contains(&&*format!("--cfg=target_feature=\"{feature}\"")));
        }
        // A flag with the path would make cargo build `core` again for each architecture.
        assert!(flags.contains(&"@/home/core.args"));
        assert!(flags.iter().all(|flag| !flag.contains("remap")));
        assert!(has(&job, "-Cllvm-args=-unroll-threshold=10000"));
        // rustc must not copy barriers into the arms of a branch. Builds without this option do not
        // have the flag.
        let passes = "-Zmir-enable-passes=-JumpThreading";
        assert!(flags.contains(&passes));
        let new = || CudaBuilder::new("k").arch(crate::NvvmArch::Compute90);
        for (builder, without) in [(new(), false), (new().jump_threading(false), true)] {
            let plain = plan(&builder);
            let plain = variable(&plain, "CARGO_ENCODED_RUSTFLAGS").unwrap();
            assert_eq!(plain.contains(passes), without);
        }
    }

    #[test]
    fn the_module_is_emitted_once_though_asked_for_twice() {
        let job = plan(
            &CudaBuilder::new("k")
                .emit_llvm_ir(true)
                .final_module_path("/x.ll"),
        );
        let modules = job.args.iter().filter(|arg| {
            arg.to_str()
                .is_some_and(|arg| arg.starts_with("--emit=llvm-ir="))
        });
        assert_eq!(modules.count(), 1);
        assert_eq!(job.llvm, Some(job.final_module()));
    }
}
