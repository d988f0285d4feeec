//! The generator of the tables of MMA atoms, and the test that the committed tables are what it writes.
//!
//! A row is an instruction: shape, types, qualifiers. Names follow CuTe, layouts the PTX ISA's rule for `mma.sync`: a lane
//! `4 g + t` holds, in each 32-bit register, neighbours along k starting at `t` times their number; the next register is 8
//! rows below, the ones after that a quarter of a 128-bit row of k further on.
//!
//! `CUTLET_WRITE_TABLES=1 cargo test -p layout-types --test atoms_tables` writes the files.

use std::fmt::Write as _;
use std::path::Path;

/// A format: CuTe's name in an atom's name, PTX's name, the Rust type, its bits.
type Format = (&'static str, &'static str, &'static str, usize);
const F16: Format = ("F16", "f16", "half::f16", 16);
const BF16: Format = ("BF16", "bf16", "half::bf16", 16);
const TF32: Format = ("TF32", "tf32", "TFloat32", 32);
const F32: Format = ("F32", "f32", "f32", 32);
const F64: Format = ("F64", "f64", "f64", 64);
const S32: Format = ("S32", "s32", "i32", 32);
const S8: Format = ("S8", "s8", "i8", 8);
const U8: Format = ("U8", "u8", "u8", 8);
const S4: Format = ("S4", "s4", "Int4", 4);
const U4: Format = ("U4", "u4", "UInt4", 4);
const U1: Format = ("U1", "b1", "UInt1", 1);
const E4M3: Format = ("E4M3", "e4m3", "FloatE4M3", 8);
const E5M2: Format = ("E5M2", "e5m2", "FloatE5M2", 8);

/// `modes` as a layout's value mode: unit modes left out, one mode without parentheses.
fn value_mode(modes: &[(usize, usize)]) -> (String, String) {
    let modes: Vec<_> = modes.iter().filter(|mode| mode.0 != 1).collect();
    let list = |pick: fn(&(usize, usize)) -> usize| {
        let items: Vec<_> = modes.iter().map(|mode| pick(mode).to_string()).collect();
        format!("({})", items.join(","))
    };
    match modes[..] {
        [] => ("1".into(), "0".into()),
        [(size, stride)] => (size.to_string(), stride.to_string()),
        _ => (list(|mode| mode.0), list(|mode| mode.1)),
    }
}

/// (thread, value) to (rows, k) of an operand of `bits`-bit elements whose lane holds row `lane / 4`.
fn operand(rows: usize, k: usize, bits: usize) -> String {
    let run = (32 / bits).max(1);
    let (shape, stride) =
        value_mode(&[(run, rows), (rows / 8, 8), (k / (4 * run), 4 * run * rows)]);
    format!("((4,8),{shape}):(({},1),{stride})", run * rows)
}

/// (thread, value) to (m, n) of the accumulator: two neighbours along n, then 8 rows below.
fn accumulator(m: usize) -> String {
    let (shape, stride) = value_mode(&[(2, m), (m / 8, 8)]);
    format!("((4,8),{shape}):(({},1),{stride})", 2 * m)
}

struct Table {
    text: String,
    names: Vec<String>,
}

impl Table {
    fn new(source: &str) -> Self {
        let mut text =
            String::from("//! Written by `tests/atoms_tables.rs`; change the rows there.\n//!\n");
        writeln!(text, "//! Source: CuTe `cute/atom/{source}`; PTX ISA, *Warp-level matrix instructions: mma*.\n").unwrap();
        text += "use super::super::{MmaFacts, mma_atom};\n#[allow(unused_imports)]\nuse crate::atom::element::*;\n";
        Self {
            text,
            names: Vec::new(),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn atom(
        &mut self,
        name: &str,
        sm: usize,
        ptx: &str,
        shape: [usize; 3],
        thr: &str,
        layouts: [&str; 3],
        types: [Format; 4],
    ) {
        let rust = name.replacen("SM", "Sm", 1);
        let [m, n, k] = shape;
        let [d, a, b, c] = types;
        write!(
            self.text,
            "\nmma_atom! {{\n    /// {m}x{n}x{k}, {} = {} * {} + {}.\n    {rust}, \"{name}\", U{sm}, \"{ptx}\", ({m}, {n}, {k}),\n    [{thr}], [{}], [{}], [{}],\n    [{}, {}, {}, {}]\n}}\n",
            d.1, a.1, b.1, c.1, layouts[0], layouts[1], layouts[2], d.2, a.2, b.2, c.2
        )
        .unwrap();
        self.names.push(rust);
    }

    /// An atom of the dense family: A row-major, B column-major, 32 lanes.
    fn dense(
        &mut self,
        sm: usize,
        [m, n, k]: [usize; 3],
        [d, a, b, c]: [Format; 4],
        suffix: &str,
        middle: &str,
        tail: &str,
    ) {
        let name = format!("SM{sm}_{m}x{n}x{k}_{}{}{}{}_TN{suffix}", d.0, a.0, b.0, c.0);
        let ptx = format!(
            "mma.sync.aligned.m{m}n{n}k{k}.row.col{middle}.{}.{}.{}.{}{tail}",
            d.1, a.1, b.1, c.1
        );
        let layouts = [operand(m, k, a.3), operand(n, k, b.3), accumulator(m)];
        self.atom(
            &name,
            sm,
            &ptx,
            [m, n, k],
            "32:1",
            [&layouts[0], &layouts[1], &layouts[2]],
            [d, a, b, c],
        );
    }

    fn finish(mut self, name: &str) -> String {
        write!(
            self.text,
            "\n/// The atoms of this file as values.\npub const {name}: &[MmaFacts] = &[\n"
        )
        .unwrap();
        for name in &self.names {
            writeln!(self.text, "    MmaFacts::of::<{name}>(),").unwrap();
        }
        self.text += "];\n";
        self.text
    }
}

fn sm70() -> String {
    let mut table = Table::new("mma_traits_sm70.hpp");
    let (row, col) = ("(8,4):(1,8)", "((4,2),4):((8,4),1)");
    for (d, c_layout) in [
        (F16, "(8,8):(1,8)"),
        (F32, "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))"),
    ] {
        for (major, a, b, ptx) in [
            ("TN", row, row, "row.col"),
            ("NT", col, col, "col.row"),
            ("NN", col, row, "col.col"),
            ("TT", row, col, "row.row"),
        ] {
            let name = format!("SM70_8x8x4_{0}F16F16{0}_{major}", d.0);
            let ptx = format!("mma.sync.aligned.m8n8k4.{ptx}.{0}.f16.f16.{0}", d.1);
            table.atom(
                &name,
                70,
                &ptx,
                [8, 8, 4],
                "(4,2):(1,16)",
                [a, b, c_layout],
                [d, F16, F16, d],
            );
        }
    }
    table.finish("SM70")
}

fn sm75() -> String {
    let mut table = Table::new("mma_traits_sm75.hpp");
    table.dense(75, [16, 8, 8], [F32, F16, F16, F32], "", "", "");
    table.dense(75, [8, 8, 16], [S32, S8, S8, S32], "", "", "");
    table.finish("SM75")
}

fn sm80() -> String {
    let mut table = Table::new("mma_traits_sm80.hpp");
    for (shape, types) in [
        ([16, 8, 8], [F16, F16, F16, F16]),
        ([16, 8, 16], [F16, F16, F16, F16]),
        ([16, 8, 8], [F32, F16, F16, F32]),
        ([16, 8, 16], [F32, F16, F16, F32]),
        ([16, 8, 8], [F32, BF16, BF16, F32]),
        ([16, 8, 16], [F32, BF16, BF16, F32]),
        ([16, 8, 4], [F32, TF32, TF32, F32]),
        ([16, 8, 8], [F32, TF32, TF32, F32]),
        ([8, 8, 4], [F64, F64, F64, F64]),
    ] {
        table.dense(80, shape, types, "", "", "");
    }
    for (signed, unsigned, shapes) in [
        (S8, U8, [[8, 8, 16], [16, 8, 16], [16, 8, 32]]),
        (S4, U4, [[8, 8, 32], [16, 8, 32], [16, 8, 64]]),
    ] {
        for (a, b) in [
            (signed, signed),
            (signed, unsigned),
            (unsigned, signed),
            (unsigned, unsigned),
        ] {
            for shape in shapes {
                table.dense(80, shape, [S32, a, b, S32], "", "", "");
                table.dense(80, shape, [S32, a, b, S32], "_SATURATE", ".satfinite", "");
            }
        }
    }
    for (suffix, tail) in [("_XORPOPC", ".xor.popc"), ("_ANDPOPC", ".and.popc")] {
        for shape in [[8, 8, 128], [16, 8, 128], [16, 8, 256]] {
            table.dense(80, shape, [S32, U1, U1, S32], suffix, "", tail);
        }
    }
    table.finish("SM80")
}

fn sm89() -> String {
    let mut table = Table::new("mma_traits_sm89.hpp");
    for c in [F32, F16] {
        for (a, b) in [(E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3), (E5M2, E5M2)] {
            table.dense(89, [16, 8, 32], [c, a, b, c], "", "", "");
        }
    }
    table.finish("SM89")
}

fn sm90() -> String {
    let mut table = Table::new("mma_traits_sm90.hpp");
    for k in [4, 8, 16] {
        table.dense(90, [16, 8, k], [F64, F64, F64, F64], "", "", "");
    }
    let mut text = table.finish("SM90");
    text += "\n/// CuTe's names of the `wgmma` atoms.\n#[allow(missing_docs, non_camel_case_types)]\nmod wgmma {\n";
    text += "    use super::super::super::sm90::*;\n    use super::super::super::{MajorK, Registers};\n    use typenum::*;\n\n";
    for n in (8..=256).step_by(8) {
        for kind in ["F16F16F16", "F32F16F16", "F32BF16BF16"] {
            for (suffix, source) in [("SS", "Shared"), ("RS", "Registers")] {
                writeln!(text, "    pub type Sm90_64x{n}x16_{kind}_{suffix}<TnspA = MajorK, TnspB = MajorK> = Wgmma<{kind}, U{n}, {source}, TnspA, TnspB>;").unwrap();
            }
        }
    }
    let mut fixed = |n: usize, k: usize, kind: &str, saturate: &str| {
        for (suffix, source) in [("SS", "Shared"), ("RS", "Registers")] {
            writeln!(text, "    pub type Sm90_64x{n}x{k}_{kind}_{suffix}_TN{saturate} = Wgmma<{kind}{saturate}, U{n}, {source}>;").unwrap();
        }
    };
    for n in (8..=256).step_by(8) {
        fixed(n, 8, "F32TF32TF32", "");
        for c in ["F16", "F32"] {
            for ab in ["E4M3E4M3", "E4M3E5M2", "E5M2E4M3", "E5M2E5M2"] {
                fixed(n, 32, &format!("{c}{ab}"), "");
            }
        }
        if n <= 32 || n % 16 == 0 {
            for kind in ["S32S8S8", "S32S8U8", "S32U8S8", "S32U8U8"] {
                fixed(n, 32, kind, "");
                fixed(n, 32, kind, "_SATURATE");
            }
        }
    }
    text + "}\npub use wgmma::*;\n"
}

#[test]
fn the_committed_tables_are_what_the_rows_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/atom/mma/generated");
    for (name, text) in [
        ("sm70", sm70()),
        ("sm75", sm75()),
        ("sm80", sm80()),
        ("sm89", sm89()),
        ("sm90", sm90()),
    ] {
        let path = folder.join(name).with_extension("rs");
        if std::env::var_os("CUTLET_WRITE_TABLES").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == text,
            "{} is not what the generator writes",
            path.display()
        );
    }
}
