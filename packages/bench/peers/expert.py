"""
The scikit-learn expert: chooses among forests, boosted trees, SVMs and logistic regression by 5-fold cross-validation, refits the
best one to all training rows and measures it on the test rows. Reads the divisions that `export-divisions.mjs` of
@vouch/experiments writes, and appends one JSON line per division to the results file.

Each fit is a process of one thread, and `--jobs` of them run at a time. The first fold of a candidate tells its cost: a candidate
whose six fits would take longer than `--candidate-limit` is recorded as too slow. One that takes longer than `--behind-limit` and
makes far more errors in the first fold than the best candidate is recorded as behind; it could not win. Long fits start first.
Finished fits are kept beside the results (RESULTS.fits), so an interrupted run continues where it stopped.

    python3 expert.py DIVISIONS RESULTS [--jobs 16] [--only 'letter,german*'] [--candidate-limit 300] [--stop-after 500]
"""

import argparse
import json
import multiprocessing
import os
import resource
import signal
import sys
import time
import warnings
from fnmatch import fnmatch
from multiprocessing.connection import wait
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
import sklearn
import xgboost
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

FOLDS = 5
SEED = 1
# The fit to all training rows, after the folds 0 to 4.
REFIT = FOLDS
# Standard errors of the difference in the first fold beyond which a slow candidate is behind.
FAR_BEHIND = 2


class TooSlow(Exception):
    """A fit would take longer than it may, as its first rounds tell."""


class Deadline(xgboost.callback.TrainingCallback):
    """Ends a training whose rounds so far tell that all rounds would take too long."""

    def __init__(self, seconds, rounds):
        self.seconds, self.rounds, self.began = seconds, rounds, time.process_time()

    def after_iteration(self, model, epoch, evals_log):
        spent = time.process_time() - self.began
        if spent > min(3, self.seconds) and spent / (epoch + 1) * self.rounds > 1.5 * self.seconds:
            raise TooSlow(spent / (epoch + 1) * self.rounds)
        return False


class Boosting:
    """XGBoost's native interface with the methods of an estimator; its own wrapper is tied to versions of scikit-learn."""

    def __init__(self, seconds, rounds, **settings):
        self.seconds, self.rounds = seconds, rounds
        self.settings = {"tree_method": "hist", "nthread": 1, "seed": SEED, **settings}

    def fit(self, features, labels):
        self.classes, codes = np.unique(labels, return_inverse=True)
        count = len(self.classes)
        binary = {"objective": "binary:logistic"}
        loss = binary if count == 2 else {"objective": "multi:softprob", "num_class": count}
        rows = xgboost.DMatrix(features, label=codes, nthread=1)
        callbacks = [Deadline(self.seconds, self.rounds)]
        self.model = xgboost.train({**self.settings, **loss}, rows, num_boost_round=self.rounds, callbacks=callbacks)
        return self

    def predict(self, features):
        scores = self.model.predict(xgboost.DMatrix(features, nthread=1))
        return self.classes[(scores > 0.5).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]


class HistogramBoosting:
    """HistGradientBoosting, which fits a few rounds first to see how long all of them would take."""

    TRIAL_ROUNDS = 3

    def __init__(self, seconds):
        self.seconds = seconds

    def fit(self, features, labels):
        began = time.process_time()
        trial = HistGradientBoostingClassifier(max_iter=self.TRIAL_ROUNDS, early_stopping=False, random_state=SEED)
        trial.fit(features, labels)
        self.model = HistGradientBoostingClassifier(random_state=SEED)
        expected = (time.process_time() - began) / self.TRIAL_ROUNDS * self.model.max_iter
        if expected > 2 * self.seconds:
            raise TooSlow(expected)
        self.model.fit(features, labels)
        return self

    def predict(self, features):
        return self.model.predict(features)


