"""What a fit of data larger than memory takes, beside the speed of the disk and the same fit in memory.

    python studies/memory/memory.py PROGRAM [--gigabytes 8] [--budget 1GB] [--folder FOLDER] [--disk 0.5GB]

PROGRAM is the built deepnmf; NumPy is needed, Linux, and disk for the data. They are drawn: 1,000 features in f32,
products of twenty non-negative components and noise. Three fits each of Semi-NMF and NMF with twenty components, five
iterations:

* in memory, which is the reference (where there is enough of it);
* with `--memory`, in a memory control group of 1.1 times as much, which counts what the system caches of files, too: so
  every pass comes from the disk. Without the right to make such a group the file is larger than memory, or the cache
  answers: `cached` says so;
* the plan of the same, for what the program expects.

With `--disk` a block-device control group lets no more than so many bytes a second through, as a slower disk would.

The disk's own speed is that of reading the file from one end to the other in pieces of 8 MB, in the same group, before
and after. Each line of results.jsonl is one fit.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).with_name("results.jsonl")
GROUPS, DISKS = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup/blkio")
FEATURES, COMPONENTS, ITERATIONS, PIECE = 1000, 20, 5, 20_000
UNITS = {"MB": 10**6, "GB": 10**9}


def draw(path, samples):
    """Writes the data piece by piece, without a copy of them in memory."""
    random = np.random.default_rng(0)
    basis = random.random((COMPONENTS, FEATURES), dtype=np.float32) ** 3
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f4", "fortran_order": False, "shape": (samples, FEATURES)})
        for start in range(0, samples, PIECE):
            count = min(PIECE, samples - start)
            piece = random.random((count, COMPONENTS), dtype=np.float32) ** 4 @ basis
            piece += 0.1 * random.random((count, FEATURES), dtype=np.float32)
            file.write(piece.tobytes())
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def group(limit):
    """A memory control group; None where this user may not make one."""
    folder = GROUPS / f"deepnmf-study-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / "memory.limit_in_bytes").write_text(str(limit))
    except OSError:
        yield None
        return
    try:
        yield folder
    finally:
        folder.rmdir()


@contextmanager
def slower_disk(folder, speed):
    """A group in which the disk of a folder is no faster; None if it is to stay as fast as it is."""
    if speed is None:
        yield None
        return
    throttled, device = DISKS / f"deepnmf-study-{os.getpid()}", os.stat(folder).st_dev
    throttled.mkdir()
    place = f"{os.major(device)}:{os.minor(device)}"
    (throttled / "blkio.throttle.read_bps_device").write_text(f"{place} {speed}")
    try:
        yield throttled
    finally:
        throttled.rmdir()


def started(arguments, groups):
    """Runs a command in these groups.

    Returns what it wrote, the most that it had resident, what it had read from the disk, and how long it took.
    """
    def join():
        for folder in groups:
            (folder / "cgroup.procs").write_text(str(os.getpid()))

    begun = time.perf_counter()
    child = subprocess.Popen(list(map(str, arguments)), stdout=subprocess.PIPE, text=True, preexec_fn=join)
    written = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, written
    return written, usage.ru_maxrss * 1024, usage.ru_inblock * 512, time.perf_counter() - begun


READ = """
import os, sys, time
file, piece = os.open(sys.argv[1], os.O_RDONLY), memoryview(bytearray(8 << 20))
os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
begun, count = time.perf_counter(), 0
while got := os.readv(file, [piece]):
    count += got
print(count / (time.perf_counter() - begun))
"""


def disk_speed(path, groups):
    return float(started(["python3", "-c", READ, path], groups)[0])


def fit(program, path, model, flags, groups):
    told, peak, read, wall = started(
        [program, "fit", path, "--model", model, "--layers", COMPONENTS, "--dtype", "f32", "--max-iter", ITERATIONS,
         "--kappa", 0, "--threads", 2, "--no-bound", "--json", "--quiet", *flags], groups)
    told = json.loads(told)
    steps = np.diff(told["runs"][-1]["clock"])
    return {"model": model, "error": told["error"], "history": told["runs"][-1]["history"], "peak_bytes": peak,
            "bytes_read": read, "wall_seconds": wall, "in_file": told["in_file"], "mapped": told["mapped"], "seconds": told["seconds"],
            "seconds_per_iteration": float(np.median(steps))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--gigabytes", type=float, default=8)
    parser.add_argument("--budget", default="1GB")
    parser.add_argument("--folder", help="where the data are written (default: the folder of temporary files)")
    parser.add_argument("--disk", help="as fast as the disk is to be, such as 0.5GB a second (default: as it is)")
    options = parser.parse_args()
    samples = int(options.gigabytes * 1e9) // (4 * FEATURES)
    in_bytes = lambda text: int(float(text[:-2]) * UNITS[text[-2:]])
    budget, speed = in_bytes(options.budget), options.disk and in_bytes(options.disk)
    data = samples * FEATURES * 4
    lines = []
    with (tempfile.TemporaryDirectory(dir=options.folder) as folder, group(int(1.1 * budget)) as limited,
          slower_disk(folder, speed) as slower):
        groups = [found for found in (limited, slower) if found]
        path = Path(folder) / "x.npy"
        draw(path, samples)
        for model in ("semi-nmf", "nmf"):
            before = disk_speed(path, groups)
            blocks = fit(options.program, path, model, ["--memory", options.budget], groups)
            after = disk_speed(path, groups)
            whole = fit(options.program, path, model, [], [])
            # Over the whole run, what is not reading included.
            speed, disk = blocks["bytes_read"] / blocks["wall_seconds"], (before + after) / 2
            line = {
                "data_bytes": data, "budget": budget, "throttled": speed, "cached": limited is None, "disk_bytes_per_second": disk,
                "bytes_per_second": speed, "share_of_disk": speed / disk, **blocks,
                "error_in_memory": whole["error"], "peak_in_memory": whole["peak_bytes"],
                "seconds_per_iteration_in_memory": whole["seconds_per_iteration"],
                "history_differs": float(np.max(np.abs(np.divide(blocks["history"], whole["history"]) - 1)))}
            lines.append(line)
            print(f"{model}: {data / 1e9:.1f} GB with {options.budget}: peak {line['peak_bytes'] / 1e9:.3f} GB, an "
                  f"iteration {line['seconds_per_iteration']:.1f} s (in memory "
                  f"{line['seconds_per_iteration_in_memory']:.1f} s), {speed / 1e9:.2f} GB/s of the disk's "
                  f"{disk / 1e9:.2f}; errors differ by {line['history_differs']:.1e}", flush=True)
    with RESULTS.open("a") as results:
        results.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    begun = time.perf_counter()
    main()
    print(f"{time.perf_counter() - begun:.0f} s in all")
