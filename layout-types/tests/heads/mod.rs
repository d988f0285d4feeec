//! The heads of compiler errors, pinned.
//!
//! ```text
//!   CASE.rs  --cargo check, all cases in one run-->  the first five lines of its first error  ==  CASE.stderr
//! ```
//!
//! Law: the compiler has 1.5 GB of address space for each case, and the head is the message, the place, the line and its label. What follows these lines names this crate's own types and
//! places, which may change. `BLESS=1` writes the pinned heads.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Lines of an error that are pinned.
const HEAD: usize = 5;

fn path(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder)
}

/// The cases of a folder by name.
fn cases(folder: &Path) -> BTreeMap<String, String> {
    let mut cases = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            cases.insert(name, fs::read_to_string(&path).expect("a case"));
        }
    }
    cases
}

/// The head of each error of each case, as cargo renders it.
fn errors(project: &str, cases: &BTreeMap<String, String>) -> BTreeMap<String, Vec<String>> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let programs = temporary.join(project).join("src/bin");
    let _ = fs::remove_dir_all(&programs);
    fs::create_dir_all(&programs).expect("a folder for the cases");
    let manifest = format!(
        "[package]\nname = {project:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         half = {{ version = \"2\", default-features = false }}\nlayout-types = {{ path = {crate_folder:?} }}\n"
    );
    let project = temporary.join(project);
    fs::write(project.join("Cargo.toml"), manifest).expect("a manifest");
    // The versions that this workspace has already.
    fs::copy(
        crate_folder.join("../Cargo.lock"),
        project.join("Cargo.lock"),
    )
    .expect("the lock file");
    for (name, text) in cases {
        fs::write(programs.join(format!("{name}.rs")), text).expect("a case can be written");
    }
    // No case may take the compiler much memory: a refusal comes soon.
    let output = Command::new("sh")
        .args([
            "-c",
            "ulimit -v 1500000 && exec \"$0\" \"$@\"",
            env!("CARGO"),
        ])
        .args([
            "check",
            "--offline",
            "--bins",
            "--keep-going",
            "--message-format=json",
        ])
        .current_dir(&project)
        .env("CARGO_TARGET_DIR", temporary.join("heads"))
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        if message["reason"] != "compiler-message" || message["message"]["level"] != "error" {
            continue;
        }
        let (Some(name), Some(text)) = (
            message["target"]["name"].as_str(),
            message["message"]["rendered"].as_str(),
        ) else {
            continue;
        };
        if text.contains("could not compile") || text.contains("aborting due to") {
            continue;
        }
        let head: Vec<&str> = text.lines().take(HEAD + 1).collect();
        errors
            .entry(name.to_string())
            .or_default()
            .push(head.join("\n"));
    }
    assert!(
        !errors.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    errors
}

/// Every case of `folder`, at least `least` of them, is refused with its pinned head, in decimals, at a line of the case.
pub fn check(folder: &str, project: &str, least: usize) {
    let folder = path(folder);
    let cases = cases(&folder);
    assert!(cases.len() >= least, "only {} cases", cases.len());
    let errors = errors(project, &cases);
    let mut wrong = Vec::new();
    for name in cases.keys() {
        let Some(first) = errors.get(name).and_then(|found| found.first()) else {
            wrong.push(format!("{name}: compiles"));
            continue;
        };
        if first.contains("UInt<") {
            wrong.push(format!("{name}: not in decimals:\n{first}"));
        }
        if !first.contains(&format!("src/bin/{name}.rs:")) {
            wrong.push(format!("{name}: not at the line written:\n{first}"));
        }
        let pinned = folder.join(format!("{name}.stderr"));
        let head: String = first
            .lines()
            .take(HEAD)
            .map(|line| format!("{}\n", line.trim_end()))
            .collect();
        if env::var_os("BLESS").is_some() {
            fs::write(&pinned, &head).expect("a message can be pinned");
        }
        if fs::read_to_string(&pinned).unwrap_or_default() != head {
            wrong.push(format!("{name}: another message:\n{head}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
