//! Decides when a composition of layouts is a layout, and which layout it is.
//!
//! `A o B` is admissible exactly if CuTe's result `R` is the function composition:
//! `R(c) == A(B(c))` for every `c` of `B`, with `A`'s last mode unbounded. [`decided`] makes the
//! decision: as a type for types, and here as a function of values. This file finds the numbers
//! that a refusal names. The decision has two parts:
//!
//! 1. **Each mode `s:d` of `B`** is divided through `A`'s shape ([`split`]). Each prefix product of
//!    `A`'s shape must divide `d` or be divided by `d`, or the mode must end before it reaches that
//!    boundary. The number of steps inside a mode of `A` must divide the number of steps still to
//!    place.
//! 2. **All modes together**: write each mode's image in the mixed radix of `A`'s shape. For each
//!    digit except the last, the sum of the modes' maxima must be less than the digit's shape.
//!
//! ```text
//! A = (4,4):(4,1)   B = (2,2):(3,1)      digit 0 (shape 4): 3 from mode 0, 1 from mode 1: 4, a carry
//!                                        B(1,1) = 4 is A's (0,1) = 1, not 3*4 + 1*4 = 16
//! ```
//!
//! Why part 2 is exact: take the lowest digit `j` that overflows. Steps from zero upwards reach a
//! coordinate where exactly this digit passes its shape `s_j` once and the other digits are zero.
//! There the true offset and CuTe's differ by `s_j*D_j - D_{j+1}`, which is zero only if the two
//! modes would have coalesced. Digits that can be negative in one mode and positive in another
//! borrow instead of carry; by the same argument the offsets differ by the sum of these differences
//! over the digits through which the borrow passes.
//!
//! This argument does not cover a mode that steps unevenly over a boundary of `A` inside a digit of
//! stride 0. CuTe's result may still be the composition (`(5,8):(0,1) o 4:3 = (2,2):(0,1)`), so in
//! this case the points are compared one by one.

use super::tree::{Leaves, flat_of, integer_of, names_more, on_one_line, part_of, tree_of};
use super::{Flat, MAX_MODES, Rule};
use crate::kinds::Tag;
use crate::values::{
    Heap, Node, Value, as_cute, decided, digits_onto, field, first_difference, is, node, number,
    size, strided,
};

/// The largest number of elements that are compared one by one in the case that no rule decides.
pub const MAX_POINTS: i64 = 1 << 20;

/// A part of a mode of `B` that lies in one mode of `A`: `shape` steps, each `step` elements of
/// that mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The mode of the coalesced `A`.
    pub left: usize,
    /// The number of steps.
    pub shape: i64,
    /// The number of elements of `A`'s mode per step; the result's stride is this number times
    /// `A`'s stride.
    pub step: i64,
}

/// One mode of `B` divided through `A`'s shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    len: usize,
    parts: [Part; MAX_MODES],
    /// Whether the mode steps unevenly over a digit of stride 0, so that the points have to be
    /// compared.
    uneven: bool,
}

impl Split {
    /// Returns the number of modes (at least 1) of the result for this mode of `B`.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns `false`, since a mode has at least one part.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns part `i`, fastest first.
    pub const fn part(&self, i: usize) -> Part {
        self.parts[i]
    }
}

/// Divides the mode `shape:stride` of `B` through the shape of `a`, and returns the steps that
/// [`strided`] takes.
///
/// `a` must be coalesced with its tail kept ([`Flat::coalesce`] with `true`), and `shape >= 1`.
///
/// # Errors
/// Returns [`Rule::PrefixProduct`] or [`Rule::ShapeSplit`] if CuTe rejects the mode, or
/// [`Rule::PrefixProduct`] also if CuTe accepts the mode and returns another function.
///
/// ```
/// use layout_types::dynamic::rules::{Flat, split};
/// let a = Flat::from_slices(&[4, 6, 8], &[2, 3, 5]).unwrap();
/// let parts = split(&a, 6, 12).unwrap();   // 6:12 takes every third of the 6, then two of the 8
/// assert_eq!((parts.part(0).shape, parts.part(0).step), (2, 3));
/// assert!(split(&a, 6, 3).is_err());       // CuTe returns 3 for element 2, the composition is 7
/// ```
pub const fn split(a: &Flat, shape: i64, stride: i64) -> Result<Split, Rule> {
    // The digits and parts need at most 10 nodes per mode, and one further part needs 10 more.
    if a.len() <= 4 {
        trace::<50>(a, shape, stride, true)
    } else {
        trace::<330>(a, shape, stride, true)
    }
}

