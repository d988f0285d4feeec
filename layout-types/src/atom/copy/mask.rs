//! Which atoms of a copy exist, a bit each: a predicate that is asked once and holds for many steps.
//!
//! ```text
//!   rows that a ragged tile has     0  1  2  3          Mask 0b0111
//!   in a step behind the end of k                       .only_if(false)    0b0000
//!   atom 1 of the step                                  .atom(1)           0b0010, which holds
//! ```
//!
//! Law: an atom holds where it was inside when the mask was made, and every condition since then was true.
//!
//! A thread has seven predicate registers, and a mask of thirty-two bits in one register of another kind; of a bit of it one
//! instruction makes a predicate.
//!
//! Source: CuTe keeps such predicates as a tensor of `bool`; PTX ISA, *Predicated Execution*.

use crate::unroll::{Unroll, unroll};
use typenum::{Const, ToUInt};

/// What a predicate says of an atom.
pub trait AtomPredicate: Copy {
    /// Is the atom copied?
    fn holds(self) -> bool;
    /// A number that is not 0 exactly where the atom is copied: an instruction can ask that itself.
    fn word(self) -> u32;
}
impl AtomPredicate for bool {
    #[inline(always)]
    fn holds(self) -> bool {
        self
    }
    #[inline(always)]
    fn word(self) -> u32 {
        u32::from(self)
    }
}

/// Which of up to 32 atoms exist, a bit each: a predicate of [`copy_if`](crate::algorithm::copy_if) that is asked once and kept.
///
/// Law: `Mask::new::<N>(p).only_if(c).atom(i).holds() == (p(i) && c)` for every `i < N`.
///
/// ```
/// use layout_types::atom::copy::{AtomPredicate, Mask};
/// let rows = Mask::new::<4>(|row| row < 3);
/// assert!(rows.atom(2).holds() && !rows.atom(3).holds());
/// assert!(!rows.only_if(false).atom(2).holds());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask(u32);
/// A bit of a [`Mask`].
#[derive(Clone, Copy, Debug)]
pub struct MaskBit(u32);

impl Mask {
    /// Asks `inside` of the atoms 0 to `N - 1`; there are no others. `N` is at most 32.
    #[inline(always)]
    #[must_use]
    pub fn new<const N: usize>(inside: impl Fn(usize) -> bool) -> Self
    where
        Const<N>: ToUInt<Output: Unroll>,
    {
        const { assert!(N <= 32, "a mask has 32 bits") }
        let mut bits = 0;
        unroll::<N>(|i| bits |= u32::from(inside(i)) << i);
        Self(bits)
    }
    /// The mask where `condition` holds, and none of its atoms where not.
    #[inline(always)]
    #[must_use]
    pub fn only_if(self, condition: bool) -> Self {
        Self(if condition { self.0 } else { 0 })
    }
    /// Atom `i`. Beyond the mask's atoms none exists.
    #[inline(always)]
    #[must_use]
    pub fn atom(self, i: usize) -> MaskBit {
        MaskBit(if i < 32 { self.0 & 1 << i } else { 0 })
    }
}
impl AtomPredicate for MaskBit {
    #[inline(always)]
    fn holds(self) -> bool {
        self.0 != 0
    }
    #[inline(always)]
    fn word(self) -> u32 {
        self.0
    }
}
