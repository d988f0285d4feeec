//! Tests `cutlet layout` and `cutlet completions` as a person or a script uses them.

mod common;
#[path = "../crates/notation/tests/vectors/mod.rs"]
mod vectors;

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use vectors::{ALGEBRA, lines, notation, written};

fn cutlet(arguments: &[&str]) -> Output {
    Command::new(common::cutlet())
        .args(arguments)
        .output()
        .unwrap()
}

/// Runs `cutlet` with lines on stdin.
fn piped(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(common::cutlet())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_string();
    // The writer has a thread of its own, because both pipes may become full.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn golden_vectors_through_the_binary_are_printed_as_cute_prints_them() {
    let sample: Vec<Value> = lines(ALGEBRA)
        .step_by(13)
        .filter(|vector| {
            vector.get("out").is_some() && vector.get("f_ok") != Some(&Value::Bool(false))
        })
        .collect();
    let expressions: Vec<String> = sample
        .iter()
        .map(|vector| written(vector["op"].as_str().unwrap(), &vector["in"]).expression)
        .collect();
    let output = piped(&["layout", "--json"], &expressions.join("\n"));
    let answers: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), expressions.len());
    let mut equal = 0;
    for ((vector, expression), answer) in sample.iter().zip(&expressions).zip(&answers) {
        if answer["error"]["kind"] == "refused" {
            continue; // One of the deliberate differences, which `golden.rs` lists.
        }
        assert_eq!(answer["printed"], notation(&vector["out"]), "{expression}");
        equal += 1;
    }
    assert!(
        equal > 280 && answers.len() - equal < 10,
        "{equal} of {}",
        answers.len()
    );
}

#[test]
fn an_expression_is_printed_with_laws_and_table() {
    let output = cutlet(&["layout", "composition((6,2):(8,2), (4,3):(3,1))"]);
    let stdout = text(&output.stdout);
    assert_eq!(
        (output.status.code(), text(&output.stderr).as_str()),
        (Some(0), "")
    );
    assert!(stdout.starts_with(
        "((2,2),3):((24,2),8)\nsize 12, cosize 43, rank 2, depth 2, injective, not compact"
    ));
    assert!(stdout.contains("1=(1,0)  | 24 | 32 | 40 |"), "{stdout}");
    let output = cutlet(&[
        "layout",
        "--banks",
        "f16, ldmatrix",
        "--most",
        "0",
        "(8,32):(32,1)",
    ]);
    assert!(
        text(&output.stdout).contains("4-way bank conflicts"),
        "{}",
        text(&output.stdout)
    );
    let tv = "f16, tv(((8,4),8):((1,256),32), (32,32))";
    let output = cutlet(&[
        "layout",
        "--banks",
        tv,
        "--most",
        "0",
        "Sw<2,3,3> o (32,32):(32,1)",
    ]);
    assert!(
        text(&output.stdout).contains("free of bank conflicts"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_refusal_is_explained_and_ends_with_1() {
    let output = cutlet(&["layout", "--explain", "(4,4):(4,1) o (2,2):(3,1)"]);
    assert_eq!(output.status.code(), Some(1));
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(
        stdout.contains("together in mode 0 of the left side: 3 + 1 = 4, not below its 4"),
        "{stdout}"
    );
    assert!(
        stderr.starts_with("error: composition (4,4):(4,1) o (2,2):(3,1) is not admissible"),
        "{stderr}"
    );
    assert!(stderr.contains("\n  | ^^^^"), "{stderr}");
    let output = cutlet(&["layout", "--json", "zipped_divid(1,2)"]);
    assert_eq!(output.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["error"]["help"], "there is `zipped_divide`");
}

#[test]
fn a_pipe_is_answered_line_by_line() {
    let input = "let a = (6,2):(8,2)   # a name\n\na o (4,3):(3,1)\nexplain it.flatten\nnames\nhelp raked\nquit\nnever\n";
    let output = piped(&["layout", "--most", "0"], input);
    let stdout = text(&output.stdout);
    assert_eq!(
        (output.status.code(), text(&output.stderr).as_str()),
        (Some(0), "")
    );
    for line in [
        "((2,2),3):((24,2),8)",
        "(2,2,3):(24,2,8)",
        "a = (6,2):(8,2)",
        "raked_product(block, tiler)",
    ] {
        assert!(
            stdout.lines().any(|found| found == line),
            "{line} is missing in\n{stdout}"
        );
    }
    // A wrong line does not end the command, but is reported at the end.
    let output = piped(&["layout", "--most", "0"], "(4,2\n(4,2):(2,1)\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("(4,2):(2,1)\n"));
    // The lines are longer than any limit, or have bytes that are not text.
    let long = format!("{}\n(4,2):(2,1)\n", "(".repeat(300_000));
    let output = piped(&["layout", "--most", "0"], &long);
    assert!(text(&output.stdout).starts_with("(4,2):(2,1)\n") && output.status.code() == Some(1));
}

#[test]
fn every_shell_gets_completions_that_know_the_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = cutlet(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0));
        let script = text(&output.stdout);
        assert!(
            script.contains("layout") && script.contains("explain"),
            "{shell}"
        );
    }
    assert_eq!(cutlet(&["completions", "tcsh"]).status.code(), Some(2));
}

#[test]
fn pictures_are_written_beside_the_answer() {
    let file = std::env::temp_dir().join(format!("cutlet-notation-{}.svg", std::process::id()));
    let output = cutlet(&["layout", "--svg", file.to_str().unwrap(), "(8,8):(8,1)"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let svg = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(svg.starts_with("<svg "));
    assert!(text(&output.stdout).contains("size 64"));
}
