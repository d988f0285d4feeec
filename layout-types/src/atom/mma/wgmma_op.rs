//! A `wgmma` atom executed: CuTe's `fma` of `SM90_64x128x16_F32F16F16_SS` and its kin.
//!
//! ```text
//!   SS   fma(d, descriptor of A, descriptor of B, scale)         RS   fma(d, &A's registers, descriptor of B, scale)
//! ```
//!
//! Law: the operands' types are the atom's: a descriptor is of the element type, the major and the rows that the instruction
//! reads, so a tile of another kind does not compile.
//!
//! Source: CuTe `cute/arch/mma_sm90_gmma.hpp`; PTX ISA, *wgmma.mma_async*.

use super::sm90::{Shared, SourceA, Wgmma, WgmmaKind, WgmmaMajorA, WgmmaMajorB, WgmmaN};
use super::{Major, MmaAtom, Registers};
use crate::arch::mma_sm90_gmma::{AccumulatorRegisters, FenceOperand, WgmmaIssue};
use crate::atom::RegisterArray;
use crate::atom::smem_operand::GmmaDescriptor;
use crate::num::{Bool, Nat};
use typenum::U64;

/// A `wgmma` atom, as an instruction that runs.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `wgmma` instruction of this build",
    label = "the atoms `Sm90_64xNxK_..` are, on the host and in builds for `sm_90a`"
)]
pub trait WgmmaOp: MmaAtom {
    /// A thread's registers of the accumulator.
    type Accumulator: RegisterArray + FenceOperand;
    /// A: a descriptor, or four registers.
    type AOperand: Copy;
    /// B: a descriptor.
    type BOperand: Copy;
    /// `D = A B + D`, or `A B` where `scale_d` is 0.
    ///
    /// # Safety
    /// As of [`WgmmaIssue::ss`]. [`InFlight`](crate::algorithm::warpgroup::InFlight) keeps the registers' part of it.
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
        // SAFETY: the warp group is whole, its registers fenced, and what the descriptors show written, fenced and left alone, by the
        // caller's contract; the majors are those of the descriptors' types.
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
        // SAFETY: as above, with A's registers, which nobody writes until the group has ended, by the caller's contract.
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
