//! Compares textures and surfaces with an H100, with a scalar reference written from the CUDA C++
//! Programming Guide, and with values computed by hand.

use super::*;
use emulator::{
    AddressMode, ArrayDesc, ArrayHandle, ArrayShape, FilterMode, ReadMode, TexelFormat, TextureDesc,
};

const MODES: [AddressMode; 4] = [
    AddressMode::Wrap,
    AddressMode::Clamp,
    AddressMode::Mirror,
    AddressMode::Border,
];
const FILTERS: [FilterMode; 2] = [FilterMode::Point, FilterMode::Linear];

fn shape(name: &str) -> (ArrayShape, [u32; 3]) {
    match name {
        "1d" => (ArrayShape::D1, [13, 1, 1]),
        "2d" => (ArrayShape::D2, [13, 6, 1]),
        "3d" => (ArrayShape::D3, [5, 6, 4]),
        "a1d" => (ArrayShape::A1d, [13, 1, 3]),
        _ => (ArrayShape::A2d, [5, 6, 3]),
    }
}

/// Returns the number of coordinates without the layer.
fn axes(shape: ArrayShape) -> usize {
    match shape {
        ArrayShape::D1 | ArrayShape::A1d => 1,
        ArrayShape::D2 | ArrayShape::A2d => 2,
        ArrayShape::D3 => 3,
    }
}

/// Writes the kernel of one instruction. `%a0` is the object, `%a1` holds four words of coordinates
/// for each thread, and `%a2` four words of results.
fn kernel(instruction: &str) -> String {
    let form = instruction.split('.').collect::<Vec<_>>();
    let name = form
        .iter()
        .find(|word| word.ends_with('d') && word.len() < 4);
    let coordinates = match *name.unwrap() {
        "1d" => "%r10",
        "2d" | "a1d" => "%r10, %r11",
        _ => "%r10, %r11, %r12, %r12",
    };
    let count = if form.contains(&"v4") {
        4
    } else {
        1 + usize::from(form.contains(&"v2"))
    };
    let (register, first, behind) = match *form.iter().rev().nth(1).unwrap() {
        "b8" | "b16" => ("%h", 0, "cvt.u32.u16 %r2N, %hN;"),
        "b64" => ("%d", 20, "mov.b64 {%rL, %rH}, %d2N;"),
        _ => ("%r", 20, ""),
    };
    let list: Vec<String> = (0..count)
        .map(|i| format!("{register}{}", first + i))
        .collect();
    let behind: String = (0..count)
        .map(|i| {
            let of = behind.replace('N', &i.to_string());
            of.replace('L', &(20 + 2 * i).to_string())
                .replace('H', &(21 + 2 * i).to_string())
        })
        .collect();
    let level = if form.contains(&"level") {
        ", 0f40200000"
    } else {
        ""
    };
    let body = format!(
        "mul.wide.u32 %d1, %tid, 16; add.u64 %d2, %a1, %d1; add.u64 %d3, %a2, %d1;\n\
         ld.global.v4.b32 {{%r10, %r11, %r12, %r13}}, [%d2];\n\
         mov.b32 %r20, 0; mov.b32 %r21, 0; mov.b32 %r22, 0; mov.b32 %r23, 0;\n\
         {instruction} {{{}}}, [%a0, {{{coordinates}}}]{level};\n{behind}\n\
         st.global.v4.b32 [%d3], {{%r20, %r21, %r22, %r23}}; ret;",
        list.join(", ")
    );
    entry(3, &body)
}

fn array(
    bench: &Bench,
    shape: ArrayShape,
    extents: [u32; 3],
    format: TexelFormat,
    channels: u32,
) -> ArrayHandle {
    let desc = ArrayDesc {
        shape,
        extents,
        channels,
        format,
    };
    let array = bench.device.array(&desc).unwrap();
    let bytes: Vec<u8> = (0..desc.bytes() / format.bytes())
        .flat_map(|i| channel(format, i).to_le_bytes()[..format.bytes()].to_vec())
        .collect();
    bench.device.write_array(array, &bytes).unwrap();
    array
}

