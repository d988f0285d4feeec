//! Whether an operation has a result, decided on values while the compiler evaluates a constant.
//!
//! ```text
//!   composition (4,4):(4,1) o 8:3 is not admissible: mode 0: stride 3 does not divide 4, a prefix product of ...
//!   ^operation  ^left         ^right                 ^mode   ^rule
//! ```
//!
//! Law: each function here is `Ok` exactly where the operation with its name in
//! [`dynamic`](crate::dynamic) is `Ok`. Where the operation is refused, the function returns the
//! same sentence, by the same rules. The functions need no allocator, and no types that compose.

use super::text::Text;
use super::text::sentence;
use super::value::{Node, Value};
use crate::dynamic::rules::{self, Flat, MAX_MODES, Refusal, Rule};
use crate::values;

/// An admissible operation, or the whole sentence that says why it is not.
pub type Verdict = Result<(), Text>;

/// The words between an operation's operands and the rule that refuses them.
const REFUSED: &str = " is not admissible: ";

/// An operation with its operands.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) operation: &'a str,
    pub(super) left: &'a Value,
    pub(super) joiner: &'a str,
    pub(super) right: &'a Value,
}

impl Case<'_> {
    pub(super) const fn opening(&self) -> Text {
        let mut text = Text::new();
        text.say(self.operation)
            .say(" ")
            .text(&self.left.notation());
        text.say(self.joiner).text(&self.right.notation());
        *text.say(REFUSED)
    }

    /// Returns the refusal of the operation by a rule.
    pub(super) const fn refuse(&self, rule: &Rule) -> Verdict {
        Err(*self.opening().text(&sentence(rule)))
    }

    /// Returns the refusal of the operation by a rule that leaf `leaf` of `of` breaks.
    pub(super) const fn refuse_leaf(&self, of: &Value, leaf: usize, rule: &Rule) -> Verdict {
        let (path, depth) = of.path(leaf);
        let mut text = self.opening();
        text.say("mode ").count(path[0]);
        let mut i = 1;
        while i < depth {
            text.say(".").count(path[i]);
            i += 1;
        }
        Err(*text.say(": ").text(&sentence(rule)))
    }

    /// Returns the refusal of the operation whose step `step` is refused, or `Ok` if the step is
    /// `Ok`.
    pub(super) const fn within(&self, step: Verdict) -> Verdict {
        match step {
            Ok(()) => Ok(()),
            Err(step) => Err(*self.opening().text(&step)),
        }
    }

    /// Returns the refusal of the same operation on a part of the operands, with the operands
    /// replaced by those that the user wrote.
    pub(super) const fn again(&self, part: Verdict) -> Verdict {
        match part {
            Ok(()) => Ok(()),
            Err(part) => {
                let (text, opening) = (part.as_str(), REFUSED.as_bytes());
                let mut at = 0;
                while at + opening.len() <= text.len() {
                    let (_, rest) = text.as_bytes().split_at(at);
                    let (head, _) = rest.split_at(opening.len());
                    if same(head, opening) {
                        let (_, rule) = text.split_at(at + opening.len());
                        return Err(*self.opening().say(rule));
                    }
                    at += 1;
                }
                self.within(Err(part))
            }
        }
    }

    /// Returns the refusal as [`Case::within`] does, for the step on mode `mode`.
    pub(super) const fn within_mode(&self, mode: usize, step: Verdict) -> Verdict {
        match step {
            Ok(()) => Ok(()),
            Err(step) => {
                let mut text = self.opening();
                Err(*text.say("mode ").count(mode).say(": ").text(&step))
            }
        }
    }
}

/// Whether two strings of one length have the same bytes.
const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < b.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

macro_rules! rule {
    ($case:expr, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(rule) => return $case.refuse(&rule),
        }
    };
}

/// Checks the operation mode by mode, for a tuple as tiler.
macro_rules! by_mode {
    ($case:expr, $count:expr, |$mode:ident, $tiler:ident| $step:expr) => {{
        if $count > $case.left.rank() {
            return $case.refuse(&Rule::RankAbove {
                found: $count,
                most: $case.left.rank(),
            });
        }
        let mut i = 0;
        while i < $count {
            let ($mode, $tiler) = ($case.left.mode(i), $case.right.child(i));
            let step = $step;
            if step.is_err() {
                return $case.within_mode(i, step);
            }
            i += 1;
        }
        Ok(())
    }};
}

pub(super) use {by_mode, rule};

