//! Computes P and dS from a thread's scores.
//!
//! ```text
//!   S ─ differentiate ─► f(scale S), f'(scale S)        for a score function f; without f, S is unchanged and P has the scale
//!   S ─ probabilities ─► P = 2^(scale S - LSE)          dP, P ─ gradients ─► dS = P ∘ (dP - δ), with P f' for P if f' is not 1
//!   LSE, δ     one value for each query, at each coordinate (i,j) of the tile by the layout (M,N):(1,0) or (M,N):(0,1)
//! ```
//!
//! Law: the traits are implemented for all tiled MMAs, tiles of values and accumulators that fit
//! each other, both of Hopper's kernels and of the kernels by `mma.sync`.

use super::super::score::{DifferentiableScore, ScoreAt};
use super::super::value::ScoreCoordinates;
use cuda_std::float::approx::exp2_ftz;
use layout_types::algorithm::{SameCount, Walk, transform_with};
use layout_types::arch::mma::fma_f32;
use layout_types::layout::{LayoutFn, Size};
use layout_types::num::NatCmp;
use layout_types::tensor::{
    Fragment, FragmentLayout, GetSlice, PartitionLayout, Read, Tensor, ThrMma,
};
use layout_types::tiled::{OperandC, TiledMmaTraits};

/// A thread's scores, or values computed from them.
type ScoresOf<L> = Fragment<f32, L, OperandC>;
/// The layout of a thread's part of a tile of values.
type PartOf<Mma, Tile> = <Tile as PartitionLayout<Mma, OperandC>>::Part;

/// The place of a block of scores, for a score function: the place of its first score, the key on
/// the diagonal of query 0, and whether queries and keys have swapped roles, as in a tile of keys.
#[derive(Clone, Copy)]
pub struct BlockAt {
    /// The place of the first score, with the roles of queries and keys in the tile.
    pub first: ScoreAt,
    /// [`own_key`](super::super::value::own_key), with the roles of queries and keys in the tile.
    pub own: i32,
    /// Whether the tile is of keys.
    pub of_keys: bool,
}

/// Replaces each score of a block by `function` of the score times `scale`. Stores the derivatives
/// of the function to `derivatives`, unless they are 1 everywhere.
#[inline(always)]
pub fn differentiate<Mma, TileS, Scores, F>(
    [scores, derivatives]: [&ScoresOf<Scores>; 2],
    thread: u32,
    BlockAt {
        first,
        own,
        of_keys,
    }: BlockAt,
    (scale, function): (f32, F),
) where
    Mma: ScoreCoordinates<TileS, Scores>,
    Scores: FragmentLayout,
    F: DifferentiableScore,
{
    let place = |at: ScoreAt| if of_keys { at.transposed() } else { at };
    if const { F::SHIFTS } {
        Mma::change(scores, thread, (first, own), |score, at| {
            function.score(score * scale, place(at))
        });
    } else {
        Mma::differentiate([scores, derivatives], thread, (first, own), |score, at| {
            function.with_derivative(score * scale, place(at))
        });
    }
}

/// Computes P and dS from scores. A tile of values has the value of the score's query at each
/// coordinate.
pub trait ScoreGradients<TileValues: LayoutFn, Scores: FragmentLayout> {
    /// Replaces the scores by the probabilities, `2^(scale score - lse)`.
    fn probabilities<E: Read<Value = f32>>(
        scores: &ScoresOf<Scores>,
        lse: &Tensor<E, TileValues>,
        thread: u32,
        scale: f32,
    );
    /// Multiplies the probabilities by the derivatives of [`differentiate`]: dS needs only their
    /// product.
    fn multiply(derivatives: &ScoresOf<Scores>, probabilities: &ScoresOf<Scores>);
    /// Replaces dP, in `of_p`, by dS, `P (dP - delta)`.
    fn gradients<E: Read<Value = f32>>(
        probabilities: &ScoresOf<Scores>,
        of_p: &ScoresOf<Scores>,
        delta: &Tensor<E, TileValues>,
        thread: u32,
    );
}
impl<Mma, TileValues, Scores> ScoreGradients<TileValues, Scores> for Mma
where
    Mma: TiledMmaTraits + GetSlice<Thr = ThrMma<Mma>>,
    Scores: FragmentLayout + Walk,
    TileValues: LayoutFn + PartitionLayout<Mma, OperandC, Part: Walk>,
    <Size<Scores> as NatCmp>::Equals<Size<PartOf<Mma, TileValues>>>:
        SameCount<Size<Scores>, Size<PartOf<Mma, TileValues>>>,
    <Size<Scores> as NatCmp>::Equals<Size<Scores>>: SameCount<Size<Scores>, Size<Scores>>,
{
    #[inline(always)]
    fn probabilities<E: Read<Value = f32>>(
        scores: &ScoresOf<Scores>,
        lse: &Tensor<E, TileValues>,
        thread: u32,
        scale: f32,
    ) {
        let t_l = Mma::get_slice(thread).partition_c(lse); // (MMA,MMA_M,MMA_N)
        let scores = scores.view();
        transform_with(&scores, &t_l, &scores, |score, lse| {
            exp2_ftz(fma_f32(score, scale, -lse))
        });
    }
    #[inline(always)]
    fn multiply(derivatives: &ScoresOf<Scores>, probabilities: &ScoresOf<Scores>) {
        let probabilities = probabilities.view();
        transform_with(
            &derivatives.view(),
            &probabilities,
            &probabilities,
            |by, p| by * p,
        );
    }
    #[inline(always)]
    fn gradients<E: Read<Value = f32>>(
        probabilities: &ScoresOf<Scores>,
        of_p: &ScoresOf<Scores>,
        delta: &Tensor<E, TileValues>,
        thread: u32,
    ) {
        let t_d = Mma::get_slice(thread).partition_c(delta); // (MMA,MMA_M,MMA_N)
        let of_p = of_p.view();
        transform_with(&of_p, &t_d, &of_p, |of_p, delta| of_p - delta);
        transform_with(&probabilities.view(), &of_p, &of_p, |p, of_p| p * of_p);
    }
}
