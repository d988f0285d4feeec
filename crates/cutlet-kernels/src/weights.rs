//! Chooses the kernel of a product with weights of few bits.
//!
//! Law: the chosen kernel is in the pack, runs on the GPU, and reads weights with the packing of
//! the problem.

use crate::{GpuTraits, ShippedError, kernels};
use kernel_abi::weights::WeightsProblem;
use kernel_choice::weights::{WeightsChoice, choose, resources};

/// Chooses the kernel and the launch of a product with packed weights. `plan` holds grid, cluster,
/// shared memory and parameters, and for a kernel of many rows also tensor maps.
///
/// ```
/// use cutlet_kernels::{GpuTraits, ShippedError, kernels, weights_gemm};
/// use kernel_abi::weights::WeightsProblem;
/// let gpu = GpuTraits { name: "NVIDIA H200", compute_capability: (9, 0), multiprocessors: 132, shared_bytes: 227 << 10 };
/// // An error where the package was built without kernels.
/// if let Ok(pack) = kernels() {
///     for row in &pack.tables().weights {
///         let problem = WeightsProblem::new((1, 4096, 4096), row.input, row.packed);
///         assert_eq!(weights_gemm(&gpu, &problem)?.configuration.packed, row.packed);
///         let ada = GpuTraits { compute_capability: (8, 9), ..gpu };
///         assert_eq!(weights_gemm(&ada, &problem), Err(ShippedError::WeightsGpu((8, 9))));
///     }
/// }
/// # Ok::<(), ShippedError>(())
/// ```
///
/// # Errors
/// Returns [`ShippedError::Empty`] if the package has no kernels, [`ShippedError::WeightsGpu`] for
/// a GPU whose compute capability is not 9.0, [`ShippedError::Choice`] if no kernel of the package
/// reads such weights, and [`ShippedError::Problem`] if no launch covers the problem.
pub fn weights_gemm(
    gpu: &GpuTraits<'_>,
    problem: &WeightsProblem,
) -> Result<WeightsChoice, ShippedError> {
    let pack = kernels()?;
    if !gpu.runs("sm_90a") {
        return Err(ShippedError::WeightsGpu(gpu.compute_capability));
    }
    let rows = &pack.tables().weights;
    let of = resources(gpu.multiprocessors, gpu.shared_bytes as u32);
    choose(rows, problem, &of, None)
}
