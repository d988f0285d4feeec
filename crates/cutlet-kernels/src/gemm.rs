//! Chooses the kernel of a matrix product.
//!
//! Law: the chosen kernels are in the pack, and run on the GPU.

use crate::{GpuTraits, KernelChoice, KernelRequest, Pack, ShippedError, kernels};
use kernel_abi::gemm::{Configuration, GemmProblem};
use kernel_choice::{KernelDevice, Table, select};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The kernels of the pack on one GPU.
struct ShippedDevice<'a> {
    gpu: &'a GpuTraits<'a>,
    pack: &'static Pack,
}

impl KernelDevice for ShippedDevice<'_> {
    type Error = ShippedError;

    fn configurations(&self) -> &'static [Configuration] {
        &self.pack.tables().gemm
    }
    fn compute_capability(&self) -> (u32, u32) {
        self.gpu.compute_capability
    }
    fn multiprocessors(&self) -> u32 {
        self.gpu.multiprocessors
    }
    fn shared_bytes(&self) -> usize {
        self.gpu.shared_bytes
    }
    /// Returns 1024, the limit of every GPU from compute capability 8.0 on (CUDA programming guide,
    /// *Compute Capabilities*).
    fn max_threads(&self) -> u32 {
        1024
    }
    fn has(&self, kernel: &str) -> bool {
        let found = self.pack.kernel(kernel);
        found.is_some_and(|of| self.gpu.runs(of.target()))
    }
    fn registers(&self, _: &str) -> Result<Option<u32>, ShippedError> {
        Ok(None)
    }
}

/// Returns the built-in table for a GPU with this name ([`Table::built_in_for`]). Each table is
/// read once.
fn table(gpu: &str) -> &'static Table {
    static TABLES: Mutex<BTreeMap<String, &'static Table>> = Mutex::new(BTreeMap::new());
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = tables.get(gpu) {
        return table;
    }
    // A process sees few kinds of GPU, so the table of each kind is never freed.
    let table: &'static Table = Box::leak(Box::new(Table::built_in_for(gpu)));
    tables.insert(gpu.into(), table);
    table
}

/// Chooses the kernel and the launch of a product. `plan` holds grid, CTA, shared memory,
/// parameters, workspace and tensor maps. It also names the kernels of the launches before and
/// after the product, which are in the pack too.
///
/// ```
/// use cutlet_kernels::{GpuTraits, KernelRequest, ShippedError, gemm};
/// use kernel_abi::gemm::{GemmProblem, InputType, OutputType};
/// let gpu = GpuTraits { name: "NVIDIA H200", compute_capability: (9, 0), multiprocessors: 132, shared_bytes: 227 << 10 };
/// let problem = GemmProblem::new(4096, 4096, 4096, InputType::Bf16, OutputType::Same);
/// match gemm(&gpu, &problem, &KernelRequest::default()) {
///     Ok(choice) => assert!(choice.plan.kernels().any(|name| name == choice.plan.launch.kernel)),
///     Err(error) => assert!(matches!(error, ShippedError::Empty | ShippedError::Choice(_)), "{error}"),
/// }
/// ```
///
/// # Errors
/// Returns [`ShippedError::Empty`] if the package has no kernels, [`ShippedError::Problem`] for a
/// problem that no launch covers, and [`ShippedError::Choice`] if no kernel of the package computes
/// the problem.
pub fn gemm(
    gpu: &GpuTraits<'_>,
    problem: &GemmProblem,
    request: &KernelRequest<'_>,
) -> Result<KernelChoice, ShippedError> {
    let device = ShippedDevice {
        gpu,
        pack: kernels()?,
    };
    select::choose(&device, table(gpu.name), problem, request)
}
