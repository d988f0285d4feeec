//! A matrix product as launches: the packing of A and B where the plan has it, the product, and the
//! reduction of split-K's slices where the plan has it.
//!
//! ```text
//!   buffers     D, A, B, C, the bias, the workspace (scratch)
//! ```
//!
//! Law: the counters at the workspace's start are cleared ahead of every launch, in its stream, so
//! that a workspace may hold anything.

use crate::sequence::{BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step};
use crate::{GpuTraits, OpsError};
use cutlet_kernels::KernelRequest;
use kernel_abi::gemm::{GemmProblem, Packing, Plan, Reduction};

/// The places of the buffers.
const D: usize = 0;
const C: usize = 3;
const BIAS: usize = 4;
const WORKSPACE: usize = 5;

/// The address of a byte of a buffer.
const fn at(buffer: usize, offset: u64) -> LaunchValue {
    LaunchValue::Address { buffer, offset }
}

/// A number of 4 bytes.
fn word(number: u32) -> LaunchValue {
    LaunchValue::Bytes(number.to_le_bytes().to_vec())
}

/// The launch that copies an operand to rows that a tensor map takes.
fn packing(of: &Packing, operand: usize) -> KernelLaunch {
    let arguments = vec![
        at(WORKSPACE, of.offset),
        LaunchValue::start(1 + operand),
        word(of.rows),
        word(of.columns),
        LaunchValue::words([of.ld[0]]),
        LaunchValue::words([of.ld[1]]),
        LaunchValue::words([of.batch_stride[0]]),
        LaunchValue::words([of.batch_stride[1]]),
    ];
    KernelLaunch::new(&of.launch, arguments)
}

/// The launch that adds the slices of a split-K product.
fn reduction(of: &Reduction, optional: impl Fn(usize) -> LaunchValue) -> KernelLaunch {
    let arguments = vec![
        LaunchValue::start(D),
        at(WORKSPACE, of.offset),
        optional(C),
        optional(BIAS),
        LaunchValue::words(of.params.to_u64s()),
        LaunchValue::words([of.ld]),
    ];
    KernelLaunch::new(&of.launch, arguments)
}

/// The launches of a product by Cutlet's choice of its kernel. Buffers: D, A, B, C, the bias, f32,
/// and the workspace. A buffer that the product does not use has no bytes.
///
/// ```
/// use cutlet_ops::{EMULATED_GPU, gemm};
/// use cutlet_ops::kernel_abi::gemm::{GemmProblem, InputType, OutputType};
/// if let Ok(of) = gemm(&EMULATED_GPU, &GemmProblem::new(8, 16, 32, InputType::F16, OutputType::Same)) {
///     assert_eq!((of.buffers()[1].name, of.buffers()[1].bytes), ("A", 2 * 8 * 32));
/// }
/// ```
///
/// # Errors
/// [`OpsError::Shipped`] where no kernel here computes the product, [`OpsError::Problem`] for a
/// product that no launch covers.
pub fn gemm(gpu: &GpuTraits<'_>, problem: &GemmProblem) -> Result<LaunchSequence, OpsError> {
    let choice = cutlet_kernels::gemm(gpu, problem, &KernelRequest::default())?;
    Ok(sequence(&choice.plan))
}

fn sequence(plan: &Plan) -> LaunchSequence {
    let problem = &plan.problem;
    let of_input = u64::from(problem.input.bytes());
    let of_output = u64::from(problem.output.bytes(problem.input));
    let [d, a, b, c, bias, workspace] = &plan.launch.buffers;
    let mut of = LaunchSequence::default();
    of.buffer(d, of_output, BufferRole::Output);
    of.buffer(a, of_input, BufferRole::Input);
    of.buffer(b, of_input, BufferRole::Input);
    of.buffer(c, of_output, BufferRole::Input);
    of.buffer(bias, 4, BufferRole::Input);
    of.buffer(workspace, 1, BufferRole::Scratch);
    let launches = launches(plan, &of);
    if plan.zeroed_bytes > 0 {
        of.steps.push(Step::Clear {
            buffer: WORKSPACE,
            bytes: plan.zeroed_bytes,
        });
    }
    // Hopper's kernels wait for the launches ahead before they access global memory, and begin
    // before those have ended.
    let programmatic = plan.tensor_maps.is_some();
    of.steps.extend(launches.into_iter().map(|launch| {
        Step::Launch(KernelLaunch {
            programmatic,
            ..launch
        })
    }));
    of
}

fn launches(plan: &Plan, of: &LaunchSequence) -> Vec<KernelLaunch> {
    let optional = |buffer: usize| match of.buffers[buffer].bytes {
        0 => LaunchValue::Null,
        _ => LaunchValue::start(buffer),
    };
    let mut launches: Vec<_> = (0..)
        .zip(&plan.packing)
        .filter_map(|(operand, of)| Some(packing(of.as_ref()?, operand)))
        .collect();
    let mut arguments: Vec<_> = (0..of.buffers.len()).map(optional).collect();
    arguments.push(LaunchValue::words(plan.params.to_u64s()));
    if let Some(maps) = &plan.tensor_maps {
        let maps = maps
            .iter()
            .map(|map| MapValue::of_gemm(map, plan.problem.input));
        arguments.extend(maps.map(LaunchValue::Map));
        arguments.push(word(match plan.problem.groups {
            0 => plan.problem.batches,
            groups => groups,
        }));
    }
    launches.push(KernelLaunch::new(&plan.launch, arguments));
    launches.extend(plan.reduction.as_ref().map(|of| reduction(of, optional)));
    launches
}
