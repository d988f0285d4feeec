//! A record: the accesses of one warp to one line of granules.
//!
//! ```text
//! granule   0 1 2 3 4 5 6 7 8 9 ...        stride 4, extent 2, first granule 1
//! lane      . 3 3 . . 4 4 . . 5 ...        from there on four granules are lane 3's, the next four lane 4's
//! ```
//!
//! Law: in a row each lane has a block of `stride` granules, and its accesses lie in the first
//! `extent` granules of the block. So each granule of the mask belongs to one lane. Two rows with
//! the same stride and the same blocks assign each granule to the same lane.
//!
//! A swizzled row also divides a line into blocks, but block `n` belongs to lane `n ^ x` of the
//! line's lanes. The words of a tile whose rows a swizzle permutes form such rows.

use super::super::releases::Home;
use super::{LINE, Part};
use crate::ir::Scope;

/// The warp's number.
pub(super) const WARP_BITS: u32 = 0x3ff;
/// Bits of `who`: a row's first granule, its extent minus one, and its stride, which is 0 if the
/// record is not a row.
pub(super) const FIRST_GRANULE: u32 = 10;
pub(super) const EXTENT: u32 = 15;
pub(super) const STRIDE: u32 = 20;
/// If the stride is 0, every lane used every granule or, with [`VAGUE`], some of the granules.
const ROW: u32 = 31 << STRIDE;
pub(super) const VAGUE: u32 = 1 << 25;
/// All bits that say which lane used which granule.
pub(super) const FORM: u32 = VAGUE | ROW | 31 << EXTENT | 31 << FIRST_GRANULE;
pub(super) const WRITE: u32 = 1 << 26;
pub(super) const STRONG: u32 = 1 << 27;
/// The scope of a strong access, in two bits.
const SCOPE: u32 = 28;
/// The access is by a bulk copy.
pub(super) const BULK: u32 = 1 << 30;
/// A fence of the tensor maps' proxy follows the write.
pub(super) const MAPPED: u32 = 1 << 31;

/// The extent of a swizzled row, which exceeds every stride; `x` is stored in the bits of the first
/// granule.
const SWIZZLED: u32 = 31 << EXTENT;

/// Returns the form of a row in which the accesses of the lowest lane begin at granule `first`.
pub(super) fn row_form(first: usize, extent: usize, stride: usize) -> u32 {
    debug_assert!(first < LINE && (1..=stride).contains(&extent) && stride < LINE);
    (stride as u32) << STRIDE | (extent as u32 - 1) << EXTENT | (first as u32) << FIRST_GRANULE
}

/// Returns the form of a swizzled row with blocks of `width` granules, a power of two. The lane of
/// a block is the block's number with the bits of `x` flipped.
pub(super) fn swizzled_form(width: usize, x: usize) -> u32 {
    debug_assert!(width.is_power_of_two() && width < LINE && x < LINE / width);
    (width as u32) << STRIDE | SWIZZLED | (x as u32) << FIRST_GRANULE
}

/// The low bits of a record's site number the instruction; the bits above hold the size of a strong
/// access.
const SITE_BITS: u32 = 29;
const SITE: u32 = (1 << SITE_BITS) - 1;

/// The properties of an access except its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub home: Home,
    /// The warp's number in its cluster. `block_warps` is the number of warps in each block there.
    pub warp: u32,
    pub block_warps: u32,
    pub site: u32,
    pub write: bool,
    pub strong: Option<Scope>,
    /// The bytes of an element of a strong access, or 0 if the access matches accesses of any size.
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

    /// Returns the site in the form that a record stores.
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
    /// The granules that the accesses cover, one bit for each.
    pub mask: u32,
    pub lanes: u32,
    pub time: u32,
    /// The instruction and the size: [`site`](Record::site), [`bytes`](Record::bytes).
    pub sized_site: u32,
    pub unit: u32,
    pub who: u32,
}

impl Record {
    /// Creates the record that a part of an access leaves; [`Access::who`] computes `who`.
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

    /// Returns the number of the instruction.
    pub fn site(&self) -> u32 {
        self.sized_site & SITE
    }

    /// Returns the bytes of an element of a strong access, or 0 if it matches accesses of any size.
    pub fn bytes(&self) -> u8 {
        (1u8 << (self.sized_site >> SITE_BITS)) >> 1
    }

    /// Whether two strong accesses of a place cover the same bytes of it: accesses are aligned to
    /// their size. Source: PTX ISA, "Morally strong operations", "Overlap".
    #[inline]
    pub fn overlaps_completely(&self, other: &Record) -> bool {
        let (mine, theirs) = (self.sized_site >> SITE_BITS, other.sized_site >> SITE_BITS);
        mine == theirs || mine == 0 || theirs == 0
    }

    /// Whether both records have the same size, or both match any size: only such records are
    /// merged.
    #[inline(always)]
    pub fn is_same_size(&self, other: &Record) -> bool {
        (self.sized_site ^ other.sized_site) >> SITE_BITS == 0
    }

    /// Whether every access that races with this record also races with the later strong access
    /// `new`.
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

    /// Returns the lane that has a line's first block in an unpermuted row.
    fn first_of_line(&self) -> u32 {
        let of_line = LINE as u32 / self.stride();
        self.lanes.trailing_zeros() & !(of_line - 1)
    }

    /// Whether, for some of the lanes, it is unknown whether they used a given granule.
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

    /// Returns the number of granules from the start of lane 0's block to the start of the line.
    fn origin(&self) -> i32 {
        let first = (self.who >> FIRST_GRANULE & 31) as i32;
        (self.lanes.trailing_zeros() * self.stride()) as i32 - first
    }

    /// Returns the lanes that may have used a granule.
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

    /// Returns the number of granules per stride that the accesses of both records cover together,
    /// if both records are rows that assign each granule to the same lane.
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

    /// Whether both are rows that assign each granule to the same lane.
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

    /// Whether both records are of the same single lane.
    #[inline]
    pub fn is_same_lane(&self, other: &Record) -> bool {
        self.lanes == other.lanes && self.lanes.is_power_of_two()
    }

    /// Whether both are of threads of the same warp, and assign each granule to the same thread.
    #[inline]
    pub fn is_same_threads(&self, other: &Record) -> bool {
        self.unit == other.unit
            && (self.who ^ other.who) & WARP_BITS == 0
            && (self.is_same_row(other) || self.is_same_lane(other))
    }

    /// Whether this record already contains an access: the same kind, at the same time, by the same
    /// threads, and no other granules.
    #[inline(always)]
    pub fn covers(&self, new: &Record) -> bool {
        let same = (self.time, self.unit) == (new.time, new.unit)
            && self.is_same_size(new)
            && new.mask & !self.mask == 0;
        let form = self.who ^ new.who;
        same && (form == 0 && self.lanes == new.lanes
            || form & !FORM == 0 && new.lanes & !self.lanes == 0 && self.is_same_row(new))
    }

    /// Returns the form of the union of two rows that assign each granule to the same lane, or
    /// `None` if no form can express it.
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
