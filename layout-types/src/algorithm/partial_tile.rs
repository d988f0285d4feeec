//! A thread's accumulator in memory: what split-K is that is generic over its tiled MMA needs of a fragment, as one bound.
//!
//! ```text
//!   fragment of C ─ 32 bits each ─ coalesce ─► (4,4,groups):(1,4,16)   ◄─ copy ─►   (4,4,groups):(1,4 threads,16 threads) in memory
//! ```
//!
//! Law: a vector of every thread stands side by side, so that a warp's accesses are whole sectors. `add_group` of every group, with the memory that `save` wrote, replaces each register `x` by `f(x, y)`, `y` the register that was
//! saved at its place.
//!
//! Source: CUTLASS `cutlass/block_striped.h`, `BlockStripedReduce`.

use super::copy::{CopyBy, SameCount, copy};
use super::{Walk, clear, transform_with};
use crate::algebra::cast::RecastTo;
use crate::algebra::coalesce::CoalescedTree;
use crate::algebra::compose::Compose;
use crate::atom::Element;
use crate::atom::copy::AutoVectorizingCopy;
use crate::layout::{Layout, LayoutFn, Size};
use crate::num::{Nat, NatCmp};
use crate::ragged::SliceTensorBy;
use crate::tensor::{
    __, Fragment, FragmentLayout, Global, Plain, ReadOnly, ReadWrite, Registers, Tensor,
};
use crate::tiled::OperandC;
use crate::tree::Underscore;
use crate::unroll::{Unroll, unroll_type};
use typenum::{U4, U16, U32};

/// A group of `(register,vector,group)`.
type OfGroup = (Underscore, Underscore, u32);
/// A fragment's registers in as few modes as there can be.
type RegistersOf<L, T> =
    <Words<L, T> as LayoutFn>::With<CoalescedTree<<Words<L, T> as LayoutFn>::Modes>>;
type Words<L, T> = <L as RecastTo<<T as Element>::Bits, U32>>::Output;
type GroupsOf<L, T> = <Size<RegistersOf<L, T>> as Nat>::Over<U16>;
/// The registers as `(register,vector,group)`.
type InGroups<L, T> = Layout<crate::shape!((4, 4, GroupsOf<L, T>)), crate::shape!((1, 4, 16))>;
/// A group in memory: `(register,vector)`.
type Saved<Threads> =
    Layout<crate::shape!((4, 4)), crate::shape!((1, <U4 as Nat>::Times<Threads>))>;
type Grouped<L, T> = <RegistersOf<L, T> as Compose<InGroups<L, T>>>::Output;
type GroupOf<L> = <L as SliceTensorBy<OfGroup>>::Output;
/// Four vectors of four registers.
type OneGroup = crate::layout!((4, 4));

/// Fragments `Self` of `T`, of as many threads as `Threads`, saved in groups of 16 registers.
pub trait PartialTile<T: Plain, Threads>: FragmentLayout {
    /// The number of groups.
    type Groups: Unroll;
    /// Sets all registers to zero.
    fn clear(fragment: &Fragment<T, Self, OperandC>);
    /// Saves thread `thread`'s fragment.
    ///
    /// # Safety
    /// From `to` on there is memory for the fragments of all threads, aligned to vectors, that nobody else accesses.
    unsafe fn save(fragment: &Fragment<T, Self, OperandC>, to: *mut u32, thread: u32);
    /// Replaces the registers of group `group` by `f` of them and of what was saved.
    ///
    /// # Safety
    /// All threads have saved fragments from `from` on, and that is visible here.
    unsafe fn add_group(
        fragment: &Fragment<T, Self, OperandC>,
        group: u32,
        from: *const u32,
        thread: u32,
        f: impl Fn(u32, u32) -> u32,
    );
}
impl<L, T: Plain, Threads: Nat> PartialTile<T, Threads> for L
where
    L: FragmentLayout + RecastTo<T::Bits, U32, Output: Walk>,
    GroupsOf<L, T>: Unroll,
    RegistersOf<L, T>: Compose<InGroups<L, T>, Output: SliceTensorBy<OfGroup, Output: Walk>>,
    <Size<GroupOf<Grouped<L, T>>> as NatCmp>::Equals<Size<OneGroup>>:
        SameCount<Size<GroupOf<Grouped<L, T>>>, Size<OneGroup>>,
    <Size<GroupOf<Grouped<L, T>>> as NatCmp>::Equals<Size<GroupOf<Grouped<L, T>>>>:
        SameCount<Size<GroupOf<Grouped<L, T>>>, Size<GroupOf<Grouped<L, T>>>>,
    Saved<Threads>: LayoutFn,
    AutoVectorizingCopy: for<'a> CopyBy<
            Registers<'a, u32, OperandC>,
            GroupOf<Grouped<L, T>>,
            Global<u32, ReadWrite, 0>,
            Saved<Threads>,
        > + for<'a> CopyBy<Global<u32, ReadOnly, 0>, Saved<Threads>, Registers<'a, u32>, OneGroup>,
{
    type Groups = GroupsOf<L, T>;
    #[inline(always)]
    fn clear(fragment: &Fragment<T, Self, OperandC>) {
        clear(&fragment.view().recast::<u32>());
    }
    #[inline(always)]
    unsafe fn save(fragment: &Fragment<T, Self, OperandC>, to: *mut u32, thread: u32) {
        let registers = fragment.view().recast::<u32>().coalesce();
        let registers = registers.compose::<InGroups<L, T>>(); // (register,vector,group)
        unroll_type::<Self::Groups>(|group| {
            let registers = registers.slice((__, __, group as u32)); // (register,vector)
            // SAFETY: the caller's memory has a vector of each thread side by side, so that no two threads write one.
            unsafe {
                let to = to.add(place::<Threads>(thread, group as u32));
                let saved = Tensor::<_, Saved<Threads>>::global_static_mut(to);
                copy(AutoVectorizingCopy::default(), &registers, &saved);
            }
        });
    }
    #[inline(always)]
    unsafe fn add_group(
        fragment: &Fragment<T, Self, OperandC>,
        group: u32,
        from: *const u32,
        thread: u32,
        f: impl Fn(u32, u32) -> u32,
    ) {
        let partial = Fragment::<u32, OneGroup>::new(); // (register,vector)
        let registers = fragment.view().recast::<u32>().coalesce();
        let registers = registers.compose::<InGroups<L, T>>().slice((__, __, group)); // (register,vector)
        // SAFETY: `save` wrote there, and that is visible, as this function requires of its caller.
        unsafe {
            let from = from.add(place::<Threads>(thread, group));
            let saved = Tensor::<_, Saved<Threads>>::global_static(from);
            copy(AutoVectorizingCopy::default(), &saved, &partial.view());
        }
        transform_with(&registers, &partial.view(), &registers, f);
    }
}

/// Returns where group `group` of thread `thread` begins.
#[inline(always)]
fn place<Threads: Nat>(thread: u32, group: u32) -> usize {
    4 * thread as usize + 16 * Threads::USIZE * group as usize
}
