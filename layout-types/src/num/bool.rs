//! The two truth values, and what each layout operation does on them.

use crate::algebra::borrow::BorrowBranch;
use crate::algebra::cast::CastBranch;
use crate::algebra::coalescing::CoalesceBranch;
use crate::algebra::common_vectors::CommonBranch;
use crate::algebra::complements::ComplementBranch;
use crate::algebra::compose_list::ComposeBranch;
use crate::algebra::decide::{DecideBranch, DecideLeafBranch};
use crate::algebra::divide::DivideBranch;
use crate::algebra::fits::FitsBranch;
use crate::algebra::inverse::InverseBranch;
use crate::algebra::make::MakeBranch;
use crate::algebra::modes::ModesBranch;
use crate::algebra::nesting::NestingBranch;
use crate::algebra::product::ProductBranch;
use crate::algebra::shape_tiling::FillBranch;
use crate::algebra::slice::StepBranch;
use crate::algebra::spans::{ImageBranch, Verdict};
use crate::algebra::swizzle::SwizzleBranch;
use crate::algebra::swizzle_types::MovedBranch;
use crate::ragged::RaggedBranch;

/// True.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct True;

/// False.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct False;

macro_rules! display {
    ($($t:ty)*) => {$(
        impl core::fmt::Display for $t {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                Self::VALUE.fmt(f)
            }
        }
    )*};
}
display!(True False);

/// A truth value.
///
/// An `if` at the type level would normalise both of its branches. So each operation that has to decide puts its two
/// branches into a trait of its own, which `True` and `False` implement, and this trait requires them all.
pub trait Bool:
    CoalesceBranch
    + BorrowBranch
    + ComposeBranch
    + ComplementBranch
    + DivideBranch
    + FillBranch
    + FitsBranch
    + SwizzleBranch
    + DecideBranch
    + DecideLeafBranch
    + InverseBranch
    + ImageBranch
    + Verdict
    + NestingBranch
    + ModesBranch
    + CastBranch
    + CommonBranch
    + MovedBranch
    + MakeBranch
    + StepBranch
    + ProductBranch
    + RaggedBranch
    + Copy
    + Default
    + core::fmt::Debug
    + 'static
{
    /// The truth value as a value.
    const VALUE: bool;
    /// Negation.
    type Not: Bool;
    /// Conjunction.
    type And<B: Bool>: Bool;
    /// Disjunction.
    type Or<B: Bool>: Bool;
    /// `A` where true, `B` otherwise; both are worked out.
    type PickNat<A: super::Nat, B: super::Nat>: super::Nat;
    /// `A` where true, `B` otherwise; both are worked out.
    type PickStride<A: super::StrideLeaf, B: super::StrideLeaf>: super::StrideLeaf;
}

impl Bool for True {
    const VALUE: bool = true;
    type Not = False;
    type And<B: Bool> = B;
    type Or<B: Bool> = True;
    type PickNat<A: super::Nat, B: super::Nat> = A;
    type PickStride<A: super::StrideLeaf, B: super::StrideLeaf> = A;
}

impl Bool for False {
    const VALUE: bool = false;
    type Not = True;
    type And<B: Bool> = False;
    type Or<B: Bool> = B;
    type PickNat<A: super::Nat, B: super::Nat> = B;
    type PickStride<A: super::StrideLeaf, B: super::StrideLeaf> = B;
}
