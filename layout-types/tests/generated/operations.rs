//! The operations: the operands that each takes, and the result of the run-time mirror.
//!
//! ```text
//!   ("Upcast", [Layout, Int])   ──draw──►   ["(8,4):(1,8)", "4"]   ──mirror──►   (2,4):(1,2), or refused
//! ```

use super::random::{self, Limits, Random};
use layout_types::dynamic::*;

/// The macro call by which an operand is written as a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `layout!(..)`
    Layout,
    /// `layout!(..)` of up to 4096 elements, with strides of both signs.
    Signed,
    /// `layout!(..)` of three modes in which one may lend to another.
    Levels,
    /// `layout!(..)` of steps with either sign in modes of the first operand.
    Steps,
    /// `swizzled!(..)`
    Swizzled,
    /// `swizzled!(..)` with extents that are not powers of two, and an offset.
    Ragged,
    /// `shape!(..)`
    Shape,
    /// `shape!(..)`, a shape that a layout's modes divide.
    Fills,
    /// `shape!(..)`, a profile of the first operand.
    Profile,
    /// `coord!(..)` that orders the extents of the first operand.
    Order,
    /// `tile!(..)`
    Tile,
    /// `coord!(..)`, with `_`, of the first operand.
    Coordinate,
    /// `coord!(..)`, a list of modes of the first operand.
    Modes,
    /// `int!(..)`, a size.
    Int,
    /// `int!(..)`, a width in bits.
    Bits,
    /// `int!(..)`, a mode of the first operand.
    Mode,
    /// `int!(..)`, a number of modes not less than another.
    End,
}
use Kind::{
    Bits, Coordinate, End, Fills, Int, Layout, Levels, Mode, Modes, Order, Profile, Ragged, Shape,
    Signed, Steps, Swizzled, Tile,
};

/// The result of an operation.
#[derive(Debug, PartialEq, Eq)]
pub enum Gave {
    Layout(AnyLayout),
    Number(i64),
}

