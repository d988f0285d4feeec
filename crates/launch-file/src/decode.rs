//! Reads a launch file from TOML. Every value has its place, for messages.

use super::accept;
use super::arguments::Declared;
use super::error::{LaunchFileError, LaunchFileErrorKind as Kind};
use super::expression::{Expression, is_name};
use super::fill::{Fill, Output};
use super::{FileBuffer, FileParameter, KernelLaunch, LaunchFile};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub(super) type Value<'t> = Spanned<DeValue<'t>>;
pub(super) type Decoded<T> = Result<T, (usize, Kind)>;

/// The largest number of cases that the sizes of a file may make.
const MOST_CASES: usize = 10_000;

const KEYS: [&str; 16] = [
    "ptx",
    "entry",
    "target",
    "strict_tensor_order",
    "grid",
    "block",
    "shared",
    "cluster",
    "programmatic",
    "cooperative",
    "sizes",
    "parameters",
    "buffers",
    "variables",
    "launch",
    "accept",
];

/// The keys of a launch, in `[[launches]]` or at the top of the file.
const LAUNCH_KEYS: [&str; 8] = [
    "entry",
    "grid",
    "block",
    "shared",
    "cluster",
    "programmatic",
    "cooperative",
    "parameters",
];

/// Reads a launch file. The files that it names lie beside `file`.
pub(super) fn decode(text: &str, file: &Path) -> Result<LaunchFile, LaunchFileError> {
    let at = |(offset, kind)| LaunchFileError::at(file, text, offset, kind);
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        at((offset, Kind::Toml(error.message().to_owned())))
    })?;
    let decoder = Decoder {
        text,
        folder: file.parent().unwrap_or(Path::new("")),
        names: Vec::new(),
        buffers: Vec::new(),
        declared: Vec::new(),
    };
    let mut found = decoder.file(table.get_ref()).map_err(at)?;
    found.file = file.to_owned();
    found.text = text.to_owned();
    Ok(found)
}

pub(super) struct Decoder<'t> {
    text: &'t str,
    folder: &'t Path,
    /// The names of the sizes.
    names: Vec<String>,
    /// All buffers of the file, in order.
    pub declared: Vec<Declared>,
    /// The buffers that have been read.
    pub buffers: Vec<FileBuffer>,
}

pub(super) fn wrong(value: &Value, key: &str, expected: &str) -> (usize, Kind) {
    let found = match value.get_ref() {
        DeValue::String(text) => format!("\"{text}\""),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Array(values) if values.is_empty() => "an empty array".to_owned(),
        other => format!("{} {}", article(other.type_str()), other.type_str()),
    };
    let kind = Kind::Value {
        key: format!("`{key}`"),
        expected: expected.to_owned(),
        found,
    };
    (value.span().start, kind)
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    }
}

/// Refuses keys that have no meaning in a table.
pub(super) fn known(table: &DeTable, allowed: &[&str]) -> Decoded<()> {
    for key in table.keys() {
        if !allowed.contains(&key.get_ref().as_ref()) {
            let allowed = allowed.join(", ");
            let key_text = key.get_ref().clone().into_owned();
            let kind = Kind::UnknownKey {
                key: key_text,
                allowed,
            };
            return Err((key.span().start, kind));
        }
    }
    Ok(())
}

pub(super) fn integer(value: &Value) -> Option<i128> {
    let number = value.get_ref().as_integer()?;
    i128::from_str_radix(number.as_str(), number.radix()).ok()
}

pub(super) fn real(value: &Value) -> Option<f64> {
    match value.get_ref() {
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => integer(value).map(|number| number as f64),
    }
}

fn count(value: &Value, key: &str) -> Decoded<usize> {
    integer(value)
        .and_then(|number| usize::try_from(number).ok())
        .ok_or_else(|| wrong(value, key, "an integer"))
}

/// Returns the tables of a list under a key of the file, each with its place. The result is empty
/// if there is no such key.
fn tables<'v, 't>(file: &'v DeTable<'t>, key: &str) -> Decoded<Vec<(&'v DeTable<'t>, usize)>> {
    match file.get(key) {
        None => Ok(Vec::new()),
        Some(value) => list_of_tables(value, key),
    }
}

/// Returns the tables of a list, each with its place.
pub(super) fn list_of_tables<'v, 't>(
    value: &'v Value<'t>,
    key: &str,
) -> Decoded<Vec<(&'v DeTable<'t>, usize)>> {
    let expected = "a list of tables";
    let list = value.get_ref().as_array();
    let list = list.ok_or_else(|| wrong(value, key, expected))?;
    list.iter()
        .map(|item| match item.get_ref().as_table() {
            Some(table) => Ok((table, item.span().start)),
            None => Err(wrong(item, key, expected)),
        })
        .collect()
}

