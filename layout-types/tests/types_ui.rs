//! Pins, for each operation, the head of the error that people read when a type is refused, with
//! decimal numbers.

mod heads;

#[test]
fn every_refusal_is_said_in_decimals_at_its_line() {
    heads::check("ui_types", "types-ui", 80);
}
