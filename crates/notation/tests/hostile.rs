//! Evaluates malformed and hostile texts: each gives a value or an error with its place, within
//! seconds and little memory, and never panics.

mod vectors;

use std::time::{Duration, Instant};

use notation::{Error, ErrorKind, Laws, Session, Value, describe_with_table, eval, json};
use proptest::prelude::*;
use vectors::{ALGEBRA, lines, written};

/// Does everything that a program does with a text, within a time limit.
fn survive(text: &str) -> Result<Value, Error> {
    let begin = Instant::now();
    let explanation = Session::new().explain(text);
    let shown = explanation.to_string();
    let _ = json::explanation(&explanation);
    match &explanation.outcome {
        Ok(value) => {
            let _ = Laws::of_value(value);
            assert!(describe_with_table(value, 32).len() < 1 << 20);
        }
        Err(error) => {
            let span = error.span();
            assert!(
                span.start <= span.end && span.end <= text.len(),
                "{span:?} of {text:?}"
            );
            assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
            let printed = error.to_string();
            assert!(printed.contains('^'), "{printed}");
        }
    }
    assert!(shown.len() < 1 << 22);
    // The work is bounded; the bound here is wide because the machine may be busy and this build is
    // not optimised.
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?} for {text:?}",
        begin.elapsed()
    );
    explanation.outcome
}

