//! Emits the functions also on values, as `const fn`.
//!
//! ```text
//!   fn push(list: List, s: Nat) -> List      const fn push(list: Value, s: Value, heap: &mut Heap<'_>) -> Value
//!       Nil => Cons(s, Nil)                      Some(Tag::Nil) => heap_node(Tag::Cons, [s, Value::Constant(Tag::Nil), ..], heap)
//! ```
//!
//! Law: a function returns at once if the heap is full, so that a computation that needs more
//! memory ends.
//!
//! A value is a number, or an index into a heap of constructors and their fields, so each function
//! is a `const fn` without allocation. The module that the table names contains the functions on
//! values of the table itself and of other files.

use super::emit::Tokens;
use super::syntax::{Body, Expression, Function, Match, Pattern, is_capital};
use super::table::{Constructor, Table};
use crate::parse::Fault;
use proc_macro::{Delimiter, Ident, TokenStream};
use std::collections::BTreeSet;

/// The greatest number of fields of a constructor.
const FIELDS: usize = 4;
/// The types of numbers, which are not stored as constructors in the heap.
const NUMBERS: [&str; 2] = ["UTerm", "UInt"];

/// Makes an enum of the names of all constructors of the table.
pub fn tags(table: &Table) -> TokenStream {
    if table.values.is_none() {
        return TokenStream::new();
    }
    let shapes = table
        .kinds
        .iter()
        .flat_map(|kind| &kind.constructors)
        .flat_map(|each| &each.shapes);
    let heads: BTreeSet<String> = shapes.map(|shape| shape.head.to_string()).collect();
    let mut names = Tokens::default();
    for head in heads
        .iter()
        .filter(|head| !NUMBERS.contains(&head.as_str()))
    {
        names = names.text(head).text(",");
    }
    Tokens::default()
        .text("/// A constructor of a value.\n#[allow(missing_docs)] #[derive(Clone, Copy, Debug, PartialEq, Eq)] pub enum Tag")
        .braces(names)
        .done()
}

/// Makes the functions of a text on values, in a module of their own.
pub fn functions(table: &Table, text: &[Function]) -> Result<TokenStream, Fault> {
    let Some(path) = &table.values else {
        return Ok(TokenStream::new());
    };
    let mut all = Tokens::default()
        .text("use")
        .all(path.clone())
        .text(":: *;");
    for function in text.iter().filter(|function| !function.types_only) {
        let Body::Text(body) = &function.body else {
            continue;
        };
        let mut parameters = Tokens::default();
        for (name, _) in &function.parameters {
            parameters = parameters.name(name).text(": Value,");
        }
        all = all
            .all(function.docs.clone())
            .text("#[inline] pub const fn")
            .name(&function.name)
            .group(
                Delimiter::Parenthesis,
                parameters.text("heap: &mut Heap<'_>").done(),
            )
            .text("-> Value")
            .braces(
                Tokens::default()
                    .text("if heap.full { return Value::Number(0); }")
                    .all(value(table, body)?),
            );
    }
    Ok(Tokens::default()
        .text("#[doc(hidden)] #[allow(dead_code, unused_variables, unused_imports, unused_braces, clippy::all)] pub mod values")
        .braces(all)
        .done())
}

fn value(table: &Table, text: &Expression) -> Result<TokenStream, Fault> {
    Ok(match text {
        Expression::Number(number, _) => Tokens::default()
            .text(&format!("Value::Number({number})"))
            .done(),
        Expression::Name(name) if is_capital(name) => construct(table, name, &[])?,
        Expression::Name(name) => Tokens::default().name(name).done(),
        Expression::Call(name, arguments) if is_capital(name) => construct(table, name, arguments)?,
        Expression::Call(name, arguments) => {
            let mut all = Tokens::default();
            for argument in arguments {
                all = all.all(value(table, argument)?).text(",");
            }
            let arguments = all.text("heap").done();
            Tokens::default()
                .name(name)
                .group(Delimiter::Parenthesis, arguments)
                .done()
        }
        Expression::Block(lets, last) => {
            let mut all = Tokens::default();
            for (name, given) in lets {
                all = all
                    .text("let")
                    .name(name)
                    .text("=")
                    .all(value(table, given)?)
                    .text(";");
            }
            Tokens::default()
                .braces(all.all(value(table, last)?))
                .done()
        }
        Expression::Match(branch) => self::branch(table, branch)?,
    })
}

