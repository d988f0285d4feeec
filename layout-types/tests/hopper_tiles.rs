//! Compares descriptors and boxes derived from tiles with the hardware's addressing, written out
//! from the PTX ISA's figures.
//!
//! ```text
//!   64-bit descriptor ─decoded─► byte of element (m, k) ─┐
//!   box, written line by line ─────► byte of element ────┼─► the tile's own offset
//! ```

use half::f16;
use layout_types::atom::Element;
use layout_types::atom::gmma::*;
use layout_types::atom::mma::{Major, MajorK, MajorMn};
use layout_types::atom::smem_operand::{Operand, TmaTile};
use layout_types::check::{GmmaLayout, Reflect, Swizzling, TmaBox};
use layout_types::num::{Bool, Nat};
use layout_types::prelude::*;
use layout_types::typenum::{U8, U16, U32, U64, U128, U256, Unsigned};

/// Returns the byte from which the hardware reads element `(m, k)` of an operand by a descriptor.
/// PTX ISA, *Strides*: the leading and the stride dimension byte offset; *Swizzling Modes*: an
/// exclusive or on the address.
fn read_by(descriptor: u64, bytes: u32, k_major: bool, m: u32, k: u32) -> u32 {
    let field = |low: u32| ((descriptor >> low & 0x3fff) as u32) << 4;
    let (start, leading, stride) = (field(0), field(16), field(32));
    let (bits, line) = match descriptor >> 62 {
        0 => (0, 16),
        1 => (3, 128),
        2 => (2, 64),
        _ => (1, 32),
    };
    assert_eq!(descriptor >> 49 & 7, 0, "base offset");
    // The position along the contiguous dimension, in bytes, and across it, in rows of the swizzle.
    let (along, across) = if k_major {
        (k * bytes, m)
    } else {
        (m * bytes, k)
    };
    let (groups, lines) = (across / 8, across % 8);
    let address = start
        + lines * line
        + along % line
        + match (bits, k_major) {
            (0, true) => groups * stride + along / line * leading,
            (0, false) => groups * leading + along / line * stride,
            (_, _) => groups * stride + along / line * leading,
        };
    address ^ ((address >> 7 & ((1 << bits) - 1)) << 4)
}

/// Counts the elements, over all operands of a tile, that the descriptors place elsewhere than the
/// tile does.
fn differences<Tile, T, Tnsp, Rows>(base: u32, spoil: u64) -> usize
where
    Tile: LayoutFn + Reflect,
    T: Element,
    Tnsp: Major,
    Rows: Nat,
{
    type Of<Tile, T, Tnsp, Rows> = Operand<Tile, T, Tnsp, Rows>;
    let layout = Of::<Tile, T, Tnsp, Rows>::LAYOUT;
    let (bytes, rows) = (T::Bits::U32 / 8, Rows::U32);
    let columns = 32 / bytes;
    let (all_rows, all_columns) = (layout.blocks.0 * rows, layout.blocks.1 * columns);
    let stages = Tile::SIZE as u32 / (all_rows * all_columns);
    let mut wrong = 0;
    for stage in 0..stages {
        for (i, j) in (0..layout.blocks.0).flat_map(|i| (0..layout.blocks.1).map(move |j| (i, j))) {
            let descriptor =
                Of::<Tile, T, Tnsp, Rows>::descriptor(base, (i, j), stage).bits() ^ spoil;
            for (m, k) in (0..rows).flat_map(|m| (0..columns).map(move |k| (m, k))) {
                let (row, column) = (i * rows + m, j * columns + k);
                let index = row + all_rows * (column + all_columns * stage);
                let expected = base + Tile::index(index) * bytes;
                let found = read_by(descriptor, bytes, Tnsp::IsK::VALUE, m, k);
                wrong += usize::from(found != expected);
            }
        }
    }
    wrong
}

/// Checks all bases that a tile can have, and operands of several widths.
macro_rules! check {
    ($atom:ident, $t:ty, $major:ty, ($m:literal, $k:literal, $s:literal), [$($rows:ty)*]) => {{
        type Tile = TileToShape<$atom<$t>, shape!(($m, $k, $s))>;
        $(for base in [0, 1024, 65536] {
            let wrong = differences::<Tile, $t, $major, $rows>(base, 0);
            assert_eq!(wrong, 0, "{} rows of {}", <$rows>::U32, Tile::default());
        })*
    }};
}

#[test]
fn k_major_descriptors_read_what_the_tile_has() {
    macro_rules! kinds {
        ($($t:ty, $inter:literal $b32:literal $b64:literal $b128:literal $two:literal;)*) => {$(
            check!(LayoutKInterAtom, $t, MajorK, (128, $inter, 2), [U8 U64 U128]);
            check!(LayoutKSw32Atom, $t, MajorK, (128, $b32, 2), [U8 U64 U128]);
            check!(LayoutKSw64Atom, $t, MajorK, (128, $b64, 2), [U16 U64]);
            check!(LayoutKSw128Atom, $t, MajorK, (128, $b128, 3), [U8 U64 U128]);
            // Two rows of the swizzle lie along K.
            check!(LayoutKSw128Atom, $t, MajorK, (256, $two, 1), [U64 U256]);
        )*};
    }
    kinds! {
        u8, 64 32 64 128 256;
        f16, 32 16 32 64 128;
        f32, 16 8 16 32 64;
    }
}

