//! Compares `wgmma` of every type, layout and place of A with plain sums, and checks the faults
//! around it, under every schedule.

use super::bulk::SCHEDULES;
use super::common::operand::{Layout, bits, bytes, float_bits};
use super::listing::{self, Parameters};
use super::*;
use emulator::Schedule;

const KINDS: [&str; 7] = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"];

/// One product of 64 x n, with the places of its operands.
struct Case {
    kind: &'static str,
    d: &'static str,
    n: usize,
    left: Option<Layout>,
    right: Layout,
    scale: bool,
    negate: (bool, bool),
}

/// The offset of B, which follows A; the image has 64 KiB.
const RIGHT: usize = 32 << 10;
const IMAGE: usize = 64 << 10;

impl Case {
    fn k(&self) -> usize {
        32 / bytes(self.kind)
    }

    /// Returns numbers of A and B, never negative for `u8`, and so small that every sum is exact.
    fn numbers(&self) -> (Vec<i32>, Vec<i32>) {
        let mut random = common::Random(77 + self.n as u64);
        let mut draw = |n: usize| -> Vec<i32> {
            (0..n)
                .map(|_| {
                    let value = (random.next() % 7) as i32 - 3;
                    if self.kind == "u8" { value + 3 } else { value }
                })
                .collect()
        };
        (draw(64 * self.k()), draw(self.n * self.k()))
    }

    fn image(&self, a: &[i32], b: &[i32]) -> Vec<u8> {
        let mut image = vec![0u8; IMAGE];
        let mut put = |at: usize, value: i32| {
            let bits = bits(self.kind, value).to_le_bytes();
            image[at..at + bytes(self.kind)].copy_from_slice(&bits[..bytes(self.kind)]);
        };
        let k = self.k();
        if let Some(left) = self.left {
            (0..64 * k).for_each(|i| put(left.at(i / k, i % k), a[i]));
        }
        (0..self.n * k).for_each(|i| put(RIGHT + self.right.at(i / k, i % k), b[i]));
        image
    }

    fn integer(&self) -> bool {
        self.d == "s32"
    }

    fn registers(&self) -> usize {
        if self.d == "f16" {
            self.n / 4
        } else {
            self.n / 2
        }
    }

    /// Writes the kernel's body: it copies the image to shared memory, sets the accumulators to 1,
    /// loads A's registers from the second buffer, and stores D to the third.
    fn body(&self) -> String {
        let n = self.registers();
        let one = match self.d {
            "f16" => "0x3c003c00",
            "f32" => "0x3f800000",
            _ => "1",
        };
        let mut text = format!(
            ".reg .b32 %acc<{n}>; .reg .b32 %left<4>;\n\
             mov.u32 %r1, %tid;\nFILL: mad.lo.u32 %r2, %r1, 4, %r30; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %a0, %d1; ld.global.u32 %r3, [%d1];\n\
             st.shared.u32 [%r2], %r3; add.u32 %r1, %r1, 128; setp.lt.u32 %p1, %r1, {}; @%p1 bra FILL;\n\
             fence.proxy.async.shared::cta; bar.sync 0;\nmul.wide.u32 %d2, %tid, 16; add.u64 %d2, %a1, %d2; ld.global.v4.u32 {{%left0, %left1, %left2, %left3}}, [%d2];\n",
            IMAGE / 4
        );
        for i in 0..n {
            text += &format!("mov.b32 %acc{i}, {one};\n");
        }
        let list: Vec<String> = (0..n).map(|i| format!("%acc{i}")).collect();
        let left = match self.left {
            Some(layout) => {
                text += &format!("mov.u64 %d3, {};\n", layout.descriptor(1024) as i64);
                "%d3"
            }
            None => "{%left0, %left1, %left2, %left3}",
        };
        text += &format!(
            "mov.u64 %d4, {};\n",
            self.right.descriptor(1024 + RIGHT) as i64
        );
        let sign = |negate: bool| if negate { "-1" } else { "1" };
        let mut tail = match self.integer() {
            true => String::new(),
            false => format!(", {}, {}", sign(self.negate.0), sign(self.negate.1)),
        };
        if bytes(self.kind) == 2 {
            if let Some(left) = self.left {
                tail += &format!(", {}", u8::from(left.transposed));
            }
            tail += &format!(", {}", u8::from(self.right.transposed));
        }
        text += &format!(
            "wgmma.fence.sync.aligned;\n\
             wgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{} {{{}}}, {left}, %d4, {}{tail};\n\
             wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmul.wide.u32 %d5, %tid, {}; add.u64 %d5, %a2, %d5;\n",
            self.n,
            self.k(),
            self.d,
            self.kind,
            self.kind,
            list.join(", "),
            u8::from(self.scale),
            4 * n
        );
        for i in 0..n {
            text += &format!("st.global.u32 [%d5+{}], %acc{i};\n", 4 * i);
        }
        text
    }

