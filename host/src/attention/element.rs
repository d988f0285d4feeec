//! The element types of attention, as types of Rust.

use crate::tensor_map::TmaElement;
use bytemuck::Pod;
use half::{bf16, f16};
use kernel_abi::attention::AttentionType;

/// A type of Q's, K's, V's and O's elements.
pub trait AttentionElement: Pod + TmaElement {
    /// The type as kernels name it.
    const TYPE: AttentionType;
}
impl AttentionElement for f16 {
    const TYPE: AttentionType = AttentionType::F16;
}
impl AttentionElement for bf16 {
    const TYPE: AttentionType = AttentionType::Bf16;
}
