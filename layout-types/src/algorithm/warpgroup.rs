//! Accumulators whose `wgmma` products are in flight, and the product of a tiled MMA of warp
//! groups.
//!
//! ```text
//!   let mut c = warpgroup::arrive(mma, fragment);        registers held in place, wgmma.fence
//!   warpgroup::gemm(mma, &t_ra, &t_rb, &mut c, 1);       MMA_K x MMA_N x MMA_M wgmma; c is no value now: nothing reads it
//!   c.commit();  c.wait::<1>();                          groups but the newest are done: their shared memory is free
//!   let fragment = c.finish();                           wait_group 0, and the registers are a fragment of C again
//! ```
//!
//! Law: an [`InFlight`] returns its registers only in [`finish`](InFlight::finish) and
//! [`finish_leaving`](InFlight::finish_leaving), after a wait for its groups. No other code can
//! name the registers. The compiler moves no access over the fences on either side.
//!
//! Source: CuTe `warpgroup_arrive`, `warpgroup_commit_batch`, `warpgroup_wait`,
//! `warpgroup_fence_operand`, `gemm` of fragments of descriptors in `cute/algorithm/gemm.hpp`; PTX
//! ISA, *wgmma.fence*, *wgmma.wait_group*.

use crate::arch::mma_sm90_gmma::{
    FenceOperand, warpgroup_arrive, warpgroup_commit_batch, warpgroup_wait,
};
use crate::atom::MmaAtom;
use crate::atom::mma::WgmmaOp;
use crate::tensor::{Fragment, FragmentLayout, Plain};
use crate::tiled::{OperandC, TiledMmaTraits};
use crate::unroll::unroll_type;
use core::mem::MaybeUninit;
use generic_array::GenericArray;

mod gemm;

pub use gemm::{
    AccumulatorTile, KMode, OneAtom, WarpgroupGemm, WarpgroupOperand, fence_operand, gemm,
};

use super::gemm::place;

/// The accumulators in flight of one atom `Atom`, or of all atoms of a fragment whose layout is
/// `Tile`.
///
/// Its values cannot be read:
///
/// ```compile_fail,E0608
/// use layout_types::{algorithm::warpgroup::InFlight, atom::mma::Sm90_64x8x16_F32F16F16_SS as Atom};
/// unsafe fn early(sums: InFlight<Atom>) -> f32 {
///     sums[0] // read before the wait
/// }
/// ```
#[must_use = "registers in flight are values again after `finish`"]
pub struct InFlight<Atom: WgmmaOp, Tile: AccumulatorTile<Atom> = OneAtom> {
    /// The registers of one atom after the other, along M and then along N.
    registers: GenericArray<Atom::Accumulator, Tile::Count>,
}

/// Never implemented; carries the diagnostic for an accumulator that is read before its wait.
#[diagnostic::on_unimplemented(
    message = "an accumulator is read before its wait: `wgmma` has its registers in flight",
    label = "`finish` waits for all groups, and gives the registers back as a fragment of C"
)]
#[doc(hidden)]
pub trait HasValues {}

impl<Atom: WgmmaOp> InFlight<Atom> {
    /// Fixes the registers of one atom in place, and executes `wgmma.fence`. CuTe's
    /// `warpgroup_fence_operand` and `warpgroup_arrive`.
    ///
    /// # Safety
    /// All warps of the warp group execute it, each warp together.
    #[inline(always)]
    pub unsafe fn arrive(registers: Atom::Accumulator) -> Self {
        let mut accumulator = Self {
            registers: GenericArray::from_array([registers]),
        };
        // SAFETY: the caller guarantees that all warps of the warp group execute this.
        unsafe { accumulator.arrive_again() };
        accumulator
    }

    /// Computes `D = A B + D`, or `D = A B` if `scale_d` is 0.
    ///
    /// # Safety
    /// The conditions of [`arrive`](Self::arrive) hold, with the same operands in all warps. The
    /// descriptors' tiles are written and visible to the asynchronous proxy. No code writes the
    /// tiles, or A's registers, until the group has ended.
    #[inline(always)]
    pub unsafe fn fma(&mut self, a: &Atom::AOperand, b: &Atom::BOperand, scale_d: u32) {
        // SAFETY: the caller guarantees warps and operands as the instruction requires; `arrive`
        // fenced the registers, and no other code can name them.
        unsafe { Atom::fma(&mut self.registers[0], a, b, scale_d) };
    }

    /// Executes `wgmma.wait_group 0`, after which the registers are values again.
    ///
    /// # Safety
    /// The conditions of [`arrive`](Self::arrive) hold, and the last group is committed.
    #[inline(always)]
    #[must_use]
    pub unsafe fn finish(self) -> Atom::Accumulator {
        // SAFETY: the caller guarantees that all warps of the warp group execute this, and that the
        // last group is committed.
        unsafe { self.values::<0>()[0] }
    }
}

impl<Atom: WgmmaOp, Tile: AccumulatorTile<Atom>> InFlight<Atom, Tile> {
    /// Fixes all registers in place.
    #[inline(always)]
    fn fence(&mut self) {
        unroll_type::<Tile::Count>(|i| self.registers[i].fence());
    }

    /// Waits for all groups but the newest `GROUPS`, and returns the registers.
    ///
    /// # Safety
    /// All warps of the warp group execute it, each warp together. The products of these registers
    /// are in a group older than the newest `GROUPS`.
    #[inline(always)]
    unsafe fn values<const GROUPS: u64>(mut self) -> GenericArray<Atom::Accumulator, Tile::Count> {
        // SAFETY: the caller guarantees that all warps of the warp group execute this.
        unsafe { warpgroup_wait::<GROUPS>() };
        self.fence();
        self.registers
    }