/// Divides the mode like [`split`], but refuses only what CuTe refuses: the result may not be the
/// composition.
///
/// # Errors
/// Returns the errors of [`split`] that CuTe reports too.
pub const fn split_as_cute(a: &Flat, shape: i64, stride: i64) -> Result<Split, Rule> {
    trace::<330>(a, shape, stride, false)
}

/// Returns the digits of `a`, where digit `j` has stride `1@j`. The stride of a part then names the
/// digit in which the part lies, and the distance of the part's steps in this digit.
const fn named_digits(a: &Flat, exact: bool, heap: &mut Heap<'_>) -> Value {
    let mut digits = Value::Number(0);
    let mut j = a.len();
    while j > 0 {
        j -= 1;
        let cap = if exact {
            Value::Number((a.shape(j) - 1) as u64)
        } else {
            let none = node(Tag::NoGap, [], heap);
            node(Tag::Unbudgeted, [none], heap)
        };
        let shape = Value::Number(a.shape(j) as u64);
        let stride = node(Tag::E, [Value::Number(j as u64), Value::Number(1)], heap);
        digits = if j + 1 == a.len() {
            node(Tag::End, [shape, cap, stride], heap)
        } else {
            node(Tag::Digit, [shape, cap, stride, digits], heap)
        };
    }
    digits
}

const fn trace<const N: usize>(
    a: &Flat,
    shape: i64,
    stride: i64,
    exact: bool,
) -> Result<Split, Rule> {
    let mut out = Split {
        len: 0,
        parts: [Part {
            left: 0,
            shape,
            step: 0,
        }; MAX_MODES],
        uneven: false,
    };
    if stride == 0 {
        out.len = 1;
        return Ok(out);
    }
    if stride == i64::MIN {
        return Err(Rule::Overflow);
    }
    let mut nodes = [Node::UNUSED; N];
    let heap = &mut Heap::new(&mut nodes);
    let (s, d) = (
        Value::Number(shape as u64),
        Value::Number(stride.unsigned_abs()),
    );
    let digits = named_digits(a, true, heap);
    let mut leaf = strided(digits, s, d, heap);
    if is(leaf, Tag::Failed, heap) {
        let why = field(leaf, 0, heap);
        match broken(a, why, shape, stride, exact, heap) {
            Some(rule) => return Err(rule),
            None => {
                out.uneven = true;
                heap.clear();
                let digits = named_digits(a, false, heap);
                leaf = strided(digits, s, d, heap);
            }
        }
        if is(leaf, Tag::Failed, heap)
            && let Some(rule) = broken(a, field(leaf, 0, heap), shape, stride, exact, heap)
        {
            return Err(rule);
        }
    }
    assert!(!heap.is_full());
    let mut list = field(leaf, 0, heap);
    while is(list, Tag::Cons, heap) {
        let mode = field(list, 0, heap);
        let step = field(mode, 1, heap);
        out.parts[out.len] = Part {
            left: number(field(step, 0, heap)) as usize,
            shape: number(field(mode, 0, heap)) as i64,
            step: stride.signum() * integer_of(step, heap),
        };
        out.len += 1;
        list = field(list, 1, heap);
    }
    Ok(out)
}

