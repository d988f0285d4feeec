//! Compares the sums of `mma.sync` in an H200's arithmetic with a record of an H200's results.
//!
//! ```text
//!   operands of a seed ─┬─► exact sums ─┬─► how many differ, by how much, the first ── == the H200's record
//!                       └─► as sm_90 ───┘
//! ```

mod random;

use emulator::numerics::half;
use emulator::numerics::mma::{Accumulator, Arithmetic, Element, Mma};

const RECORD: &str = include_str!("data/h200_mma.txt");

/// The generator that drew the operands of the record.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 3 ^ self.0
    }

    /// Returns a number between -1 and 1 in steps of 1/10000.
    fn unit(&mut self) -> u32 {
        ((self.next() % 20001) as f32 / 10000.0 - 1.0).to_bits()
    }

    fn element(&mut self, element: Element) -> u64 {
        // The number is drawn for 8-bit floats too, which then take any code except infinity and
        // NaN.
        let unit = self.unit();
        match element {
            Element::F16 => u64::from(half::from_f32_nearest(unit)),
            Element::Bf16 => u64::from(unit >> 16),
            Element::Tf32 => u64::from(unit & !0x1fff),
            Element::E4m3 => match self.next() & 0xff {
                code if code & 0x7f == 0x7f => 0,
                code => code,
            },
            _ => match self.next() & 0xff {
                code if code & 0x7c == 0x7c => 0,
                code => code & 0xbf,
            },
        }
    }

    fn word(&mut self, bits: u32, mut value: impl FnMut(&mut Self) -> u64) -> u32 {
        (0..32 / bits).fold(0, |word, i| word | value(self) << (i * bits)) as u32
    }
}

type Registers = Vec<[u32; 32]>;

/// Returns A's, B's and C's registers for 8 warps.
fn operands(mma: &Mma, seed: u64) -> Vec<[Registers; 3]> {
    let mut random = Random(seed);
    let need = mma.registers();
    (0..8)
        .map(|_| {
            let mut all = [need.a, need.b, need.c].map(|n| vec![[0; 32]; n]);
            for lane in 0..32 {
                let [a, b, c] = &mut all;
                for (registers, element) in [(a, mma.a), (b, mma.b)] {
                    for register in registers {
                        register[lane] =
                            random.word(element.bits(), |random| random.element(element));
                    }
                }
                for register in c {
                    register[lane] = match mma.c {
                        Accumulator::F16 => random.word(16, |r| r.element(Element::F16)),
                        _ => random.unit(),
                    };
                }
            }
            all
        })
        .collect()
}

/// Returns D's registers, lane by lane.
fn results(mma: &Mma, arithmetic: Arithmetic, operands: &[[Registers; 3]]) -> Vec<u32> {
    let mut all = Vec::new();
    for [a, b, c] in operands {
        let mut d = vec![[0; 32]; mma.registers().d];
        mma.execute_in(arithmetic, a, b, c, &mut d).unwrap();
        all.extend((0..32).flat_map(|lane| {
            d.iter()
                .map(move |register| register[lane])
                .collect::<Vec<_>>()
        }));
    }
    all
}

fn distance(kind: Accumulator, a: u32, b: u32) -> u64 {
    let (a, b, sign) = match kind {
        Accumulator::F16 => (a & 0xffff, b & 0xffff, 1 << 15),
        _ => (a, b, 1 << 31),
    };
    let number = |bits: u32| {
        let magnitude = i64::from(bits & (sign - 1));
        if bits & sign == 0 {
            magnitude
        } else {
            -magnitude
        }
    };
    (number(a) - number(b)).unsigned_abs()
}

#[test]
fn results_differ_from_exact_ones_as_an_h200_s_do() {
    let mut rows = 0;
    for row in RECORD.lines().filter(|row| !row.starts_with('#')) {
        let words: Vec<&str> = row.split(' ').collect();
        let [name, seed, count, worst, first @ ..] = &words[..] else {
            panic!("{row}")
        };
        let mma = Mma::parse(name).unwrap();
        let operands = operands(&mma, seed.parse().unwrap());
        let exact = results(&mma, Arithmetic::Exact, &operands);
        let found = results(&mma, Arithmetic::Sm90, &operands);
        let differ: Vec<(u32, u32)> = exact
            .into_iter()
            .zip(found)
            .filter(|(exact, found)| exact != found)
            .collect();
        let most = differ.iter().map(|&(a, b)| distance(mma.d, a, b)).max();
        let shown = match differ.first() {
            Some((exact, found)) => [format!("{exact:x}"), format!("{found:x}")],
            None => ["-".to_owned(), "-".to_owned()],
        };
        assert_eq!(
            (
                differ.len().to_string(),
                most.unwrap_or(0).to_string(),
                &shown[..]
            ),
            (
                (*count).to_owned(),
                (*worst).to_owned(),
                &[first[0].to_owned(), first[1].to_owned()][..]
            ),
            "{name}"
        );
        rows += 1;
    }
    let floats = Mma::all()
        .into_iter()
        .filter(|mma| !matches!(mma.d, Accumulator::F64 | Accumulator::S32))
        .count();
    assert_eq!(rows, floats);
}

