//! Converts between flat lists of modes and layouts as trees, which the functions of
//! [`values`](crate::values) take.
//!
//! A *line* is the part of a layout that a stride names: all integers lie on one line, and two
//! scaled basis elements lie on the same line if they name the same modes.
//!
//! ```text
//!   Flat  shape [4, 6], stride [6, 1]    <->    Cons(M(4, 6), Cons(M(6, 1), Nil))      in a heap
//!   E(1, E(0, 3))   the stride 3@0@1, on the line of mode 0 of mode 1
//! ```
//!
//! Law: a stride of 0 is the number 0, and lies on no line.

use super::{Flat, MAX_MODES, Rule};
use crate::kinds::Tag;
use crate::values::{Heap, Value, field, head, is, modes_of, node, number, rank, tail};

/// Converts an integer to a stride.
pub(crate) const fn stride_of(integer: i64, heap: &mut Heap<'_>) -> Value {
    let magnitude = Value::Number(integer.unsigned_abs());
    if integer < 0 {
        node(Tag::NInt, [magnitude], heap)
    } else {
        magnitude
    }
}

/// Returns the stride `stride@mode`.
pub(crate) const fn stride_in(mode: usize, stride: Value, heap: &mut Heap<'_>) -> Value {
    if integer_of(stride, heap) == 0 {
        return stride;
    }
    node(Tag::E, [Value::Number(mode as u64), stride], heap)
}

/// Returns the integer of a stride, without the modes that the stride names. It saturates at 64
/// bits.
pub(crate) const fn integer_of(stride: Value, heap: &Heap<'_>) -> i64 {
    match heap.tag(stride) {
        Some(Tag::E) => integer_of(field(stride, 1, heap), heap),
        Some(Tag::NInt) => -saturated(number(field(stride, 0, heap))),
        _ => saturated(number(stride)),
    }
}

/// Returns the number, saturated at `i64::MAX`.
pub(crate) const fn saturated(n: u64) -> i64 {
    if n > i64::MAX as u64 {
        i64::MAX
    } else {
        n as i64
    }
}

/// Converts a flat layout to the list of its modes.
pub(super) const fn tree_of(flat: &Flat, heap: &mut Heap<'_>) -> Value {
    let mut list = node(Tag::Nil, [], heap);
    let mut i = flat.len();
    while i > 0 {
        i -= 1;
        let mut stride = stride_of(flat.stride(i), heap);
        if flat.basis(i) > 0 {
            stride = stride_in(flat.basis(i) as usize, stride, heap);
        }
        let mode = node(Tag::M, [Value::Number(flat.shape(i) as u64), stride], heap);
        list = node(Tag::Cons, [mode, list], heap);
    }
    list
}

/// The leaves of a tree, left to right.
#[derive(Clone, Copy)]
pub(super) struct Leaves {
    pub(super) len: usize,
    shapes: [Value; MAX_MODES],
    pub(super) strides: [Value; MAX_MODES],
}

impl Leaves {
    pub(super) const fn of(tree: Value, heap: &Heap<'_>) -> Self {
        let mut out = Self {
            len: 0,
            shapes: [Value::Number(1); MAX_MODES],
            strides: [Value::Number(0); MAX_MODES],
        };
        out.collect(tree, heap);
        out
    }

    pub(super) const fn shape(&self, i: usize) -> i64 {
        saturated(number(self.shapes[i]))
    }

    /// Returns the integer of stride `i`, without the modes that the stride names.
    pub(super) const fn integer(&self, i: usize, heap: &Heap<'_>) -> i64 {
        integer_of(self.strides[i], heap)
    }

    const fn collect(&mut self, tree: Value, heap: &Heap<'_>) {
        if is(tree, Tag::M, heap) && self.len < MAX_MODES {
            self.shapes[self.len] = field(tree, 0, heap);
            self.strides[self.len] = field(tree, 1, heap);
            self.len += 1;
        } else if is(tree, Tag::Cons, heap) {
            self.collect(field(tree, 0, heap), heap);
            self.collect(field(tree, 1, heap), heap);
        }
    }
}

/// Whether both strides name the same part of a layout.
pub(super) const fn on_one_line(one: Value, other: Value, heap: &Heap<'_>) -> bool {
    match (heap.tag(one), heap.tag(other)) {
        (Some(Tag::E), Some(Tag::E)) => {
            number(field(one, 0, heap)) == number(field(other, 0, heap))
                && on_one_line(field(one, 1, heap), field(other, 1, heap), heap)
        }
        (Some(Tag::E), _) | (_, Some(Tag::E)) => false,
        _ => true,
    }
}

/// Whether `other` names a part of the mode that `one` names.
pub(super) const fn names_more(one: Value, other: Value, heap: &Heap<'_>) -> bool {
    match (heap.tag(one), heap.tag(other)) {
        (Some(Tag::E), Some(Tag::E)) => {
            number(field(one, 0, heap)) == number(field(other, 0, heap))
                && names_more(field(one, 1, heap), field(other, 1, heap), heap)
        }
        (Some(Tag::E), _) => false,
        (_, Some(Tag::E)) => true,
        _ => false,
    }
}

/// Returns the part of a layout that a stride names.
pub(super) const fn part_of(
    layout: Value,
    stride: Value,
    heap: &mut Heap<'_>,
) -> Result<Value, Rule> {
    let (mut part, mut stride) = (layout, stride);
    while is(stride, Tag::E, heap) {
        let mode = number(field(stride, 0, heap)) as usize;
        let rank = number(rank(part, heap)) as usize;
        if mode >= rank {
            return Err(Rule::NoSuchMode { mode, rank });
        }
        let (mut modes, mut i) = (modes_of(part, heap), 0);
        while i < mode {
            modes = tail(modes, heap);
            i += 1;
        }
        part = head(modes, heap);
        stride = field(stride, 1, heap);
    }
    Ok(part)
}

/// Returns the layout without nesting. Lines (parts that strides name) are numbered from 1.
pub(super) const fn flat_of(tree: Value, heap: &Heap<'_>) -> Flat {
    let leaves = Leaves::of(tree, heap);
    let (mut flat, mut i) = (Flat::new(), 0);
    while i < leaves.len {
        let stride = leaves.strides[i];
        let mut line = 0;
        if is(stride, Tag::E, heap) {
            // The line is the number of the first leaf on it.
            while !on_one_line(leaves.strides[line], stride, heap) {
                line += 1;
            }
            line += 1;
        }
        // There are at most `MAX_MODES` leaves, so the push succeeds.
        let _ = flat.push(leaves.shape(i), leaves.integer(i, heap), line as u8);
        i += 1;
    }
    flat
}
