//! GPU architectures: the arguments of [`CudaBuilder::arch`](crate::CudaBuilder::arch).
//!
//! Law: `compute_XX` (the PTX feature level, upstream's name) and `sm_XX` (LLVM's name of the same
//! level, the PTX `.target`) differ only in their prefix. Parsing either name gives the
//! architecture that the name was written for.
//!
//! ```text
//! NvvmArch::Compute90a ── Display ──> "compute_90a" ── FromStr ──> NvvmArch::Compute90a
//!                     └─ sm() ──────> "sm_90a"      ── FromStr ──┘
//! ```

use std::fmt;
use std::str::FromStr;

/// The GPUs on which the PTX of an architecture runs.
///
/// Source: CUDA C++ Programming Guide, "Feature-set compiler targets".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArchVariant {
    /// No suffix: every GPU of this compute capability or a later one.
    Baseline,
    /// Suffix `f`: the GPUs of the same family (same major capability, same or later minor).
    Family,
    /// Suffix `a`: GPUs of exactly this compute capability (`wgmma`, `setmaxnreg`, ...).
    Architecture,
}

macro_rules! architectures {
    ($($(#[$attr:meta])* $name:ident = $capability:literal $suffix:literal $variant:ident,)*) => {
        /// The virtual architecture for which kernels are compiled.
        ///
        /// The names are those of upstream, which is Rust-CUDA. The driver compiles PTX for one
        /// architecture for any GPU that [`ArchVariant`] allows. `Compute73` is the only upstream
        /// name that is absent: LLVM has no such processor.
        ///
        /// ```
        /// use cuda_builder::NvvmArch;
        /// assert_eq!(NvvmArch::Compute90a.to_string(), "compute_90a");
        /// assert_eq!(NvvmArch::Compute90a.sm(), "sm_90a");
        /// assert_eq!("sm_80".parse(), Ok(NvvmArch::Compute80));
        /// assert_eq!(NvvmArch::default(), NvvmArch::Compute75);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[non_exhaustive]
        pub enum NvvmArch {
            $(
                $(#[$attr])*
                #[doc = concat!("Compute capability ", $capability, $suffix, " (tenths).")]
                $name,
            )*
        }

        impl NvvmArch {
            /// Every architecture, in ascending order.
            pub const ALL: &'static [NvvmArch] = &[$(NvvmArch::$name),*];

            /// Returns the compute capability times ten: 75 for 7.5, 120 for 12.0.
            pub const fn capability_value(&self) -> u32 {
                match self { $(Self::$name => $capability,)* }
            }

            /// Returns the name without its prefix: `80`, `90a`, `100f`.
            const fn digits(&self) -> &'static str {
                match self { $(Self::$name => concat!($capability, $suffix),)* }
            }

            /// Returns the GPUs on which PTX for this architecture runs.
            pub const fn variant(&self) -> ArchVariant {
                match self { $(Self::$name => ArchVariant::$variant,)* }
            }

            /// Returns the `target_feature` by which kernel code can test for this architecture:
            /// `compute_80`.
            pub const fn target_feature(&self) -> &'static str {
                match self { $(Self::$name => concat!("compute_", $capability, $suffix),)* }
            }

            /// Returns LLVM's processor name, which is also the PTX `.target`: `sm_80`.
            pub const fn sm(&self) -> &'static str {
                match self { $(Self::$name => concat!("sm_", $capability, $suffix),)* }
            }
        }
    };
}

