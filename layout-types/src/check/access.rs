//! Whether accesses to memory are what a kernel wants them to be: whole vectors, and lanes on banks of their own.
//!
//! ```text
//!   (8,32):(32,1) of halfs, ldmatrix: 8 rows, 16 bytes of each
//!   row     0  1  2  3  4  5  6  7          32 banks of 4 bytes; a row of 64 bytes takes 16 of them
//!   banks   0 16  0 16  0 16  0 16 ..       row 0 and row 2 share theirs: conflicts, 4 ways
//! ```
//!
//! Law: every vector of an access lies side by side in memory and starts at a multiple of its size; a phase of a warp has
//! no two lanes with different words in one bank. Source: CUDA C++ Programming Guide, "Shared Memory"; the phases are those
//! of [`Access`](crate::dynamic::rules::Access).

use super::admissible::Verdict;
use super::covers::coordinate;
use super::function::{Function, swizzle_of};
use super::sentence::sentence;
use super::text::Text;
use super::value::{Node, Value};
use crate::dynamic::rules::{self, Access, Rule, Swizzle, Tile};

macro_rules! rule {
    ($text:expr, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(rule) => return Err(*$text.text(&sentence(&rule))),
        }
    };
}

/// How the lanes of one phase lie in a tile whose rows are contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// `ldmatrix` and `stmatrix`: eight rows, 16 bytes of each.
    Ldmatrix,
    /// Consecutive lanes take consecutive vectors of so many bytes of a row, then of the next row.
    Rows(i64),
    /// Consecutive lanes take vectors of so many bytes of consecutive rows: a transposed read.
    Columns(i64),
    /// An `mma.sync` accumulator as it lies: lane `t` takes vector `t % 4` of row `t / 4`.
    Fragment(i64),
}

impl Lanes {
    /// The phase in a tile.
    ///
    /// # Errors
    /// Those of [`Access`].
    pub(super) const fn access(&self, tile: &Tile) -> Result<Access, Rule> {
        match *self {
            Self::Ldmatrix => Ok(Access::ldmatrix()),
            Self::Rows(bytes) => Access::along_rows(tile, bytes),
            Self::Columns(bytes) => Access::down_columns(bytes),
            Self::Fragment(bytes) => Access::fragment(bytes),
        }
    }

    const fn name(&self, text: &mut Text) {
        match *self {
            Self::Ldmatrix => text.say("ldmatrix"),
            Self::Rows(bytes) => text.say("rows of ").number(bytes).say(" bytes"),
            Self::Columns(bytes) => text.say("columns of ").number(bytes).say(" bytes"),
            Self::Fragment(bytes) => text.say("fragment of ").number(bytes).say(" bytes"),
        };
    }

    /// The bytes of a lane.
    const fn bytes(&self) -> i64 {
        match *self {
            Self::Ldmatrix => 16,
            Self::Rows(bytes) | Self::Columns(bytes) | Self::Fragment(bytes) => bytes,
        }
    }
}

/// The two modes of a layout as a tile of contiguous rows, the swizzle before it, and whether mode 0 is the contiguous one.
pub(super) const fn tile_of(
    layout: &Value,
    element_bits: u32,
) -> Result<(Tile, Swizzle, bool), Rule> {
    let function = match Function::new(layout) {
        Ok(function) => function,
        Err(rule) => return Err(rule),
    };
    let domain = layout.domain();
    if domain.rank() < 2 {
        return Err(Rule::Rank {
            found: domain.rank(),
            needed: 2,
        });
    }
    let mut swizzle = Swizzle::IDENTITY;
    if let Node::Composed = layout.root() {
        let offset = layout.child(1).integer();
        if offset != 0 || !matches!(layout.child(2).root(), Node::Layout) {
            return Err(Rule::Offset { offset });
        }
        swizzle = match swizzle_of(&layout.child(0)) {
            Ok(swizzle) => swizzle,
            Err(rule) => return Err(rule),
        };
    }
    // Stages and the like: what holds for one of them holds for all where they lie whole periods apart.
    let banks = 128 * 8 / element_bits as i64;
    let mut mode = 2;
    while mode < domain.rank() {
        match domain.mode(mode).flat() {
            Ok(flat) => {
                let mut i = 0;
                while i < flat.len() {
                    let stride = flat.stride(i);
                    if flat.shape(i) > 1 && (stride % function.period() != 0 || stride % banks != 0)
                    {
                        return Err(Rule::Rank {
                            found: domain.rank(),
                            needed: 2,
                        });
                    }
                    i += 1;
                }
            }
            Err(rule) => return Err(rule),
        }
        mode += 1;
    }
    let (first, second) = match (domain.mode(0).flat(), domain.mode(1).flat()) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(rule), _) | (_, Err(rule)) => return Err(rule),
    };
    let turned = second.coalesce(false).stride(0) != 1 && first.coalesce(false).stride(0) == 1;
    let tile = if turned {
        Tile::new(second, first, element_bits)
    } else {
        Tile::new(first, second, element_bits)
    };
    match tile {
        Ok(tile) => Ok((tile, swizzle, turned)),
        Err(rule) => Err(rule),
    }
}

