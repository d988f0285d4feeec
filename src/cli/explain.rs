//! `cutlet gemm --explain-choice`: prints the launch that is chosen for a product, why, and the
//! next best launches.

use super::Failure;
use super::gemm::{ProblemReport, schedule};
use super::output::{self, DeviceReport, Report, Verdict};
use cutlet::gemm::model::Terms;
use cutlet::gemm::{Library, Named};
use cutlet::run::GemmRun;
use serde::Serialize;

/// The number of launches that are listed.
const LISTED: usize = 10;

#[derive(Serialize)]
struct ExplainReport {
    problem: ProblemReport,
    device: DeviceReport,
    kernel: &'static str,
    schedule: String,
    /// The basis of the choice.
    basis: String,
    launches: usize,
    ranking: Vec<RankedRow>,
}

#[derive(Serialize)]
struct RankedRow {
    kernel: &'static str,
    schedule: String,
    microseconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    terms: Option<Terms>,
}

impl RankedRow {
    fn line(&self) -> String {
        let Self {
            kernel,
            schedule,
            microseconds,
            terms,
        } = self;
        let of = terms.map_or(String::new(), |terms| {
            format!(
                "  {:>5} tiles x {:>4} k tiles of {:.3} (multiply) | {:.3} (load) µs, store {:.1} µs: CTA {:.1}, memory {:.1}, besides {:.1} µs",
                terms.tiles, terms.k_tiles, terms.multiply, terms.load, terms.store, terms.cta, terms.memory, terms.besides
            )
        });
        format!("{microseconds:>9.1} µs{of}  {kernel} ({schedule})")
    }
}

impl Report for ExplainReport {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("problem", self.problem.line()),
            ("device", self.device.line()),
            ("kernel", format!("{} ({})", self.kernel, self.schedule)),
            ("because", self.basis.clone()),
            (
                "ranking",
                format!(
                    "the first of {} launches by their estimated times",
                    self.launches
                ),
            ),
        ];
        lines.extend(self.ranking.iter().map(|row| ("", row.line())));
        lines
    }

    fn verdict(&self) -> Verdict {
        Verdict::Right
    }
}

/// Prints the explanation for a product.
pub fn run(library: &Library, run: &GemmRun, json: bool) -> Result<Verdict, Failure> {
    let explanation = library.explain(&run.problem, run.request.schedule)?;
    let choice = &explanation.choice;
    let basis = match (&explanation.point, &explanation.model) {
        (Some(point), _) => format!(
            "it was the fastest of {} launches measured at {}x{}x{}, {:.1} TFLOP/s",
            point.tried, point.m, point.n, point.k, point.tera_operations_per_second
        ),
        (None, Some(model)) => format!(
            "it has the least time by the model of {} {} {}, fitted to {} launches of random shapes with an error of {:.1} %",
            model.input.name(),
            model.accumulator.name(),
            model.majors.name(),
            model.launches,
            100.0 * model.error
        ),
        (None, None) => "it has the least time by an estimate: nothing near was measured".into(),
    };
    let listed = explanation.ranking.iter().take(LISTED);
    let report = ExplainReport {
        problem: ProblemReport::new(run, choice.plan.problem.accumulator),
        device: DeviceReport::new(library.modules().device()),
        kernel: choice.configuration,
        schedule: schedule(choice.schedule),
        basis,
        launches: explanation.ranking.len(),
        ranking: listed
            .map(|ranked| RankedRow {
                kernel: ranked.configuration.name,
                schedule: schedule(ranked.schedule),
                microseconds: ranked.microseconds,
                terms: ranked.terms,
            })
            .collect(),
    };
    output::print(&report, json)
}
