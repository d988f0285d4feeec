//! Decoding of multi-head latent attention (MLA) in its absorbed form: one key head whose rows are
//! a latent vector of 512 columns and 64 columns of RoPE; V is the latent part of K's own rows.
//!
//! ```text
//!   rows of a tile    64 of the (query, head) pairs of a sequence: heads fastest
//!   K in stages       (64 keys, left 256 │ right 256 │ RoPE 64)      loaded once: V is its transpose, read by the same bytes
//!   O (64,512)        left half: consumer group 0                    right half: consumer group 1
//!
//!   even blocks    group 0   S = Q Kᵀ ─ softmax ─► P ─┬─► O left  += P V left
//!                                                     └─ shared memory ─► group 1   O right += P V right
//!   odd blocks     group 1   the same, the other way round
//! ```
//!
//! O of 64 rows is half of a multiprocessor's registers, so that there is one, and each group has
//! half of its columns. A group computes the scores of every other block of keys; while one is in
//! its softmax, the other multiplies (FlashMLA calls it a seesaw). Each P is used twice, by the
//! group that made it and by the other.
//!
//! The row maxima go through the blocks in their order: a group begins its softmax with the maxima
//! that came with the other's P, so that both have O relative to the same maxima at all times.
//!
//! Law: that of [`super`], of V = K's first 512 columns. Query row `i` of `n` of a sequence of `l`
//! keys sees the first `l - (n - 1 - i)`: the mask is causal, its corner at the bottom right.
//!
//! ```text
//!   config          what distinguishes one kernel from another, as types
//!   configurations  the table
//!   kernel          the roles; loads
//!   mainloop        a group's own blocks and the other's
//!   exchange        P, maxima and sums on their way to the other group
//!   visibility      which keys a thread's rows see
//! ```

pub mod config;
pub mod configurations;
pub mod exchange;
pub mod kernel;
pub mod mainloop;
pub mod visibility;

pub use configurations::LATENT_DECODE_CONFIGURATIONS;
