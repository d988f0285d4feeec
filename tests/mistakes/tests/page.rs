//! Makes the guide's page of mistakes from the catalogue: the headers of its files and the pinned messages.
//!
//! `CUTLET_WRITE_GUIDE=1 cargo test -p mistakes --test page` writes it again.

use mistakes::{CATEGORIES, Caught, Mistake, built, checked, executed, folder};
use serde_json::Value;
use std::{env, fs};

const HEAD: &str = "\
# Mistakes, and who catches them

What people get wrong in CUDA and CuTe kernels, each at the earliest moment that something here says so. The sources are in
`tests/mistakes`, every mistake beside its right twin; a test holds each message to this page, and the twins to no finding. CuTe C++'s
side: programs in `tests/mistakes/cpp`, of the same mistake and its twin, with what `run.py` there recorded of them, or why there is no
such program. \"Expected\" is what we expect of a run, and no record.

";

/// The pictures of categories: the category, the file in `docs/guide`, and what the picture shows.
const PICTURES: [(&str, &str, &str); 5] = [
    (
        "layouts and divides",
        "images/ragged.svg",
        "A divide whose tiler is no divisor: tiles at the edge have cells outside of the layout",
    ),
    (
        "thread-value ownership",
        "images/thread-value.svg",
        "An accumulator's thread-value layout: each cell has one thread and one value",
    ),
    (
        "swizzles and banks",
        "images/swizzle.svg",
        "Rows of 64 halfs, banks coloured: before the swizzle a column is one colour, behind it each row is turned",
    ),
    (
        "cp.async",
        "images/pipeline.svg",
        "A pipeline of three stages: which tile is loaded, on the way and multiplied at each step",
    ),
    (
        "ldmatrix and stmatrix",
        "images/ldmatrix.svg",
        "ldmatrix.x4: the rows whose addresses the threads give, beside the elements that they get",
    ),
];

/// Returns the sentence of a pinned message.
fn message(mistake: &Mistake) -> String {
    let text = fs::read_to_string(&mistake.message)
        .unwrap_or_else(|_| panic!("{} has no pinned message", mistake.name));
    let line = match mistake.caught {
        Caught::Check => text.lines().next(),
        _ => text.lines().nth(1),
    };
    let line = line.unwrap_or_default();
    let line =
        line.split_once("]: ")
            .map_or(line, |(code, rest)| match code.starts_with("error[") {
                true => rest,
                false => line,
            });
    line.trim_start_matches("error: ")
        .trim_start_matches("evaluation panicked: ")
        .to_owned()
}

/// Returns `text` in lines of at most 118 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().unwrap();
        if !last.is_empty() && last.len() + 1 + word.len() > 118 {
            lines.push(word.to_owned());
        } else {
            last.push_str(if last.is_empty() { "" } else { " " });
            last.push_str(word);
        }
    }
    lines.join("\n")
}

/// Returns the records of CuTe C++.
fn records() -> Value {
    let text = fs::read_to_string(folder().join("cpp/results.json")).expect("cpp/results.json");
    serde_json::from_str(&text).expect("records as run.py writes them")
}

/// Returns how many programs nvcc refuses, how many of these without the author's line near the
/// top, and what runs said.
fn summary(records: &Value) -> String {
    let programs: Vec<&Value> = records["programs"]
        .as_object()
        .expect("programs by name")
        .values()
        .collect();
    let refused: Vec<&&Value> = programs.iter().filter(|p| p["compiles"] == false).collect();
    let below = refused.iter().filter(|p| {
        p["own_line"]
            .as_u64()
            .is_none_or(|line| line == 0 || line > 5)
    });
    let nvcc = records["nvcc"].as_str().unwrap_or_default();
    let mut text = format!(
        "\nOf {} mistakes written in CUDA C++ with CuTe 4.7, nvcc ({nvcc}) refuses {} and compiles {}; of the refused, {} name no line of the \
         author's within their first five lines. ",
        programs.len(),
        refused.len(),
        programs.len() - refused.len(),
        below.count(),
    );
    let ran: Vec<&&Value> = programs.iter().filter(|p| p["plain"].is_string()).collect();
    if ran.is_empty() {
        text += "Their runs, plain and under compute-sanitizer, are not recorded yet.";
    } else {
        let right = ran.iter().filter(|p| p["plain"] == "right").count();
        let silent: Vec<_> = ran.iter().filter(|p| finding(p).is_none()).collect();
        let unseen = silent.iter().filter(|p| p["plain"] == "right").count();
        let by = [&records["gpu"], &records["sanitizer"]].map(|of| of.as_str().unwrap_or_default());
        text += &format!(
            "Of {} that ran ({}, compute-sanitizer {}), {right} gave the right numbers that time, and of {} no tool reports anything: {unseen} are \
             seen by nobody.",
            ran.len(),
            by[0],
            by[1],
            silent.len(),
        );
    }
    format!("{}\n", wrapped(&text))
        .replace("\n\n", "\n")
        .replacen("Of ", "\nOf ", 1)
}

