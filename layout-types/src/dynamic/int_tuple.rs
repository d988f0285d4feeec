//! Nested tuples of integers, and strides, which can be their leaves.
//!
//! ```text
//! (4,(2,2))     a shape        (1@0,1@1)     strides along the modes of a coordinate
//! ```
//!
//! Law: a shape and its strides have the same profile.

use super::rules::{Rule, ceil_div};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

// -- Tuples ---------------------------------------------------------------------------------------
//
// Nested tuples: a leaf, or a tuple of nested tuples.
//
// Shapes, strides, coordinates and tilers all have this form. A 1-tuple differs from its element:
// `(4)` has rank 1 and depth 1, `4` has rank 1 and depth 0, and CuTe's operations distinguish them.
//
// ```text
// ((2,4),8)        Tuple
//                  /    \
//               Tuple    8
//               /   \
//              2     4
// ```
//
// Source: `cute/int_tuple.hpp`, `cute/algorithm/tuple_algorithms.hpp`.

/// A leaf or a tuple.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Nested<T> {
    /// A leaf.
    Leaf(T),
    /// A tuple.
    Tuple(Vec<Nested<T>>),
}

/// An integer or a tuple of `IntTuple`s: CuTe's `IntTuple`.
pub type IntTuple = Nested<i64>;

impl<T> Nested<T> {
    /// Returns the number of modes. A leaf has one mode, itself.
    pub fn rank(&self) -> usize {
        match self {
            Self::Leaf(_) => 1,
            Self::Tuple(modes) => modes.len(),
        }
    }

    /// Returns the number of levels of nesting: 0 for a leaf, 1 for `(4)` and `(2,4)`.
    pub fn depth(&self) -> usize {
        match self {
            Self::Leaf(_) => 0,
            Self::Tuple(modes) => 1 + modes.iter().map(Self::depth).max().unwrap_or(0),
        }
    }

    /// Returns mode `i`, or `None` if there is no such mode. Mode 0 of a leaf is the leaf itself.
    pub fn get(&self, i: usize) -> Option<&Self> {
        match self {
            Self::Leaf(_) => (i == 0).then_some(self),
            Self::Tuple(modes) => modes.get(i),
        }
    }

    /// Returns the modes as a slice. A leaf is its own only mode.
    pub fn modes(&self) -> &[Self] {
        match self {
            Self::Leaf(_) => core::slice::from_ref(self),
            Self::Tuple(modes) => modes,
        }
    }

    /// Returns every leaf, left to right.
    pub fn leaves(&self) -> Vec<&T> {
        fn walk<'a, T>(of: &'a Nested<T>, into: &mut Vec<&'a T>) {
            match of {
                Nested::Leaf(leaf) => into.push(leaf),
                Nested::Tuple(modes) => modes.iter().for_each(|mode| walk(mode, into)),
            }
        }
        let mut out = Vec::new();
        walk(self, &mut out);
        out
    }

    /// Applies `f` to every leaf. The result has the same profile.
    pub fn map<U>(&self, mut f: impl FnMut(&T) -> U) -> Nested<U> {
        fn walk<T, U>(of: &Nested<T>, f: &mut impl FnMut(&T) -> U) -> Nested<U> {
            match of {
                Nested::Leaf(leaf) => Nested::Leaf(f(leaf)),
                Nested::Tuple(modes) => {
                    Nested::Tuple(modes.iter().map(|mode| walk(mode, f)).collect())
                }
            }
        }
        walk(self, &mut f)
    }

    /// Whether both have the same profile: CuTe's `congruent`.
    pub fn congruent<U>(&self, other: &Nested<U>) -> bool {
        match (self, other) {
            (Self::Leaf(_), Nested::Leaf(_)) => true,
            (Self::Tuple(a), Nested::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.congruent(b))
            }
            _ => false,
        }
    }

    /// Whether `other` has the profile of `self`, or refines its leaves: CuTe's `weakly_congruent`,
    /// a partial order.
    pub fn weakly_congruent<U>(&self, other: &Nested<U>) -> bool {
        match (self, other) {
            (Self::Leaf(_), _) => true,
            (Self::Tuple(a), Nested::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.weakly_congruent(b))
            }
            (Self::Tuple(_), Nested::Leaf(_)) => false,
        }
    }

    /// Wraps several leaves in a tuple, and returns a single leaf as it is: CuTe's `unwrap` of a
    /// flat tuple.
    pub(super) fn unwrapped(mut modes: Vec<Self>) -> Self {
        if modes.len() == 1 {
            modes.remove(0)
        } else {
            Self::Tuple(modes)
        }
    }
}

