//! `wgmma`: a warp group multiplies operands in shared memory, asynchronously to its other work.
//!
//! ```text
//!   warpgroup_arrive    wgmma  wgmma  wgmma  wgmma    warpgroup_commit_batch    ..    warpgroup_wait::<0>
//!   registers are ready └──── one group, under way, its registers untouchable ─────────────────┘ registers are values
//! ```
//!
//! Law: between the first `wgmma` on registers and the wait that covers its group, no instruction
//! may read or write the registers, except a `wgmma` on an accumulator of the same shape. The
//! compiler does not know this: [`warpgroup_fence_operand`] on both sides fixes the registers in
//! place. [`algorithm::warpgroup`](crate::algorithm::warpgroup) expresses this in types.
//!
//! Source: PTX ISA, *Asynchronous Warpgroup Level Matrix Instructions*; CuTe
//! `cute/arch/mma_sm90_gmma.hpp`, `mma_sm90_desc.hpp`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::intrinsic;
#[cfg(target_arch = "nvptx64")]
use super::intrinsics;
#[cfg(all(target_arch = "nvptx64", target_feature = "compute_90a"))]
use super::ptx;
use crate::atom::RegisterArray;
#[cfg(any(
    not(target_arch = "nvptx64"),
    all(target_arch = "nvptx64", target_feature = "compute_90a")
))]
use crate::atom::mma::sm90::WgmmaKind;
use half::f16;
use typenum::*;

/// Orders earlier accesses to registers, and earlier accesses of the asynchronous proxy to shared
/// memory, before the `wgmma` that follow: `wgmma.fence.sync.aligned`, CuTe's `warpgroup_arrive`.
///
/// # Safety
/// All warps of the warp group execute it, each warp together.
#[inline(always)]
pub unsafe fn warpgroup_arrive() {
    // SAFETY: the caller guarantees that all warps of the group execute this, each together.
    unsafe { intrinsic!(intrinsics::wgmma_fence()) };
}

/// Closes a group of the warp group's `wgmma`: `wgmma.commit_group.sync.aligned`, CuTe's
/// `warpgroup_commit_batch`.
///
/// # Safety
/// The conditions of [`warpgroup_arrive`] hold.
#[inline(always)]
pub unsafe fn warpgroup_commit_batch() {
    // SAFETY: the caller guarantees that all warps of the group execute this, each together.
    unsafe { intrinsic!(intrinsics::wgmma_commit_group()) };
}

/// Waits until at most the newest `N` groups are still in flight:
/// `wgmma.wait_group.sync.aligned N`, CuTe's `warpgroup_wait<N>`.
///
/// # Safety
/// The conditions of [`warpgroup_arrive`] hold, and `N` is below 8.
#[inline(always)]
pub unsafe fn warpgroup_wait<const N: u64>() {
    const { assert!(N < 8, "wgmma.wait_group leaves at most 7 groups under way") }
    // SAFETY: the caller guarantees that all warps of the group execute this, each together; the
    // assertion checks `N` < 8.
    unsafe { intrinsic!(intrinsics::wgmma_wait_group(const { N })) };
}

/// Fixes registers in place: they are computed before this call, and read only after this call.
/// CuTe's `warpgroup_fence_operand`. The function emits no instruction.
#[inline(always)]
pub fn warpgroup_fence_operand<T: Copy, const N: usize>(registers: &mut [T; N]) {
    const { assert!(size_of::<T>() == 4, "registers of 32 bits") }
    #[cfg(target_arch = "nvptx64")]
    {
        let mut i = 0;
        while i < N {
            // SAFETY: the assertion above checks that `T` has 4 bytes, so all of it is copied to a
            // `u32` and back.
            unsafe {
                let mut bits: u32 = core::mem::transmute_copy(&registers[i]);
                core::arch::asm!("// {0}", inout(reg32) bits, options(nostack, preserves_flags));
                registers[i] = core::mem::transmute_copy(&bits);
            }
            i += 1;
        }
    }
}

