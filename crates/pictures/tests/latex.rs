//! Checks that LaTeX accepts the pictures: if there is a `pdflatex`, one document with every kind
//! is compiled.

use pictures::{Options, draw_expression, latex};
use std::process::Command;

const KINDS: &[&str] = &[
    "((2,2),(2,2)):((1,4),(2,8))",
    "Sw<2,3,3> o (4,32):(64,1)",
    "SM80_8x8x4_F64F64F64F64_TN",
    "SM80_8x8x4_F64F64F64F64_TN.C",
    "make_tiled_copy(UniversalCopy<u32>, f16, (8,4):(4,1), (1,2))",
    "zipped_divide((4,6):(1,4), (2,2))",
    "pipeline(3, 5)",
    "(64,64):(64,1)",
];

/// Checks the structure on every machine: environments and braces close, and every colour that is
/// used is defined.
#[test]
fn every_picture_is_well_formed() {
    for expression in KINDS {
        let options = Options::default();
        let text = latex::render(&draw_expression(expression, &options).unwrap(), &options);
        for name in ["document", "tikzpicture"] {
            assert_eq!(
                text.matches(&format!("\\begin{{{name}}}")).count(),
                1,
                "{expression}"
            );
            assert_eq!(
                text.matches(&format!("\\end{{{name}}}")).count(),
                1,
                "{expression}"
            );
        }
        let (mut depth, mut escaped) = (0i64, false);
        for c in text.chars() {
            match c {
                '{' if !escaped => depth += 1,
                '}' if !escaped => depth -= 1,
                _ => {}
            }
            escaped = c == '\\' && !escaped;
            assert!(depth >= 0, "{expression}");
        }
        assert_eq!(depth, 0, "{expression}");
        assert!(text.is_ascii(), "{expression}: only what every TeX reads");
        for use_of in ["fill[cutlet", "draw[cutlet", "text=cutlet", "fill=cutlet"] {
            for at in text.match_indices(use_of).map(|(at, _)| at + use_of.len()) {
                let name: String = text[at..]
                    .chars()
                    .take_while(char::is_ascii_alphanumeric)
                    .collect();
                assert!(
                    text.contains(&format!("\\definecolor{{cutlet{name}}}")),
                    "{expression}: {name}"
                );
            }
        }
        // There are more than ten nodes (labels and ticks), and none is empty.
        assert!(
            text.matches("\\node[").count() > 10 && !text.contains("\\selectfont }"),
            "{expression}"
        );
    }
}

#[test]
fn a_document_with_every_kind_compiles() {
    let found = Command::new("pdflatex").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        eprintln!("NOT RUN: no pdflatex on this machine, so no LaTeX picture was compiled");
        return;
    }
    let options = Options::default();
    let mut document =
        String::from("\\documentclass{article}\n\\usepackage{tikz}\n\\begin{document}\n");
    // The last one is taller than a page of this class.
    let small = &KINDS[..KINDS.len() - 1];
    for expression in small {
        document += &latex::figure(&draw_expression(expression, &options).unwrap(), &options);
        document += "\\clearpage\n";
    }
    document += "\\end{document}\n";
    let folder = std::env::temp_dir().join(format!("cutlet-latex-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    // Compiles one picture that is a document by itself, and pictures inside another document.
    let alone = latex::render(&draw_expression(KINDS[2], &options).unwrap(), &options);
    for (name, text, pages) in [("all", document, small.len()), ("alone", alone, 1)] {
        std::fs::write(folder.join(format!("{name}.tex")), text).unwrap();
        let output = Command::new("pdflatex")
            .args([
                "-interaction=nonstopmode",
                "-halt-on-error",
                &format!("{name}.tex"),
            ])
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).replace('\n', " ");
        assert!(output.status.success(), "{name}: {said}");
        assert!(
            said.contains(&format!("({pages} page")),
            "{name} has not {pages} pages: {said}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
