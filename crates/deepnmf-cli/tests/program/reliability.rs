//! Nothing is lost and nothing is silently wrong: signals, kills, damaged files, other samples. `cargo xtask
//! faults` does the same hundreds of times.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::common::{FACES, Folder, Run, number};
use crate::interrupt::{ENDLESS, PATIENCE, ended, send, wait_until_it_listens};

/// Begins a fit and sends it a signal once it listens.
#[cfg(target_os = "linux")]
fn signalled(folder: &Folder, signal: &str, arguments: &str) -> Run {
    let mut command = folder.command(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until_it_listens(&mut child, PATIENCE);
    send(signal, &child);
    Run::new(arguments, &ended(child))
}

#[test]
#[cfg(target_os = "linux")] // elsewhere one cannot see whether the program listens
fn sigterm_and_sighup_keep_the_best_so_far_and_have_their_own_exit_codes() {
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let folder = Folder::new();
        let run = signalled(&folder, signal, &format!("{ENDLESS} --out m.safetensors"));
        assert_eq!(run.code, Some(code), "{run}");
        assert!(run.stderr.contains("interrupted"), "{run}");
        assert_eq!(folder.listing().len(), 1, "only the model is left");
        assert_eq!(folder.run("info m.safetensors").code, Some(0));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_model_that_its_place_does_not_take_is_written_to_a_second_one() {
    let folder = Folder::new();
    fs::create_dir(folder.path("place")).unwrap();
    fs::create_dir(folder.path("temporary")).unwrap();
    let mut command = folder.command(&format!("{ENDLESS} --out place/m.safetensors"));
    command.env("TMPDIR", folder.path("temporary"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until_it_listens(&mut child, PATIENCE);
    fs::remove_dir(folder.path("place")).unwrap();
    send("TERM", &child);
    let run = Run::new("fit", &ended(child));
    assert_eq!(run.code, Some(1), "{run}");
    let named = fs::read_dir(folder.path("temporary")).unwrap().next().unwrap().unwrap().path();
    assert!(run.stderr.contains(&named.display().to_string()), "{run}");
    assert_eq!(folder.run(&format!("info {}", named.display())).code, Some(0));
}

/// A fit of some seconds, and the same with checkpoints.
const LONG: &str = "fit builtin:faces:identities=6,size=16 --layers 30,8 --init random --kappa 0 \
                    --solver multiplicative --max-iter 400 --threads 1 --out m.safetensors";

#[test]
fn a_killed_fit_is_resumed_and_ends_with_the_same_file() {
    let folder = Folder::new();
    assert_eq!(folder.run(LONG).code, Some(0));
    let whole = folder.read("m.safetensors");
    fs::remove_file(folder.path("m.safetensors")).unwrap();
    let resumed = format!("{LONG} --checkpoint c --every 0 --resume");
    for milliseconds in [60, 150, 240, 400] {
        let mut command = folder.command(&resumed);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap(); // as kill -9 does
        child.wait().unwrap();
        let names: Vec<_> = folder.listing().into_keys().collect();
        let hidden = |path: &&std::path::PathBuf| path.display().to_string().contains(".deepnmf-");
        assert_eq!(names.iter().find(hidden), None, "no temporary file is left");
    }
    let run = folder.run(&resumed);
    assert_eq!(run.code, Some(0), "{run}");
    assert!(folder.read("m.safetensors") == whole, "the same bytes");
    assert!(!folder.path("c").exists(), "checkpoints are gone once the model is written");
}

#[test]
fn checkpoints_of_another_fit_are_refused_with_the_difference() {
    let folder = Folder::new();
    let fit = |flags: &str| {
        folder.run(&format!(
            "fit {FACES} --layers 4 --checkpoint c --every 0 --max-seconds 0 {flags}"
        ))
    };
    assert_eq!(fit("").code, Some(0));
    let again = fit("");
    assert!(again.code == Some(1) && again.stderr.contains("resume"), "{again}");
    let other = fit("--resume --seed 5");
    assert!(other.stderr.contains("seed is 5, but 0 there"), "{other}");
    assert_eq!(fit("--resume").code, Some(0));
    let lonely = folder.run(&format!("fit {FACES} --layers 4 --resume"));
    assert_eq!(lonely.code, Some(2), "{lonely}");
}

/// Stored features scored shuffled samples, or those of other features.
#[test]
fn shuffled_samples_are_projected_and_other_features_refused() {
    let folder = Folder::new();
    let line = |j: usize| {
        let class = j % 3;
        let value = |i: usize| (i * (class + 2) % 7) as f64 + 0.01 * ((i * j) % 5) as f64;
        let values: Vec<String> = (0..6).map(|i| value(i).to_string()).collect();
        format!("{},{}\n", values.join(","), ["a", "b", "c"][class])
    };
    let table = |order: &mut dyn Iterator<Item = usize>| {
        let lines: String = order.map(line).collect();
        format!("f1,f2,f3,f4,f5,f6,kind\n{lines}")
    };
    folder.write("x.csv", table(&mut (0..60)));
    folder.write("shuffled.csv", table(&mut (0..60).map(|j| j * 7 % 60)));
    let labels = "--labels-key kind --cluster";
    folder.json("fit x.csv --labels-key kind --layers 3 --out m.safetensors");
    let own = folder.json(&format!("evaluate m.safetensors --data x.csv {labels}"));
    assert_eq!(own["features"], "fit");
    let shuffled = folder.json(&format!("evaluate m.safetensors --data shuffled.csv {labels}"));
    assert_eq!(shuffled["features"], "projected");
    let score = |run: &serde_json::Value| number(&run["cells"][0]["clustering"]["ac"], "mean");
    assert!(score(&shuffled) >= score(&own) - 0.1, "{shuffled}");
    let text = folder.run(&format!("evaluate m.safetensors --data shuffled.csv {labels}"));
    assert!(text.stdout.contains("not the samples of the fit"), "{text}");
    folder.write("narrow.csv", "f1,f2,kind\n1,2,a\n3,4,b\n");
    let narrow = folder.run(&format!("evaluate m.safetensors --data narrow.csv {labels}"));
    assert_eq!(narrow.code, Some(1), "{narrow}");
}

#[test]
fn the_unit_of_a_file_changes_no_relative_error() {
    let folder = Folder::new();
    let table = |unit: f64| -> String {
        let line = |j: usize| {
            let value = |i: usize| unit * ((i * 3 + j * 5) % 11 + 1) as f64;
            let values: Vec<String> = (0..8).map(|i| format!("{:e}", value(i))).collect();
            values.join(",") + "\n"
        };
        (0..40).map(line).collect()
    };
    let mut errors = vec![];
    for unit in [1.0, 1e-30, 1e-300, 1e200] {
        folder.write("x.csv", table(unit));
        let fit = folder.json("fit x.csv --model nmf --layers 3 --normalize none --header no");
        errors.push(number(&fit, "relative_error"));
    }
    assert!(errors.iter().all(|e| (e / errors[0] - 1.0).abs() < 1e-2), "{errors:?}");
    assert!(errors[0] > 1e-3);
}

#[test]
fn equal_fits_are_equal_files() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        folder.fit(&format!("{FACES} --layers 6,3 --out {name}.safetensors"));
    }
    assert!(folder.read("a.safetensors") == folder.read("b.safetensors"));
}

#[test]
fn a_plan_tells_what_a_fit_takes_and_fits_nothing() {
    let folder = Folder::new();
    let plan = folder.json(&format!("fit {FACES} --layers 4 --out m.safetensors --plan"));
    assert!(number(&plan, "memory") > 0.0 && number(&plan, "file") > 0.0, "{plan}");
    assert!(number(&plan, "disk_left") > 0.0 && plan["most_iterations"] == 1000, "{plan}");
    assert!(folder.listing().is_empty());
    let text = folder.run(&format!("fit {FACES} --layers 4 --plan"));
    assert!(text.stdout.contains("memory") && text.stdout.contains("iteration"), "{text}");
}

#[test]
fn every_listed_model_can_be_fitted() {
    use deepnmf::{LabelUse, Settings};
    let folder = Folder::new();
    for model in Settings::MODELS {
        let size = match model.name {
            "additive-semi-nmf" => "--parts 3,2",
            _ if model.abilities.deep => "--layers 6,3",
            _ => "--layers 3",
        };
        let labels = match model.abilities.labels {
            LabelUse::None | LabelUse::EachPart => "",
            LabelUse::One => "--attributes identity",
            LabelUse::Several | LabelUse::EachLayer => "--attributes identity,pose",
        };
        let name = model.name;
        let fit = folder.fit(&format!("{FACES} --model {name} {size} {labels}"));
        assert_eq!(fit["model"], name);
    }
}
