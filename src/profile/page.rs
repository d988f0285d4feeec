//! The profile as one self-contained HTML page: facts, roofline, heat map of banks, source and PTX
//! with their counters beside them.
//!
//! Law: the page names no other file and loads nothing; every text that came from outside is
//! escaped.

use super::picture::{count, escape, grouped};
use super::table::facts;
use super::{Costs, LaunchProfile, SourceRow, heat};
use pictures::{Mode, Paint};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The page's style. Its colours are names, whose values [`colours`] gives for light and dark.
const STYLE: &str = "
:root { color-scheme: light dark; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1200px; padding: 0 1rem; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p.note { color: var(--faint); margin: .2rem 0; max-width: 75ch; }
summary, pre { overflow-wrap: anywhere; white-space: pre-wrap; }
table { border-collapse: collapse; } table.facts th { text-align: left; vertical-align: top; padding: .15rem 1.2rem .15rem 0; font-weight: 600; }
.code, .wide {
  background: linear-gradient(to right, var(--paper) 30%, transparent) left / 40px 100% no-repeat local,
    linear-gradient(to left, var(--paper) 30%, transparent) right / 40px 100% no-repeat local,
    linear-gradient(to right, var(--beyond), transparent) left / 14px 100% no-repeat scroll,
    linear-gradient(to left, var(--beyond), transparent) right / 14px 100% no-repeat scroll;
}
.code { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
.code table { font: 12px/1.5 ui-monospace, monospace; width: 100%; }
.code th { position: sticky; top: 0; background: var(--field); text-align: right; padding: .3rem .6rem; font-weight: 600; }
.code td { text-align: right; padding: 0 .6rem; white-space: pre; } .code td.t, .code th.t { text-align: left; }
.code tr:target { outline: 2px solid var(--accent); } .code td.n { color: var(--faint); } .code tr.off td.t { color: var(--faint); }
.code td.x { background: linear-gradient(to left, var(--bar) var(--part), transparent var(--part)) bottom / 100% 3px no-repeat; }
.bad { color: var(--bad); font-weight: 600; }
.wide { overflow-x: auto; } svg { display: block; }
svg text { font: 11px ui-monospace, monospace; fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 3px; } svg text.bad { fill: var(--bad); } svg .m { text-anchor: middle; } svg .e { text-anchor: end; }
svg a { fill: var(--accent); } .grid { stroke: var(--line); } .line { fill: none; stroke: var(--accent); stroke-width: 2; } .thin { stroke-width: 1; stroke-dasharray: 5 3; }
.at { stroke: var(--kernel); stroke-dasharray: 3 3; } .dot { fill: var(--kernel); } svg text.kernel { fill: var(--kernel); font-weight: 600; }
@media (max-width: 600px) {
  body { margin: 1rem auto; } .code td, .code th { padding-inline: .25rem; }
  table.facts, table.facts tbody, table.facts tr, table.facts th, table.facts td { display: block; } table.facts td { padding-bottom: .4rem; }
}
";

/// The names of the page's colours, with their values in light and in dark. A colour of text or of
/// pictures has a contrast of at least 3 on `paper`. `field` lies behind text, `line` separates
/// texts, and `beyond` is the shadow at an edge beyond which something wide continues.
const COLOURS: [(&str, &str, &str); 10] = [
    ("paper", "#ffffff", "#111318"),
    ("ink", "#111318", "#eceff4"),
    ("faint", "#585e6a", "#a5acba"),
    ("accent", "#0067a8", "#6cc0f5"),
    ("bar", "#2f7fc0", "#4d96d6"),
    ("bad", "#b3261e", "#ff9b91"),
    ("kernel", "#a8480f", "#f0a35e"),
    ("field", "#f3f6f9", "#191d24"),
    ("line", "#dde3ea", "#3a404c"),
    ("beyond", "#9aa3b0", "#59616f"),
];

/// Returns the colours by name and the classes of the heat map, in light, and in dark for readers
/// whose system prefers it.
fn colours() -> String {
    let of = |mode: Mode| {
        let mut out = String::from(":root {");
        for (name, light, dark) in COLOURS {
            let value = if mode == Mode::Light { light } else { dark };
            let _ = write!(out, " --{name}: {value};");
        }
        out += " }\n";
        for step in 0..heat::STEPS {
            let fill = mode.fill(Paint::Shade(step)).hex();
            let _ = write!(out, ".h{step} {{ fill: #{fill}; }} ");
        }
        out += ".unused { fill: none; }\n";
        out
    };
    format!(
        "{}@media (prefers-color-scheme: dark) {{\n{}}}\n",
        of(Mode::Light),
        of(Mode::Dark)
    )
}

/// Makes the spaces between groups of three digits unbreakable, so that each number stays on one
/// line.
fn unbroken(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let group =
        |at: usize| at > 0 && digit(at - 1) && (1..=3).all(|i| digit(at + i)) && !digit(at + 4);
    (letters.iter().enumerate())
        .map(|(at, letter)| {
            if *letter == ' ' && group(at) {
                '\u{a0}'
            } else {
                *letter
            }
        })
        .collect()
}

/// Returns the page.
#[must_use]
pub fn page(profile: &LaunchProfile) -> String {
    let kernel = escape(&profile.kernel);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>Profile of {kernel}</title>\n<style>{STYLE}{}</style>\n</head>\n<body>\n\
         <h1>Profile of {kernel}</h1>\n",
        colours()
    );
    for note in &profile.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(note));
    }
    out += "<h2>Totals</h2>\n<table class=\"facts\">\n";
    for (label, text) in facts(profile) {
        let text = escape(&unbroken(&text));
        let _ = writeln!(out, "<tr><th>{label}</th><td>{text}</td></tr>");
    }
    out += "</table>\n<h2>Roofline</h2>\n";
    match &profile.roofline {
        Some(roofline) => {
            let _ = write!(
                out,
                "<div class=\"wide\">{}</div>",
                roofline.svg(profile.chip.name)
            );
            out += "\n<p class=\"note\">A picture of counts against published figures; nothing was timed. The \
                    intensity is of the sectors that are requested of the L1 cache: caches answer some of them, \
                    and the intensity at the memory is then higher.</p>\n";
        }
        None => {
            out += "<p class=\"note\">The launch has no floating-point operations, or no sectors, or no peak is \
                    published for its busiest unit.</p>\n";
        }
    }
    out += "<h2>Banks of shared memory</h2>\n";
    match heat::svg(&profile.instructions) {
        Some(svg) => {
            let _ = write!(out, "<div class=\"wide\">{svg}</div>");
            out += "\n<p class=\"note\">How many words a bank served in each phase in which it served any. The shade nearest to the \
                    page's is one: no conflict. The farthest from it is 32, lanes that all want another word of one bank and wait for each \
                    other; each third shade between is twice the one before. A cell without colour is a bank that was not used.</p>\n";
        }
        None => out += "<p class=\"note\">No instruction accesses shared memory.</p>\n",
    }
    if !profile.sources.is_empty() {
        out += "<h2>Source</h2>\n";
        sources(&mut out, profile);
    }
    if !profile.findings.is_empty() {
        out += "<h2>Findings</h2>\n";
        for finding in &profile.findings {
            let _ = writeln!(
                out,
                "<p>{}</p>\n<pre>{}</pre>",
                escape(&finding.heading()),
                escape(&finding.message)
            );
        }
    }
    out += "<h2>PTX</h2>\n";
    ptx(&mut out, profile);
    out += "</body>\n</html>\n";
    out
}

