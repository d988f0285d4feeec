//! `mbarrier`: a barrier in shared memory that counts threads and the bytes of asynchronous copies.
//!
//! ```text
//!   one 64-bit object     phase 0  pending 1, tx 0
//!     arrive.expect_tx    phase 0  pending 0, tx 16384      the copies take their bytes off tx
//!     last copy is done   phase 1  pending 1, tx 0          try_wait.parity 0 says 1 from here on
//! ```
//!
//! Law: a phase ends when no arrival is pending and no byte is expected; `mbarrier_try_wait(b, p)`
//! is 1 once the phase of parity `p` has ended. Only the current phase and the one before it can be
//! asked for, so a waiter keeps its own parity and turns it with each wait.
//!
//! Addresses are those of the block's shared window ([`mapa`](super::cluster_sm90::mapa) makes
//! those of another block of the cluster). The instructions of one thread that stand between
//! `.aligned` ones have forms with a predicate inside, `_if`: a branch around them is one into
//! whose arms LLVM may copy what follows.
//!
//! Source: PTX ISA, *Parallel Synchronization and Communication Instructions: mbarrier*, *membar /
//! fence*, *barrier*; CUTLASS `cutlass/arch/barrier.h`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

#[cfg(target_arch = "nvptx64")]
use super::intrinsics;
use super::{intrinsic, ptx};

/// The most arrivals that a phase of an `mbarrier` counts: 2^20 - 1.
///
/// Source: PTX ISA, *Contents of the mbarrier object*.
pub const MBARRIER_MAX_ARRIVALS: u32 = (1 << 20) - 1;

/// The bytes of an `mbarrier` object, which is aligned to as many.
pub const MBARRIER_BYTES: u32 = 8;

/// `mbarrier.init`: a barrier whose phases end after `arrivals` arrivals each.
///
/// Other threads may use it after [`fence_mbarrier_init`] and a barrier of the block, or of the
/// cluster where others arrive.
///
/// # Safety
/// `barrier` is a multiple of 8 and names 8 bytes of the block's shared memory that nobody else
/// touches until then; no barrier that is in use lies there. `arrivals` is from 1 to
/// [`MBARRIER_MAX_ARRIVALS`].
#[inline(always)]
pub unsafe fn mbarrier_init(barrier: u32, arrivals: u32) {
    // SAFETY: `barrier` names 8 aligned bytes of the block that nobody else uses, and `arrivals`
    // fits, by the caller's contract.
    unsafe {
        ptx!("mbarrier.init.shared::cta.b64 [{0}], {1};", in(reg32) barrier, in(reg32) arrivals, options(nostack, preserves_flags))
    };
}

/// `mbarrier.inval`: the barrier's 8 bytes are free for other uses.
///
/// # Safety
/// `barrier` names a barrier that is initialised, that nobody waits for and that nobody will arrive
/// on.
#[inline(always)]
pub unsafe fn mbarrier_inval(barrier: u32) {
    // SAFETY: `barrier` is initialised, and nobody waits for it or will arrive on it, by the
    // caller's contract.
    unsafe {
        ptx!("mbarrier.inval.shared::cta.b64 [{0}];", in(reg32) barrier, options(nostack, preserves_flags))
    };
}

/// `mbarrier.arrive`: one arrival on a barrier of the thread's own block, with release semantics in
/// the block.
///
/// # Safety
/// `barrier` names an initialised barrier of the block's whose current phase has an arrival
/// pending.
#[inline(always)]
pub unsafe fn mbarrier_arrive(barrier: u32) {
    // SAFETY: `barrier` is initialised, with an arrival pending, by the caller's contract.
    unsafe {
        ptx!("mbarrier.arrive.shared::cta.b64 _, [{0}];", in(reg32) barrier, options(nostack, preserves_flags))
    };
}

/// [`mbarrier_arrive`] where `predicate` is not 0.
///
/// # Safety
/// As of [`mbarrier_arrive`], where `predicate` is not 0.
#[inline(always)]
pub unsafe fn mbarrier_arrive_if(barrier: u32, predicate: u32) {
    // SAFETY: where `predicate` is not 0, `barrier` is initialised, with an arrival pending, by the
    // caller's contract.
    unsafe {
        ptx!("{{ .reg .pred p; setp.ne.b32 p, {1}, 0; @p mbarrier.arrive.shared::cta.b64 _, [{0}]; }}",
            in(reg32) barrier, in(reg32) predicate, options(nostack, preserves_flags))
    };
}

