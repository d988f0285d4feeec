//! Runs one process per rank, as `torchrun` and `mpirun` do. This program starts copies of itself,
//! and the processes find each other by their environment. The devices are GPUs if there are at
//! least as many GPUs as ranks, and emulated if there is no GPU.

use host::Device;
use host::collective::{Communicator, Launched};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

const PROGRAM: &str = "CUTLET_TEST_PROGRAM";
const LIMIT: &str = "CUTLET_TEST_LIMIT";
/// The launchers' variables. A process that a test starts must get them only from the test.
const VARIABLES: [&str; 11] = [
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "TORCHELASTIC_RUN_ID",
    "CUTLET_NCCL_ID",
    "CUTLET_NCCL_ID_FILE",
];

/// Starts a process with these variables that runs the program named `program`.
fn start(program: &str, limit: Duration, variables: &[(&str, String)]) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "program", "--nocapture"]);
    for name in VARIABLES {
        command.env_remove(name);
    }
    command
        .env(PROGRAM, program)
        .env(LIMIT, limit.as_millis().to_string())
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns what a process prints after `said: `.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter_map(|line| line.split_once("said: "));
    lines.map(|(_, said)| said).collect::<Vec<_>>().join("; ")
}

fn all(children: Vec<Child>) -> Vec<String> {
    let outputs = children
        .into_iter()
        .map(|child| child.wait_with_output().unwrap());
    outputs.map(|output| said(&output)).collect()
}

fn file(name: &str) -> PathBuf {
    let file = env::temp_dir().join(format!("cutlet-test-{}-{name}", process::id()));
    let _ = fs::remove_file(&file);
    file
}

/// Starts `size` processes as `torchrun` does, with a file for the id.
fn torchrun(program: &str, size: usize, limit: Duration) -> Vec<Child> {
    let file = file(program);
    (0..size)
        .map(|rank| {
            let variables = [
                ("RANK", rank.to_string()),
                ("WORLD_SIZE", size.to_string()),
                ("LOCAL_RANK", rank.to_string()),
                ("MASTER_ADDR", "127.0.0.1".into()),
                ("MASTER_PORT", "29500".into()),
                ("CUTLET_NCCL_ID_FILE", file.display().to_string()),
            ];
            start(program, limit, &variables)
        })
        .collect()
}

const LONG: Duration = Duration::from_secs(120);
const SHORT: Duration = Duration::from_secs(10);

fn emulated() -> bool {
    let none = Device::gpu_count().is_err();
    if !none {
        println!("there are GPUs: `host/examples/all_reduce.rs` is the program for them");
    }
    none
}

/// Runs the program of a process that a test starts. If the test harness runs this function as a
/// test, it does nothing.
#[test]
fn program() {
    let Ok(program) = env::var(PROGRAM) else {
        return;
    };
    let limit = Duration::from_millis(env::var(LIMIT).unwrap().parse().unwrap());
    let result = Communicator::from_environment(limit).and_then(|rank| run(&program, &rank));
    if let Err(error) = result {
        println!("said: {error}");
    }
}

fn gather(rank: &Communicator, count: usize) -> Result<Vec<u32>, host::Error> {
    let mine = vec![rank.rank() as u32; count];
    let mine = rank.device().upload(&mine)?;
    let mut all = rank.device().alloc(count * rank.size())?;
    rank.all_gather(&mine, &mut all)?;
    all.to_vec()
}

fn run(program: &str, rank: &Communicator) -> Result<(), host::Error> {
    let (me, size, device) = (rank.rank(), rank.size(), rank.device());
    match program {
        "right" => {
            let mut found = vec![format!("{:?}", gather(rank, 1)?)];
            let send =
                device.upload(&(0..size).map(|i| (me * 10 + i) as f32).collect::<Vec<_>>())?;
            let mut one = device.alloc(1)?;
            rank.reduce_scatter(&send, &mut one)?;
            found.push(format!("{:?}", one.to_vec()?));
            let mut all = device.alloc(size)?;
            rank.all_to_all(&send, &mut all)?;
            found.push(format!("{:?}", all.to_vec()?));
            rank.broadcast(size - 1, &send, &mut all)?;
            found.push(format!("{:?}", all.to_vec()?));
            // The axis consists of the ranks with the parity of `me`.
            let axis = rank.split(me % 2)?;
            let mut sum = device.alloc(size)?;
            axis.all_reduce(&send, &mut sum)?;
            found.push(format!(
                "{} of {}: {:?}",
                axis.rank(),
                axis.size(),
                sum.to_vec()?
            ));
            println!("said: {}", found.join(" "));
        }
        "dies" => {
            gather(rank, 4)?;
            if me == 1 {
                process::exit(3);
            }
            gather(rank, 4)?;
        }
        "first_dies" => {
            gather(rank, 4)?;
            if me == 0 {
                process::exit(3);
            }
            gather(rank, 4)?;
        }
        "skips" => {
            gather(rank, 4)?;
            match me {
                1 => thread::sleep(SHORT + Duration::from_secs(5)),
                _ => drop(gather(rank, 4)?),
            }
        }
        "differs" => drop(gather(rank, if me == 1 { 5 } else { 4 })?),
        other => panic!("{other}"),
    }
    Ok(())
}

