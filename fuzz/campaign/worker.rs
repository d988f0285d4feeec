//! One process of a campaign: draws or changes bytes, runs them, and keeps the inputs that are
//! findings.

use super::coverage::Reached;
use super::memory;
use cutlet_fuzz::mutate::Random;
use cutlet_fuzz::structured::{self, Features};
use std::fmt::Write as _;
use std::io::{Seek, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The largest number of bytes in an input.
const LONGEST: usize = 3000;
/// The largest number of inputs that are kept as a base for changes.
const MOST_KEPT: usize = 20_000;
/// The CPU time from which on an input counts as slow, in hundredths of a second.
const SLOW: u64 = 500;
/// The time after which an input counts as endless. It is much longer than `SLOW`, because other
/// processes run at the same time.
const ENDLESS: Duration = Duration::from_secs(120);
/// The largest number of bytes that an input may allocate: two devices of 4 MiB, their blocks'
/// local memory, and the memory of the checks.
const MOST_BYTES: usize = 512 << 20;

/// Keeps an input that is a finding, up to six files of each kind.
pub fn keep(out: &Path, what: &str, input: &[u8]) -> std::io::Result<()> {
    let hash = |bytes: &[u8]| {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    };
    let kind: String = what
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(160)
        .collect();
    let kind = format!("{:08x}", hash(kind.as_bytes()) as u32);
    let folder = out.join("findings");
    let known = std::fs::read_dir(&folder)?
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&kind));
    // The input and its text are two files.
    if known.count() < 6 {
        let name = format!("{kind}-{:08x}", hash(input) as u32);
        std::fs::write(folder.join(&name), input)?;
        let text = catch_unwind(|| structured::show(input)).unwrap_or_default();
        std::fs::write(
            folder.join(name + ".txt"),
            format!("// {}\n{text}", what.replace('\n', "\n// ")),
        )?;
    }
    Ok(())
}

/// Returns the CPU time that the process has used, in hundredths of a second.
fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    // utime and stime, fields 14 and 15 of proc(5), which counts from 1.
    let times = fields.split_whitespace().skip(11).take(2);
    times.filter_map(|field| field.parse::<u64>().ok()).sum()
}

fn drawn(random: &mut Random) -> Vec<u8> {
    let length = 32 + random.below(LONGEST - 32);
    (0..length).map(|_| (random.next() >> 24) as u8).collect()
}

fn changed(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(5) {
        let at = random.below(bytes.len().max(1));
        let length = random.below(32).min(bytes.len() - at.min(bytes.len()));
        match random.below(6) {
            0 | 1 if at < bytes.len() => bytes[at] = (random.next() >> 24) as u8,
            2 => drop(bytes.splice(at..at, (0..random.below(24)).map(|i| (i * 37) as u8))),
            3 => drop(bytes.drain(at..at + length)),
            4 => {
                let other = &corpus[random.below(corpus.len())];
                let from = random.below(other.len().max(1)).min(other.len());
                let to = (from + random.below(200)).min(other.len());
                drop(bytes.splice(at..at + length, other[from..to].iter().copied()));
            }
            _ => bytes.truncate(bytes.len().max(16) - random.below(16)),
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Runs inputs until the time is over.
pub fn work(out: &Path, index: u64, seed: u64, seconds: u64) -> ExitCode {
    match work_on(out, index, seed, seconds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("worker {index}: {error}");
            ExitCode::from(2)
        }
    }
}

fn work_on(out: &Path, index: u64, seed: u64, seconds: u64) -> std::io::Result<()> {
    let said = Arc::new(Mutex::new(String::new()));
    let hook = said.clone();
    std::panic::set_hook(Box::new(move |panic| {
        *hook.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
    let begin = Instant::now();
    // The milliseconds from `begin` to the start of the current input.
    let started = Arc::new(AtomicU64::new(0));
    let watched = started.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let since = Duration::from_millis(watched.load(Relaxed));
            if begin.elapsed().saturating_sub(since) > ENDLESS {
                std::process::exit(3);
            }
        }
    });
    let mut current = std::fs::File::create(out.join(format!("worker-{index}.current")))?;
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut corpus, mut reached) = (Vec::<Vec<u8>>::new(), Reached::default());
    let mut features = Features::new();
    let (mut executions, mut launches, mut most) = (0u64, 0u64, 0);
    let mut told = Instant::now();
    reached.take();
    while begin.elapsed() < Duration::from_secs(seconds) {
        let input = if corpus.is_empty() || random.below(3) == 0 {
            drawn(&mut random)
        } else {
            changed(&mut random, &corpus)
        };
        current.rewind()?;
        current.set_len(0)?;
        current.write_all(&input)?;
        started.store(begin.elapsed().as_millis() as u64, Relaxed);
        let (start, before, time) = (Instant::now(), memory::begin(), cpu_time());
        let ran = catch_unwind(AssertUnwindSafe(|| structured::run(&input, &mut features)));
        let taken = memory::most() - before;
        match ran {
            Ok(count) => launches += count as u64,
            Err(_) => {
                let text = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
                keep(out, &text, &input)?;
            }
        }
        if start.elapsed() > Duration::from_secs(2) && cpu_time() - time > SLOW {
            let what = format!("slow\n{} hundredths of a second", cpu_time() - time);
            keep(out, &what, &input)?;
        }
        if taken > MOST_BYTES {
            keep(out, &format!("memory\n{taken} bytes"), &input)?;
        }
        most = most.max(taken);
        executions += 1;
        if reached.take() && corpus.len() < MOST_KEPT {
            corpus.push(input);
        }
        if told.elapsed() > Duration::from_secs(10) {
            told = Instant::now();
            tell(
                out,
                index,
                &features,
                &reached,
                [executions, launches, most as u64],
            )?;
        }
    }
    tell(
        out,
        index,
        &features,
        &reached,
        [executions, launches, most as u64],
    )
}

/// Writes the counts so far.
fn tell(
    out: &Path,
    index: u64,
    features: &Features,
    reached: &Reached,
    [executions, launches, most]: [u64; 3],
) -> std::io::Result<()> {
    let mut text = format!("{executions} executions\n{launches} launches\n");
    for (name, count) in features {
        let _ = writeln!(text, "{count} {name}");
    }
    std::fs::write(out.join(format!("worker-{index}.counts")), text)?;
    std::fs::write(out.join(format!("worker-{index}.edges")), &reached.0)?;
    let line = format!(
        "{executions} executions, {} edges, at most {most} bytes\n",
        reached.edges()
    );
    std::fs::write(out.join(format!("worker-{index}.now")), line)
}
