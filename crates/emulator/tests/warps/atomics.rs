//! Checks atomics of every kind, and that every run gives the same result.

use super::*;

#[test]
fn atomics_of_every_kind() {
    type Case = (
        &'static str,
        &'static str,
        u64,
        fn(u64) -> u64,
        fn(u64, u64) -> u64,
    );
    let cases: [Case; 14] = [
        ("add.u32", "u32", 7, |i| i, |o, a| (o + a) & 0xffff_ffff),
        ("add.u64", "u64", 7, |i| i << 40, |o, a| o.wrapping_add(a)),
        (
            "min.s32",
            "s32",
            5,
            |i| (3i64 - i as i64) as u64 & 0xffff_ffff,
            |o, a| (o as i32).min(a as i32) as u32 as u64,
        ),
        ("max.u32", "u32", 5, |i| i * 77 % 31, |o, a| o.max(a)),
        (
            "max.s64",
            "s64",
            5,
            |i| (i as i64 - 16) as u64,
            |o, a| (o as i64).max(a as i64) as u64,
        ),
        (
            "and.b32",
            "b32",
            0xffff_ffff,
            |i| !(1 << i) & 0xffff_ffff,
            |o, a| o & a,
        ),
        ("or.b64", "b64", 0, |i| 1 << (2 * i), |o, a| o | a),
        ("xor.b32", "b32", 9, |i| i * 3, |o, a| o ^ a),
        ("exch.b32", "b32", 9, |i| i * 3, |_, a| a),
        (
            "inc.u32",
            "u32",
            2,
            |_| 5,
            |o, a| if o >= a { 0 } else { o + 1 },
        ),
        (
            "dec.u32",
            "u32",
            2,
            |_| 5,
            |o, a| if o == 0 || o > a { a } else { o - 1 },
        ),
        (
            "add.f32",
            "f32",
            0,
            |i| u64::from((i as f32).to_bits()),
            |o, a| u64::from((f32::from_bits(o as u32) + f32::from_bits(a as u32)).to_bits()),
        ),
        (
            "add.f64",
            "f64",
            0,
            |i| (i as f64).to_bits(),
            |o, a| (f64::from_bits(o) + f64::from_bits(a)).to_bits(),
        ),
        (
            "add.noftz.f16x2",
            "f16x2",
            0,
            |i| half::f16::from_f32(i as f32).to_bits() as u64 * 0x1_0001,
            |o, a| {
                let add = |k: u32| {
                    let h = |x: u64| half::f16::from_bits((x >> k) as u16);
                    u64::from((h(o) + h(a)).to_bits()) << k
                };
                add(0) | add(16)
            },
        ),
    ];
    for (op, ty, start, operand, definition) in cases {
        let wide = ty.ends_with("64");
        let (r, bits) = if wide { ("%d", 64) } else { ("%r", 32) };
        for space in ["global", "shared"] {
            let (base, set, get) = if space == "global" {
                ("%a0", String::new(), String::new())
            } else {
                (
                    "%d30",
                    format!(
                        "setp.eq.u32 %p1, %tid, 0; @%p1 ld.global.b{bits} {r}9, [%a0]; @%p1 st.shared.b{bits} [%d30], {r}9; bar.sync 0;"
                    ),
                    format!(
                        "bar.sync 0; ld.shared.b{bits} {r}9, [%d30]; st.global.b{bits} [%a0], {r}9;"
                    ),
                )
            };
            let text = entry(
                3,
                &format!(
                    "mov.u64 %d30, dynamic; {set} mul.wide.u32 %d0, %tid, 8; add.u64 %d1, %a1, %d0; add.u64 %d2, %a2, %d0;\n\
                     ld.global.b{bits} {r}5, [%d1]; atom.{space}.{op} {r}6, [{base}], {r}5; st.global.b{bits} [%d2], {r}6;\n\
                     {get} ret;"
                ),
            );
            let bench = Bench::new(&text);
            let operands: Vec<u64> = (0..32).map(operand).collect();
            let cell = bench.longs(&[start]);
            let (input, output) = (bench.longs(&operands), bench.longs(&[0; 32]));
            let launch = emulator::Launch {
                grid: [1, 1, 1],
                block: [32, 1, 1],
                dynamic_shared: 8,
            };
            bench
                .launch_with(
                    "k",
                    launch,
                    &[Arg::U64(cell), Arg::U64(input), Arg::U64(output)],
                )
                .unwrap_or_else(|e| panic!("{op} {space}: {e}"));
            let mut value = start;
            for (i, &a) in operands.iter().enumerate() {
                assert_eq!(
                    bench.read_longs(output, 32)[i],
                    value,
                    "{space} {op}: what lane {i} saw"
                );
                value = definition(value, a);
            }
            assert_eq!(bench.read_longs(cell, 1), [value], "{space} {op}");
        }
    }
}

