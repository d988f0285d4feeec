//! Flat layouts of fixed capacity: the value type on which every rule is stated.
//!
//! A rule about layouts is a statement about numbers, so it needs neither an allocator nor types:
//! the run-time mirror and the compile-time checks both flatten their layout into a [`Flat`] and
//! call the same `const fn`.
//!
//! ```text
//! ((4,8),2):((32,1),16)   ->   shape  [4, 8, 2]
//!                              stride [32, 1, 16]
//! ```

use super::Rule;

/// The largest number of modes of a flat layout, and of leaves of any layout. CuTe's own atoms and
/// tiles stay below a dozen.
pub const MAX_MODES: usize = 32;
/// The deepest nesting of a layout.
pub const MAX_DEPTH: usize = 16;

/// A layout without nesting: `len` modes, mode 0 varying fastest.
///
/// `basis` distinguishes strides of different scaled bases (0 for plain integers): strides `1@0`
/// and `1@1` have the same number but are never equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flat {
    len: usize,
    shape: [i64; MAX_MODES],
    stride: [i64; MAX_MODES],
    basis: [u8; MAX_MODES],
}

impl Default for Flat {
    fn default() -> Self {
        Self::new()
    }
}

impl Flat {
    /// Makes the layout without a mode: it has one element, at offset 0.
    pub const fn new() -> Self {
        Self {
            len: 0,
            shape: [1; MAX_MODES],
            stride: [0; MAX_MODES],
            basis: [0; MAX_MODES],
        }
    }

    /// Makes a layout from its shapes and integer strides.
    ///
    /// # Errors
    /// Returns [`Rule::TooManyModes`] beyond [`MAX_MODES`], or [`Rule::Congruence`] when the
    /// lengths differ.
    pub const fn from_slices(shape: &[i64], stride: &[i64]) -> Result<Self, Rule> {
        if shape.len() != stride.len() {
            return Err(Rule::Congruence);
        }
        let mut flat = Self::new();
        let mut i = 0;
        while i < shape.len() {
            if let Err(rule) = flat.push(shape[i], stride[i], 0) {
                return Err(rule);
            }
            i += 1;
        }
        Ok(flat)
    }

    /// Appends a mode of the given shape, stride and basis (0 for a plain integer).
    ///
    /// # Errors
    /// Returns [`Rule::TooManyModes`] when the layout is full.
    pub const fn push(&mut self, shape: i64, stride: i64, basis: u8) -> Result<(), Rule> {
        if self.len == MAX_MODES {
            return Err(Rule::TooManyModes { most: MAX_MODES });
        }
        self.shape[self.len] = shape;
        self.stride[self.len] = stride;
        // A stride of zero has no basis: `0@0`, `0@1` and `0` are one value.
        self.basis[self.len] = if stride == 0 { 0 } else { basis };
        self.len += 1;
        Ok(())
    }

    /// Returns the number of modes.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no mode at all.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the shape of mode `i`, or 1 past the end.
    pub const fn shape(&self, i: usize) -> i64 {
        if i < self.len { self.shape[i] } else { 1 }
    }

    /// Returns the stride of mode `i`, or 0 past the end.
    pub const fn stride(&self, i: usize) -> i64 {
        if i < self.len { self.stride[i] } else { 0 }
    }

    /// Returns the basis of mode `i`'s stride, or 0 for a plain integer.
    pub const fn basis(&self, i: usize) -> u8 {
        if i < self.len { self.basis[i] } else { 0 }
    }

    /// Returns the number of elements, or `None` if the number does not fit.
    pub const fn size(&self) -> Option<i64> {
        let mut size: i64 = 1;
        let mut i = 0;
        while i < self.len {
            size = match size.checked_mul(self.shape[i]) {
                Some(size) => size,
                None => return None,
            };
            i += 1;
        }
        Some(size)
    }

    /// Evaluates `layout(index)` for the strides of one basis. The last mode is unbounded; a
    /// negative index divides by truncation as in C++ (`layout(-i) == -layout(i)`).
    pub const fn at(&self, index: i128, basis: u8) -> i128 {
        // Nearly every index fits in 64 bits, where division is several times as fast.
        if index > i64::MIN as i128 && index <= i64::MAX as i128 {
            return self.at_narrow(index as i64, basis);
        }
        let mut rest = index;
        let mut sum = 0i128;
        let mut i = 0;
        while i < self.len {
            let digit = if i + 1 == self.len {
                rest
            } else {
                rest % self.shape[i] as i128
            };
            if self.basis[i] == basis {
                sum = sum.wrapping_add(digit.wrapping_mul(self.stride[i] as i128));
            }
            rest /= self.shape[i] as i128;
            i += 1;
        }
        sum
    }

