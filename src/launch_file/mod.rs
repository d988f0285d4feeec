//! Launch files: any PTX kernel with what it is launched with, as TOML.
//!
//! ```text
//!   reduce.toml ──LaunchFile::read──► cases, one a combination of sizes ──run──► report, outputs, or a fault
//!   reduce.ptx  ──────────────────────────────────────────────────────────┘
//! ```
//!
//! ```toml
//! ptx = "reduce.ptx"                       # beside this file
//! entry = "reduce"
//! target = "sm_90"                         # the chip, sm_90 where nothing is said
//! grid = "ceil_div(n, 256)"                # one to three extents: numbers, or expressions over the sizes
//! block = [256, 1, 1]
//! shared = "256 * 4"                       # dynamic shared memory in bytes, 0 where nothing is said
//!
//! [sizes]                                  # every combination; or a list: sizes = [{ n = 1 }, { n = 31 }]
//! n = [1, 31, 1000]
//!
//! [[parameters]]                           # in the kernel's order
//! name = "x"                               # for messages
//! type = "f32"                             # u8 .. u64, i8 .. i64, f16, bf16, f32, f64
//! length = "n"                             # a buffer of that many elements
//! fill = { random = [-1, 1], seed = 7 }    # or "uninitialised", "zeros", "poison" (0xff), "iota", { value = 1 },
//!                                          # { values = [1, 2] }, { random = "bits" }, { file = "x.bin" }
//! [[parameters]]
//! name = "sum"
//! type = "f32"
//! length = 1
//! fill = "zeros"
//! output = "print"                         # or "hash", { print = 16 }, { hash = ".." }, { save = "sum.bin" },
//!                                          # { compare = "sum.bin", absolute = 1e-6, relative = 1e-5 }
//! [[parameters]]
//! type = "u32"
//! value = "n"                              # a scalar: a number or an expression
//! # type = "bytes", value = "00ff"         a struct by its bytes
//! ```
//!
//! Expressions have `+ - * / %`, parentheses, `ceil_div(a, b)`, `round_up(a, b)`, `min(a, b)` and `max(a, b)`.

mod decode;
mod element;
mod error;
mod expression;
mod fill;
mod read;
mod run;

pub use element::ElementType;
pub use error::{LaunchFileError, LaunchFileErrorKind};
pub use expression::Expression;
pub use fill::{Fill, Output};
pub use run::{Mismatch, OutputBytes, Ran, RunError};

use emulator::Launch;
use std::path::{Path, PathBuf};

/// A kernel of a PTX file and how it is launched, at one or more sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchFile {
    /// The launch file itself.
    pub file: PathBuf,
    text: String,
    /// The PTX file.
    pub ptx: PathBuf,
    /// The kernel's name.
    pub entry: String,
    /// The compute capability that it runs on, where that is said.
    pub target: Option<(u32, u32)>,
    /// Blocks.
    pub grid: [Expression; 3],
    /// Threads of a block.
    pub block: [Expression; 3],
    /// Dynamic shared memory in bytes.
    pub shared: Expression,
    /// The values of the sizes, one list a case, all with the same names; one empty list where there are none.
    pub sizes: Vec<Vec<(String, i128)>>,
    /// The parameters in order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in messages.
    pub name: String,
    /// What it is.
    pub argument: Argument,
}

/// What a parameter is.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A number.
    Scalar(ElementType, Scalar),
    /// A value by its bytes.
    Bytes(Vec<u8>),
    /// The address of a buffer.
    Buffer {
        /// The type of its elements.
        element: ElementType,
        /// How many there are.
        length: Expression,
        /// What it holds before.
        fill: Fill,
        /// What becomes of it, if anything.
        output: Option<Output>,
    },
}

/// A scalar's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Of any type.
    Whole(Expression),
    /// Of a floating-point type.
    Real(f64),
}

/// A launch at one combination of sizes, every expression evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The sizes.
    pub sizes: Vec<(String, i128)>,
    /// Grid, block and shared memory.
    pub launch: Launch,
    /// The parameters: a scalar's bytes, or a buffer's length in elements.
    pub values: Vec<CaseValue>,
}

/// A parameter of a [`Case`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseValue {
    /// The bytes of a scalar or of a value.
    Bytes(Vec<u8>),
    /// The elements of a buffer.
    Length(usize),
}

impl Case {
    /// `n = 5, m = 3`; empty where there are no sizes.
    #[must_use]
    pub fn name(&self) -> String {
        expression::shown(&self.sizes)
    }
}

