"""How long do Additive Semi-NMF and Nr-Kmeans with ten restarts take on the same data?

    DEEPNMF_DATA=DATA_FOLDER OMP_NUM_THREADS=1 python studies/parts/speed.py [--rounds 5]

Both sides in turns, one thread each, seconds of CPU time, so that what else runs on the machine counts little. The
samples and what each method is told are those of parts.py.
"""

import argparse
import statistics
import time
import warnings

from parts import SETS, clustpy, read


def additive(x, sizes, seed):
    import deepnmf
    return deepnmf.AdditiveSemiNMF(sizes, random_state=seed, measure_bound=False, n_jobs=1).fit(x).labels_


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore")
    methods = {"Additive Semi-NMF": additive, "Nr-Kmeans": clustpy("NrKmeans")}
    for name in ["CMU faces 32x30", "CMU faces 64x60", "drawn faces", "drawn faces, three parts", "sum of four"]:
        x, _ = read(name)
        sizes = tuple(SETS[name][1].values())
        seconds = {method: [] for method in methods}
        for seed in range(rounds + 1):
            for method, find in methods.items():
                begun = time.process_time()
                find(x, sizes, seed)
                if seed > 0:  # the first round is for imports and caches
                    seconds[method].append(time.process_time() - begun)
        ours, theirs = seconds.values()
        ratios = [b / a for a, b in zip(ours, theirs)]
        print(f"{name}: {statistics.median(ours):.2f} s, Nr-Kmeans {statistics.median(theirs):.2f} s, "
              f"{statistics.median(ratios):.1f} times as long ({min(ratios):.1f} to {max(ratios):.1f})", flush=True)


if __name__ == "__main__":
    main()
