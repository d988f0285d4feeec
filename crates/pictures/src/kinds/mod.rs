//! The kinds of pictures; each file turns layouts into one kind of [`Picture`](crate::Picture).

mod blocks;
mod copy;
mod divide;
mod layout;
mod mma;
mod swizzle;
mod thread_value;
mod timeline;

pub use blocks::{Blocks, blocks};
pub use copy::{Side, tiled_copy};
pub use divide::divide;
pub use layout::layout;
pub use mma::{MmaOperands, mma};
pub use swizzle::swizzle;
pub(crate) use thread_value::named_thread_value;
pub use thread_value::thread_value;
pub use timeline::{Pipeline, timeline};

use crate::error::{DrawError, Result};
use crate::grid::Key;
use crate::palette::Paint;
use std::collections::BTreeMap;

/// The largest number of cells of a grid: 256 by 256.
pub const MOST_CELLS: i64 = 65_536;

/// Returns the size of a layout or tile, or an error if a picture of at most `most` cells cannot
/// hold it.
fn drawable(what: &dyn std::fmt::Display, cells: i64, most: i64) -> Result<usize> {
    match usize::try_from(cells) {
        Ok(count) if cells <= most => Ok(count),
        _ => Err(DrawError::TooLarge {
            what: what.to_string(),
            cells,
            most,
        }),
    }
}

/// Makes the key of numbered things by colour. Each colour occurs once, with the numbers of the
/// things that have it.
fn key_of(things: impl Iterator<Item = (Paint, i64)>, what: &str) -> Vec<Key> {
    let mut with: BTreeMap<Paint, Vec<i64>> = BTreeMap::new();
    let mut order = Vec::new();
    for (paint, thing) in things {
        let same = with.entry(paint).or_default();
        if same.is_empty() {
            order.push(paint);
        }
        same.push(thing);
    }
    let text = |things: &[i64]| match things {
        [one] => format!("{what} {one}"),
        [one, other] => format!("{what}s {one}, {other}"),
        [one, other, .., last] => format!("{what}s {one}, {other}, .. {last}"),
        [] => String::new(),
    };
    (order.into_iter())
        .map(|paint| Key {
            paint,
            text: text(&with[&paint]),
        })
        .collect()
}

/// Returns the colour of thing number `n`.
fn category(n: i64) -> Paint {
    // The remainder is below 32.
    Paint::Category(n.rem_euclid(32) as u8)
}
