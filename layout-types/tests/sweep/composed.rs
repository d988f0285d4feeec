//! Compares operations on composed layouts `Sw o offset o L` with plain functions.
//!
//! ```text
//! A(c) = Sw(offset + sum of c_i * d_i)          by arithmetic on integers, not by the crate
//! slice(c, A)(x) = A(c with x for its _)        right_inverse(A)(i) = j  ==>  A(j) = i        ...
//! ```
//!
//! Each operation that takes a composed layout returns that function at every coordinate, or is
//! refused. Most extents are not powers of two: with powers of two a sum seldom carries into the
//! bits that the swizzle reads.

use std::collections::BTreeMap;

use layout_types::dynamic::*;

use super::{Report, parallel};

/// `Sw o offset o shape:stride`, as the numbers from which the definitions compute.
#[derive(Clone, Debug)]
pub struct Function {
    swizzle: (u32, u32, i32),
    offset: i64,
    shape: Vec<i64>,
    stride: Vec<i64>,
}

impl Function {
    /// Applies `Swizzle<B,M,S>` to an offset: exclusive-ors bits `M..M+B` with the bits `|S|` above
    /// them. For `S > 0` the lower bits change, else the higher ones.
    fn swizzle(&self, at: i64) -> i64 {
        let (bits, base, shift) = self.swizzle;
        let run = ((1i64 << bits) - 1) << base;
        match shift {
            0.. => at ^ ((at & (run << shift)) >> shift),
            _ => at ^ ((at & run) << -shift),
        }
    }

    /// Returns the offset before the swizzle.
    fn linear(&self, coord: &[i64]) -> i64 {
        let steps = coord.iter().zip(&self.stride);
        self.offset + steps.map(|(at, stride)| at * stride).sum::<i64>()
    }

    fn at(&self, coord: &[i64]) -> i64 {
        self.swizzle(self.linear(coord))
    }

    /// Returns the coordinate of an index, column-major. The last mode continues past its end.
    fn coord(&self, mut index: i64) -> Vec<i64> {
        let last = self.shape.len() - 1;
        let mut coord = Vec::new();
        for extent in &self.shape[..last] {
            coord.push(index % extent);
            index /= extent;
        }
        coord.push(index);
        coord
    }

    fn index(&self, index: i64) -> i64 {
        self.at(&self.coord(index))
    }

    fn size(&self) -> i64 {
        self.shape.iter().product()
    }

    fn table(&self) -> Vec<i64> {
        (0..self.size()).map(|index| self.index(index)).collect()
    }

    fn injective(&self) -> bool {
        let mut all = self.table();
        all.sort_unstable();
        all.windows(2).all(|pair| pair[0] < pair[1])
    }

    fn domain(&self) -> DynLayout {
        plain(&self.shape, &self.stride)
    }

    /// Returns the same function as a layout of the crate.
    fn layout(&self) -> AnyLayout {
        let (bits, base, shift) = self.swizzle;
        let swizzle = Swizzle::new(bits, base, shift).unwrap();
        AnyLayout::Composed(Composed::new(swizzle, self.offset, self.domain().into()))
    }
}

/// Makes the layout `(shape):(stride)`.
fn plain(shape: &[i64], stride: &[i64]) -> DynLayout {
    let leaves = |values: &[i64]| Nested::Tuple(values.iter().copied().map(Nested::Leaf).collect());
    DynLayout::new(
        leaves(shape),
        leaves(stride).map(|stride| Stride::from(*stride)),
    )
    .unwrap()
}

/// Returns every coordinate of a shape.
fn coords(shape: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for extent in shape {
        all = (0..*extent)
            .flat_map(|at| {
                all.iter().map(move |coord: &Vec<i64>| {
                    let mut coord = coord.clone();
                    coord.push(at);
                    coord
                })
            })
            .collect();
    }
    all
}

/// Returns every valid swizzle of up to three bits, shifted by up to three, with base 0 to 4.
pub fn swizzles() -> Vec<(u32, u32, i32)> {
    let mut all = Vec::new();
    for bits in 0..=3u32 {
        for base in 0..=4 {
            for shift in -3i32..=3 {
                if shift.unsigned_abs() >= bits && (bits > 0 || shift == 3) {
                    all.push((bits, base, shift));
                }
            }
        }
    }
    all
}

