//! Checks that every line of the tables in `docs/notation.md` agrees with the language.

use notation::{ErrorKind, Session};

const PAGE: &str = include_str!("../../../docs/notation.md");

/// Returns the text between the first pair of backticks.
fn code(cell: &str) -> Option<&str> {
    cell.trim().strip_prefix('`')?.strip_suffix('`')
}

#[test]
fn every_line_of_the_tables_holds() {
    let (mut session, mut seen, mut wrong) = (Session::new(), 0, Vec::new());
    for line in PAGE.lines() {
        let Some((expression, value)) = line
            .strip_prefix("| `")
            .and_then(|rest| rest.strip_suffix(" |"))
            .and_then(|rest| rest.split_once("` | "))
        else {
            continue;
        };
        seen += 1;
        match (session.eval(expression), code(value)) {
            (Ok(found), Some(expected)) if found.to_string() == expected => {}
            (Err(error), None) if value == "refused" => {
                assert!(matches!(error.kind(), ErrorKind::Refused(_)), "{error}");
            }
            (Ok(found), _) => wrong.push(format!("{expression} is {found}, the page says {value}")),
            (Err(error), _) => wrong.push(format!("{value} on the page: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 80, "{seen}");
}

#[test]
fn every_error_of_the_page_is_printed_so() {
    let block = PAGE
        .split("```text\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    for shown in block.split("\n\n") {
        let expression = shown.lines().nth(1).unwrap().trim_start_matches("  | ");
        let printed = format!("error: {}", Session::new().eval(expression).unwrap_err());
        for (shown, printed) in shown.trim_end().lines().zip(printed.lines()) {
            let shown = shown.trim_end_matches("...");
            assert!(printed.starts_with(shown), "{printed}\n{shown}");
        }
    }
}
