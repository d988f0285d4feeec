//! The heat map of shared memory's banks: one row per instruction, one column per bank.
//!
//! ```text
//! line  bank 0  1  2 ... 31   conflicts
//!   14    |..|..|..| .. |..|  none                 st.shared.b32    every bank serves one word at a time
//!   20    |##|  |  | .. |  |  31 (97 %), 32-way    ld.shared.b32    one bank serves 32 lanes, the others none
//! ```
//!
//! Law: the colour of a cell is the number of words that its bank served per phase in which it
//! served any, on a scale of powers of two: 1 is no conflict, 32 is the worst possible. A phase is
//! the part of an access that takes one wavefront without conflicts. The colour therefore depends
//! neither on how often the instruction was executed nor on how many phases its width has, and a
//! conflict that moves from bank to bank stays as dark. Line number and banks fit in 350 pixels, so
//! a phone shows them without scrolling.

use super::picture::{count, escape};
use super::rows::InstructionRow;
use std::fmt::Write;

/// The width of a bank's cell and the height of a row, in pixels.
const CELL: usize = 9;
const ROW: usize = 16;
/// The left edge of the cells; the line's number is to their left.
const LEFT: usize = 52;
/// The columns to the right of the cells: conflicts, then the instruction of at most 48 letters.
const CONFLICTS: usize = LEFT + 32 * CELL + 8;
const INSTRUCTION: usize = CONFLICTS + 190;
const WIDTH: usize = INSTRUCTION + 340;
const TOP: usize = 30;

/// Renders the map as SVG for the instructions that access shared memory, or returns `None` if no
/// instruction does.
pub fn svg(rows: &[InstructionRow]) -> Option<String> {
    let rows: Vec<(&InstructionRow, &Vec<u64>)> = rows
        .iter()
        .filter_map(|row| row.banks.as_ref().map(|banks| (row, banks)))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let height = TOP + rows.len() * ROW + 8;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" class=\"heat\" role=\"img\" aria-label=\"Words served by each bank\">"
    );
    for bank in (0..32).step_by(4) {
        let x = LEFT + bank * CELL + CELL / 2;
        let _ = write!(svg, "<text x=\"{x}\" y=\"22\" class=\"m\">{bank}</text>");
    }
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"22\" class=\"e\">line</text><text x=\"{CONFLICTS}\" y=\"22\">conflicts</text>\
         <text x=\"{INSTRUCTION}\" y=\"22\">instruction</text>",
        LEFT - 8
    );
    for (i, (row, banks)) in rows.iter().enumerate() {
        let y = TOP + i * ROW;
        let mut name: String = row
            .instruction
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        if name.chars().count() > 48 {
            name = name.chars().take(47).collect::<String>() + "…";
        }
        let base = y + ROW - 4;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{base}\" class=\"e\"><a href=\"#L{line}\">{line}</a></text>\
             <text x=\"{INSTRUCTION}\" y=\"{base}\"><a href=\"#L{line}\">{}</a></text>",
            LEFT - 8,
            escape(&name),
            line = row.line
        );
        let worst = (0..32).map(|bank| ways(row, bank)).fold(0.0_f64, f64::max);
        for (bank, &served) in banks.iter().enumerate() {
            let ways = ways(row, bank);
            let x = LEFT + bank * CELL;
            let _ = write!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" class=\"{}\"><title>bank {bank}: {served} words, \
                 {ways:.1} at a time</title></rect>",
                CELL - 1,
                ROW - 1,
                class(ways)
            );
        }
        let conflicts = row.costs.bank_conflicts;
        let full = row.costs.shared_wavefronts.max(1);
        let percent = 100.0 * conflicts as f64 / full as f64;
        let text = if conflicts == 0 {
            "none".to_owned()
        } else {
            format!("{} ({percent:.0} %), {worst:.0}-way", count(conflicts))
        };
        let class = if conflicts == 0 { "" } else { " class=\"bad\"" };
        let _ = write!(
            svg,
            "<text x=\"{CONFLICTS}\" y=\"{base}\"{class}>{text}</text>"
        );
    }
    svg += "</svg>";
    Some(svg)
}

/// Returns the number of words that a bank served per phase in which it served any, or 0 if it
/// served none.
fn ways(row: &InstructionRow, bank: usize) -> f64 {
    let of = |counts: &Option<Vec<u64>>| counts.as_ref().map_or(0, |counts| counts[bank]);
    let (words, phases) = (of(&row.banks), of(&row.bank_phases));
    if phases == 0 {
        0.0
    } else {
        words as f64 / phases as f64
    }
}

/// The number of shades of the map. The classes `h0` (weakest) to `h15` get their colours from the
/// page.
pub const STEPS: u8 = 16;

/// Returns the class of a cell: `unused`, or a shade. Each power of two has three shades.
fn class(ways: f64) -> String {
    if ways == 0.0 {
        return "unused".to_owned();
    }
    let fraction = (ways.log2() / 5.0).clamp(0.0, 1.0);
    format!("h{:.0}", fraction * f64::from(STEPS - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::rows::Costs;

    /// Returns the classes of an instruction's cells.
    fn classes(words: [u64; 32], phases: [u64; 32], wavefronts: u64) -> Vec<String> {
        let row = InstructionRow {
            instruction: "ld.shared.b32 %r1, [%r2];".into(),
            banks: Some(words.to_vec()),
            bank_phases: Some(phases.to_vec()),
            costs: Costs {
                shared_wavefronts: wavefronts,
                ..Costs::default()
            },
            ..InstructionRow::default()
        };
        let svg = svg(&[row]).unwrap();
        let cells = svg.split("<rect").skip(1);
        cells
            .map(|cell| cell.split('"').nth(9).unwrap().to_owned())
            .collect()
    }

    #[test]
    fn a_conflict_of_32_lanes_is_the_darkest_and_none_is_the_lightest() {
        let one = |bank: usize, words| std::array::from_fn(|i| if i == bank { words } else { 0 });
        // A conflict is as dark if it is executed once or often, in one bank or in one after the
        // other.
        for (words, phases, wavefronts) in [
            (one(0, 32), one(0, 1), 32),
            (one(7, 32_000), one(7, 1000), 32_000),
            ([32; 32], [1; 32], 1024),
        ] {
            let cells = classes(words, phases, wavefronts);
            for (bank, cell) in cells.iter().enumerate() {
                let expected = if words[bank] > 0 { "h15" } else { "unused" };
                assert_eq!(cell, expected, "bank {bank}");
            }
        }
        // Accesses without a conflict: of 4 bytes, of 16 bytes in four phases, and a broadcast.
        for (words, phases, wavefronts) in [
            ([1; 32], [1; 32], 1),
            ([4; 32], [4; 32], 4),
            (one(3, 5), one(3, 5), 5),
        ] {
            let cells = classes(words, phases, wavefronts);
            assert!(
                cells
                    .iter()
                    .all(|cell| ["h0", "unused"].contains(&cell.as_str()))
            );
        }
        // Two and eight ways lie between the weakest and the strongest shade.
        let shades = [1, 2, 8, 32].map(|ways| classes([ways; 32], [1; 32], ways)[0].clone());
        assert_eq!(shades, ["h0", "h3", "h9", "h15"]);
    }
}
