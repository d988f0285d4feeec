//! The crate attributes that a kernel crate gets without writing them.
//!
//! Kernel crates written for upstream (Rust-CUDA) have neither `#![no_std]` nor feature gates.
//! Kernel crates that are also compiled for the host often have both, in a `cfg_attr`. rustc
//! refuses a feature that is enabled twice and warns of a second `no_std`, so attributes that the
//! crate already has are not added.
//!
//! Law: with [`missing`] added by `-Zcrate-attr`, each of [`WANTED`] is in force exactly once.
//!
//! ```text
//! #![cfg_attr(target_arch = "nvptx64", no_std)]     has no_std: the 3 features are added
//! use cuda_std::prelude::*;                         has nothing: all are added
//! ```

use crate::toolchain::TARGET;

/// `no_std`, and the features that the expansions of `#[kernel]` and inline PTX need.
const WANTED: [&str; 4] = [
    "no_std",
    "abi_ptx",
    "asm_experimental_arch",
    "stdarch_nvptx",
];

/// Returns the attributes of [`WANTED`] that the crate root `source` does not have, ready for
/// `-Zcrate-attr`.
pub(crate) fn missing(source: &str) -> Vec<String> {
    let mut present = Vec::new();
    for attribute in inner_attributes(source) {
        collect(&attribute, &mut present);
    }
    WANTED
        .iter()
        .filter(|wanted| !present.iter().any(|p| p == *wanted))
        .map(|wanted| match *wanted {
            "no_std" => "no_std".to_owned(),
            feature => format!("feature({feature})"),
        })
        .collect()
}

/// Returns whether the crate root `source` states a recursion limit, which a second attribute would
/// not replace.
pub(crate) fn has_recursion_limit(source: &str) -> bool {
    inner_attributes(source)
        .iter()
        .any(|attribute| attribute.trim_start().starts_with("recursion_limit"))
}

/// Returns the contents of the `#![...]` at the top of `source`, without comments and blanks.
fn inner_attributes(source: &str) -> Vec<String> {
    let mut rest = source.strip_prefix('\u{feff}').unwrap_or(source);
    if rest.starts_with("#!") && !rest[2..].trim_start().starts_with('[') {
        rest = rest.split_once('\n').map_or("", |(_, after)| after);
    }
    let mut found = Vec::new();
    loop {
        rest = skip_blank(rest);
        let Some(open) = rest
            .strip_prefix('#')
            .and_then(|r| skip_blank(r).strip_prefix('!'))
            .and_then(|r| skip_blank(r).strip_prefix('['))
        else {
            return found;
        };
        let (text, after) = bracketed(open);
        found.push(text);
        rest = after;
    }
}

/// Returns `text` without its leading white space and comments.
fn skip_blank(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        if text.starts_with("//") {
            text = text.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(inside) = text.strip_prefix("/*") {
            text = skip_comment(inside);
        } else {
            return text;
        }
    }
}

/// Returns the text after a block comment, which may contain nested comments.
fn skip_comment(mut text: &str) -> &str {
    let mut depth = 1;
    while depth > 0 {
        let Some(at) = text.find(['*', '/']) else {
            return "";
        };
        if text[at..].starts_with("*/") {
            depth -= 1;
            text = &text[at + 2..];
        } else if text[at..].starts_with("/*") {
            depth += 1;
            text = &text[at + 2..];
        } else {
            text = &text[at + 1..];
        }
    }
    text
}

/// Returns the text up to the bracket that closes an open `[`, and the text after that bracket.
fn bracketed(mut rest: &str) -> (String, &str) {
    let mut text = String::new();
    let mut depth = 1;
    loop {
        let blank = skip_blank(rest);
        if blank.len() < rest.len() {
            text.push(' ');
            rest = blank;
        }
        let Some(c) = rest.chars().next() else {
            return (text, "");
        };
        if c == '"' {
            let end = string_end(rest);
            text.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (text, rest);
        }
        text.push(c);
    }
}

/// Returns the length of the string literal at the start of `text`.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Adds the attributes that `attribute` enables to `present`: `no_std`, the names in
/// `feature(...)`, and the attributes in a `cfg_attr` whose condition holds for the kernel build.
fn collect(attribute: &str, present: &mut Vec<String>) {
    let (name, arguments) = call(attribute);
    match name {
        "no_std" => present.push("no_std".into()),
        "feature" => present.extend(split(arguments).into_iter().map(str::to_owned)),
        "cfg_attr" => {
            if let Some((condition, attributes)) = split(arguments).split_first()
                && holds(condition)
            {
                for attribute in attributes {
                    collect(attribute, present);
                }
            }
        }
        _ => {}
    }
}

