//! Tests first calls on many threads at the same time: the driver is opened once, and every call
//! reaches the right function.

mod common;

use common::{LINKED, fake_driver};
use cuda_driver::Driver;
use std::sync::Barrier;

#[test]
fn first_calls_at_once_all_reach_the_driver() {
    cuda_driver::choose(Driver::Library(fake_driver())).expect("this is the first use");
    let functions: Vec<_> = LINKED
        .iter()
        .enumerate()
        .filter(|(_, (name, _))| name.to_bytes().starts_with(b"cuGraph"))
        .collect();
    assert!(functions.len() > 50);
    let threads = 16;
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for &(index, &(name, function)) in &functions {
                    // All threads make the first call of each function together. The first function
                    // is called while the library is not open yet.
                    start.wait();
                    // SAFETY: the fake driver's function has no arguments.
                    let answer = unsafe { function() };
                    assert_eq!(answer as usize, 10000 + index, "{name:?}");
                }
            });
        }
    });
}
