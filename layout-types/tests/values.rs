//! Checks that the algebra's functions on values, from whose text the types are generated, give
//! what the mirror gives.
//!
//! The operands are random, and many more than the compiler could check as types. The mirror prints
//! the same result for operands that the text admits, and refuses operands that the text refuses.
//! Every operation that is written as such a text is drawn.

#[allow(dead_code)] // The other tests draw more.
#[path = "generated/operations.rs"]
mod operations;
#[allow(dead_code)] // The other tests draw more.
#[path = "generated/random.rs"]
mod random;

use layout_types::dynamic::{DynLayout, Tiler};
use layout_types::values::{
    Heap, Node, Tag, Value, all_rise, appended, bits_of, blocked, coalesced, coalesced_by, common,
    complement_of, compose, composed, digits_onto, downcast, flat, flattened, fragment_of, grouped,
    left_of, like_of, logical, modes_of, nests_as_written, no_carry, node, nonzero, null_of,
    number, prepended, raked, range_of, recast, replaced, right_of, selected, tiled, tiled_to,
    upcast, upcast_whole, zip_modes, zipped,
};
use operations::{Gave, Kind, OPERATIONS, draw, mirror};
use random::{Limits, Random};
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// The number of nodes, which is enough for each operation below.
const ROOM: usize = 4096;

/// Makes a tuple of a list of values.
fn list(values: Vec<Value>, heap: &mut Heap<'_>) -> Value {
    let nil = node(Tag::Nil, [], heap);
    let mut all = nil;
    for value in values.into_iter().rev() {
        all = node(Tag::Cons, [value, all], heap);
    }
    all
}

/// Reads a tuple of numbers of either sign in CuTe's notation.
fn tuple(text: &mut Peekable<Chars>, heap: &mut Heap<'_>) -> Value {
    if text.next_if_eq(&'(').is_some() {
        let mut all = Vec::new();
        while text.next_if_eq(&')').is_none() {
            all.push(tuple(text, heap));
            text.next_if_eq(&',');
        }
        return list(all, heap);
    }
    let negative = text.next_if_eq(&'-').is_some();
    let mut value = 0;
    while let Some(digit) = text.next_if(char::is_ascii_digit) {
        value = 10 * value + u64::from(digit as u8 - b'0');
    }
    match (negative, value) {
        (true, 1..) => node(Tag::NInt, [Value::Number(value)], heap),
        _ => Value::Number(value),
    }
}

/// Makes a tree of modes of shape and stride.
fn zip(shape: Value, stride: Value, heap: &mut Heap<'_>) -> Value {
    match heap.tag(shape) {
        Some(Tag::Nil) => shape,
        Some(Tag::Cons) => {
            let [first, others] = [0, 1].map(|at| {
                let (shape, stride) = (heap.field(shape, at), heap.field(stride, at));
                zip(shape, stride, heap)
            });
            node(Tag::Cons, [first, others], heap)
        }
        _ => node(Tag::M, [shape, stride], heap),
    }
}

fn layout(text: &str, heap: &mut Heap<'_>) -> Value {
    let (shape, stride) = text.split_once(':').expect("shape:stride");
    let shape = tuple(&mut shape.chars().peekable(), heap);
    let stride = tuple(&mut stride.chars().peekable(), heap);
    zip(shape, stride, heap)
}

/// Writes the shape (part 0) or stride (part 1) of a tree.
fn part(tree: Value, part: usize, heap: &Heap<'_>) -> String {
    if heap.tag(tree) == Some(Tag::M) {
        let leaf = heap.field(tree, part);
        return match heap.tag(leaf) {
            Some(Tag::NInt) => format!("-{}", number(heap.field(leaf, 0))),
            _ => number(leaf).to_string(),
        };
    }
    let mut all = Vec::new();
    let mut rest = tree;
    while heap.tag(rest) == Some(Tag::Cons) {
        all.push(self::part(heap.field(rest, 0), part, heap));
        rest = heap.field(rest, 1);
    }
    format!("({})", all.join(","))
}

fn show(tree: Value, heap: &Heap<'_>) -> String {
    format!("{}:{}", part(tree, 0, heap), part(tree, 1, heap))
}

