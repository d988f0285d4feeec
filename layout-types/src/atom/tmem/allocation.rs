//! Columns of tensor memory as a resource with a type.
//!
//! ```text
//!   warp 0    allocate::<U512>(word) ── barrier ──┬─► every thread: at(address in the word)
//!                                                 │   tensor::<f32, D0, 0>()      columns   0 to 255
//!                                                 │   tensor::<f32, D1, 256>()    columns 256 to 511
//!   warp 0    relinquish, free ◄── barrier ───────┘
//! ```
//!
//! Law: an allocation has a power of two of columns, 32 to 512. A tensor that leaves its allocation
//! does not compile. Two tensors of one allocation may overlap, as a softmax's probabilities
//! overlay its scores; [`assert_tensor_memory!`](crate::assert_tensor_memory) adds up the columns
//! of tensors that do not overlap.
//!
//! Source: CuTe `TMEM::Allocator1Sm`, `Allocator2Sm` in `cute/arch/tmem_allocator_sm100.hpp`; PTX
//! ISA, *tcgen05.alloc, tcgen05.dealloc, tcgen05.relinquish_alloc_permit*.

use super::fragment::CtaGroup;
use crate::arch::mma_sm100_umma::{tmem_allocate, tmem_deallocate, tmem_relinquish};
use crate::atom::Element;
use crate::check::{Reflect, require, tmem_part};
use crate::decimal::Decimal;
use crate::layout::LayoutFn;
use crate::num::{Bool, False, Nat, NatBits, NatCmp, One, True};
use crate::tensor::{Tensor, Tmem};
use core::fmt;
use core::marker::PhantomData;
use typenum::{U32, U512, Unsigned};

/// A number of columns that can be allocated: 32, 64, 128, 256 or 512.
pub trait TmemColumns: Nat {}
type PowerOfTwo<N> = <<N as NatBits>::Ones as NatCmp>::Equals<One>;
type Within<N> = <<N as NatCmp>::AtLeast<U32> as Bool>::And<<U512 as NatCmp>::AtLeast<N>>;
impl<N: Nat> TmemColumns for N where <PowerOfTwo<N> as Bool>::And<Within<N>>: AllocatesColumns<N> {}
/// Implemented for `True`: `N` columns can be allocated.
#[doc(hidden)]
pub trait AllocatesColumns<N> {}
impl<N> AllocatesColumns<N> for True {}
impl<N: Decimal> AllocatesColumns<N> for False where TensorMemory: HasAllocation<N::Text> {}
/// The tensor memory of an SM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorMemory;
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "tensor memory has no allocation of {N} columns",
    label = "an allocation is a power of two of columns from 32 to 512"
)]
#[doc(hidden)]
pub trait HasAllocation<N> {}

/// `Columns` columns of tensor memory that the CTAs of a group `G` have allocated.
///
/// The value is a handle, like a tensor: every thread of the CTA has a copy with the same address.
///
/// ```
/// use layout_types::atom::tmem::allocation::TmemAllocation;
/// use layout_types::atom::tmem::fragment::{MakeTmemFrg, OneSm, TmemFrg1Sm};
/// use layout_types::{prelude::*, typenum::U512};
/// type D = MakeTmemFrg<TmemFrg1Sm<f32>, shape!(((128,256),1,1))>;
/// // SAFETY: nothing is accessed here; a kernel has the address from `allocate`.
/// let columns = unsafe { TmemAllocation::<U512, OneSm>::at(0) };
/// let (first, second) = (columns.tensor::<f32, D, 0>(), columns.tensor::<f32, D, 256>());
/// assert_eq!(second.slice(((3u32, 7), 0, 0)).address(), 3 << 16 | (256 + 7));
/// # let _ = first;
/// ```
///
/// ```compile_fail,E0080
/// use layout_types::atom::tmem::allocation::TmemAllocation;
/// use layout_types::atom::tmem::fragment::{MakeTmemFrg, OneSm, TmemFrg1Sm};
/// use layout_types::{prelude::*, typenum::U256};
/// type D = MakeTmemFrg<TmemFrg1Sm<f32>, shape!(((128,256),1,1))>;
/// let columns = unsafe { TmemAllocation::<U256, OneSm>::at(0) };
/// let _ = columns.tensor::<f32, D, 32>(); // columns 32 to 287 of an allocation of 256
/// ```
#[doc(alias = "Allocator1Sm")]
#[doc(alias = "Allocator2Sm")]
pub struct TmemAllocation<Columns, G> {
    address: u32,
    columns: PhantomData<(Columns, G)>,
}
impl<Columns, G> Clone for TmemAllocation<Columns, G> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<Columns, G> Copy for TmemAllocation<Columns, G> {}
impl<Columns: Nat, G: CtaGroup> fmt::Debug for TmemAllocation<Columns, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} columns of tensor memory at {:#x}",
            Columns::U32,
            self.address
        )
    }
}

