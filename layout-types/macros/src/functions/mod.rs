//! Functions whose text computes with values, compiled to functions on types.
//!
//! ```text
//!   #[functions(crate::kinds::table)] mod functions { fn .. }
//!       -> table! { functions_of mod functions { fn .. } }            (attribute: asks for the table)
//!       -> functions_of! { { the table } mod functions { fn .. } }    (syntax -> lift -> emit, values)
//! ```
//!
//! | file | what |
//! |---|---|
//! | `cursor.rs` | tokens, read one after another |
//! | `syntax.rs` | the text to a tree |
//! | `table.rs` | the kinds |
//! | `lift.rs` | names and kinds checked; each branch an associated type |
//! | `emit.rs` | types, traits, impls |
//! | `values.rs` | the same functions on values |

mod cursor;
mod emit;
mod lift;
mod syntax;
mod table;
mod values;

use self::cursor::Cursor;
use self::emit::Tokens;
use self::lift::Lift;
use self::table::Table;
use crate::parse::Fault;
use proc_macro::{Delimiter, Span, TokenStream};

/// Makes `table! { functions_of mod .. }`.
pub fn attribute(table: TokenStream, module: TokenStream) -> TokenStream {
    if table.is_empty() {
        let fault = "the table of kinds is missing: `#[functions(path::to::table)]`";
        return Fault::new(Span::call_site(), fault).into_compile_error();
    }
    let text = Tokens::default().text("functions_of").all(module);
    Tokens::default().all(table).text("!").braces(text).done()
}

/// Reads the table in braces, and returns it and the cursor after it.
fn open(input: TokenStream) -> Result<(Table, Cursor), Fault> {
    let mut cursor = Cursor::new(input, Span::call_site());
    let mut inner = cursor.group(Delimiter::Brace, "the table of kinds in braces")?;
    let table = Table::read(&mut inner)?;
    Ok((table, cursor))
}

fn module(input: TokenStream) -> Result<TokenStream, Fault> {
    let (table, mut cursor) = open(input)?;
    let before = cursor.until(|cursor| cursor.sees_word("mod"));
    cursor.word("mod", "a module: `mod functions { .. }`")?;
    let name = cursor.name("the module's name")?;
    let mut inner = cursor.group(Delimiter::Brace, "the functions in braces")?;
    let (uses, text) = syntax::file(&mut inner)?;
    let lifted = Lift::new(&table, &text)?.text(&text)?;
    let inside = Tokens::default()
        .all(uses)
        .all(emit::functions(&table, &lifted)?)
        .all(values::functions(&table, &text)?);
    Ok(Tokens::default()
        .text("#[allow(non_camel_case_types, missing_docs)]")
        .all(before)
        .text("mod")
        .name(&name)
        .braces(inside)
        .done())
}

/// Makes the items of a module of functions.
pub fn functions(input: TokenStream) -> TokenStream {
    module(input).unwrap_or_else(Fault::into_compile_error)
}

/// Makes the traits of kinds.
pub fn kinds(input: TokenStream) -> TokenStream {
    let all = open(input).and_then(|(table, cursor)| {
        cursor.finish("the table is all")?;
        Ok(Tokens::default()
            .all(emit::kinds(&table)?)
            .all(values::tags(&table))
            .done())
    });
    all.unwrap_or_else(Fault::into_compile_error)
}
