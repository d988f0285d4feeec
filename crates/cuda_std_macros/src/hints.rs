//! The options of `#[kernel(..)]`: how the kernel is launched.
//!
//! ```text
//!   #[kernel(threads = 384, min_blocks = 1, cluster = 2)] fn k      .maxntid 384, 1, 1
//!                                                                   .minnctapersm 1
//!                                                                   .reqnctapercluster 2, 1, 1
//! ```
//!
//! Law: if the option `name` is given, it is the kernel's name. `threads`, `min_blocks` and
//! `cluster` each become a directive of the kernel's entry. rustc has no attributes for these
//! directives, so the macro writes them into a comment of the module, `//cutlet.entry k .maxntid
//! 384, 1, 1`, and `cuda_builder` moves them to the entry.
//!
//! Source: PTX ISA, *Performance-Tuning Directives*, *Cluster Dimension Directives*.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, Lit, LitInt, Token, parenthesized};

use crate::text;

/// The largest numbers of threads in a block, of blocks on a multiprocessor, and of blocks in a
/// cluster.
const MAX_THREADS: u32 = 1024;
const MAX_BLOCKS: u32 = 32;
const MAX_CLUSTER: u32 = 16;

/// The parsed options. `name` names the kernel. `grid_dim` and `block_dim`, each `1d`, `2d` or
/// `3d`, change nothing. The others are directives.
#[derive(Default)]
pub(crate) struct Hints {
    name: Option<String>,
    threads: Option<[u32; 3]>,
    min_blocks: Option<u32>,
    cluster: Option<[u32; 3]>,
}

impl Parse for Hints {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut hints = Self::default();
        let mut min_blocks_at = Span::call_site();
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            let known = [
                "name",
                "grid_dim",
                "block_dim",
                "threads",
                "min_blocks",
                "cluster",
            ];
            if !known.iter().any(|option| name == option) {
                return Err(syn::Error::new(
                    name.span(),
                    format!(
                        "`{name}` is not an option of #[kernel]: there are `threads`, `min_blocks`, `cluster`, `name`, \
                         `grid_dim` and `block_dim`"
                    ),
                ));
            }
            input.parse::<Token![=]>()?;
            match name.to_string().as_str() {
                "name" => hints.name = Some(entry_name(&input.parse()?)?),
                "threads" => hints.threads = Some(extents(input, "threads", MAX_THREADS)?),
                "cluster" => hints.cluster = Some(extents(input, "blocks", MAX_CLUSTER)?),
                "min_blocks" => {
                    min_blocks_at = input.span();
                    let [blocks, ..] = extents(input, "blocks", MAX_BLOCKS)?;
                    hints.min_blocks = Some(blocks);
                }
                _ => dimensions(input)?,
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if hints.min_blocks.is_some() && hints.threads.is_none() {
            return Err(syn::Error::new(
                min_blocks_at,
                "`min_blocks` needs `threads`: the registers are shared out among the threads of so many blocks",
            ));
        }
        Ok(hints)
    }
}

/// Returns the name of an entry that is composed of parts. The name must be an identifier, because
/// it becomes the name of a Rust function.
fn entry_name(of: &Expr) -> syn::Result<String> {
    let name = text::of(of).ok_or_else(|| {
        syn::Error::new_spanned(
            of,
            "a kernel's name is a string, or `concat!` of strings, whole numbers and `stringify!`",
        )
    })?;
    match syn::parse_str::<Ident>(&name) {
        Ok(_) => Ok(name),
        Err(_) => Err(syn::Error::new_spanned(
            of,
            format!("`{name}` is not the name of a kernel: it is no identifier"),
        )),
    }
}

/// Reads `1d`, `2d` or `3d`.
fn dimensions(input: ParseStream) -> syn::Result<()> {
    let value: Lit = input.parse()?;
    let text = value.to_token_stream().to_string().to_lowercase();
    if ["1d", "2d", "3d"].contains(&text.as_str()) {
        return Ok(());
    }
    Err(syn::Error::new(
        value.span(),
        format!("`{text}` is not a number of dimensions: write `1d`, `2d` or `3d`"),
    ))
}

/// Reads `384`, `(16, 8)` or `(8, 8, 8)`. The product may be at most `most`.
fn extents(input: ParseStream, what: &str, most: u32) -> syn::Result<[u32; 3]> {
    let span = input.span();
    let mut numbers: Vec<LitInt> = Vec::new();
    if input.peek(syn::token::Paren) {
        let inner;
        parenthesized!(inner in input);
        numbers.extend(inner.parse_terminated(LitInt::parse, Token![,])?);
    } else {
        numbers.push(input.parse()?);
    }
    let mut extents = [1; 3];
    let mut product = Some(1u32);
    for (i, number) in numbers.iter().enumerate() {
        let value: u32 = number.base10_parse()?;
        match extents.get_mut(i) {
            Some(extent) => *extent = value,
            None => return Err(syn::Error::new(number.span(), "at most three dimensions")),
        }
        product = product.and_then(|product| product.checked_mul(value));
    }
    match product.filter(|product| (1..=most).contains(product)) {
        Some(_) => Ok(extents),
        None => {
            let found: Vec<String> = numbers.iter().map(LitInt::to_string).collect();
            Err(syn::Error::new(
                span,
                format!("{} {what}: there are from 1 to {most}", found.join(" x ")),
            ))
        }
    }
}

impl Hints {
    /// Returns the kernel's name, or `None` if the kernel has the name of the function.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the comment from which `cuda_builder` takes the kernel's directives, or `None` if no
    /// option needs a directive.
    pub(crate) fn directives(&self, kernel: &Ident) -> Option<TokenStream> {
        let list = |[x, y, z]: [u32; 3]| format!("{x}, {y}, {z}");
        let threads = self.threads.map(|n| format!(" .maxntid {}", list(n)));
        let blocks = self.min_blocks.map(|n| format!(" .minnctapersm {n}"));
        let cluster = (self.cluster).map(|n| format!(" .reqnctapercluster {}", list(n)));
        let all: String = [threads, blocks, cluster].into_iter().flatten().collect();
        let text = format!("//cutlet.entry {kernel}{all}");
        (!all.is_empty()).then(|| quote!(::core::arch::global_asm!(#text);))
    }
}
