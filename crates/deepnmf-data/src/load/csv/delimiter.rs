//! What stands between the fields of a line.

/// The character between two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::load) enum Delimiter {
    Comma,
    Semicolon,
    Tab,
    /// One or more spaces.
    Spaces,
}

impl Delimiter {
    /// The delimiter that the first line shows, if any.
    ///
    /// Where several occur, the tab goes before the semicolon and that before the comma: a comma
    /// beside one of the others is a decimal comma or part of a name.
    pub(in crate::load) fn sniff(head: &[u8]) -> Option<Self> {
        let first = head.split(|&b| b == b'\n' || b == b'\r').find(|line| !line.is_empty())?;
        [Self::Tab, Self::Semicolon, Self::Comma]
            .into_iter()
            .find(|delimiter| unquoted(first).any(|b| b == delimiter.byte()))
    }

    pub(in crate::load) fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Spaces => b' ',
        }
    }

    pub(in crate::load) fn name(self) -> &'static str {
        match self {
            Self::Comma => "commas",
            Self::Semicolon => "semicolons",
            Self::Tab => "tabs",
            Self::Spaces => "spaces",
        }
    }
}

/// The bytes outside of quotes.
fn unquoted(line: &[u8]) -> impl Iterator<Item = u8> {
    let mut quoted = false;
    line.iter().copied().filter(move |&b| {
        quoted ^= b == b'"';
        !quoted
    })
}
