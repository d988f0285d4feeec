//! Runs every vector printed by CuTe C++ through the mirror. The result is equal as printed, by
//! size, cosize and table, or the operation is refused and listed in `data/differences.jsonl` with
//! the law that CuTe's own result breaks.

mod dynamic_vectors;

use std::collections::BTreeMap;

use dynamic_vectors::{Vector, notation};
use layout_types::dynamic::*;
use serde_json::Value;

const ALGEBRA: &str = include_str!("data/algebra.jsonl");
const INADMISSIBLE: &str = include_str!("data/inadmissible.jsonl");
const DIFFERENCES: &str = include_str!("data/differences.jsonl");

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
}

/// Returns the deliberate differences, by operation and input.
fn differences() -> BTreeMap<String, Value> {
    lines(DIFFERENCES)
        .map(|line| {
            (
                format!("{} {}", line["op"].as_str().unwrap(), line["in"]),
                line,
            )
        })
        .collect()
}

/// Lists the ways in which the outcome differs from the vector.
fn mismatch(vector: &Value, outcome: &dynamic_vectors::Outcome) -> Vec<String> {
    let mut out = Vec::new();
    let mut check = |key: &str, found: Option<&str>| {
        if let (Some(expected), Some(found)) = (vector.get(key), found)
            && notation(expected) != found
        {
            out.push(format!("{key}: CuTe {}, here {found}", notation(expected)));
        }
    };
    check("out", Some(&outcome.printed));
    check("size", outcome.size.map(|size| size.to_string()).as_deref());
    check("cosize", outcome.cosize.as_deref());
    for (key, value) in &outcome.more {
        check(key, Some(value));
    }
    if let (Some(expected), Some(found)) = (vector.get("table"), &outcome.table) {
        let expected: Vec<String> = expected.as_array().unwrap().iter().map(notation).collect();
        if expected[..] != found[..expected.len().min(found.len())] || expected.len() > found.len()
        {
            out.push("table differs".to_string());
        }
    }
    out
}

