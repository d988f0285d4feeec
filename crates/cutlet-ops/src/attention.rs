//! Attention's forward pass as launches.
//!
//! ```text
//!   AttentionProblem ─ cutlet_kernels::attention ─► a kernel ─ plan ─► LaunchSequence
//!
//!   buffers     O, LSE, Q, K, V, [starts of queries, starts of keys], [slopes], [sinks]
//! ```
//!
//! Law: the result is that of float64 up to the rounding that `kernel_abi::attention` states for
//! the kernel.

use crate::sequence::{BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step};
use crate::{GpuTraits, OpsError};
use kernel_abi::attention::{
    AttentionArgument, AttentionConfiguration, AttentionLoads, AttentionMapPlan, AttentionParts,
    AttentionProblem, AttentionReads, AttentionType, KernelSequences, PackedAttentionProblem,
    PageParams,
};
use kernel_abi::{BufferSpec, LaunchSpec};

/// Bytes of an element of f16 or bf16.
pub(crate) const HALF: u64 = 2;
/// Bytes of an f32, and of a start.
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
    /// The cap, if there is one: a score becomes `cap tanh(score / cap)`.
    pub soft_cap: Option<f32>,
    /// ALiBi: a score loses its head's slope for each key between the query's own place and the
    /// key. The slopes are a buffer of f32, one a head of Q.
    pub alibi: bool,
    /// Sinks: a logit of each head joins the denominator of its rows. The sinks are a buffer of
    /// f32, one a head of Q.
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

    /// The soft cap as the kernel's score function holds it: the cap, and `2 log2(e) / cap`.
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

/// How a kernel reads Q, K and V.
pub(crate) struct Reading<'a> {
    pub loads: AttentionLoads,
    pub element: AttentionType,
    pub maps: &'a [AttentionMapPlan; 3],
    /// Of a kernel by `cp.async`.
    pub reads: Option<AttentionReads>,
    pub inputs: [BufferSpec; 3],
}

/// The lists of the sequences that a kernel takes, each with its argument.
pub(crate) type SequenceLists = Vec<(AttentionArgument, BufferSpec)>;

/// The buffers of a kernel of the forward pass, and its arguments: the lists of its sequences are
/// buffers, the pages are passed by value.
pub(crate) fn forward(
    [o, lse]: [&BufferSpec; 2],
    (lists, pages): (SequenceLists, Option<PageParams>),
    params: [u64; 8],
    reading: &Reading<'_>,
    (parts, heads): (AttentionParts, u32),
    scores: &AttentionScores,
) -> (LaunchSequence, Vec<LaunchValue>) {
    let mut of = LaunchSequence::default();
    let o = of.buffer(o, HALF, BufferRole::Output);
    let lse_place = of.buffer(lse, WORD, BufferRole::Output);
    let mut arguments = vec![
        LaunchValue::start(o),
        match lse.elements {
            0 => LaunchValue::Null,
            _ => LaunchValue::start(lse_place),
        },
        LaunchValue::words(params),
    ];
    let places = reading
        .inputs
        .each_ref()
        .map(|input| of.buffer(input, HALF, BufferRole::Input));
    for (place, map) in places.into_iter().zip(reading.maps) {
        arguments.push(match reading.loads {
            AttentionLoads::CpAsync => LaunchValue::start(place),
            AttentionLoads::Tma | AttentionLoads::TmaUmma => {
                LaunchValue::Map(MapValue::of_attention(place, reading.element, map))
            }
        });
    }
    arguments.extend(
        reading
            .reads
            .map(|reads| LaunchValue::words(reads.to_u64s())),
    );
    let lists: Vec<(AttentionArgument, usize)> = (lists.into_iter())
        .map(|(argument, list)| (argument, of.buffer(&list, WORD, BufferRole::Input)))
        .collect();
    for argument in parts.arguments() {
        arguments.push(match argument {
            AttentionArgument::SoftCap => scores.soft_cap_value(),
            AttentionArgument::Slopes | AttentionArgument::Sinks => {
                let spec = BufferSpec::read(0, argument.said(), heads.into(), 4);
                LaunchValue::start(of.buffer(&spec, WORD, BufferRole::Input))
            }
            AttentionArgument::Pages => {
                let [log2, pages] = pages.map_or([0; 2], PageParams::to_u32s);
                LaunchValue::Bytes([log2.to_le_bytes(), pages.to_le_bytes()].concat())
            }
            // A kernel for both kinds of sequences reads no list if they have one length.
            _ => {
                let place = lists.iter().find(|(of, _)| *of == argument);
                place.map_or(LaunchValue::Null, |(_, place)| LaunchValue::start(*place))
            }
        });
    }
    (of, arguments)
}

