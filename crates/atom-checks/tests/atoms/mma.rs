//! Compares D of each MMA atom's kernel with `A B + C`.

use atom_checks::format::Format;
use atom_checks::place::{Place, places};
use atom_checks::product::{AtomOperands, AtomProduct, Rule};
use host::Kind;
use host::reference::Random;
use layout_types::atom::MmaFacts;
use layout_types::atom::mma::MMA_SYNC;

/// The kinds of random operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    /// Whole numbers so small that no sum is rounded; for integer formats any number, for C too.
    Exact,
    /// Numbers with C next to the ends of its range: sums wrap or are clamped.
    Extreme,
    /// Floats of moderate size: sums are rounded.
    Rounded,
    /// Floats of any size, subnormal ones, infinities and NaN among them.
    Any,
}

/// Draws one group's operands.
fn draw(product: &AtomProduct, data: Data, random: &mut Random) -> AtomOperands {
    let [m, n, k] = product.shape;
    let mut fill = |format: Format, limit: u64, count: usize| -> Vec<u64> {
        (0..count)
            .map(|_| match data {
                Data::Exact if format.is_float() => {
                    let whole = random.below(2 * limit + 1) as i64 - limit as i64;
                    format.bits(whole).expect("a whole number that fits")
                }
                Data::Extreme if format.width() == 32 => {
                    let from_end = random.below(1 << 12);
                    let end = if random.below(2) == 0 {
                        i32::MIN
                    } else {
                        i32::MAX
                    };
                    u64::from(
                        (end as u32)
                            .wrapping_add(from_end as u32)
                            .wrapping_sub(1 << 11),
                    )
                }
                Data::Any => format.any(random),
                _ => format.moderate(random),
            })
            .collect()
    };
    // Sums stay exact: below what the format of D holds, and for 8-bit floats below what the 13
    // bits of Hopper's sums hold.
    let (factor, sum) = match (product.a.width(), product.c.mantissa()) {
        (_, 7) => (4, 100),
        (8, _) | (_, 10) => (4, 500),
        (64, _) => (1 << 20, 1 << 40),
        _ => (64, 1 << 16),
    };
    AtomOperands {
        a: fill(product.a, factor, m * k),
        b: fill(product.b, factor, n * k),
        c: fill(product.c, sum, m * n),
    }
}

/// Returns the elements of all groups as the bytes that the kernels read.
fn bytes(format: Format, elements: impl Iterator<Item = u64>) -> Vec<u8> {
    elements
        .flat_map(|bits| bits.to_le_bytes().into_iter().take(format.bytes()))
        .collect()
}

/// Runs a kernel and returns D of all groups as bits.
fn run(place: &Place, kernel: &str, product: &AtomProduct, groups: &[AtomOperands]) -> Vec<u64> {
    let device = place.device();
    let upload = |format, pick: fn(&AtomOperands) -> &Vec<u64>| {
        let elements = groups.iter().flat_map(|group| pick(group).iter().copied());
        device.upload(&bytes(format, elements)).unwrap()
    };
    let a = upload(product.a, |group| &group.a);
    let b = upload(product.b, |group| &group.b);
    let c = upload(product.c, |group| &group.c);
    let mut d = device.alloc::<u8>(c.len()).unwrap();
    d.fill_bytes(0xcc).unwrap();
    crate::run(place, kernel, (&mut d, &a, &b, &c));
    d.to_vec()
        .unwrap()
        .chunks_exact(product.c.bytes())
        .map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        })
        .collect()
}

/// Returns the kinds of data with which an atom is checked.
fn kinds(product: &AtomProduct) -> &'static [Data] {
    match product.rule {
        Rule::Wrap | Rule::Clamp | Rule::XorPopc | Rule::AndPopc => &[Data::Exact, Data::Extreme],
        // With any data, sums of the other formats would leave the range of D, where the order of
        // summation decides.
        Rule::Float
            if product.a.width() <= 16 && product.c.width() == 32 && product.a.exponent() <= 5 =>
        {
            &[Data::Exact, Data::Rounded, Data::Any]
        }
        Rule::Float => &[Data::Exact, Data::Rounded],
    }
}

/// Checks one atom in one place with one kind of data. Returns the bits of D, or a description of
/// the first wrong element.
fn check(
    place: &Place,
    kernel: &str,
    product: &AtomProduct,
    groups: usize,
    data: Data,
    seed: u64,
) -> Result<Vec<u64>, String> {
    let mut random = Random::new(seed);
    let groups: Vec<_> = (0..groups)
        .map(|_| draw(product, data, &mut random))
        .collect();
    let found = run(place, kernel, product, &groups);
    let exact = matches!(data, Data::Exact | Data::Extreme);
    let expected = groups
        .iter()
        .flat_map(|group| product.reference(group, exact));
    let [m, n, _] = product.shape;
    for (i, (&bits, expected)) in found.iter().zip(expected).enumerate() {
        if !expected.admits(product.c, bits) {
            return Err(format!(
                "{kernel}, {}, {data:?}, seed {seed}: D({}, {}) of group {} is {} ({bits:#x}), not {expected:?}",
                place.name(),
                i % m,
                i / m % n,
                i / (m * n),
                product.c.value(bits)
            ));
        }
    }
    Ok(found)
}

