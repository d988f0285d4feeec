//! What a GEMM kernel is told: seven arguments, six addresses and one structure of plain numbers.
//!
//! ```text
//!   kernel(d, a, b, c, bias, workspace, parameters)        D = act(alpha A B + beta C + bias)
//!
//!   D, C (m, n)  row-major           element (i, j) of batch z at  z batch + i ld + j
//!   A    (m, k)  row-major: i lda + k            column-major: k lda + i           by the kernel's majors
//!   B    (k, n)  row-major: k ldb + j            column-major: j ldb + k
//!   bias (n)     f32, the same for all batches
//! ```
//!
//! Law: the structure has C's layout, 96 bytes; a field that an epilogue's flags do not name is not read, nor is a buffer.
//! All counts are of elements.

/// A GEMM kernel's last argument, by value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Parameters {
    /// Rows of A and D.
    pub m: u32,
    /// Columns of B and D.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// How tiles are shared out: 0 for stream-K over the grid's blocks, 1 for a tile a block, s for a tile's k by s blocks.
    pub parts: u32,
    /// From row to row of A, or from column to column where A is column-major.
    pub lda: u64,
    /// From column to column of B, or from row to row where B is row-major.
    pub ldb: u64,
    /// From row to row of C.
    pub ldc: u64,
    /// From row to row of D.
    pub ldd: u64,
    /// From A of one batch to A of the next; 0 where all batches have one A.
    pub batch_a: u64,
    /// From B of one batch to B of the next; 0 where all batches have one B.
    pub batch_b: u64,
    /// From C of one batch to C of the next.
    pub batch_c: u64,
    /// From D of one batch to D of the next.
    pub batch_d: u64,
    /// What the product is multiplied by.
    pub alpha: f32,
    /// What C is multiplied by.
    pub beta: f32,
    /// What happens to a sum on its way to D: the constants of [`flags`].
    pub epilogue: u32,
    /// Rows of tiles in a group: blocks go down a group first, then across. At least 1.
    pub group: u32,
}

impl Parameters {
    /// The structure as plain words, in memory as it is itself.
    #[must_use]
    pub fn words(&self) -> [u64; 12] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        [
            pair(self.m, self.n),
            pair(self.k, self.parts),
            self.lda,
            self.ldb,
            self.ldc,
            self.ldd,
            self.batch_a,
            self.batch_b,
            self.batch_c,
            self.batch_d,
            pair(self.alpha.to_bits(), self.beta.to_bits()),
            pair(self.epilogue, self.group),
        ]
    }
}

/// The bits of [`Parameters::epilogue`].
pub mod flags {
    /// D and C are f32; otherwise they have the inputs' type.
    pub const WIDE: u32 = 1;
    /// D is the integer sums as they are.
    pub const INTEGER: u32 = 2;
    /// There is something to do but to round: `alpha`, or a flag below.
    pub const GENERAL: u32 = 4;
    /// `beta C` is added.
    pub const C: u32 = 8;
    /// The bias is added.
    pub const BIAS: u32 = 16;
    /// Negative results become 0.
    pub const RELU: u32 = 32;
    /// GELU, in the form with the hyperbolic tangent.
    pub const GELU: u32 = 64;
    /// Rows of D, and of C where it is read, begin at multiples of 16 bytes and have a multiple of 16 bytes.
    pub const VECTORS: u32 = 128;
    /// A is column-major. Read by kernels for any alignment only: the others are made for their majors.
    pub const A_MN: u32 = 256;
    /// B is row-major.
    pub const B_MN: u32 = 512;
}

const _: () = assert!(size_of::<Parameters>() == 96 && align_of::<Parameters>() == 8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_structure() {
        let parameters = Parameters {
            m: 1,
            n: 2,
            k: 3,
            parts: 4,
            lda: 5,
            ldb: 6,
            ldc: 7,
            ldd: 8,
            batch_a: 9,
            batch_b: 10,
            batch_c: 11,
            batch_d: 12,
            alpha: 1.5,
            beta: -2.0,
            epilogue: 13,
            group: 14,
        };
        // SAFETY: a structure without padding, as the assertion on its size beside it says.
        let bytes: [u8; 96] = unsafe { std::mem::transmute(parameters) };
        let words: Vec<u8> = parameters
            .words()
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        assert_eq!(words, bytes);
    }
}
