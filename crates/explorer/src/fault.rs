//! The mode at fault of a refused operation, as a place in the text.
//!
//! ```text
//!   composition((4,6,2):(1,8,64), (4,2):(3,1))      mode 0 of the right side: its extent and its stride
//!                                  ^     ^
//! ```
//!
//! Law: a place is reported only if the refused operation's right operand is written out at the
//! place of the error, letter for letter as the refusal prints it. For compositions and divides,
//! the mode that a refusal names is the right operand's.

use notation::syntax::{Expr, Kind, Suffix};
use notation::{Error, ErrorKind};
use std::ops::Range;

/// Returns the places of the mode at fault: its shape and its stride, or its place in a tiler. The
/// result is empty if the mode cannot be determined.
pub(crate) fn mode_at_fault(text: &str, error: &Error) -> Vec<Range<usize>> {
    find(text, error).unwrap_or_default()
}

fn find(text: &str, error: &Error) -> Option<Vec<Range<usize>>> {
    let ErrorKind::Refused(refusal) = error.kind() else {
        return None;
    };
    let printed = refusal.operands().get(1)?;
    let operation = refusal.operation();
    if refusal.mode().is_empty() || !(operation == "composition" || operation.ends_with("divide")) {
        return None;
    }
    let statements = notation::parse(text).ok()?;
    let mut found = None;
    for statement in &statements {
        written(&statement.value, text, &error.span(), printed, &mut found);
    }
    let operand = found?;
    let parts = match &operand.kind {
        Kind::Layout(shape, stride) => vec![&**shape, &**stride],
        _ => vec![operand],
    };
    parts
        .into_iter()
        .map(|part| descend(part, refusal.mode()))
        .collect()
}

/// Finds the last operand inside the place of the error whose text, without spaces, is `printed`.
fn written<'e>(
    expression: &'e Expr,
    text: &str,
    place: &Range<usize>,
    printed: &str,
    found: &mut Option<&'e Expr>,
) {
    let Some(own) = text.get(expression.span.clone()) else {
        return;
    };
    let inside = place.start <= expression.span.start && expression.span.end <= place.end;
    if inside && own.split_whitespace().collect::<String>() == printed {
        *found = Some(expression);
        return;
    }
    let mut look = |part: &'e Expr| written(part, text, place, printed, found);
    match &expression.kind {
        Kind::Compose(parts) => parts.iter().for_each(look),
        Kind::Tuple { modes, .. } => modes.iter().for_each(look),
        Kind::Postfix(function, suffixes) => {
            look(function);
            for suffix in suffixes {
                if let Suffix::Call { arguments, .. } = suffix {
                    arguments.iter().for_each(&mut look);
                }
            }
        }
        _ => {}
    }
}

fn descend(part: &Expr, mode: &[usize]) -> Option<Range<usize>> {
    let Some((first, rest)) = mode.split_first() else {
        return Some(part.span.clone());
    };
    match &part.kind {
        Kind::Tuple { modes, .. } => descend(modes.get(*first)?, rest),
        // A refusal counts the mode of a number as mode 0.
        _ if *first == 0 && rest.is_empty() => Some(part.span.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Vec<&str> {
        let error = notation::eval(text).unwrap_err();
        mode_at_fault(text, &error)
            .into_iter()
            .map(|place| &text[place])
            .collect()
    }

    #[test]
    fn the_mode_is_where_it_is_written() {
        assert_eq!(
            fault("composition((4,6,2):(1,8,64), (4,2):(3,1))"),
            ["4", "3"]
        );
        assert_eq!(fault("(4,6,8,10):(2,3,5,7) o (1,6):(0,10)"), ["6", "10"]);
        assert_eq!(fault("coalesce((8,8):(8,1) o 4:3)"), ["4", "3"]);
        assert_eq!(fault("exact_zipped_divide((6,8):(8,1), (4,4))"), ["4"]);
        // The operand is not written out, or several modes are at fault.
        assert!(fault("let b = (4,2):(3,1); (4,6,2):(1,8,64) o b").is_empty());
        assert!(fault("(4,4):(4,1) o (2,2):(3,1)").is_empty());
        assert!(fault("zipped_divid(4, 2)").is_empty());
    }
}
