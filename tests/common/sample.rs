//! Chooses which of many generated cases a test runs: a sample on each push, and every case if
//! `CUTLET_ALL_CASES` is 1, as in `.ci/nightly`.
//!
//! ```text
//!   cases      0  1  2  3  4  5  6  7      every = 3
//!   first = 0  x        x        x         first = 1:  1  4  7         all starts together choose every case
//! ```
//!
//! Kernels are not sampled in their order: `.ci/kernels` lists the kernels that a push builds.
//!
//! Law: the sample depends only on the cases' order; if there are cases, at least one of them is in
//! it.
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

/// Whether every case is run.
pub fn all_cases() -> bool {
    std::env::var_os("CUTLET_ALL_CASES").is_some_and(|value| !value.is_empty() && value != "0")
}

/// Returns how many of `all` random cases are made: one of each `every`, rounded up, or all if
/// [`all_cases`].
pub fn count(what: &str, every: usize, all: usize) -> usize {
    let chosen = if all_cases() {
        all
    } else {
        all.div_ceil(every)
    };
    println!("{what}: {chosen} of {all} cases");
    chosen
}

/// Returns every `every`-th of `cases`, or all of them if [`all_cases`]. The first is case
/// `first % every`, or `first % cases` if there are fewer cases than `every`.
pub fn sample<T>(
    what: &str,
    every: usize,
    first: usize,
    cases: impl IntoIterator<Item = T>,
) -> Vec<T> {
    let cases: Vec<T> = cases.into_iter().collect();
    let all = cases.len();
    let every = if all_cases() { 1 } else { every };
    let start = first % every.min(all).max(1);
    let chosen: Vec<T> = cases.into_iter().skip(start).step_by(every).collect();
    println!("{what}: {} of {all} cases", chosen.len());
    chosen
}

/// The head dimensions of attention by `mma.sync`, each of which has every kernel. Each entry is an
/// entry of the library's table.
pub const MMA_DIMENSIONS: [u32; 16] = [
    16,  // lines of 16
    32,  // lines of 32
    48,  // lines of 16
    64,  // lines of 64
    80,  // lines of 16
    96,  // lines of 32
    112, // lines of 16
    128, // lines of 64
    144, // lines of 16
    160, // lines of 32
    176, // lines of 16
    192, // lines of 64
    208, // lines of 16
    224, // lines of 32
    240, // lines of 16
    256, // lines of 64
];

/// The kernels that are built and tested on each push.
const PUSHED: &str = include_str!("../../.ci/kernels");

/// Whether a push tests the kernel of this name: whether `.ci/kernels` lists it, or [`all_cases`].
pub fn is_pushed(kernel: &str) -> bool {
    let words = |line: &'static str| line.split('#').next().unwrap_or_default().trim();
    all_cases() || PUSHED.lines().any(|line| words(line) == kernel)
}

/// Returns the `configurations` whose kernel [`is_pushed`]. There is at least one, because
/// otherwise a test would assert nothing.
pub fn pushed<'a, T>(
    configurations: impl IntoIterator<Item = &'a T>,
    kernel: impl Fn(&T) -> &str,
) -> Vec<&'a T> {
    let all: Vec<&T> = configurations.into_iter().collect();
    let chosen: Vec<&T> = (all.iter().copied())
        .filter(|of| is_pushed(kernel(of)))
        .collect();
    println!("{} of {} configurations", chosen.len(), all.len());
    assert!(!chosen.is_empty(), "`.ci/kernels` lists none of these");
    chosen
}
