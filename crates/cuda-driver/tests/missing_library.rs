//! Tests a library that does not exist: the status says what was tried and why it failed.

use cuda_driver::{Driver, DriverStatus};
use cust::error::CudaError;

#[test]
fn a_library_that_cannot_be_opened_is_no_driver() {
    cuda_driver::choose(Driver::Library("no/such/libcuda.so".into()))
        .expect("this is the first use");
    let DriverStatus::Missing { tried } = cuda_driver::status() else {
        panic!("{}", cuda_driver::status());
    };
    assert_eq!(tried.len(), 1);
    assert_eq!(tried[0].library.to_str(), Some("no/such/libcuda.so"));
    assert!(
        tried[0].error.contains("no/such/libcuda.so"),
        "{}",
        tried[0].error
    );
    assert_eq!(
        cust::init(cust::CudaFlags::empty()),
        Err(CudaError::NoDevice)
    );
}
