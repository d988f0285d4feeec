//! `cutlet doctor`: reports what this machine has for Cutlet, and how to add what it lacks.

use super::Failure;
use super::output::{self, Report, Verdict};
use clap::Args;
use cuda_builder::{Toolchain, cache_of, rust_src};
use cutlet::kernels::{self, ModuleState, Modules};
use host::{Device, Interface};
use serde::Serialize;
use std::path::Path;

/// Says what this machine has for building and running kernels, and what to do about what it lacks
///
/// The exit status is 0 if the kernels of this program can run here, on a GPU or on the emulator.
#[derive(Args)]
pub struct DoctorArguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct DoctorReport {
    #[serde(serialize_with = "output::found_or_error")]
    toolchain: Result<ToolchainReport, String>,
    #[serde(serialize_with = "output::found_or_error")]
    kernels: Result<KernelsReport, String>,
    driver: DriverReport,
    #[serde(serialize_with = "output::found_or_error")]
    gpus: Result<Vec<GpuReport>, String>,
    emulator: String,
    advice: Vec<String>,
    ready: bool,
}

#[derive(Serialize)]
struct ToolchainReport {
    rustc: String,
    release: String,
    llvm: Option<String>,
    sysroot: String,
    rust_src: Option<RustSrc>,
    rust_src_search: Vec<Searched>,
    #[serde(serialize_with = "output::found_or_error")]
    ptx_targets: Result<Vec<String>, String>,
}

#[derive(Serialize)]
struct RustSrc {
    library: String,
    found_by: String,
}

/// The result of one step of the search for rust-src.
#[derive(Serialize)]
struct Searched {
    link: &'static str,
    outcome: String,
}

#[derive(Serialize)]
struct KernelsReport {
    target: String,
    names: Vec<String>,
    /// Whether `names` are only the kernels of a first run, and the other kernels are built when
    /// one of them is first requested.
    more_at_first_use: bool,
    /// The kernels of the module for `sm_90a`, if it is built.
    #[serde(serialize_with = "output::found_or_error")]
    hopper: Result<Vec<String>, String>,
    /// The kernels of the module for `sm_100a`, if it is built; no card has run them.
    #[serde(serialize_with = "output::found_or_error")]
    blackwell: Result<Vec<String>, String>,
}

#[derive(Serialize)]
struct DriverReport {
    loaded: bool,
    status: String,
}

#[derive(Serialize)]
struct GpuReport {
    index: u32,
    name: String,
    compute_capability: String,
    memory_bytes: usize,
    multiprocessors: u32,
    shared_bytes_per_block: usize,
    /// The modules of the program that the device loads, and why.
    modules: String,
    /// Why the kernels of this program do not load, if they do not.
    kernels_refused: Option<String>,
}

impl Report for DoctorReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        match &self.toolchain {
            Ok(toolchain) => toolchain.lines(&mut lines),
            Err(why) => lines.push((
                "toolchain",
                format!("none that builds kernels: {}", one_line(why)),
            )),
        }
        lines.push((
            "kernels",
            match &self.kernels {
                Ok(kernels) => {
                    let alone = |target: &str, kernels: &Result<Vec<String>, String>| match kernels {
                        Ok(names) => format!("{} for {target} alone", names.len()),
                        Err(why) => format!("for {target} {}", one_line(why)),
                    };
                    let hopper = alone("sm_90a", &kernels.hopper);
                    let blackwell = alone("sm_100a", &kernels.blackwell);
                    let more = match kernels.more_at_first_use {
                        true => ", the others when the first of them is asked for, once, in half a minute",
                        false => "",
                    };
                    format!(
                        "{} built for {} and newer{more}; {hopper}; {blackwell}; no card has run those for sm_100a",
                        kernels.names.len(),
                        kernels.target
                    )
                }
                Err(why) => one_line(why),
            },
        ));
        lines.push(("driver", self.driver.status.clone()));
        match &self.gpus {
            Ok(gpus) => lines.extend(gpus.iter().map(|gpu| ("GPU", gpu.line()))),
            Err(why) => lines.push(("GPU", format!("none: {why}"))),
        }
        lines.push(("emulator", self.emulator.clone()));
        lines.extend(self.advice.iter().map(|advice| ("to do", advice.clone())));
        let verdict = if self.ready {
            "kernels can run here"
        } else {
            "kernels cannot run here"
        };
        lines.push(("verdict", verdict.into()));
        lines
    }

    fn verdict(&self) -> Verdict {
        Verdict::of(self.ready)
    }
}

