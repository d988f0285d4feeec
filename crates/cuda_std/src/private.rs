//! What the attributes' output calls. Not part of the API.

/// A type that a kernel can take: `Copy`, because every thread gets its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel parameter: it is not `Copy`",
    label = "every thread of the launch would need its own",
    note = "pass plain data, or a pointer to it"
)]
pub trait KernelParameter {}
impl<T: Copy> KernelParameter for T {}

/// Compiles for kernel parameters only.
#[inline(always)]
pub const fn assert_kernel_parameter<T: KernelParameter>() {}

/// The alignment of a grid constant in parameter space: 64 for a value of whole 64 bytes, a tensor
/// map among them.
pub const fn grid_constant_align<T>() -> usize {
    if size_of::<T>().is_multiple_of(64) && size_of::<T>() > 0 {
        64
    } else {
        align_of::<T>()
    }
}

/// The answer of what exists on the GPU only, elsewhere. Generic, not `!`, so that the code around
/// it on the host is not called unreachable.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
pub fn not_on_this_target<T>(what: &str) -> T {
    panic!("`{what}` can only be used on the GPU")
}

/// The same pointer, with LLVM told that it points into shared memory, so that accesses through it
/// become `ld.shared` and `st.shared` instead of generic ones.
///
/// Precondition: it does.
///
/// LLVM believes an assumed `isspacep.shared`, but drops assumptions that nothing else uses before
/// it comes to infer address spaces. The empty `asm!` is that use; ptxas removes it and the
/// `isspacep` with it, so what is left in the machine code is `LDS` and `STS`. The assumption holds
/// for what comes after it only, so the `asm!` that takes the address is not `pure` either: LLVM
/// would hoist address arithmetic above the assumption.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
#[must_use]
pub fn in_shared<T>(pointer: *mut T) -> *mut T {
    // SAFETY: the first reads nothing but the address, the second is empty, and the assumption is
    // the precondition, which holds for the addresses of `.shared` symbols that are passed here.
    unsafe {
        let shared = crate::intrinsics::is_shared(pointer.cast());
        core::arch::asm!("// {0}", in(reg32) u32::from(shared), options(nomem, nostack, preserves_flags));
        core::hint::assert_unchecked(shared);
    }
    pointer
}
