//! The shapes in an expression that can be dragged: the places of their numbers in the text.
//!
//! ```text
//!   zipped_divide((8,8):(1,8), (4,2))
//!                  ^ ^          ^ ^      two operands of two modes; the first is column-major and compact,
//!                                        so its strides follow its shape
//! ```
//!
//! Law: writing another number at an extent's place gives a text in which the extent has that
//! number.

use notation::syntax::{Expr, Kind, Suffix};
use serde::Serialize;

/// The largest number of operands that are offered.
const MOST: usize = 16;

/// A shape or a layout in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Operand {
    /// The first unit of the operand in the text, in UTF-16 units as scripts count.
    pub start: usize,
    /// One past the operand's last unit.
    pub end: usize,
    /// The order of the strides: `column` or `row` for a compact layout of one or two modes that
    /// are not nested, or `None`.
    pub order: Option<&'static str>,
    /// Whether the strides are written out.
    pub layout: bool,
    /// For each of the first two modes, the extent that dragging changes.
    pub modes: Vec<Extent>,
}

/// The outermost extent of a mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// The first unit of the extent in the text.
    pub start: usize,
    /// One past the extent's last unit.
    pub end: usize,
    /// The number.
    pub value: i64,
    /// The product of the mode's inner extents: the number of elements that one step of the number
    /// adds.
    pub inner: i64,
}

/// Returns the operands of a text in their order. The result is empty if the text cannot be read.
pub fn operands(text: &str) -> Vec<Operand> {
    let mut out = Vec::new();
    if let Ok(statements) = notation::parse(text) {
        for statement in &statements {
            walk(&statement.value, &mut out);
        }
    }
    out.truncate(MOST);
    // Converts bytes to the units that scripts count.
    let units = |byte: usize| text[..byte].encode_utf16().count();
    for operand in &mut out {
        (operand.start, operand.end) = (units(operand.start), units(operand.end));
        for mode in &mut operand.modes {
            (mode.start, mode.end) = (units(mode.start), units(mode.end));
        }
    }
    out
}

fn walk(expression: &Expr, out: &mut Vec<Operand>) {
    if out.len() >= MOST {
        return;
    }
    match &expression.kind {
        Kind::Layout(shape, stride) => {
            if let Some(modes) = modes(shape) {
                out.push(Operand {
                    start: expression.span.start,
                    end: expression.span.end,
                    order: order(shape, stride),
                    layout: true,
                    modes,
                });
            }
        }
        Kind::Tuple { modes: inner, .. } => match modes(expression) {
            Some(modes) => out.push(Operand {
                start: expression.span.start,
                end: expression.span.end,
                order: None,
                layout: false,
                modes,
            }),
            None => inner.iter().for_each(|mode| walk(mode, out)),
        },
        Kind::Compose(parts) => parts.iter().for_each(|part| walk(part, out)),
        Kind::Postfix(function, suffixes) => {
            walk(function, out);
            for suffix in suffixes {
                if let Suffix::Call { arguments, .. } = suffix {
                    arguments.iter().for_each(|argument| walk(argument, out));
                }
            }
        }
        Kind::Integer(_) | Kind::Basis(..) | Kind::Underscore | Kind::Name { .. } => {}
    }
}

/// Returns the extents that dragging changes, or `None` unless every leaf of the shape is a number
/// of at least 1.
fn modes(shape: &Expr) -> Option<Vec<Extent>> {
    let modes = match &shape.kind {
        Kind::Integer(_) => std::slice::from_ref(shape),
        Kind::Tuple { modes, .. } => modes,
        _ => return None,
    };
    let extents: Option<Vec<Extent>> = modes.iter().map(outermost).collect();
    let mut extents = extents.filter(|extents| !extents.is_empty())?;
    extents.truncate(2);
    Some(extents)
}

fn outermost(mode: &Expr) -> Option<Extent> {
    match &mode.kind {
        Kind::Integer(value) if *value >= 1 => Some(Extent {
            start: mode.span.start,
            end: mode.span.end,
            value: *value,
            inner: 1,
        }),
        Kind::Tuple { modes, .. } => {
            let (last, before) = modes.split_last()?;
            let mut inner = 1i64;
            for mode in before {
                let extent = outermost(mode)?;
                inner = inner.checked_mul(extent.value)?.checked_mul(extent.inner)?;
            }
            let last = outermost(last)?;
            Some(Extent {
                inner: inner.checked_mul(last.inner)?,
                ..last
            })
        }
        _ => None,
    }
}

/// Returns the order of a compact layout of one or two modes that are not nested, or `None` for any
/// other layout.
fn order(shape: &Expr, stride: &Expr) -> Option<&'static str> {
    let numbers = |expression: &Expr| -> Option<Vec<i64>> {
        let modes = match &expression.kind {
            Kind::Integer(_) => std::slice::from_ref(expression),
            Kind::Tuple { modes, .. } => modes,
            _ => return None,
        };
        let number = |mode: &Expr| match mode.kind {
            Kind::Integer(number) => Some(number),
            _ => None,
        };
        modes.iter().map(number).collect()
    };
    match (numbers(shape)?.as_slice(), numbers(stride)?.as_slice()) {
        ([_], [1]) => Some("column"),
        ([rows, _], [1, by]) if by == rows => Some("column"),
        ([_, columns], [by, 1]) if by == columns => Some("row"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_where_the_text_has_them() {
        for text in [
            "(8,8):(1,8)",
            "zipped_divide((8,6):(6,1), (4,3))",
            "Sw<2,3,3> o ((2,4),32):((32,64),1)",
            "let a = (4,8); a o 2:1",
            "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))",
        ] {
            let found = operands(text);
            assert!(!found.is_empty(), "{text}");
            for operand in &found {
                for (i, mode) in operand.modes.iter().enumerate() {
                    assert_eq!(text[mode.start..mode.end], mode.value.to_string());
                    // With another number at its place, the extent has that number.
                    let other = format!(
                        "{}{}{}",
                        &text[..mode.start],
                        mode.value + 41,
                        &text[mode.end..]
                    );
                    let again = operands(&other);
                    let moved = again
                        .iter()
                        .find(|other| other.start == operand.start)
                        .unwrap();
                    assert_eq!(moved.modes[i].value, mode.value + 41, "{other}");
                }
            }
        }
        assert_eq!(operands("(8,4):(1,8)")[0].order, Some("column"));
        assert_eq!(operands("(8,4):(4,1)")[0].order, Some("row"));
        assert_eq!(operands("(8,4):(1,9)")[0].order, None);
        let nested = operands("((2,4),3):((3,6),1)");
        assert_eq!((nested[0].modes[0].value, nested[0].modes[0].inner), (4, 2));
        assert!(operands("(1").is_empty() && operands("size").is_empty());
    }
}
