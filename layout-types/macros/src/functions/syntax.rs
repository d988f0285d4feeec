//! Parses the text of functions to a tree.
//!
//! ```text
//!   file        :=  ( `use` .. `;` | function )*
//!   function    :=  `fn` name `(` name `:` Kind , .. `)` `->` Kind ( block | `;` )
//!   block       :=  `{` ( `let` name `=` expression `;` )* expression `}`
//!   expression  :=  name | number | call | operator | block | `if` .. | `match` .. | `<` a type `>`
//!   pattern     :=  `_` | name | Constructor ( `(` name | `_` , .. `)` )? | pattern `|` pattern
//! ```
//!
//! Operators are calls (`a * b` is `times(a, b)`), and an `if` is a `match` on `True` and `False`.
//! So the later steps have only names, numbers, calls and matches.

use super::cursor::Cursor;
use crate::parse::Fault;
use proc_macro::{Delimiter, Ident, Span, TokenStream, TokenTree};

/// A function of the text.
pub struct Function {
    pub docs: TokenStream,
    pub name: Ident,
    /// The names and kinds of the parameters.
    pub parameters: Vec<(Ident, Ident)>,
    /// The kind of the result.
    pub result: Ident,
    pub body: Body,
    /// Whether the function exists only on types, not on values (`#[types_only]`).
    pub types_only: bool,
}

/// The body of a function.
pub enum Body {
    /// No body: the function's text is in another file.
    Elsewhere,
    /// A type that the caller writes, in terms of the parameters' names.
    Type(TokenStream),
    /// An expression.
    Text(Expression),
}

/// An expression.
pub enum Expression {
    Name(Ident),
    Number(u64, Span),
    Call(Ident, Vec<Expression>),
    Block(Vec<(Ident, Expression)>, Box<Expression>),
    Match(Box<Match>),
}

/// A branch.
pub struct Match {
    pub span: Span,
    /// Whether it was written as an `if`.
    pub is_if: bool,
    pub scrutinee: Expression,
    pub arms: Vec<(Pattern, Expression)>,
}

/// A pattern of a branch.
pub enum Pattern {
    /// The pattern `_`, or a name for the whole value.
    Any(Option<Ident>, Span),
    /// A constructor and the names of its fields, with `None` for `_`. The list is `None` for a
    /// constructor without parentheses.
    Constructor(Ident, Option<Vec<Option<Ident>>>),
    Or(Vec<Pattern>),
}

impl Pattern {
    pub fn span(&self) -> Span {
        match self {
            Pattern::Any(_, span) => *span,
            Pattern::Constructor(name, _) => name.span(),
            Pattern::Or(all) => all[0].span(),
        }
    }
}

impl Expression {
    pub fn span(&self) -> Span {
        match self {
            Expression::Name(name) | Expression::Call(name, _) => name.span(),
            Expression::Number(_, span) => *span,
            Expression::Block(_, value) => value.span(),
            Expression::Match(branch) => branch.span,
        }
    }
}

/// Whether the name begins with a capital letter, as those of kinds and constructors do.
pub fn is_capital(name: &Ident) -> bool {
    name.to_string().starts_with(char::is_uppercase)
}

/// Reads the functions of a file, and the `use` items between them.
pub fn file(cursor: &mut Cursor) -> Result<(TokenStream, Vec<Function>), Fault> {
    let (mut uses, mut functions) = (TokenStream::new(), Vec::new());
    while !cursor.is_empty() {
        let docs = cursor.attributes();
        if cursor.eat_word("use") {
            uses.extend(docs);
            uses.extend("use".parse::<TokenStream>().expect("a token"));
            uses.extend(cursor.through(';')?);
        } else {
            functions.push(function(cursor, docs)?);
        }
    }
    Ok((uses, functions))
}

/// Reads a function after its attributes.
pub fn function(cursor: &mut Cursor, attributes: TokenStream) -> Result<Function, Fault> {
    let (docs, types_only) = marks(attributes);
    cursor.word(
        "fn",
        "a function: `fn name(value: Kind, ..) -> Kind { .. }`",
    )?;
    let name = cursor.name("the function's name")?;
    let mut list = cursor.group(Delimiter::Parenthesis, "the parameters in parentheses")?;
    let parameters = list.separated(',', |list| {
        let name = list.name("a parameter's name")?;
        list.punct(":", "`:` and the parameter's kind")?;
        Ok((name, list.name("the parameter's kind")?))
    })?;
    cursor.punct("->", "`->` and the kind of the result")?;
    let result = cursor.name("the kind of the result")?;
    let body = if cursor.eat(";") {
        Body::Elsewhere
    } else {
        let mut inner = cursor.group(Delimiter::Brace, "the function's body in braces, or `;`")?;
        if inner.sees("<") {
            Body::Type(inner.rest())
        } else {
            Body::Text(block_inside(&mut inner)?)
        }
    };
    Ok(Function {
        docs,
        name,
        parameters,
        result,
        body,
        types_only,
    })
}

