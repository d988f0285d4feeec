//! Writes text with a checksum, so that a reader detects a truncated file.
//!
//! ```text
//!   <text>
//!   // checksum <32 hexadecimal digits of the text>
//! ```
//!
//! Law: [`read`] returns the text that was passed to [`write`], or `None`.

use std::fs;
use std::io;
use std::path::Path;

use crate::hash::Hash128;

/// The text before the digits of the last line. PTX assemblers read the line as a comment.
const MARK: &str = "\n// checksum ";

/// Writes a file with `text` and its checksum, completely or not at all.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    files::write(path, format!("{text}{MARK}{}\n", checksum(text)))
}

/// Reads the text of a file that [`write`] wrote, or returns `None` if there is no file or it was
/// changed.
pub(crate) fn read(path: &Path) -> Option<String> {
    let mut text = fs::read_to_string(path).ok()?;
    let end = text.rfind(MARK)?;
    let found = text[end + MARK.len()..].strip_suffix('\n')?;
    if found != checksum(&text[..end]) {
        return None;
    }
    text.truncate(end);
    Some(text)
}

fn checksum(text: &str) -> String {
    let mut hash = Hash128::new();
    hash.add(text.as_bytes());
    hash.name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_cut_short_anywhere_or_changed_is_none() {
        let folder = std::env::temp_dir().join(format!("cutlet-sealed-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("kernels.ptx");
        for text in [
            "",
            ".version 7.0\n",
            "without a line break",
            "a\n// checksum 0\nb\n",
        ] {
            write(&file, text).unwrap();
            assert_eq!(read(&file).as_deref(), Some(text));
            let whole = fs::read(&file).unwrap();
            for length in 0..whole.len() {
                fs::write(&file, &whole[..length]).unwrap();
                assert_eq!(read(&file), None, "{length} of {} bytes", whole.len());
                let mut changed = whole.clone();
                changed[length] ^= 1;
                fs::write(&file, &changed).unwrap();
                assert_eq!(read(&file), None, "byte {length} is another");
            }
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