    /// Returns A's registers of each thread.
    fn left_registers(&self, a: &[i32]) -> Vec<u32> {
        let (k, per) = (self.k(), 4 / bytes(self.kind));
        let mut words = Vec::new();
        for thread in 0..128 {
            let (warp, lane) = (thread / 32, thread % 32);
            for r in 0..4 {
                let row = 16 * warp + lane / 4 + 8 * (r % 2);
                let first = r / 2 * 4 * per + lane % 4 * per;
                words.push((0..per).fold(0, |word, e| {
                    word | bits(self.kind, a[row * k + first + e]) << (8 * bytes(self.kind) * e)
                }));
            }
        }
        words
    }

    fn run(&self, schedule: Schedule) -> Vec<u32> {
        let (a, b) = self.numbers();
        let text = module("", 3, &self.body());
        let bench = Bench::with(
            &text,
            Config {
                schedule,
                ..Config::default()
            },
        );
        let image = bench.bytes(&self.image(&a, &b));
        let left = bench.words(&self.left_registers(&a));
        let n = self.registers();
        let out = bench.words(&vec![0; 128 * n]);
        let launch = Launch {
            grid: [1, 1, 1],
            block: [128, 1, 1],
            dynamic_shared: IMAGE,
        };
        let args = [image, left, out].map(Arg::U64);
        if let Err(error) = bench.launch_with("k", launch, &args) {
            panic!("{error}");
        }
        bench.read_words(out, 128 * n)
    }

    fn check(&self, schedule: Schedule) {
        let (a, b) = self.numbers();
        let found = self.run(schedule);
        let (k, n) = (self.k(), self.registers());
        let sign = if self.negate.0 != self.negate.1 {
            -1
        } else {
            1
        };
        let expected = |row: usize, column: usize| {
            let sum: i32 = (0..k).map(|i| a[row * k + i] * b[column * k + i]).sum();
            sign * sum + i32::from(self.scale)
        };
        for (thread, value) in (0..128).flat_map(|t| (0..self.n / 2).map(move |v| (t, v))) {
            let (warp, lane) = (thread / 32, thread % 32);
            let row = 16 * warp + lane / 4 + 8 * (value / 2 % 2);
            let column = value / 4 * 8 + lane % 4 * 2 + value % 2;
            let wanted = expected(row, column);
            let (got, wanted) = match self.d {
                "f16" => (
                    found[thread * n + value / 2] >> (16 * (value % 2)) & 0xffff,
                    float_bits(wanted, 5, 10),
                ),
                "f32" => (found[thread * n + value], (wanted as f32).to_bits()),
                _ => (found[thread * n + value], wanted as u32),
            };
            assert_eq!(
                got, wanted,
                "{} to {}, n {}, A {:?}, B {:?}: ({row}, {column})",
                self.kind, self.d, self.n, self.left, self.right
            );
        }
    }
}

fn layout(kind: &str, width: usize, transposed: bool) -> Layout {
    Layout {
        width,
        transposed,
        bytes: bytes(kind),
        // The leading offset keeps all elements at different places.
        leading: match (transposed, width) {
            (true, width) if width > 16 => 4096,
            _ => 16384,
        },
    }
}

