//! Reads lines from a terminal or a pipe, one after another. Names given with `let` are kept, and
//! `it` is the last value.
//!
//! ```text
//!   > let a = (6,2):(8,2)
//!   > a o (4,3):(3,1)
//!   > explain it.right_inverse
//!   > help divide        names        quit
//! ```

use super::super::Failure;
use super::super::output::{self, Verdict};
use super::show::{Show, operations};
use notation::Session;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{CompletionType, Config, Context, Editor, Helper, Highlighter, Hinter, Validator};
use std::io::{BufRead, Read};
use std::path::PathBuf;

/// The request of a line.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    Nothing,
    Quit,
    Names,
    Help(&'a str),
    Explain(&'a str),
    Evaluate(&'a str),
}

/// Reads a line: one of the REPL's own words, a comment from `#` on, or an expression.
fn read(line: &str) -> Line<'_> {
    let line = line.split('#').next().unwrap_or_default().trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match (word.trim_start_matches(':'), rest.trim()) {
        ("", _) => Line::Nothing,
        ("quit" | "exit", "") => Line::Quit,
        ("names", "") => Line::Names,
        ("help" | "?", rest) => Line::Help(rest),
        ("explain", rest) if !rest.is_empty() && !rest.starts_with('=') => Line::Explain(rest),
        _ => Line::Evaluate(line),
    }
}

const HELP: &str = "An expression in CuTe's notation, or
  let name = expression    a name for a value; `it` is the last one
  explain expression       each operation step by step
  help, help word          this, or the operations with that word
  names                    the names given
  quit                     or the end of the input
";

/// Does what a line requests. Returns whether it succeeded, or `None` if the line ends the session.
fn answer(session: &mut Session, show: &Show, line: &str) -> Result<Option<bool>, Failure> {
    let (text, show) = match read(line) {
        Line::Nothing => return Ok(Some(true)),
        Line::Quit => return Ok(None),
        Line::Help("") => {
            output::write(HELP)?;
            return Ok(Some(true));
        }
        Line::Help(word) => {
            output::write(&operations(word))?;
            return Ok(Some(true));
        }
        Line::Names => {
            for (name, value) in session.names() {
                output::write(&format!("{name} = {value}\n"))?;
            }
            return Ok(Some(true));
        }
        Line::Explain(text) => (text, &show.explaining(true)),
        Line::Evaluate(text) => (text, show),
    };
    let shown = show.evaluate(session, text);
    output::write(&shown.text)?;
    match shown.error {
        Some(error) if !show.json => {
            super::super::complain(&format!("error: {error}\n"));
            Ok(Some(false))
        }
        other => Ok(Some(other.is_none())),
    }
}

/// The largest number of bytes of a line in a pipe. A longer line is refused and skipped.
const LONGEST: u64 = 64 * 1024;

/// Answers every line of stdin. The verdict is wrong if one line fails.
pub fn pipe(session: &mut Session, show: &Show) -> Result<Verdict, Failure> {
    let failed = |error: std::io::Error| Failure::Run(format!("stdin cannot be read: {error}"));
    let mut stdin = std::io::stdin().lock();
    let (mut right, mut bytes) = (true, Vec::new());
    loop {
        bytes.clear();
        let read = (&mut stdin)
            .take(LONGEST)
            .read_until(b'\n', &mut bytes)
            .map_err(failed)?;
        if read == 0 {
            return Ok(Verdict::of(right));
        }
        if read as u64 == LONGEST && !bytes.ends_with(b"\n") {
            skip_line(&mut stdin).map_err(failed)?;
            super::super::complain(&format!("error: a line has more than {LONGEST} bytes\n"));
            right = false;
            continue;
        }
        match answer(session, show, &String::from_utf8_lossy(&bytes))? {
            Some(well) => right &= well,
            None => return Ok(Verdict::of(right)),
        }
    }
}

/// Skips the rest of a line.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let (used, done) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), false),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

/// Completes names of operations, atoms and values.
#[derive(Helper, Highlighter, Hinter, Validator)]
struct Names {
    known: Vec<String>,
}

impl Names {
    fn new() -> Self {
        let functions = notation::functions().map(|function| function.name().to_string());
        let words = ["let", "explain", "help", "names", "quit", "it"].map(str::to_string);
        let mut known: Vec<String> = functions
            .chain(words)
            .chain(notation::atoms::mma_names())
            .chain(
                notation::atoms::copy_names()
                    .into_iter()
                    .map(str::to_string),
            )
            .collect();
        known.sort();
        Self { known }
    }
}

/// Returns the place where the name begins that ends at `at`.
fn word_start(line: &str, at: usize) -> usize {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line[..at].rfind(|c| !word(c)).map_or(0, |i| {
        i + line[i..].chars().next().map_or(1, char::len_utf8)
    })
}

impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let start = word_start(line, at);
        let word = &line[start..at];
        let matching = self
            .known
            .iter()
            .filter(|name| !word.is_empty() && name.starts_with(word));
        Ok((start, matching.cloned().collect()))
    }
}

