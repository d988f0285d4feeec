//! Checks what `cargo check` refuses: every mistake with its pinned message, and no twin.
//!
//! ```text
//!   all twins                      ──one rustc──►  no error
//!   all mistakes, cfg(mistake)     ──one rustc──►  errors by file  ==  check/NAME.stderr
//!   those without an error yet     ──one rustc──►  ...                  until none is left
//! ```
//!
//! rustc compiles only the cases, with the rlibs of this build beside this program. If a library is missing or is there twice, `cargo check`
//! runs instead, which checks the libraries too. The compiler stops at the phase that has errors, so an error of a later phase (a borrow after a
//! type) appears in a later round.
//! Law: the first line is the sentence, in decimals, at a line of the case, which is shown; no sentence appears twice, and all
//! errors of a case have at most 40 lines. `BLESS=1` writes the pinned messages.

use mistakes::{Mistake, checked, folder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The number of lines of an error that are pinned: the message, the place, the line and its label.
const HEAD: usize = 5;
/// The largest number of lines that all errors of a case have together.
const SCREEN: usize = 40;
/// The case in which A and B both have the wrong type, and each has an error.
const BOTH: &str = "bf16_into_f16";
/// The category whose messages are the borrow checker's. All other messages are ours.
const LIFETIMES: &str = "lifetimes of buffers";

/// The project of the cases, each of which is a module.
struct Project {
    folder: PathBuf,
}

impl Project {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistakes");
        let root = folder_of_workspace();
        fs::create_dir_all(folder.join("src")).unwrap();
        let manifest = format!(
            "[package]\nname = \"mistakes-check\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
             cutlet-cuda-std = {{ path = {:?} }}\n\
             half = {{ version = \"2\", default-features = false }}\n\
             cutlet-host = {{ path = {:?} }}\n\
             cutlet-gpu-kernels = {{ path = {:?}, default-features = false }}\n\
             cutlet-layout-types = {{ path = {:?} }}\n",
            root.join("crates/cuda_std"),
            root.join("host"),
            root.join("gpu-kernels"),
            root.join("layout-types"),
        );
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        // These are the versions that this workspace has already.
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Self { folder }
    }

    /// Returns the compiler with the libraries with which this program was built, if there is no other build of them beside them, or else
    /// cargo, which checks them first.
    fn compiler(&self) -> Command {
        let Some(libraries) = libraries() else {
            let mut cargo = Command::new(env!("CARGO"));
            cargo
                .args(["check", "--offline", "--message-format=json"])
                .current_dir(&self.folder)
                // The target folder is shared with the other tests of compile errors.
                .env(
                    "CARGO_TARGET_DIR",
                    Path::new(env!("CARGO_TARGET_TMPDIR")).join("heads"),
                )
                .env("CARGO_TERM_COLOR", "never")
                .env_remove("RUSTFLAGS");
            return cargo;
        };
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc
            .args([
                "--edition=2024",
                "--crate-name=mistakes_check",
                "--crate-type=lib",
            ])
            .args(["--emit=metadata", "--error-format=json", "--out-dir=."])
            .arg("src/lib.rs")
            .current_dir(&self.folder);
        for (name, path) in &libraries {
            rustc
                .arg("--extern")
                .arg(format!("{name}={}", path.display()));
            let dependencies = path.parent().unwrap();
            rustc
                .arg("-L")
                .arg(format!("dependency={}", dependencies.display()));
        }
        rustc
    }

    /// Returns the errors of these cases by name, as cargo renders them, with or without mistakes.
    fn errors(
        &self,
        cases: &[&(Mistake, String)],
        mistakes: bool,
    ) -> BTreeMap<String, Vec<String>> {
        let source = self.folder.join("src");
        fs::remove_dir_all(&source).unwrap();
        fs::create_dir(&source).unwrap();
        let mut library =
            String::from("#![allow(unexpected_cfgs, dead_code, unused, clippy::all)]\n");
        for (mistake, text) in cases {
            let name = &mistake.name;
            library += &format!("pub mod {name};\n");
            // This replaces text instead of passing `--cfg`: cargo would check all twice.
            let text = match mistakes {
                true => text
                    .replace("cfg(mistake)", "cfg(all())")
                    .replace("cfg(not(mistake))", "cfg(any())"),
                false => text.clone(),
            };
            fs::write(source.join(format!("{name}.rs")), text).unwrap();
        }
        fs::write(source.join("lib.rs"), library).unwrap();
        let output = self.compiler().output().unwrap();
        let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let said = [&output.stdout, &output.stderr].map(|said| String::from_utf8_lossy(said));
        for line in said.iter().flat_map(|said| said.lines()) {
            let Ok(message) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            // cargo's messages contain the compiler's.
            let message = match &message["message"] {
                inner @ Value::Object(_) => inner,
                _ => &message,
            };
            if message["level"] != "error" {
                continue;
            }
            let text = message["rendered"].as_str().unwrap();
            if text.contains("aborting due to") || text.contains("could not compile") {
                continue;
            }
            errors
                .entry(case_of(message))
                .or_default()
                .push(text.to_owned());
        }
        assert!(output.status.success() || !errors.is_empty(), "{said:?}");
        errors
    }
}

/// Returns the libraries that the cases use, or `None` if one was built twice or is not there.
fn libraries() -> Option<Vec<(&'static str, PathBuf)>> {
    let program = env::current_exe().ok()?;
    let beside: Vec<PathBuf> = (fs::read_dir(program.parent()?).ok()?)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|of| of == "rlib"))
        .collect();
    let one = |name| {
        let of_name = |path: &&PathBuf| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            stem.rsplit_once('-')
                .is_some_and(|(of, _)| of.strip_prefix("lib") == Some(name))
        };
        let mut found = beside.iter().filter(of_name);
        let first = found.next()?;
        found.next().is_none().then(|| (name, first.clone()))
    };
    let names = ["cuda_std", "half", "host", "gpu_kernels", "layout_types"];
    names.into_iter().map(one).collect()
}

