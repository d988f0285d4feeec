//! The execution of a `tcgen05.mma` atom: CuTe's `fma` of `SM100_MMA_F16BF16_SS` and similar
//! structs.
//!
//! ```text
//!   SS       fma(&d, descriptor of A, descriptor of B, scale)
//!   TS       fma(&d, A in tensor memory, descriptor of B, scale)
//!   scaled   fma(&d, descriptor of A, descriptor of B, (&sfa, &sfb), scale)
//! ```
//!
//! Law: operands and places are those of the atom. A descriptor has the element type, the major and
//! the number of rows that the instruction reads in one CTA. The tensors of D, of A in tensor
//! memory and of scale factors have the layouts of the atom's fragments; other tensors do not
//! compile.
//!
//! Source: CuTe `cute/atom/mma_traits_sm100.hpp`, `mma_unpack`.

use super::sm100::{
    InTmem, Shared, Umma, UmmaAtom, UmmaKind, UmmaPlain, UmmaScaledAtom, UmmaScales, UmmaSource,
};
use super::{AtomK, AtomN, Major, MmaAtom};
use crate::arch::mma_sm100_umma::{UmmaIssue, UmmaIssueScaled};
use crate::atom::tmem::fragment::{CtaGroup, MakeTmemFrg, Share, TmemFragment};
use crate::atom::umma::UmmaDescriptor;
use crate::check::{Reflect, require, same_words};
use crate::layout::{LayoutFn, StaticLayout};
use crate::num::{Nat, One};
use crate::tensor::{Tensor, Tmem};
use crate::tree::{Cons, Nil};
use core::fmt;
use core::marker::PhantomData;
use typenum::U128;

type List<A, B> = Cons<A, Cons<B, Nil>>;
/// The layout `((M,N),1)`.
type OneAtom<M, N> = List<List<M, N>, One>;
/// The layout of an atom's accumulator in the tensor memory of one CTA.
pub type AtomD<Atom> = <Atom as UmmaOp>::DLayout;

/// A `tcgen05.mma` atom that can be executed.
pub trait UmmaOp: UmmaAtom {
    /// The accumulator's layout in one CTA's tensor memory.
    type DLayout: StaticLayout + Reflect;
    /// The operand A: a descriptor, or a place in tensor memory.
    type AOperand: Copy;
    /// The operand B: a descriptor.
    type BOperand: Copy;
}

/// A `tcgen05.mma` atom without scale factors.
pub trait UmmaPlainOp: UmmaOp {
    /// Computes `D = A B + D`, or `D = A B` if `scale_d` is 0.
    ///
    /// # Safety
    /// The conditions of [`UmmaIssue::issue`] hold.
    unsafe fn fma<L: LayoutFn + Reflect>(
        d: &Tensor<Tmem<Self::ValTypeD>, L>,
        a: Self::AOperand,
        b: Self::BOperand,
        scale_d: u32,
    );
}

/// The factors of A and of B: elements `Sf` of layouts `LA` and `LB`.
type Factors<'a, Sf, LA, LB> = (&'a Tensor<Tmem<Sf>, LA>, &'a Tensor<Tmem<Sf>, LB>);

/// A block-scaled `tcgen05.mma` atom.
pub trait UmmaScaledOp: UmmaOp + UmmaScaledAtom {
    /// The layout of the factors of A.
    type SfaLayout: StaticLayout + Reflect;
    /// The layout of the factors of B.
    type SfbLayout: StaticLayout + Reflect;
    /// Computes `D = A B + D` with the factors of A and of B, or `D = A B` if `scale_d` is 0. The
    /// address at which a tensor of factors begins determines the byte in which each word holds
    /// them.
    ///
    /// # Safety
    /// The conditions of [`UmmaIssueScaled::issue`] hold.
    unsafe fn fma<L, LA, LB>(
        d: &Tensor<Tmem<Self::ValTypeD>, L>,
        a: Self::AOperand,
        b: Self::BOperand,
        scales: Factors<'_, Self::Scale, LA, LB>,
        scale_d: u32,
    ) where
        L: LayoutFn + Reflect,
        LA: LayoutFn + Reflect,
        LB: LayoutFn + Reflect;
}

