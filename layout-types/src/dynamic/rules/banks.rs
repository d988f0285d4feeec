//! Counts bank conflicts in shared memory, and chooses the swizzle that avoids them.
//!
//! Shared memory has 32 banks of 4 bytes. A warp's access is served in phases of 128 bytes (8 lanes
//! of 16 bytes, 16 of 8, 32 of 4 or less), and a phase takes as many passes as its busiest bank has
//! different words (CUDA C++ Programming Guide, "Shared Memory"; `ldmatrix` fetches one 8x8 matrix,
//! eight rows of 16 bytes, per phase). The order of the lanes within a phase does not matter, so an
//! access is described by the block of vectors that a phase accesses:
//!
//! ```text
//! ldmatrix:  8 rows x 1 vector     a row-wise copy of (128,32) halfs by 16 bytes:  2 rows x 4 vectors
//! v . . .                          v v v v
//! v . . .                          v v v v
//! ... (8)
//! ```
//!
//! A swizzle whose base covers a vector moves aligned vectors as one piece, and changes banks only
//! through the bits directly above the base. So there are few swizzles to try;
//! `docs/swizzle-chooser.md` has the closed form and its proof.

use super::{Flat, Rule, Swizzle};

/// A tile in shared memory: the offset of `(row, column)` is `rows(row) + columns(column)`
/// elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    rows: Flat,
    columns: Flat,
    element_bits: u32,
}

impl Tile {
    /// Makes a tile from the layouts of its two modes and the width of an element.
    ///
    /// # Errors
    /// Returns [`Rule::NotPowerOfTwo`] for the width, or [`Rule::NegativeStride`] or
    /// [`Rule::BasisStride`], since offsets in shared memory are non-negative integers.
    pub const fn new(rows: Flat, columns: Flat, element_bits: u32) -> Result<Self, Rule> {
        if element_bits.count_ones() != 1 {
            return Err(Rule::NotPowerOfTwo {
                value: element_bits as i64,
            });
        }
        let mut i = 0;
        while i < rows.len() + columns.len() {
            let (mode, k) = if i < rows.len() {
                (&rows, i)
            } else {
                (&columns, i - rows.len())
            };
            if mode.stride(k) < 0 {
                return Err(Rule::NegativeStride {
                    stride: mode.stride(k),
                });
            }
            if mode.basis(k) != 0 {
                return Err(Rule::BasisStride);
            }
            i += 1;
        }
        Ok(Self {
            rows,
            columns,
            element_bits,
        })
    }

    /// Makes a tile of `rows` x `columns` elements. Each row is contiguous, and consecutive rows
    /// are `pitch` elements apart.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new).
    pub const fn row_major(
        rows: i64,
        columns: i64,
        pitch: i64,
        element_bits: u32,
    ) -> Result<Self, Rule> {
        match (
            Flat::from_slices(&[rows], &[pitch]),
            Flat::from_slices(&[columns], &[1]),
        ) {
            (Ok(rows), Ok(columns)) => Self::new(rows, columns, element_bits),
            (Err(rule), _) | (_, Err(rule)) => Err(rule),
        }
    }

    const fn offset(&self, row: i64, column: i64) -> i64 {
        (self.rows.at(row as i128, 0) + self.columns.at(column as i128, 0)) as i64
    }

    const fn extent(flat: &Flat) -> i64 {
        match flat.size() {
            Some(size) => size,
            None => i64::MAX,
        }
    }
}

/// The vectors that one phase of a warp's access reads or writes. They are a block of
/// `rows` x `vectors`, each vector `bytes` wide along the row. The whole access visits the tile
/// block by block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessShape {
    rows: i64,
    vectors: i64,
    bytes: i64,
}

/// Returns the number of lanes that a phase serves with `bytes` each.
const fn lanes(bytes: i64) -> i64 {
    if bytes > 4 { 128 / bytes } else { 32 }
}

impl AccessShape {
    /// Makes a phase of `rows` x `vectors` of `bytes` each.
    ///
    /// # Errors
    /// Returns [`Rule::NotPowerOfTwo`] if `bytes` is not a power of two up to 16, or
    /// [`Rule::RankAbove`] for more lanes than a phase has.
    pub const fn new(rows: i64, vectors: i64, bytes: i64) -> Result<Self, Rule> {
        if bytes < 1 || bytes > 16 || bytes.count_ones() != 1 {
            return Err(Rule::NotPowerOfTwo { value: bytes });
        }
        if rows < 1 || vectors < 1 {
            return Err(Rule::NotPositive {
                value: if rows < 1 { rows } else { vectors },
            });
        }
        if rows * vectors > lanes(bytes) {
            return Err(Rule::RankAbove {
                found: (rows * vectors) as usize,
                most: lanes(bytes) as usize,
            });
        }
        Ok(Self {
            rows,
            vectors,
            bytes,
        })
    }

    /// Makes a phase of `ldmatrix` or `stmatrix`: it accesses eight rows, 16 bytes of each.
    pub const fn ldmatrix() -> Self {
        Self {
            rows: 8,
            vectors: 1,
            bytes: 16,
        }
    }

