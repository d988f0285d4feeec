//! Compares `cvt.pack` with a bit-by-bit definition, as in the ISA.

use super::*;

#[test]
fn integers_are_saturated_and_packed() {
    for (name, bits, low, high) in [
        ("u2", 2, 0, 3),
        ("s2", 2, -2, 1),
        ("u4", 4, 0, 15),
        ("s4", 4, -8, 7),
        ("u8", 8, 0, 255),
        ("s8", 8, -128, 127),
        ("u16", 16, 0, 65535),
        ("s16", 16, -32768, 32767),
    ] {
        let field = move |x: u64| signed(32, x).clamp(low, high);
        let bit = move |x: i128, i: u32| (x >> i & 1) as u64;
        let packed = move |x: &[u64]| {
            (0..32).fold(0, |d, i| {
                let it = match i / bits {
                    0 => bit(field(x[1]), i),
                    1 => bit(field(x[0]), i - bits),
                    _ => x[2] >> (i - 2 * bits) & 1,
                };
                d | it << i
            })
        };
        // The operands have every magnitude.
        let shrink = |x: &mut Vec<u64>| {
            let by = [x[1] % 32, x[0] % 32];
            for (x, by) in x.iter_mut().zip(by) {
                *x = (*x as i32 >> by) as u32 as u64;
            }
        };
        let (text, widths) = if bits == 16 {
            ("$d, $a, $b;".to_owned(), &[32; 2][..])
        } else {
            ("$d, $a, $b, $c;".to_owned(), &[32; 3][..])
        };
        let c = if bits == 16 { "" } else { ".b32" };
        let text = format!("cvt.pack.sat.{name}.s32{c} {text}");
        lanewise_prepared(&text, 32, widths, shrink, packed);
    }
}
