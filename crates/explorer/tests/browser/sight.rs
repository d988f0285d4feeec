//! Checks that everything on the page can be seen: colours have contrast, letters can be read,
//! nothing is cut off at the edge.
//!
//! ```text
//!   phone 390 x 844, desktop 1280 x 800     light, dark     pictures of the explorer, pages of the book
//! ```
//!
//! Laws, at both widths, in light and in dark: a coloured cell has a contrast of 3 or more on its
//! picture's paper, and a label has a contrast of 3 or more on its cell; a picture begins above the
//! fold, in letters of 7 pixels or more, Fit shows all of the picture, and the picture fades on
//! each side where more of it is hidden; text of the explorer and of the book has a contrast of 3
//! or more on its background, and no code ends at the right edge. If there is no browser, or no
//! mdBook for the book, the tests say so and check nothing.

use super::{chrome::Chrome, look, page};
use serde_json::{Value, json};
use std::path::Path;

/// Small and large expressions of every kind that has colours: by offset, bank, thread, warp, tile.
const EXPRESSIONS: &[&str] = &[
    "(4,8):(8,1)",
    "(128,64):(64,1)",
    "Sw<3,3,3> o (8,64):(64,1)",
    "zipped_divide((24,16):(16,1), (4,4))",
    "SM80_16x8x16_F32F16F16F32_TN",
    "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))",
    "pipeline(4, 12)",
];

/// Returns the faults that a script finds on a page with the functions of `sight.js`, as a list of
/// sentences.
pub fn wrong(chrome: &mut Chrome, script: &str) -> Vec<Value> {
    let functions = include_str!("sight.js");
    let found = chrome.eval(&format!("(() => {{ {functions} {script} }})()"));
    found.as_array().unwrap().clone()
}

#[test]
fn pictures_are_seen_and_read() {
    let Some(mut page) = page() else { return };
    for (width, height) in [(390, 844), (1280, 800)] {
        for theme in ["light", "dark"] {
            page.chrome.window(width, height);
            page.chrome.system(theme);
            for expression in EXPRESSIONS {
                let place = format!("{expression} at {width}, {theme}");
                page.at(expression);
                let faint = wrong(
                    &mut page.chrome,
                    "const { fill, contrast } = sight;
                     const paper = fill(document.querySelector('#picture .paper'));
                     const seen = new Map();
                     for (const rect of document.querySelectorAll('#picture svg rect')) {
                       const name = rect.classList[0];
                       if (!['b', 'v', 'paper', 'cover'].includes(name)) seen.set(name, fill(rect));
                     }
                     const faint = [];
                     for (const [name, colour] of seen) {
                       if (contrast(colour, paper) < 3) faint.push(`${name} on paper: ${contrast(colour, paper)}`);
                       const label = document.querySelector(`#picture .on-${name}`);
                       if (label && contrast(fill(label), colour) < 3) faint.push(`label on ${name}`);
                     }
                     return faint;",
                );
                assert!(faint.is_empty(), "{place}: {faint:?}");
                let seen = page.chrome.eval(
                    "(() => { const svg = document.querySelector('#picture svg'), box = document.getElementById('picture'); \
                     const scale = svg.getBoundingClientRect().width / +svg.getAttribute('width'); \
                     const sizes = [...svg.querySelectorAll('text')].map((text) => +text.getAttribute('font-size') * scale); \
                     const cell = svg.querySelector('rect[data-r]').getBoundingClientRect(); \
                     return { letters: Math.min(...sizes), top: box.getBoundingClientRect().top, across: document.documentElement.scrollWidth }; })()",
                );
                let number = |name: &str| seen[name].as_f64().unwrap();
                assert!(number("letters") >= 6.9, "{place}: {seen}");
                assert!(
                    number("top") < f64::from(height) / 2.0,
                    "{place}: below the fold, {seen}"
                );
                assert!(number("across") <= f64::from(width), "{place}: {seen}");
            }
            // A cell that is pointed at keeps its label's colour, the others fade.
            page.at(EXPRESSIONS[4]);
            page.point("#picture .panel[data-panel='1'] rect[data-r='5'][data-c='3']");
            page.chrome
                .until("document.querySelectorAll('#picture rect.lit').length > 1");
            let faint = wrong(
                &mut page.chrome,
                "const { fill, contrast } = sight;
                 const faint = [];
                 for (const cell of document.querySelectorAll('#picture rect.lit')) {
                   if (!cell.labels?.length) faint.push('no label');
                   for (const label of cell.labels ?? []) if (contrast(fill(label), fill(cell)) < 3) faint.push(label.textContent);
                 }
                 return faint;",
            );
            assert!(faint.is_empty(), "linked, {width}, {theme}: {faint:?}");
            // The tiled MMA is larger than its place.
            page.at(EXPRESSIONS[5]);
            page.chrome.shot(&format!("sight-{width}-{theme}"));
            let percent = |page: &mut super::Page| {
                let text = page.text("#percent");
                text.trim_end_matches(" %").parse::<u32>().unwrap()
            };
            let before = percent(&mut page);
            page.chrome
                .eval("document.querySelector('[data-zoom=fit]').click()");
            let fits = page.chrome.eval(
                "(() => { const svg = document.querySelector('#picture svg').getBoundingClientRect(), \
                 box = document.getElementById('picture').getBoundingClientRect(); \
                 return svg.left >= box.left && svg.right <= box.right && svg.bottom <= Math.max(innerHeight, svg.top + 200); })()",
            );
            assert_eq!(fits, json!(true), "{width}, {theme}");
            page.chrome.shot(&format!("sight-fit-{width}-{theme}"));
            let fit = percent(&mut page);
            assert!(fit < before, "{width}, {theme}: {fit} % of {before} %");
            page.chrome
                .eval("document.getElementById('picture').focus()");
            page.chrome
                .eval("document.querySelector('[data-zoom=in]').click()");
            assert!(percent(&mut page) > fit, "{width}, {theme}");
        }
    }
}

