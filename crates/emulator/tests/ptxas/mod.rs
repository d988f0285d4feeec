//! Checks which instructions ptxas accepts and which it refuses, one by one.
//!
//! ```text
//! + atom.add.release.gpu.u32 %r1,[%d1],%r2;      ptxas takes it, and so must the reader
//! - mad.sat.hi.s32 %r1,%r2,%r3,%r4;              ptxas refuses it, and so must the reader
//! ```
//!
//! Law: a line's verdict is that of ptxas 13.0.88 for the instruction in `module`, with
//! `-arch=sm_90 -O0`, and for `sm_90a.txt` with `-arch=sm_90a`.

use emulator::Program;

/// Writes a kernel with registers of every type around an instruction.
pub fn module(target: &str, instruction: &str) -> String {
    format!(
        ".version 9.0\n.target {target}\n.address_size 64\n\
         .global .align 16 .b8 g[1024];\n.const .align 16 .b8 c[1024];\n.shared .align 16 .b8 s[1024];\n\
         .visible .entry k(.param .u64 p0) {{\n\
         .reg .pred %p<8>; .reg .b8 %c<8>; .reg .b16 %h<8>; .reg .b32 %r<40>; .reg .b64 %d<12>; .reg .f32 %f<12>;\n\
         .reg .f64 %g<12>; .reg .u16 %uh<8>; .reg .s16 %sh<8>; .reg .u32 %ur<8>; .reg .s32 %sr<8>; .reg .u64 %ud<8>;\n\
         .reg .s64 %sd<8>; .reg .f16 %hf<8>; .reg .f16x2 %hx<8>; .reg .u8 %uc<8>; .reg .s8 %sc<8>;\n\
         .local .align 16 .b8 l[64];\n\
         mov.u64 %d1, g; mov.u32 %r1, s; mov.u64 %d2, s; mov.u64 %d3, l;\n\
         {instruction}\nret; }}\n"
    )
}

/// Checks whether the emulator accepts the instruction.
fn taken(target: &str, instruction: &str) -> Result<(), String> {
    let program =
        Program::parse(&module(target, instruction)).map_err(|error| error.to_string())?;
    match program.not_emulated("k") {
        Some(refusal) => Err(refusal.to_string()),
        None => Ok(()),
    }
}

