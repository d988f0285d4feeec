//! Evaluates the tree of an expression.
//!
//! ```text
//! Compose [Sw<2,3,3>, 0, L]      from the right: Sw<2,3,3> o 0 o L, a swizzle, an offset and a layout
//! Postfix (name, [Call ..])      an operation of `functions`, or a layout at a coordinate
//! Postfix (x, [Field f, Call])   f(x, ..), or a part of x
//! ```
//!
//! Law: an operation's value is what `layout_types::dynamic` or `tiled` returns for its operands;
//! this module computes nothing itself. The evaluator checks the time limit before each operation.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use layout_types::dynamic::{
    AnyLayout, Composed, CoordLeaf, DynLayout, Nested, Stride, Swizzle, slice_and_offset,
    slice_and_offset_any,
};

use crate::atoms::{CopyOperation, Element, MmaAtom};
use crate::error::{Error, ErrorKind, Result};
use crate::fields;
use crate::functions::{self, Argument, Call};
use crate::limits::{MAX_DEPTH, MAX_LEAVES, MAX_TIME, is_small};
use crate::names;
use crate::syntax::{Expr, Kind, Suffix};
use crate::value::{Slice, Value};

type Names = BTreeMap<String, Value>;

/// One operation that the expression requested.
#[derive(Clone, Debug)]
pub(crate) struct Application {
    pub operation: String,
    pub operands: Vec<Value>,
    pub span: Range<usize>,
    pub outcome: Result<Value>,
}

/// The state of an evaluation.
pub(crate) struct Evaluator {
    deadline: Instant,
    record: Option<Vec<Application>>,
}

impl Evaluator {
    pub fn new() -> Self {
        Self {
            deadline: Instant::now() + MAX_TIME,
            record: None,
        }
    }

    /// Returns an evaluator that records every operation.
    pub fn recording() -> Self {
        Self {
            record: Some(Vec::new()),
            ..Self::new()
        }
    }

    /// Returns the recorded operations in the order in which they were done.
    pub fn recorded(self) -> Vec<Application> {
        self.record.unwrap_or_default()
    }

    /// Evaluates an expression and checks the size of its value.
    pub fn expression(&mut self, expr: &Expr, names: &Names) -> Result<Value> {
        let value = self.value(expr, names)?;
        check_size(&value, &expr.span)?;
        Ok(value)
    }

    fn value(&mut self, expr: &Expr, names: &Names) -> Result<Value> {
        match &expr.kind {
            Kind::Integer(value) => Ok(Value::Integer(*value)),
            Kind::Basis(value, path) => {
                let path: Vec<usize> = path.iter().rev().map(|mode| *mode as usize).collect();
                Ok(Value::Basis(Stride::new(*value, &path)))
            }
            Kind::Underscore => Ok(Value::Underscore),
            Kind::Tuple { modes, comma } => self.tuple(modes, *comma, names),
            Kind::Layout(shape, stride) => self.layout(shape, stride, &expr.span, names),
            Kind::Compose(operands) => self.compose(operands, names),
            Kind::Name { name, template } => {
                self.name(name, template.as_deref(), &expr.span, names)
            }
            Kind::Postfix(base, suffixes) => self.postfix(base, suffixes, names),
        }
    }

    fn all(&mut self, expressions: &[Expr], names: &Names) -> Result<Vec<Argument>> {
        expressions
            .iter()
            .map(|expr| {
                Ok(Argument {
                    value: self.expression(expr, names)?,
                    span: expr.span.clone(),
                })
            })
            .collect()
    }

    /// Evaluates the contents of parentheses. Parentheses around a single number, `_` or tuple make
    /// a tuple of one element; around any other single value, they only group.
    fn tuple(&mut self, modes: &[Expr], comma: bool, names: &Names) -> Result<Value> {
        let mut values = Vec::with_capacity(modes.len());
        for mode in modes {
            values.push(self.expression(mode, names)?);
        }
        match (&values[..], comma) {
            (
                [Value::Integer(_) | Value::Underscore | Value::Basis(_) | Value::Tuple(_)],
                false,
            ) => Ok(Value::Tuple(values)),
            ([_], false) => Ok(values.remove(0)),
            _ => Ok(Value::Tuple(values)),
        }
    }

