//! Checks every vector printed by CuTe C++ with types: the result is equal as printed, by size and
//! by table.
//!
//! This test writes the type expressions below `types_golden/cases/`, one file for each operation.
//! It fails if the files differ from the vectors, and `BLESS=1 cargo test -p cutlet-layout-types
//! --test types_golden` writes them again. The doubtful cases that CuTe accepts count as vectors.
//! The refused vectors are the lines of `fixtures/refused_vectors`, each of which must be an error
//! that says so in decimals.

#[path = "fixtures/errors.rs"]
mod errors;
mod types_golden {
    pub mod cases;
    pub mod generate;
}

use layout_types::notation::{Described, Node};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use types_golden::cases::{Found, all};
use types_golden::generate::{notation, refusals as refusal_lines, sources};

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

/// Returns the doubtful cases of layouts. For swizzles the file has only the template arguments,
/// and atoms have their own tests.
fn doubtful() -> Vec<Value> {
    let elsewhere = [
        "swizzle",
        "swizzle_merge",
        "tiledmma.layoutA_TV",
        "make_tiled_copy",
    ];
    let mut doubtful = lines(include_str!("data/inadmissible.jsonl"));
    doubtful.retain(|line| !elsewhere.contains(&line["op"].as_str().expect("an operation")));
    // This file writes tuples as text: `[2,_]` is a list in a tiler, and elsewhere the tuple
    // `(2,_)`.
    for line in &mut doubtful {
        for (name, value) in line["in"].as_object_mut().expect("operands") {
            let Some(modes) = value.as_str().and_then(|text| {
                let text = text.strip_prefix('[')?;
                text.strip_suffix(']')
            }) else {
                continue;
            };
            *value = if name == "tiler" {
                modes.split(',').collect::<Vec<_>>().into()
            } else {
                format!("({modes})").into()
            };
        }
    }
    doubtful
}

fn is_rejected(vector: &Value) -> bool {
    vector["result"] == "rejected"
}

/// Returns CuTe's vectors, followed by the doubtful cases that CuTe accepts.
fn vectors() -> Vec<Value> {
    let mut vectors = lines(include_str!("data/algebra.jsonl"));
    vectors.extend(doubtful().into_iter().filter(|line| !is_rejected(line)));
    vectors
}

fn key(vector: &Value) -> String {
    let op = vector["op"].as_str().expect("an operation");
    format!("{op} {}", vector["in"])
}

/// Returns the vectors that the types refuse.
fn refused() -> BTreeSet<String> {
    lines(include_str!("data/differences.jsonl"))
        .iter()
        .map(key)
        .collect()
}

/// Returns all vectors that must not compile: those that only Cutlet refuses, and those that CuTe
/// rejects too.
fn refusals() -> Vec<Value> {
    let ours = refused();
    let mut refusals = vectors();
    refusals.retain(|vector| ours.contains(&key(vector)));
    refusals.extend(doubtful().into_iter().filter(is_rejected));
    refusals
}

