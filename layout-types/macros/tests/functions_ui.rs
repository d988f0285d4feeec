//! Pins what users read when a text of functions is refused: the head of the error for each
//! mistake.

#[path = "../../tests/heads/mod.rs"]
mod heads;

#[test]
fn every_mistake_is_said_at_its_token() {
    heads::check("ui", "functions-ui", 27);
}