/// Returns the bits of channel `i`, counted over all texels. The arrays on the H100 held the same
/// bits.
fn channel(format: TexelFormat, i: usize) -> u32 {
    let v = (i as u32 + 1).wrapping_mul(2_654_435_761) >> 7;
    match format {
        TexelFormat::F32 => (((v & 0xffff) as f32 - 32768.0) / 256.0).to_bits(),
        // A half's value is from -8 to 8 in steps of 1/64, computed from a float's bits; no value
        // is subnormal.
        TexelFormat::F16 => {
            let bits = (((v & 1023) as f32 - 512.0) / 64.0).to_bits();
            match bits << 1 {
                0 => 0,
                _ => bits >> 16 & 0x8000 | ((bits >> 13 & 0x3ffff) - (112 << 10)) & 0x7fff,
            }
        }
        _ => v,
    }
}

fn launch(bench: &Bench, object: u64, coordinates: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let n = coordinates.len();
    let (at, out) = (
        bench.words(coordinates.as_flattened()),
        bench.words(&vec![9; 4 * n]),
    );
    let args = [Arg::U64(object), Arg::U64(at), Arg::U64(out)];
    bench.run("k", 1, n as u32, &args);
    bench.read_words(out, 4 * n).as_chunks().0.to_vec()
}

fn near(found: u32, wanted: f64, tolerance: f64) -> bool {
    (f64::from(f32::from_bits(found)) - wanted).abs() <= tolerance
}

/// Compares 3,200 fetches and loads with those of an H100: all shapes, formats, modes.
#[test]
fn as_an_h100_fetches_and_loads() {
    let mut random = Random(1);
    let mut seen = 0;
    let lines = include_str!("../data/h100_textures.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let instruction = words[0];
        let [code, channels, flags, mode, filter] =
            std::array::from_fn(|i| words[i + 1].parse::<usize>().unwrap());
        let wanted: Vec<u32> = words[6..]
            .iter()
            .map(|w| u32::from_str_radix(w, 16).unwrap())
            .collect();
        let is_surface = instruction.starts_with("suld");
        let name = instruction
            .split('.')
            .nth(1 + usize::from(is_surface))
            .unwrap();
        let (shape, extents) = shape(name);
        let format = match code {
            1 => TexelFormat::U8,
            2 => TexelFormat::U16,
            3 => TexelFormat::U32,
            8 => TexelFormat::S8,
            9 => TexelFormat::S16,
            10 => TexelFormat::S32,
            16 => TexelFormat::F16,
            _ => TexelFormat::F32,
        };
        let texel = channels * format.bytes();
        let integers = is_surface || instruction.ends_with("s32");
        let layered = usize::from(shape.is_layered());
        let coordinates: Vec<[u32; 4]> = (0..16)
            .map(|_| {
                let mut at = [0; 4];
                for j in 0..axes(shape) + layered {
                    let r = random.word();
                    at[j] = if j < layered {
                        (r % (extents[2] + 2)).wrapping_sub(1)
                    } else if integers {
                        let n = (r % (extents[j - layered] + 4)) as i32 - 2;
                        (n * if is_surface && j == layered {
                            texel as i32
                        } else {
                            1
                        }) as u32
                    } else if flags & 2 != 0 {
                        ((r % (3 << 20)) as f32 / (1 << 20) as f32 - 1.0).to_bits()
                    } else {
                        ((r % (1024 * (extents[j - layered] + 4))) as f32 / 1024.0 - 2.0).to_bits()
                    };
                }
                at
            })
            .collect();
        if instruction == "tex.1d.v4.f32.s32" {
            // An H100 fetches only zeros from an array here: integer coordinates are for linear
            // memory, and the emulator's 1d array acts as linear memory.
            continue;
        }
        let bench = Bench::new(&kernel(instruction));
        let array = array(&bench, shape, extents, format, channels as u32);
        let floats = instruction.contains("v4.f32");
        let object = if is_surface {
            bench.device.surface(array)
        } else {
            bench.device.texture(&TextureDesc {
                array,
                address: [MODES[mode]; 3],
                filter: FILTERS[filter],
                read: match floats && !format.is_float() {
                    true => ReadMode::NormalizedFloat,
                    false => ReadMode::Element,
                },
                normalized: flags & 2 != 0,
            })
        };
        let found = launch(&bench, object.unwrap(), &coordinates);
        for (lane, (found, wanted)) in found.iter().zip(wanted.chunks_exact(4)).enumerate() {
            let same = (0..4).all(|c| {
                let (found, wanted) = (found[c], wanted[c]);
                // With filtering, an H100 keeps 16 bits of normalised integers; in a volume it
                // rounds weights once more.
                let tolerance = match (floats && !is_surface, filter, shape) {
                    (false, ..) => return found == wanted,
                    (true, 0, _) if format.is_float() => return found == wanted,
                    (true, 0, _) => 1e-7,
                    (true, _, ArrayShape::D3) => 4.0 * 128.0 / 256.0,
                    (true, ..) if format.is_float() => 1e-5,
                    (true, ..) => 1.0 / 32768.0,
                };
                near(found, f64::from(f32::from_bits(wanted)), tolerance)
            });
            assert!(
                same,
                "{instruction} {words:?} lane {lane} at {:?}: {found:x?}, {wanted:x?}",
                coordinates[lane]
            );
            seen += 1;
        }
    }
    assert_eq!(seen, 16 * 196);
}

