//! PTX instructions. Each has one thin wrapper, in the module of the architecture that introduced
//! it.
//!
//! ```text
//!   atom (types: who holds what)  ──►  arch (this folder: one `asm!` each)  ──►  PTX
//! ```
//!
//! Law: a wrapper is exactly its instruction, with the operands in the PTX ISA's order; it computes
//! nothing and checks nothing. The caller must prove what a correct call requires (a shared address
//! in range, a full warp, an aligned pointer); each wrapper's *Safety* section lists it.
//!
//! Two choices apply to all wrappers.
//!
//! * Everything is `#[inline(always)]`: a call around one instruction would cost more than the
//!   instruction.
//! * No `.aligned` instruction is declared `pure`. rustc does not mark `asm!` as *convergent*, so
//!   LLVM may sink a pure block into the branch that uses its result, where part of the warp is
//!   missing. Without `pure` it remains where it is written; `nomem` still lets memory operations
//!   move across `mma`. Where LLVM has a convergent intrinsic for a Hopper instruction, the wrapper
//!   calls the intrinsic instead of `asm!`.
//!
//! On a target that is not a GPU the wrappers exist, so that kernels type-check under
//! `cargo check`, and panic when called.
//!
//! Source: PTX ISA 8.x, the section that each wrapper names; the files are divided as CuTe's
//! `cute/arch/`.

pub mod barrier;
pub mod cluster_sm90;
mod control;
pub mod copy;
mod copy_by_thread;
mod copy_hopper;
pub mod copy_sm100;
pub mod copy_sm100_tma;
mod values;
#[rustfmt::skip]
mod generated;
pub mod mma;
pub mod mma_sm100_umma;
pub mod mma_sm90_gmma;

pub use self::control::{grid_dependency_control, printf, reg_reconfig};
pub use self::copy_by_thread::{copy_sm75, copy_sm80, prefetch};
pub use self::copy_hopper::{copy_sm90, copy_sm90_bulk, copy_sm90_tma};
pub use self::generated::{mma_sm70, mma_sm75, mma_sm80, mma_sm89, mma_sm90};
pub use self::values::{convert, logic, math, mov, permute};
/// Executes `asm!` on a GPU, and panics elsewhere.
macro_rules! ptx {
    ($($operand:tt)*) => {{
        #[cfg(target_arch = "nvptx64")]
        ::core::arch::asm!($($operand)*);
        #[cfg(not(target_arch = "nvptx64"))]
        $crate::arch::not_a_gpu();
    }};
}
pub(crate) use ptx;

/// Calls an intrinsic on a GPU, and panics elsewhere.
macro_rules! intrinsic {
    ($($call:tt)*) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            $($call)*
        }
        #[cfg(not(target_arch = "nvptx64"))]
        $crate::arch::not_a_gpu()
    }};
}
pub(crate) use intrinsic;

/// Takes the place of an instruction on a target that is not a GPU.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
pub(crate) fn not_a_gpu() -> ! {
    panic!("this is a GPU instruction: run the kernel's PTX on a GPU or on the emulator instead")
}

#[cfg(target_arch = "nvptx64")]
mod intrinsics {
    //! Hopper's instructions for which LLVM has an intrinsic.
    //!
    //! ```text
    //!   wgmma_fence()   ──►   llvm.nvvm.wgmma.fence.sync.aligned   ──►   wgmma.fence.sync.aligned;
    //! ```
    //!
    //! Law: one declaration is one PTX instruction. LLVM knows that these are *convergent*: it
    //! neither moves nor copies them into the arms of a branch, which cannot be stated for `asm!`.
    //! So every `.aligned` instruction that has an intrinsic is declared here. For those that have
    //! none (`wgmma.mma_async`), `cuda_builder` checks the PTX.
    //!
    //! Source: LLVM, *User Guide for NVPTX Back-end*; `llvm/include/llvm/IR/IntrinsicsNVVM.td`.

    /// The result of `elect.sync`: the elected lane, and whether this thread is it.
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
}
