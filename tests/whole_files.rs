//! Checks that the program writes a file as a whole or not at all: if a file cannot be written, the
//! previous file remains, and nothing else is left.
#![cfg(target_os = "linux")]

mod common;

use common::cutlet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns an empty folder that only this test uses.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("whole-files-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a line of the shell in a folder, where `$cutlet` is the program.
fn shell(folder: &Path, line: &str) -> Output {
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("cutlet", cutlet())
        .output()
        .unwrap()
}

/// Returns all paths in a folder, with the contents of files.
fn contents(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.push((path.clone(), fs::read(&path).ok()));
        }
    }
    found.sort();
    found
}

const PTX: &str = ".version 7.0\n.target sm_80\n.address_size 64\n\
    .visible .entry k(.param .u64 p) {\n .reg .b64 %d<4>; .reg .b32 %r<2>;\n ld.param.u64 %d1, [p];\n \
    mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n st.global.u32 [%d3], %r1;\n ret;\n}\n";

/// Writes a launch file that saves 4 KiB to `out`.
fn launch_file(folder: &Path, out: &str) {
    fs::write(folder.join("k.ptx"), PTX).unwrap();
    let text = format!(
        "ptx = \"k.ptx\"\nentry = \"k\"\ngrid = 1\nblock = 1024\n\
         parameters = [{{ type = \"u32\", length = 1024, fill = \"zeros\", output = {{ save = \"{out}\" }} }}]\n"
    );
    fs::write(folder.join("k.toml"), text).unwrap();
}

/// The lines that write a file: the file, and the line.
const WRITERS: [(&str, &str); 5] = [
    ("out.svg", "$cutlet draw '(16,16):(16,1)' --svg out.svg"),
    ("out.png", "$cutlet draw '(64,64):(64,1)' --png out.png"),
    ("out.tex", "$cutlet draw '(16,16):(16,1)' --latex out.tex"),
    ("out.bin", "$cutlet check k.toml"),
    ("out.html", "$cutlet profile k.toml --html out.html"),
];

#[test]
fn a_file_that_does_not_fit_leaves_the_good_one() {
    for (file, line) in WRITERS {
        let folder = folder(&file.replace('.', "-"));
        launch_file(&folder, "out.bin");
        fs::write(folder.join(file), "a good one").unwrap();
        // The limit is 1024 bytes for a file, and the written files are larger.
        let before = contents(&folder);
        let ran = shell(&folder, &format!("ulimit -f 2; {line}"));
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(1), "{file}: {said}");
        assert!(said.contains(file), "{file}: {said}");
        assert!(
            said.contains("this process may write 1024"),
            "{file}: {said}"
        );
        assert!(contents(&folder) == before, "{file}: something changed");
        // Without the limit the new file replaces the previous one.
        let ran = shell(&folder, line);
        assert!(ran.status.success(), "{file}: {ran:?}");
        assert!(
            fs::metadata(folder.join(file)).unwrap().len() > 1024,
            "{file}"
        );
        assert_eq!(
            contents(&folder).len(),
            before.len(),
            "{file}: a file is left"
        );
    }
}

/// Checks that `cutlet new` writes all files or none.
#[test]
fn a_project_that_does_not_fit_is_not_there() {
    let folder = folder("project");
    let ran = shell(
        &folder,
        &format!(
            "ulimit -f 2; $cutlet new mine --cutlet {}",
            env!("CARGO_MANIFEST_DIR")
        ),
    );
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    assert_eq!(contents(&folder), []);
}

/// Checks that files other than regular files are refused: a pipe would wait for its reader for
/// ever.
#[test]
fn what_is_no_regular_file_is_refused() {
    let folder = folder("pipes");
    launch_file(&folder, "out.bin");
    for (kind, make) in [
        ("a pipe", "rm -rf $f; mkfifo $f"),
        ("a directory", "rm -rf $f; mkdir $f"),
        ("a device", "rm -rf $f; ln -s /dev/null $f"),
    ] {
        for (file, line) in WRITERS {
            assert!(shell(&folder, &make.replace("$f", file)).status.success());
            let ran = shell(&folder, &format!("timeout 60 {line}"));
            let said = String::from_utf8_lossy(&ran.stderr).into_owned();
            assert_eq!(ran.status.code(), Some(1), "{kind} {file}: {said}");
            let says = format!("it is {kind}, not a regular file");
            assert!(
                said.contains(&says) && said.contains(file),
                "{kind} {file}: {said}"
            );
        }
    }
}

