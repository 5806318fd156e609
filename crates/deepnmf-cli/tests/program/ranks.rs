//! The program on several ranks: the model of one process, one voice, and no end without a word.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{FACES, Folder, Run, npy, number, tensors};
use crate::interrupt::{ended, listens};

/// The largest difference to the model of one process, relative to the largest number of a factor.
const ROUNDING: f64 = 1e-9;

/// How soon a job is over once one of its ranks is dead.
const SECONDS_TO_END: u64 = 30;

impl Folder {
    /// The program on so many ranks.
    fn on_ranks(&self, ranks: usize, arguments: &str) -> Command {
        let one = self.command(arguments);
        let mut job = Command::new("mpirun");
        job.args(["-n", &ranks.to_string()]).arg(one.get_program()).args(one.get_args());
        job.current_dir(self.path(""));
        local(&mut job);
        job
    }

    fn run_on_ranks(&self, ranks: usize, arguments: &str) -> Run {
        Run::new(arguments, &self.on_ranks(ranks, arguments).output().unwrap())
    }

    /// The factors of a model file.
    fn factors(&self, name: &str) -> BTreeMap<String, Vec<f64>> {
        let numbers = |bytes: &[u8]| {
            bytes.chunks_exact(8).map(|v| f64::from_le_bytes(v.try_into().unwrap())).collect()
        };
        let tensors = tensors(&self.read(name)).into_iter();
        tensors.map(|(name, (_, bytes))| (name, numbers(&bytes))).collect()
    }

    fn assert_same_models(&self, a: &str, b: &str, what: &str) {
        let (a, b) = (self.factors(a), self.factors(b));
        assert!(a.keys().eq(b.keys()), "{what}: {:?} {:?}", a.keys(), b.keys());
        for (name, a) in &a {
            let b = &b[name];
            assert_eq!(a.len(), b.len(), "{what}: {name}");
            let size = b.iter().fold(0.0f64, |most, v| most.max(v.abs()));
            let off = a.iter().zip(b).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(off <= ROUNDING * size, "{what}: {name} differs by {off} of {size}");
        }
    }
}

/// More ranks than cores, shared memory only, and the only user of a container.
fn local(job: &mut Command) {
    for variable in [
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
        "OMPI_MCA_rmaps_base_oversubscribe",
        "RAYON_NUM_THREADS",
    ] {
        job.env(variable, "1");
    }
    job.env("OMPI_MCA_btl", "self,vader").env("OMPI_MCA_hwloc_base_binding_policy", "none");
    job.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none"); // containers forbid it
}

/// A table of 50 samples that no seven components explain, with labels.
fn table() -> String {
    let value = |i: usize, j: usize| ((i * 7 + j * 11 + i * j * j) % 23) as f64 / 7.0;
    let line = |j: usize| {
        let values: Vec<String> = (0..9).map(|i| value(i, j).to_string()).collect();
        format!("{},{}\n", values.join(","), ["red", "green", "blue"][j * j % 3])
    };
    let header = "a,b,c,d,e,f,g,h,i,colour\n";
    header.to_owned() + &(0..50).map(line).collect::<String>()
}

/// 50 samples, most of whose entries are zeros, in the format of Matrix Market.
fn sparse_table() -> String {
    let entries: Vec<String> = (0..50 * 9)
        .filter(|k| k * k % 7 < 3)
        .map(|k| format!("{} {} {}", k / 9 + 1, k % 9 + 1, k % 5 + 1))
        .collect();
    let head =
        format!("%%MatrixMarket matrix coordinate integer general\n50 9 {}\n", entries.len());
    head + &entries.join("\n") + "\n"
}

