//! The tensor memory accelerator's copies as atoms: a stage of a tile, by one thread.
//!
//! ```text
//!   Sm90_TMA_LOAD<SmemA, f16>::copy(map, (row, column), &s_a, stage, barrier)        every box of the tile, bytes on the barrier
//!   Sm90_TMA_STORE<SmemC, f16>::copy(map, (row, column), &s_c, stage)                every box, in the thread's bulk group
//!   Sm90_TMA_REDUCE_ADD<SmemC, f32>::copy(map, (row, column), &s_c, stage)           the same, added to what is there
//! ```
//!
//! Law: boxes, their order and their bytes are those of [`TmaTile`]; a load takes
//! [`BYTES`](Sm90_TMA_LOAD::BYTES) off the barrier, whatever part of the tile is outside the
//! tensor. The coordinate is of the tile's first element, in the tile's modes.
//!
//! Source: CuTe `cute/arch/copy_sm90_tma.hpp`, `cute/atom/copy_traits_sm90_tma.hpp`, for two
//! dimensions.

use crate::arch::copy_sm90_bulk::{bulk_load, bulk_store};
use crate::arch::copy_sm90_tma::{
    ReduceAdd, TensorMap, tma_load_2d, tma_load_4d, tma_load_multicast_2d, tma_reduce_2d,
    tma_store_2d,
};
use crate::atom::smem_operand::TmaTile;
use crate::atom::{Element, Instruction};
use crate::check::{Reflect, bulk_copy, require, same_tile};
use crate::layout::LayoutFn;
use crate::num::True;
use crate::tensor::{Plain, Shared, Tensor};
use core::fmt;
use core::marker::PhantomData;
use typenum::{U90, Unsigned};

macro_rules! atoms {
    ($($(#[$doc:meta])* $name:ident $cute:literal $ptx:literal;)+) => {$(
        $(#[$doc])*
        #[doc = ""]
        #[doc = concat!("`", $ptx, "`")]
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name<Tile, T>(PhantomData<(Tile, T)>);
        impl<Tile, T> Instruction for $name<Tile, T> {
            type Sm = U90;
            type Later = True;
        }
        impl<Tile: LayoutFn + Reflect, T: Element> $name<Tile, T> {
            /// CuTe's name.
            pub const NAME: &'static str = $cute;
            /// The PTX instruction.
            pub const PTX: &'static str = $ptx;
        }
        impl<Tile: LayoutFn, T: Element> fmt::Debug for $name<Tile, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($cute, "<{}, {}>"), Tile::default(), T::NAME)
            }
        }
    )+};
}
atoms! {
    /// A tile from global to shared memory: CuTe's `SM90_TMA_LOAD`.
    ///
    /// ```
    /// use layout_types::atom::{copy::Sm90_TMA_LOAD, gmma::LayoutKSw128Atom};
    /// use layout_types::prelude::*;
    /// type Load = Sm90_TMA_LOAD<TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>, half::f16>;
    /// assert_eq!(Load::BYTES, 16384);
    /// ```
    Sm90_TMA_LOAD "SM90_TMA_LOAD" "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
    /// A tile from global memory to the same place in several blocks of a cluster: CuTe's
    /// `SM90_TMA_LOAD_MULTICAST`.
    ///
    /// ```
    /// use layout_types::atom::{copy::Sm90_TMA_LOAD_MULTICAST, gmma::LayoutKSw128Atom};
    /// use layout_types::prelude::*;
    /// type Load = Sm90_TMA_LOAD_MULTICAST<TileToShape<LayoutKSw128Atom<half::f16>, shape!((64,64,4))>, half::f16>;
    /// // Each block of the cluster expects so many bytes a stage.
    /// assert_eq!(Load::BYTES, 8192);
    /// layout_types::assert_multicast!(0b11, 2);
    /// ```
    Sm90_TMA_LOAD_MULTICAST "SM90_TMA_LOAD_MULTICAST"
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster";
    /// A tile from shared to global memory: CuTe's `SM90_TMA_STORE`.
    ///
    /// ```
    /// use layout_types::atom::{copy::Sm90_TMA_STORE, gmma::LayoutKSw128Atom};
    /// use layout_types::prelude::*;
    /// type Store = Sm90_TMA_STORE<TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,128))>, half::f16>;
    /// assert_eq!(Store::BYTES, 32768);
    /// assert_eq!(format!("{:?}", Store::default()), "SM90_TMA_STORE<Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192)), f16>");
    /// ```
    Sm90_TMA_STORE "SM90_TMA_STORE" "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";
    /// A tile of shared memory added to global memory, element by element: CuTe's
    /// `SM90_TMA_REDUCE_ADD`. Blocks may add to the same elements at once, in no order that is
    /// known; what is outside the tensor is left out.
    ///
    /// ```
    /// use layout_types::atom::{copy::Sm90_TMA_REDUCE_ADD, gmma::LayoutKSw128Atom};
    /// use layout_types::prelude::*;
    /// // The accumulators of a split of K, added to the product in two boxes of 32 columns.
    /// type Add = Sm90_TMA_REDUCE_ADD<TileToShape<LayoutKSw128Atom<f32>, shape!((64,64))>, f32>;
    /// assert_eq!(Add::BYTES, 16384);
    /// assert_eq!(Add::PTX, "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group");
    /// ```
    Sm90_TMA_REDUCE_ADD "SM90_TMA_REDUCE_ADD" "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group";
    /// A compact tile, contiguous in both memories: CuTe's `SM90_BULK_COPY_G2S` and
    /// `SM90_BULK_COPY_S2G`.
    ///
    /// ```
    /// use layout_types::{atom::copy::Sm90_BULK_COPY, prelude::*};
    /// assert_eq!(Sm90_BULK_COPY::<layout!((64,8):(8,1)), f32>::BYTES, 2048);
    /// ```
    Sm90_BULK_COPY "SM90_BULK_COPY" "cp.async.bulk";
}

