//! Bank conflicts of an access to shared memory.
//!
//! ```text
//! bank_conflicts((128,32):(32,1), f16, ldmatrix)                4 ways: rows 0, 2, 4, 6 begin in the same bank
//! bank_conflicts(Sw<2,3,3> o (128,32):(32,1), f16, ldmatrix)    free
//! bank_conflicts(smem, make_tiled_copy_a(..).S, f16)            what each thread of the copy really touches
//! ```
//!
//! Shared memory has 32 banks of 4 bytes. A warp's access is served in phases of 128 bytes, and a
//! phase takes as many passes as its busiest bank has different words. Law: `ways` is the number of
//! passes of the worst phase; `extra` is the number of passes beyond one per phase, summed over all
//! phases. Source: CUDA C++ Programming Guide, "Shared Memory".

use std::fmt;

use layout_types::dynamic::rules::{self, Flat, choose_swizzle};
use layout_types::dynamic::{AnyLayout, Domain, DynLayout, LayoutError, Nested, Swizzle};
use thiserror::Error;

use crate::limits::MAX_CELLS;
use crate::thread_value::ThreadValue;

/// The elements that one phase of a warp's access touches in a tile with rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarpAccess {
    /// Eight rows, 16 bytes of each: `ldmatrix`, `stmatrix`.
    Matrix,
    /// Lanes along the rows, each of which accesses this many bytes.
    Rows(i64),
    /// Lanes down a column, each of which accesses this many bytes.
    Columns(i64),
    /// An accumulator of `mma.sync` in its register layout; each lane accesses this many bytes.
    Fragment(i64),
}

impl fmt::Display for WarpAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matrix => f.write_str("ldmatrix"),
            Self::Rows(bytes) => write!(f, "rows of {bytes} bytes"),
            Self::Columns(bytes) => write!(f, "columns of {bytes} bytes"),
            Self::Fragment(bytes) => write!(f, "fragments of {bytes} bytes"),
        }
    }
}

/// The bank conflicts of accesses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conflicts {
    /// The number of passes of the worst phase; 1 means no conflict.
    pub ways: i64,
    /// The number of passes beyond one per phase, summed over all phases.
    pub extra: i64,
    /// The number of bytes that a lane accesses at a time.
    pub bytes: i64,
    /// The first of the worst phases, if the access is given by a thread-value layout and has
    /// conflicts.
    pub worst: Option<Phase>,
}

/// A phase, and the bank in which its threads access the most different words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phase {
    /// The range of threads in the phase.
    pub threads: std::ops::Range<i64>,
    /// The index of the first value that the threads access.
    pub value: i64,
    /// The index of the bank, which is 4 bytes wide. If accesses use wider banks, this is the first
    /// of the 4-byte banks that form the wide one.
    pub bank: i64,
    /// The threads that access different words of this bank.
    pub wanted_by: Vec<i64>,
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ways <= 1 {
            write!(f, "free of bank conflicts, {} bytes a lane", self.bytes)?;
        } else {
            write!(
                f,
                "{}-way bank conflicts, {} passes too many, {} bytes a lane",
                self.ways, self.extra, self.bytes
            )?;
        }
        if let Some(phase) = &self.worst {
            let threads: Vec<String> = phase.wanted_by.iter().map(i64::to_string).collect();
            write!(
                f,
                ": threads {}..{} at value {}: bank {} has different words for threads {}",
                phase.threads.start,
                phase.threads.end,
                phase.value,
                phase.bank,
                threads.join(", ")
            )?;
        }
        Ok(())
    }
}

/// The reason why conflicts cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BankError {
    /// The layout cannot be evaluated.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The access does not fit the layout.
    #[error("{0}")]
    Access(String),
}

fn access_error<T>(message: impl Into<String>) -> Result<T, BankError> {
    Err(BankError::Access(message.into()))
}

