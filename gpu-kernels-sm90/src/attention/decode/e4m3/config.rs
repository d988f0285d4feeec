//! A configuration, as types, for decoding with a cache of 8-bit floats.
//!
//! ```text
//!   shared memory   Q stages │ K stages │ V stages │ O of each warp, 32 columns │ LSE of each warp │ barriers
//!
//!   warps           0 1 2 ..       rows of 16: warp % ROW_TILES      keys of a block: warp / ROW_TILES
//! ```
//!
//! Law: the warps cover each pair of a row and a key of a block exactly once.

use super::super::super::smem_tile::SmemTile;
use super::super::super::value::ScoreCoordinates;
use super::queries::QueryElement;
use gpu_kernels::attention::fragments::AccumulatorAtoms;
use layout_types::algorithm::Walk;
use layout_types::atom::copy::Sm90_TMA_LOAD;
use layout_types::atom::element::FloatE4M3;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Fragment, FragmentLayout};
use layout_types::tiled::OperandC;
use layout_types::unroll::Unroll;

/// The number of rows that an instruction multiplies.
pub const ROWS: u32 = 16;
/// The number of keys that a warp processes at a time.
pub const KEYS: u32 = 16;
/// The number of columns of O that are merged at a time.
pub const MERGED: u32 = 32;

/// A configuration: the types and constants that distinguish one kernel from another.
pub trait CacheAttention: 'static {
    /// The element of Q and O.
    type Element: QueryElement;
    /// Q in shared memory: (M, D, stages).
    type SmemQ: SmemTile;
    /// K in shared memory, and V likewise: (N, D, stages) of e4m3.
    type SmemCache: SmemTile;
    /// A warp's instruction, `m16n8k16` of f16.
    type Mma: ScoreCoordinates<Self::TileS, Self::Scores>;
    /// The coordinates (query, key) of a warp's scores: (16,16).
    type TileS: LayoutFn;
    /// A thread's scores: ((2,2),1,2).
    type Scores: FragmentLayout + AccumulatorAtoms + Walk;
    /// A thread's part of O: ((2,2),1,D/8).
    type Output: FragmentLayout + AccumulatorAtoms + Walk;
    /// A thread's Q, pairs of f16: (4,D/16).
    type Queries: FragmentLayout + Walk;
    /// The number of k blocks of the first product: D/16.
    type BlocksOf16: Unroll;
    /// The number of pairs of 16 columns in K and V: D/32.
    type BlocksOf32: Unroll;
    /// The numbers of rows and keys in a tile: M and N.
    const TILE: [u32; 2];
    /// The head dimension D.
    const DIM: u32;
    /// The number of warps that multiply.
    const WARPS: u32;
    /// The number of stages of Q.
    const Q_STAGES: u32;
    /// The number of stages that K and V have each.
    const STAGES: u32;

    /// Whether scores are added in two chains, for which O and Q have to leave enough registers.
    const TWO_CHAINS: bool = Self::DIM < 256;
    /// The number of instructions along the rows of a tile.
    const ROW_TILES: u32 = Self::TILE[0] / ROWS;
    /// The number of slices of a block's keys. The warps of a slice have the same keys.
    const SLICES: u32 = Self::WARPS / Self::ROW_TILES;
    /// The number of keys of a block that a warp has.
    const SLICE: u32 = Self::TILE[1] / Self::SLICES;
    /// Offset of K's stages in shared memory; Q is at 0.
    const K_OFFSET: u32 = Self::Q_STAGES * LoadRows::<Self>::BYTES;
    /// Offset of V's stages.
    const V_OFFSET: u32 = Self::K_OFFSET + Self::STAGES * LoadCache::<Self>::BYTES;
    /// Offset of the warps' O.
    const O_OFFSET: u32 = Self::V_OFFSET + Self::STAGES * LoadCache::<Self>::BYTES;
    /// Offset of the warps' log-sum-exps.
    const LSE_OFFSET: u32 = Self::O_OFFSET + Self::WARPS * ROWS * MERGED * 4;
    /// Offset of the barriers, two for each stage.
    const BARRIERS: u32 = Self::LSE_OFFSET + Self::WARPS * ROWS * 4;
    /// Bytes of shared memory.
    const SHARED_BYTES: u32 = Self::BARRIERS + 16 * (Self::Q_STAGES + 2 * Self::STAGES);
}

/// The load of a tile of queries.
pub type LoadRows<C> = Sm90_TMA_LOAD<<C as CacheAttention>::SmemQ, <C as CacheAttention>::Element>;
/// The load of a block of K or of V.
pub type LoadCache<C> = Sm90_TMA_LOAD<<C as CacheAttention>::SmemCache, FloatE4M3>;
/// A thread's scores.
pub type ScoresOf<C> = Fragment<f32, <C as CacheAttention>::Scores, OperandC>;
/// A thread's part of O.
pub type OutputOf<C> = Fragment<f32, <C as CacheAttention>::Output, OperandC>;
/// A thread's Q, pairs of f16.
pub type QueriesOf<C> = Fragment<u32, <C as CacheAttention>::Queries>;

/// Returns how many bytes of shared memory a kernel has whose tiles have `m` rows and `n` keys.
pub const fn shared_bytes(
    [m, n]: [u32; 2],
    dim: u32,
    warps: u32,
    [q_stages, stages]: [u32; 2],
) -> u32 {
    let tiles = dim * (2 * q_stages * m + 2 * stages * n);
    tiles + 4 * warps * ROWS * (MERGED + 1) + 16 * (q_stages + 2 * stages)
}

/// Checks that the numbers with which a configuration is run are the configuration's own.
pub const fn is_run_by<C: CacheAttention>([q_stages, stages, consumers]: [u32; 3]) {
    assert!(
        q_stages == C::Q_STAGES && stages == C::STAGES && consumers == 32 * C::WARPS,
        "the stages and the threads are the configuration's"
    );
    assert!(
        C::ROW_TILES * C::SLICES == C::WARPS && C::SLICES * C::SLICE == C::TILE[1],
        "the warps share out the rows and the keys of a block"
    );
    assert!(
        C::SLICE.is_multiple_of(KEYS) && C::DIM.is_multiple_of(MERGED),
        "a warp has whole instructions"
    );
}
