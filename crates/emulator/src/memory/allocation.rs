//! One allocation of global memory: its bytes, and which of them are initialised.
//!
//! ```text
//! words         | 4 bytes | 4 bytes | 4 bytes | ...
//! initialised   1111        1111      0000      one bit per byte; not read once all are 1
//! ```
//!
//! Law: a byte counts as initialised once the host or a kernel wrote it; before that, the byte
//! reads as 0 if the check is off. [`RawBytes`] reads and writes bytes. Only the files of
//! `exec::global`, which makes the checks, and `memory::global`, for the host, import it. A test of
//! the sources fails for every other file that imports it. Other files may copy all bytes and
//! restore them.
//!
//! Words are atomics with relaxed order: blocks on several CPU threads may use one buffer at the
//! same time, as blocks on a GPU may, and no word is torn. Plain accesses of a GPU guarantee no
//! more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use crate::frame::WARP;

/// The purpose of an allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// From `alloc`.
    Buffer,
    /// A `.global` variable.
    Variable,
    /// A `.const` variable.
    Constant,
    /// The memory from which `malloc` in kernels allocates.
    Heap,
    /// An address for memory of several devices.
    Multicast,
}

/// The contents of an allocation at some time.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    words: Box<[u32]>,
    initialised: Box<[u32]>,
    complete: bool,
}

impl Contents {
    /// Returns the byte at an offset, or 0 if the copy lacks this byte because the host had no
    /// memory for it.
    pub fn byte(&self, at: usize) -> u8 {
        let word = self.words.get(at / 4).copied().unwrap_or(0);
        word.to_le_bytes()[at % 4]
    }
}

/// A piece of global memory.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub base: u64,
    pub size: usize,
    pub kind: Kind,
    /// For a multicast address: the memory of each device, and the offset of the first byte in it.
    pub members: Vec<(Arc<Allocation>, usize)>,
    words: Box<[AtomicU32]>,
    /// One bit for each byte.
    initialised: Box<[AtomicU32]>,
    /// Whether every byte is initialised, so that the bits need not be read.
    complete: AtomicBool,
}

impl Allocation {
    /// Creates zeroed memory in pages that the system allocates at their first use. Returns `None`
    /// if the host has not enough memory.
    pub(crate) fn new(base: u64, size: usize, kind: Kind) -> Option<Self> {
        let zeroed = |words| bytemuck::try_zeroed_slice_box::<AtomicU32>(words).ok();
        Some(Allocation {
            base,
            size,
            kind,
            members: Vec::new(),
            words: zeroed(size.div_ceil(4))?,
            initialised: zeroed(size.div_ceil(32))?,
            complete: AtomicBool::new(false),
        })
    }

    /// Creates a multicast address, which has no bytes of its own.
    pub(crate) fn multicast(
        base: u64,
        size: usize,
        members: Vec<(Arc<Allocation>, usize)>,
    ) -> Self {
        Allocation {
            base,
            size,
            kind: Kind::Multicast,
            members,
            words: Box::default(),
            initialised: Box::default(),
            complete: AtomicBool::new(true),
        }
    }

    /// Whether all of `bytes` bytes (at most 32, at a multiple of their number) were written.
    #[inline(always)]
    pub fn is_initialised(&self, at: usize, bytes: usize) -> bool {
        if self.complete.load(Relaxed) {
            return true;
        }
        let wanted = mask(at, bytes);
        self.initialised[at / 32].load(Relaxed) & wanted == wanted
    }

    /// Returns the first byte of `at..at + bytes` that was not written, or `None` if all were.
    pub fn first_uninitialised(&self, at: usize, bytes: usize) -> Option<usize> {
        (at..at + bytes).find(|&byte| !self.is_initialised(byte, 1))
    }

    #[inline]
    fn mark_bits(&self, word: usize, bits: u32) {
        let word = &self.initialised[word];
        if word.load(Relaxed) & bits != bits {
            word.fetch_or(bits, Relaxed);
        }
    }

