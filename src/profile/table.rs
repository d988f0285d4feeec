//! The profile for a terminal: totals, and the instructions and lines that cost most.

use super::picture::{count, grouped, scaled};
use super::{Costs, LaunchProfile, NarrowRow, asynchronous};
use emulator::counted;
use std::fmt::Write;
use std::str::FromStr;

/// The key by which the rows of a table are ordered, the largest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// By executions.
    #[default]
    Executed,
    /// By wavefronts of shared memory.
    Wavefronts,
    /// By bank conflicts.
    Conflicts,
    /// By sectors of global memory.
    Sectors,
    /// By floating-point operations.
    Flops,
    /// In the order of the lines.
    Line,
}

impl FromStr for SortKey {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "executed" => Self::Executed,
            "wavefronts" => Self::Wavefronts,
            "conflicts" => Self::Conflicts,
            "sectors" => Self::Sectors,
            "flops" => Self::Flops,
            "line" => Self::Line,
            _ => {
                return Err("it is executed, wavefronts, conflicts, sectors, flops or line".into());
            }
        })
    }
}

impl SortKey {
    fn key(self, costs: &Costs) -> u64 {
        match self {
            Self::Executed => costs.executed,
            Self::Wavefronts => costs.shared_wavefronts,
            Self::Conflicts => costs.bank_conflicts,
            Self::Sectors => costs.global_sectors,
            Self::Flops => costs.flops,
            Self::Line => 0,
        }
    }
}

/// Returns the tables, with at most `top` rows each.
#[must_use]
pub fn table(profile: &LaunchProfile, order: SortKey, top: usize) -> String {
    let mut out = String::new();
    for (label, text) in facts(profile) {
        let _ = writeln!(out, "{label:<12}{text}");
    }
    let rows: Vec<_> = profile
        .instructions
        .iter()
        .map(|row| {
            let text = row
                .instruction
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            (
                row.line.to_string(),
                &row.costs,
                with_narrow(text, row.narrow),
            )
        })
        .collect();
    section(&mut out, "PTX line", "instruction", rows, order, top);
    out += &asynchronous::section(profile, top);
    if !profile.sources.is_empty() {
        let rows = profile
            .sources
            .iter()
            .map(|row| {
                let file = row.file.rsplit('/').next().unwrap_or(&row.file);
                let text = row.text.as_deref().unwrap_or_default().trim();
                let text = with_narrow(format!("{file}: {text}"), row.narrow);
                (row.line.to_string(), &row.costs, text)
            })
            .collect();
        section(&mut out, "line", "source", rows, order, top);
    }
    let _ = writeln!(out);
    for finding in &profile.findings {
        let message = finding.message.replace('\n', "\n  ");
        let _ = writeln!(out, "finding, {}:\n  {message}\n", finding.heading());
    }
    for note in &profile.notes {
        let _ = writeln!(out, "{note}");
    }
    out
}

/// Returns the start of a row's text, and a note if the row's accesses could have been a vector.
fn with_narrow(text: String, narrow: Option<NarrowRow>) -> String {
    let text: String = text.chars().take(90).collect();
    match narrow {
        Some(narrow) => format!("{text}  <- {narrow}"),
        None => text,
    }
}

