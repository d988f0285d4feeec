//! Products with scale factors, and of floats of 4 and 6 bits, against sums in float64; what is
//! wrong around scale factors.

use super::common::Random;
use super::common::operand::{Layout, narrow, width};
use super::faults::says;
use super::kernel::{Kernel, PLACE, Run, none};
use super::pairs;
use super::products::{SMEM, descriptors, layout};
use super::{SCHEDULES, blackwell};
use emulator::numerics::mma::Arithmetic;
use emulator::{Config, LaunchError, Schedule};

/// A kind, its modifiers, its elements, and its scale factors.
#[derive(Clone, Copy, Debug)]
struct Kind {
    name: &'static str,
    modifiers: &'static str,
    a: &'static str,
    b: &'static str,
    /// The number of factors in a row, or 0 for a kind without factors.
    factors: usize,
    format: &'static str,
}

const fn mx(a: &'static str, b: &'static str) -> Kind {
    Kind {
        name: "mxf8f6f4",
        modifiers: ".block_scale",
        a,
        b,
        factors: 1,
        format: "ue8m0",
    }
}

const fn plain(a: &'static str, b: &'static str) -> Kind {
    Kind {
        name: "f8f6f4",
        modifiers: "",
        factors: 0,
        ..mx(a, b)
    }
}

const fn packed(name: &'static str, modifiers: &'static str, factors: usize) -> Kind {
    Kind {
        name,
        modifiers,
        factors,
        ..mx("e2m1", "e2m1")
    }
}

const NVF4: Kind = Kind {
    format: "ue4m3",
    ..packed("mxf4nvf4", ".block_scale.scale_vec::4X", 4)
};

const KINDS: [Kind; 16] = [
    plain("e2m1", "e2m1"),
    plain("e2m3", "e3m2"),
    plain("e4m3", "e2m1"),
    plain("e3m2", "e5m2"),
    mx("e4m3", "e4m3"),
    mx("e5m2", "e4m3"),
    mx("e2m3", "e2m3"),
    mx("e3m2", "e2m1"),
    mx("e2m1", "e5m2"),
    mx("e2m1", "e2m1"),
    packed("mxf4", ".block_scale", 2),
    packed("mxf4", ".block_scale.block32", 2),
    packed("mxf4nvf4", ".block_scale.scale_vec::2X", 2),
    packed("mxf4nvf4", ".block_scale.block16", 4),
    NVF4,
    Kind {
        modifiers: ".block_scale.block16",
        ..NVF4
    },
];

impl Kind {
    fn is_packed(&self) -> bool {
        self.name.starts_with("mxf4")
    }

    fn k(&self) -> usize {
        if self.is_packed() { 64 } else { 32 }
    }

    /// Returns the instruction descriptor, by PTX's tables.
    fn instruction(&self, m: usize, n: usize, transposed: [bool; 2], ids: [usize; 2]) -> u32 {
        let element = |ty| match (self.is_packed(), ty) {
            (true, _) => 1,
            (_, "e4m3") => 0,
            (_, "e5m2") => 1,
            (_, "e2m3") => 3,
            (_, "e3m2") => 4,
            _ => 5,
        };
        let scales = match self.factors {
            // D is `.f32`.
            0 => 1 << 4,
            _ => {
                (ids[1] as u32) << 4
                    | (ids[0] as u32) << 29
                    | u32::from(self.format == "ue8m0") << 23
            }
        };
        scales
            | element(self.a) << 7
            | element(self.b) << 10
            | u32::from(transposed[0]) << 15
            | u32::from(transposed[1]) << 16
            | (n as u32 / 8) << 17
            | (m as u32 / 16) << 24
    }
}

/// Where scale factors lie in A's place.
const SCALES: usize = 32768;
/// Columns of A, of its factors, and of B's, behind D's 256.
const OF_A: usize = 264;
const OF_B: usize = 272;

