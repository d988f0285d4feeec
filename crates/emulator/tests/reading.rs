//! Checks the texts that the reader accepts, and its errors for other texts.

mod common;
mod ptxas;

use common::{Bench, entry};
use emulator::{LaunchError, Program, PtxErrorKind};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn error(text: &str) -> emulator::PtxError {
    match Program::parse(text) {
        Err(error) => error,
        Ok(_) => panic!("accepted:\n{text}"),
    }
}

/// Returns the error of a module, or of its kernel `k` if the module can be read.
fn error_or_refusal(text: &str) -> emulator::PtxError {
    match Program::parse(text) {
        Err(error) => error,
        Ok(program) => match program.not_emulated("k") {
            Some(refusal) => refusal.error.clone(),
            None => panic!("accepted:\n{text}"),
        },
    }
}

/// Returns the text of the error in a body.
fn in_body(body: &str) -> String {
    error_or_refusal(&entry(1, body)).kind.to_string()
}

#[test]
fn unknown_instructions_are_named_with_their_place() {
    let e = error_or_refusal(&format!(
        "{HEAD}.entry k() {{\n  .reg .b32 %r<3>;\n\tfrobnicate.rn.f32 \t%r1, %r2;\n}}"
    ));
    assert_eq!((e.line, e.column), (6, 2));
    assert_eq!(
        e.kind,
        PtxErrorKind::UnknownInstruction("frobnicate.rn.f32".to_owned())
    );
    assert_eq!(
        e.to_string(),
        "6:2: unknown instruction `frobnicate.rn.f32`\n    \tfrobnicate.rn.f32 \t%r1, %r2;\n    \t^"
    );
}

/// Checks which kernels each unsupported instruction excludes: those that reach it, and only those.
#[test]
fn an_unknown_instruction_condemns_the_kernels_that_reach_it() {
    let text = format!(
        "{HEAD}
        .global .u64 table[1] = {{pointed}};
        .global .texref image;
        .func direct() {{ .reg .b32 a; frob.one.u32 a, a; ret; }}
        .func deep() {{ call direct, (); ret; }}
        .func pointed() {{ .reg .b32 a; ld.global.frob.u32 a, [table]; ret; }}
        .func unreached() {{ frob.two; ret; }}
        .entry good() {{ .reg .b32 a; add.u32 a, a, 1; ret; }}
        .entry own() {{ .reg .b64 a; frob.three.u32 {{a, a}}, [a, {{a, a}}], [a]; ret; }}
        .entry deeply() {{ call deep, (); ret; }}
        .entry through() {{ .reg .b64 f; ld.global.u64 f, [table]; P: .callprototype _ (); call f, (), P; ret; }}
        .entry naming() {{ .reg .b64 a; mov.u64 a, image; ret; }}
        .entry clustered() .blocksareclusters {{ ret; }}
        .entry wide() {{ .reg .b128 a; ret; }}
        .extern .func (.param .b32 r) cudaDeviceSynchronize();
        .entry parent() {{ .param .b32 r; call (r), cudaDeviceSynchronize; ret; }}
        "
    );
    let bench = Bench::new(&text);
    for (kernel, expected) in [
        ("good", None),
        ("own", Some(("own", 12, "address with tensor coordinates"))),
        (
            "deeply",
            Some(("direct", 7, "unknown instruction `frob.one.u32`")),
        ),
        ("through", Some(("pointed", 9, "unknown modifier `.frob`"))),
        ("naming", Some(("image", 6, "type `.texref`"))),
        ("clustered", Some(("clustered", 16, "`.blocksareclusters`"))),
        ("wide", None),
        (
            "parent",
            Some(("cudaDeviceSynchronize", 18, "of the device runtime")),
        ),
    ] {
        let launched = bench.launch(kernel, 1, 1, &[]);
        match (expected, bench.program.not_emulated(kernel), launched) {
            (None, None, Ok(_)) => {}
            (
                Some((holder, line, what)),
                Some(refusal),
                Err(LaunchError::NotEmulated(of_launch)),
            ) => {
                assert_eq!(*of_launch, *refusal);
                assert_eq!(
                    (&*refusal.holder, refusal.error.line),
                    (holder, line),
                    "{kernel}"
                );
                let text = refusal.to_string();
                assert!(text.contains(what), "{kernel}: {text}");
                assert!(text.contains(&format!("kernel `{kernel}`")), "{text}");
            }
            other => panic!("{kernel}: {other:?}"),
        }
    }
    assert_eq!(bench.program.not_emulated("nothing"), None);
}

