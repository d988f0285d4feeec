//! Pins the head of each error of code that must not compile, with the message that says why.

mod heads;

#[test]
fn refusals_say_why_in_plain_words() {
    heads::check("data/atoms_ui", "atoms-ui", 7);
}
