//! Operands of `wgmma` in shared memory: tensors of descriptors.
//!
//! ```text
//!   s_a   (M,K,stages)       Sw<3,3,3> o 0 o ((8,16),(64,1),(1,4)):((64,512),(1,0),(0,8192)) of f16
//!   t_ra  thr_mma.partition_descriptors_a(&s_a)       (1,MMA_M,MMA_K,stages) in 16 bytes: (1,1,4,(1,4)):(0,0,2,(0,1024))
//! ```
//!
//! Law: the descriptor at `(0, m, k, stage)` belongs to the atom whose elements `partition_a`
//! returns at `(_, m, k, stage)`. PTX's canonical layout with the descriptor's fields places each
//! element where the tile has it. The tile is an [`Operand`](crate::atom::smem_operand::Operand),
//! and each atom's part of the tile has the tile's fields; both are checked when the kernel is
//! compiled.
//!
//! Source: CuTe `GMMA::smem_desc`, `DescriptorIterator` in `cute/atom/mma_traits_sm90_gmma.hpp`,
//! `TiledMMA::make_fragment_A`.

use super::engine::{Engine, Integers, Read};
use super::partition::ThrMma;
use super::shared::Shared;
use super::strides::RunTimeStrides;
use super::word::Plain;
use super::{__, Tensor};
use crate::algebra::cast::RecastTo;
use crate::algorithm::pipeline_tma::PipelineState;
use crate::algorithm::{IsElement, MMA_K, MMA_M, MMA_N};
use crate::atom::Element;
use crate::atom::mma::{AtomM, AtomN, FrgType, Major, MmaAtom, SmemDesc};
use crate::atom::smem_operand::{GmmaDescriptor, Operand};
use crate::check::{GmmaLayout, Reflect, require, stages};
use crate::coord::Coord;
use crate::decimal::Decimal;
use crate::layout::{LayoutFn, Unzip};
use crate::num::{Bool, False, Nat, NatDiv, QuotRem, True, Zero};
use crate::ragged::{SliceTensorBy, TensorLayout};
use crate::tiled::{
    OperandA, OperandB, PartitionMma, PartitionOf, ThreadOf, TiledMmaTraits, thread_offset,
};
use crate::tree::{Cons, M, ModeList, ModeTree, Underscore};
use core::fmt;
use core::marker::PhantomData;
use typenum::{U1, U128, Unsigned};

/// A tiled MMA that reads its operand `X`, [`OperandA`] or [`OperandB`], from shared memory.
#[doc(hidden)]
pub trait SmemOperand<X>: TiledMmaTraits {
    /// The type of the elements.
    type Element: Element;
    /// The contiguous mode.
    type Major: Major;
    /// The number of rows of an atom: its M or its N.
    type Rows: Nat;
    /// The number of rows of the tiled MMA.
    type TileRows: Nat;
    /// The name of the mode of the rows.
    type Mode;
}
/// Implemented for operands that are read by a descriptor.
#[diagnostic::on_unimplemented(
    message = "this MMA reads the operand from `{Self}`, not by a descriptor",
    label = "`partition_fragment_a` and `_b` make the fragments of operands in registers"
)]
#[doc(hidden)]
pub trait ByDescriptor: FrgType {
    /// The contiguous mode.
    type Major: Major;
}
impl<T: Major> ByDescriptor for SmemDesc<T> {
    type Major = T;
}
macro_rules! operands {
    ($($x:ident $frg:ident $value:ident $rows:ident $tile:ident $mode:ident;)*) => {$(
        impl<Mma: TiledMmaTraits> SmemOperand<$x> for Mma
        where
            <Mma::Atom as MmaAtom>::$frg: ByDescriptor,
        {
            type Element = <Mma::Atom as MmaAtom>::$value;
            type Major = <<Mma::Atom as MmaAtom>::$frg as ByDescriptor>::Major;
            type Rows = $rows<Mma::Atom>;
            type TileRows = Mma::$tile;
            type Mode = $mode;
        }
    )*};
}
operands! {
    OperandA FrgTypeA ValTypeA AtomM TileM MMA_M;
    OperandB FrgTypeB ValTypeB AtomN TileN MMA_N;
}

/// Implemented for `True`: a tile has a whole number of the tiled MMA's tiles along a mode.
#[doc(hidden)]
pub trait WholeTiles<Mode, Tile, Mma> {}
impl<Mode, T, A> WholeTiles<Mode, T, A> for True {}
impl<Mode, T: Decimal, A: Decimal> WholeTiles<Mode, T, A> for False where
    Mode: HoldsTiles<T::Text, A::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "a tile of {Tile} does not hold a whole number of the tiled MMA's {Mma} along {Self}",
    label = "the atoms of the tiled MMA would read behind the tile"
)]
#[doc(hidden)]
pub trait HoldsTiles<Tile, Mma> {}