/// Checks that `WARP_SZ` is a constant wherever an integer may be.
#[test]
fn the_warp_size_is_a_constant() {
    let bench = Bench::new(&entry(
        1,
        "add.u32 %r1, %tid, WARP_SZ; mul.lo.u32 %r1, %r1, 2*WARP_SZ+1; st.global.u32 [%a0+WARP_SZ], %r1; ret;",
    ));
    let out = bench.words(&[0; 9]);
    bench.run("k", 1, 1, &[common::Arg::U64(out)]);
    assert_eq!(bench.read_words(out, 9)[8], 32 * 65);
}

#[test]
fn no_modifier_is_passed_over() {
    for instruction in [
        "add.rn.u32 %r1, %r2, %r3;",
        "add.u32.u32 %r1, %r2, %r3;",
        "add.ftz.f64 %d1, %d2, %d3;",
        "add.rna.f32 %r1, %r2, %r3;",
        "fma.f32 %r1, %r2, %r3, %r4;",
        "mul.u32 %r1, %r2, %r3;",
        "mul.wide.u64 %d1, %d2, %d3;",
        "and.u32 %r1, %r2, %r3;",
        "shl.u32 %r1, %r2, %r3;",
        "setp.lt.b32 %p1, %r1, %r2;",
        "setp.lo.s32 %p1, %r1, %r2;",
        "cvt.f32.f64 %r1, %d1;",
        "cvt.rn.f64.f32 %d1, %r1;",
        "cvt.s32.f32 %r1, %r2;",
        "cvt.rn.s32.s64 %r1, %d1;",
        "cvt.sat.s64.u32 %d1, %r1;",
        "cvt.rn.bf16.u8 %h1, %h2;",
        "cvt.rn.satfinite.s32.f32 %r1, %r2;",
        "ld.global.pred %p1, [%a0];",
        "ld.global.v3.u32 {%r1,%r2,%r3}, [%a0];",
        "ld.global.frob.u32 %r1, [%a0];",
        "ld.global.v8.u64 {%d1,%d2,%d3,%d4,%d5,%d6,%d7,%d8}, [%a0];",
        "st.global.frob.u32 [%a0], %r1;",
        "atom.global.add.s64.foo %d1, [%a0], %d2;",
        "atom.global.min.f32 %r1, [%a0], %r2;",
        "atom.global.add.f16x2 %r1, [%a0], %r2;",
        "red.global.cas.b32 [%a0], %r1, %r2;",
        "shfl.idx.b32 %r1, %r2, 0, 31;",
        "shfl.sync.idx.b64 %d1, %d2, 0, 31, -1;",
        "vote.all.pred %p1, %p2;",
        "bar.frob 0;",
        "cp.async.cg.shared.local [%d1], [%a0], 16;",
        "cp.async.bulk.frob_group;",
        "ldmatrix.aligned.m8n8.x1.shared.b16 {%r1}, [%d1];",
        "ldmatrix.sync.aligned.m8n16.x1.shared.b8 {%r1}, [%d1];",
        "ldmatrix.sync.aligned.x1.x1.m8n8.shared.b16 {%r1}, [%d1];",
        "stmatrix.sync.aligned.x1.shared.b16 [%d1], {%r1};",
        "movmatrix.sync.aligned.m8n8.b16 %r1, %r2;",
        "prefetch.shared.L1 [%d1];",
        "prefetch.global.L3 [%a0];",
        "prefetch.local.L2::evict_last [%d1];",
        "prefetchu.L2 [%a0];",
        "prefetchu.global.L1 [%a0];",
        "cp.async.ca.shared.global.L2::64B.L2::64B [%d1], [%a0], 4;",
        "cvta.u64 %d1, %a0;",
        "cvta.to.global.u32 %r1, %r2;",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
        "mma.sync.aligned.m16n8k17.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
        "wgmma.frob.sync.aligned;",
        "mbarrier.frob.shared.b64 _, [%d1];",
        "tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [tex, {%r1,%r2}];",
    ] {
        let kind = in_body(instruction);
        let opcode = instruction.split(' ').next().unwrap().trim_end_matches(';');
        assert!(
            kind.contains(opcode) || kind.contains("tensor coordinates"),
            "{instruction}\n{kind}"
        );
    }
}

