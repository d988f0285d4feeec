//! The score parts of a head in float64: a soft cap, ALiBi, a sink.

use kernel_abi::attention::AttentionProblem;

/// The score parts of one head: `cap tanh(s / cap)`, then `s - slope |distance|`, and a logit that
/// is added to the denominator. `From<Option<f32>>` makes score parts that consist only of a soft
/// cap.
///
/// ```
/// use host::reference::HeadScore;
/// let of = HeadScore { slope: Some(0.5), ..HeadScore::from(Some(2.0)) };
/// assert!((of.score(1e9, -3) - 0.5).abs() < 1e-12);
/// assert_eq!(HeadScore::default().score(1.5, -3), 1.5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeadScore {
    /// The soft cap.
    pub soft_cap: Option<f32>,
    /// ALiBi's slope.
    pub slope: Option<f32>,
    /// The logit of the sink. A logit of -inf means no sink.
    pub sink: Option<f32>,
}

impl From<Option<f32>> for HeadScore {
    fn from(soft_cap: Option<f32>) -> Self {
        Self {
            soft_cap,
            ..Self::default()
        }
    }
}

impl HeadScore {
    /// Applies the score parts to a scaled score of a key that is `distance` keys away from the
    /// query's own position.
    #[must_use]
    pub fn score(&self, score: f64, distance: i64) -> f64 {
        self.with_derivative(score, distance)[0]
    }

    /// Returns the result of [`score`](Self::score), and its derivative.
    ///
    /// ```
    /// use host::reference::HeadScore;
    /// let of = HeadScore { slope: Some(0.5), ..HeadScore::from(Some(2.0)) };
    /// assert_eq!(of.with_derivative(0.0, -3), [-1.5, 1.0]);
    /// assert_eq!(HeadScore::default().with_derivative(1.5, -3), [1.5, 1.0]);
    /// ```
    #[must_use]
    pub fn with_derivative(&self, score: f64, distance: i64) -> [f64; 2] {
        let [capped, derivative] = match self.soft_cap.map(f64::from) {
            Some(cap) => {
                let tanh = (score / cap).tanh();
                [cap * tanh, 1.0 - tanh * tanh]
            }
            None => [score, 1.0],
        };
        [capped - self.bias(distance), derivative]
    }

    /// Returns the amount by which ALiBi reduces the score of a key at this distance.
    pub(super) fn bias(&self, distance: i64) -> f64 {
        let slope = self.slope.map_or(0.0, f64::from);
        slope * distance.unsigned_abs() as f64
    }

    /// Returns the logit that is added to the denominator, or -inf if there is no sink.
    pub(super) fn sink(&self) -> f64 {
        self.sink.map_or(f64::NEG_INFINITY, f64::from)
    }
}

/// Returns the distance of key `key` from query `query`'s own position.
pub(super) fn distance(problem: &AttentionProblem, query: usize, key: usize) -> i64 {
    let own = query as i64 + i64::from(problem.keys) - i64::from(problem.queries);
    key as i64 - own
}
