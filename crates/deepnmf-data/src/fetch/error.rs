//! Why a data set cannot be had.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why a data set cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No public set of this name.
    #[error("there is no public data set {name:?}: there are {known}")]
    UnknownSet {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The offline folder lacks the file.
    #[error(
        "there is no file {path} in the offline folder: put it there from {url}, or allow downloads",
        path = path.display()
    )]
    NotOffline {
        /// Where it should be.
        path: PathBuf,
        /// Where it can be had.
        url: String,
    },
    /// Nothing says where files could be kept.
    #[error("there is no home folder to keep downloads in: name a cache folder")]
    NoCache,
    /// The system refuses to read or write.
    #[error("cannot read or write {path}: {source}", path = path.display())]
    Storage {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The server does not have the file.
    #[error("{url} answers with status {status}: try a mirror, or fetch the file by hand")]
    Status {
        /// The address.
        url: String,
        /// The number of the answer.
        status: u16,
    },
    /// No connection, or it broke.
    #[error("cannot download {url}: {why}; try again, what has arrived is kept")]
    Connection {
        /// The address.
        url: String,
        /// What happened.
        why: String,
    },
    /// Nothing has arrived for too long.
    #[error(
        "{url} has sent nothing for {} seconds: try again, what has arrived is kept",
        patience.as_secs_f64()
    )]
    Stalled {
        /// The address.
        url: String,
        /// How long was waited.
        patience: Duration,
    },
    /// The connection ended early.
    #[error("{url} broke off after {found} of {expected} bytes: try again, they are kept")]
    Truncated {
        /// The address.
        url: String,
        /// Bytes that have arrived.
        found: u64,
        /// Bytes that were promised.
        expected: u64,
    },
    /// More bytes than the file can have.
    #[error("{what} has more than the {most} bytes it may have: it is not the file it should be")]
    TooLarge {
        /// The file or address.
        what: String,
        /// The most it may have.
        most: u64,
    },
    /// Other bytes than there should be.
    #[error(
        "{path} has the checksum {found}, but it should be {expected}: the file has been changed \
         or damaged; fetch it again or from another mirror",
        path = path.display()
    )]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Its checksum.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// An archive that cannot be unpacked.
    #[error(
        "cannot unpack {path}: {why}; fetch it again or from another mirror",
        path = path.display()
    )]
    Archive {
        /// The archive.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}
