//! `[[accept]]`: findings after which a kernel may continue.
//!
//! ```toml
//! [[accept]]
//! kind = "uninitialised"        # at least one of kind, line and instruction
//! line = "tile.cuh:40"          # or the PTX line: 17
//! instruction = "ld.shared"     # an opcode, or how it begins
//! kernel = "gemm"               # every kernel where nothing is said
//! reason = "residue tiles are read in full; what is beyond is never stored"
//! ```

use super::decode::{Decoded, Value, integer, known, wrong};
use super::error::LaunchFileErrorKind as Kind;
use emulator::{Acceptance, AcceptedLine};
use toml::de::DeTable;

/// Reads one rule.
pub(super) fn acceptance(table: &DeTable, here: usize) -> Decoded<Acceptance> {
    known(table, &["kind", "line", "instruction", "kernel", "reason"])?;
    let reason = table.get("reason").ok_or((here, Kind::Missing("reason")))?;
    let mut rule = Acceptance::new(string(reason, "reason", "why the finding is accepted")?);
    if let Some(value) = table.get("kind") {
        let kind = string(value, "kind", "a kind of finding")?.parse();
        rule.kind = Some(kind.map_err(|error| (value.span().start, Kind::NotAcceptable(error)))?);
    }
    if let Some(value) = table.get("line") {
        let expected = "a line of the PTX, or a source file and its line as \"kernel.cu:12\"";
        let line = match (integer(value), value.get_ref().as_str()) {
            (Some(line), _) => usize::try_from(line).ok().map(AcceptedLine::Ptx),
            (_, Some(text)) => text.parse().ok(),
            _ => None,
        };
        rule.line = Some(line.ok_or_else(|| wrong(value, "line", expected))?);
    }
    if let Some(value) = table.get("instruction") {
        let expected = "an opcode, or how it begins";
        rule.instruction = Some(string(value, "instruction", expected)?.to_owned());
    }
    if let Some(value) = table.get("kernel") {
        rule.kernel = Some(string(value, "kernel", "a kernel's name")?.to_owned());
    }
    if rule.kind.is_none() && rule.line.is_none() && rule.instruction.is_none() {
        let which = "one of `kind`, `line` and `instruction`";
        return Err((here, Kind::Missing(which)));
    }
    Ok(rule)
}

/// Reads a string that is not empty.
fn string<'v>(value: &'v Value, key: &str, expected: &str) -> Decoded<&'v str> {
    let found = value
        .get_ref()
        .as_str()
        .filter(|text| !text.trim().is_empty());
    found.ok_or_else(|| wrong(value, key, expected))
}
