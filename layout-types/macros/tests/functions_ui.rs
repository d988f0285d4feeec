//! What people read when a text of functions is refused: for each mistake the head of the error,
//! pinned.

#[path = "../../tests/heads/mod.rs"]
mod heads;

#[test]
fn every_mistake_is_said_at_its_token() {
    heads::check("ui", "functions-ui", 27);
}
