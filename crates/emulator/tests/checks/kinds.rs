//! Checks that the guide's page has the code's table of the kinds of findings.

use std::path::Path;

use emulator::FindingKind;

/// Compares the tables. `CUTLET_WRITE_GUIDE=1` writes the table into the page.
#[test]
fn the_guide_has_the_table_of_kinds() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/guide/findings.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let at = text.find("| kind |").expect("a table");
    let end = text[at..].find("\n\n").map_or(text.len(), |n| at + n + 1);
    if std::env::var_os("CUTLET_WRITE_GUIDE").is_some() {
        let made = format!("{}{}{}", &text[..at], FindingKind::table(), &text[end..]);
        std::fs::write(&page, made).unwrap();
    } else {
        assert_eq!(text[at..end], FindingKind::table());
    }
}
