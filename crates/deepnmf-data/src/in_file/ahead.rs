//! Blocks that are read on other threads while the ones before are worked on.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Shows blocks `0..count` in order until `visit` breaks off. Buffers take turns: some are filled by `read`, on so many
/// threads, while `visit` sees another one.
///
/// # Errors
/// The first one of `read`; blocks before it have been shown.
pub(super) fn read_ahead<B: Send, E: Send>(
    buffers: Vec<B>,
    readers: usize,
    count: usize,
    read: impl Fn(usize, &mut B) -> Result<(), E> + Sync,
    mut visit: impl FnMut(usize, &B) -> ControlFlow<()>,
) -> Result<(), E> {
    let (give_back, free) = channel();
    let (hand_over, filled) = sync_channel(buffers.len());
    for buffer in buffers {
        // Its other end is right here.
        let _ = give_back.send(buffer);
    }
    // Who takes a buffer takes the next block with it: the first one that is not there yet always has a buffer.
    let next = Mutex::new((0, free));
    let (next, read) = (&next, &read);
    // Whichever side ends first drops its ends of both channels, and so ends the other.
    thread::scope(move |scope| {
        for _ in 0..readers {
            let hand_over = hand_over.clone();
            scope.spawn(move || {
                loop {
                    let (block, mut buffer) = {
                        let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
                        if next.0 == count {
                            return;
                        }
                        let Ok(buffer) = next.1.recv() else { return };
                        next.0 += 1;
                        (next.0 - 1, buffer)
                    };
                    let done = read(block, &mut buffer).map(|()| buffer);
                    let failed = done.is_err();
                    if hand_over.send((block, done)).is_err() || failed {
                        return;
                    }
                }
            });
        }
        drop(hand_over);
        let mut waiting = BTreeMap::new();
        for block in 0..count {
            let buffer = loop {
                if let Some(done) = waiting.remove(&block) {
                    break done;
                }
                let Ok((place, done)) = filled.recv() else { return Ok(()) };
                waiting.insert(place, done);
            };
            let buffer = buffer?;
            if visit(block, &buffer).is_break() {
                break;
            }
            let _ = give_back.send(buffer);
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn all_blocks_come_in_their_order() {
        let mut seen = vec![];
        let fill = |block: usize, buffer: &mut usize| {
            *buffer = 10 * block;
            Ok::<(), ()>(())
        };
        read_ahead(vec![0; 3], 2, 5, fill, |block, buffer| {
            seen.push((block, *buffer));
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(seen, [(0, 0), (1, 10), (2, 20), (3, 30), (4, 40)]);
    }

    #[test]
    fn one_reader_and_one_buffer_are_enough_and_slow_blocks_wait_for_their_turn() {
        for (readers, buffers) in [(1, 1), (1, 3), (3, 4), (4, 2)] {
            let mut seen = vec![];
            let fill = |block: usize, buffer: &mut usize| {
                if block.is_multiple_of(3) {
                    thread::sleep(std::time::Duration::from_millis(2));
                }
                *buffer = block;
                Ok::<(), ()>(())
            };
            read_ahead(vec![0; buffers], readers, 40, fill, |block, buffer| {
                assert_eq!(block, *buffer);
                seen.push(block);
                ControlFlow::Continue(())
            })
            .unwrap();
            assert_eq!(seen, (0..40).collect::<Vec<_>>());
        }
    }

    #[test]
    fn who_breaks_off_reads_no_further() {
        let read = AtomicUsize::new(0);
        let fill = |_, (): &mut ()| {
            read.fetch_add(1, Ordering::SeqCst);
            Ok::<(), ()>(())
        };
        read_ahead(vec![(); 3], 2, 1000, fill, |block, ()| match block {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
        .unwrap();
        assert!(read.load(Ordering::SeqCst) <= 6);
    }

    #[test]
    fn blocks_before_an_error_are_shown() {
        let mut seen = 0;
        let fill = |block, (): &mut ()| if block == 3 { Err("gone") } else { Ok(()) };
        let done = read_ahead(vec![(); 3], 2, 9, fill, |_, ()| {
            seen += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((done, seen), (Err("gone"), 3));
    }
}
