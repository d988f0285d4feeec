//! `Swizzle<B, M, S>`: combines some bits of an offset with others by exclusive-or.
//!
//! ```text
//! Sw<2,3,3>        offset  ....YY.ZZ...      2 bits, 3 from the right kept, 3 apart
//!                  result  ....YY.(Z^Y)...
//! ```
//!
//! A swizzle is its own inverse. It permutes every aligned run of `2^(M+B+|S|)` offsets, and moves
//! aligned runs of `2^M` offsets as one piece, as a vector access needs. Source:
//! `cute/swizzle.hpp`.

use core::fmt;

use super::Rule;

/// A swizzle as a value: `bits` (B), `base` (M) and `shift` (S) of CuTe's `Swizzle<B, M, S>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

impl Swizzle {
    /// The identity, as CuTe writes it.
    pub const IDENTITY: Self = Self {
        bits: 0,
        base: 4,
        shift: 3,
    };

    /// Makes the swizzle `Swizzle<bits, base, shift>`.
    ///
    /// # Errors
    /// Returns [`Rule::SwizzleOverlap`] where `|shift| < bits`, or [`Rule::SwizzleRange`] past bit
    /// 31.
    ///
    /// ```
    /// use layout_types::dynamic::Swizzle;
    /// let swizzle = Swizzle::new(2, 3, 3).unwrap();
    /// assert_eq!(swizzle.apply(64), 64 + 8);
    /// assert_eq!(swizzle.apply(swizzle.apply(77)), 77);
    /// assert!(Swizzle::new(3, 0, 2).is_err());
    /// ```
    pub const fn new(bits: u32, base: u32, shift: i32) -> Result<Self, Rule> {
        if bits > shift.unsigned_abs() {
            return Err(Rule::SwizzleOverlap { bits, shift });
        }
        let end = base
            .saturating_add(bits)
            .saturating_add(shift.unsigned_abs());
        if end > 31 {
            return Err(Rule::SwizzleRange { end });
        }
        Ok(Self { bits, base, shift })
    }

    /// Returns the number of bits that are changed, CuTe's B.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns the number of low bits that are not changed, CuTe's M.
    pub const fn base(&self) -> u32 {
        self.base
    }

    /// Returns the distance from the bits changed to the bits read, CuTe's S.
    pub const fn shift(&self) -> i32 {
        self.shift
    }

    /// Whether no offset moves.
    pub const fn is_identity(&self) -> bool {
        self.bits == 0
    }

    const fn run(&self) -> i64 {
        ((1 << self.bits) - 1) << self.base
    }

    /// Returns the mask of the bits that are read, CuTe's `yyy_msk`.
    pub const fn yyy_mask(&self) -> i64 {
        if self.shift > 0 {
            self.run() << self.shift
        } else {
            self.run()
        }
    }

    /// Returns the mask of the bits that are changed, CuTe's `zzz_msk`.
    pub const fn zzz_mask(&self) -> i64 {
        if self.shift > 0 {
            self.run()
        } else {
            self.run() << -self.shift
        }
    }

    /// Returns the offset with its `zzz` bits exclusive-ored by its `yyy` bits.
    pub const fn apply(&self, offset: i64) -> i64 {
        let read = offset & self.yyy_mask();
        offset
            ^ if self.shift >= 0 {
                read >> self.shift
            } else {
                read << -self.shift
            }
    }

    /// Returns the first offset that moves, or `i64::MAX` for the identity. No smaller offset
    /// moves.
    pub const fn first_moved(&self) -> i64 {
        match self.yyy_mask() {
            0 => i64::MAX,
            mask => mask & -mask,
        }
    }

    /// Returns the largest `m <= n` such that the swizzle maps every offset below `m` to an offset
    /// below `n`.
    ///
    /// ```
    /// use layout_types::dynamic::Swizzle;
    /// let swizzle = Swizzle::new(1, 2, 1).unwrap(); // 8 .. 12 change places with 12 .. 16
    /// assert_eq!((swizzle.prefix_within(16), swizzle.prefix_within(12), swizzle.prefix_within(8)), (16, 8, 8));
    /// ```
    pub const fn prefix_within(&self, n: i64) -> i64 {
        if self.bits == 0 {
            return n;
        }
        // Aligned blocks up to the highest bit changed are permuted. The last block is cut to
        // `rest` offsets: find the least of them that the swizzle moves out of these `rest`
        // offsets.
        let block = 1i64 << (64 - self.zzz_mask().leading_zeros());
        let rest = n & (block - 1);
        let start = n - rest;
        if rest == 0 {
            return n;
        }
        if self.shift > 0 {
            // The bits read are above the block: the same bits (`by`) change at each offset of the
            // block. The least `j` with `j ^ by >= rest` has the bits that are in `rest` and not in
            // `by`, down to the highest bit that is in `by` and not in `rest`.
            let by = self.apply(start) ^ start;
            let (least, beyond) = (rest & !by, by & !rest);
            if beyond == 0 {
                return start + least;
            }
            let below = (2i64 << beyond.ilog2()) - 1;
            return start + (least & !below);
        }
        // The bits read are below the bits changed. Offsets below `upper` have no changed bit set,
        // so the swizzle writes the bits read there. If the bits read equal `top`, the lower bits
        // decide; if they are larger, the offset leaves the run.
        let upper = 1i64 << (self.base + self.shift.unsigned_abs());
        let (top, low) = (rest / upper, rest % upper);
        let (at_top, above_top) = (top << self.base, (top + 1) << self.base);
        if top + 1 < 1 << self.bits {
            let least = if low > at_top { low } else { at_top };
            return start + if least < above_top { least } else { above_top };
        }
        // The bits read cannot exceed `top`: find the next offset from `low` on that has all bits
        // read set.
        let span = 1i64 << (self.base + self.bits);
        let last = low % span;
        start + low - last + if last > at_top { last } else { at_top }
    }

