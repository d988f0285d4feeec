//! Makes a registry on this machine, with the packages as they would be published, and the
//! third-party packages that they need.
//!
//! ```text
//!   workspace ──cargo package──► our .crate files, our index ─┐
//!   cargo's cache ─────────────► their .crate files ──────────┼──► registry/   in place of the registry on the network
//!   cargo's index, Cargo.lock ─► one line per package ────────┘    home/       a CARGO_HOME whose configuration names this registry
//! ```
//!
//! Law: cargo with this home sees no other package, and fetches nothing. A third-party package that
//! is not in cargo's cache, such as one for Windows, has a line in the index but no file.
//!
//! Source: the Cargo Book, "Source Replacement" and "Registry Index".

use cutlet::new_project::PACKAGES;
use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The registry, and the home of the cargo that uses it.
pub struct Registry {
    home: PathBuf,
    /// The packages of this project, with the SHA-256 of each.
    pub checksums: BTreeMap<String, String>,
}

/// Returns the cargo that runs the tests.
fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}");
    output
}

/// Returns the path of a package in a registry's index.
fn index_path(name: &str) -> PathBuf {
    match name.len() {
        1 => Path::new("1").join(name),
        2 => Path::new("2").join(name),
        3 => Path::new("3").join(&name[..1]).join(name),
        _ => Path::new(&name[..2]).join(&name[2..4]).join(name),
    }
}

/// Returns cargo's folders `<home>/registry/<kind>/<registry>`.
fn kept_by_cargo(kind: &str) -> Vec<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home
        .or_else(|| Some(env::home_dir()?.join(".cargo")))
        .unwrap();
    let folder = home.join("registry").join(kind);
    let registries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    registries.map(|entry| entry.unwrap().path()).collect()
}

/// Returns the third-party packages in the lock file: name and version.
fn others(lock: &str) -> Vec<(&str, &str)> {
    let field = |package: &'_ str, key: &str| -> Option<(usize, usize)> {
        let start = package.find(&format!("{key} = \""))? + key.len() + 4;
        Some((start, start + package[start..].find('"')?))
    };
    let mut found = Vec::new();
    for package in lock.split("[[package]]").skip(1) {
        let [name, version] = ["name", "version"].map(|key| {
            let (start, end) = field(package, key).unwrap();
            &package[start..end]
        });
        if package.contains("\nsource = ") {
            found.push((name, version));
        }
    }
    found
}

impl Registry {
    /// Makes the registry in `folder`, which is empty.
    pub fn new(folder: &Path) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut package = cargo();
        package.args([
            "package",
            "--offline",
            "--locked",
            "--no-verify",
            "--allow-dirty",
        ]);
        for (name, _) in PACKAGES {
            package.args(["-p", name]);
        }
        run(package
            .arg("--target-dir")
            .arg(folder.join("packaged"))
            .current_dir(root));
        // This is cargo's own local registry, by which the packages find each other.
        let registry = folder.join("registry");
        fs::rename(folder.join("packaged/package/tmp-registry"), &registry).unwrap();
        let mut checksums = BTreeMap::new();
        for (name, _) in PACKAGES {
            let text = fs::read_to_string(registry.join("index").join(index_path(name))).unwrap();
            let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
            checksums.insert(name.to_owned(), line["cksum"].as_str().unwrap().to_owned());
        }

        let (indexes, crates) = (kept_by_cargo("index"), kept_by_cargo("cache"));
        let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap();
        for (name, version) in others(&lock) {
            // cargo stores an index entry as lines of JSON between zeros.
            let known = indexes.iter().find_map(|index| {
                let kept = fs::read(index.join(".cache").join(index_path(name))).ok()?;
                kept.split(|&byte| byte == 0).find_map(|line| {
                    let entry: Value = serde_json::from_slice(line).ok()?;
                    (entry["vers"] == version).then(|| String::from_utf8(line.to_vec()).unwrap())
                })
            });
            let line = known.unwrap_or_else(|| panic!("cargo's index has no {name} {version}"));
            let file = registry.join("index").join(index_path(name));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let before = fs::read_to_string(&file).unwrap_or_default();
            fs::write(&file, format!("{before}{line}\n")).unwrap();
            let archive = format!("{name}-{version}.crate");
            if let Some(from) = crates
                .iter()
                .map(|cache| cache.join(&archive))
                .find(|file| file.is_file())
            {
                fs::copy(from, registry.join(&archive)).unwrap();
            }
        }

        let home = folder.join("home");
        fs::create_dir(&home).unwrap();
        let configuration = format!(
            "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\nlocal-registry = {}\n[net]\noffline = true\n",
            Value::from(registry.display().to_string())
        );
        fs::write(home.join("config.toml"), configuration).unwrap();
        Self { home, checksums }
    }

    /// Returns the `cargo` of this registry in `project`, without settings of the cargo that runs
    /// the tests.
    pub fn cargo(&self, project: &Path) -> Command {
        let mut cargo = cargo();
        let own = |name: &OsString| {
            let name = name.to_string_lossy();
            name.starts_with("CARGO")
                || name.starts_with("CUTLET")
                || name.starts_with("CUDA_LIBRARY")
        };
        for (name, _) in env::vars_os().filter(|(name, _)| own(name)) {
            cargo.env_remove(name);
        }
        cargo.env("CARGO_HOME", &self.home).current_dir(project);
        cargo
    }
}
