//! A layout as a function, cheap enough to be called for every element of a tile while a constant is evaluated.
//!
//! ```text
//!   Sw<2,3,3> o 0 o (8,32):(32,1)      13  ->  (5,1)  ->  161  ->  swizzled  ->  offset in memory
//! ```
//!
//! Law: [`Function::at`] is the type's `index`, for every coordinate below the size. rustc counts loops and calls in
//! constants, two million to a constant; a call here takes as many as the layout has modes.

use super::value::{Node, Value};
use crate::dynamic::rules::{Flat, MAX_MODES, Rule, Swizzle};

/// The most swizzles, one behind the other.
const MAX_SWIZZLES: usize = 4;

/// A layout, ready to be evaluated.
#[derive(Clone, Copy)]
pub struct Function {
    len: usize,
    shape: [i64; MAX_MODES],
    stride: [i64; MAX_MODES],
    swizzles: usize,
    /// Innermost first: what is added, and the masks and shift of the swizzle.
    swizzle: [(i64, i64, i32); MAX_SWIZZLES],
    /// Above every bit that some swizzle reads or changes.
    period: i64,
}

impl Function {
    /// The function of a layout.
    ///
    /// # Errors
    /// Those of [`Value::flat`]; [`Rule::BasisStride`]; [`Rule::NotPositive`] where the value is no layout.
    pub const fn new(value: &Value) -> Result<Self, Rule> {
        if !value.is_layout() {
            return Err(Rule::Congruence);
        }
        let flat = match value.flat() {
            Ok(flat) => flat,
            Err(rule) => return Err(rule),
        };
        let (mut shape, mut stride) = ([1; MAX_MODES], [0; MAX_MODES]);
        let mut i = 0;
        while i < flat.len() {
            if flat.basis(i) != 0 {
                return Err(Rule::BasisStride);
            }
            shape[i] = flat.shape(i);
            stride[i] = flat.stride(i);
            i += 1;
        }
        let mut out = Self {
            len: flat.len(),
            shape,
            stride,
            swizzles: 0,
            swizzle: [(0, 0, 0); MAX_SWIZZLES],
            period: 1,
        };
        let mut layer = *value;
        while let Node::Composed = layer.root() {
            if out.swizzles == MAX_SWIZZLES {
                return Err(Rule::TooManyModes { most: MAX_SWIZZLES });
            }
            let swizzle = match swizzle_of(&layer.child(0)) {
                Ok(swizzle) => swizzle,
                Err(rule) => return Err(rule),
            };
            // Outermost comes first: make room before the others.
            let mut k = out.swizzles;
            while k > 0 {
                out.swizzle[k] = out.swizzle[k - 1];
                k -= 1;
            }
            out.swizzle[0] = (
                layer.child(1).integer(),
                swizzle.yyy_mask(),
                swizzle.shift(),
            );
            out.swizzles += 1;
            let end = 1 << (swizzle.base() + swizzle.bits() + swizzle.shift().unsigned_abs());
            if !swizzle.is_identity() && end > out.period {
                out.period = end;
            }
            layer = layer.child(2);
        }
        Ok(out)
    }

    /// The offset of the linear coordinate `i`.
    pub const fn at(&self, i: i64) -> i64 {
        let (mut rest, mut offset, mut k) = (i, 0, 0);
        while k < self.len {
            offset += rest % self.shape[k] * self.stride[k];
            rest /= self.shape[k];
            k += 1;
        }
        self.swizzled(offset)
    }

    /// What the swizzles make of an offset.
    pub(super) const fn swizzled(&self, offset: i64) -> i64 {
        let (mut offset, mut k) = (offset, 0);
        while k < self.swizzles {
            let (added, mask, shift) = self.swizzle[k];
            offset += added;
            let read = offset & mask;
            offset ^= if shift >= 0 {
                read >> shift
            } else {
                read << -shift
            };
            k += 1;
        }
        offset
    }

    /// Whether the offset of `i ^ j` is that of `i` exclusive-ored with that of `j`, for all `i` and `j`: shapes and strides are
    /// powers of two, no two modes reach the same bit, and nothing is added before a swizzle.
    pub(super) const fn is_linear(&self) -> bool {
        let (mut taken, mut k) = (0i64, 0);
        while k < self.len {
            let (shape, stride) = (self.shape[k], self.stride[k]);
            if shape > 1 && stride != 0 {
                let bits = (shape - 1).saturating_mul(stride);
                if stride < 1 || stride.count_ones() != 1 || bits & taken != 0 {
                    return false;
                }
                taken |= bits;
            }
            if shape.count_ones() != 1 {
                return false;
            }
            k += 1;
        }
        let mut k = 0;
        while k < self.swizzles {
            if self.swizzle[k].0 != 0 {
                return false;
            }
            k += 1;
        }
        true
    }

    /// Adding a multiple of this to the offset before the swizzles adds it to the result.
    pub(super) const fn period(&self) -> i64 {
        self.period
    }
}

/// The swizzle of a node.
///
/// # Errors
/// Those of [`Swizzle::new`].
pub(super) const fn swizzle_of(value: &Value) -> Result<Swizzle, Rule> {
    match value.root() {
        Node::Swizzle { bits: 0, .. } => Ok(Swizzle::IDENTITY),
        Node::Swizzle { bits, base, shift } => Swizzle::new(bits as u32, base as u32, shift as i32),
        _ => Err(Rule::Congruence),
    }
}

/// The offsets of a layout in the order of its coordinates, one addition or two from each to the next.
pub(super) struct Walk {
    flat: Flat,
    digit: [i64; MAX_MODES],
    /// The offset of the coordinate that the walk is at.
    pub(super) offset: i64,
}

impl Walk {
    /// At coordinate 0.
    pub(super) const fn new(flat: &Flat) -> Self {
        Self {
            flat: *flat,
            digit: [0; MAX_MODES],
            offset: 0,
        }
    }

    /// Whether one of the first modes has stride 0, and the walk is not at its first coordinate.
    pub(super) const fn is_repeat(&self, modes: usize) -> bool {
        let mut i = 0;
        while i < modes {
            if self.flat.stride(i) == 0 && self.digit[i] != 0 {
                return true;
            }
            i += 1;
        }
        false
    }

    /// On to the next coordinate.
    pub(super) const fn step(&mut self) {
        let mut i = 0;
        while i < self.flat.len() {
            let (shape, stride) = (self.flat.shape(i), self.flat.stride(i));
            self.digit[i] += 1;
            self.offset += stride;
            if self.digit[i] < shape {
                return;
            }
            self.digit[i] = 0;
            self.offset -= stride * shape;
            i += 1;
        }
    }
}
