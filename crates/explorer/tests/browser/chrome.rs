//! A browser without a window, driven over a pipe by the DevTools protocol: JSON messages one after
//! another, each ended by a zero byte.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A running browser with one page.
pub struct Chrome {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    next: u64,
    session: Option<String>,
    /// The events so far, by the protocol's names.
    pub events: Vec<Value>,
    folder: std::path::PathBuf,
}

/// Returns the first browser of this machine: `$CHROME`, or one of the usual names.
pub fn find() -> Option<String> {
    if let Ok(chosen) = std::env::var("CHROME") {
        return Some(chosen);
    }
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
    ];
    let folders = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file());
    found.map(|path| path.to_string_lossy().into_owned())
}

/// Says that a test checks nothing, and why. The message is written past the capture of output,
/// which hides the output of a test that passes.
pub fn not_run(why: &str) {
    let _ = writeln!(std::io::stderr(), "NOT RUN: {why}");
}

impl Chrome {
    /// Starts a browser.
    pub fn start(program: &str) -> Self {
        // Each browser has its own folder, as tests run at the same time.
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = format!("cutlet-browser-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        // The protocol's pipes are 3 and 4; the shell redirects them.
        let mut child = Command::new("sh")
            .args([
                "-c",
                "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
                "sh",
                program,
            ])
            .args([
                "--headless=new",
                "--disable-gpu",
                "--no-first-run",
                "--remote-debugging-pipe",
                "--hide-scrollbars",
            ])
            // A browser in a container, or one that root starts, has no sandbox of its own.
            .args([
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
            ])
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut from = BufReader::new(child.stdout.take().unwrap());
        let (send, receive) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while matches!(from.read_until(0, &mut bytes), Ok(count) if count > 1) {
                bytes.pop();
                if let Ok(message) = serde_json::from_slice(&bytes)
                    && send.send(message).is_err()
                {
                    return;
                }
                bytes.clear();
            }
        });
        let mut chrome = Self {
            child,
            to,
            from: receive,
            next: 0,
            session: None,
            events: Vec::new(),
            folder,
        };
        let targets = chrome.call("Target.getTargets", json!({}));
        let page = targets["targetInfos"]
            .as_array()
            .unwrap()
            .iter()
            .find(|target| target["type"] == "page")
            .unwrap();
        let attached = chrome.call(
            "Target.attachToTarget",
            json!({ "targetId": page["targetId"], "flatten": true }),
        );
        chrome.session = Some(attached["sessionId"].as_str().unwrap().into());
        for domain in ["Page", "Network", "Runtime"] {
            chrome.call(&format!("{domain}.enable"), json!({}));
        }
        chrome
    }

    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
        self.to.flush().unwrap();
        loop {
            let answer = self
                .from
                .recv_timeout(Duration::from_secs(60))
                .unwrap_or_else(|error| panic!("{method}: {error}"));
            if answer["id"] == json!(self.next) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Returns the value of a script.
    pub fn eval(&mut self, script: &str) -> Value {
        let parameters =
            json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(
            answer.get("exceptionDetails").is_none(),
            "{script}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Waits until a script is true.
    pub fn until(&mut self, script: &str) {
        let begin = Instant::now();
        loop {
            let found = self.eval(script);
            if found == json!(true) {
                return;
            }
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "never: {script} ({found})"
            );
            std::thread::sleep(Duration::from_millis(25));
        }
    }

    /// Goes to an address.
    pub fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.call("Page.navigate", json!({ "url": url }));
        self.until("document.readyState === 'complete'");
    }

    /// Moves the pointer, or presses or releases its button: `mouseMoved`, `mousePressed`,
    /// `mouseReleased`.
    pub fn mouse(&mut self, kind: &str, x: f64, y: f64) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let held = i32::from(kind == "mousePressed");
        self.call(
            "Input.dispatchMouseEvent",
            json!({ "type": kind, "x": x, "y": y, "button": button, "buttons": held, "clickCount": 1 }),
        );
    }

    /// Presses and releases a key, as `ArrowDown`, with the sum of modifiers (8: Shift).
    pub fn key(&mut self, key: &str, modifiers: u32) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        for kind in ["rawKeyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key, "code": key, "modifiers": modifiers, "windowsVirtualKeyCode": code }),
            );
        }
    }

    /// Types a text at the focus.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Sets the size of the window.
    pub fn window(&mut self, width: u32, height: u32) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false }),
        );
    }

    /// Sets the colour scheme that the reader's system prefers: `light` or `dark`.
    pub fn system(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// Saves a screenshot as a file if `EXPLORER_SHOTS` names a folder.
    pub fn shot(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("EXPLORER_SHOTS") else {
            return;
        };
        let answer = self.call(
            "Page.captureScreenshot",
            json!({ "format": "webp", "quality": 82 }),
        );
        let bytes = decoded(answer["data"].as_str().unwrap());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(
            std::path::Path::new(&folder).join(format!("{name}.webp")),
            bytes,
        )
        .unwrap();
    }
}

/// Decodes Base64, the form in which the protocol sends pictures.
fn decoded(text: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for four in text.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four
            .iter()
            .fold(0u32, |bits, byte| bits << 6 | u32::from(digit(*byte)))
            << (6 * (4 - four.len()));
        out.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    out
}

impl Drop for Chrome {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The browser's own children may still write there; files that remain are temporary.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
