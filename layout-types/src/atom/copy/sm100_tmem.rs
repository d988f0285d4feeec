//! `tcgen05.ld` and `tcgen05.st` as atoms: copies between tensor memory and the registers of a
//! warp.
//!
//! ```text
//!   Sm100_TMEM_LOAD_32dp32b8x     thread t: lane t, columns 0 to 7
//!   Sm100_TMEM_LOAD_16dp256b1x    thread t: lanes t / 4 and t / 4 + 8, columns 2 (t % 4) and the next, as `mma.sync` has C
//!
//!   lane 0   T0 T0 T1 T1 T2 T2 T3 T3           ValId: bit -> bit of tensor memory, a lane 2^21 bits further
//!   lane 1   T4 T4 T5 T5 ..                    _16b: two columns' lower halves in one register
//! ```
//!
//! Law: as for every copy atom, `DstLayout` of a load and `SrcLayout` of a store map (thread, bit
//! of its registers) to a moved bit; the other side maps all threads to all bits. `ValId` maps a
//! moved bit to its place from the address on. Both follow from the shape and the count: `N`
//! columns times the shape's width, lane by lane.
//!
//! Source: CuTe `cute/atom/copy_traits_sm100.hpp`; PTX ISA, *tcgen05: Data Movement Shape*.

use super::{CopyAtom, MovesElement};
use crate::algebra::cast::{Upcast, UpcastBy};
use crate::algebra::coalescing::CoalescedTree;
use crate::arch::copy_sm100::{TmemAccess, tmem_wait_loads};
use crate::atom::{CopyValues, Element, Instruction, RegisterArray};
use crate::check::{Reflect, Text, require, same_words};
use crate::layout;
use crate::layout::{LayoutFn, StaticLayout, Unzip};
use crate::num::{False, Nat};
use crate::tensor::{Tensor, Tmem};
use crate::tree::{Cons, Nil, phantom};
use core::fmt;
use typenum::{U16, U32, U64, U100, U128, U256};

/// A data movement shape of `tcgen05.ld` and `tcgen05.st`.
pub trait TmemShape: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// The number of lanes that an instruction of the shape accesses.
    type Lanes: Nat;
    /// The number of bits per lane for a count of 1.
    type Bits: Nat;
    /// The layout that maps (thread, bit of its registers) to a moved bit, for a count of `N`.
    type Fragment<N: Nat>: StaticLayout;
    /// The name in CuTe.
    const NAME: &'static str;
}
type Times<A, B> = <A as Nat>::Times<B>;
/// The layout of the threads and, coalesced, the bits of each.
type Fragment<Threads, Bits> =
    Unzip<Cons<<Threads as LayoutFn>::Modes, Cons<CoalescedTree<<Bits as LayoutFn>::Modes>, Nil>>>;
macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident $cute:literal $lanes:ident $bits:ident [$n:ident: $($threads:tt)+] [$($values:tt)+];)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
        impl TmemShape for $name {
            type Lanes = $lanes;
            type Bits = $bits;
            type Fragment<$n: Nat> = Fragment<layout!($($threads)+), layout!($($values)+)>;
            const NAME: &'static str = $cute;
        }
    )+};
}
shapes! {
    /// The shape `.32x32b`: lane `t`.
    Dp32b32 "32dp32b" U32 U32 [N: 32:Times<N, U32>] [(Times<N, U32>):(1)];
    /// The shape `.16x64b`: lane `8 (t % 2) + t / 4`, column `t / 2 % 2`.
    Dp16b64 "16dp64b" U16 U64
        [N: (2,2,8):(Times<N, typenum::U512>,32,Times<N, U64>)] [(32,N):(1,64)];
    /// The shape `.16x128b`: lanes `t / 4` and `t / 4 + 8`, column `t % 4`.
    Dp16b128 "16dp128b" U16 U128
        [N: (4,8):(32,Times<N, U128>)] [(32,2,N):(1,Times<N, typenum::U1024>,128)];
    /// The shape `.16x256b`: lanes `t / 4` and `t / 4 + 8`, columns `2 (t % 4)` and
    /// `2 (t % 4) + 1`.
    Dp16b256 "16dp256b" U16 U256
        [N: (4,8):(64,Times<N, U256>)] [(64,2,N):(1,Times<N, typenum::U2048>,256)];
    /// The shape `.16x32bx2`: lane `t % 16`. Threads from 16 on access the second half of the
    /// columns.
    Dp16b32 "16dp32b" U16 U64
        [N: (16,2):(Times<N, U64>,Times<N, U32>)] [(Times<N, U32>):(1)];
}