/// The operand A of the atom `Atom` in tensor memory.
pub struct TmemA<Atom>(u32, PhantomData<Atom>);
impl<Atom> Clone for TmemA<Atom> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<Atom> Copy for TmemA<Atom> {}
impl<Atom> fmt::Debug for TmemA<Atom> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TmemA({:#010x})", self.0)
    }
}
impl<Atom: MmaAtom + UmmaOp> TmemA<Atom> {
    /// Returns the operand in a tensor. A tensor whose layout is not that of the atom's fragment of
    /// A does not compile.
    #[inline(always)]
    #[must_use]
    pub fn of<L: LayoutFn + Reflect>(tensor: &Tensor<Tmem<Atom::ValTypeA>, L>) -> Self
    where
        Atom: HasTmemA,
    {
        const {
            require(same_words(
                "A",
                &L::VALUE,
                &<Atom::ALayoutInTmem as Reflect>::VALUE,
            ))
        }
        Self(tensor.address(), PhantomData)
    }
}
/// An atom that reads A from tensor memory.
pub trait HasTmemA: UmmaOp {
    /// The layout of A in one CTA's tensor memory.
    type ALayoutInTmem: StaticLayout + Reflect;
}
impl<K, M, N, G, TnspA, TnspB> HasTmemA for Umma<K, M, N, InTmem, G, TnspA, TnspB>
where
    Self: UmmaOp + UmmaAtom<Group = G>,
    M: Nat,
    G: CtaGroup,
    Self::FrgTypeA: TmemFragment<OneAtom<Share<G, M>, AtomK<Self>>, Layout: Reflect>,
{
    type ALayoutInTmem = MakeTmemFrg<Self::FrgTypeA, OneAtom<Share<G, M>, AtomK<Self>>>;
}

/// A source of A, with the operand that an atom takes from it.
#[doc(hidden)]
pub trait AOperandOf<Atom, T, Tnsp, Rows> {
    /// The operand: a descriptor, or a place in tensor memory.
    type Operand: Copy;
}
impl<Atom, T, Tnsp, Rows> AOperandOf<Atom, T, Tnsp, Rows> for Shared {
    type Operand = UmmaDescriptor<T, Tnsp, Rows>;
}
impl<Atom, T, Tnsp, Rows> AOperandOf<Atom, T, Tnsp, Rows> for InTmem {
    type Operand = TmemA<Atom>;
}

impl<K, M, N, S, G, TnspA, TnspB> UmmaOp for Umma<K, M, N, S, G, TnspA, TnspB>
where
    Self: UmmaAtom,
    K: UmmaKind<S, G>,
    M: Nat,
    N: Nat,
    G: CtaGroup,
    S: UmmaSource<G> + AOperandOf<Self, K::A, TnspA, Share<G, M>>,
    Self::FrgTypeC: TmemFragment<OneAtom<Share<G, M>, N>, Layout: Reflect>,
{
    type DLayout = MakeTmemFrg<Self::FrgTypeC, OneAtom<Share<G, M>, N>>;
    type AOperand = S::Operand;
    type BOperand = UmmaDescriptor<K::B, TnspB, Share<G, N>>;
}

