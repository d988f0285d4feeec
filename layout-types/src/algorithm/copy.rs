//! `copy`: copies elements from one tensor to another, by a tiled copy or as wide as the layouts
//! permit.
//!
//! ```text
//!   src ((8,1),4,1,..)   atom 0 1 2 3        dst ((8,1),4,1,..)      on both sides mode (0,0) is what one atom moves,
//!                                                                    and the other modes count the atoms
//! ```
//!
//! Law: atom `i` of the source goes to atom `i` of the destination, both counted
//! colexicographically over the rest of mode 0 and the other modes. The layouts prove at compile
//! time that the elements of an atom are contiguous and aligned ([`HasVectors`]), that both parts
//! have the same number of atoms, and that both have the copy's element type.
//!
//! Source: CuTe `copy`, `copy_if` in `cute/algorithm/copy.hpp`, `Copy_Atom::call`.

use super::copy_widths::copy_atom::{CopyCall, PredicatedCall};
use super::gemm::IsElement;
use crate::atom::copy::{AtomPredicate, MovesElement};
use crate::decimal::Decimal;
use crate::layout::LayoutFn;
use crate::num::{False, NatCmp, True};
use crate::tensor::{Coordinates, Engine, Global, GlobalAccess, KnownStrides, Plain, Tensor};
use crate::tiled::{
    Destination, HasUnit, HasVectors, MadeFor, SideVector, Source, TiledCopy, TiledCopyTraits,
};
use crate::tree::{ModeList, ModeTree};
use crate::unroll::{Unroll, unroll_type};

/// Ways to copy a tensor of engine `SE` and layout `SL` to a tensor of engine `DE` and layout `DL`.
#[diagnostic::on_unimplemented(
    message = "this copy does not go from the one tensor to the other",
    label = "a copy atom has its memories: `cp.async` from global to shared, `ldmatrix` from shared to registers, ...",
    note = "an atom alone, such as `UniversalCopy<u128>`, copies no whole tensors: `MakeTiledCopy` makes a copy of it, which partitions both; `AutoVectorizingCopy` takes tensors as they are"
)]
pub trait CopyBy<SE, SL, DE, DL> {
    /// The number of atoms.
    type Count: Unroll;
    /// Copies atom `i`.
    ///
    /// # Safety
    /// The threads of the atom execute it together.
    unsafe fn atom(i: u32, src: SE, dst: DE);
}
/// A copy in which single threads can skip atoms.
#[diagnostic::on_unimplemented(
    message = "this copy has no predicate",
    label = "`cp.async` and plain loads and stores can be predicated; what a warp does together can not"
)]
pub trait PredicatedCopy<SE, SL, DE, DL>: CopyBy<SE, SL, DE, DL> {
    /// Copies atom `i` where `predicate` holds; see [`copy_if`].
    ///
    /// # Safety
    /// The conditions of [`CopyBy::atom`] hold.
    unsafe fn atom_if(i: u32, src: SE, dst: DE, predicate: impl AtomPredicate);
    /// Copies the elements of atom `i` for which `predicate` holds. The predicate gets the number
    /// of the atom, unless the copy makes atoms from elements.
    ///
    /// # Safety
    /// The conditions of [`CopyBy::atom`] hold.
    #[inline(always)]
    unsafe fn atom_where<P: AtomPredicate>(
        i: u32,
        src: SE,
        dst: DE,
        predicate: &impl Fn(usize) -> P,
    ) {
        // SAFETY: the caller guarantees that the threads of the atom execute this together.
        unsafe { Self::atom_if(i, src, dst, predicate(i as usize)) }
    }
}

/// The modes of a part's atoms, `(rest_val,Rest..)`, with the part's own swizzle. A step along
/// these modes is a step in the part.
pub type Atoms<L> = <L as LayoutFn>::With<
    <<<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Modes as RestThen<
        <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest,
    >>::Output,
