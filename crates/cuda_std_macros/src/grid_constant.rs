//! `#[grid_constant]`: a parameter that the kernel reads directly from parameter space.
//!
//! ```text
//!   fn k(#[grid_constant] map: &TensorMap)     .param .align 64 .b8 k_param_0[128]
//!                                              map = the address of k_param_0
//! ```
//!
//! Law: the host passes the value, all threads see it at the same address in parameter space, and
//! nothing is copied. rustc would copy a parameter to local memory if its address is taken, so the
//! entry names the parameter in `asm!`. A value whose size is a multiple of 64 bytes is aligned to
//! 64 bytes, as instructions on tensor maps require. rustc aligns parameters to at most 16 bytes,
//! so the macro writes the comment `//cutlet.param k_param_0 64` into the module, and
//! `cuda_builder` sets the alignment.
//!
//! Source: CUDA C++ Programming Guide, *__grid_constant__*; PTX ISA, *Kernel Function Parameters*,
//! *cvta*.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, Ident, ItemFn, Type};

/// Returns, for each parameter, the type to which it refers, or `None` if the parameter is no grid
/// constant. The function also removes the attributes from the parameters.
pub(crate) fn take(function: &mut ItemFn) -> syn::Result<Vec<Option<Type>>> {
    let mut constants = Vec::new();
    for input in &mut function.sig.inputs {
        let FnArg::Typed(typed) = input else {
            constants.push(None);
            continue;
        };
        let before = typed.attrs.len();
        typed
            .attrs
            .retain(|attribute| !attribute.path().is_ident("grid_constant"));
        if typed.attrs.len() == before {
            constants.push(None);
            continue;
        }
        match &*typed.ty {
            Type::Reference(reference)
                if reference.mutability.is_none() && is_thin(&reference.elem) =>
            {
                constants.push(Some((*reference.elem).clone()));
            }
            other => {
                return Err(syn::Error::new_spanned(
                    other,
                    "a grid constant is `&T` with a `T` of known size: the launch passes the `T`",
                ));
            }
        }
    }
    Ok(constants)
}

fn is_thin(ty: &Type) -> bool {
    match ty {
        Type::Slice(_) | Type::TraitObject(_) => false,
        Type::Path(path) => !path.path.is_ident("str"),
        _ => true,
    }
}

/// Returns the name of a parameter in the PTX.
fn symbol(kernel: &Ident, number: usize) -> String {
    format!("{kernel}_param_{number}")
}

/// Returns an expression for the generic address of the parameter, a `u64`.
pub(crate) fn address(kernel: &Ident, number: usize) -> TokenStream {
    let text = format!(
        "{{{{ .reg .b64 t; mov.b64 t, {}; cvta.param.u64 {{0}}, t; }}}}",
        symbol(kernel, number)
    );
    quote! {{
        let address: u64;
        ::core::arch::asm!(#text, out(reg64) address, options(pure, nomem, nostack, preserves_flags));
        address
    }}
}

/// Returns the comment from which `cuda_builder` takes the parameter's alignment.
pub(crate) fn directive(kernel: &Ident, number: usize, value: &Type) -> TokenStream {
    let text = format!("//cutlet.param {} {{0}}", symbol(kernel, number));
    quote! {
        ::core::arch::global_asm!(#text, const ::cuda_std::__private::grid_constant_align::<#value>());
    }
}
