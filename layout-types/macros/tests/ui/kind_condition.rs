//! A condition is not of the kind of truth values.
#![allow(non_camel_case_types, unused)]

macro_rules! table {
    ($macro:ident $($text:tt)*) => {
        layout_types_macros::$macro! { {
            kind Bool = Bool { True, False }
            kind Nat = Nat { Zero, Positive[n: Nat] = One | Twice(n: Nat) }
            kind Tree = Tree { Leaf(n: Nat), Nil, Cons(first: Tree, rest: List) }
            kind List: Tree = List { Nil, Cons(first: Tree, rest: List) }
            kind Path = Path {}
            fn is_zero(n: Nat) -> Bool { <n as Nat>::IsZero }
            fn join(a: List, b: List) -> List { <a as List>::Join<b> }
        } $($text)* }
    };
}

#[layout_types_macros::functions(table)]
mod functions {
    fn choose(n: Nat, a: List) -> List {
        if n { a } else { Nil }
    }
}

fn main() {}
