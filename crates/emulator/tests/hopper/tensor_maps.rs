//! Checks `tensormap.replace` and `tensormap.cp_fenceproxy`: a box by a map that the kernel changed
//! equals the box by a map with those fields.

use super::bulk::{SCHEDULES, Tensors, loading, mapped, numbers};
use super::*;
use emulator::{Schedule, TensorElement, TensorMap, TensorSwizzle};

/// The place of the changed map in the buffer.
const PLACE: usize = 32_768;

/// Code by which sixteen threads copy the map to shared memory.
const TO_SHARED: &str = "add.u32 %r40, %r30, 512; setp.lt.u32 %p4, %tid, 16; mul.wide.u32 %d40, %tid, 8; add.u64 %d41, %map, %d40;\n\
    mad.lo.u32 %r41, %tid, 8, %r40; @%p4 ld.u64 %d42, [%d41]; @%p4 st.shared.u64 [%r41], %d42;\n\
    add.u64 %d43, %a1, 32768; bar.warp.sync -1;\n";
/// Code by which the warp copies the map to the buffer.
const OUT: &str = "bar.warp.sync -1;\n\
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d43], [%r40], 128;\n";
const USED: &str =
    "fence.proxy.tensormap::generic.acquire.gpu [%d43], 128; mov.b64 %map, %d43; bar.sync 0;\n";

fn launched(body: &str, schedule: Schedule, map: &TensorMap) -> Result<Vec<u8>, LaunchError> {
    let bench = Tensors::new(schedule, &numbers(1 << 14));
    assert_eq!(bench.tensor, map.address & !0xfff | bench.tensor & 0xfff);
    bench.run(&mapped("", body), 1, 32, map)?;
    Ok(bench.read(bench.buffer, PLACE))
}

fn map(rank: usize) -> TensorMap {
    let address = Tensors::new(Schedule::Early, &numbers(1 << 14)).tensor;
    let (extents, strides, sides) = ([64, 16, 8], [128, 2048], [32, 8, 2]);
    TensorMap::new(
        TensorElement::U16,
        address,
        &extents[..rank],
        &strides[..rank - 1],
        &sides[..rank],
    )
}

/// A field, the type of its operand, and the operand with the dimension if the field has one:
/// `box_dim`, `b32`, `1, 16`.
type Change = (&'static str, &'static str, String);

/// Writes the instruction of thread 0 for each change, in a space at an address.
fn replaced(changes: &[Change], space: &str, address: &str) -> String {
    let one = |(field, ty, value): &Change| {
        format!("@%p1 tensormap.replace.tile.{field}{space}.b1024.{ty} [{address}], {value};\n")
    };
    changes.iter().map(one).collect()
}

