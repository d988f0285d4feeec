//! `cutlet layout '(6,2):(8,2) o (4,3):(3,1)'`: evaluates an expression in CuTe's notation,
//! explains it and shows its table.
//!
//! ```text
//!   expression ─► notation::Session ─► value, laws, table │ steps │ JSON        exit status 0
//!              └► what is wrong, with a caret at the place                                  1
//!   no expression: lines of a terminal (with history and completion) or of a pipe
//! ```

mod repl;
mod show;

use super::Failure;
use super::draw::OutputFiles;
use super::output::{self, Verdict};
use clap::Args;
use notation::Session;
use show::Show;
use std::io::IsTerminal;

/// Evaluate an expression in CuTe's notation: layouts, atoms, tiled copies, every operation of the
/// algebra
///
/// Without an expression it reads lines: from a terminal with history, from a pipe one expression a
/// line. Examples: `composition((6,2):(8,2), (4,3):(3,1))`, `Sw<2,3,3> o (8,32):(32,1)`,
/// `SM80_16x8x16_F32F16F16F32_TN.A`,
/// `let mma = tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1)); mma.C`.
#[derive(Args)]
pub struct LayoutArguments {
    /// What is evaluated; several behind one another with `;`
    #[arg(allow_hyphen_values = true)]
    expression: Option<String>,
    #[command(flatten)]
    show: Show,
    #[command(flatten)]
    files: OutputFiles,
    /// List the operations, or those whose name or description has this word
    #[arg(long, value_name = "WORD", num_args = 0..=1, default_missing_value = "", conflicts_with = "expression")]
    operations: Option<String>,
}

/// Runs the command.
pub fn run(arguments: &LayoutArguments) -> Result<Verdict, Failure> {
    if let Some(word) = &arguments.operations {
        return output::write(&show::operations(word)).map(|()| Verdict::Right);
    }
    let mut session = Session::new();
    match &arguments.expression {
        Some(expression) => {
            let verdict = one(&mut session, expression, &arguments.show)?;
            if verdict == Verdict::Wrong {
                return Ok(verdict);
            }
            for line in arguments.files.draw(expression)? {
                // One expression gives one JSON object.
                if !arguments.show.json {
                    output::write(&format!("{line}\n"))?;
                }
            }
            Ok(verdict)
        }
        None if arguments.files.any() => {
            Err(Failure::Usage("a picture needs an expression".to_string()))
        }
        None if std::io::stdin().is_terminal() => repl::terminal(&mut session, &arguments.show),
        None => repl::pipe(&mut session, &arguments.show),
    }
}

/// Evaluates one text and prints the result.
fn one(session: &mut Session, text: &str, show: &Show) -> Result<Verdict, Failure> {
    let shown = show.evaluate(session, text);
    output::write(&shown.text)?;
    match shown.error {
        None => Ok(Verdict::Right),
        Some(_) if show.json => Ok(Verdict::Wrong),
        Some(error) => Err(Failure::Run(error.to_string())),
    }
}
