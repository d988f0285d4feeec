//! Decoding with a cache of 8-bit floats: keys and values in e4m3 with scales, queries and O in
//! bf16 or f16.
//!
//! ```text
//!   warp group 0    producer    one thread each for Q (once per tile), blocks of K and blocks of V, with 8-bit elements
//!   other warps     each has 16 rows and a share of a block's keys, 16 keys at a time:
//!
//!     K (16,D) ─ ldmatrix ─ cvt ─► B     S = Q Kᵀ ─ softmax of these keys alone ─► P     V ─ ldmatrix.trans ─ prmt ─ cvt ─► B     O += P V
//!
//!   end of a tile   O and log-sum-exp of each warp ─ merge ─► O of the tile's keys
//! ```
//!
//! Decoding is bound by memory, so half the bytes take half the time, unless something else takes
//! longer. Each element is therefore read from shared memory once and converted in registers, next
//! to the instruction that multiplies it: `mma.sync`, whose operands are registers. For `wgmma` a
//! 16-bit copy would have to be written to shared memory and read again.
//!
//! Law: the law of [`super`] holds for the elements times the scales of their key heads. The
//! conversions are exact. No element is multiplied by a scale: K's scale is a factor of the scale
//! of the scores, and V's scale is a factor of O.
//!
//! ```text
//!   config          everything that distinguishes one kernel from another, as types
//!   configurations  the table
//!   kernel          the roles, and the loads
//!   mainloop        a warp's keys: the two products and the softmax between them
//!   operands        K's and V's fragments, converted from 8 bits
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