/// The descriptors of operand `X` of the tiled MMA `Mma`, from one atom's descriptor on.
pub struct Descriptors<Mma, X> {
    /// The start address and the leading byte offset, each in units of 16 bytes. A step changes
    /// only the address.
    low: u32,
    /// The stride byte offset and the swizzle.
    high: u32,
    operand: PhantomData<(Mma, X)>,
}
impl<Mma, X> Clone for Descriptors<Mma, X> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<Mma, X> Copy for Descriptors<Mma, X> {}
impl<Mma, X> fmt::Debug for Descriptors<Mma, X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "descriptor {:#010x}{:08x}", self.high, self.low)
    }
}

/// The descriptor of an atom's operand.
type DescriptorOf<Mma, X> = GmmaDescriptor<
    <Mma as SmemOperand<X>>::Element,
    <Mma as SmemOperand<X>>::Major,
    <Mma as SmemOperand<X>>::Rows,
>;

impl<Mma: SmemOperand<X>, X: 'static> Engine for Descriptors<Mma, X> {
    type Value = DescriptorOf<Mma, X>;
    type Role = X;
    type Strides = RunTimeStrides;
    #[inline(always)]
    fn step<L: LayoutFn, C>(self, coordinate: C) -> Self
    where
        C: Coord<L::Modes, u32> + Copy,
    {
        // Shared memory ends below 2^18, so an address in units of 16 bytes remains within its 14
        // bits.
        Self {
            low: self.low.wrapping_add(coordinate.offset(&Integers)),
            ..self
        }
    }
}
impl<Mma: SmemOperand<X>, X: 'static> Read for Descriptors<Mma, X> {
    #[inline(always)]
    fn load<L: LayoutFn>(self) -> Self::Value {
        GmmaDescriptor::of(u64::from(self.low) | u64::from(self.high) << 32)
    }
}

type Modes<L> = <<L as LayoutFn>::Modes as ModeTree>::Modes;
type First<L> = <Modes<L> as ModeList>::First;
type Second<L> = <<Modes<L> as ModeList>::Rest as ModeList>::First;
/// Replaces the values of an atom by one descriptor, and keeps the other modes.
type AtomStarts<L> = Unzip<Cons<M<U1, Zero>, <Modes<L> as ModeList>::Rest>>;
/// The layout of the descriptors of the part `L`, in units of 16 bytes.
type Starts<L, T> = <AtomStarts<L> as RecastTo<<T as Element>::Bits, U128>>::Output;

/// A tile `L` of elements `T` in shared memory whose atoms have descriptors as operand `X` of
/// `Self`.
#[doc(hidden)]
pub trait PartitionDescriptors<X, T, L: LayoutFn>: SmemOperand<X> {
    /// The layout `(1,MMA_M,MMA_K,..)`, in units of 16 bytes.
    type Starts: LayoutFn;
    /// The fields of each descriptor.
    const FIELDS: GmmaLayout;
    /// Returns the number of elements before a thread's first atom.
    fn thread_start(thread: u32) -> u32;
}
impl<Mma, X, T, L> PartitionDescriptors<X, T, L> for Mma
where
    T: IsElement<Mma::Element>,
    Mma: SmemOperand<X> + PartitionMma<X, L>,
    L: LayoutFn + Reflect,
    <<<First<L> as ModeTree>::Size as NatDiv>::DivRem<Mma::TileRows> as QuotRem>::Exact:
        WholeTiles<Mma::Mode, <First<L> as ModeTree>::Size, Mma::TileRows>,
    <<<Second<L> as ModeTree>::Size as NatDiv>::DivRem<Mma::TileK> as QuotRem>::Exact:
        WholeTiles<MMA_K, <Second<L> as ModeTree>::Size, Mma::TileK>,
    L::With<First<PartitionOf<Mma, X, L>>>: Reflect,
    AtomStarts<PartitionOf<Mma, X, L>>: RecastTo<<Mma::Element as Element>::Bits, U128>,
    SmemDesc<Mma::Major>: FrgType,
{
    type Starts = Starts<PartitionOf<Mma, X, L>, Mma::Element>;
    const FIELDS: GmmaLayout = {
        let tile = Operand::<L, Mma::Element, Mma::Major, Mma::Rows>::LAYOUT;
        let atom = match GmmaLayout::derive(
            &<L::With<First<PartitionOf<Mma, X, L>>> as Reflect>::VALUE,
            <Mma::Element as Element>::Bits::I64,
            <Mma::Major as Major>::IsK::VALUE,
            Mma::Rows::I64,
        ) {
            Ok(atom) => atom,
            Err(text) => panic!("{}", text.as_str()),
        };
        assert!(
            atom.leading == tile.leading && atom.stride == tile.stride,
            "the tiled MMA's permutation gives an atom rows that no descriptor has"
        );
        atom
    };
    #[inline(always)]
    fn thread_start(thread: u32) -> u32 {
        thread_offset::<ThreadOf<Mma, X, L>, u32>(thread)
    }
}

