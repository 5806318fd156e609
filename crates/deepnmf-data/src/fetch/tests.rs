use std::time::Duration;

use tempfile::TempDir;

use super::checksum::sha256;
use super::server::{Answer, Server};
use super::*;

const CONTENT: &[u8] = b"sixteen letters!";

const FILE: PublicFile = PublicFile {
    name: "file.bin",
    url: "http://127.0.0.1:9/never",
    most_bytes: CONTENT.len() as u64,
    sha256: Some("e6ca46ec0f36b1e8ee8ffdba4c3b3c1a5c1bb9a25ad6a8bb4dcb1e1b8c2f7f0a"),
    unpack: None,
};

pub(super) fn set(file: PublicFile) -> PublicSet {
    let files: &'static [PublicFile] = Box::leak(Box::new([file]));
    PublicSet { name: "letters", description: "", licence: "", files }
}

/// The file with the checksum that its content has.
fn right() -> PublicFile {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    fs::write(&path, CONTENT).unwrap();
    PublicFile { sha256: Some(Box::leak(sha256(&path).unwrap().into_boxed_str())), ..FILE }
}

pub(super) struct Cache {
    folder: TempDir,
    pub(super) options: FetchOptions,
}

impl Cache {
    pub(super) fn of(server: &Server) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = FetchOptions {
            cache: Some(folder.path().into()),
            mirror: Some(server.url.clone()),
            patience: Duration::from_millis(500),
            retries: 0,
            ..FetchOptions::default()
        };
        Self { folder, options }
    }

    fn get(&self, file: PublicFile) -> Result<Vec<u8>, FetchError> {
        let paths = fetch(&set(file), &self.options, &mut |_| ())?;
        Ok(fs::read(&paths[0].path).unwrap())
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("letters").join(name)
    }

    pub(super) fn names(&self) -> Vec<String> {
        names_in(&self.path(""))
    }
}

