//! Compares the fragments and results of `wmma` with an H100's (`data/h100_wmma.txt`).
//!
//! ```text
//!   memory of indices ──wmma.load──► registers        which element each register holds
//!   registers of indices ──wmma.store──► memory
//!   random A, B, C ──load, mma, store──► D            every bit
//! ```

use crate::common::{Arg, Bench, Random, kind};
use emulator::FaultKind;
use std::collections::HashMap;
use std::fmt::Write;

/// Returns the number of bits of an element's type.
fn bits(ty: &str) -> usize {
    match ty {
        "f64" => 64,
        "tf32" | "f32" | "s32" => 32,
        "f16" | "bf16" => 16,
        "s8" | "u8" => 8,
        "s4" | "u4" => 4,
        _ => 1,
    }
}

type Shape = (usize, usize, usize);

fn name((m, n, k): Shape) -> String {
    format!("m{m}n{n}k{k}")
}

/// Returns the element types of A and B, each with its shapes.
fn families() -> Vec<(&'static str, Shape)> {
    let mut families = Vec::new();
    for shape in [(16, 16, 16), (8, 32, 16), (32, 8, 16)] {
        families.extend(["f16", "bf16", "s8", "u8"].map(|ty| (ty, shape)));
    }
    families.extend([("tf32", (16, 16, 8)), ("f64", (8, 8, 4))]);
    families.extend([("s4", (8, 8, 32)), ("u4", (8, 8, 32)), ("b1", (8, 8, 128))]);
    families
}

/// Returns the rows and columns of a matrix.
fn extents((m, n, k): Shape, which: char) -> (usize, usize) {
    match which {
        'a' => (m, k),
        'b' => (k, n),
        _ => (m, n),
    }
}

/// Returns the number of registers of a fragment in PTX.
fn registers(ty: &str, shape: Shape, which: char) -> usize {
    let (rows, columns) = extents(shape, which);
    match (ty, which) {
        ("f16", 'a' | 'b') => 8,
        _ => rows * columns / 32 * bits(ty) / bits(ty).max(32),
    }
}

/// Writes registers `from..from + n` of the class for the type, in braces.
fn list(ty: &str, n: usize, from: usize) -> String {
    let class = if ty == "f64" { "%g" } else { "%r" };
    let names: Vec<String> = (from..from + n).map(|i| format!("{class}{i}")).collect();
    format!("{{{}}}", names.join(", "))
}

fn kernel(text: &mut String, name: &str, body: &str) {
    write!(
        text,
        ".visible .entry {name}(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3) {{\n\
         .reg .b64 %d<8>; .reg .b32 %r<60>; .reg .f64 %g<20>;\n\
         ld.param.u64 %d1, [p0]; ld.param.u64 %d2, [p1]; ld.param.u64 %d3, [p2]; ld.param.u64 %d4, [p3];\n\
         {body}\nret; }}\n"
    )
    .unwrap();
}

/// Writes code that moves every lane's registers to or from memory, one lane's after the other.
fn registers_to_memory(ty: &str, n: usize, base: &str, load: bool) -> String {
    let (bytes, class, ty) = match ty {
        "f64" => (8, "%g", "f64"),
        _ => (4, "%r", "b32"),
    };
    let mut text = format!(
        "mov.u32 %r50, %laneid; mul.wide.u32 %d5, %r50, {}; add.u64 %d5, %d5, {base};\n",
        n * bytes
    );
    for i in 0..n {
        let at = i * bytes;
        match load {
            true => writeln!(text, "ld.global.{ty} {class}{i}, [%d5+{at}];").unwrap(),
            false => writeln!(text, "st.global.{ty} [%d5+{at}], {class}{i};").unwrap(),
        }
    }
    text
}

fn little_endian(values: impl IntoIterator<Item = u64>, bits: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut at = 0;
    for value in values {
        for bit in 0..bits {
            if at % 8 == 0 {
                bytes.push(0);
            }
            *bytes.last_mut().unwrap() |= ((value >> bit & 1) as u8) << (at % 8);
            at += 1;
        }
    }
    bytes
}

fn element(bytes: &[u8], i: usize, bits: usize) -> u64 {
    (0..bits).fold(0, |value, bit| {
        let at = i * bits + bit;
        value | u64::from(bytes[at / 8] >> (at % 8) & 1) << bit
    })
}

fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn of_indices(indices: &[u64]) -> u64 {
    fnv(indices.iter().flat_map(|&i| (i as u16).to_le_bytes()))
}

/// Returns the device's results, by kernel.
fn device() -> HashMap<&'static str, u64> {
    include_str!("../data/h100_wmma.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (name, hash) = line.split_once(' ').unwrap();
            (name, u64::from_str_radix(hash, 16).unwrap())
        })
        .collect()
}

const HEAD: &str = ".version 8.7\n.target sm_90\n.address_size 64\n";

/// A device with the buffers that one kernel after the other uses.
struct Runs {
    bench: Bench,
    buffers: [u64; 4],
}

impl Runs {
    fn new(text: &str) -> Runs {
        let bench = Bench::new(text);
        let buffers = [0; 4].map(|_| bench.bytes(&[0xff; 1 << 12]));
        Runs { bench, buffers }
    }

    fn run(&self, kernel: &str, inputs: &[&[u8]], output: usize, bytes: usize) -> Vec<u8> {
        for (input, &buffer) in inputs.iter().zip(&self.buffers) {
            self.bench.device.write(buffer, input).unwrap();
        }
        self.bench.run(kernel, 1, 32, &self.buffers.map(Arg::U64));
        let mut out = vec![0; bytes];
        self.bench
            .device
            .read(self.buffers[output], &mut out)
            .unwrap();
        out
    }
}

/// Returns the accumulators' types and shapes.
fn accumulators() -> Vec<(&'static str, Shape)> {
    let mut all = Vec::new();
    for (ty, shape) in families() {
        let types: &[&str] = match ty {
            "f16" => &["f16", "f32"],
            "bf16" | "tf32" => &["f32"],
            "f64" => &["f64"],
            _ => &["s32"],
        };
        for &ty in types {
            if !all.contains(&(ty, shape)) {
                all.push((ty, shape));
            }
        }
    }
    all
}

#[test]
fn fragments_are_the_devices() {
    let device = device();
    let (mut text, mut loads, mut stores) = (HEAD.to_owned(), Vec::new(), Vec::new());
    let matrices = families().into_iter().flat_map(|f| [('a', f), ('b', f)]);
    let matrices = matrices.chain(accumulators().into_iter().map(|f| ('c', f)));
    for (which, (ty, shape)) in matrices {
        for layout in ["row", "col"] {
            if bits(ty) < 8 && (which == 'a') != (layout == "row") {
                continue;
            }
            let n = registers(ty, shape, which);
            let shape_name = name(shape);
            let load = match which {
                'c' => format!("loadc_{ty}_{shape_name}_{layout}"),
                _ => format!("load_{which}_{ty}_{shape_name}_{layout}"),
            };
            let body = format!(
                "wmma.load.{which}.sync.aligned.{layout}.{shape_name}.{ty} {}, [%d1];\n{}",
                list(ty, n, 0),
                registers_to_memory(ty, n, "%d2", false)
            );
            kernel(&mut text, &load, &body);
            loads.push((load, ty, extents(shape, which), n));
            if which == 'c' {
                let store = format!("stored_{ty}_{shape_name}_{layout}");
                let body = format!(
                    "{}wmma.store.d.sync.aligned.{layout}.{shape_name}.{ty} [%d2], {};\n",
                    registers_to_memory(ty, n, "%d1", true),
                    list(ty, n, 0)
                );
                kernel(&mut text, &store, &body);
                stores.push((store, ty, extents(shape, which), n));
            }
        }
    }
    let runs = Runs::new(&text);
    for (kernel, ty, (rows, columns), n) in &loads {
        let (bits, elements) = (bits(ty), rows * columns);
        let held = 32 * n * bits.max(32) / bits;
        // In each run an element holds the next bits of its index, as many as the element has.
        let mut indices = vec![0; held];
        for shift in (0..16)
            .step_by(bits.min(16))
            .take_while(|shift| elements >> shift > 1)
        {
            let memory = little_endian((0..elements as u64).map(|i| i >> shift), bits);
            let out = runs.run(kernel, &[&memory], 1, held * bits / 8);
            for (i, index) in indices.iter_mut().enumerate() {
                *index |= element(&out, i, bits) << shift;
            }
        }
        assert_eq!(of_indices(&indices), device[&**kernel], "{kernel}");
    }
    for (kernel, ty, (rows, columns), n) in &stores {
        let (bits, elements) = (bits(ty), rows * columns);
        let held = little_endian(0..(32 * n * bits.max(32) / bits) as u64, bits);
        let out = runs.run(kernel, &[&held], 1, elements * bits / 8);
        let indices: Vec<u64> = (0..elements).map(|i| element(&out, i, bits)).collect();
        assert_eq!(of_indices(&indices), device[&**kernel], "{kernel}");
    }
    assert_eq!(loads.len() + stores.len(), 114);
}

