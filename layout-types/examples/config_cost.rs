//! Measures the time and memory of `cargo check` on the whole configuration of an hgemm kernel:
//! five tiled copies, the tiled MMA, partitions, retiles and every assertion.
//!
//! ```text
//! cargo run --release -p cutlet-layout-types --example config_cost        # the least of three checks
//! ```
//!
//! Exit status 1 means that the target, 3 s, is missed.

mod measure;

use measure::{measure, prepare};
use std::process::ExitCode;
use std::time::Duration;

/// The longest time that a configuration may take.
const TARGET: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    let times = std::env::args()
        .nth(1)
        .and_then(|arg| arg.parse().ok())
        .unwrap_or(3);
    let folder = prepare("config-cost");
    // The first check also checks the dependencies, so its cost is not used.
    measure(&folder, "", 1);
    let nothing = measure(&folder, "use {half as _, layout_types as _};\n", times);
    let hgemm = measure(&folder, include_str!("measure/hgemm.rs"), times);
    for (name, cost) in [("nothing", &nothing), ("hgemm", &hgemm)] {
        println!(
            "{name}: {:.2} s, {:.2} s of the processor, {} MB",
            cost.time.as_secs_f64(),
            cost.cpu.as_secs_f64(),
            cost.megabytes
        );
    }
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        eprintln!("{}: {error}", folder.display());
    }
    if hgemm.time > TARGET {
        println!("above the target of {} s", TARGET.as_secs());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
