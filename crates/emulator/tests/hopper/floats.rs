//! Compares 32-bit floats through tensor maps of FLOAT32, FLOAT32_FTZ, TFLOAT32 and TFLOAT32_FTZ
//! with an H200.
//!
//! ```text
//!   load x     tensor ─► shared memory        rounded to .tf32 by the last two
//!   store x    shared memory ─► tensor        as it is
//!   add x y    tensor x + box y ─► tensor     flushed by FLOAT32_FTZ and TFLOAT32_FTZ
//! ```

use super::bulk::{SCHEDULES, Tensors, loading, mapped};
use emulator::{TensorElement, TensorMap};

const KINDS: [TensorElement; 4] = [
    TensorElement::F32,
    TensorElement::F32Ftz,
    TensorElement::Tf32,
    TensorElement::Tf32Ftz,
];
/// The number of elements of a box.
const BOX: usize = 256;

/// Returns the operands of an operation, and the H200's result for each of [`KINDS`].
fn measured(operation: &str, operands: usize) -> Vec<(Vec<u32>, [u32; 4])> {
    let text = include_str!("../data/h200_tensor_map_floats.txt");
    let lines = text.lines().filter_map(|line| line.strip_prefix(operation));
    let rows = lines.map(|line| {
        let numbers = line
            .split_whitespace()
            .map(|n| u32::from_str_radix(n, 16).unwrap());
        let numbers: Vec<u32> = numbers.collect();
        let (given, found) = numbers.split_at(operands);
        (given.to_vec(), <[u32; 4]>::try_from(found).unwrap())
    });
    rows.collect()
}

