// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3403 Layout(TileToShape<Composition<Swizzle<1,3,3>, layout!((16,1):(1,16))>, shape!((16,1,3))>),
    3404 Layout(TileToShape<Composition<Swizzle<2,4,3>, layout!((4,(3,2)):(6,(2,1)))>, shape!((4,6,2))>),
    3406 Layout(TileToShape<Composition<Swizzle<2,0,3>, layout!((2,8):(1,2))>, shape!((4,16,2))>),
    3407 Layout(TileToShape<Composition<Swizzle<2,4,3>, layout!((3,8):(8,1))>, shape!((6,16))>),
    3410 Layout(TileToShape<Composition<Swizzle<3,3,3>, layout!(((16),1):((1),16))>, shape!((16,1))>),
    3412 Layout(TileToShape<Composition<Swizzle<2,4,3>, layout!((2,4):(4,1))>, shape!((2,4))>),
    3418 Layout(TileToShape<Composition<Swizzle<3,4,3>, layout!((2,(3,4)):(12,(4,1)))>, shape!((2,12))>),
    3424 Layout(TileToShape<Composition<Swizzle<2,4,3>, layout!(((2,2),2):((1,2),4))>, shape!((8,2,2))>),
    3428 Layout(TileToShape<Composition<Swizzle<3,4,3>, layout!((2,16):(1,2))>, shape!((2,32,2))>),
    3438 Layout(TileToShape<Composition<Swizzle<2,0,3>, layout!(((3),(3,4)):((1),(3,9)))>, shape!((3,24))>),
    3442 Layout(TileToShape<Composition<Swizzle<2,3,3>, layout!(((3),16):((1),3))>, shape!((3,32))>),
    3449 Layout(TileToShape<Composition<Swizzle<3,4,3>, layout!((2,2):(1,2))>, shape!((4,4))>),
];