class Encoder:
    """
    Turns raw rows into features as the training rows say: one column per category, a missing category being one of its own, and
    numbers. Missing numbers become the mean, or stay missing; standardised columns have mean 0 and variance 1.
    """

    def __init__(self, kinds, features, *, keeps_missing=False, standardise=False):
        self.keeps_missing = keeps_missing
        self.numeric = np.array([kind == "numeric" for kind in kinds])
        self.levels = [np.unique(column) for column in features[:, ~self.numeric].T]
        numbers = features[:, self.numeric]
        known = ~np.isnan(numbers)
        self.means = np.where(known, numbers, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        self.scaler = StandardScaler().fit(self._plain(features)) if standardise else None

    def encode(self, features):
        plain = self._plain(features)
        return self.scaler.transform(plain) if self.scaler else plain

    def _plain(self, features):
        numbers = features[:, self.numeric]
        if not self.keeps_missing:
            numbers = np.where(np.isnan(numbers), self.means, numbers)
        categories = features[:, ~self.numeric].T
        one_hot = [column[:, None] == levels[None, :] for column, levels in zip(categories, self.levels)]
        return np.hstack([numbers, *(block.astype(float) for block in one_hot)])


def tree_candidates():
    """Returns the candidates that take raw numbers, by name: how to make them for a time limit, and whether they take missing ones."""
    return {
        "random forest 500": (lambda _: RandomForestClassifier(500, n_jobs=1, random_state=SEED), False),
        "extra trees 500": (lambda _: ExtraTreesClassifier(500, n_jobs=1, random_state=SEED), False),
        "xgboost depth 6": (lambda limit: Boosting(limit, 300, max_depth=6, eta=0.1), True),
        "xgboost depth 3": (lambda limit: Boosting(limit, 300, max_depth=3, eta=0.1), True),
        "xgboost sampled": (
            lambda limit: Boosting(limit, 600, max_depth=6, eta=0.05, subsample=0.8, colsample_bytree=0.5),
            True,
        ),
        "histogram boosting": (HistogramBoosting, True),
    }


def scaled_candidates():
    """Returns the candidates for standardised columns: name to a function of the number of columns."""
    machines = {
        f"svc C={cost} gamma={factor}/features": (
            lambda columns, cost=cost, factor=factor: SVC(C=cost, gamma=factor / columns, cache_size=1000)
        )
        for cost in (1, 10, 100)
        for factor in (0.25, 1, 4)
    }
    logistic = {"logistic regression": lambda _: LogisticRegression(C=1, max_iter=1000)}
    return {**machines, **logistic}


TREES = tree_candidates()
SCALED = scaled_candidates()
CANDIDATES = [*TREES, *SCALED]


class Division:
    """The training and test rows of a division, and the folds of the training rows."""

    def __init__(self, description):
        facts = json.loads(description.read_text())
        self.dataset, self.number, self.kinds = facts["dataset"], facts["division"], facts["kinds"]
        self.name = description.stem
        self.train = self._rows(description, "train")
        self.test = self._rows(description, "test")
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
        with warnings.catch_warnings():
            # Classes with fewer rows than folds: some folds lack them.
            warnings.simplefilter("ignore")
            self.folds = list(folds.split(*self.train))

    @staticmethod
    def _rows(description, part):
        file = description.with_name(f"{description.stem}.{part}.csv.gz")
        cells = np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2)
        return cells[:, :-1], cells[:, -1].astype(int)

    def parts(self, fold):
        """Returns the rows that a fit learns from and those that measure it."""
        if fold == REFIT:
            return self.train, self.test
        learn, judge = self.folds[fold]
        features, labels = self.train
        return (features[learn], labels[learn]), (features[judge], labels[judge])

    def cost(self, candidate):
        """Estimates the cost of a fit, for the order of the first folds only."""
        (rows, columns), classes = self.train[0].shape, len(np.unique(self.train[1]))
        if candidate.startswith("svc"):
            return rows * rows * columns * 4
        if candidate.startswith(("xgboost", "histogram")):
            return rows * columns * (classes if classes > 2 else 1) * 3000
        return rows * columns * (classes * 100 if candidate.startswith("logistic") else 500)


def fit(division, candidate, fold, limit):
    """
    Fits a candidate to a fold, or to all training rows, and returns its error on the other rows and the CPU seconds. Raises `TooSlow` if
    a boosting would take much longer than the limit.
    """
    (features, labels), (other_features, other_labels) = division.parts(fold)
    began = time.process_time()
    if candidate in TREES:
        make, keeps_missing = TREES[candidate]
        encoder, model = Encoder(division.kinds, features, keeps_missing=keeps_missing), make(limit)
        encoded = encoder.encode(features)
    else:
        encoder = Encoder(division.kinds, features, standardise=True)
        encoded = encoder.encode(features)
        model = SCALED[candidate](encoded.shape[1])
    model.fit(encoded, labels)
    fit_seconds = time.process_time() - began
    predicting = time.perf_counter()
    wrong = np.flatnonzero(model.predict(encoder.encode(other_features)) != other_labels)
    predict_seconds = time.perf_counter() - predicting
    return {
        "error": len(wrong) / len(other_labels),
        "fitSeconds": round(fit_seconds, 3),
        "predictSecondsPerRow": predict_seconds / len(other_labels),
        "seconds": time.process_time() - began,
        **({"wrongRows": wrong.tolist()} if fold == REFIT else {}),
    }


