//! Measures `cargo check` on a crate of its own whose dependencies are checked before.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The cost of one `cargo check`.
pub struct Cost {
    /// The elapsed time.
    pub time: Duration,
    /// The processor time, which other programs do not lengthen much.
    pub cpu: Duration,
    /// The peak memory of the compiler.
    pub megabytes: u64,
}

/// Runs `cargo check` on the crate in `folder`, and panics if the check fails.
fn check(folder: &Path) -> Cost {
    let (cost, passed, messages) = run(folder);
    assert!(
        passed,
        "cargo check fails on {}:\n{messages}",
        folder.display()
    );
    cost
}

/// Runs `cargo check` on the crate in `folder`. Returns its cost, whether it passed, its messages.
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
fn run(folder: &Path) -> (Cost, bool, String) {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["check", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        // Without the incremental cache, each check does the same work.
        .env("CARGO_INCREMENTAL", "0");
    let log = folder.join("messages");
    command.stderr(std::fs::File::create(&log).expect("the folder can be written"));
    let start = Instant::now();
    let child = command.spawn().expect("cargo runs");
    let mut status = 0;
    // SAFETY: all zeros is a value of this struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: this function started the child, and no other code waits for it; both pointers are to
    // live local variables.
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
        // The larger of the process's and its descendants' peak memory; `ru_maxrss` is in KiB.
        megabytes: usage.ru_maxrss as u64 * 1024 / 1_000_000,
    };
    (cost, status == 0, messages)
}

/// Makes a crate that depends on this one, in a temporary folder, and returns the folder.
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

/// Checks `text` once; the check may fail. Returns its cost, and whether its messages are without
/// E0275, which means that the compiler's recursion limit was reached.
#[allow(dead_code)] // Each example uses what it needs.
pub fn measure_refused(folder: &Path, text: &str) -> (Cost, bool) {
    std::fs::write(folder.join("src/lib.rs"), text).expect("the source can be written");
    let (cost, _, messages) = run(folder);
    (cost, !messages.contains("E0275"))
}

/// Returns the least time and the most memory of `times` checks of `text`.
#[allow(dead_code)] // Each example uses what it needs.
pub fn measure(folder: &Path, text: &str, times: usize) -> Cost {
    let mut all = Vec::new();
    for time in 0..times {
        // The contents differ each time, so that cargo checks again.
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
