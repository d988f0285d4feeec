//! Compares integer instructions with the ISA's programs, bit by bit.

mod random;

use emulator::numerics::integer::bytes::{Permute, dp2a, dp4a, lop3, prmt};
use emulator::numerics::integer::{self, Overflow, field, shift};
use random::Random;

impl Random {
    /// Returns a random word, often with few bits set or clear, so that edges occur.
    fn word(&mut self) -> u64 {
        let (word, other, third) = (self.next(), self.next(), self.next());
        match self.next() >> 62 {
            0 => word & other & third,
            1 => word | other | third,
            2 => word >> (other % 64),
            _ => word,
        }
    }

    /// Returns a random amount, mostly near the widths.
    fn amount(&mut self) -> u32 {
        let word = self.next();
        (if word & 7 == 0 {
            word >> 40
        } else {
            (word >> 32) % 70
        }) as u32
    }
}

#[test]
fn shifts_move_one_bit_at_a_time() {
    let mut random = Random(31);
    for _ in 0..20_000 {
        let (a, n) = (random.word(), random.amount());
        let times = n.min(100);
        let repeat = |start: u64, f: &dyn Fn(u64) -> u64| (0..times).fold(start, |x, _| f(x));
        assert_eq!(shift::shl_64(a, n), repeat(a, &|x| x << 1));
        assert_eq!(shift::shr_u64(a, n), repeat(a, &|x| x >> 1));
        assert_eq!(
            shift::shr_s64(a as i64, n),
            repeat(a, &|x| (x as i64 >> 1) as u64) as i64
        );
        assert_eq!(shift::shl_32(a as u32, n), repeat(a, &|x| x << 1) as u32);
        assert_eq!(
            shift::shr_u32(a as u32, n),
            repeat(a as u32 as u64, &|x| x >> 1) as u32
        );
        assert_eq!(
            shift::shr_s32(a as i32, n),
            repeat(a as i32 as u64, &|x| (x as i64 >> 1) as u64) as i32
        );
        assert_eq!(shift::shl_16(a as u16, n), repeat(a, &|x| x << 1) as u16);
        assert_eq!(
            shift::shr_u16(a as u16, n),
            repeat(a as u16 as u64, &|x| x >> 1) as u16
        );
        assert_eq!(
            shift::shr_s16(a as i16, n),
            repeat(a as i16 as u64, &|x| (x as i64 >> 1) as u64) as i16
        );
        let (low, high) = (a as u32, (a >> 32) as u32);
        for (mode, m) in [(Overflow::Clamp, n.min(32)), (Overflow::Wrap, n & 31)] {
            let left = (0..m).fold(a, |x, _| x << 1);
            assert_eq!(shift::shf_left(low, high, n, mode), (left >> 32) as u32);
            let right = (0..m).fold(a, |x, _| x >> 1);
            assert_eq!(shift::shf_right(low, high, n, mode), right as u32);
        }
    }
}

fn bit(word: u64, index: u32) -> u64 {
    word >> index & 1
}

