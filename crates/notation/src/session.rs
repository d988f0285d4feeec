//! Evaluates expressions one after another; `let` gives names to values.
//!
//! ```text
//! let smem = Sw<2,3,3> o (8,32):(32,1)
//! tile_to_shape(smem, (128,32))             Sw<2,3,3> o 0 o ((8,16),(32,1)):((32,256),(1,0))
//! ```
//!
//! Law: a name has the value that `let` gave it last. A session keeps nothing else between
//! expressions.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::evaluate::Evaluator;
use crate::explain::Explanation;
use crate::syntax::parse;
use crate::value::Value;

/// Evaluates an expression, or several separated by `;`, and returns the value of the last.
///
/// # Errors
/// Returns the fault and its place; the error prints the text with a caret.
///
/// ```
/// let value = notation::eval("composition((6,2):(8,2), (4,3):(3,1))").unwrap();
/// assert_eq!(value.to_string(), "((2,2),3):((24,2),8)");
///
/// let error = notation::eval("zipped_divid((8,6), (4,3))").unwrap_err();
/// assert_eq!(error.span(), 0..12);
/// assert!(error.help().unwrap().contains("`zipped_divide`"));
/// ```
pub fn eval(text: &str) -> Result<Value> {
    Session::new().eval(text)
}

/// Names and their values.
#[derive(Clone, Debug, Default)]
pub struct Session {
    names: BTreeMap<String, Value>,
}

impl Session {
    /// Makes a session without names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Evaluates as [`eval`](crate::eval()) does; names from `let` stay in the session.
    ///
    /// # Errors
    /// Returns the errors of [`eval`](crate::eval()); names given before the error stay.
    ///
    /// ```
    /// let mut session = notation::Session::new();
    /// session.eval("let a = (6,2):(8,2)").unwrap();
    /// assert_eq!(session.eval("a o (4,3):(3,1)").unwrap().to_string(), "((2,2),3):((24,2),8)");
    /// ```
    pub fn eval(&mut self, text: &str) -> Result<Value> {
        self.run(text, &mut Evaluator::new())
    }

    /// Evaluates, and explains each operation of the text; the last operation may be refused.
    ///
    /// ```
    /// let explanation = notation::Session::new().explain("(4,4):(4,1) o 8:3");
    /// assert!(explanation.outcome.is_err());
    /// assert!(explanation.to_string().contains("stride 3 does not divide 4"));
    /// ```
    pub fn explain(&mut self, text: &str) -> Explanation {
        let mut evaluator = Evaluator::recording();
        let outcome = self.run(text, &mut evaluator);
        Explanation::new(evaluator.recorded(), outcome)
    }

    fn run(&mut self, text: &str, evaluator: &mut Evaluator) -> Result<Value> {
        let mut last = Value::Boolean(true);
        for statement in parse(text)? {
            last = evaluator
                .expression(&statement.value, &self.names)
                .map_err(|error| error.in_text(text))?;
            if let Some((name, _)) = statement.name {
                self.names.insert(name, last.clone());
            }
        }
        Ok(last)
    }

    /// Gives a name to a value, as `let` does.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.names.insert(name.into(), value);
    }

    /// Returns the names in alphabetical order, with their values.
    pub fn names(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.names
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }
}
