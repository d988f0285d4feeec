//! A configuration of a gradient kernel. It is a configuration of an attention kernel whose Q are
//! the resident tensors, whose K are the streamed tensors, and whose V are the streamed tensors
//! transposed.

use super::super::composed::Composed;
use super::super::config::{AttentionConfig, LoadK, LoadQ, STAGES};
use super::super::score::DifferentiableScore;
use super::gradients::{ScoreGradients, SecondResult};
use super::sequences::GradientSequences;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Shared, Tensor};

/// A configuration of a gradient kernel, as types and constants.
pub trait GradientConfig:
    AttentionConfig<Sequences: GradientSequences, Score: DifferentiableScore> + Sized
{
    /// Maps a coordinate (M,N) of a tile to the place of its query's value.
    type TileValues: LayoutFn;
    /// [`Qk`](AttentionConfig::Qk), as the type that computes P and dS from a thread's scores.
    type Gradients: ScoreGradients<Self::TileValues, Self::Scores>;
    /// The second result: a thread's part of dV, or `()`.
    type Second: SecondResult<Self>;
    /// Whether tiles are of keys. If so, the values are loaded with the blocks, and the kernel has
    /// two results.
    const OF_KEYS: bool;

    /// The number of queries in a tile or block, and the number of stages of their values.
    const VALUES: [u32; 2] = if Self::OF_KEYS {
        [Self::TILE[1], STAGES]
    } else {
        [Self::TILE[0], 1]
    };
    /// Bytes of the values of one kind and stage.
    const VALUE_BYTES: u32 = 4 * Self::VALUES[0];
    /// Offset of the values in shared memory, after both resident and both streamed tensors.
    const VALUES_OFFSET: u32 = 2 * (LoadQ::<Self>::BYTES + STAGES * LoadK::<Self>::BYTES);
    /// Offset of the barriers.
    const GRADIENT_BARRIERS: u32 = Self::VALUES_OFFSET + 2 * Self::VALUES[1] * Self::VALUE_BYTES;
    /// Bytes of shared memory.
    const GRADIENT_SHARED_BYTES: u32 = Self::GRADIENT_BARRIERS + 16 * (1 + 2 * STAGES);
}

impl<C, F, S> GradientConfig for Composed<C, F, S>
where
    C: GradientConfig<Second: SecondResult<Self>>,
    F: DifferentiableScore,
    S: GradientSequences,
{
    type TileValues = C::TileValues;
    type Gradients = C::Gradients;
    type Second = C::Second;
    const OF_KEYS: bool = C::OF_KEYS;
}

/// The tiles in shared memory.
pub struct GradientSmem<C: GradientConfig> {
    /// Each resident tensor: (M,D,1).
    pub stays: [Tensor<Shared<C::Element>, C::SmemQ>; 2],
    /// Each streamed tensor: (N,D,stages).
    pub streamed: [Tensor<Shared<C::Element>, C::SmemK>; 2],
    /// The same bytes for each streamed tensor: (D,N,stages).
    pub transposed: [Tensor<Shared<C::Element>, C::SmemV>; 2],
    values: u32,
}

impl<C: GradientConfig> GradientSmem<C> {
    /// Returns the tiles, which follow each other from `shared` on.
    ///
    /// # Safety
    /// `shared` is a multiple of 1024 and names `GRADIENT_SHARED_BYTES` bytes of the CTA's shared
    /// memory.
    #[inline(always)]
    pub unsafe fn at(shared: u32) -> Self {
        let streamed = shared + 2 * LoadQ::<C>::BYTES;
        let second = streamed + STAGES * LoadK::<C>::BYTES;
        // SAFETY: the offsets leave each tile its bytes, and all tiles end before the values.
        unsafe {
            Self {
                stays: [
                    Tensor::shared(shared),
                    Tensor::shared(shared + LoadQ::<C>::BYTES),
                ],
                streamed: [Tensor::shared(streamed), Tensor::shared(second)],
                transposed: [Tensor::shared(streamed), Tensor::shared(second)],
                values: shared + C::VALUES_OFFSET,
            }
        }
    }

    /// Returns the address of the log-sum-exps (`which` is 0) or δ (1) of a stage.
    #[inline(always)]
    pub fn values_at(&self, which: u32, stage: u32) -> u32 {
        self.values + (2 * stage + which) * C::VALUE_BYTES
    }

    /// Returns the log-sum-exps or δ of a stage, at each coordinate (M,N) of the tile.
    ///
    /// # Safety
    /// The conditions are those of [`Tensor::shared`]: the stage is read after the wait for it and
    /// before it is freed.
    #[inline(always)]
    pub unsafe fn values(&self, which: u32, stage: u32) -> Tensor<Shared<f32>, C::TileValues> {
        // SAFETY: by its definition the layout reaches only the `VALUES[0]` values of each kind
        // that a stage has. The mainloop reads them between its wait for the stage and its release.
        unsafe { Tensor::shared(self.values_at(which, stage)) }
    }
}

/// Checks that the numbers with which a configuration is run are the configuration's own.
pub const fn is_run_by<C: GradientConfig>(warps: u32) {
    super::super::config::is_run_by::<C>([1, STAGES], warps);
    has_values::<C>();
}

/// Checks that the values of a block or of a tile can be copied.
pub const fn has_values<C: GradientConfig>() {
    assert!(
        C::VALUE_BYTES.is_multiple_of(16) && 128 % C::VALUES[0] == 0,
        "values come by bulk copies of multiples of 16 bytes, of rows that are padded to multiples of 128"
    );
}
