//! Words: what one load or store moves, 8 to 128 bits.
//!
//! ```text
//!   u8  u16  u32  [u32; 2]  [u32; 4]        ld.b8 .. ld.v4.b32
//! ```
//!
//! Law: a word is plain bits; a store and a load of the same address and width give the same bits.
//!
//! Source: PTX ISA, *Data Movement and Conversion Instructions: ld, st*.

use crate::arch::copy::{self, SmemSwizzle};
use crate::atom::Element;
use crate::atom::element::{FloatE4M3, FloatE5M2, TFloat32};

/// An element type of plain bits: every bit pattern is a value, and it has no padding.
///
/// # Safety
/// As said, and its alignment is its size.
pub unsafe trait Plain: Element + Default {}

macro_rules! plain {
    ($($t:ty)*) => {$(
        // SAFETY: a number of that many bits.
        unsafe impl Plain for $t {}
    )*};
}
plain!(u8 i8 u16 i16 u32 i32 u64 i64 u128 f32 f64 half::f16 half::bf16 TFloat32 FloatE4M3 FloatE5M2);

/// What one instruction loads or stores.
///
/// # Safety
/// Plain bits, without padding, of `BYTES` bytes.
pub unsafe trait Word: Copy + 'static {
    /// Its size, a power of two from 1 to 16.
    const BYTES: usize;
    /// `ld.global`.
    ///
    /// # Safety
    /// The address is aligned to the size, readable, and nobody writes there meanwhile.
    unsafe fn load_global(address: *const u8) -> Self;
    /// `st.global`.
    ///
    /// # Safety
    /// The address is aligned to the size, writable, and nobody else accesses it meanwhile.
    unsafe fn store_global(self, address: *mut u8);
    /// `ld.shared` of a tensor of the swizzle `W`.
    ///
    /// # Safety
    /// As [`Word::load_global`], in the block's shared memory, and initialised.
    unsafe fn load_shared<W: SmemSwizzle>(address: u32) -> Self;
    /// `st.shared` of a tensor of the swizzle `W`.
    ///
    /// # Safety
    /// As [`Word::store_global`], in the block's shared memory.
    unsafe fn store_shared<W: SmemSwizzle>(self, address: u32);
}

macro_rules! word {
    ($($t:ty, $access:ident, $load:ident, $store:ident;)*) => {$(
        // SAFETY: plain bits.
        unsafe impl Word for $t {
            const BYTES: usize = size_of::<$t>();
            #[inline(always)]
            unsafe fn load_global(address: *const u8) -> Self {
                // SAFETY: the caller has a word at `address`, aligned as the access is, that is
                // readable and that nobody writes meanwhile.
                unsafe { (*address.cast::<$access>()).load() }
            }
            #[inline(always)]
            unsafe fn store_global(self, address: *mut u8) {
                // SAFETY: the caller has a word at `address`, aligned as the access is, that is
                // writable and that nobody else touches.
                unsafe { *address.cast::<$access>() = $access(self) };
            }
            #[inline(always)]
            unsafe fn load_shared<W: SmemSwizzle>(address: u32) -> Self {
                // SAFETY: the word at the address is the block's, aligned and initialised, by the
                // caller's contract.
                unsafe { copy::swizzled::$load::<W>(address) }
            }
            #[inline(always)]
            unsafe fn store_shared<W: SmemSwizzle>(self, address: u32) {
                // SAFETY: the word at the address is the block's and aligned, and nobody else
                // touches it, by the caller's contract.
                unsafe { copy::swizzled::$store::<W>(address, self) };
            }
        }
    )*};
}
macro_rules! access {
    ($($name:ident, $t:ty, $align:literal;)*) => {$(
        /// A word, aligned as its access is.
        #[derive(Clone, Copy)]
        #[repr(C, align($align))]
        struct $name($t);
    )*};
}
access! {
    One8, u8, 1;
    One16, u16, 2;
    One32, u32, 4;
    Pair, [u32; 2], 8;
    Quad, [u32; 4], 16;
}
/// A load of an array as a whole is a copy of memory to LLVM, and a fragment that is only copied to
/// and from would stay in memory. So each register is loaded by itself: loads side by side and
/// aligned become one instruction again.
macro_rules! registers {
    ($($name:ident, $t:ty, |$word:ident| $registers:expr;)*) => {$(
        impl $name {
            #[inline(always)]
            fn load(&self) -> $t {
                let $word = &self.0;
                $registers
            }
        }
    )*};
}
registers! {
    One8, u8, |word| *word;
    One16, u16, |word| *word;
    One32, u32, |word| *word;
    Pair, [u32; 2], |word| [word[0], word[1]];
    Quad, [u32; 4], |word| [word[0], word[1], word[2], word[3]];
}
word! {
    u8, One8, load_shared_b8, store_shared_b8;
    u16, One16, load_shared_b16, store_shared_b16;
    u32, One32, load_shared_b32, store_shared_b32;
    [u32; 2], Pair, load_shared_b64, store_shared_b64;
    [u32; 4], Quad, load_shared_b128, store_shared_b128;
}
