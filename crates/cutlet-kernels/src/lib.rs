#![doc = include_str!("../README.md")]
//!
//! # Law
//!
//! A kernel's PTX is the head of its module, followed by the text that `cutlet ptx` prints for the
//! kernel, byte for byte. [`gemm`](gemm()), [`weights_gemm`], [`attention`], [`attention_backward`]
//! and [`decode`] choose the same kernels as the program `cutlet` does on such a GPU, with one
//! exception. This crate has no compiler that determines the number of registers that a kernel
//! takes, so a product's kernels for Ampere are assumed to take all registers that a thread may
//! have.

mod gemm;
mod weights;

pub use gemm::gemm;
use kernel_abi::ProblemError;
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardProblem, AttentionConfiguration,
    AttentionLoads, AttentionParts, AttentionProblem, DecodeConfiguration, DecodeProblem,
    FusedBackwardConfiguration, SinkGradientConfiguration, choose,
};
pub use kernel_choice::select::{KernelChoice, KernelRequest};
pub use kernel_choice::weights::WeightsChoice;
pub use kernel_choice::{ChoiceError, ScheduleRequest};
pub use kernel_pack::{KernelTables, Pack, PackError, PackedKernel};
use std::sync::OnceLock;
pub use weights::weights_gemm;

/// The file of kernels that `build.rs` found.
static FILE: &[u8] = include_bytes!(env!("CUTLET_PACK"));

/// The reason why there is no kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShippedError {
    /// The package was built without a file of kernels.
    #[error(
        "cutlet-kernels was built without kernels: make crates/cutlet-kernels/kernels.pack by Cutlet's example pack_kernels, or name such a file by CUTLET_KERNELS_PACK"
    )]
    Empty,
    /// The file is not a pack, or a kernel does not unpack.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The problem has no launch.
    #[error("{0}")]
    Problem(#[from] ProblemError),
    /// No kernel of the package computes the problem.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// The GPU has this compute capability, and runs no kernel for weights of few bits.
    #[error(
        "the kernels that multiply by weights of few bits are for compute capability 9.0; this GPU has {}.{}",
        .0.0, .0.1
    )]
    WeightsGpu((u32, u32)),
}

/// The traits of a GPU by which a kernel is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuTraits<'a> {
    /// The name that the driver reports. Measured points of a GPU with this name take precedence.
    pub name: &'a str,
    /// The compute capability: major and minor number, `(9, 0)` for Hopper.
    pub compute_capability: (u32, u32),
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The shared memory that a CTA may request, in bytes
    /// (`CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN`).
    pub shared_bytes: usize,
}

impl GpuTraits<'_> {
    /// Whether a kernel for `target` runs on this GPU: `sm_90a` only on compute capability 9.0,
    /// `sm_80` on 8.0 and all newer ones.
    ///
    /// ```
    /// use cutlet_kernels::GpuTraits;
    /// let ada = GpuTraits { name: "NVIDIA L4", compute_capability: (8, 9), multiprocessors: 58, shared_bytes: 99 << 10 };
    /// assert!(ada.runs("sm_80") && !ada.runs("sm_90a"));
    /// ```
    #[must_use]
    pub fn runs(&self, target: &str) -> bool {
        match target {
            "sm_80" => self.compute_capability >= (8, 0),
            "sm_90a" => self.compute_capability == (9, 0),
            _ => false,
        }
    }
}

/// Returns the kernels and their tables, which are read at the first call.
///
/// # Errors
/// Returns a [`ShippedError`] if the package has no kernels.
pub fn kernels() -> Result<&'static Pack, ShippedError> {
    static PACK: OnceLock<Result<Pack, ShippedError>> = OnceLock::new();
    let pack = PACK.get_or_init(|| match FILE {
        [] => Err(ShippedError::Empty),
        file => Ok(Pack::new(file)?),
    });
    pack.as_ref().map_err(Clone::clone)
}

