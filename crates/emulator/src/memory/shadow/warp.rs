//! Checks and notes a warp's accesses of shared memory together, if none of them is a finding.
//!
//! ```text
//! 32 places, each written before the last barrier, or by the lane itself ─► noted, done
//! any other                                                              ─► lane by lane
//! ```
//!
//! Law: if [`Shadow::read_warp`] or [`Shadow::write_warp`] returns true, no lane's access is a
//! finding, and the shadow is the same as after [`Shadow::read`] or [`Shadow::write`] for each lane
//! in turn. If it returns false, the caller has to check the lanes in turn; lanes that were already
//! noted are noted again, which changes nothing.

use super::{PENDING, Reads, Shadow, Write};
use crate::frame::WARP;

/// Returns the lanes of a mask.
#[inline(always)]
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..WARP).filter(move |lane| mask >> lane & 1 == 1)
}

/// The data that a lane's accesses record: its time, its number in the block, its bit in the warp.
#[derive(Clone, Copy)]
struct Lane {
    since: u32,
    thread: u32,
    bit: u32,
}

/// The state with which a warp's accesses are compared.
#[derive(Clone, Copy)]
struct Now {
    base: u32,
    of_all: u32,
    site: u32,
}

impl Now {
    /// Returns nonzero bits if a plain access of the lane is not ordered after the write.
    #[inline(always)]
    fn unordered(self, write: &Write, thread: u32) -> u32 {
        let other = u32::from(write.by & 0xffff != thread);
        write.by & PENDING | u32::from(write.time > self.of_all) & other
    }
}

/// Checks and notes reads of neighbouring granules, each by one lane.
#[inline(always)]
fn read_run<const N: usize>(
    now: Now,
    by: [Lane; N],
    writes: &mut [Write; N],
    reads: &mut [Reads; N],
) -> bool {
    let mut wrong = 0;
    for (write, lane) in writes.iter().zip(&by) {
        wrong |= u32::from(write.time <= now.base) | now.unordered(write, lane.thread);
    }
    if wrong != 0 {
        return false;
    }
    for i in 0..N {
        let Lane { since, bit, .. } = by[i];
        reads[i] = noted(reads[i], since, now.site, bit);
        writes[i].last_read = writes[i].last_read.max(since);
    }
    true
}

/// Adds a read to the reads of a granule; reads of another time or site are dropped.
#[inline(always)]
fn noted(reads: Reads, since: u32, site: u32, bit: u32) -> Reads {
    let same_time = reads.time == since;
    let same_site = same_time && reads.site == site;
    Reads {
        time: since,
        lanes: if same_time { reads.lanes } else { 0 } | bit,
        site,
        at_site: if same_site { reads.at_site } else { 0 } | bit,
    }
}

/// Checks and notes writes of neighbouring granules, each by one lane.
#[inline(always)]
fn write_run<const N: usize>(now: Now, by: [Lane; N], writes: &mut [Write; N]) -> bool {
    let mut wrong = 0;
    for (write, lane) in writes.iter().zip(&by) {
        let read = u32::from(write.last_read > now.of_all);
        wrong |= read | now.unordered(write, lane.thread);
    }
    if wrong != 0 {
        return false;
    }
    put_writes(now, by, writes);
    true
}

/// Records each lane's write as the last one of its granule.
#[inline(always)]
fn put_writes<const N: usize>(now: Now, by: [Lane; N], writes: &mut [Write; N]) {
    for (write, lane) in writes.iter_mut().zip(by) {
        *write = Write {
            time: lane.since,
            by: lane.thread,
            site: now.site,
            ..*write
        };
    }
}

/// Runs `$run!(granules, offset, lanes)` for all granules of an access: on a row of granules
/// together, or lane by lane.
macro_rules! each_run {
    ($run:ident, $offsets:ident, $mask:ident, $bytes:ident, $shift:ident, $lane:ident) => {{
        let row = $mask == u32::MAX && $bytes == 1 << $shift && is_row($offsets, $bytes);
        if row {
            $run!(32, $offsets[0], std::array::from_fn(|i| $lane(i)));
            return true;
        }
        for i in lanes($mask) {
            let (at, by) = ($offsets[i], $lane(i));
            match $bytes >> $shift {
                1 => $run!(1, at, [by; 1]),
                2 => $run!(2, at, [by; 2]),
                4 => $run!(4, at, [by; 4]),
                8 => $run!(8, at, [by; 8]),
                16 => $run!(16, at, [by; 16]),
                _ => return false,
            }
        }
        true
    }};
}

