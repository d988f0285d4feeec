//! Compares the results of other libraries' kernels at a point with float64, and times these
//! kernels in rounds that alternate with ours.
//!
//! ```text
//!   operands ─► files ─► each library's process ─► some rows of each result ─► error
//!                                               ◄─ a name ─► its seconds, a round at a time
//! ```

use super::super::super::Failure;
use super::super::competitor::{self, OperandFiles, Started};
use super::{Beside, Competitor, LEAST};
use host::Timing;
use host::reference::Element;
use serde_json::Value;

/// One result of a library: its name, its error (or the reason why it has none), and the seconds of
/// each round.
struct OfOne {
    name: String,
    /// The index of the result's process in `started`, or `None` for a result of `push`.
    process: Option<usize>,
    error: Result<f64, String>,
    seconds: Vec<f64>,
}

/// The competitors of a point.
pub struct Competitors<'a> {
    started: &'a mut [Started],
    all: Vec<OfOne>,
    _files: Option<OperandFiles>,
}

impl<'a> Competitors<'a> {
    /// Asks the started libraries for the results of a problem. Each of `expected` has the compared
    /// rows of one result, in float64.
    ///
    /// # Errors
    /// A file cannot be written. An error of a library is stored with its competitor.
    pub fn ask<T: Element>(
        started: &'a mut [Started],
        operands: &[(&str, &[T])],
        mut question: Value,
        expected: &[Vec<f64>],
    ) -> Result<Self, Failure> {
        let (mut all, mut files) = (Vec::new(), None);
        if started.iter().any(|of| of.process.is_ok()) {
            let bytes = operands
                .iter()
                .map(|(name, of)| (*name, bytemuck::cast_slice(of)));
            let written = OperandFiles::write(&bytes.collect::<Vec<_>>()).map_err(Failure::Run)?;
            written.name_in(&mut question);
            files = Some(written);
        }
        for (place, of) in started.iter_mut().enumerate() {
            let one = |name: &str, error| OfOne {
                name: name.into(),
                process: Some(place),
                error,
                seconds: Vec::new(),
            };
            let Ok(process) = &mut of.process else {
                continue;
            };
            match process.ask(&question) {
                Ok(Value::Object(answers)) if !answers.is_empty() => all.extend(
                    answers
                        .iter()
                        .map(|(name, answer)| one(name, error_of(answer, expected))),
                ),
                Ok(other) => {
                    let why = format!("its process answered {other}, and no results");
                    all.push(one(of.of.name, Err(why)));
                }
                Err(why) => all.push(one(of.of.name, Err(why))),
            }
        }
        Ok(Self {
            started,
            all,
            _files: files,
        })
    }

    /// Times a round of each competitor that has no error.
    pub fn time(&mut self, runs: Timing) {
        for of in self.all.iter_mut().filter(|of| of.error.is_ok()) {
            let process = of.process.and_then(|at| self.started.get_mut(at));
            let Some(Ok(process)) = process.map(|of| &mut of.process) else {
                continue;
            };
            match competitor::time(process, &of.name, runs, LEAST) {
                Ok(seconds) => of.seconds.push(seconds),
                Err(why) => of.error = Err(why),
            }
        }
    }

    /// Adds a result that the caller has timed.
    pub fn push(&mut self, name: &str, error: f64, seconds: Vec<f64>) {
        self.all.push(OfOne {
            name: name.into(),
            process: None,
            error: Ok(error),
            seconds,
        });
    }

    /// Compares each competitor with our time of `ours` seconds. A result is right if its error is
    /// at most `allowed`.
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

/// Returns the largest relative distance of a competitor's results from the expected ones.
fn error_of(answer: &Value, expected: &[Vec<f64>]) -> Result<f64, String> {
    let count: usize = expected.iter().map(Vec::len).sum();
    let rows = competitor::rows(answer, count)?;
    let square = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|x| x * x).sum::<f64>();
    let mut found = rows.into_iter();
    let distances = expected.iter().map(|expected| {
        let distance = square(
            &mut (found.by_ref().take(expected.len()))
                .zip(expected)
                .map(|(found, expected)| found - expected),
        );
        (distance / square(&mut expected.iter().copied())).sqrt()
    });
    // A NaN counts as the largest, whatever its sign.
    Ok(distances
        .map(f64::abs)
        .max_by(f64::total_cmp)
        .unwrap_or(f64::NAN))
}

/// Returns the median, or NaN if there are no times.
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
        // A NaN, which JSON does not have, does not count as a small distance.
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

    /// Compares rows of random heads from a competitor's process with the same rows in float64.
    #[cfg(unix)]
    #[test]
    fn a_library_s_attention_is_held_to_the_definition() {
        use super::super::super::competitor::testing::FAKE_PYTHON;
        use super::super::super::competitor::{FA4, PYTORCH, Started};
        use super::Competitors;
        use cutlet::attention::{AttentionMask, AttentionProblem, AttentionType};
        use half::f16;
        use host::Timing;
        use host::reference::{attention_row, fill};

        let (batches, heads, rows, dim) = (2, 3, 5, 4);
        let count = batches * heads * rows * dim;
        for (seed, mask) in [(1, AttentionMask::Full), (2, AttentionMask::Causal)] {
            let [q, k, v] = [0, 1, 2].map(|of| fill::<f16>(3 * seed + of, count));
            let extents = [batches, heads, rows, dim].map(|of| of as u32);
            let extents = (extents[0], extents[1], extents[2], extents[3]);
            let problem = AttentionProblem::new(AttentionType::F16, extents, mask, 0.5);
            let compared = [0, 7, 12, batches * heads * rows - 1];
            let expected = compared.map(|row| {
                let head = row / rows * rows * dim;
                let head = head..head + rows * dim;
                let q = &q[row * dim..][..dim];
                attention_row(&problem, row % rows, q, &k[head.clone()], &v[head]).0
            });
            let question = json!({
                "batches": batches, "heads": heads, "rows": rows, "dim": dim, "dtype": "f16",
                "causal": mask == AttentionMask::Causal, "scale": 0.5, "compared": compared,
            });
            let operands = [("q", &q[..]), ("k", &k), ("v", &v)];
            let mut started = Started::all(FAKE_PYTHON, &[&PYTORCH, &FA4]);
            let found = |started: &mut [Started], expected: Vec<f64>| {
                let expected = [expected];
                let all = Competitors::ask(started, &operands, question.clone(), &expected);
                let mut all = all.ok().unwrap();
                all.time(Timing { warmup: 0, runs: 2 });
                all.beside(1.0, 1e-9)
            };
            let right = expected.concat();
            let mut planted = right.clone();
            planted[5] += 1e-3;
            for (expected, is_right) in [(right, true), (planted, false)] {
                let found = found(&mut started, expected);
                let names: Vec<&str> = found.iter().map(|of| &of.name[..]).collect();
                assert_eq!(names, ["FlashAttention-2", "cuDNN", "FlashAttention-4"]);
                let cudnn = found[1].found.as_ref().err();
                assert_eq!(cudnn.map(String::as_str), Some("No available kernel."));
                for of in [&found[0], &found[2]] {
                    let found = of.found.as_ref().unwrap();
                    assert_eq!(
                        found.right, is_right,
                        "{}: {}",
                        of.name, found.relative_frobenius
                    );
                    assert!(found.seconds > 0.0 && found.ratio == found.seconds);
                }
            }
        }
    }
}
