//! Runs dst = srcᵀ on a device, and compares it with the definition bit for bit.

use super::{ExactOutcome, GUARD, RunOptions, RunPhase, memory, poisoned, unpoisoned};
use crate::CutletError;
use bytemuck::Pod;
use gpu_kernels::transpose::{TransposeArgument, launch_spec};
use host::{Contract, Launch, Module, NamedArguments, reference};
use kernel_abi::{LaunchSpec, ProblemError};

pub use gpu_kernels::transpose::Width;

/// A transpose: src is `(rows, cols)`, dst is `(cols, rows)`, and both are row-major. The bits of
/// src are random, and depend on `seed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransposeProblem {
    /// The rows of src.
    pub rows: u32,
    /// The columns of src.
    pub cols: u32,
    /// The width of an element.
    pub width: Width,
    /// The seed of the data.
    pub seed: u64,
}

impl TransposeProblem {
    /// Returns the launch that computes the transpose, under its contract.
    ///
    /// # Errors
    /// Returns [`ProblemError`] if an extent is 0 or too large for a launch.
    pub fn launch(&self) -> Result<Launch, ProblemError> {
        let list = self.width.arguments();
        Ok(Contract::from(&self.spec()?)
            .argument(list, TransposeArgument::Rows, self.rows)
            .argument(list, TransposeArgument::Cols, self.cols)
            .launch())
    }

    fn spec(&self) -> Result<LaunchSpec<2>, ProblemError> {
        launch_spec(self.width, self.rows, self.cols)
    }
}

/// Runs a transpose with the kernels of `module` and compares its result with the definition.
///
/// # Errors
/// Returns the errors of [`gemm`](super::gemm()).
pub fn transpose(
    module: &Module,
    problem: &TransposeProblem,
    options: &RunOptions<'_>,
) -> Result<ExactOutcome, CutletError> {
    match problem.width {
        Width::B16 => typed::<u16>(module, problem, options),
        Width::B32 => typed::<u32>(module, problem, options),
    }
}

fn typed<T: Pod + Send>(
    module: &Module,
    problem: &TransposeProblem,
    options: &RunOptions<'_>,
) -> Result<ExactOutcome, CutletError> {
    let &TransposeProblem { rows, cols, .. } = problem;
    let launch = problem.launch()?;
    let device = module.device();
    let size = u128::from(rows) * u128::from(cols) * size_of::<T>() as u128;
    memory::check(device, 3 * size + GUARD as u128, 2 * size + GUARD as u128)?;

    options.report(RunPhase::Inputs);
    let len = rows as usize * cols as usize;
    let src: Vec<T> = reference::fill_bits(problem.seed, len);
    let d_src = device.upload(&src)?;
    let mut d_dst = poisoned::<T>(device, len)?;
    let kernel = module.kernel(problem.spec()?.kernel)?;
    let arguments = NamedArguments::new(problem.width.arguments())
        .with(TransposeArgument::Dst, &mut d_dst)
        .with(TransposeArgument::Src, &d_src)
        .with(TransposeArgument::Rows, rows)
        .with(TransposeArgument::Cols, cols)
        .bind()?;
    let launched = super::run(&kernel, &launch, arguments, options)?;
    let (found, guard_intact) = unpoisoned(&d_dst, len)?;

    options.report(RunPhase::Reference);
    let expected = reference::transpose(&src, rows as usize, cols as usize)?;
    let bytes = 2 * (len * size_of::<T>()) as u64;
    Ok(ExactOutcome::compare(
        launched,
        &found,
        &expected,
        guard_intact,
        bytes,
    ))
}
