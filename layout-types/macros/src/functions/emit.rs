//! Emits the types, traits and impls of functions and kinds as tokens.

use super::lift::{Alias, Branch, Lifted, Type};
use super::syntax::{Body, Function};
use super::table::{Kind, Shape, Table};
use crate::parse::Fault;
use proc_macro::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// Tokens under construction.
#[derive(Default)]
pub struct Tokens(TokenStream);

impl Tokens {
    /// Adds Rust text.
    pub fn text(mut self, text: &str) -> Self {
        self.0.extend(text.parse::<TokenStream>().expect("tokens"));
        self
    }

    pub fn name(mut self, name: &Ident) -> Self {
        self.0.extend([TokenTree::Ident(name.clone())]);
        self
    }

    pub fn all(mut self, tokens: impl IntoIterator<Item = TokenTree>) -> Self {
        self.0.extend(tokens);
        self
    }

    pub fn group(mut self, delimiter: Delimiter, inner: TokenStream) -> Self {
        self.0
            .extend([TokenTree::Group(Group::new(delimiter, inner))]);
        self
    }

    pub fn braces(self, inner: impl IntoIterator<Item = TokenTree>) -> Self {
        self.group(Delimiter::Brace, inner.into_iter().collect())
    }

    pub fn done(self) -> TokenStream {
        self.0
    }
}

impl IntoIterator for Tokens {
    type Item = TokenTree;
    type IntoIter = proc_macro::token_stream::IntoIter;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Makes `<a, b>`, or no tokens without items.
fn angles(items: Vec<TokenStream>) -> TokenStream {
    if items.is_empty() {
        return TokenStream::new();
    }
    let mut all = Tokens::default().text("<");
    for item in items {
        all = all.all(item).text(",");
    }
    all.text(">").done()
}

/// Makes `: bounds`, or no tokens for a kind of any type.
fn bound(kind: &Kind) -> TokenStream {
    let bounds = bounds(kind);
    if bounds.is_empty() {
        return bounds;
    }
    Tokens::default().text(":").all(bounds).done()
}

fn bounds(kind: &Kind) -> TokenStream {
    match &kind.declares {
        Some(name) => Tokens::default().name(name).done(),
        None => kind.bounds.clone(),
    }
}

fn parameter(name: &Ident, kind: &Kind) -> TokenStream {
    Tokens::default().name(name).all(bound(kind)).done()
}

/// Returns the name of a shape's argument in its impl, where the names of functions' parameters are
/// also in scope.
fn own_name(name: &Ident) -> Ident {
    Ident::new(&format!("__{name}"), name.span())
}

/// Makes `impl<parameters> trait_ for Shape { items }`.
fn implementation(
    table: &Table,
    shape: &Shape,
    trait_: TokenStream,
    items: TokenStream,
) -> Result<TokenStream, Fault> {
    let mut generics = Vec::new();
    for (name, kind) in shape.variables() {
        generics.push(parameter(&own_name(name), &table.kinds[table.kind(kind)?]));
    }
    let arguments = shape.arguments.iter().map(|(name, kind)| {
        let name = if kind.is_some() {
            own_name(name)
        } else {
            name.clone()
        };
        Tokens::default().name(&name).done()
    });
    Ok(Tokens::default()
        .text("impl")
        .all(angles(generics))
        .all(trait_)
        .text("for")
        .name(&shape.head)
        .all(angles(arguments.collect()))
        .braces(items)
        .done())
}

/// Returns the name of the trait through which the functions of a file match on a kind.
fn trait_name(kind: &Kind) -> Ident {
    Ident::new(&format!("On{}", kind.name), kind.name.span())
}

struct Emit<'a> {
    table: &'a Table,
    lifted: &'a Lifted<'a>,
}

