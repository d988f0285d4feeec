//! Pins the head of each error that people read when a tensor, a copy or an MMA is refused, with
//! decimal numbers.

mod heads;

#[test]
fn every_refusal_is_said_in_decimals_at_its_line() {
    heads::check("ui_tensor", "tensor-ui", 40);
}
