//! Checks accesses that leave the variables and buffers from which their address derives.

use super::*;

/// Launches a body with two buffers of 256 words that count up, 1,280 bytes apart: `%a0` and `%a1`;
/// and two shared arrays `x` and `y` of 112 and 128 bytes, 16 bytes apart, in which each word is
/// written.
fn launched(body: &str, config: Config) -> Result<emulator::Report, LaunchError> {
    let text = entry(
        2,
        &format!(
            ".shared .align 16 .b8 x[112]; .shared .align 16 .b8 gap[16]; .shared .align 16 .b8 y[128];\n\
             mov.u32 %r50, x; mov.u32 %r51, y; mov.u32 %r52, gap;\n\
             setp.lt.u32 %p15, %tid, 28; mad.lo.u32 %r53, %tid, 4, %r50; @%p15 st.shared.u32 [%r53], %tid;\n\
             mad.lo.u32 %r54, %tid, 4, %r51; st.shared.u32 [%r54], %tid; bar.sync 0;\n\
             mul.wide.u32 %d60, %tid, 4; add.u64 %d50, %a0, %d60; add.u64 %d51, %a1, %d60;\n{body}\nret;"
        ),
    );
    let bench = Bench::with(&text, config);
    let words: Vec<u32> = (0..256).collect();
    let (a, b) = (bench.words(&words), bench.words(&words));
    assert_eq!(b - a, 1280);
    bench.launch("k", 1, 32, &[Arg::U64(a), Arg::U64(b)])
}

/// Returns the object that a body is reported to leave, and the offset in this object, or `None` if
/// the body is not reported.
#[track_caller]
fn leaves(body: &str) -> Option<(String, i64)> {
    // Only the place of a store matters here, not its value.
    let on = Config {
        check_undefined: false,
        ..Config::default()
    };
    let off = Config {
        check_provenance: false,
        ..on.clone()
    };
    if let Err(error) = launched(body, off) {
        panic!("without the check: {error}");
    }
    match launched(body, on) {
        Ok(_) => None,
        Err(LaunchError::Fault(fault)) => match fault.what {
            FaultKind::Provenance { of, offset, .. } => Some((of, offset)),
            other => panic!("{other}"),
        },
        Err(error) => panic!("{error}"),
    }
}

fn object(name: &str, offset: i64) -> Option<(String, i64)> {
    Some((name.to_owned(), offset))
}

const P0: &str = "the buffer of parameter `p0`";

#[test]
fn what_an_address_comes_from_is_followed() {
    // The address is a sum with a multiple of an unknown index.
    let body =
        "ld.global.u32 %r1, [%a0+1000]; mad.lo.u32 %r2, %r1, 1, %r50; st.shared.u32 [%r2+-10], 7;";
    assert_eq!(
        leaves(&body.replace("[%a0+1000]", "[%a0+552]")),
        object("`x`", 128)
    );
    assert_eq!(leaves(&body.replace("[%a0+1000]", "[%a0+40]")), None);
    // The address is selected from several objects: it may be in any of them.
    let body = "setp.lt.u32 %p1, %tid, 16; selp.b32 %r1, %r53, OTHER, %p1; ld.shared.u32 %r2, [%r1+OFFSET];";
    let past = body.replace("OTHER", "%r52").replace("OFFSET", "128");
    assert_eq!(leaves(&past), object("`gap`", 16));
    let inside = body.replace("OTHER", "%r54").replace("+OFFSET", "");
    assert_eq!(leaves(&inside), None);
    // The address changes in a loop.
    let body = "mov.u64 %d1, %a0; mov.u32 %r1, 0;\n\
        L: ld.global.u32 %r2, [%d1]; add.u64 %d1, %d1, 640; add.u32 %r1, %r1, 1;\n\
        setp.lt.u32 %p1, %r1, TIMES; @%p1 bra L;";
    assert_eq!(leaves(&body.replace("TIMES", "3")), object(P0, 1280));
    assert_eq!(leaves(&body.replace("TIMES", "2")), None);
    // The address passes through halves, conversions and other address spaces.
    let body = "cvt.u64.u32 %d1, %r53; cvta.shared.u64 %d2, %d1; mov.b64 {%r1, %r2}, %d2; mov.b64 %d3, {%r1, %r2};\n\
        st.u32 [%d3+128], %tid;";
    assert_eq!(leaves(body), object("`x`", 128));
    let body = "shfl.sync.idx.b32 %r1, %r53, 0, 31, -1; ld.shared.u32 %r2, [%r1+128];";
    assert_eq!(leaves(body), object("`x`", 128));
}