#[test]
fn every_type_and_layout_gives_plain_sums() {
    let mut turn = 0;
    for kind in KINDS {
        let results: &[&str] = match kind {
            "f16" | "e4m3" | "e5m2" => &["f32", "f16"],
            "bf16" | "tf32" => &["f32"],
            _ => &["s32"],
        };
        let majors: &[bool] = if bytes(kind) == 2 {
            &[false, true]
        } else {
            &[false]
        };
        for (&d, &ta, &tb) in results.iter().flat_map(|d| {
            majors
                .iter()
                .flat_map(move |a| majors.iter().map(move |b| (d, a, b)))
        }) {
            for width in [16, 32, 64, 128] {
                turn += 1;
                let right = [128, 64, 32, 16][turn % 4];
                let negate = d != "s32" && turn % 3 == 0;
                Case {
                    kind,
                    d,
                    n: [8, 24, 16, 32][turn % 4],
                    left: (turn % 5 != 0 || ta).then_some(layout(kind, width, ta)),
                    right: layout(kind, right, tb),
                    scale: turn % 2 == 0,
                    negate: (negate, turn % 9 == 0 && d != "s32"),
                }
                .check(SCHEDULES[turn % SCHEDULES.len()]);
            }
        }
    }
}

#[test]
fn the_largest_product_and_single_bits() {
    let kind = KINDS[0];
    let case = Case {
        kind,
        d: "f32",
        n: 64,
        left: None,
        right: layout(kind, 128, false),
        scale: true,
        negate: (false, false),
    };
    case.check(Schedule::Late);
    // B has 256 columns of one bit. Rows of A and columns of B are ones, except where the pattern
    // of each word along k has zeros.
    let bits = case
        .body()
        .replace("m64n64k16.f32.f16.f16", "m64n64k256.s32.b1.b1.and.popc")
        .replace(", 1, 1, 0;", ";");
    assert!(bits.contains("%d4, 1;"), "{bits}");
    let bench = Bench::new(&module("", 3, &bits));
    let image = bench.words(&vec![0xffff_0000; IMAGE / 4]);
    let left = bench.words(&[0x00ff_ff00; 512]);
    let out = bench.words(&[0; 128 * 32]);
    let launch = Launch {
        grid: [1, 1, 1],
        block: [128, 1, 1],
        dynamic_shared: IMAGE,
    };
    if let Err(error) = bench.launch_with("k", launch, &[image, left, out].map(Arg::U64)) {
        panic!("{error}");
    }
    // 8 bits of each of 8 words are common, and the accumulators hold the bits of the float 1 as an
    // integer.
    assert!(
        bench
            .read_words(out, 128 * 32)
            .iter()
            .all(|&word| word == 0x3f80_0000 + 64)
    );
}

