//! Measuring `cargo check`: a crate of its own, its dependencies checked before the clock starts.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// One `cargo check`.
pub struct Cost {
    /// By the clock.
    pub time: Duration,
    /// Of the processor, which other programs do not lengthen much.
    pub cpu: Duration,
    /// Peak memory of the compiler.
    pub megabytes: u64,
}

/// Runs `cargo check` on the crate in `folder`, which passes.
fn check(folder: &Path) -> Cost {
    let (cost, passed, messages) = run(folder);
    assert!(
        passed,
        "cargo check fails on {}:\n{messages}",
        folder.display()
    );
    cost
}

/// Runs `cargo check` on the crate in `folder`: its cost, whether it passed, and its messages.
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
fn run(folder: &Path) -> (Cost, bool, String) {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["check", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        // Everything anew each time.
        .env("CARGO_INCREMENTAL", "0");
    let log = folder.join("messages");
    command.stderr(std::fs::File::create(&log).expect("the folder can be written"));
    let start = Instant::now();
    let child = command.spawn().expect("cargo runs");
    let mut status = 0;
    // SAFETY: all zeros is a value of this struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child was started here and nobody else waits for it; both pointers are to live
    // locals.
    let waited = unsafe {
        libc::wait4(
            child.id() as libc::pid_t,
            &raw mut status,
            0,
            &raw mut usage,
        )
    };
    let time = start.elapsed();
    assert!(waited > 0, "cargo can be waited for");
    let messages = std::fs::read_to_string(&log).unwrap_or_default();
    let cpu = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    let cost = Cost {
        time,
        cpu: cpu(usage.ru_utime) + cpu(usage.ru_stime),
        // Of the process or of a descendant that it waited for, whichever took most; in KiB.
        megabytes: usage.ru_maxrss as u64 * 1024 / 1_000_000,
    };
    (cost, status == 0, messages)
}

/// A crate that depends on this one, its dependencies checked.
pub fn prepare(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("src")).expect("the folder can be made");
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nhalf = {{ version = \"2\", default-features = false }}\ncutlet-layout-types.path = {:?}\n\n[workspace]\n",
        here.display().to_string()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest can be written");
    let lock = here.parent().expect("the workspace").join("Cargo.lock");
    std::fs::copy(lock, folder.join("Cargo.lock")).expect("the lock file can be copied");
    folder
}

/// One check of `text`, which may be refused; the library's own errors (E0275: the compiler's
/// depth) are none of its refusals.
#[allow(dead_code)] // Each example uses what it needs.
pub fn measure_refused(folder: &Path, text: &str) -> (Cost, bool) {
    std::fs::write(folder.join("src/lib.rs"), text).expect("the source can be written");
    let (cost, _, messages) = run(folder);
    (cost, !messages.contains("E0275"))
}

/// The least time and the most memory of some checks of `text`.
#[allow(dead_code)] // Each example uses what it needs.
pub fn measure(folder: &Path, text: &str, times: usize) -> Cost {
    let mut all = Vec::new();
    for time in 0..times {
        // Other contents, so that cargo checks again.
        let text = format!("//! Time {time}.\n{text}");
        std::fs::write(folder.join("src/lib.rs"), text).expect("the source can be written");
        all.push(check(folder));
    }
    Cost {
        time: all.iter().map(|cost| cost.time).min().unwrap_or_default(),
        cpu: all.iter().map(|cost| cost.cpu).min().unwrap_or_default(),
        megabytes: all
            .iter()
            .map(|cost| cost.megabytes)
            .max()
            .unwrap_or_default(),
    }
}