impl Decoder<'_> {
    fn file(mut self, table: &DeTable) -> Decoded<LaunchFile> {
        known(table, &KEYS)?;
        let required = |key: &'static str| table.get(key).ok_or((0, Kind::Missing(key)));
        let sizes = match table.get("sizes") {
            Some(value) => self.sizes(value)?,
            None => vec![Vec::new()],
        };
        self.names = sizes[0].iter().map(|(name, _)| name.clone()).collect();
        let target = match table.get("target") {
            Some(value) => target(value)?,
            None => None,
        };
        let strict_tensor_order = match table.get("strict_tensor_order") {
            Some(value) => flag(value, "strict_tensor_order")?,
            None => false,
        };
        let buffers = tables(table, "buffers")?;
        let sequence: Vec<&DeTable> = match table.get("launch") {
            None => vec![table],
            Some(value) => {
                let sequence = list_of_tables(value, "launch")?;
                if sequence.is_empty() {
                    return Err(wrong(value, "launch", "a list of at least one table"));
                }
                sequence.into_iter().map(|(launch, _)| launch).collect()
            }
        };
        // Pointers may refer to buffers that come later.
        let lists = sequence
            .iter()
            .filter_map(|launch| launch.get("parameters"));
        let mut parameters: Vec<&Value> = lists.chain(table.get("parameters")).collect();
        parameters.dedup_by(|a, b| std::ptr::eq(*a, *b));
        for (buffer, _) in &buffers {
            self.declared.push(Declared::new(buffer));
        }
        for value in &parameters {
            for (parameter, _) in list_of_tables(value, "parameters")? {
                if parameter.contains_key("length") {
                    self.declared.push(Declared::new(parameter));
                }
            }
        }
        for (index, (buffer, here)) in buffers.iter().enumerate() {
            let buffer = self.buffer(buffer, *here, index)?;
            self.buffers.push(buffer);
        }
        // The parameters at the top are read only once, even if several launches have them.
        let mut read: Vec<(&Value, Vec<FileParameter>)> = Vec::new();
        for value in parameters {
            let list = self.parameters(value)?;
            read.push((value, list));
        }
        let mut launches = Vec::new();
        for launch in sequence {
            if !std::ptr::eq(launch, table) {
                known(launch, &LAUNCH_KEYS)?;
            }
            let here = |key: &str| launch.get(key).or_else(|| table.get(key));
            let required = |key: &'static str| here(key).ok_or((0, Kind::Missing(key)));
            let entry = required("entry")?;
            let Some(entry_name) = entry.get_ref().as_str() else {
                return Err(wrong(entry, "entry", "a kernel's name"));
            };
            let parameters = here("parameters").and_then(|value| {
                let found = read.iter().find(|(known, _)| std::ptr::eq(*known, value));
                found.map(|(_, list)| list.clone())
            });
            let has = |key: &'static str| here(key).map_or(Ok(false), |value| flag(value, key));
            launches.push(KernelLaunch {
                entry: entry_name.to_owned(),
                grid: self.extents(required("grid")?, "grid")?,
                block: self.extents(required("block")?, "block")?,
                shared: match here("shared") {
                    Some(value) => self.expression(value, "shared")?,
                    None => Expression::number(0, 0),
                },
                cluster: here("cluster")
                    .map(|value| self.extents(value, "cluster"))
                    .transpose()?,
                programmatic: has("programmatic")?,
                cooperative: has("cooperative")?,
                parameters: parameters.unwrap_or_default(),
            });
        }
        let variables = tables(table, "variables")?;
        let variables = variables.into_iter().enumerate();
        let accept = tables(table, "accept")?.into_iter();
        Ok(LaunchFile {
            file: PathBuf::new(),
            text: String::new(),
            ptx: self.path(required("ptx")?, "ptx")?,
            target,
            strict_tensor_order,
            sizes,
            variables: variables
                .map(|(index, (variable, here))| self.variable(variable, here, index))
                .collect::<Decoded<_>>()?,
            accept: accept
                .map(|(rule, here)| accept::acceptance(rule, here))
                .collect::<Decoded<_>>()?,
            launches,
            buffers: self.buffers,
        })
    }

    /// Returns the place where the text of a value begins, after the quote.
    fn offset_in(&self, value: &Value, text: &str) -> usize {
        let Range { start, end } = value.span();
        // If the text has escapes, or more quotes, only the start of the value is known.
        if end - start == text.len() + 2 {
            start + 1
        } else {
            start
        }
    }

    fn path(&self, value: &Value, key: &str) -> Decoded<PathBuf> {
        match value.get_ref().as_str() {
            Some(text) if !text.is_empty() => Ok(self.folder.join(text)),
            _ => Err(wrong(value, key, "a file's name")),
        }
    }

    pub(super) fn expression(&self, value: &Value, key: &str) -> Decoded<Expression> {
        if let Some(number) = integer(value) {
            return Ok(Expression::number(value.span().start, number));
        }
        let Some(text) = value.get_ref().as_str() else {
            let expected = "an integer, or a string with an expression";
            return Err(wrong(value, key, expected));
        };
        debug_assert!(value.span().end <= self.text.len());
        Expression::parse(text, self.offset_in(value, text), &self.names)
    }

    fn extents(&self, value: &Value, key: &str) -> Decoded<[Expression; 3]> {
        let one = || Expression::number(value.span().start, 1);
        let Some(list) = value.get_ref().as_array() else {
            return Ok([self.expression(value, key)?, one(), one()]);
        };
        if !(1..=3).contains(&list.len()) {
            return Err(wrong(value, key, "one to three extents"));
        }
        let mut extents = [one(), one(), one()];
        for (extent, value) in extents.iter_mut().zip(list.iter()) {
            *extent = self.expression(value, key)?;
        }
        Ok(extents)
    }

    /// Reads the sizes. `{ n = [1, 31], m = 5 }` stands for every combination, and
    /// `[{ n = 1, m = 5 }, ...]` lists the combinations.
    fn sizes(&self, value: &Value) -> Decoded<Vec<Vec<(String, i128)>>> {
        let expected = "a table of numbers and lists of numbers, or a list of tables of numbers";
        let wrong_here = |value: &Value| wrong(value, "sizes", expected);
        let name = |key: &Spanned<std::borrow::Cow<str>>| {
            let text = key.get_ref().as_ref();
            if is_name(text) {
                return Ok(text.to_owned());
            }
            let kind = Kind::Expression {
                expected: "a name of letters, digits and _",
                found: format!("`{text}`"),
            };
            Err((key.span().start, kind))
        };
        let mut cases: Vec<Vec<(String, i128)>> = Vec::new();
        match value.get_ref() {
            DeValue::Table(table) => {
                cases.push(Vec::new());
                for (key, value) in table {
                    let name = name(key)?;
                    let values: Vec<i128> = match value.get_ref() {
                        DeValue::Array(list) => {
                            let read = list
                                .iter()
                                .map(|value| integer(value).ok_or_else(|| wrong_here(value)));
                            read.collect::<Decoded<_>>()?
                        }
                        _ => vec![integer(value).ok_or_else(|| wrong_here(value))?],
                    };
                    if values.is_empty() || cases.len() * values.len() > MOST_CASES {
                        let expected = format!("1 to {MOST_CASES} combinations in all");
                        return Err(wrong(value, "sizes", &expected));
                    }
                    cases = cases
                        .iter()
                        .flat_map(|case| {
                            values
                                .iter()
                                .map(|&value| [&case[..], &[(name.clone(), value)]].concat())
                        })
                        .collect();
                }
            }
            DeValue::Array(list) => {
                for value in list.iter() {
                    let Some(table) = value.get_ref().as_table() else {
                        return Err(wrong_here(value));
                    };
                    let mut case = Vec::new();
                    for (key, value) in table {
                        case.push((name(key)?, integer(value).ok_or_else(|| wrong_here(value))?));
                    }
                    let alike = |other: &Vec<(String, i128)>| {
                        other
                            .iter()
                            .map(|(name, _)| name)
                            .eq(case.iter().map(|(name, _)| name))
                    };
                    if !cases.first().is_none_or(alike) {
                        return Err(wrong(
                            value,
                            "sizes",
                            "a list of tables with the same names",
                        ));
                    }
                    cases.push(case);
                }
                if !(1..=MOST_CASES).contains(&cases.len()) {
                    return Err(wrong(
                        value,
                        "sizes",
                        &format!("a list of 1 to {MOST_CASES} tables"),
                    ));
                }
            }
            _ => return Err(wrong_here(value)),
        }
        Ok(cases)
    }

    pub(super) fn fill(&self, value: &Value, index: usize) -> Decoded<Fill> {
        let expected = "uninitialised, zeros, poison, iota, { value = x }, { values = [..] }, { random = [low, high] }, \
                        { random = \"bits\" } or { file = \"..\" }";
        if let Some(word) = value.get_ref().as_str() {
            return match word {
                "uninitialised" => Ok(Fill::Uninitialised),
                "zeros" => Ok(Fill::Zeros),
                "poison" => Ok(Fill::Poison),
                "iota" => Ok(Fill::Iota),
                _ => Err(wrong(value, "fill", expected)),
            };
        }
        let wrong_here = || wrong(value, "fill", expected);
        let table = value.get_ref().as_table().ok_or_else(wrong_here)?;
        known(table, &["value", "values", "random", "seed", "file"])?;
        let seed = match table.get("seed") {
            None => index as u64,
            Some(value) => count(value, "seed")? as u64,
        };
        let numbers = |value: &Value| -> Option<Vec<f64>> {
            value.get_ref().as_array()?.iter().map(real).collect()
        };
        if let Some(value) = table.get("value") {
            let number = real(value).ok_or_else(|| wrong(value, "value", "a number"))?;
            Ok(Fill::Value(number))
        } else if let Some(value) = table.get("values") {
            let list = numbers(value).filter(|list| !list.is_empty());
            Ok(Fill::Values(list.ok_or_else(|| {
                wrong(value, "values", "a list of one number or more")
            })?))
        } else if let Some(value) = table.get("file") {
            Ok(Fill::File(self.path(value, "file")?))
        } else if let Some(value) = table.get("random") {
            if value.get_ref().as_str() == Some("bits") {
                return Ok(Fill::Bits { seed });
            }
            match numbers(value).as_deref() {
                Some(&[low, high]) if low <= high => Ok(Fill::Random { low, high, seed }),
                _ => Err(wrong(value, "random", "[low, high] or \"bits\"")),
            }
        } else {
            Err(wrong_here())
        }
    }

    pub(super) fn output(&self, value: &Value) -> Decoded<Output> {
        let expected = "\"print\", \"hash\", { print = 16 }, { hash = \"..\" }, { save = \"..\" } or { compare = \"..\" }";
        match value.get_ref().as_str() {
            Some("print") => return Ok(Output::Print(8)),
            Some("hash") => return Ok(Output::Hash(None)),
            Some(_) => return Err(wrong(value, "output", expected)),
            None => {}
        }
        let wrong_here = || wrong(value, "output", expected);
        let table = value.get_ref().as_table().ok_or_else(wrong_here)?;
        known(
            table,
            &["print", "hash", "save", "compare", "absolute", "relative"],
        )?;
        let tolerance = |key: &str| match table.get(key) {
            None => Ok(0.0),
            Some(value) => real(value)
                .filter(|number| *number >= 0.0)
                .ok_or_else(|| wrong(value, key, "a number, 0 or more")),
        };
        if let Some(value) = table.get("print") {
            Ok(Output::Print(count(value, "print")?))
        } else if let Some(value) = table.get("hash") {
            let digits = value.get_ref().as_str().filter(|text| text.len() == 16);
            let hash = digits.and_then(|text| u64::from_str_radix(text, 16).ok());
            let hash = hash.ok_or_else(|| wrong(value, "hash", "16 hexadecimal digits"))?;
            Ok(Output::Hash(Some(hash)))
        } else if let Some(value) = table.get("save") {
            Ok(Output::Save(self.path(value, "save")?))
        } else if let Some(value) = table.get("compare") {
            Ok(Output::Compare {
                file: self.path(value, "compare")?,
                absolute: tolerance("absolute")?,
                relative: tolerance("relative")?,
            })
        } else {
            Err(wrong_here())
        }
    }
}

/// Reads `true` or `false`.
fn flag(value: &Value, key: &'static str) -> Decoded<bool> {
    let found = value.get_ref().as_bool();
    found.ok_or_else(|| wrong(value, key, "true or false"))
}

/// Reads the compute capability from `sm_80` or `sm_90a`.
fn target(value: &Value) -> Decoded<Option<(u32, u32)>> {
    let number = value
        .get_ref()
        .as_str()
        .and_then(|text| text.strip_prefix("sm_"));
    let number = number.map(|text| text.trim_end_matches(['a', 'f']));
    match number.and_then(|text| text.parse::<u32>().ok()) {
        Some(number @ 10..1000) => Ok(Some((number / 10, number % 10))),
        _ => Err(wrong(value, "target", "a chip such as sm_80 or sm_90")),
    }
}

pub(super) fn hex(text: &str) -> Option<Vec<u8>> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if text.is_empty() || !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    let pairs = (0..text.len()).step_by(2);
    pairs
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).ok())
        .collect()
}