fn construct(table: &Table, name: &Ident, given: &[Expression]) -> Result<TokenStream, Fault> {
    let Some((_, constructor)) = table.constructors(&name.to_string()).next() else {
        return Err(Fault::new(
            name.span(),
            format!("no kind has a constructor `{name}`"),
        ));
    };
    let mut fields = Tokens::default();
    for (at, field) in constructor.fields.iter().enumerate() {
        if let Some(text) = given.get(at).or(field.default.as_ref()) {
            fields = fields.all(value(table, text)?).text(",");
        }
    }
    let head = constructor.shapes[0].head.to_string();
    if constructor.whole {
        let fields = fields.done().into_iter();
        return Ok(fields.take(given.len().max(1)).collect());
    }
    if NUMBERS.contains(&head.as_str()) {
        return Ok(Tokens::default().text("Value::Number(0)").done());
    }
    if constructor.fields.is_empty() {
        return Ok(Tokens::default()
            .text(&format!("Value::Constant(Tag::{head})"))
            .done());
    }
    for _ in constructor.fields.len()..FIELDS {
        fields = fields.text("Value::Number(0),");
    }
    let arguments = Tokens::default()
        .text(&format!("Tag::{head},"))
        .group(Delimiter::Bracket, fields.done())
        .text(", heap");
    Ok(Tokens::default()
        .text("heap_node")
        .group(Delimiter::Parenthesis, arguments.done())
        .done())
}

fn branch(table: &Table, branch: &Match) -> Result<TokenStream, Fault> {
    let mut arms = Tokens::default();
    for (at, (pattern, body)) in branch.arms.iter().enumerate() {
        let selected = if at + 1 < branch.arms.len() {
            test(table, pattern)
        } else {
            "_".to_owned()
        };
        let body = bound(table, pattern).all(value(table, body)?);
        arms = arms.text(&selected).text("=>").braces(body);
    }
    let all = Tokens::default()
        .text("let __matched =")
        .all(value(table, &branch.scrutinee)?)
        .text("; match heap.tag(__matched)")
        .braces(arms);
    Ok(Tokens::default().braces(all).done())
}

fn constructor<'t>(table: &'t Table, name: &Ident) -> Option<&'t Constructor> {
    table
        .constructors(&name.to_string())
        .next()
        .map(|(_, constructor)| constructor)
}

/// Returns the heads of all types that a pattern selects, or `None` if it selects any type.
fn heads(table: &Table, pattern: &Pattern) -> Option<BTreeSet<String>> {
    match pattern {
        Pattern::Any(..) => None,
        Pattern::Constructor(name, _) => {
            let shapes = constructor(table, name).map_or(&[][..], |each| &each.shapes[..]);
            Some(shapes.iter().map(|shape| shape.head.to_string()).collect())
        }
        Pattern::Or(all) => {
            let each = all.iter().map(|pattern| heads(table, pattern));
            let all: Option<Vec<_>> = each.collect();
            Some(all?.into_iter().flatten().collect())
        }
    }
}

/// Returns the pattern for the tag of `__matched`, where `None` is the tag of a number.
fn test(table: &Table, pattern: &Pattern) -> String {
    let Some(heads) = heads(table, pattern) else {
        return "_".to_owned();
    };
    let [nought, positive] = NUMBERS.map(|number| heads.contains(number));
    let mut tags: Vec<String> = heads
        .iter()
        .filter(|head| !NUMBERS.contains(&head.as_str()))
        .map(|head| format!("Some(Tag::{head})"))
        .collect();
    if nought || positive {
        tags.push("None".to_owned());
    }
    let guard = match (nought, positive) {
        (true, false) => " if !is_positive(__matched)",
        (false, true) => " if !is_nought(__matched)",
        _ => "",
    };
    tags.join(" | ") + guard
}

/// Makes the `let`s of a pattern's names.
fn bound(table: &Table, pattern: &Pattern) -> Tokens {
    match pattern {
        Pattern::Any(Some(name), _) => Tokens::default()
            .text("let")
            .name(name)
            .text("= __matched;"),
        Pattern::Any(None, _) | Pattern::Or(_) => Tokens::default(),
        Pattern::Constructor(name, fields) => {
            let whole = constructor(table, name).is_some_and(|each| each.whole);
            let mut all = Tokens::default();
            if !whole && fields.iter().flatten().any(Option::is_some) {
                all = all.text("let __fields = heap.fields(__matched);");
            }
            for (at, field) in fields.iter().flatten().enumerate() {
                let Some(field) = field else { continue };
                let from = if whole {
                    "__matched".to_owned()
                } else {
                    format!("__fields[{at}]")
                };
                all = all.text("let").name(field).text("=").text(&from).text(";");
            }
            all
        }
    }
}