    fn layout(
        &mut self,
        shape: &Expr,
        stride: &Expr,
        span: &Range<usize>,
        names: &Names,
    ) -> Result<Value> {
        let shapes = self.expression(shape, names)?;
        let strides = self.expression(stride, names)?;
        let (Some(extents), Some(steps)) = (shapes.int_tuple(), strides.stride()) else {
            let (at, value, wanted) = match shapes.int_tuple() {
                None => (shape, &shapes, "a shape is a number or a tuple of numbers"),
                Some(_) => (
                    stride,
                    &strides,
                    "a stride is a number or a tuple of numbers",
                ),
            };
            return Err(Error::operand(
                format!("{wanted}, not {}", value.kind()),
                at.span.clone(),
            ));
        };
        if extents == Nested::Tuple(Vec::new()) && steps == Nested::Tuple(Vec::new()) {
            let empty: DynLayout = "():()".parse().expect("CuTe's notation");
            return Ok(empty.into());
        }
        DynLayout::new(extents, steps)
            .map(Value::from)
            .map_err(|error| Error::refused(error, span.clone()))
    }

    /// Evaluates `a o b o c` as `a o (b o c)`; a number after a swizzle is the offset of a composed
    /// layout.
    fn compose(&mut self, operands: &[Expr], names: &Names) -> Result<Value> {
        let mut values = self.all(operands, names)?;
        let mut right = values.pop().expect("two operands at least");
        while let Some(left) = values.pop() {
            let span = left.span.start..right.span.end;
            let value = match (&left.value, values.last()) {
                (
                    Value::Integer(offset),
                    Some(Argument {
                        value: Value::Swizzle(swizzle),
                        ..
                    }),
                ) => {
                    let swizzle = *swizzle;
                    let inner = layout_behind(&right)?;
                    let before = values.pop().expect("it was there");
                    right = Argument {
                        value: AnyLayout::Composed(Composed::new(swizzle, *offset, inner)).into(),
                        span: before.span.start..right.span.end,
                    };
                    check_size(&right.value, &right.span)?;
                    continue;
                }
                (Value::Integer(_), _) => {
                    return Err(Error::operand(
                        "a number before `o` is an offset, and stands behind a swizzle: Sw<2,3,3> o 0 o L",
                        left.span,
                    ));
                }
                _ => self.apply("composition", vec![left, right], span.clone(), span.clone())?,
            };
            right = Argument { value, span };
        }
        Ok(right.value)
    }

    fn name(
        &mut self,
        name: &str,
        template: Option<&[Expr]>,
        span: &Range<usize>,
        names: &Names,
    ) -> Result<Value> {
        if let (Some(value), None) = (names.get(name), template) {
            return Ok(value.clone());
        }
        if let Some(template) = template {
            let arguments = self.all(template, names)?;
            return self.apply(name, arguments, span.clone(), span.clone());
        }
        if let Some(value) = constant(name) {
            return Ok(value);
        }
        if let Some(function) = functions::named(name) {
            return Err(Error::operand(
                format!(
                    "`{}` is an operation and needs its operands",
                    function.name()
                ),
                span.clone(),
            )
            .with_help(function.signature));
        }
        if CopyOperation::needs_width(name) {
            return Err(Error::operand(
                format!("`{name}` needs its width: {name}<u128>"),
                span.clone(),
            ));
        }
        Err(names::unknown(name, span.clone(), names.keys()))
    }

