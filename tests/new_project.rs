//! Follows a new user: a project from the published packages, its tests, a refused edit, its
//! correction, and a project that is not written.

mod common;
mod registry;

use common::sample::all_cases;
use cutlet::new_project::{NewProject, Origin, Template};
use registry::Registry;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;
use std::{env, fs};

/// A folder that only this test uses, outside the workspace. It is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("cutlet-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder.canonicalize().unwrap())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs `cutlet new`.
fn new(folder: &Path, options: &[&str]) -> Output {
    let mut new = Command::new(common::cutlet());
    new.arg("new").arg(folder).args(options).output().unwrap()
}

/// Replaces `from` by `to` in a file, which must contain it once.
fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(
        text.matches(from).count(),
        1,
        "{from} in {}",
        file.display()
    );
    fs::write(file, text.replace(from, to)).unwrap();
}

/// Prints the time so far, past the capture of a test's output.
fn told(what: &str, start: Instant) {
    let _ = writeln!(io::stderr(), "{what}: {:.0?}", start.elapsed());
}

/// Returns every file below `folder`, except those that cargo built.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Projects that can use only the packages of the registry.
struct Outside<'a> {
    registry: &'a Registry,
    target: PathBuf,
}

impl Outside<'_> {
    /// Runs cargo in `project`. Returns whether it succeeds, and its output.
    fn cargo(&self, project: &Path, arguments: &str) -> (bool, String) {
        let mut cargo = self.registry.cargo(project);
        // The packages execute little here, so that optimising them would take longer than it
        // saves.
        for name in ["cutlet-emulator", "cutlet-host"] {
            cargo.arg("--config");
            cargo.arg(format!("profile.dev.package.{name}.opt-level=0"));
        }
        let output = cargo
            .args(arguments.split_whitespace())
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_TERM_COLOR", "never")
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    }

    /// Writes a project and resolves its dependencies, but compiles nothing.
    fn resolved(&self, folder: &Path, template: Template) {
        let origin = Origin::Registry;
        NewProject {
            folder,
            template,
            origin,
        }
        .write()
        .unwrap();
        let source = env!("CARGO_MANIFEST_DIR");
        for file in files(folder) {
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains(source), "{}", file.display());
        }
        let (passed, text) = self.cargo(folder, "generate-lockfile --offline");
        assert!(passed, "{text}");
        self.assert_origins(folder);
    }

    /// Writes a project, tests it, and checks the origin of each package.
    fn project(&self, folder: &Path, template: Template, tests: &[&str]) {
        self.resolved(folder, template);
        let (passed, text) = self.cargo(folder, "test");
        assert!(passed, "{text}");
        for test in tests {
            assert!(text.contains(test), "{test} did not run: {text}");
        }
        self.assert_origins(folder);
    }

    /// Asserts by their checksums that packages with this project's names are this project's, and
    /// that there is no other source for them.
    fn assert_origins(&self, folder: &Path) {
        let lock = fs::read_to_string(folder.join("Cargo.lock")).unwrap();
        let mut own = 0;
        for package in lock.split("[[package]]").skip(1) {
            let line = |key: &str| {
                let found = package.lines().find_map(|line| line.strip_prefix(key));
                found.map(|text| text.trim_matches('"'))
            };
            let name = line("name = ").unwrap();
            match (line("source = "), self.registry.checksums.get(name)) {
                (None, None) => assert!(name.starts_with("my-"), "{name} is from a folder"),
                (Some(_), Some(checksum)) => {
                    own += 1;
                    assert_eq!(line("checksum = "), Some(&**checksum), "{name}");
                }
                (Some(_), None) => assert!(!name.starts_with("cutlet"), "{name} is not ours"),
                (None, Some(_)) => panic!("{name} is from a folder"),
            }
        }
        assert!(own >= 4, "{lock}");
    }
}

