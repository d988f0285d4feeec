//! Runs the instructions of `layout-types`' atoms as PTX: every `mma.sync` with the atom's own
//! layouts over threads and values, and the loads, stores and copies in the forms that its wrappers
//! write.

mod common;
mod product;
mod random;

use common::{Arg, Bench, entry};
use emulator::numerics::mma::{Arithmetic, Mma, Order};
use emulator::{Config, Launch};
use layout_types::atom::mma::{MMA_SYNC, MmaFacts};
use random::Random;
use std::cell::RefCell;
use std::collections::HashMap;

/// Writes a kernel of one `mma.sync`. Register `i` of lane `l` is the 64-bit word `32 i + l` of the
/// input, with A's registers first, then B's and C's; the output holds D's in the same way.
fn kernel(mma: &Mma) -> String {
    let need = mma.registers();
    let (file, ty) = if need.bits == 64 {
        ("%d", "b64")
    } else {
        ("%r", "b32")
    };
    let list = |from: usize, n: usize| {
        let names: Vec<String> = (from..from + n).map(|i| format!("{file}{i}")).collect();
        format!("{{{}}}", names.join(", "))
    };
    let inputs = need.a + need.b + need.c;
    let mut body = String::from(
        "mul.wide.u32 %d63, %tid, 8; add.u64 %a0, %a0, %d63; add.u64 %a1, %a1, %d63;\n",
    );
    for i in 0..inputs {
        body += &format!("ld.global.{ty} {file}{}, [%a0+{}];\n", 16 + i, 256 * i);
    }
    body += &format!(
        "{mma} {}, {}, {}, {};\n",
        list(0, need.d),
        list(16, need.a),
        list(16 + need.a, need.b),
        list(16 + need.a + need.b, need.c)
    );
    for i in 0..need.d {
        body += &format!("st.global.{ty} [%a1+{}], {file}{i};\n", 256 * i);
    }
    entry(2, &(body + "ret;"))
}

/// Runs the instruction as PTX on an emulated device.
fn on_device(
    benches: &RefCell<HashMap<Mma, Bench>>,
    mma: &Mma,
    inputs: [&[[u64; 32]]; 3],
) -> Vec<[u64; 32]> {
    let need = mma.registers();
    let mut benches = benches.borrow_mut();
    let bench = benches
        .entry(*mma)
        .or_insert_with(|| Bench::new(&kernel(mma)));
    let words: Vec<u64> = inputs.concat().concat();
    let input = bench.longs(&words);
    let output = bench.longs(&vec![0; 32 * need.d]);
    bench.run("k", 1, 32, &[Arg::U64(input), Arg::U64(output)]);
    let words = bench.read_longs(output, 32 * need.d);
    for address in [input, output] {
        bench.device.free(address).unwrap();
    }
    let (rows, []) = words.as_chunks::<32>() else {
        panic!()
    };
    // Registers of 32 bits were stored as such: the upper halves still hold the initial zeros.
    rows.to_vec()
}

