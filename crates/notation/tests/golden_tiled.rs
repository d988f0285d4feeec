//! Evaluates every record of CuTe's atoms, tiled MMAs, tiled copies and retiles as an expression.

mod vectors;

use notation::{Session, Value, eval};
use serde_json::Value as Json;

fn records(text: &str) -> impl Iterator<Item = Json> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
}

fn text<'a>(record: &'a Json, key: &str) -> &'a str {
    record[key].as_str().unwrap()
}

/// Returns an atom's name without the majors of `wgmma`, which change no layout.
fn atom(name: &str) -> &str {
    name.trim_end_matches("_KK")
}

fn check(record: &Json, expression: &str, value: &Value) {
    let out = vectors::notation(&record["out"]).replace('_', "");
    assert_eq!(value.to_string(), out, "{expression}");
    let Some(starts) = record.get("starts").and_then(Json::as_array) else {
        return;
    };
    let Value::Partition(partition) = value else {
        panic!("{expression} is {}", value.kind())
    };
    // If an atom's threads have holes between them, the partition counts the holes; CuTe's records
    // do not.
    assert!(partition.threads() >= starts.len() as i64, "{expression}");
    for (thread, start) in starts.iter().enumerate() {
        assert_eq!(
            partition.offset(thread as i64, 0),
            start.as_i64(),
            "{expression} thread {thread}"
        );
    }
}

#[test]
fn atoms() {
    let mut seen = 0;
    for record in records(include_str!(
        "../../../layout-types/tests/data/atoms_mma.jsonl"
    )) {
        let field = text(&record, "what").strip_prefix("mma.").unwrap();
        let expression = format!("{}.{field}", atom(text(&record, "cfg")));
        check(&record, &expression, &eval(&expression).unwrap());
        seen += 1;
    }
    for record in records(include_str!(
        "../../../layout-types/tests/data/atoms_copy.jsonl"
    )) {
        let field = match text(&record, "what").strip_prefix("copy.").unwrap() {
            "ThrID" => "ThrID",
            "BitSrc" => "SrcLayout",
            "BitDst" => "DstLayout",
            "BitRef" => "RefLayout",
            "ValSrc" => "S",
            "ValDst" => "D",
            "ValRef" => "R",
            other => panic!("no field for {other}"),
        };
        let (operation, element) = text(&record, "cfg").split_once('/').unwrap();
        let expression = format!("Copy_Atom<{operation}, {element}>.{field}");
        check(&record, &expression, &eval(&expression).unwrap());
        seen += 1;
    }
    assert_eq!(seen, 24 * 5 + 48 * 7);
}

/// Converts `NAME atoms=(2,2,1) perm=(32,32,16)` to the expression of a tiled MMA.
fn tiled_mma(cfg: &str) -> String {
    let (name, rest) = cfg.split_once(" atoms=").unwrap();
    let (atoms, permutation) = rest.split_once(" perm=").unwrap_or((rest, "none"));
    match permutation {
        "none" => format!("tiled_mma({}, {atoms})", atom(name)),
        _ => format!("tiled_mma({}, {atoms}, {permutation})", atom(name)),
    }
}

#[test]
fn tiled_mmas() {
    let mut seen = 0;
    for record in records(include_str!(
        "../../../layout-types/tests/data/atoms_tiled_mma.jsonl"
    )) {
        let what = text(&record, "what").strip_prefix("tiledmma.").unwrap();
        let mma = tiled_mma(text(&record, "cfg"));
        let tensor = record["in"].as_object().unwrap().values().next();
        let tensor = tensor.map(|tensor| tensor.as_str().unwrap());
        let expression = match (what, tensor) {
            ("thr_layout_vmnk", _) => format!("{mma}.thr_layout_vmnk"),
            ("tile_shape", _) => format!("{mma}.tile"),
            ("permutation_mnk", _) => format!("{mma}.permutation"),
            ("layoutA_TV", _) => format!("{mma}.A"),
            ("layoutB_TV", _) => format!("{mma}.B"),
            ("layoutC_TV", _) => format!("{mma}.C"),
            // The records were made for these shapes.
            ("partition_shape_A", None) => format!("partition_shape_A({mma}, (128,64))"),
            ("partition_shape_B", None) => format!("partition_shape_B({mma}, (256,64))"),
            ("partition_shape_C", None) => format!("partition_shape_C({mma}, (128,256))"),
            (what, Some(tensor)) => format!("{mma}.{what}({tensor})"),
            (what, None) => panic!("{what} has no tensor"),
        };
        let value = eval(&expression).unwrap_or_else(|error| panic!("{error}"));
        check(&record, &expression, &value);
        seen += 1;
    }
    assert!(seen > 600, "{seen}");
}

/// Converts `make_tiled_copy OP/type thr=.. val=..` and `make_tiled_copy_A OP/type mma=..` to the
/// expression of a tiled copy.
fn tiled_copy(cfg: &str) -> String {
    let (maker, rest) = cfg.split_once(' ').unwrap();
    let (operation, rest) = rest.split_once('/').unwrap();
    let (element, rest) = rest.split_once(' ').unwrap();
    match rest.strip_prefix("mma=") {
        Some(mma) => format!("{maker}({operation}, {element}, {})", tiled_mma(mma)),
        None => {
            let (threads, values) = rest
                .strip_prefix("thr=")
                .unwrap()
                .split_once(" val=")
                .unwrap();
            format!("{maker}({operation}, {element}, {threads}, {values})")
        }
    }
}

fn copies(file: &str) -> usize {
    let (mut session, mut of, mut seen) = (Session::new(), String::new(), 0);
    for record in records(file) {
        let cfg = text(&record, "cfg");
        if of != cfg {
            let copy = tiled_copy(cfg);
            session
                .eval(&format!("let copy = {copy}"))
                .unwrap_or_else(|error| panic!("{error}"));
            of = cfg.to_string();
        }
        let tensor = record["in"].as_object().unwrap().values().next();
        let expression = match text(&record, "what").strip_prefix("tiledcopy.").unwrap() {
            "Tiler_MN" => "copy.tiler".to_string(),
            "TiledLayout_TV" => "copy.TV".to_string(),
            "layoutS_TV" => "copy.S".to_string(),
            "layoutD_TV" => "copy.D".to_string(),
            what => format!("{what}(copy, {})", tensor.unwrap().as_str().unwrap()),
        };
        let value = session
            .eval(&expression)
            .unwrap_or_else(|error| panic!("{cfg}: {error}"));
        check(&record, &format!("{cfg}: {expression}"), &value);
        seen += 1;
    }
    seen
}

#[test]
fn tiled_copies_of_threads_and_values() {
    assert_eq!(
        copies(include_str!(
            "../../../layout-types/tests/data/atoms_tiled_copy.jsonl"
        )),
        1696
    );
}

#[test]
fn tiled_copies_of_an_mma_and_retiles() {
    assert_eq!(
        copies(include_str!(
            "../../../layout-types/tests/data/atoms_tiled_copy_mma.jsonl"
        )),
        1230
    );
}