#[test]
fn a_fit_on_several_ranks_writes_the_model_of_one_process() {
    let folder = Folder::new();
    folder.write("x.csv", table());
    folder.write("x.mtx", sparse_table());
    let random = "--init random --kappa 0 --max-iter 5";
    let fits = [
        ("x.csv --labels-key colour --layers 5,3".to_owned(), 3),
        (
            format!(
                "x.csv --labels-key colour --model wsf --attributes colour --layers 4 {random}"
            ),
            2,
        ),
        (format!("x.csv --labels-key colour --normalize standardize,unit --layers 4 {random}"), 4),
        (format!("x.mtx --model nmf --divergence kl --normalize none --layers 4 {random}"), 3),
        (format!("x.mtx --normalize standardize --layers 4 {random}"), 2),
        (format!("x.csv --drop colour --layers 4 --neighbours 3 {random}"), 3),
        (format!("{FACES} --normalize igo --layers 5 {random}"), 2),
        (format!("{FACES} --layers 6,3 --auxiliary {FACES} --attributes pose,none {random}"), 2),
    ];
    for (fit, ranks) in fits {
        let one = folder.fit(&format!("{fit} --out one.safetensors"));
        let what = format!("fit {fit} --out all.safetensors --json");
        let run = folder.run_on_ranks(ranks, &what);
        assert_eq!(run.code, Some(0), "{run}");
        let all = run.json(); // one object: one rank speaks
        assert_eq!(all["ranks"], ranks, "{run}");
        assert!(number(&all["communication"], "bytes") > 0.0, "{run}");
        for same in ["samples", "features", "iterations", "notices", "preprocessing", "attributes"]
        {
            if same != "preprocessing" {
                assert_eq!(one[same], all[same], "{what}: {same}");
            }
        }
        folder.assert_same_models("all.safetensors", "one.safetensors", &what);
        let [a, b] = ["all", "one"].map(|name| folder.json(&format!("info {name}.safetensors")));
        assert_eq!(a["summary"]["fingerprint"], b["summary"]["fingerprint"], "{what}");
        fs::remove_file(folder.path("one.safetensors")).unwrap();
        fs::remove_file(folder.path("all.safetensors")).unwrap();
        assert_eq!(folder.listing().len(), 2, "nobody else has written");
    }
}

#[test]
fn one_rank_speaks() {
    let folder = Folder::new();
    folder.write("x.csv", table());
    let fit =
        folder.run_on_ranks(3, "fit x.csv --labels-key colour --layers 3 --out m.safetensors");
    assert_eq!(fit.code, Some(0), "{fit}");
    assert_eq!(fit.stdout.matches("semi-nmf").count(), 1, "{fit}");
    assert!(fit.stdout.contains("ranks       3; each has sent"), "{fit}");
    let plan = folder.run_on_ranks(3, "fit x.csv --labels-key colour --layers 3 --plan --json");
    assert_eq!((&plan.json()["ranks"], &plan.json()["samples"]), (&3.into(), &50.into()), "{plan}");
    let refused = [
        ("fit x.csv --labels-key colour --layers none", 2, "none"),
        ("fit x.csv --labels-key colour --layers 300", 1, "300"),
        ("fit x.csv --layers 3", 1, "colour"),
        ("fit absent.csv --layers 3", 1, "absent.csv"),
        ("fit x.csv --labels-key colour --layers 3 --zero-samples drop", 2, "--zero-samples"),
        ("fit x.csv --labels-key colour --layers 3 --out absent/m.safetensors", 1, "absent"),
        ("info m.safetensors", 2, "one process"),
    ];
    for (arguments, code, word) in refused {
        let run = folder.run_on_ranks(3, arguments);
        assert_eq!(run.code, Some(code), "{run}");
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{run}");
        assert!(run.stderr.contains(word), "{run}");
    }
}

/// The sample counts from the first of all, whichever rank has it.
#[test]
fn a_sample_that_is_refused_is_named_by_its_number_among_all() {
    let folder = Folder::new();
    let rows: Vec<[f64; 3]> =
        (0..20).map(|j| if j == 16 { [0.0; 3] } else { [1.0, f64::from(j), 2.0] }).collect();
    folder.write("x.npy", npy(&rows));
    let run = folder.run_on_ranks(3, "fit x.npy --layers 2");
    assert!(run.code == Some(1) && run.stderr.contains("sample 17 "), "{run}");
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{run}");
}

