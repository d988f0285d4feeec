//! Checks `cutlet check --json`: the parts of a finding, and findings of provenance and registers
//! that are accepted.

use super::{ends_with, folder, run, text};
use serde_json::{Value, json};
use std::path::Path;

/// Writes a launch file for a C++ kernel, `scale<float>(float*)`, in the form that `nvcc -lineinfo`
/// gives it. It has a race within a warp. The later access is in a function that was inlined into
/// another function, which was inlined into the kernel.
fn inlined(folder: &Path) -> String {
    let ptx = ".version 8.7\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 tile[];\n\
         .visible .entry _Z5scaleIfEvPT_(.param .u64 x) {\n.reg .b32 %r<8>;\n.loc 1 20 5\nmov.u32 %r0, %tid.x;\n\
         mov.u32 %r1, tile; mad.lo.u32 %r2, %r0, 4, %r1; xor.b32 %r3, %r0, 1; mad.lo.u32 %r3, %r3, 4, %r1;\n\
         st.shared.u32 [%r2], 1; bar.sync 0;\n.loc 1 21 9\nst.shared.u32 [%r2], %r0;\n\
         .loc 1 22 7\nmov.u32 %r6, 1;\n\
         .loc 2 9 3, function_name $L__info_string0, inlined_at 1 22 7\nmov.u32 %r6, 1;\n\
         .loc 3 5 11, function_name $L__info_string0+10, inlined_at 2 9 3\nld.shared.u32 %r4, [%r3];\n\
         .loc 1 23 1\nret;\n}\n.file 1 \"scale.cu\"\n.file 2 \"helper.h\"\n.file 3 \"load.h\"\n\
         .section .debug_str\n{\n$L__info_string0:\n.b8 95,90,54,104,101,108,112,101,114,0\n\
         .b8 95,90,52,108,111,97,100,80,102,0\n}\n";
    write(folder, ptx, "_Z5scaleIfEvPT_", "")
}

/// Writes a launch of one warp with a buffer `x` of 32 words.
fn write(folder: &Path, ptx: &str, entry: &str, rules: &str) -> String {
    std::fs::write(folder.join("kernel.ptx"), ptx).unwrap();
    let launch = format!(
        "ptx = \"kernel.ptx\"\nentry = \"{entry}\"\ngrid = 1\nblock = 32\nshared = 256\n\
         [[parameters]]\nname = \"x\"\ntype = \"u32\"\nlength = 32\nfill = \"iota\"\n{rules}"
    );
    let file = folder.join("kernel.toml");
    std::fs::write(&file, launch).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_finding_has_names_both_accesses_and_what_was_inlined() {
    let folder = folder("json");
    let output = run(&[&inlined(&folder), "--json"]);
    let report: Value = serde_json::from_str(&ends_with(&output, 1)).unwrap();
    let finding = &report["kernels"][0]["launches"][0]["finding"];
    let parts = [
        ("kind", json!("Race")),
        ("kernel", json!("_Z5scaleIfEvPT_")),
        ("kernel_name", json!("void scale<float>(float*)")),
        ("source_file", json!("load.h")),
        ("source_line", json!(5)),
        ("instruction", json!("ld.shared.u32 %r4, [%r3];")),
    ];
    for (part, expected) in parts {
        assert_eq!(finding[part], expected, "{part} of {finding:#}");
    }
    let calls = json!([
        { "function": "load(float*)", "file": "helper.h", "line": 9, "column": 3 },
        { "function": "helper", "file": "scale.cu", "line": 22, "column": 7 },
    ]);
    // `_Z6helper` without arguments is not the name of a C++ function.
    assert_eq!(finding["inlined"], calls, "{finding:#}");
    let earlier = &finding["earlier"];
    assert_eq!(earlier["instruction"], "st.shared.u32 [%r2], %r0;");
    assert_eq!(earlier["function"], "_Z5scaleIfEvPT_");
    assert_eq!(
        (
            &earlier["source_file"],
            &earlier["source_line"],
            &earlier["inlined"]
        ),
        (&json!("scale.cu"), &json!(21), &json!([]))
    );
    let line = finding["ptx_line"].as_u64().unwrap();
    assert!(earlier["ptx_line"].as_u64().unwrap() < line);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_finding_without_them_says_so() {
    let folder = folder("json-plain");
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x) {\n\
         .reg .b64 %d<2>; .reg .b32 %r<2>;\nld.param.u64 %d0, [x];\nld.global.u32 %r1, [%d0+4096];\nret;\n}\n";
    let output = run(&[&write(&folder, ptx, "k", ""), "--json"]);
    let report: Value = serde_json::from_str(&ends_with(&output, 1)).unwrap();
    let finding = &report["kernels"][0]["launches"][0]["finding"];
    assert_eq!(finding["inlined"], json!([]), "{finding:#}");
    assert_eq!(finding["earlier"], Value::Null);
    assert_eq!(finding["kernel_name"], "k");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn provenance_and_registers_are_accepted_with_their_reasons() {
    let folder = folder("accepted-more");
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x) {\n\
         .shared .align 16 .b8 a[128]; .shared .align 16 .b8 b[128]; .reg .b32 %r<9>;\n\
         mov.u32 %r0, %tid.x; mov.u32 %r1, b; mad.lo.u32 %r2, %r0, 4, %r1; st.shared.u32 [%r2], %r0;\n\
         mov.u32 %r3, a; mad.lo.u32 %r4, %r0, 4, %r3;\nld.shared.u32 %r5, [%r4+128];\n\
         add.u32 %r6, %r7, 1;\nret;\n}\n";
    let rule =
        |kind: &str| format!("[[accept]]\nkind = \"{kind}\"\nreason = \"a test of {kind}\"\n");
    let (provenance, register) = (rule("provenance"), rule("uninitialised-register"));
    let registers = "--uninitialised-registers";
    for (rules, status, says) in [
        (String::new(), 1, "beyond what its address comes from"),
        (provenance.clone(), 1, "read of uninitialised register %r7"),
        (register.clone(), 1, "beyond what its address comes from"),
        (
            provenance.clone() + &register,
            0,
            "accepted 32 findings: kind uninitialised-register (a test of uninitialised-register)",
        ),
        (
            provenance + &register,
            0,
            "accepted 32 findings: kind provenance (a test of provenance)",
        ),
    ] {
        let file = write(&folder, ptx, "k", &rules);
        let output = run(&[&file, registers]);
        let report = ends_with(&output, status);
        assert!(report.contains(says), "no `{says}` in\n{report}");
        assert_eq!(text(&output.stderr), "");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
