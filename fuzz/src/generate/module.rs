//! Modules of PTX: variables with initial values, functions, kernels.

use super::body::Body;
use super::source::Source;
use std::fmt::Write as _;

/// A parameter of a generated kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameter {
    /// The address of a buffer.
    Pointer,
    /// A number of 32 bits.
    Word,
    /// An array with this number of bytes.
    Bytes(u64),
}

/// A kernel of a generated module.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    pub parameters: Vec<Parameter>,
}

/// A variable that bodies use: its name, its size in bytes if that is small, and its state space.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub bytes: u64,
    pub space: &'static str,
}

/// A generated module.
#[derive(Clone, Debug)]
pub struct Module {
    pub text: String,
    pub kernels: Vec<Kernel>,
}

const TYPES: [(&str, u64); 12] = [
    ("b8", 1),
    ("u32", 4),
    ("f32", 4),
    ("u64", 8),
    ("f64", 8),
    ("b16", 2),
    ("s32", 4),
    ("b32", 4),
    ("b64", 8),
    ("u8", 1),
    ("f16", 2),
    ("s16", 2),
];

/// Returns the module that the choices make.
pub fn module(s: &mut Source) -> Module {
    let target = if s.rarely(16) { "sm_80" } else { "sm_90" };
    let mut text = format!(".version 8.7\n.target {target}\n.address_size 64\n");
    text += ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n";
    text += ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 p);\n";
    text += ".global .align 1 .b8 format[16] = {120, 32, 37, 100, 32, 37, 53, 102, 10};\n";
    let mut variables = Vec::new();
    for i in 0..s.below(4) {
        let space = s.of(&["global", "shared", "const", "shared"]);
        let (declaration, variable) = variable(s, space, &format!("{space}{i}"));
        text += &declaration;
        variables.push(variable);
    }
    if s.below(2) == 1 {
        let align = s.of(&[16, 4, 128, 1]);
        let _ = writeln!(text, ".extern .shared .align {align} .b8 dynamic[];");
        variables.push(Variable {
            name: "dynamic".into(),
            bytes: 4096,
            space: "shared",
        });
    }
    let functions = s.below(3);
    for i in 0..functions {
        let _ = writeln!(
            text,
            ".func (.param .b32 out) f{i} (.param .b32 a, .param .b64 b);"
        );
    }
    for i in 0..functions {
        let mut body = Body::new(&variables, functions);
        body.text
            .push_str("ld.param.u32 %r1, [a]; ld.param.u64 %d1, [b];\n");
        body.statements(s, 0);
        let _ = writeln!(
            text,
            ".func (.param .b32 out) f{i} (.param .b32 a, .param .b64 b)\n{{\n{}st.param.b32 [out], %r2; ret;\n}}",
            body.finish(),
        );
    }
    let kernels = (0..1 + s.below(2)).map(|i| kernel(s, i, &variables, functions, &mut text));
    let kernels = kernels.collect();
    Module { text, kernels }
}

fn kernel(
    s: &mut Source,
    index: usize,
    variables: &[Variable],
    functions: usize,
    text: &mut String,
) -> Kernel {
    let parameters: Vec<Parameter> = (0..s.below(5))
        .map(|_| match s.below(8) {
            0..=4 => Parameter::Pointer,
            5 | 6 => Parameter::Word,
            _ => Parameter::Bytes(s.size()),
        })
        .collect();
    let mut body = Body::new(variables, functions);
    let mut list = Vec::new();
    for (i, parameter) in parameters.iter().enumerate() {
        match parameter {
            Parameter::Pointer => {
                list.push(format!(".param .u64 p{i}"));
                let _ = writeln!(body.text, "ld.param.u64 %d{}, [p{i}];", i + 1);
                if s.below(2) == 1 {
                    let _ = writeln!(body.text, "cvta.to.global.u64 %d{0}, %d{0};", i + 1);
                }
                body.pointers.push(i + 1);
            }
            Parameter::Word => {
                list.push(format!(".param .u32 p{i}"));
                let _ = writeln!(body.text, "ld.param.u32 %r{}, [p{i}];", i + 1);
            }
            Parameter::Bytes(bytes) => list.push(format!(".param .align 8 .b8 p{i}[{bytes}]")),
        }
    }
    let directive = match s.below(16) {
        14 => format!(".maxntid {}, 1, 1 ", s.size()),
        15 => format!(".reqntid {}, {}, 1 ", 1 + s.below(64), 1 + s.below(2)),
        _ => String::new(),
    };
    body.statements(s, 0);
    let name = format!("k{index}");
    let _ = writeln!(
        text,
        ".visible .entry {name}({})\n{directive}{{\n{}ret;\n}}",
        list.join(", "),
        body.finish(),
    );
    Kernel { name, parameters }
}

/// Returns a declaration in a state space, with an initial value if the space allows it.
fn variable(s: &mut Source, space: &'static str, name: &str) -> (String, Variable) {
    let (ty, bytes) = s.of(&TYPES);
    let (vector, lanes) = s.of(&[("", 1), ("", 1), ("", 1), (".v2 ", 2), (".v4 ", 4)]);
    let align = match s.below(4) {
        0 => String::new(),
        1 => ".align 16 ".into(),
        2 => ".align 4 ".into(),
        _ => format!(".align {} ", s.size()),
    };
    let extents: Vec<u64> = (0..s.below(3)).map(|_| s.size()).collect();
    let open = space == "global" && !extents.is_empty() && s.rarely(32);
    let mut text = format!(".{space} {align}{vector}.{ty} {name}");
    for (i, extent) in extents.iter().enumerate() {
        match (i, open) {
            (0, true) => text += "[]",
            _ => write!(text, "[{extent}]").unwrap_or_default(),
        }
    }
    if (space != "shared" || s.rarely(8)) && (open || s.below(2) == 1) {
        text += " = ";
        initial(s, &extents, lanes, ty.starts_with('f'), 0, &mut text);
    }
    text += ";\n";
    let size = extents
        .iter()
        .fold(bytes * lanes, |size, &extent| size.saturating_mul(extent));
    let variable = Variable {
        name: name.to_owned(),
        bytes: size,
        space,
    };
    (text, variable)
}

/// Writes an initial value: a list for each extent, which does not always have the right length.
fn initial(
    s: &mut Source,
    extents: &[u64],
    lanes: u64,
    float: bool,
    depth: usize,
    text: &mut String,
) {
    let vector = [lanes];
    let (extent, inner) = match extents.split_first() {
        Some((&extent, inner)) => (extent, inner),
        None if lanes > 1 && depth < 9 => (vector[0], &[][..]),
        None => {
            *text += match (float, s.below(4)) {
                (true, 0) => "0f3F800000",
                (true, _) => "1.5",
                (false, 0) => "0",
                (false, 1) => "-1",
                (false, 2) if s.rarely(64) => "generic(format)",
                _ => "77",
            };
            return;
        }
    };
    let lanes = if extents.is_empty() { 1 } else { lanes };
    let most = extent.min(6) as usize + usize::from(s.rarely(4));
    text.push('{');
    for i in 0..s.below(most + 1).max(1) {
        if i > 0 {
            *text += ", ";
        }
        initial(s, inner, lanes, float, depth + 1, text);
    }
    text.push('}');
}
