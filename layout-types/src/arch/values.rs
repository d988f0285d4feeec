//! Instructions on values in registers: conversions, moves, and arithmetic on pairs. Each kind of
//! instruction has a module.
//!
//! ```text
//!   cvt   f32 ─► f16, e4m3, ..      mov   two halves ⇄ one register      add   two sums at once      prmt   bytes of two registers
//! ```

pub mod convert {
    //! `cvt`: f32 to elements of 16 and 8 bits, one or two at a time, and back.
    //!
    //! ```text
    //!   cvt.rn.f16x2.f32 d, high, low      d = [ high | low ]
    //! ```
    //!
    //! Law: each part is the f32 rounded to nearest, ties to even: `half::f16::from_f32`, NaN
    //! payloads aside. 8-bit floats saturate: a number beyond the largest finite number becomes
    //! that number.
    //!
    //! Source: PTX ISA, *Data Movement and Conversion Instructions: cvt*.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(unreachable_code, unused_unsafe, unused_variables)
    )]

    use crate::arch::ptx;

    macro_rules! convert_pair {
        ($(#[$doc:meta])* $name:ident, $ptx:literal) => {
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name(low: f32, high: f32) -> u32 {
                let pair: u32;
                // SAFETY: the instruction accesses only registers.
                unsafe { ptx!($ptx, out(reg32) pair, in(reg32) high, in(reg32) low, options(pure, nomem, nostack, preserves_flags)) };
                pair
            }
        };
    }

    convert_pair!(
        /// Converts two f32 to two f16 in one register, `low` in the lower half
        /// (`cvt.rn.f16x2.f32`, sm_80).
        f16x2_from_f32, "cvt.rn.f16x2.f32 {0}, {1}, {2};");
    convert_pair!(
        /// Converts two f32 to two bf16 in one register, `low` in the lower half
        /// (`cvt.rn.bf16x2.f32`, sm_80).
        bf16x2_from_f32, "cvt.rn.bf16x2.f32 {0}, {1}, {2};");

    macro_rules! convert_one {
        ($(#[$doc:meta])* $name:ident: $from:ty as $from_class:ident => $to:ty as $to_class:ident, $ptx:literal) => {
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name(value: $from) -> $to {
                let result: $to;
                // SAFETY: the instruction accesses only registers.
                unsafe { ptx!($ptx, out($to_class) result, in($from_class) value, options(pure, nomem, nostack, preserves_flags)) };
                result
            }
        };
    }

    convert_one!(
        /// Converts an f16 to f32, exactly (`cvt.f32.f16`).
        f32_from_f16: u16 as reg16 => f32 as reg32, "cvt.f32.f16 {0}, {1};");
    convert_one!(
        /// Converts an f32 to f16 (`cvt.rn.f16.f32`).
        f16_from_f32: f32 as reg32 => u16 as reg16, "cvt.rn.f16.f32 {0}, {1};");
    convert_one!(
        /// Converts an f32 to bf16, the upper half zero. On sm_80 only pairs are converted
        /// (`cvt.rn.bf16x2.f32`).
        bf16_from_f32: f32 as reg32 => u32 as reg32, "cvt.rn.bf16x2.f32 {0}, 0f00000000, {1};");
    convert_one!(
        /// Converts an f32 to TF32, ties away from zero, the lower 13 bits zero
        /// (`cvt.rna.tf32.f32`, sm_80).
        tf32_from_f32: f32 as reg32 => u32 as reg32, "cvt.rna.tf32.f32 {0}, {1};");
    convert_one!(
        /// Converts an f32 to an 8-bit integer, sign-extended, clamped to -128 and 127, and NaN to
        /// 0 (`cvt.rni.sat.s8.f32`).
        s8_from_f32: f32 as reg32 => i32 as reg32, "cvt.rni.sat.s8.f32 {0}, {1};");
    convert_one!(
        /// Converts an f32 to a 32-bit integer, clamped, and NaN to 0 (`cvt.rni.s32.f32`).
        s32_from_f32: f32 as reg32 => i32 as reg32, "cvt.rni.s32.f32 {0}, {1};");

    /// Converts two 32-bit integers to two 8-bit integers in one register, clamped to -128 and 127,
    /// with `low` in the lowest byte and the upper half 0 (`cvt.pack.sat.s8.s32.b32`, sm_72).
    #[inline(always)]
    #[must_use]
    pub fn s8x2_from_s32(low: i32, high: i32) -> u32 {
        let pair: u32;
        // SAFETY: the instruction accesses only registers.
        unsafe {
            ptx!("cvt.pack.sat.s8.s32.b32 {0}, {1}, {2}, 0;", out(reg32) pair, in(reg32) high, in(reg32) low, options(pure, nomem, nostack, preserves_flags))
        };
        pair
    }

    macro_rules! convert_fp8 {
        ($element:literal, $round:ident $ptx_round:literal, $widen:ident $ptx_widen:literal) => {
            #[doc = concat!("Two f32 to two ", $element, " in one register, `low` in the lower byte (`cvt.rn.satfinite.", $element, "x2.f32`, sm_89).")]
            #[inline(always)]
            #[must_use]
            pub fn $round(low: f32, high: f32) -> u16 {
                let pair: u16;
                // SAFETY: the instruction accesses only registers.
                unsafe { ptx!($ptx_round, out(reg16) pair, in(reg32) high, in(reg32) low, options(pure, nomem, nostack, preserves_flags)) };
                pair
            }
            #[doc = concat!("Two ", $element, " to two f16 in one register, exactly (`cvt.rn.f16x2.", $element, "x2`, sm_89).")]
            #[inline(always)]
            #[must_use]
            pub fn $widen(pair: u16) -> u32 {
                let halves: u32;
                // SAFETY: the instruction accesses only registers.
                unsafe { ptx!($ptx_widen, out(reg32) halves, in(reg16) pair, options(pure, nomem, nostack, preserves_flags)) };
                halves
            }
        };
    }
    convert_fp8!("e4m3",
        e4m3x2_from_f32 "cvt.rn.satfinite.e4m3x2.f32 {0}, {1}, {2};",
        f16x2_from_e4m3x2 "cvt.rn.f16x2.e4m3x2 {0}, {1};");
    convert_fp8!("e5m2",
        e5m2x2_from_f32 "cvt.rn.satfinite.e5m2x2.f32 {0}, {1}, {2};",
        f16x2_from_e5m2x2 "cvt.rn.f16x2.e5m2x2 {0}, {1};");
}

pub mod permute {
    //! `prmt` selects four bytes of two registers.
    //!
    //! ```text
    //!   prmt.b32 d, a, b, 0x5410      bytes  b = [7 6 5 4]  a = [3 2 1 0]  ─►  d = [5 4 1 0]
    //! ```
    //!
    //! Law: byte `i` of the result is the byte whose number, below 8, is the selector's hexadecimal
    //! digit `i`.
    //!
    //! Source: PTX ISA, *Data Movement and Conversion Instructions: prmt*.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(unreachable_code, unused_unsafe, unused_variables)
    )]

    use crate::arch::ptx;

    /// Returns four bytes of `low`, numbered from 0, and `high`, numbered from 4 (`prmt.b32`):
    /// CUDA's `__byte_perm`.
    #[inline(always)]
    #[must_use]
    pub fn byte_perm(low: u32, high: u32, selector: u32) -> u32 {
        let bytes: u32;
        // SAFETY: the instruction accesses only registers.
        unsafe {
            ptx!("prmt.b32 {0}, {1}, {2}, {3};", out(reg32) bytes, in(reg32) low, in(reg32) high, in(reg32) selector, options(pure, nomem, nostack, preserves_flags));
        };
        bytes
    }
}

