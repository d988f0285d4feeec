//! Loads and stores of shared and global memory in every width a thread can move at once.
//!
//! ```text
//!   u32 address ──ld.shared.v4.b32──► [u32; 4]        8, 16, 32, 64 or 128 bits
//!   *const u8   ──ld.global.v4.b32──► [u32; 4]
//! ```
//!
//! Law: a store followed, in the same thread, by a load of the same address and width returns the
//! value stored. Shared addresses are offsets in the block's shared window (`u32`) and global
//! addresses are pointers to global memory, so every access names its space and needs no resolution
//! of generic addresses. Wide values are 32-bit registers, from which elements of 32 bits or fewer
//! are taken without splitting.
//!
//! Source: PTX ISA, *Data Movement and Conversion Instructions: ld, st, cvta*.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(
        unreachable_code,
        unused_unsafe,
        unused_variables,
        clippy::extra_unused_type_parameters
    )
)]

use super::ptx;

/// The swizzle through which a tensor accesses shared memory, `Sw<BITS,BASE,SHIFT>` on offsets in
/// bytes.
///
/// The PTX names the swizzle in a comment after the access, which costs nothing. From this comment
/// the emulator detects a reader whose swizzle is not the writer's.
pub trait SmemSwizzle {
    /// B: the number of bits, 0 for no swizzle, or negative if the swizzle is unknown.
    const BITS: i32;
    /// M: the lowest bit that is changed.
    const BASE: i32;
    /// S: the distance from the bits changed up to the bits read.
    const SHIFT: i32;
}
/// An access whose swizzle is unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnySwizzle;
impl SmemSwizzle for AnySwizzle {
    const BITS: i32 = -1;
    const BASE: i32 = 0;
    const SHIFT: i32 = 0;
}

/// `asm!` of an access of shared memory, with the comment that names the swizzle `$swizzle`.
macro_rules! smem_ptx {
    ($swizzle:ident, $ptx:expr, [$($operand:tt)*], $options:ident $(($($option:tt)*))?) => {
        $crate::arch::ptx!(
            concat!($ptx, " // smem Sw<{smem_bits},{smem_base},{smem_shift}>"),
            $($operand)*
            smem_bits = const <$swizzle as $crate::arch::copy::SmemSwizzle>::BITS,
            smem_base = const <$swizzle as $crate::arch::copy::SmemSwizzle>::BASE,
            smem_shift = const <$swizzle as $crate::arch::copy::SmemSwizzle>::SHIFT,
            $options $(($($option)*))?
        )
    };
}
pub(crate) use smem_ptx;

