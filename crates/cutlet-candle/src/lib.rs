#![doc = include_str!("../README.md")]
//!
//! # Law
//!
//! A function has the name, arguments and meaning of candle-flash-attn's. For a problem that no
//! kernel of this build computes, it returns an error with an explanation. On a CUDA device a
//! function enqueues its launches on candle's stream and takes memory from candle's allocator. It
//! waits only for lists that the host reads or copies: all lists with `mm_prefix_ranges`, lists of
//! i32 with keys in pages, and lists on another of candle's devices of the same GPU.

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