    /// Evaluates [`at`](Self::at) for an index that fits in 64 bits.
    const fn at_narrow(&self, index: i64, basis: u8) -> i128 {
        let mut rest = index;
        let mut sum = 0i128;
        let mut i = 0;
        while i < self.len {
            let digit = if i + 1 == self.len {
                rest
            } else {
                rest % self.shape[i]
            };
            if self.basis[i] == basis {
                sum = sum.wrapping_add((digit as i128).wrapping_mul(self.stride[i] as i128));
            }
            rest /= self.shape[i];
            i += 1;
        }
        sum
    }

    /// Returns CuTe's `coalesce`: the same function on `0..size` with the fewest modes, without
    /// modes of size 1.
    ///
    /// With `keep_tail` the function is also the same beyond the size (CuTe's `coalesce_x`): a
    /// trailing mode of size 1 stays, as a mode of shape 2 whose shape is never read.
    ///
    /// ```
    /// use layout_types::dynamic::rules::Flat;
    /// let flat = Flat::from_slices(&[2, 1, 6], &[1, 6, 2]).unwrap();
    /// assert_eq!(flat.coalesce(false), Flat::from_slices(&[12], &[1]).unwrap());
    /// ```
    pub const fn coalesce(&self, keep_tail: bool) -> Self {
        let mut reversed = Self::new();
        let mut i = self.len;
        while i > 0 {
            i -= 1;
            let (mut shape, stride, basis) = (self.shape[i], self.stride[i], self.basis[i]);
            if shape == 1 {
                if keep_tail && i + 1 == self.len {
                    shape = 2;
                } else {
                    continue;
                }
            }
            let last = reversed.len.wrapping_sub(1);
            if reversed.len > 0
                && same_step(
                    shape,
                    stride,
                    basis,
                    reversed.stride[last],
                    reversed.basis[last],
                )
            {
                reversed.shape[last] = reversed.shape[last].saturating_mul(shape);
                reversed.stride[last] = stride;
                reversed.basis[last] = if stride == 0 { 0 } else { basis };
            } else {
                // `reversed` has at most as many modes as `self`, so the index is below the
                // capacity.
                reversed.shape[reversed.len] = shape;
                reversed.stride[reversed.len] = stride;
                reversed.basis[reversed.len] = if stride == 0 { 0 } else { basis };
                reversed.len += 1;
            }
        }
        let mut out = Self::new();
        let mut k = reversed.len;
        while k > 0 {
            k -= 1;
            out.shape[out.len] = reversed.shape[k];
            out.stride[out.len] = reversed.stride[k];
            out.basis[out.len] = reversed.basis[k];
            out.len += 1;
        }
        if out.len == 0 {
            out.len = 1; // 1:0
        }
        out
    }

    /// Gives modes of stride 0 size 1, and then calls [`coalesce`](Self::coalesce): CuTe's
    /// `filter`.
    pub const fn filter(&self) -> Self {
        let mut ones = *self;
        let mut i = 0;
        while i < ones.len {
            if ones.stride[i] == 0 {
                ones.shape[i] = 1;
            }
            i += 1;
        }
        ones.coalesce(false)
    }

    /// Returns the modes in ascending order of stride. Modes of equal stride come in the order of
    /// CuTe's exchange sort. This sort is not stable, and it decides which of equal modes an
    /// inverse keeps.
    pub const fn sorted(&self) -> [usize; MAX_MODES] {
        let mut order = [0usize; MAX_MODES];
        let mut i = 0;
        while i < self.len {
            order[i] = i;
            i += 1;
        }
        i = 0;
        while i < self.len {
            let mut k = i + 1;
            while k < self.len {
                if self.stride[order[k]] < self.stride[order[i]] {
                    (order[i], order[k]) = (order[k], order[i]);
                }
                k += 1;
            }
            i += 1;
        }
        order
    }

    /// Returns the smallest number above every offset, or `None` if it does not fit. The magnitudes
    /// of the strides count: CuTe's `cosize`.
    pub const fn cosize(&self) -> Option<i64> {
        let mut sum: i64 = 1;
        let mut i = 0;
        while i < self.len {
            let span = match (self.shape[i] - 1).checked_mul(self.stride[i].saturating_abs()) {
                Some(span) => span,
                None => return None,
            };
            sum = match sum.checked_add(span) {
                Some(sum) => sum,
                None => return None,
            };
            i += 1;
        }
        Some(sum)
    }
}

/// Whether a mode and a following mode of stride `next` are together one longer mode.
const fn same_step(shape: i64, stride: i64, basis: u8, next: i64, next_basis: u8) -> bool {
    match shape.checked_mul(stride) {
        Some(product) => product == next && (product == 0 || basis == next_basis),
        None => false,
    }
}

/// Computes `ceil(a / b)` for `a >= 0`, `b > 0`.
pub const fn ceil_div(a: i64, b: i64) -> i64 {
    a / b + (a % b != 0) as i64
}

/// Computes the greatest common divisor of the magnitudes. `gcd(0, n)` is the magnitude of `n`.
pub const fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
