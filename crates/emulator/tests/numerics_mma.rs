//! Compares `mma.sync` and the matrix moves with plain definitions: a triple loop over matrices
//! that CuTe's own thread-value tables scatter over the lanes, and the tables of its copy atoms.

mod product;
mod random;

use emulator::numerics::mma::{Mma, Order, fragment};
use emulator::numerics::{matrix, rounding::Rounding};
use product::check;
use random::Random;
use std::collections::HashMap;

const CUTE: &str = include_str!("data/cute_fragments.txt");

/// Returns CuTe's tables: configuration -> table name -> layout(i).
fn cute() -> HashMap<&'static str, HashMap<&'static str, Vec<usize>>> {
    let mut out: HashMap<_, HashMap<_, _>> = HashMap::new();
    for line in CUTE.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let (configuration, table) = (words.next().unwrap(), words.next().unwrap());
        let numbers = words.map(|word| word.parse().unwrap()).collect();
        out.entry(configuration).or_default().insert(table, numbers);
    }
    out
}

/// Executes `mma` on registers of either width.
fn execute(mma: &Mma, a: &[[u64; 32]], b: &[[u64; 32]], c: &[[u64; 32]]) -> Vec<[u64; 32]> {
    let mut d = vec![[0u64; 32]; mma.registers().d];
    if mma.registers().bits == 64 {
        mma.execute_wide(a, b, c, &mut d).unwrap();
        return d;
    }
    let narrow = |x: &[[u64; 32]]| {
        x.iter()
            .map(|lanes| lanes.map(|w| w as u32))
            .collect::<Vec<_>>()
    };
    let mut out = vec![[0u32; 32]; mma.registers().d];
    mma.execute(&narrow(a), &narrow(b), &narrow(c), &mut out)
        .unwrap();
    out.iter().map(|lanes| lanes.map(u64::from)).collect()
}

/// Checks every instruction, with matrices scattered by the library's own fragment layouts.
#[test]
fn every_instruction_is_a_triple_loop() {
    let mut random = Random(1);
    let all = Mma::all();
    assert_eq!(all.len(), 12 + 4 + 2 + 2 + 16 + 4 + 24 + 24 + 6);
    for mma in &all {
        for _ in 0..8 {
            if mma.is_volta() {
                let product = fragment::volta_product;
                check(
                    mma,
                    [
                        &|l, v| {
                            let (row, k) = fragment::volta_a(mma.a_order, l, v);
                            (product(l), row, k)
                        },
                        &|l, v| {
                            let (k, column) = fragment::volta_b(mma.b_order, l, v);
                            (product(l), k, column)
                        },
                        &|l, v| {
                            let (row, column) = fragment::volta_c(mma.c, l, v);
                            (product(l), row, column)
                        },
                        &|l, v| {
                            let (row, column) = fragment::volta_c(mma.d, l, v);
                            (product(l), row, column)
                        },
                    ],
                    &mut random,
                    &execute,
                );
            } else {
                let c = |l, v| {
                    let (row, column) = fragment::c(l, v);
                    (0, row, column)
                };
                check(
                    mma,
                    [
                        &|l, v| {
                            let (row, k) = fragment::a(mma, l, v);
                            (0, row, k)
                        },
                        &|l, v| {
                            let (k, column) = fragment::b(mma, l, v);
                            (0, k, column)
                        },
                        &c,
                        &c,
                    ],
                    &mut random,
                    &execute,
                );
            }
        }
    }
}

/// Returns the instruction of CuTe's atom with that name (`SM80_16x8x16_F32F16F16F32_TN`).
fn atom(name: &str) -> Mma {
    let parts: Vec<&str> = name.split('_').collect();
    let sizes: Vec<&str> = parts[1].split('x').collect();
    let mut types = Vec::new();
    let mut rest = parts[2];
    while !rest.is_empty() {
        let known = ["BF16", "TF32", "F16", "F32", "F64", "S32", "S8", "S4"];
        let found = known.into_iter().find(|t| rest.starts_with(t)).unwrap();
        types.push(found.to_lowercase());
        rest = &rest[found.len()..];
    }
    let layouts = if parts[3] == "TN" {
        "row.col"
    } else {
        "col.row"
    };
    Mma::parse(&format!(
        "mma.sync.aligned.m{}n{}k{}.{layouts}.{}",
        sizes[0],
        sizes[1],
        sizes[2],
        types.join(".")
    ))
    .unwrap()
}

