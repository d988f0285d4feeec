//! The limits of this process.

/// Returns the soft limit with this name in `/proc/self/limits`, or `None` if there is no limit, or
/// no such file.
///
/// ```
/// // `ulimit -f` in the shell that started the process.
/// if let Some(bytes) = files::limit("Max file size") {
///     println!("no file of more than {bytes} bytes");
/// }
/// ```
#[must_use]
pub fn limit(name: &str) -> Option<u64> {
    soft(&std::fs::read_to_string("/proc/self/limits").ok()?, name)
}

/// Returns the soft limit with this name in Linux's text format, in which a line has the name, the
/// soft limit, the hard limit and the unit.
fn soft(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_soft_limit_is_the_first_number() {
        let text = "Limit                     Soft Limit           Hard Limit           Units\n\
                    Max file size             4096                 unlimited            bytes\n\
                    Max address space         unlimited            unlimited            bytes\n";
        assert_eq!(soft(text, "Max file size"), Some(4096));
        assert_eq!(soft(text, "Max address space"), None);
        assert_eq!(soft(text, "Max locked memory"), None);
    }
}
