//! What is on the page can be seen: colours stand out, letters can be read, nothing is cut at the
//! edge.
//!
//! ```text
//!   phone 390 x 844, desktop 1280 x 800     light, dark     pictures of the explorer, pages of the book
//! ```
//!
//! Laws, at both widths, in light and in dark: a coloured cell has a contrast of 3 or more on its
//! picture's paper, and a label one of 3 or more on its cell; a picture begins above the fold, in
//! letters of 7 pixels or more, and Fit shows all of it; text of the book has a contrast of 3 or
//! more on what is behind it, and no code ends at the right edge. Where there is no browser, or no
//! mdBook for the book, the tests say so and check nothing.

use super::{chrome::Chrome, look, page};
use serde_json::{Value, json};

/// Small and large, of every kind that has colours: by offset, bank, thread, warp, tile.
const EXPRESSIONS: &[&str] = &[
    "(4,8):(8,1)",
    "(128,64):(64,1)",
    "Sw<3,3,3> o (8,64):(64,1)",
    "zipped_divide((24,16):(16,1), (4,4))",
    "SM80_16x8x16_F32F16F16F32_TN",
    "tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16))",
    "pipeline(4, 12)",
];

/// Functions for scripts in the page: the channels of a colour, and the contrast of two by WCAG 2.
const CONTRAST: &str = "
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => channels(colour).slice(0, 3)
    .map((part) => part / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const fill = (element) => getComputedStyle(element).fill;
";

/// What a script of these functions finds wrong: a list of sentences.
fn wrong(chrome: &mut Chrome, script: &str) -> Vec<Value> {
    let found = chrome.eval(&format!("(() => {{ {CONTRAST} {script} }})()"));
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
                    "const paper = fill(document.querySelector('#picture .paper'));
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
                "const faint = [];
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

/// Pages of the book with messages, code, pictures and tables.
const PAGES: &[&str] = &[
    "index.html",
    "guide/start.html",
    "guide/mistakes.html",
    "guide/messages.html",
    "attention.html",
    "pictures.html",
];

#[test]
fn the_book_is_seen_and_read() {
    let (Some(mut page), Some(book)) = (page(), look::book()) else {
        return;
    };
    for (width, height) in [(390, 844), (1280, 800)] {
        for theme in ["light", "dark"] {
            page.chrome.window(width, height);
            page.chrome.system(theme);
            for name in PAGES {
                page.chrome
                    .open(&format!("file://{}", book.join(name).display()));
                let place = format!("{name} at {width}, {theme}");
                let faint = wrong(
                    &mut page.chrome,
                    "const behind = (element) => {
                       for (let at = element; at; at = at.parentElement) {
                         const colour = getComputedStyle(at).backgroundColor;
                         if ((channels(colour)[3] ?? 1) > 0.5) return colour;
                       }
                       return 'rgb(255, 255, 255)';
                     };
                     const faint = new Set();
                     for (const element of document.querySelectorAll('main *')) {
                       const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
                       if (!own || element.closest('svg, button')) continue;
                       const found = contrast(getComputedStyle(element).color, behind(element));
                       if (found < 3) faint.add(`${element.localName}.${element.className}: ${found.toFixed(2)}`);
                     }
                     return [...faint];",
                );
                assert!(faint.is_empty(), "{place}: {faint:?}");
                let cut = wrong(
                    &mut page.chrome,
                    "return [...document.querySelectorAll('main pre, main pre > code, main p, main li, main img')]
                       .filter((box) => box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0
                         || box.getBoundingClientRect().right > innerWidth + 1 && !box.closest('table'))
                       .map((box) => box.localName + ': ' + box.textContent.slice(0, 60));",
                );
                assert!(cut.is_empty(), "{place}: {cut:?}");
                let missing = wrong(
                    &mut page.chrome,
                    "return [...document.querySelectorAll('main img')].filter((image) => image.naturalWidth === 0)
                       .map((image) => image.src);",
                );
                assert!(missing.is_empty(), "{place}: {missing:?}");
                let shot = name.trim_end_matches(".html").replace('/', "-");
                page.chrome.shot(&format!("sight-{shot}-{width}-{theme}"));
            }
        }
    }
}
