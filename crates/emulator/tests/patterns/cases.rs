//! Access patterns with a known cost: a warp, an instruction, 32 offsets, a mask of lanes.
//!
//! ```text
//! kernel  ld.shared.v2.b32      one memory instruction of one warp; lane l at offsets[l] bytes, if bit l of mask
//! table   stride4               offsets[l] = 4 * l * 8
//! ```
//!
//! Law: a case consists only of its instruction, its offsets and its mask, and its cost is what a
//! GPU's counters report. The program `host/examples/access_patterns.rs` launches every case, in
//! this order, for a profiler to count.

/// An instruction that accesses memory.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The name of the instruction's kernel.
    pub kernel: &'static str,
    /// The number of bytes of a lane's access.
    pub bytes: u32,
    /// The family of tables with which the instruction is run.
    pub tables: Tables,
    /// The body of the kernel. `%s` is the address in shared memory, `%g` the address in global
    /// memory, `%p` says whether the lane takes part, and `%v0..%v3` are values. The body leaves a
    /// part of its result in `%v0`.
    pub body: &'static str,
}

/// The families of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tables {
    Shared,
    Atomic,
    Rows,
    Global,
    Async,
}

/// One launch of an instruction.
#[derive(Debug, Clone)]
pub struct Case {
    pub kind: Kind,
    /// The name of the table, with the mask.
    pub name: String,
    pub mask: u32,
    /// The bytes from the start of the memory that the kind accesses; for a copy, this is the
    /// source.
    pub offsets: [u32; 32],
    /// For a copy, the bytes from the start of shared memory to the destination.
    pub places: [u32; 32],
}

/// The dynamic shared memory of each launch, in bytes.
pub const SHARED_BYTES: usize = 40 << 10;
/// The number of bytes of the buffer in global memory, all 0.
pub const GLOBAL_BYTES: usize = 1 << 20;

const fn kind(kernel: &'static str, bytes: u32, tables: Tables, body: &'static str) -> Kind {
    Kind {
        kernel,
        bytes,
        tables,
        body,
    }
}

use Tables::{Async, Atomic, Global, Rows, Shared};