/// Returns the kernel of a kind. It copies the factors, and computes D = A B and then D = A B + D.
fn kernel(kind: Kind, n: usize, halves: usize, a_in_tensor: bool) -> Kernel {
    let mut kernel = Kernel::new(kind.name, n, halves, a_in_tensor);
    if kind.factors > 0 {
        let source = |at: usize| ((SMEM + SCALES + at) as u64) >> 4 | 8 << 32 | 1 << 46;
        kernel.before = format!(
            "
    mov.u64 %q2, {};
    mov.u64 %q3, {};
    mov.u64 %q4, {};{}",
            source(0),
            source(512),
            source(1024),
            kernel.before
        );
        let copy = |column: usize, from: &str| {
            format!("\n    tcgen05.cp.cta_group::1.32x128b.warpx4 [%base+{column}], {from};")
        };
        let of_b = copy(OF_B, "%q3");
        let last = if n > 128 {
            copy(OF_B + 4, "%q4")
        } else {
            String::new()
        };
        let scales = format!("%idesc, [%base+{OF_A}], [%base+{OF_B}],");
        let products = kernel.products.replace("%idesc,", &scales);
        let name = format!("kind::{}", kind.name);
        let products = products.replace(&name, &format!("{name}{}", kind.modifiers));
        kernel.products = copy(OF_A, "%q2") + &of_b + &last + &products;
    }
    kernel
}

/// Rows of an operand: bits of elements and of factors.
struct Rows {
    elements: Vec<Vec<u32>>,
    factors: Vec<[u32; 4]>,
}

impl Rows {
    /// Returns rows of random bits, drawn again until each value is finite and `takes` accepts it.
    /// The second argument of `takes` is true for a factor.
    fn new(
        random: &mut Random,
        (ty, format): (&str, &str),
        (rows, k): (usize, usize),
        takes: fn(f64, bool) -> bool,
    ) -> Rows {
        let mut draw = |ty: &str, bits: usize, scales: bool| {
            loop {
                let bits = random.word() & ((1 << bits) - 1);
                let value = narrow(ty, bits);
                if value.is_finite() && takes(value, scales) {
                    return bits;
                }
            }
        };
        Rows {
            elements: (0..rows)
                .map(|_| (0..k).map(|_| draw(ty, width(ty), false)).collect())
                .collect(),
            factors: (0..rows)
                .map(|_| std::array::from_fn(|_| draw(format, 8, true)))
                .collect(),
        }
    }

    /// Returns the part of the rows that belongs to a block.
    fn part(&self, block: usize, blocks: usize) -> Rows {
        let rows = self.elements.len() / blocks;
        let own = block * rows..(block + 1) * rows;
        Rows {
            elements: self.elements[own.clone()].to_vec(),
            factors: self.factors[own].to_vec(),
        }
    }

    /// Returns all rows, followed by all rows once more.
    fn twice(&self) -> Rows {
        Rows {
            elements: [&self.elements[..]; 2].concat(),
            factors: [&self.factors[..]; 2].concat(),
        }
    }

    /// Puts the elements where the layout has them: 16 of a unit from its first bit on, or two in
    /// a byte.
    fn place(&self, place: &mut [u8], ty: &str, lies: Layout, packed: bool) {
        let bits = width(ty);
        for (mn, row) in self.elements.iter().enumerate() {
            for (k, &element) in row.iter().enumerate() {
                let bit = match packed {
                    true => 8 * lies.at(mn, k / 2) + 4 * (k % 2),
                    false => {
                        let at = lies.at(mn, k);
                        8 * (at & !15) + at % 16 * bits
                    }
                };
                for i in 0..bits {
                    place[(bit + i) / 8] |= (element as u8 >> i & 1) << ((bit + i) % 8);
                }
            }
        }
    }

