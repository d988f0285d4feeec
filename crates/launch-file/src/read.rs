//! Reads the files that a launch file names, within bounds.
//!
//! Law: only a regular file of at most the allowed number of bytes is read. A device or a pipe has
//! no end, so that reading it could wait or continue for ever.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest number of bytes of a launch file.
pub(super) const MOST_TOML: u64 = 16 << 20;
/// The largest number of bytes of a PTX file.
pub(super) const MOST_PTX: u64 = 64 << 20;

/// Opens a regular file, and returns it with its length.
///
/// # Errors
/// Returns a sentence about the problem of the file.
pub(super) fn open(file: &Path) -> Result<(File, u64), String> {
    files::open(file).map_err(|error| format!("cannot be read: {error}"))
}

/// Reads all of a regular file of at most `limit` bytes.
///
/// # Errors
/// Returns a sentence about the problem of the file.
pub(super) fn contents(file: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let (open, length) = open(file)?;
    let large = |length: u64| format!("{length} bytes, {limit} are read at most");
    if length > limit {
        return Err(large(length));
    }
    let mut bytes = Vec::new();
    // A file may grow while it is read, and some regular files do not state their length.
    let read = open.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > limit {
        return Err(large(bytes.len() as u64));
    }
    Ok(bytes)
}
