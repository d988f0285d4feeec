//! Tensor maps of a launch file: the arguments of CUDA's `cuTensorMapEncodeTiled`, for one of the
//! file's buffers.
//!
//! ```text
//!   { type = "tensor_map", buffer = "a", extents = ["k", "m"], strides = ["2 * k"], box = [64, 128], swizzle = 128 }
//!       └── sizes ──► host::TensorMapSpec, checked ──► an address ──► 128 bytes, aligned to 64
//! ```
//!
//! Law: a map of a [`Case`](super::Case) passes [`TensorMapSpec::check`] and reads no byte outside
//! its buffer. If a map is refused, the error is `host`'s, at the place of the value that causes
//! it.

use super::decode::{Decoded, Decoder, Value, known, wrong};
use super::element::ScalarType;
use super::error::{LaunchFileError, LaunchFileErrorKind as Kind};
use super::expression::{self, Expression};
use super::{CaseValue, LaunchFile};
use host::{TensorElement, TensorMapError, TensorMapSpec, TensorSwizzle};
use toml::de::DeTable;

/// A tensor map of one of the file's buffers. Its lists begin with the innermost dimension.
///
/// ```
/// use launch_file::LaunchFile;
///
/// let text = r#"
/// ptx = "copy.ptx"
/// entry = "copy"
/// grid = 1
/// block = 128
/// sizes = { n = [64] }
/// buffers = [{ name = "x", type = "f16", length = "8 * n", fill = "iota" }]
/// [[parameters]]
/// type = "tensor_map"
/// buffer = "x"
/// extents = ["n", 8]
/// strides = ["2 * n"]
/// box = [64, 8]
/// swizzle = 128
/// "#;
/// let case = &LaunchFile::parse(text, "copy.toml".as_ref())?.cases()?[0];
/// let map = &case.launches[0].values[0].maps[0];
/// assert_eq!((map.spec.box_bytes(), &map.spec.strides[..]), (1024, &[128][..]));
/// let wide = text.replace("[64, 8]", "[128, 8]");
/// let error = LaunchFile::parse(&wide, "copy.toml".as_ref())?.cases().unwrap_err();
/// assert!(error.to_string().contains("a row of the box has 256 bytes; a 128-byte swizzle takes at most 128"));
/// # Ok::<(), launch_file::LaunchFileError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FileTensorMap {
    /// The index of the buffer in the file.
    pub buffer: usize,
    /// The bytes from the buffer's start to the tensor.
    pub offset: Expression,
    /// The format of the elements.
    pub element: TensorElement,
    /// The number of elements along each dimension.
    pub extents: Vec<Expression>,
    /// The bytes between neighbours along each dimension except the innermost.
    pub strides: Vec<Expression>,
    /// The number of elements that the box spans along each dimension.
    pub box_extents: Vec<Expression>,
    /// The element strides: along each dimension, the box moves every n-th element of those that it
    /// spans. They are 1 if the file states none.
    pub element_strides: Option<Vec<Expression>>,
    /// The arrangement of the box in shared memory.
    pub swizzle: TensorSwizzle,
    /// Whether elements outside the tensor read as NaN, and not as zero.
    pub fill_nan: bool,
    places: Places,
}

/// The places of the values in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Places {
    extents: usize,
    strides: usize,
    box_extents: usize,
    element_strides: usize,
    swizzle: usize,
    oob_fill: usize,
}

/// A tensor map of a [`CaseValue`]: its place in the parameter, its buffer, the tensor's place in
/// the buffer, and the tensor with its box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseTensorMap {
    /// The place in the parameter of the first of the map's 128 bytes.
    pub at: usize,
    /// The index of the buffer in the file.
    pub buffer: usize,
    /// The bytes from the buffer's start to the tensor: a multiple of 16.
    pub offset: u64,
    /// The tensor and its box. [`TensorMapSpec::check`] accepts them.
    pub spec: TensorMapSpec,
}

/// The keys of a map that is a parameter.
pub(super) const KEYS: [&str; 11] = [
    "name",
    "type",
    "buffer",
    "offset",
    "element",
    "extents",
    "strides",
    "box",
    "element_strides",
    "swizzle",
    "oob_fill",
];

/// The number of bytes of a tensor map.
pub const BYTES: usize = 128;
/// The alignment of a tensor map in bytes.
pub(super) const ALIGNMENT: usize = 64;

/// The names of formats that no buffer's elements have.
const FORMATS: [(&str, TensorElement); 3] = [
    ("tf32", TensorElement::Tf32),
    ("f32_ftz", TensorElement::F32Ftz),
    ("tf32_ftz", TensorElement::Tf32Ftz),
];

