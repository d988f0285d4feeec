//! The operations of the language, by name.
//!
//! ```text
//! f(a, b)     f<n>(a) is f(a, n)     a.f(b) is f(a, b)
//! ```
//!
//! Law: every operation of `layout_types::dynamic` is listed here under its name, and also under
//! CuTe's name if that differs.

mod access;
mod algebra;
mod call;
mod coordinates;
mod distributions;
mod make;
mod modes;
mod questions;
mod tiled;
mod tilings;

use std::ops::RangeInclusive;

pub(crate) use call::{Argument, Call};

use crate::error::Result;
use crate::value::Value;

/// An operation: its names, its operands and its result.
pub struct Function {
    /// The names under which the operation is called; the usual name comes first.
    pub names: &'static [&'static str],
    /// The form in which the operation is written: `zipped_divide(layout, tiler)`.
    pub signature: &'static str,
    /// One line that says what the operation returns.
    pub about: &'static str,
    arity: RangeInclusive<usize>,
    run: fn(&Call) -> Result<Value>,
}

impl Function {
    /// Returns the usual name.
    pub fn name(&self) -> &'static str {
        self.names[0]
    }
}

/// Returns every operation.
///
/// ```
/// assert!(notation::functions().any(|function| function.name() == "raked_product"));
/// ```
pub fn all() -> impl Iterator<Item = &'static Function> {
    [
        algebra::FUNCTIONS,
        tilings::FUNCTIONS,
        modes::FUNCTIONS,
        make::FUNCTIONS,
        coordinates::FUNCTIONS,
        questions::FUNCTIONS,
        tiled::FUNCTIONS,
        access::FUNCTIONS,
        distributions::FUNCTIONS,
    ]
    .into_iter()
    .flatten()
}

/// Returns the operation with this name, or `None` if no operation has it.
pub(crate) fn named(name: &str) -> Option<&'static Function> {
    all().find(|function| function.names.contains(&name))
}

/// Declares operations: names, arity, signature, description, and the function that applies each.
macro_rules! functions {
    ($($($name:literal)|+, $arity:expr, $signature:literal, $about:literal, $run:expr;)*) => {
        pub(super) const FUNCTIONS: &[crate::functions::Function] = &[$(crate::functions::Function {
            names: &[$($name),+],
            signature: $signature,
            about: $about,
            arity: $arity,
            run: $run,
        }),*];
    };
}
use functions;
