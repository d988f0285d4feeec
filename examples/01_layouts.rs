//! Layouts, one line each: what a layout is, and the operations from which all others are made.
//!
//! ```console
//! cargo run --example 01_layouts
//! ```

#[path = "common/mod.rs"]
mod common;

use common::{Outcome, ensure};
use cutlet::prelude::*;
use static_assertions::assert_type_eq_all;

/// A shape and a stride: rows of 8 elements, one after the other.
type Rows = layout!((4,8):(8,1));
/// Shapes nest: this layout has coordinates ((i0, i1), j).
type Nested = layout!(((2,2),8):((8,16),1));

/// Every second column of [`Rows`]: the composition with the layout that picks them.
type EverySecond = Composition<Rows, tile!(4, 4:2)>;
/// [`Rows`] in tiles of (2,4): ((tile), (which tile)).
type Tiles = ZippedDivide<Rows, tile!(2, 4)>;
/// The layout that completes 4:1 to all of 0..24: its six elements are 4 apart.
type Rest = Complement<layout!(4:1), int!(24)>;
/// The inverse of the permutation [`Rows`]: it maps an offset to the index of its element.
type Where = RightInverse<Rows>;

// The compiler has computed all of these types. Two more assertions check its results:
assert_type_eq_all!(EverySecond, layout!((4,4):(8,2)));
assert_type_eq_all!(Rest, layout!(6:4));

/// Runs the example.
pub fn main() -> Outcome {
    println!("Rows          {}", Rows::default());
    println!("Nested        {}", Nested::default());
    println!("EverySecond   {}", EverySecond::default());
    println!("Tiles         {}", Tiles::default());
    println!("Rest          {}", Rest::default());
    println!("Where         {}", Where::default());

    // A layout is a function from coordinates to offsets; it has no size at run time.
    println!("\nRows(2, 3) = {}", Rows::at((2u32, 3u32)));
    println!(
        "Rows(14)   = {}, the same place counted down the columns",
        Rows::index(14u32)
    );
    println!(
        "size {}, cosize {}, bytes of the value {}",
        Rows::SIZE,
        Rows::COSIZE,
        size_of::<Rows>()
    );

    println!("\nevery offset of Rows:");
    for row in 0..4u32 {
        for column in 0..8u32 {
            print!("{:4}", Rows::at((row, column)));
        }
        println!();
    }

    // The laws of the operations, for every element:
    for i in 0..16u32 {
        let (row, column) = (i % 4, i / 4);
        ensure(EverySecond::index(i) == Rows::at((row, 2 * column)), || {
            format!("composition at {i}")
        })?;
    }
    for i in 0..Rows::SIZE as u32 {
        ensure(Rows::index(Where::index(i)) == i, || {
            format!("inverse at {i}")
        })?;
    }
    Ok(())
}
