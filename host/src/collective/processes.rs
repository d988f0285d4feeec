//! Ranks on emulated devices of several processes. The meeting takes place in rank 0's process, and
//! the other processes take part over a socket of this machine.
//!
//! ```text
//!   process of rank 1 ── all_gather of 4 f32 ──► a thread in rank 0's process, which acts as rank 1
//!                     ◄── what rank 1 receives, or the error ──
//! ```
//!
//! Law: the law of ranks in one process holds, and a process that ends counts as a rank that has
//! left. If rank 0's process ends, the calls of the other ranks end in an error that says so. If
//! rank 0's process does not answer, these calls end at most a second after the limit. Rank 0 waits
//! until the other ranks are done before it ends.

use super::emulated::{self, EmulatedRank, Posted};
use super::{CallShape, CollectiveCall, CollectiveError, Collectives, ElementType, RawCall};
use crate::device::Device;
use crate::error::Error;
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time beyond the limit that a rank waits for rank 0's answer, since the answer says what went
/// wrong.
const SLACK: Duration = Duration::from_secs(1);

/// The ranks of other processes: the tokens of the ranks that have not connected yet, and the
/// number of ranks that are connected.
#[derive(Default)]
struct Doors {
    waiting: BTreeMap<u64, EmulatedRank>,
    connected: usize,
    next: u64,
    closed: bool,
}

struct Hub {
    doors: Mutex<Doors>,
    changed: Condvar,
    address: SocketAddr,
    limit: Duration,
}

/// Rank 0, in the process of the meeting.
pub(super) struct HubRank {
    rank: EmulatedRank,
    hub: Arc<HubOwner>,
}

/// Closes the hub once the last communicator of rank 0 is gone.
struct HubOwner(Arc<Hub>);

/// A rank in another process than rank 0's.
pub(super) struct RemoteRank {
    rank: usize,
    size: usize,
    device: Device,
    address: SocketAddr,
    limit: Duration,
    /// The connection, and the error that ended it, if there is one.
    state: Mutex<(TcpStream, Option<String>)>,
}

/// The address and token by which other processes reach rank 0's, as written in a file:
/// `emulated 127.0.0.1:40123 17`.
pub(super) struct MeetingPlace {
    address: SocketAddr,
    token: u64,
}

impl MeetingPlace {
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.strip_prefix("emulated ")?.split_whitespace();
        Some(Self {
            address: words.next()?.parse().ok()?,
            token: words.next()?.parse().ok()?,
        })
    }
}

fn failed(what: &str, error: &io::Error) -> CollectiveError {
    CollectiveError::Environment {
        what: format!("{what}: {error}"),
    }
}

/// Opens the meeting as rank 0. `tell` receives the text that the other ranks need. All ranks are
/// connected when this returns.
pub(super) fn open(
    device: &Device,
    size: usize,
    limit: Duration,
    tell: impl FnOnce(&str) -> Result<(), Error>,
) -> Result<HubRank, Error> {
    let cannot = |error| failed("the meeting of emulated ranks cannot be opened", &error);
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let devices = vec![device.clone(); size];
    let mut ranks = emulated::ranks(&devices, limit).into_iter();
    let Some(rank) = ranks.next() else {
        return Err(CollectiveError::Size {
            what: "a communicator of no ranks".into(),
        }
        .into());
    };
    // The token distinguishes programs: a process with the token of another file belongs to another
    // program.
    let token = u64::from(std::process::id()) << 32 | u64::from(address.port()) << 16;
    let doors = Doors {
        waiting: ranks
            .enumerate()
            .map(|(i, rank)| (token + 1 + i as u64, rank))
            .collect(),
        next: token + size as u64,
        ..Doors::default()
    };
    let hub = Arc::new(Hub {
        doors: Mutex::new(doors),
        changed: Condvar::new(),
        address,
        limit,
    });
    let owner = Arc::new(HubOwner(Arc::clone(&hub)));
    let doorman = Arc::clone(&hub);
    std::thread::spawn(move || doorman.accept(&listener));
    tell(&format!("emulated {address} {token}"))?;
    if !hub.wait(|doors| doors.waiting.is_empty()) {
        // Ranks that have connected receive the error, and are not waited for.
        drop(rank);
        let doors = hub.doors.lock().unwrap_or_else(PoisonError::into_inner);
        return Err(CollectiveError::Missing {
            number: 0,
            call: "connecting".into(),
            missing: doors
                .waiting
                .keys()
                .map(|key| (key - token) as usize)
                .collect(),
            limit,
        }
        .into());
    }
    Ok(HubRank { rank, hub: owner })
}