/// Whether the lanes of each phase of an access to `layout` are on banks of their own. The rows of the tile run along
/// mode 1, or along mode 0 where that is the contiguous one; further modes are stages.
///
/// # Errors
/// The sentence that names the first two lanes that share a bank.
///
/// ```
/// use layout_types::{check::{Lanes, Reflect, conflict_free}, prelude::*};
/// type Plain = layout!((8,32):(32,1));
/// type Swizzled = Composition<Swizzle<2, 3, 3>, Plain>;
/// assert!(conflict_free(&Swizzled::VALUE, 16, &Lanes::Ldmatrix).is_ok());
/// assert_eq!(conflict_free(&Plain::VALUE, 16, &Lanes::Ldmatrix).unwrap_err().as_str(),
///     "ldmatrix of (8,32):(32,1), 16 bits an element, has bank conflicts: elements (0,0) and (2,0) of one phase, at \
///      offsets 0 and 64, share a bank; 4 passes for the worst phase, 12 extra in all");
/// ```
pub const fn conflict_free(layout: &Value, element_bits: u32, lanes: &Lanes) -> Verdict {
    let mut text = Text::new();
    lanes.name(&mut text);
    text.say(" of ").text(&layout.notation());
    text.say(", ")
        .number(element_bits as i64)
        .say(" bits an element, ");
    let mut refused = text;
    refused.say("cannot be counted: ");
    if !element_bits.is_power_of_two() || element_bits > 128 {
        return Err(*refused.text(&sentence(&Rule::NotPowerOfTwo {
            value: element_bits as i64,
        })));
    }
    let (tile, swizzle, turned) = rule!(refused, tile_of(layout, element_bits));
    let access = rule!(refused, lanes.access(&tile));
    let found = rule!(refused, rules::conflicts(&tile, &[access], &swizzle));
    if found.extra == 0 {
        return Ok(());
    }
    text.say("has bank conflicts: ");
    first_conflict(&mut text, layout, element_bits, lanes, turned);
    text.number(found.ways).say(" passes for the worst phase, ");
    Err(*text.number(found.extra).say(" extra in all"))
}

/// The first two elements that share a bank, found by going through the phases as [`conflict_free`] counts them.
const fn first_conflict(
    text: &mut Text,
    layout: &Value,
    element_bits: u32,
    lanes: &Lanes,
    turned: bool,
) {
    let function = match Function::new(layout) {
        Ok(function) => function,
        Err(_) => return,
    };
    let (first, second) = match (
        layout.domain().mode(0).size(),
        layout.domain().mode(1).size(),
    ) {
        (Ok(first), Ok(second)) => (first, second),
        _ => return,
    };
    let (rows, columns) = if turned {
        (second, first)
    } else {
        (first, second)
    };
    let bytes = lanes.bytes();
    let elements = if bytes * 8 > element_bits as i64 {
        bytes * 8 / element_bits as i64
    } else {
        1
    };
    let most = if bytes > 4 { 128 / bytes } else { 32 };
    let across = match lanes {
        Lanes::Ldmatrix | Lanes::Columns(_) => 1,
        Lanes::Fragment(_) => 4,
        Lanes::Rows(_) if columns / elements < most => columns / elements,
        Lanes::Rows(_) => most,
    };
    let down = most / across;
    let mut phase = Phase::new(element_bits, bytes);
    let (blocks_across, blocks) = (
        columns / (across * elements),
        rows / down * (columns / (across * elements)),
    );
    let mut block = 0;
    while block < blocks {
        phase.clear();
        let (row, column) = (
            block / blocks_across * down,
            block % blocks_across * across * elements,
        );
        let mut lane = 0;
        while lane < most {
            let (r, c) = (row + lane / across, column + lane % across * elements);
            let at = if turned { c + r * first } else { r + c * first };
            if let Some(other) = phase.add(at, function.at(at)) {
                text.say("elements ");
                coordinate(text, layout, other);
                text.say(" and ");
                coordinate(text, layout, at);
                text.say(" of one phase, at offsets ");
                text.number(function.at(other))
                    .say(" and ")
                    .number(function.at(at));
                text.say(", share a bank; ");
                return;
            }
            lane += 1;
        }
        block += 1;
    }
}

