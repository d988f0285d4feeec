//! Generates the tables of MMA atoms and of their instructions' wrappers, and tests that the
//! committed tables are the generated ones.
//!
//! A row is an instruction: shape, types, qualifiers. Names follow CuTe. Layouts follow the PTX
//! ISA's rule for `mma.sync`: in each 32-bit register, lane `4 g + t` holds R neighbours along k,
//! from element `R t` on. The next register is 8 rows below, and the following registers are a
//! quarter of a 128-bit row further along k.
//!
//! `CUTLET_WRITE_TABLES=1 cargo test -p cutlet-layout-types --test atoms_tables` writes the files.

use std::fmt::Write as _;
use std::path::Path;

/// A format: CuTe's name in an atom's name, PTX's name, the Rust type, and the number of bits.
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

/// Writes `modes` as a layout's value mode: unit modes are left out, and a single mode has no
/// parentheses.
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

/// Returns the layout from (thread, value) to (rows, k) of an operand of `bits`-bit elements whose
/// lane holds row `lane / 4`.
fn operand(rows: usize, k: usize, bits: usize) -> String {
    let run = (32 / bits).max(1);
    let (shape, stride) =
        value_mode(&[(run, rows), (rows / 8, 8), (k / (4 * run), 4 * run * rows)]);
    format!("((4,8),{shape}):(({},1),{stride})", run * rows)
}

/// Returns the layout from (thread, value) to (m, n) of the accumulator: two neighbours along n,
/// then 8 rows below.
fn accumulator(m: usize) -> String {
    let (shape, stride) = value_mode(&[(2, m), (m / 8, 8)]);
    format!("((4,8),{shape}):(({},1),{stride})", 2 * m)
}

