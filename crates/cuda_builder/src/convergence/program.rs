//! Parses a kernel into statements for the check.
//!
//! ```text
//!   @!%p1 bra $L1;      { name: "bra", guard: "%p1", writes: [], reads: ["$L1"] }
//!   { .reg .pred p; setp.ne.b32 p, %r1, 0; }      p becomes p#1, its name in the first block in braces
//! ```
//!
//! Law: statements are in the order of the PTX. A label is a separate statement, and the call of a
//! `.noreturn` function is a `trap`.
//!
//! Source: PTX ISA, *Syntax: Statements*.

use std::collections::HashSet;

/// One instruction, or one label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// The instruction with its qualifiers, or an empty string for a label.
    pub name: String,
    /// The name of the label, if the statement is a label.
    pub label: Option<String>,
    /// The predicate under which the instruction is executed.
    pub guard: Option<String>,
    /// The registers of the first operand, if it is a result.
    pub writes: Vec<String>,
    /// The words of the other operands: registers, numbers, labels.
    pub reads: Vec<String>,
    /// The line, counted from 1.
    pub line: usize,
}

/// A function's body.
#[derive(Debug)]
pub(crate) struct Program {
    /// The function's name.
    pub name: String,
    /// The function's statements.
    pub statements: Vec<Statement>,
}

impl Program {
    /// Returns the bodies of a module.
    pub fn read(ptx: &str) -> Vec<Self> {
        let mut programs: Vec<Self> = Vec::new();
        // The name in the function head that is being read, until the body begins.
        let mut head: Option<String> = None;
        // The function that was named last, and the functions that never return, which are declared
        // before they are called.
        let (mut named, mut endless) = (String::new(), HashSet::new());
        let (mut scopes, mut blocks): (Vec<Scope>, usize) = (Vec::new(), 0);
        for (number, line) in ptx.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if scopes.is_empty()
                && let Some(name) = name_of(code)
            {
                named.clone_from(&name);
                head = Some(name);
            }
            if scopes.is_empty() && code.trim_start().starts_with(".noreturn") {
                endless.insert(named.clone());
            }
            let mut text = String::new();
            for c in code.chars() {
                match c {
                    // The brace begins a list of registers within an instruction, not a block.
                    '{' if !text.trim().is_empty() => text.push(c),
                    '}' if text.contains('{') && !closed(&text) => text.push(c),
                    '{' => {
                        if scopes.is_empty()
                            && let Some(name) = head.take()
                        {
                            programs.push(Self {
                                name,
                                statements: Vec::new(),
                            });
                        }
                        blocks += 1;
                        scopes.push(Scope {
                            number: blocks,
                            names: Vec::new(),
                        });
                    }
                    '}' => {
                        scopes.pop();
                        text.clear();
                    }
                    ';' | ':' if c == ';' || is_label(&text) => {
                        if let Some(program) = programs.last_mut().filter(|_| !scopes.is_empty()) {
                            let text = text.trim();
                            if c == ':' {
                                program.statements.push(label(text, number + 1));
                            } else {
                                let mut one = statement(text, number + 1, &mut scopes);
                                // A call that panics counts as a trap.
                                if let Some(one) =
                                    one.as_mut().filter(|one| one.name.starts_with("call"))
                                    && words(text).any(|word| endless.contains(word))
                                {
                                    one.name = "trap".to_owned();
                                }
                                program.statements.extend(one);
                            }
                        }
                        text.clear();
                    }
                    _ => text.push(c),
                }
            }
        }
        programs
    }
}

/// Whether the text has as many closing braces as opening braces.
fn closed(text: &str) -> bool {
    text.matches('{').count() == text.matches('}').count()
}

/// Whether the text is a label, and not part of an instruction such as `shared::cta`.
fn is_label(text: &str) -> bool {
    let text = text.trim();
    let name = |c: char| c.is_ascii_alphanumeric() || ['$', '_', '%'].contains(&c);
    !text.is_empty() && text.chars().all(name)
}

/// A block in braces, with the names that it declares.
struct Scope {
    number: usize,
    names: Vec<String>,
}

