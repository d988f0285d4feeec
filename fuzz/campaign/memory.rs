//! An allocator that counts the bytes that an input allocates, and limits the bytes of the process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The number of bytes that a process may have allocated. A further allocation fails.
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

/// Restarts the search for the maximum. Returns the number of bytes that are allocated now.
pub fn begin() -> usize {
    let now = NOW.load(Relaxed);
    MOST.store(now, Relaxed);
    now
}

/// Returns the largest number of allocated bytes since `begin`.
pub fn most() -> usize {
    MOST.load(Relaxed)
}

// SAFETY: memory comes from `System` under the caller's layout. At the limit the allocator returns
// null, which every caller of an allocator must expect. Counting does not touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !more(layout.size()) {
            NOW.fetch_sub(layout.size(), Relaxed);
            return std::ptr::null_mut();
        }
        // SAFETY: the layout has more than 0 bytes, which `System` requires and
        // `GlobalAlloc::alloc` requires of its caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !more(layout.size()) {
            NOW.fetch_sub(layout.size(), Relaxed);
            return std::ptr::null_mut();
        }
        // SAFETY: the layout has more than 0 bytes, which `System` requires and
        // `GlobalAlloc::alloc_zeroed` requires of its caller.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `memory` is from this allocator, so from `System`, with this layout:
        // `GlobalAlloc::dealloc` requires both of its caller.
        unsafe { System.dealloc(memory, layout) }
    }
}
