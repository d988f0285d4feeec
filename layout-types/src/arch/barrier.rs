//! `mbarrier`: a barrier in shared memory that counts threads and the bytes of asynchronous copies.
//!
//! ```text
//!   one 64-bit object     phase 0  pending 1, tx 0
//!     arrive.expect_tx    phase 0  pending 0, tx 16384      the copies take their bytes off tx
//!     last copy is done   phase 1  pending 1, tx 0          try_wait.parity 0 says 1 from here on
//! ```
//!
//! Law: a phase ends when no arrival is pending and no byte is expected. `mbarrier_try_wait(b, p)`
//! is 1 once the phase of parity `p` has ended. A wait can only name the current phase or the one
//! before it, so a waiting thread keeps its own parity and flips the parity after each wait.
//!
//! Addresses are those of the block's shared window; [`mapa`](super::cluster_sm90::mapa) computes
//! the addresses of another block of the cluster. Single-thread instructions that occur between
//! `.aligned` ones have forms with an internal predicate, `_if`: with a branch around them, LLVM
//! might copy the following instructions into the branch's arms.
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

/// The largest number of arrivals that a phase of an `mbarrier` counts: 2^20 - 1.
///
/// Source: PTX ISA, *Contents of the mbarrier object*.
pub const MBARRIER_MAX_ARRIVALS: u32 = (1 << 20) - 1;

/// The number of bytes of an `mbarrier` object, which is also its alignment.
pub const MBARRIER_BYTES: u32 = 8;

/// Makes a barrier whose phases each end after `arrivals` arrivals, with `mbarrier.init`.
///
/// Other threads may use it after [`fence_mbarrier_init`] and a barrier of the block, or of the
/// cluster if other blocks arrive at it.
///
/// # Safety
/// `barrier` is a multiple of 8 and names 8 bytes of the block's shared memory that contain no
/// barrier in use. No other thread accesses these bytes before that barrier of the block or of the
/// cluster. `arrivals` is from 1 to [`MBARRIER_MAX_ARRIVALS`].
#[inline(always)]
pub unsafe fn mbarrier_init(barrier: u32, arrivals: u32) {
    // SAFETY: the caller guarantees that `barrier` names 8 aligned bytes of the block that no other
    // thread uses, and that `arrivals` fits.
    unsafe {
        ptx!("mbarrier.init.shared::cta.b64 [{0}], {1};", in(reg32) barrier, in(reg32) arrivals, options(nostack, preserves_flags))
    };
}

/// Frees the barrier's 8 bytes for other uses, with `mbarrier.inval`.
///
/// # Safety
/// `barrier` names an initialised barrier for which no thread waits and at which no thread will
/// arrive.
#[inline(always)]
pub unsafe fn mbarrier_inval(barrier: u32) {
    // SAFETY: the caller guarantees that `barrier` is initialised, and that no thread waits for it
    // or will arrive at it.
    unsafe {
        ptx!("mbarrier.inval.shared::cta.b64 [{0}];", in(reg32) barrier, options(nostack, preserves_flags))
    };
}

/// Makes one arrival at a barrier of the thread's own block, with `mbarrier.arrive`. The arrival
/// has release semantics in the block.
///
/// # Safety
/// `barrier` names an initialised barrier of the block, whose current phase has an arrival pending.
#[inline(always)]
pub unsafe fn mbarrier_arrive(barrier: u32) {
    // SAFETY: the caller guarantees that `barrier` is initialised, with an arrival pending.
    unsafe {
        ptx!("mbarrier.arrive.shared::cta.b64 _, [{0}];", in(reg32) barrier, options(nostack, preserves_flags))
    };
}

/// Executes [`mbarrier_arrive`] if `predicate` is not 0.
///
/// # Safety
/// The conditions of [`mbarrier_arrive`] hold if `predicate` is not 0.
#[inline(always)]
pub unsafe fn mbarrier_arrive_if(barrier: u32, predicate: u32) {
    // SAFETY: the caller guarantees, if `predicate` is not 0, that `barrier` is initialised, with
    // an arrival pending.
    unsafe {
        ptx!("{{ .reg .pred p; setp.ne.b32 p, {1}, 0; @p mbarrier.arrive.shared::cta.b64 _, [{0}]; }}",
            in(reg32) barrier, in(reg32) predicate, options(nostack, preserves_flags))
    };
}