    /// Whether all of `bytes` bytes, any number, were written.
    pub fn is_initialised_span(&self, at: usize, bytes: usize) -> bool {
        let mut byte = at;
        while byte < at + bytes {
            let stop = (at + bytes).min((byte / 32 + 1) * 32);
            let wanted = mask(byte, stop - byte);
            if self.initialised[byte / 32].load(Relaxed) & wanted != wanted {
                return false;
            }
            byte = stop;
        }
        true
    }

    /// Whether every byte was written.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.complete.load(Relaxed)
    }

    /// Marks bytes as uninitialised; both ends must be multiples of 16.
    pub fn unmark(&self, at: usize, length: usize) {
        for half in (at / 16)..(at + length) / 16 {
            self.initialised[half / 2].fetch_and(!(0xffff << (half % 2 * 16)), Relaxed);
        }
    }

    /// Marks all bytes as initialised: the allocation is zero-filled.
    pub fn complete(&self) {
        self.complete.store(true, Relaxed);
    }

    /// Copies the contents. Returns `None` if the host has no memory for the copy.
    pub fn contents(&self) -> Option<Contents> {
        let copy = |words: &[AtomicU32]| {
            let mut copy = Vec::new();
            copy.try_reserve_exact(words.len()).ok()?;
            copy.extend(words.iter().map(|word| word.load(Relaxed)));
            Some(copy.into_boxed_slice())
        };
        Some(Contents {
            words: copy(&self.words)?,
            initialised: copy(&self.initialised)?,
            complete: self.complete.load(Relaxed),
        })
    }

    /// Restores the contents that [`contents`](Self::contents) copied.
    pub fn restore(&self, contents: &Contents) {
        let put = |words: &[AtomicU32], values: &[u32]| {
            for (word, &value) in words.iter().zip(values) {
                word.store(value, Relaxed);
            }
        };
        put(&self.words, &contents.words);
        put(&self.initialised, &contents.initialised);
        self.complete.store(contents.complete, Relaxed);
    }
}

/// Reads and writes bytes without a check. `exec::global`, which checks first, and the host use
/// this trait.
pub(crate) trait RawBytes {
    /// Loads 1, 2, 4 or 8 bytes at a multiple of their number, inside the allocation.
    fn load(&self, at: usize, bytes: usize) -> u64;

    /// Stores 1, 2, 4 or 8 bytes at a multiple of their number, inside the allocation.
    fn store(&self, at: usize, bytes: usize, value: u64);

    /// Notes that `bytes` bytes (at most 32, at a multiple of their number) are written.
    fn mark(&self, at: usize, bytes: usize);

    /// Returns the words at `at(lane)`, a multiple of 4, for each lane, to load, store or compare
    /// them.
    fn rows(
        &self,
        at: impl Fn(usize) -> usize,
        consecutive: bool,
    ) -> Rows<'_, impl Fn(usize) -> usize>;

    /// Marks bytes as uninitialised, even if every byte was initialised; both ends must be
    /// multiples of 16. No other block may use the allocation at the same time.
    fn discard(&self, at: usize, length: usize);

    /// Notes that `length` bytes, any number, are written.
    fn mark_range(&self, at: usize, length: usize);

    /// Writes any bytes inside the allocation, and marks them.
    fn write(&self, at: usize, bytes: &[u8]);

    /// Reads any bytes inside the allocation.
    fn read(&self, at: usize, bytes: &mut [u8]);
}

impl RawBytes for Allocation {
    #[inline(always)]
    fn load(&self, at: usize, bytes: usize) -> u64 {
        let word = u64::from(self.words[at / 4].load(Relaxed));
        match bytes {
            4 => word,
            8 => word | u64::from(self.words[at / 4 + 1].load(Relaxed)) << 32,
            2 => word >> (at % 4 * 8) & 0xffff,
            _ => word >> (at % 4 * 8) & 0xff,
        }
    }

    #[inline(always)]
    fn store(&self, at: usize, bytes: usize, value: u64) {
        let word = &self.words[at / 4];
        match bytes {
            4 => word.store(value as u32, Relaxed),
            8 => {
                word.store(value as u32, Relaxed);
                self.words[at / 4 + 1].store((value >> 32) as u32, Relaxed);
            }
            _ => {
                // Another block may write the other bytes of the word at the same time.
                let (shift, mask) = (at % 4 * 8, (1u32 << (bytes * 8)) - 1);
                let change =
                    |old: u32| Some(old & !(mask << shift) | (value as u32 & mask) << shift);
                let _ = word.fetch_update(Relaxed, Relaxed, change);
            }
        }
    }

