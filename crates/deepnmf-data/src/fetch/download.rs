//! Downloads one file, and goes on where an earlier attempt has stopped.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use ureq::http::{Response, header};
use ureq::{Agent, Body};

use super::{FetchError, FetchOptions, PublicFile, stored};

/// How far a download has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The file.
    pub file: &'a str,
    /// Bytes that have arrived, those of earlier attempts among them.
    pub bytes: u64,
    /// Bytes of the whole file, if the server says.
    pub total: Option<u64>,
}

/// Downloads `url` into `part`, again and again where it breaks off.
pub(super) fn download(
    url: &str,
    file: &PublicFile,
    part: &Path,
    options: &FetchOptions,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<(), FetchError> {
    let mut attempt = Attempt { url, file, part, options };
    let mut left = options.retries;
    loop {
        match attempt.run(progress) {
            // Only what may have brought something is worth another attempt.
            Err(FetchError::Truncated { .. } | FetchError::Connection { .. }) if left > 0 => {
                left -= 1;
            }
            result => return result,
        }
    }
}

struct Attempt<'a> {
    url: &'a str,
    file: &'a PublicFile,
    part: &'a Path,
    options: &'a FetchOptions,
}

impl Attempt<'_> {
    fn run(&mut self, progress: &mut dyn FnMut(&Progress<'_>)) -> Result<(), FetchError> {
        let kept = std::fs::metadata(self.part).map_or(0, |part| part.len());
        // A part that is too long already belongs to something else.
        let kept = if kept >= self.file.most_bytes { 0 } else { kept };
        let mut response = self.request(kept)?;
        if response.status() == 416 {
            response = self.request(0)?; // nothing is left after what is kept
        }
        let status = response.status().as_u16();
        let start = match status {
            200 => 0,
            206 if start_of(&response) == Some(kept) => kept,
            status => return Err(FetchError::Status { url: self.url.into(), status }),
        };
        let total = length_of(&response).map(|length| length.saturating_add(start));
        if total.is_some_and(|total| total > self.file.most_bytes) {
            return Err(self.too_large());
        }
        let mut bytes = start;
        let result = self.receive(response, &mut bytes, total, progress);
        if matches!(result, Err(FetchError::TooLarge { .. })) {
            let _ = std::fs::remove_file(self.part);
        }
        result?;
        match total {
            Some(expected) if bytes < expected => {
                let url = self.url.into();
                Err(FetchError::Truncated { url, found: bytes, expected })
            }
            _ => Ok(()),
        }
    }

    fn request(&self, kept: u64) -> Result<Response<Body>, FetchError> {
        let patience = Some(self.options.patience);
        let agent: Agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(patience)
            .timeout_recv_response(patience)
            .timeout_per_read(patience)
            .user_agent(concat!("deepnmf/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let mut request = agent.get(self.url);
        if kept > 0 {
            request = request.header(header::RANGE, format!("bytes={kept}-"));
        }
        request.call().map_err(|error| self.broken(&error))
    }

    /// Writes what arrives behind the first `bytes` of the part.
    fn receive(
        &self,
        response: Response<Body>,
        bytes: &mut u64,
        total: Option<u64>,
        progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<(), FetchError> {
        let mut part = self.open_part(*bytes)?;
        let mut body = response.into_body().into_reader();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let count = match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) => {
                    return Err(self.broken_off(error, *bytes, total));
                }
            };
            *bytes += count as u64;
            if *bytes > self.file.most_bytes {
                return Err(self.too_large());
            }
            let written = part.write_all(&buffer[..count]);
            written.map_err(|source| stored(self.part, source))?;
            progress(&Progress { file: self.file.name, bytes: *bytes, total });
        }
        part.sync_all().map_err(|source| stored(self.part, source))
    }

    fn open_part(&self, start: u64) -> Result<File, FetchError> {
        let failed = |source| stored(self.part, source);
        let mut options = OpenOptions::new();
        if start > 0 {
            options.append(true);
        } else {
            options.write(true).create(true).truncate(true);
        }
        options.open(self.part).map_err(failed)
    }

    fn too_large(&self) -> FetchError {
        FetchError::TooLarge { what: self.url.into(), most: self.file.most_bytes }
    }

    /// What went wrong before or at the start of the answer.
    fn broken(&self, error: &ureq::Error) -> FetchError {
        let url = self.url.into();
        match error {
            ureq::Error::Timeout(_) => FetchError::Stalled { url, patience: self.options.patience },
            error => FetchError::Connection { url, why: error.to_string() },
        }
    }

    /// What went wrong while the file was arriving.
    fn broken_off(&self, error: std::io::Error, found: u64, total: Option<u64>) -> FetchError {
        if error.kind() == std::io::ErrorKind::UnexpectedEof
            && let Some(expected) = total
        {
            return FetchError::Truncated { url: self.url.into(), found, expected };
        }
        self.broken(&ureq::Error::from(error))
    }
}

/// How many bytes the answer promises.
fn length_of(response: &Response<Body>) -> Option<u64> {
    response.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Where the answer starts in the file, from `Content-Range: bytes 100-199/200`.
fn start_of(response: &Response<Body>) -> Option<u64> {
    let range = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split('-').next()?.trim().parse().ok()
}