/// Returns the first tool of compute-sanitizer that reports something, and its report.
fn finding(record: &Value) -> Option<(String, String)> {
    let tools = record["tools"].as_object()?;
    tools.iter().find_map(|(tool, said)| {
        let said = said.as_str().filter(|said| !said.is_empty())?;
        Some((tool.clone(), said.to_owned()))
    })
}

/// Returns the answer of CuTe C++ to a mistake: as recorded, or as expected.
fn answer(mistake: &Mistake, record: &Value) -> String {
    if record.is_null() {
        return mistake.cute.clone();
    }
    let first = record["first"].as_str().unwrap_or_default();
    if record["compiles"] == false {
        let place = match record["own_line"].as_u64() {
            None | Some(0) => String::from("no line of the author's"),
            Some(line) => format!("the author's file first in line {line}"),
        };
        return format!(
            "nvcc refuses it, `{first}`, {} lines, {place}.",
            record["lines"]
        );
    }
    let warned = match first.is_empty() {
        true => String::from("nvcc compiles it without a message"),
        false => format!("nvcc compiles it, with `{first}`"),
    };
    let Some(plain) = record["plain"].as_str() else {
        return format!("{warned}. Expected: {}", mistake.cute);
    };
    let found = match finding(record) {
        None => String::from("no tool of compute-sanitizer reports anything"),
        Some((tool, said)) => format!("{tool} says `{said}`"),
    };
    format!("{warned}; it runs, `{plain}`; {found}.")
}

/// Returns the whole catalogue.
fn all() -> Vec<Mistake> {
    let cases = checked().into_iter().chain(built()).chain(executed());
    cases.map(|case| case.0).collect()
}

fn page() -> String {
    let all = all();
    let mut page = String::from(HEAD);
    let moments = [
        Caught::Check,
        Caught::Build,
        Caught::Launch,
        Caught::Emulator,
        Caught::Test,
    ];
    page +=
        "| | `cargo check` | the build | launch | emulator | test |\n|---|---|---|---|---|---|\n";
    for category in CATEGORIES {
        let of: Vec<&Mistake> = all
            .iter()
            .filter(|mistake| mistake.category == category)
            .collect();
        if of.is_empty() {
            continue;
        }
        let counts = moments.map(
            |moment| match of.iter().filter(|m| m.caught == moment).count() {
                0 => String::new(),
                count => count.to_string(),
            },
        );
        let anchor = category.to_lowercase().replace('.', "").replace(' ', "-");
        page += &format!("| [{category}](#{anchor}) | {} |\n", counts.join(" | "));
    }
    let counts = moments.map(|moment| {
        all.iter()
            .filter(|m| m.caught == moment)
            .count()
            .to_string()
    });
    page += &format!("| all {} | {} |\n", all.len(), counts.join(" | "));
    let records = records();
    page += &summary(&records);
    for category in CATEGORIES {
        let mut of: Vec<&Mistake> = all
            .iter()
            .filter(|mistake| mistake.category == category)
            .collect();
        of.sort_by(|a, b| (a.caught, &a.name).cmp(&(b.caught, &b.name)));
        if of.is_empty() {
            continue;
        }
        let mut letters = category.chars();
        let first = letters.next().unwrap().to_uppercase();
        let title = match category.starts_with("cp.") {
            true => category.to_owned(),
            false => format!("{first}{}", letters.as_str()),
        };
        page += &format!("\n## {title}\n");
        for (_, file, shows) in PICTURES.iter().filter(|(of, ..)| *of == category) {
            page += &format!("\n![{shows}]({file})\n");
        }
        for mistake in of {
            let source = mistake
                .source
                .as_ref()
                .map(|source| format!(" ({source})"))
                .unwrap_or_default();
            let (caught, name) = (mistake.caught.text(), &mistake.name);
            page += &format!(
                "\n{}\n\n```text\n{}\n```\n\n{}\n",
                wrapped(&format!(
                    "**{}** `{name}`{source}: {caught} says",
                    mistake.mistake
                )),
                message(mistake),
                wrapped(&format!(
                    "Cure: {} CuTe C++: {}",
                    mistake.cure,
                    answer(mistake, &records["programs"][&mistake.name])
                )),
            );
        }
    }
    page
}

/// Checks that every mistake is written in C++ too, or that its header says why not.
#[test]
fn every_mistake_has_its_program_or_the_reason_why_not() {
    let (records, all) = (records(), all());
    let programs = records["programs"].as_object().expect("programs by name");
    let mut wrong = Vec::new();
    for mistake in &all {
        let name = &mistake.name;
        let written = folder().join(format!("cpp/{name}.cu")).exists();
        let none = mistake.cute.starts_with("no counterpart");
        if written == none {
            wrong.push(format!("{name}: a program {written}, a reason {none}"));
        }
        if written != programs.contains_key(name) {
            wrong.push(format!(
                "{name}: a program {written}, a record {}",
                !written
            ));
        }
    }
    for name in programs.keys() {
        if !all.iter().any(|mistake| mistake.name == *name) {
            wrong.push(format!("{name}: a record of no mistake"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_guide_s_page_is_the_catalogue() {
    let path = folder().join("../../docs/guide/mistakes.md");
    let page = page();
    if env::var_os("CUTLET_WRITE_GUIDE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "the page is another now: CUTLET_WRITE_GUIDE=1 writes it"
    );
}
