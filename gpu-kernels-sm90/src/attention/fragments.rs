//! The fragments that a consumer thread holds in registers, and the two products that compute them.
//!
//! ```text
//!   scores         f32, C of Qk      ((2,2,N/8),1,1)    two neighbouring columns, two rows, blocks of eight columns
//!   probabilities  16 bits, A of Pv  ((2,2,2),1,N/16)   the same values of the same thread, in the same order
//!   output         f32, C of Pv      ((2,2,D/8),1,1)
//! ```
//!
//! Law: each trait is implemented for all tiles, fragments and tiled MMAs of `wgmma` that fit each
//! other. It is the one bound that a kernel generic over them needs.

use super::softmax::Row;
use super::value::{AttentionValue, ScoreCoordinates};
use half::{bf16, f16};
use layout_types::algebra::cast::RecastTo;
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::warpgroup::{self, AccumulatorTile, InFlight, WarpgroupGemm};
use layout_types::algorithm::{SameCount, Walk, transform, transform_with};
use layout_types::arch::mma::fma_f32;
use layout_types::atom::Element;
use layout_types::atom::mma::WgmmaOp;
use layout_types::coord::Coord;
use layout_types::layout::{LayoutFn, Size};
use layout_types::num::NatCmp;
use layout_types::ragged::{SliceTensorBy, TensorLayout};
use layout_types::tensor::{
    __, Descriptors, Fragment, FragmentLayout, GetSlice, PartitionDescriptors, Plain, Registers,
    Tensor, ThrMma,
};
use layout_types::tiled::{OperandA, OperandB, OperandC, TiledMmaTraits};
use layout_types::tree::Underscore;
use layout_types::typenum::{U16, U32, U64, Unsigned};
use layout_types::unroll::Unroll;

/// An element type of Q, K and V. Probabilities are rounded to it.
pub trait OperandElement: Plain + Element {
    /// The exponent of 2 of a row's largest probability, to which probabilities are scaled. The
    /// smallest probabilities become 0; e4m3, whose smallest number is 2^-9, can represent larger
    /// numbers than 1 instead.
    const TOP: f32;
}

/// Rounds a thread's scores to operand A of this element type. Each thread keeps its values.
pub trait RoundScores<Scores: FragmentLayout, Probabilities: FragmentLayout>:
    OperandElement
{
    /// Rounds all scores of the thread.
    fn round_scores(
        scores: &Accumulator<Scores>,
        probabilities: &Fragment<Self, Probabilities, OperandA>,
    );
}

macro_rules! sixteen_bits {
    ($($element:ty)+) => {$(
        impl OperandElement for $element {
            const TOP: f32 = 0.0;
        }
        impl<Scores, Probabilities> RoundScores<Scores, Probabilities> for $element
        where
            Scores: FragmentLayout + RecastTo<U32, U64, Output: Walk>,
            Probabilities: FragmentLayout<Length: Unroll> + RecastTo<U16, U32, Output: Walk>,
            <Size<Pairs<Scores>> as NatCmp>::Equals<Size<<Probabilities as RecastTo<U16, U32>>::Output>>:
                SameCount<Size<Pairs<Scores>>, Size<<Probabilities as RecastTo<U16, U32>>::Output>>,
        {
            /// Keeps the order, which `assert_retile_c_to_a!` of a configuration's atoms proves to
            /// be right.
            #[inline(always)]
            fn round_scores(
                scores: &Accumulator<Scores>,
                probabilities: &Fragment<Self, Probabilities, OperandA>,
            ) {
                transform(
                    &scores.view().recast::<u64>(),        // ((1,2,N/8),1,1)
                    &probabilities.view().recast::<u32>(), // ((1,2,2),1,N/16)
                    <$element as AttentionValue>::round,
                );
            }
        }
    )+};
}
sixteen_bits!(f16 bf16);

/// An accumulator of layout `L`.
pub type Accumulator<L> = Fragment<f32, L, OperandC>;

