//! Tests the search for the driver on this machine, and the variable that forbids the driver.

use cuda_driver::{DriverStatus, NO_CUDA};
use std::process::Command;

/// `cust::init` and the search must agree. The test is in its own program, because a process
/// searches only once.
#[test]
fn the_search_and_cust_agree() {
    let status = cuda_driver::status();
    let init = cust::init(cust::CudaFlags::empty());
    println!("{status}; cust::init: {init:?}");
    match status {
        DriverStatus::Loaded { library, .. } => assert!(library.is_absolute(), "{status}"),
        DriverStatus::Missing { tried } => {
            assert_eq!(tried[0].library.to_str(), Some("libcuda.so.1"));
            assert!(
                tried.iter().all(|attempt| !attempt.error.is_empty()),
                "{status}"
            );
            assert_eq!(init, Err(cust::error::CudaError::NoDevice));
        }
        DriverStatus::Disabled { by } => {
            assert_eq!(*by, NO_CUDA);
            assert_eq!(init, Err(cust::error::CudaError::NoDevice));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn the_variable_forbids_the_driver() {
    for (value, forbidden) in [("1", true), ("yes", true), ("0", false), ("", false)] {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_search_and_cust_agree", "--nocapture"])
            .env(NO_CUDA, value)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success(), "{said}");
        assert_eq!(
            said.contains("disabled by CUTLET_NO_CUDA"),
            forbidden,
            "{value:?}: {said}"
        );
    }
}
