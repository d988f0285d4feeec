//! Checks where an access lies: bounds, alignment, freed memory, read-only memory.

use super::*;

#[test]
fn global_bounds() {
    let at =
        |offset: &str, size: &str| run(&format!("ld.global.{size} %r1, [%a0+{offset}];"), 1, 0);
    passes(
        "ld.global.u32 %r1, [%a0+4092]; ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%a0+4080];",
        32,
        0,
    );
    for offset in ["4096", "-4", "1048576"] {
        let what = kind(at(offset, "u32"));
        assert!(
            matches!(
                what,
                FaultKind::Unmapped {
                    space: Space::Global,
                    size: 4,
                    ..
                }
            ),
            "{what}"
        );
    }
    let what = kind(run("mov.u64 %d0, 0; ld.global.u32 %r1, [%d0];", 1, 0));
    assert!(matches!(what, FaultKind::Unmapped { .. }), "null: {what}");
    let what = kind(run("mov.u64 %d0, 0; st.u32 [%d0], 1;", 1, 0));
    assert!(
        matches!(what, FaultKind::Unmapped { .. }),
        "null, generic: {what}"
    );
    // The first byte is inside the buffer, but the last is not.
    let text = entry(1, "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%a0]; ret;");
    let bench = Bench::new(&text);
    let short = bench.words(&[1, 2, 3]);
    let what = kind(bench.launch("k", 1, 1, &[Arg::U64(short)]));
    assert!(
        matches!(
            what,
            FaultKind::OutOfBounds {
                space: Space::Global,
                size: 16,
                offset: 0,
                length: 12
            }
        ),
        "{what}"
    );
}

#[test]
fn nothing_is_written_before_a_fault() {
    let text = entry(
        1,
        "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %a0, %d0; st.global.u32 [%d1], 7; ret;",
    );
    let bench = Bench::new(&text);
    let a = bench.words(&[1; 16]);
    bench.fault("k", 1, 32, &[Arg::U64(a)]);
    assert_eq!(bench.read_words(a, 16), [1; 16]);
}

#[test]
fn use_after_free() {
    let bench = Bench::new(&entry(1, "ld.global.u32 %r1, [%a0+8]; ret;"));
    let a = bench.words(&[1; 16]);
    bench.run("k", 1, 32, &[Arg::U64(a)]);
    bench.device.free(a).unwrap();
    let what = kind(bench.launch("k", 1, 32, &[Arg::U64(a)]));
    assert_eq!(
        what,
        FaultKind::UseAfterFree {
            size: 4,
            offset: 8,
            length: 64
        }
    );
    assert_eq!(
        bench.device.read(a, &mut [0]),
        Err(MemoryError::Freed {
            address: a,
            base: a,
            size: 64
        })
    );
}

#[test]
fn alignment() {
    passes(
        "ld.global.v2.u32 {%r1,%r2}, [%a0+8]; ld.global.u16 %h1, [%a0+2]; ld.global.u8 %h1, [%a0+3];",
        32,
        0,
    );
    for (access, alignment) in [
        ("ld.global.u32 %r1, [%a0+2];", 4),
        ("ld.global.v2.u32 {%r1,%r2}, [%a0+4];", 8),
        ("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%a0+8];", 16),
        ("ld.global.u64 %d1, [%a0+4];", 8),
        ("st.global.u16 [%a0+1], 1;", 2),
        ("ld.u32 %r1, [%a0+2];", 4),
    ] {
        assert_eq!(
            kind(run(access, 1, 0)),
            FaultKind::Misaligned {
                space: Space::Global,
                alignment
            },
            "{access}"
        );
    }
    for (access, alignment) in [
        ("st.shared.u32 [%r30+2], 1;", 4),
        ("st.shared.v4.u32 [%r30+8], {%tid,%tid,%tid,%tid};", 16),
        ("cp.async.cg.shared.global [%r30+8], [%a0], 16;", 16),
        (
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r30+8];",
            16,
        ),
        ("atom.shared.add.u32 %r1, [%r30+2], 1;", 4),
    ] {
        assert_eq!(
            kind(run(access, 32, 64)),
            FaultKind::Misaligned {
                space: Space::Shared,
                alignment
            },
            "{access}"
        );
    }
    let what = kind(run("cp.async.ca.shared.global [%r30], [%a0+4], 8;", 1, 64));
    assert_eq!(
        what,
        FaultKind::Misaligned {
            space: Space::Global,
            alignment: 8
        }
    );
}

