//! Tests the server over plain sockets: its answers, the requests that it refuses, and the attacks
//! that it survives.

use explorer::{Explorer, Question, Stop, answer, presets};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

struct Server {
    address: SocketAddr,
    token: String,
    stop: Stop,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
    }
}

fn serve() -> Server {
    let explorer = Explorer::bind(0).unwrap();
    let address = explorer
        .url()
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .parse()
        .unwrap();
    let (token, stop) = (explorer.token().to_string(), explorer.stopper());
    let thread = Some(std::thread::spawn(move || explorer.serve()));
    Server {
        address,
        token,
        stop,
        thread,
    }
}

impl Server {
    /// Sends bytes and reads the whole answer: the status and the text.
    fn send(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        // The server may refuse before it has read all bytes.
        let _ = stream.write_all(bytes);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let status = text
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        (status, text)
    }

    fn get(&self, path: &str, headers: &str) -> (u16, String) {
        self.send(
            format!(
                "GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n",
                self.address
            )
            .as_bytes(),
        )
    }

    fn post(&self, path: &str, headers: &str, body: &str) -> (u16, String) {
        let length = body.len();
        self.send(
            format!(
                "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: {length}\r\n{headers}\r\n{body}",
                self.address
            )
            .as_bytes(),
        )
    }

    fn ours(&self) -> String {
        format!(
            "Content-Type: application/json\r\nX-Cutlet-Token: {}\r\n",
            self.token
        )
    }

    fn ask(&self, text: &str) -> Value {
        let (status, answer) = self.post(
            "/api/evaluate",
            &self.ours(),
            &json!({ "text": text }).to_string(),
        );
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

#[test]
fn the_page_is_complete_and_fetches_nothing() {
    let server = serve();
    let (status, page) = server.get("/", "");
    assert_eq!(status, 200);
    assert!(
        page.contains(&server.token)
            && page.contains("default-src 'none'")
            && page.contains("no-store")
    );
    for path in [
        "/explorer.css",
        "/explorer.js",
        "/links.js",
        "/shapes.js",
        "/icon.svg",
        "/api/presets",
    ] {
        let (status, text) = server.get(path, "");
        assert_eq!(status, 200, "{path}");
        let body = text.split_once("\r\n\r\n").unwrap().1;
        let body = body.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !body.contains("http://") && !body.contains("https://") && !body.contains("//cdn"),
            "{path}"
        );
        assert!(!text.contains("Access-Control-Allow"), "{path}");
    }
    assert_eq!(server.get("/../Cargo.toml", "").0, 404);
    assert_eq!(server.get("/api/evaluate", "").0, 405);
    assert_eq!(server.post("/", &server.ours(), "{}").0, 405);
}

#[test]
fn a_question_has_a_value_a_picture_and_operands() {
    let server = serve();
    let found = server.ask("zipped_divide((8,8):(1,8), (4,2))");
    assert_eq!(found["value"], "((4,2),(2,4)):((1,8),(4,16))");
    assert_eq!(found["kind"], "a layout");
    assert!(found["svg"].as_str().unwrap().starts_with("<svg "));
    assert_eq!(found["operands"][0]["order"], "column");
    assert_eq!(found["operands"][1]["modes"][1]["value"], 2);
    assert!(
        found["laws"]
            .as_array()
            .unwrap()
            .contains(&json!(["size", "64 elements"]))
    );
    assert!(found["error"].is_null());
    let timeline = server.ask("pipeline(3, 8)");
    assert!(
        timeline["value"].is_null() && timeline["svg"].is_string() && timeline["error"].is_null()
    );
    let number = server.ask("size((4,8))");
    assert_eq!(number["value"], "32");
    assert!(number["svg"].is_null() && number["no_picture"].is_string());
}

#[test]
fn grids_go_below_each_other_where_there_is_no_room_beside() {
    let size = |width| {
        let question = Question {
            text: "zipped_divide((8,8):(1,8), (4,2))".into(),
            width,
            ..Question::default()
        };
        let svg = answer(&question).svg.unwrap();
        let side = |name: &str| -> f32 {
            let text = svg.split(&format!(" {name}=\"")).nth(1).unwrap();
            text.split('"').next().unwrap().parse().unwrap()
        };
        assert_eq!(svg.matches("data-o=").count(), 128);
        (side("width"), side("height"))
    };
    let (beside, room) = (size(None), size(Some(5000)));
    assert_eq!(beside, room);
    let below = size(Some(350));
    assert!(
        below.0 < 0.7 * beside.0 && below.1 > 1.5 * beside.1,
        "{beside:?} {below:?}"
    );
}

#[test]
fn a_refused_tiling_says_where_in_the_text() {
    let server = serve();
    // Places are counted in UTF-16 units, as scripts count. The last text of this test begins with
    // a sign of two such units and four bytes.
    for (text, place) in [
        (
            "composition((4,6,2):(1,8,64), (4,2):(3,1))",
            "composition((4,6,2):(1,8,64), (4,2):(3,1))",
        ),
        ("coalesce((4,4):(4,1) o 8:3)", "(4,4):(4,1) o 8:3"),
        ("zipped_divid((8,6), (4,3))", "zipped_divid"),
    ] {
        let error = &server.ask(text)["error"];
        let (start, end) = (
            error["start"].as_u64().unwrap() as usize,
            error["end"].as_u64().unwrap() as usize,
        );
        assert!(
            place.contains(&text[start..end]) && end > start,
            "{text}: {error}"
        );
        assert!(error["message"].as_str().unwrap().len() > 10);
    }
    let error = &server.ask("\u{1d54f}(4")["error"];
    assert!(error["start"].as_u64().unwrap() <= 4, "{error}");
}

#[test]
fn other_hosts_are_refused() {
    let server = serve();
    let port = server.address.port();
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "127.0.0.1:1",
        &format!("127.0.0.2:{port}"),
        "",
    ] {
        for path in ["/", "/explorer.js", "/api/presets"] {
            let (status, text) =
                server.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes());
            assert_eq!(status, 403, "{host}: {text}");
            assert!(!text.contains(&server.token));
        }
        let body = r#"{"text":"4:1"}"#;
        let request = format!(
            "POST /api/evaluate HTTP/1.1\r\nHost: {host}\r\nContent-Length: {}\r\n{}\r\n{body}",
            body.len(),
            server.ours()
        );
        assert_eq!(server.send(request.as_bytes()).0, 403, "{host}");
    }
    assert_eq!(
        server.send(b"GET / HTTP/1.1\r\n\r\n").0,
        403,
        "no host at all"
    );
    let two = format!(
        "GET / HTTP/1.1\r\nHost: {0}\r\nHost: {0}\r\n\r\n",
        server.address
    );
    assert_eq!(server.send(two.as_bytes()).0, 403, "two hosts");
    let local = format!("GET / HTTP/1.1\r\nHost: LOCALHOST:{port}\r\n\r\n");
    assert_eq!(server.send(local.as_bytes()).0, 200);
}

