//! What kernels cost the compiler: the time of a build of their PTX after everything on which they
//! depend is built.
//!
//! ```text
//! cargo run --release -p cutlet-cuda-builder --example kernel_cost                  # only the reference GEMM, three builds
//! cargo run --release -p cutlet-cuda-builder --example kernel_cost -- 5 gpu-kernels --no-default-features --features gemm-f16
//!                                                            builds of each kind, the crate, cargo's arguments
//! ```
//!
//! Before each build the crate's `src/lib.rs` gets a new time, and the PTX that is kept by its
//! content is deleted, so that rustc runs as after an edit. A build that is not incremental takes
//! the same time whatever was edited. For an incremental build, edit the crate while the program
//! waits for it: the program says when. Today's trait solver, which Cutlet's own build does not
//! use, is timed only for the reference: all kernels take it two minutes. Exit status 1 means that
//! the reference misses its target, 6 s.

use cuda_builder::{CudaBuilder, NvvmArch};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, IsTerminal, stdin};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

/// The longest time that a build of one configuration should take on two cores, with the next trait
/// solver.
const TARGET: Duration = Duration::from_secs(6);

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let times: u32 = args.next().map_or(Ok(3), |arg| arg.parse())?;
    let folder = args.next().unwrap_or_else(|| "gpu-kernels".into());
    let mut options: Vec<String> = args.collect();
    let reference = options.is_empty();
    if reference {
        options.extend(["--no-default-features", "--features", "reference"].map(String::from));
    }
    println!("{folder} {}", options.join(" "));
    let builder = || {
        CudaBuilder::new(&folder)
            .arch(NvvmArch::Compute80)
            .build_args(&options)
    };
    let next_solver = || builder().next_solver(true);
    // This builds everything on which the crate depends.
    timed(&folder, next_solver())?;
    if reference {
        say("a build", least(times, &folder, builder)?);
    }
    let quick = least(times, &folder, next_solver)?;
    say("with the next trait solver", quick);
    let threads = || next_solver().frontend_threads(2);
    say(
        "and two threads of rustc's front end",
        least(times, &folder, threads)?,
    );
    let incremental = || next_solver().incremental(true);
    say(
        "the first incremental build",
        timed(&folder, incremental())?,
    );
    say(
        "the next, nothing changed",
        least(times, &folder, incremental)?,
    );
    while stdin().is_terminal() {
        println!("edit and press Enter; press Ctrl-D to end");
        if stdin().read_line(&mut String::new())? == 0 {
            break;
        }
        say("the next", timed(&folder, incremental())?);
    }
    if reference && quick > TARGET {
        println!("above the target of {} s", TARGET.as_secs());
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn say(what: &str, time: Duration) {
    println!("{what}: {:.1} s", time.as_secs_f64());
}

/// Makes cargo build the crate again, as after an edit.
fn edit(folder: &str) -> io::Result<()> {
    match fs::remove_dir_all("target/cuda-builder/kept") {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::options()
        .append(true)
        .open(Path::new(folder).join("src/lib.rs"))?
        .set_modified(SystemTime::now())
}

fn timed(folder: &str, builder: CudaBuilder) -> Result<Duration, Box<dyn Error>> {
    edit(folder)?;
    let start = Instant::now();
    builder.build()?;
    Ok(start.elapsed())
}

fn least(
    times: u32,
    folder: &str,
    builder: impl Fn() -> CudaBuilder,
) -> Result<Duration, Box<dyn Error>> {
    let mut least = Duration::MAX;
    for _ in 0..times.max(1) {
        least = least.min(timed(folder, builder())?);
    }
    Ok(least)
}
