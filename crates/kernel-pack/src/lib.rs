//! Kernels as data: one file with the PTX of each kernel, compressed, and the tables that a kernel
//! is chosen from. A compressed frame has kernels that are alike, with distances for the numbers of
//! registers.
//!
//! ```text
//!   magic, version │ heads: target, PTX before the first kernel │ index: name, head, frame │ tables │ sizes, frames
//!                                                                          │                           │
//!                                            Pack::kernel("vecadd") ───────┘      PackedKernel::ptx ◄──┘  Brotli
//! ```
//!
//! Law: a kernel unpacks to its head and its text as they were packed, byte for byte; every kernel
//! that a row of the tables names is in the file.
//!
//! Numbers are little-endian. Source of the frames: RFC 7932.

mod kernel;
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
