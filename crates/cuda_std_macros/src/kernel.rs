//! `#[kernel]`: the rules for an entry point, and the two functions to which a kernel expands.
//!
//! ```text
//!   parameter   a: &[f32]   ──►   a_address: *const f32, a_length: usize     in the signature
//!                                 let a: &[f32] = from_raw_parts(..);        first line of the body
//! ```
//!
//! Law: after the lines that the macro puts at its start, the body has exactly the bindings of the
//! source. A slice becomes a pair of parameters, because rustc's `ptx-kernel` ABI passes a wide
//! pointer as one 16-byte array, while Rust-CUDA's host code passes two arguments. The pair matches
//! that host code. It also lets LLVM see a pointer parameter, which LLVM knows to point to global
//! memory.
//!
//! Source: Rust-CUDA guide, *Kernel ABI*; PTX ISA, *Kernel Function Parameters*.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, GenericParam, Ident, ItemFn, Pat, PatType, ReturnType, Type};

use crate::grid_constant;
use crate::hints::Hints;
use crate::selection::is_selected;

/// Expands a kernel to its two functions, or to an error for every rule that the kernel breaks.
pub(crate) fn expand(hints: &Hints, mut function: ItemFn) -> TokenStream {
    if let Err(errors) = check(&function) {
        // The function itself is not emitted, because it would only cause further errors.
        return errors.to_compile_error();
    }
    let constants = match grid_constant::take(&mut function) {
        Ok(constants) => constants,
        Err(errors) => return errors.to_compile_error(),
    };
    if let Some(name) = hints.name() {
        function.sig.ident = Ident::new(name, function.sig.ident.span());
    }
    let attributes = &function.attrs;
    let visibility = &function.vis;
    let name = &function.sig.ident;
    let generics = &function.sig.generics;
    let where_clause = &generics.where_clause;
    let statements = &function.block.stmts;

    // If this build does not select the kernel, only its function on the host remains.
    let on_gpu = match is_selected(Some(&name.to_string())) {
        true => quote!(target_arch = "nvptx64"),
        false => quote!(any()),
    };
    // The number of the next parameter in the PTX.
    let mut number = 0;
    let parameters: Vec<Parameter> = function
        .sig
        .inputs
        .iter()
        .enumerate()
        .filter_map(|(index, argument)| match argument {
            FnArg::Typed(typed) => {
                let parameter = match &constants[index] {
                    Some(value) => Parameter::grid_constant(name, number, value, typed),
                    None => Parameter::new(index, typed),
                };
                number += parameter.count;
                Some(parameter)
            }
            FnArg::Receiver(_) => None,
        })
        .collect();
    let directives = hints
        .directives(name)
        .into_iter()
        .chain(parameters.iter().filter_map(|p| p.directive.clone()));
    let passed = parameters.iter().map(|p| &p.passed);
    let bound = parameters.iter().map(|p| &p.bound);
    let copied = parameters.iter().map(|p| &p.check);
    let copied_on_host = copied.clone();
    // `#[inline]`: the function is checked like any other, but compiled only if it is called,
    // because a host has no use for it.
    let inline =
        (!attributes.iter().any(|a| a.path().is_ident("inline"))).then(|| quote!(#[inline]));

    let mut host = function.clone();
    host.sig.abi = None;
    host.attrs.clear();
    host.block.stmts = Vec::new();
    let host_signature = &host.sig;

    // SAFETY (of the emitted `no_mangle`): the host finds the entry by its name, and rustc reports
    // two equal names as a duplicate definition.
    quote! {
        #(
            #[cfg(#on_gpu)]
            #directives
        )*

        #[cfg(#on_gpu)]
        #(#attributes)*
        #[unsafe(no_mangle)]
        #[allow(improper_ctypes_definitions, clippy::too_many_arguments)]
        #visibility unsafe extern "ptx-kernel" fn #name #generics (#(#passed),*) #where_clause {
            #(#copied)*
            #(#bound)*
            #(#statements)*
        }

        #[cfg(not(target_arch = "nvptx64"))]
        #(#attributes)*
        #inline
        #[allow(dead_code, clippy::too_many_arguments)] // An entry of the GPU need not be called here.
        #visibility #host_signature {
            #(#copied_on_host)*
            #(#statements)*
        }
    }
}

