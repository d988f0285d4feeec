//! Score functions: a function that a kernel applies to each score between Q Kᵀ and the softmax,
//! compiled into the kernel.
//!
//! ```text
//!   Q Kᵀ ─ scale ─► score ─ ScoreFunction::score(score, (query, key, head, batch)) ─ mask ─► softmax
//! ```
//!
//! Law: O is the result that [`kernel_abi::attention`] defines with `S = f(scale Q Kᵀ, query, key,
//! head, batch)`. The band of the launch is applied after `f`. [`Identity`] leaves no instruction
//! in the kernel. [`Sinks`] adds `e^sink` to the denominator of a row.
//!
//! ```text
//!   SoftCap  cap tanh(s / cap)       Alibi  s - slope |distance|       Sinks  s, and e^sink in the denominator
//!   Then<SoftCap, Then<Alibi, Sinks>>   one after the other
//! ```

use core::f32::consts::LOG2_E;
use cuda_std::float::GpuFloat;
use cuda_std::float::approx::{exp2_ftz, rcp_ftz};
use layout_types::arch::mov::here;

/// The place of a score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreAt {
    /// The query's index in its head.
    pub query: u32,
    /// The key. The last block of keys also has scores of keys after the last key. They are masked,
    /// whatever the function returns for them.
    pub key: u32,
    /// The head of Q and O.
    pub head: u32,
    /// The batch.
    pub batch: u32,
    /// The key's distance from the key on the query's diagonal: 0 on the diagonal, negative before
    /// it, positive after it. The last query and the last key lie on one diagonal, whatever their
    /// numbers are. The distance is exact up to 2^24.
    pub distance: f32,
}

impl ScoreAt {
    /// Returns the same place with the roles of queries and keys swapped, as in a tile of keys of
    /// the gradients.
    ///
    /// ```
    /// use gpu_kernels::attention::score::ScoreAt;
    /// let at = ScoreAt { query: 2, key: 5, head: 1, batch: 3, distance: 3.0 };
    /// assert_eq!(at.transposed(), ScoreAt { query: 5, key: 2, distance: -3.0, ..at });
    /// assert_eq!(at.transposed().transposed(), at);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            query: self.key,
            key: self.query,
            distance: -self.distance,
            ..self
        }
    }
}

/// A function that a kernel applies to each score, such as an additive bias, a mask or a soft cap.
/// It is FlexAttention's `score_mod`.
///
/// The value is a kernel argument, so it is `repr(C)` and holds plain numbers. The function itself
/// is a type of the configuration.
///
/// ```
/// use gpu_kernels::attention::score::{ScoreAt, ScoreFunction};
///
/// /// Subtracts from a score a slope times the key's distance.
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Distance {
///     slope: f32,
/// }
/// impl ScoreFunction for Distance {
///     fn score(self, score: f32, at: ScoreAt) -> f32 {
///         score - self.slope * at.distance.abs()
///     }
/// }
/// let at = ScoreAt { query: 2, key: 5, distance: 3.0, ..ScoreAt::default() };
/// assert_eq!(Distance { slope: 0.5 }.score(1.0, at), -0.5);
/// ```
pub trait ScoreFunction: Copy + 'static {
    /// Whether the function leaves every score unchanged. If so, the kernel computes nothing for
    /// it.
    const IDENTITY: bool = false;
    /// Whether a result may be `-inf`, which means that the query does not see the key. If this is
    /// false, a row whose scores are all `-inf` becomes NaN.
    const MASKS: bool = false;
    /// Whether the function uses [`ScoreAt::distance`], which is 0 otherwise. For packed sequences
    /// the distance needs the lengths of each sequence.
    const USES_DISTANCE: bool = true;
    /// Whether a head has a [`sink`](Self::sink).
    const SINKS: bool = false;
    /// Returns the logit whose exponential is added to the denominator of a head's rows, or -inf if
    /// the head has no sink. The sink acts as the score of a key without a value, to which a row
    /// may attend instead of any key.
    #[inline(always)]
    fn sink(self, _head: u32) -> f32 {
        f32::NEG_INFINITY
    }
    /// Returns the score for the softmax from the scaled product of a query and a key. The result
    /// is not NaN and is below infinity.
    ///
    /// It is called for every score, in the mainloop. Terms that depend only on `self` and on the
    /// head are computed once per tile if the function is marked `#[inline(always)]`.
    fn score(self, score: f32, at: ScoreAt) -> f32;
}

