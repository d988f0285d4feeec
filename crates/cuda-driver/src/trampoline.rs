//! The functions that the linker finds (trampolines). Each function jumps to the address in its
//! slot of a table.
//!
//! ```text
//!   cuInit:  load slot 217 ──0?──► jump                       every call but the first: 4 instructions
//!                  └ empty ──► save argument registers, resolve(217), restore, jump
//! ```
//!
//! Law: the called function sees the registers and the stack as the caller left them: integer and
//! vector arguments, stack arguments and the return address. The trampolines therefore need no
//! signatures, and any number of arguments works.
//!
//! A slot contains null until the first call of its function. From then on it contains the address
//! of the driver's function or of a fallback. Two threads that make the first call at the same time
//! both resolve the slot, to the same address.
//!
//! Source: System V ABI for x86-64, *Parameter Passing*; Procedure Call Standard for the Arm 64-bit
//! Architecture (a call may change x16 and x17 before it reaches the called function).

use crate::{SYMBOLS, fallback, library};
use core::ffi::c_void;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

static TABLE: [AtomicPtr<c_void>; SYMBOLS.len()] =
    [const { AtomicPtr::new(null_mut()) }; SYMBOLS.len()];

/// Finds the address for a slot (the driver's function or a fallback), stores it in the slot, and
/// returns it.
extern "C" fn resolve(index: u32) -> *const c_void {
    let slot = index as usize;
    let name = SYMBOLS[slot];
    let address = library::symbol(name)
        .unwrap_or_else(|| fallback::instead_of(name, library::status().is_loaded()));
    TABLE[slot].store(address.cast_mut(), Ordering::Release);
    address
}

/// Resolves the slot whose number is in r11d, and jumps to the function found. Everything that can
/// hold an argument is saved before the slot is resolved, and restored afterwards.
///
/// # Safety
/// Only a trampoline jumps here, with the stack and the arguments of its own call.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn resolve_and_jump() {
    core::arch::naked_asm!(
        // On entry the stack is 8 below a multiple of 16. After this push it is aligned for the
        // call.
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 192",
        "mov [rsp], rdi",
        "mov [rsp + 8], rsi",
        "mov [rsp + 16], rdx",
        "mov [rsp + 24], rcx",
        "mov [rsp + 32], r8",
        "mov [rsp + 40], r9",
        // Register al has the number of vector registers of a variadic call.
        "mov [rsp + 48], rax",
        "movups [rsp + 64], xmm0",
        "movups [rsp + 80], xmm1",
        "movups [rsp + 96], xmm2",
        "movups [rsp + 112], xmm3",
        "movups [rsp + 128], xmm4",
        "movups [rsp + 144], xmm5",
        "movups [rsp + 160], xmm6",
        "movups [rsp + 176], xmm7",
        "mov edi, r11d",
        "call {resolve}",
        "mov r11, rax",
        "movups xmm7, [rsp + 176]",
        "movups xmm6, [rsp + 160]",
        "movups xmm5, [rsp + 144]",
        "movups xmm4, [rsp + 128]",
        "movups xmm3, [rsp + 112]",
        "movups xmm2, [rsp + 96]",
        "movups xmm1, [rsp + 80]",
        "movups xmm0, [rsp + 64]",
        "mov rax, [rsp + 48]",
        "mov r9, [rsp + 40]",
        "mov r8, [rsp + 32]",
        "mov rcx, [rsp + 24]",
        "mov rdx, [rsp + 16]",
        "mov rsi, [rsp + 8]",
        "mov rdi, [rsp]",
        "leave",
        "jmp r11",
        resolve = sym resolve,
    )
}

/// Resolves the slot whose number is in w17, and jumps to the function found, as on x86-64.
///
/// # Safety
/// Only a trampoline jumps here, with the stack and the arguments of its own call.
#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
unsafe extern "C" fn resolve_and_jump() {
    core::arch::naked_asm!(
        "stp x29, x30, [sp, #-224]!",
        "mov x29, sp",
        "stp x0, x1, [sp, #16]",
        "stp x2, x3, [sp, #32]",
        "stp x4, x5, [sp, #48]",
        "stp x6, x7, [sp, #64]",
        // Register x8 has the address of a result in memory.
        "str x8, [sp, #80]",
        "stp q0, q1, [sp, #96]",
        "stp q2, q3, [sp, #128]",
        "stp q4, q5, [sp, #160]",
        "stp q6, q7, [sp, #192]",
        "mov w0, w17",
        "bl {resolve}",
        "mov x16, x0",
        "ldp q6, q7, [sp, #192]",
        "ldp q4, q5, [sp, #160]",
        "ldp q2, q3, [sp, #128]",
        "ldp q0, q1, [sp, #96]",
        "ldr x8, [sp, #80]",
        "ldp x6, x7, [sp, #64]",
        "ldp x4, x5, [sp, #48]",
        "ldp x2, x3, [sp, #32]",
        "ldp x0, x1, [sp, #16]",
        "ldp x29, x30, [sp], #224",
        "br x16",
        resolve = sym resolve,
    )
}

macro_rules! trampolines {
    ($($index:literal $name:ident;)+) => {
        $(
            /// Jumps to the driver's function of this name.
            ///
            /// # Safety
            /// The arguments match the function's declaration in `cuda.h` and satisfy the CUDA
            /// driver API's conditions.
            #[cfg(target_arch = "x86_64")]
            #[allow(non_snake_case)]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                core::arch::naked_asm!(
                    "mov r11, qword ptr [rip + {table} + {offset}]",
                    "test r11, r11",
                    "je 2f",
                    "jmp r11",
                    "2:",
                    "mov r11d, {index}",
                    "jmp {resolve}",
                    table = sym TABLE,
                    offset = const $index * 8,
                    index = const $index,
                    resolve = sym resolve_and_jump,
                )
            }

            /// Jumps to the driver's function of this name.
            ///
            /// # Safety
            /// The arguments match the function's declaration in `cuda.h` and satisfy the CUDA
            /// driver API's conditions.
            #[cfg(target_arch = "aarch64")]
            #[allow(non_snake_case)]
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                core::arch::naked_asm!(
                    "adrp x16, {table} + {offset}",
                    "add x16, x16, :lo12:{table} + {offset}",
                    // Acquire: with the address, the writes of the thread that opened the library
                    // become visible.
                    "ldar x16, [x16]",
                    "cbz x16, 2f",
                    "br x16",
                    "2:",
                    "mov w17, #{index}",
                    "b {resolve}",
                    table = sym TABLE,
                    offset = const $index * 8,
                    index = const $index,
                    resolve = sym resolve_and_jump,
                )
            }
        )+

        /// The table of every trampoline. Code that refers to this table refers to all trampolines.
        #[used]
        static ALL: [unsafe extern "C" fn(); SYMBOLS.len()] = [$($name),+];
    };
}
with_symbols!(trampolines);

/// Refers to every trampoline, so that the linker takes them from this crate's archive.
pub(crate) fn ensure_linked() {
    core::hint::black_box(&raw const ALL);
}
