//! `cp.async.bulk.tensor`: one thread has a box of a tensor copied between global and shared memory.
//!
//! ```text
//!   tensor map: address, extents, strides, box, swizzle           coordinate (k, m) of the box's first element
//!     global ── load ──► shared, bytes counted on an mbarrier     shared ── store, reduce ──► global, in bulk groups
//! ```
//!
//! Law: a load writes the box's bytes, as the map's swizzle has them, and takes them off the barrier's expected bytes: all of
//! the box's, elements outside the tensor (which read as zero) among them. A store writes the elements inside the tensor. The
//! coordinate's first component is along the contiguous dimension. Measured on an H200: where a row's bytes inside the tensor are
//! no multiple of 16, a store or a reduction writes its last 16 bytes whole, over what lies behind the row; a first component
//! that is no multiple of 16 bytes, or negative in a store, is an illegal instruction (error 715).
//!
//! Source: PTX ISA, *Data Movement and Conversion Instructions: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor,
//! cp.async.bulk.prefetch.tensor, prefetch*; CuTe `cute/arch/copy_sm90_tma.hpp`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

/// A tensor map, CUDA's `CUtensorMap` and CuTe's `TmaDescriptor`: 128 opaque bytes that the driver encodes.
///
/// A kernel takes it as a grid constant, `#[grid_constant] map: &TensorMap` with `#[kernel]` of `cuda_std`, which passes it by
/// value and aligns it to 64 bytes, as the instructions ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct TensorMap(pub [u64; 16]);

/// `prefetch.tensormap`: brings the map near.
///
/// # Safety
/// `map` is a tensor map, 64-byte aligned, in parameter, constant or global memory.
#[inline(always)]
pub unsafe fn prefetch_tma_descriptor(map: *const TensorMap) {
    // SAFETY: `map` is an aligned tensor map where the instruction reads one, by the caller's contract.
    unsafe { ptx!("prefetch.tensormap [{0}];", in(reg64) map, options(nostack, preserves_flags)) };
}

macro_rules! dimensions {
    ($($d:literal: $($i:literal)+, $c:literal, $load:ident $multicast:ident $store:ident $prefetch:ident;)+) => {$(
        #[doc = concat!("`cp.async.bulk.tensor.", $d, "d.shared::cluster.global.mbarrier::complete_tx::bytes`: the box at `coordinate` to")]
        #[doc = concat!("`shared`, its bytes counted on `barrier`. CuTe's `SM90_TMA_LOAD_", $d, "D`.")]
        ///
        /// # Safety
        #[doc = concat!("`map` is a tensor map of ", $d, " dimensions, 64-byte aligned, in parameter, constant or global memory, of a tensor that nobody")]
        /// writes meanwhile. `shared` is 128-byte aligned (with a swizzle to the swizzle's period) and names room for the box,
        /// which nobody touches until the phase has ended. `barrier` names an initialised `mbarrier` of the block's.
        #[inline(always)]
        pub unsafe fn $load(shared: u32, map: *const TensorMap, coordinate: [i32; $d], barrier: u32) {
            // SAFETY: `map` is a tensor map, `shared` the box's aligned room, and `barrier` initialised, by the caller's contract.
            unsafe {
                ptx!(concat!("cp.async.bulk.tensor.", $d, "d.shared::cluster.global.mbarrier::complete_tx::bytes [{s}], [{m}, {{", $c, "}}], [{b}];"),
                    $(in(reg32) coordinate[$i],)+ s = in(reg32) shared, m = in(reg64) map, b = in(reg32) barrier, options(nostack, preserves_flags))
            };
        }

        #[doc = concat!("[`", stringify!($load), "`] into every block of the cluster whose bit of `blocks` is set, there at the same offset and")]
        #[doc = concat!("counted on the barrier at the same offset. CuTe's `SM90_TMA_LOAD_MULTICAST_", $d, "D`.")]
        ///
        /// # Safety
        #[doc = concat!("As of [`", stringify!($load), "`], in each of these blocks; all of them are in the cluster, and have not left.")]
        #[inline(always)]
        pub unsafe fn $multicast(shared: u32, map: *const TensorMap, coordinate: [i32; $d], barrier: u32, blocks: u16) {
            // SAFETY: as of the load, in every block of `blocks`, by the caller's contract.
            unsafe {
                ptx!(concat!("cp.async.bulk.tensor.", $d, "d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{s}], [{m}, {{", $c, "}}], [{b}], {x};"),
                    $(in(reg32) coordinate[$i],)+ s = in(reg32) shared, m = in(reg64) map, b = in(reg32) barrier, x = in(reg16) blocks,
                    options(nostack, preserves_flags))
            };
        }

        #[doc = concat!("`cp.async.bulk.tensor.", $d, "d.global.shared::cta.bulk_group`: the box at `shared` to `coordinate`, in the thread's")]
        #[doc = concat!("open bulk group. CuTe's `SM90_TMA_STORE_", $d, "D`.")]
        ///
        /// # Safety
        #[doc = concat!("`map` is a tensor map of ", $d, " dimensions, 64-byte aligned, in parameter, constant or global memory, of a tensor whose part")]
        /// nobody else touches until the group has ended. `shared` is aligned as for a load and names the box, which is written,
        /// with [`fence_proxy_async_shared`](super::barrier::fence_proxy_async_shared) and a barrier since, and which nobody
        /// writes until the group has been read.
        #[inline(always)]
        pub unsafe fn $store(map: *const TensorMap, coordinate: [i32; $d], shared: u32) {
            // SAFETY: `map` is a tensor map, and the box at `shared` written and fenced, by the caller's contract.
            unsafe {
                ptx!(concat!("cp.async.bulk.tensor.", $d, "d.global.shared::cta.bulk_group [{m}, {{", $c, "}}], [{s}];"),
                    $(in(reg32) coordinate[$i],)+ s = in(reg32) shared, m = in(reg64) map, options(nostack, preserves_flags))
            };
        }

        #[doc = concat!("`cp.async.bulk.prefetch.tensor.", $d, "d.L2.global`: the box at `coordinate` to L2. CuTe's `SM90_TMA_LOAD_", $d, "D::PREFETCH`.")]
        ///
        /// # Safety
        #[doc = concat!("As of [`", stringify!($load), "`], of the map.")]
        #[inline(always)]
        pub unsafe fn $prefetch(map: *const TensorMap, coordinate: [i32; $d]) {
            // SAFETY: `map` is a tensor map of memory that is readable, by the caller's contract.
            unsafe {
                ptx!(concat!("cp.async.bulk.prefetch.tensor.", $d, "d.L2.global [{m}, {{", $c, "}}];"),
                    $(in(reg32) coordinate[$i],)+ m = in(reg64) map, options(nostack, preserves_flags))
            };
        }
    )+};
}
dimensions! {
    1: 0, "{0}", tma_load_1d tma_load_multicast_1d tma_store_1d tma_prefetch_1d;
    2: 0 1, "{0}, {1}", tma_load_2d tma_load_multicast_2d tma_store_2d tma_prefetch_2d;
    3: 0 1 2, "{0}, {1}, {2}", tma_load_3d tma_load_multicast_3d tma_store_3d tma_prefetch_3d;
    4: 0 1 2 3, "{0}, {1}, {2}, {3}", tma_load_4d tma_load_multicast_4d tma_store_4d tma_prefetch_4d;
    5: 0 1 2 3 4, "{0}, {1}, {2}, {3}, {4}", tma_load_5d tma_load_multicast_5d tma_store_5d tma_prefetch_5d;
}

