//! The functions of the algebra on values: each function that
//! [`functions`](layout_types_macros::functions) declares is here a `const fn`.
//!
//! ```text
//!   Cons<M<U4, U1>, Nil>   is, in a heap,   Node(1) = Cons [Node(0), Constant(Nil)],  Node(0) = M [Number(4), Number(1)]
//! ```
//!
//! [`dynamic`](crate::dynamic) and the checks in constants evaluate these functions, and tests
//! compare them with the types. This module defines the values, and by hand those functions whose
//! types are written by hand as well.
//!
//! Law: no function allocates. If a heap is full, [`Heap::is_full`] says so, and the result has no
//! meaning: the caller computes again in a larger heap. A number that does not fit 64 bits becomes
//! `u64::MAX`.

pub use crate::algebra::borrow::values::*;
pub use crate::algebra::carries::values::*;
pub use crate::algebra::cast::values::*;
pub use crate::algebra::coalescing::values::*;
pub use crate::algebra::common_vectors::values::*;
pub use crate::algebra::complements::values::*;
pub use crate::algebra::compose::values::*;
pub use crate::algebra::compose_list::values::*;
pub use crate::algebra::decide::values::*;
pub use crate::algebra::divide::values::*;
pub use crate::algebra::flatten::values::*;
pub use crate::algebra::inverse::values::*;
pub use crate::algebra::make::values::*;
pub use crate::algebra::modes::values::*;
pub use crate::algebra::nesting::values::*;
pub use crate::algebra::product::values::*;
pub use crate::algebra::shape_tiling::values::*;
pub use crate::kinds::Tag;

/// The largest number of fields of a constructor.
const FIELDS: usize = 4;

/// A value of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A natural number.
    Number(u64),
    /// A constructor without fields.
    Constant(Tag),
    /// A constructor with fields, at this index of the heap.
    Node(usize),
}

/// A constructor and its fields.
#[derive(Clone, Copy)]
pub struct Node {
    tag: Tag,
    fields: [Value; FIELDS],
}

impl Node {
    /// The node that fills an unused place of a heap: the first constructor and numbers, whose
    /// bytes are 0.
    pub const UNUSED: Self = Self {
        tag: Tag::All,
        fields: [Value::Number(0); FIELDS],
    };
}

/// A store of constructors with their fields. A stored node never changes.
pub struct Heap<'n> {
    nodes: &'n mut [Node],
    used: usize,
    pub(crate) full: bool,
}

impl<'n> Heap<'n> {
    /// Creates a heap without nodes that stores its nodes in `nodes`.
    pub const fn new(nodes: &'n mut [Node]) -> Self {
        Heap {
            nodes,
            used: 0,
            full: false,
        }
    }

    /// Removes all nodes: values that were made before become invalid.
    pub const fn clear(&mut self) {
        self.used = 0;
        self.full = false;
    }

    /// Whether a node did not fit.
    pub const fn is_full(&self) -> bool {
        self.full
    }

    /// Returns the constructor of a value, or `None` if the value is a number.
    pub const fn tag(&self, value: Value) -> Option<Tag> {
        match value {
            Value::Number(_) => None,
            Value::Constant(tag) => Some(tag),
            Value::Node(place) => Some(self.nodes[place].tag),
        }
    }

    /// Returns the fields of a value.
    pub const fn fields(&self, value: Value) -> [Value; FIELDS] {
        match value {
            Value::Node(place) => self.nodes[place].fields,
            _ if self.full => [Value::Constant(Tag::Nil); FIELDS],
            _ => panic!("a number or a constant has no fields"),
        }
    }

    /// Returns field `at` of a value.
    pub const fn field(&self, value: Value, at: usize) -> Value {
        self.fields(value)[at]
    }
}

/// Makes a value from a constructor and its fields.
pub const fn node<const K: usize>(tag: Tag, fields: [Value; K], heap: &mut Heap<'_>) -> Value {
    if K == 0 {
        return Value::Constant(tag);
    }
    let (mut all, mut at) = ([Value::Number(0); FIELDS], 0);
    while at < K {
        all[at] = fields[at];
        at += 1;
    }
    heap_node(tag, all, heap)
}

