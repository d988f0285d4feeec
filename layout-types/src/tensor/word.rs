//! Words: the bits that one load or store moves, 8 to 128.
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

/// An element type of plain bits: every bit pattern is a value, and the type has no padding.
///
/// # Safety
/// Every bit pattern is a value, the type has no padding, and its alignment is its size.
pub unsafe trait Plain: Element + Default {}

macro_rules! plain {
    ($($t:ty)*) => {$(
        // SAFETY: every bit pattern of a number is a value, without padding, and a number is
        // aligned to its size.
        unsafe impl Plain for $t {}
    )*};
}
plain!(u8 i8 u16 i16 u32 i32 u64 i64 u128 f32 f64 half::f16 half::bf16 TFloat32 FloatE4M3 FloatE5M2);

/// The bits that one instruction loads or stores.
///
/// # Safety
/// The type consists of plain bits, without padding, of `BYTES` bytes.
pub unsafe trait Word: Copy + 'static {
    /// The number of bytes, a power of two from 1 to 16.
    const BYTES: usize;
    /// Loads a word of global memory, with `ld.global`.
    ///
    /// # Safety
    /// The address is aligned to the size and readable, and no code writes there meanwhile.
    unsafe fn load_global(address: *const u8) -> Self;
    /// Stores a word to global memory, with `st.global`.
    ///
    /// # Safety
    /// The address is aligned to the size and writable, and no other code accesses it meanwhile.
    unsafe fn store_global(self, address: *mut u8);
    /// Loads a word of a tensor with the swizzle `W`, with `ld.shared`.
    ///
    /// # Safety
    /// The conditions of [`Word::load_global`] hold in the block's shared memory, and the word is
    /// initialised.
    unsafe fn load_shared<W: SmemSwizzle>(address: u32) -> Self;
    /// Stores a word of a tensor with the swizzle `W`, with `st.shared`.
    ///
    /// # Safety
    /// The conditions of [`Word::store_global`] hold in the block's shared memory.
    unsafe fn store_shared<W: SmemSwizzle>(self, address: u32);
}

macro_rules! word {
    ($($t:ty, $access:ident, $load:ident, $store:ident;)*) => {$(
        // SAFETY: the type consists of plain bits.
        unsafe impl Word for $t {
            const BYTES: usize = size_of::<$t>();
            #[inline(always)]
            unsafe fn load_global(address: *const u8) -> Self {
                // SAFETY: the caller guarantees that a word lies at `address`, aligned as the
                // access is, that it is readable, and that no code writes it meanwhile.
                unsafe { (*address.cast::<$access>()).load() }
            }
            #[inline(always)]
            unsafe fn store_global(self, address: *mut u8) {
                // SAFETY: the caller guarantees that a word lies at `address`, aligned as the
                // access is, that it is writable, and that no other code accesses it.
                unsafe { *address.cast::<$access>() = $access(self) };
            }
            #[inline(always)]
            unsafe fn load_shared<W: SmemSwizzle>(address: u32) -> Self {
                // SAFETY: the caller guarantees that the word at the address is the block's,
                // aligned and initialised.
                unsafe { copy::swizzled::$load::<W>(address) }
            }
            #[inline(always)]
            unsafe fn store_shared<W: SmemSwizzle>(self, address: u32) {
                // SAFETY: the caller guarantees that the word at the address is the block's and
                // aligned, and that no other code accesses it.
                unsafe { copy::swizzled::$store::<W>(address, self) };
            }
        }
    )*};
}
macro_rules! access {
    ($($name:ident, $t:ty, $align:literal;)*) => {$(
        /// A word with the alignment of its access.
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
/// LLVM treats a load of a whole array as a copy of memory, and a fragment that is only copied to
/// and from would stay in memory. So each register is loaded separately: adjacent aligned loads
/// become one instruction again.
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
