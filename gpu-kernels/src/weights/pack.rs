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
    let mut packed = vec![0; rows as usize * columns as usize * F::BITS as usize / 8];
    for row in 0..rows {
        for column in 0..columns {
            let inside = row < n && column < k;
            let code = if inside {
                code(row, column)
            } else {
                F::PADDING
            };
            let place = places.at(row, column);
            if F::BITS == 4 {
                packed[place / 2] |= (code as u8 & 15) << (4 * (place % 2));
            } else {
                packed[place] = code as u8;
            }
        }
    }
    packed
}

/// The packed codes, by (n, k).
pub fn packed<F: WeightFormat>(bytes: &[u8], k: u32) -> impl Fn(u32, u32) -> u32 + '_ {
    let places = PackedPlaces::of::<F>(k);
    move |n, k| {
        let place = places.at(n, k);
        match F::BITS {
            4 => u32::from(bytes[place / 2] >> (4 * (place % 2)) & 15),
            _ => u32::from(bytes[place]),
        }
    }
}

/// Packs the scales of (n, groups of k), each with its zero where the format has zeros. Beyond the
/// matrix both are 0.
///
/// # Panics
/// Where a scale in e8m0 is 255, its NaN.
#[must_use]
pub fn pack_groups<F: WeightFormat>(
    n: u32,
    k: u32,
    group: u32,
    scale: impl Fn(u32, u32) -> u16,
    zero: impl Fn(u32, u32) -> u16,
) -> Vec<u8> {
    let size = (F::GROUP_BYTES as usize).min(2);
    let elements = F::GROUP_BYTES as usize / size;
    let rows = n.next_multiple_of(ROWS);
    let (units, of_unit) = (k.div_ceil(UNIT), UNIT / group);
    let mut packed =
        Vec::with_capacity((rows * units * of_unit) as usize * F::GROUP_BYTES as usize);
    for block in 0..rows / 16 {
        for unit in 0..units {
            for lane in 0..8 {
                for in_unit in 0..of_unit {
                    for element in 0..elements {
                        for half in 0..2 {
                            let row = 16 * block + lane + 8 * half;
                            let of_k = unit * of_unit + in_unit;
                            let bits = match row < n && of_k * group < k {
                                false => 0,
                                true if element == 0 => scale(row, of_k),
                                true => zero(row, of_k),
                            };
                            assert!(
                                F::SCALES != "e8m0" || bits < 255,
                                "the scale of row {row}, group {of_k} is NaN"
                            );
                            packed.extend_from_slice(&bits.to_le_bytes()[..size]);
                        }
                    }
                }
            }
        }
    }
    packed
}

/// A function of (row, column) or (row, group).
type Of<'a, T> = &'a dyn Fn(u32, u32) -> T;

/// [`pack_groups`] of a format.
type PackGroups = fn(u32, u32, u32, Of<'_, u16>, Of<'_, u16>) -> Vec<u8>;

/// A format in groups, as values: what a host packs and checks weights by, without its type.
///
/// ```
/// use gpu_kernels::weights::{format::Int4, pack::FormatValue};
/// let int4 = FormatValue::new::<Int4<half::f16>>(const { &gpu_kernels::weights::config::packed_layout::<Int4<half::f16>>(64) });
/// assert_eq!((int4.packed.to_string(), int4.has_zeros), ("int4:64, scales f16 (m16n8k16)".into(), false));
/// assert_eq!([0, 8, 15].map(int4.value), [-8.0, 0.0, 7.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FormatValue {
    /// Format, group and order.
    pub packed: &'static PackedLayout,
    /// Whether a group has a zero, an integer that its codes are less.
    pub has_zeros: bool,
    /// [`WeightFormat::value`].
    pub value: fn(u32) -> f32,
    /// The number of a scale's bits.
    pub scale: fn(u16) -> f32,
    codes: fn(u32, u32, Of<'_, u32>) -> Vec<u8>,
    groups: PackGroups,
}

impl FormatValue {
    /// The values of a format that is packed so.
    #[must_use]
    pub const fn new<F: WeightFormat>(packed: &'static PackedLayout) -> Self {
        Self {
            packed,
            has_zeros: F::GROUP_BYTES == 4,
            value: F::value,
            scale: |bits| F::scales(&[u32::from(bits)], 0)[0],
            codes: |n, k, code| pack_codes::<F>(n, k, code),
            groups: |n, k, group, scale, zero| pack_groups::<F>(n, k, group, scale, zero),
        }
    }
    /// [`pack_codes`] of this format.
    #[must_use]
    pub fn pack_codes(&self, n: u32, k: u32, code: impl Fn(u32, u32) -> u32) -> Vec<u8> {
        (self.codes)(n, k, &code)
    }
    /// [`pack_groups`] of this format and group.
    #[must_use]
    pub fn pack_groups(
        &self,
        n: u32,
        k: u32,
        scale: impl Fn(u32, u32) -> u16,
        zero: impl Fn(u32, u32) -> u16,
    ) -> Vec<u8> {
        (self.groups)(n, k, self.packed.group, &scale, &zero)
    }
}
