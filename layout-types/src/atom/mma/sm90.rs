//! `wgmma` of Hopper, with which a warp group multiplies operands in shared memory: the traits, not
//! the instructions.
//!
//! ```text
//!   A (64,K)   shared memory by descriptor (SS), or registers of 128 threads (RS)
//!   B (N,K)    shared memory by descriptor
//!   C (64,N)   registers: warp w holds rows 16 w .. 16 w + 15, within them as `mma.sync` does, N / 8 times along n
//! ```
//!
//! Law: the law of every MMA atom holds. An operand that is read by a descriptor belongs to all
//! threads, so its thread mode has stride 0.
//!
//! Source: CuTe `cute/atom/mma_traits_sm90_gmma.hpp`; PTX ISA, *Asynchronous warpgroup level matrix
//! instructions*.

use super::super::element::{FloatE4M3, FloatE5M2, TFloat32};
pub use super::wgmma_op::{
    HasMnMajor, HasWidth, IsMajor, IsWidth, KMajorInRegisters, MajorAllowed, WgmmaMajorA,
    WgmmaMajorB, WgmmaN, Width, operand_A, operand_B,
};
use super::{Element, FrgType, Major, MajorK, MmaAtom, Registers, SmemDesc};
use crate::atom::Instruction;
use crate::layout::StaticLayout;
use crate::num::{Bool, False, Nat, True};
use crate::{layout, shape};
use core::fmt;
use core::marker::PhantomData;
use half::{bf16, f16};
use typenum::{U8, U16, U32, U90};

/// A `wgmma` instruction: types `Kind`, width `N`, the source of A, and the modes that are
/// contiguous in shared memory.
///
/// CuTe's names are aliases of this type: `Sm90_64x128x16_F32F16F16_SS`. The type is an atom for
/// the widths ([`WgmmaN`]) and the majors ([`WgmmaMajorA`], [`WgmmaMajorB`]) that PTX has.
///
/// ```
/// use layout_types::atom::{MmaAtom, mma::{Sm90_64x128x16_F32F16F16_SS as Ss, Sm90_64x128x16_F32F16F16_RS as Rs}};
/// assert_eq!(<Ss as MmaAtom>::BLayout::default().to_string(), "(128,(128,16)):(0,(1,128))");
/// assert_eq!(<Rs as MmaAtom>::ALayout::default().to_string(), "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))");
/// ```
pub struct Wgmma<Kind, N, SourceA, TnspA = MajorK, TnspB = MajorK>(
    PhantomData<(Kind, N, SourceA, TnspA, TnspB)>,
);

impl<K, N, S, A, B> Clone for Wgmma<K, N, S, A, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K, N, S, A, B> Copy for Wgmma<K, N, S, A, B> {}
impl<K, N, S, A, B> Default for Wgmma<K, N, S, A, B> {
    fn default() -> Self {
        Self(PhantomData)
    }
}
impl<K: WgmmaKind, N: Nat, S: SourceA<K>, A, B> fmt::Debug for Wgmma<K, N, S, A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with N = {}", S::NAME, N::USIZE)
    }
}

/// The types of a `wgmma` instruction and the properties that they determine.
pub trait WgmmaKind: Copy + Send + Sync + 'static {
    /// The element type of C and D.
    type Accumulator: Element;
    /// The element type of A.
    type A: Element;
    /// The element type of B.
    type B: Element;
    /// The extent of one instruction along K: 256 bits.
    type K: Nat;
    /// Whether widths above 32 must be multiples of 16, as for 8-bit integers.
    type StepsOf16: Bool;
    /// The layout of A in registers, which maps (thread, value) to (M,K).
    type ARegisters: StaticLayout;
    /// CuTe's name with A in shared memory; `N` is a placeholder for the width.
    const SS: &'static str;
    /// CuTe's name with A in registers; `N` is a placeholder for the width.
    const RS: &'static str;
    /// The PTX instruction; `N` is a placeholder for the width.
    const PTX: &'static str;
}

/// A source from which `wgmma` reads A.
pub trait SourceA<Kind: WgmmaKind>: Send + Sync + 'static {
    /// The layout that maps (thread, value) to (M,K).
    type Layout: StaticLayout;
    /// Whether A is in registers.
    type InRegisters: Bool;
    /// CuTe's name; `N` is a placeholder for the width.
    const NAME: &'static str;
    /// The source as [`MmaAtom::FrgTypeA`].
    type Frg<TnspA: Major>: FrgType;
}
/// The source of A in shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared;
impl<Kind: WgmmaKind> SourceA<Kind> for Shared {
    type Layout = layout!((128,(64,Kind::K)):(0,(1,64)));
    type InRegisters = False;
    const NAME: &'static str = Kind::SS;
    type Frg<TnspA: Major> = SmemDesc<TnspA>;
}
impl<Kind: WgmmaKind> SourceA<Kind> for Registers {
    type Layout = Kind::ARegisters;
    type InRegisters = True;
    const NAME: &'static str = Kind::RS;
    type Frg<TnspA: Major> = Registers;
}

