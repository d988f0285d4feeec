//! The structures of plain numbers that an attention kernel reads, and what its tensors are.
//!
//! ```text
//!   O (queries, D)   of head h and batch b at  b batch_o + h head_o + i row_o + j      elements of Q's type
//!   LSE (queries)    f32, of head h and batch b at  (b heads + h) queries + i          where the flag says so
//!   Q, K, V          maps of (D, sequence, head, batch), contiguous first
//! ```
//!
//! Law: the structure has C's layout, 64 bytes without padding. Query `i` sees key `j` where
//! `lower <= j - i <= upper`, which is every mask that the kernels know: none, causal, a sliding
//! window.

/// The parameters of an attention kernel, by value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct AttentionParams {
    /// Queries of a head.
    pub queries: u32,
    /// Keys of a head.
    pub keys: u32,
    /// Query heads of a batch.
    pub heads: u32,
    /// Query heads that share a head of K and V.
    pub heads_per_key: u32,
    /// Batches.
    pub batches: u32,
    /// Heads, of all batches, that the tile scheduler goes through together: what of K and V stays
    /// in L2. At least 1.
    pub section: u32,
    /// The least `j - i` of a key `j` that query `i` sees; [`i32::MIN`] for none.
    pub lower: i32,
    /// The largest `j - i`; [`i32::MAX`] for none.
    pub upper: i32,
    /// The scale of the scores times `log2(e)`, above 0.
    pub scale_log2: f32,
    /// What is stored besides: the constants of [`flags`].
    pub flags: u32,
    /// Elements between neighbouring rows of O.
    pub row_o: u64,
    /// Elements between neighbouring heads of O.
    pub head_o: u64,
    /// Elements between neighbouring batches of O.
    pub batch_o: u64,
}

/// The strides of Q, K and V, of a kernel that reads them by their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct AttentionReads {
    /// Elements between neighbouring rows of Q.
    pub row_q: u64,
    /// Elements between neighbouring heads of Q.
    pub head_q: u64,
    /// Elements between neighbouring batches of Q.
    pub batch_q: u64,
    /// Elements between neighbouring rows of K.
    pub row_k: u64,
    /// Elements between neighbouring heads of K.
    pub head_k: u64,
    /// Elements between neighbouring batches of K.
    pub batch_k: u64,
    /// Elements between neighbouring rows of V.
    pub row_v: u64,
    /// Elements between neighbouring heads of V.
    pub head_v: u64,
    /// Elements between neighbouring batches of V.
    pub batch_v: u64,
}

/// The bits of [`AttentionParams::flags`].
pub mod flags {
    /// The log-sum-exp of each row is stored.
    pub const LSE: u32 = 1;
    /// The tiles of the first rows come first, which are the longest of keys under a causal mask.
    pub const FIRST_ROWS_FIRST: u32 = 2;
    /// Each head of keys of each batch has scales of its own, of 8-bit floats.
    pub const SCALES_OF_HEADS: u32 = 4;
    /// Sequences are packed, by their starts: said to kernels that compute those of one length,
    /// too.
    pub const PACKED: u32 = 8;
    /// Tiles of 192 queries end with the last one: the first tile is the one that is not full.
    /// Queries are a multiple of 64.
    pub const SHORT_TILE_FIRST: u32 = 16;
}

impl AttentionReads {
    /// The structure's bytes, as 64-bit numbers.
    #[must_use]
    pub const fn to_u64s(&self) -> [u64; 9] {
        [
            self.row_q,
            self.head_q,
            self.batch_q,
            self.row_k,
            self.head_k,
            self.batch_k,
            self.row_v,
            self.head_v,
            self.batch_v,
        ]
    }
}

impl AttentionParams {
    /// The structure's bytes, as 64-bit numbers: a kernel argument of 64 bytes.
    #[must_use]
    pub const fn to_u64s(&self) -> [u64; 8] {
        const fn pair(low: u32, high: u32) -> u64 {
            low as u64 | (high as u64) << 32
        }
        [
            pair(self.queries, self.keys),
            pair(self.heads, self.heads_per_key),
            pair(self.batches, self.section),
            pair(self.lower as u32, self.upper as u32),
            pair(self.scale_log2.to_bits(), self.flags),
            self.row_o,
            self.head_o,
            self.batch_o,
        ]
    }
}

const _: () = assert!(size_of::<AttentionReads>() == 72 && align_of::<AttentionReads>() == 8);
const _: () = assert!(size_of::<AttentionParams>() == 64 && align_of::<AttentionParams>() == 8);