/// Returns the result of an operation: the layout, or the rule that refuses the operation.
fn outcome(result: Value, heap: &Heap<'_>) -> Result<String, Tag> {
    match heap.tag(result) {
        Some(Tag::Done) => Ok(show(heap.field(result, 0), heap)),
        Some(Tag::Refused) => Err(heap.tag(heap.field(result, 0)).expect("a rule")),
        tag => panic!("neither a result nor a refusal: {tag:?}"),
    }
}

/// Makes the guide of a tiler: the tiler of each mode in the functions' form.
fn guide(tiler: &Tiler, heap: &mut Heap<'_>) -> Value {
    match tiler {
        Tiler::Underscore => node(Tag::Whole, [], heap),
        Tiler::Int(n) => node(Tag::ByNumber, [Value::Number(*n as u64)], heap),
        Tiler::Layout(by) => {
            let tree = layout(&by.to_string(), heap);
            node(Tag::ByTree, [tree], heap)
        }
        Tiler::Tuple(tilers) => {
            let guides: Vec<Value> = tilers.iter().map(|tiler| guide(tiler, heap)).collect();
            let mut all = node(Tag::NoGuide, [], heap);
            for first in guides.into_iter().rev() {
                all = node(Tag::Each, [first, all], heap);
            }
            all
        }
    }
}

/// Evaluates an operation of the text on these operands.
fn evaluate(operation: &str, operands: &[String], heap: &mut Heap<'_>) -> Result<String, Tag> {
    let first = layout(&operands[0], heap);
    let number_at = |i: usize| Value::Number(operands[i].parse().expect("a number"));
    let by = |heap: &mut Heap<'_>| guide(&operands[1].parse().expect("a tiler"), heap);
    let result = match operation {
        "Coalesce" => return Ok(show(coalesced(first, heap), heap)),
        "Flatten" => return Ok(show(flattened(first, heap), heap)),
        "FilterZeros" => return Ok(show(nonzero(first, heap), heap)),
        "Filter" => {
            let kept = nonzero(first, heap);
            return Ok(show(coalesced(kept, heap), heap));
        }
        "Nullspace" => return Ok(show(null_of(first, heap), heap)),
        "CoalesceBy" => {
            let by = by(heap);
            coalesced_by(first, by, heap)
        }
        "RightInverse" => right_of(first, heap),
        "LeftInverse" => left_of(first, heap),
        "Upcast" => upcast(first, number_at(1), heap),
        "ExactUpcast" => upcast_whole(first, number_at(1), heap),
        "Downcast" => downcast(first, number_at(1), heap),
        "Recast" => recast(first, number_at(1), number_at(2), heap),
        "Select" => {
            let modes = tuple(&mut operands[1].chars().peekable(), heap);
            selected(modes_of(first, heap), modes, heap)
        }
        "Take" => range_of(first, number_at(1), number_at(2), heap),
        "Group" => grouped(first, number_at(1), number_at(2), heap),
        "AppendTo" | "PrependTo" => {
            let added = operands.get(2).map_or("1:0", String::as_str);
            let added = layout(added, heap);
            match operation {
                "AppendTo" => appended(first, number_at(1), added, heap),
                _ => prepended(first, number_at(1), added, heap),
            }
        }
        "Replace" => {
            let mode = layout(&operands[2], heap);
            replaced(first, number_at(1), mode, heap)
        }
        "Zip" => {
            let second = layout(&operands[1], heap);
            let rows = list(vec![first, second], heap);
            zip_modes(rows, heap)
        }
        "ZipModes" => zip_modes(first, heap),
        "MakeLike" => like_of(first, heap),
        "MakeFragmentLike" => fragment_of(first, heap),
        "TileToShape" => {
            let shape = tuple(&mut operands[1].chars().peekable(), heap);
            let modes = zip(shape, shape, heap);
            let modes = modes_of(modes, heap);
            let order = match operands.get(2) {
                Some(numbers) => tuple(&mut numbers.chars().peekable(), heap),
                None => node(Tag::ColumnMajor, [], heap),
            };
            tiled_to(first, modes, order, heap)
        }
        "MaxCommonLayout" => {
            let second = layout(&operands[1], heap);
            common(first, second, heap)
        }
        "Complement" => {
            let target = tuple(&mut operands[1].chars().peekable(), heap);
            complement_of(first, target, heap)
        }
        "Composition" => {
            let by = by(heap);
            composed(first, by, heap)
        }
        "BlockedProduct" | "RakedProduct" => {
            let repeats = layout(&operands[1], heap);
            match operation {
                "BlockedProduct" => blocked(first, repeats, heap),
                _ => raked(first, repeats, heap),
            }
        }
        _ => {
            let by = by(heap);
            let (form, fit) = match operation.strip_prefix("Exact") {
                Some(form) => (form, Tag::Exact),
                None if operation.ends_with("Product") => (operation, Tag::Repeat),
                None => (operation, Tag::RoundUp),
            };
            let fit = node(fit, [], heap);
            match form {
                "LogicalDivide" | "LogicalProduct" => logical(first, by, fit, heap),
                "ZippedDivide" | "ZippedProduct" => zipped(first, by, fit, heap),
                "TiledDivide" | "TiledProduct" => tiled(first, by, fit, heap),
                "FlatDivide" | "FlatProduct" => flat(first, by, fit, heap),
                _ => unreachable!("{form}"),
            }
        }
    };
    outcome(result, heap)
}

