//! Arithmetic on single values, and what blocks tell each other: the instructions that the collective needs besides those of
//! its atoms.
//!
//! ```text
//!   Sum      f32, f16, i32       what a thread adds up          Narrow   f16, bf16, tf32, s8     what D may be rounded to
//! ```
//!
//! Law: a rounding is to nearest, ties to even, but TF32's, whose ties go away from zero.
//!
//! Source: PTX ISA, *cvt*, *ex2*, *rcp*, *add.f16x2*, *atom*.

#[cfg(target_arch = "nvptx64")]
use core::arch::asm;
use cuda_std::gpu_only;
use half::{bf16, f16};
use layout_types::arch::convert::{bf16x2_from_f32, f16x2_from_f32};
use layout_types::atom::element::TFloat32;
use layout_types::layout;
use layout_types::tensor::Plain;

/// A type of sums.
pub trait Sum: Plain {
    /// Two sums. Halves are only ever looked at by pairs: else the compiler would keep them apart in the main loop.
    type Pair: Plain;
    /// The bits of one.
    type Bits: Plain;
    /// The 32 bits of each of two sums on their way through shared memory: of f32, or of the integer.
    fn staged(pair: Self::Pair) -> u64;
    /// The value of such bits.
    fn value(bits: u32) -> f32;
    /// Adds two registers of sums.
    fn add(x: u32, y: u32) -> u32;
}
impl Sum for f32 {
    type Pair = u64;
    type Bits = u32;
    #[inline(always)]
    fn staged(pair: u64) -> u64 {
        pair
    }
    #[inline(always)]
    fn value(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    #[inline(always)]
    fn add(x: u32, y: u32) -> u32 {
        (f32::from_bits(x) + f32::from_bits(y)).to_bits()
    }
}
impl Sum for f16 {
    type Pair = u32;
    type Bits = u16;
    #[inline(always)]
    fn staged(pair: u32) -> u64 {
        let (low, high) = (f32_from_f16(pair as u16), f32_from_f16((pair >> 16) as u16));
        u64::from(high.to_bits()) << 32 | u64::from(low.to_bits())
    }
    #[inline(always)]
    fn value(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    #[inline(always)]
    fn add(x: u32, y: u32) -> u32 {
        add_f16x2(x, y)
    }
}
impl Sum for i32 {
    type Pair = u64;
    type Bits = u32;
    #[inline(always)]
    fn staged(pair: u64) -> u64 {
        pair
    }
    #[inline(always)]
    fn value(bits: u32) -> f32 {
        bits as i32 as f32
    }
    #[inline(always)]
    fn add(x: u32, y: u32) -> u32 {
        x.wrapping_add(y)
    }
}

/// A type of inputs as one of outputs.
pub trait Narrow {
    /// Its bits.
    type Bits: Plain;
    /// Rounds to it.
    fn round(value: f32) -> Self::Bits;
    /// Its value.
    fn value(bits: Self::Bits) -> f32;
}
impl Narrow for f16 {
    type Bits = u16;
    #[inline(always)]
    fn round(value: f32) -> u16 {
        f16_from_f32(value)
    }
    #[inline(always)]
    fn value(bits: u16) -> f32 {
        f32_from_f16(bits)
    }
}
impl Narrow for bf16 {
    type Bits = u16;
    #[inline(always)]
    fn round(value: f32) -> u16 {
        bf16_from_f32(value)
    }
    #[inline(always)]
    fn value(bits: u16) -> f32 {
        f32::from_bits(u32::from(bits) << 16)
    }
}
impl Narrow for TFloat32 {
    type Bits = u32;
    #[inline(always)]
    fn round(value: f32) -> u32 {
        value.to_bits()
    }
    #[inline(always)]
    fn value(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
}
impl Narrow for i8 {
    type Bits = u8;
    #[inline(always)]
    fn round(value: f32) -> u8 {
        s8_from_f32(value) as u8
    }
    #[inline(always)]
    fn value(bits: u8) -> f32 {
        f32::from(bits as i8)
    }
}

/// Sums that are rounded two at a time.
pub trait RoundPairs<To>: Sum {
    /// Rounds both, the first to the lower half.
    fn round(pair: Self::Pair) -> u32;
}
impl RoundPairs<f16> for f32 {
    #[inline(always)]
    fn round(pair: u64) -> u32 {
        f16x2_from_f32(
            f32::from_bits(pair as u32),
            f32::from_bits((pair >> 32) as u32),
        )
    }
}
impl RoundPairs<bf16> for f32 {
    #[inline(always)]
    fn round(pair: u64) -> u32 {
        bf16x2_from_f32(
            f32::from_bits(pair as u32),
            f32::from_bits((pair >> 32) as u32),
        )
    }
}
impl RoundPairs<f16> for f16 {
    #[inline(always)]
    fn round(pair: u32) -> u32 {
        pair
    }
}

/// Eight elements side by side: how many of them a copy moves at once.
pub trait EightOf {
    /// What a copy moves.
    type Vector;
    /// `((vector,vectors))`.
    type Values;
}
impl EightOf for u8 {
    type Vector = u64;
    type Values = layout!(((8,1)):((1,0)));
}
impl EightOf for u16 {
    type Vector = u128;
    type Values = layout!(((8,1)):((1,0)));
}
impl EightOf for u32 {
    type Vector = u128;
    type Values = layout!(((4,2)):((1,4)));
}

macro_rules! instruction {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $t:ty as $class:ident),+) -> $out:ty as $out_class:ident, $ptx:literal;)+) => {$(
        $(#[$doc])*
        #[gpu_only]
        #[inline(always)]
        #[must_use]
        pub fn $name($($argument: $t),+) -> $out {
            let result: $out;
            // SAFETY: registers only.
            unsafe {
                asm!($ptx, out($out_class) result, $(in($class) $argument,)+ options(pure, nomem, nostack, preserves_flags));
            }
            result
        }
    )+};
}
instruction! {
    /// The f32 of an f16's bits.
    f32_from_f16(bits: u16 as reg16) -> f32 as reg32, "cvt.f32.f16 {0}, {1};";
    /// An f32 rounded to f16.
    f16_from_f32(value: f32 as reg32) -> u16 as reg16, "cvt.rn.f16.f32 {0}, {1};";
    /// An f32 rounded to bf16 (sm_80 has it for pairs).
    bf16_pair_from_f32(value: f32 as reg32) -> u32 as reg32, "cvt.rn.bf16x2.f32 {0}, 0f00000000, {1};";
    /// An f32 rounded to a byte, clamped.
    s8_from_f32(value: f32 as reg32) -> u32 as reg32, "cvt.rni.sat.s8.f32 {0}, {1};";
    /// An f32 rounded to TF32.
    tf32_from_f32(bits: u32 as reg32) -> u32 as reg32, "cvt.rna.tf32.f32 {0}, {1};";
    /// Two f16 plus two f16.
    add_f16x2(x: u32 as reg32, y: u32 as reg32) -> u32 as reg32, "add.rn.f16x2 {0}, {1}, {2};";
    /// `2^x`, to 2 units in the last place.
    exp2(x: f32 as reg32) -> f32 as reg32, "ex2.approx.ftz.f32 {0}, {1};";
    /// `1 / x`, to a unit in the last place.
    reciprocal(x: f32 as reg32) -> f32 as reg32, "rcp.approx.ftz.f32 {0}, {1};";
}

