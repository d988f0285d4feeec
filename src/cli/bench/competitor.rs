//! Python libraries to compare with: the name of each, its package, and the Python code that reads
//! its version, computes a problem and times it.
//!
//! ```text
//!   --vs fa4 ─► PythonCompetitor { name, install, snippet } ─► python3: harness.py + snippet     asked line by line (torch.rs)
//!      operands ─► files ─► some rows of its results ─► against float64, as ours;  a name ─► seconds of a round
//! ```
//!
//! Law: a competitor computes from the bytes that our kernel reads, `bench` compares its results
//! with the same reference, and its rounds alternate with ours. If a competitor is missing, the
//! report says in a sentence how to install it.

use super::torch::Torch;
use host::Timing;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process};

/// A Python library.
pub struct PythonCompetitor {
    /// The library's name in tables and messages.
    pub name: &'static str,
    /// The way to install the library: the end of the message that it is missing. `{python}` is the
    /// interpreter.
    install: &'static str,
    /// Python code that is appended to the harness. It defines `load` and `prepare`.
    snippet: &'static [&'static str],
}

const ATTENTION: &str = include_str!("python/attention.py");
const GEMM: &str = include_str!("python/gemm.py");
const QUACK: &str = include_str!("python/quack.py");

/// cuDNN and FlashAttention-2, by PyTorch's `scaled_dot_product_attention`.
pub const PYTORCH: PythonCompetitor = PythonCompetitor {
    name: "PyTorch",
    install: "`{python} -m pip install torch` has it",
    snippet: &[ATTENTION, include_str!("python/sdpa.py")],
};

/// FlashAttention-4: attention in CuTe's Python DSL.
pub const FA4: PythonCompetitor = PythonCompetitor {
    name: "FlashAttention-4",
    install: "`{python} -m pip install --pre flash-attn-4` has it",
    snippet: &[ATTENTION, include_str!("python/fa4.py")],
};

/// quack's product by its default configuration.
pub const QUACK_UNTUNED: PythonCompetitor = PythonCompetitor {
    name: "quack",
    install: "`{python} -m pip install quack-kernels` has it",
    snippet: &["NAME, TUNED = \"quack\", False\n", GEMM, QUACK],
};

/// quack's product by its fastest configuration; quack times all of them at first use.
pub const QUACK_TUNED: PythonCompetitor = PythonCompetitor {
    name: "quack, tuned",
    install: "`{python} -m pip install quack-kernels` has it",
    snippet: &["NAME, TUNED = \"quack, tuned\", True\n", GEMM, QUACK],
};

/// quack's product with int4 weights in groups.
pub const QUACK_WEIGHTS: PythonCompetitor = PythonCompetitor {
    name: "quack",
    install: "`{python} -m pip install quack-kernels` has it",
    snippet: &[include_str!("python/quack_weights.py")],
};

/// DeepGEMM: products of bf16, and of e4m3 with a scale for each block.
pub const DEEP_GEMM: PythonCompetitor = PythonCompetitor {
    name: "DeepGEMM",
    install: "the deep-gemm that `{python} -m pip install` finds lacks its headers: install it from its repository, deepseek-ai/DeepGEMM",
    snippet: &[GEMM, include_str!("python/deepgemm.py")],
};

impl PythonCompetitor {
    /// Starts the library's process with the interpreter `python`.
    ///
    /// # Errors
    /// Returns a sentence if the interpreter, the package or the GPU is missing.
    pub fn start(&self, python: &str) -> Result<Torch, String> {
        let mut script = String::from(include_str!("python/harness.py"));
        for text in self.snippet {
            script += "\n";
            script += text;
        }
        script += "\nserve(load, prepare)\n";
        Torch::start(python, &script).map_err(|why| {
            let install = self.install.replace("{python}", python);
            format!("no {}: {why}; {install}", self.name)
        })
    }
}

/// A competitor with its process, or the reason why it did not start.
pub struct Started {
    /// The library.
    pub of: &'static PythonCompetitor,
    /// The library's process, or the reason why it did not start.
    pub process: Result<Torch, String>,
}

impl Started {
    /// Starts each library with the interpreter `python`.
    pub fn all(python: &str, of: &[&'static PythonCompetitor]) -> Vec<Self> {
        let start = |&of: &&'static PythonCompetitor| Self {
            of,
            process: of.start(python),
        };
        of.iter().map(start).collect()
    }

    /// Returns the library's name and version, or why it is missing.
    pub fn line(&self) -> String {
        match &self.process {
            Ok(process) => {
                let version = process.about["version"].as_str().unwrap_or_default();
                format!("{} {version}", self.of.name)
            }
            Err(why) => why.clone(),
        }
    }
}

