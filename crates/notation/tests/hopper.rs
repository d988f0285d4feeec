//! Checks that boxes and operands of tiles in notation, and their refusals, are those of the same
//! tiles as types.

use half::f16;
use layout_types::atom::gmma::*;
use layout_types::check::{GmmaLayout, Reflect, TmaBox, Value as Checked};
use layout_types::prelude::*;
use notation::hopper::{Major, TmaTile, WgmmaOperand};
use notation::{Session, Value, eval};

/// Reads the tile back from its notation.
fn read(value: &Checked) -> layout_types::dynamic::AnyLayout {
    let text = value.notation();
    eval(text.as_str()).unwrap().layout().unwrap()
}

#[track_caller]
fn agree(value: &Checked, bits: u32) {
    let tile = read(value);
    assert!(Checked::of_layout(&tile).unwrap().same(value), "{tile}");
    match (
        TmaTile::new(&tile, bits),
        TmaBox::derive(value, bits.into()),
    ) {
        (Ok(found), Ok(expected)) => assert_eq!(found.tma, expected, "{tile}"),
        (Err(found), Err(expected)) => assert_eq!(found, expected.as_str()),
        (found, expected) => panic!("{tile}: {found:?}, {:?}", expected.ok()),
    }
    for (major, rows) in [
        (Major::K, 64),
        (Major::MN, 64),
        (Major::K, 128),
        (Major::MN, 128),
        (Major::K, 24),
    ] {
        if major == Major::MN && bits != 16 {
            continue;
        }
        let derived = GmmaLayout::derive(value, bits.into(), major == Major::K, rows);
        match (WgmmaOperand::new(&tile, bits, major, rows), derived) {
            (Ok(found), Ok(expected)) => {
                assert_eq!(found.gmma, expected, "{tile}");
                starts_are_the_tiles(&found);
            }
            (Err(found), Err(expected)) => assert_eq!(found, expected.as_str()),
            (found, expected) => panic!("{tile}: {found:?}, {:?}", expected.ok()),
        }
    }
}

/// Checks that each start is the byte at which the tile holds the first element of its block,
/// before the swizzle.
fn starts_are_the_tiles(operand: &WgmmaOperand) {
    use layout_types::dynamic::{Domain, Nested};
    let domain = operand.tile.domain();
    let shape = domain.modes().len();
    for (i, row) in operand.starts.iter().enumerate() {
        for (j, &start) in row.iter().enumerate() {
            let mut at = vec![i as i64 * operand.rows, j as i64 * operand.columns];
            at.resize(shape, 0);
            let at = Nested::Tuple(
                at.into_iter()
                    .map(|i| Nested::Leaf(layout_types::dynamic::CoordLeaf::At(i)))
                    .collect(),
            );
            let Nested::Leaf(offset) = domain.at(&at).unwrap() else {
                panic!("an offset is a number");
            };
            assert_eq!(start, offset * i64::from(operand.bits) / 8);
        }
    }
}

#[test]
fn tiles_in_notation_are_tiles_as_types() {
    agree(
        &<TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64))>>::VALUE,
        16,
    );
    agree(
        &<TileToShape<LayoutKSw128Atom<f16>, shape!((128, 128, 4))>>::VALUE,
        16,
    );
    agree(
        &<TileToShape<LayoutKSw64Atom<f16>, shape!((64, 64))>>::VALUE,
        16,
    );
    agree(
        &<TileToShape<LayoutKSw32Atom<f16>, shape!((128, 32, 2))>>::VALUE,
        16,
    );
    agree(
        &<TileToShape<LayoutKInterAtom<f16>, shape!((64, 64))>>::VALUE,
        16,
    );
    agree(
        &<TileToShape<LayoutMnSw128Atom<f16>, shape!((128, 64))>>::VALUE,
        16,
    );
    agree(
        &<TileToShape<LayoutMnSw64Atom<f16>, shape!((128, 64, 3))>>::VALUE,
        16,
    );
    agree(
        &<TileToShape<LayoutKSw128Atom<u8>, shape!((128, 128))>>::VALUE,
        8,
    );
    agree(
        &<TileToShape<LayoutKSw128Atom<f32>, shape!((64, 32))>>::VALUE,
        32,
    );
    // These tiles are refused, each in the words of the macros.
    agree(&<layout!((128,512):(512,1))>::VALUE, 16);
    agree(&<layout!((64,60):(60,1))>::VALUE, 16);
    agree(&<layout!((64,64):(65,1))>::VALUE, 16);
    agree(&<layout!((64,64,2):(64,1,4104))>::VALUE, 16);
}

#[test]
fn what_does_not_fit_is_refused_at_its_place() {
    let mut session = Session::new();
    let mut says = |text: &str| session.eval(text).unwrap_err().message();
    assert!(
        says("tma_box((1024,256):(256,1), f16)")
            .ends_with("a CTA has at most 232448 bytes of shared memory")
    );
    assert!(says("tma_box((8,8):(1@0,1@1), f16)").contains("has the stride 1@0"));
    assert!(
        says("tma_box(Sw<2,3,2> o (8,64):(64,1), f16)")
            .contains("has a swizzle that the hardware does not")
    );
    assert!(
        says("wgmma_operand((64,32):(32,1), f32, MajorMN)")
            .contains("MN-major operands of 16-bit elements only")
    );
    assert!(
        says("wgmma_operand((64,32):(32,1), f64, MajorK)").contains("8, 16 and 32 bits, not of 64")
    );
    assert!(says("wgmma_operand((64,64):(64,1), f16, K)").contains("no name"));
    assert!(says("wgmma_operand((64,64):(64,1), f16, 3)").contains("a major is expected here"));
    assert!(says("wgmma_operand((64,64):(64,1), f16, MajorK, 60)").contains("not 60"));
    assert!(says("wgmma_operand((64,64):(64,1), f16, MajorK)").contains("where PTX's layout has"));
}

#[test]
fn fields_lines_and_json_say_the_same() {
    let text = "wgmma_operand(tile_to_shape(Sw<3,3,3> o (8,64):(64,1), (128,64)), f16, MajorK, 64)";
    let value = eval(text).unwrap();
    let lines = notation::describe(&value);
    let last =
        "rows 64 to 127, k block 3: start + 8288, descriptor 0x4000004000010206 of a tile at 0";
    assert_eq!(lines.last().unwrap(), last);
    let json = notation::json::value(&value);
    assert_eq!(json["descriptors"][1][3], "0x4000004000010206");
    assert_eq!(
        (&json["starts"][1][3], &json["stride_byte_offset"]),
        (&8288.into(), &1024.into())
    );
    assert_eq!(json["kind"], "operand of wgmma");

    let value = eval("tma_box(tile_to_shape(Sw<3,3,3> o (8,64):(64,1), (64,128)), f16)").unwrap();
    assert_eq!(
        notation::describe(&value).last().unwrap(),
        "box (0,1) begins at byte 8192"
    );
    let json = notation::json::value(&value);
    assert_eq!(
        (&json["bytes"], &json["tile_bytes"]),
        (&8192.into(), &16384.into())
    );
    assert_eq!(json["swizzle"], "Sw<3,4,3>");
    let Value::TmaTile(tile) = value else {
        panic!("a box")
    };
    assert_eq!((tile.extents(), tile.tma.boxes), ([64, 64], [1, 2]));
}
