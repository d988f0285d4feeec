//! Packing on the host: from a published order to that of the fragments, and back.
//!
//! ```text
//!   published   (n, k) ─► place of a code, a layout as a value: row-major, GPTQ's, AWQ's
//!   packed      blocks of 16 rows, units of 128 along k, tiles of 64, and in a tile WeightFormat::Packed
//! ```
//!
//! Law: `code(pack_codes(c), n, k) == c(n, k)` for every place of the matrix; what lies beyond it,
//! to [`ROWS`] and a unit, is the format's padding.

use super::config::UNIT;
use super::format::WeightFormat;
use super::scaling::GroupScaling;
use kernel_abi::weights::{PackedLayout, ROWS};
use layout_types::dynamic::DynLayout;

/// Codes of a tile.
const TILE: usize = 1024;

/// The published orders of codes: (n, k) to a place, low bits first.
///
/// ```
/// use gpu_kernels::weights::pack::Published;
/// assert_eq!(Published::RowMajor.order(4, 8).to_string(), "(4,8):(8,1)");
/// assert_eq!(Published::Gptq.order(4, 16).to_string(), "(4,(8,2)):(8,(1,32))");
/// assert_eq!(Published::Awq.order(8, 4).to_string(), "((2,4,1),4):((4,1,8),8)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// Rows of k, two codes a byte: `[N, K / 2]`.
    RowMajor,
    /// GPTQ's `qweight`, words of 8 neighbours along k: i32 `[K / 8, N]`.
    Gptq,
    /// AWQ's `qweight`, words of 8 neighbours along n, even ones first: i32 `[K, N / 8]`.
    Awq,
}

impl Published {
    /// The order of (n, k), where 8 divides k of GPTQ and n of AWQ.
    ///
    /// # Panics
    /// Where it does not, or an extent is 0.
    #[must_use]
    pub fn order(self, n: u32, k: u32) -> DynLayout {
        let text = match self {
            Self::RowMajor => format!("({n},{k}):({k},1)"),
            Self::Gptq => {
                assert!(
                    k.is_multiple_of(8),
                    "K is {k}; GPTQ has words of 8 along it"
                );
                format!("({n},(8,{})):(8,(1,{}))", k / 8, 8 * u64::from(n))
            }
            Self::Awq => {
                assert!(n.is_multiple_of(8), "N is {n}; AWQ has words of 8 along it");
                format!("((2,4,{}),{k}):((4,1,8),{n})", n / 8)
            }
        };
        text.parse().expect("extents above 0")
    }
}

/// The codes of a published order of 4-bit codes, by (n, k).
///
/// # Panics
/// Where `bytes` is shorter than the matrix.
pub fn published(bytes: &[u8], order: Published, n: u32, k: u32) -> impl Fn(u32, u32) -> u32 + '_ {
    let order = order.order(n, k);
    // The two modes of the order are independent: a table of each.
    let at = |i: u64| order.offset(i as i64).expect("below the size") as usize;
    let rows: Vec<usize> = (0..u64::from(n)).map(at).collect();
    let columns: Vec<usize> = (0..u64::from(k)).map(|k| at(u64::from(n) * k)).collect();
    move |n, k| {
        let place = rows[n as usize] + columns[k as usize];
        u32::from(bytes[place / 2] >> (4 * (place % 2)) & 15)
    }
}

/// The packed order of a tile as a value: `n + 16 k` to a place.
///
/// # Panics
/// Never: a layout's notation is a layout.
#[must_use]
pub fn tile_order<F: WeightFormat>() -> DynLayout {
    F::Packed::default().to_string().parse().expect("a layout")
}

/// Places of the codes of a matrix.
struct PackedPlaces {
    tile: Vec<usize>,
    units: usize,
}
impl PackedPlaces {
    fn of<F: WeightFormat>(k: u32) -> Self {
        let order = tile_order::<F>();
        let at = |i| order.offset(i as i64).expect("below the size") as usize;
        Self {
            tile: (0..TILE).map(at).collect(),
            units: k.div_ceil(UNIT) as usize,
        }
    }
    fn at(&self, n: u32, k: u32) -> usize {
        let (n, k) = (n as usize, k as usize);
        let tile = n / 16 * (2 * self.units) + k / 64;
        tile * TILE + self.tile[n % 16 + 16 * (k % 64)]
    }
}

