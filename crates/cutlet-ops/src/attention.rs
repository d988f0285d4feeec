//! Plans the launches of attention's forward pass.
//!
//! ```text
//!   AttentionProblem ─ cutlet_kernels::attention ─► a kernel ─ plan ─► LaunchSequence
//!
//!   buffers     O, LSE, Q, K, V, [starts of queries, starts of keys], [slopes], [sinks]
//! ```
//!
//! Law: the result differs from that in float64 only by the rounding that `kernel_abi::attention`
//! states.

use crate::sequence::{
    BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step, unbound,
};
use crate::{GpuTraits, OpsError};
use kernel_abi::attention::{
    AttentionArgument, AttentionConfiguration, AttentionLoads, AttentionMapPlan, AttentionParams,
    AttentionParts, AttentionProblem, AttentionReads, AttentionType, KernelSequences,
    PackedAttentionProblem, PageParams,
};
use kernel_abi::{BufferSpec, KernelArguments, LaunchSpec};

/// The bytes of an f16 or bf16 element.
pub(crate) const HALF: u64 = 2;
/// The bytes of an f32, and of a sequence's start.
pub(crate) const WORD: u64 = 4;

/// The score functions that a kernel applies between the scale and the softmax.
///
/// ```
/// use cutlet_ops::AttentionScores;
/// let scores = AttentionScores { soft_cap: Some(30.0), ..AttentionScores::default() };
/// assert!(!scores.alibi && !scores.sinks);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AttentionScores {
    /// The cap, or `None` for no cap: a score becomes `cap tanh(score / cap)`.
    pub soft_cap: Option<f32>,
    /// ALiBi: a score is reduced by its head's slope for each key between the query's own position
    /// and the key. The slopes are a buffer of f32, one for each head of Q.
    pub alibi: bool,
    /// Sinks: each head has a logit, whose exponential is added to the denominator in the head's
    /// rows. The sinks are a buffer of f32, one for each head of Q.
    pub sinks: bool,
}

impl AttentionScores {
    pub(crate) fn parts(&self) -> AttentionParts {
        AttentionParts {
            sequences: KernelSequences::Uniform,
            soft_cap: self.soft_cap.is_some(),
            alibi: self.alibi,
            sinks: self.sinks,
        }
    }

    /// Returns the soft cap as the kernel's score function holds it: the cap, and `2 log2(e) /
    /// cap`.
    fn soft_cap_values(cap: f32) -> [f32; 2] {
        [cap, 2.0 * std::f32::consts::LOG2_E / cap]
    }

