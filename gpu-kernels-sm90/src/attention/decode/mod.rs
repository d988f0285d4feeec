//! Decoding: one query a head and sequence, its keys and values in pages of a cache; `latent` has
//! one query or more.
//!
//! ```text
//!   rows of a tile      the query heads that share a key head: 8 of 64, where 8 share one
//!   blocks of keys      sequence 0, key head 0: ████████████ | head 1: ████████████ | .. | sequence 1, head 0: █████ | ..
//!   CTAs                0───────────────►1───────────────►2───────────────►3───────────────►      as many blocks each
//!
//!   a head in one CTA ─► O, rounded           a head in several ─► a part of O in f32 each ─ combine ─► O, rounded
//! ```
//!
//! Law: that of [`kernel_abi::attention`] for each sequence's keys alone, whatever the pages' order
//! is and whatever stands in the cache behind a sequence's end. Which CTA has which blocks follows
//! from the lengths and the number of CTAs alone, and parts are added in the order of the keys: the
//! same bits on every run.

pub mod combine;
pub mod configurations;
pub mod e4m3;
pub mod latent;
pub mod pages;

pub use configurations::{DECODE_CONFIGURATIONS, SOFT_CAP_DECODE_CONFIGURATIONS};
pub use e4m3::{E4M3_DECODE_CONFIGURATIONS, SOFT_CAP_E4M3_DECODE_CONFIGURATIONS};
pub use latent::LATENT_DECODE_CONFIGURATIONS;