def work(connection, division, candidate, fold, limit):
    """Does a fit in a process of its own, which the system ends once it has used up its CPU seconds."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
    warnings.simplefilter("ignore")
    try:
        connection.send(fit(division, candidate, fold, limit))
    except TooSlow as expected:
        connection.send({"tooSlow": round(expected.args[0], 1)})
    except (ValueError, MemoryError, xgboost.core.XGBoostError) as reason:
        connection.send({"failed": str(reason).splitlines()[0]})
    connection.close()


class Journal:
    """The finished fits, in memory and in a file that a later run reads."""

    def __init__(self, file):
        self.file = file
        self.fits = {}
        if file.exists():
            for line in file.read_text().splitlines():
                *key, outcome = json.loads(line)
                self.fits[tuple(key)] = outcome

    def add(self, division, candidate, fold, outcome):
        self.fits[division.name, candidate, fold] = outcome
        with self.file.open("a") as out:
            out.write(json.dumps([division.name, candidate, fold, outcome]) + "\n")

    def of(self, division, candidate):
        """Returns the fits of a candidate so far, by fold."""
        found = {fold: self.fits.get((division.name, candidate, fold)) for fold in range(REFIT + 1)}
        return {fold: outcome for fold, outcome in found.items() if outcome is not None}


class Limits:
    """Says which candidates need no further fits."""

    def __init__(self, options, journal):
        self.candidate, self.behind, self.journal = options.candidate_limit, options.behind_limit, journal

    def verdict(self, division, candidate):
        """Says why a candidate is out: it failed, takes too long, or takes long and is behind. None if it is not out."""
        fits = self.journal.of(division, candidate)
        for outcome in fits.values():
            if "error" not in outcome:
                return outcome
        if len(fits) in (0, REFIT + 1):
            return None
        seconds = float(np.mean([outcome["seconds"] for outcome in fits.values()]))
        if seconds * (FOLDS + 1) > self.candidate:
            return {"tooSlow": round(seconds, 1)}
        if seconds * (FOLDS + 1) > self.behind and self._is_far_behind(division, fits[0]["error"]):
            return {"behind": fits[0]["error"]}
        return None

    def _is_far_behind(self, division, error):
        firsts = [self.journal.of(division, name).get(0, {}) for name in CANDIDATES]
        in_time = [first["error"] for first in firsts if first.get("seconds", np.inf) * (FOLDS + 1) <= self.candidate]
        best = min(in_time, default=1)
        rows = len(division.folds[0][1])
        return error - best > FAR_BEHIND * np.sqrt((error * (1 - error) + best * (1 - best)) / rows)


class Schedule:
    """The fits that are left: first folds, the ones that seem longest first, then the others by the seconds of the first folds."""

    def __init__(self, divisions, journal, limits):
        self.journal, self.limits = journal, limits
        self.waiting = []
        for division in divisions:
            for candidate in CANDIDATES:
                if 0 in journal.of(division, candidate):
                    self.extend(division, candidate)
                else:
                    self._add(division, candidate, 0, (1, division.cost(candidate)))

    def _add(self, division, candidate, fold, priority):
        self.waiting.append((priority, len(self.waiting), division, candidate, fold))
        self.waiting.sort(key=lambda entry: entry[:2])

    def extend(self, division, candidate):
        """Adds the other fits of a candidate once its first fold is measured, unless it is out."""
        fits = self.journal.of(division, candidate)
        if self.limits.verdict(division, candidate) is not None:
            return
        for fold in range(1, REFIT + 1):
            if fold not in fits:
                self._add(division, candidate, fold, (0, fits[0]["seconds"]))

    def next(self):
        """Takes the next fit; None if none is left."""
        while self.waiting:
            *_, division, candidate, fold = self.waiting.pop()
            if self.limits.verdict(division, candidate) is None:
                return division, candidate, fold
        return None


class Results:
    """The file of results: a JSON line per division."""

    def __init__(self, file, journal, limits):
        self.file, self.journal, self.limits = file, journal, limits
        lines = file.read_text().splitlines() if file.exists() else []
        self.finished = {(found["dataset"], found["division"]) for found in map(json.loads, lines)}

    def lacks(self, division):
        return (division.dataset, division.number) not in self.finished

    def add_if_finished(self, division):
        """Writes the line of a division once each candidate is measured or out."""
        journal = self.journal
        candidates = [self._outcome(division, name) for name in CANDIDATES]
        if not self.lacks(division) or None in candidates:
            return
        measured = [one for one in candidates if "error" in one]
        best = min(measured, key=lambda one: one["cvError"])
        seconds = sum(fit["seconds"] for name in CANDIDATES for fit in journal.of(division, name).values() if "seconds" in fit)
        line = {
            "dataset": division.dataset,
            "division": division.number,
            "testRows": len(division.test[1]),
            "chosen": best["name"],
            "error": best["error"],
            "seconds": round(seconds, 1),
            "fitSeconds": best["fitSeconds"],
            "predictSecondsPerRow": best["predictSecondsPerRow"],
            # With those of another classifier they tell on how many rows the two differ.
            "wrongRows": journal.of(division, best["name"])[REFIT]["wrongRows"],
            "candidates": candidates,
            "scikitLearn": sklearn.__version__,
            "xgboost": xgboost.__version__,
        }
        with self.file.open("a") as out:
            out.write(json.dumps(line) + "\n")
        self.finished.add((division.dataset, division.number))
        print(f"{division.name}: {best['name']}, error {100 * best['error']:.2f} %", flush=True)

    def _outcome(self, division, name):
        fits = self.journal.of(division, name)
        out = self.limits.verdict(division, name)
        if out is not None:
            return {"name": name, **out}
        if len(fits) <= REFIT:
            return None
        refit = {key: fits[REFIT][key] for key in ("error", "fitSeconds", "predictSecondsPerRow")}
        return {"name": name, "cvError": float(np.mean([fits[fold]["error"] for fold in range(FOLDS)])), **refit}


def run(divisions, journal, limits, results, options):
    """Keeps `--jobs` processes busy until no fit is left, or the time is over."""
    schedule = Schedule(divisions, journal, limits)
    began = time.monotonic()
    limit = int(np.ceil(options.candidate_limit / (FOLDS + 1))) + 1
    running = {}
    for division in divisions:
        results.add_if_finished(division)
    try:
        while True:
            over = time.monotonic() - began > options.stop_after
            while not over and len(running) < options.jobs and (job := schedule.next()):
                ours, theirs = multiprocessing.Pipe(duplex=False)
                # The refit has more rows than a fold.
                process = multiprocessing.Process(target=work, args=(theirs, *job, 2 * limit if job[2] else limit), daemon=True)
                process.start()
                theirs.close()
                running[ours] = (process, job)
            if over or not running:
                return not over
            for connection in wait(list(running), timeout=1):
                process, (division, candidate, fold) = running.pop(connection)
                try:
                    outcome = connection.recv()
                except EOFError:
                    outcome = None
                process.join()
                if outcome is None:
                    outcome = {"tooSlow": limit} if process.exitcode == -signal.SIGXCPU else {"failed": f"exit code {process.exitcode}"}
                journal.add(division, candidate, fold, outcome)
                if fold == 0:
                    schedule.extend(division, candidate)
                results.add_if_finished(division)
    finally:
        for process, _ in running.values():
            process.kill()


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("divisions", type=Path, help="folder of exported divisions")
    parser.add_argument("results", type=Path, help="file of results; finished divisions in it are skipped")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="fits at a time, one thread each")
    parser.add_argument("--only", default="*", help="patterns of data sets, separated by commas")
    parser.add_argument("--candidate-limit", type=float, default=300, help="CPU seconds of a candidate's six fits")
    parser.add_argument("--behind-limit", type=float, default=60, help="the same for a candidate that is far behind")
    parser.add_argument("--stop-after", type=float, default=np.inf, help="seconds after which unfinished fits are dropped")
    return parser.parse_args()


def main():
    multiprocessing.set_start_method("fork")
    options = parse_options()
    patterns = options.only.split(",")
    journal = Journal(options.results.with_name(f"{options.results.name}.fits"))
    limits = Limits(options, journal)
    results = Results(options.results, journal, limits)
    files = sorted(options.divisions.glob("*.json"))
    named = lambda file: any(fnmatch(json.loads(file.read_text())["dataset"], pattern) for pattern in patterns)
    with multiprocessing.Pool(options.jobs) as pool:
        divisions = [one for one in pool.map(Division, filter(named, files), chunksize=1) if results.lacks(one)]
    if not run(divisions, journal, limits, results, options):
        sys.exit("Out of time: run the same command again to continue.")


if __name__ == "__main__":
    main()
