//! Pins each message that people read when distributions do not fit, with decimal numbers.

#[path = "../../../layout-types/tests/heads/mod.rs"]
mod heads;

#[test]
fn messages() {
    heads::check_all("ui", "distribute-ui", 8);
}
