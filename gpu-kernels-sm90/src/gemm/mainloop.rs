//! The mainloop: the loads of the producer for a tile, and the products of a consumer group.
//!
//! ```text
//!   producer    wait empty ─ expect bytes ─ TMA of A's part and B's part, multicast to the CTAs that share the tile
//!   consumer    wait full ─ ATOMS x 4 wgmma ─ commit ─ wait for the previous wgmma group ─ release its stage in the cluster
//! ```
//!
//! Law: a stage is released when the `wgmma` that read it have ended, one group later. The products
//! of a tile are added in ascending k; the first product overwrites the accumulator.

use super::cluster::{NOBODY, Place, Share};
use super::config::{CollectiveConfig, GemmConfig};
use super::tail::Tail;
use super::tile_scheduler::{KTiles, TileAt, TileScheduler};
use gpu_kernels::gemm::params::KernelPointers;
use kernel_abi::gemm::{GemmParams, Scaling};
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::copy_sm90_tma::{TensorMap, tma_load_3d, tma_load_multicast_3d};
use layout_types::arch::mma_sm90_gmma::{
    FenceOperand, warpgroup_arrive, warpgroup_commit_batch, warpgroup_wait,
};
use layout_types::atom::Element;
use layout_types::atom::mma::WgmmaOp;
use layout_types::atom::smem_operand::{Operand, TmaTile};
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::unroll::unroll_type;

/// The tensor maps of A and B.
#[derive(Clone, Copy)]
pub struct Maps<'a> {
    /// The map of A, with boxes of `PartA`.
    pub a: &'a TensorMap,
    /// The map of B, with boxes of `PartB`.
    pub b: &'a TensorMap,
}

/// The parts that a CTA loads of the tiles of A and B that its slice of the cluster shares.
#[derive(Clone, Copy)]
pub struct Shares {
    a: Share,
    b: Share,
    /// Whether all batches share A, and whether all share B.
    one_batch: [bool; 2],
}
impl Shares {
    /// Returns the shares of the CTA at `place`.
    #[inline(always)]
    pub fn of(place: &Place, params: &GemmParams) -> Self {
        Self {
            a: place.share_of_a(),
            b: place.share_of_b(),
            one_batch: [params.batch_a == 0, params.batch_b == 0],
        }
    }
}

/// The pipeline as a consumer thread uses it.
#[derive(Clone, Copy)]
pub struct Stages<const STAGES: u32, const ARRIVALS: u32> {
    /// The barriers.
    pub pipeline: PipelineTmaAsync<STAGES, ARRIVALS>,
    /// The rank of the CTA at whose barrier the thread arrives when its warp has read a stage, or
    /// [`NOBODY`] if the thread does not arrive.
    pub told: u32,
}

/// Starts the loads of one part of a tile, from row `row` and column `k` of an operand on. Calls
/// `copy` with each box's address in shared memory and its coordinate.
#[inline(always)]
pub fn load_boxes<Part: LayoutFn + Reflect, T: Element>(
    shared: u32,
    (row, k): (u32, u32),
    batch: u32,
    copy: impl Fn(u32, [i32; 3]),
) {
    let [down, across] = const { TmaTile::<Part, T>::BOX.boxes };
    let mut j = 0;
    while j < across {
        let mut i = 0;
        while i < down {
            let [x, y] = TmaTile::<Part, T>::coordinate((i, j), row, k);
            let to = shared + TmaTile::<Part, T>::offset((i, j), 0);
            copy(to, [x, y, batch as i32]);
            i += 1;
        }
        j += 1;
    }
}

/// Starts the loads of one part of a tile. `barrier` of every CTA in `blocks` counts them.
///
/// # Safety
/// For each box the conditions are those of [`tma_load_multicast_3d`].
#[inline(always)]
unsafe fn load<Part: LayoutFn + Reflect, T: Element>(
    shared: u32,
    map: &TensorMap,
    at: (u32, u32),
    batch: u32,
    barrier: u32,
    blocks: Option<u16>,
) {
    load_boxes::<Part, T>(shared, at, batch, |to, at| {
        // SAFETY: the caller's part in shared memory is large enough for all its boxes, and the
        // caller expects their bytes on `barrier`.
        unsafe {
            match blocks {
                Some(blocks) => tma_load_multicast_3d(to, map, at, barrier, blocks),
                None => tma_load_3d(to, map, at, barrier),
            }
        }
    });
}