#[test]
fn a_rank_that_cannot_read_its_data_says_so_and_ends_the_job() {
    let folder = Folder::new();
    folder.write("x.csv", table());
    let program = folder.command("").get_program().to_str().unwrap().to_owned();
    let script = format!(
        "test \"$OMPI_COMM_WORLD_RANK\" = 1 && cd / ; exec {program} fit x.csv --labels-key colour --layers 3"
    );
    let mut job = Command::new("mpirun");
    job.args(["-n", "3", "sh", "-c", &script]).current_dir(folder.path(""));
    local(&mut job);
    let begun = Instant::now();
    let run = Run::new(&script, &job.output().unwrap());
    assert!(run.code.is_some_and(|code| code != 0), "{run}");
    assert_eq!(run.stderr.matches("error: rank 1 of 3 has failed").count(), 1, "{run}");
    assert!(run.stderr.contains("x.csv"), "{run}");
    assert!(begun.elapsed() < Duration::from_secs(SECONDS_TO_END));
}

/// A fit of some hundred milliseconds or some seconds, with this model file.
fn fit_of(iterations: usize, out: &str) -> String {
    format!(
        "fit builtin:faces:identities=6,size=16 --layers 30,8 --init random --kappa 0 --solver multiplicative \
         --max-iter {iterations} --out {out}"
    )
}

/// The same with a checkpoint as often as can be.
fn resumed(iterations: usize) -> String {
    format!("{} --checkpoint c --every 0 --resume", fit_of(iterations, "m.safetensors"))
}

#[test]
fn checkpoints_of_any_number_of_ranks_are_resumed_on_any_other() {
    let folder = Folder::new();
    assert_eq!(folder.run(&fit_of(300, "whole.safetensors")).code, Some(0));
    let some = resumed(300);
    for [before, after] in [[1, 3], [2, 1], [3, 4], [4, 2]] {
        let stopped = format!("{some} --max-seconds 0.08");
        let stopped = folder.run_on_ranks(before, &stopped);
        assert_eq!(stopped.code, Some(0), "{stopped}");
        assert!(folder.path("c").exists(), "{stopped}");
        let resumed = folder.run_on_ranks(after, &some);
        assert_eq!(resumed.code, Some(0), "{resumed}");
        assert!(!folder.path("c").exists(), "{resumed}");
        folder.assert_same_models(
            "m.safetensors",
            "whole.safetensors",
            &format!("{before} to {after}"),
        );
    }
}

/// The processes that `mpirun` has started.
#[cfg(target_os = "linux")]
fn ranks_of(job: &Child) -> Vec<u32> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut found: Vec<u32> = pids.filter(|pid| parent(*pid) == Some(job.id())).collect();
    found.sort_unstable();
    found
}

/// As `kill -9` does, at moments all over the fit, now this rank and now that one.
#[test]
#[cfg(target_os = "linux")]
fn a_job_whose_rank_is_killed_ends_soon_and_goes_on_where_it_was() {
    let folder = Folder::new();
    assert_eq!(folder.run(&fit_of(600, "whole.safetensors")).code, Some(0));
    let resumed = resumed(600);
    let (mut killed, mut round) = (0, 0);
    // A fit that is resumed so often comes to its end now and then, and the next one begins anew.
    while killed < 10 {
        assert!(round < 40, "{killed} of {round} jobs were killed");
        round += 1;
        let ranks = 2 + round % 3;
        let mut command = folder.on_ranks(ranks, &resumed);
        let mut job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // While it starts them, Open MPI's mpirun may wait for ever for one that is dead.
        let all_fit =
            |job: &Child| ranks_of(job).into_iter().filter(|pid| listens(*pid)).count() == ranks;
        while !all_fit(&job) && job.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(2));
        }
        sleep(Duration::from_millis(round as u64 * 379 % 400));
        let alive = ranks_of(&job);
        if let Some(victim) = alive.get(round * 7 % alive.len().max(1)) {
            let kill = Command::new("kill").args(["-9", &victim.to_string()]).status();
            assert!(kill.is_ok());
        }
        let begun = Instant::now();
        let run = Run::new(&resumed, &ended(job));
        assert!(begun.elapsed() < Duration::from_secs(SECONDS_TO_END), "{run}");
        if run.code != Some(0) {
            assert!(run.stderr.contains("signal 9"), "mpirun says what happened: {run}");
            killed += 1;
        }
    }
    let run = folder.run_on_ranks(2, &resumed);
    assert_eq!(run.code, Some(0), "{run}");
    folder.assert_same_models("m.safetensors", "whole.safetensors", "after ten kills");
    assert!(!folder.path("c").exists());
}
