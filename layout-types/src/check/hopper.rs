//! Checks limits of a Hopper kernel's configuration: registers, shared memory and multicast. Also
//! checks that a fragment needs no shuffle.
//!
//! ```text
//!   128 (40 + 232 + 232) = 64512 of 65536 registers        4 (16384 + 32768) + 64 of 232448 bytes
//! ```
//!
//! Law: each limit is that of the hardware of compute capability 9.0.
//!
//! Source: CUDA C++ Programming Guide, *Technical Specifications per Compute Capability*; PTX ISA,
//! *setmaxnreg*, *cp.async.bulk*, *wgmma: Register Fragments*.

use super::admissible::Verdict;
use super::chooser::Function;
use super::text::Text;
use super::text::sentence;
use super::value::Value;

/// The number of registers of a multiprocessor.
pub const REGISTERS: i64 = 65536;
/// The largest number of bytes of shared memory of a block.
pub const SHARED_BYTES: i64 = 232_448;

/// Checks that warp groups fit in a multiprocessor; each entry is the registers per thread of a
/// group of 128 threads.
///
/// # Errors
/// Returns the sentence that names the count or the sum.
///
/// ```
/// use layout_types::check::register_budget;
/// assert!(register_budget(&[40, 232, 232]).is_ok());
/// let refused = register_budget(&[40, 240, 240]).unwrap_err();
/// assert_eq!(refused.as_str(), "the warp groups take 128 x (40 + 240 + 240) = 66560 registers: a multiprocessor has 65536");
/// ```
pub const fn register_budget(groups: &[i64]) -> Verdict {
    let mut text = Text::new();
    let (mut sum, mut i) = (0, 0);
    while i < groups.len() {
        if groups[i] < 24 || groups[i] > 256 || groups[i] % 8 != 0 {
            text.say("a warp group of ").number(groups[i]);
            return Err(
                *text.say(" registers a thread: `setmaxnreg` takes 24 to 256 in steps of 8")
            );
        }
        sum += groups[i];
        i += 1;
    }
    if 128 * sum <= REGISTERS {
        return Ok(());
    }
    text.say("the warp groups take 128 x (");
    let mut i = 0;
    while i < groups.len() {
        text.say(if i > 0 { " + " } else { "" }).number(groups[i]);
        i += 1;
    }
    Err(*text
        .say(") = ")
        .number(128 * sum)
        .say(" registers: a multiprocessor has 65536"))
}

/// Checks that a block may have `bytes` bytes of shared memory.
///
/// # Errors
/// Returns the sentence that names both numbers.
pub const fn shared_memory(bytes: i64) -> Verdict {
    if bytes >= 0 && bytes <= SHARED_BYTES {
        return Ok(());
    }
    let mut text = Text::new();
    text.number(bytes)
        .say(" bytes of shared memory: a block has at most ");
    Err(*text.number(SHARED_BYTES))
}

