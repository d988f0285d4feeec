//! The server: one thread a connection, a few at a time.

use crate::answer::{Question, answer, draw};
use crate::guard::Guard;
use crate::http::{self, Method, Request, Response};
use crate::presets::presets;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

const PAGE: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/explorer.css");
const SCRIPT: &str = include_str!("../page/explorer.js");
const LINKS: &str = include_str!("../page/links.js");
const SHAPES: &str = include_str!("../page/shapes.js");
const ICON: &str = include_str!("../page/icon.svg");

/// The most connections at a time; a browser opens six.
const CONNECTIONS: usize = 32;
/// The most evaluations at a time.
const EVALUATIONS: usize = 4;
/// An evaluation is answered within this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// A page, listening and not yet serving.
#[derive(Debug)]
pub struct Explorer {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    guard: Guard,
    connections: AtomicUsize,
    evaluations: AtomicUsize,
    stop: AtomicBool,
}

/// Ends [`Explorer::serve`] from another thread.
#[derive(Clone, Debug)]
pub struct Stop {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Stop {
    /// Ends it.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // Wakes the listener up.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

impl Explorer {
    /// Listens on 127.0.0.1 at a port; 0 takes a free one.
    ///
    /// # Errors
    /// Where the port is taken or cannot be had, or the system has no random numbers.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Shared {
            guard: Guard::new(address.port())?,
            connections: AtomicUsize::new(0),
            evaluations: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        };
        Ok(Self {
            listener,
            address,
            shared: Arc::new(shared),
        })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// The secret that questions carry in `X-Cutlet-Token`; the page has it.
    pub fn token(&self) -> &str {
        self.shared.guard.token()
    }

    /// A way to end [`serve`](Self::serve).
    pub fn stopper(&self) -> Stop {
        Stop {
            address: self.address,
            shared: Arc::clone(&self.shared),
        }
    }

    /// Serves until it is stopped.
    pub fn serve(&self) {
        for stream in self.listener.incoming() {
            if self.shared.stop.load(Ordering::SeqCst) {
                return;
            }
            // A connection that failed before it was one is not ours to mend.
            let Ok(mut stream) = stream else { continue };
            let shared = Arc::clone(&self.shared);
            if shared.connections.fetch_add(1, Ordering::SeqCst) >= CONNECTIONS {
                shared.connections.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            let serve = move || {
                let _open = Counted(&shared.connections);
                match http::read(&mut stream) {
                    Ok(request) => respond(&request, &shared).send(&mut stream),
                    Err(Some((status, reason))) => {
                        Response::refused(status, reason).send(&mut stream)
                    }
                    Err(None) => {}
                }
            };
            // Without a thread the connection is closed, and its count goes with the closure's guard never made.
            if std::thread::Builder::new().spawn(serve).is_err() {
                self.shared.connections.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
}

/// Gives a place back.
struct Counted<'c>(&'c AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn respond(request: &Request, shared: &Arc<Shared>) -> Response {
    if let Err(refusal) = shared.guard.check(request) {
        return Response::refused(403, refusal.reason());
    }
    const HTML: &str = "text/html; charset=utf-8";
    const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
    match (request.method, request.path.as_str()) {
        (Method::Get, "/") => Response::ok(HTML, PAGE.replace("{{token}}", shared.guard.token())),
        (Method::Get, "/explorer.css") => Response::ok("text/css; charset=utf-8", STYLE),
        (Method::Get, "/explorer.js") => Response::ok(JAVASCRIPT, SCRIPT),
        (Method::Get, "/links.js") => Response::ok(JAVASCRIPT, LINKS),
        (Method::Get, "/shapes.js") => Response::ok(JAVASCRIPT, SHAPES),
        (Method::Get, "/icon.svg") => Response::ok("image/svg+xml", ICON),
        (Method::Get, "/api/presets") => json(&presets()),
        (Method::Post, "/api/evaluate") => {
            with_question(request, shared, |question| json(&answer(&question)))
        }
        (Method::Post, "/api/draw") => {
            with_question(request, shared, |question| match draw(&question) {
                Ok((kind, bytes)) => Response::ok(kind, bytes),
                Err(reason) => Response::refused(400, &reason),
            })
        }
        (_, "/" | "/api/presets" | "/api/evaluate" | "/api/draw") => {
            Response::refused(405, "not in this way")
        }
        _ => Response::refused(404, "there is no such page"),
    }
}

fn json(value: &impl serde::Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => Response::ok("application/json", body),
        Err(error) => Response::refused(503, &error.to_string()),
    }
}

/// Answers a question on a thread of its own, so that an answer that takes too long is given up.
fn with_question(
    request: &Request,
    shared: &Arc<Shared>,
    work: impl FnOnce(Question) -> Response + Send + 'static,
) -> Response {
    let question: Question = match serde_json::from_slice(&request.body) {
        Ok(question) => question,
        Err(error) => return Response::refused(400, &format!("this is no question: {error}")),
    };
    if shared.evaluations.fetch_add(1, Ordering::SeqCst) >= EVALUATIONS {
        shared.evaluations.fetch_sub(1, Ordering::SeqCst);
        return Response::refused(503, "too many questions at a time");
    }
    let (send, receive) = mpsc::channel();
    let counted = Arc::clone(shared);
    let spawned = std::thread::Builder::new().spawn(move || {
        let _running = Counted(&counted.evaluations);
        // Nobody listens where it took too long.
        let _ = send.send(work(question));
    });
    if spawned.is_err() {
        shared.evaluations.fetch_sub(1, Ordering::SeqCst);
        return Response::refused(503, "no thread for this question");
    }
    match receive.recv_timeout(PATIENCE) {
        Ok(response) => response,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            Response::refused(503, "the answer took longer than 10 seconds")
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => Response::refused(
            503,
            "this question has no answer: a fault of the explorer, not of the question",
        ),
    }
}
