//! Text of a module in a message: whole where it is short, else what is around the place.
//!
//! ```text
//! a line of 4000 bytes, something wrong at byte 2000:   ...80 characters|120 characters...
//! ```
//!
//! Law: no line of a message is longer than a reader can take, whatever the text is.

/// The mark where a part of a line was cut out.
pub(crate) const ELLIPSIS: &str = "...";
/// Bytes of a line that are shown whole.
const WHOLE: usize = 400;
/// Characters before the place that are shown of a longer line, and behind it.
pub(crate) const BEFORE: usize = 80;
const BEHIND: usize = 120;

/// What is shown of a line with something wrong at a byte of it.
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

/// The byte behind the first `most` characters.
fn shown_end(text: &str, most: usize) -> usize {
    text.char_indices().nth(most).map_or(text.len(), |(i, _)| i)
}

/// A message with text of the module in it: its first and last characters where that is longer than
/// a line may be.
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
