//! A tile of shared memory for Hopper's hardware: the boxes by which TMA fills the tile, and the
//! descriptors by which `wgmma` reads it.
//!
//! ```text
//! tma_box(Sw<3,3,3> o (128,64):(64,1), f16)                       box (64,128), 128-byte swizzle, 16384 bytes
//! wgmma_operand(Sw<3,3,3> o (128,64):(64,1), f16, MajorK, 64)     2 by 4 operands of 64 by 16, 128-byte swizzle, LBO 16, SBO 1024
//! ```
//!
//! Law: box, swizzle and fields are those that `TmaTile`, `Operand` and the macros of
//! `layout_types::check` derive for the same layout as a type. A tile that these refuse is refused
//! here with the same sentence.

use std::fmt;

use layout_types::check::{self, GmmaLayout, SHARED_BYTES, Swizzling, TmaBox};
use layout_types::dynamic::{AnyLayout, Domain, DynLayout, Swizzle};

use crate::limits::MAX_CELLS;
use crate::value::Value;

/// The mode of an operand that is contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// K is contiguous.
    K,
    /// M is contiguous for A, and N for B.
    MN,
}

impl fmt::Display for Major {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::K => "MajorK",
            Self::MN => "MajorMN",
        })
    }
}

/// A tile and the boxes that fill it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TmaTile {
    /// The tile.
    pub tile: AnyLayout,
    /// The number of bits of an element.
    pub bits: u32,
    /// The box, with its swizzle.
    pub tma: TmaBox,
    /// At `[i][j]`, the byte at which the box at position `i` along mode 0 and `j` along mode 1
    /// begins.
    pub starts: Vec<Vec<i64>>,
}

/// A tile and the descriptors of its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WgmmaOperand {
    /// The tile.
    pub tile: AnyLayout,
    /// The number of bits of an element.
    pub bits: u32,
    /// The mode that is contiguous.
    pub major: Major,
    /// The rows of an operand: 64 for A, N for B.
    pub rows: i64,
    /// The columns of an operand: 256 bits.
    pub columns: i64,
    /// The fields of the descriptors.
    pub gmma: GmmaLayout,
    /// At `[i][j]`, the byte at which the operand at row block `i` and k block `j` begins.
    pub starts: Vec<Vec<i64>>,
}

/// Converts the layout to the value that `check` works on, or returns the reason why it cannot.
fn checked(tile: &AnyLayout, bits: u32) -> Result<check::Value, String> {
    let domain = tile.domain();
    let steps = domain.stride().leaves();
    if let Some(stride) = steps
        .iter()
        .find(|stride| stride.is_basis() || !(0..=SHARED_BYTES).contains(&stride.value()))
    {
        return Err(format!(
            "the tile {tile} has the stride {stride}: those of a tile in shared memory are 0 to {SHARED_BYTES} elements"
        ));
    }
    let cosize = domain.cosize().ok();
    let bytes = cosize.and_then(|cosize| Some(cosize.checked_mul(bits.into())? / 8));
    let small = domain.size().is_ok_and(|size| size <= MAX_CELLS);
    match bytes {
        Some(bytes) if small && bytes <= SHARED_BYTES => {}
        _ => {
            return Err(format!(
                "the tile {tile} of {bits}-bit elements does not fit: a CTA has at most {SHARED_BYTES} bytes of shared memory"
            ));
        }
    }
    check::Value::of_layout(tile).ok_or_else(|| format!("the tile {tile} has too many modes"))
}

/// Returns at `[i][j]` the byte of the first element of the block at position `i` along mode 0 and
/// `j` along mode 1, before the swizzle.
fn starts(domain: &DynLayout, bits: u32, counts: [u32; 2], extents: [i64; 2]) -> Vec<Vec<i64>> {
    let modes = domain.modes();
    let at = |mode: usize, i: u32| -> i64 {
        let offset = modes[mode].offset(i64::from(i) * extents[mode]);
        offset.unwrap_or(0) * i64::from(bits) / 8
    };
    let row = |i| (0..counts[1]).map(|j| at(0, i) + at(1, j)).collect();
    (0..counts[0]).map(row).collect()
}

fn on_bytes(swizzling: Swizzling) -> Swizzle {
    Swizzle::new(swizzling.bits(), 4, 3).unwrap_or(Swizzle::IDENTITY)
}

