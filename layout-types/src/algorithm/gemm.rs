//! `gemm`: the product of fragments, one MMA atom at a time.
//!
//! ```text
//!   A (MMA,MMA_M,MMA_K)   B (MMA,MMA_N,MMA_K)   C (MMA,MMA_M,MMA_N)
//!   for k, for n, for m (there and back):   C(:,m,n) += A(:,m,k) B(:,n,k)      sums of more than 8 bytes a thread and atom
//!   for k, for m, for n                                                        others
//! ```
//!
//! Law: `c(m, n) += sum over k of a(m, k) b(n, k)`, each term by the instruction, with sums over k
//! in increasing order. The inner loop was chosen by measurement on an H200, in cycles per
//! instruction of a GEMM's main loop with 64 x 64 accumulators per warp. With f32 accumulators it
//! takes 6.85 cycles with m inside, back and forth, so that consecutive instructions share an
//! operand, and 7.04 with n inside. With f16 accumulators it takes 6.5 either way, and n inside
//! uses less power; with f16, going back and forth costs about 1 % of a whole GEMM's time.
//!
//! A fragment must have the role of the operand for which it was made, and the instruction's
//! element types; each atom's values lie in whole registers. All this is checked by type.
//!
//! Source: CuTe `gemm` in `cute/algorithm/gemm.hpp`, `mma_unpack` in `cute/atom/mma_traits.hpp`.

use crate::algebra::coalesce::CoalescedTree;
use crate::algebra::runs::RunTree;
use crate::atom::MmaAtom;
use crate::atom::mma::MmaOp;
use crate::decimal::Decimal;
use crate::layout::{LayoutFn, Unzip};
use crate::num::{False, NatCmp, NatDiv, QuotRem, True};
use crate::tensor::{Engine, Plain, Registers, Tensor};
use crate::tiled::{AnyRole, OperandA, OperandB, OperandC, TiledMma, TiledMmaTraits};
use crate::tree::{ModeList, ModeTree};
use crate::unroll::{Unroll, unroll_type};
use typenum::Unsigned;

/// Implemented if `Self` is the element type `T`.
#[diagnostic::on_unimplemented(
    message = "the tensor's elements are `{Self}`, but the instruction's are `{T}`",
    label = "the element types do not match"
)]
#[doc(hidden)]
pub trait IsElement<T> {}
impl<T> IsElement<T> for T {}

/// Implemented if a fragment of the role `Self` can be operand `X`.
#[diagnostic::on_unimplemented(
    message = "a fragment made as `{Self}` is given as `{X}`",
    label = "the fragment belongs to another operand of the MMA",
    note = "`partition_fragment_a`, `_b` and `_c` make the fragments of A, B and C"
)]
#[doc(hidden)]
pub trait IsOperand<X> {}
impl IsOperand<OperandA> for OperandA {}
impl IsOperand<OperandB> for OperandB {}
impl IsOperand<OperandC> for OperandC {}
impl<X> IsOperand<X> for AnyRole {}

/// Implemented if the values of each atom of the fragment `Self` lie in whole registers,
/// contiguously.
#[doc(hidden)]
pub trait WholeRegisters<Op> {}
type Values<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First;
type ValueRun<L> = <CoalescedTree<Values<L>> as RunTree>::Run;
type ValueCount<L> = <Values<L> as ModeTree>::Size;
impl<L: LayoutFn, Op> WholeRegisters<Op> for L where
    <<ValueRun<L> as NatDiv>::DivRem<ValueCount<L>> as QuotRem>::Exact:
        SideBySide<Op, ValueCount<L>, ValueRun<L>>
{
}
/// Implemented for `True`: the values of an atom lie side by side.
pub trait SideBySide<Op, Count, Run> {}
impl<Op, C, R> SideBySide<Op, C, R> for True {}
impl<Op, C: Decimal, R: Decimal> SideBySide<Op, C, R> for False where Op: TakesRun<C::Text, R::Text> {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes {Count} values in whole registers, but of the fragment's only {Run} lie side by side",
    label = "mode 0 of the fragment is not what the instruction holds",
    note = "`partition_fragment_a`, `_b` and `_c` make fragments that the instruction can take"
)]
pub trait TakesRun<Count, Run> {}