/// Returns the attributes without `#[types_only]`, and whether that was among them.
fn marks(attributes: TokenStream) -> (TokenStream, bool) {
    let tokens: Vec<TokenTree> = attributes.into_iter().collect();
    let mark = tokens
        .chunks(2)
        .position(|each| each[1].to_string() == "[types_only]");
    let others = tokens
        .chunks(2)
        .enumerate()
        .filter(|(at, _)| Some(*at) != mark);
    (
        others.flat_map(|(_, each)| each.to_vec()).collect(),
        mark.is_some(),
    )
}

fn block(cursor: &mut Cursor) -> Result<Expression, Fault> {
    block_inside(&mut cursor.group(Delimiter::Brace, "a block in braces")?)
}

/// Reads `let`s and an expression, up to the end of the block.
fn block_inside(cursor: &mut Cursor) -> Result<Expression, Fault> {
    let mut lets = Vec::new();
    while cursor.eat_word("let") {
        let name = cursor.name("`let name = ..;`")?;
        cursor.punct("=", "`=`: a `let` gives a value to one name")?;
        let value = expression(cursor)?;
        cursor.punct(";", "`;` behind a `let`")?;
        lets.push((name, value));
    }
    let value = expression(cursor)?;
    cursor.finish("a block is `let`s and one expression")?;
    Ok(if lets.is_empty() {
        value
    } else {
        Expression::Block(lets, Box::new(value))
    })
}

/// The operators, each with its precedence and the function that it calls.
const OPERATORS: [(&str, u8, &str); 12] = [
    ("||", 1, "or"),
    ("&&", 2, "and"),
    ("==", 3, "equals"),
    ("!=", 3, "differs"),
    (">=", 3, "at_least"),
    ("<=", 3, "at_most"),
    (">", 3, "above"),
    ("<", 3, "below"),
    ("+", 4, "plus"),
    ("*", 5, "times"),
    ("/", 5, "over"),
    ("%", 5, "rem"),
];

/// Reads an expression.
pub fn expression(cursor: &mut Cursor) -> Result<Expression, Fault> {
    operators(cursor, 0)
}

fn operators(cursor: &mut Cursor, least: u8) -> Result<Expression, Fault> {
    let mut left = unary(cursor)?;
    while let Some((symbol, strength, function)) = OPERATORS
        .into_iter()
        .find(|(symbol, strength, _)| *strength > least && cursor.sees(symbol))
    {
        let span = cursor.span();
        cursor.eat(symbol);
        let right = operators(cursor, strength)?;
        left = operation(function, span, left, right);
    }
    Ok(left)
}

fn call(function: &str, span: Span, arguments: Vec<Expression>) -> Expression {
    Expression::Call(Ident::new(function, span), arguments)
}

/// Makes the call for an operator. A comparison with 0 or 1, and a test of a remainder, call
/// functions of their own, which cost the compiler less.
fn operation(function: &str, span: Span, left: Expression, right: Expression) -> Expression {
    let not = |what| call("not", span, vec![what]);
    match (function, left, right) {
        ("equals", Expression::Call(name, arguments), Expression::Number(0, _))
            if name.to_string() == "rem" && arguments.len() == 2 =>
        {
            call("is_multiple", span, arguments)
        }
        ("equals", left, Expression::Number(0, _)) => call("is_zero", span, vec![left]),
        ("equals", left, Expression::Number(1, _)) => call("is_one", span, vec![left]),
        ("differs", left, right) => not(operation("equals", span, left, right)),
        ("at_most", left, right) => call("at_least", span, vec![right, left]),
        ("above", left, right) => not(call("at_least", span, vec![right, left])),
        ("below", left, right) => not(call("at_least", span, vec![left, right])),
        (function, left, right) => call(function, span, vec![left, right]),
    }
}

fn unary(cursor: &mut Cursor) -> Result<Expression, Fault> {
    let span = cursor.span();
    if cursor.eat("!") {
        return Ok(call("not", span, vec![unary(cursor)?]));
    }
    let mut value = primary(cursor)?;
    while cursor.eat(".") {
        let function = cursor.name("the function behind `.`")?;
        let mut list = cursor.group(Delimiter::Parenthesis, "the arguments in parentheses")?;
        let mut arguments = vec![value];
        arguments.extend(list.separated(',', expression)?);
        value = Expression::Call(function, arguments);
    }
    Ok(value)
}

