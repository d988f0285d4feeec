//! The description of an attention problem in plain numbers.
//!
//! ```text
//!   Q (batches, heads, queries, D)   K, V (batches, key heads, keys, D)   O as Q       each with its own strides of rows, heads, batches
//! ```

use super::AttentionParams;
use crate::ProblemError;

/// The names of a tensor's strides in messages.
macro_rules! stride_names {
    ($tensor:literal) => {
        [
            concat!("the row stride of ", $tensor),
            concat!("the head stride of ", $tensor),
            concat!("the batch stride of ", $tensor),
        ]
    };
}
pub(super) use stride_names;

/// The element type of Q, K, V and O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttentionType {
    /// f16.
    F16,
    /// bf16.
    Bf16,
}

impl AttentionType {
    /// Returns the type's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }
}

/// The keys that a query sees. The last query and the last key lie on one diagonal: query `i` of
/// `queries` has the position of key `i + keys - queries`.
///
/// ```
/// use kernel_abi::attention::AttentionMask;
/// assert_eq!(AttentionMask::Full.band(4, 6), (i32::MIN, i32::MAX));
/// assert_eq!(AttentionMask::Causal.band(4, 6), (i32::MIN, 2));
/// assert_eq!(AttentionMask::Window { before: 1, after: 0 }.band(4, 6), (1, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttentionMask {
    /// All keys.
    Full,
    /// The keys up to the query's own position.
    Causal,
    /// A sliding window: the key at the query's own position, `before` keys before it, and `after`
    /// keys after it.
    Window {
        /// The number of keys before the query's own position.
        before: u32,
        /// The number of keys after the query's own position.
        after: u32,
    },
}

impl AttentionMask {
    /// Returns the smallest and the largest `j - i` for which query `i` sees key `j`.
    #[must_use]
    pub const fn band(self, queries: u32, keys: u32) -> (i32, i32) {
        // The result is not used for extents beyond `MAX_ROWS`, which have no plan.
        let own = (keys as i32).wrapping_sub(queries as i32);
        match self {
            Self::Full => (i32::MIN, i32::MAX),
            Self::Causal => (i32::MIN, own),
            Self::Window { before, after } => (
                own.saturating_sub_unsigned(before),
                own.saturating_add_unsigned(after),
            ),
        }
    }
}

/// Elements between neighbouring rows, heads and batches of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct AttentionStrides {
    /// Between rows.
    pub row: u64,
    /// Between heads.
    pub head: u64,
    /// Between batches.
    pub batch: u64,
}

impl AttentionStrides {
    /// Returns the strides of a compact tensor (batches, heads, rows, `dim`).
    #[must_use]
    pub const fn compact(heads: u32, rows: u32, dim: u32) -> Self {
        Self {
            row: dim as u64,
            head: dim as u64 * rows as u64,
            batch: (dim as u64 * rows as u64).saturating_mul(heads as u64),
        }
    }

    /// Returns the number of elements from the first element of a tensor with these extents to its
    /// last element, both included, or 0 if the tensor has no elements.
    #[must_use]
    pub const fn reach(&self, batches: u32, heads: u32, rows: u32, dim: u32) -> u64 {
        if batches == 0 || heads == 0 || rows == 0 {
            return 0;
        }
        (batches as u64 - 1)
            .saturating_mul(self.batch)
            .saturating_add((heads as u64 - 1).saturating_mul(self.head))
            .saturating_add((rows as u64 - 1).saturating_mul(self.row))
            .saturating_add(dim as u64)
    }

    /// Finds a stride with which elements of a tensor with these extents overlap, trying the
    /// smallest stride first. Returns the stride's index and its smallest allowed value, or `None`
    /// if no elements overlap.
    ///
    /// ```
    /// use kernel_abi::attention::AttentionStrides;
    /// // Rows of 128 one after another; the second head begins at the second row.
    /// let strides = AttentionStrides { row: 128, head: 128, batch: 1 << 20 };
    /// assert_eq!(strides.overlapping(1, 2, 64, 128), Some((1, 64 * 128)));
    /// assert_eq!(AttentionStrides { head: 64 * 128, ..strides }.overlapping(1, 2, 64, 128), None);
    /// ```
    #[must_use]
    pub fn overlapping(
        &self,
        batches: u32,
        heads: u32,
        rows: u32,
        dim: u32,
    ) -> Option<(usize, u64)> {
        let mut all = [
            (self.row, rows, 0),
            (self.head, heads, 1),
            (self.batch, batches, 2),
        ];
        all.sort_unstable_by_key(|&(stride, _, which)| (stride, which));
        let mut span = u64::from(dim);
        for (stride, count, which) in all.into_iter().filter(|(_, count, _)| *count > 1) {
            if stride < span {
                return Some((which, span));
            }
            span = stride
                .saturating_mul(u64::from(count) - 1)
                .saturating_add(span);
        }
        None
    }
}

