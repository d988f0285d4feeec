//! What a broken rule says, put together while the compiler evaluates a constant.
//!
//! ```text
//! Text   "together the modes reach "  +  4  +  " elements"      sentence(&rule)  ─►  Text
//! ```
//!
//! Law: without `core::fmt`, which does not run in a constant.

use crate::dynamic::rules::Rule;

// -- Text -----------------------------------------------------------------------------------------
//
// A sentence put together while the compiler evaluates a constant.
//
// ```text
//   Text::new().say("stride ").number(3).say(" does not divide ").number(4)   ->   panic!("{}", ..)
// ```
//
// `core::fmt` cannot run in a constant, and a panic there takes one finished `&str`. Law: the text
// is what was said, in order, up to [`CAPACITY`] bytes; a longer one ends in `...`.

/// The most bytes that a message has.
pub const CAPACITY: usize = 1024;

/// A string of at most [`CAPACITY`] bytes.
#[derive(Clone, Copy)]
pub struct Text {
    bytes: [u8; CAPACITY],
    len: usize,
    cut: bool,
}

/// What stands for all that did not fit.
const DOTS: &[u8] = b"...";

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

impl Text {
    /// The empty text.
    pub const fn new() -> Self {
        Self {
            bytes: [0; CAPACITY],
            len: 0,
            cut: false,
        }
    }

    /// Appends a string.
    ///
    /// ```
    /// use layout_types::check::Text;
    /// const GREETING: Text = { let mut text = Text::new(); *text.say("mode ").number(-7).say(".") };
    /// assert_eq!(GREETING.as_str(), "mode -7.");
    /// ```
    pub const fn say(&mut self, words: &str) -> &mut Self {
        let words = words.as_bytes();
        if self.cut {
            return self;
        }
        // Room for the dots stays free. A piece that does not fit is left out whole, so no
        // character is torn.
        let (words, cut) = if self.len + words.len() + DOTS.len() > CAPACITY {
            (DOTS, true)
        } else {
            (words, false)
        };
        self.cut = cut;
        let (_, rest) = self.bytes.split_at_mut(self.len);
        let (place, _) = rest.split_at_mut(words.len());
        place.copy_from_slice(words);
        self.len += words.len();
        self
    }

    /// Appends a number in decimals.
    pub const fn number(&mut self, value: i64) -> &mut Self {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = value.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        let (_, digits) = digits.split_at(at);
        match core::str::from_utf8(digits) {
            Ok(digits) => self.say(digits),
            Err(_) => self,
        }
    }

    /// Appends a count in decimals.
    pub const fn count(&mut self, value: usize) -> &mut Self {
        self.number(value as i64)
    }

    /// Appends another text.
    pub const fn text(&mut self, other: &Self) -> &mut Self {
        self.say(other.as_str())
    }

    /// What was said.
    pub const fn as_str(&self) -> &str {
        let (said, _) = self.bytes.split_at(self.len);
        match core::str::from_utf8(said) {
            Ok(said) => said,
            Err(_) => "",
        }
    }
}

// -- Sentences ------------------------------------------------------------------------------------
//
// What each broken rule says: one statement, for constants and for [`Rule`]'s `Display`.
//
// ```text
//   Rule::Gap { stride: 3, covered: 2 }  ->  "the sorted strides do not nest: stride 3 is no multiple of the 2 elements that ..."
// ```
//
// Law: each rule has a sentence of its own, with all the numbers that break it. It is written
// without `core::fmt`, which does not run in constants.