pub(super) const fn as_layout(elements: i64, stride: i64) -> Value {
    match Flat::from_slices(&[elements], &[stride]) {
        Ok(flat) => Value::from_flat(&flat),
        Err(_) => Value::of(Node::Any),
    }
}

/// Checks `composition(a, b)`: `b` is a layout, an integer, `_` or a tuple of tilers; `a` may be a
/// layout with a swizzle, or a swizzle.
///
/// # Errors
/// Returns the sentence of the refusal.
///
/// ```
/// use layout_types::{check::{Reflect, composition}, prelude::*};
/// type A = layout!((4,4):(4,1));
/// const VERDICT: layout_types::check::Verdict = composition(&A::VALUE, &<layout!((2,2):(3,1))>::VALUE);
/// assert!(VERDICT.unwrap_err().as_str().starts_with(
///     "composition (4,4):(4,1) o (2,2):(3,1) is not admissible: together the modes of the right side reach 4"));
/// ```
pub const fn composition(a: &Value, b: &Value) -> Verdict {
    let case = Case {
        operation: "composition",
        left: a,
        joiner: " o ",
        right: b,
    };
    match (a.root(), b.root()) {
        (Node::Swizzle { .. }, Node::Layout | Node::Composed) | (_, Node::Any) => Ok(()),
        (Node::Composed, _) => case.again(composition(&a.domain(), b)),
        (Node::Layout, Node::Int(value)) if value < 1 => case.refuse(&Rule::NotPositive { value }),
        (Node::Layout, Node::Int(elements)) => composition(a, &as_layout(elements, 1)),
        (Node::Layout, Node::Tuple(count)) => {
            by_mode!(case, count, |mode, tiler| composition(&mode, &tiler))
        }
        (Node::Layout, Node::Layout) => compose(&case),
        (Node::Layout, _) => Err(*case.opening().say("the right side is not a tiler")),
        _ => Err(*case.opening().say("the left side is not a layout")),
    }
}

/// Checks the composition of two layouts by the rules of the types.
const fn compose(case: &Case) -> Verdict {
    rule!(case, case.left.flat());
    rule!(case, case.right.flat());
    let found = match compose_in::<96>(case) {
        Some(found) => found,
        None => match compose_in::<16384>(case) {
            Some(found) => found,
            None => return case.refuse(&Rule::TooManyModes { most: MAX_MODES }),
        },
    };
    match found {
        Ok(()) => Ok(()),
        Err(Refusal {
            leaf: Some(leaf),
            rule,
        }) => case.refuse_leaf(case.right, leaf, &rule),
        Err(Refusal { rule, .. }) => case.refuse(&rule),
    }
}

/// Checks the composition in a heap of `N` nodes. Returns `None` if the heap is too small.
const fn compose_in<const N: usize>(case: &Case) -> Option<Result<(), Refusal>> {
    let mut nodes = [values::Node::UNUSED; N];
    let heap = &mut values::Heap::new(&mut nodes);
    let (left, right) = (case.left.tree(heap), case.right.tree(heap));
    let found = rules::compose(left, right, heap);
    if heap.is_full() {
        return None;
    }
    Some(match found {
        Ok(_) => Ok(()),
        Err(refusal) => Err(refusal),
    })
}

/// Checks `complement(a, target)`, where `target` is a number or a shape.
///
/// # Errors
/// Returns the sentence of the refusal.
pub const fn complement(a: &Value, target: &Value) -> Verdict {
    let case = Case {
        operation: "complement",
        left: &a.domain(),
        joiner: ", ",
        right: target,
    };
    let (extents, count) = rule!(case, target.extents());
    let mut i = 0;
    while i < count {
        if extents[i] < 1 {
            return case.refuse(&Rule::NotPositive { value: extents[i] });
        }
        i += 1;
    }
    let (extents, _) = extents.split_at(count);
    let tile = rule!(case, filtered(case.left));
    rule!(case, rules::complement(&tile, extents));
    Ok(())
}

/// Returns the filtered layout, with integer strides.
pub(super) const fn filtered(layout: &Value) -> Result<Flat, Rule> {
    let flat = match layout.flat() {
        Ok(flat) => flat,
        Err(rule) => return Err(rule),
    };
    let mut i = 0;
    while i < flat.len() {
        if flat.basis(i) != 0 {
            return Err(Rule::BasisStride);
        }
        i += 1;
    }
    Ok(flat.filter())
}
