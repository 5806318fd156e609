//! What an iteration of each model tells the other parts: counted, compared with a formula, and written into
//! `docs/scaling.md`. With `DEEPNMF_WRITE=1` the table there is written anew.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // as in every test

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use deepnmf::matrix::{Communicator, PartColumns, Parts, Reduction};
use deepnmf::rng::{generator, uniform};
use deepnmf::{
    Activation, Cnmf, DeepSemiNmf, DeepWsf, Descent, Divergence, Dnmf, Error, Event, FitOptions,
    FitSession, Form, Gnmf, LabelUse, Labels, Loss, Matrix, MultilayerNmf, NeNmf, Nmf,
    NonNegativeOptions, NonNegativeStart, SemiNmf, Settings, Start, StopRule, Variant, Wsf, WsfMa,
};

/// One part alone, which writes down how many numbers it would exchange with others. How many there are changes
/// nothing of that.
#[derive(Default)]
struct Listener(Mutex<Vec<usize>>);

impl Communicator for Listener {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn reduce(&self, _: Reduction, values: &mut [f64]) -> deepnmf::Result<()> {
        self.0.lock().unwrap().push(values.len());
        Ok(())
    }

    fn abort(&self, _: &Error) {}
}

/// Sizes of a fit: features, samples, components of the first and the top layer. There are three classes.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    p: usize,
    n: usize,
    k1: usize,
    k: usize,
}

const CLASSES: usize = 3;

/// What an iteration reduces, beside single numbers: some once, some in every inner round.
struct Row {
    model: &'static str,
    formula: &'static str,
    settings: fn(Sizes) -> Settings,
    once: fn(Sizes) -> Vec<usize>,
    in_each_round: fn(Sizes) -> Vec<usize>,
}

fn stop() -> StopRule {
    StopRule { kappa: 0.0, max_iterations: 6, max_seconds: None }
}

fn options() -> FitOptions {
    FitOptions::default().start(Start::Random).stop(stop())
}

fn nmf(k: usize) -> Nmf {
    Nmf::new(k).with(NonNegativeOptions::default().start(NonNegativeStart::Random).stop(stop()))
}

fn published(k: usize) -> Nmf {
    nmf(k).with(nmf(k).options.solver(Nmf::LEE_SEUNG))
}

fn deep(Sizes { k1, k, .. }: Sizes) -> DeepSemiNmf {
    let descent = Descent { max_iterations: 6, ..Descent::default() };
    DeepSemiNmf::new([k1, k]).with(options()).descent(descent)
}

fn rows() -> Vec<Row> {
    of_any_sign().into_iter().chain(non_negative()).collect()
}

fn none(_: Sizes) -> Vec<usize> {
    vec![]
}

fn of_any_sign() -> Vec<Row> {
    vec![
        Row {
            model: "Semi-NMF",
            formula: "`p k + k^2`",
            settings: |s| SemiNmf::new(s.k).with(options()).into(),
            once: |s| vec![s.k * s.k, s.p * s.k],
            in_each_round: none,
        },
        Row {
            model: "Deep Semi-NMF, linear",
            formula: "`k_1^2`",
            settings: |s| deep(s).into(),
            once: |s| vec![s.k1 * s.k1],
            in_each_round: none,
        },
        Row {
            model: "the same as printed",
            formula: "`p k_1 + p k + n (k_1 + k)`",
            settings: |s| deep(s).form(Form::Literal).into(),
            once: |s| vec![s.n * s.k1, s.p * s.k1, s.n * s.k, s.p * s.k],
            in_each_round: none,
        },
        Row {
            model: "Deep Semi-NMF, nonlinear",
            formula: "`p k_1 + k_1^2 + k_1 k` an evaluation",
            settings: |s| deep(s).activation(Activation::Relu).into(),
            once: none,
            in_each_round: |s| vec![s.k1 * s.k1, s.p * s.k1, s.k1 * s.k],
        },
        Row {
            model: "Deep Semi-NMF, loss of every layer",
            formula: "`p k_1 + 2 k_1^2 + k_1 k + 2 k^2` a sweep",
            settings: |s| deep(s).loss(Loss::Layer).into(),
            once: none,
            in_each_round: |s| {
                let (first, top) = (s.k1 * s.k1, s.k * s.k);
                vec![first, s.p * s.k1, first, top, s.k1 * s.k, top]
            },
        },
        Row {
            model: "WSF, `c` classes",
            formula: "`p k + 2 k^2 + c k`",
            settings: |s| Wsf::new(s.k, 0.1).with(options()).into(),
            once: |s| vec![CLASSES * s.k, s.k * s.k, s.k * s.k, s.p * s.k],
            in_each_round: none,
        },
        Row {
            model: "WSF as printed",
            formula: "`p k + k^2 + c k`",
            settings: |s| Wsf::new(s.k, 0.1).variant(Variant::Printed).with(options()).into(),
            once: |s| vec![CLASSES * s.k, s.k * s.k, s.p * s.k],
            in_each_round: none,
        },
        Row {
            model: "WSF-MA, two attributes",
            formula: "`p k + 2 k^2 + 2 c k`",
            settings: |s| WsfMa::new(s.k, [0.1, 0.1]).with(options()).into(),
            once: |s| vec![CLASSES * s.k, CLASSES * s.k, s.k * s.k, s.k * s.k, s.p * s.k],
            in_each_round: none,
        },
        Row {
            model: "Deep WSF, top layer",
            formula: "`k_1 k + 2 k^2 + c k`",
            settings: |s| DeepWsf::of(deep(s), [0.1, 0.1]).into(),
            once: |s| vec![CLASSES * s.k, s.k * s.k, s.k * s.k, s.k1 * s.k],
            in_each_round: none,
        },
    ]
}

