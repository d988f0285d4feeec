//! What a notation must satisfy before it becomes a type, each fault at its own token.

use crate::parse::{Fault, MAX, Node};
use proc_macro::Span;

/// A layout: its shape is positive, its stride congruent; a shape alone gets compact column-major strides.
pub fn layout(node: Node) -> Result<Node, Fault> {
    match node {
        Node::Layout(shape, stride) => {
            self::shape(&shape)?;
            congruent(&shape, &stride)?;
            Ok(Node::Layout(shape, stride))
        }
        Node::Type(..) => Ok(Node::Compact(node.into())),
        shape => {
            self::shape(&shape)?;
            let mut step = Some(1);
            match compact(&shape, &mut step)? {
                Some(stride) => Ok(Node::Layout(shape.into(), stride.into())),
                None => Ok(Node::Compact(shape.into())),
            }
        }
    }
}

/// A shape: positive integers, types, and tuples of these.
pub fn shape(node: &Node) -> Result<(), Fault> {
    match node {
        Node::Int(value, span) if *value < 1 => Err(Fault::new(
            *span,
            format!("a shape is a positive integer, not {value}"),
        )),
        Node::Int(..) | Node::Type(..) => Ok(()),
        Node::Tuple(items, _) => items.iter().try_for_each(shape),
        Node::Basis(_, _, span) => Err(Fault::new(
            *span,
            "a scaled basis element can only be a stride",
        )),
        Node::Underscore(span) => Err(Fault::new(
            *span,
            "`_` can stand in a tiler or a coordinate only",
        )),
        Node::Layout(inner, _) | Node::Compact(inner) => Err(Fault::new(
            inner.span(),
            "a layout cannot be an element of a shape",
        )),
    }
}

/// A tiler: layouts as in [`layout`], numbers as in [`shape`], `_`, types and tuples of these.
pub fn tile(node: Node) -> Result<Node, Fault> {
    match node {
        Node::Layout(..) => layout(node),
        Node::Tuple(items, span) => Ok(Node::Tuple(
            items.into_iter().map(tile).collect::<Result<_, _>>()?,
            span,
        )),
        Node::Underscore(_) => Ok(node),
        other => shape(&other).map(|()| other),
    }
}

/// One integer or scaled basis element.
pub fn int(node: &Node) -> Result<(), Fault> {
    match node {
        Node::Int(..) | Node::Basis(..) => Ok(()),
        other => Err(Fault::new(other.span(), "expected one number")),
    }
}

/// The stride has the shape's tuple structure.
fn congruent(shape: &Node, stride: &Node) -> Result<(), Fault> {
    match (shape, stride) {
        (Node::Tuple(shapes, _), Node::Tuple(strides, span)) => {
            if shapes.len() != strides.len() {
                return Err(Fault::new(
                    *span,
                    format!(
                        "the stride has {} elements where the shape has {}",
                        strides.len(),
                        shapes.len()
                    ),
                ));
            }
            shapes
                .iter()
                .zip(strides)
                .try_for_each(|(shape, stride)| congruent(shape, stride))
        }
        (Node::Tuple(..), Node::Int(_, span) | Node::Basis(_, _, span)) => Err(Fault::new(
            *span,
            "the stride is a number where the shape is a tuple",
        )),
        (Node::Int(..), Node::Tuple(_, span)) => Err(Fault::new(
            *span,
            "the stride is a tuple where the shape is a number",
        )),
        (_, Node::Underscore(span)) => Err(Fault::new(
            *span,
            "`_` can stand in a tiler or a coordinate only",
        )),
        (_, Node::Layout(inner, _) | Node::Compact(inner)) => Err(Fault::new(
            inner.span(),
            "a layout cannot be an element of a stride",
        )),
        _ => Ok(()),
    }
}

/// CuTe's compact column-major stride, 0 for size-1 modes; none where a size is a type.
fn compact(shape: &Node, step: &mut Option<i64>) -> Result<Option<Node>, Fault> {
    Ok(match shape {
        Node::Int(1, span) => Some(Node::Int(0, *span)),
        Node::Int(size, span) => match *step {
            None => None,
            Some(stride) => {
                let next = stride.checked_mul(*size).filter(|next| *next <= MAX);
                *step = Some(next.ok_or_else(|| too_large(*span))?);
                Some(Node::Int(stride, *span))
            }
        },
        Node::Tuple(items, span) => {
            let mut strides = Vec::new();
            for item in items {
                match compact(item, step)? {
                    Some(stride) => strides.push(stride),
                    None => return Ok(None),
                }
            }
            Some(Node::Tuple(strides, *span))
        }
        _ => None,
    })
}

fn too_large(span: Span) -> Fault {
    Fault::new(
        span,
        "the size up to this mode is above 2^40, the greatest number of the notation",
    )
}
