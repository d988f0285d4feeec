//! The bytes of global memory that a launch used. The next launch, which may begin before this one
//! has ended, is checked against them.
//!
//! ```text
//!   kernel `first`    ── st [a] ─────────────┐ what it read, wrote, and changed by atomics: one bit per byte
//!   kernel `second`   └─ ld [a] ── wait ──   the read of [a] comes before the wait: a conflict
//! ```
//!
//! Law: two uses conflict if one is a write, or if one is an atomic and the other is not. If the
//! blocks of a launch let dependents begin before these blocks have themselves waited, earlier
//! launches may still be under way: the launch's footprint then refers to the footprints of the
//! earlier launches. Source: PTX ISA, "griddepcontrol".

use std::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Arc, OnceLock};

use crate::fault::{Access, Earlier};
use crate::memory::allocation::{Allocation, Kind};
use crate::memory::global::Global;

/// The number of earlier launches that may still be under way; footprints further back are dropped.
const MOST_UNDER_WAY: usize = 8;

type Bits = OnceLock<Box<[AtomicU64]>>;

/// The uses of an allocation by a launch, one bit for each byte: its reads, writes and atomics.
#[derive(Debug)]
struct Buffer {
    base: u64,
    reads: Bits,
    writes: Bits,
    atomics: Bits,
}

/// The bytes of global memory that a launch used.
#[derive(Debug)]
pub(crate) struct Footprint {
    /// The kernel's name.
    pub kernel: String,
    /// The uses of each allocation, in the order of the launch's allocations (by address).
    buffers: Vec<Buffer>,
    /// The footprint of the previous launch, if that launch may still be under way.
    before: Option<Arc<Footprint>>,
    /// Whether some block waited for the previous launch before it let dependents begin.
    ordered: AtomicBool,
    /// The number of bytes that the host could not allocate for a bitmap, or 0.
    lacking: AtomicUsize,
}

impl Footprint {
    /// Creates an empty footprint for a launch of `kernel`. `before` is the footprint of the
    /// previous launch, if this launch may begin before the previous one has ended.
    pub fn new(kernel: String, global: &Global, before: Option<Arc<Footprint>>) -> Footprint {
        let buffer = |index| {
            let base = global.at(index).map_or(0, |allocation| allocation.base);
            let [reads, writes, atomics] = Default::default();
            Buffer {
                base,
                reads,
                writes,
                atomics,
            }
        };
        Footprint {
            kernel,
            buffers: (0..global.len()).map(buffer).collect(),
            before,
            ordered: AtomicBool::default(),
            lacking: AtomicUsize::default(),
        }
    }

    /// Notes that a block waited for the previous launch before it let dependents begin: the next
    /// launch then begins after the end of the previous launch.
    pub fn order(&self) {
        self.ordered.store(true, Relaxed);
    }

    /// Returns the number of bytes that the host could not allocate, or `None` if no allocation
    /// failed.
    pub fn lacking(&self) -> Option<usize> {
        Some(self.lacking.load(SeqCst)).filter(|&bytes| bytes != 0)
    }

    /// Ends the launch. Returns its footprint, with those of the earlier launches that may still be
    /// under way.
    pub fn ended(mut self) -> Arc<Footprint> {
        if self.ordered.load(Relaxed) || self.under_way() > MOST_UNDER_WAY {
            self.before = None;
        }
        Arc::new(self)
    }

    /// Returns the number of launches in the chain.
    fn under_way(&self) -> usize {
        std::iter::successors(Some(self), |one| one.before.as_deref()).count()
    }

    /// Notes that the launch uses `bytes` bytes at offset `at` of the allocation with this index.
    pub fn note(
        &self,
        (index, allocation): (usize, &Allocation),
        at: usize,
        bytes: usize,
        access: Access,
    ) {
        // Kernels do not write constants, and pieces of the heap pass from launch to launch.
        if !matches!(allocation.kind, Kind::Buffer | Kind::Variable) {
            return;
        }
        let buffer = &self.buffers[index];
        let bits = match access {
            Access::Read => &buffer.reads,
            Access::Write => &buffer.writes,
            Access::Atomic => &buffer.atomics,
        };
        let words = bits.get_or_init(|| {
            let words = allocation.size.div_ceil(64);
            bytemuck::try_zeroed_slice_box(words).unwrap_or_else(|()| {
                self.lacking.store(8 * words, SeqCst);
                Box::default()
            })
        });
        for (word, mask) in masks(at, bytes) {
            if let Some(word) = words.get(word)
                && word.load(Relaxed) & mask != mask
            {
                word.fetch_or(mask, SeqCst);
            }
        }
    }

