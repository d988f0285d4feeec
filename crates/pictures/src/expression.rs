//! Draws an expression: the operation if its picture shows more, else the expression's value.
//!
//! ```text
//!   zipped_divide((8,8):(1,8), (4,2))     the tiles in their places beside the result
//!   pipeline(3, 8)                        the timeline of 3 stages and 8 tiles
//!   anything else                         the picture of its value
//! ```

use crate::error::DrawError;
use crate::grid::Picture;
use crate::kinds::{self, Pipeline};
use crate::options::Options;
use crate::values::draw;
use notation::Session;
use notation::syntax::{Expr, Kind, Suffix};

/// The reason why an expression has no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// The expression has no value; the message has the text and a caret below the fault.
    #[error(transparent)]
    Expression(#[from] notation::Error),
    /// The expression's value has no picture.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

/// Evaluates an expression, or several that use `let` names, and draws the last one.
///
/// The title is the expression unless the options have a title. The last expression may also call
/// two functions that [`notation::eval`] does not know: `pipeline(stages, tiles)`, and
/// `pipeline(stages, tiles, TMA)`.
///
/// # Errors
/// Returns the errors of [`notation::eval`] and of [`draw`].
///
/// ```
/// use pictures::{Options, draw_expression};
/// let picture = draw_expression("let l = (8,8):(1,8); zipped_divide(l, (4,2))", &Options::default()).unwrap();
/// assert_eq!(picture.grids().count(), 2);
/// assert!(draw_expression("(8,8):(1", &Options::default()).unwrap_err().to_string().contains('^'));
/// ```
pub fn draw_expression(text: &str, options: &Options) -> Result<Picture, ExpressionError> {
    let statements = notation::parse(text)?;
    let Some((last, before)) = statements.split_last() else {
        return Ok(draw(&notation::eval(text)?, options)?);
    };
    let options = titled(text[last.value.span.clone()].trim(), options);
    if let Some(pipeline) = pipeline(&last.value, text) {
        return Ok(kinds::timeline(&pipeline, &options)?);
    }
    let mut session = Session::new();
    let value = session.eval(text)?;
    if let Some((layout, tiler)) = divide(&last.value) {
        // The whole expression has a value, so its operands have values. Names of this text stay in
        // the session. The last expression's own name is an operand only if an earlier statement
        // gave that name a value, and the operand is then that earlier value.
        let mut session = Session::new();
        if let Some(end) = before.last().map(|statement| statement.value.span.end) {
            session.eval(&text[..end])?;
        }
        let (layout, tiler) = (session.eval(&text[layout])?, session.eval(&text[tiler])?);
        if let (Some(layout), Some(tiler)) = (layout.layout(), tiler.tiler()) {
            return Ok(kinds::divide(&layout, &tiler, &options)?);
        }
    }
    Ok(draw(&value, &options)?)
}

/// Returns the options with the expression as title, on one line, if it is short enough to read.
fn titled(text: &str, options: &Options) -> Options {
    let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let literal = title.chars().all(|c| !c.is_alphabetic());
    if options.title.is_some() || literal || title.chars().count() > 160 {
        return options.clone();
    }
    Options {
        title: Some(title),
        ..options.clone()
    }
}

/// Returns the name and the arguments of a call of a function, or `None` for any other expression.
fn call(expression: &Expr) -> Option<(&str, &[Expr])> {
    let Kind::Postfix(function, suffixes) = &expression.kind else {
        return None;
    };
    match (&function.kind, suffixes.as_slice()) {
        (
            Kind::Name {
                name,
                template: None,
            },
            [Suffix::Call { arguments, .. }],
        ) => Some((name, arguments)),
        _ => None,
    }
}

/// Returns the operands of a divide, as byte ranges of the text, or `None` for any other
/// expression.
fn divide(expression: &Expr) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let (name, [layout, tiler]) = call(expression)? else {
        return None;
    };
    let exact = name.strip_prefix("exact_").unwrap_or(name);
    matches!(
        exact,
        "logical_divide" | "zipped_divide" | "tiled_divide" | "flat_divide"
    )
    .then(|| (layout.span.clone(), tiler.span.clone()))
}

fn pipeline(expression: &Expr, text: &str) -> Option<Pipeline> {
    let ("pipeline", arguments) = call(expression)? else {
        return None;
    };
    let number = |expression: &Expr| match expression.kind {
        Kind::Integer(number) => Some(number),
        _ => None,
    };
    let (stages, tiles, by) = match arguments {
        [stages, tiles] => (number(stages)?, number(tiles)?, "cp.async"),
        [stages, tiles, by] => (number(stages)?, number(tiles)?, &text[by.span.clone()]),
        _ => return None,
    };
    let computes = if by.eq_ignore_ascii_case("tma") {
        "wgmma"
    } else {
        "mma.sync"
    };
    Some(Pipeline {
        stages,
        tiles,
        loads: by.to_string(),
        computes: computes.to_string(),
    })
}
