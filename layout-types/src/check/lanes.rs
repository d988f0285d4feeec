//! A tile of shared memory: which elements the lanes of a phase access, and whether values lie in
//! the tile as whole vectors.
//!
//! ```text
//! lane 0 ████    lane 1     ████    ..    a phase: as many lanes as take 128 bytes
//! ```

use super::admissible::Verdict;
use super::chooser::{Function, swizzle_of};
use super::text::{Text, sentence};
use super::value::{Node, Value};
use crate::dynamic::rules::{AccessShape, Flat, Rule, Swizzle, Tile};

// -- Lanes ----------------------------------------------------------------------------------------
//
// A tile of shared memory, and the elements that the lanes of one phase of a warp access in it.
//
// ```text
//   Ldmatrix   v . . .     Rows(16) of (128,32) halfs   v v v v     Columns(2)  v . . .     Fragment(4)  v v v v
//   8 lanes    v . . .     8 lanes                      v v v v     32 lanes    v . . .     32 lanes     v v v v
//              ..                                                               ..                       ..
// ```
//
// Law: an access visits the tile block by block, each block one phase. Source: CUDA C++ Programming
// Guide, "Shared Memory"; the phases are those of
// [`AccessShape`](crate::dynamic::rules::AccessShape).

/// The placement of the lanes of one phase in a tile with contiguous rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// `ldmatrix` and `stmatrix`: eight rows, 16 bytes of each.
    Ldmatrix,
    /// Consecutive lanes take consecutive vectors of this many bytes of a row, then of the next
    /// row.
    Rows(i64),
    /// Consecutive lanes take vectors of this many bytes of consecutive rows: a transposed read.
    Columns(i64),
    /// An `mma.sync` accumulator in register order: lane `t` takes vector `t % 4` of row `t / 4`;
    /// the number is the bytes of a vector.
    Fragment(i64),
}

impl Lanes {
    /// Returns the shape of a phase's access in a tile.
    ///
    /// # Errors
    /// Returns the errors of [`AccessShape`].
    pub(super) const fn access(&self, tile: &Tile) -> Result<AccessShape, Rule> {
        match *self {
            Self::Ldmatrix => Ok(AccessShape::ldmatrix()),
            Self::Rows(bytes) => AccessShape::along_rows(tile, bytes),
            Self::Columns(bytes) => AccessShape::down_columns(bytes),
            Self::Fragment(bytes) => AccessShape::fragment(bytes),
        }
    }

    pub(super) const fn name(&self, text: &mut Text) {
        match *self {
            Self::Ldmatrix => text.say("ldmatrix"),
            Self::Rows(bytes) => text.say("rows of ").number(bytes).say(" bytes"),
            Self::Columns(bytes) => text.say("columns of ").number(bytes).say(" bytes"),
            Self::Fragment(bytes) => text.say("fragment of ").number(bytes).say(" bytes"),
        };
    }

    /// Returns the number of rows of a phase, its number of vectors per row, and the number of
    /// elements per vector, in rows of `columns` elements.
    pub(super) const fn block(&self, columns: i64, element_bits: u32) -> (i64, i64, i64) {
        let bytes = self.bytes();
        let elements = if bytes * 8 > element_bits as i64 {
            bytes * 8 / element_bits as i64
        } else {
            1
        };
        let most = if bytes > 4 { 128 / bytes } else { 32 };
        let across = match self {
            Self::Ldmatrix | Self::Columns(_) => 1,
            Self::Fragment(_) => 4,
            Self::Rows(_) if columns / elements < most => columns / elements,
            Self::Rows(_) => most,
        };
        if across < 1 {
            return (most, 1, elements);
        }
        (most / across, across, elements)
    }

    /// Returns the number of bytes that a lane accesses.
    pub(super) const fn bytes(&self) -> i64 {
        match *self {
            Self::Ldmatrix => 16,
            Self::Rows(bytes) | Self::Columns(bytes) | Self::Fragment(bytes) => bytes,
        }
    }
}

/// A layout in the form in which accesses to shared memory use it.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    rows: Flat,
    columns: Flat,
    element_bits: u32,
    /// The swizzle that is applied to the tile's offsets.
    pub(super) swizzle: Swizzle,
    /// Whether mode 0 is the contiguous mode.
    pub(super) turned: bool,
}

/// Splits a layout into a tile of contiguous rows, from its first two modes, and its swizzle.
pub(super) const fn shared(layout: &Value, element_bits: u32) -> Result<Shared, Rule> {
    if !element_bits.is_power_of_two() || element_bits > 128 {
        return Err(Rule::NotPowerOfTwo {
            value: element_bits as i64,
        });
    }
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
    // Further modes, such as stages: a result for one stage holds for all stages if they are whole
    // periods apart.
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
    let (rows, columns) = if turned {
        (second, first)
    } else {
        (first, second)
    };
    Ok(Shared {
        rows,
        columns,
        element_bits,
        swizzle,
        turned,
    })
}

impl Shared {
    /// Returns the whole tile.
    pub(super) const fn tile(&self) -> Result<Tile, Rule> {
        Tile::new(self.rows, self.columns, self.element_bits)
    }