/// Returns the rule of `strided` that `shape:stride` breaks, with the prefix product at the
/// boundary. Returns `None` if the steps continue past a boundary without meeting it: CuTe accepts
/// that, and in a digit of stride 0 it does not change the result.
const fn broken(
    a: &Flat,
    why: Value,
    shape: i64,
    stride: i64,
    exact: bool,
    heap: &Heap<'_>,
) -> Option<Rule> {
    let [first, second] = [
        number(field(why, 0, heap)) as i64,
        number(field(why, 1, heap)) as i64,
    ];
    if is(why, Tag::ShapeRule, heap) {
        // `end` is where `fit` steps end; the boundary is the last prefix product up to `end`.
        let end = stride.abs() as i128 * (shape / first) as i128 * second as i128;
        let (mut product, mut j) = (a.shape(0), 1);
        while j + 1 < a.len() && product.saturating_mul(a.shape(j)) as i128 <= end {
            product = product.saturating_mul(a.shape(j));
            j += 1;
        }
        return Some(Rule::ShapeSplit {
            steps: first,
            fit: second,
            product,
        });
    }
    let is_step = is(why, Tag::StepRule, heap);
    let (reached, digit) = if is_step {
        (second, number(field(why, 2, heap)) as i64)
    } else {
        (first, second)
    };
    // The stride is a multiple of the product of the lower digits, which it passes.
    let before = stride.abs() / reached;
    let product = before.saturating_mul(digit);
    let fit = digit / reached + 1;
    if is_step && shape % fit != 0 {
        return Some(Rule::ShapeSplit {
            steps: shape,
            fit,
            product,
        });
    }
    let (mut passed, mut j) = (1, 0);
    while passed < before {
        passed *= a.shape(j);
        j += 1;
    }
    if is_step && (!exact || a.stride(j) == 0) {
        return None;
    }
    Some(Rule::PrefixProduct {
        stride,
        product,
        steps: shape,
    })
}

/// A composition that is refused: the rule, and the leaf of the right side if this leaf breaks the
/// rule without the others.
pub(crate) struct Refusal {
    pub(crate) leaf: Option<usize>,
    pub(crate) rule: Rule,
}

impl Refusal {
    const fn of(rule: Rule) -> Self {
        Self { leaf: None, rule }
    }
}

/// Composes the trees `a` and `b`, or returns the reason for the refusal. If the heap is full, the
/// result has no meaning.
pub(crate) const fn compose(a: Value, b: Value, heap: &mut Heap<'_>) -> Result<Value, Refusal> {
    named(decided(a, b, heap), a, b, true, heap)
}

/// Returns CuTe's result, whether or not it is the composition.
#[cfg(feature = "dynamic")]
pub(crate) const fn compose_as_cute(
    a: Value,
    b: Value,
    heap: &mut Heap<'_>,
) -> Result<Value, Refusal> {
    named(as_cute(a, b, heap), a, b, false, heap)
}

/// Returns the result, or the rule that refuses it, with its numbers. If several rules are broken,
/// the rule about bases comes first, then the rule of the first mode that breaks one, then that of
/// all modes together.
const fn named(
    outcome: Value,
    a: Value,
    b: Value,
    exact: bool,
    heap: &mut Heap<'_>,
) -> Result<Value, Refusal> {
    if is(outcome, Tag::Done, heap) {
        return Ok(field(outcome, 0, heap));
    }
    let leaves = Leaves::of(b, heap);
    if heap.is_full() || leaves.are_mixed(heap) {
        return Err(Refusal::of(Rule::MixedBasis));
    }
    // The part of `a` that each leaf's stride names.
    let (mut parts, mut k) = ([a; MAX_MODES], 0);
    while k < leaves.len {
        parts[k] = match part_of(a, leaves.strides[k], heap) {
            Ok(part) => part,
            Err(rule) => return Err(Refusal::of(rule)),
        };
        k += 1;
    }
    k = 0;
    while k < leaves.len {
        let left = flat_of(parts[k], heap).coalesce(true);
        let (shape, stride) = (leaves.shape(k), leaves.integer(k, heap));
        let parts = if exact {
            split(&left, shape, stride)
        } else {
            split_as_cute(&left, shape, stride)
        };
        if let Err(rule) = parts {
            let leaf = Some(k);
            return Err(Refusal { leaf, rule });
        }
        k += 1;
    }
    k = 0;
    while k < leaves.len {
        let right = leaves.line(k, heap);
        if let Some(rule) = together(field(outcome, 0, heap), parts[k], &right, heap) {
            return Err(Refusal::of(rule));
        }
        k += 1;
    }
    // The composition is refused, but no rule on 64-bit numbers is broken: the numbers were
    // saturated.
    Err(Refusal::of(Rule::Overflow))
}

