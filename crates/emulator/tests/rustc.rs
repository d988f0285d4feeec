//! Runs kernels as rustc compiles them: `ptx/basics.ptx` is rustc's output for `ptx/basics.rs`.

mod common;

use common::{Arg, Bench};
use emulator::{FaultKind, LaunchError};

fn bench() -> Bench {
    Bench::new(include_str!("ptx/basics.ptx"))
}

#[test]
fn signatures() {
    let bench = bench();
    let names: Vec<&str> = bench.program.kernels().map(|k| k.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "arith",
            "asmk",
            "atomics",
            "deadpanic",
            "local",
            "matcher",
            "printer",
            "structs",
            "tables",
            "vecadd"
        ]
    );
    let structs = bench.program.kernel("structs").unwrap();
    let sizes: Vec<_> = structs
        .params
        .iter()
        .map(|p| (p.size, p.align, p.ty.as_str()))
        .collect();
    assert_eq!(
        sizes,
        [(24, 8, ".b8[24]"), (8, 4, ".b8[8]"), (8, 8, ".u64")]
    );
    assert!(bench.program.kernel("asmk").unwrap().uses_dynamic_shared);
    assert!(!bench.program.kernel("vecadd").unwrap().uses_dynamic_shared);
    assert_eq!(bench.program.target().to_string(), "sm_80");
}

#[test]
fn vecadd() {
    let bench = bench();
    let n = 1000;
    let a: Vec<u32> = (0..n).map(|i| (i as f32 * 0.5).to_bits()).collect();
    let b: Vec<u32> = (0..n).map(|i| (1000.0 - i as f32).to_bits()).collect();
    let (pa, pb) = (bench.words(&a), bench.words(&b));
    let pc = bench.device.alloc(4 * n).unwrap();
    let report = bench.run(
        "vecadd",
        8,
        128,
        &[Arg::U64(pa), Arg::U64(pb), Arg::U64(pc), Arg::U32(n as u32)],
    );
    let sums: Vec<u32> = a
        .iter()
        .zip(&b)
        .map(|(&a, &b)| (f32::from_bits(a) + f32::from_bits(b)).to_bits())
        .collect();
    assert_eq!(bench.read_words(pc, n), sums);
    assert_eq!((report.blocks, report.opcodes["add.rn.f32"]), (8, 32));
    // 1000 * 4 bytes are 125 sectors, read twice and written once.
    assert_eq!(report.memory.global_sectors, 3 * 125);
}

#[test]
fn structs_by_value() {
    let bench = bench();
    let out = bench.device.alloc(8 * 64).unwrap();
    let mut p = vec![0; 24];
    // The fields of `P` in rustc's order with repr(C): a at 0, b at 8, c at 16.
    p[0..4].copy_from_slice(&7u32.to_le_bytes());
    p[8..16].copy_from_slice(&0x1_0000_0000u64.to_le_bytes());
    p[16..19].copy_from_slice(&[1, 50, 3]);
    let mut q = vec![0; 8];
    q[0..4].copy_from_slice(&u32::MAX.to_le_bytes());
    q[4] = 200;
    bench.run(
        "structs",
        2,
        32,
        &[Arg::Bytes(p), Arg::Bytes(q), Arg::U64(out)],
    );
    let expected = 7 + 0x1_0000_0000 + 50 + u64::from(u32::MAX) + 200;
    assert_eq!(bench.read_longs(out, 64), [expected; 64]);
}

fn f0(x: u32) -> u32 {
    x.wrapping_mul(3)
}
fn f1(x: u32) -> u32 {
    x.rotate_left(5)
}
fn f2(x: u32) -> u32 {
    if x == 0 { 0 } else { f2(x / 3) + 1 }
}

#[test]
fn tables_strings_and_function_pointers() {
    let bench = bench();
    let n = 500;
    let out = bench.device.alloc(4 * n).unwrap();
    bench.run("tables", 4, 128, &[Arg::U64(out), Arg::U32(n as u32)]);
    let functions = [f0, f1, f2];
    let expected: Vec<u32> = (0..n)
        .map(|i| {
            let mut s = [3u32, 1, 4, 1, 5][i % 5];
            for b in ["alpha", "beta", "gamma!"][i % 3].bytes() {
                s = s.wrapping_mul(31).wrapping_add(u32::from(b));
            }
            s.wrapping_add(functions[i / 2 % 3](i as u32))
        })
        .collect();
    assert_eq!(bench.read_words(out, n), expected);
}

#[test]
fn arithmetic_of_every_kind() {
    let bench = bench();
    let (x, y, f, d) = (0x0123_4567_89ab_cdefu64, 0x89ab_cdef, 3.75f32, -1234.5f64);
    let out = bench.device.alloc(8 * 256).unwrap();
    bench.run(
        "arith",
        2,
        128,
        &[
            Arg::U64(out),
            Arg::U64(x),
            Arg::U32(y),
            Arg::F32(f),
            Arg::F64(d),
        ],
    );
    let expected: Vec<u64> = (0..256u64)
        .map(|i| {
            let mut r = u64::from(x.leading_zeros())
                + u64::from((x ^ i).trailing_zeros())
                + u64::from((x & i).count_ones());
            r = r
                .wrapping_add(x.rotate_left((i & 63) as u32))
                .wrapping_add((x.swap_bytes() / (i + 1)).reverse_bits());
            r ^= u64::from(y.wrapping_add(i as u32).checked_mul(77).unwrap_or(9));
            r = r
                .wrapping_add((f * i as f32) as u64)
                .wrapping_add((d / i as f64) as i64 as u64);
            r = r.wrapping_add(u64::from((f + 1.5).to_bits()) << (i & 7));
            r = r
                .wrapping_add(((u128::from(x) * (u128::from(i) + 12345678901234567)) >> 64) as u64);
            r = r
                .saturating_add(u64::from(y))
                .wrapping_sub((i64::from(y as i32) % (i as i64 + 3)) as u64);
            r = r
                .wrapping_add((x as i64).signum() as u64)
                .wrapping_add((f64::from(f) * d) as f32 as u64);
            r.wrapping_add((f.abs().min(3.0).max(d as f32)) as i32 as u64)
        })
        .collect();
    assert_eq!(bench.read_longs(out, 256), expected);
}

