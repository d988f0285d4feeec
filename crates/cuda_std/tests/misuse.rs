//! Tests the rules of the attributes: each violation is refused with a message at the token that
//! breaks the rule.

#[path = "../../../layout-types/tests/heads/mod.rs"]
mod heads;

#[test]
fn misused_attributes_are_refused() {
    heads::check_all("misuse", "misuse", 4);
}
