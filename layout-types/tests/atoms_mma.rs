//! Compares MMA atoms with CuTe's print and with the PTX ISA's figures.

mod atoms_records;

use atoms_records::{compare_layout, field, records};
use layout_types::atom::mma::*;
use layout_types::atom::{LayoutFacts, MmaAtom};
use std::collections::BTreeMap;

/// Returns every atom that CuTe's records have, by its name in the records.
fn atoms() -> Vec<(&'static str, MmaFacts)> {
    let mut atoms: Vec<_> = MMA_SYNC
        .concat()
        .into_iter()
        .map(|facts| (facts.name, facts))
        .collect();
    atoms.extend([
        ("UniversalFMA<float>", MmaFacts::of::<UniversalFma<f32>>()),
        (
            "SM90_64x64x16_F32F16F16_SS_KK",
            MmaFacts::of::<Sm90_64x64x16_F32F16F16_SS>(),
        ),
        (
            "SM90_64x128x16_F32F16F16_SS_KK",
            MmaFacts::of::<Sm90_64x128x16_F32F16F16_SS>(),
        ),
        (
            "SM90_64x256x16_F32F16F16_SS_KK",
            MmaFacts::of::<Sm90_64x256x16_F32F16F16_SS>(),
        ),
        (
            "SM90_64x128x16_F32F16F16_RS_KK",
            MmaFacts::of::<Sm90_64x128x16_F32F16F16_RS>(),
        ),
        (
            "SM90_64x128x16_F32BF16BF16_SS_KK",
            MmaFacts::of::<Sm90_64x128x16_F32BF16BF16_SS>(),
        ),
    ]);
    atoms
}

#[test]
fn every_record_of_cute_is_equal_as_printed_and_by_table() {
    let atoms: BTreeMap<_, _> = atoms().into_iter().collect();
    let records: Vec<_> = records(include_str!("data/atoms_mma.jsonl")).collect();
    assert_eq!(records.len(), 120);
    for record in &records {
        let (what, cfg) = (field(record, "what"), field(record, "cfg"));
        let atom = atoms.get(cfg).unwrap_or_else(|| panic!("no atom {cfg}"));
        let layout = match what {
            "mma.Shape_MNK" => {
                assert_eq!(atom.shape_mnk().to_string(), record["out"], "{cfg}");
                continue;
            }
            "mma.ThrID" => &atom.thr_id,
            "mma.ALayout" => &atom.a,
            "mma.BLayout" => &atom.b,
            "mma.CLayout" => &atom.c,
            other => panic!("{other}"),
        };
        compare_layout(layout, record);
    }
}

#[test]
fn operands_in_registers_are_held_exactly_once() {
    for (name, atom) in atoms() {
        let [m, n, k] = atom.shape;
        for (layout, size) in [(&atom.a, m * k), (&atom.b, n * k), (&atom.c, m * n)] {
            let mut owners = vec![0; size];
            for i in 0..layout.size {
                owners[(layout.index)(i)] += 1;
            }
            // The elements of a descriptor belong to every thread of the warp group.
            let each = layout.size / size;
            assert!(
                owners.iter().all(|&owner| owner == each),
                "{name}: {layout}"
            );
            assert!(
                each == 1 || each == 128 && name.starts_with("SM90_64x"),
                "{name}: {layout}"
            );
        }
    }
}