/// Every operation with the kinds of its operands, on one line for each way to call it. A line's
/// place is its seed, so new lines go to the end.
pub const OPERATIONS: [(&str, &[Kind]); 108] = [
    ("Coalesce", &[Layout]),
    ("Coalesce", &[Swizzled]),
    ("CoalesceBy", &[Layout, Profile]),
    ("Flatten", &[Layout]),
    ("Filter", &[Layout]),
    ("FilterZeros", &[Layout]),
    ("Composition", &[Layout, Layout]),
    ("Composition", &[Layout, Layout]),
    ("Composition", &[Layout, Layout]),
    ("Composition", &[Layout, Int]),
    ("Composition", &[Layout, Tile]),
    ("Composition", &[Layout, Tile]),
    ("Composition", &[Swizzled, Layout]),
    ("Composition", &[Swizzled, Tile]),
    ("WithShape", &[Layout, Shape]),
    ("Complement", &[Layout, Int]),
    ("Complement", &[Layout, Shape]),
    ("RightInverse", &[Layout]),
    ("LeftInverse", &[Layout]),
    ("Nullspace", &[Layout]),
    ("LogicalDivide", &[Layout, Layout]),
    ("LogicalDivide", &[Layout, Int]),
    ("LogicalDivide", &[Layout, Tile]),
    ("LogicalDivide", &[Swizzled, Tile]),
    ("ZippedDivide", &[Layout, Layout]),
    ("ZippedDivide", &[Layout, Tile]),
    ("ZippedDivide", &[Swizzled, Tile]),
    ("TiledDivide", &[Layout, Layout]),
    ("TiledDivide", &[Layout, Tile]),
    ("FlatDivide", &[Layout, Layout]),
    ("FlatDivide", &[Layout, Tile]),
    ("ExactLogicalDivide", &[Layout, Layout]),
    ("ExactLogicalDivide", &[Layout, Tile]),
    ("ExactZippedDivide", &[Layout, Tile]),
    ("ExactZippedDivide", &[Swizzled, Tile]),
    ("ExactTiledDivide", &[Layout, Tile]),
    ("ExactFlatDivide", &[Layout, Tile]),
    ("LogicalProduct", &[Layout, Layout]),
    ("LogicalProduct", &[Layout, Layout]),
    ("LogicalProduct", &[Layout, Tile]),
    ("ZippedProduct", &[Layout, Layout]),
    ("ZippedProduct", &[Layout, Tile]),
    ("TiledProduct", &[Layout, Layout]),
    ("TiledProduct", &[Layout, Tile]),
    ("FlatProduct", &[Layout, Layout]),
    ("FlatProduct", &[Layout, Tile]),
    ("BlockedProduct", &[Layout, Layout]),
    ("BlockedProduct", &[Layout, Layout]),
    ("RakedProduct", &[Layout, Layout]),
    ("RakedProduct", &[Layout, Layout]),
    ("TileToShape", &[Layout, Fills]),
    ("TileToShape", &[Swizzled, Fills]),
    ("Upcast", &[Layout, Int]),
    ("Upcast", &[Layout, Int]),
    ("ExactUpcast", &[Layout, Int]),
    ("Downcast", &[Layout, Int]),
    ("Recast", &[Layout, Bits, Bits]),
    ("Recast", &[Layout, Bits, Bits]),
    ("MaxCommonLayout", &[Layout, Layout]),
    ("MaxCommonVector", &[Layout, Layout]),
    ("MaxAlignment", &[Layout]),
    ("DomainDistribute", &[Shape, Int]),
    ("Slice", &[Layout, Coordinate]),
    ("Slice", &[Layout, Coordinate]),
    ("Dice", &[Layout, Coordinate]),
    ("Select", &[Layout, Modes]),
    ("Take", &[Layout, Mode, End]),
    ("Group", &[Layout, Mode, End]),
    ("Append", &[Layout, Layout]),
    ("Prepend", &[Layout, Layout]),
    ("AppendTo", &[Layout, End]),
    ("AppendTo", &[Layout, End, Layout]),
    ("PrependTo", &[Layout, End]),
    ("PrependTo", &[Layout, End, Layout]),
    ("Replace", &[Layout, Mode, Layout]),
    ("Zip", &[Layout, Layout]),
    ("ZipModes", &[Layout]),
    ("LayoutLeft", &[Shape]),
    ("LayoutRight", &[Shape]),
    ("Identity", &[Shape]),
    ("MakeOrdered", &[Shape, Order]),
    ("MakeLike", &[Layout]),
    ("MakeFragmentLike", &[Layout]),
    ("Size", &[Layout]),
    ("Cosize", &[Layout]),
    ("Rank", &[Layout]),
    ("Dice", &[Layout, Coordinate]),
    ("Dice", &[Layout, Coordinate]),
    ("TileToShape", &[Layout, Fills]),
    ("Composition", &[Layout, Signed]),
    ("Composition", &[Levels, Steps]),
    ("Composition", &[Levels, Steps]),
    ("Composition", &[Levels, Steps]),
    ("RightInverse", &[Swizzled]),
    ("LeftInverse", &[Swizzled]),
    ("Composition", &[Swizzled, Swizzled]),
    ("Composition", &[Layout, Swizzled]),
    ("SliceAndOffset", &[Ragged, Coordinate]),
    ("SliceOffset", &[Ragged, Coordinate]),
    ("SliceAndOffset", &[Ragged, Coordinate]),
    ("SliceAndOffset", &[Swizzled, Coordinate]),
    ("RightInverse", &[Ragged]),
    ("LeftInverse", &[Ragged]),
    ("Composition", &[Layout, Ragged]),
    ("Dice", &[Ragged, Coordinate]),
    ("ZippedDivide", &[Ragged, Tile]),
    ("Upcast", &[Ragged, Int]),
    ("Downcast", &[Ragged, Int]),
];