/// The modes after the values: (`MMA_M` or `MMA_N`, and `MMA_K`).
type Rest<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest;
type FirstRest<L> = <Rest<L> as ModeList>::First;
type SecondRest<L> = <Rest<L> as ModeList>::Rest;
type SizeOf<T> = <T as ModeTree>::Size;

/// Implemented for `True`: two fragments have the same number of atoms along a mode.
pub trait SameExtent<Mode, Left, Right> {}
impl<M, L, R> SameExtent<M, L, R> for True {}
impl<M, L: Decimal, R: Decimal> SameExtent<M, L, R> for False where M: AgreesOn<L::Text, R::Text> {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "the fragments do not fit each other: the one has {Left} atoms along {Self}, the other {Right}",
    label = "A is (MMA,M,K), B is (MMA,N,K), C is (MMA,M,N)"
)]
pub trait AgreesOn<Left, Right> {}
/// Names the mode of the atoms along M, as CuTe does.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct MMA_M;
/// Names the mode of the atoms along N, as CuTe does.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct MMA_N;
/// Names the mode of the atoms along K, as CuTe does.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct MMA_K;

/// Implemented if the tiled MMA `Self` multiplies fragments of the layouts `LA`, `LB` and `LC`.
pub trait GemmBy<LA, LB, LC>: TiledMmaTraits<Atom: MmaOp> {
    /// The number of atoms along M.
    type M: Unroll + Unsigned;
    /// The number of atoms along N.
    type N: Unroll + Unsigned;
    /// The number of atoms along K.
    type K: Unroll + Unsigned;
    /// Moves from a fragment's first value to `(m, k)` of A.
    fn place_a<E: Engine>(e: E, m: u32, k: u32) -> E;
    /// Moves from a fragment's first value to `(n, k)` of B.
    fn place_b<E: Engine>(e: E, n: u32, k: u32) -> E;
    /// Moves from a fragment's first value to `(m, n)` of C.
    fn place_c<E: Engine>(e: E, m: u32, n: u32) -> E;
}
impl<Atom, Atoms, P, LA, LB, LC> GemmBy<LA, LB, LC> for TiledMma<Atom, Atoms, P>
where
    Self: TiledMmaTraits<Atom = Atom>,
    Atom: MmaOp,
    LA: LayoutFn + WholeRegisters<Atom>,
    LB: LayoutFn + WholeRegisters<Atom>,
    LC: LayoutFn + WholeRegisters<Atom>,
    <SizeOf<FirstRest<LA>> as NatCmp>::Equals<SizeOf<FirstRest<LC>>>:
        SameExtent<MMA_M, SizeOf<FirstRest<LA>>, SizeOf<FirstRest<LC>>>,
    <SizeOf<FirstRest<LB>> as NatCmp>::Equals<SizeOf<SecondRest<LC>>>:
        SameExtent<MMA_N, SizeOf<FirstRest<LB>>, SizeOf<SecondRest<LC>>>,
    <SizeOf<SecondRest<LA>> as NatCmp>::Equals<SizeOf<SecondRest<LB>>>:
        SameExtent<MMA_K, SizeOf<SecondRest<LA>>, SizeOf<SecondRest<LB>>>,
    SizeOf<FirstRest<LA>>: Unroll,
    SizeOf<FirstRest<LB>>: Unroll,
    SizeOf<SecondRest<LA>>: Unroll,
{
    type M = SizeOf<FirstRest<LA>>;
    type N = SizeOf<FirstRest<LB>>;
    type K = SizeOf<SecondRest<LA>>;
    #[inline(always)]
    fn place_a<E: Engine>(e: E, m: u32, k: u32) -> E {
        place::<LA, E>(e, m, k)
    }
    #[inline(always)]
    fn place_b<E: Engine>(e: E, n: u32, k: u32) -> E {
        place::<LB, E>(e, n, k)
    }
    #[inline(always)]
    fn place_c<E: Engine>(e: E, m: u32, n: u32) -> E {
        place::<LC, E>(e, m, n)
    }
}
/// Moves to the atom at `(i, j)` of modes 1 and 2.
#[inline(always)]
pub(super) fn place<L: LayoutFn, E: Engine>(e: E, i: u32, j: u32) -> E {
    e.step::<Unzip<FirstRest<L>>, u32>(i)
        .step::<Unzip<SecondRest<L>>, u32>(j)
}

