//! Opens the CUDA driver at the first call of a driver function, so that a program that uses `cust`
//! links and starts on a machine without a driver.
//!
//! ```text
//!   cust ──calls──► cuMemAlloc_v2            the linker finds it here
//!                        │ first call: open libcuda.so.1, look the name up, remember the address
//!                        ▼
//!          table of addresses ──jump──► the driver's cuMemAlloc_v2       all registers and the stack untouched
//!                        └────────────► returns CUDA_ERROR_NO_DEVICE     without a driver
//! ```
//!
//! Law: with a driver, a call through this crate calls the driver's function with the same
//! arguments. Without a driver it returns `CUDA_ERROR_NO_DEVICE` (100) and touches nothing. A
//! function that the driver does not have returns `CUDA_ERROR_NOT_FOUND` (500). Nothing here panics
//! or aborts.
//!
//! Without a driver `cuGetErrorName` and `cuGetErrorString` still work, from a table: `cust` calls
//! `cuGetErrorString` to print an error, even the error of a missing driver.
//!
//! # Linking
//!
//! `cust` makes the linker look for `-lcuda`, and `cust`'s build script looks for a folder that
//! resembles a CUDA toolkit. Two things satisfy the linker and the build script. The second one
//! must be in the workspace that builds the program:
//!
//! 1. this crate, linked into the program. rustc does not link a dependency that no code names, so
//!    name the crate once, for instance by calling [`ensure_linked`] or [`status`] before the first
//!    use of `cust`;
//! 2. `CUDA_LIBRARY_PATH` pointing at this crate's `toolkit` folder, whose `lib64/libcuda.so` is an
//!    empty linker script. A `.cargo/config.toml` can set it:
//!    `[env] CUDA_LIBRARY_PATH = { value = "..", relative = true }`.
//!
//! On Linux on x86-64 and AArch64 the feature `symbols` defines the functions for the linker. A
//! build without the feature does not define them. That is important if another library of the
//! process uses CUDA: a symbol with the name of a driver function would replace the driver's own
//! symbol.
//!
//! # Without `cust`
//!
//! On every system, and without any feature, [`calls`] has the functions that Cutlet calls. Each
//! function looks up its symbol at its first call. The crate also has safe types on top of these
//! functions: owners of the driver's handles ([`Context`], [`Stream`], [`Event`]), errors with the
//! driver's messages ([`DriverError`]), and launches ([`load_module`], [`LaunchShape`],
//! [`TiledTensor`]). `cutlet-host` and `cutlet-ops` use these.
//!
//! ```
//! use cuda_driver::{Context, Device, Stream};
//!
//! fn stream() -> Result<Stream, cuda_driver::DriverError> {
//!     cuda_driver::init()?;
//!     Stream::independent(&Context::primary(Device::get(0)?)?)
//! }
//! match stream() {
//!     Ok(stream) => assert!(!stream.raw().is_null()),
//!     Err(error) => assert_eq!(error.name, "CUDA_ERROR_NO_DEVICE"),
//! }
//! ```
//!
//! # Example
//!
//! ```
//! use cuda_driver::{Driver, DriverStatus};
//!
//! cuda_driver::choose(Driver::None)?; // as if there were none
//! assert!(matches!(cuda_driver::status(), DriverStatus::Disabled { .. }));
//! assert_eq!(cust::init(cust::CudaFlags::empty()), Err(cust::error::CudaError::NoDevice));
//! # Ok::<(), cuda_driver::AlreadyOpened>(())
//! ```
//!
//! # Source
//!
//! CUDA Driver API, *Error Handling* and *Types*; System V ABI for x86-64, *Parameter Passing*;
//! Procedure Call Standard for the Arm 64-bit Architecture.

pub mod calls;
mod error;
mod error_names;
#[cfg(all(
    feature = "symbols",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod fallback;
mod handles;
mod launch;
mod library;
mod status;
#[macro_use]
mod symbols;
#[cfg(all(
    feature = "symbols",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod trampoline;

pub use error::{DriverError, check};
pub use handles::{Context, Device, Entered, Event, Stream, device_count, driver_version, init};
pub use launch::{
    JitError, LaunchShape, TensorMapBytes, TiledTensor, load_module, module_function,
};
pub use library::{AlreadyOpened, Driver, NO_CUDA, choose, status, symbol};
pub use status::{Attempt, DriverStatus, DriverVersion};

use core::ffi::CStr;

macro_rules! names {
    ($($index:literal $name:ident;)+) => {
        /// The functions that this crate defines with its feature `symbols`, sorted.
        pub const SYMBOLS: &[&CStr] = &[
            $(match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => unreachable!(),
            },)+
        ];
    };
}
with_symbols!(names);

/// Links the driver's functions into the program if the feature `symbols` is on. The call does not
/// open the driver.
///
/// Any use of this crate links the functions. Calling this function is such a use, and has no other
/// effect.
pub fn ensure_linked() {
    #[cfg(all(
        feature = "symbols",
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    trampoline::ensure_linked();
}