fn non_negative() -> Vec<Row> {
    vec![
        Row {
            model: "NMF",
            formula: "`p k + 2 k^2`",
            settings: |s| nmf(s.k).into(),
            once: |s| vec![s.k * s.k, s.p * s.k, s.k * s.k],
            in_each_round: none,
        },
        Row {
            model: "NMF, Kullback-Leibler",
            formula: "`k`, and `2 p` a component and sweep",
            settings: |s| nmf(s.k).divergence(Divergence::KullbackLeibler).into(),
            once: |s| vec![s.k],
            in_each_round: |s| vec![2 * s.p],
        },
        Row {
            model: "NeNMF",
            formula: "`p k + 2 k^2`",
            settings: |s| NeNmf::new(s.k).with(nmf(s.k)).into(),
            once: |s| vec![s.k * s.k, s.p * s.k, s.k * s.k],
            in_each_round: none,
        },
        Row {
            model: "GNMF",
            formula: "`p k + 2 k^2`, and `n k + k^2` an evaluation",
            settings: |s| Gnmf::new(s.k).with(nmf(s.k)).into(),
            once: |s| vec![s.k * s.k, s.p * s.k, s.k * s.k],
            in_each_round: |s| vec![s.n * s.k, s.k * s.k],
        },
        Row {
            model: "Multi-layer NMF, top layer",
            formula: "`p k + 2 k^2`",
            settings: |s| MultilayerNmf::new([s.k1, s.k]).with(nmf(1)).into(),
            once: |s| vec![s.k * s.k, s.p * s.k, s.k * s.k],
            in_each_round: none,
        },
        Row {
            model: "CNMF, `c` classes",
            formula: "`p k + 2 k^2 + 2 c k`",
            settings: |s| Cnmf::new(s.k).with(published(s.k)).into(),
            once: |s| vec![s.k * s.k, s.p * s.k, CLASSES * s.k, CLASSES * s.k, s.k * s.k],
            in_each_round: none,
        },
        Row {
            model: "DNMF, `c` classes",
            formula: "`p k + 2 k^2 + 2 c k`",
            settings: |s| Dnmf::new(s.k, 0.1, 0.0).with(published(s.k)).into(),
            once: |s| vec![s.k * s.k, s.p * s.k, CLASSES * s.k, CLASSES * s.k, s.k * s.k],
            in_each_round: none,
        },
    ]
}

