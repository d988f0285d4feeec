//! Loads a box through one map and adds it to a tensor through another map. Checks that every sum
//! is rounded once, to nearest, and that nothing outside the box changes.
//!
//! An H200 has no addition for `.s64`, and none for integers of 8 or 16 bits. All other types are
//! tested.

use super::common::hoppers;
use super::definition::{Case, back, cases, length, store};
use super::kernels::Kernels;
use bytemuck::Pod;
use half::{bf16, f16};
use host::{Device, TensorElement};

/// A number type whose addition gives the same result as the hardware's.
trait Number: Pod {
    fn of(seed: u32) -> Self;
    fn plus(self, other: Self) -> Self;
}
macro_rules! integers {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            fn of(seed: u32) -> Self {
                (u64::from(seed) << 37 ^ u64::from(seed) * 0x9e37_79b9) as $ty
            }
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }
    )*};
}
integers! { u32 i32 u64 }
/// `of` returns a whole number of at most 12 bits times a power of two, rounded to the type. The
/// sum of two such numbers is exact in f64.
macro_rules! floats {
    ($($ty:ty, $from:expr, $to:expr;)*) => {$(
        impl Number for $ty {
            fn of(seed: u32) -> Self {
                let whole = f64::from(seed & 0xfff) - 2048.0;
                $from(whole * 2_f64.powi((seed >> 12 & 15) as i32 - 12))
            }
            fn plus(self, other: Self) -> Self {
                $from($to(self) + $to(other))
            }
        }
    )*};
}
floats! {
    f16, f16::from_f64, f64::from;
    bf16, bf16::from_f64, f64::from;
    f32, |x| x as f32, f64::from;
    f64, |x| x, |x: f64| x;
}

fn numbers<T: Number>(n: usize, seed: u32) -> Vec<T> {
    let hash = |i: u32| {
        i.wrapping_add(seed)
            .wrapping_mul(2_654_435_761)
            .rotate_left(13)
    };
    (0..n as u32).map(|i| T::of(hash(i))).collect()
}

fn sweep<T: Number>(kernels: &Kernels, device: &Device, element: TensorElement) -> usize {
    let mut cases = cases(element);
    // Elements outside the tensor are loaded as zeros here, and not as NaN, because a NaN has many
    // encodings.
    for case in &mut cases {
        case.spec.fill_nan = false;
    }
    for Case {
        spec,
        from_at,
        to_at,
    } in &cases
    {
        let what = || {
            format!(
                "{}: {spec:?}, load at {from_at:?}, add at {to_at:?}",
                device.kind()
            )
        };
        let n = length(spec) / size_of::<T>();
        let (source, before) = (numbers::<T>(n, 1), numbers::<T>(n, 77));
        let from = device.upload(&source).unwrap();
        let mut to = device.upload(&before).unwrap();
        let back = back(spec);
        let brought = {
            let from = from.tensor_map(spec).unwrap();
            let to = to.tensor_map_mut(&back).unwrap();
            kernels
                .add(&from, &to, from_at, to_at)
                .unwrap_or_else(|error| panic!("{}: {error}", what()))
        };
        // The marks show where a store would write, and which bytes. The addition adds the same
        // numbers at the same places.
        let mark = |byte: u8| {
            let mut marked = vec![byte; size_of_val(&before[..])];
            store(&back, &mut marked, to_at, &brought);
            marked
        };
        let (one, other) = (mark(0), mark(0xff));
        let totals = before.iter().enumerate().map(|(i, &old)| {
            let place = i * size_of::<T>()..(i + 1) * size_of::<T>();
            match one[place.clone()] == other[place.clone()] {
                true => old.plus(bytemuck::pod_read_unaligned(&one[place])),
                false => old,
            }
        });
        let expected: Vec<T> = totals.collect();
        let found = to.to_vec().unwrap();
        let (found, expected): (&[u8], &[u8]) = (
            bytemuck::cast_slice(&found),
            bytemuck::cast_slice(&expected),
        );
        assert!(found == expected, "{}", what());
    }
    cases.len()
}

#[test]
fn boxes_of_every_type_rank_and_swizzle_are_added() {
    use TensorElement::*;
    for device in hoppers() {
        let kernels = Kernels::new(&device);
        let mut copies = sweep::<u32>(&kernels, &device, U32);
        copies += sweep::<i32>(&kernels, &device, S32) + sweep::<u64>(&kernels, &device, U64);
        copies += sweep::<f16>(&kernels, &device, F16) + sweep::<bf16>(&kernels, &device, Bf16);
        copies += sweep::<f32>(&kernels, &device, F32) + sweep::<f64>(&kernels, &device, F64);
        println!("{copies} boxes, no difference: {}", device.where_it_ran());
        assert_eq!(copies, 7 * (5 * 20 + 16) + 4 * 20);
    }
}
