//! The shape of a matrix product on the command line: `4096x4096x128`, or one number for all three
//! extents. A group of a grouped product is `300`, its number of rows, or `300x512x1024`.
//!
//! Law: reading what is written gives the same shape.

use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The extents M, N and K.
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

impl Shape {
    /// Returns the number of multiplications and additions.
    pub fn operations(self) -> f64 {
        let Self(m, n, k) = self;
        2.0 * f64::from(m) * f64::from(n) * f64::from(k)
    }
}

/// A group of a grouped product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The group's rows. Its N and K are the product's.
    Rows(u32),
    /// The group's own M, N and K. If one of them is 0, the group's rows of D stay as they are.
    Own(Shape),
}

impl Group {
    /// Returns the group's rows of A and D.
    pub fn rows(&self) -> u32 {
        match *self {
            Self::Rows(rows) | Self::Own(Shape(rows, ..)) => rows,
        }
    }

    /// Returns M, N and K if they are the group's own, or else `None`.
    pub fn extents(&self) -> Option<Shape> {
        match *self {
            Self::Rows(_) => None,
            Self::Own(shape) => Some(shape),
        }
    }
}

impl FromStr for Group {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<u32>> = text
            .split(['x', '×'])
            .map(|number| number.parse().ok())
            .collect();
        match numbers.as_deref() {
            Some(&[rows]) => Ok(Self::Rows(rows)),
            Some(&[m, n, k]) => Ok(Self::Own(Shape(m, n, k))),
            _ => Err("it is the group's rows, or M×N×K of it, such as 300x512x1024".into()),
        }
    }
}

impl Serialize for Group {
    /// Writes one number, or three.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Rows(rows) => rows.serialize(serializer),
            Self::Own(Shape(m, n, k)) => [m, n, k].serialize(serializer),
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

    #[test]
    fn a_group_is_rows_or_a_shape() {
        assert_eq!("0".parse(), Ok(Group::Rows(0)));
        assert_eq!("3x0×5".parse(), Ok(Group::Own(Shape(3, 0, 5))));
        for wrong in ["", "1x2", "1x2x3x4", "ax1x1", "-1"] {
            assert!(wrong.parse::<Group>().is_err(), "{wrong}");
        }
    }
}
