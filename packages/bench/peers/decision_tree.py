"""
scikit-learn's DecisionTreeClassifier with cost-complexity pruning, its `ccp_alpha` chosen by ten-fold cross-validation as CART
does: among the geometric means of neighbouring α's of the pruning path of the tree on all rows, the largest with the lowest
error. The arguments are pairs of a folder and its number of columns: one train-test split each.
"""

import sys

import numpy as np
from labelled_rows import LabelledRows
from peer import serve
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

MOST_ALPHAS = 50  # more would take hours on large sets; they are thinned evenly along the path
folds = int(sys.argv[1])
pairs = zip(sys.argv[2::2], map(int, sys.argv[3::2]))
splits = [
    (LabelledRows.read(folder, "train", columns), LabelledRows.read(folder, "test", columns))
    for folder, columns in pairs
]


def grown(rows, some, alpha):
    tree = DecisionTreeClassifier(ccp_alpha=alpha, random_state=1)
    return tree.fit(rows.features[some], rows.labels[some])


def candidates(rows):
    path = DecisionTreeClassifier(random_state=1).cost_complexity_pruning_path(rows.features, rows.labels)
    alphas = np.unique(np.maximum(0, path.ccp_alphas))
    middles = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
    places = np.unique(np.linspace(0, len(middles) - 1, MOST_ALPHAS).astype(int))
    return middles[places]


def fold_splits(rows):
    rarest = np.unique(rows.labels, return_counts=True)[1].min()
    kind = StratifiedKFold if rarest >= folds else KFold
    return list(kind(folds, shuffle=True, random_state=1).split(rows.features, rows.labels))


def pruned(rows):
    alphas = candidates(rows)
    errors = np.zeros(len(alphas))
    for seen, unseen in fold_splits(rows):
        for k, alpha in enumerate(alphas):
            wrong = grown(rows, seen, alpha).predict(rows.features[unseen]) != rows.labels[unseen]
            errors[k] += wrong.sum()
    best = np.flatnonzero(errors == errors.min())[-1]
    return grown(rows, slice(None), alphas[best])


def facts(models):
    accuracies = [test.accuracy(model.predict(test.features)) for model, (_, test) in zip(models, splits)]
    leaves = [model.get_n_leaves() for model in models]
    return {"accuracy %": float(np.mean(accuracies)), "leaves": float(np.mean(leaves))}


serve(lambda: [pruned(train) for train, _ in splits], facts)