/// Stores a constructor with its fields; numbers fill the places after the last field.
pub(crate) const fn heap_node(tag: Tag, fields: [Value; FIELDS], heap: &mut Heap<'_>) -> Value {
    let place = heap.used;
    if place == heap.nodes.len() {
        heap.full = true;
        return Value::Constant(Tag::Nil);
    }
    heap.nodes[place] = Node { tag, fields };
    heap.used += 1;
    Value::Node(place)
}

/// Whether the value was made by the constructor `tag`.
pub const fn is(value: Value, tag: Tag, heap: &Heap<'_>) -> bool {
    match heap.tag(value) {
        Some(own) => own as u8 == tag as u8,
        None => false,
    }
}

/// Whether the value is the number 0.
pub const fn is_nought(value: Value) -> bool {
    matches!(value, Value::Number(0))
}

/// Whether the value is a number that is at least 1.
pub const fn is_positive(value: Value) -> bool {
    matches!(value, Value::Number(1..))
}

/// Returns field `at` of a value.
pub const fn field(value: Value, at: usize, heap: &Heap<'_>) -> Value {
    heap.field(value, at)
}

/// Returns the number, or 0 for any other value, which occurs only if the heap is full.
pub const fn number(value: Value) -> u64 {
    match value {
        Value::Number(number) => number,
        _ => 0,
    }
}

const fn truth(holds: bool) -> Value {
    Value::Constant(if holds { Tag::True } else { Tag::False })
}

const fn is_true(value: Value) -> bool {
    matches!(value, Value::Constant(Tag::True))
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident($a:ident $(, $b:ident)?) $result:expr;)*) => {$(
        $(#[$doc])*
        pub const fn $name($a: Value, $($b: Value,)? _: &mut Heap<'_>) -> Value {
            let $a = number($a);
            $(let $b = number($b);)?
            $result
        }
    )*};
}
numbers! {
    /// Whether `a == 0`.
    is_zero(a) truth(a == 0);
    /// Whether `a == 1`.
    is_one(a) truth(a == 1);
    /// Whether `a == b`.
    equals(a, b) truth(a == b);
    /// Whether `a >= b`.
    at_least(a, b) truth(a >= b);
    /// Returns `a + b`.
    plus(a, b) Value::Number(a.saturating_add(b));
    /// Returns `a * b`.
    times(a, b) Value::Number(a.saturating_mul(b));
    /// Returns `a + 1`.
    succ(a) Value::Number(a.saturating_add(1));
    /// Returns `a - 1`, or 0 if `a` is 0.
    pred(a) Value::Number(a.saturating_sub(1));
    /// Returns `a - b`, or `Underflow` if `b` is larger.
    checked_sub(a, b) match a.checked_sub(b) {
        Some(rest) => Value::Number(rest),
        None => Value::Constant(Tag::Underflow),
    };
    /// Returns `a / b`, rounded down, or 0 if `b` is 0.
    over(a, b) Value::Number(match a.checked_div(b) { Some(quotient) => quotient, None => 0 });
    /// Returns the remainder of `a / b`, or `a` if `b` is 0.
    rem(a, b) Value::Number(match a.checked_rem(b) { Some(rest) => rest, None => a });
    /// Returns `a / b`, rounded up, or 0 if `b` is 0.
    div_ceil(a, b) Value::Number(if b == 0 { 0 } else { a.div_ceil(b) });
    /// Returns `a - b`, or 0 if `b` is larger.
    minus(a, b) Value::Number(a.saturating_sub(b));
    /// Returns the lowest set bit of `n`, or 1 if `n` is 0.
    lowest_bit(n) Value::Number(if n == 0 { 1 } else { n & n.wrapping_neg() });
    /// Returns the highest set bit of `n`, or 1 if `n` is 0.
    highest_bit(n) Value::Number(if n == 0 { 1 } else { 1 << n.ilog2() });
    /// Counts the bits of `n` that are set.
    ones(n) Value::Number(n.count_ones() as u64);
    /// Returns the bits of `n` below those of the power of two `w`.
    low_bits(n, w) Value::Number(n & w.saturating_sub(1));
    /// Returns the smaller of `a` and `b`.
    least(a, b) Value::Number(if a < b { a } else { b });
    /// Returns the greatest common divisor, or the other number if one number is 0.
    gcd(a, b) {
        let (mut a, mut b) = (a, b);
        while a != 0 {
            (a, b) = (b % a, a);
        }
        Value::Number(b)
    };
    /// Whether `b` divides `a`. The number 0 divides only 0.
    is_multiple(a, b) truth(match a.checked_rem(b) { Some(rest) => rest == 0, None => a == 0 });
}

