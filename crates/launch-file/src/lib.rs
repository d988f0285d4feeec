//! Launch files: a TOML file names any PTX kernel, and the launches, buffers and arguments for it.
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
//! strict_tensor_order = true               # tcgen05 operations in PTX's order alone, false where nothing is said
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
pub mod check;
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
pub use error::{LaunchFileError, LaunchFileErrorKind, UnknownSize};
pub use expression::Expression;
pub use fill::{Fill, Output};
pub use run::{Mismatch, OutputBytes, Ran, RunError};
pub use tensor_map::{
    BYTES as TENSOR_MAP_BYTES, CaseTensorMap, FileTensorMap, tensor_element, tensor_fill_nan,
    tensor_swizzle,
};

use emulator::{Acceptance, Launch};
use std::path::{Path, PathBuf};

/// A PTX file, and how its kernels are launched, at one or more combinations of sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchFile {
    /// The launch file itself.
    pub file: PathBuf,
    text: String,
    /// The PTX file.
    pub ptx: PathBuf,
    /// The compute capability on which the kernels run, if the file names one.
    pub target: Option<(u32, u32)>,
    /// Whether the file asks for the order of [`emulator::Config::strict_tensor_order`].
    pub strict_tensor_order: bool,
    /// The values of the sizes: one list per case, and all lists have the same names. Without sizes
    /// there is one empty list.
    pub sizes: Vec<Vec<(String, i128)>>,
    /// The buffers of all launches, to which the parameters point.
    pub buffers: Vec<FileBuffer>,
    /// The contents and outputs of the module's variables.
    pub variables: Vec<Variable>,
    /// The launches, which run one after the other on the same device. There is at least one.
    pub launches: Vec<KernelLaunch>,
    /// The rules by which findings are accepted, so that a kernel continues after them.
    pub accept: Vec<Acceptance>,
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelLaunch {
    /// The kernel's name.
    pub entry: String,
    /// The extents of the grid, in blocks.
    pub grid: [Expression; 3],
    /// The extents of a block, in threads.
    pub block: [Expression; 3],
    /// The dynamic shared memory in bytes.
    pub shared: Expression,
    /// The extents of a cluster, in blocks, or `None` for those of the kernel
    /// (`.reqnctapercluster`).
    pub cluster: Option<[Expression; 3]>,
    /// Whether the launch may begin while the launch before it ends
    /// (`programmaticStreamSerialization`). The emulator begins it after that end, and reports its
    /// accesses of global memory before its `griddepcontrol.wait`.
    pub programmatic: bool,
    /// Whether the launch is cooperative, so that its blocks may wait for the whole grid.
    pub cooperative: bool,
    /// The parameters, in order.
    pub parameters: Vec<FileParameter>,
}

/// A buffer in global memory.
#[derive(Clone, Debug, PartialEq)]
pub struct FileBuffer {
    /// The buffer's name, for messages and for pointers into the buffer.
    pub name: String,
    /// The type of the elements.
    pub element: ScalarType,
    /// The number of elements.
    pub length: Expression,
    /// The contents before the first launch.
    pub fill: Fill,
    /// The use of the buffer after the launches, if there is one.
    pub output: Option<Output>,
}

/// A `__device__` or `__constant__` variable of the module, or a range of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The variable's name in the PTX, or as in the C++ or Rust source.
    pub name: String,
    /// The place of the name in the file.
    at: usize,
    /// The type of the elements.
    pub element: ScalarType,
    /// The bytes from the variable's start to the range.
    pub offset: Expression,
    /// The number of elements of the range, or `None` for all up to the variable's end.
    pub length: Option<Expression>,
    /// The contents before the first launch, or `None` if the module's contents stay.
    pub fill: Option<Fill>,
    /// The use of the range after the launches, if there is one.
    pub output: Option<Output>,
}

/// A parameter of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct FileParameter {
    /// The parameter's name in messages.
    pub name: String,
    /// The value of the parameter.
    pub argument: FileArgument,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum FileArgument {
    /// A number of this type.
    Scalar(ScalarType, Scalar),
    /// A value given by its bytes.
    Bytes(Vec<u8>),
    /// An address in a buffer.
    Pointer {
        /// The index of the buffer in the file.
        buffer: usize,
        /// The bytes from the buffer's start.
        offset: Expression,
    },
    /// A tensor map of a buffer.
    TensorMap(Box<FileTensorMap>),
    /// A structure, laid out as in C.
    Struct {
        /// The members, each with its offset in bytes.
        fields: Vec<(usize, FileArgument)>,
        /// The number of bytes of the structure.
        size: usize,
    },
}

/// The value of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// An integer, for a scalar of any type.
    Integer(Expression),
    /// A real number, for a scalar of a floating-point type.
    Real(f64),
}

