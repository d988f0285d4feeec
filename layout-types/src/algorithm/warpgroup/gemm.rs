//! `gemm` with a tiled MMA of warp groups: descriptors or registers of A, descriptors of B,
//! accumulators in flight.
//!
//! ```text
//!   a fragment of C, (MMA,MMA_M,MMA_N)      MMA_M x MMA_N atoms, the one at (m, n) is number m + MMA_M n      AccumulatorTile
//! ```

use super::InFlight;
use crate::algorithm::gemm::{
    IsElement, IsOperand, MMA_K, MMA_M, MMA_N, SameExtent, WholeRegisters,
};
use crate::arch::mma_sm90_gmma::warpgroup_fence_operand;
use crate::atom::MmaAtom;
use crate::atom::mma::WgmmaOp;
use crate::layout::{Layout, LayoutFn, Unzip};
use crate::num::{Nat, NatCmp, Zero};
use crate::tensor::{
    Descriptors, Engine, Fragment, FragmentLayout, Plain, Read, Registers, Role, SmemOperand,
    Tensor,
};
use crate::tiled::{OperandA, OperandB, TiledMmaTraits};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
use crate::unroll::{Unroll, unroll_type};
use generic_array::ArrayLength;
use typenum::{U1, Unsigned};

/// The accumulator of one atom, whose values are the registers themselves.
#[derive(Clone, Copy, Debug)]
pub struct OneAtom;

/// The atoms of an accumulator: one ([`OneAtom`]), or the atoms of a fragment of C,
/// `(MMA,MMA_M,MMA_N)`.
pub trait AccumulatorTile<Atom> {
    /// The number of atoms along M.
    type M: Unroll + Unsigned + Nat;
    /// The number of atoms along N.
    type N: Unroll + Unsigned + Nat;
    /// The number of all atoms.
    type Count: ArrayLength + Unroll;
}
impl<Atom> AccumulatorTile<Atom> for OneAtom {
    type M = U1;
    type N = U1;
    type Count = U1;
}

/// Returns the number of the accumulator at `(m, n)`.
#[inline(always)]
pub(super) const fn number<Atom, L: AccumulatorTile<Atom>>(m: usize, n: usize) -> usize {
    m + n * L::M::USIZE
}

/// The modes after the values.
type Rest<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest;
/// The size of mode 1 of a fragment, `MMA_M` or `MMA_N`.
type Size1<L> = <<Rest<L> as ModeList>::First as ModeTree>::Size;
/// Mode 2 of a fragment, `MMA_N` or `MMA_K`.
type Mode2<L> = <<Rest<L> as ModeList>::Rest as KMode>::Mode;
/// The size of mode 2.
type Size2<L> = <Mode2<L> as ModeTree>::Size;

impl<S, D, Atom> AccumulatorTile<Atom> for Layout<S, D>
where
    Self: LayoutFn + WholeRegisters<Atom>,
    Rest<Self>: ModeList<Rest: KMode>,
    Size1<Self>: Unroll,
    Size2<Self>: Unroll,
    <Size1<Self> as Nat>::Times<Size2<Self>>: ArrayLength + Unroll,
{
    type M = Size1<Self>;
    type N = Size2<Self>;
    type Count = <Size1<Self> as Nat>::Times<Size2<Self>>;
}

/// The modes after the first two of a fragment: `MMA_K`, or no mode if one block along K was
/// sliced.
#[diagnostic::on_unimplemented(
    message = "a fragment of a stage is (MMA,MMA_M,MMA_K) or (MMA,MMA_M): this one has more modes",
    label = "slice the stage: `fragment.slice((__, __, __, stage))`"
)]
pub trait KMode {
    /// The mode, or a mode of size 1 if there is none.
    type Mode: ModeTree;
}
impl KMode for Nil {
    type Mode = M<U1, Zero>;
}
impl<K: ModeTree> KMode for Cons<K, Nil> {
    type Mode = K;
}

