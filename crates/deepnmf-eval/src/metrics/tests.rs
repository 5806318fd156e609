#![allow(clippy::float_cmp)] // equal means equal here

use proptest::prelude::*;

use super::*;
use crate::EvalError;

/// The best matching by trying every one.
fn literal_best(table: &[Vec<u64>]) -> u64 {
    fn from(table: &[Vec<u64>], row: usize, used: u32) -> u64 {
        if row == table.len() {
            return 0;
        }
        let alone = from(table, row + 1, used);
        let taken = |c: usize| table[row][c] + from(table, row + 1, used | 1 << c);
        (0..table[row].len()).filter(|c| used >> c & 1 == 0).map(taken).fold(alone, u64::max)
    }
    from(table, 0, 0)
}

fn tables() -> impl Strategy<Value = Vec<Vec<u64>>> {
    (1usize..7, 1usize..7, 1u64..12).prop_flat_map(|(rows, columns, most)| {
        proptest::collection::vec(proptest::collection::vec(0..most, columns), rows)
    })
}

fn labelings() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    (1usize..60, 1usize..7, 1usize..9).prop_flat_map(|(n, a, b)| {
        (proptest::collection::vec(0..a, n), proptest::collection::vec(0..b, n))
    })
}

proptest! {
    #[test]
    fn matching_is_as_good_as_trying_everything(table in tables()) {
        let matched = match_columns(&table);
        let mut columns: Vec<usize> = matched.iter().flatten().copied().collect();
        prop_assert_eq!(columns.len(), table.len().min(table[0].len()));
        columns.sort_unstable();
        columns.dedup();
        prop_assert_eq!(columns.len(), table.len().min(table[0].len()));
        let sum: u64 = table.iter().zip(matched).filter_map(|(row, c)| Some(row[c?])).sum();
        prop_assert_eq!(sum, literal_best(&table));
    }

    #[test]
    fn measures_stay_in_range_and_ignore_names((classes, clusters) in labelings()) {
        let ac = accuracy(&classes, &clusters).unwrap();
        prop_assert!(ac > 0.0 && ac <= purity(&classes, &clusters).unwrap() && ac <= 1.0);
        let shared = nmi(&classes, &clusters).unwrap();
        prop_assert!((0.0..=1.0 + 1e-12).contains(&shared));
        let index = ari(&classes, &clusters).unwrap();
        prop_assert!((-1.0..=1.0).contains(&index));
        let renamed: Vec<usize> = clusters.iter().map(|c| usize::MAX - 3 * c).collect();
        prop_assert_eq!(accuracy(&classes, &renamed).unwrap(), ac);
        prop_assert!((nmi(&classes, &renamed).unwrap() - shared).abs() < 1e-12);
        prop_assert_eq!(ari(&classes, &renamed).unwrap(), index);
    }

    #[test]
    fn accuracy_nmi_and_ari_are_symmetric((classes, clusters) in labelings()) {
        prop_assert_eq!(accuracy(&classes, &clusters).unwrap(), accuracy(&clusters, &classes).unwrap());
        let (a, b) = (nmi(&classes, &clusters).unwrap(), nmi(&clusters, &classes).unwrap());
        prop_assert!((a - b).abs() < 1e-12);
        prop_assert_eq!(ari(&classes, &clusters).unwrap(), ari(&clusters, &classes).unwrap());
    }

    #[test]
    fn a_matched_confusion_keeps_every_count((classes, clusters) in labelings()) {
        let table = confusion(&classes, &clusters).unwrap();
        let matched = table.matched();
        for (i, row) in table.counts.iter().enumerate() {
            for (j, cluster) in table.clusters.iter().enumerate() {
                let place = matched.clusters.iter().position(|c| c == cluster).unwrap();
                prop_assert_eq!(row[j], matched.counts[i][place]);
            }
        }
        if table.classes.len() <= table.clusters.len() {
            let diagonal: u64 = (0..table.classes.len()).map(|i| matched.counts[i][i]).sum();
            prop_assert_eq!(
                diagonal as f64 / classes.len() as f64, accuracy(&classes, &clusters).unwrap()
            );
        }
    }
}

#[test]
fn equal_labelings_agree_fully() {
    let labels = [4usize, 4, 9, 1, 1, 1];
    assert_eq!(accuracy(&labels, &labels).unwrap(), 1.0);
    assert!((nmi(&labels, &labels).unwrap() - 1.0).abs() < 1e-15);
    assert_eq!(ari(&labels, &labels).unwrap(), 1.0);
    assert_eq!(purity(&labels, &labels).unwrap(), 1.0);
}

#[test]
fn a_sample_with_a_missing_label_does_not_count() {
    let classes = [Some(0usize), None, Some(1), Some(1)];
    let clusters = [Some(0u32), Some(0), None, Some(1)];
    let table = Contingency::of(&classes, &clusters).unwrap();
    assert_eq!((table.samples, table.cells), (2, vec![(0, 0, 1), (1, 1, 1)]));
}

#[test]
fn one_class_in_many_clusters_shares_no_information() {
    let (classes, clusters) = ([0usize; 4], [0usize, 1, 2, 3]);
    for average in [Average::Geometric, Average::Arithmetic, Average::Min, Average::Max] {
        assert_eq!(nmi_with(average, &classes, &clusters).unwrap(), 0.0);
    }
    assert_eq!(nmi(&[1usize, 1], &[2usize, 2]).unwrap(), 1.0);
    assert_eq!(accuracy(&classes, &clusters).unwrap(), 0.25);
}

#[test]
fn lists_that_do_not_fit_are_refused_in_words() {
    let error = accuracy(&[1usize], &[1usize, 2]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the list of classes has 1 entries, but the list of clusters has 2: one per sample is needed"
    );
    assert!(matches!(nmi::<usize, usize>(&[], &[]), Err(EvalError::TooFew { .. })));
    assert!(ari(&[None::<usize>], &[1usize]).is_err());
}

#[test]
fn a_label_of_its_own_for_every_sample_needs_no_table() {
    let own: Vec<usize> = (0..100_000).collect();
    assert!((nmi(&own, &own).unwrap() - 1.0).abs() < 1e-12);
    assert!(matches!(accuracy(&own, &own), Err(EvalError::TableTooLarge { .. })));
}
