//! What must not compile, and the message that says why: each case beside its `.stderr`.

#[test]
fn refusals_say_why_in_plain_words() {
    trybuild::TestCases::new().compile_fail("tests/data/atoms_ui/*.rs");
}