fn swizzle_words(swizzling: Swizzling) -> String {
    match swizzling {
        Swizzling::None => "no swizzle".to_owned(),
        some => format!("{}-byte swizzle", some.bytes()),
    }
}

fn numbers(numbers: impl IntoIterator<Item = i64>) -> Value {
    Value::Tuple(numbers.into_iter().map(Value::Integer).collect())
}

fn nested(starts: &[Vec<i64>]) -> Value {
    let rows = starts.iter().map(|row| numbers(row.iter().copied()));
    Value::Tuple(rows.collect())
}

/// The largest number of blocks that are listed line by line.
const LISTED: usize = 64;

/// Lists one line per block up to a limit, and then the number of blocks beyond the limit.
fn listed(starts: &[Vec<i64>], line: impl Fn(usize, usize, i64) -> String) -> Vec<String> {
    let all = starts.iter().enumerate().flat_map(|(i, row)| {
        let row = row.iter().enumerate();
        row.map(move |(j, &start)| (i, j, start))
    });
    let count = starts.iter().map(Vec::len).sum::<usize>();
    let lines = all.take(LISTED).map(|(i, j, start)| line(i, j, start));
    let mut lines: Vec<String> = lines.collect();
    if count > LISTED {
        lines.push(format!("and {} more", count - LISTED));
    }
    lines
}

impl TmaTile {
    /// Derives the boxes of a tile with two modes, or with two modes and a mode of stages.
    ///
    /// # Errors
    /// Returns the sentence that says why no box fills the tile.
    ///
    /// ```
    /// let tile = notation::eval("tma_box(Sw<3,3,3> o (128,64):(64,1), f16)").unwrap();
    /// assert_eq!(tile.to_string(), "box (64,128), 128-byte swizzle, 16384 bytes");
    /// let refused = notation::eval("tma_box((128,512):(512,1), f16)").unwrap_err();
    /// assert!(refused.message().ends_with("512 by 128 elements, and has at most 256 along each dimension"));
    /// ```
    pub fn new(tile: &AnyLayout, bits: u32) -> Result<Self, String> {
        let value = checked(tile, bits)?;
        let tma = TmaBox::derive(&value, bits.into()).map_err(|text| text.as_str().to_owned())?;
        Ok(Self {
            tile: tile.clone(),
            bits,
            starts: starts(tile.domain(), bits, tma.boxes, tma.extents.map(i64::from)),
            tma,
        })
    }

    /// Returns the box's extents in the order of a tensor map, the contiguous dimension first.
    #[must_use]
    pub fn extents(&self) -> [u32; 2] {
        let inner = self.tma.inner;
        [self.tma.extents[inner], self.tma.extents[1 - inner]]
    }

    /// Returns the swizzle in units of bytes.
    #[must_use]
    pub fn swizzle(&self) -> Swizzle {
        on_bytes(self.tma.swizzle)
    }

    /// Returns the part of the value with this name, or `None` if the value has no such part.
    pub(crate) fn field(&self, name: &str) -> Option<Value> {
        Some(match name {
            "tile" => self.tile.clone().into(),
            "box" => numbers(self.extents().map(i64::from)),
            "boxes" => numbers(self.tma.boxes.map(i64::from)),
            "swizzle" => Value::Swizzle(self.swizzle()),
            "bytes" => Value::Integer(self.tma.bytes.into()),
            "tile_bytes" => Value::Integer(self.tma.tile_bytes().into()),
            _ => return None,
        })
    }

    /// Returns lines that describe the tile, except for its box.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("of the tile {}, {}-bit elements", self.tile, self.bits),
            format!(
                "the tensor map's first dimension is mode {}; {} on bytes",
                self.tma.inner,
                self.swizzle()
            ),
        ];
        lines.extend(listed(&self.starts, |i, j, start| {
            format!("box ({i},{j}) begins at byte {start}")
        }));
        lines
    }
}

impl fmt::Display for TmaTile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [inner, outer] = self.extents();
        let (words, bytes) = (swizzle_words(self.tma.swizzle), self.tma.bytes);
        write!(f, "box ({inner},{outer}), {words}, {bytes} bytes")?;
        match self.tma.boxes {
            [1, 1] => Ok(()),
            [m, n] => write!(
                f,
                "; ({m},{n}) boxes, {} bytes in all",
                self.tma.tile_bytes()
            ),
        }
    }
}

