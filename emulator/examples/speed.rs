//! How fast the emulator is: warp instructions a second on one CPU thread, for each kind of instruction, with all
//! checks and without; and a GEMM and a transpose of a PTX file where one is given.
//!
//! `cargo run --release -p emulator --example speed -- kernels.ptx`

use std::time::Instant;

use emulator::{Config, Emulator, Launch, Program, Report};

/// A loop of 1000 rounds over `body`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 s[];\n\
         .visible .entry k(.param .u64 p) {{\n\
         .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<64>; .reg .b64 %d<16>; .reg .f32 %f<16>;\n\
         ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r1, s; shl.b32 %r2, %r0, 4; add.u32 %r2, %r2, %r1;\n\
         mul.wide.u32 %d1, %r0, 16; add.u64 %d1, %d0, %d1; mov.u32 %r10, 1000;\n\
         st.shared.v4.b32 [%r2], {{%r0, %r1, %r2, %r0}}; bar.sync 0;\n\
         L: {body}\n\
         sub.u32 %r10, %r10, 1; setp.ne.u32 %p0, %r10, 0; @%p0 bra L; ret; }}\n"
    )
}

fn rate(report: &Report, seconds: f64) -> f64 {
    report.instructions as f64 / seconds / 1e6
}

fn run(name: &str, body: &str) {
    let program = Program::parse(&kernel(&body.repeat(16))).unwrap_or_else(|e| panic!("{e}"));
    let mut figures = Vec::new();
    for checks in [true, false] {
        let config = Config {
            threads: Some(1),
            check_races: checks,
            check_initialised: checks,
            count_memory: checks,
            ..Config::default()
        };
        let device = Emulator::new(config);
        device.load(&program).unwrap();
        let buffer = device.alloc(1 << 16).unwrap();
        device.write(buffer, &vec![0; 1 << 16]).unwrap();
        let launch = Launch {
            grid: [20, 1, 1],
            block: [128, 1, 1],
            dynamic_shared: 4096,
        };
        let start = Instant::now();
        let report = device
            .launch(&program, "k", &launch, &[&buffer.to_le_bytes()], None)
            .unwrap();
        figures.push(rate(&report, start.elapsed().as_secs_f64()));
    }
    println!(
        "{name:<28} {:>7.1} {:>7.1} million warp instructions a second",
        figures[0], figures[1]
    );
}

fn main() {
    println!("{:<28} {:>7} {:>7}", "one CPU thread", "checked", "bare");
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
    run("ld.global.b32", "ld.global.b32 %r3, [%d1]; ");
    run(
        "ld.global.v4.b32",
        "ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%d1]; ",
    );
    run("st.global.b32", "st.global.b32 [%d1], %r3; ");
    run("ld.shared.b32", "ld.shared.b32 %r3, [%r2]; ");
    run("st.shared.b32", "st.shared.b32 [%r2], %r3; ");
    run(
        "ldmatrix.x4",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2]; ",
    );
    run(
        "mma m16n8k16 f16",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r3, %r4, %r5, %r6}, {%r7, %r8}, \
         {%f0, %f1, %f2, %f3}; ",
    );
    run("shfl.sync", "shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1; ");
    if let Some(path) = std::env::args().nth(1) {
        whole(&path);
    }
}

/// The kernels of this workspace.
fn whole(path: &str) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let start = Instant::now();
    let program = Program::parse(&text).unwrap_or_else(|error| panic!("{path}:{error}"));
    println!(
        "\n{path}: {} lines read in {:.0} ms",
        text.lines().count(),
        start.elapsed().as_secs_f64() * 1e3
    );
    for checks in [true, false] {
        let config = Config {
            check_races: checks,
            check_initialised: checks,
            count_memory: checks,
            ..Config::default()
        };
        let device = Emulator::new(config);
        device.load(&program).unwrap();
        let n = 512u32;
        let halves: Vec<u8> = (0..n * n)
            .flat_map(|i| (0x3000 + (i * 7919 % 1024) as u16).to_le_bytes())
            .collect();
        let buffer = |bytes: &[u8]| {
            let address = device.alloc(bytes.len()).unwrap();
            device.write(address, bytes).unwrap();
            address
        };
        let (a, b) = (buffer(&halves), buffer(&halves));
        let d = device.alloc(4 * (n * n) as usize).unwrap();
        let launch = Launch {
            grid: [4, 4, 1],
            block: [128, 1, 1],
            dynamic_shared: 64 << 10,
        };
        let (a, b, d, n) = (
            a.to_le_bytes(),
            b.to_le_bytes(),
            d.to_le_bytes(),
            n.to_le_bytes(),
        );
        let start = Instant::now();
        match device.launch(
            &program,
            "gemm_f16_f32",
            &launch,
            &[&d, &a, &b, &n, &n, &n],
            None,
        ) {
            Ok(report) => {
                let seconds = start.elapsed().as_secs_f64();
                println!(
                    "gemm_f16_f32 512^3, checks {checks}: {seconds:.2} s, {} warp instructions, {:.1} million/s, \
                     {} mma, {} bank conflicts, {} sectors",
                    report.instructions,
                    rate(&report, seconds),
                    report
                        .opcodes
                        .iter()
                        .filter(|(k, _)| k.starts_with("mma"))
                        .map(|(_, n)| n)
                        .sum::<u64>(),
                    report.memory.bank_conflicts,
                    report.memory.global_sectors
                );
            }
            Err(error) => println!("{error}"),
        }
        let m = 4096u32;
        let words = vec![1u8; 4 * (m * m) as usize];
        let (from, to) = (buffer(&words), device.alloc(words.len()).unwrap());
        let (from, to, m) = (from.to_le_bytes(), to.to_le_bytes(), m.to_le_bytes());
        let launch = Launch {
            grid: [64, 64, 1],
            block: [256, 1, 1],
            dynamic_shared: 16 << 10,
        };
        let start = Instant::now();
        match device.launch(
            &program,
            "transpose_b32",
            &launch,
            &[&to, &from, &m, &m],
            None,
        ) {
            Ok(report) => {
                let seconds = start.elapsed().as_secs_f64();
                println!(
                    "transpose_b32 4096^2, checks {checks}: {seconds:.2} s, {} warp instructions, {:.1} million/s",
                    report.instructions,
                    rate(&report, seconds)
                );
            }
            Err(error) => println!("{error}"),
        }
    }
}
