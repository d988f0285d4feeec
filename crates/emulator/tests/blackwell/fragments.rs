//! Which lane and column a register of `tcgen05.ld` and `.st` is, in every shape.

use super::blackwell;
use super::common::{Arg, Bench};

/// Shape, registers of `.x1`, the greatest count, and a register's lane and column as CUTLASS's
/// atoms have it (`cute/atom/copy_traits_sm100.hpp`), written as layouts of (thread, register).
type Shape = (
    &'static str,
    usize,
    usize,
    fn(usize, usize) -> (usize, usize),
);

/// Returns the value of a layout `shape : stride` at a colexicographic index.
fn at<const N: usize>(mut index: usize, shape: [usize; N], stride: [usize; N]) -> usize {
    let mut sum = 0;
    for (extent, stride) in shape.into_iter().zip(stride) {
        sum += index % extent * stride;
        index /= extent;
    }
    sum
}

/// Lane and column of a sum of both.
const L: usize = 1 << 16;

fn both(sum: usize) -> (usize, usize) {
    (sum / L, sum % L)
}

const SHAPES: [Shape; 4] = [
    ("32x32b", 1, 128, |t, r| both(t * L + r)),
    ("16x64b", 1, 128, |t, r| {
        both(at(t, [2, 2, 8], [8 * L, 1, L]) + 2 * r)
    }),
    ("16x128b", 2, 64, |t, r| {
        both(at(t, [4, 8], [1, L]) + at(r, [2, 64], [8 * L, 4]))
    }),
    ("16x256b", 4, 32, |t, r| {
        both(at(t, [4, 8], [2, L]) + at(r, [2, 2, 32], [1, 8 * L, 8]))
    }),
];

fn list(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|r| format!("%r{r}")).collect();
    names.join(", ")
}

/// Returns a kernel of one warp that loads or stores registers by one shape. Everything else in
/// tensor memory is written and read by 32x32b.
fn kernel(shape: &str, times: usize, count: usize, lane: usize, loads: bool) -> String {
    let plain: String = (0..128)
        .map(|column| match loads {
            true => format!(
                "
    shl.b32 %v, %tid, 16;
    add.u32 %v, %v, {column};
    add.u32 %t, %base, {column};
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%t], {{%v}};"
            ),
            false => format!(
                "
    add.u32 %t, %base, {column};
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%v}}, [%t];
    tcgen05.wait::ld.sync.aligned;
    st.global.u32 [%out+{}], %v;",
                4 * column
            ),
        })
        .collect();
    let registers = list(count);
    let at = lane << 16;
    let one: String = match loads {
        true => {
            let stores: String = (0..count)
                .map(|r| format!("\n    st.global.u32 [%out+{}], %r{r};", 4 * r))
                .collect();
            format!(
                "
    add.u32 %t, %base, {at};
    tcgen05.ld.sync.aligned.{shape}.x{times}.b32 {{{registers}}}, [%t];
    tcgen05.wait::ld.sync.aligned;{stores}"
            )
        }
        false => {
            let values: String = (0..count)
                .map(|r| {
                    format!(
                        "\n    shl.b32 %v, %tid, 16;\n    add.u32 %r{r}, %v, {};",
                        r + 1
                    )
                })
                .collect();
            format!(
                "{values}
    add.u32 %t, %base, {at};
    tcgen05.st.sync.aligned.{shape}.x{times}.b32 [%t], {{{registers}}};
    tcgen05.wait::st.sync.aligned;"
            )
        }
    };
    // Where one stores, all words are zeros before.
    let zeros: String = (0..128)
        .map(|column| {
            format!(
                "
    add.u32 %t, %base, {column};
    tcgen05.st.sync.aligned.32x32b.x1.b32 [%t], {{%zero}};"
            )
        })
        .collect();
    let wait = "\n    tcgen05.wait::st.sync.aligned;";
    let body = match loads {
        true => plain + wait + &one,
        false => zeros + wait + &one + &plain,
    };
    format!(
        ".version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 pout)
{{
    .reg .b32 %r<129>, %t, %v, %tid, %base, %zero;
    .reg .b64 %q, %out;
    .shared .align 4 .b32 slot;
    ld.param.u64 %out, [pout];
    mov.u32 %tid, %tid.x;
    mov.u32 %zero, 0;
    mul.wide.u32 %q, %tid, 512;
    add.u64 %out, %out, %q;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 256;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %base, [slot];{body}
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 256;
    ret;
}}
"
    )
}

#[test]
fn registers_are_the_lanes_and_columns_of_their_shape() {
    for (shape, per, most, place) in SHAPES {
        for times in [1, 2, 8, most] {
            let count = per * times;
            for lane in [0, 16] {
                if shape == "32x32b" && lane == 16 {
                    continue;
                }
                let columns = (0..32).flat_map(|t| (0..count).map(move |r| place(t, r).1));
                if columns.max() >= Some(128) {
                    continue;
                }
                let bench = Bench::with(&kernel(shape, times, count, lane, true), blackwell());
                let out = bench.words(&[0xdead_beef; 32 * 128]);
                bench.run("k", 1, 32, &[Arg::U64(out)]);
                let found = bench.read_words(out, 32 * 128);
                let stored = Bench::with(&kernel(shape, times, count, lane, false), blackwell());
                let to = stored.words(&[0xdead_beef; 32 * 128]);
                stored.run("k", 1, 32, &[Arg::U64(to)]);
                let by_lane = stored.read_words(to, 32 * 128);
                let mut holds = vec![0; 32 * 128];
                for t in 0..32 {
                    for r in 0..count {
                        let (row, column) = place(t, r);
                        let word = ((lane + row) << 16 | column) as u32;
                        assert_eq!(found[128 * t + r], word, "{shape}.x{times}: {t} {r}");
                        holds[128 * (lane + row) + column] = (t << 16 | (r + 1)) as u32;
                    }
                }
                assert_eq!(by_lane, holds, "{shape}.x{times} from lane {lane}");
            }
        }
    }
}
