//! Compares the rules with brute force on every small layout. `examples/sweep.rs` runs the same
//! sweep with larger limits, and `docs/soundness.md` has its counts.

#[path = "../../tests/common/sample.rs"]
mod sample;
mod sweep;

use sample::{all_cases, count};
use sweep::{Limits, Report};

/// Returns the limits: without the feature `all-cases`, strides only as far as a shape of four
/// needs.
fn limits() -> Limits {
    let stride = if all_cases() { 20 } else { 12 };
    let shape = if all_cases() { 5 } else { 4 };
    println!("shapes up to {shape} of 5, strides up to {stride} of 20");
    Limits { shape, stride }
}

fn holds(name: &str, report: &Report) {
    println!("{name}: {report:?}");
    assert!(
        report.disagreements.is_empty(),
        "{name}:\n{}",
        report.disagreements.join("\n")
    );
    // A sweep that never accepts or never refuses would also pass for a rule that always answers no
    // or always yes.
    assert!(report.accepted > 0 && report.refused > 0 && report.both > 0);
}

#[test]
fn composition_is_admissible_exactly_when_it_is_the_composition() {
    holds("composition", &sweep::composition(limits()));
}

#[test]
fn composition_of_random_layouts_with_strides_of_either_sign() {
    let cases = count("random layouts", 4, 400_000);
    holds("random", &sweep::random(1, cases as u64));
}

#[test]
fn complement_is_refused_exactly_when_a_law_fails() {
    holds("complement", &sweep::complement(limits()));
}

#[test]
fn inverses_are_refused_exactly_when_they_are_none() {
    holds(
        "inverses",
        &sweep::inverses(Limits {
            shape: 4,
            stride: 12,
        }),
    );
}

#[test]
fn divides_are_refused_exactly_when_tiles_are_wrong_or_elements_miscounted() {
    holds("divide", &sweep::divide(limits()));
}

#[test]
fn operations_on_composed_layouts_are_their_functions_or_refused() {
    // The step is prime, so that the sample has each swizzle, offset and kind of layout.
    let every = if all_cases() { 997 } else { 19_997 };
    let (report, counts) = sweep::composed(&[1, 2, 3, 5, 6, 7], every);
    println!("{} cases, {} elements", report.cases, report.points);
    assert!(
        report.disagreements.is_empty(),
        "{}",
        report.disagreements.join("\n")
    );
    for (operation, [tried, refused, _]) in counts {
        println!("{operation}: {tried} tried, {refused} refused");
        assert!(refused < tried, "{operation} refuses every layout");
    }
}