pub mod logic {
    //! `lop3` applies any function of three bits to 32 bits at once.
    //!
    //! ```text
    //!   lop3.b32 d, a, b, c, 0xea      d = (a & b) | c      the table: the function of 0xf0, 0xcc and 0xaa
    //! ```
    //!
    //! Law: bit `i` of the result is the function of bit `i` of the operands.
    //!
    //! Source: PTX ISA, *Logic and Shift Instructions: lop3*.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(unreachable_code, unused_unsafe, unused_variables)
    )]

    use crate::arch::ptx;

    /// Executes `lop3.b32` with the table `TABLE`, which is the function's value for `0xf0`, `0xcc`
    /// and `0xaa`.
    #[inline(always)]
    #[must_use]
    pub fn lop3<const TABLE: u32>(a: u32, b: u32, c: u32) -> u32 {
        let result: u32;
        // SAFETY: the instruction accesses only registers.
        unsafe {
            ptx!("lop3.b32 {0}, {1}, {2}, {3}, {4};", out(reg32) result, in(reg32) a, in(reg32) b, in(reg32) c, const TABLE, options(pure, nomem, nostack, preserves_flags));
        };
        result
    }
}

pub mod mov {
    //! `mov` returns a number that the compiler does not know before the instruction.
    //!
    //! ```text
    //!   let base = here(base);        what is computed from `base` after this call is not moved ahead of it, nor shared
    //! ```
    //!
    //! Law: the result is the number.
    //!
    //! In a kernel whose fragments fill the registers, no register is left for a value that the
    //! compiler would keep across a loop. Such a value is made again where it is needed.
    //!
    //! Source: PTX ISA, *Data Movement and Conversion Instructions: mov*.

