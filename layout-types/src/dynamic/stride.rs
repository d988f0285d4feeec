//! Strides: an integer, or an integer along one mode of a coordinate.
//!
//! ```text
//! (4,8):(1,4)        offsets        1, 4
//! (4,8):(1@0,1@1)    coordinates    1@0 = (1), 1@1 = (0,1):   layout(m,n) = (m,n)
//! ((2,3),8):((1@0@0,1@1@0),1@1)     1@1@0 is mode 1 of mode 0: ((0,1))
//! ```
//!
//! The printed order is CuTe's, innermost mode first. Source: `cute/numeric/arithmetic_tuple.hpp`.

use alloc::vec::Vec;
use core::fmt;

use super::int_tuple::{IntTuple, Nested};
use super::rules::Rule;

/// A stride: `value` along the basis element that `path` names, outermost mode first; an empty path is a
/// plain integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stride {
    value: i64,
    path: Vec<usize>,
}

impl Stride {
    /// A stride of `value` in mode `path`. Zero has no direction and drops its path, as in CuTe's products.
    pub fn new(value: i64, path: &[usize]) -> Self {
        Self {
            value,
            path: if value == 0 {
                Vec::new()
            } else {
                path.to_vec()
            },
        }
    }

    /// The number of elements.
    pub fn value(&self) -> i64 {
        self.value
    }

    /// The mode stepped along, outermost first; empty for an integer.
    pub fn path(&self) -> &[usize] {
        &self.path
    }

    /// Whether it names a mode.
    pub fn is_basis(&self) -> bool {
        !self.path.is_empty()
    }

    /// The stride of several steps.
    ///
    /// # Errors
    /// [`Rule::Overflow`].
    pub fn times(&self, steps: i64) -> Result<Self, Rule> {
        Ok(Self::new(
            self.value.checked_mul(steps).ok_or(Rule::Overflow)?,
            &self.path,
        ))
    }

    pub(super) fn abs(&self) -> Result<Self, Rule> {
        Ok(Self::new(
            self.value.checked_abs().ok_or(Rule::Overflow)?,
            &self.path,
        ))
    }
}

impl From<i64> for Stride {
    fn from(value: i64) -> Self {
        Self {
            value,
            path: Vec::new(),
        }
    }
}

impl fmt::Display for Stride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)?;
        self.path
            .iter()
            .rev()
            .try_for_each(|mode| write!(f, "@{mode}"))
    }
}

/// The identity's strides: `1@path` at every leaf of a shape. CuTe's `make_basis_like`.
pub(super) fn basis_like(shape: &IntTuple) -> Nested<Stride> {
    fn walk(shape: &IntTuple, path: &mut Vec<usize>) -> Nested<Stride> {
        match shape {
            Nested::Leaf(_) => Nested::Leaf(Stride::new(1, path)),
            Nested::Tuple(modes) => Nested::Tuple(
                modes
                    .iter()
                    .enumerate()
                    .map(|(i, mode)| {
                        path.push(i);
                        let stride = walk(mode, path);
                        path.pop();
                        stride
                    })
                    .collect(),
            ),
        }
    }
    walk(shape, &mut Vec::new())
}

/// The sum of two offsets, either of which may be an integer or a coordinate: `(1) + (0,2)` is `(1,2)`.
///
/// # Errors
/// [`Rule::MixedBasis`] where an integer that is not zero meets a coordinate; [`Rule::Overflow`].
pub(super) fn add(a: IntTuple, b: IntTuple) -> Result<IntTuple, Rule> {
    match (a, b) {
        (Nested::Leaf(a), Nested::Leaf(b)) => {
            a.checked_add(b).map(Nested::Leaf).ok_or(Rule::Overflow)
        }
        (Nested::Leaf(0), other) | (other, Nested::Leaf(0)) => Ok(other),
        (Nested::Tuple(a), Nested::Tuple(b)) => {
            let rank = a.len().max(b.len());
            let zero = || core::iter::repeat(Nested::Leaf(0));
            let sum = a
                .into_iter()
                .chain(zero())
                .zip(b.into_iter().chain(zero()))
                .take(rank);
            Ok(Nested::Tuple(
                sum.map(|(a, b)| add(a, b)).collect::<Result<_, _>>()?,
            ))
        }
        _ => Err(Rule::MixedBasis),
    }
}

/// `steps` of a stride, as an offset.
pub(super) fn offset(stride: &Stride, steps: i64) -> Result<IntTuple, Rule> {
    let mut out = Nested::Leaf(stride.value().checked_mul(steps).ok_or(Rule::Overflow)?);
    for &mode in stride.path().iter().rev() {
        let mut modes = alloc::vec![Nested::Leaf(0); mode];
        modes.push(out);
        out = Nested::Tuple(modes);
    }
    Ok(out)
}
