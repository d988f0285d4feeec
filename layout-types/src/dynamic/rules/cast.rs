//! Counting in other units: the rules of `upcast` and `downcast` for one mode.
//!
//! ```text
//! upcast by 4:    8:1 -> 2:1      (8 halfs are two 64-bit words)
//!                 3:8 -> 3:2      (8 halfs apart is two words apart)
//! downcast by 4:  2:1 -> 8:1,     3:2 -> 3:8
//! ```

use super::Rule;
use super::flat::ceil_div;

/// One mode of CuTe's `upcast`: `n` neighbouring elements become one. A shape that `n / stride` does not
/// divide is rounded up, as CuTe does; [`exact_upcast`] refuses it.
///
/// # Errors
/// [`Rule::CastStride`] unless `n` and the stride divide one another.
///
/// ```
/// use layout_types::dynamic::rules::upcast;
/// assert_eq!(upcast(8, 1, 4), Ok((2, 1)));
/// assert_eq!(upcast(3, 8, 4), Ok((3, 2)));
/// assert!(upcast(8, 6, 4).is_err());
/// ```
pub const fn upcast(shape: i64, stride: i64, n: i64) -> Result<(i64, i64), Rule> {
    if n < 1 {
        return Err(Rule::NotPositive { value: n });
    }
    if stride == 0 {
        return Ok((shape, 0));
    }
    if stride == i64::MIN {
        return Err(Rule::Overflow);
    }
    let magnitude = stride.abs();
    if magnitude % n != 0 && n % magnitude != 0 {
        return Err(Rule::CastStride { stride, n });
    }
    Ok((
        ceil_div(shape, ceil_div(n, magnitude)),
        stride.signum() * ceil_div(magnitude, n),
    ))
}

/// [`upcast`] of a mode, refused where the shape would be rounded up.
///
/// # Errors
/// As [`upcast`], and [`Rule::CastShape`].
pub const fn exact_upcast(shape: i64, stride: i64, n: i64) -> Result<(i64, i64), Rule> {
    match upcast(shape, stride, n) {
        Err(rule) => Err(rule),
        Ok(mode) => {
            let per_unit = if stride == 0 {
                1
            } else {
                ceil_div(n, stride.abs())
            };
            if shape % per_unit != 0 {
                return Err(Rule::CastShape { shape, per_unit });
            }
            Ok(mode)
        }
    }
}

/// One mode of CuTe's `downcast`: each element becomes `n`.
///
/// # Errors
/// [`Rule::NotPositive`], [`Rule::Overflow`].
///
/// ```
/// use layout_types::dynamic::rules::downcast;
/// assert_eq!(downcast(2, 1, 4), Ok((8, 1)));
/// assert_eq!(downcast(3, 2, 4), Ok((3, 8)));
/// ```
pub const fn downcast(shape: i64, stride: i64, n: i64) -> Result<(i64, i64), Rule> {
    if n < 1 {
        return Err(Rule::NotPositive { value: n });
    }
    let (scaled, kept) = if stride == 1 || stride == -1 {
        (shape, stride)
    } else {
        (stride, shape)
    };
    match scaled.checked_mul(n) {
        None => Err(Rule::Overflow),
        Some(product) if stride == 1 || stride == -1 => Ok((product, kept)),
        Some(product) => Ok((kept, product)),
    }
}