/// Returns the negation of `a`.
pub const fn not(a: Value, _: &mut Heap<'_>) -> Value {
    truth(!is_true(a))
}
/// Whether both `a` and `b` are true.
pub const fn and(a: Value, b: Value, _: &mut Heap<'_>) -> Value {
    truth(is_true(a) && is_true(b))
}
/// Whether `a` or `b` is true.
pub const fn or(a: Value, b: Value, _: &mut Heap<'_>) -> Value {
    truth(is_true(a) || is_true(b))
}

/// Returns the stride `d` times the number `n`.
pub const fn scale(d: Value, n: Value, heap: &mut Heap<'_>) -> Value {
    match (d, number(n)) {
        (Value::Number(d), n) => Value::Number(d.saturating_mul(n)),
        (d, times) if is(d, Tag::NInt, heap) => {
            if times == 0 {
                return Value::Number(0);
            }
            let scaled = Value::Number(number(field(d, 0, heap)).saturating_mul(times));
            node(Tag::NInt, [scaled], heap)
        }
        (d, _) if is(d, Tag::E, heap) => {
            let scaled = scale(field(d, 1, heap), n, heap);
            node(Tag::E, [field(d, 0, heap), scaled], heap)
        }
        (d, _) => d,
    }
}

/// Whether both strides are the same.
pub const fn same(d: Value, e: Value, heap: &mut Heap<'_>) -> Value {
    truth(match (d, e) {
        (Value::Number(d), Value::Number(e)) => d == e,
        (Value::Number(_), _) | (_, Value::Number(_)) => false,
        (d, e) if is(d, Tag::NInt, heap) && is(e, Tag::NInt, heap) => {
            number(field(d, 0, heap)) == number(field(e, 0, heap))
        }
        (d, e) if is(d, Tag::E, heap) && is(e, Tag::E, heap) => {
            number(field(d, 0, heap)) == number(field(e, 0, heap))
                && is_true(same(field(d, 1, heap), field(e, 1, heap), heap))
        }
        _ => false,
    })
}

/// Returns the stride of one mode as an integer, or `None` for a scaled basis element.
const fn integer(d: Value, heap: &Heap<'_>) -> Option<i64> {
    match d {
        Value::Number(d) => Some(d as i64),
        d if is(d, Tag::NInt, heap) => Some(-(number(field(d, 0, heap)) as i64)),
        _ => None,
    }
}

/// Whether `d` is less than `e`; false if either stride is a scaled basis element.
pub const fn is_less(d: Value, e: Value, heap: &mut Heap<'_>) -> Value {
    truth(match (integer(d, heap), integer(e, heap)) {
        (Some(d), Some(e)) => d < e,
        _ => false,
    })
}

/// Whether the stride is 0.
pub const fn is_null(d: Value, heap: &mut Heap<'_>) -> Value {
    match d {
        Value::Number(d) => truth(d == 0),
        d if is(d, Tag::E, heap) => is_null(field(d, 1, heap), heap),
        _ => truth(false),
    }
}

/// Returns the stride with the opposite sign.
pub const fn opposite(d: Value, heap: &mut Heap<'_>) -> Value {
    match d {
        Value::Number(0) => d,
        Value::Number(_) => node(Tag::NInt, [d], heap),
        d if is(d, Tag::NInt, heap) => field(d, 0, heap),
        d if is(d, Tag::E, heap) => {
            let inner = opposite(field(d, 1, heap), heap);
            node(Tag::E, [field(d, 0, heap), inner], heap)
        }
        d => d,
    }
}

/// Returns the magnitude of a stride: the integer without its sign and without the modes of a basis
/// element.
pub const fn magnitude(d: Value, heap: &mut Heap<'_>) -> Value {
    Value::Number(length(d, heap))
}

/// Returns [`magnitude`] as a number.
const fn length(d: Value, heap: &Heap<'_>) -> u64 {
    match d {
        Value::Number(d) => d,
        d if is(d, Tag::NInt, heap) => number(field(d, 0, heap)),
        d if is(d, Tag::E, heap) => length(field(d, 1, heap), heap),
        _ => 0,
    }
}