impl Hub {
    /// Waits until `holds` is true, within the limit. Returns whether it became true.
    fn wait(&self, holds: impl Fn(&Doors) -> bool) -> bool {
        let until = Instant::now() + self.limit;
        let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        while !holds(&doors) {
            let now = Instant::now();
            if now >= until {
                return false;
            }
            (doors, _) = self
                .changed
                .wait_timeout(doors, until - now)
                .unwrap_or_else(PoisonError::into_inner);
        }
        true
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self
                .doors
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .closed
            {
                return;
            }
            if let Ok(stream) = stream {
                let hub = Arc::clone(self);
                std::thread::spawn(move || hub.serve(stream));
            }
        }
    }

    /// Takes part in the meeting as the rank of a connection, until the connection ends.
    fn serve(&self, mut stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_read_timeout(Some(self.limit));
        let Ok(hello) = receive(&mut stream) else {
            return;
        };
        let token = Reader(&hello).number();
        let rank = {
            let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
            let rank = doors.waiting.remove(&token);
            doors.connected += usize::from(rank.is_some());
            rank
        };
        self.changed.notify_all();
        let Some(rank) = rank else { return };
        let _ = stream.set_read_timeout(None);
        let mut there = send(&mut stream, &[]);
        while there.is_ok() {
            let Ok(request) = receive(&mut stream) else {
                break;
            };
            there = send(&mut stream, &self.answer(&rank, &request));
        }
        drop(rank);
        self.doors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .connected -= 1;
        self.changed.notify_all();
    }

    fn answer(&self, rank: &EmulatedRank, request: &[u8]) -> Vec<u8> {
        let mut reader = Reader(request);
        let mut out = vec![0];
        if reader.number() == 1 {
            let group = reader.number() as usize;
            match rank.split_off(group) {
                Ok(split) => {
                    let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
                    let token = doors.next;
                    doors.next += 1;
                    for number in [token, split.rank() as u64, split.size() as u64] {
                        put(&mut out, number);
                    }
                    doors.waiting.insert(token, split);
                }
                Err(error) => out = written(&error),
            }
            return out;
        }
        let Some(shape) = shape(&mut reader) else {
            return written(&CollectiveError::Ended {
                first: "a request that is none".into(),
            });
        };
        let sent = reader.0.to_vec();
        match rank.exchange(Posted { shape, sent }) {
            Ok(received) => {
                out.extend_from_slice(&received);
                out
            }
            Err(error) => written(&error),
        }
    }
}

impl Drop for HubOwner {
    fn drop(&mut self) {
        // Ranks of other processes may still meet each other in this process.
        if !std::thread::panicking() {
            self.0.wait(|doors| doors.connected == 0);
        }
        self.0
            .doors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .closed = true;
        let _ = TcpStream::connect(self.0.address);
    }
}

impl Collectives for HubRank {
    fn rank(&self) -> usize {
        self.rank.rank()
    }
    fn size(&self) -> usize {
        self.rank.size()
    }
    fn device(&self) -> &Device {
        self.rank.device()
    }
    fn enqueue(&self, call: &RawCall) -> Result<(), Error> {
        self.rank.enqueue(call)
    }
    fn wait(&self) -> Result<(), Error> {
        self.rank.wait()
    }
    fn split(&self, group: usize) -> Result<Box<dyn Collectives>, Error> {
        Ok(Box::new(Self {
            rank: self.rank.split_off(group)?,
            hub: Arc::clone(&self.hub),
        }))
    }
    fn about(&self) -> String {
        "emulated, a process each".into()
    }
}