/// The bits of a column that a register holds.
pub trait TmemPack: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// The layout that maps a bit (of `Bits` bits per lane, in `Lanes` lanes) to its place in bits:
    /// CuTe's `ValID`.
    type ValId<Bits: Nat, Lanes: Nat>: StaticLayout;
    /// The suffix of the name in CuTe.
    const SUFFIX: &'static str;
}
/// The packing of a whole column of 32 bits in a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whole32;
/// The packing `.pack::16b` and `.unpack::16b`: the lower 16 bits of two neighbouring columns in a
/// register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed16;
/// The number of bits from a lane to the next: CuTe's `TMEM::DP_b`.
type LaneBits = typenum::U2097152;
impl TmemPack for Whole32 {
    type ValId<Bits: Nat, Lanes: Nat> = layout!((Bits,Lanes):(1,LaneBits));
    const SUFFIX: &'static str = "";
}
impl TmemPack for Packed16 {
    type ValId<Bits: Nat, Lanes: Nat> =
        layout!(((16,<Bits as Nat>::Over<U16>),Lanes):((1,32),LaneBits));
    const SUFFIX: &'static str = "_16b";
}

phantom! {
    /// A `tcgen05.ld` of the shape `Shape` with count `N`, of whole columns or halves of them.
    ///
    /// CuTe's names are aliases of this type.
    ///
    /// ```
    /// use layout_types::atom::{CopyAtom, copy::{Sm100_TMEM_LOAD_16dp256b4x as Load, TmemCopyAtom}};
    /// assert_eq!(<Load as CopyAtom>::DstLayout::default().to_string(), "((4,8),(64,2,4)):((64,1024),(1,8192,256))");
    /// assert_eq!(<Load as TmemCopyAtom>::ValId::default().to_string(), "(1024,16):(1,2097152)");
    /// assert_eq!(<Load as CopyAtom>::PTX, "tcgen05.ld.sync.aligned.16x256b.x4.b32");
    /// ```
    TmemLoad<Shape, N, Pack>
}
phantom! {
    /// A `tcgen05.st` of the shape `Shape` with count `N`, of whole columns or halves of them.
    ///
    /// CuTe's names are aliases of this type.
    TmemStore<Shape, N, Pack>
}

/// A copy atom whose source or destination is tensor memory.
pub trait TmemCopyAtom: CopyAtom {
    /// The layout that maps a moved bit to its place in bits, from the address on: CuTe's `ValID`.
    type ValId: StaticLayout;
    /// The registers of a thread.
    type Registers: RegisterArray;
    /// The number of lanes that the atom accesses: 32 or 16.
    type Lanes: Nat;
    /// The text after the address in PTX: the distance of the halves, for a shape with two.
    const SECOND: &'static str;
}

/// Returns CuTe's name of an access.
const fn name(direction: &str, shape: &str, count: i64, suffix: &str) -> Text {
    let mut text = Text::new();
    *text
        .say("SM100_TMEM_")
        .say(direction)
        .say("_")
        .say(shape)
        .number(count)
        .say("x")
        .say(suffix)
}