/// Whether the lanes' accesses are consecutive in memory.
#[inline(always)]
fn is_row(offsets: &[u64; WARP], bytes: usize) -> bool {
    let mut difference = 0;
    for (lane, &offset) in offsets.iter().enumerate() {
        difference |= offset ^ offsets[0].wrapping_add((lane * bytes) as u64);
    }
    difference == 0
}

/// Expands to the body of [`Shadow::read_warp`], with `$read(now, lanes, writes, reads)` for
/// neighbouring granules.
macro_rules! read_all {
    ($read:ident, $shadow:ident, $warp:ident, $offsets:ident, $mask:ident, $bytes:ident) => {{
        let (now, shift) = ($shadow.now($warp), $shadow.shift);
        let lane = lane_of($shadow.clocks.of_warp($warp), $warp);
        let writes = &mut $shadow.writes[..];
        let own = $warp * $shadow.granules..($warp + 1) * $shadow.granules;
        let reads = &mut $shadow.reads[own];
        /// `N` granules from offset `at` on.
        macro_rules! run {
            ($n:literal, $at:expr, $by:expr) => {{
                let first = $at as usize >> shift;
                let run = first..first + $n;
                let (Some(writes), Some(reads)) = (
                    writes[run.clone()].as_mut_array::<$n>(),
                    reads[run].as_mut_array::<$n>(),
                ) else {
                    return false;
                };
                if !$read::<$n>(now, $by, writes, reads) {
                    return false;
                }
            }};
        }
        each_run!(run, $offsets, $mask, $bytes, shift, lane)
    }};
}

/// Expands to the body of [`Shadow::write_warp`], with `$write(now, lanes, writes)` for
/// neighbouring granules.
macro_rules! write_all {
    ($write:ident, $shadow:ident, $warp:ident, $offsets:ident, $mask:ident, $bytes:ident) => {{
        let (now, shift) = ($shadow.now($warp), $shadow.shift);
        let lane = lane_of($shadow.clocks.of_warp($warp), $warp);
        let writes = &mut $shadow.writes[..];
        /// `N` granules from offset `at` on.
        macro_rules! run {
            ($n:literal, $at:expr, $by:expr) => {{
                let first = $at as usize >> shift;
                let Some(writes) = writes[first..first + $n].as_mut_array::<$n>() else {
                    return false;
                };
                if !$write::<$n>(now, $by, writes) {
                    return false;
                }
            }};
        }
        each_run!(run, $offsets, $mask, $bytes, shift, lane)
    }};
}

impl Shadow {
    /// Checks and notes plain reads of `bytes` bytes at the offsets of the lanes of `mask`.
    #[inline]
    pub fn read_warp(
        &mut self,
        warp: usize,
        offsets: &[u64; WARP],
        mask: u32,
        bytes: usize,
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && self.clocks.is_signed() {
            // SAFETY: `is_x86_feature_detected!` has just reported AVX2, the only feature that the
            // function enables.
            return unsafe { vector::read_warp(self, warp, offsets, mask, bytes) };
        }
        read_all!(read_run, self, warp, offsets, mask, bytes)
    }

    /// Checks and notes plain writes of `bytes` bytes at the offsets of the lanes of `mask`.
    #[inline]
    pub fn write_warp(
        &mut self,
        warp: usize,
        offsets: &[u64; WARP],
        mask: u32,
        bytes: usize,
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && self.clocks.is_signed() {
            // SAFETY: `is_x86_feature_detected!` has just reported AVX2, the only feature that the
            // function enables.
            return unsafe { vector::write_warp(self, warp, offsets, mask, bytes) };
        }
        write_all!(write_run, self, warp, offsets, mask, bytes)
    }

    #[inline(always)]
    fn now(&self, warp: usize) -> Now {
        Now {
            base: self.clocks.base,
            of_all: self.clocks.of_all[warp],
            site: self.site,
        }
    }
}

