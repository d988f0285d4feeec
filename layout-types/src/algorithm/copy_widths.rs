//! The access of one atom, and the width of a copy without a tiled copy.
//!
//! ```text
//!   copy_auto   layouts of both sides ─► the widest access       copy_atom   that access, from place to place
//! ```
//!
//! Law: each module states its own.

pub(super) mod copy_atom {
    //! One atom of a copy, from one place to another.
    //!
    //! ```text
    //!   cp.async    Global ─► Shared       ldmatrix   Shared ─► Registers       stmatrix   Registers ─► Shared
    //!   UniversalCopy                      any ─► any, in one access each       movmatrix  Registers ─► Registers
    //! ```
    //!
    //! Law: the values at the source's place become the values at the destination's place. A side
    //! in memory is one run of bits. A side in registers consists of 32-bit registers. Each
    //! register holds a run of values, at their places in the fragment's layout.
    //!
    //! Source: CuTe `copy_unpack` in `cute/atom/copy_traits.hpp`.

    use super::copy_auto::WordBits;
    use crate::atom::copy::{
        AtomPredicate, AutoVectorizingCopyWithAssumedAlignment, CpAsyncOp, LdsmOp, MovmOp,
        Sm75_U16x2_LDSM_T, Sm75_U16x4_LDSM_T, Sm75_U16x8_LDSM_T, Sm75_U32x1_LDSM_N,
        Sm75_U32x1_MOVM_T, Sm75_U32x2_LDSM_N, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEALWAYS,
        Sm80_CP_ASYNC_CACHEALWAYS_ZFILL, Sm80_CP_ASYNC_CACHEGLOBAL,
        Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, Sm90_U16x2_STSM_T, Sm90_U16x4_STSM_T, Sm90_U16x8_STSM_T,
        Sm90_U32x1_STSM_N, Sm90_U32x2_STSM_N, Sm90_U32x4_STSM_N, StsmOp, UniversalCopy,
    };
    use crate::atom::{Element, RegisterArray};
    use crate::layout::{LayoutFn, Unzip};
    use crate::num::{Nat, NatCmp};
    use crate::tensor::{
        Engine, Global, GlobalAccess, KnownStrides, Load, Plain, Registers, Shared, Store,
        SwizzleOf,
    };
    use crate::tiled::HasVectors;
    use crate::tree::{ModeList, ModeTree};
    use typenum::{U8, U16, U32, U64, U128};