const COLUMNS: &str = "<tr><th>line</th><th>executed</th><th>lanes</th><th>wavefronts</th><th>conflicts</th>\
                       <th>requests</th><th>sectors</th><th>flops</th><th class=\"t\">";

/// Writes one line of code. `most` is the largest number of executions of any line.
fn row(out: &mut String, id: &str, line: usize, costs: Option<&Costs>, most: u64, text: &str) {
    let text = escape(text);
    let Some(costs) = costs else {
        let _ = writeln!(
            out,
            "<tr class=\"off\"{id}><td class=\"n\">{line}</td><td></td><td></td><td></td><td></td><td></td><td></td>\
             <td></td><td class=\"t\">{text}</td></tr>"
        );
        return;
    };
    let percent = 100.0 * costs.executed as f64 / most.max(1) as f64;
    let conflicts = if costs.bank_conflicts > 0 {
        " class=\"bad\""
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "<tr{id}><td class=\"n\">{line}</td><td class=\"x\" style=\"--part:{percent:.1}%\">{}</td><td>{:.1}</td><td>{}</td><td{conflicts}>{}</td><td>{}</td><td>{}</td>\
         <td>{}</td><td class=\"t\">{text}</td></tr>",
        grouped(costs.executed),
        costs.lanes(),
        count(costs.shared_wavefronts),
        count(costs.bank_conflicts),
        count(costs.global_requests),
        count(costs.global_sectors),
        count(costs.flops)
    );
}