macro_rules! bytes {
    ($($name:ident)+) => {$(
        impl<Tile: LayoutFn + Reflect, T: Element> $name<Tile, T> {
            /// The bytes of a stage's boxes.
            pub const BYTES: u32 = TmaTile::<Tile, T>::BYTES;
        }
    )+};
}
bytes! { Sm90_TMA_LOAD Sm90_TMA_LOAD_MULTICAST Sm90_TMA_STORE Sm90_TMA_REDUCE_ADD }

/// Where a tensor in shared memory begins, which has the copy's tile; another does not compile.
#[inline(always)]
fn base<Tile: Reflect, T: Plain, L: LayoutFn + Reflect>(shared: &Tensor<Shared<T>, L>) -> u32 {
    const { require(same_tile(&Tile::VALUE, &L::VALUE)) }
    shared.engine().start()
}

/// Calls `body` with the bytes from the tile's base, and the map's coordinate, of each box.
#[inline(always)]
fn boxes<Tile: LayoutFn + Reflect, T: Element>(
    at: (u32, u32),
    stage: u32,
    mut body: impl FnMut(u32, [i32; 2]),
) {
    let [down, across] = const { TmaTile::<Tile, T>::BOX.boxes };
    let mut j = 0;
    while j < across {
        let mut i = 0;
        while i < down {
            let coordinate = TmaTile::<Tile, T>::coordinate((i, j), at.0, at.1);
            body(TmaTile::<Tile, T>::offset((i, j), stage), coordinate);
            i += 1;
        }
        j += 1;
    }
}

