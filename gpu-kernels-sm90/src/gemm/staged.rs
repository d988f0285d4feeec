//! Stages elements of D in shared memory before they are stored.
//!
//! ```text
//!   f16, bf16    stmatrix ─► (64,64) of 128-byte rows, swizzled ─ TMA ─► D
//!   f32, s32     pairs ───► two of (64,32), swizzled ──────────── TMA ─► D      also D of TF32
//!   s8, fp8      pairs ───► rows of 64 bytes, 80 apart ─ 16 bytes per thread ─► D
//!   D transposed, f16, bf16     stmatrix.trans ─► a warp's columns: 16 elements each, swizzled ─ 16 bytes per lane ─► D
//! ```
//!
//! Law: a thread's values are those of `wgmma`'s accumulator of 64 columns. In shared memory,
//! element (row, column) is at [`place`](StagedD::place).

use super::epilogue::{Chunk, PAIRS};
use crate::warp_group::thread_in_group;
use gpu_kernels::gemm::epilogue::element::{ElementD, RoundPairs};
use half::{bf16, f16};
use layout_types::arch::convert::{e4m3x2_from_f32, e5m2x2_from_f32, s8x2_from_s32};
use layout_types::arch::copy::store_shared_b16;
use layout_types::arch::copy_sm90::{stmatrix_x2_trans, stmatrix_x4, stmatrix_x4_trans};
use layout_types::atom::element::{FloatE4M3, FloatE5M2, TFloat32};
use layout_types::atom::gmma::{LayoutKSw32Atom, LayoutKSw128Atom};
use layout_types::prelude::*;
use layout_types::unroll::unroll;

/// The layout of a consumer group's staged D of 16-bit elements: (M, N, buffers).
pub type SmemHalf = TileToShape<LayoutKSw128Atom<f16>, shape!((64, 64, 2))>;

/// The layout of a warp's staged columns of 16-bit elements, for a tile of D transposed: (N, M).
pub type SmemColumns = TileToShape<LayoutKSw32Atom<f16>, shape!((64, 16))>;

/// Maps (column of a matrix, below, right) of a `stmatrix.trans` to (column, row) of (16, 16).
type TransposedMatrices = layout!((8,2,2):(1,128,8));

/// Maps (row of a matrix, below, right, warp) of a `stmatrix` to (row, column) of (64, 16).
type StoredMatrices = layout!((8,2,2,4):(1,8,512,16));

/// Bytes between rows of staged 8-bit elements: a multiple of 16 that puts eight rows into
/// different banks.
const BYTE_PITCH: u32 = 80;
/// Bytes of one buffer: 64 rows of 128 bytes.
pub const BUFFER_BYTES: u32 = 64 * 128;
/// Buffers of a consumer group. More buffers were not faster, and would cost a stage.
pub const BUFFERS: u32 = 2;
/// Bytes of a consumer group's staged D.
pub const STAGED_BYTES: u32 = BUFFERS * BUFFER_BYTES;

/// The type of D's elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TypeOfD {
    /// The type of the inputs.
    Same,
    /// bf16, if the inputs are 8-bit floats.
    Bf16,
    /// A 32-bit type.
    Wide,
}

