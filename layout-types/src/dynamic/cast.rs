//! Converts a layout to other units: `upcast`, `downcast`, `recast`.
//!
//! ```text
//! (8,4):(1,8) halfs   upcast by 2:  (4,4):(1,4) words    downcast by 2 brings it back
//! Sw<3,3,3> o 0 o (8,64):(64,1)     upcast by 8:  Sw<3,0,3> o 0 o (8,8):(8,1)
//! ```
//!
//! Law of an exact upcast by `n`: the result's offset times `n` is the layout's offset at the first
//! element of each unit. Source: `cute/layout.hpp`, "Upcast", "Downcast", "Recast".

use super::composed::{AnyLayout, Composed};
use super::int_tuple::Stride;
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::parse::{LayoutError, Result};
use super::rules::{self, Rule, gcd};

type LeafFn = fn(i64, i64, i64) -> core::result::Result<(i64, i64), Rule>;

/// Applies `f` to every leaf of a layout.
fn leaves(operation: &'static str, layout: &DynLayout, n: i64, f: LeafFn) -> Result<DynLayout> {
    fn walk(
        shape: &IntTuple,
        stride: &Nested<Stride>,
        n: i64,
        f: LeafFn,
        at: &mut alloc::vec::Vec<usize>,
    ) -> core::result::Result<(IntTuple, Nested<Stride>), Rule> {
        match (shape, stride) {
            (Nested::Leaf(_), Nested::Leaf(stride)) if stride.is_basis() => Err(Rule::BasisStride),
            (Nested::Leaf(extent), Nested::Leaf(stride)) => {
                let (extent, stride) = f(*extent, stride.value(), n)?;
                Ok((Nested::Leaf(extent), Nested::Leaf(stride.into())))
            }
            (Nested::Tuple(shapes), Nested::Tuple(strides)) => {
                let mut out = (alloc::vec::Vec::new(), alloc::vec::Vec::new());
                for (i, (shape, stride)) in shapes.iter().zip(strides).enumerate() {
                    at.push(i);
                    let (shape, stride) = walk(shape, stride, n, f, at)?;
                    at.pop();
                    out.0.push(shape);
                    out.1.push(stride);
                }
                Ok((Nested::Tuple(out.0), Nested::Tuple(out.1)))
            }
            _ => Err(Rule::Congruence),
        }
    }
    let mut at = alloc::vec::Vec::new();
    let (shape, stride) = walk(layout.shape(), layout.stride(), n, f, &mut at)
        .map_err(|rule| LayoutError::new(operation, &[layout, &n], rule).at(&at))?;
    DynLayout::new(shape, stride)
}

/// Layouts that can be converted to larger or smaller units of elements.
pub trait Cast: Sized {
    /// Joins `n` neighbouring elements into one element, and rounds shapes up, as CuTe does.
    ///
    /// # Errors
    /// Returns [`Rule::CastStride`] unless every stride divides `n` or is a multiple of it;
    /// [`Rule::NotPositive`]; [`Rule::BasisStride`]; or for swizzles [`Rule::NotPowerOfTwo`] or
    /// [`Rule::SwizzleTorn`].
    fn upcast(&self, n: i64) -> Result<Self>;

    /// Joins elements like [`upcast`](Self::upcast), but refuses a layout whose elements do not
    /// fill whole units.
    ///
    /// # Errors
    /// Returns the errors of [`upcast`](Self::upcast), or [`Rule::CastShape`].
    fn exact_upcast(&self, n: i64) -> Result<Self>;

    /// Splits each element into `n` elements.
    ///
    /// # Errors
    /// Returns [`Rule::NoUnitStride`] if no mode has stride 1; [`Rule::NotPositive`];
    /// [`Rule::BasisStride`]; or [`Rule::Overflow`].
    fn downcast(&self, n: i64) -> Result<Self>;
}

impl Cast for DynLayout {
    fn upcast(&self, n: i64) -> Result<Self> {
        leaves("upcast", self, n, rules::upcast)
    }

    fn exact_upcast(&self, n: i64) -> Result<Self> {
        leaves("exact_upcast", self, n, rules::exact_upcast)
    }

    fn downcast(&self, n: i64) -> Result<Self> {
        if !self
            .stride()
            .leaves()
            .into_iter()
            .any(|stride| *stride == Stride::from(1))
        {
            return Err(LayoutError::new(
                "downcast",
                &[self, &n],
                Rule::NoUnitStride,
            ));
        }
        let cast = leaves("downcast", self, n, rules::downcast)?;
        cast.fits()
            .map_err(|rule| LayoutError::new("downcast", &[self, &n], rule))?;
        Ok(cast)
    }
}