impl<T: Clone> Nested<T> {
    /// Returns a tuple of depth 1 with every leaf, or the leaf itself for a leaf. CuTe's `flatten`.
    pub fn flatten(&self) -> Self {
        match self {
            Self::Leaf(_) => self.clone(),
            Self::Tuple(_) => {
                Self::Tuple(self.leaves().into_iter().cloned().map(Self::Leaf).collect())
            }
        }
    }

    /// Returns the tuple with one more mode at the end. A leaf becomes a pair.
    pub(super) fn append(&self, mode: Self) -> Self {
        let mut modes = self.modes().to_vec();
        modes.push(mode);
        Self::Tuple(modes)
    }

    /// Returns the tuple with one more mode in front.
    pub(super) fn prepend(&self, mode: Self) -> Self {
        let mut modes = vec![mode];
        modes.extend_from_slice(self.modes());
        Self::Tuple(modes)
    }

    /// Fills the tuple up to `rank` modes with copies of `mode`, at the end or in front. A leaf
    /// that already has the rank stays a leaf.
    pub(super) fn pad(&self, rank: usize, mode: &Self, front: bool) -> Result<Self, Rule> {
        let found = self.rank();
        if found > rank {
            return Err(Rule::RankAbove { found, most: rank });
        }
        if found == rank {
            return Ok(self.clone());
        }
        let fill = core::iter::repeat_n(mode.clone(), rank - found);
        Ok(Self::Tuple(if front {
            fill.chain(self.modes().iter().cloned()).collect()
        } else {
            self.modes().iter().cloned().chain(fill).collect()
        }))
    }

    /// Zips a tuple of tuples: `((a,b),(c,d))` becomes `((a,c),(b,d))`. If the first mode is a
    /// leaf, the whole tuple becomes one mode. If only a later mode is a leaf, the tuple is
    /// refused. CuTe's `zip`.
    pub(super) fn zip(&self) -> Result<Self, Rule> {
        let Self::Tuple(rows) = self else {
            return Ok(self.clone());
        };
        let Some(Self::Tuple(first)) = rows.first() else {
            return Ok(Self::Tuple(vec![self.clone()]));
        };
        let rank = first.len();
        let mut columns: Vec<Vec<Self>> = vec![Vec::new(); rank];
        for row in rows {
            let Self::Tuple(modes) = row else {
                return Err(Rule::Congruence);
            };
            if modes.len() != rank {
                return Err(Rule::Rank {
                    found: modes.len(),
                    needed: rank,
                });
            }
            for (column, mode) in columns.iter_mut().zip(modes) {
                column.push(mode.clone());
            }
        }
        Ok(Self::Tuple(columns.into_iter().map(Self::Tuple).collect()))
    }
}

impl IntTuple {
    /// Returns the product of all leaves: CuTe's `size` of a shape.
    ///
    /// # Errors
    /// Returns [`Rule::Overflow`].
    pub fn product(&self) -> Result<i64, Rule> {
        self.leaves()
            .into_iter()
            .try_fold(1i64, |product, leaf| product.checked_mul(*leaf))
            .ok_or(Rule::Overflow)
    }

    /// Returns the product of each mode, as a tuple even for a leaf: CuTe's `product_each`.
    ///
    /// # Errors
    /// Returns [`Rule::Overflow`].
    pub fn product_each(&self) -> Result<Self, Rule> {
        Ok(Self::Tuple(
            self.modes()
                .iter()
                .map(|mode| mode.product().map(Self::Leaf))
                .collect::<Result<_, _>>()?,
        ))
    }