macro_rules! directions {
    ($($atom:ident $direction:literal $ptx:ident [$src:ident $dst:ident];)+) => {$(
        impl<Shape, N, Pack> Instruction for $atom<Shape, N, Pack> {
            type Sm = U100;
            type Later = False;
        }
        impl<Shape: TmemShape, N: Nat, Pack: TmemPack> $atom<Shape, N, Pack> {
            const TEXT: Text = name($direction, Shape::NAME, N::I64, Pack::SUFFIX);
            const TEXT_REF: &'static Text = &Self::TEXT;
        }
        impl<Shape: TmemShape, N: Nat, Pack: TmemPack> fmt::Debug for $atom<Shape, N, Pack> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(Self::TEXT_REF.as_str())
            }
        }
        impl<Shape, N, Pack> CopyAtom for $atom<Shape, N, Pack>
        where
            Shape: TmemShape + TmemAccess<N, Pack>,
            N: Nat,
            Pack: TmemPack,
        {
            type ThrId = layout!(32:1);
            type SrcLayout = $src<Shape, N>;
            type DstLayout = $dst<Shape, N>;
            type RefLayout = Moved<Shape, N>;
            const NAME: &'static str = Self::TEXT_REF.as_str();
            const PTX: &'static str = <Shape as TmemAccess<N, Pack>>::$ptx;
        }
        impl<Shape, N, Pack> TmemCopyAtom for $atom<Shape, N, Pack>
        where
            Shape: TmemShape + TmemAccess<N, Pack>,
            N: Nat,
            Pack: TmemPack,
        {
            type ValId = Pack::ValId<Times<Shape::Bits, N>, Shape::Lanes>;
            type Registers = <Shape as TmemAccess<N, Pack>>::Registers;
            type Lanes = Shape::Lanes;
            const SECOND: &'static str = <Shape as TmemAccess<N, Pack>>::SECOND;
        }
        // If a warp's instruction is too narrow for the element, too few threads hold whole
        // elements: `CopyValues` reports this.
        impl<T, Shape, N, Pack> MovesElement<T> for $atom<Shape, N, Pack> where
            Self: CopyValues<T>
        {
        }
    )+};
}
/// The layout that maps all threads to all bits.
type Moved<Shape, N> =
    layout!((32,Times<Times<<Shape as TmemShape>::Bits, N>, <Shape as TmemShape>::Lanes>):(0,1));
type Held<Shape, N> = <Shape as TmemShape>::Fragment<N>;
directions! {
    TmemLoad "LOAD" LOAD [Moved Held];
    TmemStore "STORE" STORE [Held Moved];
}

/// Registers that a load has not filled yet. They have values only after [`wait`](Self::wait).
#[derive(Clone, Copy, Debug)]
#[must_use = "the registers are no values before `wait`"]
pub struct TmemLoading<R>(R);
impl<const COUNT: usize> TmemLoading<[u32; COUNT]> {
    /// Waits for every load of the thread: `tcgen05.wait::ld`.
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    pub unsafe fn wait(self) -> [u32; COUNT] {
        let mut registers = self.0;
        // SAFETY: the caller guarantees that the whole warp executes this.
        unsafe { tmem_wait_loads() };
        // Instructions that use the registers stay after the wait.
        crate::arch::mma_sm90_gmma::warpgroup_fence_operand(&mut registers);
        registers
    }
}

