#![doc = include_str!("../README.md")]
//!
//! # Law
//!
//! A kernel's text is what `cutlet ptx` prints of it, byte for byte, behind the head of its module.
//! [`gemm`](gemm()), [`weights_gemm`], [`attention`], [`attention_backward`] and [`decode`] choose
//! what Cutlet's program chooses of the same kernels for such a GPU, with one exception. No
//! compiler says here how many registers a kernel takes, so that a product's kernels for Ampere
//! count all that a thread may have.

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

/// The file that `build.rs` found.
static FILE: &[u8] = include_bytes!(env!("CUTLET_PACK"));

/// Why there is no kernel here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShippedError {
    /// The package was built without a file of kernels.
    #[error(
        "cutlet-kernels was built without kernels: make crates/cutlet-kernels/kernels.pack by Cutlet's example pack_kernels, or name such a file by CUTLET_KERNELS_PACK"
    )]
    Empty,
    /// The file is no pack, or a kernel does not unpack.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The problem has no launch.
    #[error("{0}")]
    Problem(#[from] ProblemError),
    /// No kernel here computes the problem.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A GPU that runs no kernel of weights of few bits: its compute capability.
    #[error(
        "the kernels that multiply by weights of few bits are for compute capability 9.0; this GPU has {}.{}",
        .0.0, .0.1
    )]
    WeightsGpu((u32, u32)),
}

/// The traits of a GPU by which a kernel is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuTraits<'a> {
    /// Its name, as the driver has it: points that were measured on this GPU come first.
    pub name: &'a str,
    /// Major and minor number: `(9, 0)` for Hopper.
    pub compute_capability: (u32, u32),
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Shared memory that a CTA may have on request, in bytes
    /// (`CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN`).
    pub shared_bytes: usize,
}

impl GpuTraits<'_> {
    /// Whether a kernel for `target` runs here: `sm_90a` on compute capability 9.0 alone, `sm_80`
    /// on it and all newer ones.
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

/// The kernels and their tables, read at the first call.
///
/// # Errors
/// [`ShippedError`] where there are none.
pub fn kernels() -> Result<&'static Pack, ShippedError> {
    static PACK: OnceLock<Result<Pack, ShippedError>> = OnceLock::new();
    let pack = PACK.get_or_init(|| match FILE {
        [] => Err(ShippedError::Empty),
        file => Ok(Pack::new(file)?),
    });
    pack.as_ref().map_err(Clone::clone)
}

/// The kernel of this name, to be unpacked by [`PackedKernel::ptx`].
///
/// # Errors
/// As of [`kernels`].
pub fn kernel(name: &str) -> Result<Option<&'static PackedKernel>, ShippedError> {
    Ok(kernels()?.kernel(name))
}

/// The kernel of attention's forward pass for a problem with these parts; `None` if this build has
/// none. It reads its tensors by `loads`; `None` takes the GPU's own way. The problem is one that
/// [`check`](AttentionProblem::check) passes. Its launch is [`AttentionConfiguration::plan`], of
/// packed sequences [`plan_packed`](AttentionConfiguration::plan_packed), of keys in pages
/// [`plan_paged`](AttentionConfiguration::plan_paged).
///
/// # Errors
/// As of [`kernels`].
pub fn attention(
    gpu: &GpuTraits<'_>,
    problem: &AttentionProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<Option<&'static AttentionConfiguration>, ShippedError> {
    let pack = kernels()?;
    let runs = |name| pack.kernel(name).is_some_and(|of| gpu.runs(of.target()));
    // Names are looked up last, of the few kernels that compute the problem: a call of an operator
    // chooses its kernel.
    let all = pack
        .tables()
        .attention
        .iter()
        .filter(|of| of.computes(problem) && of.parts.computes(parts) && runs(of.kernel));
    let ways = AttentionLoads::ways(gpu.compute_capability, loads);
    Ok(choose(all, problem, parts, gpu.shared_bytes, ways))
}

/// The kernels of attention's gradients for a problem with these parts; `None` if this build has
/// none. There are those of sequences of one length and of packed ones, each with a soft cap,
/// ALiBi, both or neither. Sinks are in the log-sum-exp that the kernels read, and their own
/// gradient is of [`sink_gradient`]; no kernel has the gradients of keys in pages. They read their
/// tensors by `loads`; `None` takes the GPU's own way. They add in a fixed order, with the same
/// bits on every run. The problem is one that [`check`](AttentionBackwardProblem::check) passes.
/// Their launches are [`AttentionBackwardConfiguration::plan`], of packed sequences
/// [`plan_packed`](AttentionBackwardConfiguration::plan_packed).
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
/// As of [`kernels`].
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

/// The kernels of the gradients of a forward pass with these parts.
///
/// ```
/// use cutlet_kernels::{backward_configurations, kernels};
/// use kernel_abi::attention::AttentionParts;
/// // An error where the package was built without kernels.
/// if let Ok(pack) = kernels() {
///     let parts = AttentionParts::NONE.soft_cap();
///     assert!(backward_configurations(pack.tables(), parts).all(|of| of.keys.kernel.contains("soft_cap")));
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

/// The kernel of the sinks' gradient; `None` if this build has none for the GPU. Its launch, behind
/// those of the others, is
/// [`SinkGradientConfiguration::plan`](kernel_abi::attention::SinkGradientConfiguration::plan).
///
/// # Errors
/// As of [`kernels`].
pub fn sink_gradient(
    gpu: &GpuTraits<'_>,
) -> Result<Option<&'static SinkGradientConfiguration>, ShippedError> {
    let pack = kernels()?;
    let runs = |name| pack.kernel(name).is_some_and(|of| gpu.runs(of.target()));
    Ok((pack.tables().sink_gradients.iter()).find(|of| runs(of.kernel)))
}

/// The fused kernels of attention's gradients, which accumulate dQ in global memory, for a problem
/// of sequences of one length; `None` if this build has none for the GPU. They take less time for
/// long sequences ([`is_faster`](FusedBackwardConfiguration::is_faster)), and dQ's last bits differ
/// between runs.
///
/// # Errors
/// As of [`kernels`].
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

/// The kernels of decoding for a problem, with a soft cap or without: of a cache in 16 bits or in
/// e4m3, or of latent attention; `None` if this build has none. The problem is one that
/// [`check`](DecodeProblem::check) passes. Its launches are [`DecodeConfiguration::plan`], its
/// bytes of scratch [`scratch_bytes`](kernel_abi::attention::DecodePlan::scratch_bytes).
///
/// # Errors
/// As of [`kernels`].
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
