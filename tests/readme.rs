//! Compares the counts in the README with the documents that tests write.

use std::fs;
use std::path::Path;

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    // Sentences may span several lines.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the number between `before` and `after`.
fn number(text: &str, before: &str, after: &str) -> u32 {
    let found = text.split(before).skip(1).find_map(|rest| {
        let (number, _) = rest.split_once(after)?;
        number.trim().parse().ok()
    });
    found.unwrap_or_else(|| panic!("no number between `{before}` and `{after}`"))
}

/// Checks the README's count of mistakes against the page that `tests/mistakes` writes and compares
/// with the recorded output of nvcc and compute-sanitizer.
#[test]
fn the_catalogue_has_as_many_mistakes_as_readme_says() {
    let (readme, page) = (read("README.md"), read("docs/guide/mistakes.md"));
    let written = number(&page, "Of ", " mistakes written in CUDA C++ with CuTe");
    let ran = number(&page, "Of ", " that ran");
    let unreported = number(&page, "and of ", " no tool");
    for (says, is) in [
        (
            number(
                &readme,
                "Of ",
                " common mistakes written in CUDA C++ with CuTe",
            ),
            written,
        ),
        (
            number(&readme, "nvcc refuses ", " and compute-sanitizer"),
            number(&page, "V13.0.88) refuses ", " and compiles"),
        ),
        (
            number(&readme, "compute-sanitizer reports ", ";"),
            ran - unreported,
        ),
        (
            number(&readme, "; ", " give the right numbers that day"),
            number(&page, "reports anything: ", " are seen by nobody"),
        ),
    ] {
        assert_eq!(says, is);
    }
    // The README says "Six in ten before anything runs": by `cargo check` and the build.
    let all = page.split("| all ").nth(1).expect("the last row");
    let columns: Vec<f64> = all
        .split('|')
        .take(3)
        .map(|column| column.trim().parse().expect("a count"))
        .collect();
    assert_eq!((10.0 * (columns[1] + columns[2]) / columns[0]).round(), 6.0);
}

/// Checks the README's figures at random shapes against the benchmarks' first table, and that they
/// come before those of shapes that kernels were tuned for.
#[test]
fn the_figures_at_random_shapes_are_those_of_the_benchmarks_and_come_first() {
    let (readme, benchmarks) = (read("README.md"), read("docs/benchmarks.md"));
    let table = benchmarks
        .split("## Products of random shapes")
        .nth(1)
        .expect("a section");
    for (column, shapes) in ["60 shapes, seed 881130", "40 shapes, seed 99011"]
        .into_iter()
        .enumerate()
    {
        let figure = |row: &str| {
            let rest = table.split(&format!("| {row} | ")).nth(1).expect(row);
            let figure = rest.split(" |").nth(column).expect("a column");
            figure.trim().trim_matches('*').to_owned()
        };
        assert!(table.contains(&format!("| {shapes} |")), "{shapes}");
        let rows = ["geometric mean", "median", "10 % below", "least"].map(figure);
        let says = format!("| {shapes} | {} |", rows.join(" | "));
        let at = readme
            .find(&says)
            .unwrap_or_else(|| panic!("no row {says}"));
        assert!(at < readme.find("| 1024³ |").expect("the second table"));
    }
}

/// Checks that the command is installed before it is called.
#[test]
fn the_program_is_installed_before_it_is_called() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(path).unwrap();
    let called = text.find("\n$ cutlet").expect("a call");
    let installed = text
        .find("\n$ cargo install --path .")
        .expect("an installation");
    assert!(installed < called);
}
