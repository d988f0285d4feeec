//! The Rust part of the Python package `cutlet`: `cutlet._native`, which the package's modules in
//! `python/cutlet` wrap.
//!
//! ```text
//!   cutlet.layout, cutlet.draw      ──► notation, pictures
//!   cutlet.check, cutlet.profile    ──► emulator: PTX of any compiler, bytes of arrays, findings as dictionaries;
//!                                       launch-file: launch files, tensor maps
//!   cutlet.ops                      ──► cutlet-ops: Cutlet's kernels, on torch's stream or on the emulator;
//!                                       gpu-kernels: the order of packed weights
//! ```
//!
//! Law: this library references no `cu*` symbol. Only the first operator that is planned for a GPU
//! opens the driver. The types and docstrings that users see are defined in Python.
#![deny(unsafe_code)]

mod fault;
mod file;
mod launch;
mod layout;
mod ops;
mod weights;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::file::LaunchFile;
    #[pymodule_export]
    use super::launch::Module;
    #[pymodule_export]
    use super::layout::{Value, draw};
    #[pymodule_export]
    use super::ops::{Launches, attention, kernel_count, matmul};
    #[pymodule_export]
    use super::weights::{int4_places, linear_int4, pack_int4};
}

/// Makes an exception of the package, `cutlet._errors.NAME`, with these arguments.
fn raise<'py, A>(py: Python<'py>, name: &str, arguments: A) -> PyErr
where
    A: pyo3::call::PyCallArgs<'py>,
{
    let made = py
        .import("cutlet._errors")
        .and_then(|module| module.getattr(name))
        .and_then(|class| class.call1(arguments));
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
