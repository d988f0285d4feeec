//! Composed layouts, swizzles after layouts: `Sw<B,M,S> o offset o layout`.
//!
//! ```text
//! Sw<2,3,3> o 0 o (8,32):(32,1)      coordinate -> layout -> + offset -> swizzle -> offset in memory
//! ```
//!
//! The innermost layout is the domain: every operation on the domain applies to this layout and not
//! to the swizzles. A slice that no longer crosses bits that the swizzle changes is a plain layout
//! with another offset. Source: `cute/layout_composed.hpp`, `cute/swizzle_layout.hpp`.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::composition::composition;
use super::int_tuple::{IntTuple, Stride};
use super::layout::DynLayout;
use super::parse::{LayoutError, Result};
use super::rules::{MAX_POINTS, Rule, Swizzle, gcd};

/// The composed layout `swizzle o offset o inner`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Composed {
    swizzle: Swizzle,
    offset: i64,
    inner: Box<AnyLayout>,
}

/// A layout, plain or with swizzles applied after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnyLayout {
    /// A layout without a swizzle.
    Plain(DynLayout),
    /// A layout with a swizzle applied after it.
    Composed(Composed),
}

/// A type with a layout as its domain: every operation on shapes applies to this layout.
pub trait Domain: Sized + fmt::Display {
    /// Returns the innermost layout.
    fn domain(&self) -> &DynLayout;

    /// Whether there is no swizzle after the innermost layout.
    fn is_plain(&self) -> bool;

    /// Returns every offset in index order.
    ///
    /// # Errors
    /// Returns the errors of [`DynLayout::table`] and [`AnyLayout::table`].
    fn offsets(&self) -> Result<Vec<i64>>;

    /// Replaces the domain by the result of `f`. Swizzles and offsets do not change.
    ///
    /// # Errors
    /// Returns the errors of `f`, reported as a step of `operation`.
    fn map_domain(
        &self,
        operation: &'static str,
        others: &[&dyn fmt::Display],
        f: impl FnOnce(&DynLayout) -> Result<DynLayout>,
    ) -> Result<Self>;
}

impl Domain for DynLayout {
    fn domain(&self) -> &DynLayout {
        self
    }

    fn is_plain(&self) -> bool {
        true
    }

    fn offsets(&self) -> Result<Vec<i64>> {
        self.table()
    }

    fn map_domain(
        &self,
        _: &'static str,
        _: &[&dyn fmt::Display],
        f: impl FnOnce(&DynLayout) -> Result<DynLayout>,
    ) -> Result<Self> {
        f(self)
    }
}

impl Domain for AnyLayout {
    fn domain(&self) -> &DynLayout {
        self.domain_layout()
    }

    fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }

    fn offsets(&self) -> Result<Vec<i64>> {
        self.table()
    }

    fn map_domain(
        &self,
        operation: &'static str,
        others: &[&dyn fmt::Display],
        f: impl FnOnce(&DynLayout) -> Result<DynLayout>,
    ) -> Result<Self> {
        match self {
            Self::Plain(layout) => f(layout).map(Self::Plain),
            Self::Composed(_) => {
                let domain = f(self.domain_layout()).map_err(|error| {
                    let mut operands: Vec<&dyn fmt::Display> = vec![self];
                    operands.extend_from_slice(others);
                    error.again(operation, &operands)
                })?;
                Ok(self.with_domain(domain))
            }
        }
    }
}

impl Composed {
    /// Makes the composed layout `swizzle o offset o inner`.
    pub fn new(swizzle: Swizzle, offset: i64, inner: AnyLayout) -> Self {
        Self {
            swizzle,
            offset,
            inner: Box::new(inner),
        }
    }

    /// Returns the swizzle, which is applied last.
    pub fn swizzle(&self) -> Swizzle {
        self.swizzle
    }

    /// Returns the offset, which is added before the swizzle is applied.
    pub fn offset(&self) -> i64 {
        self.offset
    }

    /// Returns the inner layout, which is applied first.
    pub fn inner(&self) -> &AnyLayout {
        &self.inner
    }
}

impl AnyLayout {
    pub(super) fn domain_layout(&self) -> &DynLayout {
        match self {
            Self::Plain(layout) => layout,
            Self::Composed(outer) => outer.inner.domain_layout(),
        }
    }

    fn with_domain(&self, domain: DynLayout) -> Self {
        match self {
            Self::Plain(_) => Self::Plain(domain),
            Self::Composed(outer) => Self::Composed(Composed::new(
                outer.swizzle,
                outer.offset,
                outer.inner.with_domain(domain),
            )),
        }
    }

