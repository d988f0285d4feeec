//! Checks distributions as types: the exchange is a constant, and its source is a layout, which
//! right inverse and composition give.

use distribute::{Distributed, GemmShape, prelude::*, product, redistribution};
use layout_types::LayoutFn;

type Block = layout!((4,16):(16,1));
type Cyclic = layout!((4,16):(1,4));
type BlockCyclic = layout!((4,(2,8)):(2,(1,8)));
type All = layout!((4,64):(0,1));
type Nested = layout!(((2,2),32):((0,32),1));

assert_distributes!(Block, (64));
assert_distributes!(Cyclic, (8, 8));
assert_distributes!(BlockCyclic, (64));
assert_distributes!(All, (64));
assert_distributes!(Nested, (64));
assert_redistribution!(Block => Block, Nothing);
assert_redistribution!(Block => Cyclic, AllToAll);
assert_redistribution!(Cyclic => BlockCyclic, AllToAll);
assert_redistribution!(BlockCyclic => All, AllGather);
assert_redistribution!(All => Nested, LocalCopy);
assert_redistribution!(Nested => All, AllGather);
assert_redistribution!(layout!((1,64):(0,1)) => All, Broadcast);
assert_redistribution!(Partial<All> => All, AllReduce);
assert_redistribution!(Partial<All> => Cyclic, ReduceScatter);
assert_redistribution!(Partial<Nested> => layout!(((2,2),32):((0,32),1)), AllReduce);
// Meshes of 2 by 3 and of 3 by 2, with blocks along one axis of each, and replicas along the other.
type TwoByThree = layout!(((2,3),(32,96)):((32,0),(1,64)));
type ThreeByTwo = layout!(((3,2),(64,32)):((2048,0),(1,64)));
type SixRows = layout!((6,(8192,49152)):(8192,(1,49152)));
type Twos = layout!(((2,3),(24576,16384)):((24576,805306368),(1,49152)));
type Threes = layout!(((3,2),(16384,24576)):((16384,1207959552),(1,49152)));
assert_redistribution!(TwoByThree => ThreeByTwo, AllToAll);
assert_redistribution!(TwoByThree => layout!((6,(64,96)):(0,(1,64))), AllGather);
assert_redistribution!(layout!((6,(64,96)):(0,(1,64))) => ThreeByTwo, LocalCopy);
assert_redistribution!(Twos => Threes, AllToAll);
assert_redistribution!(SixRows => Twos, AllToAll);
// These layouts have nearly as many digit values as a constant may count.
type SixteenByNine = layout!(((16,9),(9,16)):((9,2304),(1,144)));
type NineBySixteen = layout!(((9,16),(16,9)):((16,1296),(1,144)));
assert_redistribution!(SixteenByNine => NineBySixteen, AllToAll);
// Both layouts are one function, written in two ways that do not nest.
assert_redistribution!(layout!((2,(2,3)):(6,(1,2))) => layout!((2,(3,2)):(6,(1,3))), Nothing);
// The extents are those of a large product; the compiler still decides them at once.
type Rows = layout!((8,(8192,65536)):(8192,(1,65536)));
type Columns = layout!((8,(65536,8192)):(536870912,(1,65536)));
assert_distributes!(Rows, (65536, 65536));
assert_redistribution!(Rows => Columns, AllToAll);

fn source<From: LayoutFn, To: LayoutFn, S: LayoutFn>(size: usize) {
    for i in 0..size as u32 {
        assert_eq!(From::index(S::index(i)), To::index(i), "{i}");
    }
}

#[test]
fn the_source_of_an_element_is_where_it_lies() {
    source::<Block, Cyclic, Source<Block, Cyclic>>(64);
    source::<Cyclic, BlockCyclic, Source<Cyclic, BlockCyclic>>(64);
    source::<Nested, Block, Source<Nested, Block>>(64);
    source::<BlockCyclic, All, Source<BlockCyclic, All>>(256);
}

/// Checks, for every way to distribute A, B and C along one mode of 4 devices, that a product is
/// accepted exactly if each device can compute its block.
#[test]
fn a_product_is_accepted_where_each_device_can_multiply() {
    type Rows = layout!((4,(2,8)):(2,(1,8)));
    type Columns = layout!((4,(8,2)):(16,(1,8)));
    type All = layout!((4,(8,8)):(0,(1,8)));
    let all = [
        ("rows", Rows::DISTRIBUTION),
        ("columns", Columns::DISTRIBUTION),
        ("all", All::DISTRIBUTION),
        ("sums", Partial::<All>::DISTRIBUTION),
    ];
    let right = [
        ("rows", "all", "rows"),
        ("all", "columns", "columns"),
        ("columns", "rows", "sums"),
        ("all", "all", "all"),
    ];
    let shape = GemmShape { m: 8, n: 8, k: 8 };
    for (a, of_a) in &all[..3] {
        for (b, of_b) in &all[..3] {
            for (c, of_c) in &all {
                let found = product(of_a, of_b, of_c, shape);
                let expected = right.contains(&(a, b, c));
                assert_eq!(
                    found.is_ok(),
                    expected,
                    "{a} {b} {c}: {:?}",
                    found.err().map(|t| t.as_str().to_string())
                );
                if let Err(text) = found {
                    assert!(
                        text.as_str().contains("to fit, redistribute"),
                        "{}",
                        text.as_str()
                    );
                }
            }
        }
    }
}

#[test]
fn two_exchanges_in_a_row_are_told_in_their_order() {
    // `From` has partial sums along the first mode of 2 by 4, and blocks along the second mode.
    type From = PartialIn<layout!(((2,4),16):((0,16),1)), 1>;
    type To = layout!(((2,4),64):((0,0),1));
    let found = redistribution(&From::DISTRIBUTION, &<To as Distributed>::DISTRIBUTION)
        .unwrap_or_else(|text| panic!("{}", text.as_str()));
    assert_eq!(
        found.text().as_str(),
        "all-reduce in groups of 2, each device receives 16 elements, then all-gather in groups of 4, each device receives 48 elements"
    );
}
