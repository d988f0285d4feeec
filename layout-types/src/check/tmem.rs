//! Checks limits of Blackwell: the columns and lanes of tensor memory, the lanes that a warp
//! accesses, and the places of an instruction's operands.
//!
//! ```text
//!   256 + 256 + 16 = 528 columns of 512          warp 1: lanes 32 to 63, of 16-lane shapes from 32 or 48 on
//! ```
//!
//! Law: a block has 512 columns of 128 lanes; warp `w` of its warp group can access exactly the
//! lanes from `32 (w mod 4)` to `32 (w mod 4) + 31`.
//!
//! Source: PTX ISA, *tcgen05: Tensor Memory*, *Access restrictions*, *tcgen05.ld*.

use super::admissible::Verdict;
use super::text::{Text, sentence};
use super::value::Value;

/// The number of columns of an SM's tensor memory.
pub const TMEM_COLUMNS: i64 = 512;
/// The number of lanes of an SM's tensor memory.
pub const TMEM_LANES: i64 = 128;

/// The number of lanes and columns that a layout spans, from its first element on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TmemExtent {
    /// The number of lanes, from the first to the last.
    pub lanes: i64,
    /// The number of columns, from the first to the last.
    pub columns: i64,
}

impl TmemExtent {
    /// Computes the extent of a layout of elements of `bits` bits.
    ///
    /// # Errors
    /// Returns the sentence that names what exceeds tensor memory.
    ///
    /// ```
    /// use layout_types::{check::{Reflect, TmemExtent}, layout};
    /// let extent = TmemExtent::of(&<layout!((128,(64,2)):(65536,(1,256)))>::VALUE, 32).ok().unwrap();
    /// assert_eq!((extent.lanes, extent.columns), (128, 320));
    /// ```
    pub const fn of(layout: &Value, bits: i64) -> Result<Self, Text> {
        let mut text = Text::new();
        let flat = match layout.flat() {
            Ok(flat) => flat,
            Err(rule) => return Err(sentence(&rule)),
        };
        // The number of elements from one lane to the next.
        let lane = (32 / bits) << 16;
        let (mut lanes, mut last) = (1, 0);
        let mut i = 0;
        while i < flat.len() {
            let (shape, stride) = (flat.shape(i), flat.stride(i));
            if flat.basis(i) != 0 || stride < 0 {
                text.say("the layout ").text(&layout.notation());
                return Err(*text.say(" has a stride that is no place of tensor memory"));
            }
            // A stride is a multiple of the distance between two lanes, plus a number of columns.
            lanes += (shape - 1) * (stride / lane);
            last += (shape - 1) * (stride % lane);
            i += 1;
        }
        let columns = last * bits / 32 + 1;
        if lanes <= TMEM_LANES && columns <= TMEM_COLUMNS {
            return Ok(Self { lanes, columns });
        }
        text.say("the layout ").text(&layout.notation()).say(" of ");
        text.number(bits).say("-bit elements has ");
        text.number(lanes).say(" lanes and ").number(columns);
        Err(*text.say(" columns: tensor memory has 128 and 512"))
    }
}

/// Checks that these numbers of columns fit into tensor memory together.
///
/// # Errors
/// Returns the sentence that adds them up.
///
/// ```
/// use layout_types::check::tensor_memory;
/// assert!(tensor_memory(&[256, 256]).is_ok());
/// let refused = tensor_memory(&[256, 256, 16]).unwrap_err();
/// assert_eq!(refused.as_str(), "256 + 256 + 16 = 528 columns of tensor memory: an SM has 512");
/// ```
pub const fn tensor_memory(parts: &[i64]) -> Verdict {
    let mut text = Text::new();
    let (mut sum, mut i) = (0, 0);
    while i < parts.len() {
        text.say(if i > 0 { " + " } else { "" }).number(parts[i]);
        sum += parts[i];
        i += 1;
    }
    if sum <= TMEM_COLUMNS {
        return Ok(());
    }
    text.say(" = ").number(sum);
    Err(*text.say(" columns of tensor memory: an SM has 512"))
}

