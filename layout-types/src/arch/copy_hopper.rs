//! Copies of Hopper: the modules of `copy_sm90.hpp`, bulk copies, and the tensor memory
//! accelerator.
//!
//! ```text
//!   stmatrix   registers ─► shared      cp.async.bulk   bytes, global ⇄ shared      cp.async.bulk.tensor   boxes, global ⇄ shared
//! ```

pub mod copy_sm90 {
    //! `stmatrix`: a warp writes `mma` fragments to shared memory as 8×8 matrices of 16-bit
    //! elements.
    //!
    //! ```text
    //!   lane l gives the address of row l%8 of matrix l/8      lane l gives, of each matrix,
    //!   ┌──────────── 16 bytes ────────────┐                   row l/4, columns 2(l%4) and 2(l%4)+1
    //! ```
    //!
    //! Law: `x4` is four `x1`, where lanes `8i..8i+8` address matrix `i`. After a barrier,
    //! `ldmatrix` of the same form returns to every lane the registers that the lane stored.
    //!
    //! Source: PTX ISA, *Warp-level matrix store instruction: stmatrix*; CuTe
    //! `SM90_U32x{1,2,4}_STSM_N` and `SM90_U16x{2,4,8}_STSM_T`.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(
            unreachable_code,
            unused_unsafe,
            unused_variables,
            clippy::extra_unused_type_parameters
        )
    )]

    use crate::arch::copy::{SmemSwizzle, smem_ptx};
    use crate::arch::ptx;

    macro_rules! stmatrix {
        ($(#[$doc:meta])* $name:ident, $swizzled:ident, $count:literal, $ptx:literal, $($i:literal),+) => {
            $(#[$doc])*
            ///
            /// # Safety
            /// All 32 lanes of the warp execute it together, on sm_90 or newer. Every address that
            /// the instruction uses is 16-byte aligned and names 16 bytes of the block's shared
            /// memory that no other thread accesses before the next barrier.
            #[inline(always)]
            pub unsafe fn $name(address: u32, registers: [u32; $count]) {
                // SAFETY: the caller guarantees that the whole warp executes this, and that each
                // row is 16 aligned bytes of the block's shared memory that no other thread
                // accesses.
                unsafe { ptx!($ptx, in(reg32) address, $(in(reg32) registers[$i],)+ options(nostack, preserves_flags)) };
            }

            /// Executes the same instruction for a tensor with the swizzle `W`.
            ///
            /// # Safety
            /// The conditions of the access without a swizzle hold.
            #[inline(always)]
            pub(crate) unsafe fn $swizzled<W: SmemSwizzle>(address: u32, registers: [u32; $count]) {
                // SAFETY: the caller guarantees that all 32 lanes execute this, and that each row
                // is 16 aligned bytes of the block's shared memory that no other thread accesses.
                unsafe { smem_ptx!(W, $ptx, [in(reg32) address, $(in(reg32) registers[$i],)+], options(nostack, preserves_flags)) };
            }
        };
    }

    stmatrix!(
        /// Stores one matrix: `stmatrix.sync.aligned.m8n8.x1.shared.b16`, CuTe's
        /// `SM90_U32x1_STSM_N`. Lanes 0 to 7 give addresses.
        stmatrix_x1, stmatrix_x1_of, 1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [{0}], {{{1}}};", 0);
    stmatrix!(
        /// Stores two matrices: `stmatrix.sync.aligned.m8n8.x2.shared.b16`, CuTe's
        /// `SM90_U32x2_STSM_N`. Lanes 0 to 15 give addresses.
        stmatrix_x2, stmatrix_x2_of, 2, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [{0}], {{{1}, {2}}};", 0, 1);
    stmatrix!(
        /// Stores four matrices: `stmatrix.sync.aligned.m8n8.x4.shared.b16`, CuTe's
        /// `SM90_U32x4_STSM_N`. All lanes give addresses.
        stmatrix_x4, stmatrix_x4_of, 4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [{0}], {{{1}, {2}, {3}, {4}}};", 0, 1, 2, 3);
    stmatrix!(
        /// Stores one matrix transposed: `stmatrix.sync.aligned.m8n8.x1.trans.shared.b16`, CuTe's
        /// `SM90_U16x2_STSM_T`.
        stmatrix_x1_trans, stmatrix_x1_trans_of, 1, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [{0}], {{{1}}};", 0);
    stmatrix!(
        /// Stores two matrices transposed: `stmatrix.sync.aligned.m8n8.x2.trans.shared.b16`, CuTe's
        /// `SM90_U16x4_STSM_T`.
        stmatrix_x2_trans, stmatrix_x2_trans_of, 2, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [{0}], {{{1}, {2}}};", 0, 1);
    stmatrix!(
        /// Stores four matrices transposed: `stmatrix.sync.aligned.m8n8.x4.trans.shared.b16`,
        /// CuTe's `SM90_U16x8_STSM_T`.
        stmatrix_x4_trans, stmatrix_x4_trans_of, 4, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [{0}], {{{1}, {2}, {3}, {4}}};", 0, 1, 2, 3);
}

pub mod copy_sm90_bulk {
    //! `cp.async.bulk`: one thread starts the copy of contiguous bytes between global and shared
    //! memory. Stores belong to groups that the thread waits for.
    //!
    //! ```text
    //!   global ── load ──► shared, counted on an mbarrier
    //!   shared ── store ─┤ shared ── store ─┤ commit    wait_group_read N: all but the newest N groups have been read
    //!                                                  wait_group N: all but the newest N are done
    //! ```
    //!
    //! Law: addresses and sizes are multiples of 16 bytes. When the bytes of a load have arrived,
    //! they are subtracted from the bytes that the barrier expects.
    //!
    //! Source: PTX ISA, *Data Movement and Conversion Instructions: cp.async.bulk,
    //! cp.reduce.async.bulk, cp.async.bulk.prefetch, cp.async.bulk.commit_group,
    //! cp.async.bulk.wait_group*; CuTe `cute/arch/copy_sm90_tma.hpp`, `SM90_BULK_COPY_G2S` and its
    //! neighbours.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(
            unreachable_code,
            unused_unsafe,
            unused_variables,
            clippy::extra_unused_type_parameters
        )
    )]

    use crate::arch::ptx;

    /// Copies `bytes` bytes from `global` to `shared`, with
    /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`. CuTe's
    /// `SM90_BULK_COPY_G2S`.
    ///
    /// # Safety
    /// `shared`, `global` and `bytes` are multiples of 16. The `bytes` bytes at `global` are
    /// readable global memory that no thread writes meanwhile. The `bytes` bytes at `shared` are
    /// shared memory of the block that no thread accesses until the phase has ended. `barrier`
    /// names an initialised `mbarrier` of the block.
    #[inline(always)]
    pub unsafe fn bulk_load(shared: u32, global: *const u8, bytes: u32, barrier: u32) {
        // SAFETY: the caller guarantees that source and destination are aligned, exist and are not
        // accessed meanwhile, and that `barrier` is initialised.
        unsafe {
            ptx!("{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{0}], [g], {2}, [{3}]; }}",
                in(reg32) shared, in(reg64) global, in(reg32) bytes, in(reg32) barrier, options(nostack, preserves_flags))
        };
    }

    /// Executes [`bulk_load`] into every block of the cluster whose bit of `blocks` is set. The
    /// bytes arrive at the same offset in each block and count on the barrier at the same offset.
    ///
    /// # Safety
    /// The conditions of [`bulk_load`] hold in each of these blocks. All of them are in the
    /// cluster, and have not exited.
    #[inline(always)]
    pub unsafe fn bulk_load_multicast(
        shared: u32,
        global: *const u8,
        bytes: u32,
        barrier: u32,
        blocks: u16,
    ) {
        // SAFETY: the caller guarantees, for every block of `blocks`, that it is in the cluster and
        // has not exited, that source and destination are aligned, exist and are not accessed
        // meanwhile, and that `barrier` is initialised.
        unsafe {
            ptx!("{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{0}], [g], {2}, [{3}], {4}; }}",
                in(reg32) shared, in(reg64) global, in(reg32) bytes, in(reg32) barrier, in(reg16) blocks, options(nostack, preserves_flags))
        };
    }

    /// Copies `bytes` bytes of the block's shared memory to another block of the cluster, with
    /// `cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes`.
    ///
    /// # Safety
    /// `to` and `barrier` are addresses in the cluster's shared window, of one block, that
    /// [`mapa`](super::super::cluster_sm90::mapa) computed; `to`, `from` and `bytes` are multiples
    /// of 16. The bytes at `from` are written, and a
    /// [`fence_proxy_async_shared`](super::super::barrier::fence_proxy_async_shared) followed.
    /// Until the phase has ended, no thread accesses the bytes at `to` or writes those at `from`.
    #[inline(always)]
    pub unsafe fn bulk_copy_to_cluster(to: u32, from: u32, bytes: u32, barrier: u32) {
        // SAFETY: the caller guarantees that both places are in the cluster and aligned, that the
        // source is written and fenced, and that no thread accesses them meanwhile.
        unsafe {
            ptx!("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{0}], [{1}], {2}, [{3}];",
                in(reg32) to, in(reg32) from, in(reg32) bytes, in(reg32) barrier, options(nostack, preserves_flags))
        };
    }

    /// Copies `bytes` bytes from `shared` to `global` in the thread's open bulk group, with
    /// `cp.async.bulk.global.shared::cta.bulk_group`. CuTe's `SM90_BULK_COPY_S2G`.
    ///
    /// # Safety
    /// `shared`, `global` and `bytes` are multiples of 16. The bytes at `shared` are written, a
    /// [`fence_proxy_async_shared`](super::super::barrier::fence_proxy_async_shared) and a barrier
    /// followed, and no thread writes them until the group has been read. The `bytes` bytes at
    /// `global` are writable global memory that no other thread accesses until the group has ended.
    #[inline(always)]
    pub unsafe fn bulk_store(global: *mut u8, shared: u32, bytes: u32) {
        // SAFETY: the caller guarantees that the bytes at `shared` are written and fenced, and that
        // those at `global` are writable and not accessed by others.
        unsafe {
            ptx!("{{ .reg .u64 g; cvta.to.global.u64 g, {0}; cp.async.bulk.global.shared::cta.bulk_group [g], [{1}], {2}; }}",
                in(reg64) global, in(reg32) shared, in(reg32) bytes, options(nostack, preserves_flags))
        };
    }

    macro_rules! bulk_reduce {
        ($($name:ident $suffix:literal $what:literal)+) => {$(
            #[doc = concat!("`cp.reduce.async.bulk.global.shared::cta.bulk_group", $suffix, "`: adds the ", $what, " at `shared` to those at `global`.")]
            ///
            /// # Safety
            /// The conditions of [`bulk_store`] hold, except that other threads may add to the same
            /// elements at the same time.
            #[inline(always)]
            pub unsafe fn $name(global: *mut u8, shared: u32, bytes: u32) {
                // SAFETY: the caller guarantees that the bytes at `shared` are written and fenced
                // and that those at `global` are writable; additions of other threads may come in
                // between.
                unsafe {
                    ptx!(concat!("{{ .reg .u64 g; cvta.to.global.u64 g, {0}; cp.reduce.async.bulk.global.shared::cta.bulk_group", $suffix, " [g], [{1}], {2}; }}"),
                        in(reg64) global, in(reg32) shared, in(reg32) bytes, options(nostack, preserves_flags))
                };
            }
        )+};
    }
    bulk_reduce! {
        bulk_reduce_add_f32 ".add.f32" "f32"
        bulk_reduce_add_f64 ".add.f64" "f64"
        bulk_reduce_add_f16 ".add.noftz.f16" "f16"
        bulk_reduce_add_bf16 ".add.noftz.bf16" "bf16"
        bulk_reduce_add_u32 ".add.u32" "u32"
        bulk_reduce_add_s32 ".add.s32" "i32"
        bulk_reduce_add_u64 ".add.u64" "u64"
    }

    /// Fetches `bytes` bytes at `global` into L2, with `cp.async.bulk.prefetch.L2.global`.
    ///
    /// # Safety
    /// `global` and `bytes` are multiples of 16, and the `bytes` bytes at `global` are readable
    /// global memory.
    #[inline(always)]
    pub unsafe fn bulk_prefetch(global: *const u8, bytes: u32) {
        // SAFETY: the caller guarantees that `bytes` bytes at `global` are readable, and that both
        // are multiples of 16.
        unsafe {
            ptx!("{{ .reg .u64 g; cvta.to.global.u64 g, {0}; cp.async.bulk.prefetch.L2.global [g], {1}; }}",
                in(reg64) global, in(reg32) bytes, options(nostack, preserves_flags))
        };
    }

    /// Closes a group of this thread's stores and reductions (an empty one too), with
    /// `cp.async.bulk.commit_group`. CuTe's `tma_store_arrive`.
    #[inline(always)]
    pub fn tma_store_arrive() {
        // SAFETY: the instruction has no operands; it only closes the group.
        unsafe {
            ptx!(
                "cp.async.bulk.commit_group;",
                options(nostack, preserves_flags)
            )
        };
    }

    /// Waits until all but this thread's newest `N` groups have read their shared memory, with
    /// `cp.async.bulk.wait_group.read N`. CuTe's `tma_store_wait<N>`.
    #[inline(always)]
    pub fn tma_store_wait<const N: u32>() {
        // SAFETY: the instruction has no operands; a thread may wait at any time.
        unsafe {
            ptx!("cp.async.bulk.wait_group.read {0};", const N, options(nostack, preserves_flags))
        };
    }

    /// Waits until all but this thread's newest `N` groups are complete, with their global memory
    /// written: `cp.async.bulk.wait_group N`.
    #[inline(always)]
    pub fn tma_store_wait_done<const N: u32>() {
        // SAFETY: the instruction has no operands; a thread may wait at any time.
        unsafe {
            ptx!("cp.async.bulk.wait_group {0};", const N, options(nostack, preserves_flags))
        };
    }
}

pub mod copy_sm90_tma {
    //! `cp.async.bulk.tensor`: one thread starts the copy of a box of a tensor between global and
    //! shared memory.
    //!
    //! ```text
    //!   tensor map: address, extents, strides, box, swizzle           coordinate (k, m) of the box's first element
    //!     global ── load ──► shared, bytes counted on an mbarrier     shared ── store, reduce ──► global, in bulk groups
    //! ```
    //!
    //! Law: a load writes the bytes of the whole box, permuted by the map's swizzle, and subtracts
    //! all of them from the bytes that the barrier expects. Elements outside the tensor read as
    //! zero and are included. A store writes the elements inside the tensor. The coordinate's first
    //! component is along the contiguous dimension. Measured on an H200: if a row's bytes inside
    //! the tensor are not a multiple of 16, a store or a reduction writes the row's last 16 bytes
    //! whole, over the bytes that follow the row. A first component that is not a multiple of 16
    //! bytes, or that is negative in a store, is an illegal instruction (error 715).
    //!
    //! Source: PTX ISA, *Data Movement and Conversion Instructions: cp.async.bulk.tensor,
    //! cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor, prefetch*; CuTe
    //! `cute/arch/copy_sm90_tma.hpp`.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(
            unreachable_code,
            unused_unsafe,
            unused_variables,
            clippy::extra_unused_type_parameters
        )
    )]

    use crate::arch::ptx;

    /// A tensor map, CUDA's `CUtensorMap` and CuTe's `TmaDescriptor`: 128 opaque bytes that the
    /// driver encodes.
    ///
    /// A kernel takes the map as a grid constant, `#[grid_constant] map: &TensorMap` with
    /// `#[kernel]` of `cuda_std`. This passes the map by value and aligns it to 64 bytes, as the
    /// instructions require.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C, align(16))]
    pub struct TensorMap(pub [u64; 16]);

    /// Fetches the map into a cache, with `prefetch.tensormap`.
    ///
    /// # Safety
    /// `map` is a tensor map, 64-byte aligned, in parameter, constant or global memory.
    #[inline(always)]
    pub unsafe fn prefetch_tma_descriptor(map: *const TensorMap) {
        // SAFETY: the caller guarantees that `map` is an aligned tensor map in memory from which
        // the instruction can read.
        unsafe {
            ptx!("prefetch.tensormap [{0}];", in(reg64) map, options(nostack, preserves_flags))
        };
    }

    macro_rules! dimensions {
        ($($d:literal: $($i:literal)+, $c:literal, $load:ident $multicast:ident $store:ident $prefetch:ident;)+) => {$(
            #[doc = concat!("`cp.async.bulk.tensor.", $d, "d.shared::cluster.global.mbarrier::complete_tx::bytes`: the box at `coordinate` to")]
            #[doc = concat!("`shared`, its bytes counted on `barrier`. CuTe's `SM90_TMA_LOAD_", $d, "D`.")]
            ///
            /// # Safety
            #[doc = concat!("`map` is a tensor map of ", $d, " dimensions, 64-byte aligned, in parameter, constant or global memory, of a tensor that nobody")]
            /// writes meanwhile. `shared` is 128-byte aligned (with a swizzle, aligned to the
            /// swizzle's period) and names memory for the box that no thread accesses until the
            /// phase has ended. `barrier` names an initialised `mbarrier` of the block.
            #[inline(always)]
            pub unsafe fn $load(shared: u32, map: *const TensorMap, coordinate: [i32; $d], barrier: u32) {
                // SAFETY: the caller guarantees that `map` is a tensor map, that `shared` is
                // aligned memory for the box, and that `barrier` is initialised.
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
                // SAFETY: the caller guarantees, for every block of `blocks`, that it is in the
                // cluster and has not exited, that `map` is a tensor map, that `shared` is aligned
                // memory for the box, and that `barrier` is initialised.
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
            /// no other thread accesses until the group has ended. `shared` is aligned as for a
            /// load and names the box. The box is written, a
            /// [`fence_proxy_async_shared`](super::super::barrier::fence_proxy_async_shared) and a
            /// barrier followed, and no thread writes it until the group has been read.
            #[inline(always)]
            pub unsafe fn $store(map: *const TensorMap, coordinate: [i32; $d], shared: u32) {
                // SAFETY: the caller guarantees that `map` is a tensor map, and that the box at
                // `shared` is written and fenced.
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
                // SAFETY: the caller guarantees that `map` is a tensor map of readable memory.
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

    /// The operation that [`tma_reduce_1d`] and its siblings apply to an element of global memory
    /// and an element of shared memory.
    ///
    /// Source: PTX ISA, *cp.reduce.async.bulk.tensor*, `.redOp`.
    pub trait TmaReduction {
        /// The operation's number in the order of the PTX ISA.
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
                        // SAFETY: the caller guarantees that `map` is a tensor map, and that the
                        // box at `shared` is written and fenced.
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
}
