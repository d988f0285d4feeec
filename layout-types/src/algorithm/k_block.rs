//! k blocks of a mainloop: fragments loaded from stages in shared memory, and multiplied. What a mainloop that is generic over its tiled
//! MMA and tiled copies needs of them, each role one bound.
//!
//! ```text
//!   LoadKBlock       stages (CPY,CPY_M,CPY_K,stage) at (k block, stage) ─► fragment (MMA,MMA_M,MMA_K) at k block
//!   MultiplyKBlock   C += A B of a k block
//! ```
//!
//! Law: each trait holds for all tiled copies, tiled MMAs and fragments that [`copy`] and [`gemm`] take.
//!
//! Source: CuTe `examples/cute/tutorial/sgemm_sm80.cu`, its loop over `K_BLOCK_MAX`.

use super::Walk;
use super::copy::{CopyBy, copy};
use super::elementwise::transform_in_place;
use super::gemm::{GemmBy, IsElement, gemm};
use crate::algebra::cast::RecastTo;
use crate::atom::Element;
use crate::atom::MmaAtom;
use crate::layout::LayoutFn;
use crate::ragged::SliceTensorBy;
use crate::tensor::{
    __, Fragment, FragmentLayout, GetSlice, PartitionLayout, Plain, Registers, Role, Shared,
    Tensor, ThrCopy,
};
use crate::tiled::{
    MadeFor, OperandA, OperandB, OperandC, Retile, RetileOf, Source, TiledCopyTraits,
    TiledMmaTraits,
};
use crate::tree::Underscore;

/// A k block of a fragment, and of a stage.
type OfBlock = (Underscore, Underscore, u32);
type OfStage = (Underscore, Underscore, u32, u32);
type BlockOf<L> = <L as SliceTensorBy<OfBlock>>::Output;
type StageOf<L> = <L as SliceTensorBy<OfStage>>::Output;
type Recast<L, V, T> = <L as RecastTo<<V as Element>::Bits, <T as Element>::Bits>>::Output;
type Part<L, C> = <L as PartitionLayout<C, Source>>::Part;

/// `Self`, a tiled copy, loads k blocks of `Stages`, `(rows,k,stage)` of bits `T`, into a fragment of `V`.
pub trait LoadKBlock<T: Plain, Stages: LayoutFn, V: Plain, L: FragmentLayout, R: Role>:
    TiledCopyTraits
{
    /// A thread's part of the stages: `(CPY,CPY_M,CPY_K,stage)`.
    type Source: LayoutFn;
    /// Returns thread `thread`'s part of the stages.
    fn partition_stages(
        stages: &Tensor<Shared<T>, Stages>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Source>;
    /// Loads k block `k_block` of stage `stage`. The copies move bits, whatever the element type.
    ///
    /// # Safety
    /// As of [`copy`].
    unsafe fn load_k_block(
        source: &Tensor<Shared<T>, Self::Source>,
        fragment: &Fragment<V, L, R>,
        k_block: u32,
        stage: u32,
    );
    /// Replaces the bits of k block `k_block` by `f` of them.
    fn transform_k_block(fragment: &Fragment<V, L, R>, k_block: u32, f: impl Fn(T) -> T);
}
impl<C, T: Plain, Stages: LayoutFn, V: Plain, L: FragmentLayout, R: Role>
    LoadKBlock<T, Stages, V, L, R> for C
where
    C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>>,
    Stages: PartitionLayout<C, Source, Part: LayoutFn + SliceTensorBy<OfStage, Output: LayoutFn>>,
    L: RecastTo<<V as Element>::Bits, <T as Element>::Bits, Output: LayoutFn>,
    R: MadeFor<C::Role>,
    C: Retile<Recast<L, V, T>, Output: SliceTensorBy<OfBlock, Output: LayoutFn>>,
    C: for<'a> CopyBy<
            Shared<T>,
            StageOf<Part<Stages, C>>,
            Registers<'a, T, R>,
            BlockOf<RetileOf<C, Recast<L, V, T>>>,
        >,
    L: SliceTensorBy<
            OfBlock,
            Output: RecastTo<<V as Element>::Bits, <T as Element>::Bits, Output: Walk> + LayoutFn,
        >,
{
    type Source = Part<Stages, C>;
    #[inline(always)]
    fn partition_stages(
        stages: &Tensor<Shared<T>, Stages>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Source> {
        C::get_slice(thread).partition_s(stages)
    }
    #[inline(always)]
    unsafe fn load_k_block(
        source: &Tensor<Shared<T>, Self::Source>,
        fragment: &Fragment<V, L, R>,
        k_block: u32,
        stage: u32,
    ) {
        let target = C::get_slice(0).retile_d(&fragment.view().recast::<T>()); // (CPY,CPY_M,CPY_K)
        let source = source.slice((__, __, k_block, stage)); // (CPY,CPY_M)
        // SAFETY: the threads of an atom are together, as this function requires of its caller.
        unsafe { copy(C::default(), &source, &target.slice((__, __, k_block))) };
    }
    #[inline(always)]
    fn transform_k_block(fragment: &Fragment<V, L, R>, k_block: u32, f: impl Fn(T) -> T) {
        transform_in_place(&fragment.slice((__, __, k_block)).recast::<T>(), f);
    }
}

/// `Self`, a tiled MMA, multiplies k blocks of fragments of the layouts `LA` and `LB`.
pub trait MultiplyKBlock<VA: Plain, LA, VB: Plain, LB, VC: Plain, LC>: TiledMmaTraits
where
    LA: FragmentLayout,
    LB: FragmentLayout,
    LC: FragmentLayout,
{
    /// Adds the products of k block `k_block` to `c`.
    ///
    /// # Safety
    /// As of [`gemm`].
    unsafe fn multiply_k_block(
        a: &Fragment<VA, LA, OperandA>,
        b: &Fragment<VB, LB, OperandB>,
        c: &Fragment<VC, LC, OperandC>,
        k_block: u32,
    );
}
impl<Mma, VA, LA, VB, LB, VC, LC> MultiplyKBlock<VA, LA, VB, LB, VC, LC> for Mma
where
    Mma: TiledMmaTraits,
    VA: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeA>,
    VB: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeB>,
    VC: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeC>,
    LA: FragmentLayout + SliceTensorBy<OfBlock, Output: LayoutFn>,
    LB: FragmentLayout + SliceTensorBy<OfBlock, Output: LayoutFn>,
    LC: FragmentLayout,
    Mma: GemmBy<BlockOf<LA>, BlockOf<LB>, LC>,
{
    #[inline(always)]
    unsafe fn multiply_k_block(
        a: &Fragment<VA, LA, OperandA>,
        b: &Fragment<VB, LB, OperandB>,
        c: &Fragment<VC, LC, OperandC>,
        k_block: u32,
    ) {
        // (MMA,MMA_M) and (MMA,MMA_N)
        let (a, b) = (a.slice((__, __, k_block)), b.slice((__, __, k_block)));
        // SAFETY: whole warps are here, as this function requires of its caller.
        unsafe { gemm(Mma::default(), &a, &b, &c.view()) };
    }
}
