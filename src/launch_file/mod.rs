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
//! cluster = [2, 1, 1]                      # blocks of a cluster, the kernel's own where nothing is said
//! programmatic = true                      # a programmatic dependent launch, false where nothing is said
//! cooperative = true                       # a cooperative launch, false where nothing is said
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
//! # type = "pointer", buffer = "x", offset = "4 * n"      an address in a buffer, bytes behind its start
//! # type = "tensor_map", buffer = "x", extents = ["k", "m"], strides = ["2 * k"], box = [64, 128], swizzle = 128
//! #        innermost dimension first, strides in bytes; element = "f16", element_strides = [1, 1], oob_fill = "nan", offset
//! # type = "struct", fields = [{ type = "pointer", buffer = "x" }, { type = "u32", value = "n" }]
//!
//! [[buffers]]                              # a buffer that no parameter is itself: as a parameter with `length`
//! [[variables]]                            # contents of a `__device__` or `__constant__` variable, by its name
//! name = "table"
//! type = "f32"
//! fill = { file = "table.npy" }            # `.npy` files have their type checked
//! [[launch]]                               # several kernels on the same buffers: entry, grid, block, shared, parameters;
//! entry = "second"                         # what one leaves out is as at the top
//! [[accept]]                               # a finding that the kernel may go on from
//! kind = "uninitialised"                   # or line = 12, line = "k.cu:7", instruction = "ld.shared"; kernel = ".."
//! reason = "residue tiles are read in full"
//! ```
//!
//! Expressions have `+ - * / %`, parentheses, `ceil_div(a, b)`, `round_up(a, b)`, `min(a, b)` and
//! `max(a, b)`.

mod accept;
mod arguments;
mod data;
mod decode;
mod element;
mod error;
mod expression;
mod fill;
mod npy;
mod read;
mod run;
mod tensor_map;

pub use element::ScalarType;
pub use error::{LaunchFileError, LaunchFileErrorKind};
pub use expression::Expression;
pub use fill::{Fill, Output};
pub use run::{Mismatch, OutputBytes, Ran, RunError};
pub use tensor_map::{CaseTensorMap, FileTensorMap};

use emulator::{Acceptance, Launch};
use std::path::{Path, PathBuf};

/// A kernel of a PTX file and how it is launched, at one or more sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchFile {
    /// The launch file itself.
    pub file: PathBuf,
    text: String,
    /// The PTX file.
    pub ptx: PathBuf,
    /// The compute capability that it runs on, where that is said.
    pub target: Option<(u32, u32)>,
    /// The values of the sizes, one list a case, all with the same names; one empty list where
    /// there are none.
    pub sizes: Vec<Vec<(String, i128)>>,
    /// The buffers that the parameters point to, all of the file's launches.
    pub buffers: Vec<FileBuffer>,
    /// What variables of the module hold before, and what becomes of them.
    pub variables: Vec<Variable>,
    /// The launches, one after the other on the same device; at least one.
    pub launches: Vec<KernelLaunch>,
    /// Findings that the kernels may go on from.
    pub accept: Vec<Acceptance>,
}

/// How a kernel is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLaunch {
    /// The kernel's name.
    pub entry: String,
    /// Blocks.
    pub grid: [Expression; 3],
    /// Threads of a block.
    pub block: [Expression; 3],
    /// Dynamic shared memory in bytes.
    pub shared: Expression,
    /// Blocks of a cluster; none for what the kernel says (`.reqnctapercluster`).
    pub cluster: Option<[Expression; 3]>,
    /// Whether it may begin while the launch before it ends (`programmaticStreamSerialization`).
    /// The emulator begins it after that, and finds what it does to global memory before its
    /// `griddepcontrol.wait`.
    pub programmatic: bool,
    /// Whether it is a cooperative launch, whose blocks may wait for the whole grid.
    pub cooperative: bool,
    /// The parameters in order.
    pub parameters: Vec<FileParameter>,
}

/// A buffer in global memory.
#[derive(Clone, Debug, PartialEq)]
pub struct FileBuffer {
    /// Its name in messages and for pointers into it.
    pub name: String,
    /// The type of its elements.
    pub element: ScalarType,
    /// How many there are.
    pub length: Expression,
    /// What it holds before.
    pub fill: Fill,
    /// What becomes of it, if anything.
    pub output: Option<Output>,
}

