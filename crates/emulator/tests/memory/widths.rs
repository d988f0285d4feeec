//! Checks loads and stores of every width in every space.

use super::*;

#[test]
fn every_width_through_every_space() {
    // Each thread moves 16 bytes from the input through a space to the output, in pieces of each
    // width.
    let input = bytes(32 * 16, 1);
    let pieces = [
        ("b8", 1, 1, "%h"),
        ("b16", 2, 1, "%h"),
        ("b32", 4, 1, "%r"),
        ("b64", 8, 1, "%d"),
        ("b8", 1, 4, "%r"),
        ("b16", 2, 2, "%h"),
        ("b16", 2, 4, "%d"),
        ("b32", 4, 2, "%r"),
        ("b32", 4, 4, "%r"),
        ("b64", 8, 2, "%d"),
        ("b8", 1, 2, "%d"),
    ];
    let vector = |count: usize, register: &str| {
        let list: Vec<String> = (0..count)
            .map(|i| format!("{register}{}", 10 + i))
            .collect();
        if count == 1 {
            list[0].clone()
        } else {
            format!("{{{}}}", list.join(", "))
        }
    };
    for (ty, size, count, register) in pieces {
        let v = if count == 1 {
            String::new()
        } else {
            format!(".v{count}")
        };
        let regs = vector(count, register);
        let step = size * count;
        // The space in the middle: shared memory by its window and by generic addresses, local
        // memory by both, and global memory.
        for (setup, store, load) in [
            (
                "mul.wide.u32 %d3, %tid, 16; add.u64 %d3, %d30, %d3;",
                "st.shared",
                "ld.shared",
            ),
            (
                "mul.wide.u32 %d3, %tid, 16; add.u64 %d3, %d30, %d3; cvta.shared.u64 %d3, %d3;",
                "st",
                "ld",
            ),
            (
                "mul.wide.u32 %d3, %tid, 16; add.u64 %d3, %d30, %d3; cvta.shared.u64 %d4, %d3;",
                "st.shared",
                "ld.shared",
            ),
            (
                ".local .align 16 .b8 stack[16]; mov.u64 %d3, stack;",
                "st.local",
                "ld.local",
            ),
            (
                ".local .align 16 .b8 stack[16]; mov.u64 %d4, stack; cvta.local.u64 %d3, %d4;",
                "st",
                "ld",
            ),
            ("mov.u64 %d3, %d2;", "st.global", "ld.global"),
            ("mov.u64 %d3, %d2;", "st.volatile", "ld.volatile"),
            (
                "mov.u64 %d3, %d2;",
                "st.relaxed.gpu.global",
                "ld.acquire.gpu.global",
            ),
            (
                "mov.u64 %d3, %d2;",
                "st.global.L1::no_allocate",
                "ld.global.L1::evict_last.L2::128B",
            ),
        ] {
            let mut body = format!(
                "mul.wide.u32 %d0, %tid, 16; add.u64 %d1, %a0, %d0; add.u64 %d2, %a1, %d0; {setup}\n"
            );
            for at in (0..16).step_by(step) {
                body += &format!(
                    "ld.global.nc{v}.{ty} {regs}, [%d1+{at}]; {store}{v}.{ty} [%d3+{at}], {regs};\n"
                );
            }
            for at in (0..16).step_by(step) {
                body += &format!(
                    "{load}{v}.{ty} {regs}, [%d3+{at}]; st.global{v}.{ty} [%d2+{at}], {regs};\n"
                );
            }
            let (out, _) = run(&body, 32, &input, input.len());
            assert_eq!(out, input, "{store}{v}.{ty} {load}");
        }
    }
}

#[test]
fn narrow_loads_extend() {
    let input = [0x80u8, 0xff, 0x7f, 0x81, 0, 0, 0, 0xf0];
    for (load, expected) in [
        ("ld.global.u8 %d1, [%a0];", 0x80u64),
        ("ld.global.s8 %d1, [%a0];", 0xffff_ffff_ffff_ff80),
        ("ld.global.b8 %d1, [%a0+1];", 0xff),
        ("ld.global.s16 %d1, [%a0];", 0xffff_ffff_ffff_ff80),
        ("ld.global.u16 %d1, [%a0];", 0xff80),
        ("ld.global.s32 %d1, [%a0];", 0xffff_ffff_817f_ff80),
        ("ld.global.u32 %d1, [%a0];", 0x817f_ff80),
        (
            "ld.global.s8 %r1, [%a0+3]; cvt.u64.u32 %d1, %r1;",
            0xffff_ff81,
        ),
        ("ld.global.s8 %h1, [%a0+3]; cvt.u64.u16 %d1, %h1;", 0xff81),
        (
            "ld.global.s8 %h1, [%a0+3]; cvt.s64.s16 %d1, %h1;",
            0xffff_ffff_ffff_ff81,
        ),
        ("ld.global.u8 %h1, [%a0+3]; cvt.u64.u16 %d1, %h1;", 0x81),
        (
            "mov.u64 %d1, 0x1122334455667788; st.shared.u8 [%d30], %d1; ld.shared.u8 %d1, [%d30];",
            0x88,
        ),
        (
            "st.shared.v2.u32 [%d30], {1, -1}; ld.shared.v2.u32 {_, %r1}, [%d30]; cvt.u64.u32 %d1, %r1;",
            0xffff_ffff,
        ),
    ] {
        let (out, _) = run(&format!("{load} st.global.u64 [%a1], %d1;"), 1, &input, 8);
        assert_eq!(
            u64::from_le_bytes(out.try_into().unwrap()),
            expected,
            "{load}"
        );
    }
}

