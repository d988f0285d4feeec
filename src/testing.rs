//! Checks for tests: a test fails on any finding of the emulator.
//!
//! ```text
//!   Check::new() ──► .passes(|device| ..)   panics with the finding and its place
//!                ──► .finds(|device| ..)    panics without a finding: for tests of faulty kernels
//!                ──► .file("reduce.toml")   a launch file, at all its sizes
//! ```
//!
//! ```
//! use cutlet::testing::Check;
//! use host::Launch;
//!
//! let ptx = "
//!     .version 7.0 .target sm_80 .address_size 64
//!     .visible .entry square(.param .u64 x) {
//!       .reg .b64 %a<4>; .reg .b32 %r<4>;
//!       ld.param.u64 %a0, [x]; mov.u32 %r0, %tid.x; mul.wide.u32 %a1, %r0, 4; add.u64 %a2, %a0, %a1;
//!       ld.global.u32 %r1, [%a2]; mul.lo.u32 %r1, %r1, %r1; st.global.u32 [%a2], %r1; ret; }";
//! let square = |device: &host::Device, threads: u32| {
//!     let mut x = device.upload(&[1_u32, 2, 3])?;
//!     device.load(ptx)?.kernel("square")?.launch(&Launch::new(1, threads), (&mut x,))?;
//!     x.to_vec()
//! };
//! let check = Check::new().deny_local_memory();
//! assert_eq!(check.passes(|device| square(device, 3)), [1, 4, 9]);
//! // One thread too many: it reads x[3].
//! let fault = check.finds(|device| square(device, 4));
//! assert_eq!((fault.thread, fault.line), (Some([3, 0, 0]), 6));
//! ```

use crate::check::{Checked, SCHEDULES, every_check, launch_file_watched};
use emulator::{Acceptance, Config, Fault, LaunchError};
use host::{Device, FaultCause};
use launch_file::LaunchFile;
use std::path::Path;

/// An emulated device with its checks, for tests.
#[derive(Clone, Debug)]
pub struct Check {
    config: Config,
}

impl Default for Check {
    fn default() -> Self {
        Self::new()
    }
}

impl Check {
    /// Enables every check, as [`every_check`] does.
    #[must_use]
    pub fn new() -> Self {
        Self {
            config: every_check(),
        }
    }

    /// Uses the checks and the device of `config`.
    #[must_use]
    pub fn with(config: Config) -> Self {
        Self { config }
    }

    /// Makes every use of local memory a finding: for kernels that must keep everything in
    /// registers.
    #[must_use]
    pub fn deny_local_memory(mut self) -> Self {
        self.config.allow_local_memory = false;
        self
    }

    /// Ignores reads of local memory that was never written: compilers copy values with their
    /// padding.
    #[must_use]
    pub fn ignore_uninitialised_local(mut self) -> Self {
        self.config.check_local_initialised = false;
        self
    }

    /// Orders a thread's `tcgen05` products and copies only as PTX states it, as
    /// [`Config::strict_tensor_order`] describes.
    #[must_use]
    pub fn strict_tensor_order(mut self) -> Self {
        self.config.strict_tensor_order = true;
        self
    }

    /// Continues after findings that the rule accepts, as [`emulator::Acceptance`] describes;
    /// [`emulator::Report::accepted`] counts them. A launch under a rule without a reason, or
    /// without kind, line and instruction, ends with [`LaunchError::Acceptance`].
    #[must_use]
    pub fn accept(mut self, rule: Acceptance) -> Self {
        self.config.accept.push(rule);
        self
    }

    /// Makes it a finding if a block executes more than `instructions` warp instructions.
    #[must_use]
    pub fn budget(mut self, instructions: u64) -> Self {
        self.config.max_instructions_per_block = instructions;
        self
    }

    /// Returns a device with these checks. Its launches end with [`host::Error::Fault`] at the
    /// first finding.
    #[must_use]
    pub fn device(&self) -> Device {
        Device::emulator_with(self.config.clone())
    }

    /// Returns the result of `test`.
    ///
    /// # Panics
    /// Panics with the finding and its place, and with any other error.
    #[track_caller]
    pub fn passes<T>(&self, test: impl FnOnce(&Device) -> Result<T, host::Error>) -> T {
        match test(&self.device()) {
            Ok(value) => value,
            Err(error) => match fault(error) {
                Ok(fault) => panic!("the emulator found:\n{fault}"),
                Err(error) => panic!("{error}"),
            },
        }
    }

    /// Returns the finding in `test`.
    ///
    /// # Panics
    /// Panics if there is no finding, and with any other error.
    #[track_caller]
    pub fn finds<T>(&self, test: impl FnOnce(&Device) -> Result<T, host::Error>) -> Box<Fault> {
        match test(&self.device()) {
            Ok(_) => panic!("nothing was found"),
            Err(error) => match fault(error) {
                Ok(fault) => fault,
                Err(error) => panic!("{error}"),
            },
        }
    }

    /// Runs a launch file at all its sizes. If its kernels have bulk copies or `wgmma`, it runs
    /// them under each of the [`SCHEDULES`].
    ///
    /// # Panics
    /// Panics with every finding, and if the file cannot be used.
    #[track_caller]
    pub fn file(&self, file: impl AsRef<Path>) -> Checked {
        let file = match LaunchFile::read(file.as_ref()) {
            Ok(file) => file,
            Err(error) => panic!("{error}"),
        };
        let watch = |_: &str, _, _| ();
        let checked = match launch_file_watched(&file, None, &self.config, &SCHEDULES, &watch) {
            Ok(checked) => checked,
            Err(error) => panic!("{error}"),
        };
        let found: Vec<String> = checked
            .findings()
            .map(|(launched, finding)| format!("at {}: {finding}", launched.name()))
            .collect();
        assert!(
            found.is_empty(),
            "kernel `{}`, {}",
            checked.kernel,
            found.join("\n")
        );
        checked
    }
}

/// Extracts the emulator's fault from an error.
fn fault(error: host::Error) -> Result<Box<Fault>, host::Error> {
    match error {
        host::Error::Fault(found) => match *found {
            host::Fault {
                cause: FaultCause::Emulator(cause),
                ..
            } if matches!(*cause, LaunchError::Fault(_)) => match *cause {
                LaunchError::Fault(fault) => Ok(fault),
                other => unreachable!("{other}"),
            },
            other => Err(host::Error::Fault(Box::new(other))),
        },
        other => Err(other),
    }
}
