//! Counts the memory that a thread takes, by standing between the program and the system.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counted.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    // Per thread, because tests run side by side. Neither needs memory or a destructor itself.
    static NOW: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

fn taken(bytes: usize) {
    let now = NOW.get().saturating_add(bytes);
    NOW.set(now);
    MOST.set(MOST.get().max(now));
}

fn given_back(bytes: usize) {
    // What another thread has taken was not counted here.
    NOW.set(NOW.get().saturating_sub(bytes));
}

#[allow(unsafe_code)] // the only way to count; every call goes to the system's allocator unchanged
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        given_back(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        given_back(layout.size());
        taken(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What `work` gives, and the most memory that it holds at a time beyond what there was before.
pub(crate) fn most_during<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let before = NOW.get();
    MOST.set(before);
    let result = work();
    (result, MOST.get() - before)
}