/// Computes `C += A B` on this thread's fragments: CuTe's `gemm(mma, A, B, C)`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::algorithm::{fill, gemm};
/// use layout_types::atom::mma::UniversalFma;
/// use layout_types::tensor::Fragment;
/// use layout_types::tiled::{OperandA, OperandB, OperandC, TiledMma};
/// type Mma = TiledMma<UniversalFma<i32>, layout!((1,1,1))>;
/// // (MMA,MMA_M,MMA_K), (MMA,MMA_N,MMA_K), (MMA,MMA_M,MMA_N): 2 rows, 3 columns, 4 along k.
/// let a = Fragment::<i32, layout!((1,2,4)), OperandA>::new();
/// let b = Fragment::<i32, layout!((1,3,4)), OperandB>::new();
/// let c = Fragment::<i32, layout!((1,2,3)), OperandC>::new();
/// (fill(&a.view(), 5), fill(&b.view(), 7), fill(&c.view(), 1));
/// // SAFETY: the atom is one thread's.
/// unsafe { gemm(Mma::default(), &a.view(), &b.view(), &c.view()) };
/// assert_eq!(c.get((0u32, 1, 2)), 1 + 4 * 5 * 7);
/// ```
///
/// # Safety
/// All threads of the tiled MMA's atoms execute it together, as whole warps.
#[inline(always)]
pub unsafe fn gemm<'f, Mma, TA, TB, TC, RA, RB, RC, LA, LB, LC>(
    _mma: Mma,
    a: &Tensor<Registers<'f, TA, RA>, LA>,
    b: &Tensor<Registers<'f, TB, RB>, LB>,
    c: &Tensor<Registers<'f, TC, RC>, LC>,
) where
    TA: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeA>,
    TB: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeB>,
    TC: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeC>,
    RA: IsOperand<OperandA>,
    RB: IsOperand<OperandB>,
    RC: IsOperand<OperandC>,
    LA: LayoutFn,
    LB: LayoutFn,
    LC: LayoutFn,
    Mma: GemmBy<LA, LB, LC>,
{
    let (a, b, c) = (a.engine(), b.engine(), c.engine());
    let product = |m: usize, n: usize, k: usize| {
        let a: <Mma::Atom as MmaOp>::ARegisters = Mma::place_a(a, m as u32, k as u32).read();
        let b: <Mma::Atom as MmaOp>::BRegisters = Mma::place_b(b, n as u32, k as u32).read();
        let place = Mma::place_c(c, m as u32, n as u32);
        let mut d: <Mma::Atom as MmaOp>::DRegisters = place.read();
        // SAFETY: `gemm` requires that all threads of the atom execute it together; its loops are
        // unrolled in the same way for all of them.
        unsafe { Mma::Atom::fma_assign(&mut d, &a, &b) };
        place.write(d);
    };
    // The inner loop runs backwards if the outer index is odd.
    let turn = |i: usize, outer: usize, size: usize| {
        if outer.is_multiple_of(2) {
            i
        } else {
            size - 1 - i
        }
    };
    unroll_type::<Mma::K>(|k| {
        if size_of::<<Mma::Atom as MmaOp>::DRegisters>() > 8 {
            unroll_type::<Mma::N>(|n| {
                unroll_type::<Mma::M>(|m| product(turn(m, n, Mma::M::USIZE), n, k))
            });
        } else {
            unroll_type::<Mma::M>(|m| unroll_type::<Mma::N>(|n| product(m, n, k)));
        }
    });
}
