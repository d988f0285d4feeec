//! What kernels cost the compiler: the time of a build of their PTX where all that they depend on is built.
//!
//! ```text
//! cargo run --release -p cutlet-cuda-builder --example kernel_cost                  # the reference GEMM alone, three builds
//! cargo run --release -p cutlet-cuda-builder --example kernel_cost -- 5 gpu-kernels --no-default-features --features gemm-f16
//!                                                            builds of each kind, the crate, cargo's arguments
//! ```
//!
//! A build that is not incremental is the same whatever was edited. For an incremental one edit the crate while the program
//! waits: it says when. Exit status 1 means that the target, 6 s, is missed.

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};
use std::error::Error;
use std::io::{IsTerminal, stdin};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What a build of one configuration may take on two cores, with the next trait solver.
const TARGET: Duration = Duration::from_secs(6);

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let times: u32 = args.next().map_or(Ok(3), |arg| arg.parse())?;
    let folder = args.next().unwrap_or_else(|| "gpu-kernels".into());
    let mut options: Vec<String> = args.collect();
    if options.is_empty() {
        options.extend(["--no-default-features", "--features", "reference"].map(String::from));
    }
    println!("{folder} {}", options.join(" "));
    let builder = || {
        CudaBuilder::new(&folder)
            .arch(NvvmArch::Compute80)
            .build_args(&options)
    };
    // What it depends on, and for the incremental build its first state.
    timed(builder())?;
    let whole = least(times, builder)?;
    say("a build", whole);
    let next_solver = || builder().next_solver(true);
    let quick = least(times, next_solver)?;
    say("with the next trait solver", quick);
    let threads = || next_solver().frontend_threads(2);
    say(
        "and two threads of rustc's front end",
        least(times, threads)?,
    );
    let incremental = || next_solver().incremental(true);
    say("the first incremental build", timed(incremental())?);
    say("the next, nothing changed", least(times, incremental)?);
    while stdin().is_terminal() {
        println!("edit and press Enter; press Ctrl-D to end");
        if stdin().read_line(&mut String::new())? == 0 {
            break;
        }
        say("the next", timed(incremental())?);
    }
    if quick > TARGET {
        println!("above the target of {} s", TARGET.as_secs());
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn say(what: &str, time: Duration) {
    println!("{what}: {:.1} s", time.as_secs_f64());
}

fn timed(builder: CudaBuilder) -> Result<Duration, CudaBuilderError> {
    let start = Instant::now();
    builder.build()?;
    Ok(start.elapsed())
}

fn least(times: u32, builder: impl Fn() -> CudaBuilder) -> Result<Duration, CudaBuilderError> {
    let mut least = Duration::MAX;
    for _ in 0..times.max(1) {
        least = least.min(timed(builder())?);
    }
    Ok(least)
}
