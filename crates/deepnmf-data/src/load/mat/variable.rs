//! What the beginning of a variable says about it.

use super::super::variables::{Class, Variable};
use super::element::{Contents, Element};
use crate::error::Fault;

/// The class that the flags of a variable name.
fn class(flags: u32) -> Class {
    const COMPLEX: u32 = 0x0800;
    const LOGICAL: u32 = 0x0200;
    let class = match flags & 0xff {
        6 => Class::Numeric("double"),
        7 => Class::Numeric("single"),
        8 => Class::Numeric("int8"),
        9 => Class::Numeric("uint8"),
        10 => Class::Numeric("int16"),
        11 => Class::Numeric("uint16"),
        12 => Class::Numeric("int32"),
        13 => Class::Numeric("uint32"),
        14 => Class::Numeric("int64"),
        15 => Class::Numeric("uint64"),
        1 => Class::Other("cell"),
        2 => Class::Other("struct"),
        4 => Class::Other("char"),
        5 => Class::Sparse,
        3 | 17 => Class::Other("object"),
        16 => Class::Other("function"),
        _ => Class::Other("of unknown type"),
    };
    match class {
        Class::Numeric(_) | Class::Sparse if flags & COMPLEX != 0 => Class::Other("complex"),
        Class::Numeric(_) if flags & LOGICAL != 0 => Class::Numeric("logical"),
        class => class,
    }
}

/// Reads no further than up to the name; `None` if the element is not a variable.
pub(super) fn look_at(element: Element<'_>) -> Result<Option<Variable<Element<'_>>>, Fault> {
    let Some(mut contents) = Contents::open(element)? else {
        return Ok(None);
    };
    if contents.is_empty() {
        return Ok(None);
    }
    let Header { class, shape, name } = read_header(&mut contents)?;
    Ok(Some(Variable { name, class, shape, source: element }))
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
    Ok(Header { class: class(flags), shape, name: String::from_utf8_lossy(&name).into_owned() })
}

/// A length of an array, which is stored with a sign that must not be there.
fn length(stored: u32) -> Result<usize, Fault> {
    let length = i32::try_from(stored).ok().and_then(|length| usize::try_from(length).ok());
    length.ok_or_else(|| Fault::damaged("a variable of negative size"))
}
