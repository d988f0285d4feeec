//! The reasons why an operator is not computed.
//!
//! ```text
//!   problem ─► OpsError::Shipped, Problem, Dimension     addresses ─► Buffers, Alignment     launch ─► Driver, Kernel, Emulator
//! ```

use cuda_driver::DriverError;
use cutlet_kernels::ShippedError;
use kernel_abi::ProblemError;

/// The reason why an operator is not computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OpsError {
    /// This build has no kernels, or no kernel computes the product.
    #[error(transparent)]
    Shipped(#[from] ShippedError),
    /// The problem has no launch.
    #[error("{0}")]
    Problem(#[from] ProblemError),
    /// No kernel has the head dimension.
    #[error("there is no kernel of {what} for {element} and head dimension {dim}: {}", here(.dims))]
    Dimension {
        /// The operator that was requested.
        what: &'static str,
        /// The type of the elements.
        element: &'static str,
        /// The head dimension that was requested.
        dim: u32,
        /// The head dimensions that kernels of this build have.
        dims: Vec<u32>,
    },
    /// A launch has no value for an argument of its kernel.
    #[error("no value is the kernel's argument `{0}`")]
    Argument(&'static str),
    /// A soft cap is not above 0 and finite.
    #[error("the soft cap is {0}; it must be above 0 and finite")]
    SoftCap(f32),
    /// No kernel computes the gradients of a score function of the forward pass.
    #[error("there are no gradients with {0}: no kernel computes them")]
    NoGradients(&'static str),
    /// The caller gives more or fewer addresses than there are buffers.
    #[error("{found} buffers are given; the launches have {expected}")]
    Buffers {
        /// The number of addresses given.
        found: usize,
        /// The number of addresses expected.
        expected: usize,
    },
    /// A buffer's address is null, or is not a multiple of the size of the kernel's vector
    /// accesses.
    #[error(
        "{name} begins at address {address:#x}; it must be a multiple of {alignment} bytes, and not 0"
    )]
    Alignment {
        /// The name of the buffer.
        name: &'static str,
        /// The address.
        address: u64,
        /// The number of bytes that the address must be a multiple of.
        alignment: usize,
    },
    /// A buffer is too short.
    #[error("{name} has {found} bytes; the launches access {needed}")]
    Short {
        /// The name of the buffer.
        name: &'static str,
        /// The number of bytes given.
        found: usize,
        /// The number of bytes accessed.
        needed: u64,
    },
    /// There is no driver, or it lacks a function.
    #[error("{0}")]
    NoDriver(String),
    /// A driver call failed.
    #[error("{call} failed: {meaning}")]
    Driver {
        /// The call, with the name of the kernel if it has one.
        call: String,
        /// The driver's name of the error.
        meaning: String,
    },
    /// This build has no emulator.
    #[error("operators run on a GPU here: cutlet-ops was built without its feature emulator")]
    NoEmulator,
    /// The emulator found a fault, which this text describes.
    #[error("{0}")]
    Emulator(String),
}

impl OpsError {
    /// Makes the error of a driver call. `call` names the call and the object on which it acts.
    pub(crate) fn of(call: String, error: DriverError) -> Self {
        Self::Driver {
            call,
            meaning: format!("{}: {}", error.name, error.meaning),
        }
    }
}

impl From<DriverError> for OpsError {
    fn from(error: DriverError) -> Self {
        Self::of(error.call.into(), error)
    }
}

fn here(dims: &[u32]) -> String {
    let dims: Vec<String> = dims.iter().map(u32::to_string).collect();
    match &dims[..] {
        [] => "none is in this build".into(),
        dims => format!("those here have {}", dims.join(", ")),
    }
}
