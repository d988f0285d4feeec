//! `tcgen05.mma` of Blackwell, which one thread issues for a CTA or a pair of CTAs: the traits, not
//! the instructions.
//!
//! ```text
//!   Sm100_MMA_F16BF16_SS<bf16, bf16, f32, U128, U256, MajorK, MajorK>
//!     (128,256,16)      ThrID 1:0      A (1,(128,16)):(0,(1,128))      B (1,(256,16)):(0,(1,256))
//!   Sm100_MMA_F16BF16_2x1SM_SS<..U256, U256..>
//!     (256,256,16)      ThrID 2:1      A (2,(128,16)):(128,(1,256))    B (2,(128,16)):(128,(1,256))
//! ```
//!
//! Law: the law of every MMA atom holds, with CTAs in place of threads. A single CTA has all of A,
//! B and C. Each CTA of a pair has half of A's rows, half of B's rows, and half of the
//! accumulator's rows. A is read from shared memory by a descriptor (SS) or from tensor memory
//! (TS), and B by a descriptor. The accumulator is in tensor memory. The types, M, N, the
//! contiguous modes, the source of A and the group of CTAs determine everything else: the layouts,
//! the fragments, the instruction's descriptor, and its text.
//!
//! Source: CuTe `cute/atom/mma_traits_sm100.hpp`, `cute/arch/mma_sm100_umma.hpp`; PTX ISA,
//! *tcgen05.mma*.

use super::super::element::{
    FloatE2M1, FloatE2M3, FloatE3M2, FloatE4M3, FloatE5M2, FloatUE4M3, FloatUE8M0, TFloat32,
    Unpacked,
};
pub use super::sm90::Shared;
pub use super::umma_rules::*;
use super::{Element, FrgType, Major, MajorK, MmaAtom, SmemDesc};
use crate::arch::mma_sm100_umma::{
    KindF8f6f4, KindF16, KindI8, KindMxf4, KindMxf4nvf4, KindMxf8f6f4, KindTf32, UmmaIssue,
    UmmaIssueScaled,
};
use crate::atom::Instruction;
use crate::atom::tmem::fragment::{
    AllocMode, CtaGroup, Duplicated, Interleaved, NonInterleaved, OneSm, TmemFrg, TwoSm,
};
use crate::atom::tmem::scales::{FourByOne, ScaleMap, TmemSfFrg, TwoByTwoScales};
use crate::num::{Bool, False, Nat, NatCmp, True};
use crate::shape;
use crate::tree::phantom;
use core::fmt;
use half::{bf16, f16};
use typenum::{U8, U16, U32, U64, U100, U128};

phantom! {
    /// A `tcgen05.mma` instruction: types `Kind`, `M` rows, `N` columns, the source of A, the group
    /// of CTAs that multiply together, and the modes that are contiguous in shared memory.
    ///
    /// CuTe's names are aliases of this type: [`Sm100_MMA_F16BF16_SS`]. The type is an atom for the
    /// rows, columns and majors that PTX and CUTLASS have ([`UmmaRows`], [`UmmaColumns`],
    /// [`UmmaMajorA`], [`UmmaMajorB`]).
    ///
    /// ```
    /// use half::bf16;
    /// use layout_types::atom::{MmaAtom, mma::MajorK, mma::sm100::*};
    /// use layout_types::typenum::{U128, U256};
    /// type One = Sm100_MMA_F16BF16_SS<bf16, bf16, f32, U128, U256, MajorK, MajorK>;
    /// type Pair = Sm100_MMA_F16BF16_2x1SM_SS<bf16, bf16, f32, U256, U256, MajorK, MajorK>;
    /// assert_eq!(<One as MmaAtom>::BLayout::default().to_string(), "(1,(256,16)):(0,(1,256))");
    /// assert_eq!(<Pair as MmaAtom>::BLayout::default().to_string(), "(2,(128,16)):(128,(1,256))");
    /// assert_eq!(<Pair as MmaAtom>::PTX, "tcgen05.mma.cta_group::2.kind::f16");
    /// ```
    Umma<Kind, M, N, Source, G, TnspA = MajorK, TnspB = MajorK>
}
impl<K: UmmaKind<S, G>, M: Nat, N: Nat, S, G, A, B> fmt::Debug for Umma<K, M, N, S, G, A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} by {}", K::NAME, M::USIZE, N::USIZE)
    }
}