/// An element type of D that is an input type.
pub trait StagedD: ElementD + 'static {
    /// Whether elements of D always have 32 bits.
    const ALWAYS_WIDE: bool = false;
    /// Whether D can also be bf16.
    const OR_BF16: bool = false;
    /// Whether D is stored by the group's threads, 16 bytes each, and not by TMA.
    const BY_THREADS: bool = false;
    /// Whether columns of a tile of D transposed can be staged, because elements have 16 bits.
    const STAGES_COLUMNS: bool = false;

    /// Stages a thread's values of 64 rows and 64 columns in buffer `buffer`, 0 or 1, of the
    /// group's buffers at `staged`. Each warp stages its 16 rows.
    ///
    /// # Safety
    /// All lanes of a warp execute it. Nothing else accesses the warp's rows of the buffer before
    /// the warp's next barrier.
    unsafe fn stage(values: &[[f32; 2]; PAIRS], staged: u32, buffer: u32);

    /// Stages integer accumulators as [`stage`](Self::stage) stages floats. The values are the bits
    /// of the integers, which are clamped to the element's range.
    ///
    /// # Safety
    /// The conditions are those of [`stage`](Self::stage), and the elements are integers.
    #[inline(always)]
    unsafe fn stage_integers(_values: &[[f32; 2]; PAIRS], _staged: u32, _buffer: u32) {}

    /// Stages a warp's 16 rows and `columns` columns, where `columns` is a multiple of 8, as
    /// columns of 32 bytes from `staged` on.
    ///
    /// # Safety
    /// The conditions are those of [`stage`](Self::stage), and
    /// [`STAGES_COLUMNS`](Self::STAGES_COLUMNS) is true.
    #[inline(always)]
    unsafe fn stage_columns(_values: &[[f32; 2]; PAIRS], _staged: u32, _columns: usize) {}

    /// Returns the offset of a staged element in bytes.
    fn place(row: u32, column: u32, buffer: u32) -> u32;
}

/// Stages 16-bit elements as [`StagedD::stage`] says.
///
/// # Safety
/// The conditions are those of [`StagedD::stage`].
#[inline(always)]
pub(super) unsafe fn stage_halves<D>(values: &[[f32; 2]; PAIRS], staged: u32, buffer: u32)
where
    f32: RoundPairs<D>,
{
    let thread = thread_in_group();
    let lane: u32 = StoredMatrices::at(thread);
    unroll::<{ PAIRS / 4 }>(|four| {
        let at: u32 = SmemHalf::at((lane % 64, lane / 64 + 16 * four as u32, buffer));
        let halves = [0, 1, 2, 3].map(|i| {
            let [low, high] = values[4 * four + i];
            <f32 as RoundPairs<D>>::round(
                u64::from(high.to_bits()) << 32 | u64::from(low.to_bits()),
            )
        });
        // SAFETY: whole warps are here. By their layout the matrices' rows are in the buffer.
        unsafe { stmatrix_x4(staged + 2 * at, halves) };
    });
}

/// Stages columns of 16-bit elements as [`StagedD::stage_columns`] says.
///
/// # Safety
/// The conditions are those of [`StagedD::stage_columns`].
#[inline(always)]
unsafe fn stage_columns_of_halves<D>(values: &[[f32; 2]; PAIRS], staged: u32, columns: usize)
where
    f32: RoundPairs<D>,
{
    let lane: u32 = TransposedMatrices::at(thread_in_group() % 32);
    let round = |pair: usize| {
        let [low, high] = values[pair];
        <f32 as RoundPairs<D>>::round(u64::from(high.to_bits()) << 32 | u64::from(low.to_bits()))
    };
    unroll::<{ PAIRS / 4 }>(|four| {
        let at: u32 = SmemColumns::at((lane % 16 + 16 * four as u32, lane / 16));
        let first = 4 * four;
        // SAFETY: whole warps are here. By their layout the matrices' columns are in the buffer;
        // with two matrices only lanes 0 to 15 have addresses.
        unsafe {
            if 16 * four + 16 <= columns {
                stmatrix_x4_trans(staged + 2 * at, [0, 1, 2, 3].map(|i| round(first + i)));
            } else if 16 * four + 8 <= columns {
                stmatrix_x2_trans(staged + 2 * at, [0, 1].map(|i| round(first + i)));
            }
        }
    });
}

