//! Checks the sweep over tiles on the emulator: its kernels compute what the numerics compute, and
//! a wrong bit is found at its place.
//!
//! ```text
//!   tiles of every class ─► kernel on the emulator ─► D == numerics        D with a bit turned ─► one mismatch, in its place
//! ```

use atom_checks::sweep::{Class, Maker, Tally, Words, compare, ptx};
use emulator::numerics::mma::{Arithmetic, Mma};
use host::{Device, Launch};

const TILES: u64 = 2 * Class::COUNT as u64;

/// Returns the operands and D of the first tiles. A kernel has computed D.
fn run<W: Words>(maker: &Maker, sm: u32) -> [Vec<W>; 4] {
    let words = maker.words();
    let [mut a, mut b, mut c, mut d] = words.map(|n| vec![W::from_bits(0); n * TILES as usize]);
    let mut wide = [0, 1, 2].map(|i| vec![0u64; words[i]]);
    for tile in 0..TILES {
        let [x, y, z] = &mut wide;
        maker.fill(tile, x, y, z);
        for (to, from) in [(&mut a, x), (&mut b, y), (&mut c, z)] {
            let at = tile as usize * from.len();
            for (to, from) in to[at..].iter_mut().zip(from) {
                *to = W::from_bits(*from);
            }
        }
    }
    let device = Device::emulator_with(emulator::Config {
        tensor_arithmetic: Arithmetic::F32Chain,
        ..emulator::Config::default()
    });
    let kernel = device.load(&ptx(maker.mma(), sm)).unwrap();
    let kernel = kernel.kernel("sweep").unwrap();
    let [x, y, z] = [&a, &b, &c].map(|words| device.upload(words).unwrap());
    let mut out = device.alloc::<W>(d.len()).unwrap();
    // There are fewer warps than tiles, so each warp processes several.
    let launch = Launch::new(2, 64);
    let done = kernel.launch(&launch, (&mut out, &x, &y, &z, TILES as u32));
    done.unwrap();
    out.copy_to(&mut d).unwrap();
    [a, b, c, d]
}

fn check<W: Words>(name: &str, sm: u32) -> Tally {
    let maker = Maker::new(Mma::parse(name).unwrap(), 7);
    let [a, b, c, mut d] = run::<W>(&maker, sm);
    let of = |d: &[W]| compare(&maker, Arithmetic::F32Chain, 0, [&a, &b, &c], d, 4);
    let same = of(&d);
    assert_eq!((same.tiles, same.wrong()), (TILES, 0), "{name}");
    // The bit is in tile 4, register 0, lane 13: row 3, column 2 (or the same place in the product
    // to which the lane belongs).
    let at = 4 * maker.words()[3] + 13;
    d[at] = W::from_bits(d[at].to_bits() ^ 1);
    let other = of(&d);
    assert_eq!(other.wrong(), 1, "{name}");
    let class = Class::ALL.iter().position(|&class| class == Class::of(4));
    let [mismatch] = &other.samples[class.unwrap()][..] else {
        panic!("{name}")
    };
    assert_eq!(mismatch.tile, 4);
    assert_eq!(mismatch.device ^ mismatch.ours, 1, "{name}");
    if !maker.mma().is_volta() {
        assert_eq!(mismatch.at, (3, 2), "{name}");
    }
    same
}

#[test]
fn kernels_compute_what_the_numerics_do() {
    println!("on the emulator: {TILES} tiles of each instruction");
    let mut not_finite = 0;
    for (name, sm) in [
        ("m8n8k4.row.col.f16.f16.f16.f16", 80),
        ("m8n8k4.col.row.f32.f16.f16.f32", 80),
        ("m16n8k16.row.col.f16.f16.f16.f16", 80),
        ("m16n8k16.row.col.f32.bf16.bf16.f32", 80),
        ("m16n8k8.row.col.f32.tf32.tf32.f32", 80),
        ("m16n8k32.row.col.f16.e4m3.e5m2.f16", 90),
        ("m16n8k32.row.col.satfinite.s32.s8.u8.s32", 80),
        ("m16n8k64.row.col.s32.u4.s4.s32", 80),
        ("m16n8k256.row.col.s32.b1.b1.s32.and.popc", 80),
    ] {
        not_finite += check::<u32>(&format!("mma.sync.aligned.{name}"), sm).not_finite;
    }
    for (name, sm) in [
        ("m8n8k4.row.col.f64.f64.f64.f64", 80),
        ("m16n8k16.row.col.rm.f64.f64.f64.f64", 90),
    ] {
        not_finite += check::<u64>(&format!("mma.sync.aligned.{name}"), sm).not_finite;
    }
    assert!(not_finite > 1000, "{not_finite}");
}

#[test]
fn a_tile_is_a_function_of_its_seed_and_number() {
    let mma = Mma::parse("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").unwrap();
    let (maker, again, other) = (Maker::new(mma, 1), Maker::new(mma, 1), Maker::new(mma, 2));
    for tile in 0..TILES {
        assert_eq!(maker.elements(tile), again.elements(tile));
        assert_ne!(maker.elements(tile), other.elements(tile));
        assert_ne!(maker.elements(tile), maker.elements(tile + TILES));
    }
}

/// Checks that the vector code, if this CPU has it, gives the bits of the portable code, for
/// numbers of every class.
#[test]
fn vector_code_changes_no_bit() {
    const TILES: u64 = 20 * Class::COUNT as u64;
    for mma in Mma::all() {
        if mma.registers().bits != 32 {
            continue;
        }
        let maker = Maker::new(mma, 11);
        let mut wide = maker.words().map(|n| vec![0; n]);
        for tile in 0..TILES {
            let [a, b, c, _] = &mut wide;
            maker.fill(tile, a, b, c);
            let registers = |words: &Vec<u64>| -> Vec<[u32; 32]> {
                let rows = words.as_chunks::<32>().0.iter();
                rows.map(|row| row.map(|word| word as u32)).collect()
            };
            let [a, b, c, d] = wide.each_ref().map(registers);
            for arithmetic in Arithmetic::ALL {
                let (mut found, mut expected) = (d.clone(), d.clone());
                mma.execute_in(arithmetic, &a, &b, &c, &mut found).unwrap();
                mma.execute_portably(arithmetic, &a, &b, &c, &mut expected)
                    .unwrap();
                assert_eq!(found, expected, "{mma}, {arithmetic}, tile {tile}");
            }
        }
    }
}