/// A score function that has a derivative by the score, which gradients need. Its other parameters,
/// such as a slope, have no gradient.
pub trait DifferentiableScore: ScoreFunction {
    /// Whether the derivative is 1 everywhere, because the function only adds a term that does not
    /// depend on the score. If so, the kernel computes nothing for the derivative.
    const SHIFTS: bool = false;
    /// Returns the result of [`score`](ScoreFunction::score), and the derivative there.
    fn with_derivative(self, score: f32, at: ScoreAt) -> [f32; 2];
}

/// Leaves scores unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Identity;
impl ScoreFunction for Identity {
    const IDENTITY: bool = true;
    const USES_DISTANCE: bool = false;
    #[inline(always)]
    fn score(self, score: f32, _: ScoreAt) -> f32 {
        score
    }
}

impl DifferentiableScore for Identity {
    const SHIFTS: bool = true;
    #[inline(always)]
    fn with_derivative(self, score: f32, _: ScoreAt) -> [f32; 2] {
        [score, 1.0]
    }
}

/// The soft cap `cap tanh(score / cap)`: scores stay between `-cap` and `cap`.
///
/// Law: the result is within `cap` times 2^-20 of the exact value. It is computed as `cap - cap /
/// ((1 + e^(2 score / cap)) / 2)`. `tanh.approx` would save one instruction, but at a cap of 50 its
/// relative error of 2^-11 is an error of 2 % in a probability.
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
/// use gpu_kernels::attention::score::{DifferentiableScore, ScoreAt, SoftCap};
/// let cap = SoftCap::new(20.0).unwrap();
/// let of = |score| cap.with_derivative(score, ScoreAt::default())[1];
/// assert!((of(5.0) - (1.0 - 0.25_f32.tanh().powi(2))).abs() < 1e-6);
/// assert!(of(0.0) == 1.0 && of(1e9).abs() < 1e-6 && of(-1e9).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct SoftCap {
    /// The bound that scores stay below.
    pub cap: f32,
    /// `2 log2(e) / cap`.
    pub twice_log2: f32,
}

impl SoftCap {
    /// Returns the soft cap at `cap`, or `None` unless `cap` is above 0 and finite.
    #[must_use]
    pub fn new(cap: f32) -> Option<Self> {
        let twice_log2 = 2.0 * LOG2_E / cap;
        (cap > 0.0 && cap.is_finite() && twice_log2.is_finite()).then_some(Self { cap, twice_log2 })
    }

    /// Returns the bytes of the kernel argument, as numbers.
    #[must_use]
    pub const fn to_f32s(self) -> [f32; 2] {
        [self.cap, self.twice_log2]
    }
}

impl ScoreFunction for SoftCap {
    const USES_DISTANCE: bool = false;
    #[inline(always)]
    fn score(self, score: f32, _: ScoreAt) -> f32 {
        // e^(2 score / cap) may be infinite; then its inverse is 0.
        let half = exp2_ftz(GpuFloat::mul_add(score, self.twice_log2, -1.0));
        let inverse = rcp_ftz(0.5 + half);
        GpuFloat::mul_add(-self.cap, inverse, self.cap)
    }
}

impl DifferentiableScore for SoftCap {
    #[inline(always)]
    fn with_derivative(self, score: f32, at: ScoreAt) -> [f32; 2] {
        let value = self.score(score, at);
        let tanh = value * (self.twice_log2 * (0.5 / LOG2_E));
        [value, GpuFloat::mul_add(-tanh, tanh, 1.0)]
    }
}

/// Linear biases (ALiBi, Press et al. 2022). The bias of a key is minus the head's slope times the
/// absolute value of [`ScoreAt::distance`]. The last query and the last key lie on one diagonal.
/// With as many keys as queries, the key on a query's diagonal has the query's index.
///
/// ```
/// use gpu_kernels::attention::score::{Alibi, ScoreAt, ScoreFunction};
/// let slopes = [0.5, 0.25];
/// // SAFETY: a slope of each of two heads.
/// let alibi = unsafe { Alibi::new(slopes.as_ptr()) };
/// let at = ScoreAt { head: 1, distance: -4.0, ..ScoreAt::default() };
/// assert_eq!(alibi.score(3.0, at), 2.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Alibi {
    slopes: *const f32,
}

impl Alibi {
    /// Returns the biases with one slope for each head of Q.
    ///
    /// # Safety
    /// `slopes` is readable for one element per head of the launch.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new(slopes: *const f32) -> Self {
        Self { slopes }
    }
}

impl ScoreFunction for Alibi {
    #[inline(always)]
    fn score(self, score: f32, at: ScoreAt) -> f32 {
        // SAFETY: the tile scheduler gives only heads of the launch, and by `new`'s contract each
        // head has a slope.
        let slope = unsafe { *self.slopes.wrapping_add(at.head as usize) };
        GpuFloat::mul_add(-slope, at.distance.abs(), score)
    }
}

