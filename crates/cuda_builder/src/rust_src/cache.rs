//! A private copy of `rust-src`, below the target folder. It is a link of the chain that finds
//! `rust-src` (see [`super`]).
//!
//! Law: `<cache>/<release>` is either absent or complete. A tree is unpacked under a private name,
//! checked, stamped, and only then renamed into place. A rename is atomic, so the second of two
//! processes finds the tree of the first.
//!
//! ```text
//! <cache>/.new-<pid>-<n>/library   while unpacking
//! <cache>/1.95.0/library           when complete
//! <cache>/1.95.0/stamp             "rust-src 1.95.0" and where the tree came from
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::link::Outcome;
use super::workspace::missing_part;

/// Returns the beginning of the stamp of a complete tree.
fn seal(release: &str) -> String {
    format!("rust-src {release}\n")
}

/// Returns the tree for `release` if it exists and is complete.
pub(super) fn look(cache: &Path, release: &str) -> Outcome {
    let home = cache.join(release);
    if !home.is_dir() {
        return Outcome::Missing(format!("no folder {}", home.display()));
    }
    let library = home.join("library");
    match fs::read_to_string(home.join("stamp")) {
        Ok(stamp) if stamp.starts_with(&seal(release)) => {}
        _ => return Outcome::Failed(format!("{} is not whole", home.display())),
    }
    match missing_part(&library) {
        None => Outcome::Found(library),
        Some(part) => Outcome::Failed(format!("{} has no {part}", library.display())),
    }
}

/// A private, empty folder in the cache for unpacking. The folder is removed when the value is
/// dropped.
pub(super) struct Draft(PathBuf);

impl Draft {
    pub fn new(cache: &Path) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = cache.join(format!(".new-{}-{unique}", std::process::id()));
        // An earlier process with the same id may have been killed, and have left the folder.
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Renames the folder `tree` of this draft, which contains `library`, into place. Returns the
    /// `library` folder that is then in place. It comes from this draft, or from another process
    /// that was faster.
    ///
    /// Precondition: `tree/library` is the source of `release`. This function checks whether the
    /// tree is complete.
    pub fn publish(
        self,
        tree: &Path,
        cache: &Path,
        release: &str,
        origin: &str,
    ) -> Result<PathBuf, String> {
        if let Some(part) = missing_part(&tree.join("library")) {
            return Err(format!("what was unpacked has no {part}"));
        }
        let io = |error: io::Error| format!("could not put it into {}: {error}", cache.display());
        files::write(tree.join("stamp"), format!("{}{origin}\n", seal(release))).map_err(io)?;
        let home = cache.join(release);
        // An incomplete tree, after a full disk or a manual deletion, is moved away. If two
        // processes do this at the same time, one rename fails, and the checks below decide.
        if home.exists() && !matches!(look(cache, release), Outcome::Found(_)) {
            let _ = fs::rename(&home, self.0.join("broken"));
        }
        let renamed = fs::rename(tree, &home);
        match (look(cache, release), renamed) {
            (Outcome::Found(library), _) => Ok(library),
            (_, Err(error)) => Err(io(error)),
            (other, Ok(())) => Err(format!("{}: {other}", home.display())),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
