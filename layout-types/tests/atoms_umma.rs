//! Compares Blackwell's MMA atoms with CuTe's print: shapes, thread and operand layouts, the
//! descriptor of the instruction, and the fragments in tensor memory.
//!
//! ```text
//!   MMA_Traits<SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, K, MN>>   ==   Sm100_MMA_F16BF16_SS<f16, f16, f32, U128, U256, MajorK, MajorMn>
//! ```

mod umma_rules;

use half::{bf16, f16};
use layout_types::atom::element::*;
use layout_types::atom::mma::sm100::*;
use layout_types::atom::mma::{AtomK, AtomM, AtomN, Major, MajorK, MajorMn};
use layout_types::atom::tmem::fragment::*;
use layout_types::atom::{Element, MmaAtom};
use layout_types::num::{Nat, True};
use layout_types::prelude::*;
use layout_types::tree::PrintTree;
use layout_types::typenum::{U1, U2, U16, U32, Unsigned};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use umma_rules::{Kind, Product};

type Records = BTreeMap<String, Value>;

/// Prints a type of the algebra as CuTe does.
fn print<L: LayoutFn>() -> String {
    L::default().to_string()
}

/// The `(M, N, K)` of an atom, as it prints.
struct Shape<S>(std::marker::PhantomData<S>);
impl<S: PrintTree> std::fmt::Display for Shape<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        S::print(f)
    }
}

/// The shape `((M,N),1,1)` of one CTA's part, with `Tiles` as further modes.
type Part<M, N, Tiles> =
    layout_types::Cons<layout_types::Cons<M, layout_types::Cons<N, layout_types::Nil>>, Tiles>;
type One1 = shape!((1, 1));
type One2 = shape!((1, 2));

/// Returns the facts that the records have of an atom.
fn facts<A: UmmaAtom>() -> Value
where
    A::FrgTypeC: TmemFragment<Part<Share<A::Group, AtomM<A>>, AtomN<A>, One1>>,
    AtomM<A>: Nat,
{
    json!({
        "shape": Shape::<A::ShapeMnk>(std::marker::PhantomData).to_string(),
        "thr_id": print::<A::ThrId>(),
        "a": print::<A::ALayout>(),
        "b": print::<A::BLayout>(),
        "c": print::<A::CLayout>(),
        "idesc": format!("{:08x}", A::INSTRUCTION.bits()),
        "frg_c": print::<MakeTmemFrg<A::FrgTypeC, Part<Share<A::Group, AtomM<A>>, AtomN<A>, One1>>>(),
    })
}

fn cfg<A: UmmaAtom, TnspA: Major, TnspB: Major>(more: &str) -> String {
    let types = [A::ValTypeA::NAME, A::ValTypeB::NAME, A::ValTypeC::NAME].join(",");
    let (m, n) = (<AtomM<A> as Unsigned>::USIZE, <AtomN<A> as Unsigned>::USIZE);
    format!(
        "{}/{types}{more}/{m}x{n}/{},{}",
        A::NAME,
        TnspA::NAME,
        TnspB::NAME
    )
}

fn insert(ours: &mut Records, key: String, facts: Value) {
    if let Some(known) = ours.insert(key, facts.clone()) {
        assert_eq!(known, facts);
    }
}

fn add_ss<A: UmmaAtom, TnspA: Major, TnspB: Major>(ours: &mut Records)
where
    A::FrgTypeC: TmemFragment<Part<Share<A::Group, AtomM<A>>, AtomN<A>, One1>>,
{
    insert(ours, cfg::<A, TnspA, TnspB>(""), facts::<A>());
}

fn add_ts<A: UmmaAtom, TnspA: Major, TnspB: Major>(ours: &mut Records)
where
    A::FrgTypeC: TmemFragment<Part<Share<A::Group, AtomM<A>>, AtomN<A>, One1>>,
    A::FrgTypeA: TmemFragment<Part<Share<A::Group, AtomM<A>>, AtomK<A>, One2>>,
{
    let mut facts = facts::<A>();
    facts["frg_a"] =
        print::<MakeTmemFrg<A::FrgTypeA, Part<Share<A::Group, AtomM<A>>, AtomK<A>, One2>>>().into();
    insert(ours, cfg::<A, TnspA, TnspB>(""), facts);
}