/// The registers of an operand: the type of one register, and the number per lane.
#[derive(Clone, Copy)]
struct Registers(&'static str, usize);

impl Registers {
    /// Returns one lane's registers, if `threads` lanes together hold `elements` elements of a
    /// format.
    fn of(format: Format, elements: usize, threads: usize) -> Self {
        let (kind, bits) = match format {
            F32 => ("f32", 32),
            F64 => ("f64", 64),
            _ => ("u32", 32),
        };
        Self(kind, elements * format.3 / (threads * bits))
    }

    /// Returns the Rust type of the registers: `[f32; 4]`.
    fn array(self) -> String {
        format!("[{}; {}]", self.0, self.1)
    }

    /// Returns the template of the operands from `first` on: `{{{4}, {5}}}`.
    fn template(self, first: usize) -> String {
        let places: Vec<_> = (first..first + self.1)
            .map(|i| format!("{{{i}}}"))
            .collect();
        format!("{{{{{}}}}}", places.join(", "))
    }

    /// Returns the register class and the places: `reg32, 0 1 2 3`.
    fn class(self) -> String {
        let places: Vec<_> = (0..self.1).map(|i| i.to_string()).collect();
        let class = if self.0 == "f64" { "reg64" } else { "reg32" };
        format!("{class}, {}", places.join(" "))
    }
}

/// The atoms that one architecture introduced.
struct Table {
    sm: usize,
    /// The text of `atom/mma/generated.rs`.
    atoms: String,
    /// The text of `arch/generated.rs`.
    wrappers: String,
    names: Vec<String>,
}

impl Table {
    /// Makes an empty table; `says` is the documentation of the wrappers' module.
    fn new(sm: usize, says: &str) -> Self {
        let says: String = says
            .trim()
            .lines()
            .map(|line| format!("//! {line}").trim_end().to_owned() + "\n")
            .collect();
        Self {
            sm,
            atoms: format!(
                "\n// sm_{sm}. Source: CuTe `cute/atom/mma_traits_sm{sm}.hpp`; PTX ISA, *Warp-level matrix instructions:\n// mma*.\n"
            ),
            wrappers: format!("\npub mod mma_sm{sm} {{\n{says}\nuse crate::arch::mma::mma_sync;\n"),
            names: Vec::new(),
        }
    }

    /// Adds an atom and its wrapper; `ptx` is the instruction, and `wrapper` is the function's
    /// name.
    #[allow(clippy::too_many_arguments)]
    fn atom(
        &mut self,
        name: &str,
        (ptx, wrapper): (&str, &str),
        [m, n, k]: [usize; 3],
        (threads, thr): (usize, &str),
        layouts: [&str; 3],
        [d, a, b, c]: [Format; 4],
    ) {
        let sm = self.sm;
        let rust = name.replacen("SM", "Sm", 1);
        let [rd, ra, rb] = [(d, m * n), (a, m * k), (b, n * k)]
            .map(|(format, elements)| Registers::of(format, elements, threads));
        write!(
            self.atoms,
            "\nmma_atom! {{\n    /// {m}x{n}x{k}, {} = {} * {} + {}.\n    {rust}, \"{name}\", U{sm}, \"{ptx}\", ({m}, {n}, {k}),\n    [{thr}], [{}], [{}], [{}],\n    [{}, {}, {}, {}], mma_sm{sm}::{wrapper}({}, {}, {})\n}}\n",
            d.1, a.1, b.1, c.1, layouts[0], layouts[1], layouts[2], d.2, a.2, b.2, c.2,
            rd.array(), ra.array(), rb.array()
        )
        .unwrap();
        let (td, ta, tb) = (rd.template(0), ra.template(rd.1), rb.template(rd.1 + ra.1));
        write!(
            self.wrappers,
            "\nmma_sync! {{\n    \"{ptx}\", \"{name}\",\n    {wrapper}(d: {}: {}, a: {}: {}, b: {}: {}),\n    \"{ptx} {td}, {ta}, {tb}, {td};\"\n}}\n",
            rd.array(), rd.class(), ra.array(), ra.class(), rb.array(), rb.class()
        )
        .unwrap();
        self.names.push(rust);
    }

    /// Adds an atom of the dense family: A row-major, B column-major, 32 lanes.
    fn dense(
        &mut self,
        [m, n, k]: [usize; 3],
        [d, a, b, c]: [Format; 4],
        suffix: &str,
        middle: &str,
        tail: &str,
    ) {
        let sm = self.sm;
        let name = format!("SM{sm}_{m}x{n}x{k}_{}{}{}{}_TN{suffix}", d.0, a.0, b.0, c.0);
        let ptx = format!(
            "mma.sync.aligned.m{m}n{n}k{k}.row.col{middle}.{}.{}.{}.{}{tail}",
            d.1, a.1, b.1, c.1
        );
        let factors = if a.1 == b.1 {
            a.1.to_owned()
        } else {
            format!("{}_{}", a.1, b.1)
        };
        let qualifiers = format!("{middle}{}", tail.trim_end_matches(".popc")).replace('.', "_");
        let wrapper = format!("mma_{m}x{n}x{k}_{}_{factors}{qualifiers}", d.1);
        let layouts = [operand(m, k, a.3), operand(n, k, b.3), accumulator(m)];
        self.atom(
            &name,
            (&ptx, &wrapper),
            [m, n, k],
            (32, "32:1"),
            [&layouts[0], &layouts[1], &layouts[2]],
            [d, a, b, c],
        );
    }

    /// Returns the parts of the two files; `more` ends the first part.
    fn finish(mut self, more: &str) -> [String; 2] {
        let sm = self.sm;
        write!(
            self.atoms,
            "\n/// The atoms of sm_{sm} as values.\npub const SM{sm}: &[MmaFacts] = &[\n"
        )
        .unwrap();
        for name in &self.names {
            writeln!(self.atoms, "    MmaFacts::of::<{name}>(),").unwrap();
        }
        self.atoms += "];\n";
        self.atoms += more;
        self.wrappers += "}\n";
        [self.atoms, self.wrappers]
    }
}

fn sm70() -> [String; 2] {
    let mut table = Table::new(
        70,
        r"
`mma.sync` of Volta: each quarter of a warp multiplies 8×4 by 4×8 f16.

```text
  lanes 0..4 and 16..20 are one quarter, 4..8 and 20..24 the next, ..      A and B row- or column-major: tn, nt, nn, tt
```

Law: the instruction computes four products `D = A·B + C` at once. The product of a quarter uses
only the registers of that quarter's lanes. GPUs from sm_80 on execute the instruction slowly.

Source: PTX ISA, *Matrix Fragments for mma.m8n8k4 with .f16 floating point type*; CuTe
`cute/arch/mma_sm70.hpp`.
",
    );
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
            let wrapper = format!("mma_8x8x4_{}_f16_{}", d.1, major.to_lowercase());
            table.atom(
                &name,
                (&ptx, &wrapper),
                [8, 8, 4],
                (8, "(4,2):(1,16)"),
                [a, b, c_layout],
                [d, F16, F16, d],
            );
        }
    }
    table.finish("")
}

fn sm75() -> [String; 2] {
    let mut table = Table::new(
        75,
        r"
`mma.sync` of Turing: f16 with k = 8, 8-bit integers with k = 16.

```text
  lane 4 g + t:   A rows g (and g + 8), B column g, both along k from t on;   C row g (and g + 8), columns 2 t, 2 t + 1
```

Law: `D = A·B + C`; integers are exact and wrap.

Source: PTX ISA, *Matrix Fragments for mma.m16n8k8*, *mma.m8n8k16*; CuTe
`cute/arch/mma_sm75.hpp`.
",
    );
    table.dense([16, 8, 8], [F32, F16, F16, F32], "", "", "");
    table.dense([8, 8, 16], [S32, S8, S8, S32], "", "", "");
    table.finish("")
}

