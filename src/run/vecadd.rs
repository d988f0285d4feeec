//! Runs c = a + b on a device, and compares it with the same addition on the processor bit for bit.

use super::{ExactOutcome, GUARD, RunOptions, RunPhase, memory, poisoned, unpoisoned};
use crate::CutletError;
use gpu_kernels::vecadd::{ARGUMENTS, VecaddArgument, launch_spec};
use host::{Contract, Launch, Module, NamedArguments, reference};
use kernel_abi::ProblemError;

/// A sum of two vectors of `n` float32 elements. They are uniform in [-1, 1), and depend on `seed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VecaddProblem {
    /// The number of elements.
    pub n: u32,
    /// The seed of the data.
    pub seed: u64,
}

impl VecaddProblem {
    /// Returns the launch that computes the sum, under its contract.
    ///
    /// # Errors
    /// Returns [`ProblemError`] if an extent is 0 or too large for a launch.
    pub fn launch(&self) -> Result<Launch, ProblemError> {
        Ok(Contract::from(&launch_spec(self.n)?)
            .argument(ARGUMENTS, VecaddArgument::N, self.n)
            .launch())
    }
}

/// Runs a vector sum with the kernels of `module` and compares its result with the processor's.
///
/// # Errors
/// Returns the errors of [`gemm`](super::gemm()).
pub fn vecadd(
    module: &Module,
    problem: &VecaddProblem,
    options: &RunOptions<'_>,
) -> Result<ExactOutcome, CutletError> {
    let n = problem.n;
    let launch = problem.launch()?;
    let device = module.device();
    let size = u128::from(n) * 4;
    memory::check(device, 4 * size + GUARD as u128, 3 * size + GUARD as u128)?;

    options.report(RunPhase::Inputs);
    let len = n as usize;
    let a: Vec<f32> = reference::fill(problem.seed, len);
    let b: Vec<f32> = reference::fill(!problem.seed, len);
    let (d_a, d_b) = (device.upload(&a)?, device.upload(&b)?);
    let mut d_c = poisoned::<f32>(device, len)?;
    let kernel = module.kernel(launch_spec(n)?.kernel)?;
    let arguments = NamedArguments::new(ARGUMENTS)
        .with(VecaddArgument::A, &d_a)
        .with(VecaddArgument::B, &d_b)
        .with(VecaddArgument::C, &mut d_c)
        .with(VecaddArgument::N, n)
        .bind()?;
    let launched = super::run(&kernel, &launch, arguments, options)?;
    let (found, guard_intact) = unpoisoned(&d_c, len)?;

    options.report(RunPhase::Reference);
    let expected = reference::vecadd(&a, &b);
    let bytes = 3 * 4 * u64::from(n);
    Ok(ExactOutcome::compare(
        launched,
        &found,
        &expected,
        guard_intact,
        bytes,
    ))
}
