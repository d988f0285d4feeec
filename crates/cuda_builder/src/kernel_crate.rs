//! The kernel crate, as cargo describes it.
//!
//! Law: the facts come from cargo and not from manifests, so the crate that is built is the one
//! that cargo would build.
//!
//! ```text
//! cargo metadata --no-deps ─> package name, library's name and root file, workspace
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::environment::stopped;
use crate::error::CudaBuilderError;
use crate::process;
use crate::toolchain::Toolchain;

/// The time limit for cargo, which has to read a few manifests.
const LIMIT: Duration = Duration::from_secs(120);

/// A package with a library that can be compiled to PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KernelCrate {
    /// The folder of the package's manifest.
    pub folder: PathBuf,
    /// The package's name: `gpu-kernels`.
    pub package: String,
    /// The library's name: `gpu_kernels`.
    pub library: String,
    /// The library's root file.
    pub root: PathBuf,
    /// The folder of the package's workspace.
    pub workspace: PathBuf,
}

/// Returns the absolute path of the crate's folder `path`.
pub(crate) fn folder(path: &Path) -> Result<PathBuf, CudaBuilderError> {
    match path.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        _ => Err(CudaBuilderError::CratePathDoesntExist {
            path: path.to_owned(),
            from: std::env::current_dir().unwrap_or_default(),
        }),
    }
}

impl KernelCrate {
    /// Asks cargo about the crate in `folder`.
    pub fn read(folder: PathBuf, toolchain: &Toolchain) -> Result<Self, CudaBuilderError> {
        Self::read_with_packages(folder, toolchain).map(|(kernels, _)| kernels)
    }

    /// Does the same as [`read`](Self::read), and also returns the sorted folders of the packages
    /// from which the crate is built. These are the crate's own folder and the folders of its path
    /// dependencies, except for dependencies of tests. Packages of a registry are pinned by the
    /// lock file.
    pub fn read_with_packages(
        folder: PathBuf,
        toolchain: &Toolchain,
    ) -> Result<(Self, Vec<PathBuf>), CudaBuilderError> {
        let not_a_crate = |reason: String| CudaBuilderError::NotACrate {
            path: folder.clone(),
            reason,
        };
        let manifest = folder.join("Cargo.toml");
        if !manifest.is_file() {
            return Err(not_a_crate("there is no Cargo.toml in it".into()));
        }
        let mut command = Command::new(&toolchain.cargo);
        command
            .args([
                "metadata",
                "--no-deps",
                "--format-version=1",
                "--manifest-path",
            ])
            .arg(&manifest)
            .current_dir(&folder);
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(stopped) {
                command.env_remove(name);
            }
        }
        command.env("RUSTC", &toolchain.rustc);
        let done =
            process::run(&mut command, LIMIT).map_err(|error| not_a_crate(error.to_string()))?;
        if !done.status.success() {
            return Err(not_a_crate(done.stderr.trim().to_owned()));
        }
        let metadata: Value =
            serde_json::from_str(&done.stdout).map_err(|error| not_a_crate(error.to_string()))?;
        let kernels = Self::from_metadata(&metadata, &manifest)
            .unwrap_or_else(|| Err(not_a_crate("cargo metadata does not list it".into())))?;
        Ok((kernels, path_packages(&metadata, &folder)))
    }

    /// Reads the crate with this manifest from cargo's metadata, or returns `None` if the metadata
    /// is not of the form that cargo documents.
    fn from_metadata(metadata: &Value, manifest: &Path) -> Option<Result<Self, CudaBuilderError>> {
        let workspace = metadata["workspace_root"].as_str()?.into();
        let package = metadata["packages"]
            .as_array()?
            .iter()
            .find(|package| package["manifest_path"].as_str().map(Path::new) == Some(manifest))?;
        let name = package["name"].as_str()?.to_owned();
        let targets = package["targets"].as_array()?;
        let kinds = |target: &Value| -> Vec<String> {
            let kinds = target["kind"].as_array().into_iter().flatten();
            kinds
                .filter_map(|kind| kind.as_str().map(str::to_owned))
                .collect()
        };
        let compiles = ["lib", "rlib", "cdylib", "staticlib", "dylib"];
        let library = targets
            .iter()
            .find(|target| kinds(target).iter().any(|kind| compiles.contains(&&**kind)));
        let Some(library) = library else {
            return Some(Err(CudaBuilderError::NoLibrary {
                package: name,
                found: targets.iter().flat_map(kinds).collect(),
            }));
        };
        Some(Ok(Self {
            folder: manifest.parent()?.to_owned(),
            package: name,
            library: library["name"].as_str()?.replace('-', "_"),
            root: library["src_path"].as_str()?.into(),
            workspace,
        }))
    }
}

