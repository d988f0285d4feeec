//! Helpers for the unit tests of several modules: a folder that is removed when dropped, and
//! executables that are a few lines of shell.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A new, empty folder, which is removed when the value is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!(
            "cuda-builder-{name}-{}-{unique}",
            std::process::id()
        ));
        fs::create_dir_all(&path).expect("temporary folder");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes `text` to the file `name` below the folder, and creates the folders in between.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("below the folder")).expect("folders");
        fs::write(&path, text).expect("file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes `path` an executable shell script with `body`.
///
/// A child process writes the file. If this process opened the file for writing, a process that
/// another test's thread forks at that time would inherit the open file, and the script could not
/// be executed until that process closes it.
#[cfg(unix)]
pub(crate) fn script(path: &Path, body: &str) -> PathBuf {
    use std::io::Write;
    use std::process::{Command, Stdio};
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    let mut writer = Command::new("sh")
        .args(["-c", r#"cat > "$0" && chmod 755 "$0""#])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("sh");
    let mut pipe = writer.stdin.take().expect("piped");
    write!(pipe, "#!/bin/sh\n{body}\n").expect("script");
    drop(pipe);
    assert!(writer.wait().expect("sh").success());
    path.to_owned()
}
