"""
A cascade of forests with scikit-learn, that does the work of a deep forest with as many layers: each layer has two random
forests and two of completely random trees, each grown once without each of the folds. A layer's class vectors of the
training rows are out of fold; those of the test rows are means over the folds. Both are passed on with the features.
"""

import sys
import warnings

import numpy as np
from labelled_rows import LabelledRows
from peer import serve
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

warnings.filterwarnings("ignore")  # a class may have fewer rows than there are folds
folder = sys.argv[1]
columns, layers, trees, folds, threads = map(int, sys.argv[2:7])
train = LabelledRows.read(folder, "train", columns)
test = LabelledRows.read(folder, "test", columns)
classes = int(train.labels.max()) + 1


def forests(layer):
    """Makes two forests of each kind, as in Algorithm 1 of the poster."""
    for k in range(4):
        seed = 4 * layer + k
        if k < 2:
            yield RandomForestClassifier(n_estimators=trees, n_jobs=threads, random_state=seed)
        else:
            yield ExtraTreesClassifier(n_estimators=trees, max_features=1, n_jobs=threads, random_state=seed)


def class_vectors(forest, known, others, splits):
    """Predicts training rows out of fold, other rows by the mean over the folds. A class may be absent from a fold."""
    of_known = np.zeros((len(known), classes), np.float32)
    of_others = np.zeros((len(others), classes), np.float32)
    for seen, unseen in splits:
        forest.fit(known[seen], train.labels[seen])
        of_known[np.ix_(unseen, forest.classes_)] = forest.predict_proba(known[unseen])
        of_others[:, forest.classes_] += forest.predict_proba(others) / folds
    return of_known, of_others


def work():
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=1).split(train.features, train.labels))
    known, others = train.features, test.features
    for layer in range(layers):
        vectors = [class_vectors(forest, known, others, splits) for forest in forests(layer)]
        known = np.hstack([train.features, *(of_known for of_known, _ in vectors)])
        others = np.hstack([test.features, *(of_others for _, of_others in vectors)])
    predictions = np.mean([of_others for _, of_others in vectors], axis=0).argmax(axis=1)
    return {"accuracy %": test.accuracy(predictions), "layers": layers}


serve(work)
