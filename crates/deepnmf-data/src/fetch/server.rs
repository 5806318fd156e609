//! A web server on this machine that answers as a test tells it to.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the server does with a request.
#[derive(Clone)]
pub(super) enum Answer {
    /// The file, or the rest of it that is asked for.
    Whole,
    /// The whole file, whatever part is asked for.
    IgnoreRange,
    /// Promises all, but closes the connection after so many bytes.
    CutAfter(usize),
    /// Sends so many bytes and then nothing more.
    StallAfter(usize),
    /// Sends without saying how much, and without end in sight.
    Endless,
    /// Nothing but this status.
    Status(u16),
}

/// A server that has one file, gives its answers in turn, and the last one for ever.
pub(super) struct Server {
    pub(super) url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) fn start(file: &'static [u8], answers: &[Answer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, answers) = (Arc::clone(&requests), answers.to_vec());
        // Ends with the process; a test has nothing to wait for.
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let answer = answers[number.min(answers.len() - 1)].clone();
                let log = Arc::clone(&log);
                thread::spawn(move || serve(stream, file, &answer, &log));
            }
        });
        Self { url, requests }
    }

    /// The first line and the range of every request so far.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, file: &[u8], answer: &Answer, log: &Mutex<Vec<String>>) {
    let (line, start) = read_request(&stream);
    log.lock().unwrap().push(format!("{line} from {start}"));
    let start = if matches!(answer, Answer::IgnoreRange) { 0 } else { start };
    let rest = &file[start.min(file.len())..];
    let head = match answer {
        Answer::Status(status) => format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n"),
        Answer::Endless => "HTTP/1.1 200 OK\r\nConnection: close\r\n".into(),
        _ if start >= file.len() => "HTTP/1.1 416 No\r\nContent-Length: 0\r\n".into(),
        _ if start > 0 => {
            let (last, all) = (file.len() - 1, file.len());
            let range = format!("Content-Range: bytes {start}-{last}/{all}");
            format!("HTTP/1.1 206 Partial\r\n{range}\r\nContent-Length: {}\r\n", rest.len())
        }
        _ => format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n", rest.len()),
    };
    // The other side may have hung up, which is what some tests want.
    let _ = stream.write_all(format!("{head}\r\n").as_bytes());
    let _ = match answer {
        Answer::Whole | Answer::IgnoreRange => stream.write_all(rest),
        Answer::CutAfter(count) => stream.write_all(&rest[..*count]),
        Answer::StallAfter(count) => {
            let sent = stream.write_all(&rest[..*count]);
            thread::sleep(Duration::from_secs(20));
            sent
        }
        Answer::Endless => {
            while stream.write_all(&[7; 4096]).is_ok() {}
            Ok(())
        }
        Answer::Status(_) => Ok(()),
    };
}

/// The first line, and the first byte that is asked for.
fn read_request(stream: &TcpStream) -> (String, usize) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let mut start = 0;
    for line in lines.take_while(|line| !line.is_empty()) {
        let line = line.to_lowercase();
        if let Some(range) = line.strip_prefix("range: bytes=") {
            start = range.trim_end_matches('-').parse().unwrap();
        }
    }
    (first, start)
}