/// The operands of a tiled MMA's atoms, in a fragment of layout `L`. They are descriptors, or
/// registers of A.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no operand of this tiled MMA's atoms",
    label = "`partition_descriptors_a` and `_b` make operands in shared memory, `partition_fragment_a` those of A in registers"
)]
pub trait WarpgroupOperand<Mma, L>: Engine {
    /// The operand of the MMA that the fragment was made for.
    type Role;
    /// The type that the instruction takes.
    type Operand;
    /// Returns the operand of the atom at this place.
    fn operand(self) -> Self::Operand;
}
impl<Mma: SmemOperand<X>, X: 'static, L: LayoutFn> WarpgroupOperand<Mma, L>
    for Descriptors<Mma, X>
{
    type Role = X;
    type Operand = Self::Value;
    #[inline(always)]
    fn operand(self) -> Self::Value {
        self.load::<L>()
    }
}
impl<Mma, T, R, L> WarpgroupOperand<Mma, L> for Registers<'_, T, R>
where
    Mma: TiledMmaTraits,
    T: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeA>,
    L: LayoutFn + WholeRegisters<Mma::Atom>,
{
    type Role = R;
    type Operand = [u32; 4];
    #[inline(always)]
    fn operand(self) -> [u32; 4] {
        self.read()
    }
}

/// Moves to the atom at `(i, k)` of modes 1 and 2.
#[inline(always)]
fn place<L, E: Engine>(e: E, i: usize, k: usize) -> E
where
    L: LayoutFn<Modes: ModeTree<Modes: ModeList<Rest: ModeList<Rest: KMode>>>>,
{
    type Mode1<L> =
        <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;
    e.step::<Unzip<Mode1<L>>, u32>(i as u32)
        .step::<Unzip<Mode2<L>>, u32>(k as u32)
}

/// Computes `C += A B` for all atoms of a stage, `(MMA,MMA_M,MMA_K)` and `(MMA,MMA_N,MMA_K)`, or
/// for one block along K. If `scale_d` is 0, the first block's products replace the values of C.
/// CuTe's `gemm(mma, A, B, C)`.
///
/// The instructions run k block after k block, so that products are added in ascending k;
/// consecutive instructions share an operand.
///
/// # Safety
/// All warps of each warp group execute it, each warp together, with the same operands. A and B in
/// shared memory are written and visible to the asynchronous proxy; no thread writes them, or A's
/// registers, until the group of these products has ended. Registers of A are held in place
/// ([`fence_operand`]) before the last fence.
#[inline(always)]
pub unsafe fn gemm<Mma, EA, EB, LA, LB, L>(
    _mma: Mma,
    a: &Tensor<EA, LA>,
    b: &Tensor<EB, LB>,
    c: &mut InFlight<Mma::Atom, L>,
    scale_d: u32,
) where
    Mma: TiledMmaTraits<Atom: WgmmaOp>,
    LA: LayoutFn<Modes: ModeTree<Modes: ModeList<Rest: ModeList<Rest: KMode>>>>,
    LB: LayoutFn<Modes: ModeTree<Modes: ModeList<Rest: ModeList<Rest: KMode>>>>,
    EA: WarpgroupOperand<
            Mma,
            LA,
            Role: IsOperand<OperandA>,
            Operand = <Mma::Atom as WgmmaOp>::AOperand,
        >,
    EB: WarpgroupOperand<
            Mma,
            LB,
            Role: IsOperand<OperandB>,
            Operand = <Mma::Atom as WgmmaOp>::BOperand,
        >,
    L: AccumulatorTile<Mma::Atom>,
    <Size1<LA> as NatCmp>::Equals<L::M>: SameExtent<MMA_M, Size1<LA>, L::M>,
    <Size1<LB> as NatCmp>::Equals<L::N>: SameExtent<MMA_N, Size1<LB>, L::N>,
    <Size2<LA> as NatCmp>::Equals<Size2<LB>>: SameExtent<MMA_K, Size2<LA>, Size2<LB>>,
    Size2<LA>: Unroll,
{
    unroll_type::<Size2<LA>>(|k| {
        unroll_type::<L::N>(|n| {
            unroll_type::<L::M>(|m| {
                // Odd columns run backwards.
                let m = if n % 2 == 0 { m } else { L::M::USIZE - 1 - m };
                let a = place::<LA, EA>(a.engine(), m, k).operand();
                let b = place::<LB, EB>(b.engine(), n, k).operand();
                let d = &mut c.registers[number::<Mma::Atom, L>(m, n)];
                // SAFETY: the caller guarantees warps and operands as the instruction requires;
                // `InFlight` fenced the registers, and no other code can name them.
                unsafe { Mma::Atom::fma(d, &a, &b, if k == 0 { scale_d } else { 1 }) };
            });
        });
    });
}

