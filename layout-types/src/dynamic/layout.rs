//! A layout: a shape and a stride of the same profile, which map coordinates to offsets.
//!
//! ```text
//! (2,4):(4,1)       n  0  1  2  3
//!              m  0    0  1  2  3        layout(m,n) = 4*m + 1*n
//!                 1    4  5  6  7        layout(i)   = layout(i % 2, i / 2)
//! ```
//!
//! Laws: an index and its coordinate have the same offset; `size` is the number of coordinates;
//! every offset is below `cosize`. Source: `cute/layout.hpp`, `cute/stride.hpp`.

use alloc::vec::Vec;
use core::fmt;

use super::composed::Domain;
use super::coord::Coord;
use super::int_tuple::{IntTuple, Nested};
use super::int_tuple::{Stride, add, offset};
use super::parse::{LayoutError, Result};
use super::rules::{Flat, Rule};

/// A layout as a value: [`shape`](Self::shape) and [`stride`](Self::stride), congruent, every
/// extent at least 1.
///
/// ```
/// use layout_types::dynamic::DynLayout;
/// let layout: DynLayout = "((4,8),2):((32,1),16)".parse().unwrap();
/// assert_eq!((layout.size().unwrap(), layout.cosize().unwrap()), (64, 120));
/// assert_eq!(layout.offset(5).unwrap(), 33);
/// assert_eq!(layout.to_string(), "((4,8),2):((32,1),16)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DynLayout {
    shape: IntTuple,
    stride: Nested<Stride>,
}

impl DynLayout {
    /// Makes a layout from its shape and stride.
    ///
    /// # Errors
    /// Returns [`Rule::Congruence`], [`Rule::NotPositive`] for an extent below 1, or
    /// [`Rule::Empty`] for an empty tuple.
    pub fn new(shape: IntTuple, stride: Nested<Stride>) -> Result<Self> {
        let refuse = |rule| Err(LayoutError::new("make_layout", &[&shape, &stride], rule));
        if !shape.congruent(&stride) {
            return refuse(Rule::Congruence);
        }
        if has_empty(&shape) {
            return refuse(Rule::Empty);
        }
        if let Some(extent) = shape.leaves().into_iter().find(|extent| **extent < 1) {
            return refuse(Rule::NotPositive { value: *extent });
        }
        if stride
            .leaves()
            .into_iter()
            .any(|stride| stride.value() == i64::MIN)
        {
            return refuse(Rule::Overflow);
        }
        Ok(Self { shape, stride })
    }

    /// Checks that size and cosize fit in 64 bits. Every operation checks this for its result.
    pub(super) fn fits(&self) -> core::result::Result<(), Rule> {
        self.shape.product()?;
        let mut reach = 0i64;
        for (extent, stride) in self.flat_modes() {
            let span = (extent - 1)
                .checked_mul(stride.value().abs())
                .ok_or(Rule::Overflow)?;
            // Offsets along different modes of a coordinate do not add up.
            reach = if stride.is_basis() {
                reach.max(span)
            } else {
                reach.checked_add(span).ok_or(Rule::Overflow)?
            };
        }
        reach.checked_add(1).map(|_| ()).ok_or(Rule::Overflow)
    }

    /// Makes a layout with one mode of integer stride.
    pub(super) fn leaf(shape: i64, stride: impl Into<Stride>) -> Self {
        Self {
            shape: Nested::Leaf(shape),
            stride: Nested::Leaf(stride.into()),
        }
    }

    /// Returns `1:0`, the layout of one element.
    pub(super) fn one() -> Self {
        Self::leaf(1, 0)
    }

    /// Returns `():()`, the slice at a coordinate that fixes every mode. It has no mode and one
    /// element. No other layout has an empty tuple.
    pub(super) fn without_modes() -> Self {
        Self {
            shape: Nested::Tuple(Vec::new()),
            stride: Nested::Tuple(Vec::new()),
        }
    }

    /// Makes the layout whose modes are the given layouts: CuTe's `make_layout(layouts...)`.
    pub fn from_modes(modes: Vec<Self>) -> Result<Self> {
        let (mut shapes, mut strides) = (
            Vec::with_capacity(modes.len()),
            Vec::with_capacity(modes.len()),
        );
        for mode in modes {
            shapes.push(mode.shape);
            strides.push(mode.stride);
        }
        Self::new(Nested::Tuple(shapes), Nested::Tuple(strides))
    }

