//! The assertions that users write next to their distributions.
//!
//! Law: each assertion is a constant without generic parameters; `cargo check` evaluates it and
//! reports an error at the line of the assertion.

/// Asserts that the distribution holds every coordinate of a tensor of these extents:
/// `assert_distributes!(D, (M,N))`, or with padding `assert_distributes!(D, (Mp,Np) padded from
/// (M,N))`, each padded extent at least as large as the original extent.
///
/// Replicas are allowed. [`assert_covers!`](layout_types::assert_covers) looks at each element;
/// this macro checks the strides, for any size.
///
/// ```
/// use distribute::prelude::*;
/// assert_distributes!(layout!((4,(4096,16384)):(4096,(1,16384))), (16384,16384));
/// // 10 rows on 4 devices: blocks of 3, the last of which has one.
/// assert_distributes!(layout!((4,(3,8)):(3,(1,12))), (12,8) padded from (10,8));
/// ```
/// ```compile_fail,E0080
/// use distribute::prelude::*;
/// assert_distributes!(layout!((4,2):(2,1)), (10)); // holds 8
/// ```
#[macro_export]
macro_rules! assert_distributes {
    ($d:ty, ($($padded:tt)*) padded from ($($shape:tt)*) $(,)?) => {
        $crate::assert_distributes!($d, ($($padded)*));
        const _: () = $crate::__private::require($crate::padded(
            &<$crate::__private::layout_types::shape!(($($padded)*)) as $crate::__private::Reflect>::VALUE,
            &<$crate::__private::layout_types::shape!(($($shape)*)) as $crate::__private::Reflect>::VALUE,
        ));
    };
    ($d:ty, ($($shape:tt)*) $(,)?) => {
        const _: () = $crate::__private::require(
            <$d as $crate::Distributed>::DISTRIBUTION.covers($crate::elements(
                &<$crate::__private::layout_types::shape!(($($shape)*)) as $crate::__private::Reflect>::VALUE,
            )),
        );
    };
}

/// Asserts the name of the exchange from one distribution to another: `assert_redistribution!(From
/// => To, AllGather)`.
///
/// ```
/// use distribute::prelude::*;
/// type Block = layout!((4,16):(16,1));
/// assert_redistribution!(Block => Block, Nothing);
/// assert_redistribution!(Block => layout!((4,16):(1,4)), AllToAll);
/// assert_redistribution!(layout!((1,64):(0,1)) => layout!((4,64):(0,1)), Broadcast);
/// ```
/// ```compile_fail,E0080
/// use distribute::prelude::*;
/// assert_redistribution!(layout!((4,16):(16,1)) => layout!((4,64):(0,1)), LocalCopy); // an all-gather
/// ```
#[macro_export]
macro_rules! assert_redistribution {
    ($from:ty => $to:ty, $exchange:ident $(,)?) => {
        const _: () = $crate::__private::require($crate::is_exchange(
            &<$from as $crate::Distributed>::DISTRIBUTION,
            &<$to as $crate::Distributed>::DISTRIBUTION,
            $crate::Exchange::$exchange,
        ));
    };
}

/// Asserts that each device can compute its part of `C = A B` from the blocks that it holds:
/// `assert_product!(A, B => C, (M,N,K))`.
///
/// A has extents (M,K), B (K,N), C (M,N). If the distributions do not fit, the message names the
/// operand to exchange, the exchange that moves the fewest elements, and the number of elements
/// that each device receives.
///
/// ```
/// use distribute::prelude::*;
/// type All = layout!((4,(64,64)):(0,(1,64)));
/// type Rows = layout!((4,(16,64)):(16,(1,64)));
/// type Columns = layout!((4,(64,16)):(1024,(1,64)));
/// assert_product!(All, Columns => Columns, (64,64,64)); // column parallel
/// assert_product!(Columns, Rows => Partial<All>, (64,64,64)); // row parallel: k is what is distributed
/// assert_product!(Rows, All => Rows, (64,64,64)); // data parallel
/// ```
/// ```compile_fail,E0080
/// use distribute::prelude::*;
/// type Rows = layout!((4,(16,64)):(16,(1,64)));
/// type Columns = layout!((4,(64,16)):(1024,(1,64)));
/// assert_product!(Rows, Columns => Columns, (64,64,64)); // only the blocks of the diagonal: all-gather A or B
/// ```
#[macro_export]
macro_rules! assert_product {
    ($a:ty, $b:ty => $c:ty, ($m:expr, $n:expr, $k:expr) $(,)?) => {
        const _: () = $crate::__private::require($crate::product(
            &<$a as $crate::Distributed>::DISTRIBUTION,
            &<$b as $crate::Distributed>::DISTRIBUTION,
            &<$c as $crate::Distributed>::DISTRIBUTION,
            $crate::GemmShape {
                m: $m,
                n: $n,
                k: $k,
            },
        ));
    };
}

use crate::distribution::Distribution;
use crate::redistribution::{Exchange, redistribution};
use layout_types::check::{Text, Value, Verdict};

#[doc(hidden)]
pub const fn elements(shape: &Value) -> i64 {
    match shape.size() {
        Ok(size) => size,
        Err(_) => -1,
    }
}

#[doc(hidden)]
pub const fn padded(padded: &Value, shape: &Value) -> Verdict {
    let mut text = Text::new();
    text.say("the padded extents ").text(&padded.notation());
    text.say(" do not hold ").text(&shape.notation());
    match (padded.extents(), shape.extents()) {
        (Ok((padded, rank)), Ok((shape, count))) if rank == count => {
            let mut i = 0;
            while i < rank {
                if padded[i] < shape[i] {
                    text.say(": extent ").number(padded[i]);
                    return Err(*text.say(" is less than ").number(shape[i]));
                }
                i += 1;
            }
            Ok(())
        }
        _ => Err(*text.say(": they have another profile")),
    }
}

#[doc(hidden)]
pub const fn is_exchange(from: &Distribution, to: &Distribution, exchange: Exchange) -> Verdict {
    let found = match redistribution(from, to) {
        Ok(found) => found,
        Err(text) => return Err(text),
    };
    if found.is(exchange) {
        return Ok(());
    }
    let mut text = Text::new();
    text.say("from ").text(&from.notation());
    text.say(" to ").text(&to.notation());
    text.say(" is ").text(&found.text());
    Err(*text.say(", not ").say(exchange.name()))
}