/// Checks that the error's place is the one at which these carets point.
fn points_at(text: &str, part: &str, says: &str) {
    let error = survive(text).expect_err(text);
    let at = if part.is_empty() {
        text.len()
    } else {
        text.find(part).unwrap()
    };
    assert_eq!(error.span().start, at, "{error}");
    assert!(part.starts_with(&text[error.span()]), "{error}");
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn a_copy_atom_has_all_its_threads_in_elements() {
    let atom = "Copy_Atom<SM75_U16x8_LDSM_T, f32>";
    points_at(
        atom,
        atom,
        "`SM75_U16x8_LDSM_T` does not move elements of 32 bits: its destination has places for 16 threads, and it is done by 32",
    );
    assert!(survive("Copy_Atom<SM75_U16x8_LDSM_T, u8>").is_ok());
    assert!(survive("Copy_Atom<UniversalCopy<u16>, f32>").is_ok());
}

#[test]
fn the_caret_is_at_the_place() {
    points_at("(4,8):(8,1", "", "`,` or `)` is expected, not the end");
    points_at("(4,8)):(8,1)", "):", "the end is expected, not `)`");
    points_at(
        "(4,,8):(8,1)",
        ",8",
        "a layout, a number, a tuple or a name is expected, not `,`",
    );
    points_at(
        "zipped_divid((8,6), (4,3))",
        "zipped_divid",
        "there is `zipped_divide`",
    );
    points_at(
        "Zipped_Divide((8,6), (4,3))",
        "Zipped_Divide",
        "there is `zipped_divide`",
    );
    points_at(
        "SM80_16x8x16_F32F16F16F32.A",
        "SM80_16x8x16_F32F16F16F32",
        "there is no atom",
    );
    points_at(
        "SM80_16x8x16_F32F16F16F32_TN.D",
        "D",
        "an MMA atom has no `D`",
    );
    points_at(
        "upcast((4,8):(8,1), 0)",
        "0)",
        "at least 1 is needed, not 0",
    );
    points_at("(4,0):(8,1)", "(4,0):(8,1)", "0 is not positive");
    points_at("(4,8):(8,1,2)", "(4,8):(8,1,2)", "not admissible");
    points_at("size((4,8), 5)", "5", "has no mode 5");
    points_at(
        "(4,8):(8,99999999999999999999)",
        "99999999999999999999",
        "does not fit in 64 bits",
    );
    points_at(
        "8:1@99999999999",
        "99999999999",
        "a stride names modes below 32",
    );
    points_at("(4,8):(8,1) o", "", "is expected, not the end");
    points_at("o (4,8):(8,1)", "o", "`o` stands between two layouts");
    points_at("(4,8):(8,1) + 3", "+", "`+` is no part of the notation");
    points_at(
        "zipped_divide((8,6))",
        "zipped_divide((8,6))",
        "takes 2 operands, not 1",
    );
    points_at(
        "composition(SM75_U32x4_LDSM_N, 4:1)",
        "SM75_U32x4_LDSM_N",
        "a layout is expected here, not a copy operation",
    );
    points_at("let o = 4", "o", "cannot be a name");
    points_at("\u{1f600}", "\u{1f600}", "is no part of the notation");
    points_at("", "", "an expression is expected");
}

#[test]
fn a_refusal_carries_rule_and_mode() {
    let error = survive("(4,6,8):(2,3,5) o (2,6):(1,3)").unwrap_err();
    let ErrorKind::Refused(refused) = error.kind() else {
        panic!("{error}")
    };
    assert_eq!(
        (refused.operation(), refused.mode()),
        ("composition", &[1][..])
    );
    assert!(
        error
            .message()
            .contains("mode 1: stride 3 does not divide 4"),
        "{error}"
    );
}

/// Texts made to exhaust the stack, the memory, the time or the numbers.
fn hostile() -> Vec<String> {
    let deep =
        |open: &str, close: &str, n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    let huge = "9223372036854775807";
    let twos = |n: usize| vec!["2"; n].join(",");
    let mut texts = vec![
        deep("(", ")", 5000),
        deep("coalesce(", ")", 1500),
        deep("size<", ">", 2000),
        "(".repeat(16_000),
        ")".repeat(16_000),
        "1".repeat(16_000),
        "x".repeat(16_000),
        "let a=a;".repeat(2000),
        "(1,".repeat(5000),
        "-".repeat(16_000),
        "4:1.".repeat(4000),
        format!("4:1{}", "(1)".repeat(5000)),
        format!("4:1{}", ".coalesce".repeat(1700)),
        format!("8:1{}", " o 8:1".repeat(2500)),
        format!("({})", twos(5000)),
        format!("({}):({})", twos(40), twos(40)),
        format!("{huge}:{huge}"),
        format!("({huge},{huge}):({huge},{huge})"),
        format!("size(({huge},{huge}):(1,1))"),
        format!("cosize({huge}:{huge})"),
        format!("-{huge}:-{huge}"),
        format!("({huge}:1)({huge})"),
        format!("(4:{huge})({huge})"),
        format!("((4,4):({huge},1))(-{huge})"),
        format!("complement(4:1, {huge})"),
        format!("complement(4:{huge}, {huge})"),
        format!("complement((2,3):(1,{huge}), 7)"),
        format!("zipped_divide({huge}:1, 3)"),
        format!("zipped_divide({huge}:{huge}, {huge})"),
        format!("logical_product({huge}:1, {huge}:1)"),
        format!("blocked_product((2,2), ({huge},2))"),
        format!("raked_product(({huge},2), (2,2))"),
        format!("tile_to_shape((8,8), ({huge},8))"),
        format!("right_inverse(({huge},2):(1,{huge}))"),
        format!("left_inverse(({huge},2):(1,{huge}))"),
        format!("upcast({huge}:{huge}, {huge})"),
        format!("downcast({huge}:1, {huge})"),
        format!("recast_layout({huge}:1, 1, 1024)"),
        format!("append(4:1, {huge})"),
        "append(4:1, 128)".to_string(),
        format!("group((4,4), {huge}, {huge})"),
        format!("take((4,4), -1, {huge})"),
        format!("select((4,4), {huge})"),
        format!("idx2crd({huge}, (3,{huge}))"),
        format!("idx2crd(-{huge}, (3,5))"),
        "idx2crd(5, (0,3))".to_string(),
        format!("crd2idx(({huge},{huge}), (4,4):(3,5))"),
        "get_hier_coord((4,4):(0,0), 5)".to_string(),
        format!("get_1d_coord((4,{huge}):(1,4), {huge})"),
        format!("domain_distribute(({huge},{huge}), {huge})"),
        format!("make_ordered_layout((4,8), ({huge},-{huge}))"),
        format!("make_ordered_layout(({huge},{huge}), (1,0))"),
        format!("max_alignment(({huge},4):(1,-{huge}))"),
        format!("max_common_vector({huge}:1, {huge}:1)"),
        format!("nullspace(({huge},{huge}):(0,0))"),
        format!("ceil_div(({huge},4), ({huge},{huge}))"),
        format!("evenly_divides({huge}, {huge}:{huge})"),
        format!("with_shape({huge}:1, ({huge},2))"),
        format!("local_tile(({huge},4), (2,2), ({huge},_))"),
        "is_injective((1048576,1048576):(1,1))".to_string(),
        "is_injective((1024,1024):(3,5))".to_string(),
        "is_compact(Sw<3,4,3> o 1048576:1)".to_string(),
        "disjoint(1048576:1, 1048576:3)".to_string(),
        format!("Sw<{huge},0,0>"),
        format!("Sw<1,1,-{huge}>"),
        "Sw<3,0,-2147483648>".to_string(),
        "Sw<0,-1,0>".to_string(),
        format!("Sw<3,3,3>({huge})"),
        format!("Sw<3,3,3>(-{huge})"),
        format!("Sw<3,3,3> o {huge} o 8:{huge}"),
        format!("(Sw<3,3,3> o -{huge} o 8:-{huge})(7)"),
        "1048576:1 o Sw<3,4,12>".to_string(),
        "(1048576,2):(2,1) o Sw<3,4,12>".to_string(),
        "(3,349525):(1,7) o Sw<3,4,12>".to_string(),
        "right_inverse(Sw<3,4,12> o (3,349525):(349525,1))".to_string(),
        format!("bank_conflicts(({huge},{huge}), f16, ldmatrix)"),
        format!("tma_box(({huge},{huge}), f16)"),
        format!("tma_box((8,1):(1,{huge}), f16)"),
        format!("tma_box(({huge},8):(0,1), f16)"),
        format!("tma_box(Sw<3,3,3> o -{huge} o (8,64):(64,1), f16)"),
        "tma_box(((((((((2)))))))),((((((((2))))))))), 64)".to_string(),
        "tma_box((8,8):(1@0,1@1), f16)".to_string(),
        "tma_box((8,64,4):(64,1,-512), f16)".to_string(),
        "tma_box(1048576:0, u8)".to_string(),
        format!("wgmma_operand(({huge},64), f16, MajorK)"),
        format!("wgmma_operand((64,64):(64,1), f16, MajorK, {huge})"),
        "wgmma_operand((1024,1024):(0,0), u8, MajorK, 8)".to_string(),
        "bank_conflicts((1024,1024):(1024,1), f16, ldmatrix)".to_string(),
        "bank_conflicts((1024,1024):(1024,1), 1, rows(1))".to_string(),
        "choose_swizzle((256,256), f16, ldmatrix, rows(16), columns(2))".to_string(),
        format!("bank_conflicts({huge}:1, tv((32,4):(4,1), 128), f16)"),
        "bank_conflicts((1024,1024):(1,1024), tv((1024,1024):(1,1024), (1024,1024)), f16)"
            .to_string(),
        format!("tv((32,4):(4,1), ({huge},{huge}))"),
        format!("tv(({huge},4):(4,1), (32,4))"),
        format!("tiled_mma(SM80_16x8x16_F32F16F16F32_TN, ({huge},2,1))"),
        format!("tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (1,1,1), ({huge},_,_)).A"),
        "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (1024,1024,1024)).A".to_string(),
        "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, 4:0).C".to_string(),
        format!("make_tiled_copy(UniversalCopy<u128>, f16, ({huge},2), (1,8))"),
        "make_tiled_copy(UniversalCopy<u128>, f16, (1024,1024), (1024,8))".to_string(),
        "make_tiled_copy(UniversalCopy<u16>, f16, (32,4):(0,0), (1,8):(0,0))".to_string(),
        format!(
            "tiled_copy(Copy_Atom<UniversalCopy<u16>, f16>, ({huge},{huge}):(0,0), ({huge},{huge}))"
        ),
        format!("retile(make_tiled_copy(UniversalCopy<u16>, f16, (8,4), (1,8)), ({huge},2):(1,1))"),
        format!(
            "partition_s(make_tiled_copy(UniversalCopy<u16>, f16, (8,4), (1,8)), ({huge},{huge}):(1,{huge}))"
        ),
        "make_layout(1:1@31@31@31@31, 1:1@31@31)".to_string(),
        "((4,4):(1@31@31@31@31@31@31,1@31))(3,2)".to_string(),
        "coshape((4,4):(1@31@31@31@31@31@31,1@31))".to_string(),
        format!("(4,4):({huge}@0,{huge}@0) o 16:1"),
        "make_identity_layout((((((4,4),4),4),4),4)) o 4096:1".to_string(),
        "zip((4,(4,4)), (4,4))".to_string(),
        "()".to_string(),
        "():()".to_string(),
        "(():())(_)".to_string(),
        "size(():())".to_string(),
        "coalesce(():()) o 4:1".to_string(),
        "zipped_divide(():(), ())".to_string(),
        "((),4)".to_string(),
        "((),4):((),1)".to_string(),
    ];
    // Doubling names: layouts that grow with every statement.
    let mut doubling = "let a=(2,2):(1,2)".to_string();
    for _ in 0..64 {
        doubling.push_str(";let a=make_layout(a,a)");
    }
    texts.push(doubling);
    let mut doubling = "let t=(1,1)".to_string();
    for _ in 0..64 {
        doubling.push_str(";let t=(t,t)");
    }
    texts.push(doubling);
    let mut nesting = "let a=2:1".to_string();
    for _ in 0..600 {
        nesting.push_str(";let a=make_layout(a)");
    }
    texts.push(nesting);
    let mut swizzles = "let a=1024:1".to_string();
    for _ in 0..600 {
        swizzles.push_str(";let a=Sw<1,1,1> o a");
    }
    texts.push(swizzles);
    // The one composition that is decided point by point, at its largest, again and again.
    let strides: Vec<String> = (0..18).map(|i| (40i64 << i).to_string()).collect();
    let pointwise = format!(
        "(5,8,{}):(0,1,{}) o (4,{}):(3,{})",
        twos(18),
        strides.join(","),
        twos(18),
        strides.join(",")
    );
    texts.push(pointwise.clone());
    texts.push(vec![pointwise; 20].join(";"));
    texts
}

#[test]
fn hostile_texts_end_soon_in_little_memory() {
    for text in hostile() {
        let begin = Instant::now();
        let _ = survive(&text);
        let shown: String = text.chars().take(60).collect();
        println!("{:8.3} s  {shown}", begin.elapsed().as_secs_f64());
    }
    let peak = peak_memory();
    assert!(peak < 100 << 20, "{} MiB", peak >> 20);
}

/// Returns the most memory that this process has had, in bytes. Linux counts it; elsewhere the
/// result is 0.
#[cfg(target_os = "linux")]
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}
#[cfg(not(target_os = "linux"))]
fn peak_memory() -> u64 {
    0
}