>;
/// The rest of the list `Self`, followed by `L`.
pub trait RestThen<L: ModeList> {
    /// The joined list.
    type Output: ModeList;
}
impl<A: ModeList, L: ModeList> RestThen<L> for A {
    type Output = <A::Rest as ModeList>::Concat<L>;
}
type CountOf<L> = <<Atoms<L> as LayoutFn>::Modes as ModeTree>::Size;

/// Implemented for `True`: source and destination have the same number of atoms.
#[doc(hidden)]
pub trait SameCount<Src, Dst> {}
impl<S, D> SameCount<S, D> for True {}
impl<S: Decimal, D: Decimal> SameCount<S, D> for False where CopyAtoms: AsMany<S::Text, D::Text> {}
/// Names the atoms of a copy in a diagnostic.
#[derive(Clone, Copy, Debug, Default)]
pub struct CopyAtoms;
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "the source of this copy has {Src} atoms, its destination {Dst}",
    label = "source and destination must have as many atoms: partition both with the same tiled copy, or retile the fragment"
)]
pub trait AsMany<Src, Dst> {}

impl<Op, T, Tv, Tiler, R, SE, SL, DE, DL> CopyBy<SE, SL, DE, DL> for TiledCopy<Op, T, Tv, Tiler, R>
where
    Self: TiledCopyTraits<Op = Op, Element = T>,
    Op: MovesElement<T>,
    SE: Engine<Value: IsElement<T>, Role: MadeFor<R>>,
    DE: Engine<Value: IsElement<T>, Role: MadeFor<R>>,
    SL: LayoutFn + HasVectors<Op, SideVector<Self, Source>>,
    DL: LayoutFn + HasVectors<Op, SideVector<Self, Destination>>,
    Source: crate::tiled::CopySide<Self>,
    Destination: crate::tiled::CopySide<Self>,
    SE: HasUnit<Op, SideVector<Self, Source>, SL>,
    DE: HasUnit<Op, SideVector<Self, Destination>, DL>,
    Op: CopyCall<SE, SL, DE, DL>,
    CountOf<SL>: Unroll,
    <CountOf<SL> as NatCmp>::Equals<CountOf<DL>>: SameCount<CountOf<SL>, CountOf<DL>>,
{
    type Count = CountOf<SL>;
    #[inline(always)]
    unsafe fn atom(i: u32, src: SE, dst: DE) {
        // SAFETY: `atom` requires that the threads of the atom execute it together.
        unsafe {
            Op::call(src.step::<Atoms<SL>, u32>(i), dst.step::<Atoms<DL>, u32>(i));
        }
    }
}
impl<Op, T, Tv, Tiler, R, SE, SL, DE, DL> PredicatedCopy<SE, SL, DE, DL>
    for TiledCopy<Op, T, Tv, Tiler, R>
where
    Self: CopyBy<SE, SL, DE, DL>,
    SE: Engine,
    DE: Engine,
    SL: LayoutFn,
    DL: LayoutFn,
    Op: PredicatedCall<SE, SL, DE, DL>,
{
    #[inline(always)]
    unsafe fn atom_if(i: u32, src: SE, dst: DE, predicate: impl AtomPredicate) {
        // SAFETY: `atom_if` requires that the threads of the atom execute it together.
        unsafe {
            Op::call_if(
                src.step::<Atoms<SL>, u32>(i),
                dst.step::<Atoms<DL>, u32>(i),
                predicate,
            );
        }
    }
}

