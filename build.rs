//! Compiles the kernels in `gpu-kernels` to `OUT_DIR/kernels.ptx`, those in `gpu-kernels-sm90` to
//! `OUT_DIR/kernels_sm90a.ptx`, and those in `gpu-kernels-sm100` to `OUT_DIR/kernels_sm100a.ptx`,
//! or leaves them to the program.
//!
//! ```text
//!                              kernels             kernels_sm90a          kernels_sm100a
//!   CUTLET_SM90A=1             .ptx: embedded      .ptx                   .deferred
//!   CUTLET_SM100A=1, =0        .deferred           .deferred              .ptx, .err: left out
//!   cargo install              .ptx                .ptx                   .deferred
//!   a GPU of 9.0, of 10.0      .ptx                .ptx, .deferred        .deferred, .ptx
//!   another GPU                .ptx                .deferred              .deferred
//!   options, CUTLET_SM90A=0    .ptx                .ptx, .err: left out   .deferred
//!   CUTLET_KERNELS=FILE        .ptx: the kernels that the file names, and .deferred for the others
//!   otherwise                  .deferred: the key by which the program builds it at its first use
//! ```
//!
//! In each of these cases, `crates/first-kernels` holds the kernels that a first run needs.
//!
//! Exactly one of `.ptx`, `.deferred` and `.err` has content, unless only a part of the module is
//! embedded: then both `.ptx` and `.deferred` have content. An embedded `kernels` is always such a
//! part, because the program builds some head dimensions of attention on demand. Without the source
//! of Rust's `core` there can be no PTX, but the program still builds, so that `cutlet doctor` can
//! say what to do: the message is then in `first.err` of `first-kernels`, and in `.err` of each
//! module that was to be embedded. Kernels that do not compile fail the build.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

use cuda_builder::build_script::{
    BASE, KernelOptions, build_or_warn, no_kernels, recipe, variable, write_if_changed,
};
use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};

#[path = "src/new_project/checkout.rs"]
mod checkout;

/// The result of building a module.
enum Outcome {
    Built,
    /// The program builds the module, under this key.
    Deferred(String),
    /// The program has no such module, for this reason.
    LeftOut(String),
}

/// The settings for all modules, from the environment.
struct Asked {
    out_dir: PathBuf,
    options: KernelOptions,
    /// The kernels of `CUTLET_KERNELS`, each with its module.
    named: Option<Vec<(String, String)>>,
    /// The compute capabilities of the machine's GPUs.
    gpus: Vec<(u32, u32)>,
    /// The values of `CUTLET_SM90A` and `CUTLET_SM100A`.
    hopper: Option<String>,
    blackwell: Option<String>,
}

/// A module: the folder of its kernels, the architecture, and its name.
struct Module<'a> {
    kernels: &'a str,
    arch: NvvmArch,
    name: &'static str,
}

