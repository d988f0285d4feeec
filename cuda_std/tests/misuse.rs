//! What the attributes refuse, each rule with its message at the token that breaks it.

#[test]
fn misused_attributes_are_refused() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("tests/misuse/*.rs");
}
