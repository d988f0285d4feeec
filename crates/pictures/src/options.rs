//! The options of a picture.

use crate::error::{DrawError, Result};

/// Whether a picture is light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Follows the reader's system if the format can query it; otherwise light.
    #[default]
    Auto,
    /// Dark ink on a white background.
    Light,
    /// Light ink on a near-black background.
    Dark,
}

/// The property that the colour of a cell shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// The main property of this kind of picture: the size of the offset for layouts, the thread
    /// for thread-value layouts.
    #[default]
    Auto,
    /// The offset: a larger offset is darker.
    Offset,
    /// The memory bank in which an access of [`Options::access_bytes`] at this offset starts.
    Bank,
    /// Nothing: every cell has the same colour.
    None,
}

/// The cells that carry a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// All cells as long as the labels are legible; otherwise the first cell of each block.
    #[default]
    Auto,
    /// All cells.
    All,
    /// The first cell of each block.
    Blocks,
    /// No cell.
    None,
}

/// The options of a picture; [`Options::default`] is right for most pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Whether the picture is light or dark.
    pub theme: Theme,
    /// The property that colours show.
    pub colour: ColourBy,
    /// The cells that carry a label.
    pub labels: Labels,
    /// A title in place of the notation.
    pub title: Option<String>,
    /// The number of bits of an element, 1 to 128, by which offsets are converted to banks.
    pub element_bits: u32,
    /// The number of bytes that a thread accesses at once in shared memory: 4, 8 or 16.
    pub access_bytes: u32,
    /// The number of PNG pixels per unit of the drawing, 0.1 to 8.
    pub scale: f32,
    /// The number of columns of the terminal.
    pub terminal_columns: usize,
    /// Whether the terminal shows colours.
    pub terminal_colour: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            theme: Theme::Auto,
            colour: ColourBy::Auto,
            labels: Labels::Auto,
            title: None,
            element_bits: 16,
            access_bytes: 16,
            scale: 2.0,
            terminal_columns: 120,
            terminal_colour: true,
        }
    }
}

impl Options {
    /// Returns the number of banks for accesses of this width: 32 of 4 bytes, 16 of 8 bytes, 8 of
    /// 16 bytes.
    ///
    /// # Errors
    /// Returns [`DrawError::Number`] for another width, or for an element of 0 bits or more
    /// than 128.
    pub fn banks(&self) -> Result<i64> {
        let number = |what, found: u32, least, most| DrawError::Number {
            what,
            found: found.into(),
            least,
            most,
        };
        if !(1..=128).contains(&self.element_bits) {
            return Err(number("an element's bits", self.element_bits, 1, 128));
        }
        if ![4, 8, 16].contains(&self.access_bytes) {
            return Err(number(
                "an access's bytes (4, 8 or 16)",
                self.access_bytes,
                4,
                16,
            ));
        }
        Ok(128 / i64::from(self.access_bytes))
    }

    /// Returns the first bank (of 4 bytes, 0 to 31) that the access with this element touches.
    ///
    /// Precondition: [`banks`](Self::banks) returns `Ok`. Shared memory of NVIDIA's GPUs has 32
    /// banks of 4 bytes (CUDA C++ Programming Guide, *Shared Memory*); accesses of 16 bytes are
    /// served for eight threads at a time.
    pub fn bank(&self, offset: i64) -> i64 {
        let bytes = i128::from(offset) * i128::from(self.element_bits) / 8;
        let access = i128::from(self.access_bytes);
        // The remainder is below 128, so the bank is below 32.
        (bytes.div_euclid(access) * access).rem_euclid(128) as i64 / 4
    }
}