macro_rules! halves {
    ($($ty:ty)*) => {$(
        impl StagedD for $ty {
            const STAGES_COLUMNS: bool = true;
            #[inline(always)]
            unsafe fn stage_columns(values: &[[f32; 2]; PAIRS], staged: u32, columns: usize) {
                // SAFETY: the caller brings all lanes of a warp, and nothing else accesses its
                // columns until its next barrier.
                unsafe { stage_columns_of_halves::<$ty>(values, staged, columns) }
            }
            #[inline(always)]
            unsafe fn stage(values: &[[f32; 2]; PAIRS], staged: u32, buffer: u32) {
                // SAFETY: the caller brings all lanes of a warp, and nothing else accesses its rows
                // of the buffer until its next barrier.
                unsafe { stage_halves::<$ty>(values, staged, buffer) }
            }
            #[inline(always)]
            fn place(row: u32, column: u32, buffer: u32) -> u32 {
                2 * SmemHalf::at((row, column, buffer))
            }
        }
    )*};
}
halves!(f16 bf16);

impl StagedD for TFloat32 {
    const ALWAYS_WIDE: bool = true;
    #[inline(always)]
    unsafe fn stage(_: &[[f32; 2]; PAIRS], _: u32, _: u32) {}
    #[inline(always)]
    fn place(_: u32, _: u32, _: u32) -> u32 {
        0
    }
}

/// Stages elements of a byte as [`StagedD::stage`] says. `round` returns two elements.
///
/// # Safety
/// The conditions are those of [`StagedD::stage`].
#[inline(always)]
unsafe fn stage_bytes(
    values: &[[f32; 2]; PAIRS],
    staged: u32,
    buffer: u32,
    round: impl Fn(f32, f32) -> u16,
) {
    let place: u32 = Chunk::at((thread_in_group(), 0u32));
    unroll::<PAIRS>(|pair| {
        let (row, column) = (
            place % 64 + 8 * (pair as u32 % 2),
            place / 64 + 8 * (pair as u32 / 2),
        );
        let [low, high] = values[pair];
        let at = staged + place_of_byte(row, column, buffer);
        // SAFETY: the pair's place is in the buffer, and only this thread writes it.
        unsafe { store_shared_b16(at, round(low, high)) };
    });
}

/// Returns the place of an element of a byte, as [`StagedD::place`] says.
#[inline(always)]
fn place_of_byte(row: u32, column: u32, buffer: u32) -> u32 {
    buffer * BUFFER_BYTES + row * BYTE_PITCH + column
}

macro_rules! bytes {
    ($($ty:ty, or_bf16 $or_bf16:literal, $round:expr $(, integers $integers:expr)?;)*) => {$(
        impl StagedD for $ty {
            const BY_THREADS: bool = true;
            const OR_BF16: bool = $or_bf16;
            #[inline(always)]
            unsafe fn stage(values: &[[f32; 2]; PAIRS], staged: u32, buffer: u32) {
                // SAFETY: the caller brings all lanes of a warp, and nothing else accesses its rows
                // of the buffer until its next barrier.
                unsafe { stage_bytes(values, staged, buffer, $round) }
            }
            $(
                #[inline(always)]
                unsafe fn stage_integers(values: &[[f32; 2]; PAIRS], staged: u32, buffer: u32) {
                    // SAFETY: the caller brings all lanes of a warp, and nothing else accesses its
                    // rows of the buffer until its next barrier.
                    unsafe { stage_bytes(values, staged, buffer, $integers) }
                }
            )?
            #[inline(always)]
            fn place(row: u32, column: u32, buffer: u32) -> u32 {
                place_of_byte(row, column, buffer)
            }
        }
    )*};
}
bytes! {
    i8, or_bf16 false, |low, high| {
        let [low, high] = [low, high].map(|value| u16::from(<i8 as ElementD>::round(value)));
        low | high << 8
    }, integers |low, high| {
        s8x2_from_s32(low.to_bits() as i32, high.to_bits() as i32) as u16
    };
    FloatE4M3, or_bf16 true, e4m3x2_from_f32;
    FloatE5M2, or_bf16 true, e5m2x2_from_f32;
}