/// `mapa` and `mbarrier.arrive` on the barrier at the same offset in the block of rank `cta` of the
/// cluster, where `predicate` is not 0; release semantics in the cluster.
///
/// # Safety
/// Where `predicate` is not 0: `cta` is a rank of the cluster, `barrier` names an initialised
/// barrier in that block with an arrival pending, and the block has not left.
#[inline(always)]
pub unsafe fn mbarrier_arrive_remote_if(barrier: u32, cta: u32, predicate: u32) {
    // SAFETY: where `predicate` is not 0, the block `cta` is there with its barrier initialised, by
    // the caller's contract.
    unsafe {
        ptx!("{{ .reg .pred p; .reg .b32 r; setp.ne.b32 p, {2}, 0; @p mapa.shared::cluster.u32 r, {0}, {1}; @p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r]; }}",
            in(reg32) barrier, in(reg32) cta, in(reg32) predicate, options(nostack, preserves_flags))
    };
}

/// As [`mbarrier_arrive_remote_if`], with release semantics in the thread's own block alone: for a
/// consumer that frees what only asynchronous copies write. CUTLASS's
/// `ClusterBarrier::arrive(cta_id, pred)`.
///
/// The wider release is a `MEMBAR` of the whole GPU in each call: measured on an H200, a GEMM whose
/// consumers release their stages so runs at 0.7 of its speed.
///
/// # Safety
/// As of [`mbarrier_arrive_remote_if`]; nothing that the thread wrote is read by another block on
/// the strength of this arrival.
#[inline(always)]
pub unsafe fn mbarrier_arrive_cluster_if(barrier: u32, cta: u32, predicate: u32) {
    // SAFETY: where `predicate` is not 0, the block `cta` is there with its barrier initialised, by
    // the caller's contract.
    unsafe {
        ptx!("{{ .reg .pred p; .reg .b32 r; setp.ne.b32 p, {2}, 0; @p mapa.shared::cluster.u32 r, {0}, {1}; @p mbarrier.arrive.shared::cluster.b64 _, [r]; }}",
            in(reg32) barrier, in(reg32) cta, in(reg32) predicate, options(nostack, preserves_flags))
    };
}

/// `mbarrier.arrive.expect_tx`: expects `bytes` more of asynchronous copies in the current phase,
/// then arrives.
///
/// # Safety
/// As of [`mbarrier_arrive`]; the bytes expected in a phase are those that its copies complete, at
/// most 2^20 - 1.
#[inline(always)]
pub unsafe fn mbarrier_arrive_expect_tx(barrier: u32, bytes: u32) {
    // SAFETY: `barrier` is initialised, with an arrival pending, and copies complete `bytes`, by
    // the caller's contract.
    unsafe {
        ptx!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [{0}], {1};", in(reg32) barrier, in(reg32) bytes, options(nostack, preserves_flags))
    };
}

/// [`mbarrier_arrive_expect_tx`] where `predicate` is not 0.
///
/// # Safety
/// As of [`mbarrier_arrive_expect_tx`], where `predicate` is not 0.
#[inline(always)]
pub unsafe fn mbarrier_arrive_expect_tx_if(barrier: u32, bytes: u32, predicate: u32) {
    // SAFETY: where `predicate` is not 0, `barrier` is initialised, with an arrival pending, by the
    // caller's contract.
    unsafe {
        ptx!("{{ .reg .pred p; setp.ne.b32 p, {2}, 0; @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [{0}], {1}; }}",
            in(reg32) barrier, in(reg32) bytes, in(reg32) predicate, options(nostack, preserves_flags))
    };
}

/// `mbarrier.expect_tx`: expects `bytes` more in the current phase, without an arrival.
///
/// # Safety
/// As of [`mbarrier_arrive_expect_tx`].
#[inline(always)]
pub unsafe fn mbarrier_expect_tx(barrier: u32, bytes: u32) {
    // SAFETY: `barrier` is initialised, and copies complete `bytes` in its phase, by the caller's
    // contract.
    unsafe {
        ptx!("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{0}], {1};", in(reg32) barrier, in(reg32) bytes, options(nostack, preserves_flags))
    };
}