/// Arrives at the barrier at the same offset in the block of rank `cta` of the cluster, if
/// `predicate` is not 0, with `mapa` and `mbarrier.arrive`. The arrival has release semantics in
/// the cluster.
///
/// # Safety
/// If `predicate` is not 0: `cta` is a rank of the cluster, `barrier` names an initialised barrier
/// in that block with an arrival pending, and the block has not exited.
#[inline(always)]
pub unsafe fn mbarrier_arrive_remote_if(barrier: u32, cta: u32, predicate: u32) {
    // SAFETY: the caller guarantees, if `predicate` is not 0, that the block `cta` has not exited
    // and that its barrier is initialised.
    unsafe {
        ptx!("{{ .reg .pred p; .reg .b32 r; setp.ne.b32 p, {2}, 0; @p mapa.shared::cluster.u32 r, {0}, {1}; @p mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r]; }}",
            in(reg32) barrier, in(reg32) cta, in(reg32) predicate, options(nostack, preserves_flags))
    };
}

/// Arrives like [`mbarrier_arrive_remote_if`], but with release semantics only in the thread's own
/// block. It is meant for a consumer that frees memory which only asynchronous copies write.
/// CUTLASS's `ClusterBarrier::arrive(cta_id, pred)`.
///
/// The wider release executes a `MEMBAR` of the whole GPU in each call: measured on an H200, a GEMM
/// whose consumers release their stages with it runs at 0.7 of its speed.
///
/// # Safety
/// The conditions of [`mbarrier_arrive_remote_if`] hold. No other block relies on this arrival to
/// read data that the thread wrote.
#[inline(always)]
pub unsafe fn mbarrier_arrive_cluster_if(barrier: u32, cta: u32, predicate: u32) {
    // SAFETY: the caller guarantees, if `predicate` is not 0, that the block `cta` has not exited
    // and that its barrier is initialised.
    unsafe {
        ptx!("{{ .reg .pred p; .reg .b32 r; setp.ne.b32 p, {2}, 0; @p mapa.shared::cluster.u32 r, {0}, {1}; @p mbarrier.arrive.shared::cluster.b64 _, [r]; }}",
            in(reg32) barrier, in(reg32) cta, in(reg32) predicate, options(nostack, preserves_flags))
    };
}

/// Expects `bytes` more bytes of asynchronous copies in the current phase, and then arrives, with
/// `mbarrier.arrive.expect_tx`.
///
/// # Safety
/// The conditions of [`mbarrier_arrive`] hold. The bytes expected in a phase are those that its
/// copies complete, at most 2^20 - 1.
#[inline(always)]
pub unsafe fn mbarrier_arrive_expect_tx(barrier: u32, bytes: u32) {
    // SAFETY: the caller guarantees that `barrier` is initialised, with an arrival pending, and
    // that copies complete `bytes` bytes.
    unsafe {
        ptx!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [{0}], {1};", in(reg32) barrier, in(reg32) bytes, options(nostack, preserves_flags))
    };
}

/// Executes [`mbarrier_arrive_expect_tx`] if `predicate` is not 0.
///
/// # Safety
/// The conditions of [`mbarrier_arrive_expect_tx`] hold if `predicate` is not 0.
#[inline(always)]
pub unsafe fn mbarrier_arrive_expect_tx_if(barrier: u32, bytes: u32, predicate: u32) {
    // SAFETY: the caller guarantees, if `predicate` is not 0, that `barrier` is initialised, with
    // an arrival pending.
    unsafe {
        ptx!("{{ .reg .pred p; setp.ne.b32 p, {2}, 0; @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [{0}], {1}; }}",
            in(reg32) barrier, in(reg32) bytes, in(reg32) predicate, options(nostack, preserves_flags))
    };
}

/// Expects `bytes` more bytes in the current phase, without an arrival, with `mbarrier.expect_tx`.
///
/// # Safety
/// The conditions of [`mbarrier_arrive_expect_tx`] hold.
#[inline(always)]
pub unsafe fn mbarrier_expect_tx(barrier: u32, bytes: u32) {
    // SAFETY: the caller guarantees that `barrier` is initialised, and that copies complete `bytes`
    // bytes in its phase.
    unsafe {
        ptx!("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{0}], {1};", in(reg32) barrier, in(reg32) bytes, options(nostack, preserves_flags))
    };
}