impl Emit<'_> {
    /// Makes the type, with the names of variables that `name` returns.
    fn ty(&self, ty: &Type, name: &dyn Fn(usize) -> Ident) -> TokenStream {
        let all = |types: &[Type]| angles(types.iter().map(|each| self.ty(each, name)).collect());
        match ty {
            Type::Variable(variable) => Tokens::default().name(&name(*variable)).done(),
            Type::Apply(head, arguments) => Tokens::default().name(head).all(all(arguments)).done(),
            Type::Branch {
                kind,
                name: branch,
                scrutinee,
                arguments,
            } => Tokens::default()
                .text("<")
                .all(self.ty(scrutinee, name))
                .text("as")
                .name(&trait_name(&self.table.kinds[*kind]))
                .text("> ::")
                .name(branch)
                .all(all(arguments))
                .done(),
        }
    }

    fn variable(&self, variable: usize) -> Ident {
        self.lifted.variables[variable].name.clone()
    }

    fn parameters(&self, branch: &Branch) -> TokenStream {
        let each = |variable: &usize| {
            let variable = &self.lifted.variables[*variable];
            parameter(&variable.name, &self.table.kinds[variable.kind])
        };
        angles(branch.parameters.iter().map(each).collect())
    }

    /// Makes `pub type name<parameters> = ..;`.
    fn alias(&self, alias: &Alias) -> TokenStream {
        let names = alias.parameters.iter().map(|each| self.variable(*each));
        let names = names.map(|name| Tokens::default().name(&name).done());
        let body = match &alias.body {
            Ok(ty) => self.ty(ty, &|variable| self.variable(variable)),
            Err(tokens) => (*tokens).clone(),
        };
        Tokens::default()
            .all(alias.function.docs.clone())
            .text("pub type")
            .name(&alias.function.name)
            .all(angles(names.collect()))
            .text("=")
            .all(body)
            .text(";")
            .done()
    }

    /// Makes the trait of a kind, with an associated type for each branch, and its impls.
    fn kind(&self, kind: usize) -> Result<TokenStream, Fault> {
        let of = &self.table.kinds[kind];
        let branches = || {
            self.lifted
                .branches
                .iter()
                .filter(|branch| branch.kind == kind)
        };
        if branches().next().is_none() {
            return Ok(TokenStream::new());
        }
        let mut items = Tokens::default();
        for branch in branches() {
            items = items
                .all(branch.docs.clone())
                .text("type")
                .name(&branch.name)
                .all(self.parameters(branch))
                .all(bound(&self.table.kinds[branch.result]))
                .text(";");
        }
        let name = trait_name(of);
        let mut all = Tokens::default()
            .text("#[doc(hidden)] pub trait")
            .name(&name)
            .braces(items);
        for (at, constructor) in of.constructors.iter().enumerate() {
            for (which, shape) in constructor.shapes.iter().enumerate() {
                let mut items = Tokens::default();
                for branch in branches() {
                    let (own, ty) = &branch.arms[at][which];
                    let names: Vec<&Ident> = shape.variables().map(|(name, _)| name).collect();
                    let name_of =
                        |variable: usize| match own.iter().position(|each| *each == variable) {
                            Some(place) => own_name(names[place]),
                            None => self.variable(variable),
                        };
                    items = items
                        .text("type")
                        .name(&branch.name)
                        .all(self.parameters(branch))
                        .text("=")
                        .all(self.ty(ty, &name_of))
                        .text(";");
                }
                let trait_ = Tokens::default().name(&name).done();
                all = all.all(implementation(self.table, shape, trait_, items.done())?);
            }
        }
        Ok(all.done())
    }
}

/// Makes the types of functions: an alias for each, and a trait for each kind that they match on.
pub fn functions(table: &Table, lifted: &Lifted) -> Result<TokenStream, Fault> {
    let emit = Emit { table, lifted };
    let mut all = Tokens::default();
    for alias in &lifted.aliases {
        all = all.all(emit.alias(alias));
    }
    for kind in 0..table.kinds.len() {
        all = all.all(emit.kind(kind)?);
    }
    Ok(all.done())
}

/// Makes the items of a table: the traits of kinds that it declares, for each kind a trait that
/// requires all traits through which functions match on it, and the table's functions.
pub fn kinds(table: &Table) -> Result<TokenStream, Fault> {
    let mut all = Tokens::default();
    for kind in &table.kinds {
        let mut required = Tokens::default();
        if kind.declares.is_some() {
            for name in &kind.within {
                let whole = &table.kinds[table.kind(name)?];
                required = required.all(bounds(whole)).text("+");
            }
            required = required.all(kind.bounds.clone());
            if !kind.bounds.is_empty() {
                required = required.text("+");
            }
        }
        for path in &kind.matched_by {
            required = required.all(path.clone()).text("+");
        }
        let name = match &kind.declares {
            Some(name) => name.clone(),
            None if kind.matched_by.is_empty() => continue,
            None => Ident::new(&format!("{}Functions", kind.name), kind.name.span()),
        };
        all = all
            .all(kind.docs.clone())
            .text("pub trait")
            .name(&name)
            .text(":")
            .all(required)
            .braces(TokenStream::new());
        for shape in kind
            .constructors
            .iter()
            .flat_map(|constructor| &constructor.shapes)
        {
            let trait_ = Tokens::default().name(&name).done();
            all = all.all(implementation(table, shape, trait_, TokenStream::new())?);
        }
    }
    for function in &table.functions {
        all = all.all(table_function(function));
    }
    Ok(all.done())
}

fn table_function(function: &Function) -> TokenStream {
    let Body::Type(body) = &function.body else {
        return TokenStream::new();
    };
    let names = function.parameters.iter();
    let names = names.map(|(name, _)| Tokens::default().name(name).done());
    Tokens::default()
        .all(function.docs.clone())
        .text("pub type")
        .name(&function.name)
        .all(angles(names.collect()))
        .text("=")
        .all(body.clone())
        .text(";")
        .done()
}