    /// Returns a part of the tile whose accesses have the same conflicts as those of the whole
    /// tile, and the number of such parts.
    ///
    /// If all shapes and strides are powers of two and no two modes reach the same bit of an
    /// offset, the offset of a phase is exclusive-ored with the offsets within the phase. Swizzles
    /// and the choice of a bank are linear over exclusive or, so all phases of an access have the
    /// same conflicts, and it is enough to examine one of the largest blocks of all accesses.
    pub(super) const fn part(&self, accesses: &[Lanes]) -> Result<(Tile, i64), Rule> {
        let (whole_rows, whole_columns) = match (self.rows.size(), self.columns.size()) {
            (Some(rows), Some(columns)) => (rows, columns),
            _ => return Err(Rule::Overflow),
        };
        let (mut rows, mut columns, mut i) = (1, 1, 0);
        while i < accesses.len() {
            let (down, across, elements) = accesses[i].block(whole_columns, self.element_bits);
            if down > rows {
                rows = down;
            }
            if across * elements > columns {
                columns = across * elements;
            }
            i += 1;
        }
        if !self.is_binary() || rows > whole_rows || columns > whole_columns {
            return match self.tile() {
                Ok(tile) => Ok((tile, 1)),
                Err(rule) => Err(rule),
            };
        }
        match Tile::new(
            first(&self.rows, rows),
            first(&self.columns, columns),
            self.element_bits,
        ) {
            Ok(tile) => Ok((tile, whole_rows / rows * (whole_columns / columns))),
            Err(rule) => Err(rule),
        }
    }

    /// Checks that whole phases fill the tile.
    pub(super) const fn fits(&self, lanes: &Lanes) -> Result<(), Rule> {
        let (rows, columns) = match (self.rows.size(), self.columns.size()) {
            (Some(rows), Some(columns)) => (rows, columns),
            _ => return Err(Rule::Overflow),
        };
        let (down, across, elements) = lanes.block(columns, self.element_bits);
        if rows % down != 0 {
            return Err(Rule::BlockDivides {
                block: down,
                shape: rows,
            });
        }
        if columns % (across * elements) != 0 {
            return Err(Rule::BlockDivides {
                block: across * elements,
                shape: columns,
            });
        }
        Ok(())
    }

    /// Whether every shape and stride is a power of two and each bit of an offset belongs to only
    /// one mode.
    const fn is_binary(&self) -> bool {
        let (mut taken, mut i) = (0i64, 0);
        while i < self.rows.len() + self.columns.len() {
            let (flat, k) = if i < self.rows.len() {
                (&self.rows, i)
            } else {
                (&self.columns, i - self.rows.len())
            };
            i += 1;
            let (shape, stride) = (flat.shape(k), flat.stride(k));
            if shape == 1 {
                continue;
            }
            if shape.count_ones() != 1 || stride.count_ones() != 1 || stride < 1 {
                return false;
            }
            let bits = (shape - 1).saturating_mul(stride);
            if bits & taken != 0 {
                return false;
            }
            taken |= bits;
        }
        true
    }
}

/// Returns the first `count` elements of a layout, where `count`, shapes and strides are powers of
/// two.
const fn first(flat: &Flat, count: i64) -> Flat {
    let (mut out, mut rest, mut i) = (Flat::new(), count, 0);
    while i < flat.len() {
        let shape = if flat.shape(i) < rest {
            flat.shape(i)
        } else {
            rest
        };
        // There are at most as many modes as before, so the push succeeds.
        let _ = out.push(shape, flat.stride(i), 0);
        rest /= shape;
        i += 1;
    }
    out
}

// -- Vectors --------------------------------------------------------------------------------------
//
// Checks that the values of a copy lie in memory as whole vectors.
//
// ```text
//   thread t:  values 0..8  ->  8 neighbouring halfs, the first at a multiple of 16 bytes  ->  one 16-byte access
// ```
//
// Law: the elements of every vector of an access are contiguous in memory, and the vector starts at
// a multiple of its size, with the swizzle applied.

macro_rules! rule {
    ($text:expr, $result:expr) => {
        match $result {
            Ok(value) => value,
            Err(rule) => return Err(*$text.text(&sentence(&rule))),
        }
    };
}

/// Checks the size of an access of `elements` elements of `bytes` bytes: an instruction must exist
/// for it.
const fn vector(elements: i64, bytes: i64) -> Result<(), Text> {
    if elements >= 1 && bytes >= 1 && matches!(elements * bytes, 1 | 2 | 4 | 8 | 16) {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("no instruction moves ").number(elements);
    text.say(" elements of ").number(bytes);
    Err(*text.say(" bytes at once; it is 1, 2, 4, 8 or 16 bytes together"))
}

/// Checks that each run of `elements` values is contiguous in memory and starts at a multiple of
/// its size. The runs follow the coordinates of `layout` or, with a thread-value layout `tv`, the
/// values of each thread.
///
/// # Errors
/// Returns the sentence that names the first value at a wrong place.
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
    if elements == 1 {
        return Ok(());
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