#[test]
fn the_text_on_values_gives_what_the_mirror_gives() {
    const TEXTS: [&str; 37] = [
        "Coalesce",
        "CoalesceBy",
        "Flatten",
        "Filter",
        "FilterZeros",
        "Complement",
        "Composition",
        "RightInverse",
        "LeftInverse",
        "Nullspace",
        "Upcast",
        "ExactUpcast",
        "Downcast",
        "Recast",
        "MaxCommonLayout",
        "Select",
        "Take",
        "Group",
        "AppendTo",
        "PrependTo",
        "Replace",
        "Zip",
        "ZipModes",
        "MakeLike",
        "MakeFragmentLike",
        "TileToShape",
        "LogicalDivide",
        "ZippedDivide",
        "TiledDivide",
        "FlatDivide",
        "ExactLogicalDivide",
        "ExactZippedDivide",
        "LogicalProduct",
        "ZippedProduct",
        "TiledProduct",
        "BlockedProduct",
        "RakedProduct",
    ];
    // These operations refuse none of the drawn operands, which have integers as strides and modes
    // that exist.
    const TOTAL: [&str; 10] = [
        "Coalesce",
        "Flatten",
        "Filter",
        "FilterZeros",
        "Nullspace",
        "RightInverse",
        "MakeLike",
        "MakeFragmentLike",
        "Select",
        "Replace",
    ];
    const CASES: usize = 100_000;
    let plain = |kinds: &&[Kind]| {
        let swizzled = [Kind::Swizzled, Kind::Ragged, Kind::Levels, Kind::Steps];
        !kinds.iter().any(|kind| swizzled.contains(kind))
    };
    let drawn: Vec<(&str, &[Kind])> = OPERATIONS
        .into_iter()
        .filter(|(operation, kinds)| TEXTS.contains(operation) && plain(kinds))
        .collect();
    let mut room = vec![Node::UNUSED; ROOM];
    let mut heap = Heap::new(&mut room);
    let mut random = Random(52);
    let mut counts = BTreeMap::new();
    for case in 0..CASES {
        let (operation, kinds) = drawn[case % drawn.len()];
        let limits = Limits {
            rank: (1, 4),
            nested: case % 2 == 0,
            size: 4096,
        };
        let mut operands = draw(&mut random, kinds, limits);
        if kinds.get(1) == Some(&Kind::Tile) {
            operands[1] = format!("({})", operands[1]);
        }
        heap.clear();
        let found = evaluate(operation, &operands, &mut heap);
        let [admitted, refused] = counts.entry(operation).or_insert([0, 0]);
        match (found, mirror(operation, &operands)) {
            (Ok(text), Ok(Gave::Layout(mirror))) => {
                assert_eq!(text, mirror.to_string(), "{operation} {operands:?}");
                *admitted += 1;
            }
            (Err(_), Err(_)) => *refused += 1,
            (found, mirror) => panic!("{operation} {operands:?}: {found:?}, mirror {mirror:?}"),
        }
    }
    for (operation, [admitted, refused]) in counts {
        println!("{operation}: {admitted} admitted, {refused} refused");
        assert!(admitted >= 100, "{operation} admits {admitted}");
        assert!(
            refused >= 20 || TOTAL.contains(&operation),
            "{operation} refuses {refused}"
        );
    }
}