    /// Executes a further `wgmma.fence`. It is needed before the first product after a wait for a
    /// barrier, and before a product whose registers of A were written since the last fence.
    ///
    /// # Safety
    /// All warps of the warp group execute it, each warp together.
    #[inline(always)]
    pub unsafe fn arrive_again(&mut self) {
        self.fence();
        // SAFETY: the caller guarantees that all warps of the warp group execute this.
        unsafe { warpgroup_arrive() };
    }

    /// Closes a group with `wgmma.commit_group`.
    ///
    /// # Safety
    /// The conditions of [`arrive_again`](Self::arrive_again) hold.
    #[inline(always)]
    pub unsafe fn commit(&mut self) {
        // SAFETY: the caller guarantees that all warps of the warp group execute this.
        unsafe { warpgroup_commit_batch() };
    }

    /// Cannot be called, since registers in flight have no values. [`finish`](Self::finish) waits
    /// for all groups and returns the fragment, which has a `view`.
    #[doc(hidden)]
    pub fn view(&self) -> !
    where
        Self: HasValues,
    {
        unreachable!("no accumulator in flight has values")
    }

    /// Executes `wgmma.wait_group GROUPS`. Afterwards, only the newest `GROUPS` groups still read
    /// their shared memory. The registers are still in flight.
    ///
    /// # Safety
    /// The conditions of [`arrive_again`](Self::arrive_again) hold.
    #[inline(always)]
    pub unsafe fn wait<const GROUPS: u64>(&mut self) {
        // SAFETY: the caller guarantees that all warps of the warp group execute this.
        unsafe { warpgroup_wait::<GROUPS>() };
    }
}

/// A fragment of C, `(MMA,MMA_M,MMA_N)`.
type FragmentC<Atom, L> = Fragment<<Atom as MmaAtom>::ValTypeC, L, OperandC>;

impl<Atom, L> InFlight<Atom, L>
where
    Atom: WgmmaOp<ValTypeC: Plain>,
    L: FragmentLayout + AccumulatorTile<Atom>,
{
    /// Executes `wgmma.wait_group GROUPS`, and returns the registers as a fragment of C. The newest
    /// `GROUPS` groups, which belong to other accumulators, are still in flight.
    ///
    /// # Safety
    /// All warps of the warp group execute it, each warp together. After this accumulator's last
    /// product, its own group and at least `GROUPS` further groups have been committed.
    #[inline(always)]
    #[must_use]
    pub unsafe fn finish_leaving<const GROUPS: u64>(self) -> FragmentC<Atom, L> {
        // SAFETY: the caller guarantees that all warps of the warp group execute this, and that the
        // products of these registers are in an older group.
        let registers = unsafe { self.values::<GROUPS>() };
        let fragment = Fragment::new();
        each_atom::<Atom, L>(|i, m, n| {
            place::<L, _>(fragment.view().engine(), m, n).write(registers[i]);
        });
        fragment
    }

    /// Executes `wgmma.wait_group 0`, and returns the registers as a fragment of C.
    ///
    /// # Safety
    /// All warps of the warp group execute it, each warp together; the last group is committed.
    #[inline(always)]
    #[must_use]
    pub unsafe fn finish(self) -> FragmentC<Atom, L> {
        // SAFETY: the caller guarantees that all warps of the warp group execute this, and that the
        // last group is committed.
        unsafe { self.finish_leaving::<0>() }
    }
}

/// Calls `body` with the number of each atom's accumulator and its place along M and N.
#[inline(always)]
fn each_atom<Atom, L: AccumulatorTile<Atom>>(mut body: impl FnMut(usize, u32, u32)) {
    unroll_type::<L::N>(|n| {
        unroll_type::<L::M>(|m| body(gemm::number::<Atom, L>(m, n), m as u32, n as u32));
    });
}

/// Executes `wgmma.fence` for the accumulators of a fragment of C, `partition_fragment_c`'s. The
/// accumulators are in flight from here on: CuTe's `warpgroup_fence_operand(c)` and
/// `warpgroup_arrive()`.
///
/// # Safety
/// All warps of the warp group execute it, each warp together.
#[inline(always)]
pub unsafe fn arrive<Mma, L>(_mma: Mma, fragment: FragmentC<Mma::Atom, L>) -> InFlight<Mma::Atom, L>
where
    Mma: TiledMmaTraits<Atom: WgmmaOp<ValTypeC: Plain>>,
    L: FragmentLayout + AccumulatorTile<Mma::Atom>,
{
    type All<Atom, L> =
        GenericArray<<Atom as WgmmaOp>::Accumulator, <L as AccumulatorTile<Atom>>::Count>;
    let mut registers = MaybeUninit::<All<Mma::Atom, L>>::uninit();
    each_atom::<Mma::Atom, L>(|i, m, n| {
        let values = place::<L, _>(fragment.view().engine(), m, n).read();
        let first: *mut <Mma::Atom as WgmmaOp>::Accumulator = registers.as_mut_ptr().cast();
        // SAFETY: a `GenericArray` is an array of `Count` elements, and `i` is below `Count`.
        unsafe { first.add(i).write(values) };
    });
    let mut accumulator = InFlight {
        // SAFETY: `each_atom` has called the closure with each number below `Count`, the product of
        // the tile's M and N.
        registers: unsafe { registers.assume_init() },
    };
    // SAFETY: the caller guarantees that all warps of the warp group execute this.
    unsafe { accumulator.arrive_again() };
    accumulator
}
