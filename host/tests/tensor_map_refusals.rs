//! Tests each way in which a tensor map is refused, with its message.

use half::f16;
use host::{
    ByValue, Device, EmulatorConfig, Error, Launch, TensorElement, TensorMapError, TensorMapSpec,
    TensorSwizzle,
};
use layout_types::atom::gmma::*;
use layout_types::prelude::*;

/// Returns a map of 100 rows of 72 halves, with boxes of 8 rows and 64 columns.
fn spec() -> TensorMapSpec {
    TensorMapSpec::new(TensorElement::F16, &[72, 100], &[144], &[64, 8])
        .swizzle(TensorSwizzle::B128)
}

/// Returns the message about a specification with this change.
fn refused(change: impl FnOnce(&mut TensorMapSpec)) -> String {
    let mut wrong = spec();
    change(&mut wrong);
    let device = Device::emulator();
    let buffer = device.upload(&[f16::ONE; 72 * 100]).unwrap();
    let error = buffer.tensor_map(&wrong).unwrap_err();
    assert!(matches!(error, Error::TensorMap(_)), "{error}");
    let text = error.to_string();
    text.strip_prefix("tensor map: ").unwrap().to_owned()
}

#[test]
fn what_no_map_can_be_is_refused_by_field() {
    let device = Device::emulator();
    let buffer = device.upload(&[f16::ONE; 72 * 100]).unwrap();
    assert!(buffer.tensor_map(&spec()).is_ok());
    type Change = fn(&mut TensorMapSpec);
    let cases: [(Change, &str); 16] = [
        (
            |s| s.extents.clear(),
            "the tensor has 0 dimensions; a tensor map has 1 to 5",
        ),
        (
            |s| s.extents = vec![8; 6],
            "the tensor has 6 dimensions; a tensor map has 1 to 5",
        ),
        (
            |s| s.strides.clear(),
            "0 strides were given for 2 dimensions; 1 are needed",
        ),
        (
            |s| s.box_extents.push(1),
            "3 extents of the box were given for 2 dimensions; 2 are needed",
        ),
        (
            |s| s.element_strides.clear(),
            "0 element strides were given for 2 dimensions; 2 are needed",
        ),
        (
            |s| s.extents[1] = 0,
            "extent 1 of the tensor is 0; it must be from 1 to 2^32",
        ),
        (
            |s| s.extents[0] = (1 << 32) + 1,
            "extent 0 of the tensor is 4294967297; it must be from 1 to 2^32",
        ),
        (
            |s| s.strides[0] = 152,
            "stride 1 of the tensor is 152 bytes; it must be a multiple of 16 below 2^40",
        ),
        (
            |s| s.strides[0] = 1 << 40,
            "stride 1 of the tensor is 1099511627776 bytes; it must be a multiple of 16 below 2^40",
        ),
        (
            |s| s.box_extents[1] = 257,
            "extent 1 of the box is 257; it must be from 1 to 256",
        ),
        (
            |s| s.element_strides[0] = 2,
            "element stride 0 is 2; it must be 1",
        ),
        (
            |s| s.element_strides[1] = 9,
            "element stride 1 is 9; it must be from 1 to 8",
        ),
        (
            |s| s.box_extents[0] = 12,
            "a row of the box has 24 bytes; it must be a multiple of 16",
        ),
        (
            |s| s.swizzle = TensorSwizzle::B64,
            "a row of the box has 128 bytes; a 64-byte swizzle takes at most 64",
        ),
        (
            |s| (s.element, s.fill_nan) = (TensorElement::U16, true),
            "u16 has no NaN to fill with",
        ),
        (
            |s| (s.element, s.box_extents[0]) = (TensorElement::F32, 32),
            "the map is of 4 bytes each; the buffer's elements have 2",
        ),
    ];
    for (change, message) in cases {
        assert_eq!(refused(change), message);
    }
}

#[test]
fn a_tensor_keeps_within_its_buffer() {
    assert_eq!(
        refused(|s| s.extents[1] = 101),
        "the tensor spans 14544 bytes; the buffer has 14400"
    );
    let largest = refused(|s| (s.extents[1], s.strides[0]) = (1 << 32, (1 << 40) - 16));
    assert!(largest.contains("the buffer has 14400"), "{largest}");
    // A store of the last row, which has 70 halves, writes up to the next multiple of 16 bytes.
    let device = Device::emulator();
    let mut buffer = device.upload(&[f16::ONE; 72 * 99 + 70]).unwrap();
    let mut narrow = spec();
    narrow.extents[0] = 70;
    assert!(buffer.tensor_map(&narrow).is_ok(), "read it may be");
    assert_eq!(
        buffer.tensor_map_mut(&narrow).unwrap_err().to_string(),
        "tensor map: the tensor spans 14400 bytes, its last row rounded up to 16 bytes, as stores write it; the buffer has 14396"
    );
    let view = buffer.view(4..72).unwrap();
    let error = view
        .tensor_map(&TensorMapSpec::new(TensorElement::F16, &[64], &[], &[64]))
        .unwrap_err();
    let address = view.address();
    assert_eq!(
        error.to_string(),
        format!("tensor map: the tensor begins at {address:#x}, which is no multiple of 16")
    );
}

