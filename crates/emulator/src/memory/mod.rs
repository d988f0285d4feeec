//! The memories of the emulated device.
//!
//! ```text
//! global   its allocations, and their bytes                  allocation, global; the checks before: exec/global
//!          which blocks used it                              races
//!          which threads used it, and what they released     history, releases, observed, foreign
//!          which bytes bulk loads read                       sources
//!          which bytes a launch used                         footprint
//! shared   what is known about a block's bytes               shadow, clocks, apart, objects; the bytes: exec/shared
//! tensor   the words of tensor memory, and which accesses are ordered
//! lanes    bytes of each thread of a warp: local, parameters
//! texture  arrays, texture and surface objects
//! ```

pub(crate) mod allocation;
pub(crate) mod apart;
pub(crate) mod clocks;
pub(crate) mod footprint;
pub(crate) mod foreign;
pub(crate) mod global;
pub(crate) mod heap;
pub(crate) mod history;
pub(crate) mod lanes;
pub(crate) mod objects;
pub(crate) mod observed;
pub(crate) mod races;
pub(crate) mod releases;
pub(crate) mod shadow;
pub(crate) mod sources;
pub(crate) mod tensor;
pub(crate) mod texture;
