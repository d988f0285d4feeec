//! Plans a product with weights of few bits as one launch.
//!
//! ```text
//!   buffers     D, A (the activations X), the codes, the scales, C, the bias, the workspace
//!   steps       the workspace's counters are set to zero, if the plan has some ─► the launch
//! ```
//!
//! Law: the launch's kernel reads weights with the packing that the problem states.

use crate::sequence::{
    BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step, unbound,
};
use crate::{GpuTraits, OpsError};
use kernel_abi::gemm::{MapBuffer, TensorMapPlan};
use kernel_abi::weights::{WeightsArgument, WeightsPlan, WeightsProblem};

/// Plans the launch of D = act(alpha A · Wᵀ + beta C + bias) for GPUs of compute capability 9.0.
/// Cutlet chooses the kernel. The buffers are D, A, the packed codes, the packed scales with their
/// zeros or minima, C, the bias (f32), and the workspace. A buffer that the product does not use
/// has no bytes.
///
/// ```
/// use cutlet_ops::kernel_abi::gemm::InputType;
/// use cutlet_ops::kernel_abi::weights::{PackedLayout, WeightsProblem};
/// use cutlet_ops::{EMULATED_HOPPER, OpsError, weights_gemm};
/// static INT4: PackedLayout = PackedLayout {
///     format: "int4", bits: 4, scales: "bf16", zeros: false, record_bytes: 4, group: Some(128), order: "m16n8k16",
/// };
/// let problem = WeightsProblem::new((3, 40, 256), InputType::Bf16, &INT4);
/// match weights_gemm(&EMULATED_HOPPER, &problem) {
///     Ok(of) => assert_eq!(of.buffers().iter().map(|of| of.bytes).take(3).collect::<Vec<_>>(), [240, 1536, 128 * 256 / 2]),
///     // Built without kernels, or without those of this format.
///     Err(error) => assert!(matches!(error, OpsError::Shipped(_)), "{error}"),
/// }
/// ```
///
/// # Errors
/// Returns [`OpsError::Shipped`] if this build has no kernels, if the GPU has another compute
/// capability, if no kernel reads weights of this layout, or if no launch covers the problem.
pub fn weights_gemm(
    gpu: &GpuTraits<'_>,
    problem: &WeightsProblem,
) -> Result<LaunchSequence, OpsError> {
    sequence(&cutlet_kernels::weights_gemm(gpu, problem)?.plan)
}

fn sequence(plan: &WeightsPlan) -> Result<LaunchSequence, OpsError> {
    let mut of = LaunchSequence::default();
    let list = plan.arguments();
    let workspace = list.place(WeightsArgument::Workspace);
    // The plan states the size of each buffer's elements. The buffers are in the order of the
    // kernel's arguments.
    let places = plan.launch.buffers.map(|spec| {
        let role = match (spec.written, workspace == Some(spec.argument)) {
            (_, true) => BufferRole::Scratch,
            (true, _) => BufferRole::Output,
            (false, _) => BufferRole::Input,
        };
        let element_bytes = spec.element_bytes.unwrap_or(1) as u64;
        (spec, of.buffer(&spec, element_bytes, role))
    });
    let place = |argument| {
        let found = places
            .iter()
            .find(|(spec, _)| list.place(argument) == Some(spec.argument));
        found.ok_or_else(|| unbound(argument))
    };
    let input = plan.product.input;
    let maps = plan.maps.as_ref();
    let map = |argument, of: Option<&TensorMapPlan>| {
        let map = of.ok_or_else(|| unbound(argument))?;
        let (_, place) = place(match map.buffer {
            MapBuffer::A => WeightsArgument::X,
            MapBuffer::Codes => WeightsArgument::Codes,
            MapBuffer::Records => WeightsArgument::Groups,
            MapBuffer::D | MapBuffer::B | MapBuffer::Workspace => return Err(unbound(argument)),
        })?;
        Ok(LaunchValue::Map(MapValue::of_gemm(*place, map, input)))
    };
    let value = |argument| match argument {
        WeightsArgument::Params => Ok(LaunchValue::words(plan.params.to_u64s())),
        WeightsArgument::MapX => map(argument, maps.map(|[x, _, _]| x)),
        WeightsArgument::MapCodes => map(argument, maps.map(|[_, codes, _]| codes)),
        WeightsArgument::MapRecords => map(argument, maps.map(|[_, _, records]| records)),
        buffer => match place(buffer)? {
            (spec, _) if spec.elements == 0 => Ok(LaunchValue::Null),
            (_, place) => Ok(LaunchValue::start(*place)),
        },
    };
    let launch = KernelLaunch::of_list(&plan.launch, list, value)?;
    if plan.zeroed_bytes > 0 {
        let (_, buffer) = place(WeightsArgument::Workspace)?;
        of.steps.push(Step::Clear {
            buffer: *buffer,
            bytes: plan.zeroed_bytes,
        });
    }
    // Every kernel of weights waits for the previous launch before it accesses global memory.
    of.steps.push(Step::Launch(KernelLaunch {
        programmatic: true,
        ..launch
    }));
    Ok(of)
}