/// What [`tma_reduce_1d`] and its neighbours do to an element of global memory with one of shared memory.
///
/// Source: PTX ISA, *cp.reduce.async.bulk.tensor*, `.redOp`.
pub trait TmaReduction {
    /// Its number in the order of the PTX ISA.
    const NUMBER: u32;
}
macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $number:literal)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;
        impl TmaReduction for $name {
            const NUMBER: u32 = $number;
        }
    )+};
}
reductions! {
    /// `.add`, of integers and floats.
    ReduceAdd 0
    /// `.min`, of integers, f16 and bf16.
    ReduceMin 1
    /// `.max`, of integers, f16 and bf16.
    ReduceMax 2
    /// `.inc`: `old >= new ? 0 : old + 1`, of u32.
    ReduceInc 3
    /// `.dec`: `old == 0 || old > new ? new : old - 1`, of u32.
    ReduceDec 4
    /// `.and`, of bits.
    ReduceAnd 5
    /// `.or`, of bits.
    ReduceOr 6
    /// `.xor`, of bits.
    ReduceXor 7
}

macro_rules! reduce {
    ($($d:literal: $($i:literal)+, $c:literal, $reduce:ident $store:ident;)+) => {$(
        #[doc = concat!("`cp.reduce.async.bulk.tensor.", $d, "d.global.shared::cta.bulk_group`: [`", stringify!($store), "`] that does `Op` to what is there.")]
        #[doc = concat!("CuTe's `SM90_TMA_REDUCE_ADD_", $d, "D` with [`ReduceAdd`].")]
        ///
        /// # Safety
        #[doc = concat!("As of [`", stringify!($store), "`]; others may reduce into the same elements at once. The map's element type has `Op`.")]
        #[inline(always)]
        pub unsafe fn $reduce<Op: TmaReduction>(map: *const TensorMap, coordinate: [i32; $d], shared: u32) {
            macro_rules! issue {
                ($op:literal) => {
                    // SAFETY: `map` is a tensor map, and the box at `shared` written and fenced, by the caller's contract.
                    unsafe {
                        ptx!(concat!("cp.reduce.async.bulk.tensor.", $d, "d.global.shared::cta.", $op, ".bulk_group [{m}, {{", $c, "}}], [{s}];"),
                            $(in(reg32) coordinate[$i],)+ s = in(reg32) shared, m = in(reg64) map, options(nostack, preserves_flags))
                    }
                };
            }
            match Op::NUMBER {
                0 => issue!("add"),
                1 => issue!("min"),
                2 => issue!("max"),
                3 => issue!("inc"),
                4 => issue!("dec"),
                5 => issue!("and"),
                6 => issue!("or"),
                _ => issue!("xor"),
            }
        }
    )+};
}
reduce! {
    1: 0, "{0}", tma_reduce_1d tma_store_1d;
    2: 0 1, "{0}, {1}", tma_reduce_2d tma_store_2d;
    3: 0 1 2, "{0}, {1}, {2}", tma_reduce_3d tma_store_3d;
    4: 0 1 2 3, "{0}, {1}, {2}, {3}", tma_reduce_4d tma_store_4d;
    5: 0 1 2 3 4, "{0}, {1}, {2}, {3}, {4}", tma_reduce_5d tma_store_5d;
}