/// Returns the sorted folders of the package in `folder` and of all its direct and indirect path
/// dependencies.
fn path_packages(metadata: &Value, folder: &Path) -> Vec<PathBuf> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let dependencies: BTreeMap<&Path, &Value> = packages
        .filter_map(|package| {
            let manifest = Path::new(package["manifest_path"].as_str()?);
            Some((manifest.parent()?, &package["dependencies"]))
        })
        .collect();
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let of_package = dependencies.get(&*folder).and_then(|of| of.as_array());
        let built = of_package.into_iter().flatten();
        let built = built.filter(|dependency| dependency["kind"] != "dev");
        let paths: Vec<PathBuf> = built
            .filter_map(|dependency| dependency["path"].as_str().map(PathBuf::from))
            .collect();
        if found.insert(folder) {
            open.extend(paths);
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    fn read(scratch: &Scratch, crate_folder: &str) -> Result<KernelCrate, CudaBuilderError> {
        let toolchain = Toolchain::detect().unwrap();
        KernelCrate::read(folder(&scratch.path().join(crate_folder))?, &toolchain)
    }

    const PACKAGE: &str = "[package]\nname = \"my-kernels\"\nversion = \"0.1.0\"\n";

    #[test]
    fn a_member_of_a_workspace_is_found_with_its_names() {
        let scratch = Scratch::new("member");
        scratch.write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"k\"]\nresolver = \"3\"\n",
        );
        let manifest = format!("{PACKAGE}[lib]\ncrate-type = [\"cdylib\", \"rlib\"]\n");
        scratch.write("k/Cargo.toml", &manifest);
        scratch.write("k/src/lib.rs", "");
        let found = read(&scratch, "k").unwrap();
        let root = scratch.path().canonicalize().unwrap();
        assert_eq!(
            found,
            KernelCrate {
                folder: root.join("k"),
                package: "my-kernels".into(),
                library: "my_kernels".into(),
                root: root.join("k/src/lib.rs"),
                workspace: root,
            }
        );
    }

    #[test]
    fn a_crate_is_built_from_its_path_dependencies_and_theirs_and_not_from_those_of_its_tests() {
        let scratch = Scratch::new("packages");
        let package = |name: &str, rest: &str| {
            let manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n{rest}");
            scratch.write(&format!("{name}/Cargo.toml"), &manifest);
            scratch.write(&format!("{name}/src/lib.rs"), "");
        };
        scratch.write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"*\"]\nresolver = \"3\"\n",
        );
        let of = |name: &str| format!("{name} = {{ path = \"../{name}\" }}\n");
        let (tensors, numbers, checks) = (of("tensors"), of("numbers"), of("checks"));
        package(
            "k",
            &format!("[dependencies]\n{tensors}[dev-dependencies]\n{checks}"),
        );
        package("tensors", &format!("[build-dependencies]\n{numbers}"));
        for other in ["numbers", "checks", "other"] {
            package(other, "");
        }
        let toolchain = Toolchain::detect().unwrap();
        let k = folder(&scratch.path().join("k")).unwrap();
        let (_, packages) = KernelCrate::read_with_packages(k, &toolchain).unwrap();
        let root = scratch.path().canonicalize().unwrap();
        assert_eq!(
            packages,
            ["k", "numbers", "tensors"].map(|name| root.join(name))
        );
    }

    #[test]
    fn a_path_that_is_not_there_is_told_with_where_it_was_looked_for() {
        let error = folder(Path::new("no/such/crate")).unwrap_err();
        assert!(matches!(
            error,
            CudaBuilderError::CratePathDoesntExist { .. }
        ));
        let here = std::env::current_dir().unwrap();
        assert!(error.to_string().contains("no/such/crate"), "{error}");
        assert!(
            error.to_string().contains(&here.display().to_string()),
            "{error}"
        );
    }

    #[test]
    fn what_is_no_crate_is_told_apart() {
        let scratch = Scratch::new("no-crate");
        scratch.write("empty/readme", "");
        scratch.write("broken/Cargo.toml", "[package\n");
        scratch.write("bin/Cargo.toml", &format!("{PACKAGE}[workspace]\n"));
        scratch.write("bin/src/main.rs", "fn main() {}");
        let error = read(&scratch, "empty").unwrap_err();
        assert!(error.to_string().contains("no Cargo.toml"), "{error}");
        let error = read(&scratch, "broken").unwrap_err();
        assert!(
            matches!(error, CudaBuilderError::NotACrate { .. }),
            "{error}"
        );
        let error = read(&scratch, "bin").unwrap_err();
        let CudaBuilderError::NoLibrary { package, found } = &error else {
            panic!("{error}");
        };
        assert_eq!(
            (package.as_str(), found.as_slice()),
            ("my-kernels", &["bin".to_owned()][..])
        );
        assert!(error.to_string().contains("cdylib"), "{error}");
    }
}
