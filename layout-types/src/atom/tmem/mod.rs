//! Blackwell's tensor memory as a memory of layouts: 128 lanes of 512 columns of 32 bits.
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
//! Law: a layout of tensor memory has offsets in elements of its type. Neighbours in a lane are 1
//! apart, packed where they have fewer than 32 bits; a lane is [`LaneStride`] elements behind the
//! lane before, which is 2^16 words. So a layout that CuTe makes for `tmem_ptr<T>` is the same
//! here, number for number.
//!
//! - [`fragment`]: where `tcgen05.mma` keeps its accumulator, and A where it reads A from here.
//! - [`scales`]: where it reads scale factors, and how they lie in shared memory before.
//! - [`allocation`]: columns as a resource with a type.
//!
//! No card has run any of it: layouts are CUTLASS's and the PTX ISA's, and the emulator executes
//! them.
//!
//! Source: PTX ISA, *tcgen05: Tensor Memory*; CuTe `cute/arch/tmem_allocator_sm100.hpp`
//! (`TMEM::DP`, `MAX_CAPACITY_BITS`).

pub mod allocation;
pub mod fragment;
pub mod scales;

use super::Element;
use crate::num::Nat;
use typenum::{U32, U65536};

/// Elements of type `T` from a lane to the next, CuTe's `TMEM::DP<T>`: 2^16 words of 32 bits.
///
/// ```
/// use layout_types::{atom::tmem::LaneStride, typenum::Unsigned};
/// assert_eq!((LaneStride::<f32>::U32, LaneStride::<half::f16>::U32), (65536, 131072));
/// ```
#[doc(alias = "DP")]
pub type LaneStride<T> = <U65536 as Nat>::Times<PerColumn<T>>;

/// Elements of type `T` in a column's 32 bits.
pub type PerColumn<T> = <U32 as Nat>::Over<<T as Element>::Bits>;
