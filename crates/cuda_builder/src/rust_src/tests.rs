//! Tests each link of the chain, on machines on which all other links fail.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread;

use super::*;
use crate::testing::{Scratch, script};

const RELEASE: &str = "1.95.0";

/// A machine that consists only of a folder: a sysroot, a /usr/src, an /etc, a PATH.
struct Bench {
    scratch: Scratch,
    toolchain: Toolchain,
    machine: Machine,
}

impl Bench {
    fn new(name: &str) -> Self {
        let scratch = Scratch::new(name);
        let at = |path: &str| scratch.path().join(path);
        let toolchain = Toolchain {
            rustc: "rustc".into(),
            cargo: "cargo".into(),
            release: RELEASE.into(),
            commit: None,
            host: "host".into(),
            llvm: None,
            sysroot: at("toolchains/mine"),
        };
        let machine = Machine {
            named: None,
            usr_src: at("usr-src"),
            path: at("bin").into(),
            apt: at("apt"),
            os_release: at("os-release"),
            network: true,
            time_limit: Duration::from_secs(60),
        };
        for folder in ["toolchains/mine", "usr-src", "bin"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        scratch.write("os-release", "ID=debian\nVERSION_CODENAME=bookworm\n");
        scratch.write(
            "apt/sources.list",
            "deb [signed-by=/k] http://mirror.test/debian bookworm main\n",
        );
        Self {
            scratch,
            toolchain,
            machine,
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.scratch.path().join(path)
    }

    fn cache(&self) -> PathBuf {
        self.at("cache")
    }

    fn locate(&self) -> Report {
        locate(&self.toolchain, &self.cache(), &self.machine)
    }

    fn provision(&self) -> Result<(Location, Report), RustSrcError> {
        provision(&self.toolchain, &self.cache(), &self.machine)
    }

    /// Writes a complete `library` folder, with empty files.
    fn library(&self, path: &str) -> PathBuf {
        for file in workspace::FILES {
            self.scratch.write(&format!("{path}/{file}"), "");
        }
        self.at(path)
    }

    /// Puts a program with `body` into the machine's PATH. The commands in `body` are those of the
    /// real machine.
    fn program(&self, name: &str, body: &str) {
        let own = process::own_path();
        let body = format!("PATH='{}'\n{body}", own.display());
        script(&self.at("bin").join(name), &body);
    }

    /// Adds a `dpkg-deb` for packages that are tar files, and the real machine's tar.
    fn unpackers(&self) {
        self.program("dpkg-deb", "cat \"$2\"");
        let tar = process::find_in_path("tar", &process::own_path()).expect("tar");
        symlink(tar, self.at("bin/tar")).unwrap();
    }

    /// Adds an `apt-get` that has the package, as a tar file of the folder `package`, in `suite`
    /// only. The program writes its arguments to the file `asked`.
    fn apt_get(&self, suite: &str) {
        let body = format!(
            r#"echo "$@" >> '{asked}'
for arg in "$@"; do case $arg in
  -oDir::Etc::sourcelist=*) list=${{arg#*=}} ;;
  update) exit 0 ;;
  rust-src=1.95.0\*)
    if grep -q '^Suites: {suite}$' "$list"; then
      tar -cf rust-src_1.95.0+dfsg1-2_all.deb -C '{package}' ./usr
    else
      echo "E: Version '1.95.0*' for 'rust-src' was not found" >&2; exit 100
    fi ;;
esac; done"#,
            asked = self.at("asked").display(),
            package = self.at("package").display(),
        );
        self.program("apt-get", &body);
    }
}

fn kinds(report: &Report) -> Vec<Link> {
    report.steps.iter().map(|step| step.link).collect()
}

#[test]
fn named_wins_over_everything_and_is_believed_only_when_whole() {
    let mut bench = Bench::new("named");
    bench.library("usr-src/rustc-1.95.0/library");
    let mine = bench.library("mine");
    bench.machine.named = Some(mine.clone());
    let (location, report) = bench.provision().unwrap();
    assert_eq!(location.library, mine);
    assert_eq!(kinds(&report), [Link::Named]);

    fs::remove_file(mine.join("core/src/lib.rs")).unwrap();
    let (location, report) = bench.provision().unwrap();
    assert_eq!(location.link, Link::UsrSrc);
    let said = report.outcome(Link::Named).unwrap().to_string();
    assert!(
        said.contains("no core/src/lib.rs") && said.contains(NAMED_BY),
        "{said}"
    );
}

#[test]
fn the_sysroot_comes_before_usr_src_and_usr_src_before_the_cache() {
    let bench = Bench::new("order");
    let cached = bench.library("cache/1.95.0/library");
    bench
        .scratch
        .write("cache/1.95.0/stamp", "rust-src 1.95.0\nfrom a test\n");
    assert_eq!(bench.locate().location().unwrap().library, cached);

    let usr_src = bench.library("usr-src/rustc-1.95.0/library");
    assert_eq!(bench.locate().location().unwrap().library, usr_src);

    let sysroot = bench.library("toolchains/mine/lib/rustlib/src/rust/library");
    let (location, report) = bench.provision().unwrap();
    assert_eq!(
        location,
        Location {
            library: sysroot,
            link: Link::Sysroot
        }
    );
    assert_eq!(kinds(&report), [Link::Named, Link::Sysroot]);
    assert_eq!(bench.locate().location(), Some(location));
}

#[test]
fn usr_src_must_be_of_this_very_release() {
    let mut bench = Bench::new("release");
    bench.library("usr-src/rustc-1.94.0/library");
    bench.library("usr-src/rustc-1.95.0-nightly/library");
    assert_eq!(bench.locate().location(), None);
    bench.toolchain.release = "1.95.0-nightly".into();
    let report = bench.locate();
    assert_eq!(
        report.location(),
        None,
        "a nightly's source is no distribution's"
    );
    let said = report.outcome(Link::UsrSrc).unwrap().to_string();
    assert!(said.contains("stable releases only"), "{said}");
}

#[test]
fn a_cache_that_is_not_whole_is_not_used() {
    let bench = Bench::new("cache");
    let library = bench.library("cache/1.95.0/library");
    let said = |bench: &Bench| bench.locate().outcome(Link::Cache).unwrap().to_string();
    assert!(
        said(&bench).contains("not whole"),
        "no stamp: {}",
        said(&bench)
    );
    bench
        .scratch
        .write("cache/1.95.0/stamp", "rust-src 1.94.0\n");
    assert!(
        said(&bench).contains("not whole"),
        "another release's: {}",
        said(&bench)
    );
    bench
        .scratch
        .write("cache/1.95.0/stamp", "rust-src 1.95.0\n");
    fs::remove_file(library.join("alloc/src/lib.rs")).unwrap();
    assert!(
        said(&bench).contains("no alloc/src/lib.rs"),
        "{}",
        said(&bench)
    );
    bench.library("cache/1.95.0/library");
    assert!(said(&bench).starts_with("found"), "{}", said(&bench));
}

#[test]
fn rustup_adds_to_the_toolchain_in_use() {
    let bench = Bench::new("rustup");
    let library = "toolchains/mine/lib/rustlib/src/rust/library";
    let ready = bench.library("ready");
    let into = bench.at(library);
    bench.program(
        "rustup",
        &format!(
            "[ \"$*\" = 'component add rust-src --toolchain mine' ] || exit 9\n\
             mkdir -p '{0}' && cp -r '{1}/.' '{0}'",
            into.display(),
            ready.display()
        ),
    );
    let report = bench.locate();
    assert_eq!(report.location(), None, "looking changes nothing");
    assert_eq!(
        report.outcome(Link::Rustup),
        Some(&Outcome::NotTried("can be tried".into()))
    );
    let (location, report) = bench.provision().unwrap();
    assert_eq!(
        location,
        Location {
            library: into,
            link: Link::Rustup
        }
    );
    assert_eq!(kinds(&report).last(), Some(&Link::Rustup));
    // From now on the sysroot has the component.
    assert_eq!(bench.locate().location().unwrap().link, Link::Sysroot);
}

#[test]
fn rustup_that_fails_lies_or_hangs_is_an_outcome() {
    let mut bench = Bench::new("rustup-fails");
    let said = |bench: &Bench| {
        let error = bench.provision().unwrap_err();
        error.report.outcome(Link::Rustup).unwrap().to_string()
    };
    assert!(
        said(&bench).contains("no rustup in PATH"),
        "{}",
        said(&bench)
    );
    bench.program("rustup", "echo 'error: could not download' >&2; exit 1");
    assert!(
        said(&bench).contains("could not download"),
        "{}",
        said(&bench)
    );
    bench.program("rustup", "exit 0");
    assert!(said(&bench).contains("ended well, but"), "{}", said(&bench));
    bench.machine.time_limit = Duration::from_millis(200);
    bench.program("rustup", "exec sleep 60");
    assert!(said(&bench).contains("stopped after"), "{}", said(&bench));
    bench.machine.network = false;
    assert!(
        said(&bench).contains("CARGO_NET_OFFLINE"),
        "{}",
        said(&bench)
    );
    bench.machine.network = true;
    bench.toolchain.sysroot = bench.at("usr-src");
    assert!(
        said(&bench).contains("not one of rustup's"),
        "{}",
        said(&bench)
    );
}

#[test]
fn apt_tries_what_is_configured_then_later_suites_and_fills_the_cache() {
    let bench = Bench::new("apt");
    bench.library("package/usr/src/rustc-1.95.0/library");
    bench
        .scratch
        .write("package/usr/src/rustc-1.95.0/compiler/big.rs", "");
    bench.unpackers();
    bench.apt_get("trixie-backports");
    let (location, _) = bench.provision().unwrap();
    assert_eq!(location.link, Link::Apt);
    assert_eq!(location.library, bench.at("cache/1.95.0/library"));
    let home = bench.at("cache/1.95.0");
    assert!(
        !home.join("compiler").exists(),
        "only the library is unpacked"
    );
    let stamp = fs::read_to_string(home.join("stamp")).unwrap();
    assert!(
        stamp.contains("rust-src_1.95.0+dfsg1-2_all.deb from trixie-backports"),
        "{stamp}"
    );
    // The requests are an update and a download for bookworm, and then for trixie-backports, all in
    // private folders.
    let asked = fs::read_to_string(bench.at("asked")).unwrap();
    let asked: Vec<_> = asked.lines().collect();
    assert_eq!(asked.len(), 4, "{asked:#?}");
    let cache = bench.cache();
    for line in &asked {
        for option in ["Dir::State::Lists", "Dir::State::status", "Dir::Cache"] {
            let private = format!("-o{option}={}/.new-", cache.display());
            assert!(line.contains(&private), "{line}");
        }
        assert!(line.contains("-oDir::Etc::sourceparts=/dev/null"), "{line}");
    }
    // Only the tree is left, and the next run takes it from the cache.
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 1);
    assert_eq!(bench.locate().location().unwrap().link, Link::Cache);
}