    fn postfix(&mut self, base: &Expr, suffixes: &[Suffix], names: &Names) -> Result<Value> {
        let mut rest = suffixes;
        let mut end = base.span.end;
        let called = match (&base.kind, suffixes) {
            (Kind::Name { name, template }, [Suffix::Call { arguments, span }, ..])
                // A swizzle with its template arguments is a value, and can be called with an
                // offset.
                if !names.contains_key(name)
                    && constant(name).is_none()
                    && !(template.is_some() && matches!(name.as_str(), "Sw" | "Swizzle")) =>
            {
                let mut operands = self.all(arguments, names)?;
                operands.extend(self.all(template.as_deref().unwrap_or_default(), names)?);
                rest = &suffixes[1..];
                end = span.end;
                Some(self.apply(name, operands, base.span.clone(), base.span.start..span.end)?)
            }
            _ => None,
        };
        let mut value = match called {
            Some(value) => value,
            None => self.expression(base, names)?,
        };
        while let Some((suffix, behind)) = rest.split_first() {
            let so_far = base.span.start..end;
            rest = behind;
            value = match suffix {
                Suffix::Call { arguments, span } => {
                    let operands = self.all(arguments, names)?;
                    end = span.end;
                    at(&value, &operands, &(base.span.start..end))?
                }
                Suffix::Field {
                    name,
                    template,
                    span,
                } => {
                    end = span.end;
                    if let (Some(field), None) =
                        (fields::of(&value, name, &(base.span.start..end))?, template)
                    {
                        field
                    } else if functions::named(name).is_some() {
                        let mut operands = vec![Argument {
                            value,
                            span: so_far,
                        }];
                        if let Some((Suffix::Call { arguments, span }, behind)) = rest.split_first()
                        {
                            operands.extend(self.all(arguments, names)?);
                            end = span.end;
                            rest = behind;
                        }
                        operands.extend(self.all(template.as_deref().unwrap_or_default(), names)?);
                        self.apply(name, operands, span.clone(), base.span.start..end)?
                    } else {
                        return Err(names::no_field(&value, name, span.clone()));
                    }
                }
            };
            check_size(&value, &(base.span.start..end))?;
        }
        Ok(value)
    }

    /// Applies an operation.
    fn apply(
        &mut self,
        name: &str,
        operands: Vec<Argument>,
        name_span: Range<usize>,
        span: Range<usize>,
    ) -> Result<Value> {
        if Instant::now() > self.deadline {
            return Err(Error::too_large(
                format!(
                    "the evaluation takes longer than {} s",
                    MAX_TIME.as_secs_f32()
                ),
                span,
            ));
        }
        let Some(function) = functions::named(name) else {
            return Err(match operands.is_empty() {
                _ if constant(name).is_some() => Error::operand(
                    format!("`{name}` takes no operands between `<` and `>`"),
                    name_span,
                ),
                _ => names::unknown(name, name_span, std::iter::empty::<&String>()),
            });
        };
        let call = Call::new(function, operands, span.clone());
        let outcome = call.run().and_then(|value| {
            check_size(&value, &span)?;
            Ok(value)
        });
        if let Some(record) = &mut self.record {
            record.push(Application {
                operation: function.name().to_string(),
                operands: call.into_values(),
                span,
                outcome: outcome.clone(),
            });
        }
        outcome
    }
}

/// Returns the value of a name that stands for a value without operands, or `None` for any other
/// name.
fn constant(name: &str) -> Option<Value> {
    use crate::banks::WarpAccess;
    use crate::hopper::Major;
    match name {
        "ldmatrix" | "stmatrix" => return Some(Value::Access(WarpAccess::Matrix)),
        "MajorK" => return Some(Value::Major(Major::K)),
        "MajorMN" => return Some(Value::Major(Major::MN)),
        "true" => return Some(Value::Boolean(true)),
        "false" => return Some(Value::Boolean(false)),
        _ => {}
    }
    Element::named(name)
        .map(Value::Element)
        .or_else(|| MmaAtom::named(name).map(Value::MmaAtom))
        .or_else(|| CopyOperation::named(name).map(Value::CopyOperation))
}

fn layout_behind(argument: &Argument) -> Result<AnyLayout> {
    argument.value.layout().ok_or_else(|| {
        Error::operand(
            format!("a layout is expected, not {}", argument.value.kind()),
            argument.span.clone(),
        )
    })
}

