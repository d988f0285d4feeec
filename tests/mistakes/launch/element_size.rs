//! category: types and conversions
//! mistake: A buffer of f64 is given to a kernel of `*const f32`: it has as many elements, and the kernel reads their halves.
//! cure: Say the type in the launch's contract, `reads_of::<f32>`.
//! CuTe: silent where a pointer is cast on its way: `void*` in a table of arguments, `data_ptr()` of a tensor.

use crate::bench::{Bench, Outcome, compare};
use host::{Contract, Launch};

pub fn run(bench: &Bench, right: bool) -> Outcome {
    let n = 128;
    let a = Bench::numbers(n);
    let doubles: Vec<f64> = a.iter().map(|&x| f64::from(x)).collect();
    let (on_a, on_doubles) = (bench.device.upload(&a)?, bench.device.upload(&doubles)?);
    let mut d = bench.output::<f32>(n)?;
    let contract = Contract::new().grid(1).block(128);
    let contract = contract.writes_of::<f32>(0, "d", n, 4).reads_of::<f32>(1, "a", n, 4);
    let launch = Launch::new(1, 128).under(contract);
    match right {
        true => bench.launch("missing_barrier_right", &launch, (&mut d, &on_a, n as u32))?,
        false => bench.launch("missing_barrier_right", &launch, (&mut d, &on_doubles, n as u32))?,
    }
    compare(&d.to_vec()?, |i| f64::from(a[n - 1 - i]), 0.0)
}
