//! Sends questions to PyTorch or another library in a separate process, line by line.
//!
//! ```text
//!   {"time": "cuDNN", "runs": 20}  ──► python3 -c SCRIPT ──►  {"seconds": 0.0012}
//! ```
//!
//! Law: a question has one answer; this module returns the answer's `error` as its `Err`.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The process of a library.
pub struct Torch {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// The process's description of itself.
    pub about: Value,
}

impl Torch {
    /// Starts `script` with the interpreter `python`.
    ///
    /// # Errors
    /// Returns a sentence if the interpreter, the library or the GPU is missing.
    pub fn start(python: &str, script: &str) -> Result<Self, String> {
        let mut child = Command::new(python)
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{python} cannot be started: {error}"))?;
        let (questions, answers) = (child.stdin.take(), child.stdout.take());
        let answers = answers.ok_or("its output is not to be had")?;
        let mut torch = Self {
            child,
            questions,
            answers: BufReader::new(answers),
            about: Value::Null,
        };
        torch.about = torch.answer()?;
        Ok(torch)
    }

    /// Sends a question, and waits for the answer.
    ///
    /// # Errors
    /// Returns the error in the answer, or an error if there was no answer.
    pub fn ask(&mut self, question: &Value) -> Result<Value, String> {
        let gone = |error| format!("its process takes no question: {error}");
        if let Some(questions) = &mut self.questions {
            writeln!(questions, "{question}").map_err(gone)?;
            questions.flush().map_err(gone)?;
        }
        self.answer()
    }

    fn answer(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line);
        let answer: Value = match read.map(|_| serde_json::from_str(&line)) {
            Ok(Ok(answer)) => answer,
            _ => return Err("its process gave no answer".into()),
        };
        match answer["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer),
        }
    }
}

impl Drop for Torch {
    fn drop(&mut self) {
        // The process ends at the end of its input.
        self.questions = None;
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::Torch;
    use serde_json::json;

    #[test]
    fn what_goes_wrong_is_a_sentence() {
        let said = |python, script| Torch::start(python, script).err().unwrap();
        assert!(said("no-such-python", "").starts_with("no-such-python cannot be started: "));
        // `true` is a program that ends without output.
        assert_eq!(said("true", ""), "its process gave no answer");
    }

    #[test]
    fn questions_are_answered_in_order() {
        let script = "import sys, json\nprint('{\"torch\": \"0\"}', flush=True)\nfor line in sys.stdin:\n    \
                      n = json.loads(line)['n']\n    print(json.dumps({'n': n + 1} if n else {'error': 'none'}), flush=True)\n";
        let Ok(mut torch) = Torch::start("python3", script) else {
            println!("no python3: not asked");
            return;
        };
        assert_eq!(torch.about["torch"], "0");
        assert_eq!(torch.ask(&json!({"n": 4})).unwrap()["n"], 5);
        assert_eq!(torch.ask(&json!({"n": 0})), Err("none".into()));
        assert_eq!(torch.ask(&json!({"n": 6})).unwrap()["n"], 7);
    }
}
