//! The element types of attention, as types of Rust.

use bytemuck::Pod;
use emulator::TensorElement;
use half::{bf16, f16};
use kernel_abi::attention::AttentionType;

/// A type of Q's, K's, V's and O's elements.
pub trait AttentionElement: Pod {
    /// The type as kernels name it.
    const TYPE: AttentionType;
    /// The type as tensor maps name it.
    const MAP: TensorElement;
}
impl AttentionElement for f16 {
    const TYPE: AttentionType = AttentionType::F16;
    const MAP: TensorElement = TensorElement::F16;
}
impl AttentionElement for bf16 {
    const TYPE: AttentionType = AttentionType::Bf16;
    const MAP: TensorElement = TensorElement::Bf16;
}
