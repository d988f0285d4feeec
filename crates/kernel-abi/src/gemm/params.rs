//! The parameters that a GEMM kernel reads: seven arguments, six addresses and one structure of
//! plain numbers.
//!
//! ```text
//!   kernel(d, a, b, c, bias, workspace, params)        D = act(alpha A·B + beta C + bias)
//!
//!   D, C (m, n)  row-major           element (i, j) of batch z at  z batch + i ld + j
//!   A    (m, k)  row-major: i lda + k            column-major: k lda + i           by the kernel's majors
//!   B    (k, n)  row-major: k ldb + j            column-major: j ldb + k
//!   bias (n)     f32, the same for all batches
//! ```
//!
//! A kernel with scales of blocks ([`Scaling::Blocks`](super::Scaling::Blocks)) has neither C nor a
//! bias: it receives the address of B's scales in place of C, and that of A's scales in place of
//! the bias. A kernel for grouped products has no C: it receives the address of the list of groups
//! in place of C, and the numbers per group in that list (1 or 3) in place of C's batch stride. A
//! kernel with swapped operands ([`swapped`](super::HopperConfiguration::swapped)) stores the
//! slices of a split-K product as D: C's batch stride is then the start of the slices in the
//! workspace, in units of 4 bytes.
//!
//! Law: the structure has C's layout, 96 bytes without padding. A field or buffer that has a flag
//! in [`GemmParams::epilogue`] is read only if the flag is set. The addresses of scales, which take
//! the place of C and the bias, are an exception. All counts are in elements.

/// The parameters of a GEMM kernel, by value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct GemmParams {
    /// The number of rows of A and D.
    pub m: u32,
    /// The number of columns of B and D.
    pub n: u32,
    /// The number of columns of A and of rows of B.
    pub k: u32,
    /// How the tile scheduler assigns work: 0 for stream-K over the grid's CTAs, 1 for one CTA per
    /// tile or a persistent kernel, s for split-K in s slices.
    pub k_slices: u32,
    /// A's leading dimension.
    pub lda: u64,
    /// B's leading dimension.
    pub ldb: u64,
    /// C's leading dimension.
    pub ldc: u64,
    /// D's leading dimension.
    pub ldd: u64,
    /// A's batch stride, or 0 if all batches have the same A.
    pub batch_a: u64,
    /// B's batch stride, or 0 if all batches have the same B.
    pub batch_b: u64,
    /// C's batch stride. For a grouped product: the numbers per group in the list. For slices of
    /// swapped operands: the start of the slices.
    pub batch_c: u64,
    /// D's batch stride.
    pub batch_d: u64,
    /// The factor of the accumulator.
    pub alpha: f32,
    /// The factor of C.
    pub beta: f32,
    /// The operations of the epilogue, and the majors: the constants of [`flags`].
    pub epilogue: u32,
    /// The number of rows of tiles in a group of the rasterization, at least 1. Tiles go down a
    /// group first, then across.
    pub raster_group: u32,
}

impl GemmParams {
    /// Returns the parameters of the product with swapped and transposed operands, Bᵀ·Aᵀ, whose
    /// result is D transposed. The flags stay the same.
    ///
    /// ```
    /// use kernel_abi::gemm::GemmParams;
    /// let params = GemmParams { m: 1, n: 2, lda: 3, ldb: 4, batch_a: 5, batch_b: 6, ..GemmParams::default() };
    /// let of = params.transposed();
    /// assert_eq!([of.m, of.n], [2, 1]);
    /// assert_eq!([of.lda, of.ldb, of.batch_a, of.batch_b], [4, 3, 6, 5]);
    /// assert_eq!(of.transposed(), params);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn transposed(self) -> Self {
        Self {
            m: self.n,
            n: self.m,
            lda: self.ldb,
            ldb: self.lda,
            batch_a: self.batch_b,
            batch_b: self.batch_a,
            ..self
        }
    }

    /// Returns the structure's bytes as 64-bit numbers: a kernel argument of 96 bytes.
    #[must_use]
    pub const fn to_u64s(&self) -> [u64; 12] {
        const fn pair(low: u32, high: u32) -> u64 {
            low as u64 | (high as u64) << 32
        }
        [
            pair(self.m, self.n),
            pair(self.k, self.k_slices),
            self.lda,
            self.ldb,
            self.ldc,
            self.ldd,
            self.batch_a,
            self.batch_b,
            self.batch_c,
            self.batch_d,
            pair(self.alpha.to_bits(), self.beta.to_bits()),
            pair(self.epilogue, self.raster_group),
        ]
    }
}