/// Copies every atom of `src` to the same atom of `dst`: CuTe's `copy(copy, src, dst)`.
///
/// `by` is a tiled copy whose thread partitioned both tensors (or retiled a fragment), or
/// [`AutoVectorizingCopy`](crate::atom::copy::AutoVectorizingCopy), which copies between any two
/// tensors of the same shape.
///
/// Postcondition: `dst(i) == src(i)` for every element. It holds immediately for loads and stores,
/// and after a wait for `cp.async`.
///
/// # Safety
/// The threads of the copy's atom execute it together: for `ldmatrix` and `stmatrix` a whole warp.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::algorithm::copy;
/// use layout_types::atom::copy::AutoVectorizingCopy;
/// use layout_types::tensor::Fragment;
/// let (a, b) = (Fragment::<u16, layout!((4,2))>::new(), Fragment::<u16, layout!((4,2):(2,1))>::new());
/// a.set((3u32, 1), 7);
/// // SAFETY: a thread's own registers.
/// unsafe { copy(AutoVectorizingCopy::default(), &a.view(), &b.view()) };
/// assert_eq!(b.get((3u32, 1)), 7);
/// ```
#[inline(always)]
pub unsafe fn copy<By, SE, SL, DE, DL>(_by: By, src: &Tensor<SE, SL>, dst: &Tensor<DE, DL>)
where
    SE: Engine,
    DE: Engine,
    SL: LayoutFn,
    DL: LayoutFn,
    By: CopyBy<SE, SL, DE, DL>,
{
    let (src, dst) = (src.engine(), dst.engine());
    // SAFETY: the caller guarantees that the threads of the copy's atom execute this together; all
    // run the same loop, so they execute each atom together.
    unroll_type::<By::Count>(|i| unsafe { By::atom(i as u32, src, dst) });
}

/// Copies the atoms for whose number the predicate holds: CuTe's
/// `copy_if(copy, predicate, src, dst)`.
///
/// [`AutoVectorizingCopy`](crate::atom::copy::AutoVectorizingCopy) evaluates the predicate for each
/// element. A vector is one access if the predicate holds for all of its elements; otherwise the
/// elements for which it holds are copied one by one.
///
/// An atom for which the predicate does not hold is not copied and its source is not read; with
/// `cp.async` atoms named `_ZFILL` its destination becomes zero. [`Tensor::atoms_inside`] is the
/// predicate of a ragged tile; a [`Mask`](crate::atom::copy::Mask) is a stored predicate.
///
/// ```
/// use layout_types::algorithm::copy_if;
/// use layout_types::atom::copy::AutoVectorizingCopy;
/// use layout_types::prelude::*;
/// use layout_types::tensor::Fragment;
/// let memory = [1.0f32, 2.0, 3.0];
/// let held = Fragment::<f32, layout!(4)>::new();
/// // SAFETY: the memory has 3 elements, and the predicate holds for no other.
/// unsafe {
///     let x = Tensor::global(memory.as_ptr(), [3], [1]).local_tile::<tile!(4), _>((0u32,));
///     copy_if(AutoVectorizingCopy::default(), |i| x.inside(i as u32), &x, &held.view());
/// }
/// assert_eq!([0, 1, 2, 3u32].map(|i| held.get(i)), [1.0, 2.0, 3.0, 0.0]);
/// ```
///
/// # Safety
/// The conditions of [`copy`] hold.
#[inline(always)]
pub unsafe fn copy_if<By, P, SE, SL, DE, DL>(
    _by: By,
    predicate: impl Fn(usize) -> P,
    src: &Tensor<SE, SL>,
    dst: &Tensor<DE, DL>,
) where
    SE: Engine,
    DE: Engine,
    SL: LayoutFn,
    DL: LayoutFn,
    By: PredicatedCopy<SE, SL, DE, DL>,
    P: AtomPredicate,
{
    let (src, dst) = (src.engine(), dst.engine());
    // SAFETY: the caller guarantees that the threads of the copy's atom execute this together; a
    // predicated copy has atoms of single threads.
    unroll_type::<By::Count>(|i| unsafe { By::atom_where(i as u32, src, dst, &predicate) });
}

