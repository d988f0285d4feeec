//! The shape of a matrix product on the command line: `4096x4096x128`, or one number for all three extents.
//!
//! Law: reading what is written gives the same shape.

use std::fmt;
use std::str::FromStr;

/// M, N and K.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape(pub u32, pub u32, pub u32);

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(m, n, k) = self;
        write!(f, "{m}x{n}x{k}")
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let extents: Option<Vec<u32>> = text
            .split(['x', '×'])
            .map(|extent| extent.parse().ok().filter(|&extent| extent > 0))
            .collect();
        match extents.as_deref() {
            Some(&[m, n, k]) => Ok(Self(m, n, k)),
            Some(&[size]) => Ok(Self(size, size, size)),
            _ => Err("it is M×N×K, such as 4096x4096x128, or one number for all three".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_back() {
        for shape in [Shape(1, 2, 3), Shape(81_920, 256, 256), Shape(7, 7, 7)] {
            assert_eq!(shape.to_string().parse(), Ok(shape));
        }
        assert_eq!("77".parse(), Ok(Shape(77, 77, 77)));
        assert_eq!("4×5×6".parse(), Ok(Shape(4, 5, 6)));
        for wrong in ["", "1x2", "1x2x3x4", "0x1x1", "axbxc", "-1x1x1"] {
            assert!(wrong.parse::<Shape>().is_err(), "{wrong}");
        }
    }
}
