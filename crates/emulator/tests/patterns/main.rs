//! Compares wavefronts, bank conflicts, requests and sectors of access patterns with an H200's
//! counters.
//!
//! `tests/data/h200_counters.txt` has a line for each case of `cases.rs`: kernel, table, wavefronts
//! of shared memory, bank conflicts, requests and sectors of global memory, as Nsight Compute
//! counted them on an H200:
//!
//! ```text
//! wavefronts  l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st,atom}
//! conflicts   l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st,atom}
//! requests    l1tex__t_requests_pipe_lsu_mem_global_op_{ld,st,red,atom}
//! sectors     l1tex__t_sectors_pipe_lsu_mem_global_op_{ld,st,red,atom}
//! ```
//!
//! Law: all four counts are equal, in every case except those of `SCATTERED`, where only requests
//! and sectors are equal.

mod cases;

use std::collections::BTreeSet;

use cases::{Case, cases};
use emulator::{Config, Emulator, Launch, MemoryCounts, Program, Report};

/// The copies through the first level cache from many lines at once, in which the wavefronts depend
/// on the lines that the cache looks up together. An entry is kernel and table; the other cases of
/// `cp.async.ca` are equal.
const SCATTERED: [(&str, &str); 9] = [
    ("copy_ca_4", "random"),
    ("copy_ca_4", "random256"),
    ("copy_ca_8", "random"),
    ("copy_ca_8", "random256"),
    ("copy_ca_16", "from_shifted"),
    ("copy_ca_16", "random"),
    ("copy_ca_16", "random256"),
    ("copy_ca_16", "from_random64"),
    ("copy_ca_16", "random64/0f0f3c1b"),
];

const COUNTERS: &str = include_str!("../data/h200_counters.txt");

/// Makes a device that counts, with the module loaded, and its buffer.
fn device(profile: bool) -> (Emulator, Program, u64) {
    let program = Program::parse(&cases::ptx()).unwrap();
    // The patterns write and read at random places, and nothing is written before.
    let device = Emulator::new(Config {
        check_races: false,
        check_global_races: false,
        threads: Some(1),
        profile,
        ..Config::default()
    });
    device.load(&program).unwrap();
    let buffer = device.alloc(cases::GLOBAL_BYTES).unwrap();
    device.write(buffer, &vec![0; cases::GLOBAL_BYTES]).unwrap();
    (device, program, buffer)
}

fn run((device, program, buffer): &(Emulator, Program, u64), case: &Case) -> Report {
    let bytes = |all: [u32; 32]| -> Vec<u8> { all.iter().flat_map(|x| x.to_le_bytes()).collect() };
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: cases::SHARED_BYTES,
    };
    let params: [&[u8]; 4] = [
        &buffer.to_le_bytes(),
        &bytes(case.offsets),
        &bytes(case.places),
        &case.mask.to_le_bytes(),
    ];
    device
        .launch(program, case.kind.kernel, &launch, &params, None)
        .unwrap_or_else(|error| panic!("{} {}: {error}", case.kind.kernel, case.name))
}

fn cost(memory: &MemoryCounts) -> [u64; 4] {
    [
        memory.shared_wavefronts,
        memory.bank_conflicts,
        memory.global_requests,
        memory.global_sectors,
    ]
}

#[test]
fn counters_equal_an_h200s() {
    let device = device(false);
    let mut lines = COUNTERS.lines().filter(|line| !line.starts_with('#'));
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for case in cases() {
        let line = lines.next().expect("a line for each case");
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[..2], [case.kind.kernel, &case.name], "{line}");
        let counted: Vec<u64> = words[2..]
            .iter()
            .map(|word| word.parse().unwrap())
            .collect();
        let found = cost(&run(&device, &case).memory);
        compared += 1;
        let scattered = SCATTERED.contains(&(case.kind.kernel, &case.name));
        let equal = found[..] == counted[..];
        // A case that has become equal must be removed from the list.
        if equal == scattered || found[2..] != counted[2..] {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert_eq!(lines.next(), None);
    assert_eq!(wrong, Vec::<String>::new(), "of {compared}");
    println!("{compared} cases on the emulator, against an H200's counters");
}

#[test]
fn kinds_and_tables_are_many() {
    let all = cases();
    let kernels: BTreeSet<&str> = all.iter().map(|case| case.kind.kernel).collect();
    let names: BTreeSet<(&str, &str)> = all
        .iter()
        .map(|case| (case.kind.kernel, case.name.as_str()))
        .collect();
    assert_eq!(names.len(), all.len(), "every case has a name of its own");
    assert!(kernels.len() >= 34 && all.len() >= 689);
}

#[test]
fn banks_serve_what_the_wavefronts_are_made_of() {
    let device = device(true);
    for case in cases() {
        let report = run(&device, &case);
        let accesses = report
            .lines
            .iter()
            .filter(|line| line.memory.shared_requests > 0 && !line.opcode.starts_with("cp.async"));
        for line in accesses {
            let profile = line.profile.as_ref().unwrap();
            let banks = profile.banks.as_ref().unwrap();
            let (most, sum) = (banks.iter().max().unwrap(), banks.iter().sum::<u64>());
            let waves = line.memory.shared_wavefronts;
            let name = (case.kind.kernel, &case.name);
            // In each wavefront, no bank serves more than one word, and some bank serves one.
            assert!(*most <= waves && waves <= sum, "{name:?}: {banks:?}");
            assert!(profile.executing_lanes <= profile.active_lanes, "{name:?}");
        }
    }
}
