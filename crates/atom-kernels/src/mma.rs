//! A kernel for each MMA atom: `D = A B + C` of one warp.
//!
//! ```text
//!   lane ─ThrId─► (place, group)     A[group] (M,K), B[group] (N,K), C[group], D[group] (M,N), column-major
//!   (place, value) ─ALayout─► index into A[group] ─► bits of a register
//! ```
//!
//! Law: `D[g](m, n) = sum over k of A[g](m, k) B[g](n, k) + C[g](m, n)` in the atom's arithmetic,
//! for each group of threads of a warp: one group of 32 lanes, four groups of 8 lanes for SM70, 32
//! groups of one lane for `UniversalFma`.
//!
//! Elements of less than a byte take one byte each in global memory, in its low bits.

use cuda_std::kernel;
use cuda_std::thread::thread_idx_x;
use layout_types::atom::mma::{self, MmaAtom, MmaOp, UniversalFma};
use layout_types::atom::{Element, RegisterArray};
use layout_types::prelude::*;
use layout_types::typenum::{U32, Unsigned};

/// The largest number of 32-bit words that an operand of one thread has: A of SM90's 16x8x16 in
/// f64.
const WORDS: usize = 16;

/// Returns the number of bytes that an element takes in the kernels' matrices.
const fn bytes(bits: usize) -> usize {
    bits.div_ceil(8)
}

/// Reads the element at `index`.
///
/// # Safety
/// The element has `bits` bits and takes at least a byte; it lies in readable memory that is
/// initialised and aligned.
#[inline(always)]
unsafe fn get(base: *const u8, index: usize, bits: usize) -> u64 {
    // SAFETY: the caller guarantees a readable, aligned element of `bits` bits at `index`, which
    // takes at least a byte; the arms read no more than that.
    unsafe {
        let at = base.add(index * bytes(bits));
        match bits {
            64 => at.cast::<u64>().read(),
            32 => u64::from(at.cast::<u32>().read()),
            16 => u64::from(at.cast::<u16>().read()),
            _ => u64::from(at.read()) & ((1 << bits) - 1),
        }
    }
}

/// Writes the element at `index`.
///
/// # Safety
/// The element has `bits` bits and takes at least a byte; it lies in writable, aligned memory that
/// only this thread accesses.
#[inline(always)]
unsafe fn put(base: *mut u8, index: usize, bits: usize, value: u64) {
    // SAFETY: the caller guarantees a writable, aligned element of `bits` bits at `index`, which
    // takes at least a byte; the arms write no more than that.
    unsafe {
        let at = base.add(index * bytes(bits));
        match bits {
            64 => at.cast::<u64>().write(value),
            32 => at.cast::<u32>().write(value as u32),
            16 => at.cast::<u16>().write(value as u16),
            _ => at.write(value as u8),
        }
    }
}

/// Gathers a thread's registers of an operand: its values by the layout, packed in order.
///
/// # Safety
/// `matrix` holds the layout's elements.
#[inline(always)]
unsafe fn gather<Layout: LayoutFn, T: Element, Registers: RegisterArray>(
    matrix: *const u8,
    threads: usize,
    place: usize,
) -> Registers {
    let bits = T::Bits::USIZE;
    let mut words = [0u32; WORDS];
    unroll::<WORDS>(|word| {
        if 32 * word < Registers::BITS {
            let mut packed = 0u64;
            let mut bit = 0;
            while bit < 32 {
                let value = (32 * word + bit) / bits;
                // SAFETY: (place, value) is in the layout's domain, and the caller has all of the
                // layout's elements in `matrix`.
                let element = unsafe { get(matrix, Layout::index(place + threads * value), bits) };
                packed |= (element >> ((32 * word) % bits)) << bit;
                bit += bits;
            }
            words[word] = packed as u32;
        }
    });
    // SAFETY: the words have at least as many bits as the registers.
    unsafe { Registers::read(words.as_ptr()) }
}

/// Stores every value of a thread at its place in the matrix, as the inverse of [`gather`].
///
/// # Safety
/// `matrix` has space for the layout's elements, each written by one thread.
#[inline(always)]
unsafe fn scatter<Layout: LayoutFn, T: Element, Registers: RegisterArray>(
    matrix: *mut u8,
    threads: usize,
    place: usize,
    registers: Registers,
) {
    let bits = T::Bits::USIZE;
    let mut words = [0u32; WORDS];
    // SAFETY: the words have at least as many bits as the registers.
    unsafe { registers.write(words.as_mut_ptr()) };
    // 64-bit values are two words, 16-bit values half a word.
    unroll::<WORDS>(|value| {
        if value * bits < Registers::BITS {
            let word = value * bits / 32;
            let mut element = u64::from(words[word]) >> (value * bits % 32);
            if bits == 64 {
                element |= u64::from(words[(word + 1) % WORDS]) << 32;
            }
            // SAFETY: (place, value) is in the layout's domain, for which the caller has space;
            // only this thread accesses its element.
            unsafe {
                put(
                    matrix,
                    Layout::index(place + threads * value),
                    bits,
                    element,
                )
            };
        }
    });
}

