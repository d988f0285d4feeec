//! Cuts text of a module for a message: a short text is shown whole, a long text only around the
//! place of the problem.
//!
//! ```text
//! a line of 4000 bytes, something wrong at byte 2000:   ...80 characters|120 characters...
//! ```
//!
//! Law: no line of a message is longer than a reader can take in, whatever the text is.

/// The mark where a part of a line was cut out.
pub(crate) const ELLIPSIS: &str = "...";
/// The largest number of bytes of a line that is shown whole.
const WHOLE: usize = 400;
/// The number of characters that are shown before the place of the problem in a longer line;
/// `BEHIND` is the number of characters that are shown from the place on.
pub(crate) const BEFORE: usize = 80;
const BEHIND: usize = 120;

/// Returns the part of a line to show if there is a problem at byte `at`.
pub(crate) fn excerpt(line: &str, at: usize) -> String {
    if line.len() <= WHOLE {
        return line.to_owned();
    }
    let at = line.floor_char_boundary(at.min(line.len()));
    let before = line[..at].char_indices().rev().nth(BEFORE - 1);
    let start = before.map_or(0, |(i, _)| i);
    let end = shown_end(&line[at..], BEHIND) + at;
    let front = if start > 0 { ELLIPSIS } else { "" };
    let rear = if end < line.len() { ELLIPSIS } else { "" };
    format!("{front}{}{rear}", &line[start..end])
}

/// Returns the offset after the first `most` characters.
fn shown_end(text: &str, most: usize) -> usize {
    text.char_indices().nth(most).map_or(text.len(), |(i, _)| i)
}

/// Returns a message that contains text of the module. A message of more than [`WHOLE`] bytes is
/// cut to its first and last characters.
pub(crate) fn shown(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= WHOLE {
        return text.into();
    }
    let last = text.char_indices().rev().nth(BEFORE - 1);
    let last = last.map_or(0, |(i, _)| i);
    format!(
        "{}{ELLIPSIS}{}",
        &text[..shown_end(text, BEHIND)],
        &text[last..]
    )
    .into()
}
