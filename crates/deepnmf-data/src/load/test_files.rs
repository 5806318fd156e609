//! Writes small `.npy` and `.mat` files, byte by byte, for tests.

use std::io::Write;

/// Numbers as bytes: `kind` is NumPy's name of the type without the byte order.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // only small whole numbers
pub(crate) fn encode(kind: &str, big: bool, values: &[f64]) -> Vec<u8> {
    let one = |&v: &f64| -> Vec<u8> {
        let mut bytes = match kind {
            "i1" => (v as i8).to_le_bytes().to_vec(),
            "u1" | "b1" => (v as u8).to_le_bytes().to_vec(),
            "i2" => (v as i16).to_le_bytes().to_vec(),
            "u2" => (v as u16).to_le_bytes().to_vec(),
            "i4" => (v as i32).to_le_bytes().to_vec(),
            "u4" => (v as u32).to_le_bytes().to_vec(),
            "i8" => (v as i64).to_le_bytes().to_vec(),
            "u8" => (v as u64).to_le_bytes().to_vec(),
            "f4" => (v as f32).to_le_bytes().to_vec(),
            "f8" => v.to_le_bytes().to_vec(),
            _ => panic!("no type {kind}"),
        };
        if big {
            bytes.reverse();
        }
        bytes
    };
    values.iter().flat_map(one).collect()
}

/// An `.npy` file.
pub(crate) fn npy(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    npy_with_header(version, &text, data)
}

/// An `.npy` file with any header.
pub(crate) fn npy_with_header(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = u16::try_from(header.len() + 1).unwrap();
    match version {
        1 => bytes.extend(length.to_le_bytes()),
        _ => bytes.extend(u32::from(length).to_le_bytes()),
    }
    bytes.extend(header.bytes());
    bytes.push(b'\n');
    bytes.extend(data);
    bytes
}

pub(crate) const CELL: u32 = 1;
pub(crate) const CHAR: u32 = 4;
pub(crate) const DOUBLE: u32 = 6;
pub(crate) const COMPLEX_DOUBLE: u32 = 0x0806;
pub(crate) const LOGICAL_UINT8: u32 = 0x0209;
pub(crate) const OPAQUE: u32 = 17;

/// A `.mat` file that grows variable by variable.
pub(crate) struct Mat {
    pub(crate) big: bool,
    pub(crate) compress: bool,
    pub(crate) bytes: Vec<u8>,
}

impl Mat {
    pub(crate) fn new(big: bool, compress: bool) -> Self {
        let mut bytes = b"MATLAB 5.0 MAT-file, written by a test".to_vec();
        bytes.resize(124, b' ');
        bytes.extend(if big { b"\x01\x00MI" } else { b"\x00\x01IM" });
        Self { big, compress, bytes }
    }

    fn word(&self, word: u32) -> [u8; 4] {
        if self.big { word.to_be_bytes() } else { word.to_le_bytes() }
    }

    /// An element inside a variable, in the short form if it fits.
    pub(crate) fn element(&self, kind: u32, data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap();
        let mut bytes = Vec::new();
        if (1..=4).contains(&length) {
            bytes.extend(self.word(length << 16 | kind));
        } else {
            bytes.extend(self.word(kind));
            bytes.extend(self.word(length));
        }
        bytes.extend(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    /// The inside of a variable, up to where its numbers start.
    pub(crate) fn header(&self, name: &str, flags: u32, shape: &[u32]) -> Vec<u8> {
        let mut body = self.element(6, &[self.word(flags), [0; 4]].concat());
        if flags != OPAQUE {
            let lengths: Vec<u8> = shape.iter().flat_map(|&length| self.word(length)).collect();
            body.extend(self.element(5, &lengths));
        }
        body.extend(self.element(1, name.as_bytes()));
        body
    }

    /// Adds a variable from its inside.
    pub(crate) fn variable(&mut self, body: &[u8]) {
        let mut element = self.word(14).to_vec();
        element.extend(self.word(u32::try_from(body.len()).unwrap()));
        element.extend(body);
        if self.compress {
            let mut zlib =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            zlib.write_all(&element).unwrap();
            self.compressed(&zlib.finish().unwrap());
        } else {
            self.bytes.extend(element);
        }
    }

    /// Adds bytes that claim to be a compressed variable.
    pub(crate) fn compressed(&mut self, packed: &[u8]) {
        self.bytes.extend(self.word(15));
        self.bytes.extend(self.word(u32::try_from(packed.len()).unwrap()));
        self.bytes.extend(packed);
    }

    /// Adds an array of class `double` whose numbers, column by column, are stored as `kind`.
    pub(crate) fn array(&mut self, name: &str, shape: &[u32], kind: &str, values: &[f64]) {
        let stored = match kind {
            "i1" => 1,
            "u1" => 2,
            "i2" => 3,
            "u2" => 4,
            "i4" => 5,
            "u4" => 6,
            "f4" => 7,
            "f8" => 9,
            "i8" => 12,
            "u8" => 13,
            _ => panic!("no type {kind}"),
        };
        let mut body = self.header(name, DOUBLE, shape);
        body.extend(self.element(stored, &encode(kind, self.big, values)));
        self.variable(&body);
    }

    /// Adds something that holds no real numbers; what it holds does not matter.
    pub(crate) fn other(&mut self, name: &str, flags: u32, shape: &[u32]) {
        let mut body = self.header(name, flags, shape);
        body.extend(self.element(2, b"contents of no interest"));
        self.variable(&body);
    }
}
