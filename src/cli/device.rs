//! `--device` and `--arch`: the device on which a command runs.

use super::{Common, Failure};
use cutlet::kernels::Modules;
use host::{Device, EmulatorConfig, Target};
use std::str::FromStr;

/// The value of `--device`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first GPU if there is one, otherwise the emulator.
    Best,
    /// The GPU with this index.
    Gpu(u32),
    /// The emulator.
    Emulator,
}

impl FromStr for DeviceChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "best" => Ok(Self::Best),
            "gpu" => Ok(Self::Gpu(0)),
            "emulator" => Ok(Self::Emulator),
            _ => text
                .strip_prefix("gpu:")
                .and_then(|index| index.parse().ok())
                .map(Self::Gpu)
                .ok_or_else(|| "it is best, gpu, gpu:<index> or emulator".into()),
        }
    }
}

impl DeviceChoice {
    /// Opens the device.
    pub fn open(self) -> Result<Device, Failure> {
        Ok(match self {
            Self::Best => Device::best(),
            Self::Gpu(index) => Device::gpu(index)?,
            Self::Emulator => Device::emulator(),
        })
    }
}

/// The value of `--arch`: the GPU that the emulator emulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmulatedArch {
    compute_capability: (u32, u32),
}

/// The compute capabilities that `--arch` accepts.
const EMULATED: [(u32, u32); 5] = [(8, 0), (8, 6), (8, 9), (9, 0), (10, 0)];

impl FromStr for EmulatedArch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = |target: &Target| EMULATED.contains(&(target.major, target.minor));
        match text.parse::<Target>() {
            Ok(target) if known(&target) => Ok(Self {
                compute_capability: (target.major, target.minor),
            }),
            _ => {
                let names = EMULATED.map(|(major, minor)| format!("sm_{major}{minor}"));
                Err(format!("it is one of {}", names.join(", ")))
            }
        }
    }
}

impl EmulatedArch {
    /// Returns the emulated device.
    pub fn open(self) -> Device {
        Device::emulator_with(EmulatorConfig {
            compute_capability: self.compute_capability,
            ..EmulatorConfig::default()
        })
    }
}

impl Common {
    /// Loads the kernels on the device.
    pub fn open(&self) -> Result<Modules, Failure> {
        if let Some(arch) = self.arch {
            return Ok(Modules::load(&arch.open())?);
        }
        Ok(match self.device {
            DeviceChoice::Best => Modules::best()?,
            choice => Modules::load(&choice.open()?)?,
        })
    }

    /// Returns the number of runs, or `None` if the user gave none.
    pub fn timing(&self) -> Option<host::Timing> {
        self.runs.map(|runs| host::Timing {
            warmup: 5,
            runs: runs as usize,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        assert_eq!("best".parse(), Ok(DeviceChoice::Best));
        assert_eq!("gpu".parse(), Ok(DeviceChoice::Gpu(0)));
        assert_eq!("gpu:3".parse(), Ok(DeviceChoice::Gpu(3)));
        assert_eq!("emulator".parse(), Ok(DeviceChoice::Emulator));
        for wrong in ["", "gpu:", "gpu:x", "gpu:-1", "cpu", "GPU"] {
            assert!(wrong.parse::<DeviceChoice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn architectures() {
        let named = |text: &str| text.parse::<EmulatedArch>().map(|of| of.compute_capability);
        assert_eq!(named("sm_80"), Ok((8, 0)));
        assert_eq!(named("sm_100a"), Ok((10, 0)));
        assert_eq!(
            named("sm_120a").unwrap_err(),
            "it is one of sm_80, sm_86, sm_89, sm_90, sm_100"
        );
        assert!(named("blackwell").is_err());
    }
}
