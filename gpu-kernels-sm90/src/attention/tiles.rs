//! The tiles of Q, K and V in shared memory, and their loads. They do not depend on the
//! instructions that multiply the tiles.
//!
//! ```text
//!   Q, K, V ─ boxes of TMA ─► SmemQ, SmemK, SmemV      Hopper's wgmma and Blackwell's tcgen05.mma read the same tiles
//! ```
//!
//! Law: boxes, expected bytes and offsets in shared memory follow from the associated types.

use super::config::AttentionConfig;
use super::smem_tile::SmemTile;
use layout_types::atom::Element;
use layout_types::atom::copy::Sm90_TMA_LOAD;
use layout_types::tensor::{Plain, Shared, Tensor};

/// The operands' tiles of a configuration.
pub trait OperandTiles: 'static {
    /// The element of Q, K and V.
    type Element: Plain + Element;
    /// Q in shared memory: (M, D, stages).
    type SmemQ: SmemTile;
    /// K in shared memory: (N, D, stages).
    type SmemK: SmemTile;
    /// V in shared memory: (D, N, stages).
    type SmemV: SmemTile;
    /// The head dimension D of Q and K.
    const DIM: u32;
    /// The head dimension of V and O.
    const DIM_V: u32 = Self::DIM;
    /// The number of stages of Q, and the number of stages of each of K and V.
    const TILE_STAGES: [u32; 2];

    /// The offset of K's stages in shared memory. Q's stages are at 0.
    const OFFSET_OF_K: u32 = Self::TILE_STAGES[0] * LoadQ::<Self>::BYTES;
    /// The offset of V's stages.
    const OFFSET_OF_V: u32 = Self::OFFSET_OF_K + Self::TILE_STAGES[1] * LoadK::<Self>::BYTES;
    /// The number of bytes of all stages.
    const TILE_BYTES: u32 = Self::OFFSET_OF_V + Self::TILE_STAGES[1] * LoadV::<Self>::BYTES;
}
impl<C: AttentionConfig + ?Sized> OperandTiles for C {
    type Element = C::Element;
    type SmemQ = C::SmemQ;
    type SmemK = C::SmemK;
    type SmemV = C::SmemV;
    const DIM: u32 = C::DIM;
    const DIM_V: u32 = C::DIM_V;
    const TILE_STAGES: [u32; 2] = [C::Q_STAGES, C::STAGES];
}

/// The load of a tile of queries.
pub type LoadQ<C> = Sm90_TMA_LOAD<<C as OperandTiles>::SmemQ, <C as OperandTiles>::Element>;
/// The load of a block of K.
pub type LoadK<C> = Sm90_TMA_LOAD<<C as OperandTiles>::SmemK, <C as OperandTiles>::Element>;
/// The load of a block of V.
pub type LoadV<C> = Sm90_TMA_LOAD<<C as OperandTiles>::SmemV, <C as OperandTiles>::Element>;

/// The tiles in shared memory.
pub struct Smem<C: OperandTiles> {
    /// Q: (M,D,stages).
    pub q: Tensor<Shared<C::Element>, C::SmemQ>,
    /// K: (N,D,stages).
    pub k: Tensor<Shared<C::Element>, C::SmemK>,
    /// V: (D,N,stages).
    pub v: Tensor<Shared<C::Element>, C::SmemV>,
}

impl<C: OperandTiles> Smem<C> {
    /// Returns the tiles, which follow one another from `shared` on.
    ///
    /// # Safety
    /// `shared` is a multiple of 1024 and names `TILE_BYTES` bytes of the CTA's shared memory.
    #[inline(always)]
    pub unsafe fn at(shared: u32) -> Self {
        // SAFETY: the offsets leave each tile its bytes, all of them within `TILE_BYTES`, by their
        // definition.
        unsafe {
            Self {
                q: Tensor::shared(shared),
                k: Tensor::shared(shared + C::OFFSET_OF_K),
                v: Tensor::shared(shared + C::OFFSET_OF_V),
            }
        }
    }
}
