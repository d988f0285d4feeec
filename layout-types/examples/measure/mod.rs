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

/// Runs `cargo check` on the crate in `folder`.
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
fn check(folder: &Path) -> Cost {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["check", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        // Everything anew each time.
        .env("CARGO_INCREMENTAL", "0");
    let start = Instant::now();
    let child = command.spawn().expect("cargo runs");
    let mut status = 0;
    // SAFETY: all zeros is a value of this struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child was started here and nobody else waits for it; both pointers are to live locals.
    let waited = unsafe {
        libc::wait4(
            child.id() as libc::pid_t,
            &raw mut status,
            0,
            &raw mut usage,
        )
    };
    let time = start.elapsed();
    assert!(
        waited > 0 && status == 0,
        "cargo check fails on {}",
        folder.display()
    );
    let cpu = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    Cost {
        time,
        cpu: cpu(usage.ru_utime) + cpu(usage.ru_stime),
        // Of the process or of a descendant that it waited for, whichever took most; in KiB.
        megabytes: usage.ru_maxrss as u64 * 1024 / 1_000_000,
    }
}

/// A crate that depends on this one, its dependencies checked.
pub fn prepare(name: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("src")).expect("the folder can be made");
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nhalf = {{ version = \"2\", default-features = false }}\nlayout-types.path = {:?}\n\n[workspace]\n",
        here.display().to_string()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("the manifest can be written");
    let lock = here.parent().expect("the workspace").join("Cargo.lock");
    std::fs::copy(lock, folder.join("Cargo.lock")).expect("the lock file can be copied");
    folder
}

/// The least time and the most memory of some checks of `text`.
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
