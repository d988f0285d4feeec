//! Drives the page in a real browser: each of its functions, by pointer and by keyboard.
//!
//! On a machine without Chromium the tests say so on standard error and check nothing;
//! `tests/http.rs` runs everywhere. `EXPLORER_SHOTS=folder` saves screenshots.
#![cfg(unix)]

mod chrome;
mod look;
mod sight;

use chrome::Chrome;
use explorer::{Explorer, Stop};
use serde_json::json;

struct Page {
    chrome: Chrome,
    url: String,
    stop: Stop,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Page {
    fn drop(&mut self) {
        self.stop.stop();
        let _ = self.thread.take().unwrap().join();
    }
}

/// Opens the page, or returns `None` if there is no browser.
fn page() -> Option<Page> {
    let Some(program) = chrome::find() else {
        chrome::not_run(
            "no Chromium on this machine, so the page was not driven in a browser (set CHROME to one)",
        );
        return None;
    };
    eprintln!("driving the page in {program}");
    let explorer = Explorer::bind(0).unwrap();
    let (url, stop) = (explorer.url(), explorer.stopper());
    let thread = Some(std::thread::spawn(move || explorer.serve()));
    let mut chrome = Chrome::start(&program);
    chrome.window(1280, 800);
    chrome.system("light");
    Some(Page {
        chrome,
        url,
        stop,
        thread,
    })
}

impl Page {
    /// Opens the page at an expression and waits for its picture or message.
    fn at(&mut self, expression: &str) {
        let state = format!("{}#e={}", self.url, encoded(expression));
        self.chrome.open(&state);
        self.answered();
    }

    fn answered(&mut self) {
        self.chrome.until("document.body.dataset.asked !== undefined && document.querySelector('#picture > *') !== null");
    }

    /// Writes an expression in place of the present one, as a person would.
    fn say(&mut self, expression: &str) {
        self.chrome.eval(
            "document.getElementById('text').focus(); document.getElementById('text').select()",
        );
        self.chrome.write(expression);
    }

