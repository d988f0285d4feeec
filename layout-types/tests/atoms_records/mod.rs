//! Compares CuTe's records of atoms, tiled MMAs and tiled copies with the types.
//!
//! ```text
//!   {"what":"tiledcopy.partition_S","cfg":"..","in":{"s":"(32,256):(256,1)"},"out":"((1,8),..","starts":[0,8,..]}
//!   Case { what: "partition_S", cfg: "..", tensor: (32,256):(256,1), out: <the type's value>, threads: <the type's value> }
//! ```
//!
//! Law: each record has a case. The case's type prints the record's text, and each thread's first
//! offset in the record is that of the type. A case consists only of constants: code for each case
//! would take the compiler minutes.
#![allow(dead_code)] // Each test uses a part.

use layout_types::atom::LayoutFacts;
use layout_types::check::{Reflect, Text};
use layout_types::notation::Described;
use layout_types::prelude::LayoutFn;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The facts that the types state where CuTe has a record.
pub struct Case {
    /// The part of the record's name after the dot.
    pub what: &'static str,
    /// The tensor that is cut, or `None` if no tensor is.
    pub tensor: Option<Described>,
    /// The result.
    pub out: Out,
    /// The layout that maps a thread's index to the offset of its part.
    pub threads: Option<Described>,
}
/// A result.
pub enum Out {
    /// A layout.
    Layout(Described),
    /// A shape or a tiler, printed.
    Text(fn() -> Text),
}
/// A list of cases that is built from constants.
#[derive(Clone, Copy)]
pub enum Cut {
    /// The end of the list.
    No,
    /// A case, and the rest of the list.
    More(&'static Case, &'static Cut),
}
/// The cases of a configuration.
pub struct Config {
    name: &'static str,
    cases: &'static [Case],
    lists: &'static [Cut],
}
impl Config {
    /// Makes the configuration of this name from cases and from lists of further cases.
    pub const fn new<const N: usize>(
        name: &'static str,
        all: &'static (&'static [Case], [Cut; N]),
    ) -> Self {
        Self {
            name,
            cases: all.0,
            lists: &all.1,
        }
    }
    fn cases(&self) -> Vec<&'static Case> {
        let mut cases: Vec<_> = self.cases.iter().collect();
        for mut list in self.lists.iter().copied() {
            while let Cut::More(case, more) = list {
                cases.push(case);
                list = *more;
            }
        }
        cases
    }
}

impl Case {
    /// Makes the case of a layout that is made from no tensor.
    pub const fn layout<L: LayoutFn>(what: &'static str) -> Self {
        Self {
            what,
            tensor: None,
            out: Out::Layout(L::DESCRIBED),
            threads: None,
        }
    }
    /// Makes the case of a shape or a tiler that is made from no tensor.
    pub const fn text<T: Reflect>(what: &'static str) -> Self {
        Self {
            what,
            tensor: None,
            out: Out::Text(|| T::VALUE.notation()),
            threads: None,
        }
    }
    /// Makes the case of a layout that is made from the tensor `T`.
    pub const fn of<T: LayoutFn, L: LayoutFn>(what: &'static str) -> Self {
        Self {
            tensor: Some(T::DESCRIBED),
            ..Self::layout::<L>(what)
        }
    }
    /// Makes the case of a part of the tensor `T`. The parts of the threads begin at the offsets
    /// `Threads`.
    pub const fn part<T: LayoutFn, L: LayoutFn, Threads: LayoutFn>(what: &'static str) -> Self {
        Self {
            threads: Some(Threads::DESCRIBED),
            ..Self::of::<T, L>(what)
        }
    }
}

/// Returns the records of a file.
pub fn records(text: &str) -> impl Iterator<Item = Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
}

/// Returns a field that is a string.
pub fn field<'a>(record: &'a Value, name: &str) -> &'a str {
    record[name].as_str().expect("a string")
}

/// Returns a result as CuTe prints it. In the records, a tuple that holds layouts is a list.
fn printed(out: &Value) -> String {
    match out {
        Value::String(out) => out.clone(),
        list => {
            let parts: Vec<_> = list
                .as_array()
                .expect("a list")
                .iter()
                .map(|part| part.to_string().replace('"', ""))
                .collect();
            format!("({})", parts.join(","))
        }
    }
}

/// Compares every record that `keep` accepts with its case. Returns the number of these records.
pub fn compare(text: &str, configs: &[Config], keep: impl Fn(&Value) -> bool) -> usize {
    let mut cases = HashMap::new();
    for config in configs {
        for case in config.cases() {
            let tensor = case
                .tensor
                .map_or(String::new(), |layout| layout.to_string());
            cases.insert((case.what, config.name, tensor), case);
        }
    }
    let mut seen = 0;
    for record in records(text).filter(keep) {
        let (_, what) = field(&record, "what").split_once('.').expect("a point");
        let tensor = record["in"].as_object().expect("operands").values().next();
        let tensor = tensor.map_or("", |tensor| tensor.as_str().expect("a string"));
        let key = (what, field(&record, "cfg"), tensor.to_string());
        let case = cases.get(&key).unwrap_or_else(|| panic!("no case {key:?}"));
        let out = match &case.out {
            Out::Layout(layout) => layout.to_string(),
            Out::Text(text) => text().as_str().to_string(),
        };
        assert_eq!(out, printed(&record["out"]), "{key:?}");
        if let Some(starts) = record["starts"].as_array() {
            let threads = case.threads.expect("a part");
            for (thread, start) in starts.iter().enumerate() {
                assert_eq!(
                    Some(threads.node.offset(thread as i64)),
                    start.as_i64(),
                    "{key:?} thread {thread}"
                );
            }
        }
        seen += 1;
    }
    seen
}

/// Compares every record that `keep` accepts with its case, for the configurations that are
/// compiled: a sample by default, all with the feature `all-cases`.
pub fn compare_compiled(
    text: &str,
    configs: &[Config],
    keep: impl Fn(&Value) -> bool,
    sample: usize,
    all: usize,
) {
    let compiled: HashSet<_> = configs.iter().map(|config| config.name).collect();
    let keep = |record: &Value| keep(record) && compiled.contains(field(record, "cfg"));
    let seen = compare(text, configs, keep);
    println!("{seen} of {all} records");
    let every = cfg!(feature = "all-cases");
    assert_eq!(seen, if every { all } else { sample });
}

/// Compares an atom's layout with its record: print, size and table.
pub fn compare_layout(layout: &LayoutFacts, record: &Value) {
    let name = format!("{} of {}", field(record, "what"), field(record, "cfg"));
    assert_eq!(layout.to_string(), record["out"], "{name}");
    assert_eq!(Some(layout.size as u64), record["size"].as_u64(), "{name}");
    if let Some(table) = record["table"].as_array() {
        let theirs: Vec<_> = table
            .iter()
            .map(|value| value.as_u64().expect("an offset"))
            .collect();
        let ours: Vec<_> = (0..layout.size).map(|i| (layout.index)(i) as u64).collect();
        assert_eq!(ours, theirs, "{name}");
    }
}
