//! The score parts of a run of attention: a soft cap, and slopes and sinks made for each head.

use crate::attention::{AttentionParts, AttentionRequest};
use host::reference::{self, HeadScore};
use host::{Buffer, Device, Error};

/// The score parts of a run. ALiBi's slope of head `h` is `2^(-8 (h + 1) / heads)`. Sinks are
/// uniform in [-8, 8), and depend on the run's seed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreRun {
    /// Replaces each score by `cap tanh(score / cap)` before the mask.
    pub soft_cap: Option<f32>,
    /// Whether each score is reduced by its head's slope for each key between the query's own place
    /// and its key.
    pub alibi: bool,
    /// Whether a logit of each head joins the denominator of its rows.
    pub sinks: bool,
}

impl ScoreRun {
    /// Returns the parts that a kernel has to compute, for sequences of one length.
    ///
    /// ```
    /// use cutlet::attention::AttentionParts;
    /// use cutlet::run::ScoreRun;
    /// let of = ScoreRun { sinks: true, ..ScoreRun::default() };
    /// assert_eq!(of.parts(), AttentionParts::NONE.sinks());
    /// ```
    #[must_use]
    pub fn parts(self) -> AttentionParts {
        AttentionParts {
            soft_cap: self.soft_cap.is_some(),
            alibi: self.alibi,
            sinks: self.sinks,
            ..AttentionParts::NONE
        }
    }

    /// Makes the slopes and sinks of `heads` heads.
    pub(super) fn of_heads(self, seed: u64, heads: u32) -> ScoreNumbers {
        let count = |has: bool| if has { heads as usize } else { 0 };
        let slope = |head: usize| (-8.0 * (head + 1) as f32 / heads as f32).exp2();
        let sinks = reference::fill::<f32>(seed ^ 1 << 35, count(self.sinks));
        ScoreNumbers {
            soft_cap: self.soft_cap,
            slopes: (0..count(self.alibi)).map(slope).collect(),
            sinks: sinks.into_iter().map(|sink| 8.0 * sink).collect(),
        }
    }
}

/// The soft cap, and the slopes and sinks of a run's heads.
pub(super) struct ScoreNumbers {
    soft_cap: Option<f32>,
    slopes: Vec<f32>,
    sinks: Vec<f32>,
}

impl ScoreNumbers {
    /// Returns the numbers of one head, for the reference.
    pub(super) fn of_head(&self, head: usize) -> HeadScore {
        HeadScore {
            soft_cap: self.soft_cap,
            slope: self.slopes.get(head).copied(),
            sink: self.sinks.get(head).copied(),
        }
    }

    /// Copies the numbers to a device.
    pub(super) fn upload(&self, device: &Device) -> Result<ScoreBuffers, Error> {
        Ok(ScoreBuffers {
            soft_cap: self.soft_cap,
            slopes: device.upload(&self.slopes)?,
            sinks: device.upload(&self.sinks)?,
        })
    }
}

/// The soft cap, and the slopes and sinks on a device.
pub(super) struct ScoreBuffers {
    soft_cap: Option<f32>,
    slopes: Buffer<f32>,
    sinks: Buffer<f32>,
}

impl ScoreBuffers {
    /// Returns the request of a launch with these numbers.
    pub(super) fn request(&self) -> AttentionRequest<'_> {
        let there = |of: &'_ Buffer<f32>| !of.is_empty();
        AttentionRequest {
            soft_cap: self.soft_cap,
            slopes: there(&self.slopes).then(|| self.slopes.all()),
            sinks: there(&self.sinks).then(|| self.sinks.all()),
            ..AttentionRequest::default()
        }
    }
}