/// Pieces of the language, and pieces of other text.
const PIECES: &[&str] = &[
    "(",
    ")",
    ",",
    ":",
    "<",
    ">",
    ".",
    "@",
    "=",
    ";",
    "-",
    "_",
    "o",
    "let",
    "{}",
    " ",
    "\n",
    "é",
    "0",
    "1",
    "2",
    "4",
    "8",
    "_8",
    "3",
    "7",
    "16",
    "9223372036854775807",
    "18446744073709551616",
    "(4,8):(8,1)",
    "(2,_)",
    "(4:1,8,_)",
    "1@0",
    "Sw<2,3,3>",
    "composition(",
    "zipped_divide(",
    "raked_product(",
    "complement(",
    "right_inverse(",
    "left_inverse(",
    "coalesce(",
    "tile_to_shape(",
    "upcast(",
    "downcast(",
    "append(",
    "group(",
    "slice(",
    "idx2crd(",
    "with_shape(",
    "max_alignment(",
    "bank_conflicts(",
    "tma_box(",
    "wgmma_operand(",
    "MajorK",
    "tv(",
    "tiled_mma(",
    "make_tiled_copy(",
    "partition_s(",
    "retile(",
    "f16",
    "ldmatrix",
    "UniversalCopy<u128>",
    "SM80_16x8x16_F32F16F16F32_TN",
    "SM75_U32x4_LDSM_N",
    ".A",
    ".S",
    ".shape",
    "a",
    "it",
];

