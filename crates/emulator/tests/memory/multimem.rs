//! Checks `multimem`: one address for the memory of several devices.

use super::*;
use emulator::{Config, Emulator, FaultKind, Launch, LaunchError, MemoryError, Program};

/// Launches a kernel on the first of three devices. Each device `d` has 64 words, which `of` gives.
/// A multicast address on the first device names words 16 to 47 on every device. The kernel has 8
/// threads; `%a0` is the multicast address, `%a1` 64 words of the first device, and `%d1` and `%d2`
/// are the thread's 16 bytes of both. Returns the words of all devices, and the first device's own.
fn launched(
    of: impl Fn(u32, u32) -> u32,
    body: &str,
) -> Result<([Vec<u32>; 3], Vec<u32>), LaunchError> {
    let text = entry(
        2,
        &format!(
            ".reg .f32 %f<8>; .reg .f64 %g<4>;\n\
             mul.wide.u32 %d0, %tid, 16; add.u64 %d1, %a0, %d0; add.u64 %d2, %a1, %d0;\n{body}\nret;"
        ),
    );
    let program = Program::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let devices = [(); 3].map(|()| Emulator::new(Config::default()));
    let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let buffer = |device: &Emulator, words: &[u32]| {
        let address = device.alloc(4 * words.len()).unwrap();
        device.write(address, &bytes(words)).unwrap();
        address
    };
    let parts: Vec<u64> = (0..)
        .zip(&devices)
        .map(|(d, device)| {
            // The parts are at different addresses of each device.
            device.alloc(256 * (d as usize + 1)).unwrap();
            buffer(device, &(0..64).map(|i| of(d, i)).collect::<Vec<_>>())
        })
        .collect();
    let members: Vec<(&Emulator, u64)> = devices.iter().zip(parts.iter().map(|a| a + 64)).collect();
    let all = devices[0].multicast(&members, 128).unwrap();
    let own = buffer(&devices[0], &[0; 64]);
    devices[0].load(&program).unwrap();
    let launch = Launch {
        grid: [1; 3],
        block: [8, 1, 1],
        dynamic_shared: 0,
    };
    let arguments: [&[u8]; 2] = [&all.to_le_bytes(), &own.to_le_bytes()];
    devices[0].launch(&program, "k", &launch, &arguments, None)?;
    let read = |device: &Emulator, address: u64| {
        let mut found = [0; 256];
        device.read(address, &mut found).unwrap();
        let words = found.as_chunks::<4>().0;
        words
            .iter()
            .map(|word| u32::from_le_bytes(*word))
            .collect::<Vec<u32>>()
    };
    let found = std::array::from_fn(|d| read(&devices[d], parts[d]));
    Ok((found, read(&devices[0], own)))
}

/// Returns the first word of each thread's 16 bytes in the part.
fn place(thread: u32) -> u32 {
    16 + 4 * thread
}

fn word(d: u32, i: u32) -> u32 {
    (i + 1).wrapping_mul(2_654_435_761 + d * 40_503)
}

#[test]
fn loads_combine_the_words_of_all_devices() {
    let check = |operation: &str, words: usize, by: &dyn Fn([u64; 3]) -> u64| {
        let (register, store) = match words {
            1 => ("%r1", "st.global.u32 [%d2], %r1;"),
            _ => ("%d4", "st.global.u64 [%d2], %d4;"),
        };
        let body =
            format!("multimem.ld_reduce.relaxed.sys.global.{operation} {register}, [%d1]; {store}");
        let (_, own) = launched(word, &body).unwrap_or_else(|error| panic!("{error}"));
        for thread in 0..8 {
            let at = place(thread);
            let of = |d: u32| match words {
                1 => u64::from(word(d, at)),
                _ => u64::from(word(d, at)) | u64::from(word(d, at + 1)) << 32,
            };
            let found =
                u64::from(own[4 * thread as usize]) | u64::from(own[4 * thread as usize + 1]) << 32;
            assert_eq!(found, by([of(0), of(1), of(2)]), "{operation}");
        }
    };
    let low = |value: u32| u64::from(value);
    for ty in ["u32", "s32"] {
        check(&format!("add.{ty}"), 1, &|v| {
            low(v.iter().fold(0, |a, &b| a.wrapping_add(b as u32)))
        });
    }
    check("min.u32", 1, &|v| v.into_iter().min().unwrap());
    check("max.u32", 1, &|v| v.into_iter().max().unwrap());
    check("min.s32", 1, &|v| {
        low(v.map(|v| v as i32).into_iter().min().unwrap() as u32)
    });
    check("max.s32", 1, &|v| {
        low(v.map(|v| v as i32).into_iter().max().unwrap() as u32)
    });
    check("and.b32", 1, &|v| v[0] & v[1] & v[2]);
    check("or.b32", 1, &|v| v[0] | v[1] | v[2]);
    check("xor.b32", 1, &|v| v[0] ^ v[1] ^ v[2]);
    check("add.u64", 2, &|v| {
        v.iter().fold(0, |a, b| a.wrapping_add(*b))
    });
    check("min.u64", 2, &|v| v.into_iter().min().unwrap());
    check("max.s64", 2, &|v| {
        v.map(|v| v as i64).into_iter().max().unwrap() as u64
    });
    check("xor.b64", 2, &|v| v[0] ^ v[1] ^ v[2]);
}