/// Returns 1 when the phase of parity `parity` has ended, and 0 if it has not ended within a time
/// that the hardware chooses. A result of 1 has acquire semantics in the block. The instruction is
/// `mbarrier.try_wait.parity`.
///
/// # Safety
/// `barrier` names an initialised barrier of the block, and `parity` (0 or 1) is the parity of its
/// current phase or of the one before it.
#[inline(always)]
#[must_use]
pub unsafe fn mbarrier_try_wait(barrier: u32, parity: u32) -> u32 {
    let done: u32;
    // SAFETY: the caller guarantees that `barrier` is initialised, and that `parity` is that of its
    // current phase or of the one before.
    unsafe {
        ptx!("{{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [{1}], {2}; selp.b32 {0}, 1, 0, p; }}",
            out(reg32) done, in(reg32) barrier, in(reg32) parity, options(nostack, preserves_flags))
    };
    done
}

/// Tests the phase like [`mbarrier_try_wait`], without waiting, with `mbarrier.test_wait.parity`.
///
/// # Safety
/// The conditions of [`mbarrier_try_wait`] hold.
#[inline(always)]
#[must_use]
pub unsafe fn mbarrier_test_wait(barrier: u32, parity: u32) -> u32 {
    let done: u32;
    // SAFETY: the caller guarantees that `barrier` is initialised, and that `parity` is that of its
    // current phase or of the one before.
    unsafe {
        ptx!("{{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [{1}], {2}; selp.b32 {0}, 1, 0, p; }}",
            out(reg32) done, in(reg32) barrier, in(reg32) parity, options(nostack, preserves_flags))
    };
    done
}

/// Waits for the end of the phase of parity `parity`: repeats [`mbarrier_try_wait`] until it
/// returns 1.
///
/// # Safety
/// The conditions of [`mbarrier_try_wait`] hold.
#[inline(always)]
pub unsafe fn mbarrier_wait(barrier: u32, parity: u32) {
    // SAFETY: the caller guarantees an initialised barrier whose current or preceding phase has
    // this parity; waiting changes neither.
    while unsafe { mbarrier_try_wait(barrier, parity) } == 0 {}
}

/// Orders the thread's earlier `mbarrier.init` before its later accesses, for the cluster and for
/// asynchronous copies, with `fence.mbarrier_init.release.cluster`.
#[inline(always)]
pub fn fence_mbarrier_init() {
    // SAFETY: a fence accesses no memory.
    unsafe {
        ptx!(
            "fence.mbarrier_init.release.cluster;",
            options(nostack, preserves_flags)
        )
    };
}

/// Orders the thread's earlier plain accesses to shared memory before later accesses of the
/// asynchronous proxy (`wgmma`, bulk copies), with `fence.proxy.async.shared::cta`. CUTLASS's
/// `fence_view_async_shared`.
#[inline(always)]
pub fn fence_proxy_async_shared() {
    // SAFETY: a fence accesses no memory.
    unsafe {
        ptx!(
            "fence.proxy.async.shared::cta;",
            options(nostack, preserves_flags)
        )
    };
}

/// Orders accesses like [`fence_proxy_async_shared`], for global memory too, with
/// `fence.proxy.async`.
#[inline(always)]
pub fn fence_proxy_async() {
    // SAFETY: a fence accesses no memory.
    unsafe { ptx!("fence.proxy.async;", options(nostack, preserves_flags)) };
}

/// Waits until `threads` threads have arrived at the block's named barrier `barrier`, by this
/// instruction or by [`named_barrier_arrive`]. The instruction is `barrier.sync.aligned`, CUTLASS's
/// `NamedBarrier::sync`.
///
/// # Safety
/// The warp executes it together; `barrier` is below 16; `threads` is a multiple of 32, and the
/// same for all threads that arrive.
#[inline(always)]
pub unsafe fn named_barrier_sync(barrier: u32, threads: u32) {
    // SAFETY: the caller guarantees that the warp executes this together, and that `barrier` and
    // `threads` name a barrier of the block.
    unsafe { intrinsic!(intrinsics::barrier_sync_count(barrier, threads)) };
}

/// Arrives at the block's named barrier and does not wait, with `barrier.arrive.aligned`. CUTLASS's
/// `NamedBarrier::arrive`.
///
/// # Safety
/// The conditions of [`named_barrier_sync`] hold.
#[inline(always)]
pub unsafe fn named_barrier_arrive(barrier: u32, threads: u32) {
    // SAFETY: the caller guarantees that the warp executes this together, and that `barrier` and
    // `threads` name a barrier of the block.
    unsafe { intrinsic!(intrinsics::barrier_arrive_count(barrier, threads)) };
}