/// Returns the same tree with the sign of each stride changed.
pub const fn negated(t: Value, heap: &mut Heap<'_>) -> Value {
    if is(t, Tag::M, heap) {
        let stride = opposite(field(t, 1, heap), heap);
        return node(Tag::M, [field(t, 0, heap), stride], heap);
    }
    if is(t, Tag::Nil, heap) {
        return t;
    }
    let first = negated(field(t, 0, heap), heap);
    let others = negated(field(t, 1, heap), heap);
    node(Tag::Cons, [first, others], heap)
}

/// Returns the list of the top-level modes; a leaf is its own only mode.
pub const fn modes_of(t: Value, heap: &mut Heap<'_>) -> Value {
    if is(t, Tag::M, heap) {
        node(Tag::Cons, [t, Value::Constant(Tag::Nil)], heap)
    } else {
        t
    }
}

/// Counts the top-level modes; a leaf counts as one.
pub const fn rank(t: Value, heap: &mut Heap<'_>) -> Value {
    let mut modes = modes_of(t, heap);
    let mut rank = 0;
    while is(modes, Tag::Cons, heap) {
        modes = field(modes, 1, heap);
        rank += 1;
    }
    Value::Number(rank)
}

/// Returns the shapes of the leaves, in the same tree.
pub const fn shape_of(t: Value, heap: &mut Heap<'_>) -> Value {
    if is(t, Tag::M, heap) {
        return field(t, 0, heap);
    }
    if is(t, Tag::Nil, heap) {
        return t;
    }
    let first = shape_of(field(t, 0, heap), heap);
    let others = shape_of(field(t, 1, heap), heap);
    node(Tag::Cons, [first, others], heap)
}

/// Returns the first mode, or `1:0` if the list is empty.
pub const fn head(list: Value, heap: &mut Heap<'_>) -> Value {
    if is(list, Tag::Cons, heap) {
        return field(list, 0, heap);
    }
    node(Tag::M, [Value::Number(1), Value::Number(0)], heap)
}

/// Returns the list without its first mode.
pub const fn tail(list: Value, heap: &mut Heap<'_>) -> Value {
    if is(list, Tag::Cons, heap) {
        return field(list, 1, heap);
    }
    list
}

/// Returns the modes of `list` followed by those of `more`.
pub const fn concat(list: Value, more: Value, heap: &mut Heap<'_>) -> Value {
    if !is(list, Tag::Cons, heap) {
        return more;
    }
    let others = concat(field(list, 1, heap), more, heap);
    node(Tag::Cons, [field(list, 0, heap), others], heap)
}

/// Returns the list of the modes of `t`, or, if `t` has exactly one mode, the list that contains
/// `t` itself.
pub const fn spliced(t: Value, heap: &mut Heap<'_>) -> Value {
    let nil = Value::Constant(Tag::Nil);
    if is(t, Tag::M, heap) {
        return node(Tag::Cons, [t, nil], heap);
    }
    if is(t, Tag::Cons, heap) && !is(field(t, 1, heap), Tag::Cons, heap) {
        return node(Tag::Cons, [t, nil], heap);
    }
    t
}

/// Returns the product of all shapes.
pub const fn size(t: Value, heap: &mut Heap<'_>) -> Value {
    if is(t, Tag::M, heap) {
        return field(t, 0, heap);
    }
    if is(t, Tag::Nil, heap) {
        return Value::Number(1);
    }
    let first = size(field(t, 0, heap), heap);
    let others = size(field(t, 1, heap), heap);
    times(first, others, heap)
}

/// Returns the greatest offset, where each stride counts by its magnitude.
pub const fn reach(t: Value, heap: &mut Heap<'_>) -> Value {
    if is(t, Tag::M, heap) {
        let steps = number(field(t, 0, heap)).saturating_sub(1);
        return Value::Number(steps.saturating_mul(length(field(t, 1, heap), heap)));
    }
    if is(t, Tag::Nil, heap) {
        return Value::Number(0);
    }
    let first = reach(field(t, 0, heap), heap);
    let others = reach(field(t, 1, heap), heap);
    plus(first, others, heap)
}