/// Checks that the tile which a tensor copy writes is the tile that is read there: with the same
/// shape, stride and swizzle.
///
/// # Errors
/// Returns the sentence that shows both tiles.
///
/// ```
/// use layout_types::{atom::gmma::*, check::{Reflect, same_tile}, prelude::*};
/// type Written = TileToShape<LayoutKSw64Atom<half::f16>, shape!((128,64))>;
/// type Read = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64))>;
/// let refused = same_tile(&Written::VALUE, &Read::VALUE).unwrap_err();
/// assert_eq!(refused.as_str(), "the copy writes a tile Sw<2,3,3> o 0 o ((8,16),(32,2)):((32,256),(1,4096)), \
///     and the tensor there is Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))");
/// ```
pub const fn same_tile(written: &Value, read: &Value) -> Verdict {
    if written.same(read) {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("the copy writes a tile ")
        .text(&written.notation());
    Err(*text
        .say(", and the tensor there is ")
        .text(&read.notation()))
}

/// Checks that a tile of `tile` stages fits a pipeline of `pipeline` stages.
///
/// # Errors
/// Returns the sentence that names both numbers.
///
/// ```
/// let refused = layout_types::check::stages(3, 4).unwrap_err();
/// assert_eq!(refused.as_str(), "a tile of 3 stages in shared memory, and a pipeline of 4");
/// ```
pub const fn stages(tile: i64, pipeline: i64) -> Verdict {
    if tile == pipeline {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("a tile of ").number(tile);
    text.say(" stages in shared memory, and a pipeline of ");
    Err(*text.number(pipeline))
}

/// Checks that a multicast to the blocks whose bits are set in `mask` stays in a cluster of
/// `blocks` blocks.
///
/// # Errors
/// Returns the sentence that names the first block outside of the cluster.
pub const fn multicast(mask: u16, blocks: u32) -> Verdict {
    let last = 15 - mask.leading_zeros() as i64;
    if mask != 0 && last < blocks as i64 {
        return Ok(());
    }
    let mut text = Text::new();
    if mask == 0 {
        return Err(*text.say("a multicast to no block"));
    }
    text.say("a multicast to block ")
        .number(last)
        .say(" of a cluster of ");
    Err(*text
        .number(blocks as i64)
        .say(" blocks, 0 to ")
        .number(blocks as i64 - 1))
}

/// Checks that a bulk copy can transfer a tile of elements of `bits` bits: all of its `cosize`
/// places are elements, and they are whole units of 16 bytes.
///
/// # Errors
/// Returns the sentence that shows the tile and its places, or its bytes.
///
/// ```
/// use layout_types::{check::{Reflect, bulk_copy}, prelude::*};
/// assert!(bulk_copy(&<layout!((64,8):(8,1))>::VALUE, 512, 16).is_ok());
/// let refused = bulk_copy(&<layout!((64,8):(16,1))>::VALUE, 1016, 16).unwrap_err();
/// assert_eq!(refused.as_str(), "a bulk copy takes a compact tile: (64,8):(16,1) has 512 elements in 1016 places");
/// ```
///
/// Source: PTX ISA, *cp.async.bulk*.
pub const fn bulk_copy(tile: &Value, cosize: i64, bits: i64) -> Verdict {
    let mut text = Text::new();
    let Ok(size) = tile.size() else {
        return Err(*text.say("a size does not fit"));
    };
    if size != cosize {
        text.say("a bulk copy takes a compact tile: ")
            .text(&tile.notation())
            .say(" has ")
            .number(size);
        return Err(*text.say(" elements in ").number(cosize).say(" places"));
    }
    if size * bits % 128 != 0 {
        text.say("a bulk copy takes a multiple of 16 bytes: ")
            .text(&tile.notation())
            .say(" of ")
            .number(bits);
        return Err(*text.say("-bit elements has ").number(size * bits / 8));
    }
    Ok(())
}

/// Checks that a thread's accumulator of (M, N), with `rows` rows, is in order its operand A of (M,
/// K), so that values of C become values of A by renaming only: the first values of C are A's
/// values of the first K columns, and so on.
///
/// # Errors
/// Returns the sentence that names the first value that another thread would need.
///
/// ```
/// use layout_types::{atom::mma::*, check::{Reflect, retile_c_to_a}};
/// type C = <Sm90_64x128x16_F32F16F16_SS as MmaAtom>::CLayout;
/// type A16 = <Sm90_64x128x16_F32F16F16_RS as MmaAtom>::ALayout;
/// type A8 = <Sm90_64x128x32_F32E4M3E4M3_RS_TN as MmaAtom>::ALayout;
/// assert!(retile_c_to_a(&C::VALUE, &A16::VALUE, 64).is_ok());
/// // Of 8-bit elements a thread holds four neighbours, of sums two: values have to be exchanged.
/// let refused = retile_c_to_a(&C::VALUE, &A8::VALUE, 64).unwrap_err();
/// assert!(refused.as_str().ends_with("thread 0, value 2 is (8,0) of C and (0,2) of A"));
/// ```
pub const fn retile_c_to_a(c: &Value, a: &Value, rows: i64) -> Verdict {
    renamed(c, a, rows, None)
}

/// Checks that a thread's accumulator of (M, N), with `rows` rows, is its operand A of (M, K) in
/// another order of C's values: A's value `i` is C's value `values(i)`, and A's column `k` is C's
/// column `columns(k)`. Then the other operand of A's product must have its rows in the order of
/// `columns`.
///
/// # Errors
/// Returns the sentence that names the first value that another thread would need.
///
/// ```
/// use layout_types::{atom::mma::*, check::{Reflect, retile_c_to_a_permuted}, layout};
/// type C = <Sm90_64x128x32_F32E4M3E4M3_SS_TN as MmaAtom>::CLayout;
/// type A = <Sm90_64x128x32_F32E4M3E4M3_RS_TN as MmaAtom>::ALayout;
/// // Of 16 columns a thread holds two, and two eight further on: as operand A of 8 bits they are four neighbours.
/// type Values = layout!((2,2,2,8):(1,4,2,8));
/// type Columns = layout!((2,2,4,8):(1,8,2,16));
/// assert!(retile_c_to_a_permuted(&C::VALUE, &A::VALUE, 64, (&Values::VALUE, &Columns::VALUE)).is_ok());
/// // Neighbours that stay neighbours.
/// type Plain = layout!((16,8):(1,16));
/// let refused = retile_c_to_a_permuted(&C::VALUE, &A::VALUE, 64, (&Values::VALUE, &Plain::VALUE)).unwrap_err();
/// assert!(refused.as_str().ends_with("thread 0, value 2 is (0,8) of C and (0,2) of A"));
/// ```
pub const fn retile_c_to_a_permuted(
    c: &Value,
    a: &Value,
    rows: i64,
    (values, columns): (&Value, &Value),
) -> Verdict {
    let orders = match (Function::new(values), Function::new(columns)) {
        (Ok(values), Ok(columns)) => [values, columns],
        (Err(rule), _) | (_, Err(rule)) => return Err(sentence(&rule)),
    };
    let sizes = (values.size(), columns.size(), c.mode(1).size());
    let (Ok(of_values), Ok(of_columns), Ok(held)) = sizes else {
        return Err(*Text::new().say("a size does not fit"));
    };
    let Ok(threads) = c.mode(0).size() else {
        return Err(*Text::new().say("a size does not fit"));
    };
    if of_values != held || of_columns * rows != threads * held {
        let mut text = Text::new();
        text.say("the orders are of ")
            .number(of_values)
            .say(" values and ")
            .number(of_columns);
        text.say(" columns; C has ").number(held).say(" and ");
        return Err(*text.number(threads * held / rows));
    }
    renamed(c, a, rows, Some(&orders))
}

/// Compares C with A: with the given orders of C's values and columns, or in order.
///
/// Plain layouts in order are compared only at the values of thread 0 and at value 0 of each
/// thread. Each side is a sum of a thread's and a value's contribution, so no other pair can
/// differ. This reduces thousands of steps of a constant to hundreds.
const fn renamed(c: &Value, a: &Value, rows: i64, orders: Option<&[Function; 2]>) -> Verdict {
    let (sums, left) = match (Function::new(c), Function::new(a)) {
        (Ok(sums), Ok(left)) => (sums, left),
        (Err(rule), _) | (_, Err(rule)) => return Err(*not_renamed(c, a).text(&sentence(&rule))),
    };
    let sizes = (
        c.mode(0).size(),
        c.mode(1).size(),
        a.mode(0).size(),
        a.mode(1).size(),
    );
    let (Ok(threads), Ok(values), Ok(threads_a), Ok(values_a)) = sizes else {
        return Err(*not_renamed(c, a).say("a size does not fit"));
    };
    if threads != threads_a || values % values_a != 0 {
        let mut text = not_renamed(c, a);
        text.number(threads)
            .say(" threads of ")
            .number(values)
            .say(" values, and ");
        return Err(*text.number(threads_a).say(" of ").number(values_a));
    }
    let by_sums = orders.is_none() && sums.adds_up() && left.adds_up();
    // The number of columns that A's values of one block cover.
    let columns = threads * values_a / rows;
    let mut thread = 0;
    while thread < threads {
        let end = if by_sums && thread > 0 { 1 } else { values };
        let mut value = 0;
        while value < end {
            let of_c = match orders {
                Some([values, _]) => values.at(value),
                None => value,
            };
            let at = sums.at(thread + threads * of_c);
            let other = left.at(thread + threads * (value % values_a));
            let (row, column) = (at % rows, at / rows);
            let (row_a, column_a) = (other % rows, other / rows + value / values_a * columns);
            let column_a = match orders {
                Some([_, columns]) => columns.at(column_a),
                None => column_a,
            };
            if row != row_a || column != column_a {
                let mut text = not_renamed(c, a);
                text.say("thread ")
                    .number(thread)
                    .say(", value ")
                    .number(value);
                text.say(" is (")
                    .number(row)
                    .say(",")
                    .number(column)
                    .say(") of C and (");
                return Err(*text.number(row_a).say(",").number(column_a).say(") of A"));
            }
            value += 1;
        }
        thread += 1;
    }
    Ok(())
}

/// Returns the beginning of a refusal.
const fn not_renamed(c: &Value, a: &Value) -> Text {
    let mut text = Text::new();
    text.say("C ")
        .text(&c.notation())
        .say(" is not A ")
        .text(&a.notation());
    text.say(" by renaming: ");
    text
}

/// Asserts that a tile of shared memory is an operand of `wgmma`:
/// `assert_wgmma_operand!(Tile, T, MAJOR, ROWS)`, as
/// [`Operand`](crate::atom::smem_operand::Operand) derives it.
///
/// ```
/// use layout_types::{assert_wgmma_operand, atom::{gmma::LayoutKSw128Atom, mma::MajorK}, prelude::*};
/// type SmemA = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>;
/// assert_wgmma_operand!(SmemA, half::f16, MajorK, 64);
/// ```
#[macro_export]
macro_rules! assert_wgmma_operand {
    ($tile:ty, $t:ty, $major:ty, $rows:literal $(,)?) => {
        const _: () = $crate::check::require(
            match $crate::check::GmmaLayout::derive(
                &<$tile as $crate::check::Reflect>::VALUE,
                <<$t as $crate::atom::Element>::Bits as $crate::typenum::Unsigned>::I64,
                <<$major as $crate::atom::mma::Major>::IsK as $crate::num::Bool>::VALUE,
                $rows,
            ) {
                Ok(_) => Ok(()),
                Err(text) => Err(text),
            },
        );
    };
}

/// Asserts that boxes of the tensor memory accelerator fill a tile of shared memory:
/// `assert_tma_box!(Tile, T)`, or `assert_tma_box!(Tile, T, BYTES)` with the bytes that a barrier
/// expects.
///
/// ```
/// use layout_types::{assert_tma_box, atom::gmma::LayoutKSw128Atom, prelude::*};
/// type SmemA = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>;
/// assert_tma_box!(SmemA, half::f16, 16384);
/// ```
#[macro_export]
macro_rules! assert_tma_box {
    ($tile:ty, $t:ty $(, $bytes:expr)? $(,)?) => {
        const _: () = $crate::check::require(
            match $crate::check::TmaBox::derive(
                &<$tile as $crate::check::Reflect>::VALUE,
                <<$t as $crate::atom::Element>::Bits as $crate::typenum::Unsigned>::I64,
            ) {
                Ok(tma) => {
                    let _ = &tma;
                    $(if let Err(text) = tma.expects($bytes) { Err(text) } else)? { Ok(()) }
                }
                Err(text) => Err(text),
            },
        );
    };
}

/// Asserts that a tensor copy writes the tile that is read, with its shape, stride and swizzle:
/// `assert_same_tile!(Written, Read)`.
///
/// [`Sm90_TMA_LOAD::copy`](crate::atom::copy::Sm90_TMA_LOAD::copy) and the other tensor copies
/// require the same of their tensor in shared memory.
///
/// ```
/// use layout_types::{assert_same_tile, atom::gmma::LayoutKSw128Atom, prelude::*};
/// type SmemA = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>;
/// assert_same_tile!(SmemA, TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>);
/// ```
#[macro_export]
macro_rules! assert_same_tile {
    ($written:ty, $read:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::same_tile(
            &<$written as $crate::check::Reflect>::VALUE,
            &<$read as $crate::check::Reflect>::VALUE,
        ));
    };
}

/// Asserts that the static strides of a global tensor are valid for a tensor map:
/// `assert_tma_strides!(Layout, T)`.
///
/// ```
/// use layout_types::{assert_tma_strides, prelude::*};
/// assert_tma_strides!(layout!((100,64):(64,1)), half::f16);
/// ```
#[macro_export]
macro_rules! assert_tma_strides {
    ($layout:ty, $t:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::tma_strides(
            &<$layout as $crate::check::Reflect>::VALUE,
            <<$t as $crate::atom::Element>::Bits as $crate::typenum::Unsigned>::I64,
        ));
    };
}

