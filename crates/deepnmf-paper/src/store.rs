//! The records file: one JSON object a line, each written whole.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::Record;
use crate::error::{PaperError, Result, io_error};

/// The records of a folder, those of earlier runs included.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    records: BTreeMap<String, Record>,
}

impl Store {
    /// Opens the file or begins it. A last line that was cut short, as a crash may leave it, is cut
    /// off; any other line that is no record is an error. Failures are forgotten, to be tried again.
    ///
    /// # Errors
    /// If the file cannot be read or written, or holds something else.
    pub fn open(path: &Path) -> Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(io_error("read", path)(error)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut records = BTreeMap::new();
        for (i, line) in text[..whole].lines().enumerate() {
            let record: Record = serde_json::from_str(line).map_err(|error| {
                let (path, reason) = (path.to_owned(), error.to_string());
                PaperError::Record { path, line: i + 1, reason }
            })?;
            if record.failure.is_none() {
                records.insert(record.key.clone(), record);
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(io_error("write", path))?;
        if whole < text.len() {
            file.set_len(whole as u64).map_err(io_error("write", path))?;
        }
        Ok(Self { path: path.to_owned(), file, records })
    }

    /// The record of this key, unless it is a failure.
    pub fn get(&self, key: &str) -> Option<&Record> {
        self.records.get(key)
    }

    /// All records but failures, in the order of their keys.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    /// Adds a record to the file, in one write.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, record: Record) -> Result<()> {
        let mut line = serde_json::to_string(&record).map_err(|error| PaperError::Io {
            action: "write",
            path: self.path.clone(),
            source: error.into(),
        })?;
        line.push('\n');
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(io_error("write", &self.path))?;
        if record.failure.is_none() {
            self.records.insert(record.key.clone(), record);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;
    use crate::record::{DataFacts, Machine, Outcome};

    fn record(key: &str, failure: Option<&str>) -> Record {
        Record {
            key: key.into(),
            experiment: "reconstruction".into(),
            data: DataFacts {
                name: "drawn".into(),
                fingerprint: "0".into(),
                stand_in_for: Some("PIE".into()),
                samples: 1,
                features: 1,
            },
            auxiliary: None,
            method: Method::NeNmf,
            layers: vec![3],
            seed: 0,
            repeats: 0,
            outcome: Outcome::default(),
            seconds: 0.1,
            version: "1".into(),
            machine: Machine::this(),
            failure: failure.map(Into::into),
        }
    }

    #[test]
    fn records_are_found_again_and_failures_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        let mut store = Store::open(&path).unwrap();
        store.add(record("a", None)).unwrap();
        store.add(record("b", Some("broke"))).unwrap();
        assert_eq!(store.get("a"), Some(&record("a", None)));
        let again = Store::open(&path).unwrap();
        assert_eq!(again.get("a"), Some(&record("a", None)));
        assert_eq!((store.get("b"), again.get("b")), (None, None));
    }

    #[test]
    fn half_a_line_at_the_end_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        Store::open(&path).unwrap().add(record("a", None)).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}{}", &whole[..40])).unwrap();
        let mut store = Store::open(&path).unwrap();
        assert!(store.get("a").is_some());
        store.add(record("c", None)).unwrap();
        assert!(Store::open(&path).unwrap().get("c").is_some());
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        fs::write(&path, "{\"key\": 1}\n").unwrap();
        let message = Store::open(&path).unwrap_err().to_string();
        assert!(message.contains("line 1") && message.contains("move the file"), "{message}");
    }
}