/// The launches at one combination of sizes, with every expression evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The values of the sizes.
    pub sizes: Vec<(String, i128)>,
    /// The number of elements of each buffer.
    pub lengths: Vec<usize>,
    /// For each variable the offset in bytes, and the number of elements if the file states it.
    pub ranges: Vec<(usize, Option<usize>)>,
    /// The launches, in order.
    pub launches: Vec<CaseLaunch>,
}

/// A launch of a [`Case`].
#[derive(Clone, Debug, PartialEq)]
pub struct CaseLaunch {
    /// The kernel's name.
    pub entry: String,
    /// The grid, the block and the shared memory.
    pub launch: Launch,
    /// The extents of a cluster, in blocks, or `None` for those of the kernel.
    pub cluster: Option<[u32; 3]>,
    /// Whether the launch is a programmatic dependent of the launch before.
    pub programmatic: bool,
    /// Whether the launch is cooperative.
    pub cooperative: bool,
    /// The values of the parameters.
    pub values: Vec<CaseValue>,
}

/// A parameter of a [`CaseLaunch`].
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct CaseValue {
    /// The bytes of the parameter, with 0 at the places of addresses.
    pub bytes: Vec<u8>,
    /// The addresses in the parameter: for each the byte at which it lies, the index of the buffer,
    /// and the bytes from the buffer's start.
    pub pointers: Vec<(usize, usize, u64)>,
    /// The tensor maps in the parameter.
    pub maps: Vec<CaseTensorMap>,
}

impl CaseValue {
    /// Returns the bytes for the emulator, on which the buffers have these addresses.
    ///
    /// # Errors
    /// Returns [`emulator::TensorMapError`] if a map's tensor does not begin at a multiple of 16
    /// bytes.
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
    /// Returns the sizes, such as `n = 5, m = 3`, or an empty text if there are none.
    #[must_use]
    pub fn name(&self) -> String {
        expression::shown(&self.sizes)
    }
}

impl LaunchFile {
    /// Reads a launch file.
    ///
    /// # Errors
    /// Returns a [`LaunchFileError`] with line and column.
    pub fn read(file: &Path) -> Result<Self, LaunchFileError> {
        let wrong = |problem| LaunchFileError::at(file, "", 0, LaunchFileErrorKind::Read(problem));
        let bytes = read::contents(file, read::MOST_TOML).map_err(wrong)?;
        let text = String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
        Self::parse(&text, file)
    }

    /// Reads the text of a launch file. The files that it names lie beside `file`.
    ///
    /// ```
    /// use launch_file::LaunchFile;
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
    /// # Ok::<(), launch_file::LaunchFileError>(())
    /// ```
    ///
    /// # Errors
    /// Returns a [`LaunchFileError`] with line and column.
    pub fn parse(text: &str, file: &Path) -> Result<Self, LaunchFileError> {
        decode::decode(text, file)
    }

    /// Returns the kernels' names in the order of the launches, such as `first, second`.
    #[must_use]
    pub fn kernels(&self) -> String {
        let names: Vec<&str> = self.launches.iter().map(|l| l.entry.as_str()).collect();
        names.join(", ")
    }

    /// Returns the cases, one for each combination of sizes.
    ///
    /// # Errors
    /// Returns a [`LaunchFileError`] at an expression that has no value in one of the cases, or
    /// whose value is out of the key's range.
    pub fn cases(&self) -> Result<Vec<Case>, LaunchFileError> {
        self.sizes.iter().map(|sizes| self.case(sizes)).collect()
    }

    /// Returns the sizes of the file's first case, with the `given` values in place of the file's.
    ///
    /// # Errors
    /// Returns [`UnknownSize`] if the file does not have one of the given sizes.
    pub fn sizes_with(&self, given: &[(String, i128)]) -> Result<Vec<(String, i128)>, UnknownSize> {
        let mut sizes = self.sizes.first().cloned().unwrap_or_default();
        for (name, value) in given {
            let Some(size) = sizes.iter_mut().find(|(known, _)| known == name) else {
                let known: Vec<&str> = sizes.iter().map(|(name, _)| name.as_str()).collect();
                return Err(UnknownSize {
                    file: self.file.clone(),
                    name: name.clone(),
                    known: match known[..] {
                        [] => "none".to_owned(),
                        _ => known.join(", "),
                    },
                });
            };
            size.1 = *value;
        }
        Ok(sizes)
    }

    /// Returns the case at these sizes, which need not be among the file's.
    ///
    /// # Errors
    /// Returns the errors of [`cases`](Self::cases).
    pub fn case(&self, sizes: &[(String, i128)]) -> Result<Case, LaunchFileError> {
        // A buffer without elements would have no address.
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
