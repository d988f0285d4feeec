//! The MMA thread's multiplication of a k tile, without or with scale factors. Only this part of
//! the mainloop differs in block-scaled kernels.
//!
//! ```text
//!                  a stage holds         the producer loads      the MMA thread issues
//!   Plain          A, B                  boxes of A, of B        4 x tcgen05.mma
//!   BlockScaled    A, B, SFA, SFB        a box of each as well   tcgen05.cp of SFA, of SFB ─ 4 x tcgen05.mma with their columns
//! ```
//!
//! Law: a stage's one barrier expects the bytes of all the stage's operands, so a thread that has
//! waited for A and B has waited for their scale factors.

use super::config::{GemmConfig, SumOf};
use gpu_kernels_sm90::gemm::config::CollectiveConfig;
use gpu_kernels_sm90::gemm::tile_scheduler::TileAt;
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::atom::mma::UmmaPlainOp;
use layout_types::atom::umma::{UmmaDescriptor, UmmaOperand};
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Tensor, Tmem};
use layout_types::typenum::U128;

/// The number of k blocks in a k tile: an instruction takes 32 bytes of the 128.
pub const K_BLOCKS: u32 = 4;

/// The places of the operands of a k tile's products.
#[derive(Clone, Copy)]
pub struct StagePlace {
    /// The address of the CTA's dynamic shared memory.
    pub shared: u32,
    /// The number of the stage.
    pub stage: u32,
    /// The first column of tensor memory after the accumulators.
    pub scales: u32,
}

/// A way to issue the products of a k tile.
pub trait Products<C: GemmConfig>: 'static {
    /// The number of bytes of scale factors in a stage.
    const SCALE_BYTES: u32;
    /// The tensor maps of the scale factors.
    type ScaleMaps<'a>: Copy;

    /// Starts the loads of the scale factors of k tile `k_tile` to shared memory from `to` on.
    /// Calls `copy` with each box's tensor map, its address in shared memory and its coordinate.
    fn load_scales(
        maps: Self::ScaleMaps<'_>,
        tile: &TileAt,
        k_tile: u32,
        to: u32,
        copy: impl Fn(&TensorMap, u32, [i32; 3]),
    );

    /// Issues the products of a k tile. The first one of k tile 0 replaces the contents of `d`.
    ///
    /// # Safety
    /// The elected thread of the leading CTA executes it, after its wait for the stage and before
    /// the commit that frees the stage. `at` is a stage of the kernel's shared memory and the
    /// columns after its accumulators. Nobody reads `d` before a later commit has completed.
    unsafe fn multiply<L: LayoutFn + Reflect>(
        at: StagePlace,
        d: &Tensor<Tmem<SumOf<C>>, L>,
        k_tile: u32,
    );
}

/// The tensor maps of a configuration's scale factors.
pub type ScaleMaps<'a, C> = <<C as GemmConfig>::Products as Products<C>>::ScaleMaps<'a>;

/// The products without scale factors.
pub struct Plain;

/// A's stages as operands of `tcgen05.mma`.
type OperandA<C> = UmmaOperand<
    <C as CollectiveConfig>::SmemA,
    <C as CollectiveConfig>::Element,
    <C as CollectiveConfig>::MajorA,
    U128,
>;
/// B's stages as operands of `tcgen05.mma`.
type OperandB<C> = UmmaOperand<
    <C as CollectiveConfig>::SmemB,
    <C as CollectiveConfig>::Element,
    <C as CollectiveConfig>::MajorB,
    <C as GemmConfig>::RowsB,
>;

impl<C> Products<C> for Plain
where
    C: GemmConfig,
    C::Atom: UmmaPlainOp<
            AOperand = UmmaDescriptor<C::Element, C::MajorA, U128>,
            BOperand = UmmaDescriptor<C::Element, C::MajorB, C::RowsB>,
        >,
{
    const SCALE_BYTES: u32 = 0;
    type ScaleMaps<'a> = ();

    #[inline(always)]
    fn load_scales(
        (): (),
        _tile: &TileAt,
        _k_tile: u32,
        _to: u32,
        _copy: impl Fn(&TensorMap, u32, [i32; 3]),
    ) {
    }

    #[inline(always)]
    unsafe fn multiply<L: LayoutFn + Reflect>(
        StagePlace { shared, stage, .. }: StagePlace,
        d: &Tensor<Tmem<SumOf<C>>, L>,
        k_tile: u32,
    ) {
        let first_a = OperandA::<C>::descriptor(shared, (0, 0), stage);
        let first_b = OperandB::<C>::descriptor(shared + C::B_OFFSET, (0, 0), stage);
        let mut k_block = 0;
        while k_block < K_BLOCKS {
            let a = first_a.advance(OperandA::<C>::offset((0, k_block), 0));
            let b = first_b.advance(OperandB::<C>::offset((0, k_block), 0));
            // SAFETY: one thread is here, the stage is full, and `d` is free, by the function's
            // contract.
            unsafe { C::Atom::fma(d, a, b, u32::from(k_tile + k_block > 0)) };
            k_block += 1;
        }
    }
}
