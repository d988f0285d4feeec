//! A string that is put together while the compiler evaluates a constant.
//!
//! ```text
//!   Text::new().say("stride ").number(3).say(" does not divide ").number(4)   ->   panic!("{}", ..)
//! ```
//!
//! `core::fmt` cannot run in a constant, and a panic there takes one finished `&str`. Law: the text
//! consists of the appended pieces, in order, up to [`CAPACITY`] bytes; a longer text ends in
//! `...`.

pub use crate::dynamic::rules::sentence;

/// The largest number of bytes of a message.
pub const CAPACITY: usize = 1024;

/// A string of at most [`CAPACITY`] bytes.
#[derive(Clone, Copy)]
pub struct Text {
    bytes: [u8; CAPACITY],
    len: usize,
    cut: bool,
}

/// The dots that replace all pieces that did not fit.
const DOTS: &[u8] = b"...";

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

impl Text {
    /// Creates an empty text.
    pub const fn new() -> Self {
        Self {
            bytes: [0; CAPACITY],
            len: 0,
            cut: false,
        }
    }

    /// Appends a string.
    ///
    /// ```
    /// use layout_types::check::Text;
    /// const GREETING: Text = { let mut text = Text::new(); *text.say("mode ").number(-7).say(".") };
    /// assert_eq!(GREETING.as_str(), "mode -7.");
    /// ```
    pub const fn say(&mut self, words: &str) -> &mut Self {
        let words = words.as_bytes();
        if self.cut {
            return self;
        }
        // Keep space for the dots. A piece that does not fit is left out whole, so no character is
        // torn.
        let (words, cut) = if self.len + words.len() + DOTS.len() > CAPACITY {
            (DOTS, true)
        } else {
            (words, false)
        };
        self.cut = cut;
        let (_, rest) = self.bytes.split_at_mut(self.len);
        let (place, _) = rest.split_at_mut(words.len());
        place.copy_from_slice(words);
        self.len += words.len();
        self
    }

    /// Appends a number in decimals.
    pub const fn number(&mut self, value: i64) -> &mut Self {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = value.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        let (_, digits) = digits.split_at(at);
        match core::str::from_utf8(digits) {
            Ok(digits) => self.say(digits),
            Err(_) => self,
        }
    }

    /// Appends a count in decimals.
    pub const fn count(&mut self, value: usize) -> &mut Self {
        self.number(value as i64)
    }

    /// Appends another text.
    pub const fn text(&mut self, other: &Self) -> &mut Self {
        self.say(other.as_str())
    }

    /// Returns the text as a string.
    pub const fn as_str(&self) -> &str {
        let (said, _) = self.bytes.split_at(self.len);
        match core::str::from_utf8(said) {
            Ok(said) => said,
            Err(_) => "",
        }
    }
}
