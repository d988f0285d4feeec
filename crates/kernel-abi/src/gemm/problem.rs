//! The description of a GEMM that a host passes.
//!
//! ```text
//!   D, C (m, n)  row-major           element (i, j) of batch z at  z batch_stride + i ld + j
//!   A    (m, k)  row-major: i lda + k            column-major: k lda + i           by majors
//!   B    (k, n)  row-major: k ldb + j            column-major: j ldb + k
//! ```
//!
//! A grouped product has no batches. A and D contain the rows of all groups, one group after the
//! other, and each group has its own B. A list on the device holds the number of rows of each
//! group, which may be 0:
//!
//! ```text
//!   list (groups)    rows of each group, u32                        rows after the last group's are not written
//!   D rows of group g = act(alpha (A rows of group g) B_g + bias)   B_g at g batch_strides[1]
//! ```
//!
//! With `own_extents` the list has three numbers per group: M, N and K. Each is at most the same
//! extent of the problem. The group uses the first K columns of A, the first N columns and K rows
//! of B, and the first N columns of D. Elements beyond these columns and rows do not affect the
//! result, and are not written. A group whose M, N or K is 0 has no D.
//!
//! Law: one type describes a product from the command line, or from operands in memory, to the
//! launch, and each field is decided in one place. All counts are in elements unless they say
//! bytes.

use super::{AccumulatorType, Epilogue, InputType, Major, Majors, OutputType, Scaling};

/// `D = act(alpha A·B + beta C + bias)` for every batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GemmProblem {
    /// The number of rows of A and D.
    pub m: u32,
    /// The number of columns of B and D.
    pub n: u32,
    /// The number of columns of A and of rows of B.
    pub k: u32,
    /// The number of products.
    pub batches: u32,
    /// The number of groups of a grouped product, or 0 for a product without groups. In a grouped
    /// product `m` is an upper bound of the sum of all groups' rows.
    pub groups: u32,
    /// Whether each group has its own N and K. `n` and `k` are then their upper bounds.
    pub own_extents: bool,
    /// The type of A and B.
    pub input: InputType,
    /// The type of the accumulator.
    pub accumulator: AccumulatorType,
    /// The type of C and D.
    pub output: OutputType,
    /// The majors of A and B.
    pub majors: Majors,
    /// A's leading dimension: at least k, or m if A is column-major.
    pub lda: u64,
    /// B's leading dimension: at least k, or n if B is row-major.
    pub ldb: u64,
    /// C's leading dimension: at least n, or 0 for a C of one row, which all rows of D read.
    pub ldc: u64,
    /// D's leading dimension: at least n.
    pub ldd: u64,
    /// The batch strides of A, B, C and D.
    pub batch_strides: [u64; 4],
    /// A power of two that divides the addresses of A and B, in bytes. Kernels use at most 16.
    pub input_alignment: u32,
    /// A power of two that divides the addresses of D, C and the bias, in bytes. It is at least the
    /// size of an element of D. Kernels use at most 16. A bias is aligned to 4 bytes in any case.
    pub output_alignment: u32,
    /// The epilogue's operations.
    pub epilogue: Epilogue,
    /// Where the scales of A and B are applied. Values other than [`Scaling::Tensor`] exist only
    /// for e4m3.
    pub scaling: Scaling,
    /// Whether a product with the epilogue `D = A·B + D` may be rounded to D's type before D is
    /// added, and the sum be rounded again. A kernel that stores D by TMA then uses a reducing
    /// store, and loads no C. C must be D. The flag does not affect any other epilogue.
    pub reducing_store: bool,
}

impl GemmProblem {
    /// Returns one product of packed matrices, A row-major and B column-major, with the identity
    /// epilogue.
    #[must_use]
    pub const fn new(m: u32, n: u32, k: u32, input: InputType, output: OutputType) -> Self {
        Self {
            m,
            n,
            k,
            batches: 1,
            groups: 0,
            own_extents: false,
            input,
            accumulator: input.default_accumulator(),
            output,
            majors: Majors::Tn,
            lda: k as u64,
            ldb: k as u64,
            ldc: n as u64,
            ldd: n as u64,
            batch_strides: [0; 4],
            input_alignment: 16,
            output_alignment: 16,
            epilogue: Epilogue::NONE,
            scaling: Scaling::Tensor,
            reducing_store: false,
        }
    }

