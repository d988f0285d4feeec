//! Tests the command line as a person or a script uses it: what it prints on which stream, and its
//! exit status.

mod common;

use common::cutlet;
use common::sample::{MMA_DIMENSIONS, is_pushed};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

/// Runs `cutlet` with these arguments, which spaces separate.
fn run(arguments: &str) -> Output {
    Command::new(cutlet())
        .args(arguments.split_whitespace())
        .output()
        .unwrap()
}

/// Runs `cutlet` on a machine without a driver.
fn run_without_driver(arguments: &str) -> Output {
    Command::new(cutlet())
        .args(arguments.split_whitespace())
        .env("CUTLET_NO_CUDA", "1")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the output of a run. Panics unless the run succeeded.
fn right(output: &Output) -> String {
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    // A slow machine may print progress lines, which begin with `cutlet: `.
    let told = stderr.lines().filter(|line| !line.starts_with("cutlet: "));
    assert_eq!(
        told.count(),
        0,
        "nothing on stderr where it is no terminal: {stderr}"
    );
    stdout
}

/// Returns the message of a run. Panics unless the run failed with `status`.
fn fails(output: &Output, status: i32) -> String {
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{stdout}{stderr}");
    assert_eq!(stdout, "", "errors go to stderr");
    assert!(stderr.starts_with("error: "), "{stderr}");
    for word in ["panicked", "backtrace", "RUST_BACKTRACE"] {
        assert!(!stderr.contains(word), "{stderr}");
    }
    stderr
}

/// Returns the rest of the line of a report that starts with `label`.
fn line<'a>(report: &'a str, label: &str) -> &'a str {
    report
        .lines()
        .find_map(|line| line.strip_prefix(label))
        .unwrap_or_else(|| panic!("no line `{label}` in\n{report}"))
        .trim()
}

