//! The table of kinds: the types of each kind, and the functions on them.
//!
//! ```text
//!   table        :=  ( `values` `in` path `;` )? ( kind | function )*
//!   kind         :=  `kind` Name ( `:` Kind `+` .. )? `=` ( `trait` Name ( `:` bounds )? | bounds | `_` )
//!                    `{` constructor , .. `}` ( `matched` `by` `{` path , .. `}` )?
//!   constructor  :=  Name ( `(` field `:` Kind ( `=` default )? , .. `)` )? ( `=` Head )?
//!                 |  Name `[` field `:` Kind `]` `=` Head ( `(` field `:` Kind | Type , .. `)` )? `|` ..
//! ```
//!
//! A constructor in brackets stands for several types, and its only field is the whole value:
//! `Positive[n: Nat] = UInt(u: Nat, B0) | UInt(u: Nat, B1)`.

use super::cursor::Cursor;
use super::syntax::{self, Expression, Function};
use crate::parse::Fault;
use proc_macro::{Delimiter, Ident, TokenStream};

/// The table of kinds and functions.
pub struct Table {
    /// The module of all functions on values.
    pub values: Option<TokenStream>,
    pub kinds: Vec<Kind>,
    pub functions: Vec<Function>,
}

/// A kind: a closed set of types.
pub struct Kind {
    pub docs: TokenStream,
    pub name: Ident,
    /// The kinds that this one is a part of.
    pub within: Vec<Ident>,
    /// The kind's trait and further bounds; empty for a kind of any type.
    pub bounds: TokenStream,
    /// The name of the trait, if the table declares it.
    pub declares: Option<Ident>,
    pub constructors: Vec<Constructor>,
    /// The traits through which functions match on the kind.
    pub matched_by: Vec<TokenStream>,
}

/// A constructor of a kind.
pub struct Constructor {
    pub name: Ident,
    pub fields: Vec<Field>,
    /// Whether the only field is the type itself.
    pub whole: bool,
    /// The types: one, unless `whole` is true.
    pub shapes: Vec<Shape>,
}

/// A field of a constructor.
pub struct Field {
    pub name: Ident,
    pub kind: Ident,
    /// The value in a text that omits the field.
    pub default: Option<Expression>,
}

/// A type: its head, and its arguments with their kinds. An argument without a kind is the type
/// with this name.
pub struct Shape {
    pub head: Ident,
    pub arguments: Vec<(Ident, Option<Ident>)>,
}

impl Shape {
    /// Returns the arguments that are of a kind.
    pub fn variables(&self) -> impl Iterator<Item = (&Ident, &Ident)> {
        self.arguments
            .iter()
            .filter_map(|(name, kind)| Some((name, kind.as_ref()?)))
    }
}

impl Kind {
    /// Whether every type is of this kind.
    fn is_any(&self) -> bool {
        self.bounds.is_empty() && self.declares.is_none() && self.constructors.is_empty()
    }
}

impl Table {
    pub fn read(cursor: &mut Cursor) -> Result<Self, Fault> {
        let mut table = Table {
            values: None,
            kinds: Vec::new(),
            functions: Vec::new(),
        };
        if cursor.eat_word("values") {
            cursor.word("in", "`in` and the module of all functions on values")?;
            let path = cursor.until(|cursor| cursor.sees(";"));
            cursor.punct(";", "`;`")?;
            table.values = Some(path);
        }
        while !cursor.is_empty() {
            let docs = cursor.attributes();
            if cursor.eat_word("kind") {
                table.kinds.push(kind(cursor, docs)?);
            } else {
                table.functions.push(syntax::function(cursor, docs)?);
            }
        }
        Ok(table)
    }

    /// Returns the index of the kind of this name.
    pub fn kind(&self, name: &Ident) -> Result<usize, Fault> {
        let text = name.to_string();
        let found = self
            .kinds
            .iter()
            .position(|kind| kind.name.to_string() == text);
        found.ok_or_else(|| {
            let all: Vec<String> = self
                .kinds
                .iter()
                .map(|kind| kind.name.to_string())
                .collect();
            Fault::new(
                name.span(),
                format!(
                    "no kind has the name `{text}`; the kinds are {}",
                    all.join(", ")
                ),
            )
        })
    }