/// Computes `D = A B + C` for the thread's group: the body of every kernel of this file.
///
/// # Safety
/// One whole warp executes it. Each pointer is the address of aligned matrices, one for each of the
/// warp's groups; the matrices of D are writable.
#[inline(always)]
unsafe fn one<Op>(d: *mut u8, a: *const u8, b: *const u8, c: *const u8)
where
    Op: MmaOp,
    Op::ThrId: Complementable<U32>,
{
    type Groups<Op> = <<Op as MmaAtom>::ThrId as Complementable<U32>>::Output;
    let lane = thread_idx_x() as usize;
    let threads = Op::ThrId::SIZE;
    let (mut place, mut group) = (0, 0);
    unroll::<32>(|i| {
        let (t, g) = (i % threads, i / threads);
        if Op::ThrId::index(t) + Groups::<Op>::index(g) == lane {
            (place, group) = (t, g);
        }
    });
    let at = |size: usize, bits: usize| group * size * bytes(bits);
    let (bits_a, bits_b) = (
        <Op::ValTypeA as Element>::Bits::USIZE,
        <Op::ValTypeB as Element>::Bits::USIZE,
    );
    let (bits_c, bits_d) = (
        <Op::ValTypeC as Element>::Bits::USIZE,
        <Op::ValTypeD as Element>::Bits::USIZE,
    );
    // SAFETY: the caller guarantees one whole warp, and a matrix of each operand for each of its
    // groups; `at` gives the matrix of this thread's group. In D no other thread has its (place,
    // value).
    unsafe {
        let a = gather::<Op::ALayout, Op::ValTypeA, Op::ARegisters>(
            a.add(at(Op::ALayout::SIZE, bits_a)),
            threads,
            place,
        );
        let b = gather::<Op::BLayout, Op::ValTypeB, Op::BRegisters>(
            b.add(at(Op::BLayout::SIZE, bits_b)),
            threads,
            place,
        );
        let mut sums = gather::<Op::CLayout, Op::ValTypeC, Op::DRegisters>(
            c.add(at(Op::CLayout::SIZE, bits_c)),
            threads,
            place,
        );
        Op::fma_assign(&mut sums, &a, &b);
        scatter::<Op::CLayout, Op::ValTypeD, Op::DRegisters>(
            d.add(at(Op::CLayout::SIZE, bits_d)),
            threads,
            place,
            sums,
        );
    }
}

macro_rules! kernels {
    ($($name:ident = $op:ty;)*) => {$(
        /// Computes `D = A B + C` by the atom with this name.
        ///
        /// # Safety
        /// One warp executes it. D, A, B and C are matrices in global memory in the format that the
        /// file's documentation states.
        #[allow(non_snake_case)]
        #[kernel]
        pub unsafe fn $name(d: *mut u8, a: *const u8, b: *const u8, c: *const u8) {
            // SAFETY: the caller guarantees one warp; the four matrices lie in global memory in the
            // format that the file's documentation states.
            unsafe { one::<$op>(d, a, b, c) }
        }
    )*};
}

macro_rules! atoms {
    ($($name:ident)*) => { kernels! { $($name = mma::$name;)* } };
}

kernels! {
    universal_fma_f64 = UniversalFma<f64>;
    universal_fma_f32 = UniversalFma<f32>;
    universal_fma_f16 = UniversalFma<half::f16>;
    universal_fma_bf16 = UniversalFma<half::bf16>;
    universal_fma_i32 = UniversalFma<i32>;
    universal_fma_i32_i8 = UniversalFma<i32, i8, i8, i32>;
}

atoms! {
    Sm70_8x8x4_F16F16F16F16_TN
    Sm70_8x8x4_F16F16F16F16_NT
    Sm70_8x8x4_F16F16F16F16_NN
    Sm70_8x8x4_F16F16F16F16_TT
    Sm70_8x8x4_F32F16F16F32_TN
    Sm70_8x8x4_F32F16F16F32_NT
    Sm70_8x8x4_F32F16F16F32_NN
    Sm70_8x8x4_F32F16F16F32_TT
}

atoms! {
    Sm75_16x8x8_F32F16F16F32_TN
    Sm75_8x8x16_S32S8S8S32_TN
}