/// Times a round of the result that has this name in the process's last answer, and returns the
/// seconds.
///
/// # Errors
/// Returns the error in the answer, or an error if the answer has no time.
pub fn time(process: &mut Torch, name: &str, timing: Timing, least: f64) -> Result<f64, String> {
    let question = json!({"time": name, "runs": timing.runs, "least": least});
    let answer = process.ask(&question)?;
    let seconds = answer["seconds"].as_f64();
    seconds.ok_or_else(|| "its answer has no time".into())
}

/// Returns the numbers of the rows in the answer for one name.
///
/// # Errors
/// Returns the error in the answer, or an error if the answer does not have `count` numbers.
pub fn rows(answer: &Value, count: usize) -> Result<Vec<f64>, String> {
    if let Some(error) = answer["error"].as_str() {
        return Err(error.to_owned());
    }
    let rows = answer["rows"].as_array().map_or(&[][..], Vec::as_slice);
    if rows.len() != count {
        return Err(format!("{} numbers came, of {count}", rows.len()));
    }
    // The harness writes NaN and infinity as null, because JSON has neither: both become NaN.
    let numbers = rows.iter().map(|of| of.as_f64().unwrap_or(f64::NAN));
    Ok(numbers.collect())
}

/// Files of operands. They are removed when the value is dropped.
pub struct OperandFiles(Vec<(String, PathBuf)>);

impl OperandFiles {
    /// Writes each operand's bytes.
    ///
    /// # Errors
    /// Returns the path of a file that cannot be written, and the reason.
    pub fn write(operands: &[(&str, &[u8])]) -> Result<Self, String> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let mut files = Self(Vec::new());
        for (name, bytes) in operands {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let file = format!("cutlet-bench-{}-{number}-{name}", process::id());
            let path = env::temp_dir().join(file);
            files.0.push((String::from(*name), path.clone()));
            files::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(files)
    }

    /// Adds the files' paths to a question under the operands' names.
    pub fn name_in(&self, question: &mut Value) {
        for (name, path) in &self.0 {
            question[name] = path.to_string_lossy().into();
        }
    }
}

impl Drop for OperandFiles {
    fn drop(&mut self) {
        for (_, path) in &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(all(test, unix))]
pub mod testing {
    //! Competitors without a GPU and without their packages: modules in plain Python with the same
    //! names and functions.

    /// An interpreter that finds these modules in place of the real ones.
    pub const FAKE_PYTHON: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/python/python");
}

#[cfg(all(test, unix))]
mod tests {
    use super::testing::FAKE_PYTHON;
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_its_package() {
        let nobody = PythonCompetitor {
            name: "Nobody",
            install: "`{python} -m pip install nobody` has it",
            snippet: &["def load():\n    import no_such_module\n\ndef prepare(asked): pass\n"],
        };
        let why = nobody.start(FAKE_PYTHON).err().unwrap();
        assert_eq!(
            why,
            format!(
                "no Nobody: No module named 'no_such_module'; `{FAKE_PYTHON} -m pip install nobody` has it"
            )
        );
        let why = FA4.start("no-such-python").err().unwrap();
        assert!(why.starts_with("no FlashAttention-4: no-such-python cannot be started: "));
        assert!(why.ends_with("; `no-such-python -m pip install --pre flash-attn-4` has it"));
    }

    #[test]
    fn versions_are_said_and_times_taken() {
        let all = [&PYTORCH, &FA4, &QUACK_UNTUNED, &QUACK_TUNED, &DEEP_GEMM];
        let mut started = Started::all(FAKE_PYTHON, &all);
        let lines: Vec<String> = started.iter().map(Started::line).collect();
        assert_eq!(
            lines,
            [
                "PyTorch 0.fake, cuDNN 1",
                "FlashAttention-4 of unknown version",
                "quack of unknown version",
                "quack, tuned of unknown version",
                "DeepGEMM 0.fake",
            ]
        );
        let timing = Timing { warmup: 0, runs: 3 };
        for of in &mut started {
            let process = of.process.as_mut().unwrap();
            // The process times only a result that it has computed.
            assert!(time(process, of.of.name, timing, 1e-4).is_err());
        }
    }

    #[test]
    fn rows_are_as_many_as_were_asked_for() {
        assert_eq!(rows(&json!({"rows": [3.0, 4.0]}), 2), Ok(vec![3.0, 4.0]));
        assert_eq!(
            rows(&json!({"rows": [3.0]}), 2),
            Err("1 numbers came, of 2".into())
        );
        assert_eq!(
            rows(&json!({"error": "no kernel"}), 2),
            Err("no kernel".into())
        );
        assert!(rows(&json!({"rows": [null]}), 1).unwrap()[0].is_nan());
    }

    #[test]
    fn files_of_operands_are_removed() {
        let mut question = json!({});
        let files = OperandFiles::write(&[("a", &[1, 2]), ("b", &[])]).unwrap();
        files.name_in(&mut question);
        let path = PathBuf::from(question["a"].as_str().unwrap());
        assert_eq!(fs::read(&path).unwrap(), [1, 2]);
        assert_ne!(question["a"], question["b"]);
        drop(files);
        assert!(!path.exists());
    }
}