/// Returns the format of a tensor map for a buffer's elements.
fn format(element: ScalarType) -> TensorElement {
    match element {
        ScalarType::U8 | ScalarType::I8 => TensorElement::U8,
        ScalarType::U16 | ScalarType::I16 => TensorElement::U16,
        ScalarType::U32 => TensorElement::U32,
        ScalarType::I32 => TensorElement::S32,
        ScalarType::U64 => TensorElement::U64,
        ScalarType::I64 => TensorElement::S64,
        ScalarType::F16 => TensorElement::F16,
        ScalarType::Bf16 => TensorElement::Bf16,
        ScalarType::F32 => TensorElement::F32,
        ScalarType::F64 => TensorElement::F64,
    }
}

impl Decoder<'_> {
    /// Reads the tensor map of a table that begins at `here`.
    pub(super) fn tensor_map(&self, table: &DeTable, here: usize) -> Decoded<FileTensorMap> {
        known(table, &[&KEYS[..], &["at"]].concat())?;
        let required = |key: &'static str| table.get(key).ok_or((here, Kind::Missing(key)));
        let place = |key: &str| table.get(key).map_or(here, |value| value.span().start);
        let list = |key: &str| match table.get(key) {
            Some(value) => self.expressions(value, key),
            None => Ok(Vec::new()),
        };
        let buffer = self.buffer_named(required("buffer")?)?;
        let element = match table.get("element") {
            Some(value) => {
                let name = value.get_ref().as_str().unwrap_or("");
                tensor_element(name).map_err(|allowed| wrong(value, "element", &allowed))?
            }
            None => {
                let found = self.declared[buffer].element.map(format);
                found.ok_or((here, Kind::Missing("element")))?
            }
        };
        required("extents")?;
        required("box")?;
        Ok(FileTensorMap {
            buffer,
            offset: self.offset(table, here)?,
            element,
            extents: list("extents")?,
            strides: list("strides")?,
            box_extents: list("box")?,
            element_strides: table
                .get("element_strides")
                .map(|value| self.expressions(value, "element_strides"))
                .transpose()?,
            swizzle: table
                .get("swizzle")
                .map_or(Ok(TensorSwizzle::None), swizzle)?,
            fill_nan: table.get("oob_fill").map_or(Ok(false), fill_nan)?,
            places: Places {
                extents: place("extents"),
                strides: place("strides"),
                box_extents: place("box"),
                element_strides: place("element_strides"),
                swizzle: place("swizzle"),
                oob_fill: place("oob_fill"),
            },
        })
    }

    fn expressions(&self, value: &Value, key: &str) -> Decoded<Vec<Expression>> {
        let list = value.get_ref().as_array();
        let list =
            list.ok_or_else(|| wrong(value, key, "a list, the innermost dimension first"))?;
        list.iter()
            .map(|value| self.expression(value, key))
            .collect()
    }
}

fn swizzle(value: &Value) -> Decoded<TensorSwizzle> {
    let span = match (value.get_ref().as_str(), super::decode::integer(value)) {
        (Some("none"), _) => None,
        // A number in quotes is no number.
        (_, span) => Some(span.unwrap_or(-1)),
    };
    tensor_swizzle(span).map_err(|allowed| wrong(value, "swizzle", allowed))
}

fn fill_nan(value: &Value) -> Decoded<bool> {
    let word = value.get_ref().as_str().unwrap_or("");
    tensor_fill_nan(word).map_err(|allowed| wrong(value, "oob_fill", allowed))
}

/// Returns the format of a tensor map's elements by its name in launch files.
///
/// ```
/// use host::TensorElement;
///
/// assert_eq!(launch_file::tensor_element("tf32"), Ok(TensorElement::Tf32));
/// assert!(launch_file::tensor_element("half").unwrap_err().starts_with("one of u8, i8, "));
/// ```
///
/// # Errors
/// Returns the names that there are, as a part of a sentence.
pub fn tensor_element(name: &str) -> Result<TensorElement, String> {
    let other = FORMATS.iter().find(|(known, _)| *known == name);
    let found = other.map(|&(_, element)| element);
    let found = found.or_else(|| ScalarType::named(name).map(format));
    found.ok_or_else(|| {
        let others = FORMATS.map(|(name, _)| name).join(", ");
        format!("one of {}, {others}", ScalarType::names())
    })
}

/// Returns the swizzle whose rows have this number of bytes, or no swizzle for `None`.
///
/// ```
/// use host::TensorSwizzle;
///
/// assert_eq!(launch_file::tensor_swizzle(Some(64)), Ok(TensorSwizzle::B64));
/// assert_eq!(launch_file::tensor_swizzle(Some(48)), Err("32, 64 or 128 bytes, or \"none\""));
/// ```
///
/// # Errors
/// Returns the values that there are, as a part of a sentence.
pub fn tensor_swizzle(bytes: Option<i128>) -> Result<TensorSwizzle, &'static str> {
    match bytes {
        None => Ok(TensorSwizzle::None),
        Some(32) => Ok(TensorSwizzle::B32),
        Some(64) => Ok(TensorSwizzle::B64),
        Some(128) => Ok(TensorSwizzle::B128),
        Some(_) => Err("32, 64 or 128 bytes, or \"none\""),
    }
}

