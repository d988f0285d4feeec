//! The copies of the tensor memory accelerator as atoms: one thread copies a stage of a tile.
//!
//! ```text
//!   Sm90_TMA_LOAD<SmemA, f16>::copy(map, (row, column), &s_a, stage, barrier)        every box of the tile, bytes on the barrier
//!   Sm90_TMA_STORE<SmemC, f16>::copy(map, (row, column), &s_c, stage)                every box, in the thread's bulk group
//!   Sm90_TMA_REDUCE_ADD<SmemC, f32>::copy(map, (row, column), &s_c, stage)           the same, added to what is there
//! ```
//!
//! Law: boxes, their order and their bytes are those of [`TmaTile`]. A load completes
//! [`BYTES`](Sm90_TMA_LOAD::BYTES) at the barrier, even if part of the tile is outside the tensor.
//! The coordinate is that of the tile's first element, in the tile's modes.
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
    /// Copies a tile from global to shared memory: CuTe's `SM90_TMA_LOAD`.
    ///
    /// ```
    /// use layout_types::atom::{copy::Sm90_TMA_LOAD, gmma::LayoutKSw128Atom};
    /// use layout_types::prelude::*;
    /// type Load = Sm90_TMA_LOAD<TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>, half::f16>;
    /// assert_eq!(Load::BYTES, 16384);
    /// ```
    Sm90_TMA_LOAD "SM90_TMA_LOAD" "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
    /// Copies a tile from global memory to the same place in several blocks of a cluster: CuTe's
    /// `SM90_TMA_LOAD_MULTICAST`.
    ///
    /// ```
    /// use layout_types::atom::{copy::Sm90_TMA_LOAD_MULTICAST, gmma::LayoutKSw128Atom};
    /// use layout_types::prelude::*;
    /// type Load = Sm90_TMA_LOAD_MULTICAST<TileToShape<LayoutKSw128Atom<half::f16>, shape!((64,64,4))>, half::f16>;
    /// // Each block of the cluster expects this number of bytes per stage.
    /// assert_eq!(Load::BYTES, 8192);
    /// layout_types::assert_multicast!(0b11, 2);
    /// ```
    Sm90_TMA_LOAD_MULTICAST "SM90_TMA_LOAD_MULTICAST"
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster";
    /// Copies a tile from shared to global memory: CuTe's `SM90_TMA_STORE`.
    ///
    /// ```
    /// use layout_types::atom::{copy::Sm90_TMA_STORE, gmma::LayoutKSw128Atom};
    /// use layout_types::prelude::*;
    /// type Store = Sm90_TMA_STORE<TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,128))>, half::f16>;
    /// assert_eq!(Store::BYTES, 32768);
    /// assert_eq!(format!("{:?}", Store::default()), "SM90_TMA_STORE<Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192)), f16>");
    /// ```
    Sm90_TMA_STORE "SM90_TMA_STORE" "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";
    /// Adds a tile of shared memory to global memory, element by element: CuTe's
    /// `SM90_TMA_REDUCE_ADD`. Blocks may add to the same elements at the same time, in no defined
    /// order; elements outside the tensor are skipped.
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
    /// Copies a compact tile, contiguous in both memories: CuTe's `SM90_BULK_COPY_G2S` and
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
            /// The number of bytes of a stage's boxes.
            pub const BYTES: u32 = TmaTile::<Tile, T>::BYTES;
        }
    )+};
}
bytes! { Sm90_TMA_LOAD Sm90_TMA_LOAD_MULTICAST Sm90_TMA_STORE Sm90_TMA_REDUCE_ADD }

/// Returns the base address of a tensor in shared memory. A tensor with another tile than the
/// copy's does not compile.
#[inline(always)]
fn base<Tile: Reflect, T: Plain, L: LayoutFn + Reflect>(shared: &Tensor<Shared<T>, L>) -> u32 {
    const { require(same_tile(&Tile::VALUE, &L::VALUE)) }
    shared.engine().start()
}

