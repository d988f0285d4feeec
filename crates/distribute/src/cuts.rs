//! The cuts of a mixed radix into digits.
//!
//! ```text
//!   cuts 1 4 8 64     digits: 4 at weight 1, 2 at weight 4, 8 at weight 8
//! ```
//!
//! Law: the cuts are sorted, without repeats. Each cut divides the next one, or [`Cuts::nest`]
//! names two that do not divide each other.

use layout_types::check::Text;

/// The largest number of cuts of a radix.
pub(crate) const MOST: usize = 48;

/// The cuts of a mixed radix, from 1 to its size.
#[derive(Clone, Copy)]
pub(crate) struct Cuts {
    at: [i64; MOST],
    len: usize,
}

impl Cuts {
    /// Makes the cuts 1 and `size`.
    pub const fn new(size: i64) -> Self {
        let mut cuts = Self {
            at: [0; MOST],
            len: 1,
        };
        cuts.at[0] = 1;
        let _ = cuts.insert(size);
        cuts
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn at(&self, i: usize) -> i64 {
        self.at[i]
    }

    /// Adds a cut; returns whether it is new.
    ///
    /// # Errors
    /// Returns an error if there would be more than [`MOST`] cuts.
    pub const fn insert(&mut self, cut: i64) -> Result<bool, Text> {
        let mut i = 0;
        while i < self.len && self.at[i] < cut {
            i += 1;
        }
        if i < self.len && self.at[i] == cut {
            return Ok(false);
        }
        if self.len == MOST {
            let mut text = Text::new();
            return Err(*text
                .say("the distributions have more than ")
                .count(MOST)
                .say(" digits together"));
        }
        let mut k = self.len;
        while k > i {
            self.at[k] = self.at[k - 1];
            k -= 1;
        }
        self.at[i] = cut;
        self.len += 1;
        Ok(true)
    }

    /// Checks that each cut divides the next one.
    ///
    /// # Errors
    /// Returns the sentence that names the two cuts that do not nest; `what` is the name of the
    /// thing that is cut.
    pub const fn nest(&self, what: &str) -> Result<(), Text> {
        let mut i = 1;
        while i < self.len {
            if self.at[i] % self.at[i - 1] != 0 {
                let mut text = Text::new();
                text.say(what).say(" of ").number(self.at[i - 1]);
                text.say(" and of ").number(self.at[i]);
                text.say(" do not nest: ").number(self.at[i - 1]);
                return Err(*text.say(" does not divide ").number(self.at[i]));
            }
            i += 1;
        }
        Ok(())
    }
}
