//! What people read when distributions do not fit: each message pinned, in decimals.

#[path = "../../../layout-types/tests/heads/mod.rs"]
mod heads;

#[test]
fn messages() {
    heads::check_all("ui", "distribute-ui", 8);
}