#[test]
fn a_map_that_is_changed_is_the_map_that_it_is_changed_to() {
    let change = |field, ty, value: &str| -> Change { (field, ty, value.to_owned()) };
    let two = map(2);
    let moved = two.address + 256;
    type Make = fn(&mut TensorMap);
    let cases: [(Vec<Change>, Make); 7] = [
        (vec![("global_address", "b64", moved.to_string())], |m| {
            m.address += 256
        }),
        (
            vec![
                change("global_dim", "b32", "0, 20"),
                change("global_dim", "b32", "1, 5"),
            ],
            |m| {
                m.extents = vec![20, 5];
            },
        ),
        (vec![change("global_stride", "b64", "0, 256")], |m| {
            m.strides = vec![256]
        }),
        (vec![change("box_dim", "b32", "1, 4")], |m| {
            m.box_extents[1] = 4
        }),
        (
            vec![
                change("element_stride", "b32", "1, 2"),
                change("box_dim", "b32", "1, 16"),
            ],
            |m| (m.element_strides[1], m.box_extents[1]) = (2, 16),
        ),
        (vec![change("swizzle_mode", "b32", "2")], |m| {
            m.swizzle = TensorSwizzle::B64
        }),
        (
            vec![
                change("elemtype", "b32", "6"),
                change("fill_mode", "b32", "1"),
                change("global_dim", "b32", "1, 3"),
            ],
            |m| (m.element, m.fill_nan, m.extents[1]) = (TensorElement::F16, true, 3),
        ),
    ];
    for (changes, make) in cases {
        let mut wanted = two.clone();
        make(&mut wanted);
        let load = loading(2, &[8, 1], wanted.box_bytes());
        let by_shared = [
            TO_SHARED,
            &replaced(&changes, ".shared::cta", "%r40"),
            OUT,
            USED,
            &load,
        ]
        .concat();
        let generic = "cvt.u64.u32 %d44, %r40; cvta.shared.u64 %d44, %d44;\n";
        let by_generic = [
            TO_SHARED,
            generic,
            &replaced(&changes, "", "%d44"),
            OUT,
            USED,
            &load,
        ]
        .concat();
        let fence = "fence.proxy.tensormap::generic.release.gpu;\n";
        let in_global = [
            TO_SHARED,
            OUT,
            &replaced(&changes, ".global", "%d43"),
            fence,
            USED,
            &load,
        ]
        .concat();
        for schedule in SCHEDULES {
            let plain = launched(&load, schedule, &wanted).unwrap_or_else(|e| panic!("{e}"));
            for body in [&by_shared, &by_generic, &in_global] {
                let found =
                    launched(body, schedule, &two).unwrap_or_else(|e| panic!("{e}\n{body}"));
                assert!(found == plain, "{changes:?} {schedule:?}");
            }
        }
    }
    // These changes add a dimension.
    let mut changes = vec![change("rank", "b32", "2")];
    for (field, ty, value) in [
        ("global_dim", "b32", "2, 8"),
        ("global_stride", "b64", "1, 2048"),
        ("box_dim", "b32", "2, 2"),
        ("element_stride", "b32", "2, 1"),
    ] {
        changes.push(change(field, ty, value));
    }
    let three = map(3);
    let load = loading(3, &[8, 1, 2], three.box_bytes());
    let body = [
        TO_SHARED,
        &replaced(&changes, ".shared::cta", "%r40"),
        OUT,
        USED,
        &load,
    ]
    .concat();
    let plain = launched(&load, Schedule::Early, &three).unwrap();
    assert!(launched(&body, Schedule::Early, &two).unwrap_or_else(|e| panic!("{e}")) == plain);
}

