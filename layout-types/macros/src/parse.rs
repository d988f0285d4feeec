//! Parses tokens to a tree.
//!
//! ```text
//!   value   :=  number | '-' number | number '@' number .. | '_' | '(' element , .. ')' | a Rust type
//!   element :=  value | value ':' value
//! ```

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use std::iter::Peekable;

/// The greatest number that the notation accepts: 2^40.
pub const MAX: i64 = 1 << 40;

/// A message about a fault, and the token at which it is.
pub struct Fault {
    pub span: Span,
    pub message: String,
}

impl Fault {
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Fault {
            span,
            message: message.into(),
        }
    }

    /// Makes `::core::compile_error!("message")` at the token.
    pub fn into_compile_error(self) -> TokenStream {
        let at = |tree: TokenTree| {
            let mut tree = tree;
            tree.set_span(self.span);
            tree
        };
        let mut path = TokenStream::new();
        for name in ["core", "compile_error"] {
            path.extend([
                at(Punct::new(':', Spacing::Joint).into()),
                at(Punct::new(':', Spacing::Alone).into()),
                at(Ident::new(name, self.span).into()),
            ]);
        }
        let message = at(Literal::string(&self.message).into());
        path.extend([
            at(Punct::new('!', Spacing::Alone).into()),
            at(Group::new(Delimiter::Brace, message.into()).into()),
        ]);
        path
    }
}

/// A value of the notation.
#[derive(Clone)]
pub enum Node {
    /// An integer.
    Int(i64, Span),
    /// A scaled basis element: the scale and the modes in the order written, innermost first.
    Basis(i64, Vec<i64>, Span),
    /// The underscore, `_`.
    Underscore(Span),
    /// A tuple.
    Tuple(Vec<Node>, Span),
    /// A Rust type, passed through.
    Type(TokenStream, Span),
    /// A shape and a stride.
    Layout(Box<Node>, Box<Node>),
    /// A shape of Rust types, for which the compiler computes the compact layout.
    Compact(Box<Node>),
}

impl Node {
    pub fn span(&self) -> Span {
        match self {
            Node::Int(_, span)
            | Node::Basis(_, _, span)
            | Node::Underscore(span)
            | Node::Tuple(_, span)
            | Node::Type(_, span) => *span,
            Node::Layout(shape, _) => shape.span(),
            Node::Compact(shape) => shape.span(),
        }
    }
}

/// The tokens still to be read.
pub struct Source {
    /// The path of `layout_types`.
    pub root: TokenStream,
    tokens: Peekable<proc_macro::token_stream::IntoIter>,
    /// The place where a missing token would be.
    last: Span,
}

