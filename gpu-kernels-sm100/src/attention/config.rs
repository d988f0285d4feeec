//! A configuration of attention: everything that distinguishes one kernel from another, as types.
//!
//! ```text
//!   Q, K, V ─ boxes ─► SmemQ, SmemK, SmemV ─ QkAtom ─► S, in tensor memory ─ softmax ─► P, in tensor memory ─ PvAtom ─► O, there too
//! ```
//!
//! Law: the law of Hopper's configurations holds ([`gpu_kernels_sm90::attention`]). Both share the
//! tiles in shared memory ([`OperandTiles`]).

use super::pipelines::{KV_BARRIERS, Pipelines};
use gpu_kernels_sm90::attention::fragments::OperandElement;
use gpu_kernels_sm90::attention::score::ScoreFunction;
use gpu_kernels_sm90::attention::sequences::Sequences;
use gpu_kernels_sm90::attention::tiles::OperandTiles;
use gpu_kernels_sm90::attention::value::AttentionValue;
use layout_types::atom::mma::{AtomD, HasTmemA, MajorK, MajorMn, MmaAtom, TmemA, UmmaPlainOp};
use layout_types::atom::tmem::fragment::{MakeTmemFrg, TmemFragment};
use layout_types::atom::umma::UmmaDescriptor;
use layout_types::check::Reflect;
use layout_types::num::{Nat, One};
use layout_types::shape;
use layout_types::typenum::{U8, U16, U128, Unsigned};

/// The number of tiles of queries that a CTA has at once. The softmax of one tile overlaps the
/// products of the other.
pub const Q_TILES: u32 = 2;
/// The number of queries in a tile, one in each lane of tensor memory. A block has as many keys.
pub const ROWS: u32 = 128;
/// The numbers of queries and keys in a CTA's tile.
pub const TILE: [u32; 2] = [Q_TILES * ROWS, ROWS];
/// The number of warps in a group: one for each quarter of the lanes.
pub const GROUP_WARPS: u32 = 4;
/// The number of threads in a CTA: two softmax groups, the correction group, and four warps for
/// loads and products.
pub const THREADS: u32 = 512;

/// The columns of tensor memory at which S, P and O of the two tiles begin. They take all 512
/// columns.
///
/// ```text
///   0          64         128         192         256                   384                   511
///   ├ S0 ──────┼──────────┼ S1 ───────┼───────────┼ O0 ─────────────────┼ O1 ─────────────────┤
///              ├ P0 ──────┤           ├ P1 ───────┤       D columns             D columns
/// ```
pub mod columns {
    /// The first columns of S of the two tiles.
    pub const S: [u32; 2] = [0, 128];
    /// The first columns of P of the two tiles. P overlaps the second half of S.
    pub const P: [u32; 2] = [S[0] + 64, S[1] + 64];
    /// The first columns of O of the two tiles.
    pub const O: [u32; 2] = [256, 384];
}

/// A configuration: the types and constants that distinguish one kernel from another.
pub trait AttentionConfig: OperandTiles<Element: OperandElement + AttentionValue> {
    /// The head dimension.
    type Dim: Nat;
    /// The instruction of S = Q Kᵀ, with both operands in shared memory.
    type QkAtom: UmmaPlainOp<
            AOperand = UmmaDescriptor<Self::Element, MajorK, U128>,
            BOperand = UmmaDescriptor<Self::Element, MajorK, U128>,
        > + MmaAtom<ValTypeD = f32>;
    /// The instruction of O += P V, with P in tensor memory.
    type PvAtom: UmmaPlainOp<
            AOperand = TmemA<Self::PvAtom>,
            BOperand = UmmaDescriptor<Self::Element, MajorMn, Self::Dim>,
        > + HasTmemA
        + MmaAtom<
            ValTypeA = Self::Element,
            ValTypeD = f32,
            FrgTypeA: TmemFragment<ShapeOfP, Layout: Reflect>,
        >;
    /// The function that is applied to a score before the softmax.
    type Score: ScoreFunction;
    /// The division of the tensors into sequences.
    type Sequences: Sequences;
    /// The number of stages for K. V has as many.
    const STAGES: u32;

    /// The offset of the corrections, which are two numbers for each row of both tiles.
    const CORRECTIONS: u32 = <Self as OperandTiles>::TILE_BYTES;
    /// The offset of the barriers. The word for the address of tensor memory follows them.
    const BARRIERS: u32 = Self::CORRECTIONS + Q_TILES * ROWS * 8;
    /// The offset of the word for the address of tensor memory.
    const ADDRESS: u32 = Self::BARRIERS + Pipelines::<1>::BYTES + KV_BARRIERS * (Self::STAGES - 1);
    /// The number of bytes of shared memory.
    const SHARED_BYTES: u32 = Self::ADDRESS + 8;
}

/// The shape of P for a block of keys, `((128,16),1,8)`: eight k blocks.
pub type ShapeOfP = shape!(((U128, U16), One, U8));
/// P of a block in tensor memory.
pub type LayoutOfP<C> =
    MakeTmemFrg<<<C as AttentionConfig>::PvAtom as MmaAtom>::FrgTypeA, ShapeOfP>;
/// S of a block.
pub type LayoutOfS<C> = AtomD<<C as AttentionConfig>::QkAtom>;
/// O of a tile.
pub type LayoutOfO<C> = AtomD<<C as AttentionConfig>::PvAtom>;
/// A k block of P.
pub type BlockOfP<C> = <<C as AttentionConfig>::PvAtom as HasTmemA>::ALayoutInTmem;
/// The pointers to a kernel's results: O and the log-sum-exp.
pub type Results<C> = (*mut <C as OperandTiles>::Element, *mut f32);

/// Checks that the parts of a configuration fit each other.
pub const fn check<C: AttentionConfig>() {
    assert!(
        C::DIM == C::Dim::U32 && C::DIM == C::DIM_V,
        "Q, K, V and O have one head dimension"
    );
    assert!(
        C::DIM.is_multiple_of(32) && C::DIM <= 128,
        "O of two tiles has 256 columns of tensor memory, and is corrected by 32 columns"
    );
    assert!(
        C::TILE_STAGES[0] == Q_TILES && C::TILE_STAGES[1] == C::STAGES,
        "each of two tiles of queries has a stage of Q"
    );
    assert!(
        !<C::Sequences as Sequences>::ANY_BEHIND,
        "rows behind a sequence's last are zeros: nobody clears them"
    );
    assert!(
        C::SHARED_BYTES <= 227 * 1024,
        "the stages exceed a CTA's 232448 bytes of shared memory"
    );
}
