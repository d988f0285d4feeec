//! Reads a file of kernels. The index and the tables are read when the file is opened, and a
//! kernel's PTX is read when it is requested.
//!
//! Law: reading a file never panics. Reading a file that is no pack, or that was truncated or
//! changed, returns an error.

use crate::KernelTables;
use crate::marks::from_marks;
use crate::record::{Input, Record, record};
use crate::registers::from_distances;
use std::collections::BTreeMap;
use std::io::{self, Read};
use thiserror::Error;

/// The first bytes of a pack: a name, and a version of the format.
pub(crate) const MAGIC: &[u8] = b"CUTLETPK\x05";

/// The reason why a file is no pack of kernels, or why one of its kernels cannot be unpacked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackError {
    /// The file does not begin as a pack does.
    #[error(
        "these {found} bytes are no pack of kernels of this version: they do not begin with CUTLETPK and 5"
    )]
    NoPack {
        /// The number of bytes in the file.
        found: usize,
    },
    /// The file ends too early.
    #[error("the pack ends early: {needed} more bytes were to come, {found} are there")]
    Short {
        /// The number of bytes that were expected next.
        needed: usize,
        /// The number of bytes that remain.
        found: usize,
    },
    /// A number is not the number of any value.
    #[error("the pack has the number {number} where there are {count} of a kind, counted from 0")]
    Number {
        /// The number.
        number: u32,
        /// The number of values.
        count: usize,
    },
    /// A name is not valid UTF-8.
    #[error("the pack has a text that is not UTF-8")]
    Text,
    /// A kernel has an epilogue operation of its own, which a pack cannot contain.
    #[error("the pack has a kernel with an epilogue operation of its own, which is a function")]
    Operation,
    /// A frame does not unpack to a kernel's text.
    #[error("the frame of {kernel} does not unpack to its {expected} bytes of text: {reason}")]
    Frame {
        /// The kernel.
        kernel: &'static str,
        /// The number of bytes that the kernel's text should have in the frame.
        expected: u32,
        /// The description of the fault.
        reason: String,
    },
}

/// The text before the kernels of a module, and the architecture of these kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub target: &'static str,
    pub text: &'static str,
}

/// The place of a kernel in the pack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub kernel: &'static str,
    /// The number of the kernel's head.
    pub head: u8,
    /// The number of the kernel's frame.
    pub frame: u32,
    /// The byte of the unpacked frame at which the kernel's text begins.
    pub start: u32,
    /// The number of bytes of the kernel's text in the frame, where distances replace the numbers
    /// of registers.
    pub text: u32,
}

record! {
    Head { target, text }
    Entry { kernel, head, frame, start, text }
}

/// A file of kernels.
///
/// ```
/// # let of_file: &'static [u8] = b"CUTLETPK\x05\0\0\0\0\0\0\0\0\0\0\0\0\
/// #    \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
/// use kernel_pack::{Pack, PackError};
/// let pack = Pack::new(of_file)?;
/// assert_eq!(pack.names().count(), 0);
/// assert!(pack.kernel("vecadd").is_none());
/// assert_eq!(Pack::new(b"PTX").unwrap_err(), PackError::NoPack { found: 3 });
/// # Ok::<(), PackError>(())
/// ```
#[derive(Debug)]
pub struct Pack {
    kernels: BTreeMap<&'static str, PackedKernel>,
    tables: KernelTables,
}

/// A kernel in its frame.
#[derive(Clone, Copy, Debug)]
pub struct PackedKernel {
    name: &'static str,
    head: Head,
    start: u32,
    text_bytes: u32,
    frame: &'static [u8],
}

impl Pack {
    /// Reads the index and the tables. No kernel is unpacked.
    ///
    /// # Errors
    /// Returns a [`PackError`] if the bytes are no pack, or end too early.
    pub fn new(bytes: &'static [u8]) -> Result<Self, PackError> {
        let found = bytes.len();
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or(PackError::NoPack { found })?;
        let mut input = Input(rest);
        let heads = Vec::<Head>::read(&mut input)?;
        let entries = Vec::<Entry>::read(&mut input)?;
        let tables = KernelTables::read(&mut input)?;
        let frames = Vec::<u32>::read(&mut input)?;
        let frames = frames.into_iter().map(|bytes| input.take(bytes as usize));
        let frames = frames.collect::<Result<Vec<_>, _>>()?;
        let mut kernels = BTreeMap::new();
        for of in entries {
            let kernel = PackedKernel {
                name: of.kernel,
                head: *numbered(&heads, u32::from(of.head))?,
                start: of.start,
                text_bytes: of.text,
                frame: numbered(&frames, of.frame)?,
            };
            kernels.insert(of.kernel, kernel);
        }
        Ok(Self { kernels, tables })
    }

    /// Returns the kernels' names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.kernels.keys().copied()
    }

    /// Returns the kernel with this name, or `None` if the pack has no such kernel.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&PackedKernel> {
        self.kernels.get(name)
    }

    /// Returns the tables of the problems that the kernels compute.
    #[must_use]
    pub fn tables(&self) -> &KernelTables {
        &self.tables
    }
}

/// Returns the element of `all` with this number.
fn numbered<T>(all: &[T], number: u32) -> Result<&T, PackError> {
    let count = all.len();
    let found = all.get(number as usize);
    found.ok_or(PackError::Number { number, count })
}

impl PackedKernel {
    /// Returns the kernel's name in the PTX.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the architecture that the kernel is for. A kernel for `sm_80` runs on every newer
    /// architecture too. A kernel for `sm_90a` runs on no other architecture.
    #[must_use]
    pub fn target(&self) -> &'static str {
        self.head.target
    }

    /// Returns the number of bytes of the kernel's frame, which other kernels may share.
    #[must_use]
    pub fn frame_bytes(&self) -> usize {
        self.frame.len()
    }

    /// Unpacks a module with only this kernel: the text that `cutlet ptx` prints before the first
    /// kernel, and the kernel as `cutlet ptx` prints it.
    ///
    /// # Errors
    /// Returns [`PackError::Frame`] if the kernel's frame was changed.
    pub fn ptx(&self) -> Result<String, PackError> {
        let expected = self.text_bytes;
        let wrong = |reason: String| PackError::Frame {
            kernel: self.name,
            expected,
            reason,
        };
        let of_io = |error: io::Error| wrong(error.to_string());
        let mut frame = brotli_decompressor::Decompressor::new(self.frame, 1 << 16);
        let ahead = u64::from(self.start);
        let skipped = io::copy(&mut frame.by_ref().take(ahead), &mut io::sink()).map_err(of_io)?;
        let mut text = String::with_capacity(expected as usize);
        let read = frame.take(u64::from(expected)).read_to_string(&mut text);
        match read.map_err(of_io)? {
            read if read == expected as usize => {
                let text = from_distances(&from_marks(self.name, &text));
                Ok(format!("{}{text}", self.head.text))
            }
            read => Err(wrong(format!("it has {read} after the first {skipped}"))),
        }
    }
}
