//! Decoding of multi-head latent attention (MLA) in its absorbed form: one key head whose rows are
//! a latent vector of 512 columns and 64 columns of RoPE; V is the latent part of K's own rows.
//!
//! ```text
//!   rows of a tile    64 of the (query, head) pairs of a sequence: heads fastest
//!   K in stages       (64 keys, left 256 │ right 256 │ RoPE 64)      loaded once: V is the transpose of the same bytes
//!   O (64,512)        left half: consumer group 0                    right half: consumer group 1
//!
//!   even blocks    group 0   S = Q Kᵀ ─ softmax ─► P ─┬─► O left  += P V left
//!                                                     └─ shared memory ─► group 1   O right += P V right
//!   odd blocks     group 1   the same with the groups swapped
//! ```
//!
//! The accumulator of O, 64 rows in f32, fills half of a multiprocessor's registers. So a CTA has
//! one accumulator, and each group has half of its columns. Each group computes the scores of every
//! other block of keys. While one group computes a softmax, the other multiplies (FlashMLA's seesaw
//! schedule). Each P is used twice: by the group that computed it and by the other group.
//!
//! The row maxima follow the order of the blocks: a group begins its softmax with the maxima that
//! came with the other group's P, so that after each block both halves of O are relative to the
//! same maxima.
//!
//! Law: the law of [`super`] holds, where V is K's first 512 columns. Query `i` of `n` queries of a
//! sequence with `l` keys sees the first `l - (n - 1 - i)` keys: the mask is causal, with its
//! corner at the bottom right.
//!
//! ```text
//!   config          a kernel's configuration, as types
//!   configurations  the table
//!   kernel          the roles, and the loads
//!   mainloop        a group's own blocks and those of the other group
//!   exchange        passes P, maxima and sums to the other group
//!   visibility      the keys that a thread's rows see
//! ```

pub mod config;
pub mod configurations;
pub mod exchange;
pub mod kernel;
pub mod mainloop;
pub mod visibility;

pub use configurations::LATENT_DECODE_CONFIGURATIONS;
