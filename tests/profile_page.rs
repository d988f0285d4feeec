//! `cutlet profile KERNEL --html`: counters stand beside the kernel's own lines, and the page is
//! seen in a browser.
//!
//! Where this machine has no Chromium the second test says so on standard error and checks nothing.
#![cfg(unix)]

#[path = "../crates/explorer/tests/browser/chrome.rs"]
#[allow(dead_code)]
mod chrome;

use chrome::Chrome;
use std::path::PathBuf;
use std::process::Command;

/// The page of a kernel of a first run, in a file of this test's own.
fn page(test: &str, name: &str, arguments: &[&str]) -> PathBuf {
    let file =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("profile-{test}-{name}.html"));
    let ran = Command::new(env!("CARGO_BIN_EXE_cutlet"))
        .args(["profile", name, "--html"])
        .arg(&file)
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    file
}

const KERNELS: [(&str, &[&str]); 3] = [
    ("transpose", &["--size", "rows=64", "--size", "cols=96"]),
    ("transpose_b16", &["--size", "rows=64", "--size", "cols=96"]),
    ("vecadd", &["--size", "n=1000"]),
];

/// What stands beside the lines of the kernel is all that was executed: nothing stands apart, as a
/// function's would.
#[test]
fn counters_stand_beside_the_lines_of_the_kernel() {
    let number = |text: &str| -> u64 {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    };
    for (name, arguments) in KERNELS {
        let text = std::fs::read_to_string(page("lines", name, arguments)).unwrap();
        let (totals, listing) = text.split_once("<h2>PTX</h2>").expect("a listing");
        let (_, executed) = totals.split_once("<th>executed</th><td>").unwrap();
        let (executed, _) = executed.split_once(" warp instructions").unwrap();
        let (listing, _) = listing.split_once("</table>").unwrap();
        let cells = listing.split("<td class=\"x\"").skip(1);
        let beside: u64 = cells
            .map(|cell| {
                let (_, text) = cell.split_once('>').unwrap();
                number(text.split('<').next().unwrap())
            })
            .sum();
        assert_eq!(beside, number(executed), "{name}");
        assert!(beside > 0, "{name}");
        assert!(!text.contains("Functions that it calls"), "{name}");
    }
}

#[test]
fn the_page_is_seen_and_read() {
    let Some(program) = chrome::find() else {
        eprintln!(
            "NOT RUN: no Chromium on this machine, so the profile's page was not looked at (set CHROME to one)"
        );
        return;
    };
    let (name, arguments) = KERNELS[0];
    let file = page("seen", name, arguments);
    let mut chrome = Chrome::start(&program);
    let mut papers = Vec::new();
    for (width, height) in [(390, 844), (1280, 800)] {
        for theme in ["light", "dark"] {
            chrome.window(width, height);
            chrome.system(theme);
            chrome.open(&format!("file://{}", file.display()));
            let found = chrome.eval(
                "(() => {
                   const luminance = (colour) => colour.match(/[\\d.]+/g).map(Number).slice(0, 3)
                     .map((part) => part / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
                     .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
                   const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
                   const paper = getComputedStyle(document.body).backgroundColor;
                   const wrong = [];
                   for (const at of document.querySelectorAll('h1, h2, p, th, td, pre, summary')) {
                     if (contrast(getComputedStyle(at).color, paper) < 3) wrong.push('faint: ' + at.textContent.slice(0, 40));
                   }
                   for (const at of document.querySelectorAll('svg text, svg rect, svg circle')) {
                     const fill = getComputedStyle(at).fill;
                     if (fill !== 'none' && contrast(fill, paper) < 3) wrong.push('faint: ' + at.outerHTML.slice(0, 80));
                   }
                   for (const at of document.querySelectorAll('h1, h2, p, table.facts, table.facts td, pre, .wide, .code')) {
                     if (at.getBoundingClientRect().right > innerWidth + 1) wrong.push('cut: ' + at.textContent.slice(0, 40));
                   }
                   for (const at of document.querySelectorAll('svg')) {
                     if (at.getBoundingClientRect().width < +at.getAttribute('width') - 1) wrong.push('shrunk: ' + at.getAttribute('class'));
                   }
                   if (document.documentElement.scrollWidth > innerWidth) wrong.push('wide: ' + document.documentElement.scrollWidth);
                   // A number is on one line: the boxes of its letters have one top.
                   for (const at of document.querySelectorAll('table.facts td')) {
                     const node = at.firstChild;
                     for (const number of node?.data?.matchAll(/[0-9]+(?:\\u00a0[0-9]{3})+/g) ?? []) {
                       const range = document.createRange();
                       range.setStart(node, number.index);
                       range.setEnd(node, number.index + number[0].length);
                       if (range.getClientRects().length > 1) wrong.push('broken: ' + number[0]);
                     }
                   }
                   return { wrong, paper };
                 })()",
            );
            let wrong = found["wrong"].as_array().unwrap();
            assert!(wrong.is_empty(), "{width}, {theme}: {wrong:?}");
            papers.push(found["paper"].clone());
            chrome.shot(&format!("profile-{width}-{theme}"));
        }
    }
    assert!(
        papers[0] != papers[1] && papers[0] == papers[2],
        "{papers:?}"
    );
}
