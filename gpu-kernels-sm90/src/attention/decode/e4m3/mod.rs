//! Decoding with a cache of 8-bit floats: keys and values in e4m3 with scales, queries and O in
//! bf16 or f16.
//!
//! ```text
//!   warp group 0    producer    a thread each: Q once a tile, blocks of K and of V in stages, 8 bits an element
//!   other warps     16 rows and a share of a block's keys each, 16 keys at a time:
//!
//!     K (16,D) ─ ldmatrix ─ cvt ─► B     S = Q Kᵀ ─ softmax of these keys alone ─► P     V ─ ldmatrix.trans ─ prmt ─ cvt ─► B     O += P V
//!
//!   end of a tile   O and log-sum-exp of each warp ─ merge ─► O of the tile's keys
//! ```
//!
//! Memory bounds decoding, so that half the bytes are half the time, if nothing else takes longer.
//! An element is therefore read from shared memory once and converted in registers, next to the
//! instruction that multiplies it: `mma.sync`, whose operands are registers. A copy in 16 bits in
//! shared memory, for `wgmma`, would be written once and read once more.
//!
//! Law: that of [`super`], of the elements times the scales of their key heads. The conversions are
//! exact. No element is multiplied with a scale: K's is a factor of the scores' scale, V's of O.
//!
//! ```text
//!   config          what distinguishes one kernel from another, as types
//!   configurations  the table
//!   kernel          the roles; loads
//!   mainloop        a warp's keys: the two products and the softmax between them
//!   operands        K's and V's fragments from 8 bits
//!   queries         Q's fragments, in f16
//!   merge           the warps' O, added and stored
//! ```

pub mod config;
pub mod configurations;
pub mod kernel;
pub mod mainloop;
pub mod merge;
pub mod operands;
pub mod queries;

pub use configurations::{E4M3_DECODE_CONFIGURATIONS, SOFT_CAP_E4M3_DECODE_CONFIGURATIONS};