impl<Columns: Nat, G: CtaGroup> TmemAllocation<Columns, G> {
    /// Allocates the columns, and writes their address to the word at `to` in the CTA's shared
    /// memory: CuTe's `allocate`. Waits while other CTAs of the SM leave too few columns.
    ///
    /// # Safety
    /// One whole warp executes it. It is the same warp for all allocations of a CTA and, with
    /// [`TwoSm`], the same warp of both CTAs with the same `to`, after a barrier of the cluster
    /// behind which both have begun. The four bytes at `to` are the CTA's. The CTA has not called
    /// [`relinquish`](Self::relinquish), no earlier allocation of the CTA has fewer columns, and
    /// the CTA calls [`free`](Self::free) before it ends.
    ///
    /// [`TwoSm`]: super::fragment::TwoSm
    #[inline(always)]
    pub unsafe fn allocate(to: u32)
    where
        Columns: TmemColumns,
    {
        // SAFETY: the caller guarantees that the whole warp executes this, that the word at `to` is
        // the CTA's, and that the columns are freed; the bound of `Columns` makes it a number that
        // can be allocated.
        unsafe { tmem_allocate::<G>(to, Columns::U32) };
    }

    /// Returns the allocation at an address.
    ///
    /// # Safety
    /// [`allocate`](Self::allocate) of this type wrote `address`, which was read after a barrier.
    /// No thread accesses the allocation's tensors after [`free`](Self::free).
    #[inline(always)]
    #[must_use]
    pub const unsafe fn at(address: u32) -> Self
    where
        Columns: TmemColumns,
    {
        Self {
            address,
            columns: PhantomData,
        }
    }

    /// Returns the tensor of elements `T` and layout `L` that begins at column `START` of the
    /// allocation.
    #[inline(always)]
    #[must_use]
    pub fn tensor<T: Element, L: LayoutFn + Reflect, const START: u32>(
        &self,
    ) -> Tensor<Tmem<T>, L> {
        const {
            require(tmem_part(
                &L::VALUE,
                T::Bits::I64,
                START as i64,
                Columns::I64,
            ));
        }
        // SAFETY: the assertion above checks that the layout ends within the allocation; the caller
        // of `at` guarantees that the allocation exists until `free`.
        unsafe { Tensor::tmem(self.address + START) }
    }

    /// Gives up the CTA's right to allocate: CuTe's `release_allocation_lock`.
    ///
    /// # Safety
    /// One whole warp executes it, after all allocations of the CTA.
    #[inline(always)]
    pub unsafe fn relinquish(&self) {
        // SAFETY: the caller guarantees that the whole warp executes this.
        unsafe { tmem_relinquish::<G>() };
    }

    /// Frees the columns: CuTe's `free`.
    ///
    /// # Safety
    /// The whole warp that allocated executes it once, ordered after all uses of the columns and,
    /// with [`TwoSm`](super::fragment::TwoSm), after the other CTA's allocation.
    #[inline(always)]
    pub unsafe fn free(self) {
        // SAFETY: the caller guarantees that the whole warp that allocated the columns executes
        // this, and that no thread uses them.
        unsafe { tmem_deallocate::<G>(self.address, Columns::U32) };
    }
}
