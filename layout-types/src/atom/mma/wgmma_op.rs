//! The execution of a `wgmma` atom, and the widths and majors that it has.
//!
//! ```text
//!   SS   fma(d, descriptor of A, descriptor of B, scale)         N   8, 16, 24, .., 256
//! ```

use super::sm90::{Shared, SourceA, Wgmma, WgmmaKind};
use super::{Element, Major, MmaAtom, Registers};
use crate::arch::mma_sm90_gmma::{AccumulatorRegisters, FenceOperand, WgmmaIssue};
use crate::atom::RegisterArray;
use crate::atom::smem_operand::GmmaDescriptor;
use crate::decimal::Decimal;
use crate::num::{Bool, False, Nat, NatCmp, NatDiv, QuotRem, True};
use typenum::{U8, U16, U32, U64, U256};

// -- Widths and majors ----------------------------------------------------------------------------
//
// The widths and majors of a `wgmma`.
//
// ```text
//   N        8, 16, 24, .., 256            of s8 and u8: 8, 16, 24, 32, and then 48, 64, .., 256
//   A, B     K-major                       of f16 and bf16 MN-major too, A in registers never
// ```
//
// Law: `Wgmma<Kind, N, ..>` is an atom exactly if PTX has the instruction.
//
// Source: PTX ISA, *Asynchronous warpgroup level matrix instructions: wgmma.mma_async*, *Matrix
// shape*, *imm-trans-a, imm-trans-b*.

/// A width of `wgmma` for the types `Kind`: a multiple of 8 from 8 to 256. For 8-bit integers, a
/// width above 32 is a multiple of 16.
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
/// Whether `N` is a width of `Kind`.
pub type Width<N, Kind> =
    <<<IsMultiple<N, U8> as Bool>::And<<U256 as NatCmp>::AtLeast<N>> as Bool>::And<
        <N as NatCmp>::AtLeast<U8>,
    > as Bool>::And<
        <<<Kind as WgmmaKind>::StepsOf16 as Bool>::Not as Bool>::Or<
            <<U32 as NatCmp>::AtLeast<N> as Bool>::Or<IsMultiple<N, U16>>,
        >,
    >;
/// Implemented for `True`: `N` is a width of `Kind`.
pub trait IsWidth<Kind, N> {}
impl<Kind, N> IsWidth<Kind, N> for True {}
impl<Kind: HasWidth<N::Text>, N: Decimal> IsWidth<Kind, N> for False {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`wgmma` of the types `{Self}` has no width N = {N}",
    label = "N is a multiple of 8 from 8 to 256; of 8-bit integers 8, 16, 24, 32 and then a multiple of 16"
)]
pub trait HasWidth<N> {}

/// A major of the operand A of the types `Kind` in `Source`: K-major, or MN-major for 16-bit
/// elements in shared memory.
pub trait WgmmaMajorA<Kind, Source>: Major {}
impl<M: Major, Kind: WgmmaKind, S: SourceA<Kind>> WgmmaMajorA<Kind, S> for M
where
    <M::IsK as Bool>::Or<Is16<Kind::A>>: IsMajor<Kind, operand_A, <Kind::A as Element>::Bits>,
    <M::IsK as Bool>::Or<<S::InRegisters as Bool>::Not>: MajorAllowed<Kind>,
{
}
/// A major of the operand B of the types `Kind` in shared memory: K-major, or MN-major for 16-bit
/// elements.
pub trait WgmmaMajorB<Kind>: Major {}
impl<M: Major, Kind: WgmmaKind> WgmmaMajorB<Kind> for M where
    <M::IsK as Bool>::Or<Is16<Kind::B>>: IsMajor<Kind, operand_B, <Kind::B as Element>::Bits>
{
}
type Is16<T> = <<T as Element>::Bits as NatCmp>::Equals<U16>;
/// The name of the operand A in messages.
#[allow(non_camel_case_types)]
pub struct operand_A(());
/// The name of the operand B in messages, as [`operand_A`] is that of A.
#[allow(non_camel_case_types)]
pub struct operand_B(());

/// Implemented for `True`: the instruction has this major.
pub trait IsMajor<Kind, Operand, Bits> {}
impl<Kind, O, Bits> IsMajor<Kind, O, Bits> for True {}
impl<Kind: HasMnMajor<O, Bits::Text>, O, Bits: Decimal> IsMajor<Kind, O, Bits> for False {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`wgmma` of the types `{Self}` reads {Operand} K-major only: its elements have {Bits} bits",
    label = "only 16-bit elements can be MN-major; others are K-major"
)]
pub trait HasMnMajor<Operand, Bits> {}

