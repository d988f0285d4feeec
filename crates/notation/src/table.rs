//! A layout as a table, as CuTe's `print_layout` draws it.
//!
//! ```text
//!        0   1
//!      +---+---+
//!   0  | 0 | 1 |        (2,2):(2,1)
//!      +---+---+
//!   1  | 2 | 3 |
//!      +---+---+
//! ```
//!
//! Mode 0 runs down, and all other modes run across as one index; headers also show the coordinates
//! of nested modes. The table of a thread-value layout shows the owner of each cell of the tile.
//! Law: the cell at (m,n) holds `layout(m,n)`. Source: `cute/util/print_tensor.hpp`
//! (`print_layout`).

use layout_types::dynamic::{AnyLayout, Domain, IntTuple, Nested, idx2crd};

use crate::thread_value::ThreadValue;
use crate::value::Value;

/// The largest number of rows and columns that are shown by default.
pub const MOST: i64 = 64;

/// Returns the table of a value, or `None` if the value has no table. Rows and columns beyond
/// `most` are counted, but not shown.
///
/// ```
/// let layout = notation::eval("(2,2):(2,1)").unwrap();
/// let table = notation::table(&layout, 64).unwrap();
/// assert_eq!(table.lines().nth(2).unwrap().trim(), "0  | 0 | 1 |");
/// ```
#[must_use]
pub fn table(value: &Value, most: i64) -> Option<String> {
    match value {
        Value::Integer(_) | Value::Tuple(_) => None,
        Value::ThreadValue(tv) => owners(tv, most),
        Value::Partition(partition) => of_layout(partition.part(), most),
        other => of_layout(&other.layout()?, most),
    }
}

/// Returns the coordinates of a nested mode, such as `(1,0)`, or `None` for a mode that is not
/// nested.
fn coordinates(shape: &IntTuple, extent: i64) -> Option<Vec<String>> {
    if shape.depth() == 0 || shape.rank() == 1 && shape.depth() == 1 {
        return None;
    }
    (0..extent)
        .map(|i| idx2crd(i, shape).ok().map(|at| at.to_string()))
        .collect()
}

fn of_layout(layout: &AnyLayout, most: i64) -> Option<String> {
    let domain = layout.domain();
    let modes = domain.modes();
    let (first, rest) = modes.split_first()?;
    let rows = first.size().ok()?;
    let mut columns = 1i64;
    for mode in rest {
        columns = columns.checked_mul(mode.size().ok()?)?;
    }
    // A layout of one mode runs across.
    let (rows, columns, across) = if rest.is_empty() {
        (1, rows, vec![first.clone()])
    } else {
        (rows, columns, rest.to_vec())
    };
    let heads = match &across[..] {
        [one] => one.shape().clone(),
        several => Nested::Tuple(several.iter().map(|mode| mode.shape().clone()).collect()),
    };
    let cell = |m: i64, n: i64| -> Option<String> {
        let index = n.checked_mul(rows)?.checked_add(m)?;
        match layout {
            AnyLayout::Plain(plain) => plain.eval(index).ok().map(|at| at.to_string()),
            swizzled => swizzled.offset(index).ok().map(|at| at.to_string()),
        }
    };
    let (shown_rows, shown_columns) = (rows.min(most), columns.min(most));
    draw(
        (rows, columns),
        (shown_rows, shown_columns),
        coordinates(first.shape(), shown_rows).filter(|_| !rest.is_empty()),
        coordinates(&heads, shown_columns),
        cell,
    )
}

fn owners(tv: &ThreadValue, most: i64) -> Option<String> {
    let (rows, columns) = tv.rows_columns()?;
    let owners = tv.owners()?;
    let cell = |m: i64, n: i64| -> Option<String> {
        let owners = owners.get(usize::try_from(n * rows + m).ok()?)?;
        Some(match owners[..] {
            [] => "-".to_string(),
            [owner] => format!("T{}V{}", owner.thread, owner.value),
            [owner, ..] => format!("T{}V{}*", owner.thread, owner.value),
        })
    };
    draw(
        (rows, columns),
        (rows.min(most), columns.min(most)),
        None,
        None,
        cell,
    )
}

fn draw(
    (rows, columns): (i64, i64),
    (shown_rows, shown_columns): (i64, i64),
    down: Option<Vec<String>>,
    across: Option<Vec<String>>,
    cell: impl Fn(i64, i64) -> Option<String>,
) -> Option<String> {
    let mut cells = Vec::new();
    for m in 0..shown_rows {
        let row: Option<Vec<String>> = (0..shown_columns).map(|n| cell(m, n)).collect();
        cells.push(row?);
    }
    let head = |names: &Option<Vec<String>>, i: i64| match names {
        Some(names) => format!("{i}={}", names[i as usize]),
        None => i.to_string(),
    };
    let tops: Vec<String> = (0..shown_columns).map(|n| head(&across, n)).collect();
    let sides: Vec<String> = (0..shown_rows).map(|m| head(&down, m)).collect();
    let width = cells.iter().flatten().chain(&tops).map(String::len).max()?;
    let side = sides.iter().map(String::len).max()?.max(2);
    let rule = format!(
        "{:side$}  {}+\n",
        "",
        format!("+{}", "-".repeat(width + 2)).repeat(tops.len())
    );
    let mut out = format!("{:side$}  ", "");
    for top in &tops {
        out.push_str(&format!("  {top:>width$} "));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    for (m, row) in cells.iter().enumerate() {
        out.push_str(&rule);
        out.push_str(&format!("{:>side$}  ", sides[m]));
        for cell in row {
            out.push_str(&format!("| {cell:>width$} "));
        }
        out.push_str("|\n");
    }
    out.push_str(&rule);
    if (shown_rows, shown_columns) != (rows, columns) {
        out.push_str(&format!(
            "({shown_rows} of {rows} rows, {shown_columns} of {columns} columns)\n"
        ));
    }
    Some(out)
}
