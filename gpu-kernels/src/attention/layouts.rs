//! Tiled copies and tiled MMAs for configurations, and the order of probabilities.
//!
//! ```text
//!   global ─ 128 threads, 16 bytes each ─► rows of D in shared memory ─ four warps along M ─► S, O
//! ```

use crate::gemm::layouts::Async16;
use half::{bf16, f16};
use kernel_abi::attention::AttentionType;
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEALWAYS_ZFILL;
use layout_types::atom::mma::{Sm80_16x8x16_F32BF16BF16F32_TN, Sm80_16x8x16_F32F16F16F32_TN};
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{MakeTiledCopy, TiledMma};
use layout_types::typenum::{U4, U8};

/// A tiled copy by 128 threads, two per row of 16 elements of 16 bits.
pub type Rows16By128 = MakeTiledCopy<Async16, u16, layout!((64,2):(2,1)), layout!((1, 8))>;
/// A tiled copy by 128 threads, four per row of 16 elements of 16 bits, 8 bytes each. It is for
/// tiles of fewer than 64 rows.
pub type Rows16By128Narrow = MakeTiledCopy<
    Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u64>,
    u16,
    layout!((32,4):(4,1)),
    layout!((1, 4)),
>;
/// A tiled copy by 128 threads, sixteen per row of 128 elements of 16 bits.
pub type Rows128By128 = MakeTiledCopy<Async16, u16, layout!((8,16):(16,1)), layout!((1, 8))>;
/// A tiled copy by 128 threads, 32 per row of 256 elements of 16 bits.
pub type Rows256By128 = MakeTiledCopy<Async16, u16, layout!((4,32):(32,1)), layout!((1, 8))>;
/// An element type of Q, K, V and O that `mma.sync` multiplies.
pub trait MmaElement {
    /// The instruction.
    type Atom;
    /// The element's name in the tables.
    const TYPE: AttentionType;
}
impl MmaElement for f16 {
    type Atom = Sm80_16x8x16_F32F16F16F32_TN;
    const TYPE: AttentionType = AttentionType::F16;
}
impl MmaElement for bf16 {
    type Atom = Sm80_16x8x16_F32BF16BF16F32_TN;
    const TYPE: AttentionType = AttentionType::Bf16;
}

/// A tiled MMA of four warps along M. Each warp has its own rows of queries, and all keys.
pub type Warps4<Atom> = TiledMma<Atom, layout!((4, 1, 1)), tile!(64, 16, 16)>;
/// Reorders a thread's scores, operand C ((2,2),M,2 K) of a tiled MMA, to the order of operand A
/// ((2,2,2),M,K): two neighbouring atoms along N become one atom along K. This is FlashAttention's
/// `convert_layout_acc_Aregs`.
///
/// Law: for each thread, value `i` of C composed with this layout has the same coordinate as value
/// `i` of A.
///
/// ```
/// use gpu_kernels::attention::layouts::{CToA, Warps4};
/// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
/// use layout_types::prelude::*;
/// use layout_types::tensor::{GetSlice, identity_tensor};
/// type Mma = Warps4<Sm80_16x8x16_F32F16F16F32_TN>;
/// let tile = identity_tensor::<layout!((128,64):(1@0,1@1)), 2>();
/// for thread in 0..128 {
///     let (c, a) = (Mma::get_slice(thread).partition_c(&tile), Mma::get_slice(thread).partition_a(&tile));
///     let c = c.compose::<CToA<int!(2), int!(4)>>();
///     assert!((0..64u32).all(|i| c.get(i) == a.get(i)));
/// }
/// ```
pub type CToA<M, K> = Layout<
    shape!(((2, 2, 2), M, K)),
    shape!(((1, 2, <U4 as Nat>::Times<M>), 4, <U8 as Nat>::Times<M>)),
>;