/// Returns shapes and strides: compact in every order of the modes, padded, repeated by stride 0,
/// with either sign. Also returns tiles with rows that are not powers of two and that are larger
/// than a swizzle's period.
pub fn layouts(extents: &[i64]) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut all = Vec::new();
    let mut orders = |shape: &[i64]| {
        let rank = shape.len();
        let orders: &[&[usize]] = match rank {
            1 => &[&[0]],
            2 => &[&[0, 1], &[1, 0]],
            _ => &[
                &[0, 1, 2],
                &[0, 2, 1],
                &[1, 0, 2],
                &[1, 2, 0],
                &[2, 0, 1],
                &[2, 1, 0],
            ],
        };
        for (number, order) in orders.iter().enumerate() {
            // Compact; from stride 2, 3 or 4 on; with a gap after each mode.
            for (first, gap) in [
                (1, 0),
                (2 + number as i64 % 3, 0),
                (1, 1 + number as i64 % 4),
            ] {
                let (mut stride, mut next) = (vec![0; rank], first);
                for mode in *order {
                    stride[*mode] = next;
                    next = next * shape[*mode] + gap;
                }
                all.push((shape.to_vec(), stride.clone()));
                if number == 0 && gap == 0 {
                    stride[rank - 1] = 0;
                    all.push((shape.to_vec(), stride.clone()));
                    stride[rank - 1] = -next;
                    all.push((shape.to_vec(), stride));
                }
            }
        }
    };
    for a in extents {
        orders(&[*a]);
        for b in extents {
            orders(&[*a, *b]);
            for c in extents {
                orders(&[*a, *b, *c]);
            }
        }
    }
    for (rows, columns) in [
        (8, 24),
        (8, 40),
        (8, 48),
        (6, 56),
        (4, 96),
        (8, 32),
        (5, 64),
    ] {
        orders(&[rows, columns]);
    }
    all
}

/// The counts for each operation: tried, refused, wrong.
pub type Counts = BTreeMap<&'static str, [u64; 3]>;

/// The checks of one layout.
struct Check<'a> {
    f: &'a Function,
    a: AnyLayout,
    counts: &'a mut Counts,
    report: &'a mut Report,
}