/// `mbarrier.try_wait.parity`: 1 when the phase of parity `parity` has ended, 0 when it has not
/// after a while that the hardware chooses. Acquire semantics in the block where it is 1.
///
/// # Safety
/// `barrier` names an initialised barrier of the block's, and `parity` (0 or 1) is that of its
/// current phase or of the one before it.
#[inline(always)]
#[must_use]
pub unsafe fn mbarrier_try_wait(barrier: u32, parity: u32) -> u32 {
    let done: u32;
    // SAFETY: `barrier` is initialised, and `parity` is its phase's or the one's before, by the
    // caller's contract.
    unsafe {
        ptx!("{{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [{1}], {2}; selp.b32 {0}, 1, 0, p; }}",
            out(reg32) done, in(reg32) barrier, in(reg32) parity, options(nostack, preserves_flags))
    };
    done
}

/// `mbarrier.test_wait.parity`: as [`mbarrier_try_wait`], without waiting.
///
/// # Safety
/// As of [`mbarrier_try_wait`].
#[inline(always)]
#[must_use]
pub unsafe fn mbarrier_test_wait(barrier: u32, parity: u32) -> u32 {
    let done: u32;
    // SAFETY: `barrier` is initialised, and `parity` is its phase's or the one's before, by the
    // caller's contract.
    unsafe {
        ptx!("{{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [{1}], {2}; selp.b32 {0}, 1, 0, p; }}",
            out(reg32) done, in(reg32) barrier, in(reg32) parity, options(nostack, preserves_flags))
    };
    done
}

/// Waits for the end of the phase of parity `parity`: [`mbarrier_try_wait`] until it is 1.
///
/// # Safety
/// As of [`mbarrier_try_wait`].
#[inline(always)]
pub unsafe fn mbarrier_wait(barrier: u32, parity: u32) {
    // SAFETY: the caller guarantees an initialised barrier whose current or preceding phase has
    // this parity; waiting changes neither.
    while unsafe { mbarrier_try_wait(barrier, parity) } == 0 {}
}

/// `fence.mbarrier_init.release.cluster`: the thread's `mbarrier.init` come before what it does
/// next, for the cluster and for asynchronous copies.
#[inline(always)]
pub fn fence_mbarrier_init() {
    // SAFETY: a fence touches no memory.
    unsafe {
        ptx!(
            "fence.mbarrier_init.release.cluster;",
            options(nostack, preserves_flags)
        )
    };
}

/// `fence.proxy.async.shared::cta`: the thread's plain accesses to shared memory come before the
/// asynchronous proxy's (`wgmma`, bulk copies) that follow. CUTLASS's `fence_view_async_shared`.
#[inline(always)]
pub fn fence_proxy_async_shared() {
    // SAFETY: a fence touches no memory.
    unsafe {
        ptx!(
            "fence.proxy.async.shared::cta;",
            options(nostack, preserves_flags)
        )
    };
}

/// `fence.proxy.async`: as [`fence_proxy_async_shared`], of global memory too.
#[inline(always)]
pub fn fence_proxy_async() {
    // SAFETY: a fence touches no memory.
    unsafe { ptx!("fence.proxy.async;", options(nostack, preserves_flags)) };
}

/// `barrier.sync.aligned`: waits until `threads` threads have come to the block's named barrier
/// `barrier`, by this or by [`named_barrier_arrive`]. CUTLASS's `NamedBarrier::sync`.
///
/// # Safety
/// The warp executes it together; `barrier` is below 16; `threads` is a multiple of 32, the same
/// for all that come.
#[inline(always)]
pub unsafe fn named_barrier_sync(barrier: u32, threads: u32) {
    // SAFETY: the warp is together, and `barrier` and `threads` name a barrier of the block, by the
    // caller's contract.
    unsafe { intrinsic!(intrinsics::barrier_sync_count(barrier, threads)) };
}

/// `barrier.arrive.aligned`: comes to the block's named barrier and does not wait. CUTLASS's
/// `NamedBarrier::arrive`.
///
/// # Safety
/// As of [`named_barrier_sync`].
#[inline(always)]
pub unsafe fn named_barrier_arrive(barrier: u32, threads: u32) {
    // SAFETY: the warp is together, and `barrier` and `threads` name a barrier of the block, by the
    // caller's contract.
    unsafe { intrinsic!(intrinsics::barrier_arrive_count(barrier, threads)) };
}
