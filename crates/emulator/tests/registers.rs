//! Checks the registers that the PTX needs: compares the number of simultaneously live registers
//! with a count by definition on random programs, and checks the limit of a thread.

use emulator::Program;
use emulator::profile::LiveRegisters;

fn registers(directives: &str, body: &str) -> LiveRegisters {
    let ptx = format!(
        ".version 8.0 .target sm_90a .address_size 64\n\
         .visible .entry k(.param .u64 p, .param .u32 n) {directives} {{\n\
         .reg .pred %p<4>; .reg .b32 %r<64>; .reg .b64 %d<8>;\n\
         {body}\nret; }}"
    );
    let program = Program::parse(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    program.registers("k").unwrap()
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// An instruction: the register that it writes, the registers that it reads, and the instruction
/// that may follow it besides the next one.
struct Step {
    writes: Option<usize>,
    guarded: bool,
    reads: Vec<usize>,
    branch: Option<usize>,
}

/// Counts live registers by definition: a register is live before an instruction if a path leads
/// from there to a read of the register without a certain write before.
fn live_by_definition(steps: &[Step], registers: usize) -> u32 {
    let is_live = |register: usize, at: usize| {
        let (mut seen, mut next) = (vec![false; steps.len()], vec![at]);
        while let Some(at) = next.pop() {
            let Some(step) = steps.get(at) else { continue };
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if step.reads.contains(&register) || step.guarded && step.writes == Some(register) {
                return true;
            }
            if step.writes != Some(register) {
                next.extend([Some(at + 1), step.branch].into_iter().flatten());
            }
        }
        false
    };
    let live = |at| {
        (0..registers)
            .filter(|&register| is_live(register, at))
            .count()
    };
    (1..steps.len()).map(live).max().unwrap_or(0) as u32
}

#[test]
fn the_most_that_are_live_is_so_by_definition() {
    let mut random = Random(11);
    for case in 0..300 {
        let (count, length) = (2 + random.below(9), 4 + random.below(24));
        // Each register is first written with the thread's index, so that none is uniform.
        let mut body: Vec<String> = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        for register in 0..count {
            body.push(format!("mov.u32 %r{register}, %tid.x;"));
            let (reads, writes) = (Vec::new(), Some(register));
            steps.push(Step {
                writes,
                guarded: false,
                reads,
                branch: None,
            });
        }
        let end = count + length;
        for at in count..end {
            let [a, b, c] = [(); 3].map(|()| random.below(count));
            let step = match random.below(6) {
                0 => {
                    let to = count + random.below(length);
                    body.push(format!("@%p0 bra L{to};"));
                    Step {
                        writes: None,
                        guarded: false,
                        reads: vec![],
                        branch: Some(to),
                    }
                }
                1 => {
                    body.push(format!("@%p0 add.u32 %r{a}, %r{b}, %r{c};"));
                    Step {
                        writes: Some(a),
                        guarded: true,
                        reads: vec![b, c],
                        branch: None,
                    }
                }
                2 => {
                    body.push(format!("st.local.u32 [{at}], %r{b};"));
                    Step {
                        writes: None,
                        guarded: false,
                        reads: vec![b],
                        branch: None,
                    }
                }
                _ => {
                    body.push(format!("add.u32 %r{a}, %r{b}, %r{c};"));
                    Step {
                        writes: Some(a),
                        guarded: false,
                        reads: vec![b, c],
                        branch: None,
                    }
                }
            };
            steps.push(step);
        }
        let labelled = body
            .iter()
            .enumerate()
            .map(|(at, text)| format!("L{at}: {text}"));
        let text = labelled.collect::<Vec<_>>().join("\n");
        let found = registers("", &format!("setp.eq.u32 %p0, 0, 0;\n{text}"));
        assert_eq!(
            found.live,
            live_by_definition(&steps, count),
            "case {case}\n{text}"
        );
    }
}

#[test]
fn what_is_the_same_in_a_warp_takes_no_register_of_a_thread() {
    let uniform = "ld.param.u64 %d0, [p]; ld.param.u32 %r0, [n]; mov.u32 %r1, %ctaid.x; mul.lo.u32 %r2, %r1, %r0;\n\
         mul.wide.u32 %d1, %r2, 4; add.u64 %d0, %d0, %d1;";
    // The address belongs to the warp, and the value to a thread.
    let found = registers(
        "",
        &format!("{uniform} mov.u32 %r3, %tid.x; st.global.u32 [%d0], %r3;"),
    );
    assert_eq!((found.live, found.line), (1, 5));
    // With the thread's index in it, the address takes two words.
    let found = registers(
        "",
        &format!(
            "{uniform} mov.u32 %r3, %tid.x; mul.wide.u32 %d2, %r3, 4; add.u64 %d3, %d0, %d2;\n\
             st.global.u32 [%d3], %r3;"
        ),
    );
    assert_eq!(found.live, 3);
    // A loaded value is not known to be uniform, although its address is.
    let found = registers(
        "",
        &format!("{uniform} ld.global.u32 %r3, [%d0]; st.global.u32 [%d0], %r3;"),
    );
    assert_eq!(found.live, 1);
}

#[test]
fn directives_say_what_a_thread_can_have() {
    let most = |directives| registers(directives, "").most;
    assert_eq!(most(""), 255);
    assert_eq!(most(".maxntid 256"), 255);
    assert_eq!(most(".maxntid 512"), 128);
    assert_eq!(most(".maxntid 1024"), 64);
    assert_eq!(most(".maxntid 384"), 168);
    assert_eq!(most(".maxntid 256 .minnctapersm 2"), 128);
    assert_eq!(most(".maxntid 256 .maxnreg 40"), 40);
    // One warp group releases registers, and another takes them.
    let moved = registers(
        ".maxntid 384 .minnctapersm 1",
        "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 128; @%p0 bra L; setmaxnreg.inc.sync.aligned.u32 240; ret;\n\
         L: setmaxnreg.dec.sync.aligned.u32 24;",
    );
    assert_eq!(
        (moved.at_start, moved.most, moved.expected()),
        (Some(168), 240, 168)
    );
}

#[test]
fn more_than_a_thread_can_have_may_be_spilled() {
    let loads: Vec<String> = (0..40)
        .map(|i| format!("ld.local.u32 %r{i}, [{}];", 4 * i))
        .collect();
    let stores: Vec<String> = (0..40)
        .map(|i| format!("st.local.u32 [{}], %r{i};", 4 * i))
        .collect();
    let body = format!("{}\n{}", loads.join(" "), stores.join(" "));
    let (few, many) = (
        registers(".maxnreg 32", &body),
        registers(".maxnreg 64", &body),
    );
    assert_eq!((few.live, few.may_spill()), (40, true));
    assert!(
        few.to_string().ends_with(", 8 of them may be spilled"),
        "{few}"
    );
    assert!(!many.may_spill() && many.expected() == 51, "{many}");
}