/// Returns the place of atom `i` of a part.
#[inline(always)]
fn atom<E: Engine, L: LayoutFn>(part: E, i: usize) -> E {
    part.step::<Atoms<L>, u32>(i as u32)
}
impl<T: Plain, A: GlobalAccess, L: LayoutFn, const R: usize, K: KnownStrides>
    Tensor<Global<T, A, R, K>, L>
{
    /// Returns the predicate of a ragged tile, for [`copy_if`]: whether the first element of a
    /// partition's atom `i` exists.
    ///
    /// If accesses move several elements, the extent along these elements is a multiple of their
    /// number, so each access is entirely in bounds or entirely out of bounds.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::atom::copy::UniversalCopy;
    /// use layout_types::tensor::GetSlice;
    /// use layout_types::tiled::MakeTiledCopy;
    /// type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((4,1)), layout!((1,1))>;
    /// let memory = [0f32; 6]; // 6 rows of one element
    /// // SAFETY: the memory has 6 elements.
    /// let column = unsafe { Tensor::global(memory.as_ptr(), [6, 1], [1, 1]) };
    /// let tile = column.local_tile::<tile!(8, 1), _>((0u32, 0u32));
    /// let inside = Copy::get_slice(3).partition_s(&tile).atoms_inside();
    /// assert_eq!((inside(0), inside(1)), (true, false)); // rows 3 and 7 of 6
    /// ```
    #[inline(always)]
    pub fn atoms_inside(&self) -> impl Fn(usize) -> bool + Copy + use<T, A, L, R, K> {
        let part = self.engine();
        move |i| atom::<_, L>(part, i).inside()
    }

    /// Returns the predicate of [`atoms_inside`](Self::atoms_inside) along only one mode of the
    /// whole tensor. A predicate that is constant in a loop is best evaluated before the loop.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::atom::copy::UniversalCopy;
    /// use layout_types::tensor::GetSlice;
    /// use layout_types::tiled::MakeTiledCopy;
    /// type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((4,1)), layout!((1,1))>;
    /// let memory = [0f32; 6];
    /// // SAFETY: the memory has 6 elements.
    /// let column = unsafe { Tensor::global(memory.as_ptr(), [6, 1], [1, 1]) };
    /// let part = Copy::get_slice(3).partition_s(&column.local_tile::<tile!(8, 1), _>((0u32, 1u32)));
    /// // Column 1 of 1 does not exist; of the rows, 3 does.
    /// assert!(part.atoms_inside_along::<0>()(0) && !part.atoms_inside_along::<1>()(0));
    /// ```
    #[inline(always)]
    pub fn atoms_inside_along<const MODE: usize>(
        &self,
    ) -> impl Fn(usize) -> bool + Copy + use<T, A, L, R, K, MODE> {
        const { assert!(MODE < R, "the whole tensor has no such mode") }
        let part = self.engine();
        move |i| atom::<_, L>(part, i).inside_along(MODE)
    }
}
impl<L: LayoutFn, const R: usize> Tensor<Coordinates<R>, L> {
    /// Returns the predicate of a ragged tile, for [`copy_if`]: whether the first coordinate of a
    /// partition's atom `i` is less than the extents, component by component.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::atom::copy::UniversalCopy;
    /// use layout_types::tensor::{GetSlice, identity_tensor};
    /// use layout_types::tiled::MakeTiledCopy;
    /// type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((4,1)), layout!((1,1))>;
    /// let rows = identity_tensor::<layout!((8,1):(1@0,1@1)), 2>();
    /// let inside = Copy::get_slice(3).partition_s(&rows).atoms_inside([6, 1]);
    /// assert_eq!((inside(0), inside(1)), (true, false)); // rows 3 and 7 of 6
    /// ```
    #[inline(always)]
    pub fn atoms_inside(&self, extents: [u32; R]) -> impl Fn(usize) -> bool + Copy + use<L, R> {
        let part = self.engine();
        move |i| atom::<_, L>(part, i).inside(extents)
    }
}