#[test]
fn operands_are_checked() {
    for (instruction, message) in [
        ("add.u32 %r1, %r2;", "3 operands expected, 2 found"),
        (
            "add.u32 %r1, %r2, %r3, %r4;",
            "3 operands expected, 4 found",
        ),
        (
            "add.u32 %r1, %r2, %d3;",
            "`%d3` is a .b64 register, the instruction needs .u32",
        ),
        (
            "add.u16 %h1, %h2, %r3;",
            "`%r3` is a .b32 register, the instruction needs .u16",
        ),
        (
            "add.u32 5, %r2, %r3;",
            "a .u32 register expected, found a constant",
        ),
        ("add.f32 %r1, %r2, 3;", "an integer constant for .f32"),
        ("add.u32 %r1, %r2, 1.5;", ""),
        ("mov.u32 %r1, %nosuch;", "`%nosuch` is not declared"),
        ("mov.u32 %r1, %tids.x;", "`%tids.x` is not declared"),
        (
            "mov.u32 %r1, %current_graph_exec;",
            "`%current_graph_exec` has 64 bits, the instruction .u32",
        ),
        (
            "add.u32 %r1, %clock, 1;",
            "`%clock` can be read by mov only",
        ),
        ("bra NOWHERE;", "`NOWHERE` is not a label"),
        ("@%r1 add.u32 %r1, %r2, %r3;", "`%r1` is not a predicate"),
        ("@%q add.u32 %r1, %r2, %r3;", "`%q` is not declared"),
        ("ld.global.u32 %r1, %r2;", "an address in brackets expected"),
        (
            "ld.global.u32 %r1, [%r2];",
            "`%r2` is a .b32 register, this address has 64 bits",
        ),
        (
            "ld.global.u32 %h1, [%a0];",
            "`%h1` is a .b16 register, the instruction needs .u32",
        ),
        (
            "ld.global.v2.u32 {%r1}, [%a0];",
            "2 registers expected, 1 found",
        ),
        (
            "ld.global.v2.u32 {%r1, %d1}, [%a0];",
            "registers of different sizes",
        ),
        ("st.const.u32 [%d1], %r1;", "this space is read-only"),
        (
            "ld.global.u32 %r1, [p0];",
            "`p0` is a parameter: use .param",
        ),
        (
            "cp.async.cg.shared.global [%d1], [%a0], 8;",
            "16 bytes, not 8",
        ),
        (
            "cp.async.ca.shared.global [%d1], [%a0], 12;",
            "4, 8 or 16 bytes, not 12",
        ),
        ("cp.async.wait_group %r1;", "an integer constant expected"),
        (
            "lop3.b32 %r1, %r2, %r3, %r4, 256;",
            "a table from 0 to 255, not 256",
        ),
        ("bar.arrive 1;", "`.arrive` needs a number of threads"),
        ("call nothing;", "`nothing` is not declared"),
        ("call %d1, ();", "an indirect call needs a prototype"),
        ("brx.idx %r1, %r2;", "`%r2` is not a list of targets"),
        ("{ .reg .b32 x, x; }", "`x` is declared twice"),
        ("L: L: add.u32 %r1, %r1, 1;", "`L` is declared twice"),
        (".reg .v2 .b128 %q;", "not one of up to 128 bits"),
        (".reg .v4 .f64 v;", "not one of up to 128 bits"),
        (
            ".reg .v4 .b32 v<4000>, w<97>;",
            "more than 4096 vector registers",
        ),
        (
            ".reg .f32 f; add.s32 %r1, f, %r2;",
            "`f` is a .f32 register, the instruction needs .s32",
        ),
        (
            ".reg .f64 g; ld.global.u32 %r1, [g];",
            "`g` is a .f64 register, an address is an integer",
        ),
        (
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2}, [%d1];",
            "4 registers expected, 2 found",
        ),
        ("mov.u32 %r1, 08;", ""),
    ] {
        let kind = in_body(instruction);
        assert!(
            kind.contains(message),
            "{instruction}\n  found: {kind}\n  expected: {message}"
        );
    }
}

