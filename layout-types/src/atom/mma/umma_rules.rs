//! The values of M and N, and the majors, that a `tcgen05.mma` can have.
//!
//! ```text
//!                        one CTA                        pair
//!   M                    64, 128   scaled 128           128, 256   mxf8f6f4 256
//!   N   f16 tf32         8 n | 16 n of 128 rows         16 n | 32 n with A in tensor memory
//!       f8f6f4           as f16; both in shared memory, B MN-major: 16 n | 32 n with a pair
//!       i8               8, and 16 n                    32 n
//!       with scales      8 n                            16 n
//!   MN-major             A or B of 8, 16 and 32 bits in shared memory; not the 4- and 6-bit floats
//! ```
//!
//! Law: N is a multiple of the step, up to 256. If the PTX ISA's table and CUTLASS's assertions
//! differ, `Umma` is an atom only for the values that both have.
//!
//! Source: PTX ISA, *tcgen05: Matrix shape, Major-ness*; CUTLASS `cute/arch/mma_sm100_umma.hpp` and
//! `cute/atom/mma_traits_sm100.hpp`, the assertions.

use super::sm90::{operand_A, operand_B};
use super::sm100::{UmmaElement, UmmaSource, UmmaTypes};
use super::{Element, Major};
use crate::atom::tmem::fragment::CtaGroup;
use crate::decimal::Decimal;
use crate::num::{Bool, False, Nat, NatCmp, NatDiv, QuotRem, True};
use typenum::{U8, U16, U32, U128, U256};

type IsMultiple<N, Of> = <<N as NatDiv>::DivRem<Of> as QuotRem>::Exact;
type Either<A, B> = <A as Bool>::Or<B>;
type Both<A, B> = <A as Bool>::And<B>;

// -- M --------------------------------------------------------------------------------------------

/// A number of rows `M` of a `tcgen05.mma` of the types `Kind` by the CTAs of `G`.
///
/// ```
/// use half::f16;
/// use layout_types::{int, atom::mma::sm100::{F16bf16, UmmaRows}, atom::tmem::fragment::{OneSm, TwoSm}};
/// fn has<M: UmmaRows<F16bf16<f16, f16, f32>, G>, G: layout_types::atom::tmem::fragment::CtaGroup>() {}
/// has::<int!(64), OneSm>();
/// has::<int!(256), TwoSm>();
/// ```
///
/// ```compile_fail
/// use half::f16;
/// use layout_types::{int, atom::mma::sm100::{F16bf16, UmmaRows}, atom::tmem::fragment::OneSm};
/// fn has<M: UmmaRows<F16bf16<f16, f16, f32>, OneSm>>() {}
/// has::<int!(256)>(); // one CTA has 64 or 128 rows
/// ```
pub trait UmmaRows<Kind, G>: Nat {}
type Least<Kind, G> = <Kind as UmmaTypes>::LeastRows<G>;
type Most<G> = <G as CtaGroup>::MostRows;
impl<M: Nat, Kind: UmmaTypes, G: CtaGroup> UmmaRows<Kind, G> for M where
    Either<<M as NatCmp>::Equals<Least<Kind, G>>, <M as NatCmp>::Equals<Most<G>>>:
        IsRows<Kind, G, M>
{
}
/// Implemented for `True`: `M` is a number of rows of `Kind`.
#[doc(hidden)]
pub trait IsRows<Kind, G, M> {}
impl<Kind, G, M> IsRows<Kind, G, M> for True {}
impl<Kind, G, M> IsRows<Kind, G, M> for False
where
    Kind: UmmaTypes
        + HasRows<
            M::Text,
            <G::Size as Decimal>::Text,
            <Least<Kind, G> as Decimal>::Text,
            <Most<G> as Decimal>::Text,
        >,
    G: CtaGroup<Size: Decimal, MostRows: Decimal>,
    Least<Kind, G>: Decimal,
    M: Decimal,
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`tcgen05.mma` of the types `{Self}` has no M = {M} with {Ctas} CTA(s)",
    label = "these types with {Ctas} CTA(s) have M = {Least} or {Most}"
)]
#[doc(hidden)]
pub trait HasRows<M, Ctas, Least, Most> {}

// -- N --------------------------------------------------------------------------------------------

/// The rule for the values of N that the types of a `tcgen05.mma` have.
pub trait ColumnRule {
    /// The step; N is a multiple of the step.
    type Step<M: Nat, G: CtaGroup, InTmem: Bool, MnB: Bool>: Nat;
    /// Whether one CTA also has N = 8.
    type Eight: Bool;
}
type Pick<If, A, B> = <If as Bool>::PickNat<A, B>;
/// The rule for f16, bf16 and tf32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatColumns;
impl ColumnRule for FloatColumns {
    type Step<M: Nat, G: CtaGroup, InTmem: Bool, MnB: Bool> =
        Pick<G::IsPair, Pick<InTmem, U32, U16>, Pick<<M as NatCmp>::Equals<U128>, U16, U8>>;
    type Eight = False;
}
/// The rule for floats of 8, 6 and 4 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NarrowFloatColumns;
impl ColumnRule for NarrowFloatColumns {
    type Step<M: Nat, G: CtaGroup, InTmem: Bool, MnB: Bool> = Pick<
        G::IsPair,
        Pick<Either<InTmem, MnB>, U32, U16>,
        Pick<Either<<M as NatCmp>::Equals<U128>, Both<MnB, <InTmem as Bool>::Not>>, U16, U8>,
    >;
    type Eight = False;
}
/// The rule for integers of 8 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntegerColumns;
impl ColumnRule for IntegerColumns {
    type Step<M: Nat, G: CtaGroup, InTmem: Bool, MnB: Bool> = Pick<G::IsPair, U32, U16>;
    type Eight = True;
}
/// The rule for products with scale factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScaledColumns;
impl ColumnRule for ScaledColumns {
    type Step<M: Nat, G: CtaGroup, InTmem: Bool, MnB: Bool> = Pick<G::IsPair, U16, U8>;
    type Eight = False;
}