impl Asked {
    fn new(here: &Path) -> Result<Self, Box<dyn Error>> {
        let named = match variable("CUTLET_KERNELS") {
            Some(file) if !file.is_empty() => Some(read_named(&here.join(file))?),
            _ => None,
        };
        Ok(Self {
            out_dir: PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?),
            options: KernelOptions::from_environment()?,
            named,
            gpus: gpus(),
            // PTX for sm_90a runs on no other architecture, nor does PTX for sm_100a, so that each
            // is a module of its own, of no use on most machines.
            hopper: variable("CUTLET_SM90A"),
            blackwell: variable("CUTLET_SM100A"),
        })
    }

    /// Whether to embed a module if `CUTLET_KERNELS` names no kernels.
    fn is_wanted(&self, name: &str) -> bool {
        // The program builds on demand without options, so a build with an option embeds the
        // module.
        let KernelOptions {
            with_lines,
            incremental,
            base,
        } = self.options;
        let whole = with_lines || incremental || base != BASE || is_install();
        match (name, self.hopper.as_deref(), self.blackwell.as_deref()) {
            ("kernels", said, _) => whole || !self.gpus.is_empty() || said.is_some(),
            ("kernels_sm90a", None, _) => whole || self.gpus.contains(&(9, 0)),
            ("kernels_sm90a", Some(_), _) | ("kernels_sm100a", _, Some(_)) => true,
            _ => self.gpus.contains(&(10, 0)),
        }
    }

    /// Builds a module, or says why it does not. The second result is the key by which the program
    /// builds the kernels that the embedded module lacks.
    fn outcome(&self, of: &Module<'_>) -> Result<(Outcome, Option<String>), CudaBuilderError> {
        let builder = recipe(of.kernels, of.arch);
        // The variable of the environment that decides about the module, and its value.
        let (said, variable) = match of.name {
            "kernels_sm90a" => (self.hopper.as_deref(), "CUTLET_SM90A"),
            "kernels_sm100a" => (self.blackwell.as_deref(), "CUTLET_SM100A"),
            _ => (None, ""),
        };
        if let Some(why) = no_kernels() {
            return Ok((Outcome::LeftOut(why.into()), None));
        }
        if said == Some("0") {
            let why = format!("{variable} was 0 when it was built: build it again without");
            return Ok((Outcome::LeftOut(why), None));
        }
        let ptx = self.out_dir.join(format!("{}.ptx", of.name));
        if let Some(named) = &self.named {
            let these: Vec<_> = (named.iter())
                .filter_map(|(module, kernel)| (module == of.name).then_some(kernel))
                .collect();
            // The program builds the other kernels, as it does if nothing was built here.
            let others = builder.defer()?;
            if these.is_empty() {
                return Ok((Outcome::Deferred(others), None));
            }
            let on_demand = match of.name {
                "kernels_sm90a" => "attention-cache-e4m3,attention-score-parts,weights",
                "kernels_sm100a" => "kernels",
                _ => "attention-on-demand,attention-score-parts",
            };
            let builder = builder.build_args(&["--features", on_demand]);
            return Ok((built(builder.kernels(&these).copy_to(&ptx))?, Some(others)));
        }
        if !self.is_wanted(of.name) {
            return Ok((Outcome::Deferred(builder.defer()?), None));
        }
        // Head dimensions of attention that are built on demand are not in the embedded module.
        let others = match of.name {
            "kernels" => Some(builder.defer()?),
            _ => None,
        };
        let builder = self.options.apply(builder);
        Ok((built(builder.copy_to(&ptx))?, others))
    }

    /// Writes the result of building a module.
    fn build(&self, of: &Module<'_>) -> Result<(), CudaBuilderError> {
        let (outcome, key_of_others) = self.outcome(of)?;
        let in_program = matches!(outcome, Outcome::Built);
        let (key, why) = match outcome {
            Outcome::Built => (key_of_others.unwrap_or_default(), String::new()),
            Outcome::Deferred(key) => (key, String::new()),
            Outcome::LeftOut(why) => (String::new(), why),
        };
        let file = |extension| self.out_dir.join(format!("{}.{extension}", of.name));
        if !in_program {
            write_if_changed(&file("ptx"), "")?;
        }
        write_if_changed(&file("deferred"), &key)?;
        write_if_changed(&file("err"), &why)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let (repository, commit) = checkout::built_of(&here);
    println!("cargo::rustc-env=CUTLET_REPOSITORY={repository}");
    println!("cargo::rustc-env=CUTLET_COMMIT={commit}");
    let for_all = sources("DEP_CUTLET_GPU_KERNELS_FOLDER")?;
    let for_hopper = sources("DEP_CUTLET_GPU_KERNELS_SM90_FOLDER")?;
    let for_blackwell = sources("DEP_CUTLET_GPU_KERNELS_SM100_FOLDER")?;
    println!("cargo::rustc-env=CUTLET_SOURCES={for_all}");
    println!("cargo::rustc-env=CUTLET_SM90A_SOURCES={for_hopper}");
    println!("cargo::rustc-env=CUTLET_SM100A_SOURCES={for_blackwell}");
    let asked = Asked::new(&here)?;
    let modules = [
        (&for_all, asked.options.base, "kernels"),
        (&for_hopper, NvvmArch::Compute90a, "kernels_sm90a"),
        (&for_blackwell, NvvmArch::Compute100a, "kernels_sm100a"),
    ];
    let modules = modules.map(|(kernels, arch, name)| Module {
        kernels,
        arch,
        name,
    });
    // The modules are built at the same time, because LLVM compiles each on one core.
    thread::scope(|scope| {
        let builds: Vec<_> = (modules.iter())
            .map(|of| (of.name, scope.spawn(|| asked.build(of))))
            .collect();
        for (name, build) in builds {
            build
                .join()
                .map_err(|_| format!("the build of {name} panicked"))??;
        }
        Ok(())
    })
}

/// Returns the folder of a kernel crate, which the crate's own build script sets: it lies beside
/// this crate, or where cargo unpacked the crate from a registry.
fn sources(variable: &str) -> Result<String, String> {
    env::var(variable)
        .map_err(|_| format!("{variable} is not set: the kernel crate's build script sets it"))
}

/// Returns the kernels that a file names, each with its module. A line `[kernels]` names a module,
/// and each line after it names a kernel of that module. A `#` begins a comment.
fn read_named(file: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", file.display());
    let text = fs::read_to_string(file)
        .map_err(|error| format!("CUTLET_KERNELS: {} cannot be read: {error}", file.display()))?;
    let mut module = None;
    let mut named = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[') {
            module = Some(name.trim_end_matches(']').to_owned());
        } else if !line.is_empty() {
            let of = (module.clone()).ok_or_else(|| {
                format!("CUTLET_KERNELS: {line} stands before the name of a module, as [kernels]")
            })?;
            named.push((of, line.to_owned()));
        }
    }
    Ok(named)
}

/// Builds a module, or warns if the source of `core` is missing.
fn built(builder: CudaBuilder) -> Result<Outcome, CudaBuilderError> {
    Ok(match build_or_warn(builder)? {
        Some(message) => Outcome::LeftOut(message),
        None => Outcome::Built,
    })
}

/// Whether this build belongs to `cargo install`, after which the sources may be gone. On Linux,
/// the command line of the cargo process that runs this build decides. If it cannot be read, and on
/// other systems, the answer is true, to be on the safe side.
fn is_install() -> bool {
    #[cfg(target_os = "linux")]
    if let Ok(line) = fs::read(format!(
        "/proc/{}/cmdline",
        std::os::unix::process::parent_id()
    )) {
        return line.split(|&byte| byte == 0).any(|word| word == b"install");
    }
    true
}

/// Returns the compute capabilities of the machine's GPUs, as `nvidia-smi` prints them.
fn gpus() -> Vec<(u32, u32)> {
    let mut tool = Command::new("nvidia-smi");
    let asked = tool.args(["--query-gpu=compute_cap", "--format=csv,noheader"]);
    let said = asked.output().map(|said| said.stdout).unwrap_or_default();
    let capability = |line: &str| {
        let (major, minor) = line.trim().split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let text = String::from_utf8_lossy(&said);
    text.lines().filter_map(capability).collect()
}
