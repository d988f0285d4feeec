//! NumPy's `.npy` files: one array with its type and shape.
//!
//! ```text
//! \x93NUMPY 1 0 | length of the header | {'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), } | elements
//! ```
//!
//! Law: the elements are those of a buffer in row-major order, little-endian. A file with another
//! byte order, another order of the axes or another type is refused, never converted. NumPy has no
//! bfloat16: its bits are stored as `uint16`. Source: NumPy, "numpy.lib.format".

use super::element::ScalarType;

const MAGIC: &[u8] = b"\x93NUMPY";
/// The largest number of bytes before the elements: for a buffer's type NumPy writes a few hundred.
pub(super) const MOST_HEADER: u64 = 1 << 20;

/// Returns the bytes of a file's elements, which must have this type.
///
/// # Errors
/// Returns the fault of the file, as text.
pub(super) fn elements(file: &[u8], ty: ScalarType) -> Result<&[u8], String> {
    let rest = file
        .strip_prefix(MAGIC)
        .ok_or("not a .npy file: it does not begin with \\x93NUMPY")?;
    let cut = || "the header is cut off".to_owned();
    let (length, start): (usize, usize) = match rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 6),
        [major, minor, ..] => return Err(format!("version {major}.{minor} of .npy is not known")),
        _ => return Err(cut()),
    };
    let end = start.checked_add(length).ok_or_else(cut)?;
    let header = rest.get(start..end).ok_or_else(cut)?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is no text".to_owned())?;
    let value = |key: &str| -> Result<&str, String> {
        let at = header
            .find(&format!("'{key}':"))
            .ok_or_else(|| format!("the header has no `{key}`"))?;
        Ok(header[at + key.len() + 3..].trim_start())
    };
    let descr = value("descr")?;
    let descr = descr
        .strip_prefix('\'')
        .and_then(|text| text.split_once('\''))
        .map(|(descr, _)| descr)
        .ok_or("its elements are records, which no buffer here has")?;
    if !names(ty).contains(&descr) {
        return Err(format!(
            "its elements are `{descr}`, those of {ty} are `{}`",
            names(ty)[0]
        ));
    }
    let shape = value("shape")?;
    let shape = shape
        .strip_prefix('(')
        .and_then(|text| text.split_once(')'))
        .map(|(shape, _)| shape)
        .ok_or("the header's `shape` is no tuple")?;
    let extents: Vec<usize> = shape
        .split(',')
        .map(str::trim)
        .filter(|extent| !extent.is_empty())
        .map(|extent| {
            extent
                .parse()
                .map_err(|_| format!("the extent `{extent}` is no number"))
        })
        .collect::<Result<_, _>>()?;
    let axes = extents.iter().filter(|extent| **extent > 1).count();
    if value("fortran_order")?.starts_with("True") && axes > 1 {
        return Err("its array is in column-major order; np.ascontiguousarray changes that".into());
    }
    let count = extents
        .iter()
        .try_fold(ty.size(), |product, &extent| product.checked_mul(extent));
    let data = &rest[end..];
    match count {
        Some(bytes) if bytes == data.len() => Ok(data),
        _ => Err(format!(
            "its shape ({shape}) does not fit its {}",
            emulator::counted(data.len(), "byte")
        )),
    }
}

/// Returns the bytes of a file with one axis and these elements.
pub(super) fn file(ty: ScalarType, elements: &[u8]) -> Vec<u8> {
    let count = elements.len() / ty.size();
    let mut header = format!(
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({count},), }}",
        names(ty)[0]
    );
    // The part before the elements is a multiple of 64 bytes, and the header ends with a line feed.
    let before = MAGIC.len() + 4;
    while !(before + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut file = [MAGIC, &[1, 0]].concat();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(elements);
    file
}

/// Returns NumPy's names of a type. A file is written with the first.
fn names(ty: ScalarType) -> &'static [&'static str] {
    match ty {
        ScalarType::U8 => &["|u1", "<u1", "|b1"],
        ScalarType::I8 => &["|i1", "<i1"],
        ScalarType::U16 => &["<u2"],
        ScalarType::I16 => &["<i2"],
        ScalarType::U32 => &["<u4"],
        ScalarType::I32 => &["<i4"],
        ScalarType::U64 => &["<u8"],
        ScalarType::I64 => &["<i8"],
        ScalarType::F16 => &["<f2"],
        ScalarType::Bf16 => &["<u2", "<V2", "|V2"],
        ScalarType::F32 => &["<f4"],
        ScalarType::F64 => &["<f8"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes that `numpy.save` writes for `numpy.array([2, 3], dtype=numpy.float32)`.
    fn numpys() -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        file.extend(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
        file.resize(127, b' ');
        file.push(b'\n');
        file.extend(2_f32.to_le_bytes());
        file.extend(3_f32.to_le_bytes());
        file
    }

    #[test]
    fn what_numpy_writes_is_read_and_written() {
        let file = numpys();
        let found = elements(&file, ScalarType::F32).unwrap();
        assert_eq!(found, &file[128..]);
        assert_eq!(super::file(ScalarType::F32, found), file);
        for ty in [ScalarType::U8, ScalarType::Bf16, ScalarType::I64] {
            let bytes = vec![7; 3 * ty.size()];
            assert_eq!(elements(&super::file(ty, &bytes), ty).unwrap(), bytes);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let text = |from: &str, to: &str| {
            let file = String::from_utf8_lossy(&numpys()[10..]).replacen(from, to, 1);
            let mut bytes = numpys()[..10].to_vec();
            bytes.extend(file.as_bytes());
            bytes
        };
        for (file, ty, says) in [
            (b"PK".to_vec(), ScalarType::F32, "not a .npy file"),
            (
                numpys(),
                ScalarType::F64,
                "its elements are `<f4`, those of f64 are `<f8`",
            ),
            (numpys()[..40].to_vec(), ScalarType::F32, "cut off"),
            (
                numpys()[..130].to_vec(),
                ScalarType::F32,
                "does not fit its 2 bytes",
            ),
            (text("(2,),", "(3,),"), ScalarType::F32, "does not fit"),
            (text("'<f4'", "'>f4'"), ScalarType::F32, "`>f4`"),
            (
                text("False, 'shape': (2,), ", "True, 'shape': (1, 2) "),
                ScalarType::F32,
                "",
            ),
            (
                text("False, 'shape': (2,), ", "True, 'shape': (2, 2) "),
                ScalarType::F32,
                "column-major",
            ),
            (text("'shape'", "'shapf'"), ScalarType::F32, "no `shape`"),
        ] {
            match elements(&file, ty) {
                Ok(_) => assert_eq!(says, ""),
                Err(problem) => assert!(!says.is_empty() && problem.contains(says), "{problem}"),
            }
        }
    }
}
