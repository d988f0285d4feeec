//! Loads and stores of every width in every space, asynchronous copies, matrix loads, and what accesses are counted.

mod common;

use common::{Arg, Bench, Random, entry};
use emulator::Launch;

fn bytes(n: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    (0..n).map(|_| random.next() as u8).collect()
}

/// A block with 4,096 bytes of dynamic shared memory at `%d30` (`%r30`), `%a0` the input, `%a1` the output.
fn run(body: &str, threads: u32, input: &[u8], output: usize) -> (Vec<u8>, emulator::Report) {
    let text = entry(
        2,
        &format!("mov.u64 %d30, dynamic; mov.u32 %r30, dynamic;\n{body}\nret;"),
    );
    let bench = Bench::new(&text);
    let (a, b) = (bench.bytes(input), bench.bytes(&vec![0; output]));
    let launch = Launch {
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared: 4096,
    };
    let report = bench
        .launch_with("k", launch, &[Arg::U64(a), Arg::U64(b)])
        .unwrap_or_else(|e| panic!("{e}\n{body}"));
    let mut out = vec![0; output];
    bench.device.read(b, &mut out).unwrap();
    (out, report)
}

#[test]
fn every_width_through_every_space() {
    // Each thread moves 16 bytes from the input through a space to the output, in pieces of each width.
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
        // The middle memory: shared by its window and by generic addresses, local by both, global itself.
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
    // Lane i reads the same word from global, shared, local or parameter memory, by one instruction.
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
fn special_registers() {
    let body = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z; mov.u32 %r4, %nctaid.y;\n\
        mov.u32 %r5, %tid.y; mov.u32 %r6, %tid.z; mov.u32 %r7, %ntid.z; mov.u32 %r8, %laneid; mov.u32 %r9, %warpid;\n\
        mov.u32 %r10, %lanemask_lt; mov.u32 %r11, %lanemask_ge; mov.u32 %r12, %dynamic_smem_size;\n\
        mov.u32 %r13, %total_smem_size; mov.u32 %r14, %nwarpid; mov.u32 %r15, %lanemask_eq;\n\
        mov.u32 %r20, %nctaid.x; mad.lo.u32 %r21, %r3, %r4, %r2; mad.lo.u32 %r21, %r21, %r20, %r1;\n\
        mul.lo.u32 %r21, %r21, 36; mad.lo.u32 %r22, %r6, 3, %r5; mad.lo.u32 %r22, %r22, 6, %tid; add.u32 %r21, %r21, %r22;\n\
        mul.wide.u32 %d1, %r21, 64; add.u64 %d1, %a0, %d1;\n\
        st.global.v4.u32 [%d1], {%r1,%r2,%r3,%tid}; st.global.v4.u32 [%d1+16], {%r5,%r6,%r7,%r8};\n\
        st.global.v4.u32 [%d1+32], {%r9,%r10,%r11,%r12}; st.global.v4.u32 [%d1+48], {%r13,%r14,%r15,%r4}; ret;";
    let bench = Bench::new(&entry(1, body));
    let (grid, block) = ([2u32, 3, 2], [6u32, 3, 2]);
    let out = bench.words(&vec![0; 12 * 36 * 16]);
    bench
        .launch_with(
            "k",
            Launch {
                grid,
                block,
                dynamic_shared: 96,
            },
            &[Arg::U64(out)],
        )
        .unwrap();
    let found = bench.read_words(out, 12 * 36 * 16);
    for b in 0..12u32 {
        for t in 0..36u32 {
            let record = &found[((b * 36 + t) * 16) as usize..][..16];
            let lane = t % 32;
            let lt = (1u64 << lane) as u32 - 1;
            let expected = [
                b % 2,
                b / 2 % 3,
                b / 6,
                t % 6,
                t / 6 % 3,
                t / 18,
                2,
                lane,
                t / 32,
                lt,
                !lt,
                96,
                96,
                2,
                1 << lane,
                3,
            ];
            assert_eq!(record, expected, "block {b}, thread {t}");
        }
    }
}

#[test]
fn clocks_run() {
    let body = "mov.u64 %d1, %clock64; mov.u32 %r1, %clock; add.u32 %r2, %r2, 1; mov.u64 %d2, %clock64; mov.u64 %d3, %globaltimer;\n\
                sub.u64 %d2, %d2, %d1; st.global.u64 [%a1], %d2;";
    let (out, _) = run(body, 1, &[0], 8);
    assert_eq!(out[0], 3, "one for each instruction");
}

#[test]
fn copies_fill_with_zeros() {
    let input = bytes(512, 3);
    for (bytes, op) in [(4usize, "ca"), (8, "ca"), (16, "ca"), (16, "cg")] {
        for size in [0, 1, 3, bytes - 1, bytes] {
            let body = format!(
                "mul.wide.u32 %d0, %tid, 16; add.u64 %d1, %d30, %d0; add.u64 %d2, %a0, %d0; add.u64 %d3, %a1, %d0; cvt.u32.u64 %r2, %d1;\n\
                 st.shared.v4.u32 [%d1], {{-1, -1, -1, -1}}; mov.u32 %r1, {size};\n\
                 cp.async.{op}.shared.global.L2::128B [%r2], [%d2], {bytes}, %r1; cp.async.commit_group; cp.async.wait_group 0;\n\
                 ld.shared.v4.u32 {{%r3,%r4,%r5,%r6}}, [%d1]; st.global.v4.u32 [%d3], {{%r3,%r4,%r5,%r6}};"
            );
            let (out, _) = run(&body, 32, &input, 512);
            for (i, &found) in out.iter().enumerate() {
                let expected = match i % 16 {
                    at if at < size => input[i],
                    at if at < bytes => 0,
                    _ => 0xff,
                };
                assert_eq!(
                    found, expected,
                    "{op} {bytes} bytes, {size} from the source, byte {i}"
                );
            }
        }
    }
    // Ignored for odd threads.
    let body = "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %d30, %d0; add.u64 %d2, %a0, %d0; add.u64 %d3, %a1, %d0; and.b32 %r1, %tid, 1;\n\
                setp.eq.u32 %p1, %r1, 1; cp.async.ca.shared.global [%d1], [%d2], 4, %p1; cp.async.wait_all;\n\
                ld.shared.u32 %r3, [%d1]; st.global.u32 [%d3], %r3;";
    let (out, _) = run(body, 32, &input, 128);
    assert!(out.chunks(4).enumerate().all(|(i, word)| if i % 2 == 1 {
        word == [0; 4]
    } else {
        word == &input[4 * i..4 * i + 4]
    }));
}

#[test]
fn groups_of_copies_arrive_in_order() {
    // Three groups; with one still on its way the first two may be read.
    let input = bytes(64, 5);
    let body = "cp.async.ca.shared.global [%d30], [%a0], 4; cp.async.commit_group;\n\
                cp.async.ca.shared.global [%d30+4], [%a0+4], 4; cp.async.commit_group;\n\
                cp.async.ca.shared.global [%d30+8], [%a0+8], 4; cp.async.commit_group; cp.async.wait_group 1;\n\
                ld.shared.v2.u32 {%r1,%r2}, [%d30]; cp.async.wait_all; ld.shared.u32 %r3, [%d30+8];\n\
                st.global.v2.u32 [%a1], {%r1,%r2}; st.global.u32 [%a1+8], %r3;";
    let (out, _) = run(body, 1, &input, 12);
    assert_eq!(out, input[..12]);
}

#[test]
fn matrices_load_and_store() {
    let input = bytes(512, 7);
    let half = |row: usize, column: usize| {
        let at = row * 16 + column * 2;
        u16::from_le_bytes([input[at], input[at + 1]])
    };
    let prepare = "mul.wide.u32 %d0, %tid, 16; add.u64 %d1, %a0, %d0; add.u64 %d2, %d30, %d0; cvt.u32.u64 %r9, %d2;\n\
                   ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%d1]; st.shared.v4.u32 [%d2], {%r1,%r2,%r3,%r4}; bar.sync 0;\n";
    for (count, registers) in [(1, "{%r1}"), (2, "{%r1,%r2}"), (4, "{%r1,%r2,%r3,%r4}")] {
        for trans in ["", ".trans"] {
            let body = format!(
                "{prepare} ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {registers}, [%r9];\n\
                 add.u64 %d3, %a1, %d0; st.global.v4.u32 [%d3], {{%r1,%r2,%r3,%r4}};"
            );
            let (out, report) = run(&body, 32, &input, 512);
            for lane in 0..32 {
                for matrix in 0..count {
                    // PTX: row lane / 4, columns 2 (lane % 4) and the next, of the matrix or its transpose.
                    for k in 0..2 {
                        let (i, j) = (lane / 4, 2 * (lane % 4) + k);
                        let expected = if trans.is_empty() {
                            half(8 * matrix + i, j)
                        } else {
                            half(8 * matrix + j, i)
                        };
                        let at = lane * 16 + matrix * 4 + k * 2;
                        assert_eq!(
                            u16::from_le_bytes([out[at], out[at + 1]]),
                            expected,
                            "x{count}{trans} lane {lane}"
                        );
                    }
                }
            }
            let line = report
                .lines
                .iter()
                .find(|l| l.instruction.starts_with("ldmatrix"))
                .unwrap();
            // Rows of 16 bytes one behind the other: 128 bytes a matrix, no conflict.
            assert_eq!(
                (line.memory.shared_wavefronts, line.memory.bank_conflicts),
                (count as u64, 0)
            );
            // Stored again as they were loaded they are the rows that they were; by a generic address this time.
            let body = format!(
                "{prepare} ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {registers}, [%r9]; bar.sync 0;\n\
                 cvta.shared.u64 %d4, %d2; stmatrix.sync.aligned.m8n8.x{count}{trans}.b16 [%d4+2048], {registers};\n\
                 bar.sync 0; setp.lt.u32 %p1, %tid, {}; add.u64 %d3, %a1, %d0;\n\
                 @%p1 ld.shared.v4.u32 {{%r1,%r2,%r3,%r4}}, [%d2+2048]; @%p1 st.global.v4.u32 [%d3], {{%r1,%r2,%r3,%r4}};",
                8 * count
            );
            let (out, _) = run(&body, 32, &input, 512);
            assert_eq!(
                out[..128 * count],
                input[..128 * count],
                "stmatrix x{count}{trans}"
            );
        }
    }
    let body = format!(
        "{prepare} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r1}}, [%r9]; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n\
         ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {{%r2}}, [%r9]; xor.b32 %r1, %r1, %r2;\n\
         mul.wide.u32 %d0, %tid, 4; add.u64 %d3, %a1, %d0; st.global.u32 [%d3], %r1;"
    );
    assert_eq!(run(&body, 32, &input, 128).0, [0; 128]);
}

#[test]
fn a_matrix_product() {
    // D = A B + C in f16 with f32 sums, small integers so that every sum is exact: 16x8x16 and 16x8x8.
    for k in [16usize, 8] {
        for ty in ["f16", "bf16"] {
            let mut random = Random(k as u64);
            let mut small = |n: usize| -> Vec<f32> {
                (0..n).map(|_| (random.next() % 17) as f32 - 8.0).collect()
            };
            let (a, b, c) = (small(16 * k), small(k * 8), small(16 * 8));
            let bits = |v: f32| {
                if ty == "f16" {
                    half::f16::from_f32(v).to_bits()
                } else {
                    half::bf16::from_f32(v).to_bits()
                }
            };
            // Registers of each lane by PTX's figures: g = lane / 4, t = lane % 4.
            let pair = |m: &[f32], n: usize, i: usize, j: usize, down: bool| {
                let next = if down {
                    m[(i + 1) * n + j]
                } else {
                    m[i * n + j + 1]
                };
                u32::from(bits(m[i * n + j])) | u32::from(bits(next)) << 16
            };
            let mut words = Vec::new();
            for lane in 0..32 {
                let (g, t) = (lane / 4, lane % 4);
                let mut record = Vec::new();
                for (di, dj) in [(0, 0), (8, 0), (0, 8), (8, 8)].into_iter().take(k / 4) {
                    record.push(pair(&a, k, g + di, 2 * t + dj, false));
                }
                for di in [0, 8].into_iter().take(k / 8) {
                    record.push(pair(&b, 8, 2 * t + di, g, true));
                }
                for (di, dj) in [(0, 0), (0, 1), (8, 0), (8, 1)] {
                    record.push(c[(g + di) * 8 + 2 * t + dj].to_bits());
                }
                record.resize(12, 0);
                words.extend(record);
            }
            let (n_a, n_b) = (k / 4, k / 8);
            let name = |from: usize, n: usize| {
                (from..from + n)
                    .map(|i| format!("%r{}", 10 + i))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let body = format!(
                "mul.wide.u32 %d0, %tid, 48; add.u64 %d1, %a0, %d0;\n\
                 ld.global.v4.u32 {{%r10,%r11,%r12,%r13}}, [%d1]; ld.global.v4.u32 {{%r14,%r15,%r16,%r17}}, [%d1+16];\n\
                 ld.global.v4.u32 {{%r18,%r19,%r20,%r21}}, [%d1+32];\n\
                 mma.sync.aligned.m16n8k{k}.row.col.f32.{ty}.{ty}.f32 {{%r1,%r2,%r3,%r4}}, {{{}}}, {{{}}}, {{{}}};\n\
                 mul.wide.u32 %d0, %tid, 16; add.u64 %d2, %a1, %d0; st.global.v4.u32 [%d2], {{%r1,%r2,%r3,%r4}};",
                name(0, n_a),
                name(n_a, n_b),
                name(n_a + n_b, 4)
            );
            let input: Vec<u8> = words.iter().flat_map(|w: &u32| w.to_le_bytes()).collect();
            let (out, report) = run(&body, 32, &input, 512);
            for lane in 0..32 {
                let (g, t) = (lane / 4, lane % 4);
                for (r, (di, dj)) in [(0, 0), (0, 1), (8, 0), (8, 1)].into_iter().enumerate() {
                    let (i, j) = (g + di, 2 * t + dj);
                    let expected =
                        c[i * 8 + j] + (0..k).map(|x| a[i * k + x] * b[x * 8 + j]).sum::<f32>();
                    let at = lane * 16 + r * 4;
                    let found = f32::from_le_bytes(out[at..at + 4].try_into().unwrap());
                    assert_eq!(found, expected, "{ty} k={k} ({i},{j})");
                }
            }
            assert_eq!(
                report
                    .opcodes
                    .iter()
                    .filter(|(name, _)| name.starts_with("mma"))
                    .count(),
                1
            );
        }
    }
}

#[test]
fn every_mma_of_the_table_lowers() {
    for mma in emulator::numerics::mma::Mma::all() {
        let need = mma.registers();
        let file = if need.bits == 64 { "%d" } else { "%r" };
        let list = |n: usize, from: usize| {
            let names: Vec<String> = (from..from + n).map(|i| format!("{file}{i}")).collect();
            format!("{{{}}}", names.join(","))
        };
        let body = format!(
            "{mma} {}, {}, {}, {}; ret;",
            list(need.d, 0),
            list(need.a, 8),
            list(need.b, 16),
            list(need.c, 24)
        );
        let bench = Bench::new(&entry(0, &body));
        bench.run("k", 1, 32, &[]);
    }
}

#[test]
fn bank_conflicts_and_sectors_by_instruction() {
    let at = |report: &emulator::Report, text: &str| {
        report
            .lines
            .iter()
            .find(|l| l.instruction.starts_with(text))
            .unwrap_or_else(|| panic!("{text}"))
            .memory
    };
    for (stride, wavefronts) in [(4, 1), (8, 2), (16, 4), (128, 32), (132, 1)] {
        let body = format!(
            "mul.lo.u32 %r1, %tid, {stride}; add.u32 %r1, %r30, %r1; st.shared.u32 [%r1], %tid;"
        );
        let text = entry(0, &format!("mov.u32 %r30, dynamic; {body} ret;"));
        let bench = Bench::new(&text);
        let launch = Launch {
            grid: [3, 1, 1],
            block: [64, 1, 1],
            dynamic_shared: 16384,
        };
        let report = bench.launch_with("k", launch, &[]).unwrap();
        let counts = at(&report, "st.shared");
        assert_eq!(
            (counts.requests, counts.shared_wavefronts),
            (6, 6 * wavefronts),
            "stride {stride}"
        );
        assert_eq!(counts.bank_conflicts, 6 * (wavefronts - 1));
        assert_eq!(report.memory.bank_conflicts, counts.bank_conflicts);
    }
    let input = vec![0; 32 * 128];
    for (stride, sectors) in [(4, 4), (32, 32), (64, 32), (128, 32), (0, 1)] {
        let body = format!(
            "mul.wide.u32 %d0, %tid, {stride}; add.u64 %d1, %a0, %d0; ld.global.u32 %r1, [%d1];"
        );
        let (_, report) = run(&body, 32, &input, 4);
        assert_eq!(
            at(&report, "ld.global.u32 %r1").global_sectors,
            sectors,
            "stride {stride}"
        );
    }
    let (_, report) = run(
        "st.global.u32 [%a1], %tid; add.u32 %r1, %r1, 1; @%p1 add.u32 %r1, %r1, 1;",
        32,
        &[0],
        4,
    );
    // What is guarded by a false predicate is still an instruction.
    assert_eq!(report.opcodes["add.u32"], 2);
    assert_eq!(
        report.instructions,
        report.lines.iter().map(|l| l.executed).sum::<u64>()
    );
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