#[test]
fn other_origins_are_refused() {
    let server = serve();
    let port = server.address.port();
    let body = r#"{"text":"4:1"}"#;
    let ours = server.ours();
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        &format!("https://127.0.0.1:{port}"),
        "http://localhost:1",
    ] {
        let header = format!("Origin: {origin}\r\n");
        assert_eq!(
            server
                .post("/api/evaluate", &format!("{ours}{header}"), body)
                .0,
            403,
            "{origin}"
        );
        assert_eq!(server.get("/api/presets", &header).0, 403, "{origin}");
        assert_eq!(server.get("/", &header).0, 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        let header = format!("Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: no-cors\r\n");
        assert_eq!(server.get("/explorer.js", &header).0, 403, "{site}");
        assert_eq!(server.get("/", &header).0, 403, "{site}");
        assert_eq!(
            server
                .post("/api/evaluate", &format!("{ours}{header}"), body)
                .0,
            403,
            "{site}"
        );
    }
    // A link in a mail opens the page.
    assert_eq!(
        server
            .get(
                "/",
                "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
            )
            .0,
        200
    );
    for origin in [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
    ] {
        let header = format!("Origin: {origin}\r\nSec-Fetch-Site: same-origin\r\n");
        assert_eq!(
            server
                .post("/api/evaluate", &format!("{ours}{header}"), body)
                .0,
            200,
            "{origin}"
        );
    }
}