/// The loads of a tile.
#[derive(Clone, Copy)]
pub struct Loads {
    /// The tile; its batch is the batch of the operands.
    pub tile: TileAt,
    /// The k tiles of the tile.
    pub k_tiles: KTiles,
    /// The number of bytes of A and B together for one k tile.
    pub bytes: u32,
}

/// Loads the k tiles of a tile.
///
/// # Safety
/// One thread of the CTA executes it, with its own `state`. The maps have the boxes of `PartA` and
/// `PartB`, or boxes cut to the rows of the operand, and the boxes of a k tile have `loads.bytes`
/// bytes together. `shared` is the CTA's dynamic shared memory of `SHARED_BYTES`, aligned to 1024
/// bytes. No CTA of the cluster has exited.
#[inline(always)]
pub unsafe fn produce<C: GemmConfig, const STAGES: u32, const ARRIVALS: u32>(
    shared: u32,
    pipeline: PipelineTmaAsync<STAGES, ARRIVALS>,
    state: &mut PipelineState<STAGES>,
    maps: Maps<'_>,
    shares: Shares,
    loads: Loads,
) {
    let mut fill = |others: [Option<u16>; 2]| {
        // SAFETY: one thread is here, and maps, shared memory and cluster are as the function's
        // contract says.
        unsafe { fill::<C, STAGES, ARRIVALS>(shared, pipeline, state, maps, shares, loads, others) }
    };
    // Each case has a loop of its own: a k tile of a small tile takes 130 cycles, and a branch in
    // the loop would add a tenth.
    match [shares.a.others(), shares.b.others()] {
        [None, None] => fill([None, None]),
        [Some(a), None] => fill([Some(a), None]),
        [None, Some(b)] => fill([None, Some(b)]),
        [Some(a), Some(b)] => fill([Some(a), Some(b)]),
    }
}

/// Does what [`produce`] does, with the multicast masks of the parts of A and B. `None` is a load
/// for this CTA only.
///
/// # Safety
/// The conditions are those of [`produce`].
#[inline(always)]
unsafe fn fill<C: GemmConfig, const STAGES: u32, const ARRIVALS: u32>(
    shared: u32,
    pipeline: PipelineTmaAsync<STAGES, ARRIVALS>,
    state: &mut PipelineState<STAGES>,
    maps: Maps<'_>,
    shares: Shares,
    Loads {
        tile,
        k_tiles,
        bytes,
    }: Loads,
    [others_a, others_b]: [Option<u16>; 2],
) {
    let row_a = tile.row + shares.a.begin(C::TILE[0]);
    let row_b = tile.column + shares.b.begin(C::TILE[1]);
    let to_a = shared + shares.a.begin(C::BYTES_A);
    let to_b = shared + C::B_OFFSET + shares.b.begin(C::BYTES_B);
    let [batch_a, batch_b] = shares.one_batch.map(|one| if one { 0 } else { tile.batch });
    let mut k = k_tiles.first * C::TILE[2];
    let mut left = k_tiles.count;
    while left > 0 {
        let stage = state.stage();
        let full = pipeline.full(stage);
        // SAFETY: a stage is written after `producer_acquire`. The parts of a tile follow each
        // other in its stage, in the order of the CTAs' ranks, and together have the expected
        // bytes.
        unsafe {
            pipeline.producer_acquire(state, bytes);
            let to = to_a + stage * C::BYTES_A;
            load::<C::PartA, C::Element>(to, maps.a, (row_a, k), batch_a, full, others_a);
            let to = to_b + stage * C::BYTES_B;
            load::<C::PartB, C::Element>(to, maps.b, (row_b, k), batch_b, full, others_b);
        }
        state.advance();
        k += k_tiles.step * C::TILE[2];
        left -= 1;
    }
}