/// The same checks with two granules per vector (AVX2). Times are compared as signed numbers:
/// [`Clocks::is_signed`] has to hold.
///
/// [`Clocks::is_signed`]: crate::memory::clocks::Clocks::is_signed
#[cfg(target_arch = "x86_64")]
mod vector {
    use super::{Lane, Now, PENDING, Reads, Shadow, WARP, Write, is_row, lane_of, lanes};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx2")]
    pub fn read_warp(
        shadow: &mut Shadow,
        warp: usize,
        offsets: &[u64; WARP],
        mask: u32,
        bytes: usize,
    ) -> bool {
        read_all!(read_run, shadow, warp, offsets, mask, bytes)
    }

    #[target_feature(enable = "avx2")]
    pub fn write_warp(
        shadow: &mut Shadow,
        warp: usize,
        offsets: &[u64; WARP],
        mask: u32,
        bytes: usize,
    ) -> bool {
        write_all!(write_run, shadow, warp, offsets, mask, bytes)
    }

    /// Joins the words of two granules, or the same four words twice.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn row(first: [u32; 4], second: [u32; 4]) -> __m256i {
        bytemuck::cast([first, second])
    }

    fn words(write: Write) -> [u32; 4] {
        [write.time, write.by, write.site, write.last_read]
    }

    /// Returns one bit for each word of two granules that is greater than its limit.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn above(words: __m256i, limit: [u32; 4]) -> i32 {
        let above = _mm256_cmpgt_epi32(words, row(limit, limit));
        _mm256_movemask_ps(_mm256_castsi256_ps(above))
    }

    /// Returns, for each of two granules, one bit at its first word if its last write is not by the
    /// lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn others(words: __m256i, by: [Lane; 2]) -> i32 {
        let [first, second] = by.map(|lane| [lane.thread; 4]);
        let own = _mm256_cmpeq_epi32(words, row(first, second));
        !_mm256_movemask_ps(_mm256_castsi256_ps(own)) >> 1
    }

    /// The bits of the first word of each granule: the time.
    const TIMES: i32 = 0x11;
    /// The bits of the second word: the thread that wrote.
    const BY: i32 = 0x22;
    /// The bits of the fourth word: the time of the last read.
    const LAST_READ: i32 = 0x88;
    /// An upper bound of all words.
    const MOST: u32 = i32::MAX as u32;

    #[inline]
    #[target_feature(enable = "avx2")]
    fn read_run<const N: usize>(
        now: Now,
        by: [Lane; N],
        writes: &mut [Write; N],
        reads: &mut [Reads; N],
    ) -> bool {
        if N == 1 {
            return super::read_run(now, by, writes, reads);
        }
        let mut wrong = 0;
        for (writes, by) in writes.as_chunks::<2>().0.iter().zip(by.as_chunks::<2>().0) {
            let all = row(words(writes[0]), words(writes[1]));
            let late = above(all, [now.of_all, PENDING - 1, MOST, MOST]);
            let known = above(all, [now.base, MOST, MOST, MOST]);
            wrong |= late & BY | !known & TIMES | late & others(all, *by) & TIMES;
        }
        if wrong != 0 {
            return false;
        }
        let pairs = writes.as_chunks_mut::<2>().0.iter_mut();
        let pairs = pairs.zip(reads.as_chunks_mut::<2>().0);
        for ((writes, reads), by) in pairs.zip(by.as_chunks::<2>().0) {
            let new = by.map(|lane| [lane.since, lane.bit, now.site, lane.bit]);
            let new = row(new[0], new[1]);
            let old = reads.map(|r| [r.time, r.lanes, r.site, r.at_site]);
            let old = row(old[0], old[1]);
            let equal = _mm256_cmpeq_epi32(old, new);
            // Keeps the lanes that read at the same time, and the lanes at the site if the site is
            // also the same.
            let same_time = _mm256_shuffle_epi32::<0b00_00_00_00>(equal);
            let same_site = _mm256_shuffle_epi32::<0b10_10_00_00>(equal);
            let lanes = row([0, u32::MAX, 0, u32::MAX], [0, u32::MAX, 0, u32::MAX]);
            let kept = _mm256_and_si256(_mm256_and_si256(same_time, same_site), lanes);
            let all = _mm256_or_si256(_mm256_and_si256(old, kept), new);
            let all: [[u32; 4]; 2] = bytemuck::cast(all);
            *reads = all.map(|[time, lanes, site, at_site]| Reads {
                time,
                lanes,
                site,
                at_site,
            });
            for (write, lane) in writes.iter_mut().zip(by) {
                write.last_read = write.last_read.max(lane.since);
            }
        }
        true
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn write_run<const N: usize>(now: Now, by: [Lane; N], writes: &mut [Write; N]) -> bool {
        if N == 1 {
            return super::write_run(now, by, writes);
        }
        let mut wrong = 0;
        for (writes, by) in writes.as_chunks::<2>().0.iter().zip(by.as_chunks::<2>().0) {
            let all = row(words(writes[0]), words(writes[1]));
            let late = above(all, [now.of_all, PENDING - 1, MOST, now.of_all]);
            wrong |= late & (BY | LAST_READ) | late & others(all, *by) & TIMES;
        }
        if wrong != 0 {
            return false;
        }
        super::put_writes(now, by, writes);
        true
    }
}

