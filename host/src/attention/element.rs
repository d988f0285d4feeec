//! The element types of attention, as Rust types.

use crate::tensor_map::TmaElement;
use bytemuck::Pod;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionType, CacheElement};
use layout_types::atom::element::FloatE4M3;

/// An element type of Q, K, V and O.
pub trait AttentionElement: Pod + TmaElement {
    /// The type in the kernels' enumeration.
    const TYPE: AttentionType;
}
impl AttentionElement for f16 {
    const TYPE: AttentionType = AttentionType::F16;
}
impl AttentionElement for bf16 {
    const TYPE: AttentionType = AttentionType::Bf16;
}

/// An element type of K and V in a cache that queries of type `T` read: `T` itself, or e4m3.
pub trait CachedElement<T: AttentionElement>: Pod + TmaElement {
    /// The type in a problem's enumeration.
    const CACHE: CacheElement;
}
impl<T: AttentionElement> CachedElement<T> for T {
    const CACHE: CacheElement = CacheElement::OfQueries;
}
impl<T: AttentionElement> CachedElement<T> for FloatE4M3 {
    const CACHE: CacheElement = CacheElement::E4m3;
}