atoms! {
    Sm80_16x8x8_F16F16F16F16_TN
    Sm80_16x8x16_F16F16F16F16_TN
    Sm80_16x8x8_F32F16F16F32_TN
    Sm80_16x8x16_F32F16F16F32_TN
    Sm80_16x8x8_F32BF16BF16F32_TN
    Sm80_16x8x16_F32BF16BF16F32_TN
    Sm80_16x8x4_F32TF32TF32F32_TN
    Sm80_16x8x8_F32TF32TF32F32_TN
    Sm80_8x8x4_F64F64F64F64_TN
    Sm80_8x8x16_S32S8S8S32_TN
    Sm80_8x8x16_S32S8S8S32_TN_SATURATE
    Sm80_16x8x16_S32S8S8S32_TN
    Sm80_16x8x16_S32S8S8S32_TN_SATURATE
    Sm80_16x8x32_S32S8S8S32_TN
    Sm80_16x8x32_S32S8S8S32_TN_SATURATE
    Sm80_8x8x16_S32S8U8S32_TN
    Sm80_8x8x16_S32S8U8S32_TN_SATURATE
    Sm80_16x8x16_S32S8U8S32_TN
    Sm80_16x8x16_S32S8U8S32_TN_SATURATE
    Sm80_16x8x32_S32S8U8S32_TN
    Sm80_16x8x32_S32S8U8S32_TN_SATURATE
    Sm80_8x8x16_S32U8S8S32_TN
    Sm80_8x8x16_S32U8S8S32_TN_SATURATE
    Sm80_16x8x16_S32U8S8S32_TN
    Sm80_16x8x16_S32U8S8S32_TN_SATURATE
    Sm80_16x8x32_S32U8S8S32_TN
    Sm80_16x8x32_S32U8S8S32_TN_SATURATE
    Sm80_8x8x16_S32U8U8S32_TN
    Sm80_8x8x16_S32U8U8S32_TN_SATURATE
    Sm80_16x8x16_S32U8U8S32_TN
    Sm80_16x8x16_S32U8U8S32_TN_SATURATE
    Sm80_16x8x32_S32U8U8S32_TN
    Sm80_16x8x32_S32U8U8S32_TN_SATURATE
    Sm80_8x8x32_S32S4S4S32_TN
    Sm80_8x8x32_S32S4S4S32_TN_SATURATE
    Sm80_16x8x32_S32S4S4S32_TN
    Sm80_16x8x32_S32S4S4S32_TN_SATURATE
    Sm80_16x8x64_S32S4S4S32_TN
    Sm80_16x8x64_S32S4S4S32_TN_SATURATE
    Sm80_8x8x32_S32S4U4S32_TN
    Sm80_8x8x32_S32S4U4S32_TN_SATURATE
    Sm80_16x8x32_S32S4U4S32_TN
    Sm80_16x8x32_S32S4U4S32_TN_SATURATE
    Sm80_16x8x64_S32S4U4S32_TN
    Sm80_16x8x64_S32S4U4S32_TN_SATURATE
    Sm80_8x8x32_S32U4S4S32_TN
    Sm80_8x8x32_S32U4S4S32_TN_SATURATE
    Sm80_16x8x32_S32U4S4S32_TN
    Sm80_16x8x32_S32U4S4S32_TN_SATURATE
    Sm80_16x8x64_S32U4S4S32_TN
    Sm80_16x8x64_S32U4S4S32_TN_SATURATE
    Sm80_8x8x32_S32U4U4S32_TN
    Sm80_8x8x32_S32U4U4S32_TN_SATURATE
    Sm80_16x8x32_S32U4U4S32_TN
    Sm80_16x8x32_S32U4U4S32_TN_SATURATE
    Sm80_16x8x64_S32U4U4S32_TN
    Sm80_16x8x64_S32U4U4S32_TN_SATURATE
    Sm80_8x8x128_S32U1U1S32_TN_XORPOPC
    Sm80_16x8x128_S32U1U1S32_TN_XORPOPC
    Sm80_16x8x256_S32U1U1S32_TN_XORPOPC
    Sm80_8x8x128_S32U1U1S32_TN_ANDPOPC
    Sm80_16x8x128_S32U1U1S32_TN_ANDPOPC
    Sm80_16x8x256_S32U1U1S32_TN_ANDPOPC
}

#[cfg(any(target_feature = "sm_89", not(target_arch = "nvptx64")))]
atoms! {
    Sm89_16x8x32_F32E4M3E4M3F32_TN
    Sm89_16x8x32_F32E4M3E5M2F32_TN
    Sm89_16x8x32_F32E5M2E4M3F32_TN
    Sm89_16x8x32_F32E5M2E5M2F32_TN
    Sm89_16x8x32_F16E4M3E4M3F16_TN
    Sm89_16x8x32_F16E4M3E5M2F16_TN
    Sm89_16x8x32_F16E5M2E4M3F16_TN
    Sm89_16x8x32_F16E5M2E5M2F16_TN
}

#[cfg(any(target_feature = "sm_90", not(target_arch = "nvptx64")))]
atoms! {
    Sm90_16x8x4_F64F64F64F64_TN
    Sm90_16x8x8_F64F64F64F64_TN
    Sm90_16x8x16_F64F64F64F64_TN
}
