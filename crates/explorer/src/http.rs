//! The part of HTTP/1.1 that one page needs: a request with a length, then an answer, then the
//! connection is closed.
//!
//! ```text
//!   POST /api/evaluate HTTP/1.1            method and path: at most 16 kB with all headers, 64 headers
//!   Host: 127.0.0.1:7326
//!   Content-Length: 37                     at most 64 kB; no chunks
//! ```
//!
//! Law: for every input, reading ends: by a limit in bytes, or by the deadline of the head or of
//! the whole request. Sending ends by a deadline of its own, even if the client reads slowly.
//! Source: RFC 9112.

use crate::gate::Pass;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The largest number of bytes of a request's line and headers.
const HEAD: usize = 16 << 10;
/// The largest number of bytes of a request's body.
const BODY: usize = 64 << 10;
/// The time within which a request's line and headers must arrive; otherwise the request is
/// dropped. A client sends them at once.
const HEAD_PATIENCE: Duration = Duration::from_secs(2);
/// The time within which the client must read an answer; otherwise the connection is closed.
const SENDING: Duration = Duration::from_secs(30);
/// The time within which a request must arrive; otherwise it is dropped.
const PATIENCE: Duration = Duration::from_secs(5);

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
}

/// A request, read in full.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The path, without a `?` and the text after it.
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Returns the values of a header, whose name is given in lower case.
    pub(crate) fn headers<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> {
        self.headers
            .iter()
            .filter(move |(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The reason why a request cannot be read: the status to answer with, or `None` if no client waits
/// for an answer.
pub(crate) type Unreadable = Option<(u16, &'static str)>;

/// Reads a request.
pub(crate) fn read(stream: &mut TcpStream) -> Result<Request, Unreadable> {
    let begin = Instant::now();
    let mut bytes = Vec::with_capacity(2048);
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if bytes.len() >= HEAD {
            return Err(Some((431, "the headers are too long")));
        }
        more(stream, &mut bytes, HEAD, begin + HEAD_PATIENCE)?;
    };
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(&bytes[..head]) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) | Err(_) => return Err(Some((400, "this is no request"))),
    }
    let method = match parsed.method {
        Some("GET") => Method::Get,
        Some("POST") => Method::Post,
        _ => return Err(Some((405, "GET and POST are known here"))),
    };
    let target = parsed.path.unwrap_or("/");
    let path = target.split(['?', '#']).next().unwrap_or("/").to_string();
    let mut headers = Vec::new();
    for header in parsed.headers.iter() {
        let value =
            std::str::from_utf8(header.value).map_err(|_| Some((400, "a header is not text")))?;
        headers.push((header.name.to_ascii_lowercase(), value.trim().to_string()));
    }
    let mut request = Request {
        method,
        path,
        headers,
        body: Vec::new(),
    };
    if request.headers("transfer-encoding").next().is_some() {
        return Err(Some((411, "a body has a Content-Length here")));
    }
    let length = match request.headers("content-length").collect::<Vec<_>>()[..] {
        [] => 0,
        [length] if length.bytes().all(|byte| byte.is_ascii_digit()) => length
            .parse::<usize>()
            .map_err(|_| Some((413, "the body is too long")))?,
        _ => return Err(Some((400, "the Content-Length is no number"))),
    };
    if length > BODY {
        return Err(Some((413, "the body is too long")));
    }
    let mut body = bytes.split_off(head);
    while body.len() < length {
        more(stream, &mut body, length, begin + PATIENCE)?;
    }
    body.truncate(length);
    request.body = body;
    Ok(request)
}

/// Reads some more bytes, up to `most` bytes in total.
fn more(
    stream: &mut TcpStream,
    bytes: &mut Vec<u8>,
    most: usize,
    deadline: Instant,
) -> Result<(), Unreadable> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Some((408, "the request took too long")));
    }
    stream.set_read_timeout(Some(left)).map_err(|_| None)?;
    let mut chunk = [0u8; 4096];
    let room = (most - bytes.len()).min(chunk.len());
    match stream.read(&mut chunk[..room]) {
        Ok(0) | Err(_) => Err(None),
        Ok(count) => {
            bytes.extend_from_slice(&chunk[..count]);
            Ok(())
        }
    }
}

/// An answer to a request.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) kind: &'static str,
    pub(crate) body: Vec<u8>,
    /// The reservation for a large body until it is sent.
    pub(crate) room: Option<Pass>,
}

impl Response {
    /// Makes an answer with status 200.
    pub(crate) fn ok(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            kind,
            body: body.into(),
            room: None,
        }
    }

    /// Makes an answer that refuses a request.
    pub(crate) fn refused(status: u16, reason: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            body: format!("{reason}\n").into_bytes(),
            room: None,
        }
    }

    /// Sends the answer. It is not an error if the client has gone away.
    pub(crate) fn send(&self, stream: &mut TcpStream) {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            411 => "Length Required",
            413 => "Content Too Large",
            431 => "Request Header Fields Too Large",
            _ => "Service Unavailable",
        };
        // Scripts and styles come only from this server; a picture's style sheet is inline. No page
        // may frame this page.
        let head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n\
             Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
             connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        );
        let deadline = Instant::now() + SENDING;
        if write(stream, head.as_bytes(), deadline)
            .and_then(|()| write(stream, &self.body, deadline))
            .is_err()
        {
            return;
        }
        let _ = stream.flush();
        // Closing with unread bytes would reset the connection before the answer is read.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        let mut rest = [0u8; 4096];
        for _ in 0..64 {
            if !matches!(stream.read(&mut rest), Ok(count) if count > 0) {
                break;
            }
        }
    }
}

/// Writes all of `bytes` before `deadline`.
fn write(stream: &mut TcpStream, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