macro_rules! load {
    ($(#[$doc:meta])* $name:ident($address:ident: $at:ty: $ac:ident) -> $ret:ty, $ptx:literal, $($register:ident: $t:ty: $c:ident),+ => $result:expr) => {
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub unsafe fn $name($address: $at) -> $ret {
            $(let $register: $t;)+
            // SAFETY: the caller guarantees that the bytes at the address are the block's, aligned
            // and initialised, and that no thread writes them meanwhile; the instruction writes
            // only registers.
            unsafe { ptx!($ptx, $(out($c) $register,)+ in($ac) $address, options(readonly, nostack, preserves_flags)) };
            $result
        }
    };
}

macro_rules! store {
    ($(#[$doc:meta])* $name:ident($address:ident: $at:ty: $ac:ident, $value:ident: $vt:ty), $ptx:literal, $c:ident: $($register:expr),+) => {
        $(#[$doc])*
        #[inline(always)]
        pub unsafe fn $name($address: $at, $value: $vt) {
            // SAFETY: the caller guarantees that the bytes at the address are the block's and
            // aligned, and that no other thread accesses them before the next barrier.
            unsafe { ptx!($ptx, in($ac) $address, $(in($c) $register,)+ options(nostack, preserves_flags)) };
        }
    };
}

load!(
    /// Loads a byte of shared memory, with `ld.shared.b8`.
    ///
    /// # Safety
    /// `address` lies inside the block's shared memory, is initialised, and no other thread writes
    /// it before the next barrier.
    load_shared_b8(address: u32: reg32) -> u8, "ld.shared.b8 {0}, [{1}];", a: u16: reg16 => a as u8);
load!(
    /// Loads 16 bits of shared memory, with `ld.shared.b16`.
    ///
    /// # Safety
    /// The conditions of [`load_shared_b8`] hold for 2 bytes from `address` on, which is 2-byte
    /// aligned.
    load_shared_b16(address: u32: reg32) -> u16, "ld.shared.b16 {0}, [{1}];", a: u16: reg16 => a);
load!(
    /// Loads 32 bits of shared memory, with `ld.shared.b32`.
    ///
    /// # Safety
    /// The conditions of [`load_shared_b8`] hold for 4 bytes from `address` on, which is 4-byte
    /// aligned.
    load_shared_b32(address: u32: reg32) -> u32, "ld.shared.b32 {0}, [{1}];", a: u32: reg32 => a);
load!(
    /// Loads 64 bits of shared memory, with `ld.shared.v2.b32`.
    ///
    /// # Safety
    /// The conditions of [`load_shared_b8`] hold for 8 bytes from `address` on, which is 8-byte
    /// aligned.
    load_shared_b64(address: u32: reg32) -> [u32; 2], "ld.shared.v2.b32 {{{0}, {1}}}, [{2}];", a: u32: reg32, b: u32: reg32 => [a, b]);
load!(
    /// Loads 128 bits of shared memory, with `ld.shared.v4.b32`.
    ///
    /// # Safety
    /// The conditions of [`load_shared_b8`] hold for 16 bytes from `address` on, which is 16-byte
    /// aligned.
    load_shared_b128(address: u32: reg32) -> [u32; 4], "ld.shared.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];", a: u32: reg32, b: u32: reg32, c: u32: reg32, d: u32: reg32 => [a, b, c, d]);

store!(
    /// Stores a byte to shared memory, with `st.shared.b8`.
    ///
    /// # Safety
    /// `address` lies inside the block's shared memory, and no other thread reads or writes it
    /// before the next barrier.
    store_shared_b8(address: u32: reg32, value: u8), "st.shared.b8 [{0}], {1};", reg16: u16::from(value));
store!(
    /// Stores 16 bits to shared memory, with `st.shared.b16`.
    ///
    /// # Safety
    /// The conditions of [`store_shared_b8`] hold for 2 bytes from `address` on, which is 2-byte
    /// aligned.
    store_shared_b16(address: u32: reg32, value: u16), "st.shared.b16 [{0}], {1};", reg16: value);
store!(
    /// Stores 32 bits to shared memory, with `st.shared.b32`.
    ///
    /// # Safety
    /// The conditions of [`store_shared_b8`] hold for 4 bytes from `address` on, which is 4-byte
    /// aligned.
    store_shared_b32(address: u32: reg32, value: u32), "st.shared.b32 [{0}], {1};", reg32: value);
store!(
    /// Stores 64 bits to shared memory, with `st.shared.v2.b32`.
    ///
    /// # Safety
    /// The conditions of [`store_shared_b8`] hold for 8 bytes from `address` on, which is 8-byte
    /// aligned.
    store_shared_b64(address: u32: reg32, value: [u32; 2]), "st.shared.v2.b32 [{0}], {{{1}, {2}}};", reg32: value[0], value[1]);
store!(
    /// Stores 128 bits to shared memory, with `st.shared.v4.b32`.
    ///
    /// # Safety
    /// The conditions of [`store_shared_b8`] hold for 16 bytes from `address` on, which is 16-byte
    /// aligned.
    store_shared_b128(address: u32: reg32, value: [u32; 4]), "st.shared.v4.b32 [{0}], {{{1}, {2}, {3}, {4}}};", reg32: value[0], value[1], value[2], value[3]);

load!(
    /// Loads a byte of global memory, with `ld.global.b8`.
    ///
    /// # Safety
    /// `address` lies in global memory, is readable and initialised, and no thread writes it at the
    /// same time.
    load_global_b8(address: *const u8: reg64) -> u8, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; ld.global.b8 {0}, [g]; }}", a: u16: reg16 => a as u8);
load!(
    /// Loads 16 bits of global memory, with `ld.global.b16`.
    ///
    /// # Safety
    /// The conditions of [`load_global_b8`] hold for 2 bytes from `address` on, which is 2-byte
    /// aligned.
    load_global_b16(address: *const u8: reg64) -> u16, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; ld.global.b16 {0}, [g]; }}", a: u16: reg16 => a);
load!(
    /// Loads 32 bits of global memory, with `ld.global.b32`.
    ///
    /// # Safety
    /// The conditions of [`load_global_b8`] hold for 4 bytes from `address` on, which is 4-byte
    /// aligned.
    load_global_b32(address: *const u8: reg64) -> u32, "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; ld.global.b32 {0}, [g]; }}", a: u32: reg32 => a);
load!(
    /// Loads 64 bits of global memory, with `ld.global.v2.b32`.
    ///
    /// # Safety
    /// The conditions of [`load_global_b8`] hold for 8 bytes from `address` on, which is 8-byte
    /// aligned.
    load_global_b64(address: *const u8: reg64) -> [u32; 2], "{{ .reg .u64 g; cvta.to.global.u64 g, {2}; ld.global.v2.b32 {{{0}, {1}}}, [g]; }}", a: u32: reg32, b: u32: reg32 => [a, b]);
load!(
    /// Loads 128 bits of global memory, with `ld.global.v4.b32`.
    ///
    /// # Safety
    /// The conditions of [`load_global_b8`] hold for 16 bytes from `address` on, which is 16-byte
    /// aligned.
    load_global_b128(address: *const u8: reg64) -> [u32; 4], "{{ .reg .u64 g; cvta.to.global.u64 g, {4}; ld.global.v4.b32 {{{0}, {1}, {2}, {3}}}, [g]; }}", a: u32: reg32, b: u32: reg32, c: u32: reg32, d: u32: reg32 => [a, b, c, d]);

load!(
    /// Loads 16 bytes that are read once, bypassing L1, with `ld.global.nc.L1::no_allocate.v4.b32`.
    /// It is meant for streams, such as weights that no other thread of the block reads.
    ///
    /// # Safety
    /// The conditions of [`load_global_b128`] hold, and no thread writes the bytes while the kernel
    /// runs.
    load_global_once_b128(address: *const u8: reg64) -> [u32; 4], "{{ .reg .u64 g; cvta.to.global.u64 g, {4}; ld.global.nc.L1::no_allocate.v4.b32 {{{0}, {1}, {2}, {3}}}, [g]; }}", a: u32: reg32, b: u32: reg32, c: u32: reg32, d: u32: reg32 => [a, b, c, d]);

store!(
    /// Stores a byte to global memory, with `st.global.b8`.
    ///
    /// # Safety
    /// `address` lies in global memory, is writable, and no other thread reads or writes it at the
    /// same time.
    store_global_b8(address: *mut u8: reg64, value: u8), "{{ .reg .u64 g; cvta.to.global.u64 g, {0}; st.global.b8 [g], {1}; }}", reg16: u16::from(value));
store!(
    /// Stores 16 bits to global memory, with `st.global.b16`.
    ///
    /// # Safety
    /// The conditions of [`store_global_b8`] hold for 2 bytes from `address` on, which is 2-byte
    /// aligned.
    store_global_b16(address: *mut u8: reg64, value: u16), "{{ .reg .u64 g; cvta.to.global.u64 g, {0}; st.global.b16 [g], {1}; }}", reg16: value);
store!(
    /// Stores 32 bits to global memory, with `st.global.b32`.
    ///
    /// # Safety
    /// The conditions of [`store_global_b8`] hold for 4 bytes from `address` on, which is 4-byte
    /// aligned.
    store_global_b32(address: *mut u8: reg64, value: u32), "{{ .reg .u64 g; cvta.to.global.u64 g, {0}; st.global.b32 [g], {1}; }}", reg32: value);
store!(
    /// Stores 64 bits to global memory, with `st.global.v2.b32`.
    ///
    /// # Safety
    /// The conditions of [`store_global_b8`] hold for 8 bytes from `address` on, which is 8-byte
    /// aligned.
    store_global_b64(address: *mut u8: reg64, value: [u32; 2]), "{{ .reg .u64 g; cvta.to.global.u64 g, {0}; st.global.v2.b32 [g], {{{1}, {2}}}; }}", reg32: value[0], value[1]);
store!(
    /// Stores 128 bits to global memory, with `st.global.v4.b32`.
    ///
    /// # Safety
    /// The conditions of [`store_global_b8`] hold for 16 bytes from `address` on, which is 16-byte
    /// aligned.
    store_global_b128(address: *mut u8: reg64, value: [u32; 4]), "{{ .reg .u64 g; cvta.to.global.u64 g, {0}; st.global.v4.b32 [g], {{{1}, {2}, {3}, {4}}}; }}", reg32: value[0], value[1], value[2], value[3]);

/// The accesses to shared memory above, for a tensor with the swizzle `W`.
pub(crate) mod swizzled {
    use super::SmemSwizzle;

    macro_rules! load {
        ($($name:ident -> $ret:ty, $ptx:literal, $($register:ident: $t:ty: $c:ident),+ => $result:expr;)*) => {$(
            /// Loads from shared memory, and names the swizzle `W`.
            ///
            /// # Safety
            /// The conditions of the access without a swizzle hold.
            #[inline(always)]
            pub unsafe fn $name<W: SmemSwizzle>(address: u32) -> $ret {
                $(let $register: $t;)+
                // SAFETY: the caller guarantees that the bytes at the address are the block's,
                // aligned and initialised, and that no thread writes them meanwhile; the
                // instruction writes only registers.
                unsafe { smem_ptx!(W, $ptx, [$(out($c) $register,)+ in(reg32) address,], options(readonly, nostack, preserves_flags)) };
                $result
            }
        )*};
    }
    macro_rules! store {
        ($($name:ident($value:ident: $t:ty), $ptx:literal, $c:ident: $($register:expr),+;)*) => {$(
            /// Stores to shared memory, and names the swizzle `W`.
            ///
            /// # Safety
            /// The conditions of the access without a swizzle hold.
            #[inline(always)]
            pub unsafe fn $name<W: SmemSwizzle>(address: u32, $value: $t) {
                // SAFETY: the caller guarantees that the bytes at the address are the block's and
                // aligned, and that no other thread accesses them before the next barrier.
                unsafe { smem_ptx!(W, $ptx, [in(reg32) address, $(in($c) $register,)+], options(nostack, preserves_flags)) };
            }
        )*};
    }
    load! {
        load_shared_b8 -> u8, "ld.shared.b8 {0}, [{1}];", a: u16: reg16 => a as u8;
        load_shared_b16 -> u16, "ld.shared.b16 {0}, [{1}];", a: u16: reg16 => a;
        load_shared_b32 -> u32, "ld.shared.b32 {0}, [{1}];", a: u32: reg32 => a;
        load_shared_b64 -> [u32; 2], "ld.shared.v2.b32 {{{0}, {1}}}, [{2}];", a: u32: reg32, b: u32: reg32 => [a, b];
        load_shared_b128 -> [u32; 4], "ld.shared.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];", a: u32: reg32, b: u32: reg32, c: u32: reg32, d: u32: reg32 => [a, b, c, d];
    }
    store! {
        store_shared_b8(value: u8), "st.shared.b8 [{0}], {1};", reg16: u16::from(value);
        store_shared_b16(value: u16), "st.shared.b16 [{0}], {1};", reg16: value;
        store_shared_b32(value: u32), "st.shared.b32 [{0}], {1};", reg32: value;
        store_shared_b64(value: [u32; 2]), "st.shared.v2.b32 [{0}], {{{1}, {2}}};", reg32: value[0], value[1];
        store_shared_b128(value: [u32; 4]), "st.shared.v4.b32 [{0}], {{{1}, {2}, {3}, {4}}};", reg32: value[0], value[1], value[2], value[3];
    }
}