/// The shape `((rows,(VS,NSF)),1,(4/NSF,2))`: two k blocks of four factors.
type Factors<Rows, A> = layout_types::Cons<
    layout_types::Cons<
        Rows,
        layout_types::Cons<
            layout_types::Cons<Vs<A>, layout_types::Cons<Nsf<A>, layout_types::Nil>>,
            layout_types::Nil,
        >,
    >,
    layout_types::Cons<
        U1,
        layout_types::Cons<
            layout_types::Cons<
                <layout_types::typenum::U4 as Nat>::Over<Nsf<A>>,
                layout_types::Cons<U2, layout_types::Nil>,
            >,
            layout_types::Nil,
        >,
    >,
>;
type Vs<A> = <A as UmmaScaledAtom>::VectorSize;
type Nsf<A> = <AtomK<A> as Nat>::Over<Vs<A>>;
/// The number of rows of factors, rounded up to a multiple of 128.
type Padded<R> = <<R as Nat>::CeilDiv<int!(128)> as Nat>::Times<int!(128)>;

fn add_scaled<A: UmmaScaledAtom, TnspA: Major, TnspB: Major>(ours: &mut Records, vs: &str)
where
    A::FrgTypeC: TmemFragment<Part<Share<A::Group, AtomM<A>>, AtomN<A>, One1>>,
    A::FrgTypeSfa: TmemFragment<Factors<Padded<Share<A::Group, AtomM<A>>>, A>>,
    A::FrgTypeSfb: TmemFragment<Factors<Padded<AtomN<A>>, A>>,
{
    let mut facts = facts::<A>();
    facts["frg_sfa"] =
        print::<MakeTmemFrg<A::FrgTypeSfa, Factors<Padded<Share<A::Group, AtomM<A>>>, A>>>().into();
    facts["frg_sfb"] = print::<MakeTmemFrg<A::FrgTypeSfb, Factors<Padded<AtomN<A>>, A>>>().into();
    let more = format!(",{}{vs}", A::Scale::NAME);
    insert(ours, cfg::<A, TnspA, TnspB>(&more), facts);
}