    /// Returns the shape of the domain.
    pub fn shape(&self) -> &IntTuple {
        self.domain_layout().shape()
    }

    /// Returns the number of elements.
    ///
    /// # Errors
    /// Returns [`Rule::Overflow`].
    pub fn size(&self) -> Result<i64> {
        self.domain_layout().size()
    }

    /// Returns the offset at an index.
    ///
    /// # Errors
    /// Returns [`Rule::BasisStride`] for scaled-basis strides, or [`Rule::Overflow`].
    pub fn offset(&self, index: i64) -> Result<i64> {
        match self {
            Self::Plain(layout) => layout.offset(index),
            Self::Composed(outer) => outer
                .inner
                .offset(index)?
                .checked_add(outer.offset)
                .map(|offset| outer.swizzle.apply(offset))
                .ok_or_else(|| LayoutError::new("layout", &[self, &index], Rule::Overflow)),
        }
    }

    /// Returns every offset in index order.
    ///
    /// # Errors
    /// Returns the errors of [`offset`](Self::offset).
    pub fn table(&self) -> Result<Vec<i64>> {
        (0..self.size()?).map(|index| self.offset(index)).collect()
    }
}

impl From<DynLayout> for AnyLayout {
    fn from(layout: DynLayout) -> Self {
        Self::Plain(layout)
    }
}

impl fmt::Display for Composed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} o {} o {}", self.swizzle, self.offset, self.inner)
    }
}

impl fmt::Display for AnyLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(layout) => layout.fmt(f),
            Self::Composed(outer) => outer.fmt(f),
        }
    }
}

/// Returns `swizzle o 0 o layout`, or the plain layout if the swizzle is the identity. CuTe's
/// `composition(Swizzle, layout)`.
///
/// ```
/// use layout_types::dynamic::{Swizzle, swizzled};
/// let layout = swizzled(Swizzle::new(2, 3, 3).unwrap(), "(8,32):(32,1)".parse().unwrap());
/// assert_eq!(layout.to_string(), "Sw<2,3,3> o 0 o (8,32):(32,1)");
/// ```
pub fn swizzled(swizzle: Swizzle, layout: DynLayout) -> AnyLayout {
    if swizzle.is_identity() {
        AnyLayout::Plain(layout)
    } else {
        AnyLayout::Composed(Composed::new(swizzle, 0, AnyLayout::Plain(layout)))
    }
}

/// Moves a swizzle from before a layout to after it: returns `layout o swizzle` as
/// `s o 0 o layout`. CuTe's `composition(layout, Swizzle)` maps the two bit masks through the
/// layout without a check.
///
/// Law: `s(layout(i)) == layout(swizzle(i))`. If each bit of an index sets its own bit of the
/// offset, or no bit, both sides are linear over bits and the law is checked on each bit; otherwise
/// it is checked on every index.
///
/// # Errors
/// Returns [`Rule::SwizzleMasks`] if the images of the masks are not the masks of a swizzle;
/// [`Rule::SwizzleDiffers`] if the law fails; [`Rule::TooManyPoints`] for more than 2^20 indices;
/// [`Rule::BasisStride`]; or [`Rule::Overflow`].
pub fn swizzle_behind(layout: &DynLayout, swizzle: Swizzle) -> Result<AnyLayout> {
    let fail = |rule| LayoutError::new("composition", &[layout, &swizzle], rule);
    let outer = moved(layout, swizzle).map_err(fail)?;
    let size = layout.size()?;
    let by_bits = deciding_bits(layout, swizzle)
        .is_some_and(|bits| agree(layout, swizzle, outer, bits).is_ok());
    // Bits past the end of the layout need not agree if all indices agree.
    if !by_bits {
        few(size).map_err(fail)?;
        agree(layout, swizzle, outer, 0..size).map_err(fail)?;
    }
    Ok(swizzled(outer, layout.clone()))
}

/// Returns the swizzle whose masks are the images of the masks of `swizzle`. No other swizzle after
/// the layout can equal `swizzle` before it.
fn moved(layout: &DynLayout, swizzle: Swizzle) -> Result<Swizzle, Rule> {
    let at = |index| layout.offset(index).map_err(|error| error.rule());
    Swizzle::from_masks(at(swizzle.yyy_mask())?, at(swizzle.zzz_mask())?)
}

