//! Runs a kernel over a set of sizes on the emulator with every check on, and reports the findings.
//!
//! ```text
//!   own kernel, by name ──────────────────────────┐
//!                                                 ├─► launches, one per size ──► emulator ──► Checked { launches, each with a finding or none }
//!   launch file, any PTX (`launch_file::check`) ──┘
//! ```
//!
//! Law: [`Checked::clean`] is true if every launch ran to its end, no check found anything, and
//! every output that the launch file compares was as expected. A launch ends with its first
//! finding; if several blocks have findings, with that of the lowest block.

mod attention;
mod kernel_module;
mod own;
mod weights;

pub use launch_file::check::{
    Checked, Finding, LaunchOutcome, SCHEDULES, every_check, launch_file, launch_file_watched,
};
pub use own::{Effort, kernels, named, own, own_launches, own_under, usual_kernels};

use launch_file::check::{distinct, settled};