#[test]
fn a_question_needs_the_token_and_the_type() {
    let server = serve();
    let body = r#"{"text":"4:1"}"#;
    let json = "Content-Type: application/json\r\n";
    assert_eq!(server.post("/api/evaluate", json, body).0, 403);
    assert_eq!(
        server
            .post(
                "/api/evaluate",
                &format!("{json}X-Cutlet-Token: {}\r\n", "0".repeat(32)),
                body
            )
            .0,
        403
    );
    assert_eq!(
        server
            .post(
                "/api/evaluate",
                &format!("{json}X-Cutlet-Token: \r\n"),
                body
            )
            .0,
        403
    );
    let token = format!("X-Cutlet-Token: {}\r\n", server.token);
    // These are the media types that a form can send.
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
    ] {
        assert_eq!(
            server
                .post("/api/evaluate", &format!("{token}{kind}"), body)
                .0,
            403,
            "{kind}"
        );
    }
    assert_eq!(
        server
            .post("/api/evaluate", &format!("{json}{token}"), body)
            .0,
        200
    );
    let options = format!(
        "OPTIONS /api/evaluate HTTP/1.1\r\nHost: {}\r\n\r\n",
        server.address
    );
    assert_eq!(
        server.send(options.as_bytes()).0,
        405,
        "no preflight is answered"
    );
    let other = serve();
    assert_ne!(other.token, server.token);
    assert_eq!(server.token.len(), 32);
}

#[test]
fn what_is_no_request_is_refused_and_the_server_goes_on() {
    let server = serve();
    let ours = server.ours();
    assert_eq!(server.send(b"\r\n\r\n").0, 400);
    assert_eq!(server.send(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n").0, 400);
    assert_eq!(server.send(&vec![b'a'; 20 << 10]).0, 431);
    let many = format!(
        "GET / HTTP/1.1\r\nHost: {}\r\n{}\r\n",
        server.address,
        "A: b\r\n".repeat(100)
    );
    assert_eq!(server.send(many.as_bytes()).0, 400);
    let head = |length: &str| {
        format!(
            "POST /api/evaluate HTTP/1.1\r\nHost: {}\r\n{ours}Content-Length: {length}\r\n\r\n",
            server.address
        )
    };
    for (length, status) in [
        ("99999999", 413),
        ("99999999999999999999999999", 413),
        ("-1", 400),
        ("4 4", 400),
        ("+4", 400),
    ] {
        assert_eq!(server.send(head(length).as_bytes()).0, status, "{length}");
    }
    let chunks = format!(
        "POST /api/evaluate HTTP/1.1\r\nHost: {}\r\n{ours}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        server.address
    );
    assert_eq!(server.send(chunks.as_bytes()).0, 411);
    for body in ["", "{", "4", r#"{"text":4}"#, r#"{"other":1}"#] {
        assert_eq!(server.post("/api/evaluate", &ours, body).0, 400, "{body}");
    }
    assert_eq!(
        server
            .post("/api/draw", &ours, r#"{"text":"4:1","format":"exe"}"#)
            .0,
        400
    );
    assert_eq!(server.get("/", "").0, 200);
}

#[test]
fn a_slow_request_is_given_up_and_holds_nobody_up() {
    let server = serve();
    let mut slow: Vec<TcpStream> = (0..8)
        .map(|_| TcpStream::connect(server.address).unwrap())
        .collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HT").unwrap();
    }
    let begin = Instant::now();
    assert_eq!(server.get("/", "").0, 200);
    assert!(
        begin.elapsed() < Duration::from_secs(4),
        "another request waited for them"
    );
    let mut rest = Vec::new();
    slow[0]
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let _ = slow[0].read_to_end(&mut rest);
    assert!(
        begin.elapsed() < Duration::from_secs(15),
        "the slow one was not given up"
    );
}

#[test]
fn half_open_requests_shut_nobody_out() {
    let server = serve();
    // There are more connections than the server has places.
    let half_open: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(b"GET / HT").unwrap();
            stream
        })
        .collect();
    let begin = Instant::now();
    for _ in 0..20 {
        assert_eq!(server.get("/", "").0, 200);
    }
    assert!(
        begin.elapsed() < Duration::from_secs(5),
        "{:?}",
        begin.elapsed()
    );
    drop(half_open);
}

#[test]
fn many_clients_wait_and_are_all_answered() {
    let server = serve();
    let questions: Vec<String> = (0..20)
        .map(|client| format!("zipped_divide((16,{}):(1,16), (8,8))", 16 + 8 * client))
        .collect();
    let server = &server;
    let refused: Vec<String> = std::thread::scope(|scope| {
        let clients: Vec<_> = questions
            .iter()
            .map(|text| {
                scope.spawn(move || {
                    let body = json!({ "text": text }).to_string();
                    let (status, answer) = server.post("/api/evaluate", &server.ours(), &body);
                    (status != 200).then(|| format!("{text}: {status} {answer:.80}"))
                })
            })
            .collect();
        clients
            .into_iter()
            .filter_map(|client| client.join().unwrap())
            .collect()
    });
    assert_eq!(refused, [""; 0]);
}