/// The sizes of all reductions of the fourth iteration of the last loop.
fn iteration(settings: &Settings, Sizes { p, n, .. }: Sizes) -> Vec<usize> {
    let mut rng = generator(3, 1);
    let x = Matrix::from_fn(p, n, |_, _| uniform(&mut rng));
    let listener = Listener::default();
    let data = PartColumns::new(x.view(), Parts::new(&listener, n).unwrap());
    let labels: Vec<Option<u32>> = (0..n).map(|j| u32::try_from(j % CLASSES).ok()).collect();
    let attributes: Vec<Option<&Labels>> = match settings.abilities().labels {
        LabelUse::None | LabelUse::EachPart => vec![],
        LabelUse::One => vec![Some(&labels)],
        LabelUse::Several | LabelUse::EachLayer => vec![Some(&labels); 2],
    };
    let mut marks = vec![];
    let mut watch = |event: &Event| {
        if let Event::Iteration { iteration: 3 | 4, .. } = event {
            marks.push(listener.0.lock().unwrap().len());
        }
    };
    settings.fit(&data, &attributes, &mut FitSession::new().observed_by(&mut watch)).unwrap();
    let [.., begin, end] = marks[..] else { panic!("{settings:?} has no fourth iteration") };
    listener.0.into_inner().unwrap()[begin..end].to_vec()
}

/// All reductions of an iteration with so many inner rounds, but those of single numbers, in the order of their sizes.
fn expected(row: &Row, sizes: Sizes, rounds: usize) -> Vec<usize> {
    let mut all = (row.once)(sizes);
    (0..rounds).for_each(|_| all.extend((row.in_each_round)(sizes)));
    all.sort_unstable();
    all
}

/// How often the inner rounds ran; all reductions but those of single numbers are those of the row.
fn compare(row: &Row, sizes: Sizes) -> usize {
    let mut reductions = iteration(&(row.settings)(sizes), sizes);
    reductions.retain(|size| *size > 2);
    reductions.sort_unstable();
    let in_each_round = (row.in_each_round)(sizes).len();
    let rounds = (reductions.len() - (row.once)(sizes).len()) / in_each_round.max(1);
    assert_eq!(reductions, expected(row, sizes, rounds), "{} at {sizes:?}", row.model);
    rounds
}

const SMALL: Sizes = Sizes { p: 30, n: 61, k1: 7, k: 4 };

#[test]
fn an_iteration_tells_the_other_parts_what_the_formula_says() {
    let others = [
        Sizes { n: 122, ..SMALL },
        Sizes { p: 41, ..SMALL },
        Sizes { k1: 9, ..SMALL },
        Sizes { k: 5, ..SMALL },
    ];
    for row in rows() {
        assert_eq!(
            compare(&row, SMALL) > 0,
            !(row.in_each_round)(SMALL).is_empty(),
            "{}",
            row.model
        );
        for sizes in others {
            compare(&row, sizes);
        }
    }
}

/// What a reduction of so many numbers costs each of four ranks, in bytes.
fn bytes(numbers: usize) -> usize {
    if numbers <= 128 { 8 * 3 * numbers } else { 16 * 3 * numbers.div_ceil(4) }
}

fn table() -> String {
    const LARGE: Sizes = Sizes { p: 1024, n: 100_000, k1: 100, k: 20 };
    let mut table = "\
| model | numbers in an iteration | reductions | bytes from each of 4 ranks |\n\
|---|---|---|---|\n"
        .to_owned();
    for Row { model, formula, once, in_each_round, .. } in rows() {
        let (once, in_each_round) = (once(LARGE), in_each_round(LARGE));
        let reductions = match (once.len(), in_each_round.len()) {
            (once, 0) => once.to_string(),
            (0, inner) => format!("{inner} a round"),
            (once, inner) => format!("{once}, and {inner} a round"),
        };
        let sent: usize = once.iter().chain(&in_each_round).map(|size| bytes(*size)).sum();
        let kilobytes = (sent as f64 / 1e3).round();
        writeln!(table, "| {model} | {formula} | {reductions} | {kilobytes} kB |").unwrap();
    }
    table
}

#[test]
fn the_table_in_the_documents_has_these_formulas() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scaling.md");
    let text = fs::read_to_string(&path).unwrap();
    let begin = text.find("| model |").expect("the table");
    let end = begin + text[begin..].find("\n\n").expect("its end") + 1;
    if env::var_os("DEEPNMF_WRITE").is_some() {
        fs::write(&path, format!("{}{}{}", &text[..begin], table(), &text[end..])).unwrap();
    } else {
        assert_eq!(text[begin..end], table(), "write it anew with DEEPNMF_WRITE=1");
    }
}