impl Check<'_> {
    /// Counts a result or its refusal, and records a fault if the result is wrong.
    fn case<T: core::fmt::Debug>(
        &mut self,
        operation: &'static str,
        what: impl Fn() -> String,
        found: Result<T>,
        wrong: impl FnOnce(&T, &mut u64) -> Option<String>,
    ) {
        self.report.cases += 1;
        let count = self.counts.entry(operation).or_default();
        count[0] += 1;
        let Ok(found) = found else {
            self.report.refused += 1;
            count[1] += 1;
            return;
        };
        match wrong(&found, &mut self.report.points) {
            None => self.report.accepted += 1,
            Some(why) => {
                count[2] += 1;
                let a = &self.a;
                self.report
                    .disagree(|| format!("{operation} {} of {a} = {found:?}: {why}", what()));
            }
        }
    }

    /// Checks an operation whose result is a layout in which element `i` has the offset
    /// `expected(i)`.
    fn layout(
        &mut self,
        operation: &'static str,
        what: impl Fn() -> String,
        found: Result<AnyLayout>,
        expected: impl Fn(i64) -> Option<i64>,
    ) {
        let found = found.map(|layout| (layout.to_string(), layout));
        self.case(operation, what, found, |(_, layout), points| {
            let size = layout.size().ok()?;
            (0..size).find_map(|i| {
                let (found, expected) = (layout.offset(i).ok(), expected(i)?);
                *points += 1;
                (found != Some(expected))
                    .then(|| format!("element {i} is {found:?}, not {expected}"))
            })
        });
    }

    fn slices(&mut self) {
        let f = self.f;
        let rank = f.shape.len();
        for kept in 0..1usize << rank {
            let (mut fixed, mut open) = (Vec::new(), Vec::new());
            for mode in 0..rank {
                let list = if kept >> mode & 1 == 1 {
                    &mut open
                } else {
                    &mut fixed
                };
                list.push(mode);
            }
            let extents =
                |modes: &[usize]| -> Vec<i64> { modes.iter().map(|i| f.shape[*i]).collect() };
            let places = coords(&extents(&open));
            for at in coords(&extents(&fixed)) {
                let mut leaves = vec![Nested::Leaf(CoordLeaf::Underscore); rank];
                let mut full = vec![0; rank];
                for (mode, at) in fixed.iter().zip(&at) {
                    leaves[*mode] = Nested::Leaf(CoordLeaf::At(*at));
                    full[*mode] = *at;
                }
                let coord = Nested::Tuple(leaves);
                if full.iter().sum::<i64>() == 0 {
                    let found = dice(&coord, &self.a);
                    self.layout("dice", || coord.to_string(), found, picked(f, &fixed));
                }
                let found =
                    slice_and_offset_any(&coord, &self.a).map(|(l, o)| (l.to_string(), l, o));
                self.case(
                    "slice",
                    || coord.to_string(),
                    found,
                    |(_, layout, offset), points| {
                        let mut full = full.clone();
                        places.iter().enumerate().find_map(|(i, place)| {
                            for (mode, at) in open.iter().zip(place) {
                                full[*mode] = *at;
                            }
                            *points += 1;
                            let found = layout.offset(i as i64).ok().map(|found| found + offset);
                            let expected = f.at(&full);
                            (found != Some(expected))
                                .then(|| format!("element {i} is {found:?}, not {expected}"))
                        })
                    },
                );
            }
        }
    }

    fn modes(&mut self) {
        let (f, a) = (self.f, self.a.clone());
        let rank = f.shape.len();
        let same = |i| Some(f.index(i));
        let none = String::new;
        self.layout("coalesce", none, coalesce(&a), same);
        let profile = Nested::Tuple(vec![Nested::Leaf(1); rank]);
        self.layout("coalesce_by", none, coalesce_by(&a, &profile), same);
        self.layout("flatten", none, flatten(&a), same);
        for begin in 0..rank {
            for end in begin + 1..=rank {
                let what = || format!("{begin}..{end}");
                self.layout("group", what, group(&a, begin, end), same);
                let modes: Vec<usize> = (begin..end).collect();
                self.layout("take", what, take(&a, begin, end), picked(f, &modes));
            }
        }
        for first in 0..rank {
            for second in 0..rank {
                let modes = [first, second];
                let found = select(&a, &modes);
                self.layout("select", || format!("{modes:?}"), found, picked(f, &modes));
            }
        }
        let nonzero = |f: &Function| -> Vec<i64> {
            let pairs = f.shape.iter().zip(&f.stride);
            pairs.map(|(s, d)| if *d == 0 { 1 } else { *s }).collect()
        };
        let filtered = Function {
            shape: nonzero(f),
            ..f.clone()
        };
        self.layout("filter", none, filter(&a), |i| Some(filtered.index(i)));
        self.layout("filter_zeros", none, filter_zeros(&a), |i| {
            Some(filtered.index(i))
        });
        for mode in [(3, 5), (2, 0), (5, 7)] {
            let extra = plain(&[mode.0], &[mode.1]).mode(0).unwrap();
            let mut longer = f.clone();
            longer.shape.push(mode.0);
            longer.stride.push(mode.1);
            let what = || format!("{extra}");
            self.layout("append", what, append(&a, &extra), |i| {
                Some(longer.index(i))
            });
            longer.shape.rotate_right(1);
            longer.stride.rotate_right(1);
            self.layout("prepend", what, prepend(&a, &extra), |i| {
                Some(longer.index(i))
            });
            let mut other = f.clone();
            (other.shape[0], other.stride[0]) = mode;
            self.layout("replace", what, replace(&a, 0, &extra), |i| {
                Some(other.index(i))
            });
        }
    }

    fn compositions(&mut self) {
        let (f, a) = (self.f, self.a.clone());
        let size = f.size();
        let rights: [(&[i64], &[i64]); 8] = [
            (&[size], &[1]),
            (&[size / 2], &[2]),
            (&[3], &[f.shape[0]]),
            (&[2, 3], &[3, 1]),
            (&[3, 2], &[1, f.shape[0]]),
            (&[2, 2], &[f.shape[0], 1]),
            (&[size], &[3]),
            (&[5, 7], &[7, 1]),
        ];
        for (shape, stride) in rights {
            if shape[0] < 1 {
                continue;
            }
            let b = Function {
                swizzle: (0, 4, 3),
                offset: 0,
                shape: shape.to_vec(),
                stride: stride.to_vec(),
            };
            let right = b.domain();
            let expected = |i| Some(f.index(b.index(i)));
            let what = || format!("by {right}");
            self.layout("composition", what, composition(&a, &right), expected);
            let whole = AnyLayout::Plain(right.clone());
            self.layout(
                "composition_any",
                what,
                composition_any(&a, &whole),
                expected,
            );
            // A layout, plain and swizzled, that is applied after this one.
            let after = |i| {
                let at = f.index(i);
                (at >= 0).then(|| b.index(at))
            };
            let found = composition_any(&whole, &a);
            self.layout(
                "composition_any",
                || format!("of {right} with"),
                found,
                after,
            );
            let behind = Function {
                swizzle: (1, 1, 2),
                offset: 3,
                ..b.clone()
            };
            let after = |i| {
                let at = f.index(i);
                (at >= 0).then(|| behind.index(at))
            };
            let found = composition_any(&behind.layout(), &a);
            self.layout(
                "composition_any",
                || format!("of {} with", behind.layout()),
                found,
                after,
            );
        }
        for shape in [[2, 3], [f.shape[0], 1]] {
            let tuple = Nested::Tuple(shape.into_iter().map(Nested::Leaf).collect());
            let found = with_shape(&a, &tuple);
            self.layout(
                "with_shape",
                || tuple.to_string(),
                found,
                |i| Some(f.index(i)),
            );
        }
    }

    fn tilings(&mut self) {
        let (f, a) = (self.f, self.a.clone());
        let rank = f.shape.len();
        let all: Vec<Vec<i64>> = [2i64, 3, 4, 8, 16]
            .iter()
            .map(|tile| f.shape.iter().map(|extent| (*tile).min(*extent)).collect())
            .collect();
        for tiles in all {
            let tiler = Tiler::Tuple(tiles.iter().map(|tile| Tiler::Int(*tile)).collect());
            let rests: Vec<i64> = f
                .shape
                .iter()
                .zip(&tiles)
                .map(|(s, t)| (s + t - 1) / t)
                .collect();
            let what = || format!("by {tiler}");
            // The index order of `((tiles), (rests))`. If a tile extends past the layout, nothing
            // is compared.
            let zipped = |i: i64| {
                let mut rest = i;
                let mut digit = |extent: &i64| {
                    let digit = rest % extent;
                    rest /= extent;
                    digit
                };
                let inside: Vec<i64> = tiles.iter().map(&mut digit).collect();
                let which: Vec<i64> = rests.iter().map(&mut digit).collect();
                let coord: Vec<i64> = (0..rank).map(|m| inside[m] + tiles[m] * which[m]).collect();
                coord
                    .iter()
                    .zip(&f.shape)
                    .all(|(c, s)| c < s)
                    .then(|| f.at(&coord))
            };
            // In each mode, `(tile, rest)`.
            let logical = |i: i64| {
                let mut rest = i;
                let mut coord = Vec::new();
                for (tile, count) in tiles.iter().zip(&rests) {
                    coord.push(rest % tile + tile * (rest / tile % count));
                    rest /= tile * count;
                }
                coord
                    .iter()
                    .zip(&f.shape)
                    .all(|(c, s)| c < s)
                    .then(|| f.at(&coord))
            };
            self.layout("logical_divide", what, logical_divide(&a, &tiler), logical);
            self.layout(
                "exact_logical_divide",
                what,
                exact_logical_divide(&a, &tiler),
                logical,
            );
            self.layout("zipped_divide", what, zipped_divide(&a, &tiler), zipped);
            self.layout("tiled_divide", what, tiled_divide(&a, &tiler), zipped);
            self.layout("flat_divide", what, flat_divide(&a, &tiler), zipped);
            self.local_tiles(&tiles, &rests);
        }
        for tiler in [
            plain(&[2], &[1]),
            plain(&[2, 3], &[1, 2]),
            plain(&[3], &[2]),
        ] {
            let what = || format!("by {tiler}");
            // The block does not change, and the copies lie where those of the plain layout lie
            // before the swizzle.
            let by: [(&'static str, Result<AnyLayout>, Result<DynLayout>); 4] = [
                (
                    "logical_product",
                    logical_product(&a, &tiler),
                    logical_product(&f.domain(), &tiler),
                ),
                (
                    "zipped_product",
                    zipped_product(&a, &tiler),
                    zipped_product(&f.domain(), &tiler),
                ),
                (
                    "blocked_product",
                    blocked_product(&a, &tiler),
                    blocked_product(&f.domain(), &tiler),
                ),
                (
                    "raked_product",
                    raked_product(&a, &tiler),
                    raked_product(&f.domain(), &tiler),
                ),
            ];
            for (name, found, of_domain) in by {
                let expected =
                    |i| Some(f.swizzle(f.offset + of_domain.as_ref().ok()?.offset(i).ok()?));
                self.layout(name, what, found, expected);
            }
            let found = logical_product(&a, &tiler);
            self.layout("logical_product, block", what, found, |i| {
                (i < f.size()).then(|| f.index(i))
            });
        }
        for factor in [1, 2, 3] {
            let shape = Nested::Tuple(f.shape.iter().map(|s| Nested::Leaf(s * factor)).collect());
            let block = |i: i64| {
                let mut rest = i;
                let mut coord = Vec::new();
                for extent in &f.shape {
                    coord.push(rest % (extent * factor));
                    rest /= extent * factor;
                }
                coord
                    .iter()
                    .zip(&f.shape)
                    .all(|(c, s)| c < s)
                    .then(|| f.at(&coord))
            };
            self.layout(
                "tile_to_shape",
                || shape.to_string(),
                tile_to_shape(&a, &shape),
                block,
            );
        }
    }

    /// Checks each single tile, which is a slice of the zipped divide.
    fn local_tiles(&mut self, tiles: &[i64], rests: &[i64]) {
        let (f, a) = (self.f, self.a.clone());
        let tiler = Tiler::Tuple(tiles.iter().map(|tile| Tiler::Int(*tile)).collect());
        let Ok(divided) = zipped_divide(&a, &tiler) else {
            return;
        };
        for which in coords(rests) {
            let open = Nested::Tuple(vec![Nested::Leaf(CoordLeaf::Underscore); tiles.len()]);
            let fixed = which
                .iter()
                .map(|at| Nested::Leaf(CoordLeaf::At(*at)))
                .collect();
            let coord = Nested::Tuple(vec![open, Nested::Tuple(fixed)]);
            let found = slice_and_offset_any(&coord, &divided).map(|(l, o)| (l.to_string(), l, o));
            let what = || format!("by {tiler} at {coord}");
            self.case("local_tile", what, found, |(_, layout, offset), points| {
                coords(tiles).iter().enumerate().find_map(|(i, inside)| {
                    let coord: Vec<i64> = (0..tiles.len())
                        .map(|m| inside[m] + tiles[m] * which[m])
                        .collect();
                    if coord.iter().zip(&f.shape).any(|(c, s)| c >= s) {
                        return None;
                    }
                    *points += 1;
                    let found = layout.offset(i as i64).ok().map(|found| found + offset);
                    let expected = f.at(&coord);
                    (found != Some(expected))
                        .then(|| format!("element {i} is {found:?}, not {expected}"))
                })
            });
        }
    }

    fn casts(&mut self) {
        let (f, a) = (self.f, self.a.clone());
        for n in [2i64, 3, 4, 8, 16] {
            let what = || format!("by {n}");
            // Element `c` counts in units: its first element is at `c` times the number of elements
            // of a unit in each mode.
            let per: Vec<i64> = f
                .stride
                .iter()
                .map(|d| {
                    if *d != 0 && n % d == 0 {
                        n / d.abs()
                    } else {
                        1
                    }
                })
                .collect();
            let shape: Vec<i64> = f
                .shape
                .iter()
                .zip(&per)
                .map(|(s, p)| (s + p - 1) / p)
                .collect();
            let units = Function { shape, ..f.clone() };
            let first = |i: i64| -> Vec<i64> {
                units
                    .coord(i)
                    .iter()
                    .zip(&per)
                    .map(|(c, p)| c * p)
                    .collect()
            };
            let raised = |i| {
                let coord = first(i);
                // If offsets within a unit add up (two modes inside one unit, or the remainder of
                // the offset), nothing is compared.
                let whole = f.linear(&coord).rem_euclid(n) == 0;
                whole.then(|| f.at(&coord).div_euclid(n))
            };
            self.layout("upcast", what, upcast(&a, n), raised);
            self.layout("exact_upcast", what, exact_upcast(&a, n), raised);
            let found = upcast(&a, n);
            self.case(
                "upcast, units",
                what,
                found.map(|l| l.to_string()),
                |_, points| {
                    (0..units.size()).find_map(|i| {
                        let start = first(i);
                        if f.linear(&start).rem_euclid(n) != 0 {
                            return None;
                        }
                        (0..f.shape.len()).find_map(|mode| {
                            (0..per[mode]).find_map(|k| {
                                let mut coord = start.clone();
                                coord[mode] += k;
                                if coord[mode] >= f.shape[mode] || f.stride[mode] < 0 {
                                    return None;
                                }
                                *points += 1;
                                let parted =
                                    f.at(&coord).div_euclid(n) != f.at(&start).div_euclid(n);
                                parted.then(|| {
                                    format!("{coord:?} and {start:?} are one unit, and part")
                                })
                            })
                        })
                    })
                },
            );
            // For a mode of stride -1, the plain layout's rule already decides.
            let unit = f
                .stride
                .iter()
                .position(|d| *d == 1)
                .filter(|_| !f.stride.contains(&-1));
            let lowered = |i: i64| {
                let unit = unit?;
                let mut rest = i;
                let (mut coord, mut part) = (Vec::new(), 0);
                for (mode, extent) in f.shape.iter().enumerate() {
                    let scale = if f.stride[mode] == 1 { n } else { 1 };
                    let at = rest % (extent * scale);
                    rest /= extent * scale;
                    coord.push(at / scale);
                    if mode == unit {
                        part = at % scale;
                    } else if at % scale != 0 {
                        return None;
                    }
                }
                Some(f.at(&coord) * n + part)
            };
            self.layout("downcast", what, downcast(&a, n), lowered);
            self.layout("recast", what, recast_layout(&a, 16, 16 * n), raised);
            self.layout("recast", what, recast_layout(&a, 16 * n, 16), lowered);
        }
    }

    fn inverses(&mut self) {
        let (f, a) = (self.f, self.a.clone());
        let none = String::new;
        let inverse = |found: Result<AnyLayout>| found.map(|layout| (layout.to_string(), layout));
        let size = f.size();
        self.case(
            "right_inverse",
            none,
            inverse(right_inverse_any(&a)),
            |(_, r), points| {
                (0..r.size().ok()?).find_map(|i| {
                    *points += 1;
                    let at = r.offset(i).ok()?;
                    if !(0..size).contains(&at) {
                        return Some(format!("R({i}) = {at} is no index"));
                    }
                    (f.index(at) != i).then(|| format!("R({i}) = {at}, A({at}) = {}", f.index(at)))
                })
            },
        );
        let injective = f.injective();
        self.case(
            "left_inverse",
            none,
            inverse(left_inverse_any(&a)),
            |(_, l), points| {
                (0..size).find_map(|i| {
                    *points += 1;
                    let offset = f.index(i);
                    let back = l.offset(offset).ok()?;
                    let right =
                        back == i || !injective && (back >= size || f.index(back) == offset);
                    (!right).then(|| format!("A({i}) = {offset}, L({offset}) = {back}"))
                })
            },
        );
    }

    fn vectors(&mut self) {
        let (f, a) = (self.f, self.a.clone());
        let mut others = vec![
            Function {
                swizzle: (0, 4, 3),
                offset: 0,
                ..f.clone()
            },
            Function {
                offset: f.offset + 8,
                ..f.clone()
            },
            Function {
                swizzle: (1, 2, 2),
                ..f.clone()
            },
            f.clone(),
        ];
        others[0].stride.iter_mut().for_each(|d| *d *= 2);
        others.push(Function {
            swizzle: (0, 4, 3),
            offset: 0,
            ..f.clone()
        });
        for other in &others {
            let b = if other.swizzle.0 == 0 {
                other.domain().into()
            } else {
                other.layout()
            };
            let what = || format!("with {b}");
            let found = max_common_layout_any(&a, &b);
            let found =
                found.and_then(|run| Ok((run.to_string(), max_common_vector_any(&a, &b)?, run)));
            // The run consists of the indices whose elements are consecutive in both layouts.
            self.case(
                "max_common_vector",
                what,
                found,
                |(_, vector, run), points| {
                    if run.size() != Ok(*vector) {
                        return Some(format!(
                            "the run has {:?} elements, the vector {vector}",
                            run.size()
                        ));
                    }
                    (0..*vector).find_map(|i| {
                        *points += 1;
                        let at = run.offset(i).ok()?;
                        let wrong = at >= f.size()
                            || f.index(at) != f.index(0) + i
                            || other.index(at) != other.index(0) + i;
                        wrong.then(|| format!("element {i} of the run is index {at}"))
                    })
                },
            );
        }
        let mut image = f.table();
        image.sort_unstable();
        image.dedup();
        self.case(
            "max_alignment",
            String::new,
            max_alignment_any(&a),
            |n, points| {
                image.iter().find_map(|offset| {
                    *points += 1;
                    let first = offset - offset.rem_euclid(*n);
                    let whole = (first..first + n).all(|at| image.binary_search(&at).is_ok());
                    (!whole).then(|| format!("the vector of {n} at {first} is not in it whole"))
                })
            },
        );
        let compact = image.len() as i64 == f.size()
            && image.iter().enumerate().all(|(i, at)| i as i64 == *at);
        self.case("is_compact", String::new, is_compact(&a), |found, _| {
            (*found != compact).then(|| format!("it is {compact}"))
        });
        let injective = f.injective();
        self.case("is_injective", String::new, is_injective(&a), |found, _| {
            (*found != injective).then(|| format!("it is {injective}"))
        });
    }
}

