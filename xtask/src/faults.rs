//! Campaigns of faults against the program, with counts: kills, signals, a full disk, damaged and foreign files.
//!
//! Each campaign does the same thing many times, at other moments or places, and counts what must never happen.
//! `docs/reliability.md` has the counts of a full run; the tests of the program do some rounds of each.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::say;

/// A fit of about a second, deterministic and on one thread.
const FIT: &str = "fit builtin:faces:identities=6,size=16 --layers 30,8 --init random --kappa 0 \
                   --solver multiplicative --max-iter 1500 --threads 1";

/// A fit that ends when somebody stops it.
const ENDLESS: &str = "fit builtin:faces:identities=8 --layers 40,15 --init random --kappa 0 \
                       --solver multiplicative --max-iter 1000000000 --max-seconds 300";

/// What a campaign has found.
struct Count {
    what: String,
    rounds: usize,
    failures: Vec<String>,
    remark: String,
}

/// Runs all campaigns with the program; `share` of the usual rounds, in percent.
///
/// # Errors
/// If a campaign cannot be run, or something happened that must not.
pub(crate) fn run(program: &Path, folder: &Path, share: usize) -> Result<(), String> {
    let bench = Bench { program, folder };
    let rounds = |usual: usize| (usual * share).div_ceil(100).max(1);
    let campaigns: Vec<Count> = vec![
        bench.killed_fits(rounds(120))?,
        bench.killed_writes(rounds(50))?,
        bench.killed_reports(rounds(30))?,
        bench.signalled("INT", 130, rounds(50))?,
        bench.signalled("TERM", 143, rounds(50))?,
        bench.signalled("HUP", 129, rounds(50))?,
        bench.full_disk(rounds(10))?,
        bench.damaged_models(rounds(200))?,
        bench.shuffled(rounds(10))?,
        bench.scaled(rounds(20))?,
    ];
    let mut table = String::from("| campaign | rounds | failures | |\n|---|---|---|---|\n");
    let mut failures = 0;
    for Count { what, rounds, failures: failed, remark } in &campaigns {
        let _ = writeln!(table, "| {what} | {rounds} | {} | {remark} |", failed.len());
        failures += failed.len();
        for failure in failed.iter().take(3) {
            say(&format!("== {what}: {failure}"));
        }
    }
    say(&table);
    if failures == 0 { Ok(()) } else { Err(format!("{failures} rounds have failed")) }
}

struct Bench<'a> {
    program: &'a Path,
    folder: &'a Path,
}