    /// Puts the elements as threads put A into tensor memory: a byte each, or two in a byte.
    fn by_lane(&self, place: &mut [u8], ty: &str, packed: bool) {
        let within = if ty == "e2m1" { 2 } else { 0 };
        for (row, elements) in self.elements.iter().enumerate() {
            let lane = match self.elements.len() {
                64 => row / 16 * 32 + row % 16,
                _ => row,
            };
            for (k, &element) in elements.iter().enumerate() {
                match packed {
                    true => place[32 * lane + k / 2] |= (element as u8) << (4 * (k % 2)),
                    false => place[32 * lane + k] = (element as u8) << within,
                }
            }
        }
    }

    /// Puts the factors from byte `id` of each word on: 32 rows, then the next word of each;
    /// `halved`: those of the second half of the rows behind those of the first.
    fn place_factors(&self, place: &mut [u8], factors: usize, id: usize, halved: bool) {
        let half = self.factors.len() / 2;
        for (row, bytes) in self.factors.iter().enumerate() {
            let (row, behind) = match halved {
                true => (row % half, row / half * 512),
                false => (row, 0),
            };
            for (i, &byte) in bytes.iter().take(factors).enumerate() {
                let at = behind + row / 128 * 512 + 16 * (row % 32) + 4 * (row / 32 % 4) + id + i;
                place[at] = byte as u8;
            }
        }
    }

    /// Returns the value of an element times its factor.
    fn value(&self, kind: Kind, ty: &str, row: usize, k: usize) -> f64 {
        let element = narrow(ty, self.elements[row][k]);
        match kind.factors {
            0 => element,
            factors => {
                let factor = self.factors[row][k * factors / kind.k()];
                element * narrow(kind.format, factor)
            }
        }
    }
}

/// A launch of one kernel, and the sums that D has to be.
struct Case {
    kind: Kind,
    m: usize,
    n: usize,
    lies: [Layout; 2],
    a_in_tensor: bool,
    ids: [usize; 2],
    /// Whether two blocks multiply as a pair.
    pair: bool,
}

impl Case {
    /// Returns the number of blocks that share the product.
    fn blocks(&self) -> usize {
        if self.pair { 2 } else { 1 }
    }

    /// Whether B's factors are in two halves of the lanes.
    fn is_halved(&self) -> bool {
        self.pair && self.m == 128
    }

    /// Returns the index of the word that has an element of D.
    fn place(&self, row: usize, column: usize) -> usize {
        match (self.pair, self.m) {
            (true, m) => pairs::place(m, self.n, row, column),
            (false, 64) => 256 * (row / 16 * 32 + row % 16) + column,
            (false, _) => 256 * row + column,
        }
    }

    /// Returns the kernel of this case.
    fn kernel(&self) -> Kernel {
        let halves = if self.m == 64 { 1 } else { 2 };
        if !self.pair {
            return kernel(self.kind, self.n, halves, self.a_in_tensor);
        }
        let columns = pairs::columns(self.m, self.n);
        let mut of_pair = kernel(self.kind, self.n, 2, self.a_in_tensor);
        of_pair.read = Kernel::new(self.kind.name, columns, 2, false).read;
        let scales = of_pair
            .before
            .split("\n    fence")
            .next()
            .unwrap_or("")
            .to_owned();
        let mut of_pair = of_pair.pair();
        of_pair.before = scales + &of_pair.before;
        if self.is_halved() {
            // 64 rows: the first 32 to the lower lanes, the others to the upper ones.
            of_pair.products = of_pair
                .products
                .replace(
                    &format!(".32x128b.warpx4 [%base+{OF_B}]"),
                    &format!(".64x128b.warpx2::01_23 [%base+{OF_B}]"),
                )
                .lines()
                .filter(|line| !line.contains("%q4"))
                .map(|line| format!("{line}\n"))
                .collect();
        }
        of_pair
    }

