//! Which of many generated cases a test runs: a sample on each push, every one where
//! `CUTLET_ALL_CASES` is 1, as in `.ci/nightly`.
//!
//! ```text
//!   cases      0  1  2  3  4  5  6  7      every = 3
//!   first = 0  x        x        x         first = 1:  1  4  7         the starts in turn have them all
//! ```
//!
//! Kernels are not sampled by their order: `.ci/kernels` lists those that a push builds.
//!
//! Law: the sample depends on the cases' order alone; at least one of some cases is in it.
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

/// Whether every case is to be run.
pub fn all_cases() -> bool {
    std::env::var_os("CUTLET_ALL_CASES").is_some_and(|value| !value.is_empty() && value != "0")
}

/// How many of `all` cases by chance are made: one of `every`; all of them where [`all_cases`].
pub fn count(what: &str, every: usize, all: usize) -> usize {
    let chosen = if all_cases() {
        all
    } else {
        all.div_ceil(every)
    };
    println!("{what}: {chosen} of {all} cases");
    chosen
}

/// Every `every`-th of `cases`, beginning at the `first`-th, counted around; all of them where
/// [`all_cases`].
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

/// The head dimensions of attention by `mma.sync`, each of which has every kernel: a line for a
/// line of the library's table.
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

/// Whether a push tests the kernel of this name: those that `.ci/kernels` lists, all of them where
/// [`all_cases`].
pub fn is_pushed(kernel: &str) -> bool {
    let words = |line: &'static str| line.split('#').next().unwrap_or_default().trim();
    all_cases() || PUSHED.lines().any(|line| words(line) == kernel)
}

/// Those of `configurations` whose kernel [`is_pushed`]: one at least, or a test would assert
/// nothing.
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