/// The properties of a mainloop that a host needs.
pub trait MainloopParts: 'static {
    /// Where the scales of 8-bit floats are applied.
    const SCALING: Scaling = Scaling::Tensor;
}

/// How a consumer group multiplies the k tiles of a tile.
pub trait Mainloop<C: GemmConfig, const STAGES: u32, const ARRIVALS: u32, const ATOMS: usize> {
    /// Issues the products of all k tiles of a tile, for rows `64 ATOMS block ..` or columns `N
    /// block ..`, and releases all stages but the last. A mainloop with scales finds them by
    /// `of_tile`, which is the tile at the group's first row.
    ///
    /// # Safety
    /// All warps of a consumer group execute it, each thread with its own `state`. `k_tiles` is at
    /// least 1, `shared` is as in [`produce`], and the pointers are the plan's.
    unsafe fn multiply(
        shared: u32,
        stages: Stages<STAGES, ARRIVALS>,
        state: &mut PipelineState<STAGES>,
        registers: [C::Registers; ATOMS],
        block: u32,
        k_tiles: u32,
        of_tile: (&KernelPointers, &GemmParams, impl FnOnce() -> TileAt),
    ) -> InFlight<C, STAGES, ATOMS>;
}

/// The mainloop without scales, in which `wgmma` adds all products.
pub struct Products;
impl MainloopParts for Products {}
impl<C: GemmConfig, const STAGES: u32, const ARRIVALS: u32, const ATOMS: usize>
    Mainloop<C, STAGES, ARRIVALS, ATOMS> for Products
{
    #[inline(always)]
    unsafe fn multiply(
        shared: u32,
        stages: Stages<STAGES, ARRIVALS>,
        state: &mut PipelineState<STAGES>,
        registers: [C::Registers; ATOMS],
        block: u32,
        k_tiles: u32,
        (_, params, tile): (&KernelPointers, &GemmParams, impl FnOnce() -> TileAt),
    ) -> InFlight<C, STAGES, ATOMS> {
        let tail = if const { C::Tiles::GROUPED } {
            Tail::of::<C>(tile().depth, params.k)
        } else {
            Tail::NONE
        };
        // SAFETY: the caller runs `multiply` by whole warp groups, on stages that the pipeline
        // hands over.
        unsafe {
            multiply::<C, STAGES, ARRIVALS, ATOMS>(
                shared, stages, state, registers, block, k_tiles, tail,
            )
        }
    }
}

/// A consumer group's accumulator of a tile while `wgmma` writes it.
pub struct InFlight<C: GemmConfig, const STAGES: u32, const ATOMS: usize> {
    registers: [C::Registers; ATOMS],
    /// The stage that the last group of `wgmma` reads.
    last: PipelineState<STAGES>,
}

/// Keeps the compiler from moving accesses to the registers across this point.
#[inline(always)]
fn fence<C: GemmConfig, const ATOMS: usize>(registers: &mut [C::Registers; ATOMS]) {
    unroll_type::<C::Atoms>(|atom| registers[atom].fence());
}

/// A's stages as operands of `wgmma`.
type OperandA<C> = Operand<
    <C as CollectiveConfig>::SmemA,
    <C as CollectiveConfig>::Element,
    <C as CollectiveConfig>::MajorA,
    layout_types::typenum::U64,
>;
/// B's stages as operands of `wgmma`, in the columns of a consumer group.
type OperandB<C> = Operand<
    <C as CollectiveConfig>::SmemB,
    <C as CollectiveConfig>::Element,
    <C as CollectiveConfig>::MajorB,
    <C as GemmConfig>::N,
>;

