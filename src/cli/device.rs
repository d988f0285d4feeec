//! `--device`: where to run.

use super::{Common, Failure};
use cutlet::kernels::Modules;
use host::Device;
use std::str::FromStr;

/// What `--device` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first GPU where there is one, otherwise the emulator.
    Best,
    /// The GPU of this index.
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
    /// Opens it.
    pub fn open(self) -> Result<Device, Failure> {
        Ok(match self {
            Self::Best => Device::best(),
            Self::Gpu(index) => Device::gpu(index)?,
            Self::Emulator => Device::emulator(),
        })
    }
}

impl Common {
    /// The kernels, on the device.
    pub fn open(&self) -> Result<Modules, Failure> {
        Ok(match self.device {
            DeviceChoice::Best => Modules::best()?,
            choice => Modules::load(&choice.open()?)?,
        })
    }

    /// How often to run, where it was said.
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
}
