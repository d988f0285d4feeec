//! `tcgen05.cp`: every shape, swizzle and format, against the lanes and bytes that CUTLASS's traits
//! and PTX's formats name.

use super::common::operand::layout_of_rows;
use super::common::{Arg, Bench, Random};
use super::kernel::{Kernel, PLACE};
use super::products::SMEM;
use super::{SCHEDULES, blackwell};
use emulator::{Config, Launch};

/// A shape, its rows, bytes of each, and the row that a lane has.
type Shape = (&'static str, usize, usize, fn(usize) -> Option<usize>);

const SHAPES: [Shape; 6] = [
    ("128x256b", 128, 32, Some),
    ("128x128b", 128, 16, Some),
    ("4x256b", 4, 32, |lane| {
        (lane % 32 == 0).then_some(lane / 32)
    }),
    ("64x128b.warpx2::02_13", 64, 16, |lane| Some(lane % 64)),
    ("64x128b.warpx2::01_23", 64, 16, |lane| {
        Some(lane / 64 * 32 + lane % 32)
    }),
    ("32x128b.warpx4", 32, 16, |lane| Some(lane % 32)),
];

/// The word in lanes that no copy writes to.
const NOTHING: u32 = 0x1234_5678;

/// Returns the kernel that fills 8 columns with [`NOTHING`], copies over them, and writes the 8
/// columns of each lane to global memory.
pub fn kernel(copy: &str, descriptor: u64) -> Kernel {
    let mut kernel = Kernel::new("f16", 8, 2, false);
    let r: Vec<String> = (0..8).map(|r| format!("%r{r}")).collect();
    let values = r.join(", ");
    kernel.load_a = r
        .iter()
        .map(|r| format!("\n    mov.u32 {r}, {NOTHING};"))
        .collect::<String>()
        + &format!(
            "
    mov.u64 %q2, {descriptor};
    add.u32 %t1, %base, %wlane;
    tcgen05.st.sync.aligned.32x32b.x8.b32 [%t1], {{{values}}};
    tcgen05.wait::st.sync.aligned;
    tcgen05.fence::before_thread_sync;"
        );
    kernel.products = format!("\n    tcgen05.cp.cta_group::1.{copy} [%base], %q2;");
    kernel.read = format!(
        "
    add.u32 %t1, %base, %wlane;
    tcgen05.ld.sync.aligned.32x32b.x8.b32 {{{values}}}, [%t1];
    tcgen05.wait::ld.sync.aligned;
    ld.param.u64 %q1, [pout];
    cvta.to.global.u64 %q1, %q1;
    mul.wide.u32 %q0, %tid, 32;
    add.u64 %q1, %q1, %q0;
    st.global.v4.u32 [%q1], {{%r0, %r1, %r2, %r3}};
    st.global.v4.u32 [%q1+16], {{%r4, %r5, %r6, %r7}};"
    );
    kernel
}

/// Returns the 16 bytes that the elements of `unit` become, each of `bits` bits. An element with 4
/// bits begins at bit 2 of its byte, one with 6 bits at bit 0.
fn unpacked(unit: &[u8], bits: usize) -> Vec<u8> {
    let all = unit
        .iter()
        .rev()
        .fold(0u128, |all, &byte| all << 8 | u128::from(byte));
    let element = |i: usize| (all >> (i * bits)) as u8 & ((1 << bits) - 1);
    (0..16)
        .map(|i| element(i) << if bits == 4 { 2 } else { 0 })
        .collect()
}

#[test]
fn every_shape_swizzle_and_format_is_copied() {
    let mut random = Random(5);
    for (name, rows, bytes, row_of) in SHAPES {
        for (width, (format, bits)) in [16, 32, 64, 128].into_iter().flat_map(|width| {
            let formats = [("", 8), (".b8x16.b4x16_p64", 4), (".b8x16.b6x16_p32", 6)];
            formats.map(|format| (width, format))
        }) {
            let lies = layout_of_rows(width);
            let mut place = vec![0; PLACE];
            let mut sources = vec![vec![0u8; bytes]; rows];
            for (row, source) in sources.iter_mut().enumerate() {
                for (i, byte) in source.iter_mut().enumerate() {
                    *byte = random.word() as u8;
                    place[lies.at(row, i)] = *byte;
                }
            }
            let schedule = SCHEDULES[random.below(4)];
            let copy = format!("{name}{format}");
            let kernel = kernel(&copy, lies.blackwell_descriptor(SMEM));
            let config = Config {
                schedule,
                ..blackwell()
            };
            let bench = Bench::with(&kernel.ptx(), config);
            let (pa, pb) = (bench.bytes(&place), bench.bytes(&[0; PLACE]));
            let out = bench.words(&vec![0; 128 * 256]);
            let launch = Launch {
                grid: [1, 1, 1],
                block: [128, 1, 1],
                dynamic_shared: 2 * PLACE,
            };
            let numbers = [pa, pb, out, 0, 0].map(Arg::U64);
            let arguments: Vec<Arg> = numbers.into_iter().chain([Arg::U32(0)]).collect();
            bench
                .launch_with("k", launch, &arguments)
                .unwrap_or_else(|error| panic!("{copy}, {width}, {schedule:?}: {error}"));
            let found = bench.read_words(out, 128 * 8);
            for lane in 0..128 {
                let mut expected = [NOTHING; 8];
                if let Some(row) = row_of(lane) {
                    let units = sources[row].chunks(16);
                    let bytes: Vec<u8> = units
                        .flat_map(|unit| match bits {
                            8 => unit.to_vec(),
                            _ => unpacked(unit, bits),
                        })
                        .collect();
                    for (word, bytes) in expected.iter_mut().zip(bytes.as_chunks::<4>().0) {
                        *word = u32::from_le_bytes(*bytes);
                    }
                }
                let found = &found[8 * lane..8 * lane + 8];
                assert_eq!(found, expected, "{copy}, {width}: lane {lane}");
            }
        }
    }
}