/// The refusal of a head dimension that no kernel has.
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

/// The kernels that compute these parts and run on the GPU.
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

/// The head dimensions for which the GPU runs a kernel of these parts with the same number of
/// columns for Q, K and V.
fn dims_of(gpu: &GpuTraits<'_>, element: AttentionType, parts: AttentionParts) -> Vec<u32> {
    let of_one = fitting(gpu, element, parts).filter(|of| of.dim == of.dim_v);
    distinct(of_one.map(|of| of.dim))
}

/// The values in ascending order, each once.
pub(crate) fn distinct<T: Ord>(numbers: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = numbers.collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The head dimensions for which this build has kernels of such sequences on a GPU, the least
/// first. A caller may pad heads of another dimension with zeros to the next one.
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

/// The pairs of head dimensions, `[of Q and K, of V]`, that differ and for which this build has
/// kernels of such sequences on the GPU. To compute attention whose V has more columns, launch once
/// for each part of V's columns: every column of O is a product with the same probabilities.
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

/// The launch of attention of sequences of one length, by a kernel that reads its operands by
/// `loads`; `None` takes those of the GPU. Buffers: O, LSE, Q, K, V, then slopes and sinks where
/// `scores` has them. LSE has no bytes where the problem has none.
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
/// [`OpsError::Problem`] with the number, the value given and the values allowed;
/// [`OpsError::Dimension`] where no kernel here has the head dimension; [`OpsError::SoftCap`].
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
    let reading = Reading {
        loads: plan.loads(),
        element: problem.element,
        maps: plan.maps(),
        reads: (plan.loads() == AttentionLoads::CpAsync).then(|| plan.reads()),
        inputs: plan.inputs(),
    };
    let launch: &LaunchSpec<2> = plan.launch();
    let [o, lse] = &launch.buffers;
    let (mut of, arguments) = forward(
        [o, lse],
        (Vec::new(), None),
        plan.params().to_u64s(),
        &reading,
        (kernel.parts, problem.heads),
        &scores,
    );
    of.steps
        .push(Step::Launch(KernelLaunch::new(launch, arguments)));
    Ok(of)
}

/// The launch of attention of packed sequences. Buffers: O, LSE, Q, K, V, the starts of queries and
/// those of keys, u32, then slopes and sinks where `scores` has them.
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
/// As of [`attention`].
pub fn attention_packed(
    gpu: &GpuTraits<'_>,
    problem: &PackedAttentionProblem,
    scores: AttentionScores,
    loads: Option<AttentionLoads>,
) -> Result<LaunchSequence, OpsError> {
    problem.check()?;
    scores.check()?;
    let parts = scores.parts().packed();
    let kernel = cutlet_kernels::attention(gpu, &problem.all, parts, loads)?;
    let kernel = kernel.ok_or_else(|| no_kernel(gpu, &problem.all, parts))?;
    let plan = kernel.plan_packed(problem, gpu.multiprocessors)?;
    let reading = Reading {
        loads: plan.loads(),
        element: problem.all.element,
        maps: plan.maps(),
        reads: (plan.loads() == AttentionLoads::CpAsync).then(|| plan.reads()),
        inputs: plan.inputs(),
    };
    let launch: &LaunchSpec<4> = plan.launch();
    let [o, lse, queries, keys] = &launch.buffers;
    let lists = vec![
        (AttentionArgument::QueryStarts, *queries),
        (AttentionArgument::KeyStarts, *keys),
    ];
    let (mut of, arguments) = forward(
        [o, lse],
        (lists, None),
        plan.params().to_u64s(),
        &reading,
        (kernel.parts, problem.all.heads),
        &scores,
    );
    of.steps
        .push(Step::Launch(KernelLaunch::new(launch, arguments)));
    Ok(of)
}
