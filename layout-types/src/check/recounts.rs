//! Whether a layout has an inverse, or can be counted in other units.
//!
//! ```text
//!   left_inverse (4,2):(1,6)      upcast (8,4):(1,12) / 8: stride 12 and 8 do not divide one another
//! ```
//!
//! Law: as in [`tilings`](super::divide): `Ok` exactly where the operation in [`dynamic`](crate::dynamic) is.

use super::admissible::{Case, Verdict, rule};
use super::function::swizzle_of;
use super::sentence::sentence;
use super::text::Text;
use super::value::{Node, Value};
use crate::dynamic::rules::{self, Rule};

/// `right_inverse(a)` or `left_inverse(a)`; behind a swizzle it is left to the types.
///
/// # Errors
/// The sentence of the refusal.
///
/// ```
/// use layout_types::{check::{Reflect, inverse}, prelude::*};
/// assert!(inverse("left_inverse", &<layout!((4,2):(1,5))>::VALUE).is_ok());
/// assert_eq!(inverse("left_inverse", &<layout!((4,2):(2,3))>::VALUE).unwrap_err().as_str(),
///     "left_inverse (4,2):(2,3) is not admissible: stride 3 is no multiple of the next smaller stride 2");
/// ```
pub const fn inverse(operation: &str, a: &Value) -> Verdict {
    let mut text = Text::new();
    text.say(operation).say(" ").text(&a.notation());
    text.say(" is not admissible: ");
    let flat = match (a.root(), a.flat()) {
        (Node::Layout, Ok(flat)) => flat,
        (Node::Layout, Err(rule)) => return Err(*text.text(&sentence(&rule))),
        (Node::Composed, _) => return Ok(()),
        _ => return Err(*text.say("it is not a layout")),
    };
    let mut i = 0;
    while i < flat.len() {
        if flat.basis(i) != 0 {
            return Err(*text.text(&sentence(&Rule::BasisStride)));
        }
        i += 1;
    }
    let coalesced = flat.coalesce(false);
    let inverse = if operation.as_bytes()[0] == b'r' {
        rules::right_inverse(&coalesced)
    } else {
        rules::left_inverse(&coalesced)
    };
    match inverse {
        Ok(_) => Ok(()),
        Err(rule) => Err(*text.text(&sentence(&rule))),
    }
}

/// `upcast(a, n)`, `exact_upcast(a, n)` or `downcast(a, n)`.
///
/// # Errors
/// The sentence of the refusal.
///
/// ```
/// use layout_types::{check::{Reflect, cast}, prelude::*};
/// type N = int!(4);
/// assert!(cast("upcast", &<layout!((6,8):(1,8))>::VALUE, &N::VALUE).is_ok());
/// assert_eq!(cast("exact_upcast", &<layout!((6,8):(1,8))>::VALUE, &N::VALUE).unwrap_err().as_str(),
///     "exact_upcast (6,8):(1,8) / 4 is not admissible: mode 0: 6 elements do not fill units of 4; the upcast without \
///      `exact` rounds up");
/// ```
pub const fn cast(operation: &str, a: &Value, n: &Value) -> Verdict {
    let case = Case {
        operation,
        left: a,
        joiner: " / ",
        right: n,
    };
    let units = match n.root() {
        Node::Int(units) => units,
        _ => return Err(*case.opening().say("the right side is not a number")),
    };
    // `upcast`, `exact_upcast`, `downcast`.
    let (exact, down) = (
        operation.as_bytes()[0] == b'e',
        operation.as_bytes()[0] == b'd',
    );
    if let Node::Composed = a.root() {
        let (swizzle, offset) = (rule!(case, swizzle_of(&a.child(0))), a.child(1).integer());
        if down {
            rule!(case, swizzle.downcast(units));
        } else {
            rule!(case, swizzle.upcast(units));
            if offset % units != 0 {
                return case.refuse(&Rule::CastStride {
                    stride: offset,
                    n: units,
                });
            }
        }
        return case.within(cast(operation, &a.child(2), n));
    }
    if !matches!(a.root(), Node::Layout) {
        return Err(*case.opening().say("the left side is not a layout"));
    }
    let flat = rule!(case, a.flat());
    let (mut unit_stride, mut i) = (false, 0);
    while i < flat.len() {
        unit_stride = unit_stride || flat.stride(i) == 1 && flat.basis(i) == 0;
        i += 1;
    }
    if down && !unit_stride {
        return case.refuse(&Rule::NoUnitStride);
    }
    i = 0;
    while i < flat.len() {
        let (shape, stride) = (flat.shape(i), flat.stride(i));
        let mode = if flat.basis(i) != 0 {
            Err(Rule::BasisStride)
        } else if down {
            rules::downcast(shape, stride, units)
        } else if exact {
            rules::exact_upcast(shape, stride, units)
        } else {
            rules::upcast(shape, stride, units)
        };
        match mode {
            Ok(_) => {}
            Err(rule) if matches!(a.shape().root(), Node::Tuple(_)) => {
                return case.refuse_leaf(a, i, &rule);
            }
            Err(rule) => return case.refuse(&rule),
        }
        i += 1;
    }
    Ok(())
}