#[test]
fn bit_fields_are_the_isa_s_loops() {
    let bfe = |a: u64, b: u32, c: u32, msb: u32, signed: bool| {
        let (pos, len) = (b & 0xff, c & 0xff);
        let sign = if !signed || len == 0 {
            0
        } else {
            bit(a, (pos + len - 1).min(msb))
        };
        (0..=msb).fold(0, |d, i| {
            d | (if i < len && pos + i <= msb {
                bit(a, pos + i)
            } else {
                sign
            }) << i
        })
    };
    let bfi = |a: u64, b: u64, c: u32, d: u32, msb: u32| {
        let (pos, len) = (c & 0xff, d & 0xff);
        let mut f = b;
        let mut i = 0;
        while i < len && pos + i <= msb {
            f = f & !(1 << (pos + i)) | bit(a, i) << (pos + i);
            i += 1;
        }
        f
    };
    let mut random = Random(32);
    for _ in 0..40_000 {
        let (a, b) = (random.word(), random.word());
        let (position, length) = (random.amount(), random.amount());
        let (low, b_low) = (a & 0xffff_ffff, b & 0xffff_ffff);
        assert_eq!(
            field::bfe_u32(a as u32, position, length) as u64,
            bfe(low, position, length, 31, false)
        );
        assert_eq!(
            field::bfe_s32(a as i32, position, length) as u32 as u64,
            bfe(low, position, length, 31, true)
        );
        assert_eq!(
            field::bfi_32(a as u32, b as u32, position, length) as u64,
            bfi(low, b_low, position, length, 31)
        );
        // The loops are defined up to 255; above, 64-bit operands use the number as it is.
        let (position, length) = (position & 0xff, length & 0xff);
        assert_eq!(
            field::bfe_u64(a, position, length),
            bfe(a, position, length, 63, false)
        );
        assert_eq!(
            field::bfe_s64(a as i64, position, length) as u64,
            bfe(a, position, length, 63, true)
        );
        assert_eq!(
            field::bfi_64(a, b, position, length),
            bfi(a, b, position, length, 63)
        );
    }
}

/// Compares results that PTX leaves open with those of an H200.
#[test]
fn fields_beyond_255_are_an_h200_s() {
    for (a, position, length, expected) in [
        (0xc043_1b48_6fd2_cda0, 0x3f80_0000, 0x1b, 0),
        (0x7fff_ffff_0000_0020, 0x1a, 0x8000_0000, 0x1f_ffff_ffc0),
    ] {
        assert_eq!(field::bfe_u64(a, position, length), expected);
    }
    for (a, position, length, expected) in [
        (0x8000_0001_2b76_bec4u64, 0xffff_ffff, 0x8000, -1),
        (0x81a2_e895, 0x8000_0000, 0x3a8e_ea9a, 0),
    ] {
        assert_eq!(field::bfe_s64(a as i64, position, length), expected);
    }
    for (a, b, position, length, expected) in [
        (
            0xe908_9985,
            0x76d3_1a40_5c42_cb32,
            6,
            0xad4a_5102,
            0x3a_4226_6172,
        ),
        (
            0x3ee2_4f78,
            0x8501_4511_8000_0000,
            0xcd33_7222,
            0x3bb0_3b23,
            0x8501_4511_8000_0000,
        ),
    ] {
        assert_eq!(field::bfi_64(a, b, position, length), expected);
    }
}

#[test]
fn masks_and_extensions_are_the_isa_s_programs() {
    let shl = |x: u32, n: u32| if n < 32 { x << n } else { 0 };
    let bmsk = |a: u32, b: u32, clamp: bool| {
        let (a1, b1) = (a & 31, b & 31);
        let mut mask0 = shl(!0, a1);
        let sum = a1 + b1;
        let mut mask1 = shl(!0, sum);
        let mut overflow = sum >= 32;
        if clamp {
            if a >= 32 {
                overflow = true;
                mask0 = 0;
            }
            overflow |= b >= 32;
        }
        if overflow {
            mask1 = 0;
        } else if b1 == 0 {
            mask1 = !0;
        }
        mask0 & !mask1
    };
    let szext = |a: u32, b: u32, signed: bool, clamp: bool| {
        let b1 = b & 31;
        let too_large = b >= 32 && clamp;
        let mask = if too_large { 0 } else { !0 << b1 };
        let sign = b1 != 0 && !too_large && signed && a >> ((b1.wrapping_sub(1)) & 31) & 1 == 1;
        (a & !mask) | if sign { mask } else { 0 }
    };
    let mut random = Random(33);
    for _ in 0..40_000 {
        let (a, b, word) = (random.amount(), random.amount(), random.word() as u32);
        for (mode, clamp) in [(Overflow::Clamp, true), (Overflow::Wrap, false)] {
            assert_eq!(
                field::bmsk(a, b, mode),
                bmsk(a, b, clamp),
                "{a} {b} {mode:?}"
            );
            for signed in [false, true] {
                assert_eq!(
                    field::szext(word, b, signed, mode),
                    szext(word, b, signed, clamp),
                    "{word:#x} {b}"
                );
            }
        }
    }
}

