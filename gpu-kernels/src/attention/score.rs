//! Score functions: what becomes of a score between Q Kᵀ and the softmax, compiled into the kernel.
//!
//! ```text
//!   Q Kᵀ ─ scale ─► score ─ ScoreFunction::score(score, (query, key, head, batch)) ─ mask ─► softmax
//! ```
//!
//! Law: O is that of [`kernel_abi::attention`] with `S = f(scale Q Kᵀ, query, key, head, batch)`.
//! The band of the launch is applied behind `f`. A kernel whose function is [`Identity`] has no
//! trace of it.

use core::f32::consts::LOG2_E;
use cuda_std::float::GpuFloat;
use cuda_std::float::approx::{exp2_ftz, rcp_ftz};

/// Where a score is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScoreAt {
    /// The query, counted in its head.
    pub query: u32,
    /// The key. The last block of keys has scores of keys behind the last, too: they are masked
    /// whatever the function makes of them.
    pub key: u32,
    /// The head of Q and O.
    pub head: u32,
    /// The batch.
    pub batch: u32,
}

/// What a kernel makes of each score: an additive bias, a mask, a soft cap. FlexAttention's
/// `score_mod`.
///
/// The value is a kernel argument, so it is `repr(C)` and holds plain numbers. Which function it
/// is, is a type of the configuration.
///
/// ```
/// use gpu_kernels::attention::score::{ScoreAt, ScoreFunction};
///
/// /// Takes from a score what the key is away, times a slope.
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Distance {
///     slope: f32,
/// }
/// impl ScoreFunction for Distance {
///     fn score(self, score: f32, at: ScoreAt) -> f32 {
///         score - self.slope * at.query.abs_diff(at.key) as f32
///     }
/// }
/// let at = ScoreAt { query: 2, key: 5, ..ScoreAt::default() };
/// assert_eq!(Distance { slope: 0.5 }.score(1.0, at), -0.5);
/// ```
pub trait ScoreFunction: Copy + 'static {
    /// Whether it leaves every score as it is. Nothing is computed then.
    const IDENTITY: bool = false;
    /// Whether a result may be `-inf`: the query does not see the key. Without it a row of such
    /// scores alone becomes NaN.
    const MASKS: bool = false;
    /// The score that the softmax sees, from the scaled product of a query and a key: no NaN, and
    /// below infinity.
    ///
    /// It is called for every score, in the mainloop: what depends on `self` and on the head alone
    /// is computed once a tile if it is marked `#[inline(always)]`.
    fn score(self, score: f32, at: ScoreAt) -> f32;
}

/// A score function of the score alone, whose derivative follows from its value: gradients take it.
pub trait DifferentiableScore: ScoreFunction {
    /// The derivative at a score that [`score`](ScoreFunction::score) makes `value` of.
    fn derivative(self, value: f32) -> f32;
}

/// Leaves scores as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;
impl ScoreFunction for Identity {
    const IDENTITY: bool = true;
    #[inline(always)]
    fn score(self, score: f32, _: ScoreAt) -> f32 {
        score
    }
}

impl DifferentiableScore for Identity {
    #[inline(always)]
    fn derivative(self, _: f32) -> f32 {
        1.0
    }
}

/// The soft cap `cap tanh(score / cap)`: scores stay between `-cap` and `cap`.
///
/// Law: within `cap` times 2^-20 of the exact value. It is computed as
/// `cap - cap / ((1 + e^(2 score / cap)) / 2)`: `tanh.approx` is one instruction less, but its
/// relative error of 2^-11 at a cap of 50 is one of 2 % in a probability.
///
/// ```
/// use gpu_kernels::attention::score::{ScoreAt, ScoreFunction, SoftCap};
/// let cap = SoftCap::new(20.0).unwrap();
/// let of = |score| cap.score(score, ScoreAt::default());
/// assert!((of(5.0) - 20.0 * 0.25_f32.tanh()).abs() < 1e-5);
/// assert_eq!((of(0.0), of(1e9), of(-1e9)), (0.0, 20.0, -20.0));
/// assert_eq!(SoftCap::new(0.0), None);
/// ```
///
/// Its derivative, `1 - tanh(score / cap)^2`, is within 2^-20 of the exact value.
///
/// ```
/// use gpu_kernels::attention::score::{DifferentiableScore, ScoreAt, ScoreFunction, SoftCap};
/// let cap = SoftCap::new(20.0).unwrap();
/// let of = |score| cap.derivative(cap.score(score, ScoreAt::default()));
/// assert!((of(5.0) - (1.0 - 0.25_f32.tanh().powi(2))).abs() < 1e-6);
/// assert!(of(0.0) == 1.0 && of(1e9).abs() < 1e-6 && of(-1e9).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct SoftCap {
    /// What scores stay below.
    pub cap: f32,
    /// `2 log2(e) / cap`.
    pub twice_log2: f32,
}

impl SoftCap {
    /// The soft cap at `cap`, which is above 0 and finite; none else.
    #[must_use]
    pub fn new(cap: f32) -> Option<Self> {
        let twice_log2 = 2.0 * LOG2_E / cap;
        (cap > 0.0 && cap.is_finite() && twice_log2.is_finite()).then_some(Self { cap, twice_log2 })
    }

    /// The kernel argument's bytes, as numbers.
    #[must_use]
    pub const fn to_f32s(self) -> [f32; 2] {
        [self.cap, self.twice_log2]
    }
}

impl ScoreFunction for SoftCap {
    #[inline(always)]
    fn score(self, score: f32, _: ScoreAt) -> f32 {
        // e^(2 score / cap) may be infinite, and its inverse 0.
        let half = exp2_ftz(GpuFloat::mul_add(score, self.twice_log2, -1.0));
        let inverse = rcp_ftz(0.5 + half);
        GpuFloat::mul_add(-self.cap, inverse, self.cap)
    }
}

impl DifferentiableScore for SoftCap {
    #[inline(always)]
    fn derivative(self, value: f32) -> f32 {
        let tanh = value * (self.twice_log2 * (0.5 / LOG2_E));
        GpuFloat::mul_add(-tanh, tanh, 1.0)
    }
}
