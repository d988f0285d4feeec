//! Describes a value as text for a terminal: its kind, its facts, its laws, its table.
//!
//! ```text
//! (4,2):(2,1)
//! size 8, cosize 8, rank 2, depth 1, injective, compact, 1 contiguous, vectors of 8
//!
//!       0   1
//!     +---+---+
//!  0  | 0 | 1 |
//!     ..
//! ```

use crate::atoms::{CopyAtom, CopyOperation, MmaAtom, Operand};
use crate::laws::Laws;
use crate::table::table;
use crate::tiled::{Side, TiledCopy, TiledMma};
use crate::value::Value;

/// Returns the lines that describe a value without its table: first the value, then its facts, then
/// its laws.
///
/// ```
/// let lines = notation::describe(&notation::eval("SM80_16x8x16_F32F16F16F32_TN").unwrap());
/// assert_eq!(lines[1], "16 x 8 x 16, 32 threads, D f32, A f16, B f16, C f32, from sm_80 on");
/// ```
#[must_use]
pub fn describe(value: &Value) -> Vec<String> {
    let mut lines = vec![value.to_string()];
    match value {
        Value::MmaAtom(atom) => mma_atom(atom, &mut lines),
        Value::CopyOperation(operation) => copy_operation(operation, &mut lines),
        Value::CopyAtom(atom) => copy_atom(atom, &mut lines),
        Value::TiledMma(mma) => tiled_mma(mma, &mut lines),
        Value::TiledCopy(copy) => tiled_copy(copy, &mut lines),
        Value::Slice(slice) => lines.push(format!("from offset {} on", slice.offset)),
        Value::ThreadValue(tv) if tv.is_of_devices() => {
            lines.push(format!(
                "{} devices of {} elements to the coordinates of {}",
                tv.threads(),
                tv.values(),
                tv.tile()
            ));
            if let Some(extents) = tv.extents() {
                lines.push(format!(
                    "of which {extents} are the tensor's; the others are padding"
                ));
            }
        }
        Value::ThreadValue(tv) => lines.push(format!(
            "{} threads of {} values to the cells of {}",
            tv.threads(),
            tv.values(),
            tv.tile()
        )),
        Value::Redistribution(redistribution) => lines.extend(redistribution.lines()),
        Value::Partition(partition) => lines.push(format!(
            "one thread's part; thread t begins at {}",
            partition.thread()
        )),
        Value::Element(element) => lines.push(format!("{} bits", element.bits())),
        Value::TmaTile(tile) => lines.extend(tile.lines()),
        Value::WgmmaOperand(operand) => lines.extend(operand.lines()),
        Value::Swizzle(swizzle) => lines.push(format!(
            "bits {:#b} exclusive-ored into bits {:#b}",
            swizzle.yyy_mask(),
            swizzle.zzz_mask()
        )),
        _ => {}
    }
    if let Some(laws) = Laws::of_value(value) {
        lines.push(laws.to_string());
    }
    lines
}

/// Returns the lines of [`describe`], followed by the table of at most `most` rows and columns.
///
/// ```
/// let text = notation::describe_with_table(&notation::eval("(2,2):(2,1)").unwrap(), 64);
/// assert!(text.starts_with("(2,2):(2,1)\nsize 4, cosize 4, rank 2, depth 1, injective, compact"));
/// assert!(text.contains(" 1  | 2 | 3 |"));
/// ```
#[must_use]
pub fn describe_with_table(value: &Value, most: i64) -> String {
    let mut text = describe(value).join("\n");
    text.push('\n');
    if let Some(table) = table(value, most) {
        text.push('\n');
        text.push_str(&table);
    }
    text
}

fn instruction(ptx: &str, lines: &mut Vec<String>) {
    if !ptx.is_empty() {
        lines.push(ptx.to_string());
    }
}

fn mma_atom(atom: &MmaAtom, lines: &mut Vec<String>) {
    let ([m, n, k], [d, a, b, c]) = (atom.shape(), atom.types());
    let threads = atom.thr_id().size().unwrap_or(1);
    let from = match atom.sm() {
        0 => String::new(),
        sm => format!(", from sm_{sm} on"),
    };
    lines.push(format!(
        "{m} x {n} x {k}, {threads} threads, D {d}, A {a}, B {b}, C {c}{from}"
    ));
    instruction(atom.ptx(), lines);
    lines.push(format!("ThrID {}", atom.thr_id()));
    for operand in Operand::ALL {
        lines.push(format!("{operand} {}", atom.layout(operand)));
    }
}

fn copy_operation(operation: &CopyOperation, lines: &mut Vec<String>) {
    instruction(operation.ptx(), lines);
    lines.push(format!("ThrID {}", operation.thr_id()));
    lines.push(format!("source, in bits {}", operation.source()));
    lines.push(format!("destination, in bits {}", operation.destination()));
}

fn copy_atom(atom: &CopyAtom, lines: &mut Vec<String>) {
    instruction(atom.operation().ptx(), lines);
    lines.push(format!("{} threads", atom.threads()));
    lines.push(format!("source {}", atom.source()));
    lines.push(format!("destination {}", atom.destination()));
    lines.push(format!("registers {}", atom.reference()));
}

fn tiled_mma(mma: &TiledMma, lines: &mut Vec<String>) {
    let [m, n, k] = mma.tile();
    lines.push(format!(
        "a tile of {m} x {n} x {k}, {} threads",
        mma.threads()
    ));
    lines.push(format!("(v,m,n,k) to thread {}", mma.thr_layout_vmnk()));
    for operand in Operand::ALL {
        match mma.operand(operand) {
            Ok(tv) => lines.push(format!("{operand} {tv} over {}", tv.tile())),
            Err(error) => lines.push(format!("{operand} {error}")),
        }
    }
}

fn tiled_copy(copy: &TiledCopy, lines: &mut Vec<String>) {
    lines.push(format!(
        "a tile of {}, {} threads",
        copy.tile(),
        copy.threads()
    ));
    for (name, tv) in [
        ("source", copy.side(Side::Source)),
        ("destination", copy.side(Side::Destination)),
        ("registers", Ok(copy.fragment())),
    ] {
        match tv {
            Ok(tv) => lines.push(format!("{name} {tv}")),
            Err(error) => lines.push(format!("{name} {error}")),
        }
    }
}
