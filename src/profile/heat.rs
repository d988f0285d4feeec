//! The heat map of shared memory's banks: a row an instruction, a column a bank.
//!
//! ```text
//!              bank 0  1  2 ... 31
//! st.shared.b32  |##|##|##| .. |##|   every bank serves as much: no conflicts
//! ld.shared.b32  |##|  |##| .. |  |   some banks serve all: the others wait
//! ```
//!
//! Law: a cell's colour is what its bank served in percent of the row's wavefronts: no bank serves more than one word
//! a wavefront, so a full cell is a bank that was busy in each, and empty cells beside full ones are conflicts.

use super::picture::{count, escape};
use super::rows::InstructionRow;
use std::fmt::Write;

const CELL: usize = 16;
const LABEL: usize = 400;
const TOP: usize = 30;

/// The map as SVG, of the instructions that access shared memory; nothing where none does.
pub fn svg(rows: &[InstructionRow]) -> Option<String> {
    let rows: Vec<(&InstructionRow, &Vec<u64>)> = rows
        .iter()
        .filter_map(|row| row.banks.as_ref().map(|banks| (row, banks)))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let (width, height) = (LABEL + 32 * CELL + 130, TOP + rows.len() * CELL + 8);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" class=\"heat\" role=\"img\" aria-label=\"Words served by each bank\">"
    );
    for bank in (0..32).step_by(4) {
        let x = LABEL + bank * CELL + CELL / 2;
        let _ = write!(svg, "<text x=\"{x}\" y=\"22\" class=\"m\">{bank}</text>");
    }
    let right = LABEL + 32 * CELL + 8;
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"22\" class=\"e\">line, instruction</text><text x=\"{right}\" y=\"22\">conflicts</text>",
        LABEL - 8
    );
    for (i, (row, banks)) in rows.iter().enumerate() {
        let y = TOP + i * CELL;
        let mut name: String = row
            .instruction
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        if name.chars().count() > 48 {
            name = name.chars().take(47).collect::<String>() + "…";
        }
        let base = y + CELL - 4;
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{base}\" class=\"e\"><a href=\"#L{}\">{} {}</a></text>",
            LABEL - 8,
            row.line,
            row.line,
            escape(&name)
        );
        // What no wavefront of the load and store unit brings, as `cp.async.cg`, is in proportion to the busiest bank.
        let most = banks.iter().copied().max().unwrap_or(0);
        let full = row.costs.shared_wavefronts.max(most).max(1);
        for (bank, &served) in banks.iter().enumerate() {
            let share = served as f64 / full as f64;
            let x = LABEL + bank * CELL;
            let _ = write!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>bank {bank}: {served} of \
                 {full} wavefronts</title></rect>",
                CELL - 1,
                CELL - 1,
                colour(share)
            );
        }
        let conflicts = row.costs.bank_conflicts;
        let percent = 100.0 * conflicts as f64 / full as f64;
        let text = if conflicts == 0 {
            "none".to_owned()
        } else {
            format!("{} ({percent:.0} %)", count(conflicts))
        };
        let class = if conflicts == 0 { "" } else { " class=\"bad\"" };
        let _ = write!(svg, "<text x=\"{right}\" y=\"{base}\"{class}>{text}</text>");
    }
    svg += "</svg>";
    Some(svg)
}

/// From nearly white to dark blue.
fn colour(share: f64) -> String {
    let mix = |from: f64, to: f64| (from + (to - from) * share.clamp(0.0, 1.0)).round() as u8;
    format!(
        "#{:02x}{:02x}{:02x}",
        mix(238.0, 12.0),
        mix(242.0, 62.0),
        mix(246.0, 122.0)
    )
}
