//! A record: the accesses of one warp to one line of granules.
//!
//! ```text
//! granule   0 1 2 3 4 5 6 7 8 9 ...        stride 4, extent 2, first granule 1
//! lane      . 3 3 . . 4 4 . . 5 ...        from there on four granules are lane 3's, the next four lane 4's
//! ```
//!
//! Law: in a row each lane has a block of `stride` granules, of which the accesses lie in the first
//! `extent`. So a granule of the mask is one lane's, and rows of one stride whose accesses lie
//! within the same blocks agree whose.
//!
//! A swizzled row takes a line in blocks as well, lane `n ^ x` of those of the line the block `n`:
//! so do words of a tile whose rows a swizzle permutes.

use super::super::releases::Home;
use super::{LINE, Part};
use crate::ir::Scope;

/// The warp's number.
pub(super) const WARP_BITS: u32 = 0x3ff;
/// Bits of `who`: a row's first granule, its extent less one, and its stride, 0 where it is none.
pub(super) const FIRST_GRANULE: u32 = 10;
pub(super) const EXTENT: u32 = 15;
pub(super) const STRIDE: u32 = 20;
/// Without a stride every lane used every granule, or, where it is [`VAGUE`], some of them.
const ROW: u32 = 31 << STRIDE;
pub(super) const VAGUE: u32 = 1 << 25;
/// All bits that say which lane used which granule.
pub(super) const FORM: u32 = VAGUE | ROW | 31 << EXTENT | 31 << FIRST_GRANULE;
pub(super) const WRITE: u32 = 1 << 26;
pub(super) const STRONG: u32 = 1 << 27;
/// The scope of a strong access, in two bits.
const SCOPE: u32 = 28;
/// By a bulk copy.
pub(super) const BULK: u32 = 1 << 30;
/// A fence of the tensor maps' proxy stands behind the write.
pub(super) const MAPPED: u32 = 1 << 31;

/// The extent of a swizzled row, which is more than any stride has; `x` takes the bits of the first
/// granule.
const SWIZZLED: u32 = 31 << EXTENT;

/// The form of a row whose lowest lane's accesses begin at that granule.
pub(super) fn row_form(first: usize, extent: usize, stride: usize) -> u32 {
    debug_assert!(first < LINE && (1..=stride).contains(&extent) && stride < LINE);
    (stride as u32) << STRIDE | (extent as u32 - 1) << EXTENT | (first as u32) << FIRST_GRANULE
}

/// The form of a swizzled row: blocks of `width` granules, a power of two, by lanes whose numbers
/// in the line are the block's with the bits of `x` flipped.
pub(super) fn swizzled_form(width: usize, x: usize) -> u32 {
    debug_assert!(width.is_power_of_two() && width < LINE && x < LINE / width);
    (width as u32) << STRIDE | SWIZZLED | (x as u32) << FIRST_GRANULE
}

/// The bits of a record's site that number the instruction; above them is the size of a strong
/// access.
const SITE_BITS: u32 = 29;
const SITE: u32 = (1 << SITE_BITS) - 1;

/// What an access is beside its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub home: Home,
    /// The warp in its cluster, and the warps of each block there.
    pub warp: u32,
    pub block_warps: u32,
    pub site: u32,
    pub write: bool,
    pub strong: Option<Scope>,
    /// Bytes of an element of a strong access; 0 where it counts as of the size of any other.
    pub bytes: u8,
    pub bulk: bool,
}

impl Access {
    pub(super) fn who(&self) -> u32 {
        let strong = self
            .strong
            .map_or(0, |scope| STRONG | (scope as u32) << SCOPE);
        self.warp | strong | if self.write { WRITE } else { 0 } | if self.bulk { BULK } else { 0 }
    }

    /// The site as a record has it.
    #[inline(always)]
    fn sized_site(&self) -> u32 {
        match self.strong {
            Some(_) if self.bytes != 0 => self.site & SITE | (self.bytes.ilog2() + 1) << SITE_BITS,
            _ => self.site & SITE,
        }
    }
}

/// Accesses of one warp to one line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Record {
    /// Granules.
    pub mask: u32,
    pub lanes: u32,
    pub time: u32,
    /// The instruction and the size: [`site`](Record::site), [`bytes`](Record::bytes).
    pub sized_site: u32,
    pub unit: u32,
    pub who: u32,
}

impl Record {
    /// What a part of an access would leave, by [`Access::who`].
    #[inline(always)]
    pub fn of(part: &Part, access: &Access, who: u32) -> Record {
        Record {
            mask: part.mask,
            lanes: part.lanes,
            time: part.time,
            sized_site: access.sized_site(),
            unit: access.home.unit,
            who: who | part.form,
        }
    }

    pub fn warp(&self) -> usize {
        (self.who & WARP_BITS) as usize
    }

    pub fn is(&self, bit: u32) -> bool {
        self.who & bit != 0
    }

    /// The instruction.
    pub fn site(&self) -> u32 {
        self.sized_site & SITE
    }

    /// Bytes of an element of a strong access; 0 where it counts as of the size of any other.
    pub fn bytes(&self) -> u8 {
        (1u8 << (self.sized_site >> SITE_BITS)) >> 1
    }