#[test]
fn every_instruction_that_accesses_memory_is_looked_at() {
    for (body, object) in [
        (
            "atom.shared.add.u32 %r1, [%r50+128], 1;",
            object("`x`", 128),
        ),
        ("red.global.add.u32 [%a0+1280], 1;", object(P0, 1280)),
        (
            "atom.global.add.v2.f32 _, [%a0+1280], {%r1, %r2};",
            object(P0, 1280),
        ),
        (
            "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%a0+1280];",
            object(P0, 1280),
        ),
        (
            "cp.async.ca.shared.global [%r53+128], [%d50], 4; cp.async.wait_all;",
            object("`x`", 128),
        ),
        (
            "cp.async.ca.shared.global [%r54], [%d50+1280], 4; cp.async.wait_all;",
            object(P0, 1280),
        ),
        (
            "and.b32 %r1, %tid, 7; mad.lo.u32 %r1, %r1, 16, %r50; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+128];",
            object("`x`", 128),
        ),
        (
            "and.b32 %r1, %tid, 7; mad.lo.u32 %r1, %r1, 16, %r50; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1+128], {%tid};",
            object("`x`", 128),
        ),
        ("st.bulk.shared::cta [%r50+128], 8, 0;", object("`x`", 128)),
        ("st.bulk.shared::cta [%r50+104], 16, 0;", object("`x`", 104)),
    ] {
        assert_eq!(leaves(body), object, "{body}");
    }
}

#[test]
fn what_may_be_any_address_is_not_accused() {
    for body in [
        // The distance between two buffers, and between two arrays.
        "sub.u64 %d1, %a1, %a0; add.u64 %d2, %d50, %d1; ld.global.u32 %r1, [%d2];",
        "sub.u32 %r1, %r51, %r50; add.u32 %r2, %r53, %r1; ld.shared.u32 %r3, [%r2];",
        // Addresses from memory, of 64 and of 32 bits, whole and in halves.
        "st.global.u64 [%a0], %a1; ld.global.u64 %d1, [%a0]; ld.global.u32 %r1, [%d1];",
        "st.global.u64 [%a0], %a1; ld.global.v2.u32 {%r1, %r2}, [%a0]; mov.b64 %d1, {%r1, %r2}; ld.global.u32 %r3, [%d1];",
        "st.global.u32 [%a0], %r51; ld.global.u32 %r1, [%a0]; ld.shared.u32 %r2, [%r1];",
        "st.global.u32 [%a0], %r51; ld.global.u32 %r1, [%a0]; setp.eq.u32 %p1, %tid, 0; selp.b32 %r2, %r1, %r50, %p1;\n\
         ld.shared.u32 %r3, [%r2];",
        // A register that held another address before.
        "mov.u32 %r1, %r50; ld.shared.u32 %r2, [%r1]; mov.u32 %r1, %r51; ld.shared.u32 %r2, [%r1+64];",
        // A base before the array, which the index corrects.
        "sub.u32 %r1, %r51, 64; add.u32 %r2, %tid, 16; and.b32 %r2, %r2, 31; max.u32 %r2, %r2, 16; mad.lo.u32 %r3, %r2, 4, %r1;\n\
         ld.shared.u32 %r4, [%r3];",
        // Copies of 0 bytes, from any address.
        "mov.u32 %r1, 0; cp.async.ca.shared.global [%r54], [%d50+1280], 4, %r1; cp.async.wait_all;",
    ] {
        assert_eq!(leaves(body), None, "{body}");
    }
}