#[test]
fn a_tile_of_another_major_than_the_tensor_is_refused() {
    type KMajor = TileToShape<LayoutKSw128Atom<f16>, shape!((64, 64))>;
    type MnMajor = TileToShape<LayoutMnSw128Atom<f16>, shape!((64, 64))>;
    let said = |found: Result<TensorMapSpec, TensorMapError>| found.unwrap_err().to_string();
    assert_eq!(
        said(TensorMapSpec::tile::<KMajor, f16>(&[100, 72], &[1, 104])),
        "mode 1 is contiguous in shared memory; in the tensor its stride is 104, and must be 1"
    );
    assert_eq!(
        said(TensorMapSpec::tile::<MnMajor, f16>(&[100, 72], &[72, 1])),
        "mode 0 is contiguous in shared memory; in the tensor its stride is 72, and must be 1"
    );
    assert_eq!(
        said(TensorMapSpec::tile::<KMajor, f16>(&[100], &[1])),
        "the tensor has 1 dimension; a tensor map has 1 to 5"
    );
    assert_eq!(
        said(TensorMapSpec::tile::<KMajor, f16>(&[100, 72, 3], &[72, 1])),
        "2 strides were given for 3 dimensions; 3 are needed"
    );
    let batched = TensorMapSpec::tile::<KMajor, f16>(&[100, 72, 3], &[72, 1, 7200]).unwrap();
    assert_eq!(batched.extents, [72, 100, 3]);
    assert_eq!(batched.strides, [144, 14400]);
    assert_eq!(batched.box_extents, [64, 64, 1]);
}

#[test]
fn a_device_before_hopper_has_no_tensor_maps() {
    let device = Device::emulator_with(EmulatorConfig {
        compute_capability: (8, 0),
        ..EmulatorConfig::default()
    });
    let buffer = device.upload(&[f16::ONE; 72 * 100]).unwrap();
    assert_eq!(
        buffer.tensor_map(&spec()).unwrap_err().to_string(),
        "tensor map: tensor maps need compute capability 9.0 (Hopper); emulated sm_80 has 8.0"
    );
    let driver = TensorMapError::NoEntryPoint {
        driver: "11.8".into(),
    };
    assert_eq!(
        driver.to_string(),
        "the CUDA driver (11.8) has no cuTensorMapEncodeTiled: install one for CUDA 12.0 or newer (525 or later), or use the emulator"
    );
}

#[test]
fn a_map_is_an_argument_for_a_grid_constant_of_128_bytes() {
    let module = |parameter: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param {parameter}) {{ ret; }}"
        )
    };
    let device = Device::emulator();
    let buffer = device.upload(&[f16::ONE; 72 * 100]).unwrap();
    let map = buffer.tensor_map(&spec()).unwrap();
    let launch = |parameter: &str| {
        let kernel = device
            .load(&module(parameter))
            .unwrap()
            .kernel("k")
            .unwrap();
        kernel.launch(&Launch::new(1, 32), (&map,)).map(drop)
    };
    assert!(launch(".align 64 .b8 map[128]").is_ok());
    let said = |parameter: &str| launch(parameter).unwrap_err().to_string();
    assert_eq!(
        said(".align 16 .b8 map[128]"),
        "kernel `k`: argument 0 is a tensor map; the kernel's parameter is aligned to 16 bytes and must be to 64: declare it `#[grid_constant] map: &TensorMap`"
    );
    assert_eq!(
        said(".u64 map"),
        "kernel `k`: argument 0 is a tensor map of a read-only buffer of 7200 elements; the kernel's parameter is .u64, 8 bytes"
    );
    // The map's bytes can be passed like any other value.
    let bytes = ByValue(*map.bytes());
    let kernel = device.load(&module(".align 64 .b8 map[128]")).unwrap();
    kernel
        .kernel("k")
        .unwrap()
        .launch(&Launch::new(1, 32), (bytes,))
        .unwrap();
}