/// Asserts that warp groups with these registers per thread fit in a multiprocessor:
/// `assert_register_budget!(40, 232, 232)`.
///
/// ```
/// layout_types::assert_register_budget!(40, 232, 232);
/// ```
#[macro_export]
macro_rules! assert_register_budget {
    ($($registers:expr),+ $(,)?) => {
        const _: () = $crate::check::require($crate::check::register_budget(&[$($registers),+]));
    };
}

/// Asserts that a block may have this many bytes of shared memory: `assert_shared_memory!(BYTES)`.
///
/// ```
/// layout_types::assert_shared_memory!(4 * 49152 + 64);
/// ```
#[macro_export]
macro_rules! assert_shared_memory {
    ($bytes:expr $(,)?) => {
        const _: () = $crate::check::require($crate::check::shared_memory($bytes as i64));
    };
}

/// Asserts that a multicast stays in its cluster: `assert_multicast!(MASK, BLOCKS)`.
///
/// ```
/// layout_types::assert_multicast!(0b11, 2);
/// ```
#[macro_export]
macro_rules! assert_multicast {
    ($mask:expr, $blocks:expr $(,)?) => {
        const _: () = $crate::check::require($crate::check::multicast($mask, $blocks));
    };
}

/// Asserts that a bulk copy can transfer the tile, contiguous in both memories:
/// `assert_bulk_copy!(Tile, T)`, as [`Sm90_BULK_COPY`](crate::atom::copy::Sm90_BULK_COPY) requires.
///
/// ```
/// use layout_types::{assert_bulk_copy, prelude::*};
/// assert_bulk_copy!(layout!((64,8):(8,1)), half::f16);
/// ```
#[macro_export]
macro_rules! assert_bulk_copy {
    ($tile:ty, $t:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::bulk_copy(
            &<$tile as $crate::check::Reflect>::VALUE,
            <$tile as $crate::layout::LayoutFn>::COSIZE as i64,
            <<$t as $crate::atom::Element>::Bits as $crate::typenum::Unsigned>::I64,
        ));
    };
}

