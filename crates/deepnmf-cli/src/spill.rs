//! Large arrays in temporary files, where `--memory` has no room for them.
//!
//! What a fit computes (features above all) may exceed the memory it may take. Then allocations of some size on are mapped
//! to files without a name in the temporary folder. Nothing else knows: to the rest of the program they are memory, which
//! the system writes out and reads back as it needs room. A thread watches how much of them is resident, and gives pages
//! back to the system where that is too much.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The allocator of this program: the system's, but for large arrays once [`begin`] was called.
pub(crate) struct Spilling;

/// Allocations of so many bytes are mapped.
static LEAST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Bytes that were mapped in all.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Bytes that were mapped to files so far.
pub(crate) fn mapped() -> u64 {
    MAPPED.load(Ordering::Relaxed) as u64
}

// SAFETY: every pointer comes from the system's allocator or from a mapping of its own, which is as large as was asked
// for and aligned to a page; it goes back to where it came from, which the list of mappings knows.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Spilling {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        files::map(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // A new file reads as zeros.
        files::map(layout).unwrap_or_else(|| unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if !files::unmap(pointer, layout) {
            unsafe { System.dealloc(pointer, layout) }
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size.max(layout.size()) < LEAST.load(Ordering::Relaxed) {
            return unsafe { System.realloc(pointer, layout, size) };
        }
        // The size was checked by the caller, and the alignment is that of a layout.
        let grown = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let new = unsafe { self.alloc(grown) };
        if !new.is_null() {
            unsafe { std::ptr::copy_nonoverlapping(pointer, new, size.min(layout.size())) };
            unsafe { self.dealloc(pointer, layout) };
        }
        new
    }
}

/// Maps allocations of at least `least` bytes from now on, and keeps the resident memory of the process below `budget` as
/// far as giving back mapped pages does.
pub(crate) fn begin(least: u64, budget: u64) {
    LEAST.store(usize::try_from(least).unwrap_or(usize::MAX), Ordering::Relaxed);
    files::watch(budget);
}

#[cfg(target_os = "linux")]
mod files {
    use std::alloc::Layout;
    use std::ffi::c_void;
    use std::ptr;
    use std::sync::atomic::Ordering;
    use std::sync::{Mutex, MutexGuard, PoisonError};
    use std::thread;
    use std::time::Duration;

    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};

    use super::{LEAST, MAPPED};

    /// Between two looks at the resident memory.
    const LOOK: Duration = Duration::from_millis(5);

    /// Where mappings are, and how long. Numbers, because pointers do not go from thread to thread.
    static MAPPINGS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

    fn mappings() -> MutexGuard<'static, Vec<(usize, usize)>> {
        MAPPINGS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Memory in a file of its own, if the allocation is large enough for one and the disk has room.
    #[allow(unsafe_code)]
    pub(super) fn map(layout: Layout) -> Option<*mut u8> {
        const PAGE: usize = 4096;
        let size = layout.size();
        if size < LEAST.load(Ordering::Relaxed) || layout.align() > PAGE {
            return None;
        }
        let file = tempfile::tempfile().ok()?;
        // Blocks that the disk promises now: a full disk would end the process at some write later.
        fallocate(&file, FallocateFlags::empty(), 0, size as u64).ok()?;
        let (access, shared) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: the system chooses a place where nothing is. Nobody else knows the file.
        let place = unsafe { mmap(ptr::null_mut(), size, access, shared, &file, 0) }.ok()?;
        mappings().push((place as usize, size));
        MAPPED.fetch_add(size, Ordering::Relaxed);
        Some(place.cast())
    }

    /// Whether this was a mapping, which is no more.
    #[allow(unsafe_code)]
    pub(super) fn unmap(pointer: *mut u8, layout: Layout) -> bool {
        if layout.size() < LEAST.load(Ordering::Relaxed) {
            return false;
        }
        let mut mappings = mappings();
        let Some(at) = mappings.iter().position(|(place, _)| *place == pointer as usize) else {
            return false;
        };
        let (_, size) = mappings.swap_remove(at);
        // SAFETY: it was mapped with this size, and its owner gives it up.
        let done = unsafe { munmap(pointer.cast::<c_void>(), size) };
        debug_assert!(done.is_ok());
        true
    }

    /// Gives pages back while more than `budget` is resident. What is in them stays in the file, so whoever is at work on
    /// them notices nothing.
    pub(super) fn watch(budget: u64) {
        let watching = move || {
            loop {
                if crate::resources::memory_now().is_some_and(|now| now > budget / 8 * 7) {
                    give_back();
                }
                thread::sleep(LOOK);
            }
        };
        // Without the thread the system decides alone what it writes out.
        let _ = thread::Builder::new().name("memory".into()).stack_size(1 << 16).spawn(watching);
    }

    #[allow(unsafe_code)]
    fn give_back() {
        for (place, size) in mappings().iter() {
            // SAFETY: the mapping is shared with its file, so that its pages come back with what was in them; the lock
            // keeps it mapped.
            let _ = unsafe { madvise(*place as *mut c_void, *size, Advice::LinuxDontNeed) };
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod files {
    use std::alloc::Layout;

    pub(super) fn map(_: Layout) -> Option<*mut u8> {
        None
    }

    pub(super) fn unmap(_: *mut u8, _: Layout) -> bool {
        false
    }

    pub(super) fn watch(_: u64) {}
}