#[test]
fn local_arrays() {
    let bench = bench();
    for n in [0u32, 1, 3, 4, 31, 100] {
        let out = bench.device.alloc(4 * 64).unwrap();
        bench.run("local", 1, 64, &[Arg::U64(out), Arg::U32(n)]);
        let expected: Vec<u32> = (0..64)
            .map(|i| {
                let mut a = [0u32; 32];
                for k in 0..n as usize {
                    a[(k * 7 + i) % 32] += k as u32;
                }
                a.iter()
                    .fold(0u32, |s, &v| s.wrapping_mul(17).wrapping_add(v))
            })
            .collect();
        // The compiler removes the array if nothing is written to it.
        assert_eq!(bench.read_words(out, 64), expected, "n = {n}");
    }
}

#[test]
fn jump_tables_diverge_and_meet() {
    let bench = bench();
    let n = 77u32;
    let out = bench.device.alloc(4 * 96).unwrap();
    bench.run("matcher", 3, 32, &[Arg::U64(out), Arg::U32(n)]);
    let expected: Vec<u32> = (0..96u32)
        .map(|i| match i.wrapping_mul(n) % 11 {
            0 => f0(n),
            1 => f1(n),
            2 => n ^ 77,
            3 => n + 5,
            4 => n.wrapping_mul(n),
            5 => n / 3,
            6 => f2(n),
            7 => !n,
            8 => n >> 3,
            9 => n << 4,
            _ => 1,
        })
        .collect();
    assert_eq!(bench.read_words(out, 96), expected);
}

#[test]
fn inline_assembly_and_dynamic_shared_memory() {
    let bench = bench();
    let out = bench.device.alloc(4 * 32).unwrap();
    let launch = emulator::Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 128,
    };
    bench.launch_with("asmk", launch, &[Arg::U64(out)]).unwrap();
    let expected: Vec<u32> = (0..32u32)
        .map(|t| (31 - t) * (31 - t))
        .map(|v| v + u32::from(v > 100))
        .collect();
    assert_eq!(bench.read_words(out, 32), expected);
    let too_small = emulator::Launch {
        dynamic_shared: 124,
        ..launch
    };
    let fault = common::kind(bench.launch_with("asmk", too_small, &[Arg::U64(out)]));
    assert!(
        matches!(
            fault,
            FaultKind::OutOfBounds {
                offset: 124,
                length: 124,
                ..
            }
        ),
        "{fault}"
    );
}

#[test]
fn printing_and_assertions() {
    let bench = bench();
    let report = bench.run("printer", 2, 2, &[Arg::U32(7)]);
    assert_eq!(
        report.output,
        "thread 0 of 7: 3.500000\nthread 1 of 7: 3.500000\nthread 2 of 7: 3.500000\nthread 3 of 7: 3.500000\n"
    );
    let fault = bench.fault("printer", 1, 1, &[Arg::U32(0)]);
    let FaultKind::Assertion {
        message,
        file,
        line,
        function,
    } = &fault.what
    else {
        panic!("{fault}")
    };
    assert_eq!(
        (&**message, &**file, *line, &**function),
        ("n", "k.rs", 3, "printer")
    );
}

#[test]
fn atomics() {
    let bench = bench();
    let p = bench.words(&[10, 0, 0, 0, 0, 0, 0, 0, 0, 0xffff_ffff]);
    let q = bench.longs(&[5]);
    bench.run("atomics", 3, 40, &[Arg::U64(p), Arg::U64(q)]);
    let words = bench.read_words(p, 10);
    // 120 threads add 3, and each flips with 5 once. The flips cancel in pairs only if nothing is
    // added between them, so only the byte counter has a value that does not depend on the order.
    assert_eq!(words[9], 0xffff_ff00 | (0xffu32.wrapping_add(120) & 0xff));
    // Every run gives the same result.
    let p2 = bench.words(&[10, 0, 0, 0, 0, 0, 0, 0, 0, 0xffff_ffff]);
    let q2 = bench.longs(&[5]);
    bench.run("atomics", 3, 40, &[Arg::U64(p2), Arg::U64(q2)]);
    assert_eq!(bench.read_words(p2, 10), words);
    assert_eq!(bench.read_longs(q2, 1), bench.read_longs(q, 1));
}

#[test]
fn a_panic_is_a_trap_with_its_place() {
    let bench = bench();
    let p = bench.words(&[0; 8]);
    bench.run("deadpanic", 1, 8, &[Arg::U64(p), Arg::U64(8)]);
    assert_eq!(bench.read_words(p, 8), [2; 8]);
    let fault = bench.fault("deadpanic", 1, 9, &[Arg::U64(p), Arg::U64(8)]);
    assert_eq!(
        (&fault.what, fault.thread),
        (&FaultKind::Trap, Some([8, 0, 0]))
    );
    assert!(fault.function.contains("panic"), "{fault}");
    let fault = bench.fault("deadpanic", 1, 1, &[Arg::U64(p), Arg::U64(3)]);
    assert_eq!(fault.what, FaultKind::Trap);
    assert!(matches!(
        bench.launch("missing", 1, 1, &[]),
        Err(LaunchError::NoSuchKernel { .. })
    ));
}
