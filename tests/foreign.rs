//! Runs PTX that other compilers wrote, nvcc and Triton: the emulator gives the same results as an
//! H200, with every check enabled and without a finding. Kernels with bulk copies run under every
//! schedule.
//!
//! ```text
//!   crates/emulator/tests/foreign/src/*.cu, triton_kernels.py   the sources, ours
//!                          ptx/*.ptx                     what the compilers made of them
//!                          *.toml                        launches, at one to three sizes
//!                          gpu/*.bin                     the outputs of an H200
//!                          cutlass/                      kernels of CUTLASS, under its licence: PTX, launches, how they were made
//! ```
//!
//! If `CUTLET_WRITE_FOREIGN` is set to a folder, the buffers and a list of the launches are written
//! there, for a GPU.

use cutlet::check::SCHEDULES;
use cutlet::launch_file::{Case, LaunchFile, OutputBytes, RunError};
use emulator::numerics::mma::Arithmetic;
use emulator::{Config, Program, Schedule};
use half::f16;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/emulator/tests/foreign");

/// Outputs that need not equal an H200's in every bit, because the kernel uses an instruction whose
/// bits PTX leaves to the device: the kernel, the output, the allowed relative distance and the
/// instruction.
const APPROXIMATE: [(&str, &str, f64, &str); 6] = [
    ("softmax", "y", 1e-6, "ex2.approx"),
    ("layernorm", "y", 1e-6, "rsqrt.approx"),
    ("maths", "near", 4e-6, "ex2, lg2, sin, cos, rsqrt .approx"),
    ("triton_softmax", "y", 1e-6, "ex2.approx, div.full"),
    ("triton_layernorm", "y", 1e-6, "div.full, sqrt.approx"),
    // A weight that is rounded to f16 may be rounded to the other side.
    ("triton_attention", "o", 2e-4, "ex2.approx, div.full"),
];

fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
}

fn stem(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

/// Returns the schedules that can matter to the launches of a file.
fn schedules(file: &LaunchFile, program: &Program) -> &'static [Schedule] {
    let mut launches = file.launches.iter();
    match launches.any(|launch| program.is_asynchronous(&launch.entry)) {
        true => &SCHEDULES,
        false => &SCHEDULES[..1],
    }
}

/// Returns a configuration with every check, with a limit for kernels that do not end, and with
/// sums as in an H200's tensor cores.
fn config(schedule: Schedule) -> Config {
    Config {
        schedule,
        check_local_initialised: true,
        max_instructions_per_block: 10_000_000,
        tensor_arithmetic: Arithmetic::Sm90,
        ..Config::default()
    }
}

/// Writes the launches and their buffers, for a program that launches kernels from such a list.
fn write(folder: &Path, file: &LaunchFile, name: &str, number: usize, case: &Case) {
    let [step] = &case.launches[..] else {
        panic!("{name}: the list has one launch a line")
    };
    if step.cluster.is_some() || step.values.iter().any(|value| !value.maps.is_empty()) {
        println!("{name}: the list has no clusters and no tensor maps, so it is not written");
        return;
    }
    let mut line = format!("{name}.{number}\t{name}.ptx\t{}", step.entry);
    let launch = step.launch;
    for n in launch.grid.iter().chain(&launch.block) {
        write!(line, "\t{n}").unwrap();
    }
    write!(line, "\t{}\t", launch.dynamic_shared).unwrap();
    let filled = file.fill(case).unwrap();
    for (i, value) in step.values.iter().enumerate() {
        match value.pointers[..] {
            [] => {
                let bytes = value.bytes.iter();
                let digits: String = bytes.map(|byte| format!("{byte:02x}")).collect();
                write!(line, "s:{digits} ").unwrap();
            }
            [(0, buffer, 0)] => {
                let data = format!("{name}.{number}.{i}.in");
                let bytes = filled[buffer].as_ref().expect("every buffer is filled");
                std::fs::write(folder.join(&data), bytes).unwrap();
                write!(line, "b:{data} ").unwrap();
            }
            _ => panic!("{name}: the list has buffers and scalars only"),
        }
    }
    std::fs::copy(&file.ptx, folder.join(format!("{name}.ptx"))).unwrap();
    let list = folder.join("launches.tsv");
    let mut all = std::fs::read_to_string(&list).unwrap_or_default();
    all += line.trim_end();
    all.push('\n');
    std::fs::write(list, all).unwrap();
}

