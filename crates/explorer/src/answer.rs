//! The page's questions and their answers.
//!
//! ```text
//!   {"text": "(4,4):(4,1) o 8:3"}   ─►   {"error": {"message": "composition .. not admissible ..", "start": 0, "end": 17}}
//! ```
//!
//! Law: every text has an answer: a value with its picture, a value and the reason why it has no
//! picture, or a message with the place at fault in the text.

use crate::fault::mode_at_fault;
use crate::operands::{Operand, operands};
use notation::{Laws, Session};
use pictures::{ColourBy, ExpressionError, Format, Options, Theme, draw_expression, render};
use serde::{Deserialize, Serialize};

/// A question from the page.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Question {
    /// The expression.
    pub text: String,
    /// The theme: `auto`, `light` or `dark`.
    pub theme: String,
    /// The property that colours show: `auto`, `offset`, `bank` or `none`.
    pub colour: String,
    /// The number of bits of an element.
    pub bits: Option<u32>,
    /// The number of bytes of an access.
    pub access: Option<u32>,
    /// The width of the page in units of the drawing. Grids that are wider are put below each
    /// other.
    pub width: Option<u32>,
    /// The format of a file: `svg`, `png`, `tex` or `txt`. Only requests for files use it.
    pub format: String,
}

/// The answer to a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answer {
    /// The value as CuTe prints it.
    pub value: Option<String>,
    /// The kind of the value.
    pub kind: Option<String>,
    /// The known properties of a layout: names and values.
    pub laws: Vec<(String, String)>,
    /// The operations of the expression, in their order.
    pub steps: Vec<Step>,
    /// The picture.
    pub svg: Option<String>,
    /// The reason why the value has no picture.
    pub no_picture: Option<String>,
    /// The reason why there is no value.
    pub error: Option<Message>,
    /// The shapes that can be dragged.
    pub operands: Vec<Operand>,
}

/// A message and its place, in UTF-16 units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// The description of the fault.
    pub message: String,
    /// A suggestion of what the user may have meant.
    pub help: Option<String>,
    /// The first unit of the text at fault.
    pub start: usize,
    /// One past the last unit of the text at fault.
    pub end: usize,
    /// The mode at fault inside the text, if the text contains it: a pair of positions for its
    /// shape and a pair for its stride.
    pub mode: Vec<(usize, usize)>,
}

/// An operation of the expression, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The operation and its operands.
    pub title: String,
    /// The steps of the operation.
    pub lines: Vec<String>,
    /// The operation's result, or the reason for its refusal.
    pub outcome: String,
    /// Whether the operation is refused.
    pub refused: bool,
    /// The operation's first unit in the text.
    pub start: usize,
    /// One past the operation's last unit.
    pub end: usize,
}

impl Question {
    fn options(&self) -> Options {
        Options {
            theme: match self.theme.as_str() {
                "light" => Theme::Light,
                "dark" => Theme::Dark,
                _ => Theme::Auto,
            },
            colour: match self.colour.as_str() {
                "offset" => ColourBy::Offset,
                "bank" => ColourBy::Bank,
                "none" => ColourBy::None,
                _ => ColourBy::Auto,
            },
            element_bits: self.bits.unwrap_or(16),
            access_bytes: self.access.unwrap_or(16),
            terminal_colour: false,
            ..Options::default()
        }
    }
}

/// Answers a question.
///
/// ```
/// use explorer::{Question, answer};
/// let found = answer(&Question { text: "(4,4):(4,1) o 8:3".into(), ..Question::default() });
/// let error = found.error.unwrap();
/// assert!(error.message.contains("not admissible") && error.end > error.start);
/// ```
pub fn answer(question: &Question) -> Answer {
    let text = question.text.as_str();
    let units = |byte: usize| text.get(..byte).unwrap_or(text).encode_utf16().count();
    let mut out = Answer {
        operands: operands(text),
        ..Answer::default()
    };
    let explanation = Session::new().explain(text);
    out.steps = explanation
        .steps
        .iter()
        .map(|step| Step {
            title: step.title.clone(),
            lines: step.lines.clone(),
            outcome: step.outcome.clone().unwrap_or_else(|refusal| refusal),
            refused: step.outcome.is_err(),
            start: units(step.span.start),
            end: units(step.span.end),
        })
        .collect();
    // A timeline has a picture but no value.
    let picture = draw_expression(text, &question.options());
    match explanation.outcome {
        Ok(value) => {
            out.kind = Some(value.kind().to_string());
            out.value = Some(value.to_string());
            out.laws = laws(&value);
        }
        Err(error) if picture.is_err() => {
            out.error = Some(Message {
                message: error.message(),
                help: error.help().map(str::to_string),
                start: units(error.span().start),
                end: units(error.span().end),
                mode: mode_at_fault(text, &error)
                    .into_iter()
                    .map(|place| (units(place.start), units(place.end)))
                    .collect(),
            });
            return out;
        }
        Err(_) => {}
    }
    match picture {
        Ok(mut picture) => {
            let options = question.options();
            let (width, _) = pictures::svg::size(&picture, &options);
            // The page shrinks a picture that is up to a fifth too wide.
            if question.width.is_some_and(|room| 0.8 * width > room as f32) {
                picture = picture.stacked();
            }
            out.svg = Some(pictures::svg::render(&picture, &options));
        }
        Err(ExpressionError::Draw(error)) => out.no_picture = Some(error.to_string()),
        Err(ExpressionError::Expression(error)) => out.no_picture = Some(error.message()),
    }
    out
}

/// Returns the known properties of a value that is a layout.
fn laws(value: &notation::Value) -> Vec<(String, String)> {
    let Some(laws) = Laws::of_value(value) else {
        return Vec::new();
    };
    let truth = |holds: bool| if holds { "yes" } else { "no" }.to_string();
    let elements = |count: i64| {
        if count == 1 {
            "1 element".to_string()
        } else {
            format!("{count} elements")
        }
    };
    let layout = value
        .layout()
        .map(|layout| layout.to_string())
        .filter(|layout| *layout != value.to_string());
    [
        ("layout", layout),
        ("size", laws.size.map(elements)),
        ("cosize", laws.cosize),
        ("injective", laws.injective.map(truth)),
        ("compact", laws.compact.map(truth)),
        ("contiguous from 0", laws.contiguous.map(elements)),
        ("widest vector", laws.vector.map(elements)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_string(), value?)))
    .collect()
}

/// Draws a question's picture as a file. Returns its media type and its bytes.
pub(crate) fn draw(question: &Question) -> Result<(&'static str, Vec<u8>), String> {
    let (format, kind) = match question.format.as_str() {
        "svg" => (Format::Svg, "image/svg+xml"),
        "png" => (Format::Png, "image/png"),
        "tex" => (Format::Latex, "application/x-tex"),
        "txt" => (Format::Terminal, "text/plain; charset=utf-8"),
        other => {
            return Err(format!(
                "no format {other:?}: svg, png, tex and txt are known"
            ));
        }
    };
    let options = question.options();
    let picture = draw_expression(&question.text, &options).map_err(|error| error.to_string())?;
    Ok((
        kind,
        render(&picture, format, &options).map_err(|error| error.to_string())?,
    ))
}
