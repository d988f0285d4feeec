//! Files that are written whole or not at all, and regular files only.
//!
//! ```text
//!   write(path, bytes)   <folder>/.cutlet-<process>-<count>.part ──flushed──► renamed to path
//!                        └── an error: removed, and path is what it was
//!   open(path)           a regular file and its length; a pipe is refused before it is waited for
//! ```
//!
//! Law: after [`write()`] the file at `path` has exactly the given bytes, or, where it returned an
//! error or the process ended meanwhile, those that it had before.

mod limits;
mod regular;
mod whole;

pub use limits::limit;
pub use regular::{open, read_to_string};
pub use whole::write;
