//! Adds the slices of a split-K product and applies the epilogue.
//!
//! ```text
//!   slices (slice, batch, m, n) of 4-byte numbers      a thread: four neighbouring columns of a row, and a part of the slices
//!   part 0: slice 0 + slice 1 + ..   in its registers ─┐
//!   part 1: slice 8 + slice 9 + ..   in shared memory ─┴─ operation (C, bias) ─► D
//! ```
//!
//! Law: slices are added in ascending order within a part, and then the parts in ascending order,
//! so every run gives the same bits.

use super::staged::StagedD;
use core::marker::PhantomData;
use cuda_std::shared_array;
use cuda_std::thread::{
    block_dim_x, block_dim_y, block_idx_x, block_idx_z, grid_dim_z, sync_threads, thread_idx_x,
    thread_idx_y,
};
use gpu_kernels::gemm::epilogue::element::{ElementAccumulator, ElementD};
use gpu_kernels::gemm::epilogue::op::{EpilogueOp, EpilogueValues, LinearCombination};
use gpu_kernels::gemm::tile_scheduler::divide;
use half::{bf16, f16};
use kernel_abi::gemm::{GemmParams, flags};
use layout_types::arch::copy::load_global_b128;
use layout_types::arch::grid_dependency_control::{
    launch_dependent_grids, wait_on_dependent_grids,
};
use layout_types::atom::element::{FloatE4M3, FloatE5M2, TFloat32};
use layout_types::unroll::unroll;

/// Four neighbouring values of a row.
struct Four<'a, D> {
    values: [f32; 4],
    /// The element of C that belongs to the first value.
    c: *const u8,
    /// The bias of the first value's column.
    bias: *const f32,
    /// The number of columns from the first value's column to the last of D.
    columns: u32,
    params: &'a GemmParams,
    element: PhantomData<D>,
}

impl<D: StagedD> EpilogueValues for Four<'_, D> {
    #[inline(always)]
    fn map(&mut self, f: impl Fn(f32) -> f32) {
        self.values = self.values.map(f);
    }
    #[inline(always)]
    fn with_c(&mut self, f: impl Fn(f32, f32) -> f32) {
        let [wide, is_bf16] =
            [flags::WIDE, flags::BF16].map(|flag| self.params.epilogue & flag != 0);
        unroll::<4>(|i| {
            if (i as u32) < self.columns {
                // SAFETY: the flags say that there is a C, by the plan, and the column is in
                // bounds.
                let c = unsafe {
                    if wide {
                        *self.c.cast::<f32>().wrapping_add(i)
                    } else if D::OR_BF16 && is_bf16 {
                        bf16::value(*self.c.cast::<u16>().wrapping_add(i))
                    } else {
                        D::value(*self.c.cast::<D::Bits>().wrapping_add(i))
                    }
                };
                self.values[i] = f(self.values[i], c);
            }
        });
    }
    #[inline(always)]
    fn with_bias(&mut self, f: impl Fn(f32, f32) -> f32) {
        unroll::<4>(|i| {
            if (i as u32) < self.columns {
                // SAFETY: the flags say that there is a bias of `n` numbers, by the plan, and the
                // column is below `n`.
                self.values[i] = f(self.values[i], unsafe { *self.bias.wrapping_add(i) });
            }
        });
    }
}