fn valid() -> &'static [String] {
    static VALID: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    VALID.get_or_init(read_valid)
}

fn read_valid() -> Vec<String> {
    lines(ALGEBRA)
        .step_by(11)
        .map(|vector| written(vector["op"].as_str().unwrap(), &vector["in"]).expression)
        .chain([
            "bank_conflicts(Sw<2,3,3> o (32,32):(32,1), tv(((8,4),8):((1,256),32), (32,32)), f16)".to_string(),
            "let m = tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16)); partition_a(m, (128,32):(32,1))".to_string(),
            "retile(make_tiled_copy_a(SM75_U32x4_LDSM_N, f16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN)), ((2,2,2),2,2))".to_string(),
            "make_tiled_copy(UniversalCopy<u128>, f16, (32,4):(4,1), (1,8)).S(5,1)".to_string(),
        ])
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn token_soup(picks in prop::collection::vec(0..PIECES.len(), 0..24)) {
        let text: String = picks.into_iter().map(|i| PIECES[i]).collect();
        let _ = survive(&text);
    }

    #[test]
    fn any_text(text in any::<String>()) {
        let _ = survive(&text);
    }

    /// Survives a valid expression with a few pieces replaced, doubled or left out.
    #[test]
    fn mutated(which in any::<prop::sample::Index>(), edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..4, 0..PIECES.len()), 1..4)) {
        let texts = valid();
        let mut text: Vec<char> = which.get(texts).chars().collect();
        for (at, kind, piece) in edits {
            let at = at.index(text.len() + 1);
            let piece = PIECES[piece].chars();
            match kind {
                0 => { text.splice(at..at, piece); }
                1 => { let end = (at + 1).min(text.len()); text.splice(at..end, piece); }
                2 => { let end = (at + 3).min(text.len()); text.drain(at..end); }
                _ => { let half: Vec<char> = text[..at].to_vec(); text.splice(at..at, half); }
            }
        }
        let text: String = text.into_iter().collect();
        let _ = survive(&text);
    }

    /// Survives a valid expression with other numbers, among them the largest and 0.
    #[test]
    fn other_numbers(which in any::<prop::sample::Index>(), numbers in prop::collection::vec(prop_oneof![
        Just("0".to_string()), Just("-1".to_string()), Just(i64::MAX.to_string()), Just(format!("-{}", i64::MAX)),
        (1u64..70).prop_map(|n| n.to_string()), any::<u32>().prop_map(|n| n.to_string()), (0u32..63).prop_map(|n| (1u64 << n).to_string()),
    ], 1..8)) {
        let texts = valid();
        let (mut out, mut next, mut inside) = (String::new(), 0, false);
        for c in which.get(texts).chars() {
            if c.is_ascii_digit() {
                if !inside && next % 3 == 0 {
                    out.push_str(&numbers[(next / 3) % numbers.len()]);
                } else if next % 3 != 0 {
                    out.push(c);
                }
                inside = true;
            } else {
                next += usize::from(inside);
                inside = false;
                out.push(c);
            }
        }
        let _ = survive(&out);
    }
}