// Only `sm_90a` has `wgmma`; no later architecture inherits its features.
impl<Kind, N, S, TnspA, TnspB> Instruction for Wgmma<Kind, N, S, TnspA, TnspB> {
    type Sm = U90;
    type Later = False;
}
impl<Kind, N, S, TnspA, TnspB> MmaAtom for Wgmma<Kind, N, S, TnspA, TnspB>
where
    Kind: WgmmaKind,
    N: WgmmaN<Kind>,
    S: SourceA<Kind>,
    TnspA: WgmmaMajorA<Kind, S>,
    TnspB: WgmmaMajorB<Kind>,
{
    type ShapeMnk = shape!((64, N, Kind::K));
    type ThrId = layout!(128:1);
    type ALayout = S::Layout;
    type BLayout = layout!((128,(N,Kind::K)):(0,(1,N)));
    type CLayout = layout!(((4,8,4),(2,2,<N as Nat>::Over<U8>)):((128,1,16),(64,8,512)));
    type ValTypeD = Kind::Accumulator;
    type ValTypeA = Kind::A;
    type ValTypeB = Kind::B;
    type ValTypeC = Kind::Accumulator;
    type FrgTypeA = S::Frg<TnspA>;
    type FrgTypeB = SmemDesc<TnspB>;
    const NAME: &'static str = S::NAME;
    const PTX: &'static str = Kind::PTX;
}

macro_rules! kinds {
    ($($name:ident $c:ty, $a:ty, $b:ty, $k:ty, $registers:ident, $steps_of_16:ident, $cute:literal, $suffix:literal, $ptx:literal;)*) => {$(
        #[doc = concat!("`wgmma` ", $ptx, ".")]
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
        impl WgmmaKind for $name {
            type Accumulator = $c;
            type A = $a;
            type B = $b;
            type K = $k;
            type StepsOf16 = $steps_of_16;
            type ARegisters = $registers;
            const SS: &'static str = concat!("SM90_64xN", $cute, "_SS", $suffix);
            const RS: &'static str = concat!("SM90_64xN", $cute, "_RS", $suffix);
            const PTX: &'static str = concat!("wgmma.mma_async.sync.aligned.m64nN", $ptx);
        }
    )*};
}
/// The layout of A in registers, with 32-bit elements.
type A32 = layout!(((4,8,4),(2,2)):((64,1,16),(8,256)));
/// The layout of A in registers, with 16-bit elements.
type A16 = layout!(((4,8,4),(2,2,2)):((128,1,16),(64,8,512)));
/// The layout of A in registers, with 8-bit elements.
type A8 = layout!(((4,8,4),(4,2,2)):((256,1,16),(64,8,1024)));
kinds! {
    F16F16F16 f16, f16, f16, U16, A16, False, "x16_F16F16F16", "", "k16.f16.f16.f16";
    F32F16F16 f32, f16, f16, U16, A16, False, "x16_F32F16F16", "", "k16.f32.f16.f16";
    F32BF16BF16 f32, bf16, bf16, U16, A16, False, "x16_F32BF16BF16", "", "k16.f32.bf16.bf16";
    F32TF32TF32 f32, TFloat32, TFloat32, U8, A32, False, "x8_F32TF32TF32", "_TN", "k8.f32.tf32.tf32";
    F16E4M3E4M3 f16, FloatE4M3, FloatE4M3, U32, A8, False, "x32_F16E4M3E4M3", "_TN", "k32.f16.e4m3.e4m3";
    F16E4M3E5M2 f16, FloatE4M3, FloatE5M2, U32, A8, False, "x32_F16E4M3E5M2", "_TN", "k32.f16.e4m3.e5m2";
    F16E5M2E4M3 f16, FloatE5M2, FloatE4M3, U32, A8, False, "x32_F16E5M2E4M3", "_TN", "k32.f16.e5m2.e4m3";
    F16E5M2E5M2 f16, FloatE5M2, FloatE5M2, U32, A8, False, "x32_F16E5M2E5M2", "_TN", "k32.f16.e5m2.e5m2";
    F32E4M3E4M3 f32, FloatE4M3, FloatE4M3, U32, A8, False, "x32_F32E4M3E4M3", "_TN", "k32.f32.e4m3.e4m3";
    F32E4M3E5M2 f32, FloatE4M3, FloatE5M2, U32, A8, False, "x32_F32E4M3E5M2", "_TN", "k32.f32.e4m3.e5m2";
    F32E5M2E4M3 f32, FloatE5M2, FloatE4M3, U32, A8, False, "x32_F32E5M2E4M3", "_TN", "k32.f32.e5m2.e4m3";
    F32E5M2E5M2 f32, FloatE5M2, FloatE5M2, U32, A8, False, "x32_F32E5M2E5M2", "_TN", "k32.f32.e5m2.e5m2";
    S32S8S8 i32, i8, i8, U32, A8, True, "x32_S32S8S8", "_TN", "k32.s32.s8.s8";
    S32S8U8 i32, i8, u8, U32, A8, True, "x32_S32S8U8", "_TN", "k32.s32.s8.u8";
    S32U8S8 i32, u8, i8, U32, A8, True, "x32_S32U8S8", "_TN", "k32.s32.u8.s8";
    S32U8U8 i32, u8, u8, U32, A8, True, "x32_S32U8U8", "_TN", "k32.s32.u8.u8";
    S32S8S8_SATURATE i32, i8, i8, U32, A8, True, "x32_S32S8S8", "_TN_SATURATE", "k32.s32.s8.s8.satfinite";
    S32S8U8_SATURATE i32, i8, u8, U32, A8, True, "x32_S32S8U8", "_TN_SATURATE", "k32.s32.s8.u8.satfinite";
    S32U8S8_SATURATE i32, u8, i8, U32, A8, True, "x32_S32U8S8", "_TN_SATURATE", "k32.s32.u8.s8.satfinite";
    S32U8U8_SATURATE i32, u8, u8, U32, A8, True, "x32_S32U8U8", "_TN_SATURATE", "k32.s32.u8.u8.satfinite";
}