/// Every instruction.
pub const KINDS: &[Kind] = &[
    kind("shared_load_8", 1, Shared, "@%p ld.shared.u8 %v0, [%s];"),
    kind("shared_load_16", 2, Shared, "@%p ld.shared.u16 %v0, [%s];"),
    kind("shared_load_32", 4, Shared, "@%p ld.shared.b32 %v0, [%s];"),
    kind(
        "shared_load_64",
        8,
        Shared,
        "@%p ld.shared.v2.b32 {%v0, %v1}, [%s]; add.u32 %v0, %v0, %v1;",
    ),
    kind(
        "shared_load_128",
        16,
        Shared,
        "@%p ld.shared.v4.b32 {%v0, %v1, %v2, %v3}, [%s]; add.u32 %v0, %v0, %v1; add.u32 %v0, %v0, %v2; \
         add.u32 %v0, %v0, %v3;",
    ),
    kind("shared_store_16", 2, Shared, "@%p st.shared.u16 [%s], %v0;"),
    kind("shared_store_32", 4, Shared, "@%p st.shared.b32 [%s], %v0;"),
    kind(
        "shared_store_64",
        8,
        Shared,
        "@%p st.shared.v2.b32 [%s], {%v0, %v1};",
    ),
    kind(
        "shared_store_128",
        16,
        Shared,
        "@%p st.shared.v4.b32 [%s], {%v0, %v1, %v2, %v3};",
    ),
    kind(
        "ldmatrix_x1",
        16,
        Rows,
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v0}, [%s];",
    ),
    kind(
        "ldmatrix_x2",
        16,
        Rows,
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%v0, %v1}, [%s]; add.u32 %v0, %v0, %v1;",
    ),
    kind(
        "ldmatrix_x4",
        16,
        Rows,
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%v0, %v1, %v2, %v3}, [%s]; add.u32 %v0, %v0, %v1; \
         add.u32 %v0, %v0, %v2; add.u32 %v0, %v0, %v3;",
    ),
    kind(
        "ldmatrix_x4_trans",
        16,
        Rows,
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%v0, %v1, %v2, %v3}, [%s]; add.u32 %v0, %v0, %v1; \
         add.u32 %v0, %v0, %v2; add.u32 %v0, %v0, %v3;",
    ),
    kind(
        "stmatrix_x1",
        16,
        Rows,
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%s], {%v0};",
    ),
    kind(
        "stmatrix_x2",
        16,
        Rows,
        "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%s], {%v0, %v1};",
    ),
    kind(
        "stmatrix_x4",
        16,
        Rows,
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%s], {%v0, %v1, %v2, %v3};",
    ),
    kind(
        "stmatrix_x4_trans",
        16,
        Rows,
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%s], {%v0, %v1, %v2, %v3};",
    ),
    kind(
        "shared_atomic_add_32",
        4,
        Atomic,
        "@%p atom.shared.add.u32 %v0, [%s], %lane;",
    ),
    kind(
        "shared_atomic_exch_32",
        4,
        Atomic,
        "@%p atom.shared.exch.b32 %v0, [%s], %lane;",
    ),
    kind("global_load_8", 1, Global, "@%p ld.global.u8 %v0, [%g];"),
    kind("global_load_16", 2, Global, "@%p ld.global.u16 %v0, [%g];"),
    kind("global_load_32", 4, Global, "@%p ld.global.b32 %v0, [%g];"),
    kind(
        "global_load_64",
        8,
        Global,
        "@%p ld.global.v2.b32 {%v0, %v1}, [%g]; add.u32 %v0, %v0, %v1;",
    ),
    kind(
        "global_load_128",
        16,
        Global,
        "@%p ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%g]; add.u32 %v0, %v0, %v1; add.u32 %v0, %v0, %v2; \
         add.u32 %v0, %v0, %v3;",
    ),
    kind("global_store_16", 2, Global, "@%p st.global.u16 [%g], %v0;"),
    kind("global_store_32", 4, Global, "@%p st.global.b32 [%g], %v0;"),
    kind(
        "global_store_64",
        8,
        Global,
        "@%p st.global.v2.b32 [%g], {%v0, %v1};",
    ),
    kind(
        "global_store_128",
        16,
        Global,
        "@%p st.global.v4.b32 [%g], {%v0, %v1, %v2, %v3};",
    ),
    kind(
        "global_red_32",
        4,
        Global,
        "@%p red.global.add.u32 [%g], %lane;",
    ),
    kind(
        "global_atomic_32",
        4,
        Global,
        "@%p atom.global.add.u32 %v0, [%g], %lane;",
    ),
    kind(
        "copy_ca_4",
        4,
        Async,
        "@%p cp.async.ca.shared.global [%s], [%g], 4; cp.async.wait_all;",
    ),
    kind(
        "copy_ca_8",
        8,
        Async,
        "@%p cp.async.ca.shared.global [%s], [%g], 8; cp.async.wait_all;",
    ),
    kind(
        "copy_ca_16",
        16,
        Async,
        "@%p cp.async.ca.shared.global [%s], [%g], 16; cp.async.wait_all;",
    ),
    kind(
        "copy_cg_16",
        16,
        Async,
        "@%p cp.async.cg.shared.global [%s], [%g], 16; cp.async.wait_all;",
    ),
];

/// Writes the module with a kernel for each kind.
pub fn ptx() -> String {
    let mut text =
        ".version 7.8\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 memory[];\n"
            .to_owned();
    for kind in KINDS {
        let global = match kind.tables {
            Shared | Rows | Atomic => "",
            Global | Async => "cvt.u64.u32 %d3, %o0; add.u64 %g, %g, %d3;",
        };
        let of_shared = if kind.tables == Async { "%o1" } else { "%o0" };
        text += &format!(
            "\n.visible .entry {}(.param .u64 buffer, .param .align 4 .b8 offsets[128],\n\
             \t.param .align 4 .b8 places[128], .param .u32 mask)\n{{\n\
             \t.reg .pred %p, %q;\n\
             \t.reg .b32 %lane, %m, %s, %o0, %o1, %v0, %v1, %v2, %v3;\n\
             \t.reg .b64 %g, %d0, %d1, %d2, %d3;\n\
             \tld.param.u64 %g, [buffer];\n\
             \tld.param.u32 %m, [mask];\n\
             \tmov.u32 %lane, %tid.x;\n\
             \tshr.u32 %m, %m, %lane;\n\
             \tand.b32 %m, %m, 1;\n\
             \tsetp.ne.u32 %p, %m, 0;\n\
             \tmul.wide.u32 %d0, %lane, 4;\n\
             \tmov.b64 %d1, offsets;\n\
             \tadd.u64 %d1, %d1, %d0;\n\
             \tld.param.u32 %o0, [%d1];\n\
             \tmov.b64 %d2, places;\n\
             \tadd.u64 %d2, %d2, %d0;\n\
             \tld.param.u32 %o1, [%d2];\n\
             \tmov.u32 %s, memory;\n\
             \tadd.u32 %s, %s, {of_shared};\n\
             \tmov.u32 %v0, 0;\n\tmov.u32 %v1, 0;\n\tmov.u32 %v2, 0;\n\tmov.u32 %v3, 0;\n\
             \t{global}\n\
             \t{}\n\
             \tsetp.eq.u32 %q, %v0, 0x12345678;\n\
             \t@%q st.global.u32 [%g], %v0;\n\
             \tret;\n}}\n",
            kind.kernel, kind.body
        );
    }
    text
}

