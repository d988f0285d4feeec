//! The cost of an access on a device: wavefronts in shared memory, sectors in global memory.
//!
//! ```text
//! shared: 32 banks of 4 bytes; lanes that want different words of one bank go one after the other
//! access of 4 bytes and less   one phase of 32 lanes
//!           8 bytes            two phases of 16 lanes;    a load whose lanes are alike in pairs: one of 32
//!          16 bytes            four phases of 8 lanes;    a half of a load that is alike in pairs: one of 16
//! ldmatrix, stmatrix           one phase of 8 rows for each matrix
//! ```
//!
//! Law: a phase takes as many wavefronts as its busiest bank has distinct words to deliver, or, for
//! an atomic, lanes to serve. A bank conflict is a wavefront beyond the first of its phase. An
//! access touches as many sectors as distinct pieces of 32 bytes. An atomic is split into passes,
//! so that the lanes of a pass have different addresses, and the sectors of its passes are added;
//! `cp.async.cg` counts the pieces of shared memory that each line of 128 bytes fills.
//!
//! Lanes are alike in pairs if every lane `i` has the address of lane `i ^ 1`, or if every lane `i`
//! has the address of lane `i ^ 2`. Inactive lanes do not count.
//!
//! Source: an H200's counters of 689 accesses (`tests/patterns`). These rules reproduce all of
//! them, except wavefronts and conflicts of nine copies through the first level cache. The CUDA
//! C++ Programming Guide, "Shared Memory" and "Global Memory", has the rules for 4 bytes.

use super::access::{self, Addresses};
use super::lanes;

/// The kind of an access, as far as its cost depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    Load,
    Store,
    Atomic,
    /// `ldmatrix` and `stmatrix`, whose rows have 16 bytes.
    Rows,
}

/// For each bank, the number of words that it served (for an atomic: of lanes), and the number of
/// phases in which it served at least one.
pub(crate) struct Heat<'a> {
    pub words: &'a mut [u64; 32],
    pub phases: &'a mut [u64; 32],
}

/// Returns the wavefronts and phases of an access of shared memory, `bytes` for each lane. What
/// each bank serves is added to `heat`.
#[inline]
pub(crate) fn wavefronts(
    offsets: &Addresses,
    mask: u32,
    bytes: usize,
    kind: Cost,
    heat: Option<Heat>,
) -> (u32, u32) {
    if bytes <= 4 && heat.is_none() {
        return (phase(offsets, mask, bytes, kind), 1);
    }
    let mut parts = [0; 4];
    let n = phases(offsets, mask, bytes, kind, &mut parts);
    let (mut total, mut count) = (0, 0);
    for &part in parts[..n].iter().filter(|part| **part != 0) {
        total += phase(offsets, part, bytes, kind);
        count += 1;
    }
    if let Some(heat) = heat {
        for &part in parts[..n].iter().filter(|part| **part != 0) {
            let served = served(offsets, part, bytes, kind);
            for (bank, served) in served.into_iter().enumerate() {
                heat.words[bank] += u64::from(served);
                heat.phases[bank] += u64::from(served != 0);
            }
        }
    }
    (total, count)
}

/// Returns the wavefronts and phases of a plain access whose lanes' words follow each other in
/// memory, or `None` for any other access.
#[inline(always)]
pub(crate) fn row_wavefronts(
    offsets: &Addresses,
    mask: u32,
    bytes: usize,
    kind: Cost,
) -> Option<(u32, u32)> {
    let row = mask == u32::MAX && kind != Cost::Atomic && bytes <= 16;
    // Each phase has 128 bytes, one word from each bank.
    let phases = bytes.div_ceil(4) as u32;
    (row && access::consecutive(offsets, bytes)).then_some((phases, phases))
}

/// Stores the lanes of each phase in `parts`. Returns the number of phases.
fn phases(offsets: &Addresses, mask: u32, bytes: usize, kind: Cost, parts: &mut [u32; 4]) -> usize {
    let mut n = 0;
    let mut push = |part: u32| {
        parts[n] = part;
        n += 1;
    };
    let halves = [mask & 0xffff, mask & 0xffff_0000];
    let quarters = |half: u32| [half & 0x00ff_00ff, half & 0xff00_ff00];
    match (kind, bytes) {
        (_, ..=4) => push(mask),
        (Cost::Load, 8) if alike(offsets, mask) => push(mask),
        (_, 8) => halves.into_iter().for_each(push),
        _ => {
            for half in halves {
                if kind == Cost::Load && alike(offsets, half) {
                    push(half);
                } else {
                    quarters(half).into_iter().for_each(&mut push);
                }
            }
        }
    }
    n
}

