//! Tests kernels that fail while they run. A GPU's context does not survive a kernel's failure, so
//! each GPU case has a process of its own.

mod common;

use common::PTX;
use host::{Device, Error, FaultCause, Kind, Launch};
use std::process::Command;

/// Runs a kernel that writes far past a buffer of 4 elements. Returns the error, and the result of
/// reading memory afterwards.
fn out_of_bounds(device: &Device) -> (Error, Result<Vec<f32>, Error>) {
    let kernel = device.load(PTX).unwrap().kernel("axpy").unwrap();
    let x = device.upload(&[1.0_f32; 4]).unwrap();
    let mut y = device.upload(&[2.0_f32; 4]).unwrap();
    // A GPU maps memory in pages of megabytes, so the kernel writes far enough past the buffer that
    // a GPU faults as well.
    let error = kernel
        .launch(&Launch::new(1 << 24, 256), (&x, &mut y, 1.0_f32, u32::MAX))
        .unwrap_err();
    let after = x.to_vec();
    (error, after)
}

#[test]
fn the_emulator_names_the_instruction_and_survives() {
    let device = Device::emulator();
    let kernel = device.load(PTX).unwrap().kernel("axpy").unwrap();
    let x = device.upload(&[1.0_f32; 4]).unwrap();
    let mut y = device.upload(&[2.0_f32; 4]).unwrap();
    let error = kernel
        .launch(&Launch::new(1, 8), (&x, &mut y, 1.0_f32, 8_u32))
        .unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("kernel `axpy` failed on emulated sm_90 (grid (1, 1, 1), block (8, 1, 1), 0 bytes of dynamic shared memory): "),
        "{message}"
    );
    assert!(message.contains("ld.global.f32"), "{message}");
    let Error::Fault(fault) = error else {
        panic!("{message}")
    };
    assert_eq!(fault.kind, Kind::Emulator);
    assert!(matches!(fault.cause, FaultCause::Emulator(_)));
    assert_eq!(x.to_vec().unwrap(), [1.0; 4], "the emulator goes on");
}

/// A kernel with blocks of 128 threads, which write rows of `n` elements without a predicate:
/// `d[row * n + column] = row`.
const TILES: &str = "
.version 7.8
.target sm_80
.address_size 64
.visible .entry tiles(.param .u64 d, .param .u32 n) {
    .reg .b32 %r<6>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [d]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r2, %r2, 128, %r3;
    mov.u32 %r4, %ctaid.y; mad.lo.u32 %r2, %r4, %r1, %r2;
    mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2;
    st.global.u32 [%d1], %r4;
    ret;
}";

#[test]
fn a_fault_in_a_described_tensor_names_the_element() {
    let device = Device::emulator();
    let kernel = device.load(TILES).unwrap().kernel("tiles").unwrap();
    let said = |rows: u32, described: bool| {
        let mut d = device.upload(&vec![u32::MAX; 100 * 200]).unwrap();
        if described {
            d.describe([100, 200], [200, 1]);
        }
        let launch = Launch::new([2, rows, 1], 128);
        kernel
            .launch(&launch, (&mut d, 200u32))
            .unwrap_err()
            .to_string()
    };
    let race = said(100, true);
    assert!(race.contains("race on global memory"), "{race}");
    let element = "element (1,0) of a (100,200) tensor, and (0,200), which is out of bounds, is the same place";
    assert!(race.contains(element), "{race}");
    assert!(!said(100, false).contains("element ("));
    // Only the last row goes past the buffer's end.
    let mut d = device.upload(&[u32::MAX; 200]).unwrap();
    d.describe([1, 200], [200, 1]);
    let error = kernel
        .launch(&Launch::new(2, 128), (&mut d, 200u32))
        .unwrap_err();
    let outside = error.to_string();
    assert!(
        outside.contains(
            "element (1,0) of a (1,200) tensor, or (0,200) if a row was left: out of bounds"
        ),
        "{outside}"
    );
}

#[test]
fn a_gpu_fault_has_a_name_and_the_device_is_lost() {
    const INNER: &str = "CUTLET_TEST_GPU_FAULT";
    if Device::gpu_count().is_err() {
        println!("no CUDA device: the emulator's fault is the other test's");
        assert!(matches!(Device::gpu(0), Err(Error::NoGpu(_))));
        return;
    }
    if std::env::var_os(INNER).is_none() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "a_gpu_fault_has_a_name_and_the_device_is_lost",
                "--nocapture",
            ])
            .env(INNER, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        print!("{text}");
        assert!(
            output.status.success(),
            "{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        return;
    }
    let device = Device::gpu(0).unwrap();
    let (error, after) = out_of_bounds(&device);
    println!("{}: {error}", device.where_it_ran());
    let message = error.to_string();
    assert!(message.contains("CUDA_ERROR_ILLEGAL_ADDRESS"), "{message}");
    assert!(message.contains("illegal memory access"), "{message}");
    let after = after.unwrap_err();
    assert!(matches!(after, Error::Lost { .. }), "{after}");
    assert!(
        after.to_string().contains("kernel `axpy` failed"),
        "{after}"
    );
}