/// Checks that `outer` after the layout equals `swizzle` before it,
/// `outer(layout(i)) == layout(swizzle(i))`, at each of the indices.
fn agree(
    layout: &DynLayout,
    swizzle: Swizzle,
    outer: Swizzle,
    indices: impl IntoIterator<Item = i64>,
) -> Result<(), Rule> {
    let at = |index| layout.offset(index).map_err(|error| error.rule());
    for index in indices {
        if outer.apply(at(index)?) != at(swizzle.apply(index))? {
            return Err(Rule::SwizzleDiffers { at: index });
        }
    }
    Ok(())
}

/// Refuses more indices than can be compared one by one.
fn few(indices: i64) -> Result<(), Rule> {
    if indices <= MAX_POINTS {
        Ok(())
    } else {
        Err(Rule::TooManyPoints { most: MAX_POINTS })
    }
}

/// Whether each bit of an index sets its own bit of the offset, or no bit. Then the offset of
/// `i ^ j` is the exclusive or of the offsets of `i` and `j`.
fn is_bit_linear(layout: &DynLayout) -> bool {
    let is_bit = |n: i64| n > 0 && n.count_ones() == 1;
    let mut taken = 0;
    layout.flat_modes().into_iter().all(|(extent, stride)| {
        let value = stride.value();
        if stride.is_basis() || !is_bit(extent) || !(value == 0 || is_bit(value)) {
            return false;
        }
        let Some(bits) = (extent - 1).checked_mul(value) else {
            return false;
        };
        let own = taken & bits == 0;
        taken |= bits;
        own
    })
}

/// Returns the bits that decide whether the swizzle can be moved after the layout: the bits of the
/// layout's indices and of the swizzle's masks. Returns `None` if the layout is not linear over
/// these bits.
fn deciding_bits(layout: &DynLayout, swizzle: Swizzle) -> Option<impl Iterator<Item = i64>> {
    let masks = swizzle.yyy_mask() | swizzle.zzz_mask();
    let size = layout.size().ok()?;
    let linear = is_bit_linear(layout) && (masks < size || is_linear_past_end(layout));
    let bits = 64 - masks.leading_zeros();
    linear.then(|| (0..bits.max(size.ilog2())).map(|bit| 1 << bit))
}

/// Whether the deciding bits show that the swizzles also agree past the end of the layout.
fn agrees_past_end(layout: &DynLayout, swizzle: Swizzle, outer: Swizzle) -> bool {
    let agrees = |bits| agree(layout, swizzle, outer, bits).is_ok();
    is_linear_past_end(layout) && deciding_bits(layout, swizzle).is_some_and(agrees)
}

/// Whether the layout is also linear over bits past its end, where its last mode continues.
fn is_linear_past_end(layout: &DynLayout) -> bool {
    // The last mode as written continues past the end, even if its extent is 1.
    let modes = layout.flat_modes();
    let end = modes.last().map_or(Some(0), |(extent, stride)| {
        extent.checked_mul(stride.value())
    });
    let beyond = |end: i64| end == 0 || layout.cosize().is_ok_and(|cosize| cosize <= end);
    is_bit_linear(layout) && end.is_some_and(beyond)
}

/// Composes `a` after `b`, each with or without swizzles: CuTe's `composition` of composed layouts.
///
/// # Errors
/// Returns the errors of [`composition`] and [`swizzle_behind`], or [`Rule::Offset`] if `a` is
/// plain and `b` has an offset.
///
/// ```
/// use layout_types::dynamic::{AnyLayout, composition_any};
/// let a: AnyLayout = "(8,8):(8,1)".parse().unwrap();
/// let b: AnyLayout = "Sw<2,0,-3> o 0 o (8,8):(8,1)".parse().unwrap();
/// assert_eq!(composition_any(&a, &b).unwrap().to_string(), "Sw<2,0,3> o 0 o (8,8):(1,8)");
/// ```
pub fn composition_any(a: &AnyLayout, b: &AnyLayout) -> Result<AnyLayout> {
    match (a, b) {
        (_, AnyLayout::Plain(b)) => composition(a, b),
        (AnyLayout::Composed(outer), _) => {
            let inner = composition_any(&outer.inner, b)?;
            Ok(AnyLayout::Composed(Composed::new(
                outer.swizzle,
                outer.offset,
                inner,
            )))
        }
        (AnyLayout::Plain(layout), AnyLayout::Composed(right)) => {
            if right.offset != 0 {
                return Err(LayoutError::new(
                    "composition",
                    &[a, b],
                    Rule::Offset {
                        offset: right.offset,
                    },
                ));
            }
            let moved = swizzle_behind(layout, right.swizzle)
                .map_err(|error| error.within("composition", &[a, b]))?;
            // Past the end of the left layout its last mode continues, and there the moved swizzle
            // may differ from the original one.
            if let AnyLayout::Composed(outer) = &moved
                && !stays_below(&right.inner, layout.size()?)
                && !agrees_past_end(layout, right.swizzle, outer.swizzle)
            {
                let fail = |rule| LayoutError::new("composition", &[a, b], rule);
                if let Some(stride) = falls(right.inner.domain_layout()) {
                    return Err(fail(Rule::NegativeStride { stride }));
                }
                few(right.inner.size()?).map_err(fail)?;
                agree(layout, right.swizzle, outer.swizzle, right.inner.table()?).map_err(fail)?;
            }
            composition_any(&moved, &right.inner)
        }
    }
}