#[test]
fn scopes() {
    // A register of an inner block hides the outer one, and ends with its block.
    assert!(
        Program::parse(&entry(
            0,
            "{ .reg .b64 %r1; mov.u64 %r1, 5; } mov.u32 %r1, 5; ret;"
        ))
        .is_ok()
    );
    assert_eq!(
        in_body("{ .reg .b32 inner; } mov.u32 inner, 1;"),
        "`inner` is not declared"
    );
    // A label in a block belongs to this block; a branch may leave the block.
    assert!(Program::parse(&entry(0, "{ L: bra M; } { L: bra M; } M: ret;")).is_ok());
    assert!(in_body("{ L: add.u32 %r1, %r1, 1; } bra L;").contains("not a label"));
}

#[test]
fn modules() {
    let reads = |text: &str| {
        Program::parse(&format!("{HEAD}{text}"))
            .map(|_| ())
            .map_err(|e| e.kind.to_string())
    };
    assert_eq!(reads(""), Ok(()));
    assert_eq!(
        reads(".visible .entry k() .maxntid 128, 1, 1 .minnctapersm 2 .maxnreg 64 { ret; }"),
        Ok(())
    );
    // Shared memory that is declared but not used takes no space.
    assert_eq!(
        reads(
            ".shared .b8 s[99999];\n.shared .b8 t[49152];\n.const .b8 c[65536];\n.entry k() { .reg .b32 a; mov.u32 a, t; ret; }"
        ),
        Ok(())
    );
    assert_eq!(
        reads(".weak .func f() .noreturn { trap; exit; }\n.entry k() { call f, (); ret; }"),
        Ok(())
    );
    assert_eq!(
        reads(".func f() { ret; }\n.alias g, f;\n.entry k() { call g; ret; }"),
        Ok(())
    );
    assert_eq!(
        reads(
            ".file 1 \"a.rs\"\n.entry k() {\n.loc 1 2 3, function_name $L, inlined_at 1 4 5\nret;\n.loc 1 3 1\n}\n.section .debug_str { .b8 1, 2 }\n$L__end:\n"
        ),
        Ok(())
    );
    assert_eq!(reads(".entry k() { .pragma \"nounroll\"; ret; ; }"), Ok(()));
    assert_eq!(
        reads(".entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 q[16]) { ret; }"),
        Ok(())
    );
    for (text, message) in [
        (
            ".entry k() { ret; }\n.entry k() { ret; }",
            "`k` is declared twice",
        ),
        (".global .u32 x;\n.global .u32 x;", "`x` is declared twice"),
        (
            ".global .u32 x[2] = {1, 2, 3};",
            "more initial values than elements",
        ),
        (".global .u32 x = y;", "`y` is not declared"),
        (
            ".shared .u32 s;\n.global .u64 x = s;",
            "not known before a launch",
        ),
        (
            ".shared .u32 s = 1;",
            "shared memory cannot have an initial value",
        ),
        (
            ".global .u32 x[];",
            "an array without an extent needs an initial value",
        ),
        (".global .frob x;", "type `.frob`"),
        (
            ".global .align 3 .u32 x;",
            "alignment 3 is not a power of two",
        ),
        (
            ".entry k() { ret; ",
            "expected a statement, found the end of the text",
        ),
        (
            ".entry k() { ret }",
            "expected an operand or `;`, found `}`",
        ),
        (
            ".func f(.param .b32 x);\n.entry k() { call f, (); ret; }",
            "takes [4] and returns [] bytes, the call gives []",
        ),
        (
            ".shared .b8 s[49153];\n.func f() { .reg .b32 a; mov.u32 a, s; ret; }\n.entry k() { call f, (); ret; }",
            "the static shared memory that kernel `k` uses: 49153 bytes, more than 49152",
        ),
        (
            ".const .b8 a[40000];\n.const .b8 b[25537];",
            "`b` and the module's constants before it: 65537 bytes, more than 65536",
        ),
        ("frob", "expected a directive"),
        (".frob", "or another directive"),
    ] {
        let found = reads(text).unwrap_err();
        assert!(
            found.contains(message),
            "{text}\n  found: {found}\n  expected: {message}"
        );
    }
    for text in [
        "",
        ".version 8.0\n",
        ".version x",
        ".version 8.0\n.target frob\n",
        ".version 8.0\n.target sm_80\n.address_size 32\n",
    ] {
        error(text);
    }
}

