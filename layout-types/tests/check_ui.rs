//! Pins each message that people read when a check fails, with decimal numbers.

mod heads;

use std::fs;
use std::path::PathBuf;

#[test]
fn messages() {
    heads::check_all("ui", "check-ui", 70);
}

/// Returns the pinned messages, with their names.
fn pinned() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir("tests/ui").unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("check_") && name.ends_with(".stderr") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// Checks that the error is in the file that the user wrote, on a line of a check, never inside
/// this crate.
#[test]
fn messages_are_at_the_line_written() {
    let pinned = pinned();
    assert!(pinned.len() >= 50, "only {} messages", pinned.len());
    for (path, text) in pinned {
        let place = text
            .lines()
            .find(|line| line.trim_start().starts_with("-->"))
            .unwrap();
        let file = path.with_extension("rs");
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert!(place.contains(&format!("/{name}:")), "{path:?}: {place}");
        let line: usize = place.rsplit(':').nth(1).unwrap().parse().unwrap();
        let source = fs::read_to_string(&file).unwrap();
        let line = source.lines().nth(line - 1).unwrap();
        assert!(
            ["assert_", "type ", "choose_swizzle!"]
                .iter()
                .any(|word| line.contains(word)),
            "{path:?}: {line}"
        );
    }
}