/// The source of A in tensor memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InTmem;

/// A source from which `tcgen05.mma` reads A: [`Shared`] or [`InTmem`].
pub trait UmmaSource<G>: Send + Sync + 'static {
    /// Whether A is read from tensor memory.
    type IsTmem: Bool;
    /// The mode of allocation of the accumulator.
    type Accumulators: AllocMode;
    /// The source as [`MmaAtom::FrgTypeA`], for elements `T`.
    type Frg<T: Element, TnspA: Major>: FrgType;
}
impl<G: CtaGroup> UmmaSource<G> for Shared {
    type IsTmem = False;
    type Accumulators = Interleaved;
    type Frg<T: Element, TnspA: Major> = SmemDesc<TnspA>;
}
impl UmmaSource<OneSm> for InTmem {
    type IsTmem = True;
    type Accumulators = NonInterleaved;
    type Frg<T: Element, TnspA: Major> = TmemFrg<T, T, OneSm, NonInterleaved>;
}
impl UmmaSource<TwoSm> for InTmem {
    type IsTmem = True;
    type Accumulators = Interleaved;
    type Frg<T: Element, TnspA: Major> = TmemFrg<T, T, TwoSm, Duplicated>;
}
impl<T: Element, S: Element, G: CtaGroup, Mode: AllocMode> FrgType for TmemFrg<T, S, G, Mode> {
    const IS_DESCRIPTOR: bool = false;
}

/// The types of a `tcgen05.mma` instruction, and the properties that they determine.
pub trait UmmaTypes: Copy + Default + Send + Sync + 'static {
    /// The element type of C and D.
    type Accumulator: Element;
    /// The element type of A.
    type A: UmmaElement;
    /// The element type of B.
    type B: UmmaElement;
    /// The extent of one instruction along K.
    type K: Nat;
    /// The rule for valid N.
    type Columns: ColumnRule;
    /// The fewest rows of the group's CTAs together: 64, 128 or 256.
    type LeastRows<G: CtaGroup>: Nat;
    /// The bits of the types in the instruction's descriptor.
    const FORMATS: u32;
}

/// Types for which `tcgen05.mma` has an instruction with A in `Source` for the group `G`.
#[diagnostic::on_unimplemented(
    message = "`tcgen05.mma` has no instruction of the types `{Self}` with A in `{Source}`",
    label = "A and B are of one 16-bit type, tf32, 8-bit integers, or floats of 8, 6 and 4 bits; with scale factors A is in shared memory"
)]
pub trait UmmaKind<Source, G>: UmmaTypes {
    /// The name in CuTe.
    const NAME: &'static str;
    /// The PTX instruction.
    const PTX: &'static str;
    /// The text of the PTX instruction, as in [`UmmaIssue::LINE`].
    const LINE: &'static str;
}

/// An element of an operand of `tcgen05.mma`.
pub trait UmmaElement: Element {
    /// Whether the element may be MN-major.
    type MnMajor: Bool;
    /// The type's number in the instruction's descriptor.
    const FORMAT: u32;
}
macro_rules! elements {
    ($($t:ty, $format:literal $mn:ident;)*) => {$(
        impl UmmaElement for $t {
            type MnMajor = $mn;
            const FORMAT: u32 = $format;
        }
    )*};
}
elements! {
    f16, 0 True; bf16, 1 True; TFloat32, 2 True;
    u8, 0 True; i8, 1 True;
    FloatE4M3, 0 True; FloatE5M2, 1 True;
    Unpacked<FloatE2M3>, 3 False; Unpacked<FloatE3M2>, 4 False; Unpacked<FloatE2M1>, 5 False;
    FloatE2M1, 1 False;
}
/// An element of an accumulator of `tcgen05.mma`.
pub trait UmmaAccumulator: Element {
    /// The type's number in the instruction's descriptor.
    const FORMAT: u32;
}
macro_rules! accumulators {
    ($($t:ty, $format:literal;)*) => {$(
        impl UmmaAccumulator for $t {
            const FORMAT: u32 = $format;
        }
    )*};
}
accumulators! { f16, 0; f32, 1; i32, 2; }
/// A scale factor of `tcgen05.mma`.
pub trait UmmaScale: Element {
    /// The type's number in the instruction's descriptor.
    const FORMAT: u32;
}
impl UmmaScale for FloatUE4M3 {
    const FORMAT: u32 = 0;
}
impl UmmaScale for FloatUE8M0 {
    const FORMAT: u32 = 1;
}

