//! Layouts behind swizzles: `Sw<B,M,S> o offset o layout`.
//!
//! ```text
//! Sw<2,3,3> o 0 o (8,32):(32,1)      coordinate -> layout -> + offset -> swizzle -> offset in memory
//! ```
//!
//! The innermost layout holds the domain, so every operation on the domain applies to it alone. A slice that
//! no longer crosses bits that the swizzle exchanges is a plain layout again, with another offset.
//! Source: `cute/layout_composed.hpp`, `cute/swizzle_layout.hpp`.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::composition::{compose, composition};
use super::coord::{Coord, CoordLeaf, crd2idx, slice};
use super::error::{LayoutError, Result};
use super::int_tuple::{IntTuple, Nested};
use super::layout::DynLayout;
use super::rules::{Rule, Swizzle, gcd};

/// `swizzle o offset o inner`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Composed {
    swizzle: Swizzle,
    offset: i64,
    inner: Box<AnyLayout>,
}

/// A layout, plain or behind swizzles.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnyLayout {
    /// A layout.
    Plain(DynLayout),
    /// A layout behind a swizzle.
    Composed(Composed),
}

/// What has a layout as its domain: every operation on shapes applies to that layout.
pub trait Domain: Sized + fmt::Display {
    /// The innermost layout.
    fn domain(&self) -> &DynLayout;

    /// The same with another domain.
    ///
    /// # Errors
    /// Those of `f`, as a step of the operation.
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
                    error.within(operation, &operands)
                })?;
                Ok(self.with_domain(domain))
            }
        }
    }
}

impl Composed {
    /// `swizzle o offset o inner`.
    pub fn new(swizzle: Swizzle, offset: i64, inner: AnyLayout) -> Self {
        Self { swizzle, offset, inner: Box::new(inner) }
    }

    /// The outermost function.
    pub fn swizzle(&self) -> Swizzle {
        self.swizzle
    }

    /// What is added before it.
    pub fn offset(&self) -> i64 {
        self.offset
    }

    /// What is applied first.
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
            Self::Composed(outer) => {
                Self::Composed(Composed::new(outer.swizzle, outer.offset, outer.inner.with_domain(domain)))
            }
        }
    }

    /// The shape of the domain.
    pub fn shape(&self) -> &IntTuple {
        self.domain_layout().shape()
    }

    /// The number of elements.
    ///
    /// # Errors
    /// [`Rule::Overflow`].
    pub fn size(&self) -> Result<i64> {
        self.domain_layout().size()
    }

    /// The offset at an index.
    ///
    /// # Errors
    /// [`Rule::BasisStride`] for scaled-basis strides; [`Rule::Overflow`].
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

    /// Every offset in index order.
    ///
    /// # Errors
    /// As [`offset`](Self::offset).
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

/// `swizzle o 0 o layout`; behind the identity the layout stays as it is. CuTe's
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

/// `layout o swizzle` as a swizzle behind the layout, `s o 0 o layout`: CuTe's `composition(layout, Swizzle)`,
/// which maps the two bit masks through the layout and hopes.
///
/// Law, checked on every index: `s(layout(i)) == layout(swizzle(i))`.
///
/// # Errors
/// [`Rule::SwizzleMasks`] where the masks' images are no masks of a swizzle; [`Rule::SwizzleDiffers`] where the
/// law fails; [`Rule::BasisStride`], [`Rule::Overflow`].
pub fn swizzle_behind(layout: &DynLayout, swizzle: Swizzle) -> Result<AnyLayout> {
    let fail = |rule| LayoutError::new("composition", &[layout, &swizzle], rule);
    let y = layout.offset(swizzle.yyy_mask())?;
    let z = layout.offset(swizzle.zzz_mask())?;
    let outer = Swizzle::from_masks(y, z).map_err(fail)?;
    for index in 0..layout.size()? {
        if outer.apply(layout.offset(index)?) != layout.offset(swizzle.apply(index))? {
            return Err(fail(Rule::SwizzleDiffers { at: index }));
        }
    }
    Ok(swizzled(outer, layout.clone()))
}

/// `a` after `b` where either may be behind a swizzle: CuTe's `composition` of composed layouts.
///
/// # Errors
/// Those of [`composition`] and [`swizzle_behind`]; [`Rule::Offset`] where a plain `a` meets a `b` with an
/// offset.
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
            Ok(AnyLayout::Composed(Composed::new(outer.swizzle, outer.offset, inner)))
        }
        (AnyLayout::Plain(layout), AnyLayout::Composed(right)) => {
            if right.offset != 0 {
                return Err(LayoutError::new("composition", &[a, b], Rule::Offset { offset: right.offset }));
            }
            let moved = swizzle_behind(layout, right.swizzle).map_err(|error| error.within("composition", &[a, b]))?;
            composition_any(&moved, &right.inner)
        }
    }
}