/// Splits `name(arguments)` into the name and the arguments, which are empty if `text` has no
/// parenthesis.
fn call(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once('(') {
        Some((name, rest)) => (
            name.trim(),
            rest.trim_end().strip_suffix(')').unwrap_or(rest),
        ),
        None => (text, ""),
    }
}

/// Returns the parts of `text` between commas outside parentheses and strings.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut skip_to) = (0, 0, 0);
    for (at, c) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '"' => skip_to = at + string_end(&text[at..]),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns whether a `cfg` condition holds when the kernels are compiled. A condition that is not
/// about the target (a feature of the crate, a separate `--cfg`) is assumed not to hold.
fn holds(condition: &str) -> bool {
    let (name, arguments) = call(condition);
    match name {
        "all" => split(arguments).into_iter().all(holds),
        "any" => split(arguments).into_iter().any(holds),
        "not" => !holds(arguments),
        _ => {
            let Some((key, value)) = condition.split_once('=') else {
                return false;
            };
            let value = value.trim().trim_matches('"');
            match key.trim() {
                "target_arch" => value == "nvptx64",
                "target_os" => value == "cuda",
                "target_vendor" => value == "nvidia",
                "target_pointer_width" => value == "64",
                "target_endian" => value == "little",
                "panic" => value == "abort",
                "target" => value == TARGET,
                _ => false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &str =
        "no_std feature(abi_ptx) feature(asm_experimental_arch) feature(stdarch_nvptx)";

    fn added(source: &str) -> String {
        missing(source).join(" ")
    }

    #[test]
    fn a_crate_without_attributes_gets_all() {
        for source in [
            "",
            "use cuda_std::prelude::*;\n#[kernel] pub unsafe fn f() {}",
            "//! #![no_std] in documentation\n/* #![no_std] /* nested */ */ fn f() {}",
            "#![allow(dead_code)]\n#![doc = \"#![no_std] ] #![feature(abi_ptx)]\"]",
            "#[no_std] mod m { #![feature(abi_ptx)] }",
            "#!/usr/bin/env script\nfn f() {}",
            "#![cfg_attr(test, no_std)]",
            "#![cfg_attr(not(target_arch = \"nvptx64\"), feature(abi_ptx))]",
            "#![cfg_attr(any(test, all(target_os = \"cuda\", windows)), no_std)]",
        ] {
            assert_eq!(added(source), ALL, "{source}");
        }
    }

    #[test]
    fn what_the_crate_has_is_not_added_again() {
        for source in [
            "#![no_std]",
            "\u{feff}# ! [ no_std ]",
            "//! docs\n\n/* c */ #![warn(missing_docs)]\n#![no_std] // yes\nfn f() {}",
            "#![cfg_attr(target_arch = \"nvptx64\", no_std)]",
            "#![cfg_attr(not(test), no_std)]",
            "#![cfg_attr(all(target_os = \"cuda\", not(miri)), deny(x), no_std)]",
            "#![doc = \"a ] \\\" b\"]#![no_std]",
        ] {
            assert_eq!(added(source), ALL.replace("no_std ", ""), "{source}");
        }
        assert_eq!(
            added("#![feature(abi_ptx, /* , */ stdarch_nvptx,\n other)]"),
            "no_std feature(asm_experimental_arch)"
        );
        assert_eq!(
            added(
                "#![cfg_attr(target_arch = \"nvptx64\", no_std, \
                 feature(abi_ptx, asm_experimental_arch), feature(stdarch_nvptx))]"
            ),
            ""
        );
    }

    #[test]
    fn a_recursion_limit_is_found_where_the_crate_states_one() {
        assert!(has_recursion_limit(
            "//! d\n#![no_std]\n#![recursion_limit = \"512\"]"
        ));
        assert!(!has_recursion_limit(
            "//! #![recursion_limit = \"512\"]\n#![no_std]"
        ));
    }

    #[test]
    fn unfinished_source_is_left_to_rustc() {
        for source in [
            "#![",
            "#![no_std",
            "/* no end",
            "#![doc = \"no end",
            "#!",
            "#",
        ] {
            missing(source);
        }
    }
}
