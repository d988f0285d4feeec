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
//! What a first run needs is in `crates/first-kernels`, in each of these.
//!
//! Exactly one of `.ptx`, `.deferred` and `.err` has content, but for a module in part, which has
//! both of the first: `kernels` always is one, since the head dimensions of attention that are
//! built on demand are the program's. Without the source of Rust's `core` there can be no PTX, but
//! the program still builds, so that `cutlet doctor` can say what to do: `first.err` of
//! `first-kernels`, and `.err` where a module was to be embedded, then hold the message. Kernels
//! that do not compile fail the build.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch};
use recipe::{BASE, recipe};

#[path = "src/new_project/checkout.rs"]
mod checkout;
#[path = "src/kernels/recipe.rs"]
mod recipe;

/// What becomes of a module.
enum Outcome {
    Built,
    /// The program builds it, by this key.
    Deferred(String),
    /// Why there is none.
    LeftOut(String),
}

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    // `.loc` directives, which leave the code as it is, for `cutlet profile` to count by lines of
    // the source.
    println!("cargo::rerun-if-env-changed=CUTLET_LINE_TABLES");
    let with_lines = env::var("CUTLET_LINE_TABLES").is_ok_and(|value| value != "0");
    // For work on kernels: an edit takes a tenth to a quarter of the time. Not by default, not even
    // in a dev build: the PTX is not the same to the letter, and what is tested shall be what is
    // shipped.
    println!("cargo::rerun-if-env-changed=CUTLET_INCREMENTAL_KERNELS");
    let incremental = env::var("CUTLET_INCREMENTAL_KERNELS").is_ok_and(|value| value != "0");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let (repository, commit) = checkout::built_of(&here);
    println!("cargo::rustc-env=CUTLET_REPOSITORY={repository}");
    println!("cargo::rustc-env=CUTLET_COMMIT={commit}");
    // What every GPU from Ampere on can run, unless another is asked for: `CUTLET_ARCH=sm_90` has
    // Hopper's stmatrix.
    println!("cargo::rerun-if-env-changed=CUTLET_ARCH");
    let base = match env::var("CUTLET_ARCH") {
        Ok(name) => arch(&name)?,
        Err(_) => BASE,
    };
    // PTX for sm_90a runs on no other architecture, and PTX for sm_100a neither, so that each is a
    // module of its own, and of no use on most machines.
    let asked = |variable: &str| {
        println!("cargo::rerun-if-env-changed={variable}");
        env::var(variable).ok()
    };
    let [hopper, blackwell] = ["CUTLET_SM90A", "CUTLET_SM100A"].map(asked);
    let for_all = sources("DEP_CUTLET_GPU_KERNELS_FOLDER")?;
    let for_hopper = sources("DEP_CUTLET_GPU_KERNELS_SM90_FOLDER")?;
    let for_blackwell = sources("DEP_CUTLET_GPU_KERNELS_SM100_FOLDER")?;
    println!("cargo::rustc-env=CUTLET_SOURCES={for_all}");
    println!("cargo::rustc-env=CUTLET_SM90A_SOURCES={for_hopper}");
    println!("cargo::rustc-env=CUTLET_SM100A_SOURCES={for_blackwell}");
    let gpus = gpus();
    println!("cargo::rerun-if-env-changed=CUTLET_KERNELS");
    let named = match env::var_os("CUTLET_KERNELS") {
        Some(file) if !file.is_empty() => Some(read_named(&here.join(file))?),
        _ => None,
    };
    // The program knows of no options.
    let whole = with_lines || incremental || base != BASE || is_install();
    let build = |(kernels, arch, name): (&str, NvvmArch, &str)| -> Result<(), CudaBuilderError> {
        let ptx = out_dir.join(format!("{name}.ptx"));
        let builder = recipe(kernels, arch);
        // What the environment says of the module, and by which variable.
        let (said, variable) = match name {
            "kernels_sm100a" => (blackwell.as_deref(), "CUTLET_SM100A"),
            _ => (hopper.as_deref(), "CUTLET_SM90A"),
        };
        let is_for_all = name == "kernels";
        let wanted = match said {
            Some("0") | None => match name {
                "kernels" => whole || !gpus.is_empty() || said.is_some(),
                "kernels_sm90a" => whole || gpus.contains(&(9, 0)),
                _ => gpus.contains(&(10, 0)),
            },
            Some(_) => true,
        };
        let mut key_of_others = None;
        let outcome = if cuda_builder::in_clippy() {
            let why = "this is a build for clippy, which executes nothing";
            Outcome::LeftOut(why.into())
        } else if env::var_os("DOCS_RS").is_some() {
            // There is no network there, and nothing that is executed.
            let why = "this is a build of the documentation";
            Outcome::LeftOut(why.into())
        } else if !is_for_all && said == Some("0") {
            let why = format!("{variable} was 0 when it was built: build it again without");
            Outcome::LeftOut(why)
        } else if let Some(named) = &named {
            // The others are the program's, as where nothing was built.
            key_of_others = Some(builder.defer()?);
            let these: Vec<_> = (named.iter())
                .filter_map(|(module, kernel)| (module == name).then_some(kernel))
                .collect();
            let on_demand = match name {
                "kernels_sm90a" => "attention-cache-e4m3,attention-score-parts,weights",
                "kernels_sm100a" => "kernels",
                _ => "attention-on-demand,attention-score-parts",
            };
            let builder = builder.build_args(&["--features", on_demand]);
            match (&these[..], name) {
                ([], "kernels_sm100a") => {
                    Outcome::Deferred(key_of_others.take().unwrap_or_default())
                }
                _ => built(builder.kernels(&these).copy_to(&ptx))?,
            }
        } else if wanted {
            if is_for_all {
                // Head dimensions of attention that are built on demand are no part of the whole.
                key_of_others = Some(builder.defer()?);
            }
            built(with_options(builder, with_lines, incremental).copy_to(&ptx))?
        } else {
            Outcome::Deferred(builder.defer()?)
        };
        let in_program = matches!(outcome, Outcome::Built);
        let (key, why) = match outcome {
            Outcome::Built => (key_of_others.unwrap_or_default(), String::new()),
            Outcome::Deferred(key) => (key, String::new()),
            Outcome::LeftOut(why) => (String::new(), why),
        };
        if !in_program {
            write(&ptx, "")?;
        }
        write(&out_dir.join(format!("{name}.deferred")), &key)?;
        write(&out_dir.join(format!("{name}.err")), &why)
    };
    // Side by side: LLVM compiles each module on one core.
    let build = &build;
    let of_one = [
        (&*for_hopper, NvvmArch::Compute90a, "kernels_sm90a"),
        (&*for_blackwell, NvvmArch::Compute100a, "kernels_sm100a"),
    ];
    let (first, others) = thread::scope(|scope| {
        let others = of_one.map(|module| (module.2, scope.spawn(move || build(module))));
        let every = build((&for_all, base, "kernels"));
        (every, others.map(|(name, other)| (name, other.join())))
    });
    first?;
    for (name, other) in others {
        other.map_err(|_| format!("the build of {name} panicked"))??;
    }
    Ok(())
}