impl<Tile: LayoutFn + Reflect, T: Element> Sm90_TMA_LOAD<Tile, T> {
    /// Starts the copies of a stage's boxes, counted on `barrier`.
    ///
    /// # Safety
    /// As of [`tma_load_2d`], for each box: `map` has the tile's box and swizzle, `shared` is the
    /// tile's base, a multiple of the swizzle's period, and `stage` one of its stages.
    #[inline(always)]
    pub unsafe fn load(
        shared: u32,
        map: *const TensorMap,
        at: (u32, u32),
        stage: u32,
        barrier: u32,
    ) {
        boxes::<Tile, T>(at, stage, |offset, coordinate| {
            // SAFETY: `map` has the tile's box and swizzle, and `barrier` is initialised, by the
            // caller's contract; `offset` is a box of a stage, so that its room is the tile's.
            unsafe { tma_load_2d(shared + offset, map, coordinate, barrier) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_LOAD<Tile, T> {
    /// Starts the copies of a stage's boxes into a tensor in shared memory, counted on `barrier`:
    /// CuTe's `copy(tma.with(barrier), tAgA, tAsA)`.
    ///
    /// The tensor that a copy writes and a product reads is one, so their swizzles cannot differ; a
    /// copy of another tile does not compile:
    ///
    /// ```compile_fail,E0080
    /// use layout_types::atom::{copy::Sm90_TMA_LOAD, gmma::*};
    /// use layout_types::{arch::copy_sm90_tma::TensorMap, prelude::*, tensor::Shared};
    /// type Written = TileToShape<LayoutKSw64Atom<half::f16>, shape!((128,64))>;
    /// type Read = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64))>;
    /// let s_a = unsafe { Tensor::<Shared<half::f16>, Read>::shared(0) };
    /// // the copy writes a tile Sw<2,3,3> o 0 o .., and the tensor there is Sw<3,3,3> o 0 o ..
    /// unsafe { Sm90_TMA_LOAD::<Written, half::f16>::copy(std::ptr::null(), (0, 0), &s_a, 0, 0) };
    /// ```
    ///
    /// # Safety
    /// As of [`load`](Self::load): the tensor begins on the swizzle's period, and `stage` is one of
    /// its stages.
    #[inline(always)]
    pub unsafe fn copy<L: LayoutFn + Reflect>(
        map: *const TensorMap,
        at: (u32, u32),
        shared: &Tensor<Shared<T>, L>,
        stage: u32,
        barrier: u32,
    ) {
        // SAFETY: map, place, stage and barrier are as `load` asks by the caller's contract, and
        // the tile is the tensor's.
        unsafe { Self::load(base::<Tile, T, L>(shared), map, at, stage, barrier) };
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_LOAD<Tile, T> {
    /// As [`copy`](Self::copy) out of a tensor of four modes, whose first two are the tile's:
    /// `rest` is the coordinate along the other two, a head and a batch for instance.
    ///
    /// # Safety
    /// As of [`tma_load_4d`] for each box, which has an extent of one along the third and fourth
    /// mode, and of [`copy`](Self::copy).
    #[inline(always)]
    pub unsafe fn copy_4d<L: LayoutFn + Reflect>(
        map: *const TensorMap,
        at: (u32, u32),
        rest: (u32, u32),
        shared: &Tensor<Shared<T>, L>,
        stage: u32,
        barrier: u32,
    ) {
        let shared = base::<Tile, T, L>(shared);
        boxes::<Tile, T>(at, stage, |offset, [inner, outer]| {
            let coordinate = [inner, outer, rest.0 as i32, rest.1 as i32];
            // SAFETY: `map` has boxes of the tile and its swizzle, of one along the last two modes,
            // and `barrier` is initialised, by the caller's contract; `offset` is a box of a stage,
            // so that its room is the tile's.
            unsafe { tma_load_4d(shared + offset, map, coordinate, barrier) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Element> Sm90_TMA_LOAD_MULTICAST<Tile, T> {
    /// As [`Sm90_TMA_LOAD::load`], into every block of the cluster whose bit of `blocks` is set.
    ///
    /// # Safety
    /// As of [`tma_load_multicast_2d`], for each box, and of [`Sm90_TMA_LOAD::load`].
    #[inline(always)]
    pub unsafe fn load(
        shared: u32,
        map: *const TensorMap,
        at: (u32, u32),
        stage: u32,
        barrier: u32,
        blocks: u16,
    ) {
        boxes::<Tile, T>(at, stage, |offset, coordinate| {
            // SAFETY: `map` has the tile's box and swizzle, and `barrier` is initialised in every
            // block of `blocks`, all of which are in the cluster, by the caller's contract;
            // `offset` is a box of a stage, so that its room is the tile's.
            unsafe { tma_load_multicast_2d(shared + offset, map, coordinate, barrier, blocks) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_LOAD_MULTICAST<Tile, T> {
    /// As [`Sm90_TMA_LOAD::copy`], into every block of the cluster whose bit of `blocks` is set.
    ///
    /// # Safety
    /// As of [`load`](Self::load): the tensor begins on the swizzle's period, and `stage` is one of
    /// its stages.
    #[inline(always)]
    pub unsafe fn copy<L: LayoutFn + Reflect>(
        map: *const TensorMap,
        at: (u32, u32),
        shared: &Tensor<Shared<T>, L>,
        stage: u32,
        barrier: u32,
        blocks: u16,
    ) {
        let shared = base::<Tile, T, L>(shared);
        // SAFETY: map, place, stage and barrier are as `load` asks by the caller's contract, and
        // the tile is the tensor's.
        unsafe { Self::load(shared, map, at, stage, barrier, blocks) };
    }
}
impl<Tile: LayoutFn + Reflect, T: Element> Sm90_TMA_STORE<Tile, T> {
    /// Starts the stores of a stage's boxes, in the thread's open bulk group.
    ///
    /// # Safety
    /// As of [`tma_store_2d`], for each box; map, base and stage as of [`Sm90_TMA_LOAD::load`].
    #[inline(always)]
    pub unsafe fn store(map: *const TensorMap, at: (u32, u32), shared: u32, stage: u32) {
        boxes::<Tile, T>(at, stage, |offset, coordinate| {
            // SAFETY: `map` has the tile's box and swizzle, and the tile is written and fenced, by
            // the caller's contract; `offset` is a box of a stage.
            unsafe { tma_store_2d(map, coordinate, shared + offset) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Element> Sm90_TMA_REDUCE_ADD<Tile, T> {
    /// As [`Sm90_TMA_STORE::store`], adding to what is there.
    ///
    /// # Safety
    /// As of [`tma_reduce_2d`], for each box; map, base and stage as of [`Sm90_TMA_LOAD::load`].
    #[inline(always)]
    pub unsafe fn reduce(map: *const TensorMap, at: (u32, u32), shared: u32, stage: u32) {
        boxes::<Tile, T>(at, stage, |offset, coordinate| {
            // SAFETY: `map` has the tile's box and swizzle and an element type with an addition,
            // and the tile is written and fenced, by the caller's contract; `offset` is a box of a
            // stage.
            unsafe { tma_reduce_2d::<ReduceAdd>(map, coordinate, shared + offset) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_STORE<Tile, T> {
    /// Starts the stores of a stage's boxes of a tensor in shared memory, in the thread's open bulk
    /// group. A store of another tile does not compile.
    ///
    /// # Safety
    /// As of [`store`](Self::store): the tensor begins on the swizzle's period, and `stage` is one
    /// of its stages.
    #[inline(always)]
    pub unsafe fn copy<L: LayoutFn + Reflect>(
        map: *const TensorMap,
        at: (u32, u32),
        shared: &Tensor<Shared<T>, L>,
        stage: u32,
    ) {
        // SAFETY: map, place and stage are as `store` asks by the caller's contract, and the tile
        // is the tensor's.
        unsafe { Self::store(map, at, base::<Tile, T, L>(shared), stage) };
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_REDUCE_ADD<Tile, T> {
    /// Starts the additions of a stage's boxes of a tensor in shared memory, in the thread's open
    /// bulk group. A reduction of another tile does not compile.
    ///
    /// # Safety
    /// As of [`reduce`](Self::reduce): the tensor begins on the swizzle's period, and `stage` is
    /// one of its stages.
    #[inline(always)]
    pub unsafe fn copy<L: LayoutFn + Reflect>(
        map: *const TensorMap,
        at: (u32, u32),
        shared: &Tensor<Shared<T>, L>,
        stage: u32,
    ) {
        // SAFETY: map, place and stage are as `reduce` asks by the caller's contract, and the tile
        // is the tensor's.
        unsafe { Self::reduce(map, at, base::<Tile, T, L>(shared), stage) };
    }
}
impl<Tile: LayoutFn + Reflect, T: Element> Sm90_BULK_COPY<Tile, T> {
    /// The bytes of the tile; one that is not compact, or not of a multiple of 16 bytes, does not
    /// compile.
    pub const BYTES: u32 = {
        require(bulk_copy(&Tile::VALUE, Tile::COSIZE as i64, T::Bits::I64));
        (Tile::SIZE * T::Bits::USIZE / 8) as u32
    };

    /// Starts the copy from global to shared memory, counted on `barrier`.
    ///
    /// # Safety
    /// As of [`bulk_load`], of [`BYTES`](Self::BYTES).
    #[inline(always)]
    pub unsafe fn load(shared: u32, global: *const T, barrier: u32) {
        // SAFETY: `BYTES` is a multiple of 16; places and barrier are as `bulk_load` asks by the
        // caller's contract.
        unsafe { bulk_load(shared, global.cast(), Self::BYTES, barrier) };
    }

    /// Starts the copy from shared to global memory, in the thread's open bulk group.
    ///
    /// # Safety
    /// As of [`bulk_store`], of [`BYTES`](Self::BYTES).
    #[inline(always)]
    pub unsafe fn store(global: *mut T, shared: u32) {
        // SAFETY: `BYTES` is a multiple of 16; both places are as `bulk_store` asks by the caller's
        // contract.
        unsafe { bulk_store(global.cast(), shared, Self::BYTES) };
    }
}