    /// Instructions that copy one atom from a place in `SE` to a place in `DE`, between parts of
    /// the layouts `SL` and `DL`.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` does not copy from `{SE}` to `{DE}`",
        label = "the instruction goes between other memories"
    )]
    #[doc(hidden)]
    pub trait CopyCall<SE, SL, DE, DL> {
        /// Executes the copy.
        ///
        /// # Safety
        /// The threads of the atom execute it together.
        unsafe fn call(src: SE, dst: DE);
    }
    /// Instructions whose atom a thread can skip.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` has no predicate",
        label = "`cp.async` and plain loads and stores can be predicated; what a warp does together can not"
    )]
    #[doc(hidden)]
    pub trait PredicatedCall<SE, SL, DE, DL>: CopyCall<SE, SL, DE, DL> {
        /// Copies if `predicate` holds. Otherwise the source is not read, and the destination is
        /// unchanged, or zero for an instruction that fills with zeros.
        ///
        /// # Safety
        /// The conditions of [`CopyCall::call`] hold.
        unsafe fn call_if(src: SE, dst: DE, predicate: impl AtomPredicate);
    }

    /// The layout of the values of one atom.
    type AtomLayout<L> = Unzip<
        <<<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First as ModeTree>::Modes as ModeList>::First,
    >;

    /// Layouts of fragments in which the values of one 32-bit register are contiguous. The
    /// registers may be anywhere in the fragment.
    pub trait InRegisters<Op, T>: LayoutFn {}
    impl<L, Op, T> InRegisters<Op, T> for L
    where
        T: Element,
        L: LayoutFn + HasVectors<Op, <U32 as Nat>::Over<T::Bits>>,
    {
    }

    /// Reads the registers of one atom from the places of their values in the layout.
    #[inline(always)]
    fn gather<T: Plain, Role, L: LayoutFn, const N: usize>(
        src: Registers<'_, T, Role>,
    ) -> [u32; N] {
        let values = 4 / size_of::<T>();
        let mut registers = [0; N];
        let mut at = 0;
        while at < N {
            registers[at] = src.step::<AtomLayout<L>, u32>((at * values) as u32).read();
            at += 1;
        }
        registers
    }
    /// Writes the registers of one atom.
    #[inline(always)]
    fn scatter<T: Plain, Role, L: LayoutFn, const N: usize>(
        dst: Registers<'_, T, Role>,
        registers: [u32; N],
    ) {
        let values = 4 / size_of::<T>();
        let mut at = 0;
        while at < N {
            dst.step::<AtomLayout<L>, u32>((at * values) as u32)
                .write(registers[at]);
            at += 1;
        }
    }

    macro_rules! ldsm {
        ($($name:ident)*) => {$(
            impl<T: Plain, SL: LayoutFn, Role, DL: InRegisters<Self, T>>
                CopyCall<Shared<T>, SL, Registers<'_, T, Role>, DL> for $name
            {
                #[inline(always)]
                unsafe fn call(src: Shared<T>, dst: Registers<'_, T, Role>) {
                    // SAFETY: `call` requires that all 32 lanes execute it; the layouts' types
                    // prove that the row is contiguous and aligned, and the caller of the tensor's
                    // constructor guarantees that it exists and is initialised.
                    let registers = unsafe { <Self as LdsmOp>::load_of::<SwizzleOf<SL, T>>(src.address::<SL>()) };
                    scatter::<T, Role, DL, { <<Self as LdsmOp>::DRegisters as RegisterArray>::COUNT }>(
                        dst, registers,
                    );
                }
            }
        )*};
    }
    ldsm!(Sm75_U32x1_LDSM_N Sm75_U32x2_LDSM_N Sm75_U32x4_LDSM_N Sm75_U16x2_LDSM_T Sm75_U16x4_LDSM_T Sm75_U16x8_LDSM_T);

    macro_rules! stsm {
        ($($name:ident)*) => {$(
            impl<T: Plain, SL: InRegisters<Self, T>, Role, DL: LayoutFn>
                CopyCall<Registers<'_, T, Role>, SL, Shared<T>, DL> for $name
            {
                #[inline(always)]
                unsafe fn call(src: Registers<'_, T, Role>, dst: Shared<T>) {
                    let registers =
                        gather::<T, Role, SL, { <<Self as StsmOp>::SRegisters as RegisterArray>::COUNT }>(src);
                    // SAFETY: `call` requires that all 32 lanes execute it; the layouts' types
                    // prove that the row is contiguous and aligned, and the caller of the tensor's
                    // constructor guarantees that it exists and that no other lane uses it.
                    unsafe { <Self as StsmOp>::store_of::<SwizzleOf<DL, T>>(dst.address::<DL>(), registers) };
                }
            }
        )*};
    }
    stsm!(Sm90_U32x1_STSM_N Sm90_U32x2_STSM_N Sm90_U32x4_STSM_N Sm90_U16x2_STSM_T Sm90_U16x4_STSM_T Sm90_U16x8_STSM_T);

    impl<T: Plain, SR, SL: InRegisters<Self, T>, DR, DL: InRegisters<Self, T>>
        CopyCall<Registers<'_, T, SR>, SL, Registers<'_, T, DR>, DL> for Sm75_U32x1_MOVM_T
    {
        #[inline(always)]
        unsafe fn call(src: Registers<'_, T, SR>, dst: Registers<'_, T, DR>) {
            // SAFETY: `call` requires that all 32 lanes execute it; it accesses only registers.
            let registers = unsafe { <Self as MovmOp>::transpose(gather::<T, SR, SL, 1>(src)) };
            scatter::<T, DR, DL, 1>(dst, registers);
        }
    }

    macro_rules! cp_async {
        ($($name:ident)*) => {$(
            impl<S: Element, T: Plain, A: GlobalAccess, SL: LayoutFn, DL: LayoutFn, K: KnownStrides, const R: usize>
                CopyCall<Global<T, A, R, K>, SL, Shared<T>, DL> for $name<S>
            where
                Self: CpAsyncOp,
            {
                #[inline(always)]
                unsafe fn call(src: Global<T, A, R, K>, dst: Shared<T>) {
                    // SAFETY: the layouts' types prove that both sides are contiguous and aligned,
                    // and the callers of the tensors' constructors guarantee that they exist.
                    unsafe { <Self as CpAsyncOp>::copy_of::<SwizzleOf<DL, T>>(dst.address::<DL>(), src.address(), true) };
                }
            }
            impl<S: Element, T: Plain, A: GlobalAccess, SL: LayoutFn, DL: LayoutFn, K: KnownStrides, const R: usize>
                PredicatedCall<Global<T, A, R, K>, SL, Shared<T>, DL> for $name<S>
            where
                Self: CpAsyncOp,
            {
                #[inline(always)]
                unsafe fn call_if(src: Global<T, A, R, K>, dst: Shared<T>, predicate: impl AtomPredicate) {
                    // SAFETY: the layouts' types prove that both sides are contiguous and aligned,
                    // and the callers of the tensors' constructors guarantee that the destination
                    // exists, and the source if the predicate holds; otherwise the source is not
                    // read.
                    unsafe { <Self as CpAsyncOp>::copy_of::<SwizzleOf<DL, T>>(dst.address::<DL>(), src.address(), predicate) };
                }
            }
        )*};
    }
    cp_async!(Sm80_CP_ASYNC_CACHEALWAYS Sm80_CP_ASYNC_CACHEGLOBAL Sm80_CP_ASYNC_CACHEALWAYS_ZFILL Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL);

    /// The bits of one access of at least `Bits` bits that moves whole elements of type `T`.
    type Whole<T, Bits> = <Bits as NatCmp>::Max<<T as Element>::Bits>;

    macro_rules! plain_access {
        ($([$($generics:tt)*] $name:ty, $bits:ty;)*) => {$(
            impl<$($generics)* T: Element, SE: Load<Value = T>, SL: LayoutFn, DE: Store, DL: LayoutFn>
                CopyCall<SE, SL, DE, DL> for $name
            where
                Whole<T, $bits>: WordBits,
            {
                #[inline(always)]
                unsafe fn call(src: SE, dst: DE) {
                    dst.store_word::<DL, <Whole<T, $bits> as WordBits>::Word>(
                        src.load_word::<SL, <Whole<T, $bits> as WordBits>::Word>(),
                    );
                }
            }
            impl<$($generics)* T: Element, SE: Load<Value = T>, SL: LayoutFn, DE: Store, DL: LayoutFn>
                PredicatedCall<SE, SL, DE, DL> for $name
            where
                Whole<T, $bits>: WordBits,
            {
                #[inline(always)]
                unsafe fn call_if(src: SE, dst: DE, predicate: impl AtomPredicate) {
                    if predicate.holds() {
                        // SAFETY: `call_if` requires that the threads of the atom execute it
                        // together.
                        unsafe { <Self as CopyCall<SE, SL, DE, DL>>::call(src, dst) };
                    }
                }
            }
        )*};
    }
    plain_access! {
        [S: Element,] UniversalCopy<S>, S::Bits;
        [] AutoVectorizingCopyWithAssumedAlignment<8>, U8;
        [] AutoVectorizingCopyWithAssumedAlignment<16>, U16;
        [] AutoVectorizingCopyWithAssumedAlignment<32>, U32;
        [] AutoVectorizingCopyWithAssumedAlignment<64>, U64;
        [] AutoVectorizingCopyWithAssumedAlignment<128>, U128;
    }
}

