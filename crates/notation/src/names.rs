//! Errors for unknown names, with the nearest known name.
//!
//! ```text
//! zipped_divid    -> zipped_divide      SM80_16x8x16_F32F16F16F32    -> SM80_16x8x16_F32F16F16F32_TN
//! ```

use std::ops::Range;

use crate::atoms::{Element, copy_names, mma_names};
use crate::error::{Error, ErrorKind};
use crate::fields;
use crate::functions;
use crate::syntax::shorten;
use crate::value::Value;

/// Returns the candidate nearest to `name`, or `None` if no candidate is near.
fn nearest<S: AsRef<str>>(name: &str, candidates: impl Iterator<Item = S>) -> Option<String> {
    // A name of thousands of letters is near to no other name, and comparing it takes long.
    if name.len() > 60 {
        return None;
    }
    let lower = name.to_lowercase();
    let distance = |candidate: &str| {
        if candidate.to_lowercase() == lower {
            0
        } else {
            strsim::damerau_levenshtein(name, candidate)
        }
    };
    candidates
        .map(|candidate| (distance(candidate.as_ref()), candidate))
        .filter(|(distance, _)| *distance <= 1 + name.len() / 5)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.as_ref().to_string())
}

/// Makes the error for an unknown name.
pub(crate) fn unknown<'a>(
    name: &str,
    span: Range<usize>,
    given: impl Iterator<Item = &'a String>,
) -> Error {
    let known = given
        .cloned()
        .chain(functions::all().flat_map(|function| function.names.iter().map(|n| n.to_string())))
        .chain(mma_names())
        .chain(copy_names().into_iter().map(str::to_string))
        .chain(Element::names().map(str::to_string))
        .chain(["ldmatrix", "stmatrix", "MajorK", "MajorMN"].map(str::to_string));
    let what = if name.to_uppercase().starts_with("SM") {
        "atom"
    } else {
        "name, operation or atom"
    };
    let error = Error::new(
        ErrorKind::Name(format!("there is no {what} `{}`", shorten(name))),
        span,
    );
    match nearest(name, known) {
        Some(near) => error.with_help(format!("there is `{near}`")),
        None => error,
    }
}

/// Makes the error for a part that a value does not have.
pub(crate) fn no_field(value: &Value, name: &str, span: Range<usize>) -> Error {
    let own = fields::names(value);
    let error = Error::new(
        ErrorKind::Name(format!("{} has no `{}`", value.kind(), shorten(name))),
        span,
    );
    let known = own
        .iter()
        .map(|name| name.to_string())
        .chain(functions::all().map(|function| function.name().to_string()));
    match nearest(name, known) {
        Some(near) => error.with_help(format!("there is `.{near}`")),
        None if own.is_empty() => error,
        None => error.with_help(format!("it has .{}", own.join(", ."))),
    }
}
