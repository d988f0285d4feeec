//! `tcgen05.ld`, `tcgen05.st` and `tcgen05.cp`: copies between tensor memory and the registers of a
//! warp, and from shared memory to tensor memory.
//!
//! ```text
//!   ld    tensor memory ──► registers ── wait::ld ──► values        (a warp, its own 32 lanes)
//!   st    registers ──► tensor memory ── wait::st ──► others see it
//!   cp    shared memory ──► tensor memory ── commit ──► mbarrier     (one thread)
//! ```
//!
//! Law: warp `w` of a warp group can access lanes `32 (w mod 4)` to `32 (w mod 4) + 31`. All lanes
//! of the warp pass the same address, whose lane is the first of these or, for shapes of 16 lanes,
//! the middle one. The registers of a load have no values before [`tmem_wait_loads`], and without
//! this wait the load's read is not ordered before a later write.
//!
//! Source: PTX ISA, *tcgen05.ld, tcgen05.st, tcgen05.wait, tcgen05.cp*; CuTe
//! `cute/arch/copy_sm100.hpp`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables, unused_mut)
)]

use super::ptx;
use crate::atom::RegisterArray;
use crate::atom::copy::sm100_tmem::{
    Dp16b32, Dp16b64, Dp16b128, Dp16b256, Dp32b32, Packed16, Whole32,
};
use crate::atom::copy::sm100_utccp::{
    Dp2x64Lw01_23, Dp2x64Lw02_13, Dp4b256, Dp4x32b128, Dp128b128, Dp128b256,
};
use crate::atom::tmem::fragment::{OneSm, TwoSm};
use typenum::*;

/// Waits until all loads of the thread have read: `tcgen05.wait::ld`, CuTe's
/// `fence_view_async_tmem_load`.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
pub unsafe fn tmem_wait_loads() {
    // SAFETY: the caller guarantees that the whole warp executes this.
    unsafe {
        ptx!(
            "tcgen05.wait::ld.sync.aligned;",
            options(nostack, preserves_flags)
        )
    };
}

/// Waits until all stores of the thread have written: `tcgen05.wait::st`, CuTe's
/// `fence_view_async_tmem_store`.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
pub unsafe fn tmem_wait_stores() {
    // SAFETY: the caller guarantees that the whole warp executes this.
    unsafe {
        ptx!(
            "tcgen05.wait::st.sync.aligned;",
            options(nostack, preserves_flags)
        )
    };
}

/// The `tcgen05.ld` and `tcgen05.st` of a shape, repeated `Count` times. They access whole columns,
/// or 16-bit halves of columns.
pub trait TmemAccess<Count, Pack> {
    /// The registers of a thread.
    type Registers: RegisterArray;
    /// The load with its qualifiers.
    const LOAD: &'static str;
    /// The store with its qualifiers.
    const STORE: &'static str;
    /// The operand after the address, for a shape with two halves: the number of columns between
    /// the halves.
    const SECOND: &'static str;
    /// Loads from the lane and column of `address` on. The registers have values only after
    /// [`tmem_wait_loads`].
    ///
    /// # Safety
    /// The whole warp executes it, with one address. The address's lane is one of the warp's lanes
    /// at which the shape may begin. The columns are allocated, and hold values that are ordered
    /// before the load.
    #[must_use]
    unsafe fn load(address: u32) -> Self::Registers;
    /// Stores from the lane and column of `address` on.
    ///
    /// # Safety
    /// The conditions of [`load`](Self::load) hold, and the store is ordered after every other
    /// access to the columns.
    unsafe fn store(address: u32, registers: Self::Registers);
}

