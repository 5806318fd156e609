//! Elements, of which everything in a `.mat` file is made: a type, a length, that many bytes.

use std::io::{self, Read};

use flate2::bufread::ZlibDecoder;

use super::super::number::{Encoding, Endian, Kind, cut_short, read_numbers};
use crate::error::Fault;

/// An array: a variable.
const MATRIX: u32 = 14;
/// A variable under zlib.
const COMPRESSED: u32 = 15;

/// Deflate cannot shrink anything by more than this factor; a file that claims it lies.
const DEFLATE_LIMIT: usize = 1032;

/// The type and length before the bytes of an element.
pub(super) struct Tag {
    pub(super) kind: u32,
    pub(super) length: usize,
    /// Up to four bytes have their place inside the tag.
    inside: Option<[u8; 4]>,
}

impl Tag {
    fn parse(raw: [u8; 8], endian: Endian) -> Result<Self, Fault> {
        let [a, b, c, d, inside @ ..] = raw;
        let first = endian.u32([a, b, c, d]);
        let short = first >> 16;
        if short > 4 {
            return Err(Fault::damaged(format!("an element of {short} bytes inside its tag")));
        }
        if short > 0 {
            let (kind, length) = (first & 0xffff, short as usize);
            return Ok(Self { kind, length, inside: Some(inside) });
        }
        let length = usize::try_from(endian.u32(inside)).unwrap_or(usize::MAX);
        Ok(Self { kind: first, length, inside: None })
    }
}

/// The outermost elements of a file.
pub(super) struct Elements<'a> {
    bytes: &'a [u8],
    at: usize,
    endian: Endian,
}

/// An outermost element, all of whose bytes are there.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    kind: u32,
    body: &'a [u8],
    endian: Endian,
}

impl<'a> Elements<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, endian: Endian) -> Self {
        Self { bytes, at, endian }
    }

    pub(super) fn next(&mut self) -> Result<Option<Element<'a>>, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let Some((&raw, after)) = rest.split_first_chunk() else {
            return Err(Fault::damaged(format!("{} stray bytes at its end", rest.len())));
        };
        let tag = Tag::parse(raw, self.endian)?;
        let (length, kind, endian) = (tag.length, tag.kind, self.endian);
        if tag.inside.is_some() {
            self.at += raw.len();
            return Ok(Some(Element { kind, body: &[], endian }));
        }
        let Some(body) = after.get(..length) else {
            return Err(Fault::damaged(format!(
                "the element at byte {} should have {length} bytes, but only {} are left",
                self.at,
                after.len()
            )));
        };
        let padding = if kind == COMPRESSED { 0 } else { padding(length) };
        self.at = self.at.saturating_add(raw.len() + length + padding);
        Ok(Some(Element { kind, body, endian }))
    }
}

/// What brings a length up to a multiple of eight.
fn padding(length: usize) -> usize {
    length.wrapping_neg() % 8
}

/// The bytes of one variable from its beginning on, uncompressed on the way if need be.
pub(super) struct Contents<'a> {
    bytes: Box<dyn Read + 'a>,
    /// How many bytes may still be read, as the variable's own tag says.
    left: usize,
    /// Whether those bytes are in memory already.
    present: bool,
    endian: Endian,
}

impl<'a> Contents<'a> {
    /// The contents of an element, or `None` if it is not a variable.
    pub(super) fn open(element: Element<'a>) -> Result<Option<Self>, Fault> {
        let Element { kind, body, endian } = element;
        match kind {
            MATRIX => {
                let (bytes, left) = (Box::new(body), body.len());
                Ok(Some(Self { bytes, left, present: true, endian }))
            }
            COMPRESSED => {
                let bytes = Box::new(ZlibDecoder::new(body));
                let mut contents = Self { bytes, left: 8, present: false, endian };
                let tag = contents.tag()?;
                if tag.kind != MATRIX || tag.inside.is_some() {
                    return Ok(None);
                }
                if tag.length / DEFLATE_LIMIT > body.len() {
                    return Err(Fault::damaged(format!(
                        "{} compressed bytes cannot hold a variable of {} bytes",
                        body.len(),
                        tag.length
                    )));
                }
                contents.left = tag.length;
                Ok(Some(contents))
            }
            _ => Ok(None),
        }
    }

    /// A tag without anything after it, which stands for an empty array inside others.
    pub(super) fn is_empty(&self) -> bool {
        self.left == 0
    }

    pub(super) fn endian(&self) -> Endian {
        self.endian
    }

