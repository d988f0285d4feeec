//! Compares copies of tensor memory with CuTe's print and with the PTX ISA's figures, and
//! descriptors of `tcgen05.mma` with CuTe's.
//!
//! ```text
//!   Copy_Traits<SM100_TMEM_LOAD_16dp256b4x>    ThrID, ValID, SrcLayout, DstLayout, RefLayout
//!   make_umma_desc<Major::K>(tile)             64 bits, and the fragment's layout in units of 16 bytes
//! ```

use half::f16;
use layout_types::atom::element::{FloatE2M1, FloatUE8M0, TFloat32};
use layout_types::atom::gmma::*;
use layout_types::atom::mma::{FrgType, Major, MajorK, MajorMn, SmemDesc};
use layout_types::atom::tmem::fragment::{CtaGroup, OneSm, TwoSm};
use layout_types::atom::tmem::scales::ScaleAtom;
use layout_types::atom::umma::{UmmaOperand, scale_descriptor};
use layout_types::atom::{CopyAtom, Element, copy::*};
use layout_types::check::Reflect;
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::tiled::{MakeTmemCopy, TiledCopyTraits};
use layout_types::typenum::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

type Records = BTreeMap<String, Value>;

fn layouts<A: CopyAtom, Id: LayoutFn>() -> Value {
    json!({
        "thr_id": A::ThrId::default().to_string(),
        "val_id": Id::default().to_string(),
        "src": A::SrcLayout::default().to_string(),
        "dst": A::DstLayout::default().to_string(),
        "ref": A::RefLayout::default().to_string(),
    })
}
fn add<A: TmemCopyAtom>(ours: &mut Records) {
    assert!(
        ours.insert(A::NAME.into(), layouts::<A, A::ValId>())
            .is_none()
    );
    assert_eq!(format!("{:?}", A::default()), A::NAME);
}
fn add_copy<S: UtccpShape, G: CtaGroup>(ours: &mut Records)
where
    Utccp<S, G>: CopyAtom,
{
    let name = <Utccp<S, G> as CopyAtom>::NAME;
    assert!(
        ours.insert(name.into(), layouts::<Utccp<S, G>, S::ValId>())
            .is_none()
    );
}

/// Calls `$each!` with every shape, count and packing of `tcgen05.ld` and `tcgen05.st`.
macro_rules! accesses {
    ($each:ident) => {
        accesses!(@ $each Dp32b32 U1 U2 U4 U8 U16 U32 U64 U128);
        accesses!(@ $each Dp16b64 U1 U2 U4 U8 U16 U32 U64 U128);
        accesses!(@ $each Dp16b32 U1 U2 U4 U8 U16 U32 U64 U128);
        accesses!(@ $each Dp16b128 U1 U2 U4 U8 U16 U32 U64);
        accesses!(@ $each Dp16b256 U1 U2 U4 U8 U16 U32);
    };
    (@ $each:ident $shape:ident $($n:ident)+) => {$(
        $each!($shape, $n, Whole32);
        $each!($shape, $n, Packed16);
    )+};
}

#[test]
fn every_copy_of_cute_is_equal() {
    let mut ours = Records::new();
    macro_rules! both {
        ($shape:ident, $n:ident, $pack:ident) => {
            add::<TmemLoad<$shape, $n, $pack>>(&mut ours);
            add::<TmemStore<$shape, $n, $pack>>(&mut ours);
        };
    }
    accesses!(both);
    macro_rules! copies {
        ($($shape:ident)+) => {$(
            add_copy::<$shape, OneSm>(&mut ours);
            add_copy::<$shape, TwoSm>(&mut ours);
        )+};
    }
    copies!(Dp128b256 Dp128b128 Dp4b256 Dp4x32b128 Dp2x64Lw02_13 Dp2x64Lw01_23);
    let mut seen = 0;
    for line in include_str!("data/tmem_copies.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let cfg = record["cfg"].as_str().unwrap();
        let found = ours
            .remove(cfg)
            .unwrap_or_else(|| panic!("{cfg} is no atom here"));
        assert_eq!(found, record["out"], "{cfg}");
        seen += 1;
    }
    assert!(ours.is_empty(), "no record of {:?}", ours.keys());
    assert_eq!(seen, 160);
    // The atoms have CuTe's names.
    let names = [
        <Sm100_TMEM_LOAD_32dp32b8x as CopyAtom>::NAME,
        <Sm100_TMEM_STORE_16dp128b64x_16b as CopyAtom>::NAME,
        <Sm100_UTCCP_2x64dp128bitlw0123_2cta as CopyAtom>::NAME,
    ];
    let expected = [
        "SM100_TMEM_LOAD_32dp32b8x",
        "SM100_TMEM_STORE_16dp128b64x_16b",
        "SM100_UTCCP_2x64dp128bitlw0123_2cta",
    ];
    assert_eq!(names, expected);
}

