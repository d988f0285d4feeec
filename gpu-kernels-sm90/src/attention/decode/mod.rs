//! Decoding: one query per head and sequence, with its keys and values in pages of a cache.
//! `latent` has one or more queries.
//!
//! ```text
//!   rows of a tile      the query heads that share a key head: for example 8 of the 64 rows
//!   blocks of keys      sequence 0, key head 0: ████████████ | head 1: ████████████ | .. | sequence 1, head 0: █████ | ..
//!   CTAs                0───────────────►1───────────────►2───────────────►3───────────────►      equal numbers of blocks
//!
//!   a head in one CTA ─► O, rounded           a head in several CTAs ─► parts of O in f32 ─ combine ─► O, rounded
//! ```
//!
//! Law: the result is the one that [`kernel_abi::attention`] defines for each sequence's own keys.
//! It does not depend on the order of the pages, nor on what the cache holds after a sequence's
//! end. Only the lengths and the number of CTAs determine each CTA's blocks, and parts are added in
//! the order of the keys, so every run gives the same bits.

pub mod combine;
pub mod configurations;
pub mod e4m3;
pub mod latent;
pub mod pages;

pub use configurations::{DECODE_CONFIGURATIONS, SOFT_CAP_DECODE_CONFIGURATIONS};
pub use e4m3::{E4M3_DECODE_CONFIGURATIONS, SOFT_CAP_E4M3_DECODE_CONFIGURATIONS};
pub use latent::LATENT_DECODE_CONFIGURATIONS;