#[test]
fn finding_bits_is_the_isa_s_search() {
    let bfind = |a: u64, msb: u32, signed: bool, shiftamt: bool| {
        let a = if signed && bit(a, msb) == 1 { !a } else { a };
        match (0..=msb).rev().find(|&i| bit(a, i) == 1) {
            None => u32::MAX,
            Some(i) => {
                if shiftamt {
                    msb - i
                } else {
                    i
                }
            }
        }
    };
    let fns = |mask: u32, base: u32, offset: i32| {
        if offset == 0 {
            return if mask >> base & 1 == 1 {
                base
            } else {
                u32::MAX
            };
        }
        let (mut pos, mut count) = (base as i32, offset.unsigned_abs() - 1);
        while (0..32).contains(&pos) {
            if mask >> pos & 1 == 1 {
                if count == 0 {
                    return pos as u32;
                }
                count -= 1;
            }
            pos += offset.signum();
        }
        u32::MAX
    };
    let mut random = Random(34);
    for _ in 0..40_000 {
        let a = random.word();
        for shiftamt in [false, true] {
            assert_eq!(field::bfind_u64(a, shiftamt), bfind(a, 63, false, shiftamt));
            assert_eq!(
                field::bfind_s64(a as i64, shiftamt),
                bfind(a, 63, true, shiftamt)
            );
            assert_eq!(
                field::bfind_u32(a as u32, shiftamt),
                bfind(a & 0xffff_ffff, 31, false, shiftamt)
            );
            assert_eq!(
                field::bfind_s32(a as i32, shiftamt),
                bfind(a & 0xffff_ffff, 31, true, shiftamt)
            );
        }
        let (base, offset) = (random.next() as u32 & 31, (random.next() % 80) as i32 - 40);
        assert_eq!(
            field::fns(a as u32, base, offset),
            fns(a as u32, base, offset)
        );
    }
    assert_eq!(field::bfind_s32(-1, true), u32::MAX);
    assert_eq!(field::fns(u32::MAX, 31, i32::MIN), u32::MAX);
}

/// Compares with the ISA's table of the special modes, row by row: the source bytes of d's bytes 3
/// to 0.
#[test]
fn permutes_follow_the_isa_s_table() {
    let table = [
        ("f4e", [3210, 4321, 5432, 6543]),
        ("b4e", [5670, 6701, 7012, 123]),
        ("rc8", [0, 1111, 2222, 3333]),
        ("ecl", [3210, 3211, 3222, 3333]),
        ("ecr", [0, 1110, 2210, 3210]),
        ("rc16", [1010, 3232, 1010, 3232]),
    ];
    let (a, b) = (0x8382_8180, 0x8786_8584);
    for (name, rows) in table {
        let mode = Permute::from_modifier(name).unwrap();
        for (selector, digits) in rows.into_iter().enumerate() {
            let expected = format!("{digits:04}")
                .bytes()
                .fold(0u32, |d, digit| d << 8 | (0x80 + digit - b'0') as u32);
            assert_eq!(
                prmt(mode, a, b, selector as u32 | 0xfffc),
                expected,
                "{name} {selector}"
            );
        }
    }
    let mut random = Random(35);
    for _ in 0..10_000 {
        let (a, b, c) = (
            random.next() as u32,
            random.next() as u32,
            random.next() as u32,
        );
        let source = [a.to_le_bytes(), b.to_le_bytes()].concat();
        let expected: [u8; 4] = std::array::from_fn(|i| {
            let selector = c >> (4 * i) & 15;
            let byte = source[selector as usize & 7];
            if selector < 8 {
                byte
            } else if byte < 128 {
                0
            } else {
                255
            }
        });
        assert_eq!(
            prmt(Permute::Generic, a, b, c),
            u32::from_le_bytes(expected)
        );
    }
}

