//! Makes the files from the seed: the cases that the mirror admits, and a sample of the cases that
//! it refuses.
//!
//! ```text
//!   operations, seed  ──►  cases/<operation>.rs                      admitted: compiled into the test
//!                     └─►  fixtures/refused/src/lib.rs, a line each  refused: every line must be an error
//! ```

use super::operations::{Gave, Kind, OPERATIONS, draw, mirror};
use super::random::{Random, SMALL};
use layout_types::dynamic::rank;
use std::collections::{BTreeMap, BTreeSet};

/// The macro that makes the type of a swizzled layout from its printed form.
const SWIZZLED: &str = "macro_rules! swizzled {
    (Sw<$b:literal, $m:literal, $s:literal> o 0 o $($layout:tt)*) => {
        Composition<Swizzle<$b, $m, $s>, layout!($($layout)*)>
    };
    (Sw<$b:literal, $m:literal, $s:literal> o $offset:literal o $($layout:tt)*) => {
        ComposedLayout<Swizzle<$b, $m, $s>, int!($offset), layout!($($layout)*)>
    };
}
";

/// The number of cases that each line of the list of operations gives.
const ADMITTED: usize = 24;
const REFUSED: usize = 5;
/// One of this many cases of an operation is compiled without the feature `all-cases`.
const SAMPLE: usize = 4;
/// The largest number of times that operands are drawn for a line's cases.
const DRAWS: usize = 6000;
/// The largest number of elements of a table that is compared.
const LARGEST: i64 = 4096;

/// The content of the files.
#[derive(Default)]
pub struct Files {
    /// The admitted cases of each operation.
    pub cases: BTreeMap<&'static str, Vec<String>>,
    /// The refused cases, with the mirror's reason.
    pub refused: Vec<(String, String)>,
}

/// Writes a case as a macro call: `Upcast(layout!((8,4):(1,8)), int!(4))`.
fn case(operation: &str, kinds: &[Kind], operands: &[String]) -> String {
    let operands: Vec<String> = kinds
        .iter()
        .zip(operands)
        .map(|(kind, text)| {
            let name = match kind {
                Kind::Layout | Kind::Signed | Kind::Levels | Kind::Steps => "layout",
                Kind::Swizzled | Kind::Ragged => "swizzled",
                Kind::Shape | Kind::Fills | Kind::Profile => "shape",
                Kind::Tile => "tile",
                Kind::Coordinate | Kind::Modes | Kind::Order => "coord",
                Kind::Int | Kind::Bits | Kind::Mode | Kind::End => "int",
            };
            format!("{name}!({text})")
        })
        .collect();
    format!("{operation}({})", operands.join(", "))
}

/// Converts an operand to the mirror's notation, in which a tuple of tilers has parentheses.
pub fn in_notation(kind: &str, text: &str) -> String {
    if kind == "tile" {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

/// Whether a case's result is small and not trivial. A layout without modes is not trivial.
fn is_telling(gave: &Gave) -> bool {
    match gave {
        Gave::Number(_) => true,
        Gave::Layout(layout) => layout
            .size()
            .is_ok_and(|size| (2..=LARGEST).contains(&size) || rank(layout) == 0),
    }
}

/// Makes all cases of the seed.
pub fn files() -> Files {
    let mut files = Files::default();
    let mut seen = BTreeSet::new();
    for (line, (operation, kinds)) in OPERATIONS.iter().enumerate() {
        // Each line has its own random numbers, so that a new operation at the end changes no other
        // operation's cases.
        let mut random = Random(0x00c0_ffee + line as u64);
        let (mut admitted, mut refused) = (0, 0);
        for _ in 0..DRAWS {
            if admitted == ADMITTED && refused == REFUSED {
                break;
            }
            let drawn = draw(&mut random, kinds, SMALL);
            let operands: Vec<String> = kinds
                .iter()
                .zip(&drawn)
                .map(|(kind, text)| {
                    in_notation(if *kind == Kind::Tile { "tile" } else { "" }, text)
                })
                .collect();
            let text = case(operation, kinds, &drawn);
            match mirror(operation, &operands) {
                Ok(gave)
                    if admitted < ADMITTED && is_telling(&gave) && seen.insert(text.clone()) =>
                {
                    admitted += 1;
                    files.cases.entry(operation).or_default().push(text);
                }
                Err(why) if refused < REFUSED && seen.insert(text.clone()) => {
                    refused += 1;
                    files.refused.push((text, why));
                }
                _ => {}
            }
        }
    }
    files
}

/// Converts an operation's name to a module's: `TileToShape` to `tile_to_shape`.
pub fn module(operation: &str) -> String {
    let mut name = String::new();
    for (i, c) in operation.chars().enumerate() {
        if i > 0 && c.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

impl Files {
    /// Returns the path below `tests`, and the text, of each file.
    pub fn texts(&self) -> Vec<(String, String)> {
        let written = "// Written by `generated.rs`.\n";
        let mut texts: Vec<(String, String)> = self
            .cases
            .iter()
            .map(|(operation, cases)| {
                let line = |(number, case)| match number % SAMPLE {
                    0 => format!("    {case};\n"),
                    _ => format!("    #[cfg(feature = \"all-cases\")]\n    {case};\n"),
                };
                let lines: String = cases.iter().enumerate().map(line).collect();
                (
                    format!("generated/cases/{}.rs", module(operation)),
                    format!(
                        "{written}use super::*;\n\npub const CASES: &[Case] = cases![\n{lines}];\n"
                    ),
                )
            })
            .collect();
        let mut modules = String::from(written);
        modules.push_str("use super::case::*;\n\n");
        let names: Vec<String> = self
            .cases
            .keys()
            .map(|operation| module(operation))
            .collect();
        for name in &names {
            modules.push_str(&format!("mod {name};\n"));
        }
        modules.push_str("\n/// The cases of every operation.\npub const ALL: &[&[Case]] = &[\n");
        for name in &names {
            modules.push_str(&format!("    {name}::CASES,\n"));
        }
        modules.push_str("];\n");
        texts.push(("generated/cases/mod.rs".to_owned(), modules));
        let mut refused = format!(
            "{written}//! Operations that the mirror refuses, one a line: each line must be an error.\n\nuse layout_types::prelude::*;\n\n{SWIZZLED}\n"
        );
        for (i, (case, _)) in self.refused.iter().enumerate() {
            let (operation, operands) = case.split_once('(').expect("operands");
            let operands = operands.strip_suffix(')').expect("operands");
            refused.push_str(&format!("pub fn r{i}(_: {operation}<{operands}>) {{}}\n"));
        }
        texts.push(("fixtures/refused/src/lib.rs".to_owned(), refused));
        texts
    }
}