/// The bound of [`gemm`] with operands in `EA` and `EB`, for kernels that are generic over their
/// tiled MMA.
pub trait WarpgroupGemm<EA, LA, EB, LB, L>: TiledMmaTraits<Atom: WgmmaOp>
where
    L: AccumulatorTile<Self::Atom>,
{
    /// Calls [`gemm`].
    ///
    /// # Safety
    /// The conditions of [`gemm`] hold.
    unsafe fn gemm(
        a: &Tensor<EA, LA>,
        b: &Tensor<EB, LB>,
        c: &mut InFlight<Self::Atom, L>,
        scale_d: u32,
    );
}
impl<Mma, EA, EB, LA, LB, L> WarpgroupGemm<EA, LA, EB, LB, L> for Mma
where
    Mma: TiledMmaTraits<Atom: WgmmaOp>,
    LA: LayoutFn<Modes: ModeTree<Modes: ModeList<Rest: ModeList<Rest: KMode>>>>,
    LB: LayoutFn<Modes: ModeTree<Modes: ModeList<Rest: ModeList<Rest: KMode>>>>,
    EA: WarpgroupOperand<
            Mma,
            LA,
            Role: IsOperand<OperandA>,
            Operand = <Mma::Atom as WgmmaOp>::AOperand,
        >,
    EB: WarpgroupOperand<
            Mma,
            LB,
            Role: IsOperand<OperandB>,
            Operand = <Mma::Atom as WgmmaOp>::BOperand,
        >,
    L: AccumulatorTile<Mma::Atom>,
    <Size1<LA> as NatCmp>::Equals<L::M>: SameExtent<MMA_M, Size1<LA>, L::M>,
    <Size1<LB> as NatCmp>::Equals<L::N>: SameExtent<MMA_N, Size1<LB>, L::N>,
    <Size2<LA> as NatCmp>::Equals<Size2<LB>>: SameExtent<MMA_K, Size2<LA>, Size2<LB>>,
    Size2<LA>: Unroll,
{
    #[inline(always)]
    unsafe fn gemm(
        a: &Tensor<EA, LA>,
        b: &Tensor<EB, LB>,
        c: &mut InFlight<Mma::Atom, L>,
        scale_d: u32,
    ) {
        // SAFETY: the caller guarantees warps, operands and fences as `gemm` requires: the contract
        // is the same.
        unsafe { gemm(Mma::default(), a, b, c, scale_d) };
    }
}

/// Fixes a fragment in place: A's registers are computed before this call, and change only after
/// this call. CuTe's `warpgroup_fence_operand`. The function emits no instruction.
#[inline(always)]
pub fn fence_operand<T: Plain, L: FragmentLayout<Length: Unroll>, R: Role>(
    fragment: &Fragment<T, L, R>,
) {
    fragment.each_register(|register| {
        let mut bits = [register];
        warpgroup_fence_operand(&mut bits);
        bits[0]
    });
}