/// A float of 8, 6 or 4 bits in a byte: an operand of `.kind::f8f6f4` and `.kind::mxf8f6f4`.
pub trait F8f6f4Element: UmmaElement {}
macro_rules! narrow {
    ($($t:ty)*) => { $(impl F8f6f4Element for $t {})* };
}
narrow! { FloatE4M3 FloatE5M2 Unpacked<FloatE2M3> Unpacked<FloatE3M2> Unpacked<FloatE2M1> }
/// An integer of 8 bits.
pub trait ByteInteger: UmmaElement {}
impl ByteInteger for u8 {}
impl ByteInteger for i8 {}
/// An accumulator for products of f16 or bf16: f32 for both, or f16 for f16 only.
pub trait AccumulatorOf<T>: UmmaAccumulator {}
impl AccumulatorOf<f16> for f16 {}
impl AccumulatorOf<f16> for f32 {}
impl AccumulatorOf<bf16> for f32 {}
/// A scale factor of packed e2m1 for `Vs` elements.
pub trait ScaleOf<Vs>: UmmaScale {
    /// The kind of the instruction.
    type Kind: Copy + Default + Send + Sync + 'static;
}
impl ScaleOf<U32> for FloatUE8M0 {
    type Kind = KindMxf4;
}
impl ScaleOf<U16> for FloatUE8M0 {
    type Kind = KindMxf4nvf4;
}
impl ScaleOf<U16> for FloatUE4M3 {
    type Kind = KindMxf4nvf4;
}

