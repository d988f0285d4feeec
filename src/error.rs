//! What can go wrong between a problem and its verdict. A wrong result is no error: it is an
//! outcome.

use crate::kernels::KernelsNotBuilt;
use host::reference::{GemmTolerance, ShapeError};
use kernel_abi::ProblemError;
use kernel_choice::ChoiceError;
use thiserror::Error;

/// Any failure of this crate.
#[derive(Error)]
#[non_exhaustive]
pub enum CutletError {
    /// The device, the module or the launch.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The kernels were not built.
    #[error(transparent)]
    Kernels(#[from] KernelsNotBuilt),
    /// The problem has no launch.
    #[error("{0}")]
    Problem(#[from] ProblemError),
    /// A kernel that the manifest does not describe as its PTX has it.
    #[error("the kernel `{kernel}` is not described: {why}")]
    Undescribed {
        /// The entry.
        kernel: String,
        /// What is missing, or differs.
        why: String,
    },
    /// PTX that the emulator does not read.
    #[error(transparent)]
    Ptx(#[from] emulator::PtxError),
    /// The problem does not fit into this machine's memory.
    #[error(
        "this problem needs about {} of this machine's memory (inputs, result{} and reference), and {} are free",
        bytes(*.needed), if *.emulated { ", the emulator's copies" } else { "" }, bytes(*.free)
    )]
    Memory {
        /// Bytes needed.
        needed: u128,
        /// Bytes free.
        free: u64,
        /// Whether the device's memory is the machine's too.
        emulated: bool,
    },
    /// A product that has no part for every device.
    #[error(
        "{parallel} parallel over {devices} devices: {name} is {extent}, and in parts of a multiple of 8 the last device has none"
    )]
    Distributed {
        /// How it was to be distributed.
        parallel: &'static str,
        /// The extent.
        name: &'static str,
        /// Its value.
        extent: usize,
        /// Devices.
        devices: usize,
    },
    /// A type of which no product is distributed.
    #[error("products of {input} are not distributed: those of f16 and bf16 are")]
    NoDistributedKernel {
        /// The type.
        input: &'static str,
    },
    /// Weights of few bits that cannot be packed, or have no kernel.
    #[error("{0}")]
    Weights(String),
    /// Operands that have no product.
    #[error(transparent)]
    Gemm(#[from] host::gemm::GemmError),
    /// No verdict is possible: a right result may be so far from the reference that a wrong one
    /// cannot be told from it.
    #[error(
        "no verdict: with {accumulator} accumulators at k = {k} a right result may be {:.0} % from the reference, and beyond {:.0} % a \
         wrong one is not told from it; {accumulator} accumulators are judged up to k = {most_k}{}",
        allowed * 100.0, GemmTolerance::MOST_RELATIVE * 100.0,
        if *accumulator == "f16" { ", f32 accumulators (`--accumulator f32`) far beyond" } else { "" }
    )]
    NoVerdict {
        /// The type of the accumulator.
        accumulator: &'static str,
        /// The products that an accumulator adds.
        k: u32,
        /// The relative Frobenius error that a right result may have.
        allowed: f64,
        /// The largest k at which there is a verdict.
        most_k: u32,
    },
    /// No kernel has these types and majors, or a kernel that was named is not there.
    #[error(transparent)]
    NoKernel(#[from] ChoiceError),
    /// Tensors that have no attention.
    #[error(transparent)]
    Attention(#[from] host::attention::AttentionError),
    /// No attention kernel has this head dimension.
    #[error(
        "there is no attention of {element} with a head dimension of {dim}; there is of {}",
        numbers(dims)
    )]
    NoAttention {
        /// The type of the elements.
        element: &'static str,
        /// The head dimension.
        dim: u32,
        /// Those that there are.
        dims: Vec<u32>,
    },
    /// No attention kernel caps the scores of such tensors.
    #[error(
        "there is no soft cap of {of}; there is of f16 and bf16 with a head dimension of {}",
        numbers(dims)
    )]
    NoSoftCap {
        /// The tensors.
        of: String,
        /// The head dimensions that there are kernels of.
        dims: Vec<u32>,
    },
    /// No attention kernel has this head dimension with these score parts.
    #[error(
        "there is no attention of {element} with {parts} and a head dimension of {dim}; there is of {}",
        numbers(dims)
    )]
    NoAttentionWith {
        /// The score parts.
        parts: &'static str,
        /// The type of the elements.
        element: &'static str,
        /// The head dimension.
        dim: u32,
        /// Those that there are.
        dims: Vec<u32>,
    },
    /// No attention kernel has these head dimensions of Q and K, and of V.
    #[error(
        "there is no attention of {element} with a head dimension of {} and one of {} for V; there is of {}",
        dims[0], dims[1],
        pairs.iter().map(|[dim, dim_v]| format!("{dim} and {dim_v}")).collect::<Vec<_>>().join(", ")
    )]
    NoValueDim {
        /// The type of the elements.
        element: &'static str,
        /// The head dimension of Q and K, and that of V.
        dims: [u32; 2],
        /// Those that there are.
        pairs: Vec<[u32; 2]>,
    },
    /// The fused kernels of gradients were asked for, of what they do not compute.
    #[error("there are no fused gradients of {of}: the deterministic kernels compute them")]
    NoFusedGradients {
        /// What they do not compute.
        of: &'static str,
    },
    /// A table of kernels that cannot be used.
    #[error(transparent)]
    Table(#[from] crate::gemm::TableError),
    /// The reference's inputs have another shape than the one to compute.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// As `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for CutletError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// A list of numbers.
fn numbers(of: &[u32]) -> String {
    let of: Vec<String> = of.iter().map(ToString::to_string).collect();
    of.join(", ")
}

/// A number of bytes in the unit that suits it.
fn bytes(count: impl Into<u128>) -> String {
    let count = count.into();
    if count < 1024 {
        return emulator::counted(count, "byte");
    }
    let mut value = count as f64 / 1024.0;
    for unit in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            return format!("{value:.1} {unit}");
        }
        value /= 1024.0;
    }
    format!("{value:.1} PiB")
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn bytes_have_units() {
        assert_eq!(bytes(0_u64), "0 bytes");
        assert_eq!(bytes(1023_u64), "1023 bytes");
        assert_eq!(bytes(1024_u64), "1.0 KiB");
        assert_eq!(bytes(1_u128 << 60), "1024.0 PiB");
    }
}