impl Cast for AnyLayout {
    fn upcast(&self, n: i64) -> Result<Self> {
        composed("upcast", self, n, AnyLayout::upcast, |layout| {
            layout.upcast(n)
        })
    }

    fn exact_upcast(&self, n: i64) -> Result<Self> {
        composed("exact_upcast", self, n, AnyLayout::exact_upcast, |layout| {
            layout.exact_upcast(n)
        })
    }

    fn downcast(&self, n: i64) -> Result<Self> {
        composed("downcast", self, n, AnyLayout::downcast, |layout| {
            layout.downcast(n)
        })
    }
}

fn composed(
    operation: &'static str,
    layout: &AnyLayout,
    n: i64,
    inner: fn(&AnyLayout, i64) -> Result<AnyLayout>,
    plain: impl Fn(&DynLayout) -> Result<DynLayout>,
) -> Result<AnyLayout> {
    let AnyLayout::Composed(outer) = layout else {
        return plain(layout.domain_layout()).map(AnyLayout::Plain);
    };
    let fail = |rule| LayoutError::new(operation, &[layout, &n], rule);
    let down = operation == "downcast";
    let swizzle = if down {
        outer.swizzle().downcast(n)
    } else {
        outer.swizzle().upcast(n)
    }
    .map_err(fail)?;
    let offset = if down {
        outer.offset().checked_mul(n).ok_or(fail(Rule::Overflow))?
    } else if outer.offset() % n != 0 {
        return Err(fail(Rule::CastStride {
            stride: outer.offset(),
            n,
        }));
    } else {
        outer.offset() / n
    };
    let inner = inner(outer.inner(), n).map_err(|error| error.within(operation, &[layout, &n]))?;
    Ok(AnyLayout::Composed(Composed::new(swizzle, offset, inner)))
}

/// Calls [`Cast::upcast`]: CuTe's `upcast<n>(layout)`.
///
/// # Errors
/// Returns the errors of [`Cast::upcast`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, exact_upcast, upcast};
/// let layout: DynLayout = "(6,8):(1,8)".parse().unwrap();
/// assert_eq!(upcast(&layout, 4).unwrap().to_string(), "(2,8):(1,2)"); // 6 is rounded up to 8
/// assert!(exact_upcast(&layout, 4).is_err());
/// ```
pub fn upcast<L: Cast>(layout: &L, n: i64) -> Result<L> {
    layout.upcast(n)
}

/// Calls [`Cast::exact_upcast`].
///
/// # Errors
/// Returns the errors of [`Cast::exact_upcast`].
pub fn exact_upcast<L: Cast>(layout: &L, n: i64) -> Result<L> {
    layout.exact_upcast(n)
}

/// Calls [`Cast::downcast`]: CuTe's `downcast<n>(layout)`.
///
/// # Errors
/// Returns the errors of [`Cast::downcast`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, downcast};
/// let layout: DynLayout = "((2,4),2):((2,4),1)".parse().unwrap();
/// assert_eq!(downcast(&layout, 2).unwrap().to_string(), "((2,4),4):((4,8),1)");
/// ```
pub fn downcast<L: Cast>(layout: &L, n: i64) -> Result<L> {
    layout.downcast(n)
}

/// Converts the layout of elements of `old_bits` to the layout of elements of `new_bits` over the
/// same memory: CuTe's `recast_layout<Old, New>(layout)`.
///
/// # Errors
/// Returns [`Rule::NotPositive`] for a width below 1, or the errors of [`upcast`] and [`downcast`].
///
/// ```
/// use layout_types::dynamic::{DynLayout, recast_layout};
/// let halfs: DynLayout = "(1,16):(0,1)".parse().unwrap();
/// assert_eq!(recast_layout(&halfs, 16, 128).unwrap().to_string(), "(1,2):(0,1)");
/// ```
pub fn recast_layout<L: Cast + Clone + core::fmt::Display>(
    layout: &L,
    old_bits: i64,
    new_bits: i64,
) -> Result<L> {
    if old_bits < 1 || new_bits < 1 {
        let rule = Rule::NotPositive {
            value: old_bits.min(new_bits),
        };
        return Err(LayoutError::new(
            "recast_layout",
            &[layout, &old_bits, &new_bits],
            rule,
        ));
    }
    let common = gcd(old_bits, new_bits);
    let (down, up) = (old_bits / common, new_bits / common);
    let raised = if up == 1 {
        layout.clone()
    } else {
        layout.upcast(up)?
    };
    if down == 1 {
        Ok(raised)
    } else {
        raised.downcast(down)
    }
}
