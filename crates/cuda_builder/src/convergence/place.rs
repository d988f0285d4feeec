//! Finds the source line of an instruction in PTX with line tables.
//!
//! ```text
//!   .loc 7 9 3   // cuda_std/src/sync.rs:9:3 @[ kernels/src/sum.rs:41:9 @[ kernels/src/lib.rs:20:1 ] ]
//!   bar.sync 0;                                 kernels/src/sum.rs:41
//! ```
//!
//! Law: the outermost place of a `.loc` is in the kernel's own crate. The result is the innermost
//! place that is in the same folder as the outermost place. It is `None` if no `.loc` of the
//! function precedes the instruction, or if no place has a line.

/// Returns the place, `file:line`, of the instruction at this line of `ptx`, counted from 1.
pub(crate) fn of(ptx: &[&str], line: usize) -> Option<String> {
    let before = ptx.get(..line.checked_sub(1)?)?;
    let mut above = before.iter().rev().map(|text| text.trim());
    let loc = above.find(|text| text.starts_with(".loc") || *text == "{")?;
    let (_, inlined) = loc.split_once("// ")?;
    let frames: Vec<(&str, &str)> = inlined
        .split(" @[ ")
        .filter_map(|frame| {
            let mut parts = frame.trim_end_matches([' ', ']']).splitn(3, ':');
            Some((parts.next()?, parts.next()?))
        })
        .collect();
    let own = folder(frames.last()?.0);
    let (file, number) = frames
        .iter()
        .find(|(file, number)| folder(file) == own && *number != "0")?;
    Some(format!("{file}:{number}"))
}

/// Returns the folder of a source file: `kernels/` for `kernels/src/sum.rs`.
fn folder(file: &str) -> &str {
    file.rfind("src/").map_or("", |at| &file[..at])
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_innermost_line_of_the_own_crate() {
        let ptx = [
            "{",
            "\t.loc\t1 2 3  // k/src/lib.rs:2:3",
            "mov.u32 %r1, %tid.x;",
            "\t.loc\t7 9 3  // std/src/sync.rs:9:3 @[ k/src/sum.rs:41:9 @[ k/src/lib.rs:20:1 ] ]",
            "bar.sync 0;",
            "}",
            "{",
            "bar.sync 0;",
        ];
        assert_eq!(of(&ptx, 3).as_deref(), Some("k/src/lib.rs:2"));
        assert_eq!(of(&ptx, 5).as_deref(), Some("k/src/sum.rs:41"));
        assert_eq!(of(&ptx, 8), None);
        assert_eq!(of(&ptx, 0), None);
    }
}
