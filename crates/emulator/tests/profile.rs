//! Checks the counts of `Config::profile`: lanes, divergence, groups of copies, operations, lines
//! of the source.

use emulator::profile::{Groups, Unit};
use emulator::{Config, Emulator, Launch, LineReport, Program, Report};

const HEAD: &str = ".version 7.8\n.target sm_90\n.address_size 64\n.file 1 \"a.rs\"\n.file 2 \"b.rs\"\n\
    .extern .shared .align 16 .b8 dynamic[];\n\
    .visible .entry k(.param .u64 p) {\n\
    .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .f32 %f<8>; .reg .b16 %h<4>;\n\
    ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mov.u32 %r9, dynamic;\n\
    shl.b32 %r8, %r0, 4; mov.u32 %r7, %ctaid.x; mad.lo.u32 %r7, %r7, 768, %r8; cvt.u64.u32 %d1, %r7; add.u64 %d1, %d1, %d0;\n\
    add.u32 %r8, %r8, %r9;\n";

/// Runs a body in two blocks of 48 threads: a full warp and a half one.
fn run(body: &str, config: Config) -> Report {
    let program = Program::parse(&format!("{HEAD}{body}\nret; }}")).unwrap();
    let device = Emulator::new(config);
    device.load(&program).unwrap();
    let buffer = device.alloc(1 << 12).unwrap();
    device.write(buffer, &[0; 1 << 12]).unwrap();
    let launch = Launch {
        grid: [2, 1, 1],
        block: [48, 1, 1],
        dynamic_shared: 4096,
    };
    device
        .launch(&program, "k", &launch, &[&buffer.to_le_bytes()], None)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn profiling() -> Config {
    Config {
        profile: true,
        ..Config::default()
    }
}

fn line<'a>(report: &'a Report, text: &str) -> &'a LineReport {
    let mut lines = report.lines.iter();
    lines
        .find(|line| line.instruction.contains(text))
        .unwrap_or_else(|| panic!("{text}"))
}

/// Returns executions, lanes that arrived, lanes that executed, and divergent branches.
fn counts(report: &Report, text: &str) -> [u64; 4] {
    let line = line(report, text);
    let profile = line.profile.as_ref().unwrap();
    [
        line.executed,
        profile.active_lanes,
        profile.executing_lanes,
        profile.diverged,
    ]
}

#[test]
fn lanes_and_divergence() {
    let body = "setp.lt.u32 %p0, %r0, 8;\n\
        @%p0 add.u32 %r1, %r0, 1;\n\
        @%p0 bra A;\n\
        add.u32 %r2, %r0, 2;\n\
        bra B;\n\
        A: add.u32 %r3, %r0, 3;\n\
        B: add.u32 %r4, %r0, 4;\n\
        setp.lt.u32 %p1, %r0, 100;\n\
        @%p1 bra C;\n\
        add.u32 %r5, %r0, 5;\n\
        C: add.u32 %r6, %r0, 6;";
    let report = run(body, profiling());
    // Each of the two blocks has a warp of 32 lanes and one of 16; only the first warp has threads
    // below 8.
    assert_eq!(counts(&report, "add.u32 %r1"), [4, 96, 16, 0]);
    assert_eq!(counts(&report, "bra A"), [4, 96, 16, 2]);
    assert_eq!(counts(&report, "add.u32 %r2"), [4, 80, 80, 0]);
    assert_eq!(counts(&report, "add.u32 %r3"), [2, 16, 16, 0]);
    assert_eq!(counts(&report, "add.u32 %r4"), [4, 96, 96, 0]);
    assert_eq!(
        counts(&report, "bra C"),
        [4, 96, 96, 0],
        "all lanes go one way"
    );
    assert_eq!(counts(&report, "add.u32 %r6"), [4, 96, 96, 0]);
}

#[test]
fn lanes_that_meet_at_an_instruction_are_counted_once() {
    // The half warp diverges; its lanes exchange values at one instruction that both sides reach.
    let body = "setp.lt.u32 %p0, %r0, 40;\n\
        and.b32 %r7, %r0, 32; setp.ne.u32 %p2, %r7, 0; mov.u32 %r6, 0xffffffff; @%p2 mov.u32 %r6, 0xffff;\n\
        @%p0 bra A;\n\
        add.u32 %r2, %r0, 2;\n\
        A: shfl.sync.bfly.b32 %r3, %r0, 1, 31, %r6;";
    let report = run(body, profiling());
    assert_eq!(counts(&report, "bra A")[3], 2);
    let [executed, active, executing, _] = counts(&report, "shfl");
    assert_eq!((active, executing), (96, 96));
    assert_eq!(executed, 4);
}