    fn launch(
        &self,
        kernel: &Kernel,
        config: Config,
        [a, b]: [&Rows; 2],
    ) -> Result<Vec<u32>, LaunchError> {
        let kind = self.kind;
        let (blocks, halved) = (self.blocks(), self.is_halved());
        let (mut of_a, mut of_b) = (vec![0; blocks * PLACE], vec![0; blocks * PLACE]);
        let places = of_a.chunks_mut(PLACE).zip(of_b.chunks_mut(PLACE));
        for (block, (of_a, of_b)) in places.enumerate() {
            let own = a.part(block, blocks);
            match self.a_in_tensor {
                true if halved => own.twice().by_lane(of_a, kind.a, kind.is_packed()),
                true => own.by_lane(of_a, kind.a, kind.is_packed()),
                false => own.place(of_a, kind.a, self.lies[0], kind.is_packed()),
            }
            own.place_factors(&mut of_a[SCALES..], kind.factors, self.ids[0], false);
            // Each block has the factors of all of B.
            b.place_factors(&mut of_a[SCALES + 512..], kind.factors, self.ids[1], halved);
            let own = b.part(block, blocks);
            own.place(of_b, kind.b, self.lies[1], kind.is_packed());
        }
        let text = match self.pair {
            true => kernel.pair_ptx(),
            false => kernel.ptx(),
        };
        let [of_a_mn, of_b_mn] = self.lies.map(|lies| lies.transposed);
        let transposed = [!self.a_in_tensor && of_a_mn, of_b_mn];
        let run = Run {
            text: &text,
            config,
            blocks,
            places: [&of_a, &of_b],
            descriptors: descriptors(self.lies),
            instruction: kind.instruction(self.m, self.n, transposed, self.ids),
        };
        run.launch(none)
    }

    /// Checks every element of D, which is twice the product, against the sum in float64. The
    /// difference may be `within` times the sum of these products' absolute values, doubled as
    /// well.
    fn check(
        &self,
        random: &mut Random,
        config: Config,
        takes: fn(f64, bool) -> bool,
        within: f64,
    ) {
        let kind = self.kind;
        let k = kind.k();
        let a = Rows::new(random, (kind.a, kind.format), (self.m, k), takes);
        let b = Rows::new(random, (kind.b, kind.format), (self.n, k), takes);
        let kernel = self.kernel();
        let what = format!(
            "{kind:?} {} x {}, {:?}, {}, {:?}, {:?}",
            self.m, self.n, self.lies, self.a_in_tensor, self.ids, config.schedule
        );
        let found = self
            .launch(&kernel, config, [&a, &b])
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        for (row, column) in (0..self.m).flat_map(|row| (0..self.n).map(move |n| (row, n))) {
            let products =
                (0..k).map(|k| a.value(kind, kind.a, row, k) * b.value(kind, kind.b, column, k));
            let (sum, sizes) = products.fold((0.0, 0.0), |(sum, sizes), product: f64| {
                (sum + 2.0 * product, sizes + 2.0 * product.abs())
            });
            let found = f64::from(f32::from_bits(found[self.place(row, column)]));
            assert!(
                (found - sum).abs() <= within * sizes,
                "{what}: ({row}, {column}) is {found}, not {sum}"
            );
        }
    }
}

/// Returns a random case of a kind.
fn case(random: &mut Random, kind: Kind, a_in_tensor: bool, pair: bool) -> Case {
    let m = match kind.factors {
        _ if pair => [128, 256][random.below(2)],
        0 if random.below(2) == 0 => 64,
        _ => 128,
    };
    let widths = [32, 64, 128];
    let of_mn = |random: &mut Random| !kind.is_packed() && random.below(4) == 0;
    let transposed = [of_mn(random) && !a_in_tensor, of_mn(random)];
    let (step, most) = match (kind.factors, transposed[1]) {
        (_, of_mn) if pair => (if of_mn { 32 } else { 16 }, 256),
        (_, true) => (16, 128),
        (0, _) => (16, 256),
        _ => (8, 256),
    };
    let lies = transposed.map(|transposed| Layout {
        leading: 8192,
        ..layout("e4m3", widths[random.below(3)], transposed)
    });
    let mut id = || match kind.factors {
        1 => random.below(4),
        2 => 2 * random.below(2),
        _ => 0,
    };
    let ids = [id(), id()];
    Case {
        kind,
        m,
        n: step * (1 + random.below(most / step)),
        lies,
        a_in_tensor,
        ids,
        pair,
    }
}

