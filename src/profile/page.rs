//! The profile as one HTML page that needs nothing else: facts, roofline, heat map of banks, source and PTX with their
//! counters beside them.
//!
//! Law: the page names no other file and loads nothing; every text that came from outside is escaped.

use super::picture::{count, escape, grouped};
use super::table::facts;
use super::{Costs, LaunchProfile, SourceRow, heat};
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = "
:root { color-scheme: light; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1200px; padding: 0 1rem; color: #1b2430; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p.note { color: #5a6675; margin: .2rem 0; max-width: 75ch; }
table { border-collapse: collapse; } table.facts th { text-align: left; vertical-align: top; padding: .15rem 1.2rem .15rem 0; font-weight: 600; }
.code { overflow-x: auto; border: 1px solid #dde3ea; border-radius: 6px; }
.code table { font: 12px/1.5 ui-monospace, monospace; width: 100%; }
.code th { position: sticky; top: 0; background: #f3f6f9; text-align: right; padding: .3rem .6rem; font-weight: 600; }
.code td { text-align: right; padding: 0 .6rem; white-space: pre; } .code td.t, .code th.t { text-align: left; }
.code tr:target { outline: 2px solid #0c3e7a; } .code td.n { color: #8793a1; } .code tr.off td.t { color: #8793a1; }
.bad { color: #b3261e; fill: #b3261e; font-weight: 600; } svg { max-width: 100%; height: auto; }
svg text { font: 11px ui-monospace, monospace; fill: #1b2430; } svg text.bad { fill: #b3261e; } svg .m { text-anchor: middle; } svg .e { text-anchor: end; }
svg a { fill: #0c3e7a; } .grid { stroke: #e3e8ee; } .line { fill: none; stroke: #0c3e7a; stroke-width: 2; } .thin { stroke-width: 1; stroke-dasharray: 5 3; }
.at { stroke: #c2571a; stroke-dasharray: 3 3; } .dot { fill: #c2571a; } svg text.kernel { fill: #a8480f; font-weight: 600; }
";

/// The page.
#[must_use]
pub fn page(profile: &LaunchProfile) -> String {
    let kernel = escape(&profile.kernel);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>Profile of {kernel}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>Profile of {kernel}</h1>\n"
    );
    for note in &profile.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escape(note));
    }
    out += "<h2>Totals</h2>\n<table class=\"facts\">\n";
    for (label, text) in facts(profile) {
        let _ = writeln!(out, "<tr><th>{label}</th><td>{}</td></tr>", escape(&text));
    }
    out += "</table>\n<h2>Roofline</h2>\n";
    match &profile.roofline {
        Some(roofline) => {
            out += &roofline.svg(profile.chip.name);
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
            out += &svg;
            out += "\n<p class=\"note\">How many words a bank served in each phase in which it served any. Nearly white is one: no \
                    conflict. The darkest is 32, lanes that all want another word of one bank and wait for each other; \
                    each shade between is twice the one before. A cell without colour is a bank that was not used.</p>\n";
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

/// One line of code; `most` is the most executions of any.
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
        "<tr{id}><td class=\"n\">{line}</td><td style=\"background:linear-gradient(to left,#cfe0f3 {percent:.1}%,\
         transparent {percent:.1}%)\">{}</td><td>{:.1}</td><td>{}</td><td{conflicts}>{}</td><td>{}</td><td>{}</td>\
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

/// The kernel's PTX. Of an instruction over several lines the first has its counters; of a line with several
/// instructions the sum.
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

/// Lines of the source between two executed ones that are shown all the same.
const GAP: u32 = 6;

/// The files of the source, the one with the most executions first.
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
