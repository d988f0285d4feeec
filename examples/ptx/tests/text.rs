//! Checks the text of the examples' PTX: no conversion in software, no register in local memory,
//! and vectors where the expectations list them.
//!
//! ```text
//!   "16 bytes an access, four of a thread under way at once"   stream_copy: 4 ld.global.v4.b32, 4 st.global.v4.b32
//! ```

use cuda_builder::software;

/// Returns the name and the body of each entry.
fn kernels(ptx: &str) -> Vec<(&str, &str)> {
    let entries = ptx.split(".entry ").skip(1);
    entries
        .map(|text| {
            let name = text.split_once('(').map_or(text, |(name, _)| name);
            (name, text.split_once("\n}").map_or(text, |(body, _)| body))
        })
        .collect()
}

fn count(body: &str, instruction: &str) -> usize {
    let words = body.split_whitespace();
    words.filter(|word| word.starts_with(instruction)).count()
}

#[test]
fn no_kernel_converts_in_software_or_keeps_registers_in_local_memory() {
    let Ok(ampere) = example_ptx::ptx() else {
        println!("no source of core: nothing is built");
        return;
    };
    for ptx in [ampere, example_ptx::hopper().unwrap()] {
        assert_eq!(software::find(ptx), []);
        assert!(kernels(ptx).len() >= 10);
        for (name, body) in kernels(ptx) {
            for local in ["ld.local", "st.local"] {
                assert_eq!(count(body, local), 0, "{name}: {local}");
            }
        }
    }
}

#[test]
fn vectors_stand_where_the_text_says_so() {
    let Ok(ptx) = example_ptx::ptx() else {
        println!("no source of core: nothing is built");
        return;
    };
    // The vectors that a thread of a tile in bounds reads and writes. The rest of a vector is moved
    // element by element.
    let expected = [
        ("stream_copy", 4, 4),
        ("reduce_sum", 4, 0),
        ("softmax_1024", 1, 1),
        ("softmax_4096", 4, 4),
        ("softmax_8192", 8, 8),
        ("softmax_online", 8, 4),
        ("hgemm_5_swizzle", 8, 0),
        ("hgemm_8_epilogue", 0, 16),
    ];
    for (kernel, reads, writes) in expected {
        let found = kernels(ptx).into_iter().find(|(name, _)| *name == kernel);
        let (_, body) = found.unwrap_or_else(|| panic!("no {kernel}"));
        let vectors = ["ld.global.v4.b32", "st.global.v4.b32"].map(|wide| count(body, wide));
        assert_eq!(vectors, [reads, writes], "{kernel}");
    }
}
