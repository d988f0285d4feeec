//! Replaces the many errors for a dependency that was built with `std` by one sentence.
//!
//! ```text
//!   half = "2"        default-features = true ──► feature std ──► error: can't find crate for `std`, 105 times
//!     └──────────────────────────────────────────────────────────► "`k` depends on `half` with its default features ..."
//! ```
//!
//! Law: the sentence names the crate that looked for `std`, which rustc's messages state, and the
//! manifest that depends on that crate, which cargo states. The host has `std`, so `cargo check` of
//! a kernel crate passes even if the crate does not build for a GPU.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::compile::Places;
use crate::environment::stopped;
use crate::error::CudaBuilderError;
use crate::process;

/// rustc's message, which is matched with or without colours.
const NO_STD: &[u8] = b"can't find crate for `std`";

/// The time limit for cargo, which has to read all manifests.
const LIMIT: Duration = Duration::from_secs(120);

/// Returns the start of the first line that contains [`NO_STD`], or `None` if no line does.
pub(crate) fn first_line(messages: &[u8]) -> Option<usize> {
    let at = messages
        .windows(NO_STD.len())
        .position(|words| words == NO_STD)?;
    let line = messages[..at].iter().rposition(|&byte| byte == b'\n');
    Some(line.map_or(0, |end| end + 1))
}

/// Returns the error if `rendered` shows that a dependency looked for `std`, or `None` if only the
/// kernel crate itself or no crate looked for it.
pub(crate) fn find(rendered: &str, places: &Places) -> Option<CudaBuilderError> {
    first_line(rendered.as_bytes())?;
    let dependency = failed(rendered).find(|name| *name != places.kernels.package)?;
    let packages = packages(places).unwrap_or_default();
    Some(CudaBuilderError::NeedsStd {
        dependency: dependency.to_owned(),
        cure: cure(dependency, &places.kernels.package, &packages),
    })
}

/// Returns whether rustc reports that it did not find `cuda_std`.
pub(crate) fn misses_cuda_std(rendered: &str) -> bool {
    [
        "module or crate `cuda_std`",
        "unlinked crate `cuda_std`",
        "unresolved import `cuda_std`",
        "crate for `cuda_std`",
    ]
    .iter()
    .any(|words| rendered.contains(words))
}

/// Returns what to write instead, if rustc's messages report an item that only `std` has or an item
/// that is defined twice. Returns `None` otherwise.
pub(crate) fn known_cure(rendered: &str, package: &str) -> Option<String> {
    let twice = "duplicate lang item `panic_impl`";
    if rendered.contains(twice) && rendered.contains("`cuda_std`") {
        return Some(format!(
            "the kernel crate `{package}` has a #[panic_handler] of its own{}, and `cuda_std` has one, which prints and traps: leave it out",
            place(rendered, twice)
        ));
    }
    let of_std = [
        "module or crate `std`",
        "unlinked crate `std`",
        "unresolved import `std`",
    ];
    if let Some(words) = of_std.iter().find(|words| rendered.contains(**words)) {
        return Some(format!(
            "the kernel crate `{package}` names `std`{}, which a GPU does not have: `core` has what needs no system, `cuda_std` what a GPU has \
             of the rest",
            place(rendered, words)
        ));
    }
    let of_alloc = ["Vec", "String", "Box"].map(|name| format!("type `{name}` in this scope"));
    let macros = ["vec", "format"].map(|name| format!("macro `{name}` in this scope"));
    let words = (of_alloc.iter().chain(&macros)).find(|words| rendered.contains(&***words))?;
    let name = words.split('`').nth(1)?;
    Some(format!(
        "the kernel crate `{package}` uses `{name}`{}, which allocates, and kernels are built with `core` alone: an array or a fragment in \
         registers, `shared_array!` for the block, a buffer of the host's for more",
        place(rendered, words)
    ))
}

/// Returns the place of the message that contains `words`, such as ` (src/lib.rs:5)`, or an empty
/// string if rustc names no place.
fn place(rendered: &str, words: &str) -> String {
    let behind = rendered
        .find(words)
        .and_then(|at| rendered[at..].split_once("--> "));
    // The line with the place, without colour codes.
    let line = behind
        .and_then(|(_, rest)| rest.lines().next())
        .unwrap_or_default();
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default();
    let coloured = parts.filter_map(|part| part.split_once('m').map(|(_, text)| text));
    let plain: String = std::iter::once(first).chain(coloured).collect();
    match plain.trim().rsplit_once(':') {
        Some((place, _column)) => format!(" ({place})"),
        None => String::new(),
    }
}

/// Returns the packages that did not compile, from cargo's messages.
fn failed(rendered: &str) -> impl Iterator<Item = &str> {
    let parts = rendered.split("could not compile `").skip(1);
    parts.filter_map(|rest| rest.split_once('`').map(|(name, _)| name))
}

