//! Checks that the types and the mirror agree on generated operations: the types print and compute
//! what the mirror admits, and refuse what the mirror refuses.
//!
//! This test writes the cases below `generated/cases` and `fixtures/refused` from a seed, and fails
//! if the files differ from what the seed and the mirror give; `BLESS=1 cargo test -p
//! cutlet-layout-types --test generated` writes them again. The comparison runs the mirror on the
//! operands of each case, so the two cannot diverge.

#[path = "fixtures/errors.rs"]
mod errors;
mod generated {
    #[macro_use]
    pub mod case;
    pub mod cases;
    pub mod operations;
    pub mod random;
    pub mod write;
}

use generated::case::{Case, Found};
use generated::cases::ALL;
use generated::operations::{Gave, mirror};
use generated::write::{files, in_notation};
use layout_types::dynamic::AnyLayout;
use std::path::Path;

fn tests() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

#[test]
fn the_cases_are_those_of_the_seed() {
    for (name, text) in files().texts() {
        let path = tests().join(&name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(path.parent().expect("a folder"))
                .expect("the folder can be made");
            std::fs::write(&path, &text).expect("the cases can be written");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "{name} is out of date: run this test with BLESS=1"
        );
    }
}

fn check(case: &Case) -> Result<(), String> {
    let operands: Vec<String> = case
        .operands
        .iter()
        .map(|(kind, text)| in_notation(kind, text))
        .collect();
    let gave = mirror(case.operation, &operands)?;
    let equal = |what: &str, types: String, mirror: String| {
        if types == mirror {
            Ok(())
        } else {
            Err(format!("{what}: types {types}, mirror {mirror}"))
        }
    };
    let no_bytes = |bytes: usize| equal("bytes", bytes.to_string(), "0".to_owned());
    match (&case.found, gave) {
        (Found::Number(types), Gave::Number(mirror)) => {
            equal("number", types.to_string(), mirror.to_string())
        }
        (Found::Coordinates { display, bytes }, Gave::Layout(mirror)) => {
            no_bytes(*bytes)?;
            equal("printed", display(), mirror.to_string())
        }
        (
            Found::Layout {
                display,
                index,
                size,
                cosize,
                bytes,
            },
            Gave::Layout(mirror),
        ) => {
            no_bytes(*bytes)?;
            equal("printed", display(), mirror.to_string())?;
            let table = mirror.table().map_err(|error| error.to_string())?;
            equal("size", size.to_string(), table.len().to_string())?;
            if let AnyLayout::Plain(plain) = &mirror {
                let expected = plain.cosize().map_err(|error| error.to_string())?;
                equal("cosize", cosize.to_string(), expected.to_string())?;
            }
            let found: Vec<i64> = (0..*size as i64).map(index).collect();
            equal("table", format!("{found:?}"), format!("{table:?}"))
        }
        _ => Err("one gives a layout, the other a number".to_owned()),
    }
}

#[test]
fn the_types_give_what_the_mirror_gives() {
    let mut wrong = Vec::new();
    let mut cases = 0;
    for case in ALL.iter().copied().flatten() {
        cases += 1;
        if let Err(why) = check(case) {
            wrong.push(format!("{} {:?}: {why}", case.operation, case.operands));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {cases} cases differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{cases} cases equal");
    let least = if cfg!(feature = "all-cases") {
        2000
    } else {
        500
    };
    assert!(cases >= least, "{cases}");
}

#[test]
fn the_types_refuse_what_the_mirror_refuses() {
    let source = include_str!("fixtures/refused/src/lib.rs");
    let refused = files().refused;
    let errors = errors::errors("refused");
    let mut accepted = Vec::new();
    let mut lines = 0;
    for (number, line) in (1..).zip(source.lines()) {
        if !line.starts_with("pub fn r") {
            continue;
        }
        let (_, why) = &refused[lines];
        lines += 1;
        let found = errors.get(&number);
        if !found.is_some_and(|found| found.iter().any(|(code, _)| code == "E0277")) {
            accepted.push(format!("{line}   {why}"));
        }
    }
    assert!(
        accepted.is_empty(),
        "no error for:\n{}",
        accepted.join("\n")
    );
    assert_eq!(lines, refused.len());
    println!("{lines} cases refused");
    assert!(lines >= 200, "{lines}");
}
