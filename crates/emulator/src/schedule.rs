//! The times at which asynchronous operations happen.
//!
//! ```text
//! early      at their issue
//! late       when a wait cannot go on without them
//! seeded:7   in between, by chance
//! ```
//!
//! Law: a [`Schedule`] prints as the name from which it is parsed. A correct program has the same
//! result under every schedule, and a finding does not depend on the schedule.

use std::fmt;
use std::str::FromStr;

/// The times at which asynchronous operations happen: bulk copies, the reads of `wgmma`, and the
/// products and copies of `tcgen05`.
///
/// ```
/// use emulator::Schedule;
/// assert_eq!("seeded:7".parse(), Ok(Schedule::Seeded(7)));
/// assert_eq!(Schedule::Late.to_string(), "late");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Schedule {
    /// The operations happen as soon as they are issued.
    #[default]
    Early,
    /// The operations happen as late as possible: when a wait cannot continue without them.
    Late,
    /// The operations happen between the issue and the wait, at times and in an order that the
    /// number determines.
    Seeded(u64),
}

/// A name that is not the name of a [`Schedule`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no schedule is called `{found}`; there are early, late and seeded:NUMBER")]
pub struct UnknownSchedule {
    /// The name.
    pub found: String,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Early => f.write_str("early"),
            Schedule::Late => f.write_str("late"),
            Schedule::Seeded(seed) => write!(f, "seeded:{seed}"),
        }
    }
}

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let seed = || name.strip_prefix("seeded:")?.parse().ok();
        match name {
            "early" => Ok(Schedule::Early),
            "late" => Ok(Schedule::Late),
            _ => seed().map(Schedule::Seeded).ok_or_else(|| UnknownSchedule {
                found: name.to_owned(),
            }),
        }
    }
}