/// Checks the atoms that CuTe printed, with matrices scattered by CuTe's tables, which state the
/// fragment layouts independently.
#[test]
fn cute_atoms_are_triple_loops_over_cute_layouts() {
    let mut random = Random(2);
    let tables = &cute();
    let mut atoms = 0;
    for (name, table) in tables
        .iter()
        .filter(|(_, table)| table.contains_key("ThrID"))
    {
        let mma = atom(name);
        atoms += 1;
        let threads = table["ThrID"].len();
        // Maps a lane to (product, the atom's thread). The four products of m8n8k4 use the atom's
        // lanes, 4 apart.
        let thread = &|lane: usize| {
            (0..32 / threads)
                .find_map(|product| {
                    let at = table["ThrID"]
                        .iter()
                        .position(|&id| id + 4 * product == lane)?;
                    Some((product, at))
                })
                .unwrap()
        };
        let place = |which: &'static str, rows: usize, swap: bool| {
            move |lane: usize, value: usize| {
                let (product, thread) = thread(lane);
                let at = tables[name][which][thread + threads * value];
                let (i, j) = (at % rows, at / rows);
                if swap {
                    (product, j, i)
                } else {
                    (product, i, j)
                }
            }
        };
        // CuTe's B is n + N * k, and ours is (k, n).
        let a = place("ALayout", mma.shape.m, false);
        let b = place("BLayout", mma.shape.n, true);
        let c = place("CLayout", mma.shape.m, false);
        for _ in 0..8 {
            check(&mma, [&a, &b, &c, &c], &mut random, &execute);
        }
    }
    assert_eq!(atoms, 18);
}

#[test]
fn fragments_are_one_to_one_and_onto() {
    for mma in Mma::all().iter().filter(|mma| !mma.is_volta()) {
        let need = mma.registers();
        let per = fragment::per_register(mma);
        let mut a = vec![0; mma.shape.m * mma.shape.k];
        let mut b = vec![0; mma.shape.n * mma.shape.k];
        for lane in 0..32 {
            for value in 0..need.a * per {
                let (row, k) = fragment::a(mma, lane, value);
                a[row * mma.shape.k + k] += 1;
            }
            for value in 0..need.b * per {
                let (k, column) = fragment::b(mma, lane, value);
                b[k * mma.shape.n + column] += 1;
            }
        }
        assert!(a.iter().chain(&b).all(|&count| count == 1), "{mma}");
    }
}

#[test]
fn names_are_read_back() {
    for mma in Mma::all() {
        assert_eq!(Mma::parse(&mma.to_string()), Ok(mma));
    }
    for wrong in [
        "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32",
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.tf32.f32",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f32",
        "wgmma.mma_async",
    ] {
        assert!(Mma::parse(wrong).is_err(), "{wrong}");
    }
}

/// Checks inexact sums: the sum in f64 is rounded once, as the module's documentation says.
#[test]
fn float_sums_are_rounded_once() {
    let mma = Mma::parse("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32").unwrap();
    // 1 + 8 * 2^-28: in f32, step by step, every addend is lost; rounded once, the sum is 1 +
    // 2^-25, which rounds to 1. With 2^-24 as C's last place the sum is rounded up.
    let small = half::f16::from_f32(2f32.powi(-14)).to_bits() as u32 * 0x1_0001;
    let mut d = [[0; 32]; 4];
    let one_and_half_place = [[1.0f32.to_bits(); 32]; 4];
    mma.execute(
        &[[small; 32]; 2],
        &[[small; 32]; 1],
        &one_and_half_place,
        &mut d,
    )
    .unwrap();
    assert_eq!(d[0][0], 1.0f32.to_bits());
    let mma = Mma::parse("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").unwrap();
    let larger = half::f16::from_f32(1.25 * 2f32.powi(-14)).to_bits() as u32 * 0x1_0001;
    mma.execute(
        &[[small; 32]; 4],
        &[[larger; 32]; 2],
        &one_and_half_place,
        &mut d,
    )
    .unwrap();
    assert_eq!(d[3][31], 1.0f32.to_bits() + 1);
    // Checks infinity times zero, and infinities of both signs.
    let mut a = [[0; 32]; 4];
    a[0][0] = 0x7c00;
    mma.execute(&a, &[[0; 32]; 2], &[[0; 32]; 4], &mut d)
        .unwrap();
    assert_eq!((d[0][0], d[2][0]), (0x7fff_ffff, 0));
}

