"""
LightGBM's trees at the settings of vouch's boosted trees: binning and training are timed, as there. Arguments: the folder of
the rows, columns, rounds, threads.
"""

import sys

import lightgbm
from labelled_rows import LabelledRows
from peer import serve

folder = sys.argv[1]
columns, rounds, threads = map(int, sys.argv[2:5])
train = LabelledRows.read(folder, "train", columns)
test = LabelledRows.read(folder, "test", columns)


def fit():
    model = lightgbm.LGBMClassifier(
        n_estimators=rounds,
        learning_rate=0.1,
        max_depth=6,
        num_leaves=64,
        n_jobs=threads,
        random_state=1,
        deterministic=True,
        verbose=-1,
    )
    return model.fit(train.features, train.labels)


serve(fit, lambda model: {"accuracy %": test.accuracy(model.predict(test.features))})