fn inverse(
    operation: &'static str,
    layout: &AnyLayout,
    f: fn(&DynLayout) -> Result<DynLayout>,
) -> Result<AnyLayout> {
    let fail = |rule| LayoutError::new(operation, &[layout], rule);
    match layout {
        AnyLayout::Plain(plain) => f(plain).map(AnyLayout::Plain),
        AnyLayout::Composed(outer) if outer.offset != 0 => Err(fail(Rule::Offset { offset: outer.offset })),
        AnyLayout::Composed(outer) => match outer.inner() {
            // (s o l)^-1 = l^-1 o s, as a swizzle is its own inverse; then s is moved behind l^-1.
            AnyLayout::Plain(plain) => {
                swizzle_behind(&f(plain)?, outer.swizzle).map_err(|error| error.within(operation, &[layout]))
            }
            AnyLayout::Composed(_) => Err(fail(Rule::Rank { found: 2, needed: 1 })),
        },
    }
}

/// [`right_inverse`](super::right_inverse) of a layout behind at most one swizzle without offset.
///
/// # Errors
/// Those of [`right_inverse`](super::right_inverse) and [`swizzle_behind`]; [`Rule::Offset`].
pub fn right_inverse_any(layout: &AnyLayout) -> Result<AnyLayout> {
    inverse("right_inverse", layout, super::right_inverse)
}

/// [`left_inverse`](super::left_inverse) of a layout behind at most one swizzle without offset.
///
/// # Errors
/// As [`right_inverse_any`].
pub fn left_inverse_any(layout: &AnyLayout) -> Result<AnyLayout> {
    inverse("left_inverse", layout, super::left_inverse)
}

/// The widest vector that a layout behind swizzles allows everywhere: [`max_alignment`](super::max_alignment)
/// cut to what each swizzle moves whole.
///
/// # Errors
/// As [`max_alignment`](super::max_alignment).
pub fn max_alignment_any(layout: &AnyLayout) -> Result<i64> {
    match layout {
        AnyLayout::Plain(plain) => super::max_alignment(plain),
        AnyLayout::Composed(outer) => {
            let whole = gcd(1 << outer.swizzle.base(), outer.offset);
            Ok(gcd(whole, max_alignment_any(outer.inner())?))
        }
    }
}

/// [`max_common_vector`](super::max_common_vector) of layouts behind swizzles: cut to the vectors that both
/// swizzles move whole, unless they are the same swizzle.
///
/// # Errors
/// As [`max_common_vector`](super::max_common_vector).
pub fn max_common_vector_any(a: &AnyLayout, b: &AnyLayout) -> Result<i64> {
    let vector = super::max_common_vector(a.domain_layout(), b.domain_layout())?;
    let whole = |layout: &AnyLayout| match layout {
        AnyLayout::Plain(_) => i64::MAX,
        AnyLayout::Composed(outer) => 1 << outer.swizzle.base(),
    };
    match (a, b) {
        (AnyLayout::Composed(x), AnyLayout::Composed(y)) if x.swizzle == y.swizzle => Ok(vector),
        _ => Ok(vector.min(whole(a)).min(whole(b))),
    }
}

/// The layout of a swizzle's bits: `(2^M, 2^B, 2^(|S|-B), 2^B, 1)` with the strides given for each part.
fn bit_layout(swizzle: Swizzle, strides: [Vec<i64>; 5]) -> Result<DynLayout> {
    let gap = swizzle.shift().unsigned_abs() - swizzle.bits();
    let widths = [swizzle.base(), swizzle.bits(), gap, swizzle.bits(), 0];
    let mut modes = Vec::new();
    for (width, strides) in widths.into_iter().zip(strides) {
        let part = match strides[..] {
            [stride] => DynLayout::leaf(1 << width, stride),
            _ => match strides.len() {
                0 => DynLayout::one(),
                _ => DynLayout::from_modes(strides.into_iter().map(|stride| DynLayout::leaf(2, stride)).collect())?,
            },
        };
        modes.push(part);
    }
    DynLayout::from_modes(modes)
}