/// The folder of a kernel crate, by what its own build script says: beside this one, or as unpacked
/// from a registry.
fn sources(variable: &str) -> Result<String, String> {
    env::var(variable)
        .map_err(|_| format!("{variable} is not set: the kernel crate's build script sets it"))
}

/// The kernels that a file names, each with its module: `[kernels]` on a line, and those of that
/// module below, one a line, words behind a `#` aside.
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

fn with_options(builder: CudaBuilder, with_lines: bool, incremental: bool) -> CudaBuilder {
    let lines = if with_lines {
        DebugInfo::LineTables
    } else {
        DebugInfo::None
    };
    let builder = builder.debug(lines).incremental(incremental);
    // Not two experiments at once.
    if incremental {
        builder.frontend_threads(1)
    } else {
        builder
    }
}

/// Builds; where the source of `core` is missing, warns.
fn built(builder: CudaBuilder) -> Result<Outcome, CudaBuilderError> {
    match builder.build() {
        Ok(_) => Ok(Outcome::Built),
        Err(CudaBuilderError::RustSrc(missing)) => {
            let message = missing.to_string();
            for line in message.lines() {
                println!("cargo::warning={line}");
            }
            Ok(Outcome::LeftOut(message))
        }
        Err(error) => Err(error),
    }
}

/// Whether this is `cargo install`, behind which the sources may be gone: by the command line of
/// the cargo that runs this, where the system shows it, else to be on the safe side.
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

/// The compute capabilities of the machine's GPUs, by the tool that comes with the driver.
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

/// The architecture of this name, from Ampere on.
fn arch(name: &str) -> Result<NvvmArch, String> {
    match name.parse::<NvvmArch>() {
        Ok(arch) if arch.capability_value() >= 80 => Ok(arch),
        Ok(_) => Err(format!(
            "CUTLET_ARCH is {name}: the kernels need sm_80 (Ampere) or newer"
        )),
        Err(unknown) => Err(format!("CUTLET_ARCH: {unknown}")),
    }
}

/// Writes only what differs, so that what includes the file is not compiled again.
fn write(path: &Path, text: &str) -> Result<(), CudaBuilderError> {
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    fs::write(path, text).map_err(|source| CudaBuilderError::Prepare {
        path: path.to_owned(),
        source,
    })
}