/// `O = softmax(scale Q Kᵀ + mask) V` for each head of each batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionProblem {
    /// The type of all elements.
    pub element: AttentionType,
    /// The number of batches.
    pub batches: u32,
    /// The number of heads of Q and O.
    pub heads: u32,
    /// The number of heads of K and V, a divisor of `heads`: neighbouring heads of Q share one.
    pub key_heads: u32,
    /// The number of rows of a head of Q and O.
    pub queries: u32,
    /// The number of rows of a head of K and V.
    pub keys: u32,
    /// The number of columns of Q and K: the head dimension.
    pub dim: u32,
    /// The number of columns of V and O.
    pub dim_v: u32,
    /// The keys that a query sees.
    pub mask: AttentionMask,
    /// The factor of the scores, above 0. It is chosen for elements within [-1, 1]: the largest
    /// factor allowed is `2^26 / (log2(e) dim)`, less for more than 512 keys. For gradients it is
    /// `2^16 / (log2(e) dim)`. If elements are larger and a row's exponents exceed this range, the
    /// row is NaN.
    pub scale: f32,
    /// Whether the log-sum-exp of each row is a second result.
    pub lse: bool,
    /// The strides of Q, K, V and O.
    pub strides: [AttentionStrides; 4],
}

/// The largest number of queries and of keys of a head: their differences fit in 31 bits.
pub const MAX_ROWS: u32 = 1 << 30;

impl AttentionProblem {
    /// Returns a problem with compact tensors that have `rows` queries and `rows` keys, and as many
    /// key heads as query heads. The caller passes the scale, usually `1 / sqrt(dim)`, because
    /// there is no square root without `std`.
    #[must_use]
    pub const fn new(
        element: AttentionType,
        (batches, heads, rows, dim): (u32, u32, u32, u32),
        mask: AttentionMask,
        scale: f32,
    ) -> Self {
        Self {
            element,
            batches,
            heads,
            key_heads: heads,
            queries: rows,
            keys: rows,
            dim,
            dim_v: dim,
            mask,
            scale,
            lse: false,
            strides: [AttentionStrides::compact(heads, rows, dim); 4],
        }
    }

    /// Returns the problem with `keys` keys in `key_heads` heads, compact.
    #[must_use]
    pub const fn with_keys(mut self, keys: u32, key_heads: u32) -> Self {
        self.keys = keys;
        self.key_heads = key_heads;
        self.strides[1] = AttentionStrides::compact(key_heads, keys, self.dim);
        self.strides[2] = AttentionStrides::compact(key_heads, keys, self.dim_v);
        self
    }

    /// Returns the problem with `dim_v` columns of V and O, compact.
    ///
    /// ```
    /// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
    /// let of = AttentionProblem::new(AttentionType::Bf16, (1, 2, 10, 192), AttentionMask::Full, 0.1);
    /// let of = of.with_values(128);
    /// assert_eq!((of.strides[1].row, of.strides[2].row, of.strides[3].row), (192, 128, 128));
    /// ```
    #[must_use]
    pub const fn with_values(mut self, dim_v: u32) -> Self {
        self.dim_v = dim_v;
        self.strides[2] = AttentionStrides::compact(self.key_heads, self.keys, dim_v);
        self.strides[3] = AttentionStrides::compact(self.heads, self.queries, dim_v);
        self
    }

    /// Returns the problem with the log-sum-exp of each row as a second result.
    #[must_use]
    pub const fn with_lse(mut self) -> Self {
        self.lse = true;
        self
    }

    /// Returns the number of multiplications and additions in both products, counted for each pair
    /// of a query and a key that the query sees.
    #[must_use]
    pub fn operations(&self) -> f64 {
        let (queries, keys) = (f64::from(self.queries), f64::from(self.keys));
        let seen = match self.mask {
            AttentionMask::Full => queries * keys,
            mask => {
                let (lower, upper) = mask.band(self.queries, self.keys);
                (0..self.queries)
                    .map(|query| {
                        let query = i64::from(query);
                        let last = (query + i64::from(upper)).min(i64::from(self.keys) - 1);
                        let first = (query + i64::from(lower)).max(0);
                        (last - first + 1).max(0) as f64
                    })
                    .sum()
            }
        };
        let columns = f64::from(self.dim) + f64::from(self.dim_v);
        2.0 * seen * columns * f64::from(self.heads) * f64::from(self.batches)
    }

