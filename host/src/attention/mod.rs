//! Attention on a device. This module checks tensors against their buffers once. The crate that
//! knows the kernels plans the launch.
//!
//! ```text
//!   HeadTensor q, k, v, HeadTensorMut o ─ problem ─► AttentionProblem ─ a kernel's plan ─► prepare ─► PreparedAttention
//! ```
//!
//! Law: a launch reads and writes within the tensors' buffers.

mod arguments;
mod backward;
mod decode;
mod element;
mod error;
mod fp8;
mod operands;
mod packed;
mod paged;
mod parts;
mod tensor;

pub use backward::{AttentionBackwardOperands, PreparedAttentionBackward, SinkGradientOperands};
pub use decode::{CacheScales, DecodeOperands, PageTable, PagedKeys, PreparedDecode, page_table};
pub use element::{AttentionElement, CachedElement};
pub use error::AttentionError;
pub use fp8::AttentionScales;
pub use operands::{AttentionOperands, PreparedAttention};
pub use packed::{SequenceStarts, starts};
pub use parts::PartOperands;
pub use tensor::{HeadTensor, HeadTensorMut, Heads};
