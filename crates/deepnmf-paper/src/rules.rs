//! When a claim of the paper holds: every rule is stated and computed.

use std::fmt::{self, Display};

use deepnmf_eval::stats::{self, PairedTest, paired_t_test, spread};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::record::DataFacts;

/// A difference whose chance is smaller than this counts as significant; the paper's.
pub(crate) const SIGNIFICANT: f64 = 0.01;

/// Half a unit of the last printed digit: what rounding may hide.
pub(crate) const ROUNDING: f64 = 0.005;

/// Whether a claim holds on the data at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not.
    DoesNotHold,
    /// Something is missing.
    CannotBeTested,
}

impl Verdict {
    pub(crate) fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::DoesNotHold }
    }
}

impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::CannotBeTested => "cannot be tested here",
        })
    }
}

/// Whose claim it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The paper.
    Paper,
    /// This project, to put the paper's claims into perspective.
    Ours,
}

/// One claim and its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The claim.
    pub claim: String,
    /// Whose claim it is.
    pub source: Source,
    /// When it counts as true.
    pub rule: String,
    /// Whether it does on the data at hand.
    pub verdict: Verdict,
    /// The numbers behind that.
    pub evidence: String,
    /// The data at hand.
    pub data: String,
    /// The set that the claim is about, if the data at hand only stand in for it.
    pub stand_in_for: Option<String>,
}

/// What a rule says: a verdict, and the numbers behind it.
pub(crate) type Finding = (Verdict, String);

impl Claim {
    /// A claim of the paper about some data.
    pub(crate) fn paper(claim: &str, rule: &str, finding: Finding, data: &DataFacts) -> Self {
        let (verdict, evidence) = finding;
        Self {
            claim: claim.into(),
            source: Source::Paper,
            rule: rule.into(),
            verdict,
            evidence,
            data: data.name.clone(),
            stand_in_for: data.stand_in_for.clone(),
        }
    }

    /// A claim of ours about some data.
    pub(crate) fn ours(claim: &str, rule: &str, finding: Finding, data: &DataFacts) -> Self {
        Self { source: Source::Ours, ..Self::paper(claim, rule, finding, data) }
    }

    /// A claim for which there are no data.
    pub(crate) fn untestable(claim: &str, rule: &str, why: &str, data: &str) -> Self {
        Self {
            claim: claim.into(),
            source: Source::Paper,
            rule: rule.into(),
            verdict: Verdict::CannotBeTested,
            evidence: why.into(),
            data: data.into(),
            stand_in_for: None,
        }
    }

    /// The verdict as text: of a claim about data that are not at hand it says only what the
    /// stand-in shows.
    pub fn told(&self) -> String {
        match (&self.stand_in_for, self.verdict) {
            (Some(set), Verdict::Holds | Verdict::DoesNotHold) => format!(
                "cannot be tested here ({set} is not at hand); on the stand-in it {}",
                self.verdict
            ),
            _ => self.verdict.to_string(),
        }
    }
}

/// The results of one method, paired run by run with those of others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) values: Vec<f64>,
    /// How many in a row are of one and the same fit, and so not independent of each other.
    pub(crate) of_a_fit: usize,
}

impl Series {
    pub(crate) fn mean(&self) -> f64 {
        mean(&self.values)
    }

    /// What a paired t-test says of this and another series: over all pairs, and over the means of
    /// fits where several pairs share one.
    pub(crate) fn tested(&self, other: &Self) -> Result<(PairedTest, Option<PairedTest>)> {
        let all = paired_t_test(&self.values, &other.values)?;
        let [ours, theirs] = [self, other].map(Self::by_fit);
        let shared = self.of_a_fit > 1 && ours.len() > 1;
        Ok((all, shared.then(|| paired_t_test(&ours, &theirs)).transpose()?))
    }

    fn by_fit(&self) -> Vec<f64> {
        self.values.chunks(self.of_a_fit.max(1)).map(mean).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    spread(values).map_or(f64::NAN, |spread| spread.mean)
}

/// What a test says of chance.
pub(crate) fn told_chance(test: &PairedTest) -> String {
    match test.verdict {
        stats::Verdict::Tested { p, .. } => p_value(p),
        stats::Verdict::Identical => "equal in every run".into(),
        stats::Verdict::ConstantDifference => "no t-test applies".into(),
    }
}

/// How much above another method is above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Above {
    /// By its mean.
    Mean,
    /// By its mean, and significantly so in a paired t-test.
    Significantly,
}

/// Whether one method is significantly above each of the others.
pub(crate) fn above_all(candidate: &Series, rivals: &[Series]) -> Result<Finding> {
    compared(candidate, rivals, Above::Significantly)
}

