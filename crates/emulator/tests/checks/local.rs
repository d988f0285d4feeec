//! Checks local memory: bounds, returned frames, uninitialised bytes, use.

use super::*;

/// Writes a module with a kernel with 16 bytes of local memory; `%d1` is its local address, and
/// `%d2` its generic one.
fn with_local(body: &str) -> String {
    entry(
        1,
        &format!(
            ".local .align 16 .b8 own[16]; mov.u64 %d1, own; cvta.local.u64 %d2, %d1;\n{body}\nret;"
        ),
    )
}

fn local(body: &str, config: Config) -> Result<emulator::Report, LaunchError> {
    let bench = Bench::with(&with_local(body), config);
    let a = bench.words(&[0; 64]);
    bench.launch("k", 1, 32, &[Arg::U64(a)])
}

#[test]
fn local_bounds() {
    let at = |access: &str| {
        let result = local(access, Config::default());
        match result {
            Err(LaunchError::Fault(fault)) => fault,
            other => panic!("{access}: {other:?}"),
        }
    };
    local(
        "st.local.v2.u64 [%d1], {%d3, %d3}; ld.local.u32 %r1, [%d1+12]; ld.u8 %h1, [%d2+15];",
        Config::default(),
    )
    .unwrap();
    for (access, offset, size) in [
        ("ld.local.u32 %r1, [%d1+16];", 16, 4),
        ("st.local.u64 [%d1+16], %d3;", 16, 8),
        ("ld.u32 %r1, [%d2+16];", 16, 4),
        ("st.local.u32 [%d1+4096], 1;", 4096, 4),
        (
            // The index is one too large for thread 5 only.
            "sub.u32 %r1, %tid, 5; setp.eq.u32 %p1, %r1, 0; selp.u64 %d3, 16, 12, %p1; add.u64 %d3, %d1, %d3; ld.local.u32 %r2, [%d3];",
            16,
            4,
        ),
    ] {
        let fault = at(access);
        assert_eq!(
            fault.what,
            FaultKind::OutOfBounds {
                space: Space::Local,
                size,
                offset,
                length: 16
            },
            "{access}"
        );
        let last = access.trim_end_matches(';').rsplit("; ").next().unwrap();
        assert_eq!(fault.instruction, format!("{last};"));
        let thread = if access.contains("%tid, 5") { 5 } else { 0 };
        assert_eq!((fault.thread, fault.warp), (Some([thread, 0, 0]), Some(0)));
        assert_eq!(fault.buffer, None);
    }
    let fault = at("st.local.u64 [%d1+4], %d3;");
    assert_eq!(
        fault.what,
        FaultKind::Misaligned {
            space: Space::Local,
            alignment: 8
        }
    );
}

/// Checks a pointer to a variable of a function that has returned.
#[test]
fn use_after_return() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func (.param .b64 r) leak(.param .b32 n) { .local .align 8 .b8 gone[32]; .reg .b64 %d<4>;\n\
          mov.u64 %d1, gone; st.local.u64 [%d1+24], %d1; cvta.local.u64 %d2, %d1; st.param.b64 [r], %d2; ret; }\n\
        .visible .entry k() { .reg .b64 %d<4>; .local .align 8 .b8 own[8]; mov.u64 %d3, own; st.local.u64 [%d3], %d3;\n\
          { .param .b32 n; .param .b64 r; st.param.b32 [n], 1; call (r), leak, (n); ld.param.b64 %d1, [r]; }\n\
          ld.u64 %d2, [%d1+24]; ret; }";
    let bench = Bench::new(text);
    let fault = bench.fault("k", 1, 32, &[]);
    let FaultKind::OutOfBounds {
        space: Space::Local,
        size: 8,
        length: 8,
        ..
    } = fault.what
    else {
        panic!("{fault}")
    };
    assert_eq!(fault.instruction, "ld.u64 %d2, [%d1+24];");
}