#[test]
fn shared_bounds() {
    passes(&format!("{OWN} st.shared.u32 [%d1], %tid;"), 32, 128);
    let what = kind(run(&format!("{OWN} st.shared.u32 [%d1], %tid;"), 33, 128));
    assert_eq!(
        what,
        FaultKind::OutOfBounds {
            space: Space::Shared,
            size: 4,
            offset: 128,
            length: 128
        }
    );
    // This shared address is below the first one, in the KiB of the system.
    let what = kind(run("mov.u32 %r1, 0; st.shared.u32 [%r1], 1;", 1, 128));
    assert_eq!(
        what,
        FaultKind::OutOfBounds {
            space: Space::Shared,
            size: 4,
            offset: -1024,
            length: 128
        }
    );
    let what = kind(run(
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r30+128];",
        32,
        128,
    ));
    assert!(
        matches!(
            what,
            FaultKind::OutOfBounds {
                size: 16,
                offset: 128,
                ..
            }
        ),
        "{what}"
    );
    // A pointer into shared memory is used as a global one.
    let what = kind(run("ld.global.u32 %r1, [%d30];", 1, 128));
    assert!(matches!(what, FaultKind::Unmapped { .. }), "{what}");
}

#[test]
fn constants_are_read_only() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 c[2] = {5, 6};\n\
        .global .u32 g = 7;\n\
        .visible .entry read(.param .u64 p) { .reg .b32 %r<4>; .reg .b64 %d<3>; ld.param.u64 %d1, [p];\n\
          ld.const.u32 %r1, [c+4]; mov.u64 %d2, c; ld.u32 %r2, [%d2]; mad.lo.u32 %r1, %r1, 10, %r2;\n\
          ld.global.u32 %r3, [g]; mad.lo.u32 %r1, %r1, 10, %r3; st.global.u32 [g], %r1; st.global.u32 [%d1], %r1; ret; }\n\
        .visible .entry write() { .reg .b64 %d<2>; mov.u64 %d1, c; st.u32 [%d1], 1; ret; }";
    let bench = Bench::new(text);
    let out = bench.words(&[0]);
    bench.run("read", 1, 1, &[Arg::U64(out)]);
    assert_eq!(bench.read_words(out, 1), [657]);
    // A module's variable keeps the value that a kernel wrote.
    bench.run("read", 1, 1, &[Arg::U64(out)]);
    assert_eq!(bench.read_words(out, 1), [650 + 657]);
    assert_eq!(
        kind(bench.launch("write", 1, 1, &[])),
        FaultKind::ReadOnly(Space::Const)
    );
}

#[test]
fn the_heap() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n\
        .visible .entry k(.param .u64 out, .param .u32 wrong) { .reg .b64 %d<8>; .reg .b32 %r<4>; .reg .pred %p<2>;\n\
          ld.param.u64 %d1, [out]; ld.param.u32 %r2, [wrong]; mov.u32 %r1, %tid.x;\n\
          { .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call (r), malloc, (n); ld.param.b64 %d2, [r]; }\n\
          st.u32 [%d2+36], %r1; ld.u32 %r3, [%d2+36]; setp.eq.u32 %p1, %r2, 1; @%p1 ld.u32 %r3, [%d2];\n\
          mul.wide.u32 %d3, %r1, 8; add.u64 %d3, %d1, %d3; st.global.u64 [%d3], %d2;\n\
          { .param .b64 p; setp.eq.u32 %p1, %r2, 2; @%p1 add.u64 %d2, %d2, 16; st.param.b64 [p], %d2; call free, (p); }\n\
          ret; }";
    let bench = Bench::new(text);
    let out = bench.longs(&[0; 32]);
    bench.run("k", 1, 32, &[Arg::U64(out), Arg::U32(0)]);
    let mut pieces = bench.read_longs(out, 32);
    pieces.sort_unstable();
    assert!(
        pieces
            .windows(2)
            .all(|p| p[1] - p[0] >= 40 && p[0] % 16 == 0),
        "{pieces:x?}"
    );
    let what = kind(bench.launch("k", 1, 32, &[Arg::U64(out), Arg::U32(1)]));
    assert!(
        matches!(
            what,
            FaultKind::Uninitialised {
                space: Space::Global,
                ..
            }
        ),
        "{what}"
    );
    let what = kind(bench.launch("k", 1, 32, &[Arg::U64(out), Arg::U32(2)]));
    assert!(matches!(what, FaultKind::Operand(_)), "{what}");
}

