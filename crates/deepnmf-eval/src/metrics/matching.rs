//! The best way to pair rows with columns.
//!
//! The Hungarian method as shortest augmenting paths (Jonker & Volgenant 1987): rows enter one
//! after the other, each along the cheapest path of exchanges; prices on rows and columns keep
//! reduced costs non-negative, so a path is found as by Dijkstra. `O(r^2 c)` for `r <= c`. Counts
//! are whole numbers, so nothing is rounded.

/// For every row of a table the column it is matched with, so that the sum of the matched entries
/// is largest. Every column is used at most once; with more rows than columns some rows stay alone.
///
/// Rows of unequal lengths count as filled up with zeros.
///
/// ```
/// use deepnmf_eval::metrics::match_columns;
/// let table = [vec![5, 4], vec![4, 0]];
/// assert_eq!(match_columns(&table), [Some(1), Some(0)]);
/// ```
pub fn match_columns(table: &[Vec<u64>]) -> Vec<Option<usize>> {
    let rows = table.len();
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    // A cost is what is lost against the largest entry; no sum of them overflows `i128`.
    let largest = table.iter().flatten().copied().max().unwrap_or(0);
    let entry = |i: usize, j: usize| table[i].get(j).copied().unwrap_or(0);
    let cost = |i: usize, j: usize| i128::from(largest) - i128::from(entry(i, j));
    if rows <= columns {
        return Matching::solve(rows, columns, cost);
    }
    let mut matched = vec![None; rows];
    let of_columns = Matching::solve(columns, rows, |j, i| cost(i, j));
    for (column, row) in of_columns.into_iter().enumerate() {
        if let Some(row) = row {
            matched[row] = Some(column);
        }
    }
    matched
}

/// A matching of the first rows, with prices that prove it best.
struct Matching {
    row_prices: Vec<i128>,
    column_prices: Vec<i128>,
    row_of: Vec<Option<usize>>,
}

impl Matching {
    /// The column of every row; there are at least as many columns as rows.
    fn solve(
        rows: usize,
        columns: usize,
        cost: impl Fn(usize, usize) -> i128,
    ) -> Vec<Option<usize>> {
        let mut matching = Self {
            row_prices: vec![0; rows],
            column_prices: vec![0; columns],
            row_of: vec![None; columns],
        };
        for row in 0..rows {
            matching.add(row, &cost);
        }
        let mut column_of = vec![None; rows];
        for (column, row) in matching.row_of.iter().enumerate() {
            if let Some(row) = row {
                column_of[*row] = Some(column);
            }
        }
        column_of
    }

    /// Matches one more row, by the cheapest path of exchanges to a free column.
    fn add(&mut self, new_row: usize, cost: &impl Fn(usize, usize) -> i128) {
        let columns = self.row_of.len();
        let mut paths = Paths {
            length: vec![i128::MAX; columns],
            before: vec![None; columns],
            done: vec![false; columns],
        };
        let (mut row, mut reached, mut last) = (new_row, 0, None);
        let free = loop {
            for j in (0..columns).filter(|j| !paths.done[*j]) {
                let step = cost(row, j) - self.row_prices[row] - self.column_prices[j];
                if reached + step < paths.length[j] {
                    paths.length[j] = reached + step;
                    paths.before[j] = last;
                }
            }
            // There are no fewer columns than rows, so a free one is always left.
            let Some(nearest) = paths.nearest() else { return };
            reached = paths.length[nearest];
            paths.done[nearest] = true;
            last = Some(nearest);
            match self.row_of[nearest] {
                Some(taken_by) => row = taken_by,
                None => break nearest,
            }
        };
        self.change_prices(new_row, reached, &paths);
        self.exchange(new_row, free, &paths);
    }

    fn change_prices(&mut self, new_row: usize, reached: i128, paths: &Paths) {
        self.row_prices[new_row] += reached;
        for j in (0..self.row_of.len()).filter(|j| paths.done[*j]) {
            self.column_prices[j] -= reached - paths.length[j];
            if let Some(row) = self.row_of[j] {
                self.row_prices[row] += reached - paths.length[j];
            }
        }
    }

    /// Hands every column on the path to the row before it.
    fn exchange(&mut self, new_row: usize, free: usize, paths: &Paths) {
        let mut column = free;
        while let Some(before) = paths.before[column] {
            self.row_of[column] = self.row_of[before];
            column = before;
        }
        self.row_of[column] = Some(new_row);
    }
}

/// Cheapest paths from the new row to every column.
struct Paths {
    length: Vec<i128>,
    before: Vec<Option<usize>>,
    done: Vec<bool>,
}

impl Paths {
    fn nearest(&self) -> Option<usize> {
        (0..self.length.len()).filter(|j| !self.done[*j]).min_by_key(|j| self.length[*j])
    }
}