/// The words that the lanes of one phase have touched.
struct Phase {
    bits: i64,
    unit: i64,
    len: usize,
    lanes: [(i64, i64); 32],
}

impl Phase {
    const fn new(element_bits: u32, bytes: i64) -> Self {
        Self {
            bits: element_bits as i64,
            unit: if bytes > 4 { bytes } else { 4 },
            len: 0,
            lanes: [(0, 0); 32],
        }
    }

    const fn clear(&mut self) {
        self.len = 0;
    }

    /// One more lane, called `name`; the lane before it with another word in the same bank, if there is one.
    const fn add(&mut self, name: i64, offset: i64) -> Option<i64> {
        let word = offset * self.bits / (self.unit * 8);
        let banks = 128 / self.unit;
        let mut i = 0;
        while i < self.len {
            let (other, seen) = self.lanes[i];
            if seen == word {
                return None;
            }
            if seen % banks == word % banks {
                return Some(other);
            }
            i += 1;
        }
        if self.len < self.lanes.len() {
            self.lanes[self.len] = (name, word);
            self.len += 1;
        }
        None
    }
}

/// `bytes` an access of `elements` each; what no instruction moves is refused.
const fn vector(elements: i64, bytes: i64) -> Result<(), Text> {
    if elements >= 1 && bytes >= 1 && matches!(elements * bytes, 1 | 2 | 4 | 8 | 16) {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("no instruction moves ").number(elements);
    text.say(" elements of ").number(bytes);
    Err(*text.say(" bytes at once; it is 1, 2, 4, 8 or 16 bytes together"))
}

/// Whether each run of `elements` values lies side by side in memory and starts at a multiple of its size. The runs are
/// those of `layout` in the order of its coordinates or, with a thread-value layout `tv` in front, those of each thread's
/// values.
///
/// # Errors
/// The sentence that names the first value that lies elsewhere.
///
/// ```
/// use layout_types::{check::{Reflect, contiguous}, prelude::*};
/// type Smem = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
/// type Tv = layout!(((4,8),8):((64,1),8)); // 32 threads, 8 halfs of a row each
/// assert!(contiguous(&Smem::VALUE, Some(&Tv::VALUE), 8, 2).is_ok());
/// assert!(contiguous(&Smem::VALUE, None, 8, 2).is_err());
/// ```
pub const fn contiguous(layout: &Value, tv: Option<&Value>, elements: i64, bytes: i64) -> Verdict {
    if let Err(text) = vector(elements, bytes) {
        return Err(text);
    }
    let mut text = Text::new();
    if let Some(tv) = tv {
        text.text(&tv.notation()).say(" into ");
    }
    text.text(&layout.notation())
        .say(" has no vectors of ")
        .number(elements)
        .say(" elements: ");
    let memory = rule!(text, Function::new(layout));
    let (order, threads, values) = match tv {
        None => (None, 1, rule!(text, layout.size())),
        Some(tv) => {
            let threads = rule!(text, tv.mode(0).size());
            let size = rule!(text, tv.size());
            (
                Some(rule!(text, Function::new(tv))),
                threads,
                size / threads,
            )
        }
    };
    if values % elements != 0 {
        text.number(values).say(" values");
        if threads > 1 {
            text.say(" of a thread");
        }
        return Err(*text.say(" are no whole number of vectors"));
    }
    let mut thread = 0;
    while thread < threads {
        let (mut first, mut value) = (0, 0);
        while value < values {
            let at = thread + value * threads;
            let offset = match &order {
                None => memory.at(at),
                Some(order) => memory.at(order.at(at)),
            };
            let in_vector = value % elements;
            if in_vector == 0 {
                first = offset;
            }
            if in_vector == 0 && offset % elements != 0 {
                text.say("value ").number(value);
                by_thread(&mut text, &order, thread);
                text.say(" is at offset ").number(offset);
                text.say(", byte ").number(offset * bytes);
                text.say(", which is no multiple of ");
                return Err(*text.number(elements * bytes).say(" bytes"));
            }
            if offset != first + in_vector {
                text.say("values ").number(value - in_vector).say(" and ");
                text.number(value);
                by_thread(&mut text, &order, thread);
                text.say(" are at offsets ")
                    .number(first)
                    .say(" and ")
                    .number(offset);
                return Err(*text
                    .say(", and the vector has ")
                    .number(first + in_vector)
                    .say(" there"));
            }
            value += 1;
        }
        thread += 1;
    }
    Ok(())
}

const fn by_thread(text: &mut Text, order: &Option<Function>, thread: i64) {
    if order.is_some() {
        text.say(" of thread ").number(thread);
    }
}

/// Whether the threads of a warp, each taking `bytes` at a time of its values by the thread-value layout `tv`, are on banks
/// of their own in each phase. The vectors must be [`contiguous`].
///
/// # Errors
/// The sentence that names the first two threads that share a bank, or why the vectors are none.
///
/// ```
/// use layout_types::{check::{Reflect, conflict_free_by}, prelude::*};
/// type Tv = layout!(((4,8),8):((64,1),8)); // a warp: 4 threads a row, 8 rows, 8 halfs each
/// type Smem = layout!((8,32):(32,1));
/// assert!(conflict_free_by(&Smem::VALUE, 16, &Tv::VALUE, 16).is_ok());
/// ```
pub const fn conflict_free_by(
    layout: &Value,
    element_bits: u32,
    tv: &Value,
    bytes: i64,
) -> Verdict {
    let element_bytes = element_bits as i64 / 8;
    let elements = if element_bytes > 0 {
        bytes / element_bytes
    } else {
        0
    };
    let vectors = contiguous(layout, Some(tv), elements, element_bytes);
    if vectors.is_err() {
        return vectors;
    }
    let mut text = Text::new();
    text.number(bytes).say(" bytes a thread by ");
    text.text(&tv.notation())
        .say(" of ")
        .text(&layout.notation());
    text.say(", ").number(element_bits as i64);
    text.say(" bits an element, has bank conflicts: ");
    let memory = rule!(text, Function::new(layout));
    let order = rule!(text, Function::new(tv));
    let threads = rule!(text, tv.mode(0).size());
    let values = rule!(text, tv.size()) / threads;
    let lanes = if bytes > 4 { 128 / bytes } else { 32 };
    let mut phase = Phase::new(element_bits, bytes);
    let mut value = 0;
    while value < values {
        let mut thread = 0;
        while thread < threads {
            if thread % lanes == 0 {
                phase.clear();
            }
            let offset = memory.at(order.at(thread + value * threads));
            if let Some(other) = phase.add(thread, offset) {
                text.say("threads ").number(other).say(" and ");
                text.number(thread).say(" are at offsets ");
                text.number(memory.at(order.at(other + value * threads)))
                    .say(" and ")
                    .number(offset);
                return Err(*text.say(" with value ").number(value).say(", in one bank"));
            }
            thread += 1;
        }
        value += elements;
    }
    Ok(())
}

/// [`conflict_free`] for each of the accesses.
///
/// # Errors
/// The sentence of the first that is not.
pub const fn all_conflict_free(layout: &Value, element_bits: u32, accesses: &[Lanes]) -> Verdict {
    let mut i = 0;
    while i < accesses.len() {
        let verdict = conflict_free(layout, element_bits, &accesses[i]);
        if verdict.is_err() {
            return verdict;
        }
        i += 1;
    }
    Ok(())
}