#[test]
fn mn_major_descriptors_read_what_the_tile_has() {
    check!(LayoutMnInterAtom, f16, MajorMn, (128, 32, 2), [U8 U64 U128]);
    check!(LayoutMnSw32Atom, f16, MajorMn, (128, 32, 2), [U16 U64 U128]);
    check!(LayoutMnSw64Atom, f16, MajorMn, (128, 32, 2), [U32 U64 U128]);
    check!(LayoutMnSw128Atom, f16, MajorMn, (128, 64, 2), [U64 U128]);
    // The rows of the swizzle along M come after all of K.
    type Tall = Composition<Swizzle<3, 3, 3>, layout!(((64,4),64):((1,4096),64))>;
    assert_eq!(differences::<Tall, f16, MajorMn, U64>(0, 0), 0);
    assert_eq!(differences::<Tall, f16, MajorMn, U256>(2048, 0), 0);
}

#[test]
fn a_wrong_field_is_seen() {
    type Tile = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64))>;
    for bit in [0, 5, 34, 38, 62, 63] {
        let wrong = differences::<Tile, f16, MajorK, U64>(0, 1 << bit);
        assert!(wrong > 0, "bit {bit}");
    }
    type Inter = TileToShape<LayoutKInterAtom<f16>, shape!((128, 32))>;
    for bit in [3, 16, 23, 35] {
        let wrong = differences::<Inter, f16, MajorK, U64>(0, 1 << bit);
        assert!(wrong > 0, "bit {bit}");
    }
}

/// Compares the fields with those of CuTe's `make_gmma_desc` for a tile of its atoms: leading and
/// stride, in units of 16 bytes.
///
/// Source: `cute/atom/mma_traits_sm90_gmma.hpp`; for K-major swizzled operands it writes 1.
#[test]
fn fields_are_cutes() {
    let fields = |layout: GmmaLayout| (layout.swizzle, layout.leading / 16, layout.stride / 16);
    type Sw128 = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64))>;
    type Inter = TileToShape<LayoutKInterAtom<f16>, shape!((128, 64))>;
    type Mn = TileToShape<LayoutMnSw128Atom<f16>, shape!((128, 64))>;
    let of = fields(Operand::<Sw128, f16, MajorK, U128>::LAYOUT);
    assert_eq!(of, (Swizzling::B128, 1, 64));
    // ((8,16),(8,8)):((8,64),(1,1024)): SBO 64 and LBO 1024 elements.
    let of = fields(Operand::<Inter, f16, MajorK, U128>::LAYOUT);
    assert_eq!(of, (Swizzling::None, 128, 8));
    // ((64,2),(8,8)):((1,512),(64,1024)): LBO 512 and SBO 1024 elements.
    let of = fields(Operand::<Mn, f16, MajorMn, U128>::LAYOUT);
    assert_eq!(of, (Swizzling::B128, 64, 128));
}

#[test]
fn what_is_no_operand_is_refused_with_the_place() {
    let refused = |value: &layout_types::check::Value, bits, k_major, rows| {
        let text = GmmaLayout::derive(value, bits, k_major, rows).unwrap_err();
        text.as_str().to_owned()
    };
    type Padded = layout!((128,64):(72,1));
    assert!(
        refused(&Padded::VALUE, 16, true, 64)
            .contains("row 1 lies 144 bytes behind row 0, where PTX's layout has 16")
    );
    type Plain = layout!((128,64):(64,1));
    assert!(refused(&Plain::VALUE, 16, true, 64).contains("row 1 lies 128 bytes"));
    type OtherSwizzle = Composition<Swizzle<3, 4, 3>, Plain>;
    assert!(
        refused(&OtherSwizzle::VALUE, 16, true, 64)
            .contains("a swizzle that the hardware does not")
    );
    type Sw128 = TileToShape<LayoutKSw128Atom<f16>, shape!((96, 64))>;
    assert!(refused(&Sw128::VALUE, 16, true, 64).contains("it has 96 rows and 64 columns"));
    assert!(refused(&Sw128::VALUE, 8, true, 32).contains("a swizzle that the hardware does not"));
    type Mn = TileToShape<LayoutMnSw128Atom<f16>, shape!((128, 64))>;
    assert!(refused(&Mn::VALUE, 16, false, 32).contains("a line of the swizzle holds 64 rows"));
    type Stages = Composition<Swizzle<3, 3, 3>, layout!((8,64,4):(64,1,520))>;
    assert!(
        refused(&Stages::VALUE, 16, true, 8)
            .contains("stages 1040 bytes apart: a 128-byte swizzle begins every 1024 bytes")
    );
}