fn bytes(numbers: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    bytes.resize(bytes.len().next_multiple_of(4 * BOX), 0);
    bytes
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn map(element: TensorElement, bench: &Tensors, elements: usize) -> TensorMap {
    TensorMap::new(
        element,
        bench.tensor,
        &[elements as u64],
        &[],
        &[BOX as u32],
    )
}

#[test]
fn a_load_rounds_as_an_h200_does() {
    let rows = measured("load ", 1);
    assert!(rows.len() > 400);
    let tensor = bytes(rows.iter().map(|(given, _)| given[0]));
    for (kind, element) in KINDS.into_iter().enumerate() {
        for schedule in SCHEDULES {
            let bench = Tensors::new(schedule, &tensor);
            let map = map(element, &bench, tensor.len() / 4);
            for (first, rows) in (0..).step_by(BOX).zip(rows.chunks(BOX)) {
                let text = mapped("", &loading(1, &[first], 4 * BOX));
                bench
                    .run(&text, 1, 32, &map)
                    .unwrap_or_else(|error| panic!("{error}"));
                let found = words(&bench.read(bench.buffer, 4 * rows.len()));
                for ((given, wanted), found) in rows.iter().zip(found) {
                    let wanted = wanted[kind];
                    assert_eq!(
                        found, wanted,
                        "{element:?} {:08x}: {found:08x}, not {wanted:08x}",
                        given[0]
                    );
                }
            }
        }
    }
}

/// Returns a tensor's words after `instruction`: the tensor holds `old`, and each box holds a part
/// of `new`.
fn written(instruction: &str, element: TensorElement, old: &[u8], new: &[u8]) -> Vec<u32> {
    let mut found = Vec::new();
    for schedule in SCHEDULES {
        let bench = Tensors::new(schedule, old);
        let map = map(element, &bench, old.len() / 4);
        for at in (0..old.len() / 4).step_by(BOX) {
            bench
                .device
                .write(bench.buffer, &new[4 * at..4 * (at + BOX)])
                .unwrap();
            let body = format!(
                "mov.u32 %r2, %tid; LOOP: mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %a1, %d1; ld.global.u32 %r4, [%d1];\n\
                 mad.lo.u32 %r3, %r2, 4, %r30; st.shared.u32 [%r3], %r4; add.u32 %r2, %r2, 32; setp.lt.u32 %p3, %r2, {BOX}; @%p3 bra LOOP;\n\
                 fence.proxy.async.shared::cta; bar.sync 0; @!%p1 bra END;\n\
                 {instruction}.bulk_group [%map, {{{at}}}], [%r30]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:"
            );
            let ran = bench.run(&mapped("", &body), 1, 32, &map);
            ran.unwrap_or_else(|error| panic!("{error}"));
        }
        let tensor = words(&bench.read(bench.tensor, old.len()));
        assert!(found.is_empty() || found == tensor, "{schedule:?}");
        found = tensor;
    }
    found
}

#[test]
fn stores_and_reductions_do_as_an_h200_does() {
    let stores = measured("store ", 1);
    let adds = measured("add ", 2);
    assert!(stores.len() > 80 && adds.len() > 400);
    for (kind, element) in KINDS.into_iter().enumerate() {
        let new = bytes(stores.iter().map(|(given, _)| given[0]));
        let old = vec![0x55; new.len()];
        let store = "cp.async.bulk.tensor.1d.global.shared::cta";
        for ((_, wanted), found) in stores.iter().zip(written(store, element, &old, &new)) {
            assert_eq!(found, wanted[kind], "{element:?}");
        }
        let old = bytes(adds.iter().map(|(given, _)| given[0]));
        let new = bytes(adds.iter().map(|(given, _)| given[1]));
        let add = "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add";
        for ((given, wanted), found) in adds.iter().zip(written(add, element, &old, &new)) {
            assert_eq!(found, wanted[kind], "{element:?} {given:08x?}: {found:08x}");
        }
    }
}

/// Compares reductions by bulk copies, and of boxes of 16-bit floats, with an H200's.
#[test]
fn reductions_of_every_float_do_as_an_h200_does() {
    let text = include_str!("../data/h200_bulk_reductions.txt");
    let types = [
        (".f32", 4, None),
        (".f16", 2, Some(TensorElement::F16)),
        (".bf16", 2, Some(TensorElement::Bf16)),
    ];
    for (ty, size, element) in types {
        for name in ["add", "add.noftz", "min", "max"] {
            let prefix = format!("{name}{ty} ");
            let lines = text
                .lines()
                .filter_map(|line| line.strip_prefix(prefix.as_str()));
            let rows = lines.map(|line| {
                let mut numbers = line
                    .split_whitespace()
                    .map(|n| u32::from_str_radix(n, 16).unwrap());
                [(); 3].map(|()| numbers.next().unwrap())
            });
            let rows: Vec<[u32; 3]> = rows.collect();
            if rows.is_empty() {
                continue;
            }
            let packed = |column: usize| {
                let numbers = rows.iter().map(|row| row[column].to_le_bytes());
                let mut bytes: Vec<u8> = numbers.flat_map(|n| n[..size].to_vec()).collect();
                bytes.resize(bytes.len().next_multiple_of(4 * BOX), 0);
                bytes
            };
            let (old, new, wanted) = (packed(0), packed(1), packed(2));
            let run = format!(
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.{name}{ty} [%d2], [%r30], 1024;"
            );
            let plain = name.trim_end_matches(".noftz");
            let mut found = vec![reduced(&run, TensorElement::U8, &old, &new)];
            if let Some(element) = element {
                let boxed = format!(
                    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.{plain}.bulk_group [%map, {{%r5}}], [%r30];"
                );
                found.push(reduced(&boxed, element, &old, &new));
            }
            for found in found {
                for (i, row) in rows.iter().enumerate() {
                    let [found, wanted] =
                        [&found, &wanted].map(|bytes| bytes[size * i..size * (i + 1)].to_vec());
                    assert_eq!(found, wanted, "{name}{ty} {row:08x?}");
                }
            }
        }
    }
}

/// Returns a tensor of `old` after a reduction of `new`, 1,024 bytes at a time. `%d2` is the
/// address in the tensor, and `%r5` the coordinate.
fn reduced(instruction: &str, element: TensorElement, old: &[u8], new: &[u8]) -> Vec<u8> {
    let bench = Tensors::new(SCHEDULES[1], old);
    let size = element.bytes();
    let elements = 256.min(1024 / size as u32);
    let mut map = TensorMap::new(
        element,
        bench.tensor,
        &[(old.len() / size) as u64],
        &[],
        &[elements],
    );
    for at in (0..old.len()).step_by(1024) {
        bench
            .device
            .write(bench.buffer, &new[at..at + 1024])
            .unwrap();
        // Boxes have at most 256 elements, so elements of 16 bits need two boxes.
        let halves = 1024 / (elements as usize * size);
        let boxes: usize = if instruction.contains("%map") {
            halves
        } else {
            1
        };
        for part in 0..boxes {
            let coordinate = at / size + part * elements as usize;
            let body = format!(
                "mov.u32 %r2, %tid; LOOP: mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %a1, %d1; ld.global.u32 %r4, [%d1+{skip}];\n\
                 mad.lo.u32 %r3, %r2, 4, %r30; st.shared.u32 [%r3], %r4; add.u32 %r2, %r2, 32; setp.lt.u32 %p3, %r2, 256; @%p3 bra LOOP;\n\
                 fence.proxy.async.shared::cta; bar.sync 0; @!%p1 bra END;\n\
                 mov.b64 %d2, {address}; mov.u32 %r5, {coordinate};\n\
                 {instruction} cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:",
                skip = part * elements as usize * size,
                address = bench.tensor + at as u64,
            );
            map.address = bench.tensor;
            let ran = bench.run(&mapped("", &body), 1, 32, &map);
            ran.unwrap_or_else(|error| panic!("{error}"));
        }
    }
    bench.read(bench.tensor, old.len())
}

/// Checks instructions that an H200 refuses as illegal.
#[test]
fn there_is_no_minimum_of_floats() {
    for element in KINDS {
        for name in ["min", "max"] {
            let bench = Tensors::new(SCHEDULES[0], &[0; 4 * BOX]);
            let map = map(element, &bench, BOX);
            let body = format!(
                "@!%p1 bra END; cp.reduce.async.bulk.tensor.1d.global.shared::cta.{name}.bulk_group [%map, {{0}}], [%r30]; END:"
            );
            let error = bench.run(&mapped("", &body), 1, 32, &map).unwrap_err();
            let says = format!("no reduction `{name}` of these elements");
            assert!(error.to_string().contains(&says), "{error}");
        }
    }
}
