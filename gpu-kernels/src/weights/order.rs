//! The order of packed weights: from (n, k) of a tile to the place of its code.
//!
//! ```text
//!   tiled MMA's TV layout of A     (thread, value) ─► (n, k)            LayoutTv<Tiles<Atom>, OperandA>
//!   the load and the decoding      (thread, value) ─► place of a code   Codes4, Codes8
//!   packed order                   (n, k) ─► place                      composition(Codes, right_inverse(TV))
//! ```
//!
//! Law: the packed order is a bijection of the tile's 16 rows by 64 of k onto its places: a
//! thread's loads of 16 bytes hold the codes of its fragments of A and no others, in the order in
//! which [`Decode`](super::format::Decode) takes them.

use layout_types::atom::mma::Sm80_16x8x16_F32BF16BF16F32_TN;
use layout_types::prelude::*;
use layout_types::tiled::{LayoutTv, OperandA, TiledMma};

/// Rows of a tile: n.
pub const ROWS: u32 = 16;
/// Columns of a tile: k of four atoms.
pub const COLUMNS: u32 = 64;

/// Four atoms along k, of one warp: 16 rows of weights, 8 tokens.
pub type Tiles<Atom> = TiledMma<Atom, layout!((1, 1, 1)), tile!(16, 8, 64)>;

/// Who holds which weight, of 16-bit activations: (thread, value) to `n + 16 k`. A warp of `wgmma`
/// m64k16 holds its 16 rows so, too.
pub type HeldWeights = LayoutTv<Tiles<Sm80_16x8x16_F32BF16BF16F32_TN>, OperandA>;
assert_covers!(HeldWeights, (16, 64));

/// Activations in shared memory, 8 tokens by 64 of k: rows of 128 bytes, whose pieces of 16 bytes a
/// token's number swizzles.
pub type Activations = Composition<Swizzle<3, 3, 3>, layout!((8,64):(64,1))>;

/// Where a thread's codes of 4 bits are, in nibbles: 16 bytes a thread; pair `j` of a block's
/// fragment is nibbles `j` and `j + 4` of a register.
pub type Codes4 = layout!((32,((2,2,2),4)):(32,((4,1,2),8)));
/// Where a thread's codes of 8 bits are, in bytes: twice 16 bytes a thread, 512 bytes apart; the
/// pairs of a block's fragment are bytes 0 and 2, then 1 and 3, of two registers.
pub type Codes8 = layout!((32,((2,2,2),2,2)):(16,((2,1,4),8,512)));

/// The packed order of codes whose places in a thread's registers are `Places`: `n + 16 k` to a
/// place.
pub type Packed<Places> = Composition<Places, RightInverse<HeldWeights>>;
/// The packed order of 4-bit codes.
pub type Packed4 = Packed<Codes4>;
/// The packed order of 8-bit codes.
pub type Packed8 = Packed<Codes8>;
assert_covers!(Packed4, (1024));
assert_covers!(Packed8, (1024));

/// The packed order's name, but for a format's own places: the atom that holds a tile.
pub const ORDER: &str = "m16n8k16";
