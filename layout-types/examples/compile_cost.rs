//! Measures the time and memory of `cargo check` on operations of the algebra of rank 4.
//!
//! ```text
//! cargo run --release -p cutlet-layout-types --example compile_cost            # 500 operations
//! cargo run --release -p cutlet-layout-types --example compile_cost -- 100 5   # 100, checked five times
//! cargo run --release -p cutlet-layout-types --example compile_cost -- cute > ops.cu   # the same 500 for CuTe C++
//! ```
//!
//! The operations are drawn from a seed, each with other operands. An assertion compares the size
//! of each result with the run-time mirror's, so that rustc evaluates every operation. They are in
//! a crate of their own with the default recursion limit, whose dependencies are checked before the
//! measurement. Exit status 1 means that the target is missed.

mod measure;
#[allow(dead_code)] // The tests draw more than the benchmark.
#[path = "../tests/generated/operations.rs"]
mod operations;
#[allow(dead_code)] // The tests draw more than the benchmark.
#[path = "../tests/generated/random.rs"]
mod random;

use layout_types::dynamic::{IntTuple, Nested, Stride, Tiler};
use measure::{measure, prepare};
use operations::{Gave, Kind, draw, mirror};
use random::{Limits, Random};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

/// The most time and megabytes that 500 operations may take on 2 cores.
const TARGET: (Duration, u64) = (Duration::from_secs(4), 200);

/// The operations, taken in turns: each layout and shape of four modes, tilers for up to four.
const OPERATIONS: [(&str, &[Kind]); 10] = [
    ("Composition", &[Kind::Layout, Kind::Layout]),
    ("Composition", &[Kind::Layout, Kind::Tile]),
    ("Complement", &[Kind::Layout, Kind::Int]),
    ("LogicalDivide", &[Kind::Layout, Kind::Tile]),
    ("ZippedDivide", &[Kind::Layout, Kind::Tile]),
    ("LogicalProduct", &[Kind::Layout, Kind::Layout]),
    ("BlockedProduct", &[Kind::Layout, Kind::Layout]),
    ("RightInverse", &[Kind::Layout]),
    ("Coalesce", &[Kind::Layout]),
    ("TileToShape", &[Kind::Layout, Kind::Fills]),
];

const LIMITS: Limits = Limits {
    rank: (4, 4),
    nested: false,
    size: 4096,
};

/// An operation of the benchmark.
struct Operation {
    name: &'static str,
    kinds: &'static [Kind],
    /// The operands in the mirror's notation.
    operands: Vec<String>,
    /// The size of the result.
    size: i64,
}

/// Returns `count` different operations.
fn operations(count: usize) -> Vec<Operation> {
    let mut random = Random(4);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while found.len() < count {
        let (name, kinds) = OPERATIONS[found.len() % OPERATIONS.len()];
        let mut operands = draw(&mut random, kinds, LIMITS);
        for (kind, operand) in kinds.iter().zip(&mut operands) {
            if *kind == Kind::Tile {
                *operand = format!("({operand})");
            }
        }
        // Operations with negative strides are not measured.
        if operands.iter().any(|operand| operand.contains('-')) {
            continue;
        }
        let Ok(Gave::Layout(result)) = mirror(name, &operands) else {
            continue;
        };
        let Ok(size) = result.size() else { continue };
        if size > 1 && seen.insert((name, operands.clone())) {
            found.push(Operation {
                name,
                kinds,
                operands,
                size,
            });
        }
    }
    found
}

/// Returns the source text of the operations as assertions.
fn source(count: usize) -> String {
    let mut text = String::from("use layout_types::prelude::*;\n");
    for operation in operations(count) {
        let types: Vec<String> = operation
            .kinds
            .iter()
            .zip(&operation.operands)
            .map(|(kind, operand)| match kind {
                Kind::Layout => format!("layout!({operand})"),
                Kind::Tile => format!("tile!{operand}"),
                Kind::Int => format!("int!({operand})"),
                _ => format!("shape!({operand})"),
            })
            .collect();
        let (name, size) = (operation.name, operation.size);
        let types = types.join(", ");
        writeln!(
            text,
            "const _: () = assert!(<{name}<{types}>>::SIZE == {size});"
        )
        .expect("a string");
    }
    text
}