fn folder_of_workspace() -> PathBuf {
    folder().join("../..").canonicalize().unwrap()
}

/// Returns the case to whose file an error points: by the primary place, or by the place of the macro.
fn case_of(message: &Value) -> String {
    let mut places: Vec<&Value> = message["spans"].as_array().unwrap().iter().collect();
    places.sort_by_key(|place| place["is_primary"] != true);
    for mut place in places {
        loop {
            let file = place["file_name"].as_str().unwrap_or_default();
            if let Some(name) = file
                .strip_prefix("src/")
                .and_then(|file| file.strip_suffix(".rs"))
            {
                return name.to_owned();
            }
            if place["expansion"].is_null() {
                break;
            }
            place = &place["expansion"]["span"];
        }
    }
    String::from("(no place in a case)")
}

/// Returns the lines that are pinned.
fn head(error: &str) -> String {
    error
        .lines()
        .take(HEAD)
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// Returns the lines without indentation, which depends on the width of the longest line number.
fn unindented(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_start).collect()
}

#[test]
fn every_mistake_is_refused_with_its_message_and_no_twin_is() {
    let cases = checked();
    let project = Project::new();
    let all: Vec<&(Mistake, String)> = cases.iter().collect();
    let twins = project.errors(&all, false);
    assert!(twins.is_empty(), "right twins are refused: {twins:#?}");

    let (mut left, mut errors) = (all, BTreeMap::new());
    let mut rounds = 0;
    while !left.is_empty() {
        let found = project.errors(&left, true);
        rounds += 1;
        let names: BTreeSet<&str> = left.iter().map(|case| case.0.name.as_str()).collect();
        let strange: Vec<_> = found
            .iter()
            .filter(|(name, _)| !names.contains(name.as_str()))
            .collect();
        assert!(strange.is_empty(), "errors of no case: {strange:#?}");
        if found.is_empty() {
            break;
        }
        left.retain(|case| !found.contains_key(&case.0.name));
        errors.extend(found);
    }
    println!("{} mistakes in {rounds} rounds", errors.len());

    let mut wrong = Vec::new();
    for (mistake, case) in &cases {
        let name = &mistake.name;
        let Some(found) = errors.get(name) else {
            wrong.push(format!("{name}: compiles"));
            continue;
        };
        let lines: usize = found
            .iter()
            .map(|error| error.trim_end().lines().count())
            .sum();
        let said: Vec<&str> = found
            .iter()
            .filter_map(|error| error.lines().next())
            .collect();
        let once: BTreeSet<&str> = said.iter().copied().collect();
        if lines > SCREEN || (once.len() != said.len() && name != BOTH) {
            let all = found.join("");
            wrong.push(format!(
                "{name}: {lines} lines, {} sentences:\n{all}",
                said.len()
            ));
        }
        let text = head(&found[0]);
        if !text.contains(&format!("--> src/{name}.rs:")) {
            wrong.push(format!("{name}: not at a line of the case:\n{text}"));
        }
        let first = text.lines().next().unwrap_or_default();
        let ours = first.starts_with("error[E0277]: ") || first.starts_with("error[E0080]: ");
        let raw = [
            "UInt<",
            "Cons<",
            "the trait bound",
            "is not implemented for",
        ];
        if raw.iter().any(|raw| first.contains(raw)) || (!ours && mistake.category != LIFETIMES) {
            wrong.push(format!("{name}: not in plain words:\n{text}"));
        }
        // This is the line of the place, as the case has it.
        let shown = text.lines().nth(3).and_then(|line| line.split_once('|'));
        let shown = shown.map(|(_, code)| code.trim()).unwrap_or_default();
        let parts: Vec<&str> = shown.split("...").collect();
        if shown.is_empty() || !parts.iter().all(|part| case.contains(part.trim())) {
            wrong.push(format!("{name}: no line of the case is shown:\n{text}"));
        }
        if env::var_os("BLESS").is_some() {
            fs::write(&mistake.message, &text).unwrap();
        }
        let pinned = fs::read_to_string(&mistake.message).unwrap_or_default();
        if unindented(&pinned) != unindented(&text) {
            wrong.push(format!("{name}: another message:\n{text}"));
        }
    }
    let count = wrong.len();
    assert!(
        wrong.is_empty(),
        "{count} of {} cases:\n{}",
        cases.len(),
        wrong.join("\n")
    );
}
