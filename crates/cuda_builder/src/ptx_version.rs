//! Raises the version of PTX that is newer in `asm!` than rustc knows.
//!
//! ```text
//!   .version 8.6                                       .version 8.8
//!   tcgen05.mma.cta_group::1.kind::mxf4nvf4    ──►     tcgen05.mma.cta_group::1.kind::mxf4nvf4
//!       .block_scale.block16 ..                            .block_scale.block16 ..
//! ```
//!
//! Law: [`raised`] changes nothing but the line `.version`, and that only to a newer version. rustc
//! writes the oldest version that has the architecture, and does not read `asm!`.
//!
//! Source: PTX ISA, *tcgen05.mma*, PTX ISA Notes; asked of ptxas 13.0.

use std::borrow::Cow;

/// Modifiers that are newer than the oldest architecture that has their instruction, and the
/// version of PTX that has them.
const NEEDS: [(&str, (u32, u32)); 1] = [(".block_scale", (8, 8))];

/// Returns the text with the version that its instructions need.
pub fn raised(ptx: &str) -> Cow<'_, str> {
    let needed = NEEDS.iter().filter(|(modifier, _)| ptx.contains(modifier));
    let Some(needed) = needed.map(|(_, version)| *version).max() else {
        return Cow::Borrowed(ptx);
    };
    let line = ptx.lines().find(|line| line.starts_with(".version "));
    let written = line.and_then(|line| {
        let (major, minor) = line[".version ".len()..].trim().split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    });
    match (line, written) {
        (Some(line), Some(written)) if written < needed => {
            let (major, minor) = needed;
            Cow::Owned(ptx.replacen(line, &format!(".version {major}.{minor}"), 1))
        }
        _ => Cow::Borrowed(ptx),
    }
}

#[cfg(test)]
mod tests {
    use super::raised;

    #[test]
    fn only_an_older_version_is_raised() {
        let scaled = "\ttcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [%r0];\n";
        let with = |version: &str, body: &str| format!("//\n.version {version}\n.target t\n{body}");
        assert_eq!(raised(&with("8.6", scaled)), with("8.8", scaled));
        for same in [
            with("9.0", scaled),
            with("8.6", "\tret;\n"),
            scaled.to_owned(),
        ] {
            assert_eq!(raised(&same), same);
        }
    }
}