pub(super) mod copy_auto {
    //! `copy` without a tiled copy: uses the widest accesses that both layouts permit.
    //!
    //! ```text
    //!   (8,4):(1,8)   and   Sw<3,3,3> o 0 o (8,4):(1,64)     of f16: 8 elements, 128 bits
    //!   (8,4):(1,8)   and   (8,4):(4,1)                      one by one
    //! ```
    //!
    //! Law: the width is [`AutoVector`]: the longest run that is the same in both layouts and
    //! aligned in both, up to 128 bits or the alignment that the instruction's name assumes. Both
    //! layouts are recast to this width, so element `i` of the source goes to element `i` of the
    //! destination. A global tensor with run-time strides has runs along the mode whose stride is
    //! `Int::<1>`.
    //!
    //! Source: CuTe `AutoVectorizingCopyWithAssumedAlignment`, `copy_vec` in
    //! `cute/algorithm/copy.hpp`.

    use super::super::copy::{CopyBy, PredicatedCopy, SameCount};
    use super::super::gemm::IsElement;
    use crate::algebra::cast::UpcastBy;
    use crate::atom::Element;
    use crate::atom::copy::{AtomPredicate, AutoVectorizingCopyWithAssumedAlignment};
    use crate::layout::{LayoutFn, Size};
    use crate::num::{Nat, NatCmp, NatDiv, One};
    use crate::tensor::{Engine, KnownStrides, Load, Plain, Store, Word};
    use crate::tiled::AutoVector;
    use crate::unroll::{Unroll, unroll_type};
    use typenum::{B1, U8, U16, U32, U64, U128, UInt, UTerm, Unsigned};

