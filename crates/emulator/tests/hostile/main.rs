//! Checks that malicious and malformed input ends in a result or in a typed error, within its
//! budget.
//!
//! ```text
//!   findings/*.ptx     what fuzzing found once, each reduced to a small kernel
//!   sizes              beyond every memory, and work without end
//!   mutations          of the findings and of a module with most instructions, by a fixed seed
//! ```
//!
//! The same functions are the targets of `fuzz`, which searches for further inputs for hours.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../../fuzz/src/hostile.rs"]
mod hostile;
#[path = "../../../../fuzz/src/mutate.rs"]
mod mutate;
mod sizes;

use mutate::{Random, mutate};
use std::time::{Duration, Instant};

/// A launch of one block of 32 threads, with all checks.
const HEADER: [u8; hostile::HEADER] = [1, 1, 1, 32, 1, 1, 8, 0b1000];

/// Returns the inputs that fuzzing found: the file's name and text.
fn findings() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/hostile/findings");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    found.sort();
    assert!(found.len() >= 2);
    found
}

fn launched(header: [u8; hostile::HEADER], text: &str) -> usize {
    hostile::launch(&[&header, text.as_bytes()].concat())
}

#[test]
fn what_fuzzing_found_ends() {
    for (name, text) in findings() {
        let start = Instant::now();
        // The emulator reads each kernel, unless its name says that it must not.
        assert_eq!(
            hostile::parse(text.as_bytes()),
            !name.starts_with("refused_"),
            "{name}"
        );
        launched(HEADER, &text);
        assert!(start.elapsed() < Duration::from_secs(10), "{name}");
    }
}

#[test]
fn mutations_end_and_some_run() {
    let mut texts: Vec<String> = findings().into_iter().map(|(_, text)| text).collect();
    texts.push(include_str!("../ptx/basics.ptx").to_owned());
    let mut random = Random(20_251_121);
    let (mut read, mut ran) = (0, 0);
    let count = 3_000;
    for i in 0..count {
        let text = mutate(&texts[i % texts.len()], &mut random);
        let mut header = HEADER;
        if i % 4 == 0 {
            header[random.below(header.len())] = random.next() as u8;
        }
        read += usize::from(hostile::parse(text.as_bytes()));
        ran += usize::from(launched(header, &text) > 0);
    }
    println!("{count} mutations: {read} are PTX, {ran} ran to their end");
    // Mutations that are never accepted, or always, would test nothing.
    assert!((count / 20..count - count / 20).contains(&read) && ran > count / 100);
}

#[test]
fn text_that_is_no_ptx_is_refused_at_its_place() {
    let nested = |n: usize| {
        let (open, close) = ("{".repeat(n), "}".repeat(n));
        format!(
            ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k() {open} ret; {close}\n"
        )
    };
    for text in [
        String::new(),
        "\0\0\0".into(),
        "é".repeat(1000),
        "/*".repeat(1000),
        "\"".into(),
        nested(100_000),
        format!(".version {}.0", "9".repeat(10_000)),
        format!(
            ".global .b32 a = {}1{};",
            "(".repeat(100_000),
            ")".repeat(100_000)
        ),
    ] {
        assert!(!hostile::parse(text.as_bytes()), "{:.40}", text);
    }
    assert!(hostile::parse(nested(20).as_bytes()));
}
