//! Files that a launch file names, read within bounds.
//!
//! Law: what is read is a regular file of at most the bytes that are allowed: a device or a pipe
//! has no end, and would be waited for, or read, for ever.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes of a launch file, at most.
pub(super) const MOST_TOML: u64 = 16 << 20;
/// Bytes of a PTX file, at most.
pub(super) const MOST_PTX: u64 = 64 << 20;

/// Opens a regular file, and says how long it is.
///
/// # Errors
/// A sentence about what is wrong with it.
pub(super) fn open(file: &Path) -> Result<(File, u64), String> {
    files::open(file).map_err(|error| format!("cannot be read: {error}"))
}

/// All of a regular file of at most `limit` bytes.
///
/// # Errors
/// A sentence about what is wrong with it.
pub(super) fn contents(file: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let (open, length) = open(file)?;
    let large = |length: u64| format!("{length} bytes, {limit} are read at most");
    if length > limit {
        return Err(large(length));
    }
    let mut bytes = Vec::new();
    // It may grow while it is read, and some regular files do not say how long they are.
    let read = open.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > limit {
        return Err(large(bytes.len() as u64));
    }
    Ok(bytes)
}
