//! NN-Descent (Dong, Charikar & Li 2011): the neighbours of a neighbour are likely neighbours.
//!
//! ```text
//! start     trees of random cuts put samples that are near each other into one leaf
//!           a, b in one leaf:                a is offered to the list of b, b to the list of a
//! round     B(v) = the nearest of those that v lists and of those that list v
//!           a, b in B(v), one of them new:   a is offered to the list of b, b to the list of a
//! ```
//!
//! A list keeps the nearest that it is offered and of equally near ones the first, so that the order
//! of offers does not matter: the same seed finds the same ones at any number of threads.
//!
//! Measured on 20,000 to 100,000 samples of 10 to 256 features, in clusters, near a surface or all over
//! 10 dimensions: at least 98.6% of the 5 nearest, as by `ann-search-rs` 0.12, in 1 to 4
//! times its time (with 200 probes and a check at 98.5%; the check is stricter since).

use rand::Rng;
use rayon::prelude::*;

use crate::error::Result;
use crate::rng::{Purpose, stream, uniform};

/// Trees that lists are started from, and the most samples of a leaf: all of them are compared.
const TREES: usize = 16;
const LEAF: usize = 64;

/// Rounds at most, and the share of places in lists that must change for another one.
const ROUNDS: usize = 30;
const FEW: f64 = 0.001;

/// The most new and the most other samples of a group, for each place in a list: some samples are in
/// the lists of very many.
const CROWD: usize = 3;

/// Groups joined by one task, and by all before lists change; lists that one task changes.
const TASK: usize = 64;
const GROUPS: usize = 64 * TASK;
const LISTS: usize = 1024;

/// Samples whose neighbours are found by comparing with all, to see what is missing.
const PROBES: usize = 400;

/// Numbers that are added side by side in vector registers.
const LANES: usize = 16;

/// A place in a list. One that nothing has filled is infinitely far.
#[derive(Debug, Clone, Copy)]
struct Near {
    distance: f32,
    other: u32,
    /// Whether it has not been in a group yet.
    new: bool,
}

impl Near {
    const NOTHING: Self = Self { distance: f32::INFINITY, other: u32::MAX, new: false };

    fn is_something(&self) -> bool {
        self.other != u32::MAX
    }

    fn is_before(&self, other: &Self) -> bool {
        (self.distance, self.other) < (other.distance, other.other)
    }
}

/// Samples that may be near each other: each of the new ones is compared with all.
struct Group {
    new: Vec<u32>,
    known: Vec<u32>,
}

/// What may be nearer to the sample `to` than the last of its list.
struct Offer {
    to: u32,
    near: Near,
}

/// A search, with the list of every sample.
pub(super) struct Descent<'a> {
    /// One sample after another.
    samples: &'a [f32],
    features: usize,
    count: u32,
    /// Places of each list.
    kept: usize,
    lists: Vec<Near>,
}

impl<'a> Descent<'a> {
    /// Starts lists of `kept` near ones, at least 1 and fewer than samples, by random trees.
    pub(super) fn new(
        samples: &'a [f32],
        (features, count): (usize, u32),
        kept: usize,
        seed: u64,
    ) -> Self {
        let lists = vec![Near::NOTHING; count as usize * kept];
        let mut search = Self { samples, features, count, kept, lists };
        let mut rng = stream(seed, Purpose::Neighbours);
        for _ in 0..TREES {
            let leaves = search.leaves((0..count).collect(), rng.next_u64());
            search.join(&leaves);
        }
        search
    }

    /// Rounds until lists hardly change, or `go_on` says that nobody wants more.
    pub(super) fn descend(&mut self, go_on: &dyn Fn() -> Result<()>) -> Result<()> {
        for _ in 0..ROUNDS {
            go_on()?;
            let groups = self.groups();
            let changed = self.join(&groups);
            if (changed as f64) < FEW * self.lists.len() as f64 {
                break;
            }
        }
        Ok(())
    }

