//! How fast the emulator is: lane instructions a second, 32 for each instruction of a warp, for
//! each kind of instruction, with all checks on one CPU thread and on two, and without checks; what
//! it costs to double the work; and a GEMM and a transpose of a PTX file where one is given.
//!
//! `cargo bench -p cutlet-emulator --bench speed -- kernels.ptx`; `-- --only WORD` runs the rows
//! whose name has the word.
//!
//! A figure is that of the fastest of several runs: other work on the machine makes a run slower
//! and never faster.

use std::time::{Duration, Instant};

use emulator::{Config, Emulator, Launch, Program, Report};

/// Returns a kernel that executes `body` 100 times in a loop. The addresses in `%r2` (shared
/// memory) and `%d1` (global memory) advance by 16 bytes from thread to thread, those in `%r11` and
/// `%d3` by 4. `%d3` and `%d4` (16 bytes for each thread) point to memory that only this block
/// uses. `%r13` and `%d8` are the `%r11` and `%d3` of lane `n ^ 5`.
fn kernel(body: &str) -> String {
    let zero = |(ty, name, n): (&str, &str, usize)| format!("mov.{ty} %{name}{n}, 0; ");
    let floats = (0..16).map(|n| format!("mov.f32 %f{n}, 0f00000000; "));
    let words = (20..24).map(|n| zero(("b32", "r", n)));
    let others = [("b16", "h", 0), ("b64", "d", 2), ("b64", "d", 5)].map(zero);
    let zeros: String = floats.chain(words).chain(others).collect();
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 s[];\n\
         .visible .entry k(.param .u64 p) {{\n\
         .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<64>; .reg .b64 %d<16>; .reg .f32 %f<16>;\n\
         ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, s; shl.b32 %r2, %r0, 4; add.u32 %r2, %r2, %r1;\n\
         mul.wide.u32 %d1, %r0, 16; add.u64 %d1, %d0, %d1; mov.u32 %r10, 100;\n\
         shl.b32 %r11, %r0, 2; add.u32 %r11, %r11, %r1;\n\
         mov.u32 %r12, %ctaid.x; mad.lo.u32 %r12, %r12, 128, %r0; mul.wide.u32 %d3, %r12, 4; add.u64 %d3, %d0, %d3;\n\
         mul.wide.u32 %d4, %r12, 16; add.u64 %d4, %d0, %d4;\n\
         sub.u32 %r14, %r11, %r1; xor.b32 %r13, %r14, 20; add.u32 %r13, %r13, %r1; xor.b32 %r12, %r12, 5; \
         mul.wide.u32 %d8, %r12, 4; add.u64 %d8, %d0, %d8;\n\
         mad.lo.u32 %r3, %r0, 0x00030007, 0x3c003800; and.b32 %r3, %r3, 0x3f3f3f3f; mov.b32 %r4, %r3; mov.b32 %r5, %r3; mov.b32 %r6, %r3;\n\
         {zeros}\n\
         mov.b32 %r7, %r3; mov.b32 %r8, %r3; mov.b64 %d6, 0x3ff0000000000000; mov.b64 %d7, %d6;\n\
         st.shared.v4.b32 [%r2], {{%r0, %r1, %r2, %r0}}; bar.sync 0;\n\
         L: {body}\n\
         sub.u32 %r10, %r10, 1; setp.ne.u32 %p0, %r10, 0; @%p0 bra L; ret; }}\n"
    )
}

/// Millions of lane instructions a second.
fn rate(report: &Report, seconds: f64) -> f64 {
    report.instructions as f64 * 32.0 / seconds / 1e6
}

/// Returns a configuration with every check and counter of the default one, or with none.
fn config(checks: bool) -> Config {
    Config {
        check_races: checks,
        check_global_races: checks,
        check_initialised: checks,
        count_memory: checks,
        ..Config::default()
    }
}

