//! The element types of attention, as types of Rust.

use crate::tensor_map::TmaElement;
use bytemuck::Pod;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionType, CacheElement};
use layout_types::atom::element::FloatE4M3;

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

/// A type of K's and V's elements in a cache that queries of `T` read: `T` itself, or e4m3.
pub trait CachedElement<T: AttentionElement>: Pod + TmaElement {
    /// The type as problems name it.
    const CACHE: CacheElement;
}
impl<T: AttentionElement> CachedElement<T> for T {
    const CACHE: CacheElement = CacheElement::OfQueries;
}
impl<T: AttentionElement> CachedElement<T> for FloatE4M3 {
    const CACHE: CacheElement = CacheElement::E4m3;
}
