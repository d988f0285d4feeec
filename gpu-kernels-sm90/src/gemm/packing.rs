//! Copies operands whose rows the tensor memory accelerator cannot address.
//!
//! ```text
//!   row i of the operand      any address      ├ warp i ┤  lane 0: elements 0..8, lane 1: 8..16, ..
//!   row i of the copy         16 bytes a lane  ├────────┤  zero after the last element
//! ```
//!
//! Law: the copy is the one that [`kernel_abi::gemm::Packing`] defines.

use cuda_std::thread::{block_idx_x, block_idx_z, thread_idx_x};
use layout_types::arch::grid_dependency_control::{
    launch_dependent_grids, wait_on_dependent_grids,
};

/// An element that is copied as bits.
pub trait Bits: Copy {
    /// The number of bits in an element.
    const BITS: u32;
    /// Returns the element's bits.
    fn widen(self) -> u128;
}
macro_rules! bits {
    ($($ty:ty)*) => {$(
        impl Bits for $ty {
            const BITS: u32 = <$ty>::BITS;
            #[inline(always)]
            fn widen(self) -> u128 {
                self.into()
            }
        }
    )*};
}
bits!(u8 u16 u32);

/// Copies the rows of one CTA. It is the body of the kernels that
/// [`packing_kernels!`](crate::packing_kernels) defines.
///
/// # Safety
/// The launch and its arguments are those of a [`kernel_abi::gemm::Packing`]: the operand's rows
/// are readable, and the copy's rows are aligned to 16 bytes and writable.
#[inline(always)]
pub unsafe fn pack<T: Bits>(
    to: *mut T,
    from: *const T,
    [rows, columns]: [u32; 2],
    [ld, ld_to]: [u64; 2],
    [batch_stride, batch_stride_to]: [u64; 2],
) {
    launch_dependent_grids();
    wait_on_dependent_grids();
    let vector = const { 128 / T::BITS };
    let row = 8 * block_idx_x() + thread_idx_x() / 32;
    if row >= rows {
        return;
    }
    let batch = u64::from(block_idx_z());
    let from = from.wrapping_add((batch * batch_stride + u64::from(row) * ld) as usize);
    let to = to.wrapping_add((batch * batch_stride_to + u64::from(row) * ld_to) as usize);
    let mut column = vector * (thread_idx_x() % 32);
    while column < columns {
        let mut packed = 0u128;
        let mut i = 0;
        while i < vector {
            if column + i < columns {
                // SAFETY: the element is in bounds: its column is below `columns`, its row below
                // `rows`.
                let element = unsafe { *from.wrapping_add((column + i) as usize) };
                packed |= element.widen() << (i * T::BITS);
            }
            i += 1;
        }
        // SAFETY: the copy's rows have whole vectors, and only this lane writes this vector.
        unsafe { *to.wrapping_add(column as usize).cast::<u128>() = packed };
        column += 32 * vector;
    }
}

/// Defines the kernels that copy operands, in a crate with the feature `kernels`. Each line has a
/// name and an integer type as wide as an element.
#[macro_export]
macro_rules! packing_kernels {
    ($($name:ident $ty:ty;)+) => {$(
        #[doc = concat!("Copies a matrix of elements of ", stringify!($ty), " into rows of whole vectors of 16 bytes.")]
        ///
        /// # Safety
        /// The launch is as [`kernel_abi::gemm::Packing`] says.
        #[cfg(feature = "kernels")]
        #[$crate::gemm::scope::kernel]
        #[allow(clippy::too_many_arguments, reason = "a kernel's arguments are its interface")]
        pub unsafe fn $name(
            to: *mut $ty,
            from: *const $ty,
            rows: u32,
            columns: u32,
            ld: u64,
            ld_to: u64,
            batch_stride: u64,
            batch_stride_to: u64,
        ) {
            // SAFETY: the launch and its arguments are as the function's contract says.
            unsafe {
                $crate::gemm::packing::pack(
                    to, from, [rows, columns], [ld, ld_to], [batch_stride, batch_stride_to],
                )
            }
        }
    )+};
}
packing_kernels! {
    pack_u8 u8;
    pack_u16 u16;
    pack_u32 u32;
}