architectures! {
    Compute35 = 35 "" Baseline,
    Compute37 = 37 "" Baseline,
    Compute50 = 50 "" Baseline,
    Compute52 = 52 "" Baseline,
    Compute53 = 53 "" Baseline,
    Compute60 = 60 "" Baseline,
    Compute61 = 61 "" Baseline,
    Compute62 = 62 "" Baseline,
    Compute70 = 70 "" Baseline,
    Compute72 = 72 "" Baseline,
    /// The default, the same as upstream's: the oldest architecture that CUDA 13 supports.
    #[default]
    Compute75 = 75 "" Baseline,
    Compute80 = 80 "" Baseline,
    Compute86 = 86 "" Baseline,
    Compute87 = 87 "" Baseline,
    Compute88 = 88 "" Baseline,
    Compute89 = 89 "" Baseline,
    Compute90 = 90 "" Baseline,
    Compute90a = 90 "a" Architecture,
    Compute100 = 100 "" Baseline,
    Compute100f = 100 "f" Family,
    Compute100a = 100 "a" Architecture,
    Compute101 = 101 "" Baseline,
    Compute101f = 101 "f" Family,
    Compute101a = 101 "a" Architecture,
    Compute103 = 103 "" Baseline,
    Compute103f = 103 "f" Family,
    Compute103a = 103 "a" Architecture,
    Compute110 = 110 "" Baseline,
    Compute110f = 110 "f" Family,
    Compute110a = 110 "a" Architecture,
    Compute120 = 120 "" Baseline,
    Compute120f = 120 "f" Family,
    Compute120a = 120 "a" Architecture,
    Compute121 = 121 "" Baseline,
    Compute121f = 121 "f" Family,
    Compute121a = 121 "a" Architecture,
}

impl NvvmArch {
    /// Returns the major compute capability: 8 for 8.6.
    pub const fn major_version(&self) -> u32 {
        self.capability_value() / 10
    }

    /// Returns the minor compute capability: 6 for 8.6.
    pub const fn minor_version(&self) -> u32 {
        self.capability_value() % 10
    }

    /// Whether the name has no suffix: see [`ArchVariant::Baseline`].
    pub fn is_base_variant(&self) -> bool {
        self.variant() == ArchVariant::Baseline
    }

    /// Whether the name has the suffix `f`: see [`ArchVariant::Family`].
    pub fn is_family_variant(&self) -> bool {
        self.variant() == ArchVariant::Family
    }

    /// Whether the name has the suffix `a`: see [`ArchVariant::Architecture`].
    pub fn is_architecture_variant(&self) -> bool {
        self.variant() == ArchVariant::Architecture
    }

    /// Returns the architecture of the same capability without a suffix.
    pub fn base_architecture(&self) -> Self {
        let same = |arch: &&Self| arch.capability_value() == self.capability_value();
        let mut bases = Self::ALL.iter().filter(|arch| arch.is_base_variant());
        bases.find(same).copied().unwrap_or(*self)
    }

    /// Returns the architectures of the same capability, including `self`.
    pub fn get_variants(&self) -> Vec<Self> {
        Self::variants_for_capability(self.capability_value())
    }

    /// Returns the architectures of a capability, which is given times ten. The result is empty if
    /// there is no such capability.
    ///
    /// ```
    /// use cuda_builder::NvvmArch::{self, *};
    /// assert_eq!(NvvmArch::variants_for_capability(90), [Compute90, Compute90a]);
    /// assert_eq!(NvvmArch::variants_for_capability(91), []);
    /// ```
    pub fn variants_for_capability(capability: u32) -> Vec<Self> {
        let of_it = |arch: &&Self| arch.capability_value() == capability;
        Self::ALL.iter().filter(of_it).copied().collect()
    }

