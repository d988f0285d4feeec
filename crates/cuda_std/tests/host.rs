//! Tests that, on the host, a kernel is the function in the source, and functions that exist only
//! on the GPU panic.

use cuda_std::atomic::{AtomicF32, AtomicI64, BlockAtomicU32, SystemAtomicF64};
use cuda_std::prelude::*;
use cuda_std::{address_space, shared_array, warp};
use std::panic::catch_unwind;
use std::sync::atomic::Ordering;

/// Takes parameters that the PTX ABI would split or pack.
#[kernel]
pub unsafe fn add(a: &[f32], (x, _): (f32, u8), out: *mut f32) {
    // SAFETY: the caller passes a valid pointer.
    unsafe { *out = a.iter().sum::<f32>() + x };
}

#[test]
fn a_kernel_is_callable_as_a_plain_function() {
    let mut sum = 0.0;
    // SAFETY: `sum` is valid for the write.
    unsafe { add(&[1.0, 2.0], (4.0, 0), &raw mut sum) };
    assert_eq!(sum, 7.0);
    // On the host the kernel is an ordinary Rust function, without a foreign ABI.
    let _: unsafe fn(&[f32], (f32, u8), *mut f32) = add;
}

/// A file with kernels, as in the guide. On the host, `std`'s inherent methods take precedence over
/// the prelude's methods, but the compiler does not report the prelude as unused.
#[deny(warnings)]
mod kernel_file {
    use cuda_std::prelude::*;

    #[kernel]
    pub unsafe fn exponential(x: *mut f32) {
        // SAFETY: the caller passes a valid pointer.
        unsafe { *x = (*x).exp() };
    }
}

#[test]
fn methods_of_floats_come_with_the_prelude() {
    let mut x = 0.0;
    // SAFETY: `x` is valid for the write.
    unsafe { kernel_file::exponential(&raw mut x) };
    assert_eq!(x, 1.0);
}

fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = catch_unwind(f).expect_err("it panics on the host");
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => panic
            .downcast::<&str>()
            .map_or(String::new(), |text| (*text).to_owned()),
    }
}

#[test]
fn what_exists_on_the_gpu_only_names_itself() {
    assert_eq!(
        message(|| _ = thread::thread_idx_x()),
        "`thread_idx_x` can only be used on the GPU"
    );
    assert_eq!(
        message(|| _ = warp::lane_id()),
        "`lane_id` can only be used on the GPU"
    );
    assert_eq!(
        message(|| _ = shared_array![u32; 4]),
        "`shared_array!` can only be used on the GPU"
    );
}

#[test]
fn a_static_with_an_address_space_is_itself_on_the_host() {
    #[address_space(shared)]
    static TABLE: [u32; 3] = [1, 2, 3];
    assert_eq!(TABLE[2], 3);
}

#[test]
fn atomics_work_on_the_cpu() {
    let sum = AtomicF32::new(0.5);
    let threads = 8;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..100 {
                    sum.fetch_add(1.0, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), 800.5);

    let value = SystemAtomicF64::new(6.0);
    assert_eq!(value.fetch_sub(2.0, Ordering::AcqRel), 6.0);
    assert_eq!(value.swap(1.0, Ordering::SeqCst), 4.0);
    assert_eq!(value.compare_exchange(2.0, 3.0, Ordering::SeqCst), Err(1.0));
    assert_eq!(value.compare_exchange(1.0, 3.0, Ordering::SeqCst), Ok(1.0));
    assert_eq!(value.load(Ordering::Acquire), 3.0);

    let signed = AtomicI64::new(-5);
    assert_eq!(signed.fetch_max(-7, Ordering::Relaxed), -5);
    assert_eq!(signed.fetch_min(-9, Ordering::Relaxed), -5);
    assert_eq!(signed.fetch_add(i64::MIN, Ordering::Relaxed), -9);
    assert_eq!(
        signed.load(Ordering::SeqCst),
        (-9i64).wrapping_add(i64::MIN)
    );

    let block = BlockAtomicU32::new(6);
    // SAFETY: only this thread uses the value.
    unsafe {
        assert_eq!(block.fetch_and(3, Ordering::Relaxed), 6);
        assert_eq!(block.fetch_xor(1, Ordering::Relaxed), 2);
        assert_eq!(block.fetch_or(8, Ordering::Relaxed), 3);
        assert_eq!(block.load(Ordering::Relaxed), 11);
    }
}

#[test]
fn float_methods_are_stds_on_the_host() {
    fn through_the_trait<T: GpuFloat>(x: T) -> (T, T, T) {
        (x.sin(), x.floor(), x.log2())
    }
    assert_eq!(
        through_the_trait(8.5f64),
        (8.5f64.sin(), 8.0, 8.5f64.log2())
    );
    assert_eq!(
        through_the_trait(8.5f32),
        (8.5f32.sin(), 8.0, 8.5f32.log2())
    );
}