/// Whether every offset is in `0..end`. Returns `false` for a layout with a swizzle.
fn stays_below(layout: &AnyLayout, end: i64) -> bool {
    let AnyLayout::Plain(plain) = layout else {
        return false;
    };
    falls(plain).is_none() && plain.cosize().is_ok_and(|cosize| cosize <= end)
}

/// Returns the first negative stride of a mode with more than one element.
fn falls(layout: &DynLayout) -> Option<i64> {
    let negative = |(extent, stride): &(i64, &Stride)| *extent > 1 && stride.value() < 0;
    let found = layout.flat_modes().into_iter().find(negative);
    found.map(|(_, stride)| stride.value())
}

/// Splits a layout that has an inverse into its swizzle and its plain layout: it may have at most
/// one swizzle, without offset.
fn invertible(layout: &AnyLayout) -> Result<(Swizzle, &DynLayout), Rule> {
    match layout {
        AnyLayout::Plain(plain) => Ok((Swizzle::IDENTITY, plain)),
        AnyLayout::Composed(outer) if outer.offset != 0 => Err(Rule::Offset {
            offset: outer.offset,
        }),
        AnyLayout::Composed(outer) => match outer.inner() {
            AnyLayout::Plain(plain) => Ok((outer.swizzle, plain)),
            AnyLayout::Composed(_) => Err(Rule::Swizzles),
        },
    }
}

/// Inverts a layout with at most one swizzle and no offset, like
/// [`right_inverse`](super::right_inverse). The result is the layout `r` with `layout(r(i)) == i`
/// for every `i` of `r`.
///
/// A swizzle is its own inverse, so `r` is the plain layout's right inverse after the swizzle. The
/// run of that inverse is cut where the swizzle moves an offset out of the run.
///
/// # Errors
/// Returns the errors of [`right_inverse`](super::right_inverse) and [`swizzle_behind`];
/// [`Rule::Offset`]; or [`Rule::Swizzles`].
///
/// ```
/// use layout_types::dynamic::{AnyLayout, right_inverse_any};
/// let inverse = |text: &str| right_inverse_any(&text.parse::<AnyLayout>().unwrap()).unwrap().to_string();
/// assert_eq!(inverse("Sw<1,0,2> o 0 o (4,4):(1,4)"), "Sw<1,0,2> o 0 o 16:1");
/// assert_eq!(inverse("Sw<1,2,1> o 0 o (3,4):(1,3)"), "8:1"); // the swizzle takes 8 to 12, which is no offset
/// ```
pub fn right_inverse_any(layout: &AnyLayout) -> Result<AnyLayout> {
    let fail = |rule| LayoutError::new("right_inverse", &[layout], rule);
    let again = |error: LayoutError| error.again("right_inverse", &[layout]);
    let (swizzle, plain) = invertible(layout).map_err(fail)?;
    let inverse = super::right_inverse(plain).map_err(again)?;
    let size = inverse.size().map_err(again)?;
    let run = prefix(&inverse, swizzle.prefix_within(size)).map_err(again)?;
    let indices = run.size().map_err(again)?;
    if indices <= swizzle.first_moved() {
        return Ok(AnyLayout::Plain(run));
    }
    let outer = moved(&inverse, swizzle).map_err(fail)?;
    if let Some(bits) = deciding_bits(&inverse, swizzle) {
        agree(&inverse, swizzle, outer, bits).map_err(fail)?;
    } else {
        few(indices).map_err(fail)?;
        agree(&inverse, swizzle, outer, 0..indices).map_err(fail)?;
    }
    Ok(swizzled(outer, run))
}

