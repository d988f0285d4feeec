//! Tests calls without a driver: every call returns an error value, and the error can be printed.

mod common;

use common::LINKED;
use cuda_driver::{Driver, DriverStatus};
use cust::CudaFlags;
use cust::error::CudaError;
use std::sync::Once;

fn without_a_driver() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| cuda_driver::choose(Driver::None).expect("this is the first use"));
}

#[test]
fn cust_gets_error_values() {
    without_a_driver();
    assert_eq!(cust::init(CudaFlags::empty()), Err(CudaError::NoDevice));
    assert_eq!(
        cust::device::Device::num_devices().err(),
        Some(CudaError::NoDevice)
    );
    assert_eq!(cust::quick_init().err(), Some(CudaError::NoDevice));
    // cust calls the driver's function to get the message.
    let words = CudaError::NoDevice.to_string();
    assert!(words.contains("no CUDA driver"), "{words}");
    assert!(
        CudaError::LaunchFailed
            .to_string()
            .contains("CUDA_ERROR_LAUNCH_FAILED")
    );
}

#[test]
fn the_status_says_who_forbade_it() {
    without_a_driver();
    let DriverStatus::Disabled { by } = cuda_driver::status() else {
        panic!("{}", cuda_driver::status());
    };
    assert_eq!(*by, "the program");
    assert_eq!(cuda_driver::symbol(c"cuInit"), None);
}

#[test]
fn every_function_returns_no_device() {
    without_a_driver();
    for &(name, function) in LINKED {
        if name == c"cuGetErrorName" || name == c"cuGetErrorString" {
            continue;
        }
        for call in ["first", "second"] {
            // SAFETY: without a driver a fallback answers, which reads no arguments.
            assert_eq!(unsafe { function() }, 100, "{call} call of {name:?}");
        }
    }
}

#[test]
fn calls_and_their_owners_say_that_there_is_no_device() {
    without_a_driver();
    // SAFETY: without a driver no argument is read.
    let codes = unsafe {
        let null = std::ptr::null_mut();
        [
            cuda_driver::calls::cuInit(0),
            cuda_driver::calls::cuMemFree_v2(1),
            cuda_driver::calls::cuGraphLaunch(null, null),
        ]
    };
    assert_eq!(codes, [100; 3]);
    let error = cuda_driver::init().unwrap_err();
    assert_eq!(error.name, "CUDA_ERROR_NO_DEVICE");
    assert!(error.meaning.contains("no CUDA driver"), "{error}");
    assert_eq!(
        cuda_driver::Device::get(0),
        Err(cuda_driver::DriverError::new("cuDeviceGet", 100))
    );
    assert_eq!(cuda_driver::device_count().unwrap_err().code, 100);
}