/// Checks that, far after or before a buffer, the report still names the buffer from which the
/// address derives, even if another is nearer.
#[test]
fn an_access_outside_of_all_names_what_its_address_comes_from() {
    let said = |body: &str| {
        let Err(LaunchError::Fault(fault)) = launched(body, Config::default()) else {
            panic!("no fault")
        };
        (
            fault.what.to_string(),
            fault.buffer.and_then(|buffer| buffer.name),
        )
    };
    let p = |name: &str| Some(format!("parameter `{name}`"));
    let (what, buffer) = said("ld.global.u32 %r1, [%a0+1048576];");
    assert!(
        what.ends_with("of 1024 bytes, 1047553 bytes away"),
        "{what}"
    );
    assert!(what.contains("; its address comes from 0x"), "{what}");
    assert_eq!(buffer, p("p0"));
    assert_eq!(said("ld.global.u32 %r1, [%a1+-1048576];").1, p("p1"));
    let (what, buffer) = said("mov.u64 %d0, 0; ld.global.u32 %r1, [%d0];");
    assert!(
        what.ends_with("outside of every allocation; none is near"),
        "{what}"
    );
    assert_eq!(buffer, None);
}

/// Checks that a fault of place is reported as such, and any other access outside the object by the
/// object of its address.
#[test]
fn places_come_first_and_races_after() {
    let what = |body: &str| kind(launched(body, Config::default()));
    assert!(matches!(
        what("ld.global.u32 %r1, [%a0+1100];"),
        FaultKind::Unmapped { .. }
    ));
    assert!(matches!(
        what("ld.shared.u32 %r1, [%r50+4096];"),
        FaultKind::OutOfBounds { .. }
    ));
    assert!(matches!(
        what("ld.shared.u32 %r1, [%r50+129];"),
        FaultKind::Misaligned { .. }
    ));
    // The access hits a word of `gap` that nothing wrote.
    let FaultKind::Provenance {
        hit,
        space,
        size,
        length,
        ..
    } = what("ld.shared.u32 %r1, [%r50+116];")
    else {
        panic!("not found");
    };
    assert_eq!(
        (hit.as_deref(), space, size, length),
        (Some("`gap`"), Space::Shared, 4, 112)
    );
    // The access also races with thread 0's write to `y`.
    assert!(matches!(
        what("st.shared.u32 [%r53+128], 9;"),
        FaultKind::Provenance { .. }
    ));
}

/// Writes a kernel with addresses in every kind of memory, all generic and with at least 16 bytes:
/// `%d0` a parameter's, `%d1` a constant's, `%d2` a buffer's, `%d3` a global variable's, `%d4` a
/// shared variable's, `%d5` a local variable's, and `%d6` one in the system's part of shared
/// memory. `%r0` is the launch's choice.
fn mixed(body: &str) -> String {
    format!(
        ".version 8.3\n.target sm_90\n.address_size 64\n\
         .const .align 8 .b8 fixed[16] = {{1}}; .global .align 8 .b8 whole[16]; .global .align 8 .b8 other[16];\n\
         .visible .entry k(.param .align 8 .b8 given[16], .param .u64 pbuffer, .param .u64 pother, .param .u32 which) {{\n\
         .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<32>;\n\
         .local .align 8 .b8 own[16]; .shared .align 8 .b8 both[16]; .shared .align 8 .b8 gap[16];\n\
         mov.b64 %d0, given; cvta.param.u64 %d0, %d0; mov.u64 %d1, fixed; cvta.const.u64 %d1, %d1;\n\
         ld.param.u64 %d2, [pbuffer]; mov.u64 %d3, whole; cvta.global.u64 %d3, %d3;\n\
         mov.u64 %d4, both; cvta.shared.u64 %d4, %d4; mov.u64 %d5, own; cvta.local.u64 %d5, %d5;\n\
         mov.u32 %r9, %reserved_smem_offset_begin; cvt.u64.u32 %d6, %r9; cvta.shared.u64 %d6, %d6;\n\
         ld.param.u64 %d10, [pother]; ld.param.u32 %r0, [which]; setp.ne.u32 %p0, %r0, 0;\n\
         mov.u32 %r1, 7; st.u32 [%d4+4], %r1; st.u32 [%d5+4], %r1;\n{body}\nret;\n}}\n"
    )
}