/// Texts for which the page shows words: laws, messages with a long line, messages without one,
/// messages before any picture, and the last value while a text is wrong.
const TEXTS: &[&str] = &[
    "Sw<2,3,3> o (8,32):(32,1)",
    "composition((12,(4,8)):(59,(13,1)), (3:4,8:2))",
    "complement((4,4):(1,2), 32)",
    "tiled_copy(SM75_U32x4_LDSM_N, ((32,2),8):((8,256),1), (16,32))",
    "composition((4,8):(8,1), (3:",
    "42",
    "(512,512):(512,1)",
];

#[test]
fn words_are_seen_and_read() {
    let Some(mut page) = page() else { return };
    for (width, height) in [(390, 844), (1280, 800)] {
        for theme in ["light", "dark"] {
            page.chrome.window(width, height);
            page.chrome.system(theme);
            for (number, text) in TEXTS.iter().enumerate() {
                let place = format!("{text} at {width}, {theme}");
                page.at(text);
                words(&mut page, &place);
                page.chrome
                    .shot(&format!("sight-text-{number}-{width}-{theme}"));
            }
            // The last right value is still there while a text is wrong.
            page.at(TEXTS[1]);
            page.say(TEXTS[3]);
            page.chrome
                .until("document.body.classList.contains('stale')");
            words(&mut page, &format!("stale at {width}, {theme}"));
            page.chrome.shot(&format!("sight-stale-{width}-{theme}"));
            // A line longer than the message has all of its characters, each caret below its own.
            let pre = page.text("#message pre");
            let mut lines: Vec<&str> = pre.split('\n').collect();
            let mut carets = 0;
            for at in (1..lines.len()).rev() {
                if lines[at].trim_start().starts_with('^') {
                    let (above, below) = (lines[at - 1], lines.remove(at));
                    carets += below.matches('^').count();
                    assert!(below.len() <= above.len(), "{pre}");
                }
            }
            assert_eq!(lines.concat(), TEXTS[3], "{width}, {theme}");
            assert_eq!(carets, "((32,2),8):((8,256),1)".len(), "{pre}");
        }
    }
}

fn words(page: &mut super::Page, place: &str) {
    let found = wrong(
        &mut page.chrome,
        "return [...sight.faint('body'), ...sight.cut('body', '#picture, #text, #echo'), ...sight.wide(),
                ...sight.flush('body', '#picture', 8)];",
    );
    assert!(found.is_empty(), "{place}: {found:?}");
}

/// Checks that a picture fades on exactly those sides on which more of it is hidden.
#[test]
fn a_picture_fades_where_it_goes_on() {
    let Some(mut page) = page() else { return };
    page.chrome.window(390, 844);
    page.at("(64,64):(64,1)");
    for (corner, fades) in [
        ("0, 0", ["right", "below"]),
        ("99999, 99999", ["left", "above"]),
    ] {
        page.chrome.eval(&format!(
            "document.getElementById('picture').scrollTo({corner})"
        ));
        page.chrome.until(&format!(
            "(() => {{ const style = getComputedStyle(document.getElementById('picture')); \
             const faded = ['left', 'right', 'above', 'below'].filter((side) => parseFloat(style.getPropertyValue('--' + side)) > 0); \
             return style.maskImage.includes('linear-gradient') && JSON.stringify(faded) === {}; }})()",
            json!(json!(fades).to_string())
        ));
    }
    page.at("(4,4):(4,1)");
    page.chrome.until(
        "['--left', '--right', '--above', '--below'].every((side) => document.getElementById('picture').style.getPropertyValue(side) === '0px')",
    );
}

/// Returns every page of the book, by its path in the book.
fn pages(book: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![book.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(book).unwrap().to_string_lossy();
            if path.is_dir() {
                folders.push(path.clone());
            } else if name.ends_with(".html")
                && !["toc.html", "404.html", "print.html"].contains(&&*name)
            {
                found.push(name.into_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_book_is_seen_and_read() {
    let (Some(mut page), Some(book)) = (page(), look::book()) else {
        return;
    };
    let pages = pages(&book);
    assert!(pages.len() > 40, "{pages:?}");
    for name in pages {
        for (width, height) in [(390, 844), (1280, 800)] {
            page.chrome.window(width, height);
            page.chrome
                .open(&format!("file://{}", book.join(&name).display()));
            // The page follows its reader's system, without being loaded again.
            for (theme, class) in [("light", "light"), ("dark", "navy")] {
                page.chrome.system(theme);
                page.chrome.until(&format!(
                    "document.documentElement.classList.contains('{class}')"
                ));
                let found = wrong(
                    &mut page.chrome,
                    "return [...sight.faint('body'), ...sight.cut('main', 'table, .drawing, .drawn'), ...sight.wrapped('main'),
                            ...sight.stray('main'), ...sight.missing('main'), ...sight.shrunk('main'), ...sight.wide()];",
                );
                assert!(found.is_empty(), "{name} at {width}, {theme}: {found:?}");
                let shot = name.trim_end_matches(".html").replace('/', "-");
                page.chrome.shot(&format!("sight-{shot}-{width}-{theme}"));
            }
        }
    }
}
