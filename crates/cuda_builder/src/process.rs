//! Runs a program with a time limit, and captures its output.
//!
//! Law: [`run`] returns within its limit (plus the time to kill one process), whatever the program
//! does. If a program waits for a network that does not answer, the build therefore ends with an
//! error and does not hang.
//!
//! ```text
//! spawn ──┬── exits ───────────────> Finished { status, stdout, stderr }
//!         └── limit passes, killed ─> ProcessError::TimedOut
//! ```

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The result of a program that ran to its end.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The program's exit status.
    pub status: ExitStatus,
    /// The program's standard output, as text.
    pub stdout: String,
    /// The program's standard error, as text.
    pub stderr: String,
}

impl Finished {
    /// Returns the last lines that the program wrote, for a short message about a failure.
    pub fn last_words(&self) -> String {
        let text = if self.stderr.trim().is_empty() {
            &self.stdout
        } else {
            &self.stderr
        };
        let lines: Vec<_> = text
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty())
            .collect();
        lines[lines.len().saturating_sub(3)..].join("; ")
    }
}

/// Why a program did not run to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessError {
    #[error("could not start {}: {source}", program.display())]
    Start {
        program: PathBuf,
        source: std::io::Error,
    },
    #[error("stopped after {:.1} seconds without an end", limit.as_secs_f32())]
    TimedOut { limit: Duration },
}

/// Finds the executable `name` in the folders of `path`, as a shell would.
pub(crate) fn find_in_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|dir| dir.join(name))
        .find(|candidate| is_executable(candidate))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file() || file.with_extension("exe").is_file()
}

/// Runs `command` with no input, for at most `limit`.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<Finished, ProcessError> {
    run_with(command, Stdio::null(), limit)
}

/// Runs `first | second`, each for at most `limit`. If one of the two fails, its result is
/// returned.
pub(crate) fn pipe(
    first: &mut Command,
    second: &mut Command,
    limit: Duration,
) -> Result<Finished, ProcessError> {
    let mut source = spawn(first, Stdio::null())?;
    let input = source.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let errors = collect(source.stderr.take());
    let sink = run_with(second, input, limit);
    // The first program ends by itself once the second has ended, because nothing reads its output.
    let status = wait(&mut source, limit)?;
    let sink = sink?;
    if sink.status.success() && !status.success() {
        return Ok(Finished {
            status,
            stdout: String::new(),
            stderr: errors.recv_timeout(PATIENCE).unwrap_or_default(),
        });
    }
    Ok(sink)
}

/// The time to wait for the output of a program that has ended. A process that the program started
/// may keep the pipe open for longer, and the output is then dropped.
const PATIENCE: Duration = Duration::from_secs(5);

fn spawn(command: &mut Command, stdin: Stdio) -> Result<Child, ProcessError> {
    let child = command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    // Otherwise `command` would keep its end of the pipe open.
    command.stdin(Stdio::null());
    child.map_err(|source| ProcessError::Start {
        program: command.get_program().into(),
        source,
    })
}

fn run_with(
    command: &mut Command,
    stdin: Stdio,
    limit: Duration,
) -> Result<Finished, ProcessError> {
    let mut child = spawn(command, stdin)?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    Ok(Finished {
        status: wait(&mut child, limit)?,
        stdout: stdout.recv_timeout(PATIENCE).unwrap_or_default(),
        stderr: stderr.recv_timeout(PATIENCE).unwrap_or_default(),
    })
}

/// Waits for the end of `child`, and kills it after `limit`.
fn wait(child: &mut Child, limit: Duration) -> Result<ExitStatus, ProcessError> {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if started.elapsed() < limit => thread::sleep(Duration::from_millis(10)),
            // If killing the program or waiting for it fails, nothing else can be done.
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(ProcessError::TimedOut { limit });
            }
        }
    }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // If reading fails, the output up to the error is still shown.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = send.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receive
}

/// Returns the `PATH` of this process.
pub(crate) fn own_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_status_come_back() {
        let done = run(
            &mut shell("echo out; echo a >&2; echo b >&2; exit 3"),
            Duration::from_secs(20),
        )
        .unwrap();
        assert_eq!(done.status.code(), Some(3));
        assert_eq!(done.stdout, "out\n");
        assert_eq!(done.last_words(), "a; b");
    }

    #[test]
    fn a_pipe_carries_text_and_tells_who_failed() {
        let limit = Duration::from_secs(20);
        let done = pipe(&mut shell("echo a; echo b"), &mut shell("wc -l"), limit).unwrap();
        assert_eq!(done.stdout.trim(), "2");
        let done = pipe(&mut shell("echo why >&2; exit 7"), &mut shell("cat"), limit).unwrap();
        assert_eq!(
            (done.status.code(), done.last_words().as_str()),
            (Some(7), "why")
        );
        let done = pipe(&mut shell("yes"), &mut shell("exit 5"), limit).unwrap();
        assert_eq!(done.status.code(), Some(5));
    }

    #[test]
    fn a_program_that_hangs_is_stopped() {
        let started = Instant::now();
        let error = run(&mut shell("exec sleep 60"), Duration::from_millis(100)).unwrap_err();
        assert!(matches!(error, ProcessError::TimedOut { .. }), "{error}");
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(
            &mut Command::new("no-such-program-anywhere"),
            Duration::from_secs(1),
        )
        .unwrap_err();
        assert!(error.to_string().contains("no-such-program-anywhere"));
    }
}
