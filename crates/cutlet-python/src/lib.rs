//! The part of the Python package `cutlet` that is in Rust: `cutlet._native`, which the package's
//! modules in `python/cutlet` dress.
//!
//! ```text
//!   cutlet.layout, cutlet.draw      ──► notation, pictures
//!   cutlet.check, cutlet.profile    ──► emulator: PTX of any compiler, bytes of arrays, findings as dictionaries
//!   cutlet.ops                      ──► cutlet-ops: Cutlet's kernels, on torch's stream or on the emulator;
//!                                       gpu-kernels: the order of packed weights
//! ```
//!
//! Law: nothing here has a `cu*` symbol. The first operator that is planned for a GPU opens the
//! driver, and nothing else does. What a user sees, types and docstrings, is Python's.
#![deny(unsafe_code)]

mod fault;
mod launch;
mod layout;
mod ops;
mod weights;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::launch::Module;
    #[pymodule_export]
    use super::layout::{Value, draw};
    #[pymodule_export]
    use super::ops::{Launches, attention, kernel_count, matmul};
    #[pymodule_export]
    use super::weights::{int4_places, linear_int4, pack_int4};
}

/// An exception of the package, `cutlet._errors.NAME`, made of these arguments.
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
