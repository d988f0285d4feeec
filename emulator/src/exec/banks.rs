//! What an access costs on a device: wavefronts in shared memory, sectors in global memory.
//!
//! ```text
//! shared: 32 banks of 4 bytes; lanes that want different words of one bank go one after the other
//! access of 4 bytes and less   one phase of 32 lanes
//!           8 bytes            two phases of 16 lanes
//!          16 bytes            four phases of 8 lanes;   ldmatrix: one phase of 8 rows for each matrix
//! ```
//!
//! Law: the wavefronts of a phase are the most distinct words that any bank must give in it; a bank conflict is a
//! wavefront beyond the first. The sectors of an access are the distinct pieces of 32 bytes that it touches.
//! Source: CUDA C++ Programming Guide, "Shared Memory", "Global Memory"; the phases of wide accesses are what the
//! counters of devices show.

use super::access::Addresses;
use super::lanes;

/// Wavefronts and phases of an access of shared memory, `bytes` for each lane.
pub(crate) fn wavefronts(offsets: &Addresses, mask: u32, bytes: usize) -> (u32, u32) {
    let group = if bytes <= 4 { 32 } else { 128 / bytes.min(16) };
    let (mut total, mut phases) = (0, 0);
    for first in (0..32).step_by(group) {
        let part = mask & ((u64::MAX >> (64 - group)) as u32) << first;
        if part != 0 {
            total += phase(offsets, part, bytes);
            phases += 1;
        }
    }
    (total, phases)
}

/// Wavefronts of one phase.
pub(crate) fn phase(offsets: &Addresses, lanes_of_phase: u32, bytes: usize) -> u32 {
    let words = bytes.div_ceil(4) as u64;
    let (mut low, mut high) = (u64::MAX, 0);
    for lane in lanes(lanes_of_phase) {
        low = low.min(offsets[lane] / 4);
        high = high.max(offsets[lane] / 4 + words);
    }
    // Within 32 consecutive words no two share a bank.
    if high - low <= 32 {
        return 1;
    }
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
        if word != last {
            of_bank[word as usize % 32] += 1;
            last = word;
        }
    }
    of_bank.into_iter().max().unwrap_or(0)
}

/// Distinct sectors of 32 bytes that an access of `bytes` for each lane touches.
#[inline]
pub(crate) fn sectors(all: &Addresses, mask: u32, (low, high): (u64, u64), bytes: usize) -> u32 {
    let first = low / 32;
    // An aligned access ends with the address space at the latest.
    let last = (high + (bytes as u64 - 1)) / 32;
    if last - first < 64 {
        let mut touched = 0u64;
        // Aligned accesses of up to 32 bytes are inside one sector. Lanes that are off repeat one that is on.
        for &address in all {
            touched |= 1 << (address / 32 - first);
        }
        return touched.count_ones();
    }
    let mut touched = [0u64; 32];
    let mut n = 0;
    for lane in lanes(mask) {
        touched[n] = all[lane] / 32;
        n += 1;
    }
    let touched = &mut touched[..n];
    touched.sort_unstable();
    1 + touched.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32
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
                wavefronts(&offsets(|l| l * stride * 4), full, 4),
                (expected, 1),
                "stride {stride}"
            );
        }
        assert_eq!(
            wavefronts(&offsets(|_| 64), full, 4),
            (1, 1),
            "one word for all"
        );
        assert_eq!(
            wavefronts(&offsets(|l| l * 2), full, 2),
            (1, 1),
            "halves of one word"
        );
        assert_eq!(wavefronts(&offsets(|l| l * 8), full, 8), (2, 2));
        assert_eq!(wavefronts(&offsets(|l| l * 16), full, 16), (4, 4));
        assert_eq!(wavefronts(&offsets(|l| l * 128), full, 16), (32, 4));
        assert_eq!(wavefronts(&offsets(|l| l * 128), 0xff, 16), (8, 1));
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
}