    /// Whether two strong accesses of a place are of the same bytes of it: they lie at multiples of
    /// their size. Source: PTX ISA, "Morally strong operations", "Overlap".
    #[inline]
    pub fn overlaps_completely(&self, other: &Record) -> bool {
        let (mine, theirs) = (self.sized_site >> SITE_BITS, other.sized_site >> SITE_BITS);
        mine == theirs || mine == 0 || theirs == 0
    }

    /// Whether both are of one size, or count as of any: records of several sizes are never one.
    #[inline(always)]
    pub fn is_same_size(&self, other: &Record) -> bool {
        (self.sized_site ^ other.sized_site) >> SITE_BITS == 0
    }

    /// Whether whoever races with this record races with a strong access too that is behind it.
    #[inline]
    pub fn is_as_strong(&self, new: &Record) -> bool {
        let of_any_size = self.sized_site >> SITE_BITS == 0;
        self.is(STRONG) && self.scope() >= new.scope() && (of_any_size || self.is_same_size(new))
    }

    pub fn is_row(&self) -> bool {
        self.is(ROW)
    }

    fn is_swizzled(&self) -> bool {
        self.who & SWIZZLED == SWIZZLED
    }

    /// The lane that would have a line's first block if a swizzled row permuted nothing.
    fn first_of_line(&self) -> u32 {
        let of_line = LINE as u32 / self.stride();
        self.lanes.trailing_zeros() & !(of_line - 1)
    }

    /// Of some of the lanes it is not known whether they used a granule at all.
    pub fn is_scattered_read(&self) -> bool {
        self.is(VAGUE) && !self.is(WRITE | STRONG)
    }

    pub fn scope(&self) -> Scope {
        match self.who >> SCOPE & 3 {
            0 => Scope::Block,
            1 => Scope::Cluster,
            _ => Scope::Device,
        }
    }

    fn stride(&self) -> u32 {
        self.who >> STRIDE & 31
    }

    fn extent(&self) -> i32 {
        (self.who >> EXTENT & 31) as i32 + 1
    }

    /// The granules from where lane 0's block would begin to the line's start.
    fn origin(&self) -> i32 {
        let first = (self.who >> FIRST_GRANULE & 31) as i32;
        (self.lanes.trailing_zeros() * self.stride()) as i32 - first
    }

    /// The lanes that may have used a granule.
    #[inline]
    pub fn lanes_at(&self, granule: u32) -> u32 {
        if !self.is_row() {
            return self.lanes;
        }
        let first = self.who >> FIRST_GRANULE & 31;
        let lane = match self.is_swizzled() {
            true => self.first_of_line() + ((granule / self.stride()) ^ first),
            false => {
                let nth = granule.wrapping_sub(first) / self.stride();
                self.lanes.trailing_zeros().saturating_add(nth)
            }
        };
        1u32.checked_shl(lane).unwrap_or(0)
    }

    /// Whether both are rows in which a granule is the same lane's: the stride's granules that
    /// their accesses take together.
    #[inline]
    fn common_extent(&self, other: &Record) -> Option<i32> {
        if !self.is_row() || (self.who ^ other.who) & ROW != 0 {
            return None;
        }
        let apart = self.origin() - other.origin();
        let (mine, theirs) = (self.extent(), other.extent());
        let extent = match apart >= 0 {
            true => mine.max(theirs + apart),
            false => theirs.max(mine - apart),
        };
        (extent <= self.stride() as i32).then_some(extent)
    }

    /// Whether both are rows in which a granule is the same lane's.
    #[inline]
    pub fn is_same_row(&self, other: &Record) -> bool {
        match self.is_swizzled() || other.is_swizzled() {
            true => self.is_same_swizzle(other),
            false => self.common_extent(other).is_some(),
        }
    }

    #[inline]
    fn is_same_swizzle(&self, other: &Record) -> bool {
        (self.who ^ other.who) & FORM == 0 && self.first_of_line() == other.first_of_line()
    }

    /// Whether both are of one and the same lane.
    #[inline]
    pub fn is_same_lane(&self, other: &Record) -> bool {
        self.lanes == other.lanes && self.lanes.is_power_of_two()
    }

    /// Whether both are of one warp's threads, and each granule of both is the same thread's.
    #[inline]
    pub fn is_same_threads(&self, other: &Record) -> bool {
        self.unit == other.unit
            && (self.who ^ other.who) & WARP_BITS == 0
            && (self.is_same_row(other) || self.is_same_lane(other))
    }

    /// Whether an access says what this record says already: the same kind, at the same time, by
    /// the same threads, of no other granules.
    #[inline(always)]
    pub fn covers(&self, new: &Record) -> bool {
        let same = (self.time, self.unit) == (new.time, new.unit)
            && self.is_same_size(new)
            && new.mask & !self.mask == 0;
        let form = self.who ^ new.who;
        same && (form == 0 && self.lanes == new.lanes
            || form & !FORM == 0 && new.lanes & !self.lanes == 0 && self.is_same_row(new))
    }

    /// The form of two rows together in which a granule is the same lane's; none where it cannot be
    /// written.
    pub fn joined(&self, other: &Record) -> Option<u32> {
        if self.is_swizzled() || other.is_swizzled() {
            return self.is_same_swizzle(other).then_some(self.who & FORM);
        }
        let extent = self.common_extent(other)?;
        let lowest = (self.lanes | other.lanes).trailing_zeros();
        let first = (lowest * self.stride()) as i32 - self.origin().max(other.origin());
        let form = |first| row_form(first, extent as usize, self.stride() as usize);
        usize::try_from(first).ok().map(form)
    }
}
