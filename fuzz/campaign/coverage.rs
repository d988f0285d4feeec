//! Edges of the code that an input reached, where the build counts them.
//!
//! With LLVM's coverage passes (`-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3
//! -Cllvm-args=-sanitizer-coverage-inline-8bit-counters`) each module of code hands over a table of
//! counters, one byte an edge, before `main`. Without them there are none, and inputs are only
//! drawn.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

static TABLES: Mutex<Vec<&'static [AtomicU8]>> = Mutex::new(Vec::new());

/// Takes a table of counters.
///
/// # Safety
/// `start..end` are the bytes of a table that lives as long as the program, or nothing; LLVM's
/// constructor of a module, which alone calls this, hands over its own static table.
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
    // contract; instrumented code adds to them with plain instructions of one byte, which may lose
    // a count but not more.
    let table = unsafe { std::slice::from_raw_parts(start, length) };
    if let Ok(mut tables) = TABLES.lock()
        && !tables.iter().any(|known| known.as_ptr() == start)
    {
        tables.push(table);
    }
}

/// What all inputs reached: for each edge the classes of counts, a bit each (1, 2, 3, 4.., 8..,
/// 16.., 32.., 128..).
#[derive(Default)]
pub struct Reached(pub Vec<u8>);

impl Reached {
    /// Takes over what was counted since the last time, and sets the counters to 0. Whether any of
    /// it is new.
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

    /// How many edges were reached.
    pub fn edges(&self) -> usize {
        self.0.iter().filter(|&&seen| seen != 0).count()
    }
}