/// Selects a stage and keeps the modes in front: CuTe's `(_,_,_,stage)`.
type OfStage = (Underscore, Underscore, Underscore, u32);
impl<Mma: SmemOperand<X>, X: 'static, L: LayoutFn> Tensor<Descriptors<Mma, X>, L> {
    /// Returns the descriptors of the stage of a pipeline's state, `(1,MMA_M,MMA_K)`: CuTe's
    /// `tCrA(_,_,_,read_stage)`.
    ///
    /// A tile whose number of stages differs from the pipeline's does not compile:
    ///
    /// ```compile_fail,E0080
    /// use layout_types::{algorithm::pipeline_tma::PipelineState, atom::{gmma::LayoutKSw128Atom, mma::Sm90_64x256x16_F32F16F16_SS}};
    /// use layout_types::{prelude::*, tensor::{GetSlice, Shared}, tiled::TiledMma};
    /// type Mma = TiledMma<Sm90_64x256x16_F32F16F16_SS, layout!((2,1,1))>;
    /// type SmemA = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,3))>;
    /// let s_a = unsafe { Tensor::<Shared<half::f16>, SmemA>::shared(0) };
    /// let t_ra = Mma::get_slice(0).partition_descriptors_a(&s_a);
    /// let _ = t_ra.stage(&PipelineState::<4>::consumer()); // a tile of 3 stages in shared memory, and a pipeline of 4
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn stage<const STAGES: u32>(
        &self,
        state: &PipelineState<STAGES>,
    ) -> Tensor<Descriptors<Mma, X>, <L as SliceTensorBy<OfStage>>::Output>
    where
        L: SliceTensorBy<OfStage>,
        OfStage: Coord<<<L as TensorLayout>::Offsets as LayoutFn>::Modes, u32>,
    {
        const { require(stages(super::mode_size::<L>(3) as i64, STAGES as i64)) }
        self.slice((__, __, __, state.stage()))
    }
}

macro_rules! partition {
    ($($(#[$doc:meta])* $name:ident $x:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name<T, L>(
            &self,
            tile: &Tensor<Shared<T>, L>,
        ) -> Tensor<Descriptors<Mma, $x>, <Mma as PartitionDescriptors<$x, T, L>>::Starts>
        where
            T: Plain,
            L: LayoutFn,
            Mma: PartitionDescriptors<$x, T, L>,
        {
            let start = Mma::thread_start(self.thread()) * const { size_of::<T>() as u32 };
            let bits = const { Mma::FIELDS }.descriptor(tile.engine().start() + start);
            Tensor::at_engine(Descriptors {
                low: bits as u32,
                high: (bits >> 32) as u32,
                operand: PhantomData,
            })
        }
    )*};
}
impl<Mma: TiledMmaTraits> ThrMma<Mma> {
    partition! {
        /// Returns the descriptors `(1,MMA_M,MMA_K,..)` of a tile `(M,K,..)` in shared memory, for
        /// an operand that `wgmma` reads by descriptors: CuTe's `partition_fragment_A`.
        ///
        /// Precondition: the tile begins at a multiple of the swizzle's period, which is 1024 bytes
        /// for lines of 128 bytes.
        ///
        /// ```
        /// use layout_types::{atom::{gmma::LayoutKSw128Atom, mma::Sm90_64x256x16_F32F16F16_SS}, prelude::*};
        /// use layout_types::{tensor::{GetSlice, Shared}, tiled::TiledMma};
        /// type Mma = TiledMma<Sm90_64x256x16_F32F16F16_SS, layout!((2,1,1))>;
        /// type SmemA = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>;
        /// // SAFETY: nothing is accessed, descriptors are only computed.
        /// let s_a = unsafe { Tensor::<Shared<half::f16>, SmemA>::shared(1024) };
        /// // The second warp group: rows 64 to 127, 8192 bytes after the base.
        /// let t_ra = Mma::get_slice(128).partition_descriptors_a(&s_a);
        /// assert_eq!(t_ra.to_string(), "descriptor 0x4000004000010240 o (1,1,4,(1,4)):(0,0,2,(0,1024))");
        /// // Block 3 along K of stage 2.
        /// assert_eq!(t_ra.get((0u32, 0, 3, 2)).bits() & 0x3fff, (1024 + 8192 + 3 * 32 + 2 * 16384) >> 4);
        /// ```
        partition_descriptors_a OperandA;
        /// Returns the descriptors `(1,MMA_N,MMA_K,..)` of a tile `(N,K,..)`, like
        /// [`partition_descriptors_a`](Self::partition_descriptors_a): CuTe's
        /// `partition_fragment_B`.
        partition_descriptors_b OperandB;
    }
}