/// Checks vectors: each element is a sum of its own, lane after lane. Even lanes use the first
/// vector, and odd lanes the second.
#[test]
fn vectors() {
    type Add = fn(u32, u32) -> u32;
    let f32s: Add = |o, a| (f32::from_bits(o) + f32::from_bits(a)).to_bits();
    let f16s: Add = |o, a| {
        u32::from((half::f16::from_bits(o as u16) + half::f16::from_bits(a as u16)).to_bits())
    };
    let bf16s: Add = |o, a| {
        u32::from((half::bf16::from_bits(o as u16) + half::bf16::from_bits(a as u16)).to_bits())
    };
    let f16 = |x: f32| u32::from(half::f16::from_f32(x).to_bits());
    let bf16 = |x: f32| u32::from(half::bf16::from_f32(x).to_bits());
    type Case<'a> = (
        &'a str,
        u32,
        &'a [usize],
        &'a dyn Fn(f32) -> u32,
        &'a dyn Fn(u32, u32) -> u32,
    );
    let cases: [Case; 5] = [
        ("f32", 32, &[2, 4], &|x| x.to_bits(), &f32s),
        ("f16", 16, &[2, 4, 8], &f16, &f16s),
        ("bf16", 16, &[2, 4, 8], &bf16, &bf16s),
        (
            "f16x2",
            32,
            &[2, 4],
            &|x| f16(x) | f16(-x) << 16,
            &|o, a| f16s(o & 0xffff, a & 0xffff) | f16s(o >> 16, a >> 16) << 16,
        ),
        (
            "bf16x2",
            32,
            &[2, 4],
            &|x| bf16(x) | bf16(-x) << 16,
            &|o, a| bf16s(o & 0xffff, a & 0xffff) | bf16s(o >> 16, a >> 16) << 16,
        ),
    ];
    for (ty, bits, counts, operand, add) in cases {
        for (&count, opcode) in counts.iter().flat_map(|n| [(n, "atom"), (n, "red")]) {
            let (r, bytes) = (if bits == 16 { "%h" } else { "%r" }, bits as usize / 8);
            let list = |from: usize| {
                let all: Vec<_> = (from..from + count).map(|k| format!("{r}{k}")).collect();
                format!("{{{}}}", all.join(","))
            };
            let noftz = if ty == "f32" { "" } else { ".noftz" };
            let each = |what: &dyn Fn(usize) -> String| (0..count).map(what).collect::<String>();
            let loads = each(&|k| format!("ld.global.b{bits} {r}{k}, [%d1+{}];", 4 * k));
            let (old, stores) = if opcode == "atom" {
                let stores = each(&|k| format!("st.global.b{bits} [%d2+{}], {r}{};", 4 * k, k + 8));
                (format!("{}, ", list(8)), stores)
            } else {
                (String::new(), String::new())
            };
            let text = entry(
                3,
                &format!(
                    "mul.wide.u32 %d0, %tid, 32; add.u64 %d1, %a1, %d0; add.u64 %d2, %a2, %d0; {loads}\n\
                     and.b32 %r30, %tid, 1; mul.wide.u32 %d3, %r30, {}; add.u64 %d3, %a0, %d3;\n\
                     {opcode}.global.add{noftz}.v{count}.{ty} {old}[%d3], {}; {stores} ret;",
                    bytes * count,
                    list(0)
                ),
            );
            let bench = Bench::new(&text);
            let operands: Vec<u32> = (0..256).map(|i| operand((i % 37) as f32 - 9.5)).collect();
            let cells = bench.bytes(&vec![0; 2 * bytes * count]);
            let (input, output) = (bench.words(&operands), bench.words(&[0; 256]));
            bench.run(
                "k",
                1,
                32,
                &[Arg::U64(cells), Arg::U64(input), Arg::U64(output)],
            );
            let seen = bench.read_words(output, 256);
            let mut held = vec![0; 2 * count];
            for lane in 0..32 {
                for k in 0..count {
                    let (value, at) = (&mut held[lane % 2 * count + k], 8 * lane + k);
                    if opcode == "atom" {
                        assert_eq!(
                            seen[at], *value,
                            "{ty} v{count}: what lane {lane} saw of {k}"
                        );
                    }
                    *value = add(*value, operands[at]);
                }
            }
            let mut after = vec![0; 2 * bytes * count];
            bench.device.read(cells, &mut after).unwrap();
            let held: Vec<u8> = held
                .iter()
                .flat_map(|v| v.to_le_bytes()[..bytes].to_vec())
                .collect();
            assert_eq!(after, held, "{opcode} {ty} v{count}");
        }
    }
}