/// Computes the guide's formulas for an element of a float texture, with exact weights.
fn reference(extents: [u32; 3], axes: usize, desc: &TextureDesc, layer: u32, at: [f32; 3]) -> f64 {
    let value = |index: [i64; 3]| {
        let mut place = [0u32; 3];
        for axis in 0..axes {
            let n = i64::from(extents[axis]);
            let mut i = index[axis];
            // The index moves step by step into the texture.
            match desc.address[axis] {
                AddressMode::Border if i < 0 || i >= n => return 0.0,
                AddressMode::Wrap if desc.normalized => {
                    while i < 0 {
                        i += n;
                    }
                    while i >= n {
                        i -= n;
                    }
                }
                AddressMode::Mirror if desc.normalized => {
                    while i < 0 || i >= n {
                        i = if i < 0 { -1 - i } else { 2 * n - 1 - i };
                    }
                }
                _ => i = i.max(0).min(n - 1),
            }
            place[axis] = i as u32;
        }
        if axes < 3 {
            place[2] = layer.min(extents[2] - 1);
        }
        let i = (place[2] * extents[1] + place[1]) * extents[0] + place[0];
        f64::from(f32::from_bits(channel(TexelFormat::F32, i as usize)))
    };
    let scaled: [f64; 3] = std::array::from_fn(|axis| {
        let n = if desc.normalized {
            f64::from(extents[axis])
        } else {
            1.0
        };
        f64::from(at[axis]) * n
    });
    if desc.filter == FilterMode::Point {
        return value(scaled.map(|x| x.floor() as i64));
    }
    let mut sum = 0.0;
    for corner in 0..1 << axes {
        let (mut index, mut weight) = ([0; 3], 1.0);
        for axis in 0..axes {
            let x = scaled[axis] - 0.5;
            let upper = corner >> axis & 1;
            let part = x - x.floor();
            index[axis] = x.floor() as i64 + upper;
            weight *= if upper == 1 { part } else { 1.0 - part };
        }
        sum += weight * value(index);
    }
    sum
}

