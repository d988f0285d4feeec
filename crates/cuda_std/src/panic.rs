//! The panic handler: prints the place of the panic, then ends the launch by a trap.
//!
//! ```text
//!   panic!() ──► __assertfail("panicked", "src/lib.rs", 10, "") ──► trap
//!                prints  src/lib.rs:10: : block: [0,0,0], thread: [3,0,0] Assertion `panicked` failed.
//! ```
//!
//! Law: a panic never returns, and a kernel that cannot panic contains nothing of this handler. The
//! handler prints the place and not the formatted message, because formatting would add `core::fmt`
//! and local memory to every kernel with a bounds check.
//!
//! Source: PTX Writer's Guide to Interoperability, *System Calls: __assertfail*.

#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    if let Some(location) = info.location() {
        // SAFETY: all strings end in NUL: rustc emits a location's file name as a C string, and the
        // other strings are C strings here.
        unsafe {
            crate::io::__assertfail(
                c"panicked".as_ptr().cast(),
                location.file_as_c_str().as_ptr().cast(),
                location.line(),
                c"".as_ptr().cast(),
                1,
            );
        }
    }
    // SAFETY: the instruction only ends the launch.
    unsafe { crate::intrinsics::trap() }
}