/// A `__device__` or `__constant__` variable of the module, or a range of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name in the PTX, or as C++ or Rust had it.
    pub name: String,
    /// Where the name stands in the file.
    at: usize,
    /// The type of its elements.
    pub element: ScalarType,
    /// Bytes from its start to the range.
    pub offset: Expression,
    /// Elements of the range; none for all up to the variable's end.
    pub length: Option<Expression>,
    /// What it holds before; none where it keeps what the module says.
    pub fill: Option<Fill>,
    /// What becomes of it, if anything.
    pub output: Option<Output>,
}

/// A parameter of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct FileParameter {
    /// Its name in messages.
    pub name: String,
    /// What it is.
    pub argument: FileArgument,
}

/// What a parameter is.
#[derive(Clone, Debug, PartialEq)]
pub enum FileArgument {
    /// A number.
    Scalar(ScalarType, Scalar),
    /// A value by its bytes.
    Bytes(Vec<u8>),
    /// An address in a buffer.
    Pointer {
        /// Which of the file's buffers.
        buffer: usize,
        /// Bytes from its start.
        offset: Expression,
    },
    /// A tensor map of a buffer.
    TensorMap(Box<FileTensorMap>),
    /// A structure, laid out as C does.
    Struct {
        /// Each member with its offset in bytes.
        fields: Vec<(usize, FileArgument)>,
        /// Bytes in total.
        size: usize,
    },
}

/// A scalar's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Of any type.
    Integer(Expression),
    /// Of a floating-point type.
    Real(f64),
}

/// A launch at one combination of sizes, every expression evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The sizes.
    pub sizes: Vec<(String, i128)>,
    /// The elements of each buffer.
    pub lengths: Vec<usize>,
    /// Of each variable the offset in bytes, and the elements where these are said.
    pub ranges: Vec<(usize, Option<usize>)>,
    /// The launches in order.
    pub launches: Vec<CaseLaunch>,
}

/// A launch of a [`Case`].
#[derive(Clone, Debug, PartialEq)]
pub struct CaseLaunch {
    /// The kernel.
    pub entry: String,
    /// Grid, block and shared memory.
    pub launch: Launch,
    /// Blocks of a cluster; none for what the kernel says.
    pub cluster: Option<[u32; 3]>,
    /// Whether it is a programmatic dependent of the launch before.
    pub programmatic: bool,
    /// Whether it is a cooperative launch.
    pub cooperative: bool,
    /// The parameters.
    pub values: Vec<CaseValue>,
}

/// A parameter of a [`CaseLaunch`].
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CaseValue {
    /// Its bytes, 0 where addresses come.
    pub bytes: Vec<u8>,
    /// The addresses in it: at which byte, of which buffer, and how many bytes from its start.
    pub pointers: Vec<(usize, usize, u64)>,
    /// The tensor maps in it.
    pub maps: Vec<CaseTensorMap>,
}

impl CaseValue {
    /// The bytes on the emulator, where the buffers have these addresses.
    ///
    /// # Errors
    /// [`emulator::TensorMapError`] where a map's tensor does not begin on 16 bytes.
    pub fn with_addresses(&self, addresses: &[u64]) -> Result<Vec<u8>, emulator::TensorMapError> {
        let mut bytes = self.bytes.clone();
        for &(at, buffer, offset) in &self.pointers {
            let address = addresses[buffer] + offset;
            bytes[at..at + 8].copy_from_slice(&address.to_le_bytes());
        }
        for map in &self.maps {
            let encoded = map
                .spec
                .emulated(addresses[map.buffer] + map.offset)
                .encode()?;
            bytes[map.at..map.at + encoded.len()].copy_from_slice(&encoded);
        }
        Ok(bytes)
    }
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
        let bytes = read::contents(file, read::MOST_TOML).map_err(wrong)?;
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
    /// assert_eq!((cases[1].name().as_str(), cases[1].launches[0].launch.grid), ("n = 1000", [8, 1, 1]));
    /// # Ok::<(), cutlet::launch_file::LaunchFileError>(())
    /// ```
    ///
    /// # Errors
    /// [`LaunchFileError`] with line and column.
    pub fn parse(text: &str, file: &Path) -> Result<Self, LaunchFileError> {
        decode::decode(text, file)
    }

