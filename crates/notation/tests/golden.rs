//! Evaluates every vector printed by CuTe C++ as an expression. The printed result is CuTe's, or
//! the operation is refused and is in the list of deliberate differences.

mod vectors;

use std::collections::BTreeSet;

use notation::{ErrorKind, eval};
use serde_json::Value;
use vectors::{ALGEBRA, DIFFERENCES, INADMISSIBLE, lines, notation, written};

fn differences() -> BTreeSet<String> {
    lines(DIFFERENCES)
        .map(|line| format!("{} {}", line["op"].as_str().unwrap(), line["in"]))
        .collect()
}

/// Returns the table of a value in the form of the files.
fn table(value: &notation::Value) -> Option<Vec<String>> {
    use notation::dynamic::{AnyLayout, Domain};
    let layout = match value {
        notation::Value::Layout(layout) => layout,
        notation::Value::Swizzle(swizzle) => {
            return Some(
                (0..2048)
                    .map(|offset| swizzle.apply(offset).to_string())
                    .collect(),
            );
        }
        _ => return None,
    };
    let shown = layout.size().ok()?.min(2048);
    (0..shown)
        .map(|i| match layout {
            AnyLayout::Plain(_) => layout.domain().eval(i).ok().map(|at| at.to_string()),
            AnyLayout::Composed(_) => layout.offset(i).ok().map(|at| at.to_string()),
        })
        .collect()
}

fn mismatch(vector: &Value, expression: &str, value: &notation::Value) -> Option<String> {
    let printed = value.to_string();
    // A swizzle's vector states its table only.
    let expected = vector.get("out").map_or(printed.clone(), notation);
    if printed != expected {
        return Some(format!("{expression}: CuTe {expected}, here {printed}"));
    }
    let expected: Vec<String> = vector
        .get("table")?
        .as_array()?
        .iter()
        .map(notation)
        .collect();
    let found = table(value)?;
    let alike = found.len() >= expected.len() && expected[..] == found[..expected.len()];
    (!alike).then(|| format!("{expression}: the table differs"))
}

#[test]
fn every_vector_of_the_algebra_goes_through_the_language() {
    let differences = differences();
    let (mut equal, mut refused, mut stated, mut wrong) = (0, 0, 0, Vec::new());
    for vector in lines(ALGEBRA) {
        let op = vector["op"].as_str().unwrap();
        let listed = differences.contains(&format!("{op} {}", vector["in"]));
        let expression = written(op, &vector["in"]);
        match (eval(&expression.expression), listed) {
            (Ok(value), false) => match mismatch(&vector, &expression.expression, &value) {
                None => equal += 1,
                Some(message) => wrong.push(message),
            },
            (Err(error), true) if matches!(error.kind(), ErrorKind::Refused(_)) => refused += 1,
            (Ok(value), true) => {
                wrong.push(format!(
                    "{}: must be refused, gives {value}",
                    expression.expression
                ));
            }
            (Err(error), _) => {
                wrong.push(format!("CuTe {}, here {error}", vector["out"]));
                continue;
            }
        }
        for (key, more) in expression.more {
            if let Some(expected) = vector.get(key) {
                let found = eval(&more)
                    .unwrap_or_else(|error| panic!("{error}"))
                    .to_string();
                stated += 1;
                if found != notation(expected) {
                    wrong.push(format!("{more}: CuTe {expected}, here {found}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(equal + refused, 3882);
    assert!(stated > 500, "{stated}");
}

#[test]
fn every_doubtful_case_is_equal_or_refused_at_a_place() {
    let differences = differences();
    let mut seen = 0;
    for vector in lines(INADMISSIBLE) {
        let op = vector["op"].as_str().unwrap();
        if matches!(
            op,
            "swizzle" | "swizzle_merge" | "tiledmma.layoutA_TV" | "make_tiled_copy"
        ) {
            continue; // stated by template arguments only
        }
        let expression = written(op, &vector["in"]).expression;
        let accepted = vector["result"] == "accepted";
        let listed = differences.contains(&format!("{op} {}", vector["in"]));
        seen += 1;
        match eval(&expression) {
            Ok(value) => {
                assert!(accepted && !listed, "{expression} gives {value}");
                assert_eq!(mismatch(&vector, &expression, &value), None);
            }
            Err(error) => {
                assert!(!accepted || listed, "CuTe {}: {error}", vector["out"]);
                assert!(error.span().end <= expression.len() && !error.span().is_empty());
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn what_is_printed_reads_back_as_the_same_value() {
    for vector in lines(ALGEBRA).step_by(7) {
        let expression = written(vector["op"].as_str().unwrap(), &vector["in"]).expression;
        if let Ok(value @ (notation::Value::Layout(_) | notation::Value::Tuple(_))) =
            eval(&expression)
        {
            assert_eq!(eval(&value.to_string()).unwrap(), value, "{expression}");
        }
    }
}