#[test]
fn groups_of_copies_in_flight() {
    let copy = |n: u32| format!("cp.async.ca.shared.global [%r8+{}], [%d1], 16;\n", 768 * n);
    let commit = "cp.async.commit_group;\n";
    let body = format!(
        "{}{commit}{}{commit}{commit}cp.async.wait_group 2;\n\
         {}{}{commit}cp.async.wait_group 1;\n{}cp.async.wait_all;",
        copy(0),
        copy(1),
        copy(2),
        copy(3),
        copy(4)
    );
    let report = run(&body, profiling());
    let groups = |text: &str| line(&report, text).profile.as_ref().unwrap().groups;
    // There are four warps, and the empty group does not count. Before the wait for all but 2
    // groups there are two; the group that it keeps has copies.
    let wait = |most, before: u64, after: u64| {
        Some(Groups {
            most,
            waits: 4,
            before: 4 * before,
            after: 4 * after,
        })
    };
    assert_eq!(groups("wait_group 2"), wait(2, 2, 1));
    assert_eq!(groups("wait_group 1"), wait(2, 2, 1));
    assert_eq!(groups("wait_all"), wait(2, 2, 0));
}

#[test]
fn operations_by_unit() {
    let body = "mov.f32 %f0, 0f3F800000; mov.b32 %r1, 0;\n\
        setp.lt.u32 %p0, %r0, 10;\n\
        fma.rn.f32 %f1, %f0, %f0, %f0;\n\
        @%p0 add.rn.f32 %f2, %f0, %f0;\n\
        fma.rn.f16x2 %r2, %r1, %r1, %r1;\n\
        sqrt.rn.f32 %f3, %f0;\n\
        add.u32 %r3, %r0, %r0;";
    let flops = run(body, profiling()).flops();
    let units: Vec<_> = flops.units().collect();
    assert_eq!(
        units,
        [
            (Unit::F32, 96 * 2 + 20),
            (Unit::F16, 96 * 4),
            (Unit::Special, 96)
        ]
    );
    assert_eq!(flops.total(), 96 * 2 + 20 + 96 * 4);
}

const LINES: &str = ".loc 1 10 0\nst.shared.u32 [%r8], %r0;\n.loc 2 7 0\nbar.sync 0;\n.loc 1 11 3\n\
    ld.shared.u32 %r1, [%r8]; add.u32 %r2, %r1, %r1;\n.loc 1 10 9\nst.global.u32 [%d1], %r2; add.f32 %f1, %f1, %f1;";

#[test]
fn lines_of_the_source_are_the_sums_of_their_instructions() {
    let report = run(LINES, profiling());
    let sources = report.sources();
    let places: Vec<_> = sources.iter().map(|s| (s.file.as_str(), s.line)).collect();
    assert_eq!(places, [("a.rs", 10), ("a.rs", 11), ("b.rs", 7)]);
    for source in &sources {
        let at = Some((source.file.clone(), source.line));
        let own = || report.lines.iter().filter(|line| line.source_line == at);
        assert_eq!(source.executed, own().map(|l| l.executed).sum::<u64>());
        let sectors = own().map(|l| l.memory.global_sectors).sum::<u64>();
        assert_eq!(source.memory.global_sectors, sectors);
        let waves = own().map(|l| l.memory.shared_wavefronts).sum::<u64>();
        assert_eq!(source.memory.shared_wavefronts, waves);
        let lanes = |l: &LineReport| l.profile.as_ref().unwrap().executing_lanes;
        let profile = source.profile.as_ref().unwrap();
        assert_eq!(profile.executing_lanes, own().map(lanes).sum::<u64>());
        assert_eq!(source.flops.total(), own().map(|l| l.flops().total()).sum());
    }
    // Words are 4 apart: every fourth bank serves 4 words in the full warp, and 2 words in the half
    // one.
    let banks = line(&report, "ld.shared")
        .profile
        .as_ref()
        .unwrap()
        .banks
        .as_ref()
        .unwrap()
        .clone();
    for (bank, served) in banks.iter().enumerate() {
        assert_eq!(
            *served,
            if bank % 4 == 0 { 2 * (4 + 2) } else { 0 },
            "bank {bank}"
        );
    }
    assert_eq!(line(&report, "st.global").memory.global_bytes, 96 * 4);
}

