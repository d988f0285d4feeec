//! The source places of a module's instructions, from its `.loc` directives.
//!
//! ```text
//! Location { file, line, inlined_at } ─► Location of the call ─► ... ─► the kernel's own
//! ```
//!
//! Law: a location is inlined at an earlier one, so every chain ends. The kernel's own crate is the
//! folder `src` of the file that contains the kernel, or that file's folder.

use super::{Image, Location};
use crate::place::{Frame, Inlined};

/// Returns the folder of a crate's files: the path up to `src/`, or otherwise the folder of `file`.
fn folder_of(file: &str) -> &str {
    let end = match file.rfind("/src/") {
        Some(at) => at + "/src/".len(),
        None if file.starts_with("src/") => "src/".len(),
        None => file.rfind('/').map_or(0, |at| at + 1),
    };
    &file[..end]
}

/// Whether `file` is below the folder; for an empty folder, whether `file` is relative.
fn is_below(file: &str, folder: &str) -> bool {
    match folder {
        "" => !file.starts_with('/'),
        folder => file.starts_with(folder),
    }
}

impl Image {
    fn file(&self, number: u32) -> Option<&str> {
        let (_, name) = self.files.iter().find(|(known, _)| *known == number)?;
        Some(name)
    }

    /// Returns the file of a location as shown to people: the name in the location's comment, or
    /// otherwise the name of its file number.
    fn shown<'a>(&'a self, location: &'a Location) -> &'a str {
        let name = location.name.as_deref();
        name.or_else(|| self.file(location.file)).unwrap_or("?")
    }

    /// Returns the chain of places to `location`, innermost first. A place is marked as the
    /// kernel's own if it is in the crate of the function that contains `kernel`.
    pub fn frames(&self, location: u32, kernel: Option<u32>) -> Vec<Frame> {
        let mut home = kernel.and_then(|at| self.locations.get(at as usize));
        while let Some(outer) = home.and_then(|at| self.locations.get(at.inlined_at? as usize)) {
            home = Some(outer);
        }
        let home = home.map(|at| folder_of(self.shown(at)));
        let mut frames = Vec::new();
        let mut next = self.locations.get(location as usize);
        while let Some(location) = next {
            let file = self.shown(location);
            frames.push(Frame {
                file: file.to_owned(),
                line: location.line,
                column: location.column,
                function: location.function.clone(),
                own: home.is_some_and(|home| is_below(file, home)),
            });
            next = location
                .inlined_at
                .and_then(|outer| self.locations.get(outer as usize));
        }
        frames
    }

    /// Returns the file's name and the line of a location.
    pub fn source_line(&self, location: u32) -> Option<(String, u32)> {
        let location = self.locations.get(location as usize)?;
        Some((self.file(location.file)?.to_owned(), location.line))
    }

    /// Returns the calls that were inlined around a location, the innermost first.
    pub fn inlined(&self, location: u32) -> Vec<Inlined> {
        let mut calls = Vec::new();
        let mut inner = self.locations.get(location as usize);
        while let Some(location) = inner {
            // A location is inlined at an earlier one, so the loop ends.
            let outer = location
                .inlined_at
                .and_then(|outer| self.locations.get(outer as usize));
            if let Some(outer) = outer {
                calls.push(Inlined {
                    function: location.function.clone(),
                    file: self.shown(outer).to_owned(),
                    line: outer.line,
                    column: outer.column,
                });
            }
            inner = outer;
        }
        calls
    }
}