#[inline(always)]
fn bf16_from_f32(value: f32) -> u16 {
    bf16_pair_from_f32(value) as u16
}

/// GELU in the form with the hyperbolic tangent: `x / (1 + exp(-2 u))`, `u = sqrt(2 / pi) (x + 0.044715 x^3)`.
#[inline(always)]
#[must_use]
pub fn gelu(x: f32) -> f32 {
    // -2 sqrt(2 / pi) / ln 2
    const SCALE: f32 = -2.302_208_2;
    let inner = x + 0.044_715 * x * x * x;
    x * reciprocal(1.0 + exp2(SCALE * inner))
}

/// Adds to a counter in global memory, and gives what it was. What this block wrote before, and others before their
/// additions, is seen after it by whoever sees the sum.
///
/// # Safety
/// `counter` is a word of global memory that is accessed by this function only.
#[gpu_only]
#[inline(always)]
pub unsafe fn count(counter: *mut u32, steps: u32) -> u32 {
    let before: u32;
    // SAFETY: the caller's contract.
    unsafe {
        asm!(
            "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; atom.acq_rel.gpu.global.add.u32 {0}, [g], {2}; }}",
            out(reg32) before, in(reg64) counter, in(reg32) steps,
            options(nostack, preserves_flags)
        );
    }
    before
}

/// The number itself, which the compiler cannot see: a loop of so many turns stays a loop.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn opaque(number: u32) -> u32 {
    let same: u32;
    // SAFETY: registers only.
    unsafe {
        asm!("mov.u32 {0}, {1};", out(reg32) same, in(reg32) number, options(pure, nomem, nostack, preserves_flags));
    }
    same
}

/// This thread's number in its block, asked again: it need not stay in a register until here.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn thread_here() -> u32 {
    let thread: u32;
    // SAFETY: registers only; not `pure`: LLVM would ask once for all.
    unsafe {
        asm!("mov.u32 {0}, %tid.x;", out(reg32) thread, options(nomem, nostack, preserves_flags));
    }
    thread
}