/// Each line holds an alias, its types, M x N, and the majors.
macro_rules! atoms {
    ($ours:ident $add:ident: $($name:ident<$($t:ty),+> [$($m:literal x $n:literal)+] [$($a:ident $b:ident),+];)+) => {$(
        atoms!(@shapes $ours $add $name [$($t),+] [$($m x $n)+] [$($a $b),+]);
    )+};
    (@shapes $ours:ident $add:ident $name:ident $t:tt [$($m:literal x $n:literal)+] $majors:tt) => {$(
        atoms!(@majors $ours $add $name $t $m $n $majors);
    )+};
    (@majors $ours:ident $add:ident $name:ident $t:tt $m:literal $n:literal [$($a:ident $b:ident),+]) => {$(
        atoms!(@one $ours $add $name $t $m $n $a $b);
    )+};
    (@one $ours:ident $add:ident $name:ident [$($t:ty),+] $m:literal $n:literal $a:ident $b:ident) => {
        $add::<$name<$($t,)+ int!($m), int!($n), $a, $b>, $a, $b>(&mut $ours);
    };
}
/// Calls the macros with every kind of plain product with three types: all majors at several
/// shapes, and the shapes of one type at each edge.
macro_rules! all {
    ($ours:ident [$ss:ident $ts:ident $pair_ss:ident $pair_ts:ident] $a:ty, $b:ty, $c:ty) => {
        atoms!($ours add_ss: $ss<$a, $b, $c> [64 x 16 64 x 96 64 x 256 128 x 16 128 x 112 128 x 256]
            [MajorK MajorK, MajorK MajorMn, MajorMn MajorK, MajorMn MajorMn];);
        atoms!($ours add_ts: $ts<$a, $b, $c> [64 x 16 64 x 96 64 x 256 128 x 16 128 x 112 128 x 256]
            [MajorK MajorK, MajorK MajorMn];);
        atoms!($ours add_ss: $pair_ss<$a, $b, $c> [128 x 32 128 x 160 256 x 32 256 x 256]
            [MajorK MajorK, MajorK MajorMn, MajorMn MajorK, MajorMn MajorMn];);
        atoms!($ours add_ts: $pair_ts<$a, $b, $c> [128 x 32 128 x 160 256 x 32 256 x 256]
            [MajorK MajorK, MajorK MajorMn];);
    };
}
macro_rules! some {
    ($ours:ident [$ss:ident $ts:ident $pair_ss:ident $pair_ts:ident] $n:literal: $($a:ty, $b:ty, $c:ty;)+) => {$(
        atoms!($ours add_ss: $ss<$a, $b, $c> [64 x 8 128 x 128] [MajorK MajorK];);
        atoms!($ours add_ts: $ts<$a, $b, $c> [128 x 64] [MajorK MajorK];);
        atoms!($ours add_ss: $pair_ss<$a, $b, $c> [256 x $n] [MajorK MajorK];);
        atoms!($ours add_ts: $pair_ts<$a, $b, $c> [256 x 64] [MajorK MajorK];);
    )+};
}
macro_rules! scaled {
    ($ours:ident: $($name:ident<$a:ty, $b:ty, $sf:ty> [$($m:literal x $n:literal)+] $majors:tt;)+) => {$(
        scaled!(@shapes $ours $name [$a, $b, $sf] [$($m x $n)+] $majors);
    )+};
    (@shapes $ours:ident $name:ident $t:tt [$($m:literal x $n:literal)+] $majors:tt) => {$(
        scaled!(@majors $ours $name $t $m $n $majors);
    )+};
    (@majors $ours:ident $name:ident $t:tt $m:literal $n:literal [$($ma:ident $mb:ident),+]) => {$(
        scaled!(@one $ours $name $t $m $n $ma $mb);
    )+};
    (@one $ours:ident $name:ident [$a:ty, $b:ty, $sf:ty] $m:literal $n:literal $ma:ident $mb:ident) => {
        add_scaled::<$name<$a, $b, f32, $sf, int!($m), int!($n), $ma, $mb>, $ma, $mb>(&mut $ours, "");
    };
}
macro_rules! packed {
    ($ours:ident: $($sf:ty, $vs:ty, $text:literal;)+) => {$(
        packed!(@ $ours Sm100_MMA_MXF4_SS $sf, $vs, $text, [128 8 128 128 128 256]);
        packed!(@ $ours Sm100_MMA_MXF4_2x1SM_SS $sf, $vs, $text, [128 128 128 256 256 64 256 256]);
    )+};
    (@ $ours:ident $name:ident $sf:ty, $vs:ty, $text:literal, [$($m:literal $n:literal)+]) => {$(
        add_scaled::<$name<FloatE2M1, FloatE2M1, f32, $sf, int!($m), int!($n), $vs, MajorK, MajorK>, MajorK, MajorK>(&mut $ours, $text);
    )+};
}
/// Calls a macro with every pair of floats of 8, 6 and 4 bits.
macro_rules! pairs {
    ($each:ident $($first:tt)*) => {
        pairs!(@ $each [$($first)*] FloatE4M3);
        pairs!(@ $each [$($first)*] FloatE5M2);
        pairs!(@ $each [$($first)*] Unpacked<FloatE2M3>);
        pairs!(@ $each [$($first)*] Unpacked<FloatE3M2>);
        pairs!(@ $each [$($first)*] Unpacked<FloatE2M1>);
    };
    (@ $each:ident [$($first:tt)*] $a:ty) => {
        $each!($($first)* $a, FloatE4M3);
        $each!($($first)* $a, FloatE5M2);
        $each!($($first)* $a, Unpacked<FloatE2M3>);
        $each!($($first)* $a, Unpacked<FloatE3M2>);
        $each!($($first)* $a, Unpacked<FloatE2M1>);
    };
}
macro_rules! narrow {
    ($ours:ident $a:ty, $b:ty) => {
        some!($ours [Sm100_MMA_F8F6F4_SS Sm100_MMA_F8F6F4_TS Sm100_MMA_F8F6F4_2x1SM_SS Sm100_MMA_F8F6F4_2x1SM_TS] 48: $a, $b, f32;);
    };
}
macro_rules! mixed {
    ($ours:ident $a:ty, $b:ty) => {
        scaled!($ours:
            Sm100_MMA_MXF8F6F4_SS<$a, $b, FloatUE8M0> [128 x 192] [MajorK MajorK];
            Sm100_MMA_MXF8F6F4_2x1SM_SS<$a, $b, FloatUE8M0> [256 x 192] [MajorK MajorK];
        );
    };
}

