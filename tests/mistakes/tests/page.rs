//! The guide's page of mistakes is made of the catalogue: the headers of its files and the pinned messages.
//!
//! `CUTLET_WRITE_GUIDE=1 cargo test -p mistakes --test page` writes it anew.

use mistakes::{CATEGORIES, Caught, Mistake, checked, executed, folder};
use std::{env, fs};

const HEAD: &str = "\
# Mistakes, and who catches them

What people get wrong in CUDA and CuTe kernels, each at the earliest moment that something here says so. The sources are in
`tests/mistakes`, every mistake beside its right twin; a test holds each message to this page, and the twins to no finding. CuTe C++'s
side is what nvcc and compute-sanitizer say of the same mistake.

";

/// The sentence of a pinned message.
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

/// `text` in lines of at most 118 characters.
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

fn page() -> String {
    let all: Vec<Mistake> = checked()
        .into_iter()
        .chain(executed())
        .map(|case| case.0)
        .collect();
    let mut page = String::from(HEAD);
    let moments = [
        Caught::Check,
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
                    mistake.cure, mistake.cute
                )),
            );
        }
    }
    page
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
