//! The atomic instructions with the ordering as an argument.
//!
//! ```text
//!   atomic_fetch_add_u32_device(p, SeqCst, 1)   ──►   fence.sc.gpu; atom.acquire.gpu.add.u32
//! ```
//!
//! Law: the ordering means what it means in `core::sync::atomic`, within the scope in the name. If
//! the ordering is a constant, only the instructions for that ordering remain. `SeqCst` becomes a
//! fence before an acquire operation, as in the mapping of C++ to PTX's memory model.
//!
//! Upstream (Rust-CUDA) also has a fallback for GPUs before compute capability 7.0. This crate has
//! none, since kernels are not built for those GPUs.
//!
//! Source: Rust-CUDA's `atomic::mid`; Lustig, Sahasrabuddhe, Giroux, *A Formal Analysis of the
//! NVIDIA PTX Memory Consistency Model* (2019).
#![allow(clippy::missing_safety_doc)] // One contract, in every function's own words, is written by the macros.

#[cfg(target_arch = "nvptx64")]
use super::intrinsics;
use crate::gpu_only;
use core::sync::atomic::Ordering;
use pastey::paste;

macro_rules! thread_fences {
    ($($scope:ident),+) => {$( paste! {
        #[doc = concat!("A fence of the given ordering within the ", stringify!($scope), "; `Relaxed` is none.")]
        #[gpu_only]
        #[inline(always)]
        pub fn [<$scope _thread_fence>](ordering: Ordering) {
            // SAFETY: a fence only forbids reorderings.
            unsafe {
                match ordering {
                    Ordering::Relaxed => {}
                    Ordering::SeqCst => intrinsics::[<fence_sc_ $scope>](),
                    _ => intrinsics::[<fence_acqrel_ $scope>](),
                }
            }
        }
    } )+};
}

thread_fences!(block, device, system);

macro_rules! load_store {
    ($($scope:ident $width:literal),+ $(,)?) => {$( paste! {
        #[doc = concat!("Loads ", $width, " bits, atomically within the ", stringify!($scope), ".")]
        ///
        /// # Panics
        /// Panics if `ordering` is `Release` or `AcqRel`.
        ///
        /// # Safety
        /// `pointer` is valid for reads and aligned. Other threads that write to it during the call
        /// use atomics of this size, in a scope that includes both threads.
        #[gpu_only]
        #[inline(always)]
        #[must_use]
        pub unsafe fn [<atomic_load_ $width _ $scope>](pointer: *mut [<u $width>], ordering: Ordering) -> [<u $width>] {
            // SAFETY: the caller guarantees that `pointer` is aligned and valid for reads, and that
            // other threads write there only by atomics. Fences touch no memory.
            unsafe {
                match ordering {
                    Ordering::Relaxed => intrinsics::[<atomic_load_relaxed_ $width _ $scope>](pointer),
                    Ordering::Acquire => intrinsics::[<atomic_load_acquire_ $width _ $scope>](pointer),
                    Ordering::SeqCst => {
                        intrinsics::[<fence_sc_ $scope>]();
                        intrinsics::[<atomic_load_acquire_ $width _ $scope>](pointer)
                    }
                    _ => panic!("there is no release load"),
                }
            }
        }

        #[doc = concat!("Stores ", $width, " bits, atomically within the ", stringify!($scope), ".")]
        ///
        /// # Panics
        /// Panics if `ordering` is `Acquire` or `AcqRel`.
        ///
        /// # Safety
        /// `pointer` is valid for writes and aligned. Other threads that access it during the call
        /// use only atomics of this size, in a scope that includes both threads.
        #[gpu_only]
        #[inline(always)]
        pub unsafe fn [<atomic_store_ $width _ $scope>](pointer: *mut [<u $width>], ordering: Ordering, value: [<u $width>]) {
            // SAFETY: the caller guarantees that `pointer` is aligned and valid for writes, and
            // that other threads access it only by atomics. Fences touch no memory.
            unsafe {
                match ordering {
                    Ordering::Relaxed => intrinsics::[<atomic_store_relaxed_ $width _ $scope>](pointer, value),
                    Ordering::Release => intrinsics::[<atomic_store_release_ $width _ $scope>](pointer, value),
                    Ordering::SeqCst => {
                        intrinsics::[<fence_sc_ $scope>]();
                        intrinsics::[<atomic_store_relaxed_ $width _ $scope>](pointer, value);
                    }
                    _ => panic!("there is no acquire store"),
                }
            }
        }
    } )+};
}

load_store!(block 32, block 64, device 32, device 64, system 32, system 64);

macro_rules! fetch {
    ($op:ident $type:ident) => {
        fetch!(@ $op $type block (value: $type));
        fetch!(@ $op $type device (value: $type));
        fetch!(@ $op $type system (value: $type));
    };
    (cas: $($type:ident),+) => {$(
        fetch!(@ cas $type block (current: $type, new: $type));
        fetch!(@ cas $type device (current: $type, new: $type));
        fetch!(@ cas $type system (current: $type, new: $type));
    )+};
    (@ $op:ident $type:ident $scope:ident ($($value:ident: $value_type:ident),+)) => { paste! {
        #[doc = concat!("`", stringify!($op), "` on `", stringify!($type), "`, atomically within the ", stringify!($scope), "; gives the value before.")]
        ///
        /// # Safety
        /// `pointer` is valid for reads and writes and aligned. Other threads that access it during
        /// the call use only atomics of this size, in a scope that includes both threads.
        #[gpu_only]
        #[inline(always)]
        pub unsafe fn [<atomic_fetch_ $op _ $type _ $scope>](pointer: *mut $type, ordering: Ordering, $($value: $value_type),+) -> $type {
            // SAFETY: the caller guarantees that `pointer` is aligned and valid for reads and
            // writes, and that other threads access it only by atomics. Fences touch no memory.
            unsafe {
                match ordering {
                    Ordering::Relaxed => intrinsics::[<atomic_fetch_ $op _relaxed_ $type _ $scope>](pointer, $($value),+),
                    Ordering::Acquire => intrinsics::[<atomic_fetch_ $op _acquire_ $type _ $scope>](pointer, $($value),+),
                    Ordering::Release => intrinsics::[<atomic_fetch_ $op _release_ $type _ $scope>](pointer, $($value),+),
                    Ordering::AcqRel => intrinsics::[<atomic_fetch_ $op _acqrel_ $type _ $scope>](pointer, $($value),+),
                    _ => {
                        intrinsics::[<fence_sc_ $scope>]();
                        intrinsics::[<atomic_fetch_ $op _acquire_ $type _ $scope>](pointer, $($value),+)
                    }
                }
            }
        }
    }};
}

macro_rules! operations {
    ($($op:ident: $($type:ident),+;)+) => { $($(fetch!($op $type);)+)+ };
}

operations! {
    add: u32, u64, i32, i64, f32, f64;
    sub: u32, u64, i32, i64, f32, f64;
    and: u32, u64, i32, i64, f32, f64;
    or: u32, u64, i32, i64, f32, f64;
    xor: u32, u64, i32, i64, f32, f64;
    exch: u32, u64, i32, i64, f32, f64;
    min: u32, u64, i32, i64;
    max: u32, u64, i32, i64;
}

fetch!(cas: u32, u64, i32, i64, f32, f64);
