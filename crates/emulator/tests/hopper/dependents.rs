//! Checks programmatic dependent launches: the accesses that are allowed before
//! `griddepcontrol.wait`, and those that are not.

use super::bulk::{MADE, SCHEDULES, Tensors, WAIT, mapped, numbers, tile};
use super::listing::{self, Parameters};
use super::*;
use emulator::{LaunchAttributes, TensorSwizzle};

/// Stores to the first 64 words of the buffer, and reads the 64 words after them.
const FIRST: &str = "griddepcontrol.launch_dependents;\n\
    mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %a1, %d1; ld.global.u32 %r2, [%d1+256]; add.u32 %r2, %r2, %tid; st.global.u32 [%d1], %r2;";

/// Waits, and adds the words that the first kernel stored to words that no kernel stores to.
const SECOND: &str = "mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %a1, %d1; ld.global.u32 %r3, [%d1+512];\n\
    griddepcontrol.wait;\n\
    ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, %r3; st.global.u32 [%d1+1024], %r2;";

/// Writes a module of kernels `k0`, `k1` and so on.
fn kernels(bodies: &[&str]) -> String {
    let all = bodies.iter().enumerate().map(|(i, body)| {
        let text = mapped("", body).replace(" k(", &format!(" k{i}("));
        match i {
            0 => text,
            _ => text[text.find(".visible").unwrap()..].to_owned(),
        }
    });
    all.collect()
}

/// Launches the kernels one after the other, each in a block of 64 threads. `attributes` are those
/// of all kernels after the first.
fn chain(
    bench: &Tensors,
    bodies: &[&str],
    attributes: LaunchAttributes,
) -> Result<Vec<u32>, LaunchError> {
    let program = Program::parse(&kernels(bodies)).unwrap_or_else(|error| panic!("{error}"));
    bench.device.load(&program).unwrap();
    let map = tile(bench.tensor, TensorSwizzle::B128).encode().unwrap();
    let launch = Launch {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 48 << 10,
    };
    for i in 0..bodies.len() {
        let attributes = match i {
            0 => LaunchAttributes::default(),
            _ => attributes,
        };
        let params: [&[u8]; 2] = [&map, &bench.buffer.to_le_bytes()];
        let name = format!("k{i}");
        bench
            .device
            .launch_with(&program, &name, &launch, &attributes, &params, None)?;
    }
    Ok(bench
        .read(bench.buffer, 2048)
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect())
}

const PROGRAMMATIC: LaunchAttributes = LaunchAttributes {
    cluster: None,
    programmatic: true,
    cooperative: false,
    has_dependents: false,
};

