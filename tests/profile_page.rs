//! Checks `cutlet profile KERNEL --html`: the counters are beside the kernel's own lines, and a
//! browser shows the page.
//!
//! If this machine has no Chromium, the second test says so on standard error and checks nothing.
#![cfg(unix)]

#[path = "../crates/explorer/tests/browser/chrome.rs"]
#[allow(dead_code)]
mod chrome;

use chrome::Chrome;
use std::path::PathBuf;
use std::process::Command;

/// Writes the page of a kernel to a file of this test, and returns its path. A first run has the
/// kernel.
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

/// Checks that the counters beside the lines of the kernel are all executed instructions: there are
/// no separate counters, as a function would have.
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
        chrome::not_run(
            "no Chromium on this machine, so the profile's page was not looked at (set CHROME to one)",
        );
        return;
    };
    let mut chrome = Chrome::start(&program);
    let product: &[&str] = &["--size", "m=64", "--size", "n=64", "--size", "k=128"];
    for (name, arguments) in [KERNELS[0], ("gemm", product)] {
        let file = page("seen", name, arguments);
        let mut papers = Vec::new();
        for (width, height) in [(390, 844), (1280, 800)] {
            for theme in ["light", "dark"] {
                chrome.window(width, height);
                chrome.system(theme);
                chrome.open(&format!("file://{}", file.display()));
                let found = chrome.eval(&format!("(() => {{ {SIGHT} {WRONG} }})()"));
                let wrong = found["wrong"].as_array().unwrap();
                assert!(wrong.is_empty(), "{name} at {width}, {theme}: {wrong:?}");
                papers.push(found["paper"].clone());
                chrome.shot(&format!("profile-{name}-{width}-{theme}"));
            }
        }
        assert!(
            papers[0] != papers[1] && papers[0] == papers[2],
            "{papers:?}"
        );
    }
    // These are the pictures of docs/profile.md: totals, the roofline, and the first rows of the
    // heat map.
    chrome.window(1100, 1100);
    chrome.eval("document.querySelector('h2').scrollIntoView()");
    for (theme, shot) in [("light", "profile"), ("dark", "profile-dark")] {
        chrome.system(theme);
        chrome.shot(shot);
    }
}

/// The functions by which the explorer's tests look at a page.
const SIGHT: &str = include_str!("../crates/explorer/tests/browser/sight.js");

/// Lists the faults of the page: texts and pictures without contrast, cut or shrunk, a heat map
/// whose banks are out of sight, a number that is broken between two lines.
const WRONG: &str = r"
  const paper = getComputedStyle(document.body).backgroundColor;
  const wrong = [...sight.faint('body'), ...sight.cut('body', '.wide, .code'), ...sight.wide()];
  for (const at of document.querySelectorAll('svg text, svg rect, svg circle')) {
    const fill = sight.fill(at);
    if (fill !== 'none' && sight.contrast(fill, paper) < 3) wrong.push('faint: ' + at.outerHTML.slice(0, 80));
  }
  for (const at of document.querySelectorAll('.wide, .code')) {
    if (at.getBoundingClientRect().right > innerWidth + 1) wrong.push('cut: ' + at.className);
  }
  for (const at of document.querySelectorAll('svg')) {
    if (at.getBoundingClientRect().width < +at.getAttribute('width') - 1) wrong.push('shrunk: ' + at.getAttribute('class'));
  }
  const banks = [...document.querySelectorAll('svg.heat rect')];
  if (banks.length < 32) wrong.push('no heat map');
  if (banks.some((bank) => bank.getBoundingClientRect().right > innerWidth)) wrong.push('banks out of sight');
  // A number is on one line: the boxes of its letters have one top.
  for (const at of document.querySelectorAll('table.facts td')) {
    const node = at.firstChild;
    for (const number of node?.data?.matchAll(/[0-9]+(?:\u00a0[0-9]{3})+/g) ?? []) {
      const range = document.createRange();
      range.setStart(node, number.index);
      range.setEnd(node, number.index + number[0].length);
      if (range.getClientRects().length > 1) wrong.push('broken: ' + number[0]);
    }
  }
  return { wrong, paper };
";