    /// Returns the middle of the first element that a selector finds, in screen coordinates.
    fn place(&mut self, selector: &str) -> (f64, f64) {
        // Two frames later every element is at its place.
        let script = format!(
            "(async () => {{ const found = document.querySelector({}); \
             found.scrollIntoView({{block: 'center', inline: 'center'}}); \
             for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame); \
             const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        );
        let place = self.chrome.eval(&script);
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    fn point(&mut self, selector: &str) {
        let (x, y) = self.place(selector);
        // A pointer arrives from another place.
        self.chrome.mouse("mouseMoved", x - 40.0, y - 40.0);
        self.chrome.mouse("mouseMoved", x, y);
    }

    fn text(&mut self, selector: &str) -> String {
        self.chrome
            .eval(&format!(
                "document.querySelector({}).textContent",
                json!(selector)
            ))
            .as_str()
            .unwrap()
            .into()
    }

    fn value(&mut self) -> String {
        self.chrome
            .eval("document.getElementById('text').value")
            .as_str()
            .unwrap()
            .into()
    }

    fn count(&mut self, selector: &str) -> u64 {
        self.chrome
            .eval(&format!(
                "document.querySelectorAll({}).length",
                json!(selector)
            ))
            .as_u64()
            .unwrap()
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn the_page_does_what_it_says() {
    let Some(mut page) = page() else { return };
    typing_draws_at_once(&mut page);
    hovering_links_cells(&mut page);
    operands_are_dragged(&mut page);
    a_refused_tiling_is_shown_where_it_breaks(&mut page);
    addresses_hold_the_state(&mut page);
    examples_are_chosen(&mut page);
    the_keyboard_is_enough(&mut page);
    light_and_dark(&mut page);
    labels_can_be_selected(&mut page);
    large_pictures_work(&mut page);
    windows_of_every_size_are_filled(&mut page);
    laws_are_explained(&mut page);
    hostile_texts_stay_text(&mut page);
    nothing_was_fetched_from_elsewhere(&mut page);
    other_origins_get_nothing(&mut page);
}

fn typing_draws_at_once(page: &mut Page) {
    page.at("(4,4):(4,1)");
    assert_eq!(page.count("#picture rect[data-r]"), 16);
    page.say("(2,3):(3,1)");
    page.chrome
        .until("document.querySelectorAll('#picture rect[data-r]').length === 6");
    assert_eq!(page.text("#result .kind"), "a layout");
    assert!(page.text("#laws").contains("6 elements"));
    page.say("Sw<3,3,3> o (8,64):(64,1)");
    page.chrome
        .until("document.querySelectorAll('#picture .panel').length === 2");
    page.chrome.shot("explore-swizzle");
}

fn hovering_links_cells(page: &mut Page) {
    // A, B and C are shown whole: this is the picture of the front pages.
    page.chrome.window(1280, 1190);
    page.at("SM80_16x8x16_F32F16F16F32_TN");
    // A: thread 5 holds 8 values.
    page.point(".panel[data-panel='1'] rect[data-t='5'][data-v='0']");
    page.chrome
        .until("document.getElementById('cell').textContent.includes('thread 5, value 0')");
    assert!(
        page.text("#cell").starts_with("A: coordinate (1,2)"),
        "{}",
        page.text("#cell")
    );
    let lit = page
        .chrome
        .eval("[...document.querySelectorAll('.lit')].every((cell) => cell.dataset.t === '5')");
    assert_eq!(lit, json!(true));
    // 8 cells of A, 4 of B and 4 of C.
    assert_eq!(page.count(".lit"), 16);
    page.chrome.shot("explore-mma");
    page.chrome.system("dark");
    page.chrome.shot("explore-mma-dark");
    page.chrome.system("light");
    // In C: row m of A and column n of B.
    page.point(".panel[data-panel='2'] rect[data-r='3'][data-c='6']");
    page.chrome
        .until("document.querySelectorAll('.lit').length === 33");
    let crossed = page.chrome.eval(
        "[...document.querySelectorAll('[data-panel=\"1\"] .lit')].every((cell) => cell.dataset.r === '3') && \
         [...document.querySelectorAll('[data-panel=\"0\"] .lit')].every((cell) => cell.dataset.c === '6')",
    );
    assert_eq!(crossed, json!(true));
    // Over its label, and by bank.
    page.at("Sw<3,3,3> o (8,64):(64,1)");
    page.chrome
        .eval("document.getElementById('link').value = 'bank'");
    page.point(".panel[data-panel='1'] text.m");
    page.chrome
        .until("document.querySelectorAll('.lit').length === 16");
    assert!(
        page.text("#cell").contains("bank 0"),
        "{}",
        page.text("#cell")
    );
    page.chrome.mouse("mouseMoved", 5.0, 950.0);
    page.chrome
        .until("document.querySelectorAll('.lit').length === 0");
    page.chrome.window(1280, 960);
}

fn operands_are_dragged(page: &mut Page) {
    page.at("zipped_divide((8,8):(1,8), (4,2))");
    assert_eq!(page.count(".shape"), 2);
    let (x, y) = page.place(".shape[data-operand='0'] .grip");
    page.chrome.mouse("mouseMoved", x, y);
    page.chrome.mouse("mousePressed", x, y);
    page.chrome.call(
        "Input.dispatchMouseEvent",
        json!({ "type": "mouseMoved", "x": x + 36.0, "y": y, "button": "left", "buttons": 1 }),
    );
    page.chrome.shot("explore-drag");
    page.chrome.mouse("mouseReleased", x + 36.0, y);
    // 4 columns were added; the strides of a compact layout follow.
    page.chrome
        .until("document.getElementById('text').value === 'zipped_divide((8,12):(1,8), (4,2))'");
    page.chrome
        .until("document.querySelector('.panel').dataset.columns === '12'");
}

fn a_refused_tiling_is_shown_where_it_breaks(page: &mut Page) {
    page.at("zipped_divide((8,8):(1,8), (4,2))");
    page.say("exact_zipped_divide((6,8):(8,1), (4,4))");
    page.chrome
        .until("document.querySelector('#message .words') !== null");
    assert!(
        page.text("#message .words").contains("not admissible"),
        "{}",
        page.text("#message")
    );
    // The message marks the tiler's mode 0, with a caret below it.
    assert_eq!(page.text("#echo mark"), "4");
    let pre = page.text("#message pre");
    let (line, carets) = pre.split_once('\n').unwrap();
    assert_eq!(
        carets.find('^'),
        line.rfind("(4,4)").map(|at| at + 1),
        "{pre}"
    );
    assert_eq!(
        page.chrome
            .eval("document.getElementById('message').getAttribute('role')"),
        json!("alert")
    );
    page.chrome.window(1280, 740);
    page.chrome.shot("explore-refused");
    page.chrome.system("dark");
    page.chrome.shot("explore-refused-dark");
    page.chrome.system("light");
    page.chrome.window(1280, 960);
    // Dragging the tiler to a size that fits corrects the expression.
    page.chrome
        .eval("document.querySelector('.shape[data-operand=\"1\"]').focus()");
    page.chrome.key("ArrowUp", 0);
    page.chrome
        .until("document.getElementById('text').value.endsWith('(3,4))')");
    page.chrome
        .until("document.getElementById('message').textContent === ''");
}

fn addresses_hold_the_state(page: &mut Page) {
    page.at("(4,4):(4,1)");
    page.say("(5,7):(7,1)");
    page.chrome
        .until("document.querySelectorAll('#picture rect[data-r]').length === 35");
    page.chrome.eval(
        "(() => { const bits = document.getElementById('bits'); bits.value = '32'; bits.dispatchEvent(new Event('change')); })()",
    );
    page.chrome.until("location.hash.includes('bits=32')");
    let address = page
        .chrome
        .eval("location.href")
        .as_str()
        .unwrap()
        .to_string();
    page.chrome.open(&address);
    page.chrome
        .until("document.querySelectorAll('#picture rect[data-r]').length === 35");
    assert_eq!(page.value(), "(5,7):(7,1)");
    assert_eq!(
        page.chrome.eval("document.getElementById('bits').value"),
        json!("32")
    );
    // The server never sees the text after `#`.
    page.chrome
        .eval("location.hash = 'e=' + encodeURIComponent('3:1')");
    page.chrome
        .until("document.querySelectorAll('#picture rect[data-r]').length === 3");
}

fn examples_are_chosen(page: &mut Page) {
    page.at("3:1");
    page.chrome
        .until("document.querySelectorAll('#presets option').length > 10");
    let groups = page.count("#presets optgroup");
    assert!(groups >= 8, "{groups}");
    page.chrome.eval(
        "(() => { const list = document.getElementById('presets'); \
         list.value = [...list.options].find((option) => option.text === 'three stages').value; \
         list.dispatchEvent(new Event('change')); })()",
    );
    page.chrome
        .until("document.querySelector('.panel').dataset.rows === '3'");
    assert_eq!(page.value(), "pipeline(3, 12)");
    page.chrome.shot("explore-timeline");
}

fn the_keyboard_is_enough(page: &mut Page) {
    page.at("(4,4):(4,1)");
    // The expression has the focus; every other control is reached with Tab.
    assert_eq!(page.chrome.eval("document.activeElement.id"), json!("text"));
    page.say("zipped_divide((4,4):(4,1), (2,2))");
    page.chrome.key("Enter", 0);
    page.chrome.until("document.querySelectorAll('.panel').length === 2 && document.querySelectorAll('.shape').length === 2");
    let mut seen = Vec::new();
    for _ in 0..14 {
        page.chrome.key("Tab", 0);
        let at = page.chrome.eval("document.activeElement.id || document.activeElement.className || document.activeElement.tagName");
        let ring = page
            .chrome
            .eval("getComputedStyle(document.activeElement).outlineStyle");
        assert_ne!(
            ring,
            json!("none"),
            "{at} does not show that it has the focus"
        );
        seen.push(at.as_str().unwrap().to_string());
        if at == json!("picture") {
            break;
        }
    }
    for wanted in ["shape", "share", "link", "picture"] {
        assert!(
            seen.iter().any(|at| at == wanted),
            "{wanted} is not reached: {seen:?}"
        );
    }
    page.chrome.key("ArrowDown", 0);
    page.chrome
        .until("document.querySelector('.here').dataset.r === '0'");
    page.chrome.key("ArrowDown", 0);
    page.chrome.key("ArrowRight", 0);
    page.chrome.key("ArrowRight", 0);
    page.chrome
        .until("document.querySelector('.here')?.dataset.k === '(1,2)'");
    assert!(
        page.text("#cell").contains("offset 6")
            && page.text("#cell").contains("element 1 of tile 2"),
        "{}",
        page.text("#cell")
    );
    page.chrome.key("PageDown", 0);
    page.chrome
        .until("document.querySelector('.here').parentNode.dataset.panel === '1'");
    page.chrome.key("Escape", 0);
    page.chrome
        .until("document.querySelector('.here') === null");
    // Arrow keys change shapes; Shift doubles.
    page.chrome.eval("document.querySelector('.shape').focus()");
    page.chrome.key("ArrowRight", 8);
    page.chrome
        .until("document.getElementById('text').value === 'zipped_divide((4,8):(8,1), (2,2))'");
    page.chrome
        .until("document.activeElement.className === 'shape'");
}

fn light_and_dark(page: &mut Page) {
    page.at("(4,4):(4,1)");
    let paper = "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector('#picture .paper')).fill";
    let light = page.chrome.eval(paper);
    page.chrome.system("dark");
    let dark = page.chrome.eval(paper);
    assert_ne!(light, dark);
    assert_eq!(dark, json!("rgb(17, 19, 24)rgb(17, 19, 24)"));
    page.chrome.shot("explore-dark");
    page.chrome.eval("(() => { const theme = document.getElementById('theme'); theme.value = 'light'; theme.dispatchEvent(new Event('change')); })()");
    page.chrome.until(&format!("{paper} === {light}"));
    page.chrome.system("light");
    page.chrome.eval("(() => { const theme = document.getElementById('theme'); theme.value = 'dark'; theme.dispatchEvent(new Event('change')); })()");
    page.chrome.until(&format!("{paper} === {dark}"));
}

fn labels_can_be_selected(page: &mut Page) {
    page.at("(4,4):(4,1)");
    let selected = page.chrome.eval(
        "(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('#picture text.title')); \
         getSelection().removeAllRanges(); getSelection().addRange(range); return String(getSelection()); })()",
    );
    assert_eq!(selected, json!("(4,4):(4,1)"));
    let style = page
        .chrome
        .eval("getComputedStyle(document.querySelector('#picture text')).userSelect");
    assert_ne!(style, json!("none"));
    page.chrome.eval("getSelection().removeAllRanges()");
}

fn large_pictures_work(page: &mut Page) {
    page.at("(128,128):(128,1)");
    page.chrome
        .until("document.querySelectorAll('#picture rect[data-r]').length === 16384");
    page.point("#picture rect[data-r='100'][data-c='90']");
    page.chrome
        .until("document.getElementById('cell').textContent.includes('offset 12890')");
}

fn windows_of_every_size_are_filled(page: &mut Page) {
    let edge = |page: &mut Page, selector: &str, side: &str| {
        let script = format!("document.querySelector('{selector}').getBoundingClientRect().{side}");
        page.chrome.eval(&script).as_f64().unwrap()
    };
    // A small picture is enlarged, and the divider reaches to the end of the window.
    page.chrome.window(1280, 800);
    page.at("(4,4):(4,1)");
    page.chrome.shot("explore-small");
    let own = page
        .chrome
        .eval("+document.querySelector('#picture svg').getAttribute('width')");
    let shown = edge(page, "#picture svg", "width");
    assert!(shown >= 1.5 * own.as_f64().unwrap(), "{own} {shown}");
    assert!(edge(page, ".see", "bottom") >= 799.0);
    // On a phone two grids are below each other, and nothing is cut off.
    page.chrome.window(390, 844);
    for expression in [
        "Sw<2,3,3> o (8,32):(32,1)",
        "zipped_divide((8,8):(1,8), (4,2))",
        "(4,4):(4,1)",
    ] {
        page.at(expression);
        page.chrome
            .until("document.querySelector('#picture svg').getBoundingClientRect().right <= 390");
        assert!(edge(page, "#picture svg", "left") >= 0.0, "{expression}");
        let across = page.chrome.eval("document.documentElement.scrollWidth");
        assert_eq!(across, 390, "{expression}");
    }
    page.at("Sw<2,3,3> o (8,32):(32,1)");
    let tops = page.chrome.eval(
        "[...document.querySelectorAll('#picture .panel')].map((panel) => panel.getBoundingClientRect().top)",
    );
    let [first, second] = [&tops[0], &tops[1]].map(|top| top.as_f64().unwrap());
    assert!(second > first + 50.0, "{tops}");
    page.chrome
        .eval("document.querySelector('.see').scrollIntoView()");
    page.chrome.shot("explore-phone");
    page.chrome.window(1280, 800);
}

fn laws_are_explained(page: &mut Page) {
    page.at("(8,64):(64,1)");
    let laws = page.text("#laws");
    for words in [
        "contiguous from 0",
        "widest vector",
        "index order",
        "aligned",
    ] {
        assert!(laws.contains(words), "{words}: {laws}");
    }
}

fn hostile_texts_stay_text(page: &mut Page) {
    page.at("3:1");
    for text in [
        "<img src=x onerror=document.title='harmed'>",
        "</textarea><script>document.title='harmed'</script>",
        "((((((((",
        "\u{1d54f}\u{1d54f}(4",
        "",
    ] {
        page.say(text);
        if text.is_empty() {
            page.chrome.eval("(() => { const text = document.getElementById('text'); text.value = ''; text.dispatchEvent(new Event('input')); })()");
        }
        page.chrome
            .until("document.getElementById('message').textContent !== ''");
        assert_eq!(page.chrome.eval("document.title"), json!("Cutlet explorer"));
        page.say("3:1");
        page.chrome
            .until("document.getElementById('message').textContent === ''");
    }
}

fn nothing_was_fetched_from_elsewhere(page: &mut Page) {
    let asked: Vec<String> = page
        .chrome
        .events
        .iter()
        .filter(|event| event["method"] == "Network.requestWillBeSent")
        .map(|event| {
            event["params"]["request"]["url"]
                .as_str()
                .unwrap_or("")
                .to_string()
        })
        .collect();
    assert!(asked.len() > 20);
    for url in asked {
        assert!(
            url.starts_with(&page.url) || url.starts_with("about:") || url.starts_with("blob:"),
            "{url}"
        );
    }
    // The page ran without an error.
    let thrown: Vec<_> = page
        .chrome
        .events
        .iter()
        .filter(|event| event["method"] == "Runtime.exceptionThrown")
        .collect();
    assert!(thrown.is_empty(), "{thrown:?}");
}

/// Checks that a page of another origin gets nothing. Another port is another origin.
fn other_origins_get_nothing(page: &mut Page) {
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in other.incoming().flatten().take(8) {
            use std::io::{Read, Write};
            let mut stream = stream;
            let _ = stream.read(&mut [0u8; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\nConnection: close\r\n\r\nother");
        }
    });
    page.chrome.open(&format!("http://{address}/"));
    let url = page.url.clone();
    let attempt = |script: String| {
        format!(
            "(async () => {{ try {{ const reply = await fetch({script}); return await reply.text() || reply.type; }} catch (error) {{ return 'refused'; }} }})()"
        )
    };
    for path in ["", "explorer.js", "api/presets"] {
        let found = page
            .chrome
            .eval(&attempt(format!("{}", json!(format!("{url}{path}")))));
        assert_eq!(found, json!("refused"), "{path}");
    }
    let question = format!(
        "{}, {{ method: 'POST', headers: {{ 'Content-Type': 'application/json', 'X-Cutlet-Token': '0' }}, body: '{{\"text\":\"4:1\"}}' }}",
        json!(format!("{url}api/evaluate"))
    );
    assert_eq!(page.chrome.eval(&attempt(question)), json!("refused"));
    // Nor can the other page frame this page, or run its scripts as its own.
    let script = format!(
        "new Promise((done) => {{ const script = document.createElement('script'); script.onload = () => done('run'); \
         script.onerror = () => done('refused'); script.src = {}; document.head.append(script); }})",
        json!(format!("{url}explorer.js"))
    );
    assert_eq!(page.chrome.eval(&script), json!("refused"));
    let frame = format!(
        "new Promise((done) => {{ const frame = document.createElement('iframe'); frame.onload = () => {{ \
         try {{ done(frame.contentDocument ? 'read' : 'closed'); }} catch (error) {{ done('closed'); }} }}; \
         frame.src = {}; document.body.append(frame); setTimeout(() => done('closed'), 3000); }})",
        json!(url)
    );
    assert_eq!(page.chrome.eval(&frame), json!("closed"));
}