/// Implemented for `True`: A is not both in registers and MN-major.
pub trait MajorAllowed<Kind> {}
impl<Kind> MajorAllowed<Kind> for True {}
impl<Kind: KMajorInRegisters> MajorAllowed<Kind> for False {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "`wgmma` of the types `{Self}` takes no MN-major A from registers",
    label = "only an operand in shared memory can be MN-major: with A in registers that is B"
)]
pub trait KMajorInRegisters {}

// -- Execution ------------------------------------------------------------------------------------
//
// The execution of a `wgmma` atom: CuTe's `fma` of `SM90_64x128x16_F32F16F16_SS` and similar
// structs.
//
// ```text
//   SS   fma(d, descriptor of A, descriptor of B, scale)         RS   fma(d, &A's registers, descriptor of B, scale)
// ```
//
// Law: the operands' types are those of the atom. A descriptor has the element type, the major and
// the number of rows that the instruction reads; a tile of another kind does not compile.
//
// Source: CuTe `cute/arch/mma_sm90_gmma.hpp`; PTX ISA, *wgmma.mma_async*.

/// A `wgmma` atom that can be executed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `wgmma` instruction of this build",
    label = "the atoms `Sm90_64xNxK_..` are, on the host and in builds for `sm_90a`"
)]
pub trait WgmmaOp: MmaAtom {
    /// A thread's registers of the accumulator.
    type Accumulator: RegisterArray + FenceOperand;
    /// The operand A: a descriptor, or four registers.
    type AOperand: Copy;
    /// The operand B: a descriptor.
    type BOperand: Copy;
    /// Computes `D = A B + D`, or `D = A B` if `scale_d` is 0.
    ///
    /// # Safety
    /// The conditions of [`WgmmaIssue::ss`] hold.
    /// [`InFlight`](crate::algorithm::warpgroup::InFlight) ensures the conditions on registers.
    unsafe fn fma(d: &mut Self::Accumulator, a: &Self::AOperand, b: &Self::BOperand, scale_d: u32);
}

impl<K, N, TnspA, TnspB> WgmmaOp for Wgmma<K, N, Shared, TnspA, TnspB>
where
    K: WgmmaKind + WgmmaIssue<N, Sum = <K as WgmmaKind>::Accumulator>,
    N: Nat + WgmmaN<K> + AccumulatorRegisters<<K as WgmmaKind>::Accumulator>,
    TnspA: WgmmaMajorA<K, Shared>,
    TnspB: WgmmaMajorB<K>,
{
    type Accumulator = N::Registers;
    type AOperand = GmmaDescriptor<K::A, TnspA, U64>;
    type BOperand = GmmaDescriptor<K::B, TnspB, N>;
    #[inline(always)]
    unsafe fn fma(d: &mut N::Registers, a: &Self::AOperand, b: &Self::BOperand, scale_d: u32) {
        let (a, b) = (a.bits(), b.bits());
        // SAFETY: the caller guarantees that all warps of the warp group execute this, that the
        // registers are fenced, and that the described operands are written, fenced, and not
        // written again until the group has ended; the majors are those of the descriptors' types.
        unsafe {
            match const { (is_mn::<TnspA>(), is_mn::<TnspB>()) } {
                (false, false) => K::ss::<0, 0>(d, a, b, scale_d),
                (false, true) => K::ss::<0, 1>(d, a, b, scale_d),
                (true, false) => K::ss::<1, 0>(d, a, b, scale_d),
                (true, true) => K::ss::<1, 1>(d, a, b, scale_d),
            }
        }
    }
}

impl<K, N, TnspA, TnspB> WgmmaOp for Wgmma<K, N, Registers, TnspA, TnspB>
where
    K: WgmmaKind + WgmmaIssue<N, Sum = <K as WgmmaKind>::Accumulator>,
    N: Nat + WgmmaN<K> + AccumulatorRegisters<<K as WgmmaKind>::Accumulator>,
    Registers: SourceA<K>,
    TnspA: WgmmaMajorA<K, Registers>,
    TnspB: WgmmaMajorB<K>,
{
    type Accumulator = N::Registers;
    type AOperand = [u32; 4];
    type BOperand = GmmaDescriptor<K::B, TnspB, N>;
    #[inline(always)]
    unsafe fn fma(d: &mut N::Registers, a: &[u32; 4], b: &Self::BOperand, scale_d: u32) {
        // SAFETY: the caller guarantees that all warps of the warp group execute this, that the
        // accumulator and A's registers are fenced, that the described operand B is written and
        // fenced, and that neither A nor B is written again until the group has ended; B's major is
        // that of the descriptor's type.
        unsafe {
            if const { is_mn::<TnspB>() } {
                K::rs::<1>(d, a, b.bits(), scale_d);
            } else {
                K::rs::<0>(d, a, b.bits(), scale_d);
            }
        }
    }
}

const fn is_mn<Tnsp: Major>() -> bool {
    !Tnsp::IsK::VALUE
}