/// Returns the name of the function whose head begins on a line, or `None` if no head begins there.
fn name_of(code: &str) -> Option<String> {
    let (_, rest) = (code.split_once(".entry ")).or_else(|| code.split_once(".func "))?;
    // A function's result comes first: `.func (.param .b32 r) name(..)`.
    let rest = match rest.trim_start().strip_prefix('(') {
        Some(result) => result.split_once(')')?.1,
        None => rest,
    };
    let name = rest.split('(').next()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn label(text: &str, line: usize) -> Statement {
    Statement {
        name: String::new(),
        label: Some(text.to_owned()),
        guard: None,
        writes: Vec::new(),
        reads: Vec::new(),
        line,
    }
}

/// Returns the words of an operand: registers, numbers, names.
fn words(operand: &str) -> impl Iterator<Item = &str> {
    let between = |c: char| {
        c.is_whitespace() || ['{', '}', '[', ']', ',', '|', '+', '!', '(', ')'].contains(&c)
    };
    operand.split(between).filter(|word| !word.is_empty())
}

fn statement(text: &str, line: usize, scopes: &mut [Scope]) -> Option<Statement> {
    if let Some(declared) = text.strip_prefix(".reg") {
        // `.reg .b32 %r<20>` declares names that no other block declares. Names such as in
        // `.reg .pred p, q` may be declared again in other blocks.
        if let Some(scope) = scopes.last_mut().filter(|_| !declared.contains('<')) {
            let names = words(declared).filter(|word| !word.starts_with('.'));
            scope.names.extend(names.map(str::to_owned));
        }
        return None;
    }
    let own = |word: &str| -> String {
        let scope = (scopes.iter().rev()).find(|scope| scope.names.iter().any(|name| name == word));
        scope.map_or_else(
            || word.to_owned(),
            |scope| format!("{word}#{}", scope.number),
        )
    };
    let (guard, text) = match text.strip_prefix('@') {
        Some(rest) => {
            let (guard, rest) = rest.split_once(char::is_whitespace)?;
            (Some(own(guard.trim_start_matches('!'))), rest.trim_start())
        }
        None => (None, text),
    };
    let (name, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if name.is_empty() || name.starts_with('.') {
        return None;
    }
    let operands = operands.trim();
    // The first operand ends at the first comma outside brackets.
    let mut depth = 0;
    let end = operands.find(|c| {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    let (first, rest) = operands.split_at(end.unwrap_or(operands.len()));
    let is_written = !first.starts_with('[') && has_result(name);
    let (writes, reads) = if is_written {
        (first, rest)
    } else {
        ("", operands)
    };
    Some(Statement {
        name: name.to_owned(),
        label: None,
        guard,
        writes: words(writes).map(own).collect(),
        reads: words(reads).map(own).collect(),
        line,
    })
}

/// Whether the first operand is a result.
fn has_result(name: &str) -> bool {
    let none = [
        "st.",
        "bra",
        "bar.sync",
        "bar.arrive",
        "bar.warp.sync",
        "barrier.sync",
        "barrier.arrive",
        "setmaxnreg.",
        "nanosleep.",
        "ret",
        "exit",
        "wgmma.wait_group",
        "cp.async.wait_group",
        "cp.async.bulk.wait_group",
        "red.",
    ];
    !none.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_their_results_operands_and_guards() {
        let ptx = ".visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n.reg .b32 %r<3>;\n$L0: // comment\n\
                   @!%p1 bra.uni $L0; wgmma.mma_async.x {%r1, %r2}, %rd1, p, 1;\n\
                   mbarrier.init.shared::cta.b64 [%r1+8], %r2;\nsetp.eq.b32 %p1|%p2, %r1, -1;\n}\n.func (.param .b32 o) f()\n{\nret;\n}\n";
        let programs = Program::read(ptx);
        let names: Vec<_> = programs.iter().map(|program| &*program.name).collect();
        assert_eq!(names, ["k", "f"]);
        let all: Vec<_> = (programs[0].statements.iter())
            .map(|s| {
                (
                    &*s.name,
                    s.guard.as_deref(),
                    s.writes.join(" "),
                    s.reads.join(" "),
                    s.line,
                )
            })
            .collect();
        let text = str::to_owned;
        assert_eq!(
            all,
            [
                ("", None, text(""), text(""), 6),
                ("bra.uni", Some("%p1"), text(""), text("$L0"), 7),
                (
                    "wgmma.mma_async.x",
                    None,
                    text("%r1 %r2"),
                    text("%rd1 p 1"),
                    7
                ),
                (
                    "mbarrier.init.shared::cta.b64",
                    None,
                    text(""),
                    text("%r1 8 %r2"),
                    8
                ),
                ("setp.eq.b32", None, text("%p1 %p2"), text("%r1 -1"), 9),
            ]
        );
        assert_eq!(programs[0].statements[0].label.as_deref(), Some("$L0"));
    }
}