/// Registers that can be fixed in place.
pub trait FenceOperand {
    /// Calls [`warpgroup_fence_operand`].
    fn fence(&mut self);
}
impl<T: Copy, const N: usize> FenceOperand for [T; N] {
    #[inline(always)]
    fn fence(&mut self) {
        warpgroup_fence_operand(self);
    }
}

/// The registers of an accumulator of elements `T` for a `wgmma` of the width `Self`: 64 `Self` /
/// 128 elements per thread, with two f16 per register.
pub trait AccumulatorRegisters<T> {
    /// The registers.
    type Registers: RegisterArray + FenceOperand;
}
macro_rules! accumulators {
    ($($n:ident $full:literal $half:literal,)+) => {$(
        impl AccumulatorRegisters<f32> for $n {
            type Registers = [f32; $full];
        }
        impl AccumulatorRegisters<i32> for $n {
            type Registers = [i32; $full];
        }
        impl AccumulatorRegisters<f16> for $n {
            type Registers = [u32; $half];
        }
    )+};
}
#[rustfmt::skip]
accumulators! {
    U8 4 2, U16 8 4, U24 12 6, U32 16 8, U40 20 10, U48 24 12, U56 28 14, U64 32 16,
    U72 36 18, U80 40 20, U88 44 22, U96 48 24, U104 52 26, U112 56 28, U120 60 30, U128 64 32,
    U136 68 34, U144 72 36, U152 76 38, U160 80 40, U168 84 42, U176 88 44, U184 92 46, U192 96 48,
    U200 100 50, U208 104 52, U216 108 54, U224 112 56, U232 116 58, U240 120 60, U248 124 62, U256 128 64,
}

/// The `wgmma.mma_async` of the types `Self` and the width `N`. Only a build for `sm_90a` has it.
/// On the host it panics, so that kernels type-check.
#[diagnostic::on_unimplemented(
    message = "this build has no `wgmma` of the types `{Self}`",
    label = "`wgmma` is of `sm_90a` alone: `CudaBuilder::arch(NvvmArch::Compute90a)`"
)]
pub trait WgmmaIssue<N: AccumulatorRegisters<Self::Sum>> {
    /// The element type of the accumulator.
    type Sum;
    /// Computes `D = A B + D`, or `D = A B` if `scale_d` is 0, with A and B in shared memory.
    /// `TNSP_A` and `TNSP_B` are 1 for an MN-major operand.
    ///
    /// # Safety
    /// All warps of the warp group execute it, each warp together, with the same descriptors, and
    /// after a [`warpgroup_arrive`] that follows the last access of `d` and the shared memory. Both
    /// descriptors describe operands of the instruction's shape in the block's shared memory. Until
    /// the group has ended, no thread writes these operands or accesses `d`.
    unsafe fn ss<const TNSP_A: u32, const TNSP_B: u32>(
        d: &mut N::Registers,
        a: u64,
        b: u64,
        scale_d: u32,
    );
    /// Computes the product like [`ss`](Self::ss), with A in registers.
    ///
    /// # Safety
    /// The conditions of [`ss`](Self::ss) hold, and no code writes A's registers until the group
    /// has ended.
    unsafe fn rs<const TNSP_B: u32>(d: &mut N::Registers, a: &[u32; 4], b: u64, scale_d: u32);
}

#[cfg(not(target_arch = "nvptx64"))]
impl<K: WgmmaKind, N: AccumulatorRegisters<K::Accumulator>> WgmmaIssue<N> for K {
    type Sum = K::Accumulator;
    unsafe fn ss<const TNSP_A: u32, const TNSP_B: u32>(
        _: &mut N::Registers,
        _: u64,
        _: u64,
        _: u32,
    ) {
        super::not_a_gpu()
    }
    unsafe fn rs<const TNSP_B: u32>(_: &mut N::Registers, _: &[u32; 4], _: u64, _: u32) {
        super::not_a_gpu()
    }
}

#[cfg(all(target_arch = "nvptx64", target_feature = "compute_90a"))]
mod issue {
    use super::*;
    use crate::atom::mma::sm90::*;