/// Checks that clients that ask for large answers and do not read them hold a bounded number of
/// bytes, while small answers are still served.
#[test]
fn slow_readers_hold_no_more_than_there_is_room_for() {
    let server = serve();
    let question = json!({ "text": "(256,256):(256,1)" }).to_string();
    let request = format!(
        "POST /api/evaluate HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n{}\r\n{question}",
        server.address,
        question.len(),
        server.ours()
    );
    let mut readers: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            stream
                .set_read_timeout(Some(Duration::from_secs(30)))
                .unwrap();
            stream
        })
        .collect();
    let mut sizes = Vec::new();
    for stream in &mut readers {
        // Reads the head, and not a byte more.
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        if head.starts_with("HTTP/1.1 200") {
            let length = head.split("Content-Length: ").nth(1).unwrap();
            sizes.push(length.split('\r').next().unwrap().parse::<usize>().unwrap());
        } else {
            assert!(head.starts_with("HTTP/1.1 503"), "{head}");
        }
    }
    let held: usize = sizes.iter().sum();
    assert!(!sizes.is_empty() && sizes[0] > 4 << 20, "{sizes:?}");
    assert!(sizes.len() < 8 && held <= 64 << 20, "{sizes:?}");
    server.ask("(8,8):(8,1)");
    // Once the readers are gone, there is memory for large answers again.
    drop(readers);
    let begin = Instant::now();
    while server.send(request.as_bytes()).0 != 200 {
        assert!(begin.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn hostile_expressions_are_answered_soon() {
    let server = serve();
    let begin = Instant::now();
    for text in [
        "(".repeat(30_000),
        "((((".repeat(2000) + "1",
        "coalesce(".repeat(3000),
        "99999999999999999999999:1".into(),
        "(9223372036854775807,2):(1,1)".into(),
        "(1048576,1048576):(1,0)".into(),
        "0:0".into(),
        "(2,0):(1,1)".into(),
        "Sw<63,63,63> o 4:1".into(),
        "complement((4,4), 9223372036854775807)".into(),
        "\u{0}\u{1}\u{7f}".into(),
        "<script>alert(1)</script>".into(),
        "pipeline(16, 256)".into(),
        "pipeline(99, 1)".into(),
        "(256,256)".into(),
    ] {
        let found = server.ask(&text);
        let said =
            found["error"].is_object() || found["value"].is_string() || found["svg"].is_string();
        assert!(said, "{:.60}: {found:.200}", text);
    }
    assert!(begin.elapsed() < Duration::from_secs(40));
}

#[test]
fn files_are_what_they_are_called() {
    let server = serve();
    for (format, begins) in [
        ("svg", "<svg "),
        ("png", "\u{fffd}PNG"),
        ("tex", "\\documentclass"),
        ("txt", "(4,4):(4,1)"),
    ] {
        let question =
            json!({ "text": "(4,4):(4,1)", "format": format, "theme": "light" }).to_string();
        let (status, text) = server.post("/api/draw", &server.ours(), &question);
        assert_eq!(status, 200);
        assert!(
            text.split_once("\r\n\r\n").unwrap().1.starts_with(begins),
            "{format}: {:.80}",
            text
        );
    }
}

#[test]
fn every_example_has_a_picture_or_is_refused_on_purpose() {
    for preset in presets() {
        let found = answer(&Question {
            text: preset.text.into(),
            ..Question::default()
        });
        if preset.name.contains("refused") {
            let error = found
                .error
                .unwrap_or_else(|| panic!("{} is not refused", preset.text));
            assert!(
                error.message.contains("not admissible"),
                "{}",
                error.message
            );
        } else {
            assert!(
                found.svg.is_some(),
                "{}: {:?} {:?}",
                preset.text,
                found.error,
                found.no_picture
            );
        }
    }
    let pages = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/walkthroughs");
    for preset in presets() {
        let page = pages.join(format!("{}.md", preset.group));
        assert!(
            page.exists() || ["the algebra", "swizzles"].contains(&preset.group),
            "{}",
            preset.group
        );
    }
}