impl ToolchainReport {
    fn lines(&self, lines: &mut Vec<(&'static str, String)>) {
        let llvm = self
            .llvm
            .as_ref()
            .map_or(String::new(), |llvm| format!(", LLVM {llvm}"));
        lines.push((
            "toolchain",
            format!("rustc {}{llvm} ({})", self.release, self.rustc),
        ));
        match &self.rust_src {
            Some(found) => lines.push((
                "rust-src",
                format!("{} (by {})", found.library, found.found_by),
            )),
            None => {
                lines.push(("rust-src", "not on this machine".into()));
                lines.extend(self.rust_src_search.iter().map(|searched| {
                    let outcome = one_line(&searched.outcome);
                    ("", format!("{}: {outcome}", searched.link))
                }));
            }
        }
        lines.push((
            "targets",
            match &self.ptx_targets {
                Ok(targets) => targets.join(" "),
                Err(why) => format!("none: {}", one_line(why)),
            },
        ));
    }
}

impl GpuReport {
    fn line(&self) -> String {
        let kernels = match &self.kernels_refused {
            None => format!("the kernels load, {}", self.modules),
            Some(why) => format!("the kernels do not load: {}", one_line(why)),
        };
        format!(
            "{}: {}, compute capability {}, {} GiB, {} multiprocessors, {} bytes of shared memory a block; {kernels}",
            self.index,
            self.name,
            self.compute_capability,
            self.memory_bytes >> 30,
            self.multiprocessors,
            self.shared_bytes_per_block
        )
    }
}

/// Runs the command.
pub fn run(arguments: &DoctorArguments) -> Result<Verdict, Failure> {
    let toolchain = toolchain();
    let more = kernels::ptx_state() == ModuleState::Deferred;
    let kernels = if more {
        kernels::first()
    } else {
        kernels::ptx()
    };
    let kernels = kernels
        .map_err(|error| error.message.to_string())
        .and_then(|ptx| kernels_of(ptx, more));
    let driver = cuda_driver::status();
    let driver = DriverReport {
        loaded: driver.is_loaded(),
        status: driver.to_string(),
    };
    let gpus = Device::gpu_count()
        .map(|count| (0..count).map(gpu).collect())
        .map_err(|why| why.to_string());
    let ready = kernels.is_ok();
    let report = DoctorReport {
        advice: advice(&toolchain, &kernels, &driver, &gpus),
        toolchain,
        kernels,
        driver,
        gpus,
        emulator: {
            let emulator = Device::emulator();
            format!("{}, always there; {}", emulator.name(), modules(&emulator))
        },
        ready,
    };
    output::print(&report, arguments.json)
}

fn toolchain() -> Result<ToolchainReport, String> {
    let toolchain = Toolchain::detect().map_err(|error| error.to_string())?;
    let cache = cache_of(Path::new(env!("OUT_DIR")));
    let search = rust_src::locate(&toolchain, &cache, &rust_src::Machine::here());
    Ok(ToolchainReport {
        rust_src: search.location().map(|location| RustSrc {
            library: location.library.display().to_string(),
            found_by: location.link.name().into(),
        }),
        rust_src_search: search
            .steps
            .iter()
            .map(|step| Searched {
                link: step.link.name(),
                outcome: step.outcome.to_string(),
            })
            .collect(),
        ptx_targets: toolchain.ptx_targets().map_err(|error| error.to_string()),
        rustc: toolchain.rustc.display().to_string(),
        release: toolchain.release,
        llvm: toolchain.llvm,
        sysroot: toolchain.sysroot.display().to_string(),
    })
}

fn kernels_of(ptx: &str, more_at_first_use: bool) -> Result<KernelsReport, String> {
    let interface = Interface::read(ptx).map_err(|error| error.to_string())?;
    let names = |interface: Interface| -> Vec<String> {
        let kernels = interface.kernels.into_iter();
        kernels.map(|kernel| kernel.name).collect()
    };
    let of_module = |state, variable, text: fn() -> Result<&'static str, _>| match state {
        ModuleState::LeftOut(why) => Err(format!("none: {why}")),
        ModuleState::Deferred => Err(format!(
            "none yet: each is built when it is asked for, once, in a few seconds \
             ({variable}=1 has the program's build make them all)"
        )),
        ModuleState::Embedded | ModuleState::Built => text()
            .map_err(|error: kernels::KernelsNotBuilt| error.message.to_string())
            .and_then(|ptx| Interface::read(ptx).map_err(|error| error.to_string()))
            .map(names),
    };
    Ok(KernelsReport {
        target: interface.target.to_string(),
        names: names(interface),
        more_at_first_use,
        hopper: of_module(kernels::sm90a_state(), "CUTLET_SM90A", kernels::sm90a),
        blackwell: of_module(kernels::sm100a_state(), "CUTLET_SM100A", kernels::sm100a),
    })
}

