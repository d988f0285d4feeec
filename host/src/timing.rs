//! Measured times, and the clock that measured them.
//!
//! ```text
//!   warm-up ×w   sample₁ … sampleₙ ──► median   (the middle one; of an even number, the mean of the middle two)
//! ```

use crate::device::Kind;
use std::fmt;

/// The numbers of runs of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The number of runs before the measurement. These runs do not count.
    pub warmup: usize,
    /// The number of runs that count. A value of 0 is taken as 1.
    pub runs: usize,
}

impl Timing {
    /// Returns a sensible number of runs for a kind of device: many runs after a warm-up on the
    /// GPU, and one run on the emulator, whose time says nothing about the time on a GPU.
    #[must_use]
    pub fn sensible(kind: Kind) -> Self {
        match kind {
            Kind::Gpu => Self {
                warmup: 5,
                runs: 50,
            },
            Kind::Emulator => Self { warmup: 0, runs: 1 },
        }
    }
}

/// The clock of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The GPU's clock, by CUDA events around each run.
    CudaEvents,
    /// The processor's clock.
    Wall,
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CudaEvents => "CUDA events",
            Self::Wall => "wall clock",
        })
    }
}

/// A measured time, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    /// The median of the samples.
    pub median: f64,
    /// The shortest sample.
    pub min: f64,
    /// The longest sample.
    pub max: f64,
    /// The number of samples.
    pub runs: usize,
    /// The clock.
    pub clock: Clock,
}

impl Time {
    /// Makes a time from the samples of a measurement, in seconds.
    ///
    /// ```
    /// use host::{Clock, Time};
    /// let time = Time::from_samples(Clock::Wall, vec![3.0, 1.0, 2.0, 10.0]);
    /// assert_eq!((time.min, time.median, time.max), (1.0, 2.5, 10.0));
    /// ```
    ///
    /// All three times are NaN if there are no samples.
    #[must_use]
    pub fn from_samples(clock: Clock, mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        let runs = seconds.len();
        let at = |index: usize| seconds.get(index).copied().unwrap_or(f64::NAN);
        Self {
            median: f64::midpoint(at(runs.saturating_sub(1) / 2), at(runs / 2)),
            min: at(0),
            max: at(runs.saturating_sub(1)),
            runs,
            clock,
        }
    }

    /// Returns the speed in 10¹² operations per second, for work that takes `operations`
    /// operations.
    #[must_use]
    pub fn tera_per_second(&self, operations: f64) -> f64 {
        operations / self.median * 1e-12
    }
}

impl fmt::Display for Time {
    /// Formats the time: `1.234 ms (median of 50 by CUDA events)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.median {
            seconds if seconds < 1e-3 => (seconds * 1e6, "µs"),
            seconds if seconds < 1.0 => (seconds * 1e3, "ms"),
            seconds => (seconds, "s"),
        };
        match self.runs {
            1 => write!(f, "{value:.3} {unit} (one run by {})", self.clock),
            runs => write!(f, "{value:.3} {unit} (median of {runs} by {})", self.clock),
        }
    }
}
