//! A layout as a value: its function and its notation, for the facts of atoms.
//!
//! ```text
//!   LayoutFacts::of::<layout!((4,2):(2,1))>()      size 8, index 0 2 4 6 1 3 5 7, printed (4,2):(2,1)
//! ```
//!
//! Law: all is read from the layout's type.

use crate::layout::LayoutFn;
use core::fmt;

/// A layout as a value: its function and its notation.
#[derive(Clone, Copy)]
pub struct LayoutFacts {
    /// The number of coordinates.
    pub size: usize,
    /// The offset of a linear coordinate.
    pub index: fn(usize) -> usize,
    print: fn(&mut fmt::Formatter<'_>) -> fmt::Result,
}
impl LayoutFacts {
    /// The facts of a layout.
    #[must_use]
    pub const fn of<L: LayoutFn>() -> Self {
        Self {
            size: L::SIZE,
            index: L::index::<usize>,
            print: |f| fmt::Display::fmt(&L::default(), f),
        }
    }
}
impl fmt::Display for LayoutFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.print)(f)
    }
}
impl fmt::Debug for LayoutFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.print)(f)
    }
}