/// Returns the packages of the kernel crate's workspace, as cargo describes them.
fn packages(places: &Places) -> Option<Vec<Value>> {
    let manifest = places.kernels.folder.join("Cargo.toml");
    let mut command = Command::new(&places.toolchain.cargo);
    command
        .args(["metadata", "--no-deps", "--format-version=1"])
        .arg("--manifest-path")
        .arg(manifest)
        .current_dir(&places.kernels.folder);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(stopped) {
            command.env_remove(name);
        }
    }
    let done = process::run(&mut command, LIMIT).ok()?;
    let metadata: Value = serde_json::from_str(&done.stdout).ok()?;
    metadata["packages"].as_array().cloned()
}

/// Returns the sentence that names the manifest that depends on `dependency` with `std`. The kernel
/// crate's manifest takes precedence over other manifests of the workspace.
fn cure(dependency: &str, kernels: &str, packages: &[Value]) -> String {
    let mut ordered: Vec<&Value> = packages.iter().collect();
    ordered.sort_by_key(|package| package["name"] != kernels);
    let asks = |package: &&Value| {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        dependencies
            .filter(|of| of["name"] == dependency && of["kind"].is_null())
            .find(|of| of["uses_default_features"] == true || features(of).contains(&"std"))
            .cloned()
    };
    let from = ordered
        .iter()
        .filter(|package| package["name"] == kernels || !builds_for_the_host(package))
        .find_map(|package| Some((package["name"].as_str()?, asks(package)?)));
    let Some((package, of)) = from else {
        return format!(
            "the kernel crate `{kernels}` needs `{dependency}`, which was built with std, and a GPU has no std: take the dependency that \
             brings it with default-features = false (`cargo tree -p {kernels} -i {dependency}` names it), or do without"
        );
    };
    let how = match of["uses_default_features"] == true {
        true => "its default features, std among them",
        false => "its feature std",
    };
    let kept: Vec<_> = features(&of)
        .into_iter()
        .filter(|feature| *feature != "std")
        .collect();
    let kept = match kept.is_empty() {
        true => String::new(),
        false => format!(", features = {kept:?}"),
    };
    let version = of["req"].as_str().unwrap_or("*").trim_start_matches('^');
    let manifest = match package == kernels {
        true => "its Cargo.toml".to_owned(),
        false => format!("the Cargo.toml of `{package}`"),
    };
    format!(
        "the kernel crate `{package}` depends on `{dependency}` with {how}, and a GPU has no std: write \
         {dependency} = {{ version = \"{version}\", default-features = false{kept} }} in {manifest}"
    )
}

fn features(dependency: &Value) -> Vec<&str> {
    let features = dependency["features"].as_array().into_iter().flatten();
    features.filter_map(Value::as_str).collect()
}

/// Returns whether a package has no library. Such a package is built only for the host, so its
/// dependencies are not those of the kernel.
fn builds_for_the_host(package: &Value) -> bool {
    let targets = package["targets"].as_array().into_iter().flatten();
    let mut kinds = targets.flat_map(|target| target["kind"].as_array().into_iter().flatten());
    !kinds.any(|kind| matches!(kind.as_str(), Some("lib" | "rlib" | "cdylib")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_line_and_the_crates_are_those_of_the_messages() {
        let messages = "   Compiling half v2.7.1\nerror[E0463]: can't find crate for `std`\n  |\n\
                        error: could not compile `half` (lib) due to 105 previous errors\n";
        let at = first_line(messages.as_bytes()).unwrap();
        assert!(messages[at..].starts_with("error[E0463]"));
        assert_eq!(failed(messages).collect::<Vec<_>>(), ["half"]);
        assert_eq!(first_line(b"error: another\n"), None);
        assert!(misses_cuda_std(
            "error[E0433]: cannot find module or crate `cuda_std` in this scope"
        ));
        assert!(!misses_cuda_std(messages));
    }

    #[test]
    fn the_cure_is_a_line_of_the_manifest_that_asked() {
        let of = |defaults: bool, features: &[&str]| json!({"name": "half", "req": "^2.7", "kind": null, "uses_default_features": defaults, "features": features});
        let package = |name: &str, kind: &str, of: Value| json!({"name": name, "targets": [{"kind": [kind]}], "dependencies": [of]});
        let host = package("app", "bin", of(true, &[]));
        let packages = [
            host.clone(),
            package("k", "cdylib", of(true, &["bytemuck"])),
        ];
        assert_eq!(
            cure("half", "k", &packages),
            "the kernel crate `k` depends on `half` with its default features, std among them, and a GPU has no std: write \
             half = { version = \"2.7\", default-features = false, features = [\"bytemuck\"] } in its Cargo.toml"
        );
        let packages = [host.clone(), package("k", "cdylib", of(false, &["std"]))];
        assert!(cure("half", "k", &packages).contains("with its feature std, "));
        // Here `half` is a dependency of a dependency from a registry.
        assert!(cure("half", "k", &[host]).contains("cargo tree -p k -i half"));
    }
}