/// Prints a row of the table: the speed with all checks on one CPU thread and on two, the ratio of
/// the two, and the speed without checks.
fn run(name: &str, body: &str) {
    let only = std::env::args().skip_while(|word| word != "--only").nth(1);
    if only.is_some_and(|word| !name.contains(&word)) {
        return;
    }
    let program = Program::parse(&kernel(&body.repeat(16))).unwrap_or_else(|e| panic!("{e}"));
    let [one, two, bare] = [(1, true), (2, true), (1, false)].map(|(threads, checks)| {
        let device = Emulator::new(Config {
            threads: Some(threads),
            ..config(checks)
        });
        device.load(&program).unwrap();
        let (mut best, start) = (f64::MAX, Instant::now());
        let mut instructions = Report::default();
        for i in 0.. {
            let seconds;
            (instructions, seconds) = loops(&device, &program, 20);
            best = best.min(seconds);
            if i >= 4 && start.elapsed() > Duration::from_millis(300) {
                break;
            }
        }
        rate(&instructions, best)
    });
    println!(
        "{name:<28} {one:>9.0} {two:>9.0} {:>9.2} {bare:>9.0}",
        two / one
    );
}

/// Launches blocks of the loop, and takes their time.
fn loops(device: &Emulator, program: &Program, blocks: u32) -> (Report, f64) {
    let buffer = device.alloc(1 << 17).unwrap();
    device.write(buffer, &vec![0; 1 << 17]).unwrap();
    let launch = Launch {
        grid: [blocks, 1, 1],
        block: [128, 1, 1],
        dynamic_shared: 4096,
    };
    let start = Instant::now();
    let report = device
        .launch(program, "k", &launch, &[&buffer.to_le_bytes()], None)
        .unwrap();
    let seconds = start.elapsed().as_secs_f64();
    device.free(buffer).unwrap();
    (report, seconds)
}

/// Doubles the number of blocks again and again, and prints the ratio of each time to the last.
fn doubling() {
    println!("\ntwice the work, all checks, one CPU thread: how many times as long");
    let body = "ld.shared.b32 %r3, [%r2]; ld.global.b32 %r4, [%d1]; fma.rn.f32 %f0, %f1, %f2, %f0; \
                add.u32 %r3, %r3, %r4; st.shared.b32 [%r2], %r3; ";
    let program = Program::parse(&kernel(&body.repeat(4))).unwrap_or_else(|e| panic!("{e}"));
    let device = Emulator::new(Config {
        threads: Some(1),
        ..config(true)
    });
    device.load(&program).unwrap();
    let mut before: Option<f64> = None;
    for blocks in [4, 8, 16, 32] {
        let best = (0..3)
            .map(|_| loops(&device, &program, blocks).1)
            .fold(f64::MAX, f64::min);
        let times = before.map_or(String::new(), |before| {
            format!("{:.2} times", best / before)
        });
        println!("{blocks:>4} blocks {:>8.1} ms  {times}", best * 1e3);
        before = Some(best);
    }
}

fn main() {
    println!(
        "{:<28} {:>9} {:>9} {:>9} {:>9}",
        "million lane instructions/s", "checked", "2 threads", "times", "bare"
    );
    run("add.u32", "add.u32 %r3, %r3, %r0; ");
    run("mad.lo.s32", "mad.lo.s32 %r3, %r3, %r0, %r2; ");
    run("add.s64", "add.s64 %d2, %d2, %d1; ");
    run("fma.rn.f32", "fma.rn.f32 %f0, %f1, %f2, %f0; ");
    run("add.rn.f32", "add.rn.f32 %f0, %f0, %f2; ");
    run("cvt.rn.f16.f32", "cvt.rn.f16.f32 %h0, %f1; ");
    run("fma.rn.f16x2", "fma.rn.f16x2 %r3, %r4, %r5, %r3; ");
    run(
        "setp, selp",
        "setp.lt.u32 %p1, %r0, %r3; selp.b32 %r3, %r0, %r2, %p1; ",
    );
    memory();
    tensor();
    run("shfl.sync", "shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; ");
    if std::env::args().all(|word| word != "--only") {
        doubling();
    }
    // cargo adds options of its own.
    let words: Vec<String> = std::env::args().skip(1).collect();
    let path = (0..words.len())
        .find(|&i| !words[i].starts_with("--") && (i == 0 || words[i - 1] != "--only"));
    if let Some(path) = path {
        whole(&words[path]);
    }
}