/// Sums and stores the four elements of a thread.
///
/// # Safety
/// The launch and its arguments are those of a [`kernel_abi::gemm::Reduction`]: the slices, C and
/// the bias are readable, D is writable.
#[inline(always)]
pub unsafe fn reduce<A: ElementAccumulator, D: StagedD>(
    d: *mut u8,
    slices: *const u8,
    c: *const u8,
    bias: *const f32,
    params: GemmParams,
    ld: u64,
) {
    let shared = shared_array![u32; 4 * kernel_abi::gemm::REDUCTION_THREADS as usize];
    launch_dependent_grids();
    wait_on_dependent_grids();
    let [vectors, parts] = [block_dim_x(), block_dim_y()];
    let part = thread_idx_y();
    let index = block_idx_x() * vectors + thread_idx_x();
    let (row, four) = divide(index, params.n.div_ceil(4));
    let in_bounds = row < params.m;
    let (column, batch) = (4 * four, u64::from(block_idx_z()));
    let of_batch = u64::from(params.m) * ld;
    let stride = 4 * of_batch * u64::from(grid_dim_z());
    let first = 4 * (batch * of_batch + u64::from(row) * ld + u64::from(column));
    // `parts` is a power of two.
    let of_parts = parts.trailing_zeros();
    let mut slice = (part * params.k_slices) >> of_parts;
    let end = ((part + 1) * params.k_slices) >> of_parts;
    let mut from = slices.wrapping_add((first + u64::from(slice) * stride) as usize);
    let mut sum = [0; 4];
    if in_bounds {
        // SAFETY: a slice's rows have whole vectors of four numbers, aligned to 16 bytes. Each part
        // has at least one slice.
        sum = unsafe { load_global_b128(from) };
        slice += 1;
        while slice < end {
            from = from.wrapping_add(stride as usize);
            // SAFETY: `slice` is below `end`, so there is a next slice, whose vectors are aligned
            // to 16 bytes too.
            let next = unsafe { load_global_b128(from) };
            unroll::<4>(|i| sum[i] = A::add(sum[i], next[i]));
            slice += 1;
        }
    }
    if parts > 1 {
        let threads = vectors * parts;
        let at =
            |i: usize, part: u32| (i as u32 * threads + part * vectors + thread_idx_x()) as usize;
        // SAFETY: `shared` is large enough for four numbers of each thread of the CTA, which has at
        // most `REDUCTION_THREADS` threads by the plan. Only the first part reads, after the
        // barrier, which all threads reach.
        unsafe {
            unroll::<4>(|i| *shared.add(at(i, part)) = sum[i]);
            sync_threads();
            if part > 0 {
                return;
            }
            let mut other = 1;
            while other < parts {
                unroll::<4>(|i| sum[i] = A::add(sum[i], *shared.add(at(i, other))));
                other += 1;
            }
        }
    }
    if !in_bounds {
        return;
    }
    let set = params.epilogue;
    let at = |batch_stride: u64, ld: u64| {
        (batch * batch_stride + u64::from(row) * ld + u64::from(column)) as usize
    };
    let wide = set & (flags::WIDE | flags::INTEGER) != 0;
    let is_bf16 = D::OR_BF16 && set & flags::BF16 != 0;
    let bytes = match (wide, is_bf16) {
        (true, _) => 4,
        (_, true) => 2,
        _ => size_of::<D::Bits>(),
    };
    let d = d.wrapping_add(at(params.batch_d, params.ldd) * bytes);
    let mut values = Four::<D> {
        values: sum.map(A::value),
        c: c.wrapping_add(at(params.batch_c, params.ldc) * bytes),
        bias: bias.wrapping_add(column as usize),
        columns: params.n - column,
        params: &params,
        element: PhantomData,
    };
    if set & flags::INTEGER == 0 {
        if !LinearCombination::is_identity(&params) {
            LinearCombination::apply(&mut values, &params);
        }
        sum = values.values.map(f32::to_bits);
    }
    unroll::<4>(|i| {
        if (i as u32) < params.n - column {
            // SAFETY: the element is in bounds and as wide as the flags say, and only this thread
            // writes it.
            unsafe {
                if wide {
                    *d.cast::<u32>().wrapping_add(i) = sum[i];
                } else if is_bf16 {
                    *d.cast::<u16>().wrapping_add(i) = bf16::round(values.values[i]);
                } else {
                    *d.cast::<D::Bits>().wrapping_add(i) = D::round(values.values[i]);
                }
            }
        }
    });
}

/// Defines the kernels that add slices, in a crate with the feature `kernels`. Each line has a name
/// and the element types of the accumulator and of D.
#[macro_export]
macro_rules! reduction_kernels {
    ($($name:ident $accumulator:ty, $element:ty;)+) => {$(
        #[doc = concat!("Adds the slices of a product with a D of ", stringify!($element), " or of 32 bits.")]
        ///
        /// # Safety
        /// The launch is as [`kernel_abi::gemm::Reduction`] says.
        #[cfg(feature = "kernels")]
        #[$crate::gemm::scope::kernel]
        pub unsafe fn $name(
            d: *mut u8,
            slices: *const u8,
            c: *const u8,
            bias: *const f32,
            params: $crate::gemm::scope::GemmParams,
            ld: u64,
        ) {
            // SAFETY: the launch and its arguments are as the function's contract says.
            unsafe {
                $crate::gemm::reduction::reduce::<$accumulator, $element>(
                    d, slices, c, bias, params, ld,
                )
            }
        }
    )+};
}
reduction_kernels! {
    gemm_reduction_f16 f32, f16;
    gemm_reduction_bf16 f32, bf16;
    gemm_reduction_tf32 f32, TFloat32;
    gemm_reduction_s8 i32, i8;
    gemm_reduction_e4m3 f32, FloatE4M3;
    gemm_reduction_e5m2 f32, FloatE5M2;
}
