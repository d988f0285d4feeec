//! Functions that the expansions of the attributes call. They are not part of the API.

/// A type that a kernel can take as a parameter: `Copy`, because every thread gets its own copy.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel parameter: it is not `Copy`",
    label = "every thread of the launch would need its own",
    note = "pass plain data, or a pointer to it"
)]
pub trait KernelParameter {}
impl<T: Copy> KernelParameter for T {}

/// Compiles only for types that can be kernel parameters.
#[inline(always)]
pub const fn assert_kernel_parameter<T: KernelParameter>() {}

/// Returns the alignment of a grid constant in parameter space: 64 for a type whose size is a
/// multiple of 64 bytes, such as a tensor map, and otherwise the type's own alignment.
pub const fn grid_constant_align<T>() -> usize {
    if size_of::<T>().is_multiple_of(64) && size_of::<T>() > 0 {
        64
    } else {
        align_of::<T>()
    }
}

/// Panics. Items that exist only on the GPU call this function on other targets. The return type is
/// generic instead of `!`, so that the host compiler does not report the code around the call as
/// unreachable.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
pub fn not_on_this_target<T>(what: &str) -> T {
    panic!("`{what}` can only be used on the GPU")
}

/// Returns the same pointer, and lets LLVM assume that it points into shared memory. Accesses
/// through the result become `ld.shared` and `st.shared` instead of generic loads and stores.
///
/// Precondition: the pointer points into shared memory.
///
/// LLVM infers the address space from an assumption about `isspacep.shared`, but it drops the
/// assumption before that if the value of `isspacep` has no other use. The empty `asm!` is such a
/// use. ptxas removes the `asm!` together with the `isspacep`, so the machine code has only `LDS`
/// and `STS`. The assumption holds only for the code after it. The `asm!` that takes the address is
/// therefore not `pure`, because LLVM would otherwise hoist address arithmetic above the
/// assumption.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
#[must_use]
pub fn in_shared<T>(pointer: *mut T) -> *mut T {
    // SAFETY: `is_shared` only reads the address, the `asm!` is empty, and the assumption is the
    // precondition, which holds for the addresses of `.shared` symbols that are passed here.
    unsafe {
        let shared = crate::intrinsics::is_shared(pointer.cast());
        core::arch::asm!("// {0}", in(reg32) u32::from(shared), options(nomem, nostack, preserves_flags));
        core::hint::assert_unchecked(shared);
    }
    pointer
}