/// Checks that compositions of extents and strides at the ends of 64 bits have a value or a rule,
/// even where the numbers that would name the rule are cut off.
#[test]
fn compositions_at_the_ends_of_numbers() {
    const ENDS: [i64; 12] = [
        1,
        2,
        3,
        4,
        6,
        64,
        1 << 31,
        1 << 62,
        (1 << 62) - 1,
        (1 << 62) + 1,
        i64::MAX - 1,
        i64::MAX,
    ];
    let mut state = 8_u64;
    let mut number = |signed: bool| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let of = ENDS[(state >> 33) as usize % ENDS.len()];
        if signed && state >> 60 == 0 { -of } else { of }
    };
    let (mut right, mut too_large) = (0, 0);
    for _ in 0..3000 {
        let extents = [0; 4].map(|_| number(false));
        let strides = [0; 4].map(|_| number(true));
        let [a, b, c, d] = extents;
        let [e, f, g, h] = strides;
        match survive(&format!(
            "composition(({a},{b}):({e},{f}), ({c},{d}):({g},{h}))"
        )) {
            Ok(_) => right += 1,
            Err(error) => too_large += usize::from(error.to_string().contains("64 bits")),
        }
    }
    assert!(
        right > 30 && too_large > 30,
        "{right} right, {too_large} too large"
    );
}

/// Survives targets without elements: their explanation has no steps, only the operation's own
/// error.
#[test]
fn complement_in_an_empty_target() {
    for text in [
        "complement(1:0, (1,0,0))",
        "complement(4:1, (8,-1))",
        "logical_divide((0,0,8):(1,1,1), 4:1)",
    ] {
        let _ = survive(text);
    }
}

#[test]
fn what_is_valid_stays_valid() {
    let texts = valid();
    assert!(texts.iter().filter(|text| eval(text).is_ok()).count() > texts.len() * 9 / 10);
}
