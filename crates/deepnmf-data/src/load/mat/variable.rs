//! What the beginning of a variable says about it, and how messages speak of it.

use std::fmt::{self, Display};

use super::element::{Contents, Element};
use crate::error::{Fault, shown};

/// What a variable is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Real numbers, in MATLAB's word for their type.
    Numeric(&'static str),
    /// Anything else, in words.
    Other(&'static str),
}

impl Class {
    fn parse(flags: u32) -> Self {
        const COMPLEX: u32 = 0x0800;
        const LOGICAL: u32 = 0x0200;
        let class = match flags & 0xff {
            6 => Self::Numeric("double"),
            7 => Self::Numeric("single"),
            8 => Self::Numeric("int8"),
            9 => Self::Numeric("uint8"),
            10 => Self::Numeric("int16"),
            11 => Self::Numeric("uint16"),
            12 => Self::Numeric("int32"),
            13 => Self::Numeric("uint32"),
            14 => Self::Numeric("int64"),
            15 => Self::Numeric("uint64"),
            1 => Self::Other("cell"),
            2 => Self::Other("struct"),
            4 => Self::Other("char"),
            5 => Self::Other("sparse"),
            3 | 17 => Self::Other("object"),
            16 => Self::Other("function"),
            _ => Self::Other("of unknown type"),
        };
        match class {
            Self::Numeric(_) if flags & COMPLEX != 0 => Self::Other("complex"),
            Self::Numeric(_) if flags & LOGICAL != 0 => Self::Numeric("logical"),
            class => class,
        }
    }
}

/// A variable that can be read later.
pub(super) struct Variable<'a> {
    pub(super) name: String,
    pub(super) class: Class,
    pub(super) shape: Vec<usize>,
    pub(super) element: Element<'a>,
}

impl<'a> Variable<'a> {
    /// Reads no further than up to the name; `None` if the element is not a variable.
    pub(super) fn look_at(element: Element<'a>) -> Result<Option<Self>, Fault> {
        let Some(mut contents) = Contents::open(element)? else {
            return Ok(None);
        };
        if contents.is_empty() {
            return Ok(None);
        }
        let Header { class, shape, name } = read_header(&mut contents)?;
        Ok(Some(Self { name, class, shape, element }))
    }

    /// Rows and columns, if this is a numeric table.
    pub(super) fn table(&self) -> Option<(usize, usize)> {
        match (self.class, self.shape.as_slice()) {
            (Class::Numeric(_), &[rows, columns]) => Some((rows, columns)),
            _ => None,
        }
    }

    /// What it is, without its name: `2856 x 1024 double`.
    pub(super) fn kind(&self) -> String {
        const LISTED: usize = 4;
        let class = match self.class {
            Class::Numeric(class) | Class::Other(class) => class,
        };
        let mut lengths: Vec<_> = self.shape.iter().take(LISTED).map(ToString::to_string).collect();
        if self.shape.len() > LISTED {
            lengths.push("...".into());
        }
        let separator = if lengths.is_empty() { "" } else { " " };
        format!("{}{separator}{class}", lengths.join(" x "))
    }
}

/// All variables of a file.
pub(super) struct Variables<'a>(pub(super) Vec<Variable<'a>>);

impl Display for Variables<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LISTED: usize = 20;
        if self.0.is_empty() {
            return f.write_str("no variables");
        }
        for (i, variable) in self.0.iter().take(LISTED).enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            // Escaped, since a name comes from the file and may hold anything.
            let name = shown(&variable.name);
            write!(f, "{separator}{} ({})", name.escape_debug(), variable.kind())?;
        }
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// The first three elements of a variable.
pub(super) struct Header {
    class: Class,
    shape: Vec<usize>,
    name: String,
}

/// Reads class, shape and name; what comes next are the numbers.
pub(super) fn read_header(contents: &mut Contents<'_>) -> Result<Header, Fault> {
    const LONGEST_NAME: usize = 4096; // MATLAB's own limit is 63
    const MOST_DIMENSIONS: usize = 64;
    const OPAQUE: u32 = 17;
    let (_, flags) = contents.short_element(8)?;
    let Some(&flags) = flags.first_chunk() else {
        return Err(Fault::damaged("a variable without flags"));
    };
    let flags = contents.endian().u32(flags);
    // Objects of MATLAB's newer kind have no shape here.
    let shape = if flags & 0xff == OPAQUE {
        Vec::new()
    } else {
        let (_, raw) = contents.short_element(4 * MOST_DIMENSIONS)?;
        let (lengths, _) = raw.as_chunks();
        lengths.iter().map(|&raw| length(contents.endian().u32(raw))).collect::<Result<_, _>>()?
    };
    let (_, name) = contents.short_element(LONGEST_NAME)?;
    Ok(Header {
        class: Class::parse(flags),
        shape,
        name: String::from_utf8_lossy(&name).into_owned(),
    })
}

/// A length of an array, which is stored with a sign that must not be there.
fn length(stored: u32) -> Result<usize, Fault> {
    let length = i32::try_from(stored).ok().and_then(|length| usize::try_from(length).ok());
    length.ok_or_else(|| Fault::damaged("a variable of negative size"))
}
