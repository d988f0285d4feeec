//! Writes files atomically, and opens only regular files.
//!
//! ```text
//!   write(path, bytes)   <folder>/.cutlet-<process>-<count>.part ──flushed──► renamed to path
//!                        └── an error: removed, and path is unchanged
//!   open(path)           a regular file and its length; a pipe is refused before opening it could wait
//! ```
//!
//! Law: after [`write()`] the file at `path` has exactly the given bytes. If [`write()`] returned
//! an error, or the process ended meanwhile, the file has the bytes that it had before.

mod limits;
mod regular;
mod whole;

pub use limits::limit;
pub use regular::{open, read_to_string};
pub use whole::write;
