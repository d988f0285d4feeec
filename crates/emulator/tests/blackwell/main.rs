//! `tcgen05` and tensor memory: fragments, products against plain sums, and what is wrong around
//! them, under every schedule. No card has run this: the words of PTX and of CUTLASS are held.
//!
//! ```text
//!   shared memory ── mma (thread 0) ──► tensor memory ── ld (four warps) ──► global memory
//!                     commit ──► mbarrier ──► wait
//! ```

#[path = "../common/mod.rs"]
mod common;

mod copies;
mod faults;
mod fragments;
mod kernel;
mod launch_control;
mod pair_start;
mod pairs;
mod products;
mod reading;
mod scaled;
mod store_bulk;
mod strict;

use emulator::{Config, Schedule};

const SCHEDULES: [Schedule; 4] = [
    Schedule::Early,
    Schedule::Late,
    Schedule::Seeded(1),
    Schedule::Seeded(7),
];

/// Returns the configuration of a device of compute capability 10.0.
fn blackwell() -> Config {
    Config {
        compute_capability: (10, 0),
        ..Config::default()
    }
}
