//! The progress of work, shown on stderr while it runs.
//!
//! ```text
//! RunProgress  a bar where stderr is a terminal, gone before the report; else nothing for 10 s, then lines
//! Heartbeat    work that has no end of its own: nothing for 2 s, then a bar, or lines where stderr is no terminal
//! ```

use cutlet::run::RunPhase;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A bar that follows the phases of a run.
pub struct RunProgress {
    bar: ProgressBar,
    /// The message that the bar shows now: many threads report every CTA to the bar.
    shown: Mutex<Option<&'static str>>,
    /// The lines, if stderr is no terminal.
    lines: Option<Heartbeat>,
}

impl RunProgress {
    /// Makes a bar, and if stderr is no terminal, also lines for a run that takes long.
    pub fn new() -> Self {
        // indicatif draws on stderr, and draws nothing if stderr is no terminal.
        let bar = ProgressBar::new(0);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self {
            bar,
            shown: Mutex::new(None),
            lines: (!std::io::stderr().is_terminal())
                .then(|| Heartbeat::start_after("cutlet", LONG_RUN)),
        }
    }

    /// Shows a phase.
    pub fn show(&self, phase: RunPhase) {
        let (message, style) = match phase {
            RunPhase::Inputs => ("preparing the kernel and its inputs", SPINNER),
            RunPhase::Kernel(..) => ("running the kernel", BAR),
            RunPhase::Timing => ("timing the kernel", SPINNER),
            RunPhase::Reference => ("comparing with the reference", SPINNER),
        };
        if let RunPhase::Kernel(done, total) = phase {
            self.bar.set_length(total);
            // Blocks end in any order, and so do their reports: the bar only goes forward.
            if done > self.bar.position() {
                self.bar.set_position(done);
            }
        }
        let mut shown = self
            .shown
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if *shown != Some(message) {
            *shown = Some(message);
            if let Ok(style) = ProgressStyle::with_template(style) {
                self.bar.set_style(style);
            }
            self.bar.set_message(message);
            if let Some(lines) = &self.lines {
                lines.title(message);
            }
        }
        if let (RunPhase::Kernel(done, total), Some(lines)) = (phase, &self.lines) {
            lines.blocks("", done, total);
        }
    }

    /// Sets the text before the bar's message, for a run of several problems.
    pub fn title(&self, title: String) {
        self.bar.set_prefix(title);
        self.bar.set_position(0);
    }
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The time before the first bar or line.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time before the first line of one run, whose report comes soon if the run is short.
const LONG_RUN: Duration = Duration::from_secs(10);
/// The longest time between two lines.
const LONGEST: Duration = Duration::from_secs(60);

/// The work that is running.
#[derive(Clone, Debug, Default)]
struct Work {
    title: String,
    sizes: String,
    done: u64,
    blocks: u64,
}

/// Reports work that may take minutes, from its own thread, because the working thread may be busy
/// for as long.
pub struct Heartbeat {
    work: Arc<Mutex<Work>>,
    /// The channel whose drop ends the thread, or `None` after that.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts the thread. `command` begins each line.
    pub fn start(command: &'static str) -> Self {
        Self::start_after(command, PATIENCE)
    }

    /// Starts the thread as [`start`](Self::start) does, with the first line after `patience`.
    fn start_after(command: &'static str, patience: Duration) -> Self {
        let work = Arc::new(Mutex::new(Work::default()));
        let watched = work.clone();
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let (start, mut bar, mut pause) = (Instant::now(), None, patience);
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let work = watched
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone();
                if std::io::stderr().is_terminal() {
                    let bar: &ProgressBar = bar.get_or_insert_with(|| ProgressBar::new(0));
                    if let Ok(style) =
                        ProgressStyle::with_template(if work.blocks > 0 { BAR } else { SPINNER })
                    {
                        bar.set_style(style);
                    }
                    bar.set_prefix(work.name());
                    bar.set_length(work.blocks);
                    bar.set_position(work.done);
                    pause = Duration::from_millis(200);
                } else {
                    eprintln!("{command}: {}", work.line(start.elapsed()));
                    pause = (pause * 2).min(LONGEST);
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Self {
            work,
            end: Some(end),
            thread: Some(thread),
        }
    }

    /// Sets the name of the kernel or file that runs now.
    pub fn title(&self, title: &str) {
        *self.work.lock().unwrap_or_else(PoisonError::into_inner) = Work {
            title: title.to_owned(),
            ..Work::default()
        };
    }

    /// Sets the sizes of a launch, the number of its blocks that are done, and the number of all
    /// its blocks.
    pub fn blocks(&self, sizes: &str, done: u64, blocks: u64) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if work.sizes != sizes || done == 0 {
            work.sizes = sizes.to_owned();
            work.done = 0;
        }
        (work.done, work.blocks) = (work.done.max(done), blocks);
    }
}

impl Work {
    fn name(&self) -> String {
        match self.sizes.as_str() {
            "" => format!("{} ", self.title),
            sizes => format!("{}, {sizes} ", self.title),
        }
    }

    /// Returns the line, such as `reduce.toml, n = 31: 4 of 1000 blocks after 16 s`.
    fn line(&self, elapsed: Duration) -> String {
        let (name, seconds) = (self.name(), elapsed.as_secs());
        match self.blocks {
            0 => format!("{}: under way after {seconds} s", name.trim_end()),
            blocks => format!(
                "{}: {} of {blocks} blocks after {seconds} s",
                name.trim_end(),
                self.done
            ),
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            // The thread only prints, so that a panic in it is no reason to end the program.
            let _ = thread.join();
        }
    }
}

const SPINNER: &str = "{spinner} {prefix}{msg} ({elapsed})";
const BAR: &str = "{spinner} {prefix}{msg} {wide_bar} {pos}/{len} blocks ({elapsed})";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_well_formed() {
        for template in [SPINNER, BAR] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