fn config(random: &mut Random, arithmetic: Arithmetic) -> Config {
    Config {
        schedule: SCHEDULES[random.below(4)],
        tensor_arithmetic: arithmetic,
        ..blackwell()
    }
}

/// Whether a number is one of those whose sums are all exact: multiples of a quarter, elements up
/// to 4 in size and factors from a half to 2.
fn exact(value: f64, scales: bool) -> bool {
    match scales {
        true => (0.5..=2.0).contains(&value) && (value * 4.0).fract() == 0.0,
        false => value.abs() <= 4.0 && (value * 4.0).fract() == 0.0,
    }
}

#[test]
fn sums_that_are_exact_are_so_in_every_kind_and_way() {
    let mut random = Random(3);
    for kind in KINDS {
        for (i, arithmetic) in Arithmetic::ALL.into_iter().enumerate() {
            let case = case(&mut random, kind, i % 2 == 1, i >= 2);
            let config = config(&mut random, arithmetic);
            case.check(&mut random, config, exact, 0.0);
        }
    }
}

/// All numbers, factors over 40 binary orders: terms cut to 25 bits below the largest lose less
/// than 34 units there, so does D's fraction.
#[test]
fn sums_of_all_numbers_are_near_those_in_float64() {
    let any = |value: f64, scales: bool| !scales || (1e-6..1e6).contains(&value);
    let mut random = Random(4);
    for kind in KINDS {
        for a_in_tensor in [false, true] {
            let case = case(&mut random, kind, a_in_tensor, false);
            let config = config(&mut random, Arithmetic::Sm90);
            case.check(&mut random, config, any, f64::powi(2.0, -18));
        }
    }
}

/// A number as a whole number of units, `2^unit`, and the place of its first digit as its format
/// has it; a zero has none.
#[derive(Clone, Copy)]
struct Term {
    digits: i128,
    unit: i32,
    place: i32,
}

/// Returns the term of a float of at most 8 bits or of a scale factor, or `None` if it is zero.
fn term(ty: &str, bits: u32) -> Option<Term> {
    let (exponent, fraction, bias) = match ty {
        "e4m3" | "ue4m3" => (4, 3, 7),
        "e5m2" => (5, 2, 15),
        "e2m3" => (2, 3, 1),
        "e3m2" => (3, 2, 3),
        "e2m1" => (2, 1, 1),
        _ => {
            let unit = bits as i32 - 127;
            return Some(Term {
                digits: 1,
                unit,
                place: unit,
            });
        }
    };
    let (field, below) = (
        bits >> fraction & ((1 << exponent) - 1),
        bits & ((1 << fraction) - 1),
    );
    let place = field.max(1) as i32 - bias;
    let size = i128::from(below + (u32::from(field != 0) << fraction));
    let negative = ty != "ue4m3" && bits >> (exponent + fraction) & 1 == 1;
    (size != 0).then_some(Term {
        digits: if negative { -size } else { size },
        unit: place - fraction,
        place,
    })
}

fn of_f32(value: f32) -> Option<Term> {
    let (field, below) = (value.to_bits() >> 23 & 0xff, value.to_bits() & 0x7f_ffff);
    let place = field.max(1) as i32 - 127;
    let size = i128::from(below | u32::from(field != 0) << 23);
    (size != 0).then_some(Term {
        digits: if value < 0.0 { -size } else { size },
        unit: place - 23,
        place,
    })
}

fn times(a: Option<Term>, b: Option<Term>) -> Option<Term> {
    let (a, b) = (a?, b?);
    Some(Term {
        digits: a.digits * b.digits,
        unit: a.unit + b.unit,
        place: a.place + b.place,
    })
}

