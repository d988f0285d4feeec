//! PyTorch's kernels at a point: their results held against float64, their times in turn with ours.
//!
//! ```text
//!   operands ─► files ─► PyTorch's process ─► some rows of each result ─► error
//!                                          ◄─ a name ─► its seconds, a round at a time
//! ```

use super::super::super::Failure;
use super::super::torch::Torch;
use super::{Beside, Competitor, LEAST};
use host::Timing;
use host::reference::Element;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::{env, fs, process};

/// The files of a point's operands, removed in the end.
struct OperandFiles(Vec<PathBuf>);

impl OperandFiles {
    fn write<T: Element>(operands: &[(&str, &[T])]) -> Result<Self, Failure> {
        let mut files = Self(Vec::new());
        for (name, data) in operands {
            let path = env::temp_dir().join(format!("cutlet-attention-{}-{name}", process::id()));
            files.0.push(path.clone());
            files::write(&path, bytemuck::cast_slice::<T, u8>(data))
                .map_err(|error| Failure::Run(format!("{}: {error}", path.display())))?;
        }
        Ok(files)
    }
}

impl Drop for OperandFiles {
    fn drop(&mut self) {
        for path in &self.0 {
            let _ = fs::remove_file(path);
        }
    }
}

/// One of them: its name, its error or why there is none, and its seconds of each round.
struct OfOne {
    name: String,
    error: Result<f64, String>,
    seconds: Vec<f64>,
}

/// The competitors of a point.
pub struct Competitors<'a> {
    torch: Option<&'a mut Torch>,
    all: Vec<OfOne>,
    _files: Option<OperandFiles>,
}

impl<'a> Competitors<'a> {
    /// Asks PyTorch for the results of a problem. Each of `expected` is what the rows asked for are
    /// of one result, in float64.
    ///
    /// # Errors
    /// A file that cannot be written. What PyTorch says is a competitor's.
    pub fn ask<T: Element>(
        torch: Option<&'a mut Torch>,
        operands: &[(&str, &[T])],
        mut question: Value,
        expected: &[Vec<f64>],
    ) -> Result<Self, Failure> {
        let (mut all, mut files) = (Vec::new(), None);
        let mut torch = torch;
        if let Some(torch) = &mut torch {
            let written = OperandFiles::write(operands)?;
            for ((name, _), path) in operands.iter().zip(&written.0) {
                question[*name] = path.to_string_lossy().into();
            }
            let of = |name, error| OfOne {
                name,
                error,
                seconds: Vec::new(),
            };
            match torch.ask(&question) {
                Ok(Value::Object(answers)) => {
                    let answers = answers.into_iter();
                    all.extend(answers.map(|(name, of_it)| of(name, error_of(&of_it, expected))));
                }
                Ok(_) => {}
                Err(why) => all.push(of("PyTorch".into(), Err(why))),
            }
            files = Some(written);
        }
        Ok(Self {
            torch,
            all,
            _files: files,
        })
    }

    /// A round of each.
    pub fn time(&mut self, runs: Timing) {
        let Some(torch) = &mut self.torch else {
            return;
        };
        for of in self.all.iter_mut().filter(|of| of.error.is_ok()) {
            match torch.ask(&json!({"time": of.name, "runs": runs.runs, "least": LEAST})) {
                Ok(answer) => match answer["seconds"].as_f64() {
                    Some(seconds) => of.seconds.push(seconds),
                    None => of.error = Err("PyTorch's answer has no time".into()),
                },
                Err(why) => of.error = Err(why),
            }
        }
    }

    /// One more, that was timed elsewhere.
    pub fn push(&mut self, name: &str, error: f64, seconds: Vec<f64>) {
        self.all.push(OfOne {
            name: name.into(),
            error: Ok(error),
            seconds,
        });
    }

    /// Each beside ours, which take `ours` seconds; errors up to `allowed` are right.
    pub fn beside(self, ours: f64, allowed: f64) -> Vec<Competitor> {
        let beside = |of: OfOne| Competitor {
            name: of.name,
            found: of.error.map(|error| {
                let seconds = median(of.seconds);
                Beside {
                    seconds,
                    ratio: seconds / ours,
                    relative_frobenius: error,
                    right: error <= allowed,
                }
            }),
        };
        self.all.into_iter().map(beside).collect()
    }
}

/// The largest relative distance of a competitor's results.
fn error_of(answer: &Value, expected: &[Vec<f64>]) -> Result<f64, String> {
    if let Some(error) = answer["error"].as_str() {
        return Err(error.to_owned());
    }
    let rows = answer["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let count: usize = expected.iter().map(Vec::len).sum();
    if rows.len() != count {
        return Err(format!("{} numbers came, of {count}", rows.len()));
    }
    let square = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| x * x).sum::<f64>();
    let mut found = rows.iter().map(|of| of.as_f64().unwrap_or(f64::NAN));
    let distances = expected.iter().map(|expected| {
        let distance = square(
            &mut (found.by_ref().take(expected.len()))
                .zip(expected)
                .map(|(found, expected)| found - expected),
        );
        (distance / square(&mut expected.iter().copied())).sqrt()
    });
    // A NaN is the largest, without its sign.
    Ok(distances
        .map(f64::abs)
        .max_by(f64::total_cmp)
        .unwrap_or(f64::NAN))
}

/// The median, or NaN of none.
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::{error_of, median};
    use serde_json::json;

    #[test]
    fn a_competitor_s_rows_are_compared() {
        let of = |answer| error_of(&answer, &[vec![3.0, 4.0]]);
        assert_eq!(of(json!({"rows": [3.0, 4.0]})), Ok(0.0));
        assert_eq!(of(json!({"rows": [3.0, 4.5]})), Ok(0.1));
        assert_eq!(
            of(json!({"rows": [3.0]})),
            Err("1 numbers came, of 2".into())
        );
        assert_eq!(of(json!({"error": "no kernel"})), Err("no kernel".into()));
        // A NaN, which JSON does not have, is no small distance.
        assert!(of(json!({"rows": [3.0, null]})).unwrap().is_nan());
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn the_worst_of_several_results_counts() {
        let of = |answer| error_of(&answer, &[vec![3.0, 4.0], vec![1.0]]);
        assert_eq!(of(json!({"rows": [3.0, 4.0, 1.5]})), Ok(0.5));
        assert_eq!(of(json!({"rows": [3.0, 4.5, 1.0]})), Ok(0.1));
        assert!(of(json!({"rows": [null, 4.0, 1.5]})).unwrap().is_nan());
        assert!(of(json!({"rows": [3.0, 4.0, null]})).unwrap().is_nan());
    }
}
