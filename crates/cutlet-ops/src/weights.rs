//! Plans a product with weights of few bits as one launch.
//!
//! ```text
//!   buffers     D, A (the activations X), the codes, the scales, C, the bias
//! ```
//!
//! Law: the launch's kernel reads weights that are packed as the problem says.

use crate::sequence::{BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step};
use crate::{GpuTraits, OpsError};
use kernel_abi::weights::{WeightsPlan, WeightsProblem};

/// The launch of D = act(alpha A · Wᵀ + beta C + bias) by Cutlet's choice of its kernel, for GPUs
/// of compute capability 9.0. Buffers: D, A, the packed codes, the packed scales with their zeros
/// or minima, C, and the bias, f32. C and the bias have no bytes where the product does not use
/// them.
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
/// [`OpsError::Shipped`] if this build has no kernels, if the GPU has another compute capability,
/// if no kernel reads weights of this layout, or if no launch covers the problem.
pub fn weights_gemm(
    gpu: &GpuTraits<'_>,
    problem: &WeightsProblem,
) -> Result<LaunchSequence, OpsError> {
    Ok(sequence(&cutlet_kernels::weights_gemm(gpu, problem)?.plan))
}

fn sequence(plan: &WeightsPlan) -> LaunchSequence {
    let of_input = u64::from(plan.product.input.bytes());
    let of_output = u64::from(plan.product.output.bytes(plan.product.input));
    let mut of = LaunchSequence::default();
    for (buffer, (element_bytes, role)) in plan.launch.buffers.iter().zip([
        (of_output, BufferRole::Output),
        (of_input, BufferRole::Input),
        (1, BufferRole::Input),
        (1, BufferRole::Input),
        (of_output, BufferRole::Input),
        (4, BufferRole::Input),
    ]) {
        of.buffer(buffer, element_bytes, role);
    }
    let buffers = of.buffers.iter().enumerate();
    let mut arguments: Vec<_> = buffers
        .map(|(place, buffer)| match buffer.bytes {
            0 => LaunchValue::Null,
            _ => LaunchValue::start(place),
        })
        .collect();
    arguments.push(LaunchValue::words(plan.params.to_u64s()));
    let maps = plan.maps.iter().flatten();
    arguments.extend(maps.map(|map| LaunchValue::Map(MapValue::of_gemm(map, plan.product.input))));
    // Every kernel of weights waits for the previous launch before it accesses global memory.
    of.steps.push(Step::Launch(KernelLaunch {
        programmatic: true,
        ..KernelLaunch::new(&plan.launch, arguments)
    }));
    of
}
