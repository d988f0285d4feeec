//! The output of a sweep over instructions, and the samples that it keeps.
//!
//! ```text
//!   title, Tally ─► a line: tiles, elements, differing ones by class        samples ─► `! title sample`, `= title sample`
//! ```
//!
//! Law: nothing differs if [`Report::end`] returns true.

use super::{Class, Tally};
use host::Device;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::ExitCode;
use std::time::Instant;

/// A sweep in progress.
#[derive(Debug)]
pub struct Report {
    start: Instant,
    samples: Option<BufWriter<File>>,
    keep: usize,
    equal: usize,
    sweeps: usize,
    wrong: usize,
}

impl Report {
    /// Prints where the sweep runs, and opens the file for samples. For each class it keeps `keep`
    /// differing samples and `equal` equal ones.
    ///
    /// # Errors
    /// Returns an error if the file cannot be made.
    ///
    /// ```
    /// use atom_checks::sweep::{Report, Tally};
    /// let mut report = Report::new(&host::Device::emulator(), None, 8, 0).unwrap();
    /// report.take("an instruction", || Ok(Tally::default())).unwrap();
    /// assert!(report.end("sweeps"));
    /// ```
    pub fn new(
        device: &Device,
        samples: Option<&str>,
        keep: usize,
        equal: usize,
    ) -> std::io::Result<Self> {
        println!("{}", device.where_it_ran());
        let samples = samples.map(File::create).transpose()?.map(BufWriter::new);
        Ok(Self {
            start: Instant::now(),
            samples,
            keep,
            equal,
            sweeps: 0,
            wrong: 0,
        })
    }

    /// Makes a sweep and prints its result. A sweep that cannot be made counts as wrong.
    ///
    /// # Errors
    /// Returns an error if the samples cannot be written.
    pub fn take(
        &mut self,
        title: &str,
        sweep: impl FnOnce() -> Result<Tally, Box<dyn Error>>,
    ) -> std::io::Result<()> {
        let start = Instant::now();
        let tally = match sweep() {
            Ok(tally) => tally,
            Err(error) => {
                println!("{title}: {error}");
                self.wrong += 1;
                return Ok(());
            }
        };
        self.sweeps += 1;
        self.wrong += usize::from(tally.wrong() > 0);
        let mut line = format!(
            "{title} {} tiles {} elements {} not finite {} differ {:.1} s",
            tally.tiles,
            tally.elements,
            tally.not_finite,
            tally.wrong(),
            start.elapsed().as_secs_f64()
        );
        for (class, &differ) in Class::ALL.iter().zip(&tally.differ) {
            if differ > 0 {
                line += &format!(" {class:?} {differ}");
            }
        }
        println!("{line}");
        if let Some(file) = &mut self.samples {
            for (mark, lists, most) in [
                ('!', &tally.samples, self.keep),
                ('=', &tally.equal, self.equal),
            ] {
                for sample in lists.iter().flat_map(|list| list.iter().take(most)) {
                    writeln!(file, "{mark} {title} {sample}")?;
                }
            }
        }
        Ok(())
    }

    /// Prints how many sweeps were made, called `what`, and how many of them are wrong. Returns
    /// whether none is wrong.
    #[must_use]
    pub fn end(self, what: &str) -> bool {
        println!(
            "{} {what}, {} of them not the device's, {:.0} s",
            self.sweeps,
            self.wrong,
            self.start.elapsed().as_secs_f64()
        );
        self.wrong == 0
    }
}

/// Returns the exit status of a program that compares: 0 if all is right, 1 if something differs,
/// and 2 on an error, whose message it prints.
pub fn exit(result: Result<bool, Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