/// Writes every box of every stage as the accelerator does, and counts the elements that are
/// elsewhere than the tile places them.
fn misplaced<Tile: LayoutFn + Reflect, T: Element>(base: u32) -> usize {
    let (tma, bytes) = (TmaTile::<Tile, T>::BOX, T::Bits::U32 / 8);
    let all = [0, 1].map(|mode| tma.extents[mode] * tma.boxes[mode]);
    let stages = Tile::SIZE as u32 / (all[0] * all[1]);
    let mut wrong = 0;
    let mut seen = 0;
    for stage in 0..stages {
        for (p, q) in (0..tma.boxes[0]).flat_map(|p| (0..tma.boxes[1]).map(move |q| (p, q))) {
            let start = base + TmaTile::<Tile, T>::offset((p, q), stage);
            let corner = TmaTile::<Tile, T>::coordinate((p, q), 0, 0);
            let (inner, outer) = (tma.extents[tma.inner], tma.extents[1 - tma.inner]);
            for (y, x) in (0..outer).flat_map(|y| (0..inner).map(move |x| (y, x))) {
                // The map's first dimension is the contiguous one.
                let (x_at, y_at) = (corner[0] as u32 + x, corner[1] as u32 + y);
                let (row, column) = if tma.inner == 0 {
                    (x_at, y_at)
                } else {
                    (y_at, x_at)
                };
                let address = start + (y * inner + x) * bytes;
                let found = tma.swizzle.apply(address);
                let index = row + all[0] * (column + all[1] * stage);
                wrong += usize::from(found != base + Tile::index(index) * bytes);
                seen += 1;
            }
        }
    }
    assert_eq!(
        (seen, stages * TmaTile::<Tile, T>::BYTES),
        (Tile::SIZE, seen as u32 * bytes)
    );
    wrong
}

#[test]
fn boxes_fill_the_tile() {
    macro_rules! kinds {
        ($($t:ty, $inter:literal $b32:literal $b64:literal $b128:literal;)*) => {$(
            boxes!(LayoutKInterAtom, $t, (128, $inter, 2));
            boxes!(LayoutKSw32Atom, $t, (64, $b32, 2));
            boxes!(LayoutKSw64Atom, $t, (64, $b64, 2));
            boxes!(LayoutKSw128Atom, $t, (256, $b128, 3));
            boxes!(LayoutMnInterAtom, $t, (64, 32, 2));
            boxes!(LayoutMnSw32Atom, $t, (64, 32, 1));
            boxes!(LayoutMnSw64Atom, $t, (128, 32, 1));
            boxes!(LayoutMnSw128Atom, $t, (256, 32, 2));
        )*};
    }
    macro_rules! boxes {
        ($atom:ident, $t:ty, ($m:literal, $k:literal, $s:literal)) => {{
            type Tile = TileToShape<$atom<$t>, shape!(($m, $k, $s))>;
            for base in [0, 4096] {
                assert_eq!(misplaced::<Tile, $t>(base), 0, "{}", Tile::default());
            }
        }};
    }
    kinds! {
        u8, 64 64 128 256;
        f16, 64 32 64 128;
        f32, 32 16 32 64;
        f64, 16 8 16 32;
    }
    // The rows follow each other, without a swizzle.
    assert_eq!(misplaced::<layout!((128,64):(64,1)), f16>(0), 0);
    assert_eq!(TmaTile::<layout!((128,64):(64,1)), f16>::BOX.boxes, [1, 1]);
}

/// Checks that the box consists of the leading modes of the tile's `right_inverse`, composed with
/// the CTA's part of the tensor: CuTe's `construct_tma_gbasis`.
#[test]
fn boxes_are_the_right_inverse_composed_with_the_ctas_part() {
    // The affine part of Sw<3,3,3> o ((8,16),(64,2)):((64,512),(1,8192)).
    type Affine = layout!(((8,16),(64,2)):((64,512),(1,8192)));
    type Part = Composition<layout!((128,128):(1@0,1@1)), RightInverse<Affine>>;
    assert_eq!(Part::default().to_string(), "(64,128,2):(1@1,1@0,64@1)");
    type Tile = Composition<Swizzle<3, 3, 3>, Affine>;
    let tma = TmaTile::<Tile, f16>::BOX;
    assert_eq!((tma.inner, tma.extents, tma.boxes), (1, [128, 64], [1, 2]));
}

#[test]
fn what_no_box_fills_is_refused() {
    let refused = |value: &layout_types::check::Value, bits| {
        TmaBox::derive(value, bits).unwrap_err().as_str().to_owned()
    };
    type Long = Composition<Swizzle<3, 3, 3>, layout!((64,128):(128,1))>;
    assert!(
        refused(&Long::VALUE, 16).contains(
            "its contiguous runs have 256 bytes, and a 128-byte swizzle lines of as many"
        )
    );
    type Tall = TileToShape<LayoutKSw128Atom<f16>, shape!((512, 64))>;
    assert!(
        refused(&Tall::VALUE, 16)
            .contains("the box would be 64 by 512 elements, and has at most 256")
    );
    assert!(
        refused(&<layout!((64,4):(4,1))>::VALUE, 16)
            .contains("its contiguous runs have 8 bytes, no multiple of 16")
    );
    assert!(refused(&<layout!((64,64):(72,2))>::VALUE, 16).contains("neither mode has neighbours"));
}