/// Returns the path `$XDG_STATE_HOME/cutlet/layout-history`, or the same under `~/.local/state`.
/// Returns `None` if no variable gives a folder.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("cutlet").join("layout-history"))
}

/// The largest number of lines that the history keeps.
const KEPT: usize = 1000;

/// Returns the settings of the line editor. As in a shell, Tab writes what all matching names have
/// in common, and a second Tab lists them.
fn config() -> rustyline::Result<Config> {
    Ok(Config::builder()
        .max_history_size(KEPT)?
        .completion_type(CompletionType::List)
        .build())
}

/// Answers lines typed into a terminal.
pub fn terminal(session: &mut Session, show: &Show) -> Result<Verdict, Failure> {
    let failed = |error: ReadlineError| Failure::Run(format!("the terminal: {error}"));
    let config = config().map_err(failed)?;
    let mut editor: Editor<Names, MemHistory> =
        Editor::with_history(config.clone(), MemHistory::with_config(&config)).map_err(failed)?;
    editor.set_helper(Some(Names::new()));
    let file = history_file();
    // An unreadable or unwritable history does not stop the session.
    let mut lines: Vec<String> = file
        .as_ref()
        .and_then(|file| files::read_to_string(file).ok())
        .map_or(Vec::new(), |text| {
            text.lines().map(str::to_string).collect()
        });
    for line in &lines {
        let _ = editor.add_history_entry(line.as_str());
    }
    output::write("CuTe's notation; `help` lists what there is, `quit` ends.\n")?;
    loop {
        match editor.readline("> ") {
            Ok(line) => {
                let _ = editor.add_history_entry(line.as_str());
                if !line.trim().is_empty() && lines.last() != Some(&line) {
                    lines.push(line.clone());
                }
                let before: Vec<String> =
                    session.names().map(|(name, _)| name.to_string()).collect();
                if answer(session, show, &line)?.is_none() {
                    break;
                }
                if let Some(helper) = editor.helper_mut() {
                    helper
                        .known
                        .extend(before.into_iter().filter(|name| name.len() > 2));
                    helper.known.sort();
                    helper.known.dedup();
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed(error)),
        }
    }
    if let Some(file) = file {
        let kept = &lines[lines.len().saturating_sub(KEPT)..];
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = files::write(file, kept.join("\n") + "\n");
    }
    Ok(Verdict::Right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_word_of_the_repl_or_an_expression() {
        assert_eq!(read("  # only a comment"), Line::Nothing);
        assert_eq!(read(":quit"), Line::Quit);
        assert_eq!(read("help divide"), Line::Help("divide"));
        assert_eq!(read("explain a o b # why"), Line::Explain("a o b"));
        assert_eq!(read("explain = (4,2)"), Line::Evaluate("explain = (4,2)"));
        assert_eq!(read("let quit = 4"), Line::Evaluate("let quit = 4"));
    }

    #[test]
    fn completion_begins_where_the_name_does() {
        let line = "Sw<2,3,3> ∘ zipped_d";
        assert_eq!(&line[word_start(line, line.len())..], "zipped_d");
        assert_eq!(word_start("zip", 3), 0);
        assert_eq!(word_start("∘", "∘".len()), "∘".len());
        let names = Names::new();
        assert!(names.known.iter().any(|name| name == "zipped_divide"));
        assert_eq!(config().unwrap().completion_type(), CompletionType::List);
    }
}
