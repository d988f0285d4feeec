//! Writes the planted faults as files for other tools: one module for each fault, with one
//! instruction on each line and a `.loc` that names this line, so that a tool that reports a source
//! line reports the PTX line. Also writes a table of the launches. The words that the faulty
//! instruction reads are stored to a third parameter, 256 bytes for each thread, because ptxas
//! would otherwise remove the instruction.
//!
//! ```text
//!   row ──► 07.ptx          .loc 1 31 0
//!                           ld.global.u32 %r1, [%d1];        ◄── line 31
//!       └─► launches.tsv    number, kind, blocks, threads, shared bytes, setup, the fault's line, the instruction
//! ```

use super::{Planted, text};
use std::fmt::Write as _;
use std::path::Path;

/// Writes every row to `folder`.
pub fn write(rows: &[Planted], folder: &Path) {
    let mut table = String::new();
    for (number, row) in rows.iter().enumerate() {
        let name = format!("{number:02}.ptx");
        let (listing, line) = listing(row, &name);
        std::fs::write(folder.join(&name), listing).unwrap();
        let Planted {
            kind,
            blocks,
            threads,
            shared,
            setup,
            at,
            ..
        } = row;
        writeln!(
            table,
            "{number:02}\t{kind}\t{blocks}\t{threads}\t{shared}\t{setup:?}\t{line}\t{}",
            renamed(at)
        )
        .unwrap();
    }
    std::fs::write(folder.join("launches.tsv"), table).unwrap();
}

/// Renames a register with a special register's name, which ptxas does not accept.
fn renamed(text: &str) -> String {
    text.replace("%tid.x", "%\0")
        .replace("%tid", "%thread")
        .replace("%\0", "%tid.x")
}

/// Writes stores of the registers that an instruction writes.
fn stores(at: &str) -> String {
    let at = at.trim_start_matches("@%p1 ");
    let (opcode, operands) = at.split_once(' ').unwrap_or_default();
    let writes_memory = ["st.", "stmatrix.", "red.", "cp."];
    let results: Vec<&str> = match operands.split_once('}') {
        _ if writes_memory.iter().any(|name| opcode.starts_with(name)) => Vec::new(),
        Some((list, _)) => list.trim_start_matches('{').split(',').collect(),
        None => operands.split(',').take(1).collect(),
    };
    let registers = results.into_iter().map(str::trim);
    let mut text = String::from(
        "ld.param.u64 %d40, [p2];mul.wide.u32 %d41, %thread, 256;add.u64 %d40, %d40, %d41;",
    );
    for (i, register) in registers.enumerate() {
        let bits = match register.as_bytes().get(..2) {
            Some(b"%r") => 32,
            Some(b"%d") => 64,
            Some(b"%h") => 16,
            _ => continue,
        };
        write!(text, "st.global.b{bits} [%d40+{}], {register};", 8 * i).unwrap();
    }
    text
}

/// Returns a row's module, and the line of the fault, or 0 if the fault may be anywhere.
fn listing(row: &Planted, name: &str) -> (String, usize) {
    let (text, at) = (renamed(&text(row.body)), renamed(row.at));
    let (head, body) = text.split_once("{\n").unwrap();
    let head = head.replace(".param .u64 p1", ".param .u64 p1, .param .u64 p2");
    let body = body.trim_end().strip_suffix("ret;\n}").unwrap();
    let body = format!("{body}{}ret;", stores(&at));
    let mut lines = vec![format!("// {}", row.kind)];
    lines.extend(head.lines().map(str::to_owned));
    lines.push("{".into());
    let mut fault = 0;
    for statement in body.split_inclusive(';').map(str::trim) {
        let (label, statement) = match statement.split_once(": ") {
            Some((label, rest)) if label.chars().all(char::is_alphanumeric) => (Some(label), rest),
            _ => (None, statement),
        };
        lines.extend(label.map(|label| format!("{label}:")));
        if !statement.starts_with('.') {
            lines.push(format!("\t.loc 1 {} 0", lines.len() + 2));
        }
        if !at.is_empty() && statement == at {
            fault = lines.len() + 1;
        }
        lines.push(format!("\t{statement}"));
    }
    lines.push("}".into());
    lines.push(format!(".file 1 \"{name}\""));
    assert_eq!(fault == 0, at.is_empty(), "{}: {at}", row.kind);
    (lines.join("\n") + "\n", fault)
}