/// Whether all lanes have the address of their neighbour one lane apart, or all have the address of
/// their neighbour two lanes apart.
fn alike(offsets: &Addresses, mask: u32) -> bool {
    [1, 2].into_iter().any(|apart| {
        lanes(mask)
            .all(|lane| mask >> (lane ^ apart) & 1 == 0 || offsets[lane] == offsets[lane ^ apart])
    })
}

/// Returns the wavefronts and phases of a copy by way of the first level cache, whose lines have
/// the banks of shared memory. A wavefront reads at most one word from each bank of the cache, even
/// if lanes want the same word, and writes at most one word to each bank of shared memory. A phase
/// looks up at most four lines.
pub(crate) fn copied_wavefronts(
    from: &Addresses,
    to: &Addresses,
    mask: u32,
    bytes: usize,
) -> (u32, u32) {
    let mut parts = [0; 4];
    let n = phases(to, mask, bytes, Cost::Store, &mut parts);
    let (mut total, mut count) = (0, 0);
    for &part in parts[..n].iter().filter(|part| **part != 0) {
        let busiest = |all| {
            let served = served(all, part, bytes, Cost::Atomic);
            served.into_iter().max().unwrap_or(0)
        };
        let lookups = distinct(part, |lane| from[lane] / 128).div_ceil(4);
        total += busiest(from).max(busiest(to)).max(lookups);
        count += lookups;
    }
    (total, count)
}

/// Returns the wavefronts of one phase.
fn phase(offsets: &Addresses, lanes_of_phase: u32, bytes: usize, kind: Cost) -> u32 {
    let words = bytes.div_ceil(4) as u64;
    let (mut low, mut high) = (u64::MAX, 0);
    for lane in lanes(lanes_of_phase) {
        low = low.min(offsets[lane] / 4);
        high = high.max(offsets[lane] / 4 + words);
    }
    // Among 32 consecutive words no two share a bank.
    if high - low <= 32 && kind != Cost::Atomic {
        return 1;
    }
    if high / 32 - low / 32 < ROWS as u64 && kind != Cost::Atomic {
        return busiest(offsets, lanes_of_phase, words, low / 32);
    }
    let served = served(offsets, lanes_of_phase, bytes, kind);
    served.into_iter().max().unwrap_or(0)
}

/// The number of rows of 32 words that [`busiest`] examines.
const ROWS: usize = 128;

/// Returns the largest number of distinct words of any bank. The words lie in [`ROWS`] rows of the
/// banks from row `first` on.
fn busiest(offsets: &Addresses, lanes_of_phase: u32, words: u64, first: u64) -> u32 {
    let mut rows = [0u32; ROWS];
    let mut last = 0;
    for lane in lanes(lanes_of_phase) {
        for word in offsets[lane] / 4..offsets[lane] / 4 + words {
            let row = (word / 32 - first) as usize;
            rows[row] |= 1 << (word % 32);
            last = last.max(row);
        }
    }
    // Counts for each bank the rows in which the bank's bit is set. The counts are binary numbers:
    // bit `b` of `digits[i]` is the digit of 2^i in the count of bank `b`.
    let mut digits = [0u32; 8];
    for &row in &rows[..=last] {
        let mut carry = row;
        for digit in &mut digits {
            (*digit, carry) = (*digit ^ carry, *digit & carry);
            if carry == 0 {
                break;
            }
        }
    }
    // Finds the largest count: from the highest digit down, only the banks whose digit is 1 are
    // kept, if there are such banks.
    let mut banks = u32::MAX;
    let mut most = 0;
    for (i, digit) in digits.iter().enumerate().rev() {
        if banks & digit != 0 {
            banks &= digit;
            most |= 1 << i;
        }
    }
    most
}

/// Returns the number of words, or of lanes of an atomic, that each bank serves in one phase.
fn served(offsets: &Addresses, lanes_of_phase: u32, bytes: usize, kind: Cost) -> [u32; 32] {
    let words = bytes.div_ceil(4) as u64;
    let mut all = [0u64; 64];
    let mut n = 0;
    for lane in lanes(lanes_of_phase) {
        for word in 0..words {
            all[n] = offsets[lane] / 4 + word;
            n += 1;
        }
    }
    let all = &mut all[..n];
    all.sort_unstable();
    let mut of_bank = [0u32; 32];
    let mut last = u64::MAX;
    for &word in all.iter() {
        if word != last || kind == Cost::Atomic {
            of_bank[word as usize % 32] += 1;
            last = word;
        }
    }
    of_bank
}