/// Checks the same for files that are read.
#[test]
fn a_pipe_is_not_waited_for_by_what_reads() {
    let folder = folder("reads");
    launch_file(&folder, "out.bin");
    assert!(
        shell(&folder, "mkfifo pipe pipe.npy pipe.toml")
            .status
            .success()
    );
    let text = fs::read_to_string(folder.join("k.toml")).unwrap();
    for (name, changed) in [
        ("ptx", text.replace("k.ptx", "pipe")),
        ("fill", text.replace("\"zeros\"", "{ file = \"pipe\" }")),
        ("npy", text.replace("\"zeros\"", "{ file = \"pipe.npy\" }")),
        (
            "compare",
            text.replace("save = \"out.bin\"", "compare = \"pipe\""),
        ),
    ] {
        fs::write(folder.join(format!("{name}.toml")), changed).unwrap();
        let ran = shell(&folder, &format!("timeout 60 $cutlet check {name}.toml"));
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains("it is a pipe"), "{name}: {said}");
    }
    let ran = shell(&folder, "timeout 60 $cutlet check pipe.toml");
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
}

/// Checks that a need for more memory than this process may have is an error, and not the end by a
/// signal.
#[test]
fn a_problem_beyond_the_limit_is_refused() {
    let folder = folder("memory");
    for line in [
        "gemm --m 2147483648 --n 1 --k 1",
        "gemm --m 1 --n 2147483648 --k 1",
        "gemm --m 512 --n 1 --k 13000000",
        "gemm --m 60000 --n 60000 --k 1",
        "transpose --rows 60000 --cols 60000",
        "vecadd --n 2000000000",
        "attention --queries 16777216 --keys 16777216 --dim 256 --heads 1 --rows 1",
        "attention --backward --queries 8388608 --keys 8388608 --dim 256 --heads 1",
    ] {
        let line = format!("ulimit -v 6000000; timeout 120 $cutlet {line} --device emulator");
        let ran = shell(&folder, &line);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(
            matches!(ran.status.code(), Some(1 | 2)),
            "{line}: {:?} {said}",
            ran.status
        );
        assert!(said.contains("of this machine's memory"), "{line}: {said}");
    }
}

#[test]
fn launch_files_say_what_was_found_and_what_is_allowed() {
    let folder = folder("messages");
    launch_file(&folder, "out.bin");
    let text = fs::read_to_string(folder.join("k.toml")).unwrap();
    for (from, to, says) in [
        (
            "\"zeros\"",
            "{ values = [] }",
            "`values` is a list of one number or more, not an empty array",
        ),
        (
            "length = 1024",
            "length = 0",
            "the value is 0, not within 1..=1099511627776",
        ),
        (
            "length = 1024",
            "length = \"999999999999999999999999999999999999999999\"",
            "expected an integer below 2^127, found `999999999999999999999999999999999999999999`",
        ),
    ] {
        fs::write(folder.join("k.toml"), text.replace(from, to)).unwrap();
        let ran = shell(&folder, "$cutlet check k.toml");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(said.contains(says), "{to}: {said}");
    }
    fs::write(folder.join("k.toml"), &text).unwrap();
    let large = PTX.replace(
        "ret;",
        "ret;\n}\n.global .u32 a[99999999999999999999];\n.visible .entry l() { ret;",
    );
    fs::write(folder.join("k.ptx"), large).unwrap();
    let said = shell(&folder, "$cutlet check k.toml").stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(
        said.contains("expected an integer below 2^64, found `99999999999999999999`"),
        "{said}"
    );
}