    /// Returns the first of these bytes that the launch itself used in the opposite way, and that
    /// use: a byte that it wrote if `access` is a read, and a byte that it read otherwise.
    pub fn opposite(
        &self,
        index: usize,
        at: usize,
        bytes: usize,
        access: Access,
    ) -> Option<(usize, Earlier)> {
        let buffer = self.buffers.get(index)?;
        let (bits, earlier) = match access {
            Access::Read => (&buffer.writes, Earlier::Wrote),
            Access::Write | Access::Atomic => (&buffer.reads, Earlier::Read),
        };
        Some((first(bits.get()?, at, bytes)?, earlier))
    }

    /// Finds the first launch under way that used one of these bytes in a way that forbids `access`
    /// before the end of that launch. Returns the byte's offset, the use by that launch, and its
    /// kernel.
    pub fn conflict(
        &self,
        allocation: &Allocation,
        at: usize,
        bytes: usize,
        access: Access,
    ) -> Option<(usize, Earlier, &str)> {
        let found = self
            .buffers
            .binary_search_by_key(&allocation.base, |buffer| buffer.base)
            .ok()
            .and_then(|index| {
                let Buffer {
                    reads,
                    writes,
                    atomics,
                    ..
                } = &self.buffers[index];
                let against: &[(&Bits, Earlier)] = match access {
                    Access::Read => &[(writes, Earlier::Wrote), (atomics, Earlier::Wrote)],
                    Access::Write => &[
                        (writes, Earlier::Wrote),
                        (atomics, Earlier::Wrote),
                        (reads, Earlier::Read),
                    ],
                    Access::Atomic => &[(writes, Earlier::Wrote), (reads, Earlier::Read)],
                };
                let each = against.iter().filter_map(|(bits, earlier)| {
                    Some((first(bits.get()?, at, bytes)?, *earlier, &*self.kernel))
                });
                each.min_by_key(|&(at, ..)| at)
            });
        found.or_else(|| {
            self.before
                .as_ref()?
                .conflict(allocation, at, bytes, access)
        })
    }
}

/// Returns the words of a bitmap that contain the `bytes` bits from bit `at` on, and which bits of
/// each word.
fn masks(at: usize, bytes: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = at + bytes;
    (at / 64..end.div_ceil(64)).map(move |word| {
        let (low, high) = (at.max(64 * word) % 64, end.min(64 * word + 64) - 64 * word);
        (word, u64::MAX << low & u64::MAX >> (64 - high))
    })
}

/// Returns the first set bit among the `bytes` bits from bit `at` on.
fn first(words: &[AtomicU64], at: usize, bytes: usize) -> Option<usize> {
    masks(at, bytes).find_map(|(word, mask)| {
        let set = words.get(word)?.load(Relaxed) & mask;
        (set != 0).then(|| 64 * word + set.trailing_zeros() as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::global::HostMemory;

    const ALL: [Access; 3] = [Access::Read, Access::Write, Access::Atomic];

    /// Compares conflicts with the definition, byte by byte, for spans of many lengths and offsets
    /// within three words.
    #[test]
    fn spans_conflict_where_a_byte_does() {
        let mut global = HostMemory::default();
        let a = global.allocate(190, 1, Kind::Buffer, 1000).unwrap();
        let b = global.allocate(190, 1, Kind::Buffer, 1000).unwrap();
        for (at, bytes) in [(0, 1), (3, 61), (60, 8), (64, 64), (1, 189), (127, 2)] {
            for earlier in ALL {
                let first = Footprint::new("first".to_owned(), &global, None);
                first.note((0, &a), at, bytes, earlier);
                for (from, access) in (0..190).flat_map(|from| ALL.map(|access| (from, access))) {
                    for length in [1, 2, 16, 64, 100] {
                        let length = length.min(190 - from);
                        let place = (from..from + length).find(|i| (at..at + bytes).contains(i));
                        let harmless = earlier == access && access != Access::Write;
                        let found = first.conflict(&a, from, length, access);
                        assert_eq!(found.map(|(at, ..)| at), place.filter(|_| !harmless));
                        assert_eq!(first.conflict(&b, from, length, access), None);
                    }
                }
            }
        }
    }

    #[test]
    fn launches_stay_under_way_behind_one_that_did_not_wait() {
        let mut global = HostMemory::default();
        let a = global.allocate(64, 1, Kind::Buffer, 1000).unwrap();
        let new = |name: &str, before| Footprint::new(name.to_owned(), &global, before);
        let first = new("first", None);
        first.note((0, &a), 8, 4, Access::Write);
        let first = first.ended();
        let second = new("second", Some(first.clone())).ended();
        let third = new("third", Some(second)).ended();
        let found = third.conflict(&a, 0, 16, Access::Read);
        assert_eq!(found, Some((8, Earlier::Wrote, "first")));
        let waited = new("second", Some(first));
        waited.order();
        assert_eq!(waited.ended().conflict(&a, 0, 16, Access::Read), None);
        let chain = (0..100).fold(third, |before, _| new("more", Some(before)).ended());
        assert!(chain.under_way() <= MOST_UNDER_WAY);
    }
}