    #[inline(always)]
    fn mark(&self, at: usize, bytes: usize) {
        if !self.complete.load(Relaxed) {
            self.mark_bits(at / 32, mask(at, bytes));
        }
    }

    #[inline(always)]
    fn rows(
        &self,
        at: impl Fn(usize) -> usize,
        consecutive: bool,
    ) -> Rows<'_, impl Fn(usize) -> usize> {
        Rows {
            words: &self.words,
            at,
            consecutive,
        }
    }

    fn discard(&self, at: usize, length: usize) {
        if self.complete.swap(false, Relaxed) {
            for bits in &self.initialised {
                bits.store(u32::MAX, Relaxed);
            }
        }
        self.unmark(at, length);
    }

    fn mark_range(&self, at: usize, length: usize) {
        if length == self.size {
            self.complete.store(true, Relaxed);
            return;
        }
        let end = at + length;
        let mut byte = at;
        while byte < end {
            let stop = end.min((byte / 32 + 1) * 32);
            self.mark_bits(byte / 32, mask(byte, stop - byte));
            byte = stop;
        }
    }

    fn write(&self, at: usize, bytes: &[u8]) {
        let mut byte = 0;
        while byte < bytes.len() {
            let place = at + byte;
            if place.is_multiple_of(4) && bytes.len() - byte >= 4 {
                let word = u32::from_le_bytes([
                    bytes[byte],
                    bytes[byte + 1],
                    bytes[byte + 2],
                    bytes[byte + 3],
                ]);
                self.words[place / 4].store(word, Relaxed);
                byte += 4;
            } else {
                self.store(place, 1, u64::from(bytes[byte]));
                byte += 1;
            }
        }
        self.mark_range(at, bytes.len());
    }

    fn read(&self, at: usize, bytes: &mut [u8]) {
        let mut byte = 0;
        while byte < bytes.len() {
            let place = at + byte;
            if place.is_multiple_of(4) && bytes.len() - byte >= 4 {
                let word = self.words[place / 4].load(Relaxed);
                bytes[byte..byte + 4].copy_from_slice(&word.to_le_bytes());
                byte += 4;
            } else {
                bytes[byte] = self.load(place, 1) as u8;
                byte += 1;
            }
        }
    }
}

/// The words of a warp, one for each lane.
pub(crate) struct Rows<'a, F> {
    words: &'a [AtomicU32],
    /// The offset in bytes of a lane's word.
    at: F,
    /// Whether the words are consecutive.
    consecutive: bool,
}

impl<F: Fn(usize) -> usize> Rows<'_, F> {
    /// Calls `each` with every lane and its word.
    #[inline(always)]
    fn each(&self, mut each: impl FnMut(usize, &AtomicU32)) {
        if self.consecutive {
            let row = &self.words[(self.at)(0) / 4..][..WARP];
            row.iter()
                .enumerate()
                .for_each(|(lane, word)| each(lane, word));
        } else {
            (0..WARP).for_each(|lane| each(lane, &self.words[(self.at)(lane) / 4]));
        }
    }

    #[inline(always)]
    pub(crate) fn load(&self, values: &mut [u32; WARP]) {
        self.each(|lane, word| values[lane] = word.load(Relaxed));
    }

    #[inline(always)]
    pub(crate) fn store(&self, values: &[u32; WARP]) {
        self.each(|lane, word| word.store(values[lane], Relaxed));
    }

    /// Sets bits of each lane's `differences` where its word differs from `values`.
    #[inline(always)]
    pub(crate) fn compare(&self, values: &[u32; WARP], differences: &mut [u32; WARP]) {
        self.each(|lane, word| differences[lane] |= word.load(Relaxed) ^ values[lane]);
    }
}

/// Returns the initialisation bits of `bytes` bytes from `at` on, at their place in their word.
#[inline(always)]
fn mask(at: usize, bytes: usize) -> u32 {
    (u32::MAX >> (32 - bytes)) << (at % 32)
}