impl DifferentiableScore for Alibi {
    const SHIFTS: bool = true;
    #[inline(always)]
    fn with_derivative(self, score: f32, at: ScoreAt) -> [f32; 2] {
        [self.score(score, at), 1.0]
    }
}

/// Learnable sinks: the exponential of a logit for each head is added to the denominator of the
/// head's rows. Scores are unchanged.
///
/// ```
/// use gpu_kernels::attention::score::{ScoreFunction, Sinks};
/// let logits = [1.5, f32::NEG_INFINITY];
/// // SAFETY: a logit of each of two heads.
/// let sinks = unsafe { Sinks::new(logits.as_ptr()) };
/// assert_eq!((sinks.sink(0), sinks.sink(1)), (1.5, f32::NEG_INFINITY));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sinks {
    logits: *const f32,
}

impl Sinks {
    /// Returns the sinks with one logit for each head of Q. A head whose logit is -inf has no sink.
    ///
    /// # Safety
    /// `logits` is readable for one element per head of the launch.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new(logits: *const f32) -> Self {
        Self { logits }
    }
}

impl ScoreFunction for Sinks {
    const IDENTITY: bool = true;
    const USES_DISTANCE: bool = false;
    const SINKS: bool = true;
    #[inline(always)]
    fn sink(self, head: u32) -> f32 {
        // The logit is not read before the mainloop, which has no register to spare.
        // SAFETY: the tile scheduler gives only heads of the launch, and by `new`'s contract each
        // head has a logit.
        unsafe { *here(self.logits).wrapping_add(head as usize) }
    }
    #[inline(always)]
    fn score(self, score: f32, _: ScoreAt) -> f32 {
        score
    }
}

/// The log-sum-exp that the gradients read includes the sink.
impl DifferentiableScore for Sinks {
    const SHIFTS: bool = true;
    #[inline(always)]
    fn with_derivative(self, score: f32, _: ScoreAt) -> [f32; 2] {
        [score, 1.0]
    }
}

/// Two functions, one after the other: `B` is applied to the result of `A`. At most one of the two
/// may have a sink, which is then the sink of both.
///
/// ```
/// use gpu_kernels::attention::score::{Alibi, ScoreAt, ScoreFunction, SoftCap, Then};
/// let slopes = [0.5];
/// // SAFETY: a slope of the one head.
/// let capped_then_biased = Then(SoftCap::new(2.0).unwrap(), unsafe { Alibi::new(slopes.as_ptr()) });
/// let at = ScoreAt { distance: -4.0, ..ScoreAt::default() };
/// assert!(capped_then_biased.score(1e6, at).abs() < 1e-5);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Then<A, B>(pub A, pub B);

impl<A: ScoreFunction, B: ScoreFunction> ScoreFunction for Then<A, B> {
    const IDENTITY: bool = A::IDENTITY && B::IDENTITY;
    const MASKS: bool = A::MASKS || B::MASKS;
    const USES_DISTANCE: bool = A::USES_DISTANCE || B::USES_DISTANCE;
    const SINKS: bool = {
        assert!(!(A::SINKS && B::SINKS), "a head has one sink");
        A::SINKS || B::SINKS
    };
    #[inline(always)]
    fn sink(self, head: u32) -> f32 {
        if const { A::SINKS } {
            self.0.sink(head)
        } else {
            self.1.sink(head)
        }
    }
    #[inline(always)]
    fn score(self, score: f32, at: ScoreAt) -> f32 {
        self.1.score(self.0.score(score, at), at)
    }
}

/// The derivative by the chain rule, with each function's derivative at its own input.
///
/// ```
/// use gpu_kernels::attention::score::{Alibi, DifferentiableScore, ScoreAt, SoftCap, Then};
/// let slopes = [0.5];
/// let cap = SoftCap::new(2.0).unwrap();
/// // SAFETY: a slope of the one head.
/// let capped_then_biased = Then(cap, unsafe { Alibi::new(slopes.as_ptr()) });
/// let at = ScoreAt { distance: -4.0, ..ScoreAt::default() };
/// let [_, derivative] = capped_then_biased.with_derivative(1.5, at);
/// assert_eq!(derivative, cap.with_derivative(1.5, at)[1]);
/// ```
impl<A: DifferentiableScore, B: DifferentiableScore> DifferentiableScore for Then<A, B> {
    const SHIFTS: bool = A::SHIFTS && B::SHIFTS;
    #[inline(always)]
    fn with_derivative(self, score: f32, at: ScoreAt) -> [f32; 2] {
        let [between, of_first] = self.0.with_derivative(score, at);
        let [value, of_second] = self.1.with_derivative(between, at);
        [value, of_first * of_second]
    }
}

