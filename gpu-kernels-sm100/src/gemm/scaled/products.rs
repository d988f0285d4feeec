//! The products of a k tile with scale factors: one thread copies the factors of the stage to
//! tensor memory, and the products read them there.
//!
//! ```text
//!   a stage      SFA  512 bytes a block     SFB of columns 0 .. 128  512 bytes a block    of columns 128 ..
//!                 │ tcgen05.cp.32x128b.warpx4, a block each
//!   columns      accumulators │ SFA: 4 a block │ SFB: 4 a block and 128 columns of D
//!                                │ k block b: factors b · NSF .. of each row: block / 4, byte % 4
//!                               tcgen05.mma
//! ```
//!
//! Law: a k tile's copies come after the products of the k tile before, which read the same
//! columns. The same thread issues both, and `tcgen05` operations of one thread execute in the
//! order of issue; CUTLASS and DeepGEMM rely on that, too. The PTX ISA states the order of a copy
//! before a product.
//!
//! Source: CUTLASS `sm100_blockscaled_mma_warpspecialized.hpp`.

use super::super::config::{ACCUMULATORS, GemmConfig, SumOf};
use super::super::products::{K_BLOCKS, Products, StagePlace};
use gpu_kernels_sm90::gemm::tile_scheduler::TileAt;
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::arch::copy_sm100::UtccpIssue;
use layout_types::atom::copy::Utccp;
use layout_types::atom::copy::sm100_utccp::Dp4x32b128;
use layout_types::atom::mma::sm100::{UmmaScales, UmmaTypes};
use layout_types::atom::mma::{MajorK, UmmaScaledOp};
use layout_types::atom::umma::{UmmaDescriptor, UmmaOperand, scale_descriptor};
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Tensor, Tmem};
use layout_types::typenum::{U128, Unsigned};

/// The number of rows in a block of scale factors.
pub const BLOCK_ROWS: u32 = 128;
/// The number of factors that a row has in a block.
pub const BLOCK_FACTORS: u32 = 4;
/// The number of bytes of a block.
pub const BLOCK_BYTES: u32 = BLOCK_ROWS * BLOCK_FACTORS;
/// The number of columns of tensor memory that a block takes.
const BLOCK_COLUMNS: u32 = 4;

/// A configuration whose products have scale factors.
pub trait ScaledConfig: GemmConfig<Group: CopiesScales> {
    /// The types of the operands and of their scale factors.
    type Kind: UmmaScales;
    /// The instruction, which is [`Atom`](GemmConfig::Atom).
    type Scaled: UmmaScaledOp<
            ValTypeD = SumOf<Self>,
            AOperand = UmmaDescriptor<<Self::Kind as UmmaTypes>::A, MajorK, U128>,
            BOperand = UmmaDescriptor<<Self::Kind as UmmaTypes>::B, MajorK, Self::RowsB>,
        >;
    /// A's stages in elements of the instruction: (M, K, stages).
    type StagesA: LayoutFn + Reflect;
    /// B's stages in elements of the instruction: (N, K, stages).
    type StagesB: LayoutFn + Reflect;

    /// The number of a row's factors that an instruction reads.
    const FACTORS: u32 = <<Self::Kind as UmmaTypes>::K as Unsigned>::U32
        / <<Self::Kind as UmmaScales>::VectorSize as Unsigned>::U32;
    /// The number of blocks of scale factors along k in a k tile.
    const BLOCKS_K: u32 = K_BLOCKS * Self::FACTORS / BLOCK_FACTORS;
    /// The number of blocks of B's scale factors along n in a tile.
    const BLOCKS_N: u32 = Self::TILE[1] / BLOCK_ROWS;
    /// The number of columns of tensor memory for A's scale factors. B's scale factors follow.
    const COLUMNS_A: u32 = BLOCK_COLUMNS * Self::BLOCKS_K;
    /// The number of columns of tensor memory for the accumulators and the scale factors.
    const COLUMNS_USED: u32 = ACCUMULATORS * Self::TILE[1] + Self::COLUMNS_A * (1 + Self::BLOCKS_N);
}

/// The CTAs of a group copy blocks of scale factors to tensor memory together, each of the pair
/// from its own shared memory.
pub trait CopiesScales: Sized {
    /// Starts the copy of the block at `from` of shared memory to four columns from `to` on.
    ///
    /// # Safety
    /// The conditions are those of [`UtccpIssue::issue`].
    unsafe fn copy_block(from: u32, to: u32);
}
impl<G: layout_types::atom::tmem::fragment::CtaGroup> CopiesScales for G
where
    Dp4x32b128: UtccpIssue<G>,
{
    #[inline(always)]
    unsafe fn copy_block(from: u32, to: u32) {
        // The copy does not depend on the type of the factors: they are bytes.
        // SAFETY: the conditions are those of the function; the descriptor is that of a block.
        unsafe { Utccp::<Dp4x32b128, G>::copy(scale_descriptor::<u8>(from), to) };
    }
}

/// Checks that the parts of a configuration with scale factors fit each other.
pub const fn check<C: ScaledConfig>() {
    super::super::config::check::<C>();
    assert!(
        C::TILE[1].is_multiple_of(BLOCK_ROWS),
        "a tile has the scale factors of whole blocks of 128 columns of D"
    );
    assert!(
        (K_BLOCKS * C::FACTORS).is_multiple_of(BLOCK_FACTORS),
        "a k tile has whole blocks of scale factors"
    );
    assert!(
        C::COLUMNS_USED <= <C::Columns as Unsigned>::U32,
        "the accumulators and the scale factors exceed the columns that are allocated"
    );
}

