//! Layouts of Blackwell's tensor memory: 128 lanes of 512 columns of 32 bits.
//!
//! ```text
//!   address   lane << 16 | column            Tensor<Tmem<f32>, layout!((128,256):(65536,1))>
//!
//!              column 0   1   2  ..  511      the accumulator of a 128 x 256 product:
//!   lane 0          D00 D01 D02  ..           row m in lane m, column n in column n
//!   lane 1          D10 D11 D12  ..
//!   ..
//!   lane 127
//! ```
//!
//! Law: a layout of tensor memory has offsets in elements of its type. Neighbouring elements of a
//! lane are 1 apart; elements of fewer than 32 bits share a column. Two neighbouring lanes are
//! [`LaneStride`] elements, or 2^16 words, apart. CuTe's layouts for `tmem_ptr<T>` have the same
//! shapes and strides.
//!
//! - [`fragment`]: the layouts of accumulators of `tcgen05.mma`, and of A in tensor memory.
//! - [`scales`]: the layouts of scale factors, here and in shared memory.
//! - [`allocation`]: columns as a resource with a type.
//!
//! No GPU has run any of this. The layouts follow CUTLASS and the PTX ISA, and the emulator
//! executes them.
//!
//! Source: PTX ISA, *tcgen05: Tensor Memory*; CuTe `cute/arch/tmem_allocator_sm100.hpp`
//! (`TMEM::DP`, `MAX_CAPACITY_BITS`).

pub mod allocation;
pub mod fragment;
pub mod scales;

use super::Element;
use crate::num::Nat;
use typenum::{U32, U65536};

/// The distance from one lane to the next, in elements of type `T`: 2^16 words of 32 bits, CuTe's
/// `TMEM::DP<T>`.
///
/// ```
/// use layout_types::{atom::tmem::LaneStride, typenum::Unsigned};
/// assert_eq!((LaneStride::<f32>::U32, LaneStride::<half::f16>::U32), (65536, 131072));
/// ```
#[doc(alias = "DP")]
pub type LaneStride<T> = <U65536 as Nat>::Times<PerColumn<T>>;

/// The number of elements of type `T` in a column of 32 bits.
pub type PerColumn<T> = <U32 as Nat>::Over<<T as Element>::Bits>;
