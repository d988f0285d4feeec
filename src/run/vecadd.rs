//! c = a + b on a device, against the same addition on the processor, bit for bit.

use super::{ExactOutcome, GUARD, RunOptions, RunPhase, memory, poisoned, unpoisoned};
use crate::CutletError;
use gpu_kernels::vecadd::launch_spec;
use host::{Contract, Launch, Module, reference};
use kernel_abi::ProblemError;

/// A sum of two vectors of `n` float32 elements, uniform in [-1, 1) by `seed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VecaddProblem {
    /// Elements.
    pub n: u32,
    /// What the data is made from.
    pub seed: u64,
}

impl VecaddProblem {
    /// The launch that computes it, under its contract.
    ///
    /// # Errors
    /// [`ProblemError`] for an extent of 0 or beyond what a launch covers.
    pub fn launch(&self) -> Result<Launch, ProblemError> {
        Ok(Contract::from(&launch_spec(self.n)?)
            .scalar(3, "n", self.n)
            .launch())
    }
}

/// Runs a vector sum with the kernels of `module` and compares its result with the processor's.
///
/// # Errors
/// As [`gemm`](super::gemm()).
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
    let launched = super::run(&kernel, &launch, (&d_a, &d_b, &mut d_c, n), options)?;
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
