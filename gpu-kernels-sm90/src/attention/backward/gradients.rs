//! P and dS of a thread's scores, and the second result, which a tile of keys has: dV += P dO.

use super::super::config::{AttentionConfig, DescriptorsV, ProbabilitiesOf, STAGES};
use super::super::epilogue::store_rows;
use super::super::fragments::{Accumulator, AccumulatorLayout, OutputProduct};
use super::super::score::{DifferentiableScore, ScoreAt};
use cuda_std::float::approx::exp2_ftz;
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::warpgroup::InFlight;
use layout_types::algorithm::{SameCount, Walk, transform, transform_in_place, transform_with};
use layout_types::arch::mma::fma_f32;
use layout_types::layout::{LayoutFn, Size};
use layout_types::num::NatCmp;
use layout_types::tensor::{FragmentLayout, GetSlice, PartitionLayout, Shared, Tensor, ThrMma};
use layout_types::tiled::{OperandC, TiledMmaTraits};

/// A thread's part of a tile of values.
type PartOf<Mma, Tile> = <Tile as PartitionLayout<Mma, OperandC>>::Part;

/// What makes P and dS of scores, with a value of each score's query at each coordinate of the tile.
pub trait ScoreGradients<TileValues: LayoutFn, Scores: FragmentLayout> {
    /// Replaces the scores by the probabilities, `2^(scale score - value)`.
    fn probabilities(
        scores: &Accumulator<Scores>,
        lse: &Tensor<Shared<f32>, TileValues>,
        thread: u32,
        scale: f32,
    );
    /// Replaces the scores, times `scale`, by those of a function, and gives its derivative at each.
    fn differentiate(
        scores: &Accumulator<Scores>,
        scale: f32,
        function: impl DifferentiableScore,
    ) -> Accumulator<Scores>;
    /// Multiplies the probabilities by what [`differentiate`](Self::differentiate) gave: in dS they stand together.
    fn multiply(derivatives: &Accumulator<Scores>, probabilities: &Accumulator<Scores>);
    /// Replaces dP by dS, `P (dP - value)`.
    fn gradients(
        probabilities: &Accumulator<Scores>,
        of_p: &Accumulator<Scores>,
        delta: &Tensor<Shared<f32>, TileValues>,
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
    fn probabilities(
        scores: &Accumulator<Scores>,
        lse: &Tensor<Shared<f32>, TileValues>,
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
    fn differentiate(
        scores: &Accumulator<Scores>,
        scale: f32,
        function: impl DifferentiableScore,
    ) -> Accumulator<Scores> {
        let (scores, derivatives) = (scores.view(), Accumulator::new());
        transform_in_place(&scores, |score| {
            function.score(score * scale, ScoreAt::default())
        });
        transform(&scores, &derivatives.view(), |value| {
            function.derivative(value)
        });
        derivatives
    }
    #[inline(always)]
    fn multiply(derivatives: &Accumulator<Scores>, probabilities: &Accumulator<Scores>) {
        let probabilities = probabilities.view();
        transform_with(
            &derivatives.view(),
            &probabilities,
            &probabilities,
            |by, p| by * p,
        );
    }
    #[inline(always)]
    fn gradients(
        probabilities: &Accumulator<Scores>,
        of_p: &Accumulator<Scores>,
        delta: &Tensor<Shared<f32>, TileValues>,
        thread: u32,
    ) {
        let t_d = Mma::get_slice(thread).partition_c(delta); // (MMA,MMA_M,MMA_N)
        let of_p = of_p.view();
        transform_with(&of_p, &t_d, &of_p, |of_p, delta| of_p - delta);
        transform_with(&probabilities.view(), &of_p, &of_p, |p, of_p| p * of_p);
    }
}

/// A thread's part of the second result.
pub trait SecondResult<C: AttentionConfig> {
    /// The same while a product adds to it.
    type UnderWay;
    /// Zeros.
    fn zeros() -> Self;
    /// Issues the product of the probabilities and a stage, as a group of `wgmma`.
    ///
    /// # Safety
    /// As of [`OutputProduct::issue`].
    unsafe fn issue(
        self,
        probabilities: &ProbabilitiesOf<C>,
        t_rt: &DescriptorsV<C>,
        state: &PipelineState<STAGES>,
    ) -> Self::UnderWay;
    /// Waits for the product, while the newest group stays under way.
    ///
    /// # Safety
    /// The whole consumer group executes it, behind [`issue`](Self::issue) and the group of another accumulator.
    unsafe fn finish_leaving_one(under_way: Self::UnderWay) -> Self;
    /// Stores the rows of a tile, as [`store_rows`] does.
    ///
    /// # Safety
    /// As of [`store_rows`].
    unsafe fn store(&self, to: *mut C::OutputElement, rows: (u32, u64), tile: u32);
}
impl<C: AttentionConfig> SecondResult<C> for Accumulator<<C as AttentionConfig>::Output> {
    type UnderWay = InFlight<C::PvAtom, C::Output>;
    #[inline(always)]
    fn zeros() -> Self {
        Accumulator::new()
    }
    #[inline(always)]
    unsafe fn issue(
        self,
        probabilities: &ProbabilitiesOf<C>,
        t_rt: &DescriptorsV<C>,
        state: &PipelineState<STAGES>,
    ) -> Self::UnderWay {
        // SAFETY: the mainloop's `step` brings the whole group here, with the stage of `t_rt` full, and keeps it and
        // `probabilities` until the product has ended.
        unsafe { C::Pv::issue(probabilities, t_rt, state, self) }
    }
    #[inline(always)]
    unsafe fn finish_leaving_one(under_way: Self::UnderWay) -> Self {
        // SAFETY: the mainloop's `step` brings the whole group here, and has committed one product behind the one of `issue`.
        unsafe { under_way.finish_leaving::<1>() }
    }
    #[inline(always)]
    unsafe fn store(&self, to: *mut C::OutputElement, rows: (u32, u64), tile: u32) {
        // SAFETY: `attend` brings the whole group here, and the rows are writable as `kernel::run` demands of the plan's launch.
        unsafe { store_rows::<C>(to, rows, tile, &C::Output::copied(self)) };
    }
}
/// No second result.
impl<C: AttentionConfig> SecondResult<C> for () {
    type UnderWay = ();
    #[inline(always)]
    fn zeros() {}
    #[inline(always)]
    unsafe fn issue(self, _: &ProbabilitiesOf<C>, _: &DescriptorsV<C>, _: &PipelineState<STAGES>) {}
    #[inline(always)]
    unsafe fn finish_leaving_one((): ()) {}
    #[inline(always)]
    unsafe fn store(&self, _: *mut C::OutputElement, _: (u32, u64), _: u32) {}
}