/// Returns the kernel with this name, or `None` if the package has no such kernel.
/// [`PackedKernel::ptx`] unpacks it.
///
/// # Errors
/// Returns the errors of [`kernels`].
pub fn kernel(name: &str) -> Result<Option<&'static PackedKernel>, ShippedError> {
    Ok(kernels()?.kernel(name))
}

/// Chooses the kernel of attention's forward pass for a problem with these score parts, or returns
/// `None` if this build has no such kernel. The kernel loads its tensors as `loads` says, where
/// `None` selects the GPU's usual way. [`check`](AttentionProblem::check) must accept the problem.
/// [`AttentionConfiguration::plan`] then plans the launch, or
/// [`plan_packed`](AttentionConfiguration::plan_packed) for packed sequences, or
/// [`plan_paged`](AttentionConfiguration::plan_paged) for keys in pages.
///
/// # Errors
/// Returns the errors of [`kernels`].
pub fn attention(
    gpu: &GpuTraits<'_>,
    problem: &AttentionProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<Option<&'static AttentionConfiguration>, ShippedError> {
    let pack = kernels()?;
    let runs = |name| pack.kernel(name).is_some_and(|of| gpu.runs(of.target()));
    // Names are looked up last, and so only for the few kernels that compute the problem, because
    // every call of an operator chooses its kernel again.
    let all = pack
        .tables()
        .attention
        .iter()
        .filter(|of| of.computes(problem) && of.parts.computes(parts) && runs(of.kernel));
    let ways = AttentionLoads::ways(gpu.compute_capability, loads);
    Ok(choose(all, problem, parts, gpu.shared_bytes, ways))
}

/// Chooses the kernels of attention's gradients for a problem with these score parts, or returns
/// `None` if this build has no such kernels. There are kernels for sequences of one length and for
/// packed sequences, each with a soft cap, with ALiBi, with both or with neither. Sinks are part of
/// the log-sum-exp that the kernels read, and [`sink_gradient`] chooses the kernel for the gradient
/// of the sinks. No kernel computes gradients if keys are in pages. The kernels load their tensors
/// as `loads` says, where `None` selects the GPU's usual way. The kernels add in a fixed order,
/// with the same bits on every run. [`check`](AttentionBackwardProblem::check) must accept the
/// problem. [`AttentionBackwardConfiguration::plan`] then plans the launches, or
/// [`plan_packed`](AttentionBackwardConfiguration::plan_packed) for packed sequences.
///
/// ```
/// use cutlet_kernels::{GpuTraits, attention_backward};
/// use kernel_abi::attention::{AttentionBackwardProblem, AttentionMask, AttentionParts, AttentionProblem, AttentionType};
/// let gpu = GpuTraits { name: "NVIDIA H200", compute_capability: (9, 0), multiprocessors: 132, shared_bytes: 227 << 10 };
/// let forward = AttentionProblem::new(AttentionType::Bf16, (1, 16, 4096, 64), AttentionMask::Causal, 0.125);
/// let problem = AttentionBackwardProblem::new(forward);
/// // An error where the package was built without kernels.
/// if let Ok(Some(of)) = attention_backward(&gpu, &problem, AttentionParts::NONE, None) {
///     assert_eq!(of.plan(&problem, gpu.multiprocessors)?.problem(), &problem);
/// }
/// assert_eq!(attention_backward(&gpu, &problem, AttentionParts::NONE.paged(), None).unwrap_or(None), None);
/// # Ok::<(), kernel_abi::ProblemError>(())
/// ```
///
/// # Errors
/// Returns the errors of [`kernels`].
pub fn attention_backward(
    gpu: &GpuTraits<'_>,
    problem: &AttentionBackwardProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<Option<&'static AttentionBackwardConfiguration>, ShippedError> {
    let pack = kernels()?;
    let runs = |name| pack.kernel(name).is_some_and(|of| gpu.runs(of.target()));
    let with_parts = backward_configurations(pack.tables(), parts);
    let fits = |of: &&AttentionBackwardConfiguration| {
        let tiles = [&of.keys, &of.queries];
        of.computes(problem)
            && runs(of.rows)
            && tiles
                .into_iter()
                .all(|tile| runs(tile.kernel) && tile.shared_bytes as usize <= gpu.shared_bytes)
    };
    let mut ways = AttentionLoads::ways(gpu.compute_capability, loads);
    Ok(ways.find_map(|loads| with_parts.clone().filter(fits).find(|of| of.loads == loads)))
}

