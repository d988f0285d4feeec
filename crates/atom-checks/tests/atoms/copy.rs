//! Checks that the copy atoms give the bits that went in, in the layouts' order and lane by lane.

use atom_checks::MODULES;
use atom_checks::place::places;
use host::reference::{Random, fill_bits};

/// Returns the halves of 16 bits that lane `lane` holds in register `register`. They belong to
/// matrix `register`, which has 8 rows of 8 halves, one after the other. They are two neighbours in
/// a row, or in a column if `transposed` (PTX ISA, the figure of `ldmatrix`).
fn held(source: &[u16], register: usize, lane: usize, transposed: bool) -> [u16; 2] {
    let (line, pair) = (lane / 4, 2 * (lane % 4));
    [pair, pair + 1].map(|i| {
        let (row, column) = if transposed { (i, line) } else { (line, i) };
        source[64 * register + 8 * row + column]
    })
}

/// Returns the matrix atoms: architecture, name, the number of matrices, and whether lanes hold
/// columns.
fn matrices() -> Vec<(usize, String, usize, bool)> {
    let mut all = Vec::new();
    for (sm, instruction) in [(75, "LDSM"), (90, "STSM")] {
        for count in [1, 2, 4] {
            all.push((
                sm,
                format!("Sm{sm}_U32x{count}_{instruction}_N"),
                count,
                false,
            ));
            all.push((
                sm,
                format!("Sm{sm}_U16x{}_{instruction}_T", 2 * count),
                count,
                true,
            ));
        }
    }
    // `movmatrix` returns the transposed matrix.
    all.push((75, "Sm75_U32x1_MOVM_T".into(), 1, true));
    all
}

#[test]
fn matrices_keep_their_bits_and_lanes_hold_what_ptx_says() {
    for place in places() {
        let mut run = 0;
        for (sm, name, count, transposed) in matrices() {
            if sm > place.sm {
                continue;
            }
            for seed in 0..4 {
                let source: Vec<u16> = fill_bits(seed, 64 * count);
                let device = place.device();
                let from = device.upload(&source).unwrap();
                let mut result = device.upload(&vec![0_u16; 64 * count]).unwrap();
                let mut lanes = device.upload(&vec![0_u16; 64 * count]).unwrap();
                crate::run(place, &name, (&mut result, &mut lanes, &from));
                assert_eq!(result.to_vec().unwrap(), source, "{name}, {}", place.name());
                let expected: Vec<u16> = (0..32)
                    .flat_map(|lane| (0..count).map(move |register| (register, lane)))
                    .flat_map(|(register, lane)| held(&source, register, lane, transposed))
                    .collect();
                assert_eq!(
                    lanes.to_vec().unwrap(),
                    expected,
                    "{name}, {}",
                    place.name()
                );
            }
            run += 1;
        }
        println!("{}: {run} matrix copies", place.name());
        assert_eq!(run, if place.sm == 80 { 7 } else { 13 });
    }
}

/// The asynchronous copies: the kernel, the number of bytes of one copy, and whether a false
/// predicate writes zeros.
const ASYNC: [(&str, usize, bool); 8] = [
    ("cp_async_cachealways_4", 4, false),
    ("cp_async_cachealways_8", 8, false),
    ("cp_async_cachealways_16", 16, false),
    ("cp_async_cacheglobal_16", 16, false),
    ("cp_async_cachealways_zfill_4", 4, true),
    ("cp_async_cachealways_zfill_8", 8, true),
    ("cp_async_cachealways_zfill_16", 16, true),
    ("cp_async_cacheglobal_zfill_16", 16, true),
];

#[test]
fn asynchronous_copies_keep_bits_and_predicates() {
    for place in places() {
        for (name, bytes, zfill) in ASYNC {
            // The predicate holds for all lanes, for none, and for some.
            for seed in 0..6 {
                let mut random = Random::new(seed);
                let inside: Vec<u8> = (0..32)
                    .map(|_| match seed {
                        0 => 1,
                        1 => 0,
                        _ => random.below(2) as u8,
                    })
                    .collect();
                let source: Vec<u8> = fill_bits(2 * seed, 32 * bytes);
                let old: Vec<u8> = fill_bits(2 * seed + 1, 32 * bytes);
                let device = place.device();
                let mut result = device.upload(&old).unwrap();
                let (from, predicates) = (
                    device.upload(&source).unwrap(),
                    device.upload(&inside).unwrap(),
                );
                crate::run(place, name, (&mut result, &from, &predicates));
                let expected: Vec<u8> = (0..32 * bytes)
                    .map(|i| match (inside[i / bytes], zfill) {
                        (1, _) => source[i],
                        (_, true) => 0,
                        (_, false) => old[i],
                    })
                    .collect();
                assert_eq!(
                    result.to_vec().unwrap(),
                    expected,
                    "{name}, {}, {seed}",
                    place.name()
                );
            }
        }
        println!("{}: {} asynchronous copies", place.name(), ASYNC.len());
    }
}

#[test]
fn plain_copies_keep_bits() {
    for place in places() {
        for bits in [8, 16, 32, 64, 128] {
            for kind in ["universal_copy", "auto_vectorizing_copy"] {
                let source: Vec<u8> = fill_bits(bits as u64, 32 * bits / 8);
                let device = place.device();
                let from = device.upload(&source).unwrap();
                let mut result = device.upload(&vec![0_u8; source.len()]).unwrap();
                let name = format!("{kind}_{bits}");
                crate::run(place, &name, (&mut result, &from));
                assert_eq!(result.to_vec().unwrap(), source, "{name}, {}", place.name());
            }
        }
        println!("{}: 10 plain copies", place.name());
    }
}

/// Checks that one of these tests runs every kernel of the modules.
#[test]
fn no_kernel_is_left_out() {
    for module in MODULES {
        // The algorithms on tensors have tests of their own.
        let tensors = module.ptx.matches(".visible .entry tensor_").count();
        let entries = module.ptx.matches(".visible .entry ").count() - tensors;
        let mma = if module.sm == 80 { 73 } else { 84 };
        let matrices = matrices().iter().filter(|atom| atom.0 <= module.sm).count();
        // Six kernels are multiply-adds, ten plain copies, and two chains.
        assert_eq!(
            entries,
            mma + matrices + ASYNC.len() + 6 + 10 + 2,
            "sm_{}",
            module.sm
        );
    }
}