#[test]
fn look_up_tables_are_applied_bit_by_bit() {
    let mut random = Random(36);
    for table in 0..=255u8 {
        let (a, b, c) = (
            random.next() as u32,
            random.next() as u32,
            random.next() as u32,
        );
        let expected = (0..32).fold(0u32, |d, i| {
            let entry = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
            d | (table as u32 >> entry & 1) << i
        });
        assert_eq!(lop3(a, b, c, table), expected);
    }
}

#[test]
fn dot_products_are_sums() {
    let mut random = Random(37);
    let extend = |x: u32, bits: u32, signed: bool| {
        let low = (x & ((1 << bits) - 1)) as i64;
        if signed && low >> (bits - 1) == 1 {
            low - (1 << bits)
        } else {
            low
        }
    };
    for _ in 0..20_000 {
        let (a, b, c) = (
            random.word() as u32,
            random.word() as u32,
            random.word() as u32,
        );
        for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
            let four: i64 = (0..4)
                .map(|i| extend(a >> (8 * i), 8, x) * extend(b >> (8 * i), 8, y))
                .sum();
            assert_eq!(dp4a(a, b, c, x, y), (c as i64 + four) as u32);
            for high in [false, true] {
                let from = if high { 16 } else { 0 };
                let two: i64 = (0..2)
                    .map(|i| extend(a >> (16 * i), 16, x) * extend(b >> (from + 8 * i), 8, y))
                    .sum();
                assert_eq!(dp2a(a, b, c, x, y, high), (c as i64 + two) as u32);
            }
        }
    }
}

#[test]
fn products_of_24_bits_and_differences() {
    let mut random = Random(38);
    for _ in 0..20_000 {
        let (a, b, c) = (
            random.word() as u32,
            random.word() as u32,
            random.word() as u32,
        );
        let unsigned = (a as u64 & 0xff_ffff) * (b as u64 & 0xff_ffff);
        let low24 = |x: u32| ((x << 8) as i32 as i64) / 256;
        let signed = low24(a) * low24(b);
        assert_eq!(integer::mul24(a, b, false, false), unsigned as u32);
        assert_eq!(integer::mul24(a, b, false, true), (unsigned >> 16) as u32);
        assert_eq!(integer::mul24(a, b, true, false), signed as u32);
        assert_eq!(integer::mul24(a, b, true, true), (signed >> 16) as u32);
        assert_eq!(
            integer::mad24(a, b, c, true, true),
            ((signed >> 16) + c as i64) as u32
        );
        let clamped = ((signed >> 16) + c as i32 as i64).clamp(i32::MIN as i64, i32::MAX as i64);
        assert_eq!(integer::mad24_hi_sat(a, b, c), clamped as u32);
        let difference = (a as i64 - b as i64).unsigned_abs();
        assert_eq!(
            integer::sad_unsigned(a as u64, b as u64, c as u64),
            c as u64 + difference
        );
        let (x, y) = (a as i32 as i64, b as i32 as i64);
        assert_eq!(integer::sad_signed(x, y, 7), 7 + (x - y).abs());
    }
    assert_eq!(integer::sad_unsigned(0, u64::MAX, 2), 1);
    assert_eq!(integer::sad_signed(i64::MIN, i64::MAX, 2), 1);
}

#[test]
fn division_is_total() {
    assert_eq!(
        (integer::div_u32(7, 0), integer::rem_u32(7, 0)),
        (u32::MAX, u32::MAX)
    );
    assert_eq!((integer::div_s32(-7, 2), integer::rem_s32(-7, 2)), (-3, -1));
    assert_eq!(
        (
            integer::div_s64(i64::MIN, -1),
            integer::rem_s64(i64::MIN, -1)
        ),
        (i64::MIN, 0)
    );
    assert_eq!((integer::div_s16(-9, 0), integer::rem_s16(-9, 0)), (-1, -1));
    assert_eq!(
        (integer::div_u16(65535, 256), integer::rem_u16(65535, 256)),
        (255, 255)
    );
    assert_eq!(
        (
            integer::div_u64(u64::MAX, 10),
            integer::rem_u64(u64::MAX, 10)
        ),
        (u64::MAX / 10, 5)
    );
}
