//! CuTe gives (((2),(2,4)),1), whose tile is another function.
use layout_types::prelude::*;
fn refused(_: LogicalDivide<layout!(((3),2):((2),1)), layout!(((2),8):((1),2))>) {}
fn main() {}
