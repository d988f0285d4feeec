//! Tests the layout without modes, `():()`: a slice at a full coordinate has this layout, and it is
//! the only layout with an empty tuple.
//!
//! Every operation on it has a result that can be read, or a typed error, and none panics.

#[path = "generated/operations.rs"]
mod operations;
#[path = "generated/random.rs"]
mod random;

use layout_types::dynamic::{DynLayout, cosize, dice, rank, size, slice};
use operations::{Gave, Kind, OPERATIONS, draw, mirror};
use random::{Random, SMALL};

const EMPTY: &str = "():()";

#[test]
fn a_full_coordinate_leaves_it() {
    let layout: DynLayout = "(4,(2,3)):(1,(4,8))".parse().unwrap();
    for coord in ["0", "(1,2)", "(1,(0,2))"] {
        let left = slice(&coord.parse().unwrap(), &layout).unwrap();
        assert_eq!(left.to_string(), EMPTY);
        assert_eq!(left, EMPTY.parse().unwrap());
    }
    let left = dice(&"(_,_)".parse().unwrap(), &layout).unwrap();
    assert_eq!(left.to_string(), EMPTY);
    // CuTe gives size and cosize 1, and rank 0.
    assert_eq!(
        (size(&left).unwrap(), cosize(&left).unwrap(), rank(&left)),
        (1, 1, 0)
    );
    assert_eq!(left.table().unwrap(), [0]);
}

#[test]
fn nothing_else_has_an_empty_tuple() {
    for text in ["(4,()):(1,())", "(()):(())", "():1", "1:()", "()"] {
        assert!(text.parse::<DynLayout>().is_err(), "{text}");
    }
}

#[test]
fn no_operation_panics_on_it() {
    let (mut results, mut refusals) = (0, 0);
    for (line, (operation, kinds)) in OPERATIONS.iter().enumerate() {
        let mut random = Random(line as u64);
        for _ in 0..50 {
            let drawn = draw(&mut random, kinds, SMALL);
            for (i, kind) in kinds.iter().enumerate() {
                let text = match kind {
                    Kind::Layout | Kind::Signed | Kind::Levels | Kind::Steps => EMPTY,
                    Kind::Swizzled => "Sw<2,0,3> o 0 o ():()",
                    _ => continue,
                };
                let mut operands = drawn.clone();
                operands[i] = text.to_owned();
                match mirror(operation, &operands) {
                    Ok(Gave::Layout(layout)) => {
                        // A basis has no offset, so its operations return a typed error.
                        let _ = (layout.offset(0), layout.offset(7));
                        assert_eq!(layout.to_string().parse(), Ok(layout), "{operands:?}");
                        results += 1;
                    }
                    Ok(Gave::Number(_)) => results += 1,
                    Err(_) => refusals += 1,
                }
            }
        }
    }
    assert!(results > 100 && refusals > 100, "{results} {refusals}");
}