/// Returns the rule `why`, with its numbers, if the modes `b` together break it in `part`.
const fn together(why: Value, part: Value, b: &Flat, heap: &mut Heap<'_>) -> Option<Rule> {
    let a = &flat_of(part, heap).coalesce(true);
    let (up, down, uneven) = reaches(a, b);
    match heap.tag(why) {
        Some(Tag::CarryRule) if !uneven => carry(a, &up, &down),
        Some(Tag::BorrowRule) => borrow(a, &up, &down),
        Some(Tag::CarryRule | Tag::DiffersRule | Tag::PointsRule) => differs(part, b, heap),
        _ => None,
    }
}

/// Returns how far the modes of `b` reach in each digit of `a`, upwards and downwards, and whether
/// one of the modes steps over a digit unevenly.
const fn reaches(a: &Flat, b: &Flat) -> ([i64; MAX_MODES], [i64; MAX_MODES], bool) {
    let (mut up, mut down, mut uneven) = ([0i64; MAX_MODES], [0i64; MAX_MODES], false);
    let mut m = 0;
    while m < b.len() {
        if let Ok(parts) = split(a, b.shape(m), b.stride(m)) {
            uneven = uneven || parts.uneven;
            let mut p = 0;
            while p < parts.len {
                let Part { left, shape, step } = parts.parts[p];
                let reach = if step > 0 {
                    &mut up[left]
                } else {
                    &mut down[left]
                };
                *reach = reach.saturating_add((shape - 1).saturating_mul(step.abs()));
                p += 1;
            }
        }
        m += 1;
    }
    (up, down, uneven)
}

/// Returns the carry out of the lowest digit whose end the modes pass.
const fn carry(a: &Flat, up: &[i64], down: &[i64]) -> Option<Rule> {
    let mut left = 0;
    while left + 1 < a.len() {
        let (shape, reach) = (
            a.shape(left),
            if up[left] > down[left] {
                up[left]
            } else {
                down[left]
            },
        );
        if reach >= shape {
            return Some(Rule::Carry { left, shape, reach });
        }
        left += 1;
    }
    None
}

/// Returns the borrow at the lowest digit that can be below zero while a higher digit is above
/// zero, or the reverse. A borrow counts only if it changes the offset in any basis, by the sum of
/// `s*D - D'` over the digits passed.
const fn borrow(a: &Flat, up: &[i64], down: &[i64]) -> Option<Rule> {
    let mut low = 0;
    while low + 1 < a.len() {
        let (mut changes, mut high) = ([0i128; MAX_MODES + 1], low + 1);
        while high < a.len() {
            let below = high - 1;
            changes[a.basis(below) as usize] += a.shape(below) as i128 * a.stride(below) as i128;
            changes[a.basis(high) as usize] -= a.stride(high) as i128;
            let opposed = (down[low] > 0 && up[high] > 0) || (up[low] > 0 && down[high] > 0);
            let mut line = 0;
            while opposed && line < changes.len() {
                if changes[line] != 0 {
                    return Some(Rule::Borrow { low, high });
                }
                line += 1;
            }
            high += 1;
        }
        low += 1;
    }
    None
}