/// Returns all atoms of `mma.sync` that a module has.
fn atoms(sm: usize) -> impl Iterator<Item = &'static MmaFacts> {
    let all = MMA_SYNC.iter().flat_map(|table| table.iter());
    all.filter(move |facts| facts.sm <= sm)
}

#[test]
fn every_mma_atom_is_its_definition() {
    let mut wrong = Vec::new();
    // The emulator's results for each module, with which the GPU's rounding is compared.
    let mut emulated = Vec::new();
    for place in places() {
        let (mut count, mut rounded, mut results) = (0, 0, Vec::new());
        for facts in atoms(place.sm) {
            let product = AtomProduct::of(facts.ptx, facts.shape, facts.types).unwrap();
            let kernel = facts.name.replacen("SM", "Sm", 1);
            let before = wrong.len();
            for &data in kinds(&product) {
                for seed in 0..4 {
                    match check(place, &kernel, &product, 32 / facts.threads, data, seed) {
                        Ok(bits) if data == Data::Rounded => {
                            rounded += bits.len();
                            results.push((kernel.clone(), seed, bits));
                        }
                        Ok(_) => {}
                        Err(why) => wrong.push(why),
                    }
                }
            }
            count += usize::from(wrong.len() == before);
        }
        println!("{}: {count} MMA atoms are their definition", place.name());
        if place.device().kind() == Kind::Emulator {
            emulated = results;
        } else {
            let apart: usize = results
                .iter()
                .filter_map(|(kernel, seed, ours)| {
                    let same =
                        |other: &&(String, u64, Vec<u64>)| other.0 == *kernel && other.1 == *seed;
                    let theirs = &emulated.iter().find(same)?.2;
                    Some(ours.iter().zip(theirs).filter(|(a, b)| a != b).count())
                })
                .sum();
            println!(
                "{}: {apart} of {rounded} rounded sums are not the emulator's, bit for bit",
                place.name()
            );
        }
        if wrong.is_empty() {
            assert_eq!(count, if place.sm == 80 { 73 } else { 84 });
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The kernels of `UniversalFma` and their formats.
const UNIVERSAL: [(&str, [&str; 4]); 6] = [
    ("universal_fma_f64", ["f64"; 4]),
    ("universal_fma_f32", ["f32"; 4]),
    ("universal_fma_f16", ["f16"; 4]),
    ("universal_fma_bf16", ["bf16"; 4]),
    ("universal_fma_i32", ["s32"; 4]),
    ("universal_fma_i32_i8", ["s32", "s8", "s8", "s32"]),
];

#[test]
fn the_multiply_add_of_a_thread_rounds_once() {
    for place in places() {
        for (kernel, types) in UNIVERSAL {
            let product = AtomProduct::of("", [1, 1, 1], types).unwrap();
            for seed in 0..16 {
                check(place, kernel, &product, 32, Data::Exact, seed).unwrap();
                if product.rule != Rule::Float {
                    check(place, kernel, &product, 32, Data::Extreme, seed).unwrap();
                    continue;
                }
                // A result that is rounded once has one possible value: Rust's.
                let mut random = Random::new(seed);
                let groups: Vec<_> = (0..32)
                    .map(|_| draw(&product, Data::Rounded, &mut random))
                    .collect();
                let found = run(place, kernel, &product, &groups);
                for (group, bits) in groups.iter().zip(found) {
                    let expected = fma(types[0], group.a[0], group.b[0], group.c[0]);
                    assert_eq!(bits, expected, "{kernel}, {}", place.name());
                }
            }
        }
        println!(
            "{}: {} multiply-adds of a thread",
            place.name(),
            UNIVERSAL.len()
        );
    }
}

/// Computes `a b + c`, rounded once.
fn fma(format: &str, a: u64, b: u64, c: u64) -> u64 {
    let value = |bits| Format::named(format).unwrap().value(bits);
    // Numbers of moderate size with 11 digits: product and sum are exact in f64.
    let exact = value(a) * value(b) + value(c);
    match format {
        "f64" => f64::from_bits(a)
            .mul_add(f64::from_bits(b), f64::from_bits(c))
            .to_bits(),
        "f32" => {
            let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            a.mul_add(b, c).to_bits().into()
        }
        "f16" => half::f16::from_f64(exact).to_bits().into(),
        _ => half::bf16::from_f64(exact).to_bits().into(),
    }
}