    /// A width for which an access exists.
    #[diagnostic::on_unimplemented(
        message = "no access has that many bits",
        label = "a thread moves 8, 16, 32, 64 or 128 bits at once"
    )]
    #[doc(hidden)]
    pub trait WordBits: Nat {
        /// The word that one access moves.
        type Word: Word;
        /// An element of the size of the word.
        type Wide: Plain;
    }
    macro_rules! word_bits {
        ($($bits:ty, $word:ty, $wide:ty;)*) => {$(
            impl WordBits for $bits {
                type Word = $word;
                type Wide = $wide;
            }
        )*};
    }
    word_bits! {
        U8, u8, u8;
        U16, u16, u16;
        U32, u32, u32;
        U64, [u32; 2], u64;
        U128, [u32; 4], u128;
    }

    /// The number of elements of type `T` that one access of at most `Max` bits moves between the
    /// layouts `Self` and `DL`.
    #[doc(hidden)]
    pub trait Vectors<DL, T, Max>: LayoutFn {
        /// The number of elements.
        type Run: Nat;
        /// The number of bits.
        type Bits: Nat;
    }
    impl<SL: LayoutFn, DL: LayoutFn, T: Element, Max: Nat> Vectors<DL, T, Max> for SL {
        type Run = <AutoVector<SL, DL, T> as NatDiv>::GcdOf<
            <<Max as Nat>::Over<T::Bits> as NatCmp>::Max<One>,
        >;
        type Bits = <Self::Run as Nat>::Times<T::Bits>;
    }
    /// The layout `L` as it is in the memory of the engine `E`.
    type Seen<E, L> = <<E as Engine>::Strides as KnownStrides>::InMemory<L>;
    type Run<SL, DL, T, Max> = <SL as Vectors<DL, T, Max>>::Run;
    type Wide<SL, DL, T, Max, L> = <Run<SL, DL, T, Max> as RunOf<L>>::Wide;
    type WideElement<SL, DL, T, Max> = <<SL as Vectors<DL, T, Max>>::Bits as WordBits>::Wide;
    type WideWord<SL, DL, T, Max> = <<SL as Vectors<DL, T, Max>>::Bits as WordBits>::Word;
    type ElementWord<T> = <<T as Element>::Bits as WordBits>::Word;

    /// A number of elements of `L` that become one element.
    pub trait RunOf<L> {
        /// `L` in units of `Self` elements.
        type Wide: LayoutFn;
    }
    /// One element remains one element, whatever the strides are.
    impl<L: LayoutFn> RunOf<L> for UInt<UTerm, B1> {
        type Wide = L;
    }
    impl<L: UpcastBy<Self>, U, B, C> RunOf<L> for UInt<UInt<U, B>, C> {
        type Wide = L::Output;
    }

    /// Copies in accesses of at most `Max` bits.
    #[doc(hidden)]
    pub trait CopyVectors<SE, SL, DE, DL, Max> {
        /// The number of accesses.
        type Count: Nat;
        /// The number of elements per access.
        type Run: Unroll + Nat;
        /// Executes access `i`.
        fn access(i: u32, src: SE, dst: DE);
        /// Copies only element `i`.
        fn element(i: u32, src: SE, dst: DE);
    }
    /// Uses the widest accesses that both layouts permit.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct ByVectors;
    impl<SE, SL, DE, DL, T, Max> CopyVectors<SE, SL, DE, DL, Max> for ByVectors
    where
        T: Plain + Element<Bits: WordBits>,
        SE: Load<Value = T>,
        DE: Store<Value: IsElement<T>>,
        SL: LayoutFn,
        DL: LayoutFn,
        Seen<SE, SL>: Vectors<
                Seen<DE, DL>,
                T,
                Max,
                Bits: WordBits,
                Run: RunOf<Seen<SE, SL>> + RunOf<Seen<DE, DL>> + Unroll,
            >,
        DE::Recast<WideElement<Seen<SE, SL>, Seen<DE, DL>, T, Max>>: Store,
        <Size<SL> as NatCmp>::Equals<Size<DL>>: SameCount<Size<SL>, Size<DL>>,
    {
        type Count = Size<Wide<Seen<SE, SL>, Seen<DE, DL>, T, Max, Seen<SE, SL>>>;
        type Run = Run<Seen<SE, SL>, Seen<DE, DL>, T, Max>;
        #[inline(always)]
        fn access(i: u32, src: SE, dst: DE) {
            let word = src.load_vector::<
                SL,
                Wide<Seen<SE, SL>, Seen<DE, DL>, T, Max, Seen<SE, SL>>,
                WideElement<Seen<SE, SL>, Seen<DE, DL>, T, Max>,
                WideWord<Seen<SE, SL>, Seen<DE, DL>, T, Max>,
            >(i);
            dst.store_vector::<
                DL,
                Wide<Seen<SE, SL>, Seen<DE, DL>, T, Max, Seen<DE, DL>>,
                WideElement<Seen<SE, SL>, Seen<DE, DL>, T, Max>,
                WideWord<Seen<SE, SL>, Seen<DE, DL>, T, Max>,
            >(i, word);
        }
        #[inline(always)]
        fn element(i: u32, src: SE, dst: DE) {
            let word = src.step::<SL, u32>(i).load_word::<SL, ElementWord<T>>();
            dst.step::<DL, u32>(i)
                .store_word::<DL, ElementWord<T>>(word);
        }
    }

    /// Copies the elements of access `i` for which `predicate` holds, with one access if it holds
    /// for all elements.
    #[inline(always)]
    fn access_where<SE: Copy, SL, DE: Copy, DL, Max, P: AtomPredicate>(
        i: u32,
        src: SE,
        dst: DE,
        predicate: &impl Fn(usize) -> P,
    ) where
        ByVectors: CopyVectors<SE, SL, DE, DL, Max>,
    {
        type RunIn<SE, SL, DE, DL, Max> = <ByVectors as CopyVectors<SE, SL, DE, DL, Max>>::Run;
        if RunIn::<SE, SL, DE, DL, Max>::USIZE == 1 {
            if predicate(i as usize).holds() {
                ByVectors::access(i, src, dst);
            }
            return;
        }
        let first = i as usize * RunIn::<SE, SL, DE, DL, Max>::USIZE;
        let mut all = true;
        unroll_type::<RunIn<SE, SL, DE, DL, Max>>(|at| all &= predicate(first + at).holds());
        if all {
            ByVectors::access(i, src, dst);
        } else {
            unroll_type::<RunIn<SE, SL, DE, DL, Max>>(|at| {
                if predicate(first + at).holds() {
                    ByVectors::element((first + at) as u32, src, dst);
                }
            });
        }
    }

    macro_rules! auto {
        ($($bits:literal, $max:ty;)*) => {$(
            impl<SE, SL, DE, DL> CopyBy<SE, SL, DE, DL> for AutoVectorizingCopyWithAssumedAlignment<$bits>
            where
                ByVectors: CopyVectors<SE, SL, DE, DL, $max, Count: Unroll>,
            {
                type Count = <ByVectors as CopyVectors<SE, SL, DE, DL, $max>>::Count;
                #[inline(always)]
                unsafe fn atom(i: u32, src: SE, dst: DE) {
                    <ByVectors as CopyVectors<SE, SL, DE, DL, $max>>::access(i, src, dst);
                }
            }
            impl<SE, SL, DE, DL> PredicatedCopy<SE, SL, DE, DL> for AutoVectorizingCopyWithAssumedAlignment<$bits>
            where
                Self: CopyBy<SE, SL, DE, DL>,
                ByVectors: CopyVectors<SE, SL, DE, DL, $max>,
                SE: Copy,
                DE: Copy,
            {
                #[inline(always)]
                unsafe fn atom_if(i: u32, src: SE, dst: DE, predicate: impl AtomPredicate) {
                    if predicate.holds() {
                        <ByVectors as CopyVectors<SE, SL, DE, DL, $max>>::access(i, src, dst);
                    }
                }
                #[inline(always)]
                unsafe fn atom_where<P: AtomPredicate>(
                    i: u32,
                    src: SE,
                    dst: DE,
                    predicate: &impl Fn(usize) -> P,
                ) {
                    access_where::<SE, SL, DE, DL, $max, P>(i, src, dst, predicate);
                }
            }
        )*};
    }
    auto! {
        8, U8;
        16, U16;
        32, U32;
        64, U64;
        128, U128;
    }
}