/// Does what [`Mainloop::multiply`] says for [`Products`].
///
/// # Safety
/// The conditions are those of [`Mainloop::multiply`].
#[inline(always)]
unsafe fn multiply<C: GemmConfig, const STAGES: u32, const ARRIVALS: u32, const ATOMS: usize>(
    shared: u32,
    stages: Stages<STAGES, ARRIVALS>,
    state: &mut PipelineState<STAGES>,
    mut registers: [C::Registers; ATOMS],
    block: u32,
    k_tiles: u32,
    tail: Tail,
) -> InFlight<C, STAGES, ATOMS> {
    let [block_a, block_b] = if const { C::GROUPS_ALONG_N } {
        [0, block]
    } else {
        [block, 0]
    };
    let mut last = *state;
    let mut k_tile = 0;
    while k_tile < k_tiles {
        // SAFETY: whole warp groups are here. The stage is full after `consumer_wait`, and it is
        // released when its products have ended.
        unsafe {
            stages.pipeline.consumer_wait(state);
            if const { C::Tiles::GROUPED } && k_tile + 1 == k_tiles {
                tail.clear::<C>(shared, block, state.stage());
            }
            fence::<C, ATOMS>(&mut registers);
            warpgroup_arrive();
            // Each block adds a constant to these descriptors. Otherwise the tile's whole layout
            // would be computed between two `wgmma`.
            let first_a =
                OperandA::<C>::descriptor(shared, (block_a * ATOMS as u32, 0), state.stage());
            let first_b =
                OperandB::<C>::descriptor(shared + C::B_OFFSET, (block_b, 0), state.stage());
            let mut k_block = 0;
            while k_block < 4 {
                let b = first_b.advance(OperandB::<C>::offset((0, k_block), 0));
                unroll_type::<C::Atoms>(|atom| {
                    let a = first_a.advance(OperandA::<C>::offset((atom as u32, k_block), 0));
                    let add = if k_block == 0 {
                        u32::from(k_tile > 0)
                    } else {
                        1
                    };
                    C::Atom::fma(&mut registers[atom], &a, &b, add);
                });
                k_block += 1;
            }
            warpgroup_commit_batch();
            warpgroup_wait::<1>();
            release::<C, STAGES, ARRIVALS>(stages, &last, k_tile > 0);
        }
        last = *state;
        state.advance();
        k_tile += 1;
    }
    InFlight { registers, last }
}

/// Releases a stage in every CTA of the slice: each warp arrives once in each of these CTAs.
///
/// # Safety
/// The warps of a consumer group that has read the stage execute it. If `now` is false it does
/// nothing.
#[inline(always)]
pub(super) unsafe fn release<C: GemmConfig, const STAGES: u32, const ARRIVALS: u32>(
    Stages { pipeline, told }: Stages<STAGES, ARRIVALS>,
    state: &PipelineState<STAGES>,
    now: bool,
) {
    // SAFETY: the empty barrier expects one arrival of each warp that reads the stage, in each CTA
    // of the slice (`init_for` in `kernel::run`). `told` is a rank of the cluster or `NOBODY`.
    unsafe {
        if const { C::CTAS == 1 && !C::ANY_CLUSTER } {
            pipeline.consumer_release_if(state, u32::from(now & (told != NOBODY)));
        } else {
            let now = u32::from(now & (told != NOBODY));
            pipeline.consumer_release_in_cluster_if(state, told, now);
        }
    }
}

impl<C: GemmConfig, const STAGES: u32, const ATOMS: usize> InFlight<C, STAGES, ATOMS> {
    /// Joins the accumulator and the stage that is not released yet.
    #[inline(always)]
    pub fn new(registers: [C::Registers; ATOMS], last: PipelineState<STAGES>) -> Self {
        Self { registers, last }
    }

    /// Waits for the products, and releases the last stage.
    ///
    /// # Safety
    /// The conditions are those of [`Mainloop::multiply`].
    #[inline(always)]
    pub unsafe fn finish<const ARRIVALS: u32>(
        self,
        stages: Stages<STAGES, ARRIVALS>,
    ) -> [C::Registers; ATOMS] {
        let mut registers = self.registers;
        // SAFETY: whole warp groups are here. After the wait nothing reads the last stage.
        unsafe {
            warpgroup_wait::<0>();
            fence::<C, ATOMS>(&mut registers);
            release::<C, STAGES, ARRIVALS>(stages, &self.last, true);
        }
        registers
    }
}