    /// The share of some samples' `wanted` nearest that their lists hold.
    pub(super) fn share_found(&self, wanted: usize) -> f64 {
        let step = (self.count as usize).div_ceil(PROBES).max(1);
        let found = |sample: u32| {
            let others: Vec<u32> = (0..self.count).filter(|other| *other != sample).collect();
            let mut distances = Vec::new();
            self.measure(sample, &others, &mut distances);
            let (_, last, _) = distances.select_nth_unstable_by(wanted - 1, f32::total_cmp);
            let list = &self.list(sample)[..wanted];
            list.iter().filter(|near| near.distance <= *last).count()
        };
        let probes = (0..self.count).into_par_iter().step_by(step);
        let all = probes.len() * wanted;
        probes.map(found).sum::<usize>() as f64 / all as f64
    }

    /// Makes lists longer; what they hold counts as new.
    pub(super) fn lengthen(&mut self, kept: usize) {
        let mut lists = vec![Near::NOTHING; self.count as usize * kept];
        for (longer, list) in lists.chunks_mut(kept).zip(self.lists.chunks(self.kept)) {
            longer[..list.len()].copy_from_slice(list);
            for near in longer {
                near.new = true;
            }
        }
        (self.kept, self.lists) = (kept, lists);
    }

    /// Places of each list.
    pub(super) fn kept(&self) -> usize {
        self.kept
    }

    /// What the list of a sample holds, the nearest first.
    pub(super) fn found(&self, sample: usize) -> impl Iterator<Item = usize> {
        let list = &self.lists[sample * self.kept..(sample + 1) * self.kept];
        list.iter().filter(|near| near.is_something()).map(|near| near.other as usize)
    }

    fn list(&self, sample: u32) -> &[Near] {
        &self.lists[sample as usize * self.kept..][..self.kept]
    }

