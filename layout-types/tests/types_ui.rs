//! What people read when a type is refused: for each operation the head of the error, pinned, and
//! in decimals.

mod heads;

#[test]
fn every_refusal_is_said_in_decimals_at_its_line() {
    heads::check("ui_types", "types-ui", 80);
}
