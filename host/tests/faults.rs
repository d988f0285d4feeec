//! Kernels that fail while they run. A GPU's context does not survive it, so each GPU case has a process of its own.

mod common;

use common::PTX;
use host::{Device, Error, FaultCause, Kind, Launch};
use std::process::Command;

/// A kernel that writes 8 elements into a buffer of 4, then whether the device can be used.
fn out_of_bounds(device: &Device) -> (Error, Result<Vec<f32>, Error>) {
    let kernel = device.load(PTX).unwrap().kernel("axpy").unwrap();
    let x = device.upload(&[1.0_f32; 4]).unwrap();
    let mut y = device.upload(&[2.0_f32; 4]).unwrap();
    // Far enough that a GPU, which maps memory in pages of megabytes, faults as well.
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