fn ours() -> Records {
    let mut ours = Records::new();
    all!(ours [Sm100_MMA_F16BF16_SS Sm100_MMA_F16BF16_TS Sm100_MMA_F16BF16_2x1SM_SS Sm100_MMA_F16BF16_2x1SM_TS] f16, f16, f32);
    all!(ours [Sm100_MMA_TF32_SS Sm100_MMA_TF32_TS Sm100_MMA_TF32_2x1SM_SS Sm100_MMA_TF32_2x1SM_TS] TFloat32, TFloat32, f32);
    all!(ours [Sm100_MMA_S8_SS Sm100_MMA_S8_TS Sm100_MMA_S8_2x1SM_SS Sm100_MMA_S8_2x1SM_TS] i8, i8, i32);
    all!(ours [Sm100_MMA_F8F6F4_SS Sm100_MMA_F8F6F4_TS Sm100_MMA_F8F6F4_2x1SM_SS Sm100_MMA_F8F6F4_2x1SM_TS] FloatE5M2, FloatE4M3, f32);
    some!(ours [Sm100_MMA_F16BF16_SS Sm100_MMA_F16BF16_TS Sm100_MMA_F16BF16_2x1SM_SS Sm100_MMA_F16BF16_2x1SM_TS] 48: f16, f16, f16; bf16, bf16, f32;);
    some!(ours [Sm100_MMA_S8_SS Sm100_MMA_S8_TS Sm100_MMA_S8_2x1SM_SS Sm100_MMA_S8_2x1SM_TS] 96: i8, u8, i32; u8, i8, i32; u8, u8, i32;);
    pairs!(narrow ours);
    some!(ours [Sm100_MMA_F8F6F4_SS Sm100_MMA_F8F6F4_TS Sm100_MMA_F8F6F4_2x1SM_SS Sm100_MMA_F8F6F4_2x1SM_TS] 48: FloatE4M3, FloatE5M2, f16;);
    pairs!(mixed ours);
    scaled!(ours:
        Sm100_MMA_MXF8F6F4_SS<FloatE4M3, FloatE5M2, FloatUE8M0> [128 x 8 128 x 256]
            [MajorK MajorK, MajorK MajorMn, MajorMn MajorK, MajorMn MajorMn];
        Sm100_MMA_MXF8F6F4_2x1SM_SS<FloatE4M3, FloatE5M2, FloatUE8M0> [256 x 16 256 x 256]
            [MajorK MajorK, MajorK MajorMn, MajorMn MajorK, MajorMn MajorMn];
    );
    packed!(ours: FloatUE8M0, U32, ",32"; FloatUE8M0, U16, ",16"; FloatUE4M3, U16, ",16";);
    ours
}

/// Whether an atom's A is of floats of 4 or 6 bits in tensor memory. CuTe places these elements
/// half a byte apart, because its type for elements of this kind in shared memory,
/// `float_e2m1_unpacksmem_t`, has 4 bits. The PTX ISA, like `Unpacked`, places each element in a
/// byte: the records differ only in this.
fn is_narrow_in_tmem(cfg: &str) -> bool {
    let types = cfg.split('/').nth(1).unwrap();
    let a = types.split(',').next().unwrap();
    cfg.contains("_TS/") && matches!(a, "e2m3" | "e3m2" | "e2m1")
}

#[test]
fn every_record_of_cute_is_equal() {
    let mut ours = ours();
    let (mut seen, mut narrow) = (0, 0);
    for line in include_str!("data/umma_atoms.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let cfg = record["cfg"].as_str().unwrap();
        let mut found = ours
            .remove(cfg)
            .unwrap_or_else(|| panic!("{cfg} is no atom here"));
        let mut expected = record["out"].clone();
        if is_narrow_in_tmem(cfg) {
            assert_ne!(found["frg_a"], expected["frg_a"], "{cfg}");
            // The elements are bytes, as those of e4m3 are.
            assert_eq!(found["frg_a"], "((128,32),1,2):((262144,1),0,32)", "{cfg}");
            (found["frg_a"], expected["frg_a"]) = (Value::Null, Value::Null);
            narrow += 1;
        }
        assert_eq!(found, expected, "{cfg}");
        seen += 1;
    }
    assert!(ours.is_empty(), "no record of {:?}", ours.keys());
    assert_eq!((seen, narrow), (482, 30));
}

/// Tells whether bounds hold: an inherent constant is found before a trait's.
struct Is<Atom>(std::marker::PhantomData<Atom>);
trait Otherwise {
    const AN_ATOM: bool = false;
}
impl<Atom> Otherwise for Is<Atom> {}
impl<Atom: MmaAtom> Is<Atom> {
    const AN_ATOM: bool = true;
}

/// M, N, whether a pair of CTAs computes, whether A is in tensor memory, whether A is MN-major,
/// whether B is MN-major, and whether the atom exists.
type Case = (u32, u32, bool, bool, bool, bool, bool);