/// Returns the text of a fault and its instruction, which are the same under every schedule.
fn found(text: &str) -> (String, String) {
    let mut all: Vec<(String, String)> = SCHEDULES
        .map(|schedule| match launched(text, schedule) {
            Err(LaunchError::Fault(fault)) => (fault.what.to_string(), fault.instruction),
            Err(other) => panic!("{schedule:?}: {other}"),
            Ok(_) => panic!("{schedule:?}: no fault\n{text}"),
        })
        .into();
    all.dedup();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn launched(text: &str, schedule: Schedule) -> Result<Report, LaunchError> {
    let config = Config {
        schedule,
        ..Config::default()
    };
    launched_with(text, config)
}

fn launched_with(text: &str, config: Config) -> Result<Report, LaunchError> {
    let bench = Bench::with(text, config);
    let args = [IMAGE, 2048, 65536].map(|bytes| Arg::U64(bench.bytes(&vec![0; bytes])));
    let launch = Launch {
        grid: [1, 1, 1],
        block: [128, 1, 1],
        dynamic_shared: IMAGE,
    };
    bench.launch_with("k", launch, &args)
}

#[track_caller]
fn finds(what: &str, body: &str, (from, to): (&str, &str), says: &str, at: &str) {
    assert_eq!(body.matches(from).count(), 1, "{from}");
    let wrong = module("", 3, &body.replace(from, to));
    let (said, instruction) = found(&wrong);
    listing::note(what, &wrong, Parameters::Product, 1, &instruction);
    assert!(said.contains(says), "{said}\n{instruction}");
    assert!(instruction.starts_with(at), "{said}\n{instruction}");
    for schedule in SCHEDULES {
        let Err(LaunchError::Fault(fault)) = launched(&wrong, schedule) else {
            panic!("{schedule:?}: no fault");
        };
        let config = Config {
            schedule,
            ..Config::default()
        };
        common::accepts(&fault, config, |config| launched_with(&wrong, config));
        if let Err(error) = launched(&module("", 3, body), schedule) {
            panic!("{schedule:?}, right: {error}");
        }
    }
}

#[test]
fn what_is_wrong_around_products_is_found_under_every_schedule() {
    let kind = KINDS[0];
    let case = Case {
        kind,
        d: "f32",
        n: 16,
        left: Some(layout(kind, 128, false)),
        right: layout(kind, 64, false),
        scale: true,
        negate: (false, false),
    };
    let body = case.body();
    let wait = "wgmma.wait_group.sync.aligned 0;\n";
    finds(
        "no wgmma.fence before the product",
        &body,
        ("wgmma.fence.sync.aligned;\n", ""),
        "was used since the last wgmma.fence, or there was none",
        "wgmma.mma_async",
    );
    finds(
        "accumulators stored without a wait",
        &body,
        (wait, ""),
        "register %acc0 is used while a wgmma has it",
        "st.global",
    );
    finds(
        "a wait that leaves one group",
        &body,
        (wait, "wgmma.wait_group.sync.aligned 1;\n"),
        "is used while a wgmma has it",
        "st.global",
    );
    finds(
        "product in no group",
        &body,
        ("wgmma.commit_group.sync.aligned;\n", ""),
        "is used while a wgmma has it",
        "st.global",
    );
    finds(
        "operands that threads wrote, without a proxy fence",
        &body,
        ("fence.proxy.async.shared::cta; ", ""),
        "a group of wgmma of its four warps) of shared memory that thread (0,0,0) wrote, and no fence.proxy.async",
        "wgmma.mma_async",
    );
    finds(
        "operands without a barrier after the writes",
        &body,
        ("bar.sync 0;", "bar.warp.sync -1;"),
        "read of uninitialised shared memory",
        "wgmma.mma_async",
    );
    // Shared memory that is still read is written before the wait.
    let write = "bar.sync 0; setp.eq.u32 %p2, %tid, 0; @%p2 st.shared.u32 [%r30], %tid;\n";
    let after = body.replace(wait, &format!("{wait}{write}"));
    finds(
        "A written again before the wait",
        &after,
        (&format!("{wait}{write}"), &format!("{write}{wait}")),
        "that a `wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16` of thread",
        "@%p2 st.shared",
    );
    // The other warps read columns of B too. After a warp's wait all warps have read them, but a
    // warp learns nothing from another warp's wait.
    let later = "setp.ge.u32 %p3, %tid, 96; @%p3 nanosleep.u32 100; setp.eq.u32 %p2, %tid, 96; @%p2 st.shared.u32 [%r30+32768], %r30;\n";
    let other = body.replace(wait, &format!("{wait}{later}"));
    finds(
        "B written again by a warp that has not waited",
        &other,
        (&format!("{wait}{later}"), &format!("{later}{wait}")),
        "that a `wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16` of thread",
        "@%p2 st.shared",
    );
    let product = body
        .lines()
        .find(|line| line.starts_with("wgmma.mma_async"))
        .unwrap();
    let last = format!(
        "{body}\nwgmma.fence.sync.aligned; {product} wgmma.commit_group.sync.aligned;\nLAST: wgmma.wait_group.sync.aligned 0;\n"
    );
    finds(
        "product not waited for at the end",
        &last,
        ("LAST: wgmma.wait_group.sync.aligned 0;\n", ""),
        "of its shared memory, in a group of wgmma of its four warps",
        "wgmma.mma_async",
    );
    // Accumulators are accessed between two products, and A's registers while they are read.
    let again = format!(
        "{wait}add.f32 %acc3, %acc3, %acc3; wgmma.fence.sync.aligned; {} wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0; \n",
        product
    );
    let twice = body.replace(wait, &again);
    finds(
        "accumulators used between two products without a fence",
        &twice,
        ("%acc3; wgmma.fence.sync.aligned;", "%acc3;"),
        "register %acc3 was used since the last wgmma.fence",
        "wgmma.mma_async",
    );
    let registers = Case { left: None, ..case }.body();
    let overwritten = registers.replace(wait, &format!("{wait}mov.b32 %left2, 5;\n"));
    finds(
        "A's registers written before the wait",
        &overwritten,
        (
            &format!("{wait}mov.b32 %left2, 5;\n"),
            &format!("mov.b32 %left2, 5;\n{wait}"),
        ),
        "register %left2 is used while",
        "mov.b32",
    );
    // The warps of a group must agree on these operands.
    finds(
        "warps with different descriptors",
        &body,
        (
            "wgmma.fence.sync.aligned;\n",
            "shr.u32 %r4, %tid, 5; setp.eq.u32 %p3, %r4, 3; @%p3 add.u64 %d4, %d4, 2;\nwgmma.fence.sync.aligned;\n",
        ),
        "warps of a group do not agree",
        "wgmma.mma_async",
    );
    finds(
        "lanes with different descriptors",
        &body,
        (
            "wgmma.fence.sync.aligned;\n",
            "setp.eq.u32 %p3, %tid, 3; @%p3 add.u64 %d4, %d4, 2;\nwgmma.fence.sync.aligned;\n",
        ),
        "lanes have different descriptors of B",
        "wgmma.mma_async",
    );
    finds(
        "a warp that has ended",
        &body,
        (
            "wgmma.fence.sync.aligned;\n",
            "shr.u32 %r4, %tid, 5; setp.eq.u32 %p3, %r4, 3; @%p3 exit;\nwgmma.fence.sync.aligned;\n",
        ),
        "not all four warps of a group",
        "wgmma.mma_async",
    );
    // The operand lies past the shared memory.
    let fence = "wgmma.fence.sync.aligned;\n";
    let far = format!("and.b64 %d4, %d4, -16384; or.b64 %d4, %d4, 0x3ff0;\n{fence}");
    finds(
        "operand beyond the shared memory",
        &body,
        (fence, &far),
        "shared",
        "wgmma.mma_async",
    );
    // Instructions that not all warps of the group execute.
    finds(
        "a wait by three of four warps",
        &body,
        (
            wait,
            &format!("shr.u32 %r4, %tid, 5; setp.eq.u32 %p3, %r4, 3; @%p3 bra LEFT;\n{wait}LEFT: "),
        ),
        "is used while a wgmma has it",
        "st.global",
    );
}

#[test]
fn what_ptx_has_not_is_refused() {
    let kind = KINDS[0];
    let case = Case {
        kind,
        d: "f32",
        n: 16,
        left: Some(layout(kind, 128, false)),
        right: layout(kind, 64, false),
        scale: true,
        negate: (false, false),
    };
    let body = case.body();
    for (from, to) in [
        ("m64n16k16", "m64n12k16"),
        ("m64n16k16", "m64n16k8"),
        ("k16.f32.f16.f16", "k16.f32.f16.bf16"),
        ("k16.f32.f16.f16", "k16.f16.bf16.bf16"),
        ("k16.f32.f16.f16", "k32.s32.s8.s8"),
        (", 1, 1, 1, 0, 0;", ", 1, 2, 1, 0, 0;"),
        (", 1, 1, 1, 0, 0;", ", 1, 1, 1, 0, 2;"),
        ("wait_group.sync.aligned 0", "wait_group.sync.aligned 8"),
    ] {
        assert_eq!(body.matches(from).count(), 1, "{from}");
        let text = module("", 3, &body.replace(from, to));
        let refused = match Program::parse(&text) {
            Err(_) => true,
            Ok(program) => program.not_emulated("k").is_some(),
        };
        assert!(refused, "{to}");
    }
}
