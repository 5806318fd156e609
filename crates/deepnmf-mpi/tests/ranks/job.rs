//! `mpirun`, and what it leaves behind.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::TASK;

/// Longer than any task takes on a busy machine. A job that waits for what never comes is ended then.
const PATIENCE: Duration = Duration::from_secs(120);

/// Names the folder of a job.
const FOLDER: &str = "DEEPNMF_TEST_FOLDER";

/// A job that is over.
pub(crate) struct Job {
    folder: TempDir,
    pub(crate) status: ExitStatus,
    pub(crate) stderr: String,
}

impl Job {
    /// Runs a task on so many ranks.
    pub(crate) fn run(task: &str, ranks: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let output = |name: &str| File::create(folder.path().join(name)).unwrap();
        let mut mpirun = Command::new("mpirun");
        mpirun.args(["-n", &ranks.to_string()]).arg(env::current_exe().unwrap());
        mpirun.args(["--exact", "one_of_several_ranks", "--ignored", "--nocapture"]);
        mpirun.env(TASK, task).env(FOLDER, folder.path()).env("RAYON_NUM_THREADS", "1");
        // Open MPI refuses more ranks than cores, and a container's only user, unless it is told.
        for variable in [
            "OMPI_ALLOW_RUN_AS_ROOT",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
            "OMPI_MCA_rmaps_base_oversubscribe",
        ] {
            mpirun.env(variable, "1");
        }
        mpirun.env("OMPI_MCA_btl", "self,vader").env("OMPI_MCA_hwloc_base_binding_policy", "none");
        mpirun.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none"); // containers forbid it
        let mut child = mpirun.stdout(output("stdout")).stderr(output("stderr")).spawn().unwrap();
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                child.kill().unwrap();
                panic!("{task} on {ranks} ranks does not end");
            }
            sleep(Duration::from_millis(5));
        };
        let stderr = fs::read_to_string(folder.path().join("stderr")).unwrap();
        Self { folder, status, stderr }
    }

    /// The same where it must succeed.
    pub(crate) fn succeed(task: &str, ranks: usize) -> Self {
        let job = Self::run(task, ranks);
        assert!(
            job.status.success(),
            "{task} on {ranks} ranks:\n{}\n{}",
            job.read("stdout"),
            job.stderr
        );
        job
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }
}

/// Where a rank leaves what the job is to read.
pub(crate) fn folder() -> PathBuf {
    Path::new(&env::var_os(FOLDER).unwrap()).to_owned()
}