    /// Makes a phase with lanes along the rows: consecutive lanes access consecutive vectors of a
    /// row, then the next row.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new), or [`Rule::BlockDivides`] if neither the vectors
    /// of a row divide those of a phase nor the reverse.
    pub const fn along_rows(tile: &Tile, bytes: i64) -> Result<Self, Rule> {
        if bytes < 1 || bytes > 16 || bytes.count_ones() != 1 {
            return Err(Rule::NotPowerOfTwo { value: bytes });
        }
        let row_bits = Tile::extent(&tile.columns) * tile.element_bits as i64;
        if row_bits % (bytes * 8) != 0 {
            return Err(Rule::BlockDivides {
                block: bytes * 8,
                shape: row_bits,
            });
        }
        let (vectors, lanes) = (row_bits / (bytes * 8), lanes(bytes));
        if vectors % lanes == 0 {
            return Self::new(1, lanes, bytes);
        }
        if lanes % vectors != 0 {
            return Err(Rule::BlockDivides {
                block: lanes,
                shape: vectors,
            });
        }
        Self::new(lanes / vectors, vectors, bytes)
    }

    /// Makes a phase with lanes down a column, each with a vector of `bytes` bytes: a transposed
    /// read.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new).
    pub const fn down_columns(bytes: i64) -> Result<Self, Rule> {
        if bytes < 1 || bytes > 16 || bytes.count_ones() != 1 {
            return Err(Rule::NotPowerOfTwo { value: bytes });
        }
        Self::new(lanes(bytes), 1, bytes)
    }

    /// Makes a phase of an `mma.sync` accumulator in its register order: lane `t` writes row
    /// `t / 4`, vector `t % 4`.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new).
    pub const fn fragment(bytes: i64) -> Result<Self, Rule> {
        if bytes < 1 || bytes > 16 || bytes.count_ones() != 1 {
            return Err(Rule::NotPowerOfTwo { value: bytes });
        }
        Self::new(lanes(bytes) / 4, 4, bytes)
    }

    /// Returns the number of elements per vector.
    const fn elements(&self, tile: &Tile) -> i64 {
        let elements = self.bytes * 8 / tile.element_bits as i64;
        if elements < 1 { 1 } else { elements }
    }
}

/// The cost of the accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflicts {
    /// The number of passes beyond one per phase, summed over all phases of all accesses.
    pub extra: i64,
    /// The number of passes of the worst phase; 1 means that there is no conflict.
    pub ways: i64,
}

/// Counts the passes of one phase whose block starts at `(row, column)`.
const fn phase(tile: &Tile, access: &AccessShape, swizzle: &Swizzle, row: i64, column: i64) -> i64 {
    let unit = if access.bytes > 4 { access.bytes } else { 4 };
    let groups = 128 / unit;
    let elements = access.elements(tile);
    let mut seen = [0i64; 32];
    let mut total = 0;
    let mut worst = 0;
    let mut r = 0;
    while r < access.rows {
        let mut v = 0;
        while v < access.vectors {
            let offset = swizzle.apply(tile.offset(row + r, column + v * elements));
            let word = offset * tile.element_bits as i64 / (unit * 8);
            let (mut in_group, mut known, mut i) = (1, false, 0);
            while i < total {
                if seen[i] == word {
                    known = true;
                } else if seen[i] % groups == word % groups {
                    in_group += 1;
                }
                i += 1;
            }
            if !known {
                seen[total] = word;
                total += 1;
                if in_group > worst {
                    worst = in_group;
                }
            }
            v += 1;
        }
        r += 1;
    }
    worst
}

/// Counts the bank conflicts of `accesses` to a swizzled tile. The count stops once `limit` extra
/// passes are counted.
const fn count(tile: &Tile, accesses: &[AccessShape], swizzle: &Swizzle, limit: i64) -> Conflicts {
    let mut out = Conflicts { extra: 0, ways: 1 };
    let mut a = 0;
    while a < accesses.len() {
        let access = &accesses[a];
        let width = access.vectors * access.elements(tile);
        let mut row = 0;
        while row < Tile::extent(&tile.rows) {
            let mut column = 0;
            while column < Tile::extent(&tile.columns) {
                let ways = phase(tile, access, swizzle, row, column);
                out.extra += ways - 1;
                if ways > out.ways {
                    out.ways = ways;
                }
                if out.extra > limit {
                    return out;
                }
                column += width;
            }
            row += access.rows;
        }
        a += 1;
    }
    out
}

