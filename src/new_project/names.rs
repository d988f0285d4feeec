//! The names that a new package may have.
//!
//! ```text
//!   a name ─► letters, digits, `-`, `_` ─► Rust's keywords ─► cargo's ─► the standard library's ─► this project's own
//! ```
//!
//! Law: a project with a name that passes compiles as written. The name, with `-` as `_`, is the
//! crate's name in every path of the project, so that a name with which a path cannot begin, or
//! which would hide a name that the project uses, is refused.
//!
//! Source: The Rust Reference, "Keywords" and "Names, Preludes"; cargo's rules for `cargo new`
//! (reserved and restricted names).

/// A class of names that are taken, with a text that describes the class.
struct Taken {
    names: &'static [&'static str],
    what: &'static str,
}

const TAKEN: [Taken; 8] = [
    Taken {
        names: &[
            "as", "break", "const", "continue", "crate", "else", "enum", "extern", "false", "fn",
            "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref",
            "return", "self", "Self", "static", "struct", "super", "trait", "true", "type",
            "unsafe", "use", "where", "while", "async", "await", "dyn",
        ],
        what: "a keyword of Rust",
    },
    Taken {
        names: &[
            "abstract", "become", "box", "do", "final", "gen", "macro", "override", "priv", "try",
            "typeof", "unsized", "virtual", "yield",
        ],
        what: "a word that Rust reserves",
    },
    Taken {
        names: &[
            "bool", "char", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
            "u64", "u128", "usize", "f16", "f32", "f64", "f128", "Box", "Option", "Result",
            "String", "Vec",
        ],
        what: "a type of Rust, which the package would hide",
    },
    Taken {
        names: &[
            "std",
            "core",
            "alloc",
            "proc_macro",
            "test",
            "compiler_builtins",
            "panic_abort",
            "panic_unwind",
            "std_detect",
            "unwind",
        ],
        what: "a crate of Rust's standard library",
    },
    Taken {
        names: &["build", "deps", "examples", "incremental"],
        what: "a folder that cargo builds into",
    },
    Taken {
        names: &[
            "aux", "con", "nul", "prn", "com0", "com1", "com2", "com3", "com4", "com5", "com6",
            "com7", "com8", "com9", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7",
            "lpt8", "lpt9",
        ],
        what: "a device of Windows, where no folder can have the name",
    },
    Taken {
        names: &[
            "cuda_builder",
            "cuda_driver",
            "cuda_std",
            "cuda_std_macros",
            "emulator",
            "explorer",
            "gpu_kernels",
            "gpu_kernels_sm90",
            "half",
            "host",
            "kernel_abi",
            "layout_types",
            "layout_types_macros",
            "notation",
            "pictures",
        ],
        what: "a library that projects use",
    },
    Taken {
        names: &["kernels"],
        what: "what the project calls its kernels' crate",
    },
];

/// Returns a sentence about why `name` cannot name the package, or `None` if it can.
pub(super) fn refusal(name: &str) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(fits) {
        return Some(format!(
            "`{name}` cannot name a package: a letter first, then letters, digits, `-` and `_`"
        ));
    }
    let in_paths = name.replace('-', "_");
    if in_paths == "cutlet" || in_paths.starts_with("cutlet_") {
        return Some(format!(
            "`{name}` cannot name a package: `cutlet` and `cutlet-...` are this project's own; another one, such as `my-{name}`, can"
        ));
    }
    let devices = "a device of Windows";
    let taken = TAKEN.iter().find(|taken| {
        taken.names.iter().any(|taken_name| {
            *taken_name == in_paths
                || (taken.what.starts_with(devices) && taken_name.eq_ignore_ascii_case(name))
        })
    })?;
    Some(format!(
        "`{name}` cannot name a package: it is {}; another one, such as `my-{}`, can",
        taken.what,
        name.to_ascii_lowercase()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cannot_compile_are_refused() {
        for (name, what) in [
            ("fn", "a keyword"),
            ("self", "a keyword"),
            ("Self", "a keyword"),
            ("gen", "reserves"),
            ("std", "standard library"),
            ("core", "standard library"),
            ("test", "standard library"),
            ("proc-macro", "standard library"),
            ("u32", "a type of Rust"),
            ("deps", "cargo"),
            ("NUL", "Windows"),
            ("host", "a library that projects use"),
            ("layout-types", "a library that projects use"),
            ("half", "a library that projects use"),
            ("cutlet", "this project's own"),
            ("cutlet-host", "this project's own"),
            ("cuda_std", "a library that projects use"),
            ("kernels", "its kernels' crate"),
            ("", "a letter first"),
            ("9x", "a letter first"),
            ("_", "a letter first"),
            ("a.b", "a letter first"),
        ] {
            let said = refusal(name).unwrap_or_default();
            assert!(said.contains(what), "{name}: {said}");
        }
        for name in [
            "my-kernels",
            "fn-kernels",
            "std2",
            "Kernels",
            "transpose",
            "x",
        ] {
            assert_eq!(refusal(name), None, "{name}");
        }
        for taken in &TAKEN {
            for name in taken.names {
                assert!(refusal(name).is_some(), "{name}");
                assert_eq!(refusal(&format!("my-{name}")), None, "{name}");
            }
        }
    }
}