fn primary(cursor: &mut Cursor) -> Result<Expression, Fault> {
    let span = cursor.span();
    if let Some(text) = cursor.eat_literal() {
        return match text.parse() {
            Ok(number) => Ok(Expression::Number(number, span)),
            Err(_) => Err(Fault::new(
                span,
                format!("expected a number, found `{text}`"),
            )),
        };
    }
    if cursor.sees_group(Delimiter::Parenthesis) {
        let mut inner = cursor.group(Delimiter::Parenthesis, "an expression")?;
        let value = expression(&mut inner)?;
        inner.finish("parentheses hold one expression: there are no tuples")?;
        return Ok(value);
    }
    if cursor.sees_group(Delimiter::Brace) {
        return block(cursor);
    }
    if cursor.eat_word("if") {
        return condition(cursor, span);
    }
    if cursor.eat_word("match") {
        let scrutinee = expression(cursor)?;
        let mut inner = cursor.group(Delimiter::Brace, "the arms in braces")?;
        let mut arms = Vec::new();
        while !inner.is_empty() {
            let pattern = pattern(&mut inner)?;
            inner.punct("=>", "`=>`: arms have no guards")?;
            let is_block = inner.sees_group(Delimiter::Brace);
            arms.push((pattern, expression(&mut inner)?));
            if !inner.eat(",") && !is_block {
                inner.finish("`,` between arms")?;
            }
        }
        return Ok(Expression::Match(Box::new(Match {
            span,
            is_if: false,
            scrutinee,
            arms,
        })));
    }
    let name = cursor.name("an expression: a name, a number, a call, `if` or `match`")?;
    Ok(if cursor.sees_group(Delimiter::Parenthesis) {
        let mut list = cursor.group(Delimiter::Parenthesis, "the arguments in parentheses")?;
        Expression::Call(name, list.separated(',', expression)?)
    } else {
        match name.to_string().as_str() {
            "true" => Expression::Name(Ident::new("True", span)),
            "false" => Expression::Name(Ident::new("False", span)),
            _ => Expression::Name(name),
        }
    })
}

/// Reads the rest of an expression after `if`.
fn condition(cursor: &mut Cursor, span: Span) -> Result<Expression, Fault> {
    let scrutinee = expression(cursor)?;
    let yes = block(cursor)?;
    if !cursor.eat_word("else") {
        return Err(Fault::new(span, "an `if` needs its `else`: it is a value"));
    }
    let inner = cursor.span();
    let no = if cursor.eat_word("if") {
        condition(cursor, inner)?
    } else {
        block(cursor)?
    };
    let arm = |name, value| (Pattern::Constructor(Ident::new(name, span), None), value);
    Ok(Expression::Match(Box::new(Match {
        span,
        is_if: true,
        scrutinee,
        arms: vec![arm("True", yes), arm("False", no)],
    })))
}

fn pattern(cursor: &mut Cursor) -> Result<Pattern, Fault> {
    let mut all = vec![one_pattern(cursor)?];
    while cursor.eat("|") {
        all.push(one_pattern(cursor)?);
    }
    Ok(if all.len() == 1 {
        all.remove(0)
    } else {
        Pattern::Or(all)
    })
}

fn one_pattern(cursor: &mut Cursor) -> Result<Pattern, Fault> {
    let name = cursor.name("a pattern: `_`, a name, or a constructor with names for its fields")?;
    let span = name.span();
    if !cursor.sees_group(Delimiter::Parenthesis) {
        return Ok(match name.to_string().as_str() {
            "_" => Pattern::Any(None, span),
            "true" => Pattern::Constructor(Ident::new("True", span), None),
            "false" => Pattern::Constructor(Ident::new("False", span), None),
            _ if is_capital(&name) => Pattern::Constructor(name, None),
            _ => Pattern::Any(Some(name), span),
        });
    }
    let mut list = cursor.group(Delimiter::Parenthesis, "the fields in parentheses")?;
    let fields = list.separated(',', |list| {
        let field = list.name("a name or `_` for a field")?;
        if is_capital(&field) || list.sees_group(Delimiter::Parenthesis) {
            return Err(Fault::new(
                field.span(),
                format!("patterns are flat: give the field a name and match on it in a function of its own, not `{field}` here"),
            ));
        }
        Ok((field.to_string() != "_").then_some(field))
    })?;
    Ok(Pattern::Constructor(name, Some(fields)))
}
