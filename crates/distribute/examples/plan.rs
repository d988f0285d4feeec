//! A predicted plan: the way in which 8, 64 and 1024 GPUs would compute a product of 65536 by 65536
//! by 65536, simulated from measured rates.
//!
//! ```text
//!   mesh (pm, pn, pk)    device (i, j, l) multiplies rows i of A and columns j of B, of part l of k
//!   A ─all-gather along n─►   B ─all-gather along m─►   C ─reduce-scatter along k─►      elements by `redistribution`
//!   pieces of k:  receive 0 │ receive 1 │ receive 2 │ ...
//!                           │ multiply 0│ multiply 1│ ...          a piece is multiplied once it is there
//! ```
//!
//! `cargo run --release -p cutlet-distribute --example plan [TFLOP/s] [GB/s in a node] [GB/s
//! between nodes]`
//!
//! Rates by default: a GPU's product and NVLink's all-gather as measured on H200s
//! (`docs/benchmarks/several-gpus.md`); 50 GB/s per GPU between nodes of 8 is the rate of a 400
//! Gb/s adapter by its datasheet, which was not measured. The model leaves out latencies,
//! contention and stragglers: its times are what no run can beat under these rates.

use distribute::{Distribution, redistribution};
use layout_types::dynamic::DynLayout;

const EXTENT: i64 = 65536;
const NODE: i64 = 8;
const PIECES: i64 = 16;
const BYTES: f64 = 2.0;

struct Rates {
    product: f64,
    node: f64,
    network: f64,
}

/// The arrangement of devices along m, n and k.
#[derive(Clone, Copy)]
struct Mesh {
    m: i64,
    n: i64,
    k: i64,
}

fn distribution(text: &str) -> Distribution {
    let layout: DynLayout = text.parse().expect("a layout of this program");
    Distribution::of_layout(&layout, 0).expect("few modes")
}

/// Returns the number of elements that a device receives to gather its part of a matrix. The matrix
/// is cut into `rows` by `columns` parts. `copies` devices each hold one slice of a part before the
/// gather, and the whole part after it. The number is that of the redistribution between the two
/// distributions.
fn gathered(rows: i64, columns: i64, copies: i64) -> i64 {
    let (height, width) = (EXTENT / rows, EXTENT / columns);
    let slice = width / copies;
    // `from` cuts a part into slices of columns along the mode of copies; `to` replicates the part.
    let from = format!(
        "(({rows},{columns},{copies}),({height},{slice})):(({height},{},{}),(1,{EXTENT}))",
        width * EXTENT,
        slice * EXTENT
    );
    let to = format!(
        "(({rows},{columns},{copies}),({height},{width})):(({height},{},0),(1,{EXTENT}))",
        width * EXTENT
    );
    match redistribution(&distribution(&from), &distribution(&to)) {
        Ok(found) => found.received(),
        Err(text) => panic!("{}", text.as_str()),
    }
}

/// Returns the seconds to move the elements that a device receives from `group` devices that lie
/// `stride` apart. Elements from another node come over the network.
fn seconds(elements: i64, group: i64, stride: i64, rates: &Rates) -> f64 {
    if group == 1 {
        return 0.0;
    }
    let near = (NODE / stride).clamp(1, group);
    // The share of the other devices of the group that are in the same node.
    let share = (near - 1) as f64 / (group - 1) as f64;
    let bytes = elements as f64 * BYTES;
    bytes * share / rates.node + bytes * (1.0 - share) / rates.network
}

/// Returns the seconds of the product, of exchange and product one after the other, and of both
/// overlapped piece by piece.
fn simulate(mesh: Mesh, rates: &Rates) -> (f64, f64, f64) {
    let Mesh { m, n, k } = mesh;
    // n lies closest together, then m, then k.
    let of_a = seconds(gathered(m, k, n), n, 1, rates);
    let of_b = seconds(gathered(k, n, m), m, n, rates);
    let of_c = seconds(gathered(m, n, k), k, n * m, rates);
    let devices = (m * n * k) as f64;
    let product = 2.0 * (EXTENT as f64).powi(3) / devices / rates.product;
    let (receive, multiply) = ((of_a + of_b) / PIECES as f64, product / PIECES as f64);
    let (mut there, mut done) = (0.0_f64, 0.0_f64);
    for _ in 0..PIECES {
        there += receive;
        done = done.max(there) + multiply;
    }
    // Sums of the last piece cannot leave before it is multiplied; the sums of earlier pieces leave
    // during later products.
    let beside = (done - multiply).max(of_c * (PIECES - 1) as f64 / PIECES as f64);
    let overlapped = beside.max(done) + of_c / PIECES as f64;
    (product, of_a + of_b + product + of_c, overlapped)
}

fn powers(most: i64) -> impl Iterator<Item = i64> {
    (0..)
        .map(|power| 1 << power)
        .take_while(move |power| *power <= most)
}

fn main() {
    let given: Vec<f64> = std::env::args()
        .skip(1)
        .filter_map(|text| text.parse().ok())
        .collect();
    let rate = |i: usize, default: f64| given.get(i).copied().unwrap_or(default);
    let rates = Rates {
        product: rate(0, 700.0) * 1e12,
        node: rate(1, 304.0) * 1e9,
        network: rate(2, 50.0) * 1e9,
    };
    println!("{EXTENT}^3 of bf16, {PIECES} pieces");
    println!("GPUs  mesh m,n,k    product ms  in a row ms  overlapped ms  of the ideal  GB held");
    for devices in [1, 8, 64, 1024] {
        let mut best: Option<(f64, f64, f64, Mesh)> = None;
        for m in powers(devices) {
            for n in powers(devices / m) {
                let mesh = Mesh {
                    m,
                    n,
                    k: devices / m / n,
                };
                let (product, sequence, overlapped) = simulate(mesh, &rates);
                if best.as_ref().is_none_or(|best| overlapped < best.2) {
                    best = Some((product, sequence, overlapped, mesh));
                }
            }
        }
        let Some((product, sequence, overlapped, Mesh { m, n, k })) = best else {
            continue;
        };
        let side = EXTENT as f64;
        let held = BYTES
            * side
            * side
            * (1.0 / (m * k) as f64 + 1.0 / (k * n) as f64 + 1.0 / (m * n) as f64)
            * 1e-9;
        println!(
            "{devices:4}  {:12}  {:10.2}  {:11.2}  {:13.2}  {:12.2}  {held:7.1}",
            format!("{m},{n},{k}"),
            product * 1e3,
            sequence * 1e3,
            overlapped * 1e3,
            product / overlapped
        );
    }
}