    /// Calls `$each` for each width with the indices of its registers.
    macro_rules! widths {
        ($each:ident ($($done:literal)*) $n:literal $ty:ident $flag:tt [$($i:literal)+] $($rest:tt)*) => {
            $each!($n $ty $flag $($done)* $($i)+);
            widths!($each ($($done)* $($i)+) $($rest)*);
        };
        ($each:ident ($($done:literal)*)) => {};
    }
    macro_rules! kinds {
        ($n:literal $ty:ident $registers:tt $major_a:literal $major_b:literal; $($kind:ident $shape:literal)+) => {$(
            impl WgmmaIssue<$ty> for $kind {
                type Sum = <$kind as WgmmaKind>::Accumulator;
                kinds!(@body $n $ty $registers $major_a $major_b $kind $shape);
            }
        )+};
        (@body $n:literal $ty:ident [$first:literal $($i:literal)+] $major_a:literal $major_b:literal $kind:ident $shape:literal) => {
            #[inline(always)]
            unsafe fn ss<const TNSP_A: u32, const TNSP_B: u32>(
                d: &mut <$ty as AccumulatorRegisters<Self::Sum>>::Registers,
                a: u64,
                b: u64,
                scale_d: u32,
            ) {
                // SAFETY: the caller guarantees that all warps of the group execute this with the
                // same written operands, and that `d` is fenced.
                unsafe {
                    ptx!(
                        concat!("{{ .reg .pred p; setp.ne.b32 p, {sd}, 0; wgmma.mma_async.sync.aligned.m64n", $n, $shape,
                            " {{{", $first, "}" $(, ", {", $i, "}")+, "}}, {a}, {b}, p", $major_a),
                        inout(reg32) d[$first], $(inout(reg32) d[$i],)+
                        a = in(reg64) a, b = in(reg64) b, sd = in(reg32) scale_d,
                        ta = const TNSP_A, tb = const TNSP_B, options(nostack, preserves_flags)
                    )
                };
            }
            #[inline(always)]
            unsafe fn rs<const TNSP_B: u32>(
                d: &mut <$ty as AccumulatorRegisters<Self::Sum>>::Registers,
                a: &[u32; 4],
                b: u64,
                scale_d: u32,
            ) {
                // SAFETY: the caller guarantees that all warps of the group execute this with the
                // same written B, and that `a` and `d` are fenced.
                unsafe {
                    ptx!(
                        concat!("{{ .reg .pred p; setp.ne.b32 p, {sd}, 0; wgmma.mma_async.sync.aligned.m64n", $n, $shape,
                            " {{{", $first, "}" $(, ", {", $i, "}")+, "}}, {{{a0}, {a1}, {a2}, {a3}}}, {b}, p", $major_b),
                        inout(reg32) d[$first], $(inout(reg32) d[$i],)+
                        a0 = in(reg32) a[0], a1 = in(reg32) a[1], a2 = in(reg32) a[2], a3 = in(reg32) a[3],
                        b = in(reg64) b, sd = in(reg32) scale_d, tb = const TNSP_B, options(nostack, preserves_flags)
                    )
                };
            }
        };
    }
    // Types that are not 16 bits wide have no immediates for the majors: their constants, 0, are
    // written in a comment.
    macro_rules! full {
        ($n:literal $ty:ident $flag:tt $($i:literal)+) => {
            kinds! { $n $ty [$($i)+] ", 1, 1, {ta}, {tb}; }}" ", 1, 1, {tb}; }}";
                F32F16F16 "k16.f32.f16.f16" F32BF16BF16 "k16.f32.bf16.bf16" }
            kinds! { $n $ty [$($i)+] ", 1, 1; }} // {ta} {tb}" ", 1, 1; }} // {tb}";
                F32TF32TF32 "k8.f32.tf32.tf32"
                F32E4M3E4M3 "k32.f32.e4m3.e4m3" F32E4M3E5M2 "k32.f32.e4m3.e5m2"
                F32E5M2E4M3 "k32.f32.e5m2.e4m3" F32E5M2E5M2 "k32.f32.e5m2.e5m2" }
            full!(@integer $flag $n $ty $($i)+);
        };
        (@integer - $($rest:tt)*) => {};
        (@integer + $n:literal $ty:ident $($i:literal)+) => {
            // Integers also have no immediates for signs; `.satfinite` comes last.
            kinds! { $n $ty [$($i)+] "; }} // {ta} {tb}" "; }} // {tb}";
                S32S8S8 "k32.s32.s8.s8" S32S8U8 "k32.s32.s8.u8" S32U8S8 "k32.s32.u8.s8" S32U8U8 "k32.s32.u8.u8"
                S32S8S8_SATURATE "k32.s32.s8.s8.satfinite" S32S8U8_SATURATE "k32.s32.s8.u8.satfinite"
                S32U8S8_SATURATE "k32.s32.u8.s8.satfinite" S32U8U8_SATURATE "k32.s32.u8.u8.satfinite" }
        };
    }
    macro_rules! half {
        ($n:literal $ty:ident $flag:tt $($i:literal)+) => {
            kinds! { $n $ty [$($i)+] ", 1, 1, {ta}, {tb}; }}" ", 1, 1, {tb}; }}"; F16F16F16 "k16.f16.f16.f16" }
            kinds! { $n $ty [$($i)+] ", 1, 1; }} // {ta} {tb}" ", 1, 1; }} // {tb}";
                F16E4M3E4M3 "k32.f16.e4m3.e4m3" F16E4M3E5M2 "k32.f16.e4m3.e5m2"
                F16E5M2E4M3 "k32.f16.e5m2.e4m3" F16E5M2E5M2 "k32.f16.e5m2.e5m2" }
        };
    }
    #[rustfmt::skip]
    widths! { full ()
    8 U8 + [0 1 2 3] 16 U16 + [4 5 6 7] 24 U24 + [8 9 10 11] 32 U32 + [12 13 14 15]
    40 U40 - [16 17 18 19] 48 U48 + [20 21 22 23] 56 U56 - [24 25 26 27] 64 U64 + [28 29 30 31]
    72 U72 - [32 33 34 35] 80 U80 + [36 37 38 39] 88 U88 - [40 41 42 43] 96 U96 + [44 45 46 47]
    104 U104 - [48 49 50 51] 112 U112 + [52 53 54 55] 120 U120 - [56 57 58 59] 128 U128 + [60 61 62 63]
    136 U136 - [64 65 66 67] 144 U144 + [68 69 70 71] 152 U152 - [72 73 74 75] 160 U160 + [76 77 78 79]
    168 U168 - [80 81 82 83] 176 U176 + [84 85 86 87] 184 U184 - [88 89 90 91] 192 U192 + [92 93 94 95]
    200 U200 - [96 97 98 99] 208 U208 + [100 101 102 103] 216 U216 - [104 105 106 107] 224 U224 + [108 109 110 111]
    232 U232 - [112 113 114 115] 240 U240 + [116 117 118 119] 248 U248 - [120 121 122 123] 256 U256 + [124 125 126 127]
    }
    #[rustfmt::skip]
    widths! { half ()
    8 U8 + [0 1] 16 U16 + [2 3] 24 U24 + [4 5] 32 U32 + [6 7]
    40 U40 + [8 9] 48 U48 + [10 11] 56 U56 + [12 13] 64 U64 + [14 15]
    72 U72 + [16 17] 80 U80 + [18 19] 88 U88 + [20 21] 96 U96 + [22 23]
    104 U104 + [24 25] 112 U112 + [26 27] 120 U120 + [28 29] 128 U128 + [30 31]
    136 U136 + [32 33] 144 U144 + [34 35] 152 U152 + [36 37] 160 U160 + [38 39]
    168 U168 + [40 41] 176 U176 + [42 43] 184 U184 + [44 45] 192 U192 + [46 47]
    200 U200 + [48 49] 208 U208 + [50 51] 216 U216 + [52 53] 224 U224 + [54 55]
    232 U232 + [56 57] 240 U240 + [58 59] 248 U248 + [60 61] 256 U256 + [62 63]
    }
}
