//! Packs weights on the host, from a checkpoint's order of codes to the order of the fragments, and
//! unpacks them.
//!
//! ```text
//!   checkpoint  (n, k) ─► place of a code, a layout as a value: row-major, GPTQ's, AWQ's
//!   packed      blocks of 16 rows, units of 128 along k, tiles of 64; WeightFormat::Packed within a tile
//! ```
//!
//! Law: `packed(pack_codes(c))(n, k) == c(n, k)` for every (n, k) of the matrix. The codes beyond
//! the matrix, up to a multiple of [`ROWS`] rows and of a unit along k, are the format's padding.

use super::config::UNIT;
use super::format::WeightFormat;
use super::scaling::GroupScaling;
use kernel_abi::weights::{PackedLayout, ROWS};
use layout_types::dynamic::DynLayout;

/// The number of codes of a tile.
const TILE: usize = 1024;

/// The orders of codes in published checkpoints. Each maps (n, k) to a place; low bits come first.
///
/// ```
/// use gpu_kernels::weights::pack::Published;
/// assert_eq!(Published::RowMajor.order(4, 8).to_string(), "(4,8):(8,1)");
/// assert_eq!(Published::Gptq.order(4, 16).to_string(), "(4,(8,2)):(8,(1,32))");
/// assert_eq!(Published::Awq.order(8, 4).to_string(), "((2,4,1),4):((4,1,8),8)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// Rows of K codes, two codes per byte: `[N, K / 2]`.
    RowMajor,
    /// GPTQ's `qweight`, whose words hold 8 neighbours along k: i32 `[K / 8, N]`.
    Gptq,
    /// AWQ's `qweight`, whose words hold 8 neighbours along n, the even ones first: i32 `[K, N /
    /// 8]`.
    Awq,
}

impl Published {
    /// Returns the layout that maps (n, k) to the place of a code.
    ///
    /// # Panics
    /// Panics if 8 does not divide `k` (GPTQ) or `n` (AWQ), or if `n` or `k` is 0.
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

/// Returns a function that maps (n, k) to the 4-bit code in `bytes`, which are in the order
/// `order`.
///
/// # Panics
/// Panics if [`Published::order`] panics. The returned function panics if (n, k) lies outside the
/// matrix, or if its code lies beyond the end of `bytes`.
pub fn published(bytes: &[u8], order: Published, n: u32, k: u32) -> impl Fn(u32, u32) -> u32 + '_ {
    let order = order.order(n, k);
    // The two modes of the order are independent, so each mode has a table of its own.
    let at = |i: u64| order.offset(i as i64).expect("below the size") as usize;
    let rows: Vec<usize> = (0..u64::from(n)).map(at).collect();
    let columns: Vec<usize> = (0..u64::from(k)).map(|k| at(u64::from(n) * k)).collect();
    move |n, k| {
        let place = rows[n as usize] + columns[k as usize];
        u32::from(bytes[place / 2] >> (4 * (place % 2)) & 15)
    }
}

/// Returns the packed order of a tile as a value, which maps `n + 16 k` to a place.
///
/// # Panics
/// Never panics: the notation of a layout parses as a layout.
#[must_use]
pub fn tile_order<F: WeightFormat>() -> DynLayout {
    F::Packed::default().to_string().parse().expect("a layout")
}

/// Maps (n, k) of a matrix to the place of its packed code.
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

/// Packs the code of each (n, k) of an `n` by `k` matrix.
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

/// Returns a function that maps (n, k) to the code in the packed `bytes`.
///
/// # Panics
/// The returned function panics if (n, k) lies beyond the packed bytes.
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

/// Packs the bits of the scale of each (row, group along k) and, if the format has them, the bits
/// of the zero or minimum. A format with one scale per row has one group per row. All bits beyond
/// the matrix are 0.
///
/// # Errors
/// Returns a message if a scale is not valid, such as NaN in e8m0, or if a record cannot hold a
/// group, such as a zero above 15.
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

/// The type of [`pack_groups`] for a format.
type PackGroups = fn(u32, u32, Of<'_, u32>, Of<'_, u32>) -> Result<Vec<u8>, String>;

/// A format as values, by which a host packs and checks weights without naming the format's type.
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
    /// Whether a group has a minimum, which is subtracted from its scaled numbers.
    pub minima: bool,
    /// The number of a code: [`WeightFormat::value`].
    pub value: fn(u32) -> f32,
    /// Whether a code is valid: [`WeightFormat::is_code`].
    pub is_code: fn(u32) -> bool,
    /// Decodes the bits of a scale.
    pub scale: fn(u32) -> f32,
    /// Decodes the bits of a zero or minimum.
    pub offset: fn(u32) -> f32,
    /// Returns pseudorandom bits of a scale and an offset: [`GroupScaling::by_chance`].
    pub by_chance: fn(f64, u32, u32) -> [u32; 2],
    codes: fn(u32, u32, Of<'_, u32>) -> Vec<u8>,
    groups: PackGroups,
}

impl FormatValue {
    /// Returns the values of format `F`, which `packed` describes.
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
    /// Returns the weight of a code by the format's definition. `scale` and `offset` are the bits
    /// of its scale and of its zero or minimum; `offset` is 0 if the format has neither.
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
    /// Returns the number of groups of a row of `k` columns.
    #[must_use]
    pub fn groups(&self, k: u32) -> u32 {
        self.packed.group.map_or(1, |group| k / group)
    }
    /// Packs codes of this format as [`pack_codes`] does.
    #[must_use]
    pub fn pack_codes(&self, n: u32, k: u32, code: impl Fn(u32, u32) -> u32) -> Vec<u8> {
        (self.codes)(n, k, &code)
    }
    /// Packs groups of this format as [`pack_groups`] does.
    ///
    /// # Errors
    /// Returns the errors of the function [`pack_groups`].
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