    /// Returns the problem with other majors, A and B packed.
    #[must_use]
    pub const fn with_majors(mut self, majors: Majors) -> Self {
        self.majors = majors;
        let [a, b] = self.contiguous();
        self.lda = a as u64;
        self.ldb = b as u64;
        self
    }

    /// Returns the problem with `padding` more elements in every leading dimension.
    #[must_use]
    pub const fn with_padding(mut self, padding: u32) -> Self {
        let padding = padding as u64;
        self.lda += padding;
        self.ldb += padding;
        self.ldc += padding;
        self.ldd += padding;
        self
    }

    /// Returns the problem with `batches` batches. With the current leading dimensions, each batch
    /// directly follows the one before it.
    #[must_use]
    pub const fn with_batches(mut self, batches: u32) -> Self {
        let [m, n, k] = [self.m as u64, self.n as u64, self.k as u64];
        self.batches = batches;
        self.batch_strides = [
            match self.majors.a() {
                Major::K => m * self.lda,
                Major::Mn => k * self.lda,
            },
            match self.majors.b() {
                Major::K => n * self.ldb,
                Major::Mn => k * self.ldb,
            },
            m * self.ldc,
            m * self.ldd,
        ];
        self
    }

    /// Returns the problem as a grouped product of `groups` groups (at least 1), whose B matrices
    /// follow each other without gaps, at the current leading dimension.
    #[must_use]
    pub const fn with_groups(mut self, groups: u32) -> Self {
        self.groups = groups;
        let b = match self.majors.b() {
            Major::K => self.n as u64 * self.ldb,
            Major::Mn => self.k as u64 * self.ldb,
        };
        self.batch_strides = [0, if groups > 1 { b } else { 0 }, 0, 0];
        self
    }

    /// Returns the problem with an N and a K for each group if `own` is set.
    ///
    /// ```
    /// use kernel_abi::gemm::{GemmProblem, InputType, OutputType};
    /// let problem = GemmProblem::new(300, 64, 128, InputType::F16, OutputType::Same).with_groups(3);
    /// assert_eq!(problem.numbers_of_group(), 1);
    /// assert_eq!(problem.with_own_extents(true).numbers_of_group(), 3);
    /// ```
    #[must_use]
    pub const fn with_own_extents(mut self, own: bool) -> Self {
        self.own_extents = own;
        self
    }

    /// Returns how many numbers the list has per group: 1 (its rows), or 3 (M, N and K).
    #[must_use]
    pub const fn numbers_of_group(&self) -> u32 {
        if self.own_extents { 3 } else { 1 }
    }

    /// Returns the number of matrices of A, B, C and D: one per batch. In a grouped product B has
    /// one matrix per group, and A, C and D have one matrix each.
    #[must_use]
    pub const fn matrices(&self) -> [u32; 4] {
        if self.groups == 0 {
            [self.batches; 4]
        } else {
            [1, self.groups, 1, 1]
        }
    }

    /// Returns the largest number of rows of tiles that all batches, or all groups, have together,
    /// if a tile has `rows` rows of D.
    ///
    /// ```
    /// use kernel_abi::gemm::{GemmProblem, InputType, OutputType};
    /// let problem = GemmProblem::new(300, 64, 64, InputType::F16, OutputType::Same);
    /// assert_eq!(problem.with_batches(2).tile_rows(128), 6);
    /// // Groups of 1, 1 and 298 rows.
    /// assert_eq!(problem.with_groups(3).tile_rows(128), 5);
    /// assert_eq!(problem.with_groups(1).tile_rows(128), 3);
    /// ```
    #[must_use]
    pub const fn tile_rows(&self, rows: u32) -> u64 {
        if self.groups == 0 {
            return self.m.div_ceil(rows) as u64 * self.batches as u64;
        }
        // The tiles of a group with rows have at most `rows - 1` more rows than the group.
        let groups = if self.groups < self.m {
            self.groups
        } else {
            self.m
        };
        (self.m as u64 + groups as u64 * (rows as u64 - 1)) / rows as u64
    }

