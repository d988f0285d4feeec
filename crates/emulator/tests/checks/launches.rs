//! Checks that launches and modules are validated before anything runs.

use super::*;

#[test]
fn launches_are_checked_before_they_start() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.shared .b8 fixed[40000];\n\
        .visible .entry k(.param .u64 p, .param .align 8 .b8 q[24]) .maxntid 64, 2, 1 {\n\
          .reg .b64 %d<2>; mov.u64 %d1, fixed; ret; }\n\
        .visible .entry exact() .reqntid 32, 2 { ret; }";
    let bench = Bench::new(text);
    let launch = |grid: [u32; 3], block: [u32; 3], dynamic_shared: usize, params: &[&[u8]]| {
        bench
            .device
            .launch(
                &bench.program,
                "k",
                &Launch {
                    grid,
                    block,
                    dynamic_shared,
                },
                params,
                None,
            )
            .unwrap_err()
    };
    let (p, q) = ([0u8; 8], [0u8; 24]);
    let good: [&[u8]; 2] = [&p, &q];
    let one = [1, 1, 1];
    let text = |error: LaunchError| error.to_string();
    assert_eq!(
        text(launch(one, one, 0, &[&p])),
        "kernel `k` takes 2 parameters, 1 given"
    );
    assert_eq!(
        text(launch(one, one, 0, &[&p, &p])),
        "parameter 1 (`q`, .b8[24]) of kernel `k` has 24 bytes, 8 given"
    );
    assert!(matches!(
        launch([0, 1, 1], one, 0, &good),
        LaunchError::Grid { .. }
    ));
    assert!(matches!(
        launch([1, 65536, 1], one, 0, &good),
        LaunchError::Grid { .. }
    ));
    assert!(matches!(
        launch(one, [1, 1, 65], 0, &good),
        LaunchError::Block { .. }
    ));
    assert!(matches!(
        launch(one, [64, 32, 1], 0, &good),
        LaunchError::Block { threads: 1024, .. }
    ));
    assert_eq!(
        text(launch(one, [129, 1, 1], 0, &good)),
        "kernel `k` is built for at most 128 threads a block (.maxntid), [129, 1, 1] given"
    );
    assert_eq!(
        text(launch(one, one, 200_000, &good)),
        "kernel `k` needs 40000 + 200000 bytes of shared memory, a block has 232448"
    );
    let exact = Launch {
        grid: one,
        block: [64, 1, 1],
        dynamic_shared: 0,
    };
    let error = bench
        .device
        .launch(&bench.program, "exact", &exact, &[], None)
        .unwrap_err();
    assert!(text(error).contains("blocks of [32, 2, 1] threads (.reqntid)"));
    let error = bench
        .device
        .launch(&bench.program, "no", &exact, &[], None)
        .unwrap_err();
    assert_eq!(text(error), "no kernel `no` in the module; it has k, exact");
    let other = Emulator::new(Config::default());
    let error = other
        .launch(&bench.program, "k", &exact, &good, None)
        .unwrap_err();
    assert_eq!(
        text(error),
        "the module of kernel `k` is not loaded onto this device"
    );
}

#[test]
fn modules_are_checked_when_they_are_loaded() {
    let module = |target: &str, body: &str| {
        Program::parse(&format!(
            ".version 8.0\n.target {target}\n.address_size 64\n{body}"
        ))
        .unwrap()
    };
    let device = |cc| {
        Emulator::new(Config {
            compute_capability: cc,
            ..Config::default()
        })
    };
    let kernel = ".visible .entry k() { ret; }";
    for (target, cc, fits) in [
        ("sm_80", (8, 0), true),
        ("sm_80", (9, 0), true),
        ("sm_90", (8, 9), false),
        ("sm_90a", (9, 0), true),
        ("sm_90a", (10, 0), false),
        ("sm_100", (10, 3), true),
    ] {
        assert_eq!(
            device(cc).load(&module(target, kernel)).is_ok(),
            fits,
            "{target} on {cc:?}"
        );
    }
    let error = device((8, 0)).load(&module("sm_90a", kernel)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the module is for sm_90a, the device has compute capability 8.0 (an `a` target runs on that compute \
         capability only)"
    );
    let missing = ".extern .func helper();\n.visible .entry k() { call helper; ret; }";
    assert_eq!(
        device((9, 0)).load(&module("sm_80", missing)),
        Err(LoadError::Undefined("helper".to_owned()))
    );
    let unused = ".extern .func helper();\n.visible .entry k() { ret; }";
    assert_eq!(device((9, 0)).load(&module("sm_80", unused)), Ok(()));
    let small = Emulator::new(Config {
        memory: 1000,
        ..Config::default()
    });
    let error = small
        .load(&module(
            "sm_80",
            ".global .b8 x[2000];\n.visible .entry k() { ret; }",
        ))
        .unwrap_err();
    assert!(matches!(
        error,
        LoadError::Memory(MemoryError::OutOfMemory {
            requested: 2000,
            ..
        })
    ));
}
