//! Finds the element of a tensor at an address.
//!
//! ```text
//! extents (100,200), strides (200,1), 4 bytes        byte 3204 = element 801 = (4,1), and also (3,201)
//! ```
//!
//! Law: an offset has one coordinate in which every component except the outermost is less than the
//! number of elements that fit into the next stride. If rows follow each other without a gap, a
//! column past the end of a row is an element of the next row: [`TensorShape::beyond`] is the
//! coordinate with that column.

/// A tensor in a buffer, as a host describes it for messages. Extents and strides are in elements,
/// for each mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorShape {
    /// The extents.
    pub extents: Vec<u64>,
    /// The distance between neighbours along each mode, in elements.
    pub strides: Vec<u64>,
    /// The number of bytes of an element.
    pub element_bytes: usize,
}

impl TensorShape {
    /// Returns the modes with a stride that is not 0, the outermost first.
    fn modes(&self) -> Vec<usize> {
        let modes = self.extents.len().min(self.strides.len());
        let mut modes: Vec<usize> = (0..modes).filter(|&mode| self.strides[mode] != 0).collect();
        modes.sort_by_key(|&mode| std::cmp::Reverse(self.strides[mode]));
        modes
    }

    /// Returns the coordinate of the element at an offset in bytes, or `None` if the offset is
    /// between elements.
    #[must_use]
    pub fn coordinate(&self, offset: u64) -> Option<Vec<u64>> {
        let mut rest = offset / (self.element_bytes.max(1) as u64);
        let mut coordinate = vec![0; self.extents.len()];
        for mode in self.modes() {
            coordinate[mode] = rest / self.strides[mode];
            rest %= self.strides[mode];
        }
        (rest == 0).then_some(coordinate)
    }

    /// Returns another coordinate of the same element: the coordinate of a thread that goes past
    /// the end of a mode.
    #[must_use]
    pub fn beyond(&self, coordinate: &[u64]) -> Option<Vec<u64>> {
        let modes = self.modes();
        let pairs = modes.iter().zip(modes.iter().skip(1));
        let mut pairs = pairs.filter(|&(&outer, &inner)| {
            let end = self.extents[inner].checked_mul(self.strides[inner]);
            end == Some(self.strides[outer]) && coordinate[outer] > 0
        });
        let (&outer, &inner) = pairs.next_back()?;
        let mut beyond = coordinate.to_vec();
        beyond[outer] -= 1;
        beyond[inner] += self.extents[inner];
        Some(beyond)
    }

    /// Describes the element at an offset briefly: `element (4,1) of a (100,200) tensor`. With
    /// `strayed`, a thread may have gone past the end of a row.
    #[must_use]
    pub fn named(&self, offset: u64, strayed: bool) -> Option<String> {
        let coordinate = self.coordinate(offset)?;
        let tuple = |numbers: &[u64]| {
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            format!("({})", numbers.join(","))
        };
        let of = format!("of a {} tensor", tuple(&self.extents));
        let element = format!("element {} {of}", tuple(&coordinate));
        let outside = |(at, extent): (&u64, &u64)| at >= extent;
        if coordinate.iter().zip(&self.extents).any(outside) {
            return Some(match self.beyond(&coordinate) {
                Some(beyond) if strayed => format!(
                    "{element}, or {} if a row was left: out of bounds",
                    tuple(&beyond)
                ),
                _ => format!("{element}: out of bounds"),
            });
        }
        Some(match self.beyond(&coordinate) {
            Some(beyond) if strayed => format!(
                "{element}, and {}, which is out of bounds, is the same place",
                tuple(&beyond)
            ),
            _ => element,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::TensorShape;

    fn shape(extents: &[u64], strides: &[u64]) -> TensorShape {
        TensorShape {
            extents: extents.to_vec(),
            strides: strides.to_vec(),
            element_bytes: 4,
        }
    }

    #[test]
    fn every_element_has_its_coordinate() {
        for (extents, strides) in [
            ([5, 7, 3], [21, 3, 1]),
            ([5, 7, 3], [1, 5, 35]),
            ([5, 7, 3], [40, 4, 1]),
        ] {
            let tensor = shape(&extents, &strides);
            for i in 0..5 {
                for j in 0..7 {
                    for k in 0..3 {
                        let at = i * strides[0] + j * strides[1] + k * strides[2];
                        for byte in 0..4 {
                            assert_eq!(tensor.coordinate(4 * at + byte), Some(vec![i, j, k]));
                        }
                    }
                }
            }
        }
        // Rows of 7 elements with a stride of 10: the offset is past the row's end. With a stride
        // of 2, an offset between elements has no element.
        let padded = shape(&[4, 7], &[10, 1]);
        assert_eq!(padded.coordinate(4 * 18), Some(vec![1, 8]));
        assert_eq!(padded.beyond(&[1, 2]), None);
        assert_eq!(shape(&[4], &[2]).coordinate(4 * 3), None);
    }

    #[test]
    fn one_place_has_two_names() {
        let d = shape(&[100, 200], &[200, 1]);
        let said = |offset, strayed| d.named(offset, strayed).unwrap();
        assert_eq!(
            said(4 * 801, true),
            "element (4,1) of a (100,200) tensor, and (3,201), which is out of bounds, is the same place"
        );
        assert_eq!(said(4 * 801, false), "element (4,1) of a (100,200) tensor");
        assert_eq!(
            said(4 * 20001, true),
            "element (100,1) of a (100,200) tensor, or (99,201) if a row was left: out of bounds"
        );
        let columns = shape(&[100, 200], &[1, 100]);
        assert_eq!(columns.beyond(&[1, 4]), Some(vec![101, 3]));
    }
}