/// Returns `n` elements as on the device: floats around 1, integers of any bits.
fn operand(random: &mut Random, ty: &str, n: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    match ty {
        "f16" | "bf16" => {
            for _ in 0..n {
                let w = random.word();
                let value = match ty {
                    "f16" => w & 0x83ff | (10 + (w >> 16) % 11) << 10,
                    _ => w & 0x807f | (120 + (w >> 16) % 16) << 7,
                };
                bytes.extend((value as u16).to_le_bytes());
            }
        }
        "tf32" | "f32" => {
            for _ in 0..n {
                let (w, v) = (random.word(), random.word());
                bytes.extend((w & 0x807f_ffff | (120 + v % 16) << 23).to_le_bytes());
            }
        }
        "f64" => {
            for _ in 0..n {
                let (w, v) = (random.word(), random.word());
                bytes.extend(v.to_le_bytes());
                bytes.extend((w & 0x800f_ffff | (1015 + (v >> 8) % 16) << 20).to_le_bytes());
            }
        }
        _ => {
            for _ in 0..n * bits(ty) / 32 {
                bytes.extend(random.word().to_le_bytes());
            }
        }
    }
    bytes
}

#[test]
fn products_are_the_devices() {
    let device = device();
    let (mut text, mut products) = (HEAD.to_owned(), Vec::new());
    for (ty, shape) in families() {
        let sums: &[(&str, &str, &str)] = match ty {
            "f16" => &[
                ("f16", "f16", ""),
                ("f16", "f32", ""),
                ("f32", "f16", ""),
                ("f32", "f32", ""),
            ],
            "bf16" | "tf32" => &[("f32", "f32", "")],
            "f64" => &[
                ("f64", "f64", ""),
                ("f64", "f64", "rn"),
                ("f64", "f64", "rz"),
                ("f64", "f64", "rm"),
                ("f64", "f64", "rp"),
            ],
            "b1" => &[("s32", "s32", "xor.popc"), ("s32", "s32", "and.popc")],
            _ => &[("s32", "s32", ""), ("s32", "s32", "satfinite")],
        };
        for &(d, c, modifier) in sums {
            for (of_a, of_b) in [
                ("row", "row"),
                ("row", "col"),
                ("col", "row"),
                ("col", "col"),
            ] {
                if bits(ty) < 8 && (of_a, of_b) != ("row", "col") {
                    continue;
                }
                let s = name(shape);
                let kernel_name = format!(
                    "mma_{ty}_{s}_{d}_{c}_{}_{of_a}_{of_b}",
                    modifier.replace('.', "_")
                );
                let (a_list, b_list) = (
                    list(ty, registers(ty, shape, 'a'), 0),
                    list(
                        ty,
                        registers(ty, shape, 'b'),
                        if ty == "f64" { 4 } else { 10 },
                    ),
                );
                // D uses C's registers if it has the same type.
                let at = if ty == "f64" { 12 } else { 20 };
                let c_list = list(c, registers(c, shape, 'c'), at);
                let d_list = list(d, registers(d, shape, 'c'), at);
                let types = match ty {
                    "f16" => format!("{d}.{c}"),
                    _ => format!("{d}.{ty}.{ty}.{c}"),
                };
                let (operation, before, behind) = match modifier {
                    "xor.popc" | "and.popc" => {
                        (format!(".{modifier}"), String::new(), String::new())
                    }
                    "satfinite" => (String::new(), String::new(), ".satfinite".to_owned()),
                    "" => Default::default(),
                    rounding => (String::new(), format!(".{rounding}"), String::new()),
                };
                let body = format!(
                    "wmma.load.a.sync.aligned.{of_a}.{s}.{ty} {a_list}, [%d1];\n\
                     wmma.load.b.sync.aligned.{of_b}.{s}.{ty} {b_list}, [%d2];\n\
                     wmma.load.c.sync.aligned.row.{s}.{c} {c_list}, [%d3];\n\
                     wmma.mma{operation}.sync.aligned.{of_a}.{of_b}.{s}{before}.{types}{behind} \
                     {d_list}, {a_list}, {b_list}, {c_list};\n\
                     wmma.store.d.sync.aligned.row.{s}.{d} [%d4], {d_list};\n"
                );
                kernel(&mut text, &kernel_name, &body);
                products.push((kernel_name, ty, shape, d, c));
            }
        }
    }
    let runs = Runs::new(&text);
    for (kernel, ty, (m, n, k), d, c) in &products {
        let mut all = Vec::new();
        for seed in 1..=8u64 {
            let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let a = operand(&mut random, ty, m * k);
            let b = operand(&mut random, ty, k * n);
            let c = operand(&mut random, c, m * n);
            all.extend(runs.run(kernel, &[&a, &b, &c], 3, m * n * bits(d) / 8));
        }
        assert_eq!(fnv(all), device[&**kernel], "{kernel}");
    }
    assert_eq!(products.len(), 138);
}