/// Inserts `first` before the modes of a result. A refusal at a mode then names the next mode; any
/// other outcome stays the same.
pub const fn behind(o: Value, first: Value, heap: &mut Heap<'_>) -> Value {
    if is(o, Tag::Done, heap) {
        let others = modes_of(field(o, 0, heap), heap);
        let tree = node(Tag::Cons, [first, others], heap);
        return node(Tag::Done, [tree, field(o, 1, heap)], heap);
    }
    if !is(o, Tag::Refused, heap) {
        return o;
    }
    let mut way = field(o, 3, heap);
    if is(way, Tag::Mode, heap) {
        let next = succ(field(way, 0, heap), heap);
        way = node(Tag::Mode, [next, field(way, 1, heap)], heap);
    }
    let (why, shape, stride) = (field(o, 0, heap), field(o, 1, heap), field(o, 2, heap));
    node(Tag::Refused, [why, shape, stride, way], heap)
}

/// Simplifies the tree of a result: a list of one mode becomes the mode, and the empty list becomes
/// `1:0`.
pub const fn simplest_outcome(o: Value, heap: &mut Heap<'_>) -> Value {
    if !is(o, Tag::Done, heap) {
        return o;
    }
    let modes = modes_of(field(o, 0, heap), heap);
    let tree = simplest(modes, heap);
    node(Tag::Done, [tree, field(o, 1, heap)], heap)
}

/// Whether the shape is a number.
pub const fn is_number(s: Value, _: &mut Heap<'_>) -> Value {
    truth(matches!(s, Value::Number(_)))
}

/// Returns the product of a shape's numbers.
pub const fn shape_size(s: Value, heap: &mut Heap<'_>) -> Value {
    match s {
        Value::Number(_) => s,
        s if is(s, Tag::Nil, heap) => Value::Number(1),
        s => {
            let first = shape_size(field(s, 0, heap), heap);
            let others = shape_size(field(s, 1, heap), heap);
            times(first, others, heap)
        }
    }
}

/// Divides a shape by a number leaf by leaf. Returns the product of the quotients, each rounded up,
/// and what remains of the number.
const fn ceil_product(s: Value, by: u64, heap: &Heap<'_>) -> (u64, u64) {
    match s {
        Value::Number(s) => (
            if by == 0 { 0 } else { s.div_ceil(by) },
            if s == 0 { 0 } else { by.div_ceil(s) },
        ),
        s if is(s, Tag::Nil, heap) => (1, by),
        s => {
            let (first, by) = ceil_product(field(s, 0, heap), by, heap);
            let (others, by) = ceil_product(field(s, 1, heap), by, heap);
            (first.saturating_mul(others), by)
        }
    }
}

/// Returns how often a block of `cur` offsets has to be repeated to cover the shape.
pub const fn repeats(s: Value, cur: Value, heap: &mut Heap<'_>) -> Value {
    Value::Number(ceil_product(s, number(cur), heap).0)
}

/// Returns `sum + n * d`.
pub const fn add_times(d: Value, n: Value, sum: Value, heap: &mut Heap<'_>) -> Value {
    if !is(sum, Tag::SumOf, heap) || is(d, Tag::E, heap) {
        return Value::Constant(Tag::NoSum);
    }
    let steps = number(n).saturating_mul(length(d, heap));
    let (up, down) = (number(field(sum, 0, heap)), number(field(sum, 1, heap)));
    let (up, down) = if is(d, Tag::NInt, heap) {
        (up, down.saturating_add(steps))
    } else {
        (up.saturating_add(steps), down)
    };
    node(Tag::SumOf, [Value::Number(up), Value::Number(down)], heap)
}

/// Whether `n` points are few enough to be compared one by one.
pub const fn are_few(n: Value, _: &mut Heap<'_>) -> Value {
    truth(number(n) <= crate::dynamic::rules::MAX_POINTS as u64)
}

/// Returns the scale of `d` if it has the same basis as `along` (both are integers, or both are
/// scaled basis elements of the same modes), or 0 otherwise.
const fn scale_along(d: Value, along: Value, heap: &Heap<'_>) -> i128 {
    match (heap.tag(d), heap.tag(along)) {
        (Some(Tag::E), Some(Tag::E)) => {
            if number(field(d, 0, heap)) != number(field(along, 0, heap)) {
                return 0;
            }
            scale_along(field(d, 1, heap), field(along, 1, heap), heap)
        }
        (Some(Tag::E), _) | (_, Some(Tag::E)) => 0,
        (Some(Tag::NInt), _) => -(length(d, heap) as i128),
        _ => length(d, heap) as i128,
    }
}

