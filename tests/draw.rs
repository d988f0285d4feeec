//! Tests `cutlet draw` and `cutlet explore` as a person or a script uses them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};

fn cutlet() -> &'static str {
    env!("CARGO_BIN_EXE_cutlet")
}

fn draw(arguments: &[&str]) -> Output {
    Command::new(cutlet())
        .arg("draw")
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn without_a_file_the_picture_is_on_stdout_without_escapes() {
    let output = draw(&["(2,3):(3,1)"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains("0  0 1 2\n1  3 4 5\n"), "{shown}");
    assert!(
        !shown.contains('\x1b'),
        "no colours where stdout is no terminal"
    );
}

#[test]
fn files_are_written_and_named() {
    let folder = std::env::temp_dir().join(format!("cutlet-draw-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (svg, png, tex) = (path("a.svg"), path("a.png"), path("a.tex"));
    let output = draw(&[
        "zipped_divide((4,4), (2,2))",
        "--svg",
        &svg,
        "--png",
        &png,
        "--latex",
        &tex,
        "--theme",
        "dark",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        [&svg, &png, &tex]
            .iter()
            .all(|path| said.contains(path.as_str())),
        "{said}"
    );
    assert!(
        std::fs::read_to_string(&svg)
            .unwrap()
            .contains("zipped_divide((4,4), (2,2))")
    );
    assert_eq!(&std::fs::read(&png).unwrap()[1..4], b"PNG");
    assert!(
        std::fs::read_to_string(&tex)
            .unwrap()
            .contains("tikzpicture")
    );
    // The command that evaluates a layout can draw it too.
    let both = Command::new(cutlet())
        .args(["layout", "(2,3):(3,1)", "--svg", &svg])
        .output()
        .unwrap();
    assert_eq!(both.status.code(), Some(0), "{}", text(&both.stderr));
    assert!(text(&both.stdout).contains(&svg));
    assert!(
        std::fs::read_to_string(&svg)
            .unwrap()
            .contains("(2,3):(3,1)")
    );
    std::fs::remove_dir_all(&folder).unwrap();
    let nowhere = draw(&["4:1", "--svg", "/nowhere/at/all.svg"]);
    assert_eq!(nowhere.status.code(), Some(1));
}

#[test]
fn what_cannot_be_drawn_is_an_error_with_its_place() {
    let refused = draw(&["composition((4,6,2):(1,8,64), (4,2):(3,1))"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(
        said.starts_with("error: ") && said.contains('^') && said.contains("not admissible"),
        "{said}"
    );
    assert!(text(&draw(&["(1000,1000)"]).stderr).contains("65536"));
    assert!(text(&draw(&["4:1", "--access", "5"]).stderr).contains("4, 8 or 16"));
    assert_eq!(draw(&["4:1", "--bits", "0"]).status.code(), Some(2));
}

#[test]
fn the_explorer_says_where_it_is_and_answers_there_alone() {
    let mut child = Command::new(cutlet())
        .args(["explore", "--port", "0", "(4,4):(4,1)"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut url)
        .unwrap();
    let (address, fragment) = url
        .trim()
        .trim_start_matches("http://")
        .split_once('/')
        .unwrap();
    assert!(
        address.starts_with("127.0.0.1:") && fragment == "#e=%284%2C4%29%3A%284%2C1%29",
        "{url}"
    );
    let get = |host: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .write_all(format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let (ours, other) = (get(address), get("evil.example"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        ours.starts_with("HTTP/1.1 200 OK") && ours.contains("Cutlet explorer"),
        "{ours:.200}"
    );
    assert!(
        other.starts_with("HTTP/1.1 403") && !other.contains("cutlet-token"),
        "{other:.200}"
    );
}