/// Compares every line of a table with the emulator's verdict.
fn compare(target: &str, table: &str) {
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (verdict, instruction) = line.split_once(' ').expect("a verdict and an instruction");
        match (verdict, taken(target, instruction)) {
            ("+", Err(why)) => wrong.push(format!("ptxas takes {instruction}\n{why}")),
            ("-", Ok(())) => wrong.push(format!("ptxas refuses {instruction}")),
            _ => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn modifiers_come_in_any_order_that_ptxas_takes() {
    compare("sm_90", include_str!("orders.txt"));
}

#[test]
fn registers_are_of_the_types_that_ptxas_takes() {
    compare("sm_90", include_str!("operands.txt"));
}

#[test]
fn instructions_of_few_kernels() {
    compare("sm_90", include_str!("others.txt"));
}

#[test]
fn asynchronous_stores_tensor_maps_and_special_registers() {
    compare("sm_90a", include_str!("sm_90a.txt"));
}

/// Replaces `{%r0..127}` by the registers that it stands for.
fn whole_lists(code: &str) -> String {
    let Some((before, rest)) = code.split_once("..") else {
        return code.to_owned();
    };
    let (Some(open), Some((last, after))) = (before.rfind('{'), rest.split_once('}')) else {
        return code.to_owned();
    };
    let (name, first) = before[open + 1..].split_at(2);
    let [first, last] = [first, last].map(|number| number.parse::<u32>().unwrap());
    let all: Vec<String> = (first..=last).map(|i| format!("{name}{i}")).collect();
    let head = &before[..open];
    format!("{head}{{{}}}{}", all.join(", "), whole_lists(after))
}

/// Instructions of Blackwell that the emulator refuses by name.
const NOT_EMULATED: [&str; 12] = [
    "tcgen05.mma.ws",
    "tcgen05.mma.sp",
    "tcgen05.shift",
    "tcgen05.ld.red",
    ".ashift",
    // The scale of D.
    ", %p1, 8;",
    "cvt.rs",
    ".m16n16",
    ".m8n16",
    "mma.sync.aligned.kind",
    ".im2col::w.",
    ".im2col::w::128.",
];

/// What ptxas refuses by the target or by PTX's version alone, for which the reader does not ask.
const OF_OTHERS: [&str; 2] = ["wgmma.fence", "8.6\t+\t-sm_100a"];

/// Compares the reader with what ptxas says of Blackwell's instructions for any target: the reader
/// does not ask which target has what. `cuda_builder::requirements` is held to the same lines.
#[test]
fn instructions_that_some_target_takes_are_read() {
    let table = include_str!("../../../cuda_builder/tests/data/blackwell.txt");
    let (mut read, mut refused, mut wrong) = (0, 0, Vec::new());
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [version, has, lacks, code] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let target = has[1..]
            .split(',')
            .next()
            .filter(|target| !target.is_empty());
        let target = target.or(lacks[1..].split(',').next()).unwrap();
        let text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n\
             .visible .entry k(.param .u64 p, .param .align 64 .b8 map[128]) {{\n\
             .reg .b16 %h<8>; .reg .b32 %r<160>; .reg .b64 %d<64>; .reg .f32 %f<128>; .reg .pred %p<8>; .reg .b128 %q<4>;\n\
             {}\nret; }}\n",
            whole_lists(code)
        );
        let said = match Program::parse(&text) {
            Ok(program) => program.not_emulated("k").map(ToString::to_string),
            Err(error) => Some(error.to_string()),
        };
        if OF_OTHERS.iter().any(|part| line.contains(part)) {
            continue;
        }
        let expected = has.len() > 1 && !NOT_EMULATED.iter().any(|part| code.contains(part));
        if expected == said.is_some() {
            wrong.push(format!("{line}\n{said:?}"));
        }
        match said {
            None => read += 1,
            Some(_) => refused += 1,
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((read, refused), (119, 45));
}

/// Returns the opcodes that docs/emulator.md lists as not emulated.
fn not_emulated() -> Vec<&'static str> {
    let document = include_str!("../../../../docs/emulator.md");
    let (_, section) = document.split_once("## What is not").unwrap();
    let (_, list) = section.split_once("\n- `tcgen05.shift`").unwrap();
    let (list, _) = list.split_once("Each is an").unwrap();
    let words = list.split('`').skip(1).step_by(2);
    let opcode = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    words.filter(opcode).chain(["tcgen05.shift"]).collect()
}

/// Checks that every opcode of ptxas is executed, or is in the list of opcodes that are not.
#[test]
fn what_is_not_emulated_is_what_the_list_says() {
    let missing = not_emulated();
    let (mut wrong, mut count) = (Vec::new(), 0);
    let table = include_str!("opcodes.txt").lines();
    for line in table.filter(|line| !line.starts_with('#')) {
        let [opcode, target, instruction] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let of = |word: &&str| {
            let rest = opcode.strip_prefix(*word);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let listed = missing.iter().any(of);
        let function = ".func (.param .b32 r) f() { ret; }\n.visible .entry";
        let text = module(target, instruction)
            .replace(".visible .entry", function)
            .replace(".local", ".reg .b128 %q<2>; .local");
        let text = match instruction.contains("%q") {
            true => text,
            false => text.replace(".reg .b128 %q<2>; ", ""),
        };
        let found = Program::parse(&text).map(|program| program.not_emulated("k").cloned());
        match (found, listed) {
            (Ok(None), false) | (Ok(Some(_)), true) => {}
            (Ok(None), true) => wrong.push(format!("{opcode} is executed, and listed")),
            (Ok(Some(refusal)), false) => wrong.push(format!("{instruction}\n{refusal}")),
            (Err(error), _) => wrong.push(format!("{instruction}\n{error}")),
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(document_says(count), "{count}");
}

fn document_says(count: usize) -> bool {
    let document = include_str!("../../../../docs/emulator.md");
    document.contains(&format!("Of the {count} opcodes"))
}