/// Packs the codes of (n, k).
#[must_use]
pub fn pack_codes<F: WeightFormat>(n: u32, k: u32, code: impl Fn(u32, u32) -> u32) -> Vec<u8> {
    let places = PackedPlaces::of::<F>(k);
    let (rows, columns) = (n.next_multiple_of(ROWS), k.next_multiple_of(UNIT));
    let mut packed = vec![0u32; rows as usize * columns as usize * F::BITS as usize / 32];
    for row in 0..rows {
        for column in 0..columns {
            let inside = row < n && column < k;
            let code = if inside {
                code(row, column)
            } else {
                F::PADDING
            };
            let place = places.at(row, column);
            let in_word = 32 / F::BITS as usize;
            let code = code & ((1 << F::BITS) - 1);
            packed[place / in_word] |= code << (place % in_word * F::BITS as usize);
        }
    }
    let words = packed.into_iter().map(F::arrange);
    words.flat_map(u32::to_le_bytes).collect()
}

/// The packed codes, by (n, k).
///
/// # Panics
/// Beyond the packed bytes.
pub fn packed<F: WeightFormat>(bytes: &[u8], k: u32) -> impl Fn(u32, u32) -> u32 + '_ {
    let places = PackedPlaces::of::<F>(k);
    move |n, k| {
        let (place, in_word) = (places.at(n, k), 32 / F::BITS as usize);
        let word = std::array::from_fn(|i| bytes[4 * (place / in_word) + i]);
        let word = u32::from_le_bytes(word);
        let first = (place % in_word) as u32 * F::BITS;
        (0..F::BITS).fold(0, |code, i| {
            code | u32::from(word & F::arrange(1 << (first + i)) != 0) << i
        })
    }
}

/// Packs the bits of the scales of (n, groups of k), each with those of its zero or minimum where
/// the format has them. A format whose rows have one scale has one group a row. Beyond the matrix
/// all are 0.
///
/// # Errors
/// For a scale that is none, such as NaN in e8m0, and for groups that have no record, such as zeros
/// above 15.
pub fn pack_groups<F: WeightFormat>(
    n: u32,
    k: u32,
    scale: impl Fn(u32, u32) -> u32,
    offset: impl Fn(u32, u32) -> u32,
) -> Result<Vec<u8>, String> {
    let checked = |row, group| -> Result<u32, String> {
        let bits = scale(row, group);
        if F::Scaling::is_scale(bits) {
            return Ok(bits);
        }
        Err(format!(
            "the scale of row {row}, group {group} is {bits:#x}, which is none in {}",
            F::Scaling::SCALES
        ))
    };
    let rows = n.next_multiple_of(ROWS);
    let Some(group) = F::Scaling::GROUP else {
        let of_row = |row| if row < n { checked(row, 0) } else { Ok(0) };
        let all = (0..rows).map(of_row).collect::<Result<Vec<_>, _>>()?;
        return Ok(all.into_iter().flat_map(u32::to_le_bytes).collect());
    };
    for row in 0..n {
        for group in 0..k.div_ceil(group) {
            checked(row, group)?;
        }
    }
    let (units, of_unit) = (k.div_ceil(UNIT), UNIT / group);
    let bytes = 4 * F::Scaling::WORDS * (rows / 2 * units) as usize;
    let mut packed = Vec::with_capacity(bytes);
    for block in 0..rows / 16 {
        for unit in 0..units {
            for lane in 0..8 {
                let of = |in_unit: u32, half: usize| {
                    let row = 16 * block + lane + 8 * half as u32;
                    let of_k = unit * of_unit + in_unit;
                    let inside = row < n && of_k * group < k;
                    inside.then(|| [scale(row, of_k), offset(row, of_k)])
                };
                F::Scaling::pack(&mut packed, &of).map_err(|why| {
                    format!(
                        "rows {} and {}, unit {unit}: {why}",
                        16 * block + lane,
                        16 * block + lane + 8
                    )
                })?;
            }
        }
    }
    Ok(packed)
}

