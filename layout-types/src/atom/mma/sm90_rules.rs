//! Which widths and majors a `wgmma` has.
//!
//! ```text
//!   N        8, 16, 24, .., 256            of s8 and u8: 8, 16, 24, 32, and then 48, 64, .., 256
//!   A, B     K-major                       of f16 and bf16 MN-major too, A in registers never
//! ```
//!
//! Law: `Wgmma<Kind, N, ..>` is an atom exactly where PTX has the instruction.
//!
//! Source: PTX ISA, *Asynchronous warpgroup level matrix instructions: wgmma.mma_async*, *Matrix shape*, *imm-trans-a, imm-trans-b*.

use super::sm90::{SourceA, WgmmaKind};
use super::{Element, Major};
use crate::decimal::Decimal;
use crate::num::{Bool, False, Nat, NatCmp, NatDiv, QuotRem, True};
use typenum::{U8, U16, U32, U256};

/// A width that `wgmma` of the types `Kind` has: a multiple of 8 from 8 to 256, for 8-bit integers above 32 of 16.
///
/// ```
/// use layout_types::{int, atom::mma::sm90::{F32F16F16, S32S8S8, WgmmaN}};
/// fn has<N: WgmmaN<Kind>, Kind>() {}
/// has::<int!(40), F32F16F16>();
/// has::<int!(48), S32S8S8>();
/// ```
///
/// ```compile_fail
/// use layout_types::{int, atom::mma::sm90::{S32S8S8, WgmmaN}};
/// fn has<N: WgmmaN<Kind>, Kind>() {}
/// has::<int!(40), S32S8S8>();
/// ```
pub trait WgmmaN<Kind>: Nat {}
impl<N: Nat, Kind: WgmmaKind> WgmmaN<Kind> for N where Width<N, Kind>: IsWidth<Kind, N> {}

type IsMultiple<N, Of> = <<N as NatDiv>::DivRem<Of> as QuotRem>::Exact;
/// Is `N` a width of `Kind`?
pub type Width<N, Kind> =
    <<<IsMultiple<N, U8> as Bool>::And<<U256 as NatCmp>::AtLeast<N>> as Bool>::And<
        <N as NatCmp>::AtLeast<U8>,
    > as Bool>::And<
        <<<Kind as WgmmaKind>::StepsOf16 as Bool>::Not as Bool>::Or<
            <<U32 as NatCmp>::AtLeast<N> as Bool>::Or<IsMultiple<N, U16>>,
        >,
    >;
/// Holds for true: `N` is a width of `Kind`.
pub trait IsWidth<Kind, N> {}
impl<Kind, N> IsWidth<Kind, N> for True {}
impl<Kind: HasWidth<N::Text>, N: Decimal> IsWidth<Kind, N> for False {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`wgmma` of the types `{Self}` has no width N = {N}",
    label = "N is a multiple of 8 from 8 to 256; of 8-bit integers 8, 16, 24, 32 and then a multiple of 16"
)]
pub trait HasWidth<N> {}

/// How A of the types `Kind` may lie in `Source`: K-major, and in shared memory with 16-bit elements MN-major too.
pub trait WgmmaMajorA<Kind, Source>: Major {}
impl<M: Major, Kind: WgmmaKind, S: SourceA<Kind>> WgmmaMajorA<Kind, S> for M
where
    <M::IsK as Bool>::Or<Is16<Kind::A>>: IsMajor<Kind, operand_A, <Kind::A as Element>::Bits>,
    <M::IsK as Bool>::Or<<S::InRegisters as Bool>::Not>: MajorAllowed<Kind>,
{
}
/// How B of the types `Kind` may lie in shared memory: K-major, and with 16-bit elements MN-major too.
pub trait WgmmaMajorB<Kind>: Major {}
impl<M: Major, Kind: WgmmaKind> WgmmaMajorB<Kind> for M where
    <M::IsK as Bool>::Or<Is16<Kind::B>>: IsMajor<Kind, operand_B, <Kind::B as Element>::Bits>
{
}
type Is16<T> = <<T as Element>::Bits as NatCmp>::Equals<U16>;
/// Names of operands as messages print them.
#[allow(non_camel_case_types)]
pub struct operand_A(());
/// See [`operand_A`].
#[allow(non_camel_case_types)]
pub struct operand_B(());

/// Holds for true: the instruction has this major.
pub trait IsMajor<Kind, Operand, Bits> {}
impl<Kind, O, Bits> IsMajor<Kind, O, Bits> for True {}
impl<Kind: HasMnMajor<O, Bits::Text>, O, Bits: Decimal> IsMajor<Kind, O, Bits> for False {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`wgmma` of the types `{Self}` reads {Operand} K-major only: its elements have {Bits} bits",
    label = "only 16-bit elements can be MN-major; others are K-major"
)]
pub trait HasMnMajor<Operand, Bits> {}

/// Holds for true: A is not both in registers and MN-major.
pub trait MajorAllowed<Kind> {}
impl<Kind> MajorAllowed<Kind> for True {}
impl<Kind: KMajorInRegisters> MajorAllowed<Kind> for False {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`wgmma` of the types `{Self}` takes no MN-major A from registers",
    label = "only an operand in shared memory can be MN-major: with A in registers that is B"
)]
pub trait KMajorInRegisters {}
