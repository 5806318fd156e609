"""Reference values from SciPy and scikit-learn: one JSON request in, one JSON answer out."""

import json
import sys
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import ttest_rel
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

AVERAGES = ("geometric", "arithmetic", "min", "max")


def metrics(request):
    def one(pair):
        classes, clusters = pair
        table = contingency_matrix(classes, clusters)
        rows, columns = linear_sum_assignment(table, maximize=True)
        return {
            "ac": table[rows, columns].sum() / table.sum(),
            "nmi": [
                normalized_mutual_info_score(classes, clusters, average_method=average)
                for average in AVERAGES
            ],
            "ari": adjusted_rand_score(classes, clusters),
            "purity": table.max(axis=0).sum() / table.sum(),
        }

    return [one(pair) for pair in request["pairs"]]


def svm(request):
    x, y = np.array(request["x"]), np.array(request["y"])
    machine = LinearSVC(C=request["c"], tol=request["tolerance"], max_iter=2_000_000, dual=True)
    machine.fit(x, y)
    return {
        "coef": machine.coef_.tolist(),
        "intercept": machine.intercept_.tolist(),
        "predicted": machine.predict(np.array(request["test"])).tolist(),
    }


def kmeans(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = KMeans(request["k"], n_init=request["restarts"], random_state=0)
        return {"inertia": fit.fit(np.array(request["x"])).inertia_}


def neighbour(request):
    judge = KNeighborsClassifier(1).fit(np.array(request["x"]), np.array(request["y"]))
    return {"predicted": judge.predict(np.array(request["test"])).tolist()}


def paired(request):
    found = [ttest_rel(a, b) for a, b in request["pairs"]]
    return [[float(test.statistic), float(test.pvalue)] for test in found]


if __name__ == "__main__":
    tasks = {f.__name__: f for f in (metrics, svm, kmeans, neighbour, paired)}
    request = json.load(sys.stdin)
    json.dump(tasks[request["task"]](request), sys.stdout)
