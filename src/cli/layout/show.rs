//! Prints the result of an expression.

use clap::Args;
use notation::{Error, ErrorKind, Explanation, Session, Value, describe, json, table};

/// What is shown.
#[derive(Args)]
pub struct Show {
    /// Tell each operation step by step, and for one that is refused the rule and the mode that
    /// break it
    #[arg(long)]
    explain: bool,
    /// Print one JSON object for each expression
    #[arg(long)]
    pub json: bool,
    /// The bank conflicts of an access to shared memory too: 'f16, ldmatrix', 'f32, rows(16)',
    /// 'f16, copy.S'
    #[arg(long, value_name = "TYPE, ACCESS")]
    banks: Option<String>,
    /// Rows and columns of a table that are shown; 0 shows none
    #[arg(long, value_name = "NUMBER", default_value_t = 32, value_parser = clap::value_parser!(i64).range(0..=1024))]
    most: i64,
}

/// The result of an evaluation.
pub struct Shown {
    /// The text for stdout.
    pub text: String,
    /// The error, if there is one.
    pub error: Option<Error>,
}

impl Show {
    /// Returns the options with or without steps.
    pub fn explaining(&self, explain: bool) -> Self {
        Self {
            explain,
            json: self.json,
            banks: self.banks.clone(),
            most: self.most,
        }
    }

    /// Evaluates a text, and names its value `it`.
    pub fn evaluate(&self, session: &mut Session, text: &str) -> Shown {
        let mut explanation = session.explain(text);
        let mut conflicts = None;
        if let Ok(value) = &explanation.outcome {
            session.set("it", value.clone());
            if let Some(access) = &self.banks {
                match self.conflicts(session, access) {
                    Ok(found) => conflicts = Some(found),
                    Err(error) => explanation.outcome = Err(error),
                }
            }
        }
        let text = if self.json {
            self.as_json(&explanation, conflicts.as_ref())
        } else {
            self.as_text(&explanation, conflicts.as_ref())
        };
        Shown {
            text,
            error: explanation.outcome.err(),
        }
    }

    /// Counts conflicts for `f16, ldmatrix`, or for `f16, tv`: if the last part is a thread-value
    /// layout, `bank_conflicts` takes it first.
    fn conflicts(&self, session: &mut Session, access: &str) -> Result<Value, Error> {
        let found = session.eval(&format!("bank_conflicts(it, {access})"));
        match (&found, access.split_once(',')) {
            (Err(error), Some((element, tv))) if matches!(error.kind(), ErrorKind::Operand(_)) => {
                session
                    .eval(&format!("bank_conflicts(it, {tv}, {element})"))
                    .or(found)
            }
            _ => found,
        }
    }

    fn as_json(&self, explanation: &Explanation, conflicts: Option<&Value>) -> String {
        let mut out = match (&explanation.outcome, self.explain) {
            (_, true) => json::explanation(explanation),
            (Ok(value), false) => json::value(value),
            (Err(error), false) => json::error(error),
        };
        if let Some(conflicts) = conflicts {
            out["bank_conflicts"] = json::value(conflicts);
        }
        format!("{out}\n")
    }

    fn as_text(&self, explanation: &Explanation, conflicts: Option<&Value>) -> String {
        let mut text = String::new();
        if self.explain {
            text += &explanation.to_string();
            if !explanation.steps.is_empty() {
                text.push('\n');
            }
        }
        let Ok(value) = &explanation.outcome else {
            return text;
        };
        for line in describe(value) {
            text += &line;
            text.push('\n');
        }
        if let Some(conflicts) = conflicts {
            text += &format!("{conflicts}\n");
        }
        if self.most > 0
            && let Some(table) = table(value, self.most)
        {
            text.push('\n');
            text += &table;
        }
        text
    }
}

/// Lists the operations whose name or description contains a word, one per line.
pub fn operations(word: &str) -> String {
    let word = word.to_lowercase();
    let mut text = String::new();
    for function in notation::functions() {
        let names = function.names.join(" ").to_lowercase();
        if names.contains(&word) || function.about.to_lowercase().contains(&word) {
            text += &format!("{}\n    {}\n", function.signature, function.about);
        }
    }
    if text.is_empty() {
        text = format!("no operation has `{word}` in its name or description\n");
    }
    text
}