/// Checks that f64 rounds each step in the instruction's mode.
#[test]
fn double_steps_round_as_asked() {
    let third = (1.0f64 / 3.0).to_bits();
    let run = |mode: &str| {
        let name = format!("mma.sync.aligned.m16n8k16.row.col{mode}.f64.f64.f64.f64");
        let mma = Mma::parse(&name).unwrap();
        let mut d = vec![[0; 32]; 4];
        mma.execute_wide(&[[third; 32]; 8], &[[third; 32]; 4], &[[0; 32]; 4], &mut d)
            .unwrap();
        f64::from_bits(d[1][7])
    };
    let chain = (0..16).fold(0.0f64, |sum, _| (1.0f64 / 3.0).mul_add(1.0 / 3.0, sum));
    assert_eq!(run(""), chain);
    assert!(run(".rm") < run(".rp") && run(".rm") == run(".rz"));
    let mma = Mma::parse("mma.sync.aligned.m8n8k4.row.col.rp.f64.f64.f64.f64").unwrap();
    assert_eq!(mma.rounding, Rounding::Up);
}

#[test]
fn wrong_registers_are_errors() {
    let mma = Mma::parse("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16").unwrap();
    let message = mma
        .execute(
            &[[0; 32]; 4],
            &[[0; 32]; 1],
            &[[0; 32]; 2],
            &mut [[0; 32]; 2],
        )
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("operand b")
            && message.contains("has 1 registers")
            && message.contains("takes 2")
    );
    let double = Mma::parse("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64").unwrap();
    let message = double
        .execute(
            &[[0; 32]; 1],
            &[[0; 32]; 1],
            &[[0; 32]; 2],
            &mut [[0; 32]; 2],
        )
        .unwrap_err();
    assert!(message.to_string().contains("64 bits"));
    assert_eq!(mma.a_order, Order::Row);
}

/// Compares ldmatrix and stmatrix with the thread-value tables of CuTe's copy atoms. The source of
/// a load and the destination of a store state the row that a lane addresses, and the other side
/// the elements that its registers hold.
#[test]
fn matrix_moves_follow_cute_copy_atoms() {
    let tables = cute();
    let mut atoms = 0;
    for (name, table) in tables
        .iter()
        .filter(|(_, table)| table.contains_key("ValSrc"))
    {
        atoms += 1;
        let store = name.contains("STSM");
        let trans = name.ends_with("_T");
        let halves = if trans { 1 } else { 2 };
        let digits = name
            .split('x')
            .nth(1)
            .unwrap()
            .chars()
            .take_while(char::is_ascii_digit);
        let count = digits.collect::<String>().parse::<usize>().unwrap() * halves / 2;
        let (rows_table, registers_table) = if store {
            (&table["ValDst"], &table["ValSrc"])
        } else {
            (&table["ValSrc"], &table["ValDst"])
        };
        // Elements are numbered; row r of matrix j is at the address of lane 8j + r.
        let rows: Vec<matrix::Row> = (0..8 * count)
            .map(|lane| {
                let element = |v: usize| rows_table[lane + 32 * v] as u32;
                std::array::from_fn(|w| element(2 * w) | element(2 * w + 1) << 16)
            })
            .collect();
        for j in 0..count {
            let eight: [matrix::Row; 8] = rows[8 * j..8 * j + 8].try_into().unwrap();
            let expected: [u32; 32] = std::array::from_fn(|lane| {
                let value = |v: usize| registers_table[lane + 32 * (2 * j + v)] as u32;
                value(0) | value(1) << 16
            });
            assert_eq!(matrix::load(&eight, trans), expected, "{name}");
            assert_eq!(matrix::store(&expected, trans), eight, "{name}");
            let moved = matrix::transpose(&matrix::load(&eight, false));
            assert_eq!(moved, matrix::load(&eight, true));
            assert_eq!(matrix::transpose(&moved), matrix::load(&eight, false));
        }
    }
    assert_eq!(atoms, 12);
}
