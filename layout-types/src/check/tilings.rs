//! Divides, products, inverses and casts, checked while the compiler evaluates a constant.
//!
//! ```text
//! divide(&(4,8):(8,1), &3:1)    Err: ...        inverse(..), cast(..)        Ok or the rule that is broken
//! ```
//!
//! Law: a check is `Ok` exactly if the operation in [`dynamic`](crate::dynamic) is `Ok`.

use super::admissible::{Case, Verdict, as_layout, by_mode, composition, filtered, rule};
use super::chooser::swizzle_of;
use super::text::{Text, sentence};
use super::value::{Node, Value};
use crate::dynamic::rules;
use crate::dynamic::rules::{Flat, MAX_MODES, Rule};

// -- Divides and products -------------------------------------------------------------------------
//
// Checks that a divide, a product or `tile_to_shape` has a result.
//
// ```text
//   zipped_divide (128,64):(64,1) / (48,16)    rounds up: fine           exact_zipped_divide: the tiles hold 144 elements ..
// ```
//
// Law: as in [`admissible`](super::composition), a check is `Ok` exactly if the operation in
// [`dynamic`](crate::dynamic) is `Ok`.

/// Checks a divide by its name: `logical_divide`, `zipped_divide` and so on. With `exact`, the
/// tiles must fill the layout.
///
/// # Errors
/// Returns the sentence of the refusal.
///
/// ```
/// use layout_types::{check::{Reflect, divide}, prelude::*};
/// type A = layout!((128,64):(64,1));
/// const T: layout_types::check::Value = <tile!(48, 16)>::VALUE;
/// assert!(divide("zipped_divide", &A::VALUE, &T, false).is_ok());
/// assert!(divide("zipped_divide", &A::VALUE, &T, true).unwrap_err().as_str().ends_with(
///     "the tiles hold 144 elements, the layout 128; the divide without `exact` rounds up"));
/// ```
pub const fn divide(operation: &str, a: &Value, tiler: &Value, exact: bool) -> Verdict {
    let divided = divided(operation, a, tiler, exact);
    if divided.is_err() || !gathers(operation) {
        return divided;
    }
    let case = Case {
        operation,
        left: a,
        joiner: " / ",
        right: tiler,
    };
    paired(&case, &a.domain(), tiler)
}

/// Whether the operation gathers tiles and rests, and so needs each mode to be a pair.
const fn gathers(operation: &str) -> bool {
    // Only the names with zipped, tiled and flat begin with these letters, after an optional
    // `exact_`.
    let name = operation.as_bytes();
    let first = if name[0] == b'e' && name.len() > 6 {
        6
    } else {
        0
    };
    matches!(name[first], b'z' | b't' | b'f')
}

