//! The order of packed weights maps (n, k) of a tile to the place of the code of that weight.
//!
//! ```text
//!   tiled MMA's TV layout of A     (thread, value) ─► (n, k)            LayoutTv<Tiles<Atom>, OperandA>
//!   the load and the decoding      (thread, value) ─► place of a code   Codes4, Codes8
//!   packed order                   (n, k) ─► place                      composition(Codes, right_inverse(TV))
//! ```
//!
//! Law: the packed order is a bijection of the tile's 16 rows by 64 columns onto its places. The
//! loads of 16 bytes of a thread hold the codes of that thread's fragments of A and no other codes,
//! in the order in which [`Decode`](super::format::Decode) takes them.

use layout_types::atom::mma::Sm80_16x8x16_F32BF16BF16F32_TN;
use layout_types::prelude::*;
use layout_types::tiled::{LayoutTv, OperandA, TiledMma};

/// The rows of a tile, along n.
pub const ROWS: u32 = 16;
/// The columns of a tile, along k: four atoms.
pub const COLUMNS: u32 = 64;

/// The tiled MMA of one warp, with four atoms along k: 16 rows of weights, 8 tokens.
pub type Tiles<Atom> = TiledMma<Atom, layout!((1, 1, 1)), tile!(16, 8, 64)>;

/// Maps (thread, value) to `n + 16 k`, the weight that the thread holds as this value, for 16-bit
/// activations. A warp of `wgmma` m64k16 holds its 16 rows in the same way.
pub type HeldWeights = LayoutTv<Tiles<Sm80_16x8x16_F32BF16BF16F32_TN>, OperandA>;
assert_covers!(HeldWeights, (16, 64));

/// The layout of activations in shared memory, 8 tokens by 64 along k. The index of a token
/// swizzles the pieces of 16 bytes of its row of 128 bytes.
pub type Activations = Composition<Swizzle<3, 3, 3>, layout!((8,64):(64,1))>;

/// Maps (thread, value) to the place of a 4-bit code, in nibbles. A thread has 16 bytes. Pair `j`
/// of a block's fragment is nibbles `j` and `j + 4` of a register.
pub type Codes4 = layout!((32,((2,2,2),4)):(32,((4,1,2),8)));
/// Maps (thread, value) to the place of an 8-bit code, in bytes. A thread has two pieces of 16
/// bytes, 512 bytes apart. The pairs of a block's fragment are bytes 0 and 2, then 1 and 3, of two
/// registers.
pub type Codes8 = layout!((32,((2,2,2),2,2)):(16,((2,1,4),8,512)));

/// Maps `n + 16 k` to the place of a code, where `Places` maps (thread, value) to that place.
pub type Packed<Places> = Composition<Places, RightInverse<HeldWeights>>;
/// The packed order of 4-bit codes.
pub type Packed4 = Packed<Codes4>;
/// The packed order of 8-bit codes.
pub type Packed8 = Packed<Codes8>;
assert_covers!(Packed4, (1024));
assert_covers!(Packed8, (1024));

/// The name of the packed order, which is the atom that holds a tile. It does not name `Places`,
/// which depend on the format.
pub const ORDER: &str = "m16n8k16";