#[test]
fn every_vector_of_the_algebra_is_equal_or_a_listed_refusal() {
    let differences = differences();
    let (mut equal, mut refused, mut wrong) = (0, 0, Vec::new());
    for vector in lines(ALGEBRA) {
        let op = vector["op"].as_str().unwrap();
        let key = format!("{op} {}", vector["in"]);
        let cute_is_wrong = vector.get("f_ok") == Some(&Value::Bool(false));
        match (
            Vector {
                op,
                input: &vector["in"],
            }
            .run(),
            differences.contains_key(&key),
        ) {
            (Ok(outcome), false) if !cute_is_wrong => {
                let found = mismatch(&vector, &outcome);
                if found.is_empty() {
                    equal += 1
                } else {
                    wrong.push(format!("{key}: {}", found.join("; ")))
                }
            }
            (Ok(outcome), _) => {
                wrong.push(format!("{key}: must be refused, gives {}", outcome.printed))
            }
            (Err(_), true) => refused += 1,
            (Err(message), false) => {
                wrong.push(format!("{key}: CuTe {}, refused: {message}", vector["out"]))
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} vectors differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{equal} equal, {refused} refused");
    assert_eq!(equal + refused, 3882);
}

#[test]
fn every_doubtful_case_is_refused_or_equal() {
    let differences = differences();
    let (mut equal, mut both, mut ours, mut wrong, mut elsewhere) = (0, 0, 0, Vec::new(), 0);
    for vector in lines(INADMISSIBLE) {
        let op = vector["op"].as_str().unwrap();
        // The file states merges of swizzles only by their template arguments; atoms belong to
        // other crates.
        if matches!(
            op,
            "swizzle" | "swizzle_merge" | "tiledmma.layoutA_TV" | "make_tiled_copy"
        ) {
            elsewhere += 1;
            continue;
        }
        let key = format!("{op} {}", vector["in"]);
        let accepted = vector["result"] == "accepted";
        match (
            Vector {
                op,
                input: &vector["in"],
            }
            .run(),
            accepted,
            differences.contains_key(&key),
        ) {
            (Ok(outcome), true, false) => {
                let found = mismatch(&vector, &outcome);
                if found.is_empty() {
                    equal += 1
                } else {
                    wrong.push(format!("{key}: {}", found.join("; ")))
                }
            }
            (Err(_), false, false) => both += 1,
            (Err(_), true, true) => ours += 1,
            (Ok(outcome), ..) => wrong.push(format!("{key}: gives {}", outcome.printed)),
            (Err(message), true, false) => wrong.push(format!(
                "{key}: CuTe {} {}, refused: {message}",
                vector["out"], vector["violations"]
            )),
            (Err(_), false, true) => wrong.push(format!(
                "{key}: CuTe rejects it too, so it is no difference"
            )),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cases differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!(
        "{equal} equal, {both} refused by both, {ours} refused here only, {elsewhere} not layouts"
    );
    assert_eq!(equal + both + ours + elsewhere, 120);
}

fn table(layout: &DynLayout) -> Vec<i64> {
    layout.table().unwrap()
}

/// Whether some copy of the block overlaps another. Neither block nor tiler repeats an element.
fn copies_overlap(block: &DynLayout, tiler: &DynLayout, places: DynLayout) -> bool {
    assert!(is_injective(block).unwrap() && is_injective(tiler).unwrap());
    !is_injective(&DynLayout::from_modes(vec![block.clone(), places]).unwrap()).unwrap()
}

fn breaks_its_law(line: &Value) -> bool {
    let input = &line["in"];
    let a: DynLayout = notation(&input["a"]).parse().unwrap();
    let other = |key: &str| -> DynLayout { notation(&input[key]).parse().unwrap() };
    let printed = line["cute"].as_str().unwrap();
    let Ok(result) = printed.parse::<DynLayout>() else {
        // A layout with negative extents is not a layout.
        return line["law"] == "every extent of a layout is positive"
            && printed.split(':').next().unwrap().contains('-');
    };
    match line["op"].as_str().unwrap() {
        "composition" => {
            let b = other("b");
            (0..b.size().unwrap())
                .any(|c| result.offset(c).unwrap() != a.offset(b.offset(c).unwrap()).unwrap())
        }
        "complement" => {
            let together = DynLayout::from_modes(vec![a, result]).unwrap();
            together.cosize().unwrap() < input["m"].as_i64().unwrap()
        }
        "logical_divide" => {
            let tiler = other("tiler");
            let named: Vec<i64> = table(&tiler)
                .into_iter()
                .map(|index| a.offset(index).unwrap())
                .collect();
            table(&result.mode(0).unwrap()) != named
        }
        "left_inverse" => table(&a)
            .into_iter()
            .any(|offset| a.offset(result.offset(offset).unwrap()).unwrap() != offset),
        "logical_product" | "tiled_product" => {
            let tiler = other("b");
            let places = result.modes()[1..].to_vec();
            copies_overlap(&a, &tiler, DynLayout::from_modes(places).unwrap())
        }
        "tiled_product_tiler" => {
            input["tiler"]
                .as_array()
                .unwrap()
                .iter()
                .enumerate()
                .any(|(i, tiler)| {
                    let Ok(tiler) = notation(tiler).parse::<DynLayout>() else {
                        return false;
                    };
                    copies_overlap(&a.mode(i).unwrap(), &tiler, result.mode(1 + i).unwrap())
                })
        }
        "blocked_product" | "raked_product" => {
            assert!(is_injective(&a).unwrap() && is_injective(&other("b")).unwrap());
            !is_injective(&result).unwrap()
        }
        other => panic!("no law is stated for {other}"),
    }
}

#[test]
fn every_listed_difference_is_a_law_that_cute_breaks() {
    let lines: Vec<Value> = lines(DIFFERENCES).collect();
    assert_eq!(lines.len(), 31);
    for line in lines {
        assert!(breaks_its_law(&line), "{line}");
    }
}
