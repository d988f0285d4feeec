//! PTX from earlier builds, found by a hash of everything from which it was made.
//!
//! Law: the PTX that is found is the PTX that a build would make now, because the flags, the
//! compiler, and each file and variable that the earlier build read are unchanged. A debug build, a
//! release build, a lint and the tests therefore compile a kernel crate only once in all.
//!
//! ```text
//! <home>/kept/<request>/inputs       what was read: one line per file, and one per variable
//!                      /<content>.ptx      with a checksum, so that a truncated file is ignored
//!   request   the command line and the environment of the inner cargo, the compiler
//!   content   the current contents of the inputs
//! ```
//!
//! A build whose sources changed while it ran is not stored. A build whose options write further
//! files in addition to the PTX is not stored either.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::builder::CudaBuilder;
use crate::compile::{Job, Places};
use crate::environment::stopped;
use crate::hash::Hash128;
use crate::rust_src::{self, Location};
use crate::sealed;

/// The number of contents that are kept per request, so that switching between branches does not
/// compile again.
const CONTENTS: usize = 8;

/// The PTX files that are kept for one request.
pub(crate) struct Kept {
    folder: PathBuf,
}

/// The inputs that a build read.
#[derive(Debug, PartialEq, Eq)]
struct Inputs {
    files: Vec<PathBuf>,
    variables: BTreeSet<String>,
}

impl Kept {
    /// Returns the PTX kept for `job`, or `None` if its build must run each time.
    pub fn of(builder: &CudaBuilder, job: &Job, places: &Places, from: &Location) -> Option<Self> {
        // An incremental build depends on the build before it, and LLVM's files are not stored.
        if builder.incremental || builder.emit.is_some() || builder.final_module_path.is_some() {
            return None;
        }
        let toolchain = places.toolchain;
        let mut hash = Hash128::new();
        // If a compiler does not state its commit, it cannot be distinguished from another compiler
        // of the same release.
        for part in [
            toolchain.commit.as_ref()?,
            &toolchain.release,
            &toolchain.host,
        ] {
            hash.add(part.as_bytes());
        }
        for path in [&toolchain.sysroot, &toolchain.rustc, &places.kernels.folder] {
            hash.add(path.as_os_str().as_encoded_bytes());
        }
        rust_src::stamp(&from.library, &mut hash).ok()?;
        for arg in &job.args {
            hash.add(arg.as_encoded_bytes());
        }
        let silent = |name: &str| name.starts_with("CARGO_TERM_") || name == "CARGO_BUILD_JOBS";
        for (name, value) in job.env.iter().filter(|(name, _)| !silent(name)) {
            hash.add(name.as_bytes());
            hash.add(value.as_encoded_bytes());
        }
        let folder = places.home.join("kept").join(hash.name());
        Some(Self { folder })
    }

    /// Writes the PTX for the current inputs to `ptx`, and returns the files from which it was
    /// made. Returns `None` if no such PTX is kept or `ptx` cannot be written.
    pub fn fetch(&self, ptx: &Path) -> Option<Vec<PathBuf>> {
        let inputs = Inputs::read(&self.folder.join("inputs"))?;
        let kept = self.file(&inputs)?;
        let text = sealed::read(&kept)?;
        fs::create_dir_all(ptx.parent()?).ok()?;
        files::write(ptx, text).ok()?;
        // The time is updated, because the files with the oldest times are removed.
        let now = fs::File::options().append(true).open(&kept);
        let _ = now.and_then(|file| file.set_modified(SystemTime::now()));
        Some(inputs.files)
    }

