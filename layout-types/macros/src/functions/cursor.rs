//! A cursor that reads tokens one after another.

use crate::parse::Fault;
use proc_macro::{Delimiter, Ident, Spacing, Span, TokenStream, TokenTree};

/// The tokens of a group that are still to be read.
pub struct Cursor {
    tokens: Vec<TokenTree>,
    next: usize,
    /// The place where a missing token would be.
    end: Span,
}

impl Cursor {
    pub fn new(tokens: TokenStream, end: Span) -> Self {
        Cursor {
            tokens: tokens.into_iter().collect(),
            next: 0,
            end,
        }
    }

    fn peek(&self) -> Option<&TokenTree> {
        self.tokens.get(self.next)
    }

    pub fn is_empty(&self) -> bool {
        self.peek().is_none()
    }

    /// Returns the place of the next token.
    pub fn span(&self) -> Span {
        self.peek().map_or(self.end, TokenTree::span)
    }

    /// Makes the fault `expected ..` at the next token.
    pub fn expected(&self, what: &str) -> Fault {
        match self.peek() {
            Some(token) => {
                let text = token.to_string();
                let found = match token {
                    TokenTree::Group(group) if group.delimiter() != Delimiter::None => &text[..1],
                    _ => text.as_str(),
                };
                Fault::new(token.span(), format!("expected {what}, found `{found}`"))
            }
            None => Fault::new(self.end, format!("expected {what}")),
        }
    }

    /// Checks that no tokens are left.
    pub fn finish(&self, what: &str) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected(&format!("the end ({what})"))),
        }
    }

    /// Whether this operator is next, and not a longer one that begins with it.
    pub fn sees(&self, symbol: &str) -> bool {
        let mut rest = symbol.chars().peekable();
        let mut at = self.next;
        while let Some(character) = rest.next() {
            let Some(TokenTree::Punct(punct)) = self.tokens.get(at) else {
                return false;
            };
            if punct.as_char() != character {
                return false;
            }
            let joint = punct.spacing() == Spacing::Joint
                && matches!(self.tokens.get(at + 1), Some(TokenTree::Punct(next)) if "=>&|".contains(next.as_char()));
            if joint != rest.peek().is_some() {
                return false;
            }
            at += 1;
        }
        true
    }

    pub fn eat(&mut self, symbol: &str) -> bool {
        let found = self.sees(symbol);
        if found {
            self.next += symbol.len();
        }
        found
    }

    pub fn punct(&mut self, symbol: &str, what: &str) -> Result<(), Fault> {
        if self.eat(symbol) {
            Ok(())
        } else {
            Err(self.expected(what))
        }
    }

    pub fn sees_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(TokenTree::Ident(name)) if name.to_string() == word)
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.sees_word(word);
        self.next += usize::from(found);
        found
    }

    pub fn word(&mut self, word: &str, what: &str) -> Result<(), Fault> {
        if self.eat_word(word) {
            Ok(())
        } else {
            Err(self.expected(what))
        }
    }

    pub fn name(&mut self, what: &str) -> Result<Ident, Fault> {
        match self.peek() {
            Some(TokenTree::Ident(name)) => {
                let name = name.clone();
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub fn eat_literal(&mut self) -> Option<String> {
        match self.peek() {
            Some(TokenTree::Literal(literal)) => {
                let text = literal.to_string();
                self.next += 1;
                Some(text)
            }
            _ => None,
        }
    }

    pub fn sees_group(&self, delimiter: Delimiter) -> bool {
        matches!(self.peek(), Some(TokenTree::Group(group)) if group.delimiter() == delimiter)
    }

    /// Reads a group, and returns a cursor over its inside.
    pub fn group(&mut self, delimiter: Delimiter, what: &str) -> Result<Cursor, Fault> {
        match self.peek() {
            Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
                let inner = Cursor::new(group.stream(), group.span_close());
                self.next += 1;
                Ok(inner)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Reads items with a separator between them, to the end. The last separator may have no item
    /// after it.
    pub fn separated<T>(
        &mut self,
        separator: char,
        mut item: impl FnMut(&mut Self) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut items = Vec::new();
        while !self.is_empty() {
            items.push(item(self)?);
            if !self.eat(separator.encode_utf8(&mut [0; 4])) {
                self.finish(&format!("or `{separator}`"))?;
            }
        }
        Ok(items)
    }

    /// Reads the attributes before an item, which include doc comments.
    pub fn attributes(&mut self) -> TokenStream {
        let mut all = TokenStream::new();
        while self.sees("#") && self.next + 1 < self.tokens.len() {
            all.extend(self.tokens[self.next..].iter().take(2).cloned());
            self.next += 2;
        }
        all
    }

    /// Reads the tokens before the first for which `end` is true.
    pub fn until(&mut self, end: impl Fn(&Self) -> bool) -> TokenStream {
        let mut all = TokenStream::new();
        while !self.is_empty() && !end(self) {
            all.extend(self.peek().cloned());
            self.next += 1;
        }
        all
    }

    /// Reads the tokens up to and including `last`.
    pub fn through(&mut self, last: char) -> Result<TokenStream, Fault> {
        let is_last = |cursor: &Self| matches!(cursor.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == last);
        let mut all = self.until(is_last);
        match self.peek() {
            Some(token) => all.extend([token.clone()]),
            None => return Err(self.expected(&format!("`{last}`"))),
        }
        self.next += 1;
        Ok(all)
    }

    pub fn rest(&mut self) -> TokenStream {
        self.until(|_| false)
    }
}