    fn tag(&mut self) -> Result<Tag, Fault> {
        let mut raw = [0; 8];
        self.fill(&mut raw)?;
        Tag::parse(raw, self.endian)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Fault> {
        self.take(bytes.len())?;
        self.bytes.read_exact(bytes).map_err(|error| cut_short(&error))
    }

    /// Counts bytes as read.
    fn take(&mut self, length: usize) -> Result<(), Fault> {
        let left = self.left.checked_sub(length);
        self.left = left.ok_or_else(|| {
            Fault::damaged(format!("{length} bytes in a variable that has only {}", self.left))
        })?;
        Ok(())
    }

    /// The bytes of the next element, which may not be longer than `longest`.
    pub(super) fn short_element(&mut self, longest: usize) -> Result<(u32, Vec<u8>), Fault> {
        let tag = self.tag()?;
        if let Some(inside) = tag.inside {
            return Ok((tag.kind, inside[..tag.length].to_vec()));
        }
        if tag.length > longest {
            let length = tag.length;
            return Err(Fault::damaged(format!("{length} bytes where {longest} are the most")));
        }
        let mut bytes = vec![0; tag.length + padding(tag.length)];
        self.fill(&mut bytes)?;
        bytes.truncate(tag.length);
        Ok((tag.kind, bytes))
    }

    /// Lets `read` read the next element, which must hold exactly `count` numbers.
    pub(super) fn numbers<N>(
        &mut self,
        count: usize,
        read: impl FnOnce(&mut dyn Read, Encoding, bool) -> Result<N, Fault>,
    ) -> Result<N, Fault> {
        let tag = self.tag()?;
        let kind = storage(tag.kind)?;
        if count.checked_mul(kind.size()) != Some(tag.length) {
            return Err(Fault::damaged(format!(
                "{count} numbers of {} bytes each in {} bytes",
                kind.size(),
                tag.length
            )));
        }
        let encoding = Encoding { kind, endian: self.endian };
        let numbers = if let Some(inside) = tag.inside {
            read(&mut &inside[..tag.length], encoding, true)
        } else {
            self.take(tag.length)?;
            read(&mut self.bytes, encoding, self.present)
        };
        // The file is in memory already: only its own contents can make reading fail.
        numbers.map_err(|fault| match fault {
            Fault::Read(error) => cut_short(&error),
            fault => fault,
        })
    }

    /// All numbers of the next element, however many it has, and what stands up to the element behind it.
    pub(super) fn all_numbers(&mut self) -> Result<Vec<f64>, Fault> {
        let tag = self.tag()?;
        let kind = storage(tag.kind)?;
        if !tag.length.is_multiple_of(kind.size()) {
            return Err(Fault::damaged(format!(
                "numbers of {} bytes in {}",
                kind.size(),
                tag.length
            )));
        }
        let (encoding, count) = (Encoding { kind, endian: self.endian }, tag.length / kind.size());
        if let Some(inside) = tag.inside {
            return read_numbers(&mut &inside[..tag.length], encoding, count, true, |_, _| None);
        }
        self.take(tag.length)?;
        let numbers = read_numbers(&mut self.bytes, encoding, count, self.present, |_, _| None);
        let numbers = numbers.map_err(|fault| match fault {
            Fault::Read(error) => cut_short(&error),
            fault => fault,
        })?;
        // The last element may end without.
        let mut rest = [0; 8];
        let rest = &mut rest[..padding(tag.length).min(self.left)];
        self.fill(rest)?;
        Ok(numbers)
    }

    /// Makes sure that nothing but padding follows and that, if compressed, the checksum is right.
    pub(super) fn finish(mut self) -> Result<(), Fault> {
        const MOST: usize = 8;
        let mut rest = [0; MOST];
        let mut found = 0;
        while found < MOST {
            match self.bytes.read(&mut rest[found..]) {
                Ok(0) => return Ok(()),
                Ok(more) => found += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(cut_short(&error)),
            }
        }
        Err(Fault::damaged("a variable holds more than its shape needs"))
    }
}

/// The type in which numbers are stored. MATLAB takes the smallest that holds them all, whatever
/// the variable's class.
fn storage(kind: u32) -> Result<Kind, Fault> {
    Ok(match kind {
        1 => Kind::I8,
        2 => Kind::U8,
        3 => Kind::I16,
        4 => Kind::U16,
        5 => Kind::I32,
        6 => Kind::U32,
        7 => Kind::F32,
        9 => Kind::F64,
        12 => Kind::I64,
        13 => Kind::U64,
        _ => {
            return Err(Fault::damaged(format!("numbers stored as the unknown type {kind}")));
        }
    })
}