    /// Whether each type of the kind `part` is one of the kind `whole`.
    pub fn is_within(&self, part: usize, whole: usize) -> bool {
        part == whole
            || self.kinds[whole].is_any()
            || self.kinds[part].within.iter().any(|name| {
                self.kind(name)
                    .is_ok_and(|kind| self.is_within(kind, whole))
            })
    }

    /// Returns the constructors of this name, with their kinds.
    pub fn constructors(&self, name: &str) -> impl Iterator<Item = (usize, &Constructor)> {
        self.kinds.iter().enumerate().flat_map(move |(kind, of)| {
            let own = of.constructors.iter();
            own.filter(move |constructor| constructor.name.to_string() == name)
                .map(move |constructor| (kind, constructor))
        })
    }
}

fn kind(cursor: &mut Cursor, docs: TokenStream) -> Result<Kind, Fault> {
    let name = cursor.name("the kind's name")?;
    let mut within = Vec::new();
    if cursor.eat(":") {
        within.push(cursor.name("a kind that this one is a part of")?);
        while cursor.eat("+") {
            within.push(cursor.name("a kind that this one is a part of")?);
        }
    }
    cursor.punct("=", "`=` and the kind's trait")?;
    let mut declares = None;
    let mut bounds = TokenStream::new();
    let ends = |cursor: &Cursor| cursor.sees_group(Delimiter::Brace);
    if cursor.eat_word("trait") {
        declares = Some(cursor.name("the trait's name")?);
        if cursor.eat(":") {
            bounds = cursor.until(ends);
        }
    } else if !cursor.eat_word("_") {
        bounds = cursor.until(ends);
    }
    let mut inner = cursor.group(Delimiter::Brace, "the constructors in braces")?;
    let constructors = inner.separated(',', constructor)?;
    let mut matched_by = Vec::new();
    if cursor.eat_word("matched") {
        cursor.word("by", "`by` and the traits of functions")?;
        let mut inner = cursor.group(Delimiter::Brace, "the traits of functions in braces")?;
        matched_by = inner.separated(',', |inner| Ok(inner.until(|inner| inner.sees(","))))?;
    }
    Ok(Kind {
        docs,
        name,
        within,
        bounds,
        declares,
        constructors,
        matched_by,
    })
}

fn constructor(cursor: &mut Cursor) -> Result<Constructor, Fault> {
    let name = cursor.name("a constructor's name")?;
    if cursor.sees_group(Delimiter::Bracket) {
        let mut inner = cursor.group(Delimiter::Bracket, "a field in brackets")?;
        let fields = vec![field(&mut inner)?];
        cursor.punct("=", "`=` and the types")?;
        let mut shapes = vec![shape(cursor)?];
        while cursor.eat("|") {
            shapes.push(shape(cursor)?);
        }
        return Ok(Constructor {
            name,
            fields,
            whole: true,
            shapes,
        });
    }
    let mut fields = Vec::new();
    if cursor.sees_group(Delimiter::Parenthesis) {
        let mut inner = cursor.group(Delimiter::Parenthesis, "the fields in parentheses")?;
        fields = inner.separated(',', field)?;
    }
    let head = if cursor.eat("=") {
        cursor.name("the type")?
    } else {
        name.clone()
    };
    let arguments = fields
        .iter()
        .map(|field| (field.name.clone(), Some(field.kind.clone())))
        .collect();
    Ok(Constructor {
        name,
        fields,
        whole: false,
        shapes: vec![Shape { head, arguments }],
    })
}

fn field(cursor: &mut Cursor) -> Result<Field, Fault> {
    let name = cursor.name("a field's name")?;
    cursor.punct(":", "`:` and the field's kind")?;
    let kind = cursor.name("the field's kind")?;
    let default = if cursor.eat("=") {
        Some(syntax::expression(cursor)?)
    } else {
        None
    };
    Ok(Field {
        name,
        kind,
        default,
    })
}

fn shape(cursor: &mut Cursor) -> Result<Shape, Fault> {
    let head = cursor.name("the type's name")?;
    let mut arguments = Vec::new();
    if cursor.sees_group(Delimiter::Parenthesis) {
        let mut inner = cursor.group(Delimiter::Parenthesis, "the type's arguments")?;
        arguments = inner.separated(',', |inner| {
            let name = inner.name("an argument's name, or a type")?;
            let kind = if inner.eat(":") {
                Some(inner.name("the argument's kind")?)
            } else {
                None
            };
            Ok((name, kind))
        })?;
    }
    Ok(Shape { head, arguments })
}
