//! Measures what a predicate on hostile layouts costs the compiler: each predicate must be decided,
//! or refused with a message, within 2 s and 300 MB.
//!
//! ```text
//! cargo run -p cutlet-layout-types --example predicate_cost
//! ```
//!
//! The layouts have 2 to 32 modes with random strides of up to 24 or 40 bits (40 is the most that
//! the notation takes), and shapes of 2, or so large that the layout just fits in 64 bits. Exit
//! status 1 means that the target is missed, or that an error is the compiler's recursion limit
//! (E0275) in place of a message.

mod measure;
#[allow(dead_code)] // The tests draw more than the benchmark.
#[path = "../tests/generated/random.rs"]
mod random;

use measure::{measure, measure_refused, prepare};
use random::Random;
use std::process::ExitCode;
use std::time::Duration;

/// The most processor time, and the most megabytes, that a predicate may take.
const TARGET: (Duration, u64) = (Duration::from_secs(2), 300);
/// The numbers of modes.
const MODES: [u32; 13] = [2, 3, 4, 5, 6, 8, 9, 12, 16, 17, 20, 24, 32];
/// The predicates, each with its operands after the layout.
const PREDICATES: [(&str, &str); 3] = [
    ("IsInjective", ""),
    ("IsCompact", ""),
    ("IsDisjoint", ", layout!((2,3):(5,7))"),
];

/// Returns a tuple of random numbers from `low` to `high`.
fn tuple(random: &mut Random, modes: u32, low: i64, high: i64) -> String {
    let numbers: Vec<String> = (0..modes)
        .map(|_| (low + random.below((high - low + 1) as u64) as i64).to_string())
        .collect();
    format!("({})", numbers.join(","))
}

fn main() -> ExitCode {
    let mut random = Random(15);
    let folder = prepare("predicate-cost");
    measure(&folder, "", 1);
    let (mut worst, mut met) = ((Duration::ZERO, 0), true);
    for modes in MODES {
        // The layout's size and its offsets stay below 2^62.
        let wide = (1_i64 << (56 / modes).min(20)).max(3);
        for (shape, stride) in [
            ((2, 2), 40),
            ((wide / 2 + 1, wide), 40),
            ((wide / 2 + 1, wide), 24),
        ] {
            let shape = tuple(&mut random, modes, shape.0, shape.1);
            let stride = tuple(&mut random, modes, 1 << (stride - 1), 1 << stride);
            for (predicate, and) in PREDICATES {
                let text = format!(
                    "use layout_types::num::Bool;\nuse layout_types::prelude::*;\npub const _A: bool = <{predicate}<layout!({shape}:{stride}){and}>>::VALUE;\n"
                );
                let (cost, said) = measure_refused(&folder, &text);
                worst = (worst.0.max(cost.cpu), worst.1.max(cost.megabytes));
                if !said || cost.cpu > TARGET.0 || cost.megabytes > TARGET.1 {
                    met = false;
                    println!(
                        "{predicate} of {shape}:{stride}: {:.2} s, {} MB{}",
                        cost.cpu.as_secs_f64(),
                        cost.megabytes,
                        if said { "" } else { ", E0275" }
                    );
                }
            }
        }
    }
    // If this fails, only the folder remains.
    let _ = std::fs::remove_dir_all(&folder);
    println!(
        "the most of {} predicates: {:.2} s of processor time, {} MB; target 2 s, 300 MB: {}",
        MODES.len() * 3 * PREDICATES.len(),
        worst.0.as_secs_f64(),
        worst.1,
        if met { "met" } else { "missed" }
    );
    if met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