/// Checks that results may be written to registers that are operands of further elements.
#[test]
fn results_of_vectors_are_written_behind_the_operands() {
    let body = "mov.f32 %r1, 1.0; mov.f32 %r2, 2.0; mov.f32 %r3, 3.0; mov.f32 %r4, 4.0;\n\
                atom.global.add.v4.f32 {%r4,%r3,%r2,%r1}, [%a0], {%r1,%r2,%r3,%r4};\n\
                st.global.v4.f32 [%a0+16], {%r4,%r3,%r2,%r1}; ret;";
    let bench = Bench::new(&entry(1, body));
    let before = [10.0f32, 20.0, 30.0, 40.0].map(f32::to_bits);
    let cells = bench.words(&[before, [0; 4]].concat());
    bench.run("k", 1, 1, &[Arg::U64(cells)]);
    let after = [11.0f32, 22.0, 33.0, 44.0].map(f32::to_bits);
    assert_eq!(bench.read_words(cells, 8), [after, before].concat());
}

/// Checks that a vector cannot be in shared memory, even by a generic address.
#[test]
fn vectors_are_of_global_memory() {
    let body =
        "mov.u64 %d1, dynamic; cvta.shared.u64 %d1, %d1; red.add.v2.f32 [%d1], {%tid, %tid}; ret;";
    let launch = emulator::Launch {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        dynamic_shared: 16,
    };
    let what = kind(Bench::new(&entry(0, body)).launch_with("k", launch, &[]));
    let problem = "a vector of atomic operations on shared memory".to_owned();
    assert_eq!(what, FaultKind::Operand(problem));
}

#[test]
fn the_same_in_every_run_and_on_any_number_of_threads() {
    let body = "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %tid; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %a0, %d1;\n\
                rem.u32 %r3, %r2, 7; L: setp.eq.u32 %p1, %r3, 0; @%p1 bra E; sub.u32 %r3, %r3, 1;\n\
                mad.lo.u32 %r2, %r2, 5, 1; bra L; E: st.global.u32 [%d1], %r2; ret;";
    let run = |threads| {
        let config = emulator::Config {
            threads: Some(threads),
            ..Default::default()
        };
        let bench = Bench::with(&entry(1, body), config);
        let out = bench.device.alloc(4 * 64 * 100).unwrap();
        let report = bench.run("k", 100, 64, &[Arg::U64(out)]);
        (bench.read_words(out, 6400), report)
    };
    let first = run(1);
    assert_eq!(first, run(2));
    assert_eq!(first, run(5));
}
