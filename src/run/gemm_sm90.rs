//! A matrix product by the Hopper kernel: operands through tensor maps, the result against the float64 reference.
//!
//! ```text
//!   A (m,k), B (n,k) ─► TensorMapSpec::tile::<SmemA>, <SmemB> ─► maps ─► kernel ─► D (m,n) ─► compared
//! ```

use super::gemm::{Compared, GemmOutcome, GemmRun};
use super::reference::{Expected, GemmData, verdict_is_possible};
use super::setup::{Gaps, fits, rows_to_compare};
use super::{RunOptions, RunPhase, poisoned};
use crate::Error;
use crate::gemm::{AccumulatorType, GemmProblem, InputType, Majors, OutputType, Schedule};
use gpu_kernels_sm90::gemm::{KERNEL, SmemA, SmemB, launch_spec};
use half::f16;
use host::{Contract, Module, TensorMapSpec};
use kernel_abi::ProblemError;

/// The property in which a product is not the kernel's, if there is one.
fn mismatch(run: &GemmRun) -> Option<&'static str> {
    let GemmProblem {
        input,
        output,
        majors,
        accumulator,
        k,
        ..
    } = run.problem;
    if input != InputType::F16 || output != OutputType::Same {
        Some("the type of A, B or D")
    } else if accumulator != AccumulatorType::F32 {
        Some("the accumulator type")
    } else if majors != Majors::Tn {
        Some("the order of A and B")
    } else if !run.is_plain() {
        Some("the epilogue, the batches or a leading dimension")
    } else if !k.is_multiple_of(8) {
        Some("k, there a multiple of 8,")
    } else {
        None
    }
}

/// Runs a product with the kernel of [`sm90a`](crate::kernels::sm90a)'s module and compares its result with the float64 reference.
///
/// ```
/// use cutlet::gemm::{GemmProblem, InputType, OutputType};
/// use cutlet::run::{GemmRun, RunOptions, gemm_sm90};
/// let problem = GemmProblem::new(70, 130, 72, InputType::F16, OutputType::Same);
/// let module = host::Device::emulator().load(cutlet::kernels::sm90a()?)?;
/// let outcome = gemm_sm90(&module, &GemmRun::new(problem), &RunOptions::default())?;
/// assert!(outcome.right());
/// # Ok::<(), cutlet::Error>(())
/// ```
///
/// # Errors
/// [`Error::Problem`] for a product that the kernel does not compute, [`Error::Host`] for another module, and as
/// [`gemm`](super::gemm()).
pub fn gemm_sm90(
    module: &Module,
    run: &GemmRun,
    options: &RunOptions<'_>,
) -> Result<GemmOutcome, Error> {
    if let Some(what) = mismatch(run) {
        let kernel = KERNEL;
        return Err(ProblemError::Mismatch { kernel, what }.into());
    }
    let device = module.device();
    let problem = run.problem;
    let GemmProblem { m, n, k, .. } = problem;
    let spec = launch_spec([m, n, k], device.limits().multiprocessors)?;
    verdict_is_possible(&problem, AccumulatorType::F32)?;
    let kernel = module.kernel(spec.kernel)?;
    let rows = rows_to_compare(run, options.compare);
    fits::<f16, f16>(device, &problem, rows.len())?;

    options.report(RunPhase::Inputs);
    let data = GemmData::<f16, f16>::new(&problem, run.seed);
    let gaps = Gaps::new(&problem);
    let a = device.upload(&data.a_in_memory(&problem))?;
    let b = device.upload(&data.b_in_memory(&problem))?;
    let mut d = poisoned::<f16>(device, m as usize * n as usize)?;
    let [rows_a, rows_b, depth] = [m, n, k].map(u64::from);
    let tile_a = TensorMapSpec::tile::<SmemA, f16>(&[rows_a, depth], &[depth, 1]);
    let tile_b = TensorMapSpec::tile::<SmemB, f16>(&[rows_b, depth], &[depth, 1]);
    let map_a = a.tensor_map(&tile_a.map_err(host::Error::from)?)?;
    let map_b = b.tensor_map(&tile_b.map_err(host::Error::from)?)?;
    let launch = Contract::from(&spec)
        .scalar(3, "m", m)
        .scalar(4, "n", n)
        .scalar(5, "k", k)
        .launch();
    let launched = super::run(&kernel, &launch, (&map_a, &map_b, &mut d, m, n, k), options)?;
    let found = d.to_vec()?;

    options.report(RunPhase::Reference);
    let expected = Expected::new(&problem, &data, &rows, AccumulatorType::F32)?;
    let (difference, tolerance) = expected.compare(&gaps.rows(&found, &rows))?;
    Ok(GemmOutcome {
        schedule: Schedule::Persistent(launch.grid.0[0]),
        launched,
        accumulator: AccumulatorType::F32,
        difference,
        tolerance,
        compared: if rows.len() < m as usize {
            Compared::Rows(rows.len())
        } else {
            Compared::Full
        },
        guard_intact: gaps.intact(&found),
    })
}