/// Calls `body` for each box, with the bytes from the tile's base and the map's coordinate.
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
    /// Starts the copies of a stage's boxes, whose bytes are counted on `barrier`.
    ///
    /// # Safety
    /// The conditions of [`tma_load_2d`] hold for each box: `map` has the tile's box and swizzle,
    /// `shared` is the tile's base, a multiple of the swizzle's period, and `stage` is one of the
    /// tile's stages.
    #[inline(always)]
    pub unsafe fn load(
        shared: u32,
        map: *const TensorMap,
        at: (u32, u32),
        stage: u32,
        barrier: u32,
    ) {
        boxes::<Tile, T>(at, stage, |offset, coordinate| {
            // SAFETY: the caller guarantees that `map` has the tile's box and swizzle and that
            // `barrier` is initialised; `offset` is that of a box of a stage, so the box lies
            // within the tile.
            unsafe { tma_load_2d(shared + offset, map, coordinate, barrier) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_LOAD<Tile, T> {
    /// Starts the copies of a stage's boxes into a tensor in shared memory. Their bytes are counted
    /// on `barrier`: CuTe's `copy(tma.with(barrier), tAgA, tAsA)`.
    ///
    /// The copy writes the same tensor that a product reads, so the swizzles of both cannot differ;
    /// a copy of another tile does not compile:
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
    /// The conditions of [`load`](Self::load) hold: the tensor begins at a multiple of the
    /// swizzle's period, and `stage` is one of its stages.
    #[inline(always)]
    pub unsafe fn copy<L: LayoutFn + Reflect>(
        map: *const TensorMap,
        at: (u32, u32),
        shared: &Tensor<Shared<T>, L>,
        stage: u32,
        barrier: u32,
    ) {
        // SAFETY: the caller guarantees map, place, stage and barrier as `load` requires; the
        // tensor has the tile, as `base` checks.
        unsafe { Self::load(base::<Tile, T, L>(shared), map, at, stage, barrier) };
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_LOAD<Tile, T> {
    /// Starts the copies like [`copy`](Self::copy), from a tensor of four modes whose first two are
    /// the tile's. `rest` is the coordinate along the other two, for instance a head and a batch.
    ///
    /// # Safety
    /// The conditions of [`tma_load_4d`] hold for each box, which has extent 1 along the third and
    /// fourth mode, and so do those of [`copy`](Self::copy).
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
            // SAFETY: the caller guarantees that `map` has the tile's boxes and swizzle, with
            // extent 1 along the last two modes, and that `barrier` is initialised; `offset` is
            // that of a box of a stage, so the box lies within the tile.
            unsafe { tma_load_4d(shared + offset, map, coordinate, barrier) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Element> Sm90_TMA_LOAD_MULTICAST<Tile, T> {
    /// Starts the copies like [`Sm90_TMA_LOAD::load`], into every block of the cluster whose bit of
    /// `blocks` is set.
    ///
    /// # Safety
    /// The conditions of [`tma_load_multicast_2d`] hold for each box, and so do those of
    /// [`Sm90_TMA_LOAD::load`].
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
            // SAFETY: the caller guarantees that `map` has the tile's box and swizzle, that the
            // blocks of `blocks` are in the cluster, and that `barrier` is initialised in each;
            // `offset` is that of a box of a stage, so the box lies within the tile.
            unsafe { tma_load_multicast_2d(shared + offset, map, coordinate, barrier, blocks) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_LOAD_MULTICAST<Tile, T> {
    /// Starts the copies like [`Sm90_TMA_LOAD::copy`], into every block of the cluster whose bit of
    /// `blocks` is set.
    ///
    /// # Safety
    /// The conditions of [`load`](Self::load) hold: the tensor begins at a multiple of the
    /// swizzle's period, and `stage` is one of its stages.
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
        // SAFETY: the caller guarantees map, place, stage and barrier as `load` requires; the
        // tensor has the tile, as `base` checks.
        unsafe { Self::load(shared, map, at, stage, barrier, blocks) };
    }
}
impl<Tile: LayoutFn + Reflect, T: Element> Sm90_TMA_STORE<Tile, T> {
    /// Starts the stores of a stage's boxes, in the thread's open bulk group.
    ///
    /// # Safety
    /// The conditions of [`tma_store_2d`] hold for each box. Map, base and stage are as
    /// [`Sm90_TMA_LOAD::load`] requires.
    #[inline(always)]
    pub unsafe fn store(map: *const TensorMap, at: (u32, u32), shared: u32, stage: u32) {
        boxes::<Tile, T>(at, stage, |offset, coordinate| {
            // SAFETY: the caller guarantees that `map` has the tile's box and swizzle and that the
            // tile is written and fenced; `offset` is that of a box of a stage.
            unsafe { tma_store_2d(map, coordinate, shared + offset) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Element> Sm90_TMA_REDUCE_ADD<Tile, T> {
    /// Starts the reductions, like the stores of [`Sm90_TMA_STORE::store`]; they add to the present
    /// values.
    ///
    /// # Safety
    /// The conditions of [`tma_reduce_2d`] hold for each box. Map, base and stage are as
    /// [`Sm90_TMA_LOAD::load`] requires.
    #[inline(always)]
    pub unsafe fn reduce(map: *const TensorMap, at: (u32, u32), shared: u32, stage: u32) {
        boxes::<Tile, T>(at, stage, |offset, coordinate| {
            // SAFETY: the caller guarantees that `map` has the tile's box and swizzle and an
            // element type with an addition, and that the tile is written and fenced; `offset` is
            // that of a box of a stage.
            unsafe { tma_reduce_2d::<ReduceAdd>(map, coordinate, shared + offset) };
        });
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_STORE<Tile, T> {
    /// Starts the stores of a stage's boxes of a tensor in shared memory, in the thread's open bulk
    /// group. A store of another tile does not compile.
    ///
    /// # Safety
    /// The conditions of [`store`](Self::store) hold: the tensor begins at a multiple of the
    /// swizzle's period, and `stage` is one of its stages.
    #[inline(always)]
    pub unsafe fn copy<L: LayoutFn + Reflect>(
        map: *const TensorMap,
        at: (u32, u32),
        shared: &Tensor<Shared<T>, L>,
        stage: u32,
    ) {
        // SAFETY: the caller guarantees map, place and stage as `store` requires; the tensor has
        // the tile, as `base` checks.
        unsafe { Self::store(map, at, base::<Tile, T, L>(shared), stage) };
    }
}
impl<Tile: LayoutFn + Reflect, T: Plain> Sm90_TMA_REDUCE_ADD<Tile, T> {
    /// Starts the additions of a stage's boxes of a tensor in shared memory, in the thread's open
    /// bulk group. A reduction of another tile does not compile.
    ///
    /// # Safety
    /// The conditions of [`reduce`](Self::reduce) hold: the tensor begins at a multiple of the
    /// swizzle's period, and `stage` is one of its stages.
    #[inline(always)]
    pub unsafe fn copy<L: LayoutFn + Reflect>(
        map: *const TensorMap,
        at: (u32, u32),
        shared: &Tensor<Shared<T>, L>,
        stage: u32,
    ) {
        // SAFETY: the caller guarantees map, place and stage as `reduce` requires; the tensor has
        // the tile, as `base` checks.
        unsafe { Self::reduce(map, at, base::<Tile, T, L>(shared), stage) };
    }
}
impl<Tile: LayoutFn + Reflect, T: Element> Sm90_BULK_COPY<Tile, T> {
    /// The number of bytes of the tile. A tile that is not compact, or whose number of bytes is not
    /// a multiple of 16, does not compile.
    pub const BYTES: u32 = {
        require(bulk_copy(&Tile::VALUE, Tile::COSIZE as i64, T::Bits::I64));
        (Tile::SIZE * T::Bits::USIZE / 8) as u32
    };

    /// Starts the copy from global to shared memory, whose bytes are counted on `barrier`.
    ///
    /// # Safety
    /// The conditions of [`bulk_load`] hold with [`BYTES`](Self::BYTES) bytes.
    #[inline(always)]
    pub unsafe fn load(shared: u32, global: *const T, barrier: u32) {
        // SAFETY: `BYTES` is a multiple of 16; the caller guarantees places and barrier as
        // `bulk_load` requires.
        unsafe { bulk_load(shared, global.cast(), Self::BYTES, barrier) };
    }

    /// Starts the copy from shared to global memory, in the thread's open bulk group.
    ///
    /// # Safety
    /// The conditions of [`bulk_store`] hold with [`BYTES`](Self::BYTES) bytes.
    #[inline(always)]
    pub unsafe fn store(global: *mut T, shared: u32) {
        // SAFETY: `BYTES` is a multiple of 16; the caller guarantees both places as `bulk_store`
        // requires.
        unsafe { bulk_store(global.cast(), shared, Self::BYTES) };
    }
}