/// Returns the program's modules that a device loads, and why: `sm_80 and sm_90a: ...`.
fn modules(device: &Device) -> String {
    match kernels::choose(device.compute_capability()) {
        Ok(choice) => format!("{}: {}", choice.targets.join(" and "), choice.why),
        Err(error) => one_line(&error.to_string()),
    }
}

fn gpu(index: u32) -> GpuReport {
    match Device::gpu(index) {
        Ok(device) => GpuReport {
            index,
            name: device.name().into(),
            compute_capability: {
                let (major, minor) = device.compute_capability();
                format!("{major}.{minor}")
            },
            memory_bytes: device.limits().memory,
            multiprocessors: device.limits().multiprocessors,
            shared_bytes_per_block: device.limits().max_shared,
            modules: modules(&device),
            kernels_refused: Modules::load(&device).err().map(|error| error.to_string()),
        },
        Err(error) => GpuReport {
            index,
            name: "it cannot be opened".into(),
            compute_capability: "unknown".into(),
            memory_bytes: 0,
            multiprocessors: 0,
            shared_bytes_per_block: 0,
            modules: "unknown".into(),
            kernels_refused: Some(error.to_string()),
        },
    }
}

fn advice(
    toolchain: &Result<ToolchainReport, String>,
    kernels: &Result<KernelsReport, String>,
    driver: &DriverReport,
    gpus: &Result<Vec<GpuReport>, String>,
) -> Vec<String> {
    let mut advice = Vec::new();
    let mut say = |text: &str| advice.push(text.to_string());
    match toolchain {
        Err(_) => say(
            "to build kernels, install the toolchain that rust-toolchain.toml names: https://rustup.rs",
        ),
        Ok(toolchain) => {
            if toolchain.rust_src.is_none() {
                say(
                    "rust-src: nothing while the network is there, the next build fetches it; by hand, \
                     `rustup component add rust-src`",
                );
            }
            if toolchain.ptx_targets.is_err() {
                say("this rustc emits no PTX: use rustup's, which does");
            }
        }
    }
    if kernels.is_err() {
        say("build again once rust-src is there: `cargo build --release`");
    }
    if !driver.loaded {
        say("for a GPU, install NVIDIA's driver; the emulator needs nothing");
    } else if gpus.is_err() {
        say("the driver is there and finds no GPU: see `nvidia-smi`, and CUDA_VISIBLE_DEVICES");
    }
    let unfit = gpus
        .as_ref()
        .is_ok_and(|gpus| gpus.iter().any(|gpu| gpu.kernels_refused.is_some()));
    if unfit && kernels.is_ok() {
        say(
            "a GPU that does not load the kernels is older than compute capability 8.0, or its driver older than CUDA 12",
        );
    }
    advice
}

/// Joins the lines of a message into one.
fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("; ")
}
