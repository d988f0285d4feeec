//! Compares the guide with the program: its consoles show what the program prints, its pictures are
//! those that the program draws, its links have targets, and every page is in the summary. Its Rust
//! blocks are doctests of this crate.
//!
//! `CUTLET_WRITE_GUIDE=1 cargo test --test guide` writes outputs and pictures again. Look at the
//! difference before you commit it.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn guide() -> PathBuf {
    docs().join("guide")
}

fn writing() -> bool {
    env::var_os("CUTLET_WRITE_GUIDE").is_some()
}

/// Returns every page: its path and its text.
fn pages() -> Vec<(PathBuf, String)> {
    let mut pages: Vec<_> = fs::read_dir(guide())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    pages.sort();
    assert!(pages.len() > 9, "the guide's pages");
    pages
}

/// Returns the words of a command line with single quotes.
fn words(line: &str) -> Vec<String> {
    line.split('\'')
        .enumerate()
        .flat_map(|(i, part)| match i % 2 {
            1 => vec![part.to_owned()],
            _ => part.split_whitespace().map(str::to_owned).collect(),
        })
        .collect()
}

/// Returns what `cutlet` with these words prints, whether it succeeds or fails.
fn printed(words: &[String]) -> String {
    let output = Command::new(common::cutlet())
        .args(words)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "120")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap()
}

/// Returns a page with the current output of each `console` block, and the number of commands.
fn with_outputs(page: &str) -> (String, usize) {
    let (mut out, mut rest, mut commands) = (String::new(), page, 0);
    while let Some((before, block)) = rest.split_once("```console\n") {
        let (block, after) = block.split_once("```\n").expect("the block ends");
        out.push_str(before);
        out.push_str("```console\n");
        for line in block
            .lines()
            .filter_map(|line| line.strip_prefix("$ cutlet "))
        {
            commands += 1;
            out.push_str(&format!(
                "$ cutlet {line}\n{}\n",
                printed(&words(line)).trim_end()
            ));
        }
        out.push_str("```\n");
        rest = after;
    }
    out.push_str(rest);
    (out, commands)
}

#[test]
fn consoles_show_what_the_program_prints() {
    let mut commands = 0;
    for (path, page) in pages() {
        let (made, count) = with_outputs(&page);
        commands += count;
        if writing() {
            fs::write(&path, &made).unwrap();
        } else {
            assert_eq!(page, made, "{}", path.display());
        }
    }
    assert!(commands > 8, "only {commands} commands in the guide");
}

#[test]
fn pictures_are_what_the_program_draws() {
    let mut drawn = 0;
    for (path, page) in pages() {
        for part in page.split("<!-- picture: ").skip(1) {
            let (expression, rest) = part.split_once(" -->\n").expect("the comment ends");
            let (_, file) = rest.split_once("](").expect("a picture follows");
            let (file, _) = file.split_once(')').unwrap();
            let file = guide().join(file);
            let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide.svg");
            let draw = ["draw", expression, "--svg", made.to_str().unwrap()].map(str::to_owned);
            let said = printed(&draw);
            let made = fs::read_to_string(&made).unwrap_or_else(|_| panic!("{expression}: {said}"));
            if writing() {
                fs::write(&file, made).unwrap();
            } else {
                let there = fs::read_to_string(&file).unwrap_or_default();
                assert!(
                    there == made,
                    "{}: the picture of {expression} is another now",
                    path.display()
                );
            }
            drawn += 1;
        }
    }
    assert!(drawn > 3, "only {drawn} pictures in the guide");
}

/// Checks that the page for writers of CUDA C++ shows the files that its command reads.
#[test]
fn the_page_from_cuda_shows_its_files() {
    let page = fs::read_to_string(guide().join("from-cuda.md")).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cuda");
    for (file, language, comment) in [("reverse.cu", "cpp", "//"), ("reverse.toml", "toml", "#")] {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with(comment));
        let shown: String = lines.map(|line| format!("{line}\n")).collect();
        let block = format!("```{language}\n{shown}```\n");
        assert!(page.contains(&block), "{file} is not on the page");
    }
}

/// Returns the anchors of a page's headings, as mdBook and GitHub name them.
fn anchors(page: &str) -> Vec<String> {
    page.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

/// Returns the links of a page, without those to the network.
fn links(page: &str) -> impl Iterator<Item = &str> {
    page.split("](")
        .skip(1)
        .filter_map(|part| part.split(')').next())
        .filter(|link| !link.starts_with("https://") && !link.contains(['|', '\n', ' ', '`']))
}

#[test]
fn links_lead_somewhere_and_every_page_is_in_the_summary() {
    let summary = fs::read_to_string(docs().join("SUMMARY.md")).unwrap();
    for (path, _) in pages() {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(
            summary.contains(&format!("(guide/{name})")),
            "{name} is not in the summary"
        );
    }
    let in_book: Vec<PathBuf> = links(&summary).map(|link| docs().join(link)).collect();
    let mut followed = 0;
    for path in &in_book {
        let page =
            fs::read_to_string(path).unwrap_or_else(|_| panic!("no page {}", path.display()));
        let folder = path.parent().unwrap();
        for link in links(&page) {
            let shown = path.display();
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                path.clone()
            } else {
                folder.join(file)
            };
            assert!(target.exists(), "{shown}: {link} leads nowhere");
            if !anchor.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                assert!(
                    anchors(&text).contains(&anchor.to_owned()),
                    "{shown}: no heading for {link}"
                );
            }
            // The pages are a book: it has to contain the targets of their links.
            let target = target.canonicalize().unwrap();
            let book = in_book
                .iter()
                .any(|page| page.canonicalize().is_ok_and(|page| page == target));
            let picture = target
                .extension()
                .is_some_and(|extension| extension != "md");
            let inside = target.starts_with(docs().canonicalize().unwrap());
            assert!(
                inside && (book || picture),
                "{shown}: {link} leaves the book"
            );
            followed += 1;
        }
    }
    assert!(followed > 40, "only {followed} links");
}