#[test]
fn processes_do_what_threads_do() {
    if !emulated() {
        return;
    }
    let expected = [
        "[0, 1, 2] [30.0] [0.0, 10.0, 20.0] [20.0, 21.0, 22.0] 0 of 2: [20.0, 22.0, 24.0]",
        "[0, 1, 2] [33.0] [1.0, 11.0, 21.0] [20.0, 21.0, 22.0] 0 of 1: [10.0, 11.0, 12.0]",
        "[0, 1, 2] [36.0] [2.0, 12.0, 22.0] [20.0, 21.0, 22.0] 1 of 2: [20.0, 22.0, 24.0]",
    ];
    assert_eq!(all(torchrun("right", 3, LONG)), expected);
    // On one machine, `mpirun` sets only these variables.
    let mpirun = |rank: usize| {
        let variables = [
            ("OMPI_COMM_WORLD_RANK", rank.to_string()),
            ("OMPI_COMM_WORLD_SIZE", "3".into()),
            ("OMPI_COMM_WORLD_LOCAL_RANK", rank.to_string()),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "3".into()),
            ("PMIX_NAMESPACE", "job-1".into()),
        ];
        start("right", LONG, &variables)
    };
    assert_eq!(all((0..3).map(mpirun).collect()), expected);
    // The ranks have an id, and the last rank starts first.
    let id = format!("{:0>256}", process::id());
    let by_id = |rank: usize| {
        let variables = [
            ("RANK", rank.to_string()),
            ("WORLD_SIZE", "3".into()),
            ("CUTLET_NCCL_ID", id.clone()),
        ];
        start("right", LONG, &variables)
    };
    let mut children: Vec<Child> = (0..3).rev().map(by_id).collect();
    children.reverse();
    assert_eq!(all(children), expected);
}

#[test]
fn faults_of_processes_are_named_in_time() {
    if !emulated() {
        return;
    }
    let start = Instant::now();
    let found = all(torchrun("dies", 3, LONG));
    let gone = "call 1, all_gather of 4 u32: rank 1 gone: its communicator was dropped";
    assert_eq!(found, [gone, "", gone]);
    let found = all(torchrun("first_dies", 3, LONG));
    for (rank, found) in found.iter().enumerate().skip(1) {
        let ended = format!(
            "rank {rank}: all_gather of 4 u32 was not answered: the process of rank 0, where emulated ranks meet, ended"
        );
        assert_eq!(*found, ended);
    }
    // No rank had to wait for the limit.
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
    let found = all(torchrun("differs", 2, LONG));
    for found in &found {
        assert!(
            found.contains("rank 0 calls all_gather of 4 u32, rank 1 calls all_gather of 5 u32"),
            "{found}"
        );
    }
    let found = all(torchrun("skips", 3, SHORT));
    let missing = "call 1, all_gather of 4 u32: rank 1 missing after 10s";
    assert_eq!(found, [missing, "", missing]);
}

#[test]
fn ranks_that_never_come_are_named() {
    if !emulated() {
        return;
    }
    let mut children = torchrun("right", 3, SHORT);
    children.pop().map(|mut last| {
        last.kill().unwrap();
        last.wait().unwrap()
    });
    let found = all(children);
    // The rank may have joined the meeting before it was killed.
    assert!(
        found[0] == "call 0, connecting: rank 2 missing after 10s"
            || found[0].contains("rank 2 gone"),
        "{found:?}"
    );
    let mut children = torchrun("right", 2, SHORT);
    let mut first = children.remove(0);
    first.kill().unwrap();
    first.wait().unwrap();
    let found = all(children).remove(0);
    assert!(
        found.contains("rank 0")
            && (found.contains("within 10s")
                || found.contains("ended")
                || found.contains("reached")),
        "{found}"
    );
}

/// An earlier run left a file whose address leads nowhere. Rank 0 writes a new file.
#[test]
fn a_file_left_behind_does_no_harm() {
    if !emulated() {
        return;
    }
    let left = file("left");
    fs::write(&left, "emulated 127.0.0.1:9 17").unwrap();
    let rank = |rank: usize| {
        let variables = [
            ("RANK", rank.to_string()),
            ("WORLD_SIZE", "2".into()),
            ("CUTLET_NCCL_ID_FILE", left.display().to_string()),
        ];
        start("right", LONG, &variables)
    };
    let second = rank(1);
    thread::sleep(Duration::from_millis(200));
    let found = all(vec![rank(0), second]);
    assert!(
        found.iter().all(|found| found.starts_with("[0, 1] ")),
        "{found:?}"
    );
    assert!(!left.exists());
}

#[test]
fn what_the_environment_lacks_is_named() {
    let launched = |variables: &'static [(&str, &str)]| {
        let found = Launched::from_variables(|name| {
            let found = variables.iter().find(|variable| variable.0 == name);
            found.map(|variable| variable.1.into())
        });
        found.map_err(|error| error.to_string())
    };
    assert_eq!(
        launched(&[("WORLD_SIZE", "2")]).unwrap_err(),
        "no variable says the rank: looked for RANK, OMPI_COMM_WORLD_RANK, SLURM_PROCID, PMI_RANK; start the program by torchrun, mpirun or srun, or set them"
    );
    assert_eq!(
        launched(&[("RANK", "2"), ("WORLD_SIZE", "2")]).unwrap_err(),
        "the rank is 2 of 2: there are ranks 0 to 1"
    );
    assert_eq!(
        launched(&[("RANK", "one"), ("WORLD_SIZE", "2")]).unwrap_err(),
        "RANK is `one`, which is no number from 0 on"
    );
    // Ranks on several machines have no file in common unless a variable names one.
    let error = launched(&[
        ("RANK", "0"),
        ("WORLD_SIZE", "4"),
        ("LOCAL_WORLD_SIZE", "2"),
    ])
    .unwrap()
    .unique_id(SHORT)
    .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("4 ranks need an id to find each other: set CUTLET_NCCL_ID"),
        "{error}"
    );
}
