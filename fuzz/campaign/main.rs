//! Fuzzes by structure for a given time, with several processes and without other tools. It runs
//! `structured::run` on drawn bytes and, if the build counts edges, on changed bytes of inputs that
//! reached an edge or a count for the first time.
//!
//! ```text
//!   campaign ──starts──► workers 0 .. jobs, each a process: draw or change bytes, run, look
//!            ◄──totals── executions, edges, features; findings: a panic, an abort, beyond the time, beyond the memory
//! ```
//!
//! `campaign --seconds 3600 --jobs 16 --seed 1 --out DIR` runs a campaign; `--run FILE` runs one
//! input, `--show FILE` prints it. The exit status is 0 if there are no findings.

mod coverage;
mod memory;
mod worker;

use cutlet_fuzz::structured::{self, Features};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

struct Options {
    seconds: u64,
    seed: u64,
    jobs: u64,
    out: PathBuf,
    worker: Option<u64>,
    file: Option<(bool, PathBuf)>,
}

fn options() -> Option<Options> {
    let mut options = Options {
        seconds: 60,
        seed: 1,
        jobs: 1,
        out: "artifacts/campaign".into(),
        worker: None,
        file: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next()?;
        match name.as_str() {
            "--seconds" => options.seconds = value.parse().ok()?,
            "--seed" => options.seed = value.parse().ok()?,
            "--jobs" => options.jobs = value.parse().ok()?,
            "--out" => options.out = value.into(),
            "--worker" => options.worker = Some(value.parse().ok()?),
            "--run" => options.file = Some((true, value.into())),
            "--show" => options.file = Some((false, value.into())),
            _ => return None,
        }
    }
    Some(options)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!(
            "campaign [--seconds N] [--seed N] [--jobs N] [--out DIR] [--run FILE | --show FILE]"
        );
        return ExitCode::from(2);
    };
    if let Some((run, file)) = &options.file {
        return one(*run, file);
    }
    if let Some(index) = options.worker {
        return worker::work(&options.out, index, options.seed, options.seconds);
    }
    match campaign(&options) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error}", options.out.display());
            ExitCode::from(2)
        }
    }
}

fn one(run: bool, file: &Path) -> ExitCode {
    match std::fs::read(file) {
        Ok(bytes) if run => {
            let mut features = Features::new();
            let start = Instant::now();
            let launches = structured::run(&bytes, &mut features);
            println!(
                "{launches} launches in {:?}\n{features:#?}",
                start.elapsed()
            );
            ExitCode::SUCCESS
        }
        Ok(bytes) => {
            print!("{}", structured::show(&bytes));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            ExitCode::from(2)
        }
    }
}

/// Runs the workers until the time is over, and restarts a worker that died. Returns the number of
/// findings.
fn campaign(options: &Options) -> std::io::Result<usize> {
    std::fs::create_dir_all(options.out.join("findings"))?;
    let exe = std::env::current_exe()?;
    let end = Instant::now() + Duration::from_secs(options.seconds);
    let start = |index: u64, round: u64| -> std::io::Result<Child> {
        let seconds = end.saturating_duration_since(Instant::now()).as_secs();
        Command::new(&exe)
            .args(["--worker", &index.to_string()])
            .args(["--seconds", &seconds.to_string()])
            .args([
                "--seed",
                &(options.seed + index + 1_000_003 * round).to_string(),
            ])
            .arg("--out")
            .arg(&options.out)
            .spawn()
    };
    let mut workers = Vec::new();
    for index in 0..options.jobs {
        workers.push(Some((start(index, 0)?, 0)));
    }
    while workers.iter().any(Option::is_some) {
        std::thread::sleep(Duration::from_millis(500));
        for (index, worker) in workers.iter_mut().enumerate() {
            let Some((child, round)) = worker else {
                continue;
            };
            let Some(status) = child.try_wait()? else {
                continue;
            };
            let (index, round) = (index as u64, *round + 1);
            *worker = None;
            if !status.success() {
                // The input that the worker ran when it died.
                let current = std::fs::read(options.out.join(format!("worker-{index}.current")))?;
                worker::keep(&options.out, &format!("died: {status}"), &current)?;
                if Instant::now() + Duration::from_secs(2) < end {
                    *worker = Some((start(index, round)?, round));
                }
            }
        }
    }
    summary(&options.out, options.jobs)
}

/// Prints the sums over all workers. Returns the number of findings.
fn summary(out: &Path, jobs: u64) -> std::io::Result<usize> {
    let mut features = Features::new();
    let mut edges: Vec<u8> = Vec::new();
    for index in 0..jobs {
        let text = std::fs::read_to_string(out.join(format!("worker-{index}.counts")));
        for line in text.unwrap_or_default().lines() {
            if let Some((count, name)) = line.split_once(' ') {
                *features.entry(name.to_owned()).or_default() += count.parse().unwrap_or(0);
            }
        }
        let seen = std::fs::read(out.join(format!("worker-{index}.edges"))).unwrap_or_default();
        edges.resize(edges.len().max(seen.len()), 0);
        for (all, one) in edges.iter_mut().zip(seen) {
            *all |= one;
        }
    }
    for (name, count) in &features {
        println!("{count:>14}  {name}");
    }
    if !edges.is_empty() {
        let reached = edges.iter().filter(|&&seen| seen != 0).count();
        println!("{reached:>14}  edges reached, of {}", edges.len());
    }
    let findings = std::fs::read_dir(out.join("findings"))?.count();
    println!(
        "{findings:>14}  files in {}",
        out.join("findings").display()
    );
    Ok(findings)
}