/// Launches a kernel that allocates two blocks of the heap, `%d2` and `%d3` of 48 bytes, writes
/// both, frees the first, and executes `then`.
fn freed(then: &str) -> Result<emulator::Report, LaunchError> {
    let take = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call (r), malloc, (n); ld.param.b64 %dN, [r]; }";
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n\
         .visible .entry k() {{ .reg .b64 %d<8>; .reg .b32 %r<8>; .reg .pred %p<2>;\n{}\n{}\n\
         mov.u32 %r1, 1; st.v4.u32 [%d2], {{%r1, %r1, %r1, %r1}}; st.u32 [%d2+32], %r1; st.u32 [%d3], %r1;\n\
         {{ .param .b64 p; st.param.b64 [p], %d2; call free, (p); }}\n{then}\nret; }}",
        take.replace("%dN", "%d2"),
        take.replace("%dN", "%d3")
    );
    Bench::new(&text).launch("k", 1, 1, &[])
}

#[test]
fn a_use_of_a_freed_piece_of_the_heap_is_one_after_free() {
    for (access, size, offset) in [
        ("ld.u32 %r2, [%d2];", 4, 0),
        ("ld.global.v2.u32 {%r2, %r3}, [%d2+32];", 8, 32),
        ("st.u32 [%d2+36], %r1;", 4, 36),
        ("atom.global.add.u32 %r2, [%d2+8], 1;", 4, 8),
    ] {
        let expected = FaultKind::UseAfterFree {
            size,
            offset,
            length: 48,
        };
        assert_eq!(kind(freed(access)), expected, "{access}");
    }
    // The other block is still allocated, and a block that is allocated again belongs to the new
    // allocation.
    freed("ld.u32 %r2, [%d3];").unwrap();
    let again = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call (r), malloc, (n); ld.param.b64 %d4, [r]; }\n\
        setp.ne.u64 %p1, %d4, %d2; @%p1 trap; st.u32 [%d2], %r1; ld.u32 %r2, [%d4];";
    freed(again).unwrap();
    // No thread has written the block since its allocation.
    let unwritten = again.replace("st.u32 [%d2], %r1;", "");
    assert!(matches!(
        kind(freed(&unwritten)),
        FaultKind::Uninitialised { .. }
    ));
    // The block is freed twice.
    let twice = "{ .param .b64 p; st.param.b64 [p], %d2; call free, (p); }";
    assert!(matches!(kind(freed(twice)), FaultKind::Operand(_)));
}

/// Checks that each allocation in a loop of small allocations costs the same, however many there
/// are: the budget ends the loop within seconds.
#[test]
fn many_small_pieces_are_taken_soon() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .extern .func (.param .b64 r) malloc(.param .b64 n);\n\
        .visible .entry k() { .param .b64 n; .param .b64 r; L: st.param.b64 [n], 16; call (r), malloc, (n); bra L; }";
    let config = Config {
        max_instructions_per_block: 100_000,
        ..Config::default()
    };
    let bench = Bench::with(text, config);
    let begun = std::time::Instant::now();
    let what = kind(bench.launch("k", 1, 32, &[]));
    assert!(matches!(what, FaultKind::Budget { .. }), "{what}");
    // A search through all blocks would take minutes.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}