    /// Returns the shape.
    pub fn shape(&self) -> &IntTuple {
        &self.shape
    }

    /// Returns the stride.
    pub fn stride(&self) -> &Nested<Stride> {
        &self.stride
    }

    /// Returns the number of modes.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Returns the number of levels of nesting.
    pub fn depth(&self) -> usize {
        self.shape.depth()
    }

    /// Returns the number of elements.
    ///
    /// # Errors
    /// Returns [`Rule::Overflow`].
    pub fn size(&self) -> Result<i64> {
        self.shape
            .product()
            .map_err(|rule| LayoutError::new("size", &[self], rule))
    }

    /// Returns the shape of the smallest box from the origin that holds every offset, computed with
    /// the magnitudes of the strides. The shape is an integer, or a tuple if strides name modes.
    ///
    /// # Errors
    /// Returns [`Rule::Overflow`] or [`Rule::MixedBasis`].
    pub fn coshape(&self) -> Result<IntTuple> {
        let fail = |rule| LayoutError::new("coshape", &[self], rule);
        let mut last = Nested::Leaf(0);
        for (extent, stride) in self.flat_modes() {
            last = add(
                last,
                offset(&stride.abs().map_err(fail)?, extent - 1).map_err(fail)?,
            )
            .map_err(fail)?;
        }
        // A mode of length 1 adds nothing to the sum, yet it is a mode of the codomain.
        for stride in self.stride.leaves() {
            if stride.is_basis() {
                last = add(last, offset(stride, 0).map_err(fail)?).map_err(fail)?;
            }
        }
        if last.leaves().into_iter().any(|offset| *offset == i64::MAX) {
            return Err(fail(Rule::Overflow));
        }
        Ok(last.map(|offset| offset + 1))
    }

    /// Returns the size of [`coshape`](Self::coshape).
    ///
    /// # Errors
    /// Returns [`Rule::Overflow`] or [`Rule::MixedBasis`].
    pub fn cosize(&self) -> Result<i64> {
        self.coshape()?
            .product()
            .map_err(|rule| LayoutError::new("cosize", &[self], rule))
    }

    /// Returns mode `i` as a layout, or `None` if there is no such mode. Mode 0 of a layout whose
    /// shape is an integer is the layout itself.
    pub fn mode(&self, i: usize) -> Option<Self> {
        Some(Self {
            shape: self.shape.get(i)?.clone(),
            stride: self.stride.get(i)?.clone(),
        })
    }

    /// Returns the modes as layouts.
    pub fn modes(&self) -> Vec<Self> {
        let pairs = self.shape.modes().iter().zip(self.stride.modes());
        pairs
            .map(|(shape, stride)| Self {
                shape: shape.clone(),
                stride: stride.clone(),
            })
            .collect()
    }

    /// Returns the leaves as pairs of extent and stride, fastest first.
    pub(super) fn flat_modes(&self) -> Vec<(i64, &Stride)> {
        self.shape
            .leaves()
            .into_iter()
            .copied()
            .zip(self.stride.leaves())
            .collect()
    }

    /// Whether some stride names a mode.
    pub fn has_basis(&self) -> bool {
        self.stride.leaves().into_iter().any(Stride::is_basis)
    }

    /// Returns the offset at an index, with the last mode unbounded. The offset is an integer, or a
    /// coordinate if strides name modes.
    ///
    /// # Errors
    /// Returns [`Rule::Overflow`] or [`Rule::MixedBasis`].
    pub fn eval(&self, index: i64) -> Result<IntTuple> {
        let fail = |rule| LayoutError::new("layout", &[self, &index], rule);
        let modes = self.flat_modes();
        let (mut rest, mut sum) = (index, Nested::Leaf(0));
        for (i, (extent, stride)) in modes.iter().enumerate() {
            let digit = if i + 1 == modes.len() {
                rest
            } else {
                rest % extent
            };
            sum = add(sum, offset(stride, digit).map_err(fail)?).map_err(fail)?;
            rest /= extent;
        }
        Ok(sum)
    }