/// A number of columns `N` of a `tcgen05.mma` of the types `Kind` with `M` rows and A in `Source`.
///
/// ```compile_fail
/// use half::f16;
/// use layout_types::{int, atom::mma::{MajorK, Shared, sm100::{F16bf16, UmmaColumns}}, atom::tmem::fragment::OneSm};
/// fn has<N: UmmaColumns<F16bf16<f16, f16, f32>, int!(128), Shared, OneSm, MajorK>>() {}
/// has::<int!(40)>(); // with 128 rows N is a multiple of 16
/// ```
pub trait UmmaColumns<Kind, M, Source, G, TnspB>: Nat {}
/// The step of N.
type StepOf<Kind, M, S, G, TnspB> = <<Kind as UmmaTypes>::Columns as ColumnRule>::Step<
    M,
    G,
    <S as UmmaSource<G>>::IsTmem,
    <<TnspB as Major>::IsK as Bool>::Not,
>;
/// Whether `N` is 8, for integers in one CTA.
type IsEight<Kind, G, N> = Both<
    Both<
        <<Kind as UmmaTypes>::Columns as ColumnRule>::Eight,
        <<G as CtaGroup>::IsPair as Bool>::Not,
    >,
    <N as NatCmp>::Equals<U8>,
>;
type IsStep<N, Step> =
    Both<Both<IsMultiple<N, Step>, <U256 as NatCmp>::AtLeast<N>>, <N as NatCmp>::AtLeast<Step>>;
impl<N, Kind, M, S, G, TnspB> UmmaColumns<Kind, M, S, G, TnspB> for N
where
    N: Nat,
    Kind: UmmaTypes,
    M: Nat,
    G: CtaGroup,
    S: UmmaSource<G>,
    TnspB: Major,
    Either<IsStep<N, StepOf<Kind, M, S, G, TnspB>>, IsEight<Kind, G, N>>:
        IsColumns<Kind, M, N, StepOf<Kind, M, S, G, TnspB>>,
{
}
/// Implemented for `True`: `N` is a number of columns of `Kind`.
#[doc(hidden)]
pub trait IsColumns<Kind, M, N, Step> {}
impl<Kind, M, N, Step> IsColumns<Kind, M, N, Step> for True {}
impl<Kind, M, N, Step> IsColumns<Kind, M, N, Step> for False
where
    Kind: HasColumns<M::Text, N::Text, Step::Text>,
    M: Decimal,
    N: Decimal,
    Step: Decimal,
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`tcgen05.mma` of the types `{Self}` with M = {M} has no N = {N}",
    label = "N is a multiple of {Step} from {Step} to 256 here; of 8-bit integers one CTA has N = 8, too"
)]
#[doc(hidden)]
pub trait HasColumns<M, N, Step> {}

// -- Majors ---------------------------------------------------------------------------------------

/// A major of the operand A of the types `Kind` in `Source`: K-major, or MN-major in shared memory
/// if the elements can be.
pub trait UmmaMajorA<Kind, Source, G>: Major {}
impl<T, Kind, S, G> UmmaMajorA<Kind, S, G> for T
where
    T: Major,
    Kind: UmmaTypes,
    S: UmmaSource<G>,
    Either<T::IsK, <Kind::A as UmmaElement>::MnMajor>:
        IsUmmaMajor<Kind, operand_A, <Kind::A as Element>::Bits>,
    Either<T::IsK, <S::IsTmem as Bool>::Not>: IsKMajorThere<Kind>,
{
}
/// A major of the operand B of the types `Kind` in shared memory: K-major, or MN-major if the
/// elements can be.
pub trait UmmaMajorB<Kind>: Major {}
impl<T: Major, Kind: UmmaTypes> UmmaMajorB<Kind> for T where
    Either<T::IsK, <Kind::B as UmmaElement>::MnMajor>:
        IsUmmaMajor<Kind, operand_B, <Kind::B as Element>::Bits>
{
}
/// Implemented for `True`: the instruction has this major.
#[doc(hidden)]
pub trait IsUmmaMajor<Kind, Operand, Bits> {}
impl<Kind, O, Bits> IsUmmaMajor<Kind, O, Bits> for True {}
impl<Kind: ReadsMnMajor<O>, O, Bits> IsUmmaMajor<Kind, O, Bits> for False {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`tcgen05.mma` of the types `{Self}` reads {Operand} K-major only",
    label = "floats of 4 and 6 bits are K-major; f16, bf16, tf32 and 8-bit types may be MN-major"
)]
#[doc(hidden)]
pub trait ReadsMnMajor<Operand> {}
/// Implemented for `True`: A is not both in tensor memory and MN-major.
#[doc(hidden)]
pub trait IsKMajorThere<Kind> {}
impl<Kind> IsKMajorThere<Kind> for True {}
impl<Kind: KMajorInTmem> IsKMajorThere<Kind> for False {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`tcgen05.mma` of the types `{Self}` takes no MN-major A from tensor memory",
    label = "only an operand in shared memory can be MN-major: with A in tensor memory that is B"
)]
#[doc(hidden)]
pub trait KMajorInTmem {}
