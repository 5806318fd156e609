//! Blocks that are read on another thread while the one before is worked on.

use std::ops::ControlFlow;
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

/// Shows blocks `0..count` in order until `visit` breaks off. Two buffers take turns: one is filled by `read` while
/// `visit` sees the other.
///
/// # Errors
/// The first one of `read`; blocks before it have been shown.
pub(super) fn read_ahead<B: Send, E: Send>(
    buffers: [B; 2],
    count: usize,
    read: impl Fn(usize, &mut B) -> Result<(), E> + Send,
    mut visit: impl FnMut(usize, &B) -> ControlFlow<()>,
) -> Result<(), E> {
    let (give_back, free) = channel();
    let (hand_over, filled) = sync_channel(1);
    for buffer in buffers {
        // Its other end is right here.
        let _ = give_back.send(buffer);
    }
    // Whichever side ends first drops its ends of both channels, and so ends the other.
    thread::scope(move |scope| {
        scope.spawn(move || {
            for block in 0..count {
                let Ok(mut buffer) = free.recv() else { return };
                let done = read(block, &mut buffer).map(|()| buffer);
                let failed = done.is_err();
                if hand_over.send(done).is_err() || failed {
                    return;
                }
            }
        });
        for block in 0..count {
            let Ok(buffer) = filled.recv() else { break };
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
        read_ahead([0, 0], 5, fill, |block, buffer| {
            seen.push((block, *buffer));
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(seen, [(0, 0), (1, 10), (2, 20), (3, 30), (4, 40)]);
    }

    #[test]
    fn who_breaks_off_reads_no_further() {
        let read = AtomicUsize::new(0);
        let fill = |_, (): &mut ()| {
            read.fetch_add(1, Ordering::SeqCst);
            Ok::<(), ()>(())
        };
        read_ahead([(), ()], 1000, fill, |block, ()| match block {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
        .unwrap();
        assert!(read.load(Ordering::SeqCst) <= 5);
    }

    #[test]
    fn blocks_before_an_error_are_shown() {
        let mut seen = 0;
        let fill = |block, (): &mut ()| if block == 3 { Err("gone") } else { Ok(()) };
        let done = read_ahead([(), ()], 9, fill, |_, ()| {
            seen += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((done, seen), (Err("gone"), 3));
    }
}
