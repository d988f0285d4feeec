//! The common macro of all wrappers of `mma.sync`, and the multiply-add of one thread.
//!
//! ```text
//!   mma_16x8x16_f32_f16(d, a, b)      d ← a · b + d      d [f32; 4], a [u32; 4], b [u32; 2]: one lane's registers
//! ```
//!
//! Law: the accumulators are updated in place. A product `D = A B + C` into other registers first
//! copies C to D, which costs nothing if C is not used again. A register holds as many elements as
//! fit, the first element in its lowest bits.
//!
//! Source: PTX ISA, *Warp-level matrix instructions: mma*, *Floating Point Instructions: fma*; CuTe
//! `cute/arch/mma.hpp`.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

/// Defines a wrapper of `mma.sync` that updates the accumulators in place.
macro_rules! mma_sync {
    ($ptx:literal, $cute:literal,
     $name:ident(d: $d:ty: $dc:ident, $($di:literal)+, a: $a:ty: $ac:ident, $($ai:literal)+, b: $b:ty: $bc:ident, $($bi:literal)+),
     $template:literal) => {
        #[doc = concat!("`", $ptx, "`: CuTe's `", $cute, "`.")]
        ///
        /// # Safety
        /// All 32 lanes of the warp execute it together, on an architecture that has the
        /// instruction.
        #[inline(always)]
        #[cfg_attr(not(target_arch = "nvptx64"), allow(unreachable_code, unused_unsafe, unused_variables))]
        pub unsafe fn $name(d: &mut $d, a: &$a, b: &$b) {
            // SAFETY: the instruction uses only registers; the caller guarantees that the whole
            // warp executes this.
            unsafe {
                $crate::arch::ptx!(
                    $template,
                    $(inout($dc) d[$di],)+ $(in($ac) a[$ai],)+ $(in($bc) b[$bi],)+
                    options(nomem, nostack, preserves_flags)
                );
            };
        }
    };
}
pub(crate) use mma_sync;

macro_rules! fma {
    ($(#[$doc:meta])* $name:ident, $t:ty, $class:ident, $ptx:literal) => {
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name(a: $t, b: $t, c: $t) -> $t {
            let d: $t;
            // SAFETY: the instruction uses only registers of one thread.
            unsafe { ptx!($ptx, out($class) d, in($class) a, in($class) b, in($class) c, options(pure, nomem, nostack, preserves_flags)) };
            d
        }
    };
}

fma!(
    /// Computes `a b + c`, rounded once, with `fma.rn.f64`.
    fma_f64, f64, reg64, "fma.rn.f64 {0}, {1}, {2}, {3};");
fma!(
    /// Computes `a b + c`, rounded once, with `fma.rn.f32`.
    fma_f32, f32, reg32, "fma.rn.f32 {0}, {1}, {2}, {3};");
fma!(
    /// Computes `a b + c` on the bits of three f16, rounded once, with `fma.rn.f16` (sm_53).
    fma_f16, u16, reg16, "fma.rn.f16 {0}, {1}, {2}, {3};");
fma!(
    /// Computes `a b + c` on the bits of three bf16, rounded once, with `fma.rn.bf16` (sm_80).
    fma_bf16, u16, reg16, "fma.rn.bf16 {0}, {1}, {2}, {3};");
