//! All errors between a problem and its verdict. A wrong result is not an error: it is an outcome.

use crate::kernels::KernelsNotBuilt;
use host::reference::{GemmTolerance, ShapeError};
use kernel_abi::ProblemError;
use kernel_choice::ChoiceError;
use thiserror::Error;

/// Any failure of this crate.
#[derive(Error)]
#[non_exhaustive]
pub enum CutletError {
    /// An error of the device, the module or the launch.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The kernels were not built.
    #[error(transparent)]
    Kernels(#[from] KernelsNotBuilt),
    /// The problem has no launch.
    #[error("{0}")]
    Problem(#[from] ProblemError),
    /// The manifest does not describe a kernel in the same way as its PTX.
    #[error("the kernel `{kernel}` is not described: {why}")]
    Undescribed {
        /// The kernel's entry.
        kernel: String,
        /// The part that is missing or that differs.
        why: String,
    },
    /// The emulator cannot parse the PTX.
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
        /// Whether the device's memory is part of the machine's memory.
        emulated: bool,
    },
    /// A product does not have a part for every device.
    #[error(
        "{parallel} parallel over {devices} devices: {name} is {extent}, and in parts of a multiple of 8 the last device has none"
    )]
    Distributed {
        /// The distribution.
        parallel: &'static str,
        /// The name of the extent.
        name: &'static str,
        /// The value of the extent.
        extent: usize,
        /// The number of devices.
        devices: usize,
    },
    /// No distributed product has this type.
    #[error("products of {input} are not distributed: those of f16 and bf16 are")]
    NoDistributedKernel {
        /// The type.
        input: &'static str,
    },
    /// Weights of few bits cannot be packed, or have no kernel.
    #[error("{0}")]
    Weights(String),
    /// The operands do not form a product.
    #[error(transparent)]
    Gemm(#[from] host::gemm::GemmError),
    /// No verdict is possible: a right result may be so far from the reference that it cannot be
    /// distinguished from a wrong one.
    #[error(
        "no verdict: with {accumulator} accumulators at k = {k} a right result may be {:.0} % from the reference, and beyond {:.0} % a \
         wrong one is not told from it; {accumulator} accumulators are judged up to k = {most_k}{}",
        allowed * 100.0, GemmTolerance::MOST_RELATIVE * 100.0,
        if *accumulator == "f16" { ", f32 accumulators (`--accumulator f32`) far beyond" } else { "" }
    )]
    NoVerdict {
        /// The type of the accumulator.
        accumulator: &'static str,
        /// The number of products that an accumulator adds.
        k: u32,
        /// The relative Frobenius error that a right result may have.
        allowed: f64,
        /// The largest k at which there is a verdict.
        most_k: u32,
    },
    /// No kernel has these types and majors, or a named kernel does not exist.
    #[error(transparent)]
    NoKernel(#[from] ChoiceError),
    /// The tensors do not form an attention problem.
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
        /// The head dimensions for which there are kernels.
        dims: Vec<u32>,
    },
    /// No attention kernel has a soft cap for such tensors.
    #[error(
        "there is no soft cap of {of}; there is of f16 and bf16 with a head dimension of {}",
        numbers(dims)
    )]
    NoSoftCap {
        /// The tensors.
        of: String,
        /// The head dimensions for which there are kernels.
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
        /// The head dimensions for which there are kernels.
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
        /// The head dimension of Q and K, and the head dimension of V.
        dims: [u32; 2],
        /// The pairs for which there are kernels.
        pairs: Vec<[u32; 2]>,
    },
    /// The fused kernels of gradients were requested for a problem that they do not compute.
    #[error("there are no fused gradients of {of}: the deterministic kernels compute them")]
    NoFusedGradients {
        /// The property that the fused kernels do not support.
        of: &'static str,
    },
    /// A table of kernels cannot be used.
    #[error(transparent)]
    Table(#[from] crate::gemm::TableError),
    /// The reference's inputs do not have the shape of the problem.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Same as `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for CutletError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Formats a list of numbers.
fn numbers(of: &[u32]) -> String {
    let of: Vec<String> = of.iter().map(ToString::to_string).collect();
    of.join(", ")
}

/// Formats a number of bytes in the appropriate unit.
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