macro_rules! plain {
    ($source:ident $bits:ident $a:ident => $operand:expr) => {
        impl<K, M, N, G, TnspA, TnspB> UmmaPlainOp for Umma<K, M, N, $source, G, TnspA, TnspB>
        where
            K: UmmaPlain + UmmaKind<$source, G>,
            K::Kind: UmmaIssue<$source, G, AOperand = $bits>,
            M: Nat,
            N: Nat,
            G: CtaGroup,
            TnspA: Major,
            TnspB: Major,
            Self: UmmaOp<
                    AOperand = <$source as AOperandOf<Self, K::A, TnspA, Share<G, M>>>::Operand,
                    BOperand = UmmaDescriptor<K::B, TnspB, Share<G, N>>,
                >,
        {
            #[inline(always)]
            unsafe fn fma<L: LayoutFn + Reflect>(
                d: &Tensor<Tmem<Self::ValTypeD>, L>,
                $a: Self::AOperand,
                b: Self::BOperand,
                scale_d: u32,
            ) {
                const {
                    require(same_words(
                        "D",
                        &L::VALUE,
                        &<Self::DLayout as Reflect>::VALUE,
                    ));
                }
                let i = const { Self::INSTRUCTION }.bits();
                let a = $operand;
                // SAFETY: the caller guarantees that one thread executes this, that the operands
                // are written, and that the columns are free; `i` is the atom's descriptor.
                unsafe { K::Kind::issue(d.address(), a, b.bits(), i, scale_d) };
            }
        }
    };
}
plain!(Shared u64 a => a.bits());
plain!(InTmem u32 a => a.0);

/// The layout `((rows,(VS,NSF)),1)`, where the number of rows is a multiple of 128.
type OneAtomOfFactors<Atom, Rows> =
    List<List<Padded<Rows>, List<Vs<Atom>, <AtomK<Atom> as Nat>::Over<Vs<Atom>>>>, One>;
type Vs<Atom> = <Atom as UmmaScaledAtom>::VectorSize;
type Padded<R> = <<R as Nat>::CeilDiv<U128> as Nat>::Times<U128>;

impl<K, M, N, G, TnspA, TnspB> UmmaScaledOp for Umma<K, M, N, Shared, G, TnspA, TnspB>
where
    K: UmmaScales + UmmaKind<Shared, G>,
    <K as UmmaScales>::Kind: UmmaIssueScaled<G>,
    M: Nat,
    N: Nat,
    G: CtaGroup,
    TnspA: Major,
    TnspB: Major,
    Self: UmmaScaledAtom
        + UmmaOp<
            AOperand = UmmaDescriptor<K::A, TnspA, Share<G, M>>,
            BOperand = UmmaDescriptor<K::B, TnspB, Share<G, N>>,
        >,
    Self::FrgTypeSfa: TmemFragment<OneAtomOfFactors<Self, Share<G, M>>, Layout: Reflect>,
    Self::FrgTypeSfb: TmemFragment<OneAtomOfFactors<Self, AtomN<Self>>, Layout: Reflect>,
{
    type SfaLayout = MakeTmemFrg<Self::FrgTypeSfa, OneAtomOfFactors<Self, Share<G, M>>>;
    type SfbLayout = MakeTmemFrg<Self::FrgTypeSfb, OneAtomOfFactors<Self, AtomN<Self>>>;
    #[inline(always)]
    unsafe fn fma<L, LA, LB>(
        d: &Tensor<Tmem<Self::ValTypeD>, L>,
        a: Self::AOperand,
        b: Self::BOperand,
        (sfa, sfb): Factors<'_, Self::Scale, LA, LB>,
        scale_d: u32,
    ) where
        L: LayoutFn + Reflect,
        LA: LayoutFn + Reflect,
        LB: LayoutFn + Reflect,
    {
        const {
            require(same_words(
                "D",
                &L::VALUE,
                &<Self::DLayout as Reflect>::VALUE,
            ));
            require(same_words(
                "the scale factors of A",
                &LA::VALUE,
                &<Self::SfaLayout as Reflect>::VALUE,
            ));
            require(same_words(
                "the scale factors of B",
                &LB::VALUE,
                &<Self::SfbLayout as Reflect>::VALUE,
            ));
        }
        let (of_a, of_b) = (sfa.scale_address(), sfb.scale_address());
        let i = const { Self::INSTRUCTION }.with_scales(of_a >> 30, of_b >> 30);
        let operands = (a.bits(), b.bits());
        // SAFETY: the caller guarantees that one thread executes this, that operands and factors
        // are written, and that the columns are free; the descriptor is the atom's.
        unsafe {
            <<K as UmmaScales>::Kind as UmmaIssueScaled<G>>::issue(
                d.address(),
                operands,
                i.bits(),
                (of_a, of_b),
                scale_d,
            );
        }
    }
}
