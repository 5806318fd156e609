//! Memory and disk space that are left, and how fast this machine multiplies.

use std::path::Path;
use std::time::Instant;

use deepnmf::{DataMatrix, Matrix, Scalar};
use deepnmf_data::{Columns, Values};

/// Bytes of memory that this process may still take, where the system tells: limits of a container count.
pub(crate) fn memory_left() -> Option<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let available = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let free = 1024 * available.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?;
    Some(container_memory_left().map_or(free, |limit| limit.min(free)))
}

/// Bytes of memory that this process has taken at most, where the system tells.
pub(crate) fn memory_peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * peak.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?)
}

/// Bytes of memory that this process takes now, where the system tells.
pub(crate) fn memory_now() -> Option<u64> {
    const PAGE: u64 = 4096;
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(PAGE * pages.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()?)
}

/// What the control group of this process leaves, in either version.
fn container_memory_left() -> Option<u64> {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let left = |limit: &str, used: &str| Some(number(limit)?.saturating_sub(number(used)?));
    left("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current").or_else(|| {
        let folder = "/sys/fs/cgroup/memory";
        left(&format!("{folder}/memory.limit_in_bytes"), &format!("{folder}/memory.usage_in_bytes"))
    })
}

/// Bytes that the disk of this file has left, where the system tells.
#[cfg(unix)]
pub(crate) fn disk_left(file: &Path) -> Option<u64> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let disk = rustix::fs::statvfs(folder.unwrap_or(Path::new("."))).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
pub(crate) fn disk_left(_: &Path) -> Option<u64> {
    None
}

/// The cores of this machine, whoever may use them, where the system tells: `0-7,16-23`.
pub(crate) fn cores_of_this_machine() -> Option<usize> {
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").ok()?;
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        (last.parse::<usize>().ok()? + 1).checked_sub(first.parse().ok()?)
    };
    online.trim().split(',').map(count).sum()
}

/// Floating-point operations in a second, by a product as a fit has it.
pub(crate) fn speed<T: Scalar>(x: &Values<T>, components: usize) -> f64 {
    let some = x.chosen(&(0..x.samples().min(2000)).collect::<Vec<_>>());
    let z = Matrix::from_fn(x.features(), components, |i, j| T::from_f64(((i + 3 * j) % 7) as f64));
    let entries = some.entries_held().unwrap_or(z.rows() * some.samples());
    let work = 2.0 * (entries.max(1) * z.cols()) as f64;
    let mut done = Matrix::zeros(components, some.samples());
    // The first product wakes threads up.
    let seconds = (0..3).map(|_| {
        let begun = Instant::now();
        // Data in memory never fail.
        let _ = some.tr_mul(&z, &mut done);
        begun.elapsed().as_secs_f64().max(1e-9)
    });
    work / seconds.fold(f64::INFINITY, f64::min)
}

/// Bytes as people write them.
pub(crate) fn bytes(count: u64) -> String {
    match count as f64 {
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e9 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}
