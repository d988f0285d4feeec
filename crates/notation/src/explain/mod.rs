//! An expression derived step by step.
//!
//! ```text
//! composition((6,2):(8,2), (4,3):(3,1))
//!   mode 0: 4:3, 4 steps of 3 through (6,2)
//!     2 steps of 3 in 6:8, 24 apart
//!     2 steps of 1 in 2:2, 2 apart
//!     = (2,2):(24,2)
//!   mode 1: 3:1, 3 steps of 1 through (6,2)
//!     3 steps of 1 in 6:8, 8 apart
//!     = 3:8
//!   = ((2,2),3):((24,2),8)
//! ```
//!
//! Law: the explanation does the steps again, one by one, and their result is the operation's
//! result; a test compares the two results over every golden vector. For a refused operation the
//! explanation ends at the step that is refused.

mod complement;
mod composition;
mod derivation;
mod divide;
mod inverse;
mod others;
mod product;

use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use layout_types::dynamic::{AnyLayout, DynLayout};

pub(crate) use derivation::Derivation;

use crate::error::{Error, Result};
use crate::evaluate::Application;
use crate::value::Value;

/// The operations of an expression, each with its derivation.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The operations in the order in which they were done.
    pub steps: Vec<Step>,
    /// The value of the expression, or its error.
    pub outcome: Result<Value>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The operation with its operands, in the form in which a user could type it.
    pub title: String,
    /// The bytes of the text that request the operation.
    pub span: Range<usize>,
    /// The steps of the operation, one per line, indented by depth.
    pub lines: Vec<String>,
    /// The operation's result, or the reason for its refusal: the rule, the mode that breaks the
    /// rule, and the numbers.
    pub outcome: Result<String, String>,
    /// The layout that the lines derive, or `None` if they derive no layout.
    pub(crate) derivation: Option<DynLayout>,
}

impl Step {
    /// Returns the layout that the lines derive, or `None` if they derive no layout. The layout is
    /// the operation's result, found step by step.
    pub fn retold(&self) -> Option<&DynLayout> {
        self.derivation.as_ref()
    }
}

impl Explanation {
    pub(crate) fn new(record: Vec<Application>, outcome: Result<Value>) -> Self {
        // An explanation repeats the operations. Once the time is used up, the remaining operations
        // are listed without their steps.
        let begin = Instant::now();
        let steps = record
            .into_iter()
            .filter(|application| !is_plain(&application.operation))
            .map(|application| step(application, begin.elapsed() < MOST_TIME))
            .collect();
        Self { steps, outcome }
    }
}

/// Operations that only make a value and have no steps.
fn is_plain(operation: &str) -> bool {
    matches!(
        operation,
        "Sw" | "Int"
            | "make_tuple"
            | "make_layout"
            | "copy_atom"
            | "UniversalCopy"
            | "UniversalFMA"
    ) || operation.starts_with("SM80_CP_ASYNC")
}

/// The longest time that explaining may take, checked between operations.
const MOST_TIME: Duration = Duration::from_millis(300);

fn step(application: Application, in_time: bool) -> Step {
    let operands: Vec<String> = application.operands.iter().map(Value::to_string).collect();
    let derivation = if in_time {
        tell(&application)
    } else {
        let mut derivation = Derivation::new();
        derivation.say("not told: the expression takes too long");
        derivation
    };
    Step {
        title: format!("{}({})", application.operation, operands.join(", ")),
        span: application.span,
        lines: derivation.lines().to_vec(),
        outcome: match application.outcome {
            Ok(value) => Ok(value.to_string()),
            Err(error) => Err(Error::message(&error)),
        },
        derivation: derivation.result().cloned(),
    }
}

/// Returns the innermost layout of an operand, and whether swizzles come before this layout.
fn domain(value: &Value) -> Option<(DynLayout, bool)> {
    fn inner(layout: &AnyLayout) -> &DynLayout {
        match layout {
            AnyLayout::Plain(plain) => plain,
            AnyLayout::Composed(outer) => inner(outer.inner()),
        }
    }
    let layout = value.layout()?;
    Some((
        inner(&layout).clone(),
        matches!(layout, AnyLayout::Composed(_)),
    ))
}

/// Derives the steps of an operation. The derivation is empty for an operation without steps.
fn tell(application: &Application) -> Derivation {
    let operands = &application.operands;
    let Some((layout, swizzled)) = operands.first().and_then(domain) else {
        return others::tell(application);
    };
    let tiler = operands.get(1).and_then(Value::tiler);
    let operation = application.operation.as_str();
    let derivation = match (operation, tiler) {
        ("composition", Some(tiler)) => composition::by_tiler(&layout, &tiler),
        ("with_shape", Some(_)) => others::with_shape(&layout, &operands[1]),
        ("complement", _) => complement::tell(&layout, operands.get(1)),
        ("right_inverse", _) if !swizzled => inverse::right(&layout),
        ("left_inverse", _) if !swizzled => inverse::left(&layout),
        (name, Some(tiler)) if name.ends_with("_divide") => divide::tell(name, &layout, &tiler),
        (name, Some(tiler)) if name.ends_with("_product") => product::tell(name, &layout, &tiler),
        _ => return others::tell(application),
    };
    if swizzled {
        let mut outer = Derivation::new();
        outer.say(format!(
            "the swizzle stays in front; {operation} of the layout behind it:"
        ));
        outer.nest(derivation.without_result());
        outer
    } else {
        derivation
    }
}

impl fmt::Display for Explanation {
    /// Prints every operation, its steps and its outcome.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.steps.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            writeln!(f, "{}", step.title)?;
            for line in &step.lines {
                writeln!(f, "  {line}")?;
            }
            match &step.outcome {
                Ok(result) => writeln!(f, "  = {result}")?,
                Err(message) => writeln!(f, "  refused: {message}")?,
            }
        }
        Ok(())
    }
}
