//! Which TIFF files are left to the decoder, whose limits (tiff 0.11) do not cover everything.

use std::io::{Read, Seek, SeekFrom};

use super::super::number::Endian;
use crate::error::Fault;

/// Looks through the tags of a file of `length` bytes, and leaves it at its beginning.
///
/// Fails for tags of more values than the file has bytes, for which the decoder takes memory first.
/// Fails for pictures packed as JPEG inside of TIFF: the inner one has a size of its own, which the
/// decoder takes memory for whatever the outer one says.
pub(super) fn check(file: &mut (impl Read + Seek), length: u64) -> Result<(), Fault> {
    const COMPRESSION: [u8; 2] = 259u16.to_le_bytes();
    const SHORT: [u8; 2] = 3u16.to_le_bytes();
    const JPEG: [u8; 2] = 7u16.to_le_bytes();
    let mut head = [0; 8];
    read(file, &mut head)?;
    let [a, b, _, _, offset @ ..] = head;
    let endian = if [a, b] == *b"MM" { Endian::Big } else { Endian::Little };
    let little = |raw: [u8; 2]| if endian == Endian::Big { [raw[1], raw[0]] } else { raw };
    file.seek(SeekFrom::Start(endian.u32(offset).into()))?;
    let mut count = [0; 2];
    read(file, &mut count)?;
    for _ in 0..u16::from_le_bytes(little(count)) {
        // A tag, its type, how many values there are, and those or where they are.
        let mut entry = [0; 12];
        read(file, &mut entry)?;
        let [t0, t1, k0, k1, count @ .., v0, v1, _, _] = entry;
        let count = endian.u32(count);
        if u64::from(count) > length {
            return Err(Fault::damaged(format!("a tag says it has {count} values")));
        }
        let is_one_short = little([k0, k1]) == SHORT && count == 1;
        if little([t0, t1]) == COMPRESSION && (!is_one_short || little([v0, v1]) == JPEG) {
            return Err(Fault::Unsupported {
                format: "a TIFF picture packed as JPEG",
                instead: "save it as a plain TIFF, JPEG or PNG",
            });
        }
    }
    file.rewind()?;
    Ok(())
}

fn read(file: &mut impl Read, bytes: &mut [u8]) -> Result<(), Fault> {
    file.read_exact(bytes).map_err(|_| Fault::damaged("its list of tags is cut short"))
}
