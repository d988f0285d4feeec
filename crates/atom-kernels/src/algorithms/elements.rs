//! Algorithms that process single elements; each thread processes its part.
//!
//! ```text
//!   32 threads, 16 elements each: four runs of four, 128 apart
//! ```
//!
//! Law: the results are those of loops in the order of the part's elements, with each operation
//! rounded separately.

use cuda_std::kernel;
use cuda_std::thread::thread_idx_x;
use layout_types::algorithm::{axpby, copy, fill, reduce, transform, transform_with};
use layout_types::atom::copy::AutoVectorizingCopy as Auto;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, make_fragment_like};

/// The layout of 512 elements, (thread, element).
type Parts = layout!((32,(4,4)):(4,(1,128)));

/// Computes `y = alpha x + beta y` in registers.
///
/// # Safety
/// One warp executes it; both arrays hold 512 elements at multiples of 16 bytes.
#[kernel]
pub unsafe fn tensor_axpby(y: *mut f32, x: *const f32, alpha: f32, beta: f32) {
    let thread = thread_idx_x();
    // SAFETY: the caller guarantees one warp, and 512 elements of both arrays at multiples of 16
    // bytes: 16 elements per lane.
    unsafe {
        let x = Tensor::<_, Parts>::global_static(x).slice((thread, __));
        let y = Tensor::<_, Parts>::global_static_mut(y).slice((thread, __));
        let (held_x, held_y) = (make_fragment_like(&x), make_fragment_like(&y));
        copy(Auto::default(), &x, &held_x.view());
        copy(Auto::default(), &y, &held_y.view());
        axpby(alpha, &held_x.view(), beta, &held_y.view());
        copy(Auto::default(), &held_y.view(), &y);
    }
}

/// Computes `bits = |x|` as bits, and `most = max(x, floor)`, directly from and to global memory.
///
/// # Safety
/// The conditions of [`tensor_axpby`] hold for all three arrays.
#[kernel]
pub unsafe fn tensor_transform(bits: *mut u32, most: *mut f32, x: *const f32, floor: f32) {
    let thread = thread_idx_x();
    // SAFETY: the caller guarantees one warp, and 512 elements of each array at multiples of 16
    // bytes: 16 elements per lane.
    let (bits, most, x) = unsafe {
        (
            Tensor::<_, Parts>::global_static_mut(bits).slice((thread, __)),
            Tensor::<_, Parts>::global_static_mut(most).slice((thread, __)),
            Tensor::<_, Parts>::global_static(x).slice((thread, __)),
        )
    };
    let floors = Fragment::<f32, layout!((4, 4))>::new();
    fill(&floors.view(), floor);
    transform(&x, &bits, |x| x.to_bits() & 0x7fff_ffff);
    transform_with(
        &x,
        &floors.view().group_modes::<int!(0), int!(2)>(),
        &most,
        |x, floor| {
            if x < floor { floor } else { x }
        },
    );
}

/// Computes the sum of each thread's elements, in their order.
///
/// # Safety
/// One warp executes it; `x` holds 512 elements, and `sums` holds 32.
#[kernel]
pub unsafe fn tensor_reduce(sums: *mut f32, x: *const f32) {
    let thread = thread_idx_x();
    // SAFETY: the caller guarantees one warp, 512 elements at `x` (16 per lane), and 32 at `sums`
    // (one per lane).
    unsafe {
        let x = Tensor::<_, Parts>::global_static(x).slice((thread, __));
        let sums = Tensor::<_, layout!((32))>::global_static_mut(sums);
        sums.set((thread,), reduce(&x, 0.0, |sum, x| sum + x));
    }
}
