//! `--device`: where to run.

use super::{Common, Failure};
use cutlet::kernels;
use host::{Device, Module};
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
    /// The device, with the kernels loaded.
    pub fn open(&self) -> Result<(Device, Module), Failure> {
        self.open_with(kernels::ptx()?)
    }

    /// The device, with a module loaded.
    pub fn open_with(&self, ptx: &str) -> Result<(Device, Module), Failure> {
        if self.device == DeviceChoice::Best {
            return Ok(Device::best_for(ptx)?);
        }
        let device = self.device.open()?;
        let module = device.load(ptx)?;
        Ok((device, module))
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