#[test]
fn the_examples_of_the_rules_are_refused_by_them() {
    let mut room = vec![Node::UNUSED; ROOM];
    let mut heap = Heap::new(&mut room);
    for (left, right, expected) in [
        ("(4,6):(6,1)", "8:2", Ok("(2,4):(12,1)")),
        ("(4,6):(1,8)", "2:6", Err(Tag::StrideRule)),
        ("(4,6):(1,8)", "3:3", Err(Tag::StepRule)),
        ("(4,6):(1,8)", "5:2", Err(Tag::ShapeRule)),
        ("(4,6):(1,8)", "(3,2):(1,2)", Err(Tag::CarryRule)),
    ] {
        heap.clear();
        let operands = [left.to_owned(), right.to_owned()];
        let found = evaluate("Composition", &operands, &mut heap);
        assert_eq!(found, expected.map(str::to_owned), "{left} o {right}");
        let mirror = mirror("Composition", &operands);
        assert_eq!(mirror.is_ok(), expected.is_ok(), "{left} o {right}");
    }
}

/// Compares `bits_of`, `no_carry` and `nests_as_written` for a layout with all of its offsets.
#[test]
fn bits_carries_and_nesting_are_those_of_the_offsets() {
    let mut room = vec![Node::UNUSED; ROOM];
    let mut heap = Heap::new(&mut room);
    let mut random = Random(53);
    let (mut free, mut nested) = (0, 0);
    let holds = |value: Value| value == Value::Constant(Tag::True);
    for case in 0..4_000 {
        let limits = Limits {
            rank: (1, 3),
            nested: case % 2 == 0,
            size: 256,
        };
        let text = random::layout(&mut random, limits);
        let mirror: DynLayout = text.parse().expect("a layout");
        let size = mirror.size().expect("a size");
        let mut offsets: Vec<i64> = (0..size)
            .map(|i| mirror.offset(i).expect("an offset"))
            .collect();
        heap.clear();
        let tree = layout(&text, &mut heap);
        if holds(nests_as_written(tree, &mut heap)) {
            nested += 1;
            offsets.sort_unstable();
            offsets.dedup();
            assert_eq!(offsets.len() as i64, size, "{text}");
        }
        let rise = holds(all_rise(tree, &mut heap));
        assert!(rise || text.contains('-'), "{text}");
        if !rise {
            continue;
        }
        // A mode of one element may have any stride.
        assert!(offsets.iter().all(|at| *at >= 0), "{text}");
        let offsets: Vec<u64> = offsets.into_iter().map(|at| at as u64).collect();
        let bits = number(bits_of(tree, &mut heap));
        assert!(offsets.iter().all(|at| at & !bits == 0), "{text}: {bits:b}");
        let (x, w) = (random.below(512), 1 << (1 + random.below(8)));
        let (at_x, at_w) = (Value::Number(x), Value::Number(w));
        if holds(no_carry(tree, at_x, at_w, &mut heap)) {
            free += 1;
            let carries = |at: &u64| x % w + at % w >= w;
            assert!(!offsets.iter().any(carries), "{text}: {x} below {w}");
        }
    }
    assert!(free > 200 && nested > 200, "{free} free, {nested} nested");
}

/// Checks that the functions work in `const`.
#[test]
fn a_composition_is_a_constant() {
    const SHAPE: Value = {
        let mut room = [Node::UNUSED; 64];
        let mut heap = Heap::new(&mut room);
        let two = Value::Number(2);
        let nil = node(Tag::Nil, [], &mut heap);
        let low = node(Tag::M, [Value::Number(4), Value::Number(6)], &mut heap);
        let high = node(Tag::M, [Value::Number(6), Value::Number(1)], &mut heap);
        let modes = node(Tag::Cons, [high, nil], &mut heap);
        let left = node(Tag::Cons, [low, modes], &mut heap);
        let right = node(Tag::M, [Value::Number(8), two], &mut heap);
        let start = node(Tag::Start, [Value::Number(0)], &mut heap);
        let digits = digits_onto(left, start, &mut heap);
        let result = compose(right, digits, &mut heap);
        // `(2,4):(12,1)`: the second mode's shape.
        let tree = heap.field(result, 0);
        heap.field(heap.field(heap.field(tree, 1), 0), 0)
    };
    assert_eq!(SHAPE, Value::Number(4));
}