impl LaunchFile {
    /// Reads a launch file.
    ///
    /// # Errors
    /// [`LaunchFileError`] with line and column.
    pub fn read(file: &Path) -> Result<Self, LaunchFileError> {
        let wrong = |problem| LaunchFileError::at(file, "", 0, LaunchFileErrorKind::Read(problem));
        let bytes = read::whole(file, read::MOST_TOML).map_err(wrong)?;
        let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
        Self::parse(&text, file)
    }

    /// Reads the text of a launch file; the files that it names lie beside `file`.
    ///
    /// ```
    /// use cutlet::launch_file::LaunchFile;
    ///
    /// let text = r#"
    /// ptx = "scale.ptx"
    /// entry = "scale"
    /// grid = "ceil_div(n, 128)"
    /// block = 128
    /// sizes = { n = [1, 1000] }
    /// parameters = [
    ///     { name = "x", type = "f32", length = "n", fill = "iota", output = "print" },
    ///     { type = "u32", value = "n" },
    /// ]
    /// "#;
    /// let file = LaunchFile::parse(text, "scale.toml".as_ref())?;
    /// let cases = file.cases()?;
    /// assert_eq!((cases[1].name().as_str(), cases[1].launch.grid), ("n = 1000", [8, 1, 1]));
    /// # Ok::<(), cutlet::launch_file::LaunchFileError>(())
    /// ```
    ///
    /// # Errors
    /// [`LaunchFileError`] with line and column.
    pub fn parse(text: &str, file: &Path) -> Result<Self, LaunchFileError> {
        decode::decode(text, file)
    }

    /// The launches, one for each combination of sizes.
    ///
    /// # Errors
    /// [`LaunchFileError`] at an expression that has no value at one of them, or one that its place does not take.
    pub fn cases(&self) -> Result<Vec<Case>, LaunchFileError> {
        self.sizes.iter().map(|sizes| self.case(sizes)).collect()
    }

    /// The launch at these sizes, which need not be among the file's.
    ///
    /// # Errors
    /// As [`cases`](Self::cases).
    pub fn case(&self, sizes: &[(String, i128)]) -> Result<Case, LaunchFileError> {
        let grid = self.extents(&self.grid, sizes)?;
        let block = self.extents(&self.block, sizes)?;
        let dynamic_shared = self.within(&self.shared, sizes, 0, u32::MAX.into())? as usize;
        let values = self
            .parameters
            .iter()
            .map(|parameter| match &parameter.argument {
                Argument::Bytes(bytes) => Ok(CaseValue::Bytes(bytes.clone())),
                Argument::Scalar(ty, Scalar::Real(value)) => {
                    let mut bytes = Vec::new();
                    ty.real(*value, &mut bytes);
                    Ok(CaseValue::Bytes(bytes))
                }
                Argument::Scalar(ty, Scalar::Whole(expression)) => {
                    let (low, high) = ty.range().unwrap_or((-1 << 100, 1 << 100));
                    let mut bytes = Vec::new();
                    ty.whole(self.within(expression, sizes, low, high)?, &mut bytes);
                    Ok(CaseValue::Bytes(bytes))
                }
                Argument::Buffer { length, .. } => {
                    let length = self.within(length, sizes, 0, 1 << 40)?;
                    Ok(CaseValue::Length(length as usize))
                }
            });
        Ok(Case {
            sizes: sizes.to_vec(),
            launch: Launch {
                grid,
                block,
                dynamic_shared,
            },
            values: values.collect::<Result<_, _>>()?,
        })
    }

    fn extents(
        &self,
        extents: &[Expression; 3],
        sizes: &[(String, i128)],
    ) -> Result<[u32; 3], LaunchFileError> {
        let mut found = [0; 3];
        for (found, extent) in found.iter_mut().zip(extents) {
            *found = self.within(extent, sizes, 1, u32::MAX.into())? as u32;
        }
        Ok(found)
    }

    fn within(
        &self,
        expression: &Expression,
        sizes: &[(String, i128)],
        low: i128,
        high: i128,
    ) -> Result<i128, LaunchFileError> {
        let at = |(offset, kind)| LaunchFileError::at(&self.file, &self.text, offset, kind);
        let value = expression.evaluate(sizes).map_err(at)?;
        if (low..=high).contains(&value) {
            return Ok(value);
        }
        let kind = LaunchFileErrorKind::Evaluation {
            problem: format!("the value is {value}, not within {low}..={high}"),
            sizes: expression::shown(sizes),
        };
        Err(at((expression.offset, kind)))
    }
}