/// Returns the sum of the terms, each cut towards zero `kept` bits below the largest place, which
/// is at least `least`. The sum is cut to `.f32`.
fn cut_sum(terms: &[Term], least: i32, kept: i32) -> f32 {
    let largest = terms.iter().map(|term| term.place).fold(least, i32::max);
    let cut = |term: &Term| match term.unit - (largest - kept) {
        up @ 0.. => term.digits << up,
        down @ -100..0 => term.digits / (1 << -down),
        _ => 0,
    };
    let sum: i128 = terms.iter().map(cut).sum();
    let beyond = (128 - sum.unsigned_abs().leading_zeros()).saturating_sub(24);
    let digits = sum / (1 << beyond);
    (digits as f64 * f64::powi(2.0, largest - kept + beyond as i32)) as f32
}

impl Case {
    /// Computes an element of D in whole numbers by the published rule ("MMA-Sim"), where `c` is
    /// the element that is added.
    fn model(&self, [a, b]: [&Rows; 2], (row, column): (usize, usize), c: f32) -> f32 {
        let kind = self.kind;
        let element = |k: usize| {
            times(
                term(kind.a, a.elements[row][k]),
                term(kind.b, b.elements[column][k]),
            )
        };
        let factor = |k: usize| match kind.factors {
            0 => term("ue8m0", 127),
            factors => {
                let i = k * factors / kind.k();
                times(
                    term(kind.format, a.factors[row][i]),
                    term(kind.format, b.factors[column][i]),
                )
            }
        };
        let mut terms: Vec<Term> = of_f32(c).into_iter().collect();
        if !kind.is_packed() {
            terms.extend((0..32).filter_map(|k| times(element(k), factor(k))));
            return cut_sum(&terms, -133, 25);
        }
        for k in (0..64).step_by(16) {
            // Products of e2m1 are quarters; a sum has the place of its factors, were it zero.
            let quarters = (k..k + 16).filter_map(element);
            let digits = quarters.map(|term| term.digits << (term.unit + 2)).sum();
            let sum = Term {
                digits,
                unit: -2,
                place: 0,
            };
            terms.extend(times(Some(sum), factor(k)));
        }
        cut_sum(&terms, -126, 35)
    }
}

#[test]
fn sums_are_those_of_the_published_model_to_the_bit() {
    let any = |value: f64, scales: bool| !scales || (1e-4..1e4).contains(&value);
    let mut random = Random(5);
    for kind in KINDS {
        for pair in [false, true] {
            let mut case = case(&mut random, kind, false, pair);
            case.n = case.n.min(64);
            let config = config(&mut random, Arithmetic::Sm90);
            let (formats, k) = (kind.format, kind.k());
            let a = Rows::new(&mut random, (kind.a, formats), (case.m, k), any);
            let b = Rows::new(&mut random, (kind.b, formats), (case.n, k), any);
            let found = case.launch(&case.kernel(), config, [&a, &b]).unwrap();
            for (row, column) in (0..case.m).flat_map(|row| (0..case.n).map(move |n| (row, n))) {
                let once = case.model([&a, &b], (row, column), 0.0);
                let twice = case.model([&a, &b], (row, column), once);
                let found = f32::from_bits(found[case.place(row, column)]);
                assert_eq!(found, twice, "{kind:?}, {pair}: ({row}, {column})");
            }
        }
    }
}

fn right() -> Kernel {
    kernel(mx("e4m3", "e4m3"), 32, 2, false)
}