    /// Whether `self` and `other` have the same size and every coordinate into `self` is also a
    /// coordinate into `other`: CuTe's `compatible`, a partial order.
    pub fn compatible(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Leaf(size), _) => other.product() == Ok(*size),
            (Self::Tuple(a), Self::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.compatible(b))
            }
            (Self::Tuple(_), Self::Leaf(_)) => false,
        }
    }

    /// Divides and rounds up. A tuple is divided by an integer from its first mode on: the part of
    /// the divisor that one mode does not use up divides the next mode. A tuple is divided by a
    /// tuple mode by mode. CuTe's `ceil_div`.
    ///
    /// # Errors
    /// Returns [`Rule::RankAbove`] if the divisor has more modes than `self`,
    /// [`Rule::NotPositive`], or [`Rule::Overflow`].
    ///
    /// ```
    /// # use layout_types::dynamic::IntTuple;
    /// let shape: IntTuple = "(4,3)".parse().unwrap();
    /// assert_eq!(shape.ceil_div(&IntTuple::from(3)).unwrap().to_string(), "(2,3)");
    /// ```
    pub fn ceil_div(&self, by: &Self) -> Result<Self, Rule> {
        match (self, by) {
            (Self::Tuple(a), Self::Tuple(b)) => {
                if b.len() > a.len() {
                    return Err(Rule::RankAbove {
                        found: b.len(),
                        most: a.len(),
                    });
                }
                let ones = core::iter::repeat(&Self::Leaf(1));
                Ok(Self::Tuple(
                    a.iter()
                        .zip(b.iter().chain(ones))
                        .map(|(a, b)| a.ceil_div(b))
                        .collect::<Result<_, _>>()?,
                ))
            }
            (Self::Tuple(a), Self::Leaf(b)) => {
                let mut divisor = Self::Leaf(*b);
                let mut out = Vec::with_capacity(a.len());
                for mode in a {
                    out.push(mode.ceil_div(&divisor)?);
                    divisor = divisor.ceil_div(mode)?;
                }
                Ok(Self::Tuple(out))
            }
            (Self::Leaf(_), Self::Tuple(_)) => self.ceil_div(&Self::Leaf(by.product()?)),
            (Self::Leaf(a), Self::Leaf(b)) if *a >= 0 && *b > 0 => Ok(Self::Leaf(ceil_div(*a, *b))),
            (Self::Leaf(a), Self::Leaf(b)) => Err(Rule::NotPositive { value: *a.min(b) }),
        }
    }
}

impl From<i64> for IntTuple {
    fn from(leaf: i64) -> Self {
        Self::Leaf(leaf)
    }
}

impl<T, const N: usize> From<[T; N]> for IntTuple
where
    IntTuple: From<T>,
{
    fn from(modes: [T; N]) -> Self {
        Self::Tuple(modes.into_iter().map(Self::from).collect())
    }
}

impl<T: fmt::Display> fmt::Display for Nested<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaf(leaf) => leaf.fmt(f),
            Self::Tuple(modes) => {
                f.write_str("(")?;
                for (i, mode) in modes.iter().enumerate() {
                    if i > 0 {
                        f.write_str(",")?;
                    }
                    mode.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

// -- Strides --------------------------------------------------------------------------------------
//
// Strides: an integer, or an integer along one mode of a coordinate.
//
// ```text
// (4,8):(1,4)        offsets        1, 4
// (4,8):(1@0,1@1)    coordinates    1@0 = (1), 1@1 = (0,1):   layout(m,n) = (m,n)
// ((2,3),8):((1@0@0,1@1@0),1@1)     1@1@0 is mode 1 of mode 0: ((0,1))
// ```
//
// Bases are printed in CuTe's order, innermost mode first. Source:
// `cute/numeric/arithmetic_tuple.hpp`.

/// A stride: `value` along the basis element that `path` names, outermost mode first. With an empty
/// path it is a plain integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stride {
    value: i64,
    path: Vec<usize>,
}

impl Stride {
    /// Makes a stride of `value` in mode `path`. A stride of zero has no path, as in CuTe's
    /// products.
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

    /// Returns the integer factor of the stride.
    pub fn value(&self) -> i64 {
        self.value
    }

    /// Returns the path of the mode along which the stride steps, outermost mode first. The path of
    /// an integer is empty.
    pub fn path(&self) -> &[usize] {
        &self.path
    }

    /// Whether the stride names a mode.
    pub fn is_basis(&self) -> bool {
        !self.path.is_empty()
    }

    /// Returns the stride times `steps`.
    ///
    /// # Errors
    /// Returns [`Rule::Overflow`].
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

/// Returns the strides of the identity layout: `1@path` at every leaf of a shape. CuTe's
/// `make_basis_like`.
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

/// Adds two offsets, each an integer or a coordinate: `(1) + (0,2)` is `(1,2)`.
///
/// # Errors
/// Returns [`Rule::MixedBasis`] if a non-zero integer is added to a coordinate, or
/// [`Rule::Overflow`].
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

/// Returns `steps` times a stride, as an offset.
pub(super) fn offset(stride: &Stride, steps: i64) -> Result<IntTuple, Rule> {
    let mut out = Nested::Leaf(stride.value().checked_mul(steps).ok_or(Rule::Overflow)?);
    for &mode in stride.path().iter().rev() {
        let mut modes = alloc::vec![Nested::Leaf(0); mode];
        modes.push(out);
        out = Nested::Tuple(modes);
    }
    Ok(out)
}