/// Splits a layout into a tile of rows and columns and the swizzle applied after it, which is the
/// identity for a plain layout.
///
/// Returns an error for a rank other than 2, for more than one swizzle or an offset, and for more
/// than [`MAX_CELLS`] elements.
fn tile(layout: &AnyLayout, element_bits: u32) -> Result<(rules::Tile, Swizzle), BankError> {
    let (swizzle, domain) = match layout {
        AnyLayout::Plain(plain) => (Swizzle::IDENTITY, plain),
        AnyLayout::Composed(outer) => match outer.inner() {
            AnyLayout::Plain(plain) if outer.offset() == 0 => (outer.swizzle(), plain),
            _ => {
                return access_error(format!(
                    "{layout} is behind more than one swizzle, or has an offset; give a thread-value layout as the access"
                ));
            }
        },
    };
    if domain.rank() != 2 {
        return access_error(format!(
            "{domain} has rank {}; rows and columns are needed",
            domain.rank()
        ));
    }
    if layout.size()? > MAX_CELLS {
        return access_error(format!("at most {MAX_CELLS} elements are looked at"));
    }
    let flat = |i: usize| -> Result<Flat, BankError> {
        let mode = domain.mode(i).expect("rank 2");
        if mode.has_basis() {
            return access_error(format!("{mode} has strides that name modes"));
        }
        let shape: Vec<i64> = mode.shape().leaves().into_iter().copied().collect();
        let stride: Vec<i64> = mode.stride().leaves().iter().map(|s| s.value()).collect();
        Flat::from_slices(&shape, &stride).map_err(|rule| BankError::Access(rule.to_string()))
    };
    rules::Tile::new(flat(0)?, flat(1)?, element_bits)
        .map(|tile| (tile, swizzle))
        .map_err(|rule| BankError::Access(rule.to_string()))
}

fn phases(access: WarpAccess, tile: &rules::Tile) -> Result<rules::AccessShape, BankError> {
    match access {
        WarpAccess::Matrix => Ok(rules::AccessShape::ldmatrix()),
        WarpAccess::Rows(bytes) => rules::AccessShape::along_rows(tile, bytes),
        WarpAccess::Columns(bytes) => rules::AccessShape::down_columns(bytes),
        WarpAccess::Fragment(bytes) => rules::AccessShape::fragment(bytes),
    }
    .map_err(|rule| BankError::Access(format!("{access}: {rule}")))
}

fn bytes(access: WarpAccess) -> i64 {
    match access {
        WarpAccess::Matrix => 16,
        WarpAccess::Rows(bytes) | WarpAccess::Columns(bytes) | WarpAccess::Fragment(bytes) => bytes,
    }
}

/// Counts the conflicts of accesses to a layout of rows and columns.
///
/// # Errors
/// Returns an error if the layout is not of rank 2 with at most one swizzle before it, or if an
/// access does not fill the layout with whole, aligned vectors.
///
/// ```
/// use notation::banks::{WarpAccess, conflicts};
/// let plain = "(128,32):(32,1)".parse().unwrap();
/// assert_eq!(conflicts(&plain, 16, WarpAccess::Matrix).unwrap().ways, 4);
/// let swizzled = "Sw<2,3,3> o 0 o (128,32):(32,1)".parse().unwrap();
/// assert_eq!(conflicts(&swizzled, 16, WarpAccess::Matrix).unwrap().ways, 1);
/// ```
pub fn conflicts(
    layout: &AnyLayout,
    element_bits: u32,
    access: WarpAccess,
) -> Result<Conflicts, BankError> {
    let (tile, swizzle) = tile(layout, element_bits)?;
    let found = rules::conflicts(&tile, &[phases(access, &tile)?], &swizzle)
        .map_err(|rule| BankError::Access(format!("{access} of {layout}: {rule}")))?;
    Ok(Conflicts {
        ways: found.ways,
        extra: found.extra,
        bytes: bytes(access),
        worst: None,
    })
}

/// Returns the smallest swizzle with the fewest conflicts for these accesses to a layout of rows
/// and columns.
///
/// # Errors
/// Returns the errors of [`conflicts`], and an error for more than 2^16 elements.
pub fn best_swizzle(
    layout: &DynLayout,
    element_bits: u32,
    accesses: &[WarpAccess],
) -> Result<Swizzle, BankError> {
    const MOST: i64 = 1 << 16;
    if layout.size()? > MOST {
        return access_error(format!(
            "a swizzle is chosen for tiles of at most {MOST} elements"
        ));
    }
    let (tile, _) = tile(&AnyLayout::Plain(layout.clone()), element_bits)?;
    let accesses = accesses
        .iter()
        .map(|access| phases(*access, &tile))
        .collect::<Result<Vec<_>, _>>()?;
    choose_swizzle(&tile, &accesses)
        .map(|choice| choice.swizzle)
        .map_err(|rule| BankError::Access(rule.to_string()))
}