    /// Returns the kernel's parameters.
    pub(super) fn params(&self, section: u32) -> AttentionParams {
        let (lower, upper) = self.mask.band(self.queries, self.keys);
        let [_, _, _, o] = self.strides;
        AttentionParams {
            queries: self.queries,
            keys: self.keys,
            heads: self.heads,
            heads_per_key: self.heads / self.key_heads,
            batches: self.batches,
            section,
            lower,
            upper,
            scale_log2: self.scale * core::f32::consts::LOG2_E,
            flags: if self.lse { super::flags::LSE } else { 0 },
            row_o: o.row,
            head_o: o.head,
            batch_o: o.batch,
        }
    }

    /// Refuses problems that no kernel can compute.
    ///
    /// # Errors
    /// Returns a [`ProblemError`] with the number, the value given and the values allowed.
    pub fn check(&self) -> Result<(), ProblemError> {
        let extent = |name, given, max| crate::checked_extent(name, given, max).map(|_| ());
        extent("the number of batches", self.batches, 1 << 20)?;
        extent("the number of heads", self.heads, 1 << 20)?;
        extent("the number of key heads", self.key_heads, 1 << 20)?;
        extent("the number of queries", self.queries, MAX_ROWS)?;
        extent("the number of keys", self.keys, MAX_ROWS)?;
        multiple_of(
            "the number of heads",
            self.heads.into(),
            self.key_heads.into(),
        )?;
        extent("the head dimension", self.dim, 1 << 16)?;
        extent("the head dimension of V", self.dim_v, 1 << 16)?;
        self.check_scale(super::scale::EXPONENTS_OF_HALF)?;
        let [q, k, v, o] = &self.strides;
        let (queries, keys) = ((self.queries, self.heads), (self.keys, self.key_heads));
        let values = self.of_values();
        self.check_strides(q, queries, stride_names!("Q"))?;
        self.check_strides(k, keys, stride_names!("K"))?;
        values.check_strides(v, keys, stride_names!("V"))?;
        values.check_strides(o, queries, stride_names!("O"))?;
        values.check_apart(o, queries, stride_names!("O"))
    }

    /// Returns the problem with the columns of V and O in place of those of Q and K.
    pub(super) const fn of_values(&self) -> Self {
        Self {
            dim: self.dim_v,
            ..*self
        }
    }

    /// Checks that V has as many columns as K, which every kernel with the property `first`
    /// requires.
    pub(super) const fn check_one_dim(&self, first: &'static str) -> Result<(), ProblemError> {
        if self.dim == self.dim_v {
            return Ok(());
        }
        let second = "a head dimension of V of its own";
        Err(ProblemError::NotTogether { first, second })
    }

    /// Checks the strides of a tensor. Rows must begin at multiples of 16 bytes, as a tensor map
    /// requires. A stride along an extent of 1 is not checked.
    pub(super) fn check_strides(
        &self,
        strides: &AttentionStrides,
        (rows, heads): (u32, u32),
        [row, head, batch]: [&'static str; 3],
    ) -> Result<(), ProblemError> {
        for (name, stride, count) in [
            (row, strides.row, rows),
            (head, strides.head, heads),
            (batch, strides.batch, self.batches),
        ] {
            if count > 1 {
                multiple_of(name, stride, 8)?;
                if stride < self.dim.into() {
                    return Err(ProblemError::Overlapping {
                        stride: name,
                        given: stride,
                        min: self.dim.into(),
                    });
                }
                if stride > 1 << 38 {
                    return Err(ProblemError::TooLarge {
                        what: name,
                        given: stride,
                        max: 1 << 38,
                    });
                }
            }
        }
        Ok(())
    }

    /// Checks that each element of a result has its own address. Otherwise two CTAs could store to
    /// the same address.
    pub(super) fn check_apart(
        &self,
        strides: &AttentionStrides,
        (rows, heads): (u32, u32),
        names: [&'static str; 3],
    ) -> Result<(), ProblemError> {
        match strides.overlapping(self.batches, heads, rows, self.dim) {
            Some((which, min)) => Err(ProblemError::Overlapping {
                stride: names[which],
                given: [strides.row, strides.head, strides.batch][which],
                min,
            }),
            None => Ok(()),
        }
    }
}

pub(super) fn multiple_of(what: &'static str, given: u64, of: u64) -> Result<(), ProblemError> {
    if given.checked_rem(of) == Some(0) {
        Ok(())
    } else {
        Err(ProblemError::NotMultiple { what, given, of })
    }
}