#[test]
fn apt_replaces_a_broken_tree() {
    let bench = Bench::new("apt-broken");
    bench.library("package/usr/src/rustc-1.95.0/library");
    bench.unpackers();
    bench.apt_get("bookworm");
    bench
        .scratch
        .write("cache/1.95.0/stamp", "rust-src 1.95.0\n");
    bench
        .scratch
        .write("cache/1.95.0/library/core/src/lib.rs", "");
    assert_eq!(bench.locate().location(), None);
    assert_eq!(bench.provision().unwrap().0.link, Link::Apt);
    assert_eq!(fs::read_dir(bench.cache()).unwrap().count(), 1);
}

#[test]
fn apt_that_hangs_takes_the_time_of_one_link_for_all_suites() {
    let mut bench = Bench::new("apt-hangs");
    bench.unpackers();
    bench.program("apt-get", "exec sleep 60");
    bench.machine.time_limit = Duration::from_millis(300);
    let started = Instant::now();
    let error = bench.provision().unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(20));
    let said = error.report.outcome(Link::Apt).unwrap().to_string();
    assert!(said.contains("bookworm: apt-get: stopped after"), "{said}");
}

#[test]
fn a_package_that_does_not_hold_the_library_is_refused() {
    let bench = Bench::new("apt-foreign");
    bench.library("package/usr/src/rustc-1.95.0/library");
    fs::remove_file(bench.at("package/usr/src/rustc-1.95.0/library/core/Cargo.toml")).unwrap();
    bench.unpackers();
    bench.apt_get("bookworm");
    let error = bench.provision().unwrap_err();
    let said = error.report.outcome(Link::Apt).unwrap().to_string();
    assert!(said.contains("no core/Cargo.toml"), "{said}");
    assert_eq!(
        fs::read_dir(bench.cache()).unwrap().count(),
        0,
        "nothing is left"
    );
    fs::remove_dir_all(bench.at("package/usr/src/rustc-1.95.0")).unwrap();
    bench
        .scratch
        .write("package/usr/src/rustc-1.94.0/library/core/Cargo.toml", "");
    let error = bench.provision().unwrap_err();
    let said = error.report.outcome(Link::Apt).unwrap().to_string();
    assert!(said.contains("tar"), "{said}");
}