/// Returns the offset of a tree, or of a list of digits, at an index. Only strides with the same
/// basis as `along` count.
const fn offset_at(t: Value, at: u64, along: Value, heap: &Heap<'_>) -> i128 {
    let (first, others) = match heap.tag(t) {
        Some(Tag::M) => return at as i128 * scale_along(field(t, 1, heap), along, heap),
        Some(Tag::End) => return at as i128 * scale_along(field(t, 2, heap), along, heap),
        Some(Tag::Digit) => (number(field(t, 0, heap)), field(t, 3, heap)),
        Some(Tag::Cons) => (size_of(field(t, 0, heap), heap), field(t, 1, heap)),
        _ => return 0,
    };
    if first == 0 {
        return 0;
    }
    let others = offset_at(others, at / first, along, heap);
    let own = at % first;
    others.wrapping_add(if is(t, Tag::Digit, heap) {
        own as i128 * scale_along(field(t, 2, heap), along, heap)
    } else {
        offset_at(field(t, 0, heap), own, along, heap)
    })
}

const fn size_of(t: Value, heap: &Heap<'_>) -> u64 {
    match heap.tag(t) {
        Some(Tag::M) => number(field(t, 0, heap)),
        Some(Tag::Cons) => {
            let first = size_of(field(t, 0, heap), heap);
            first.saturating_mul(size_of(field(t, 1, heap), heap))
        }
        _ => 1,
    }
}

/// Whether `t(i) == x(b(i))` for each `i` below `n`.
pub const fn same_points(n: Value, x: Value, b: Value, t: Value, heap: &mut Heap<'_>) -> Value {
    truth(first_difference(number(n), x, b, t, heap) == number(n))
}

/// Returns the first `i` below `n` with `t(i) != x(b(i))` in the basis of any stride of `x`, or `n`
/// if there is no such `i`. At a negative offset, `x(-i) == -x(i)`.
pub const fn first_difference(n: u64, x: Value, b: Value, t: Value, heap: &Heap<'_>) -> u64 {
    let mut i = 0;
    while i < n && !heap.is_full() {
        let at = offset_at(b, i, Value::Number(1), heap);
        let index = at.unsigned_abs() as u64;
        let (mut digits, mut integers) = (x, false);
        while let Some(Tag::Digit | Tag::End) = heap.tag(digits) {
            let along = field(digits, 2, heap);
            // All integers have the same basis.
            if !integers || is(along, Tag::E, heap) {
                let through = offset_at(x, index, along, heap);
                let through = if at < 0 { -through } else { through };
                if through != offset_at(t, i, along, heap) {
                    return i;
                }
                integers = integers || !is(along, Tag::E, heap);
            }
            digits = if is(digits, Tag::Digit, heap) {
                field(digits, 3, heap)
            } else {
                Value::Constant(Tag::Start)
            };
        }
        i += 1;
    }
    n
}

/// Returns false, so that [`can_multiply`] decides. The types have a shortcut for small numbers
/// here.
pub const fn has_room(_: Value, _: Value, _: &mut Heap<'_>) -> Value {
    truth(false)
}

/// Whether two exponents of two add up to at most 58: the exponent of the size of `a`, with each
/// shape rounded up to a power of two, and the exponent of the longest leaf of `b`.
pub const fn can_multiply(a: Value, b: Value, heap: &mut Heap<'_>) -> Value {
    let (size, _) = logs(a, heap);
    let (_, span) = logs(b, heap);
    truth(size + span <= 58)
}

/// Returns two exponents of two: of a tree's size, with each shape rounded up, and of the tree's
/// longest leaf.
const fn logs(t: Value, heap: &Heap<'_>) -> (u32, u32) {
    match heap.tag(t) {
        Some(Tag::M) => {
            let shape = ceil_exponent(number(field(t, 0, heap)));
            let steps = if shape == 0 { 1 } else { shape };
            let stride = length(field(t, 1, heap), heap);
            (shape, steps + ceil_exponent(stride))
        }
        Some(Tag::Cons) => {
            let first = logs(field(t, 0, heap), heap);
            let others = logs(field(t, 1, heap), heap);
            let longest = if first.1 > others.1 {
                first.1
            } else {
                others.1
            };
            (first.0 + others.0, longest)
        }
        _ => (0, 0),
    }
}

const fn ceil_exponent(n: u64) -> u32 {
    match n {
        0 | 1 => 0,
        n => (n - 1).ilog2() + 1,
    }
}
