//! What a choice asks about a device, and what it answers where there is no kernel.

use kernel_abi::ProblemError;
use kernel_abi::gemm::Configuration;
use kernel_abi::weights::PackedLayout;
use thiserror::Error;

/// A device and the kernels that there are for it.
pub trait KernelDevice {
    /// Why there is no choice: a [`ChoiceError`], or what the device reports.
    type Error: From<ChoiceError> + From<ProblemError>;

    /// The rows that are chosen from, in their order: of equal estimates the first is taken.
    fn configurations(&self) -> &'static [Configuration];
    /// Major and minor number: `(9, 0)` for Hopper.
    fn compute_capability(&self) -> (u32, u32);
    /// Multiprocessors.
    fn multiprocessors(&self) -> u32;
    /// Shared memory that a CTA may have on request, in bytes.
    fn shared_bytes(&self) -> usize;
    /// Threads that a CTA may have.
    fn max_threads(&self) -> u32;
    /// Whether a kernel of this name is there.
    fn has(&self, kernel: &str) -> bool;
    /// Registers of a thread of this kernel; `None` where no compiler has said how many.
    ///
    /// # Errors
    /// What the device reports of a kernel that it has yet to load.
    fn registers(&self, kernel: &str) -> Result<Option<u32>, Self::Error>;
    /// Why a kernel of this name is not there, where the device could run it.
    fn left_out(&self, kernel: &str) -> Option<Self::Error> {
        let _ = kernel;
        None
    }
    /// Whether a kernel is chosen here without being named.
    fn is_chosen(&self, configuration: &Configuration) -> bool {
        let _ = configuration;
        true
    }
}

/// Why there is no kernel for a problem that has launches.
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
    /// A kernel that was named and is not there.
    #[error("no kernel of this device is called {name}; there are: {}", .available.join(", "))]
    NoConfiguration {
        /// The name.
        name: String,
        /// Those that can launch here.
        available: Vec<&'static str>,
    },
    /// No kernel reads weights of few bits that are packed so, for activations of this type.
    #[error("no kernel multiplies {input} by weights {packed}; {}", read(.available))]
    NoWeights {
        /// The type of the activations.
        input: &'static str,
        /// How the weights are packed.
        packed: &'static PackedLayout,
        /// The formats that kernels read for such activations: `int4:128`.
        available: Vec<String>,
    },
    /// A kernel of weights of few bits that was named and is not there.
    #[error("there is no kernel {name} for weights {packed}; there are: {}", .available.join(", "))]
    NoWeightsKernel {
        /// The name.
        name: String,
        /// How the weights are packed.
        packed: &'static PackedLayout,
        /// The kernels that read them.
        available: Vec<&'static str>,
    },
}

fn read(formats: &[String]) -> String {
    match formats {
        [] => "none is here".into(),
        formats => format!("those here read {}", formats.join(", ")),
    }
}
