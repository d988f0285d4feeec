//! Compares explanations with results: for every golden vector, the layout that the steps derive is
//! the one that the operation returned.

mod vectors;

use notation::dynamic::{AnyLayout, Domain};
use notation::{Session, Value};
use vectors::{ALGEBRA, INADMISSIBLE, lines, written};

/// Returns the innermost layout of a value, which is the layout that explanations derive.
fn domain(value: &Value) -> Option<notation::dynamic::DynLayout> {
    match value {
        Value::Layout(AnyLayout::Plain(layout)) => Some(layout.clone()),
        Value::Layout(layout) => Some(layout.domain().clone()),
        _ => None,
    }
}

/// Whether the steps of this operation derive a layout.
fn is_told(operation: &str) -> bool {
    let name = operation.split('(').next().unwrap();
    name.ends_with("_divide")
        || name.ends_with("_product")
        || [
            "composition",
            "complement",
            "right_inverse",
            "left_inverse",
            "with_shape",
            "coalesce",
        ]
        .contains(&name)
}

#[test]
fn what_the_steps_come_to_is_the_result() {
    let (mut told, mut refused, mut wrong) = (0, 0, Vec::new());
    for vector in lines(ALGEBRA).chain(lines(INADMISSIBLE)) {
        let op = vector["op"].as_str().unwrap();
        if matches!(
            op,
            "swizzle" | "swizzle_merge" | "tiledmma.layoutA_TV" | "make_tiled_copy"
        ) {
            continue;
        }
        let expression = written(op, &vector["in"]).expression;
        if expression.contains("Sw") || op == "coalesce_by_profile" {
            continue;
        }
        let explanation = Session::new().explain(&expression);
        let Some(step) = explanation.steps.last().filter(|step| is_told(&step.title)) else {
            continue;
        };
        match (&explanation.outcome, step.retold()) {
            (Ok(value), Some(retold)) => {
                told += 1;
                if domain(value).as_ref() != Some(retold) {
                    wrong.push(format!(
                        "{expression} = {value}, told {retold}\n{explanation}"
                    ));
                }
            }
            (Ok(value), None) => wrong.push(format!(
                "{expression} = {value}, told nothing\n{explanation}"
            )),
            (Err(_), retold) => {
                refused += 1;
                // Nothing that looks like a result precedes a refusal.
                if step.outcome.is_ok() || retold.is_some() {
                    wrong.push(format!(
                        "{expression} is refused, told {retold:?}\n{explanation}"
                    ));
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
    assert!(
        told > 2300 && refused > 60,
        "{told} told, {refused} refused"
    );
}

#[test]
fn a_refusal_names_rule_mode_and_numbers_after_the_steps_before_it() {
    let explanation = Session::new().explain("composition((4,6,8):(2,3,5), (2,6):(1,3))");
    let text = explanation.to_string();
    assert!(
        text.contains("mode 0: 2:1, 2 steps of 1 through (4,6,8)"),
        "{text}"
    );
    assert!(
        text.contains("mode 1: 6:3, 6 steps of 3 through (4,6,8)"),
        "{text}"
    );
    assert!(
        text.contains(
            "refused: composition (4,6,8):(2,3,5) o (2,6):(1,3) is not admissible: mode 1: stride 3"
        ),
        "{text}"
    );
}

#[test]
fn each_stage_of_an_expression_is_a_step() {
    let explanation =
        Session::new().explain("let t = zipped_divide((8,6), (4,3)); right_inverse(t o (12,4))");
    let titles: Vec<&str> = explanation
        .steps
        .iter()
        .map(|step| step.title.as_str())
        .collect();
    assert_eq!(
        titles,
        [
            "zipped_divide((8,6), (4,3))",
            "composition(((4,3),(2,2)):((1,8),(4,24)), (12,4))",
            "right_inverse(((4,3),(2,2)):((1,8),(4,24)))"
        ]
    );
    let text = explanation.to_string();
    for line in [
        "  mode 0: 8:1 / 4",
        "logical_divide = ((4,2),(3,2)):((1,4),(8,24))",
        "the first of each pair (4,3):(1,8), the second (2,2):(4,24)",
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}
