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

/// The answer of what exists on the GPU only, elsewhere.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
pub fn not_on_this_target(what: &str) -> ! {
    panic!("`{what}` can only be used on the GPU")
}
