//! The trait by which the choice of a kernel queries a device, and the error if there is no kernel.

use kernel_abi::ProblemError;
use kernel_abi::gemm::Configuration;
use kernel_abi::weights::PackedLayout;
use thiserror::Error;

/// A device and its kernels.
pub trait KernelDevice {
    /// Why there is no choice: a [`ChoiceError`], or an error of the device.
    type Error: From<ChoiceError> + From<ProblemError>;

    /// Returns the configurations to choose from, in the order of the table. If estimates are
    /// equal, the first of these configurations is chosen.
    fn configurations(&self) -> &'static [Configuration];
    /// Returns the compute capability: the major and the minor number, `(9, 0)` for Hopper.
    fn compute_capability(&self) -> (u32, u32);
    /// Returns the number of multiprocessors.
    fn multiprocessors(&self) -> u32;
    /// Returns the shared memory that a CTA may request, in bytes.
    fn shared_bytes(&self) -> usize;
    /// Returns the largest number of threads of a CTA.
    fn max_threads(&self) -> u32;
    /// Whether the device has a kernel with this name.
    fn has(&self, kernel: &str) -> bool;
    /// Returns the registers per thread of this kernel, or `None` if no compiler has determined
    /// them.
    ///
    /// # Errors
    /// Returns the device's error for a kernel that it must load first.
    fn registers(&self, kernel: &str) -> Result<Option<u32>, Self::Error>;
    /// Returns why a kernel with this name is missing although the device could run it, or `None`
    /// if there is no such reason.
    fn left_out(&self, kernel: &str) -> Option<Self::Error> {
        let _ = kernel;
        None
    }
    /// Whether this kernel may be chosen if the caller does not name a kernel.
    fn is_chosen(&self, configuration: &Configuration) -> bool {
        let _ = configuration;
        true
    }
}

/// Why there is no kernel for a problem.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// No kernel has these types and majors.
    #[error("there is no kernel for {input} in, {accumulator} accumulator, A and B {majors}")]
    NoKernel {
        /// The type of A and B.
        input: &'static str,
        /// The type of the accumulator.
        accumulator: &'static str,
        /// The majors of A and B.
        majors: &'static str,
    },
    /// The named kernel does not exist here.
    #[error("no kernel of this device is called {name}; there are: {}", .available.join(", "))]
    NoConfiguration {
        /// The name that was given.
        name: String,
        /// The kernels that can launch here.
        available: Vec<&'static str>,
    },
    /// No kernel reads weights with this packing for activations of this type.
    #[error("no kernel multiplies {input} by weights {packed}; {}", read(.available))]
    NoWeights {
        /// The type of the activations.
        input: &'static str,
        /// The packing of the weights.
        packed: &'static PackedLayout,
        /// The formats that kernels read for such activations, such as `int4:128`.
        available: Vec<String>,
    },
    /// The named kernel for weights of few bits does not exist here.
    #[error("there is no kernel {name} for weights {packed}; there are: {}", .available.join(", "))]
    NoWeightsKernel {
        /// The name that was given.
        name: String,
        /// The packing of the weights.
        packed: &'static PackedLayout,
        /// The kernels that read these weights.
        available: Vec<&'static str>,
    },
    /// The problem needs a kernel of many rows, and there are only kernels of few rows for the
    /// weights.
    #[error(
        "no kernel of many rows for weights {packed} is here; {} are of few rows: {refused}",
        .available.join(", ")
    )]
    NoManyRows {
        /// The packing of the weights.
        packed: &'static PackedLayout,
        /// Why a kernel of few rows refuses the problem.
        refused: ProblemError,
        /// The kernels that read these weights.
        available: Vec<&'static str>,
    },
}

fn read(formats: &[String]) -> String {
    match formats {
        [] => "none is here".into(),
        formats => format!("those here read {}", formats.join(", ")),
    }
}
