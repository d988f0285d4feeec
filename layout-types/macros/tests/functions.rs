//! Checks that functions in text compile to the types that they describe, on a table of a few
//! kinds.

#![allow(missing_docs, non_camel_case_types)]

use layout_types_macros::functions;
use std::marker::PhantomData;

mod kinds {
    pub use super::{At, Cons, False, List, Nat, Nil, Nowhere, Succ, True, Zero};
    use super::{basics, sorting};

    macro_rules! table {
        ($macro:ident $($text:tt)*) => {
            layout_types_macros::$macro! { {
                kind Bool = Truth { True, False } matched by { sorting::OnBool, basics::OnBool }
                kind Nat = Nat { Zero, Succ(less: Nat) } matched by { basics::OnNat }
                kind Counted: Nat = Nat { Positive[n: Nat] = Succ(less: Nat), Zero } matched by { sorting::OnCounted }
                kind List = List { Nil, Cons(first: Nat, others: List = Nil) } matched by { sorting::OnList }
                kind Found = trait Found { Nowhere, At(place: Nat) } matched by { sorting::OnFound }
            } $($text)* }
        };
    }
    pub(crate) use table;
    table!(kinds);
}

#[derive(Default)]
pub struct True;
#[derive(Default)]
pub struct False;
#[derive(Default)]
pub struct Zero;
pub struct Succ<N>(PhantomData<N>);
pub type One = Succ<Zero>;
pub struct Nil;
pub struct Cons<H, T>(PhantomData<(H, T)>);
#[derive(Default)]
pub struct Nowhere;
#[derive(Default)]
pub struct At<N>(PhantomData<N>);

pub trait Truth: kinds::BoolFunctions {
    const VALUE: bool;
}
impl Truth for True {
    const VALUE: bool = true;
}
impl Truth for False {
    const VALUE: bool = false;
}
pub trait Nat: kinds::NatFunctions + kinds::CountedFunctions + Default {
    const VALUE: u64;
}
impl Nat for Zero {
    const VALUE: u64 = 0;
}
impl<N: Nat> Default for Succ<N> {
    fn default() -> Self {
        Succ(PhantomData)
    }
}
impl<N: Nat> Nat for Succ<N> {
    const VALUE: u64 = N::VALUE + 1;
}
pub trait List: kinds::ListFunctions {
    fn values() -> Vec<u64>;
}
impl List for Nil {
    fn values() -> Vec<u64> {
        Vec::new()
    }
}
impl<H: Nat, T: List> List for Cons<H, T> {
    fn values() -> Vec<u64> {
        let mut all = vec![H::VALUE];
        all.extend(T::values());
        all
    }
}

pub mod basics {
    use super::*;
    pub use functions::*;

    #[functions(crate::kinds::table)]
    mod functions {
        use super::*;

        /// Compares two numbers, one step of both at a time.
        fn at_least(a: Nat, b: Nat) -> Bool {
            match b {
                Zero => true,
                Succ(less_b) => match a {
                    Zero => false,
                    Succ(less_a) => at_least(less_a, less_b),
                },
            }
        }
        fn not(b: Bool) -> Bool {
            if b { false } else { true }
        }
        fn plus(a: Nat, b: Nat) -> Nat {
            match a {
                Zero => b,
                Succ(less) => Succ(plus(less, b)),
            }
        }
        fn times(a: Nat, b: Nat) -> Nat {
            match a {
                Zero => 0,
                Succ(less) => b + times(less, b),
            }
        }
        /// Computes a polynomial: sums and products bind as in Rust.
        fn polynomial(x: Nat) -> Nat {
            1 + x * x * (x + 1) + x
        }
    }
}

pub mod sorting {
    use super::basics::{at_least, not, plus};
    use super::kinds::Found;
    use super::*;
    pub use functions::*;

    #[functions(crate::kinds::table)]
    mod functions {
        use super::*;

        fn at_least(a: Nat, b: Nat) -> Bool;
        fn not(b: Bool) -> Bool;
        fn plus(a: Nat, b: Nat) -> Nat;

        fn sort(list: List) -> List {
            match list {
                Nil => list,
                Cons(first, rest) => insert(sort(rest), first),
            }
        }
        fn insert(list: List, n: Nat) -> List {
            match list {
                Nil => Cons(n),
                Cons(first, rest) => {
                    if n < first {
                        Cons(n, list)
                    } else {
                        Cons(first, insert(rest, n))
                    }
                }
            }
        }
        /// Finds the place of the first number above `n`.
        fn find(list: List, n: Nat, place: Nat) -> Found {
            match list {
                Nil => Nowhere,
                Cons(first, rest) => {
                    if first > n {
                        At(place)
                    } else {
                        find(rest, n, place + 1)
                    }
                }
            }
        }
        fn or_zero(found: Found) -> Nat {
            match found {
                At(place) => place,
                _ => 0,
            }
        }
        /// Uses a name for the whole, and a `let`.
        fn twice_or_one(n: Counted) -> Nat {
            let one = 0 + 1;
            match n {
                Positive(whole) => whole + n,
                zero => zero + one,
            }
        }
    }
}

type Two = Succ<One>;
type Three = Succ<Two>;

#[test]
fn a_list_is_sorted() {
    type Unsorted = Cons<Three, Cons<Zero, Cons<Two, Cons<Three, Cons<One, Nil>>>>>;
    assert_eq!(<sorting::sort<Unsorted>>::values(), [0, 1, 2, 3, 3]);
}

#[test]
fn operators_bind_as_in_rust() {
    for (found, x) in [
        (<basics::polynomial<Zero>>::VALUE, 0),
        (<basics::polynomial<Two>>::VALUE, 2),
        (<basics::polynomial<Three>>::VALUE, 3),
    ] {
        assert_eq!(found, 1 + x * x * (x + 1) + x);
    }
    const { assert!(<basics::at_least<Three, Two>>::VALUE) };
    const { assert!(!<basics::at_least<Two, Three>>::VALUE) };
}

#[test]
fn a_kind_that_the_table_declares_is_matched() {
    type List = Cons<One, Cons<Two, Cons<Three, Nil>>>;
    assert_eq!(<sorting::or_zero<sorting::find<List, One, Zero>>>::VALUE, 1);
    assert_eq!(
        <sorting::or_zero<sorting::find<List, Three, Zero>>>::VALUE,
        0
    );
}

#[test]
fn the_whole_has_a_name() {
    assert_eq!(<sorting::twice_or_one<Three>>::VALUE, 6);
    assert_eq!(<sorting::twice_or_one<Zero>>::VALUE, 1);
}
