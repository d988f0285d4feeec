//! Opens and reads regular files, and refuses everything else that a path can name.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Opens a regular file, and returns its length in bytes.
///
/// Opening a pipe waits for its writer, and a device may have no end.
///
/// ```
/// assert!(files::open("/dev/null").is_err());
/// ```
///
/// # Errors
/// Returns [`ErrorKind::InvalidInput`] if the path names something other than a regular file, and
/// the system's errors.
pub fn open(path: impl AsRef<Path>) -> Result<(File, u64)> {
    let path = path.as_ref();
    // The type is checked before the file is opened, because opening alone can hang.
    let length = check(&path.metadata()?)?.len();
    Ok((File::open(path)?, length))
}

/// Reads all of a regular file as text.
///
/// # Errors
/// Returns the errors of [`open`], and [`ErrorKind::InvalidData`] if the file is not UTF-8.
pub fn read_to_string(path: impl AsRef<Path>) -> Result<String> {
    let mut text = String::new();
    open(path)?.0.read_to_string(&mut text)?;
    Ok(text)
}

/// Returns the metadata if they are those of a regular file.
pub(crate) fn check(found: &Metadata) -> Result<&Metadata> {
    if found.is_file() {
        return Ok(found);
    }
    let what = kind(found);
    Err(Error::new(
        ErrorKind::InvalidInput,
        format!("it is {what}, not a regular file"),
    ))
}

#[cfg(unix)]
fn kind(found: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let of = found.file_type();
    if of.is_dir() {
        "a directory"
    } else if of.is_fifo() {
        "a pipe"
    } else if of.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(found: &Metadata) -> &'static str {
    if found.is_dir() {
        "a directory"
    } else {
        "a device or a pipe"
    }
}
