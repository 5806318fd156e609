//! Archives, honest and hostile.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::server::{Answer, Server};
use super::tests::{Cache, names_in, set};
use super::*;

const FILE: PublicFile = PublicFile {
    name: "faces.zip",
    url: "http://127.0.0.1:9/never",
    most_bytes: 1 << 20,
    sha256: None,
    unpack: Some(Unpack { folder: "pictures", ending: ".pgm", most_bytes: 1 << 20 }),
};

const PICTURE: &[u8] = b"P5 2 1 255\n\x07\x09";

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A gzipped tar archive. Names are written as they are: the crate's own writer is too careful.
fn tar_gz(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, kind, content) in entries {
        let mut header = tar::Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_cksum();
        archive.append(&header, *content).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

fn plain(name: &str) -> (&str, tar::EntryType, &[u8]) {
    (name, tar::EntryType::Regular, PICTURE)
}

/// An archive like that of the CMU faces: one tar archive with everything, one with a part.
fn faces() -> Vec<u8> {
    let all = tar_gz(&[
        ("faces/", tar::EntryType::Directory, b""),
        plain("faces/eva/eva_left_happy_open_2.pgm"),
        plain("faces/eva/eva_left_happy_open_4.pgm"),
        plain("faces/jo/jo_up_sad_sunglasses_2.pgm"),
        plain("faces/jo/jo_left_sad_open_2.bad"),
        plain("faces/jo/._jo_up_sad_sunglasses_2.pgm"),
    ]);
    let small = tar_gz(&[plain("faces_4/eva/eva_left_happy_open_4.pgm")]);
    zip(&[("index.html", b"hello"), ("faces.tar.gz", &all), ("faces_4.tar.gz", &small)])
}

fn serving(archive: Vec<u8>) -> Server {
    Server::start(archive.leak(), &[Answer::Whole])
}

fn get(cache: &Cache, file: PublicFile) -> Result<Fetched, FetchError> {
    fetch(&set(file), &cache.options, &mut |_| ()).map(|mut files| files.remove(0))
}

#[test]
fn an_archive_becomes_a_folder_of_pictures_once() {
    let server = serving(faces());
    let cache = Cache::of(&server);
    let first = get(&cache, FILE).unwrap();
    assert_eq!(first.path, cache.path("pictures"));
    let pictures =
        ["eva_left_happy_open_2.pgm", "eva_left_happy_open_4.pgm", "jo_up_sad_sunglasses_2.pgm"];
    assert_eq!(names_in(&first.path), pictures);
    assert_eq!(fs::read(first.path.join(pictures[0])).unwrap(), PICTURE);
    assert_eq!(cache.names(), ["faces.zip", "faces.zip.sha256", "pictures"]);
    assert_eq!(get(&cache, FILE).unwrap(), first);
    assert_eq!(server.requests().len(), 1);
}

#[cfg(feature = "images")]
#[test]
fn the_folder_loads_with_all_attributes_of_its_names() {
    let cache = Cache::of(&serving(faces()));
    let images = crate::ImageOptions {
        pattern: Some("{identity}_{pose}_{expression}_{eyes}_2".into()),
        resize: None,
    };
    let options = crate::LoadOptions { images, ..crate::LoadOptions::default() };
    let data = crate::load::<f64>(&get(&cache, FILE).unwrap().path, &options).unwrap();
    let names: Vec<&str> = data.attributes.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["identity", "pose", "expression", "eyes"]);
    assert_eq!(data.attributes[3].classes(), ["open", "sunglasses"]);
}

#[test]
fn a_tar_archive_needs_no_zip_around_it() {
    let cache = Cache::of(&serving(tar_gz(&[plain("a.pgm"), plain("b/b.pgm")])));
    assert_eq!(names_in(&get(&cache, FILE).unwrap().path), ["a.pgm", "b.pgm"]);
}

#[test]
fn a_checksum_that_nobody_has_published_is_that_of_the_first_download() {
    let cache = Cache::of(&serving(faces()));
    let sum = get(&cache, FILE).unwrap().sha256.unwrap();
    assert_eq!(sum, checksum::sha256(&cache.path("faces.zip")).unwrap());
    let record = fs::read_to_string(cache.path("faces.zip.sha256")).unwrap();
    assert_eq!(record, format!("{sum}  faces.zip\n"));
    // Once the folder is gone the archive counts, if it is still the same.
    fs::remove_dir_all(cache.path("pictures")).unwrap();
    get(&cache, FILE).unwrap();
    fs::remove_dir_all(cache.path("pictures")).unwrap();
    fs::remove_file(cache.path("faces.zip")).unwrap();
    let other = serving(zip(&[("a.pgm", PICTURE)]));
    let mut options = cache.options.clone();
    options.mirror = Some(other.url.clone());
    let error = fetch(&set(FILE), &options, &mut |_| ()).unwrap_err();
    assert!(matches!(error, FetchError::Checksum { .. }), "{error}");
    assert_eq!(cache.names(), ["faces.zip.sha256"]);
}