/// Checks every atom's instruction, with its matrices scattered over lanes and registers by the
/// atom's layouts.
#[test]
fn every_mma_atom_is_a_triple_loop_over_its_layouts() {
    let atoms: Vec<MmaFacts> = MMA_SYNC.concat();
    let benches = RefCell::default();
    let mut random = Random(91);
    for atom in &atoms {
        let mma = Mma::parse(atom.ptx).unwrap_or_else(|error| panic!("{}: {error}", atom.name));
        assert_eq!(
            atom.shape,
            [mma.shape.m, mma.shape.n, mma.shape.k],
            "{}",
            atom.name
        );
        // In SM70's instructions, each group of eight lanes does one of a warp's four products,
        // with lanes 4 apart.
        let lanes: Vec<usize> = (0..atom.threads).map(|t| (atom.thr_id.index)(t)).collect();
        let thread = |lane: usize| {
            (0..32 / atom.threads)
                .find_map(|product| {
                    let at = lanes.iter().position(|&id| id + 4 * product == lane)?;
                    Some((product, at))
                })
                .unwrap_or_else(|| panic!("{}: lane {lane}", atom.name))
        };
        let place = |layout: fn(usize) -> usize, rows: usize, lane: usize, value: usize| {
            let (product, thread) = thread(lane);
            let at = layout(thread + atom.threads * value);
            (product, at % rows, at / rows)
        };
        let [m, n, _] = atom.shape;
        let a = |lane, value| place(atom.a.index, m, lane, value);
        // CuTe's B is (N,K).
        let b = |lane, value| {
            let (product, column, row) = place(atom.b.index, n, lane, value);
            (product, row, column)
        };
        let c = |lane, value| place(atom.c.index, m, lane, value);
        for _ in 0..4 {
            product::check(&mma, [&a, &b, &c, &c], &mut random, &|mma, a, b, c| {
                on_device(&benches, mma, [a, b, c])
            });
        }
    }
    let sm = |sm: usize| atoms.iter().filter(|atom| atom.sm == sm).count();
    assert_eq!([70, 75, 80, 89, 90].map(sm), [8, 2, 63, 8, 3]);
    let transposed = |atom: &&MmaFacts| {
        Mma::parse(atom.ptx).is_ok_and(|mma| mma.a_order == Order::Col || mma.b_order == Order::Row)
    };
    assert_eq!(atoms.iter().filter(transposed).count(), 6);
}

/// Runs a body in a warp with 1,024 bytes of shared memory at `%r30`. `%a0` is the input, `%a1` the
/// output, and `%d0` 16 times the lane. Returns the output.
fn moved(body: &str, input: &[u8]) -> Vec<u8> {
    let text = entry(
        2,
        &format!(
            "mul.wide.u32 %d0, %tid, 16; add.u64 %a0, %a0, %d0; add.u64 %a1, %a1, %d0; cvt.u32.u64 %r31, %d0;\n\
                  mov.u32 %r30, dynamic; add.u32 %r30, %r30, %r31;\n{body}\nret;"
        ),
    );
    let bench = Bench::new(&text);
    let (from, to) = (bench.bytes(input), bench.bytes(&vec![0xee; input.len()]));
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 1024,
    };
    bench
        .launch_with("k", launch, &[Arg::U64(from), Arg::U64(to)])
        .unwrap_or_else(|error| panic!("{error}\n{body}"));
    let mut out = vec![0; input.len()];
    bench.device.read(to, &mut out).unwrap();
    out
}

fn numbers() -> Vec<u8> {
    let mut random = Random(92);
    (0..512).map(|_| random.next() as u8).collect()
}

/// Checks loads and stores of every width. Each is in a scope of its own with a register of that
/// scope, as a wrapper's `asm!` is compiled.
#[test]
fn loads_and_stores_of_every_width() {
    let input = numbers();
    for (ty, bytes, registers) in [
        ("b8", 1usize, "%h1"),
        ("u8", 1, "%h1"),
        ("s8", 1, "%r1"),
        ("b16", 2, "%h1"),
        ("b32", 4, "%r1"),
        ("f32", 4, "%r1"),
        ("b64", 8, "%d1"),
        ("v2.b32", 8, "{%r1, %r2}"),
        ("v2.u64", 16, "{%d1, %d2}"),
        ("v4.b32", 16, "{%r1, %r2, %r3, %r4}"),
        ("v4.u16", 8, "{%h1, %h2, %h3, %h4}"),
        ("v4.u8", 4, "{%r1, %r2, %r3, %r4}"),
        ("v2.b8", 2, "{%h1, %h2}"),
    ] {
        let mut body = String::new();
        for at in (0..16).step_by(bytes) {
            body += &format!(
                "{{ .reg .u64 g; cvta.to.global.u64 g, %a0; ld.global.{ty} {registers}, [g+{at}]; }}\n\
                 st.shared.{ty} [%r30+{at}], {registers}; ld.shared.{ty} {registers}, [%r30+{at}];\n\
                 {{ .reg .u64 g; cvta.to.global.u64 g, %a1; st.global.{ty} [g+{at}], {registers}; }}\n"
            );
        }
        assert_eq!(moved(&body, &input), input, "{ty}");
    }
}