/// Returns 32 random numbers, the same on every machine.
fn random(seed: u32, below: u32) -> [u32; 32] {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    std::array::from_fn(|_| {
        for _ in 0..4 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        (state >> 12) % below
    })
}

type Table = (&'static str, [u32; 32]);

fn of(f: impl Fn(u32) -> u32) -> [u32; 32] {
    std::array::from_fn(|lane| f(lane as u32))
}

const FULL: u32 = u32::MAX;

/// Returns tables in units of the access, and the mask of each.
fn shared_tables(bytes: u32) -> Vec<(Table, u32)> {
    // The distance of four-byte words, for narrow accesses too.
    let word = 4_u32.div_ceil(bytes);
    let mut all = vec![
        (("unit", of(|l| l)), FULL),
        (("reverse", of(|l| 31 - l)), FULL),
        (("stride2", of(|l| 2 * l)), FULL),
        (("stride3", of(|l| 3 * l)), FULL),
        (("stride4", of(|l| 4 * l)), FULL),
        (("stride8", of(|l| 8 * l)), FULL),
        (("stride32words", of(|l| (32 * word * l).min(2040))), FULL),
        (("stride33", of(|l| 33 * l)), FULL),
        (("one", of(|_| 0)), FULL),
        (("pairs", of(|l| l / 2)), FULL),
        (("quads", of(|l| l / 4)), FULL),
        (("eights", of(|l| l / 8)), FULL),
        (("halves", of(|l| l % 16)), FULL),
        (("quarters", of(|l| l % 8)), FULL),
        (("transposed", of(|l| (l % 8) * 32 + l / 8)), FULL),
        (
            ("swizzled", of(|l| (l % 8) * 8 + ((l / 8) ^ (l % 8)))),
            FULL,
        ),
        (("random16", random(1, 16)), FULL),
        (("random64", random(2, 64)), FULL),
        (("random512", random(3, 512)), FULL),
        (("random2048", random(4, 2048)), FULL),
        (("unit", of(|l| l)), 0x0000_00ff),
        (("unit", of(|l| l)), 0x5555_5555),
        (("stride2", of(|l| 2 * l)), 0x0000_ffff),
        (("stride8", of(|l| 8 * l)), 0x1111_1111),
        (("random512", random(5, 512)), 0x0f0f_3c1b),
        (("random64", random(6, 64)), 0x8421_8421),
    ];
    if bytes >= 8 {
        // Patterns in which the two halves of the warp may share a phase of a wide access.
        all.extend([
            (("pairs_apart", of(|l| 8 * (l / 2))), FULL),
            (("skip_pairs", of(|l| l / 4 * 2 + l % 2)), FULL),
            (("skip_quads", of(|l| l / 8 * 4 + l % 4)), FULL),
            (("skip_pairs_apart", of(|l| 16 * (l / 4 * 2 + l % 2))), FULL),
            (("unit", of(|l| l)), 0x00ff_00ff),
            (("unit", of(|l| l)), 0x0f0f_0f0f),
            (("unit", of(|l| l)), 0x3333_3333),
            (("random2048", random(7, 2048)), 0x5555_5555),
            (("random2048", random(8, 2048)), 0x3333_3333),
            (("random2048", random(9, 2048)), 0x0000_00ff),
            (("random2048", random(10, 2048)), 0x0001_0001),
            (("random32", random(11, 32)), FULL),
            (("random32b", random(12, 32)), FULL),
        ]);
    }
    all
}

fn atomic_tables() -> Vec<(Table, u32)> {
    vec![
        (("unit", of(|l| l)), FULL),
        (("stride2", of(|l| 2 * l)), FULL),
        (("stride32", of(|l| 32 * l)), FULL),
        (("one", of(|_| 0)), FULL),
        (("pairs", of(|l| l / 2)), FULL),
        (("random64", random(2, 64)), FULL),
        (("random512", random(3, 512)), FULL),
        (("unit", of(|l| l)), 0x0000_00ff),
        (("stride8", of(|l| 8 * l)), 0x5555_5555),
    ]
}

/// Returns tables of rows of 16 bytes.
fn row_tables() -> Vec<(Table, u32)> {
    vec![
        (("unit", of(|l| l)), FULL),
        (("stride2", of(|l| 2 * l)), FULL),
        (("stride4", of(|l| 4 * l)), FULL),
        (("stride8", of(|l| 8 * l)), FULL),
        (("stride9", of(|l| 9 * l)), FULL),
        (("one", of(|_| 0)), FULL),
        (("pairs", of(|l| l / 2)), FULL),
        (
            ("swizzled", of(|l| (l % 8) * 8 + ((l / 8) ^ (l % 8)))),
            FULL,
        ),
        (("tile32", of(|l| (l % 16) * 4 + (l / 16))), FULL),
        (("random64", random(2, 64)), FULL),
        (("random512", random(3, 512)), FULL),
        (("random2048", random(4, 2048)), FULL),
    ]
}

fn global_tables() -> Vec<(Table, u32)> {
    vec![
        (("unit", of(|l| l)), FULL),
        (("shifted", of(|l| l + 1)), FULL),
        (("reverse", of(|l| 31 - l)), FULL),
        (("stride2", of(|l| 2 * l)), FULL),
        (("stride3", of(|l| 3 * l)), FULL),
        (("stride8", of(|l| 8 * l)), FULL),
        (("stride33", of(|l| 33 * l)), FULL),
        (("stride256", of(|l| 256 * l)), FULL),
        (("one", of(|_| 0)), FULL),
        (("pairs", of(|l| l / 2)), FULL),
        (("quarters", of(|l| l % 8)), FULL),
        (("columns", of(|l| l % 4 + l / 4 * 128)), FULL),
        (("transposed", of(|l| (l % 8) * 64 + l / 8)), FULL),
        (("random64", random(2, 64)), FULL),
        (("random1024", random(3, 1024)), FULL),
        (("random16384", random(4, 16384)), FULL),
        (("unit", of(|l| l)), 0x0000_00ff),
        (("unit", of(|l| l)), 0x5555_5555),
        (("stride33", of(|l| 33 * l)), 0x0f0f_3c1b),
    ]
}

/// Returns tables of sources and destinations.
fn copy_tables() -> Vec<(&'static str, [u32; 32], [u32; 32], u32)> {
    let unit = of(|l| l);
    vec![
        ("unit", unit, unit, FULL),
        ("from_stride2", of(|l| 2 * l), unit, FULL),
        ("from_columns", of(|l| l % 4 + l / 4 * 128), unit, FULL),
        ("from_stride256", of(|l| 256 * l), unit, FULL),
        ("from_one", of(|_| 0), unit, FULL),
        ("from_shifted", of(|l| l + 1), unit, FULL),
        ("to_stride2", unit, of(|l| 2 * l), FULL),
        ("to_stride8", unit, of(|l| 8 * l), FULL),
        ("to_stride32", unit, of(|l| 32 * l), FULL),
        (
            "swizzled",
            of(|l| l % 4 + l / 4 * 128),
            of(|l| l / 4 * 8 + ((l % 4) ^ (l / 4))),
            FULL,
        ),
        ("to_random2048", unit, random(4, 2048), FULL),
        ("random", random(3, 1024), random(5, 512), FULL),
        ("unit", unit, unit, 0x0000_00ff),
        ("to_stride8", unit, of(|l| 8 * l), 0x5555_5555),
        ("random256", random(6, 256), random(7, 256), FULL),
        ("from_random64", random(8, 64), unit, FULL),
        ("random64", random(9, 64), random(10, 64), 0x0f0f_3c1b),
        (
            "from_quads",
            of(|l| l / 4 * 64 + l % 4),
            of(|l| l ^ (l / 8)),
            FULL,
        ),
        ("to_reverse", unit, of(|l| 31 - l), FULL),
        ("to_transposed", unit, of(|l| (l % 8) * 8 + l / 8), FULL),
    ]
}

/// Returns every case, in order.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let named = |name: &str, mask: u32| match mask {
        FULL => name.to_owned(),
        mask => format!("{name}/{mask:08x}"),
    };
    for &kind in KINDS {
        let tables = match kind.tables {
            Shared => shared_tables(kind.bytes),
            Atomic => atomic_tables(),
            Rows => row_tables(),
            Global => global_tables(),
            Async => {
                for (name, from, to, mask) in copy_tables() {
                    cases.push(Case {
                        kind,
                        name: named(name, mask),
                        mask,
                        offsets: from.map(|unit| unit * kind.bytes),
                        places: to.map(|unit| unit * kind.bytes),
                    });
                }
                continue;
            }
        };
        for ((name, units), mask) in tables {
            cases.push(Case {
                kind,
                name: named(name, mask),
                mask,
                offsets: units.map(|unit| unit * kind.bytes),
                places: [0; 32],
            });
        }
    }
    cases
}