#[test]
fn four_warps_share_a_fragment_as_cute_has_it() {
    let mut ours = BTreeMap::new();
    macro_rules! tiled {
        ($($op:ident $t:ty, $text:literal, $m:literal x $n:literal [$($frg:tt)+];)+) => {$({
            type Copy = MakeTmemCopy<$op, $t, layout!($($frg)+)>;
            let facts = json!({
                "tv": <Copy as TiledCopyTraits>::LayoutTv::default().to_string(),
                "tiler": <Copy as TiledCopyTraits>::TilerMn::default().to_string(),
                "frg": <layout!($($frg)+)>::default().to_string(),
            });
            let name = <$op as CopyAtom>::NAME;
            ours.insert(format!("{name}/{}/{}x{}", $text, $m, $n), facts);
        })+};
    }
    tiled! {
        Sm100_TMEM_LOAD_32dp32b8x f32, "1sm f32", 128 x 64 [(128,64):(65536,1)];
        Sm100_TMEM_LOAD_32dp32b32x f32, "1sm f32", 128 x 64 [(128,64):(65536,1)];
        Sm100_TMEM_LOAD_32dp32b64x f32, "1sm f32", 128 x 256 [(128,256):(65536,1)];
        Sm100_TMEM_LOAD_16dp256b4x f32, "1sm f32", 128 x 64 [(128,64):(65536,1)];
        Sm100_TMEM_LOAD_16dp256b4x f32, "1sm f32", 64 x 64 [((16,4),64):((65536,2097152),1)];
        Sm100_TMEM_LOAD_16dp128b8x f32, "1sm f32", 64 x 64 [((16,4),64):((65536,2097152),1)];
        Sm100_TMEM_LOAD_16dp64b16x f32, "1sm f32", 64 x 64 [((16,4),64):((65536,2097152),1)];
        Sm100_TMEM_LOAD_32dp32b8x f32, "2sm f32", 64 x 64 [(64,(32,2)):(65536,(1,4194304))];
        Sm100_TMEM_LOAD_32dp32b8x f32, "2sm f32", 128 x 64 [(128,64):(65536,1)];
        Sm100_TMEM_LOAD_16dp256b2x f32, "2sm f32", 64 x 64 [(64,(32,2)):(65536,(1,4194304))];
        Sm100_TMEM_LOAD_32dp32b8x_16b f16, "1sm f16", 128 x 64 [(128,64):(131072,2)];
        Sm100_TMEM_LOAD_16dp256b4x_16b f16, "1sm f16", 64 x 64 [((16,4),64):((131072,4194304),2)];
        Sm100_TMEM_STORE_32dp32b16x f32, "1sm f32", 128 x 64 [(128,64):(65536,1)];
    }
    let mut seen = 0;
    for line in include_str!("data/tmem_tiled.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let cfg = record["cfg"].as_str().unwrap();
        assert_eq!(ours[cfg], record["out"], "{cfg}");
        seen += 1;
    }
    assert_eq!((seen, ours.len()), (13, 13));
}

/// Returns lane and column of a thread's register by the figures of the PTX ISA, *Data Movement
/// Shape*.
fn by_figure(shape: &str, count: usize, thread: usize, register: usize) -> (usize, usize) {
    let (quad, group, r) = (thread % 4, thread / 4, register);
    match shape {
        "32dp32b" => (thread, r),
        "16dp64b" => (8 * (quad % 2) + group, quad / 2 + 2 * r),
        "16dp128b" => (group + 8 * (r % 2), quad + 4 * (r / 2)),
        "16dp256b" => (group + 8 * (r / 2 % 2), 2 * quad + r % 2 + 8 * (r / 4)),
        // The second half of the columns begins where the first half ends.
        "16dp32b" => (thread % 16, r + thread / 16 * count),
        other => panic!("{other}"),
    }
}