/// A function of (row, column) or (row, group).
type Of<'a, T> = &'a dyn Fn(u32, u32) -> T;

/// [`pack_groups`] of a format.
type PackGroups = fn(u32, u32, Of<'_, u32>, Of<'_, u32>) -> Result<Vec<u8>, String>;

/// A format as values: what a host packs and checks weights by, without its type.
///
/// ```
/// use gpu_kernels::weights::{config::packed_layout, format::Int4, pack::FormatValue, scaling::ScaleGroups};
/// type G64 = Int4<ScaleGroups<half::f16, 64>>;
/// let int4 = FormatValue::new::<G64>(const { &packed_layout::<G64>() });
/// assert_eq!((int4.packed.to_string(), int4.minima), ("int4:64, scales f16 (m16n8k16)".into(), false));
/// assert_eq!([0, 8, 15].map(int4.value), [-8.0, 0.0, 7.0]);
/// assert_eq!(int4.weight(15, half::f16::from_f32(0.5).to_bits().into(), 0), 3.5);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FormatValue {
    /// Format, group and order.
    pub packed: &'static PackedLayout,
    /// Whether a group has a minimum, that its scaled numbers are less.
    pub minima: bool,
    /// [`WeightFormat::value`].
    pub value: fn(u32) -> f32,
    /// [`WeightFormat::is_code`].
    pub is_code: fn(u32) -> bool,
    /// The number of a scale's bits.
    pub scale: fn(u32) -> f32,
    /// The number of a zero's or a minimum's bits.
    pub offset: fn(u32) -> f32,
    /// [`GroupScaling::by_chance`].
    pub by_chance: fn(f64, u32, u32) -> [u32; 2],
    codes: fn(u32, u32, Of<'_, u32>) -> Vec<u8>,
    groups: PackGroups,
}

impl FormatValue {
    /// The values of a format that is packed so.
    #[must_use]
    pub const fn new<F: WeightFormat>(packed: &'static PackedLayout) -> Self {
        Self {
            packed,
            minima: F::Scaling::MINIMA,
            value: F::value,
            is_code: F::is_code,
            scale: F::Scaling::scale,
            offset: F::Scaling::offset,
            by_chance: F::Scaling::by_chance,
            codes: |n, k, code| pack_codes::<F>(n, k, code),
            groups: |n, k, scale, offset| pack_groups::<F>(n, k, scale, offset),
        }
    }
    /// The weight of a code, by the bits of its scale and of its zero or minimum, 0 where a format
    /// has neither: the format's definition.
    #[must_use]
    pub fn weight(&self, code: u32, scale: u32, offset: u32) -> f64 {
        let [value, scale, offset] = [
            (self.value)(code),
            (self.scale)(scale),
            (self.offset)(offset),
        ]
        .map(f64::from);
        if self.minima {
            scale * value - offset
        } else {
            scale * (value - offset)
        }
    }
    /// Groups of a row of so many columns.
    #[must_use]
    pub fn groups(&self, k: u32) -> u32 {
        self.packed.group.map_or(1, |group| k / group)
    }
    /// [`pack_codes`] of this format.
    #[must_use]
    pub fn pack_codes(&self, n: u32, k: u32, code: impl Fn(u32, u32) -> u32) -> Vec<u8> {
        (self.codes)(n, k, &code)
    }
    /// [`pack_groups`] of this format.
    ///
    /// # Errors
    /// As [`pack_groups`].
    pub fn pack_groups(
        &self,
        n: u32,
        k: u32,
        scale: impl Fn(u32, u32) -> u32,
        offset: impl Fn(u32, u32) -> u32,
    ) -> Result<Vec<u8>, String> {
        (self.groups)(n, k, &scale, &offset)
    }
}
