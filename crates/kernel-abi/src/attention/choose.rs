//! Chooses, among the kernels of given tables, the one that computes a problem on a GPU.
//!
//! ```text
//!   ways to load tensors, in turn ─► kernels that load so, have the parts and fit ─► the kernel with the least cost
//! ```
//!
//! Law: the choice is the kernel with the least [`cost`](AttentionConfiguration::cost) for the
//! first way to load tensors for which there is a kernel.

use super::{AttentionConfiguration, AttentionLoads, AttentionParts, AttentionProblem};

impl AttentionLoads {
    /// Returns the ways to load tensors, in the order in which kernels for them are looked for on a
    /// GPU with this compute capability. If `requested` is given, it is the only way. Otherwise the
    /// GPU's own way comes first, and `cp.async` second: its kernels run on every GPU and cover
    /// head dimensions for which the GPU's own way has no kernel.
    ///
    /// ```
    /// use kernel_abi::attention::AttentionLoads::{self, CpAsync, Tma};
    /// assert!(AttentionLoads::ways((9, 0), None).eq([Tma, CpAsync]));
    /// assert!(AttentionLoads::ways((8, 9), None).eq([CpAsync, CpAsync]));
    /// assert!(AttentionLoads::ways((9, 0), Some(CpAsync)).eq([CpAsync]));
    /// ```
    pub fn ways(
        compute_capability: (u32, u32),
        requested: Option<Self>,
    ) -> impl Iterator<Item = Self> + Clone + use<> {
        let (first, second) = match requested {
            Some(loads) => (loads, None),
            None => (Self::of(compute_capability), Some(Self::CpAsync)),
        };
        [first].into_iter().chain(second)
    }

    /// Returns how the kernels of a GPU with this compute capability load their tensors.
    #[must_use]
    pub const fn of(compute_capability: (u32, u32)) -> Self {
        match compute_capability {
            (9, 0) => Self::Tma,
            _ => Self::CpAsync,
        }
    }
}

/// Returns the kernel of `all` with the least cost for a problem, or `None` if no kernel of `all`
/// computes the problem. [`check`](AttentionProblem::check) must accept the problem.
pub fn cheapest<'a>(
    all: impl IntoIterator<Item = &'a AttentionConfiguration>,
    problem: &AttentionProblem,
) -> Option<&'a AttentionConfiguration> {
    let all = all.into_iter().filter(|of| of.computes(problem));
    all.min_by_key(|of| of.cost(problem))
}

/// Returns the kernel for a problem with these parts: the [`cheapest`] for the first of `ways` that
/// has a kernel whose CTA fits in `shared_bytes` of shared memory, or `None` if there is no such
/// kernel. [`check`](AttentionProblem::check) must accept the problem.
///
/// ```
/// use kernel_abi::attention::{
///     AttentionConfiguration, AttentionLoads, AttentionMask, AttentionParts, AttentionProblem, AttentionType, choose,
/// };
/// let small = AttentionConfiguration {
///     kernel: "attention_mma_bf16_d64_128x64_s2", base: None, parts: AttentionParts::NONE, element: AttentionType::Bf16,
///     dim: 64, dim_v: 64, tile: [128, 64], stages: 2, loads: AttentionLoads::CpAsync, threads: 128, ctas: 2,
///     shared_bytes: 49_152, speed: 100,
/// };
/// let large = AttentionConfiguration { loads: AttentionLoads::Tma, shared_bytes: 200_000, ..small };
/// let problem = AttentionProblem::new(AttentionType::Bf16, (1, 1, 100, 64), AttentionMask::Full, 0.125);
/// let of = |shared_bytes| {
///     choose([&small, &large], &problem, AttentionParts::NONE, shared_bytes, AttentionLoads::ways((9, 0), None))
/// };
/// assert_eq!((of(227 << 10), of(99 << 10), of(1 << 10)), (Some(&large), Some(&small), None));
/// ```
pub fn choose<'a>(
    all: impl IntoIterator<Item = &'a AttentionConfiguration, IntoIter: Clone>,
    problem: &AttentionProblem,
    parts: AttentionParts,
    shared_bytes: usize,
    mut ways: impl Iterator<Item = AttentionLoads>,
) -> Option<&'a AttentionConfiguration> {
    let all = all.into_iter();
    let fitting =
        all.filter(|of| of.parts.computes(parts) && of.shared_bytes as usize <= shared_bytes);
    ways.find_map(|loads| cheapest(fitting.clone().filter(|of| of.loads == loads), problem))
}