fn sm80() -> [String; 2] {
    let mut table = Table::new(
        80,
        r"
`mma.sync` of Ampere: a warp multiplies an m×k fragment by a k×8 fragment and adds an m×8
fragment.

```text
           B (k, n)
          ┌───────┐ 8        lane l holds rows l/4 and l/4+8, columns 2(l%4) and 2(l%4)+1 of C and D;
 A (m, k) │       │          A and B in 32-bit registers, neighbours along k in each, the lower k first
 ┌──────┐ ├───────┤
 │      │ │ C, D  │ 16
 └──────┘ └───────┘
```

Law: `D = A·B + C`. For f64 the sum is a chain of `fma`. For other floats the products are
exact, and the hardware rounds the sum, whose order is not specified. Integers are exact and
wrap, or are clamped with `satfinite`. For single bits a product is `xor` or `and` of two bits,
and the sum counts the products that are 1.

Source: PTX ISA, *Warp-level matrix instructions: mma*; CuTe `cute/arch/mma_sm80.hpp`.
",
    );
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
        table.dense(shape, types, "", "", "");
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
                table.dense(shape, [S32, a, b, S32], "", "", "");
                table.dense(shape, [S32, a, b, S32], "_SATURATE", ".satfinite", "");
            }
        }
    }
    for (suffix, tail) in [("_XORPOPC", ".xor.popc"), ("_ANDPOPC", ".and.popc")] {
        for shape in [[8, 8, 128], [16, 8, 128], [16, 8, 256]] {
            table.dense(shape, [S32, U1, U1, S32], suffix, "", tail);
        }
    }
    table.finish("")
}

fn sm89() -> [String; 2] {
    let mut table = Table::new(
        89,
        r"
`mma.sync` of Ada: 8-bit floats with k = 32.

```text
  lane 4 g + t:   A rows g and g + 8, B column g, four bytes from 4 t and four from 4 t + 16 on along k
```

Law: `D = A·B + C` with exact products and sums in f32 or f16, which the hardware rounds.

Source: PTX ISA, *Matrix Fragments for mma.m16n8k32*; CuTe `cute/arch/mma_sm89.hpp`.
",
    );
    for c in [F32, F16] {
        for (a, b) in [(E4M3, E4M3), (E4M3, E5M2), (E5M2, E4M3), (E5M2, E5M2)] {
            table.dense([16, 8, 32], [c, a, b, c], "", "", "");
        }
    }
    table.finish("")
}

fn sm90() -> [String; 2] {
    let mut table = Table::new(
        90,
        r"
`mma.sync` of Hopper: f64 with 16 rows.

```text
  lane 4 g + t:   A rows g and g + 8, B column g, elements t, t + 4, .. along k
```

Law: `D = A·B + C`, as chains of `fma` along k.

Source: PTX ISA, *Matrix Fragments for mma.m16n8k4 .. m16n8k16 with .f64*; CuTe
`cute/arch/mma_sm90.hpp`.
",
    );
    for k in [4, 8, 16] {
        table.dense([16, 8, k], [F64, F64, F64, F64], "", "", "");
    }
    let mut text = String::from(
        "\n/// CuTe's names of the `wgmma` atoms.\n#[allow(missing_docs, non_camel_case_types)]\nmod wgmma {\n",
    );
    text += "    use super::super::sm90::*;\n    use super::super::{MajorK, Registers};\n    use typenum::*;\n\n";
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
    table.finish(&(text + "}\npub use wgmma::*;\n"))
}

const ATOMS: &str = "//! The tables of atoms, by architecture, written by `tests/atoms_tables.rs`: change the rows there
//! and run that test with `CUTLET_WRITE_TABLES=1`.

use super::{MmaFacts, mma_atom};
use crate::atom::element::*;
";

const WRAPPERS: &str = "//! The wrappers of `mma.sync`, a module for each architecture, written by `tests/atoms_tables.rs`:
//! change the rows there and run that test with `CUTLET_WRITE_TABLES=1`.
";

#[test]
fn the_committed_tables_are_what_the_rows_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut atoms, mut wrappers) = (String::from(ATOMS), String::from(WRAPPERS));
    for [atom, wrapper] in [sm70(), sm75(), sm80(), sm89(), sm90()] {
        atoms += &atom;
        wrappers += &wrapper;
    }
    for (name, text) in [
        ("atom/mma/generated.rs", atoms),
        ("arch/generated.rs", wrappers),
    ] {
        let path = folder.join(name);
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
