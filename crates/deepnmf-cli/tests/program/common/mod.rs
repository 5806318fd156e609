//! Runs the program in a folder of its own and looks at what it says and leaves behind.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process;

use safetensors::SafeTensors;
use serde_json::Value;
use tempfile::TempDir;

/// 24 faces of 144 pixels: small enough for every test.
pub(crate) const FACES: &str =
    "builtin:faces:identities=3,poses=2,expressions=2,illuminations=2,size=12";

/// A folder in which the program runs.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Every file with its content, and every folder with none.
    pub(crate) fn listing(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut listing = BTreeMap::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                listing.insert(path.clone(), path.is_file().then(|| fs::read(&path).unwrap()));
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        listing
    }

    /// The program with arguments separated by spaces.
    pub(crate) fn command(&self, arguments: &str) -> process::Command {
        let mut command = process::Command::new(assert_cmd::cargo::cargo_bin!("deepnmf"));
        command.args(arguments.split_whitespace()).current_dir(self.0.path());
        command
    }

    /// Runs the program with these bytes on standard input.
    pub(crate) fn run_with_input(&self, arguments: &str, input: &[u8]) -> Run {
        let mut command = self.command(arguments);
        let [pipe, out, err] = [(); 3].map(|()| process::Stdio::piped());
        let mut child = command.stdin(pipe).stdout(out).stderr(err).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Run::new(arguments, &child.wait_with_output().unwrap())
    }

    pub(crate) fn run(&self, arguments: &str) -> Run {
        Run::new(arguments, &self.command(arguments).output().unwrap())
    }

    /// Runs what must succeed and returns its JSON object.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        let run = self.run(&format!("{arguments} --json"));
        assert_eq!(run.code, Some(0), "{run}");
        run.json()
    }

    /// Fits what must succeed and returns the summary.
    pub(crate) fn fit(&self, arguments: &str) -> Value {
        self.json(&format!("fit {arguments}"))
    }

    /// Checks that the program refuses in one sentence that holds all `words`, for people and for
    /// programs, and leaves every file as it was.
    pub(crate) fn refuses(&self, arguments: &str, code: i32, words: &[&str]) {
        let before = self.listing();
        let plain = self.run(arguments);
        assert_eq!(plain.code, Some(code), "{plain}");
        assert_eq!(plain.stdout, "", "{plain}");
        let said = plain.sentence();
        for word in words {
            assert!(said.contains(word), "{word:?} is missing in: {plain}");
        }
        let json = self.run(&format!("{arguments} --json"));
        assert_eq!(json.code, Some(code), "{json}");
        assert_eq!(json.json()["failure"], said, "{json}");
        assert!(self.listing() == before, "{plain} changed the folder");
    }
}

/// How a run of the program ended.
pub(crate) struct Run {
    arguments: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn new(arguments: &str, output: &process::Output) -> Self {
        let run = Self {
            arguments: arguments.to_owned(),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout.clone()).unwrap(),
            stderr: String::from_utf8(output.stderr.clone()).unwrap(),
        };
        assert!(!run.stderr.contains("panicked"), "{run}");
        assert!(!run.stderr.contains('\r') && !run.stderr.contains('\u{1b}'), "a bar: {run}");
        run
    }

    /// The one JSON object on standard output.
    pub(crate) fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.stdout).unwrap_or_else(|e| {
            panic!("standard output is not one JSON value ({e}): {self}");
        });
        assert!(value.is_object(), "{self}");
        value
    }

    /// What is wrong: the first paragraph on standard error.
    fn sentence(&self) -> String {
        let lines = self.stderr.lines().map(str::trim).take_while(|line| !line.is_empty());
        let text = lines.collect::<Vec<_>>().join(" ");
        text.strip_prefix("error: ").unwrap_or_else(|| panic!("{self}")).to_owned()
    }
}

impl Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { arguments, code, stdout, stderr } = self;
        write!(f, "deepnmf {arguments} -> {code:?}\n-- stdout\n{stdout}\n-- stderr\n{stderr}")
    }
}

/// A number of a JSON object.
pub(crate) fn number(object: &Value, key: &str) -> f64 {
    object[key].as_f64().unwrap_or_else(|| panic!("{key} is {}", object[key]))
}

/// The factors in a model file, by name, with their shape and bytes.
pub(crate) fn tensors(model: &[u8]) -> BTreeMap<String, (Vec<usize>, Vec<u8>)> {
    let file = SafeTensors::deserialize(model).unwrap();
    let tensors = file.tensors().into_iter();
    tensors.map(|(name, t)| (name, (t.shape().to_vec(), t.data().to_vec()))).collect()
}

/// A `.npy` file of 64-bit numbers.
pub(crate) fn npy(rows: &[impl AsRef<[f64]>]) -> Vec<u8> {
    let shape = (rows.len(), rows.first().map_or(0, |row| row.as_ref().len()));
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape:?}, }}\n");
    let length = u16::try_from(header.len()).unwrap();
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(length.to_le_bytes());
    file.extend(header.bytes());
    file.extend(rows.iter().flat_map(AsRef::as_ref).flat_map(|v| v.to_le_bytes()));
    file
}

/// The numbers in a C-ordered `.npy` file of 64-bit numbers, and its shape as Python writes it.
pub(crate) fn read_npy(file: &[u8]) -> (String, Vec<f64>) {
    let length = usize::from(u16::from_le_bytes([file[8], file[9]]));
    let (header, data) = file[10..].split_at(length);
    let header = String::from_utf8(header.to_vec()).unwrap();
    assert!(header.contains("'<f8'") && header.contains("'fortran_order': False"), "{header}");
    let shape = header.split_once("'shape': ").unwrap().1.split_once(')').unwrap().0;
    let numbers = data.chunks_exact(8).map(|v| f64::from_le_bytes(v.try_into().unwrap()));
    (format!("{shape})"), numbers.collect())
}

/// Eight samples of four features that no sum of two components explains.
pub(crate) fn samples() -> Vec<[f64; 4]> {
    (1..=8_i32)
        .map(|i| f64::from(i).powi(2))
        .map(|i| [1.0 + i % 3.0, 2.0 + i % 5.0, 1.0 + i % 7.0, 3.0 + i % 11.0])
        .collect()
}

/// A text file of [`samples`] with a header.
pub(crate) fn table(header: &str) -> String {
    let line = |row: &[f64; 4]| row.map(|v| v.to_string()).join(",") + "\n";
    format!("{header}\n") + &samples().iter().map(line).collect::<String>()
}