#[test]
fn the_profile_changes_no_other_counter_and_depends_on_no_thread() {
    let with = run(LINES, profiling());
    for threads in [1, 2, 3] {
        let config = Config {
            threads: Some(threads),
            ..profiling()
        };
        assert_eq!(run(LINES, config), with);
    }
    let mut stripped = with.clone();
    for line in &mut stripped.lines {
        line.profile = None;
    }
    assert_eq!(run(LINES, Config::default()), stripped);
    // Nothing is counted if memory is not.
    let config = Config {
        count_memory: false,
        ..profiling()
    };
    let none = run(LINES, config);
    assert!(none.lines.iter().all(|line| line.profile.is_none()));
    assert_eq!(none.instructions, with.instructions);
    assert_eq!(none.flops().total(), 0);
}

/// Returns the widest vector that could replace accesses from the one with this text on, and how
/// often.
fn narrow(report: &Report, text: &str) -> Option<(u64, u64)> {
    let profile = line(report, text).profile.as_ref().unwrap();
    profile.narrow.widest()
}

/// Checks a copy of 16 bytes per thread by four accesses, and by one, in two blocks of two warps.
#[test]
fn accesses_that_one_vector_could_have_been() {
    let scalars = |space: &str, base: &str| -> String {
        let of = |i: u32| {
            format!(
                "ld.{space}.b32 %r{}, [{base}+{at}]; st.{space}.b32 [{base}+{at}], %r{};\n",
                i + 1,
                i + 1,
                at = 4 * i
            )
        };
        (0..4).map(of).collect()
    };
    for (space, base) in [("global", "%d1"), ("shared", "%r8")] {
        let fill = format!("st.{space}.v4.b32 [{base}], {{%r0, %r0, %r0, %r0}};\n");
        let report = run(&(fill.clone() + &scalars(space, base)), profiling());
        let load = format!("ld.{space}.b32 %r1,");
        let store = format!("st.{space}.b32 [{base}+0]");
        assert_eq!(narrow(&report, &load), Some((16, 4)), "{space}");
        assert_eq!(narrow(&report, &store), Some((16, 4)), "{space}");
        // The first access reports the whole vector.
        assert_eq!(narrow(&report, &format!("ld.{space}.b32 %r2,")), None);
        let twin = format!(
            "{fill}ld.{space}.v4.b32 {{%r1, %r2, %r3, %r4}}, [{base}]; st.{space}.v4.b32 [{base}], {{%r1, %r2, %r3, %r4}};\n"
        );
        let report = run(&twin, profiling());
        for line in &report.lines {
            let profile = line.profile.as_ref().unwrap();
            assert_eq!(profile.narrow.widest(), None, "{}", line.instruction);
        }
        // With a barrier between the accesses, or elements in another order, there is no vector.
        let apart = scalars(space, base).replace(";\n", ";\nbar.sync 0;\n");
        let report = run(&(fill + &apart), profiling());
        assert_eq!(narrow(&report, &load), None, "{space}");
    }
}

/// Checks `cp.async` of 4 bytes, four times, and of 16 bytes.
#[test]
fn copies_that_one_of_16_bytes_could_have_been() {
    let fill = "st.global.v4.b32 [%d1], {%r0, %r0, %r0, %r0};\n";
    let end = "cp.async.wait_all;\n";
    let copy = |bytes: u32, at: u32| {
        let op = if bytes == 16 { "cg" } else { "ca" };
        format!("cp.async.{op}.shared.global [%r8+{at}], [%d1+{at}], {bytes};\n")
    };
    let four: String = (0..4).map(|i| copy(4, 4 * i)).collect();
    let report = run(&format!("{fill}{four}{end}"), profiling());
    assert_eq!(narrow(&report, "[%r8+0]"), Some((16, 4)));
    let report = run(&format!("{fill}{}{end}", copy(16, 0)), profiling());
    assert_eq!(narrow(&report, "[%r8+0]"), None);
    // With the other side in another order there is no vector.
    let crossed: String = (0..4)
        .map(|i| {
            format!(
                "cp.async.ca.shared.global [%r8+{}], [%d1+{}], 4;\n",
                12 - 4 * i,
                4 * i
            )
        })
        .collect();
    let report = run(&format!("{fill}{crossed}{end}"), profiling());
    assert_eq!(narrow(&report, "[%d1+0]"), None);
}
