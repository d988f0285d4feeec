//! An allocator that counts: what an input takes at most, and a limit for all.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes that a process may have allocated; beyond it an allocation fails.
const LIMIT: usize = 4 << 30;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn more(bytes: usize) -> bool {
    let now = NOW.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(now, Relaxed);
    now <= LIMIT
}

/// Begins to look for the most anew; what is allocated now.
pub fn begin() -> usize {
    let now = NOW.load(Relaxed);
    MOST.store(now, Relaxed);
    now
}

/// The most bytes since `begin`.
pub fn most() -> usize {
    MOST.load(Relaxed)
}

// SAFETY: memory comes from `System` under the layout that the caller gives, or null where the
// limit is reached, which every caller of an allocator must expect; counting does not touch it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !more(layout.size()) {
            NOW.fetch_sub(layout.size(), Relaxed);
            return std::ptr::null_mut();
        }
        // SAFETY: `GlobalAlloc::alloc` demands of its caller a layout of more than 0 bytes, as
        // `System` does.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !more(layout.size()) {
            NOW.fetch_sub(layout.size(), Relaxed);
            return std::ptr::null_mut();
        }
        // SAFETY: `GlobalAlloc::alloc_zeroed` demands of its caller a layout of more than 0 bytes,
        // as `System` does.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `memory` is from this allocator, that is from `System`, with this layout:
        // `GlobalAlloc::dealloc` demands both of its caller.
        unsafe { System.dealloc(memory, layout) }
    }
}