#[test]
fn any_cut_of_a_module_is_an_error_and_no_panic() {
    let text = include_str!("ptx/basics.ptx");
    for end in (0..text.len())
        .step_by(97)
        .filter(|&end| text.is_char_boundary(end))
    {
        let _ = Program::parse(&text[..end]);
    }
    // One character of the text is changed.
    let mut random = common::Random(99);
    for _ in 0..300 {
        let mut bytes = text.as_bytes().to_vec();
        let at = random.next() as usize % bytes.len();
        bytes[at] = b" \t\n;,.:{}[]()@!%$_-+0aZ\"/*"[random.next() as usize % 26];
        if let Ok(text) = std::str::from_utf8(&bytes) {
            let _ = Program::parse(text);
        }
    }
}

/// Checks that a long line is shown once, around the place, with its column, and that a long name
/// is shortened.
#[test]
fn long_lines_are_cut_in_messages() {
    let pad = "/*x*/".repeat(200_000);
    let text = format!("{HEAD}.entry k() {{ .reg .b32 a; {pad} add.u32 a, a, b; {pad} }}");
    let error = error(&text);
    let said = error.to_string();
    assert!(said.len() < 500, "{}", said.len());
    assert!(said.contains("`b` is not declared") && said.matches("add.u32 a, a, b").count() == 1);
    assert_eq!(
        error.column,
        1_000_000 + ".entry k() { .reg .b32 a;  add.u32 a, a, ".len() + 1
    );
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[1].trim_start().starts_with("...") && lines[1].ends_with("..."));
    let caret = lines[2].find('^').unwrap();
    assert!(lines[1][caret..].starts_with("b; "), "{said}");
    // The name takes the whole line.
    let name = "x".repeat(1 << 20);
    let said = self::error(&format!("{HEAD}{name}")).to_string();
    assert!(said.len() < 1000, "{}", said.len());
    let said = self::error(&format!(
        "{HEAD}.entry k() {{ .reg .b32 a; mov.u32 a, {name}; ret; }}"
    ));
    let said = said.to_string();
    assert!(
        said.len() < 1000 && said.contains("is not declared"),
        "{said}"
    );
    // The instruction of a fault is shortened too.
    let text =
        format!("{HEAD}.entry k() {{ .reg .b64 a; mov.u64 a, 0; ld.u8 {pad} a, [a]; ret; }}");
    let bench = Bench::new(&text);
    let said = bench.fault("k", 1, 1, &[]).to_string();
    assert!(said.len() < 2000, "{}", said.len());
}

/// Checks that versions of the PTX ISA that do not exist yet are refused, with a list of the known
/// ones.
#[test]
fn versions_that_are_not_known_are_refused() {
    for version in ["99.9", "10.0", "9.6", "0.9"] {
        let text =
            format!(".version {version}\n.target sm_80\n.address_size 64\n.entry k() {{ ret; }}");
        let said = error(&text).to_string();
        assert!(said.contains("from 1.0 to 9.5"), "{said}");
    }
    let text = ".version 9.5\n.target sm_80\n.address_size 64\n.entry k() { ret; }";
    assert!(Program::parse(text).is_ok());
}

/// Checks that an unknown special register excludes the kernels that read it, and no others.
#[test]
fn an_unknown_special_register_condemns_its_kernel() {
    let text = format!(
        "{HEAD}.entry k() {{ .reg .pred p; mov.pred p, %is_new_kind; ret; }}\n\
         .entry guarded() {{ @%is_new_kind bra L; L: ret; }}\n.entry other() {{ ret; }}"
    );
    let program = Program::parse(&text).unwrap();
    for kernel in ["k", "guarded"] {
        let said = program.not_emulated(kernel).unwrap().to_string();
        assert!(
            said.contains("`%is_new_kind` is not declared, and is no special register"),
            "{said}"
        );
    }
    assert_eq!(program.not_emulated("other"), None);
}