/// Returns the function from a lane to the data that its accesses record.
#[inline(always)]
fn lane_of(since: &[u32; WARP], warp: usize) -> impl Fn(usize) -> Lane {
    move |lane| Lane {
        since: since[lane],
        thread: (warp * WARP + lane) as u32,
        bit: 1 << lane,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two shadows have the same contents.
    fn alike(a: &Shadow, b: &Shadow) -> bool {
        (&a.writes, &a.reads) == (&b.writes, &b.reads)
    }

    /// Compares random accesses of a warp at once with the same accesses lane by lane: they leave
    /// the same shadow, and no lane has a problem if a warp is noted at once.
    #[test]
    fn a_warp_at_once_is_its_lanes_in_turn() {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed ^= seed >> 12;
            seed ^= seed << 25;
            seed ^= seed >> 27;
            (seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
        };
        let (mut at_once, mut in_turn) = (Shadow::default(), Shadow::default());
        let mut done = [0; 2];
        for _ in 0..40 {
            for s in [&mut at_once, &mut in_turn] {
                s.reset(4096, 4, 3);
            }
            for step in 1..60 {
                let (warp, bytes) = (random(3), [4, 8, 16][random(3) as usize]);
                let stride = [bytes, bytes, 0, 2 * bytes][random(4) as usize];
                let first = random(3) * 512 + random(2) * 16;
                let offsets: [u64; WARP] = std::array::from_fn(|lane| first + lane as u64 * stride);
                let mask = [u32::MAX, u32::MAX, random(1 << 32) as u32 | 1][random(3) as usize];
                let (w, bytes) = (warp as usize, bytes as usize);
                let kind = random(5);
                for s in [&mut at_once, &mut in_turn] {
                    s.site = step;
                    match kind {
                        0 => s.clocks.meet(&[u32::MAX; 3], true, &[]),
                        1 if step % 4 == 0 => s.clocks.meet_lanes(w, mask),
                        _ => {}
                    }
                }
                if kind < 2 {
                    continue;
                }
                let read = kind < 4;
                let each = |s: &mut Shadow| -> bool {
                    lanes(mask).fold(true, |fine, lane| {
                        let (thread, at) = ((w * WARP + lane) as u32, offsets[lane] as usize);
                        let found = if read {
                            s.read(thread, at, bytes, false)
                        } else {
                            s.write(thread, at, bytes, false, |_, _| false)
                        };
                        fine & found.is_ok()
                    })
                };
                let fine = each(&mut in_turn);
                let noted = if read {
                    at_once.read_warp(w, &offsets, mask, bytes)
                } else {
                    at_once.write_warp(w, &offsets, mask, bytes)
                };
                assert!(fine || !noted, "step {step}");
                if !noted {
                    each(&mut at_once);
                }
                done[usize::from(noted)] += 1;
                assert!(alike(&at_once, &in_turn), "step {step}");
            }
        }
        assert!(done[0] > 100 && done[1] > 100, "{done:?}");
    }
}
