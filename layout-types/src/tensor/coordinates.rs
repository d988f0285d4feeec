//! Identity tensors: each element is its own coordinate.
//!
//! ```text
//!   identity_tensor::<layout!((128,32):(1@0,1@1)), 2>()      element (5,7) is [5, 7]
//!   partitioned as the data is, it says which coordinate each value has: what predicates ask
//! ```
//!
//! Law: if the identity tensor and the data are partitioned, tiled or composed in the same way,
//! element `i` of the identity tensor is the coordinate of element `i` of the data.
//!
//! Source: CuTe `make_identity_tensor`, `ArithmeticTupleIterator` in
//! `cute/numeric/arithmetic_tuple.hpp`.

use super::Tensor;
use super::engine::{Along, Engine, Read};
use super::strides::RunTimeStrides;
use crate::coord::Coord;
use crate::layout::LayoutFn;
use crate::tiled::AnyRole;
use core::fmt;

/// A coordinate of `R` components.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Coordinates<const R: usize> {
    coordinate: [u32; R],
}
impl<const R: usize> fmt::Debug for Coordinates<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "(";
        for component in self.coordinate {
            write!(f, "{before}{component}")?;
            before = ",";
        }
        f.write_str(")")
    }
}

impl<const R: usize> Coordinates<R> {
    /// Whether the coordinate is less than the extents, component by component: CuTe's `elem_less`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::identity_tensor;
    /// let tile = identity_tensor::<layout!((8,8):(1@0,1@1)), 2>().domain_offset((4u32, 6));
    /// assert!(tile.engine().inside([5, 7]) && !tile.engine().inside([5, 6]));
    /// ```
    #[inline(always)]
    #[must_use]
    #[doc(alias = "elem_less")]
    pub fn inside(&self, extents: [u32; R]) -> bool {
        less(self.coordinate, extents)
    }
}

/// Whether a coordinate is less than the extents, component by component: CuTe's `elem_less`.
#[inline(always)]
pub(super) fn less<const R: usize>(coordinate: [u32; R], extents: [u32; R]) -> bool {
    // Test the last mode first: a loop usually advances along it, and then the test of the other
    // modes is made only once.
    let mut inside = true;
    let mut mode = R;
    while mode > 0 {
        mode -= 1;
        inside &= coordinate[mode] < extents[mode];
    }
    inside
}

/// Makes the tensor of the coordinates of `L`, a layout with scaled-basis strides of `R` modes.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::tensor::identity_tensor;
/// let tile = identity_tensor::<layout!((8,6):(1@0,1@1)), 2>();
/// assert_eq!(tile.get((5u32, 1)), [5, 1]);
/// assert_eq!(tile.compose::<tile!(4:2, 3)>().slice((__, 2u32)).get((3u32,)), [6, 2]);
/// ```
#[inline(always)]
#[must_use]
#[doc(alias = "make_identity_tensor")]
pub fn identity_tensor<L: LayoutFn, const R: usize>() -> Tensor<Coordinates<R>, L> {
    Tensor::at_engine(Coordinates { coordinate: [0; R] })
}

impl<const R: usize> Engine for Coordinates<R> {
    type Value = [u32; R];
    type Role = AnyRole;
    type Strides = RunTimeStrides;
    #[inline(always)]
    fn step<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy,
    {
        let mut to = self.coordinate;
        let mut mode = 0;
        while mode < R {
            to[mode] = to[mode].wrapping_add(coordinate.offset(&Along(mode)));
            mode += 1;
        }
        Self { coordinate: to }
    }
}
impl<const R: usize> Read for Coordinates<R> {
    #[inline(always)]
    fn load<L: LayoutFn>(self) -> [u32; R] {
        self.coordinate
    }
}
