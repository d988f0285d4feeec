//! Splits an access of a warp into the lines in which it lies.
//!
//! ```text
//! line      | 0        | 1        | 2        |
//! lanes     | 0 to 7   | 8 to 15  | 16 to 23 |  ...   a granule each, four granules apart
//! ```
//!
//! Law: the parts of an access contain exactly the granules that its lanes used, and for each
//! granule its lane. In a vague part, it is only known that each of its lanes used some of the
//! granules.

use std::array::from_fn;

use super::record::{Record, VAGUE, row_form, swizzled_form};
use super::{LINE, ones};
use crate::frame::{WARP, lanes};

/// The part of a warp's access that lies in one line and whose lanes carry the same time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Part {
    pub line: usize,
    pub mask: u32,
    pub lanes: u32,
    pub time: u32,
    /// The form, which says which lane used which granule, in the bits that a record's `who` has
    /// for it.
    pub(super) form: u32,
}

impl Part {
    /// Returns the lanes that used the first granule of a mask.
    fn lanes_at(&self, mask: u32) -> u32 {
        let record = Record {
            lanes: self.lanes,
            who: self.form,
            ..Record::default()
        };
        record.lanes_at(mask.trailing_zeros())
    }

    /// Returns the row's stride, first granule and extent, or `None` if the part is not a row.
    fn row(&self) -> Option<(u32, u32, u32)> {
        let bits = |shift: u32| self.form >> shift & 31;
        let stride = bits(super::record::STRIDE);
        (stride != 0).then(|| {
            let first = bits(super::record::FIRST_GRANULE);
            (stride, first, bits(super::record::EXTENT) + 1)
        })
    }
}

/// The accesses of lanes whose places have a constant distance, in granules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The first granule of the lowest lane.
    first: usize,
    /// The number of granules of each lane.
    granules: usize,
    /// The distance from each lane's first granule to the next lane's; 0 if all lanes use the same
    /// place.
    stride: usize,
    lanes: u32,
    time: u32,
}

impl Row {
    /// Creates a row, or returns `None` if a lane's granules may cross lines or no lane is active.
    #[inline(always)]
    pub fn new(
        (first, granules, stride): (usize, usize, usize),
        lanes: u32,
        time: u32,
    ) -> Option<Row> {
        let aligned = granules.is_power_of_two() && granules <= LINE && lanes != 0;
        (aligned && (first | stride) & (granules - 1) == 0).then_some(Row {
            first,
            granules,
            stride,
            lanes,
            time,
        })
    }

    /// Returns the parts, line by line; `once` is as for [`Parts::lane`].
    #[inline(always)]
    pub fn parts(self, once: bool) -> RowParts {
        RowParts {
            once,
            lane: self.lanes.trailing_zeros() as usize,
            highest: self.lanes.ilog2() as usize,
            at: self.first,
            // The granules of all lanes of a line.
            full: COMBS[self.stride % LINE].wrapping_mul(ones(self.granules)),
            row: self,
        }
    }
}

/// The remaining parts of a row.
#[derive(Debug)]
pub(crate) struct RowParts {
    row: Row,
    once: bool,
    lane: usize,
    highest: usize,
    at: usize,
    full: u32,
}

impl Iterator for RowParts {
    type Item = Part;

    #[inline(always)]
    fn next(&mut self) -> Option<Part> {
        let stride = self.row.stride;
        while self.lane <= self.highest {
            if stride.wrapping_sub(1) >= LINE - 1 {
                return Some(self.of_one_lane());
            }
            let (lane, from) = (self.lane, self.at % LINE);
            let count = usize::from(FITS[stride][from]).min(self.highest + 1 - lane);
            let of_line = ones(count) << lane;
            let mut part = Part {
                line: self.at / LINE,
                mask: (self.full & ones((count * stride).min(LINE))) << from,
                lanes: of_line & self.row.lanes,
                time: self.row.time,
                form: row_form(from, self.row.granules, stride),
            };
            if part.lanes != of_line {
                leave_gaps(&mut part, from, &self.row, lane);
            }
            self.lane += count;
            self.at += count * stride;
            if part.lanes != 0 {
                return Some(part);
            }
        }
        None
    }
}

