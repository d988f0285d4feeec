//! The configuration of a fused kernel. It adds the product of dQ, and dS and dQ in shared memory,
//! to the configuration of the kernel of dK and dV.

use super::super::super::config::AttentionConfig;
use super::super::super::fragments::{AccumulatorLayout, ScoresProduct};
use super::super::super::score::ScoreFunction;
use super::super::super::smem_tile::SmemTile;
use super::super::config::{GradientConfig, GradientSmem};
use super::staging::{GROUP_BYTES, OperandWords, Staging};
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::mma::WgmmaOp;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Shared, Tensor};
use layout_types::unroll::Unroll;

/// The number of stages of dS. The dS of a block is written while a slower consumer group still
/// reads the previous block's dS.
pub const DS_STAGES: u32 = 2;

/// A configuration with tiles of keys. Each block of queries also contributes to dQ.
pub trait FusedConfig:
    GradientConfig<Element: OperandWords<<Self as AttentionConfig>::Probabilities>>
{
    /// The instruction of dQ = dSᵀ K, with both operands in shared memory.
    type DqAtom: WgmmaOp<ValTypeC = f32>;
    /// The product dQ (N,D) = dSᵀ (N,M) K (D,M)ᵀ. A consumer group has half of the queries or half
    /// of the columns.
    type Dq: ScoresProduct<
            Self::DqAtom,
            Self::Element,
            Self::SmemDs,
            Self::SmemKt,
            Self::TileDq,
            Self::DqBlock,
        >;
    /// dSᵀ in shared memory: (N, M, stages), queries contiguous.
    type SmemDs: SmemTile;
    /// K's bytes as operand B of dQ: (D, M, 1).
    type SmemKt: SmemTile;
    /// The coordinates of a block of dQ: (N, D).
    type TileDq: LayoutFn;
    /// The number of blocks of 16 queries in dS.
    type BlocksOf16: Unroll;
    /// A thread's part of a block of dQ.
    type DqBlock: AccumulatorLayout<Self::DqAtom>;

    /// Bytes of the stages of dS, which are the first in shared memory.
    const DS_BYTES: u32 = DS_STAGES * 2 * Self::TILE[0] * Self::TILE[1];
    /// Bytes of a staged block of dQ, which follows the stages of dS.
    const DQ_BYTES: u32 = 4 * Self::TILE[1] * Self::DIM;
    /// Offset of the tiles and values, which are the same as in the kernel of dK and dV.
    const TILES_OFFSET: u32 = Self::DS_BYTES + Self::DQ_BYTES;
    /// Offset of the barriers of the staged dQ, which follow everything else.
    const STAGING_BARRIERS: u32 = Self::TILES_OFFSET + Self::GRADIENT_SHARED_BYTES;
    /// Bytes of shared memory.
    const FUSED_SHARED_BYTES: u32 = Self::STAGING_BARRIERS + Staging::BARRIER_BYTES;
}

/// The contents of shared memory.
pub struct FusedSmem<C: FusedConfig> {
    /// Tiles and values, as in the kernel of dK and dV.
    pub tiles: GradientSmem<C>,
    /// dSᵀ: (N,M,stages).
    pub ds: Tensor<Shared<C::Element>, C::SmemDs>,
    /// K's bytes: (D,M,1).
    pub kt: Tensor<Shared<C::Element>, C::SmemKt>,
    /// The staged dQ and its barriers.
    pub staging: Staging,
}

impl<C: FusedConfig> FusedSmem<C> {
    /// Returns the contents from address `shared` on.
    ///
    /// # Safety
    /// `shared` is a multiple of 1024 and names `FUSED_SHARED_BYTES` bytes of the CTA's shared
    /// memory.
    #[inline(always)]
    pub unsafe fn at(shared: u32) -> Self {
        let tiles = shared + C::TILES_OFFSET;
        // SAFETY: by their definition the offsets leave each tile its bytes. K is the first of the
        // resident tiles.
        unsafe {
            Self {
                tiles: GradientSmem::at(tiles),
                ds: Tensor::shared(shared),
                kt: Tensor::shared(tiles),
                staging: Staging::at(shared + C::DS_BYTES, shared + C::STAGING_BARRIERS),
            }
        }
    }
}

/// Leaves each thread of the producer's warp group 24 registers.
///
/// # Safety
/// The whole warp group executes it, once.
#[inline(always)]
pub unsafe fn give_up_registers() {
    // SAFETY: `kernel::run` branches by `thread < 128`, which is the whole first warp group.
    unsafe { warpgroup_reg_dealloc::<24>() };
}

/// Gives each thread of the two consumer groups 240 registers. With the producer's registers that
/// makes 64,512.
///
/// # Safety
/// The whole warp group executes it, once, and the producer's warp group executes
/// [`give_up_registers`].
#[inline(always)]
pub unsafe fn take_registers() {
    // SAFETY: `kernel::run` branches by whole warp groups, and the first warp group gives up the
    // registers that the others take.
    unsafe { warpgroup_reg_alloc::<240>() };
}

/// Checks that the numbers with which a configuration is run are the configuration's own.
pub const fn is_run_by<C: FusedConfig>(warps: u32) {
    super::super::config::is_run_by::<C>(warps);
    assert!(
        C::Score::IDENTITY,
        "what a score function needs besides has no registers left"
    );
    assert!(
        C::OF_KEYS && C::GROUPS == 2,
        "tiles are of keys, of two consumer groups, with both results at once"
    );
    assert!(
        C::DQ_BYTES == 2 * GROUP_BYTES && C::DIM.is_multiple_of(64),
        "a block of dQ is an atom of 64 queries and 64 columns a consumer group"
    );
    assert!(
        C::TILES_OFFSET.is_multiple_of(1024),
        "tiles begin at multiples of the swizzle's period"
    );
}