/// The modes under `_` and the offset of the first element: CuTe's `slice_and_offset` of a swizzled layout.
///
/// Where the slice crosses only bits that the swizzle reads, or only bits that it changes, or neither, the
/// result is a plain layout; otherwise the swizzle stays, with what is fixed as its offset.
///
/// Law: `slice(i) + offset == layout(coord with its _ replaced by i)`.
///
/// # Errors
/// Those of [`slice`] and [`composition`]; [`Rule::BasisStride`]; [`Rule::NegativeStride`] for an offset below 0.
///
/// ```
/// use layout_types::dynamic::{AnyLayout, slice_and_offset_any};
/// let layout: AnyLayout = "Sw<3,0,3> o 0 o (8,8):(8,1)".parse().unwrap();
/// let (row, offset) = slice_and_offset_any(&"(2,_)".parse().unwrap(), &layout).unwrap();
/// assert_eq!((row.to_string().as_str(), offset), ("((2,2,2)):((1,-2,4))", 18));
/// ```
pub fn slice_and_offset_any(coord: &Coord, layout: &AnyLayout) -> Result<(AnyLayout, i64)> {
    let fail = |rule| LayoutError::new("slice_and_offset", &[coord, layout], rule);
    let outer = match layout {
        AnyLayout::Plain(plain) => {
            let Nested::Leaf(offset) = crd2idx(coord, plain)? else { return Err(fail(Rule::BasisStride)) };
            return Ok((AnyLayout::Plain(slice(coord, plain)?), offset));
        }
        AnyLayout::Composed(outer) => outer,
    };
    let AnyLayout::Plain(inner) = outer.inner() else {
        // A swizzle behind a swizzle: what is fixed moves through the inner one first.
        let (sliced, offset) = slice_and_offset_any(coord, outer.inner())?;
        let offset = offset.checked_add(outer.offset).ok_or(fail(Rule::Overflow))?;
        return Ok((AnyLayout::Composed(Composed::new(outer.swizzle, offset, sliced)), 0));
    };
    let sliced = slice(coord, inner)?;
    if coord.leaves().into_iter().all(|leaf| *leaf == CoordLeaf::Underscore) {
        return Ok((AnyLayout::Composed(Composed::new(outer.swizzle, outer.offset, sliced.into())), 0));
    }
    let Nested::Leaf(start) = crd2idx(coord, inner)? else { return Err(fail(Rule::BasisStride)) };
    let start = start.checked_add(outer.offset).ok_or(fail(Rule::Overflow))?;
    if start < 0 {
        return Err(fail(Rule::NegativeStride { stride: start }));
    }
    let swizzle = outer.swizzle;
    let (y_mask, z_mask) = (swizzle.yyy_mask(), swizzle.zzz_mask());
    let (fixed, passed) = (start & (y_mask | z_mask), start & !(y_mask | z_mask));
    let b = swizzle.bits();
    let one = |stride: i64| vec![stride];
    // The bits of Y and Z that the slice crosses: the last offset of the slice, all other bits dropped.
    let (low, high) = (1 << swizzle.base(), 1 << (swizzle.base() + swizzle.shift().unsigned_abs()));
    let only_zy = bit_layout(swizzle, [one(0), one(low), one(0), one(high), one(0)])?;
    let active = compose(&only_zy, &sliced).map_err(|error| error.within("slice_and_offset", &[coord, layout]))?;
    let active = active.offset(active.size()? - 1)?;
    if active & !swizzle.apply(active) != 0 {
        return Ok((AnyLayout::Composed(Composed::new(swizzle, fixed, sliced.into())), passed));
    }
    // Each bit crossed is one step: a changed bit counts up or down as the bit it is exchanged with is clear
    // or set; a bit read takes the changed bit with it.
    let (y, z) = (y_mask & -y_mask, z_mask & -z_mask);
    let changed = |i: u32| if fixed & (y << i) == 0 { z << i } else { -(z << i) };
    let read = |i: u32| if fixed & (z << i) == 0 { (y + z) << i } else { (y - z) << i };
    let (low, high): (Vec<i64>, Vec<i64>) =
        if z < y { ((0..b).map(changed).collect(), (0..b).map(read).collect()) } else { ((0..b).map(read).collect(), (0..b).map(changed).collect()) };
    let base = swizzle.base();
    let bits = bit_layout(
        swizzle,
        [one(1), low, one(1 << (base + b)), high, one(1 << (base + b + swizzle.shift().unsigned_abs()))],
    )?;
    let plain = compose(&bits, &sliced).map_err(|error| error.within("slice_and_offset", &[coord, layout]))?;
    Ok((AnyLayout::Plain(plain), swizzle.apply(fixed) + passed))
}