#[test]
fn kernels_of_other_compilers_give_what_a_gpu_gives() {
    let folder = std::env::var_os("CUTLET_WRITE_FOREIGN").map(PathBuf::from);
    let (mut kernels, mut launches, mut values) = ([0; 2], 0, 0);
    let mut wrong = Vec::new();
    for path in files() {
        let name = stem(&path);
        let file = LaunchFile::read(&path).unwrap_or_else(|error| panic!("{error}"));
        for (number, case) in file.cases().unwrap().iter().enumerate() {
            if let Some(folder) = &folder {
                write(folder, &file, name, number, case);
            }
        }
        let program = match file.program() {
            Ok(program) => program,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        kernels[usize::from(name.starts_with("triton"))] += 1;
        let cases = file.cases().unwrap();
        let cases = cases.iter().enumerate();
        let schedules = schedules(&file, &program).iter();
        for ((number, case), &schedule) in
            cases.flat_map(|case| schedules.clone().map(move |schedule| (case, schedule)))
        {
            let ran = match file.run(&program, case, &config(schedule)) {
                Ok(ran) => ran,
                Err(RunError::Launch(error)) => {
                    wrong.push(format!("{name} at {}, {schedule}: {error}", case.name()));
                    continue;
                }
                Err(error) => panic!("{name}: {error}"),
            };
            launches += 1;
            let expected = std::fs::read(format!("{FOLDER}/gpu/{name}.{number}.bin"));
            let Ok(expected) = expected else {
                wrong.push(format!("{name} at {}: no record of a GPU", case.name()));
                continue;
            };
            // The record has the outputs one after the other.
            let mut rest = &expected[..];
            for output in &ran.outputs {
                let (mine, after) = rest.split_at(output.bytes.len().min(rest.len()));
                rest = after;
                let tolerance = APPROXIMATE
                    .iter()
                    .find(|(kernel, buffer, ..)| (*kernel, *buffer) == (name, &output.name));
                let tolerance = tolerance.map_or(0.0, |&(_, _, tolerance, _)| tolerance);
                if let Some(mismatch) = output.compare(mine, tolerance, tolerance) {
                    wrong.push(format!(
                        "{name} at {}, {}, {schedule}: {mismatch}",
                        case.name(),
                        output.name
                    ));
                }
                values += output.bytes.len() / output.element.size();
            }
            assert!(
                rest.is_empty(),
                "{name}: the record is longer than the outputs"
            );
        }
    }
    println!(
        "{} kernels by nvcc, {} by Triton: {launches} launches on the emulator, {values} values as an H200's",
        kernels[0], kernels[1]
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kernels[0] >= 10 && kernels[1] >= 5);
    // Without a named output, a kernel would be right whatever it computes.
    assert!(files().iter().all(|path| {
        let file = LaunchFile::read(path).unwrap();
        file.buffers.iter().any(|buffer| buffer.output.is_some())
    }));
}

/// Attention in float64: O and the logarithms of the sums of one head.
struct Attention {
    o: Vec<f64>,
    lse: Vec<f64>,
}

/// Computes `softmax(Q K^T / 8) V` for heads of 64 columns. If `causal`, a query sees the keys up
/// to its own.
fn attention(q: &[f64], k: &[f64], v: &[f64], causal: bool) -> Attention {
    let (mut o, mut lse) = (Vec::new(), Vec::new());
    for (i, query) in q.chunks(64).enumerate() {
        let seen = if causal { i + 1 } else { k.len() / 64 };
        let dot = |key: &[f64]| query.iter().zip(key).map(|(a, b)| a * b).sum::<f64>() / 8.0;
        let scores: Vec<f64> = k.chunks(64).take(seen).map(dot).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut row = [0.0; 64];
        for (weight, value) in weights.iter().zip(v.chunks(64)) {
            row.iter_mut()
                .zip(value)
                .for_each(|(x, y)| *x += weight / sum * y);
        }
        o.extend(row);
        lse.push(most + sum.ln());
    }
    Attention { o, lse }
}

/// Returns the first value that differs from the right value by more than this absolute and
/// relative distance.
fn further(values: &[f64], right: &[f64], (most, relative): (f64, f64)) -> Option<(f64, f64)> {
    assert_eq!(values.len(), right.len());
    let mut pairs = values.iter().copied().zip(right.iter().copied());
    pairs.find(|(value, right)| {
        (value - right).abs() > most + relative * right.abs() || value.is_nan()
    })
}

/// Checks that the outputs of a CUTLASS launch equal an H200's, within this absolute and relative
/// distance each.
#[track_caller]
fn is_as_recorded(at: &str, record: &str, outputs: &[OutputBytes], within: &[f64]) {
    let path = format!("{FOLDER}/cutlass/gpu/{record}.bin");
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut rest = &bytes[..];
    for (output, &within) in outputs.iter().zip(within) {
        let (expected, after) = rest.split_at(output.bytes.len());
        rest = after;
        if let Some(mismatch) = output.compare(expected, within, within) {
            panic!("{at}, {}: {mismatch}", output.name);
        }
    }
    assert!(rest.is_empty(), "{path} is longer than the outputs");
}

fn halves(bytes: &[u8]) -> Vec<f64> {
    let halves = bytes.chunks_exact(2);
    halves
        .map(|h| f16::from_le_bytes([h[0], h[1]]).to_f64())
        .collect()
}

/// Checks attention of CUTLASS's example 88, with TMA and `wgmma` in separate warp groups, against
/// float64 within f16's precision, and against an H200, under every schedule.
#[test]
fn attention_of_cutlass_is_right_under_every_schedule() {
    for (name, causal) in [("cooperative", false), ("pingpong_causal", true)] {
        let file = LaunchFile::read(Path::new(&format!("{FOLDER}/cutlass/{name}.toml"))).unwrap();
        let program = file.program().unwrap_or_else(|error| panic!("{error}"));
        for (number, case) in file.cases().unwrap().into_iter().enumerate() {
            let size = |name: &str| case.sizes.iter().find(|(n, _)| n == name).unwrap().1 as usize;
            let (heads, queries, keys) = (size("h"), size("q"), size("k"));
            let filled = file.fill(&case).unwrap();
            let [q, k, v] = [0, 1, 2].map(|i| halves(filled[i].as_ref().unwrap()));
            let mut right = Attention {
                o: Vec::new(),
                lse: Vec::new(),
            };
            for head in 0..heads {
                let (rows, columns) = (head * queries * 64, head * keys * 64);
                let one = attention(
                    &q[rows..rows + queries * 64],
                    &k[columns..columns + keys * 64],
                    &v[columns..columns + keys * 64],
                    causal,
                );
                right.o.extend(one.o);
                right.lse.extend(one.lse);
            }
            for schedule in SCHEDULES {
                let ran = file.run(&program, &case, &config(schedule));
                let ran = ran.unwrap_or_else(|error| {
                    panic!("{name} at {}, {schedule}: {error}", case.name())
                });
                let [o, lse] = &ran.outputs[..] else {
                    panic!("{name}: O and the logarithms")
                };
                let lse = lse.bytes.as_chunks::<4>().0.iter();
                let lse: Vec<f64> = lse.map(|l| f64::from(f32::from_le_bytes(*l))).collect();
                let o = halves(&o.bytes);
                // Weights are rounded to f16, and so is O.
                let at = format!("{name} at {}, {schedule}", case.name());
                assert_eq!(further(&o, &right.o, (5e-4, 0.0)), None, "{at}: O");
                assert_eq!(
                    further(&lse, &right.lse, (2e-6, 0.0)),
                    None,
                    "{at}: logarithms"
                );
                // The values depend on ex2.approx and lg2.approx.
                let record = format!("{name}.{number}");
                is_as_recorded(&at, &record, &ran.outputs, &[1e-4, 5e-7]);
            }
        }
    }
}

/// Checks a product by CUTLASS's collectives, whose blocks share tiles in clusters of two, and
/// where one thread of a warp group frees a stage. The result is float64's rounded to f16 and has
/// an H200's bits, under every schedule.
#[test]
fn product_of_cutlass_is_right_under_every_schedule() {
    let file = LaunchFile::read(Path::new(&format!("{FOLDER}/cutlass/gemm.toml"))).unwrap();
    let program = file.program().unwrap_or_else(|error| panic!("{error}"));
    for (number, case) in file.cases().unwrap().into_iter().enumerate() {
        let k = case.sizes.iter().find(|(n, _)| n == "k").unwrap().1 as usize;
        let filled = file.fill(&case).unwrap();
        let [a, b] = [0, 1].map(|i| halves(filled[i].as_ref().unwrap()));
        let dot = |row: &[f64], column: &[f64]| row.iter().zip(column).map(|(x, y)| x * y).sum();
        let rows = a.chunks(k);
        let right: Vec<f64> = rows
            .flat_map(|row| b.chunks(k).map(move |column| dot(row, column)))
            .collect();
        for schedule in SCHEDULES {
            let ran = file.run(&program, &case, &config(schedule));
            let ran =
                ran.unwrap_or_else(|error| panic!("{} under {schedule}: {error}", case.name()));
            let d = halves(&ran.outputs[0].bytes);
            let rounded = 1.0 / 2048.0;
            let far = further(&d, &right, (1e-4, rounded));
            let at = format!("{} under {schedule}", case.name());
            assert_eq!(far, None, "{at}");
            is_as_recorded(&at, &format!("gemm.{number}"), &ran.outputs, &[0.0]);
        }
    }
}

fn floats(bytes: &[u8]) -> Vec<f64> {
    let floats = bytes.as_chunks::<4>().0.iter();
    floats.map(|f| f64::from(f32::from_le_bytes(*f))).collect()
}

/// Checks CuTe's TMA copies, and a sum and a maximum over a cluster by CUB and cooperative groups:
/// the results are the host's values and an H200's bits under every schedule.
#[test]
fn a_tma_copy_and_a_cluster_reduction_of_public_headers_are_right_under_every_schedule() {
    for name in ["tma_copy", "cluster_reduce"] {
        let file = LaunchFile::read(Path::new(&format!("{FOLDER}/cutlass/{name}.toml"))).unwrap();
        let program = file.program().unwrap_or_else(|error| panic!("{error}"));
        for (number, case) in file.cases().unwrap().into_iter().enumerate() {
            let filled = file.fill(&case).unwrap();
            let x = floats(filled[0].as_ref().unwrap());
            for schedule in SCHEDULES {
                let at = format!("{name} at {}, {schedule}", case.name());
                let ran = file.run(&program, &case, &config(schedule));
                let ran = ran.unwrap_or_else(|error| panic!("{at}: {error}"));
                let outputs: Vec<Vec<f64>> = ran.outputs.iter().map(|o| floats(&o.bytes)).collect();
                if name == "tma_copy" {
                    assert!(outputs[0] == x, "{at}: not a copy");
                } else {
                    // Clusters have four blocks of 256 threads, and each block writes its cluster's
                    // results.
                    let clusters = x.chunks(1024).flat_map(|x| [x; 4]);
                    let sums: Vec<f64> = clusters.clone().map(|x| x.iter().sum()).collect();
                    assert_eq!(further(&outputs[0], &sums, (1e-3, 0.0)), None, "{at}: sums");
                    let largest: Vec<f64> = clusters
                        .map(|x| x.iter().copied().fold(0.0, f64::max))
                        .collect();
                    assert!(outputs[1] == largest, "{at}: largest");
                }
                let exactly = &[0.0, 0.0][..outputs.len()];
                is_as_recorded(&at, &format!("{name}.{number}"), &ran.outputs, exactly);
            }
        }
    }
}
