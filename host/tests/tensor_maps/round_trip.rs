//! Loads a box through one map, and stores it through another map.

use super::common::hoppers;
use super::definition::every_type;
use super::definition::{Case, back, cases, differs, length, load, numbers, numbers_of, store};
use super::kernels::Kernels;
use bytemuck::Pod;
use half::f16;
use host::{Device, Kind, TensorElement, TensorMapSpec, TensorSwizzle};

/// Loads and stores one box and compares every byte.
fn round_trip<T: Pod>(kernels: &Kernels, device: &Device, case: &Case) {
    let Case {
        spec,
        from_at,
        to_at,
    } = case;
    let what = || {
        format!(
            "{}: {spec:?}, load at {from_at:?}, store at {to_at:?}",
            device.kind()
        )
    };
    let length = length(spec);
    let (bytes, before) = (numbers_of(spec.element, length, 1), numbers(length, 77));
    let typed = |bytes: &[u8]| bytemuck::pod_collect_to_vec::<u8, T>(bytes);
    let from = device.upload(&typed(&bytes)).unwrap();
    let mut to = device.upload(&typed(&before)).unwrap();
    let back = back(spec);
    let found = {
        let from = from.tensor_map(spec).unwrap();
        let to = to.tensor_map_mut(&back).unwrap();
        kernels
            .round_trip(&from, &to, from_at, to_at)
            .unwrap_or_else(|error| panic!("{}: {error}", what()))
    };
    assert!(
        !differs(spec, &load(spec, &bytes, from_at), &found),
        "the load: {}",
        what()
    );
    let mut after = before;
    store(&back, &mut after, to_at, &found);
    let stored = to.to_vec().unwrap();
    assert!(
        bytemuck::cast_slice::<T, u8>(&stored) == after,
        "the store: {}",
        what()
    );
}

fn sweep<T: Pod>(kernels: &Kernels, device: &Device, element: TensorElement) -> usize {
    let cases = cases(element);
    for case in &cases {
        round_trip::<T>(kernels, device, case);
    }
    cases.len()
}

#[test]
fn boxes_of_every_type_rank_and_swizzle_make_the_round_trip() {
    for device in hoppers() {
        let kernels = Kernels::new(&device);
        let copies = every_type!(sweep, &kernels, &device);
        println!("{copies} boxes, no difference: {}", device.where_it_ran());
        assert_eq!(copies, 13 * 20 * 5 + 7 * 20 + 13 * 16);
    }
}

/// The test has tensors below and above 128 KiB, because drivers encode the two differently.
#[test]
fn tensors_on_both_sides_of_128_kib_are_copied() {
    for device in hoppers() {
        let kernels = Kernels::new(&device);
        for rows in [8, 511, 512, 513, 4096] {
            let spec = TensorMapSpec::new(TensorElement::F16, &[128, rows], &[256], &[64, 8])
                .swizzle(TensorSwizzle::B128);
            let last = rows as i32 - 5;
            let at = || vec![64, last];
            let (from_at, to_at) = (at(), at());
            let case = Case {
                spec,
                from_at,
                to_at,
            };
            round_trip::<f16>(&kernels, &device, &case);
        }
    }
}

/// A device refuses a map that was made for another device.
#[test]
fn a_map_is_of_the_device_of_its_buffer() {
    let (one, other) = (Device::emulator(), Device::emulator());
    assert_eq!(one.kind(), Kind::Emulator);
    let spec = TensorMapSpec::new(TensorElement::U32, &[64], &[], &[32]);
    let buffer = one.upload(&[1_u32; 64]).unwrap();
    let mut target = other.upload(&[0_u32; 64]).unwrap();
    let maps = (
        buffer.tensor_map(&spec).unwrap(),
        target.tensor_map_mut(&spec).unwrap(),
    );
    let error = Kernels::new(&other)
        .round_trip(&maps.0, &maps.1, &[0], &[0])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("argument 0 is a buffer of emulator"),
        "{error}"
    );
}
