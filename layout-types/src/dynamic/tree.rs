//! Converts layouts to the trees that the functions of [`values`](crate::values) take, and their
//! results back to layouts.
//!
//! ```text
//!   (4,(2,3)):(1,(8,16@1))   <->   Cons(M(4, 1), Cons(Cons(M(2, 8), Cons(M(3, E(1, 16)), Nil)), Nil))
//! ```
//!
//! Law: the layout of a layout's tree is that layout. A number that does not fit in 64 bits is an
//! overflow.

use super::int_tuple::{IntTuple, Nested, Stride};
use super::layout::DynLayout;
use super::rules::{Rule, saturated, stride_in, stride_of};
use crate::values::{Heap, Node, Tag, Value, field, node, number};
use alloc::vec;
use alloc::vec::Vec;

/// Evaluates `f` in a heap of `nodes` nodes, and in larger heaps until `f` has a result.
pub(super) fn evaluate<R>(nodes: usize, mut f: impl FnMut(&mut Heap<'_>) -> Option<R>) -> R {
    let mut nodes = nodes;
    loop {
        let mut room = vec![Node::UNUSED; nodes];
        if let Some(result) = f(&mut Heap::new(&mut room)) {
            return result;
        }
        nodes *= 8;
    }
}

impl DynLayout {
    /// Converts the layout to a tree of modes.
    pub(super) fn to_tree(&self, heap: &mut Heap<'_>) -> Value {
        tree(self.shape(), self.stride(), heap)
    }
}

fn tree(shape: &IntTuple, stride: &Nested<Stride>, heap: &mut Heap<'_>) -> Value {
    match (shape, stride) {
        (Nested::Leaf(extent), Nested::Leaf(stride)) => {
            let integer = stride_of(stride.value(), heap);
            let innermost_first = stride.path().iter().rev();
            let stride = innermost_first.fold(integer, |inner, mode| stride_in(*mode, inner, heap));
            node(Tag::M, [Value::Number(*extent as u64), stride], heap)
        }
        (Nested::Tuple(shapes), Nested::Tuple(strides)) => {
            let mut list = node(Tag::Nil, [], heap);
            for (shape, stride) in shapes.iter().zip(strides).rev() {
                let mode = tree(shape, stride, heap);
                list = node(Tag::Cons, [mode, list], heap);
            }
            list
        }
        _ => unreachable!("a layout's shape and stride are congruent"),
    }
}

/// Converts a tree to a layout.
///
/// # Errors
/// Returns [`Rule::Overflow`].
pub(super) fn layout_of(tree: Value, heap: &Heap<'_>) -> Result<DynLayout, Rule> {
    match heap.tag(tree) {
        Some(Tag::M) => {
            let (shape, stride) = (number(field(tree, 0, heap)), field(tree, 1, heap));
            let shape = i64::try_from(shape).map_err(|_| Rule::Overflow)?;
            Ok(DynLayout::leaf(shape, stride_from(stride, heap)?))
        }
        _ => {
            let (mut modes, mut rest) = (Vec::new(), tree);
            while heap.tag(rest) == Some(Tag::Cons) {
                modes.push(layout_of(field(rest, 0, heap), heap)?);
                rest = field(rest, 1, heap);
            }
            DynLayout::from_modes(modes).map_err(|error| error.rule())
        }
    }
}

fn stride_from(stride: Value, heap: &Heap<'_>) -> Result<Stride, Rule> {
    let (mut path, mut inner) = (Vec::new(), stride);
    while heap.tag(inner) == Some(Tag::E) {
        path.push(number(field(inner, 0, heap)) as usize);
        inner = field(inner, 1, heap);
    }
    let (negative, magnitude) = match heap.tag(inner) {
        Some(Tag::NInt) => (true, field(inner, 0, heap)),
        _ => (false, inner),
    };
    let magnitude = number(magnitude);
    if saturated(magnitude) as u64 != magnitude {
        return Err(Rule::Overflow);
    }
    let scale = saturated(magnitude);
    Ok(Stride::new(if negative { -scale } else { scale }, &path))
}
