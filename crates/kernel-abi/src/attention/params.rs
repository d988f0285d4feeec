//! The structures of plain numbers that an attention kernel reads, and the layout of its tensors.
//!
//! ```text
//!   O (queries, D)   of head h and batch b at  b batch_o + h head_o + i row_o + j      elements of Q's type
//!   LSE (queries)    f32, of head h and batch b at  (b heads + h) queries + i          with the flag
//!   Q, K, V          maps of (D, sequence, head, batch), the contiguous dimension first
//! ```
//!
//! Law: the structure has C's layout, 64 bytes without padding. Query `i` sees key `j` if `lower <=
//! j - i <= upper`, which covers every mask that the kernels support: no mask, causal, a sliding
//! window.

/// The parameters of an attention kernel, by value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct AttentionParams {
    /// The number of queries of a head.
    pub queries: u32,
    /// The number of keys of a head.
    pub keys: u32,
    /// The number of query heads of a batch.
    pub heads: u32,
    /// The number of query heads that share a head of K and V.
    pub heads_per_key: u32,
    /// The number of batches.
    pub batches: u32,
    /// The number of heads, counted over all batches, that the tile scheduler processes together so
    /// that their K and V stay in L2. The number is at least 1.
    pub section: u32,
    /// The smallest `j - i` for which query `i` sees key `j`, or [`i32::MIN`] without a lower
    /// bound.
    pub lower: i32,
    /// The largest `j - i` for which query `i` sees key `j`, or [`i32::MAX`] without an upper
    /// bound.
    pub upper: i32,
    /// The scale of the scores times `log2(e)`, above 0.
    pub scale_log2: f32,
    /// What the kernel stores in addition to O: the constants of [`flags`].
    pub flags: u32,
    /// Elements between neighbouring rows of O.
    pub row_o: u64,
    /// Elements between neighbouring heads of O.
    pub head_o: u64,
    /// Elements between neighbouring batches of O.
    pub batch_o: u64,
}

/// The strides of Q, K and V for a kernel that reads them by their addresses.
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
    /// The kernel stores the log-sum-exp of each row.
    pub const LSE: u32 = 1;
    /// The tiles of the first rows are scheduled first. Plans set this flag for the kernel of dK
    /// and dV: its rows are keys, and under a causal mask the first keys are seen by the most
    /// queries.
    pub const FIRST_ROWS_FIRST: u32 = 2;
    /// Each key head of each batch has its own scales for 8-bit floats.
    pub const SCALES_OF_HEADS: u32 = 4;
    /// Sequences are packed, and their starts are passed. Kernels that also compute sequences of
    /// one length read this flag to distinguish the two cases.
    pub const PACKED: u32 = 8;
    /// Tiles have 192 queries, the last tile of a head is full, and the first tile may have fewer
    /// queries. The number of queries is a multiple of 64.
    pub const SHORT_TILE_FIRST: u32 = 16;
}

impl AttentionReads {
    /// Returns the structure's bytes as 64-bit numbers: a kernel argument of 72 bytes.
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
    /// Returns the structure's bytes as 64-bit numbers: a kernel argument of 64 bytes.
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
