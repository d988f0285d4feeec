//! Bodies of functions: declarations, and statements within statements.

use super::module::Variable;
use super::source::Source;
use std::fmt::Write as _;

/// The depth to which loops, branches and braces nest.
const DEPTH: usize = 4;
/// The largest number of statements in a body.
const MOST: usize = 60;

/// A body that is being written.
pub struct Body<'v> {
    pub text: String,
    variables: &'v [Variable],
    functions: usize,
    /// Registers `%d` that hold a parameter's pointer.
    pub pointers: Vec<usize>,
    labels: usize,
    statements: usize,
    arrays: Vec<u64>,
}

impl<'v> Body<'v> {
    /// Returns an empty body that uses a module's variables and calls any of `functions` functions.
    pub fn new(variables: &'v [Variable], functions: usize) -> Self {
        Body {
            text: String::new(),
            variables,
            functions,
            pointers: Vec::new(),
            labels: 0,
            statements: 0,
            arrays: Vec::new(),
        }
    }

    /// Returns the text, after the declarations that it uses.
    pub fn finish(self) -> String {
        let mut head = String::from(
            ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<24>; .reg .f32 %f<16>;\n\
             .reg .b64 %d<24>; .reg .f64 %e<8>; .reg .b32 %t;\nmov.u32 %t, %tid.x;\n",
        );
        for (i, bytes) in self.arrays.iter().enumerate() {
            let _ = writeln!(head, ".local .align 8 .b8 own{i}[{bytes}];");
        }
        head + &self.text
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    /// Writes a few statements.
    pub fn statements(&mut self, s: &mut Source, depth: usize) {
        let count = 1 + s.below(if depth == 0 { 24 } else { 6 });
        for _ in 0..count {
            self.statements += 1;
            if self.statements > MOST || s.is_empty() {
                return;
            }
            self.statement(s, depth);
        }
    }

    fn statement(&mut self, s: &mut Source, depth: usize) {
        match s.below(32) {
            0..=8 => self.arithmetic(s),
            9..=17 => self.access(s),
            18 => self.atomic(s),
            19 => self.copy(s),
            20 => self.barrier(s),
            21 => self.exchange(s),
            22 => self.matrix(s),
            23..=25 if depth < DEPTH => self.branch(s, depth),
            26 | 27 if depth < DEPTH => self.repeat(s, depth),
            28 if depth < DEPTH => self.scope(s, depth),
            29 if depth < DEPTH => self.table(s, depth),
            30 => self.call(s),
            31 => self.end(s),
            _ => self.special(s),
        }
    }

    fn arithmetic(&mut self, s: &mut Source) {
        let (r, a, b) = (2 + s.below(20), s.below(22), s.below(22));
        let (d, f) = (8 + s.below(14), s.below(15));
        let (da, fa, fb) = (s.below(22), s.below(15), s.below(15));
        let immediate = s.of(&["1", "4", "31", "-1", "2147483647", "64", "0", "4095"]);
        let text = match s.below(40) {
            0..=3 => format!("add.u32 %r{r}, %r{a}, %r{b};"),
            4..=6 => format!("add.s32 %r{r}, %r{a}, {immediate};"),
            7 => format!("mul.lo.u32 %r{r}, %r{a}, %r{b};"),
            8 => format!("mad.lo.s32 %r{r}, %r{a}, %t, {immediate};"),
            9 => format!("mul.wide.u32 %d{d}, %r{a}, 4;"),
            10 => format!("add.s64 %d{d}, %d{da}, {immediate};"),
            11 => format!("sub.u32 %r{r}, %r{a}, %t;"),
            12 => format!("and.b32 %r{r}, %r{a}, {immediate};"),
            13 => format!("shl.b32 %r{r}, %r{a}, %r{b};"),
            14 => format!("shf.l.wrap.b32 %r{r}, %r{a}, %r{b}, %t;"),
            15 => format!("bfe.u32 %r{r}, %r{a}, %r{b}, {immediate};"),
            16 => format!("prmt.b32 %r{r}, %r{a}, %r{b}, %t;"),
            17 => format!("div.s32 %r{r}, %r{a}, %r{b};"),
            18 => format!("rem.u64 %d{d}, %d{da}, %d{};", s.below(22)),
            19 => format!("setp.lt.s32 %p{}, %r{a}, %r{b};", s.below(8)),
            20 => format!(
                "setp.eq.and.u32 %p{}|%p{}, %t, {immediate}, %p1;",
                s.below(4),
                4 + s.below(4)
            ),
            21 => format!("selp.b32 %r{r}, %r{a}, %r{b}, %p{};", s.below(8)),
            22 => format!("add.f32 %f{f}, %f{fa}, %f{fb};"),
            23 => format!("fma.rn.f32 %f{f}, %f{fa}, %f{fb}, %f{f};"),
            24 => format!("mul.f32 %f{f}, %f{fa}, 0f40490FDB;"),
            25 => format!("div.rn.f32 %f{f}, %f{fa}, %f{fb};"),
            26 => format!("sqrt.approx.ftz.f32 %f{f}, %f{fa};"),
            27 => format!("ex2.approx.f32 %f{f}, %f{fa};"),
            28 => format!("cvt.rn.f32.s32 %f{f}, %r{a};"),
            29 => format!("cvt.rzi.s32.f32 %r{r}, %f{fa};"),
            30 => format!("cvt.rn.f16.f32 %h{}, %f{fa};", s.below(8)),
            31 => format!(
                "fma.rn.f64 %e{0}, %e{1}, %e{0}, %e{1};",
                s.below(8),
                s.below(8)
            ),
            32 => format!("add.rn.f16x2 %r{r}, %r{a}, %r{b};"),
            33 => format!("mov.b64 {{%r{r}, %r{}}}, %d{da};", 2 + s.below(20)),
            34 => format!("mov.b64 %d{d}, {{%r{a}, %r{b}}};"),
            35 => format!("add.cc.u32 %r{r}, %r{a}, %r{b}; addc.u32 %r{r}, %r{r}, 0;"),
            36 => format!("popc.b32 %r{r}, %r{a};"),
            37 => format!("dp4a.u32.u32 %r{r}, %r{a}, %r{b}, %r{r};"),
            38 => format!("cvt.u64.u32 %d{d}, %r{a};"),
            _ => format!("cvt.u32.u64 %r{r}, %d{da};"),
        };
        self.line(&text);
    }

    fn special(&mut self, s: &mut Source) {
        let r = 2 + s.below(20);
        let name = s.of(&[
            "%ctaid.x",
            "%ntid.x",
            "%nctaid.x",
            "%laneid",
            "%warpid",
            "%tid.y",
            "%clock",
            "%lanemask_lt",
            "%smid",
            "%dynamic_smem_size",
            "%ctaid.y",
            "%tid.z",
        ]);
        self.line(&format!("mov.u32 %r{r}, {name};"));
    }

    /// Writes the computation of an address for an access of `bytes` bytes. Returns the state space
    /// to name, and the text between the brackets. Most addresses are in bounds and aligned.
    fn address(&mut self, s: &mut Source, bytes: u64, spaces: &[&str]) -> (String, String) {
        let fits = |v: &&Variable| spaces.contains(&v.space);
        let found: Vec<&Variable> = self.variables.iter().filter(fits).collect();
        let local = spaces.contains(&"local") && s.rarely(40);
        let (space, size, base) = if local {
            let size = s.size();
            let place = self.arrays.len();
            self.arrays.push(size);
            (
                "local".to_owned(),
                size,
                format!("mov.u64 %d23, own{place};"),
            )
        } else if !found.is_empty() && (self.pointers.is_empty() || s.below(2) == 1) {
            let variable = found[s.below(found.len())];
            let base = format!("mov.u64 %d23, {};", variable.name);
            (variable.space.to_owned(), variable.bytes, base)
        } else if !self.pointers.is_empty() && spaces.contains(&"global") {
            let pointer = s.of(&self.pointers);
            (
                "global".to_owned(),
                4096,
                format!("mov.u64 %d23, %d{pointer};"),
            )
        } else {
            let space = s.of(spaces).to_owned();
            (space, 4096, format!("mov.u64 %d23, %d{};", s.below(22)))
        };
        // The mask is a power of two of whole accesses that the variable has, less 1, so it keeps
        // the index in bounds.
        let whole = (size / bytes).max(1);
        let mask = (1 << (63 - whole.leading_zeros())) - 1;
        let index = match s.below(4) {
            0 => "%t".to_owned(),
            1 => "%laneid".to_owned(),
            2 => "%ctaid.x".to_owned(),
            _ => format!("%r{}", s.below(22)),
        };
        let mut text = format!("{base} mov.u32 %r23, {index}; ");
        if !s.rarely(6) {
            let _ = write!(text, "and.b32 %r23, %r23, {}; ", mask & 0xffff_ffff_u64);
        }
        let _ = write!(
            text,
            "mul.wide.u32 %d22, %r23, {bytes}; add.s64 %d23, %d23, %d22;"
        );
        self.line(&text);
        let offset = match s.below(24) {
            22 => s.of(&["+4", "+1", "+-4", "+4096", "+16"]),
            23 => s.of(&["+2147483647", "+-2147483648", "+65536"]),
            _ => "",
        };
        let generic = s.rarely(32) && space != "const";
        if generic && space != "global" {
            self.line(&format!("cvta.{space}.u64 %d23, %d23;"));
        }
        let named = if generic {
            String::new()
        } else {
            format!(".{space}")
        };
        (named, format!("[%d23{offset}]"))
    }

    fn guard(&mut self, s: &mut Source) -> String {
        match s.below(8) {
            6 => format!("@%p{} ", s.below(8)),
            7 => format!("@!%p{} ", s.below(8)),
            _ => String::new(),
        }
    }

    fn access(&mut self, s: &mut Source) {
        let (ty, bytes, file) = s.of(&[
            ("u32", 4, 'r'),
            ("f32", 4, 'f'),
            ("b64", 8, 'd'),
            ("u8", 1, 'r'),
            ("s16", 2, 'r'),
            ("b32", 4, 'r'),
            ("f64", 8, 'e'),
        ]);
        let count: u64 = if bytes < 4 { 1 } else { s.of(&[1, 1, 1, 2, 4]) };
        let count = count.min(16 / bytes);
        let write = s.below(2) == 1;
        let spaces: &[&str] = if write {
            &["global", "shared", "local"]
        } else {
            &["global", "shared", "const", "local"]
        };
        let (space, place) = self.address(s, bytes * count, spaces);
        let most = match file {
            'r' => 20,
            'd' => 12,
            'f' => 12,
            _ => 4,
        };
        let first = if file == 'd' { 8 } else { 2 };
        let at = first + s.below(most - 2);
        let registers = match count {
            1 => format!("%{file}{at}"),
            n => {
                let list: Vec<String> = (0..n as usize)
                    .map(|i| format!("%{file}{}", (at + i).min(first + most - 1)))
                    .collect();
                format!("{{{}}}", list.join(", "))
            }
        };
        let vector = match count {
            1 => String::new(),
            n => format!(".v{n}"),
        };
        let order = if count == 1 && s.rarely(16) && space != ".const" && space != ".local" {
            ".volatile"
        } else {
            ""
        };
        let guard = self.guard(s);
        self.line(&if write {
            format!("{guard}st{order}{space}{vector}.{ty} {place}, {registers};")
        } else {
            format!("{guard}ld{order}{space}{vector}.{ty} {registers}, {place};")
        });
    }

    fn atomic(&mut self, s: &mut Source) {
        let (space, place) = self.address(s, 4, &["global", "shared"]);
        let (r, a) = (2 + s.below(20), s.below(22));
        let guard = self.guard(s);
        let text = match s.below(6) {
            0 => format!("{guard}atom{space}.add.u32 %r{r}, {place}, %r{a};"),
            1 => format!("{guard}red{space}.max.s32 {place}, %r{a};"),
            2 => format!("{guard}atom{space}.cas.b32 %r{r}, {place}, %r{a}, %t;"),
            3 => format!("{guard}atom{space}.exch.b32 %r{r}, {place}, %r{a};"),
            4 => format!("{guard}red{space}.add.f32 {place}, %f{};", s.below(15)),
            _ => format!("{guard}atom{space}.inc.u32 %r{r}, {place}, 7;"),
        };
        self.line(&text);
    }

    fn copy(&mut self, s: &mut Source) {
        if s.below(3) == 2 {
            let text = s.of(&[
                "cp.async.commit_group;",
                "cp.async.wait_group 0;",
                "cp.async.wait_all;",
                "cp.async.wait_group 2;",
            ]);
            return self.line(text);
        }
        let bytes = s.of(&[16, 8, 4]);
        let (space, place) = self.address(s, bytes, &["shared"]);
        if space != ".shared" {
            return;
        }
        self.line("mov.u64 %d21, %d23;");
        let to = place.replace("%d23", "%d21");
        let (space, from) = self.address(s, bytes, &["global"]);
        if space == ".global" {
            let level = if bytes == 16 { "cg" } else { "ca" };
            self.line(&format!(
                "cp.async.{level}.shared.global {to}, {from}, {bytes};"
            ));
        }
    }

    fn barrier(&mut self, s: &mut Source) {
        let p = s.below(8);
        let text = match s.below(12) {
            0..=4 => "bar.sync 0;".to_owned(),
            5 => "bar.warp.sync -1;".to_owned(),
            6 => format!("bar.sync {}, {};", s.below(17), 32 * s.below(33)),
            7 => format!("bar.arrive {}, 64;", s.below(16)),
            8 => format!("bar.red.popc.u32 %r{}, 0, %p{p};", 2 + s.below(20)),
            9 => format!("barrier.sync %r{};", s.below(22)),
            10 => "membar.gl;".to_owned(),
            _ => "nanosleep.u32 10;".to_owned(),
        };
        self.line(&text);
    }

    fn exchange(&mut self, s: &mut Source) {
        let (r, a, p) = (2 + s.below(20), s.below(22), s.below(8));
        let mask = match s.below(8) {
            6 => "0xffff".to_owned(),
            7 => format!("%r{}", s.below(22)),
            _ => "-1".to_owned(),
        };
        let text = match s.below(8) {
            0 => format!(
                "shfl.sync.bfly.b32 %r{r}|%p{p}, %r{a}, {}, 31, {mask};",
                s.below(40)
            ),
            1 => format!("shfl.sync.idx.b32 %r{r}, %r{a}, %t, 31, {mask};"),
            2 => format!("vote.sync.ballot.b32 %r{r}, %p{p}, {mask};"),
            3 => format!("vote.sync.any.pred %p{p}, %p{}, {mask};", s.below(8)),
            4 => format!("match.any.sync.b32 %r{r}, %r{a}, {mask};"),
            5 => format!("redux.sync.add.s32 %r{r}, %r{a}, {mask};"),
            6 => format!("activemask.b32 %r{r};"),
            _ => format!("elect.sync %r{r}|%p{p}, {mask};"),
        };
        self.line(&text);
    }

    fn matrix(&mut self, s: &mut Source) {
        let r = 2 + s.below(14);
        let four = format!("{{%r{r}, %r{}, %r{}, %r{}}}", r + 1, r + 2, r + 3);
        let text = match s.below(5) {
            0 | 1 => {
                let (space, place) = self.address(s, 16, &["shared"]);
                if space != ".shared" {
                    return;
                }
                if s.below(3) == 2 {
                    format!("stmatrix.sync.aligned.m8n8.x4.shared.b16 {place}, {four};")
                } else {
                    let trans = s.of(&["", ".trans"]);
                    format!("ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {four}, {place};")
                }
            }
            2 => format!(
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f1, %f2, %f3, %f4}}, {four}, {{%r2, %r3}}, \
                 {{%f1, %f2, %f3, %f4}};"
            ),
            3 => format!(
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {four}, {four}, {{%r2, %r3}}, {four};"
            ),
            _ => format!(
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {{%f1, %f2, %f3, %f4}}, {four}, {{%r2, %r3}}, \
                 {{%f5, %f6, %f7, %f8}};"
            ),
        };
        self.line(&text);
    }

    fn branch(&mut self, s: &mut Source, depth: usize) {
        let (other, end) = (self.label(), self.label());
        let p = s.below(8);
        if s.below(2) == 1 {
            self.line(&format!(
                "setp.lt.u32 %p{p}, %t, {};",
                s.of(&[1, 7, 32, 33, 64])
            ));
        }
        let uniform = if s.rarely(16) { ".uni" } else { "" };
        self.line(&format!("@%p{p} bra{uniform} {other};"));
        self.statements(s, depth + 1);
        if s.below(2) == 1 {
            self.line(&format!("bra {end};"));
            self.line(&format!("{other}:"));
            self.statements(s, depth + 1);
            self.line(&format!("{end}:"));
        } else {
            self.line(&format!("{other}:"));
            self.line(&format!("{end}:"));
        }
    }

    fn repeat(&mut self, s: &mut Source, depth: usize) {
        let again = self.label();
        let counter = format!("%r{}", 18 + depth);
        let times = match s.below(8) {
            0..=4 => s.below(9).to_string(),
            5 => "%t".to_owned(),
            6 => format!("%r{}", s.below(18)),
            _ => "2147483647".to_owned(),
        };
        self.line(&format!("mov.u32 {counter}, {times};"));
        self.line(&format!("{again}:"));
        self.statements(s, depth + 1);
        self.line(&format!("sub.u32 {counter}, {counter}, 1;"));
        self.line(&format!("setp.gt.s32 %p7, {counter}, 0;"));
        self.line(&format!("@%p7 bra {again};"));
    }

    fn scope(&mut self, s: &mut Source, depth: usize) {
        let braces = if s.rarely(6) { 1 + s.below(120) } else { 1 };
        self.line(&"{".repeat(braces));
        if s.below(3) == 2 {
            let bytes = s.size();
            self.line(&format!(
                ".shared .align 8 .b8 inner{depth}[{bytes}]; .reg .b32 %inner;"
            ));
            self.line(&format!(
                "mov.u32 %inner, inner{depth}; st.shared.u32 [%inner], %t; bar.sync 0; ld.shared.u32 %r2, [%inner];"
            ));
        }
        self.statements(s, depth + 1);
        self.line(&"}".repeat(braces));
    }

    fn table(&mut self, s: &mut Source, depth: usize) {
        let (a, b, end, list) = (self.label(), self.label(), self.label(), self.label());
        let mask = s.of(&[1, 1, 1, 3]);
        self.line(&format!("and.b32 %r17, %r{}, {mask};", s.below(22)));
        self.line(&format!("{list}: .branchtargets {a}, {b};"));
        self.line(&format!("brx.idx %r17, {list};"));
        self.line(&format!("{a}:"));
        self.statements(s, depth + 1);
        self.line(&format!("bra {end};\n{b}:"));
        self.statements(s, depth + 1);
        self.line(&format!("{end}:"));
    }

    fn call(&mut self, s: &mut Source) {
        let (a, d) = (s.below(22), s.below(22));
        match s.below(8) {
            6 => self.line(
                "{ .param .b64 m; .param .b64 n; st.param.b64 [n], 48; call (m), malloc, (n);\n\
                 ld.param.b64 %d20, [m]; }",
            ),
            7 => self.line(&format!(
                "{{ .param .b64 f; .param .b64 g; .param .b32 o; mov.u64 %d19, format;\n\
                 st.param.b64 [f], %d19; st.param.b64 [g], %d{}; call (o), vprintf, (f, g); }}",
                if s.rarely(64) { d } else { 19 }
            )),
            5 => self.line("{ .param .b64 g; st.param.b64 [g], %d20; call free, (g); }"),
            _ if self.functions == 0 => self.special(s),
            _ => {
                let function = s.below(self.functions);
                let guard = if s.rarely(64) { "@%p1 " } else { "" };
                self.line(&format!(
                    "{{ .param .b32 i; .param .b64 j; .param .b32 o; st.param.b32 [i], %r{a}; st.param.b64 [j], %d{d};\n\
                     {guard}call (o), f{function}, (i, j); ld.param.b32 %r{}, [o]; }}",
                    2 + s.below(20)
                ));
            }
        }
    }

    fn end(&mut self, s: &mut Source) {
        let p = s.below(8);
        let text = match s.below(8) {
            0..=3 => format!("@%p{p} ret;"),
            4 | 5 => format!("@%p{p} exit;"),
            6 => format!("@%p{p} trap;"),
            _ => "prefetch.global.L2 [%d1];".to_owned(),
        };
        self.line(&text);
    }
}