    /// Returns the offset at an index, for integer strides.
    ///
    /// # Errors
    /// Returns the errors of [`eval`](Self::eval), or [`Rule::BasisStride`] if the offset is a
    /// coordinate.
    pub fn offset(&self, index: i64) -> Result<i64> {
        match self.eval(index)? {
            Nested::Leaf(offset) => Ok(offset),
            Nested::Tuple(_) => Err(LayoutError::new(
                "layout",
                &[self, &index],
                Rule::BasisStride,
            )),
        }
    }

    /// Returns the offset at a coordinate whose profile is that of the shape or coarser: CuTe's
    /// `crd2idx`.
    ///
    /// # Errors
    /// Returns [`Rule::Congruence`] or the errors of [`eval`](Self::eval).
    pub fn at(&self, coord: &Coord) -> Result<IntTuple> {
        super::coord::crd2idx(coord, self)
    }

    /// Returns every offset in index order, for integer strides.
    ///
    /// # Errors
    /// Returns the errors of [`offset`](Self::offset).
    pub fn table(&self) -> Result<Vec<i64>> {
        (0..self.size()?).map(|index| self.offset(index)).collect()
    }

    /// Converts the layout to the flat layout that the rules take. Its bases are numbered from 1,
    /// in the order of `bases`, which gets each new basis.
    pub(super) fn to_flat(&self, bases: &mut Vec<Vec<usize>>) -> core::result::Result<Flat, Rule> {
        let mut flat = Flat::new();
        for (extent, stride) in self.flat_modes() {
            let basis = if stride.is_basis() {
                let known = bases
                    .iter()
                    .position(|path| path == stride.path())
                    .unwrap_or_else(|| {
                        bases.push(stride.path().to_vec());
                        bases.len() - 1
                    });
                u8::try_from(known + 1).map_err(|_| Rule::Overflow)?
            } else {
                0
            };
            flat.push(extent, stride.value(), basis)?;
        }
        Ok(flat)
    }

    /// Converts a flat layout: one mode becomes an integer, more modes a tuple.
    pub(super) fn from_flat(flat: &Flat, bases: &[Vec<usize>]) -> Self {
        let modes = (0..flat.len()).map(|i| {
            let path = match flat.basis(i) {
                0 => &[][..],
                basis => &bases[usize::from(basis) - 1],
            };
            (
                Nested::Leaf(flat.shape(i)),
                Nested::Leaf(Stride::new(flat.stride(i), path)),
            )
        });
        let (shapes, strides): (Vec<_>, Vec<_>) = modes.unzip();
        Self {
            shape: Nested::unwrapped(shapes),
            stride: Nested::unwrapped(strides),
        }
    }
}

fn has_empty<T>(tuple: &Nested<T>) -> bool {
    match tuple {
        Nested::Leaf(_) => false,
        Nested::Tuple(modes) => modes.is_empty() || modes.iter().any(has_empty),
    }
}

impl fmt::Display for DynLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shape, self.stride)
    }
}

/// Returns the number of modes.
pub fn rank<L: Domain>(layout: &L) -> usize {
    layout.domain().rank()
}

/// Returns the number of levels of nesting.
pub fn depth<L: Domain>(layout: &L) -> usize {
    layout.domain().depth()
}

/// Returns the number of elements.
///
/// # Errors
/// Returns the errors of [`DynLayout::size`].
pub fn size<L: Domain>(layout: &L) -> Result<i64> {
    layout.domain().size()
}

/// Returns the size of the box that holds every offset, before swizzles: see [`DynLayout::cosize`].
///
/// # Errors
/// Returns the errors of [`DynLayout::cosize`].
pub fn cosize<L: Domain>(layout: &L) -> Result<i64> {
    layout.domain().cosize()
}

/// Returns the shape of the box that holds every offset, before swizzles: see
/// [`DynLayout::coshape`].
///
/// # Errors
/// Returns the errors of [`DynLayout::coshape`].
pub fn coshape<L: Domain>(layout: &L) -> Result<IntTuple> {
    layout.domain().coshape()
}