/// Whatever is wrong with an archive, nothing of it stays.
fn refused(archive: Vec<u8>, word: &str) {
    let cache = Cache::of(&serving(archive));
    let message = get(&cache, FILE).unwrap_err().to_string();
    assert!(message.contains(word), "{word:?} is missing in: {message}");
    assert!(cache.names().is_empty(), "{word}: {:?}", cache.names());
    assert_eq!(names_in(cache.path("").parent().unwrap()), ["letters"], "{word}");
}

/// The bytes with one text in the place of another that is as long.
fn with(mut bytes: Vec<u8>, old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let places = |bytes: &[u8]| bytes.windows(old.len()).position(|w| w == old.as_bytes());
    while let Some(at) = places(&bytes) {
        bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
    }
    bytes
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    for path in ["../x.pgm", "/tmp/x.pgm", "a/../../x.pgm", "..\\x.pgm", "\\x.pgm", "C:x.pgm"] {
        refused(tar_gz(&[plain("a.pgm"), plain(path)]), "leads out of the folder");
        let harmless = "n".repeat(path.len());
        let archive = zip(&[("a.pgm", PICTURE), (&harmless, PICTURE)]);
        refused(with(archive, &harmless, path), "leads out of the folder");
        let within = zip(&[("x.tar.gz", &tar_gz(&[plain(path)]))]);
        refused(within, "leads out of the folder");
    }
}

#[test]
fn links_and_devices_are_refused() {
    use tar::EntryType;
    for kind in [EntryType::Symlink, EntryType::Link, EntryType::Fifo, EntryType::Block] {
        refused(tar_gz(&[plain("a.pgm"), ("x.pgm", kind, b"")]), "is a link or device");
    }
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.add_symlink("x.pgm", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    refused(archive.finish().unwrap().into_inner(), "is a link");
}

#[test]
fn more_bytes_than_allowed_end_the_work() {
    let flood = vec![0; 2 << 20];
    refused(zip(&[("a.pgm", &flood)]), "more than the 1048576 bytes");
    // What is passed over counts, too, because it has to be unpacked.
    let hidden = tar_gz(&[plain("a.pgm"), ("x.bin", tar::EntryType::Regular, &flood)]);
    refused(hidden.clone(), "more than the 1048576 bytes");
    refused(zip(&[("x.tar.gz", &hidden)]), "more than the 1048576 bytes");
    let halves = [("a.pgm", &flood[..600_000]), ("b.pgm", &flood[..600_000])];
    refused(zip(&halves), "more than the 1048576 bytes");
    let mut empty_blocks = GzEncoder::new(Vec::new(), Compression::none());
    for _ in 0..100_000 {
        empty_blocks.flush().unwrap();
    }
    let empty_blocks = empty_blocks.finish().unwrap();
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    for name in ["1.tar.gz", "2.tar.gz", "3.tar.gz", "4.tar.gz"] {
        archive.start_file(name, options).unwrap();
        archive.write_all(&empty_blocks).unwrap();
    }
    refused(archive.finish().unwrap().into_inner(), "more than the 1048576 bytes");
}

#[test]
fn archives_without_pictures_or_with_two_of_a_name_are_refused() {
    refused(b"no archive at all".to_vec(), "neither a ZIP nor a gzipped tar archive");
    refused(zip(&[("README", b"hello")]), "it holds no .pgm files");
    refused(zip(&[("a/x.pgm", b"one"), ("b/x.pgm", b"two")]), "two different files \"x.pgm\"");
}

#[test]
fn damaged_archives_fail_but_never_panic() {
    let whole = faces();
    let folder = tempfile::tempdir().unwrap();
    let (archive, target) = (folder.path().join("a"), folder.path().join("pictures"));
    let wanted = FILE.unpack.unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x11;
        for bytes in [&whole[..at], &flipped[..]] {
            fs::write(&archive, bytes).unwrap();
            if unpack::unpack(&archive, &wanted, &target).is_ok() {
                fs::remove_dir_all(&target).unwrap();
            }
            assert_eq!(names_in(folder.path()), ["a"], "{at}");
        }
    }
}

#[test]
fn offline_an_archive_is_unpacked_into_the_cache_and_a_folder_taken_as_it_is() {
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = FetchOptions {
        offline: Some(folder.path().into()),
        cache: Some(cache.path().into()),
        ..FetchOptions::default()
    };
    let get = || fetch(&set(FILE), &options, &mut |_| ()).map(|mut files| files.remove(0));
    assert!(matches!(get(), Err(FetchError::NotOffline { .. })));
    fs::write(folder.path().join("faces.zip"), b"damaged").unwrap();
    assert!(matches!(get(), Err(FetchError::Archive { .. })));
    fs::write(folder.path().join("faces.zip"), faces()).unwrap();
    assert_eq!(get().unwrap().path, cache.path().join("letters/pictures"));
    assert_eq!(names_in(folder.path()), ["faces.zip"]);
    fs::create_dir(folder.path().join("letters")).unwrap();
    fs::write(folder.path().join("letters/a.pgm"), PICTURE).unwrap();
    let expected = Fetched { path: folder.path().join("letters"), sha256: None };
    assert_eq!(get().unwrap(), expected);
}