/// A parameter as the entry receives it, and the code that converts it to the parameter in the
/// source.
struct Parameter {
    passed: TokenStream,
    bound: TokenStream,
    check: TokenStream,
    /// The number of parameters that the parameter becomes in the PTX.
    count: usize,
    /// The directive for `cuda_builder`.
    directive: Option<TokenStream>,
}

impl Parameter {
    /// Makes the parameter of a grid constant, which is passed by value and used at its place in
    /// parameter space.
    fn grid_constant(kernel: &Ident, number: usize, value: &Type, typed: &PatType) -> Self {
        let PatType { attrs, pat, ty, .. } = typed;
        let hidden = format_ident!("_grid_constant_{number}", span = Span::mixed_site());
        let address = grid_constant::address(kernel, number);
        Self {
            passed: quote!(#(#attrs)* #hidden: #value),
            bound: quote! {
                // SAFETY: the parameter contains a value of the type, and lives as long as the
                // launch.
                #[allow(unused_unsafe)] let #pat: #ty = unsafe { &*(#address as *const #value) };
            },
            check: quote_spanned! { value.span() =>
                const { ::cuda_std::__private::assert_kernel_parameter::<#value>() };
            },
            count: 1,
            directive: Some(grid_constant::directive(kernel, number, value)),
        }
    }

    fn new(index: usize, typed: &PatType) -> Self {
        let PatType { attrs, pat, ty, .. } = typed;
        let check = quote_spanned! { ty.span() =>
            const { ::cuda_std::__private::assert_kernel_parameter::<#ty>() };
        };
        // A type with an elided or named lifetime is not allowed in a const block, but in a plain
        // call.
        let check = if mentions_lifetime(ty) {
            quote_spanned! { ty.span() => ::cuda_std::__private::assert_kernel_parameter::<#ty>(); }
        } else {
            check
        };
        let Some(wide) = Wide::of(ty) else {
            return Self {
                passed: quote!(#(#attrs)* #pat: #ty),
                bound: TokenStream::new(),
                check,
                count: 1,
                directive: None,
            };
        };
        let (address, length) = match &**pat {
            Pat::Ident(named) => (
                format_ident!("{}_address", named.ident, span = Span::mixed_site()),
                format_ident!("{}_length", named.ident, span = Span::mixed_site()),
            ),
            _ => (
                format_ident!("parameter_{index}_address", span = Span::mixed_site()),
                format_ident!("parameter_{index}_length", span = Span::mixed_site()),
            ),
        };
        let (pointer, value) = wide.pass(&address, &length);
        Self {
            passed: quote!(#(#attrs)* #address: #pointer, #(#attrs)* #length: usize),
            bound: quote! {
                // SAFETY: by the kernel ABI, the launch passes the address and the length of one
                // slice.
                #(#attrs)* #[allow(unused_unsafe)] let #pat: #ty = unsafe { #value };
            },
            check,
            count: 2,
            directive: None,
        }
    }
}

/// A wide pointer, recognised by its spelling.
enum Wide {
    Slice(Type),
    Str,
    ConstSlice(Type),
    MutSlice(Type),
}

impl Wide {
    fn of(ty: &Type) -> Option<Self> {
        match ty {
            Type::Paren(inner) => Self::of(&inner.elem),
            Type::Group(inner) => Self::of(&inner.elem),
            Type::Reference(reference) if reference.mutability.is_none() => {
                match strip(&reference.elem) {
                    Type::Slice(slice) => Some(Self::Slice((*slice.elem).clone())),
                    Type::Path(path) if path.path.is_ident("str") => Some(Self::Str),
                    _ => None,
                }
            }
            Type::Ptr(pointer) => match strip(&pointer.elem) {
                Type::Slice(slice) if pointer.mutability.is_some() => {
                    Some(Self::MutSlice((*slice.elem).clone()))
                }
                Type::Slice(slice) => Some(Self::ConstSlice((*slice.elem).clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the type of the address parameter, and the expression that joins address and length
    /// again.
    fn pass(&self, address: &Ident, length: &Ident) -> (TokenStream, TokenStream) {
        match self {
            Self::Slice(element) => (
                quote!(*const #element),
                quote!(::core::slice::from_raw_parts(#address, #length)),
            ),
            Self::Str => (
                quote!(*const u8),
                quote!(::core::str::from_utf8_unchecked(::core::slice::from_raw_parts(#address, #length))),
            ),
            Self::ConstSlice(element) => (
                quote!(*const #element),
                quote!(::core::ptr::slice_from_raw_parts(#address, #length)),
            ),
            Self::MutSlice(element) => (
                quote!(*mut #element),
                quote!(::core::ptr::slice_from_raw_parts_mut(#address, #length)),
            ),
        }
    }
}

fn strip(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => strip(&inner.elem),
        Type::Group(inner) => strip(&inner.elem),
        other => other,
    }
}

/// Whether a reference or a lifetime occurs anywhere in the type.
fn mentions_lifetime(ty: &Type) -> bool {
    ty.to_token_stream().to_string().contains(['&', '\''])
}

/// Checks the signature. Returns an error for every broken rule, at the tokens that break the rule.
fn check(function: &ItemFn) -> Result<(), syn::Error> {
    let signature = &function.sig;
    let mut errors: Vec<syn::Error> = Vec::new();
    let mut refuse = |tokens: &dyn ToTokens, message: &str| {
        errors.push(syn::Error::new_spanned(tokens, message))
    };

    if signature.unsafety.is_none() {
        refuse(
            &signature.fn_token,
            "a kernel must be `unsafe`: write `pub unsafe fn`",
        );
    }
    if let Some(token) = &signature.constness {
        refuse(token, "a kernel cannot be `const`");
    }
    if let Some(token) = &signature.asyncness {
        refuse(token, "a kernel cannot be `async`");
    }
    if let Some(abi) = &signature.abi {
        let c = abi.name.as_ref().is_none_or(|name| name.value() == "C");
        if !c {
            refuse(abi, "#[kernel] sets the ABI itself: remove this one");
        }
    }
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(_) | GenericParam::Const(_) => refuse(
                parameter,
                "a kernel cannot be generic: it is one PTX entry under one name. Write a generic device function and one kernel per type",
            ),
        }
    }
    if let Some(variadic) = &signature.variadic {
        refuse(variadic, "a kernel cannot be variadic");
    }
    if let ReturnType::Type(_, _) = &signature.output {
        refuse(
            &signature.output,
            "a kernel returns nothing: write the result through a pointer",
        );
    }
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                refuse(receiver, "a kernel cannot be a method: it has no `self`")
            }
            FnArg::Typed(typed) => {
                if let Type::ImplTrait(_) = strip(&typed.ty) {
                    refuse(
                        &typed.ty,
                        "a kernel cannot be generic: `impl Trait` is a type parameter",
                    );
                }
                if let Type::Reference(reference) = strip(&typed.ty)
                    && reference.mutability.is_some()
                {
                    refuse(
                        &typed.ty,
                        "a kernel cannot take `&mut`: every thread would hold the same one. Take `*mut`",
                    );
                }
            }
        }
    }
    errors
        .into_iter()
        .reduce(|mut all, next| {
            all.combine(next);
            all
        })
        .map_or(Ok(()), Err)
}