/// Returns the source text of the same operations and assertions in CuTe C++.
fn cute_source(count: usize) -> String {
    let mut text = String::from("#include <cute/layout.hpp>\n");
    for operation in operations(count) {
        let values: Vec<String> = operation
            .operands
            .iter()
            .map(|operand| format!("{}{{}}", cute_tiler(&operand.parse().expect("a tiler"))))
            .collect();
        let mut name = String::new();
        for c in operation.name.chars() {
            if c.is_ascii_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(c.to_ascii_lowercase());
        }
        let (values, size) = (values.join(", "), operation.size);
        writeln!(
            text,
            "static_assert(decltype(cute::size(cute::{name}({values})))::value == {size});"
        )
        .expect("a string");
    }
    text
}

/// Returns a tiler as a type of CuTe.
fn cute_tiler(tiler: &Tiler) -> String {
    match tiler {
        Tiler::Int(value) => format!("cute::Int<{value}>"),
        Tiler::Underscore => "cute::Underscore".to_owned(),
        Tiler::Layout(layout) => format!(
            "cute::Layout<{}, {}>",
            cute_tuple(layout.shape()),
            cute_tuple(&layout.stride().map(Stride::value))
        ),
        Tiler::Tuple(modes) => {
            let modes: Vec<String> = modes.iter().map(cute_tiler).collect();
            format!("cute::tuple<{}>", modes.join(", "))
        }
    }
}

/// Returns a shape or a stride as a type of CuTe.
fn cute_tuple(tuple: &IntTuple) -> String {
    match tuple {
        Nested::Leaf(value) => format!("cute::Int<{value}>"),
        Nested::Tuple(modes) => {
            let modes: Vec<String> = modes.iter().map(cute_tuple).collect();
            format!("cute::tuple<{}>", modes.join(", "))
        }
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).peekable();
    if args.next_if(|arg| arg == "cute").is_some() {
        let count = args.next().and_then(|arg| arg.parse().ok()).unwrap_or(500);
        print!("{}", cute_source(count));
        return ExitCode::SUCCESS;
    }
    let mut number = |default| {
        args.next()
            .and_then(|arg| arg.parse().ok())
            .unwrap_or(default)
    };
    let (count, times) = (number(500), number(3));
    let folder = prepare("compile-cost");
    // The first check also checks the dependencies, so its cost is not used.
    measure(&folder, "", 1);
    let nothing = measure(&folder, "use layout_types as _;\n", times);
    let cost = measure(&folder, &source(count), times);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("cargo check, {cores} cores, the least time and the most memory of {times}");
    let rows = [
        ("no operation".to_owned(), &nothing),
        (format!("{count} operations"), &cost),
    ];
    for (what, cost) in rows {
        let (time, cpu) = (cost.time.as_secs_f64(), cost.cpu.as_secs_f64());
        println!(
            "{what:>16}: {time:5.2} s, {cpu:5.2} s of processor time, {:3} MB",
            cost.megabytes
        );
    }
    println!(
        "CuTe C++, the same 500 (docs/compile-time.md): nvcc 76 s and 6.5 GB, g++ -fsyntax-only 16 s and 3.3 GB"
    );
    // If this fails, only the folder remains.
    let _ = std::fs::remove_dir_all(&folder);
    // The compiler uses one core here, so its processor time is its time on an idle machine.
    let met = cost.cpu <= TARGET.0 && cost.megabytes <= TARGET.1;
    println!(
        "target for 500: {} s, {} MB: {}",
        TARGET.0.as_secs(),
        TARGET.1,
        if met { "met" } else { "missed" }
    );
    if met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
