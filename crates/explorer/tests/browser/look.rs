//! Checks that the explorer and the book of docs/ look the same: colours, fonts, and a width that
//! fits.
//!
//! ```text
//!   phone 390 x 844, desktop 1280 x 800     light, dark     the explorer  =  the book's pages
//! ```
//!
//! Law: at both widths, in light and in dark, paper, ink, links and the letters of code are the
//! same, text is readable on its paper (7 to 1), and no page is wider than the window. If there is
//! no browser or no mdBook, the test says so and checks nothing.

use super::page;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Pages with pictures, tables and long lines of code.
const PAGES: &[&str] = &[
    "index.html",
    "guide/algebra.html",
    "guide/start.html",
    "notation.html",
    "benchmarks.html",
    "benchmarks/gemm.html",
];

/// Returns the book, built from docs/ by this machine's mdBook. It is built once for all tests,
/// which run at the same time. Returns `None` if there is no mdBook.
pub fn book() -> Option<PathBuf> {
    static BOOK: OnceLock<Option<PathBuf>> = OnceLock::new();
    BOOK.get_or_init(build).clone()
}

fn build() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("target/tmp/book-look");
    let built = Command::new("mdbook")
        .args(["build", "--dest-dir"])
        .arg(&folder)
        .arg(root.join("docs"))
        .output();
    match built {
        Err(error) => {
            super::chrome::not_run(&format!(
                "no mdBook on this machine ({error}), so the book was not looked at (`.ci/book` installs it)"
            ));
            None
        }
        Ok(built) => {
            assert!(
                built.status.success(),
                "{}",
                String::from_utf8_lossy(&built.stderr)
            );
            Some(folder.canonicalize().unwrap())
        }
    }
}

/// Returns paper, ink, link and the letters of code, as computed: `rgb(..)`, and the first font.
fn look(chrome: &mut super::Chrome, paper: &str, link: &str, code: &str) -> Value {
    let script = format!(
        "(() => {{ const style = (selector) => getComputedStyle(document.querySelector(selector)); \
         return [style({paper}).backgroundColor, style('body').color, style({link}).color, \
                 style({code}).fontFamily.split(',')[0].replaceAll('\"', '')]; }})()",
        paper = json!(paper),
        link = json!(link),
        code = json!(code),
    );
    chrome.eval(&script)
}

/// Returns the contrast of two colours `rgb(r, g, b)`, by WCAG 2.
fn contrast(one: &str, other: &str) -> f64 {
    let [one, other] = [one, other].map(|colour| {
        let inside = colour.trim_start_matches("rgb(").trim_end_matches(')');
        let parts: Vec<f64> = inside
            .split(',')
            .map(|part| part.trim().parse().unwrap())
            .collect();
        let linear = |part: f64| match part / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        };
        0.2126 * linear(parts[0]) + 0.7152 * linear(parts[1]) + 0.0722 * linear(parts[2])
    });
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn the_explorer_and_the_book_share_one_look() {
    let (Some(mut page), Some(book)) = (page(), book()) else {
        return;
    };
    let mut papers = Vec::new();
    for (device, width, height) in [("phone", 390, 844), ("desktop", 1280, 800)] {
        for theme in ["light", "dark"] {
            page.chrome.window(width, height);
            page.chrome.system(theme);
            page.at("zipped_divide((8,8):(1,8), (4,2))");
            // The explorer shows no link; the accent of its controls has the colour of links.
            page.chrome.eval("(() => { const link = document.createElement('span'); link.id = 'accent'; link.style.color = 'var(--accent)'; document.body.append(link); })()");
            let explorer = look(&mut page.chrome, "body", "#accent", "#text");
            page.chrome.shot(&format!("look-explorer-{device}-{theme}"));
            for name in PAGES {
                page.chrome
                    .open(&format!("file://{}", book.join(name).display()));
                let of_book = look(
                    &mut page.chrome,
                    "html",
                    "main a[href]:not(.header)",
                    "code",
                );
                assert_eq!(
                    of_book, explorer,
                    "{name} on a {device}, {theme}: paper, ink, link, letters of code"
                );
                let across = page.chrome.eval("document.documentElement.scrollWidth");
                assert!(
                    across.as_u64().unwrap() <= width.into(),
                    "{name} is {across} wide on a {device}"
                );
                let shot = name.trim_end_matches(".html").replace('/', "-");
                page.chrome.shot(&format!("look-{shot}-{device}-{theme}"));
            }
            let colour = |at: usize| explorer[at].as_str().unwrap();
            assert!(contrast(colour(0), colour(1)) >= 7.0, "{explorer}");
            assert!(contrast(colour(0), colour(2)) >= 4.5, "{explorer}");
            papers.push(explorer[0].clone());
        }
    }
    assert!(
        papers[0] == papers[2] && papers[1] == papers[3] && papers[0] != papers[1],
        "{papers:?}"
    );
}
