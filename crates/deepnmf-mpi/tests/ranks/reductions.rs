//! Sums, minima and maxima: the same bits as in the order of the ranks, and as many bytes as promised.

use deepnmf::matrix::{Communicator, Reduction};
use deepnmf_mpi::World;

use crate::job::Job;

/// Around the sizes at which another way is taken.
const SIZES: [usize; 8] = [0, 1, 2, 127, 128, 129, 1000, (1 << 22) + 1001];

/// What a reduction of so many numbers costs each of `ranks` ranks, in bytes.
pub(crate) fn bytes(numbers: usize, ranks: usize) -> u64 {
    let of_piece = |numbers: usize| match numbers {
        0..=128 => 8 * (ranks - 1) * numbers,
        _ => 16 * (ranks - 1) * numbers.div_ceil(ranks),
    };
    let (whole, rest) = (numbers >> 22, numbers & ((1 << 22) - 1));
    (whole * of_piece(1 << 22) + of_piece(rest)) as u64
}

/// Numbers whose sum depends on its order.
fn number(rank: usize, i: usize) -> f64 {
    let sign = if (rank + i).is_multiple_of(3) { -1.0 } else { 1.0 };
    sign * ((i * 7 + rank * 13) % 101) as f64 / 3.0 * (1u64 << ((i + 5 * rank) % 40)) as f64
}

fn reduced(reduction: Reduction, ranks: usize, i: usize) -> f64 {
    let combine = |a: f64, b: f64| match reduction {
        Reduction::Sum => a + b,
        Reduction::Min => a.min(b),
        Reduction::Max => a.max(b),
    };
    (0..ranks).map(|rank| number(rank, i)).reduce(combine).unwrap()
}

/// What every rank does.
pub(crate) fn reduce(world: &World) {
    let (rank, ranks) = (world.rank(), world.size());
    for reduction in [Reduction::Sum, Reduction::Min, Reduction::Max] {
        for size in SIZES {
            let mut values: Vec<f64> = (0..size).map(|i| number(rank, i)).collect();
            let before = world.communication().total();
            world.reduce(reduction, &mut values).unwrap();
            let after = world.communication().total();
            let right =
                |(i, v): (usize, &f64)| v.to_bits() == reduced(reduction, ranks, i).to_bits();
            assert!(values.iter().enumerate().all(right), "{reduction:?} of {size} on {ranks}");
            assert_eq!(after.bytes - before.bytes, bytes(size, ranks), "{size} on {ranks}");
            assert_eq!(
                (after.calls - before.calls, after.numbers - before.numbers),
                (1, size as u64)
            );
        }
    }
    let by_kind = world.communication();
    assert_eq!(by_kind.sum, by_kind.max);
    assert_eq!(by_kind.min.calls, SIZES.len() as u64);
    // A zero keeps its sign where no other rank says anything.
    let mut zero = [-0.0, if rank == 0 { -0.0 } else { 0.0 }];
    world.reduce(Reduction::Sum, &mut zero).unwrap();
    assert!(zero[0].is_sign_negative() && zero[1].is_sign_positive());
}

#[test]
fn reductions_have_the_bits_of_the_order_of_ranks_and_the_bytes_of_the_formula() {
    for ranks in [2, 3, 4] {
        Job::succeed("reductions", ranks);
    }
}