fn places<S: TmemShape, N: Nat, P>()
where
    TmemLoad<S, N, P>: TmemCopyAtom,
{
    type Load<S, N, P> = TmemLoad<S, N, P>;
    let (lanes, bits) = (S::Lanes::USIZE, S::Bits::USIZE * N::USIZE);
    let registers = <Load<S, N, P> as CopyAtom>::DstLayout::SIZE / 32 / 32;
    let packed = <Load<S, N, P> as CopyAtom>::NAME.ends_with("_16b");
    let mut owned = vec![false; lanes * bits];
    for (thread, bit) in (0..32).flat_map(|t| (0..32 * registers).map(move |b| (t, b))) {
        let moved: usize = <Load<S, N, P> as CopyAtom>::DstLayout::index(thread + 32 * bit);
        assert!(!std::mem::replace(&mut owned[moved], true));
        let at: usize = <Load<S, N, P> as TmemCopyAtom>::ValId::index(moved);
        let (lane, column, of_word) = (at >> 21, at % (1 << 21) / 32, at % 32);
        let (expected_lane, mut expected) = by_figure(S::NAME, N::USIZE, thread, bit / 32);
        let mut expected_bit = bit % 32;
        if packed {
            expected = 2 * expected + expected_bit / 16;
            expected_bit %= 16;
        }
        assert_eq!(
            (lane, column, of_word),
            (expected_lane, expected, expected_bit),
            "{}: thread {thread}, bit {bit}",
            <Load<S, N, P> as CopyAtom>::NAME
        );
    }
    assert!(owned.into_iter().all(|owned| owned));
}

#[test]
fn a_thread_has_the_lanes_and_columns_of_the_figures() {
    macro_rules! each {
        ($shape:ident, $n:ident, $pack:ident) => {
            places::<$shape, $n, $pack>();
        };
    }
    accesses!(each);
}

/// Adds a tile's descriptor at address 0, and the offsets of all its operands in units of 16 bytes,
/// found by enumeration.
fn descriptors<Tile, T, Tnsp, Rows>(ours: &mut BTreeMap<String, (String, Vec<u32>)>, cfg: String)
where
    Tile: LayoutFn + Reflect,
    T: Element,
    Tnsp: Major,
    Rows: Nat,
    SmemDesc<Tnsp>: FrgType,
{
    type Of<Tile, T, Tnsp, Rows> = UmmaOperand<Tile, T, Tnsp, Rows>;
    let (m, k) = Of::<Tile, T, Tnsp, Rows>::LAYOUT.fields.blocks;
    let first = Of::<Tile, T, Tnsp, Rows>::descriptor(0, (0, 0), 0);
    let mut starts = Vec::new();
    for (i, j, stage) in
        (0..2).flat_map(|s| (0..k).flat_map(move |j| (0..m).map(move |i| (i, j, s))))
    {
        let descriptor = Of::<Tile, T, Tnsp, Rows>::descriptor(0, (i, j), stage);
        // The descriptors differ only in the start.
        assert_eq!(descriptor.bits() >> 14, first.bits() >> 14);
        starts.push((descriptor.bits() & 0x3fff) as u32);
        let offset = Of::<Tile, T, Tnsp, Rows>::offset((i, j), stage);
        assert_eq!(first.advance(offset).bits(), descriptor.bits());
        brute_force::<Tile, T, Tnsp, Rows>(descriptor.bits(), (i, j), stage);
    }
    let known = ours.insert(cfg, (format!("{:016x}", first.bits()), starts));
    assert!(known.is_none());
}