/// Returns the function restricted to the modes `modes`, with all other modes at 0.
fn picked<'a>(f: &'a Function, modes: &'a [usize]) -> impl Fn(i64) -> Option<i64> + 'a {
    move |i| {
        let (mut rest, mut linear) = (i, f.offset);
        for mode in modes {
            linear += rest % f.shape[*mode] * f.stride[*mode];
            rest /= f.shape[*mode];
        }
        Some(f.swizzle(linear))
    }
}

/// Checks every operation on every `every`-th composed layout with modes of these extents.
pub fn composed(extents: &[i64], every: usize) -> (Report, Counts) {
    let (swizzles, layouts) = (swizzles(), layouts(extents));
    let offsets = [0i64, 8, 5, 48];
    let all: Vec<usize> = (0..swizzles.len() * layouts.len() * offsets.len())
        .step_by(every)
        .collect();
    println!("{} composed layouts", all.len());
    let counts = std::sync::Mutex::new(Counts::new());
    let blocks: Vec<&[usize]> = all.chunks(16).collect();
    let report = parallel(&blocks, |block, report| {
        let mut own = Counts::new();
        for case in *block {
            let (case, offset) = (case / offsets.len(), offsets[case % offsets.len()]);
            let (swizzle, layout) = (swizzles[case % swizzles.len()], case / swizzles.len());
            let (shape, stride) = layouts[layout].clone();
            let f = Function {
                swizzle,
                offset,
                shape,
                stride,
            };
            let mut check = Check {
                a: f.layout(),
                f: &f,
                counts: &mut own,
                report,
            };
            check.slices();
            check.modes();
            check.compositions();
            check.tilings();
            check.casts();
            check.inverses();
            check.vectors();
        }
        let mut all = counts.lock().unwrap();
        for (operation, [tried, refused, wrong]) in own {
            let count = all.entry(operation).or_default();
            count[0] += tried;
            count[1] += refused;
            count[2] += wrong;
        }
    });
    (report, counts.into_inner().unwrap())
}