macro_rules! types {
    ($($(#[$doc:meta])* $name:ident<$($p:ident),+>;)*) => {$(
        phantom! { $(#[$doc])* $name<$($p),+> }
    )*};
}
types! {
    /// 16-bit floats: A, B and the accumulator.
    F16bf16<A, B, C>;
    /// TensorFloat-32.
    Tf32<A, B, C>;
    /// 8-bit integers; `Saturate` is [`True`] if the accumulator saturates.
    S8<A, B, C, Saturate>;
    /// Floats of 8, 6 and 4 bits.
    F8f6f4<A, B, C>;
    /// Floats of 8, 6 and 4 bits with one scale factor `Sf` per 32 elements.
    Mxf8f6f4<A, B, C, Sf>;
    /// Packed floats of 4 bits with one scale factor `Sf` per `Vs` elements.
    Mxf4<A, B, C, Sf, Vs>;
}

/// Returns the descriptor bits of the formats of D, A and B.
const fn formats<A: UmmaElement, B: UmmaElement>(c: u32) -> u32 {
    c << 4 | A::FORMAT << 7 | B::FORMAT << 10
}
/// The least number of rows of products without scale factors: 64 rows per CTA.
type FromSixtyFour<G> = <U64 as Nat>::Times<<G as CtaGroup>::Size>;

impl<T: UmmaElement, C: AccumulatorOf<T>> UmmaTypes for F16bf16<T, T, C> {
    type Accumulator = C;
    type A = T;
    type B = T;
    type K = U16;
    type Columns = FloatColumns;
    type LeastRows<G: CtaGroup> = FromSixtyFour<G>;
    const FORMATS: u32 = formats::<T, T>(C::FORMAT);
}
impl UmmaTypes for Tf32<TFloat32, TFloat32, f32> {
    type Accumulator = f32;
    type A = TFloat32;
    type B = TFloat32;
    type K = U8;
    type Columns = FloatColumns;
    type LeastRows<G: CtaGroup> = FromSixtyFour<G>;
    const FORMATS: u32 = formats::<TFloat32, TFloat32>(<f32 as UmmaAccumulator>::FORMAT);
}
impl<A: ByteInteger, B: ByteInteger, Saturate: Bool + Send + Sync> UmmaTypes
    for S8<A, B, i32, Saturate>
{
    type Accumulator = i32;
    type A = A;
    type B = B;
    type K = U32;
    type Columns = IntegerColumns;
    type LeastRows<G: CtaGroup> = FromSixtyFour<G>;
    const FORMATS: u32 =
        formats::<A, B>(<i32 as UmmaAccumulator>::FORMAT) | (Saturate::VALUE as u32) << 3;
}
impl<A: F8f6f4Element, B: F8f6f4Element, C: AccumulatorOf<f16>> UmmaTypes for F8f6f4<A, B, C> {
    type Accumulator = C;
    type A = A;
    type B = B;
    type K = U32;
    type Columns = NarrowFloatColumns;
    type LeastRows<G: CtaGroup> = FromSixtyFour<G>;
    const FORMATS: u32 = formats::<A, B>(C::FORMAT);
}
impl<A: F8f6f4Element, B: F8f6f4Element> UmmaTypes for Mxf8f6f4<A, B, f32, FloatUE8M0> {
    type Accumulator = f32;
    type A = A;
    type B = B;
    type K = U32;
    type Columns = ScaledColumns;
    type LeastRows<G: CtaGroup> = G::MostRows;
    const FORMATS: u32 = formats::<A, B>(0) | <FloatUE8M0 as UmmaScale>::FORMAT << 23;
}
impl<Sf: ScaleOf<Vs>, Vs: Nat> UmmaTypes for Mxf4<FloatE2M1, FloatE2M1, f32, Sf, Vs> {
    type Accumulator = f32;
    type A = FloatE2M1;
    type B = FloatE2M1;
    type K = U64;
    type Columns = ScaledColumns;
    type LeastRows<G: CtaGroup> = U128;
    const FORMATS: u32 = formats::<FloatE2M1, FloatE2M1>(0) | Sf::FORMAT << 23;
}

/// The types with scale factors, with the number of elements along K that share one factor.
pub trait UmmaScales: UmmaTypes {
    /// The type of the factors.
    type Scale: UmmaScale;
    /// The number of elements that share a factor.
    type VectorSize: Nat;
    /// The kind of the instruction.
    type Kind: Copy + Default + Send + Sync + 'static;
}
impl<A: F8f6f4Element, B: F8f6f4Element> UmmaScales for Mxf8f6f4<A, B, f32, FloatUE8M0> {
    type Scale = FloatUE8M0;
    type VectorSize = U32;
    type Kind = KindMxf8f6f4;
}
impl<Sf: ScaleOf<Vs>, Vs: Nat> UmmaScales for Mxf4<FloatE2M1, FloatE2M1, f32, Sf, Vs> {
    type Scale = Sf;
    type VectorSize = Vs;
    type Kind = Sf::Kind;
}

/// Types without scale factors.
pub trait UmmaPlain: UmmaTypes {
    /// The kind of the instruction.
    type Kind: Copy + Default + Send + Sync + 'static;
}
impl<T: UmmaElement, C: AccumulatorOf<T>> UmmaPlain for F16bf16<T, T, C> {
    type Kind = KindF16;
}
impl UmmaPlain for Tf32<TFloat32, TFloat32, f32> {
    type Kind = KindTf32;
}
impl<A: ByteInteger, B: ByteInteger, Saturate: Bool + Send + Sync> UmmaPlain
    for S8<A, B, i32, Saturate>
{
    type Kind = KindI8;
}
impl<A: F8f6f4Element, B: F8f6f4Element, C: AccumulatorOf<f16>> UmmaPlain for F8f6f4<A, B, C> {
    type Kind = KindF8f6f4;
}

// CuTe's names, and the instruction of each name by its kind.
macro_rules! names {
    (plain: $($types:ident $p:tt [$($a:ident $group:ident $name:literal;)+])+) => {$($(
        names!(@one $types $p UmmaPlain [UmmaIssue<$a, $group>] $a $group $name);
    )+)+};
    (scaled: $($types:ident $p:tt [$($group:ident $name:literal;)+])+) => {$($(
        names!(@one $types $p UmmaScales [UmmaIssueScaled<$group>] Shared $group $name);
    )+)+};
    (@one $types:ident [$($p:ident)+] $kind:ident [$($issue:tt)+] $a:ident $group:ident $name:literal) => {
        impl<$($p),+> UmmaKind<$a, $group> for $types<$($p),+>
        where
            Self: $kind,
            <Self as $kind>::Kind: $($issue)+,
        {
            const NAME: &'static str = $name;
            const PTX: &'static str = <<Self as $kind>::Kind as $($issue)+>::PTX;
            const LINE: &'static str = <<Self as $kind>::Kind as $($issue)+>::LINE;
        }
    };
}
names! { plain:
    F16bf16 [A B C] [
        Shared OneSm "SM100_MMA_F16BF16_SS"; InTmem OneSm "SM100_MMA_F16BF16_TS";
        Shared TwoSm "SM100_MMA_F16BF16_2x1SM_SS"; InTmem TwoSm "SM100_MMA_F16BF16_2x1SM_TS";
    ]
    Tf32 [A B C] [
        Shared OneSm "SM100_MMA_TF32_SS"; InTmem OneSm "SM100_MMA_TF32_TS";
        Shared TwoSm "SM100_MMA_TF32_2x1SM_SS"; InTmem TwoSm "SM100_MMA_TF32_2x1SM_TS";
    ]
    S8 [A B C Saturate] [
        Shared OneSm "SM100_MMA_S8_SS"; InTmem OneSm "SM100_MMA_S8_TS";
        Shared TwoSm "SM100_MMA_S8_2x1SM_SS"; InTmem TwoSm "SM100_MMA_S8_2x1SM_TS";
    ]
    F8f6f4 [A B C] [
        Shared OneSm "SM100_MMA_F8F6F4_SS"; InTmem OneSm "SM100_MMA_F8F6F4_TS";
        Shared TwoSm "SM100_MMA_F8F6F4_2x1SM_SS"; InTmem TwoSm "SM100_MMA_F8F6F4_2x1SM_TS";
    ]
}
names! { scaled:
    Mxf8f6f4 [A B C Sf] [OneSm "SM100_MMA_MXF8F6F4_SS"; TwoSm "SM100_MMA_MXF8F6F4_2x1SM_SS";]
    Mxf4 [A B C Sf Vs] [OneSm "SM100_MMA_MXF4_SS"; TwoSm "SM100_MMA_MXF4_2x1SM_SS";]
}

// Only `sm_100a` and its family have `tcgen05`; no other architecture inherits these features.
impl<K, M, N, S, G, A, B> Instruction for Umma<K, M, N, S, G, A, B> {
    type Sm = U100;
    type Later = False;
}
impl<K, M, N, S, G, TnspA, TnspB> MmaAtom for Umma<K, M, N, S, G, TnspA, TnspB>
where
    K: UmmaKind<S, G>,
    S: UmmaSource<G>,
    G: CtaGroup,
    M: UmmaRows<K, G>,
    N: UmmaColumns<K, M, S, G, TnspB>,
    TnspA: UmmaMajorA<K, S, G>,
    TnspB: UmmaMajorB<K>,
{
    type ShapeMnk = shape!((M, N, K::K));
    type ThrId = G::ThrId;
    type ALayout = G::Shares<M, K::K>;
    type BLayout = G::Shares<N, K::K>;
    type CLayout = G::Shares<M, N>;
    type ValTypeD = K::Accumulator;
    type ValTypeA = K::A;
    type ValTypeB = K::B;
    type ValTypeC = K::Accumulator;
    type FrgTypeA = S::Frg<K::A, TnspA>;
    type FrgTypeB = SmemDesc<TnspB>;
    const NAME: &'static str = K::NAME;
    const PTX: &'static str = K::PTX;
}

/// The properties that a `tcgen05.mma` atom provides in addition to [`MmaAtom`].
pub trait UmmaAtom: MmaAtom {
    /// The fragment of the accumulator in tensor memory: CuTe's `FrgTypeC`.
    type FrgTypeC: FrgType;
    /// The CTAs that multiply together.
    type Group: CtaGroup;
    /// The descriptor of the instruction, with scale factors taken from byte 0.
    const INSTRUCTION: super::super::umma::InstrDescriptor;
    /// The text of the PTX instruction, as in [`UmmaIssue::LINE`].
    const LINE: &'static str;
}
impl<K, M, N, S, G, TnspA, TnspB> UmmaAtom for Umma<K, M, N, S, G, TnspA, TnspB>
where
    Self: MmaAtom,
    K: UmmaKind<S, G>,
    S: UmmaSource<G>,
    G: CtaGroup,
    M: Nat,
    N: Nat,
    TnspA: Major,
    TnspB: Major,
{
    type FrgTypeC = TmemFrg<K::Accumulator, u32, G, S::Accumulators>;
    type Group = G;
    const INSTRUCTION: super::super::umma::InstrDescriptor =
        super::super::umma::InstrDescriptor::of(
            K::FORMATS,
            [!TnspA::IsK::VALUE, !TnspB::IsK::VALUE],
            [M::U32, N::U32],
        );
    const LINE: &'static str = K::LINE;
}

/// A block-scaled atom and its scale factors.
pub trait UmmaScaledAtom: UmmaAtom {
    /// The type of the factors.
    type Scale: UmmaScale;
    /// The number of elements that share a factor.
    type VectorSize: Nat;
    /// The fragment of A's factors in tensor memory: CuTe's `FrgTypeSFA`.
    type FrgTypeSfa;
    /// The fragment of B's factors in tensor memory: CuTe's `FrgTypeSFB`.
    type FrgTypeSfb;
}
/// The map of B's factors by whether they are stored in two halves, as in a pair with 128 rows.
pub trait ScaleMapOf {
    /// The map by which B's factors are stored.
    type Map: ScaleMap;
}
impl ScaleMapOf for True {
    type Map = TwoByTwoScales;
}
impl ScaleMapOf for False {
    type Map = FourByOne;
}
type InHalves<G, M> = <<G as CtaGroup>::IsPair as Bool>::And<<M as NatCmp>::Equals<U128>>;
impl<K, M, N, G, TnspA, TnspB> UmmaScaledAtom for Umma<K, M, N, Shared, G, TnspA, TnspB>
where
    Self: UmmaAtom,
    K: UmmaScales,
    M: Nat,
    G: CtaGroup,
    InHalves<G, M>: ScaleMapOf,
{
    type Scale = K::Scale;
    type VectorSize = K::VectorSize;
    type FrgTypeSfa = TmemSfFrg<K::Scale, FourByOne>;
    type FrgTypeSfb = TmemSfFrg<K::Scale, <InHalves<G, M> as ScaleMapOf>::Map>;
}

macro_rules! aliases {
    ($($types:ident $name:ident $cute:literal $a:ident $group:ident;)+) => {$(
        #[doc = concat!("CuTe's `", $cute, "`.")]
        #[allow(non_camel_case_types)]
        pub type $name<A, B, C, M, N, TnspA, TnspB> =
            Umma<$types<A, B, C>, M, N, $a, $group, TnspA, TnspB>;
    )+};
}
aliases! {
    F16bf16 Sm100_MMA_F16BF16_SS "SM100_MMA_F16BF16_SS" Shared OneSm;
    F16bf16 Sm100_MMA_F16BF16_TS "SM100_MMA_F16BF16_TS" InTmem OneSm;
    F16bf16 Sm100_MMA_F16BF16_2x1SM_SS "SM100_MMA_F16BF16_2x1SM_SS" Shared TwoSm;
    F16bf16 Sm100_MMA_F16BF16_2x1SM_TS "SM100_MMA_F16BF16_2x1SM_TS" InTmem TwoSm;
    Tf32 Sm100_MMA_TF32_SS "SM100_MMA_TF32_SS" Shared OneSm;
    Tf32 Sm100_MMA_TF32_TS "SM100_MMA_TF32_TS" InTmem OneSm;
    Tf32 Sm100_MMA_TF32_2x1SM_SS "SM100_MMA_TF32_2x1SM_SS" Shared TwoSm;
    Tf32 Sm100_MMA_TF32_2x1SM_TS "SM100_MMA_TF32_2x1SM_TS" InTmem TwoSm;
    F8f6f4 Sm100_MMA_F8F6F4_SS "SM100_MMA_F8F6F4_SS" Shared OneSm;
    F8f6f4 Sm100_MMA_F8F6F4_TS "SM100_MMA_F8F6F4_TS" InTmem OneSm;
    F8f6f4 Sm100_MMA_F8F6F4_2x1SM_SS "SM100_MMA_F8F6F4_2x1SM_SS" Shared TwoSm;
    F8f6f4 Sm100_MMA_F8F6F4_2x1SM_TS "SM100_MMA_F8F6F4_2x1SM_TS" InTmem TwoSm;
}
macro_rules! mixed_aliases {
    ($($name:ident $cute:literal $group:ident;)+) => {$(
        #[doc = concat!("CuTe's `", $cute, "`, with a scale factor for 32 elements.")]
        #[allow(non_camel_case_types)]
        pub type $name<A, B, C, Sf, M, N, TnspA, TnspB> =
            Umma<Mxf8f6f4<A, B, C, Sf>, M, N, Shared, $group, TnspA, TnspB>;
    )+};
}
mixed_aliases! {
    Sm100_MMA_MXF8F6F4_SS "SM100_MMA_MXF8F6F4_SS" OneSm;
    Sm100_MMA_MXF8F6F4_2x1SM_SS "SM100_MMA_MXF8F6F4_2x1SM_SS" TwoSm;
}
macro_rules! integer_aliases {
    ($($name:ident $cute:literal $a:ident $group:ident;)+) => {$(
        #[doc = concat!("CuTe's `", $cute, "`; `Saturate` is [`True`] for its `Saturate::True`.")]
        #[allow(non_camel_case_types)]
        pub type $name<A, B, C, M, N, TnspA, TnspB, Saturate = False> =
            Umma<S8<A, B, C, Saturate>, M, N, $a, $group, TnspA, TnspB>;
    )+};
}
integer_aliases! {
    Sm100_MMA_S8_SS "SM100_MMA_S8_SS" Shared OneSm;
    Sm100_MMA_S8_TS "SM100_MMA_S8_TS" InTmem OneSm;
    Sm100_MMA_S8_2x1SM_SS "SM100_MMA_S8_2x1SM_SS" Shared TwoSm;
    Sm100_MMA_S8_2x1SM_TS "SM100_MMA_S8_2x1SM_TS" InTmem TwoSm;
}
macro_rules! packed_aliases {
    ($($name:ident $cute:literal $group:ident;)+) => {$(
        #[doc = concat!("CuTe's `", $cute, "`, of `Vs` elements to a scale factor: MXF4 with 32, NVF4 with 16.")]
        #[allow(non_camel_case_types)]
        pub type $name<A, B, C, Sf, M, N, Vs, TnspA, TnspB> =
            Umma<Mxf4<A, B, C, Sf, Vs>, M, N, Shared, $group, TnspA, TnspB>;
    )+};
}
packed_aliases! {
    Sm100_MMA_MXF4_SS "SM100_MMA_MXF4_SS" OneSm;
    Sm100_MMA_MXF4_2x1SM_SS "SM100_MMA_MXF4_2x1SM_SS" TwoSm;
}