/// Returns the fault of a launch of such a kernel with `which` as the choice, or `None` if there is
/// none.
#[track_caller]
fn accused(text: &str, which: u32) -> Option<FaultKind> {
    let bench = Bench::new(text);
    let (a, b) = (bench.words(&[5; 4]), bench.words(&[6; 4]));
    let given = Arg::Bytes(vec![3; 16]);
    let result = bench.launch(
        "k",
        1,
        1,
        &[given, Arg::U64(a), Arg::U64(b), Arg::U32(which)],
    );
    match result {
        Ok(_) => None,
        Err(LaunchError::Fault(fault)) => Some(fault.what),
        Err(error) => panic!("{error}\n{text}"),
    }
}

const MEMORIES: usize = 6;

/// Ways in which one register gets the address in `%dA` or in `%dB`.
const CHOICES: [(&str, &str); 5] = [
    ("selp", "selp.b64 %d20, %dA, %dB, %p0;"),
    (
        "a register of two branches",
        "@%p0 bra ONE; mov.b64 %d20, %dB; bra BOTH; ONE: mov.b64 %d20, %dA; BOTH:",
    ),
    (
        "arithmetic with a mask",
        "selp.b64 %d21, -1, 0, %p0; xor.b64 %d22, %dA, %dB; and.b64 %d22, %d22, %d21; xor.b64 %d20, %d22, %dB;",
    ),
    (
        "halves",
        "mov.b64 {%r2, %r3}, %dA; mov.b64 {%r4, %r5}, %dB; selp.b32 %r6, %r2, %r4, %p0; selp.b32 %r7, %r3, %r5, %p0;\n\
         mov.b64 %d20, {%r6, %r7};",
    ),
    (
        "a loop that exchanges them",
        "mov.b64 %d20, %dB; mov.b64 %d21, %dA; mov.u32 %r2, %r0;\n\
         LOOP: setp.eq.u32 %p1, %r2, 0; @%p1 bra DONE; mov.b64 %d22, %d20; mov.b64 %d20, %d21; mov.b64 %d21, %d22;\n\
         sub.u32 %r2, %r2, 1; bra LOOP; DONE:",
    ),
];

#[test]
fn addresses_of_every_two_memories_meet_in_a_register() {
    for a in 0..=MEMORIES {
        for b in 0..=MEMORIES {
            for (name, choice) in CHOICES {
                let chosen = choice
                    .replace("%dA", &format!("%d{a}"))
                    .replace("%dB", &format!("%d{b}"));
                for which in [0, 1] {
                    let taken = if which == 1 { a } else { b };
                    // Nothing wrote the system's part.
                    let access = if taken == MEMORIES {
                        "isspacep.shared %p2, %d20;"
                    } else {
                        "ld.u32 %r8, [%d20+4];"
                    };
                    let text = mixed(&format!("{chosen} {access}"));
                    assert_eq!(
                        accused(&text, which),
                        None,
                        "{a} or {b} by {name}, taken: {taken}"
                    );
                }
            }
        }
    }
}

/// Checks that an access in none of the memories from which an address may derive is found,
/// whatever these memories are.
#[test]
fn another_buffer_is_found_beside_addresses_of_every_memory() {
    for other in 0..=MEMORIES {
        let chosen = format!("selp.b64 %d20, %d2, %d{other}, %p0; ld.u32 %r8, [%d20+512];");
        let found = accused(&mixed(&chosen), 1);
        let Some(FaultKind::Provenance { of, offset, .. }) = &found else {
            panic!("{other}: {found:?}");
        };
        assert_eq!(
            (of.as_str(), *offset),
            ("the buffer of parameter `pbuffer`", 512)
        );
    }
}