#[test]
fn asynchronous_copies_in_every_form() {
    let input = numbers();
    // Each form has the last one or two operands, and the number of bytes of an odd lane's copy
    // that come from the source.
    type Form<'a> = (&'a str, &'a str, fn(usize) -> usize);
    let forms: [Form; 9] = [
        ("", "", |bytes| bytes),
        ("", ", %r5", |_| 3),
        ("", ", 2", |_| 2),
        ("", ", %p1", |_| 0),
        ("", ", !%p2", |_| 0),
        (".L2::128B", "", |bytes| bytes),
        (".L2::cache_hint", ", %d9", |bytes| bytes),
        (".L2::cache_hint.L2::256B", ", %r5, %d9", |_| 3),
        (".L2::64B.L2::cache_hint", ", %p1, %d9", |_| 0),
    ];
    for (op, bytes) in [("ca", 4usize), ("ca", 8), ("ca", 16), ("cg", 16)] {
        for (hint, operands, taken) in forms {
            // For even lanes all bytes are copied.
            let body = format!(
                "and.b32 %r6, %tid, 1; setp.eq.u32 %p1, %r6, 1; not.pred %p2, %p1; selp.u32 %r5, 3, {bytes}, %p1;\n\
                 createpolicy.fractional.L2::evict_first.b64 %d9; st.shared.v4.b32 [%r30], {{-1, -1, -1, -1}};\n\
                 {{ .reg .u64 g; cvta.to.global.u64 g, %a0; cp.async.{op}.shared.global{hint} [%r30], [g], {bytes}{operands}; }}\n\
                 cp.async.commit_group; cp.async.wait_group 0;\n\
                 ld.shared.v4.b32 {{%r1, %r2, %r3, %r4}}, [%r30]; st.global.v4.b32 [%a1], {{%r1, %r2, %r3, %r4}};"
            );
            let constant = operands == ", 2";
            let found = moved(&body, &input);
            for (i, &byte) in found.iter().enumerate() {
                let (lane, at) = (i / 16, i % 16);
                let taken = if lane % 2 == 1 || constant {
                    taken(bytes)
                } else {
                    bytes
                };
                let expected = match at {
                    _ if at < taken => input[i],
                    _ if at < bytes => 0,
                    _ => 0xff,
                };
                assert_eq!(byte, expected, "{op}{hint} {bytes}{operands}, byte {i}");
            }
        }
    }
}

/// Moves rows of a matrix to shared memory and back by every form. CUTLASS's order of the modifiers
/// is valid PTX too.
#[test]
fn matrices_move_in_every_form() {
    let input = numbers();
    let half = |bytes: &[u8], i: usize| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]);
    let prepare = "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%a0];";
    for trans in [false, true] {
        for (count, list) in [
            (1usize, "{%r1}"),
            (2, "{%r1, %r2}"),
            (4, "{%r1, %r2, %r3, %r4}"),
        ] {
            let t = if trans { ".trans" } else { "" };
            for modifiers in [
                format!("m8n8.x{count}{t}.shared"),
                format!("x{count}{t}.m8n8.shared"),
                format!("m8n8.x{count}{t}.shared::cta"),
            ] {
                // Registers to rows: lane l has elements 2 (l % 4) and the next one of row l / 4.
                let body = format!(
                    "{prepare} st.shared.v4.b32 [%r30], {{0, 0, 0, 0}}; bar.sync 0;\n\
                     stmatrix.sync.aligned.{modifiers}.b16 [%r30], {list}; bar.sync 0;\n\
                     ld.shared.v4.b32 {{%r1, %r2, %r3, %r4}}, [%r30]; st.global.v4.b32 [%a1], {{%r1, %r2, %r3, %r4}};"
                );
                let found = moved(&body, &input);
                // Rows to registers.
                let body = format!(
                    "{prepare} st.shared.v4.b32 [%r30], {{%r1, %r2, %r3, %r4}}; bar.sync 0; mov.b32 %r1, 0; mov.b32 %r2, 0;\n\
                     mov.b32 %r3, 0; mov.b32 %r4, 0; ldmatrix.sync.aligned.{modifiers}.b16 {list}, [%r30];\n\
                     st.global.v4.b32 [%a1], {{%r1, %r2, %r3, %r4}};"
                );
                let loaded = moved(&body, &input);
                for matrix in 0..4 {
                    for lane in 0..32 {
                        for e in 0..2 {
                            let (i, j) = (lane / 4, 2 * (lane % 4) + e);
                            let (i, j) = if trans { (j, i) } else { (i, j) };
                            let register = 8 * lane + 2 * matrix + e;
                            let row = 8 * (8 * matrix + i) + j;
                            let there = matrix < count;
                            assert_eq!(
                                half(&found, row),
                                if there { half(&input, register) } else { 0 },
                                "stmatrix {modifiers} lane {lane}"
                            );
                            assert_eq!(
                                half(&loaded, register),
                                if there { half(&input, row) } else { 0 },
                                "ldmatrix {modifiers} lane {lane}"
                            );
                        }
                    }
                }
            }
        }
    }
    let body = format!(
        "{prepare} movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1; st.global.v4.b32 [%a1], {{%r1, %r2, %r3, %r4}};"
    );
    let found = moved(&body, &input);
    for lane in 0..32 {
        for e in 0..2 {
            let (i, j) = (lane / 4, 2 * (lane % 4) + e);
            assert_eq!(
                half(&found, 8 * lane + e),
                half(&input, 8 * (4 * j + i / 2) + i % 2),
                "movmatrix lane {lane}"
            );
        }
    }
}