/// Checks all shapes, address modes, filters and kinds of coordinates, at random places that may be
/// far outside.
#[test]
fn fetches_are_the_guides_formulas() {
    let mut random = Random(5);
    for name in ["1d", "2d", "3d", "a1d", "a2d"] {
        let (shape, extents) = shape(name);
        for form in ["tex", "tex.level"] {
            let bench = Bench::new(&kernel(&format!("{form}.{name}.v4.f32.f32")));
            let array = array(&bench, shape, extents, TexelFormat::F32, 1);
            for case in 0..32 {
                let desc = TextureDesc {
                    array,
                    address: std::array::from_fn(|_| MODES[random.word() as usize % 4]),
                    filter: FILTERS[case % 2],
                    read: ReadMode::Element,
                    normalized: case & 2 != 0,
                };
                if shape == ArrayShape::D1
                    && case % 2 == 1
                    && desc.address[0] == AddressMode::Border
                {
                    // The result is half of the guide's, as on an H100: a row of zeros lies above
                    // the line.
                    continue;
                }
                let layered = usize::from(shape.is_layered());
                let far = if desc.normalized { 9.0 } else { 60.0 };
                let coordinates: Vec<[u32; 4]> = (0..32)
                    .map(|_| {
                        let mut at = [0; 4].map(|_| {
                            ((random.word() as f32 / 2f32.powi(31) - 1.0) * far).to_bits()
                        });
                        if layered == 1 {
                            at[0] = random.word() % 5;
                        }
                        at
                    })
                    .collect();
                let object = bench.device.texture(&desc).unwrap();
                for (found, at) in launch(&bench, object, &coordinates)
                    .iter()
                    .zip(&coordinates)
                {
                    let place = std::array::from_fn(|i| f32::from_bits(at[(i + layered).min(3)]));
                    let wanted = reference(extents, axes(shape), &desc, at[0], place);
                    // An axis' weight is off by at most half of 1/256, and neighbours differ by
                    // 256.
                    let tolerance = [0.0, (axes(shape) * 2) as f64][case % 2];
                    assert!(
                        near(found[0], wanted, tolerance) && found[1..] == [0; 3],
                        "{name} {desc:?} {place:?}: {} {wanted}",
                        f32::from_bits(found[0])
                    );
                }
            }
        }
    }
}

/// Checks a line of 10, 20, 40, 80, and a plane, by hand.
#[test]
fn linear_values_by_hand() {
    let fetch = |name: &str,
                 shape,
                 extents,
                 values: &[f32],
                 at: [f32; 2],
                 normalized,
                 mode: AddressMode| {
        let bench = Bench::new(&kernel(&format!("tex.{name}.v4.f32.f32")));
        let array = bench
            .device
            .array(&ArrayDesc {
                shape,
                extents,
                channels: 1,
                format: TexelFormat::F32,
            })
            .unwrap();
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        bench.device.write_array(array, &bytes).unwrap();
        let desc = TextureDesc {
            array,
            address: [mode; 3],
            filter: FilterMode::Linear,
            read: ReadMode::Element,
            normalized,
        };
        let object = bench.device.texture(&desc).unwrap();
        let place = [at[0].to_bits(), at[1].to_bits(), 0, 0];
        f32::from_bits(launch(&bench, object, &[place])[0][0])
    };
    let line = |x: f32, normalized, mode| {
        fetch(
            "1d",
            ArrayShape::D1,
            [4, 1, 1],
            &[10., 20., 40., 80.],
            [x, 0.0],
            normalized,
            mode,
        )
    };
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    // The coordinates are at the centre of a texel, a quarter further, and between two texels; then
    // 1/256 further, and 1/1024 further, which has no effect.
    assert_eq!(line(1.5, false, Clamp), 20.0);
    assert_eq!(line(1.75, false, Clamp), 25.0);
    assert_eq!(line(3.0, false, Clamp), 60.0);
    assert_eq!(line(1.5 + 1.0 / 256.0, false, Clamp), 20.0 + 20.0 / 256.0);
    assert_eq!(line(1.5 + 1.0 / 1024.0, false, Clamp), 20.0);
    // At the ends the value is the last one again, the first one, the border's zeros (half, as for
    // a row of zeros above), or the last one, reversed.
    assert_eq!(line(4.0, false, Clamp), 80.0);
    assert_eq!(line(1.0, true, Wrap), 45.0);
    assert_eq!(line(1.0, true, Border), 20.0);
    assert_eq!(line(1.125, true, Mirror), 80.0);
    assert_eq!(line(1.25, true, Mirror), 60.0);
    // Without normalised coordinates there is no wrapping.
    assert_eq!(line(5.0, false, Wrap), 80.0);
    for strange in [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
    ] {
        for mode in MODES {
            assert!(
                (0.0..=80.0).contains(&line(strange, true, mode)),
                "{strange} {mode:?}"
            );
        }
    }
    let plane = |x, y, mode| {
        fetch(
            "2d",
            ArrayShape::D2,
            [2, 2, 1],
            &[0., 4., 8., 16.],
            [x, y],
            false,
            mode,
        )
    };
    assert_eq!(plane(1.0, 1.0, Clamp), 7.0);
    assert_eq!(plane(0.75, 1.25, Clamp), 0.25 * 1.0 + 0.75 * 10.0);
    assert_eq!(plane(0.0, 0.5, Border), 0.0);
    assert_eq!(plane(2.0, 1.5, Border), 8.0);
}

