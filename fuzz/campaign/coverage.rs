//! Records which edges of the code an input reached, if the build counts edges.
//!
//! With LLVM's coverage passes (`-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3
//! -Cllvm-args=-sanitizer-coverage-inline-8bit-counters`) each module of code registers a table of
//! counters before `main`, one byte for each edge. Without these passes there are no counters, and
//! inputs are only drawn.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

static TABLES: Mutex<Vec<&'static [AtomicU8]>> = Mutex::new(Vec::new());

/// Registers a table of counters.
///
/// # Safety
/// `start..end` are the bytes of a table that lives as long as the program, or no bytes. Only
/// LLVM's constructor of a module calls this function, with the module's own static table.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(
    start: *const AtomicU8,
    end: *const AtomicU8,
) {
    let length = (end as usize).saturating_sub(start as usize);
    if length == 0 {
        return;
    }
    // SAFETY: `start` begins `length` bytes that live as long as the program, by this function's
    // contract. Instrumented code adds to them with plain instructions of one byte, which at worst
    // lose a count.
    let table = unsafe { std::slice::from_raw_parts(start, length) };
    if let Ok(mut tables) = TABLES.lock()
        && !tables.iter().any(|known| known.as_ptr() == start)
    {
        tables.push(table);
    }
}

/// The classes of counts that any input reached, for each edge. Each class has a bit (1, 2, 3, 4..,
/// 8.., 16.., 32.., 128..).
#[derive(Default)]
pub struct Reached(pub Vec<u8>);

impl Reached {
    /// Adds the counts since the last call, and sets the counters to 0. Returns whether an edge
    /// reached a class of counts for the first time.
    pub fn take(&mut self) -> bool {
        let Ok(tables) = TABLES.lock() else {
            return false;
        };
        let total: usize = tables.iter().map(|table| table.len()).sum();
        self.0.resize(total, 0);
        let mut new = false;
        let counters = tables.iter().flat_map(|table| table.iter());
        for (seen, counter) in self.0.iter_mut().zip(counters) {
            let count = counter.load(Relaxed);
            if count != 0 {
                counter.store(0, Relaxed);
                let class = match count {
                    1..=3 => 1 << (count - 1),
                    4..=7 => 8,
                    8..=15 => 16,
                    16..=31 => 32,
                    32..=127 => 64,
                    _ => 128,
                };
                new |= *seen & class == 0;
                *seen |= class;
            }
        }
        new
    }

    /// Returns the number of edges that were reached.
    pub fn edges(&self) -> usize {
        self.0.iter().filter(|&&seen| seen != 0).count()
    }
}
