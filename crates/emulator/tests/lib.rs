//! The tests of `emulator`: the files in this folder, and the subfolders with a `main.rs`.

/// Checks that the manifest names every test file, because a file that it does not name would not
/// run.
#[test]
fn every_file_is_a_test() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let mut tests = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.extension().is_some_and(|extension| extension == "rs");
        if path.file_name().unwrap() == "lib.rs" || !file && !path.join("main.rs").is_file() {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        tests += 1;
    }
    assert_eq!(manifest.matches("[[test]]").count(), tests);
}