/// Returns the first element at which CuTe's result differs from the composition.
const fn differs(part: Value, b: &Flat, heap: &mut Heap<'_>) -> Option<Rule> {
    let modes = tree_of(b, heap);
    let start = node(Tag::Start, [Value::Number(0)], heap);
    let digits = digits_onto(part, start, heap);
    let found = as_cute(part, modes, heap);
    if !is(found, Tag::Done, heap) {
        return None;
    }
    let points = number(size(modes, heap));
    if points > MAX_POINTS as u64 {
        return Some(Rule::TooManyPoints { most: MAX_POINTS });
    }
    let at = first_difference(points, digits, modes, field(found, 0, heap), heap);
    if at == points {
        return None;
    }
    Some(Rule::Differs { at: at as i64 })
}

impl Leaves {
    /// Whether one leaf's stride names a part of a mode that another leaf's stride names: a
    /// coordinate cannot be an index and a tuple at once.
    const fn are_mixed(&self, heap: &Heap<'_>) -> bool {
        let mut i = 0;
        while i < self.len * self.len {
            let (one, other) = (i / self.len, i % self.len);
            if self.integer(one, heap) != 0
                && names_more(self.strides[one], self.strides[other], heap)
            {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Returns the leaves that name the same part as leaf `k`, with their integers as strides.
    const fn line(&self, k: usize, heap: &Heap<'_>) -> Flat {
        let (mut flat, mut i) = (Flat::new(), 0);
        while i < self.len {
            let stride = self.integer(i, heap);
            if stride != 0 && on_one_line(self.strides[i], self.strides[k], heap) {
                // There are at most `MAX_MODES` leaves, so the push succeeds.
                let _ = flat.push(self.shape(i), stride, 0);
            }
            i += 1;
        }
        flat
    }
}

/// Checks that a tile and its rest cover `a` as CuTe does when it rounds a divide up: each mode of
/// `a` by itself.
///
/// `a` is coalesced with its tail kept and holds `size` elements. `tile` must have a composition
/// with `a`; `rest` need not. If the tile does not divide a mode of `a`, its last copy reaches
/// beyond the mode, and the rest starts over in the next mode. Then `(tile, rest)` is not the
/// composition of `a` with any layout, but each element of `a` is still in exactly one place:
///
/// ```text
/// (4,3):(3,1) by 3:1     (3,(2,3)):(3,(9,1))     element (4,_), (5,_) stick out
///                         mode 0 of a: tile 3, then 2 copies; mode 1 of a: 3 copies
/// ```
///
/// In each mode of `a`, the steps of tile and rest must nest from 1 without a gap up to the mode's
/// end.
///
/// # Errors
/// Returns [`Rule::Uncounted`] or the errors of [`split`].
pub const fn rounds_up(a: &Flat, size: i64, tile: &Flat, rest: &Flat) -> Result<(), Rule> {
    let mut before = 1i64;
    let mut j = 0;
    while j < a.len() {
        let s = if j + 1 == a.len() {
            size / before
        } else {
            a.shape(j)
        };
        // `found` is the steps of the mode that starts at `covered`, the elements covered so far.
        let mut covered = 1i64;
        while covered < s {
            let (mut found, mut m) = (1i64, 0);
            while m < tile.len() + rest.len() {
                let parts = if m < tile.len() {
                    split(a, tile.shape(m), tile.stride(m))
                } else {
                    split_as_cute(a, rest.shape(m - tile.len()), rest.stride(m - tile.len()))
                };
                let parts = match parts {
                    Ok(parts) => parts,
                    Err(rule) => return Err(rule),
                };
                let mut p = 0;
                while p < parts.len {
                    let part = parts.parts[p];
                    if part.left == j && part.step == covered && part.shape > 1 {
                        if found > 1 {
                            return Err(Rule::Uncounted {
                                left: j,
                                step: covered,
                            });
                        }
                        found = part.shape;
                    }
                    p += 1;
                }
                m += 1;
            }
            if found == 1 {
                return Err(Rule::Uncounted {
                    left: j,
                    step: covered,
                });
            }
            covered = covered.saturating_mul(found);
        }
        before = before.saturating_mul(s);
        j += 1;
    }
    Ok(())
}
