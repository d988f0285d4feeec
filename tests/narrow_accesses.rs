//! Checks that `cutlet profile` names the lines whose accesses could have been a vector.

mod common;

use common::cutlet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the profile of a kernel that copies 16 bytes per thread by `body`, with the lines of a
/// source.
fn profile(name: &str, body: &str, arguments: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("narrow-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let source = folder.join("copy.rs");
    fs::write(&source, "// 1\ncopy(Auto::default(), &from, &to);\n").unwrap();
    let ptx = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.file 1 \"{}\"\n\
         .visible .entry k(.param .u64 from, .param .u64 to) {{\n\
         .reg .b64 %d<4>; .reg .b32 %r<8>;\n ld.param.u64 %d1, [from]; ld.param.u64 %d2, [to];\n\
         mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 16; add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;\n\
         .loc 1 2 0\n{body}\nret;\n}}\n",
        source.display()
    );
    fs::write(folder.join("k.ptx"), ptx).unwrap();
    let launch = "ptx = \"k.ptx\"\nentry = \"k\"\ngrid = 1\nblock = 64\nparameters = [\n\
        { type = \"u32\", length = 256, fill = \"iota\" },\n{ type = \"u32\", length = 256, fill = \"zeros\" } ]\n";
    fs::write(folder.join("k.toml"), launch).unwrap();
    let ran = Command::new(cutlet())
        .arg("profile")
        .arg(folder.join("k.toml"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

const SAYS: &str = "4 accesses of 4 bytes where 16 are possible";

#[test]
fn a_copy_that_a_stride_made_scalar_says_so_at_its_line() {
    let of = |i: u32| {
        format!(
            "ld.global.b32 %r{r}, [%d1+{at}];\nst.global.b32 [%d2+{at}], %r{r};\n",
            r = i + 1,
            at = 4 * i
        )
    };
    let scalar: String = (0..4).map(of).collect();
    let said = profile("scalar", &scalar, &[]);
    let line = format!("copy.rs: copy(Auto::default(), &from, &to);  <- {SAYS}");
    assert!(said.contains(&line), "{said}");
    assert!(
        said.contains(&format!("copy.rs:2: {SAYS}, 2 times.")),
        "{said}"
    );
    let json = profile("scalar-json", &scalar, &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = json["instructions"].as_array().unwrap();
    let narrow: Vec<_> = rows.iter().filter(|row| !row["narrow"].is_null()).collect();
    assert_eq!(narrow.len(), 2, "the first load and the first store");
    assert_eq!(narrow[0]["narrow"]["possible"], 16);

    let vector = "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d1];\nst.global.v4.b32 [%d2], {%r1, %r2, %r3, %r4};";
    let said = profile("vector", vector, &[]);
    assert!(!said.contains("are possible"), "{said}");
}
