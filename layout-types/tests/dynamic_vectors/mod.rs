//! Runs a vector of the golden files through the mirror.

use std::fmt::Display;

use layout_types::dynamic::*;
use serde_json::Value;

/// The largest number of elements of a table in the vectors.
const LONGEST_TABLE: i64 = 2048;

/// The result of an operation, as CuTe prints it, and its table.
pub struct Outcome {
    pub printed: String,
    pub table: Option<Vec<String>>,
    pub size: Option<i64>,
    pub cosize: Option<String>,
    /// Other values that the vector may state, by key.
    pub more: Vec<(&'static str, String)>,
}

type Run = Result<Outcome, String>;

fn fail(error: impl Display) -> String {
    error.to_string()
}

impl Outcome {
    fn value(value: impl Display) -> Self {
        Self {
            printed: value.to_string(),
            table: None,
            size: None,
            cosize: None,
            more: Vec::new(),
        }
    }

    fn layout(layout: &DynLayout) -> Run {
        let size = layout.size().map_err(fail)?;
        let shown = size.min(LONGEST_TABLE);
        let table = (0..shown)
            .map(|i| layout.eval(i).map(|offset| offset.to_string()))
            .collect::<Result<_>>();
        Ok(Self {
            printed: layout.to_string(),
            table: Some(table.map_err(fail)?),
            size: Some(size),
            cosize: Some(layout.coshape().map_err(fail)?.to_string()),
            more: Vec::new(),
        })
    }

    fn any(layout: &AnyLayout) -> Run {
        match layout {
            AnyLayout::Plain(plain) => Self::layout(plain),
            AnyLayout::Composed(_) => {
                let table = layout.table().map_err(fail)?;
                Ok(Self {
                    printed: layout.to_string(),
                    table: Some(table.iter().map(i64::to_string).collect()),
                    size: Some(layout.size().map_err(fail)?),
                    cosize: None,
                    more: Vec::new(),
                })
            }
        }
    }

    fn with(mut self, key: &'static str, value: impl Display) -> Self {
        self.more.push((key, value.to_string()));
        self
    }
}

/// Converts a tuple of the golden files to notation. The files hold a tuple as a string, a number,
/// or a list if it contains `_` or layouts.
pub fn notation(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(modes) => format!(
            "({})",
            modes.iter().map(notation).collect::<Vec<_>>().join(",")
        ),
        other => other.to_string(),
    }
}

pub struct Vector<'a> {
    pub op: &'a str,
    pub input: &'a Value,
}

