//! Writes a file so that it is either complete or unchanged.

use crate::{limits, regular};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a temporary file in the same folder, and renames it to `path` once it is complete and
/// flushed.
///
/// If `path` is a link, the file that it leads to is replaced; an existing file keeps its
/// permissions.
///
/// # Errors
/// Returns the system's errors, and [`ErrorKind::InvalidInput`] if `path` names something other
/// than a regular file. After an error the file is unchanged, and the temporary file is removed.
pub fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<()> {
    let (path, bytes) = (path.as_ref(), bytes.as_ref());
    let (path, permissions) = place(path)?;
    within_limit(bytes.len())?;
    let part = Part::beside(&path)?;
    part.fill(bytes, permissions)?;
    part.rename(&path)
}

/// Returns the path of the file that `path` leads to, and the file's permissions if it exists.
fn place(path: &Path) -> Result<(PathBuf, Option<Permissions>)> {
    let found = match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((target(path), None)),
        found => found?,
    };
    let permissions = regular::check(&found)?.permissions();
    // Renaming needs permission only for the folder: this check protects a file that its owner made
    // read-only.
    OpenOptions::new().write(true).open(path)?;
    Ok((path.canonicalize()?, Some(permissions)))
}

/// Returns the path of the file that a write to `path` creates, if `path` does not exist: the
/// target of a link, even if there is no file at the target.
fn target(path: &Path) -> PathBuf {
    let linked = path.read_link().ok().map(|to| match path.parent() {
        Some(folder) => folder.join(to),
        None => to,
    });
    linked.unwrap_or_else(|| path.to_owned())
}

/// Checks the limit first: unless the signal is ignored, the system ends a process that writes
/// beyond its limit by a signal.
fn within_limit(length: usize) -> Result<()> {
    match limits::limit("Max file size") {
        Some(limit) if length as u64 > limit => Err(Error::new(
            ErrorKind::FileTooLarge,
            format!("it has {length} bytes, and this process may write {limit} to a file"),
        )),
        _ => Ok(()),
    }
}

/// A temporary file, which is removed unless it is renamed.
struct Part {
    path: PathBuf,
    file: File,
}

impl Part {
    /// Creates an empty file in the folder of `path`.
    fn beside(path: &Path) -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".cutlet-{}-{count}.part", std::process::id());
            let path = path.with_file_name(name);
            let options = OpenOptions::new().write(true).create_new(true).clone();
            match options.open(&path) {
                // Another process with the same number left this file.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                file => return Ok(Self { file: file?, path }),
            }
        }
    }

    fn fill(&self, bytes: &[u8], permissions: Option<Permissions>) -> Result<()> {
        (&self.file).write_all(bytes)?;
        if let Some(permissions) = permissions {
            self.file.set_permissions(permissions)?;
        }
        // Some file systems report only here that they are full.
        self.file.sync_all()
    }

    fn rename(self, to: &Path) -> Result<()> {
        fs::rename(&self.path, to)
    }
}

impl Drop for Part {
    /// Removes the file; after a renaming no file has this name.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