impl Bench<'_> {
    /// An empty folder.
    fn fresh(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(folder)
    }

    fn command(&self, folder: &Path, arguments: &str) -> Command {
        let mut command = Command::new(self.program);
        command.args(arguments.split_whitespace()).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn output(&self, folder: &Path, arguments: &str) -> Result<Output, String> {
        self.command(folder, arguments).output().map_err(|e| format!("{arguments}: {e}"))
    }

    fn succeed(&self, folder: &Path, arguments: &str) -> Result<Output, String> {
        let output = self.output(folder, arguments)?;
        if output.status.success() {
            return Ok(output);
        }
        Err(format!("{arguments}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    fn spawn(&self, folder: &Path, arguments: &str) -> Result<Child, String> {
        self.command(folder, arguments).spawn().map_err(|e| format!("{arguments}: {e}"))
    }

    /// Kills a run after each of many delays; whatever the last one left must do.
    fn killed_fits(&self, rounds: usize) -> Result<Count, String> {
        let folder = self.fresh("kill-fit")?;
        let fit = format!("{FIT} --out m.safetensors");
        let begun = Instant::now();
        self.succeed(&folder, &fit)?;
        let usual = begun.elapsed();
        let whole = read(&folder.join("m.safetensors"))?;
        let resumed = format!("{fit} --checkpoint c --every 0 --resume");
        let (mut kills, mut ends, mut failures) = (0, 0, vec![]);
        while kills < rounds {
            let _ = fs::remove_file(folder.join("m.safetensors"));
            // Until it ends by itself, it is killed at another moment each time.
            loop {
                let mut child = self.spawn(&folder, &resumed)?;
                let delay = usual.mul_f64(0.05 + 0.6 * scattered(kills));
                if kills >= rounds || ended_within(&mut child, delay) {
                    let output = child.wait_with_output().map_err(|e| e.to_string())?;
                    ends += 1;
                    if !output.status.success() {
                        failures.push(String::from_utf8_lossy(&output.stderr).into_owned());
                    } else if read(&folder.join("m.safetensors"))? != whole {
                        failures.push("the resumed fit ends with other bytes".into());
                    }
                    break;
                }
                kill(child)?;
                kills += 1;
                failures.extend(left_behind(&folder));
            }
        }
        let remark = format!("{ends} fits ended, each with the bytes of an undisturbed one");
        Ok(Count {
            what: "kill -9 of a fit with checkpoints".into(),
            rounds: kills,
            failures,
            remark,
        })
    }

    /// Kills while a large model is written, over an older one.
    fn killed_writes(&self, rounds: usize) -> Result<Count, String> {
        let folder = self.fresh("kill-write")?;
        let large = "fit builtin:faces:identities=60 --model semi-nmf --layers 400 --init random \
                     --max-iter 0 --no-bound --out m.safetensors";
        let begun = Instant::now();
        self.succeed(&folder, large)?;
        let usual = begun.elapsed();
        let (mut failures, mut killed) = (vec![], 0);
        for round in 0..rounds {
            let mut child = self.spawn(&folder, large)?;
            // Most kills hit the second half, where the file is written.
            if !ended_within(&mut child, usual.mul_f64(0.4 + 0.7 * scattered(round))) {
                killed += 1;
            }
            kill(child)?;
            failures.extend(left_behind(&folder));
            failures.extend(self.succeed(&folder, "info m.safetensors").err());
        }
        let remark =
            format!("{killed} were killed before they ended; the file was whole each time");
        Ok(Count {
            what: "kill -9 of a fit that writes its model".into(),
            rounds,
            failures,
            remark,
        })
    }

    fn killed_reports(&self, rounds: usize) -> Result<Count, String> {
        let folder = self.fresh("kill-report")?;
        self.succeed(&folder, "fit builtin:faces:identities=6 --layers 20,6 --out m.safetensors")?;
        let report = "report m.safetensors --data builtin:faces:identities=6 --out r.html";
        let begun = Instant::now();
        self.succeed(&folder, report)?;
        let (usual, whole) = (begun.elapsed(), read(&folder.join("r.html"))?);
        let mut failures = vec![];
        for round in 0..rounds {
            let mut child = self.spawn(&folder, report)?;
            ended_within(&mut child, usual.mul_f64(1.1 * scattered(round)));
            kill(child)?;
            failures.extend(left_behind(&folder));
            if read(&folder.join("r.html"))?.len() != whole.len() {
                failures.push("the page is not whole".into());
            }
        }
        let remark = "the page was whole each time".into();
        Ok(Count { what: "kill -9 of a report".into(), rounds, failures, remark })
    }

    fn signalled(&self, signal: &str, code: i32, rounds: usize) -> Result<Count, String> {
        let folder = self.fresh("signal")?;
        let mut failures = vec![];
        for round in 0..rounds {
            let _ = fs::remove_file(folder.join("m.safetensors"));
            let child = self.spawn(&folder, &format!("{ENDLESS} --out m.safetensors"))?;
            wait_until_it_listens(&child);
            sleep(Duration::from_millis(round as u64 * 7 % 300));
            let arguments = [format!("-{signal}"), child.id().to_string()];
            Command::new("kill").args(arguments).status().map_err(|e| e.to_string())?;
            let output = child.wait_with_output().map_err(|e| e.to_string())?;
            if output.status.code() != Some(code) {
                failures.push(format!("{:?}", output.status));
            }
            failures.extend(self.succeed(&folder, "info m.safetensors").err());
            failures.extend(left_behind(&folder));
        }
        let remark = format!("exit code {code}, and a model that opens, each time");
        Ok(Count { what: format!("SIG{signal}"), rounds, failures, remark })
    }

    /// A file system of its own that is too small; the model must be somewhere else then.
    fn full_disk(&self, rounds: usize) -> Result<Count, String> {
        let what = "disk full when the model is written".to_owned();
        let folder = self.fresh("full")?;
        let disk = folder.join("disk");
        fs::create_dir_all(&disk).map_err(|e| e.to_string())?;
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1200k", "tmpfs"])
            .arg(&disk)
            .stderr(Stdio::null())
            .status();
        if !mounted.is_ok_and(|status| status.success()) {
            let remark = "not run: no small file system can be mounted here".into();
            return Ok(Count { what, rounds: 0, failures: vec![], remark });
        }
        let mut failures = vec![];
        for _ in 0..rounds {
            let child = self.spawn(&folder, &format!("{ENDLESS} --out disk/m.safetensors"))?;
            wait_until_it_listens(&child);
            // It fits when the fit begins, and no longer when it ends.
            fs::write(disk.join("other"), vec![0u8; 1000 << 10]).map_err(|e| e.to_string())?;
            let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
            let output = child.wait_with_output().map_err(|e| e.to_string())?;
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            let second = told.split_whitespace().find(|word| word.contains("deepnmf-"));
            match second {
                Some(path) => {
                    failures.extend(self.succeed(&folder, &format!("info {path}")).err());
                    let _ = fs::remove_file(path);
                }
                None => failures.push(told),
            }
            failures.extend(left_behind(&disk));
            let _ = fs::remove_file(disk.join("other"));
        }
        let _ = Command::new("umount").arg(&disk).status();
        let remark = "the message names the second place, where the model opens, each time".into();
        Ok(Count { what, rounds, failures, remark })
    }

    /// Flipped bits and cut files.
    fn damaged_models(&self, rounds: usize) -> Result<Count, String> {
        let folder = self.fresh("damage")?;
        self.succeed(
            &folder,
            "fit builtin:faces:identities=3,size=12 --layers 6,3 --out m.safetensors",
        )?;
        let whole = read(&folder.join("m.safetensors"))?;
        let mut failures = vec![];
        for round in 0..rounds {
            let mut bytes = whole.clone();
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a place in a file
            let at = ((whole.len() - 1) as f64 * scattered(round)) as usize;
            if round % 2 == 0 {
                bytes[at] ^= 1 << (round % 8);
            } else {
                bytes.truncate(at);
            }
            fs::write(folder.join("d.safetensors"), bytes).map_err(|e| e.to_string())?;
            if self.output(&folder, "info d.safetensors")?.status.code() != Some(1) {
                failures.push(format!("round {round} was not refused"));
            }
        }
        let remark = "each was refused".into();
        Ok(Count { what: "flipped bits and cut model files".into(), rounds, failures, remark })
    }

    fn shuffled(&self, rounds: usize) -> Result<Count, String> {
        let folder = self.fresh("shuffled")?;
        let table = |step: usize| {
            let line = |j: usize| {
                let class = j % 3;
                let value = |i: usize| i * (class + 2) % 7 * 100 + i * j % 5;
                let values: Vec<String> = (0..6).map(|i| value(i).to_string()).collect();
                format!("{},{}\n", values.join(","), ["a", "b", "c"][class])
            };
            let lines: String = (0..61).map(|j| line(j * step % 61)).collect();
            format!("f1,f2,f3,f4,f5,f6,kind\n{lines}")
        };
        let write = |step| fs::write(folder.join("x.csv"), table(step)).map_err(|e| e.to_string());
        write(1)?;
        self.succeed(&folder, "fit x.csv --labels-key kind --layers 3 --out m.safetensors")?;
        let mut failures = vec![];
        for round in 0..rounds {
            write(2 + round)?;
            let evaluate = "evaluate m.safetensors --data x.csv --labels-key kind --cluster --json";
            let told = self.succeed(&folder, evaluate)?;
            if !String::from_utf8_lossy(&told.stdout).contains("\"features\":\"projected\"") {
                failures.push(format!("order {} passes for that of the fit", 2 + round));
            }
        }
        let remark = "projected, and said, each time".into();
        Ok(Count { what: "samples in another order".into(), rounds, failures, remark })
    }

    fn scaled(&self, rounds: usize) -> Result<Count, String> {
        let folder = self.fresh("scaled")?;
        let (mut failures, mut first) = (vec![], None);
        for round in 0..rounds {
            // The first round is the data as they are.
            let exponent =
                if round == 0 { 0.0 } else { (1800.0 * scattered(round) - 900.0).round() };
            let unit = exponent.exp2();
            let line = |j: usize| {
                let value = |i: usize| unit * ((i * 3 + j * 5) % 11 + 1) as f64;
                (0..8).map(|i| format!("{:e}", value(i))).collect::<Vec<_>>().join(",") + "\n"
            };
            let table: String = (0..40).map(line).collect();
            fs::write(folder.join("x.csv"), table).map_err(|e| e.to_string())?;
            let fit = "fit x.csv --model nmf --layers 3 --normalize none --header no --json";
            let told = String::from_utf8_lossy(&self.succeed(&folder, fit)?.stdout).into_owned();
            let facts = ["\"iterations\":", "\"relative_error\":"].map(|key| {
                let rest = told.split_once(key).map_or("", |(_, rest)| rest);
                rest.split([',', '}']).next().unwrap_or("").to_owned()
            });
            if *first.get_or_insert_with(|| facts.clone()) != facts {
                failures.push(format!("2^{exponent}: {facts:?}"));
            }
        }
        let remark = "the same iterations and the same relative error, to the last digit".into();
        Ok(Count { what: "data times 2^-900 to 2^900".into(), rounds, failures, remark })
    }
}

/// Numbers from 0 to 1 that fill the range evenly.
fn scattered(round: usize) -> f64 {
    (round as f64 * 0.618_033_988_749_895).fract()
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Waits for so long, or until the process has ended.
fn ended_within(child: &mut Child, delay: Duration) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < delay {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return true;
        }
        sleep(Duration::from_millis(1));
    }
    false
}

/// As kill -9 does.
fn kill(mut child: Child) -> Result<(), String> {
    let _ = child.kill();
    child.wait().map(drop).map_err(|e| e.to_string())
}

/// Waits until a program has set up what it does on signals.
fn wait_until_it_listens(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    for _ in 0..2000 {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if caught.is_some_and(|mask| mask & (1 << 14) != 0) {
            return;
        }
        sleep(Duration::from_millis(5));
    }
}

/// Temporary files that nobody has removed.
fn left_behind(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    let mut names = names.map(|name| name.to_string_lossy().into_owned());
    names.find(|name| name.starts_with(".deepnmf-")).map(|name| format!("{name} is left behind"))
}