/// Returns the number of distinct sectors of 32 bytes that an access of `bytes` bytes for each lane
/// touches.
#[inline]
pub(crate) fn sectors(all: &Addresses, mask: u32, (low, high): (u64, u64), bytes: usize) -> u32 {
    let first = low / 32;
    // An aligned access ends at the end of the address space at the latest.
    let last = (high + (bytes as u64 - 1)) / 32;
    if last - first < 64 {
        let mut touched = 0u64;
        // An aligned access of up to 32 bytes is inside one sector. Inactive lanes repeat the
        // address of an active one.
        for &address in all {
            touched |= 1 << (address / 32 - first);
        }
        return touched.count_ones();
    }
    distinct(mask, |lane| all[lane] / 32)
}

/// Returns the number of sectors for lanes whose addresses are `stride` bytes apart, or `None` if
/// the stride by itself does not determine the number.
#[inline]
pub(crate) fn strided_sectors(
    stride: u64,
    mask: u32,
    (low, high): (u64, u64),
    bytes: usize,
) -> Option<u32> {
    // An aligned access of up to 32 bytes is inside one sector.
    if stride >= 32 && bytes <= 32 {
        return Some(mask.count_ones());
    }
    let all = mask == u32::MAX && stride != 0;
    // Lanes less than a sector apart skip no sector.
    all.then(|| ((high + (bytes as u64 - 1)) / 32 - low / 32 + 1) as u32)
}

/// Counts the sectors of an atomic access: those of its passes, in which no two lanes have the same
/// address.
pub(crate) fn atomic_sectors(all: &Addresses, mask: u32) -> u32 {
    let (mut rest, mut total) = (mask, 0);
    while rest != 0 {
        let mut pass = 0u32;
        for lane in lanes(rest) {
            if lanes(pass).all(|other| all[other] != all[lane]) {
                pass |= 1 << lane;
            }
        }
        total += distinct(pass, |lane| all[lane] / 32);
        rest &= !pass;
    }
    total
}

/// Counts the sectors of a copy that bypasses the first-level cache: the pieces of 32 bytes of
/// shared memory that each line fills. Among lanes that fill the same place, only the last counts.
pub(crate) fn copied_sectors(from: &Addresses, to: &Addresses, mask: u32) -> u32 {
    let again = |lane: usize| lanes(mask).any(|later| later > lane && to[later] == to[lane]);
    let filling = lanes(mask).filter(|&lane| !again(lane));
    let filling = filling.fold(0, |all, lane| all | 1 << lane);
    distinct(filling, |lane| {
        u128::from(from[lane] / 128) << 64 | u128::from(to[lane] / 32)
    })
}