#[test]
fn what_is_wrong_with_a_changed_map_is_found() {
    let two = map(2);
    let load = loading(2, &[8, 1], two.box_bytes());
    let said = |change: &str, out: &str| {
        let body = [TO_SHARED, change, out, USED, &load].concat();
        match launched(&body, Schedule::Early, &two) {
            Err(LaunchError::Fault(fault)) => fault.to_string(),
            other => panic!("a fault expected, got {other:?}"),
        }
    };
    let replace = "tensormap.replace.tile";
    for (change, problem) in [
        // A value that no copy accepts is reported by the copy, at the map.
        (
            format!("@%p1 {replace}.global_address.shared::cta.b1024.b64 [%r40], 8;"),
            "address 0x8 is not a multiple of 16",
        ),
        (
            format!("@%p1 {replace}.swizzle_mode.shared::cta.b1024.b32 [%r40], 1;"),
            "the swizzle takes 32",
        ),
        (
            format!("@%p1 {replace}.interleave_layout.shared::cta.b1024.b32 [%r40], 1;"),
            "interleaved layouts are not emulated",
        ),
        (
            format!("@%p1 {replace}.rank.shared::cta.b1024.b32 [%r40], 2;"),
            "element stride 2 is within 1..=8, not 0",
        ),
        // A value that no field holds is reported where it is replaced.
        (
            format!(
                "mov.u32 %r42, 257; @%p1 {replace}.box_dim.shared::cta.b1024.b32 [%r40], 0, %r42;"
            ),
            "1..=256, not 257",
        ),
        (
            format!("mov.u32 %r42, 5; @%p1 {replace}.rank.shared::cta.b1024.b32 [%r40], %r42;"),
            "0..=4, not 5",
        ),
        // The fault is the place of the map.
        (
            format!("@%p1 {replace}.rank.shared::cta.b1024.b32 [%r40+16], 1;"),
            "misaligned shared access: 64 bytes",
        ),
        (
            format!("@%p1 {replace}.rank.global.b1024.b32 [%d43+16], 1;"),
            "misaligned global access: 64 bytes",
        ),
        (
            format!("@%p1 {replace}.rank.b1024.b32 [%map], 1;"),
            "write to read-only param memory",
        ),
        (
            format!("@%p1 {replace}.rank.shared::cta.b1024.b32 [%r40+512], 1;"),
            "uninitialised shared memory",
        ),
        // The bytes are not those of a map: the buffer holds numbers.
        (
            format!("@%p1 {replace}.rank.global.b1024.b32 [%a1], 1;"),
            "none that the emulator makes",
        ),
        // All threads replace the field, and each reads and writes the whole map.
        (
            format!("{replace}.global_address.shared::cta.b1024.b64 [%r40], %d40;"),
            "race on shared memory: read after thread (0,0,0) wrote it",
        ),
    ] {
        let text = said(&change, OUT);
        assert!(text.contains(problem), "{change}\n{text}");
    }
    // Lanes copy different maps, or only a part of the warp copies.
    let apart = OUT.replace("[%r40]", "[%r41]");
    assert!(said("", &apart).contains("lanes copy different tensor maps"));
    let part = OUT.replace("tensormap.cp", "@%p4 tensormap.cp");
    assert!(said("", &part).contains("`.aligned` instruction in divergent code"));
    // A thread writes the map, and nothing orders the write before the copy.
    let unordered = OUT.replace("bar.warp.sync -1;", "");
    let change =
        format!("setp.eq.u32 %p5, %tid, 1; @%p5 {replace}.rank.shared::cta.b1024.b32 [%r40], 1;");
    assert!(
        said(&change, &unordered)
            .contains("race on shared memory: read after thread (1,0,0) wrote it")
    );
    // The map is used at an address 16 bytes past its place.
    let beside = "mov.b64 %map, %d43; add.u64 %map, %map, 16;\n";
    let body = [TO_SHARED, OUT, USED, beside, &load].concat();
    match launched(&body, Schedule::Early, &two) {
        Err(LaunchError::Fault(fault)) => {
            let text = fault.to_string();
            assert!(
                text.starts_with("misaligned global access: 64 bytes"),
                "{text}"
            );
            assert!(fault.buffer.is_some(), "{text}");
        }
        other => panic!("a fault expected, got {other:?}"),
    }
}

#[test]
fn a_map_that_threads_wrote_needs_the_fence_of_its_proxy() {
    let changes = [("box_dim", "b32", "1, 4".to_owned())];
    let mut wanted = map(2);
    wanted.box_extents[1] = 4;
    let load = loading(2, &[8, 1], wanted.box_bytes());
    let replaced = replaced(&changes, ".shared::cta", "%r40");
    let (fence, rest) = USED.split_at(USED.find("mov.b64").unwrap());
    for schedule in SCHEDULES {
        let fenced = [TO_SHARED, &replaced, OUT, fence, rest, &load].concat();
        launched(&fenced, schedule, &map(2)).unwrap_or_else(|e| panic!("{e}"));
        let unfenced = [TO_SHARED, &replaced, OUT, rest, &load].concat();
        let Err(LaunchError::Fault(fault)) = launched(&unfenced, schedule, &map(2)) else {
            panic!("a finding expected")
        };
        assert!(
            matches!(
                fault.what,
                FaultKind::TensorMapUnfenced {
                    other: [0, 0, 0],
                    block: None
                }
            ),
            "{fault}"
        );
        assert!(
            fault.instruction.contains("cp.async.bulk.tensor"),
            "{fault}"
        );
        let earlier = &fault.earlier.as_ref().unwrap().instruction;
        assert!(earlier.starts_with("tensormap.cp_fenceproxy"), "{fault}");
    }
}