/// Writes the kernel's PTX. If an instruction spans several lines, the first has its counters; if a
/// line has several instructions, it has their sum.
fn ptx(out: &mut String, profile: &LaunchProfile) {
    let (first, lines) = &profile.ptx;
    let mut by_line: BTreeMap<usize, Costs> = BTreeMap::new();
    for instruction in &profile.instructions {
        by_line
            .entry(instruction.line)
            .or_default()
            .add(&instruction.costs);
    }
    let most = by_line
        .values()
        .map(|costs| costs.executed)
        .max()
        .unwrap_or(0);
    let _ = writeln!(out, "<div class=\"code\"><table>{COLUMNS}PTX</th></tr>");
    for (i, text) in lines.iter().enumerate() {
        let line = first + i;
        let id = format!(" id=\"L{line}\"");
        row(
            out,
            &id,
            line,
            by_line.get(&line),
            most,
            &text.replace('\t', "    "),
        );
    }
    out.push_str("</table></div>\n");
    let listed = *first..first + lines.len();
    let others: Vec<_> = profile
        .instructions
        .iter()
        .filter(|row| !listed.contains(&row.line))
        .collect();
    if others.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<h2>Functions that it calls</h2>\n<div class=\"code\"><table>{COLUMNS}PTX</th></tr>"
    );
    for other in others {
        let id = format!(" id=\"L{}\"", other.line);
        let text = format!("{}: {}", other.function, other.instruction);
        row(out, &id, other.line, Some(&other.costs), most, &text);
    }
    out.push_str("</table></div>\n");
}

/// The largest distance of two executed lines of the source at which the lines between them are
/// still shown.
const GAP: u32 = 6;

/// Writes the files of the source, the one with the most executions first.
fn sources(out: &mut String, profile: &LaunchProfile) {
    let mut files: BTreeMap<&str, Vec<&SourceRow>> = BTreeMap::new();
    for source in &profile.sources {
        files.entry(&source.file).or_default().push(source);
    }
    let mut files: Vec<_> = files.into_iter().collect();
    let executed = |rows: &[&SourceRow]| rows.iter().map(|row| row.costs.executed).sum::<u64>();
    files.sort_by_key(|(_, rows)| std::cmp::Reverse(executed(rows)));
    let most = profile
        .sources
        .iter()
        .map(|row| row.costs.executed)
        .max()
        .unwrap_or(0);
    for (file, rows) in files {
        let text = files::read_to_string(file).ok();
        let lines: Option<Vec<&str>> = text.as_deref().map(|text| text.lines().collect());
        let _ = writeln!(
            out,
            "<details open><summary>{} ({} instructions executed)</summary><div class=\"code\"><table>{COLUMNS}source\
             </th></tr>",
            escape(file),
            grouped(executed(&rows))
        );
        let mut last = None;
        for source in rows {
            if let (Some(lines), Some(last)) = (&lines, last) {
                if source.line - last > GAP {
                    out.push_str("<tr class=\"off\"><td class=\"n\">⋯</td></tr>\n");
                } else {
                    for line in last + 1..source.line {
                        let text = lines.get(line as usize - 1).copied().unwrap_or_default();
                        row(out, "", line as usize, None, most, text);
                    }
                }
            }
            let text = source.text.as_deref().unwrap_or("(the file is not here)");
            row(
                out,
                "",
                source.line as usize,
                Some(&source.costs),
                most,
                text,
            );
            last = Some(source.line);
        }
        out.push_str("</table></div></details>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pictures::{Rgb, contrast};

    fn rgb(hex: &str) -> Rgb {
        let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        Rgb(part(1), part(3), part(5))
    }

    #[test]
    fn every_colour_stands_out_in_light_and_in_dark() {
        for mode in [Mode::Light, Mode::Dark] {
            let of = |name: &str| {
                let (_, light, dark) = COLOURS.iter().find(|colour| colour.0 == name).unwrap();
                rgb(if mode == Mode::Light { light } else { dark })
            };
            for (name, ..) in COLOURS {
                if !["paper", "field", "line", "beyond"].contains(&name) {
                    let found = contrast(of(name), of("paper"));
                    assert!(found >= 3.0, "{mode:?} {name}: {found}");
                }
            }
            assert!(contrast(of("ink"), of("field")) >= 7.0);
            assert_eq!(of("paper"), mode.paper());
            for step in 0..heat::STEPS {
                assert!(contrast(mode.fill(Paint::Shade(step)), of("paper")) >= 3.0);
            }
        }
        // Both themes are in the page.
        let colours = colours();
        assert!(
            colours.matches(".h15 {").count() == 2
                && colours.contains("prefers-color-scheme: dark")
        );
    }

    #[test]
    fn numbers_do_not_break() {
        assert_eq!(
            unbroken("1 234 567 of 12 345"),
            "1\u{a0}234\u{a0}567 of 12\u{a0}345"
        );
        assert_eq!(unbroken("sm_90 1 2 3, 12 1234"), "sm_90 1 2 3, 12 1234");
    }
}