impl WgmmaOperand {
    /// Derives the descriptors of a tile (M or N, K) or (M or N, K, stages), for an instruction
    /// whose operand has `rows` rows.
    ///
    /// # Errors
    /// Returns the sentence that names the element that PTX's canonical layout places elsewhere, or
    /// the property that PTX does not support.
    ///
    /// ```
    /// let operand = notation::eval("wgmma_operand(Sw<3,3,3> o (128,64):(64,1), f16, MajorK)").unwrap();
    /// assert_eq!(operand.to_string(), "(2,4) operands of 64 by 16, MajorK, 128-byte swizzle, LBO 16, SBO 1024");
    /// let starts = notation::eval("wgmma_operand(Sw<3,3,3> o (64,64):(64,1), f16, MajorK).starts").unwrap();
    /// assert_eq!(starts.to_string(), "((0,32,64,96))");
    /// ```
    pub fn new(tile: &AnyLayout, bits: u32, major: Major, rows: i64) -> Result<Self, String> {
        if ![8, 16, 32].contains(&bits) {
            return Err(format!(
                "`wgmma` reads elements of 8, 16 and 32 bits, not of {bits}"
            ));
        }
        if major == Major::MN && bits != 16 {
            return Err(format!(
                "`wgmma` reads MN-major operands of 16-bit elements only, not of {bits}-bit ones"
            ));
        }
        let value = checked(tile, bits)?;
        let gmma = GmmaLayout::derive(&value, bits.into(), major == Major::K, rows)
            .map_err(|text| text.as_str().to_owned())?;
        let columns = 256 / i64::from(bits);
        let blocks = [gmma.blocks.0, gmma.blocks.1];
        Ok(Self {
            tile: tile.clone(),
            bits,
            major,
            rows,
            columns,
            starts: starts(tile.domain(), bits, blocks, [rows, columns]),
            gmma,
        })
    }

    /// Returns the swizzle in units of bytes.
    #[must_use]
    pub fn swizzle(&self) -> Swizzle {
        on_bytes(self.gmma.swizzle)
    }

    /// Returns the 64 bits of each descriptor, in hexadecimal, for a tile at address 0. For a tile
    /// at another address, add that address divided by 16.
    #[must_use]
    pub fn descriptors(&self) -> Vec<Vec<String>> {
        let bits = |start: &i64| format!("{:#018x}", self.gmma.descriptor(*start as u32));
        let row = |row: &Vec<i64>| row.iter().map(bits).collect();
        self.starts.iter().map(row).collect()
    }

    /// Returns the part of the value with this name, or `None` if the value has no such part.
    pub(crate) fn field(&self, name: &str) -> Option<Value> {
        Some(match name {
            "tile" => self.tile.clone().into(),
            "blocks" => numbers([self.gmma.blocks.0, self.gmma.blocks.1].map(i64::from)),
            "swizzle" => Value::Swizzle(self.swizzle()),
            "LBO" => Value::Integer(self.gmma.leading.into()),
            "SBO" => Value::Integer(self.gmma.stride.into()),
            "starts" => nested(&self.starts),
            _ => return None,
        })
    }

    /// Returns lines that describe the operands, except for the fields that all descriptors share.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("of the tile {}, {}-bit elements", self.tile, self.bits),
            format!("{} on bytes", self.swizzle()),
        ];
        lines.extend(listed(&self.starts, |i, j, start| {
            format!(
                "rows {} to {}, k block {j}: start + {start}, descriptor {:#018x} of a tile at 0",
                i as i64 * self.rows,
                (i as i64 + 1) * self.rows - 1,
                self.gmma.descriptor(start as u32)
            )
        }));
        lines
    }
}

impl fmt::Display for WgmmaOperand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (m, k) = self.gmma.blocks;
        write!(
            f,
            "({m},{k}) operands of {} by {}, {}, {}, LBO {}, SBO {}",
            self.rows,
            self.columns,
            self.major,
            swizzle_words(self.gmma.swizzle),
            self.gmma.leading,
            self.gmma.stride
        )
    }
}
