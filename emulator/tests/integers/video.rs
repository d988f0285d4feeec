//! Four bytes at a time.

use super::*;

#[test]
fn bytes_are_treated_one_by_one() {
    type Of = fn(i32, i32) -> i32;
    let operations: [(&str, Of); 5] = [
        ("vadd4", |a, b| a + b),
        ("vsub4", |a, b| a - b),
        ("vabsdiff4", |a, b| (a - b).abs()),
        ("vmin4", |a, b| a.min(b)),
        ("vmax4", |a, b| a.max(b)),
    ];
    let number = |x: u64, i: usize, signed: bool| {
        let byte = (x >> (8 * i)) as u8;
        if signed {
            i32::from(byte as i8)
        } else {
            i32::from(byte)
        }
    };
    for (name, of) in operations {
        for signs in 0..8 {
            let signed = [signs & 1 == 1, signs & 2 == 2, signs & 4 == 4];
            let [d, a, b] = signed.map(|signed| if signed { "s32" } else { "u32" });
            for sat in ["", ".sat"] {
                let result = |x: &[u64]| {
                    (0..4).fold(0, |all, i| {
                        let value = of(number(x[0], i, signed[1]), number(x[1], i, signed[2]));
                        let value = match (sat, signed[0]) {
                            ("", _) => value,
                            (_, true) => value.clamp(-128, 127),
                            (_, false) => value.clamp(0, 255),
                        };
                        all | u64::from(value as u8) << (8 * i)
                    })
                };
                let text = format!("{name}.{d}.{a}.{b}{sat} $d, $a, $b, $a;");
                lanewise(&text, 32, &[32; 2], result);
            }
        }
    }
}