/// Checks that hints do nothing, wherever they point, and that `cvta` there and back gives the same
/// address.
#[test]
fn prefetches_and_address_conversions() {
    let input = numbers();
    let mut body =
        String::from(".local .align 16 .b8 own[16];\nmov.u64 %d5, own; mov.u64 %d6, -16;\n");
    for form in [
        "prefetch.global.L1 [%a0];",
        "prefetch.global.L2 [%a0+4096];",
        "prefetch.global.L2::evict_last [%d6];",
        "prefetch.global.L2::evict_normal [%a0];",
        "prefetch.local.L1 [%d5];",
        "prefetch.local.L2 [%d5+8];",
        "prefetch.L1 [%d6];",
        "prefetch.L2 [%a0];",
        "prefetchu.L1 [%a0];",
    ] {
        body += form;
    }
    body += "\nld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%a0]; st.local.v4.b32 [%d5], {%r1, %r2, %r3, %r4};\n\
             cvta.local.u64 %d7, %d5; ld.v4.b32 {%r1, %r2, %r3, %r4}, [%d7]; cvta.to.local.u64 %d7, %d7;\n\
             ld.local.v4.b32 {%r1, %r2, %r3, %r4}, [%d7]; cvt.u64.u32 %d8, %r30; cvta.shared.u64 %d7, %d8;\n\
             st.v4.b32 [%d7], {%r1, %r2, %r3, %r4}; cvta.to.shared.u64 %d8, %d7; cvta.shared::cta.u64 %d7, %d8;\n\
             cvta.to.shared::cluster.u64 %d8, %d7; ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%d8];\n\
             cvta.global.u64 %d7, %a1; st.v4.b32 [%d7], {%r1, %r2, %r3, %r4};";
    assert_eq!(moved(&body, &input), input);
}

/// Checks that the configuration can select the device's own arithmetic.
#[test]
fn sums_as_an_h200_makes_them() {
    // The sum is 1 + 8 * 2^-14 * 2^-12; each product is below the 25 bits that the device keeps
    // next to 1.
    let mma = Mma::parse("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32").unwrap();
    let config = |tensor_arithmetic| Config {
        tensor_arithmetic,
        ..Config::default()
    };
    for (arithmetic, sum) in [
        (Arithmetic::Exact, 1.0 + 2f32.powi(-23)),
        (Arithmetic::Sm90, 1.0),
    ] {
        let benches = RefCell::new(HashMap::from([(
            mma,
            Bench::with(&kernel(&mma), config(arithmetic)),
        )]));
        let c = u64::from(1.0f32.to_bits());
        let d = on_device(
            &benches,
            &mma,
            [&[[0x0400_0400; 32]; 2], &[[0x0c00_0c00; 32]], &[[c; 32]; 4]],
        );
        assert_eq!(d, [[u64::from(sum.to_bits()); 32]; 4]);
    }
}