/// Whether one method is above each of the others.
pub(crate) fn compared(candidate: &Series, rivals: &[Series], how: Above) -> Result<Finding> {
    if candidate.values.len() < 2 || rivals.iter().any(|r| r.values.len() != candidate.values.len())
    {
        return Ok((Verdict::CannotBeTested, "cells are missing".into()));
    }
    let mut evidence = vec![format!("{} {:.1}", candidate.name, 100.0 * candidate.mean())];
    let mut holds = true;
    for rival in rivals {
        let (test, over_fits) = candidate.tested(rival)?;
        let significant =
            matches!(test.verdict, stats::Verdict::Tested { p, .. } if p < SIGNIFICANT);
        let over_fits = over_fits.map(|test| format!(", over fits {}", told_chance(&test)));
        let told = told_chance(&test) + &over_fits.unwrap_or_default();
        let above = test.mean_difference > 0.0 && (significant || how == Above::Mean);
        holds &= above;
        let mark = if above { "" } else { " [not above]" };
        let (name, mean) = (&rival.name, 100.0 * rival.mean());
        evidence.push(format!("{name} {mean:.1} ({told}){mark}"));
    }
    Ok((Verdict::of(holds), evidence.join("; ")))
}

/// A chance as it is usually printed.
pub(crate) fn p_value(p: f64) -> String {
    if p < 1e-4 { "p < 0.0001".into() } else { format!("p = {p:.4}") }
}

/// Whether every number is at or below the printed one beside it, rounding aside.
pub(crate) fn at_or_below(pairs: &[(f64, f64)]) -> Finding {
    let above: Vec<String> = pairs
        .iter()
        .filter(|(ours, theirs)| *ours > theirs + ROUNDING)
        .map(|(ours, theirs)| format!("{ours:.2} above {theirs:.2}"))
        .collect();
    if above.is_empty() {
        (Verdict::Holds, format!("all {} numbers are", pairs.len()))
    } else {
        (Verdict::DoesNotHold, format!("{} of {}: {}", above.len(), pairs.len(), above.join(", ")))
    }
}

/// A verdict that waits for cells that are not there yet.
pub(crate) fn missing(done: usize, cells: usize) -> Finding {
    (Verdict::CannotBeTested, format!("{} of {cells} cells are missing", cells - done))
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    fn series(name: &str, values: &[f64]) -> Series {
        Series { name: name.into(), values: values.to_vec(), of_a_fit: 1 }
    }

    #[test]
    fn above_all_needs_a_difference_and_its_significance() {
        let high = series("high", &[0.90, 0.91, 0.92, 0.93, 0.91]);
        let low = series("low", &[0.50, 0.52, 0.51, 0.50, 0.53]);
        let noisy = series("noisy", &[0.99, 0.50, 0.99, 0.80, 0.99]);
        let verdict = |a: &Series, b: &[Series]| above_all(a, b).unwrap().0;
        assert_eq!(verdict(&high, from_ref(&low)), Verdict::Holds);
        assert_eq!(verdict(&low, from_ref(&high)), Verdict::DoesNotHold);
        assert_eq!(verdict(&high, &[low, noisy.clone()]), Verdict::DoesNotHold);
        assert!(high.mean() > noisy.mean(), "above, but not significantly");
        assert_eq!(compared(&high, &[noisy], Above::Mean).unwrap().0, Verdict::Holds);
        assert_eq!(verdict(&high, from_ref(&high)), Verdict::DoesNotHold);
        assert_eq!(verdict(&high, &[series("short", &[0.1])]), Verdict::CannotBeTested);
    }

    #[test]
    fn values_of_one_fit_are_one_pair_in_the_test_over_fits() {
        let twice = |values: &[f64]| -> Vec<f64> { values.iter().flat_map(|v| [*v, *v]).collect() };
        let (a, b) = ([0.9, 0.7, 0.8, 0.9], [0.8, 0.7, 0.6, 0.5]);
        let paired = |name, values: &[f64]| Series { of_a_fit: 2, ..series(name, &twice(values)) };
        let (all, over_fits) = paired("a", &a).tested(&paired("b", &b)).unwrap();
        assert_eq!(over_fits, Some(paired_t_test(&a, &b).unwrap()));
        assert_eq!(all.pairs, 8);
        assert_eq!(series("a", &a).tested(&series("b", &b)).unwrap().1, None);
        let (_, told) = above_all(&paired("a", &a), &[paired("b", &b)]).unwrap();
        assert!(told.contains(", over fits p = 0."), "{told}");
    }

    #[test]
    fn rounding_of_the_print_is_forgiven_and_no_more() {
        assert_eq!(at_or_below(&[(9.184, 9.18), (1.0, 2.0)]).0, Verdict::Holds);
        let (verdict, evidence) = at_or_below(&[(9.19, 9.18), (1.0, 2.0)]);
        assert_eq!(verdict, Verdict::DoesNotHold);
        assert!(evidence.starts_with("1 of 2"), "{evidence}");
    }

    #[test]
    fn what_a_stand_in_shows_is_no_verdict_on_the_paper() {
        let facts = |stand_in_for: Option<&str>| DataFacts {
            name: "drawn".into(),
            fingerprint: String::new(),
            stand_in_for: stand_in_for.map(Into::into),
            samples: 1,
            features: 1,
        };
        let finding = (Verdict::Holds, String::new());
        let own = Claim::paper("c", "r", finding.clone(), &facts(None));
        assert_eq!(own.told(), "holds");
        let other = Claim::paper("c", "r", finding, &facts(Some("XM2VTS")));
        assert!(other.told().starts_with("cannot be tested here (XM2VTS"), "{}", other.told());
        assert!(other.told().ends_with("on the stand-in it holds"));
    }
}