/// Checks that every access fits the tile: its blocks fill the tile, and its vectors are contiguous
/// and aligned. Returns the number of low offset bits that lie inside the widest vector.
const fn vector_bits(tile: &Tile, accesses: &[AccessShape]) -> Result<u32, Rule> {
    let mut bits = 0;
    let mut a = 0;
    while a < accesses.len() {
        let access = &accesses[a];
        let elements = access.elements(tile);
        let (rows, columns) = (Tile::extent(&tile.rows), Tile::extent(&tile.columns));
        if rows % access.rows != 0 {
            return Err(Rule::BlockDivides {
                block: access.rows,
                shape: rows,
            });
        }
        if columns % (access.vectors * elements) != 0 {
            return Err(Rule::BlockDivides {
                block: access.vectors * elements,
                shape: columns,
            });
        }
        let columns = tile.columns.coalesce(false);
        if elements > 1 && (columns.stride(0) != 1 || columns.shape(0) % elements != 0) {
            return Err(Rule::Scattered {
                elements,
                stride: columns.stride(0),
            });
        }
        let mut i = 0;
        while i < tile.rows.len() + columns.len() {
            let stride = if i < tile.rows.len() {
                tile.rows.stride(i)
            } else {
                columns.stride(i - tile.rows.len())
            };
            if i != tile.rows.len() && stride % elements != 0 {
                return Err(Rule::Scattered { elements, stride });
            }
            i += 1;
        }
        if elements.trailing_zeros() > bits {
            bits = elements.trailing_zeros();
        }
        a += 1;
    }
    Ok(bits)
}

/// Counts the bank conflicts of `accesses` to a swizzled tile.
///
/// # Errors
/// Returns [`Rule::BlockDivides`] if the phases of an access do not fill the tile without
/// remainder, or [`Rule::Scattered`] if its vectors are not contiguous and aligned, with or without
/// the swizzle.
///
/// ```
/// use layout_types::dynamic::rules::{AccessShape, Swizzle, Tile, conflicts};
/// let tile = Tile::row_major(128, 32, 32, 16).unwrap();
/// let plain = conflicts(&tile, &[AccessShape::ldmatrix()], &Swizzle::IDENTITY).unwrap();
/// let swizzled = conflicts(&tile, &[AccessShape::ldmatrix()], &Swizzle::new(2, 3, 3).unwrap()).unwrap();
/// assert_eq!((plain.ways, swizzled.ways), (4, 1));
/// ```
pub const fn conflicts(
    tile: &Tile,
    accesses: &[AccessShape],
    swizzle: &Swizzle,
) -> Result<Conflicts, Rule> {
    match vector_bits(tile, accesses) {
        Err(rule) => Err(rule),
        Ok(bits) if !swizzle.is_identity() && bits > swizzle.base() => Err(Rule::Scattered {
            elements: 1 << bits,
            stride: 1 << swizzle.base(),
        }),
        Ok(_) => Ok(count(tile, accesses, swizzle, i64::MAX)),
    }
}

/// The chosen swizzle and the cost of the accesses with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwizzleChoice {
    /// The swizzle, or the identity if no swizzle is needed.
    pub swizzle: Swizzle,
    /// The conflicts that remain.
    pub conflicts: Conflicts,
}

/// Chooses the smallest swizzle with the fewest bank conflicts, summed over all accesses. Among the
/// swizzles with the fewest extra passes it has the fewest bits, then the shortest period, then the
/// lowest base.
///
/// # Errors
/// Returns the errors of [`conflicts`].
///
/// ```
/// use layout_types::dynamic::rules::{AccessShape, Swizzle, Tile, choose_swizzle};
/// let tile = Tile::row_major(128, 32, 32, 16).unwrap();
/// let accesses = [AccessShape::along_rows(&tile, 16).unwrap(), AccessShape::ldmatrix()];
/// let choice = choose_swizzle(&tile, &accesses).unwrap();
/// assert_eq!(choice.swizzle, Swizzle::new(2, 3, 3).unwrap());
/// assert_eq!(choice.conflicts.extra, 0);
/// ```
pub const fn choose_swizzle(tile: &Tile, accesses: &[AccessShape]) -> Result<SwizzleChoice, Rule> {
    let low = match vector_bits(tile, accesses) {
        Ok(bits) => bits,
        Err(rule) => return Err(rule),
    };
    let mut best = SwizzleChoice {
        swizzle: Swizzle::IDENTITY,
        conflicts: count(tile, accesses, &Swizzle::IDENTITY, i64::MAX),
    };
    let mut highest = 1;
    if let (Some(rows), Some(columns)) = (tile.rows.cosize(), tile.columns.cosize()) {
        highest = rows + columns - 2;
    }
    let used = 64 - highest.leading_zeros();
    // The banks repeat after 128 bytes: these low bits of an element offset choose the bank.
    let banks = (128 * 8 / tile.element_bits).trailing_zeros();
    let mut bits = 1;
    while low + bits <= banks && best.conflicts.extra > 0 {
        // Periods ascend, then bases: the first improvement is the smallest swizzle with this
        // number of bits.
        let mut end = low + 2 * bits;
        while end <= used && best.conflicts.extra > 0 {
            let mut base = low;
            while base + bits <= banks && base + 2 * bits <= end && best.conflicts.extra > 0 {
                if let Ok(swizzle) = Swizzle::new(bits, base, (end - base - bits) as i32) {
                    let found = count(tile, accesses, &swizzle, best.conflicts.extra);
                    if found.extra < best.conflicts.extra {
                        best = SwizzleChoice {
                            swizzle,
                            conflicts: found,
                        };
                    }
                }
                base += 1;
            }
            end += 1;
        }
        bits += 1;
    }
    Ok(best)
}