#[test]
fn uninitialised_local_memory() {
    let config = || Config {
        check_local_initialised: true,
        ..Config::default()
    };
    for right in [
        "st.local.u32 [%d1+4], 1; ld.local.u32 %r1, [%d1+4]; ld.u16 %h1, [%d2+6];",
        "st.local.u16 [%d1], 1; st.u16 [%d2+2], 1; ld.local.u32 %r1, [%d1];",
    ] {
        local(right, config()).unwrap();
    }
    for (wrong, offset, thread) in [
        ("ld.local.u32 %r1, [%d1];", 0, 0),
        (
            "st.local.u16 [%d1+8], %h1; ld.local.v2.u32 {%r1, %r2}, [%d1+8];",
            10,
            0,
        ),
        (
            "setp.ne.u32 %p1, %tid, 9; @%p1 st.local.u32 [%d1], 1; ld.u32 %r1, [%d2];",
            0,
            9,
        ),
    ] {
        // The check is off by default, because compilers copy padding.
        local(wrong, Config::default()).unwrap();
        let Err(LaunchError::Fault(fault)) = local(wrong, config()) else {
            panic!("{wrong}")
        };
        let FaultKind::Uninitialised {
            space: Space::Local,
            offset: found,
            ..
        } = fault.what
        else {
            panic!("{fault}")
        };
        assert_eq!(
            (found, fault.thread),
            (offset, Some([thread, 0, 0])),
            "{wrong}"
        );
    }
}

/// Checks that uses of local memory are counted, and can be forbidden.
#[test]
fn local_memory_use() {
    let body = "st.local.u32 [%d1], 1; setp.lt.u32 %p1, %tid, 4; @%p1 ld.u32 %r1, [%d2]; ld.global.u32 %r2, [%a0];";
    let report = local(body, Config::default()).unwrap();
    assert_eq!(report.memory.local_requests, 2);
    let counts: Vec<(&str, u64)> = report
        .lines
        .iter()
        .filter(|line| line.memory.local_requests > 0)
        .map(|line| (line.instruction.as_str(), line.memory.local_requests))
        .collect();
    assert_eq!(
        counts,
        [
            ("st.local.u32 [%d1], 1;", 1),
            ("@%p1 ld.u32 %r1, [%d2];", 1)
        ]
    );
    let forbid = || Config {
        allow_local_memory: false,
        ..Config::default()
    };
    for (body, instruction, lanes) in [
        (body, "st.local.u32 [%d1], 1;", u32::MAX),
        (
            "setp.lt.u32 %p1, %tid, 4; @%p1 ld.u32 %r1, [%d2];",
            "@%p1 ld.u32 %r1, [%d2];",
            0xf,
        ),
    ] {
        let Err(LaunchError::Fault(fault)) = local(body, forbid()) else {
            panic!("{body}")
        };
        assert_eq!(fault.what, FaultKind::LocalMemory { bytes: 16 });
        assert_eq!(
            (fault.instruction.as_str(), fault.lanes),
            (instruction, lanes)
        );
    }
    // Memory that is declared but not accessed does not count as used.
    local("ld.global.u32 %r2, [%a0];", forbid()).unwrap();
}

