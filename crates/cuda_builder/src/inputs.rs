//! The files from which the PTX was made, for `cargo:rerun-if-changed`.
//!
//! Law: the list has every source file of the kernel crate and of the path dependencies that it
//! uses, the manifests of these packages, the workspace's manifest and its lock file, and nothing
//! else. Registry crates are pinned by the lock file.
//!
//! ```text
//! <target>/release/kernels.d:   .../kernels.ptx: a.rs b\ c.rs ...   written by cargo
//!                                                │
//!                               nearest Cargo.toml above each file
//! ```
//!
//! Source: the Cargo Book, "Build cache: dep-info files" and "Change detection".

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Reads the inputs that the dep-info file `dep_info` names, with their manifests and the two files
/// of the workspace in `workspace`. Files below a folder of `made` are made by the build, and are
/// not listed.
///
/// Returns `None` if the file cannot be read.
pub(crate) fn read(dep_info: &Path, workspace: &Path, made: &[&Path]) -> Option<Vec<PathBuf>> {
    let text = fs::read_to_string(dep_info).ok()?;
    let mut inputs = BTreeSet::new();
    for source in prerequisites(&text) {
        if made.iter().any(|folder| source.starts_with(folder)) || !source.exists() {
            continue;
        }
        inputs.extend(manifest_above(&source));
        inputs.insert(source);
    }
    for name in ["Cargo.toml", "Cargo.lock"] {
        inputs.insert(workspace.join(name));
    }
    inputs.retain(|path| path.exists());
    Some(inputs.into_iter().collect())
}

fn manifest_above(source: &Path) -> Option<PathBuf> {
    source
        .ancestors()
        .skip(1)
        .map(|dir| dir.join("Cargo.toml"))
        .find(|manifest| manifest.is_file())
}

/// Returns the prerequisites of all rules in a Makefile that cargo wrote. Cargo writes a backslash
/// before each blank in a name.
fn prerequisites(text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((_, rest)) = line.split_once(": ") else {
            continue;
        };
        let mut name = String::new();
        let mut chars = rest.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if chars.peek() == Some(&' ') => name.extend(chars.next()),
                ' ' => found.push(std::mem::take(&mut name)),
                _ => name.push(c),
            }
        }
        found.push(name);
    }
    found.retain(|name| !name.is_empty());
    found.into_iter().map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn names_with_blanks_are_whole() {
        let text = "# env-dep:X=1\n/t/k.ptx: /a/lib.rs /a/with\\ blank.rs\n\n/a/lib.rs:\n";
        assert_eq!(
            prerequisites(text),
            ["/a/lib.rs", "/a/with blank.rs"].map(PathBuf::from)
        );
        assert_eq!(prerequisites("/t/k.ptx: \n"), Vec::<PathBuf>::new());
    }

    #[test]
    fn sources_bring_their_manifests_and_the_workspace_its_lock() {
        let scratch = Scratch::new("inputs");
        let root = scratch.path();
        for file in [
            "Cargo.toml",
            "Cargo.lock",
            "k/Cargo.toml",
            "k/src/lib.rs",
            "dep/Cargo.toml",
            "dep/src/a/b.rs",
            "other/Cargo.toml",
            "other/src/lib.rs",
            "home/out/generated.rs",
        ] {
            scratch.write(file, "");
        }
        let at = |file: &str| root.join(file);
        let rule = [
            "k/src/lib.rs",
            "dep/src/a/b.rs",
            "home/out/generated.rs",
            "gone.rs",
        ]
        .map(|file| at(file).display().to_string().replace(' ', "\\ "))
        .join(" ");
        let dep_info = scratch.write("k.d", &format!("/t/k.ptx: {rule}\n"));
        let mut expected = [
            "Cargo.toml",
            "Cargo.lock",
            "k/Cargo.toml",
            "k/src/lib.rs",
            "dep/Cargo.toml",
            "dep/src/a/b.rs",
        ]
        .map(at);
        expected.sort();
        assert_eq!(read(&dep_info, root, &[&at("home")]).unwrap(), expected);
        assert_eq!(read(&at("no.d"), root, &[&at("home")]), None);
    }
}
