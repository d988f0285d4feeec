//! Reads the machine's own apt mirror from its configuration in both of apt's formats, and chooses
//! the mirror's suites that may contain `rust-src`.
//!
//! Law: every URI and keyring that is tried is in the machine's own configuration. Only names of
//! suites are added to that configuration.
//!
//! ```text
//! deb [signed-by=K] URI bookworm main          one line
//!
//! Types: deb                                   deb822, a blank line between stanzas
//! URIs: URI
//! Suites: bookworm bookworm-updates
//! Components: main
//! Signed-By: K
//! ```
//!
//! Source: `sources.list(5)`.

use std::fs;
use std::path::Path;

/// A repository of binary packages, as apt's configuration describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub uris: Vec<String>,
    pub suites: Vec<String>,
    pub components: Vec<String>,
    /// The options that are copied from the configuration, as deb822 fields: `("Signed-By",
    /// "/usr/share/keyrings/...")`.
    pub options: Vec<(String, String)>,
}

impl Source {
    /// Returns the same repository with another suite.
    fn with_suite(&self, suite: &str) -> Self {
        Self {
            suites: vec![suite.to_owned()],
            ..self.clone()
        }
    }

    /// Returns the stanza in deb822 format.
    pub fn stanza(&self) -> String {
        let mut text = format!(
            "Types: deb\nURIs: {}\nSuites: {}\nComponents: {}\n",
            self.uris.join(" "),
            self.suites.join(" "),
            self.components.join(" ")
        );
        for (name, value) in &self.options {
            text.push_str(&format!("{name}: {value}\n"));
        }
        text
    }
}

/// Reads all sources in `apt` (`/etc/apt`): `sources.list`, then the files in `sources.list.d` in
/// the order of their names.
pub(super) fn read(apt: &Path) -> Vec<Source> {
    let mut files = vec![apt.join("sources.list")];
    if let Ok(entries) = fs::read_dir(apt.join("sources.list.d")) {
        let mut more: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        more.sort();
        files.extend(more);
    }
    let mut sources = Vec::new();
    for file in files {
        // apt does not use a file that cannot be read either.
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        match file.extension().and_then(|e| e.to_str()) {
            Some("list") => sources.extend(text.lines().filter_map(one_line)),
            Some("sources") => sources.extend(deb822(&text)),
            _ => {}
        }
    }
    sources
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Reads a line of `sources.list`, or returns `None` for comments, source packages and malformed
/// lines.
fn one_line(line: &str) -> Option<Source> {
    let line = line.split('#').next()?.trim();
    let rest = line.strip_prefix("deb")?;
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    let rest = rest.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(bracketed) => bracketed.split_once(']')?,
        None => ("", rest),
    };
    let mut rest = rest.split_whitespace().map(str::to_owned);
    let uris = vec![rest.next()?];
    let suites = vec![rest.next()?];
    Some(Source {
        uris,
        suites,
        components: rest.collect(),
        options: options
            .split_whitespace()
            .filter_map(|option| option.split_once('='))
            .filter_map(|(name, value)| carried_over(name, &value.replace(',', " ")))
            .collect(),
    })
}

/// Returns the option if it decides whom apt trusts. Returns `None` for all other options
/// (architectures, languages), which only decide what to fetch: this module decides that itself.
fn carried_over(name: &str, value: &str) -> Option<(String, String)> {
    let name = match name.to_ascii_lowercase().as_str() {
        "signed-by" => "Signed-By",
        "trusted" => "Trusted",
        "check-valid-until" => "Check-Valid-Until",
        "check-date" => "Check-Date",
        _ => return None,
    };
    Some((name.to_owned(), value.to_owned()))
}

