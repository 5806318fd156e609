//! Says no to data that cannot fit into memory or that their file cannot account for, before memory
//! for them is taken.

use std::fs;
use std::io::{self, Read, Write};

use crate::error::Fault;

/// Fails if `bytes` are more than this machine has left.
///
/// Systems promise memory that they do not have; asking them for it is no test.
pub(crate) fn check(bytes: u64) -> Result<(), Fault> {
    match available() {
        Some(available) if bytes > available => Err(Fault::Memory { bytes }),
        _ => Ok(()),
    }
}

/// Copies what is to be read later, if memory could ever hold what it stands for.
///
/// Bytes without a known length may be packed a thousandfold, or never end. No format but text takes more
/// bytes for a number than memory does, and text rarely four times as many.
pub(super) fn copy_bounded(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<Option<u64>> {
    const LONGEST_TEXT: u64 = 4;
    let most = available().map_or(u64::MAX - 1, |bytes| bytes.saturating_mul(LONGEST_TEXT));
    let length = io::copy(&mut from.take(most.saturating_add(1)), to)?;
    Ok((length <= most).then_some(length))
}

/// Fails if a file of `length` bytes does not account for a table of so many numbers.
///
/// Deflate packs at most 1032 bytes into one. Where a format has a shorter way to say the same (runs
/// of one value, zeros that are left out), a few bytes could stand for terabytes; a file that does so
/// beyond what deflate could is a trap sooner than data.
#[cfg_attr(not(any(feature = "hdf5", feature = "images", feature = "parquet")), allow(dead_code))]
pub(super) fn check_packed(samples: usize, features: usize, length: u64) -> Result<(), Fault> {
    const BEST_COMPRESSION: u64 = 1032;
    const ALWAYS: u64 = 1 << 20;
    let numbers = (samples as u64).saturating_mul(features as u64);
    if numbers <= length.saturating_mul(BEST_COMPRESSION).saturating_add(ALWAYS) {
        return Ok(());
    }
    Err(Fault::Unsupported {
        format: "a file that stands for more than a thousand numbers a byte",
        instead: "if it really does, write the table as .npy",
    })
}

/// [`check`] for `rows x columns` numbers of `size` bytes.
pub(crate) fn check_table(rows: usize, columns: usize, size: usize) -> Result<(), Fault> {
    let count = (rows as u64).checked_mul(columns as u64);
    let bytes = count.and_then(|count| count.checked_mul(size as u64)).unwrap_or(u64::MAX);
    // Beyond what a vector can have there is nothing to ask the system for.
    if bytes > isize::MAX as u64 {
        return Err(Fault::Memory { bytes });
    }
    check(bytes)
}

/// Bytes that can still be had, where the system tells.
fn available() -> Option<u64> {
    available_in(&fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_any_machine_has_is_refused() {
        assert!(check_table(usize::MAX, 2, 8).is_err());
        assert!(check_table(3, 2, 8).is_ok());
        #[cfg(target_os = "linux")]
        assert!(check(1 << 60).is_err());
    }

    #[test]
    fn more_than_a_thousand_numbers_a_byte_are_refused() {
        assert!(check_packed(1000, 1000, 100).is_ok());
        assert!(check_packed(10_000, 10_000, 100_000).is_ok());
        assert!(check_packed(10_000, 10_000, 10_000).is_err());
        assert!(check_packed(usize::MAX, usize::MAX, 10_000).is_err());
    }

    #[test]
    fn what_the_system_says_is_understood() {
        let text = "MemTotal:  9 kB\nMemAvailable:   12 kB\n";
        assert_eq!(available_in(text), Some(12 * 1024));
        assert_eq!(available_in("nothing"), None);
    }
}
