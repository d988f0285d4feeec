//! Loads and stores of shared memory in every width a thread can move at once.
//!
//! ```text
//!   u32 address ──ld.shared.v4.b32──► [u32; 4]        16, 32, 64 or 128 bits
//! ```
//!
//! Law: a store followed, in the same thread, by a load of the same address and width gives the value stored.
//! Addresses are offsets in the block's shared window (`u32`), so every access says `.shared` and costs no
//! generic-address resolution.
//!
//! Source: PTX ISA, *Data Movement and Conversion Instructions: ld, st*.
#![cfg_attr(
    not(target_arch = "nvptx64"),
    allow(unreachable_code, unused_unsafe, unused_variables)
)]

use super::ptx;

/// `ld.shared.b16`.
///
/// # Safety
/// `address` is 2-byte aligned, inside the block's shared memory, initialised, and no other thread writes it
/// before the next barrier.
#[inline(always)]
#[must_use]
pub unsafe fn load_shared_b16(address: u32) -> u16 {
    let value: u16;
    // SAFETY: the caller's contract is the instruction's.
    unsafe {
        ptx!("ld.shared.b16 {0}, [{1}];", out(reg16) value, in(reg32) address, options(readonly, nostack, preserves_flags))
    };
    value
}

/// `ld.shared.b32`.
///
/// # Safety
/// As [`load_shared_b16`], with 4-byte alignment.
#[inline(always)]
#[must_use]
pub unsafe fn load_shared_b32(address: u32) -> u32 {
    let value: u32;
    // SAFETY: the caller's contract is the instruction's.
    unsafe {
        ptx!("ld.shared.b32 {0}, [{1}];", out(reg32) value, in(reg32) address, options(readonly, nostack, preserves_flags))
    };
    value
}

/// `ld.shared.v4.b32`.
///
/// # Safety
/// As [`load_shared_b16`], with 16-byte alignment.
#[inline(always)]
#[must_use]
pub unsafe fn load_shared_b128(address: u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the caller's contract is the instruction's.
    unsafe {
        ptx!(
            "ld.shared.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];",
            out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in(reg32) address,
            options(readonly, nostack, preserves_flags)
        );
    };
    [a, b, c, d]
}

/// `st.shared.b16`.
///
/// # Safety
/// `address` is 2-byte aligned, inside the block's shared memory, and no other thread reads or writes it
/// before the next barrier.
#[inline(always)]
pub unsafe fn store_shared_b16(address: u32, value: u16) {
    // SAFETY: the caller's contract is the instruction's.
    unsafe {
        ptx!("st.shared.b16 [{0}], {1};", in(reg32) address, in(reg16) value, options(nostack, preserves_flags))
    };
}

/// `st.shared.b32`.
///
/// # Safety
/// As [`store_shared_b16`], with 4-byte alignment.
#[inline(always)]
pub unsafe fn store_shared_b32(address: u32, value: u32) {
    // SAFETY: the caller's contract is the instruction's.
    unsafe {
        ptx!("st.shared.b32 [{0}], {1};", in(reg32) address, in(reg32) value, options(nostack, preserves_flags))
    };
}

/// `st.shared.v4.b32`.
///
/// # Safety
/// As [`store_shared_b16`], with 16-byte alignment.
#[inline(always)]
pub unsafe fn store_shared_b128(address: u32, value: [u32; 4]) {
    // SAFETY: the caller's contract is the instruction's.
    unsafe {
        ptx!(
            "st.shared.v4.b32 [{0}], {{{1}, {2}, {3}, {4}}};",
            in(reg32) address, in(reg32) value[0], in(reg32) value[1], in(reg32) value[2], in(reg32) value[3],
            options(nostack, preserves_flags)
        );
    };
}
