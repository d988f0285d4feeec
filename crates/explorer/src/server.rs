//! The server: one thread per connection, a few evaluations at a time, and a limit on the bytes of
//! large answers that are being sent.
//!
//! ```text
//!   connection ─► request ─► waits for one of 4 evaluations ─► answer ─► large: waits for room ─► sent
//! ```
//!
//! Law: a client is never refused because other clients are being served, as long as it can be
//! served within the time limit of an answer.

use crate::answer::{Question, answer, draw};
use crate::connections::Connections;
use crate::gate::Gate;
use crate::guard::Guard;
use crate::http::{self, Method, Request, Response};
use crate::presets::presets;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

const PAGE: &str = include_str!("../page/index.html");
const STYLE: &str = include_str!("../page/explorer.css");
const SCRIPT: &str = include_str!("../page/explorer.js");
const LINKS: &str = include_str!("../page/links.js");
const SHAPES: &str = include_str!("../page/shapes.js");
const ICON: &str = include_str!("../page/icon.svg");

/// The largest number of connections at a time; a browser opens six.
const CONNECTIONS: usize = 256;
/// The stack of a connection's thread, in bytes. The thread reads, waits and writes.
const STACK: usize = 256 << 10;
/// The largest number of evaluations at a time.
const EVALUATIONS: usize = 4;
/// The time within which an evaluation must be answered.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest time that a question waits for its evaluation to begin.
const QUEUE: Duration = Duration::from_secs(30);
/// The largest number of bytes that large answers take together until they are sent.
const ROOM: usize = 64 << 20;
/// An answer with at least this many bytes is a large one.
const LARGE: usize = 256 << 10;
/// The longest time that a large answer waits for others to be sent.
const ROOM_PATIENCE: Duration = Duration::from_secs(2);

/// A page whose server listens, but does not answer yet.
#[derive(Debug)]
pub struct Explorer {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    guard: Guard,
    connections: Arc<Connections>,
    evaluations: Arc<Gate>,
    room: Arc<Gate>,
    stop: AtomicBool,
}

/// Ends [`Explorer::serve`] from another thread.
#[derive(Clone, Debug)]
pub struct Stop {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Stop {
    /// Ends the server.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // Wakes the listener up.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

impl Explorer {
    /// Listens on 127.0.0.1 at a port, or at a free port if `port` is 0.
    ///
    /// # Errors
    /// Returns an error if the port is taken or not available, or if the system has no random
    /// numbers.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Shared {
            guard: Guard::new(address.port())?,
            connections: Connections::new(CONNECTIONS),
            evaluations: Gate::new(EVALUATIONS),
            room: Gate::new(ROOM),
            stop: AtomicBool::new(false),
        };
        Ok(Self {
            listener,
            address,
            shared: Arc::new(shared),
        })
    }

    /// Returns the address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Returns the secret that questions must send in `X-Cutlet-Token`. The page contains this
    /// secret.
    pub fn token(&self) -> &str {
        self.shared.guard.token()
    }

    /// Returns a handle that ends [`serve`](Self::serve).
    pub fn stopper(&self) -> Stop {
        Stop {
            address: self.address,
            shared: Arc::clone(&self.shared),
        }
    }

    /// Serves until the server is stopped.
    pub fn serve(&self) {
        for stream in self.listener.incoming() {
            if self.shared.stop.load(Ordering::SeqCst) {
                return;
            }
            // A connection that failed before it was established is ignored.
            let Ok(mut stream) = stream else { continue };
            let shared = Arc::clone(&self.shared);
            let stopped = || self.shared.stop.load(Ordering::SeqCst);
            let Some(open) = shared.connections.open(&stream, stopped) else {
                continue;
            };
            let serve = move || {
                let request = http::read(&mut stream);
                open.has_asked();
                match request {
                    Ok(request) => respond(&request, &shared).send(&mut stream),
                    Err(Some((status, reason))) => {
                        Response::refused(status, reason).send(&mut stream)
                    }
                    Err(None) => {}
                }
            };
            // If no thread can be started, the closure that holds the connection and its place is
            // dropped: the connection is closed, and its place is free again.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn(serve);
        }
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

/// Answers a question on a separate thread, so that the server can give up an answer that takes too
/// long.
fn with_question(
    request: &Request,
    shared: &Arc<Shared>,
    work: impl FnOnce(Question) -> Response + Send + 'static,
) -> Response {
    let question: Question = match serde_json::from_slice(&request.body) {
        Ok(question) => question,
        Err(error) => return Response::refused(400, &format!("this is no question: {error}")),
    };
    let Some(running) = shared.evaluations.take(1, QUEUE) else {
        return Response::refused(503, "too many questions at a time");
    };
    let (send, receive) = mpsc::channel();
    let room = Arc::clone(&shared.room);
    let spawned = std::thread::Builder::new().spawn(move || {
        let mut response = work(question);
        if response.body.len() > LARGE {
            match room.take(response.body.len(), ROOM_PATIENCE) {
                Some(pass) => response.room = Some(pass),
                None => {
                    response = Response::refused(503, "too many large answers are being read");
                }
            }
        }
        // The evaluation keeps its place until here, so that the limit on evaluations also limits
        // the answers that are computed and not yet sent.
        drop(running);
        // Nobody receives the answer if it took too long.
        let _ = send.send(response);
    });
    if spawned.is_err() {
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