/// Checks that PTX's canonical layout with the fields of a descriptor places every element where
/// the tile places it.
fn brute_force<Tile, T, Tnsp, Rows>(descriptor: u64, (i, j): (u32, u32), stage: u32)
where
    Tile: LayoutFn,
    T: Element,
    Tnsp: Major,
    Rows: Nat,
{
    let field = |low: u32| ((descriptor >> low & 0x3fff) as usize) << 4;
    let (start, leading, stride) = (field(0), field(16), field(32));
    assert_eq!(descriptor >> 46 & 7, 1);
    // The number of 16-byte units in a row, the number of units that the swizzle keeps together,
    // and the number of swizzle bits.
    let (line, unit, bits) = match descriptor >> 61 {
        0 => (1, 1, 0),
        1 => (8, 2, 2),
        2 => (8, 1, 3),
        4 => (4, 1, 2),
        6 => (2, 1, 1),
        other => panic!("swizzle {other}"),
    };
    let size = T::Bits::USIZE;
    let (t, k_major) = (128 / size, Tnsp::NAME == "K");
    let (rows, columns) = (Rows::USIZE, 256 / size);
    let (all_rows, all_columns) = {
        let sizes = Tile::SIZE / 2;
        let (m, k) = extents::<Tile>();
        assert_eq!(m * k, sizes);
        (m, k)
    };
    for (r, c) in (0..columns).flat_map(|c| (0..rows).map(move |r| (r, c))) {
        // The offset in bits from the start.
        let offset = if k_major {
            let second = if line == 1 { leading } else { 16 };
            (r % 8 * 16 * line + r / 8 * stride + c / t * second) * 8 + c % t * size
        } else {
            let lines = if unit == 2 { 4 } else { 8 };
            let along = t * line;
            // Without a swizzle, the stride is M's and the leading offset is K's.
            let (far_m, far_k) = if line == 1 {
                (stride, leading)
            } else {
                (leading, stride)
            };
            (r / along * far_m + c % lines * 16 * line + c / lines * far_k) * 8 + r % along * size
        };
        let plain = start * 8 + offset;
        // The swizzle exclusive-ors bits from 7 on into bits from 4 on, or from 5 on for units of
        // 32 bytes.
        let mask = (1usize << bits) - 1;
        let into = if unit == 2 { 5 } else { 4 };
        let swizzled = plain ^ ((plain >> 3 >> 7 & mask) << into << 3);
        let index = (i as usize * rows + r)
            + all_rows * ((j as usize * columns + c) + all_columns * stage as usize);
        let of_tile: usize = Tile::index(index);
        assert_eq!(of_tile * size, swizzled, "row {r}, column {c}");
    }
}
/// Returns the rows and columns of a tile with stages.
fn extents<Tile: LayoutFn>() -> (usize, usize) {
    let printed = Tile::default().to_string();
    let shape = printed
        .split(" o ")
        .last()
        .unwrap()
        .split(':')
        .next()
        .unwrap();
    // `((a,b),(c,d),(e,f))`: the products of the first two pairs.
    let pairs: Vec<usize> = shape[1..shape.len() - 1]
        .split("),")
        .map(|pair| {
            let numbers = pair.trim_matches(['(', ')']).split(',');
            numbers.map(|n| n.parse::<usize>().unwrap()).product()
        })
        .collect();
    (pairs[0], pairs[1])
}

/// Returns the offsets of a layout in CuTe's notation, the first mode fastest.
fn offsets(notation: &str) -> Vec<u32> {
    let layout: layout_types::dynamic::DynLayout = notation.parse().unwrap();
    let table = layout.table().unwrap();
    table.into_iter().map(|offset| offset as u32).collect()
}