/// Returns the lines about a launch in total.
pub(super) fn facts(profile: &LaunchProfile) -> Vec<(&'static str, String)> {
    let costs = &profile.totals.costs;
    let ([gx, gy, gz], [bx, by, bz]) = (profile.grid, profile.block);
    let mut facts = vec![
        ("kernel", profile.kernel.clone()),
        ("problem", profile.problem.clone()),
        (
            "launch",
            format!(
                "grid ({gx}, {gy}, {gz}), block ({bx}, {by}, {bz}), {} of dynamic and {} of static shared memory",
                counted(grouped(profile.dynamic_shared as u64), "byte"),
                grouped(profile.static_shared as u64)
            ),
        ),
        (
            "executed",
            format!(
                "{} in {} of {}, {:.1} of 32 lanes on average; {} divergent branches",
                counted(grouped(costs.executed), "warp instruction"),
                counted(grouped(profile.totals.blocks), "block"),
                counted(profile.totals.warps / profile.totals.blocks.max(1), "warp"),
                costs.lanes(),
                grouped(costs.diverged)
            ),
        ),
        (
            "shared",
            format!(
                "{} requests, {} wavefronts, of these {} bank conflicts; {} bytes",
                grouped(costs.shared_requests),
                grouped(costs.shared_wavefronts),
                grouped(costs.bank_conflicts),
                grouped(costs.shared_bytes)
            ),
        ),
        (
            "global",
            format!(
                "{} requests, {} sectors of 32 bytes, {:.1} for each request; {} bytes used of {}",
                grouped(costs.global_requests),
                grouped(costs.global_sectors),
                costs.global_sectors as f64 / costs.global_requests.max(1) as f64,
                grouped(costs.global_bytes),
                grouped(costs.global_sectors * 32)
            ),
        ),
        (
            "local",
            format!("{} requests", grouped(costs.local_requests)),
        ),
    ];
    if let Some(groups) = &costs.cp_async {
        facts.push((
            "cp.async",
            format!(
                "at most {} groups in flight by a warp; {:.2} on average at {} waits, {:.2} after them",
                groups.most,
                groups.before,
                grouped(groups.waits),
                groups.after
            ),
        ));
    }
    if let Some(counts) = &costs.asynchronous {
        facts.extend(asynchronous::facts(counts));
    }
    let units: Vec<String> = profile
        .totals
        .flops_by_unit
        .iter()
        .map(|(unit, count)| format!("{} {unit}", grouped(*count)))
        .collect();
    if !units.is_empty() {
        facts.push(("operations", units.join(", ")));
    }
    let occupancy = &profile.occupancy;
    let (live, line) = occupancy.live_registers;
    let spilled = match occupancy.spilled {
        Some((stores, loads)) if stores + loads > 0 => {
            format!("; {stores} bytes spilled by stores, {loads} by loads")
        }
        _ => String::new(),
    };
    let registers = match (&occupancy.note, occupancy.registers) {
        (None, Some(registers)) => {
            format!("{registers} by ptxas{spilled}; {live} are live behind line {line} of the PTX")
        }
        (note, _) => note.clone().unwrap_or_default(),
    };
    facts.push(("registers", registers));
    facts.push((
        "occupancy",
        format!(
            "{} blocks, {} warps of a multiprocessor of {} ({}): {:.1} %, by {}",
            occupancy.blocks,
            occupancy.warps,
            occupancy.chip,
            occupancy.target,
            occupancy.percent,
            occupancy.limit
        ),
    ));
    if let Some(roofline) = &profile.roofline {
        facts.push((
            "roofline",
            format!(
                "{} operations for each byte of sectors: {}'s published figures allow {}op/s, by {}",
                scaled(roofline.intensity),
                profile.chip.name,
                scaled(roofline.ceiling),
                roofline.bound
            ),
        ));
    }
    facts
}

fn section(
    out: &mut String,
    number: &str,
    what: &str,
    mut rows: Vec<(String, &Costs, String)>,
    order: SortKey,
    top: usize,
) {
    let all = rows.len();
    if order != SortKey::Line {
        rows.retain(|(_, costs, _)| order.key(costs) > 0);
        rows.sort_by_key(|(_, costs, _)| std::cmp::Reverse(order.key(costs)));
    }
    let shown = rows.len().min(top);
    let _ = writeln!(
        out,
        "\n{number:>8} {:>12} {:>5} {:>10} {:>9} {:>9} {:>10} {:>13}  {what} ({shown} of {all})",
        "executed", "lanes", "wavefronts", "conflicts", "requests", "sectors", "flops"
    );
    for (line, costs, text) in rows.into_iter().take(top) {
        let _ = writeln!(
            out,
            "{line:>8} {:>12} {:>5.1} {:>10} {:>9} {:>9} {:>10} {:>13}  {text}",
            grouped(costs.executed),
            costs.lanes(),
            count(costs.shared_wavefronts),
            count(costs.bank_conflicts),
            count(costs.global_requests),
            count(costs.global_sectors),
            count(costs.flops)
        );
    }
}
