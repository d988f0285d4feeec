//! Launches Cutlet's kernels by cudarc, in two ways.
//!
//! ```text
//!   launch-by-cudarc           a product and attention by `cutlet-ops`, on a stream of cudarc's; on the emulator without a GPU
//!   launch-by-cudarc FOLDER    kernels by the PTX and the JSON that `cutlet ptx --out FOLDER` wrote, and by no crate of Cutlet's
//! ```

mod by_manifest;
mod operators;

use std::path::Path;
use std::process::ExitCode;

/// Returns numbers in [-1, 1), the same on each run.
fn numbers(count: usize, mut state: u64) -> impl Iterator<Item = f32> {
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    })
    .take(count)
}

fn main() -> ExitCode {
    let right = match std::env::args_os().nth(1) {
        None => operators::run(),
        Some(folder) => by_manifest::run(Path::new(&folder)),
    };
    match right {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
