//! Writing a file that is there whole or not at all.

use crate::{limits, regular};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file: to a temporary one in the same folder, which takes its place when it is whole and
/// flushed.
///
/// A link is followed; a file that is there keeps its permissions.
///
/// # Errors
/// The system's, and [`ErrorKind::InvalidInput`] where `path` names something else than a regular
/// file. The file is then what it was, and the temporary one is removed.
pub fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<()> {
    let (path, bytes) = (path.as_ref(), bytes.as_ref());
    let (path, permissions) = place(path)?;
    within_limit(bytes.len())?;
    let part = Part::beside(&path)?;
    part.fill(bytes, permissions)?;
    part.rename(&path)
}

/// Where the file is that `path` names, and the permissions that it has if it is there.
fn place(path: &Path) -> Result<(PathBuf, Option<Permissions>)> {
    let found = match path.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((target(path), None)),
        found => found?,
    };
    let permissions = regular::check(&found)?.permissions();
    // Renaming asks the folder alone: a file that its owner made read-only is to stay.
    OpenOptions::new().write(true).open(path)?;
    Ok((path.canonicalize()?, Some(permissions)))
}

/// The file that is made by writing to `path`, which does not exist: where a link leads, though
/// nothing is there.
fn target(path: &Path) -> PathBuf {
    let linked = path.read_link().ok().map(|to| match path.parent() {
        Some(folder) => folder.join(to),
        None => to,
    });
    linked.unwrap_or_else(|| path.to_owned())
}

/// The system ends a process that writes beyond its limit by a signal, unless that is ignored.
fn within_limit(length: usize) -> Result<()> {
    match limits::limit("Max file size") {
        Some(limit) if length as u64 > limit => Err(Error::new(
            ErrorKind::FileTooLarge,
            format!("it has {length} bytes, and this process may write {limit} to a file"),
        )),
        _ => Ok(()),
    }
}

/// A file that is removed, unless it takes another's place.
struct Part {
    path: PathBuf,
    file: File,
}

impl Part {
    /// An empty file in the folder of `path`.
    fn beside(path: &Path) -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".cutlet-{}-{count}.part", std::process::id());
            let path = path.with_file_name(name);
            let options = OpenOptions::new().write(true).create_new(true).clone();
            match options.open(&path) {
                // Left by another process that had this number.
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
        // Some file systems find out here that they are full.
        self.file.sync_all()
    }

    fn rename(self, to: &Path) -> Result<()> {
        fs::rename(&self.path, to)
    }
}

impl Drop for Part {
    /// Removes the file; after a renaming there is none of its name.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