/// Checks that a thread that uses the address of another thread's local array is found: on a device
/// this address is in its own array.
#[test]
fn a_local_array_of_another_thread_is_found() {
    let body = "st.local.u32 [%d1], %tid; mov.u64 %d30, dynamic; cvta.shared.u64 %d30, %d30; mov.u32 %r9, %tid.y; mad.lo.u32 %r9, %r9, 8, %tid;\n\
        setp.eq.u32 %p1, %r9, OWNER;        @%p1 st.u64 [%d30], %d2; bar.sync 0; ld.u64 %d4, [%d30]; USE";
    let launched = |owner: u32, what: &str, config: Config| {
        let body = body
            .replace("OWNER", &owner.to_string())
            .replace("USE", what);
        let bench = Bench::with(&with_local(&body), config);
        let a = bench.words(&[0; 64]);
        let launch = Launch {
            grid: [1, 1, 1],
            block: [8, 8, 1],
            dynamic_shared: 64,
        };
        let result = bench.launch_with("k", launch, &[Arg::U64(a)]);
        result.map(|_| bench.read_words(a, 64))
    };
    for what in [
        "ld.u32 %r1, [%d4];",
        "st.u32 [%d4+8], %tid;",
        "cvta.to.local.u64 %d5, %d4; ld.local.u32 %r1, [%d5+4];",
    ] {
        for owner in [0, 5] {
            // A use by all threads is found. A use by only the owner, or by each thread with its
            // own address, is not a finding.
            let Err(LaunchError::Fault(fault)) = launched(owner, what, Config::default()) else {
                panic!("{what}");
            };
            let found = FaultKind::OthersLocal {
                owner: [owner, 0, 0],
            };
            assert_eq!(fault.what, found, "{what}");
            let own = what.replace("ld.", "@%p1 ld.").replace("st.", "@%p1 st.");
            assert!(launched(owner, &own, Config::default()).is_ok(), "{own}");
            let own = format!("mov.b64 %d4, %d2; {what}");
            assert!(launched(owner, &own, Config::default()).is_ok(), "{own}");
        }
    }
    // If the finding is accepted, each thread uses its own array.
    let config = Config {
        accept: vec!["others-local".parse().unwrap()],
        ..Config::default()
    };
    let store = "ld.u32 %r1, [%d4]; mov.u32 %r2, %tid.y; mad.lo.u32 %r2, %r2, 8, %tid; mul.wide.u32 %d6, %r2, 4;\n\
        add.u64 %d6, %a0, %d6; st.global.u32 [%d6], %r1;";
    let words = launched(0, store, config).unwrap();
    assert!(
        words
            .iter()
            .enumerate()
            .all(|(i, &word)| word == i as u32 % 8)
    );
}

/// Checks that computations with addresses of local memory, as compilers make them, are not
/// reported as uses of another thread's memory.
#[test]
fn addresses_of_local_memory_are_computed_with() {
    for body in [
        "cvta.to.local.u64 %d4, %d2; st.local.u32 [%d4+12], %tid; ld.u32 %r1, [%d2+12];",
        "cvta.to.local.u64 %d4, %d2; cvt.u32.u64 %r4, %d4; st.local.u32 [%r4], %tid; ld.local.u32 %r1, [%d1];",
        "add.u64 %d4, %d2, 64; sub.u64 %d4, %d4, 64; st.u32 [%d4], %tid; ld.local.u32 %r1, [%d1];",
        "sub.u64 %d4, %d2, %d1; add.u64 %d4, %d4, %d1; st.u32 [%d4], %tid;",
        "isspacep.local %p1, %d2; @!%p1 trap; isspacep.local %p1, %d1; @%p1 trap;",
        "mov.b64 {%r1, %r2}, %d2; mov.b64 %d4, {%r1, %r2}; st.u32 [%d4+4], %tid;",
        "st.local.u64 [%d1], %d2; ld.local.u64 %d4, [%d1]; ld.u64 %d5, [%d4];",
    ] {
        local(body, Config::default()).unwrap_or_else(|error| panic!("{body}\n{error}"));
    }
    // The bytes just before and after an array still belong to the thread, and are out of bounds.
    for (access, offset) in [
        ("ld.u32 %r1, [%d2+-4];", -4),
        ("ld.u32 %r1, [%d2+4096];", 4096),
    ] {
        let Err(LaunchError::Fault(fault)) = local(access, Config::default()) else {
            panic!("{access}");
        };
        let FaultKind::OutOfBounds { offset: found, .. } = fault.what else {
            panic!("{fault}");
        };
        assert_eq!(found, offset);
    }
}

/// Checks that, with more local memory than the addresses have space for, the addresses do not
/// identify their thread.
#[test]
fn large_local_memory_is_used_as_it_is() {
    let text = entry(
        1,
        ".local .align 16 .b8 own[4194304]; mov.u64 %d1, own; cvta.local.u64 %d2, %d1; st.local.u32 [%d1+4194300], %tid;\n\
         ld.u32 %r1, [%d2+4194300]; setp.ne.u32 %p1, %r1, %tid; @%p1 trap; ret;",
    );
    let config = Config {
        local_per_thread: 8 << 20,
        ..Config::default()
    };
    let bench = Bench::with(&text, config);
    let a = bench.words(&[0; 64]);
    bench.run("k", 1, 32, &[Arg::U64(a)]);
}
