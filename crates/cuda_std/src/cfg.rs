//! The compute capability for which the code is compiled, as a constant for branches.
//!
//! ```text
//!   if ComputeCapability::from_cuda_arch_env() >= ComputeCapability::Compute80 { redux } else { shuffles }
//! ```
//!
//! Law: the value is that of the target, and is known when the PTX is written, so the code of a
//! branch that is not taken is removed.
//!
//! Upstream (Rust-CUDA) reads an environment variable that its builder sets. This crate gets the
//! architecture of the actual target from LLVM's `__nvvm_reflect`, however the target was chosen.
//! The name of the function is upstream's.
//!
//! Source: LLVM, *User Guide for NVPTX Back-end: Reflection*; Rust-CUDA's `cuda_std::cfg`.

use crate::gpu_only;

macro_rules! capabilities {
    ($($name:ident = $arch:literal,)+) => {
        /// A compute capability. A later one compares greater than an earlier one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ComputeCapability {
            $(#[doc = concat!("`sm_", stringify!($name), "`'s digits: ", $arch, " / 10.")] $name,)+
        }

        impl ComputeCapability {
            /// Returns the capability for a value of `__CUDA_ARCH__` (ten times the number in
            /// `sm_80`), or the latest earlier capability if the list does not have this one.
            ///
            /// ```
            /// use cuda_std::cfg::ComputeCapability;
            /// assert_eq!(ComputeCapability::from_cuda_arch(860), ComputeCapability::Compute86);
            /// assert_eq!(ComputeCapability::from_cuda_arch(880), ComputeCapability::Compute87);
            /// ```
            #[inline(always)]
            #[must_use]
            pub const fn from_cuda_arch(arch: u32) -> Self {
                let mut found = Self::Compute35;
                $(if arch >= $arch { found = Self::$name; })+
                found
            }
        }
    };
}

capabilities! {
    Compute35 = 350,
    Compute37 = 370,
    Compute50 = 500,
    Compute52 = 520,
    Compute53 = 530,
    Compute60 = 600,
    Compute61 = 610,
    Compute62 = 620,
    Compute70 = 700,
    Compute72 = 720,
    Compute75 = 750,
    Compute80 = 800,
    Compute86 = 860,
    Compute87 = 870,
    Compute89 = 890,
    Compute90 = 900,
    Compute100 = 1000,
    Compute101 = 1010,
    Compute103 = 1030,
    Compute120 = 1200,
    Compute121 = 1210,
}

impl ComputeCapability {
    /// Returns the capability for which this code is compiled.
    #[gpu_only]
    #[inline(always)]
    #[must_use]
    pub fn from_cuda_arch_env() -> Self {
        // SAFETY: LLVM replaces the call by a constant; the argument is a C string.
        Self::from_cuda_arch(unsafe {
            crate::intrinsics::__nvvm_reflect(c"__CUDA_ARCH".as_ptr().cast())
        })
    }
}
