//! The properties of a layout, as numbers and truth values.
//!
//! ```text
//! (4,2):(2,1)    size 8, cosize 8, rank 2, depth 1, injective, compact, 1 contiguous, vectors of 8
//! ```
//!
//! Law: `size` counts coordinates, and every offset is below `cosize`. Injective: no two elements
//! share an offset. Compact: the offsets are `0..size`, each once. `contiguous`: the elements
//! `0..contiguous` lie next to each other. `vector`: the largest V such that the offsets, in any
//! order of the indices, fall into groups of V consecutive offsets, each beginning at a multiple of
//! V (CuTe's `max_alignment`).

use std::fmt;

use layout_types::dynamic::{
    AnyLayout, Domain, Nested, Stride, coalesce, coshape, cosize, is_compact, is_injective,
    max_alignment_any,
};

use crate::limits::MAX_CELLS;
use crate::value::Value;

/// The properties of a layout. A field is `None` if the layout has too many elements to look at, or
/// if the property is not defined for strides that name modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Laws {
    /// The number of elements.
    pub size: Option<i64>,
    /// One past the largest offset, after any swizzles. If strides name modes, offsets are
    /// coordinates, and this is the smallest shape that contains them.
    pub cosize: Option<String>,
    /// The number of modes.
    pub rank: usize,
    /// The number of levels of nesting.
    pub depth: usize,
    /// Whether no two elements share an offset.
    pub injective: Option<bool>,
    /// Whether the offsets are `0..size`, each once.
    pub compact: Option<bool>,
    /// The number of elements from index 0 on that lie next to each other.
    pub contiguous: Option<i64>,
    /// CuTe's `max_alignment`: the widest vector of elements that the layout allows everywhere.
    pub vector: Option<i64>,
}

impl Laws {
    /// Derives the properties of a layout.
    ///
    /// ```
    /// use notation::Laws;
    /// let laws = Laws::of(&"Sw<2,3,3> o 0 o (8,32):(32,1)".parse().unwrap());
    /// assert_eq!((laws.size, laws.injective, laws.compact), (Some(256), Some(true), Some(true)));
    /// assert_eq!((laws.contiguous, laws.vector), (Some(1), Some(8))); // a column is not contiguous, 8 of a row are
    /// let row = Laws::of(&"Sw<1,3,3> o 48 o 40:1".parse().unwrap()); // offsets 80 to 87 are swizzled to 88 to 95
    /// assert_eq!(row.cosize.as_deref(), Some("96"));
    /// ```
    #[must_use]
    pub fn of(layout: &AnyLayout) -> Self {
        let domain = layout.domain();
        let size = domain.size().ok();
        let small = size.is_some_and(|size| size <= MAX_CELLS);
        let cosize = if domain.has_basis() {
            coshape(layout).ok().map(|shape| shape.to_string())
        } else {
            reach(layout, small).map(|size| size.to_string())
        };
        Self {
            size,
            cosize,
            rank: domain.rank(),
            depth: domain.depth(),
            injective: small.then(|| is_injective(layout).ok()).flatten(),
            compact: small.then(|| is_compact(layout).ok()).flatten(),
            contiguous: contiguous(layout, small),
            vector: max_alignment_any(layout).ok(),
        }
    }

    /// Derives the properties of a value that is a layout or has one.
    #[must_use]
    pub fn of_value(value: &Value) -> Option<Self> {
        match value {
            Value::Integer(_) | Value::Tuple(_) => None,
            other => other.layout().map(|layout| Self::of(&layout)),
        }
    }
}

/// Returns one past the largest offset. For a small layout with swizzles, every element is looked
/// at; for a large one, the result is rounded up to a multiple of the block that the swizzle
/// permutes.
fn reach(layout: &AnyLayout, small: bool) -> Option<i64> {
    let AnyLayout::Composed(outer) = layout else {
        return cosize(layout).ok();
    };
    if small {
        return Some(1 + layout.table().ok()?.into_iter().max()?);
    }
    let linear = reach(outer.inner(), small)?.checked_add(outer.offset())?;
    let swizzle = outer.swizzle();
    if linear <= swizzle.first_moved() {
        return Some(linear);
    }
    let block = 1i64 << (64 - swizzle.zzz_mask().leading_zeros());
    linear.checked_add(block - 1).map(|end| end / block * block)
}

/// Returns the extent of the coalesced layout's first mode if this mode has stride 1, else 1. For a
/// small layout with swizzles, the elements are counted one by one.
fn contiguous(layout: &AnyLayout, small: bool) -> Option<i64> {
    if let AnyLayout::Plain(plain) = layout {
        let flat = coalesce(plain).ok()?;
        let first = flat.mode(0)?;
        return Some(match (first.stride(), first.shape()) {
            (Nested::Leaf(stride), Nested::Leaf(extent)) if *stride == Stride::from(1) => *extent,
            _ => 1,
        });
    }
    let size = layout.size().ok().filter(|_| small)?;
    let start = layout.offset(0).ok()?;
    let run = (1..size).take_while(|i| layout.offset(*i).ok() == Some(start + i));
    Some(1 + run.count() as i64)
}

impl fmt::Display for Laws {
    /// Prints the properties on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |n: Option<i64>| n.map_or("too large".to_string(), |n| n.to_string());
        write!(f, "size {}", number(self.size))?;
        if let Some(cosize) = &self.cosize {
            write!(f, ", cosize {cosize}")?;
        }
        write!(f, ", rank {}, depth {}", self.rank, self.depth)?;
        for (law, holds) in [("injective", self.injective), ("compact", self.compact)] {
            match holds {
                Some(true) => write!(f, ", {law}")?,
                Some(false) => write!(f, ", not {law}")?,
                None => {}
            }
        }
        if let Some(contiguous) = self.contiguous {
            write!(f, ", {contiguous} contiguous")?;
        }
        if let Some(vector) = self.vector {
            write!(f, ", vectors of {vector}")?;
        }
        Ok(())
    }
}
