//! Checks that the names in `layouts!` are the types of the aliases, and that static_assertions'
//! macros work on all of these names.

use layout_types::check::{ChosenSwizzle, Reflect};
use layout_types::dynamic::{self, AnyLayout};
use layout_types::prelude::*;
use static_assertions::{
    assert_eq_size, assert_type_eq_all, assert_type_ne_all, const_assert, const_assert_eq,
};

layouts! {
    type Atom = composition(Swizzle<2, 3, 3>, (8,32):(32,1));
    type Written = Sw<2,3,3> o 0 o (8,32):(32,1);
    /// Three stages of a tile.
    pub type Smem = tile_to_shape(Atom, (128,32,3));
    type Compact = (4,8);
    type Vector = 8:2;
    type Named = Compact;
    pub(crate) type C = composition((6,2):(8,2), (4,3):(3,1));
    type Holes = complement((2,2):(1,6), 24);
    type Tiles = zipped_divide((128,64):(64,1), (32, 16));
    type Exact = exact_tiled_divide((128,(8,8)):(64,(8,1)), (32, _));
    type Logical = logical_divide((4,2,3):(2,1,8), 4:2);
    type FlatTiles = flat_divide(Compact, (2, 4:2));
    type Copies = logical_product((2,2):(4,1), 6:1);
    type Blocked = blocked_product((2,2), (3,4):(1,3));
    type Raked = raked_product(Compact, (3,4):(1,3));
    type Run = coalesce((2,(1,6)):(1,(6,2)));
    type Turned = right_inverse((4,8):(8,1));
    type Back = left_inverse(Turned);
    type Words = upcast((8,4):(1,8), 2);
    type Rows = layout_right((4,8));
    type Stage = slice(Smem, (_, _, 0));
    type Column = slice(Smem, (_, 3, 1));
    type Fixed = dice(Compact, (_, 3));
    type Reshaped = with_shape((16,3,3):(3,48,1), ((3,2),24));
}

const_assert_eq!(C::SIZE, 12);
const_assert_eq!(Smem::SIZE, 128 * 32 * 3);
const_assert_eq!(Smem::RANK, 3);
const_assert!(Stage::COSIZE <= Smem::COSIZE);
assert_type_eq_all!(
    Atom,
    Written,
    Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>
);
assert_type_eq_all!(Compact, Named, layout!((4,8):(1,4)));
assert_type_eq_all!(C, Composition<layout!((6,2):(8,2)), layout!((4,3):(3,1))>, layout!(((2,2),3):((24,2),8)));
assert_type_ne_all!(Compact, Vector, layout!((32)), layout!(32:1));
const_assert!(!Compact::VALUE.same(&Rows::VALUE));
assert_eq_size!(Smem, ());

/// The choice is a constant like any other.
const CHOICE: ChosenSwizzle =
    choose_swizzle!(tile (128,32), f16 16 bits, [rows of 16 bytes, ldmatrix]);
const_assert_eq!(CHOICE.ways, 1);
assert_type_eq_all!(Swizzle<{ CHOICE.b }, { CHOICE.m }, { CHOICE.s }>, Swizzle<2, 3, 3>);
const_assert!(<Smem as Reflect>::VALUE.size().is_ok());

assert_composable!(Compact, Vector);
assert_divides!(Smem, (64, 16));
assert_divides!(Compact, 16);
assert_bank_conflict_free!(Smem, 16 bits, [ldmatrix, rows of 16 bytes]);
assert_layout_eq!(Stage, Stage);
assert_layout_eq!(Vector, 8:2);

