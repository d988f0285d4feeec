//! The names that types, orders and schedules have on the command line, in tables and in reports.
//!
//! ```text
//!   f16 bf16 tf32 s8 e4m3 e5m2      f32 f16 s32      tn nn tt nt      tensor blocks      tiles  persistent  split-k:4  cluster-split-k:2  stream-k
//! ```
//!
//! Law: reading a name gives the value from which the name was written.

use kernel_abi::gemm::{AccumulatorType, InputType, Majors, OutputType, Scaling, Schedule};
use std::fmt;
use std::str::FromStr;

/// The schedule that a caller requests. The number of CTAs of the schedule depends on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScheduleRequest {
    /// The schedule that the table has for the problem. For a kernel that the caller names, it is
    /// the schedule for which the kernel is made.
    #[default]
    Auto,
    /// One CTA per tile.
    Tiles,
    /// Split-K with this number of slices.
    SplitK(u32),
    /// Split-K in clusters of this number of CTAs, 2 to 8. Only Hopper's configurations with small
    /// tiles accept it.
    ClusterSplitK(u32),
    /// Stream-K with as many CTAs as are resident at once.
    StreamK,
    /// A persistent kernel with as many CTAs as are resident at once. Only persistent
    /// configurations accept it.
    Persistent,
}

impl From<Schedule> for ScheduleRequest {
    /// Returns the request to which a launch with this schedule corresponds.
    fn from(schedule: Schedule) -> Self {
        match schedule {
            Schedule::Tiles => Self::Tiles,
            Schedule::SplitK(slices) => Self::SplitK(slices),
            Schedule::ClusterSplitK(ctas) => Self::ClusterSplitK(ctas),
            Schedule::StreamK(_) => Self::StreamK,
            Schedule::Persistent(_) => Self::Persistent,
        }
    }
}

impl fmt::Display for ScheduleRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Tiles => f.write_str("tiles"),
            Self::SplitK(slices) => write!(f, "split-k:{slices}"),
            Self::ClusterSplitK(ctas) => write!(f, "cluster-split-k:{ctas}"),
            Self::StreamK => f.write_str("stream-k"),
            Self::Persistent => f.write_str("persistent"),
        }
    }
}

impl FromStr for ScheduleRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => return Ok(Self::Auto),
            "tiles" => return Ok(Self::Tiles),
            "stream-k" => return Ok(Self::StreamK),
            "persistent" => return Ok(Self::Persistent),
            _ => {}
        }
        let number = |prefix| text.strip_prefix(prefix)?.parse().ok();
        match (number("split-k:"), number("cluster-split-k:")) {
            (Some(slices @ 2..=1024), _) => Ok(Self::SplitK(slices)),
            (_, Some(ctas @ 2..=8)) => Ok(Self::ClusterSplitK(ctas)),
            _ => Err(format!(
                "`{text}` is no schedule: auto, tiles, stream-k, persistent, split-k:2 to split-k:1024, or cluster-split-k:2 to cluster-split-k:8"
            )),
        }
    }
}

/// A type whose values have names on the command line, in tables and in reports.
pub trait Named: Sized + Copy + PartialEq + 'static {
    /// Every value and its name.
    const ALL: &'static [(Self, &'static str)];

    /// Returns the value's name.
    fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(value, _)| *value == self)
            .map_or("", |(_, name)| name)
    }

    /// Returns the value with this name.
    ///
    /// # Errors
    /// Returns a message with the existing names.
    fn read(text: &str) -> Result<Self, String> {
        let names: Vec<&str> = Self::ALL.iter().map(|(_, name)| *name).collect();
        Self::ALL
            .iter()
            .find(|(_, name)| *name == text)
            .map(|(value, _)| *value)
            .ok_or_else(|| format!("`{text}` is none of {}", names.join(", ")))
    }
}

impl Named for InputType {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::F16, "f16"),
        (Self::Bf16, "bf16"),
        (Self::Tf32, "tf32"),
        (Self::S8, "s8"),
        (Self::E4m3, "e4m3"),
        (Self::E5m2, "e5m2"),
    ];
}

