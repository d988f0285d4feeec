#![doc = include_str!("../README.md")]
//!
//! # Law
//!
//! Each function has the name, arguments and meaning of a function of candle-flash-attn. For a
//! problem that no kernel of this build computes, it returns an error with an explanation. On a
//! CUDA device a function enqueues its launches on candle's stream and takes memory from candle's
//! allocator. It waits only if the host has to read or copy lists: with `mm_prefix_ranges`, for
//! lists of i32 if the keys are in pages, and for lists that are on another of candle's devices for
//! the same GPU.

mod flash;
mod op3;
mod operands;
mod padding;
mod paged;
mod pages;
mod prefix;
mod problem;
mod run;
mod varlen;

pub use flash::{
    FlashAttn, flash_attn, flash_attn_alibi, flash_attn_alibi_windowed,
    flash_attn_alibi_windowed_softcap, flash_attn_windowed,
};
pub use paged::flash_attn_varlen_paged_windowed;
pub use varlen::{
    flash_attn_varlen, flash_attn_varlen_alibi, flash_attn_varlen_alibi_windowed,
    flash_attn_varlen_alibi_windowed_softcap, flash_attn_varlen_windowed,
};

/// Makes candle's error with this message.
fn refused(error: impl std::fmt::Display) -> candle::Error {
    candle::Error::msg(error.to_string())
}