#[test]
fn every_refusal_is_one_of_types_too() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/refused_vectors/src/lib.rs");
    let (vectors, text) = (refusals(), refusal_lines(&refusals()));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).expect("the lines can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} is out of date: BLESS=1", path.display());
    let errors = errors::errors("refused_vectors");
    let mut wrong = Vec::new();
    let mut left = vectors.iter();
    for (number, line) in (1..).zip(text.lines()) {
        if !line.starts_with("pub fn r") {
            continue;
        }
        let vector = left.next().expect("a vector a line");
        let head: Option<String> = errors
            .get(&number)
            .and_then(|found| found.first())
            .map(|(_, text)| text.lines().take(6).collect::<Vec<_>>().join("\n"));
        let said = head
            .as_ref()
            .is_some_and(|head| head.contains("is not admissible") && !head.contains("UInt<"));
        if !said {
            wrong.push(format!("{} {line}: {head:?}", key(vector)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(left.next().is_none());
    println!("{} refused", vectors.len());
    assert!(vectors.len() >= 60, "{}", vectors.len());
}

#[test]
fn the_cases_are_what_the_vectors_say() {
    let (files, covered) = sources(&vectors(), &refused());
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/types_golden/cases");
    for (op, text) in &files {
        let path = folder.join(format!("{op}.rs"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, text).expect("the cases can be written");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == *text,
            "{} is out of date: run this test with BLESS=1",
            path.display()
        );
    }
    let cases: usize = all().iter().map(|(_, cases)| cases.len()).sum();
    assert_eq!(cases, covered, "a file of cases is not compiled");
}

fn node_table(layout: &Described) -> Vec<String> {
    (0..layout.node.size())
        .map(|i| layout.offset(i).to_string())
        .collect()
}

/// Compares the vector's entry for the key with the result.
fn compare(vector: &Value, key: &str, found: &str) -> Result<(), String> {
    match vector.get(key) {
        Some(expected) if notation(expected) != found => {
            Err(format!("{key}: CuTe {}, here {found}", notation(expected)))
        }
        _ => Ok(()),
    }
}

fn compare_layout(vector: &Value, layout: &Described) -> Result<(), String> {
    compare(vector, "out", &layout.to_string())?;
    compare(vector, "size", &layout.node.size().to_string())?;
    let basis = layout.to_string().contains('@');
    if let (Some(table), false) = (vector.get("table").and_then(Value::as_array), basis) {
        let found = node_table(layout);
        if table
            .iter()
            .map(notation)
            .ne(found.iter().take(table.len()).cloned())
        {
            return Err(format!("table: {found:?}"));
        }
    }
    Ok(())
}

fn check(vector: &Value, found: &Found) -> Result<(), String> {
    match found {
        Found::Layout(layout, cosize) => {
            if !layout.to_string().contains(['S', '@']) {
                compare(vector, "cosize", &cosize.to_string())?;
            }
            compare_layout(vector, layout)
        }
        Found::Number(number) => compare(vector, "out", &number.to_string()),
        Found::Leaves(find) => {
            let text = notation(&vector["out"]);
            let numbers = text
                .split(|c: char| !c.is_ascii_digit())
                .filter(|part| !part.is_empty());
            let expected: Vec<i64> = numbers
                .map(|part| part.parse().expect("a number"))
                .collect();
            if expected == find() {
                Ok(())
            } else {
                Err(format!("CuTe {text}, here {:?}", find()))
            }
        }
        Found::Offset(at) => compare(vector, "out", &at().to_string()),
        Found::Shape(layout) => compare(vector, "out", &layout.node.shape().to_string()),
        Found::Sliced(layout, offset) => {
            compare(vector, "offset", &offset().to_string())?;
            compare_layout(vector, layout)
        }
        Found::Predicates {
            size,
            congruent,
            weakly_congruent,
            compatible,
        } => {
            compare(vector, "out", &size.to_string())?;
            compare(vector, "congruent", &congruent.to_string())?;
            compare(vector, "weakly_congruent", &weakly_congruent.to_string())?;
            compare(vector, "compatible", &compatible.to_string())
        }
        Found::Swizzle { yyy, zzz, apply } => {
            compare(vector, "yyy_msk", &yyy.to_string())?;
            compare(vector, "zzz_msk", &zzz.to_string())?;
            let table = vector["table"].as_array().expect("a table");
            match (0..)
                .zip(table)
                .find(|(offset, expected)| **expected != apply(*offset))
            {
                Some((offset, expected)) => {
                    Err(format!("{offset}: CuTe {expected}, here {}", apply(offset)))
                }
                None => Ok(()),
            }
        }
    }
}

#[test]
fn every_vector_is_equal_at_type_level() {
    let vectors = vectors();
    let mut wrong = Vec::new();
    let mut equal: BTreeMap<&str, usize> = BTreeMap::new();
    for (op, cases) in all() {
        for (line, found) in cases.iter() {
            let vector = &vectors[*line];
            match check(vector, found) {
                Ok(()) => *equal.entry(op).or_default() += 1,
                Err(why) => wrong.push(format!("{op} {}: {why}", vector["in"])),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} vectors differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(
        equal.values().sum::<usize>() + refused().len(),
        vectors.len(),
        "a vector is neither equal nor refused"
    );
}

/// Checks that the printed value and `Display` are the same text.
#[test]
fn display_and_description_agree() {
    use layout_types::prelude::*;
    type A = Composition<Swizzle<2, 3, 3>, layout!((8,(4,8)):(32,(1,4)))>;
    assert_eq!(A::default().to_string(), A::DESCRIBED.to_string());
    type E = Identity<shape!((2, (3, 4)))>;
    assert_eq!(E::default().to_string(), E::DESCRIBED.to_string());
    let Node::Tuple(_) = E::DESCRIBED.node else {
        panic!("a tuple")
    };
}
