//! Decides which requests are answered: only those of this machine's browser on this page.
//!
//! ```text
//!   Host: 127.0.0.1:7326     ok         Host: evil.example          403   a name that was made to resolve to this machine
//!   Origin: (none)           ok, GET    Origin: http://evil.example 403   a page elsewhere
//!   X-Cutlet-Token: ..       ok, POST   (none)                      403   a form or a script that has not read the page
//! ```
//!
//! Law: a page of another origin can make a browser send requests here, but neither with this
//! page's `Origin` nor with its token, which the other page cannot read. If an attacker lets a name
//! resolve to 127.0.0.1 ("DNS rebinding"), every request that uses the name has it in its `Host`.

use crate::http::{Method, Request};

/// The names of this server, and the secret of its pages.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    hosts: [String; 2],
    token: String,
}

/// The reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Host,
    Origin,
    Token,
    ContentType,
}

impl Refusal {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Host => "this server answers to 127.0.0.1 and localhost only",
            Self::Origin => "this server answers its own page only",
            Self::Token => "the page's token is missing or old: reload the page",
            Self::ContentType => "a question is application/json",
        }
    }
}

impl Guard {
    /// Makes a guard with a new token of 128 random bits.
    pub(crate) fn new(port: u16) -> std::io::Result<Self> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
            token,
        })
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Checks whether a request may be answered.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Refusal> {
        // A browser does not send this header twice.
        let [host] = request.headers("host").collect::<Vec<_>>()[..] else {
            return Err(Refusal::Host);
        };
        if !self
            .hosts
            .iter()
            .any(|ours| ours.eq_ignore_ascii_case(host))
        {
            return Err(Refusal::Host);
        }
        for origin in request.headers("origin") {
            let ours = self.hosts.iter().any(|ours| {
                origin
                    .strip_prefix("http://")
                    .is_some_and(|origin| origin.eq_ignore_ascii_case(ours))
            });
            if !ours {
                return Err(Refusal::Origin);
            }
        }
        // Browsers state where a request comes from even if they send no `Origin`.
        for site in request.headers("sec-fetch-site") {
            let page = request.method == Method::Get && request.path == "/";
            // A link on another page may open this page; the other page learns nothing from it.
            let opened = page && request.headers("sec-fetch-mode").eq(["navigate"]);
            if !(site == "same-origin" || site == "none" || opened) {
                return Err(Refusal::Origin);
            }
        }
        if request.method == Method::Post {
            if !request.headers("content-type").eq(["application/json"]) {
                return Err(Refusal::ContentType);
            }
            let [token] = request.headers("x-cutlet-token").collect::<Vec<_>>()[..] else {
                return Err(Refusal::Token);
            };
            if !same(token.as_bytes(), self.token.as_bytes()) {
                return Err(Refusal::Token);
            }
        }
        Ok(())
    }
}

/// Compares two byte strings in a time that depends only on their lengths.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}
