//! `cutlet transpose`: computes dst = srcᵀ, and compares it with a reference bit for bit.

use super::output::Verdict;
use super::{Common, Failure, exact};
use clap::{Args, ValueEnum};
use cutlet::run::{self, TransposeProblem, Width};
use serde::Serialize;

/// Transposes a row-major matrix and compares the result bit for bit
#[derive(Args)]
pub struct TransposeArguments {
    /// Rows of the source
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    rows: u32,
    /// Columns of the source
    #[arg(long, default_value_t = 512, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    cols: u32,
    /// Bits of an element
    #[arg(long, value_enum, default_value_t = ElementBits::B32)]
    bits: ElementBits,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ElementBits {
    #[value(name = "16")]
    B16,
    #[value(name = "32")]
    B32,
}

#[derive(Serialize)]
struct TransposeReport {
    rows: u32,
    cols: u32,
    bits: u32,
    seed: u64,
}

impl exact::ProblemLine for TransposeReport {
    fn line(&self) -> String {
        let Self {
            rows,
            cols,
            bits,
            seed,
        } = self;
        format!("dst = srcᵀ, src {rows}×{cols} of {bits}-bit elements, seed {seed}")
    }
}

/// Runs the command.
pub fn run(arguments: &TransposeArguments) -> Result<Verdict, Failure> {
    let &TransposeArguments { rows, cols, .. } = arguments;
    let (width, bits) = match arguments.bits {
        ElementBits::B16 => (Width::B16, 16),
        ElementBits::B32 => (Width::B32, 32),
    };
    let seed = arguments.common.seed;
    let problem = TransposeProblem {
        rows,
        cols,
        width,
        seed,
    };
    problem.launch()?;
    let shown = TransposeReport {
        rows,
        cols,
        bits,
        seed,
    };
    exact::run(&arguments.common, shown, |module, options| {
        run::transpose(module, &problem, options)
    })
}