impl RemoteRank {
    /// Connects to rank 0's process as this rank.
    pub fn connect(
        device: &Device,
        (rank, size): (usize, usize),
        meeting: &MeetingPlace,
        limit: Duration,
    ) -> Result<Self, CollectiveError> {
        Self::at(
            device,
            (rank, size),
            meeting.address,
            meeting.token + rank as u64,
            limit,
        )
    }

    fn at(
        device: &Device,
        (rank, size): (usize, usize),
        address: SocketAddr,
        token: u64,
        limit: Duration,
    ) -> Result<Self, CollectiveError> {
        let connected = || -> io::Result<TcpStream> {
            let mut stream = TcpStream::connect_timeout(&address, limit)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(limit + SLACK))?;
            send(&mut stream, &token.to_le_bytes())?;
            receive(&mut stream)?;
            Ok(stream)
        };
        let stream = connected().map_err(|error| {
            failed(&format!("rank 0 is not to be reached at {address}"), &error)
        })?;
        Ok(Self {
            rank,
            size,
            device: device.clone(),
            address,
            limit,
            state: Mutex::new((stream, None)),
        })
    }

    /// Sends a request to rank 0's process, and returns its answer.
    fn ask(&self, request: &[u8], call: &str) -> Result<Vec<u8>, CollectiveError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = &state.1 {
            return Err(CollectiveError::Ended {
                first: first.clone(),
            });
        }
        let answer = send(&mut state.0, request).and_then(|()| receive(&mut state.0));
        let error = match answer {
            Ok(answer) if answer.first() == Some(&0) => return Ok(answer),
            Ok(answer) => return Err(read(&answer)),
            Err(error) => error,
        };
        let late = matches!(
            error.kind(),
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
        );
        let error = match late {
            true => CollectiveError::TimedOut {
                rank: self.rank,
                size: self.size,
                call: call.into(),
                limit: self.limit,
            },
            false => CollectiveError::ProcessEnded {
                rank: self.rank,
                call: call.into(),
            },
        };
        state.1 = Some(error.to_string());
        Err(error)
    }
}

impl Collectives for RemoteRank {
    fn rank(&self) -> usize {
        self.rank
    }
    fn size(&self) -> usize {
        self.size
    }
    fn device(&self) -> &Device {
        &self.device
    }
    fn enqueue(&self, call: &RawCall) -> Result<(), Error> {
        let mut request = Vec::new();
        put(&mut request, 0);
        put_shape(&mut request, call.shape);
        request.extend(emulated::sent(&self.device, self.rank, self.size, call)?);
        let answer = self.ask(&request, &call.shape.to_string())?;
        if answer.len() > 1 {
            self.device.write(call.receive, &answer[1..])?;
        }
        Ok(())
    }
    fn wait(&self) -> Result<(), Error> {
        Ok(())
    }
    fn split(&self, group: usize) -> Result<Box<dyn Collectives>, Error> {
        let mut request = Vec::new();
        put(&mut request, 1);
        put(&mut request, group as u64);
        let answer = self.ask(&request, "split")?;
        let mut reader = Reader(&answer[1..]);
        let token = reader.number();
        let place = (reader.number() as usize, reader.number() as usize);
        Ok(Box::new(Self::at(
            &self.device,
            place,
            self.address,
            token,
            self.limit,
        )?))
    }
    fn about(&self) -> String {
        "emulated, a process each".into()
    }
}

/// Sends a frame: the number of bytes, and then the bytes.
fn send(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(&(bytes.len() as u64).to_le_bytes())?;
    stream.write_all(bytes)
}