impl<Shape, N, Pack> TmemLoad<Shape, N, Pack>
where
    Shape: TmemShape + TmemAccess<N, Pack>,
    N: Nat,
    Pack: TmemPack,
{
    /// Starts a load from an address.
    ///
    /// # Safety
    /// The conditions of [`TmemAccess::load`] hold.
    #[inline(always)]
    pub unsafe fn load(address: u32) -> TmemLoading<Shape::Registers> {
        // SAFETY: the caller guarantees that the whole warp executes this, that the lanes are its
        // own, and that the columns hold values.
        TmemLoading(unsafe { <Shape as TmemAccess<N, Pack>>::load(address) })
    }

    /// Starts a load of a tensor: CuTe's `copy(Copy_Atom<SM100_TMEM_LOAD_..>, tmem, registers)`. A
    /// tensor whose layout does not have the places that the atom reads does not compile.
    ///
    /// # Safety
    /// The conditions of [`TmemAccess::load`] hold from the tensor's first element on.
    #[inline(always)]
    pub unsafe fn copy<T: Element, L: LayoutFn + Reflect>(
        from: &Tensor<Tmem<T>, L>,
    ) -> TmemLoading<Shape::Registers>
    where
        Self: PlacesOf<T, Places: Reflect>,
    {
        const {
            require(same_words(
                "its columns",
                &L::VALUE,
                &<ValIdOf<Self, T> as Reflect>::VALUE,
            ))
        }
        // SAFETY: the caller guarantees that the whole warp executes this, that the lanes are its
        // own, and that the columns hold values; the assertion checks that the tensor's places are
        // the atom's.
        unsafe { Self::load(from.address()) }
    }
}
impl<Shape, N, Pack> TmemStore<Shape, N, Pack>
where
    Shape: TmemShape + TmemAccess<N, Pack>,
    N: Nat,
    Pack: TmemPack,
{
    /// Stores to an address.
    ///
    /// # Safety
    /// The conditions of [`TmemAccess::store`] hold.
    #[inline(always)]
    pub unsafe fn store(address: u32, registers: Shape::Registers) {
        // SAFETY: the caller guarantees that the whole warp executes this, that the lanes are its
        // own, and that no other thread uses the columns.
        unsafe { <Shape as TmemAccess<N, Pack>>::store(address, registers) };
    }

    /// Stores to a tensor. A tensor whose layout does not have the places that the atom writes does
    /// not compile.
    ///
    /// # Safety
    /// The conditions of [`TmemAccess::store`] hold from the tensor's first element on.
    #[inline(always)]
    pub unsafe fn copy<T: Element, L: LayoutFn + Reflect>(
        registers: Shape::Registers,
        to: &Tensor<Tmem<T>, L>,
    ) where
        Self: PlacesOf<T, Places: Reflect>,
    {
        const {
            require(same_words(
                "its columns",
                &L::VALUE,
                &<ValIdOf<Self, T> as Reflect>::VALUE,
            ))
        }
        // SAFETY: the caller guarantees that the whole warp executes this, that the lanes are its
        // own, and that no other thread uses the columns; the assertion checks that the tensor's
        // places are the atom's.
        unsafe { Self::store(to.address(), registers) };
    }
}

/// The layout that maps a moved element to its place in tensor memory, in elements `T`.
pub type ValIdOf<Op, T> = <Op as PlacesOf<T>>::Places;
/// An atom whose places in tensor memory are whole elements of type `T`.
pub trait PlacesOf<T>: TmemCopyAtom {
    /// The layout [`ValIdOf`].
    type Places: LayoutFn;
}
impl<Op, T> PlacesOf<T> for Op
where
    Op: TmemCopyAtom,
    T: Element,
    Op::ValId: UpcastBy<T::Bits>,
{
    type Places = Upcast<Op::ValId, T::Bits>;
}