/// Returns whether elements outside the tensor read as NaN, by the word `zeros` or `nan`.
///
/// ```
/// assert_eq!(launch_file::tensor_fill_nan("nan"), Ok(true));
/// assert_eq!(launch_file::tensor_fill_nan("ones"), Err("\"zeros\" or \"nan\""));
/// ```
///
/// # Errors
/// Returns the words that there are, as a part of a sentence.
pub fn tensor_fill_nan(word: &str) -> Result<bool, &'static str> {
    match word {
        "zeros" => Ok(false),
        "nan" => Ok(true),
        _ => Err("\"zeros\" or \"nan\""),
    }
}

impl CaseTensorMap {
    /// Checks the map for a buffer of `bytes` bytes, and for the chip `target`, if it is known.
    /// Buffers begin at multiples of 256 bytes, so that the offset alone decides the tensor's
    /// alignment.
    ///
    /// # Errors
    /// Returns a [`TensorMapError`] if the chip has no tensor maps, if no map can have these
    /// values, or if the tensor reaches beyond the buffer.
    pub fn check(&self, bytes: usize, target: Option<(u32, u32)>) -> Result<(), TensorMapError> {
        if let Some(compute_capability) = target.filter(|&target| target < (9, 0)) {
            return Err(TensorMapError::ComputeCapability {
                device: "the target".into(),
                compute_capability,
            });
        }
        self.spec.check()?;
        if !self.offset.is_multiple_of(16) {
            let address = self.offset;
            return Err(TensorMapError::Address { address });
        }
        // The emulator checks stores when they happen: whether the kernel writes is not known here.
        let rest = bytes.saturating_sub(self.offset as usize);
        self.spec.check_reach(rest, false)
    }
}

impl FileTensorMap {
    /// Returns the place of the value to which an error belongs.
    fn place(&self, error: &TensorMapError) -> usize {
        use TensorMapError as E;
        let of = |list: &[Expression], index: usize, otherwise: usize| {
            list.get(index).map_or(otherwise, |value| value.offset)
        };
        let places = &self.places;
        let steps = self.element_strides.as_deref().unwrap_or(&[]);
        match *error {
            E::Length {
                what: "strides", ..
            } => places.strides,
            E::Length {
                what: "element strides",
                ..
            } => places.element_strides,
            E::Length { .. } | E::BoxRow { .. } => places.box_extents,
            E::Address { .. } => self.offset.offset,
            E::Extent { dimension, .. } => of(&self.extents, dimension, places.extents),
            E::Stride { dimension, .. } => {
                of(&self.strides, dimension.saturating_sub(1), places.strides)
            }
            E::Box { dimension, .. } => of(&self.box_extents, dimension, places.box_extents),
            E::ElementStride { dimension, .. } => of(steps, dimension, places.element_strides),
            E::SwizzleRow { .. } => places.swizzle,
            E::Fill { .. } => places.oob_fill,
            _ => places.extents,
        }
    }
}

impl LaunchFile {
    /// Appends a tensor map to `value`, as 128 bytes that [`CaseValue::with_addresses`] fills.
    pub(super) fn put_tensor_map(
        &self,
        map: &FileTensorMap,
        sizes: &[(String, i128)],
        lengths: &[usize],
        value: &mut CaseValue,
    ) -> Result<(), LaunchFileError> {
        let list = |list: &[Expression], high: i128| -> Result<Vec<u64>, LaunchFileError> {
            let values = list.iter().map(|one| self.within(one, sizes, 0, high));
            values.map(|one| Ok(one? as u64)).collect()
        };
        let narrow = |values: Vec<u64>| values.into_iter().map(|value| value as u32).collect();
        let size = lengths[map.buffer] * self.buffers[map.buffer].element.size();
        let offset = self.within(&map.offset, sizes, 0, size as i128)? as u64;
        let spec = TensorMapSpec {
            element: map.element,
            extents: list(&map.extents, i64::MAX.into())?,
            strides: list(&map.strides, i64::MAX.into())?,
            box_extents: narrow(list(&map.box_extents, u32::MAX.into())?),
            element_strides: match &map.element_strides {
                Some(steps) => narrow(list(steps, u32::MAX.into())?),
                None => vec![1; map.extents.len()],
            },
            swizzle: map.swizzle,
            fill_nan: map.fill_nan,
        };
        let checked = CaseTensorMap {
            at: value.bytes.len(),
            buffer: map.buffer,
            offset,
            spec,
        };
        checked.check(size, self.target).map_err(|error| {
            let place = map.place(&error);
            let sizes = expression::shown(sizes);
            let kind = Kind::TensorMap { error, sizes };
            LaunchFileError::at(&self.file, &self.text, place, kind)
        })?;
        value.maps.push(checked);
        value.bytes.extend([0; BYTES]);
        Ok(())
    }
}