#[test]
fn every_descriptor_is_cutes_and_names_each_element() {
    let mut ours = BTreeMap::new();
    macro_rules! tile {
        ($name:literal $atom:ident $t:ty, $ty:literal, $major:ty, $m:literal $k:literal $rows:literal) => {
            descriptors::<TileToShape<$atom<$t>, shape!(($m, $k, 2))>, $t, $major, int!($rows)>(
                &mut ours,
                format!("{}/{}/{}x{}x2/{}", $name, $ty, $m, $k, $rows),
            );
        };
    }
    macro_rules! k_major {
        ($t:ty, $ty:literal, $k:literal $twice:literal) => {
            k_major!(@ "K_INTER" LayoutKInterAtom $t, $ty, $k $twice);
            k_major!(@ "K_SW32" LayoutKSw32Atom $t, $ty, $k $twice);
            k_major!(@ "K_SW64" LayoutKSw64Atom $t, $ty, $k $twice);
            k_major!(@ "K_SW128" LayoutKSw128Atom $t, $ty, $k $twice);
        };
        (@ $name:literal $atom:ident $t:ty, $ty:literal, $k:literal $twice:literal) => {
            tile!($name $atom $t, $ty, MajorK, 128 $k 128);
            tile!($name $atom $t, $ty, MajorK, 256 $twice 64);
            tile!($name $atom $t, $ty, MajorK, 192 $k 96);
            tile!($name $atom $t, $ty, MajorK, 64 $k 8);
        };
    }
    k_major!(f16, "f16", 64 128);
    k_major!(TFloat32, "tf32", 32 64);
    k_major!(u8, "u8", 128 256);
    k_major!(FloatE2M1, "e2m1", 256 512);
    macro_rules! mn_major {
        ($($name:literal $atom:ident $t:ty, $ty:literal;)+) => {$(
            tile!($name $atom $t, $ty, MajorMn, 256 64 128);
            tile!($name $atom $t, $ty, MajorMn, 256 128 256);
            tile!($name $atom $t, $ty, MajorMn, 128 32 128);
        )+};
    }
    mn_major! {
        "MN_INTER" LayoutMnInterAtom f16, "f16"; "MN_SW32" LayoutMnSw32Atom f16, "f16";
        "MN_SW64" LayoutMnSw64Atom f16, "f16"; "MN_SW128" LayoutMnSw128Atom f16, "f16";
        "MN_INTER" LayoutMnInterAtom u8, "u8"; "MN_SW32" LayoutMnSw32Atom u8, "u8";
        "MN_SW64" LayoutMnSw64Atom u8, "u8"; "MN_SW128" LayoutMnSw128Atom u8, "u8";
        "MN_SW128_32B" LayoutMnSw128Of32Atom TFloat32, "tf32";
    }
    let (mut seen, mut refused) = (0, 0);
    for line in include_str!("data/umma_descriptors.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let cfg = record["cfg"].as_str().unwrap();
        let Some((descriptor, starts)) = ours.remove(cfg) else {
            // `make_umma_desc` accepts these tiles, but CUTLASS's selector of tiles says that the
            // hardware reads MN-major tf32 in one layout only.
            assert!(cfg.starts_with("MN_") && cfg.contains("/tf32/"), "{cfg}");
            refused += 1;
            continue;
        };
        // Fields that the hardware does not read may differ, but the leading offset of swizzled
        // K-major operands is 1 in both.
        assert_eq!(descriptor, record["out"]["desc"], "{cfg}");
        assert_eq!(
            starts,
            offsets(record["out"]["layout"].as_str().unwrap()),
            "{cfg}"
        );
        seen += 1;
    }
    assert!(ours.is_empty(), "no record of {:?}", ours.keys());
    assert_eq!((seen, refused), (91, 12));
}

/// Checks that a descriptor with another field names other bytes, and that the enumeration finds
/// this.
#[test]
fn a_planted_field_is_found() {
    type Tile = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64, 2))>;
    let right = UmmaOperand::<Tile, f16, MajorK, U128>::descriptor(0, (0, 1), 0).bits();
    brute_force::<Tile, f16, MajorK, U128>(right, (0, 1), 0);
    // The bits belong to the start, the stride and the swizzle.
    for bit in [0, 32, 62] {
        let wrong = right ^ 1 << bit;
        let found =
            std::panic::catch_unwind(|| brute_force::<Tile, f16, MajorK, U128>(wrong, (0, 1), 0));
        assert!(found.is_err(), "bit {bit}");
    }
}

#[test]
fn the_scales_descriptor_names_the_bytes_of_the_atom() {
    let descriptor = scale_descriptor::<FloatUE8M0>(512).bits();
    assert_eq!(descriptor & 0x3fff, 512 >> 4);
    let stride = (descriptor >> 32 & 0x3fff) << 4;
    for (row, factor) in (0..128u64).flat_map(|row| (0..4).map(move |factor| (row, factor))) {
        // Rows r % 32 have 16 bytes each; 8 rows form a group, and groups are a stride apart. A
        // row's word is r / 32, and its byte is k.
        let lane = row % 32;
        let byte = lane % 8 * 16 + lane / 8 * stride + row / 32 * 4 + factor;
        assert_eq!(ScaleAtom::<U32>::at::<u64, _>((row, 32 * factor)), byte);
    }
}
