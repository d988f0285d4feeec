//! Kernels as data: one file with the compressed PTX of each kernel, and the tables from which a
//! kernel is chosen. A frame is a compressed block with the text of several similar kernels, in
//! which differences replace the numbers of registers, and marks replace names.
//!
//! ```text
//!   magic, version │ heads: target, PTX before the first kernel │ index: name, head, frame │ tables │ sizes, frames
//!                                                                          │                           │
//!                                            Pack::kernel("vecadd") ───────┘      PackedKernel::ptx ◄──┘  Brotli
//! ```
//!
//! Law: unpacking a kernel gives its head and its text byte for byte. Every kernel that a row of
//! the tables names is in the file.
//!
//! Numbers are little-endian. Source of the frames: RFC 7932.

mod kernel;
mod marks;
mod record;
mod registers;
mod source;
mod tables;
#[cfg(any(feature = "write", test))]
mod write;

pub use kernel::{Pack, PackError, PackedKernel};
pub use source::PackSource;
pub use tables::KernelTables;
#[cfg(any(feature = "write", test))]
pub use write::{PackQuality, pack};
