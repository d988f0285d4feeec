//! Converts a layout of `dynamic` to a constant value, so that the checks of types also check
//! values.

use alloc::vec::Vec;

use super::value::{MAX_NODES, Node, Value};
use crate::dynamic::{AnyLayout, DynLayout, Nested, Stride};

impl Value {
    /// Converts a layout to a value. Returns `None` if the layout has more nodes than
    /// [`MAX_NODES`], a swizzle that the notation cannot write, or a stride in more than three
    /// modes.
    ///
    /// ```
    /// use layout_types::check::{Reflect, Value};
    /// use layout_types::{dynamic::AnyLayout, prelude::*};
    /// let layout: AnyLayout = "(4,2):(2,1)".parse().unwrap();
    /// assert!(Value::of_layout(&layout).unwrap().same(&<layout!((4,2):(2,1))>::VALUE));
    /// ```
    #[must_use]
    pub fn of_layout(layout: &AnyLayout) -> Option<Self> {
        let mut nodes = Vec::new();
        any(layout, &mut nodes)?;
        if nodes.len() > MAX_NODES {
            return None;
        }
        let (first, rest) = nodes.split_first()?;
        let out = Self::of(*first);
        Some(
            rest.iter()
                .fold(out, |out, node| out.then(&Self::of(*node))),
        )
    }
}

fn any(layout: &AnyLayout, nodes: &mut Vec<Node>) -> Option<()> {
    match layout {
        AnyLayout::Plain(plain) => plain_nodes(plain, nodes),
        AnyLayout::Composed(outer) => {
            let swizzle = outer.swizzle();
            nodes.push(Node::Composed);
            nodes.push(Node::Swizzle {
                bits: swizzle.bits().try_into().ok()?,
                base: swizzle.base().try_into().ok()?,
                shift: swizzle.shift().try_into().ok()?,
            });
            nodes.push(Node::Int(outer.offset()));
            any(outer.inner(), nodes)
        }
    }
}

fn plain_nodes(layout: &DynLayout, nodes: &mut Vec<Node>) -> Option<()> {
    nodes.push(Node::Layout);
    tree(layout.shape(), nodes, &|extent| Some(Node::Int(*extent)))?;
    tree(layout.stride(), nodes, &step)
}

/// Appends the nodes of a tuple in preorder.
fn tree<T>(
    tuple: &Nested<T>,
    nodes: &mut Vec<Node>,
    leaf: &impl Fn(&T) -> Option<Node>,
) -> Option<()> {
    match tuple {
        Nested::Leaf(value) => nodes.push(leaf(value)?),
        Nested::Tuple(modes) => {
            nodes.push(Node::Tuple(modes.len()));
            for mode in modes {
                tree(mode, nodes, leaf)?;
            }
        }
    }
    Some(())
}

fn step(stride: &Stride) -> Option<Node> {
    if !stride.is_basis() {
        return Some(Node::Int(stride.value()));
    }
    let path = stride.path();
    if path.len() > 3 {
        return None;
    }
    let mut modes = [0; 3];
    // A path is printed innermost first and stored outermost first.
    for (mode, &at) in modes.iter_mut().zip(path.iter().rev()) {
        *mode = at.try_into().ok()?;
    }
    Some(Node::Basis {
        scale: stride.value(),
        modes,
        depth: path.len() as u8,
    })
}