/// Returns the kernels for the gradients of a forward pass with these score parts.
///
/// ```
/// use cutlet_kernels::{backward_configurations, kernels};
/// use kernel_abi::attention::AttentionParts;
/// // An error where the package was built without kernels.
/// if let Ok(pack) = kernels() {
///     let parts = AttentionParts::NONE.soft_cap();
///     assert!(backward_configurations(pack.tables(), parts).all(|of| of.parts.soft_cap));
///     let with_sinks = backward_configurations(pack.tables(), parts.sinks());
///     assert!(with_sinks.eq(backward_configurations(pack.tables(), parts)));
/// }
/// ```
pub fn backward_configurations(
    tables: &KernelTables,
    parts: AttentionParts,
) -> impl Iterator<Item = &AttentionBackwardConfiguration> + Clone {
    tables.backward.iter().filter(move |of| of.has(parts))
}

/// Chooses the kernel of the sinks' gradient, or returns `None` if this build has no such kernel
/// for the GPU.
/// [`SinkGradientConfiguration::plan`](kernel_abi::attention::SinkGradientConfiguration::plan)
/// plans its launch, which follows the launches of the other gradients.
///
/// # Errors
/// Returns the errors of [`kernels`].
pub fn sink_gradient(
    gpu: &GpuTraits<'_>,
) -> Result<Option<&'static SinkGradientConfiguration>, ShippedError> {
    let pack = kernels()?;
    let runs = |name| pack.kernel(name).is_some_and(|of| gpu.runs(of.target()));
    Ok((pack.tables().sink_gradients.iter()).find(|of| runs(of.kernel)))
}

/// Chooses the fused kernels of attention's gradients, which accumulate dQ in global memory, for a
/// problem with sequences of one length. Returns `None` if this build has no such kernels for the
/// GPU. The fused kernels take less time for long sequences
/// ([`is_faster`](FusedBackwardConfiguration::is_faster)), and dQ's last bits differ between runs.
///
/// # Errors
/// Returns the errors of [`kernels`].
pub fn attention_backward_fused(
    gpu: &GpuTraits<'_>,
    problem: &AttentionBackwardProblem,
) -> Result<Option<&'static FusedBackwardConfiguration>, ShippedError> {
    let pack = kernels()?;
    let runs = |name| pack.kernel(name).is_some_and(|of| gpu.runs(of.target()));
    let mut all = pack.tables().fused_backward.iter();
    Ok(all.find(|of| {
        of.computes(problem)
            && [of.rows, of.gradients.kernel, of.dq].into_iter().all(runs)
            && of.gradients.shared_bytes as usize <= gpu.shared_bytes
    }))
}

/// Chooses the kernels of decoding, with or without a soft cap, for a problem with a cache in 16
/// bits or in e4m3, or with latent attention. Returns `None` if this build has no such kernels.
/// [`check`](DecodeProblem::check) must accept the problem. [`DecodeConfiguration::plan`] then
/// plans the launches, and the plan's
/// [`scratch_bytes`](kernel_abi::attention::DecodePlan::scratch_bytes) is the size of the scratch.
///
/// # Errors
/// Returns the errors of [`kernels`].
pub fn decode(
    gpu: &GpuTraits<'_>,
    problem: &DecodeProblem,
    soft_cap: bool,
) -> Result<Option<&'static DecodeConfiguration>, ShippedError> {
    let pack = kernels()?;
    let runs = |name| pack.kernel(name).is_some_and(|of| gpu.runs(of.target()));
    let table = match soft_cap {
        false => &pack.tables().decode,
        true => &pack.tables().soft_cap_decode,
    };
    let mut all = table.iter();
    Ok(all.find(|of| of.computes(problem) && runs(of.attention.kernel)))
}
