//! Reads the files that a launch file names: `.npy` arrays, and raw bytes.
//!
//! ```text
//!   x.npy ─► its type is checked ─► elements ─┬─► a buffer filled, piece by piece
//!   x.bin ─► bytes ───────────────────────────┴─► what a result is compared with
//! ```
//!
//! Law: no more of a file is read than the buffer holds; a file with fewer bytes is refused, with
//! both lengths.

use super::run::RunError;
use super::{Fill, ScalarType, npy, read};
use emulator::counted;
use std::io::Read;
use std::path::Path;

/// Makes the error for a problem with a file that a launch file names.
fn wrong(file: &Path, problem: String) -> RunError {
    RunError::Data {
        file: file.to_owned(),
        problem,
    }
}

pub(super) fn contents(file: &Path, limit: u64) -> Result<Vec<u8>, RunError> {
    read::contents(file, limit).map_err(|problem| wrong(file, problem))
}

pub(super) fn opened(file: &Path) -> Result<(std::fs::File, u64), RunError> {
    read::open(file).map_err(|problem| wrong(file, problem))
}

pub(super) fn is_npy(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
}

/// Returns the elements of a `.npy` file, whose size is `size` bytes or slightly more.
pub(super) fn array(file: &Path, element: ScalarType, size: usize) -> Result<Vec<u8>, RunError> {
    let bytes = contents(file, size as u64 + npy::MOST_HEADER)?;
    let elements = npy::elements(&bytes, element).map_err(|problem| wrong(file, problem))?;
    Ok(elements.to_vec())
}

/// Passes the bytes of `length` elements to `sink`, piece by piece, or no bytes if nothing is
/// filled in. `name` is the name of the buffer.
pub(super) fn each_chunk(
    fill: &Fill,
    element: ScalarType,
    length: usize,
    name: &str,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let Fill::File(file) = fill else {
        return fill.each_chunk(element, length, sink);
    };
    let size = length * element.size();
    if !is_npy(file) {
        return from_file(file, size, name, sink);
    }
    let elements = array(file, element, size)?;
    let Some(elements) = elements.get(..size) else {
        return Err(short(file, elements.len(), name, size));
    };
    if size > 0 { sink(elements) } else { Ok(()) }
}

/// Makes the error for a file with fewer bytes than must be filled.
fn short(file: &Path, length: usize, name: &str, size: usize) -> RunError {
    let problem = format!("{}, `{name}` has {size}", counted(length, "byte"));
    wrong(file, problem)
}

/// Passes the first `size` bytes of a file to `sink`, piece by piece. `name` is the name of the
/// buffer.
fn from_file(
    file: &Path,
    size: usize,
    name: &str,
    sink: &mut dyn FnMut(&[u8]) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let (open, length) = opened(file)?;
    if length < size as u64 {
        return Err(short(file, length as usize, name, size));
    }
    let mut open = open.take(size as u64);
    let (mut chunk, mut done) = (vec![0; size.min(1 << 20)], 0);
    while done < size {
        let read = open.read(&mut chunk);
        match read.map_err(|error| wrong(file, format!("cannot be read: {error}")))? {
            // The file became shorter while it was read.
            0 => return Err(short(file, done, name, size)),
            count => sink(&chunk[..count])?,
        }
        done = size - open.limit() as usize;
    }
    Ok(())
}