    fn sample(&self, sample: u32) -> &'a [f32] {
        &self.samples[sample as usize * self.features..][..self.features]
    }

    /// Halves samples along the direction between two of them, until halves are small.
    fn leaves(&self, members: Vec<u32>, seed: u64) -> Vec<Group> {
        if members.len() <= LEAF {
            return vec![Group { new: members, known: vec![] }];
        }
        let mut rng = stream(seed, Purpose::Neighbours);
        let mut any = || {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            // less than the length
            let place = (uniform(&mut rng) * members.len() as f64) as usize;
            self.sample(members[place])
        };
        let direction: Vec<f32> = any().iter().zip(any()).map(|(a, b)| a - b).collect();
        let along = |j: &u32| (sum_of(self.sample(*j), &direction, |x, d| x * d), *j);
        let mut places: Vec<(f32, u32)> =
            members.par_iter().with_min_len(LISTS).map(along).collect();
        let half = places.len() / 2;
        places.select_nth_unstable_by(half, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let side = |places: &[(f32, u32)]| places.iter().map(|(_, j)| *j).collect();
        let (left, right) = (side(&places[..half]), side(&places[half..]));
        let (one, two) = (rng.next_u64(), rng.next_u64());
        drop((members, places));
        let (mut leaves, others) =
            rayon::join(|| self.leaves(left, one), || self.leaves(right, two));
        leaves.extend(others);
        leaves
    }

    /// A group for each sample: the nearest of those that it lists and that list it.
    fn groups(&mut self) -> Vec<Group> {
        let (starts, listing) = self.listing();
        let most = CROWD * self.kept;
        let group = |(j, list): (usize, &mut [Near])| {
            let listed = list.iter().filter(|near| near.is_something());
            let mut around: Vec<Near> =
                listed.chain(&listing[starts[j]..starts[j + 1]]).copied().collect();
            around.sort_unstable_by(|a, b| {
                let nearer = a.distance.total_cmp(&b.distance).then(a.other.cmp(&b.other));
                nearer.then(b.new.cmp(&a.new)) // who is there twice counts as new if one is
            });
            around.dedup_by_key(|near| near.other);
            let choose = |new| {
                let chosen = around.iter().filter(|near| near.new == new).take(most);
                chosen.map(|near| near.other).collect::<Vec<u32>>()
            };
            let group = Group { new: choose(true), known: choose(false) };
            for near in list {
                near.new &= !group.new.contains(&near.other);
            }
            group
        };
        self.lists.par_chunks_mut(self.kept).enumerate().map(group).collect()
    }

    /// Who lists sample `j`: the places `starts[j]..starts[j + 1]` of the second array.
    fn listing(&self) -> (Vec<usize>, Vec<Near>) {
        let all = || self.lists.iter().filter(|near| near.is_something());
        let mut starts = vec![0; self.count as usize + 2];
        all().for_each(|near| starts[near.other as usize + 2] += 1);
        (2..starts.len()).for_each(|j| starts[j] += starts[j - 1]);
        let mut listing = vec![Near::NOTHING; all().count()];
        for (j, list) in (0..self.count).zip(self.lists.chunks(self.kept)) {
            for near in list.iter().filter(|near| near.is_something()) {
                let next = &mut starts[near.other as usize + 1];
                listing[*next] = Near { other: j, ..*near };
                *next += 1; // ends as the start of the one after
            }
        }
        (starts, listing)
    }

    /// Compares the samples of every group, and returns how many places of lists have changed.
    fn join(&mut self, groups: &[Group]) -> usize {
        let mut changed = 0;
        for groups in groups.chunks(GROUPS) {
            let offers: Vec<_> = groups.par_chunks(TASK).map(|task| self.offers(task)).collect();
            let kept = self.kept;
            let parts = self.lists.par_chunks_mut(LISTS * kept).enumerate();
            let taken = parts.map(|(part, lists)| {
                let offers = offers.iter().flat_map(|offers| &offers[part]);
                let is_taken = |offer: &&Offer| {
                    let list = offer.to as usize % LISTS;
                    take(&mut lists[list * kept..][..kept], offer.near)
                };
                offers.filter(is_taken).count()
            });
            changed += taken.sum::<usize>();
        }
        changed
    }

    /// What the samples of groups offer each other, in parts by the list that it is offered to.
    fn offers(&self, groups: &[Group]) -> Vec<Vec<Offer>> {
        let parts = (self.count as usize).div_ceil(LISTS);
        let mut offers: Vec<Vec<Offer>> = (0..parts).map(|_| vec![]).collect();
        let mut distances = Vec::new();
        for Group { new, known } in groups {
            let all = [new.as_slice(), known].concat();
            for (i, &one) in new.iter().enumerate() {
                self.measure(one, &all[i + 1..], &mut distances);
                for (&two, &distance) in all[i + 1..].iter().zip(&distances) {
                    for (to, other) in [(one, two), (two, one)] {
                        let near = Near { distance, other, new: true };
                        if near.is_before(&self.list(to)[self.kept - 1]) {
                            offers[to as usize / LISTS].push(Offer { to, near });
                        }
                    }
                }
            }
        }
        offers
    }

    /// Squared distances of a sample from others.
    fn measure(&self, one: u32, others: &[u32], out: &mut Vec<f32>) {
        let one = self.sample(one);
        out.clear();
        pulp::Arch::new().dispatch(|| {
            let squares = |j: &u32| sum_of(one, self.sample(*j), |a, b| (a - b) * (a - b));
            out.extend(others.iter().map(squares));
        });
    }
}

/// Puts a sample into its place of a list, unless it is there or the list is full of nearer ones;
/// whether it did.
fn take(list: &mut [Near], near: Near) -> bool {
    let place = list.partition_point(|known| known.is_before(&near));
    if place == list.len() || list[place].other == near.other {
        return false;
    }
    list[place..].rotate_right(1);
    list[place] = near;
    true
}

/// The sum of terms of two samples, the same to the bit for any width of vector registers.
#[inline(always)]
fn sum_of(a: &[f32], b: &[f32], term: impl Fn(f32, f32) -> f32) -> f32 {
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| term(*a, *b)).sum();
    let mut sums = [0.0; LANES];
    for (a, b) in a.zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += term(*a, *b);
        }
    }
    sums.iter().sum::<f32>() + rest
}
