//! Programs that end when this process ends, in whatever way it ends.
//!
//! ```text
//!   this process ──pipe──► watchdog, a shell that reads: the pipe ends with this process
//!                          └── its process group: cargo, rustc, build scripts        kill 0
//! ```
//!
//! A signal that ends only this process, such as SIGKILL, would leave cargo running, and rustc
//! after it. A cargo that is killed also leaves its build scripts running, so a build script that
//! uses this module ends when its parent ends.
//!
//! Law: while a [`Bound`] lives, the programs that [`Bound::start`] started, and the programs that
//! these started, are alive only if this process is alive. On systems other than Unix, or without a
//! shell, the programs are not bound.

use std::io;
use std::process::{Child, Command};

#[cfg(unix)]
use std::os::unix::process::{CommandExt, parent_id};
#[cfg(unix)]
use std::process::Stdio;
#[cfg(unix)]
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
#[cfg(unix)]
use std::{thread, time::Duration};

/// The binding of programs to this process. The programs end when this process ends.
pub(crate) struct Bound {
    #[cfg(unix)]
    watchdog: Option<Child>,
    /// The channel whose drop ends the thread that watches the parent.
    #[cfg(unix)]
    _parent: Option<Sender<()>>,
}

#[cfg(unix)]
impl Bound {
    /// Starts the watchdog. With `follows_parent` this process ends when its parent ends.
    pub fn new(follows_parent: bool) -> Self {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "read -r _; kill -s KILL 0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // The programs join this group. Signals of a terminal do not reach the group directly,
            // but the group ends when this process ends.
            .process_group(0);
        Self {
            // Without a shell the build still works, but its programs are not bound to this
            // process.
            watchdog: shell.spawn().ok(),
            _parent: follows_parent.then(end_with_parent),
        }
    }

    /// Starts `command` in the watchdog's group.
    pub fn start(&self, command: &mut Command) -> io::Result<Child> {
        if let Some(group) = (self.watchdog.as_ref()).and_then(|dog| i32::try_from(dog.id()).ok()) {
            command.process_group(group);
        }
        command.spawn()
    }
}

#[cfg(unix)]
impl Drop for Bound {
    /// Ends only the watchdog.
    fn drop(&mut self) {
        if let Some(mut watchdog) = self.watchdog.take() {
            let _ = watchdog.kill();
            let _ = watchdog.wait();
        }
    }
}

/// Ends this process soon after its parent has ended, until the returned sender is dropped.
#[cfg(unix)]
fn end_with_parent() -> Sender<()> {
    let parent = parent_id();
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        while receive.recv_timeout(Duration::from_millis(200)) == Err(RecvTimeoutError::Timeout) {
            if parent_id() != parent {
                std::process::exit(1);
            }
        }
    });
    send
}

#[cfg(not(unix))]
impl Bound {
    pub fn new(_follows_parent: bool) -> Self {
        Self {}
    }

    pub fn start(&self, command: &mut Command) -> io::Result<Child> {
        command.spawn()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::time::Instant;

    /// The variable that tells this test program that it is the process to be killed.
    const ROLE: &str = "CUDA_BUILDER_TEST_BOUND";
    /// Starts another program, as cargo starts rustc, and prints the numbers of both processes.
    const PROGRAM: &str = "sleep 600 & echo $$ $!; wait";

    /// Returns a command that starts this test program again, to run the test of this name in a
    /// role.
    fn again(test: &str, role: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", &format!("bound::tests::{test}"), "--nocapture"])
            .env(ROLE, role)
            .stdout(Stdio::piped());
        command
    }

    /// Returns the process ids that a process prints after `of`.
    fn numbers(from: &mut Child, of: &str) -> Vec<u32> {
        let lines = BufReader::new(from.stdout.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        let line = lines.find_map(|line| line.split_once(of).map(|(_, rest)| rest.to_owned()));
        let line = line.expect("a line with the numbers");
        line.split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect()
    }

    fn lives(process: u32) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
        // A zombie process has ended.
        stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or("").starts_with(" Z"))
    }

    fn all_end(processes: &[u32]) {
        let began = Instant::now();
        while processes.iter().any(|&process| lives(process)) {
            assert!(began.elapsed() < Duration::from_secs(20), "{processes:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Starts the program, prints its numbers, and waits for it.
    fn be_a_build(follows_parent: bool) {
        let bound = Bound::new(follows_parent);
        let mut shell = Command::new("sh");
        shell.args(["-c", PROGRAM]).stdout(Stdio::piped());
        let mut child = bound.start(&mut shell).unwrap();
        let found = numbers(&mut child, "");
        println!("\nstarted {} {} {}", found[0], found[1], std::process::id());
        std::io::stdout().flush().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn what_was_started_ends_with_a_process_that_is_killed() {
        if std::env::var_os(ROLE).is_some() {
            return be_a_build(false);
        }
        let mut build = again(
            "what_was_started_ends_with_a_process_that_is_killed",
            "build",
        )
        .spawn()
        .unwrap();
        let started = numbers(&mut build, "started ");
        assert!(started.iter().all(|&process| lives(process)));
        // This sends SIGKILL, which no program can handle.
        build.kill().unwrap();
        build.wait().unwrap();
        all_end(&started);
    }

    #[test]
    fn a_build_script_ends_with_its_cargo() {
        const NAME: &str = "a_build_script_ends_with_its_cargo";
        match std::env::var(ROLE).as_deref() {
            Ok("script") => return be_a_build(true),
            Ok(_) => {
                let mut script = again(NAME, "script").stdout(Stdio::inherit()).spawn();
                script.as_mut().unwrap().wait().unwrap();
                return;
            }
            Err(_) => {}
        }
        let mut cargo = again(NAME, "cargo").spawn().unwrap();
        let started = numbers(&mut cargo, "started ");
        assert!(started.iter().all(|&process| lives(process)));
        cargo.kill().unwrap();
        cargo.wait().unwrap();
        all_end(&started);
    }

    #[test]
    fn a_program_that_ends_is_waited_for_as_ever() {
        let bound = Bound::new(true);
        let mut shell = Command::new("sh");
        let mut child = bound.start(shell.args(["-c", "exit 7"])).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(7));
    }
}
