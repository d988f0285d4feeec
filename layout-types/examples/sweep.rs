//! Compares the rules of the algebra with brute force over every layout within limits.
//!
//! ```text
//! cargo run --release -p cutlet-layout-types --example sweep -- composition 8 64
//! cargo run --release -p cutlet-layout-types --example sweep -- all 8 64
//! ```
//!
//! The arguments are the sweep (`composition`, `complement`, `inverses`, `divide`, `random` or
//! `all`), the largest shape and the largest stride. `random` draws compositions beyond them, with
//! strides of either sign; `composed` runs every operation on swizzled layouts. Exit status 1 means
//! that a rule and the definition disagree.

#[path = "../tests/sweep/mod.rs"]
mod sweep;

use std::process::ExitCode;
use std::time::Instant;

use sweep::{Limits, Report};

type Sweep = fn(Limits) -> Report;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("composed") {
        return composed();
    }
    let sweeps: [(&str, Sweep); 5] = [
        ("composition", sweep::composition),
        ("complement", sweep::complement),
        ("inverses", sweep::inverses),
        ("divide", sweep::divide),
        ("random", |_| sweep::random(1, 100_000_000)),
    ];
    let mut args = std::env::args().skip(1);
    let which = args.next().unwrap_or_else(|| "all".to_string());
    let mut number = |default: i64| {
        args.next()
            .and_then(|arg| arg.parse().ok())
            .unwrap_or(default)
    };
    let limits = Limits {
        shape: number(8),
        stride: number(64),
    };
    let mut agreed = true;
    for (name, run) in sweeps
        .into_iter()
        .filter(|(name, _)| which == "all" || which == *name)
    {
        let start = Instant::now();
        let report = run(limits);
        println!(
            "{name}: {} cases, {} accepted and right, {} refused and wrong, {} refused by CuTe too, {} elements compared, {} disagreements, {:.0} s",
            report.cases,
            report.accepted,
            report.refused,
            report.both,
            report.points,
            report.disagreements.len(),
            start.elapsed().as_secs_f64(),
        );
        report
            .disagreements
            .iter()
            .for_each(|line| println!("  {line}"));
        agreed &= report.disagreements.is_empty();
    }
    if agreed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs every operation on composed layouts of modes of 2, 3 and 5 elements. If the argument `n` is
/// larger than 1, modes may also have 1, 6 or 7 elements, and only every n-th layout is taken.
fn composed() -> ExitCode {
    let every = std::env::args().nth(2).and_then(|arg| arg.parse().ok());
    let start = Instant::now();
    let (report, counts) = match every {
        Some(every @ 2..) => sweep::composed(&[1, 2, 3, 5, 6, 7], every),
        _ => sweep::composed(&[2, 3, 5], 1),
    };
    for (operation, [tried, refused, wrong]) in &counts {
        println!("{operation:24} {tried:>10} tried {refused:>9} refused {wrong:>8} wrong");
    }
    let wrong: u64 = counts.values().map(|count| count[2]).sum();
    println!(
        "composed: {} cases, {} right, {} refused, {wrong} wrong, {} elements compared, {:.0} s",
        report.cases,
        report.accepted,
        report.refused,
        report.points,
        start.elapsed().as_secs_f64(),
    );
    report
        .disagreements
        .iter()
        .for_each(|line| println!("  {line}"));
    ExitCode::from(u8::from(wrong > 0))
}
