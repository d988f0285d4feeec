//! Checks that a thread-value layout covers its tile exactly once.
//!
//! ```text
//!   TV ((2,2),2):((1,4),2) in a tile of 8 cells         cell   0 1 2 3 4 5 6 7
//!   thread (0,1) value 0 is cell 4                      owner  0 1 0 1 2 3 2 3
//! ```
//!
//! Law: the check holds if and only if `(thread, value) -> cell` is a bijection onto the cells of
//! the tile.

use super::admissible::Verdict;
use super::chooser::Walk;
use super::text::Text;
use super::text::sentence;
use super::value::{Node, Value};
use crate::dynamic::rules::Flat;

/// Returns the number of cells of a shape, which is the size of the table of owners.
pub const fn cells(shape: &Value) -> usize {
    match shape.size() {
        Ok(size) if size >= 0 => size as usize,
        _ => 0,
    }
}

/// Checks that each of the `CELLS` cells of `shape` is the image of exactly one coordinate of `tv`.
///
/// # Errors
/// Returns the sentence that names the first cell with two owners, or the first without an owner,
/// or the owner outside the tile.
///
/// ```
/// use layout_types::{check::{Reflect, covers}, prelude::*};
/// type Tv = layout!(((2,2),2):((1,4),2));
/// assert!(covers::<8>(&Tv::VALUE, &<shape!(8)>::VALUE).is_ok());
/// type Twice = layout!((4,2):(1,3));
/// assert!(covers::<8>(&Twice::VALUE, &<shape!((4,2))>::VALUE).unwrap_err().as_str()
///     .ends_with("tile cell 3, at (3,0), has two owners: TV (3,0) and TV (0,1)"));
/// ```
pub const fn covers<const CELLS: usize>(tv: &Value, shape: &Value) -> Verdict {
    covers_by::<CELLS>(tv, shape, false)
}

/// Checks the same as [`covers`]. With `readers`, threads of stride 0, which read the same cells,
/// count as one owner. The operands A and B of an MMA have such threads.
///
/// # Errors
/// Returns the errors of [`covers`].
pub const fn covers_by<const CELLS: usize>(tv: &Value, shape: &Value, readers: bool) -> Verdict {
    if let (Node::Layout, Ok(flat), Ok(threads)) = (tv.root(), tv.flat(), tv.mode(0).flat())
        && are_digits(&flat, if readers { threads.len() } else { 0 }, CELLS as i64)
    {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("thread-value layout ").text(&tv.notation());
    text.say(" does not cover ")
        .text(&shape.shape().notation())
        .say(" exactly once: ");
    if !matches!(tv.root(), Node::Layout) {
        return Err(*text.say("it is not a layout without a swizzle"));
    }
    let (flat, size) = match (tv.flat(), tv.size()) {
        (Ok(flat), Ok(size)) => (flat, size),
        (Err(rule), _) | (_, Err(rule)) => return Err(*text.text(&sentence(&rule))),
    };
    let threads = match tv.mode(0).size() {
        Ok(threads) if tv.rank() > 1 => threads,
        _ => size,
    };
    let thread_modes = match tv.mode(0).flat() {
        Ok(modes) if readers => modes.len(),
        _ => 0,
    };
    let mut owner = [0u32; CELLS];
    let mut walk = Walk::new(&flat);
    let mut i = 0;
    while i < size {
        if walk.is_repeat(thread_modes) {
            walk.step();
            i += 1;
            continue;
        }
        let cell = walk.offset;
        if cell < 0 || cell >= CELLS as i64 {
            owned_by(&mut text, tv, i, threads);
            text.say(" is cell ").number(cell);
            return Err(*text.say(", and the tile has ").count(CELLS).say(" cells"));
        }
        if owner[cell as usize] != 0 {
            name_cell(&mut text, shape, cell);
            text.say(" has two owners: ");
            owned_by(&mut text, tv, owner[cell as usize] as i64 - 1, threads);
            text.say(" and ");
            owned_by(&mut text, tv, i, threads);
            return Err(text);
        }
        owner[cell as usize] = i as u32 + 1;
        walk.step();
        i += 1;
    }
    i = 0;
    while i < CELLS as i64 {
        if owner[i as usize] == 0 {
            name_cell(&mut text, shape, i);
            return Err(*text.say(" has no owner"));
        }
        i += 1;
    }
    Ok(())
}

/// Whether the modes are the digits of a number below `cells`: sorted by stride, each stride is the
/// product of the shapes before it. Then each cell has one owner, and the cells need not be
/// visited. Modes with stride 0 among the first `threads` modes are left out.
const fn are_digits(flat: &Flat, threads: usize, cells: i64) -> bool {
    let (mut reach, mut digits, mut mode) = (1i64, 0, 0);
    while mode < flat.len() {
        digits += (flat.shape(mode) > 1 && !(mode < threads && flat.stride(mode) == 0)) as usize;
        mode += 1;
    }
    while digits > 0 {
        mode = 0;
        while mode < flat.len()
            && !(flat.shape(mode) > 1 && flat.stride(mode) == reach && flat.basis(mode) == 0)
        {
            mode += 1;
        }
        if mode == flat.len() {
            return false;
        }
        reach = match reach.checked_mul(flat.shape(mode)) {
            Some(reach) => reach,
            None => return false,
        };
        digits -= 1;
    }
    reach == cells
}

/// Appends `TV (thread,value)`.
const fn owned_by(text: &mut Text, tv: &Value, i: i64, threads: i64) {
    text.say("TV ");
    if tv.rank() > 1 {
        text.say("(").number(i % threads).say(",");
        text.number(i / threads).say(")");
    } else {
        text.number(i);
    }
}

/// Appends `tile cell 5, at (1,1),`.
const fn name_cell(text: &mut Text, shape: &Value, cell: i64) {
    text.say("tile cell ").number(cell);
    if shape.rank() > 1 {
        text.say(", at ");
        coordinate(text, shape, cell);
        text.say(",");
    }
}

/// Appends the coordinate `i` in the top-level modes of a shape or a layout.
pub(super) const fn coordinate(text: &mut Text, of: &Value, i: i64) {
    let shape = of.shape();
    if !matches!(shape.root(), Node::Tuple(_)) {
        text.number(i);
        return;
    }
    text.say("(");
    let (mut rest, mut mode) = (i, 0);
    while mode < shape.rank() {
        let size = match shape.child(mode).size() {
            Ok(size) => size,
            Err(_) => 1,
        };
        if mode > 0 {
            text.say(",");
        }
        text.number(rest % size);
        rest /= size;
        mode += 1;
    }
    text.say(")");
}
