//! The same functions on values, as `const fn`.
//!
//! ```text
//!   fn push(list: List, s: Nat) -> List      const fn push(list: Value, s: Value, heap: &mut Heap<'_>) -> Value
//!       Nil => Cons(s, Nil)                      if is(list, Tag::Nil, heap) { node(Tag::Cons, [s, node(Tag::Nil, [], heap)], heap) }
//! ```
//!
//! Law: a function of a full heap returns at once, so that a computation that needs more room ends.
//!
//! A value is a number, or a place in a heap of constructors and their fields: so each function is
//! a `const fn` without allocation. What a function of the table or of another file is on values
//! stands in the module that the table names.

use super::emit::Tokens;
use super::syntax::{Body, Expression, Function, Match, Pattern, is_capital};
use super::table::{Constructor, Table};
use crate::parse::Fault;
use proc_macro::{Delimiter, Ident, TokenStream};
use std::collections::BTreeSet;

/// The types of numbers: they are no constructors in the heap.
const NUMBERS: [&str; 2] = ["UTerm", "UInt"];

/// The names of all constructors of the table as an enum.
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

/// The functions of a text on values, in a module of their own.
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
                    .text("if heap.is_full() { return Value::Number(0); }")
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
    let arguments = Tokens::default()
        .text(&format!("Tag::{head},"))
        .group(Delimiter::Bracket, fields.done())
        .text(", heap");
    Ok(Tokens::default()
        .text("node")
        .group(Delimiter::Parenthesis, arguments.done())
        .done())
}

fn branch(table: &Table, branch: &Match) -> Result<TokenStream, Fault> {
    let mut all = Tokens::default()
        .text("let __matched =")
        .all(value(table, &branch.scrutinee)?)
        .text(";");
    for (at, (pattern, body)) in branch.arms.iter().enumerate() {
        let body = bound(table, pattern).all(value(table, body)?);
        if at + 1 < branch.arms.len() {
            all = all
                .text("if")
                .all(test(table, pattern))
                .braces(body)
                .text("else");
        } else {
            all = all.braces(body);
        }
    }
    Ok(Tokens::default().braces(all).done())
}

fn constructor<'t>(table: &'t Table, name: &Ident) -> Option<&'t Constructor> {
    table
        .constructors(&name.to_string())
        .next()
        .map(|(_, constructor)| constructor)
}

/// Does the pattern select `__matched`?
fn test(table: &Table, pattern: &Pattern) -> TokenStream {
    let mut tests = Vec::new();
    match pattern {
        Pattern::Any(..) => tests.push("true".to_owned()),
        Pattern::Constructor(name, _) => {
            let shapes = constructor(table, name).map_or(&[][..], |each| &each.shapes[..]);
            let heads: BTreeSet<String> =
                shapes.iter().map(|shape| shape.head.to_string()).collect();
            tests.extend(heads.iter().map(|head| match head.as_str() {
                "UTerm" => "is_nought(__matched)".to_owned(),
                "UInt" => "is_positive(__matched)".to_owned(),
                head => format!("is(__matched, Tag::{head}, heap)"),
            }));
        }
        Pattern::Or(all) => {
            let mut tokens = Tokens::default();
            for (at, each) in all.iter().enumerate() {
                tokens = tokens
                    .text(if at == 0 { "" } else { "||" })
                    .all(test(table, each));
            }
            return tokens.done();
        }
    }
    tests.join("||").parse().expect("tokens")
}

/// The `let`s of a pattern's names.
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
            for (at, field) in fields.iter().flatten().enumerate() {
                let Some(field) = field else { continue };
                let from = if whole {
                    "__matched".to_owned()
                } else {
                    format!("field(__matched, {at}, heap)")
                };
                all = all.text("let").name(field).text("=").text(&from).text(";");
            }
            all
        }
    }
}