/// Checks that surfaces load and textures fetch what a surface stores. A store outside goes to the
/// edge with `.clamp`, and has no effect with `.zero`.
#[test]
fn surfaces_store_what_textures_fetch() {
    let body = "mov.b32 %r1, %tid; shl.b32 %r2, %tid, 2; add.u32 %r3, %tid, 100; cvt.u16.u32 %h1, %tid;\n\
        sust.b.2d.b32.trap [%a0, {%r2, 1}], {%r3};\n\
        sust.b.2d.v2.b16.wt.clamp [%a0, {-4, 9}], {7, 8};\n\
        setp.eq.u32 %p1, %tid, 0; @%p1 sust.b.2d.b8.zero [%a0, {1, 0}], %h1; sust.b.2d.b32.zero [%a0, {0, -1}], {%r3};\n\
        sust.b.2d.b32.zero [%a0, {16, 0}], {%r3};\n\
        tex.2d.v4.u32.s32 {%r4, _, _, %r5}, [%a1, {%tid, 1}]; suld.b.2d.cg.b32.zero %r6, [%a0, {%r2, 3}];\n\
        suld.b.2d.b32.clamp {%r7}, [%a0, {%r2, 3}]; mul.wide.u32 %d1, %tid, 16; add.u64 %d1, %a2, %d1;\n\
        st.global.v4.b32 [%d1], {%r4, %r5, %r6, %r7}; ret;";
    let bench = Bench::new(&entry(3, body));
    let array = bench
        .device
        .array(&ArrayDesc {
            shape: ArrayShape::D2,
            extents: [4, 3, 1],
            channels: 1,
            format: TexelFormat::U32,
        })
        .unwrap();
    bench.device.write_array(array, &[0x11; 48]).unwrap();
    let desc = TextureDesc {
        array,
        address: [AddressMode::Border; 3],
        filter: FilterMode::Point,
        read: ReadMode::Element,
        normalized: false,
    };
    let objects = [
        bench.device.surface(array).unwrap(),
        bench.device.texture(&desc).unwrap(),
    ];
    let out = bench.words(&[0; 16]);
    bench.run(
        "k",
        1,
        4,
        &[Arg::U64(objects[0]), Arg::U64(objects[1]), Arg::U64(out)],
    );
    let last = [0x0008_0007, 0x1111_1111, 0x1111_1111, 0x1111_1111];
    for (i, found) in bench.read_words(out, 16).chunks_exact(4).enumerate() {
        assert_eq!(found, [100 + i as u32, 0, 0, last[i]]);
    }
    let mut bytes = [0; 48];
    bench.device.read_array(array, &mut bytes).unwrap();
    assert_eq!(bytes[..5], [0x11, 0, 0x11, 0x11, 0x11]);
    assert_eq!(
        (bytes[16], bytes[28], bytes[32], bytes[34]),
        (100, 103, 7, 8)
    );
}