/// The coordinate of a whole row.
type OfRow = ((Underscore, u32, Underscore), u32, u32);
/// The coordinate of a pair of neighbouring columns: its row, and its block of eight columns.
type OfPair = ((u32, u32, u32), u32, u32);
/// The modes of a coordinate of a tensor with layout `L`.
type Modes<L> = <<L as TensorLayout>::Offsets as LayoutFn>::Modes;
/// The layout of a row of an accumulator.
type RowOf<L> = <L as SliceTensorBy<OfRow>>::Output;
/// A layout of f32 recast as a layout of pairs.
type Pairs<L> = <L as RecastTo<U32, U64>>::Output;

/// The layout of an accumulator of one atom, `((2,2,blocks),1,1)`.
pub trait AccumulatorLayout<Atom>: FragmentLayout<Length: Unroll> + AccumulatorTile<Atom> {
    /// The layout of a thread's columns of a row.
    type Row: Walk<Count: Unsigned>;
    /// Returns a thread's two rows.
    fn rows(of: &Accumulator<Self>) -> [Row<'_, Self::Row>; 2];
    /// Returns the thread's pair of neighbouring columns in row `row` and block `block` of eight
    /// columns.
    fn pair(of: &Accumulator<Self>, row: u32, block: u32) -> u64;
    /// Multiplies row i of `sums` by `by[i]` and adds `product`.
    fn scale_and_add(sums: &Accumulator<Self>, by: [f32; 2], product: &Accumulator<Self>);
    /// Returns a copy in other registers. Without it, a mainloop whose accumulator is read as pairs
    /// after the loop would hold pairs.
    fn copied(of: &Accumulator<Self>) -> Accumulator<Self>;
}
impl<Atom, L> AccumulatorLayout<Atom> for L
where
    L: FragmentLayout<Length: Unroll> + AccumulatorTile<Atom>,
    L: SliceTensorBy<OfRow, Output: Walk<Count: Unsigned>> + RecastTo<U32, U64>,
    OfRow: Coord<Modes<L>, u32>,
    OfPair: Coord<<Pairs<L> as LayoutFn>::Modes, u32>,
    L: Walk,
    <Size<L> as NatCmp>::Equals<Size<L>>: SameCount<Size<L>, Size<L>>,
    <Size<RowOf<L>> as NatCmp>::Equals<Size<RowOf<L>>>: SameCount<Size<RowOf<L>>, Size<RowOf<L>>>,
{
    type Row = <L as SliceTensorBy<OfRow>>::Output;
    #[inline(always)]
    fn rows(of: &Accumulator<L>) -> [Row<'_, Self::Row>; 2] {
        [
            of.slice(((__, 0, __), 0, 0)), // (2,blocks)
            of.slice(((__, 1, __), 0, 0)), // (2,blocks)
        ]
    }
    #[inline(always)]
    fn pair(of: &Accumulator<L>, row: u32, block: u32) -> u64 {
        of.view().recast::<u64>().get(((0, row, block), 0, 0))
    }
    #[inline(always)]
    fn scale_and_add(sums: &Accumulator<L>, by: [f32; 2], product: &Accumulator<L>) {
        let (sums, product) = (Self::rows(sums), Self::rows(product));
        transform_with(&sums[0], &product[0], &sums[0], |sum, x| {
            fma_f32(sum, by[0], x)
        });
        transform_with(&sums[1], &product[1], &sums[1], |sum, x| {
            fma_f32(sum, by[1], x)
        });
    }
    #[inline(always)]
    fn copied(of: &Accumulator<L>) -> Accumulator<L> {
        let copy = Accumulator::new();
        transform(&of.view(), &copy.view(), |value| value);
        copy
    }
}

/// The descriptors of operand `X` in the tile `Smem` of elements `T`.
pub type DescriptorsOf<Mma, X, T, Smem> =
    Tensor<Descriptors<Mma, X>, <Mma as PartitionDescriptors<X, T, Smem>>::Starts>;
/// The coordinate of one stage, with all of the modes before it.
type OfStage = (Underscore, Underscore, Underscore, u32);
type StageOf<L> = <L as SliceTensorBy<OfStage>>::Output;
/// The layout of A's descriptors.
type StartsA<Mma, T, Smem> = <Mma as PartitionDescriptors<OperandA, T, Smem>>::Starts;
/// The layout of B's descriptors.
type StartsB<Mma, T, Smem> = <Mma as PartitionDescriptors<OperandB, T, Smem>>::Starts;

/// The product S (M,N) = Q (M,D) K (N,D)ᵀ, with both operands in stages.
pub trait ScoresProduct<Atom, T, SmemQ: LayoutFn, SmemK: LayoutFn, TileS, Scores>:
    TiledMmaTraits<Atom = Atom>
    + GetSlice<Thr = ThrMma<Self>>
    + PartitionDescriptors<OperandA, T, SmemQ>
    + PartitionDescriptors<OperandB, T, SmemK>
    + ScoreCoordinates<TileS, Scores>
where
    Atom: WgmmaOp<ValTypeC = f32>,
    Scores: AccumulatorLayout<Atom>,
{
    /// Issues the product of a stage of Q and a stage of K, as a group of `wgmma`.
    ///
    /// # Safety
    /// The conditions are those of [`warpgroup::gemm`], for both stages.
    unsafe fn issue<const OF_Q: u32, const OF_K: u32>(
        q: (
            &DescriptorsOf<Self, OperandA, T, SmemQ>,
            &PipelineState<OF_Q>,
        ),
        k: (
            &DescriptorsOf<Self, OperandB, T, SmemK>,
            &PipelineState<OF_K>,
        ),
        scores: Accumulator<Scores>,
    ) -> InFlight<Atom, Scores>;
    /// Issues the product of a part of Q's columns and the same part of K's columns, without fence
    /// and commit. A part is the last coordinate of its tile. The product is added to the scores if
    /// `adds` is 1, and replaces them if it is 0.
    ///
    /// # Safety
    /// The conditions are those of [`warpgroup::gemm`], for both parts. The parts are below the
    /// tiles' last extents.
    unsafe fn multiply_part(
        q: (&DescriptorsOf<Self, OperandA, T, SmemQ>, u32),
        k: (&DescriptorsOf<Self, OperandB, T, SmemK>, u32),
        scores: &mut InFlight<Atom, Scores>,
        adds: u32,
    );
}
impl<Mma, Atom, T, SmemQ: LayoutFn, SmemK: LayoutFn, TileS, Scores>
    ScoresProduct<Atom, T, SmemQ, SmemK, TileS, Scores> for Mma
where
    Atom: WgmmaOp<ValTypeC = f32>,
    Scores: AccumulatorLayout<Atom> + Walk,
    Mma: TiledMmaTraits<Atom = Atom> + GetSlice<Thr = ThrMma<Mma>>,
    Mma: PartitionDescriptors<OperandA, T, SmemQ> + PartitionDescriptors<OperandB, T, SmemK>,
    StartsA<Mma, T, SmemQ>: SliceTensorBy<OfStage>,
    OfStage: Coord<Modes<StartsA<Mma, T, SmemQ>>, u32>,
    StartsB<Mma, T, SmemK>: SliceTensorBy<OfStage>,
    OfStage: Coord<Modes<StartsB<Mma, T, SmemK>>, u32>,
    Mma: WarpgroupGemm<
            Descriptors<Mma, OperandA>,
            StageOf<StartsA<Mma, T, SmemQ>>,
            Descriptors<Mma, OperandB>,
            StageOf<StartsB<Mma, T, SmemK>>,
            Scores,
        >,
    Mma: ScoreCoordinates<TileS, Scores>,
{
    #[inline(always)]
    unsafe fn issue<const OF_Q: u32, const OF_K: u32>(
        // (1,MMA_M,MMA_K,stages) and (1,MMA_N,MMA_K,stages)
        (t_rq, q): (
            &DescriptorsOf<Self, OperandA, T, SmemQ>,
            &PipelineState<OF_Q>,
        ),
        (t_rk, k): (
            &DescriptorsOf<Self, OperandB, T, SmemK>,
            &PipelineState<OF_K>,
        ),
        scores: Accumulator<Scores>,
    ) -> InFlight<Atom, Scores> {
        // SAFETY: the mainloop issues with whole warp groups, after its waits for both stages, and
        // releases the stages after the products' `finish`.
        unsafe {
            let mut scores = warpgroup::arrive(Mma::default(), scores);
            let t_rq = t_rq.stage(q); // (1,MMA_M,MMA_K)
            let t_rk = t_rk.stage(k); // (1,MMA_N,MMA_K)
            Mma::gemm(&t_rq, &t_rk, &mut scores, 0);
            scores.commit();
            scores
        }
    }
    #[inline(always)]
    unsafe fn multiply_part(
        // (1,MMA_M,MMA_K,parts) and (1,MMA_N,MMA_K,parts)
        (t_rq, q): (&DescriptorsOf<Self, OperandA, T, SmemQ>, u32),
        (t_rk, k): (&DescriptorsOf<Self, OperandB, T, SmemK>, u32),
        scores: &mut InFlight<Atom, Scores>,
        adds: u32,
    ) {
        let t_rq = t_rq.slice((__, __, __, q)); // (1,MMA_M,MMA_K)
        let t_rk = t_rk.slice((__, __, __, k)); // (1,MMA_N,MMA_K)
        // SAFETY: by the function's contract whole warp groups are here, and both parts are written
        // and stay so until the products have ended.
        unsafe { Mma::gemm(&t_rq, &t_rk, scores, adds) };
    }
}

/// The product O (M,D) += P (M,N) V (D,N)ᵀ, with P in registers and V in stages.
pub trait OutputProduct<Atom, T: Plain, SmemV: LayoutFn, Scores, Probabilities, Output>:
    TiledMmaTraits<Atom = Atom>
    + GetSlice<Thr = ThrMma<Self>>
    + PartitionDescriptors<OperandB, T, SmemV>
where
    Atom: WgmmaOp<ValTypeC = f32>,
    Scores: FragmentLayout,
    Probabilities: FragmentLayout,
    Output: AccumulatorLayout<Atom>,
{
    /// Issues the product with a stage, as a group of `wgmma`. The product is added to the
    /// accumulator if `adds` is 1, and replaces it if it is 0.
    ///
    /// # Safety
    /// The conditions are those of [`warpgroup::gemm`], for the probabilities and the stage of V.
    unsafe fn issue_scaled<const STAGES: u32>(
        probabilities: &Fragment<T, Probabilities, OperandA>,
        t_rv: &DescriptorsOf<Self, OperandB, T, SmemV>,
        state: &PipelineState<STAGES>,
        output: Accumulator<Output>,
        adds: u32,
    ) -> InFlight<Atom, Output>;
    /// Does what [`issue_scaled`](Self::issue_scaled) does with `adds` 1.
    ///
    /// # Safety
    /// The conditions are those of [`issue_scaled`](Self::issue_scaled).
    #[inline(always)]
    unsafe fn issue<const STAGES: u32>(
        probabilities: &Fragment<T, Probabilities, OperandA>,
        t_rv: &DescriptorsOf<Self, OperandB, T, SmemV>,
        state: &PipelineState<STAGES>,
        output: Accumulator<Output>,
    ) -> InFlight<Atom, Output> {
        // SAFETY: by the function's contract whole warp groups are here, and the probabilities and
        // the stage of V are not written before the product has ended.
        unsafe { Self::issue_scaled(probabilities, t_rv, state, output, 1) }
    }
    /// Issues the product with one part of the tile, whose index is the tile's last coordinate, as
    /// a group of `wgmma`. The product is added to the accumulator.
    ///
    /// # Safety
    /// The conditions are those of [`issue_scaled`](Self::issue_scaled); the part is below the
    /// tile's last extent.
    unsafe fn issue_part(
        probabilities: &Fragment<T, Probabilities, OperandA>,
        t_rv: (&DescriptorsOf<Self, OperandB, T, SmemV>, u32),
        output: Accumulator<Output>,
    ) -> InFlight<Atom, Output>;
    /// Rounds the probabilities, which are in the scores' fragment of C, to operand A. Each thread
    /// keeps its values.
    fn round(scores: &Accumulator<Scores>, probabilities: &Fragment<T, Probabilities, OperandA>);
}
impl<Mma, Atom, T, SmemV: LayoutFn, Scores, Probabilities, Output>
    OutputProduct<Atom, T, SmemV, Scores, Probabilities, Output> for Mma
where
    Atom: WgmmaOp<ValTypeC = f32>,
    T: RoundScores<Scores, Probabilities>,
    Scores: FragmentLayout,
    Probabilities: FragmentLayout<Length: Unroll>,
    Output: AccumulatorLayout<Atom>,
    Mma: TiledMmaTraits<Atom = Atom> + GetSlice<Thr = ThrMma<Mma>>,
    Mma: PartitionDescriptors<OperandB, T, SmemV>,
    StartsB<Mma, T, SmemV>: SliceTensorBy<OfStage>,
    OfStage: Coord<Modes<StartsB<Mma, T, SmemV>>, u32>,
    Mma: for<'a> WarpgroupGemm<
            Registers<'a, T, OperandA>,
            Probabilities,
            Descriptors<Mma, OperandB>,
            StageOf<StartsB<Mma, T, SmemV>>,
            Output,
        >,
{
    #[inline(always)]
    unsafe fn issue_scaled<const STAGES: u32>(
        probabilities: &Fragment<T, Probabilities, OperandA>, // (MMA,MMA_M,MMA_K)
        t_rv: &DescriptorsOf<Self, OperandB, T, SmemV>,       // (1,MMA_N,MMA_K,stages)
        state: &PipelineState<STAGES>,
        output: Accumulator<Output>,
        adds: u32,
    ) -> InFlight<Atom, Output> {
        // SAFETY: the mainloop issues with whole warp groups, after its wait for the stage. It
        // releases the stage, and writes the probabilities again, only after `finish`.
        unsafe {
            warpgroup::fence_operand(probabilities);
            let mut output = warpgroup::arrive(Mma::default(), output);
            let t_rv = t_rv.stage(state); // (1,MMA_N,MMA_K)
            Mma::gemm(&probabilities.view(), &t_rv, &mut output, adds);
            output.commit();
            output
        }
    }
    #[inline(always)]
    unsafe fn issue_part(
        probabilities: &Fragment<T, Probabilities, OperandA>, // (MMA,MMA_M,MMA_K)
        // (1,MMA_N,MMA_K,parts)
        (t_rv, part): (&DescriptorsOf<Self, OperandB, T, SmemV>, u32),
        output: Accumulator<Output>,
    ) -> InFlight<Atom, Output> {
        // SAFETY: by the function's contract whole warp groups are here, and the probabilities and
        // the part of V are not written before the product has ended.
        unsafe {
            warpgroup::fence_operand(probabilities);
            let mut output = warpgroup::arrive(Mma::default(), output);
            let t_rv = t_rv.slice((__, __, __, part)); // (1,MMA_N,MMA_K)
            Mma::gemm(&probabilities.view(), &t_rv, &mut output, 1);
            output.commit();
            output
        }
    }
    #[inline(always)]
    fn round(scores: &Accumulator<Scores>, probabilities: &Fragment<T, Probabilities, OperandA>) {
        T::round_scores(scores, probabilities);
    }
}