/// Runs a kernel of e4m3 with scale factors for a product of 128 x 32, and returns the text of the
/// fault as the error if there is one.
fn found(kernel: &Kernel, schedule: Schedule, ids: [usize; 2]) -> Result<(), String> {
    let case = Case {
        kind: mx("e4m3", "e4m3"),
        m: 128,
        n: 32,
        lies: [layout("e4m3", 128, false); 2],
        a_in_tensor: false,
        ids,
        pair: false,
    };
    let mut random = Random(9);
    let rows = [128, 32].map(|rows| Rows::new(&mut random, ("e4m3", "ue8m0"), (rows, 32), exact));
    let config = Config {
        schedule,
        ..blackwell()
    };
    match case.launch(kernel, config, rows.each_ref()) {
        Ok(_) => Ok(()),
        Err(LaunchError::Fault(fault)) => Err(fault.to_string()),
        Err(other) => panic!("{other}"),
    }
}

const COPY_OF_A: &str = "\n    tcgen05.cp.cta_group::1.32x128b.warpx4 [%base+264], %q2;";

/// Puts what one thread of warp 1 does in front of the products, which thread 0 issues.
fn by_another_warp(k: &mut Kernel, then: &str) {
    let copies: String = k
        .products
        .lines()
        .filter(|line| line.contains(".cp."))
        .collect::<Vec<_>>()
        .join("\n");
    k.products = k.products.replace(&copies, "");
    k.before += &format!(
        "
    setp.eq.u32 %p, %tid, 32;
    @!%p bra COPIED;
{copies}
COPIED:
    bar.warp.sync 0xffffffff;{then}"
    );
}

/// A name, what is changed, a part of the finding, and what is changed in the right twin.
type Fault = (&'static str, fn(&mut Kernel), &'static str, fn(&mut Kernel));

const FAULTS: [Fault; 11] = [
    (
        "factors that nothing brought",
        |k| k.products = k.products.replace(COPY_OF_A, ""),
        "the scale factor of A is read in lane 0, column 264, which was never written",
        |_| {},
    ),
    (
        "factors from columns beside the copied ones",
        |k| k.products = k.products.replace("], [%base+272],", "], [%base+276],"),
        "the scale factor of B is read in lane 0, column 276, which was never written",
        |k| k.products = k.products.replace("[%base+272]", "[%base+276]"),
    ),
    (
        "factors in columns of D",
        |k| k.products = k.products.replace("[%base+264]", "[%base+28]"),
        "the scale factor of A has columns 28 to 31, D 0 to 31: they overlap",
        |k| k.products = k.products.replace("[%base+264]", "[%base+32]"),
    ),
    (
        "factors beyond the allocation",
        |k| k.products = k.products.replace("[%base+272]", "[%base+512]"),
        "the copy has columns 512 to 515, which are not all in an allocation",
        |k| k.products = k.products.replace("[%base+272]", "[%base+508]"),
    ),
    (
        "factors read before the copy's commit",
        |k| {
            k.wait = format!(
                "
    add.u32 %t1, %base, %wlane;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r0}}, [%t1+264];
    tcgen05.wait::ld.sync.aligned;{}",
                k.wait
            );
        },
        "a tcgen05.cp wrote it, and no tcgen05.commit behind it has completed|was never written",
        |k| {
            k.wait += "
    add.u32 %t1, %base, %wlane;
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%t1+264];
    tcgen05.wait::ld.sync.aligned;";
        },
    ),
    (
        "factors that another warp copies, in no order",
        |k| by_another_warp(k, ""),
        "a tcgen05.cp wrote it, and no tcgen05.commit behind it has completed|was never written",
        // A product is behind copies of a thread that its own is behind.
        |k| {
            by_another_warp(
                k,
                "\n    tcgen05.fence::before_thread_sync;\n    bar.sync 0;",
            )
        },
    ),
    (
        "the next factors copied by another warp over those in use",
        |k| {
            k.wait = format!(
                "
    bar.sync 0;
    setp.eq.u32 %p, %tid, 32;
    @!%p bra NEXT;{COPY_OF_A}
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
NEXT:
    bar.warp.sync 0xffffffff;{}",
                k.wait
            );
            k.setup = k.setup.replace("[bar], 1", "[bar], 2");
        },
        "no tcgen05.commit behind it has completed|it was written, and nothing orders the two",
        // What one thread issues is in order.
        |k| k.products += COPY_OF_A,
    ),
    (
        "factors copied to one quarter each",
        |k| {
            k.products = k
                .products
                .replace(".32x128b.warpx4 [%base+264]", ".128x128b [%base+264]")
        },
        "all quarters hold the same",
        |k| {
            let four = |quarter: usize| {
                format!(
                    "\n    tcgen05.st.sync.aligned.32x32b.x1.b32 [%t1+{}], {{%r0}};",
                    264 + quarter
                )
            };
            let stores: String = (0..4).map(four).collect();
            k.products = k.products.replace(COPY_OF_A, "");
            // Threads put them there by themselves, into all quarters.
            k.before = format!(
                "
    mov.u32 %r0, 0x7f7f7f7f;
    add.u32 %t1, %base, %wlane;{stores}
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;{}",
                k.before
            );
        },
    ),
    (
        "factors by threads without a fence of the proxies",
        |k| k.before = k.before.replace("    fence.proxy.async;\n", ""),
        "no fence.proxy.async orders the two",
        |_| {},
    ),
    (
        "factors in shared memory written again under the copy",
        |k| {
            k.wait = format!(
                "
    @!%first bra WRITTEN;
    st.shared.u32 [%t3+32768], 0;
WRITTEN:
    bar.warp.sync 0xffffffff;{}",
                k.wait
            );
        },
        "that a `tcgen05.cp.cta_group::1.32x128b.warpx4` of thread (0,0,0) reads.*before that thread waited",
        |k| k.wait += "\n    @%first st.shared.u32 [%t3+32768], 0;",
    ),
    (
        "a byte by the address that is not the descriptor's",
        |k| {
            k.products = k
                .products
                .replace("%idesc, [%base+264]", "%idesc, [%base+0x40000108]")
        },
        "the scale factor of A is byte 1 of its word by the address, byte 0 by the instruction descriptor",
        |_| {},
    ),
];