    /// Returns the architectures whose features a build for `self` has: `self` and the
    /// architectures that it includes. Kernel code may test for any of these features:
    /// `#[cfg(target_feature = "compute_80")]`.
    ///
    /// Law: `b ∈ a.all_target_features()` exactly if PTX for `a` may use everything that PTX for
    /// `b` may use. This holds for an unsuffixed `b` of the same or a lower capability, and for an
    /// architecture-specific `b` only if `b == a`. If `a` has a suffix, it also holds for a family
    /// `b` of the same major and the same or a lower minor capability.
    ///
    /// ```
    /// use cuda_builder::NvvmArch::*;
    /// assert!(Compute90a.all_target_features().contains(&Compute90));
    /// assert!(!Compute90.all_target_features().contains(&Compute90a));
    /// assert!(Compute103f.all_target_features().contains(&Compute100f));
    /// assert!(!Compute120f.all_target_features().contains(&Compute100f));
    /// ```
    pub fn all_target_features(&self) -> Vec<NvvmArch> {
        let covers = |b: &&NvvmArch| match b.variant() {
            ArchVariant::Baseline => b.capability_value() <= self.capability_value(),
            ArchVariant::Family => {
                self.variant() != ArchVariant::Baseline
                    && b.major_version() == self.major_version()
                    && b.minor_version() <= self.minor_version()
            }
            ArchVariant::Architecture => **b == *self,
        };
        Self::ALL.iter().filter(covers).copied().collect()
    }
}

impl fmt::Display for NvvmArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.target_feature())
    }
}

/// A string that is not the name of an [`NvvmArch`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown GPU architecture `{found}`: expected compute_XX or sm_XX with XX one of {}",
    names()
)]
pub struct UnknownArch {
    /// The string that was parsed.
    pub found: String,
}

fn names() -> String {
    let digits: Vec<_> = NvvmArch::ALL.iter().map(NvvmArch::digits).collect();
    digits.join(", ")
}

impl FromStr for NvvmArch {
    type Err = UnknownArch;

    /// Parses `compute_80` and `sm_80`.
    fn from_str(s: &str) -> Result<Self, UnknownArch> {
        s.strip_prefix("compute_")
            .or_else(|| s.strip_prefix("sm_"))
            .and_then(|digits| Self::ALL.iter().find(|arch| arch.digits() == digits))
            .copied()
            .ok_or_else(|| UnknownArch {
                found: s.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_round_trip_and_are_distinct() {
        let mut seen = HashSet::new();
        for arch in NvvmArch::ALL {
            assert_eq!(arch.to_string().parse(), Ok(*arch));
            assert_eq!(arch.sm().parse(), Ok(*arch));
            assert_eq!(
                arch.to_string().replace("compute_", "sm_"),
                arch.sm(),
                "only the prefix differs"
            );
            // The variant's name contains the same number.
            assert_eq!(
                format!("{arch:?}").to_lowercase().replace("compute", "sm_"),
                arch.sm()
            );
            assert!(seen.insert(arch.sm()));
            assert_eq!(
                arch.capability_value(),
                arch.major_version() * 10 + arch.minor_version()
            );
        }
    }

    #[test]
    fn every_architecture_has_its_base_among_its_variants() {
        for arch in NvvmArch::ALL {
            let base = arch.base_architecture();
            assert_eq!(base.sm(), arch.sm().trim_end_matches(['a', 'f']));
            assert!(base.is_base_variant());
            assert!(arch.get_variants().contains(&base) && arch.get_variants().contains(arch));
            let kinds = [
                arch.is_base_variant(),
                arch.is_family_variant(),
                arch.is_architecture_variant(),
            ];
            assert_eq!(kinds.iter().filter(|kind| **kind).count(), 1);
        }
    }

    #[test]
    fn bad_names_are_refused_with_what_is_allowed() {
        for bad in [
            "",
            "80",
            "compute80",
            "compute_",
            "compute_81",
            "sm_80a",
            "SM_80",
            "sm_ 80",
        ] {
            let error = bad.parse::<NvvmArch>().unwrap_err();
            assert_eq!(error.found, bad);
            assert!(error.to_string().contains("90a"), "{error}");
        }
    }

    #[test]
    fn being_a_superset_is_a_partial_order() {
        for a in NvvmArch::ALL {
            let of_a = a.all_target_features();
            assert!(of_a.contains(a));
            for b in &of_a {
                if b != a {
                    assert!(!b.all_target_features().contains(a), "{a} and {b}");
                }
                for c in b.all_target_features() {
                    assert!(of_a.contains(&c), "{a} has {b}, which has {c}");
                }
            }
        }
    }
}
