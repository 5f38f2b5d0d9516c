"""
scikit-learn's HistGradientBoostingClassifier with the depth and learning rate of vouch's boosted trees: binning and training
are timed, as there. Arguments: the folder of the rows, columns, rounds, threads (OMP_NUM_THREADS limits them).
"""

import sys

from labelled_rows import LabelledRows
from peer import serve
from sklearn.ensemble import HistGradientBoostingClassifier

folder = sys.argv[1]
columns, rounds, threads = map(int, sys.argv[2:5])
train = LabelledRows.read(folder, "train", columns)
test = LabelledRows.read(folder, "test", columns)


def fit():
    model = HistGradientBoostingClassifier(
        max_iter=rounds, learning_rate=0.1, max_depth=6, max_leaf_nodes=64, early_stopping=False, random_state=1
    )
    return model.fit(train.features, train.labels)


serve(fit, lambda model: {"accuracy %": test.accuracy(model.predict(test.features))})