    /// Stores `text`, which a build that began at `began` made from `files`. Nothing is stored if
    /// one of `files` changed since then.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written. PTX that was stored before stays complete.
    pub fn store(
        &self,
        text: &str,
        files: &[PathBuf],
        job: &Job,
        began: SystemTime,
    ) -> io::Result<()> {
        let changed = |file: &PathBuf| {
            let modified = fs::metadata(file).and_then(|meta| meta.modified());
            modified.is_ok_and(|modified| modified >= began)
        };
        if files.iter().any(changed) {
            return Ok(());
        }
        let inputs = Inputs {
            files: files.to_vec(),
            variables: variables(&job.target_dir),
        };
        let Some(file) = self.file(&inputs) else {
            return Ok(());
        };
        fs::create_dir_all(&self.folder)?;
        sealed::write(&file, text)?;
        files::write(self.folder.join("inputs"), inputs.text())?;
        drop_oldest(&self.folder, CONTENTS)
    }

    /// Returns the file for the current contents of `inputs`, or `None` if an input cannot be read.
    fn file(&self, inputs: &Inputs) -> Option<PathBuf> {
        let mut hash = Hash128::new();
        for file in &inputs.files {
            hash.add(file.as_os_str().as_encoded_bytes());
            hash.add(&fs::read(file).ok()?);
        }
        for name in &inputs.variables {
            hash.add(name.as_bytes());
            match std::env::var_os(name) {
                Some(value) => hash.add(value.as_encoded_bytes()),
                None => hash.add_nothing(),
            }
        }
        Some(self.folder.join(hash.name()).with_extension("ptx"))
    }
}

impl Inputs {
    /// Returns the text of the file `inputs`. A file name with a line break is not supported, and
    /// no build has such a file.
    fn text(&self) -> String {
        let files = self
            .files
            .iter()
            .map(|file| format!("file {}\n", file.display()));
        let variables = self
            .variables
            .iter()
            .map(|name| format!("variable {name}\n"));
        files.chain(variables).collect()
    }

    fn read(path: &Path) -> Option<Self> {
        let mut inputs = Self {
            files: Vec::new(),
            variables: BTreeSet::new(),
        };
        for line in fs::read_to_string(path).ok()?.lines() {
            match line.split_once(' ')? {
                ("file", file) => inputs.files.push(file.into()),
                ("variable", name) => {
                    inputs.variables.insert(name.to_owned());
                }
                _ => return None,
            }
        }
        (!inputs.files.is_empty()).then_some(inputs)
    }
}

/// Returns the variables that crates in `target_dir` read, by `env!` and in build scripts, and that
/// pass to the inner cargo. The variables are those of all crates that were ever built there, which
/// may be too many but never too few.
fn variables(target_dir: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut read = |path: PathBuf, prefixes: &[&str]| {
        let text = fs::read_to_string(path).unwrap_or_default();
        for line in text.lines() {
            let named = prefixes.iter().find_map(|prefix| line.strip_prefix(prefix));
            if let Some(name) = named.and_then(|rest| rest.split('=').next())
                && !stopped(name)
            {
                found.insert(name.to_owned());
            }
        }
    };
    for profile in ["release", "debug"] {
        for above in [target_dir.to_owned(), target_dir.join(crate::TARGET)] {
            let profile = above.join(profile);
            for path in entries(&profile.join("deps")) {
                if path.extension().is_some_and(|extension| extension == "d") {
                    read(path, &["# env-dep:"]);
                }
            }
            for path in entries(&profile.join("build")) {
                let told = [
                    "cargo:rerun-if-env-changed=",
                    "cargo::rerun-if-env-changed=",
                ];
                read(path.join("output"), &told);
            }
        }
    }
    found
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.flatten().map(|entry| entry.path())
}

/// Keeps only the `most` newest files of PTX in `folder`, and the `most` newest folders in it.
/// Writing a file into a folder makes that folder newer.
pub(crate) fn drop_oldest(folder: &Path, most: usize) -> io::Result<()> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let modified = fs::metadata(&path)?.modified()?;
        if path.is_dir() {
            folders.push((modified, path));
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            files.push((modified, path));
        }
    }
    for kept in [&mut files, &mut folders] {
        kept.sort();
        kept.truncate(kept.len().saturating_sub(most));
    }
    files
        .iter()
        .try_for_each(|(_, path)| fs::remove_file(path))?;
    folders
        .iter()
        .try_for_each(|(_, path)| fs::remove_dir_all(path))
}