impl RowParts {
    /// Returns the next part if all lanes use the same place, or no two lanes share a line.
    fn of_one_lane(&mut self) -> Part {
        let Row { stride, lanes, .. } = self.row;
        let part = |at: usize, lanes: u32, form: u32| Part {
            line: at / LINE,
            mask: ones(self.row.granules) << (at % LINE),
            lanes,
            time: self.row.time,
            form,
        };
        let (vague, found) = match stride {
            0 => (self.once && !lanes.is_power_of_two(), lanes),
            _ => (false, 1 << self.lane),
        };
        let part = part(self.at, found, if vague { VAGUE } else { 0 });
        let left = (lanes & !found) >> self.lane;
        let ahead = match left {
            0 => WARP,
            _ => left.trailing_zeros() as usize,
        };
        self.lane += ahead;
        self.at += ahead * stride;
        part
    }
}

/// For each stride, a mask with one granule every `stride` granules.
const COMBS: [u32; LINE] = {
    let mut combs = [1; LINE];
    let mut stride = 1;
    while stride < LINE {
        let mut at = stride;
        while at < LINE {
            combs[stride] |= 1 << at;
            at += stride;
        }
        stride += 1;
    }
    combs
};

/// Splits accesses into parts.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub all: Vec<Part>,
    /// The granule after the last one of all lanes so far.
    end: usize,
}

/// For each stride and granule: how many places, one every `stride` granules from that granule on,
/// begin in the granule's line.
const FITS: [[u8; LINE]; LINE] = {
    let mut fits = [[0; LINE]; LINE];
    let mut stride = 1;
    while stride < LINE {
        let mut from = 0;
        while from < LINE {
            fits[stride][from] = ((LINE - 1 - from) / stride + 1) as u8;
            from += 1;
        }
        stride += 1;
    }
    fits
};

impl Parts {
    /// Clears the parts for another access.
    pub fn clear(&mut self) {
        self.all.clear();
        self.end = 0;
    }

    /// Replaces the parts by those of a row of lanes; `once` is as for [`lane`](Self::lane).
    pub fn row(&mut self, row: Row, once: bool) {
        self.all.clear();
        self.all.extend(row.parts(once));
    }

    /// Replaces the parts by those of lanes that a swizzle permutes within lines. Returns whether
    /// the access has this form. `first` is the first granule of each lane; no two lanes share a
    /// granule.
    pub fn swizzled(
        &mut self,
        (granules, first): (usize, [u64; WARP]),
        mask: u32,
        time: u32,
    ) -> bool {
        self.clear();
        if !granules.is_power_of_two() || granules >= LINE {
            return false;
        }
        // The line, and the bits of `x`: this number is the same for all lanes of a line.
        let own = |lane: usize| (lane * granules % LINE) as u64;
        let keys: [u64; WARP] = from_fn(|lane| first[lane] ^ own(lane));
        let of_line = LINE / granules;
        for lowest in (0..WARP).step_by(of_line) {
            let of_part = mask & ones(of_line) << lowest;
            if of_part == 0 {
                continue;
            }
            let begin = of_part.trailing_zeros() as usize;
            let key = keys[begin];
            let whole = of_part == ones(of_line) << lowest;
            let all = &keys[lowest..lowest + of_line];
            let apart = match whole {
                true => all.iter().fold(0, |apart, other| apart | other ^ key),
                false => lanes(of_part).fold(0, |apart, lane| apart | keys[lane] ^ key),
            };
            let (line, x) = (key as usize / LINE, key as usize % LINE / granules);
            let again = self.all.iter().any(|part| part.line == line);
            if apart != 0 || again || !(key as usize).is_multiple_of(granules) {
                return false;
            }
            let at = |lane: usize| first[lane] as usize % LINE;
            let used = lanes(of_part).map(|lane| ones(granules) << at(lane));
            self.all.push(Part {
                line,
                mask: match whole {
                    true => u32::MAX,
                    false => used.fold(0, |mask, used| mask | used),
                },
                lanes: of_part,
                time,
                form: match x {
                    0 => row_form(at(begin), granules, granules),
                    x => swizzled_form(granules, x),
                },
            });
        }
        true
    }