/// What is in a folder, sorted.
pub(super) fn names_in(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = names.map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_downloaded_once_and_then_found_in_the_cache() {
    let server = Server::start(CONTENT, &[Answer::Whole, Answer::Status(500)]);
    let cache = Cache::of(&server);
    let mut seen = Vec::new();
    let paths = fetch(&set(right()), &cache.options, &mut |p| seen.push((p.bytes, p.total)));
    assert_eq!(fs::read(&paths.unwrap()[0].path).unwrap(), CONTENT);
    assert_eq!(seen.last(), Some(&(16, Some(16))));
    assert_eq!(cache.get(right()).unwrap(), CONTENT);
    assert_eq!(server.requests(), ["GET /letters/file.bin HTTP/1.1 from 0"]);
    assert_eq!(cache.names(), ["file.bin"]);
}

#[test]
fn a_missing_file_is_said_to_be_missing() {
    let server = Server::start(CONTENT, &[Answer::Status(404)]);
    let message = Cache::of(&server).get(right()).unwrap_err().to_string();
    assert!(message.contains("/letters/file.bin answers with status 404"), "{message}");
}

#[test]
fn a_download_that_breaks_off_goes_on_where_it_stopped() {
    let server = Server::start(CONTENT, &[Answer::CutAfter(5), Answer::Whole]);
    let cache = Cache::of(&server);
    let error = cache.get(right()).unwrap_err();
    assert!(matches!(error, FetchError::Truncated { found: 5, expected: 16, .. }), "{error}");
    assert_eq!(cache.names(), ["file.bin.part"]);
    assert_eq!(cache.get(right()).unwrap(), CONTENT);
    assert!(server.requests()[1].ends_with("from 5"), "{:?}", server.requests());
}

#[test]
fn retries_put_the_pieces_together() {
    let server = Server::start(CONTENT, &[Answer::CutAfter(5), Answer::CutAfter(4), Answer::Whole]);
    let mut cache = Cache::of(&server);
    cache.options.retries = 2;
    assert_eq!(cache.get(right()).unwrap(), CONTENT);
    assert!(server.requests()[2].ends_with("from 9"), "{:?}", server.requests());
}

#[test]
fn a_server_that_cannot_go_on_starts_again() {
    let server = Server::start(CONTENT, &[Answer::CutAfter(5), Answer::IgnoreRange]);
    let mut cache = Cache::of(&server);
    cache.options.retries = 1;
    assert_eq!(cache.get(right()).unwrap(), CONTENT);
}

#[test]
fn a_wrong_checksum_leaves_nothing_behind() {
    let server = Server::start(CONTENT, &[Answer::Whole]);
    let cache = Cache::of(&server);
    let error = cache.get(FILE).unwrap_err();
    assert!(matches!(error, FetchError::Checksum { .. }), "{error}");
    assert!(cache.names().is_empty());
}

#[test]
fn a_part_of_something_else_is_noticed_and_forgotten() {
    let server = Server::start(CONTENT, &[Answer::Whole]);
    let cache = Cache::of(&server);
    fs::create_dir_all(cache.folder.path().join("letters")).unwrap();
    fs::write(cache.folder.path().join("letters/file.bin.part"), b"other").unwrap();
    assert!(matches!(cache.get(right()), Err(FetchError::Checksum { .. })));
    assert_eq!(cache.get(right()).unwrap(), CONTENT);
}

#[test]
fn a_server_that_stalls_is_given_up() {
    for answer in [Answer::StallAfter(5), Answer::StallAfter(0)] {
        let server = Server::start(CONTENT, &[answer]);
        let started = std::time::Instant::now();
        let error = Cache::of(&server).get(right()).unwrap_err();
        assert!(matches!(error, FetchError::Stalled { .. }), "{error}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn a_file_that_is_too_large_is_refused_at_once_and_while_it_arrives() {
    let server = Server::start(CONTENT, &[Answer::Whole]);
    let small = PublicFile { most_bytes: 10, ..right() };
    assert!(matches!(Cache::of(&server).get(small), Err(FetchError::TooLarge { .. })));
    let server = Server::start(CONTENT, &[Answer::Endless]);
    let cache = Cache::of(&server);
    let error = cache.get(right()).unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { most: 16, .. }), "{error}");
    assert!(cache.names().is_empty());
}

#[test]
fn no_server_at_all_is_a_broken_connection() {
    let server = Server::start(CONTENT, &[Answer::Whole]);
    let mut cache = Cache::of(&server);
    cache.options.mirror = Some("http://127.0.0.1:1".into());
    let error = cache.get(right()).unwrap_err();
    assert!(matches!(error, FetchError::Connection { .. }), "{error}");
}

#[test]
fn an_offline_folder_needs_no_server_and_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let options = FetchOptions { offline: Some(folder.path().into()), ..FetchOptions::default() };
    let get = |file| fetch(&set(file), &options, &mut |_| ());
    let message = get(right()).unwrap_err().to_string();
    assert!(message.contains("in the offline folder: put it there from"), "{message}");
    fs::write(folder.path().join("file.bin"), CONTENT).unwrap();
    assert_eq!(get(right()).unwrap()[0].path, folder.path().join("file.bin"));
    assert!(matches!(get(FILE), Err(FetchError::Checksum { .. })));
}

#[test]
fn the_environment_is_heard() {
    let options = FetchOptions::from_variables(|name| match name {
        "DEEPNMF_MIRROR" => Some("http://mirror/".into()),
        "DEEPNMF_OFFLINE" => Some("".into()),
        _ => None,
    });
    assert_eq!(options.url(&set(FILE), &FILE), "http://mirror/letters/file.bin");
    assert_eq!(options.offline, None);
}

#[test]
fn every_registered_set_is_complete() {
    for set in sets() {
        assert_eq!(find(set.name).unwrap(), set);
        assert!(!set.licence.is_empty() && !set.files.is_empty());
        for file in set.files {
            assert!(file.url.starts_with("https://") && file.most_bytes > 0);
            assert!(file.sha256.is_none_or(|sum| sum.len() == 64));
            assert!(!file.name.contains(['/', '\\']));
        }
    }
    let message = find("mnist").unwrap_err().to_string();
    assert!(message.contains("there are pie-pose27, cmu-faces"), "{message}");
}