impl Source {
    /// Splits off the path in brackets that the wrapper puts first.
    pub fn open(input: TokenStream) -> Result<Self, Fault> {
        let mut tokens = input.into_iter();
        match tokens.next() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
                Ok(Source {
                    root: group.stream(),
                    tokens: tokens.peekable(),
                    last: Span::call_site(),
                })
            }
            _ => Err(Fault::new(
                Span::call_site(),
                "use the macro of the same name in layout_types",
            )),
        }
    }

    fn inner(&self, group: &Group) -> Self {
        Source {
            root: self.root.clone(),
            tokens: group.stream().into_iter().peekable(),
            last: group.span_close(),
        }
    }

    fn next(&mut self) -> Option<TokenTree> {
        let token = self.tokens.next();
        if let Some(token) = &token {
            self.last = token.span();
        }
        token
    }

    fn peek_punct(&mut self) -> Option<char> {
        match self.tokens.peek() {
            Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
            _ => None,
        }
    }

    /// Checks that no tokens are left.
    pub fn finish(&mut self) -> Result<(), Fault> {
        match self.next() {
            None => Ok(()),
            Some(token) => Err(Fault::new(token.span(), format!("unexpected `{token}`"))),
        }
    }

    /// Reads `shape` or `shape:stride`.
    pub fn layout(&mut self) -> Result<Node, Fault> {
        self.element()
    }

    /// Reads a value or a layout.
    pub fn element(&mut self) -> Result<Node, Fault> {
        let shape = self.value()?;
        if self.peek_punct() == Some(':') {
            self.next();
            let stride = self.value()?;
            return Ok(Node::Layout(shape.into(), stride.into()));
        }
        Ok(shape)
    }

    /// Reads one value, or several with commas between them as a tuple.
    pub fn one_or_tuple(
        &mut self,
        item: fn(&mut Self) -> Result<Node, Fault>,
    ) -> Result<Node, Fault> {
        let first = item(self)?;
        if self.peek_punct() != Some(',') {
            return Ok(first);
        }
        let span = first.span();
        let mut items = vec![first];
        self.rest(&mut items, item)?;
        Ok(Node::Tuple(items, span))
    }

    /// Reads a tuple from all tokens.
    pub fn tuple(&mut self, item: fn(&mut Self) -> Result<Node, Fault>) -> Result<Node, Fault> {
        let first = item(self)?;
        let span = first.span();
        let mut items = vec![first];
        self.rest(&mut items, item)?;
        Ok(Node::Tuple(items, span))
    }

    /// Reads `, item` until the tokens end. The last comma may have no item after it.
    fn rest(
        &mut self,
        items: &mut Vec<Node>,
        item: fn(&mut Self) -> Result<Node, Fault>,
    ) -> Result<(), Fault> {
        while self.peek_punct() == Some(',') {
            self.next();
            if self.tokens.peek().is_none() {
                break;
            }
            items.push(item(self)?);
        }
        Ok(())
    }

    /// Reads a number, `_`, a tuple or a type.
    pub fn value(&mut self) -> Result<Node, Fault> {
        match self.tokens.peek().cloned() {
            None => Err(Fault::new(
                self.last,
                "expected a number, `_` or a parenthesised tuple",
            )),
            Some(TokenTree::Literal(literal)) => {
                self.next();
                self.number(number(&literal)?, literal.span())
            }
            Some(TokenTree::Punct(punct)) if punct.as_char() == '-' => {
                self.next();
                match self.next() {
                    Some(TokenTree::Literal(literal)) => {
                        self.number(-number(&literal)?, literal.span())
                    }
                    other => Err(Fault::new(
                        other.map_or(punct.span(), |token| token.span()),
                        "expected a number after `-`",
                    )),
                }
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                self.next();
                let mut inner = self.inner(&group);
                if inner.tokens.peek().is_none() {
                    return Err(Fault::new(
                        group.span(),
                        "a tuple needs at least one element",
                    ));
                }
                let node = inner.tuple(Source::element)?;
                inner.finish()?;
                match node {
                    Node::Tuple(items, _) => Ok(Node::Tuple(items, group.span())),
                    other => Ok(other),
                }
            }
            // A number or type from a macro variable is in an invisible group.
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
                self.next();
                let mut inner = self.inner(&group);
                let node = inner.element()?;
                inner.finish()?;
                Ok(node)
            }
            Some(TokenTree::Ident(ident)) if ident.to_string() == "_" => {
                self.next();
                Ok(Node::Underscore(ident.span()))
            }
            Some(TokenTree::Ident(ident)) => Ok(self.rust_type(ident.span())),
            Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '<' | ':') => {
                Ok(self.rust_type(punct.span()))
            }
            Some(token) => Err(Fault::new(
                token.span(),
                format!("expected a number, `_` or a parenthesised tuple, found `{token}`"),
            )),
        }
    }

    /// Reads `@mode@mode` after a number.
    fn number(&mut self, value: i64, span: Span) -> Result<Node, Fault> {
        let mut modes = Vec::new();
        while self.peek_punct() == Some('@') {
            self.next();
            match self.next() {
                Some(TokenTree::Literal(literal)) => modes.push(number(&literal)?),
                other => {
                    return Err(Fault::new(
                        other.map_or(self.last, |token| token.span()),
                        "expected the number of a mode after `@`",
                    ));
                }
            }
        }
        Ok(if modes.is_empty() {
            Node::Int(value, span)
        } else {
            Node::Basis(value, modes, span)
        })
    }

    /// Reads the tokens up to a comma or a single colon outside angle brackets.
    fn rust_type(&mut self, span: Span) -> Node {
        let mut tokens = TokenStream::new();
        let mut depth = 0i32;
        loop {
            match self.tokens.peek() {
                None => break,
                Some(TokenTree::Punct(punct)) => match punct.as_char() {
                    ',' if depth == 0 => break,
                    ':' => {
                        let joint = punct.spacing() == Spacing::Joint;
                        if !joint && depth == 0 {
                            break;
                        }
                        // `::` is two tokens, of which only the first is joint.
                        tokens.extend(self.next());
                        if joint {
                            tokens.extend(self.next());
                        }
                        continue;
                    }
                    '<' => depth += 1,
                    '>' => depth -= 1,
                    _ => {}
                },
                Some(_) => {}
            }
            tokens.extend(self.next());
        }
        Node::Type(tokens, span)
    }
}

/// Returns the value of a decimal literal.
fn number(literal: &Literal) -> Result<i64, Fault> {
    let text: String = literal.to_string().chars().filter(|c| *c != '_').collect();
    let fault = |message: String| Err(Fault::new(literal.span(), message));
    match text.parse::<i64>() {
        Ok(value) if value <= MAX => Ok(value),
        Ok(_) => fault(format!(
            "`{literal}` is above 2^40, the greatest number of the notation"
        )),
        Err(_) if text.chars().all(|c| c.is_ascii_digit()) => fault(format!(
            "`{literal}` is above 2^40, the greatest number of the notation"
        )),
        Err(_) => fault(format!("`{literal}` is not a decimal integer")),
    }
}
