//! Decides whether a device may run a PTX module, by the rules of PTX's `.target` directive.
//!
//! ```text
//!   .target sm_80     any device of compute capability 8.0 or more
//!   .target sm_90a    only 9.0: its instructions exist only on that architecture
//!   .target sm_100f   the family: same major number, same or larger minor number
//! ```
//!
//! Source: PTX ISA, "PTX Module Directives: .target" (architecture-specific and
//! family-specific targets), and the CUDA programming guide on compute capabilities.

use std::fmt;
use std::str::FromStr;

/// The suffix of a PTX target, which says on which later architectures the PTX also runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// No suffix: the PTX runs on this architecture and every later one.
    Onward,
    /// Suffix `f`: the PTX runs on this architecture and later ones of the same family (same major
    /// number).
    Family,
    /// Suffix `a`: the PTX runs only on this architecture.
    Exact,
}

/// The target of a PTX module: `sm_80`, `sm_90a`, `sm_100f`.
///
/// ```
/// use host::Target;
/// let hopper: Target = "sm_90a".parse()?;
/// assert!(hopper.runs_on((9, 0)));
/// assert!(!hopper.runs_on((10, 0)), "'a' targets do not go onward");
/// assert_eq!(hopper.to_string(), "sm_90a");
/// # Ok::<(), host::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The major number of the compute capability.
    pub major: u32,
    /// The minor number of the compute capability, one decimal digit.
    pub minor: u32,
    /// The suffix.
    pub reach: Reach,
}

impl Target {
    /// Whether a device of compute capability `device` may run PTX for this target.
    #[must_use]
    pub fn runs_on(self, device: (u32, u32)) -> bool {
        let own = (self.major, self.minor);
        match self.reach {
            Reach::Onward => device >= own,
            Reach::Family => device.0 == self.major && device.1 >= self.minor,
            Reach::Exact => device == own,
        }
    }

    /// Returns the rule as text, for messages.
    pub(crate) fn rule(self) -> String {
        let Self { major, minor, .. } = self;
        match self.reach {
            Reach::Onward => {
                format!("it needs a device of compute capability {major}.{minor} or more")
            }
            Reach::Family => format!(
                "a target with the suffix `f` runs on its own family alone, {major}.{minor} or more \
                 with the major number {major}"
            ),
            Reach::Exact => format!(
                "a target with the suffix `a` runs on its very architecture alone, compute capability \
                 {major}.{minor}"
            ),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.reach {
            Reach::Onward => "",
            Reach::Family => "f",
            Reach::Exact => "a",
        };
        write!(f, "sm_{}{}{suffix}", self.major, self.minor)
    }
}

impl FromStr for Target {
    type Err = crate::Error;

    /// Reads `sm_` followed by the digits of a compute capability and an optional suffix.
    ///
    /// # Errors
    /// Returns [`Error::NotATarget`](crate::Error::NotATarget) for any other text.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || crate::Error::NotATarget { text: text.into() };
        let rest = text.strip_prefix("sm_").ok_or_else(refuse)?;
        let (digits, reach) = match rest.as_bytes().last() {
            Some(b'a') => (&rest[..rest.len() - 1], Reach::Exact),
            Some(b'f') => (&rest[..rest.len() - 1], Reach::Family),
            _ => (rest, Reach::Onward),
        };
        if digits.len() < 2 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(refuse());
        }
        let number: u32 = digits.parse().map_err(|_| refuse())?;
        Ok(Self {
            major: number / 10,
            minor: number % 10,
            reach,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICES: [(u32, u32); 9] = [
        (7, 5),
        (8, 0),
        (8, 6),
        (8, 9),
        (9, 0),
        (10, 0),
        (10, 3),
        (12, 0),
        (12, 1),
    ];

    /// Returns the devices of the list above that run `target`, in the order of the list.
    fn runs(target: &str) -> Vec<(u32, u32)> {
        let target: Target = target.parse().unwrap();
        DEVICES
            .into_iter()
            .filter(|&device| target.runs_on(device))
            .collect()
    }

    #[test]
    fn plain_targets_go_onward_over_major_numbers() {
        assert_eq!(runs("sm_80"), DEVICES[1..]);
        assert_eq!(runs("sm_89"), DEVICES[3..]);
        assert_eq!(runs("sm_100"), DEVICES[5..]);
        assert_eq!(runs("sm_130"), []);
    }

    #[test]
    fn suffix_a_is_one_architecture() {
        assert_eq!(runs("sm_90a"), [(9, 0)]);
        assert_eq!(runs("sm_100a"), [(10, 0)]);
    }

    #[test]
    fn suffix_f_stays_in_its_family() {
        assert_eq!(runs("sm_100f"), [(10, 0), (10, 3)]);
        assert_eq!(runs("sm_103f"), [(10, 3)]);
        assert_eq!(runs("sm_120f"), [(12, 0), (12, 1)]);
    }

    #[test]
    fn what_is_no_target_is_refused() {
        for text in [
            "",
            "sm_",
            "sm_9",
            "sm_a",
            "sm_90b",
            "compute_80",
            "sm_8 0",
            "sm_99999999999",
        ] {
            assert!(text.parse::<Target>().is_err(), "{text:?}");
        }
    }
}