#[test]
fn a_warp_of_generic_pointers_into_several_memories() {
    // Lane i reads the same word from global, shared, local or parameter memory, with one
    // instruction.
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .align 4 .b8 raw[8]) {\n\
        .reg .b32 %r<8>; .reg .b64 %d<9>; .reg .pred %p<4>; .shared .b32 s[2]; .local .b32 l[2];\n\
        ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3;\n\
        st.shared.u32 [s+4], 200; st.local.u32 [l+4], 300; bar.sync 0;\n\
        mov.u64 %d3, s; cvta.shared.u64 %d3, %d3; mov.u64 %d4, l; cvta.local.u64 %d4, %d4;\n\
        mov.b64 %d5, raw; cvta.param.u64 %d5, %d5;\n\
        setp.eq.u32 %p1, %r2, 1; selp.u64 %d6, %d3, %d1, %p1; setp.eq.u32 %p1, %r2, 2; selp.u64 %d6, %d4, %d6, %p1;\n\
        setp.eq.u32 %p1, %r2, 3; selp.u64 %d6, %d5, %d6, %p1; ld.u32 %r3, [%d6+4];\n\
        isspacep.shared %p1, %d6; @%p1 add.u32 %r3, %r3, 1; isspacep.local %p1, %d6; @%p1 add.u32 %r3, %r3, 2;\n\
        isspacep.global %p1, %d6; @%p1 add.u32 %r3, %r3, 3;\n\
        mul.wide.u32 %d7, %r1, 4; add.u64 %d7, %d2, %d7; st.u32 [%d7], %r3; ret; }";
    let bench = Bench::new(text);
    let (a, b) = (bench.words(&[0, 100]), bench.words(&[0; 32]));
    bench.run(
        "k",
        1,
        32,
        &[
            Arg::U64(a),
            Arg::U64(b),
            Arg::Bytes(vec![0, 0, 0, 0, 0x90, 1, 0, 0]),
        ],
    );
    let expected: Vec<u32> = (0..32).map(|i| [103, 201, 302, 400][i % 4]).collect();
    assert_eq!(bench.read_words(b, 32), expected);
}

#[test]
fn initial_values() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .global .align 4 .b8 raw[8] = {1, 2, 0xff, -1};\n.global .f32 f[3] = {1.5, 0f40000000};\n.global .f64 d = 2.5;\n\
        .global .s16 grid[2][3] = {{1, 2, 3}, {4, -5}};\n.global .u64 self = self;\n.global .u64 p[3] = {raw+4, generic(raw), k};\n\
        .global .align 8 .b8 packed[8] = {0xFF(raw), 0xFF00(raw), 0xFF0000(raw), 0xFF000000(raw), 0xFF00000000(raw)};\n\
        .const .v2 .u32 pair = {7, 8};\n.global .u32 open[] = {1, 2, 3};\n\
        .visible .entry k() { ret; }\n\
        .visible .entry copy(.param .u64 out) { .reg .b64 %d<8>; .reg .b32 %r<8>; ld.param.u64 %d1, [out];\n\
          ld.global.u64 %d2, [raw]; st.global.u64 [%d1], %d2; ld.global.v2.u32 {%r1,%r2}, [f]; ld.global.u32 %r3, [f+8];\n\
          st.global.v2.u32 [%d1+8], {%r1,%r2}; st.global.u32 [%d1+16], %r3; ld.global.u64 %d2, [d]; st.global.u64 [%d1+24], %d2;\n\
          ld.global.u32 %r1, [grid]; ld.global.u32 %r2, [grid+4]; ld.global.u32 %r3, [grid+8]; st.global.u32 [%d1+32], %r1;\n\
          st.global.u32 [%d1+36], %r2; st.global.u32 [%d1+40], %r3;\n\
          mov.u64 %d3, self; ld.global.u64 %d2, [self]; sub.u64 %d2, %d2, %d3; st.global.u64 [%d1+48], %d2;\n\
          mov.u64 %d3, raw; ld.global.u64 %d2, [p]; sub.u64 %d2, %d2, %d3; st.global.u64 [%d1+56], %d2;\n\
          ld.global.u64 %d2, [p+8]; sub.u64 %d2, %d2, %d3; st.global.u64 [%d1+64], %d2;\n\
          ld.global.u64 %d2, [packed]; sub.u64 %d2, %d2, %d3; shl.b64 %d2, %d2, 24; st.global.u64 [%d1+72], %d2;\n\
          ld.const.v2.u32 {%r1,%r2}, [pair]; ld.global.u32 %r3, [open+8]; mad.lo.u32 %r1, %r1, 10, %r2; mad.lo.u32 %r1, %r1, 10, %r3;\n\
          st.global.u32 [%d1+80], %r1; ret; }";
    let bench = Bench::new(text);
    let out = bench.longs(&[9; 11]);
    bench.run("copy", 1, 1, &[Arg::U64(out)]);
    let found = bench.read_longs(out, 11);
    assert_eq!(found[0], 0xffff_0201);
    assert_eq!(
        found[1],
        u64::from(1.5f32.to_bits()) | u64::from(2.0f32.to_bits()) << 32
    );
    assert_eq!(found[2] as u32, 0);
    assert_eq!(found[3], 2.5f64.to_bits());
    assert_eq!(found[4], 0x0004_0003_0002_0001);
    assert_eq!(found[5] as u32, 0xfffb);
    assert_eq!(found[6..10], [0, 4, 0, 0]);
    assert_eq!(found[10] as u32, 783);
}