/// Evaluates a layout, a swizzle or a part of a tensor at a coordinate.
fn at(value: &Value, operands: &[Argument], span: &Range<usize>) -> Result<Value> {
    if let Value::Swizzle(swizzle) = value {
        return through(swizzle, operands, span);
    }
    let layout = match value {
        Value::Integer(_) | Value::Tuple(_) => None,
        other => other.layout(),
    };
    let Some(layout) = layout else {
        return Err(
            Error::operand(format!("{} has no coordinates", value.kind()), span.clone()).with_help(
                "a layout at a coordinate is ((4,8):(8,1))(3,2): parentheses round the layout",
            ),
        );
    };
    let coords = operands
        .iter()
        .map(|operand| {
            operand.value.coord().ok_or_else(|| {
                Error::operand(
                    format!(
                        "a coordinate is made of numbers and `_`, not of {}",
                        operand.value.kind()
                    ),
                    operand.span.clone(),
                )
            })
        })
        .collect::<Result<Vec<_>>>()?;
    let coord = match &coords[..] {
        [one] => one.clone(),
        _ => Nested::Tuple(coords),
    };
    let refuse = |error| Error::refused(error, span.clone());
    let open = coord
        .leaves()
        .into_iter()
        .any(|leaf| *leaf == CoordLeaf::Underscore);
    match (&layout, open) {
        (AnyLayout::Plain(plain), true) => {
            let (layout, offset) = slice_and_offset(&coord, plain).map_err(refuse)?;
            Ok(Value::Slice(Slice {
                layout: layout.into(),
                offset,
            }))
        }
        (AnyLayout::Plain(plain), false) => plain.at(&coord).map(Value::from).map_err(refuse),
        (AnyLayout::Composed(_), true) => {
            let (layout, offset) = slice_and_offset_any(&coord, &layout).map_err(refuse)?;
            Ok(Value::Slice(Slice {
                layout,
                offset: Nested::Leaf(offset),
            }))
        }
        (AnyLayout::Composed(outer), false) => composed_at(outer, &coord)
            .map(Value::Integer)
            .map_err(refuse),
    }
}

/// Returns the offset of a coordinate in a layout with swizzles around it.
fn composed_at(
    outer: &Composed,
    coord: &layout_types::dynamic::Coord,
) -> layout_types::dynamic::Result<i64> {
    let inner = match outer.inner() {
        AnyLayout::Plain(plain) => plain.at(coord)?,
        AnyLayout::Composed(inner) => Nested::Leaf(composed_at(inner, coord)?),
    };
    // Evaluates the sum by a layout's own function, which refuses an offset that is a coordinate or
    // that does not fit in 64 bits.
    let as_offset = DynLayout::new(Nested::Leaf(1), Nested::Leaf(0.into()))?;
    let step = match inner {
        Nested::Leaf(step) => step,
        Nested::Tuple(_) => {
            return layout_types::dynamic::AnyLayout::Composed(outer.clone()).offset(0);
        }
    };
    let sum = Composed::new(
        outer.swizzle(),
        outer.offset().saturating_add(step),
        AnyLayout::Plain(as_offset),
    );
    AnyLayout::Composed(sum).offset(0)
}

fn through(swizzle: &Swizzle, operands: &[Argument], span: &Range<usize>) -> Result<Value> {
    match operands {
        [
            Argument {
                value: Value::Integer(offset),
                ..
            },
        ] => Ok(Value::Integer(swizzle.apply(*offset))),
        _ => Err(Error::operand("a swizzle takes one offset", span.clone())),
    }
}

/// Checks that a value is small enough to continue with.
fn check_size(value: &Value, span: &Range<usize>) -> Result<()> {
    fn leaves(value: &Value, depth: usize) -> Option<usize> {
        match value {
            Value::Tuple(modes) if depth < MAX_DEPTH => modes
                .iter()
                .try_fold(0usize, |sum, mode| Some(sum + leaves(mode, depth + 1)?)),
            Value::Tuple(_) => None,
            Value::Layout(layout) => Some(layout.shape().leaves().len()),
            _ => Some(1),
        }
    }
    let small = match value {
        Value::Tuple(_) => leaves(value, 0).is_some_and(|count| count <= MAX_LEAVES),
        other => match other {
            Value::Layout(layout) => is_small(layout),
            Value::Slice(slice) => is_small(&slice.layout),
            Value::Partition(partition) => is_small(partition.part()),
            _ => true,
        },
    };
    if small {
        Ok(())
    } else {
        Err(Error::new(
            ErrorKind::TooLarge(format!(
                "a layout or tuple has at most {MAX_LEAVES} numbers, nested {MAX_DEPTH} deep"
            )),
            span.clone(),
        ))
    }
}
