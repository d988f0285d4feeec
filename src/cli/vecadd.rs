//! `cutlet vecadd`: computes c = a + b, and compares it with a reference bit for bit.

use super::output::Verdict;
use super::{Common, Failure, exact};
use clap::Args;
use cutlet::run::{self, VecaddProblem};
use serde::Serialize;

/// Adds two float32 vectors and compares the result bit for bit
#[derive(Args)]
pub struct VecaddArguments {
    /// Elements of each vector
    #[arg(long, default_value_t = 1_000_000, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    n: u32,
    #[command(flatten)]
    common: Common,
}

#[derive(Serialize)]
struct VecaddReport {
    n: u32,
    seed: u64,
}

impl exact::ProblemLine for VecaddReport {
    fn line(&self) -> String {
        let Self { n, seed } = self;
        format!("c = a + b, {n} float32 elements, seed {seed}")
    }
}

/// Runs the command.
pub fn run(arguments: &VecaddArguments) -> Result<Verdict, Failure> {
    let (n, seed) = (arguments.n, arguments.common.seed);
    let problem = VecaddProblem { n, seed };
    problem.launch()?;
    exact::run(
        &arguments.common,
        VecaddReport { n, seed },
        |module, options| run::vecadd(module, &problem, options),
    )
}
