//! A link of the chain that finds `rust-src` (see [`super`]). It downloads Debian's package
//! `rust-src` and unpacks it, without installing it.
//!
//! Law: the link changes only the cache folder of this machine. apt's lists, cache and status are
//! in private folders, so the link needs no root rights and does not affect the machine's own apt.
//! The package is signed by a key of the machine's keyring, and has the requested release.
//!
//! ```text
//! apt-get update    (private lists, the machine's mirror, one group of suites)
//! apt-get download  rust-src=1.95.0*
//! dpkg-deb --fsys-tarfile *.deb | tar -x ./usr/src/rustc-1.95.0/library
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::apt_sources::{Distribution, Source, plan, read};
use super::cache::Draft;
use super::link::Outcome;
use super::{Search, not_packaged};
use crate::process;

/// The programs that the link runs.
pub(super) struct Programs {
    apt_get: PathBuf,
    dpkg_deb: PathBuf,
    tar: PathBuf,
}

/// Returns the programs and sources for the link, or the reason for which the link cannot be tried.
pub(super) fn could(search: &Search) -> Result<(Programs, Vec<Vec<Source>>), String> {
    let find = |name: &str| {
        search
            .machine
            .find(name)
            .ok_or_else(|| format!("there is no {name} in PATH"))
    };
    let programs = Programs {
        apt_get: find("apt-get")?,
        dpkg_deb: find("dpkg-deb")?,
        tar: find("tar")?,
    };
    if !search.toolchain.is_stable() {
        return Err(not_packaged(search.toolchain));
    }
    let distribution = Distribution::read(&search.machine.os_release);
    let searches = plan(&read(&search.machine.apt), &distribution);
    if searches.is_empty() {
        return Err(format!(
            "no source of the distribution's own packages in {}",
            search.machine.apt.display()
        ));
    }
    if !search.machine.network {
        return Err("CARGO_NET_OFFLINE forbids the network".into());
    }
    Ok((programs, searches))
}

pub(super) fn fetch(search: &Search) -> Outcome {
    let (programs, searches) = match could(search) {
        Ok(both) => both,
        Err(why) => return Outcome::NotTried(why),
    };
    let release = &search.toolchain.release;
    let draft = match Draft::new(search.cache) {
        Ok(draft) => draft,
        Err(error) => {
            return Outcome::Failed(format!("no folder in {}: {error}", search.cache.display()));
        }
    };
    let deadline = Instant::now() + search.machine.time_limit;
    let mut said = Vec::new();
    for (index, sources) in searches.iter().enumerate() {
        let suites: Vec<_> = sources.iter().flat_map(|s| s.suites.clone()).collect();
        let desk = draft.path().join(format!("search-{index}"));
        let attempt = Attempt {
            search,
            programs: &programs,
            desk: &desk,
            deadline,
        };
        match attempt.download(sources) {
            Err(why) => said.push((suites.join(" "), why)),
            Ok(package) => {
                let origin = format!("{} from {}", file_name(&package), suites.join(" "));
                return match attempt
                    .unpack(&package)
                    .and_then(|tree| draft.publish(&tree, search.cache, release, &origin))
                {
                    Ok(library) => Outcome::Found(library),
                    Err(why) => Outcome::Failed(format!("{}: {why}", file_name(&package))),
                };
            }
        }
    }
    Outcome::Failed(format!(
        "no rust-src {release} to be had by apt ({})",
        grouped(said)
    ))
}

/// Lists the suites with their messages. Suites with the same message are listed together.
fn grouped(said: Vec<(String, String)>) -> String {
    let mut groups: Vec<(String, String)> = Vec::new();
    for (suite, why) in said {
        match groups.iter_mut().find(|(_, known)| *known == why) {
            Some((suites, _)) => *suites = format!("{suites}, {suite}"),
            None => groups.push((suite, why)),
        }
    }
    let groups: Vec<_> = groups
        .into_iter()
        .map(|(suites, why)| format!("{suites}: {why}"))
        .collect();
    groups.join("; ")
}

/// Returns the reason in apt's words, without the address that apt could not fetch.
fn reason(stderr: &str) -> Option<&str> {
    let error = stderr.lines().find_map(|line| line.strip_prefix("E: "))?;
    let fetch = error.strip_prefix("Failed to fetch ");
    let after_address = fetch.and_then(|rest| rest.split_once("  "));
    Some(after_address.map_or(error, |(_, why)| why).trim())
}