    /// Makes the swizzle that reads the bits `y` and changes the bits `z`, CuTe's
    /// `make_swizzle<y, z>`.
    ///
    /// # Errors
    /// Returns [`Rule::SwizzleMasks`] unless both masks are runs of equally many bits, or the
    /// errors of [`new`](Self::new).
    pub const fn from_masks(y: i64, z: i64) -> Result<Self, Rule> {
        if y < 0 || z < 0 || y.count_ones() != z.count_ones() {
            return Err(Rule::SwizzleMasks { y, z });
        }
        if y == 0 {
            return Ok(Self {
                bits: 0,
                base: 0,
                shift: 0,
            });
        }
        let (low_y, low_z) = (y.trailing_zeros(), z.trailing_zeros());
        let base = if low_y < low_z { low_y } else { low_z };
        match Self::new(y.count_ones(), base, low_y as i32 - low_z as i32) {
            Err(rule) => Err(rule),
            Ok(found) if found.yyy_mask() == y && found.zzz_mask() == z => Ok(found),
            Ok(_) => Err(Rule::SwizzleMasks { y, z }),
        }
    }

    /// Composes two swizzles of the same shift: CuTe's `composition(Swizzle, Swizzle)`.
    ///
    /// # Errors
    /// Returns [`Rule::SwizzleShift`]; [`Rule::SwizzleMasks`] if the merged bits are not a run; or
    /// [`Rule::SwizzleDiffers`] if one swizzle changes bits that the other reads, so that no single
    /// swizzle equals the composition.
    pub const fn compose(&self, other: &Self) -> Result<Self, Rule> {
        if self.shift != other.shift {
            return Err(Rule::SwizzleShift {
                left: self.shift,
                right: other.shift,
            });
        }
        let clash = self.yyy_mask() & other.zzz_mask();
        if clash != 0 {
            return Err(Rule::SwizzleDiffers { at: clash });
        }
        Self::from_masks(
            self.yyy_mask() ^ other.yyy_mask(),
            self.zzz_mask() ^ other.zzz_mask(),
        )
    }

    /// Returns the swizzle of offsets counted in units of `n` elements:
    /// `upcast(n).apply(x / n) == apply(x) / n`.
    ///
    /// # Errors
    /// Returns [`Rule::NotPowerOfTwo`], or [`Rule::SwizzleTorn`] if bits inside a unit are
    /// exclusive-ored into bits above it (a negative shift), which separates the unit's elements.
    /// CuTe returns a swizzle in this case.
    pub const fn upcast(&self, n: i64) -> Result<Self, Rule> {
        if n < 1 || n.count_ones() != 1 {
            return Err(Rule::NotPowerOfTwo { value: n });
        }
        let down = n.trailing_zeros();
        if down <= self.base {
            return Ok(Self {
                bits: self.bits,
                base: self.base - down,
                shift: self.shift,
            });
        }
        // One past the highest bit read inside a unit; `end + |shift|` is one past the bit that it
        // changes.
        let end = if self.base + self.bits < down {
            self.base + self.bits
        } else {
            down
        };
        if self.shift < 0 && self.bits > 0 && end + self.shift.unsigned_abs() > down {
            return Err(Rule::SwizzleTorn {
                n,
                whole: 1 << self.base,
            });
        }
        Ok(Self {
            bits: self.bits.saturating_sub(down - self.base),
            base: 0,
            shift: self.shift,
        })
    }

    /// Returns the swizzle of offsets after each element was split into `n` elements.
    ///
    /// # Errors
    /// Returns [`Rule::NotPowerOfTwo`] or [`Rule::SwizzleRange`].
    pub const fn downcast(&self, n: i64) -> Result<Self, Rule> {
        if n < 1 || n.count_ones() != 1 {
            return Err(Rule::NotPowerOfTwo { value: n });
        }
        Self::new(self.bits, self.base + n.trailing_zeros(), self.shift)
    }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sw<{},{},{}>", self.bits, self.base, self.shift)
    }
}
