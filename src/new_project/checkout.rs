//! Finds the repository and the commit of a source folder that cargo made, and that it may remove.
//! `build.rs` uses it for `cutlet new`.
//!
//! ```text
//!   <home>/git/checkouts/cutlet-1f2e/0a1b2c3     `cargo install --git`: the repository is in git/db/cutlet-1f2e/FETCH_HEAD
//!   .../cutlet-0.1.0/.cargo_vcs_info.json        a package: only the commit
//!   any other folder                             nothing: the folder stays, so a later query works
//! ```
//!
//! Source: the Cargo Book, "Cargo Home" and "cargo package"; git's documentation of `FETCH_HEAD`.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the repository and the commit of the folder `here`. The texts are empty if they are not
/// known, or if cargo did not make the folder.
pub fn built_of(here: &Path) -> (String, String) {
    if let Ok(text) = fs::read_to_string(here.join(".cargo_vcs_info.json")) {
        let commit = text.split('"').find(|word| is_commit(word));
        return (String::new(), commit.unwrap_or_default().to_owned());
    }
    checked_out(here).unwrap_or_default()
}

fn checked_out(here: &Path) -> Option<(String, String)> {
    let repository = here.parent()?;
    let checkouts = repository.parent()?;
    if !checkouts.ends_with("git/checkouts") {
        return None;
    }
    let mut git = Command::new("git");
    let head = git.arg("-C").arg(here).args(["rev-parse", "HEAD"]);
    let commit = String::from_utf8(head.output().ok()?.stdout).ok()?;
    let database = checkouts.parent()?.join("db").join(repository.file_name()?);
    // <commit> TAB [not-for-merge] TAB [branch 'main' of ]<url>
    let fetched = fs::read_to_string(database.join("FETCH_HEAD")).ok()?;
    let of = fetched.lines().next()?.rsplit('\t').next()?;
    let url = of.rsplit(" of ").next()?;
    let commit = commit.trim();
    is_commit(commit).then(|| (url.to_owned(), commit.to_owned()))
}

fn is_commit(word: &str) -> bool {
    word.len() >= 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;

    #[test]
    fn folders_that_cargo_made_say_what_they_are_of() {
        let home = env::temp_dir().join(format!("cutlet-checkout-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        let here = home.join("git/checkouts/cutlet-1f2e/0a1b2c3");
        let database = home.join("git/db/cutlet-1f2e");
        for folder in [&here, &database] {
            fs::create_dir_all(folder).unwrap();
        }
        assert_eq!(built_of(&here), Default::default(), "no repository");
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            let own = ["-c", "user.name=x", "-c", "user.email=x@example.org"];
            let output = git.arg("-C").arg(&here).args(own).args(arguments).output();
            let output = output.unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        git(&["init", "--quiet"]);
        git(&["commit", "--quiet", "--allow-empty", "-m", "x"]);
        let commit = git(&["rev-parse", "HEAD"]);
        // The line in the format of cargo's own git, then in that of the program `git`.
        for (line, url) in [
            ("\t\tfile:///a/repository", "file:///a/repository"),
            (
                "\t\tbranch 'main' of https://example.org/c",
                "https://example.org/c",
            ),
            (
                "\tnot-for-merge\ttag 'v1' of ssh://git@example.org/c",
                "ssh://git@example.org/c",
            ),
        ] {
            fs::write(database.join("FETCH_HEAD"), format!("{commit}{line}\n")).unwrap();
            assert_eq!(built_of(&here), (url.to_owned(), commit.clone()));
        }

        let package = home.join("cutlet-0.1.0");
        fs::create_dir(&package).unwrap();
        assert_eq!(built_of(&package), Default::default());
        let info = format!(
            "{{\n  \"git\": {{\n    \"sha1\": \"{commit}\"\n  }},\n  \"path_in_vcs\": \"\"\n}}"
        );
        fs::write(package.join(".cargo_vcs_info.json"), info).unwrap();
        assert_eq!(built_of(&package), (String::new(), commit));
        fs::remove_dir_all(&home).unwrap();
    }
}