    /// Refuses a soft cap that is not above 0 and finite.
    pub(crate) fn check(&self) -> Result<(), OpsError> {
        match self.soft_cap {
            Some(cap)
                if !Self::soft_cap_values(cap)
                    .iter()
                    .all(|of| *of > 0.0 && of.is_finite()) =>
            {
                Err(OpsError::SoftCap(cap))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn soft_cap_value(&self) -> LaunchValue {
        let values = Self::soft_cap_values(self.soft_cap.unwrap_or(f32::INFINITY));
        LaunchValue::Bytes(values.map(f32::to_le_bytes).concat())
    }
}

/// A launch of the forward pass, taken from a plan.
pub(crate) struct ForwardLaunch<'a, const BUFFERS: usize> {
    pub launch: &'a LaunchSpec<BUFFERS>,
    pub list: KernelArguments<AttentionArgument>,
    pub params: &'a AttentionParams,
    pub problem: &'a AttentionProblem,
    /// The buffers of O and the log-sum-exp.
    pub outputs: [BufferSpec; 2],
    /// The buffers of Q, K and V.
    pub inputs: [BufferSpec; 3],
    pub maps: &'a [AttentionMapPlan; 3],
    /// The strides of Q, K and V, for kernels that may read by `cp.async`.
    pub reads: Option<AttentionReads>,
    /// The lists about sequences that the launch has, each with its number of elements. For any
    /// other list of the kernel the launch passes null, and the kernel does not read that list.
    pub lists: &'a [(AttentionArgument, u64)],
    /// The pages of a cache, or `None` for keys that are not in pages.
    pub pages: Option<PageParams>,
}

/// Builds the sequence of a launch of the forward pass. The buffers are in the order of the
/// kernel's arguments.
pub(crate) fn forward<const BUFFERS: usize>(
    by: &ForwardLaunch<'_, BUFFERS>,
    scores: &AttentionScores,
) -> Result<LaunchSequence, OpsError> {
    let mut sequence = LaunchSequence::default();
    let of = &mut sequence;
    let [o, lse] = &by.outputs;
    let [q, k, v] = &by.inputs;
    let [map_q, map_k, map_v] = by.maps;
    let tensor = |of: &mut LaunchSequence, spec| of.buffer(spec, HALF, BufferRole::Input);
    let map = |of: &mut LaunchSequence, spec, map| {
        let place = tensor(of, spec);
        LaunchValue::Map(MapValue::of_attention(place, by.problem.element, map))
    };
    let list = |of: &mut LaunchSequence, argument, elements| {
        let list = by.list.buffer(argument, elements, 4);
        LaunchValue::start(of.buffer(&list, WORD, BufferRole::Input))
    };
    let value = |argument| {
        Ok(match argument {
            AttentionArgument::O => LaunchValue::start(of.buffer(o, HALF, BufferRole::Output)),
            AttentionArgument::Lse => {
                let place = of.buffer(lse, WORD, BufferRole::Output);
                match lse.elements {
                    0 => LaunchValue::Null,
                    _ => LaunchValue::start(place),
                }
            }
            AttentionArgument::Params => LaunchValue::words(by.params.to_u64s()),
            AttentionArgument::MapQ => map(of, q, map_q),
            AttentionArgument::MapK => map(of, k, map_k),
            AttentionArgument::MapV => map(of, v, map_v),
            AttentionArgument::Q => LaunchValue::start(tensor(of, q)),
            AttentionArgument::K => LaunchValue::start(tensor(of, k)),
            AttentionArgument::V => LaunchValue::start(tensor(of, v)),
            AttentionArgument::Reads => {
                let reads = by.reads.ok_or_else(|| unbound(argument))?;
                LaunchValue::words(reads.to_u64s())
            }
            AttentionArgument::SoftCap => scores.soft_cap_value(),
            AttentionArgument::Slopes | AttentionArgument::Sinks => {
                list(of, argument, by.problem.heads.into())
            }
            AttentionArgument::Pages => {
                let pages = by.pages.ok_or_else(|| unbound(argument))?;
                LaunchValue::Bytes(pages.to_u32s().map(u32::to_le_bytes).concat())
            }
            AttentionArgument::QueryStarts
            | AttentionArgument::KeyStarts
            | AttentionArgument::KeyLengths
            | AttentionArgument::PageTable => {
                // A kernel for both kinds of sequences reads no list if the sequences have one
                // length.
                let found = by.lists.iter().find(|(of, _)| *of == argument);
                found.map_or(LaunchValue::Null, |(_, elements)| {
                    list(of, argument, *elements)
                })
            }
            other => return Err(unbound(other)),
        })
    };
    let launch = KernelLaunch::of_list(by.launch, by.list, value)?;
    sequence.steps.push(Step::Launch(launch));
    Ok(sequence)
}

/// Makes the error for a head dimension that no kernel has.
pub(crate) fn no_kernel(
    gpu: &GpuTraits<'_>,
    problem: &AttentionProblem,
    parts: AttentionParts,
) -> OpsError {
    OpsError::Dimension {
        what: "attention",
        element: problem.element.name(),
        dim: problem.dim,
        dims: dims_of(gpu, problem.element, parts),
    }
}

/// Returns the kernels that compute these parts and run on the GPU.
fn fitting<'a>(
    gpu: &'a GpuTraits<'_>,
    element: AttentionType,
    parts: AttentionParts,
) -> impl Iterator<Item = &'static AttentionConfiguration> + 'a {
    let pack = cutlet_kernels::kernels().ok();
    pack.into_iter().flat_map(move |pack| {
        let runs = |name| pack.kernel(name).is_some_and(|of| gpu.runs(of.target()));
        (pack.tables().attention.iter()).filter(move |of| {
            of.element == element
                && of.parts.computes(parts)
                && of.shared_bytes as usize <= gpu.shared_bytes
                && runs(of.kernel)
        })
    })
}

/// Returns the head dimensions for which the GPU runs a kernel with these parts whose Q, K and V
/// have the same number of columns.
fn dims_of(gpu: &GpuTraits<'_>, element: AttentionType, parts: AttentionParts) -> Vec<u32> {
    let of_one = fitting(gpu, element, parts).filter(|of| of.dim == of.dim_v);
    distinct(of_one.map(|of| of.dim))
}

/// Returns the values in ascending order, each once.
pub(crate) fn distinct<T: Ord>(numbers: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = numbers.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the head dimensions, in ascending order, for which this build has kernels that compute
/// such sequences on a GPU. For another head dimension, a caller may pad heads with zeros to the
/// next larger dimension.
///
/// ```
/// use cutlet_ops::kernel_abi::attention::{AttentionType, KernelSequences};
/// use cutlet_ops::{EMULATED_GPU, attention_dims};
/// let dims = attention_dims(&EMULATED_GPU, AttentionType::Bf16, Default::default(), KernelSequences::Uniform);
/// assert!(dims.is_sorted());
/// ```
#[must_use]
pub fn attention_dims(
    gpu: &GpuTraits<'_>,
    element: AttentionType,
    scores: AttentionScores,
    sequences: KernelSequences,
) -> Vec<u32> {
    let parts = AttentionParts {
        sequences,
        ..scores.parts()
    };
    dims_of(gpu, element, parts)
}

/// Returns the pairs of different head dimensions, `[for Q and K, for V]`, for which this build has
/// kernels for such sequences on the GPU. To compute attention whose V has more columns, launch
/// once for each part of V's columns: every column of O is a product with the same probabilities.
///
/// ```
/// use cutlet_ops::kernel_abi::attention::{AttentionType, KernelSequences};
/// use cutlet_ops::{EMULATED_GPU, attention_dim_pairs};
/// let pairs = attention_dim_pairs(&EMULATED_GPU, AttentionType::F16, Default::default(), KernelSequences::Packed);
/// assert!(pairs.is_sorted() && pairs.iter().all(|[dim, dim_v]| dim != dim_v));
/// ```
#[must_use]
pub fn attention_dim_pairs(
    gpu: &GpuTraits<'_>,
    element: AttentionType,
    scores: AttentionScores,
    sequences: KernelSequences,
) -> Vec<[u32; 2]> {
    let parts = AttentionParts {
        sequences,
        ..scores.parts()
    };
    let of_two = fitting(gpu, element, parts).filter(|of| of.dim != of.dim_v);
    distinct(of_two.map(|of| [of.dim, of.dim_v]))
}

/// Plans the launch of attention for sequences of one length. The kernel reads its operands as
/// `loads` says, where `None` selects the GPU's usual way. The buffers are O, LSE, Q, K and V, and
/// then slopes and sinks if `scores` has them. The buffer LSE has no bytes if the problem has no
/// LSE.
///
/// ```
/// use cutlet_ops::{EMULATED_GPU, OpsError, attention};
/// use cutlet_ops::kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let problem = AttentionProblem::new(AttentionType::F16, (1, 2, 10, 64), AttentionMask::Full, -1.0);
/// let refused = attention(&EMULATED_GPU, &problem, Default::default(), None).unwrap_err();
/// assert_eq!(refused.to_string(), "the scale is -1; it must be above 0 and finite");
/// ```
///
/// # Errors
/// Returns [`OpsError::Problem`] with the number, the value given and the values allowed,
/// [`OpsError::Dimension`] if no kernel of this build has the head dimension, and
/// [`OpsError::SoftCap`] for a cap that is not above 0 and finite.
pub fn attention(
    gpu: &GpuTraits<'_>,
    problem: &AttentionProblem,
    scores: AttentionScores,
    loads: Option<AttentionLoads>,
) -> Result<LaunchSequence, OpsError> {
    problem.check()?;
    scores.check()?;
    let kernel = cutlet_kernels::attention(gpu, problem, scores.parts(), loads)?;
    let kernel = kernel.ok_or_else(|| no_kernel(gpu, problem, scores.parts()))?;
    let plan = kernel.plan(problem, gpu.multiprocessors)?;
    let by = ForwardLaunch {
        launch: plan.launch(),
        outputs: plan.launch().buffers,
        list: plan.arguments(),
        params: plan.params(),
        problem,
        inputs: plan.inputs(),
        maps: plan.maps(),
        reads: Some(plan.reads()),
        lists: &[],
        pages: None,
    };
    forward(&by, &scores)
}

/// Plans the launch of attention for packed sequences. The buffers are O, LSE, Q, K, V, the starts
/// of queries and the starts of keys (u32), and then slopes and sinks if `scores` has them.
///
/// ```
/// use cutlet_ops::{EMULATED_GPU, attention_packed};
/// use cutlet_ops::kernel_abi::attention::{
///     AttentionMask, AttentionProblem, AttentionType, PackedAttentionProblem,
/// };
/// let all = AttentionProblem::new(AttentionType::Bf16, (1, 2, 300, 64), AttentionMask::Causal, 0.125);
/// let problem = PackedAttentionProblem { all, sequences: 0 };
/// let refused = attention_packed(&EMULATED_GPU, &problem, Default::default(), None).unwrap_err();
/// assert_eq!(refused.to_string(), "the number of sequences is 0; it must be at least 1");
/// ```
///
/// # Errors
/// Returns the errors of [`attention`].
pub fn attention_packed(
    gpu: &GpuTraits<'_>,
    problem: &PackedAttentionProblem,
    scores: AttentionScores,
    loads: Option<AttentionLoads>,
) -> Result<LaunchSequence, OpsError> {
    problem.check()?;
    scores.check()?;
    let parts = scores.parts().packed();
    let choose = |loads| cutlet_kernels::attention(gpu, &problem.all, parts, loads);
    // A build may lack the kernel of the fastest way.
    let kernel = match choose(loads.or(problem.fastest_loads()))? {
        None if loads.is_none() => choose(None)?,
        kernel => kernel,
    };
    let kernel = kernel.ok_or_else(|| no_kernel(gpu, &problem.all, parts))?;
    let plan = kernel.plan_packed(problem, gpu.multiprocessors)?;
    let starts = u64::from(problem.sequences) + 1;
    let [o, lse, ..] = plan.launch().buffers;
    let by = ForwardLaunch {
        launch: plan.launch(),
        outputs: [o, lse],
        list: plan.all().arguments(),
        params: plan.params(),
        problem: &problem.all,
        inputs: plan.inputs(),
        maps: plan.maps(),
        reads: Some(plan.reads()),
        lists: &[
            (AttentionArgument::QueryStarts, starts),
            (AttentionArgument::KeyStarts, starts),
        ],
        pages: None,
    };
    forward(&by, &scores)
}
