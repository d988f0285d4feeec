//! What can be chosen about a picture.

use crate::error::{DrawError, Result};

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the reader's system has it, where the format can ask; otherwise light.
    #[default]
    Auto,
    /// Dark ink on white.
    Light,
    /// Light ink on black.
    Dark,
}

/// What the colour of a cell says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourBy {
    /// What the kind of picture is about: the offset's size for layouts, the thread for
    /// thread-value layouts.
    #[default]
    Auto,
    /// The offset: the darker, the farther.
    Offset,
    /// The memory bank that an access of [`Options::access_bytes`] at this offset starts in.
    Bank,
    /// Nothing: every cell alike.
    None,
}

/// Which cells carry a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// All, as long as they are legible; then the first cell of each block.
    #[default]
    Auto,
    /// All.
    All,
    /// The first cell of each block.
    Blocks,
    /// None.
    None,
}

/// What can be chosen about a picture; [`Options::default`] is right for most.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Light or dark.
    pub theme: Theme,
    /// What colours say.
    pub colour: ColourBy,
    /// Which cells carry a label.
    pub labels: Labels,
    /// Another title than the notation.
    pub title: Option<String>,
    /// Bits of an element, 1 to 128: turns offsets into banks.
    pub element_bits: u32,
    /// Bytes of one access of a thread to shared memory: 4, 8 or 16.
    pub access_bytes: u32,
    /// Pixels of a PNG per unit of the drawing, 0.1 to 8.
    pub scale: f32,
    /// Columns of the terminal.
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
    /// The number of banks that accesses of this width see: 32 of 4 bytes, 16 of 8, 8 of 16.
    ///
    /// # Errors
    /// [`DrawError::Number`] for another width, or an element of 0 bits or more than 128.
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

    /// The first bank (of 4 bytes, 0 to 31) of the access that holds an element.
    ///
    /// Precondition: [`banks`](Self::banks) is no error. Shared memory of NVIDIA's GPUs has 32
    /// banks of 4 bytes (CUDA C++ Programming Guide, *Shared Memory*); an access of 16 bytes is
    /// served eight threads at a time.
    pub fn bank(&self, offset: i64) -> i64 {
        let bytes = i128::from(offset) * i128::from(self.element_bits) / 8;
        let access = i128::from(self.access_bytes);
        // Below 128 by the remainder.
        (bytes.div_euclid(access) * access).rem_euclid(128) as i64 / 4
    }
}