    /// The kernels' names in the order of the launches: `first, second`.
    #[must_use]
    pub fn kernels(&self) -> String {
        let names: Vec<&str> = self.launches.iter().map(|l| l.entry.as_str()).collect();
        names.join(", ")
    }

    /// The launches, one for each combination of sizes.
    ///
    /// # Errors
    /// [`LaunchFileError`] at an expression that has no value at one of them, or one that its place
    /// does not take.
    pub fn cases(&self) -> Result<Vec<Case>, LaunchFileError> {
        self.sizes.iter().map(|sizes| self.case(sizes)).collect()
    }

    /// The launch at these sizes, which need not be among the file's.
    ///
    /// # Errors
    /// As [`cases`](Self::cases).
    pub fn case(&self, sizes: &[(String, i128)]) -> Result<Case, LaunchFileError> {
        // A buffer of no elements has no address.
        let length = |length: &Expression| Ok(self.within(length, sizes, 1, 1 << 40)? as usize);
        let offset = |offset: &Expression| Ok(self.within(offset, sizes, 0, 1 << 40)? as usize);
        let lengths: Vec<usize> = self
            .buffers
            .iter()
            .map(|buffer| length(&buffer.length))
            .collect::<Result<_, _>>()?;
        let ranges = self.variables.iter().map(|variable| {
            let elements = variable.length.as_ref().map(length).transpose()?;
            Ok((offset(&variable.offset)?, elements))
        });
        let launches = self.launches.iter().map(|launch| {
            let values = launch.parameters.iter().map(|parameter| {
                let mut value = CaseValue::default();
                self.put(&parameter.argument, sizes, &lengths, &mut value)?;
                Ok(value)
            });
            Ok(CaseLaunch {
                entry: launch.entry.clone(),
                launch: Launch {
                    grid: self.extents(&launch.grid, sizes)?,
                    block: self.extents(&launch.block, sizes)?,
                    dynamic_shared: self.within(&launch.shared, sizes, 0, u32::MAX.into())?
                        as usize,
                },
                cluster: launch
                    .cluster
                    .as_ref()
                    .map(|cluster| self.extents(cluster, sizes))
                    .transpose()?,
                programmatic: launch.programmatic,
                cooperative: launch.cooperative,
                values: values.collect::<Result<_, _>>()?,
            })
        });
        Ok(Case {
            sizes: sizes.to_vec(),
            ranges: ranges.collect::<Result<_, _>>()?,
            launches: launches.collect::<Result<_, _>>()?,
            lengths,
        })
    }

    /// Appends an argument's bytes to `value`.
    fn put(
        &self,
        argument: &FileArgument,
        sizes: &[(String, i128)],
        lengths: &[usize],
        value: &mut CaseValue,
    ) -> Result<(), LaunchFileError> {
        match argument {
            FileArgument::Bytes(bytes) => value.bytes.extend(bytes),
            FileArgument::Scalar(ty, Scalar::Real(real)) => ty.real(*real, &mut value.bytes),
            FileArgument::Scalar(ty, Scalar::Integer(expression)) => {
                let (low, high) = ty.range().unwrap_or((-1 << 100, 1 << 100));
                let integer = self.within(expression, sizes, low, high)?;
                ty.integer(integer, &mut value.bytes);
            }
            FileArgument::Pointer { buffer, offset } => {
                let size = lengths[*buffer] * self.buffers[*buffer].element.size();
                let offset = self.within(offset, sizes, 0, size as i128)?;
                value
                    .pointers
                    .push((value.bytes.len(), *buffer, offset as u64));
                value.bytes.extend([0; 8]);
            }
            FileArgument::TensorMap(map) => {
                self.put_tensor_map(map, sizes, lengths, value)?;
            }
            FileArgument::Struct { fields, size } => {
                let start = value.bytes.len();
                for (at, field) in fields {
                    value.bytes.resize(start + at, 0);
                    self.put(field, sizes, lengths, value)?;
                }
                value.bytes.resize(start + size, 0);
            }
        }
        Ok(())
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