impl Vector<'_> {
    fn text(&self, key: &str) -> String {
        // The file of doubtful cases holds lists as text.
        notation(&self.input[key])
            .replace('[', "(")
            .replace(']', ")")
    }

    fn read<T: std::str::FromStr<Err = ParseError>>(&self, key: &str) -> Result<T, String> {
        self.text(key).parse().map_err(fail)
    }

    fn layout(&self, key: &str) -> Result<DynLayout, String> {
        self.read(key)
    }

    fn any(&self, key: &str) -> Result<AnyLayout, String> {
        self.read(key)
    }

    fn int(&self, key: &str) -> Result<i64, String> {
        self.text(key).parse().map_err(fail)
    }

    fn usize(&self, key: &str) -> Result<usize, String> {
        self.text(key).parse().map_err(fail)
    }

    /// Returns the layout `a` with the swizzle `sw` after it.
    fn swizzled(&self) -> Result<AnyLayout, String> {
        Ok(swizzled(self.read("sw")?, self.layout("a")?))
    }

    /// Runs the operation. `Err` is the refusal.
    pub fn run(&self) -> Run {
        let plain = |result: layout_types::dynamic::Result<DynLayout>| {
            Outcome::layout(&result.map_err(fail)?)
        };
        let any =
            |result: layout_types::dynamic::Result<AnyLayout>| Outcome::any(&result.map_err(fail)?);
        let a = || self.layout("a");
        let tiler = || {
            self.read::<Tiler>(if self.input.get("tiler").is_some() {
                "tiler"
            } else {
                "b"
            })
        };
        let optional = |key: &str| {
            self.input
                .get(key)
                .is_some()
                .then(|| self.layout(key))
                .transpose()
        };
        match self.op {
            "append" => plain(append(&a()?, &self.layout("x")?)),
            "append_n" | "append_n_x" => {
                plain(append_to(&a()?, self.usize("n")?, optional("x")?.as_ref()))
            }
            "prepend" => plain(prepend(&a()?, &self.layout("x")?)),
            "prepend_n" | "prepend_n_x" => {
                plain(prepend_to(&a()?, self.usize("n")?, optional("x")?.as_ref()))
            }
            "blocked_product" => plain(blocked_product(&a()?, &self.layout("b")?)),
            "raked_product" => plain(raked_product(&a()?, &self.layout("b")?)),
            "ceil_div_layout" => {
                let rest =
                    ceil_div_layout(&self.read("m")?, &self.layout("tiler")?).map_err(fail)?;
                Ok(Outcome::value(rest))
            }
            "coalesce" => plain(coalesce(&a()?)),
            "coalesce_by_profile" => plain(coalesce_by(&a()?, &self.read("profile")?)),
            "complement" if self.input.get("m").is_some() => {
                plain(complement(&a()?, self.read::<IntTuple>("m")?))
            }
            "complement" => plain(complement_in_cosize(&a()?)),
            "composition" => any(composition_any(&self.any("a")?, &self.any("b")?)),
            "composition_tiler" => plain(composition(&a()?, tiler()?)),
            "composition_swizzle" => Outcome::any(&self.swizzled()?),
            "crd2idx" => Ok(Outcome::value(
                crd2idx(&self.read("coord")?, &a()?).map_err(fail)?,
            )),
            "dice" => plain(dice(&self.read("coord")?, &a()?)),
            "domain_distribute" => plain(domain_distribute(&self.read("shape")?, self.int("b")?)),
            "downcast" => plain(downcast(&a()?, self.int("n")?)),
            "upcast" => plain(upcast(&a()?, self.int("n")?)),
            "recast_layout" => plain(recast_layout(
                &a()?,
                self.int("old_bits")?,
                self.int("new_bits")?,
            )),
            "filter" => plain(filter(&a()?)),
            "filter_zeros" => plain(filter_zeros(&a()?)),
            "flatten" => plain(flatten(&a()?)),
            "get_hier_coord" => {
                let (layout, at) = (a()?, self.int("idx")?);
                Ok(Outcome::value(get_hier_coord(&layout, at).map_err(fail)?)
                    .with("flat", get_flat_coord(&layout, at).map_err(fail)?)
                    .with("oned", get_1d_coord(&layout, at).map_err(fail)?))
            }
            "idx2crd" => Ok(Outcome::value(
                idx2crd(self.int("idx")?, &self.read("shape")?).map_err(fail)?,
            )),
            "group" => plain(group(&a()?, self.usize("b")?, self.usize("e")?)),
            "take" => plain(take(&a()?, self.usize("b")?, self.usize("e")?)),
            "select" => {
                let modes: IntTuple = self.read("modes")?;
                let modes: Vec<usize> = modes
                    .leaves()
                    .into_iter()
                    .map(|mode| *mode as usize)
                    .collect();
                plain(select(&a()?, &modes))
            }
            "replace" => plain(replace(&a()?, self.usize("i")?, &self.layout("x")?)),
            "layout" => {
                let layout = self.any("a")?;
                let mut outcome = Outcome::any(&layout)?;
                if let AnyLayout::Plain(plain) = &layout {
                    outcome = outcome
                        .with("rank", plain.rank())
                        .with("depth", plain.depth())
                        .with("coshape", plain.coshape().map_err(fail)?);
                }
                Ok(outcome)
            }
            "left_inverse" => any(left_inverse_any(&self.any("a")?)),
            "right_inverse" => any(right_inverse_any(&self.any("a")?)),
            "logical_divide" | "logical_divide_tiler" => plain(logical_divide(&a()?, tiler()?)),
            "zipped_divide" | "zipped_divide_tiler" => plain(zipped_divide(&a()?, tiler()?)),
            "tiled_divide" | "tiled_divide_tiler" => plain(tiled_divide(&a()?, tiler()?)),
            "flat_divide" | "flat_divide_tiler" => plain(flat_divide(&a()?, tiler()?)),
            "zipped_divide_identity" => plain(zipped_divide(
                &make_identity_layout(&self.read("shape")?).map_err(fail)?,
                tiler()?,
            )),
            "logical_product" | "logical_product_tiler" => plain(logical_product(&a()?, tiler()?)),
            "zipped_product" | "zipped_product_tiler" => plain(zipped_product(&a()?, tiler()?)),
            "tiled_product" | "tiled_product_tiler" => plain(tiled_product(&a()?, tiler()?)),
            "flat_product" | "flat_product_tiler" => plain(flat_product(&a()?, tiler()?)),
            "make_fragment_like" => plain(make_fragment_like(&a()?)),
            "make_layout_like" => plain(make_layout_like(&a()?)),
            "make_identity_layout" => plain(make_identity_layout(&self.read("shape")?)),
            "make_layout_left" => plain(make_layout_left(&self.read("shape")?)),
            "make_layout_right" => plain(make_layout_right(&self.read("shape")?)),
            "make_ordered_layout" => plain(make_ordered_layout(
                &self.read("shape")?,
                &self.read("order")?,
            )),
            "max_alignment" => Ok(Outcome::value(max_alignment(&a()?).map_err(fail)?)),
            "max_common_layout" => plain(max_common_layout(&a()?, &self.layout("b")?)),
            "max_common_vector" => Ok(Outcome::value(
                max_common_vector(&a()?, &self.layout("b")?).map_err(fail)?,
            )),
            "nullspace" => plain(nullspace(&a()?)),
            "predicates" => {
                let (a, b): (IntTuple, IntTuple) = (self.read("a")?, self.read("b")?);
                Ok(Outcome::value(a.product().map_err(fail)?)
                    .with("congruent", congruent(&a, &b))
                    .with("weakly_congruent", weakly_congruent(&a, &b))
                    .with("compatible", compatible(&a, &b)))
            }
            "slice" | "slice_and_offset" => {
                let (sliced, offset) =
                    slice_and_offset_any(&self.read("coord")?, &self.any("a")?).map_err(fail)?;
                Ok(Outcome::any(&sliced)?.with("offset", offset))
            }
            "swizzle" if self.input.get("sw").is_some() => {
                let swizzle: Swizzle = self.read("sw")?;
                let mut outcome = Outcome::value(swizzle)
                    .with("yyy_msk", swizzle.yyy_mask())
                    .with("zzz_msk", swizzle.zzz_mask());
                outcome.table = Some(
                    (0..2048)
                        .map(|offset| swizzle.apply(offset).to_string())
                        .collect(),
                );
                Ok(outcome)
            }
            "swizzled_composition" => any(composition(&self.swizzled()?, tiler()?)),
            "swizzled_downcast" => any(downcast(&self.swizzled()?, self.int("n")?)),
            "swizzled_upcast" => any(upcast(&self.swizzled()?, self.int("n")?)),
            "swizzled_tile_to_shape" => any(tile_to_shape(&self.swizzled()?, &self.read("shape")?)),
            "swizzled_zipped_divide" => any(zipped_divide(&self.swizzled()?, tiler()?)),
            "tile_to_shape" => {
                let shape: IntTuple = self.read("shape")?;
                match self.input.get("order") {
                    None => plain(tile_to_shape(&a()?, &shape)),
                    Some(_) => plain(tile_to_shape_by(&a()?, &shape, &self.read("order")?)),
                }
            }
            "with_shape" => plain(with_shape(&a()?, &self.read("shape")?)),
            "zip" => plain(zip(&a()?, &self.layout("b")?)),
            "zip1" => plain(zip_modes(&a()?)),
            other => panic!("no runner for operation {other}"),
        }
    }
}