#[test]
fn processes_that_provision_at_once_all_end_with_a_whole_tree() {
    let bench = Bench::new("race");
    bench.library("package/usr/src/rustc-1.95.0/library");
    bench.unpackers();
    bench.apt_get("bookworm");
    let found = thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| bench.provision())).collect();
        runs.into_iter()
            .map(|run| run.join().unwrap().unwrap().0.library)
            .collect::<Vec<_>>()
    });
    assert!(
        found
            .iter()
            .all(|library| library == &bench.at("cache/1.95.0/library"))
    );
    assert_eq!(bench.locate().location().unwrap().link, Link::Cache);
    assert_eq!(
        fs::read_dir(bench.cache()).unwrap().count(),
        1,
        "no drafts are left"
    );
}

#[test]
fn with_nothing_reachable_every_link_speaks_and_one_command_is_named() {
    let bench = Bench::new("nothing");
    bench.unpackers();
    bench.program("rustup", "echo 'error: no network' >&2; exit 1");
    bench.program("apt-get", "echo 'E: no network either' >&2; exit 100");
    let error = bench.provision().unwrap_err();
    assert_eq!(kinds(&error.report), Link::ALL);
    assert_eq!(
        error.command,
        "rustup component add rust-src --toolchain mine"
    );
    let text = error.to_string();
    for part in [
        "no network",
        "no network either",
        "/usr/src",
        "sysroot",
        "cache",
        RELEASE,
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(text.matches(&error.command).count(), 1, "{text}");
    assert!(text.ends_with(&error.command), "{text}");

    fs::remove_file(bench.at("bin/rustup")).unwrap();
    let error = bench.provision().unwrap_err();
    assert_eq!(error.command, "sudo apt-get install 'rust-src=1.95.0*'");
}

#[test]
fn apt_says_what_it_lacks() {
    let mut bench = Bench::new("apt-lacks");
    let said = |bench: &Bench| bench.locate().outcome(Link::Apt).unwrap().to_string();
    assert!(
        said(&bench).contains("no apt-get in PATH"),
        "{}",
        said(&bench)
    );
    bench.apt_get("bookworm");
    assert!(
        said(&bench).contains("no dpkg-deb in PATH"),
        "{}",
        said(&bench)
    );
    bench.unpackers();
    assert!(said(&bench).contains("can be tried"), "{}", said(&bench));
    bench.machine.network = false;
    assert!(
        said(&bench).contains("CARGO_NET_OFFLINE"),
        "{}",
        said(&bench)
    );
    fs::remove_file(bench.at("apt/sources.list")).unwrap();
    assert!(
        said(&bench).contains("no source of the distribution"),
        "{}",
        said(&bench)
    );
    bench.toolchain.release = "1.95.0-beta.2".into();
    assert!(
        said(&bench).contains("stable releases only"),
        "{}",
        said(&bench)
    );
}

#[test]
fn the_core_workspace_links_to_the_library_and_is_made_once() {
    let bench = Bench::new("core");
    let library = bench.library("library");
    let home = bench.at("home");
    fs::create_dir_all(&home).unwrap();
    let core = core_workspace(&library, &home).unwrap();
    assert_eq!(core_workspace(&library, &home).unwrap(), core);
    assert_eq!(missing(&core), None);
    // A workspace that was broken by hand is made again.
    fs::remove_file(core.join("core")).unwrap();
    assert!(missing(&core).is_some());
    assert_eq!(core_workspace(&library, &home).unwrap(), core);
    assert_eq!(missing(&core), None);
    // Another library has another workspace.
    let other = bench.library("other");
    assert_ne!(core_workspace(&other, &home).unwrap(), core);
    assert!(core_workspace(&bench.at("nowhere"), &home).is_err());
}

/// The folder gets another name, which is not below any workspace. A folder that does not exist
/// keeps its name.
#[test]
#[cfg(target_os = "linux")]
fn the_core_workspace_has_a_name_in_no_workspace() {
    let bench = Bench::new("outside");
    let home = bench.at("home");
    fs::create_dir_all(&home).unwrap();
    let outside = outside_of_workspaces(home.clone());
    assert!(outside != home && outside.ends_with(home.strip_prefix("/").unwrap()));
    assert_eq!(
        outside.canonicalize().unwrap(),
        home.canonicalize().unwrap()
    );
    assert_eq!(
        outside_of_workspaces(bench.at("nowhere")),
        bench.at("nowhere")
    );
}

fn missing(core: &Path) -> Option<&'static str> {
    workspace::missing_part(core)
}