/// Asserts that a thread's accumulator of one atom becomes operand A of another by renaming, in
/// these orders of its values and columns:
/// `assert_retile_c_to_a_permuted!(AtomOfC, AtomOfA, Values, Columns)`, as in
/// [`retile_c_to_a_permuted`](crate::check::retile_c_to_a_permuted).
///
/// ```
/// use layout_types::{assert_retile_c_to_a_permuted, atom::mma::*, layout};
/// assert_retile_c_to_a_permuted!(
///     Sm90_64x128x32_F32E4M3E4M3_SS_TN,
///     Sm90_64x128x32_F32E4M3E4M3_RS_TN,
///     layout!((2,2,2,8):(1,4,2,8)),
///     layout!((2,2,4,8):(1,8,2,16))
/// );
/// ```
#[macro_export]
macro_rules! assert_retile_c_to_a_permuted {
    ($c:ty, $a:ty, $values:ty, $columns:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::retile_c_to_a_permuted(
            &<<$c as $crate::atom::MmaAtom>::CLayout as $crate::check::Reflect>::VALUE,
            &<<$a as $crate::atom::MmaAtom>::ALayout as $crate::check::Reflect>::VALUE,
            <$crate::atom::mma::AtomM<$c> as $crate::typenum::Unsigned>::I64,
            (
                &<$values as $crate::check::Reflect>::VALUE,
                &<$columns as $crate::check::Reflect>::VALUE,
            ),
        ));
    };
}

/// Asserts that a thread's accumulator of one atom becomes operand A of another by renaming:
/// `assert_retile_c_to_a!(AtomOfC, AtomOfA)`.
///
/// ```
/// use layout_types::{assert_retile_c_to_a, atom::mma::*};
/// assert_retile_c_to_a!(Sm90_64x128x16_F32F16F16_SS, Sm90_64x64x16_F32F16F16_RS);
/// ```
#[macro_export]
macro_rules! assert_retile_c_to_a {
    ($c:ty, $a:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::retile_c_to_a(
            &<<$c as $crate::atom::MmaAtom>::CLayout as $crate::check::Reflect>::VALUE,
            &<<$a as $crate::atom::MmaAtom>::ALayout as $crate::check::Reflect>::VALUE,
            <$crate::atom::mma::AtomM<$c> as $crate::typenum::Unsigned>::I64,
        ));
    };
}