/// Returns the fault, which is the same under every schedule.
fn fault(bodies: &[&str]) -> emulator::Fault {
    let tensor = numbers(128 * 96 / 2);
    let mut all: Vec<emulator::Fault> = SCHEDULES
        .map(|schedule| {
            let bench = Tensors::new(schedule, &tensor);
            match chain(&bench, bodies, PROGRAMMATIC) {
                Err(LaunchError::Fault(fault)) => *fault,
                other => panic!("{schedule:?}: a fault expected, got {other:?}"),
            }
        })
        .into();
    all.dedup();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// Replaces `from` by `to` in kernel `wrong` of the right kernels, and checks the fault's text and
/// its instruction.
#[track_caller]
fn finds(
    what: &str,
    right: &[&str],
    (wrong, from, to): (usize, &str, &str),
    says: &str,
    at: &str,
) -> emulator::Fault {
    assert_eq!(right[wrong].matches(from).count(), 1, "{from}");
    let changed = right[wrong].replace(from, to);
    let mut bodies = right.to_vec();
    bodies[wrong] = &changed;
    let fault = fault(&bodies);
    let (said, instruction) = (fault.what.to_string(), &fault.instruction);
    listing::note(
        what,
        &kernels(&bodies),
        Parameters::Dependents,
        1,
        instruction,
    );
    assert_eq!(said, says);
    assert!(
        instruction.trim_start_matches("@%p1 ").starts_with(at),
        "{said}\n{instruction}"
    );
    let tensor = numbers(128 * 96 / 2);
    for schedule in SCHEDULES {
        let bench = Tensors::new(schedule, &tensor);
        if let Err(error) = chain(&bench, right, PROGRAMMATIC) {
            panic!("{schedule:?}, right: {error}");
        }
        // Without the attribute a launch begins when the previous launch has ended.
        if let Err(error) = chain(&bench, &bodies, LaunchAttributes::default()) {
            panic!("{schedule:?}, not programmatic: {error}");
        }
    }
    fault
}

const WROTE: &str =
    "before griddepcontrol.wait: kernel `k0`, which may not have ended yet, wrote it";

#[test]
fn what_is_wrong_around_dependent_launches_is_found_under_every_schedule() {
    let read = format!("read of global memory {WROTE}");
    let fault = finds(
        "results of the kernel before read without a wait",
        &[FIRST, SECOND],
        (1, "griddepcontrol.wait;", ""),
        &read,
        "ld.global.u32 %r2, [%d1]",
    );
    assert_eq!(fault.kernel, "k1");
    assert_eq!((fault.block, fault.warp), ([0; 3], Some(0)));
    assert_eq!(fault.thread, Some([0; 3]));
    finds(
        "the wait behind the read",
        &[FIRST, SECOND],
        (
            1,
            "griddepcontrol.wait;\nld.global.u32 %r2, [%d1];",
            "ld.global.u32 %r2, [%d1]; griddepcontrol.wait;",
        ),
        &read,
        "ld.global.u32 %r2, [%d1]",
    );
    // One thread waits for all threads of its block.
    let one = SECOND.replace(
        "griddepcontrol.wait;",
        "@%p1 griddepcontrol.wait; bar.sync 0;",
    );
    let fault = finds(
        "a wait by one thread, and no barrier behind it",
        &[FIRST, &one],
        (1, "bar.sync 0;", ""),
        &read,
        "ld.global.u32 %r2, [%d1]",
    );
    assert_eq!(fault.thread, Some([1, 0, 0]), "who has not waited");
    finds(
        "results stored before the wait over those of the kernel before",
        &[FIRST, &SECOND.replace("[%d1+1024]", "[%d1]")],
        (
            1,
            "griddepcontrol.wait;\n",
            "st.global.u32 [%d1], %r3; griddepcontrol.wait;\n",
        ),
        &format!("write of global memory {WROTE}"),
        "st.global.u32 [%d1], %r3",
    );
    finds(
        "operands of the kernel before overwritten before the wait",
        &[FIRST, &SECOND.replace("[%d1+1024]", "[%d1+256]")],
        (
            1,
            "griddepcontrol.wait;\n",
            "st.global.u32 [%d1+256], %r3; griddepcontrol.wait;\n",
        ),
        "write of global memory before griddepcontrol.wait: kernel `k0`, which may not have ended yet, read it",
        "st.global.u32 [%d1+256], %r3",
    );
    // The first kernel stores a box, and the next one loads it.
    let store = "mov.u32 %r2, %tid; LOOP: mad.lo.u32 %r3, %r2, 4, %r30; st.shared.u32 [%r3+1024], %r2; add.u32 %r2, %r2, 64; setp.lt.u32 %p3, %r2, 2048; @%p3 bra LOOP;\n\
         fence.proxy.async.shared::cta; bar.sync 0; add.u32 %r1, %r30, 1024; @!%p1 bra END;\n\
         cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {0, 0}], [%r1]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END: griddepcontrol.launch_dependents;";
    let load = format!(
        "{MADE}griddepcontrol.wait;\nadd.u32 %r1, %r30, 1024; @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 8192;\n\
         @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%map, {{0, 0}}], [%r30];\n{WAIT}"
    );
    finds(
        "box of the kernel before loaded without a wait",
        &[store, &load],
        (1, "griddepcontrol.wait;", ""),
        &read,
        "cp.async.bulk.tensor",
    );
    // Of three kernels, the last one reads what the first one wrote. It waits for the second one,
    // which has waited for the first.
    let middle = "griddepcontrol.wait; griddepcontrol.launch_dependents;";
    let last = SECOND.replace("griddepcontrol.wait;", "");
    let fault = finds(
        "dependents let begin before the own wait",
        &[FIRST, middle, &last],
        (
            1,
            middle,
            "griddepcontrol.launch_dependents; griddepcontrol.wait;",
        ),
        &read,
        "ld.global.u32 %r2, [%d1]",
    );
    assert_eq!(fault.kernel, "k2");
}

#[test]
fn what_orders_a_thread_behind_a_wait_is_enough() {
    let tensor = numbers(128 * 96 / 2);
    let bench = || Tensors::new(SCHEDULES[0], &tensor);
    // The result is the sum of what the first kernel stored, 64 + 2 i, and of the word at 128 + i.
    let words = chain(&bench(), &[FIRST, SECOND], PROGRAMMATIC).unwrap();
    assert!((0..64).all(|i| words[256 + i as usize] == 64 + 2 * i + 128 + i));
    // One warp waits, and informs the other by an mbarrier object.
    let object = "@%p1 mbarrier.init.shared::cta.b64 [%r30], 1; bar.sync 0; @!%p1 bra READ; griddepcontrol.wait; mbarrier.arrive.shared::cta.b64 _, [%r30]; READ:\n\
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], 0; @!%p2 bra WAIT;";
    let told = SECOND.replace("griddepcontrol.wait;", object);
    chain(&bench(), &[FIRST, &told], PROGRAMMATIC).unwrap();
    // Both kernels change a counter by atomics.
    let count = "griddepcontrol.launch_dependents; red.global.add.u32 [%a1], 1;";
    chain(&bench(), &[count, count], PROGRAMMATIC).unwrap();
    let read = "ld.global.u32 %r1, [%a1];";
    let error = chain(&bench(), &[count, read], PROGRAMMATIC).unwrap_err();
    assert!(error.to_string().contains(WROTE), "{error}");
}

/// Checks a kernel without `griddepcontrol.launch_dependents`: its dependents may begin when its
/// blocks end, before its stores are visible.
#[test]
fn a_launch_is_noted_where_its_dependent_is_told_of() {
    let tensor = numbers(128 * 96 / 2);
    let silent = FIRST.replace("griddepcontrol.launch_dependents;", "");
    let unwaited = SECOND.replace("griddepcontrol.wait;", "");
    let program = Program::parse(&kernels(&[&silent, &unwaited])).unwrap();
    for (has_dependents, copied) in [(false, false), (true, false), (true, true)] {
        let bench = Tensors::new(SCHEDULES[0], &tensor);
        bench.device.load(&program).unwrap();
        let map = tile(bench.tensor, TensorSwizzle::B128).encode().unwrap();
        let params: [&[u8]; 2] = [&map, &bench.buffer.to_le_bytes()];
        let launch = Launch {
            grid: [1, 1, 1],
            block: [64, 1, 1],
            dynamic_shared: 0,
        };
        let first = LaunchAttributes {
            has_dependents,
            ..LaunchAttributes::default()
        };
        let run = |name: &str, attributes| {
            let device = &bench.device;
            device.launch_with(&program, name, &launch, attributes, &params, None)
        };
        run("k0", &first).unwrap();
        if copied {
            // A copy between the launches waits for the first kernel.
            bench.read(bench.buffer, 4);
        }
        let found = run("k1", &PROGRAMMATIC).is_err();
        assert_eq!(found, has_dependents && !copied);
    }
}