/// Calls a macro with the list of the compositions of score parts that have kernels in the
/// library's tables, followed by the macro's other arguments. The list has all compositions other
/// than a soft cap alone.
///
/// Each entry has: the parts, as `AttentionParts` names them; the prefix of a kernel's name; the
/// arguments that the parts bring, as `AttentionKernel::arguments` lists them; the type of the
/// score function; and its value in the kernel, whose launch gives every head a slope and a sink.
/// With `all` first, the list also has scores as they are, and a soft cap alone. With `gradients`
/// first, it has a soft cap alone and the compositions without sinks: the kernels of the gradients
/// find the sink in the log-sum-exp.
#[doc(hidden)]
#[macro_export]
macro_rules! each_score {
    (all $then:ident $($rest:tt)*) => {
        $crate::each_score! {
            @soft_cap @without_sinks @with_sinks [
                { $crate::attention::scope::AttentionParts::NONE, "", (), $crate::attention::score::Identity, $crate::attention::score::Identity }
            ] $then $($rest)*
        }
    };
    (gradients $then:ident $($rest:tt)*) => { $crate::each_score! { @soft_cap @without_sinks [] $then $($rest)* } };
    (@soft_cap $(@$next:ident)* [$($first:tt)*] $then:ident $($rest:tt)*) => {
        $crate::each_score! {
            $(@$next)* [
                $($first)*
                {
                    $crate::attention::scope::AttentionParts::NONE.soft_cap(), "soft_cap_", (score: $crate::attention::score::SoftCap),
                    $crate::attention::score::SoftCap, score
                }
            ] $then $($rest)*
        }
    };
    (@without_sinks $(@$next:ident)* [$($first:tt)*] $then:ident $($rest:tt)*) => {
        $crate::each_score! {
            $(@$next)* [
                $($first)*
                { $crate::attention::scope::AttentionParts::NONE.alibi(), "alibi_", (slopes: *const f32), $crate::attention::score::Alibi, $crate::attention::score::Alibi::new(slopes) }
                {
                    $crate::attention::scope::AttentionParts::NONE.soft_cap().alibi(), "soft_cap_alibi_", (score: $crate::attention::score::SoftCap, slopes: *const f32),
                    $crate::attention::score::Then<$crate::attention::score::SoftCap, $crate::attention::score::Alibi>,
                    $crate::attention::score::Then(score, $crate::attention::score::Alibi::new(slopes))
                }
            ] $then $($rest)*
        }
    };
    (@with_sinks [$($first:tt)*] $then:ident $($rest:tt)*) => {
        $crate::each_score! {
            [
                $($first)*
                { $crate::attention::scope::AttentionParts::NONE.sinks(), "sinks_", (sinks: *const f32), $crate::attention::score::Sinks, $crate::attention::score::Sinks::new(sinks) }
                {
                    $crate::attention::scope::AttentionParts::NONE.alibi().sinks(), "alibi_sinks_", (slopes: *const f32, sinks: *const f32),
                    $crate::attention::score::Then<$crate::attention::score::Alibi, $crate::attention::score::Sinks>,
                    $crate::attention::score::Then(
                        $crate::attention::score::Alibi::new(slopes),
                        $crate::attention::score::Sinks::new(sinks)
                    )
                }
                {
                    $crate::attention::scope::AttentionParts::NONE.soft_cap().sinks(), "soft_cap_sinks_", (score: $crate::attention::score::SoftCap, sinks: *const f32),
                    $crate::attention::score::Then<$crate::attention::score::SoftCap, $crate::attention::score::Sinks>,
                    $crate::attention::score::Then(score, $crate::attention::score::Sinks::new(sinks))
                }
                {
                    $crate::attention::scope::AttentionParts::NONE.soft_cap().alibi().sinks(), "soft_cap_alibi_sinks_",
                    (score: $crate::attention::score::SoftCap, slopes: *const f32, sinks: *const f32),
                    $crate::attention::score::Then<
                        $crate::attention::score::SoftCap,
                        $crate::attention::score::Then<$crate::attention::score::Alibi, $crate::attention::score::Sinks>
                    >,
                    $crate::attention::score::Then(
                        score,
                        $crate::attention::score::Then(
                            $crate::attention::score::Alibi::new(slopes),
                            $crate::attention::score::Sinks::new(sinks)
                        )
                    )
                }
            ] $then $($rest)*
        }
    };
    ([$($all:tt)*] $then:ident $($rest:tt)*) => { $then! { [$($all)*] $($rest)* } };
    ($then:ident $($rest:tt)*) => { $crate::each_score! { @without_sinks @with_sinks [] $then $($rest)* } };
}