/// Checks that a run of minutes reports that it is in progress, and how far it is.
#[test]
fn a_long_run_is_not_silent() {
    let mut child = Command::new(cutlet())
        .args("gemm --device emulator --m 8192 --n 8192 --k 8192".split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    let line = lines.find(|line| line.starts_with("cutlet: "));
    child.kill().unwrap();
    child.wait().unwrap();
    let line = line.expect("a line of what is under way");
    assert!(line.ends_with(" after 10 s"), "{line}");
}

#[test]
fn without_arguments_it_does_the_main_job() {
    let report = right(&run(""));
    println!("{report}");
    assert!(line(&report, "problem").contains("512×512×512"), "{report}");
    assert!(!line(&report, "device").is_empty());
    assert!(
        line(&report, "kernel").starts_with("gemm_f16_f"),
        "{report}"
    );
    assert!(line(&report, "launch").starts_with("grid ("), "{report}");
    assert!(line(&report, "time").contains("FLOP/s"), "{report}");
    assert!(
        line(&report, "error").contains("all 262144 elements against float64"),
        "{report}"
    );
    assert_eq!(line(&report, "verdict"), "right");
}

#[test]
fn every_kernel_command_is_right_on_the_best_device_and_on_the_emulator() {
    for device in ["best", "emulator"] {
        for command in [
            "gemm --m 100 --n 60 --k 72",
            "gemm --m 33 --n 65 --k 77 --dtype bf16 --out f32 --seed 7",
            "gemm --m 300 --n 20 --k 16 --check sampled",
            "gemm --m 70 --n 48 --k 40 --accumulator f16 --batches 2 --padding 8 --alpha 0.5 --beta -1 --bias --activation relu",
            "gemm --m 70 --n 48 --k 200 --accumulator f16 --schedule split-k:3",
            "gemm --m 70 --n 48 --k 200 --accumulator f16 --schedule stream-k",
            "gemm --m 300 --n 520 --k 72 --schedule persistent",
            "transpose --rows 100 --cols 37",
            "transpose --rows 64 --cols 65 --bits 16",
            "vecadd --n 1001",
        ] {
            let report = right(&run(&format!("{command} --device {device}")));
            assert_eq!(line(&report, "verdict"), "right");
            if device == "emulator" {
                assert_eq!(
                    line(&report, "device"),
                    "emulated sm_90 (on this machine's processor)"
                );
                assert!(
                    line(&report, "emulated").contains("warp instructions"),
                    "{report}"
                );
            }
        }
    }
}

#[test]
fn json_is_one_object_with_the_same_content() {
    let json =
        |arguments: &str| -> Value { serde_json::from_str(&right(&run(arguments))).unwrap() };
    let gemm = json("--m 40 --n 30 --k 20 --dtype bf16 --device emulator --seed 3 --json");
    assert_eq!(
        gemm["problem"],
        serde_json::json!({
            "m": 40, "n": 30, "k": 20, "batches": 1, "dtype": "bf16", "accumulator": "f32", "out": "bf16", "layout": "tn",
            "padding": 0, "scales": "tensor", "alpha": 1.0, "beta": 0.0, "bias": false, "activation": "none", "seed": 3
        })
    );
    assert_eq!(gemm["device"]["kind"], "emulator");
    let kernel = gemm["launch"]["kernel"].as_str().unwrap();
    assert!(kernel.starts_with("gemm_bf16_"), "{kernel}");
    assert_eq!(gemm["launch"]["grid"], serde_json::json!([1, 1, 1]));
    assert_eq!(gemm["launch"]["time_by"], "wall clock");
    assert_eq!(gemm["error"]["elements_compared"], 1200);
    let relative = gemm["error"]["relative_frobenius"].as_f64().unwrap();
    assert!(relative > 0.0 && relative < 0.01, "{relative}");
    assert_eq!(gemm["verdict"], "right");
    let transpose = json("transpose --rows 8 --cols 9 --device emulator --json");
    assert_eq!(transpose["error"]["elements_compared"], 72);
    assert_eq!(transpose["error"]["elements_wrong"], 0);
    let vecadd = json("vecadd --n 77 --device emulator --json");
    assert_eq!(vecadd["problem"]["n"], 77);
    assert_eq!(vecadd["error"]["guard_intact"], true);
}

#[test]
fn the_seed_decides_the_data() {
    let error = |seed| {
        let report = right(&run(&format!(
            "gemm --m 64 --n 64 --k 64 --device emulator --seed {seed}"
        )));
        line(&report, "error").to_string()
    };
    assert_eq!(error(1), error(1));
    assert_ne!(error(1), error(2));
}

#[test]
fn bad_usage_is_status_2() {
    for (arguments, said) in [
        ("gemm --m 0", "invalid value '0' for '--m <NUMBER>'"),
        (
            "gemm --n -3",
            "invalid value '-3' for '--n <NUMBER>': -3 is not in 1..=4294967295",
        ),
        (
            "bench --sizes -4",
            "invalid value '-4' for '--sizes <NUMBERS>'",
        ),
        (
            "vecadd --seed -1",
            "it is an integer from 0 to 18446744073709551615",
        ),
        (
            "gemm --weights int4:64 --schedule tiles",
            "'--weights <FORMAT>' cannot be used with '--schedule <SCHEDULE>'",
        ),
        (
            "gemm --weights int4:64 --k 200",
            "K is 200; it must be a multiple of 64",
        ),
        (
            "gemm --weights int5:64",
            "there are no weights int5:64; there are: int4:32,",
        ),
        ("gemm --k abc", "invalid value 'abc' for '--k <NUMBER>'"),
        ("gemm --m 4294967296", "4294967296 is not in 1..=4294967295"),
        (
            "gemm --m 4000000000",
            "M is 4000000000; a launch covers at most",
        ),
        (
            "gemm --dtype f64",
            "invalid value 'f64' for '--dtype <TYPE>'",
        ),
        (
            "gemm --out bf16",
            "there is no kernel from f16 to bf16: with f16, the output is f16 or f32",
        ),
        (
            "gemm --device cpu",
            "it is best, gpu, gpu:<index> or emulator",
        ),
        ("gemm --layout nm", "`nm` is none of tn, nn, tt, nt"),
        ("gemm --accumulator f64", "`f64` is none of f32, f16, s32"),
        (
            "gemm --dtype bf16 --accumulator f16",
            "products of bf16 have no accumulator of f16",
        ),
        ("gemm --schedule split-k:1", "`split-k:1` is no schedule"),
        (
            "gemm --configuration gemm",
            "there is no kernel gemm; there are: gemm_",
        ),
        (
            "tune --device emulator --dtype s8 --accumulator f16 --out /none",
            "there is no kernel of these types and orders",
        ),
        (
            "bench gemm --shapes 1x2",
            "it is M×N×K, such as 4096x4096x128",
        ),
        (
            "bench zero-cost --sizes 100",
            "it is a multiple of 8 from 8 to 65536",
        ),
        (
            "bench attention --masks none",
            "invalid value 'none' for '--masks <MASKS>'",
        ),
        ("gemm --runs 0", "0 is not in 1..=100000"),
        (
            "transpose --bits 8",
            "invalid value '8' for '--bits <BITS>'",
        ),
        (
            "transpose --rows 4294967295",
            "rows is 4294967295; a launch covers at most",
        ),
        ("vecadd --n", "a value is required for '--n <NUMBER>'"),
        (
            "bench --sizes 512,x",
            "invalid value 'x' for '--sizes <NUMBERS>'",
        ),
        ("fly", "unrecognized subcommand 'fly'"),
        ("--frobnicate", "unexpected argument '--frobnicate'"),
    ] {
        let stderr = fails(&run(arguments), 2);
        assert!(stderr.contains(said), "`{arguments}` said {stderr}");
        assert!(stderr.contains("--help"), "`{arguments}` said {stderr}");
    }
}

/// Checks that a verdict which could not find a wrong result is not given: such a product is
/// refused before anything is allocated.
#[test]
fn accumulators_that_lose_too_much_have_no_verdict() {
    for json in ["", " --json"] {
        let arguments =
            format!("gemm --m 16 --n 16 --k 3000000 --accumulator f16 --device emulator{json}");
        let output = run(&arguments);
        let stderr = fails(&output, 2);
        let said = "no verdict: with f16 accumulators at k = 3000000 a right result may be 60 % from the reference";
        assert!(stderr.contains(said), "{stderr}");
        assert!(
            stderr.contains("f32 accumulators (`--accumulator f32`)"),
            "{stderr}"
        );
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn factors_that_are_no_numbers_give_what_ieee_says() {
    for arguments in [
        "--alpha nan",
        "--beta nan",
        "--alpha inf",
        "--beta=-inf --bias",
        "--alpha nan --activation relu",
        "--alpha=-inf --activation gelu",
        "--alpha 3e38 --out f32",
        "--alpha nan --dtype s8",
        "--alpha inf --dtype s8 --out f32",
    ] {
        let arguments = format!("gemm --m 64 --n 64 --k 64 --device emulator {arguments}");
        let report = right(&run(&arguments));
        if arguments.contains("relu") || arguments.ends_with("s8") {
            // `max` takes the number, and a byte has no NaN: it becomes 0.
            continue;
        }
        let error = line(&report, "error");
        assert!(error.contains("NaN or infinite"), "{arguments}: {error}");
    }
}

#[test]
fn a_kernel_is_named_once() {
    let stderr = fails(&run("gemm --configuration gemm"), 2);
    let list = stderr.split("there are: ").nth(1).unwrap();
    let list = list.lines().next().unwrap();
    let mut names: Vec<&str> = list.split(", ").collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert!(all > 3 && names.len() == all, "{list}");
}

#[test]
fn a_machine_without_a_driver_uses_the_emulator_and_says_why() {
    let report = right(&run_without_driver("gemm --m 32 --n 32 --k 32"));
    let device = line(&report, "device");
    assert!(device.starts_with("emulated sm_90"), "{device}");
    assert!(device.contains("no GPU: no CUDA driver"), "{device}");
    let report: Value = serde_json::from_str(&right(&run_without_driver(
        "gemm --m 32 --n 32 --k 32 --json",
    )))
    .unwrap();
    assert!(
        report["device"]["why_not_gpu"]
            .as_str()
            .unwrap()
            .contains("no CUDA driver")
    );
}

#[test]
fn a_gpu_that_is_not_there_is_status_1() {
    for arguments in [
        "gemm --device gpu",
        "vecadd --device gpu:0",
        "transpose --device gpu:1",
    ] {
        let stderr = fails(&run_without_driver(arguments), 1);
        assert!(
            stderr.starts_with("error: no GPU to use: no CUDA driver"),
            "{stderr}"
        );
    }
    let stderr = fails(&run("gemm --device gpu:4000"), 1);
    match host::Device::gpu_count() {
        Ok(count) => {
            assert_eq!(
                stderr,
                format!("error: there is no GPU 4000: this machine has {count}, counted from 0\n")
            );
        }
        Err(why) => assert_eq!(stderr, format!("error: no GPU to use: {why}\n")),
    }
    for command in ["bench", "bench attention"] {
        let stderr = fails(&run_without_driver(command), 1);
        assert!(
            stderr.starts_with("error: bench needs a GPU (no CUDA driver"),
            "{stderr}"
        );
    }
}

#[test]
fn a_problem_beyond_the_memory_is_status_1() {
    let stderr = fails(&run("gemm --m 4000000 --n 4000000 --k 8"), 1);
    assert!(
        stderr.starts_with("error: this problem needs about "),
        "{stderr}"
    );
    let stderr = fails(
        &run_without_driver("transpose --rows 2000000 --cols 2000000000"),
        1,
    );
    assert!(stderr.contains("of this machine's memory"), "{stderr}");
}

#[test]
fn doctor_says_what_there_is() {
    let report = right(&run("doctor"));
    println!("{report}");
    for label in [
        "toolchain",
        "kernels",
        "driver",
        "GPU",
        "emulator",
        "verdict",
    ] {
        assert!(!line(&report, label).is_empty(), "{label} in\n{report}");
    }
    // Kernels are listed if they are built.
    cutlet::kernels::ptx().unwrap();
    cutlet::kernels::sm90a().unwrap();
    let report: Value = serde_json::from_str(&right(&run_without_driver("doctor --json"))).unwrap();
    assert_eq!(report["ready"], true);
    assert_eq!(report["driver"]["loaded"], false);
    assert!(
        report["gpus"]["error"]
            .as_str()
            .unwrap()
            .contains("no CUDA driver")
    );
    let names = report["kernels"]["names"].as_array().unwrap();
    for configuration in gpu_kernels::gemm::CONFIGURATIONS {
        let kernel = configuration.kernel;
        assert!(
            !is_pushed(kernel) || names.iter().any(|name| name == kernel),
            "{kernel}: {names:?}"
        );
    }
    let hopper = report["kernels"]["hopper"].as_array().unwrap();
    let of_hopper = cutlet::gemm::CONFIGURATIONS
        .iter()
        .filter(|of| of.arch == 90 && of.hopper.is_some() && is_pushed(of.kernel));
    let kernels: Vec<&str> = of_hopper.map(|of| of.kernel).collect();
    assert!(
        kernels
            .iter()
            .all(|kernel| hopper.iter().any(|name| name == kernel)),
        "{hopper:?}"
    );
    let emulator = report["emulator"].as_str().unwrap();
    assert!(
        emulator.ends_with(" and sm_90a: compute capability 9.0 runs sm_90a"),
        "{emulator}"
    );
    let advice = report["advice"].as_array().unwrap();
    assert!(
        advice
            .iter()
            .any(|text| text.as_str().unwrap().contains("driver")),
        "{advice:?}"
    );
}

#[test]
fn a_hopper_kernel_is_right_and_refuses_what_it_does_not_compute() {
    let kernel = "gemm_f16_f32_tn_128x256x64_s4_wgmma_2x1";
    let with = |rest: &str| run_without_driver(&format!("gemm --configuration {kernel} {rest}"));
    for rest in [
        "--m 1 --n 1 --k 8",
        "--m 128 --n 256 --k 64",
        "--m 201 --n 301 --k 136 --bias --beta 0.5 --activation gelu",
        "--m 100 --n 520 --k 72 --batches 3 --out f32 --schedule persistent",
        "--m 100 --n 271 --k 333 --schedule split-k:3",
    ] {
        let report = right(&with(rest));
        assert!(line(&report, "kernel").contains(kernel), "{report}");
        assert_eq!(line(&report, "verdict"), "right", "{report}");
    }
    for (rest, what) in [
        ("--layout nn", "the order of A and B"),
        ("--dtype bf16", "the type of A and B"),
        ("--schedule stream-k", "the schedule"),
    ] {
        let stderr = fails(&with(rest), 2);
        let message = format!("{kernel} is not for this product: {what} differs");
        assert!(stderr.contains(&message), "{rest}: {stderr}");
    }
}

#[test]
fn attention_is_right_and_refuses_what_it_does_not_compute() {
    for rest in [
        "--queries 100 --dim 64",
        "--queries 60 --dim 192",
        "--queries 70 --keys 150 --dim 64 --window 20,30",
        "--queries 70 --keys 150 --dim 64 --window ,9",
        "--queries 70 --keys 150 --heads 4 --key-heads 2 --causal --window 20 --lse --dtype f16",
        "--lengths 100,7,0,150 --heads 4 --key-heads 2 --causal --lse --dtype bf16 --dim 64",
        "--queries 70 --soft-cap 0.5 --scale 1 --causal --lse --dim 128",
        "--lengths 100,7,0,150 --heads 4 --key-heads 2 --causal --lse --dtype bf16 --dim 64 --soft-cap 3",
        "--queries 70 --keys 150 --heads 4 --key-heads 2 --causal --lse --dtype e4m3 --scales-of-heads",
    ] {
        let report = right(&run_without_driver(&format!("attention {rest}")));
        assert!(line(&report, "kernel").contains("attention_"), "{report}");
        assert_eq!(line(&report, "verdict"), "right", "{report}");
    }
    let dims = MMA_DIMENSIONS.map(|dim| dim.to_string()).join(", ");
    let no_soft_cap = format!(
        "there is no soft cap of bf16 with a head dimension of 72; there is of f16 and bf16 with a head dimension of {dims}"
    );
    for (rest, status, what) in [
        ("--dim 72", 1, &*format!("there is of {dims}")),
        ("--heads 3 --key-heads 2", 2, "it must be a multiple of 2"),
        (
            "--scale 0",
            2,
            "the scale is 0; it must be above 0 and finite",
        ),
        ("--configuration nothing", 2, "there is no kernel nothing"),
        ("--window 20", 2, "without it both sides are given"),
        ("--causal --window 20,5", 2, "has a left side alone"),
        ("--window 20,x", 2, "x is no number of keys"),
        ("--pages 24", 2, "the page size is 24"),
        ("--pages 16 --backward", 2, "no gradients of keys in pages"),
        ("--pages 16 --dtype e4m3", 2, "e4m3 has none"),
        (
            "--pages 16 --loads cp-async",
            2,
            "pages and loads by cp.async",
        ),
        (
            "--pages 16 --lengths 4,5 --key-lengths 6",
            2,
            "--key-lengths are of 1 sequences, --lengths of 2",
        ),
        ("--soft-cap 30 --dim 72", 1, &no_soft_cap),
        (
            "--soft-cap 0",
            2,
            "the soft cap is 0; it must be above 0 and finite",
        ),
        ("--soft-cap 1e30", 2, "a launch covers at most 1024"),
        (
            "--soft-cap 30 --configuration nothing",
            2,
            "there is no kernel nothing; there are: attention_soft_cap_f16_d64_128x128_s2",
        ),
        ("--dtype e4m3 --dim 64", 1, "there is of 128"),
        ("--dtype e4m3 --soft-cap 30", 2, "e4m3 has none"),
        (
            "--dtype e4m3 --lengths 100,7",
            2,
            "e4m3 has no packed sequences",
        ),
        ("--scales-of-heads", 2, "f16 and bf16 have no scales"),
        ("--lengths 100,7 --soft-cap 0", 2, "the soft cap is 0"),
        ("--lengths 100,7 --batches 2", 2, "cannot be used with"),
        (
            "--lengths 0,0",
            2,
            "the number of queries is 0; it must be at least 1",
        ),
        ("--lengths 100,x", 2, "invalid value 'x'"),
        (
            "--queries 4000000000",
            2,
            "a launch covers at most 1073741824",
        ),
    ] {
        let stderr = fails(&run_without_driver(&format!("attention {rest}")), status);
        assert!(stderr.contains(what), "{rest}: {stderr}");
    }
}

#[test]
fn ptx_is_what_the_devices_get() {
    let printed = right(&run("ptx"));
    assert_eq!(printed, cutlet::kernels::ptx().unwrap());
    let file = std::env::temp_dir().join(format!("cutlet-test-{}.ptx", std::process::id()));
    right(&run(&format!("ptx --out {}", file.display())));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), printed);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        right(&run("ptx --sm90a")),
        cutlet::kernels::sm90a().unwrap()
    );
    let stderr = fails(&run(&format!("ptx --out {}/none/x.ptx", file.display())), 1);
    assert!(stderr.contains("cannot be written"), "{stderr}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(cutlet())
        .arg("ptx")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The reader takes ten bytes of far more than a pipe holds, and closes the pipe.
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn help_and_version_are_no_errors() {
    let help = right(&run("--help"));
    for command in [
        "gemm",
        "transpose",
        "vecadd",
        "bench",
        "tune",
        "doctor",
        "ptx",
    ] {
        assert!(help.contains(command), "{command} in\n{help}");
        assert!(right(&run(&format!("{command} --help"))).contains("Usage: cutlet"));
    }
    let help = right(&run("check --help"));
    for kind in emulator::FindingKind::ALL {
        assert!(help.contains(kind.name), "{} in\n{help}", kind.name);
    }
    assert_eq!(
        right(&run("--version")),
        format!("cutlet {}\n", env!("CARGO_PKG_VERSION"))
    );
}

/// Checks that `tune` leaves out a product whose accumulators lose too much for a verdict, with a
/// message, and measures the next product.
#[test]
fn tune_goes_on_behind_a_product_without_a_verdict() {
    let file = std::env::temp_dir().join(format!("cutlet-tune-k-{}.json", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let out = right(&run(&format!(
        "tune --device emulator --dtype f16 --accumulator f16 --layout tn --shapes 64x64x3000000,64x64x128 --out {}",
        file.display()
    )));
    assert!(line(&out, "measured").starts_with("1 products"), "{out}");
    let left_out = line(&out, "left out");
    assert!(
        left_out.starts_with("64×64×3000000 f16 f16 tn: no verdict: with f16 accumulators"),
        "{out}"
    );
    let table = std::fs::read_to_string(&file).unwrap();
    assert_eq!(table.matches("\"kernel\"").count(), 1, "{table}");
    std::fs::remove_file(&file).unwrap();
}

/// Checks that the first launches of the ranking are enough to measure one shape of a user's, and
/// that its point is added to all built-in points, so that the choice for other shapes does not
/// change.
#[test]
fn tune_adds_one_shape_to_what_is_built_in() {
    let file = std::env::temp_dir().join(format!("cutlet-tune-one-{}.json", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let tune = format!(
        "tune --device emulator --dtype f16 --accumulator f16 --layout tn --shape 72x136x200 --best 2 --out {}",
        file.display()
    );
    let out = right(&run(&tune));
    assert!(
        line(&out, "measured").starts_with("1 products, 2 launches"),
        "{out}"
    );
    let table: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let points = table["points"].as_array().unwrap();
    let own =
        |point: &&Value| (point["m"].as_u64(), point["tried"].as_u64()) == (Some(72), Some(2));
    assert_eq!(points.iter().filter(own).count(), 1);
    assert!(points.len() > 100 && !table["models"].as_array().unwrap().is_empty());
    let again = right(&run(&tune));
    assert!(
        line(&again, "measured").ends_with("1 products were measured before"),
        "{again}"
    );
    std::fs::remove_file(&file).unwrap();
}

/// Checks that a table is written and continued, also after a run that was killed, and that `gemm`
/// then chooses its kernels.
#[test]
fn tune_keeps_what_it_measured() {
    let file = std::env::temp_dir().join(format!("cutlet-tune-{}.json", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let tune = format!(
        "tune --device emulator --dtype f16 --layout tn,nt --shapes 64,128x128x256 --out {}",
        file.display()
    );
    let mut killed = Command::new(cutlet())
        .args(tune.split_whitespace())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !file.is_file() && killed.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let _ = killed.kill();
    killed.wait().unwrap();
    let rest = right(&run(&tune));
    let kept = line(&rest, "measured");
    assert!(
        !kept.contains("; 0 products were measured before"),
        "{rest}"
    );
    let again = right(&run(&tune));
    assert!(
        line(&again, "measured").starts_with("0 products"),
        "{again}"
    );
    // The table has two shapes, with accumulators of f16 and of f32, and another order.
    assert!(
        line(&again, "measured").ends_with("; 6 products were measured before"),
        "{again}"
    );
    let table: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let points = table["points"].as_array().unwrap();
    assert_eq!(points.len(), 6);
    for point in points {
        let gemm = format!(
            "gemm --m {} --n {} --k {} --accumulator {} --layout {} --device emulator --json",
            point["m"],
            point["n"],
            point["k"],
            point["accumulator"].as_str().unwrap(),
            point["majors"].as_str().unwrap()
        );
        let output = Command::new(cutlet())
            .args(gemm.split_whitespace())
            .env("CUTLET_GEMM_TABLE", &file)
            .output()
            .unwrap();
        let report: Value = serde_json::from_str(&right(&output)).unwrap();
        assert_eq!(report["launch"]["kernel"], point["kernel"]);
    }
    std::fs::remove_file(&file).unwrap();
}
