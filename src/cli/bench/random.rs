//! Summarises products at random shapes, for which no table was tuned: quantiles, the geometric
//! mean, and the worst shapes.

use super::super::output;
use super::gemm::ShapeRow;
use super::torch::Torch;
use serde::Serialize;
use serde_json::json;

/// The number of worst shapes that are listed.
const WORST: usize = 10;
/// The quantiles, as parts of the shapes.
const PARTS: [f64; 7] = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0];

/// The summary of a benchmark of random shapes. A ratio is the best competitor's time divided by
/// ours.
#[derive(Serialize)]
pub(super) struct RandomSummary {
    random_seed: u64,
    shapes: usize,
    geometric_mean: Option<f64>,
    /// The geometric mean of the ratios to cuBLAS's own choice.
    geometric_mean_to_cublas: Option<f64>,
    /// The geometric mean of our chosen launch's time divided by that of the fastest of all
    /// launches, if all were timed.
    geometric_mean_over_oracle: Option<f64>,
    /// A part of the shapes, and the ratio below which that part lies.
    quantiles: Vec<(f64, f64)>,
    worst: Vec<WorstRow>,
}

#[derive(Serialize)]
struct WorstRow {
    shape: String,
    ratio: f64,
    chosen: String,
    /// The fastest of all launches, and our time divided by its time.
    oracle: Option<String>,
    #[serde(serialize_with = "output::found_or_error")]
    cublas_kernel: Result<String, String>,
}

/// Returns the geometric mean of some numbers, or `None` if there are none.
fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    let sum: f64 = numbers.iter().map(|number| number.ln()).sum();
    (!numbers.is_empty()).then(|| (sum / numbers.len() as f64).exp())
}

/// Returns the number below which `part` of the ascending numbers lie, or `None` if there are none.
fn quantile(ascending: &[f64], part: f64) -> Option<f64> {
    let last = ascending.len().checked_sub(1)?;
    ascending
        .get((part * last as f64).round() as usize)
        .copied()
}

impl RandomSummary {
    /// Summarises these rows. The names of cuBLAS's kernels come from PyTorch's profiler if PyTorch
    /// is installed.
    pub(super) fn new(rows: &[ShapeRow], random_seed: u64) -> Self {
        let mut by_ratio: Vec<(f64, &ShapeRow)> = rows
            .iter()
            .filter_map(|row| Some((row.best_ratio()?, row)))
            .collect();
        by_ratio.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ratios: Vec<f64> = by_ratio.iter().map(|(ratio, _)| *ratio).collect();
        let to_cublas: Vec<f64> = rows.iter().filter_map(ShapeRow::cublas_ratio).collect();
        let over_oracle: Vec<f64> = rows.iter().filter_map(ShapeRow::over_oracle).collect();
        let mut torch = Torch::start("python3", include_str!("python/kernel_name.py"));
        let worst = by_ratio.iter().take(WORST).map(|(ratio, row)| WorstRow {
            shape: row.shape(),
            ratio: *ratio,
            chosen: row.launch(),
            oracle: row.oracle(),
            cublas_kernel: torch.as_mut().map_err(|why| why.clone()).and_then(|torch| {
                let [m, n, k] = row.extents();
                let question = json!({"m": m, "n": n, "k": k, "dtype": row.problem.dtype()});
                let answer = torch.ask(&question)?;
                Ok(answer["kernel"].as_str().unwrap_or_default().to_owned())
            }),
        });
        Self {
            random_seed,
            shapes: ratios.len(),
            geometric_mean: geometric_mean(&ratios),
            geometric_mean_to_cublas: geometric_mean(&to_cublas),
            geometric_mean_over_oracle: geometric_mean(&over_oracle),
            quantiles: PARTS
                .iter()
                .filter_map(|&part| Some((part, quantile(&ratios, part)?)))
                .collect(),
            worst: worst.collect(),
        }
    }

    /// Returns the lines of a report.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        let mean = |mean: Option<f64>| mean.map_or("-".into(), |mean| format!("{mean:.3}"));
        let mut lines = vec![
            (
                "random",
                format!("{} shapes of seed {}", self.shapes, self.random_seed),
            ),
            (
                "ratio",
                format!(
                    "geometric mean {} to the best, {} to cuBLAS's own choice",
                    mean(self.geometric_mean),
                    mean(self.geometric_mean_to_cublas)
                ),
            ),
        ];
        let quantiles: Vec<String> = self
            .quantiles
            .iter()
            .map(|(part, ratio)| format!("{:.0} % {ratio:.3}", 100.0 * part))
            .collect();
        lines.push(("quantiles", quantiles.join(", ")));
        if let Some(over) = self.geometric_mean_over_oracle {
            let text = format!("the choice takes {over:.3} of the fastest launch's time");
            lines.push(("oracle", text));
        }
        lines.extend(self.worst.iter().map(|row| {
            let oracle = row
                .oracle
                .as_ref()
                .map_or(String::new(), |oracle| format!("; best {oracle}"));
            let cublas = match &row.cublas_kernel {
                Ok(kernel) => format!("; cuBLAS's {kernel}"),
                Err(_) => String::new(),
            };
            let line = format!(
                "{:.3}  {}: {}{oracle}{cublas}",
                row.ratio, row.shape, row.chosen
            );
            ("worst", line)
        }));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_quantiles_are_of_the_numbers() {
        assert_eq!(geometric_mean(&[]), None);
        assert!((geometric_mean(&[0.5, 2.0, 1.0]).unwrap() - 1.0).abs() < 1e-12);
        let numbers: Vec<f64> = (0..=10).map(f64::from).collect();
        assert_eq!(
            [0.0, 0.1, 0.5, 1.0].map(|part| quantile(&numbers, part).unwrap()),
            [0.0, 1.0, 5.0, 10.0]
        );
        assert_eq!(quantile(&[], 0.5), None);
    }
}