#[test]
fn results_are_those_of_the_mirror() {
    let smem: AnyLayout = "Sw<2,3,3> o 0 o (8,32):(32,1)".parse().unwrap();
    let smem = dynamic::tile_to_shape(&smem, &"(128,32,3)".parse().unwrap()).unwrap();
    assert_eq!(Smem::default().to_string(), smem.to_string());
    for (found, expected) in [
        (Vector::default().to_string(), "8:2"),
        (C::default().to_string(), "((2,2),3):((24,2),8)"),
        (Holes::default().to_string(), "(3,2):(2,12)"),
        (
            Tiles::default().to_string(),
            "((32,16),(4,4)):((64,1),(2048,16))",
        ),
        (
            Logical::default().to_string(),
            "((2,2),(2,3)):((4,1),(2,8))",
        ),
        (FlatTiles::default().to_string(), "(2,4,2,2):(1,8,2,4)"),
        (Copies::default().to_string(), "((2,2),(2,3)):((4,1),(2,8))"),
        (Run::default().to_string(), "12:1"),
        (Turned::default().to_string(), "(8,4):(4,1)"),
        (Back::default().to_string(), "(4,8):(8,1)"),
        (Words::default().to_string(), "(4,4):(1,4)"),
        (Rows::default().to_string(), "(4,8):(8,1)"),
        (Fixed::default().to_string(), "(8):(4)"),
        (
            Reshaped::default().to_string(),
            "((3,2),(8,3)):((3,9),(18,1))",
        ),
    ] {
        assert_eq!(found, expected);
    }
    assert_eq!(Exact::SIZE, 128 * 64);
    assert_eq!(Blocked::SIZE, 48);
    assert_eq!(Raked::SIZE, 32 * 12);
    assert_eq!(Column::SIZE, 128);
}

/// The tables of the atoms, checked as a kernel would check its own.
mod atoms {
    use layout_types::atom::MmaAtom;
    use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN as Mma;
    use layout_types::prelude::*;
    use layout_types::tiled::{LayoutTv, OperandC, TiledMma};

    assert_covers!(<Mma as MmaAtom>::ALayout, (16, 16));
    assert_covers!(<Mma as MmaAtom>::BLayout, (8, 16));
    assert_covers!(<Mma as MmaAtom>::CLayout, (16, 8));
    // 128 threads hold 8 values each of a 32x32 tile.
    type Tiled = TiledMma<Mma, layout!((2, 2, 1)), tile!(32, 32, 16)>;
    assert_covers!(LayoutTv<Tiled, OperandC>, (32,32));
    // Each thread's pairs of C are neighbours in a row-major tile of 32-bit numbers, so that the
    // thread stores 8 bytes at once.
    layouts! {
        type Row = (16,8):(8,1);
    }
    assert_contiguous!(<Mma as MmaAtom>::CLayout => Row, 2, 4);
}

/// Checks that comparing a renaming by the steps of threads and values agrees with comparing it
/// value by value.
mod renaming {
    use layout_types::check::{Reflect, retile_c_to_a, retile_c_to_a_permuted};
    use layout_types::prelude::*;

    type C = layout!(((4,8,4),(2,2,4)):((128,1,16),(64,8,512)));
    type A = layout!(((4,8,4),(2,2,2)):((128,1,16),(64,8,512)));
    // These have other values, other threads, another value only in the second block, or fewer
    // threads.
    type Values = layout!(((4,8,4),(2,2,2)):((128,1,16),(8,64,512)));
    type Threads = layout!(((4,8,4),(2,2,2)):((128,16,1),(64,8,512)));
    type Blocks = layout!(((4,8,4),(2,2,4)):((128,1,16),(64,8,1024)));
    type Fewer = layout!(((4,8),(2,2,2)):((128,1),(64,8,512)));

    #[test]
    fn by_sums_is_value_by_value() {
        let orders = (&<layout!((16):(1))>::VALUE, &<layout!((32):(1))>::VALUE);
        let refused = |c, a| {
            let (by_sums, each) = (
                retile_c_to_a(c, a, 64),
                retile_c_to_a_permuted(c, a, 64, orders),
            );
            let said = by_sums.map_err(|text| text.as_str().to_owned());
            assert_eq!(said, each.map_err(|text| text.as_str().to_owned()));
            said.is_err()
        };
        assert!(!refused(&C::VALUE, &A::VALUE));
        assert!(!refused(&C::VALUE, &C::VALUE));
        assert!(refused(&C::VALUE, &Values::VALUE));
        assert!(refused(&C::VALUE, &Threads::VALUE));
        assert!(refused(&Blocks::VALUE, &A::VALUE));
        assert!(refused(&C::VALUE, &Fewer::VALUE));
    }
}
