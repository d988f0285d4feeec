//! Compares descriptors and boxes with CuTe's own: `data/gmma_tma.jsonl`, which `data/gmma_tma.cu`
//! printed on an H200.
//!
//! ```text
//!   tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>, (128,64))
//!     make_fragment_A(partition_A(sA))     64-bit descriptors of all (MMA_M,MMA_K)  ==  Operand::descriptor
//!     make_tma_copy(SM90_TMA_LOAD, ..)     cuTensorMapEncodeTiled's box and swizzle ==  TmaTile::BOX
//! ```

use half::f16;
use layout_types::atom::Element;
use layout_types::atom::element::TFloat32;
use layout_types::atom::gmma::*;
use layout_types::atom::mma::*;
use layout_types::atom::smem_operand::{Operand, TmaTile};
use layout_types::check::Reflect;
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tensor::Shared;
use layout_types::tiled::TiledMma;
use layout_types::typenum::{U64, U128, U256};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The results that we derive for tiles, in the form of the records: `key` to (descriptors at base
/// 1024, box, swizzle).
type Ours = BTreeMap<String, (Value, Value, Value)>;

fn key(atom: &str, ty: &str, m: u64, k: u64, rows: u64) -> String {
    format!("{atom} {ty} ({m},{k}) by {rows}")
}

fn add<Tile, T, Tnsp, Rows>(ours: &mut Ours, atom: &str, ty: &str, m: u64, k: u64)
where
    Tile: LayoutFn + Reflect,
    T: Element,
    Tnsp: Major,
    Rows: Nat,
    SmemDesc<Tnsp>: FrgType,
{
    let (across, down) = Operand::<Tile, T, Tnsp, Rows>::LAYOUT.blocks;
    let descriptors: Vec<String> = (0..down)
        .flat_map(|j| (0..across).map(move |i| (i, j)))
        .map(|block| Operand::<Tile, T, Tnsp, Rows>::descriptor(1024, block, 0).bits())
        .map(|bits| format!("{bits:016x}"))
        .collect();
    let tma = TmaTile::<Tile, T>::BOX;
    let extents = [tma.extents[tma.inner], tma.extents[1 - tma.inner]];
    let key = key(atom, ty, m, k, Rows::U64);
    let known = ours.insert(
        key,
        (
            json!(descriptors),
            json!(extents),
            json!(tma.swizzle.bits()),
        ),
    );
    assert!(known.is_none());
}

fn ours() -> Ours {
    let mut ours = Ours::new();
    macro_rules! tiles {
        ($($atom:ident $name:literal $t:ty, $ty:literal, $major:ty, [$($k:literal)*];)*) => {$($(
            tiles!(@ $atom $name $t, $ty, $major, 64 $k, U64);
            tiles!(@ $atom $name $t, $ty, $major, 128 $k, U64 U128);
            tiles!(@ $atom $name $t, $ty, $major, 256 $k, U64 U128 U256);
        )*)*};
        (@ $atom:ident $name:literal $t:ty, $ty:literal, $major:ty, $m:literal $k:literal, $($rows:ty)*) => {
            $(add::<TileToShape<$atom<$t>, shape!(($m, $k))>, $t, $major, $rows>(&mut ours, $name, $ty, $m, $k);)*
        };
    }
    tiles! {
        LayoutKInterAtom "K_INTER" f16, "f16", MajorK, [16 64];
        LayoutKSw32Atom "K_SW32" f16, "f16", MajorK, [16 64];
        LayoutKSw64Atom "K_SW64" f16, "f16", MajorK, [32 64];
        LayoutKSw128Atom "K_SW128" f16, "f16", MajorK, [64 128];
        LayoutKInterAtom "K_INTER" TFloat32, "tf32", MajorK, [8 32];
        LayoutKSw32Atom "K_SW32" TFloat32, "tf32", MajorK, [8 32];
        LayoutKSw64Atom "K_SW64" TFloat32, "tf32", MajorK, [16 32];
        LayoutKSw128Atom "K_SW128" TFloat32, "tf32", MajorK, [32 64];
        LayoutKInterAtom "K_INTER" i8, "s8", MajorK, [32 128];
        LayoutKSw32Atom "K_SW32" i8, "s8", MajorK, [32 128];
        LayoutKSw64Atom "K_SW64" i8, "s8", MajorK, [64 128];
        LayoutKSw128Atom "K_SW128" i8, "s8", MajorK, [128 256];
        LayoutMnInterAtom "MN_INTER" f16, "f16", MajorMn, [16 64];
        LayoutMnSw32Atom "MN_SW32" f16, "f16", MajorMn, [16 64];
        LayoutMnSw64Atom "MN_SW64" f16, "f16", MajorMn, [16 64];
        LayoutMnSw128Atom "MN_SW128" f16, "f16", MajorMn, [16 64];
    }
    ours
}

#[test]
fn every_descriptor_and_box_is_cutes() {
    let ours = ours();
    let mut seen = 0;
    for line in include_str!("data/gmma_tma.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| record[name].as_str().unwrap();
        let number = |value: &Value| value.as_u64().unwrap();
        let (m, k) = (number(&record["tile"][0]), number(&record["tile"][1]));
        let key = key(text("atom"), text("type"), m, k, number(&record["rows"]));
        let (descriptors, extents, swizzle) = &ours[&key];
        assert_eq!(number(&record["base"]), 1024);
        assert_eq!(
            *descriptors,
            record["descriptors"],
            "{key} as operand {}",
            text("operand")
        );
        assert_eq!(
            (extents, swizzle),
            (&record["box"], &record["swizzle"]),
            "{key}"
        );
        seen += 1;
    }
    // A, and B with 64 rows, have the same results.
    assert_eq!((seen, ours.len()), (288, 192));
}

/// Checks that `partition_descriptors_a` and `_b` of these tiles are the fragments that CuTe makes,
/// in layout and descriptors.
#[test]
fn fragments_of_descriptors_are_cutes() {
    macro_rules! fragments {
        ($($line:literal $mma:ty, $partition:ident, $atom:ident, $t:ty, ($m:literal, $k:literal);)*) => {$({
            type Tile = TileToShape<$atom<$t>, shape!(($m, $k))>;
            // SAFETY: nothing is accessed: descriptors are only computed.
            let tile = unsafe { Tensor::<Shared<$t>, Tile>::shared(1024) };
            let fragment = TiledMma::<$mma, layout!((1,1,1))>::get_slice(0).$partition(&tile);
            let mut records = include_str!("data/gmma_tma.jsonl").lines();
            let record = records.find(|line| line.starts_with($line)).expect("the record");
            let record: Value = serde_json::from_str(record).unwrap();
            assert_eq!(record["fragment"], fragment.layout().to_string(), "{}", $line);
            let (m, k) = (fragment.size::<1>() as u32, fragment.size::<2>() as u32);
            let bits = (0..k).flat_map(|k| (0..m).map(move |m| fragment.get((0, m, k)).bits()));
            let found: Vec<String> = bits.map(|bits| format!("{bits:016x}")).collect();
            assert_eq!(record["descriptors"], json!(found), "{}", $line);
        })*};
    }
    fragments! {
        r#"{"atom":"K_SW128","type":"f16","tile":[128,64],"operand":"A","rows":64,"#
            Sm90_64x64x16_F32F16F16_SS, partition_descriptors_a, LayoutKSw128Atom, f16, (128, 64);
        r#"{"atom":"K_SW128","type":"f16","tile":[256,128],"operand":"B","rows":128,"#
            Sm90_64x128x16_F32F16F16_SS, partition_descriptors_b, LayoutKSw128Atom, f16, (256, 128);
        r#"{"atom":"K_INTER","type":"f16","tile":[256,64],"operand":"A","rows":64,"#
            Sm90_64x64x16_F32F16F16_SS, partition_descriptors_a, LayoutKInterAtom, f16, (256, 64);
        r#"{"atom":"K_SW64","type":"tf32","tile":[128,32],"operand":"B","rows":64,"#
            Sm90_64x64x8_F32TF32TF32_SS_TN, partition_descriptors_b, LayoutKSw64Atom, TFloat32, (128, 32);
        r#"{"atom":"K_SW32","type":"s8","tile":[256,128],"operand":"B","rows":256,"#
            Sm90_64x256x32_S32S8S8_SS_TN, partition_descriptors_b, LayoutKSw32Atom, i8, (256, 128);
        r#"{"atom":"MN_SW128","type":"f16","tile":[256,64],"operand":"B","rows":128,"#
            Sm90_64x128x16_F32F16F16_SS<MajorMn, MajorMn>, partition_descriptors_b, LayoutMnSw128Atom, f16, (256, 64);
        r#"{"atom":"MN_INTER","type":"f16","tile":[128,64],"operand":"A","rows":64,"#
            Sm90_64x64x16_F32F16F16_SS<MajorMn, MajorMn>, partition_descriptors_a, LayoutMnInterAtom, f16, (128, 64);
    }
}
