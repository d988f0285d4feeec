//! What must not compile, and the message that says why: the head of each error, pinned.

mod heads;

#[test]
fn refusals_say_why_in_plain_words() {
    heads::check("data/atoms_ui", "atoms-ui", 7);
}
