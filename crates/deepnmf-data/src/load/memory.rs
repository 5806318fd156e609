//! Says no to data that cannot fit into memory, before memory for them is taken.

use std::fs;

use crate::error::Fault;

/// Fails if `bytes` are more than this machine has left.
///
/// Systems promise memory that they do not have; asking them for it is no test.
pub(super) fn check(bytes: u64) -> Result<(), Fault> {
    match available() {
        Some(available) if bytes > available => Err(Fault::Memory { bytes }),
        _ => Ok(()),
    }
}

/// [`check`] for `rows x columns` numbers of `size` bytes.
pub(super) fn check_table(rows: usize, columns: usize, size: usize) -> Result<(), Fault> {
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
    fn what_the_system_says_is_understood() {
        let text = "MemTotal:  9 kB\nMemAvailable:   12 kB\n";
        assert_eq!(available_in(text), Some(12 * 1024));
        assert_eq!(available_in("nothing"), None);
    }
}
