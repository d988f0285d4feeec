//! How the kernels of `kernels/src` are launched: `NAME` and `NAME_right` alike.

use crate::Run;
use crate::bench::Bench;
use host::Launch;
use std::collections::BTreeMap;

macro_rules! kernels {
    ($($name:ident: |$bench:ident, $kernel:ident| $run:expr;)*) => {
        pub fn runs() -> BTreeMap<&'static str, Run> {
            BTreeMap::from([$((stringify!($name), (|$bench: &Bench, right: bool| {
                let $kernel = if right { concat!(stringify!($name), "_right") } else { stringify!($name) };
                $run
            }) as Run)),*])
        }
    };
}

kernels! {
    missing_barrier: |bench, kernel| bench.map(kernel, &Launch::new(1, 128), 128, reversed);
    store_past_the_end: |bench, kernel| bench.map(kernel, &Launch::new(4, 256), 1000, |a, i| f64::from(2.0 * a[i]));
}

/// a backwards.
fn reversed(a: &[f32], i: usize) -> f64 {
    f64::from(a[a.len() - 1 - i])
}
