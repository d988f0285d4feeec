//! Hopper's instructions that LLVM knows by name.
//!
//! ```text
//!   wgmma_fence()   ──►   llvm.nvvm.wgmma.fence.sync.aligned   ──►   wgmma.fence.sync.aligned;
//! ```
//!
//! Law: one declaration is one PTX instruction. LLVM knows that these are *convergent*: it neither moves nor copies them into
//! the arms of a branch, which nothing says of `asm!`. So every `.aligned` instruction that has an intrinsic is here, and what
//! has none (`wgmma.mma_async`) `cuda_builder` looks for in the PTX.
//!
//! Source: LLVM, *User Guide for NVPTX Back-end*; `llvm/include/llvm/IR/IntrinsicsNVVM.td`.

/// What `elect.sync` gives: the lane chosen, and whether the thread is it.
#[repr(C)]
pub(super) struct Elected {
    _lane: u32,
    pub(super) here: bool,
}

unsafe extern "unadjusted" {
    #[link_name = "llvm.nvvm.wgmma.fence.sync.aligned"]
    pub(super) fn wgmma_fence();
    #[link_name = "llvm.nvvm.wgmma.commit_group.sync.aligned"]
    pub(super) fn wgmma_commit_group();
    #[link_name = "llvm.nvvm.wgmma.wait_group.sync.aligned"]
    pub(super) fn wgmma_wait_group(groups: u64);
    #[link_name = "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"]
    pub(super) fn setmaxnreg_inc(registers: u32);
    #[link_name = "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"]
    pub(super) fn setmaxnreg_dec(registers: u32);
    #[link_name = "llvm.nvvm.elect.sync"]
    pub(super) fn elect_sync(mask: u32) -> Elected;
    #[link_name = "llvm.nvvm.barrier.cluster.arrive.aligned"]
    pub(super) fn cluster_arrive();
    #[link_name = "llvm.nvvm.barrier.cluster.arrive.relaxed.aligned"]
    pub(super) fn cluster_arrive_relaxed();
    #[link_name = "llvm.nvvm.barrier.cluster.wait.aligned"]
    pub(super) fn cluster_wait();
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.count"]
    pub(super) fn barrier_sync_count(barrier: u32, threads: u32);
    #[link_name = "llvm.nvvm.barrier.cta.arrive.aligned.count"]
    pub(super) fn barrier_arrive_count(barrier: u32, threads: u32);
}