/// The products with scale factors.
pub struct BlockScaled;

/// A's stages as operands of the instruction.
type OperandA<C> = UmmaOperand<
    <C as ScaledConfig>::StagesA,
    <<C as ScaledConfig>::Kind as UmmaTypes>::A,
    MajorK,
    U128,
>;
/// B's stages as operands of the instruction.
type OperandB<C> = UmmaOperand<
    <C as ScaledConfig>::StagesB,
    <<C as ScaledConfig>::Kind as UmmaTypes>::B,
    MajorK,
    <C as GemmConfig>::RowsB,
>;
/// The layouts of the factors that an instruction reads.
type LayoutSfa<C> = <<C as ScaledConfig>::Scaled as UmmaScaledOp>::SfaLayout;
type LayoutSfb<C> = <<C as ScaledConfig>::Scaled as UmmaScaledOp>::SfbLayout;
/// The type of a factor.
type ScaleOf<C> =
    <<C as ScaledConfig>::Scaled as layout_types::atom::mma::sm100::UmmaScaledAtom>::Scale;

/// Returns the address of the factors of k block `k_block`: a column, and the byte in the two
/// highest bits. `first` is the operand's first column. A block of four factors along k has
/// `columns` columns.
#[inline(always)]
const fn scale_address(first: u32, k_block: u32, factors: u32, columns: u32) -> u32 {
    let factor = k_block * factors;
    (first + factor / BLOCK_FACTORS * columns) | (factor % BLOCK_FACTORS) << 30
}

impl<C: ScaledConfig> Products<C> for BlockScaled {
    const SCALE_BYTES: u32 = BLOCK_BYTES * C::BLOCKS_K * (1 + C::BLOCKS_N);
    type ScaleMaps<'a> = [&'a TensorMap; 2];

    #[inline(always)]
    fn load_scales(
        [map_a, map_b]: [&TensorMap; 2],
        tile: &TileAt,
        k_tile: u32,
        to: u32,
        copy: impl Fn(&TensorMap, u32, [i32; 3]),
    ) {
        // A box has all blocks of its rows and a k tile, and zeros for blocks that do not exist.
        let at = |row: u32| {
            let [block_k, block] = [k_tile * C::BLOCKS_K, row / BLOCK_ROWS];
            [0, block_k as i32, block as i32]
        };
        copy(map_a, to, at(tile.row));
        let to_b = to + const { BLOCK_BYTES * C::BLOCKS_K };
        copy(map_b, to_b, at(tile.column));
    }

    #[inline(always)]
    unsafe fn multiply<L: LayoutFn + Reflect>(
        StagePlace {
            shared,
            stage,
            scales,
        }: StagePlace,
        d: &Tensor<Tmem<SumOf<C>>, L>,
        k_tile: u32,
    ) {
        let from = shared + C::SCALES_OFFSET + stage * C::SCALE_BYTES;
        let (of_a, of_b) = (scales, scales + C::COLUMNS_A);
        // The number of columns that four factors along k take, for all rows of A and of B.
        let columns = const { [BLOCK_COLUMNS, BLOCK_COLUMNS * C::BLOCKS_N] };
        let mut block_k = 0;
        while block_k < C::BLOCKS_K {
            // SAFETY: one thread is here, and TMA has filled the stage, by the function's contract.
            // The columns' last readers are this thread's earlier products.
            unsafe {
                C::Group::copy_block(from + BLOCK_BYTES * block_k, of_a + columns[0] * block_k);
                let mut block_n = 0;
                while block_n < C::BLOCKS_N {
                    let block = C::BLOCKS_K * (1 + block_n) + block_k;
                    let to = of_b + columns[1] * block_k + BLOCK_COLUMNS * block_n;
                    C::Group::copy_block(from + BLOCK_BYTES * block, to);
                    block_n += 1;
                }
            }
            block_k += 1;
        }
        let first_a = OperandA::<C>::descriptor(shared, (0, 0), stage);
        let first_b = OperandB::<C>::descriptor(shared + C::B_OFFSET, (0, 0), stage);
        let mut k_block = 0;
        while k_block < K_BLOCKS {
            let a = first_a.advance(OperandA::<C>::offset((0, k_block), 0));
            let b = first_b.advance(OperandB::<C>::offset((0, k_block), 0));
            let sfa = scale_address(of_a, k_block, C::FACTORS, columns[0]);
            let sfb = scale_address(of_b, k_block, C::FACTORS, columns[1]);
            // SAFETY: one thread is here, the stage is full, and `d` is free, by the function's
            // contract. The factors are in allocated columns (`check`), and the copies above write
            // them before the product reads them.
            unsafe {
                let sfa = Tensor::<Tmem<ScaleOf<C>>, LayoutSfa<C>>::at_scale_address(sfa);
                let sfb = Tensor::<Tmem<ScaleOf<C>>, LayoutSfb<C>>::at_scale_address(sfb);
                C::Scaled::fma(d, a, b, (&sfa, &sfb), u32::from(k_tile + k_block > 0));
            }
            k_block += 1;
        }
    }
}