/// Loads and stores: a lane's word behind its neighbour's, 16 bytes from it ("apart") or in a
/// permuted order ("swizzled"), in places of the block's own or those of all blocks ("common").
fn memory() {
    let word = "{%r3, %r4, %r5, %r6}";
    for (name, op, address) in [
        ("ld.global.b32", "ld.global", "[%d3]"),
        ("st.global.b32", "st.global", "[%d3]"),
        ("ld.global.b32 apart", "ld.global", "[%d4]"),
        ("st.global.b32 apart", "st.global", "[%d4]"),
        ("ld.global.b32 common", "ld.global", "[%d1]"),
        ("st.global.b32 common", "st.global", "[%d1]"),
        ("ld.global.b32 swizzled", "ld.global", "[%d8]"),
        ("st.global.b32 swizzled", "st.global", "[%d8]"),
        ("ld.global.v4.b32", "ld.global.v4", "[%d4]"),
        ("st.global.v4.b32", "st.global.v4", "[%d4]"),
        ("ld.shared.b32", "ld.shared", "[%r11]"),
        ("st.shared.b32", "st.shared", "[%r11]"),
        ("ld.shared.b32 apart", "ld.shared", "[%r2]"),
        ("st.shared.b32 apart", "st.shared", "[%r2]"),
        ("ld.shared.b32 swizzled", "ld.shared", "[%r13]"),
        ("st.shared.b32 swizzled", "st.shared", "[%r13]"),
        ("ld.shared.v4.b32", "ld.shared.v4", "[%r2]"),
        ("st.shared.v4.b32", "st.shared.v4", "[%r2]"),
    ] {
        let value = if op.ends_with("v4") { word } else { "%r3" };
        let operands = if op.starts_with("ld") {
            format!("{value}, {address}")
        } else {
            format!("{address}, {value}")
        };
        run(name, &format!("{op}.b32 {operands}; "));
    }
    run(
        "ldmatrix.x4",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2]; ",
    );
}

/// Times `mma.sync` with each type of element.
fn tensor() {
    let f32s = "{%f0, %f1, %f2, %f3}";
    let s32s = "{%r20, %r21, %r22, %r23}";
    let (halves, wide) = ("{%r20, %r21}", "{%r3, %r4, %r5, %r6}");
    for (name, kind, sums, a, b) in [
        (
            "mma m16n8k16 f16",
            "m16n8k16.row.col.f32.f16.f16.f32",
            f32s,
            wide,
            "{%r7, %r8}",
        ),
        (
            "mma m16n8k16 f16, f16 sums",
            "m16n8k16.row.col.f16.f16.f16.f16",
            halves,
            wide,
            "{%r7, %r8}",
        ),
        (
            "mma m16n8k16 bf16",
            "m16n8k16.row.col.f32.bf16.bf16.f32",
            f32s,
            wide,
            "{%r7, %r8}",
        ),
        (
            "mma m16n8k8 tf32",
            "m16n8k8.row.col.f32.tf32.tf32.f32",
            f32s,
            wide,
            "{%r7, %r8}",
        ),
        (
            "mma m16n8k32 e4m3",
            "m16n8k32.row.col.f32.e4m3.e4m3.f32",
            f32s,
            wide,
            "{%r7, %r8}",
        ),
        (
            "mma m16n8k32 s8",
            "m16n8k32.row.col.s32.s8.s8.s32",
            s32s,
            wide,
            "{%r7, %r8}",
        ),
        (
            "mma m8n8k4 f64",
            "m8n8k4.row.col.f64.f64.f64.f64",
            "{%d4, %d5}",
            "{%d6}",
            "{%d7}",
        ),
    ] {
        run(
            name,
            &format!("mma.sync.aligned.{kind} {sums}, {a}, {b}, {sums}; "),
        );
    }
}