/// Computes a product inside larger matrices in shared memory, with strides in registers, in one of
/// two warps. Also checks the faults of the accesses.
#[test]
fn strides_bounds_and_alignment() {
    let text = |stride: &str, origin: u32| {
        format!(
            "{HEAD}.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3) {{\n\
             .reg .b64 %d<4>; .reg .b32 %r<40>; .reg .pred %p;\n.shared .align 32 .b8 tile[1536];\n\
             ld.param.u64 %d1, [p0]; mov.u32 %r30, %tid.x; mul.lo.u32 %r31, %r30, 48; mov.u32 %r32, tile;\n\
             add.u32 %r31, %r31, %r32; mov.u32 %r33, 0x3c003c00;\n\
             st.shared.v4.b32 [%r31], {{%r33, %r33, %r33, %r33}}; st.shared.v4.b32 [%r31+16], {{%r33, %r33, %r33, %r33}};\n\
             st.shared.v4.b32 [%r31+32], {{%r33, %r33, %r33, %r33}}; bar.sync 0; mov.u32 %r34, {stride};\n\
             wmma.load.a.sync.aligned.m16n16k16.row.shared.f16 {}, [%r32+{origin}], %r34;\n\
             wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {}, [%r32], 24;\n\
             wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {}, [%r32], 24;\n\
             wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 {}, {}, {}, {};\n\
             wmma.store.d.sync.aligned.col.m16n16k16.global.f32 [%d1], {}, 16;\nret; }}\n",
            list("f16", 8, 0),
            list("f16", 8, 8),
            list("f16", 4, 16),
            list("f32", 8, 20),
            list("f16", 8, 0),
            list("f16", 8, 8),
            list("f16", 4, 16),
            list("f32", 8, 20),
        )
    };
    let launch = |stride: &str, origin: u32| {
        let bench = Bench::new(&text(stride, origin));
        let out = bench.words(&[0; 256]);
        let done = bench.launch(
            "k",
            1,
            32,
            &[Arg::U64(out), Arg::U64(0), Arg::U64(0), Arg::U64(0)],
        );
        (done, bench.read_words(out, 256))
    };
    let (done, out) = launch("24", 16);
    let report = done.unwrap();
    assert!(out.iter().all(|&w| w == 17f32.to_bits()));
    let counted: Vec<&str> = report
        .opcodes
        .keys()
        .map(|name| &**name)
        .filter(|name| name.starts_with("wmma"))
        .collect();
    assert_eq!(counted.len(), 5, "{counted:?}");
    assert!(counted.iter().all(|name| report.opcodes[*name] == 1));
    // D is in columns of 16: each access stores four 16-byte aligned words per lane, and all
    // accesses store 1024 bytes.
    let store = report
        .lines
        .iter()
        .find(|line| line.opcode.starts_with("wmma.store"))
        .unwrap();
    assert_eq!(store.memory.global_bytes, 1024);
    assert!(
        matches!(kind(launch("20", 0).0), FaultKind::Operand(problem) if problem.contains("40 bytes") || problem.contains("20 elements"))
    );
    assert!(matches!(
        kind(launch("24", 8).0),
        FaultKind::Misaligned { alignment: 16, .. }
    ));
    assert!(matches!(
        kind(launch("64", 0).0),
        FaultKind::OutOfBounds { .. }
    ));
    assert!(
        matches!(kind(launch("%tid.x", 0).0), FaultKind::Operand(problem) if problem.contains("different matrices"))
    );
}