    /// Returns the problem with this accumulator type.
    #[must_use]
    pub const fn with_accumulator(mut self, accumulator: AccumulatorType) -> Self {
        self.accumulator = accumulator;
        self
    }

    /// Returns the problem with this epilogue.
    #[must_use]
    pub const fn with_epilogue(mut self, epilogue: Epilogue) -> Self {
        self.epilogue = epilogue;
        self
    }

    /// Returns the problem with [`reducing_store`](Self::reducing_store) set to `reducing`: D may
    /// then be rounded twice if that is faster.
    #[must_use]
    pub const fn with_reducing_store(mut self, reducing: bool) -> Self {
        self.reducing_store = reducing;
        self
    }

    /// Returns the problem with another place at which the scales are applied.
    #[must_use]
    pub const fn with_scaling(mut self, scaling: Scaling) -> Self {
        self.scaling = scaling;
        self
    }

    /// Returns the extents of A and of B along which their elements are contiguous.
    #[must_use]
    pub const fn contiguous(&self) -> [u32; 2] {
        [
            match self.majors.a() {
                Major::K => self.k,
                Major::Mn => self.m,
            },
            match self.majors.b() {
                Major::K => self.k,
                Major::Mn => self.n,
            },
        ]
    }

    /// Returns the number of multiplications and additions of all batches.
    #[must_use]
    pub fn operations(&self) -> f64 {
        2.0 * [self.m, self.n, self.k, self.batches]
            .map(f64::from)
            .iter()
            .product::<f64>()
    }

    /// Returns the widest vector access of A and B, in bytes: the largest power of two, up to 16,
    /// that divides the address and the length of every row that a kernel loads. A configuration's
    /// `load_bytes` must not exceed it.
    #[must_use]
    pub const fn alignment(&self) -> u32 {
        let [a, b] = self.contiguous();
        let all = a as u64
            | b as u64
            | self.lda
            | self.ldb
            | self.batch_strides[0]
            | self.batch_strides[1];
        vector_bytes((all * self.input.bytes() as u64) | self.input_alignment as u64)
    }
}

/// Returns the largest power of two up to 16 that divides `bytes`.
pub(super) const fn vector_bytes(bytes: u64) -> u32 {
    let power = (bytes | 16).trailing_zeros();
    1 << if power > 4 { 4 } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the alignment against its definition: it divides every address and every row length.
    #[test]
    fn alignment_divides_every_row() {
        for (m, n, k, padding) in [(8, 16, 32, 0), (12, 8, 24, 4), (9, 8, 16, 0), (8, 8, 8, 1)] {
            for majors in [Majors::Tn, Majors::Nn, Majors::Tt, Majors::Nt] {
                let problem = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same)
                    .with_majors(majors)
                    .with_padding(padding)
                    .with_batches(3);
                let [a, b] = problem.contiguous();
                let rows = |across: u64, ld: u64, stride: u64| {
                    (0..3).flat_map(move |z| (0..across).map(move |i| z * stride + i * ld))
                };
                let (across_a, across_b) = (
                    u64::from(m * k / a), // the other extent
                    u64::from(n * k / b),
                );
                let lengths = [u64::from(a), u64::from(b)];
                let best = rows(across_a, problem.lda, problem.batch_strides[0])
                    .chain(rows(across_b, problem.ldb, problem.batch_strides[1]))
                    .chain(lengths)
                    .map(|elements| vector_bytes(2 * elements))
                    .min();
                assert_eq!(Some(problem.alignment()), best, "{problem:?}");
            }
        }
    }
}