fn deb822(text: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in text.lines().chain([""]) {
        if line.starts_with('#') {
            continue;
        }
        if line.trim().is_empty() {
            sources.extend(from_fields(&fields));
            fields.clear();
        } else if line.starts_with([' ', '\t']) {
            // The line continues a list, or a key whose text is in the file.
            if let Some((_, value)) = fields.last_mut() {
                value.push('\n');
                value.push_str(line);
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    sources
}

fn from_fields(fields: &[(String, String)]) -> Option<Source> {
    let field = |name: &str| {
        fields
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    };
    let enabled = !field("enabled").is_some_and(|v| v.eq_ignore_ascii_case("no"));
    let binary = words(field("types")?).iter().any(|t| t == "deb");
    if !(enabled && binary) {
        return None;
    }
    Some(Source {
        uris: words(field("uris")?),
        suites: words(field("suites")?),
        components: words(field("components").unwrap_or_default()),
        options: fields
            .iter()
            .filter_map(|(name, value)| carried_over(name, value))
            .collect(),
    })
}

/// The distribution of this machine: `ID` and `VERSION_CODENAME` of `os-release`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Distribution {
    pub id: String,
    pub codename: String,
}

impl Distribution {
    pub fn read(os_release: &Path) -> Self {
        let text = fs::read_to_string(os_release).unwrap_or_default();
        let value = |name: &str| {
            text.lines()
                .filter_map(|line| line.split_once('='))
                .find(|(n, _)| *n == name)
                .map(|(_, v)| v.trim_matches(['"', '\'']).to_owned())
                .unwrap_or_default()
        };
        Self {
            id: value("ID"),
            codename: value("VERSION_CODENAME"),
        }
    }

    /// Returns whether `suite` belongs to the distribution, and not to a third party.
    fn owns(&self, suite: &str) -> bool {
        let base = suite.split(['-', '/']).next().unwrap_or_default();
        base == self.codename
            || ["stable", "testing", "unstable", "oldstable", "sid", "devel"].contains(&base)
    }

    /// Returns the suites, besides those configured, that may have a later compiler.
    fn later_suites(&self) -> Vec<String> {
        match self.id.as_str() {
            "ubuntu" => vec![format!("{}-backports", self.codename), "devel".into()],
            // Debian has a recent rustc for its current release in the first of these suites.
            // Before and after that, the other suites have it.
            _ => [
                "trixie-backports",
                "forky",
                "sid",
                "forky-backports",
                "experimental",
            ]
            .map(str::to_owned)
            .into(),
        }
    }
}

/// Returns the searches to make, in order: all configured sources together, then each later suite
/// of each mirror.
///
/// Law: no suite is searched twice on the same mirror.
pub(super) fn plan(sources: &[Source], distribution: &Distribution) -> Vec<Vec<Source>> {
    let own: Vec<Source> = sources
        .iter()
        .map(|source| Source {
            suites: source
                .suites
                .iter()
                .filter(|suite| distribution.owns(suite))
                .cloned()
                .collect(),
            ..source.clone()
        })
        .filter(|source| !source.suites.is_empty() && !source.components.is_empty())
        .collect();
    if own.is_empty() {
        return Vec::new();
    }
    // Later suites are looked for on the mirror that has the release itself. Security and update
    // archives are on other servers or contain only patches.
    let is_release = |suite: &String| !suite.contains(['-', '/']);
    let mut mirrors: Vec<&Source> = Vec::new();
    for source in own.iter().filter(|s| s.suites.iter().any(is_release)) {
        if mirrors.iter().all(|known| known.uris != source.uris) {
            mirrors.push(source);
        }
    }
    let configured: Vec<&String> = own.iter().flat_map(|source| &source.suites).collect();
    let mut searches = vec![own.clone()];
    for suite in distribution.later_suites() {
        if configured.contains(&&suite) {
            continue;
        }
        let at_mirrors = mirrors.iter().map(|mirror| mirror.with_suite(&suite));
        searches.extend(at_mirrors.map(|source| vec![source]));
    }
    searches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    fn bookworm() -> Distribution {
        Distribution {
            id: "debian".into(),
            codename: "bookworm".into(),
        }
    }

    #[test]
    fn both_formats_say_the_same() {
        let line = one_line(
            "deb [arch=amd64 signed-by=/k.gpg] http://mirror.test/debian bookworm main contrib # x",
        )
        .unwrap();
        let stanza = deb822(
            "# comment\nTypes: deb deb-src\n# inside\nURIs: http://mirror.test/debian\n\
             Suites: bookworm\nComponents: main\n contrib\nSigned-By: /k.gpg\n",
        );
        assert_eq!(stanza, vec![line.clone()]);
        // A stanza that is written and read again is the same source.
        assert_eq!(deb822(&line.stanza()), vec![line]);
    }

    #[test]
    fn what_is_no_binary_source_is_skipped() {
        for line in [
            "",
            "# deb http://m.test/ x main",
            "deb-src http://m.test/ x main",
            "deb",
        ] {
            assert_eq!(one_line(line), None, "{line}");
        }
        for text in [
            "Types: deb-src\nURIs: http://m.test\nSuites: x\n",
            "Types: deb\nEnabled: no\nURIs: http://m.test\nSuites: x\n",
            "Types: deb\nSuites: x\n",
        ] {
            assert_eq!(deb822(text), vec![], "{text}");
        }
    }

    #[test]
    fn an_embedded_key_survives() {
        let text = "Types: deb\nURIs: http://m.test\nSuites: bookworm\nComponents: main\n\
                    Signed-By:\n -----BEGIN-----\n .\n abc\n";
        let source = &deb822(text)[0];
        assert_eq!(deb822(&source.stanza()), vec![source.clone()]);
        assert!(source.stanza().contains("\n -----BEGIN-----\n .\n abc\n"));
    }

    #[test]
    fn files_are_read_in_order() {
        let scratch = Scratch::new("apt-files");
        scratch.write("sources.list", "deb http://one.test stable main\n");
        scratch.write(
            "sources.list.d/b.list",
            "deb http://three.test stable main\n",
        );
        scratch.write(
            "sources.list.d/a.sources",
            "Types: deb\nURIs: http://two.test\nSuites: stable\nComponents: main\n",
        );
        scratch.write(
            "sources.list.d/c.list.save",
            "deb http://no.test stable main\n",
        );
        let uris: Vec<_> = read(scratch.path())
            .into_iter()
            .flat_map(|s| s.uris)
            .collect();
        assert_eq!(
            uris,
            ["http://one.test", "http://two.test", "http://three.test"]
        );
        assert_eq!(read(Path::new("/nonexistent")), vec![]);
    }

    #[test]
    fn the_plan_adds_suites_to_the_machines_own_mirror_only() {
        let sources: Vec<Source> = [
            "deb [signed-by=/k] http://mirror.test/debian bookworm main",
            "deb [signed-by=/k] http://mirror.test/security bookworm-security main",
            "deb http://third.party.test/ stuff main",
            "deb http://flat.test/ ./",
        ]
        .iter()
        .filter_map(|line| one_line(line))
        .collect();
        assert_eq!(sources.len(), 4);
        let plan = plan(&sources, &bookworm());
        assert_eq!(plan[0], sources[..2], "what is configured comes first");
        let later: Vec<_> = plan[1..].iter().flatten().collect();
        assert!(
            later
                .iter()
                .all(|s| s.uris == sources[0].uris && s.options == sources[0].options)
        );
        assert_eq!(later[0].suites, ["trixie-backports"]);
        let mut tried: Vec<_> = plan
            .iter()
            .flatten()
            .map(|s| (&s.uris, &s.suites))
            .collect();
        let all = tried.len();
        tried.dedup();
        assert_eq!(tried.len(), all);
    }

    #[test]
    fn a_configured_suite_is_not_tried_again() {
        let sources = [one_line("deb http://m.test/debian sid main").unwrap()];
        let distribution = Distribution {
            id: "debian".into(),
            codename: String::new(),
        };
        let plan = plan(&sources, &distribution);
        let suites: Vec<_> = plan.iter().flatten().flat_map(|s| &s.suites).collect();
        assert_eq!(
            suites.iter().filter(|s| **s == "sid").count(),
            1,
            "{suites:?}"
        );
    }

    #[test]
    fn no_source_of_its_own_means_no_search() {
        let sources = [one_line("deb http://third.party.test/ stuff main").unwrap()];
        assert_eq!(plan(&sources, &bookworm()), Vec::<Vec<Source>>::new());
    }

    #[test]
    fn the_distribution_is_read_from_its_own_words() {
        let scratch = Scratch::new("os-release");
        let file = scratch.write("os-release", "ID=debian\nVERSION_CODENAME=\"bookworm\"\n");
        assert_eq!(Distribution::read(&file), bookworm());
        assert_eq!(
            Distribution::read(Path::new("/nonexistent")),
            Distribution::default()
        );
    }
}