/// Draws random operands of these kinds.
pub fn draw(random: &mut Random, kinds: &[Kind], limits: Limits) -> Vec<String> {
    let mut operands: Vec<String> = Vec::new();
    for kind in kinds {
        // The shape of the first operand, for the kinds that refer to it.
        let first = || -> IntTuple {
            let text = operands[0].split(':').next().expect("a shape");
            let text = text.rsplit(" o ").next().expect("a shape");
            text.parse().expect("a shape")
        };
        let text = match kind {
            Layout => random::layout(random, limits),
            Signed => random::signed(random, limits),
            Levels => random::levels(random),
            Steps => random::steps(random, &first()),
            Swizzled => random::swizzled(random),
            Ragged => random::ragged(random),
            Shape => random::shape(random, limits),
            Fills => random::like(&first(), &mut |extent| {
                (extent * random.of(&[1, 2, 3])).to_string()
            }),
            Profile => match first() {
                IntTuple::Tuple(modes) => {
                    let modes: Vec<&str> = modes
                        .iter()
                        .map(|_| random.of(&["1", "1", "(1,1)"]))
                        .collect();
                    format!("({})", modes.join(","))
                }
                IntTuple::Leaf(_) => "1".to_owned(),
            },
            Order => random::like(&first(), &mut |_| random.below(6).to_string()),
            Tile => random::tile(random, first().rank()),
            Coordinate => random::coordinate(random, &first()),
            Modes => {
                let rank = first().rank() as u64;
                let picked = 1 + random.below(rank);
                let modes: Vec<String> = (0..picked)
                    .map(|_| random.below(rank).to_string())
                    .collect();
                format!("({})", modes.join(","))
            }
            Int => random
                .of(&[1, 2, 2, 3, 4, 4, 6, 8, 8, 12, 16, 24, 32, 48, 64, 128])
                .to_string(),
            Bits => random.of(&[1, 2, 4, 6, 8, 16, 32, 64, 128]).to_string(),
            Mode => random.below(first().rank() as u64).to_string(),
            End => {
                let rank = first().rank() as u64;
                (1 + random.below(rank + 2)).to_string()
            }
        };
        operands.push(text);
    }
    operands
}

/// Runs an operation in the run-time mirror.
///
/// # Errors
/// Returns the mirror's refusal.
pub fn mirror(operation: &str, operands: &[String]) -> std::result::Result<Gave, String> {
    run(operation, operands).map_err(|error| error.to_string())
}

type Refusal = Box<dyn std::error::Error>;