/// Checks the same as [`tensor_memory`], for layouts:
/// [`assert_tensor_memory!`](crate::assert_tensor_memory).
///
/// # Errors
/// Returns the sentence that adds the columns up, or refuses a layout or more than 16 layouts.
pub const fn tensor_memory_of(parts: &[Result<TmemExtent, Text>]) -> Verdict {
    let mut columns = [0; 16];
    if parts.len() > columns.len() {
        return Err(*Text::new().say("more than 16 tensors in tensor memory"));
    }
    let mut i = 0;
    while i < parts.len() {
        columns[i] = match &parts[i] {
            Ok(extent) => extent.columns,
            Err(text) => return Err(*text),
        };
        i += 1;
    }
    tensor_memory(columns.split_at(parts.len()).0)
}

/// Checks that a layout of elements of `bits` bits that begins at column `start` lies within an
/// allocation of `columns` columns.
///
/// # Errors
/// Returns the sentence that names the columns.
pub const fn tmem_part(layout: &Value, bits: i64, start: i64, columns: i64) -> Verdict {
    let extent = match TmemExtent::of(layout, bits) {
        Ok(extent) => extent,
        Err(text) => return Err(text),
    };
    if start >= 0 && start + extent.columns <= columns {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("the layout ")
        .text(&layout.notation())
        .say(" has columns ");
    text.number(start)
        .say(" to ")
        .number(start + extent.columns - 1);
    Err(*text.say(" of an allocation of ").number(columns))
}

/// Checks that warp `warp` of a warp group can access `lanes` lanes from lane `first` on: 32 lanes
/// from the first of its quarter, or 16 lanes from there or from the middle.
///
/// # Errors
/// Returns the sentence that names the warp's lanes.
///
/// ```
/// use layout_types::check::tmem_lanes;
/// assert!(tmem_lanes(1, 32, 32).is_ok() && tmem_lanes(1, 48, 16).is_ok());
/// let refused = tmem_lanes(1, 64, 32).unwrap_err();
/// assert_eq!(refused.as_str(), "warp 1 reaches lanes 32 to 63 of tensor memory, 32 at once from lane 32 on, and not from lane 64");
/// ```
pub const fn tmem_lanes(warp: i64, first: i64, lanes: i64) -> Verdict {
    let own = warp % 4 * 32;
    if first >= own && first + lanes <= own + 32 && first % lanes == 0 {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("warp ")
        .number(warp)
        .say(" reaches lanes ")
        .number(own);
    text.say(" to ").number(own + 31).say(" of tensor memory, ");
    text.number(lanes).say(" at once from lane ").number(own);
    if lanes < 32 {
        text.say(" or ").number(own + lanes);
    }
    Err(*text.say(" on, and not from lane ").number(first))
}

/// Checks that loads or stores of `lanes` lanes, 32 or 16, access exactly the lanes of a layout of
/// elements of `bits` bits: each warp has whole groups of this many lanes in its quarter.
///
/// # Errors
/// Returns the sentence that names the first lane that the layout does not have.
///
/// ```
/// use layout_types::{check::{Reflect, tmem_groups}, layout};
/// // The accumulator of 64 rows: the lower 16 lanes of each quarter.
/// type D = layout!(((16,4),64):((65536,2097152),1));
/// assert!(tmem_groups(&D::VALUE, 32, 16).is_ok());
/// let refused = tmem_groups(&D::VALUE, 32, 32).unwrap_err();
/// assert_eq!(refused.as_str(), "the layout ((16,4),64):((65536,2097152),1) has lane 0 and not lane 16: \
///     an access of 32 lanes reaches both");
/// ```
pub const fn tmem_groups(layout: &Value, bits: i64, lanes: i64) -> Verdict {
    if let Err(text) = TmemExtent::of(layout, bits) {
        return Err(text);
    }
    let Ok(flat) = layout.flat() else {
        return Ok(());
    };
    // One bit for each lane, from lane 0 on: each mode of lanes repeats the lanes of the modes
    // before it.
    let (mut has, mut i) = (1u128, 0);
    while i < flat.len() {
        let stride = flat.stride(i) / ((32 / bits) << 16);
        let (mut all, mut k) = (has, 1);
        while stride > 0 && k < flat.shape(i) {
            all |= has << (k * stride);
            k += 1;
        }
        has = all;
        i += 1;
    }
    let group = (1u128 << lanes) - 1;
    let mut first = 0;
    while first < TMEM_LANES {
        let here = has >> first & group;
        if here != 0 && here != group {
            let mut text = Text::new();
            text.say("the layout ").text(&layout.notation());
            text.say(" has lane ")
                .number(first + here.trailing_zeros() as i64);
            text.say(" and not lane ")
                .number(first + here.trailing_ones() as i64);
            text.say(": an access of ").number(lanes);
            return Err(*text.say(" lanes reaches both"));
        }
        first += lanes;
    }
    Ok(())
}

/// Checks that a tensor lies at the places where an instruction expects `what`. Both layouts count
/// elements, and must have the same places in the same order.
///
/// # Errors
/// Returns the sentence that shows both layouts.
///
/// ```
/// use layout_types::{check::{Reflect, same_words}, layout};
/// let atom = <layout!((8,32):(1,65536))>::VALUE;
/// assert!(same_words("D", &<layout!(((2,4),(32)):((1,2),(65536)))>::VALUE, &atom).is_ok());
/// let refused = same_words("D", &<layout!((8,32):(2,65536))>::VALUE, &atom).unwrap_err();
/// assert_eq!(refused.as_str(), "the instruction has D at (8,32):(1,65536) in tensor memory, and the tensor is (8,32):(2,65536)");
/// ```
pub const fn same_words(what: &str, tensor: &Value, instruction: &Value) -> Verdict {
    let flats = match (tensor.flat(), instruction.flat()) {
        (Ok(tensor), Ok(instruction)) => (tensor.coalesce(false), instruction.coalesce(false)),
        (Err(rule), _) | (_, Err(rule)) => return Err(sentence(&rule)),
    };
    let mut same = flats.0.len() == flats.1.len();
    let mut i = 0;
    while same && i < flats.0.len() {
        same = flats.0.shape(i) == flats.1.shape(i)
            && flats.0.stride(i) == flats.1.stride(i)
            && flats.0.basis(i) == flats.1.basis(i);
        i += 1;
    }
    if same {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("the instruction has ").say(what).say(" at ");
    text.text(&instruction.notation());
    text.say(" in tensor memory, and the tensor is ");
    Err(*text.text(&tensor.notation()))
}

/// Asserts that tensors which are in tensor memory together have at most its 512 columns:
/// `assert_tensor_memory!(layout of elements, ..)`.
///
/// ```
/// use layout_types::atom::tmem::fragment::{MakeTmemFrg, TmemFrg1Sm};
/// use layout_types::{assert_tensor_memory, prelude::*};
/// type D = MakeTmemFrg<TmemFrg1Sm<f32>, shape!(((128,128),1,2))>;
/// type P = layout!((128,128):(131072,1)); // probabilities of 16 bits, packed
/// assert_tensor_memory!(D of f32, P of half::bf16, layout!((128,128):(65536,1)) of f32);
/// ```
/// ```compile_fail,E0080
/// use layout_types::{assert_tensor_memory, prelude::*};
/// type D = layout!((128,256):(65536,1));
/// assert_tensor_memory!(D of f32, D of f32, D of f32); // 256 + 256 + 256 = 768 columns
/// ```
#[macro_export]
macro_rules! assert_tensor_memory {
    ($($rest:tt)+) => {
        const _: () = $crate::check::require($crate::check::tensor_memory_of(
            &$crate::__tmem_extents!([] [] $($rest)+),
        ));
    };
}
/// The extent of each `layout of element`.
#[doc(hidden)]
#[macro_export]
macro_rules! __tmem_extents {
    ([$($done:expr),*] [$($layout:tt)+] of $t:ty $(, $($rest:tt)*)?) => {
        $crate::__tmem_extents!([$($done,)* $crate::check::TmemExtent::of(
            &<$($layout)+ as $crate::check::Reflect>::VALUE,
            <<$t as $crate::atom::Element>::Bits as $crate::typenum::Unsigned>::I64,
        )] [] $($($rest)*)?)
    };
    ([$($done:expr),*] [$($layout:tt)*] $next:tt $($rest:tt)*) => {
        $crate::__tmem_extents!([$($done),*] [$($layout)* $next] $($rest)*)
    };
    ([$($done:expr),*] []) => { [$($done),*] };
}

/// Asserts that a warp can access the lanes of a load or store:
/// `assert_tmem_lanes!(warp, first lane, lanes)`.
///
/// ```
/// layout_types::assert_tmem_lanes!(3, 112, 16);
/// ```
/// ```compile_fail,E0080
/// layout_types::assert_tmem_lanes!(3, 64, 32); // the lanes of warp 2
/// ```
#[macro_export]
macro_rules! assert_tmem_lanes {
    ($warp:expr, $first:expr, $lanes:expr $(,)?) => {
        const _: () = $crate::check::require($crate::check::tmem_lanes($warp, $first, $lanes));
    };
}

/// Asserts that loads or stores of an atom access exactly a fragment's lanes:
/// `assert_tmem_copy!(Atom, layout of elements)`.
///
/// ```
/// use layout_types::atom::{copy::*, tmem::fragment::*};
/// use layout_types::{assert_tmem_copy, prelude::*};
/// type D = MakeTmemFrg<TmemFrg1Sm<f32>, shape!(((64,64),1,1))>;
/// assert_tmem_copy!(Sm100_TMEM_LOAD_16dp256b8x, D of f32);
/// ```
/// ```compile_fail,E0080
/// use layout_types::atom::{copy::*, tmem::fragment::*};
/// use layout_types::{assert_tmem_copy, prelude::*};
/// type D = MakeTmemFrg<TmemFrg1Sm<f32>, shape!(((64,64),1,1))>;
/// assert_tmem_copy!(Sm100_TMEM_LOAD_32dp32b8x, D of f32); // 64 rows have 16 lanes of each quarter
/// ```
#[macro_export]
macro_rules! assert_tmem_copy {
    (@ $atom:ty, [$($layout:tt)+] of $t:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::tmem_groups(
            &<$($layout)+ as $crate::check::Reflect>::VALUE,
            <<$t as $crate::atom::Element>::Bits as $crate::typenum::Unsigned>::I64,
            <<$atom as $crate::atom::copy::TmemCopyAtom>::Lanes as $crate::typenum::Unsigned>::I64,
        ));
    };
    (@ $atom:ty, [$($layout:tt)*] $next:tt $($rest:tt)*) => {
        $crate::assert_tmem_copy!(@ $atom, [$($layout)* $next] $($rest)*);
    };
    ($atom:ty, $($rest:tt)+) => { $crate::assert_tmem_copy!(@ $atom, [] $($rest)+); };
}

/// Asserts that a tile of shared memory is an operand of `tcgen05.mma`:
/// `assert_umma_operand!(Tile, T, MAJOR, ROWS)`, as [`UmmaOperand`](crate::atom::umma::UmmaOperand)
/// derives it.
///
/// ```
/// use layout_types::{assert_umma_operand, atom::{gmma::LayoutKSw128Atom, mma::MajorK}, prelude::*};
/// type SmemA = TileToShape<LayoutKSw128Atom<half::f16>, shape!((128,64,4))>;
/// assert_umma_operand!(SmemA, half::f16, MajorK, 128);
/// ```
#[macro_export]
macro_rules! assert_umma_operand {
    ($tile:ty, $t:ty, $major:ty, $rows:literal $(,)?) => {
        const _: () = $crate::check::require(
            match $crate::check::UmmaLayout::derive(
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

/// Asserts that scale factors lie in tensor memory where a block-scaled `tcgen05.mma` reads them:
/// `assert_umma_scales!(Atom, layout of A's factors, layout of B's)`.
///
/// [`UmmaScaledOp::fma`](crate::atom::mma::UmmaScaledOp::fma) requires the same of its tensors.
///
/// ```
/// use layout_types::atom::{element::*, mma::{MajorK, sm100::Sm100_MMA_MXF8F6F4_SS}};
/// use layout_types::{assert_umma_scales, prelude::*, typenum::U128};
/// type Atom = Sm100_MMA_MXF8F6F4_SS<FloatE4M3, FloatE4M3, f32, FloatUE8M0, U128, U128, MajorK, MajorK>;
/// // 32 lanes, in all four quarters; a factor a column and byte of 128 rows.
/// type Factors = layout!((((32,4),4),(32,1)):(((262144,4),8388608),(0,1)));
/// assert_umma_scales!(Atom, Factors, Factors);
/// ```
#[macro_export]
macro_rules! assert_umma_scales {
    ($atom:ty, $a:ty, $b:ty $(,)?) => {
        const _: () = $crate::check::require($crate::check::same_words(
            "the scale factors of A",
            &<$a as $crate::check::Reflect>::VALUE,
            &<<$atom as $crate::atom::mma::UmmaScaledOp>::SfaLayout as $crate::check::Reflect>::VALUE,
        ));
        const _: () = $crate::check::require($crate::check::same_words(
            "the scale factors of B",
            &<$b as $crate::check::Reflect>::VALUE,
            &<<$atom as $crate::atom::mma::UmmaScaledOp>::SfbLayout as $crate::check::Reflect>::VALUE,
        ));
    };
}