#[test]
fn what_is_wrong_around_factors_is_found_under_every_schedule() {
    for schedule in SCHEDULES {
        for (name, plant, said, mend) in FAULTS {
            let mut wrong = right();
            plant(&mut wrong);
            assert_ne!(wrong.ptx(), right().ptx(), "{name}");
            let fault = found(&wrong, schedule, [0, 0]).expect_err(name);
            assert!(says(&fault, said), "{name}, {schedule:?}: {fault}");
            let mut twin = right();
            mend(&mut twin);
            assert_eq!(
                found(&twin, schedule, [0, 0]),
                Ok(()),
                "{name}, {schedule:?}"
            );
        }
    }
}

/// The address may contain the byte of the factors as well, where CUTLASS leaves it.
#[test]
fn the_byte_may_stand_in_the_address_too() {
    let mut kernel = right();
    kernel.products = kernel
        .products
        .replace("%idesc, [%base+264]", "%idesc, [%base+0x40000108]");
    assert_eq!(found(&kernel, Schedule::Late, [1, 3]), Ok(()));
}

#[test]
fn bytes_that_factors_cannot_begin_at_are_refused() {
    let kind = packed("mxf4", ".block_scale", 2);
    let case = Case {
        kind,
        m: 128,
        n: 32,
        lies: [layout("e4m3", 128, false); 2],
        a_in_tensor: false,
        ids: [0, 1],
        pair: false,
    };
    let mut random = Random(9);
    let rows = [128, 32].map(|rows| Rows::new(&mut random, ("e2m1", "ue8m0"), (rows, 64), exact));
    let kernel = kernel(kind, 32, 2, false);
    match case.launch(&kernel, blackwell(), rows.each_ref()) {
        Err(LaunchError::Fault(fault)) => {
            let said = "the scale factors of B from byte 1 of a word on";
            assert!(fault.to_string().contains(said), "{fault}");
        }
        other => panic!("{other:?}"),
    }
}
