//! A warp's accesses of shared memory at once, where there is nothing to object to.
//!
//! ```text
//! 32 places, each written before the last barrier, or by the lane itself ─► noted, done
//! any other                                                              ─► lane by lane
//! ```
//!
//! Law: where [`Shadow::read_warp`] or [`Shadow::write_warp`] answers true, the shadow is what [`Shadow::read`] or
//! [`Shadow::write`] of each lane in turn make of it, and none of them objects. Where it answers
//! false the lanes are to be taken in turn: what some have noted already they note again, which changes nothing.

use super::{PENDING, ReadSite, Reads, Shadow, Write};
use crate::frame::WARP;

/// The lanes of a mask.
#[inline(always)]
fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..WARP).filter(move |lane| mask >> lane & 1 == 1)
}

/// What a lane's accesses leave behind: its time, its number in the block, its bit in the warp.
#[derive(Clone, Copy)]
struct Lane {
    since: u32,
    thread: u32,
    bit: u32,
}

/// What a warp's accesses are held against.
#[derive(Clone, Copy)]
struct Now {
    base: u32,
    of_all: u32,
    site: u32,
}

/// Reads of neighbouring granules, each by a lane; no branch is in the loops, so that they become vector code.
#[inline(always)]
fn read_run<const N: usize>(
    now: Now,
    by: [Lane; N],
    writes: &[Write; N],
    (reads, read_sites): (&mut [Reads; N], &mut [ReadSite; N]),
    last_read: &mut [u32; N],
) -> bool {
    let mut wrong = 0;
    for i in 0..N {
        let Write { time, by: writer } = writes[i];
        let other = u32::from(writer & 0xffff != by[i].thread);
        wrong |= u32::from(time <= now.base) | writer & PENDING;
        wrong |= u32::from(time > now.of_all) & other;
    }
    if wrong != 0 {
        return false;
    }
    for i in 0..N {
        let Lane { since, bit, .. } = by[i];
        let same_time = if reads[i].time == since { u32::MAX } else { 0 };
        let same_site = if read_sites[i].site == now.site {
            same_time
        } else {
            0
        };
        read_sites[i] = ReadSite {
            site: now.site,
            lanes: read_sites[i].lanes & same_site | bit,
        };
        reads[i] = Reads {
            time: since,
            lanes: reads[i].lanes & same_time | bit,
        };
        last_read[i] = last_read[i].max(since);
    }
    true
}

/// Writes of neighbouring granules, each by a lane.
#[inline(always)]
fn write_run<const N: usize>(
    now: Now,
    by: [Lane; N],
    writes: &mut [Write; N],
    sites: &mut [u32; N],
    last_read: &[u32; N],
) -> bool {
    let mut wrong = 0;
    for i in 0..N {
        let Write { time, by: writer } = writes[i];
        let other = u32::from(writer & 0xffff != by[i].thread);
        wrong |= writer & PENDING | u32::from(last_read[i] > now.of_all);
        wrong |= u32::from(time > now.of_all) & other;
    }
    if wrong != 0 {
        return false;
    }
    for i in 0..N {
        writes[i] = Write {
            time: by[i].since,
            by: by[i].thread,
        };
        sites[i] = now.site;
    }
    true
}

/// Runs `$run!(granules, offset, lanes)` for all granules of an access: a row of granules at once, or lane by lane.
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

/// Whether the accesses lie one behind the other.
#[inline(always)]
fn is_row(offsets: &[u64; WARP], bytes: usize) -> bool {
    let mut difference = 0;
    for (lane, &offset) in offsets.iter().enumerate() {
        difference |= offset ^ offsets[0].wrapping_add((lane * bytes) as u64);
    }
    difference == 0
}

impl Shadow {
    /// Plain reads of `bytes` bytes at the offsets of the lanes of `mask`.
    #[inline]
    pub fn read_warp(
        &mut self,
        warp: usize,
        offsets: &[u64; WARP],
        mask: u32,
        bytes: usize,
    ) -> bool {
        let now = self.now(warp);
        let own = warp * self.granules..(warp + 1) * self.granules;
        let shift = self.shift;
        let lane = lane_of(self.clocks.of_warp(warp), warp);
        let (writes, last_read) = (&self.writes[..], &mut self.last_read[..]);
        let (reads, read_sites) = (&mut self.reads[own.clone()], &mut self.read_sites[own]);
        /// `N` granules from offset `at` on.
        macro_rules! run {
            ($n:literal, $at:expr, $by:expr) => {{
                let first = $at as usize >> shift;
                let run = first..first + $n;
                let (Some(writes), Some(last_read), Some(reads), Some(read_sites)) = (
                    writes[run.clone()].as_array::<$n>(),
                    last_read[run.clone()].as_mut_array::<$n>(),
                    reads[run.clone()].as_mut_array::<$n>(),
                    read_sites[run].as_mut_array::<$n>(),
                ) else {
                    return false;
                };
                if !read_run::<$n>(now, $by, writes, (reads, read_sites), last_read) {
                    return false;
                }
            }};
        }
        each_run!(run, offsets, mask, bytes, shift, lane)
    }

    /// Plain writes of `bytes` bytes at the offsets of the lanes of `mask`.
    #[inline]
    pub fn write_warp(
        &mut self,
        warp: usize,
        offsets: &[u64; WARP],
        mask: u32,
        bytes: usize,
    ) -> bool {
        let now = self.now(warp);
        let shift = self.shift;
        let lane = lane_of(self.clocks.of_warp(warp), warp);
        let (writes, sites) = (&mut self.writes[..], &mut self.write_sites[..]);
        let last_read = &self.last_read[..];
        /// `N` granules from offset `at` on.
        macro_rules! run {
            ($n:literal, $at:expr, $by:expr) => {{
                let first = $at as usize >> shift;
                let run = first..first + $n;
                let (Some(writes), Some(sites), Some(last_read)) = (
                    writes[run.clone()].as_mut_array::<$n>(),
                    sites[run.clone()].as_mut_array::<$n>(),
                    last_read[run].as_array::<$n>(),
                ) else {
                    return false;
                };
                if !write_run::<$n>(now, $by, writes, sites, last_read) {
                    return false;
                }
            }};
        }
        each_run!(run, offsets, mask, bytes, shift, lane)
    }

    fn now(&self, warp: usize) -> Now {
        Now {
            base: self.clocks.base,
            of_all: self.clocks.of_all[warp],
            site: self.site,
        }
    }
}

/// What the lanes of a warp leave behind.
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

    /// Whether two shadows know the same.
    fn alike(a: &Shadow, b: &Shadow) -> bool {
        (&a.writes, &a.write_sites, &a.last_read) == (&b.writes, &b.write_sites, &b.last_read)
            && (&a.reads, &a.read_sites) == (&b.reads, &b.read_sites)
    }

    /// Random accesses, a warp at once and lane by lane: the same shadow, and no objection where a warp is noted at once.
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
