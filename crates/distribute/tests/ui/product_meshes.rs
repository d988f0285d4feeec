use distribute::prelude::*;

// A has blocks of rows on a mesh of 2 by 3, B has blocks of columns on a mesh of 3 by 2.
type A = layout!(((2,3),(2,12)):((6,2),(1,12)));
type B = layout!(((3,2),(12,2)):((48,24),(1,12)));

assert_product!(A, B => A, (12, 12, 12));

fn main() {}