/// One group of suites, with a private folder for all of apt's files.
struct Attempt<'a> {
    search: &'a Search<'a>,
    programs: &'a Programs,
    desk: &'a Path,
    /// The time at which the link must end. The time limit holds for all groups together.
    deadline: Instant,
}

impl Attempt<'_> {
    fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Fetches the package if the suites of `sources` have it.
    fn download(&self, sources: &[Source]) -> Result<PathBuf, String> {
        let io = |error: std::io::Error| format!("{}: {error}", self.desk.display());
        for folder in ["lists/partial", "cache/archives/partial", "package"] {
            fs::create_dir_all(self.desk.join(folder)).map_err(io)?;
        }
        let stanzas: Vec<_> = sources.iter().map(Source::stanza).collect();
        fs::write(self.desk.join("search.sources"), stanzas.join("\n")).map_err(io)?;
        fs::write(self.desk.join("status"), "").map_err(io)?;
        // The update fails if one suite does not exist, but the other suites of the group may still
        // have the package. The update's error is therefore reported only if the download fails
        // too.
        let update = self.apt(&["update"]).err();
        let wanted = format!("rust-src={}*", self.search.toolchain.release);
        self.apt(&["download", &wanted])
            .map_err(|why| update.unwrap_or(why))?;
        let entries = fs::read_dir(self.desk.join("package")).map_err(io)?;
        entries
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|e| e == "deb"))
            .ok_or_else(|| "apt-get download ended well but left no package".into())
    }

    fn apt(&self, args: &[&str]) -> Result<(), String> {
        let mut command = Command::new(&self.programs.apt_get);
        for (name, value) in [
            ("Dir::State::Lists", "lists"),
            ("Dir::State::status", "status"),
            ("Dir::Cache", "cache"),
            ("Dir::Etc::sourcelist", "search.sources"),
        ] {
            let value = self.desk.join(value);
            command.arg(format!("-o{name}={}", value.display()));
        }
        command
            .args([
                "-oDir::Etc::sourceparts=/dev/null",
                "-oAcquire::Languages=none",
                "-oAcquire::Retries=1",
                "-oAcquire::http::Timeout=20",
                "-oAcquire::https::Timeout=20",
                "-oAPT::Sandbox::User=",
                "-oAPT::Update::Error-Mode=any",
                "-qq",
            ])
            .args(args)
            .current_dir(self.desk.join("package"))
            .env("PATH", &self.search.machine.path)
            .env("LC_ALL", "C");
        let done = process::run(&mut command, self.time_left());
        ended_well("apt-get", done)
    }

    /// Unpacks the `library` folder of the package, and returns the folder that contains `library`.
    ///
    /// The rest of the package is not unpacked: it also contains the compiler's source, which is
    /// six times as large.
    fn unpack(&self, package: &Path) -> Result<PathBuf, String> {
        let tree = format!("usr/src/rustc-{}", self.search.toolchain.release);
        let path = &self.search.machine.path;
        let mut dpkg = Command::new(&self.programs.dpkg_deb);
        dpkg.arg("--fsys-tarfile").arg(package).env("PATH", path);
        let mut tar = Command::new(&self.programs.tar);
        tar.args(["-xf", "-", "-C"]).arg(self.desk);
        tar.arg(format!("./{tree}/library")).env("PATH", path);
        let done = process::pipe(&mut dpkg, &mut tar, self.time_left());
        ended_well("dpkg-deb and tar", done)?;
        Ok(self.desk.join(tree))
    }
}

fn ended_well(
    name: &str,
    done: Result<process::Finished, process::ProcessError>,
) -> Result<(), String> {
    match done {
        Ok(done) if done.status.success() => Ok(()),
        Ok(done) => Err(match reason(&done.stderr) {
            Some(reason) => reason.to_owned(),
            None => format!("{name}: {}", done.last_words()),
        }),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_told_without_the_address_and_once() {
        let refused = "E: Failed to fetch http://m.test/dists/a/InRelease  Could not connect\n\
                       E: Some index files failed to download.\n";
        assert_eq!(reason(refused), Some("Could not connect"));
        assert_eq!(
            reason("W: x\nE: Version '1*' for 'rust-src' was not found\n"),
            Some("Version '1*' for 'rust-src' was not found")
        );
        assert_eq!(reason("sh: no\n"), None);
        let said = [("a", "no"), ("b", "never"), ("c", "no")];
        let said = said.map(|(suite, why)| (suite.to_owned(), why.to_owned()));
        assert_eq!(grouped(said.into()), "a, c: no; b: never");
    }
}