/// Times the kernels of this workspace, whose PTX is in the file.
fn whole(path: &str) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let start = Instant::now();
    let program = Program::parse(&text).unwrap_or_else(|error| panic!("{path}:{error}"));
    println!(
        "\n{path}: {} lines read in {:.0} ms",
        text.lines().count(),
        start.elapsed().as_secs_f64() * 1e3
    );
    for (checks, profile) in [(true, false), (true, true), (false, false)] {
        let device = Emulator::new(Config {
            profile,
            ..config(checks)
        });
        device.load(&program).unwrap();
        let said = match (checks, profile) {
            (false, _) => "no checks",
            (_, false) => "all checks",
            _ => "all checks and the profile",
        };
        gemm(&device, &program, said);
        transpose(&device, &program, said);
    }
}

fn buffer(device: &Emulator, bytes: &[u8]) -> u64 {
    let address = device.alloc(bytes.len()).unwrap();
    device.write(address, bytes).unwrap();
    address
}

/// Times a product of 512×512 with growing depths, f16 with sums in f16, on all CPU threads.
fn gemm(device: &Emulator, program: &Program, said: &str) {
    for k in [512_u32, 1024, 2048] {
        let n = 512_u32;
        let halves: Vec<u8> = (0..n * k)
            .flat_map(|i| (0x3000 + (i * 7919 % 1024) as u16).to_le_bytes())
            .collect();
        let (a, b) = (buffer(device, &halves), buffer(device, &halves));
        let d = device.alloc(2 * (n * n) as usize).unwrap();
        let launch = Launch {
            grid: [16, 1, 1],
            block: [128, 1, 1],
            dynamic_shared: 48 << 10,
        };
        let addresses = [d, a, b].map(u64::to_le_bytes);
        let extents = [n, n, k].map(u32::to_le_bytes);
        let addresses = addresses.iter().map(|bytes| &bytes[..]);
        let parameters: Vec<&[u8]> = addresses
            .chain(extents.iter().map(|bytes| &bytes[..]))
            .collect();
        let start = Instant::now();
        match device.launch(program, "hgemm_on_layouts", &launch, &parameters, None) {
            Ok(report) => {
                let seconds = start.elapsed().as_secs_f64();
                println!(
                    "hgemm_on_layouts 512x512x{k}, {said}: {seconds:.3} s, {} warp instructions, {:.0} million lane \
                     instructions a second",
                    report.instructions,
                    rate(&report, seconds),
                );
            }
            Err(error) => println!("{error}"),
        }
        for address in [a, b, d] {
            device.free(address).unwrap();
        }
    }
}

fn transpose(device: &Emulator, program: &Program, said: &str) {
    let m = 2048_u32;
    let words = vec![1_u8; 4 * (m * m) as usize];
    let (from, to) = (buffer(device, &words), device.alloc(words.len()).unwrap());
    let (from, to, m) = (from.to_le_bytes(), to.to_le_bytes(), m.to_le_bytes());
    let launch = Launch {
        grid: [32, 32, 1],
        block: [256, 1, 1],
        dynamic_shared: 16 << 10,
    };
    let start = Instant::now();
    match device.launch(
        program,
        "transpose_b32",
        &launch,
        &[&to, &from, &m, &m],
        None,
    ) {
        Ok(report) => {
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "transpose_b32 2048x2048, {said}: {seconds:.2} s, {} warp instructions, {:.0} million lane instructions \
                 a second",
                report.instructions,
                rate(&report, seconds)
            );
        }
        Err(error) => println!("{error}"),
    }
}
