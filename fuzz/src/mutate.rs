//! Changes PTX text such that most of it stays PTX: changes of single bytes rarely pass the parser.
//!
//! ```text
//!   add.u32 %r1, %r2, 3;      another register, number, modifier or name of the text
//!   ld.global.u32 %r4, [%d1]; statements doubled, left out, swapped, or taken from the pool
//! ```

/// The generator xorshift64*.
pub struct Random(pub u64);

impl Random {
    /// Returns the next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n.max(1)
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> Option<&'a T> {
        list.get(self.below(list.len())).copied()
    }
}

const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "64",
    "128",
    "255",
    "256",
    "65535",
    "2147483647",
    "4294967295",
    "9223372036854775807",
    "18446744073709551615",
    "0f7F800000",
    "-1",
];

/// The first statements of the pool: typical statements, with registers that texts often declare.
const POOL: [&str; 40] = [
    "bar.sync 0;",
    "bar.sync 1, 32;",
    "bar.warp.sync -1;",
    "barrier.sync.aligned 0;",
    "ret;",
    "exit;",
    "trap;",
    "membar.gl;",
    "cp.async.commit_group;",
    "cp.async.wait_group 0;",
    "cp.async.wait_all;",
    "@%p1 bra L;",
    "L:",
    "cp.async.cg.shared.global [%r1], [%rd1], 16;",
    "cp.async.ca.shared.global [%r1], [%rd1], 4, 2;",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];",
    "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r1], {%r2,%r3};",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};",
    "shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;",
    "vote.sync.ballot.b32 %r1, %p1, -1;",
    "match.any.sync.b32 %r1, %r2, -1;",
    "redux.sync.add.s32 %r1, %r2, -1;",
    "atom.global.add.u32 %r1, [%rd1], 1;",
    "atom.shared.cas.b32 %r1, [%r2], 0, 1;",
    "red.global.add.f32 [%rd1], %f1;",
    "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%rd1];",
    "st.shared.v2.u32 [%r1], {%r2,%r3};",
    "ld.local.u64 %rd1, [%rd2+8];",
    "st.local.u32 [%rd1], %r1;",
    "cvta.to.global.u64 %rd1, %rd2;",
    "cvta.local.u64 %rd1, %rd2;",
    "div.rn.f32 %f1, %f2, %f3;",
    "div.s32 %r1, %r2, %r3;",
    "rem.u64 %rd1, %rd2, %rd3;",
    "cvt.rni.s32.f32 %r1, %f1;",
    "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
    "bfe.u32 %r1, %r2, %r3, %r4;",
    "prmt.b32 %r1, %r2, %r3, 0x7531;",
    ".shared .align 16 .b8 more[4096];",
    "call.uni (%r1), f, (%r2);",
];

/// Cuts a text into statements, each with the character that ends it.
fn statements(text: &str) -> Vec<&str> {
    text.split_inclusive([';', '{', '}', ':']).collect()
}

/// Cuts a text into words, numbers and single characters.
fn tokens(text: &str) -> Vec<&str> {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '%' || c == '$';
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if inside(first) {
            rest.find(|c| !inside(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(end);
        list.push(token);
        rest = after;
    }
    list
}

/// Changes a text in one to four places.
pub fn mutate(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(4) {
        text = if random.below(2) == 0 {
            by_statement(&text, random)
        } else {
            by_token(&text, random)
        };
    }
    text
}

fn by_statement(text: &str, random: &mut Random) -> String {
    let mut list = statements(text);
    let at = random.below(list.len() + 1);
    let taken = list.get(random.below(list.len())).copied();
    match random.below(6) {
        0 => list.insert(at, random.of(&POOL).unwrap_or(";")),
        1 => list.insert(at, taken.unwrap_or(";")),
        2 if at < list.len() => drop(list.remove(at)),
        3 if at < list.len() => list[at] = taken.unwrap_or(";"),
        4 if at < list.len() => list[at] = random.of(&POOL).unwrap_or(";"),
        _ if at < list.len() => {
            let other = random.below(list.len());
            list.swap(at, other);
        }
        _ => {}
    }
    list.concat()
}

fn by_token(text: &str, random: &mut Random) -> String {
    let mut list = tokens(text);
    if list.is_empty() {
        return String::new();
    }
    // Looks for a token that is not white space, in up to eight places.
    let mut at = random.below(list.len());
    for _ in 0..8 {
        if list[at].trim().is_empty() {
            at = random.below(list.len());
        }
    }
    let alike = |a: &str, b: &str| {
        let class = |t: &str| match t.chars().next() {
            Some('%') => 0,
            Some(c) if c.is_ascii_digit() => 1,
            Some(c) if c.is_ascii_alphabetic() => 2,
            _ => 3,
        };
        class(a) == class(b)
    };
    let other = (0..16)
        .map(|_| random.below(list.len()))
        .find(|&i| alike(list[i], list[at]) && list[i] != list[at])
        .unwrap_or(at);
    match random.below(5) {
        0 if list[at].starts_with(|c: char| c.is_ascii_digit()) => {
            list[at] = random.of(&NUMBERS).unwrap_or("0");
        }
        0 | 1 => list[at] = list[other],
        2 => list.insert(at, list[other]),
        3 => drop(list.remove(at)),
        _ => list.swap(at, other),
    }
    list.concat()
}
