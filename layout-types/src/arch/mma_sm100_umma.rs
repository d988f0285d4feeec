//! `tcgen05`: Blackwell's tensor memory, and products that one thread issues.
//!
//! ```text
//!   alloc ── mma  mma  mma ── commit ──► mbarrier     (one thread)
//!                                          │ wait
//!                     before_thread_sync ◄─┘ after_thread_sync ── load ──► registers of four warps
//! ```
//!
//! Law: an address of tensor memory is `lane << 16 | column`; warp `w` of a warp group reaches
//! lanes `32 w` to `32 w + 31`. A product is done when a commit behind it has completed at its
//! mbarrier object, and nothing else says so. The loads here wait for themselves: what they return
//! are values.
//!
//! No card has run these: they are assembled for `sm_100a` by `ptxas` and executed by the emulator.
//!
//! Source: PTX ISA, *TensorCore 5th Generation Family Instructions*; CuTe
//! `cute/arch/mma_sm100_umma.hpp`, `tmem_allocator_sm100.hpp`, `copy_sm100.hpp`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

/// `tcgen05.alloc`: takes `columns` columns of tensor memory, whose address goes to the word at
/// `to` of shared memory. CuTe's `TMEM::Allocator1Sm::allocate`.
///
/// # Safety
/// The whole warp executes it, always the same one of a block. `columns` is a power of two from 32
/// to 512, no more than in an allocation before; the four bytes at `to` are the block's. The block
/// gives the columns back by [`tmem_deallocate`] before it ends.
#[inline(always)]
pub unsafe fn tmem_allocate(to: u32, columns: u32) {
    // SAFETY: the whole warp is here, and the word at `to` is writable, by the caller's contract.
    unsafe {
        ptx!(
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [{0}], {1};",
            in(reg32) to, in(reg32) columns, options(nostack, preserves_flags)
        );
    }
}

/// `tcgen05.relinquish_alloc_permit`: the block allocates no more. CuTe's
/// `release_allocation_lock`.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
pub unsafe fn tmem_relinquish() {
    // SAFETY: the whole warp is here by the caller's contract.
    unsafe {
        ptx!(
            "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
            options(nostack, preserves_flags)
        );
    }
}

/// `tcgen05.dealloc`: gives an allocation back. CuTe's `TMEM::Allocator1Sm::free`.
///
/// # Safety
/// The whole warp that allocated `columns` columns at `address` executes it, ordered behind all
/// uses of them.
#[inline(always)]
pub unsafe fn tmem_deallocate(address: u32, columns: u32) {
    // SAFETY: the whole warp is here, and nobody uses the columns, by the caller's contract.
    unsafe {
        ptx!(
            "tcgen05.dealloc.cta_group::1.sync.aligned.b32 {0}, {1};",
            in(reg32) address, in(reg32) columns, options(nostack, preserves_flags)
        );
    }
}

/// `tcgen05.mma.kind::f16`: D in tensor memory from `d` on becomes A B, plus D where `adds` is not
/// 0. CuTe's `SM100_MMA_F16BF16_SS::fma`.
///
/// # Safety
/// One thread executes it. The descriptors are of operands in the block's shared memory that nobody
/// writes before a commit behind it has completed, written by TMA or in front of a
/// `fence.proxy.async`; `instruction` is a descriptor of `.kind::f16`, and D's columns are
/// allocated, ordered behind their last use.
#[inline(always)]
pub unsafe fn umma_f16_ss(d: u32, a: u64, b: u64, instruction: u32, adds: u32) {
    // SAFETY: operands and D are as the instruction wants them by the caller's contract.
    unsafe {
        ptx!(
            "{{ .reg .pred p; setp.ne.b32 p, {4}, 0; tcgen05.mma.cta_group::1.kind::f16 [{0}], {1}, {2}, {3}, p; }}",
            in(reg32) d, in(reg64) a, in(reg64) b, in(reg32) instruction, in(reg32) adds,
            options(nostack, preserves_flags)
        );
    }
}

/// `tcgen05.commit`: one arrival at the mbarrier object at `barrier` when all products that the
/// thread has issued are done. CuTe's `umma_arrive`.
///
/// # Safety
/// The thread that issued the products executes it; an object lies at `barrier` in the block's
/// shared memory.
#[inline(always)]
pub unsafe fn umma_arrive(barrier: u32) {
    // SAFETY: an object lies there by the caller's contract.
    unsafe {
        ptx!(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [{0}];",
            in(reg32) barrier, options(nostack, preserves_flags)
        );
    }
}

/// `tcgen05.fence::before_thread_sync`: what the thread did in tensor memory comes before what
/// follows its next synchronisation. CuTe's `tcgen05_before_thread_sync`.
#[inline(always)]
pub fn tcgen05_before_thread_sync() {
    // SAFETY: an order alone.
    unsafe {
        ptx!(
            "tcgen05.fence::before_thread_sync;",
            options(nostack, preserves_flags)
        );
    }
}

/// `tcgen05.fence::after_thread_sync`: what the thread does in tensor memory comes behind the
/// synchronisation before it. CuTe's `tcgen05_after_thread_sync`.
#[inline(always)]
pub fn tcgen05_after_thread_sync() {
    // SAFETY: an order alone.
    unsafe {
        ptx!(
            "tcgen05.fence::after_thread_sync;",
            options(nostack, preserves_flags)
        );
    }
}

/// `tcgen05.ld.32x32b.x8` and its wait: eight columns of the thread's lane. CuTe's
/// `SM100_TMEM_LOAD_32dp32b8x` behind `fence_view_async_tmem_load`.
///
/// # Safety
/// The whole warp executes it with one address, whose lane is the warp's first; the columns are
/// allocated and hold values, ordered before the load.
#[inline(always)]
#[must_use]
pub unsafe fn tmem_load_32dp32b8x(address: u32) -> [u32; 8] {
    #[cfg_attr(
        not(target_arch = "nvptx64"),
        expect(unused_mut, reason = "nothing is loaded there")
    )]
    let mut r = [0; 8];
    // SAFETY: the whole warp is here, and the columns hold values, by the caller's contract.
    unsafe {
        ptx!(
            "tcgen05.ld.sync.aligned.32x32b.x8.b32 {{ {0}, {1}, {2}, {3}, {4}, {5}, {6}, {7} }}, [{8}];",
            "tcgen05.wait::ld.sync.aligned;",
            out(reg32) r[0], out(reg32) r[1], out(reg32) r[2], out(reg32) r[3],
            out(reg32) r[4], out(reg32) r[5], out(reg32) r[6], out(reg32) r[7],
            in(reg32) address, options(nostack, preserves_flags)
        );
    }
    r
}