fn receive(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut len = [0; 8];
    stream.read_exact(&mut len)?;
    let len = u64::from_le_bytes(len);
    let mut bytes = Vec::new();
    stream.take(len).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == len {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn put(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// The part of a frame that was not read yet. Numbers beyond the frame's end are read as 0.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> u64 {
        let Some((number, rest)) = self.0.split_first_chunk() else {
            return 0;
        };
        self.0 = rest;
        u64::from_le_bytes(*number)
    }

    fn text(&mut self) -> String {
        let len = (self.number() as usize).min(self.0.len());
        let (text, rest) = self.0.split_at(len);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    fn numbers(&mut self) -> Vec<usize> {
        let count = self.number().min(self.0.len() as u64);
        (0..count).map(|_| self.number() as usize).collect()
    }
}

const ELEMENTS: [ElementType; 6] = [
    ElementType::U8,
    ElementType::I32,
    ElementType::U32,
    ElementType::F16,
    ElementType::Bf16,
    ElementType::F32,
];

fn put_shape(out: &mut Vec<u8>, shape: CallShape) {
    let (call, root) = match shape.call {
        CollectiveCall::AllGather => (0, 0),
        CollectiveCall::ReduceScatter => (1, 0),
        CollectiveCall::AllReduce => (2, 0),
        CollectiveCall::Broadcast { root } => (3, root),
        CollectiveCall::AllToAll => (4, 0),
    };
    let element = ELEMENTS
        .iter()
        .position(|element| *element == shape.element);
    for number in [call, root, element.unwrap_or(0), shape.count] {
        put(out, number as u64);
    }
}

fn shape(reader: &mut Reader<'_>) -> Option<CallShape> {
    let (call, root) = (reader.number(), reader.number() as usize);
    Some(CallShape {
        call: match call {
            0 => CollectiveCall::AllGather,
            1 => CollectiveCall::ReduceScatter,
            2 => CollectiveCall::AllReduce,
            3 => CollectiveCall::Broadcast { root },
            4 => CollectiveCall::AllToAll,
            _ => return None,
        },
        element: *ELEMENTS.get(reader.number() as usize)?,
        count: reader.number() as usize,
        splits: false,
    })
}

/// Encodes an error as an answer, so that every rank has the same error.
fn written(error: &CollectiveError) -> Vec<u8> {
    let mut out = vec![1];
    match error {
        CollectiveError::Mismatch { number, one, other } => {
            put(&mut out, 0);
            put(&mut out, *number);
            for (rank, call) in [one, other] {
                put(&mut out, *rank as u64);
                put_text(&mut out, call);
            }
        }
        CollectiveError::Missing {
            number,
            call,
            missing: ranks,
            limit,
        } => {
            put(&mut out, 1);
            put(&mut out, *number);
            put_text(&mut out, call);
            put(&mut out, limit.as_millis() as u64);
            put(&mut out, ranks.len() as u64);
            ranks.iter().for_each(|rank| put(&mut out, *rank as u64));
        }
        CollectiveError::Left {
            number,
            call,
            left,
            panicking,
        } => {
            put(&mut out, 2);
            put(&mut out, *number);
            put_text(&mut out, call);
            put(&mut out, u64::from(*panicking));
            put(&mut out, left.len() as u64);
            left.iter().for_each(|rank| put(&mut out, *rank as u64));
        }
        CollectiveError::Ended { first } => {
            put(&mut out, 3);
            put_text(&mut out, first);
        }
        other => {
            put(&mut out, 3);
            put_text(&mut out, &other.to_string());
        }
    }
    out
}

fn read(answer: &[u8]) -> CollectiveError {
    let mut reader = Reader(answer.get(1..).unwrap_or_default());
    match reader.number() {
        0 => {
            let number = reader.number();
            let mut named = || (reader.number() as usize, reader.text());
            CollectiveError::Mismatch {
                number,
                one: named(),
                other: named(),
            }
        }
        1 => CollectiveError::Missing {
            number: reader.number(),
            call: reader.text(),
            limit: Duration::from_millis(reader.number()),
            missing: reader.numbers(),
        },
        2 => CollectiveError::Left {
            number: reader.number(),
            call: reader.text(),
            panicking: reader.number() == 1,
            left: reader.numbers(),
        },
        _ => CollectiveError::Ended {
            first: reader.text(),
        },
    }
}