#[test]
fn projects_of_the_packages_alone_test_refuse_and_test_again() {
    let start = Instant::now();
    let scratch = Scratch::new("packages");
    let registry = Registry::new(&scratch.0);
    let target = scratch.0.join("target");
    // The build does not fetch again what the workspace's build has fetched.
    let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let rust_src = workspace.join("cuda-builder/rust-src");
    if rust_src.is_dir() {
        fs::create_dir_all(target.join("cuda-builder")).unwrap();
        std::os::unix::fs::symlink(rust_src, target.join("cuda-builder/rust-src")).unwrap();
    }
    let outside = Outside {
        registry: &registry,
        target,
    };
    told("packaged", start);

    // Every new project compiles 130 crates, so this runs once a night.
    if !all_cases() {
        let templates = [
            ("my-kernels", Template::Kernel),
            ("my-gemm", Template::Gemm),
            ("my-attention", Template::Attention),
        ];
        for (name, template) in templates {
            outside.resolved(&scratch.0.join(name), template);
        }
        told("resolved, and left to CUTLET_ALL_CASES=1", start);
        return;
    }

    let project = scratch.0.join("my-kernels");
    let tests = ["transposes", "the_launch_is_the_kernels", "launch (line"];
    outside.project(&project, Template::Kernel, &tests);
    told("a kernel", start);

    // The tile is twice as wide, and no thread moves its second half.
    let kernels = project.join("kernels/src/lib.rs");
    let (right, wrong) = ("type Tile = tile!(32, 32);", "type Tile = tile!(32, 64);");
    edit(&kernels, right, wrong);
    let (passed, text) = outside.cargo(&project, "check -p my-kernels-kernels");
    assert!(!passed, "a tile that nobody covers was accepted");
    let said = "does not cover (32,64) exactly once: tile cell 1024, at (0,32), has no owner";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("kernels/src/lib.rs"), "{text}");
    edit(&kernels, wrong, right);
    let (passed, text) = outside.cargo(&project, "test");
    assert!(passed, "{text}");
    told("refused, and tested again", start);

    let project = scratch.0.join("my-gemm");
    let tests = [
        "multiplies",
        "rows_that_are_not_aligned_are_refused",
        "Gemm::run (line",
    ];
    outside.project(&project, Template::Gemm, &tests);
    told("a GEMM", start);
    // This project uses `cutlet` itself, whose kernels are built from their packages.
    let (passed, text) = outside.cargo(&project, "bench --no-run");
    assert!(passed, "{text}");
    let project = scratch.0.join("my-attention");
    let tests = [
        "attends",
        "another_head_dimension_is_refused",
        "Attention::run (line",
    ];
    outside.project(&project, Template::Attention, &tests);
    told("attention", start);
}

#[test]
fn the_command_writes_every_template_and_begins_a_repository() {
    let scratch = Scratch::new("new");
    let project = scratch.0.join("my-kernels");
    let output = new(&project, &[]);
    assert!(output.status.success(), "{output:?}");
    assert!(project.join(".git").is_dir());
    let source = env!("CARGO_MANIFEST_DIR");
    let manifest = |project: &Path| fs::read_to_string(project.join("Cargo.toml")).unwrap();
    assert!(manifest(&project).contains(&format!("cutlet-host = {{ path = \"{source}/host\" }}")));

    let rev = "0123456789abcdef0123456789abcdef01234567";
    for template in ["gemm", "attention"] {
        let project = scratch.0.join(format!("my-{template}"));
        let url = "https://example.org/cutlet";
        let output = new(
            &project,
            &[
                "--template",
                template,
                "--git",
                url,
                "--rev",
                rev,
                "--no-git",
            ],
        );
        assert!(output.status.success(), "{output:?}");
        assert!(!project.join(".git").exists());
        let keys = format!("cutlet-host = {{ git = {url:?}, rev = {rev:?} }}");
        assert!(manifest(&project).contains(&keys), "{}", manifest(&project));
        for file in files(&project) {
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains(source), "{}", file.display());
        }
    }
    // The projects are formatted as their own CI requires.
    for project in ["my-kernels", "my-gemm", "my-attention"] {
        let mut format = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        let format = format.args(["fmt", "--check"]);
        let output = format
            .current_dir(scratch.0.join(project))
            .output()
            .unwrap();
        assert!(output.status.success(), "{project}: {output:?}");
    }
}

#[test]
fn nothing_is_overwritten_and_bad_names_are_refused() {
    let scratch = Scratch::new("new-refused");
    let folder = &scratch.0;
    let taken = folder.join("taken");
    fs::create_dir(&taken).unwrap();
    let output = new(&taken, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("exists; nothing was written"));
    assert_eq!(fs::read_dir(&taken).unwrap().count(), 0);
    for name in [
        "1st",
        "a b",
        "ä",
        "..",
        "fn",
        "self",
        "std",
        "core",
        "test",
        "gen",
        "host",
        "u32",
        "cutlet-host",
    ] {
        let output = new(&folder.join(name), &[]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("cannot name a package"),
            "{name}"
        );
    }
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
}
