//! Compares one instruction on many operands with its plain definition.
//!
//! ```text
//! lanewise("add.s32 $d, $a, $b;", 32, &[32, 32], |x| x[0].wrapping_add(x[1]))
//! ```
//!
//! `$d` is the result, and `$a` to `$d3` ... are the operands: 16, 32 or 64 bits wide, or 1 for a
//! predicate. `$q` is a second result, a predicate, if `second` is used. The definition gets the
//! operands' bits and returns the result's.

use super::{Arg, Bench, Random};

/// The number of operands of each instruction: random ones, half of them at edges.
const CASES: usize = 1024;

fn register(width: u32, i: usize) -> String {
    match width {
        1 => format!("%p{i}"),
        16 => format!("%h{i}"),
        32 => format!("%r{i}"),
        _ => format!("%d{i}"),
    }
}

/// Writes code that loads operand `i` of this thread into its register.
fn load(width: u32, i: usize) -> String {
    let at = format!("[%a0+{}]", i * 8 * CASES);
    let register = register(width, i + 1);
    match width {
        1 => format!(
            "ld.global.u64 %d20, {at}; and.b64 %d20, %d20, 1; setp.ne.b64 {register}, %d20, 0;\n"
        ),
        16 => format!("ld.global.b16 {register}, {at};\n"),
        32 => format!("ld.global.b32 {register}, {at};\n"),
        _ => format!("ld.global.b64 {register}, {at};\n"),
    }
}

fn store(width: u32, i: usize, at: usize) -> String {
    let at = format!("[%a1+{}]", at * 8 * CASES);
    match width {
        1 => format!("selp.u64 %d20, 1, 0, %p{i}; st.global.u64 {at}, %d20;\n"),
        16 => format!("cvt.u64.u16 %d20, %h{i}; st.global.u64 {at}, %d20;\n"),
        32 => format!("cvt.u64.u32 %d20, %r{i}; st.global.u64 {at}, %d20;\n"),
        _ => format!("st.global.u64 {at}, %d{i};\n"),
    }
}

fn cut(width: u32, value: u64) -> u64 {
    if width == 64 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// Draws operands of these widths: for each case, each operand.
fn operands(seed: u64, widths: &[u32]) -> Vec<Vec<u64>> {
    let mut random = Random(seed | 1);
    (0..CASES)
        .map(|_| {
            widths
                .iter()
                .map(|&width| {
                    let value = match width {
                        16 => match random.next() % 4 {
                            0 => [0, 1, 0x7fff, 0x8000, 0xffff, 0x7c00, 0x3c00, 0x03ff]
                                [(random.next() % 8) as usize],
                            _ => random.next(),
                        },
                        64 => match random.next() % 4 {
                            0 => u64::from(random.edgy()),
                            1 => u64::from(random.edgy()) << 32 | u64::from(random.edgy()),
                            2 => (random.edgy() as i32) as i64 as u64,
                            _ => random.next(),
                        },
                        _ => u64::from(random.edgy()),
                    };
                    cut(width, value)
                })
                .collect()
        })
        .collect()
}

/// Runs an instruction and compares the result of every case. Operands may be changed first by
/// `prepare`.
pub fn lanewise_prepared(
    instruction: &str,
    result: u32,
    widths: &[u32],
    prepare: impl Fn(&mut Vec<u64>),
    definition: impl Fn(&[u64]) -> u64,
) {
    pairwise(instruction, &[result], widths, prepare, |x| {
        vec![definition(x)]
    });
}

/// Runs an instruction and compares the result of every case.
pub fn lanewise(
    instruction: &str,
    result: u32,
    widths: &[u32],
    definition: impl Fn(&[u64]) -> u64,
) {
    lanewise_prepared(instruction, result, widths, |_| {}, definition);
}

/// Runs an instruction with several results, `$d` and `$e` and so on.
pub fn pairwise(
    instruction: &str,
    results: &[u32],
    widths: &[u32],
    prepare: impl Fn(&mut Vec<u64>),
    definition: impl Fn(&[u64]) -> Vec<u64>,
) {
    let mut text = instruction.to_owned();
    // Sources are numbered from 1, results from 10.
    for (i, name) in ["$a", "$b", "$c", "$x", "$y"]
        .iter()
        .enumerate()
        .take(widths.len())
    {
        text = text.replace(name, &register(widths[i], i + 1));
    }
    for (i, name) in ["$d", "$e", "$f", "$g"]
        .iter()
        .enumerate()
        .take(results.len())
    {
        text = text.replace(name, &register(results[i], i + 10));
    }
    let loads: String = widths
        .iter()
        .enumerate()
        .map(|(i, &w)| load(w, i))
        .collect();
    let stores: String = results
        .iter()
        .enumerate()
        .map(|(i, &w)| store(w, i + 10, i))
        .collect();
    let body = format!(
        "mov.u32 %r20, %ctaid.x; mov.u32 %r21, %ntid.x; mad.lo.u32 %r20, %r20, %r21, %tid;\n\
         mul.wide.u32 %d21, %r20, 8; add.u64 %a0, %a0, %d21; add.u64 %a1, %a1, %d21;\n\
         {loads}{text}\n{stores}ret;"
    );
    let bench = Bench::new(&super::entry(2, &body));
    let seed = instruction
        .bytes()
        .fold(7u64, |s, b| s.wrapping_mul(31).wrapping_add(u64::from(b)));
    let mut cases = operands(seed, widths);
    for case in &mut cases {
        prepare(case);
    }
    let columns: Vec<u64> = (0..widths.len())
        .flat_map(|i| cases.iter().map(move |case| case[i]))
        .collect();
    let input = bench.longs(if columns.is_empty() { &[0] } else { &columns });
    let output = bench.device.alloc(8 * CASES * results.len()).unwrap();
    bench.run(
        "k",
        CASES as u32 / 128,
        128,
        &[Arg::U64(input), Arg::U64(output)],
    );
    let found = bench.read_longs(output, CASES * results.len());
    for (i, case) in cases.iter().enumerate() {
        let expected = definition(case);
        for (k, (&width, &expected)) in results.iter().zip(&expected).enumerate() {
            let expected = cut(width, expected);
            let found = found[k * CASES + i];
            assert!(
                found == expected,
                "{instruction}\n  operands {case:#x?}\n  result {k}: found {found:#x}, expected {expected:#x}"
            );
        }
    }
}