#[test]
fn sums_of_floats_are_those_of_each_element() {
    // The floats are whole numbers, so every sum is exact.
    let float = |d: u32, i: u32| ((10 * d + i) as f32).to_bits();
    let body = "multimem.ld_reduce.weak.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%d1]; st.global.v4.f32 [%d2], {%f1, %f2, %f3, %f4};";
    let (_, own) = launched(float, body).unwrap();
    for i in 0..32 {
        assert_eq!(f32::from_bits(own[i as usize]), (30 + 3 * (16 + i)) as f32);
    }
    // In halves, 2048 + 1 + 1 is 2048 if each sum is rounded, and 2050 in .f32.
    let half = |d: u32, _: u32| [0x6800_6800, 0x3c00_3c00, 0x3c00_3c00][d as usize];
    let load = |acc: &str| {
        let body = format!(
            "multimem.ld_reduce.weak.global.add{acc}.v2.f16x2 {{%r1, %r2}}, [%d1]; st.global.v2.u32 [%d2], {{%r1, %r2}};"
        );
        launched(half, &body).unwrap().1[..2].to_vec()
    };
    assert_eq!(load(""), [0x6800_6800; 2]);
    assert_eq!(load(".acc::f32"), [0x6801_6801; 2]);
    let body = "multimem.ld_reduce.weak.global.max.f16x2 %r1, [%d1]; multimem.ld_reduce.weak.global.min.f16x2 %r2, [%d1]; st.global.v2.u32 [%d2], {%r1, %r2};";
    assert_eq!(
        launched(half, body).unwrap().1[..2],
        [0x6800_6800, 0x3c00_3c00]
    );
    let bf16 = |d: u32, _: u32| [0x3f80_4000, 0x4000_4000, 0x4080_4000][d as usize];
    let body = "multimem.ld_reduce.weak.global.add.v2.bf16 {%h1, %h2}, [%d1]; mov.b32 %r1, {%h1, %h2}; st.global.u32 [%d2], %r1;";
    // The sums are 1 + 2 + 4 and 2 + 2 + 2.
    assert_eq!(launched(bf16, body).unwrap().1[0], 0x40e0_40c0);
}

#[test]
fn stores_and_additions_come_to_every_device() {
    let (found, _) = launched(word, "multimem.st.release.sys.global.u32 [%d1+4], %tid;").unwrap();
    for (d, words) in (0..).zip(&found) {
        for (i, &found) in (0..).zip(words) {
            let thread = (16..48).contains(&i).then(|| (i - 16) / 4);
            let written = thread.filter(|thread| i == place(*thread) + 1);
            assert_eq!(found, written.unwrap_or(word(d, i)), "{d} {i}");
        }
    }
    let (found, _) = launched(
        word,
        "add.u32 %r1, %tid, 7; multimem.red.relaxed.sys.global.add.u32 [%a0], %r1;",
    )
    .unwrap();
    for (d, words) in (0..).zip(&found) {
        assert_eq!(words[16], word(d, 16).wrapping_add((7..15).sum()));
        assert_eq!(words[17], word(d, 17));
    }
    let body =
        "mov.f32 %f1, 0f40000000; multimem.red.release.gpu.global.add.v2.f32 [%d1], {%f1, %f1};";
    let (found, _) = launched(|d, i| ((d + i) as f32).to_bits(), body).unwrap();
    assert_eq!(f32::from_bits(found[2][21]), 25.0);
    assert_eq!(f32::from_bits(found[2][22]), 24.0);
}

#[test]
fn what_is_no_multicast_address_is_refused() {
    let said = |body: &str| match launched(word, body) {
        Err(LaunchError::Fault(fault)) => fault.what.to_string(),
        other => panic!("{body}: {other:?}"),
    };
    for body in [
        "multimem.st.weak.global.u32 [%a1], %tid;",
        "multimem.ld_reduce.weak.global.add.u32 %r1, [%a1];",
        "multimem.red.relaxed.sys.global.add.u32 [%a1], %tid;",
    ] {
        assert!(said(body).contains("no multicast address: multimem works on several devices"));
    }
    for body in [
        "ld.global.u32 %r1, [%a0];",
        "st.u32 [%d1], %tid;",
        "red.global.add.u32 [%a0+4], 1;",
    ] {
        assert!(said(body).contains("only multimem accesses it"), "{body}");
    }
    assert!(
        said("multimem.st.weak.global.u64 [%a0+4], %d1;").contains("misaligned global access: 8")
    );
    assert!(
        said("multimem.st.weak.global.u32 [%a0+128], %tid;")
            .contains("outside of every allocation")
    );
    let devices = [(); 2].map(|()| Emulator::new(Config::default()));
    let part = devices[1].alloc(64).unwrap();
    assert_eq!(devices[0].multicast(&[], 4), Err(MemoryError::Empty));
    assert!(matches!(
        devices[0].multicast(&[(&devices[1], part)], 128),
        Err(MemoryError::OutOfBounds { .. })
    ));
    // Memory that one of the devices did not write cannot be read.
    let all = devices[0].multicast(&[(&devices[1], part)], 64).unwrap();
    let program = Program::parse(&entry(
        1,
        "multimem.ld_reduce.weak.global.add.u32 %r1, [%a0]; ret;",
    ))
    .unwrap();
    devices[0].load(&program).unwrap();
    let launch = Launch {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
    };
    let result = devices[0].launch(&program, "k", &launch, &[&all.to_le_bytes()], None);
    assert!(matches!(
        common::kind(result),
        FaultKind::Uninitialised { .. }
    ));
}
