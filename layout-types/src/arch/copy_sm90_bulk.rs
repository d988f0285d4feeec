//! `cp.async.bulk`: one thread has contiguous bytes copied between global and shared memory; and the groups that stores are
//! waited for in.
//!
//! ```text
//!   global ── load ──► shared, counted on an mbarrier
//!   shared ── store ─┤ shared ── store ─┤ commit    wait_group_read N: all but the newest N groups have been read
//!                                                  wait_group N: all but the newest N are done
//! ```
//!
//! Law: addresses and sizes are multiples of 16 bytes. A load's bytes come off the barrier's expected bytes when they are there.
//!
//! Source: PTX ISA, *Data Movement and Conversion Instructions: cp.async.bulk, cp.reduce.async.bulk, cp.async.bulk.prefetch,
//! cp.async.bulk.commit_group, cp.async.bulk.wait_group*; CuTe `cute/arch/copy_sm90_tma.hpp`, `SM90_BULK_COPY_G2S` and its
//! neighbours.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

/// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`: `bytes` from `global` to `shared`. CuTe's
/// `SM90_BULK_COPY_G2S`.
///
/// # Safety
/// `shared`, `global` and `bytes` are multiples of 16; so many bytes at `global` are readable global memory that nobody writes
/// meanwhile, and at `shared` shared memory of the block that nobody touches until the phase has ended; `barrier` names an
/// initialised `mbarrier` of the block's.
#[inline(always)]
pub unsafe fn bulk_load(shared: u32, global: *const u8, bytes: u32, barrier: u32) {
    // SAFETY: source and destination are aligned, there and untouched, and `barrier` is initialised, by the caller's contract.
    unsafe {
        ptx!("{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{0}], [g], {2}, [{3}]; }}",
            in(reg32) shared, in(reg64) global, in(reg32) bytes, in(reg32) barrier, options(nostack, preserves_flags))
    };
}

/// [`bulk_load`] into every block of the cluster whose bit of `blocks` is set, there at the same offset and counted on the
/// barrier at the same offset.
///
/// # Safety
/// As of [`bulk_load`], in each of these blocks; all of them are in the cluster, and have not left.
#[inline(always)]
pub unsafe fn bulk_load_multicast(
    shared: u32,
    global: *const u8,
    bytes: u32,
    barrier: u32,
    blocks: u16,
) {
    // SAFETY: as of `bulk_load`, in every block of `blocks`, by the caller's contract.
    unsafe {
        ptx!("{{ .reg .u64 g; cvta.to.global.u64 g, {1}; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{0}], [g], {2}, [{3}], {4}; }}",
            in(reg32) shared, in(reg64) global, in(reg32) bytes, in(reg32) barrier, in(reg16) blocks, options(nostack, preserves_flags))
    };
}

/// `cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes`: `bytes` of the block's shared memory to another
/// block of the cluster.
///
/// # Safety
/// `to` and `barrier` are addresses in the cluster's shared window, of one block, that [`mapa`](super::cluster_sm90::mapa) made;
/// `to`, `from` and `bytes` are multiples of 16; the bytes at `from` are written, with
/// [`fence_proxy_async_shared`](super::barrier::fence_proxy_async_shared) since, and nobody touches those at `to`, nor writes
/// those at `from`, until the phase has ended.
#[inline(always)]
pub unsafe fn bulk_copy_to_cluster(to: u32, from: u32, bytes: u32, barrier: u32) {
    // SAFETY: both places are of the cluster, aligned, written and fenced, and untouched meanwhile, by the caller's contract.
    unsafe {
        ptx!("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [{0}], [{1}], {2}, [{3}];",
            in(reg32) to, in(reg32) from, in(reg32) bytes, in(reg32) barrier, options(nostack, preserves_flags))
    };
}

/// `cp.async.bulk.global.shared::cta.bulk_group`: `bytes` from `shared` to `global`, in the thread's open bulk group. CuTe's
/// `SM90_BULK_COPY_S2G`.
///
/// # Safety
/// `shared`, `global` and `bytes` are multiples of 16; the bytes at `shared` are written, with
/// [`fence_proxy_async_shared`](super::barrier::fence_proxy_async_shared) and a barrier since, and nobody writes them until the
/// group has been read; so many bytes at `global` are writable global memory that nobody else touches until the group has ended.
#[inline(always)]
pub unsafe fn bulk_store(global: *mut u8, shared: u32, bytes: u32) {
    // SAFETY: the bytes at `shared` are written and fenced, those at `global` writable and nobody else's, by the caller's contract.
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
        /// As of [`bulk_store`]; others may add to the same elements at once.
        #[inline(always)]
        pub unsafe fn $name(global: *mut u8, shared: u32, bytes: u32) {
            // SAFETY: as of `bulk_store`, by the caller's contract; additions of others may come in between.
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

/// `cp.async.bulk.prefetch.L2.global`: `bytes` at `global` to L2.
///
/// # Safety
/// `global` and `bytes` are multiples of 16, and so many bytes there are readable global memory.
#[inline(always)]
pub unsafe fn bulk_prefetch(global: *const u8, bytes: u32) {
    // SAFETY: `bytes` at `global` are readable, and both multiples of 16, by the caller's contract.
    unsafe {
        ptx!("{{ .reg .u64 g; cvta.to.global.u64 g, {0}; cp.async.bulk.prefetch.L2.global [g], {1}; }}",
            in(reg64) global, in(reg32) bytes, options(nostack, preserves_flags))
    };
}

/// `cp.async.bulk.commit_group`: closes a group of this thread's stores and reductions (an empty one too). CuTe's
/// `tma_store_arrive`.
#[inline(always)]
pub fn tma_store_arrive() {
    // SAFETY: no operands; it only closes the group.
    unsafe {
        ptx!(
            "cp.async.bulk.commit_group;",
            options(nostack, preserves_flags)
        )
    };
}

/// `cp.async.bulk.wait_group.read N`: waits until all but this thread's newest `N` groups have read their shared memory. CuTe's
/// `tma_store_wait<N>`.
#[inline(always)]
pub fn tma_store_wait<const N: u32>() {
    // SAFETY: no operands; waiting is always allowed.
    unsafe {
        ptx!("cp.async.bulk.wait_group.read {0};", const N, options(nostack, preserves_flags))
    };
}

/// `cp.async.bulk.wait_group N`: waits until all but this thread's newest `N` groups are done, their global memory written.
#[inline(always)]
pub fn tma_store_wait_done<const N: u32>() {
    // SAFETY: no operands; waiting is always allowed.
    unsafe { ptx!("cp.async.bulk.wait_group {0};", const N, options(nostack, preserves_flags)) };
}