/// The bits of [`GemmParams::epilogue`].
pub mod flags {
    /// D and C are f32. Without the flag they have the inputs' type, or the type of another flag.
    pub const WIDE: u32 = 1;
    /// D is the integer accumulator, unchanged.
    pub const INTEGER: u32 = 2;
    /// The epilogue is not the identity: `alpha` is not 1, one of `C`, `BIAS`, `RELU` and `GELU` is
    /// set, or 8-bit integers are scaled in f32 and clamped. Hopper's kernels scale and clamp 8-bit
    /// integers without this flag.
    pub const GENERAL: u32 = 4;
    /// The epilogue adds `beta C`.
    pub const C: u32 = 8;
    /// The epilogue adds the bias.
    pub const BIAS: u32 = 16;
    /// The activation is ReLU.
    pub const RELU: u32 = 32;
    /// The activation is GELU, in the form with the hyperbolic tangent.
    pub const GELU: u32 = 64;
    /// Rows of D, and rows of C if the kernel reads C, begin at multiples of 16 bytes, and the
    /// length of these rows is a multiple of 16 bytes.
    pub const VECTORS: u32 = 128;
    /// A is column-major. Only kernels for any alignment read this flag: the other kernels have
    /// their majors in their types.
    pub const A_MN: u32 = 256;
    /// B is row-major. Only the kernels that read `A_MN` read this flag.
    pub const B_MN: u32 = 512;
    /// The slices of k belong to the CTAs of a cluster.
    pub const CLUSTER_SPLIT: u32 = 1024;
    /// D and C are bf16, and the inputs 8-bit floats.
    pub const BF16: u32 = 2048;
    /// The accumulator, rounded to D's type, is added to the values in D by TMA, with a reduction
    /// in place of a store.
    pub const REDUCE: u32 = 4096;

    /// The position of the lowest bit of the cluster's extents. The extents are the binary
    /// logarithms of a cluster's tiles along m and n, with two bits each.
    const CLUSTER_BITS: u32 = 13;

    /// Returns the bits for a cluster with `2^m` and `2^n` tiles along m and n.
    ///
    /// ```
    /// use kernel_abi::gemm::flags::{cluster_bits, cluster_logs};
    /// assert_eq!(cluster_logs(cluster_bits([2, 1])), [2, 1]);
    /// ```
    #[must_use]
    pub const fn cluster_bits([m, n]: [u32; 2]) -> u32 {
        (m | n << 2) << CLUSTER_BITS
    }

    /// Returns the binary logarithms of a cluster's tiles along m and n, from the bits of
    /// [`GemmParams::epilogue`](super::GemmParams::epilogue). Only kernels that run in any cluster
    /// read these bits: each launch chooses the cluster.
    #[inline(always)]
    #[must_use]
    pub const fn cluster_logs(bits: u32) -> [u32; 2] {
        [bits >> CLUSTER_BITS & 3, bits >> (CLUSTER_BITS + 2) & 3]
    }
}

const _: () = assert!(size_of::<GemmParams>() == 96 && align_of::<GemmParams>() == 8);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_the_structures_bytes() {
        let params = GemmParams {
            m: 1,
            n: 2,
            k: 3,
            k_slices: 4,
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
            raster_group: 14,
        };
        // SAFETY: `GemmParams` is `repr(C)` and has no padding: the sizes of its fields add up to
        // 96 bytes, which the assertion above guarantees as its size.
        let bytes: [u8; 96] = unsafe { std::mem::transmute(params) };
        let numbers: Vec<u8> = params
            .to_u64s()
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        assert_eq!(numbers, bytes);
    }
}
