//! A named variable in shared memory: its declaration, and the type that returns its address.
//!
//! ```text
//!   mod storage { struct Tag; global_asm!(".shared .align A .b8 name[N];") }    module level, no locals in scope
//!   impl SharedStorage for storage::Tag { type Value = [f32; N * N]; .. }       in the user's code, sees locals
//! ```
//!
//! Law: each expansion declares one variable. If the code around the expansion is inlined or
//! unrolled several times, the variable's address stays the same, because the declaration is a
//! module-level `global_asm!` and not part of the function.
//!
//! The trait is needed because `global_asm!` is allowed only at the item level of a module, where
//! the names of an enclosing function are not visible. An `impl` is allowed in the function, and
//! takes effect everywhere.
//!
//! Source: PTX ISA, *State Spaces: .shared*.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::sync::atomic::{AtomicU32, Ordering};
use syn::Type;

/// Returns the items that declare shared memory for one `value`, as the tag type `module::Tag`.
pub(crate) fn declare(cuda_std: &TokenStream, module: &Ident, value: &Type) -> TokenStream {
    let name = unique_name();
    let declaration = format!(".shared .align {{align}} .b8 {name}[{{size}}];");
    let address = format!("cvta.shared.u64 {{0}}, {name};");
    let offset = format!("mov.u32 {{0}}, {name};");
    quote! {
        #[doc(hidden)]
        mod #module {
            pub struct Tag;
            ::core::arch::global_asm!(
                #declaration,
                align = const <Tag as #cuda_std::shared::SharedStorage>::ALIGN,
                size = const <Tag as #cuda_std::shared::SharedStorage>::SIZE,
            );
        }
        // SAFETY: the symbol is declared above with this type's size and alignment.
        #[allow(non_local_definitions)]
        unsafe impl #cuda_std::shared::SharedStorage for #module::Tag {
            type Value = #value;
            #[inline(always)]
            fn address() -> *mut Self::Value {
                let address: *mut Self::Value;
                // SAFETY: the instruction takes the address of a symbol and touches no memory. It
                // is not `pure`: see `in_shared`.
                unsafe {
                    ::core::arch::asm!(
                        #address, out(reg64) address,
                        options(nomem, nostack, preserves_flags)
                    );
                }
                #cuda_std::__private::in_shared(address)
            }
            #[inline(always)]
            fn offset() -> u32 {
                let offset: u32;
                // SAFETY: the instruction takes the address of a symbol and touches no memory.
                unsafe {
                    ::core::arch::asm!(
                        #offset, out(reg32) offset,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                offset
            }
        }
    }
}

/// Returns a PTX identifier that no other expansion in the final module has: the crate's name and
/// version distinguish crates, and a counter distinguishes the expansions within a crate. The
/// identifier contains no path, so that the same source gives the same PTX everywhere.
fn unique_name() -> String {
    static EXPANSIONS: AtomicU32 = AtomicU32::new(0);
    let index = EXPANSIONS.fetch_add(1, Ordering::Relaxed);
    let mut name = String::from("cuda_std_shared");
    for variable in ["CARGO_CRATE_NAME", "CARGO_PKG_VERSION"] {
        name.push('_');
        let value = std::env::var(variable).unwrap_or_default();
        name.extend(
            value
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }),
        );
    }
    format!("{name}_{index}")
}
