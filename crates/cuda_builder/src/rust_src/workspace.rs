//! A cargo workspace with only `core`, `alloc` and `compiler_builtins`.
//!
//! `-Zbuild-std` resolves the whole workspace that contains the library, with `std` and its
//! dependencies from the registry, even if only `core` is built. A machine that has the source but
//! not the registry would fail on crates that no kernel uses. Symbolic links to the folders
//! therefore form a small workspace that needs no other crates.
//!
//! Law: a build in this workspace reads only the library folder, and writes nothing there.
//!
//! ```text
//! <home>/Cargo.toml           members = core, alloc, compiler_builtins
//! <home>/core        ─────>   <library>/core
//! <home>/stdarch     ─────>   <library>/stdarch        (core includes it by #[path])
//! ```

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use crate::hash::Hash128;

/// The folders from which `core`, `alloc` and `compiler_builtins` are compiled.
const PARTS: [&str; 5] = [
    "core",
    "alloc",
    "compiler-builtins",
    "stdarch",
    "portable-simd",
];

/// Files without which the parts do not compile, one or two per part. They distinguish a complete
/// tree from an empty tree or a tree of another kind.
pub(super) const FILES: [&str; 8] = [
    "core/Cargo.toml",
    "core/src/lib.rs",
    "alloc/Cargo.toml",
    "alloc/src/lib.rs",
    "compiler-builtins/compiler-builtins/Cargo.toml",
    "compiler-builtins/libm/src/lib.rs",
    "stdarch/crates/core_arch/src/mod.rs",
    "portable-simd/crates/core_simd/src/mod.rs",
];

const MANIFEST: &str = r#"# Written by cuda_builder: the parts of the library that GPU kernels use.
[workspace]
resolver = "2"
members = ["core", "alloc", "compiler-builtins/compiler-builtins"]
"#;

/// Returns the first missing file of a `library` folder, or `None` if all exist.
pub(super) fn missing_part(library: &Path) -> Option<&'static str> {
    FILES.into_iter().find(|file| !library.join(file).is_file())
}

/// Returns the small workspace for `library`, below `folder`, and creates the workspace if it does
/// not exist.
///
/// Precondition: the caller holds the lock of `folder`, so no other process makes the workspace at
/// the same time.
pub(crate) fn core_workspace(library: &Path, folder: &Path) -> io::Result<PathBuf> {
    let library = library.canonicalize()?;
    let mut hasher = DefaultHasher::new();
    (&library, MANIFEST).hash(&mut hasher);
    let home = folder.join(format!("core-{:016x}", hasher.finish()));
    if is_whole(&home, &library) {
        return Ok(home);
    }
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    fs::create_dir_all(&home)?;
    for part in PARTS {
        link(&library.join(part), &home.join(part))?;
    }
    files::write(home.join("Cargo.toml"), MANIFEST)?;
    Ok(home)
}

/// Returns a name for `path` that is not below any workspace, if the system has such a name. Linux
/// has one: the name through the root folder of a process in `/proc`.
///
/// If a path package such as `core` is below the workspace that cargo builds, cargo names the
/// package's root file relative to that workspace. If two workspaces share a target folder, cargo
/// would then compile the package again each time the other workspace is built.
pub(crate) fn outside_of_workspaces(path: PathBuf) -> PathBuf {
    let Ok(below) = path.strip_prefix("/") else {
        return path;
    };
    let outside = Path::new("/proc/self/root").join(below);
    if outside.is_dir() { outside } else { path }
}

/// Adds to `hash` the names, lengths and modification times of the files in the parts of `library`.
pub(crate) fn stamp(library: &Path, hash: &mut Hash128) -> io::Result<()> {
    let mut files = BTreeMap::new();
    let mut folders: Vec<_> = PARTS.iter().map(|part| library.join(part)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let meta = entry.metadata()?;
            if meta.is_dir() {
                folders.push(entry.path());
            } else {
                files.insert(entry.path(), (meta.len(), meta.modified()?));
            }
        }
    }
    for (path, written) in files {
        hash.add(path.as_os_str().as_encoded_bytes());
        hash.add(format!("{written:?}").as_bytes());
    }
    Ok(())
}

fn is_whole(home: &Path, library: &Path) -> bool {
    fs::read_to_string(home.join("Cargo.toml")).is_ok_and(|text| text == MANIFEST)
        && PARTS.iter().all(|part| {
            let linked = home.join(part).canonicalize();
            let meant = library.join(part).canonicalize();
            matches!((linked, meant), (Ok(a), Ok(b)) if a == b)
        })
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

#[cfg(windows)]
fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(from, to)
}
