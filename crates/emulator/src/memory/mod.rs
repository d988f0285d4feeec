//! The memories of the emulated device.
//!
//! ```text
//! global   one allocation a buffer, shared by all blocks     words that are atomics: no locks, no `unsafe`
//! shared   what is known about a block's bytes               shadow, clocks, objects; the bytes: exec/shared
//!          and which blocks used them                    races
//!          and what a launch used of them                footprint
//! lanes    bytes of each thread of a warp: local, parameters
//! texture  arrays, texture and surface objects
//! ```

pub(crate) mod clocks;
pub(crate) mod footprint;
pub(crate) mod global;
pub(crate) mod heap;
pub(crate) mod lanes;
pub(crate) mod objects;
pub(crate) mod races;
pub(crate) mod shadow;
pub(crate) mod texture;