/// Returns the number of different values that the lanes have.
fn distinct<T: Copy + Default + Ord>(mask: u32, value: impl Fn(usize) -> T) -> u32 {
    let mut all = [T::default(); 32];
    let mut n = 0;
    for lane in lanes(mask) {
        all[n] = value(lane);
        n += 1;
    }
    let all = &mut all[..n];
    all.sort_unstable();
    let changes = all.windows(2).filter(|pair| pair[0] != pair[1]).count();
    u32::from(n != 0) + changes as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(f: impl Fn(u64) -> u64) -> Addresses {
        std::array::from_fn(|lane| f(lane as u64))
    }

    #[test]
    fn strides() {
        let full = u32::MAX;
        let cost = |f: &dyn Fn(u64) -> u64, mask: u32, bytes: usize| {
            wavefronts(&offsets(f), mask, bytes, Cost::Store, None)
        };
        for (stride, expected) in [
            (1, 1),
            (2, 2),
            (3, 1),
            (4, 4),
            (8, 8),
            (16, 16),
            (32, 32),
            (33, 1),
        ] {
            assert_eq!(
                cost(&|l| l * stride * 4, full, 4),
                (expected, 1),
                "stride {stride}"
            );
        }
        assert_eq!(cost(&|_| 64, full, 4), (1, 1), "one word for all");
        assert_eq!(cost(&|l| l * 2, full, 2), (1, 1), "halves of one word");
        assert_eq!(cost(&|l| l * 8, full, 8), (2, 2));
        assert_eq!(cost(&|l| l * 16, full, 16), (4, 4));
        assert_eq!(cost(&|l| l * 128, full, 16), (32, 4));
        assert_eq!(cost(&|l| l * 128, 0xff, 16), (8, 1));
    }

    /// Checks that the count by bits is the same as the count by sorted words, whatever the
    /// addresses.
    #[test]
    fn the_busiest_bank() {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..2000 {
            let words = [1, 2, 4][random(3) as usize];
            let (pitch, spread, base) = (random(40), random(600) + 1, random(300));
            let all = std::array::from_fn(|lane| {
                (base + lane as u64 * pitch + random(spread)) * words * 4
            });
            let mask = (random(1 << 31) << 1) as u32 | 1;
            // No phase has more than 64 words.
            let mask = if words == 4 { mask & 0xffff } else { mask };
            let served = served(&all, mask, words as usize * 4, Cost::Load);
            let rows: Vec<u64> = lanes(mask).map(|lane| all[lane] / 128).collect();
            let (low, high) = (*rows.iter().min().unwrap(), *rows.iter().max().unwrap());
            if high + 1 - low < ROWS as u64 {
                let most = busiest(&all, mask, words, low);
                assert_eq!(Some(most), served.into_iter().max());
            }
        }
    }

    #[test]
    fn rows_have_no_conflict() {
        for bytes in [1, 2, 4, 8, 16] {
            let all = offsets(|lane| 64 * bytes + lane * bytes);
            for kind in [Cost::Load, Cost::Store, Cost::Rows] {
                let bytes = bytes as usize;
                let expected = wavefronts(&all, u32::MAX, bytes, kind, None);
                assert_eq!(row_wavefronts(&all, u32::MAX, bytes, kind), Some(expected));
            }
        }
        let apart = offsets(|lane| lane * 8);
        assert_eq!(row_wavefronts(&apart, u32::MAX, 4, Cost::Load), None);
    }

    #[test]
    fn heat_is_what_the_banks_serve() {
        let (mut heat, mut phases) = ([0; 32], [0; 32]);
        let all = offsets(|l| l * 8);
        let cost = wavefronts(
            &all,
            u32::MAX,
            4,
            Cost::Load,
            Some(Heat {
                words: &mut heat,
                phases: &mut phases,
            }),
        );
        assert_eq!(cost, (2, 1));
        let expected: [u64; 32] = std::array::from_fn(|bank| if bank % 2 == 0 { 2 } else { 0 });
        assert_eq!(heat, expected);
        let more = Heat {
            words: &mut heat,
            phases: &mut phases,
        };
        wavefronts(&offsets(|_| 4), u32::MAX, 4, Cost::Atomic, Some(more));
        assert_eq!(heat[1], 32, "an atomic serves its lanes one by one");
    }

    #[test]
    fn sectors_are_counted_once() {
        let count = |f: &dyn Fn(u64) -> u64, mask: u32, bytes: usize| {
            let all = offsets(f);
            let low = lanes(mask).map(|l| all[l]).min().unwrap();
            let high = lanes(mask).map(|l| all[l]).max().unwrap();
            let one = all[mask.trailing_zeros() as usize];
            let all = std::array::from_fn(|l| if mask >> l & 1 == 1 { all[l] } else { one });
            sectors(&all, mask, (low, high), bytes)
        };
        assert_eq!(count(&|l| 4096 + l * 4, u32::MAX, 4), 4);
        assert_eq!(count(&|l| 4096 + l * 16, u32::MAX, 16), 16);
        assert_eq!(count(&|_| 4096, u32::MAX, 4), 1);
        assert_eq!(count(&|l| 4096 + l * 32, u32::MAX, 4), 32);
        assert_eq!(count(&|l| l * 4096, u32::MAX, 4), 32);
        assert_eq!(count(&|l| l / 2 * 4096, u32::MAX, 4), 16);
        assert_eq!(count(&|l| l * 4096, 0b101, 4), 2);
    }

    #[test]
    fn sectors_by_the_stride_are_those_of_the_lanes() {
        for (bytes, base) in [(1, 7), (4, 60), (8, 8), (16, 16), (32, 96)] {
            for steps in 0..80 {
                let stride = bytes * steps;
                for mask in [u32::MAX, 0xff, 0x8000_0001, 0x0f0f_00f0] {
                    let first = u64::from(mask.trailing_zeros());
                    let at = |lane: u64| if mask >> lane & 1 == 1 { lane } else { first };
                    let all = offsets(|lane| base + at(lane) * stride);
                    let (low, high, _) = access::extent(&all);
                    let by_stride = strided_sectors(stride, mask, (low, high), bytes as usize);
                    let by_lanes = sectors(&all, mask, (low, high), bytes as usize);
                    assert_eq!(by_stride.unwrap_or(by_lanes), by_lanes, "{stride} {mask:x}");
                    assert!(by_stride.is_some() || mask != u32::MAX || stride == 0);
                }
            }
        }
    }
}