fn run(operation: &str, operands: &[String]) -> std::result::Result<Gave, Refusal> {
    let text = |i: usize| operands[i].as_str();
    let plain = |i: usize| -> std::result::Result<DynLayout, Refusal> { Ok(text(i).parse()?) };
    let any = |i: usize| -> std::result::Result<AnyLayout, Refusal> { Ok(text(i).parse()?) };
    let tuple = |i: usize| -> std::result::Result<IntTuple, Refusal> { Ok(text(i).parse()?) };
    let tiler = |i: usize| -> std::result::Result<Tiler, Refusal> { Ok(text(i).parse()?) };
    let coord = |i: usize| -> std::result::Result<Coord, Refusal> { Ok(text(i).parse()?) };
    let int = |i: usize| -> std::result::Result<i64, Refusal> { Ok(text(i).parse()?) };
    let mode = |i: usize| -> std::result::Result<usize, Refusal> { Ok(text(i).parse()?) };
    let optional = |i: usize| operands.get(i).map(|_| plain(i)).transpose();
    let layout = match operation {
        "MaxCommonVector" => return Ok(Gave::Number(max_common_vector(&plain(0)?, &plain(1)?)?)),
        "MaxAlignment" => return Ok(Gave::Number(max_alignment(&plain(0)?)?)),
        "SliceOffset" => {
            return Ok(Gave::Number(slice_and_offset_any(&coord(1)?, &any(0)?)?.1));
        }
        "Size" => return Ok(Gave::Number(plain(0)?.size()?)),
        "Cosize" => return Ok(Gave::Number(plain(0)?.cosize()?)),
        "Rank" => return Ok(Gave::Number(plain(0)?.rank() as i64)),
        "Coalesce" => coalesce(&any(0)?)?,
        "CoalesceBy" => coalesce_by(&any(0)?, &tuple(1)?)?,
        "Flatten" => flatten(&any(0)?)?,
        "Filter" => filter(&any(0)?)?,
        "FilterZeros" => filter_zeros(&any(0)?)?,
        "Composition" if text(1).starts_with("Sw") => composition_any(&any(0)?, &any(1)?)?,
        "Composition" => composition(&any(0)?, tiler(1)?)?,
        "WithShape" => with_shape(&any(0)?, &tuple(1)?)?,
        "Complement" => complement(&plain(0)?, tuple(1)?)?.into(),
        "RightInverse" => right_inverse_any(&any(0)?)?,
        "LeftInverse" => left_inverse_any(&any(0)?)?,
        "Nullspace" => nullspace(&plain(0)?)?.into(),
        "LogicalDivide" => logical_divide(&any(0)?, tiler(1)?)?,
        "ZippedDivide" => zipped_divide(&any(0)?, tiler(1)?)?,
        "TiledDivide" => tiled_divide(&any(0)?, tiler(1)?)?,
        "FlatDivide" => flat_divide(&any(0)?, tiler(1)?)?,
        "ExactLogicalDivide" => exact_logical_divide(&any(0)?, tiler(1)?)?,
        "ExactZippedDivide" => exact_zipped_divide(&any(0)?, tiler(1)?)?,
        "ExactTiledDivide" => exact_tiled_divide(&any(0)?, tiler(1)?)?,
        "ExactFlatDivide" => exact_flat_divide(&any(0)?, tiler(1)?)?,
        "LogicalProduct" => logical_product(&any(0)?, tiler(1)?)?,
        "ZippedProduct" => zipped_product(&any(0)?, tiler(1)?)?,
        "TiledProduct" => tiled_product(&any(0)?, tiler(1)?)?,
        "FlatProduct" => flat_product(&any(0)?, tiler(1)?)?,
        "BlockedProduct" => blocked_product(&any(0)?, &plain(1)?)?,
        "RakedProduct" => raked_product(&any(0)?, &plain(1)?)?,
        "TileToShape" => tile_to_shape(&any(0)?, &tuple(1)?)?,
        "Upcast" => upcast(&any(0)?, int(1)?)?,
        "ExactUpcast" => exact_upcast(&any(0)?, int(1)?)?,
        "Downcast" => downcast(&any(0)?, int(1)?)?,
        "Recast" => recast_layout(&any(0)?, int(1)?, int(2)?)?,
        "MaxCommonLayout" => max_common_layout(&plain(0)?, &plain(1)?)?.into(),
        "DomainDistribute" => domain_distribute(&tuple(0)?, int(1)?)?.into(),
        "Slice" => slice(&coord(1)?, &plain(0)?)?.into(),
        "Dice" => dice(&coord(1)?, &any(0)?)?,
        "SliceAndOffset" => slice_and_offset_any(&coord(1)?, &any(0)?)?.0,
        "Select" => {
            let modes: Vec<usize> = tuple(1)?
                .leaves()
                .into_iter()
                .map(|&i| i as usize)
                .collect();
            select(&any(0)?, &modes)?
        }
        "Take" => take(&any(0)?, mode(1)?, mode(2)?)?,
        "Group" => group(&any(0)?, mode(1)?, mode(2)?)?,
        "Append" => append(&any(0)?, &plain(1)?)?,
        "Prepend" => prepend(&any(0)?, &plain(1)?)?,
        "AppendTo" => append_to(&any(0)?, mode(1)?, optional(2)?.as_ref())?,
        "PrependTo" => prepend_to(&any(0)?, mode(1)?, optional(2)?.as_ref())?,
        "Replace" => replace(&any(0)?, mode(1)?, &plain(2)?)?,
        "Zip" => zip(&plain(0)?, &plain(1)?)?.into(),
        "ZipModes" => zip_modes(&any(0)?)?,
        "LayoutLeft" => make_layout_left(&tuple(0)?)?.into(),
        "LayoutRight" => make_layout_right(&tuple(0)?)?.into(),
        "Identity" => make_identity_layout(&tuple(0)?)?.into(),
        "MakeOrdered" => make_ordered_layout(&tuple(0)?, &tuple(1)?)?.into(),
        "MakeLike" => make_layout_like(&plain(0)?)?.into(),
        "MakeFragmentLike" => make_fragment_like(&plain(0)?)?.into(),
        other => panic!("no operation {other}"),
    };
    Ok(Gave::Layout(layout))
}