/// Returns the first elements of a flat layout, at most `most`: whole modes, and as much of the
/// next mode as fits.
fn prefix(layout: &DynLayout, most: i64) -> Result<DynLayout> {
    let (mut left, mut modes) = (most, Vec::new());
    for (extent, stride) in layout.flat_modes() {
        let taken = extent.min(left);
        if taken > 1 {
            modes.push(DynLayout::leaf(taken, stride.clone()));
        }
        left = if taken == extent { left / extent } else { 1 };
    }
    match modes.len() {
        0 => Ok(DynLayout::one()),
        1 => Ok(modes.remove(0)),
        _ => DynLayout::from_modes(modes),
    }
}

/// Inverts a layout with at most one swizzle and no offset, like
/// [`left_inverse`](super::left_inverse). The result is the layout `l` with `l(layout(i)) == i` if
/// the layout is injective.
///
/// # Errors
/// Returns the errors of [`left_inverse`](super::left_inverse) and [`swizzle_behind`];
/// [`Rule::Offset`]; or [`Rule::Swizzles`].
pub fn left_inverse_any(layout: &AnyLayout) -> Result<AnyLayout> {
    let fail = |rule| LayoutError::new("left_inverse", &[layout], rule);
    let again = |error: LayoutError| error.again("left_inverse", &[layout]);
    let (swizzle, plain) = invertible(layout).map_err(fail)?;
    let inverse = super::left_inverse(plain).map_err(again)?;
    if swizzle.is_identity() || plain.cosize().map_err(again)? <= swizzle.first_moved() {
        return Ok(AnyLayout::Plain(inverse));
    }
    let outer = moved(&inverse, swizzle).map_err(fail)?;
    if let Some(bits) = deciding_bits(&inverse, swizzle) {
        agree(&inverse, swizzle, outer, bits).map_err(fail)?;
    } else {
        few(plain.size().map_err(again)?).map_err(fail)?;
        agree(&inverse, swizzle, outer, layout.table().map_err(again)?).map_err(fail)?;
    }
    Ok(swizzled(outer, inverse))
}

/// Returns the widest vector with which the whole composed layout can be accessed. This is
/// [`max_alignment`](super::max_alignment), limited to the runs that each swizzle moves as one
/// piece.
///
/// # Errors
/// Returns the errors of [`max_alignment`](super::max_alignment).
pub fn max_alignment_any(layout: &AnyLayout) -> Result<i64> {
    match layout {
        AnyLayout::Plain(plain) => super::max_alignment(plain),
        AnyLayout::Composed(outer) => {
            let whole = gcd(1 << outer.swizzle.base(), outer.offset);
            Ok(gcd(whole, max_alignment_any(outer.inner())?))
        }
    }
}

/// Returns [`max_common_vector`](super::max_common_vector) of composed layouts, limited to the
/// vectors that both swizzles move as one piece. Two layouts with the same swizzle also agree
/// beyond this limit, but their elements are not contiguous there.
///
/// # Errors
/// Returns the errors of [`max_common_vector`](super::max_common_vector).
pub fn max_common_vector_any(a: &AnyLayout, b: &AnyLayout) -> Result<i64> {
    max_common_layout_any(a, b)?.size()
}

/// Returns [`max_common_layout`](super::max_common_layout) of composed layouts, with the limit of
/// [`max_common_vector_any`].
///
/// # Errors
/// Returns the errors of [`max_common_layout`](super::max_common_layout).
pub fn max_common_layout_any(a: &AnyLayout, b: &AnyLayout) -> Result<DynLayout> {
    let common = super::max_common_layout(a.domain_layout(), b.domain_layout())
        .map_err(|error| error.again("max_common_layout", &[a, b]))?;
    let whole = whole_vector(a, b);
    if whole < common.size()? {
        prefix(&common, whole)
    } else {
        Ok(common)
    }
}

/// Returns the length of the longest run that the swizzles of both layouts move as one piece.
fn whole_vector(a: &AnyLayout, b: &AnyLayout) -> i64 {
    fn swizzles(layout: &AnyLayout) -> Vec<(Swizzle, i64)> {
        match layout {
            AnyLayout::Plain(_) => Vec::new(),
            AnyLayout::Composed(outer) => {
                let mut all = swizzles(outer.inner());
                all.push((outer.swizzle, outer.offset));
                all
            }
        }
    }
    swizzles(a)
        .into_iter()
        .chain(swizzles(b))
        .map(|(swizzle, offset)| gcd(1 << swizzle.base(), offset))
        .min()
        .unwrap_or(i64::MAX)
}