/// The sentence of a rule.
///
/// ```
/// use layout_types::{check::sentence, dynamic::rules::Rule};
/// let rule = Rule::CastStride { stride: 3, n: 4 };
/// assert_eq!(sentence(&rule).as_str(), "stride 3 does not divide 4 nor is divided by it");
/// ```
pub const fn sentence(rule: &Rule) -> Text {
    let mut text = Text::new();
    match *rule {
        Rule::PrefixProduct {
            stride,
            product,
            steps,
        } => text
            .say("stride ")
            .number(stride)
            .say(" does not divide ")
            .number(product)
            .say(", a prefix product of the left shape, nor is divided by it")
            .say(if steps > 1 && stride.abs() < product {
                ", and the mode's steps run past that boundary"
            } else {
                ""
            }),
        Rule::ShapeSplit {
            steps,
            fit,
            product,
        } => text
            .number(fit)
            .say(" of ")
            .number(steps)
            .say(" steps lie before ")
            .number(product)
            .say(", a prefix product of the left shape, and ")
            .number(fit)
            .say(" does not divide ")
            .number(steps),
        Rule::Carry { left, shape, reach } => text
            .say("together the modes of the right side reach ")
            .number(reach)
            .say(" in mode ")
            .count(left)
            .say(" of the coalesced left side, whose shape is ")
            .number(shape),
        Rule::Borrow { low, high } => text
            .say("strides of opposite sign on the right side borrow from mode ")
            .count(high)
            .say(" of the coalesced left side into mode ")
            .count(low),
        Rule::Differs { at } => text
            .say("at element ")
            .number(at)
            .say(" of the right side the layout is not the composition"),
        Rule::TooManyPoints { most } => text
            .say("only comparing every element could tell, and there are more than ")
            .number(most),
        Rule::NoSuchMode { mode, rank } => text
            .say("the stride's basis names mode ")
            .count(mode)
            .say(", and the left side has ")
            .count(rank),
        Rule::MixedBasis => {
            text.say("the strides of the right side do not name coordinates of one profile")
        }
        Rule::Overlap { stride, covered } => text
            .say("the layout is not injective: stride ")
            .number(stride)
            .say(" lies inside the ")
            .number(covered)
            .say(" elements that smaller strides cover"),
        Rule::Gap { stride, covered } => text
            .say("the sorted strides do not nest: stride ")
            .number(stride)
            .say(" is no multiple of the ")
            .number(covered)
            .say(" elements that smaller strides cover, so some elements are in no tile"),
        Rule::Uncovered {
            wanted,
            reached,
            size,
            of,
        } => text
            .say("the result of size ")
            .number(size)
            .say(" over a layout of size ")
            .number(of)
            .say(" reaches only ")
            .number(reached)
            .say(" of ")
            .number(wanted)
            .say(" elements"),
        Rule::Places { needed, places } => text
            .say("the block is repeated to place ")
            .number(needed)
            .say(" of the ")
            .number(places)
            .say(" that its complement has"),
        Rule::Uncounted { left, step } => text
            .say("in mode ")
            .count(left)
            .say(" of the coalesced layout, element ")
            .number(step)
            .say(" is in no copy of the tile or in two"),
        Rule::Ragged { tiled, size } => text
            .say("the tiles hold ")
            .number(tiled)
            .say(" elements, the layout ")
            .number(size)
            .say("; the divide without `exact` rounds up"),
        Rule::InverseStride { stride, before } => text
            .say("stride ")
            .number(stride)
            .say(" is no multiple of the next smaller stride ")
            .number(before),
        Rule::NotQuasiInverse {
            stride,
            shape,
            steps,
        } => text
            .say("overlapping modes reach ")
            .number(steps)
            .say(" steps of stride ")
            .number(stride)
            .say(", whose mode has ")
            .number(shape)
            .say(" elements"),
        Rule::NegativeStride { stride } => text.say("stride ").number(stride).say(" is negative"),
        Rule::BasisStride => text.say("a stride is a scaled basis, where an integer is needed"),
        Rule::CastStride { stride, n } => text
            .say("stride ")
            .number(stride)
            .say(" does not divide ")
            .number(n)
            .say(" nor is divided by it"),
        Rule::CastShape { shape, per_unit } => text
            .number(shape)
            .say(" elements do not fill units of ")
            .number(per_unit)
            .say("; the upcast without `exact` rounds up"),
        Rule::NoUnitStride => text.say("no mode has stride 1, so there are no adjacent elements"),
        Rule::NotPositive { value } => text.number(value).say(" is not positive"),
        Rule::NotPowerOfTwo { value } => text.number(value).say(" is not a power of two"),
        Rule::SwizzleOverlap { bits, shift } => text
            .say("the shift ")
            .number(shift as i64)
            .say(" is less than the ")
            .number(bits as i64)
            .say(" bits that are exchanged"),
        Rule::SwizzleRange { end } => text
            .say("the masks end at bit ")
            .number(end as i64)
            .say(", past the 31 bits of an offset"),
        Rule::SwizzleMasks { y, z } => text
            .say("bit masks ")
            .number(y)
            .say(" and ")
            .number(z)
            .say(" are not two runs of equally many bits, as a swizzle needs"),
        Rule::SwizzleShift { left, right } => text
            .say("only swizzles of the same shift merge, and the shifts are ")
            .number(left as i64)
            .say(" and ")
            .number(right as i64),
        Rule::SwizzleDiffers { at } => text
            .say("no swizzle behind the layout is the same function at index ")
            .number(at),
        Rule::SwizzleTorn { n, whole } => text
            .say("units of ")
            .number(n)
            .say(" elements are torn apart by a swizzle that moves ")
            .number(whole)
            .say(" whole"),
        Rule::Swizzles => text.say("a swizzle behind a swizzle, where one is taken"),
        Rule::Offset { offset } => text
            .say("the offset is ")
            .number(offset)
            .say(", and must be 0"),
        Rule::Congruence => text.say("the profiles differ"),
        Rule::Rank { found, needed } => text
            .count(found)
            .say(if found == 1 {
                " mode where "
            } else {
                " modes where "
            })
            .count(needed)
            .say(if needed == 1 {
                " is needed"
            } else {
                " are needed"
            }),
        Rule::Unpaired { instead } => text
            .say("`_` leaves the mode whole, where a pair of tile and rest is needed: write ")
            .number(instead)
            .say(" for it, or take the operation that begins with `logical_`"),
        Rule::RankAbove { found, most } => text
            .count(found)
            .say(if found == 1 { " mode" } else { " modes" })
            .say(if most == 1 {
                " where there is only "
            } else {
                " where there are only "
            })
            .count(most),
        Rule::Range { begin, end, rank } => text
            .say("modes ")
            .count(begin)
            .say("..")
            .count(end)
            .say(" are no range of ")
            .count(rank)
            .say(" modes"),
        Rule::Empty => text.say("no mode is left"),
        Rule::BlockDivides { block, shape } => text
            .say("the block's ")
            .number(block)
            .say(" does not divide ")
            .number(shape),
        Rule::Scattered { elements, stride } => text
            .say("vectors of ")
            .number(elements)
            .say(" elements are not contiguous and aligned with a stride of ")
            .number(stride),
        Rule::TooManyModes { most } => text.say("more than ").count(most).say(" modes"),
        Rule::Overflow => text.say("a number does not fit in 64 bits"),
    };
    text
}