    /// Adds a lane's granules. With `once`, the granules that earlier lanes of this instruction
    /// already use are skipped, and it is always known which lane used which granule.
    pub fn lane(&mut self, lane: usize, granules: std::ops::Range<usize>, time: u32, once: bool) {
        let end = self.end;
        self.end = end.max(granules.end);
        let mut at = granules.start;
        while at < granules.end {
            let line = at / LINE;
            let stop = granules.end.min((line + 1) * LINE);
            let mut mask = ones(stop - at) << (at % LINE);
            // After the last granule of all earlier lanes nothing is used yet.
            if once && at < end {
                mask = self.unused(line, mask, lane, time);
            }
            let new = line * LINE >= end && self.all.last().is_none_or(|last| last.line != line);
            if new {
                self.new_part(line, 1 << lane, mask, time);
            } else if mask != 0 {
                self.add(line, lane, mask, time, once);
            }
            at = stop;
        }
    }

    /// Returns the granules of `mask` in a line that no lane uses yet. The result is 0 if one part
    /// of this time already has them all, as with lanes that write one place together. These
    /// granules then form a vague part that includes this lane too, so that a lane of this part
    /// that reads the granules later reads its own write.
    fn unused(&mut self, line: usize, mut mask: u32, lane: usize, time: u32) -> u32 {
        let bit = 1 << lane;
        let of_line = |part: &&mut Part| part.line == line;
        for part in self.all.iter_mut().filter(of_line) {
            if part.time != time || part.mask & mask != mask {
                mask &= !part.mask;
                continue;
            }
            if part.mask == mask {
                (part.form, part.lanes) = (VAGUE, part.lanes_at(mask) | bit);
                return 0;
            }
            part.mask &= !mask;
            let lanes = part.lanes_at(mask) | bit;
            self.all.push(Part {
                line,
                mask,
                lanes,
                time,
                form: VAGUE,
            });
            return 0;
        }
        mask
    }

    fn add(&mut self, line: usize, lane: usize, mask: u32, time: u32, once: bool) {
        let bit = 1 << lane;
        let known = self.all.iter_mut().rev();
        let mut known = known.filter(|part| part.line == line && part.time == time);
        let Some(part) = known.next() else {
            self.new_part(line, bit, mask, time);
            return;
        };
        if part.lanes == bit {
            part.mask |= mask;
        } else if let Some(form) = continued(part, lane, mask) {
            part.form = form;
            part.lanes |= bit;
            part.mask |= mask;
        } else if once {
            self.new_part(line, bit, mask, time);
        } else if part.row().is_none() && part.mask == mask {
            part.lanes |= bit;
        } else {
            part.form = VAGUE;
            part.lanes |= bit;
            part.mask |= mask;
        }
    }

    fn new_part(&mut self, line: usize, lanes: u32, mask: u32, time: u32) {
        self.all.push(Part {
            line,
            mask,
            lanes,
            time,
            form: 0,
        });
    }
}

/// Returns the form of a part extended by the next lane if both together are a row, and `None`
/// otherwise.
fn continued(part: &Part, lane: usize, mask: u32) -> Option<u32> {
    let (start, extent) = (mask.trailing_zeros() as usize, mask.count_ones() as usize);
    let follows = lane != 0 && part.lanes.ilog2() as usize + 1 == lane;
    if !follows || mask >> start != ones(extent) {
        return None;
    }
    match part.row() {
        Some((stride, first, wide)) => {
            let lowest = part.lanes.trailing_zeros() as usize;
            let next = first as usize + (lane - lowest) * stride as usize;
            (next == start && wide as usize == extent).then_some(part.form)
        }
        None if part.lanes.is_power_of_two() && part.form == 0 => {
            let first = part.mask.trailing_zeros() as usize;
            let one = part.mask >> first == ones(extent) && start >= first + extent;
            one.then(|| row_form(first, extent, start - first))
        }
        None => None,
    }
}

/// Removes inactive lanes from the part of a row that begins at that granule and lane.
fn leave_gaps(part: &mut Part, from: usize, row: &Row, lane: usize) {
    let mut all = part.mask;
    let mut granules = 0;
    for nth in 0.. {
        let of_lane = ones(row.granules) << (from + nth * row.stride);
        if part.lanes >> (lane + nth) & 1 == 1 {
            granules |= of_lane;
        }
        all &= !of_lane;
        if all == 0 {
            break;
        }
    }
    part.mask = granules;
    let lowest = part.lanes.trailing_zeros() as usize;
    if part.lanes != 0 {
        part.form = row_form(
            from + (lowest - lane) * row.stride,
            row.granules,
            row.stride,
        );
    }
}