/// Lists whether a kind's types have an atom, for rows and columns, each group of CTAs, each place
/// for A, each major for B, and with A MN-major.
macro_rules! grid {
    ($types:ty: [$($m:literal)+] $n:tt $mn_a:tt) => {
        [$(grid!(@rows $types, $m $n $mn_a)),+].concat()
    };
    (@rows $types:ty, $m:literal [$($n:literal)+] [$a:ident $mn_a:literal]) => {
        [$([
            grid!(@one $types, $m $n Shared false OneSm false $a $mn_a MajorK false),
            grid!(@one $types, $m $n Shared false TwoSm true $a $mn_a MajorK false),
            grid!(@one $types, $m $n InTmem true OneSm false $a $mn_a MajorK false),
            grid!(@one $types, $m $n InTmem true TwoSm true $a $mn_a MajorK false),
            grid!(@one $types, $m $n Shared false OneSm false $a $mn_a MajorMn true),
            grid!(@one $types, $m $n Shared false TwoSm true $a $mn_a MajorMn true),
            grid!(@one $types, $m $n InTmem true OneSm false $a $mn_a MajorMn true),
            grid!(@one $types, $m $n InTmem true TwoSm true $a $mn_a MajorMn true),
        ]),+].concat()
    };
    (@one $types:ty, $m:literal $n:literal $source:ident $tmem:literal $group:ident $pair:literal
        $a:ident $mn_a:literal $b:ident $mn_b:literal) => {
        ($m, $n, $pair, $tmem, $mn_a, $mn_b, Is::<Umma<$types, int!($m), int!($n), $source, $group, $a, $b>>::AN_ATOM)
    };
}

/// Compares a kind's cases with the two sources. Returns the number of atoms.
fn held(kind: Kind, cases: Vec<Case>) -> usize {
    let count = cases.len();
    let atoms = cases
        .into_iter()
        .filter(|&(m, n, pair, tmem, mn_a, mn_b, found)| {
            let mn = [mn_a, mn_b];
            let product = Product {
                kind,
                m,
                n,
                pair,
                tmem,
                mn,
            };
            // Packed floats of 4 bits are K-major.
            let expected = product.exists() && !(kind == Kind::Mxf4 && (mn_a || mn_b));
            assert_eq!(found, expected, "{product:?}");
            found
        });
    let atoms = atoms.count();
    assert!(0 < atoms && atoms < count);
    atoms
}

#[test]
fn there_are_the_shapes_and_majors_of_the_isa_and_cutlass_and_no_others() {
    macro_rules! every {
        ($kind:ident $types:ty) => {
            held(
                Kind::$kind,
                [
                    grid!($types: [64 128 256] [4 8 16 24 32 40 48 56 80 112 248 256 272] [MajorK false]),
                    grid!($types: [0 32 96 192 512] [64] [MajorK false]),
                    grid!($types: [64 128 256] [64] [MajorMn true]),
                ]
                .concat(),
            )
        };
    }
    let atoms = [
        every!(F16 F16bf16<bf16, bf16, f32>),
        every!(Tf32 Tf32<TFloat32, TFloat32, f32>),
        every!(I8 S8<i8, u8, i32, True>),
        every!(F8f6f4 F8f6f4<FloatE4M3, FloatE5M2, f32>),
        every!(Mxf8f6f4 Mxf8f6f4<FloatE4M3, FloatE5M2, f32, FloatUE8M0>),
        every!(Mxf4 Mxf4<FloatE2M1, FloatE2M1, f32, FloatUE8M0, U32>),
    ];
    println!("{atoms:?} atoms");
}

#[test]
fn an_accumulator_saturates_by_bit_three_and_scales_are_named_in_theirs() {
    type Wraps = Sm100_MMA_S8_SS<i8, i8, i32, int!(128), int!(128), MajorK, MajorK>;
    type Saturates = Sm100_MMA_S8_SS<i8, i8, i32, int!(128), int!(128), MajorK, MajorK, True>;
    assert_eq!(
        Saturates::INSTRUCTION.bits(),
        Wraps::INSTRUCTION.bits() | 1 << 3
    );
    type Scaled = Sm100_MMA_MXF8F6F4_SS<
        FloatE4M3,
        FloatE4M3,
        f32,
        FloatUE8M0,
        int!(128),
        int!(128),
        MajorK,
        MajorK,
    >;
    for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
        let bits = Scaled::INSTRUCTION.with_scales(a, b).bits();
        assert_eq!(bits, Scaled::INSTRUCTION.bits() | a << 29 | b << 4);
        assert_eq!(
            Scaled::INSTRUCTION
                .with_scales(3, 3)
                .with_scales(a, b)
                .bits(),
            bits
        );
    }
}
