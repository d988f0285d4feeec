//! The progress bar: on stderr, where that is a terminal, and gone before the report.

use cutlet::run::Stage;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Mutex;
use std::time::Duration;

/// A bar that follows the stages of a run.
pub struct Progress {
    bar: ProgressBar,
    /// The words that it shows now: the bar is told about every block, by many threads.
    shown: Mutex<Option<&'static str>>,
}

impl Progress {
    /// A bar; hidden where stderr is no terminal.
    pub fn new() -> Self {
        // indicatif draws on stderr, and not at all where that is no terminal.
        let bar = ProgressBar::new(0);
        bar.enable_steady_tick(Duration::from_millis(100));
        Self {
            bar,
            shown: Mutex::new(None),
        }
    }

    /// Shows a stage.
    pub fn show(&self, stage: Stage) {
        let (words, style) = match stage {
            Stage::Inputs => ("making the inputs", SPINNER),
            Stage::Kernel(..) => ("running the kernel", BAR),
            Stage::Timing => ("timing the kernel", SPINNER),
            Stage::Reference => ("comparing with the reference", SPINNER),
        };
        if let Stage::Kernel(done, total) = stage {
            self.bar.set_length(total);
            // Blocks end in no order, and the news of them less so: the bar goes forward only.
            if done > self.bar.position() {
                self.bar.set_position(done);
            }
        }
        let mut shown = self
            .shown
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if *shown != Some(words) {
            *shown = Some(words);
            if let Ok(style) = ProgressStyle::with_template(style) {
                self.bar.set_style(style);
            }
            self.bar.set_message(words);
        }
    }

    /// What the bar shows for a run of several problems.
    pub fn title(&self, title: String) {
        self.bar.set_prefix(title);
        self.bar.set_position(0);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
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