impl Named for AccumulatorType {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::F32, "f32"), (Self::F16, "f16"), (Self::S32, "s32")];
}

impl Named for Majors {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Tn, "tn"),
        (Self::Nn, "nn"),
        (Self::Tt, "tt"),
        (Self::Nt, "nt"),
    ];
}

impl Named for Scaling {
    const ALL: &'static [(Self, &'static str)] =
        &[(Self::Tensor, "tensor"), (Self::Blocks, "blocks")];
}

/// Returns the name of D's type, which depends on the inputs' type.
#[must_use]
pub fn output_name(input: InputType, output: OutputType) -> &'static str {
    match (output, input) {
        (OutputType::Same, InputType::Tf32) | (OutputType::F32, _) => "f32",
        (OutputType::Same, input) => input.name(),
        (OutputType::S32, _) => "s32",
        (OutputType::Bf16, _) => "bf16",
    }
}

/// Returns D's type with this name.
///
/// # Errors
/// Returns a message with the existing names.
pub fn output_of(input: InputType, text: &str) -> Result<OutputType, String> {
    let all = match input {
        InputType::S8 => &[OutputType::Same, OutputType::F32, OutputType::S32][..],
        InputType::E4m3 | InputType::E5m2 => &[OutputType::Same, OutputType::F32, OutputType::Bf16],
        _ => &[OutputType::Same, OutputType::F32][..],
    };
    all.iter()
        .find(|&&output| output_name(input, output) == text)
        .copied()
        .ok_or_else(|| {
            let mut names: Vec<_> = all
                .iter()
                .map(|&output| output_name(input, output))
                .collect();
            names.dedup();
            format!(
                "there is no kernel from {} to {text}: with {0}, the output is {}",
                input.name(),
                names.join(" or ")
            )
        })
}

/// Serialises a [`Named`] value as its name.
pub(crate) mod by_name {
    use super::Named;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<T: Named, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(value.name())
    }

    pub fn deserialize<'de, T: Named, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        T::read(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// Serialises a [`ScheduleRequest`] as its name.
pub(crate) mod schedule_by_name {
    use super::ScheduleRequest;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(value: &ScheduleRequest, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ScheduleRequest, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_are_read_back<T: Named + std::fmt::Debug>() {
        for &(value, name) in T::ALL {
            assert_eq!(T::read(name), Ok(value));
            assert_eq!(value.name(), name);
        }
        assert!(T::read("f8").is_err());
    }

    #[test]
    fn names_are_values() {
        names_are_read_back::<InputType>();
        names_are_read_back::<AccumulatorType>();
        names_are_read_back::<Majors>();
        for schedule in [
            ScheduleRequest::Auto,
            ScheduleRequest::Tiles,
            ScheduleRequest::SplitK(7),
            ScheduleRequest::ClusterSplitK(4),
            ScheduleRequest::StreamK,
            ScheduleRequest::Persistent,
        ] {
            assert_eq!(schedule.to_string().parse(), Ok(schedule));
        }
        for wrong in ["split-k", "split-k:1", "split-k:x", "cluster-split-k:9", ""] {
            assert!(wrong.parse::<ScheduleRequest>().is_err(), "{wrong}");
        }
        for (input, output, name) in [
            (InputType::F16, OutputType::Same, "f16"),
            (InputType::Bf16, OutputType::F32, "f32"),
            (InputType::Tf32, OutputType::Same, "f32"),
            (InputType::S8, OutputType::S32, "s32"),
            (InputType::E4m3, OutputType::Bf16, "bf16"),
            (InputType::E5m2, OutputType::Same, "e5m2"),
        ] {
            assert_eq!(output_name(input, output), name);
            assert_eq!(output_of(input, name), Ok(output));
        }
        assert_eq!(
            output_of(InputType::F16, "bf16").unwrap_err(),
            "there is no kernel from f16 to bf16: with f16, the output is f16 or f32"
        );
    }
}