macro_rules! aliases {
    ($($shape:ident [$($load:ident $load_16b:ident $store:ident $store_16b:ident $n:ident;)+])+) => {$($(
        aliases!(@ $load TmemLoad $shape $n Whole32);
        aliases!(@ $load_16b TmemLoad $shape $n Packed16);
        aliases!(@ $store TmemStore $shape $n Whole32);
        aliases!(@ $store_16b TmemStore $shape $n Packed16);
    )+)+};
    (@ $name:ident $atom:ident $shape:ident $n:ident $pack:ident) => {
        #[doc = concat!("CuTe's operation of this name: `", stringify!($atom), "` of ", stringify!($shape), ", ", stringify!($n), " times.")]
        #[allow(non_camel_case_types)]
        pub type $name = $atom<$shape, typenum::$n, $pack>;
    };
}
#[rustfmt::skip]
aliases! {
    Dp32b32 [
        Sm100_TMEM_LOAD_32dp32b1x Sm100_TMEM_LOAD_32dp32b1x_16b Sm100_TMEM_STORE_32dp32b1x Sm100_TMEM_STORE_32dp32b1x_16b U1;
        Sm100_TMEM_LOAD_32dp32b2x Sm100_TMEM_LOAD_32dp32b2x_16b Sm100_TMEM_STORE_32dp32b2x Sm100_TMEM_STORE_32dp32b2x_16b U2;
        Sm100_TMEM_LOAD_32dp32b4x Sm100_TMEM_LOAD_32dp32b4x_16b Sm100_TMEM_STORE_32dp32b4x Sm100_TMEM_STORE_32dp32b4x_16b U4;
        Sm100_TMEM_LOAD_32dp32b8x Sm100_TMEM_LOAD_32dp32b8x_16b Sm100_TMEM_STORE_32dp32b8x Sm100_TMEM_STORE_32dp32b8x_16b U8;
        Sm100_TMEM_LOAD_32dp32b16x Sm100_TMEM_LOAD_32dp32b16x_16b Sm100_TMEM_STORE_32dp32b16x Sm100_TMEM_STORE_32dp32b16x_16b U16;
        Sm100_TMEM_LOAD_32dp32b32x Sm100_TMEM_LOAD_32dp32b32x_16b Sm100_TMEM_STORE_32dp32b32x Sm100_TMEM_STORE_32dp32b32x_16b U32;
        Sm100_TMEM_LOAD_32dp32b64x Sm100_TMEM_LOAD_32dp32b64x_16b Sm100_TMEM_STORE_32dp32b64x Sm100_TMEM_STORE_32dp32b64x_16b U64;
        Sm100_TMEM_LOAD_32dp32b128x Sm100_TMEM_LOAD_32dp32b128x_16b Sm100_TMEM_STORE_32dp32b128x Sm100_TMEM_STORE_32dp32b128x_16b U128;
    ]
    Dp16b64 [
        Sm100_TMEM_LOAD_16dp64b1x Sm100_TMEM_LOAD_16dp64b1x_16b Sm100_TMEM_STORE_16dp64b1x Sm100_TMEM_STORE_16dp64b1x_16b U1;
        Sm100_TMEM_LOAD_16dp64b2x Sm100_TMEM_LOAD_16dp64b2x_16b Sm100_TMEM_STORE_16dp64b2x Sm100_TMEM_STORE_16dp64b2x_16b U2;
        Sm100_TMEM_LOAD_16dp64b4x Sm100_TMEM_LOAD_16dp64b4x_16b Sm100_TMEM_STORE_16dp64b4x Sm100_TMEM_STORE_16dp64b4x_16b U4;
        Sm100_TMEM_LOAD_16dp64b8x Sm100_TMEM_LOAD_16dp64b8x_16b Sm100_TMEM_STORE_16dp64b8x Sm100_TMEM_STORE_16dp64b8x_16b U8;
        Sm100_TMEM_LOAD_16dp64b16x Sm100_TMEM_LOAD_16dp64b16x_16b Sm100_TMEM_STORE_16dp64b16x Sm100_TMEM_STORE_16dp64b16x_16b U16;
        Sm100_TMEM_LOAD_16dp64b32x Sm100_TMEM_LOAD_16dp64b32x_16b Sm100_TMEM_STORE_16dp64b32x Sm100_TMEM_STORE_16dp64b32x_16b U32;
        Sm100_TMEM_LOAD_16dp64b64x Sm100_TMEM_LOAD_16dp64b64x_16b Sm100_TMEM_STORE_16dp64b64x Sm100_TMEM_STORE_16dp64b64x_16b U64;
        Sm100_TMEM_LOAD_16dp64b128x Sm100_TMEM_LOAD_16dp64b128x_16b Sm100_TMEM_STORE_16dp64b128x Sm100_TMEM_STORE_16dp64b128x_16b U128;
    ]
    Dp16b128 [
        Sm100_TMEM_LOAD_16dp128b1x Sm100_TMEM_LOAD_16dp128b1x_16b Sm100_TMEM_STORE_16dp128b1x Sm100_TMEM_STORE_16dp128b1x_16b U1;
        Sm100_TMEM_LOAD_16dp128b2x Sm100_TMEM_LOAD_16dp128b2x_16b Sm100_TMEM_STORE_16dp128b2x Sm100_TMEM_STORE_16dp128b2x_16b U2;
        Sm100_TMEM_LOAD_16dp128b4x Sm100_TMEM_LOAD_16dp128b4x_16b Sm100_TMEM_STORE_16dp128b4x Sm100_TMEM_STORE_16dp128b4x_16b U4;
        Sm100_TMEM_LOAD_16dp128b8x Sm100_TMEM_LOAD_16dp128b8x_16b Sm100_TMEM_STORE_16dp128b8x Sm100_TMEM_STORE_16dp128b8x_16b U8;
        Sm100_TMEM_LOAD_16dp128b16x Sm100_TMEM_LOAD_16dp128b16x_16b Sm100_TMEM_STORE_16dp128b16x Sm100_TMEM_STORE_16dp128b16x_16b U16;
        Sm100_TMEM_LOAD_16dp128b32x Sm100_TMEM_LOAD_16dp128b32x_16b Sm100_TMEM_STORE_16dp128b32x Sm100_TMEM_STORE_16dp128b32x_16b U32;
        Sm100_TMEM_LOAD_16dp128b64x Sm100_TMEM_LOAD_16dp128b64x_16b Sm100_TMEM_STORE_16dp128b64x Sm100_TMEM_STORE_16dp128b64x_16b U64;
    ]
    Dp16b256 [
        Sm100_TMEM_LOAD_16dp256b1x Sm100_TMEM_LOAD_16dp256b1x_16b Sm100_TMEM_STORE_16dp256b1x Sm100_TMEM_STORE_16dp256b1x_16b U1;
        Sm100_TMEM_LOAD_16dp256b2x Sm100_TMEM_LOAD_16dp256b2x_16b Sm100_TMEM_STORE_16dp256b2x Sm100_TMEM_STORE_16dp256b2x_16b U2;
        Sm100_TMEM_LOAD_16dp256b4x Sm100_TMEM_LOAD_16dp256b4x_16b Sm100_TMEM_STORE_16dp256b4x Sm100_TMEM_STORE_16dp256b4x_16b U4;
        Sm100_TMEM_LOAD_16dp256b8x Sm100_TMEM_LOAD_16dp256b8x_16b Sm100_TMEM_STORE_16dp256b8x Sm100_TMEM_STORE_16dp256b8x_16b U8;
        Sm100_TMEM_LOAD_16dp256b16x Sm100_TMEM_LOAD_16dp256b16x_16b Sm100_TMEM_STORE_16dp256b16x Sm100_TMEM_STORE_16dp256b16x_16b U16;
        Sm100_TMEM_LOAD_16dp256b32x Sm100_TMEM_LOAD_16dp256b32x_16b Sm100_TMEM_STORE_16dp256b32x Sm100_TMEM_STORE_16dp256b32x_16b U32;
    ]
    Dp16b32 [
        Sm100_TMEM_LOAD_16dp32b1x Sm100_TMEM_LOAD_16dp32b1x_16b Sm100_TMEM_STORE_16dp32b1x Sm100_TMEM_STORE_16dp32b1x_16b U1;
        Sm100_TMEM_LOAD_16dp32b2x Sm100_TMEM_LOAD_16dp32b2x_16b Sm100_TMEM_STORE_16dp32b2x Sm100_TMEM_STORE_16dp32b2x_16b U2;
        Sm100_TMEM_LOAD_16dp32b4x Sm100_TMEM_LOAD_16dp32b4x_16b Sm100_TMEM_STORE_16dp32b4x Sm100_TMEM_STORE_16dp32b4x_16b U4;
        Sm100_TMEM_LOAD_16dp32b8x Sm100_TMEM_LOAD_16dp32b8x_16b Sm100_TMEM_STORE_16dp32b8x Sm100_TMEM_STORE_16dp32b8x_16b U8;
        Sm100_TMEM_LOAD_16dp32b16x Sm100_TMEM_LOAD_16dp32b16x_16b Sm100_TMEM_STORE_16dp32b16x Sm100_TMEM_STORE_16dp32b16x_16b U16;
        Sm100_TMEM_LOAD_16dp32b32x Sm100_TMEM_LOAD_16dp32b32x_16b Sm100_TMEM_STORE_16dp32b32x Sm100_TMEM_STORE_16dp32b32x_16b U32;
        Sm100_TMEM_LOAD_16dp32b64x Sm100_TMEM_LOAD_16dp32b64x_16b Sm100_TMEM_STORE_16dp32b64x Sm100_TMEM_STORE_16dp32b64x_16b U64;
        Sm100_TMEM_LOAD_16dp32b128x Sm100_TMEM_LOAD_16dp32b128x_16b Sm100_TMEM_STORE_16dp32b128x Sm100_TMEM_STORE_16dp32b128x_16b U128;
    ]
}