/// Checks that the two arithmetics agree for small integers, for which no bit is lost.
#[test]
fn exact_sums_are_the_same() {
    let mut random = random::Random(57);
    for mma in Mma::all() {
        if mma.registers().bits == 64 {
            continue;
        }
        let need = mma.registers();
        let one = |element: Element, n: u64| match element {
            Element::F16 => [0u64, 0x3c00, 0xbc00, 0x4000][n as usize % 4],
            Element::Bf16 => [0u64, 0x3f80, 0xbf80, 0x4000][n as usize % 4],
            Element::Tf32 => [0u64, 0x3f80_0000, 0xbf80_0000, 0x4000_0000][n as usize % 4],
            Element::E4m3 => [0u64, 0x38, 0xb8, 0x40][n as usize % 4],
            Element::E5m2 => [0u64, 0x3c, 0xbc, 0x40][n as usize % 4],
            other => n & ((1 << other.bits()) - 1),
        };
        let mut registers = |n: usize, element: Element| -> Registers {
            let mut word = || {
                (0..32 / element.bits()).fold(0, |word, i| {
                    word | one(element, random.next() >> 20) << (i * element.bits())
                }) as u32
            };
            (0..n).map(|_| std::array::from_fn(|_| word())).collect()
        };
        let (a, b) = (registers(need.a, mma.a), registers(need.b, mma.b));
        let c = match mma.c {
            Accumulator::F16 => registers(need.c, Element::F16),
            _ => registers(need.c, Element::Tf32),
        };
        let operands = [[a, b, c]];
        assert_eq!(
            results(&mma, Arithmetic::Exact, &operands),
            results(&mma, Arithmetic::Sm90, &operands),
            "{mma}"
        );
    }
}

/// Checks sums above the largest `.f32`, and sums that cancel or vanish.
#[test]
fn the_ends_of_the_range() {
    let mma = Mma::parse("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32").unwrap();
    let sum = |a: u32, b: u32, c: u32| {
        let mut d = [[0; 32]; 4];
        let (a, c) = ([[a; 32]; 2], [[c; 32]; 4]);
        mma.execute_in(Arithmetic::Sm90, &a, &[[b; 32]], &c, &mut d)
            .unwrap();
        d[0][0]
    };
    let (huge, one) = (0x7f7f_7f7f, 0x3f80_3f80);
    assert_eq!(sum(huge, huge, 0), 0x7f80_0000);
    assert_eq!(sum(huge ^ 0x8000_8000, huge, 0), 0xff80_0000);
    // There are four products each of the largest number and of its negative.
    assert_eq!(sum(0xff7f_7f7f, huge, 0), 0);
    assert_eq!(sum(0xff7f_7f7f, one, 0x7f7f_ffff), 0x7f7f_ffff);
    // The square of the smallest bf16 is far below C's last bit, and below every `.f32`.
    assert_eq!(sum(0x0001_0001, 0x0001_0001, 1), 1);
    assert_eq!(sum(0x0001_0001, 0x0001_0001, 0), 0);
    // 8 * 2^-133 * 2^-7 is 2^12 times the smallest `.f32`.
    assert_eq!(sum(0x0001_0001, 0x3c00_3c00, 0), 0x0000_1000);
}

/// Checks that infinities and NaN follow PTX.
#[test]
fn infinities_and_nan() {
    let mma = Mma::parse("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32").unwrap();
    let sum = |a: u32, b: u32, c: f32| {
        let mut d = [[0; 32]; 4];
        let a = [[a; 32]; 2];
        mma.execute_in(
            Arithmetic::Sm90,
            &a,
            &[[b; 32]],
            &[[c.to_bits(); 32]; 4],
            &mut d,
        )
        .unwrap();
        d[0][0]
    };
    let (one, infinity) = (0x3c00_3c00, 0x7c00_7c00);
    assert_eq!(sum(one, infinity, 1.0), f32::INFINITY.to_bits());
    assert_eq!(sum(one, infinity, f32::NEG_INFINITY), 0x7fff_ffff);
    assert_eq!(sum(0, infinity, 1.0), 0x7fff_ffff);
    assert_eq!(sum(one, 0x7e00_7e00, 1.0), 0x7fff_ffff);
    assert_eq!(
        sum(one, one, f32::NEG_INFINITY),
        f32::NEG_INFINITY.to_bits()
    );
    assert_eq!(sum(0, 0, 0.0), 0);
    // A zero result has no sign.
    assert_eq!(sum(0x8000_8000, one, -0.0), 0);
    assert_eq!(sum(one, 0xbc00_bc00, 8.0), 0);
}