/// Counts the conflicts of the accesses by the threads of a thread-value layout; `layout` maps a
/// cell of the tile to the offset in shared memory.
///
/// Values that lie next to each other in memory for every thread form one vector of at most 16
/// bytes, or of `vector` bytes if that is given.
///
/// # Errors
/// Returns an error if `layout` has fewer elements than the tile, if `vector` bytes are not
/// contiguous and aligned, or if there are too many values to count.
///
/// ```
/// use notation::{banks, eval};
/// let smem = eval("Sw<2,3,3> o (32,32):(32,1)").unwrap().layout().unwrap();
/// let notation::Value::ThreadValue(tv) = eval("tv(((8,4),8):((1,256),32), (32,32))").unwrap() else { panic!() };
/// assert_eq!(banks::of_threads(&smem, &tv, 16, None).unwrap().ways, 1);
/// ```
pub fn of_threads(
    layout: &AnyLayout,
    tv: &ThreadValue,
    element_bits: u32,
    vector: Option<i64>,
) -> Result<Conflicts, BankError> {
    let (threads, values) = (tv.threads(), tv.values());
    if threads.saturating_mul(values) > MAX_CELLS {
        return access_error(format!("at most {MAX_CELLS} accesses are looked at"));
    }
    if element_bits == 0 || element_bits.count_ones() != 1 || element_bits > 128 {
        return access_error(format!("no element has {element_bits} bits"));
    }
    let bits = i64::from(element_bits);
    let size = layout.size()?;
    let mut offsets = Vec::with_capacity((threads * values) as usize);
    for value in 0..values {
        for thread in 0..threads {
            let cell = tv
                .index(thread, value)
                .filter(|cell| (0..size).contains(cell));
            let Some(cell) = cell else {
                return access_error(format!(
                    "thread {thread}, value {value} is at a cell that {layout} does not have"
                ));
            };
            let offset = layout.offset(cell)?;
            if !(0..i64::MAX / 256).contains(&offset) {
                return access_error(format!("no address of shared memory is at offset {offset}"));
            }
            offsets.push(offset);
        }
    }
    let at = |thread: i64, value: i64| offsets[(value * threads + thread) as usize];
    let is_vector = |n: i64| {
        values % n == 0
            && (0..threads).all(|thread| {
                (0..values).step_by(n as usize).all(|first| {
                    let begin = at(thread, first);
                    begin % n == 0 && (1..n).all(|i| at(thread, first + i) == begin + i)
                })
            })
    };
    let elements = match vector {
        Some(bytes) => {
            if !(1..=16).contains(&bytes) || bytes.count_ones() != 1 {
                return access_error(format!(
                    "a lane takes 1, 2, 4, 8 or 16 bytes at a time, not {bytes}"
                ));
            }
            let n = (bytes * 8 / bits).max(1);
            if !is_vector(n) {
                return access_error(format!(
                    "{bytes} bytes are no whole, aligned vector of each thread's values"
                ));
            }
            n
        }
        None => {
            let mut n = (128 / bits).max(1);
            while n > 1 && !is_vector(n) {
                n /= 2;
            }
            n
        }
    };
    Ok(count(threads, values, elements, bits, at))
}

/// Counts, for each phase, the different words that are accessed in each bank.
fn count(
    threads: i64,
    values: i64,
    elements: i64,
    bits: i64,
    at: impl Fn(i64, i64) -> i64,
) -> Conflicts {
    let bytes = (elements * bits / 8).max(1);
    let unit = bytes.max(4);
    let (lanes, groups) = (128 / unit, 128 / unit);
    let mut out = Conflicts {
        ways: 1,
        extra: 0,
        bytes,
        worst: None,
    };
    for value in (0..values).step_by(elements as usize) {
        for warp in (0..threads).step_by(32) {
            for first in (warp..threads.min(warp + 32)).step_by(lanes as usize) {
                let last = threads.min(warp + 32).min(first + lanes);
                let mut words: Vec<Vec<(i64, i64)>> = vec![Vec::new(); groups as usize];
                for thread in first..last {
                    let word = at(thread, value) * bits / (unit * 8);
                    let bank = &mut words[(word % groups) as usize];
                    if bank.iter().all(|(seen, _)| *seen != word) {
                        bank.push((word, thread));
                    }
                }
                let (group, busiest) = words
                    .iter()
                    .enumerate()
                    .rev()
                    .max_by_key(|(_, words)| words.len())
                    .expect("there is a bank");
                let ways = busiest.len() as i64;
                out.extra += (ways - 1).max(0);
                if ways > out.ways {
                    out.ways = ways;
                    out.worst = Some(Phase {
                        threads: first..last,
                        value,
                        bank: group as i64 * unit / 4,
                        wanted_by: busiest.iter().map(|(_, thread)| *thread).collect(),
                    });
                }
            }
        }
    }
    out
}

/// Returns the bank of an element: the index of its first 4-byte word, modulo 32.
///
/// ```
/// assert_eq!(notation::banks::bank_of(66, 16), 1); // half 66 is byte 132, word 33
/// ```
pub fn bank_of(offset: i64, element_bits: u32) -> i64 {
    (offset.saturating_mul(i64::from(element_bits)) / 32).rem_euclid(32)
}

/// Whether a layout has two modes, rows and columns.
pub fn has_rows_and_columns(layout: &AnyLayout) -> bool {
    matches!(layout.domain().shape(), Nested::Tuple(modes) if modes.len() == 2)
}