/// Implements the accesses with `$count` registers per thread, for each shape that has this number.
macro_rules! registers {
    (($($done:literal)*) $count:literal [$($new:literal)+] $accesses:tt $($rest:tt)*) => {
        registers!(@each $count [$($done)* $($new)+] $accesses);
        registers!(($($done)* $($new)+) $($rest)*);
    };
    (($($done:literal)*)) => {};
    (@each $count:literal $registers:tt [$($shape:ident $name:literal $times:ident $x:literal ($($second:literal $twice:literal)?);)+]) => {$(
        registers!(@access $count $registers $shape $times Whole32 $name $x "" "" [$(", " $second)?]);
        registers!(@access $count $registers $shape $times Packed16 $name $x ".pack::16b" ".unpack::16b" [$(", " $twice)?]);
    )+};
    (@access $count:literal [$first:literal $($i:literal)*] $shape:ident $times:ident $pack:ident
        $name:literal $x:literal $packs:literal $unpacks:literal [$($second:literal)*]) => {
        impl TmemAccess<$times, $pack> for $shape {
            type Registers = [u32; $count];
            const LOAD: &'static str =
                concat!("tcgen05.ld.sync.aligned.", $name, $x, $packs, ".b32");
            const STORE: &'static str =
                concat!("tcgen05.st.sync.aligned.", $name, $x, $unpacks, ".b32");
            const SECOND: &'static str = concat!($($second),*);
            #[inline(always)]
            unsafe fn load(address: u32) -> [u32; $count] {
                let mut r = [0; $count];
                // SAFETY: the caller guarantees that the whole warp executes this and that the
                // columns hold values.
                unsafe {
                    ptx!(
                        concat!("tcgen05.ld.sync.aligned.", $name, $x, $packs, ".b32 {{{", $first, "}"
                            $(, ", {", $i, "}")*, "}}, [{at}]", $($second,)* ";"),
                        out(reg32) r[$first], $(out(reg32) r[$i],)* at = in(reg32) address,
                        options(nostack, preserves_flags)
                    );
                }
                r
            }
            #[inline(always)]
            unsafe fn store(address: u32, r: [u32; $count]) {
                // SAFETY: the caller guarantees that the whole warp executes this and that no other
                // thread uses the columns.
                unsafe {
                    ptx!(
                        concat!("tcgen05.st.sync.aligned.", $name, $x, $unpacks, ".b32 [{at}]", $($second,)*
                            ", {{{", $first, "}" $(, ", {", $i, "}")*, "}};"),
                        in(reg32) r[$first], $(in(reg32) r[$i],)* at = in(reg32) address,
                        options(nostack, preserves_flags)
                    );
                }
            }
        }
    };
}
#[rustfmt::skip]
registers! { ()
    1 [0] [
        Dp32b32 "32x32b.x" U1 1 (); Dp16b64 "16x64b.x" U1 1 (); Dp16b32 "16x32bx2.x" U1 1 (1 2);
    ]
    2 [1] [
        Dp32b32 "32x32b.x" U2 2 (); Dp16b64 "16x64b.x" U2 2 (); Dp16b32 "16x32bx2.x" U2 2 (2 4);
        Dp16b128 "16x128b.x" U1 1 ();
    ]
    4 [2 3] [
        Dp32b32 "32x32b.x" U4 4 (); Dp16b64 "16x64b.x" U4 4 (); Dp16b32 "16x32bx2.x" U4 4 (4 8);
        Dp16b128 "16x128b.x" U2 2 (); Dp16b256 "16x256b.x" U1 1 ();
    ]
    8 [4 5 6 7] [
        Dp32b32 "32x32b.x" U8 8 (); Dp16b64 "16x64b.x" U8 8 (); Dp16b32 "16x32bx2.x" U8 8 (8 16);
        Dp16b128 "16x128b.x" U4 4 (); Dp16b256 "16x256b.x" U2 2 ();
    ]
    16 [8 9 10 11 12 13 14 15] [
        Dp32b32 "32x32b.x" U16 16 (); Dp16b64 "16x64b.x" U16 16 (); Dp16b32 "16x32bx2.x" U16 16 (16 32);
        Dp16b128 "16x128b.x" U8 8 (); Dp16b256 "16x256b.x" U4 4 ();
    ]
    32 [16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31] [
        Dp32b32 "32x32b.x" U32 32 (); Dp16b64 "16x64b.x" U32 32 (); Dp16b32 "16x32bx2.x" U32 32 (32 64);
        Dp16b128 "16x128b.x" U16 16 (); Dp16b256 "16x256b.x" U8 8 ();
    ]
    64 [32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63] [
        Dp32b32 "32x32b.x" U64 64 (); Dp16b64 "16x64b.x" U64 64 (); Dp16b32 "16x32bx2.x" U64 64 (64 128);
        Dp16b128 "16x128b.x" U32 32 (); Dp16b256 "16x256b.x" U16 16 ();
    ]
    128 [64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95
        96 97 98 99 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120
        121 122 123 124 125 126 127] [
        Dp32b32 "32x32b.x" U128 128 (); Dp16b64 "16x64b.x" U128 128 (); Dp16b32 "16x32bx2.x" U128 128 (128 256);
        Dp16b128 "16x128b.x" U64 64 (); Dp16b256 "16x256b.x" U32 32 ();
    ]
}

/// A `tcgen05.cp` of a shape by the CTAs of the group `G`.
pub trait UtccpIssue<G> {
    /// The instruction with its qualifiers.
    const PTX: &'static str;
    /// Copies the shared memory that `descriptor` describes to tensor memory from `to` on.
    ///
    /// # Safety
    /// One thread executes it; for a pair, a thread of the even CTA. The bytes in shared memory
    /// were written by TMA or before a `fence.proxy.async`, and no thread writes them before a
    /// commit after the copy has completed; the columns are allocated, and the copy is ordered
    /// after their last use.
    unsafe fn issue(to: u32, descriptor: u64);
}
macro_rules! copies {
    ($($shape:ident $name:literal;)+) => {$(
        copies!(@ $shape OneSm "tcgen05.cp.cta_group::1." $name);
        copies!(@ $shape TwoSm "tcgen05.cp.cta_group::2." $name);
    )+};
    (@ $shape:ident $group:ident $cp:literal $name:literal) => {
        impl UtccpIssue<$group> for $shape {
            const PTX: &'static str = concat!($cp, $name);
            #[inline(always)]
            unsafe fn issue(to: u32, descriptor: u64) {
                // SAFETY: the caller guarantees source and destination as the instruction requires.
                unsafe {
                    ptx!(
                        concat!($cp, $name, " [{0}], {1};"),
                        in(reg32) to, in(reg64) descriptor, options(nostack, preserves_flags)
                    );
                }
            }
        }
    };
}
copies! {
    Dp128b256 "128x256b"; Dp128b128 "128x128b"; Dp4b256 "4x256b"; Dp4x32b128 "32x128b.warpx4";
    Dp2x64Lw02_13 "64x128b.warpx2::02_13"; Dp2x64Lw01_23 "64x128b.warpx2::01_23";
}
