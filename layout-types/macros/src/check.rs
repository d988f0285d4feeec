//! The conditions that a notation must satisfy before it becomes a type, with each fault at its own
//! token.

use crate::parse::{Fault, MAX, Node};
use proc_macro::Span;

/// Checks a layout: its shape is positive, and its stride congruent. A shape without a stride gets
/// compact column-major strides.
pub fn layout(node: Node) -> Result<Node, Fault> {
    match node {
        Node::Layout(shape, stride) => {
            self::shape(&shape)?;
            congruent(&shape, &stride)?;
            let mut range = Range::default();
            range.layout(&shape, &stride, 0)?;
            Ok(Node::Layout(shape, stride))
        }
        Node::Type(..) => Ok(Node::Compact(node.into())),
        shape => {
            self::shape(&shape)?;
            fits(&shape)?;
            let mut step = Some(1);
            match compact(&shape, &mut step)? {
                Some(stride) => Ok(Node::Layout(shape.into(), stride.into())),
                None => Ok(Node::Compact(shape.into())),
            }
        }
    }
}

/// The largest number of leaves of a layout or shape, and its deepest nesting:
/// `dynamic::rules::MAX_MODES` and `MAX_DEPTH` of layout_types.
const MAX_LEAVES: usize = 32;
const MAX_DEPTH: usize = 16;

/// The number of leaves of a layout, and the size and the reach of those leaves that are numbers.
struct Range {
    leaves: usize,
    size: i64,
    reach: i64,
}
impl Default for Range {
    fn default() -> Self {
        Self {
            leaves: 0,
            size: 1,
            reach: 0,
        }
    }
}
impl Range {
    fn leaf(&mut self, shape: &Node) -> Result<i64, Fault> {
        self.leaves += 1;
        if self.leaves > MAX_LEAVES {
            return Err(Fault::new(
                shape.span(),
                format!("a layout has at most {MAX_LEAVES} leaves"),
            ));
        }
        let Node::Int(extent, span) = shape else {
            return Ok(1);
        };
        self.size = self
            .size
            .checked_mul(*extent)
            .ok_or_else(|| Fault::new(*span, "the size up to this mode does not fit in 64 bits"))?;
        Ok(*extent)
    }

    fn depth(depth: usize, node: &Node) -> Result<(), Fault> {
        if depth < MAX_DEPTH {
            return Ok(());
        }
        Err(Fault::new(
            node.span(),
            format!("a layout is nested at most {MAX_DEPTH} deep"),
        ))
    }

    /// Adds the leaves of a shape.
    fn shape(&mut self, shape: &Node, depth: usize) -> Result<(), Fault> {
        match shape {
            Node::Tuple(shapes, _) => {
                Self::depth(depth, shape)?;
                shapes
                    .iter()
                    .try_for_each(|shape| self.shape(shape, depth + 1))
            }
            leaf => self.leaf(leaf).map(|_| ()),
        }
    }

    /// Adds the leaves of a congruent shape and stride.
    fn layout(&mut self, shape: &Node, stride: &Node, depth: usize) -> Result<(), Fault> {
        match (shape, stride) {
            (Node::Tuple(shapes, _), Node::Tuple(strides, _)) => {
                Self::depth(depth, shape)?;
                shapes
                    .iter()
                    .zip(strides)
                    .try_for_each(|(shape, stride)| self.layout(shape, stride, depth + 1))
            }
            (leaf, Node::Int(step, span)) => {
                let extent = self.leaf(leaf)?;
                let reach = (extent - 1)
                    .checked_mul(step.abs())
                    .and_then(|span| span.checked_add(self.reach))
                    .filter(|reach| *reach < i64::MAX);
                self.reach = reach.ok_or_else(|| {
                    Fault::new(
                        *span,
                        "the greatest offset up to this mode does not fit in 64 bits",
                    )
                })?;
                Ok(())
            }
            (shape, _) => self.shape(shape, depth),
        }
    }
}

/// Checks that the size of a shape fits.
pub fn fits(node: &Node) -> Result<(), Fault> {
    Range::default().shape(node, 0)
}

/// Checks a shape: positive integers, types, and tuples of these.
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

/// Checks a tiler: layouts as in [`layout`], numbers as in [`shape`], `_`, types and tuples of
/// these.
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

/// Checks for one integer or scaled basis element.
pub fn int(node: &Node) -> Result<(), Fault> {
    match node {
        Node::Int(..) | Node::Basis(..) => Ok(()),
        other => Err(Fault::new(other.span(), "expected one number")),
    }
}

/// Checks that the stride has the shape's tuple structure.
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

/// Returns CuTe's compact column-major stride, which is 0 for modes of size 1, or `None` if a size
/// is a type.
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