/// Compares the atoms with the PTX ISA's figures for `mma.sync` with A in rows and B in columns. In
/// lane `4 g + t`, 32-bit registers (64-bit for f64) hold neighbours along k; `g` is the row of A
/// and C and the column of B.
#[test]
fn the_dense_atoms_are_the_figures_of_the_ptx_isa() {
    let bits = |format: &str| match format {
        "f64" => 64,
        "tf32" => 32,
        "f16" | "bf16" => 16,
        "e4m3" | "e5m2" | "s8" | "u8" => 8,
        "s4" | "u4" => 4,
        "b1" => 1,
        other => panic!("{other}"),
    };
    let mut seen = 0;
    for atom in MMA_SYNC[1..].concat() {
        let [m, n, k] = atom.shape;
        seen += 1;
        for lane in 0..32 {
            let (g, t) = (lane / 4, lane % 4);
            let at = |layout: &LayoutFacts, value: usize| (layout.index)(lane + 32 * value);
            for (layout, rows, format, values) in [
                (&atom.a, m, atom.types[1], atom.values[0]),
                (&atom.b, n, atom.types[2], atom.values[1]),
            ] {
                let run = (32 / bits(format)).max(1);
                for value in 0..values {
                    let (element, register) = (value % run, value / run);
                    let (low_row, quarter) = (register % (rows / 8), register / (rows / 8));
                    let (row, column) = (g + 8 * low_row, run * t + element + 4 * run * quarter);
                    assert!(column < k);
                    assert_eq!(
                        at(layout, value),
                        row + rows * column,
                        "{} lane {lane} value {value}",
                        atom.name
                    );
                }
            }
            for value in 0..atom.values[2] {
                let (row, column) = (g + 8 * (value / 2), 2 * t + value % 2);
                assert_eq!(
                    at(&atom.c, value),
                    row + m * column,
                    "{} lane {lane} value {value}",
                    atom.name
                );
            }
        }
    }
    assert_eq!(seen, 2 + 9 + 48 + 6 + 8 + 3);
}

/// Compares the atoms with the PTX ISA's figures for `mma.m8n8k4` on f16. A warp computes four
/// products, each with one quad pair; the atom is the first product.
#[test]
fn the_volta_atoms_are_the_figures_of_the_ptx_isa() {
    for atom in SM70 {
        let (a_row, b_column) = (atom.ptx.contains("k4.row"), atom.ptx.contains(".col.f"));
        for thread in 0..8 {
            let lane = (atom.thr_id.index)(thread);
            assert_eq!(lane, thread % 4 + 16 * (thread / 4));
            for i in 0..4 {
                // If A is in rows, a lane holds row lane % 4, or the row 4 below if the lane is 16
                // or more. If A is in columns, a lane holds column lane % 4, and its value i is in
                // row i, or 4 below for the same lanes.
                let below = if lane >= 16 { 4 } else { 0 };
                let a = if a_row {
                    (lane % 4 + below, i)
                } else {
                    (i + below, lane % 4)
                };
                assert_eq!(
                    (atom.a.index)(thread + 8 * i),
                    a.0 + 8 * a.1,
                    "{}",
                    atom.name
                );
                let b = if b_column {
                    (lane % 4 + below, i)
                } else {
                    (i + below, lane % 4)
                };
                assert_eq!(
                    (atom.b.index)(thread + 8 * i),
                    b.0 + 8 * b.1,
                    "{}",
                    atom.name
                );
            }
            for i in 0..8 {
                let (row, column) = if atom.types[0] == "f16" {
                    (lane % 4 + if lane >= 16 { 4 } else { 0 }, i)
                } else {
                    let row = (lane & 1) + (i & 2) + if lane >= 16 { 4 } else { 0 };
                    (row, (i & 4) + (lane & 2) + (i & 1))
                };
                assert_eq!(
                    (atom.c.index)(thread + 8 * i),
                    row + 8 * column,
                    "{} lane {lane} value {i}",
                    atom.name
                );
            }
        }
    }
}

#[test]
fn wgmma_says_which_operand_is_behind_a_descriptor() {
    type Ss = Sm90_64x256x16_F32F16F16_SS<MajorK, MajorMn>;
    type Rs = Sm90_64x256x16_F32F16F16_RS;
    fn descriptors<Atom: MmaAtom>() -> (bool, bool) {
        (Atom::FrgTypeA::IS_DESCRIPTOR, Atom::FrgTypeB::IS_DESCRIPTOR)
    }
    assert_eq!(descriptors::<Ss>(), (true, true));
    assert_eq!(descriptors::<Rs>(), (false, true));
    assert_eq!(
        descriptors::<Sm80_16x8x16_F32F16F16F32_TN>(),
        (false, false)
    );
    assert_eq!(
        format!("{:?}", Ss::default()),
        "SM90_64xNx16_F32F16F16_SS with N = 256"
    );
}
