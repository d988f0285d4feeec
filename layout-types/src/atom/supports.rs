//! Which architecture has an instruction.
//!
//! ```text
//!   Sm75_U32x4_LDSM_N    75 and all later      Sm80_CP_ASYNC_..   80 and all later      Wgmma   90 alone
//! ```
//!
//! Law: `int!(N): Supports<Atom>` holds exactly where a GPU of compute capability `N / 10` has the atom's instruction.
//!
//! Source: PTX ISA, *Target ISA Notes* of each instruction.

use crate::decimal::Decimal;
use crate::num::{Bool, False, Nat, NatCmp, True};

/// Where an atom's instruction exists.
pub trait Instruction {
    /// The compute capability times ten that brought it; 0 for all.
    type Sm: Nat;
    /// Do all later architectures have it, too?
    type Later: Bool;
}

/// The architecture `Self`, compute capability times ten, has the MMA or copy atom; [`assert_supports!`](crate::assert_supports)
/// says so of a configuration.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::atom::{Supports, copy::Sm75_U32x4_LDSM_N, mma::Sm80_16x8x16_F32F16F16F32_TN};
/// fn kernel<Atom, Copy>() where int!(90): Supports<Atom> + Supports<Copy> {}
/// kernel::<Sm80_16x8x16_F32F16F16F32_TN, Sm75_U32x4_LDSM_N>();
/// ```
///
/// ```compile_fail
/// use layout_types::prelude::*;
/// use layout_types::atom::{Supports, mma::Sm89_16x8x32_F32E4M3E4M3F32_TN};
/// fn kernel<Atom>() where int!(80): Supports<Atom> {}
/// kernel::<Sm89_16x8x32_F32E4M3E4M3F32_TN>();
/// ```
pub trait Supports<Atom> {}
impl<N: Nat, Atom: Instruction> Supports<Atom> for N where
    <<N as NatCmp>::AtLeast<Atom::Sm> as Bool>::And<
        <Atom::Later as Bool>::Or<<N as NatCmp>::Equals<Atom::Sm>>,
    >: IsSupported<Atom, N>
{
}
/// Holds for true.
pub trait IsSupported<Atom, Target> {}
impl<Atom, Target> IsSupported<Atom, Target> for True {}
impl<Atom, Target: Decimal> IsSupported<Atom, Target> for False where Atom: ExistsOn<Target::Text> {}
/// Holds for nothing: its message is the refusal.
#[diagnostic::on_unimplemented(
    message = "an architecture of compute capability {Target} / 10 does not have the instruction `{Self}`",
    label = "the atom's name begins with the architecture that brought it"
)]
pub trait ExistsOn<Target> {}

/// An architecture has the atoms: `assert_supports!(compute capability times ten, Atom, ..)`.
///
/// ```
/// use layout_types::{assert_supports, prelude::*, atom::copy::*, atom::mma::*};
/// assert_supports!(80, Sm80_16x8x16_F16F16F16F16_TN, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL<u128>);
/// assert_supports!(int!(90), Sm90_U32x4_STSM_N);
/// ```
/// ```compile_fail
/// use layout_types::{assert_supports, prelude::*, atom::copy::*};
/// assert_supports!(80, Sm90_U32x4_STSM_N); // stmatrix came with Hopper
/// ```
#[macro_export]
macro_rules! assert_supports {
    ($sm:literal, $($atom:ty),+ $(,)?) => { $crate::assert_supports!($crate::int!($sm), $($atom),+); };
    ($sm:ty, $($atom:ty),+ $(,)?) => {
        const _: () = {
            $($crate::atom::supported::<$sm, $atom>();)+
        };
    };
}
/// What [`assert_supports!`](crate::assert_supports) asks for.
pub const fn supported<Sm: Supports<Atom>, Atom>() {}