    /// A value that a register holds.
    pub trait Number: Copy {
        /// Returns the same value, which the compiler cannot know before this call.
        #[must_use]
        fn here(self) -> Self;
    }
    impl Number for u32 {
        #[inline(always)]
        fn here(self) -> u32 {
            #[cfg(target_arch = "nvptx64")]
            {
                let same: u32;
                // SAFETY: the instruction accesses only registers. It is not `pure`: LLVM would
                // move it out of a loop.
                unsafe {
                    core::arch::asm!("mov.u32 {0}, {1};", out(reg32) same, in(reg32) self, options(nomem, nostack, preserves_flags));
                }
                same
            }
            #[cfg(not(target_arch = "nvptx64"))]
            self
        }
    }
    impl Number for u64 {
        #[inline(always)]
        fn here(self) -> u64 {
            #[cfg(target_arch = "nvptx64")]
            {
                let same: u64;
                // SAFETY: the instruction accesses only registers. It is not `pure`: LLVM would
                // move it out of a loop.
                unsafe {
                    core::arch::asm!("mov.u64 {0}, {1};", out(reg64) same, in(reg64) self, options(nomem, nostack, preserves_flags));
                }
                same
            }
            #[cfg(not(target_arch = "nvptx64"))]
            self
        }
    }
    impl<T> Number for *const T {
        #[inline(always)]
        fn here(self) -> *const T {
            #[cfg(target_arch = "nvptx64")]
            {
                let same: *const T;
                // SAFETY: the instruction accesses only registers. It is not `pure`: LLVM would
                // move it out of a loop.
                unsafe {
                    core::arch::asm!("mov.u64 {0}, {1};", out(reg64) same, in(reg64) self, options(nomem, nostack, preserves_flags));
                }
                same
            }
            #[cfg(not(target_arch = "nvptx64"))]
            self
        }
    }

    /// Returns the same number, unknown to the compiler: a loop with this number of iterations is
    /// not unrolled. The compiler may share and move equal results, but not the results of
    /// [`here`].
    ///
    /// ```
    /// assert_eq!(layout_types::arch::mov::opaque(7), 7);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn opaque(number: u32) -> u32 {
        #[cfg(target_arch = "nvptx64")]
        {
            let same: u32;
            // SAFETY: the instruction accesses only registers.
            unsafe {
                core::arch::asm!("mov.u32 {0}, {1};", out(reg32) same, in(reg32) number, options(pure, nomem, nostack, preserves_flags));
            }
            same
        }
        #[cfg(not(target_arch = "nvptx64"))]
        number
    }

    /// Returns the same number or address, which the compiler cannot know before this call.
    ///
    /// ```
    /// assert_eq!(layout_types::arch::mov::here(7u32), 7);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn here<N: Number>(number: N) -> N {
        number.here()
    }

    /// Reads the thread's x coordinate in its block again. So no register has to hold the
    /// coordinate across a main loop, as one may for `cuda_std::thread::thread_idx_x`.
    #[inline(always)]
    #[must_use]
    pub fn thread_here() -> u32 {
        #[cfg(target_arch = "nvptx64")]
        {
            let thread: u32;
            // SAFETY: the instruction accesses only registers. It is not `pure`, or LLVM would read
            // the index once for all calls.
            unsafe {
                core::arch::asm!("mov.u32 {0}, %tid.x;", out(reg32) thread, options(nomem, nostack, preserves_flags));
            }
            thread
        }
        #[cfg(not(target_arch = "nvptx64"))]
        crate::arch::not_a_gpu()
    }
}

pub mod math {
    //! Sums, products and multiply-adds of two 16-bit floats at once.
    //!
    //! ```text
    //!   fma.rn.f16x2 d, a, b, c      d = [ a.high b.high + c.high | a.low b.low + c.low ]
    //! ```
    //!
    //! Law: each half is rounded once, to nearest, ties to even. The host computes the same, so
    //! that functions made of these instructions, such as the decoding of a weight, are tested
    //! without a GPU:
    //! [`HalfPair`](crate::atom::half_pair::HalfPair).
    //!
    //! Source: PTX ISA, *Half Precision Floating Point Instructions: add, fma*.
    #![cfg_attr(
        not(target_arch = "nvptx64"),
        allow(unreachable_code, unused_unsafe, unused_variables)
    )]

    use crate::arch::ptx;

    macro_rules! pairs {
        ($($(#[$doc:meta])* $name:ident($($operand:ident),+), $ptx:literal;)*) => {$(
            $(#[$doc])*
            #[inline(always)]
            #[must_use]
            pub fn $name($($operand: u32),+) -> u32 {
                let result: u32;
                // SAFETY: the instruction accesses only registers.
                unsafe { ptx!($ptx, out(reg32) result, $(in(reg32) $operand,)+ options(pure, nomem, nostack, preserves_flags)) };
                result
            }
        )*};
    }
    pairs! {
        /// Adds two f16 to two f16 (`add.rn.f16x2`).
        add_f16x2(a, b), "add.rn.f16x2 {0}, {1}, {2};";
        /// Computes `a b + c` of two f16 (`fma.rn.f16x2`).
        fma_f16x2(a, b, c), "fma.rn.f16x2 {0}, {1}, {2}, {3};";
        /// Computes `a b + c` of two bf16 (`fma.rn.bf16x2`, sm_80).
        fma_bf16x2(a, b, c), "fma.rn.bf16x2 {0}, {1}, {2}, {3};";
    }
}