/// Checks that a mode which `_` leaves whole is itself a pair.
const fn paired(case: &Case, a: &Value, tiler: &Value) -> Verdict {
    match tiler.root() {
        Node::Any if a.rank() != 2 => {
            let mut text = case.opening();
            text.say("`_` leaves the mode ").text(&a.notation());
            Err(*text.say(
                " whole, which is no pair of tile and rest to gather: the operation that begins with `logical_` takes `_`",
            ))
        }
        Node::Tuple(count) => {
            let mut i = 0;
            while i < count {
                let step = paired(case, &a.mode(i), &tiler.child(i));
                if step.is_err() {
                    return step;
                }
                i += 1;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

const fn divided(operation: &str, a: &Value, tiler: &Value, exact: bool) -> Verdict {
    let case = Case {
        operation,
        left: a,
        joiner: " / ",
        right: tiler,
    };
    match (a.root(), tiler.root()) {
        (_, Node::Any) => Ok(()),
        (Node::Composed, _) => case.again(divided(operation, &a.domain(), tiler, exact)),
        (Node::Layout, Node::Int(elements)) => {
            let tile = as_layout(elements, (elements > 1) as i64);
            divided(operation, a, &tile, exact)
        }
        (Node::Layout, Node::Tuple(count)) => by_mode!(case, count, |mode, part| divided(
            operation, &mode, &part, exact
        )),
        (Node::Layout, Node::Layout) => divide_by_layout(&case, exact),
        (Node::Layout, _) => Err(*case.opening().say("the right side is not a tiler")),
        _ => Err(*case.opening().say("the left side is not a layout")),
    }
}

const fn divide_by_layout(case: &Case, exact: bool) -> Verdict {
    let (a, b) = (case.left, case.right);
    let tile = rule!(case, filtered(b));
    let whole = rule!(case, a.flat());
    let coalesced = whole.coalesce(false);
    let (mut extents, mut i) = ([1; MAX_MODES], 0);
    while i < coalesced.len() {
        extents[i] = coalesced.shape(i);
        i += 1;
    }
    let (extents, _) = extents.split_at(coalesced.len());
    let rest = rule!(case, rules::holes(&tile, extents));
    let both = Value::pair(b, &Value::from_flat(&rest));
    let size = rule!(case, a.size());
    if exact {
        rule!(case, rules::nests(&tile));
        let tiled = match (b.size(), rest.size()) {
            (Ok(tile), Some(rest)) => match tile.checked_mul(rest) {
                Some(tiled) => tiled,
                None => return case.refuse(&Rule::Overflow),
            },
            _ => return case.refuse(&Rule::Overflow),
        };
        if tiled != size {
            return case.refuse(&Rule::Ragged { tiled, size });
        }
        return case.within(composition(a, &both));
    }
    let strict = composition(a, &both);
    let full = match rules::nests(&tile) {
        Ok(()) => rules::complement(&tile, extents),
        Err(rule) => Err(rule),
    };
    if strict.is_ok() && full.is_ok() {
        return Ok(());
    }
    // The tile must be exactly the elements that the tiler names. Copies of the tile may reach
    // beyond each mode of `a`.
    let named = composition(a, b);
    let covered = rules::rounds_up(&whole.coalesce(true), size, &rule!(case, b.flat()), &rest);
    match (named, covered, full) {
        (Ok(()), Ok(()), _) => Ok(()),
        (_, Err(_), Err(rule)) => case.refuse(&rule),
        (_, Err(uncounted), _) if strict.is_ok() => case.refuse(&uncounted),
        (_, Err(_), _) => case.within(strict),
        (Err(_), Ok(()), _) => case.within(named),
    }
}

/// Checks a product by its name: `logical_product`, `blocked_product` and so on.
///
/// # Errors
/// Returns the sentence of the refusal.
pub const fn product(operation: &str, block: &Value, tiler: &Value) -> Verdict {
    let repeated = repeated(operation, block, tiler);
    if repeated.is_err() || !gathers(operation) {
        return repeated;
    }
    let case = Case {
        operation,
        left: block,
        joiner: " x ",
        right: tiler,
    };
    paired(&case, &block.domain(), tiler)
}

const fn repeated(operation: &str, block: &Value, tiler: &Value) -> Verdict {
    let case = Case {
        operation,
        left: block,
        joiner: " x ",
        right: tiler,
    };
    match (block.root(), tiler.root()) {
        (_, Node::Any) => Ok(()),
        (Node::Composed, _) => case.again(repeated(operation, &block.domain(), tiler)),
        (Node::Layout, Node::Int(elements)) => repeated(
            operation,
            block,
            &as_layout(elements, (elements > 1) as i64),
        ),
        (Node::Layout, Node::Tuple(count)) => {
            by_mode!(case, count, |mode, part| repeated(operation, &mode, &part))
        }
        (Node::Layout, Node::Layout) => product_by_layout(&case),
        (Node::Layout, _) => Err(*case.opening().say("the right side is not a tiler")),
        _ => Err(*case.opening().say("the left side is not a layout")),
    }
}

const fn product_by_layout(case: &Case) -> Verdict {
    let tile = rule!(case, filtered(case.left));
    let copies = rule!(case, case.right.flat());
    let (needed, target) = match (copies.cosize(), case.left.size()) {
        (Some(needed), Ok(size)) => match size.checked_mul(needed) {
            Some(target) => (needed, target),
            None => return case.refuse(&Rule::Overflow),
        },
        _ => return case.refuse(&Rule::Overflow),
    };
    let holes = rule!(case, rules::holes(&tile, &[target]));
    let places = match holes.size() {
        Some(places) => places,
        None => return case.refuse(&Rule::Overflow),
    };
    let last = tile.sorted()[tile.len() - 1];
    let end = tile.stride(last).saturating_mul(tile.shape(last));
    if needed > places && target <= end {
        return case.refuse(&Rule::Places { needed, places });
    }
    case.within(composition(&Value::from_flat(&holes), case.right))
}

/// Checks `tile_to_shape(block, shape)`.
///
/// # Errors
/// Returns the sentence of the refusal.
pub const fn tile_to_shape(block: &Value, shape: &Value) -> Verdict {
    let case = Case {
        operation: "tile_to_shape",
        left: block,
        joiner: ", ",
        right: shape,
    };
    match block.root() {
        Node::Composed => return case.again(tile_to_shape(&block.domain(), shape)),
        Node::Layout => {}
        _ => return Err(*case.opening().say("the left side is not a layout")),
    }
    let (found, most) = (block.rank(), shape.rank());
    if found > most {
        return case.refuse(&Rule::RankAbove { found, most });
    }
    let (mut copies, mut step, mut i) = (Flat::new(), 1i64, 0);
    while i < most {
        let mode = if matches!(shape.root(), Node::Tuple(_)) {
            shape.child(i)
        } else {
            *shape
        };
        let wanted = rule!(case, mode.size());
        let size = if i < found {
            rule!(case, block.mode(i).size())
        } else {
            1
        };
        if wanted % size != 0 {
            let rule = Rule::BlockDivides {
                block: size,
                shape: wanted,
            };
            return case.within_mode(i, Err(sentence(&rule)));
        }
        let count = wanted / size;
        rule!(
            case,
            copies.push(count, if count == 1 { 0 } else { step }, 0)
        );
        step = step.saturating_mul(count);
        i += 1;
    }
    case.within(product("tile_to_shape", block, &Value::from_flat(&copies)))
}

// -- Inverses and casts ---------------------------------------------------------------------------
//
// Checks that a layout has an inverse, or can be counted in other units.
//
// ```text
//   left_inverse (4,2):(1,6)      upcast (8,4):(1,12) / 8: stride 12 and 8 do not divide one another
// ```
//
// Law: as in [`tilings`](super::divide), a check is `Ok` exactly if the operation in
// [`dynamic`](crate::dynamic) is `Ok`.

/// Checks `right_inverse(a)` or `left_inverse(a)`; the inverse of a swizzled layout is checked only
/// by the types.
///
/// # Errors
/// Returns the sentence of the refusal.
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

/// Checks `upcast(a, n)`, `exact_upcast(a, n)` or `downcast(a, n)`.
///
/// # Errors
/// Returns the sentence of the refusal.
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
    // The first letter tells `upcast`, `exact_upcast` and `downcast` apart.
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
