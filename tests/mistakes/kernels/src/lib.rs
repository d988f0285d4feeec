//! Kernels that are wrong on purpose: `NAME`, and its right twin `NAME_right`. The header of each file says what the mistake is.

pub mod missing_barrier;
pub mod store_past_the_end;
