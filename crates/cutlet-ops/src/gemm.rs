//! Plans the launches of a matrix product: the packing of A and B, the product, and the reduction
//! of split-K's slices. Packing and reduction are launched only if the plan has them.
//!
//! ```text
//!   buffers     D, A, B, C, the bias, the workspace (scratch)
//! ```
//!
//! Law: the counters at the workspace's start are cleared on the launch's stream before every
//! launch, so a workspace may have any contents.

use crate::sequence::{
    BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step, unbound,
};
use crate::{GpuTraits, OpsError};
use cutlet_kernels::KernelRequest;
use kernel_abi::KernelArguments;
use kernel_abi::gemm::{
    GemmArgument, GemmProblem, MapBuffer, Packing, Plan, Reduction, TensorMapPlan,
};

/// The places of the buffers in the sequence.
const D: usize = 0;
const A: usize = 1;
const B: usize = 2;
const C: usize = 3;
const BIAS: usize = 4;
const WORKSPACE: usize = 5;

/// Makes the address of a byte of a buffer.
const fn at(buffer: usize, offset: u64) -> LaunchValue {
    LaunchValue::Address { buffer, offset }
}

/// Makes an argument of 4 bytes.
fn word(number: u32) -> LaunchValue {
    LaunchValue::Bytes(number.to_le_bytes().to_vec())
}

/// Makes the launch that copies an operand to rows that a tensor map takes.
fn packing(
    of: &Packing,
    list: KernelArguments<GemmArgument>,
    operand: usize,
) -> Result<KernelLaunch, OpsError> {
    let ([ld, ld_to], [batch_stride, batch_stride_to]) = (of.ld, of.batch_stride);
    let value = |argument| {
        Ok(match argument {
            GemmArgument::To => at(WORKSPACE, of.offset),
            GemmArgument::From => LaunchValue::start(operand),
            GemmArgument::Rows => word(of.rows),
            GemmArgument::Columns => word(of.columns),
            GemmArgument::Ld => LaunchValue::words([ld]),
            GemmArgument::LdTo => LaunchValue::words([ld_to]),
            GemmArgument::BatchStride => LaunchValue::words([batch_stride]),
            GemmArgument::BatchStrideTo => LaunchValue::words([batch_stride_to]),
            other => return Err(unbound(other)),
        })
    };
    KernelLaunch::of_list(&of.launch, list, value)
}

/// Makes the launch that adds the slices of a split-K product.
fn reduction(
    of: &Reduction,
    buffer: impl Fn(GemmArgument) -> Result<LaunchValue, OpsError>,
) -> Result<KernelLaunch, OpsError> {
    let value = |argument| {
        Ok(match argument {
            GemmArgument::Slices => at(WORKSPACE, of.offset),
            GemmArgument::Params => LaunchValue::words(of.params.to_u64s()),
            GemmArgument::Ld => LaunchValue::words([of.ld]),
            other => return buffer(other),
        })
    };
    KernelLaunch::of_list(&of.launch, Reduction::ARGUMENTS, value)
}

/// Plans the launches of a product, whose kernel Cutlet chooses. The buffers are D, A, B, C, the
/// bias (f32) and the workspace. A buffer that the product does not use has no bytes.
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
/// Returns [`OpsError::Shipped`] if no kernel of this build computes the product, and
/// [`OpsError::Problem`] for a product that no launch covers.
pub fn gemm(gpu: &GpuTraits<'_>, problem: &GemmProblem) -> Result<LaunchSequence, OpsError> {
    let choice = cutlet_kernels::gemm(gpu, problem, &KernelRequest::default())?;
    sequence(&choice.plan)
}

fn sequence(plan: &Plan) -> Result<LaunchSequence, OpsError> {
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
    let launches = launches(plan, &of)?;
    if plan.zeroed_bytes > 0 {
        of.steps.push(Step::Clear {
            buffer: WORKSPACE,
            bytes: plan.zeroed_bytes,
        });
    }
    // Hopper's kernels begin before the previous launches have ended, and wait for those launches
    // before they access global memory.
    let programmatic = plan.tensor_maps.is_some();
    of.steps.extend(launches.into_iter().map(|launch| {
        Step::Launch(KernelLaunch {
            programmatic,
            ..launch
        })
    }));
    Ok(of)
}

fn launches(plan: &Plan, of: &LaunchSequence) -> Result<Vec<KernelLaunch>, OpsError> {
    let buffer = |argument| {
        let place = match argument {
            GemmArgument::D => D,
            GemmArgument::A => A,
            GemmArgument::B => B,
            GemmArgument::C => C,
            GemmArgument::Bias => BIAS,
            GemmArgument::Workspace => WORKSPACE,
            other => return Err(unbound(other)),
        };
        Ok(match of.buffers[place].bytes {
            0 => LaunchValue::Null,
            _ => LaunchValue::start(place),
        })
    };
    let input = plan.problem.input;
    let mut launches = Vec::new();
    for (operand, of) in [A, B].into_iter().zip(&plan.packing) {
        if let Some(of) = of {
            launches.push(packing(of, Packing::arguments(input.bytes()), operand)?);
        }
    }
    let maps = plan.tensor_maps.as_ref();
    let map = |argument, of: Option<&TensorMapPlan>| {
        let map = of.ok_or_else(|| unbound(argument))?;
        let place = match map.buffer {
            MapBuffer::D => D,
            MapBuffer::A => A,
            MapBuffer::B => B,
            MapBuffer::Workspace => WORKSPACE,
            MapBuffer::Codes | MapBuffer::Records => return Err(unbound(argument)),
        };
        Ok(LaunchValue::Map(MapValue::of_gemm(place, map, input)))
    };
    let value = |argument| match argument {
        GemmArgument::Params => Ok(LaunchValue::words(plan.params.to_u64s())),
        GemmArgument::MapA => map(argument, maps.map(|[a, _, _]| a)),
        GemmArgument::MapB => map(argument, maps.map(|[_, b, _]| b)),
        GemmArgument::MapD => map(argument, maps.map(|[_, _, d]| d)),
        GemmArgument::Batches => Ok(word(plan.batches())),
        other => buffer(other),
    };
    launches.push(KernelLaunch::of_list(
        &plan.launch,
        plan.arguments(),
        value,
    )?);
    if let Some(of) = &plan.reduction {
        launches.push(reduction(of, buffer)?);
    }
    Ok(launches)
}
