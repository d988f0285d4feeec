//! PTX instructions, one thin wrapper each, under the architecture that introduced them.
//!
//! ```text
//!   atom (types: who holds what)  ──►  arch (this folder: one `asm!` each)  ──►  PTX
//! ```
//!
//! Law: a wrapper is exactly its instruction: the operands in the PTX ISA's order, nothing computed, nothing
//! checked. What makes a call right (a shared address in range, a full warp, an aligned pointer) is the
//! caller's to prove; each wrapper's *Safety* section lists it.
//!
//! Two choices are the same throughout.
//!
//! * Everything is `#[inline(always)]`: an instruction behind a call is not an instruction.
//! * No `.aligned` instruction is declared `pure`. rustc does not mark `asm!` as *convergent*, so LLVM may
//!   sink a pure block into the branch that uses its result, where part of the warp is missing. Without
//!   `pure` it stays where it is written; `nomem` still lets memory operations move across `mma`.
//!   Where LLVM has a convergent intrinsic of a Hopper instruction, that is called instead of `asm!`.
//!
//! On a target that is not a GPU the wrappers exist, so that kernels type-check under `cargo check`, and
//! panic when called.
//!
//! Source: PTX ISA 8.x, the section that each wrapper names; the files are divided as CuTe's `cute/arch/`.

pub mod barrier;
pub mod cluster_sm90;
pub mod convert;
pub mod copy;
pub mod copy_sm75;
pub mod copy_sm80;
pub mod copy_sm90;
pub mod copy_sm90_bulk;
pub mod copy_sm90_tma;
#[rustfmt::skip]
mod generated;
pub mod grid_dependency_control;
#[cfg(target_arch = "nvptx64")]
mod intrinsics;
pub mod mma;
pub mod mma_sm70;
pub mod mma_sm75;
pub mod mma_sm80;
pub mod mma_sm89;
pub mod mma_sm90;
pub mod mma_sm90_gmma;
pub mod mov;
pub mod prefetch;
pub mod printf;
pub mod reg_reconfig;

/// `asm!` on a GPU, a panic elsewhere.
macro_rules! ptx {
    ($($operand:tt)*) => {{
        #[cfg(target_arch = "nvptx64")]
        ::core::arch::asm!($($operand)*);
        #[cfg(not(target_arch = "nvptx64"))]
        $crate::arch::not_a_gpu();
    }};
}
pub(crate) use ptx;

/// An intrinsic on a GPU, a panic elsewhere.
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

/// Stands where an instruction would, on a target that has none.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
pub(crate) fn not_a_gpu() -> ! {
    panic!("this is a GPU instruction: run the kernel's PTX on a GPU or on the emulator instead")
}
